"""The grammar of time: what each phrase means, what is refused, and laws that hold for any text."""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helio.errors import RequestError, TimeRangeError
from helio.time_range import (
    EARLIEST,
    LATEST,
    Duration,
    TimeRange,
    canonical,
    former_meaning,
    is_relative,
    names_days,
    parse_time_range,
)
from tests.rows import in_one_test

TABLE = json.loads((Path(__file__).parent / "data" / "time_ranges.json").read_text(encoding="utf-8"))
NOW = datetime.fromisoformat(TABLE["now"])
RELATIVE_WORDS = {"last", "past", "this", "current", "previous", "today", "yesterday", "now", "ago"}


@in_one_test(("phrase", "meaning", "canonical_phrase"), TABLE["understood"])
def test_a_phrase_means_its_range(phrase, meaning, canonical_phrase):
    assert str(parse_time_range(phrase, NOW)) == meaning
    assert canonical(phrase) == canonical_phrase
    assert canonical(canonical_phrase) == canonical_phrase
    assert str(parse_time_range(canonical_phrase, NOW)) == meaning
    assert is_relative(phrase) == any(
        word in RELATIVE_WORDS for word in canonical_phrase.lower().replace("/", " ").split()
    )


@in_one_test(("phrase", "advice"), TABLE["refused"])
def test_what_is_not_understood_completely_is_refused(phrase, advice):
    with pytest.raises(TimeRangeError) as refusal:
        parse_time_range(phrase, NOW)
    assert not refusal.value.empty
    assert phrase in refusal.value.message
    assert refusal.value.advice == advice if advice else "last 7 days" in refusal.value.advice


@in_one_test(("phrase", "advice"), TABLE["empty"])
def test_an_empty_or_reversed_range_is_never_swapped(phrase, advice):
    with pytest.raises(TimeRangeError) as refusal:
        parse_time_range(phrase, NOW)
    assert refusal.value.empty
    assert phrase in refusal.value.message
    assert refusal.value.advice == advice if advice else "last 7 days" in refusal.value.advice
    with pytest.raises(TimeRangeError) as refusal:
        canonical(phrase)
    assert refusal.value.empty


def test_a_range_without_a_year_at_its_start_takes_the_one_at_its_stop_and_never_wraps():
    assert str(parse_time_range("Jan 10 to Jan 20 2024", NOW)) == "2024-01-10 to 2024-01-20"
    with pytest.raises(TimeRangeError, match="has no year"):
        parse_time_range("28 December to 3 January 2024", NOW)


def test_whole_days_end_at_the_last_midnight_and_hours_end_now():
    just_before = datetime(2024, 1, 1, 23, 59, 59, 999999)
    assert parse_time_range("last 1 day", just_before).stop == datetime(2024, 1, 1)
    assert parse_time_range("last hour", just_before).stop == just_before
    assert parse_time_range("last 2 days", datetime(2024, 1, 1)).stop == datetime(2024, 1, 1)


@pytest.mark.parametrize(("phrase", "days"), [("last week", 7), ("last month", 30), ("last year", 365)])
def test_last_week_month_and_year_are_7_30_and_365_days(phrase, days):
    assert parse_time_range(phrase, NOW).duration == timedelta(days=days)


def test_several_months_go_back_by_the_calendar():
    assert parse_time_range("last 2 months", datetime(2024, 4, 30)).start == datetime(2024, 2, 29)
    assert parse_time_range("last 11 years", datetime(2024, 1, 1)).start == datetime(2013, 1, 1)


def test_an_unfolding_time_range_is_refused_at_construction():
    with pytest.raises(TimeRangeError) as refusal:
        TimeRange(datetime(2024, 1, 2), datetime(2024, 1, 1))
    assert refusal.value.empty
    assert "2024-01-01 to 2024-01-02" in refusal.value.advice
    with pytest.raises(TimeRangeError, match="outside the dates that helio can represent"):
        TimeRange(datetime(1600, 1, 1), datetime(2024, 1, 1))
    with pytest.raises(TimeRangeError, match="outside the dates that helio can represent"):
        TimeRange(datetime.max, datetime.max)


