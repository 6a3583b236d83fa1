// Result entry at the desk and on a tablet. A tap or a key is kept first and sent then, so a dead network stops nobody.
// Without scripts every button is a plain form; what the rows say is always the server's own markup.
import { Outbox, newId } from "../../tourney/entry/outbox.js";
import { Sender, waiting } from "../../tourney/entry/sending.js";
import { draw } from "../../tourney/entry/bar.js";
import { announce } from "../../tourney/entry/saying.js";
import { ask, leave } from "../../tourney/entry/asking.js";
import { passOn } from "../../tourney/entry/passing.js";
import { listen } from "./keys.js";
import { Verify } from "./verify.js";

const page = document.querySelector("[data-entry-page]");
const address = page.dataset.entryPage;
const list = document.getElementById("entry-list");
const bar = document.getElementById("outbox");
const filters = document.getElementById("entry-filters");
const empty = document.getElementById("entry-empty");

const rows = () => [...list.querySelectorAll(".is-entry")];
const rowOf = (game) => list.querySelector(`.is-entry[data-game="${Number(game)}"]`);
const visible = () => rows().filter((row) => !row.hidden);
const parsed = (html) => new DOMParser().parseFromString(html, "text/html").body;

const ready = Outbox.open(); // keys and taps may come first: they wait for it
let box;
ready.then((opened) => { box = opened; });
let lastRow = null;
let byKeys = false;
let etag = "";
let answers = 0; // how many entries were answered so far
const answered = new WeakMap(); // row of an answer → which one it was

// -- what is waiting -----------------------------------------------------------------------------------------------

function textOf(row, outcome) {
  if (!outcome) return bar.dataset.noResult;
  return row?.querySelector(`.res[value="${outcome}"]`)?.textContent ?? outcome;
}

function press(row, outcome) {
  for (const button of row.querySelectorAll(".entry-pad .res"))
    button.setAttribute("aria-pressed", String(!verify.active && button.value !== "" && button.value === outcome));
}

function overlay(row, entry) {
  row.dataset.pending = entry.fields.outcome;
  row.classList.remove("is-new");
  row.classList.add("is-waiting");
  press(row, entry.fields.outcome);
  if (row.querySelector(".not-sent")) return;
  const badge = Object.assign(document.createElement("span"), { className: "state state-need not-sent", textContent: bar.dataset.kept });
  row.querySelector("[role=status]").prepend(badge);
}

function bare(row) {
  if (row.dataset.pending === undefined) return;
  delete row.dataset.pending;
  row.classList.remove("is-waiting");
  row.querySelector(".not-sent")?.remove();
  press(row, row.dataset.result);
}

async function show() {
  const entries = await box.all();
  const open = waiting(entries);
  const byGame = new Map(open.map((entry) => [entry.fields.game, entry]));
  for (const row of rows()) {
    const entry = byGame.get(row.dataset.game);
    if (entry) overlay(row, entry);
    else bare(row);
  }
  await draw(bar, { box, sender, handOver: page.querySelector("[data-hand-over]"), again: show });
  offer();
  count();
}

// -- filters -------------------------------------------------------------------------------------------------------

const FILTERS = {
  conflict: (row) => row.classList.contains("is-conflict"),
  missing: (row) => row.classList.contains("is-open") && !row.dataset.pending,
  changed: (row) => row.classList.contains("is-changed"),
  all: () => true,
};

function count() {
  for (const chip of filters.querySelectorAll("[data-show]")) {
    const number = rows().filter(FILTERS[chip.dataset.show]).length;
    chip.querySelector("b").textContent = number;
    chip.classList.toggle("chip-need", chip.dataset.show === "missing" && number > 0);
    chip.classList.toggle("chip-bad", chip.dataset.show === "conflict" && number > 0);
  }
  empty.hidden = visible().length > 0;
}

function filter(which) {
  for (const chip of filters.querySelectorAll("[data-show]")) {
    if (chip.dataset.show === which) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
  for (const row of rows()) row.hidden = !(FILTERS[which](row) || FILTERS.conflict(row));
  for (const head of list.querySelectorAll(".h-block"))
    head.hidden = !head.nextElementSibling.querySelector(".is-entry:not([hidden])");
  count();
}

filters.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-show]");
  if (!chip) return;
  event.preventDefault();
  history.replaceState(null, "", chip.getAttribute("href"));
  filter(chip.dataset.show);
});

