// <div data-live="url" data-live-seconds="10" data-live-etag='"v12"'>: keeps a fragment fresh by polling.
// Unchanged is a 304 without a body. Polls are spread out, slow down after errors and rest while the page is hidden.
const MAX_DELAY = 300;

function keepPlace(box, swap) {
  const open = new Set([...box.querySelectorAll("details[open][id]")].map((part) => part.id));
  const scrolled = [...box.querySelectorAll("[id]")].filter((part) => part.scrollLeft || part.scrollTop);
  const places = scrolled.map((part) => [part.id, part.scrollLeft, part.scrollTop]);
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  swap();
  const byId = (id) => id && document.getElementById(id);
  for (const id of open) byId(id)?.setAttribute("open", "");
  for (const [id, left, top] of places) byId(id)?.scrollTo(left, top);
  byId(focused)?.focus({ preventScroll: true });
}

function start(box) {
  const seconds = Number(box.dataset.liveSeconds) || 10;
  const stamp = document.querySelector("[data-live-stamp]");
  let etag = box.dataset.liveEtag ?? "";
  let failures = 0;
  let timer = 0;
  let busy = false;
  let heard = new Date();

  const tell = () => {
    if (!stamp) return;
    const stale = failures > 1;
    const time = heard.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    stamp.textContent = `${stale ? stamp.dataset.stale : stamp.dataset.fresh} ${time}`;
    stamp.classList.toggle("is-stale", stale);
    stamp.hidden = false;
  };
  const plan = (least = 0) => {
    clearTimeout(timer);
    const delay = Math.max(least, Math.min(seconds * 2 ** failures, Math.max(seconds, MAX_DELAY)));
    timer = setTimeout(poll, delay * 1000 * (0.8 + Math.random() * 0.4));
  };
  async function poll() {
    if (document.hidden || busy) return;
    busy = true;
    let least = 0;
    try {
      const answer = await fetch(box.dataset.live, {
        headers: etag ? { "If-None-Match": etag } : {},
        credentials: "same-origin",
        signal: AbortSignal.timeout(15000),
      });
      least = Number(answer.headers.get("Retry-After")) || 0;
      if (answer.status === 200) {
        const html = await answer.text();
        etag = answer.headers.get("ETag") ?? "";
        keepPlace(box, () => (box.innerHTML = html));
        box.dispatchEvent(new CustomEvent("live:updated", { bubbles: true }));
      } else if (answer.status !== 304) {
        throw new Error(String(answer.status));
      }
      failures = 0;
      heard = new Date();
    } catch {
      failures = Math.min(failures + 1, 6); // offline or a tired server: ask less often and say so
    }
    busy = false;
    tell();
    plan(least);
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : poll()));
  addEventListener("online", poll);
  tell();
  plan();
}

document.querySelectorAll("[data-live]").forEach(start);
