"""Why a line of the standings stands where it does: what each of its numbers is made of, and what parts two lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from prizes.engine.ranking import Ranking, parted_by
from prizes.engine.tiebreaks.values import Part, Source, TieBreakValue, format_value
from swiss.labels import BYE_WORDS, CUTS, SOURCES
from swiss.selectors import ranking_of, stage_facts
from swiss.tables import DIRECT, Column, columns_of, tie_text
from swiss.tie_break_words import meaning_of, title_of
from swiss.unpublished import Unpublished, of_history
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import RoundKind, RoundRecord
from tourney.models import Entry, Section, Stage


@dataclass(frozen=True, slots=True)
class WhyCell:
    """One round's share of a tie-break: the number, struck out when it was left out, and the words."""

    text: str
    cut: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """What a line of the standings is made of."""

    entry: Entry
    place: int
    parted: str  # what parts it from the line above
    above: Entry | None
    heads: tuple[Column, ...]  # points, then the tie-breaks that are sums over rounds
    rounds: tuple[tuple[int, str, tuple[WhyCell, ...]], ...]  # round, opponent or bye, one cell per head
    totals: tuple[str, ...]
    lines: tuple[str, ...]  # the tie-breaks that are no sums
    notes: tuple[str, ...]
    meanings: tuple[tuple[str, str], ...]  # (name, what it is) of every tie-break, in their order


def why(stage: Stage, entry_id: int, after_round: int, *, of: Section | None = None) -> Why | None:
    """Return what an entry's line is made of after a round, None when it has none. Two queries."""
    facts = stage_facts(stage)
    ranking = ranking_of(stage, facts.record.history(after_round))
    if of is not None:
        ranking = ranking.among({EntryId(pk) for pk, entry in facts.entries.items() if entry.section_id == of.pk})
    ranked = ranking.by_entry.get(EntryId(entry_id))
    if ranked is None:
        return None
    entries, names = facts.entries, {column.code: column for column in columns_of(stage)}
    names["PTS"] = Column("PTS", _("Points"), _("Points"))
    virtual = ranking.edition == "virtual_opponent"
    whole = facts.record.history(after_round)
    history, private = whole.by_entry[EntryId(entry_id)], of_history(entries, whole)

    summed = [value for value in ranked.values if value.code not in DIRECT and any(p.round for p in value.parts)]
    heads = tuple(names.get(value.code, Column(value.code, value.code, value.code)) for value in summed)
    notes: dict[str, None] = {}
    rounds = []
    for number, record in enumerate(history.rounds, start=1):
        against = against_words(record, entries)
        cells = []
        for value in summed:
            part = next((part for part in value.parts if part.round == number), None)
            cells.append(cell_of(value.code, part, notes, private, virtual=virtual))
        rounds.append((number, against, tuple(cells)))
    return Why(
        entry=entries[entry_id],
        place=ranked.rank,
        parted=_parted(ranking, EntryId(entry_id), entries, private),
        above=_above(ranking, EntryId(entry_id), entries),
        heads=heads,
        rounds=tuple(rounds),
        totals=tuple(value_text(value, entry_id, private) for value in summed),
        lines=tuple(_plain_lines(entries[entry_id], ranked.values, summed, ranking, entries, private)),
        notes=tuple(notes),
        meanings=tuple((upper(title_of(code)), meaning_of(code)) for code in ranking.order if code != "PTS"),
    )


def against_words(record: RoundRecord, entries: Mapping[int, Entry]) -> str:
    """Return the opponent's name, or why there was none."""
    if record.opponent is not None and record.opponent in entries:
        return entries[record.opponent].name
    kind = {
        RoundKind.PAIRING_BYE: ByeKind.PAIRING,
        RoundKind.HALF_BYE: ByeKind.HALF,
        RoundKind.FULL_BYE: ByeKind.FULL,
    }.get(record.kind, ByeKind.ZERO)
    return str(BYE_WORDS[kind])


def number_text(value: Fraction | int | None) -> str:
    """Return a number as people write it, a dash for none."""
    return tie_text(format_value(value)) or "–"


def value_text(value: TieBreakValue, entry: int, private: Unpublished) -> str:
    """Return an entry's value as people write it, a dash for an undefined one and for one that gives a rating away."""
    if private.hides(value.code, entry):
        return "–"
    return tie_text(str(value)) or "–"


