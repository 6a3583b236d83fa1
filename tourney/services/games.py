"""Game records coming in: files read by a worker, one game pasted by an arbiter, a wrong record taken out.

Nothing here changes a result: a record that says something else than the arbiter is kept, and reported.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from tourney import pgn, queue
from tourney.game_matching import Candidate, Finder, Match
from tourney.game_records import PLAYED, pgn_result, time_control
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Game, GameImport, GamePlacing, Tournament
from tourney.pgn import ReadGame
from tourney.pgn_replay import replay
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage

TASK = "tourney.import_games"
BATCH = 50
MOST_LINES = 500  # of a report; what goes beyond is counted


@transaction.atomic
def request_import(
    tournament: Tournament, content: bytes, *, name: str = "", replace: bool = False, actor: Any = None
) -> tuple[GameImport, bool]:
    """Take a file in and ask a worker to read it; return the import and whether it is new.

    The same bytes again give the import they were. Refusals: ``pgn.too_large``, ``pgn.not_text``, ``pgn.no_games``.
    """
    next(iter(pgn.read(content)))  # refuses what is no game file at all before anything is stored
    digest = hashlib.sha256(content).hexdigest()
    known = GameImport.objects.filter(tournament=tournament, sha256=digest).first()
    if known is None:
        try:
            with transaction.atomic():
                made = GameImport.objects.create(
                    tournament=tournament,
                    name=name[:120],
                    content=content,
                    sha256=digest,
                    replace=replace,
                    by=actor if getattr(actor, "is_authenticated", False) else None,
                    at=timezone.now(),
                )
        except IntegrityError:  # the same file from another desk, in this very moment
            return GameImport.objects.get(tournament=tournament, sha256=digest), False
        _send(made)
        return made, True
    if replace and not known.replace:
        known.replace = True
        known.save(update_fields=["replace"])
        _send(known)
    return known, False


@transaction.atomic
def import_again(known: GameImport) -> None:
    """Read a file once more: games it could not place may have been paired since."""
    _send(known)


def _send(known: GameImport) -> None:
    known.job = queue.enqueue(TASK, known.pk)
    known.finished_at = None
    known.save(update_fields=["job", "finished_at"])


def run_import(pk: int) -> None:
    """Read a file and place its games. May run any number of times: a game placed already counts as the same."""
    known = GameImport.objects.select_related("tournament", "by").get(pk=pk)
    content = bytes(known.content)
    total = pgn.count_games(content)
    finder = finder_of(known.tournament)
    told = placings_of(known)
    counts: Counter[str] = Counter()
    lines: list[dict[str, Any]] = []
    batch: list[tuple[ReadGame, Match]] = []

    def place() -> None:
        for found in _place(batch, replace=known.replace):
            counts[found["what"]] += 1
            if found["lines"]:
                counts["lines"] += len(found["lines"])
                lines.extend(found["lines"][: MOST_LINES - len(lines)])
        batch.clear()

    try:
        for game in pgn.read(content):
            batch.append((game, _where(game, finder, told)))
            counts["games"] += 1
            if len(batch) == BATCH:
                place()
                queue.report_progress(min(counts["games"], total), total)
    except TourneyError as error:  # more games than we read: those before are kept
        lines.append({"code": error.code, "line": 0, "values": dict(error.values)})
    place()
    queue.report_progress(total, total)
    with transaction.atomic():
        known.report = {**counts, "problems": lines}
        known.finished_at = timezone.now()
        known.save(update_fields=["report", "finished_at"])
        if counts["placed"] or counts["replaced"]:
            log(
                known.tournament,
                "games.imported",
                actor=known.by,
                name=known.name,
                games=counts["games"],
                placed=counts["placed"] + counts["replaced"],
            )


def placings_of(known: GameImport) -> dict[int, int | None]:
    """Return where people said that records of a file belong: number to game, None for those set aside."""
    return dict(known.placings.order_by("pk").values_list("number", "game_id"))


def _where(read: ReadGame, finder: Finder, told: Mapping[int, int | None]) -> Match:
    if not read.body:
        return Match(None, "no_moves")
    if read.number not in told:
        return finder.find(read.tags, read.result)
    pk = told[read.number]
    return finder.told(pk, read.result) if pk else Match(None, "set_aside")


def finder_of(tournament: Tournament) -> Finder:
    """Return the finder over an event's games. Two queries."""
    columns = (
        "pk",
        "white_id",
        "black_id",
        "stage__section__code",
        "round_number",
        "board",
        "match_key",
        "game_number",
        "outcome",
        "scheduled_at",
        "finished_at",
        "time_control",
    )
    rows = Game.objects.filter(stage__section__tournament=tournament).order_by("pk").values_list(*columns)
    zone = tournament.zone
    candidates = []
    for pk, white, black, section, round_, board, match, number, outcome, scheduled, finished, clock in rows:
        when = scheduled or finished
        candidates.append(
            Candidate(
                pk,
                white,
                black,
                section,
                round_,
                board,
                match,
                number,
                pgn_result(outcome) if outcome in PLAYED else "",
                when.astimezone(zone).date() if when else None,
                (time_control(clock) or "?") if clock else "",
            )
        )
    entries = Entry.objects.filter(tournament=tournament, start_number__isnull=False).select_related("player")
    # The staff's own files call people by name whether or not the public sees it.
    return Finder(
        candidates,
        {entry.pk: [entry.player.name, entry.player.latin_name, str(entry.name)] for entry in entries},
        {entry.shown.fide_id: entry.pk for entry in entries if entry.shown.fide_id},
    )


