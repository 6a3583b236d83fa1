"""Who may play in which section, from the section's rule: level, rating, age, sex, residence, playing up.

The answer is accept, refuse, or needs a decision; a refusal comes before a question, because no decision of the
organizer can turn a boy into a girl or make somebody younger. What opens the door upwards (an older group, girls among
boys) are *grounds* named by the regulation, such as a personal right or the committee's decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from registration.engine.blocks import Block
from tourney.kernel.errors import RuleError


class Decision(StrEnum):
    """What becomes of an application."""

    ACCEPT = "accept"
    REFUSE = "refuse"
    NEEDS_DECISION = "needs_decision"


class Younger(StrEnum):
    """What a section does with players younger than its years."""

    GROUNDS = "grounds"  # only with one of the grounds for playing up
    REFUSE = "refuse"
    ACCEPT = "accept"


class OtherLevels(StrEnum):
    """What happens to a level the section does not name."""

    REFUSE = "refuse"
    NEEDS_DECISION = "decision_needed"


class Residence(StrEnum):
    """Who counts as living in the region."""

    LIVES_AND_REGISTERED = "lives_and_registered"
    LIVES = "lives"
    REGISTERED = "registered"


class Merge(StrEnum):
    """Which sections an organizer may join when too few have come."""

    NEVER = "never"
    SAME_GROUP = "same_group"  # both sexes of one age
    ANY = "any"


@dataclass(frozen=True, slots=True)
class SectionRule:
    """The conditions of one section; what is None or empty is not asked for."""

    code: str = ""
    group: str = ""  # the age group; sections of both sexes share it
    sex: str = ""  # "M" or "F"; "" is open to both
    born_from: int | None = None
    born_to: int | None = None
    levels: tuple[str, ...] = ()
    other_levels: OtherLevels = OtherLevels.REFUSE
    rating_at_least: int | None = None
    rating_at_most: int | None = None
    residence: Residence | None = None
    region: Mapping[str, str] = field(default_factory=dict)
    younger: Younger = Younger.REFUSE
    playing_up: tuple[str, ...] = ()  # grounds that admit to an older group
    girls_among_boys: tuple[str, ...] = ()  # grounds that admit a girl to a boys' section
    merge: Merge = Merge.NEVER
    clause: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """What is known about somebody who wants to enter. `grounds` are those already proven or decided."""

    birth_year: int | None = None
    sex: str = ""
    level: str = ""
    rating: int | None = None
    lives_in_region: bool = False
    registered_in_region: bool = False
    grounds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer and its reason code; `grounds` are those that would open the door."""

    decision: Decision
    reason: str
    grounds: tuple[str, ...] = ()
    clause: str = ""

    @property
    def is_accepted(self) -> bool:
        return self.decision is Decision.ACCEPT


# The ground that an organizer's own word on levels and ratings is recorded under.
COMMITTEE = "committee_decision"


def parse_section(common: Mapping[str, Any], own: Mapping[str, Any], code: str = "", path: str = "") -> SectionRule:
    """Return the rule of a section from the block for all sections and its own; its own keys win."""
    Block(own, path)
    node = Block({**common, **own}, path)
    years = node.integers("birth_years", (), low=1900)
    if years and (len(years) != 2 or years[0] > years[1]):
        raise node.fail("birth_years", "rule.not_a_range", got=str(list(years)))
    if node.has("residence"):
        region: Mapping[str, str] = node.words("residence")
        residence: Residence | None = node.choice("residence_needs", Residence, Residence.LIVES_AND_REGISTERED)
    else:
        region, residence = {}, None
    rule = SectionRule(
        code=code,
        group=node.text("group", ""),
        sex=node.choice("sex", ("M", "F", ""), ""),
        born_from=years[0] if years else None,
        born_to=years[1] if years else None,
        levels=node.codes("levels", ()),
        other_levels=node.choice("other_levels", OtherLevels, OtherLevels.REFUSE),
        rating_at_least=node.optional_integer("rating_at_least", low=0, high=4000),
        rating_at_most=node.optional_integer("rating_at_most", low=0, high=4000),
        residence=residence,
        region=region,
        younger=node.choice("younger", Younger, Younger.GROUNDS if node.has("playing_up") else Younger.ACCEPT),
        playing_up=node.codes("playing_up", ()),
        girls_among_boys=node.codes("girls_among_boys", ()),
        merge=node.choice("merge", Merge, Merge.NEVER),
        clause=node.text("clause", ""),
    )
    node.finish()
    _check(rule, node)
    return rule


def _check(rule: SectionRule, node: Block) -> None:
    low, high = rule.rating_at_least, rule.rating_at_most
    if low is not None and high is not None and low > high:
        raise node.fail("rating_at_most", "rule.not_a_range", got=f"{low}-{high}")
    if rule.younger is Younger.GROUNDS and not rule.playing_up:
        raise node.fail("playing_up", "rule.missing")


