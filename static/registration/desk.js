// The desk by a hand scanner and by keys: what is typed while nothing is being filled in goes to the search, and Enter
// goes to the only row that is left instead of sending the form. A scanner types the six signs of a code and Enter.
const input = document.querySelector("#desk-find");

function toRow(row) {
  row.scrollIntoView({ block: "center" });
  (row.querySelector(".here-button[aria-pressed=false]") ?? row.querySelector("summary, button, a"))?.focus();
}

input?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  const rows = document.querySelectorAll("#desk-list > li:not([hidden])");
  if (rows.length !== 1 || !input.value.trim()) return; // several, or nobody among those shown: ask the server
  event.preventDefault();
  toRow(rows[0]);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !/^[\p{L}\p{N}]$/u.test(event.key)) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
  input.value = ""; // the sign itself lands in the field, which has the focus now
  input.focus();
});