def cell_of(code: str, part: Part | None, notes: dict[str, None], private: Unpublished, *, virtual: bool) -> WhyCell:
    """Return one round's share of a value; what has to be said of it is added to the notes, each once.

    A mean of ratings shows no part that is the rating of somebody who did not let it be published.
    """
    if part is None:
        return WhyCell("")
    words = []
    hidden = private.hides_part(code, part.opponent)
    if hidden:
        words.append(_("the rating is not published"))
    elif part.source is Source.VIRTUAL:
        words.append(
            _("no game: a virtual opponent with as many points before the round, the rest of the point, then draws")
        )
    elif part.source.value in SOURCES:
        words.append(str(SOURCES[part.source.value]))
    elif (
        part.source is Source.OPPONENT
        and isinstance(part.adjusted, Fraction)
        and part.score is not None
        and part.adjusted != part.score
    ):
        said = (
            _("the opponent's %(score)s count as %(adjusted)s: games that were not played count as draws")
            if virtual
            else _("the opponent's %(score)s count as %(adjusted)s: byes at the end count as draws")
        )
        words.append(said % {"score": number_text(part.score), "adjusted": number_text(part.adjusted)})
    if part.cut is not None:
        words.append(str(CUTS[part.cut.value]))
    said_together = "; ".join(words)
    if said_together:
        notes[_("Round %(round)s: %(words)s.") % {"round": part.round, "words": said_together}] = None
    return WhyCell("–" if hidden else number_text(part.counted), part.cut is not None, said_together)


def _plain_lines(
    entry: Entry,
    values: Iterable[TieBreakValue],
    summed: Sequence[TieBreakValue],
    ranking: Ranking,
    entries: Mapping[int, Entry],
    private: Unpublished,
) -> Iterable[str]:
    """Say what the tie-breaks are that aren't sums over rounds: direct encounter, numbers, lots."""
    for value in values:
        if value in summed:
            continue
        title = upper(title_of(value.code))
        if value.code in DIRECT:
            met = direct_games(value, entries)
            if met:
                yield _("%(title)s: place %(place)s among those level; against %(games)s.") % {
                    "title": title,
                    "place": number_text(value.value),
                    "games": ", ".join(met),
                }
        else:
            yield f"{title}: {'–' if private.hides(value.code, entry.pk) else number_text(value.value)}."
    for code in ranking.dropped:
        yield _("%(title)s is not used: not everybody has a rating.") % {"title": upper(title_of(code))}


def direct_games(value: TieBreakValue, entries: Mapping[int, Entry]) -> list[str]:
    """Return the results of a direct encounter, such as ``Bondar 1`` and ``Kravets –`` (not met)."""
    return [
        f"{entries[part.opponent].name} {number_text(part.counted) if part.source is not Source.UNMET else '–'}"
        for part in value.parts
        if part.opponent is not None and part.opponent in entries
    ]


def upper(text: str) -> str:
    """Return a text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _above(ranking: Ranking, entry: EntryId, entries: Mapping[int, Entry]) -> Entry | None:
    order = [line.entry for line in ranking]
    index = order.index(entry)
    return entries[order[index - 1]] if index else None


def _parted(ranking: Ranking, entry: EntryId, entries: Mapping[int, Entry], private: Unpublished) -> str:
    above = _above(ranking, entry, entries)
    if above is None:
        return ""
    parting = parted_by(ranking, entry, EntryId(above.pk))
    name = above.name
    if parting is None:
        return _("Level with %(name)s on everything: they share the place.") % {"name": name}
    if parting.code == "PTS":
        return _("Below %(name)s by points: %(worse)s against %(better)s.") % {
            "name": name,
            "worse": value_text(parting.worse, entry, private),
            "better": value_text(parting.better, above.pk, private),
        }
    if private.hides(parting.code, entry) or private.hides(parting.code, above.pk):
        return _(
            "Below %(name)s: level on %(level)s; then %(title)s decides, which is not shown because a rating in it is "
            "not published."
        ) % {
            "name": name,
            "level": ", ".join(title_of(code) for code in ranking.order[: parting.position]),
            "title": title_of(parting.code),
        }
    return _("Below %(name)s: level on %(level)s; then %(title)s decides, %(worse)s against %(better)s.") % {
        "name": name,
        "level": ", ".join(title_of(code) for code in ranking.order[: parting.position]),
        "title": title_of(parting.code),
        "worse": value_text(parting.worse, entry, private),
        "better": value_text(parting.better, above.pk, private),
    }
