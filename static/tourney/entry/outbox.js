// The outbox: entries are kept in IndexedDB until the server has answered each of them, whatever happens to the page.
// An entry: {id, address, fields, replaces: [ids], entered: ms, order, tried, stuck, state, words, label}; its state is
// "waiting", or "refused" when the server answered with words nobody has read yet.
const NAME = "tourney-entries";
const STORE = "outbox";
const LEASE = "tourney-entries-drain";

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const finished = (act) => new Promise((resolve, reject) => {
  act.oncomplete = resolve;
  act.onerror = act.onabort = () => reject(act.error);
});

function opened() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
  return done(request);
}

export class Outbox {
  // `safe` is false where the browser gives no place to keep entries (some private windows): they live in this page.
  static async open() {
    const box = new Outbox();
    try {
      box.db = await opened();
      box.safe = true;
    } catch {
      box.memory = new Map();
      box.safe = false;
    }
    return box;
  }

  // A browser may close the database behind a page that slept: then it is opened anew, and nothing tapped is lost.
  async begin(...how) {
    try {
      return this.db.transaction(STORE, ...how);
    } catch {
      this.db = await opened();
      return this.db.transaction(STORE, ...how);
    }
  }

  async all() {
    const found = this.db
      ? await done((await this.begin()).objectStore(STORE).getAll())
      : [...this.memory.values()];
    return found.sort((one, other) => one.entered - other.entered || one.order - other.order);
  }

  // One transaction: there is no moment at which neither the old entry nor the new one is kept.
  async change({ put = [], remove = [] }) {
    if (!this.db) {
      for (const id of remove) this.memory.delete(id);
      for (const entry of put) this.memory.set(entry.id, entry);
      return;
    }
    const act = await this.begin("readwrite", { durability: "strict" });
    for (const id of remove) act.objectStore(STORE).delete(id);
    for (const entry of put) act.objectStore(STORE).put(entry);
    await finished(act);
  }

  // Change an entry only if it is still there: it may have been replaced while it was on its way.
  async touch(id, changes) {
    if (!this.db) {
      if (this.memory.has(id)) this.memory.set(id, { ...this.memory.get(id), ...changes });
      return;
    }
    const act = await this.begin("readwrite");
    const entry = await done(act.objectStore(STORE).get(id));
    if (entry) act.objectStore(STORE).put({ ...entry, ...changes });
    await finished(act);
  }
}

// One drainer for all open pages: a Web Lock where there are locks, else a lease that runs out by itself.
export async function alone(act) {
  if (navigator.locks) return navigator.locks.request(NAME, { ifAvailable: true }, (lock) => (lock ? act() : undefined));
  const mine = `${Math.random()}`;
  const until = Number((localStorage.getItem(LEASE) ?? "0").split(" ")[0]);
  if (until > Date.now()) return undefined;
  localStorage.setItem(LEASE, `${Date.now() + 30000} ${mine}`);
  if (!localStorage.getItem(LEASE).endsWith(mine)) return undefined;
  try {
    return await act();
  } finally {
    localStorage.removeItem(LEASE);
  }
}

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID exists only where the page is secure
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const cookie = (name) => document.cookie.split("; ").find((part) => part.startsWith(`${name}=`))?.split("=")[1] ?? "";

// Send one entry. Returns {state, html, isClockWrong}, or {trouble: "alone" | "signed-out" | "trouble" | "stuck", words}.
export async function send(entry) {
  const body = new URLSearchParams(entry.fields);
  body.set("operation", entry.id);
  body.set("entered", entry.entered);
  body.set("sent", Date.now());
  if (entry.replaces.length) body.set("replaces", entry.replaces.join(" "));
  let answer, text;
  try {
    answer = await fetch(entry.address, {
      method: "POST",
      body,
      headers: { "HX-Request": "true", "X-CSRFToken": cookie("csrftoken") },
      redirect: "manual",
      signal: AbortSignal.timeout(15000),
    });
    text = await answer.text();
  } catch {
    return { trouble: "alone" };
  }
  const state = answer.headers.get("X-Entry");
  if (state) return { state, html: text, isClockWrong: answer.headers.has("X-Clock-Wrong") };
  if (answer.type === "opaqueredirect" || answer.status === 401) return { trouble: "signed-out" };
  if (answer.status >= 500 || answer.status === 429 || answer.status === 408) return { trouble: "trouble" };
  const page = new DOMParser().parseFromString(text, "text/html");
  return { trouble: "stuck", words: page.querySelector("main p")?.textContent.trim() ?? "" };
}
