"""Game files damaged by chance, read in a process of its own whose memory is limited.

    python -m tourney.tests.engine.pgn_fuzzing --bytes 1000000 [--first 1]

Every file is made from its number alone: bytes changed, taken out and doubled, signs of PGN put in, pieces of the file
exchanged, lines mixed, brackets nested, other encodings, a torn end, a piece repeated until the file is large. Each
must be read or refused by name, every part of it within two seconds; what is stored of it must be read back. Exits
with 1 and the number of the file otherwise; a file that hangs is told with the line of the program it hangs in.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import sys
import time
from io import BytesIO

from tourney import pgn
from tourney.kernel.errors import TourneyError
from tourney.pgn import ReadGame
from tourney.pgn_files import parts
from tourney.pgn_replay import replay

NAMED = {"pgn.too_large", "pgn.not_text", "pgn.no_games", "pgn.too_many_games"}
MEMORY = 400_000_000  # bytes of addresses: the program itself takes half of them
SECONDS = 2.0
HANGS = 120  # seconds by the clock after which a file ends the run: the machine may be busy
BITS = (
    b"{", b"}", b"(", b")", b"[", b"]", b'"', b"\\", b";", b"%", b"$", b"\n", b"\r", b"\x00", b"\xff", b"\x1a",
    b"1-0", b"*", b"...", b"O-O-O", b"e8=Q+", b"--", b"[%clk 9:9:9]", b'[FEN "', b'[Variant "Chess960"]', b"\xd0",
    b'\n\n[Event "', b"$255 ", b"(1. Zz) ", b"{ } ", b"\xef\xbb\xbf", b"\xe2\x80\xae",
)  # fmt: skip


def sample() -> bytes:
    """Return a file with everything in it: variations, comments, marks, clocks, a position, both alphabets."""
    morphy = (
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5\n"
        "cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#"
    )
    heads = ('[White "Прокопенко, Олег"]\n[Black "Щербак"]', '[White "A \\"B\\" C"]\n[Round "2.1"]', '[Black "Z"]')
    rich = "{start} 1. e4! {[%clk 0:02:59] good} e5 (1... c5 2. Nf3 (2. c3 $14) d6) 2. Nf3 ; rest\n Nc6 3. Bb5 1/2-1/2"
    setup = '[FEN "8/4k3/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 Kd6 2. Kd2 *'
    games = [
        f'[Event "X"]\n{head}\n\n{text} 1-0'
        for head, text in zip(heads, (morphy, "1. d4 d5 2. c4", "1. c4 *"), strict=True)
    ]
    return "\n\n".join([*games, f'[Event "Y"]\n\n{rich}', f'[Event "Z"]\n{setup}', ""]).encode()


def mutated(content: bytes, chance: random.Random, changes: int) -> bytes:
    """Return a file after so many changes of its bytes."""
    data = bytearray(content)
    for _ in range(changes):
        at = chance.randrange(len(data))
        match chance.randrange(8):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 20)]
            case 2:
                data[at:at] = chance.choice(BITS) * chance.choice((1, 1, 1, 30))
            case 3:
                end = at + chance.randrange(1, 200)
                data[at:at] = data[at:end]
            case 4:  # a piece from elsewhere instead
                other = chance.randrange(len(data))
                data[at : at + chance.randrange(1, 100)] = data[other : other + chance.randrange(1, 100)]
            case 5:  # a piece in brackets, some deep
                end, deep = at + chance.randrange(1, 60), chance.choice((1, 2, 12))
                left, right = chance.choice(((b"(", b")"), (b"{", b"}"), (b'[A "', b'"]'), (b"(1. d4 ", b" ")))
                data[at:end] = left * deep + data[at:end] + right * deep
            case 6:
                data[at : at + 1] = data[at : at + 1].swapcase()
            case _:
                data[at : at + 1] = chance.choice(BITS)
        data = data or bytearray(content)
    return bytes(data)


def reshaped(data: bytes, chance: random.Random) -> bytes:
    """Return a file that is something else as a whole: torn, mixed, encoded otherwise, or large by one piece."""
    match chance.randrange(12):
        case 0:
            return data[: chance.randrange(1, len(data) + 1)]
        case 1:
            lines = data.split(b"\n")
            chance.shuffle(lines)
            return b"\n".join(lines)
        case 2:
            encoding = chance.choice(("cp1251", "cp1252", "utf-16", "utf-8-sig"))
            return data.decode(errors="replace").encode(encoding, errors="replace")
        case 3:
            return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b" ", b"\n\n")))
        case 4 if chance.random() < 0.2:
            at = chance.randrange(len(data))
            piece = data[at : at + chance.choice((1, 2, 5, 30, 200))] or b"("
            return data[:at] + piece * (chance.randrange(50_000, 1_900_000) // len(piece)) + data[at:]
    return data


def file_of(number: int, content: bytes) -> tuple[bytes, int]:
    """Return the damaged file of a number and how many bytes or places of it were changed."""
    chance = random.Random(f"pgn {number}")
    changes = chance.choice((1, 3, 10, 60))
    return reshaped(mutated(content, chance, changes), chance), changes


def read_or_code(data: bytes) -> tuple[list[ReadGame], str]:
    """Return the games of a file, or the code it is refused with."""
    try:
        return list(pgn.read(data)), ""
    except TourneyError as refused:
        return [], refused.code


def fault_of(data: bytes) -> str:
    """Return what went wrong with a file; "" if it was read or refused as it should."""
    games, code = read_or_code(data)
    if code not in {"", *NAMED}:
        return code
    for game in games:
        begun = time.process_time()
        if len(replay(game.stored).plies) != game.ply_count:
            return f"game {game.number} has other moves when it is replayed"
        if (took := time.process_time() - begun) > SECONDS:
            return f"game {game.number} takes {took:.1f} s to be replayed"
        again = list(pgn.read(pgn.write({"White": game.tags.get("White", "")}, game.stored).encode()))
        if [one.body for one in again] != [game.body]:
            return f"game {game.number} is not read back as it was stored"
    return _fault_of_parts(data)


def _fault_of_parts(data: bytes) -> str:
    """Return what goes wrong when a file is read as an upload is: in parts, each in one transaction."""
    begun = time.process_time()
    try:
        for part in parts(BytesIO(data)):
            for _ in pgn.read_part(part):
                pass
            if (took := time.process_time() - begun) > SECONDS:
                return f"the part of line {part.line} takes {took:.1f} s"
            begun = time.process_time()
    except TourneyError as refused:
        return "" if refused.code in NAMED else refused.code
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=3000)
    parser.add_argument("--first", type=int, default=1)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    content, changed, number, slowest = sample(), 0, asked.first, 0.0
    while changed < asked.bytes:
        faulthandler.dump_traceback_later(HANGS, exit=True)
        data, changes = file_of(number, content)
        begun = time.process_time()
        try:
            fault = fault_of(data)
        except Exception as error:  # noqa: BLE001 -- any is a find: told with the number of the file
            fault = repr(error)[:300]
        if fault:
            print(f"file {number}, {len(data)} bytes: {fault}")  # noqa: T201 -- a script
            return 1
        slowest = max(slowest, time.process_time() - begun)
        changed += changes
        number += 1
    faulthandler.cancel_dump_traceback_later()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
    print(f"{number - asked.first} files, {changed} changes, slowest {slowest:.1f} s, {most} MB")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
