"""Bringing a finished or running stage in from a report file, into a group nobody has entered yet.

Everything or nothing: players, start list, rounds and results are written in one transaction through the same services
an arbiter's own acts use, so what follows (standings, the next round, reports) is the same as for a stage played here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.engine.check import first_color_of, names_baku
from swiss.engine.check_table import is_table
from swiss.engine.plan import Bye, Pairing
from swiss.engine.report_games import ReportRound, is_baku, joined_round, rounds_of
from swiss.engine.virtual import runs_of_numbers
from swiss.models import ByeRequest, ForbiddenPair, Round
from swiss.models import Pairing as Row
from swiss.services.hand import lay_out
from swiss.services.publishing import publish_round
from swiss.services.results import enter_round_results
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ByeKind, Scoring
from tourney.kernel.points import Points
from tourney.kernel.trf import Trf, TrfPlayer
from tourney.models import Entry, Player, Section, Stage, Tournament
from tourney.selectors import current_spec
from tourney.services.entries import record_entry_event
from tourney.services.log import log
from tourney.services.stages import bump, close_entries, lock_stage

SEXES = {"m": Player.Sex.MALE, "w": Player.Sex.FEMALE, "": ""}


def import_obstacle(section: Section) -> TourneyError | None:
    """Return why nothing can be brought into a group, or None."""
    if section.tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        return TourneyError("import.event_over")
    if section.merged_into_id or section.guests.exists():
        return TourneyError("import.merged")
    if section.entries.exists() or section.stages.exclude(state=Stage.State.PLANNED).exists():
        return TourneyError("import.not_empty")
    return None


@transaction.atomic
def import_report(
    section: Section,
    trf: Trf,
    *,
    actor: Any,
    name: str = "",
    names_public: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Stage:
    """Write a report into an empty group and return its stage; `progress` is told the steps done, and of how many.

    `names_public`: whoever brings it in says that the players' names may be published.

    Refusals: those of `import_obstacle`, ``import.too_few``, ``import.numbers_not_dense`` (a table needs 1 to n),
    ``import.rounds_not_of_table``, the reader's ``trf.*`` for games that can't be, and those of closing a start list.
    """
    # Publishing its rounds moves the event on: whoever needs both rows locks the event's first.
    Tournament.objects.select_for_update(no_key=True).get(pk=section.tournament_id)
    section = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=section.pk)
    obstacle = import_obstacle(section)
    if obstacle is not None:
        raise obstacle
    rounds = rounds_of(trf)
    table = is_table(trf)
    _check_sizes(trf, table=table)
    entries = _enter(section, trf, actor, names_public=names_public)
    total = trf.rounds_total or trf.rounds_done
    system = Stage.Kind.ROUND_ROBIN if table else Stage.Kind.SWISS
    close_entries(
        section,
        actor=actor,
        system=system,
        rounds=None if table else max(1, total),
        reason=name or trf.name or "TRF",
        numbered=False,
    )
    stage = lock_stage(section.stages.order_by("ordinal").values_list("pk", flat=True)[0])
    _number_as_in_file(entries)
    stage.rules = {**stage.rules, **_rules(trf)}
    stage.rounds_total = max(1, total)
    stage.save(update_fields=["rules", "rounds_total"])
    for done, one in enumerate(rounds, 1):
        progress(done, len(rounds) + 1)
        _play(stage, one, entries, actor)
    # What was open when the next round was paired was a draw for it, whatever it will be (C.04.2, 3.1).
    open_before = Row.objects.filter(round__stage=stage, round__number__lt=len(rounds), game__outcome="")
    open_before.update(adjourned=True)
    _settings(stage, trf, entries)
    bump(stage)
    log(
        section.tournament,
        "swiss.report_imported",
        actor=actor,
        section=section.code,
        file=name,
        players=len(entries),
        rounds=len(rounds),
        names_public=names_public,
    )
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk)


def _check_sizes(trf: Trf, *, table: bool) -> None:
    size = len(trf.players)
    if size < 2:
        raise TourneyError("import.too_few", players=size)
    if not table:
        return
    if [player.number for player in trf.players] != list(range(1, size + 1)):
        raise TourneyError("import.numbers_not_dense", players=size)
    per_cycle = size - 1 + size % 2
    if (trf.rounds_total or trf.rounds_done) % per_cycle:
        raise TourneyError("import.rounds_not_of_table", players=size, rounds=trf.rounds_total or trf.rounds_done)


def _enter(section: Section, trf: Trf, actor: Any, *, names_public: bool) -> dict[int, Entry]:
    """Write players and entries; return the entries by number.

    Nobody of a file has agreed to anything here: where the regulation asks people whether their names may be published,
    pages show numbers unless whoever brings the file in answers for that.
    """
    spec = current_spec(section.tournament)
    use = str(spec.block("rating").get("use", "none"))
    public = names_public or "publication" not in spec.block("registration").get("consents", ())
    now = timezone.now()
    entries = {}
    for player in trf.players:
        ratings = ratings_of(player, use)
        national = next(iter(player.national), None)
        person = Player.objects.create(**person_of(player))
        entry = Entry.objects.create(
            tournament=section.tournament,
            section=section,
            player=person,
            ratings=ratings,
            rating=ratings.get(use) or player.rating or (national.rating if national else None),
            registered_at=now,
            joined_round=joined_round(trf, player.number),
            public_name=public,
            present=True,
        )
        record_entry_event(entry, "imported", state=Entry.State.CONFIRMED, by=actor, at=now)
        entries[player.number] = entry
    return entries


def person_of(player: TrfPlayer) -> dict[str, Any]:
    """Return what a report says of a person, as fields of a player; the name in its own script is the main one."""
    national = next((line for line in player.national if line.name), None)
    surname, given = split_name(national.name if national else player.name)
    born, year = birth_of(player.birth)
    line = next(iter(player.national), None)
    return {
        "surname": surname or str(player.number),
        "given_name": given,
        "latin_name": player.name if player.name.isascii() else "",
        "sex": SEXES[player.sex],
        "birth_date": born,
        "birth_year": year,
        "title": player.title[:4],
        "federation": player.federation[:3],
        "fide_id": player.fide_id[:12],
        "national_id": (line.number if line else "")[:12],
    }


def split_name(text: str) -> tuple[str, str]:
    """Return surname and given name of `Surname, Given` (or of words without a comma: the first is the surname)."""
    if "," in text:
        surname, _, given = text.partition(",")
    else:
        surname, _, given = text.strip().partition(" ")
    return " ".join(surname.split()), " ".join(given.split())


def birth_of(text: str) -> tuple[date | None, int | None]:
    """Return the day and the year of `2015/03/01`; a year alone, or with noughts, has no day."""
    parts = [int(part) if part.isdecimal() else 0 for part in text.replace(".", "/").replace("-", "/").split("/")]
    year = parts[0] if parts and 1900 <= parts[0] <= 2100 else None
    if year is None or len(parts) < 3:
        return None, year
    try:
        return date(year, parts[1], parts[2]), year
    except ValueError:
        return None, year


def ratings_of(player: TrfPlayer, use: str) -> dict[str, int]:
    """Return the ratings of a report by kind: the first line's is the one the regulation pairs by, if it is FIDE's."""
    found = {}
    if player.rating:
        found[use if use.startswith("fide_") else "fide_standard"] = player.rating
    national = next((line.rating for line in player.national if line.rating), None)
    if national:
        found["national"] = national
    return found


def _number_as_in_file(entries: dict[int, Entry]) -> None:
    # Closing gave numbers by rating; the file's own may be in another order, or have gaps.
    Entry.objects.filter(pk__in=[entry.pk for entry in entries.values()]).update(start_number=None)
    for number, entry in entries.items():
        entry.start_number = number
    Entry.objects.bulk_update(entries.values(), ["start_number"])


def _rules(trf: Trf) -> dict[str, Any]:
    """Return what the file says about the stage's rules: colour of the first board, points, acceleration."""
    rules: dict[str, Any] = {"first_color": "white" if first_color_of(trf) is Color.WHITE else "black"}
    if trf.scoring != STANDARD:
        rules |= points_of(trf.scoring)
    if names_baku(trf):
        rules["acceleration"] = "baku"
    elif trf.accelerations:
        baku = is_baku(trf)
        rules["acceleration"] = "baku" if baku else "none"
        if not baku:
            rules["virtual_points"] = [run.as_json() for run in runs_of_numbers(trf.accelerations)]
    return rules