def test_a_range_comes_back_from_json_to_the_microsecond():
    span = TimeRange(datetime(2016, 12, 31, 23, 59, 59, 999999), datetime(2017, 1, 1))
    assert json.loads(json.dumps(span.as_iso())) == ["2016-12-31T23:59:59.999999", "2017-01-01T00:00:00"]
    assert TimeRange.from_iso(*span.as_iso()) == span


def test_times_with_a_zone_are_not_mixed_with_utc():
    aware = datetime.fromisoformat("2024-01-01T00:00:00+00:00")
    with pytest.raises(ValueError, match="naive"):
        TimeRange(aware, aware + timedelta(days=1))
    with pytest.raises(ValueError, match="naive"):
        parse_time_range("2024", aware)


@pytest.mark.parametrize(
    "phrase",
    [
        "2024-05-10 10:00-12:00",
        "2024-05-10 10:00 - 12:00 UT",
        "2024-05-10 10:00 UT to 12:00 UT",
        "10 May 2024, 10:00–12:00",
        "2024-05-10 from 10:00 to 12:00",
        "10:00-12:00 on 10 May 2024",
        "from 10:00 to 12:00 UT on May 10, 2024",
    ],
)
def test_two_clocks_of_a_day_are_a_range_and_no_offset(phrase):
    assert str(parse_time_range(phrase, NOW)) == "2024-05-10T10:00:00 to 2024-05-10T12:00:00"
    assert canonical(phrase) == "2024-05-10T10:00:00 to 2024-05-10T12:00:00"


@in_one_test(
    ("phrase", "start"),
    [
        ("2024-05-10T10:00-05:00", "2024-05-10T15:00:00"),
        ("2024-05-10T10:00:00-12:00", "2024-05-10T22:00:00"),
        ("2024-05-10T14:00+14:00", "2024-05-10T00:00:00"),
        ("2024-05-10T00:00+05:45", "2024-05-09T18:15:00"),
        ("2024-05-10T09:00-05:00/PT1H", "2024-05-10T14:00:00"),
        ("2024-05-10T01:00-05:00 to 2024-05-10T08:00-05:00", "2024-05-10T06:00:00"),
        ("2024-05-10T10:00-03:30", "2024-05-10T13:30:00"),
        ("2024-05-10 10:00-0500", "2024-05-10T15:00:00"),
        ("2024-05-10 10:00+02:00", "2024-05-10T08:00:00"),
    ],
)
def test_an_offset_is_an_offset_where_its_form_says_so(phrase, start):
    assert parse_time_range(phrase, NOW).start == datetime.fromisoformat(start)


@pytest.mark.parametrize(
    ("phrase", "offset", "clocks"),
    [
        ("2024-05-10 10:00-05:00", "2024-05-10T10:00-05:00", "2024-05-10 10:00 to 2024-05-11 05:00"),
        ("2024-05-10 10:00 -10:00", "2024-05-10T10:00-10:00", "2024-05-10 10:00 to 2024-05-11 10:00"),
        ("10 May 2024 10:00-12", "2024-05-10T10:00-12", "2024-05-10 10:00 to 2024-05-10 12:00"),
        ("2024-05-10 09:00:00-10:00", "2024-05-10T09:00:00-10:00", "2024-05-10 09:00:00 to 2024-05-10 10:00"),
        ("2024-05-10T10:00-12:00", "2024-05-10T10:00:00-12:00", "2024-05-10 10:00 to 2024-05-10 12:00"),
        ("2024-05-10T01:00-05:00", "2024-05-10T01:00:00-05:00", "2024-05-10 01:00 to 2024-05-10 05:00"),
        ("2024-131T06:00 -10:00", "2024-05-10T06:00:00-10:00", "2024-05-10 06:00 to 2024-05-10 10:00"),
    ],
)
def test_what_may_be_an_offset_or_a_clock_is_refused_with_both_readings(phrase, offset, clocks):
    with pytest.raises(TimeRangeError, match="ambiguous") as refusal:
        parse_time_range(phrase, NOW)
    assert refusal.value.advice == f"write '{offset}' for the offset, or '{clocks}' for the range"
    assert parse_time_range(offset, NOW) != parse_time_range(clocks, NOW)


