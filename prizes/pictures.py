"""Pictures that people hand in: told by their content, never by their name, and always written anew.

Writing them anew leaves out everything but the pixels (places, cameras, hidden parts) and keeps one known form.
"""

from __future__ import annotations

import io
import warnings

from PIL import Image, ImageOps

from tourney.kernel.errors import TourneyError

MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 2480  # pixels: an A4 sheet's width at 300 dots an inch; more is not seen under text
FORMATS = ("PNG", "JPEG")


def background(content: bytes) -> bytes:
    """Return a PNG or JPEG as a JPEG of moderate size.

    Raises TourneyError ``diploma.picture_too_large``, ``diploma.not_a_picture`` (by its content), ``diploma.broken``.
    """
    if len(content) > MOST_BYTES:
        raise TourneyError("diploma.picture_too_large", megabytes=MOST_BYTES // 1024 // 1024)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise TourneyError("diploma.picture_too_large", megabytes=MOST_BYTES // 1024 // 1024)
                opened.load()
                upright = ImageOps.exif_transpose(opened)
    except Image.UnidentifiedImageError:
        raise TourneyError("diploma.not_a_picture") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise TourneyError("diploma.broken") from None
    return _as_jpeg(upright)


def _as_jpeg(picture: Image.Image) -> bytes:
    clear = picture.convert("RGBA")
    clear.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    paper = Image.new("RGB", clear.size, "white")
    paper.paste(clear, mask=clear.getchannel("A"))
    written = io.BytesIO()
    paper.save(written, "JPEG", quality=88, optimize=True)
    return written.getvalue()
