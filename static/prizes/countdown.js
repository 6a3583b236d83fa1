/* Counts down to a moment. Without scripts the page shows the hour itself and the minutes left when it was made. */

for (const box of document.querySelectorAll("[data-until]")) {
  const until = Date.parse(box.dataset.until);
  // The hall's laptop may have a wrong clock: what counts is the time that passes since the page was made.
  const left = Number(box.dataset.secondsLeft);
  const made = performance.now();
  const show = () => {
    const seconds = Math.ceil(Number.isFinite(left) ? left - (performance.now() - made) / 1000 : (until - Date.now()) / 1000);
    if (seconds <= 0) {
      box.textContent = box.dataset.over;
      clearInterval(timer);
      return;
    }
    box.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  const timer = setInterval(show, 500);
  show();
}
