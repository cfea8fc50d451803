"""Make PNG pictures smaller."""

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


def size_of(png: bytes) -> tuple[int, int]:
    """Read the width and height of a PNG from its first bytes; (0, 0) if it is none."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        return 0, 0
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
