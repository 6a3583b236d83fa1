// <div data-hall="15">: shows its .hall-page parts one after another, so many seconds each. A live update keeps the
// page that is on; arrows turn, space holds. Without this script the pages stand below each other.
function turn(box) {
  const seconds = Number(box.dataset.hall);
  const links = document.querySelectorAll(".hall-nav li");
  let at = 0;
  let name = "";
  let held = false;
  let timer;

  const pages = () => [...box.querySelectorAll(".hall-page")];
  function show() {
    const all = pages();
    if (!all.length) return;
    at = (at + all.length) % all.length;
    name = all[at].id;
    for (const page of all) page.hidden = page.id !== name;
    for (const link of links) {
      const page = new URL(link.querySelector("a").href).searchParams.get("page");
      link.toggleAttribute("data-hall-at", `hall-${page}` === name);
    }
    scrollTo(0, 0);
    clearTimeout(timer);
    if (!held) timer = setTimeout(() => step(1), seconds * 1000);
  }
  function step(by) {
    at += by;
    show();
  }

  box.addEventListener("live:updated", () => {
    const found = pages().findIndex((page) => page.id === name);
    if (found >= 0) at = found;
    const all = pages();
    at = Math.min(at, Math.max(all.length - 1, 0));
    for (const page of all) page.hidden = page !== all[at];
    name = all[at]?.id ?? "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("a, button")) return;
    if (event.key === "ArrowRight") step(1);
    else if (event.key === "ArrowLeft") step(-1);
    else if (event.key === " ") {
      event.preventDefault();
      held = !held;
      show();
    }
  });
  show();
}

document.querySelectorAll("[data-hall]").forEach(turn);
// Nothing to show yet: look again in so many seconds.
for (const word of document.querySelectorAll("[data-hall-again]"))
  setTimeout(() => location.reload(), 1000 * Number(word.dataset.hallAgain));
