"""Find the typed parts of a sentence about a figure: verbs, names of settings, values, panels and times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from helio.authoring.rules.computed import tool_names
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.named import names_of_spacecraft
from helio.authoring.rules.sentence import HARMLESS, Sentence
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.quantity_words import COMPONENTS, WORDS
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.vocabulary import VOCABULARY
from helio.steps.render.colours import CSS_NAMES
from helio.steps.signature import signatures

CHANGES = VOCABULARY["changes"]
COLOURS = "|".join(VOCABULARY["colours"])
"""Regular expression of the most usual colours."""
SOFT = (HARMLESS | frozenset(VOCABULARY["edit verbs"])) - {
    "against",
    "versus",
    "vs",
    "component",
    "components",
}
"""Words without meaning for a change of a figure."""
_TAKEN = "\x1f"
_NUMBER = r"[-−+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?!\w*\d|\.\d)"
_SPELT = {
    "zero": 0.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "ten": 10.0,
}
_UNITS = (
    "nT|pT|km/s|m/s|nPa|Pa|keV|MeV|eV|MK|K|kelvin|electronvolts?|electron volts?|R_E|RE|AU|km|mV/m|kHz|Hz|deg|"
    "degrees|"
    r"c?m\^?-3|cm⁻³|1/cc|/cc|per cc|particles per cc|W/m\^?2|pfu|%"
)
_UNIT = rf"(?P<of>(?-i:{_UNITS}))(?![\w/^-])"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:UTC?|Z)?"
_DATE = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}})"
    rf"?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?(?!\d))"
)
MOMENT = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?Z?|{_DATE},?\s+(?:at\s+)?{_CLOCK}"
    rf"|{_CLOCK}(?:\s*,?\s*(?:on\s+(?:the\s+)?)?{_DATE})?|{_DATE})"
)
_LENGTHS = "ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|months?|years?"
_ORDINALS = {
    **{name: at for at, name in enumerate((
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    ), 1)},
    **{f"{at}{ending}": at for at, ending in ((1, "st"), (2, "nd"), (3, "rd"), *((at, "th") for at in range(4, 20)))},
    "top": 1, "upper": 1, "uppermost": 1, "topmost": 1, "last": -1, "bottom": -1, "lowest": -1, "lower": -1,
    "final": -1, "lowermost": -1, "middle": 0,
}  # fmt: skip
_PANEL = r"(?:panels?|subplots?|subpanels?|rows?|plots?|axes|axis|boxe?s?|place)"
_PANEL_ONLY = r"(?:panels?|subplots?|subpanels?)"
ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_LETTERS = (
    r"\b(?:(?:letters?|labels?)\s+)?\(?a\)(?:\s*(?:,|;|/|&|and|to|-|–|\.\.+|…)?\s*\(?[b-z]\))+(?:[\s,]*(?:etc\.?|…|\.\.\.))?"
    r"|(?<!\w)\(a\)(?:\s*(?:,|;|/|&|and|to|-|–|\.\.+|…)?\s*\([b-z]\))+(?:[\s,]*(?:etc\.?|…|\.\.\.))?"
    r"|\b(?:letters?|labels?)\s+a(?:\s*(?:,|/|&|and|to|-|–|\.\.+|…)\s*[b-z])+\b(?:[\s,]*(?:etc\.?|…|\.\.\.))?"
)
"""Regular expression of the letters of panels: ``(a) and (b)``, ``letters a, b, c``."""
_COUNT = r"\d{1,2}|one|two|three|four|five|six"
_SHADES = (
    "dark", "light", "medium", "deep", "pale", "hot", "royal", "sky", "forest", "lime", "sea", "steel", "dim", "slate",
    "midnight", "spring", "lawn", "dodger", "powder", "baby", "bright",
)  # fmt: skip
_OTHER_SHADES = {
    "babyblue": "lightblue",
    "brightred": "red",
    "deepblue": "darkblue",
    "deepred": "darkred",
}
_COLOUR = "|".join(sorted({*CSS_NAMES, *VOCABULARY["colours"]}, key=len, reverse=True))
_SHADED = "|".join(
    rf"{shade}[\s-]+{name}"
    for shade in _SHADES
    for name in sorted({*CSS_NAMES, *VOCABULARY["colours"]})
    if f"{shade}{name}" in {*CSS_NAMES, *_OTHER_SHADES}
)
SHADED = rf"\b(?:very\s+)?(?:{_SHADED})\b"
"""Regular expression of colours of two words, such as ``dark red``."""
_SCALES = (
    "viridis|turbo|spedas|plasma|magma|inferno|cividis|jet|hot|greys|blues|rainbow|hsv|rdbu|portland|"
    "ylorrd|electric|blackbody|thermal"
)
_THEMES = "plotly_white|plotly_dark|plotly|ggplot2|seaborn|simple_white|presentation"
_FORMATS = "png|pdf|svg|html"
_TABLES = "excel|spreadsheet|csv|cdf|netcdf|nc|parquet"
_LEVELS = {
    r"(?:geomagnetic\s+)?storm\s+(?:levels?|thresholds?|classes|categories)": "storms",
    r"flare\s+(?:levels?|classes|class\s+lines)": "flares",
    r"(?:Kp|G|NOAA\s+G)[- ]?(?:levels?|scale)": "Kp",
    r"(?:S|proton|radiation\s+storm)[- ]levels?": "protons",
}
_TABLE_NAMES = {"nc": "netcdf", "excel": "csv", "spreadsheet": "csv"}
_DASHES = {
    **VOCABULARY["dashes"], "dash": "dash", "dashes": "dash", "dots": "dot", "dash-dot": "dashdot",
    "dash dotted": "dashdot",
    "dashdot": "dashdot", "long-dashed": "longdash", "long dashed": "longdash", "continuous": "solid", "broken": "dash",
}  # fmt: skip
_DASHED = "|".join(sorted(_DASHES, key=len, reverse=True))
_JOINT = r"(?:of(?:\s+the)?|from(?:\s+the)?|at|the|'s|on)"
QUOTES = re.compile(r"[\"“„](?P<a>[^\"”“]+)[\"”“]|(?<!\w)['‘](?P<b>[^'’]+(?:['’]\w[^'’]*)*)['’](?!\w)")
_TITLE_ENDS = (
    r"(?=\s*(?:[;\x1f]|\.(?:\s|$)|$)|,\s|,?\s+(?:and|then|but)\s+(?:also\s+)?(?:the\s+)?(?:add|use|make|remove|"
    r"draw|plot|show|set|change|put|"
    r"drop|colou?r|delete|turn|move|hide|dates?|time|call|log|swap|with)\b)"
)


@dataclass(frozen=True)
class Atom:
    """A part of a sentence with a type.

    Parameters
    ----------
    kind : str
        ``verb``, ``noun``, ``rel``, ``what``, ``panel``, or the type of a value, such as ``colour`` or ``number``.
    value : Any
        What the words mean; for names the words themselves.
    start, stop : int
        Where the words are in the sentence.
    text : str
        The words.
    """

    kind: str
    value: Any
    start: int
    stop: int
    text: str

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the names by which a rule may ask for the atom: its kind, and its kind with its value."""
        kinds = (self.kind, "what") if self.kind == "craft" else (self.kind,)
        return (
            kinds
            if not isinstance(self.value, str)
            else (*kinds, f"{self.kind}:{self.value.replace(' ', '_')}")
        )


