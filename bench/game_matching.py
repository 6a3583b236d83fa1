"""How many damaged records of made-up events are placed, right or wrong.

    python bench/game_matching.py [events]

Events of 32 and of 300 players and brackets of 32; names in both alphabets and by several tables, turned, shortened,
misspelt; rounds, boards and dates left out or wrong (`tourney/tests/engine/damaged_records.py`). A record that can't be
told from another game of the same match on the same day is counted apart: only a person knows. Ends with status 1 when
one is placed wrongly or less than 99 % of the others rightly.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

sys.path.insert(0, ".")

from tourney.tests.engine.test_game_matching_events import EVENTS, placing


def main() -> int:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    good = True
    for kind, make in EVENTS.items():
        total: Counter[str] = Counter()
        begun = time.process_time()
        for number in range(events):
            counts, _notes = placing(make(f"bench {number}"), f"bench {number}")
            total += counts
        spent = time.process_time() - begun
        answerable = total.total() - total["asked, no number"]
        right = total["right"] / answerable
        good &= total["wrong"] == 0 and right >= 0.99
        sys.stdout.write(
            f"{kind:24} {total.total():6} records: right {right:.2%}, wrong {total['wrong']}, asked, game shown "
            f"{total['asked, shown']}, not shown {total['asked, not shown']}, not to be told apart "
            f"{total['asked, no number']}; {spent / total.total() * 1e6:.0f} µs each\n"
        )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