@pytest.mark.parametrize(
    "phrase", ["2024-05-10 18:00-16:00", "2024-05-10 10:00 - 05:00", "10:00-05:00 on 10 May 2024"]
)
def test_a_second_clock_that_can_be_no_offset_ends_before_it_starts(phrase):
    with pytest.raises(TimeRangeError, match="ends before it starts"):
        parse_time_range(phrase, NOW)


@in_one_test(
    "phrase",
    [
        "2024-05-10T12:00-12:30",
        "2024-05-10 12:00-12:30",
        "2024-05-10T12:00 -12:30",
        "2024-05-10T12:00:00-12:30",
        "2024-05-10T12:00-12:30:00",
        "2024-05-10T12:00–12:30Z",
        "2024-131t12:00-12:30",
        "10 May 2024 12:00-12:30",
    ],
)
def test_minus_12_30_is_no_offset_but_the_end_of_half_an_hour(phrase):
    assert str(parse_time_range(phrase, NOW)) == "2024-05-10T12:00:00 to 2024-05-10T12:30:00"


@pytest.mark.parametrize("zone", ["-12:30", "-13:00", "+14:15", "+15", "+05:53", "-1215", "+25:00"])
def test_an_offset_that_no_place_has_is_refused(zone):
    with pytest.raises(TimeRangeError, match="is not an offset from UTC"):
        parse_time_range(f"2024-05-10T06:00:00{zone} to 2024-05-11", NOW)


@pytest.mark.parametrize(
    ("phrase", "meaning", "former"),
    [
        ("2024-01/2024-03", "2024-01-01 to 2024-03-01", "2024-01-01 to 2024-04-01"),
        ("2023/2024", "2023-01-01 to 2024-01-01", "2023-01-01 to 2025-01-01"),
        ("2024-05-10/2024-06", "2024-05-10 to 2024-06-01", "2024-05-10 to 2024-07-01"),
        ("May 2024/July 2024", "2024-05-01 to 2024-07-01", "2024-05-01 to 2024-08-01"),
        ("2024-03-01/2024-04 ", "2024-03-01 to 2024-04-01", "2024-03-01 to 2024-05-01"),
        (
            "2024-05-10T12:00-12:30",
            "2024-05-10T12:00:00 to 2024-05-10T12:30:00",
            "2024-05-11T00:30:00 to 2024-05-11T00:31:00",
        ),
    ],
)
def test_a_phrase_whose_meaning_has_changed_tells_the_former_one(phrase, meaning, former):
    assert str(parse_time_range(phrase, NOW)) == meaning
    assert former_meaning(phrase) == former
    assert former_meaning(meaning) is None


def test_every_other_phrase_means_what_it_meant():
    changed = {row[0] for row in TABLE["understood"] if former_meaning(row[0]) is not None}
    assert changed == {row[0] for row in TABLE["understood"] if row[0] in TABLE["changed"]} != set()


@in_one_test(
    ("text", "days"),
    [
        *(
            ("2024-05-12", True),
            ("12 May 2024", True),
            ("2024-05", True),
            ("today", True),
            ("3 days ago", True),
        ),
        *(("2024-05-12T00:00", False), ("2024-05-12T00:00:00Z", False), ("now", False), ("soon", False)),
        ("last 3 hours", False),
    ],
)
def test_a_text_names_days_where_it_has_no_clock(text, days):
    assert names_days(text) == days


@pytest.mark.parametrize("phrase", ["2024-01/2024-01", "2024/2024", "May 2024/May 2024"])
def test_a_period_up_to_itself_is_empty_and_the_period_is_offered(phrase):
    with pytest.raises(TimeRangeError, match="is empty") as refusal:
        parse_time_range(phrase, NOW)
    assert refusal.value.empty
    assert "did you mean '2024-" in refusal.value.advice


@given(
    st.sampled_from(["2024", "2024-05", "2024-05-10", "2024-W19", "2024-131", "2024-05-10T06", "2024Q2"]),
    st.sampled_from(["2025", "2025-03", "2025-03-04", "2025-W02", "2025-070", "2025-03-04T12:30", "Q3 2025"]),
)
def test_a_slash_ends_where_the_second_starts_at_any_precision(first, second):
    read = parse_time_range(f"{first}/{second}", NOW)
    assert (read.start, read.stop) == (
        parse_time_range(first, NOW).start,
        parse_time_range(second, NOW).start,
    )


