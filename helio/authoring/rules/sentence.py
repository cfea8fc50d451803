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
_TIME_BEGINS = r"(?:for|from|during|over|in|on|of|at|throughout|within|covering|the|data)"

# Words that say nothing of what is wanted. What narrows a time, an order or a choice ("since", "week", "below",
# "each") is not among them: left out, it would change what is meant.
_HARMLESS = frozenset(
    """a an and the of in for from with on at to by as is are be was were do does did it its this that these those i me
    my we us our you your please show plot draw display make create give get want would like could can see need let
    figure figures plots panel panels chart graph image picture pipeline template data dataset datasets measure measured
    measurement measurements observation observations observed recorded values value time series timeseries over during
    both all there here just what how have has together new using used use based then also too into component components
    against versus vs compare compared comparison comparing overview summary quicklook look view coordinates
    compute calculate computed calculated apply applied add fetch load download read run
    retrieve visualise visualize line lines
    trace traces spacecraft satellite satellites mission missions instrument upstream l1 near
    it's i'd i'm them their via well so nice good helio hi hello thanks thank
    plotted drawn shown result results date dates utc""".split()  # noqa: SIM905
)
_OF_A_TIME = frozenset(["storm", "substorm", "event", "encounter", "period", "interval", "range"])
"""Words that say nothing beside a time that was read, and are a time of their own without one."""
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_CLOCKS = re.compile(
    rf"(?:\b(?:from|between|at)\s+)?(?<![\d:T-])(?P<first>{_CLOCK})\s*(?:UTC?\s*)?(?:-|–|\bto\b|\buntil\b|\band\b)\s*"
    rf"(?P<second>{_CLOCK})(?![\d:])(?:\s*(?:UTC?|Z)\b)?",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:for|in|during|over|on|throughout|within)\s+|from\s+(?=(?:the\s+)?(?:last|past|this|current|previous)\b)",
    re.IGNORECASE,
)
"""What leads to a time in a sentence and is no part of it."""


class Sentence:
    """One request.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(re.sub(r"['’](?:s|d|m|ll|ve)\b", "", text).split())
        self._left = self.text
        self._timed = False

    def before(self, place: int) -> str:
        """What stands before a place in the sentence, whatever was taken out of it."""
        return self.text[:place]

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

    def adds(self) -> bool:
        """Whether something is to be added, so that ``it`` may be what is not there yet."""
        return re.search(r"\b(?:add|include|compute|overlay)\b", self.text, re.IGNORECASE) is not None

    def take_first(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """The first place of a pattern, taken out."""
        return next(self.take(pattern), None)

    def take_text(self, pattern: str) -> str:
        """The first group of the first place of a pattern, taken out; empty where there is none."""
        found = self.take_first(pattern)
        return found[1] if found else ""

    def drop(self, pattern: str | re.Pattern[str]) -> int:
        """Take out every place of a pattern, and count them."""
        return sum(1 for _ in self.take(pattern))

    def take_times(self, now: datetime) -> list[str]:
        """Phrases that are times from end to end, the longest first where they overlap, in their order."""
        found = list(self._clocks(now))
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
            if any(first <= span.stop - 1 and last >= span.start for span in taken):
                continue
            start, stop = words[first].start(), words[last].end()
            text = self._left[start:stop].rstrip(".?!:")
            if _TAKEN in text or not re.search(
                r"\d|last|past|this|current|previous|today|yesterday", text, re.IGNORECASE
            ):
                continue
            if re.fullmatch(r"\d{1,3}", text) or not _is_time(text, now):
                continue
            taken.append(range(first, last + 1))
            lead = _LEAD.match(text)
            if lead and _is_time(text[lead.end() :], now):
                start, text = start + lead.end(), text[lead.end() :]
            found.append((start, text))
        for start, text in found:
            if self._left[start : start + len(text)] == text:
                self._remove(start, start + len(text))
        self.drop(rf"\b{_TIME_BEGINS}\s+(?={_TAKEN})")
        self._timed = bool(found)
        if found:  # the Halloween storm of 2003-10-29: a name of the time that was said
            self.drop(
                r"\b(?:the\s+)?(?-i:[A-Z][\w.]*)(?:\s+(?-i:[A-Z][\w.]*)){0,2}\s+(?:storm|substorm|event)s?\b"
            )
        return [text for _, text in sorted(found)]

    def _clocks(self, now: datetime) -> Iterator[tuple[int, str]]:
        """Two clocks beside one day: ``2 January 2023 from 10:00 to 12:00``, ``10:00-12:00 on 2 January 2023``."""
        for clocks in list(_CLOCKS.finditer(self._left)):
            ahead = list(_WORD.finditer(self._left[: clocks.start()]))
            behind = list(_WORD.finditer(self._left, clocks.end()))
            between = self._left[ahead[-1].end() : clocks.start()] if ahead else ""
            spans = [(ahead[-count].start(), ahead[-1].end()) for count in range(min(4, len(ahead)), 0, -1)]
            if between.strip(" ,"):
                spans = []
            if behind and behind[0][0].casefold() in ("on", "of", "in"):
                behind = behind[1:]
            spans += [
                (behind[0].start(), behind[count - 1].end()) for count in range(min(4, len(behind)), 0, -1)
            ]
            for start, stop in spans:
                day = self._left[start:stop].rstrip(".?!:")
                if not re.search(r"\d|today|yesterday", day, re.IGNORECASE) or not _is_time(day, now):
                    continue
                span = parse_time_range(day, now)
                date = f"{span.start:%Y-%m-%d}T"
                text = f"{date}{_full(clocks['first'])} to {date}{_full(clocks['second'])}"
                if (span.stop - span.start).days != 1 or re.search(r"\d:\d", day) or not _is_time(text, now):
                    continue
                self._remove(*clocks.span())
                self._remove(start, start + len(day))
                yield min(start, clocks.start()), text
                break

    def joins_times(self) -> bool:
        """Whether a time that was taken is to stand beside another one: ``also for 2023-01-03``."""
        return self.has(rf"\b(?:also|add|additionally|plus)\s+{_TAKEN}|{_TAKEN}[\s,]*(?:too|as well|also)\b")

    def unread(self) -> tuple[str, ...]:
        """The words that are left and mean something."""
        harmless = _HARMLESS | _OF_A_TIME if self._timed else _HARMLESS
        words = re.findall(r"[^\s\x1f,;:.?!()\"'“”‘’]+", self._left)
        return tuple(
            dict.fromkeys(
                word
                for word in words
                if word.strip("-–/+&_").casefold() not in harmless and re.search(r"\w", word)
            )
        )

    def _remove(self, start: int, stop: int) -> None:
        self._left = self._left[:start] + _TAKEN * (stop - start) + self._left[stop:]


def _full(clock: str) -> str:
    """A clock with two digits for its hour."""
    return clock.zfill(len(clock) + 1) if clock.index(":") == 1 else clock


def _is_time(text: str, now: datetime) -> bool:
    try:
        parse_time_range(text, now)
    except TimeRangeError:
        return False
    return True
