"""Superpose series around several times that the sentence gives: ``superposed epoch of SYM-H around T1, T2 and T3``."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio.authoring.request import Epochs, Events
from helio.authoring.rules.events.storms import BINS, SUPERPOSED, window_of, without_usual_lines
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.clocks import DATE
from helio.authoring.rules.times.dates import with_plain_dates
from helio.authoring.rules.times.durations import duration_in, duration_pattern, length_of
from helio.patterns import ignoring_case
from helio.pipelines.template.from_document import code_of_times
from helio.time_range import TimeRange, parse_time_range

_TIME = (
    rf"{DATE}(?:T\d{{2}}(?![\d:])|(?:T|,?\s+(?:at\s+)?)\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?(?:\s*(?:UTC?\b|Z\b))?"
)
_NOUNS = (
    r"(?:(?:the|these|those|following|times?|of|at|on|in|and|for|interplanetary|IP|forward|fast|two|three|four|five|six|\d"
    r"|zero|key|epochs?|shocks?|arrivals?|events?|storms?|sudden|storm|commencements?|sscs?|scs?|onsets?|dates?|c?mes?|icmes?"
    r"|substorms?|crossings?|flares?|sheaths?|clouds?|sirs?|cirs?|interfaces?|stream|hss|minima|peaks?)\b\s*|[:=]\s*|\()*"
)
_LISTED = re.compile(
    rf"{SUPERPOSED}(?P<what>[^;:]+?)[\s,;:(]+(?:(?:around|at|about|for|on|with|relative\s+to|cent(?:er|r)ed\s+(?:on|at))\s+"
    rf"|(?=(?:zero|key|epochs?|events?|onsets?|times?)\b)){_NOUNS}(?P<times>{_TIME}(?:\s*(?:[,;&+/]|\band\b)+\s*{_TIME})+)\)?",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r",?\s*(?:(?:show(?:ing)?|draw|plot|with|give|only|just)\s+)+(?:the|their|its|a)?\s*(?P<give>mean|average|median)s?"
    r"(?:\s+(?:of\s+(?:them|the\s+events|all\s+events)|curve|line|only))?(?=\s*(?:$|[,.;]))",
    re.IGNORECASE,
)
"""What a sentence says of the lines to draw, instead of one line for each event."""
_BEFORE = re.compile(rf"[,;]\s*(?={duration_pattern()}\s+before\b)", re.IGNORECASE)
_USUAL = ("1d", "3d")
"""Time before and after the zero times."""


def read_timed_epochs(text: str, now: datetime) -> tuple[str, Epochs | None]:
    """Read ``superposed epoch of Dst around T1 and T2``; return the rest as a plain request.

    >>> text = "superposed epoch of Dst at 2015-03-17 04:45 and 2015-06-22"
    >>> rest, epochs = read_timed_epochs(text, datetime(2026, 1, 1))
    >>> rest
    'Dst 2015-03-16 to 2015-06-26'
    """
    apart = _BEFORE.sub(" from ", without_usual_lines(text))  # "2010-05-02, 2 days" is no range
    sentence = Sentence(with_plain_dates(apart))
    match = sentence.take_first(_LISTED)
    if match is None:
        return text, None
    sentence = Sentence(f"{match['what']} {sentence.rest()}")
    written = ignoring_case(_TIME).finditer(match["times"])
    times = sorted(parse_time_range(_padded(time[0]), now).start for time in written)
    before, after = window_of(sentence)
    notes: tuple[str, ...] = ()
    if not before:
        before, after = _USUAL
        notes = (f"superposed from {before} before to {after} after, because the request does not say",)
    bins = sentence.take_first(BINS)
    given = sentence.take_first(_GIVEN)
    code = code_of_times(f"{time:%Y-%m-%dT%H:%M:%S}" for time in times)
    args = {"pandas_code": code, "units": "s", "description": "times of the request"}
    events = Events("times", "store_dataframe", tuple(args.items()), f"{len(times)} zero times")
    bin_length, said = (duration_in(bins, "1", "2"), ()) if bins else usual_bin(before, after)
    notes += said
    give = "" if given is None else "median" if given["give"].casefold() == "median" else "mean"
    epochs = Epochs(events, before, after, bin_length, f"{len(times)} times", notes=notes, give=give)
    span = days_around(times[0], times[-1], before, after)
    return f"{sentence.rest()} {span}", epochs


def days_around(first: datetime, last: datetime, before: str = "", after: str = "") -> TimeRange:
    """Return whole days that contain the first and the last of several times, with the time before and after them.

    >>> print(days_around(datetime(2015, 3, 17, 4), datetime(2015, 3, 17, 9)))
    2015-03-17 to 2015-03-18
    """
    start = first - length_of(before) if before else first
    stop = last + length_of(after) if after else last
    midnight = datetime.min.time()
    return TimeRange(datetime.combine(start, midnight), datetime.combine(stop, midnight) + timedelta(days=1))


def usual_bin(before: str, after: str) -> tuple[str, tuple[str, ...]]:
    """Return the length of the bins of a superposed epoch for which the request gives none, and a note of it."""
    length = "1h" if length_of(before) + length_of(after) >= timedelta(days=1) else "1min"
    return length, (f"superposed in bins of {length}, because the request names none",)


def _padded(time: str) -> str:
    """Write a time with two digits for the hour, and without the word ``at``."""
    plain = re.sub(r",?\s+at\s+", " ", time)
    return re.sub(r"(?<=[T ])(\d:\d\d)", r"0\1", plain)
