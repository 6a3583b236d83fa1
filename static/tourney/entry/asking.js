// Questions a row asks before an entry is kept: why a result is changed, and whether both players agree. They are asked
// in the row itself, from templates of the page: no network is needed for that.
const ASKED = ".correction, .agree-both";

const hidden = (name, value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });

export function ask(kind, { row, fields, address, textOf }) {
  row.querySelector(ASKED)?.remove();
  const form = document.getElementById(`entry-${kind}`).content.firstElementChild.cloneNode(true);
  form.action = address;
  const { reason, white_agrees, black_agrees, ...kept } = fields;
  form.append(...Object.entries(kept).map(([name, value]) => hidden(name, value)));
  if (kind === "agree") players(form, row, fields, textOf);
  else form.querySelector("[data-change]").textContent = `${textOf(row, row.dataset.result)} → ${textOf(row, fields.outcome)}`;
  row.classList.remove("is-new");
  row.classList.add("is-asking");
  row.querySelector(".board-r").append(form);
  (form.querySelector("input:not([type=hidden])") ?? form.querySelector("button")).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

// Both players press their own name; the second one sends.
function players(form, row, fields, textOf) {
  form.querySelector("[data-result]").textContent = textOf(row, fields.outcome);
  const buttons = [...form.querySelectorAll("[data-agrees]")];
  for (const button of buttons) {
    const side = row.querySelector(button.dataset.agrees === "white" ? ".board-w" : ".board-b");
    button.append(side.querySelector(".player-name").textContent);
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", "true");
      if (buttons.some((one) => one.getAttribute("aria-pressed") !== "true")) return;
      form.append(hidden("white_agrees", "1"), hidden("black_agrees", "1"));
      form.requestSubmit();
    });
  }
}

// Take a question away that was asked here; false if the row holds none.
export function leave(row) {
  if (!row.classList.contains("is-asking")) return false;
  row.querySelector(ASKED)?.remove();
  row.classList.remove("is-asking");
  return true;
}
