"""Find the values in a sentence about a figure: texts, numbers, times, colours, frames, units and formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import BinWidth
from helio.authoring.rules.changes.atoms import (
    CHANGES,
    COUNT,
    Atom,
    Number,
    Range,
    UnreadWords,
    number_of_text,
)
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.date_pairs import MONTH
from helio.authoring.rules.times.durations import INTERVALS, duration_in, duration_pattern
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.phrases import TAKEN, any_phrase
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import canonical_unit
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case
from helio.steps.render.colours import CSS_NAMES
from helio.time_range import parse_time_range

COLOURS = "|".join(VOCABULARY["colours"])
"""Regular expression of the most usual colours."""
NUMBER = r"[-−+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?!\w*\d|\.\d)"
_UNITS = (
    "nT|pT|km/s|m/s|nPa|Pa|kV|keV|MeV|eV|MK|K|R_E|R[Ee]|AU|km|mV/m|kHz|Hz|deg|"
    "degrees|"
    r"c?m\^?-3|cm⁻³|1/cc|/cc|per cc|particles per cc|W/m\^?2|pfu|%"
)
UNIT_WORDS = {
    word: unit
    for unit in ("nT", "K", "MK", "eV", "keV", "nPa", "km", "km/s")
    for word in VOCABULARY["units"][unit]
}
"""Names of units in words, in small letters and in the singular or the plural."""
_WORDS_OF_UNITS = "|".join(sorted(UNIT_WORDS, key=len, reverse=True))
_UNIT = rf"(?P<of>(?:{_WORDS_OF_UNITS})s?|(?-i:{_UNITS}))(?![\w/^-])"
_SPELT_UNITS = {"degrees": "deg", "RE": "R_E"}
_SIZE = (
    r"(?<![\w.,:/^–−-])(?!0\d)(?P<size>(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?"
    rf"|{COUNT}|(?<!\band )(?<!\band a )half(?:\s+of)?(?:\s+an?)?)"
)
_SIZE_IN_UNIT = (
    rf"{_SIZE}[\s-]*(?P<unit>(?:{_WORDS_OF_UNITS})s?|(?-i:{_UNITS})|degree|°)"
    r"(?![\w/^]|\s+or\b|\s*(?:to|[-–])\s*\d)"
)
_BINS = r"(?:bins?(?:[\s-]?(?:widths?|sizes?))?|bin(?:ned|ning)|widths?\s+of\s+(?:the|each|all)\s+bins?)"
_LINKS = (
    r"(?:\s*[:=]\s*|\s+)(?:(?:of|with|in|to|by|an?|the|is|are|be|should|each|all|widths?|sizes?|steps?)\s+)*"
)
_IN_BINS = r"\b(?:(?:with|in|using|into)\s+)?(?:(?:an?|the|each|all)\s+)?"
BIN_WIDTHS = (
    rf"(?:{_IN_BINS})?(?<!\bto )(?<!\bor ){_SIZE_IN_UNIT}[\s-]+(?:wide\s+)?{_BINS}\b",
    rf"{_IN_BINS}{_BINS}{_LINKS}{_SIZE_IN_UNIT}(?:[\s-]+(?:wide|width|each|steps?)\b)*",
    rf"{_IN_BINS}(?:bins?\s+of(?:\s+(?:width|size))?|bin[\s-]?(?:width|size)s?)(?:\s*[:=]|\s+(?:of|to|is))?\s*{_SIZE}"
    r"(?=\s*(?:$|[;)\x01]|[.,:](?!\d)|(?:and|in|for|on|over|from|between|during|with|using|please|instead)\b))",
)
"""Regular expressions of the width of bins: ``20 km/s bins``, ``bins of half an nT``, ``bin width 20``."""
BIN_COUNT = rf"{_IN_BINS}(?<![\w.,:/^–−-])(?P<count>\d{{1,3}})\s+bins\b"
_VALUE = r"[-−]?\d+(?:\.\d+)?"
_IN_UNIT = rf"(?:\s*(?P<{{}}>{_UNIT.replace('?P<of>', '?:')}))?"
BIN_RANGE = re.compile(
    rf"\s*,?\s*(?:from|between)\s+(?P<low>{_VALUE}){_IN_UNIT.format('first')}\s*(?:to|and|-|–)\s*"
    rf"(?P<high>{_VALUE}){_IN_UNIT.format('unit')}(?=\s*(?:$|[,.;)]|(?:and|in|for|on|with)\b))(?!\s*(?:on\s+)?{MONTH})",
    re.IGNORECASE,
)
"""The lowest and the highest value of the bins that stand before it: ``60 bins from -20 to 20 nT``."""
_BEFORE_RANGE = re.compile(r"\bbins?(?:\s+of\s+[^,;]{1,12})?$", re.IGNORECASE)
_YEARS = range(1957, 2100)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:UTC?|Z)?"
_DATE = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}(?:,?\s+\d{{4}})"
    rf"?|{MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?(?!\d))"
)
MOMENT = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?Z?|{_DATE},?\s+(?:at\s+)?{_CLOCK}"
    rf"|{_CLOCK}(?:\s*,?\s*(?:on\s+(?:the\s+)?)?{_DATE})?|{_DATE})"
)
_LENGTHS = "ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|months?|years?"
PANEL_ONLY = r"(?:panels?|subplots?|subpanels?)"
_SHADES = (
    "dark", "light", "medium", "deep", "pale", "hot", "royal", "sky", "forest", "lime", "sea", "steel", "dim", "slate",
    "midnight", "spring", "lawn", "dodger", "powder", "baby", "bright",
)  # fmt: skip
_OTHER_SHADES = {"babyblue": "lightblue", "brightred": "red", "deepblue": "darkblue", "deepred": "darkred"}
_OF_AIRGLOW = r"[- ]line (?:zonal |meridional |neutral |vector |LOS )?(?:winds?|emission|airglow|temperature)"
"""Pattern of words behind the colour of a line of the airglow."""
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
    "viridis|turbo|spedas|magma|inferno|cividis|jet|greys|blues|rainbow|hsv|rdbu|portland|ylorrd|blackbody"
)
_PHYSICAL_SCALES = "plasma|electric|thermal|hot"
"""Scales of colours whose names mean something else in a sentence that does not speak of colours."""
_THEMES = "plotly_white|plotly_dark|plotly|ggplot2|seaborn|simple_white|presentation"
_FORMATS = "png|pdf|svg|html"
_TABLES = "excel|spreadsheet|csv|cdf|netcdf|nc|parquet"
_TABLE_NAMES = {"nc": "netcdf", "excel": "csv", "spreadsheet": "csv"}
DASHES = {
    **VOCABULARY["dashes"], "dash": "dash", "dashes": "dash", "dash-dot": "dashdot",
    "dash dotted": "dashdot",
    "dashdot": "dashdot", "long-dashed": "longdash", "long dashed": "longdash", "continuous": "solid", "broken": "dash",
}  # fmt: skip
_DASHED = "|".join(sorted(DASHES, key=len, reverse=True))
QUOTES = re.compile(r"[\"“„](?P<a>[^\"”“]+)[\"”“]|(?<!\w)['‘](?P<b>[^'’]+(?:['’]\w[^'’]*)*)['’](?!\w)")
_DATED = (
    rf"(?:(?:\d{{1,2}}\s*[-–]\s*)?{_DATE}|{MONTH}\s+\d{{4}}|(?:19|20)\d\d)(?=\s*(?:[.;]|,?\s*(?:$|\band\b)))"
)
"""Regular expression of a date that ends a title: ``title: ACE, 10 May 2024``."""
_NAMES = (
    r"(?-i:(?:and\s+)?(?!PNG|PDF|SVG)[A-Z][\w.-]*"
    r"(?:(?:,\s*|\s+(?:and|&)\s+|\s+)(?:and\s+)?[A-Z\d][\w.-]*)*)\s*[.;]?\s*$"
)
"""Regular expression of names that end a title: ``title: ACE, Wind and DSCOVR``."""
_TITLE_ENDS = (
    rf"(?=\s*(?:[;\x01]|\.(?:\s|$)|$)|,\s(?!\s*(?:{_DATED}|{_NAMES}))|,?\s+(?:and|then|but)\s+(?:also\s+)?(?:the\s+)?(?:add|use|make|remove|"
    r"draw|plot|show|set|change|put|"
    r"drop|colou?r|delete|turn|move|hide|dates?|time|call|log|swap|with)\b"
    rf"|,?\s+and\s+[^,;]{{1,30}}\s(?:{_COLOUR}|{_DASHED}|thicker|thinner)\s*$)"
)
_TO = r"(?:(?:should|shall|must|may|can|will)[ ]+(?:be|read|say)[ ]*:?|(?:to|as|is|be|reads?|into)\b[ ]*:?)"
_PLAIN = r"(?:[^\x01;\"“„'’]|(?<=\w)['’](?=\w))"
"""Regular expression of a sign of a title without quotes; an apostrophe stands within a word."""
_TITLED = re.compile(
    rf"\b(?P<noun>(?:sub)?title)(?:[ ]+(?:of[ ]+(?:the[ ]+)?(?:figure|plot)|accordingly))?"
    rf"(?:[ ]*[:=][ ]*|[ ]+{_TO}[ ]+|[ ]+(?=(?-i:[A-Z][a-z]|[A-Z]+[ ][a-z])))"
    rf"(?P<text>{_PLAIN}+?){_TITLE_ENDS}"
    rf"|\b(?P<verb>titled|entitled)[ ]*:?[ ]+(?P<name>{_PLAIN}+?){_TITLE_ENDS}"
    rf"|\b(?P<call>(?:call|name)[ ]+(?:it|(?:the[ ]+|this[ ]+)?(?:figure|plot))"
    rf")[ ]+(?P<called>{_PLAIN}+?){_TITLE_ENDS}",
    re.IGNORECASE,
)
"""Titles without quotes."""
_RENAMED = re.compile(
    r"\b(?P<old>(?:rename|relabel)[ ]+[^,;\"']+?)[ ]+(?:to|as|into)[ ]+"
    r"(?P<new>[^\s,;\"']+(?:[ ]+[^\s,;\"']+){0,3})\s*$",
    re.IGNORECASE,
)
"""The new name of a line without quotes: ``rename |B| to B_total``."""


_LABELLED = re.compile(
    r"\b(?P<how>(?:lines?\s+(?:called|named)|labell?ed|(?:with\s+(?:the\s+)?|(?<=, ))label)(?:\s+as)?)[ ]+"
    r"(?P<label>(?!(?:at|in|on|the|an?|all|each|[xy][ -]axis)\b)[^\s,;\"']+(?:[ ]+[^\s,;\"']+){0,3}?)"
    r"(?=\s*(?:$|[,;])|[ ]+(?:at|in|on|over|from|to|and|for)\b)",
    re.IGNORECASE,
)
"""The label of a mark without quotes: ``a vertical line labelled X-line at 22:34``."""
_TWO_LABELS = re.compile(
    r'(?P<mark>\b(?:mark|lines?\s+at))\s+(?P<one>[^,;"]+?)\s+and\s+(?P<two>[^,;"]+?)'
    r'(?P<place>(?:\s+in\s+the\s+[\w-]+\s+panel)?)\s*,?\s+labell?ed\s+"(?P<first>[^"]+)"\s+and\s+'
    r'(?P<quote>"?)(?P<second>(?<=")[^"]+|(?<!")[^\s,;"]+)(?P=quote)(?=\s*(?:$|[,;.]))',
    re.IGNORECASE,
)
"""Two marks and their two labels: ``lines at 5 and 7 labelled "G1" and "G3"``."""
_SEVERAL_LABELS = re.compile(r'\blabell?ed\s+"[^"]+"\s*(?:,|\band\b)\s*"[^"]+"', re.IGNORECASE)
_LOOK = rf"{COLOURS}|dash|dott?|solid|thick|thin|bold|log|panel|axis|all|both|each|UTC?|(?:{_UNITS})\)"
_IN_BRACKETS = re.compile(
    r"(?P<mark>\b(?:(?:line|marker)s?\s+at|shad(?:e|ing|ed))\s+(?=[^,;()]*\d)[^,;()]+?)"
    rf"\s*\((?P<label>(?!{_LOOK})[A-Za-z][A-Za-z -]+)\)",
    re.IGNORECASE,
)
"""The label of a mark in brackets behind its value: ``a horizontal line at 6.6 (geosynchronous orbit)``."""
_MARKED_AS = re.compile(
    r"(?P<mark>\b(?:mark|shade|highlight)\s+(?=[^,;()\"]*\d)(?:(?!\b(?:save|write|export)\b)[^,;()\"])+?)\s+as\s+(?:(?:an?|the)\s+)?"
    rf"(?P<label>(?!{_LOOK}|well\b)[A-Za-z](?:(?!\b(?:line|band|bar|area|region|marker|interval|shading)s?\b)[\w -])*?)"
    r"(?=\s*(?:$|[,;.])|\s+(?:in|on|at|with|and|for)\b)",
    re.IGNORECASE,
)
"""What a marked or shaded time is: ``mark 2007-08-30 as the termination shock``."""


_MOST_PANELS = 20
"""Numbers up to this one may be those of panels: ``panel 1 to -20..20``, but ``the top panel 0 to 40``."""


def unit_of(words: str) -> str:
    """Return the unit that words mean."""
    word = words.casefold()
    named = UNIT_WORDS.get(word) or UNIT_WORDS.get(word.removesuffix("s"))
    return canonical_unit(named or _SPELT_UNITS.get(words, words))


def bin_width(match: re.Match[str]) -> BinWidth:
    """Return the width that a match of one of `BIN_WIDTHS` means."""
    size = match["size"].casefold()
    return BinWidth(
        0.5 if size.startswith("half") else number_of_text(size), unit_of(match.groupdict().get("unit") or "")
    )


def bin_range(match: re.Match[str]) -> tuple[BinWidth, BinWidth]:
    """Return the lowest and the highest value that a match of `BIN_RANGE` means."""
    units = [unit_of(match[name] or match["unit"] or "") for name in ("first", "unit")]
    low, high = (
        BinWidth(number_of_text(match[name]), unit) for name, unit in zip(("low", "high"), units, strict=True)
    )
    if low.size >= high.size or (not high.unit and {low.size, high.size} <= {*_YEARS}):
        raise NotUnderstood(
            f"it is not clear whether '{match[0].strip(' ,')}' are values of the bins",
            advice="write them with their unit, as in '40 bins from 250 to 850 km/s'",
        )
    return low, high


def bin_range_spans(text: str) -> list[tuple[int, int]]:
    """Return where the ranges of bins stand, which are no ranges of axes: ``bins of 5 nT from -20 to 20 nT``."""
    ranges = BIN_RANGE.finditer(text)
    return [match.span() for match in ranges if _BEFORE_RANGE.search(text[: match.start()])]


def shaded(match: re.Match[str]) -> str:
    """Return the name of a colour of two words, as `SHADED` matches it."""
    joined = re.sub(r"[\s-]+|very", "", match[0].casefold())
    return _OTHER_SHADES.get(joined, joined)


def _title_in(match: re.Match[str]) -> tuple[str, str]:
    """Return a title that `_TITLED` matches, behind the name of its group."""
    name = next(key for key in ("text", "name", "called") if match[key])
    return name, ignoring_case(r"\s+please$").sub("", match[name].strip())


def with_quoted_titles(text: str) -> str:
    """Write titles in quotes, so that a date or a name in them is not read as a change.

    >>> with_quoted_titles("title: ACE, 10 May 2024; Bz red")
    'title: "ACE, 10 May 2024"; Bz red'
    """

    def quoted(match: re.Match[str]) -> str:
        name, title = _title_in(match)
        return f'{match[0][: match.start(name) - match.start()]}"{title}"{match[0][match.end(name) - match.start() :]}'

    text = _RENAMED.sub(r'\g<old> to "\g<new>"', _TITLED.sub(quoted, text))
    return with_quoted_labels(text)


def with_quoted_labels(text: str) -> str:
    """Write the labels of marks in quotes.

    >>> with_quoted_labels("vertical line at 04:00 labelled shock")
    'vertical line at 04:00 labelled "shock"'
    >>> with_quoted_labels("lines at 5 and 7 labelled G1 and G3")
    'lines at 5 labelled "G1" and lines at 7 labelled "G3"'

    Raises
    ------
    NotUnderstood
        It is not clear which mark has which label.
    """
    for pattern in (_IN_BRACKETS, _MARKED_AS):
        text = pattern.sub(r'\g<mark> labelled "\g<label>"', text)
    text = _LABELLED.sub(r'\g<how> "\g<label>"', text)
    text = _TWO_LABELS.sub(
        r'\g<mark> \g<one>\g<place> labelled "\g<first>" and \g<mark> \g<two>\g<place> labelled "\g<second>"',
        text,
    )
    if several := _SEVERAL_LABELS.search(text):
        raise NotUnderstood(
            f"helio does not understand which mark has which label in '{several[0]}'",
            advice="write the label behind each mark: 'a line at 5 labelled \"G1\"'",
        )
    return text


def take_texts(unread: UnreadWords) -> None:
    """Take texts in quotes, and those that follow a word such as ``title``."""
    for match in list(QUOTES.finditer(unread.left)):
        unread.put("text", (match["a"] or match["b"]).strip(), *match.span())
    for match in list(_TITLED.finditer(unread.left)):
        name, title = _title_in(match)
        unread.put("noun", (match["noun"] or "title").casefold(), match.start(), match.start(name))
        unread.put("text", title, *match.span(name))


_PAGES = {"A3": ("297 mm", "420 mm"), "A4": ("210 mm", "297 mm"), "A5": ("148 mm", "210 mm")}


def _page(match: re.Match[str]) -> tuple[str, str]:
    """Return the width and the height of a page of paper."""
    short, long = _PAGES[match["page"].upper()]
    return (long, short) if match["lying"] or match["laid"] else (short, long)


def _limit(number: str, unit: str | None, *, is_low: bool) -> Range:
    end = number_of_text(number)
    return Range(end, None, unit or "") if is_low else Range(None, end, unit or "")


def take_numbers(unread: UnreadWords) -> None:
    """Take bins of histograms, numbers, limits, sizes and factors."""
    for bins in BIN_WIDTHS:
        unread.take("bins", bins, bin_width)
    unread.take("bins", BIN_COUNT, lambda match: int(match["count"]))
    if any(atom.kind == "bins" for atom in unread.atoms):
        unread.take("noun", r"\bhistograms?\b", "histogram")
    not_time = rf"(?!\s*(?:UTC?|{MONTH}|[-–]?\s*(?:{_LENGTHS}))\b|\s*(?:pixels?|px)\b|-?\d|:\d)"
    unit = rf"(?:\s*{_UNIT})?".replace("?P<of>", "?P<{}>")
    unit_low, unit_high = unit.format("u1"), unit.format("u2")
    low = rf"(?P<low>{NUMBER}|zero)"
    high = rf"(?P<high>{NUMBER}|zero)"

    def bounds(match: re.Match[str]) -> Range:
        values = [number_of_text(match[name]) for name in ("low", "high")]
        first, last = match["u1"], match["u2"]
        if first and last and first != last and comparable(first, last):  # 50 Hz to 1 kHz
            values[1] = float(f"{values[1] * conversion_factor(last, first):.12g}")
            last = first
        return Range(min(values), max(values), last or first or "")

    def is_range(match: re.Match[str]) -> bool:
        if re.fullmatch(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2]|[0-3]\d\d)", match[0]):
            return False  # a month, or a day of the year
        years = [re.fullmatch(r"(?:19|20)\d\d", match[name]) for name in ("low", "high")]
        ahead = "" if match[0][:1].isalpha() else unread.text[: match.start()]
        counted = "energ(?:y|ies)|channels?|bands?"
        if number_of_text(match["low"]) in range(1, _MOST_PANELS + 1):
            counted += f"|{PANEL_ONLY}|rows?"
        return bool(match["u1"] or match["u2"]) or not (
            all(years)
            or (
                "." not in match[0]
                and ignoring_case(rf"(?:{MONTH}|\d{{4}}|DOY|days?|{counted})\s*$").search(ahead)
            )
        )

    for pattern in (
        rf"(?:±|\+/?-)\s*(?P<high>(?:\d+(?:\.\d+)?)){unit_high}(?P<low>)(?P<u1>){not_time}",
        rf"[\[(]\s*{low}{unit_low}\s*,\s*{high}{unit_high}\s*[\])](?:{unit_high.replace('u2', 'u3')})",
        rf"(?:(?<=lim )|(?<=limits )|(?<=limits of )|(?<=bounds )){low}{unit_low}\s*(?:and|,|\s)\s*"
        rf"{high}{unit_high}(?![\w:])",
        rf"(?:\bbetween\s+)(?<![\w.:-]){low}{unit_low}\s*(?:and|to|-|–|,)\s*{high}{unit_high}(?![\w:]){not_time}",
        rf"(?:\bfrom\s+)?(?<![\w.:-]){low}{unit_low}\s*(?:\bto\b|\.\.+|…|–|\buntil\b|\bup to\b|-(?=\s?\d)"
        rf")\s*{high}{unit_high}(?![\w:-]){not_time}",
    ):
        compiled, at = ignoring_case(pattern), 0
        while match := compiled.search(unread.left, at):
            at = match.start() + 1
            if pattern.startswith("(?:±"):
                top = float(match["high"])
                unread.put("range", Range(-top, top, match["u2"] or ""), *match.span())
            elif is_range(match):
                unread.put("range", bounds(match), *match.span())
    value = rf"(?P<number>{NUMBER}|zero)\s*(?:{_UNIT})?(?![\w:]){not_time}"
    for is_low, words, signs in (
        (True, r"(?:not?\s+)?(?:above|over(?!\s+(?:19|20)\d\d\b)|at least|minimum(?:\s+of)?|"
               r"min(?:imum)?|lowest|lower limit|floor)", ">=?|≥"),
        (False, r"below|at most|up to|maximum(?:\s+of)?|max(?:imum)?|highest|upper limit|capped at|ceiling|"
                "under", "<=?|≤"),
    ):  # fmt: skip
        further = value.replace("?P<number>", "?P<number2>").replace("?P<of>", "?P<of2>")

        def bound(match: re.Match[str], is_low: bool = is_low) -> Range:
            number = match["number"] or match["number2"]
            return _limit(number, match["of"] or match["of2"], is_low=is_low)

        unread.take(
            "bound",
            rf"\b(?:{words})(?:\s+(?:of|to|at|is|=))?\s*(?:value\s+)?(?<![\w-]){value}|(?:{signs})\s*{further}",
            bound,
        )
    unread.take(
        "bound",
        rf"(?<![\w.:-]){value}\s+(?:or|and)\s+(?:(?P<low>higher|more|above|larger|greater)|lower|less|below|smaller)\b",
        lambda match: _limit(match["number"], match["of"], is_low=bool(match["low"])),
    )
    unread.take(
        "bound",
        r"\b(?:where|when)\s+(?:it\s+is\s+|b_?z\s+is\s+)?(?:negative|southward)\b"
        r"|\b(?:negative|southward)(?:\s+(?:values|parts?|bz))?(?=\s+(?:filled|shaded)\b)",
        lambda match: Range(None, 0.0),
    )
    unread.take(
        "size",
        r"(?<![\w.-])(?P<w>\d{3,4})\s*(?:px|pixels)?\s*(?:x|×|by)\s*(?P<h>\d{3,5})(?:\s*(?:px|pixels))?\b",
        lambda match: (int(match["w"]), int(match["h"])),
    )
    unread.take(
        "size",
        r"\b(?:(?P<lying>landscape)|portrait)?\s*(?:an?\s+|one\s+)?(?:whole\s+|full\s+)?(?P<page>A[3-5])\b(?:\s+(?:page|paper|sheet|size))?"
        r"(?:\s*,?\s*(?:in\s+)?(?:(?P<laid>landscape)|portrait)(?:\s+(?:format|orientation|mode))?)?",
        _page,
    )
    unread.take(
        "width",
        r"(?<![\w.-])(?P<number>\d+(?:\.\d+)?)[\s-]*(?:px|pixels?)(?:\s+(?:wide|thick|width))?\b|"
        r"(?<![\w.-])(?P<pt>\d+(?:\.\d+)?)\s*(?:pt|points?)\s+(?:wide|thick)\b",
        lambda match: float(match["number"] or match["pt"]),
    )
    unread.take(
        "printed",
        r"(?<![\w.-])\d+(?:\.\d+)?\s*(?:mm|cm|pt)\b(?!\s*\^|[-−⁻]\d|⁻)",
        lambda match: " ".join(re.findall(r"[\d.]+|[a-z]+", match[0].casefold())),
    )
    unread.take_spelt("factors")
    unread.take("number", rf"\b(?:{COUNT})(?= columns\b)", lambda match: Number(number_of_text(match[0])))
    unread.take(
        "number",
        r"(?:(?<=\bline at )(?<!vertical line at )|(?<=\blines at )(?<!vertical lines at )|(?<=\d/\d and ))"
        r"(?P<top>[-−]?\d)/(?P<bottom>[1-9])(?![\w/:-]|\.\d)",
        lambda match: Number(number_of_text(match["top"]) / number_of_text(match["bottom"])),
    )
    unread.take("number", r"(?<=\bline at )zero\b|(?<== )zero\b|(?<=\by=)zero\b", lambda match: Number(0.0))
    unread.take(
        "number",
        rf"(?<![\w.:-])(?P<number>{NUMBER})\s*{_UNIT}{not_time}",
        lambda match: Number(number_of_text(match["number"]), match["of"]),
    )


def _end_of_run(taken: Sequence[int], start: int, text: str) -> int:
    """Return where the letters that were taken from a start end; small words between them belong to the run."""
    stop = start
    for place in taken:
        if place >= start and re.fullmatch(r"\W*(?:(?:from|on|of|in|at|the)\b\W*)*", text[stop:place]):
            stop = place + 1
    return stop


_DIGIT = re.compile(r"\d")
_IN_ALL = rf"\x01(?P<days>\s*\(\s*(?:all\s+)?(?P<count>\d+|{COUNT})\s+days\s*\))"
"""How many days a time has, in brackets behind it."""


def take_times(unread: UnreadWords) -> None:
    """Take times and durations."""
    before = unread.left
    sentence = Sentence.masked(before)
    times = sentence.take_times(unread.now)
    after = sentence.left
    taken = [
        at
        for at in range(len(before))
        if before[at] != after[at] or (before[at] == " " and after[at : at + 1] == TAKEN)
    ]
    at = 0
    for time in times:
        where = before.find(time, at)
        places = [place for place in taken if place >= at]
        dated = (
            place for place in places if _DIGIT.search(before[place : _end_of_run(taken, place, before)])
        )
        start = where if where >= 0 else next(dated, next(iter(places), at))  # not at the "at" of a value
        stop = start + len(time) if where >= 0 else _end_of_run(taken, start, before)
        unread.put("time", time, start, stop)
        at = stop
    for place in taken:  # words before a time, such as "during"
        unread.left = unread.left[:place] + TAKEN + unread.left[place + 1 :]
    for match in list(ignoring_case(_IN_ALL).finditer(unread.left)):  # 20-25 March 2022 (all six days)
        start, length = match.start("days"), timedelta(days=number_of_text(match["count"]))
        times_ahead = [atom.value for atom in unread.atoms if (atom.kind, atom.stop) == ("time", start)]
        spans = [parse_time_range(time, unread.now) for time in times_ahead]
        if any(span.stop - span.start == length for span in spans):
            unread.left = unread.left[:start] + TAKEN * (match.end() - start) + unread.left[match.end() :]
    for match in list(
        ignoring_case(r"\b(?:years?|days?|dates?|months?)\s+(?:of\s+)?(?=\x01)").finditer(unread.left)
    ):
        unread.left = unread.left[: match.start()] + TAKEN * len(match[0]) + unread.left[match.end() :]
    for match in list(re.finditer(rf"(?<![\w:-])({_CLOCK})\s*[-–]\s*({_CLOCK})(?![\w:-])", unread.left)):
        unread.put("moment", match[1], *match.span(1))
        unread.put("moment", match[2], *match.span(2))
    unread.take("moment", rf"(?<![\w:-]){MOMENT}(?![\w:-])")
    unread.take("duration", rf"\b(?:{'|'.join(INTERVALS)})\b", lambda match: INTERVALS[match[0].lower()])
    unread.take("duration", r"\b(?:carrington|solar)[\s-]+rotations?\b", lambda match: "Carrington rotation")
    for match in ignoring_case(rf"(?<![\w.]){duration_pattern()}").finditer(unread.left):
        if ignoring_case(r"\b(?:more|extra|additional)\b").search(match[0]):
            unread.atoms.append(Atom("rel", "more", match.start(), match.start(), ""))
    unread.take(
        "duration",
        rf"(?<![\w.]){duration_pattern()}(?:[\s-]+(?:long|wide)\b)?",
        lambda match: duration_in(match),
    )


def take_values(unread: UnreadWords) -> None:
    """Take colours, scales, frames, units, formats and other values with names."""
    unread.take_spelt("values")
    unread.take("theme", rf"\b(?:{_THEMES})\b", lambda match: match[0].casefold())
    coloured = ignoring_case(r"\bcolou?r|palette|cmap|\bscale").search(unread.text)
    scales = f"{_SCALES}|{_PHYSICAL_SCALES}" if coloured else _SCALES
    unread.take(
        "colormap",
        rf"\b(?:{scales})\b(?=\s*(?:colou?r|map|scale|palette|$|[,.;]|instead|please|for\b|in\b|on\b|and\b|rather))",
        lambda match: match[0].casefold(),
    )
    unread.take("colour", r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b", lambda match: match[0].casefold())
    unread.take("colour", SHADED, shaded)
    unread.take(
        "colour",
        rf"(?<![\w|])(?:{_COLOUR})\b(?!\s+(?:line|hole)s? of|{_OF_AIRGLOW})",
        lambda match: match[0].casefold(),
    )
    unread.take(
        "dash",
        rf"\b(?:{_DASHED})\b",
        lambda match: DASHES[match[0].casefold()],
    )
    unread.take(
        "frame",
        rf"\b(?:{'|'.join(FRAMES)})(?:[\s-]+(?:coordinates?|frame|system|components?))*(?![\w-])",
        lambda match: match[0].split()[0].split("-")[0].upper(),
    )
    unread.take("unit", rf"(?<![\w/^|.-])(?!(?<!\bin )(?<!\bto )(?<!\binto )(?-i:AU)\b){_UNIT}")
    unread.take(
        "format", rf"(?:\b[\w-]+\.)?\b(?:{_FORMATS})\b(?:\s+files?)?", lambda match: match[0].split()[0]
    )
    unread.take(
        "file",
        rf"(?<![\w./-])(?P<name>[\w{{}}-]+)(?=\.(?:{_TABLES})\b)",
        lambda match: match["name"],
    )
    unread.take(
        "table",
        rf"\b(?:(?:one|a\s+single|the\s+same|a\s+common)\s+)?(?P<form>{_TABLES})\b(?:\s+(?:files?|tables?))?",
        lambda match: _TABLE_NAMES.get(match["form"].casefold(), match["form"].casefold()),
    )
    for mode, phrases in CHANGES["modes"].items():
        unread.take("mode", rf"\b(?:{any_phrase(phrases)})\b", mode)
