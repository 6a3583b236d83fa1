"""Moves as people write them on a score sheet, and why one of them can't be played. Pure.

Read are algebraic moves, short and long (``Nf3``, ``Ng1-f3``, ``e2e4``, ``ed``), with English, Ukrainian or Russian
letters (``Кр Ф Т Л С К``), Cyrillic letters in the place of Latin files, ``:`` or ``x`` for a capture, any castling.
A word is taken for the move it can mean; one that means two moves, or none, ends the reading and tells the reason.
Pieces are named by their figurines: those need no grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import chess

from tourney.kernel.errors import TourneyError
from tourney.pgn_moves import MAX_PLIES, RESULT_WORDS, RESULTS, start_board

MAX_TEXT = 20_000  # characters: a sheet of 600 moves has fewer
MAX_WORD = 40  # characters: no move is as long, and looking for the end of a word takes the square of its length


@dataclass(frozen=True, slots=True)
class Wrong:
    """The first word that is no move: where it stands in the text, before which move (``12…``), and why."""

    word: str
    start: int
    end: int
    before: str
    reason: TourneyError


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a typed text says: the moves up to its end or its first mistake, and the position they lead to."""

    moves: tuple[str, ...]  # SAN
    fen: str
    squares: tuple[str, ...]  # from and to of the last move
    check: str  # square of a king in check
    legal: dict[str, str]  # moves possible now: UCI -> SAN
    wrong: Wrong | None
    ended: str  # "checkmate", "stalemate", "" while the game can go on

    def text(self) -> str:
        """Return the moves with numbers, for a game from the usual position or any other."""
        return numbered(self.moves, self.fen)


def numbered(moves: tuple[str, ...], fen: str) -> str:
    """Return moves with their numbers; `fen` is the position after the last of them."""
    _, turn, *_, last = fen.split()
    ply = 2 * (int(last) - 1) + (turn == "b") - len(moves)  # half-moves before the first
    parts = []
    for number, move in enumerate(moves, ply):
        if number % 2 == 0:
            parts.append(f"{number // 2 + 1}.")
        elif number == ply:
            parts.append(f"{number // 2 + 1}...")
        parts.append(move)
    return " ".join(parts)


_SPACED = re.compile(r"(?<=[a-hA-Hа-цА-Ц][1-8])\s*[-–—−]\s*(?=[a-hA-Hа-цА-Ц][1-8])|(?<=[0OoОо])\s*[-–—−]\s*(?=[0OoОо])")
_WORD = re.compile(r"[^\s,;|]+")
_NUMBER = re.compile(r"^\d{1,3}(?:[.…)]+|$)[.…]*")
_DASHES = str.maketrans(dict.fromkeys("–—−‑", "-"))
_TAIL = re.compile(r"(?:[!?+#†‡]|[xх×]$|(?:шах|мат|ш|mate|ch)\.?$|(?:e\.?p\.?|в\.?п\.?)$)+$", re.IGNORECASE)
_CASTLING = re.compile(r"^[0oо](-?)[0oо](\1[0oо])?$", re.IGNORECASE)

# Longer ones first: Кр is a king, К a knight. Ukrainian Т and Russian Л are one piece.
_LETTERS = {
    "Кр": "K",
    "Кн": "N",
    "К": "N",
    "Ф": "Q",
    "Т": "R",
    "Л": "R",
    "С": "B",
    "П": "P",
    "K": "K",
    "Q": "Q",
    "R": "R",
    "T": "R",
    "B": "B",
    "N": "N",
    "P": "P",
}
_FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", strict=True))
_FILES = str.maketrans("абвгдефжхснцє", "abbgdefghchce")
_SQUARES = re.compile(r"^([a-h])?([1-8])?[-x]?([a-h])([1-8])$")
_PAWN_PAIR = re.compile(r"^([a-h])x?([a-h])$")
_PROMOTION = re.compile(r"(?<=[18])[=/(]?([QRBNqrbnФфТтЛлСсКк♕♖♗♘♛♜♝♞])\)?$")


