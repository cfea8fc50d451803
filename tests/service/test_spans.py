"""Intervals of a range, rotations of the Sun, and intervals around events."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import RequestError
from helio.service.spans import events_in, intervals_of, rotation
from helio.time_range import TimeRange
from tests.laws import law

NOW = datetime(2024, 6, 15, 12)


@pytest.mark.parametrize(
    ("text", "each", "count", "first", "last"),
    [
        ("2015..2024", "1d", 3653, "2015-01-01 to 2015-01-02", "2024-12-31 to 2025-01-01"),
        ("2024-01", "27d", 1, "2024-01-01 to 2024-01-28", "2024-01-01 to 2024-01-28"),
        ("2024", "1mo", 12, "2024-01-01 to 2024-02-01", "2024-12-01 to 2025-01-01"),
        ("2023..2024", "3 months", 8, "2023-01-01 to 2023-04-01", "2024-10-01 to 2025-01-01"),
        ("2020..2024", "1y", 5, "2020-01-01 to 2021-01-01", "2024-01-01 to 2025-01-01"),
        ("last 3 days", "1d", 3, "2024-06-12 to 2024-06-13", "2024-06-14 to 2024-06-15"),
        ("2024-01-01", "6h", 4, "2024-01-01T00:00:00 to 2024-01-01T06:00:00", None),
    ],
)
def test_a_range_is_divided(text: str, each: str, count: int, first: str, last: str | None):
    spans, _ = intervals_of(text, each, NOW)
    assert len(spans) == count
    assert str(spans[0]) == first
    assert last is None or str(spans[-1]) == last


def test_what_is_left_over_is_named():
    _, note = intervals_of("2024-01", "27d", NOW)
    assert note == "2024-01-28 to 2024-02-01 is shorter than 27d and is left out"
    assert intervals_of("2024-01", "1d", NOW)[1] == ""


@law(60)
@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2040, 1, 1)),
    st.integers(1, 2000),
    st.sampled_from(["1d", "7h", "27d", "1mo", "1y", "carrington"]),
)
def test_intervals_touch_and_lie_in_the_range(start: datetime, days: int, each: str):
    start = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    whole = TimeRange(start, start + timedelta(days=days))
    try:
        spans, _ = intervals_of(str(whole), each, NOW)
    except RequestError as error:
        assert "contains no whole interval" in error.message
        return
    assert all(before.stop == after.start for before, after in pairwise(spans))
    assert spans[0].start >= whole.start
    assert spans[-1].start < whole.stop
    longer, _ = intervals_of(str(TimeRange(start, start + timedelta(days=days + 400))), each, NOW)
    assert longer[: len(spans)] == spans


def central_meridian(day: float) -> float:
    """The heliographic longitude of the centre of the disk, in degrees, by Meeus, chapters 25 and 29."""
    century = (day - 2451545.0) / 36525
    anomaly = math.radians(357.52911 + 35999.05029 * century)
    centre = (1.914602 - 0.004817 * century) * math.sin(anomaly) + 0.019993 * math.sin(2 * anomaly)
    longitude = 280.46646 + 36000.76983 * century + centre - 0.00569
    node = 73.6667 + 1.3958333 * (day - 2396758) / 36525
    angle, tilt = math.radians(longitude - node), math.radians(7.25)
    turned = math.degrees(math.atan2(-math.sin(angle) * math.cos(tilt), -math.cos(angle)))
    return (turned - (day - 2398220) * 360 / 25.38) % 360


def test_the_longitude_of_the_example_in_the_book():
    """Meeus, example 29.a: 1992 October 13, L0 = 238.63 degrees."""
    assert abs(central_meridian(2448908.50068) - 238.63) < 0.02


@pytest.mark.parametrize("number", [1, 1000, 1699, 2000, 2193, 2300])
def test_a_rotation_begins_when_the_longitude_is_zero(number: int):
    terrestrial = rotation(number).start + timedelta(seconds=69)
    day = 2451545.0 + (terrestrial - datetime(2000, 1, 1, 12)) / timedelta(days=1)
    assert abs((central_meridian(day) + 180) % 360 - 180) < 0.1


def test_the_rotation_of_the_example_in_the_book():
    """Meeus, chapter 29: rotation 1699 began on JDE 2444480.7230."""
    start = datetime(2000, 1, 1, 12) + timedelta(days=2444480.7230 - 2451545.0, seconds=-69)
    assert abs(rotation(1699).start - start) < timedelta(minutes=1)


def test_rotations_touch():
    assert all(rotation(number).stop == rotation(number + 1).start for number in range(1, 2400, 7))


def test_rotations_are_named_by_numbers_or_by_a_range():
    spans, _ = intervals_of("CR2193..CR2195", "carrington", NOW)
    assert spans == (rotation(2193), rotation(2194), rotation(2195))
    assert intervals_of("CR2193", "carrington", NOW)[0] == spans[:1]
    assert intervals_of("2017-07-20..2017-09-13", "carrington", NOW)[0] == spans


@pytest.mark.parametrize(
    ("text", "each", "words"),
    [
        ("2024", "soon", "not a length of intervals"),
        ("2024", "0d", "not a length of intervals"),
        ("2024", "0mo", "no length"),
        ("2024", "5ms", "too short"),
        ("2024", "1", "not a length of intervals"),
        ("2024-01-31..2024-06-01", "1mo", "some months do not have it"),
        ("2024-01-01", "27d", "no whole interval of 27d"),
        ("2024-01-02..2024-01-05", "carrington", "no whole interval of carrington"),
        ("1980..2024", "1h", "one backfill makes at most 100,000"),
        ("CR2193", "1d", "names Carrington rotations"),
        ("CR2195..CR2193", "carrington", "ends before it begins"),
        ("CR99999", "carrington", "outside the times"),
        ("CR1..CR99999", "carrington", "outside the times"),
    ],
)
def test_a_wrong_division_is_refused_in_words(text: str, each: str, words: str):
    with pytest.raises(RequestError, match=words):
        intervals_of(text, each, NOW)


DAY = "2024-05-10 to 2024-05-11"
EVENING = "2024-05-10T17:00:00 to 2024-05-10T20:00:00"
AROUND = "2024-05-10T15:05:00 to 2024-05-11T17:05:00"


@pytest.mark.parametrize(
    ("text", "margins", "expected"),
    [
        ("start,stop\n2024-05-10,2024-05-11\n", ("", ""), [DAY]),
        ("2024-05-10\n\n# a comment\n2024-05-11\n", ("", ""), [DAY, "2024-05-11 to 2024-05-12"]),
        ("name,Time\nstorm,2024-05-10T17:05\n", ("2h", "1d"), [AROUND]),
        ("time,end\n2024-05-10T17:05,\n", ("2h", "1d"), [AROUND]),
        ("start,end\n2024-05-10T17:05,2024-05-10T20:00\n", ("5min", ""), [EVENING]),
        ("\ufefftime\n2024-05-11\n2024-05-10\n2024-05-11\n", ("", ""), [DAY, "2024-05-11 to 2024-05-12"]),
        ("2024-05-10T17:05,2024-05-10T20:00\n", ("5min", ""), [EVENING]),
        ("2024-05-10;x;5;6\n", ("", ""), [DAY]),
        ("name,type,start_time (UTC),end time\nA,B,2024-05-10,2024-05-11\n", ("", ""), [DAY]),
        ("start,duration (min)\n2024-05-10T17:05,175\n", ("5min", ""), [EVENING]),
        ("date,start,end\n2024/5/10,1700,2000\n", ("", ""), [EVENING]),
        (json.dumps(["2024-05-10T17:05:00"]), ("2h", "1d"), [AROUND]),
        (json.dumps({"events": [{"start": "2024-05-10", "stop": "2024-05-11", "name": "x"}]}), ("", ""), [DAY]),
        (json.dumps([{"Time": "2024-05-10T17:05Z", "end": None}]), ("2h", "1d"), [AROUND]),
    ],
)  # fmt: skip
def test_events_are_read(tmp_path: Path, text: str, margins: tuple[str, str], expected: list[str]):
    path = tmp_path / "events"
    path.write_text(text, encoding="utf-8")
    assert [str(span) for span in events_in(path, *margins, NOW)] == expected


@pytest.mark.parametrize(
    ("text", "margins", "words"),
    [
        ("", ("", ""), "contains no events"),
        ("time\n", ("", ""), "contains no events"),
        ("[]", ("", ""), "contains no events"),
        ("name,size\nstorm,5\n", ("", ""), "has no column 'start'; its columns are 'name', 'size'"),
        ("time\nsoon\n", ("", ""), "line 2: 'soon' is not understood"),
        ("time\n10/05/2024\n", ("", ""), "line 2: '10/05/2024' is not understood"),
        ("time,x\n,5\n", ("", ""), "line 2: the event has no start"),
        ("start,stop\n2024-05-11,2024-05-10\n", ("", ""), "line 2: the event ends before it starts"),
        ("start,stop\n2024-05-11,2024-05-10\n", ("", "3d"), "line 2: the event ends before it starts"),
        ("start,stop\n2024-05-11,2024-05-11\n", ("", ""), "line 2: the event has no length"),
        ("time\n2024-05-10\n", ("soon", ""), "the margin before is 'soon'"),
        ('{"storms": []}', ("", ""), "no list of events"),
        ("[5]", ("", ""), "event 1: the event has no start"),
        ('[{"name": "x"}]', ("", ""), "event 1: the event has no start"),
        ("start (CET)\n2024-05-10\n", ("", ""), "is not in UTC"),
        ("[", ("", ""), "it is not JSON"),
    ],
)
def test_wrong_events_are_refused_with_their_line(
    tmp_path: Path, text: str, margins: tuple[str, str], words: str
):
    path = tmp_path / "events.csv"
    path.write_text(text)
    with pytest.raises(RequestError, match=words):
        events_in(path, *margins, NOW)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", None])
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes | None):
    path = tmp_path / "events.csv"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(RequestError):
        events_in(path, "", "", NOW)