@in_one_test("blank", [" ", "  ", "\t", "\u00a0", "\u2009", "\u202f"])
@in_one_test("dash", ["-", "–", "—", "‒", "−", "‑"])
def test_any_blank_and_any_dash_will_do(blank, dash):
    phrase = f"{blank}10{dash}17{blank}JANUARY{blank}2024{blank}"
    assert str(parse_time_range(phrase, NOW)) == "2024-01-10 to 2024-01-18"
    assert (
        str(parse_time_range(f"2024-05-10{blank}{dash}{blank}2024-05-12", NOW)) == "2024-05-10 to 2024-05-12"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "word", ["maybe", "or", "quiet", "and later", "except", "EST", "77", "of", "ago", "?", "x"]
)
def test_a_word_that_is_not_understood_is_never_left_out(word):
    for phrase, *_ in TABLE["understood"]:
        for text in (f"{phrase} {word}", f"{word} {phrase}"):
            with pytest.raises(TimeRangeError):
                parse_time_range(text, NOW)


@pytest.mark.parametrize("phrase", ["2024 DOY 131", "DOY 131 2024", "doy 131 of 2024"])
def test_a_day_of_the_year_may_be_said_so(phrase):
    assert str(parse_time_range(phrase, NOW)) == "2024-05-10 to 2024-05-11"


@in_one_test("now", [datetime.min, datetime.max, datetime(1677, 9, 22), datetime(2262, 4, 11)])
@in_one_test("phrase", ["last 600 years", "this year", "previous month", "now/P600Y", "P600Y/now", "today"])
def test_a_clock_at_the_ends_of_time_gives_a_range_or_a_refusal(phrase, now):
    try:
        time_range = parse_time_range(phrase, now)
    except TimeRangeError:
        return
    assert EARLIEST <= time_range.start < time_range.stop <= LATEST


