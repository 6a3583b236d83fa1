"""The rules about places and prizes in force, and who belongs to a category."""

from __future__ import annotations

from dataclasses import replace

from prizes.engine.allocation import Base
from prizes.engine.rules import PrizeRules, parse_rules
from prizes.engine.shares import resolved
from prizes.models import PrizePot
from tourney.kernel.categories import Person, belongs
from tourney.models import Category, Entry, Tournament
from tourney.selectors import current_spec


def prize_rules(tournament: Tournament) -> PrizeRules:
    """Return the rules about places and prizes in force; percentages are amounts once their pots are fixed."""
    rules = parse_rules(current_spec(tournament))
    if not any(prize.percent for prize in rules.prizes):
        return rules
    pots = {Base(pot.base): pot.money for pot in PrizePot.objects.filter(tournament=tournament)}
    return replace(rules, prizes=resolved(rules.prizes, pots))


def fits_category(entry: Entry, category: Category) -> bool:
    """Return whether a player belongs to a category: every condition it names must hold."""
    player = entry.player
    born = player.birth_year or (player.birth_date.year if player.birth_date else None)
    person = Person(player.sex, born, player.district, entry.level or player.level, entry.rating)
    return belongs(person, category.rule or {})
