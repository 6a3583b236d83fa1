"""Why this pair: what a page tells of a board or a bye of a round, and of any other opponent somebody names.

The engine pairs the round again from the question it was asked (`swiss.questions`) and gives reasons as codes; here
they become sentences about people. A pair changed by hand is said to be one, with the rules it bends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from swiss import why_words as words
from swiss.engine.articles import cite
from swiss.engine.explain import Explanation, PairView, PlayerView, Reason
from swiss.engine.outline import FEWER, NOBODY_LEFT, Floater, Outline, natural_opponent, outline, stays
from swiss.engine.plan import NoValidPairing
from swiss.hand_words import bent_lines
from swiss.models import Pairing, Round
from swiss.questions import Question, question_of
from swiss.why_story import Line, Part, Story
from swiss.why_table import table_answer, table_story
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.models import Entry, Stage

REASON_SECONDS = 6 * 60 * 60
STAYING_SHOWN = 3

Naming = Callable[[Entry], str]


class Why:
    """The reasons for one row of a round."""

    def __init__(
        self, round_: Round, stage: Stage, pairing: Pairing, entries: Mapping[int, Entry], naming: Naming
    ) -> None:
        self.round, self.stage, self.pairing, self.entries, self._naming = round_, stage, pairing, entries, naming
        self.question: Question = question_of(round_, stage)
        self._explanation: Explanation | None = None

    @property
    def explanation(self) -> Explanation:
        """The engine's round; NoValidPairing when today's tables allow none."""
        if self._explanation is None:
            self._explanation = self.question.explain()
        return self._explanation

    @property
    def is_table(self) -> bool:
        return self.stage.kind == Stage.Kind.ROUND_ROBIN

    def name(self, pk: int) -> str:
        return self._naming(self.entries[pk]) if pk in self.entries else "–"

    # -- the story -----------------------------------------------------------------------------------------------------

    def story(self) -> Story:
        """Return what the page shows."""
        if self.pairing.black_id is None:
            heading = self.name(self.pairing.white_id)
        else:
            heading = f"{self.name(self.pairing.white_id)} – {self.name(self.pairing.black_id)}"
        if self.is_table:
            story = Story(heading, "")
            table_story(self, story)
        elif self.pairing.bye not in ("", ByeKind.PAIRING):
            return Story(heading, self._asked_for())
        else:
            story = self._swiss_story(heading)
        if not self.question.recorded:
            story.note = _("The round came from a file or is older than this page: it is explained by today's tables.")
        return story

    def _asked_for(self) -> str:
        kind = ByeKind(self.pairing.bye)
        name = self.name(self.pairing.white_id)
        if kind is ByeKind.ZERO:
            return _("%(name)s does not play this round, so nobody was sought for this game.") % {"name": name}
        return _("%(name)s misses this round with a bye that was asked for or given, so no opponent was sought.") % {
            "name": name
        }

    def _swiss_story(self, heading: str) -> Story:
        try:
            explanation = self.explanation
        except NoValidPairing:
            return Story(
                heading, _("By today's tables no pairing of this round keeps all rules, so it can't be explained.")
            )
        white = EntryId(self.pairing.white_id)
        view = explanation.pair(white)
        bye = explanation.bye()
        if self.pairing.black_id is None:
            story = Story(heading, "")
            if bye is not None and bye.entry == white:
                self._bye_story(story, explanation)
            else:
                self._changed(story)
        else:
            story = Story(heading, "")
            if view is not None and {view.higher.entry, view.lower.entry} == {white, self.pairing.black_id}:
                self._pair_story(story, explanation, view)
            else:
                self._changed(story)
        present = [int(card.entry) for card in explanation.field.cards]
        story.of_choices = [(pk, self.name(pk)) for pk in self._own() if pk in present]
        others = sorted((pk for pk in present if pk not in self._own()), key=lambda pk: self.name(pk).casefold())
        if story.of_choices:
            story.choices = [(str(pk), self.name(pk)) for pk in others]
            if self.pairing.black_id is not None and bye is not None:
                story.choices.insert(0, ("bye", _("nobody: the bye")))
        return story

    def _own(self) -> list[int]:
        return [pk for pk in (self.pairing.white_id, self.pairing.black_id) if pk is not None]

    def _changed(self, story: Story) -> None:
        """Tell of a row the engine did not make: by hand, late, or by data that has changed since."""
        explanation = self.explanation
        if self.pairing.by_hand:
            story.lead = _("The arbiter made this row by hand; it is not the engine's.")
        else:
            story.lead = _("By the data known to this page the rules would pair these players otherwise.")
        for pk in self._own():
            view = explanation.pair(EntryId(pk))
            bye = explanation.bye()
            if view is not None:
                other = view.lower.entry if view.higher.entry == pk else view.higher.entry
                text = _("By the rules %(name)s would play %(other)s.")
                story.by_hand.append(text % {"name": self.name(pk), "other": self.name(other)})
            elif bye is not None and bye.entry == pk:
                story.by_hand.append(_("By the rules %(name)s would have the bye.") % {"name": self.name(pk)})
            else:
                text = _("%(name)s was not there when the round was paired.")
                story.by_hand.append(text % {"name": self.name(pk)})
        story.by_hand += bent_lines(self.question, [self.pairing], self.name, whole=False)

    def _pair_story(self, story: Story, explanation: Explanation, view: PairView) -> None:
        higher, lower = self.name(view.higher.entry), self.name(view.lower.entry)
        shape = outline(explanation, view.bracket)
        story.lead = self._lead(view, shape)
        story.people = [self._line(view.higher), self._line(view.lower)]
        if view.higher.color is Color.BLACK:
            story.people.reverse()
        story.parts.append(self._group_part(shape))
        if down := [one for one in shape.moved_down if one.entry in (view.higher.entry, view.lower.entry)]:
            story.parts.append(self._float_part(explanation, view.bracket - 1, down))
        place = [self._place_line(view, higher, lower)]
        natural = natural_opponent(explanation, view.higher.entry)
        if natural is not None:
            place.append(self._natural_line(explanation, view, natural))
        story.parts.append(Part(_("Place in the group"), place, cite("3.2", "4.2")))
        story.parts.append(
            Part(
                _("Colours"),
                [words.color_words(view.color_reason, first=self.question.history.rounds_done == 0)],
                cite(view.color_reason),
            )
        )
        white = view.higher if view.higher.color is Color.WHITE else view.lower
        if white.entry != self.pairing.white_id:
            story.by_hand.append(
                _("The arbiter turned the colours by hand; by the rules %(name)s would have White.")
                % {"name": self.name(white.entry)}
            )

    def _lead(self, view: PairView, shape: Outline) -> str:
        higher, lower = self.name(view.higher.entry), self.name(view.lower.entry)
        if view.higher.score == view.lower.score:
            if self.question.history.rounds_done == 0:
                return _("In the first round everybody has the same score: the list is cut in two halves.")
            return _("%(higher)s and %(lower)s play because both have %(points)s.") % {
                "higher": higher,
                "lower": lower,
                "points": words.points_words(view.higher.score),
            }
        text = _("%(higher)s has %(more)s and %(lower)s %(less)s: somebody had to meet a player of another score.")
        return text % {
            "higher": higher,
            "more": words.points_words(view.higher.score),
            "lower": lower,
            "less": words.points_words(view.lower.score),
        }

    def _line(self, view: PlayerView) -> Line:
        return Line(
            self.name(view.entry),
            view.color.value,
            str(words.COLORS[view.color]),
            view.score,
            _place_words(view),
            words.claim_words(view),
            words.squares_of(view),
        )

    def _group_part(self, shape: Outline) -> Part:
        lines = [
            ngettext(
                "%(n)d player of this round has %(points)s.",
                "%(n)d players of this round have %(points)s.",
                shape.residents,
            )
            % {"n": shape.residents, "points": words.points_words(shape.score)}
        ]
        if shape.moved_down:
            names = ", ".join(self.name(one.entry) for one in shape.moved_down)
            lines.append(_("From above came down: %(names)s.") % {"names": names})
        going = [one for one in shape.floaters if not one.gets_bye]
        if going:
            names = ", ".join(self.name(one.entry) for one in going)
            lines.append(_("Further down went: %(names)s.") % {"names": names})
        lines.append(_("Players with the same score meet, as far as that is possible."))
        return Part(_("Score group"), lines, cite("1.3"))

    def _float_part(self, explanation: Explanation, number: int, down: list[Floater]) -> Part:
        lines = [self._float_line(one) for one in down]
        for entry, reason in stays(explanation, number, STAYING_SHOWN):
            told = words.reason_words(reason)
            lines.append(
                _("Why not %(name)s, who is ranked lower? %(reason)s (%(rule)s)")
                % {"name": self.name(entry), "reason": told["text"], "rule": told["cited"]}
            )
        return Part(_("Moved down"), lines, cite("1.4"))

    def _float_line(self, one: Floater) -> str:
        values = {"name": self.name(one.entry), "points": words.points_words(one.from_score)}
        if one.reason == NOBODY_LEFT:
            return _("%(name)s came down with %(points)s: nobody was left there whom %(name)s may meet.") % values
        if one.reason == FEWER:
            text = _("%(name)s came down with %(points)s: the rules left fewer pairs there than players for them.")
            return text % values
        return (
            _("%(name)s came down with %(points)s: the number of players there was odd, so one was left over.") % values
        )

    def _place_line(self, view: PairView, higher: str, lower: str) -> str:
        if view.higher.moved_down:
            return _("Those who came down are paired first, the highest with the highest they may meet.")
        halves = view.higher.half.startswith("S1") and view.lower.half.startswith("S2")
        text = words.HALVES if halves else words.ONE_HALF
        return text % {"higher": higher, "a": view.higher.place, "lower": lower, "b": view.lower.place}

    def _natural_line(self, explanation: Explanation, view: PairView, natural: EntryId) -> str:
        reason = self._against(int(view.higher.entry), int(natural))
        if reason is None:
            return ""
        told = words.reason_words(reason)
        if reason.rule == "order":
            text = _("The plain order would give %(name)s, but pairs above or below made the places shift.")
            return text % {"name": self.name(natural)}
        text = _("The plain order would give %(name)s as opponent, but: %(reason)s (%(rule)s)")
        return text % {"name": self.name(natural), "reason": told["text"], "rule": told["cited"]}

    def _bye_story(self, story: Story, explanation: Explanation) -> None:
        view = explanation.bye()
        if view is None:
            raise AssertionError("nobody has the bye")
        name = self.name(view.entry)
        story.lead = _("The number of players is odd, so one has no opponent: %(name)s.") % {"name": name}
        story.parts.append(
            Part(
                _("Score group"),
                [
                    _("The bye goes to the lowest score from which everybody else can be paired: here %(points)s.")
                    % {"points": words.points_words(view.score)}
                ],
                cite("C5"),
            )
        )
        if view.barred:
            names = ", ".join(self.name(entry) for entry in view.barred)
            text = _("Not possible, because of an earlier bye or a whole point without playing: %(names)s.")
            story.parts.append(Part(_("Who can't have it"), [text % {"names": names}], cite("C2")))
        step = next(
            n for n, one in enumerate(explanation.pairing.steps, 1) if explanation.pairing.bye in one.bracket.members
        )
        staying = stays(explanation, step, STAYING_SHOWN) if step == len(explanation.pairing.steps) else ()
        lines = []
        for entry, reason in staying:
            told = words.reason_words(reason)
            lines.append(
                _("Why not %(name)s, who is ranked lower? %(reason)s (%(rule)s)")
                % {"name": self.name(entry), "reason": told["text"], "rule": told["cited"]}
            )
        if lines:
            story.parts.append(Part(_("Others of this score"), lines))

    # -- any other opponent --------------------------------------------------------------------------------------------

    def answer(self, of: int, other: str) -> dict[str, Any] | None:
        """Return why `of` does not play `other` (an entry, or "bye"); None for what isn't in the round."""
        if self.is_table:
            return table_answer(self, of, other)
        if of not in self._own():
            return None
        try:
            if other == "bye":
                title = _("Why has %(name)s not the bye?") % {"name": self.name(of)}
                reason = self._against(of, None)
            else:
                if not other.isdecimal() or int(other) not in self.entries:
                    return None
                title = _("Why does %(name)s not play %(other)s?") % {
                    "name": self.name(of),
                    "other": self.name(int(other)),
                }
                reason = self._against(of, int(other))
        except NoValidPairing:
            return None
        except TourneyError:
            return None
        if reason is None:
            return {
                "title": title,
                "text": _("By the rules just that was paired."),
                "more": [],
                "cited": "",
                "value": "",
            }
        more = [] if other == "bye" else self._apart(of, int(other))
        return {"title": title, "more": more, **words.reason_words(reason)}

    def _apart(self, of: int, other: int) -> list[str]:
        """Say that two are of different scores: one of them would have to go down."""
        cards = {int(card.entry): card for card in self.explanation.field.cards}
        if of not in cards or other not in cards or cards[of].score == cards[other].score:
            return []
        high, low = sorted((of, other), key=lambda pk: -cards[pk].score)
        text = _("%(high)s has %(more)s, %(low)s %(less)s: %(high)s would have to go down for this game.")
        return [
            text
            % {
                "high": self.name(high),
                "more": words.points_words(cards[high].score),
                "low": self.name(low),
                "less": words.points_words(cards[low].score),
            }
        ]

    def _against(self, of: int, other: int | None) -> Reason | None:
        """Return the engine's reason; a recorded question always has the same, so it is kept."""
        if not self.question.recorded:
            return self._ask(of, other)
        key = f"swiss.why:{self.round.pk}:{of}:{other or 'bye'}"
        kept = cache.get(key)
        if kept is None:
            kept = (self._ask(of, other),)
            cache.set(key, kept, REASON_SECONDS)
        found: Reason | None = kept[0]
        return found

    def _ask(self, of: int, other: int | None) -> Reason | None:
        explanation = self.explanation
        return (
            explanation.against_bye(EntryId(of)) if other is None else explanation.against(EntryId(of), EntryId(other))
        )


def _place_words(view: PlayerView) -> str:
    if view.moved_down:
        return _("came down")
    if view.half.startswith("S1"):
        return _("upper half, no. %(place)s") % {"place": view.place}
    return _("lower half, no. %(place)s") % {"place": view.place}
