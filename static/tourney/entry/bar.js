// The bar that says what is not sent, and what the server has answered to entries whose row is not on the page.
import { waiting } from "./sending.js";

const paragraph = (words) => Object.assign(document.createElement("p"), { textContent: words });

export async function draw(bar, { box, sender, handOver, again }) {
  const entries = await box.all();
  const open = waiting(entries);
  const parts = [];
  if (open.length) {
    const title = Object.assign(document.createElement("b"), { textContent: bar.dataset.waiting.replace("{n}", open.length) });
    const boards = Object.assign(document.createElement("span"), { className: "outbox-list", textContent: open.map((one) => one.label).join(" · ") });
    parts.push(title, ` ${bar.dataset[sender.trouble || "sending"]}`, boards);
  }
  for (const entry of entries.filter((one) => one.words)) parts.push(remark(entry, box, again));
  if (sender.isClockWrong) parts.push(paragraph(bar.dataset.clock));
  if (!box.safe) parts.push(paragraph(bar.dataset.apart));
  bar.replaceChildren(...parts);
  bar.hidden = parts.length === 0;
  bar.classList.toggle("is-stuck", open.length > 0 && sender.trouble !== "");
  if (handOver) handOver.hidden = open.length === 0;
}

// An entry the server answered with words while its row was not on this page: the words stay until they are read.
function remark(entry, box, again) {
  const line = document.createElement("p");
  const read = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-secondary btn-sm", textContent: "OK" });
  read.addEventListener("click", async () => {
    if (entry.state === "refused") await box.change({ remove: [entry.id] });
    else await box.touch(entry.id, { words: "" });
    again();
  });
  line.append(`${entry.label}: ${entry.words} `, read);
  return line;
}
