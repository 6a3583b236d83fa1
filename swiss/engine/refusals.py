"""What the engine and the reader of report files refuse, in English sentences.

The command line prints them as they are; the pages take them from here for translation (`swiss.trf_words`,
`swiss.labels`), so that both say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tourney.kernel.errors import ImportFileError, TourneyError


def gettext_noop(text: str) -> str:
    """Mark a sentence for the program that collects them for translation."""
    return text


FILE_SENTENCES = {
    # A line that can't be read
    "trf.unknown_record": gettext_noop("“%(found)s” is the beginning of no line a report can have."),
    "trf.bad_number": gettext_noop("A number of a player from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_points": gettext_noop("Points like 3.5 are expected, not “%(found)s”."),
    "trf.number_twice": gettext_noop("Number %(number)s is given twice (first in line %(first_line)s)."),
    "trf.bad_sex": gettext_noop("m or w is expected, not “%(found)s”."),
    "trf.bad_rating": gettext_noop("A rating from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_rank": gettext_noop("A place is expected, not “%(found)s”."),
    "trf.too_many_rounds": gettext_noop("There are more than %(high)s rounds."),
    "trf.shifted_columns": gettext_noop("The columns of round %(round)s are shifted: “%(found)s”."),
    "trf.bad_opponent": gettext_noop("The number of an opponent is expected, not “%(found)s”."),
    "trf.bad_color": gettext_noop("Round %(round)s: w, b or - is expected, not “%(found)s”."),
    "trf.bad_result": gettext_noop("Round %(round)s: “%(found)s” is not a result."),
    "trf.own_opponent": gettext_noop("Round %(round)s: player %(number)s plays against himself."),
    "trf.color_missing": gettext_noop("Round %(round)s: the colour of player %(number)s is missing."),
    "trf.bad_rounds": gettext_noop("A number of rounds from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_first_color": gettext_noop("The first colour is W or B, not “%(found)s”."),
    "trf.unsupported_points": gettext_noop("Points for “%(found)s” can't be %(value)s here."),
    "trf.absurd_points": gettext_noop(
        "These points can't be: win %(win)s, draw %(draw)s, loss %(loss)s, bye %(bye)s. A draw must be worth less than "
        "a win and no less than a loss, a bye no more than a win."
    ),
    "trf.bad_round": gettext_noop("A round from %(low)s to %(high)s is expected, not “%(found)s”."),
    "trf.bad_bye": gettext_noop("F, H or Z is expected, not “%(found)s”."),
    "trf.no_players": gettext_noop("There are no players in this file. Is it a tournament report (TRF)?"),
    "trf.unknown_number": gettext_noop("There is no player number %(number)s in the file."),
    "trf.unknown_opponent": gettext_noop("The opponent, number %(number)s, is not in the file."),
    "trf.opponents_differ": gettext_noop(
        "Round %(round)s: %(number)s plays %(opponent)s, but %(opponent)s plays somebody else."
    ),
    "trf.same_color": gettext_noop("Round %(round)s: %(number)s and %(opponent)s have the same colour."),
    # A game that can't be brought in
    "trf.one_sided": gettext_noop("Round %(round)s: %(number)s plays %(opponent)s, but %(opponent)s has no game."),
    "trf.results_impossible": gettext_noop(
        "Round %(round)s: “%(found)s” of %(number)s and “%(other)s” of %(opponent)s can't belong to one game."
    ),
    "trf.empty_round": gettext_noop("Nobody played in round %(round)s."),
    # What is odd, but readable
    "trf.unknown_title": gettext_noop("The title “%(found)s” is unknown and kept as it is."),
    "trf.bye_letter": gettext_noop("Round %(round)s: “%(found)s” without an opponent is read as a bye."),
    "trf.bye_with_opponent": gettext_noop("Round %(round)s: a bye with an opponent; the opponent is left out."),
    "trf.one_sided_game": gettext_noop("Round %(round)s: %(number)s plays %(opponent)s, who has no game."),
    "trf.results_differ": gettext_noop(
        "Round %(round)s: “%(found)s” of %(number)s and “%(other)s” of %(opponent)s don't fit."
    ),
    "trf.points_differ": gettext_noop(
        "Player %(number)s: the file says %(found)s points, the results give %(counted)s."
    ),
}
ENGINE_SENTENCES = {
    "pairing.no_valid_pairing": gettext_noop("No pairing keeps all rules."),
    "pairing.too_few": gettext_noop("There are fewer than two players to pair (%(players)s)."),
    "pairing.first_color_needed": gettext_noop("The colour of the first board has not been drawn."),
    "pairing.no_more_rounds": gettext_noop("All %(rounds)s rounds are paired."),
    "pairing.unknown_entry": gettext_noop("A player of the list is not in this group any more."),
    "pairing.results_missing": gettext_noop("Games without a result are left: a round is paired when all are in."),
    "roundrobin.numbers_not_dense": gettext_noop("Start numbers must run from 1 to %(players)s without gaps."),
    "roundrobin.too_few": gettext_noop("A round robin needs at least two players."),
    "roundrobin.no_cycle": gettext_noop("Everybody meets everybody at least once."),
    "roundrobin.no_varma_table": gettext_noop(
        "Numbers by groups are known for %(low)s to %(high)s players, not for %(players)s."
    ),
    "explain.same_player": gettext_noop("Choose two different players."),
    "explain.table": gettext_noop(
        "A round robin is paired by its table: there is nothing to choose and nothing to explain."
    ),
    "explain.not_in_round": gettext_noop("This player is not paired in this round."),
    "virtual.bad_points": gettext_noop("Virtual points from ½ to %(most)s are expected, not “%(found)s”."),
    "virtual.bad_rounds": gettext_noop("Rounds from %(first)s to %(last)s are no range of rounds."),
    "virtual.bad_numbers": gettext_noop("Start numbers from %(first)s to %(last)s are no range of numbers."),
}
# What only the command line can refuse.
_COMMANDS = {
    "round.not_in_file": "There is no round %(number)s in the file; the next one to pair is round %(last)s.",
    "simulate.out_of_range": "2 to 9999 players and 1 to 99 rounds can be simulated, not %(players)s and %(rounds)s.",
    "simulate.folder_needed": "Name a folder for the files of %(count)s tournaments.",
}
_LIFTING = {
    "C1": "letting players meet again (C1)",
    "C2": "a second bye (C2)",
    "C3": "the colours nobody may refuse (C3)",
    "forbidden": "the forbidden pairs",
}


def refusal_text(error: TourneyError) -> str:
    """Return a refusal for the command line: where in the file, what is wrong, and the code for scripts."""
    text = _sentence(error.code, error.values)
    if error.code == "pairing.no_valid_pairing":
        text = " ".join([text, *_in_the_way(error.values)])
    elif entries := error.values.get("entries"):
        text += f" Players: {', '.join(map(str, entries))}."
    elif (entry := error.values.get("entry")) is not None:
        text += f" Player: {entry}."
    where = place_text(error.line, error.column) if isinstance(error, ImportFileError) else ""
    return f"{where}: {text} [{error.code}]".removeprefix(": ")


def remark_text(code: str, values: Mapping[str, Any]) -> str:
    """Return what is odd about a line that can be read, with the code for scripts."""
    return f"{_sentence(code, values)} [{code}]"


def place_text(line: int, column: int) -> str:
    """Return a place in a file: `line 12, column 95`; column 0 is the whole line."""
    return f"line {line}, column {column}" if column else f"line {line}"


def _sentence(code: str, values: Mapping[str, Any]) -> str:
    for sentences in (FILE_SENTENCES, ENGINE_SENTENCES, _COMMANDS):
        if code in sentences:
            return sentences[code] % values
    return str(TourneyError(code, **values))


def _in_the_way(values: Mapping[str, Any]) -> list[str]:
    """Return who can't be paired, what bars whom, and which one rule would have to give way."""
    lines = [
        f"Player {entry} may not meet {met + forbidden + color} of the others: "
        f"{met} met already, {forbidden} forbidden, {color} by colours."
        for entry, met, forbidden, color in values["blocked"]
    ]
    ways = [_LIFTING[rule] for rule in values["lifting"]]
    lines.append(f"It would go with {' or '.join(ways)}." if ways else "No single rule lifted would help.")
    return lines
