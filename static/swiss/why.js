// Standings: a tap anywhere on a line (but the name) opens what it is made of, fetched when it is asked for.
// Without scripts the place is a link to the same words.
const box = document.querySelector("[data-why-url]");
const opened = new Set();

async function toggle(line, opener) {
  const shown = document.getElementById(`why-${line.id}`);
  if (shown) {
    shown.remove();
    opened.delete(line.id);
    opener.setAttribute("aria-expanded", "false");
    return;
  }
  const answer = await fetch(box.dataset.whyUrl.replace(/0\/$/, `${line.id.slice(1)}/`) + location.search);
  if (!answer.ok) return location.assign(opener.href);
  if (document.getElementById(`why-${line.id}`)) return;
  const row = document.createElement("tr");
  row.id = `why-${line.id}`;
  row.className = "why-open";
  const cell = row.insertCell();
  cell.colSpan = line.cells.length;
  cell.innerHTML = `<div class="why-box">${await answer.text()}</div>`;
  line.after(row);
  opened.add(line.id);
  opener.setAttribute("aria-expanded", "true");
}

box?.addEventListener("click", (event) => {
  const line = event.target.closest("tr[id^=e]");
  const opener = line?.querySelector(".rank a");
  const elsewhere = event.target.closest("a") !== null && event.target.closest("a") !== opener;
  if (!opener || elsewhere || event.ctrlKey || event.metaKey || getSelection()?.toString()) return;
  event.preventDefault();
  toggle(line, opener).catch(() => location.assign(opener.href));
});

// A live update brings a new table: what was open is asked for anew.
box?.addEventListener("live:updated", () => {
  for (const id of [...opened]) {
    opened.delete(id);
    const line = document.getElementById(id);
    if (line) toggle(line, line.querySelector(".rank a")).catch(() => {});
  }
});
