// Entries of a tablet that will never be online again: out as a file, in on any other page of result entry. They keep
// their numbers, so nothing counts twice should the first tablet come back.
const FORMAT = "tourney-entries";
const MOST = 500;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FIELDS = ["game", "outcome", "version", "reason", "moves", "round", "board", "white", "black", "white_agrees", "black_agrees", "knowing", "stage", "match", "act", "number", "answer", "method", "a", "b"];

export const contentOf = (entries, from) => JSON.stringify({ format: FORMAT, version: 1, from, at: new Date().toISOString(), entries }, null, 1);

export function handOver(content, from, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = `${name}-${from.replace(/[^\p{L}\p{N}]+/gu, "-")}.json`;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const texts = (fields) => Object.fromEntries(
  FIELDS.filter((name) => typeof fields[name] === "string").map((name) => [name, fields[name].slice(0, 500)]),
);

// The entries of a file or of codes, which have no address yet; none for a text that is something else.
export function entriesOf(text) {
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    return [];
  }
  if (content?.format !== FORMAT || !Array.isArray(content.entries)) return [];
  return content.entries
    .filter((entry) => ID.test(entry?.id) && Number.isFinite(entry.entered) && (entry.fields?.game || entry.fields?.match))
    .slice(0, MOST)
    .map((entry, order) => ({
      id: entry.id,
      fields: texts(entry.fields),
      replaces: (Array.isArray(entry.replaces) ? entry.replaces : []).filter((id) => ID.test(id)),
      entered: entry.entered,
      order,
      tried: 1,
      stuck: false,
      state: "waiting",
      words: "",
      label: String(entry.label ?? "").slice(0, 40),
      said: String(entry.said ?? entry.label ?? "").slice(0, 40),
    }));
}
