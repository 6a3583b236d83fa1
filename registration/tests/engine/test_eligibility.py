"""Who may enter which section, by the rules of both presets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from registration.engine.eligibility import (
    Decision,
    Merge,
    MergeVerdict,
    Person,
    SectionRule,
    Verdict,
    check_sections,
    judge,
    may_merge,
    parse_section,
    sections_for,
)
from registration.tests.engine.presets import parsed
from tourney.kernel.errors import RuleError

YOUTH = {section.code: section.who for section in parsed("youth-championship").sections}
KNOCKOUT = parsed("second-chance-32").section("main").who
BOY = Person(birth_year=2009, sex="M", lives_in_region=True, registered_in_region=True)
GIRL = replace(BOY, sex="F")
RIGHT = frozenset({"national_right"})


@pytest.mark.clause("K3.2")
@pytest.mark.parametrize("level", ["KMS", "1", "2"])
def test_named_level_is_admitted(level):
    assert judge(KNOCKOUT, Person(level=level)) == Verdict(Decision.ACCEPT, "open", (), "3.2")


@pytest.mark.clause("K3.2")
def test_other_level_waits_for_the_organizer():
    waiting = Verdict(Decision.NEEDS_DECISION, "level", ("committee_decision",), "3.2")

    assert judge(KNOCKOUT, Person(level="3")) == waiting
    assert judge(KNOCKOUT, Person(level="")) == waiting
    decided = Person(level="3", grounds=frozenset({"committee_decision"}))
    assert judge(KNOCKOUT, decided) == Verdict(Decision.ACCEPT, "right_or_decision", (), "3.2")


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("code", "first", "last"),
    [
        ("u11-boys", 2012, 2013),
        ("u13-boys", 2010, 2011),
        ("u15-boys", 2008, 2009),
        ("u17-boys", 2006, 2007),
        ("u19-boys", 2004, 2005),
    ],
)
def test_birth_years_of_a_group_are_those_of_the_regulation(code, first, last):
    answers = {year: judge(YOUTH[code], replace(BOY, birth_year=year)) for year in range(first - 1, last + 2)}

    assert answers[first - 1] == Verdict(Decision.REFUSE, "too_old", (), "7.8")
    assert answers[first] == answers[last] == Verdict(Decision.ACCEPT, "own_group", (), "7.8")
    assert answers[last + 1].decision is Decision.NEEDS_DECISION


@pytest.mark.clause("M7.8")
def test_playing_up_needs_a_right_or_a_decision():
    rule = YOUTH["u17-boys"]

    asked = judge(rule, BOY)
    assert asked == Verdict(Decision.NEEDS_DECISION, "playing_up", ("national_right", "committee_decision"), "7.8")
    for ground in asked.grounds:
        granted = judge(rule, replace(BOY, grounds=frozenset({ground})))
        assert granted == Verdict(Decision.ACCEPT, "right_or_decision", (), "7.8")
    assert judge(rule, replace(BOY, grounds=frozenset({"large_family"}))).decision is Decision.NEEDS_DECISION


@pytest.mark.clause("M7.8")
def test_girl_among_boys_needs_a_right_or_a_decision_and_a_boy_among_girls_is_never_admitted():
    assert judge(YOUTH["u15-boys"], GIRL).reason == "girl_among_boys"
    assert judge(YOUTH["u15-boys"], replace(GIRL, grounds=RIGHT)).is_accepted
    assert judge(YOUTH["u15-girls"], replace(BOY, grounds=RIGHT)) == Verdict(Decision.REFUSE, "section", (), "7.8")


@pytest.mark.clause("M7.8")
def test_refusal_comes_before_a_question():
    """A girl among boys who is also too old is refused, not asked for a right."""
    assert judge(YOUTH["u13-boys"], GIRL).reason == "too_old"


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(("lives", "registered"), [(True, False), (False, True), (False, False)])
def test_residence_needs_both_living_and_registered(lives, registered):
    person = replace(BOY, lives_in_region=lives, registered_in_region=registered, grounds=RIGHT)

    assert judge(YOUTH["u15-boys"], person) == Verdict(Decision.REFUSE, "residence", (), "7.8")


def test_unknown_birth_year_or_sex_is_refused_with_its_own_reason():
    assert judge(YOUTH["u15-boys"], replace(BOY, birth_year=None)).reason == "birth_year_unknown"
    assert judge(YOUTH["u15-boys"], replace(BOY, sex="")).reason == "sex_unknown"


def test_rating_limits_include_the_limit_itself():
    rule = parse_section({}, {"rating_at_least": 1400, "rating_at_most": 2000})

    reasons = {rating: judge(rule, Person(rating=rating)).reason for rating in (None, 1399, 1400, 2000, 2001)}

    assert reasons == {
        None: "rating_too_low",
        1399: "rating_too_low",
        1400: "open",
        2000: "open",
        2001: "rating_too_high",
    }
    assert judge(parse_section({}, {"rating_at_most": 2000}), Person()).is_accepted


@pytest.mark.clause("M7.8")
def test_sections_for_a_person_puts_the_open_ones_first():
    found = [(rule.code, verdict.decision.value) for rule, verdict in sections_for(tuple(YOUTH.values()), GIRL)]

    assert found == [
        ("u15-girls", "accept"),
        ("u15-boys", "needs_decision"),
        ("u17-boys", "needs_decision"),
        ("u17-girls", "needs_decision"),
        ("u19-boys", "needs_decision"),
        ("u19-girls", "needs_decision"),
    ]


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("codes", "verdict"),
    [
        (["u13-boys", "u13-girls"], MergeVerdict(True)),
        (["u11-boys", "u13-boys"], MergeVerdict(False, "across_ages")),
        (["u17-boys", "u19-girls"], MergeVerdict(False, "across_ages")),
        (["u11-boys", "u11-girls", "u13-girls"], MergeVerdict(False, "across_ages")),
        (["u13-boys", "u13-boys"], MergeVerdict(False, "not_two_sections")),
        (["u13-boys"], MergeVerdict(False, "not_two_sections")),
    ],
)
def test_only_both_sexes_of_one_age_are_merged(codes, verdict):
    assert may_merge([YOUTH[code] for code in codes]) == verdict


def test_merging_follows_the_regulation():
    first, second = SectionRule(code="a", group="A"), SectionRule(code="b", group="B")

    assert may_merge([first, second]) == MergeVerdict(False, "never")
    anything = [replace(first, merge=Merge.ANY), replace(second, merge=Merge.ANY)]
    assert may_merge(anything) == MergeVerdict(True)


@pytest.mark.parametrize(
    ("common", "own", "path", "code"),
    [
        ({}, {"birth_years": [2013, 2012]}, "s.birth_years", "rule.not_a_range"),
        ({}, {"birth_years": [2013]}, "s.birth_years", "rule.not_a_range"),
        ({}, {"sex": "X"}, "s.sex", "rule.not_an_option"),
        ({}, {"rating_at_least": 2000, "rating_at_most": 1000}, "s.rating_at_most", "rule.not_a_range"),
        ({"younger": "grounds"}, {}, "s.playing_up", "rule.missing"),
        ({"merge": "all"}, {}, "s.merge", "rule.not_an_option"),
        ({}, {"levle": ["1"]}, "s.levle", "rule.unknown_key"),
    ],
)
def test_section_with_a_mistake_is_refused_at_its_key(common, own, path, code):
    with pytest.raises(RuleError) as caught:
        parse_section(common, own, "a", "s")

    assert (caught.value.path, caught.value.code) == (path, code)


def test_sections_that_contradict_each_other_are_refused():
    boys = SectionRule(code="b", group="U11", born_from=2012, born_to=2013)

    with pytest.raises(RuleError) as twice:
        check_sections([boys, boys])
    with pytest.raises(RuleError) as differs:
        check_sections([boys, replace(boys, code="g", born_to=2014)])

    assert (twice.value.path, twice.value.code) == ("sections[1].code", "rule.twice")
    assert (differs.value.path, differs.value.code) == ("sections[1].eligibility.birth_years", "rule.group_differs")
