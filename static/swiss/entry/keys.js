// Keys of result entry: a key presses a button of the active row. Works on a Cyrillic layout and on the numpad, where
// the place of the key decides; two sets of digits, because arbiters are used to one or the other.
const SETS = {
  105: { 1: "1-0", 5: "1/2", 0: "0-1" },
  123: { 1: "1-0", 2: "0-1", 3: "1/2", 0: "" },
};
const SIGNS = { "=": "1/2", "+": "+-", "-": "-+", "−": "-+", Delete: "" };
const DIGITS = [...Array(10).keys()];
const PLACES = {
  Equal: "=", NumpadAdd: "+", Minus: "-", NumpadSubtract: "-", Slash: "/", NumpadDivide: "/",
  ...Object.fromEntries(DIGITS.flatMap((digit) => [[`Digit${digit}`, `${digit}`], [`Numpad${digit}`, `${digit}`]])),
};
const STORED = "tourney-keys";

const isTyping = (target) => target.closest("input:not([type=radio], [type=checkbox], [type=file]), select, textarea") !== null;

function meaning(event) {
  if (event.key in SIGNS || event.key === "/" || /^\d$/.test(event.key)) return event.key;
  if (event.code.startsWith("Numpad") && event.key.length > 1) return null; // the numpad's arrows
  if (event.shiftKey && event.code === "Equal") return "+";
  return PLACES[event.code] ?? null;
}

function stored() {
  try {
    const found = localStorage.getItem(STORED);
    return found in SETS ? found : "105";
  } catch {
    return "105"; // a private window
  }
}

function keep(set) {
  try {
    localStorage.setItem(STORED, set);
  } catch { /* a private window: chosen for this page only */ }
}

export function listen({ page, list, visible, focus, back, moveOn, lastRow, keyed }) {
  const jump = page.querySelector("[data-jump]");
  let set = stored();

  const mark = () => {
    for (const key of page.querySelectorAll("[data-keys]")) key.hidden = key.dataset.keys !== set;
  };
  for (const choice of page.querySelectorAll("[name=keys]")) {
    choice.checked = choice.value === set;
    choice.addEventListener("change", () => {
      set = choice.value;
      keep(set);
      mark();
    });
  }
  mark();

  const active = () => document.activeElement?.closest?.(".is-entry") ?? null;

  function goTo(digits) {
    jump.value = digits;
    jump.focus();
    if (!digits) jump.select();
  }

  // Out of a question, or back to the entry made last: a slip of the finger is put right from there.
  function escape() {
    const row = active();
    if (row?.querySelector(".correction, .agree-both")) return back(row);
    const last = lastRow();
    if (last?.isConnected) last.hidden = false;
    const target = last?.isConnected ? last : visible()[0];
    return target && focus(target);
  }

  function step(row, by) {
    const all = visible();
    const next = row ? all[all.indexOf(row) + by] : all[0];
    if (next) focus(next);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const act = actOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  });

  // What a key does; null leaves it to the browser.
  function actOf(event) {
    if (event.key === "Escape") return escape;
    if (isTyping(event.target)) return null;
    const row = active();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") return () => step(row, event.key === "ArrowDown" ? 1 : -1);
    if (event.key === "Enter") return row && event.target === row ? () => moveOn(row) : null;
    const key = meaning(event);
    if (key === null || event.target.matches("[type=radio]")) return null;
    const outcome = key in SETS[set] ? SETS[set][key] : SIGNS[key];
    if (outcome === undefined) return () => goTo(key === "/" ? "" : key);
    const target = row ?? visible().find((one) => one.classList.contains("is-open") && !one.dataset.pending) ?? visible()[0];
    const button = target?.querySelector(`.entry-pad .res[value="${outcome}"]`);
    return button && (() => {
      keyed();
      button.click();
    });
  }

  function find(text) {
    const wanted = text.trim().toLocaleLowerCase();
    if (!wanted) return null;
    const all = [...list.querySelectorAll(".is-entry")];
    const names = (row) => [...row.querySelectorAll(".player-name")].map((name) => name.textContent.toLocaleLowerCase());
    return all.find((row) => row.dataset.board === wanted) ?? all.find((row) => names(row).some((name) => name.includes(wanted)));
  }

  jump.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const row = find(jump.value);
    jump.setCustomValidity(row ? "" : "?");
    if (!row) {
      jump.select();
      return;
    }
    jump.value = "";
    row.hidden = false;
    focus(row);
  });
}