@dataclass(frozen=True, slots=True)
class _Reading:
    """One thing a word can mean."""

    piece: str
    file: str = ""  # where it stood
    rank: str = ""
    to: str = ""  # square, or only the file of a pawn's capture
    promotion: str = ""
    sure: bool = True  # a letter of the usual case


def read_sheet(text: str, start: str = "") -> Sheet:
    """Read a text of moves from a position (a FEN; "" is the usual one).

    Raises TourneyError ``moves.too_long``, and ``pgn.bad_position`` for an impossible `start`.
    """
    if len(text) > MAX_TEXT:
        raise TourneyError("moves.too_long", limit=MAX_TEXT)
    board = start_board({"FEN": start} if start else {})
    moves: list[str] = []
    wrong: Wrong | None = None
    over = False
    for word, begin, end in _words(text):
        before = f"{board.fullmove_number}{'.' if board.turn else '…'}"
        try:
            if over:
                raise TourneyError("moves.after_result")
            if RESULT_WORDS.get(word, word) in RESULTS:
                over = True
                continue
            if len(moves) >= MAX_PLIES:
                raise TourneyError("pgn.too_long", limit=MAX_PLIES)
            move = find_move(board, word)
        except TourneyError as reason:
            wrong = Wrong(word[:20], begin, end, before, reason)
            break
        moves.append(board.san_and_push(move))
    return Sheet(
        tuple(moves),
        board.fen(),
        tuple(map(chess.square_name, (board.peek().from_square, board.peek().to_square))) if moves else (),
        chess.square_name(king) if board.is_check() and (king := board.king(board.turn)) is not None else "",
        {move.uci(): board.san(move) for move in board.legal_moves},
        wrong,
        "checkmate" if board.is_checkmate() else "stalemate" if board.is_stalemate() else "",
    )


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words that should be moves, without their numbers, with their place in the text."""
    # The same length as before, so that places stay: the spaces of "e2 - e4" become dashes.
    joined = _SPACED.sub(lambda found: "-" * len(found.group()), text)
    for found in _WORD.finditer(joined):
        word, begin = found.group(), found.start()
        number = _NUMBER.match(word)
        if number and RESULT_WORDS.get(word, word) not in RESULTS:
            word, begin = word[number.end() :], begin + number.end()
        plain = word.lstrip(".…")
        begin += len(word) - len(plain)
        if len(plain) > MAX_WORD:
            yield plain, begin, found.end()
        # A word that is only "mate", "+" or "e.p." belongs to the move before it.
        elif _TAIL.sub("", plain).strip("-–—−.…"):
            yield re.sub("-+", "-", plain.translate(_DASHES)), begin, found.end()


def find_move(board: chess.Board, word: str) -> chess.Move:
    """Return the legal move a word means.

    Raises TourneyError with the reason why there is none: ``moves.unreadable``, ``moves.ambiguous`` and those of
    `_why_not`.
    """
    if len(word) > MAX_WORD:
        raise TourneyError("moves.unreadable", word=word[:20])
    if _CASTLING.match(_TAIL.sub("", word)):
        return _castling(board, long=len(re.sub("[^0oо]", "", word.casefold())) == 3)
    readings = list(_readings(word))
    if not readings:
        raise TourneyError("moves.unreadable", word=word[:20])
    for sure in (True, False):
        found = {move for one in readings if one.sure is sure for move in _fitting(board, one)}
        if len({(move.from_square, move.to_square) for move in found}) > 1:
            raise TourneyError("moves.ambiguous", moves=sorted(board.san(move) for move in found))
        if len(found) > 1:
            raise TourneyError("moves.promotion", word=word[:20])
        if found:
            return found.pop()
    if not any(board.legal_moves):
        raise TourneyError("moves.over")
    raise _why_not(board, next((one for one in readings if one.sure), readings[0]))


def _readings(word: str) -> Iterator[_Reading]:
    core = _TAIL.sub("", word.strip("()"))
    promotion = ""
    if found := _PROMOTION.search(core):
        letter = found[1]
        promotion = _FIGURINES.get(letter) or _LETTERS[letter.upper()]
        core = core[: found.start()]
    heads = [("P", core, core[:1] == core[:1].lower())]
    for letter, piece in _LETTERS.items():
        if core.casefold().startswith(letter.casefold()):
            heads.append((piece, core[len(letter) :], core.startswith(letter)))
    if core[:1] in _FIGURINES:
        heads.append((_FIGURINES[core[0]], core[1:], True))
    for piece, rest, sure in heads:
        squares = rest.casefold().replace(":", "x").replace("×", "x")
        # A Cyrillic х before a digit is a file, before a letter a capture.
        squares = re.sub(r"х(?!\d)", "x", squares).translate(_FILES)
        if found := _SQUARES.match(squares):
            file, rank, to_file, to_rank = found.groups("")
            beside = not file or rank or abs(ord(file) - ord(to_file)) == 1
            if piece != "P" or beside:  # "cc4" is no pawn's move
                yield _Reading(piece, file, rank, to_file + to_rank, promotion, sure)
        elif piece == "P" and (found := _PAWN_PAIR.match(squares)) and abs(ord(found[1]) - ord(found[2])) == 1:
            yield _Reading(piece, found[1], "", found[2], promotion, sure)


def _sources(board: chess.Board, reading: _Reading) -> chess.SquareSet:
    """Return the squares of the pieces a reading may mean: a square without a letter may be any piece's."""
    mask = chess.BB_FILES["abcdefgh".index(reading.file)] if reading.file else chess.BB_ALL
    mask &= chess.BB_RANKS[int(reading.rank) - 1] if reading.rank else chess.BB_ALL
    if reading.piece == "P" and reading.file and reading.rank:
        return chess.SquareSet(board.occupied_co[board.turn] & mask)  # e2e4, g1f3
    return board.pieces(chess.Piece.from_symbol(reading.piece).piece_type, board.turn) & mask


