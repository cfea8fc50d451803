"""Split what a request for a new figure says about looks from the rest, and apply it to the new template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise, product

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.changes.arranging import ARRANGING, keep_only, remove, swap_panels
from helio.authoring.rules.changes.atom_reading import read_atoms
from helio.authoring.rules.changes.atom_values import COLOURS, bin_range_spans, with_quoted_labels
from helio.authoring.rules.changes.atoms import PLACE, SPELLINGS, Atom, in_plainer_words
from helio.authoring.rules.changes.clauses import read_clauses
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.figure_settings import SETTINGS
from helio.authoring.rules.computations.computed import read_computations
from helio.authoring.rules.computations.conditions import condition_spans
from helio.authoring.rules.reading.arrangement import BELOW
from helio.authoring.rules.reading.drawn_quantities import GROUP
from helio.authoring.rules.reading.marked_times import with_marked_days, without_time_range
from helio.authoring.rules.reading.named import names_of_spacecraft, read_quantities, read_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.refusals import NUMBER_OF_RECORDS, PICKED_BY_PLACE
from helio.authoring.rules.times.date_pairs import is_time
from helio.authoring.rules.times.durations import INTERVALS
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.layout import MORE_COLOURS
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.instrument_index import folded
from helio.knowledge.modes import is_mode
from helio.knowledge.particles import LETTERS, SYMBOLS
from helio.knowledge.phrases import TAKEN
from helio.knowledge.quantities import ABS_B, B, families, spellings
from helio.patterns import ignoring_case
from helio.pipelines.template.document import Document

_STYLE = "colour dash width mode paneltype relative scale range bound"
_PHRASES, _STYLES, _NEEDS = (SPELLINGS["looks"][name] for name in ("phrases", "styles", "needs"))
"""The parts with which a phrase about looks begins, and those next to them that belong to it."""
_NEAR = re.compile(
    r"[\s,(=:]*(?:(?:an?|the|in|on|to|at|of|with|by|using|as|is|and|from|for|panel|axis|scale|drawn|shown|arrival|time)[\s,]+)*[\s,)]*",
    re.IGNORECASE,
)
_SIGNS = r"\s*[,;()]\s*|\.\s+|\s+[-–—]\s+"
_ADDED, _HOW = r"|,?\s*\b(?:and|plus)\b\s*", r"|\s+(?:with|on|as|in)\s+(?:an?\s+)?"
_CUTS = (_SIGNS, _SIGNS + _ADDED, _SIGNS + _HOW, _SIGNS + _ADDED + _HOW)
"""Where a request is divided into parts: at punctuation, then also at small words."""
_CHANGES = (*SETTINGS, *(rule for rule in ARRANGING if rule.change not in (remove, keep_only, swap_panels)))
"""Rules for changes that a request for a new figure may also ask for."""
_WEIGHTS = ("bold", "thin", "thicker", "thinner")
_AS = re.compile(r"\b(?:as|with|using|in)\s+$", re.IGNORECASE)
_AS_A = re.compile(r"\bas\s+(?:an?\s+)?(?:\w+\s+)?$", re.IGNORECASE)
_LINK = re.compile(
    r"\s*(?:-\s*)?(?:colou?red\s+)?(?:scales?|axis|axes|lines?|curves?|traces?)?\s*"
    r"(?P<link>(?:for|of|on)\s+)?(?:the\s+|an?\s+|both\s+)?",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:]\s|\.\s")
_RHYTHM = re.compile(rf"\b(?:{'|'.join(INTERVALS)})\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|,?\s*(?:and|plus)\b|&|/)\s*(?:the\s+)?", re.IGNORECASE)
_INTRODUCED = re.compile(
    r"(?:\b(?:in|as|on|is|be|drawn|shown|should)\s+(?:an?\s+)?|[(:]\s*)+$", re.IGNORECASE
)
_BREAK = re.compile(
    r"[;.]\s|;|,(?!\s*(?:in|as|colou?red|drawn|shown|dashed|dotted)?\s*(?:an?\s+)?$)"
    r"|\b(?:plot|draw|show)\s+(?:it|them|this|the\s+result)\b",
    re.IGNORECASE,
)
_APART = re.compile(r",\s*(?:on|in|with|use|using)?\s*(?:an?\s+)?$", re.IGNORECASE)
_SIDE_OF_PANEL = r"(?:[- ]hand)?(?:\s+(?:y[- ]?)?(?:axis|side|scale))?\)?(?!\s+(?:for|axis|of)\b)"
_AT_LEFT = re.compile(
    rf"\s*\(?\b(?:(?:at|on|to)\s+)?(?:the\s+)?left(?! and right\b){_SIDE_OF_PANEL}", re.IGNORECASE
)
_COLOURS_IN_TURN = re.compile(
    rf"\b(?:in\s+)?(?:the\s+)?(?:(?:usual|standard|official|conventional|classic)\s+(?:[\w-]+\s+)?)?colou?rs\s*[:=]?\s+(?P<named>(?:{COLOURS})(?:(?:[\s,/&]|\band\b)+(?:{COLOURS}))+)\b"
    rf"|(?<![\w-])(?P<bare>(?:{COLOURS})(?:\s+(?:{COLOURS}))+)(?!\s*[\w-])",
    re.IGNORECASE,
)
"""Colours for several lines in turn: ``colours: black, red``, or ``black red green`` at the end of a clause."""
_LETTER_WITH_COLOUR = (
    rf"(?<![\w-])(?P<letter>(?-i:[A-E]))(?P<colour>\s*(?:[:=]|\bin\b|\bis\b)?\s*\b(?:{COLOURS})\b)"
)
_MORE_LETTERS = r"(?P<more>(?:\s*(?:,|,?\s*and\b|&|/)?\s*-?(?-i:[A-E])\b(?!\s+(?:field|vector)))*)"
_LETTERS_WITH_COLOURS = re.compile(
    "{0}(?:(?:[\\s,;]|and)+{0})+".format(re.sub(r"\?P<\w+>", "?:", _LETTER_WITH_COLOUR)), re.IGNORECASE
)
"""Letters of spacecraft, each with a colour: ``A in red, B in blue``."""
_LETTER_ALONE = re.compile(r"\b(?:for|of|on)\s+(?P<letter>(?-i:[A-E]))\s+(?:only|alone)\b", re.IGNORECASE)
_AT_RIGHT = re.compile(
    r"\b(?!(?:the|an?|on|at|in|with|and|to|its|use|using|put|axis|panel|side|own)\b)(?P<what>[A-Za-z|][\w|]*)\s*"
    rf"\(?(?:(?:at|on|to)\s+)?(?:(?:the|its)\s+)?\bright{_SIDE_OF_PANEL}",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?:\b(?:and|with|plus|add(?:\s+to\s+(?:the\s+)?[\w|-]+)?|overlaid by|overplotted by)|[+&,;])\s+"
    r"(?:(?:an?|the|its|their|also|(?:[\d.]+|one|two|five|ten)[\s-]*(?:ms|s|min\w*|h|hours?|days?|d)|hourly|daily|monthly|yearly)[\s-]+)*$",
    re.IGNORECASE,
)
_ON_IT = re.compile(
    r"[\s,(]*(?:(?:line|over-?plotted|overlaid|superimposed|drawn|shown|on\s+top(?:\s+of\s+(?:it|them))?"
    r"|(?:of|over)\s+(?:it|them|the\s+same|\d[\d.]*\s*(?:s|min\w*|h|hours?|days?|d)\b)|as|in|an?|the)[\s,(]+)*",
    re.IGNORECASE,
)
"""Patterns of what stands before a computed line that is drawn beside its input, and between it and its look."""
_OF_ITS_INPUT = re.compile(r"\s+of\s+(?:the\s+)?[\w|.-]+(?:\s+[\w|.-]+)?[\s,(]+(?:in\s+)?", re.IGNORECASE)
_OVERLAID = re.compile(r"\b(?:over-?plot|overla[iy]|superimpos|superpos|also\b)", re.IGNORECASE)
_OVER_INPUT = re.compile(
    r"\b(?:over|on\s+top\s+of)\s+(?:the\s+)?(?:raw|original|unsmoothed|unfiltered|hourly|daily|[\d.]+[\s-]*(?:s|min|h))\b",
    re.IGNORECASE,
)
"""Patterns of what stands between a computation and the look of its line, and of the input over which it is drawn."""
_OF_FIGURE = re.compile(r"\b(?:figure|plot|image|picture|canvas)\b", re.IGNORECASE)
_SINCE = re.compile(r"\s+since$", re.IGNORECASE)
_OF_INPUT = re.compile(rf"{_OVER_INPUT.pattern}|\bplus\s+(?:the\s+)?$", re.IGNORECASE)
_RAW_TOO = re.compile(
    r",?\s*\b(?:and|plus|with|over|as\s+well\s+as|on\s+top\s+of)\s+(?:also\s+)?(?:the\s+|its\s+)?(?:raw|original|unsmoothed|unfiltered)\b"
    r"(?:\s+(?:ones?|data|values|series|line|curve|index)\b)?(?:\s+(?:behind|too)\b)?",
    re.IGNORECASE,
)
"""Pattern of the input of a computed line, as a line of its own."""
_RAW_WITH_LOOK = re.compile(
    r"[,:;]\s*(?:(?:show|plot|draw|with|both|and)\s+)*(?:the\s+|its\s+)?"
    r"(?:raw|original|unsmoothed|unfiltered)(?:\s+(?:data|ones?|values|series|line|curve))?(?=\s+(?:in|as)\s)",
    re.IGNORECASE,
)
"""Pattern of the input of a computed line in a list: ``Bz, raw in grey and the running mean in red``."""
_BEHIND_RAW = re.compile(
    r"\s+(?:in|as)\s+(?:an?\s+)?(?P<look>[^,;.]*?)(?:\s*[,;]\s*(?:and\s+)?|\s+(?:and|with)\s+)(?:the\s+|an?\s+|its\s+)?(?P<computed>[^.]*)\.?",
    re.IGNORECASE,
)
"""What stands behind this input: its look, and the computed line."""
_COMPUTED_AGAIN = re.compile(
    r"(?:(?:running|moving)\s+)?(?:mean|median|average)\s+in\s+(?P<look>.+)", re.IGNORECASE
)
"""A computed line that was named before: ``V with a running median, raw in black and the median in red``."""
_OF_DATA = re.compile(r"(?<=energy|quency|period) (?:flux|spectr|densit|range|channel|band)", re.IGNORECASE)
"""Words behind ``log energy`` that make it the name of data, such as the energy flux."""
_LOOK_OF_LINE = {"colour", "dash", "width"}
_LABEL = r"(?:\"[^\"]+\"|(?!(?:and|in|on|at|as|by)\b)[\w.+-]+)"
_LABELS = re.compile(
    rf"[,;]?\s*\(?\b(?:labell?ed|call(?:ed)?\s+them)\s+(?P<labels>{_LABEL}(?:\s*,\s*{_LABEL})*\s*,?\s*(?:and|&)\s+{_LABEL})\)?"
    r"(?=\s*(?:$|[,;.]))",
    re.IGNORECASE,
)
"""Names for the lines of several spacecraft in turn: ``labelled P10 and P11``."""
_MARKS = re.compile(r"\b(?:vertical|horizontal|mark\w*|lines?\s+at|arrows?|shad\w+)\b", re.IGNORECASE)
_SHADED_WHERE = re.compile(r"[^,;]*\bshad(?:e|ed|ing)\b[^,;]*\bwhere\b[^,;]*", re.IGNORECASE)
"""A clause whose colour is that of the shade: ``shade where it is below -10 nT in red``."""
_OF_MARK = re.compile(r"(?:[\w-]+\s+){0,2}?lines?\s+(?:at|where|when)\b", re.IGNORECASE)
"""The look of a mark, which is no look of data."""
_OF_EACH = re.compile(r"(?:each|every|per)\b", re.IGNORECASE)
"""Words behind ``a panel``, which name no data."""
_PDF = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|plot|draw|show|the)\s+)pdfs?\s+of\s+(?!(?:the\s+|this\s+|my\s+|an?\s+)?(?:figure|plot|page|overview|it\b|that\b|this\b))",
    re.IGNORECASE,
)
"""A probability density, which may also be a file: ``pdf of Br``."""
_TAIL = re.compile(r"\s+(?:panel|ax[ie]s|scale)\b|,?\s*respectively\b|\s+on(?=\s*(?:$|[,;.]))", re.IGNORECASE)
"""What may stand behind a look and belongs to it: ``panel letters on``."""
_PLACE_BEHIND = ignoring_case(
    rf"\s+(?:{BELOW}|above|first|last|on\s+top|at\s+the\s+(?:top|bottom))\b(?:\s+(?:it|that|this|them)\b)?"
)
"""A place behind a name or before a look: ``density below in red``."""
_PLACED = re.compile(rf"\s+(?:above|{BELOW})\s+(?:the\s+)?", re.IGNORECASE)
"""What stands between a name and its neighbour, if a sentence says where the name is drawn."""
_IN_ONE_PANEL = re.compile(r"\b(?:one|same|single)\s+panel\s+(?:on|with)\s+(?:an?\s+)?$", re.IGNORECASE)
"""Words before the look of a panel, which is that of the name before them."""
_BOTH = re.compile(r"(?<![;:.] )\bboth\s+(?:(?:are|on|in|with|as|an?)\s+)*$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,?\s*\b(?:and|plus)\b|[&+])\s*(?:the\s+)?", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:to|in|on|of|for)\s+(?:the\s+)?$", re.IGNORECASE)
_NAMED_AGAIN = re.compile(r"[,;:(]\s*(?:and\s+)?(?:the\s+)?$", re.IGNORECASE)
_LENGTH = re.compile(r"\s*(?:of|over|with|from)\s+[\d.]", re.IGNORECASE)
"""Patterns of what stands around the name of a result with its look, if the request names the result before."""
_NAMED = {"what", "panel", "every:others"}
"""Parts to which a look may belong."""
_OF_OTHERS = re.compile(r"(?:the\s+|all\s+)*(?:others?|rest|everything\s+else)\b", re.IGNORECASE)
"""Pattern of a look of all lines that no other look names."""
_OF_A_PANEL = {"noun:horizontal_line", "noun:range", "noun:y_range", "noun:y_axis"}
"""Parts of phrases about one panel."""
_OF_OWNER = re.compile(
    r"(?:\s+(?:(?:in\s+)?(?:GSM|GSE|RTN|log(?:arithmic)?)|panel|last|below|beneath|underneath|above|at\s+the\s+(?:bottom|top)))*"
    r"(?:,?\s+(?P<its>(?:(?:with|and)\s+)?its)\s+|(?:,?\s+(?:with|on)|\s*\()\s*(?:an?\s+)?(?:log(?:arithmic)?\s+)?|\s+)",
    re.IGNORECASE,
)
"""What stands between the name of a panel and a line or a range that belongs to it."""
_IN_LIST = re.compile(r"\s*(?:,|(?P<and>and|&))\s*(?:the\s+)?", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:[,;]?\s*\b(?:and|with|using|plus|on|in|as)\s+)*(?:an?\s+|the\s+|its\s+)?$|[,;]\s*$", re.IGNORECASE
)

_ION = re.compile(r"(?<![\w+/])(?P<element>[A-Z][a-z]?\d?)(?P<charge>\+{1,2})(?=\s+[a-z])")
_ION_IN_LETTERS = re.compile(r"\b(?P<element>[A-Z][a-z]?\d?)(?P<charge>(?:plus){1,2})\b")
"""Patterns of an ion before another word, and of how it is written where a sign would divide the words."""
_FLUX = re.compile(r"flux|intensit", re.IGNORECASE)
_OF_ELEMENTS = {
    name: symbol for symbol, name in {**SYMBOLS, **LETTERS}.items() if re.fullmatch(r"[A-Z][a-z]?", symbol)
}
"""Symbols of chemical elements, which the catalogue has in place of their names."""


@dataclass(frozen=True)
class _Phrase:
    """Neighbouring parts of a request that say how something looks."""

    parts: tuple[Atom, ...]
    start: int
    stop: int

    @property
    def kinds(self) -> set[str]:
        """Return the kinds of its values."""
        return {part.kind for part in self.parts} & set(_STYLE.split())


_MARKER = re.compile(r"\b(?P<vertical>vertical)\s+marker(?=s?\b)", re.IGNORECASE)
_LEFT_AS = re.compile(
    r"(?<!the )(?<!on )(?<!at )\bleft\s+(?=(?:linear|log(?:arithmic)?)\b(?!\s+(?:axis|scale)))", re.IGNORECASE
)
"""Everyday words of marks and of axes: ``vertical marker at 16:37``, ``|B| left linear``."""
_PANEL_LOOK = re.compile(
    rf"[,;.]\s*(?:and\s+)?(?:only\s+)?(?:the\s+)?(?P<look>(?:{PLACE})\s+panel\b(?!\s*[:=])[^,;.]*)(?=[,;.]|$)",
    re.IGNORECASE,
)
"""A clause about one panel: ``…, only last panel with a red line``."""
_PANEL_ORDER = re.compile(
    r"[,;:.]\s*(?:and\s+|with\s+)?(?:(?:panels?\s+)?(?:in\s+)?(?:(?:the|this)\s+)?order(?:ed)?(?:\s+(?:is|as|of))?\b"
    r"(?:\s+from\s+(?:the\s+)?top)?|(?:from\s+)?top\s+to\s+bottom\b|(?:first\b)?(?=.*\bthen\b))\s*[:=]?\s*(?P<names>[^\d;.:]+?)\s*\.?$",
    re.IGNORECASE,
)
_THEN = re.compile(r"(?:\s*,)?\s*\b(?:(?:and\s+)?(?:then|finally|last(?:ly)?)|and)\s+|\s*,\s*", re.IGNORECASE)
"""A last clause that only says the order of what is named before it, and what stands between its names."""


def take_panel_looks(text: str, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Split clauses that only say how the panel at a place looks from a request: they place no data there.

    >>> take_panel_looks("ACE n, V and Bz, only last panel in red, 3 May 2010", datetime(2026, 1, 1))
    ('ACE n, V and Bz, 3 May 2010', ('last panel in red',))
    >>> take_panel_looks("ACE n, V and Bz, 3 May 2010, first Bz then V", datetime(2026, 1, 1))
    ('ACE n, V and Bz, 3 May 2010', ('order: Bz, V',))
    """
    looks: list[str] = []
    if order := _PANEL_ORDER.search(text):
        before, names = text[: order.start()], _THEN.split(order["names"])
        if all(_is_quantity(name) and _quantities_of(name) <= _quantities_of(before) for name in names):
            text, looks = before, [f"order: {', '.join(names)}"]
    for clause in reversed(list(_PANEL_LOOK.finditer(text))):
        atoms = read_atoms(clause["look"], now)
        changes, left = read_clauses(clause["look"], atoms, _CHANGES)
        if changes and not left and not any("what" in atom.tags for atom in atoms):
            text = f"{text[: clause.start()]}{text[clause.end() :]}"
            looks.insert(0, clause["look"].strip())
    return text, tuple(looks)


