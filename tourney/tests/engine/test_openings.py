"""Names of openings by position: the data file, transpositions, games that leave the books."""

from __future__ import annotations

from pathlib import Path

import pytest

from tourney.openings import LAST_PLY, Opening, make, opening_of, openings
from tourney.pgn_moves import start_board
from tourney.pgn_replay import replay


def test_every_line_of_the_file_is_a_legal_position_with_a_code_and_a_name() -> None:
    known = openings()
    assert len(known) > 3_700
    for epd, opening in known.items():
        assert start_board({"FEN": f"{epd} 0 1"}).epd() == epd
        assert opening.eco[0] in "ABCDE"
        assert len(opening.eco) == 3
        assert opening.name == opening.name.strip() != ""


@pytest.mark.parametrize(
    ("moves", "opening"),
    [
        ("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6", Opening("B90", "Sicilian Defense: Najdorf Variation")),
        # The same position by another order of moves.
        ("1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 a6 5. Nc3 Nf6", Opening("B90", "Sicilian Defense: Najdorf Variation")),
        # Moves nobody has named change nothing.
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 h5 4. a3 a6 5. h3", Opening("C60", "Ruy Lopez")),
        ("", None),
    ],
)
def test_a_game_is_called_by_its_last_named_position(moves: str, opening: Opening | None) -> None:
    found = replay(moves).opening

    assert found == opening


def test_a_game_from_a_position_of_its_own_has_no_name() -> None:
    assert replay('[FEN "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"]\n\n*').opening is None
    assert opening_of([]) is None


def test_the_file_is_made_from_lines_of_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for volume in "abcde":
        (tmp_path / f"{volume}.tsv").write_text("eco\tname\tpgn\n")
    with (tmp_path / "b.tsv").open("a") as file:
        file.write("B00\tKing's Pawn Game\t1. e4\nB01\tThe same again\t1. e4\n")
    target = tmp_path / "openings.tsv"
    monkeypatch.setattr(make, "FILE", target)

    make.main([str(tmp_path), "1a2b"])

    assert target.read_text().splitlines() == [
        "# lichess-org/chess-openings 1a2b, CC0: eco, name, EPD",
        "B00\tKing's Pawn Game\trnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
    ]
    (tmp_path / "c.tsv").write_text("eco\tname\tpgn\nC00\tWrong\t1. e5\n")
    with pytest.raises(ValueError, match="Wrong"):
        list(make.rows(tmp_path))
    assert LAST_PLY == 40
