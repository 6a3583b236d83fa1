// The desk reads the code on an entrant's page by the camera, where the browser can. Elsewhere the button stays hidden
// and one types the name, or the six signs under the code.
const button = document.querySelector("#scan");
const box = document.querySelector("#scan-box");
const input = document.querySelector("#desk-find");
const REFERENCE = /^[0-9A-Z]{6}$/;
let stream;

async function able() {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices?.getUserMedia) return false;
  return (await BarcodeDetector.getSupportedFormats()).includes("qr_code");
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = undefined;
  box.hidden = true;
  button.setAttribute("aria-expanded", "false");
}

function found(text) {
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  stop();
  const row = document.querySelector("#desk-list > li:not([hidden])");
  if (!row) return input.form.requestSubmit(); // not among the rows shown: ask the server for everybody
  row.scrollIntoView({ block: "center" });
  row.querySelector("a, button, summary")?.focus();
}

async function look(detector, video) {
  if (!stream) return;
  try {
    for (const code of await detector.detect(video)) {
      const text = code.rawValue.trim().toUpperCase();
      if (REFERENCE.test(text)) return found(text);
    }
  } catch {
    // the picture is not there yet
  }
  setTimeout(look, 150, detector, video);
}

async function start() {
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    button.hidden = true; // no camera, or it may not be used
    input.focus();
    return;
  }
  box.hidden = false;
  button.setAttribute("aria-expanded", "true");
  const video = box.querySelector("video");
  video.srcObject = stream;
  await video.play();
  look(new BarcodeDetector({ formats: ["qr_code"] }), video);
}

if (button && (await able())) {
  button.hidden = false;
  button.addEventListener("click", () => (stream ? stop() : start()));
  document.addEventListener("keydown", (event) => event.key === "Escape" && stream && stop());
  addEventListener("pagehide", stop);
}
