"""What a screen of the hall can show, and the pages it shows in turn.

Kinds of pages come from the core (news, a text of one's own) and from the apps (`hall` in `tourney.panels`). A page
holds so few rows that they are read from ten metres; what has more rows is cut into parts that follow each other.
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tourney import panels
from tourney.models import HallScreen, Section, Stage, Tournament
from tourney.services.news import news_of

Row = TypeVar("Row")

SECONDS = 15  # a page stays so long unless told otherwise
FEWEST_SECONDS, MOST_SECONDS = 5, 600
MOST_PAGES = 24
NEWS_ON_A_SCREEN = 3
ROWS = 8  # of a list on one screenful
NAMES = 9  # of one of two columns side by side
# What fits on a wide screen: letters of a line and lines, of the text under a title of news and of a text of one's own.
NEWS_LETTERS, NEWS_LINES = 58, 10
TEXT_LETTERS, TEXT_LINES = 36, 7


@dataclass(frozen=True, slots=True)
class HallPage:
    """One screenful: a template with its context under a title. `note` stands small beside the title."""

    title: str
    template: str
    context: dict[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class HallKind:
    """A kind of page. `fits` says which groups have it; None: it is about the whole event.

    `pages(tournament, section, entry, now)` gives the screenfuls of one entry of the rotation (`section` is None for
    a page of the event). `by_minute`: its words change with the clock and not only with results.
    """

    key: str
    label: Any
    pages: Callable[[Tournament, Section | None, RotationLine, datetime], list[HallPage]]
    fits: Callable[[Section], bool] | None = None
    order: int = 50
    by_minute: bool = False
    usual: bool = True  # on a new screen unless the organizer says otherwise


@dataclass(frozen=True, slots=True)
class RotationLine:
    """One line of a screen's rotation: a kind of page, of one group or ("") of all, so many seconds a screenful."""

    kind: str
    section: str = ""
    seconds: int = SECONDS
    text: str = ""
    nth: int = 1  # of the lines of its kind and group: two texts of one's own are two pages

    @property
    def key(self) -> str:
        """What the remote control calls it."""
        name = f"{self.kind}.{self.section}" if self.section else self.kind
        return name if self.nth == 1 else f"{name}~{self.nth}"

    def stored(self) -> dict[str, Any]:
        """Return the line as the table keeps it."""
        return {"kind": self.kind, "section": self.section, "seconds": self.seconds, "text": self.text}


@dataclass(frozen=True, slots=True)
class Shown:
    """A screenful in the rotation: its name on the screen, and the line it belongs to."""

    id: str
    of: str
    seconds: int
    page: HallPage


