"""The small parts of pages: they escape what users wrote, and say in words what they show in shapes."""

from __future__ import annotations

import pytest
from django import template
from django.template.loader import render_to_string
from django.utils import translation

from tourney.assets import ICONS
from tourney.templatetags import tourney_ui as ui

HOSTILE = '<script>alert("x")</script>'


def test_a_state_has_a_word_and_a_shape() -> None:
    with translation.override("en"):
        assert ui.state("running") == '<span class="state state-go">running</span>'
        assert ui.state("paid", "in cash") == '<span class="state state-on">in cash</span>'
        assert ui.state("unheard of") == '<span class="state state-plain">unheard of</span>'


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_every_state_has_a_word_in_every_language(language: str) -> None:
    with translation.override(language):
        assert all(str(word) for _, word in ui.STATES.values())


def test_a_player_chip_leaves_out_what_is_missing_and_escapes_names() -> None:
    assert ui.player("Олександра") == '<span class="player"><span class="player-name">Олександра</span></span>'
    assert ui.player("Ґудзь Їжак", "/p/1/", "КМС", "Львів", 2011) == (
        '<span class="player"><b class="player-title">КМС</b><a class="player-name" href="/p/1/">Ґудзь Їжак</a>'
        '<span class="player-more">2011 · Львів</span></span>'
    )
    assert "<script>" not in ui.player(HOSTILE, HOSTILE, HOSTILE, HOSTILE)


def test_a_square_says_its_colour_to_readers() -> None:
    with translation.override("en"):
        assert ui.square("½", "b") == '<i class="sq sq-b" role="img" aria-label="Black: ½">½</i>'
        assert ui.square("+") == '<i class="sq sq-n" role="img" aria-label="+">+</i>'


def test_every_icon_is_in_the_sprite_and_an_unknown_one_is_refused() -> None:
    assert all(ui.icon(name).startswith('<svg class="icon"') for name in ICONS)
    with pytest.raises(template.TemplateSyntaxError, match="unknown icon 'chariot'"):
        ui.icon("chariot")


def test_a_board_row_without_a_result_says_so_and_a_bye_has_no_black_side() -> None:
    with translation.override("en"):
        side = {"name": "Ґудзь Їжак"}
        waiting = render_to_string(
            "components/board_row.html",
            {"board": {"number": 3, "white": side, "black": side}},
        )
        bye = render_to_string("components/board_row.html", {"board": {"white": side, "bye": "1 point"}})
    assert "no result" in waiting
    assert waiting.count("piece-") == 2
    assert "1 point" in bye
    assert "board-b" not in bye.replace("board-bye", "")


def test_the_result_pad_marks_the_entered_result_and_opens_the_drawer_for_a_forfeit() -> None:
    pad = render_to_string("components/result_pad.html", {"action": "/r/", "current": "+-", "version": 4})
    assert pad.count('aria-pressed="true"') == 1
    assert '<details class="result-drawer" open>' in pad
    assert 'name="version" value="4"' in pad
    assert "hx-post" not in pad


def test_only_the_first_task_gets_the_primary_button() -> None:
    tasks = [{"text": f"task {number}", "url": "#", "button": "do"} for number in range(3)]
    assert render_to_string("components/now.html", {"now": tasks}).count("btn-primary") == 1
    assert "now-calm" in render_to_string("components/now.html", {"now": [], "calm": "All done."})


def test_the_page_of_a_failure_needs_no_context() -> None:
    with translation.override("en"):
        assert "Something broke on our side" in render_to_string("500.html")