@pytest.mark.process
def test_reading_a_time_range_loads_neither_numpy_nor_pandas():
    script = (
        "import sys, helio.time_range as t; from datetime import datetime;"
        "t.parse_time_range('last 7 days', datetime(2024, 1, 1));"
        "sys.exit(bool({'numpy', 'pandas', 'difflib', 'calendar'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


PIECES = [
    *(
        "2024",
        "2024-05",
        "2024-05-10",
        "2024-131",
        "T06:00",
        "06:00",
        "Z",
        "+02:00",
        "to",
        "through",
        "/",
        "..",
        "-",
    ),
    *(
        "–",
        "from",
        "last",
        "past",
        "this",
        "previous",
        "3",
        "0",
        "day",
        "days",
        "weeks",
        "month",
        "years",
        "hours",
    ),
    *("10:00-12:00", "10:00-05:00", "-05:00", "UT", "on", "DOY 131", "12:00-12:30", "2024-W19", "Q2", "H1"),
    *("first", "second", "week", "quarter", "half", "ago", "current", "during", "between", "and", "P1.5D"),
    *("today", "yesterday", "now", "May", "10", "10-12", "P2D", "PT6H", "of", "the", ","),
]
TEXTS = (
    st.text(max_size=40)
    | st.lists(st.sampled_from(PIECES), max_size=7).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
    | st.sampled_from([row[0] for row in (*TABLE["understood"], *TABLE["refused"], *TABLE["empty"])])
)
MOMENTS = st.datetimes(EARLIEST, LATEST)
RANGES = st.tuples(MOMENTS, MOMENTS).filter(lambda pair: pair[0] < pair[1]).map(lambda pair: TimeRange(*pair))


@given(TEXTS, st.datetimes())
@example("last " + "9" * 5000 + " days", NOW)
@example("2024-05-10T06:00:00." + "0" * 5000, NOW)
def test_any_text_gives_a_range_or_a_refusal(text, now):
    try:
        time_range = parse_time_range(text, now)
    except TimeRangeError as refusal:
        assert refusal.advice
    else:
        assert time_range.start < time_range.stop


@given(TEXTS, MOMENTS)
def test_the_canonical_phrase_is_stable_and_means_the_same(text, now):
    try:
        phrase = canonical(text)
    except TimeRangeError:
        return
    assert canonical(phrase) == phrase
    assert is_relative(phrase) == is_relative(text)

    def meaning(words):
        try:
            return parse_time_range(words, now)
        except TimeRangeError as refusal:
            return refusal.empty

    assert meaning(phrase) == meaning(text)


@given(RANGES)
def test_a_range_reads_back_from_its_text(time_range):
    assert parse_time_range(str(time_range), NOW) == time_range


@given(RANGES, st.sampled_from([" to ", "/", "..", " - ", " – ", " until "]))
def test_every_joint_of_two_instants_is_half_open(time_range, joint):
    phrase = joint.join(moment.isoformat() for moment in (time_range.start, time_range.stop))
    assert parse_time_range(phrase, NOW) == time_range


@given(st.datetimes(datetime(1678, 1, 1), datetime(2261, 1, 1)), st.integers(1, 400))
def test_a_day_as_second_is_not_included_and_through_includes_it(start, days):
    first, last = start.date(), start.date() + timedelta(days=days)
    exclusive = parse_time_range(f"{first} to {last}", NOW)
    inclusive = parse_time_range(f"{first} through {last}", NOW)
    assert exclusive.stop == datetime(last.year, last.month, last.day)
    assert inclusive.stop - exclusive.stop == timedelta(days=1)


@in_one_test(
    ("text", "nanoseconds", "canonical_text"),
    [
        ("90s", 90 * 10**9, "90s"),
        ("5min", 300 * 10**9, "5min"),
        ("1h", 3600 * 10**9, "1h"),
        ("1H", 3600 * 10**9, "1h"),
        ("5T", 300 * 10**9, "5min"),
        ("24h", 86400 * 10**9, "1d"),
        ("27d", 27 * 86400 * 10**9, "27d"),
        ("2 weeks", 14 * 86400 * 10**9, "14d"),
        ("1.5h", 5400 * 10**9, "90min"),
        ("500ms", 5 * 10**8, "500ms"),
        ("0.5s", 5 * 10**8, "500ms"),
        ("16us", 16000, "16us"),
        ("16µs", 16000, "16us"),
        ("1ns", 1, "1ns"),
        ("PT5M", 300 * 10**9, "5min"),
        ("pt0.25s", 250 * 10**6, "250ms"),
        ("P1DT12H", 36 * 3600 * 10**9, "36h"),
        ("P1W", 7 * 86400 * 10**9, "7d"),
        ("P1.5D", 36 * 3600 * 10**9, "36h"),
        ("PT0.5H", 1800 * 10**9, "30min"),
        ("PT1H0,5M", 3630 * 10**9, "3630s"),
    ],
)
def test_a_duration_has_its_length_and_one_canonical_spelling(text, nanoseconds, canonical_text):
    duration = Duration(text)
    assert duration.nanoseconds == nanoseconds
    assert str(duration) == canonical_text
    assert Duration(canonical_text) == duration


@in_one_test(
    ("text", "reason"),
    [
        ("", "not understood"),
        ("soon", "not understood"),
        ("5", "not understood"),
        ("-5min", "not understood"),
        ("5min ago", "not understood"),
        ("1e3s", "not understood"),
        ("5 fortnights", "not understood"),
        ("PT", "not understood"),
        ("P1.5DT1H", "not understood"),
        ("P0.5Y", "not understood"),
        ("5m", "minutes or months"),
        ("1M", "minutes or months"),
        ("P1M", "no fixed length"),
        ("P1Y", "no fixed length"),
        ("0s", "is zero"),
        ("PT0S", "is zero"),
        ("0.5ns", "whole number of nanoseconds"),
        ("99999999999d", "too long to count"),
        ("9" * 400 + "s", "not understood"),
    ],
)
def test_a_bad_duration_is_refused_with_advice(text, reason):
    with pytest.raises(RequestError, match=reason) as refusal:
        Duration(text)
    assert refusal.value.advice


@given(st.text(max_size=20) | st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,3})? ?[a-zA-Z]{1,4}", fullmatch=True))
def test_any_text_is_a_duration_or_refused(text):
    try:
        duration = Duration(text)
    except RequestError:
        return
    assert Duration(str(duration)) == duration
    assert 0 < duration.nanoseconds < 2**63
