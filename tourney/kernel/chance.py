"""The only source of chance: protocol ``draw/1``, which anybody can check afterwards.

A draw has three moments. *Commit*: a manifest (who takes part, in which order, how many are drawn) and the hash of a
secret are published. *Entropy*: numbers nobody could know beforehand are collected in public. *Result*: it follows
from manifest, secret and entropy alone. `verify` repeats all of it; the same lines are offered to the public as a
stand-alone checker.

Nobody can steer a draw: who gives the numbers does not know the secret, and who keeps the secret is bound to it and to
the list before the numbers can be known. A manifest may name one public value as the only source of entropy
(``entropy.source``); then that value alone decides, and one more number, or a word beside the value, is a forgery.
What the keeper of the secret can still do is drop an unwelcome draw: it keeps its place in the chain.

Randomness is unbiased: 64-bit words of SHA-256(seed ‖ counter), rejection instead of a bare modulo, Fisher–Yates.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tourney.kernel.errors import TourneyError

PROTOCOL = "draw/1"
T = TypeVar("T")


def canonical(value: Any) -> bytes:
    """Return JSON with sorted keys and no spaces, in UTF-8: the form that is hashed."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def sha256_hex(data: bytes) -> str:
    """Return the hash of some bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def manifest_hash(manifest: Mapping[str, Any]) -> str:
    """Return the hash that binds a draw to its list of entrants."""
    return sha256_hex(canonical(manifest))


def commitment(secret: str, manifest: Mapping[str, Any]) -> str:
    """Return what is published before anybody gives a number. `secret` is 64 hexadecimal digits."""
    return sha256_hex(f"commit:{secret}:{manifest_hash(manifest)}".encode())


def seed_of(secret: str, manifest: Mapping[str, Any], entropy: Any) -> bytes:
    """Return the 32 bytes every choice of the draw is made from."""
    head = f"seed:{manifest_hash(manifest)}:{secret}:".encode()
    return hashlib.sha256(head + canonical(entropy)).digest()


class Chance:
    """An unbiased stream of choices from a seed; the same seed gives the same choices for ever."""

    def __init__(self, seed: bytes) -> None:
        self._words = self._stream(seed)

    @classmethod
    def labelled(cls, seed: int | str, label: str) -> Chance:
        """Return the stream for a plain seed (simulations, rehearsals): seed and label name it completely."""
        return cls(hashlib.sha256(f"labelled:{label}:{seed}".encode()).digest())

    @staticmethod
    def _stream(seed: bytes) -> Iterator[int]:
        counter = 0
        while True:
            block = hashlib.sha256(seed + counter.to_bytes(4, "big")).digest()
            for start in (0, 8, 16, 24):
                yield int.from_bytes(block[start : start + 8], "big")
            counter += 1

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit − 1, every one equally likely."""
        if limit < 1:
            raise ValueError("nothing to choose from")
        bound = 2**64 - 2**64 % limit
        while True:
            word = next(self._words)
            if word < bound:
                return word % limit

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]


def draw(manifest: Mapping[str, Any], secret: str, entropy: Any) -> Any:
    """Return the result of a draw: k entrants (pick), every pot in order (pots) or one of two entrants (coin).

    Raises TourneyError ``draw.no_entrants``, ``draw.entrant_twice``, ``draw.too_many_winners``, ``draw.unknown_kind``.
    """
    _check_manifest(manifest)
    chance = Chance(seed_of(secret, manifest, entropy))
    match manifest["kind"]:
        case "pick":
            return chance.shuffle(manifest["entrants"])[: manifest["k"]]
        case "pots":
            return [chance.shuffle(pot) for pot in manifest["pots"]]
        case _:
            return manifest["entrants"][chance.below(2)]


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    kind = manifest.get("kind")
    if kind not in ("pick", "pots", "coin"):
        raise TourneyError("draw.unknown_kind", kind=kind)
    entrants = [name for pot in manifest["pots"] for name in pot] if kind == "pots" else list(manifest["entrants"])
    if not entrants:
        raise TourneyError("draw.no_entrants")
    if len(set(entrants)) != len(entrants):
        raise TourneyError("draw.entrant_twice")
    if kind == "pick" and not 1 <= manifest["k"] <= len(entrants):
        raise TourneyError("draw.too_many_winners", winners=manifest["k"], entrants=len(entrants))
    if kind == "coin" and len(entrants) != 2:
        raise TourneyError("draw.coin_needs_two", entrants=len(entrants))


@dataclass(frozen=True, slots=True)
class Transcript:
    """Everything the public needs to check a finished draw."""

    manifest: Mapping[str, Any]
    secret: str
    entropy: Any
    commitment: str
    result: Any

    @classmethod
    def of(cls, manifest: Mapping[str, Any], secret: str, entropy: Any) -> Transcript:
        """Return the transcript of the draw these three decide."""
        return cls(manifest, secret, entropy, commitment(secret, manifest), draw(manifest, secret, entropy))

    def as_json(self) -> dict[str, Any]:
        """Return the transcript as the public gets it."""
        return {
            "manifest": dict(self.manifest),
            "secret": self.secret,
            "entropy": self.entropy,
            "commitment": self.commitment,
            "result": self.result,
            "manifest_sha256": manifest_hash(self.manifest),
        }


def is_from_source(manifest: Mapping[str, Any], entropy: Any) -> bool:
    """Return whether the entropy is the one value its manifest names, alone; True where it names none."""
    plan = manifest.get("entropy")
    if not isinstance(plan, Mapping) or "source" not in plan:
        return True
    if not isinstance(entropy, list) or len(entropy) != 1 or not isinstance(entropy[0], Mapping):
        return False
    return set(entropy[0]) == {"who", "number"} and entropy[0]["who"] == plan["source"]


def verify(transcript: Mapping[str, Any]) -> str | None:
    """Return None when a transcript is honest, else the code of what is wrong with it."""
    manifest = transcript["manifest"]
    if transcript["commitment"] != commitment(transcript["secret"], manifest):
        return "draw.commitment_differs"
    if not is_from_source(manifest, transcript["entropy"]):
        return "draw.entropy_differs"
    try:
        result = draw(manifest, transcript["secret"], transcript["entropy"])
    except TourneyError as error:
        return error.code
    return None if result == transcript["result"] else "draw.result_differs"
