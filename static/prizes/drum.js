/* The drum in the hall: it turns for a moment, then the drawn balls leave it in their order. The drawing the server sent
   is the last picture of the film: the result is computed before anything moves, and nothing here chooses. Who asked
   for less motion sees the last picture at once. */

const TURNS = 2200; // milliseconds
const EACH = 900;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export function play(box) {
  const drawing = box.querySelector("svg");
  const drawn = [...box.querySelectorAll(".dr-drawn")];
  if (!drawing || drawn.length === 0 || STILL.matches) return 0;
  const balls = drawing.querySelector(".dr-balls");
  balls.style.transformOrigin = "130px 130px";
  balls.animate(
    [{ transform: "rotate(0deg)" }, { transform: "rotate(720deg)" }],
    { duration: TURNS, easing: "cubic-bezier(.3, 0, .3, 1)" },
  );
  const each = Math.min(EACH, 6000 / drawn.length);
  drawn.forEach((ball, place) => {
    const circle = ball.querySelector("circle");
    const x = 130 - Number(circle.getAttribute("cx"));
    const y = 130 - Number(circle.getAttribute("cy"));
    ball.animate(
      [
        { transform: `translate(${x}px, ${y}px)`, opacity: 0 },
        { transform: `translate(${x}px, ${y}px)`, opacity: 1, offset: 0.2 },
        { transform: "none", opacity: 1 },
      ],
      { delay: TURNS + place * each, duration: each, easing: "ease-in-out", fill: "backwards" },
    );
  });
  const end = TURNS + drawn.length * each;
  for (const part of document.querySelectorAll("[data-after-drum]")) {
    part.animate([{ opacity: 0 }, { opacity: 0, offset: 0.95 }, { opacity: 1 }], { duration: end, fill: "backwards" });
  }
  return end;
}

function start() {
  for (const box of document.querySelectorAll("[data-drum]")) {
    if (box.dataset.drum === "done") {
      box.dataset.drum = "shown";
      box.dataset.lasts = String(play(box));
    }
  }
}

document.addEventListener("live:updated", start);
start();
