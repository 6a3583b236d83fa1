// Entries of a tablet that will never be online again, as QR codes: one screen shows them, another device reads them.
// A code says "TOURNEY1 <which set> <part>/<parts> <text>"; the parts together are the packed content of the file that
// handover.js writes. The library that draws comes with the page, for there is no network when it is needed.
import { hasCamera, readCamera } from "../camera.js";

const HEAD = /^TOURNEY1 ([0-9a-z]{6}) (\d{1,3})\/(\d{1,3}) ([\w-]+)$/;
const PART = 480; // characters of a code: a phone reads it from a tablet at arm's length
const TURN = 2500;

const streamed = async (bytes, way) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(way)).arrayBuffer());
const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

export async function packed(content) {
  const bytes = await streamed(new TextEncoder().encode(content), new CompressionStream("deflate-raw"));
  const text = toText(bytes);
  const parts = text.match(new RegExp(`.{1,${PART}}`, "g"));
  const set = Math.random().toString(36).slice(2, 8).padEnd(6, "0");
  return parts.map((part, index) => `TOURNEY1 ${set} ${index + 1}/${parts.length} ${part}`);
}

// Gathers codes in any order, as often as they are seen. `add` answers {got, all}, with `content` when all are there.
export class Gathering {
  constructor() {
    this.sets = new Map();
  }

  async add(line) {
    const found = HEAD.exec(line.trim());
    if (!found) return null;
    const [, set, part, all, text] = found;
    const parts = this.sets.get(`${set}/${all}`) ?? new Map();
    this.sets.set(`${set}/${all}`, parts.set(Number(part), text));
    const said = { got: parts.size, all: Number(all) };
    if (said.got < said.all) return said;
    try {
      const whole = Array.from({ length: said.all }, (_, index) => parts.get(index + 1)).join("");
      return { ...said, content: new TextDecoder().decode(await streamed(toBytes(whole), new DecompressionStream("deflate-raw"))) };
    } catch {
      this.sets.clear(); // parts that do not belong together: from the beginning
      return { got: 0, all: said.all };
    }
  }
}

function paint(canvas, rows) {
  canvas.width = canvas.height = rows.length;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff"; // black on white in every theme: readers want it
  pen.fillRect(0, 0, rows.length, rows.length);
  pen.fillStyle = "#000";
  rows.forEach((row, y) => row.forEach((dark, x) => dark && pen.fillRect(x, y, 1, 1)));
}

// Show codes one after the other in a dialog; they turn by themselves until somebody turns them by hand.
export async function showCodes(dialog, content, encode) {
  const codes = await packed(content);
  const canvas = dialog.querySelector("canvas");
  const words = dialog.querySelector("[data-which]");
  let index = 0;
  const show = (step) => {
    index = (index + step + codes.length) % codes.length;
    paint(canvas, encode(codes[index], "raw", { ecc: "low", border: 4 }));
    words.textContent = words.dataset.which.replace("{n}", index + 1).replace("{all}", codes.length);
    canvas.dataset.code = codes[index];
  };
  const timer = setInterval(() => show(1), TURN);
  if (codes.length === 1 || matchMedia("(prefers-reduced-motion: reduce)").matches) clearInterval(timer);
  const turn = (event) => {
    const step = Number(event.target.closest("[data-turn]")?.dataset.turn);
    if (!step) return;
    clearInterval(timer);
    show(step);
  };
  for (const button of dialog.querySelectorAll("[data-turn]")) button.hidden = codes.length === 1;
  dialog.addEventListener("click", turn);
  dialog.addEventListener("close", () => {
    clearInterval(timer);
    dialog.removeEventListener("click", turn);
  }, { once: true });
  show(0);
  dialog.showModal();
}

// -- reading -------------------------------------------------------------------------------------------------------

// Read codes by camera, or from text typed, pasted or scanned into a field; `done` gets the whole content once.
export async function readCodes(dialog, library, done) {
  const gathering = new Gathering();
  const words = dialog.querySelector("[data-read]");
  const field = dialog.querySelector("textarea");
  const video = dialog.querySelector("video");
  const take = async (text) => {
    for (const line of text.split(/\r?\n/)) {
      const said = await gathering.add(line);
      if (!said) continue;
      words.textContent = words.dataset.read.replace("{n}", said.got).replace("{all}", said.all);
      if (said.content === undefined) continue;
      dialog.close();
      done(said.content);
      return true;
    }
    return false;
  };
  const typed = () => take(field.value);
  field.value = words.textContent = "";
  field.addEventListener("input", typed);
  dialog.addEventListener("close", () => field.removeEventListener("input", typed), { once: true });
  dialog.showModal();
  video.hidden = true;
  if (!hasCamera()) return;
  try {
    await readCamera(video, library, () => dialog.open, take);
  } catch {
    // no camera, or it may not be used: the field is there
  }
}
