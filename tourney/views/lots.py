"""Draws of lots for everybody: the chain of an event, one draw with its steps, and what is needed to check it alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import segno
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tourney import panels
from tourney.draw_steps import Steps, steps_of
from tourney.kernel import chance
from tourney.middleware import use_event_language
from tourney.models import Entry, Lot, LotResult, Stage, Tournament
from tourney.navigation import public_context
from tourney.permissions import public_tournament
from tourney.shared_cache import LIVE, shared
from tourney.svg import Drum

# What a list of a draw of colours holds instead of names.
COLORS = {"white": gettext_lazy("White"), "black": gettext_lazy("Black")}
MOST_BALLS = 120  # a drum with more numbers than this shows nothing any more


@dataclass(frozen=True, slots=True)
class ShownLot:
    """A draw as pages show it. `state`: published (the list and the commitment stand), done or cancelled."""

    lot: Lot
    outcome: LotResult | None
    repeated: bool  # the same thing was drawn before
    chained: bool  # the hash of the draw before it is the one this draw was published with
    subject: str
    names: Mapping[str, Any] = field(default_factory=dict)  # where the list holds numbers of entries: whose they are

    @property
    def state(self) -> str:
        if self.outcome is None:
            return "published"
        return "cancelled" if self.outcome.void_reason else "done"

    @property
    def winners(self) -> list[str]:
        """The result as a list of names, for every kind of draw."""
        return [str(self.names.get(entrant, entrant)) for entrant in self.drawn]

    @property
    def drawn(self) -> list[str]:
        """The result as a list of entrants, as the manifest names them."""
        result = self.outcome.result if self.outcome else None
        if result is None:
            return []
        if self.lot.manifest["kind"] == "coin":
            return [result]
        if self.lot.manifest["kind"] == "pots":
            return [name for pot in result for name in pot]
        return list(result)


@dataclass(frozen=True, slots=True)
class Entrant:
    """One line of a draw's list. `number` is what the manifest says where that isn't the name itself."""

    name: str
    number: str = ""
    drawn: bool = False


@shared()
@require_safe
def lots(request: HttpRequest, slug: str) -> HttpResponse:
    """All draws of an event in the order of their chain: nothing can be left out of it unseen."""
    tournament = public_tournament(request, slug)
    shown = chain(tournament)
    return render(
        request,
        "tourney/lots.html",
        public_context(
            request,
            tournament,
            active="about",
            shown=shown,
            repeated=[one for one in shown if one.repeated],
            broken=[one for one in shown if not one.chained],
        ),
    )


@shared()
@require_safe
def lot(request: HttpRequest, pk: int) -> HttpResponse:
    """One draw: list, commitment, public numbers, result, every step, and how to check it."""
    one = get_object_or_404(Lot.objects.select_related("tournament"), pk=pk)
    tournament = public_tournament(request, one.tournament.slug)
    shown = chain(tournament)
    mine = next(item for item in shown if item.lot.pk == pk)
    steps = _steps(mine)
    manifest = mine.lot.manifest
    before = [item for item in shown if item.lot.number < mine.lot.number and _same(item.lot, mine.lot)]
    return render(
        request,
        "tourney/lot.html",
        public_context(
            request,
            tournament,
            active="about",
            shown=mine,
            lot=mine.lot,
            outcome=mine.outcome,
            earlier=before,
            previous=next((item.lot for item in shown if item.lot.number == mine.lot.number - 1), None),
            pots=_pots(mine, manifest["pots"] if manifest["kind"] == "pots" else [manifest["entrants"]]),
            result_pots=_pots(mine, mine.outcome.result) if steps and manifest["kind"] == "pots" else [],
            numbers=_numbers(mine.outcome.entropy, _sources(mine.lot)) if mine.outcome else [],
            steps=steps,
            verdict=chance.verify(_transcript(mine)) if steps else None,
            drum=_drum(mine),
            qr=lot_code(request, mine.lot),
            plan=plan_of(mine),
            manifest_text=json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True),
        ),
    )


@shared(LIVE)
@require_safe
def hall(request: HttpRequest, pk: int) -> HttpResponse:
    """One draw for the hall's screen: list, commitment and code in large letters, then the drum and the result."""
    one = get_object_or_404(Lot.objects.select_related("tournament"), pk=pk)
    tournament = public_tournament(request, one.tournament.slug)
    mine = next(item for item in chain(tournament) if item.lot.pk == pk)
    etag = f'W/"l{pk}.{mine.state}.{get_language()}"'
    fragment = request.GET.get("part") == "live"
    if fragment and etag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponse(status=304)
    else:
        use_event_language(request, tournament.language)
        manifest = mine.lot.manifest
        answer = render(
            request,
            "tourney/_lot_hall.html" if fragment else "tourney/lot_hall.html",
            {
                "tournament": tournament,
                "shown": mine,
                "lot": mine.lot,
                "outcome": mine.outcome,
                "etag": etag,
                "plan": plan_of(mine),
                "pots": _pots(mine, manifest["pots"] if manifest["kind"] == "pots" else [manifest["entrants"]]),
                "result_pots": _pots(mine, mine.outcome.result)
                if manifest["kind"] == "pots" and mine.state == "done" and mine.outcome
                else [],
                "drum": _drum(mine),
                "qr": lot_code(request, mine.lot),
                "commitment": [mine.lot.commitment[at : at + 8] for at in range(0, 64, 8)],
                "live_url": f"{reverse('lot_hall', args=[pk])}?part=live",
            },
        )
    answer["ETag"] = etag
    answer["Cache-Control"] = "no-cache" if tournament.public else "private, no-cache"
    return answer


