"""Where two pictures differ."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from helio.pictures import difference


def png(width: int, height: int, *black: tuple[int, int]) -> bytes:
    picture = Image.new("RGB", (width, height), "white")
    for place in black:
        picture.putpixel(place, (0, 0, 0))
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def test_different_pixels_are_red_and_their_share_is_counted():
    compared = difference(png(4, 5, (1, 1)), png(4, 5, (2, 3)))
    assert compared is not None
    picture, share = compared
    assert share == 2 / 20
    with Image.open(io.BytesIO(picture)) as drawn:
        red = {(x, y) for x in range(4) for y in range(5) if drawn.getpixel((x, y)) == (255, 0, 0)}
        assert (drawn.size, red) == ((4, 5), {(1, 1), (2, 3)})


def test_the_same_picture_differs_nowhere():
    compared = difference(png(4, 5, (1, 1)), png(4, 5, (1, 1)))
    assert compared is not None
    assert compared[1] == 0


def test_a_larger_picture_is_compared_with_white():
    compared = difference(png(2, 2), png(4, 3, (3, 2)))
    assert compared is not None
    assert compared[1] == 1 / 12


@pytest.mark.parametrize("broken", [b"", b"GIF89a", png(4, 5)[:40]])
def test_what_is_no_picture_is_not_compared(broken):
    assert difference(broken, png(4, 5)) is None
    assert difference(png(4, 5), broken) is None
