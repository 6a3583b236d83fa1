"""The small parts of every page: states, players, squares, points, money, moments, icons and drawings.

Larger parts are templates in `templates/components/`. The catalogue with examples is `tourney/docs/design.md`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from django import template
from django.contrib.staticfiles import finders
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext as _

from tourney import formatting, svg
from tourney.assets import ICONS
from tourney.kernel.money import Money
from tourney.kernel.points import format_points
from tourney.kernel.text import in_language
from tourney.shared_cache import address_for_all

register = template.Library()

# A state's look and its word. The look is a shape drawn by the stylesheet: off – dash, draft – dashed ring, plain –
# ring, go – half disc, on – disc, done – square, need – triangle, bad – cross.
STATES: Final[Mapping[str, tuple[str, Any]]] = {
    "draft": ("draft", pgettext_lazy("state", "draft")),
    "planned": ("draft", pgettext_lazy("state", "planned")),
    "proposed": ("draft", pgettext_lazy("state", "proposed")),
    "published": ("on", pgettext_lazy("state", "published")),
    "registration": ("go", pgettext_lazy("state", "registration open")),
    "open": ("go", pgettext_lazy("state", "open")),
    "closed": ("done", pgettext_lazy("state", "closed")),
    "ready": ("plain", pgettext_lazy("state", "ready to start")),
    "running": ("go", pgettext_lazy("state", "running")),
    "playing": ("go", pgettext_lazy("state", "being played")),
    "finished": ("done", pgettext_lazy("state", "finished")),
    "done": ("done", pgettext_lazy("state", "done")),
    "cancelled": ("off", pgettext_lazy("state", "cancelled")),
    "corrected": ("need", pgettext_lazy("state", "corrected")),
    "missing": ("need", pgettext_lazy("state", "no result")),
    "adjourned": ("need", pgettext_lazy("state", "adjourned")),
    "not_sent": ("need", pgettext_lazy("state", "not sent")),
    "stale": ("need", pgettext_lazy("state", "out of date")),
    "conflict": ("bad", pgettext_lazy("state", "results differ")),
    "error": ("bad", pgettext_lazy("state", "failed")),
    "received": ("plain", pgettext_lazy("state", "received")),
    "waiting": ("plain", pgettext_lazy("state", "waiting")),
    "confirmed": ("on", pgettext_lazy("state", "confirmed")),
    "reserve": ("plain", pgettext_lazy("state", "on the reserve list")),
    "offered": ("need", pgettext_lazy("state", "place offered")),
    "expired": ("off", pgettext_lazy("state", "expired")),
    "refused": ("off", pgettext_lazy("state", "refused")),
    "withdrawn": ("off", pgettext_lazy("state", "withdrawn")),
    "disqualified": ("bad", pgettext_lazy("state", "disqualified")),
    "present": ("on", pgettext_lazy("state", "present")),
    "absent": ("off", pgettext_lazy("state", "absent")),
    "paid": ("on", pgettext_lazy("state", "paid")),
    "due": ("need", pgettext_lazy("state", "to pay")),
    "refunded": ("off", pgettext_lazy("state", "refunded")),
    "handed": ("done", pgettext_lazy("state", "handed over")),
}

# -- values --------------------------------------------------------------------------------------------------------


@register.filter
def points(value: int | None) -> str:
    """`{{ score|points }}`: half-points as people write them; nothing for None."""
    return "" if value is None else format_points(int(value))


@register.filter
def money(value: Money | None) -> str:
    """`{{ amount|money }}`: `1 200 ₴`; nothing for None."""
    return "" if value is None else formatting.money_text(value)


@register.filter
def result(code: str) -> str:
    """`{{ game.outcome|result }}`: `1–0`, `½–½`, `+ −`."""
    return formatting.result_text(code or "")


@register.filter
def result_words(code: str) -> str:
    """`{{ game.outcome|result_words }}`: the result in words."""
    return formatting.result_words(code or "")


@register.filter
def in_words(text: Mapping[str, str] | None) -> str:
    """`{{ {uk, ru, en}|in_words }}`: user text in the active language."""
    return in_language(text or {}, (get_language() or "uk")[:2])


@register.filter
def weekday(value: dt.date | dt.datetime | None) -> str:
    """`{{ day|weekday }}`: `Sun, 25 January` (a moment: in the current zone)."""
    if value is None:
        return ""
    return formatting.day_text(formatting.local(value).date() if isinstance(value, dt.datetime) else value)


@register.filter
def days(tournament: Any) -> str:
    """`{{ tournament|days }}`: the days of an event."""
    return formatting.days_text(tournament.starts_on, tournament.ends_on)


@register.filter
def event_line(tournament: Any) -> str:
    """`{{ tournament|event_line }}`: days, start and place."""
    return formatting.event_line(tournament)


@register.simple_tag
def when(value: dt.datetime | None, tournament: Any = None, part: str = "all") -> SafeString | str:
    """`{% when moment tournament %}`: a time element in the event's zone; `part="time"` only hours and minutes."""
    if value is None:
        return ""
    shown = formatting.local(value, getattr(tournament, "zone", None))
    text = f"{shown:%H:%M}" if part == "time" else formatting.moment_text(shown, getattr(tournament, "zone", None))
    return format_html('<time datetime="{}">{}</time>', shown.isoformat(timespec="minutes"), text)


