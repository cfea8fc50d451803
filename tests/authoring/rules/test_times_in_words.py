"""Times by their distance from a moment, times that the data begin or end, and parts of years."""

from datetime import datetime

import pytest

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.named_times import with_plain_times
from helio.authoring.rules.times.open_times import with_open_times
from helio.time_range import parse_time_range

NOW = datetime(2026, 2, 10, 12)
READ = {
    "3 hours around 05:20 UT on 2015-03-17": "2015-03-17T03:50:00 to 2015-03-17T06:50:00",
    "±1 h around 2003-10-29 06:11": "2003-10-29T05:11:00 to 2003-10-29T07:11:00",
    "2003-10-29 06:11 +/- 30 min": "2003-10-29T05:41:00 to 2003-10-29T06:41:00",
    "2015-06-22 18:08: B ± 30 min": "2015-06-22T17:38:00 to 2015-06-22T18:38:00",
    "within 6 hours of 2015-03-17 04:45": "2015-03-16T22:45:00 to 2015-03-17T10:45:00",
    "2 days before and 3 days after 2015-03-17": "2015-03-15 to 2015-03-21",
    "12 h before the shock at 2015-03-17 04:45": "2015-03-16T16:45:00 to 2015-03-17T04:45:00",
    "6 hours starting 2015-03-17 04:00": "2015-03-17T04:00:00 to 2015-03-17T10:00:00",
    "the day before 2015-03-17": "2015-03-16 to 2015-03-17",
    "22:00 17 March 2015 - 03:00 18 March 2015": "2015-03-17T22:00:00 to 2015-03-18T03:00:00",
    "from 22 UT on 17 March 2015 to 03 UT on 18 March 2015": "2015-03-17T22:00:00 to 2015-03-18T03:00:00",
    "from 2015-03-17 22:00 till 03:00 the next day": "2015-03-17T22:00:00 to 2015-03-18T03:00:00",
    "from 20 UT on 7 Sept 2017 until 04 UT the day after": "2017-09-07T20:00:00 to 2017-09-08T04:00:00",
    "2017-09-07 2:00 to 04:00 the next day": "2017-09-07T02:00:00 to 2017-09-08T04:00:00",
    "from start of 2010 until end of 2013": "2010-01-01 to 2014-01-01",
    "july till end of september 2012": "2012-07-01 to 2012-10-01",
    "7 Sept 2017 from 18:00": "2017-09-07T18:00:00 to 2017-09-08T00:00:00",
    "7 Sept 2017 until 9 UT": "2017-09-07T00:00:00 to 2017-09-07T09:00:00",
    "20170907 18-21": "2017-09-07T18:00:00 to 2017-09-07T21:00:00",
    "2017-09-07/18:00-2017-09-08/06:00": "2017-09-07T18:00:00 to 2017-09-08T06:00:00",
    "on 28 March 2022, 8-16h": "2022-03-28T08:00:00 to 2022-03-28T16:00:00",
    "20150317 0400 to 1000": "2015-03-17T04:00:00 to 2015-03-17T10:00:00",
    "15.–17. März 2015": "2015-03-15 to 2015-03-18",
    "17. Mai 2005": "2005-05-17 to 2005-05-18",
    "17 Mar 15": "2015-03-17 to 2015-03-18",
    "17, 18, 19 March 2015": "2015-03-17 to 2015-03-20",
    "doy 076/2015": "2015-03-17 to 2015-03-18",
    "spring 2008": "2008-03-01 to 2008-06-01",
    "between 20 UT on 7 Sept 2017 and 06 UT on 8 Sept 2017": "2017-09-07T20:00:00 to 2017-09-08T06:00:00",
    "winter 2008/09": "2008-12-01 to 2009-03-01",
    "late 2003": "2003-09-01 to 2004-01-01",
    "in 2001 (July to October)": "2001-07-01 to 2001-11-01",
    "week 12 of 2015": "2015-03-16 to 2015-03-23",
    "week from 2015-03-15": "2015-03-15 to 2015-03-22",
    "a fortnight from 1 March 2015": "2015-03-01 to 2015-03-15",
    "week of 15 to 21 March 2015": "2015-03-15 to 2015-03-22",
    "for the 17 March 2015 storm, 16-20 March": "2015-03-16 to 2015-03-21",
    "16 to 20 March 2015, storm of 17 March": "2015-03-16 to 2015-03-21",
    "2015-06-21 to 2015-06-24 (shock on 2015-06-22)": "2015-06-21 to 2015-06-24",
    "around the shock of 2015-06-22, 2015-06-21 to 2015-06-24": "2015-06-21 to 2015-06-24",
    "through the St Patrick's Day storm, March 2015": "2015-03-01 to 2015-04-01",
    "for the St Patrick's Day storm, March 2015": "2015-03-17 to 2015-03-19",
    "morning of 17 March 2015": "2015-03-17T00:00:00 to 2015-03-17T12:00:00",
    "last three months": "2025-11-10 to 2026-02-10",
    "CR 2060-2062": "2007-08-14T14:23:00 to 2007-11-04T10:02:00",
    "Bartels rotation 2380": "2007-12-20 to 2008-01-16",
    "for last Tuesday": "2026-02-03 to 2026-02-04",
    "on Monday": "2026-02-09 to 2026-02-10",
    "Tuesday to Thursday last week": "2026-02-03 to 2026-02-06",
    "since Monday": "2026-02-09 to 2262-04-11",
    "since January": "2026-01-01 to 2262-04-11",
    "so far this year": "2026-01-01 to 2027-01-01",
    "the last couple of days": "2026-02-08 to 2026-02-10",
    "the past solar rotation": "2026-01-14 to 2026-02-10",
    "20230423 1800 - 20230424 1200 UT": "2023-04-23T18:00:00 to 2023-04-24T12:00:00",
    ", 17 March 2015 04:45 ± 2h": "2015-03-17T02:45:00 to 2015-03-17T06:45:00",
    "17 March 2015, first 6 hours": "2015-03-17T00:00:00 to 2015-03-17T06:00:00",
    "2015-03-16 + 4d": "2015-03-16 to 2015-03-20",
    "from Oct 28th until the 31st 2003": "2003-10-28 to 2003-11-01",
    "from launch to 2003": "1677-09-22 to 2004-01-01",
    "week of 16 March 2015": "2015-03-16 to 2015-03-23",
    "noon 17 March 2015 to noon 18 March": "2015-03-17T12:00:00 to 2015-03-18T12:00:00",
    "around the 24 Dec 2024 perihelion, +-1 day": "2024-12-23 to 2024-12-26",
    "for the April 1976 perihelion (15-20 April)": "1976-04-15 to 1976-04-21",
    "for the storm of 17 march 2013 (17th and 18th)": "2013-03-17 to 2013-03-19",
    "GLE 71, 17-May-2012": "2012-05-17 to 2012-05-18",
    "17 march 2015 in the morning": "2015-03-17T00:00:00 to 2015-03-17T12:00:00",
    "from 2015-03-17 to 2015-03-19 inclusive": "2015-03-17 to 2015-03-20",
    "2015-03-17 - 2015-03-19 incl.": "2015-03-17 to 2015-03-20",
    "2015-03-17 to 2015-03-19, both days included": "2015-03-17 to 2015-03-20",
    "17 to 19 March 2015 (both ends are inclusive)": "2015-03-17 to 2015-03-20",
    "17 March to 19 March 2015 inclusive": "2015-03-17 to 2015-03-20",
    "17 March to 19 March 2015, last day excluded": "2015-03-17 to 2015-03-19",
    "17-19mar2015": "2015-03-17 to 2015-03-20",
    "17-19march 2015": "2015-03-17 to 2015-03-20",
    "first two weeks of March 2015": "2015-03-01 to 2015-03-15",
    "2015-03-17 until 2015-03-19 end of day": "2015-03-17 to 2015-03-20",
    "17 March 2015 to the end of 19 March 2015": "2015-03-17 to 2015-03-20",
    "since 2010 up to 2015": "2010-01-01 to 2016-01-01",
    "March 2015, days 3-5": "2015-03-03 to 2015-03-06",
    "in the March 2015 storm (days 16 to 18)": "2015-03-16 to 2015-03-19",
    "days 3 to 5 of March 2015": "2015-03-03 to 2015-03-06",
    "2015, days 60 to 62": "2015-03-01 to 2015-03-04",
    "20150317 from 0600 to 1800": "2015-03-17T06:00:00 to 2015-03-17T18:00:00",
    "on 2015/03/17.": "2015-03-17 to 2015-03-18",
    "for 2000-2020.": "2000-01-01 to 2021-01-01",
    "in the Februar 2015": "2015-02-01 to 2015-03-01",
    "data. Day is 17 March 2015.": "2015-03-17 to 2015-03-18",
    "start 2015-03-17 end 2015-03-19": "2015-03-17 to 2015-03-19",
    "starting 2015-03-17 for 48 hours": "2015-03-17 to 2015-03-19",
    "at 05:00 on 2015-03-17 for two hours": "2015-03-17T05:00:00 to 2015-03-17T07:00:00",
    "vom 17. bis 19. März 2015": "2015-03-17 to 2015-03-20",
    "17-03-2015": "2015-03-17 to 2015-03-18",
    "2015-3-7": "2015-03-07 to 2015-03-08",
    "in 03/2015": "2015-03-01 to 2015-04-01",
    "2014/15": "2014-01-01 to 2016-01-01",
    "since 1990": "1990-01-01 to 2262-04-11",
    "from 1990 on": "1990-01-01 to 2262-04-11",
    "1990 - present": "1990-01-01 to 2262-04-11",
    "since yesterday": "2026-02-09T00:00:00 to 2026-02-10T12:00:00",
    "up to 2003": "1677-09-22 to 2004-01-01",
    "before 2003": "1677-09-22 to 2003-01-01",
    "after 2003": "2004-01-01 to 2262-04-11",
    "whole mission": "1677-09-22 to 2262-04-11",
    "since launch": "1677-09-22 to 2262-04-11",
    "all available data": "1677-09-22 to 2262-04-11",
    "the full time range": "1677-09-22 to 2262-04-11",
    "on 22 June 2015, 12 h either side of 18:30": "2015-06-22T06:30:00 to 2015-06-23T06:30:00",
    "of 2015-06-22, 90 min before and after 18:30 UT.": "2015-06-22T17:00:00 to 2015-06-22T20:00:00",
    "for the storm of 22 June 2015, 3 hours around 18:30": "2015-06-22T17:00:00 to 2015-06-22T20:00:00",
    "on 22 June 2015, +-3 h of 18:30": "2015-06-22T15:30:00 to 2015-06-22T21:30:00",
    "on 31 March 2001 and the next day": "2001-03-31 to 2001-04-02",
    "for 31 Mar 2001, full day plus next": "2001-03-31 to 2001-04-02",
    "on 2001-03-31 and the following two days": "2001-03-31 to 2001-04-03",
    "for 31 March 2001 and the 3 days after": "2001-03-31 to 2001-04-04",
    "within 2 h of 05:30 (26 feb 2008)": "2008-02-26T03:30:00 to 2008-02-26T07:30:00",
}
NOT_READ = ("winter 2008", "all data of 2003", "the whole 17 March 2015", "from 2003-10-29 until 2003-11-02")
"""Times that are not clear, or that have a start and an end."""


