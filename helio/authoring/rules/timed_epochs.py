"""Superpose series around several times that the sentence gives: ``superposed epoch of SYM-H around T1, T2 and T3``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from helio.authoring.rules.date_pairs import MONTH, YEAR
from helio.authoring.rules.dates import with_plain_dates
from helio.authoring.rules.durations import duration_in
from helio.authoring.rules.listed import EventFigure, Superposition
from helio.authoring.rules.sentence import Sentence
from helio.authoring.rules.storms import BINS, SUPERPOSED, window_of
from helio.authoring.writing.asking import Asks
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.from_document import code_of_times
from helio.time_range import Duration, TimeRange, parse_time_range

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:{YEAR}-\d{{2}}-\d{{2}}|{YEAR}-\d{{3}}|{_DAY}\s+(?:of\s+)?{MONTH},?\s+{YEAR}|{MONTH}\s+{_DAY},?\s+{YEAR}"
    rf"|{YEAR}\s+{MONTH}\s+{_DAY})"
)
_TIME = rf"{_DATE}(?:(?:T|,?\s+(?:at\s+)?)\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?(?:\s*(?:UTC?\b|Z\b))?"
_NOUNS = (
    r"(?:(?:the|these|those|following|times?|of|at|on|in|and|for|interplanetary|IP|forward|fast|two|three|four|five|six|\d"
    r"|zero|epochs?|shocks?|arrivals?|events?|storms?|sudden|storm|commencements?|ssc|onsets?|dates?|c?mes?|icmes?"
    r"|substorms?|crossings?|flares?|sheaths?|clouds?|sirs?|cirs?|interfaces?|stream|hss|minima|peaks?)\b\s*|[:=]\s*|\()*"
)
_LISTED = re.compile(
    rf"{SUPERPOSED}(?P<what>[^;:]+?)[\s,]+(?:around|at|about|for|on|relative\s+to|cent(?:er|re)d\s+(?:on|at)|with\s+zero"
    rf"\s+(?:epochs?|times?)(?:\s+at)?)\s+{_NOUNS}(?P<times>{_TIME}(?:\s*(?:[,;&+/]|\band\b)+\s*{_TIME})+)\)?",
    re.IGNORECASE,
)
_USUAL = ("1d", "3d")
"""Time before and after the zero times."""


@dataclass(frozen=True)
class TimedEpochs:
    """Series to superpose around the times of a sentence.

    Parameters
    ----------
    times : tuple of datetime
        Naive UTC.
    """

    times: tuple[datetime, ...]
    window: Superposition
    notes: tuple[str, ...]

    @property
    def span(self) -> TimeRange:
        """Return whole days that contain the times, with the time before and after them."""
        before, after = (
            timedelta(microseconds=Duration(length).nanoseconds / 1000)
            for length in (self.window.before, self.window.after)
        )
        start, stop = (
            datetime.combine(moment, datetime.min.time())
            for moment in (min(self.times) - before, max(self.times) + after)
        )
        return TimeRange(start, stop + timedelta(days=1))

    def completed(self, template: Document, *, catalogue: Catalogue, ask: Asks, now: datetime) -> Document:
        """Return a template whose figure superposes its lines around the times."""
        figure = EventFigure(template, catalogue, ask, now)
        labels = [str(label) for label in (spec_of(figure.figure()) or {}).get("labels") or ()]
        code = code_of_times(f"{time:%Y-%m-%dT%H:%M:%S}" for time in self.times)
        args = {"pandas_code": code, "units": "s", "description": "times of the request"}
        times = figure.compute_before("times", "store_dataframe", args, f"{len(self.times)} zero times")
        figure.superpose(self.window, times, labels, f"{len(self.times)} times")
        return figure.after


def read_timed_epochs(text: str, now: datetime) -> tuple[str, TimedEpochs | None]:
    """Read ``superposed epoch of Dst around T1 and T2``; return the rest as a plain request.

    >>> text = "superposed epoch of Dst at 2015-03-17 04:45 and 2015-06-22"
    >>> rest, epochs = read_timed_epochs(text, datetime(2026, 1, 1))
    >>> rest
    'Dst 2015-03-16 to 2015-06-26'
    """
    sentence = Sentence(with_plain_dates(text))
    match = sentence.take_first(_LISTED)
    if match is None:
        return text, None
    found = (found[0] for found in re.finditer(_TIME, match["times"], re.IGNORECASE))
    times = tuple(sorted(parse_time_range(_padded(time), now).start for time in found))
    before, after = window_of(sentence)
    notes: Sequence[str] = ()
    if not before:
        before, after = _USUAL
        notes = (f"superposed from {before} before to {after} after, because the request does not say",)
    bins = sentence.take_first(BINS)
    long = Duration(before).nanoseconds + Duration(after).nanoseconds >= Duration("1d").nanoseconds
    bin_length = duration_in(bins, "1", "2") if bins else "1h" if long else "1min"
    epochs = TimedEpochs(times, Superposition(before, after, bin_length), tuple(notes))
    return f"{match['what']} {sentence.rest()} {epochs.span}".replace("  ", " "), epochs


def _padded(time: str) -> str:
    """Write a time with two digits for the hour, and without the word ``at``."""
    plain = re.sub(r",?\s+at\s+", " ", time)
    return re.sub(r"(?<=[T ])(\d:\d\d)", r"0\1", plain)
