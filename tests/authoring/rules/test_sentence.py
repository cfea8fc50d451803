"""Times in sentences are those of the one grammar, without the word that leads to them."""

from __future__ import annotations

from datetime import datetime

import pytest

from helio.authoring.rules.reading.sentence import Sentence
from helio.time_range import parse_time_range
from tests.rows import in_one_test

NOW = datetime(2024, 3, 31, 12, 34, 56)


@in_one_test(
    ("said", "time", "span"),
    [
        ("for the past 5 days", "the past 5 days", "2024-03-26 to 2024-03-31"),
        ("in the last 3 days", "the last 3 days", "2024-03-28 to 2024-03-31"),
        ("over the last week", "the last week", "2024-03-24 to 2024-03-31"),
        ("from last week", "last week", "2024-03-24 to 2024-03-31"),
        ("during January 2024", "January 2024", "2024-01-01 to 2024-02-01"),
        ("for the current month", "the current month", "2024-03-01 to 2024-04-01"),
        ("3 days ago", "3 days ago", "2024-03-28 to 2024-03-29"),
        ("in the second quarter of 2023", "the second quarter of 2023", "2023-04-01 to 2023-07-01"),
        ("for Q2 2023", "Q2 2023", "2023-04-01 to 2023-07-01"),
        ("in 2024-W10", "2024-W10", "2024-03-04 to 2024-03-11"),
        ("first week of May 2021", "first week of May 2021", "2021-05-01 to 2021-05-08"),
        ("between 10 and 12 May 2021", "between 10 and 12 May 2021", "2021-05-10 to 2021-05-13"),
        ("from 10 to 12 May 2021", "from 10 to 12 May 2021", "2021-05-10 to 2021-05-13"),
        (
            "between 10 May 2021 and 12 May 2021",
            "between 10 May 2021 and 12 May 2021",
            "2021-05-10 to 2021-05-12",
        ),
        ("on day 131 of 2021", "day 131 of 2021", "2021-05-11 to 2021-05-12"),
        ("day of year 131, 2021", "day of year 131, 2021", "2021-05-11 to 2021-05-12"),
        ("2021-05-10T12:00-12:30", "2021-05-10T12:00-12:30", "2021-05-10T12:00:00 to 2021-05-10T12:30:00"),
    ],
)
@in_one_test("form", ["ACE field {}", "{}: ACE field", "show {} of the ACE field, please"])
def test_a_time_is_read_without_its_leading_word_and_nothing_of_it_is_left(said, time, span, form):
    sentence = Sentence(form.format(said))
    assert sentence.take_times(NOW) == [time]
    assert str(parse_time_range(time, NOW)) == span
    assert set(sentence.unread()) <= {"ACE", "field"}


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("since 3 days ago", "since"),
        ("recent", "recent"),
        ("for the week of 10 May 2021", "week"),
        ("from the third Monday of May 2021", "Monday"),
        ("every day in May 2021", "every"),
    ],
)
def test_what_narrows_a_time_is_never_left_out(said, left):
    sentence = Sentence(f"ACE field {said}")
    sentence.take_times(NOW)
    assert left in sentence.unread()
