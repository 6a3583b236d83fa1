// A screen of the hall: shows its .hall-page parts in turn, each so many seconds, and does what the organizer's remote
// control says. Commands are counters in #hall-state, so one that arrives late is done once, and only once. Arrows turn
// and space holds here as well. Without this script the pages stand below each other and the browser is led on.
const box = document.querySelector("[data-screen]");
const pages = () => [...box.querySelectorAll(".hall-page")];
const told = () => document.getElementById("hall-state")?.dataset ?? {};

let id = "";
let steps = Number(told().steps);
let jumps = Number(told().jumps);
let heldHere = false;
let timer, turnsAt = 0;

const place = () => Math.max(0, pages().findIndex((page) => page.id === id));

function show(at, restart = true) {
  const all = pages();
  if (!all.length) return;
  const page = all[((at % all.length) + all.length) % all.length];
  id = page.id;
  for (const one of all) one.hidden = one !== page;
  document.documentElement.classList.toggle("is-blank", "blank" in told());
  if (restart) turnsAt = performance.now() + 1000 * (Number(page.dataset.seconds) || 15);
  clearTimeout(timer);
  if ("held" in told() || heldHere || all.length < 2) return;
  timer = setTimeout(() => show(place() + 1), Math.max(0, turnsAt - performance.now()));
}

function jump() {
  const at = pages().findIndex((page) => page.dataset.of === told().jump);
  if (at >= 0) show(at);
}

let wasHeld = "held" in told();
box.addEventListener("live:updated", () => {
  const now = told();
  const by = Number(now.steps) - steps;
  const jumped = Number(now.jumps) !== jumps;
  const released = wasHeld && !("held" in now);
  [steps, jumps, wasHeld] = [Number(now.steps), Number(now.jumps), "held" in now];
  if (jumped) jump();
  else show(place() + by, by !== 0 || released);
});

addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") show(place() + 1);
  else if (event.key === "ArrowLeft") show(place() - 1);
  else if (event.key === " ") {
    event.preventDefault();
    heldHere = !heldHere;
    show(place());
  }
});

// The clock goes by the server's: a television's own may be wrong.
const clock = document.querySelector("[data-hall-now]");
if (clock) {
  const ahead = Number(clock.dataset.hallNow) * 1000 - Date.now();
  const form = new Intl.DateTimeFormat("uk", { hour: "2-digit", minute: "2-digit", timeZone: clock.dataset.zone });
  const tick = () => (clock.textContent = form.format(Date.now() + ahead));
  tick();
  setInterval(tick, 1000);
}

// A television must not fall asleep while it shows something; where it can't be asked, its own setting decides.
const stayAwake = () => document.hidden || navigator.wakeLock?.request("screen").catch(() => {});
document.addEventListener("visibilitychange", stayAwake);
stayAwake();

show(0);
if ("held" in told()) jump();
