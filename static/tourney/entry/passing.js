// The buttons by which entries change the device when a tablet will never be online again: out and in, as a file or as
// codes. A tablet with boards and matches has a page for each; what was read goes to the page its entries belong to.
import { contentOf, entriesOf, handOver } from "./handover.js";
import { readCodes, showCodes } from "./codes.js";
import { waiting } from "./sending.js";

// `kind` is what this page enters, "game" or "match". Returns `offer`, which the page calls when its outbox has changed.
export function passOn({ page, bar, ready, kind, show, drain }) {
  const shown = document.getElementById("codes-shown");
  const read = document.getElementById("codes-read");
  const [asFile, asCodes, readButton] = ["hand-over", "show-codes", "read-codes"].map((name) => page.querySelector(`[data-${name}]`));
  const { entryPage, otherPage } = page.dataset;
  let encode; // draws codes, once it has come

  const addressOf = (fields) => ((kind === "match") === Boolean(fields.match) ? entryPage : otherPage);
  const open = async () => contentOf(waiting(await (await ready).all()), page.dataset.who);
  const offer = () => { asCodes.hidden = asFile.hidden || !encode; };
  const say = (words) => {
    bar.append(Object.assign(document.createElement("p"), { textContent: words }));
    bar.hidden = false;
  };

  async function add(content) {
    const box = await ready;
    const found = entriesOf(content).map((entry) => ({ ...entry, address: addressOf(entry.fields) }));
    const taken = found.filter((entry) => entry.address);
    await box.change({ put: taken });
    await show();
    if (taken.length) await drain();
    if (!found.length) say(bar.dataset.badFile);
    else if (taken.length < found.length) say(bar.dataset.elsewhere.replace("{n}", found.length - taken.length));
  }

  asFile.addEventListener("click", async () => handOver(await open(), page.dataset.who, bar.dataset.file));
  page.querySelector("[data-take-in]").addEventListener("change", async ({ target }) => {
    const content = await target.files[0].text();
    target.value = "";
    return add(content);
  });
  asCodes.addEventListener("click", async () => showCodes(shown, await open(), encode));
  readButton.addEventListener("click", () => readCodes(read, read.dataset.library, add));
  for (const dialog of [shown, read]) dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  if ("CompressionStream" in window) {
    // Fetched while there is a network, for the time when there is none.
    const fetched = async () => {
      encode ??= (await import(shown.dataset.library).catch(() => null))?.encodeQR;
      offer();
    };
    ready.then(() => setTimeout(fetched, 1500));
    addEventListener("online", fetched);
  } else readButton.hidden = true;
  return offer;
}
