// Matches on a tablet, game by game. A tap is kept first and sent then; while there is no network the row asks on by the
// tree of questions the server sent along, as far as it goes.
import { Outbox, newId } from "../tourney/entry/outbox.js";
import { Sender, waiting } from "../tourney/entry/sending.js";
import { draw } from "../tourney/entry/bar.js";
import { announce } from "../tourney/entry/saying.js";
import { ask, leave } from "../tourney/entry/asking.js";
import { passOn } from "../tourney/entry/passing.js";

const page = document.querySelector("[data-entry-page]");
const address = page.dataset.entryPage;
const list = document.getElementById("entry-list");
const bar = document.getElementById("outbox");

const rows = () => [...list.querySelectorAll(".is-entry")];
const keyOf = (fields) => `${fields.stage}:${fields.match}`;
const rowOf = (key) => rows().find((row) => row.dataset.key === key);
const parsed = (html) => new DOMParser().parseFromString(html, "text/html").body;
const say = (words, values) => Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), words);

const ready = Outbox.open();
let box;
ready.then((opened) => { box = opened; });
let etag = "";
let answers = 0;
const answered = new WeakMap();
const plain = new Map(); // key of a row → its question as the server wrote it

// -- what is waiting -----------------------------------------------------------------------------------------------

async function show() {
  const open = waiting(await box.all()).filter((entry) => entry.fields.match);
  for (const row of rows()) {
    const mine = open.filter((entry) => keyOf(entry.fields) === row.dataset.key);
    if (mine.length) overlay(row, mine);
    else bare(row);
  }
  await draw(bar, { box, sender, handOver: page.querySelector("[data-hand-over]"), again: show });
  offer();
}

const treeOf = (row) => JSON.parse(row.dataset.ahead || "{}");

// The question after the entries this device holds: they stand in the tree one after the other.
function nextOf(row, entries) {
  let node = treeOf(row);
  for (const { fields } of entries) {
    if (node.kind !== fields.act || node.number !== Number(fields.number)) continue; // the server has it already
    node = node.then?.[fields.answer];
    if (!node) return null;
  }
  return node;
}

function overlay(row, entries) {
  const place = row.querySelector(".board-r");
  if (row.dataset.pending === entries.map((one) => one.id).join()) return;
  if (row.dataset.pending === undefined) plain.set(row, [...place.childNodes]);
  row.dataset.pending = entries.map((one) => one.id).join();
  row.classList.remove("is-new", "is-asking");
  row.classList.add("is-waiting");
  const kept = Object.assign(document.createElement("p"), { className: "match-pending" });
  kept.append(
    Object.assign(document.createElement("span"), { className: "state state-need not-sent", textContent: bar.dataset.kept }),
    Object.assign(document.createElement("b"), { textContent: entries.map((one) => one.said).join(" · ") }),
  );
  const node = nextOf(row, entries);
  place.replaceChildren(kept, node ? question(row, node) : words(bar.dataset.further));
}

function bare(row) {
  if (row.dataset.pending === undefined) return;
  delete row.dataset.pending;
  row.classList.remove("is-waiting");
  row.querySelector(".board-r").replaceChildren(...(plain.get(row) ?? []));
  plain.delete(row);
}

const words = (text) => Object.assign(document.createElement("p"), { className: "m-0", textContent: text });
const nameOf = (row, side) => row.dataset[side === "a" ? "nameA" : "nameB"];

function question(row, node) {
  if (node.kind === undefined) return words(bar.dataset.over);
  if (!["game", "color", "lot"].includes(node.kind)) return words(bar.dataset.further);
  const form = document.getElementById(node.kind === "game" ? "ask-game" : "ask-two").content.firstElementChild.cloneNode(true);
  form.action = address;
  const fields = { act: node.kind, stage: row.dataset.stage, match: row.dataset.match, number: node.number, a: row.dataset.a, b: row.dataset.b };
  if (node.kind === "lot") fields.method = bar.dataset.byHand;
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  const text = asked(row, node);
  form.querySelector(".ask").textContent = text;
  form.querySelector("[role=group]").setAttribute("aria-label", text);
  if (node.kind !== "game") {
    const choices = node.kind === "color" ? [["w", `○ ${bar.dataset.white}`], ["b", `● ${bar.dataset.black}`]] : ["a", "b"].map((side) => [side, nameOf(row, side)]);
    [...form.querySelectorAll("button")].forEach((button, index) => {
      [button.value, button.textContent] = choices[index];
    });
  }
  return form;
}

function asked(row, node) {
  if (node.kind === "color") return say(bar.dataset.chooses, { name: nameOf(row, node.by) });
  if (node.kind === "lot") return node.gives === "white" ? bar.dataset.lotWhite : bar.dataset.lotChooser;
  const parts = [say(bar.dataset.game, { n: node.number }), node.clock, node.armageddon ? bar.dataset.armageddon : "", `○ ${nameOf(row, node.white)} – ● ${nameOf(row, node.black)}`];
  return parts.filter(Boolean).join(" · ");
}

// -- entering ------------------------------------------------------------------------------------------------------

const textOf = (row, answer) => row?.querySelector(`.res[value="${answer}"]`)?.textContent.trim() ?? answer;