@dataclass(frozen=True)
class Range:
    """Limits of an axis; None for a limit that is not named, both None for automatic limits."""

    low: float | None = None
    high: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Number:
    """A number with its unit, which may be empty."""

    value: float
    unit: str = ""


def read_atoms(text: str, now: datetime) -> list[Atom]:
    """Return the typed parts of a sentence in order; words without meaning are left out."""
    return _Reader(text, now).read()


def number_of_text(text: str) -> float:
    """Return the number that digits or a word mean.

    >>> number_of_text("-1e3"), number_of_text("zero")
    (-1000.0, 0.0)
    """
    plain = text.casefold().replace("−", "-")
    return _SPELT[plain] if plain in _SPELT else float(plain)


@lru_cache(maxsize=1)
def grammar_words() -> frozenset[str]:
    """Return the words of the grammar: of its tables, and those without meaning."""
    phrases = [phrase for table in CHANGES.values() for row in table.values() for phrase in row]
    words = {word for phrase in phrases for word in re.findall(r"\b[a-z]{4,}\b(?!~)", phrase)}
    words |= {f"{word}s" for word in words} | SOFT | set(VOCABULARY["colours"]) | set(_DASHES)
    spelt = [phrase for row in VOCABULARY["computations"].values() for phrase in row]
    spelt += [phrase for row in WORDS for phrase in row.phrases]
    words |= {word for phrase in spelt for word in re.findall(r"\b[a-z]{4,}\b(?!~)", phrase.casefold())}
    return frozenset(
        words | {"until", "logarithmic", "linear", "median", "average", "minutes", "hours", "seconds"}
    )


