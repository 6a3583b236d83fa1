// The desk reads the code on an entrant's page by the camera, where there is one. Elsewhere the button stays hidden and
// one types the name, or the six signs under the code.
import { hasCamera, readCamera } from "../tourney/camera.js";

const button = document.querySelector("#scan");
const box = document.querySelector("#scan-box");
const input = document.querySelector("#desk-find");
const REFERENCE = /^[0-9A-Z]{6}$/;

function show(open) {
  box.hidden = !open;
  button.setAttribute("aria-expanded", String(open));
}

function found(text) {
  const reference = text.trim().toUpperCase();
  if (!REFERENCE.test(reference)) return false;
  input.value = reference;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  show(false);
  const row = document.querySelector("#desk-list > li:not([hidden])");
  if (row) {
    row.scrollIntoView({ block: "center" });
    row.querySelector("a, button, summary")?.focus();
  } else input.form.requestSubmit(); // not among the rows shown: ask the server for everybody
  return true;
}

async function start() {
  show(true);
  try {
    await readCamera(box.querySelector("video"), box.dataset.library, () => !box.hidden, found);
  } catch {
    show(false);
    button.hidden = true; // no camera, or it may not be used
    input.focus();
  }
}

if (button && hasCamera()) {
  button.hidden = false;
  button.addEventListener("click", () => (box.hidden ? start() : show(false)));
  document.addEventListener("keydown", (event) => event.key === "Escape" && show(false));
  addEventListener("pagehide", () => show(false));
}
