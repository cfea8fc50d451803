"""The modes in which instruments take data, and how names of datasets and parameters say them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from helio.patterns import ignoring_case

Data = TypeVar("Data")

_SPINS = (2.5, 22.5)
"""Shortest and longest period, in seconds, of the spins that data are averaged over."""


@dataclass(frozen=True)
class Mode:
    """A mode of data.

    Parameters
    ----------
    name : str
    phrases : str
        Regular expression of the words that name it.
    marks : tuple of str
        Regular expressions of the ids, parameters and titles of its data; a later one counts if no data have an
        earlier one.
    required : bool
        Whether data of another mode are something else, so that helio refuses to take them instead.
    """

    name: str
    phrases: str
    marks: tuple[str, ...]
    required: bool = True

    def is_of(self, name: str) -> bool:
        """Return whether an id or a parameter has one of the marks."""
        return any(is_of_mode(name, mark) for mark in self.marks)


LEVELS = tuple(f"level {number}" for number in (2, 3, 4))
"""Levels of processing."""
_IDS = ("H0", "H1", "H2", "H3", "H4", "H5", "H6", "K0", "K1", "K2", "M0", "M1")
VERSIONS = (*_IDS, "nonlinear", "ground-computed", "hires", "SWICS 1.1")
"""Versions of the data of one instrument; most are named by a piece of the ids."""
_RESOLUTION = r"(?:[- ](?:res(?:olution)?|cadence|rate|mode|data))"
MODES = (
    Mode("burst", rf"(?:burst|brst)(?:{_RESOLUTION}|[- ]survey)?", (r"BRST|[_-]BURST|th[a-e]_p[es][ei]b_",)),
    Mode("fast", r"fast(?:[- ](?:mode|survey(?:[- ]mode)?))?", (r"_FAST_", r"_SRVY_|th[a-e]_p[es][ei]f_")),
    Mode("slow", r"slow(?:[- ](?:mode|survey(?:[- ]mode)?))", (r"_SLOW_", r"_SRVY_")),
    Mode("survey", rf"(?:survey|srvy|svy){_RESOLUTION}?", (r"_SRVY_|SVY|SURVEY|_SURV", r"_FAST_"), required=False),
    Mode("normal", r"normal[- ]mode", (r"NORMAL",), required=False),
    Mode("full", r"(?<!the )full(?:[- ](?:mode|distributions?)|(?=\s\x01))", (r"th[a-e]_p[es][ei]f_",), required=False),
    Mode("reduced", r"reduced[- ]mode", (r"th[a-e]_p[es][ei]r_",)),
    Mode(
        "spin",
        rf"spin(?:{_RESOLUTION}|[- ](?:averaged?|avgd?\.?|fits?|period))(?:[- ](?:mode|data))?",
        (r"SPIN|SCI-L2SA|th[a-e]_fgs_|th[a-e]_ef[sf]_|SPINFIT",),
        required=False,
    ),
    Mode(
        "merged",
        r"(?:merged|(?:merged\s+)?COHO(?:[- ]?web|[- ]?1HR)?(?:\s+merged)?)(?:\s+data)?",
        (r"COHO|MERGED|MRG",),
    ),
    Mode("key parameters", r"key[- ]param(?:eter)?s?|KP[- ]data", (r"_K[0-2]_|_KP-",)),
    Mode("prime parameters", r"prime[- ]param(?:eter)?s?", (r"_PP_",)),
    Mode("CAA", r"CAA", (r"_CP_",)),
    Mode(
        "ground-computed",
        r"ground[- ](?:(?:calculated|computed)[- ])?moments?",
        (r"GMOM|GRND|(?i:ground-calculated)",),
    ),
    Mode("nonlinear", r"non-?lin(?:ear)?\b(?:[- ](?:fit(?:s|ted|ting)?|analysis))?", (r"_nonlin\b",)),
    Mode("hires", r"hi-?res", (r"HIRES",)),
    Mode("SWICS 1.1", r"SWI1", (r"SWICS 1\.1",)),
    *(
        Mode(version, rf"(?-i:{version})(?![+])(?:[- ](?:data|products?))?", (rf"_{version}_",))
        for version in _IDS
    ),
    Mode("moment", r"(?<!plasma )(?<!wind )(?<!SW )moments?(?: analysis)?", (r"_moment\b",), required=False),
    Mode("real-time", r"(?:near[- ])?real[- ]?time|NRT", (r"_K[01]_|_LL0\d_",)),
    Mode("on-board", r"(?:(?:computed|calculated)[- ])?on-?board(?:[- ](?:computed|calculated))?", (r"(?i)on-?board",)),
    *(
        Mode(
            level,
            rf"(?:(?:lev(?:el)?[-_ ]?|L-?){level[-1]}[a-z]?)(?:[- ](?:data|products?))?(?!\.?\d|\s*(?:RE|R_E|Earth)\b)",
            (rf"(?i)(?<![a-z0-9])l(?:ev(?:el)?)?[-_ ]?{level[-1]}(?!\d)",),
        )
        for level in LEVELS
    ),
)  # fmt: skip
ALWAYS = ("burst", "spin")
"""Modes whose names mean nothing else, so that helio refuses them where there are no such data."""
ON_REQUEST = ("burst", "moment")
"""Modes whose data helio takes only where the request names them."""
PRODUCTS = ("key parameters", "prime parameters", "CAA")
"""Modes that are collections of data of many instruments."""
BY_NAME = {mode.name: mode for mode in MODES}


def is_mode(words: str) -> bool:
    """Return whether words name a mode.

    >>> is_mode("fast-mode"), is_mode("fast solar wind")
    (True, False)
    """
    return any(ignoring_case(mode.phrases).fullmatch(words) for mode in MODES)


def in_kinds(modes: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return the modes, the versions and the levels of processing as lists, without an empty one; data have all."""
    versions, levels = ([mode for mode in modes if mode[0] in names] for names in (VERSIONS, LEVELS))
    others = [mode for mode in modes if mode not in (*versions, *levels)]
    return [kind for kind in (others, versions, levels) if kind]


def is_of_mode(name: str, mark: str) -> bool:
    """Return whether an id or a parameter has the mark of a mode."""
    return re.search(mark, name) is not None


def in_modes(
    modes: Sequence[str], data: Sequence[tuple[Data, str, float | None]]
) -> tuple[list[Data], tuple[str, ...]]:
    """Choose the data of some modes; return them, and the modes of which there are none.

    Parameters
    ----------
    data : sequence of (object, str, float or None)
        Each with its id, parameters and title as one text, and its cadence in seconds.

    >>> in_modes(["survey"], [("a", "MMS1_FPI_FAST_L2", None), ("b", "MMS1_FPI_BRST_L2", None)])
    (['a'], ())
    >>> in_modes(["slow"], [("a", "MMS1_FPI_FAST_L2", None)])
    ([], ('slow',))
    """
    chosen: list[Data] = []
    absent: list[str] = []
    for mode in modes:
        found: list[Data] = []
        for mark in BY_NAME[mode].marks:
            found = found or [datum for datum, name, _ in data if is_of_mode(name, mark)]
        if mode == "spin":
            shortest, longest = _SPINS
            found = found or [
                datum for datum, _, cadence in data if cadence and shortest <= cadence <= longest
            ]
        chosen += [datum for datum in found if datum not in chosen]
        if not found:
            absent.append(mode)
    return chosen, tuple(absent)
