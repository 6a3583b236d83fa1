"""Moves for a few games of the demo: famous games of long ago, under invented names, as a file handed to the worker."""

from __future__ import annotations

from typing import Any

from tourney import game_records, pgn
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, Tournament
from tourney.services.game_imports import request_import

MOST = 8  # of an event: enough to see lists, a match with its games, and a draw that came too early

# Paris 1858; London 1851; Berlin 1852; Łódź 1907; Moscow 1914.
GAMES: dict[str, tuple[str, ...]] = {
    ResultCode.WHITE_WINS: (
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 "
        "cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#",
        "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 "
        "11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 "
        "Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7#",
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3 Ba5 6. d4 exd4 7. O-O d3 8. Qb3 Qf6 9. e5 Qg6 10. Re1 Nge7 "
        "11. Ba3 b5 12. Qxb5 Rb8 13. Qa4 Bb6 14. Nbd2 Bb7 15. Ne4 Qf5 16. Bxd3 Qh5 17. Nf6+ gxf6 18. exf6 Rg8 19. Rad1 "
        "Qxf3 20. Rxe7+ Nxe7 21. Qxd7+ Kxd7 22. Bf5+ Ke8 23. Bd7+ Kf8 24. Bxe7#",
    ),
    ResultCode.BLACK_WINS: (
        "1. d4 d5 2. Nf3 e6 3. e3 c5 4. c4 Nc6 5. Nc3 Nf6 6. dxc5 Bxc5 7. a3 a6 8. b4 Bd6 9. Bb2 O-O 10. Qd2 Qe7 "
        "11. Bd3 dxc4 12. Bxc4 b5 13. Bd3 Rd8 14. Qe2 Bb7 15. O-O Ne5 16. Nxe5 Bxe5 17. f4 Bc7 18. e4 Rac8 19. e5 Bb6+ "
        "20. Kh1 Ng4 21. Be4 Qh4 22. g3 Rxc3 23. gxh4 Rd2 24. Qxd2 Bxe4+ 25. Qg2 Rh3",
    ),
    ResultCode.DRAW: (
        "1. e4 e5 2. Nf3 Nc6 3. d4 exd4 4. Nxd4 Nf6 5. Nc3 Bb4 6. Nxc6 bxc6 7. Bd3 d5 8. exd5 cxd5 9. O-O O-O 10. Bg5 "
        "Be6 11. Qf3 Be7 12. Rfe1 h6 13. Bxh6 gxh6 14. Rxe6 fxe6 15. Qg3+ Kh8 16. Qg6",
    ),
}


def hand_in(tournament: Tournament, actor: Any) -> None:
    """Hand a file with some games of the event to the worker, as an arbiter would (nothing before there are games)."""
    left = {result: list(texts) for result, texts in GAMES.items()}
    several = tournament.sections.count() > 1
    texts = []
    for game in _shown(tournament):
        if len(texts) < MOST and left.get(game.outcome):
            tags = game_records.tags_of(game, tournament, several=several)
            texts.append(pgn.write(tags, left[game.outcome].pop(0)))
    if texts:
        request_import(tournament, "\n".join(texts).encode(), name=f"{tournament.slug}.pgn", actor=actor)


def _shown(tournament: Tournament) -> list[Game]:
    """Return the games to choose from: the first boards of rounds, and matches from their first game on."""
    games = game_records.games_of(tournament).filter(outcome__in=game_records.PLAYED)
    return sorted(games, key=lambda game: (game.board or 0, game.round_number or 0, game.match_key, game.game_number))
