"""Check pictures, make PNG pictures smaller, and show where two pictures differ."""

from __future__ import annotations

import io
import warnings
from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST = 200_000_000
"""Maximum number of pixels of a picture that helio makes smaller."""
COLOURS = 255
NEW, GONE = "#e00000", "#7fb2ff"
"""Colours of what is new or changed, and of what is gone, in a picture of differences."""
SEEN = 48
"""Smallest difference of a colour that is drawn, of 255."""


def make_smaller(png: bytes, width: int, height: int) -> bytes | None:
    """Make a PNG of at most so many pixels, with few colours; return None if the bytes are no picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            if picture.width * picture.height > LARGEST:
                return None
            scale = min(width / picture.width, height / picture.height, 1)
            size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
            # To twice the size by whole factors first, which costs little.
            drawn = picture.convert("RGBA").reduce(max(int(1 / scale / 2), 1))
            drawn = drawn.resize(size, Image.Resampling.LANCZOS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    small = Image.new("RGB", size, "white")
    small.paste(drawn, mask=drawn)
    written = io.BytesIO()
    # An octree keeps the colours of thin lines; cutting at the median makes them grey.
    few = small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(written, "PNG")
    return written.getvalue()


def fit(png: bytes, largest: int) -> bytes | None:
    """Make a PNG smaller until it has at most so many bytes; return None if the bytes are no picture."""
    width, height = size_of(png)
    while width and height:
        smaller = make_smaller(png, width, height)
        if smaller is None or len(smaller) <= largest:
            return smaller
        width, height = int(width * 0.7), int(height * 0.7)
    return None


def checked_size(picture: bytes, longest: int) -> tuple[int, int] | None:
    """Return the width and height of a PNG or JPEG picture; return None if it is damaged.

    A picture with more than `longest` pixels on a side is not read further than its header.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG")) as opened:
                if max(opened.size) <= longest:
                    opened.load()
                return opened.size
    except Image.DecompressionBombError:
        return longest + 1, longest + 1
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None


def difference(before: bytes, after: bytes) -> tuple[bytes, float] | None:
    """Draw the second of two PNG pictures in pale grey, with what is new or changed in red and what is gone in blue.

    Differences that the eye does not see stay grey, but count: slightly other colours at the edges of lines, and
    shifts by one pixel.

    Returns
    -------
    png : bytes
        A picture that has the larger width and the larger height of both.
    share : float
        The share of pixels that differ, from 0 to 1.

    None if one of them is no picture.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with (
            Image.open(io.BytesIO(before), formats=("PNG",)) as old,
            Image.open(io.BytesIO(after), formats=("PNG",)) as new,
        ):
            size = (max(old.width, new.width), max(old.height, new.height))
            if size[0] * size[1] > LARGEST:
                return None
            sheets = [Image.new("RGB", size, "white") for _ in range(2)]
            for sheet, picture in zip(sheets, (old, new), strict=True):
                drawn = picture.convert("RGBA")
                sheet.paste(drawn, mask=drawn)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    apart, white = _strongest(*sheets), Image.new("RGB", size, "white")
    pale = ImageOps.grayscale(sheets[1]).point(lambda value: 200 + value * 55 // 255).convert("RGB")
    for colour, here, there in ((GONE, sheets[0], sheets[1]), (NEW, sheets[1], sheets[0])):
        pale.paste(colour, mask=_seen(_nearest(here, there), _strongest(here, white)))
    written = io.BytesIO()
    pale.save(written, "PNG")
    return written.getvalue(), sum(apart.histogram()[1:]) / (size[0] * size[1])


def _strongest(left: Image, right: Image) -> Image:
    """Return how much two pictures differ at each pixel, in the colour in which they differ most, from 0 to 255."""
    from PIL import ImageChops

    red, green, blue = ImageChops.difference(left, right).split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def _nearest(left: Image, right: Image) -> Image:
    """Return how much each pixel of a picture differs from the most similar of the nine around it in another one."""
    from PIL import ImageChops

    shifts = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    return reduce(ImageChops.darker, (_strongest(left, ImageChops.offset(right, x, y)) for x, y in shifts))


def _seen(left: Image, right: Image) -> Image:
    """Return the mask of the pixels at which both pictures are strong enough to be seen."""
    from PIL import ImageChops

    return ImageChops.darker(left, right).point(lambda value: 255 if value >= SEEN else 0)


def size_of(png: bytes) -> tuple[int, int]:
    """Read the width and height of a PNG from its first bytes; (0, 0) if it is none."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        return 0, 0
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
