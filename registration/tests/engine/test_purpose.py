"""The purpose of a transfer: the regulation's words, the name, and a reference that survives any shortening."""

from __future__ import annotations

import pytest

from registration.engine.purpose import FullName, check_template, purpose
from registration.tests.engine.presets import parsed
from tourney.kernel.errors import RuleError, TourneyError

TEMPLATE = parsed("youth-championship").payment.purpose["ru"]
NAME = FullName("Константинопольский", "Александр", "Владимирович")


@pytest.mark.clause("M10.3.5")
def test_purpose_says_what_the_regulation_asks_for():
    assert purpose(TEMPLATE, FullName("Иванов", "Пётр", "Сергеевич")) == (
        "Турнирный взнос за Иванов Пётр Сергеевич, НДС не облагается"
    )


@pytest.mark.clause("M10.3.5")
def test_reference_is_put_at_the_end_unless_the_template_has_a_place_for_it():
    name = FullName("Иванов", "Пётр")

    assert purpose(TEMPLATE, name, reference="K7Q2MP").endswith("НДС не облагается. K7Q2MP")
    assert purpose("{reference} {name}", name, reference="K7Q2MP") == "K7Q2MP Иванов Пётр"
    assert purpose("Взнос {event} {section} {name}.", name, reference="K7Q2MP", event="Кубок", section="U11") == (
        "Взнос Кубок U11 Иванов Пётр. K7Q2MP"
    )


def test_long_purpose_shortens_the_patronymic_first_and_the_reference_never():
    texts = [purpose(TEMPLATE, NAME, reference="K7Q2MP", longest=longest) for longest in (160, 85, 75, 68, 30)]

    assert texts == [
        "Турнирный взнос за Константинопольский Александр Владимирович, НДС не облагается. K7Q2MP",
        "Турнирный взнос за Константинопольский Александр В., НДС не облагается. K7Q2MP",
        "Турнирный взнос за Константинопольский А. В., НДС не облагается. K7Q2MP",
        "Турнирный взнос за Константинопольский, НДС не облагается. K7Q2MP",
        "Турнирный взнос за Конс K7Q2MP",
    ]
    with pytest.raises(TourneyError) as caught:
        purpose(TEMPLATE, NAME, reference="K7Q2MP", longest=7)
    assert caught.value.code == "purpose.too_long"


def test_name_with_braces_or_attributes_is_only_a_name():
    assert purpose("За {name}", FullName("{reference} {x.__class__}"), reference="") == "За {reference} {x.__class__}"


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("Взнос за {name.__class__}", "rule.unknown_field"),
        ("Взнос за {0}", "rule.unknown_field"),
        ("Взнос за {name}}", "rule.stray_brace"),
        ("Взнос", "rule.missing_field"),
    ],
)
def test_template_with_a_mistake_is_refused(template, code):
    with pytest.raises(RuleError) as caught:
        check_template(template, "payment.purpose.ru")

    assert (caught.value.path, caught.value.code) == ("payment.purpose.ru", code)
