"""Why this pair in a round robin: the table of numbers says who meets whom, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from swiss.engine.berger import TableRound, berger_table
from swiss.engine.rules import RoundRobinRules
from swiss.why_story import Part, Story
from tourney.kernel.colors import Color

if TYPE_CHECKING:
    from swiss.why import Why

CITED = "C.05, 1"


def table_story(why: Why, story: Story) -> None:
    """Tell of a row of the table: both start numbers, the round, who has White."""
    table = _table(why)
    numbers = {one.pk: one.number for one in why.question.record.people}
    size, cycles = len(numbers), _cycles(why)
    white = why.pairing.white_id
    shown = table[why.round.number - 1] if why.round.number <= len(table) else None
    if why.pairing.black_id is None:
        story.lead = _("The number of players is odd, so in every round one is free; in this round it is %(name)s.") % {
            "name": why.name(white)
        }
        lines = [_("Number %(number)s is free in round %(round)s of the table for %(players)s players.")]
        values = {"number": numbers.get(white), "round": why.round.number, "players": size}
        expected = shown is not None and shown.free == numbers.get(white)
    else:
        story.lead = _("In a round robin everybody meets everybody; a table says when, and nobody chooses.")
        lines = [
            _(
                "By the table for %(players)s players the numbers %(white)s and %(black)s meet in round %(round)s, "
                "and %(white)s has White."
            )
        ]
        values = {
            "white": numbers.get(white),
            "black": numbers.get(why.pairing.black_id),
            "round": why.round.number,
            "players": size,
        }
        pair = (numbers.get(white), numbers.get(why.pairing.black_id))
        expected = shown is not None and pair in shown.pairs
    if expected:
        lines = [line % values for line in lines]
        lines.append(_number_words(why, numbers))
        if cycles > 1:
            lines.append(_("Everybody meets twice: the second time with the other colour."))
        story.parts.append(Part(_("Berger table"), lines, CITED))
    else:
        story.by_hand.append(_("This is not the row of the table: the arbiter changed it by hand."))
    own = [pk for pk in (white, why.pairing.black_id) if pk is not None]
    story.of_choices = [(pk, why.name(pk)) for pk in own]
    others = sorted((pk for pk in numbers if pk not in own), key=lambda pk: why.name(pk).casefold())
    story.choices = [(str(pk), why.name(pk)) for pk in others]


def table_answer(why: Why, of: int, other: str) -> dict[str, Any] | None:
    """Return when two meet by the table, with the colours."""
    numbers = {one.pk: one.number for one in why.question.record.people}
    if of not in numbers or not other.isdecimal() or int(other) not in numbers or of == int(other):
        return None
    lines = []
    for row in _table(why):
        for white, black in row.pairs:
            if {white, black} == {numbers[of], numbers[int(other)]}:
                color = Color.WHITE if white == numbers[of] else Color.BLACK
                text = (
                    _("They meet in round %(round)s; %(name)s has White.")
                    if color is Color.WHITE
                    else _("They meet in round %(round)s; %(name)s has Black.")
                )
                lines.append(text % {"round": row.number, "name": why.name(of)})
    title = _("Why does %(name)s not play %(other)s?") % {"name": why.name(of), "other": why.name(int(other))}
    return {"title": title, "text": lines[0] if lines else "", "more": lines[1:], "cited": CITED, "value": ""}


def _table(why: Why) -> tuple[TableRound, ...]:
    size = len(why.question.record.people)
    return berger_table(size, _cycles(why)) if size > 1 else ()


def _cycles(why: Why) -> int:
    rules = why.question.rules
    return rules.cycles if isinstance(rules, RoundRobinRules) else 1


def _number_words(why: Why, numbers: dict[int, int]) -> str:
    own = [pk for pk in (why.pairing.white_id, why.pairing.black_id) if pk is not None]
    known = ", ".join(f"{why.name(pk)} № {numbers.get(pk, '–')}" for pk in own)
    return _("Start numbers: %(names)s. They were given before the first round and stay.") % {"names": known}
