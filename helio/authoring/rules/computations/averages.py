"""Read averages of intervals, as ``daily maxima``, and running means from which a series differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of, tool_names
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS, duration_in, duration_pattern
from helio.authoring.writing.computations import ANGLE, RATIO
from helio.interval import CalendarInterval, interval_of
from helio.patterns import ignoring_case
from helio.time_range import TimeRange

EVERY = {"minute": "1min", "hour": "1h", "day": "1d", "week": "7d", "month": "1 month", "quarter": "3 months",
          "year": "1 year"}  # fmt: skip
ROTATION = r"(?:carrington|solar)[\s-]+rotation"
RHYTHM = rf"(?:(?<!\d-)\b(?P<each>{'|'.join(INTERVALS)})\b|\b(?P<turn>{ROTATION})s?\b)"
_DAY = 86_400 * 10**9
"""Nanoseconds of a day."""
FIGURE = r"(?:overview|plot|summary|figure|quick-?look|check|view|report|survey|page|look)"
"""What ``daily`` may only say how often a person looks at."""
METHOD = (
    r"(?:averages?|averaged|avgs?\.?|means?|medians?|(?<!\d[ -])min(?:ima|imum)?|max(?:ima|imum)?|lowest|smallest"
    r"|highest|largest|greatest|peaks?)"
)
_NOT_RUNNING = "".join(
    rf"(?<!\b{word} )"
    for word in ("running", "moving", "sliding", "rolling", "boxcar", "centred", "centered")
)
_NO_SPECTRUM = r"(?:(?!\b(?:lag|delay|correlat|slope|spectr|PSD|power|wavelet))[^.;])*?"
_METHODS = {
    "med": "median", "min": "min", "low": "min", "sma": "min", "max": "max", "hig": "max", "lar": "max", "gre": "max",
    "pea": "max", "sta": "std", "std": "std",
}  # fmt: skip
"""Statistics by the first letters of their names; all others mean the mean."""
_DURATION = duration_pattern()
LENGTH = duration_pattern(calendar=True)
_STATISTIC = rf"(?:{METHOD}|standard\s+deviations?|std(?:\s?dev)?\.?)"


_FIELD_AND = (
    r"^(?:(?:plot|show|draw|please|the|of)\s+|[\w-]+\s+)*?(?:(?:magnetic\s+)?field|B)(?:\s+(?:vector|in|from|of|at|for|on|[A-Z][\w-]*|\d[\w:.-]*))*"
    r"[\s\x01,]*?(?:\b(?:and|plus|with)|[,+&])\s+(?:also\s+)?(?:(?:right\s+)?(?:below|under|underneath|beneath)(?:\s+it)?,?\s+)?(?:(?:its|the)\s+)?$"
)
"""A field that is drawn beside its deflection: ``B and its deflection from``."""


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
    listed = rf"statistics\b(?:\s*[(:]\s*{several}\s*\)?)?"
    names = rf"(?P<names>{several}|(?:standard\s+deviations?|std(?:\s?dev)?)\b\.?|{listed})"
    length = rf"(?:{RHYTHM}|\b(?P<every>{'|'.join(EVERY)})\b|{LENGTH})"
    bins = (
        r"\b(?:in|over|per|for|within|with|using)\s+(?:an?\s+|every\s+|each\s+|(?:bins|intervals|windows)\s+of\s+)*"
        rf"{length}(?:[\s-]*(?:bins?|intervals?|blocks?|windows?|steps?))?"
    )
    if apart := _means_with_deviations(sentence, length, bins):
        return [apart]
    match = sentence.take_first(rf"(?:{length}[\s-]*)?(?<!\w){names}(?!\w)")
    if match is None:
        return []
    window = match if rhythm_in(match) or match["number"] else sentence.take_first(bins)
    written = "" if window is None else rhythm_in(window) or duration_in(window)
    words = ignoring_case(_STATISTIC).findall(match["names"])
    of = list(dict.fromkeys(map(method_of, words))) or ["mean", "std", "min", "max"]
    return [mention_of("statistics", match.start(), written, {"of": tuple(of)})]


def _means_with_deviations(sentence: Sentence, length: str, bins: str) -> ComputationMention | None:
    """Read ``mean of Bz over 15 min and its standard deviation``: two statistics of the same intervals."""
    mean = rf"{_NOT_RUNNING}\b(?P<mean>averaged?|averages|avgs?|means?|medians?)\b"
    words = r"(?:\s+(?!(?:and|with|plus)\b)[\w|./-]+)"
    series = rf"(?:\s+of)?{words}{{0,6}}?(?:\s+and{words}{{1,3}}?(?=[^.;,]*?\btheir\b))?"
    deviation = (
        r"(?P<deviation>,?\s+(?:and|with|plus)\s+(?:(?:its|their|the)\s+)?(?:standard\s+deviations?|std(?:\s?dev)?)\b\.?)"
        rf"(?![\s,(]+(?:of|over|per|in|on|as|and|below|under\w*|(?:for\s+)?(?:each|every|{duration_pattern('2')}))\b)"
    )
    for pattern in (
        rf"(?P<length>{length})[\s-]*{mean}{series}{deviation}",
        rf"{mean}{series}\s+(?P<length>{bins}){deviation}",
    ):
        if match := ignoring_case(pattern).search(sentence.left):
            for group in ("length", "mean", "deviation"):
                sentence.take_at(*match.span(group))
            args = {"of": (method_of(match["mean"]), "std")}
            return mention_of("statistics", match.start("mean"), rhythm_in(match) or duration_in(match), args)
    return None


def read_rhythms_apart(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``daily Kp maxima`` and ``for each month the minimum of Dst``, where other words stand between the two."""
    between = rf"(?:(?!(?:and|with|or|vs|{METHOD})\b)[\w|./-]+\s+){{1,4}}?"
    patterns = (
        rf"(?P<rhythm>{RHYTHM})\s+{between}(?P<statistic>{METHOD})\b(?!\s+of\b)",
        rf"(?P<rhythm>\b(?:for|in|of|per|over)\s+(?:each|every)\s+(?P<every>{'|'.join(EVERY)})(?:\s+(?:of|in)\b)?)"
        rf"(?![\w-])[^.;]*?\b(?P<statistic>{METHOD})(?:\s+values?)?\b",
        rf"{_NOT_RUNNING}\b(?P<statistic>{METHOD})\b(?!\s+value\s+per\b)\s{_NO_SPECTRUM}"
        r"(?P<rhythm>\b(?:(?:for|in|of|over|within)\s+)?"
        r"(?:(?:each|every|per|by)\s+(?:calendar\s+)?|(?<=over )(?:an?\s+)?)"
        rf"(?:(?P<every>{'|'.join(EVERY)}|{ROTATION})\b|{LENGTH})(?:[\s-]*(?:intervals?|windows?|bins?|blocks?|periods?)\b)?)"
        r"(?!\s+(?:around|before|after|from|starting|cent(?:er|r)ed|by)\b)",
    )
    for match in [match for pattern in patterns for match in ignoring_case(pattern).finditer(sentence.left)]:
        if sentence.take_at(*match.span("rhythm")) and sentence.take_at(*match.span("statistic")):
            length = rhythm_in(match) or duration_in(match)
            computation = Computation("resample", length, method_of(match["statistic"]))
            yield ComputationMention(computation, match.start("statistic"))


