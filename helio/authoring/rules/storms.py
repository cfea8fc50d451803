"""Superpose series around geomagnetic storms, which helio finds in Dst or SYM-H."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.listed import EventFigure, Superposition
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.asking import Asks
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantity_words import symbol
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document

STORMS = {"weak": -30, "moderate": -50, "intense": -100, "strong": -100, "super": -250}
"""Smallest values of Dst of the classes of storms, in nT (Loewe and Proelss 1997)."""
_EVENT = (
    r"(?:(?:the|all|every|each|of|in|with|an?|their|geomagnetic|magnetic|intense|moderate|strong|major|great|severe|storms?['’]?"
    r"|storm-?time|super-?storms?|minim(?:a|um)|min|peaks?|main|phases?|onsets?|starts?|beginnings?|Dst|SYM-?H|index|reaching"
    r"|exceeding|below|under|deeper|stronger|larger|greater|less|lower|more|than|down\s+to|<=?|≤|(?<![\w-])[-−]?\d{2,3}\s*nT"
    r"|(?<![\w-])[-−]\d{2,3}(?![\w-]))(?![\w-])\s*)+"
)
_BEGIN = (
    r"\b(?:(?:plot|show|draw|make|do|compute)\s+)?(?:an?\s+|the\s+)?"
    r"(?:superposed[- ]epochs?(?:\s+(?:analysis|plot|figure|study))?\s*(?::|\b(?:of|for))|superpos(?:e|ing))"
    r"\s*(?:the\s+)?"
    r"(?P<what>[^,;:]+?)\s+(?:around|at|about|for|over|on|during|relative\s+to|cent(?:er|re)d\s+(?:on|at)"
    rf"|with\s+(?:the\s+)?zero[- ](?:epoch|time)s?\s+at)\s+(?P<events>{_EVENT})"
)
_SPAN = (
    rf"(?:,?\s*\b(?:from\s+|for\s+)?{duration_pattern('1')}\s+before\s+(?:to|and|until)\s+{duration_pattern('2')}\s+after"
    r"(?:\s+(?:them|it|each|the\s+(?:zero\s+)?(?:times?|minim(?:a|um)|onsets?)))?)"
)
_AROUND = rf"(?:,?\s*(?:±|\+/-|\+-|plus\s+(?:or\s+)?minus)\s*{duration_pattern('1')})"
_SIDES = r"(?:on\s+|to\s+|at\s+)?(?:either|each|both)\s+sides?(?:\s+of\s+(?:it|them|each))?\b"
_EITHER = rf"(?:,?\s*{duration_pattern('1')}\s+{_SIDES})"
_SPAN_FIRST = (
    rf",?\s*(?P<span>(?:from\s+)?{duration_pattern('3')}\s+before\s+(?:to|and|until)\s+{duration_pattern('4')}\s+after)"
    rf"\s+(?P<events>{_EVENT})"
)
_SIGNED = (
    r",?\s*(?:from\s+)?[-−](?P<before>\d+)\s*(?:to|\.\.|–)\s*\+?(?P<after>\d+)\s*(?P<unit>d|h)"
    r"(?:ays?|ours?|rs?)?\b"
)
_BINS = rf"(?:,?\s*(?:and\s+)?(?:with|in)\s+(?:bins\s+of\s+{duration_pattern('1')}|{duration_pattern('2')}[\s-]*bins?))"
_STRENGTHS = {"super": -250, "great": -250, "severe": -250, "intense": -100, "strong": -100, "moderate": -50}
_USUAL = (-50, "2d", "4d", "1h")
"""Threshold of a storm in nT, time before and after, and length of the bins."""


@dataclass(frozen=True)
class StormEpochs:
    """Series to superpose around the storms of a time range.

    Parameters
    ----------
    index : str
        ``"Dst"`` or ``"SYM-H"``, in which helio finds the storms.
    drawn : bool
        Whether the figure also shows the index.
    give : str
        ``"minimum"`` or ``"onset"``.
    """

    index: str
    drawn: bool
    threshold: int
    give: str
    window: Superposition
    notes: tuple[str, ...]

    def superposed(self, template: Document, *, catalogue: Catalogue, ask: Asks, now: datetime) -> Document:
        """Return a template whose figure superposes its lines around the storms."""
        figure = EventFigure(template, catalogue, ask, now)
        labels = [str(label) for label in (spec_of(figure.figure()) or {}).get("labels") or ()]
        index = next(label for label in labels if label.startswith(f"OMNI_{symbol(self.index)}"))
        times = figure.compute_before(
            "storms",
            "storm_phases",
            {"source_label": index, "threshold": self.threshold, "give": self.give},
            f"Find storms that reach {self.threshold} nT",
        )
        shown = [label for label in labels if self.drawn or label != index]
        figure.superpose(self.window, times, shown, f"the storms of {self.threshold} nT or less")
        return figure.after


def read_storms(text: str) -> tuple[str, StormEpochs | None]:
    """Read ``superposed epoch of Bz around the minima of storms below -100 nT``; return the rest as a plain request.

    >>> rest, storms = read_storms("superposed epoch of Vsw around storm onsets, 2000 to 2004")
    >>> rest, storms.give, storms.threshold
    ('hourly Vsw, Dst , 2000 to 2004', 'onset', -50)
    """
    sentence = Sentence(re.sub(_SPAN_FIRST, r" around \g<events>, \g<span> ", text, flags=re.IGNORECASE))
    match = sentence.take_first(_BEGIN)
    if match is None or not re.search(r"storm|minim|onset", match["events"], re.IGNORECASE):
        return text, None
    events, what = match["events"], match["what"]
    notes = []
    index = "SYM-H" if re.search(r"sym-?h", events if "Dst" in text else text, re.IGNORECASE) else "Dst"
    drawn = re.search(rf"\b{index.replace('-', '-?')}\b", what, re.IGNORECASE) is not None
    threshold = _threshold(events)
    if not threshold:
        threshold = _USUAL[0]
        notes.append(f"a storm reaches {threshold} nT, because the request names no limit")
    give = "onset" if re.search(r"onset|start|beginning", events, re.IGNORECASE) else "minimum"
    before, after = _window(sentence)
    if not before:
        before, after = _USUAL[1:3]
        notes.append(f"superposed from {before} before to {after} after, because the request does not say")
    bins = sentence.take_first(_BINS)
    window = Superposition(before, after, duration_in(bins, "1", "2") if bins else _USUAL[3])
    paced = re.search(r"\bhourly\b|\d[\s-]*(?:min|s|h)\w*\b", what + sentence.rest(), re.IGNORECASE)
    rest = f"{'' if paced else 'hourly '}{what}{'' if drawn else f', {index}'} {sentence.rest()}"
    return rest, StormEpochs(index, drawn, threshold, give, window, tuple(notes))


def _threshold(events: str) -> int:
    number = re.search(r"[-−]?(\d{2,3})", events)
    if number:
        return -int(number[1])
    return next((limit for word, limit in _STRENGTHS.items() if word in events.lower()), 0)


def _window(sentence: Sentence) -> tuple[str, str]:
    """Return the time before and after the zero times; empty if the sentence does not give it."""
    if span := sentence.take_first(_SPAN):
        return duration_in(span, "1"), duration_in(span, "2")
    if signed := sentence.take_first(_SIGNED):
        unit = signed["unit"].lower()
        return f"{signed['before']}{unit}", f"{signed['after']}{unit}"
    if around := sentence.take_first(_AROUND) or sentence.take_first(_EITHER):
        return duration_in(around, "1"), duration_in(around, "1")
    return "", ""