def parts(rows: Sequence[Row], most: int) -> list[Sequence[Row]]:
    """Cut rows into parts of at most `most`, as even as they can be: 9 rows of at most 8 are 5 and 4."""
    if not rows:
        return []
    number = -(-len(rows) // most)
    size, more = divmod(len(rows), number)
    cut, start = [], 0
    for index in range(number):
        end = start + size + (index < more)
        cut.append(rows[start:end])
        start = end
    return cut


def passages(text: str, *, width: int, lines: int) -> list[str]:
    """Cut a text into parts of at most `lines` lines of `width` letters, between paragraphs or words."""
    found: list[str] = []
    page: list[str] = []
    used = 0
    for paragraph in filter(None, (one.strip() for one in text.splitlines())):
        left = textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
        while left:
            room = lines - used - bool(page)  # paragraphs stand apart
            if room < min(2, len(left)) and page:  # no single line of a longer one at the foot
                found.append("\n".join(page))
                page, used = [], 0
                continue
            used += bool(page)
            taken: list[str] = []
            height = 0
            while left and (
                not taken or height + -(-len(left[0]) // width) <= room
            ):  # one long word takes several lines
                height += -(-len(left[0]) // width)
                taken.append(left.pop(0))
            used += height
            page.append(" ".join(taken))
    return [*found, "\n".join(page)] if page else found


def numbered(title: str, index: int, count: int) -> str:
    """Return the title of a part: `Standings 2/5`."""
    return f"{title} {index + 1}/{count}".strip() if count > 1 else title


def kinds_of(tournament: Tournament) -> dict[str, HallKind]:
    """Return the kinds of pages an event can show, in their order."""
    kinds = [*CORE, *panels.collect("hall", tournament)]
    return {kind.key: kind for kind in sorted(kinds, key=lambda kind: kind.order)}


def rotation(screen: HallScreen) -> list[RotationLine]:
    """Return the lines of a screen's rotation; two lines of one kind and group have different keys."""
    found: list[RotationLine] = []
    for stored in screen.pages:
        kind, section = str(stored.get("kind", "")), str(stored.get("section", ""))
        nth = 1 + sum(1 for line in found if (line.kind, line.section) == (kind, section))
        found.append(RotationLine(kind, section, int(stored.get("seconds", SECONDS)), str(stored.get("text", "")), nth))
    return found


def usual_rotation(tournament: Tournament) -> list[RotationLine]:
    """Return what a new screen shows: whatever the groups of the event have, of all groups."""
    sections = sections_of(tournament)
    return [
        RotationLine(kind.key)
        for kind in kinds_of(tournament).values()
        if kind.usual and (kind.fits is None or any(kind.fits(section) for section in sections))
    ]


def sections_of(tournament: Tournament) -> list[Section]:
    """Return the groups of an event, each knowing its event."""
    sections = list(tournament.sections.all())
    for section in sections:
        section.tournament = tournament
    return sections


def shown_pages(screen: HallScreen, now: datetime) -> list[Shown]:
    """Return everything a screen shows in turn, in the active language."""
    tournament = screen.tournament
    kinds, sections = kinds_of(tournament), sections_of(tournament)
    found = []
    for number, line in enumerate(rotation(screen)):
        kind = kinds.get(line.kind)
        if kind is None:
            continue
        for about in _about(kind, line, sections):
            for part, page in enumerate(kind.pages(tournament, about, line, now)):
                code = f"-{about.code}" if about else ""
                found.append(Shown(f"p{number}-{kind.key}{code}-{part + 1}", line.key, line.seconds, page))
    return found


def _about(kind: HallKind, line: RotationLine, sections: Sequence[Section]) -> Iterator[Section | None]:
    """Say what a line is about: nothing in particular, a group, or each group that has such a page."""
    if kind.fits is None:
        yield None
        return
    for section in sections:
        if line.section in ("", section.code) and kind.fits(section):
            yield section


def state_of(screen: HallScreen, now: datetime) -> str:
    """Return what the look of a screen depends on, as a short text: the same text, the same pages. Three queries."""
    tournament = screen.tournament
    stages = Stage.objects.filter(section__tournament=tournament).order_by("pk").values_list("pk", "version", "state")
    news = tournament.news.order_by("pk").values_list("pk", "changed_at")
    kinds = kinds_of(tournament)
    by_minute = any(kinds[line.kind].by_minute for line in rotation(screen) if line.kind in kinds)
    facts = (screen.version, list(stages), [(pk, at.isoformat()) for pk, at in news], tournament.state)
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
    return f"{screen.pk}.{digest}.{now:%H%M}" if by_minute else f"{screen.pk}.{digest}"


# -- the core's own kinds --------------------------------------------------------------------------------------------


def _news_pages(
    tournament: Tournament, _section: Section | None, _line: RotationLine, _now: datetime
) -> list[HallPage]:
    found = []
    for item in news_of(tournament)[:NEWS_ON_A_SCREEN]:
        title_lines = -(-len(item.title_text) // TEXT_LETTERS)
        texts = passages(item.body_text, width=NEWS_LETTERS, lines=max(2, NEWS_LINES - 2 * title_lines)) or [""]
        found += [
            HallPage(
                numbered(_("News"), index, len(texts)),
                "tourney/hall/news.html",
                {"item": item, "text": text, "tournament": tournament},
            )
            for index, text in enumerate(texts)
        ]
    return found


def _text_pages(
    _tournament: Tournament, _section: Section | None, line: RotationLine, _now: datetime
) -> list[HallPage]:
    title, _line, text = line.text.partition("\n")
    if not line.text.strip():
        return []
    texts = passages(text, width=TEXT_LETTERS, lines=TEXT_LINES) or [""]
    return [
        HallPage(numbered(title.strip(), index, len(texts)), "tourney/hall/text.html", {"text": one})
        for index, one in enumerate(texts)
    ]


CORE = (
    HallKind("news", gettext_lazy("News"), _news_pages, order=80),
    HallKind("text", gettext_lazy("Text of your own"), _text_pages, order=90, usual=False),
)