def rhythm_in(match: re.Match[str]) -> str:
    """Return the length of the intervals that a word such as ``monthly`` means; empty if the match has none."""
    groups = {name: (words or "").lower() for name, words in match.groupdict().items()}
    if groups.get("turn") or "rotation" in groups.get("every", ""):
        return str(CalendarInterval("Carrington rotation"))
    return INTERVALS.get(groups.get("each", "")) or EVERY.get(groups.get("every") or groups.get("by", ""), "")


def method_of(statistic: str) -> str:
    """Return the statistic that a word such as ``maxima`` means."""
    return _METHODS.get(statistic[:3].lower(), "mean")


def read_relations_to_means(sentence: Sentence) -> list[ComputationMention]:
    """Read what a series is beside its own mean.

    ``angle between B and its 1 h running mean``, ``deflection of B from its 6 h mean field`` and ``density divided by
    its 1 day mean``.
    """
    smooth = rf"(?:{tool_names('running_average')}|{tool_names('running_median')}|mean|average|median)"
    field = r"(?:\s+(?:of\s+it|field|direction|vector|B)\b)*"
    behind = rf"(?:\s*\(?(?:(?:of|over|with|in)\s+)?{duration_pattern('2')}\)?)?"
    mean = rf"(?:(?:its|the|own|an?|of)\s+)*(?:{_DURATION}[\s-]*{smooth}{field}|{smooth}{field}{behind})"
    angle = (
        r"(?:(?:(?:switchback|field)\s+)*(?:deflection|deviation|rotation)\b[\s:,]*(?:(?:an|the)\s+)?angles?|deflections?|angles?"
        r"|how\s+(?:far|much|strongly)\s+(?:it|B|the\s+field)\s+(?:is|was)\s+(?:deflected|rotated|turned))\b"
    )
    ratio = r"(?:the\s+)?(?:ratios?(?:\s+(?:of|between))?|divided|normali[sz]ed)\b"
    own = r"(?=(?:its|their)\b)"
    for tool, words, joint in (
        (ANGLE, angle, r"\b(?:and|to|from|against|relative\s+to|with\s+respect\s+to)\s+"),
        (RATIO, ratio, rf"\b(?:and|to|by|with)\s+{own}"),
    ):
        match = sentence.take_first(rf"\b(?P<out>{words})(?=[^.;]*?{joint}{mean})")
        of = sentence.take_first(rf"{joint}{mean}") if match else None
        if match is None or of is None:
            continue
        average = "running_median" if "median" in of[0].lower() else "running_average"
        mean_of = Computation(average, duration_in(of, "", "2"), beside=True)
        if tool == ANGLE:
            sentence.drop(
                r"(?:(?<=[:,(])|(?<=[:,(] ))(?:the\s+)?angles?\s+between\b|\b(?:switchback\s+)?deflection\s+angles?\b"
            )
        made = mention_of(tool, of.end())
        if tool == ANGLE and ignoring_case(_FIELD_AND).search(sentence.text[: match.start()]):
            made = replace(made, computation=replace(made.computation, of_data=True))
        return [made, ComputationMention(mean_of, of.start())]
    return []


