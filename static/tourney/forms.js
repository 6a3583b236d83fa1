// Forms: sent once, and a changed form with data-guard asks before it is left. Works with htmx too.
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-guard]");
  if (form) form.dataset.changed = "yes";
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  delete form.dataset.changed;
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.target.closest?.("form");
  if (form && event.detail.successful) delete form.dataset.changed;
});
addEventListener("beforeunload", (event) => {
  if (document.querySelector("form[data-changed]")) event.preventDefault();
});
