"""Chapters about play: the system of every stage, matches, ratings, clocks, rounds, late players, the play-off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tourney.regulation_schema.stages import TIE_BREAK_RULES, TIE_BREAKS
from tourney.regulation_text.writer import Writer, clock_words, either

Option = Mapping[str, Any]


def stages(w: Writer) -> None:
    steps = w.rows("stages")
    for index, stage in enumerate(steps):
        options = [option for option in stage.get("options") or [] if isinstance(option, Mapping)]
        title = w.words(stage.get("title")) or str(stage.get("code", ""))
        path = f"stages[{index}]"
        if len(steps) > 1:
            w.say(_("Stage %(number)s: %(title)s.") % {"number": index + 1, "title": title}, path)
        if len(options) > 1:
            w.say(
                _("The system follows from the number of players in the group when entries close:"),
                f"{path}.options",
                lines=[_choice_line(option) for option in options],
            )
            w.say(
                _(
                    "Before the first round the chief arbiter may choose another system or number of rounds; "
                    "the reason is published."
                ),
                f"{path}.options",
            )
        for number, option in enumerate(options):
            _option(w, option, f"{path}.options[{number}]", alone=len(options) == 1, earlier=options[:number])
    w.own_clauses("stages")


def options_of_stages(w: Writer) -> list[Option]:
    return [
        option for stage in w.rows("stages") for option in stage.get("options") or [] if isinstance(option, Mapping)
    ]


def _players(when: Any) -> str:
    least = when.get("players_at_least") if isinstance(when, Mapping) else None
    most = when.get("players_at_most") if isinstance(when, Mapping) else None
    if least is not None and most is not None:
        if least == most:
            return ngettext("%(count)s player", "%(count)s players", int(least)) % {"count": least}
        return ngettext("%(low)s to %(count)s player", "%(low)s to %(count)s players", int(most)) % {
            "low": least,
            "count": most,
        }
    if least is not None:
        return ngettext("%(count)s player or more", "%(count)s players or more", int(least)) % {"count": least}
    if most is not None:
        return ngettext("at most %(count)s player", "at most %(count)s players", int(most)) % {"count": most}
    return pgettext("number of players", "any number of players")


def system_words(option: Option) -> str:
    """Return the system of an option in a few words: ``Swiss system, 8 rounds``."""
    match option.get("kind"):
        case "swiss":
            rounds = int(option.get("rounds", 0))
            return ngettext("Swiss system, %(count)s round", "Swiss system, %(count)s rounds", rounds) % {
                "count": rounds
            }
        case "round_robin":
            cycles = int(option.get("cycles", 1))
            if cycles == 1:
                return _("round robin")
            if cycles == 2:
                return _("double round robin")
            return ngettext("round robin, %(count)s cycle", "round robin, %(count)s cycles", cycles) % {"count": cycles}
        case "bracket":
            return _("knockout with a second chance") if _second_chance(option) else _("knockout")
    return str(option.get("kind", ""))


def _choice_line(option: Option) -> str:
    return f"{_players(option.get('when'))}: {system_words(option)}"


def _second_chance(option: Option) -> bool:
    return option.get("return_at", 2) not in ("never", option.get("size", 32))


def _option(w: Writer, option: Option, path: str, *, alone: bool, earlier: list[Any]) -> None:
    if option.get("kind") == "bracket":
        _bracket(w, option, path, alone=alone)
        return
    if alone:
        text = _("System: %(system)s (%(players)s).") % {
            "system": system_words(option),
            "players": _players(option.get("when")),
        }
        w.say(text, path)
    if option.get("double_for"):
        sizes = either(option["double_for"])
        w.say(
            _("With %(sizes)s players everybody meets everybody twice as often.") % {"sizes": sizes},
            f"{path}.double_for",
        )
    same = any(
        other.get("kind") == option.get("kind") and other.get("tie_breaks") == option.get("tie_breaks")
        for other in earlier
        if isinstance(other, Mapping)
    )
    if not same:
        _ranking(w, option, path)
    if option.get("kind") == "swiss" and option.get("acceleration") == "baku":
        w.say(_("The first rounds are accelerated by the Baku method."), f"{path}.acceleration")
    if option.get("kind") == "swiss" and option.get("half_byes_at_most") is not None:
        number = int(option["half_byes_at_most"])
        w.say(
            ngettext(
                "A player may ask for %(n)d half-point bye.", "A player may ask for %(n)d half-point byes.", number
            )
            % {"n": number},
            f"{path}.half_byes_at_most",
        )
    closed = int(option.get("half_byes_closed_rounds") or 0) if option.get("kind") == "swiss" else 0
    if closed:
        w.say(
            ngettext(
                "In the last round there are no half-point byes.",
                "In the last %(n)d rounds there are no half-point byes.",
                closed,
            )
            % {"n": closed},
            f"{path}.half_byes_closed_rounds",
        )
    if any(key in option for key in ("win_points", "draw_points", "loss_points", "bye_points")):
        w.say(
            _("Points: win %(win)s, draw %(draw)s, loss %(loss)s.")
            % {
                "win": option.get("win_points", "1"),
                "draw": option.get("draw_points", "½"),
                "loss": option.get("loss_points", "0"),
            },
            f"{path}.win_points",
        )


def _ranking(w: Writer, option: Option, path: str) -> None:
    codes = [str(code) for code in option.get("tie_breaks") or []]
    system = _("Swiss system") if option.get("kind") == "swiss" else _("round robin")
    if not codes:
        w.say(
            _("%(system)s: the most points win; equal players share the place.") % {"system": _capital(system)},
            f"{path}.tie_breaks",
        )
        return
    w.say(
        _("%(system)s: the most points win. Equal players are ranked, in this order, by:")
        % {"system": _capital(system)},
        f"{path}.tie_breaks",
        lines=[f"{TIE_BREAKS.get(code, code)} ({code})" for code in codes],
    )
    if any("/C" in code or "/M" in code for code in codes) and option.get("absences_cut_first") is not None:
        w.say(
            _("A cut drops the result of a round missed at will first.")
            if option["absences_cut_first"]
            else _("A cut always drops the lowest value."),
            f"{path}.absences_cut_first",
        )
    if option.get("tie_break_rules") == "virtual_opponent":
        w.say(
            _(
                "Tie-breaks go by the FIDE rules before September 2023: a game that was not played counts against a "
                "virtual opponent, and for the opponents as a draw."
            ),
            f"{path}.tie_break_rules",
        )
    elif option.get("tie_break_rules"):
        w.say(
            _("Tie-breaks go by the FIDE rules of %(edition)s.")
            % {"edition": TIE_BREAK_RULES.get(option["tie_break_rules"], option["tie_break_rules"])},
            f"{path}.tie_break_rules",
        )
    if "BPG" in codes:
        w.say(_("Games that were not played count as games with White."), f"{path}.tie_breaks")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bracket(w: Writer, option: Option, path: str, *, alone: bool) -> None:
    w.say(
        _("System: %(system)s (%(players)s).")
        % {"system": system_words(option), "players": _players(option.get("when"))},
        path,
    )
    if _second_chance(option):
        w.say(
            _("All start in the upper bracket. Who loses a match there goes on in the lower bracket."),
            f"{path}.return_at",
        )
        back = option.get("return_at", 2)
        if back == 2:
            w.say(
                _("The winner of the lower bracket meets the winner of the upper bracket in the final."),
                f"{path}.return_at",
            )
        else:
            w.say(
                ngettext(
                    "When %(count)s player is left, the lower bracket's survivors return; a knockout follows.",
                    "When %(count)s players are left, the lower bracket's survivors return; a knockout follows.",
                    int(back),
                )
                % {"count": back},
                f"{path}.return_at",
            )
        if option.get("final", "single") != "single":
            w.say(
                _("Final: %(final)s.") % {"final": w.label(f"{path}.final", option["final"])},
                f"{path}.final",
            )
        w.say(
            _("A second loss is not the end: the player goes on in the matches for the places of his band."),
            f"{path}.places",
        )
    places = option.get("places", "all")
    if places == "all":
        w.say(_("Every place is played for."), f"{path}.places")
    elif places == "none":
        w.say(_("Players who drop out in the same round share their places."), f"{path}.places")
    else:
        w.say(_("Places 1 to %(last)s are played for; the others are shared.") % {"last": places}, f"{path}.places")
    _little_tables(w, option, path)
    least = int(option.get("minimum_matches") or 0)
    if least:
        w.say(
            ngettext(
                "Everybody plays at least %(count)s match, whatever the results.",
                "Everybody plays at least %(count)s matches, whatever the results.",
                least,
            )
            % {"count": least},
            f"{path}.minimum_matches",
        )
    _draw(w, option, path)
    _leaving(w, option, path)


def _little_tables(w: Writer, option: Option, path: str) -> None:
    most = int(option.get("table_up_to") or 0)
    if not most:
        return
    w.say(
        ngettext(
            "A band of places with at most %(count)s player is played as everybody against everybody.",
            "A band of places with at most %(count)s players is played as everybody against everybody.",
            most,
        )
        % {"count": most},
        f"{path}.table_up_to",
    )
    ties = str(option.get("table_ties", "seed"))
    w.say(
        _("There more matches won stand before, then the matches between those who are level; then: %(ties)s.")
        % {"ties": w.label(f"{path}.table_ties", ties)},
        f"{path}.table_ties",
    )


def _draw(w: Writer, option: Option, path: str) -> None:
    seeding = option.get("seeding")
    if not isinstance(seeding, Mapping):
        return
    method = str(seeding.get("method", "fold"))
    text = _("Draw of the bracket before the start: %(how)s.") % {"how": w.label(f"{path}.seeding.method", method)}
    ranks = (
        [w.label(f"{path}.seeding.ranks", rank) for rank in seeding.get("ranks") or []] if method == "rank_pots" else []
    )
    w.say(text, f"{path}.seeding", lines=ranks)
    if seeding.get("apart"):
        w.say(
            _("Kept apart in the first round: %(groups)s.")
            % {"groups": w.labels(f"{path}.seeding.apart", seeding["apart"])},
            f"{path}.seeding.apart",
        )


def _leaving(w: Writer, option: Option, path: str) -> None:
    if option.get("left_place"):
        w.say(
            _("Who leaves the event gets: %(place)s.") % {"place": w.label(f"{path}.left_place", option["left_place"])},
            f"{path}.left_place",
        )
    if option.get("disqualified_place"):
        w.say(
            _("Place of a player removed from the event: %(what)s.")
            % {"what": w.label(f"{path}.disqualified_place", option["disqualified_place"])},
            f"{path}.disqualified_place",
        )


# -- matches -----------------------------------------------------------------------------------------------------------


def matches(w: Writer) -> None:
    formats = w.block("match_formats")
    playoff = w.block("playoff")
    used_in_playoff = {playoff.get("two")}
    finals = {option.get("final_match") for option in options_of_stages(w)} - {
        option.get("match") for option in options_of_stages(w)
    }
    shown = [name for name in formats if name not in used_in_playoff]
    for name in shown:
        if isinstance(formats[name], Mapping):
            head = _("The final consists of:") if name in finals else _("A match consists of:")
            if len(shown) > 1 and name not in finals:
                head = _("A match of the format “%(name)s” consists of:") % {"name": name}
            match_format(w, formats[name], f"match_formats.{name}", head)
    w.own_clauses("match_formats")


def match_format(w: Writer, match: Mapping[str, Any], path: str, head: str) -> None:
    phases = [phase for phase in match.get("phases") or [] if isinstance(phase, Mapping)]
    w.say(head, path, lines=[_phase(phase, first=not number) for number, phase in enumerate(phases)])
    color = {
        "lower_rated_chooses": _(
            "The lower rated player chooses the colour of the first game; then colours alternate."
        ),
        "lot": _("The colour of the first game is drawn by lot; then colours alternate."),
        "lot_winner_chooses": _("The winner of a lot chooses the colour of the first game; then colours alternate."),
        "higher_seed_white": _("The higher seed has White in the first game; then colours alternate."),
        "lower_seed_white": _("The lower seed has White in the first game; then colours alternate."),
    }[str(match.get("first_color", "lower_rated_chooses"))]
    w.say(color, f"{path}.first_color")
    if match.get("first_color", "lower_rated_chooses") == "lower_rated_chooses":
        w.say(
            _("No rating counts as the lowest; with equal ratings a lot decides who chooses."), f"{path}.equal_ratings"
        )
    for number, phase in enumerate(phases):
        if phase.get("colors") == "anew":
            w.say(_("Before the extra games the colour is settled anew."), f"{path}.phases[{number}].colors")
        if "armageddon" in phase:
            w.say(_armageddon_color(phase), f"{path}.phases[{number}].color")
            w.say(_armageddon_draw(phase), f"{path}.phases[{number}].draw")


def _phase(phase: Mapping[str, Any], *, first: bool) -> str:
    if "games" in phase:
        count = int(phase["games"])
        values = {"count": count, "clock": clock_words(phase.get("clock"))}
        if first:
            return ngettext("%(count)s game: %(clock)s", "%(count)s games: %(clock)s", count) % values
        return (
            ngettext("if level, %(count)s more game: %(clock)s", "if level, %(count)s more games: %(clock)s", count)
            % values
        )
    if "armageddon" in phase:
        clocks = phase["armageddon"]
        values = {"white": clock_words(clocks.get("white", "")), "black": clock_words(clocks.get("black", ""))}
        if first:
            return _("an Armageddon game: White %(white)s, Black %(black)s") % values
        return _("if level again, an Armageddon game: White %(white)s, Black %(black)s") % values
    return _("a round robin: %(clock)s") % {"clock": clock_words(phase.get("clock"))}


def _armageddon_color(phase: Mapping[str, Any]) -> str:
    if phase.get("color") == "lot_winner_chooses":
        return _("In the Armageddon game the winner of a lot chooses the colour.")
    return _("The colours of the Armageddon game are drawn by lot.")


def _armageddon_draw(phase: Mapping[str, Any]) -> str:
    return {
        "black": _("A drawn Armageddon game wins for Black."),
        "white": _("A drawn Armageddon game wins for White."),
        "forbidden": _("An Armageddon game can't end in a draw."),
    }[str(phase.get("draw", "black"))]
