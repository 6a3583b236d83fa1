// Says to a screen reader what an answer has done to a row: the row itself is new, and new markup is not read out.
const text = (part) => part?.textContent.replace(/\s+/g, " ").trim() ?? "";

export function announce(row) {
  const place = document.getElementById("entry-said");
  if (!place) return;
  const names = [...row.querySelectorAll(".player-name")].map(text).join(" – ");
  const result = row.querySelector(".res[aria-pressed=true]")?.getAttribute("aria-label") ?? "";
  const parts = [`${text(row.querySelector(".board-no"))}, ${names}`, result, text(row.querySelector(".board-more"))];
  place.textContent = parts.filter(Boolean).join(": ");
}
