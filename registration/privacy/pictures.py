"""Photographs of papers: looked into before they are kept, and freed of what a telephone adds (place, owner, model).

Read are the headers only, never the picture itself, so no picture can be a bomb here; a browser that shows one later
knows the size it will have. Formats: JPEG (ISO 10918-1), PNG (ISO 15948), WebP (RFC 9649).
"""

from __future__ import annotations

from dataclasses import dataclass

from tourney.kernel.errors import TourneyError

MOST_BYTES = 8 << 20
MOST_PIXELS = 60_000_000  # a telephone makes 12 to 50 million; a bomb claims billions
_SMALLEST = 50
_PNG = b"\x89PNG\r\n\x1a\n"
# Chunks of a PNG that draw the picture; the rest are words, moments, places.
_PNG_KEPT = frozenset((b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"pHYs"))
_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG markers that tell the size


@dataclass(frozen=True, slots=True)
class Picture:
    kind: str  # "jpeg", "png", "webp"
    width: int
    height: int
    content: bytes

    @property
    def content_type(self) -> str:
        return f"image/{self.kind}"


def read_picture(content: bytes) -> Picture:
    """Return a photograph as it is kept. TourneyError ``picture.too_large``, ``.pdf``, ``.unknown``, ``.damaged``,
    ``.too_many_pixels``, ``.too_small``.
    """
    if len(content) > MOST_BYTES:
        raise TourneyError("picture.too_large", most=MOST_BYTES >> 20)
    if content.startswith(b"%PDF"):
        raise TourneyError("picture.pdf")
    try:
        if content.startswith(b"\xff\xd8\xff"):
            found = _jpeg(content)
        elif content.startswith(_PNG):
            found = _png(content)
        elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            found = _webp(content)
        else:
            raise TourneyError("picture.unknown")
    except IndexError as error:
        raise TourneyError("picture.damaged") from error
    if found.width * found.height > MOST_PIXELS:
        raise TourneyError("picture.too_many_pixels")
    if min(found.width, found.height) < _SMALLEST:
        raise TourneyError("picture.too_small")
    return found


def _jpeg(content: bytes) -> Picture:
    """Walk the segments up to the picture's data; leave out application segments other than JFIF, and comments."""
    kept = [content[:2]]
    at, width, height, turned = 2, 0, 0, b""
    while True:
        if content[at] != 0xFF:
            raise TourneyError("picture.damaged")
        marker = content[at + 1]
        if marker == 0xFF:  # padding
            at += 1
            continue
        length = int.from_bytes(content[at + 2 : at + 4], "big")
        segment = content[at : at + 2 + length]
        if length < 2 or len(segment) < 2 + length:
            raise TourneyError("picture.damaged")
        if marker == 0xDA:  # the data begin
            break
        if marker in _SOF:
            height, width = int.from_bytes(segment[5:7], "big"), int.from_bytes(segment[7:9], "big")
        if marker == 0xE1 and segment[4:10] == b"Exif\0\0":
            turned = _orientation(segment[10:])
        elif not (0xE1 <= marker <= 0xEF or marker == 0xFE):
            kept.append(segment)
        at += 2 + length
    if not width or not height or not content.rstrip(b"\0").endswith(b"\xff\xd9"):
        raise TourneyError("picture.damaged")
    if turned:
        kept.insert(1, turned)
    return Picture("jpeg", width, height, b"".join(kept) + content[at:])


def _orientation(exif: bytes) -> bytes:
    """Return a segment that says only how the picture was held, so that it is not shown lying on its side."""
    order = "little" if exif[:2] == b"II" else "big"

    def number(at: int, size: int) -> int:
        return int.from_bytes(exif[at : at + size], "little" if order == "little" else "big")

    start = number(4, 4)
    for index in range(min(number(start, 2), 200)):
        tag = start + 2 + 12 * index
        if number(tag, 2) == 0x0112 and 2 <= number(tag + 8, 2) <= 8:
            body = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([number(tag + 8, 2)]) + b"\0\0"
            body += b"\0\0\0\0"
            return b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
    return b""


def _png(content: bytes) -> Picture:
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    kept, at = [_PNG], len(_PNG)
    while True:
        length, name = int.from_bytes(content[at : at + 4], "big"), content[at + 4 : at + 8]
        chunk = content[at : at + 12 + length]
        if len(name) < 4 or len(chunk) < 12 + length:
            raise TourneyError("picture.damaged")
        if name in _PNG_KEPT:
            kept.append(chunk)
        if name == b"IEND":
            return Picture("png", width, height, b"".join(kept))
        at += 12 + length


def _webp(content: bytes) -> Picture:
    kept, at, width, height = [], 12, 0, 0
    end = 8 + int.from_bytes(content[4:8], "little")
    if end > len(content):
        raise TourneyError("picture.damaged")
    while at + 8 <= end:
        name, length = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
        body = content[at + 8 : at + 8 + length]
        if len(body) < length:
            raise TourneyError("picture.damaged")
        if name == b"VP8X":
            width, height = int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
            body = bytes([body[0] & ~0b1100]) + body[1:]  # says no longer that words about it follow
        elif name == b"VP8 " and not width:
            width, height = int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
        elif name == b"VP8L" and not width:
            bits = int.from_bytes(body[1:5], "little")
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        if name not in (b"EXIF", b"XMP "):
            kept.append(name + length.to_bytes(4, "little") + body + b"\0" * (length % 2))
        at += 8 + length + length % 2
    if not width or not height:
        raise TourneyError("picture.damaged")
    inside = b"WEBP" + b"".join(kept)
    return Picture("webp", width, height, b"RIFF" + len(inside).to_bytes(4, "little") + inside)
