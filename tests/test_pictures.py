"""Where two pictures differ."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageColor

from helio.pictures import GONE, NEW, difference


def png(width: int, height: int, *inked: tuple[int, int], ink: str = "black") -> bytes:
    picture = Image.new("RGB", (width, height), "white")
    for place in inked:
        picture.putpixel(place, ImageColor.getrgb(ink))
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


def painted(picture: bytes, colour: str) -> set[tuple[int, int]]:
    with Image.open(io.BytesIO(picture)) as drawn:
        wanted = ImageColor.getrgb(colour)
        return {
            (x, y)
            for x in range(drawn.width)
            for y in range(drawn.height)
            if drawn.getpixel((x, y)) == wanted
        }


def test_new_pixels_are_red_lost_ones_blue_and_their_share_is_counted():
    compared = difference(png(4, 5, (1, 1), (3, 1)), png(4, 5, (1, 3), (3, 1)))
    assert compared is not None
    picture, share = compared
    assert share == 2 / 20
    assert painted(picture, NEW) == {(1, 3)}
    assert painted(picture, GONE) == {(1, 1)}


@pytest.mark.parametrize("ink", ["red", "lime", "blue", "#888888"])
def test_another_colour_of_a_line_is_red(ink):
    compared = difference(png(4, 5, (1, 1)), png(4, 5, (1, 1), ink=ink))
    assert compared is not None
    assert painted(compared[0], NEW) == {(1, 1)}
    assert painted(compared[0], GONE) == set()


@pytest.mark.parametrize(
    ("after", "share"), [(png(4, 5, (1, 1), ink="#000001"), 1 / 20), (png(4, 5, (1, 2)), 2 / 20)]
)
def test_a_difference_that_no_eye_sees_counts_but_is_not_painted(after, share):
    """A slightly other colour, or a shift by one pixel."""
    compared = difference(png(4, 5, (1, 1)), after)
    assert compared is not None
    assert compared[1] == share
    assert painted(compared[0], NEW) == painted(compared[0], GONE) == set()


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
