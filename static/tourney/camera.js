// Read QR codes by the camera: with the browser's own reader where it has one, else with the library at `library`, which
// is loaded then only.

async function detectorOf(library) {
  const native = window.BarcodeDetector && (await BarcodeDetector.getSupportedFormats()).includes("qr_code");
  const Detector = native ? BarcodeDetector : (await import(library)).BarcodeDetector;
  return new Detector({ formats: ["qr_code"] });
}

// A page without a secure connection has no camera.
export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

// Show the camera in `video` and give `take` the text of every code, until it answers true or `open` answers false.
// Rejects where there is no camera or it may not be used. The camera is off when the promise is settled.
export async function readCamera(video, library, open, take) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  try {
    const detector = await detectorOf(library);
    video.srcObject = stream;
    video.hidden = false;
    await video.play();
    while (open()) {
      // No picture yet is no code.
      for (const code of await detector.detect(video).catch(() => [])) if (open() && await take(code.rawValue)) return;
      await new Promise((next) => { setTimeout(next, 150); });
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    video.hidden = true;
  }
}
