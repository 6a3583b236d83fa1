"""Pictures that people hand in: told by their content, never by their name, and always written anew.

Writing them anew leaves out everything but the pixels (places, cameras, hidden parts) and keeps one known form.
"""

from __future__ import annotations

import io
import struct
import warnings

from PIL import ExifTags, Image

from tourney.kernel.errors import TourneyError

MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 2480  # pixels: an A4 sheet's width at 300 dots an inch; more is not seen under text
FORMATS = ("PNG", "JPEG")
# What Pillow raises for damaged pictures, and besides for damaged words about them.
_BROKEN = (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning)
_BAD_TAGS = (TypeError, LookupError, OverflowError, struct.error)
# By the orientation of EXIF 2.3 (tag 0x0112): how a picture is turned to stand upright.
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def background(content: bytes) -> bytes:
    """Return a PNG or JPEG as a JPEG of moderate size.

    Raises TourneyError ``diploma.picture_too_large``, ``diploma.not_a_picture`` (by its content), ``diploma.broken``.
    """
    if len(content) > MOST_BYTES:
        raise TourneyError("diploma.picture_too_large", megabytes=MOST_BYTES // 1024 // 1024)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # Pillow's remarks on damaged tags
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise TourneyError("diploma.picture_too_large", megabytes=MOST_BYTES // 1024 // 1024)
                opened.load()
                upright = _turned(opened)
    except Image.UnidentifiedImageError:
        raise TourneyError("diploma.not_a_picture") from None
    except _BROKEN:
        raise TourneyError("diploma.broken") from None
    return _as_jpeg(upright)


def _turned(picture: Image.Image) -> Image.Image:
    """Return a picture upright by the one tag that says how it was held; where it can't be read, as it is.

    Only this tag is read: Pillow's own `exif_transpose` writes all the others anew and stumbles over broken ones.
    """
    try:
        held = picture.getexif().get(ExifTags.Base.Orientation)
    except (*_BROKEN, *_BAD_TAGS):
        held = None
    turn = _TURNS.get(held) if isinstance(held, int) else None
    return picture.transpose(turn) if turn is not None else picture


def _as_jpeg(picture: Image.Image) -> bytes:
    clear = picture.convert("RGBA")
    clear.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    paper = Image.new("RGB", clear.size, "white")
    paper.paste(clear, mask=clear.getchannel("A"))
    written = io.BytesIO()
    paper.save(written, "JPEG", quality=88, optimize=True)
    return written.getvalue()
