// The entry form: asks the server for the fee and the place while one fills in. Without it the next page says the same.
const form = document.querySelector("form[data-fee-url]");
const box = document.querySelector("#fee-box");
let waiting;
let asked = 0;

async function ask() {
  const number = ++asked;
  try {
    const answer = await fetch(form.dataset.feeUrl, { method: "POST", body: new FormData(form) });
    if (answer.status !== 200 || number !== asked) return;
    box.innerHTML = await answer.text(); // our own server's fragment, escaped there
  } catch {
    // no connection: the check page will tell
  }
}

form?.addEventListener("change", () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, 150);
});
document.querySelector("#errors")?.focus();