def shaded(match: re.Match[str]) -> str:
    """Return the name of a colour of two words, as `SHADED` matches it."""
    joined = re.sub(r"[\s-]+|very", "", match[0].casefold())
    return _OTHER_SHADES.get(joined, joined)


class _Reader:
    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.left = text
        self.now = now
        self.atoms: list[Atom] = []

    def take(
        self,
        kind: str,
        pattern: str | re.Pattern[str],
        value: Callable[[re.Match[str]], Any] | str | None = None,
    ) -> None:
        """Take every match of a pattern in the unread rest as an atom; a value of None takes the words themselves."""
        compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, re.IGNORECASE)
        left, at = self.left, 0
        while match := compiled.search(left, at):
            at = match.start() + 1
            if _TAKEN in match[0]:
                continue
            at = max(at, match.end())
            meant = match[0] if value is None else value if isinstance(value, str) else value(match)
            self.put(kind, meant, *match.span())

    def put(self, kind: str, value: Any, start: int, stop: int) -> None:
        self.atoms.append(Atom(kind, value, start, stop, self.text[start:stop]))
        self.left = self.left[:start] + _TAKEN * (stop - start) + self.left[stop:]

    def read(self) -> list[Atom]:
        self._texts()
        for pattern, name in _compiled(
            "rel", tuple((name, tuple(CHANGES["relations"][name])) for name in ("two sides", "right axis"))
        ):
            self.take("rel", pattern, name)
        self.take("arrow", r"(?:→|-+>|=+>)")
        self.take("levels", rf"\b(?:the\s+)?(?:named\s+)?(?:{'|'.join(_LEVELS)})\b", _level)
        self._numbers()
        self._times()
        self._values()
        self._panels()
        self._phrases()
        self._names()
        self.atoms = list(_with_arrows(self.atoms))
        atoms = list(_runs(sorted(self.atoms, key=lambda atom: atom.start), self.text))
        return [self._as_duration(atom, atoms) for atom in atoms]

    def _as_duration(self, atom: Atom, atoms: list[Atom]) -> Atom:
        """Read a bare number as a duration if it is compared with one: ``30 minutes instead of 10``."""
        count = _count(atom)
        if not count:
            return atom
        for neighbour in atoms:
            between = self.text[min(atom.stop, neighbour.stop) : max(atom.start, neighbour.start)]
            joint = re.fullmatch(
                r"\s*(?:to|,?\s*instead of|rather than|,?\s*not|in place of)\s+(?:the\s+)?",
                between,
                re.IGNORECASE,
            )
            if neighbour.kind == "duration" and joint:
                letters = re.search(r"[a-z]+$", neighbour.value)
                return replace(atom, kind="duration", value=f"{count}{letters[0] if letters else ''}")
        return atom

    def _texts(self) -> None:
        for match in list(QUOTES.finditer(self.left)):
            self.put("text", (match["a"] or match["b"]).strip(), *match.span())
        to = r"(?:to|as|should\s+(?:be|read|say)|is|be|reads?|into)"
        named = re.compile(
            rf"\b(?P<noun>(?:sub)?title)(?:\s+of\s+(?:the\s+)?(?:figure|plot))?(?:\s*[:=]\s*|\s+{to}\s+)"
            rf"(?P<text>[^\x1f;]+?){_TITLE_ENDS}"
            rf"|\b(?P<verb>titled|entitled)\s*:?\s+(?P<name>[^\x1f;]+?){_TITLE_ENDS}"
            rf"|\b(?P<call>(?:call|name)\s+(?:it|(?:the\s+|this\s+)?(?:figure|plot))"
            rf")\s+(?P<called>[^\x1f;]+?){_TITLE_ENDS}",
            re.IGNORECASE,
        )
        for match in list(named.finditer(self.left)):
            name = next(key for key in ("text", "name", "called") if match[key])
            noun = match["noun"] or "title"
            self.put("noun", noun.casefold(), match.start(), match.start(name))
            self.put(
                "text", re.sub(r"\s+please$", "", match[name].strip(), flags=re.IGNORECASE), *match.span(name)
            )

    def _numbers(self) -> None:
        not_time = rf"(?!\s*(?:UTC?|{_MONTH}|[-–]?\s*(?:{_LENGTHS}))\b|\s*(?:pixels?|px)\b|-?\d|:\d)"
        unit = rf"(?:\s*{_UNIT})?".replace("?P<of>", "?P<{}>")
        one, two = unit.format("u1"), unit.format("u2")
        low = rf"(?P<low>{_NUMBER}|zero)"
        high = rf"(?P<high>{_NUMBER}|zero)"

        def bounds(match: re.Match[str]) -> Range:
            values = [number_of_text(match[name]) for name in ("low", "high")]
            first, last = match["u1"], match["u2"]
            if first and last and first != last and comparable(first, last):  # 50 Hz to 1 kHz
                values[1] = float(f"{values[1] * conversion_factor(last, first):.12g}")
                last = first
            return Range(min(values), max(values), last or first or "")

        def is_range(match: re.Match[str]) -> bool:
            years = [re.fullmatch(r"(?:19|20)\d\d", match[name]) for name in ("low", "high")]
            ahead = "" if match[0][:1].isalpha() else self.text[: match.start()]
            return not all(years) and not re.search(
                rf"(?:{_PANEL_ONLY}|rows?|{_MONTH}|\d{{4}}|DOY|days?|energ(?:y|ies)|channels?|bands?)\s*$",
                ahead,
                re.IGNORECASE,
            )

        for pattern in (
            rf"(?:±|\+/?-)\s*(?P<high>(?:\d+(?:\.\d+)?)){two}(?P<low>)(?P<u1>)",
            rf"[\[(]\s*{low}{one}\s*,\s*{high}{two}\s*[\])](?:{two.replace('u2', 'u3')})",
            rf"(?:\bbetween\s+)(?<![\w.:-]){low}{one}\s*(?:and|to|-|–|,)\s*{high}{two}(?![\w:]){not_time}",
            rf"(?:\bfrom\s+)?(?<![\w.:-]){low}{one}\s*(?:\bto\b|\.\.+|…|–|\buntil\b|\bup to\b|-(?=\d)"
            rf")\s*{high}{two}(?![\w:-]){not_time}",
        ):
            compiled, at = re.compile(pattern, re.IGNORECASE), 0
            while match := compiled.search(self.left, at):
                at = match.start() + 1
                if pattern.startswith("(?:±"):
                    top = float(match["high"])
                    self.put("range", Range(-top, top, match["u2"] or ""), *match.span())
                elif is_range(match):
                    self.put("range", bounds(match), *match.span())
        value = rf"(?P<number>{_NUMBER}|zero)\s*(?:{_UNIT})?(?![\w:]){not_time}"
        self.take(
            "bound",
            rf"\b(?:(?:not?\s+)?(?:above|over|at least|minimum(?:\s+of)?|min(?:imum)?|lowest|lower limit|floor)"
            rf"(?:\s+(?:of|to|at|is|=))?)\s*(?:value\s+)?(?<![\w-]){value}|(?:>=?|"
            rf"≥)\s*{value.replace('?P<number>', '?P<number2>').replace('?P<of>', '?P<of2>')}",
            lambda match: Range(
                number_of_text(match["number"] or match["number2"]), None, match["of"] or match["of2"] or ""
            ),
        )
        self.take(
            "bound",
            rf"\b(?:below|at most|up to|maximum(?:\s+of)?|max(?:imum)?|highest|upper limit|capped at|ceiling|"
            rf"under)(?:\s+(?:of|to|at|is|=))?\s*(?<![\w-]){value}|(?:<=?|"
            rf"≤)\s*{value.replace('?P<number>', '?P<number2>').replace('?P<of>', '?P<of2>')}",
            lambda match: Range(
                None, number_of_text(match["number"] or match["number2"]), match["of"] or match["of2"] or ""
            ),
        )
        self.take(
            "bound",
            r"\b(?:where|when)\s+(?:it\s+is\s+|b_?z\s+is\s+)?(?:negative|southward)\b"
            r"|\b(?:negative|southward)(?:\s+(?:values|parts?|bz))?(?=\s+(?:filled|shaded)\b)",
            lambda match: Range(None, 0.0),
        )
        self.take(
            "size",
            r"(?<![\w.-])(?P<w>\d{3,4})\s*(?:px|pixels)?\s*(?:x|×|by)\s*(?P<h>\d{3,5})(?:\s*(?:px|pixels))?\b",
            lambda match: (int(match["w"]), int(match["h"])),
        )
        self.take(
            "width",
            r"(?<![\w.-])(?P<number>\d+(?:\.\d+)?)[\s-]*(?:px|pixels?)(?:\s+(?:wide|thick|width))?\b|"
            r"(?<![\w.-])(?P<pt>\d+(?:\.\d+)?)\s*(?:pt|points?)\s+(?:wide|thick)\b",
            lambda match: float(match["number"] or match["pt"]),
        )
        self.take(
            "printed",
            r"(?<![\w.-])\d+(?:\.\d+)?\s*(?:mm|cm|pt)\b",
            lambda match: " ".join(re.findall(r"[\d.]+|[a-z]+", match[0].casefold())),
        )
        self.take("factor", r"\b(?:double|twice(?:\s+as)?|2x|two times(?:\s+as)?)\b", lambda match: 2.0)
        self.take(
            "factor",
            r"\b(?:half(?:\s+as|\s+the)|halve|three times(?:\s+as)?|triple)\b",
            lambda match: 3.0 if match[0].casefold().startswith("t") else 0.5,
        )
        self.take(
            "number",
            rf"(?<![\w.:-])(?P<number>{_NUMBER})\s*{_UNIT}{not_time}",
            lambda match: Number(number_of_text(match["number"]), match["of"]),
        )

    def _times(self) -> None:
        before = self.left
        sentence = Sentence.masked(before)
        times = sentence.take_times(self.now)
        after = sentence.left
        taken = [
            at
            for at in range(len(before))
            if before[at] != after[at] or (before[at] == " " and after[at : at + 1] == _TAKEN)
        ]
        at = 0
        for time in times:
            where = before.find(time, at)
            start = where if where >= 0 else next((place for place in taken if place >= at), at)
            stop = start + len(time) if where >= 0 else max(taken, default=start) + 1
            self.put("time", time, start, stop)
            at = stop
        for place in taken:  # words before a time, such as "during"
            self.left = self.left[:place] + _TAKEN + self.left[place + 1 :]
        for match in list(
            re.finditer(r"\b(?:years?|days?|dates?|months?)\s+(?:of\s+)?(?=\x1f)", self.left, re.IGNORECASE)
        ):
            self.left = self.left[: match.start()] + _TAKEN * len(match[0]) + self.left[match.end() :]
        self.take("moment", rf"(?<![\w:-]){MOMENT}(?![\w:-])")
        self.take(
            "duration",
            r"\b(?:hourly|daily|minutely)\b",
            lambda match: {"h": "1h", "d": "1d", "m": "1min"}[match[0][0].lower()],
        )
        for match in re.finditer(rf"(?<![\w.]){duration_pattern()}", self.left, re.IGNORECASE):
            if re.search(r"\b(?:more|extra|additional)\b", match[0], re.IGNORECASE):
                self.atoms.append(Atom("rel", "more", match.start(), match.start(), ""))
        self.take(
            "duration",
            rf"(?<![\w.]){duration_pattern()}(?:[\s-]+(?:long|wide)\b)?",
            lambda match: duration_in(match),
        )

    def _values(self) -> None:
        self.take(
            "palette",
            r"\b(?:an?\s+)?(?:(?:palette|colou?rs)"
            r"\s+(?:that|for)\s+(?:(?:the|my|our)\s+)?)?colou?r-?\s?blind(?:[ -](?:safe|friendly))"
            r"?"
            r"(?:\s+(?:palette|colou?rs|people|readers?|friends?|colleagues?|viewers?|students?))*"
            r"(?:\s+can\s+(?:read|see|tell apart))"
            r"?\b|\bcolou?r-?\s?blind\w*|\bokabe[- ]?ito\b",
            "okabe-ito",
        )
        self.take("palette", r"\btplot\b", "tplot")
        self.take(
            "theme",
            r"\b(?:dark|white|light)\s+(?=(?:theme|background|mode|style)\b)",
            lambda match: "dark" if match[0].casefold().startswith("dark") else "white",
        )
        self.take("theme", r"\bwhite on (?:a )?black(?: background)?\b", "dark")
        self.take("theme", r"\bblack on (?:a )?white(?: background)?\b", "white")
        self.take("theme", rf"\b(?:{_THEMES})\b", lambda match: match[0].casefold())
        self.take(
            "colormap",
            rf"\b(?:{_SCALES})\b(?=\s*(?:colou?r|map|scale|palette|$|[,.;]|instead|please|for\b|and\b|rather))",
            lambda match: match[0].casefold(),
        )
        self.take("colour", r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b", lambda match: match[0].casefold())
        self.take("colour", SHADED, shaded)
        self.take(
            "colour",
            rf"(?<![\w|])(?:{_COLOUR})\b(?!\s+(?:line|hole)s? of)",
            lambda match: match[0].casefold(),
        )
        self.take(
            "dash",
            rf"(?<!\bas )(?<!\bwith )(?<!\busing )\bdots\b|\b(?!dots\b)(?:{_DASHED})\b",
            lambda match: _DASHES[match[0].casefold()],
        )
        self.take("scale", r"\bsym(?:metric(?:al)?)?[- ]?log(?:arithmic)?\b", "symlog")
        self.take("scale", r"\b(?:semi-?)?log(?:arithmic(?:ally)?|10|-?scaled?)?\b|\blogarithm\b", "log")
        self.take(
            "scale",
            r"\b(?:non-?log(?:arithmic)?|linear(?:ly)?|lin)\b(?!\s+(?:fit|trend|threshold))",
            "linear",
        )
        self.take(
            "auto",
            r"\b(?:auto(?:matic(?:ally)?)?[\s-]?(?:scal(?:e|ed|ing)|range[ds]?)?|free range|full range)\b",
        )
        self.take(
            "frame",
            rf"\b(?:{'|'.join(FRAMES)})(?:[\s-]+(?:coordinates?|frame|system|components?))*(?![\w-])",
            lambda match: match[0].split()[0].split("-")[0].upper(),
        )
        self.take("unit", rf"(?<![\w/^|.-])(?!(?<!\bin )(?<!\bto )(?<!\binto )(?-i:AU)\b){_UNIT}")
        self.take(
            "format", rf"\b(?:{_FORMATS})\b(?:\s+files?)?", lambda match: match[0].split()[0].casefold()
        )
        self.take(
            "table",
            rf"\b(?:(?:one|a\s+single|the\s+same|a\s+common)\s+)?(?P<form>{_TABLES})\b(?:\s+files?)?",
            lambda match: _TABLE_NAMES.get(match[0].split()[0].casefold(), match[0].split()[0].casefold()),
        )
        for mode, phrases in CHANGES["modes"].items():
            self.take("mode", rf"\b(?:{any_phrase(phrases)})\b", mode)

    def _panels(self) -> None:
        self.take("letters", _LETTERS)
        self.take(
            "panel",
            rf"\b(?:the\s+)?{_PANEL_ONLY}\s*\(?(?P<letter>(?-i:[a-h]))\)",
            lambda match: (ord(match["letter"]) - ord("a") + 1,),
        )

        def numbers(match: re.Match[str]) -> tuple[int, ...]:
            words = re.findall(r"\d+|[a-z]+", match["which"].casefold())
            found = [
                int(word) if word.isdigit() else int(_SPELT[word])
                for word in words
                if word.isdigit() or word in _SPELT
            ]
            if re.search(r"\bto\b|-|–|\bthrough\b", match["which"]) and len(found) == 2:
                return tuple(range(found[0], found[1] + 1))
            return tuple(found)

        which = rf"(?P<which>(?:{_COUNT})\b(?:\s*(?:,|and|&|to|through|-|–|,\s*and)\s*(?:{_COUNT})\b)*)"
        self.take(
            "panel",
            rf"\b(?:the\s+)?{_PANEL_ONLY}\s*(?:number\s+|no\.?\s*|#)"
            rf"?{which}(?!\s*(?:{duration_pattern('8')[:0]}px|mm|cm|times))",
            numbers,
        )
        self.take(
            "panel",
            rf"\b(?:the\s+)?(?P<names>(?:{ORDINAL})(?:\s*(?:,|and|&)\s*(?:the\s+)?(?:{ORDINAL}))"
            rf"*)\s+(?:(?P<count>{_COUNT})\s+)?(?:{_PANEL}|one|ones)\b",
            _ordinals,
        )
        self.take(
            "panel",
            rf"\b(?:for|of|in)\s+(?:the\s+)?(?P<names>{ORDINAL})(?P<count>)\s*(?=$|[,;.\x1f]|(?:should|must|to|is)\b)",
            _ordinals,
        )
        self.take(
            "panel",
            rf"\b(?:all|every|each|both)\s+(?:of\s+)?(?:the\s+)?(?:{_COUNT}\s+)?{_PANEL_ONLY}\b",
            "every",
        )

    def _phrases(self) -> None:
        for pattern in _quantities("spectrogram"):  # its words also name axes and tools
            self.take("quantity", pattern)
        self.take("verb", r"\bout(?=\s*(?:$|[,.;!]|please\b|pls\b|thanks\b))(?<!\w\wom out)", "remove")
        self.take("noun", r"(?<![\w|])z(?=\s*[:=]|\s+of\s|\s*\x1f)", "z range")
        self.take("noun", r"(?<=\x1f[ -])y(?=\s*(?:$|[,.;]|please\b|for\b))", "y axis")
        # red, not blue; K, not eV
        self.take(
            "rel",
            r"(?<=[\w)\x1f|]),? +(?:and +)?not +(?=(?:the +|in +|an? +)?[^ ])(?!(?:to|be|show|draw|plot|"
            r"need|want|change|interest))(?<!do not )(?<!should not )(?<!is not )(?<!are not )(?<!does not )"
            r"(?<!need not )",
            "instead of",
        )
        for kind, table in (
            (
                "rel",
                {
                    name: CHANGES["relations"][name]
                    for name in (
                        "instead of",
                        "two sides",
                        "right axis",
                        "same panel",
                        "own panel",
                        "side by side",
                    )
                },
            ),
            ("noun", CHANGES["nouns"]),
            ("relative", CHANGES["relative"]),
            ("verb", CHANGES["verbs"]),
            ("paneltype", CHANGES["panel types"]),
            ("rel", CHANGES["relations"]),
        ):
            for pattern, name in _compiled(
                kind, tuple((name, tuple(phrases)) for name, phrases in table.items())
            ):
                self.take(kind, pattern, name)

    def _names(self) -> None:
        self.take(
            "every",
            r"\b(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:lines?|curves?|"
            r"traces?)\b|\beverything\b|\ball\s+of\s+(?:them|it)\b|\bit\s+all\b|\b(?:both|all)\s+(?:lines|"
            r"curves|traces)\b",
            "lines",
        )
        self.take("line", r"\b(?:lines|curves|traces)\b", "lines")
        self.take("line", r"\b(?:line|curve|trace)\b", "line")
        self.take(
            "craft", rf"(?<!solar )(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])", lambda match: match[0]
        )
        self.take(
            "word",
            r"\b(?:smoothed|averaged|cleaned|despiked|detrended)\b(?=\s+(?!over|with|by|to|and|in|using|out|at|"
            r"on)[\w|])",
        )
        for pattern in _quantities(""):
            self.take("quantity", pattern)
        for pattern, tool in _tools():
            self.take("tool", pattern, tool)
        self.take(
            "tool",
            r"\b(?:averag(?:e|es|ed|ing)|means?|bin(?:ned|ning)?|rebin(?:ned)?|re-?sampl\w+|downsampl\w+)\b",
            "resample",
        )
        self.take("tool", r"\bmedians?\b", "running_median")
        self.take(
            "word",
            r"\b(?:the\s+)?(?:(?:three|all|vector|field|single|individual)\s+)"
            r"*components\b|\b[xyzrtn][\s-]components?\b",
        )
        self.take(
            "number",
            rf"(?<![\w.:-])(?P<number>{_NUMBER})(?![\w:-])",
            lambda match: Number(number_of_text(match["number"])),
        )
        for match in list(re.finditer(r"[^\s\x1f,;:!?()\"“”&]+", self.left)):
            word = match[0].strip(".-–/+_")
            if not re.search(r"\w", word):
                continue
            start = match.start() + match[0].index(word)
            if word.casefold() not in SOFT or word in _instruments():
                self.put("word", word, start, start + len(word))


def _level(match: re.Match[str]) -> str:
    """Return the scale whose levels words name."""
    return next(name for pattern, name in _LEVELS.items() if re.search(pattern, match[0], re.IGNORECASE))


def _with_arrows(atoms: list[Atom]) -> Iterator[Atom]:
    """Read an arrow between two names as ``replace``; before a value it has no meaning."""
    ordered = sorted(atoms, key=lambda atom: atom.start)
    for at, atom in enumerate(ordered):
        if atom.kind != "arrow":
            yield atom
            continue
        beside = [ordered[place] for place in (at - 1, at + 1) if 0 <= place < len(ordered)]
        if len(beside) == len("AB") and all(atom.kind in _NAMES for atom in beside):
            yield replace(atom, kind="verb", value="replace")


def _count(atom: Atom) -> str:
    """Return the number that a part of a sentence is, if it has no unit, as digits."""
    if atom.kind == "number" and not atom.value.unit:
        return f"{atom.value.value:g}"
    return (
        f"{_SPELT[atom.text.casefold()]:g}" if atom.kind == "what" and atom.text.casefold() in _SPELT else ""
    )


def _ordinals(match: re.Match[str]) -> tuple[int, ...]:
    """Return panel numbers, negative from the end, 0 for the middle."""
    names = re.findall(ORDINAL, match["names"], re.IGNORECASE)
    places = [_ORDINALS[name.casefold()] for name in names]
    count = match["count"]
    if count:
        many = int(count) if count.isdigit() else int(_SPELT[count.casefold()])
        if many > 1:
            return tuple(range(1, many + 1)) if places[0] > 0 else tuple(range(-many, 0))
    return tuple(places)


@lru_cache(maxsize=16)
def _compiled(
    kind: str, table: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the pattern and the name of every row of a table."""
    del kind
    return tuple(
        (re.compile(rf"(?<![\w|-])(?:{any_phrase(phrases)})(?![\w|-])", re.IGNORECASE), name)
        for name, phrases in table
        if phrases
    )


@lru_cache(maxsize=1)
def _tools() -> tuple[tuple[re.Pattern[str], str], ...]:
    tools = [
        *VOCABULARY["computations"],
        *(name for name in signatures() if name not in VOCABULARY["computations"]),
    ]
    drawn = {
        "plot_data",
        "render_spec",
        "style_plot",
        "manage_plot",
        "fetch_data",
        "magnitude",
        "components",
        "save_data",
    }
    return tuple(
        (re.compile(rf"(?<![\w|-])(?:{tool_names(tool)})(?![\w|-])", re.IGNORECASE), tool)
        for tool in tools
        if tool not in drawn
    )


@lru_cache(maxsize=2)
def _quantities(word: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the quantities whose name contains a word."""
    patterns = [row.pattern for row in WORDS if word in row.quantity]
    patterns += [pattern for _, pattern in COMPONENTS if not word]
    return tuple(re.compile(rf"(?<![\w|])(?:{pattern})(?![\w|]|-\w)", re.IGNORECASE) for pattern in patterns)


@lru_cache(maxsize=1)
def _instruments() -> frozenset[str]:
    """Return the names in capital letters, such as HOPE and GOES, which in small letters are other words."""
    names = {name for row in SOURCES for name in (*row.instruments, row.spacecraft.partition("-")[0])}
    return frozenset(name for name in names if name.isupper() and len(name) > 2)


_NAMES = ("craft", "quantity", "word")


def _runs(atoms: list[Atom], text: str) -> Iterator[Atom]:
    """Join neighbouring words that name lines: ``smoothed Bz of ACE``; a spacecraft alone keeps its kind."""
    run: list[Atom] = []
    for atom in atoms:
        if run and not (atom.kind in _NAMES and _touch(text[run[-1].stop : atom.start])):
            yield _joined(run, text)
            run = []
        if atom.kind in _NAMES:
            run.append(atom)
        else:
            yield atom
    if run:
        yield _joined(run, text)


def _touch(between: str) -> bool:
    return re.fullmatch(rf"\s+(?:{_JOINT}\s+)*|[/|-]?", between, re.IGNORECASE) is not None


def _joined(run: list[Atom], text: str) -> Atom:
    if len(run) == 1 and run[0].kind == "craft":
        return run[0]
    start, stop = run[0].start, run[-1].stop
    both = re.search(r"\b(?:both|all|the (?:two|three|four))\s+(?:the\s+)?$", text[:start], re.IGNORECASE)
    if both and not re.search(r"[,;]", both[0]):
        start = both.start()
    return Atom("what", text[start:stop], start, stop, text[start:stop])


_COUNTED = re.compile(
    r"^(?:each\s+of\s+|both\s+|all\s+)?(?:the\s+)?(?:two|three|four|2|3|4|each|of)\s+(?=\w)", re.IGNORECASE
)


def plain_name(words: str) -> str:
    """Return the words that name a line, with the spacecraft first: ``Bz of ACE`` becomes ``ACE Bz``."""
    crafts = re.compile(
        rf"(?:\s+(?:of|from|at)(?:\s+the)?)?\s+(?P<craft>{names_of_spacecraft()})$", re.IGNORECASE
    )
    plain = _COUNTED.sub("both ", re.sub(r"^(?:the\s+)", "", words.strip(), flags=re.IGNORECASE))
    match = crafts.search(plain)
    if match and match.start() and match["craft"].casefold() in spellings():
        prefix = re.match(r"(?:both|all)\s+", plain, re.IGNORECASE)
        head = prefix[0] if prefix else ""
        return f"{head}{match['craft']} {plain[len(head) : match.start()]}"
    return plain


def with_value(atom: Atom, value: Any) -> Atom:
    """Return an atom with another value."""
    return replace(atom, value=value)
