"""A sentence being read: what was understood is taken out of it, so that what is left was not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from helio.errors import TimeRangeError
from helio.time_range import parse_time_range

LONGEST = 2000
"""Characters of a request that rules can be expected to read."""
_TAKEN = "\x1f"
_WORD = re.compile(r"[^\s\x1f,;()]+")
_LONGEST_TIME = 14
"""Words of the longest phrase of time."""
_TIME_BEGINS = r"(?:for|from|during|over|in|on|of|between|since|at|within|throughout|covering|the|data)"
_BETWEEN = re.compile(r"\bbetween\s+(.+?)\s+and\s+", re.IGNORECASE)

# Words that say nothing of what is wanted.
_HARMLESS = frozenset(
    """a an and the of in for from with on at to by as is are be was were do does did it its this that these those i me
    my we us our you your please show plot draw display make create give get want would like could can see need let
    figure figures plots panel panels chart graph image picture pipeline template data dataset datasets measurement
    measurements observation observations value values time series timeseries over during both all each other one new
    between using use used based then also too into than there here just some any which what how have has
    together against versus vs compare compared comparison comparing overview summary quicklook look quick view same
    compute calculate computed calculated derive derived apply applied add fetch load download read
    retrieve visualise visualize overlay overlaid stacked beside side below above under top bottom line lines
    trace traces spacecraft satellite satellites mission missions instrument solar wind sun earth upstream l1 near
    it's i'd i'm them their via per about well so nice good helio hi hello thanks thank
    plotted drawn shown resulting result results respectively event storm substorm encounter period interval
    day days date dates week""".split()  # noqa: SIM905
)


class Sentence:
    """One request.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(re.sub(r"['’]s\b", "", text).split())
        self._left = self.text

    def take(self, pattern: str | re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Every place that a pattern has in what is left, each taken out as it is found; case counts for nothing.

        Of a pattern with a group ``out`` that group alone is taken out.
        """
        compiled = re.compile(pattern, re.IGNORECASE) if isinstance(pattern, str) else pattern
        at = 0
        while found := compiled.search(self._left, at):
            self._remove(*found.span("out" if "out" in compiled.groupindex else 0))
            at = found.end()
            yield found

    def has(self, pattern: str) -> bool:
        """Whether a pattern has a place in what is left; nothing is taken out."""
        return re.search(pattern, self._left, re.IGNORECASE) is not None

    def take_first(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """The first place of a pattern, taken out."""
        return next(self.take(pattern), None)

    def take_times(self, now: datetime) -> list[str]:
        """Phrases that are times from end to end, the longest first where they overlap, in their order."""
        found: list[tuple[int, str]] = []
        for between in list(_BETWEEN.finditer(self._left)):
            tail = self._left[between.end() :]
            words = list(_WORD.finditer(tail))[:_LONGEST_TIME]
            for count in range(len(words), 0, -1):
                text = f"{between[1]} to {tail[: words[count - 1].end()].rstrip('.?!')}"
                if _is_time(text, now):
                    self._remove(between.start(), between.end() + words[count - 1].end())
                    found.append((between.start(), text))
                    break
        words = list(_WORD.finditer(self._left))
        spans = sorted(
            (
                (first, last)
                for first in range(len(words))
                for last in range(first, min(first + _LONGEST_TIME, len(words)))
            ),
            key=lambda span: (span[0] - span[1], span[0]),
        )
        taken: list[range] = []
        for first, last in spans:
            if any(first <= one.stop - 1 and last >= one.start for one in taken):
                continue
            start, stop = words[first].start(), words[last].end()
            text = self._left[start:stop].rstrip(".?!:")
            if _TAKEN in text or not re.search(
                r"\d|last|past|this|previous|today|yesterday", text, re.IGNORECASE
            ):
                continue
            if re.fullmatch(r"\d{1,3}", text) or not _is_time(text, now):
                continue
            taken.append(range(first, last + 1))
            found.append((start, text))
        for start, text in found:
            if self._left[start : start + len(text)] == text:
                self._remove(start, start + len(text))
        for _ in self.take(rf"\b{_TIME_BEGINS}\s+(?={_TAKEN})"):
            pass
        return [text for _, text in sorted(found)]

    def unread(self) -> tuple[str, ...]:
        """The words that are left and mean something."""
        words = re.findall(r"[^\s\x1f,;:.?!()\"'“”‘’]+", self._left)
        return tuple(
            dict.fromkeys(
                word
                for word in words
                if word.strip("-–/+&_").casefold() not in _HARMLESS and re.search(r"\w", word)
            )
        )

    def _remove(self, start: int, stop: int) -> None:
        self._left = self._left[:start] + _TAKEN * (stop - start) + self._left[stop:]


def _is_time(text: str, now: datetime) -> bool:
    try:
        parse_time_range(text, now)
    except TimeRangeError:
        return False
    return True