def check_sections(rules: Sequence[SectionRule], path: str = "sections") -> None:
    """Refuse sections that contradict each other: one code twice, or one age group with different years."""
    for index, rule in enumerate(rules):
        for earlier in rules[:index]:
            if rule.code and rule.code == earlier.code:
                raise RuleError(f"{path}[{index}].code", "rule.twice", got=rule.code)
            same_group = rule.group and rule.group == earlier.group
            if same_group and (rule.born_from, rule.born_to) != (earlier.born_from, earlier.born_to):
                raise RuleError(f"{path}[{index}].eligibility.birth_years", "rule.group_differs", group=rule.group)


# -- the answer ------------------------------------------------------------------------------------------------------


def judge(rule: SectionRule, person: Person) -> Verdict:
    """Return whether a person may enter a section."""
    found = [
        _residence(rule, person),
        _sex(rule, person),
        _age(rule, person),
        _level(rule, person),
        _rating(rule, person),
    ]
    asked = [verdict for verdict in found if verdict is not None]
    for wanted in (Decision.REFUSE, Decision.NEEDS_DECISION, Decision.ACCEPT):
        for verdict in asked:
            if verdict.decision is wanted:
                return Verdict(verdict.decision, verdict.reason, verdict.grounds, rule.clause)
    own = "own_group" if rule.born_from is not None else "open"
    return Verdict(Decision.ACCEPT, own, (), rule.clause)


def _by_grounds(grounds: tuple[str, ...], person: Person, reason: str) -> Verdict:
    if person.grounds.intersection(grounds):
        return Verdict(Decision.ACCEPT, "right_or_decision")
    return Verdict(Decision.NEEDS_DECISION, reason, grounds)


def _residence(rule: SectionRule, person: Person) -> Verdict | None:
    fits = {
        None: True,
        Residence.LIVES: person.lives_in_region,
        Residence.REGISTERED: person.registered_in_region,
        Residence.LIVES_AND_REGISTERED: person.lives_in_region and person.registered_in_region,
    }[rule.residence]
    return None if fits else Verdict(Decision.REFUSE, "residence")


def _sex(rule: SectionRule, person: Person) -> Verdict | None:
    if not rule.sex or person.sex == rule.sex:
        return None
    if not person.sex:
        return Verdict(Decision.REFUSE, "sex_unknown")
    if person.sex == "F" and rule.girls_among_boys:
        return _by_grounds(rule.girls_among_boys, person, "girl_among_boys")
    return Verdict(Decision.REFUSE, "section")


def _age(rule: SectionRule, person: Person) -> Verdict | None:
    if rule.born_from is None or rule.born_to is None:
        return None
    if person.birth_year is None:
        return Verdict(Decision.REFUSE, "birth_year_unknown")
    if person.birth_year < rule.born_from:
        return Verdict(Decision.REFUSE, "too_old")
    if person.birth_year <= rule.born_to or rule.younger is Younger.ACCEPT:
        return None
    if rule.younger is Younger.REFUSE:
        return Verdict(Decision.REFUSE, "too_young")
    return _by_grounds(rule.playing_up, person, "playing_up")


def _level(rule: SectionRule, person: Person) -> Verdict | None:
    if not rule.levels or person.level in rule.levels:
        return None
    if rule.other_levels is OtherLevels.NEEDS_DECISION:
        return _by_grounds((COMMITTEE,), person, "level")
    return Verdict(Decision.REFUSE, "level")


def _rating(rule: SectionRule, person: Person) -> Verdict | None:
    """Somebody without a rating fails a lower limit and passes an upper one."""
    if rule.rating_at_least is not None and (person.rating is None or person.rating < rule.rating_at_least):
        return Verdict(Decision.REFUSE, "rating_too_low")
    if rule.rating_at_most is not None and person.rating is not None and person.rating > rule.rating_at_most:
        return Verdict(Decision.REFUSE, "rating_too_high")
    return None


def sections_for(rules: Sequence[SectionRule], person: Person) -> list[tuple[SectionRule, Verdict]]:
    """Return the sections open to a person: first those that accept, then those that need a decision."""
    judged = [(rule, judge(rule, person)) for rule in rules]
    order = (Decision.ACCEPT, Decision.NEEDS_DECISION)
    return [pair for wanted in order for pair in judged if pair[1].decision is wanted]


# -- merging ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MergeVerdict:
    """Whether groups may be merged, and why not."""

    allowed: bool
    reason: str = ""


def may_merge(sections: Sequence[SectionRule]) -> MergeVerdict:
    """Return whether these sections may be played as one; each keeps its own placings."""
    if len(sections) < 2 or len({(rule.code, rule.group, rule.sex) for rule in sections}) < len(sections):
        return MergeVerdict(False, "not_two_sections")
    if any(rule.merge is Merge.NEVER for rule in sections):
        return MergeVerdict(False, "never")
    if all(rule.merge is Merge.ANY for rule in sections):
        return MergeVerdict(True)
    if len({rule.group for rule in sections}) > 1:
        return MergeVerdict(False, "across_ages")
    return MergeVerdict(True)
