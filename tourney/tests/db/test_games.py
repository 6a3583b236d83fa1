"""Files of games in the database: placed once, reported line by line, never against the arbiter."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from brackets.tests import builders as brackets
from swiss.tests import builders as rounds
from tourney import game_records, pgn
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Game, GameImport, Job, ResultRecord, Stage
from tourney.services import game_imports, games
from tourney.testing import builders

pytestmark = pytest.mark.django_db

MOVES = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"


def swiss(players: int = 12, results: str = "1-0 1/2 0-1") -> Stage:
    stage = rounds.stage_of(players, starts_on=None)
    rounds.play(stage, results)
    return stage


def as_file(stage: Stage, moves: str = MOVES, **changed: str) -> bytes:
    """Return every game of a stage as a program would write it."""
    tournament = stage.section.tournament
    found = game_records.games_of(tournament).exclude(outcome="")
    texts = []
    for game in found:
        tags = {**game_records.tags_of(game, tournament, several=False), **changed}
        texts.append(pgn.write(tags, moves))
    return "\n".join(texts).encode()


def read(stage: Stage, content: bytes, **options: bool) -> dict[str, object]:
    """Hand a file in and let the worker read it; return its report."""
    taken, _new = game_imports.request_import(stage.section.tournament, content, name="round.pgn", **options)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    return taken.report


@pytest.mark.clause("K9.2")
def test_a_file_is_read_by_the_worker_after_the_commit(django_capture_on_commit_callbacks: object) -> None:
    stage = swiss()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        taken, new = game_imports.request_import(stage.section.tournament, as_file(stage), name="round.pgn")
    taken.refresh_from_db()
    assert new
    assert taken.report == {"games": 6, "placed": 6, "problems": []}
    assert taken.job is not None
    assert taken.job.state == Job.State.DONE
    assert game_imports.progress(taken) == {"done": taken.size, "total": taken.size, "games": 6}
    assert set(Game.objects.filter(stage=stage).values_list("pgn", "ply_count")) == {(MOVES, 6)}


@pytest.mark.clause("K9.2")
def test_the_same_file_and_the_same_games_change_nothing() -> None:
    stage = swiss()
    content = as_file(stage)
    read(stage, content)
    version = Stage.objects.get(pk=stage.pk).version
    again, new = game_imports.request_import(stage.section.tournament, content)
    assert (new, GameImport.objects.count()) == (False, 1)
    game_imports.import_again(again)
    game_imports.run_import(again.pk)
    assert read(stage, content + b"\n% another file with the same games\n") == {"games": 6, "same": 6, "problems": []}
    assert Stage.objects.get(pk=stage.pk).version == version
    assert ActionLog.objects.filter(action="games.imported").count() == 1


def test_another_result_is_told_and_never_written() -> None:
    stage = swiss(results="1-0")
    report = read(stage, as_file(stage, Result="0-1"))
    assert report["placed"] == 6
    assert {line["code"] for line in report["problems"]} == {"games.result_differs"}  # type: ignore[attr-defined]
    assert set(Game.objects.values_list("outcome", flat=True)) == {"1-0"}
    assert ResultRecord.objects.count() == 6


def test_games_that_fit_nobody_are_told_with_their_line() -> None:
    stage = swiss()
    content = b'[Event "x"]\n[White "Nobody"]\n[Black "Knows"]\n\n1. e4 *\n\n' + as_file(stage)
    report = read(stage, content)
    assert (report["games"], report["placed"], report["left_out"]) == (7, 6, 1)
    assert report["problems"] == [
        {
            "code": "games.no_player",
            "line": 1,
            "number": 1,
            "white": "Nobody",
            "black": "Knows",
            "values": {"fitting": 0},
        }
    ]


def test_a_growing_game_of_a_live_board_takes_the_place_of_its_beginning() -> None:
    stage = swiss()
    read(stage, as_file(stage))
    assert read(stage, as_file(stage, MOVES + " 4. Ba4 Nf6"))["replaced"] == 6
    assert read(stage, as_file(stage, MOVES + " 4. Ba4"))["same"] == 6
    assert set(Game.objects.values_list("ply_count", flat=True)) == {8}


def test_other_moves_are_kept_unless_the_arbiter_says_so() -> None:
    stage = swiss()
    read(stage, as_file(stage))
    report = read(stage, as_file(stage, "1. d4 d5"))
    assert (report["left_out"], {line["code"] for line in report["problems"]}) == (6, {"games.other_moves"})  # type: ignore[attr-defined]
    assert read(stage, as_file(stage, "1. d4 d5"), replace=True)["replaced"] == 6
    assert set(Game.objects.values_list("pgn", flat=True)) == {"1. d4 d5"}


def test_reading_a_long_file_takes_queries_by_batches_not_by_games() -> None:
    stage = swiss(24)
    taken, _ = game_imports.request_import(stage.section.tournament, as_file(stage))
    with CaptureQueriesContext(connection) as small:
        game_imports.run_import(taken.pk)
    for _ in range(2):
        rounds.play(stage, "1-0 1/2 0-1")
    taken, _ = game_imports.request_import(stage.section.tournament, as_file(stage))
    with CaptureQueriesContext(connection) as large:
        game_imports.run_import(taken.pk)
    assert taken.tournament.sections.first() is not None
    assert len(large) == len(small)


@pytest.mark.clause("K9.2")
def test_a_match_is_downloaded_with_its_tie_breaks_inside() -> None:
    stage = brackets.drawn(4)
    key = brackets.table(stage).state.open_matches[0].key
    brackets.play(stage, key, "= = = = 1")
    tournament = stage.section.tournament
    found = game_records.found_games(tournament, game_records.Wanted(match=key))
    texts = [game_records.pgn_text(game, tournament, several=False) for game in found]
    tags = [dict(next(iter(pgn.read(text.encode()))).tags) for text in texts]
    assert [(one["MatchGame"], one["Match"], one["Result"], one.get("TimeControl", "")) for one in tags] == [
        ("1", key, "1/2-1/2", "180+2"),
        ("2", key, "1/2-1/2", "180+2"),
        ("3", key, "1/2-1/2", "120+1"),
        ("4", key, "1/2-1/2", "120+1"),
        ("5", key, tags[4]["Result"], ""),
    ]
    assert [one["Round"] for one in tags] == [f"{key.lstrip('RULS')}.{number}" for number in range(1, 6)]
    assert list(tags[0])[:7] == list(pgn.ROSTER)
    read_again = read(stage, "\n".join(text.replace("\n\n", "\n\n1. e4 c5 ") for text in texts).encode())
    assert (read_again["placed"], read_again["problems"]) == (5, [])


@pytest.mark.clause("K9.2")
def test_a_bye_and_a_forfeit_are_no_games_of_a_file() -> None:
    stage = rounds.stage_of(11, starts_on=None)
    round_ = rounds.play(stage, "+- 1-0")
    tournament = stage.section.tournament
    found = game_records.found_games(tournament, game_records.Wanted(all_games=True, round=round_.number))
    text = "".join(game_records.pgn_file(found, tournament, several=True))
    assert round_.pairings.exclude(bye="").count() == 1
    assert text.count("[Event ") == 4
    assert text.count('[Result "1-0"]') == 4


@pytest.mark.clause("K9.2")
def test_players_are_found_in_both_alphabets_but_not_behind_their_number() -> None:
    stage = swiss()
    entry = rounds.numbered(stage)[1]
    entry.player.surname, entry.player.given_name = "Прокопенко", "Олег"
    entry.player.save()
    tournament = stage.section.tournament
    for search in ("прокоп", "Prokopenko Ol", "олег"):
        assert game_records.people_called(tournament, search) == [entry.pk]
    entry.public_name = False
    entry.save()
    assert game_records.people_called(tournament, "прокоп") == []


@pytest.mark.clause("M7.6")
def test_a_record_shows_a_draw_agreed_too_early() -> None:
    stage = swiss(results="1/2")
    long = " ".join(f"{n}. {'Nf3' if n % 2 else 'Ng1'} {'Nf6' if n % 2 else 'Ng8'}" for n in range(1, 42))
    read(stage, as_file(stage))
    game = Game.objects.filter(stage=stage).first()
    assert game is not None
    games.set_moves(game, long, actor=None)
    early = game_records.early_draws(stage.section.tournament)
    assert [(one.moves, one.limit, one.warned) for one in early] == [(3, 40, False)] * 5
    assert game.pk not in {one.game.pk for one in early}
    games.set_moves(game, long.rsplit(" 41.", 1)[0], actor=None)
    assert {one.moves for one in game_records.early_draws(stage.section.tournament)} == {3, 40}


def test_moves_by_hand_take_one_game_and_leave_a_line_in_the_log() -> None:
    stage = swiss()
    game = Game.objects.filter(stage=stage).first()
    assert game is not None
    arbiter = builders.user("arbiter", stage.section.tournament, "arbiter")
    for text, code in (('1. e4 *\n\n[Event "b"]\n\n1. d4 *', "pgn.one_game_only"), ("1. Ke9", "pgn.no_moves")):
        with pytest.raises(TourneyError) as refused:
            games.set_moves(game, text, actor=arbiter)
        assert refused.value.code == code
    games.set_moves(game, MOVES, actor=arbiter)
    with pytest.raises(TourneyError):
        games.remove_moves(game, actor=arbiter, reason=" ")
    games.remove_moves(game, actor=arbiter, reason="another game")
    game.refresh_from_db()
    assert (game.pgn, game.ply_count) == ("", None)
    assert list(ActionLog.objects.filter(action__startswith="games.").values_list("action", "reason")) == [
        ("games.moves_removed", "another game"),
        ("games.moves_set", ""),
    ]


@pytest.mark.parametrize(
    ("clock", "tag"), [("90+30", "5400+30"), ("3+2", "180+2"), ("10", "600"), ("5/4", ""), ("", "")]
)
def test_clocks_are_written_in_seconds(clock: str, tag: str) -> None:
    assert game_records.time_control(clock) == tag


def asked_import(stage: Stage) -> tuple[GameImport, dict[str, object]]:
    """Return an import with one record under a name nobody has, and its line of the report."""
    one = game_records.games_of(stage.section.tournament).exclude(outcome="").first()
    assert one is not None
    tags = {**game_records.tags_of(one, stage.section.tournament, several=False), "White": "Хтось, Чужий"}
    taken, _ = game_imports.request_import(stage.section.tournament, pgn.write(tags, MOVES).encode(), name="one.pgn")
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    (line,) = taken.report["problems"]
    return taken, line


def test_a_record_nobody_can_place_is_asked_about_and_the_answer_holds() -> None:
    stage = swiss()
    taken, line = asked_import(stage)
    assert (line["code"], line["number"]) == ("games.no_player", 1)
    meant = Game.objects.get(pk=line["values"]["suggestions"][0])  # type: ignore[index]

    assert game_imports.place_record(taken, 1, meant, actor=None) == "placed"

    meant.refresh_from_db()
    assert (meant.pgn, meant.ply_count) == (MOVES, 6)
    assert ActionLog.objects.filter(action="games.record_placed").count() == 1
    game_imports.import_again(taken)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert taken.report == {"games": 1, "same": 1, "problems": []}


def test_a_record_set_aside_stays_aside_when_the_file_is_read_again() -> None:
    stage = swiss()
    taken, _line = asked_import(stage)
    assert game_imports.place_record(taken, 1, None, actor=None) == "set_aside"
    game_imports.import_again(taken)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert (taken.report["set_aside"], [line["code"] for line in taken.report["problems"]]) == (1, ["games.set_aside"])
    assert not Game.objects.exclude(pgn="").exists()


def test_a_record_put_to_a_game_with_other_moves_is_refused() -> None:
    stage = swiss()
    taken, line = asked_import(stage)
    meant = Game.objects.get(pk=line["values"]["suggestions"][0])  # type: ignore[index]
    games.set_moves(meant, "1. d4 d5", actor=None)
    with pytest.raises(TourneyError) as refused:
        game_imports.place_record(taken, 1, meant, actor=None)
    assert refused.value.code == "games.other_moves"
    assert not taken.placings.exists()
    meant.refresh_from_db()
    assert meant.pgn == "1. d4 d5"


def test_a_record_that_is_not_in_the_file_is_refused() -> None:
    taken, _line = asked_import(swiss())
    for number in (0, 2):
        with pytest.raises(TourneyError) as refused:
            game_imports.place_record(taken, number, None, actor=None)
        assert refused.value.code == "pgn.no_games"