@shared()
@require_safe
def transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """What is public about a draw at this moment, as the checker reads it; the secret only once it is decided."""
    one = get_object_or_404(Lot.objects.select_related("tournament"), pk=pk)
    tournament = public_tournament(request, one.tournament.slug)
    mine = next(item for item in chain(tournament) if item.lot.pk == pk)
    response = JsonResponse(_transcript(mine), json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'inline; filename="{tournament.slug}-draw-{mine.lot.number}.json"'
    return response


@require_safe
def checker(request: HttpRequest) -> HttpResponse:
    """The stand-alone checker: standard-library Python, to be read in five minutes and run without this product."""
    response = render(request, "tourney/check_draw.txt", content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="check_draw.py"'
    return response


def _pots(shown: ShownLot, pots: Sequence[Sequence[str]]) -> list[list[Entrant]]:
    """Return lists of entrants with their names; who was drawn is marked where not all are."""
    drawn = set(shown.drawn) if shown.lot.manifest["kind"] != "pots" else set()
    return [
        [
            Entrant(
                str(shown.names.get(one, one)),
                one if one in shown.names and one not in COLORS else "",
                one in drawn,
            )
            for one in pot
        ]
        for pot in pots
    ]


def chain(tournament: Tournament) -> list[ShownLot]:
    """Return an event's draws by number, with marks for what should not be: a repeated draw, a broken chain."""
    rows = list(Lot.objects.filter(tournament=tournament).select_related("outcome").order_by("number"))
    titles = {section.code: section for section in tournament.sections.all()} if rows else {}
    for section in titles.values():
        section.tournament = tournament
    played = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    stages = played.values_list("section__code", "code")
    alone = _only_stages(stages) if rows else {}
    names = _names_of(tournament, rows)
    seen: set[tuple[str, str]] = set()
    shown: list[ShownLot] = []
    for row in rows:
        row.tournament = tournament
        before = shown[-1] if shown else None
        shown.append(
            ShownLot(
                row,
                getattr(row, "outcome", None),
                (row.purpose, row.subject) in seen,
                row.previous_hash in _hashes(before) and row.number == len(shown) + 1,
                _subject(row, titles, alone),
                COLORS if row.purpose == Lot.Purpose.FIRST_COLOR else names[row.pk],
            )
        )
        seen.add((row.purpose, row.subject))
    return shown


def _names_of(tournament: Tournament, rows: Sequence[Lot]) -> dict[int, dict[str, str]]:
    """Return, for each draw, whose the words of its list are that are keys of entries: a fixed list names no names."""
    words = {
        row.pk: {
            one: row.entry_id(one)
            for pot in row.manifest.get("pots", [row.manifest.get("entrants", [])])
            for one in pot
            if row.entry_id(one)
        }
        for row in rows
    }
    wanted = {key for found in words.values() for key in found.values()}
    if not wanted:
        return {row.pk: {} for row in rows}
    known = Entry.objects.filter(tournament=tournament, pk__in=wanted).select_related("player").in_bulk()
    return {pk: {word: known[key].name for word, key in found.items() if key in known} for pk, found in words.items()}


def _hashes(before: ShownLot | None) -> tuple[str, ...]:
    """Return what a draw may name as the one before it: decided by then, or only announced."""
    if before is None:
        return ("",)
    announced = chance.manifest_hash(before.lot.manifest)
    return (announced, before.outcome.transcript_hash) if before.outcome else (announced,)


def _same(one: Lot, other: Lot) -> bool:
    return (one.purpose, one.subject) == (other.purpose, other.subject)


def _only_stages(stages: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the code of the stage of every group that has just one: it says nothing beside the group."""
    found: dict[str, list[str]] = {}
    for section, stage in stages:
        found.setdefault(section, []).append(stage)
    return {section: codes[0] for section, codes in found.items() if len(codes) == 1}


def _subject(row: Lot, sections: dict[str, Any], alone: dict[str, str]) -> str:
    """Return what is drawn for: a group by its title, and whatever stands behind it."""
    code, _colon, rest = row.subject.partition(":")
    section = sections.get(code)
    if section is None:
        return row.subject
    if rest == "playoff" or rest.startswith(("playoff.", "playoff:")):
        rest = str(_("play-off for first place"))
    elif rest.startswith("tie:"):
        rest = str(_("place %(place)s") % {"place": rest.removeprefix("tie:").partition(".")[0]})
    rest = "" if rest == alone.get(code) else str(dict(Stage.Kind.choices).get(rest, rest))
    return f"{section.title_text} · {rest}" if rest else str(section.title_text)


def _transcript(shown: ShownLot) -> dict[str, Any]:
    row, outcome = shown.lot, shown.outcome
    if outcome is None:
        return {"manifest": row.manifest, "commitment": row.commitment}
    if outcome.void_reason:
        return {"manifest": row.manifest, "commitment": row.commitment, "void": outcome.void_reason}
    return {
        "manifest": row.manifest,
        "secret": row.secret,
        "entropy": outcome.entropy,
        "commitment": row.commitment,
        "result": outcome.result,
        "manifest_sha256": chance.manifest_hash(row.manifest),
    }


def _steps(shown: ShownLot) -> Steps | None:
    if shown.outcome is None or shown.outcome.void_reason:
        return None
    return steps_of(shown.lot.manifest, shown.lot.secret, shown.outcome.entropy)


def _sources(row: Lot) -> dict[str, str]:
    """Return where public values were read. That is no part of the draw: whoever types it must not decide by it."""
    found: dict[str, str] = {}
    for provider in panels.providers("lot_sources"):
        found.update(provider(row) or {})
    return found


def _numbers(entropy: Any, sources: Mapping[str, str]) -> list[dict[str, str]]:
    """Return public numbers with who gave each (and where a beacon was read), whatever form they were kept in."""
    if isinstance(entropy, dict):
        entropy = [{"who": who, "number": number} for who, number in entropy.items()]
    elif not isinstance(entropy, list):
        entropy = [entropy] if entropy else []
    rows = [one if isinstance(one, dict) else {"number": one} for one in entropy]
    return [
        {
            "who": str(one.get("who", "")),
            "number": str(one.get("number", "")),
            "source": sources.get(str(one.get("who", "")), ""),
        }
        for one in rows
    ]


def _drum(shown: ShownLot) -> Drum | None:
    """Return the drum of a draw among a list: every entrant has the number of its place in the list."""
    manifest = shown.lot.manifest
    if manifest["kind"] != "pick" or len(manifest["entrants"]) > MOST_BALLS or shown.state == "cancelled":
        return None
    numbers = {name: str(number) for number, name in enumerate(manifest["entrants"], start=1)}
    drawn = tuple(numbers[name] for name in shown.drawn if name in numbers)
    return Drum(
        _("The drum"),
        _("Numbers in the drum: %(all)s. Drawn: %(drawn)s.")
        % {"all": ", ".join(numbers.values()), "drawn": ", ".join(drawn) or "–"},
        tuple(numbers.values()),
        drawn,
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """When a draw at a set moment is decided and by what. `by`: numbers, drand or named."""

    at: datetime
    by: str
    value: str  # the round of the beacon, or the value that was named
    seconds_left: int

    @property
    def minutes_left(self) -> int:
        return -(-self.seconds_left // 60)


def plan_of(shown: ShownLot) -> Plan | None:
    """Return the plan that a manifest fixes; None for a draw that waits for people in the hall."""
    told = shown.lot.manifest.get("entropy")
    if not isinstance(told, dict) or not told.get("at"):
        return None
    at = datetime.fromisoformat(told["at"])
    left = int((at - timezone.now()).total_seconds())
    return Plan(at, str(told.get("by", "")), str(told.get("round") or told.get("value") or ""), max(0, left))


def lot_code(request: HttpRequest, row: Lot) -> SafeString:
    """Return the QR code of a draw: the address of its page with the commitment behind it, so a photo keeps both."""
    return qr_code(f"{request.build_absolute_uri(reverse('lot', args=[row.pk]))}#{row.commitment}")


def qr_code(text: str) -> SafeString:
    """Return a QR code as an inline drawing; black on white in both themes, or cameras fail."""
    drawing = segno.make(text, error="m").svg_inline(scale=4, border=3, dark="#000", light="#fff", omitsize=True)
    return mark_safe(drawing)  # noqa: S308 -- a drawing made of numbers, no user text in it