def _fitting(board: chess.Board, reading: _Reading) -> Iterator[chess.Move]:
    targets = chess.BB_FILES["abcdefgh".index(reading.to)] if len(reading.to) == 1 else _bit(reading.to)
    for move in board.generate_legal_moves(int(_sources(board, reading)), targets):
        if len(reading.to) == 1 and not board.is_capture(move):
            continue
        written = move.promotion is None or chess.piece_symbol(move.promotion).upper() == reading.promotion
        if written or not reading.promotion:
            yield move


def _bit(square: str) -> int:
    return int(chess.BB_SQUARES[chess.parse_square(square)])


def _figurine(piece: chess.Piece | None) -> str:
    return piece.unicode_symbol() if piece else ""


# -- why not -----------------------------------------------------------------------------------------------------------


def _why_not(board: chess.Board, reading: _Reading) -> TourneyError:
    """Return why no piece can make this move.

    Codes: ``moves.no_piece``, ``moves.no_piece_there``, ``moves.empty_square``, ``moves.own_piece``,
    ``moves.check_stays``, ``moves.pinned``, ``moves.king_attacked``, ``moves.pawn_takes_nothing``, ``moves.blocked``,
    ``moves.can_not_reach``.
    """
    sources = _sources(board, reading)
    piece = board.piece_at(next(iter(sources))) if sources else None
    if piece is None:
        where = reading.file + reading.rank
        if len(where) == 2 and reading.piece == "P":
            return TourneyError("moves.empty_square", square=where)
        named = _figurine(chess.Piece(chess.Piece.from_symbol(reading.piece).piece_type, board.turn))
        if where:
            return TourneyError("moves.no_piece_there", piece=named, where=where)
        return TourneyError("moves.no_piece", piece=named)
    named = _figurine(piece)
    if len(reading.to) == 1:
        return TourneyError("moves.pawn_takes_nothing", piece=named, square=reading.to)
    to = chess.parse_square(reading.to)
    standing = board.piece_at(to)
    if standing is not None and standing.color == board.turn:
        return TourneyError("moves.own_piece", square=reading.to, standing=_figurine(standing))
    if blocked := _in_check_after(board, sources, to, named, reading.to):
        return blocked
    if piece.piece_type == chess.PAWN:
        return _why_no_pawn(board, sources, to, named)
    for square in sources:
        if to in chess.SquareSet(_reach(piece.piece_type, square)):
            between = chess.SquareSet(chess.between(square, to)) & board.occupied
            for stop in between:
                return TourneyError(
                    "moves.blocked",
                    piece=f"{named}{chess.square_name(square)}",
                    square=reading.to,
                    by=f"{_figurine(board.piece_at(stop))}{chess.square_name(stop)}",
                )
    return TourneyError("moves.can_not_reach", piece=named, square=reading.to)