@lru_cache(maxsize=256)
def take_looks(text: str, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Split what a request for a new figure says about looks from the rest; names of data stay in the rest.

    >>> now = datetime(2026, 1, 1)
    >>> take_looks("ACE Bz with a horizontal line at 0 for 2015-03-17", now)
    ('ACE Bz for 2015-03-17', ('horizontal line at 0',))
    >>> take_looks("ACE field with red Bz, density log scale", now)
    ('ACE field with Bz, density', ('Bz red', 'density log scale'))
    """
    if NUMBER_OF_RECORDS.search(text):
        return text, ()  # over 11 points is no limit of an axis
    if _PDF.search(text):
        raise NotUnderstood(
            "it is not clear whether 'pdf' is a file or a distribution",
            advice="write 'histogram of …' for the distribution, or 'save the figure as PDF'",
        )
    text = _LEFT_AS.sub("", _MARKER.sub(r"\g<vertical> line", text))
    text = _COLOURS_IN_TURN.sub(_colours_in_turn, in_plainer_words(text, "looks"))
    text = with_marked_days(with_quoted_labels(text), now)
    while (each := _numbered().sub(r"\g<first>\g<mission>\g<number>", text)) != text:
        text = each
    text = _with_raw_named(text, now)
    text = _ION.sub(lambda ion: ion["element"] + ion["charge"].replace("+", "plus"), text)
    atoms = read_atoms(text, now)
    phrases: list[_Phrase] = []
    for anchors, near in _PHRASES:
        phrases += _phrases(atoms, anchors, near, text, phrases, now)
    styles: list[_Phrase] = []
    for anchors, near in _STYLES:
        styles += _phrases(atoms, anchors, near, text, [*phrases, *styles], now)
    shades = [match.span() for match in _SHADED_WHERE.finditer(text)]
    conditions = [*condition_spans(text), *bin_range_spans(text), *shades]
    phrases = [
        phrase
        for phrase in phrases
        if not (_overlaps(phrase, conditions) or _OF_DATA.match(text, phrase.stop) or _is_band(phrase, text))
    ]
    is_alone = sum("what" in atom.tags for atom in atoms) == 1
    styles = [
        style
        for style in styles
        if _is_style(style, text, alone=is_alone)
        and not _overlaps(style, conditions)
        and not _OF_MARK.match(text, style.parts[-1].start)
    ]
    if any(style.kinds == {"range"} and _ONLY.search(text[: style.start]) for style in (*phrases, *styles)):
        raise NotUnderstood(
            "it is not clear whether a range limits the data or the axis",
            advice="write 'only values between A and B' for the data, or 'y axis from A to B'",
        )
    names = [atom for atom in atoms if _NAMED & set(atom.tags) and not _is_within(atom, phrases)]
    for style in styles:
        letter = _LONE_LETTER.search(text[: style.start])
        if letter and all(not name.start <= letter.start("name") < name.stop for name in names):
            raise NotUnderstood(
                f"it is not clear which line '{letter['name']}' is", advice="name the quantity"
            )
        directly = [name for name in names if re.fullmatch(r"\s*\(?", text[name.stop : style.start])]
        if style.kinds == {"scale"} and any(_lists_quantities(name.text) for name in directly):
            raise NotUnderstood(
                "it is not clear which axis is logarithmic or linear",
                advice="write commas between the quantities, or 'all axes log'",
            )
    names = [name for name in names if name.kind != "what" or not _OF_EACH.match(name.text)]
    placed = [  # speed and density, density below the speed in red
        pair
        for pair in pairwise(names)
        if _is_named_before(pair[0], names) and _PLACED.fullmatch(text[pair[0].stop : pair[1].start])
    ]
    neighbours = [neighbour for _, neighbour in placed]
    names = [name for name in names if name not in neighbours]
    tools = [atom for atom in atoms if atom.kind == "tool" and not _is_within(atom, phrases)]
    computed = {style.start: _of_computed(style, styles, tools, names, text) for style in styles}
    several = len(names) > 1 or any(computed.values())
    read = [
        (style, computed[style.start] or _with_names(style, styles, names, text, several=several))
        for style in styles
    ]
    again = [
        name
        for _, (_, name) in read
        if name is not None
        and (name.kind in ("tool", "every") or _is_named_before(name, names))
        and not _OF_INPUT.search(text[: name.start])
        and not (name.kind == "what" and _is_computed(name, text))
        and all(name is not own for own, _ in placed)
        and not _PLACE_BEHIND.match(text, name.stop)  # speed and density, density below in red
    ]
    named = {style.start: words for style, (words, _) in read}
    looks, rest, at = [], "", 0
    left = "".join(text[at:stop] for at, stop in _between(phrases, len(text)))
    is_drawn = ignoring_case(GROUP).search(left) or names_quantity(left)
    only = [phrase for phrase in phrases if not is_drawn or _begins_list(phrase, names, text)]
    removed: list[_Phrase | Atom] = [*phrases, *styles, *again]
    for part in sorted(removed, key=lambda part: part.start):
        stop = part.stop
        tail = _TAIL.match(text[stop:])
        stop += tail.end() if tail else 0
        before = text[at : part.start]
        is_joint = at > 0 and _LEAD.fullmatch(before)  # of a name and its look: density on log axis
        places = [place.end() for place in _PLACE_BEHIND.finditer(before)]
        is_led = part in phrases or is_joint or (places and _LEAD.fullmatch(before, places[-1]))
        rest += _LEAD.sub(" ", before) if is_led else f"{before} "
        if part in only:  # a line at 0 in the Bz panel, ACE 2015-03-17
            rest += ", ".join(name.text for name in _names_of(part)) + ", "
        if part not in again:
            words = text[part.start : stop].strip(" ,")
            words += _in_its_panel(part, names, text) if part in phrases else ""
            drawn = [name.text for clause in only for name in _names_of(clause) if name.kind == "what"]
            if part in only and len(drawn) == 1:  # on the SYM-H plot: it is no name of what is shaded
                of_data = ignoring_case(rf"\s+(?:on|in|over)\s+(?:the\s+)?{re.escape(drawn[0])}$")
                words = of_data.sub("", words)
            looks += named.get(part.start) or [words]
        at = stop
    return " ".join(_with_charges(rest + text[at:]).split()), tuple(looks)


def _is_band(phrase: _Phrase, text: str) -> bool:
    """Return whether a range picks a part of the data, and is no range of the axis of a spectrogram."""
    is_range = "noun:bin_axis" in phrase.parts[0].tags and phrase.kinds == {"range"}
    energies = phrase.parts[0].text.casefold().startswith("energ") and _SPECTRAL.search(text)
    return is_range and not (energies and not _OF_BAND.search(text[: phrase.parts[-1].start]))


def _in_its_panel(phrase: _Phrase, names: Sequence[Atom], text: str) -> str:
    """Return in brackets the name that alone gives the panel of a line or a range: ``Kp with a line at 5``."""
    tags = {tag for part in phrase.parts for tag in part.tags}
    ahead = [name for name in names if name.stop <= phrase.start]
    if not tags & _OF_A_PANEL or tags & {"what", "panel", "craft", "every"} or not ahead or len(names) == 1:
        return ""
    owned = _OF_OWNER.fullmatch(text[ahead[-1].stop : phrase.start])
    joint = _IN_LIST.fullmatch(text[ahead[-2].stop : ahead[-1].start]) if len(ahead) > 1 else None
    own, *others = (_quantities_of(name.text) for name in ahead[-1:-3:-1])
    is_alike = own in others and not _is_named_before(ahead[-1], names)  # Bx, By, Bz with a line at 0
    if not owned or not own or (joint and not owned["its"] and (joint["and"] or is_alike)):
        return ""
    return f" ({ahead[-1].text})"


def _with_charges(text: str) -> str:
    """Write ions with signs: ``H+`` in place of ``Hplus``."""
    return _ION_IN_LETTERS.sub(lambda ion: ion["element"] + ion["charge"].replace("plus", "+"), text)


def _overlaps(phrase: _Phrase, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < phrase.stop and phrase.start < stop for start, stop in spans)


@cache
def _numbered() -> re.Pattern[str]:
    """Return the pattern of a spacecraft's number behind the look of another: ``Cluster 1 (black) and 4 (blue)``."""
    missions = "|".join(re.escape(name) for name in families())
    return re.compile(
        rf"(?P<first>\b(?P<mission>(?:{missions})[\s-]*)(?:[A-E]|\d\d?)\s*\([^()\d]*\)\s*(?:,\s*|and\s+|&\s*)+)"
        r"(?P<number>(?:[A-E]|\d\d?)(?=\s*\([^()\d]*\)))",
        re.IGNORECASE,
    )


def with_labels_named(text: str) -> str:
    """Give the names of several lines to their spacecraft, if they are as many: ``legend "P10" for Pioneer-10``."""
    listed = _LABELS.search(text)
    if listed is None or _MARKS.search(text):
        return text
    before = text[: listed.start()]
    crafts = list(dict.fromkeys(craft for _, craft in read_spacecraft(Sentence(before))))
    labels = [label.strip('"') for label in re.split(r"\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+", listed["labels"])]
    if len(labels) != len(crafts):
        raise NotUnderstood(
            f"it is not clear which lines '{listed[0].strip(' ,;')}' names",
            advice=f"name each line: 'legend \"{labels[0]}\" for …'",
        )
    written = "".join(f', legend "{label}" for {craft}' for label, craft in zip(labels, crafts, strict=True))
    return f"{before}{written}{text[listed.end() :]}"


def _with_mission_of_letter(text: str) -> str:
    """Give a letter its mission in ``STEREO A and B speed, daily means for B only``, unless it may be the field."""
    match = _LETTER_ALONE.search(text)
    rest = Sentence(f"{text[: match.start()]}{text[match.end() :]}") if match else Sentence("")
    crafts = {craft for _, craft in read_spacecraft(rest)}
    names = [craft for craft in crafts if match and craft.endswith(f"-{match['letter']}")]
    if match is None or len(names) != 1 or len(crafts) < 2:
        return text
    named, field = read_quantities(rest, magnitude=False)
    if match["letter"] == "B" and (field >= 0 or {B, ABS_B} & {quantity.name for _, quantity in named}):
        raise NotUnderstood(f"it is not clear whether 'B' is {names[0]}", advice=f"write '{names[0]} only'")
    return f"{text[: match.start('letter')]}{names[0]}{text[match.end('letter') :]}"


def with_missions_of_letters(text: str) -> str:
    """Give letters with colours the mission that the request names alone: ``STEREO A and B: A red, B blue``."""
    text = _with_mission_of_letter(text)
    letters: dict[str, set[str]] = {}
    for named in ignoring_case(rf"(?P<craft>{names_of_spacecraft()}){_MORE_LETTERS}").finditer(text):
        craft = re.fullmatch(r"(.+-)([A-E])", spellings().get(named["craft"].casefold(), ""))
        if craft is not None:
            letters.setdefault(craft[1], set()).update(craft[2], re.findall(r"\b[A-E]\b", named["more"]))
    for match in reversed(list(_LETTERS_WITH_COLOURS.finditer(text)) if len(letters) == 1 else []):
        ((stem, own),) = letters.items()
        if own.issuperset(letter for letter, _ in re.findall(_LETTER_WITH_COLOUR, match[0])):
            named_too = re.sub(_LETTER_WITH_COLOUR, rf"{stem}\g<letter>\g<colour>", match[0])
            text = f"{text[: match.start()]}{named_too}{text[match.end() :]}"
    return text


def _with_raw_named(text: str, now: datetime) -> str:
    """Give a look of the input of a computed line to its name: ``running mean of Bz, plus the raw one in grey``."""
    text = _with_raw_joined(text, now)
    raw = _RAW_TOO.search(text)
    atoms = read_atoms(text, now) if raw else []
    ahead = [atom for atom in atoms if raw and atom.start < raw.start()]
    tools = [atom for atom in ahead if {"tool", "verb:smooth"} & {*atom.tags}]
    names = list(dict.fromkeys(_SINCE.sub("", atom.text) for atom in ahead if "what" in atom.tags))
    if raw is None or not names or len({atom.tags[-1] for atom in tools}) != 1:
        return text
    coloured = any(atom.start > tools[-1].start and "colour" in atom.tags for atom in ahead)
    has_look = coloured and not re.match(r"\s+of\b", text[tools[-1].stop :])
    if has_look and len(names) > 1:
        return text
    stop, look = raw.end(), ""
    for atom in (atom for atom in atoms if atom.start >= raw.end()):
        if not _NEAR.fullmatch(text[stop : atom.start]):
            break
        if "what" in atom.tags and not look and names == [atom.text]:
            stop = atom.stop
        elif _LOOK_OF_LINE & {*atom.tags}:
            look, stop = f"{look} {atom.text}", atom.stop
        else:
            break
    if has_look:
        at = next(atom.stop for atom in reversed(ahead) if "what" in atom.tags)
        look = f" in{look}" if look else ""
        return f"{text[:at]}{look}{text[at : raw.start()]} over the raw data{text[stop:]}"
    looks = "".join(f", {name}{look}" for name in names) if look else ""
    return f"{text[: raw.start()]} over the raw data{text[stop:]}{looks}"


def _with_raw_joined(text: str, now: datetime) -> str:
    """Join the input of the one computed series to it: ``Bz, raw in grey and the running mean in red``."""
    raw = _RAW_WITH_LOOK.search(text)
    atoms = read_atoms(text, now) if raw else []
    names = {atom.text for atom in atoms if raw and "what" in atom.tags and atom.start < raw.start()}
    computes = any({"tool", "verb:smooth"} & {*atom.tags} for atom in atoms)
    look = next((atom for atom in atoms if raw and atom.start >= raw.end()), None)
    if raw is None or look is None or not computes or len(names) != 1 or not _LOOK_OF_LINE & {*look.tags}:
        return text
    if computed := _BEHIND_RAW.fullmatch(text[raw.end() :]):
        again = _COMPUTED_AGAIN.fullmatch(computed["computed"])
        if again and any(atom.start < raw.start() and "tool" in atom.tags for atom in atoms):
            ahead, comma, time = text[: raw.start()].rpartition(",")
            if not is_time(time.strip()):
                ahead, comma, time = text[: raw.start()], "", ""
            return f"{ahead} in {again['look']} plus the raw data in {computed['look']}{comma}{time}"
        return f"{text[: raw.start()]}, {computed['computed']} plus the raw data in {computed['look']}"
    return f"{text[: raw.start()]} with the raw data{text[raw.end() :]}"


def _begins_list(phrase: _Phrase, names: Sequence[Atom], text: str) -> bool:
    """Return whether the name in a leading mark begins the list of what to draw: ``shade 6:00 to 7:00 on n and V``."""
    own = phrase.parts[-1]
    later = next((name for name in names if name.start >= phrase.stop), None)
    return (
        own in _names_of(phrase)
        and later is not None
        and names_quantity(later.text)
        and _LISTED.fullmatch(text[phrase.stop : later.start]) is not None
        and not names_quantity(text[: phrase.start])
        and not _quantities_of(own.text) & _quantities_of(text[phrase.stop :])
    )


def _between(phrases: Sequence[_Phrase], stop: int) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a text before, between and behind phrases begin and end."""
    at = 0
    for phrase in sorted(phrases, key=lambda phrase: phrase.start):
        yield at, phrase.start
        at = phrase.stop
    yield at, stop


def _names_of(phrase: _Phrase) -> list[Atom]:
    """Return the quantities and spacecraft that a phrase names."""
    return [
        part
        for part in phrase.parts
        if part.kind == "craft"
        or (part.kind == "what" and (names_quantity(part.text) or read_spacecraft(Sentence(part.text))))
    ]


def _atoms_of(words: str) -> set[tuple[str, str]]:
    """Return the quantities of the table that words name, with their components."""
    placed, field = read_quantities(Sentence(words), magnitude=False)
    return {(quantity.name, quantity.component) for _, quantity in placed} | (
        {(B, "")} if field >= 0 else set()
    )


def _quantities_of(words: str) -> set[str]:
    """Return the quantities of the table that words name, without their components."""
    return {name for name, _ in _atoms_of(words)}


def _lists_quantities(words: str) -> bool:
    """Return whether words are several quantities without commas: ``speed density temperature``."""
    return len(_quantities_of(words)) > 1 and all(map(_quantities_of, words.split()[-2:]))


def _is_quantity(words: str) -> bool:
    """Return whether words are the name of a quantity of the table, and say nothing more."""
    sentence = Sentence(words)
    placed, field = read_quantities(sentence, magnitude=False)
    return (bool(placed) or field >= 0) and not sentence.unread()


def names_quantity(words: str) -> bool:
    """Return whether words name a quantity of the table."""
    return bool(_quantities_of(words))


def _phrases(
    atoms: Sequence[Atom], anchors: str, near: str, text: str, others: Sequence[_Phrase], now: datetime
) -> list[_Phrase]:
    """Return the phrases that begin at parts of certain kinds and are not in other phrases."""
    atoms = [atom for atom in atoms if not _is_within(atom, others)]
    phrases: list[_Phrase] = []
    for at, atom in enumerate(atoms):
        if _is_within(atom, phrases) or not set(anchors.split()) & set(atom.tags):
            continue
        parts = without_time_range(_grown(atoms, at, frozenset(near.split()), text), now)
        if _AS_A.search(text[: parts[0].start]):  # as a dashed line on 5 May
            parts = [part for part in parts if part.kind != "time"]
        needed = set(_NEEDS.get(anchors, "").split())
        if not needed or any(needed & set(part.tags) for part in parts):
            phrases.append(_Phrase(tuple(parts), parts[0].start, parts[-1].stop))
    return phrases


def _is_within(atom: Atom, phrases: Sequence[_Phrase]) -> bool:
    return any(phrase.start <= atom.start < phrase.stop for phrase in phrases)


_OF_BAND = re.compile(
    r"\b(?:averag|integrat|summ)\w*\s+(?:(?:over|in)\s+)?(?:the\s+)?"
    r"(?:(?:pitch[- ]?)?angles?|PAs?|energ(?:y|ies))?\s*$",
    re.IGNORECASE,
)
"""Pattern of words before a range of energies or pitch angles over which a flux is averaged or integrated."""


_ONLY = re.compile(r"\bonly\s+(?:(?:in|for|within)\s+)?(?:the\s+)?$", re.IGNORECASE)
_LONE_LETTER = re.compile(r"[,;]\s*(?P<name>[A-Z])\s+(?:in\s+)?$")
_SPECTRAL = re.compile(r"\bspectr", re.IGNORECASE)
"""Pattern of spectra and spectrograms, whose axis has the energies that otherwise pick a part of the particles."""


def _is_style(style: _Phrase, text: str, *, alone: bool) -> bool:
    """Return whether parts that may also mean something else are about looks: ``as dots``, ``between 1 and 5 nT``.

    `alone` is true if the request names one quantity: a range such as ``between -1 and 1`` is then that of its axis.
    """
    first, kinds = style.parts[0], style.kinds
    if first.kind == "factor":
        return True
    if kinds == {"mode"}:
        return _AS.search(text[: first.start]) is not None
    if kinds == {"paneltype"}:
        return bool(first.value == "bars")
    if kinds == {"range"} and first.kind != "range":
        return True  # scale 0-150 nT
    if kinds == {"range"}:
        frequencies = re.fullmatch(r"[mkM]?Hz", first.value.unit or "") is not None  # of a band
        energies = (first.value.unit or "").endswith("eV") and not _SPECTRAL.search(text)
        return (
            (bool(first.value.unit) or (alone and first.value.low == -(first.value.high or 0)))
            and not frequencies
            and not energies
            and not _OF_BAND.search(text[: first.start])
            and ignoring_case(r"from|between").match(first.text) is not None
        )
    if kinds == {"relative"}:
        lined = any(part.kind in ("line", "noun") for part in style.parts)
        return first.value in _WEIGHTS and (
            lined or re.match(r"\s*(?:[,;.]|$)", text[style.stop :]) is not None
        )
    return kinds != {"bound"} or any(part.kind == "verb" for part in style.parts)


def _of_computed(
    style: _Phrase, styles: Sequence[_Phrase], tools: Sequence[Atom], names: Sequence[Atom], text: str
) -> tuple[list[str], Atom | None] | None:
    """Read ``|B| with a running median on top of it in red``: a line beside its input has the look.

    The look names the input, too, for there may be other such lines: ``|B| running median red``.
    """
    start = max((other.stop for other in styles if other.stop <= style.start), default=0)
    near = [tool for tool in tools if start <= tool.start < style.start]
    is_size = style.parts[0].kind == "factor" or not style.kinds - {"scale"}
    if not near or is_size:  # an axis and a height are those of a panel, a size is that of the figure
        return None
    between = text[near[-1].stop : style.start]
    of_input, on_it = _OF_ITS_INPUT.fullmatch(between), _ON_IT.fullmatch(between)
    begins = max((end.end() for end in _CLAUSE_END.finditer(text, 0, style.start)), default=0)
    is_laid = _OVERLAID.search(text, begins, style.start) is not None and (of_input or on_it)
    joined = _JOINED.search(text[: near[-1].start]) and on_it
    if not (joined or is_laid or (of_input and _OVER_INPUT.search(text[style.stop :]))):
        return None
    mode = "as " if "mode" in style.kinds else ""
    earlier = any(tool.value == near[-1].value for tool in tools if tool.start < near[-1].start)
    again = earlier and _NAMED_AGAIN.search(text[: near[-1].start]) and not _LENGTH.match(text, style.stop)
    inputs = [name.text for name in names if begins <= name.start < near[-1].start and name.kind == "what"]
    # running means may be of several inputs
    input_name = f"{inputs[-1]} " if inputs and not near[-1].text.endswith("s") else ""
    return [f"{input_name}{near[-1].text} {mode}{text[style.start : style.stop]}"], near[
        -1
    ] if again else None


def _with_names(
    style: _Phrase, styles: Sequence[_Phrase], names: Sequence[Atom], text: str, *, several: bool
) -> tuple[list[str], Atom | None]:
    """Return the words of a phrase about lines or axes with the names to which it belongs, and such a name alone."""
    if in_order := _one_by_one(style, names, text):
        return in_order, None
    alike = [other for other in styles if other.kinds & style.kinds]
    words = f"{'as ' if 'mode' in style.kinds else ''}{text[style.start : style.stop]}"
    start = max((other.stop for other in alike if other.stop <= style.start), default=0)
    ahead = _ahead(style, names, text, start)
    again = len(ahead) > 1 or any(_is_named_before(name, names) for name in ahead)
    behind, linked = _behind(style, names, text)
    of_panels = again or (linked and re.match(r"\s*of\b", text[style.stop :]) is None)
    if (
        style.kinds == {"scale"}
        and ignoring_case(r"\baxes\b").search(words)
        and not of_panels
        and len({part.value for other in alike for part in other.parts if part.kind == "scale"}) < 2
    ):
        return [words], None
    leads = all(_behind(other, names, text)[0] for other in alike)
    introduced = _INTRODUCED.search(text[: style.start]) is not None
    # not in "Bz in red density"
    meant = behind if behind and (linked or not ahead or (leads and not introduced)) else ahead
    later = [name for name in names if name.start >= style.stop]
    owners = meant or [name for name in names if name.start < style.start]
    is_again = owners and any(_quantities_of(name.text) & _quantities_of(owners[-1].text) for name in later)
    if style.kinds == {"scale"} and is_again and _OF_PICTURE.search(text[: owners[-1].start]):
        return [f"frequency axis {words}"], None  # not the axis of the line beside its spectrum
    if not meant and style.kinds == {"scale"} and any(names_quantity(name.text) for name in later):
        return [f"{name.text} {words}" for name in names if name.start < style.start], None  # V, log, and Bz
    if not meant and _IN_ONE_PANEL.search(text[: style.start]):
        meant = [name for name in names if name.start < style.start and names_quantity(name.text)][-1:]
    if not meant or not several:
        return [words], None
    return [f"{text[meant[0].start : meant[-1].stop]} {words}"], meant[0] if len(meant) == 1 else None


def _colours_in_turn(match: re.Match[str]) -> str:
    """Write colours for several lines as ``in black, red and green``."""
    names = ignoring_case(COLOURS).findall(match["named"] or match["bare"])
    return f"in {', '.join(names[:-1])} and {names[-1]}"


def _is_computed(name: Atom, text: str) -> bool:
    """Return whether the clause around a name computes something: ``n and V, V smoothed over 1 h in red``."""
    start = max((match.end() for match in _CLAUSE_END.finditer(text, 0, name.start)), default=0)
    end = _CLAUSE_END.search(text, name.stop)
    clause = text[start : end.start() if end else len(text)]
    return bool(_RHYTHM.search(clause) or read_computations(Sentence(clause)))


def _is_named_before(name: Atom, names: Sequence[Atom]) -> bool:
    """Return whether earlier names have the words or the quantities of a name: ``n and T in 2008, density in red``."""
    words = re.compile(rf"(?<![\w|]){re.escape(name.text)}(?![\w|])", re.IGNORECASE)
    earlier = [other.text for other in names if other.start < name.start]
    if any(words.search(text) for text in earlier):
        return True
    said_before = {atom for text in earlier for atom in _atoms_of(text)}
    return _is_quantity(name.text) and _atoms_of(name.text) <= said_before


def _are_two(before: Sequence[Atom], names: Sequence[Atom], text: str) -> bool:
    """Return whether the last two of several names are named again, or joined apart from the others."""
    other, first, second = before[-3:]
    is_listed = _LISTED.fullmatch(text[other.stop : first.start])
    is_pair = _AND.fullmatch(text[first.stop : second.start]) and not is_listed
    return bool(is_pair) or all(_is_named_before(name, names) for name in (first, second))


def _one_by_one(style: _Phrase, names: Sequence[Atom], text: str) -> list[str]:
    """Read ``ACE and Wind in blue and red``, as many colours as names in the same order; ``n and T both in red``."""
    values = [part for part in style.parts if part.kind in style.kinds]
    before = [name for name in names if name.start < style.start]
    ahead = [name.text for name in before]
    if _BOTH.search(text[: style.start]):
        of_three = len({*ahead[-3:]}) == 3 and all(map(names_quantity, ahead[-3:]))
        if of_three and not _are_two(before, names, text):
            raise NotUnderstood("it is not clear which two lines 'both' are", advice="name the two lines")
        return [f"{name} {text[style.start : style.stop]}" for name in ahead[-2:]]
    if len(values) < 2 or len(style.kinds) > 1:
        return []
    crafts = ignoring_case(names_of_spacecraft()).findall(" ".join(ahead))
    for several in (crafts, ahead):
        distinct = list(dict.fromkeys(several))
        if len(distinct) == len(values):
            return [f"{name} {value.text}" for name, value in zip(distinct, values, strict=True)]
    in_turn = style.kinds == {"colour"} and len(values) > len({*ahead})  # of all lines of a few names
    return [text[style.start : style.stop]] if in_turn else []


def _behind(style: _Phrase, names: Sequence[Atom], text: str) -> tuple[list[Atom], bool]:
    """Return the names directly after a phrase, and whether ``for`` joins them: ``log scale for density and speed``."""
    later = [name for name in names if name.start >= style.stop]
    link = _LINK.fullmatch(text[style.stop : later[0].start]) if later else None
    if link is None:
        return [], False
    meant = later[:1]
    for name in later[1:] if link["link"] else ():
        if not _LISTED.fullmatch(text[meant[-1].stop : name.start]):
            break
        meant.append(name)
    return meant, bool(link["link"])


def _ahead(style: _Phrase, names: Sequence[Atom], text: str, start: int) -> list[Atom]:
    """Return the last name before a phrase: ``Bz of ACE in red``."""
    earlier = [name for name in names if start <= name.start < style.start]
    tail = text[earlier[-1].stop : style.start] if earlier else ";"
    is_figure = style.parts[0].kind == "factor" and _OF_FIGURE.search(tail)
    if is_figure or _BREAK.search(tail) or ("scale" in style.kinds and _APART.search(tail)):
        return []  # density, speed, log scale
    first = len(earlier) - 1
    while first > 0 and _LISTED.fullmatch(text[earlier[first - 1].stop : earlier[first].start]):
        if not all(_is_named_before(name, names) for name in earlier[first - 1 :]):
            break
        first -= 1  # V, n and T; n and T log
    return earlier[max(first, 0) :]


_OF_PICTURE = re.compile(r"\b(?:wavelet|spectrogram)\b[^,;]*$", re.IGNORECASE)
"""What stands before a quantity of which a picture over frequencies or periods is drawn."""
_OF_WHOLE_FIGURE = re.compile(
    r"\b(?:vertical\w*|v-?lines?|shad\w+|mark\w*|highlight\w*|title\w*|legends?|grid\w*|tall\w*|wide\w*|width|height|size|font\w*"
    r"|arrows?|annotat\w*|everything|all|both|each|figure|plot|axes|scales)\b",
    re.IGNORECASE,
)
"""Words of looks that are those of the whole figure, wherever they stand."""


def without_owner(look: str) -> tuple[str, str]:
    """Split a phrase from the name in brackets behind it, whose panel it has if the figure draws it.

    >>> without_owner("horizontal line at 5 (Kp)")
    ('horizontal line at 5', 'Kp')
    """
    owned = re.fullmatch(r"(?P<plain>.*) \((?P<name>[^()]*[^\W\d][^()]*)\)", look)
    return (owned["plain"], owned["name"]) if owned else (look, "")


def is_of_own_panels(look: str, now: datetime) -> bool:
    """Return whether a phrase about looks is only for the part of the figure that it stands beside: ``log axis``.

    >>> [is_of_own_panels(look, datetime(2026, 1, 1)) for look in ("log axis", "Bz red", "vertical line at 03:00")]
    [True, False, False]
    """
    of_others = {"what", "panel", "colormap", "noun:colour", "noun:colour_scale"}
    named = any(of_others & {*atom.tags} for atom in read_atoms(look, now))
    return not named and _OF_WHOLE_FIGURE.search(look) is None


def in_own_panels(look: str, editor: FigureEditor, now: datetime, first: int) -> list[str]:
    """Add the numbers of its panels to a look of one part of a figure; a look of the whole figure stays.

    A line or a range that names none of several panels stays, too, and helio asks later.

    Parameters
    ----------
    editor : FigureEditor
        The figure of the part alone.
    first : int
        The number of its first panel.
    """
    plain, owner = without_owner(look)
    if not is_of_own_panels(plain, now):
        return [look]
    own = set(editor.lines_of(owner)) if owner else set()
    panels = [first + at for at, lines in enumerate(editor.panels) if not own or own & {*lines}]
    is_of_one = any(_OF_A_PANEL & {*atom.tags} for atom in read_atoms(plain, now))
    return [look] if is_of_one and len(panels) > 1 else [f"{plain} in panel {number}" for number in panels]


def take_phrases(text: str, unread: Sequence[str], now: datetime) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Split the parts of a request that have words which helio did not read, if each part is a change of a figure.

    Yields
    ------
    tuple
        The rest of the request, and the parts; first without the parts, then with the names in them.

    >>> next(take_phrases("Wind V and n in 2008, right axis for n", ("right", "axis"), datetime(2026, 1, 1)))
    ('Wind V and n in 2008', ('right axis for n',))
    """
    if PICKED_BY_PLACE.search(text) or NUMBER_OF_RECORDS.search(text):
        return  # L 3-5 picks data, and is no range of an axis
    if ignoring_case(r"\bright\b").search(text):  # V at left, n at right
        text, _ = re.subn(_AT_LEFT, "", text)
        at_right = [match["what"] for match in _AT_RIGHT.finditer(text)]
        text = _AT_RIGHT.sub(r"\g<what>", text).strip(" ,;.") + "".join(
            f", right axis for {what}" for what in at_right
        )
        unread = [word for word in unread if word.casefold() != "left"]
    text = _with_time_last(text, now)
    telling = [word for word in unread if word.isalpha()] or unread  # a number may stand in a date, too
    words = re.compile(
        "|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in telling) or r"(?!)", re.IGNORECASE
    )
    for cut in _CUTS:
        pieces = ignoring_case(f"({cut})").split(text)
        named = list(pieces)
        phrases = []
        for at in range(0, len(pieces), 2):
            if not words.search(pieces[at]):
                continue
            phrase = pieces[at].strip(" .?!")
            atoms = read_atoms(phrase, now)
            changes, left = read_clauses(phrase, atoms, _CHANGES)
            if left or not changes:
                break
            phrases.append(phrase)
            pieces[at], named[at] = "", _names_in(phrase, atoms)
        else:
            for parts in (pieces, named):
                yield "".join(parts).strip(" ,;"), tuple(phrases)


_CONDITION = re.compile(r"\b(?:when|where|while|if)\b", re.IGNORECASE)
"""A word of a condition, which is no change of a figure either."""


_BEFORE_TIME = ignoring_case(
    r"\b(?:above|below|beneath|underneath|on\s+top|at\s+the\s+(?:top|bottom)|mean|average|median"
    rf"|radial|tangential|normal|components?)(?P<time>\s[{TAKEN}\s]+)\W*$"
)


def with_time_apart(text: str, now: datetime) -> str:
    """Write a comma between a place, an average or a component and the time behind it, which ends the request.

    >>> with_time_apart("ACE Bz, the density above 2010-05-01", datetime(2026, 1, 1))
    'ACE Bz, the density above, 2010-05-01'
    """
    sentence = Sentence(text)
    times = list(sentence.take_times(now))
    taken = _BEFORE_TIME.search(sentence.left)
    if len(times) != 1 or taken is None:
        return text
    return f"{sentence.text[: taken.start('time')]},{sentence.text[taken.start('time') :]}"


def _with_time_last(text: str, now: datetime) -> str:
    """Write the only time of a request behind the words that it stands beside: it is no part of a change.

    >>> _with_time_last("speed for March 2003 above the density", datetime(2026, 1, 1))
    'speed above the density, for March 2003'
    """
    sentence = Sentence(text)
    times = list(sentence.take_times(now))
    taken = re.search(rf"(?<=[^,;:])\s{TAKEN}+(?P<rest>[^,;:{TAKEN}]*)$", sentence.left)
    if len(times) != 1 or taken is None or _CONDITION.search(text):
        return text
    return f"{text[: taken.start()]}{taken['rest']},{text[taken.start() : taken.start('rest')]}"


def _names_in(phrase: str, atoms: Sequence[Atom]) -> str:
    """Return a phrase without the words that say how to draw the data that it names."""
    for atom in sorted(atoms, key=lambda atom: -atom.start):
        if atom.kind not in ("what", "craft", "time", "moment", "frame"):
            phrase = f"{phrase[: atom.start]} {phrase[atom.stop :]}"
    return phrase


def is_same_data(shorter: PipelineRequest, whole: PipelineRequest) -> bool:
    """Return whether a request without some parts asks for the data, times and computations of the whole request."""
    return (
        (shorter.times, shorter.spacecraft, shorter.datasets, shorter.computations, shorter.energies)
        == (whole.times, whole.spacecraft, whole.datasets, whole.computations, whole.energies)
        and (shorter.cadence, shorter.frame, shorter.instruments)
        == (whole.cadence, whole.frame, whole.instruments)
        and set(shorter.quantities) <= set(whole.quantities)
        and bool(shorter.quantities) == bool(whole.quantities)
    )


def _grown(atoms: Sequence[Atom], at: int, near: frozenset[str], text: str) -> list[Atom]:
    """Return the part at an index with its neighbours of certain kinds, between which only small words stand."""
    first = last = at
    is_marked = "verb:mark" in atoms[at].tags and atoms[at].text.endswith("ed")
    while first and _joins(atoms[first - 1], atoms[first], near, text):
        first -= 1
    while (
        last + 1 < len(atoms)
        and (near & set(atoms[last + 1].tags) or _is_named(atoms[last : last + 3], text))
        and _NEAR.fullmatch(between := text[atoms[last].stop : atoms[last + 1].start])
        and not (is_marked and "," in between)  # with the minima marked, 5 May 2010
    ):
        name = {"what", "panel"} & set(atoms[last + 1].tags)
        following = atoms[last + 1]
        ahead, word = text[: following.start], following.text.partition(" ")[0]  # y axis | of the first
        placed = _PLACE.search(ahead) or _PLACE.search(f"{ahead}{word} ")
        if name and not (placed or _is_named(atoms[last : last + 3], text)):
            break
        last += 1
    return list(atoms[first : last + 1])


def _is_named(parts: Sequence[Atom], text: str) -> bool:
    """Return whether a name says what happens at a time that a phrase marks: ``mark the shock at 04:45``."""
    verb, name, *then = parts
    at_clock = any(":" in part.text and "," not in text[name.stop : part.start] for part in then)
    at_name = "noun:vertical_line" in verb.tags and verb.text[-3:] in (" at", " on") and at_clock
    return "what" in name.tags and (at_name or not {"verb:mark", "verb:shade"}.isdisjoint(verb.tags))


def _joins(before: Atom, atom: Atom, near: frozenset[str], text: str) -> bool:
    """Return whether a part before another belongs to its phrase; a name of what to draw does not."""
    between = text[before.stop : atom.start]
    joint = r"\s*(?:to|until|[-–])\s*" if before.kind == atom.kind == "moment" else r"\s*(?:an?|the)?\s*"
    return bool((near - {"what", "panel"}) & set(before.tags)) and re.fullmatch(joint, between) is not None


def _with_plain_name(look: str, editor: FigureEditor, now: datetime) -> str:
    """Leave out of the name of a line what says which data it has: ``FPI fast-mode density in red``, ``Bz GSM red``."""
    atoms = read_atoms(look, now)
    named = [line for atom in atoms if atom.kind == "what" for line in editor.lines_of(atom.text)]
    for frame in (atom for atom in atoms if atom.kind == "frame"):
        if named and all(editor.lines.frame(line) == frame.value for line in named):
            look = re.sub(rf"\s+(?:in\s+)?{re.escape(frame.text)}\b", "", look)
    for atom in atoms:
        words = atom.text.split() if atom.kind == "what" and not editor.lines_of(atom.text) else []
        sources: list[str] = []
        for stop in range(len(words) - 1, 0, -1):  # the speed from SOHO CELIAS/PM
            behind = "/".join(words[stop:]).split("/")
            lines = editor.lines_of(" ".join(words[:stop]))
            if len(lines) == 1 and all(_is_source(word, lines[0], editor) for word in behind):
                return look.replace(atom.text, lines[0])
        while words:
            name = " ".join(words)
            bare = [word for word in words if not _FLUX.match(word)]
            element = " ".join(_OF_ELEMENTS.get(word.casefold(), word) for word in bare)
            ion = _with_charges(name)
            species = " ".join(SYMBOLS.get(word, word) for word in ion.split())
            names = dict.fromkeys((name, element, ion, species))
            if lines := next(filter(None, map(editor.lines_of, names)), []):
                own = len(lines) == 1 and all(_is_source(word, lines[0], editor) for word in sources)
                return look.replace(atom.text, lines[0]) if own else look
            sources.append(words.pop(0))
    return look


def _is_source(word: str, line: str, editor: FigureEditor) -> bool:
    """Return whether a word names a mode, or the spacecraft or the instrument of a line."""
    crafts = map(folded, editor.lines.crafts(line))
    return is_mode(word) or folded(word) in crafts or bool(editor.lines.of_instrument(word, [line]))


def _hides_field(editor: FigureEditor, axis: str, limits: Sequence[float | None]) -> bool:
    """Return whether the range of an axis begins at 0 or above, and its panel has the field vector alone."""
    lines = editor.panels[int(axis) - 1] if axis.isdecimal() and int(axis) <= len(editor.panels) else []
    is_field = [editor.lines.is_vector(line) and editor.lines.quantities(line) == {B} for line in lines]
    return bool(lines) and all(is_field) and limits[0] is not None and limits[0] >= 0


def changed_looks(
    looks: Sequence[str], template: Document, *, catalogue: Catalogue, ask: Asks, now: datetime
) -> tuple[Document, list[str]]:
    """Apply phrases about looks to the figure of a template; return the new template and notes.

    Raises
    ------
    NotUnderstood
        A phrase has no meaning for this figure.
    """
    if not looks:
        return template, []
    editor = FigureEditor(template, catalogue, ask, now)
    usual: dict[str, str] = {}
    for figure in editor.figures():
        editor.choose(figure)
        usual |= editor.spec.get("trace_colors") or {}
    coloured: dict[str, str] = {}
    for look in sorted(looks, key=lambda look: _OF_OTHERS.match(look) is not None):
        plain, owner = without_owner(look)
        is_drawn = owner and len(editor.panels) != 1 and editor.lines_of(owner)
        phrase = _with_plain_name(look if is_drawn else plain, editor, now)
        changes, left = read_clauses(phrase, read_atoms(phrase, now), _CHANGES)
        if left or not changes:
            raise NotUnderstood(f"helio does not understand '{phrase}'")
        for figure, change in product(editor.figures(), changes):  # compared times have a figure each
            editor.choose(figure)
            held = editor.spec.get("y_range")
            change.rule.change(editor, change.clause)
            limits = editor.spec.get("y_range") or {}
            if isinstance(held, dict) and any(limits.get(at) != own for at, own in held.items()):
                raise NotUnderstood(f"it is not clear for which panel '{phrase}' is")
            if isinstance(limits, dict) and any(_hides_field(editor, *limit) for limit in limits.items()):
                raise NotUnderstood(
                    f"'{phrase}' would hide what the components of the field have below 0",
                    advice="write '|B|' for the magnitude, or a range that begins below 0",
                )
            colours = editor.spec.get("trace_colors") or {}
            given = {line: colours[line] for line in _coloured_by_wish(editor) & {*colours}}
            if any(coloured.get(line, colour) != colour for line, colour in given.items()):
                raise NotUnderstood(f"it is not clear which line '{phrase}' means")
            coloured |= given
    for figure in editor.figures():
        editor.choose(figure)
        _exchange_colours(editor, usual)
    return editor.after, editor.notes


def _coloured_by_wish(editor: FigureEditor) -> set[str]:
    """Return the lines whose colours looks have set."""
    return {line for key, line in editor.wished if key == "trace_colors"}


def _exchange_colours(editor: FigureEditor, usual: Mapping[str, str]) -> None:
    """Swap colours: a line that loses its usual colour to a line of its panel gets that line's usual colour.

    If another line of the figure keeps that one, it gets a colour that no line has.
    """
    colours = editor.spec.get("trace_colors") or {}
    wished, taken = _coloured_by_wish(editor), {*colours.values()}
    free = (colour for colour in MORE_COLOURS if colour not in taken)
    given: dict[str, str] = {}
    for panel in editor.panels:
        for line in (line for line in panel if line in wished & {*usual}):
            alike = [other for other in panel if other not in wished and colours.get(other) == colours[line]]
            old = usual[line]
            if alike and old not in given:
                given[old] = next(free, old) if old in taken else old
            for other in alike:
                colours[other] = given[old]