async function enter(row, fields) {
  await ready;
  const isForBoth = row.classList.contains("is-players") && fields.act === "game" && !(fields.white_agrees && fields.black_agrees);
  if (isForBoth) {
    ask("agree", { row, fields: { ...fields, outcome: fields.answer }, address, textOf });
    return;
  }
  delete fields.outcome;
  const words = fields.act === "game" ? `${say(bar.dataset.game, { n: fields.number })} ${textOf(row, fields.answer)}` : textOf(row, fields.answer);
  const entry = {
    id: newId(), address, fields, replaces: [], entered: Date.now(), order: performance.now(), tried: 0, stuck: false, state: "waiting", words: "",
    label: `${row.dataset.board}: ${words}`, said: words,
  };
  leave(row);
  await box.change({ put: [entry] });
  navigator.storage?.persist?.();
  await show();
  rowOf(keyOf(fields))?.focus({ preventScroll: true });
  sender.drain();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const row = form.closest(".is-entry");
  if (form.dataset.online !== undefined && !navigator.onLine) {
    event.preventDefault(); // taking back needs the server: what was built on the entry is known there only
    bar.append(words(bar.dataset.alone));
    bar.hidden = false;
  }
  if (!row || form.dataset.entry === undefined) return;
  event.preventDefault();
  const { csrfmiddlewaretoken, operation, ...fields } = Object.fromEntries(new FormData(form, event.submitter));
  if (fields.act === "lot" && fields.answer && !fields.method) {
    form.querySelector("[name=method]")?.focus();
    return;
  }
  enter(row, fields);
}, true);

list.addEventListener("click", (event) => {
  if (!event.target.closest("[data-leave]")) return;
  event.preventDefault();
  const row = event.target.closest(".is-entry");
  leave(row);
  row.focus({ preventScroll: true });
});

// The place of a key counts, so that a Cyrillic layout and the numpad work.
const KEYS = { Digit1: "1-0", Numpad1: "1-0", Digit5: "1/2", Numpad5: "1/2", Equal: "1/2", Digit0: "0-1", Numpad0: "0-1", KeyW: "w", KeyB: "b" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const all = rows();
  const row = document.activeElement?.closest?.(".is-entry") ?? null;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const next = row ? all[all.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)] : all[0];
    event.preventDefault();
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
    return;
  }
  if (event.key === "Escape" && row) {
    leave(row);
    return;
  }
  const answer = KEYS[event.code];
  const button = answer && row?.querySelector(`.ask-form .res[value="${answer}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// -- sending -------------------------------------------------------------------------------------------------------

const sender = new Sender({ ready, settle, show, refresh, unclear: bar.dataset.trouble });
const offer = passOn({ page, bar, ready, kind: "match", show, drain: () => sender.drain() });

async function settle(entry, { state, html }) {
  const said = parsed(html);
  const fresh = said.querySelector(".is-entry");
  const row = entry.fields.match ? rowOf(keyOf(entry.fields)) : null;
  const isDone = state === "applied" || state === "same" || state === "conflict";
  if (isDone || (fresh && row)) await box.change({ remove: [entry.id] });
  else await box.touch(entry.id, { state: "refused", words: said.textContent.trim() || bar.dataset.trouble });
  if (!fresh || !row) return;
  answered.set(fresh, ++answers);
  replace(row, fresh);
  announce(fresh);
}

function replace(row, fresh) {
  const isHere = row.contains(document.activeElement);
  plain.delete(row);
  row.replaceWith(document.adoptNode(fresh));
  if (isHere) fresh.focus({ preventScroll: true });
}

// -- what others have entered --------------------------------------------------------------------------------------

const isBusy = (row) => row.querySelector(".agree-both") !== null || (row.contains(document.activeElement) && document.activeElement.matches("input"));
const keys = (some) => [...some].map((row) => row.dataset.key).sort().join();
const look = (row) => [row.dataset.ahead, row.dataset.board, row.className.replace(/ ?is-(waiting|new|asking)/g, ""), row.querySelector(".match-score").textContent].join("|");

async function refresh() {
  if (document.hidden) return;
  const before = answers;
  let answer, html;
  try {
    answer = await fetch(address, { headers: { "HX-Request": "true", ...(etag ? { "If-None-Match": etag } : {}) }, redirect: "manual", signal: AbortSignal.timeout(15000) });
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
  const time = document.getElementById("entry-stamp");
  if (time) time.textContent = new Date().toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
  if (answer.status === 304) return;
  etag = (answers === before && answer.headers.get("ETag")) || "";
  // The list may have been read before an entry that was answered while it was on its way: the answer stands.
  const isOlderThan = (row) => (answered.get(row) ?? 0) > before;
  const body = parsed(html);
  const fresh = [...body.querySelectorAll(".is-entry")];
  if (keys(rows()) !== keys(fresh)) {
    if (rows().some((row) => isBusy(row) || isOlderThan(row))) return;
    const focused = document.activeElement?.closest?.(".is-entry")?.dataset.key;
    plain.clear();
    list.replaceChildren(...body.childNodes);
    if (focused) rowOf(focused)?.focus({ preventScroll: true });
  } else {
    for (const one of fresh) {
      const row = rowOf(one.dataset.key);
      if (!isBusy(row) && !isOlderThan(row) && look(row) !== look(one)) replace(row, one);
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

// -- the beginning -------------------------------------------------------------------------------------------------

for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;
addEventListener("beforeunload", (event) => {
  if (box?.memory?.size) event.preventDefault();
});
await ready;
sender.listen();
if (page.dataset.worker && navigator.serviceWorker) navigator.serviceWorker.register(page.dataset.worker).catch(() => {});
await sender.begin();
page.dataset.ready = "yes";
await sender.drain();
refresh();