def _in_check_after(
    board: chess.Board, sources: chess.SquareSet, to: int, named: str, square: str
) -> TourneyError | None:
    """Return the reason when a piece could go there but for its own king."""
    for move in board.generate_pseudo_legal_moves(int(sources), chess.BB_SQUARES[to]):
        if board.piece_type_at(move.from_square) == chess.KING:
            if board.is_castling(move):
                continue
            attackers = board.attackers(not board.turn, to)
            by = ", ".join(f"{_figurine(board.piece_at(one))}{chess.square_name(one)}" for one in attackers)
            return TourneyError("moves.king_attacked", square=square, by=by or "…")
        if board.is_check():
            by = ", ".join(f"{_figurine(board.piece_at(one))}{chess.square_name(one)}" for one in board.checkers())
            return TourneyError("moves.check_stays", piece=named, square=square, by=by)
        return TourneyError("moves.pinned", piece=f"{named}{chess.square_name(move.from_square)}", square=square)
    return None


def _why_no_pawn(board: chess.Board, sources: chess.SquareSet, to: int, named: str) -> TourneyError:
    """Return why no pawn can go to a square: something stands there or before it, or there is nothing to take."""
    square = chess.square_name(to)
    step = 8 if board.turn else -8
    home = chess.BB_RANK_2 if board.turn else chess.BB_RANK_7
    for source in sources:
        ahead = source + step
        if to == ahead or (to == ahead + step and chess.BB_SQUARES[source] & home):
            stop = ahead if board.piece_at(ahead) else to
            return TourneyError(
                "moves.blocked",
                piece=f"{named}{chess.square_name(source)}",
                square=square,
                by=f"{_figurine(board.piece_at(stop))}{chess.square_name(stop)}",
            )
    if any(to in board.attacks(source) for source in sources):
        return TourneyError("moves.pawn_takes_nothing", piece=named, square=square)
    return TourneyError("moves.can_not_reach", piece=named, square=square)


def _reach(piece_type: int, square: int) -> int:
    """Return where a piece could go on an empty board."""
    empty = chess.Board(None)
    empty.set_piece_at(square, chess.Piece(piece_type, chess.WHITE))
    return int(empty.attacks(square))


def _castling(board: chess.Board, *, long: bool) -> chess.Move:
    """Return a castling, or the reason why it isn't possible.

    Raises TourneyError ``moves.castling_moved``, ``moves.castling_check``, ``moves.castling_blocked``,
    ``moves.castling_attacked``.
    """
    for move in board.generate_castling_moves():
        if board.is_queenside_castling(move) == long and board.is_legal(move):
            return move
    if not any(board.legal_moves):
        raise TourneyError("moves.over")
    rights = board.has_queenside_castling_rights if long else board.has_kingside_castling_rights
    if not rights(board.turn):
        raise TourneyError("moves.castling_moved")
    if board.is_check():
        raise TourneyError("moves.castling_check")
    king = board.king(board.turn)
    rank = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rooks = chess.SquareSet(board.castling_rights & rank)
    rook = min(rooks) if long else max(rooks)
    stops = chess.SquareSet(chess.between(king if king is not None else rook, rook)) & board.occupied
    for stop in stops:
        raise TourneyError("moves.castling_blocked", by=f"{_figurine(board.piece_at(stop))}{chess.square_name(stop)}")
    raise TourneyError("moves.castling_attacked")
