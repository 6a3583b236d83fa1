// <div data-live="url" data-live-seconds="10" data-live-etag='"v12"'> is kept fresh, at the server's pace (ADR 22).
function renew(box, html) {
  const open = [...box.querySelectorAll("details[open][id]")];
  const places = [...box.querySelectorAll(".table-scroll, .drawing, .rounds")].map((part) => [part.id, part.scrollLeft, part.scrollTop]);
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  const byId = (id) => document.getElementById(id);
  box.innerHTML = html;
  for (const { id } of open) byId(id)?.setAttribute("open", "");
  for (const [id, left, top] of places) byId(id)?.scrollTo(left, top);
  byId(focused)?.focus({ preventScroll: true });
  box.dispatchEvent(new CustomEvent("live:updated", { bubbles: true }));
}

function start(box) {
  const seconds = Number(box.dataset.liveSeconds) || 10;
  const stamp = document.querySelector("[data-live-stamp]");
  let etag = box.dataset.liveEtag, heard = new Date(), failures = 0, pace = 1, timer, busy;

  const plan = (least = 0) => {
    if (stamp) {
      const stale = failures > 1;
      const time = heard.toLocaleTimeString(document.documentElement.lang, { timeStyle: "short", timeZone: stamp.dataset.zone || undefined });
      stamp.textContent = `${stale ? stamp.dataset.stale : stamp.dataset.fresh} ${time}`;
      stamp.classList.toggle("is-stale", stale);
      stamp.hidden = false;
    }
    clearTimeout(timer);
    timer = setTimeout(poll, Math.max(least, seconds * (failures ? 2 ** failures : pace)) * (900 + Math.random() * 200));
  };
  async function poll() {
    if (document.hidden || busy) return;
    busy = true;
    let least;
    try {
      const answer = await fetch(box.dataset.live, {
        headers: etag ? { "If-None-Match": etag } : {},
        signal: AbortSignal.timeout(15000),
      });
      least = Number(answer.headers.get("Retry-After")) || 0;
      pace = Number(answer.headers.get("Live-Pace")) || 1;
      if (answer.ok) {
        renew(box, await answer.text());
        etag = answer.headers.get("ETag");
      } else if (answer.status !== 304) {
        throw answer;
      }
      failures = 0;
      heard = new Date();
    } catch {
      failures = Math.min(failures + 1, 5);
    }
    busy = false;
    plan(least);
  }
  document.addEventListener("visibilitychange", poll);
  addEventListener("online", poll);
  plan();
}

document.querySelectorAll("[data-live]").forEach(start);