def read_trends(sentence: Sentence) -> list[ComputationMention]:
    """Read ``minus its 1 h running mean``, ``detrended by a 1 h running mean`` and ``running mean subtracted``."""
    names, of = tool_names("running_average"), r"(?:(?:its|their|the|an?|own)\s+)*"
    behind = rf"(?:\s*\(?(?:of|over|with|in)?\s*(?:an?\s+)?{duration_pattern('2')}\)?)?"
    own = rf"(?:its|their)\s+(?:own\s+)?{duration_pattern('3')}[\s-]*(?:means?|averages?)\b"
    end = r"(?=\s*(?:$|[,.;)\x01]|(?:on|for|from|at|and|subtracted|removed)\b))"
    plain = rf"(?:(?:an?|the)\s+)?(?:{duration_pattern('4')}|{RHYTHM})[\s-]*(?:mean|average)\b{end}"
    running = rf"(?:{of}(?:{_DURATION}[\s-]*(?:{names})|(?:{names}){behind})|{own})"
    trend = rf"(?:{running}|{plain})"
    subtract = (
        rf"(?:after\s+)?(?:{tool_names('detrend')}|subtract\w*|remov\w+)(?:\s+(?:by|with|using|against|of))?"
    )
    found = []
    slow = r"(?:subtract\w*|remov\w+)\s+(?:the\s+)?(?:slow\s+|long-term\s+)?(?:trends?|background)"
    slow += r"|(?:trends?|background)\s+(?:subtracted|removed)|deviations?(?:\s+of)?"
    by = r"\b(?:with|by|using|from)"
    its_object = r"(?:(?!,|\b(?:and|plus|with)\b)[^.;])*?"
    objects = r"(?<=\bdetrend\s)(?:(?!\b(?:with|draw|plot|show)\b)[^.;])*?"
    median = rf"{of}(?:{_DURATION}[\s-]*)?(?:(?:{tool_names('running_median')})|medians?\b)"
    if sentence.has(rf"\b(?:minus|(?:{tool_names('detrend')}|subtract\w*)(?:{its_object}{by})?)\s+{median}"):
        raise NotUnderstood(
            "helio subtracts the mean, a running mean or a straight line, and no median",
            advice="write 'minus its 1 h running mean'",
        )
    apart = sentence.drop(
        rf"(?P<out>\b(?:{tool_names('detrend')}|{slow})(?:\s+from)?)"
        rf"(?=\s(?:[^.;]*?{by}\s+{running}|(?:{its_object}|{objects}){by}\s+{plain}))"
    )
    for pattern in (
        rf"{by}\s+{trend}(?=\s*(?:$|[,.;\x01]|(?:on|for|from|of|at|and)\b))" if apart else r"(?!)",
        rf"\b(?:minus|less|differences?\s+(?:to|from|against)|deviations?\s+from)\s+{trend}",
        rf"\b{subtract}\s+{trend}(?:\s+from\b)?",
        rf"\b(?:{tool_names('detrend')})\s*\(?(?:(?:over|with|in|using|by)\s+)?(?:an?\s+)?{_DURATION}"
        r"(?:[\s-]*windows?)?\)?(?=\s*(?:$|[,.;\x01]|on\b|for\b|from\b|\d{4}))",
        rf"\b(?:with\s+)?{trend}\s+(?:subtracted|removed)\b(?:\s+from\b)?",
        rf"(?<=\()\s*{trend}\s*(?=\))" if sentence.has(rf"\b(?:{tool_names('detrend')})") else r"(?!)",
    ):
        for match in sentence.take(pattern):
            window = rhythm_in(match) or duration_in(match, "", "2", "3", "4")
            found.append(
                mention_of("detrend", match.start(), args={"method": "running_mean", "window": window})
            )
    mean = r"(?:the\s+|its\s+|their\s+)?(?:mean|average)(?:\s+value)?s?"
    for match in sentence.take(
        rf"\b(?:with\s+)?(?:subtract\w*|remov\w+|minus|deviations?\s+from)\s+{mean}\b(?:\s+from\b|(?=\s*(?:$|[,.;\x01])))"
        rf"|\b(?:with\s+)?{mean}[- ](?:subtracted|removed)\b|\bde-?mean(?:ed|ing)?\b"
    ):
        found.append(mention_of("detrend", match.start(), args={"method": "mean"}))
    return found