@register.filter
def words(text: str) -> list[str]:
    """`{{ "1-0 1/2"|words }}`: a list of the words of a text."""
    return text.split()


@register.filter
def as_lines(value: Any) -> list[Any]:
    """`{{ why|as_lines }}`: one text or several, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


# -- small parts ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _symbols() -> dict[str, str]:
    """Read the sprite once. Icons never stand alone, so a page without it (before setup) still says everything."""
    found = finders.find("vendor/icons.svg")
    if not found:
        return {}
    text = Path(found).read_text(encoding="utf-8")
    return {
        name: f'<svg class="icon" viewBox="{box}" aria-hidden="true">{drawing}</svg>'
        for name, box, drawing in re.findall(r'<symbol id="([^"]+)" viewBox="([^"]+)">(.*?)</symbol>', text, re.DOTALL)
    }


@register.simple_tag
def icon(name: str) -> SafeString:
    """`{% icon "print" %}`: an icon, always beside a word. Names: `tourney.assets.ICONS`."""
    if name not in ICONS:
        raise template.TemplateSyntaxError(f"unknown icon {name!r}; add it to tourney.assets.ICONS")
    return mark_safe(_symbols().get(name, ""))  # noqa: S308 -- our own sprite, never user text


@register.simple_tag
def state(value: str, label: Any = "") -> SafeString:
    """`{% state "running" %}`: a state badge; `label` replaces the word, the shape stays."""
    look, word = STATES.get(str(value), ("plain", value))
    return format_html('<span class="state state-{}">{}</span>', look, label or word)


@register.simple_tag
def badge(label: Any, look: str = "plain") -> SafeString:
    """`{% badge "3 of 7" "go" %}`: a badge with your word. Looks: plain draft go on done need bad off."""
    return format_html('<span class="state state-{}">{}</span>', look, label)


@register.simple_tag
def piece(color: str) -> SafeString:
    """`{% piece "w" %}`: the white or black piece, with a word for readers."""
    white = str(color) == "w"
    words = _("White") if white else _("Black")
    return format_html('<i class="piece piece-{}" role="img" aria-label="{}"></i>', "w" if white else "b", words)


@register.simple_tag
def player(name: str, href: str = "", title: str = "", more: Any = "", rating: int | None = None) -> SafeString:
    """`{% player name href title more rating %}`: a player chip; `more` is the quiet second line."""
    title_html = format_html('<b class="player-title">{}</b>', title) if title else ""
    name_html = (
        format_html('<a class="player-name" href="{}">{}</a>', href, name)
        if href
        else format_html('<span class="player-name">{}</span>', name)
    )
    second = " · ".join(str(part) for part in (rating, more) if part)
    more_html = format_html('<span class="player-more">{}</span>', second) if second else ""
    return format_html('<span class="player">{}{}{}</span>', title_html, name_html, more_html)


@register.simple_tag
def square(text: str, color: str = "", words: str = "") -> SafeString:
    """`{% square "1" "w" %}`: a result in a square of the colour played; no colour for a bye or a forfeit."""
    side = {"w": _("White"), "b": _("Black")}.get(str(color), "")
    label = words or (f"{side}: {text}" if side else text)
    return format_html('<i class="sq sq-{}" role="img" aria-label="{}">{}</i>', color or "n", label, text)


@register.simple_tag
def squares(cells: Iterable[tuple[str, str]]) -> SafeString:
    """`{% squares cells %}`: form and colours at a glance, from (text, colour) pairs."""
    return format_html('<span class="sq-row">{}</span>', format_html_join("", "{}", ((square(*c),) for c in cells)))


@register.simple_tag(takes_context=True)
def live_stamp(context: template.Context) -> SafeString:
    """`{% live_stamp %}`: says when the live part of the page was heard of, and when it has grown stale.

    The hour is that of the page's event, as all hours on its pages are.
    """
    return format_html(
        '<p class="live-stamp" data-live-stamp data-zone="{}" data-fresh="{}" data-stale="{}" hidden></p>',
        getattr(context.get("tournament"), "time_zone", ""),
        _("Up to date,"),
        _("No connection. What you see is of"),
    )


@register.filter
def for_all(address: str) -> str:
    """`{{ live_url|for_all }}`: the address of a part of the page, in the page's language whoever asks."""
    return address_for_all(address, get_language() or "")


# -- drawings ------------------------------------------------------------------------------------------------------


@register.simple_tag
def bracket_svg(drawing: svg.Bracket) -> SafeString:
    """`{% bracket_svg drawing %}`: a bracket tree in its own scroller."""
    return svg.bracket(drawing)


@register.simple_tag
def progress_svg(chart: svg.Progress) -> SafeString:
    """`{% progress_svg chart %}`: points after each round."""
    return svg.progress(chart)


@register.simple_tag
def drum_svg(drum: svg.Drum) -> SafeString:
    """`{% drum_svg drum %}`: the drum of a lottery with the numbers in it."""
    return svg.drum(drum)