// -- entering ------------------------------------------------------------------------------------------------------

const verify = new Verify({ page, list, visible, after: moveOn, report: verified });

// What a second person has typed goes the way of every entry, so that it reaches the log after a time without a network.
async function verified(typed) {
  await ready;
  const fields = { act: "verified", games: typed.map((one) => one.game).join(" "), differed: typed.filter((one) => one.differed).map((one) => one.game).join(" ") };
  await box.change({ put: [made(fields, bar.dataset.verified)] });
  return drain();
}

const made = (fields, label, replaces = []) => ({
  id: newId(), address, fields, replaces, label, entered: Date.now(), order: performance.now(), tried: 0, stuck: false, state: "waiting", words: "",
});

function moveOn(row) {
  const all = visible();
  const after = [...all.slice(all.indexOf(row) + 1), ...all.slice(0, all.indexOf(row))];
  const wanted = verify.active ? (one) => verify.wants(one) : FILTERS.missing;
  const next = after.find(wanted) ?? all[all.indexOf(row) + 1];
  if (next) focus(next);
}

function focus(row) {
  (row.querySelector("input[autofocus]") ?? row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

async function enter(row, fields) {
  lastRow = row;
  await ready;
  if (verify.active) return verify.compare(row, fields.outcome);
  const known = row.dataset.result;
  const earlier = waiting(await box.all()).find((entry) => entry.fields.game === fields.game);
  if (fields.outcome === (earlier ? earlier.fields.outcome : known) && !fields.moves) return byKeys && moveOn(row);
  const question = { row, fields, address, textOf };
  if (row.classList.contains("is-players") && !(fields.white_agrees && fields.black_agrees)) return ask("agree", question);
  if (known && fields.outcome !== known && !fields.reason) return ask("question", question);
  if (earlier && !earlier.tried && fields.outcome === known) {
    await box.change({ remove: [earlier.id] });
    return show();
  }
  const replaces = earlier ? [...earlier.replaces, ...(earlier.tried ? [earlier.id] : [])] : [];
  const entry = made(fields, `${row.dataset.board} ${textOf(row, fields.outcome)}`, replaces);
  await box.change({ put: [entry], remove: earlier ? [earlier.id] : [] });
  navigator.storage?.persist?.();
  leave(row);
  await show();
  if (byKeys) moveOn(rowOf(fields.game) ?? row); // a list that came meanwhile may have replaced it
  return drain();
}

list.addEventListener("click", (event) => {
  const row = event.target.closest(".is-entry");
  if (!row) return;
  if (event.detail > 0 && event.target.closest(".res")) byKeys = false; // a finger or a mouse, no key
  if (event.target.closest("[data-leave]")) {
    event.preventDefault();
    back(row);
  }
});

// Leave a question: one asked here is taken away, one in the server's markup gives way to the row as it was.
function back(row) {
  if (!leave(row)) refresh({ only: row });
  row.focus({ preventScroll: true });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const row = form.closest(".is-entry");
  if (!row || form.dataset.entry === undefined) return;
  event.preventDefault();
  const { csrfmiddlewaretoken, operation, ...fields } = Object.fromEntries(new FormData(form, event.submitter));
  enter(row, fields);
}, true);

// -- sending -------------------------------------------------------------------------------------------------------

const sender = new Sender({ ready, settle, show, refresh, unclear: bar.dataset.trouble });
const drain = () => sender.drain();
const offer = passOn({ page, bar, ready, kind: "game", show, drain });

async function settle(entry, { state, html }) {
  const said = parsed(html);
  const row = rowOf(entry.fields.game);
  const fresh = said.querySelector(".is-entry");
  const isKept = (await box.all()).some((one) => one.id === entry.id);
  if (fresh && row) {
    if (isKept) await box.change({ remove: [entry.id] });
    answered.set(fresh, ++answers);
    const now = rowOf(entry.fields.game); // a list that came meanwhile may have put another row in its place
    if (now) replace(now, fresh);
    announce(fresh);
  } else if (isKept && (state === "applied" || state === "same")) await box.change({ remove: [entry.id] });
  else if (isKept) await box.touch(entry.id, { state: "refused", words: said.textContent.trim() || bar.dataset.trouble });
}

function replace(row, fresh) {
  const isHere = row.contains(document.activeElement);
  const isLast = lastRow === row;
  fresh.hidden = row.hidden;
  row.replaceWith(document.adoptNode(fresh));
  if (isLast) lastRow = fresh;
  const asks = fresh.querySelector("input[autofocus]") ?? (byKeys && isLast ? fresh.querySelector(".moves input") : null);
  if (asks) {
    asks.focus({ preventScroll: true });
    fresh.scrollIntoView({ block: "nearest" });
  } else if (isHere) fresh.focus({ preventScroll: true });
}

// -- what others have entered --------------------------------------------------------------------------------------

// A row somebody is answering a question in is left alone.
const isBusy = (row) => row.querySelector(".correction, .agree-both") !== null || (row.contains(document.activeElement) && document.activeElement.matches("input"));
const byGame = (one, other) => Number(one.dataset.game) - Number(other.dataset.game);
const games = (some) => [...some].sort(byGame).map((row) => row.dataset.game).join();
const marks = ["is-open", "is-changed", "is-conflict", "is-players"];
const look = (row) => [row.dataset.version, row.dataset.result, ...marks.map((mark) => row.classList.contains(mark)), row.querySelector("form") !== null, row.querySelector(".claims")?.textContent].join("|");

async function refresh({ only = null } = {}) {
  if (!only && (document.hidden || verify.active)) return;
  const before = answers;
  // The list may have been read before an entry that was answered while it was on its way: the answer stands.
  const isOlderThan = (row) => (answered.get(row) ?? 0) > before;
  let answer, html;
  try {
    answer = await fetch(address, {
      headers: { "HX-Request": "true", ...(etag && !only ? { "If-None-Match": etag } : {}) },
      redirect: "manual",
      signal: AbortSignal.timeout(15000),
    });
    html = await answer.text();
  } catch {
    return;
  }
  if (answer.status === 409 || (answer.ok && (answer.headers.get("X-Closed") === "1") !== (page.dataset.closed !== undefined))) {
    const worker = navigator.serviceWorker?.controller;
    if (worker) await told(worker, { forget: address });
    if (!rows().some(isBusy)) location.reload();
    return;
  }
  if (!answer.ok && answer.status !== 304) return;
  stamp();
  if (answer.status === 304) return;
  etag = (answers === before && answer.headers.get("ETag")) || ""; // what is passed over is asked for again
  const body = parsed(html);
  const fresh = [...body.querySelectorAll(".is-entry")];
  if (games(rows()) !== games(fresh)) {
    if (rows().some((row) => isBusy(row) || isOlderThan(row))) return;
    list.replaceChildren(...body.childNodes);
    filter(filters.querySelector("[aria-current]")?.dataset.show ?? "all");
  } else {
    for (const one of fresh) {
      const row = rowOf(one.dataset.game);
      if (row !== only && (isBusy(row) || isOlderThan(row) || look(row) === look(one))) continue;
      const isNews = one.classList.contains("is-conflict") && !row.classList.contains("is-conflict");
      replace(row, one);
      if (isNews) one.hidden = false;
    }
  }
  await show();
}

const told = (worker, message) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = resolve;
  setTimeout(resolve, 1000);
  worker.postMessage(message, [port2]);
});

function stamp() {
  const time = document.getElementById("entry-stamp");
  if (time) time.textContent = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
}

// -- the beginning -------------------------------------------------------------------------------------------------

for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;
listen({ page, list, visible, focus, back, moveOn, lastRow: () => lastRow, keyed: () => { byKeys = true; } });
sender.listen();
addEventListener("beforeunload", (event) => {
  if (box?.memory?.size) event.preventDefault();
});
await ready;
if (page.dataset.worker && navigator.serviceWorker) navigator.serviceWorker.register(page.dataset.worker).catch(() => {});
await sender.begin();
page.dataset.ready = "yes";
await drain();
refresh();
