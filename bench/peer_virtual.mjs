// The other side of bench/compare_virtual.py: copied beside the package "tiebreak" (npm) and run there by Node.
// Reads {"rounds": [...], "players": [...]} a line and answers {player: [Buchholz, cut 1, cut 2, median 1]}.
import fs from "node:fs";
import { Results, Tiebreaker } from "tiebreak";

const CODES = ["BH", "BH-C1", "BH-C2", "BH-M1"];

for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { rounds, players } = JSON.parse(line);
  const all = new Tiebreaker(new Results("SWISS", rounds), "FIDE_2009");
  const values = players.map((player) => [player, CODES.map((code) => all.tiebreak(code, player, rounds.length))]);
  console.log(JSON.stringify(Object.fromEntries(values)));
}