def _place(batch: Sequence[tuple[ReadGame, Match]], *, replace: bool) -> list[dict[str, Any]]:
    """Store the moves of some games, stage by stage under its lock; return what became of each, in order."""
    answers: dict[int, dict[str, Any]] = {}
    by_stage: dict[int, list[tuple[ReadGame, Match]]] = defaultdict(list)
    stages = dict(
        Game.objects.filter(pk__in=[match.pk for _, match in batch if match.pk]).values_list("pk", "stage_id")
    )
    for read, match in batch:
        if match.code == "set_aside":
            answers[read.number] = _answer(read, "set_aside", "games.set_aside")
        elif match.pk is None or match.pk not in stages:
            code = f"games.{match.code or 'no_game'}"
            more = {"suggestions": list(match.suggestions)} if match.suggestions else {}
            answers[read.number] = _answer(read, "left_out", code, fitting=match.fitting, **more)
        else:
            by_stage[stages[match.pk]].append((read, match))
    for stage_id in sorted(by_stage):
        with transaction.atomic():
            stage = lock_stage(stage_id)
            games = Game.objects.in_bulk([match.pk for _, match in by_stage[stage_id] if match.pk])
            changed = []
            for read, match in by_stage[stage_id]:
                game = games[match.pk or 0]
                what, code = _store(game, read, replace=replace)
                if what in ("placed", "replaced"):
                    changed.append(game)
                if not code and match.result_differs:
                    code = "games.result_differs"
                answers[read.number] = _answer(read, what, code, result=read.result, game=game.pk)
            if changed:
                Game.objects.bulk_update(changed, ["pgn", "ply_count"])
                bump(stage)
    return [answers[read.number] for read, _ in batch]


def _store(game: Game, read: ReadGame, *, replace: bool) -> tuple[str, str]:
    """Put moves on a game (not saved); return what it was and a code worth telling.

    A longer record of the same moves takes the shorter one's place: boards send a game again while it grows.
    """
    new = read.stored
    if game.pgn == new:
        return "same", ""
    if game.pgn and not replace:
        old_moves, new_moves = _moves(game.pgn), _moves(new)
        if new_moves[: len(old_moves)] != old_moves:
            shorter = old_moves[: len(new_moves)] == new_moves
            return ("same", "") if shorter else ("left_out", "games.other_moves")
    what = "replaced" if game.pgn else "placed"
    game.pgn, game.ply_count = new, read.ply_count
    return what, ""


def _moves(stored: str) -> list[str]:
    return [ply.san.rstrip("+#") for ply in replay(stored).plies]


def _answer(read: ReadGame, what: str, code: str = "", **values: Any) -> dict[str, Any]:
    """Return what became of a game, with lines for the report: its own code, then what was wrong in the file."""
    common = {
        "number": read.number,
        "white": read.tags.get("White", "?")[:60],
        "black": read.tags.get("Black", "?")[:60],
    }
    lines = []
    if code:
        lines.append({**common, "code": code, "line": read.line, "values": values})
    lines += [
        {**common, "code": remark.code, "line": remark.line, "values": dict(remark.values)}
        for remark in read.remarks[:20]
    ]
    return {"what": what, "lines": lines}


@transaction.atomic
def place_record(known: GameImport, number: int, game: Game | None, *, actor: Any) -> str:
    """Put a record of a file where somebody says it belongs, or set it aside (no game); return what became of it.

    Said once, it holds for every later reading of the file. Refusals: ``pgn.no_games``, ``games.no_moves``,
    ``games.other_moves``.
    """
    read = pgn.read_one(bytes(known.content), number)
    names = {"white": read.tags.get("White", "?"), "black": read.tags.get("Black", "?")}
    what = "set_aside"
    if game is not None:
        if not read.body:
            raise TourneyError("games.no_moves")
        stage = lock_stage(game.stage_id)
        locked = Game.objects.get(pk=game.pk)
        what, code = _store(locked, read, replace=known.replace)
        if what == "left_out":
            raise TourneyError(code)
        if what != "same":
            locked.save(update_fields=["pgn", "ply_count"])
            bump(stage)
    GamePlacing.objects.create(
        game_import=known,
        number=number,
        game=game,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    if game is None:
        log(known.tournament, "games.record_set_aside", actor=actor, number=number, **names)
    else:
        log(known.tournament, "games.record_placed", actor=actor, number=number, game=game.pk, **names)
    return what


@transaction.atomic
def set_moves(game: Game, text: str, *, actor: Any) -> ReadGame:
    """Put pasted moves on a game, whatever was there; return what was read.

    Refusals: those of `tourney.pgn.read`, ``pgn.one_game_only``, ``pgn.no_moves``.
    """
    read = list(pgn.read(text.encode()))
    if len(read) > 1:
        raise TourneyError("pgn.one_game_only", games=len(read))
    if not read[0].ply_count:
        raise TourneyError("pgn.no_moves")
    stage = lock_stage(game.stage_id)
    locked = Game.objects.get(pk=game.pk)
    locked.pgn, locked.ply_count = read[0].stored, read[0].ply_count
    locked.save(update_fields=["pgn", "ply_count"])
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_set",
        actor=actor,
        white=game.white.name,
        black=game.black.name,
        moves=(read[0].ply_count + 1) // 2,
    )
    return read[0]


@transaction.atomic
def remove_moves(game: Game, *, actor: Any, reason: str) -> None:
    """Take the moves of a game out (``games.reason_needed``)."""
    if not reason.strip():
        raise TourneyError("games.reason_needed")
    stage = lock_stage(game.stage_id)
    Game.objects.filter(pk=game.pk).update(pgn="", ply_count=None)
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_removed",
        actor=actor,
        reason=reason,
        white=game.white.name,
        black=game.black.name,
    )
