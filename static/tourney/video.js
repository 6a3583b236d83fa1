// A video of another site: its player is asked for only when the visitor presses the button.
for (const video of document.querySelectorAll("[data-video]")) {
  const start = video.querySelector("[data-video-start]");
  const note = video.querySelector("[data-video-note]");
  const box = video.querySelector("[data-video-box]");
  start.hidden = note.hidden = false;
  start.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = `${video.dataset.video}${video.dataset.video.includes("?") ? "&" : "?"}autoplay=1`;
    frame.title = box.dataset.title;
    frame.allow = "autoplay; encrypted-media; picture-in-picture; fullscreen";
    frame.allowFullscreen = true;
    frame.referrerPolicy = "strict-origin-when-cross-origin"; // the player refuses pages it knows nothing of
    box.append(frame);
    box.hidden = false;
    start.hidden = note.hidden = true;
    frame.focus();
  });
}
