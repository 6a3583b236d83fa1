"""The living style page: every part of the kit with invented people. For developers and the accessibility test."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace
from typing import Any

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from tourney import svg
from tourney.kernel.money import Money
from tourney.templatetags.tourney_ui import STATES

PEOPLE = (
    (
        "Білокобильський-Переяславський Святослав",
        "КМС",
        "Київ, ДЮСШ № 5 «Авангард»",
        2011,
    ),
    ("Олександра", "", "Київ", None),
    ("Нечуй-Левицька Катерина-Вікторія", "МС", "Біла Церква", 2087),
    ("Ґудзь Їжак", "", "Львів", 1543),
    ("Иванов Пётр", "1 разряд", "Йошкар-Ола", 1780),
    ("Вишневецька Єлизавета", "2 розряд", "Черкаси", 1490),
)


class ExampleForm(forms.Form):
    """Every kind of field that the product uses."""

    name = forms.CharField(label="Surname and name", help_text="As in the birth certificate.")
    birth = forms.IntegerField(label="Year of birth")
    group = forms.ChoiceField(label="Group", choices=[("u9", "Under 9"), ("u11", "Under 11")])
    note = forms.CharField(label="Note", required=False, widget=forms.Textarea(attrs={"rows": 2}))
    consent = forms.BooleanField(label="I agree to the regulations, version 2")


def _person(index: int, **more: Any) -> dict[str, Any]:
    name, title, club, rating = PEOPLE[index % len(PEOPLE)]
    return {
        "name": name,
        "title": title,
        "more": f"{rating or '–'} · {club}",
        "href": f"#p{index}",
        **more,
    }


def _boards() -> list[dict[str, Any]]:
    rows = [
        {
            "number": 1,
            "result": "1-0",
            "white": _person(0, points=7),
            "black": _person(1, points=6),
        },
        {
            "number": 2,
            "result": "1/2",
            "state": "corrected",
            "white": _person(2, points=6),
            "black": _person(3, points=6),
        },
        {
            "number": 3,
            "open": True,
            "white": _person(4, points=5),
            "black": _person(5, points=5),
            "mine": True,
        },
        {
            "number": 4,
            "result": "+-",
            "white": _person(5),
            "black": _person(0),
            "note": "Black did not come by 10:30.",
        },
        {"number": 0, "bye": "1", "white": _person(1)},
    ]
    for number, row in enumerate(rows):
        row["id"] = f"board-{number}"
    return rows


def _standings() -> list[dict[str, Any]]:
    why = [
        "Equal points with place 2.",
        "They met each other: ½–½.",
        "Buchholz cut 1: 31 against 29½.",
    ]
    return [
        {
            "place": place + 1,
            "points": 13 - place,
            "cells": ["–" if place else "½", "31", "36½", "5", "4"],
            "why": why if place < 3 else "",
            "mine": place == 3,
            "cut": place == 2,
            "id": f"p{place}",
            **_person(place),
            "href": f"#p{place}",
        }
        for place in range(6)
    ]


def _crosstable() -> list[dict[str, Any]]:
    texts = [("1", "w"), ("½", "b"), ("0", "w"), ("+", ""), ("1", "b"), ("½", "w")]
    rows = []
    for place in range(6):
        cells: list[dict[str, Any]] = [
            {
                "text": texts[(place + k) % 6][0],
                "color": texts[(place + k) % 6][1],
                "opponent": (place + k) % 6 + 1,
            }
            for k in range(6)
        ]
        cells[place] = {"self": True}
        rows.append(
            {
                "place": place + 1,
                "points": 9 - place,
                "cells": cells,
                "tail": ["18½", "3"],
                **_person(place),
            }
        )
    return rows


def example_bracket() -> svg.Bracket:
    """A quarter of a knockout with every look of a box."""
    names = [person[0] for person in PEOPLE]
    first = [
        svg.Box(
            svg.column_x(0),
            svg.slot_y(row),
            (
                svg.Side(names[row], "2", str(row + 1), won=True),
                svg.Side(names[(row + 3) % 6], "0", str(8 - row), lost=True),
            ),
            label=f"U1.{row + 1}",
            note="board 5",
            href=f"#match-{row}",
            look="path" if row == 0 else "",
        )
        for row in range(4)
    ]
    second = [
        svg.Box(
            svg.column_x(1),
            svg.slot_y(0.5),
            (svg.Side(names[0], "1"), svg.Side(names[1], "1")),
            "U2.1",
            "1:1, two games 2+1",
            "#m",
            "need",
        ),
        svg.Box(
            svg.column_x(1),
            svg.slot_y(2.5),
            (svg.Side(names[2]), svg.Side(names[3])),
            "U2.2",
            "board 2, 12:40",
            "#m",
            "live",
        ),
    ]
    final = svg.Box(
        svg.column_x(2),
        svg.slot_y(1.5),
        (
            svg.Side("winner of U2.1", placeholder=True),
            svg.Side("winner of U2.2", placeholder=True),
        ),
        "U3.1",
    )
    wires = [svg.elbow(box, second[index // 2], index % 2, on_path=index == 0) for index, box in enumerate(first)]
    wires += [svg.elbow(box, final, index) for index, box in enumerate(second)]
    heads = (
        (svg.column_x(0), "Round 1"),
        (svg.column_x(1), "Round 2"),
        (svg.column_x(2), "Final"),
    )
    return svg.Bracket(
        "Upper bracket",
        "Seven matches in three rounds.",
        (*first, *second, final),
        tuple(wires),
        heads,
    )


def context() -> dict[str, Any]:
    """Return invented values for every component."""
    now = timezone.now()
    form = ExampleForm({"name": "", "birth": "abc", "group": "u9"})
    tournament = SimpleNamespace(
        slug="example",
        title_text="Кубок Лідера серед шахістів-аматорів",
        venue_text="Київ, Палац дітей та юнацтва",
        state="running",
        starts_on=dt.date(2027, 1, 25),
        ends_on=dt.date(2027, 1, 25),
        start_time=dt.time(10),
        contact_email="arbiter@example.org",
        is_rehearsal=True,
    )
    uah = "UAH"
    return {
        "tournament": tournament,
        "live": True,
        "tabs": [
            {"label": label, "url": "#tabs", "active": label == "Standings"}
            for label in ("Start list", "Pairings", "Standings", "Games", "About")
        ],
        "section_links": [
            {
                "label": f"Under {age}, {sex}",
                "url": "#",
                "active": (age, sex) == (11, "boys"),
                "count": age * 2,
            }
            for age in (9, 11, 13)
            for sex in ("boys", "girls")
        ],
        "section": {"title_text": "Under 11, boys"},
        "stepper": [
            {
                "key": "regulation",
                "label": "Regulation",
                "url": "#",
                "state": "done",
                "count": "v2",
                "note": "",
            },
            {
                "key": "registration",
                "label": "Registration",
                "url": "#",
                "state": "done",
                "count": "32",
                "note": "",
            },
            {
                "key": "desk",
                "label": "Desk",
                "url": "#",
                "state": "blocked",
                "count": "3",
                "note": "3 owe 1 200 ₴",
            },
            {
                "key": "draw",
                "label": "Draw",
                "url": "#",
                "state": "done",
                "count": "",
                "note": "",
            },
            {
                "key": "matches",
                "label": "Matches",
                "url": "#",
                "state": "now",
                "count": "41/96",
                "note": "7 without a result",
            },
            {
                "key": "placings",
                "label": "Placings",
                "url": "#",
                "state": "todo",
                "count": "",
                "note": "",
            },
            {
                "key": "prizes",
                "label": "Prizes",
                "url": "#",
                "state": "todo",
                "count": "",
                "note": "",
            },
            {
                "key": "report",
                "label": "Report",
                "url": "#",
                "state": "todo",
                "count": "",
                "note": "",
            },
        ],
        "active_step": "matches",
        "now": [
            {
                "text": "7 boards without a result",
                "url": "#",
                "button": "Enter results",
                "detail": "Round 4 of 8",
            },
            {
                "text": "3 unpaid, 1 on the reserve list",
                "url": "#",
                "button": "Open the desk",
                "detail": "1 200 ₴",
            },
            {
                "text": "4 matches can start: boards 9–12",
                "url": "#",
                "button": "Call",
                "detail": "",
            },
        ],
        "states": list(STATES),
        "looks": ["plain", "draft", "go", "on", "done", "need", "bad", "off"],
        "boards": _boards(),
        "entry": [
            {
                "id": "entry-1",
                "number": 1,
                "action": "#",
                "version": 0,
                "white": _person(0),
                "black": _person(1),
            },
            {
                "id": "entry-2",
                "number": 2,
                "action": "#",
                "version": 3,
                "result": "1-0",
                "state": "not_sent",
                "white": _person(2),
                "black": _person(3),
            },
        ],
        "columns": [
            {"label": "DE", "title": "Direct encounter"},
            {"label": "BH-1", "title": "Buchholz without the lowest"},
            {"label": "BH", "title": "Buchholz"},
            {"label": "W", "title": "Wins"},
            {"label": "B", "title": "Games with Black"},
        ],
        "standings": _standings(),
        "heads": [{"label": str(number), "title": PEOPLE[number - 1][0]} for number in range(1, 7)],
        "tail_heads": [
            {"label": "SB", "title": "Sonneborn-Berger"},
            {"label": "W", "title": "Wins"},
        ],
        "crosstable": _crosstable(),
        "form_cells": [("1", "w"), ("½", "b"), ("0", "w"), ("+", ""), ("1", "b")],
        "rows": [
            {
                "label": "When",
                "value": "Sunday, 25 January, 10:00",
                "note": "arrive by 9:30",
            },
            {"label": "Where", "value": "Kyiv, 3 Shevchenko street", "url": "#"},
            {"label": "Places left", "value": 0, "note": "3 on the reserve list"},
        ],
        "fee_lines": [
            {"label": "Entry fee", "clause": "4.1", "amount": Money(60_000, uah)},
            {
                "label": "Early discount",
                "clause": "4.5",
                "note": "deposit by 20 January",
                "amount": Money(-10_000, uah),
            },
        ],
        "total": Money(50_000, uah),
        "paid": Money(20_000, uah),
        "due": Money(30_050, uah),
        "tiles": [
            {"value": "32", "label": "confirmed", "url": "#"},
            {
                "value": "3",
                "label": "to pay",
                "url": "#",
                "tone": "need",
                "note": "1 200 ₴",
            },
            {"value": "41 / 96", "label": "matches played"},
            {"value": "1", "label": "results differ", "tone": "bad"},
        ],
        "log": [
            {
                "at": now,
                "who": "Гнатюк О. П.",
                "what": "Result of board 2: ½–½",
                "why": "scoresheet read wrongly",
            },
            {
                "at": now - dt.timedelta(minutes=12),
                "who": "",
                "what": "Round 4 published",
            },
            {
                "at": now - dt.timedelta(hours=1),
                "who": "desk",
                "what": "400 ₴ received",
            },
        ],
        "chips": [
            {"label": "Missing", "count": 7, "url": "#", "active": True},
            {"label": "All", "count": 21, "url": "#"},
            {"label": "Changed", "count": 1, "url": "#", "tone": "need"},
            {"label": "differ", "count": 0, "url": "#", "state": "conflict"},
        ],
        "moment": now,
        "form": form,
        "bracket": example_bracket(),
        "progress": svg.Progress(
            "Points by round",
            "Six rounds of eight, 4½ points.",
            (2, 3, 3, 5, 7, 9),
            (("Ґудзь Їжак", (1, 3, 5, 5, 6, 6)),),
            8,
            "round",
        ),
        "drum": svg.Drum(
            "Lottery drum",
            "Drawn: 23, 7. Fourteen numbers stay.",
            tuple(str(n) for n in range(10, 26)),
            ("23", "17"),
        ),
        "consequences": [
            "Board 3 of round 5 is emptied; its result ½–½ is kept in the log.",
            "Two players get a letter.",
        ],
    }


def _live(request: HttpRequest) -> HttpResponse:
    """Answer the poll of the page's live part: it changes once a minute."""
    minute = f"{timezone.localtime():%H:%M}"
    etag = f'"{minute}"'
    if request.headers.get("If-None-Match") == etag:
        return HttpResponse(status=304, headers={"ETag": etag})
    return HttpResponse(format_html("<p>{}</p>", minute), headers={"ETag": etag})


@require_safe
def design(request: HttpRequest, layout: str = "manage") -> HttpResponse:
    """Show the kit under one of the frames; not there on a server in use."""
    if not (settings.DEBUG or getattr(settings, "SHOW_DESIGN", False)):
        raise Http404
    if layout == "live":
        return _live(request)
    frames = {
        "manage": "layout_manage.html",
        "public": "layout_public.html",
        "hall": "layout_hall.html",
        "print": "print/base.html",
    }
    if layout not in frames:
        raise Http404
    return render(request, "design.html", {**context(), "frame": layout, "layout": frames[layout]})