def points_of(scoring: Scoring) -> dict[str, str]:
    """Return a scoring as the keys of a stage's rules."""

    def text(points: Points) -> str:
        return f"{points // 2}.{5 * (points % 2)}"

    return {
        "win_points": text(scoring.win),
        "draw_points": text(scoring.draw),
        "loss_points": text(scoring.loss),
        "bye_points": text(scoring.pairing_bye),
    }


def _play(stage: Stage, one: ReportRound, entries: dict[int, Entry], actor: Any) -> None:
    """Write a round, publish it, enter its results."""
    round_ = Round.objects.create(
        stage=stage, number=one.number, paired_by=actor if getattr(actor, "is_authenticated", False) else None
    )
    boards = [
        Pairing(board, EntryId(entries[game.white].pk), EntryId(entries[game.black].pk))
        for board, game in enumerate(one.boards, 1)
    ]
    table = stage.kind == Stage.Kind.ROUND_ROBIN
    byes = [
        Bye(EntryId(entries[number].pk), ByeKind.ZERO if table else kind)
        for number, kind in one.byes
        if kind is not ByeKind.ZERO or one.number >= entries[number].joined_round
    ]
    lay_out(round_, stage, boards, byes)
    publish_round(round_.pk, actor=actor)
    results = {entries[game.white].pk: game.result for game in one.boards if game.result}
    games = stage.games.filter(round_number=one.number).values_list("pk", "white_id")
    enter_round_results(
        round_.pk,
        outcomes={pk: results[white] for pk, white in games if white in results},
        actor=actor,
        reason="imported",
    )


def _settings(stage: Stage, trf: Trf, entries: dict[int, Entry]) -> None:
    """Write forbidden pairs, and byes of rounds that are still to come."""
    pairs: dict[tuple[int, int], tuple[int, int | None]] = {}
    for group in trf.forbidden:
        pks = sorted(entries[number].pk for number in set(group.numbers))
        for index, first in enumerate(pks):
            for second in pks[index + 1 :]:
                pairs.setdefault((first, second), (group.first_round, group.last_round or None))
    ForbiddenPair.objects.bulk_create(
        ForbiddenPair(stage=stage, first_id=first, second_id=second, from_round=start, to_round=end, reason="TRF")
        for (first, second), (start, end) in pairs.items()
    )
    done = trf.rounds_done
    coming = {(number, done + 1): kind for number, kind in trf.byes_of_round(done + 1).items()}
    for round_number, given in trf.byes.items():
        if round_number > done:
            coming |= {(number, round_number): kind for number, kind in given.items()}
    if stage.kind == Stage.Kind.SWISS:
        ByeRequest.objects.bulk_create(
            ByeRequest(stage=stage, entry=entries[number], round_number=round_number, kind=kind.value)
            for (number, round_number), kind in coming.items()
            if number in entries and round_number <= stage.rounds_total
        )
