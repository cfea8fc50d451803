"""Make PNG pictures smaller, and show where two pictures differ."""

from __future__ import annotations

import io

LARGEST = 200_000_000
"""Maximum number of pixels of a picture that helio makes smaller."""
COLOURS = 255


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


def difference(before: bytes, after: bytes) -> tuple[bytes, float] | None:
    """Draw the second of two PNG pictures in pale grey, with the pixels that differ in red.

    Returns
    -------
    png : bytes
        A picture that has the larger width and the larger height of both.
    share : float
        The share of pixels that differ, from 0 to 1.

    None if one of them is no picture.
    """
    from PIL import Image, ImageChops, ImageOps, UnidentifiedImageError

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
    apart = ImageChops.difference(*sheets).convert("L").point(lambda value: 255 if value else 0)
    pale = ImageOps.grayscale(sheets[1]).point(lambda value: 200 + value * 55 // 255).convert("RGB")
    pale.paste("red", mask=apart)
    written = io.BytesIO()
    pale.save(written, "PNG")
    return written.getvalue(), apart.histogram()[255] / (size[0] * size[1])


def size_of(png: bytes) -> tuple[int, int]:
    """Read the width and height of a PNG from its first bytes; (0, 0) if it is none."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        return 0, 0
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
