// Typing a score sheet: the server reads the text after each pause and answers with the board; taps write moves.
const form = document.querySelector("form[data-sheet]");
const SQUARE = 45;
const SVG = "http://www.w3.org/2000/svg";
const PIECES = { q: ["♕", "♛"], r: ["♖", "♜"], b: ["♗", "♝"], n: ["♘", "♞"] };

if (form) {
  const text = form.querySelector("textarea");
  const view = form.querySelector("[data-sheet-view]");
  const choice = form.querySelector("[data-promotion]");
  let flipped = false;
  let from = "";
  let asked = 0;
  let waiting;

  const board = () => view.querySelector(".sheet-board");
  const legal = () => JSON.parse(board()?.dataset.legal || "[]");
  const place = (name) => {
    const file = "abcdefgh".indexOf(name[0]);
    const row = 8 - Number(name[1]);
    return [(flipped ? 7 - file : file) * SQUARE, (flipped ? 7 - row : row) * SQUARE];
  };

  function mark(name, look) {
    const [x, y] = place(name);
    const rect = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ class: look, x, y, width: SQUARE, height: SQUARE })) rect.setAttribute(key, value);
    view.querySelector(".bd-marks").append(rect);
  }
  const unmark = () => view.querySelectorAll(".bd-from, .bd-to").forEach((rect) => rect.remove());

  // The server draws White below; a turned board moves what it drew.
  function turn() {
    const svg = view.querySelector(".chessboard");
    if (!svg) return;
    for (const part of svg.querySelectorAll(".bd-pieces use, .bd-marks rect")) {
      part.setAttribute("x", String(7 * SQUARE - Number(part.getAttribute("x"))));
      part.setAttribute("y", String(7 * SQUARE - Number(part.getAttribute("y"))));
    }
    svg.querySelectorAll(".bd-ranks text").forEach((label, row) => (label.textContent = String(flipped ? row + 1 : 8 - row)));
    svg.querySelectorAll(".bd-files text").forEach((label, file) => (label.textContent = "abcdefgh"[flipped ? 7 - file : file]));
  }

  async function check() {
    const number = ++asked;
    const data = new FormData(form);
    data.set("act", "check");
    let answer;
    try {
      answer = await fetch(form.action || location.href, { method: "POST", body: data, headers: { "X-Sheet": "1" } });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status)); // signed out: no other page in here
    } catch {
      const say = view.querySelector(".sheet-say");
      if (number === asked && say) say.textContent = form.dataset.offline;
      return;
    }
    const html = await answer.text();
    if (number !== asked) return; // a newer question is on its way
    view.innerHTML = html;
    from = "";
    choice.hidden = true;
    if (flipped) turn();
    const moves = view.querySelector(".sheet-moves");
    if (moves) moves.scrollTop = moves.scrollHeight;
  }
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, 300);
  };

  function write(san) {
    const before = text.value.replace(/\s+$/, "");
    text.value = before ? `${before} ${san}` : san;
    text.scrollTop = text.scrollHeight;
    form.dataset.changed = "yes";
    clearTimeout(waiting);
    check();
  }

  function play(to) {
    const moves = legal().filter(([uci]) => uci.startsWith(from + to));
    if (moves.length === 1) return write(moves[0][1]);
    const side = board().dataset.turn === "w" ? 0 : 1;
    choice.replaceChildren(
      ...moves.map(([uci, san]) => {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", className: "btn btn-secondary", textContent: PIECES[uci[4]][side] });
        button.addEventListener("click", () => write(san));
        return button;
      }),
    );
    choice.hidden = false;
    choice.firstElementChild?.focus();
  }

  view.addEventListener("click", (event) => {
    const svg = event.target.closest(".chessboard");
    if (!svg) return;
    const box = svg.getBoundingClientRect();
    let file = Math.floor(((event.clientX - box.left) / box.width) * 8);
    let row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    if (flipped) [file, row] = [7 - file, 7 - row];
    const name = `${"abcdefgh"[file]}${8 - row}`;
    unmark();
    choice.hidden = true;
    if (from && legal().some(([uci]) => uci.startsWith(from + name))) return play(name);
    const targets = new Set(legal().filter(([uci]) => uci.startsWith(name)).map(([uci]) => uci.slice(2, 4)));
    from = targets.size ? name : "";
    if (!from) return;
    mark(name, "bd-from");
    for (const target of targets) mark(target, "bd-to");
  });
  form.querySelector("[data-undo]").addEventListener("click", () => {
    // The last word, and a number that would stand alone then.
    text.value = text.value.replace(/\s*\S+\s*$/, "").replace(/\s*\d+\s*[.…]+\s*$/, "");
    form.dataset.changed = "yes";
    check();
  });
  form.querySelector("[data-turn-board]").addEventListener("click", () => {
    flipped = !flipped;
    unmark();
    from = "";
    turn();
  });
  form.querySelector("[data-check]").addEventListener("click", (event) => {
    event.preventDefault();
    check();
  });
  text.addEventListener("input", soon);
  form.classList.add("can-tap");
}
