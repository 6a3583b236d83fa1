/* Counts down to a moment. Without scripts the page shows the hour itself and the minutes left when it was made. */

function count(box) {
  if (box.dataset.counting) return;
  box.dataset.counting = "yes";
  const until = Date.parse(box.dataset.until);
  // The hall's laptop may have a wrong clock: what counts is the time that passes since the page was made.
  const left = Number(box.dataset.secondsLeft);
  const made = performance.now();
  const show = () => {
    const seconds = Math.ceil(Number.isFinite(left) ? left - (performance.now() - made) / 1000 : (until - Date.now()) / 1000);
    if (!box.isConnected) {
      clearInterval(timer);
      return;
    }
    if (seconds <= 0) {
      box.textContent = box.dataset.over;
      clearInterval(timer);
      return;
    }
    const days = Math.floor(seconds / 86400);
    const hours = Math.floor(seconds / 3600);
    const minutes = String(Math.floor(seconds / 60) % 60);
    const rest = String(seconds % 60).padStart(2, "0");
    if (days > 0) return; // the date beside it says more than so many hours
    box.textContent = hours ? `${hours}:${minutes.padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
  };
  const timer = setInterval(show, 500);
  show();
}

function start() {
  document.querySelectorAll("[data-until]").forEach(count);
}

document.addEventListener("live:updated", start);
start();
