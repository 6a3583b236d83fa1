// A key that says no, or a person who closes its window: a sentence on the page instead of a line in the console.
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("key_problem").hidden = false;
});