def plain(text: str) -> str:
    return with_open_times(with_plain_times(f"Wind B {text}", NOW)[0], NOW)


def test_times_in_words_are_read_as_ranges():
    read = {}
    for text in READ:
        sentence = Sentence(plain(text))
        read[text] = [str(parse_time_range(time, NOW)) for time in sentence.take_times(NOW)]
        assert not set(sentence.unread()) - {"Wind", "B"}, text
    assert read == {text: [span] for text, span in READ.items()}


def test_no_time_becomes_open_that_has_an_end():
    assert [text for text in NOT_READ if "1677" in plain(text) or "2262" in plain(text)] == []


@pytest.mark.parametrize(
    ("sentence", "default", "says"),
    [
        (
            "Ulysses SWOOPS speed, whole mission",
            "1990-11-18 to 2009-07-01",
            "there are data from 1990-11-18 to 2009-06-30",
        ),
        ("sunspot number since 1990", "1990-01-01 to today", "there are data from 1963-01-01"),
        ("Dst since 3 March 2026", "2026-03-03 to now", "there are data from 1963-01-01"),  # last week
        ("Kp up to 2003", "1963-01-01 to 2004-01-01", "there are data from 1963-01-01"),
        ("Helios 1 density and Dst, all data", "1974-01-01 to 1982-01-01", "there are data from 1974-01-01"),
    ],
)
def test_data_begin_and_end_an_open_time(author, sentence, default, says):
    draft = author.create(sentence)
    assert draft.template["variables"]["$TIME_RANGE"]["default"] == default
    assert any(says in note for note in draft.notes)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Kp forecast next 3 days", "no forecasts"),
        ("RBSP-A electron density for MLT 6-12, 2013-03-17", "does not pick data by 'MLT'"),
        ("PSP field at encounter 40", "does not know when 'encounter 40' was"),
        ("ACE Bz ± 3 days", "to which time '± 3 days' belongs"),
        ("ACE Bz this morning", "which hours 'this morning' has"),
        ("DSCOVR RTSW B last 2 days", "no real-time data"),
        ("MESSENGER |B| since 2020", "no"),
        ("daily plots of Dst in March 2015", "one figure, not daily plots"),
    ],
)
def test_data_that_helio_cannot_have_are_refused_in_words(author, sentence, words):
    with pytest.raises(NotUnderstood, match=words):
        author.create(sentence)
