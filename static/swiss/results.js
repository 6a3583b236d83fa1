// Result entry: a key presses a button of the active row, and the next row without a result becomes active.
// Sending is htmx's work; without scripts each button is a plain form.
const list = document.getElementById("entry-boards");
const jump = document.querySelector("[data-jump]");
const KEYS = {
  1: "1-0", 5: "1/2", "=": "1/2", 0: "0-1", "+": "+-", "-": "-+", "−": "-+", Delete: "",
};
const CODES = {
  Digit1: "1", Numpad1: "1", Digit5: "5", Numpad5: "5", Digit0: "0", Numpad0: "0",
  Equal: "=", NumpadAdd: "+", Minus: "-", NumpadSubtract: "-", Slash: "/", NumpadDivide: "/",
};
let byKeys = false;

const rows = () => [...list.querySelectorAll(".is-entry")];
const activeRow = () => document.activeElement?.closest?.(".is-entry") ?? null;
const typing = (target) => target.closest("input, select, textarea") !== null;

function activate(row) {
  if (!row) return;
  const target = row.querySelector("input[autofocus]") ?? row.querySelector(".res") ?? row.querySelector("input, button");
  target?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(row, by) {
  const all = rows();
  return row ? all[all.indexOf(row) + by] : all[0];
}

function nextOpen(row) {
  const all = rows();
  const after = [...all.slice(all.indexOf(row) + 1), ...all.slice(0, all.indexOf(row))];
  return after.find((one) => one.classList.contains("is-open")) ?? step(row, 1) ?? row;
}

// A Cyrillic layout gives the same digits but another sign on the slash key: the place of the key decides then.
function meaning(event) {
  if (event.key in KEYS || event.key === "/") return event.key;
  if (event.code.startsWith("Numpad") && event.key.length > 1) return null; // the numpad's arrows
  if (event.shiftKey && event.code === "Equal") return "+";
  return CODES[event.code] ?? null;
}

document.addEventListener("keydown", (event) => {
  if (!list || event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") {
      event.preventDefault();
      const row = activeRow();
      if (row) row.querySelector("[data-leave]")?.click();
      else activate(rows()[0]);
    }
    return;
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    activate(step(activeRow(), event.key === "ArrowDown" ? 1 : -1));
    return;
  }
  const key = event.key === "Delete" ? "Delete" : meaning(event);
  if (key === null) return;
  if (key === "/") {
    event.preventDefault();
    jump.focus();
    jump.select();
    return;
  }
  const row = activeRow() ?? rows().find((one) => one.classList.contains("is-open")) ?? rows()[0];
  const button = row?.querySelector(`.res[value="${KEYS[key]}"]`);
  if (!button) return;
  event.preventDefault();
  byKeys = true;
  button.click();
});

function find(text) {
  const wanted = text.trim().toLocaleLowerCase();
  if (!wanted) return null;
  const number = rows().find((row) => row.dataset.board === wanted);
  return number ?? rows().find((row) => [...row.querySelectorAll(".player-name")].some((name) => name.textContent.toLocaleLowerCase().includes(wanted)));
}

if (list && jump) {
  jump.hidden = false;
  jump.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const row = find(jump.value);
    jump.setCustomValidity(row ? "" : "?");
    if (row) {
      jump.value = "";
      activate(row);
    } else jump.select();
  });
}

function say(row, words) {
  const status = row?.querySelector("[role=status]");
  if (!status) return;
  status.textContent = "";
  const badge = document.createElement("span");
  badge.className = "state state-need";
  badge.textContent = words;
  status.append(badge);
  row.classList.add("is-open");
}

list?.addEventListener("click", (event) => {
  if (event.detail > 0 && event.target.closest(".res")) byKeys = false; // a finger or a mouse, no key
});
document.addEventListener("htmx:sendError", (event) => say(event.target.closest(".is-entry"), list.dataset.offline));
document.addEventListener("htmx:responseError", (event) => say(event.target.closest(".is-entry"), list.dataset.failed));
document.addEventListener("htmx:afterSettle", (event) => {
  const row = event.target.closest?.(".is-entry") ?? document.getElementById(event.detail.elt?.id);
  if (!row) return;
  if (row.querySelector("input[autofocus]")) activate(row);
  else if (byKeys) activate(row.querySelector(".moves") && !row.dataset.result ? row : nextOpen(row));
});
