// Stars: a click changes the list without leaving the page. Without this script the form goes the long way.
document.addEventListener("submit", async (event) => {
  const star = event.submitter;
  if (!star?.matches(".star, .follow-button")) return;
  event.preventDefault();
  const on = star.getAttribute("aria-pressed") !== "true";
  star.setAttribute("aria-pressed", String(on));
  const body = new URLSearchParams({ entry: star.value, wanted: on ? "on" : "off" });
  try {
    const answer = await fetch(event.target.action, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok) throw answer;
    const words = star.querySelector("[data-on]");
    if (words) words.textContent = on ? words.dataset.on : words.dataset.off;
  } catch {
    star.setAttribute("aria-pressed", String(!on)); // nothing was changed
  }
});
