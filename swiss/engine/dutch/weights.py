"""The criteria C6–C21 as bit fields of one whole number, so that the best pairing is the heaviest matching."""

from __future__ import annotations

from swiss.engine.dutch.bracket import Bracket
from swiss.engine.dutch.cards import Float
from swiss.engine.dutch.colors import cost
from swiss.engine.dutch.field import Field


class Layout:
    """Fields packed into one whole number, the first the most important."""

    def __init__(self) -> None:
        self.widths: list[int] = []

    def add(self, highest_sum: int) -> int:
        """Reserve a field for values that sum up to at most this; return its number."""
        self.widths.append(max(1, highest_sum.bit_length()))
        return len(self.widths) - 1

    def shifts(self) -> list[int]:
        """Return where each field starts."""
        shifts = []
        position = sum(self.widths)
        for width in self.widths:
            position -= width
            shifts.append(position)
        return shifts


class Criteria:
    """The weights C6–C21 give to the pairs inside a bracket and to the ways out of it."""

    def __init__(self, field: Field, bracket: Bracket, *, count_unplayed: bool) -> None:
        self.field = field
        cards = field.cards
        self.moved = set(bracket.moved_down)
        most = len(bracket.members) + len(bracket.next_group) + 2
        layout = Layout()
        moved_scores = sorted({cards[index].score for index in bracket.moved_down}, reverse=True)
        bracket_scores = sorted({cards[index].score for index in bracket.members}, reverse=True)
        fields = {"C6": layout.add(most)}
        for score in moved_scores:
            fields[f"C7.{score}"] = layout.add(most)
        fields["C8"] = layout.add(most)
        for score in bracket_scores:
            fields[f"C8.{score}"] = layout.add(most)
        if count_unplayed:
            fields["C9"] = layout.add(field.rounds_done)
        names = ["C12", "C13", "C14", "C15", "C16", "C17"]
        if field.topscorers:
            names = ["C10", "C11", *names]
        for name in names:
            fields[name] = layout.add(most)
        for name in ("C18", "C19", "C20", "C21"):
            for score in moved_scores:
                fields[f"{name}.{score}"] = layout.add(most)
        self.bits = sum(layout.widths)
        shifts = layout.shifts()
        self.unit = {name: 1 << shifts[number] for name, number in fields.items()}
        self.count_unplayed = count_unplayed
        self._resident_gain = {index: self._resident(index) for index in bracket.residents}
        self._moved_gain = {index: self._moved_down(index) for index in bracket.moved_down}
        self._upfloat_loss = {
            index: {score: self._upfloat(index, score) for score in moved_scores} for index in bracket.residents
        }
        unit = self.unit
        self._pair_base = unit["C6"] + sum(unit[name] for name in ("C12", "C13", "C15", "C17"))
        if field.topscorers:
            self._pair_base += unit["C10"] + unit["C11"]

    def _resident(self, index: int) -> int:
        card = self.field.cards[index]
        gain = self.unit["C14"] if card.last_float is Float.DOWN else 0
        return gain + (self.unit["C16"] if card.float_before is Float.DOWN else 0)

    def _moved_down(self, index: int) -> int:
        card = self.field.cards[index]
        unit, score = self.unit, card.score
        gain = unit[f"C7.{score}"] + unit[f"C19.{score}"] + unit[f"C21.{score}"]
        if card.last_float is Float.DOWN:
            gain += unit[f"C18.{score}"]
        if card.float_before is Float.DOWN:
            gain += unit[f"C20.{score}"]
        return gain

    def _upfloat(self, index: int, score: int) -> int:
        card = self.field.cards[index]
        loss = 0
        if card.last_float is Float.UP:
            loss += self.unit["C15"] + self.unit[f"C19.{score}"]
        if card.float_before is Float.UP:
            loss += self.unit["C17"] + self.unit[f"C21.{score}"]
        return loss

    def pair(self, first: int, second: int) -> int:
        """Return the weight of a pair inside the bracket; `second` is a resident."""
        cards = self.field.cards
        unit = self.unit
        weight = self._pair_base + self._resident_gain[second]
        if first in self.moved:
            weight += self._moved_gain[first] - self._upfloat_loss[second][cards[first].score]
        else:
            weight += self._resident_gain[first]
        colors = cost(cards[first], cards[second])
        if colors.c12:
            weight -= unit["C12"]
            if colors.c13:
                weight -= unit["C13"]
            if colors.c10:
                weight -= unit["C10"]
            if colors.c11:
                weight -= unit["C11"]
        return weight

    def below(self, floater: int | None) -> int:
        """Return the weight of a pair in the next bracket: a floater with a player there, or two of those (None)."""
        weight = self.unit["C8"]
        return weight if floater is None else weight + self.unit[f"C8.{self.field.cards[floater].score}"]

    def bye(self, index: int) -> int:
        """Return the weight of giving the bye to a player of the bracket."""
        if not self.count_unplayed:
            return 0
        return self.unit["C9"] * self.field.cards[index].games
