// The boards that are played now: polls what has moved and moves the pieces; a board more or less renews the page's list.
const SQUARE = 45;
const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SVG = "http://www.w3.org/2000/svg";

function part(kind, attributes) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function pieces(placement) {
  const found = [];
  placement.split("/").forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      if (letter >= "1" && letter <= "8") {
        file += Number(letter);
        continue;
      }
      const color = letter === letter.toUpperCase() ? "white" : "black";
      found.push(part("use", { href: `#${color}-${NAMES[letter.toLowerCase()]}`, x: file * SQUARE, y: row * SQUARE }));
      file += 1;
    }
  });
  return found;
}

function mark(square, look) {
  const x = (square.charCodeAt(0) - 97) * SQUARE;
  return part("rect", { class: look, x, y: (8 - Number(square[1])) * SQUARE, width: SQUARE, height: SQUARE });
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function show(board, now, startWords) {
  const key = now.p + now.s;
  if (board.dataset.shown !== key) {
    board.dataset.shown = key;
    const marks = now.s ? [mark(now.s.slice(0, 2), "bd-last"), mark(now.s.slice(2, 4), "bd-last")] : [];
    if (now.k) marks.push(mark(now.k, "bd-check"));
    board.querySelector(".bd-marks").replaceChildren(...marks);
    board.querySelector(".bd-pieces").replaceChildren(...pieces(now.p));
    board.querySelector("svg").setAttribute("aria-label", now.m || startWords);
  }
  say(board.querySelector("[data-move]"), now.m);
  say(board.querySelector("[data-result]"), now.r);
  for (const clock of board.querySelectorAll("[data-clock]")) say(clock, now.c[Number(clock.dataset.clock)] ?? "");
}

function follow(list) {
  const stale = document.querySelector("[data-stale]");
  const seconds = Number(list.dataset.seconds) || 2;
  const startWords = list.dataset.start;
  let etag = list.dataset.etag;
  let failures = 0;
  let pace = 1;
  let timer, busy;

  async function renew() {
    const answer = await fetch(location.href);
    if (!answer.ok) throw answer;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("live-boards");
    list.innerHTML = found?.innerHTML ?? "";
    etag = found?.dataset.etag;
  }

  async function poll() {
    if (document.hidden || busy) return;
    busy = true;
    try {
      const answer = await fetch(list.dataset.boards, {
        headers: etag ? { "If-None-Match": etag } : {},
        signal: AbortSignal.timeout(10000),
      });
      pace = Math.min(1.2, Math.max(1, Number(answer.headers.get("Live-Pace")) || 1));
      if (answer.ok) {
        const rows = await answer.json();
        const boards = new Map([...list.querySelectorAll("[data-board]")].map((one) => [one.dataset.board, one]));
        if (rows.length === boards.size && rows.every((row) => boards.has(String(row.id)))) {
          for (const row of rows) show(boards.get(String(row.id)), row, startWords);
          etag = answer.headers.get("ETag");
        } else {
          await renew();
        }
      } else if (answer.status !== 304) {
        throw answer;
      }
      failures = 0;
    } catch {
      failures = Math.min(failures + 1, 5);
    }
    stale.hidden = failures < 2;
    busy = false;
    clearTimeout(timer);
    timer = setTimeout(poll, seconds * (failures ? 2 ** failures : pace) * (850 + Math.random() * 300));
  }

  document.addEventListener("visibilitychange", poll);
  addEventListener("online", poll);
  timer = setTimeout(poll, seconds * 1000 * Math.random());
}

const list = document.getElementById("live-boards");
if (list) follow(list);
else setTimeout(() => document.hidden || location.reload(), 60000); // nobody plays yet
