// Small helps for every page. Each only adds to what already works without scripts.
const fold = (text) => text.toLocaleLowerCase().replaceAll("ё", "е").replaceAll("ʼ", "'").replaceAll("’", "'");

// Search as you type: <input data-filter="#list"> hides items of the list whose text has not every word.
function applyFilter(input) {
  const list = document.querySelector(input.dataset.filter);
  if (!list) return;
  const words = fold(input.value).split(/\s+/).filter(Boolean);
  let shown = 0;
  let visible = true;
  const body = list.matches("table") ? list.tBodies[0] : list;
  for (const item of body.children) {
    if (item.matches(".why")) {
      item.hidden = !visible; // an explanation goes with the row above it
      continue;
    }
    item.foldedText ??= fold(item.dataset.find ?? item.textContent);
    visible = words.every((word) => item.foldedText.includes(word));
    item.hidden = !visible;
    shown += visible;
  }
  const count = input.form?.querySelector("output") ?? input.parentElement.querySelector("output");
  if (count) count.textContent = words.length ? String(shown) : "";
}
const applyFilters = () => document.querySelectorAll("[data-filter]").forEach((input) => input.value && applyFilter(input));

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-filter]")) applyFilter(event.target);
});
document.addEventListener("live:updated", applyFilters);
document.addEventListener("htmx:afterSwap", applyFilters);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-print]");
  if (!button) return;
  if ("print" in button.dataset) return print();
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    const source = document.querySelector(button.dataset.copyFrom);
    if (source) getSelection().selectAllChildren(source); // no clipboard on plain http: select it for the reader
    return;
  }
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  label.textContent = button.dataset.copied;
  setTimeout(() => (label.textContent = before), 2000);
});

// Menus made of <details> close on Escape or a click outside.
const closeMenus = (except) =>
  document.querySelectorAll("details.section-switch[open]").forEach((menu) => menu !== except && (menu.open = false));
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.section-switch")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = document.querySelector("details.section-switch[open]");
  closeMenus();
  open?.querySelector("summary").focus();
});

document.querySelectorAll("[data-needs-script]").forEach((part) => (part.hidden = false));
for (const current of document.querySelectorAll(".stepper [aria-current], .tabs [aria-current]")) {
  const strip = current.closest("ol, nav"); // bring the current step into its strip without moving the page
  if (current.offsetLeft + current.clientWidth > strip.clientWidth) {
    strip.scrollLeft = current.offsetLeft - (strip.clientWidth - current.clientWidth) / 2;
  }
}
