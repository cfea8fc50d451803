"""Read the intervals and the statistics of averages: ``daily maxima``, ``hourly mean and standard deviation``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation
from helio.authoring.rules.durations import INTERVALS, duration_in, duration_pattern
from helio.authoring.rules.mentions import ComputationMention, mention_of
from helio.authoring.rules.sentence import Sentence
from helio.interval import CalendarInterval, interval_of
from helio.time_range import TimeRange

EVERY = {"minute": "1min", "hour": "1h", "day": "1d", "week": "7d", "month": "1 month", "quarter": "3 months",
          "year": "1 year"}  # fmt: skip
ROTATION = r"(?:carrington|solar)[\s-]+rotation"
RHYTHM = rf"(?:\b(?P<each>{'|'.join(INTERVALS)})\b|\b(?P<turn>{ROTATION})s?\b)"
_DAY = 86_400 * 10**9
"""Nanoseconds of a day."""
FIGURE = r"(?:overview|plot|summary|figure|quick-?look|check|view|report|survey|page|look)"
"""What ``daily`` may only say how often a person looks at."""
METHOD = (
    r"(?:averages?|averaged|avg|means?|medians?|min(?:ima|imum)?|max(?:ima|imum)?|lowest|smallest|highest|largest"
    r"|greatest|peaks?)"
)
_METHODS = {
    "med": "median", "min": "min", "low": "min", "sma": "min", "max": "max", "hig": "max", "lar": "max", "gre": "max",
    "pea": "max",
}  # fmt: skip
"""Methods of `resample` by the first letters of their names; all others mean the mean."""
LENGTH = duration_pattern(calendar=True)
_STATISTICS = {
    "mean": "mean",
    "aver": "mean",
    "medi": "median",
    "std": "std",
    "stan": "std",
    "min": "min",
    "max": "max",
}
_STATISTIC = r"(?:averages?|means?|medians?|standard\s+deviations?|std(?:\s?dev)?\.?|min(?:ima|imum)?|max(?:ima|imum)?)"


def drop_rhythms_of_figures(sentence: Sentence, spans: Sequence[TimeRange]) -> None:
    """Drop ``daily`` in ``daily overview`` of one day: it says how often a person looks at the figure."""
    if len(spans) == 1:
        days = spans[0].duration.days
        words = (word for word, length in INTERVALS.items() if interval_of(length).nanoseconds >= days * _DAY)
        sentence.drop(rf"\b(?:{'|'.join(words)})\s+(?={FIGURE}s?\b)")
    several = sentence.take_first(rf"\b(?P<each>{'|'.join(INTERVALS)})\s+(?:{FIGURE}s|summaries)\b")
    if several:
        raise NotUnderstood(
            f"helio writes a pipeline that draws one figure, not {several[0]}",
            advice="ask for the figure of one time; then `helio backfill NAME RANGE --each "
            f"'{INTERVALS[several['each'].lower()]}'` draws all",
        )


def read_statistics(sentence: Sentence) -> list[ComputationMention]:
    """Read ``mean, minimum and maximum in 1 h bins``, ``5 min standard deviation`` and ``hourly statistics``."""
    several = rf"{_STATISTIC}(?:\s*(?:,|and|&|/|\+)+\s*(?:the\s+)?{_STATISTIC})+"
    names = rf"(?P<names>{several}|(?:standard\s+deviations?|std(?:\s?dev)?)\b\.?|statistics\b)"
    length = rf"(?:{RHYTHM}|\b(?P<every>{'|'.join(EVERY)})\b|{LENGTH})"
    bins = (
        r"\b(?:in|over|per|for|within|with|using)\s+(?:an?\s+|every\s+|each\s+|(?:bins|intervals|windows)\s+of\s+)*"
        rf"{length}(?:[\s-]*(?:bins?|intervals?|blocks?|windows?|steps?))?"
    )
    match = sentence.take_first(rf"(?:{length}[\s-]*)?(?<!\w){names}(?!\w)")
    if match is None:
        return []
    window = match if rhythm_in(match) or match["number"] else sentence.take_first(bins)
    written = "" if window is None else rhythm_in(window) or duration_in(window)
    words = re.findall(_STATISTIC, match["names"], re.IGNORECASE)
    of = [
        next(name for begin, name in _STATISTICS.items() if word.lower().startswith(begin)) for word in words
    ]
    of = list(dict.fromkeys(of)) or ["mean", "std", "min", "max"]
    return [mention_of("statistics", match.start(), written, {"of": tuple(of)})]


def read_rhythms_apart(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``daily Kp maxima``, where the input stands between the length of the intervals and the statistic."""
    between = r"(?:(?!(?:and|with|or|vs)\b)[\w|./-]+\s+){1,4}?"
    pattern = rf"(?P<rhythm>{RHYTHM})\s+{between}(?P<statistic>{METHOD})\b(?!\s+of\b)"
    for match in list(re.finditer(pattern, sentence.left, re.IGNORECASE)):
        if sentence.take_at(*match.span("rhythm")) and sentence.take_at(*match.span("statistic")):
            computation = Computation("resample", rhythm_in(match), method_of(match["statistic"]))
            yield ComputationMention(computation, match.start())


def rhythm_in(match: re.Match[str]) -> str:
    """Return the length of the intervals that a word such as ``monthly`` means; empty if the match has none."""
    groups = {name: (words or "").lower() for name, words in match.groupdict().items()}
    if groups.get("turn") or "rotation" in groups.get("every", ""):
        return str(CalendarInterval("Carrington rotation"))
    return INTERVALS.get(groups.get("each", "")) or EVERY.get(groups.get("every") or groups.get("by", ""), "")


def method_of(statistic: str) -> str:
    """Return the method of `resample` that a word such as ``maxima`` means."""
    return _METHODS.get(statistic[:3].lower(), "mean")
