"""Dates and times of day in the forms in which people type them."""

from __future__ import annotations

from datetime import datetime

import pytest

from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.named_times import with_plain_times
from helio.time_range import parse_time_range
from tests.rows import in_one_test

NOW = datetime(2026, 6, 1)


def ranges(text: str) -> list[str]:
    """The time ranges of a sentence, as start and stop."""
    plain, _ = with_plain_times(f"ACE Bz {text}", NOW)
    sentence = Sentence(plain)
    times = [str(parse_time_range(time, NOW)) for time in sentence.take_times(NOW)]
    return [*times, *sentence.unread()[2:]]


@in_one_test(
    ("text", "span"),
    [
        ("7 to 10 September 2017: all of it", "2017-09-07 to 2017-09-11"),
        ("[7-10 September 2017]", "2017-09-07 to 2017-09-11"),
        ("Sept 7-10 '17", "2017-09-07 to 2017-09-11"),
        ("7 September 2017 noon to 8 September 2017 noon", "2017-09-07T12:00:00 to 2017-09-08T12:00:00"),
        ("23/24 April 2023", "2023-04-23 to 2023-04-25"),
        ("from 3. March until 6. March 2022", "2022-03-03 to 2022-03-07"),
        ("for the 6. of September 2017", "2017-09-06 to 2017-09-07"),
        ("23 April 2023 12:00 -> 25 April 2023 06:00", "2023-04-23T12:00:00 to 2023-04-25T06:00:00"),
        ("2023-04-23 → 2023-04-25", "2023-04-23 to 2023-04-25"),
        ("28 Oct 2003, 06 UT, till 31 Oct 2003, 18 UT", "2003-10-28T06:00:00 to 2003-10-31T18:00:00"),
        ("15 February 2001 in the hours from 10 to 14 UT", "2001-02-15T10:00:00 to 2001-02-15T14:00:00"),
        ("10+11 May 2005", "2005-05-10 to 2005-05-12"),
        ("10, 11 and 12 May 2005", "2005-05-10 to 2005-05-13"),
        ("23-24/04/2023", "2023-04-23 to 2023-04-25"),
        ("14.-16.7.2000", "2000-07-14 to 2000-07-17"),
        ("10-12-May-2005", "2005-05-10 to 2005-05-13"),
        ("July 14 - 16 2000", "2000-07-14 to 2000-07-17"),
        ("30/12/2003 - 02/01/2004", "2003-12-30 to 2004-01-02"),
        ("30 Dec 2003-2 Jan 2004", "2003-12-30 to 2004-01-03"),
        ("30 Dec - 2 Jan 2004", "2003-12-30 to 2004-01-03"),
        ("26 October to 7 November 2003", "2003-10-26 to 2003-11-08"),
        ("October 26 until November 7, 2003", "2003-10-26 to 2003-11-08"),
        ("25 Feb - 4 Mar 2022", "2022-02-25 to 2022-03-05"),
        ("26 October 2003 to 7 November 2003", "2003-10-26 to 2003-11-08"),
        ("2012 Sept 27 to Oct 1", "2012-09-27 to 2012-10-02"),
        ("event of 29 Nov 2020: 29 Nov - 2 Dec", "2020-11-29 to 2020-12-03"),
        ("in 2020, from 29 Nov to 2 Dec", "2020-11-29 to 2020-12-03"),
        ("10 May 2005 22:00 to 11 May 02:00", "2005-05-10T22:00:00 to 2005-05-11T02:00:00"),
        ("2005-05-10 22:00 to 05-11 02:00", "2005-05-10T22:00:00 to 2005-05-11T02:00:00"),
        ("Oct/Nov 2003", "2003-10-01 to 2003-12-01"),
        ("Sep 2001 to July 2002", "2001-09-01 to 2002-08-01"),
        ("Jan 2012-Dec 2013", "2012-01-01 to 2014-01-01"),
        ("2021-08-09, 12h from midnight", "2021-08-09T00:00:00 to 2021-08-09T12:00:00"),
        ("12 hours from midnight, 2021-08-09", "2021-08-09T00:00:00 to 2021-08-09T12:00:00"),
        ("17-Mar-15", "2015-03-17 to 2015-03-18"),
        ("May '05", "2005-05-01 to 2005-06-01"),
        ("mid-May 2005", "2005-05-11 to 2005-05-21"),
        ("last 3 days of May 2005", "2005-05-29 to 2005-06-01"),
        ("first week of May 2005", "2005-05-01 to 2005-05-08"),
        ("10 May 2005 ± 1 day", "2005-05-09 to 2005-05-12"),
        ("Tuesday 10 May 2005 (DOY 130)", "2005-05-10 to 2005-05-11"),
        ("10 may 2005 all day", "2005-05-10 to 2005-05-11"),
        ("April 2023, 23rd and 24th", "2023-04-23 to 2023-04-25"),
        ("of May 2024, 10th until 13th", "2024-05-10 to 2024-05-14"),
        (
            "for the storm of 10 Sep 2017, 10th noon until 12th 06:00",
            "2017-09-10T12:00:00 to 2017-09-12T06:00:00",
        ),
        ("1999 april 1, 2 hr from 0600", "1999-04-01T06:00:00 to 1999-04-01T08:00:00"),
        ("7 Sep 2017, 90 min starting at 23:00", "2017-09-07T23:00:00 to 2017-09-08T00:30:00"),
        ("16 Oct 2015 from 13:00 for 10 minutes", "2015-10-16T13:00:00 to 2015-10-16T13:10:00"),
        ("10 Sep 2017, the same day", "2017-09-10 to 2017-09-11"),
        ("on Bastille day", "2000-07-14 to 2000-07-17"),
        ("on Bastille day (14 July 2000)", "2000-07-14 to 2000-07-15"),
    ],
)
def test_dates(text: str, span: str) -> None:
    assert ranges(text) == [span]


