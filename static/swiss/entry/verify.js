// Verify mode: a second person types every result again without seeing it. The page stops at a difference, in red, in
// words and with a sound; nothing is changed.
export class Verify {
  constructor({ page, list, visible, after, report }) {
    Object.assign(this, { page, list, visible, after, report, active: false, typed: new Map() });
    this.bar = document.getElementById("verify-bar");
    this.button = page.querySelector("[data-verify]");
    this.button.addEventListener("click", () => this.turn(!this.active));
  }

  turn(on) {
    this.active = on;
    this.page.classList.toggle("is-verifying", on);
    this.button.setAttribute("aria-pressed", String(on));
    this.bar.hidden = !on;
    this.bar.classList.remove("is-wrong");
    for (const row of this.list.querySelectorAll(".is-entry")) {
      row.classList.remove("is-verified", "is-different", "is-new");
      const known = this.known(row);
      if (on && known) row.hidden = false;
      for (const drawer of row.querySelectorAll(".result-drawer")) drawer.open = false;
      for (const button of row.querySelectorAll(".entry-pad .res"))
        button.setAttribute("aria-pressed", String(!on && button.value !== "" && button.value === known));
    }
    if (!on) {
      if (this.typed.size) this.report([...this.typed.values()]);
      this.typed.clear();
      return;
    }
    this.typed.clear();
    this.say();
    this.visible().find((row) => this.wants(row))?.focus();
  }

  known(row) {
    return row.dataset.pending ?? row.dataset.result;
  }

  wants(row) {
    return Boolean(this.known(row)) && !row.classList.contains("is-verified") && !row.classList.contains("is-conflict");
  }

  say() {
    const left = [...this.list.querySelectorAll(".is-entry")].filter((row) => this.wants(row)).length;
    this.bar.textContent = left ? this.bar.dataset.left.replace("{n}", left) : this.bar.dataset.all;
  }

  compare(row, outcome) {
    if (!this.known(row)) return;
    const agrees = outcome === this.known(row);
    const earlier = this.typed.get(row.dataset.game);
    this.typed.set(row.dataset.game, { game: row.dataset.game, differed: !agrees || (earlier?.differed ?? false) });
    row.classList.toggle("is-verified", agrees);
    row.classList.toggle("is-different", !agrees);
    this.bar.classList.toggle("is-wrong", !agrees);
    if (agrees) {
      this.say();
      this.after(row);
      return;
    }
    this.bar.textContent = this.bar.dataset.differs.replace("{n}", row.dataset.board);
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
    sound();
  }
}

let audio;

function sound() {
  try {
    audio ??= new AudioContext();
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    volume.gain.value = 0.2;
    tone.frequency.value = 220;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  } catch { /* a browser without sound: the words and the colour are there */ }
}
