/* Works a draw out again in the visitor's own browser (protocol draw/1). Nothing here asks the server for a result:
   the transcript is read once, everything else is arithmetic. Without scripts the page shows the same steps. */

const bytes = (text) => new TextEncoder().encode(text);
const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/* JSON with keys sorted by code point and no spaces, as the server hashes it. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const keys = Object.keys(value).sort(byCodePoint);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

function byCodePoint(one, other) {
  const a = Array.from(one, (letter) => letter.codePointAt(0));
  const b = Array.from(other, (letter) => letter.codePointAt(0));
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) if (a[at] !== b[at]) return a[at] - b[at];
  return a.length - b.length;
}

/* Browsers offer SHA-256 only on secure pages; a laptop in the hall may serve plain http, so the sum is here too. */
export async function sha256(data) {
  if (globalThis.crypto?.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return plainSha256(data);
}

const K = [];
const START = [];
for (let number = 2; K.length < 64; number += 1) {
  let prime = true;
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) prime = false;
  if (!prime) continue;
  if (START.length < 8) START.push(((number ** (1 / 2) % 1) * 2 ** 32) | 0);
  K.push(((number ** (1 / 3) % 1) * 2 ** 32) | 0);
}

export function plainSha256(data) {
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  const size = ((data.length + 9 + 63) >> 6) << 6;
  const padded = new Uint8Array(size);
  padded.set(data);
  padded[data.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(size - 8, Math.floor((data.length * 8) / 2 ** 32));
  view.setUint32(size - 4, (data.length * 8) >>> 0);
  const state = START.slice();
  const w = new Int32Array(64);
  for (let block = 0; block < size; block += 64) {
    for (let at = 0; at < 16; at += 1) w[at] = view.getInt32(block + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const a = w[at - 15];
      const b = w[at - 2];
      w[at] = w[at - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[at - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at += 1) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[at] + w[at]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) | 0; });
  }
  const sum = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => sum.setInt32(4 * at, word));
  return new Uint8Array(sum.buffer);
}

function join(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

/* The stream of unbiased choices: 64-bit words of SHA-256(seed, counter), words beyond the last full round rejected. */
function chance(seed) {
  let counter = 0;
  let words = [];
  async function next() {
    if (words.length === 0) {
      const number = new Uint8Array(4);
      new DataView(number.buffer).setUint32(0, counter);
      const block = new DataView((await sha256(join(seed, number))).buffer);
      words = [0, 8, 16, 24].map((at) => block.getBigUint64(at));
      counter += 1;
    }
    return words.shift();
  }
  return async function below(limit) {
    const all = 1n << 64n;
    const bound = all - (all % BigInt(limit));
    for (;;) {
      const word = await next();
      if (word < bound) return Number(word % BigInt(limit));
    }
  };
}

async function shuffled(items, below) {
  const order = items.slice();
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = await below(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/* Whether the public numbers are the one value the manifest names, alone; true where it names none. */
function fromSource(plan, entropy) {
  if (typeof plan?.source !== "string") return true;
  if (!Array.isArray(entropy) || entropy.length !== 1) return false;
  return Object.keys(entropy[0]).sort().join() === "number,who" && entropy[0].who === plan.source;
}

/* Returns every sum of a decided draw, and whether commitment, numbers and result are what they say. */
export async function recompute(transcript) {
  const { manifest, secret, entropy } = transcript;
  const list = hex(await sha256(bytes(canonical(manifest))));
  const commitment = hex(await sha256(bytes(`commit:${secret}:${list}`)));
  const seed = await sha256(bytes(`seed:${list}:${secret}:${canonical(entropy)}`));
  const below = chance(seed);
  let result;
  if (manifest.kind === "pick") result = (await shuffled(manifest.entrants, below)).slice(0, manifest.k);
  else if (manifest.kind === "pots") {
    result = [];
    for (const pot of manifest.pots) result.push(await shuffled(pot, below));
  } else result = manifest.entrants[await below(2)];
  return {
    list,
    commitment,
    seed: hex(seed),
    result,
    sourceHolds: fromSource(manifest.entropy, entropy),
    commitmentHolds: commitment === transcript.commitment,
    resultHolds: canonical(result) === canonical(transcript.result),
  };
}

function line(box, word, text) {
  const row = document.createElement("div");
  const name = document.createElement("dt");
  const value = document.createElement("dd");
  name.textContent = word;
  value.textContent = text;
  value.className = "copy";
  row.append(name, value);
  box.append(row);
}

async function check(box) {
  const words = box.dataset;
  const verdict = box.querySelector("[data-verdict]");
  const sums = box.querySelector("[data-sums]");
  sums.replaceChildren();
  try {
    const transcript = await (await fetch(words.transcript)).json();
    const found = await recompute(transcript);
    const honest = found.commitmentHolds && found.sourceHolds && found.resultHolds;
    line(sums, words.wordList, found.list);
    line(sums, words.wordCommitment, found.commitment);
    line(sums, words.wordSeed, found.seed);
    line(sums, words.wordResult, [found.result].flat(2).join(", "));
    sums.hidden = false;
    verdict.className = `state state-${honest ? "done" : "bad"}`;
    if (honest) verdict.textContent = words.wordHonest;
    else if (!found.commitmentHolds) verdict.textContent = words.wordCommitmentDiffers;
    else verdict.textContent = found.sourceHolds ? words.wordResultDiffers : words.wordEntropyDiffers;
    box.dataset.state = honest ? "honest" : "forged";
  } catch (error) {
    verdict.className = "state state-need";
    verdict.textContent = words.wordFailed;
    box.dataset.state = "failed";
  }
}

for (const box of document.querySelectorAll("[data-lot-check]")) {
  box.hidden = false;
  box.querySelector("button").addEventListener("click", () => check(box));
  check(box);
}

/* The code in the hall carries the commitment: whoever photographed it sees here whether it is still the same one. */
for (const box of document.querySelectorAll("[data-photo]")) {
  const photographed = /^#([0-9a-f]{64})$/.exec(location.hash)?.[1];
  if (!photographed) continue;
  const same = photographed === box.dataset.photo;
  box.className = `state state-${same ? "done" : "bad"}`;
  box.textContent = same ? box.dataset.wordSame : box.dataset.wordOther;
  box.hidden = false;
}
