// Sends what the outbox keeps: one drainer for all open pages, a timer that waits longer while nothing answers, and a
// start whenever the page wakes. What becomes of an answer is the page's own business (`settle`).
import { alone, send } from "./outbox.js";

const EVERY = 15000;
const TROUBLES = { alone: "alone", "signed-out": "signedOut", trouble: "trouble" };

export const waiting = (entries) => entries.filter((entry) => entry.state === "waiting");

export class Sender {
  // `ready` is the promise of an outbox; `settle(entry, answer)` and `show()` are awaited, `refresh()` asks for news.
  constructor({ ready, settle, show, refresh, unclear }) {
    Object.assign(this, { ready, settle, show, refresh, unclear, trouble: "", failures: 0, isClockWrong: false, isAsked: false });
  }

  // Whoever comes while the lock is held leaves a note: an entry put down just as the holder was done is sent by the
  // holder at once, and does not lie here until the next round.
  async drain() {
    const box = await this.ready;
    let isMine = false;
    this.isAsked = true;
    await alone(async () => {
      isMine = true;
      this.isAsked = false;
      for (;;) {
        const entry = waiting(await box.all()).find((one) => !one.stuck);
        if (!entry) return;
        await box.touch(entry.id, { tried: entry.tried + 1 });
        const answer = await send(entry);
        if (answer.trouble === "stuck") {
          await box.touch(entry.id, { stuck: true, words: answer.words || this.unclear });
          continue;
        }
        this.trouble = TROUBLES[answer.trouble] ?? "";
        this.failures = this.trouble ? Math.min(this.failures + 1, 5) : 0;
        if (this.trouble) return;
        this.isClockWrong = answer.isClockWrong;
        await this.settle(entry, answer);
        await this.show();
      }
    });
    if (isMine && this.isAsked) return this.drain();
    await this.show();
    return this.plan();
  }

  plan() {
    clearTimeout(this.timer);
    const distance = this.trouble ? 2000 * 2 ** this.failures : EVERY;
    this.timer = setTimeout(async () => {
      await this.drain();
      this.refresh();
    }, distance * (0.8 + Math.random() * 0.4));
  }

  async wake() {
    await this.ready;
    if (document.hidden) return;
    this.failures = 0;
    await this.drain();
    this.refresh();
  }

  // The page's first look at what an earlier one left: an entry that was stuck is tried again.
  async begin() {
    const box = await this.ready;
    for (const entry of (await box.all()).filter((one) => one.stuck)) await box.touch(entry.id, { stuck: false });
    await this.show();
  }

  listen() {
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => this.wake());
    addEventListener("pageshow", (event) => event.persisted && this.wake());
  }
}
