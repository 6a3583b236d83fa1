// Steps through a game without leaving the page. Every move is also a link that the server answers with its position.
const root = document.querySelector("[data-replay]");
const SQUARE = 45;
const KINDS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SVG = "http://www.w3.org/2000/svg";

if (root) {
  const svg = root.querySelector(".chessboard");
  const links = [...root.querySelectorAll("a[data-ply]")];
  const byPly = new Map(links.map((link) => [Number(link.dataset.ply), link]));
  const last = links.length ? Math.max(...byPly.keys()) : 0;
  const now = root.querySelector("[data-now]");
  const comment = root.querySelector("[data-say]");
  const title = svg.querySelector("title");
  let ply = Number(root.dataset.at);
  let flipped = false;
  let line = null; // the move of a variation that is shown

  const place = (element, file, row) => {
    element.setAttribute("x", String((flipped ? 7 - file : file) * SQUARE));
    element.setAttribute("y", String((flipped ? 7 - row : row) * SQUARE));
    return element;
  };
  const make = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const mark = (square, look) =>
    place(make("rect", { class: look, width: SQUARE, height: SQUARE }), "abcdefgh".indexOf(square[0]), 8 - Number(square[1]));

  function pieces(fen) {
    const drawn = [];
    fen.split(" ")[0].split("/").forEach((rank, row) => {
      let file = 0;
      for (const letter of rank) {
        if (/\d/.test(letter)) {
          file += Number(letter);
          continue;
        }
        const white = letter === letter.toUpperCase();
        const name = `${white ? "white" : "black"}-${KINDS[letter.toLowerCase()]}`;
        drawn.push(place(make("use", { href: `#${name}` }), file, row));
        file += 1;
      }
    });
    return drawn;
  }

  // A move of a variation; the buttons lead back to the game from the move it stands beside.
  function showLine(link, options) {
    line = link;
    draw(link, Number(link.dataset.at), options);
  }

  function show(next, options) {
    line = null;
    draw(byPly.get(Math.min(Math.max(next, 0), last)), Math.min(Math.max(next, 0), last), options);
  }

  // One move on or back: inside a variation while it goes on, else in the game.
  function step(by) {
    if (!line) return show(ply + by);
    const moves = [...line.parentElement.querySelectorAll(`a[data-of="${line.dataset.of}"]`)];
    const next = moves[moves.indexOf(line) + by];
    if (next) return showLine(next);
    show(by < 0 ? ply - 1 : ply);
  }

  function draw(link, at, { keep = true } = {}) {
    ply = at;
    svg.querySelector(".bd-pieces").replaceChildren(...pieces(link ? link.dataset.fen : root.dataset.start));
    const marks = link ? link.dataset.squares.split(" ").map((square) => mark(square, "bd-last")) : [];
    if (link?.dataset.check) marks.push(mark(link.dataset.check, "bd-check"));
    svg.querySelector(".bd-marks").replaceChildren(...marks);
    for (const other of root.querySelectorAll(".moves a[aria-current]")) other.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    const words = link ? link.dataset.words : root.dataset.startWords;
    now.textContent = words;
    title.textContent = words;
    comment.textContent = link ? (link.dataset.comment ?? "") : (root.dataset.startComment ?? "");
    for (const color of ["w", "b"]) {
      const clock = root.querySelector(`[data-clock="${color}"]`);
      let back = ply;
      while (back > 0 && !(byPly.get(back)?.dataset.color === color && byPly.get(back).dataset.clock)) back -= 1;
      if (clock) clock.textContent = back > 0 ? byPly.get(back).dataset.clock : "";
    }
    const list = root.querySelector(".replay-moves");
    if (link && list.scrollHeight > list.clientHeight)
      list.scrollTop = link.offsetTop - list.offsetTop - list.clientHeight / 2;
    const steps = { first: 0, back: Math.max(ply - 1, 0), on: Math.min(ply + 1, last), last };
    for (const button of root.querySelectorAll("a[data-step]")) button.search = `?ply=${steps[button.dataset.step]}`;
    follow(link ? link.dataset.fen : root.dataset.start);
    if (keep) history.replaceState(null, "", address());
  }

  // What is shared is the position on the board.
  const address = () => (line ? `?line=${line.dataset.line}` : `?ply=${ply}`);
  function follow(fen) {
    const at = (text) => text.replace(/\?(?:ply|line)=\d+/, address());
    for (const part of document.querySelectorAll("#share-link, #share-code")) copyable(part, at(part.textContent));
    const known = document.querySelector("#share-fen");
    if (known) copyable(known, fen);
    for (const part of document.querySelectorAll("a[data-follow]")) part.href = at(part.href);
    const same = document.querySelector("a[data-follow-position]");
    if (same) same.search = `?${new URLSearchParams({ position: fen.split(" ")[0] })}`;
  }
  function copyable(part, text) {
    part.textContent = text;
    const button = document.querySelector(`[data-copy-from="#${part.id}"]`);
    if (button) button.dataset.copy = text;
  }

  function flip() {
    flipped = !flipped;
    svg.querySelectorAll(".bd-ranks text").forEach((text, row) => (text.textContent = String(flipped ? row + 1 : 8 - row)));
    svg.querySelectorAll(".bd-files text").forEach((text, file) => (text.textContent = "abcdefgh"[flipped ? 7 - file : file]));
    root.classList.toggle("is-flipped", flipped);
    if (line) showLine(line, { keep: false });
    else show(ply, { keep: false });
  }

  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-ply], a[data-line], a[data-step], button[data-flip]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.matches("button")) return flip();
    if (link.dataset.line) return showLine(link);
    if (link.dataset.ply) return show(Number(link.dataset.ply));
    const steps = { back: -1, on: 1 };
    if (link.dataset.step in steps) return step(steps[link.dataset.step]);
    show({ first: 0, last }[link.dataset.step]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => show(0), End: () => show(last) }[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (event.code === "KeyF") flip();
  });
  let startX = null;
  svg.addEventListener("touchstart", (event) => (startX = event.changedTouches[0].clientX), { passive: true });
  svg.addEventListener("touchend", (event) => {
    const moved = event.changedTouches[0].clientX - startX;
    if (startX !== null && Math.abs(moved) > 40) step(moved < 0 ? 1 : -1);
    startX = null;
  });
  root.querySelector("button[data-flip]").hidden = false;
  const asked = root.querySelector(`a[data-line="${root.dataset.fromLine}"]`);
  if (asked) showLine(asked, { keep: false });
  else show(ply, { keep: false });
}
