"""Files of game records: cut into parts when they are handed in, read part by part by any number of workers.

A part is read and its games are placed in one transaction that ends with the mark "done": a killed worker's part is
free again with its connection, and whoever goes on begins with it. A slice of work ends after some seconds and asks for
the next one, so that a long file never keeps a worker from what has its hour. Nothing here changes a result: a record
that says something else than the arbiter is kept, and reported. A name somebody has lost is taken out of the files
before they are read on (`tourney.services.forgetting_files`).
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from typing import Any, BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from tourney import pgn, queue
from tourney.game_finders import finder_of
from tourney.game_matching import Finder, Match
from tourney.kernel.errors import TourneyError
from tourney.live_boards import Delay
from tourney.models import Game, GameImport, GameImportPart, GamePlacing, Tournament
from tourney.pgn import ReadGame
from tourney.pgn_files import BLOCK, Part, parts
from tourney.services import forgetting_files
from tourney.services.forgetting import read_files
from tourney.services.games import store
from tourney.services.held_games import delay_of, hold, must_wait
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage

TASK = "tourney.import_games"
SLICE = 15.0  # seconds a worker gives a file before others have their turn
MANY = 4  # parts from which on several workers are asked
MOST_LINES = 500  # of a report; what goes beyond is counted, and stands in the file of all lines
FIRST_LINES = ("games.result_differs", "games.unsure", "games.several", "games.colors", "games.no_game")


@transaction.atomic
def request_import(
    tournament: Tournament, content: bytes | BinaryIO, *, name: str = "", replace: bool = False, actor: Any = None
) -> tuple[GameImport, bool]:
    """Take a file in and ask workers to read it; return the import and whether it is new.

    The same bytes again give the import they were. Refusals: ``pgn.too_large``, ``pgn.not_text``, ``pgn.no_games``.
    """
    file = BytesIO(content) if isinstance(content, bytes) else content
    digest = _digest(file)
    read_files(tournament)
    known = GameImport.objects.filter(tournament=tournament, sha256=digest).first()
    if known is None:
        found = parts(file)
        first = next(found, None)
        if first is None or not pgn.has_games(first):
            raise TourneyError("pgn.no_games")
        try:
            with transaction.atomic():
                made = GameImport.objects.create(
                    tournament=tournament,
                    name=name[:120],
                    sha256=digest,
                    replace=replace,
                    by=actor if getattr(actor, "is_authenticated", False) else None,
                    at=timezone.now(),
                )
        except IntegrityError:  # the same file from another desk, in this very moment
            return GameImport.objects.get(tournament=tournament, sha256=digest), False
        _keep(made, chain([first], found))
        _send(made)
        return made, True
    if replace and not known.replace:
        import_again(known)  # its parts before the file itself, as who takes a name out of them
        known.replace = True
        known.save(update_fields=["replace"])
    return known, False


def _digest(file: BinaryIO) -> str:
    """Return the sum of a file, refusing one that is too large."""
    limit = settings.GAME_FILE_MB * 1_000_000
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while block := file.read(BLOCK):
        size += len(block)
        if size > limit:
            raise TourneyError("pgn.too_large", limit=settings.GAME_FILE_MB)
        digest.update(block)
    return digest.hexdigest()


def _keep(made: GameImport, found: Iterator[Part]) -> None:
    rows = (
        GameImportPart(
            game_import=made, number=number, line=part.line, cut=part.cut, size=len(part.content), content=part.content
        )
        for number, part in enumerate(found)
    )
    while some := list(islice(rows, 16)):  # a few megabytes at a time
        GameImportPart.objects.bulk_create(some)
    made.size = made.parts.aggregate(size=Sum("size"))["size"]
    made.save(update_fields=["size"])


@transaction.atomic
def import_again(known: GameImport) -> None:
    """Read a file once more: games it could not place may have been paired since."""
    known.parts.update(done_at=None)
    _send(known)


@transaction.atomic
def stop_import(known: GameImport, *, actor: Any) -> None:
    """Stop reading a file after the parts in hand; what was placed stays (``games.not_running``)."""
    locked = GameImport.objects.select_for_update(no_key=True).get(pk=known.pk)
    if locked.finished_at or locked.stopped_at:
        raise TourneyError("games.not_running")
    locked.stopped_at = timezone.now()
    locked.save(update_fields=["stopped_at"])
    log(known.tournament, "games.import_stopped", actor=actor, name=known.name)


@transaction.atomic
def resume_import(known: GameImport, *, actor: Any) -> None:
    """Go on with a file where reading stopped (``games.not_stopped``)."""
    locked = GameImport.objects.select_for_update(no_key=True).get(pk=known.pk)
    if locked.finished_at:
        raise TourneyError("games.not_stopped")
    _send(locked)
    log(known.tournament, "games.import_resumed", actor=actor, name=known.name)


def _send(known: GameImport) -> None:
    """Ask for as many slices of work as the file is worth."""
    workers = settings.GAME_IMPORT_WORKERS if known.parts.filter(done_at=None).count() >= MANY else 1
    jobs = [queue.enqueue(TASK, known.pk) for _ in range(workers)]
    known.job = jobs[0]
    known.finished_at = known.stopped_at = None
    known.save(update_fields=["job", "finished_at", "stopped_at"])


def run_import(pk: int, *, seconds: float = SLICE) -> None:
    """Read parts of a file until it is done or the slice is over. May run any number of times, beside others."""
    known = GameImport.objects.select_related("tournament", "by").get(pk=pk)
    if known.finished_at or known.stopped_at:
        return
    queue.wait_if_moved(known.tournament)
    finder = finder_of(known.tournament)
    told = placings_of(known)
    ends = time.monotonic() + seconds
    while forgetting_files.take_out(known.tournament, until=ends):
        if not _take_a_part(known, finder, told):
            _finish(known)
            return
        if time.monotonic() > ends:
            break
    _hand_on(known)


def _hand_on(known: GameImport) -> None:
    with transaction.atomic():
        job = queue.enqueue(TASK, known.pk)
        GameImport.objects.filter(pk=known.pk, finished_at=None, stopped_at=None).update(job=job)


@transaction.atomic
def _take_a_part(known: GameImport, finder: Finder, told: Mapping[int, int | None]) -> bool:
    """Read the first part nobody has in hand and place its games; False when there is none."""
    read_files(known.tournament)
    if forgetting_files.names_go(known.tournament):  # since a moment ago: this part is the next one's
        return True
    waiting = GameImportPart.objects.filter(
        game_import=known, done_at=None, game_import__stopped_at=None, game_import__finished_at=None
    )
    part = waiting.select_for_update(of=("self",), skip_locked=True).order_by("number").first()
    if part is None:
        return False
    before = _games_before(part) if told else 0
    read = [
        (game, _where(game, finder, told, before + game.number))
        for game in pgn.read_part(Part(part.line, bytes(part.content), part.cut))
    ]
    counts: Counter[str] = Counter()
    lines: list[dict[str, Any]] = []
    for became in _place(read, replace=known.replace, delay=delay_of(known.tournament)):
        counts[became["what"]] += 1
        lines.extend(became["lines"])
    part.games, part.counts, part.lines, part.done_at = len(read), counts, lines, timezone.now()
    part.save(update_fields=["games", "counts", "lines", "done_at"])
    return True


def _games_before(part: GameImportPart) -> int:
    earlier = GameImportPart.objects.filter(game_import=part.game_import_id, number__lt=part.number)
    return int(earlier.aggregate(games=Sum("games"))["games"] or 0)


def _finish(known: GameImport) -> None:
    """Write the report once every part is done; of those who see that, one does it."""
    with transaction.atomic():
        locked = GameImport.objects.select_for_update(no_key=True).get(pk=known.pk)
        if locked.finished_at or locked.stopped_at or locked.parts.filter(done_at=None).exists():
            return
        locked.report = _report(locked)
        locked.finished_at = timezone.now()
        locked.save(update_fields=["report", "finished_at"])
        placed = locked.report.get("placed", 0) + locked.report.get("replaced", 0)
        if placed:
            log(
                known.tournament,
                "games.imported",
                actor=known.by,
                name=known.name,
                games=locked.report["games"],
                placed=placed,
            )


def _report(known: GameImport) -> dict[str, Any]:
    """Return the counts of all parts and the lines that are worth a look first."""
    counts: Counter[str] = Counter(games=0)
    urgent: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for part in known.parts.only("games", "counts").iterator(chunk_size=200):
        counts.update({"games": part.games or 0, **part.counts})
    for line in report_lines(known):
        counts["lines"] += 1
        found = urgent if line["code"] in FIRST_LINES else others
        if len(found) < MOST_LINES:
            found.append(line)
    shown = sorted([*urgent, *others][:MOST_LINES], key=lambda line: (line["number"], line["line"]))
    return {**{key: count for key, count in counts.items() if count or key == "games"}, "problems": shown}


def report_lines(known: GameImport) -> Iterator[dict[str, Any]]:
    """Yield every line of a report, the games numbered through the file."""
    before = 0
    for part in known.parts.only("games", "lines").iterator(chunk_size=20):
        for line in part.lines:
            yield {**line, "number": before + line["number"]}
        before += part.games or 0


def progress(known: GameImport) -> dict[str, int]:
    """Return how far the reading of a file is: bytes and games."""
    done = known.parts.exclude(done_at=None).aggregate(size=Sum("size"), games=Sum("games"))
    return {"done": done["size"] or 0, "total": known.size, "games": done["games"] or 0}


def placings_of(known: GameImport) -> dict[int, int | None]:
    """Return where people said that records of a file belong: number to game, None for those set aside."""
    return dict(known.placings.order_by("pk").values_list("number", "game_id"))


def _where(read: ReadGame, finder: Finder, told: Mapping[int, int | None], number: int) -> Match:
    if not read.body:
        return Match(None, "no_moves")
    if number not in told:
        return finder.find(read.tags, read.result)
    pk = told[number]
    return finder.told(pk, read.result) if pk else Match(None, "set_aside")


def _place(batch: Sequence[tuple[ReadGame, Match]], *, replace: bool, delay: Delay) -> list[dict[str, Any]]:
    """Store the moves of some games, stage by stage under its lock; return what became of each, in order.

    Moves the public must wait for are held as live games.
    """
    now = timezone.now()
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
        stage = lock_stage(stage_id)
        games = Game.objects.in_bulk([match.pk for _, match in by_stage[stage_id] if match.pk])
        changed, held = {}, 0
        for read, match in by_stage[stage_id]:
            game = games[match.pk or 0]
            if must_wait(game, delay, now):
                what, code = hold(game, read, now, replace=replace)
            else:
                what, code = store(game, read, replace=replace)
            held += what == "held"
            if what in ("placed", "replaced"):
                changed[game.pk] = game
            if not code and match.result_differs:
                code = "games.result_differs"
            answers[read.number] = _answer(read, what, code, result=read.result, game=game.pk)
        if changed:
            Game.objects.bulk_update(list(changed.values()), ["pgn", "ply_count"])
        if changed or held:
            bump(stage)
    return [answers[read.number] for read, _ in batch]


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
    read_files(known.tournament)
    read = _read_again(known, number)
    white, black = read.tags.get("White", "?"), read.tags.get("Black", "?")
    what = "set_aside"
    if game is not None:
        if not read.body:
            raise TourneyError("games.no_moves")
        stage = lock_stage(game.stage_id)
        locked = Game.objects.get(pk=game.pk)
        now = timezone.now()
        if must_wait(locked, delay_of(known.tournament), now):
            what, code = hold(locked, read, now, replace=known.replace)
        else:
            what, code = store(locked, read, replace=known.replace)
        if what == "left_out":
            raise TourneyError(code)
        if what in ("placed", "replaced"):
            locked.save(update_fields=["pgn", "ply_count"])
        if what != "same":
            bump(stage)
    GamePlacing.objects.create(
        game_import=known,
        number=number,
        game=game,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    if game is None:
        log(known.tournament, "games.record_set_aside", actor=actor, number=number, white=white, black=black)
    else:
        log(known.tournament, "games.record_placed", actor=actor, number=number, game=game.pk, white=white, black=black)
    return what


def _read_again(known: GameImport, number: int) -> ReadGame:
    """Return a record of a file by its number, reading only its part (``pgn.no_games``)."""
    before = 0
    for pk, games in known.parts.values_list("pk", "games"):
        if games is None:
            break
        if before < number <= before + games:
            forgetting_files.clean_part(pk)
            part = GameImportPart.objects.get(pk=pk)
            return pgn.read_one(Part(part.line, bytes(part.content), part.cut), number - before)
        before += games
    raise TourneyError("pgn.no_games")
