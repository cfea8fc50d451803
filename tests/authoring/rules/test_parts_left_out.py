"""The one part of a request without which the rules understand it."""

import pytest

from helio.authoring.rules.parts_left_out import without_a_part


@pytest.mark.parametrize(
    ("request_", "part", "rest"),
    [
        ("ACE Bz 2003-01-02, in waltz time", "in waltz time", "ACE Bz 2003-01-02"),
        ("In waltz time: ACE Bz and speed, 2003-01-02", "In waltz time", "ACE Bz and speed, 2003-01-02"),
        ("ACE Bz (wobbly) with the speed below, 2003-01-02", "(wobbly)", "ACE Bz with the speed below, 2003-01-02"),
        ("ACE Bz and its wobble and the speed, 2003-01-02", "its wobble", "ACE Bz and the speed, 2003-01-02"),
    ],
)  # fmt: skip
def test_the_shortest_part_that_is_not_understood_is_named(author, request_, part, rest):
    assert without_a_part(request_, author.create) == (part, rest)


@pytest.mark.parametrize(
    "request_",
    [
        "ACE wobble 2003-01-02",  # one part
        "ACE wobble, in waltz time, 2003-01-02",  # two parts are not understood
        "ACE wobble, 2003-01-02",  # nothing to draw is left
    ],
)
def test_nothing_is_named_if_the_rest_is_not_understood(author, request_):
    assert without_a_part(request_, author.create) is None