@pytest.mark.parametrize(
    "clocks",
    [
        "03-05 UT", "03:00-05:00", "0300-0500", "03-05h", "03h00-05h00", "at 03 to 05 UT", "3am-5am", "from 3 to 5 am",
        "between 03:00 and 05:00", "03.00-05.00", "03:00 for 2 hours", "(03:00-05:00 UT)", "03-05",
    ],
)  # fmt: skip
@in_one_test("date", ["2005-05-10", "10 May 2005", "2005/05/10", "May 10, 2005"])
def test_times_of_day(clocks: str, date: str) -> None:
    assert ranges(f"{date} {clocks}") == ["2005-05-10T03:00:00 to 2005-05-10T05:00:00"]


def test_a_range_that_ends_earlier_ends_on_the_next_day() -> None:
    assert ranges("10 May 2005 22:00-02:00") == ["2005-05-10T22:00:00 to 2005-05-11T02:00:00"]
    assert ranges("10 May 2005 10 pm to 2 am") == ["2005-05-10T22:00:00 to 2005-05-11T02:00:00"]


@pytest.mark.parametrize(
    "text", ["5/6 to 7/6 2010", "10 and 14 May 2005", "10 May 2005, 4-8 mHz", "10 May 2005 2-6 keV"]
)
def test_what_has_two_meanings_stays(text: str) -> None:
    assert not any("T" in span or "06-07" in span for span in ranges(text))


@pytest.mark.parametrize("words", ["1h avg", "3 h means", "2h"])
def test_a_length_behind_two_dates_is_no_hour_of_the_second(words: str) -> None:
    assert ranges(f"2026-01-05 to 2026-01-11, {words}")[0] == "2026-01-05 to 2026-01-11"


def test_ordinals_that_may_be_no_days_stay() -> None:
    assert ranges("5 May 2010 in the 1st and 2nd") == ["2010-05-05 to 2010-05-06", "1st", "2nd"]
    assert "10th" in ranges("May 2010 and June 2011, 10th and 11th")
    assert "12th" in ranges("10 Sep 2017, 10th noon until 12th midnight")


def test_two_years_of_a_quantity_against_another_are_one_range() -> None:
    assert ranges("against V for 1994 and 1995")[0] == "1994-01-01 to 1996-01-01"


def test_two_years_that_are_compared_stay_two() -> None:
    assert ranges("compare 2005 and May 2005") == ["2005-01-01 to 2006-01-01", "2005-05-01 to 2005-06-01"]
