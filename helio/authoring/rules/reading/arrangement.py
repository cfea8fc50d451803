"""Read the arrangement of a new figure: which lines share a panel, what panels show, and a list of panels in order.

A phrase that moves one panel, such as ``density below the field``, is a change: `arranging` applies it to the figure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import BinWidth, Lines, Panels, Place, RequestQuantity
from helio.authoring.rules.changes.atom_values import BIN_COUNT, BIN_RANGE, BIN_WIDTHS, bin_range, bin_width
from helio.authoring.rules.changes.atoms import COUNT, COUNTED, PANEL, PLACE, PLACES
from helio.authoring.rules.computations.computed import INPUT
from helio.authoring.rules.reading.own_computations import ITS_AVERAGE
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.reading.spellings import SPELLINGS
from helio.authoring.rules.times.date_pairs import MONTH
from helio.authoring.writing.computations import NEARBY
from helio.authoring.writing.layout import BELOW_AXIS, MIDDLE
from helio.knowledge.phrases import phrase_pattern
from helio.knowledge.quantities import DISTANCE, L_SHELL, LATITUDE, LONGITUDE, MLT, POSITION, SOURCES
from helio.knowledge.quantity_words import VECTORS
from helio.patterns import ignoring_case

_ONE = r"(?:one|1|the same|same|a single|single|a common|common|one single|a shared|one common)"
_TOGETHER = (
    r"(?:\b(?:(?:all|both|together)\s+)?\b(?:in(?:to)?|on|as|sharing)|[,;:]|\bwith)\s*"
    rf"{_ONE} (?:panel|axes|plot|axis|graph)\b(?!\s+(?:each|per|for\s+each)\b)"
    r"|\bsame (?:axis|axes|panel|plot)\b|\b(?:one|single|1)-panel\b"
    r"|\b(?:drawn|plot(?:ted)?|shown)\s+together(?=\s+with\b)"
    r"|\btogether\b(?=\s*[,;].*\bseparate)|\bon top of each other\b|\b(?:all|both|everything)\s+in\s+one\b(?!\s+\w)"
)
_ANOTHER = (
    r"\b(?:in|on)\s+(?:another|the\s+(?:other|next)|a\s+(?:second|third|different|separate))(?:\s+(?:one|panel|plot))?"
    r"(?=\s*(?:$|[,.;)\x01]|(?:for|on|in|during|and)\b))"
)
_LAID = (
    r"\b(?:overplott?(?:ed)?|overlaid|overlayed|superimposed"
    r"|(?:drawn|plotted|laid)\s+on\s+top(?!\s+of\b|.*\b(?:below|beneath|under\w*)\b))\b"
)
"""Lines over each other: all, or each quantity of several spacecraft in its own panel."""
_APART = (
    r"\b(?:each|every one|all)?\s*(?:(?:(?:in|on|as)\s+)?(?:its|their)\s+own|(?<=each )own)"
    r"\s+(?:panels?|plots?|axes)\b"
    r"|\b(?:each|every one|one)\s+(?:in|on|per)\s+(?:an?\s+|its\s+)?"
    r"(?:own\s+|separate\s+)?panels?\b"
    rf"|\b(?:(?:in|on|as|using)\s+)?(?:(?P<count>{COUNT}|\d)\s+)?(?:separate|different|individual|own)\s+{PANEL}\b"
    r"|\b(?:one|an?)\s+panel\s+(?:each|for\s+each(?!\s+\w))\b"
    r"|\bseparately\b"
    r"|\b(?:one|panels?|stacked)\s+(?:below|beneath|above|under)\s+(?:(?:the )?other|each other|(?:one )?another)\b"
)
_OWN = rf"(?:\s+(?:in|on|per)\s+(?:(?:its|an?)\s+)?(?:(?:own|separate)\s+)?{PANEL})?"
_PANEL_PER = (
    rf"\b(?:(?:with|in)\s+)?(?:(?:one|an?)\s+{PANEL}\s+(?:per|for\s+(?:each|every))|each|one)\s+"
    rf"(?:(?:physical\s+)?(?P<what>quantity|parameter|variable)|spacecraft|satellite|mission|probe)\b{_OWN}"
)
"""Words that give each quantity, or each spacecraft, a panel."""
_COMPONENTS_APART = (
    rf"\b(?:with\s+)?(?:each|every|the|all|one)\s+(?:(?:of\s+the|three|vector|field)\s+)*components?\s+(?:in|on|per)\s+"
    rf"(?:(?:its|an?|their)\s+)?(?:own|separate|different|individual)\s+{PANEL}\b"
    rf"|\b(?:one|an?)\s+panel\s+(?:for\s+each|per)\s+component\b|(?<=\bcomponents)\s+in\s+(?:(?:three|3)\s+)?(?:separate|different|own)\s+{PANEL}\b"
)
"""Words that give each component of a vector a panel."""
_NUMBER_OF_PANELS = (
    rf"\b(?:(?:in|as|on|with|using)\s+)?({COUNT}|\d)(?:\s+|-)(?:separate\s+|stacked\s+|small\s+)*"
    r"(?:panels?|subplots|rows|pictures)(?:\s+(?:plot|figure))?\b"
)
_NUMBER_OF_LINES = (
    rf"(?<![\w.-])(?:(?:just|only|exactly)\s+)?(?:(?:in|as|with|using)\s+)?(?P<count>{COUNT}|\d)[\s-]+(?:(?:stacked|different|distinct)\s+)*"
    r"(?P<what>line|curve|trace|colou?r|spectrogram)s?\b(?!\s+(?:per|for|at|of|each|scale|bar|range|map)\b)"
)
_SIDE = (
    r"\b(?:with\s+)?(?:the\s+)?(?:shar(?:e|es|ed|ing)\s+)?(?:an?\s+|the\s+)?(?:same\s+|shared\s+|common\s+)"
    r"(?:time|x)[- ](?:axis|range)\b|\bshar(?:e|es|ed|ing)\s+(?:the\s+|an?\s+)?(?:time|x)[- ]axis\b"
    r"|\b(?:in )?(?:nice(?:ly)?\s+)?(?:different|contrasting|distinct) colou?rs\b"
)
_LAST = 99
_POSITION = (
    rf"\b(?:(?:and\s+)?(?:in|on|at|as|for)\s+)?(?:the\s+)?(?:very\s+)?(?:(?P<alone>top|bottom|middle|centre|center|last(?=\s*(?:$|[,.;:)]|(?:for|on|in)\s+\d)))(?:most)?(?:\s+{PANEL})?"
    r"|(?P<above>(?<!and )(?<!and, )(?<!, )above(?:\s+(?:it|that|them)\b)?"
    r"(?=\s*(?:$|[,.;:)]|(?:for|on|in|during|from|at|and|with|plus)\b|\d)))"
    rf"|(?P<of>{PLACE})\s+(?:{PANEL}|one)"
    rf"|(?<=in the )(?P<only>{PLACE})(?=\s*(?:$|[,.;:)]))"
    r"|panel\s+(?P<number>[1-9]))\b(?!\s+(?:of\s+the\s+)?(?:axis|label|raw|original|\d))"
)
_IN_ORDER = (
    r"\b(?:(?:panels\s+)?(?:ordered|stacked|listed)?\s*\(?from\s+)?top\s+to\s+bottom\)?"
    r"|\b(?:in|with)\s+(?:this|that|the following)\s+order\b"
    r"|\bfrom\s+(?:the\s+)?top(?:\s+down(?:wards?)?)?\b"
    r"|\bfirst\b(?!\s+panel)(?=[^.]*[,;]\s*(?:and\s+)?(?:then|next|finally|last)\b)"
    rf"|(?<=[,;]\s)(?:and\s+)?last(?:ly)?\b(?=\s+(?!(?:panel|plot|row|few|minute|hour|day|night|week|month|year|{MONTH}))[A-Za-z|])"
)
BELOW = r"(?:below|underneath|beneath|under)"
"""Words for a place below, as a pattern."""
_ROWS_BELOW = (
    r"\b(?:along|at)\s+the\s+bottom(?:\s+as\s+(?:tick\s+)?(?:labels|rows|text|numbers))\b"
    r"|\balong\s+the\s+bottom\b(?!\s+panel)|"
    rf"\b(?:(?:written|printed|shown|given|listed|(?:as|in)\s+(?:labels|rows|text|numbers))\s+)?(?:{BELOW}|along)\s+the\s+"
    r"(?:time|x)?[- ]?axis\b|\b(?:in|on|at)\s+the\s+time[- ]?axis\b"
    r"|\bas\s+(?:ephemeris|orbit|(?:time|x)[- ]axis)(?:\s+(?:labels|rows|data|information))?\b"
)
"""Words behind quantities whose values stand in rows below the time axis."""
_OF_A_PLACE = (POSITION, L_SHELL, MLT, LATITUDE, LONGITUDE, DISTANCE, *NEARBY)
_LISTED_BELOW = (
    rf"\b{BELOW}(?:\s+(?:it|that|this|them))?(?=\s*(?:$|[,.;:)\x01]"
    rf"|and\s+(?!{BELOW})|(?:not|as|without)\b|(?:for|on|in|during|from)\s+(?:the\s+)?(?:\d|week|day|month|year|last|{MONTH})))"
    rf"|(?<=[,;]\s){BELOW}(?=\s+[\w|])(?!\s+(?:the\s+)?{INPUT})|(?:(?<=\band\s)|(?<=\bthen\s)){BELOW}\s+(?:it|that|this|them)(?=\s+[\w|])"
)
"""A place in a list of panels from top to bottom: ``field on top, density below``."""
_TWO_APART = re.compile(
    r"\b(?:differences?|ratios?)\b(?:\s+(?:(?:of|between)\s+(?:them|both|the\s+two)|[\w-]+\s?/\s?[\w-]+))?,?"
    rf"\s+(?:(?:shown|drawn|plotted)\s+)?(?:{BELOW}\b(?:\s+(?:it|them)\b)?(?!\s*[-−\d])|(?:in|on)\s+(?:an(?=other)|an?\s+|the\s+|its\s+)"
    r"(?:other|second|lower|separate|own|next|bottom)(?:\s+(?:one|panel|plot))?\b)",
    re.IGNORECASE,
)
"""What is computed from two spacecraft, in a panel below the one that they share."""
_AGAINST = r"\b(?:versus|vs\.?|against|as a function of)(?!\s+(?:time|its|their)\b)(?!\w)"
_EQUAL = r"\b(?:with\s+)?(?:an?\s+)?equal\s+(?:axes|axis\s+scales?|scales?\s+on\s+both\s+axes|aspect(?:\s+ratio)?)\b"
_ON_AXIS = r"\(\s*(?:on\s+)?(?:the\s+)?([xy])(?:[- ]axis)?\s*\)"
_ANY_FIT = r"\b(?:with|and|plus|including)\s+(?:an?\s+|the\s+|its\s+)?(?:fit(?:ted\s+line)?|regression)\b"
_COLOURED = (
    rf"\b(?:{phrase_pattern('colour/color/coloured/colored/colour-coded/color-coded by/with')})\s+(time\b)?"
)
_SPECTRAL = r"spectr(?:um|a|ograms?)\b|\bPSDs?\b|\bFFT\b|power\s+spectral\s+density"
_OF_SLOPE = rf"\b(?:{phrase_pattern('kolmogorov/power-law/reference/guide/slope/line/law/scaling/of')})\b"
_SLOPE = (
    rf"(?:{_OF_SLOPE}\s+)*(?:\b[fk]\s?\^\s?\(?)?(?<![\w.])(?P<slope>[-−]\d(?:/\d|\.\d+))\)?(?:\s+{_OF_SLOPE})*"
    rf"|(?:{_OF_SLOPE}\s+)*\bKolmogorov(?:\s+{_OF_SLOPE})+"
)
"""An exponent beside a power spectrum, or Kolmogorov's of -5/3, with the words for its line."""
_MARKED_FREQUENCY = (
    r"(?P<out>(?:\b(?:and|with)\s+)?\b(?:mark(?:ed|ing)?|indicat\w+|(?:vertical\s+)?lines?\s+(?:at|for)))"
    r"(?=\s+(?:the\s+)?[^,;.\d]*?(?:frequenc|\bf_?[cp](?:i|p|e|a)\b))"
)
_AXIS_OF_LMN = r"(?<![\w|])B_?([LMN])(?:[\s–-]*(?=B_?[LMN]\b))?(?!\w)"
_OF_TWO = r"(?<=\x01) (?:of|to|between)\b"
_ORBIT = r"\b(?:orbits?|trajector(?:y|ies))\b"
_BOUNDARY = r"(?:magnetopauses?|bow[- ]?shocks?|boundar(?:y|ies))"
_MODELS = (
    r"\b(?:(?:and|with|over|relative\s+to|plus|against|showing|including)\s+)*(?:the\s+|an?\s+)?(?:modell?(?:ed)?\s+)?"
    rf"{_BOUNDARY}(?:\s*(?:and|,|&|\+)\s*(?:the\s+)?(?:modell?(?:ed)?\s+)?{_BOUNDARY})?(?:\s+models?)?\b"
)
"""The boundaries that helio draws beside orbits in GSE and GSM."""


_BEGINS = re.compile(r"(?:^|[,;:.])\s*(?:and\s+)?$", re.IGNORECASE)
_NAME_BEHIND = re.compile(r"\s*[:=]?\s*(?!(?:and|for|on|in|during|from|with)\b)[A-Za-z|]", re.IGNORECASE)
"""What stands before and behind the place of a panel that the sentence names first: ``…; panel 1 speed``."""
_CLAUSE = re.compile(r"[,;.]\s|\bwith\b", re.IGNORECASE)
_AND = re.compile(r"\b(?:and|plus)\b|[&+]", re.IGNORECASE)
_WITH_ONE = re.compile(r"\bwith\s+[^,;]*$", re.IGNORECASE)
"""What stands before words that lay one line over others, without saying over which: ``Dst, Kp with AE overlaid``."""
Atoms = Sequence[tuple[int, str | RequestQuantity]]


class Arrangement:
    """The arrangement that a sentence asks for; `panels` gives it for the spacecraft and quantities of the sentence.

    Attributes
    ----------
    compares : str
        The word with which the sentence compares two things; empty if there is none.
    marks : list of int
        Where the sentence says which place a panel has.
    unplaced : list of (int, int, int)
        Start and end of words that have a place but name no data, and the rank of this place.
    """

    def __init__(self, sentence: Sentence) -> None:
        self._text = sentence.text
        self._compare = sentence.has(r"\b(?:compar\w+|versus|vs\.?|against|overla\w+|difference)\b")
        self._side = (
            sentence.drop(r"\b(?:panels?\s+)?(?:side by side|(?:next to|beside) each other)(?:\s+panels?)?\b")
            > 0
        )
        self._kind = next(
            (kind for kind, pattern in SPELLINGS["kinds of plots"] if sentence.drop(pattern)), ""
        )
        self._equal = (
            self._kind in ("", "scatter", "density") and sentence.has(_AGAINST) and sentence.drop(_EQUAL) > 0
        )
        if self._equal and not self._kind:
            self._kind = "scatter"
        if self._kind == "scatter":  # correlate V with n: scatter plot
            sentence.drop(r"^\W*correlate\b")
        fits = SPELLINGS["fits"] if self._kind or not sentence.has(_SPECTRAL) else ()
        self._fit = next((fit for fit, pattern in fits if sentence.drop(pattern)), "")
        if self._fit and not self._kind and sentence.take_first(_OF_TWO):
            self._kind = "scatter"  # linear regression of T against V
        if self._kind and not self._fit and sentence.drop(_ANY_FIT):
            self._fit = "linear"
        self._axes = ""
        self._sides = self._take_sides(sentence)
        self._slopes: tuple[str, ...] = ()
        if sentence.has(_SPECTRAL):
            written = [match["slope"] or "-5/3" for match in sentence.take(_SLOPE)]
            self._slopes = tuple(slope.replace("−", "-") for slope in written)
        self._marks = bool(sentence.has(_SPECTRAL) and sentence.take_first(_MARKED_FREQUENCY))
        of_bins = self._kind in ("histograms", "polar", "probability")
        wide = [match for pattern in BIN_WIDTHS for match in sentence.take(pattern)] if of_bins else []
        self._bin_widths = [(match.start(), bin_width(match)) for match in wide]
        counted = sentence.take_first(BIN_COUNT) if of_bins or self._kind == "density" else None
        self._bins = int(counted["count"]) if counted else 0
        stops = [match.end() for match in (*wide, *([counted] if counted else []))]
        between = (
            [match for stop in stops if (match := BIN_RANGE.match(sentence.left, stop))] if of_bins else []
        )
        self._bin_ranges = tuple(bin_range(match) for match in between if sentence.take_at(*match.span()))
        self._coloured = sentence.take_first(_COLOURED)
        self._models = sentence.has(_ORBIT) and sentence.drop(_MODELS) > 0
        self._against = [*sentence.take(_AGAINST)]
        compared = ignoring_case(r"\bcompar\w+").search(self._text)
        self.compares = " ".join(match[0] for match in self._against[:1]) or (compared[0] if compared else "")
        self._together = [match.start() for match in sentence.take(_TOGETHER)]
        self._another = [match.start() for match in sentence.take(_ANOTHER)] if self._together else []
        laid = [
            match for match in sentence.take(_LAID) if not ITS_AVERAGE.search(self._text[: match.start()])
        ]
        self._laid = [match.start() for match in laid]
        self._grouped = sorted(
            [
                *self._together,
                *self._another,
                *(match.start() for match in laid if not match[0].endswith("t")),
            ]
        )
        self._overlaid = sentence.drop(r"\b(?:overla(?:y|ys|ying)|superimpose|superpose(?!d))\b") > 0
        self._split = sentence.drop(_COMPONENTS_APART) > 0
        per = sentence.take_first(_PANEL_PER)
        self._by_quantity, self._by_mission = per and per["what"], per and not per["what"]
        alone = [*sentence.take(_APART)]
        self._alone = [match.start() for match in alone]
        self._apart = bool(self._alone or self._by_mission)
        self._rows = [match.start() for match in sentence.take(_ROWS_BELOW)]
        counts = (sentence.take_text(_NUMBER_OF_PANELS), *(match["count"] for match in alone))
        count = next(filter(None, counts), "").lower()
        self._count = int(COUNTED.get(count, count or 0))
        lines = [(match["what"].lower(), match["count"].lower()) for match in sentence.take(_NUMBER_OF_LINES)]
        self._lines = tuple((what, int(COUNTED.get(number, number))) for what, number in lines)
        self._stacked = sentence.drop(r"\bstacked(?!\s+lines?)(?:\s+(?:panels?|plots?))?\b") > 0
        sentence.drop(_SIDE)
        self._in_order = sentence.drop(_IN_ORDER) > 0
        self._positions = [
            (match.start(), match.end(), _rank(match), "panel" in match[0].lower())
            for match in sentence.take(_POSITION)
        ]
        self._below = [match.start() for match in sentence.take(_LISTED_BELOW)]
        self._in_order |= bool(self._below)
        self.marks = [*(start for start, _, _, _ in self._positions), *self._below]
        self.unplaced: list[tuple[int, int, int]] = []

    def _take_sides(self, sentence: Sentence) -> dict[str, int]:
        """Read which quantity is on which axis: ``AE (y) against density (x)``."""
        sides = {match[1].lower() for match in ignoring_case(_ON_AXIS).finditer(sentence.left)}
        if sides != {"x", "y"} or not (self._kind == "scatter" or sentence.has(_AGAINST)):
            return {}
        return {match[1].lower(): match.start() for match in sentence.take(_ON_AXIS)}

    @property
    def shares_panel(self) -> bool:
        """Whether the sentence says that lines share a panel."""
        return bool(self._together or self._laid or self._overlaid)

    def take_axes(self, sentence: Sentence) -> None:
        """Read the components of a hodogram along the axes of minimum variance: ``Bl vs Bm``."""
        axes = [match[1].lower() for match in sentence.take(_AXIS_OF_LMN)] if self._kind else []
        self._axes = "".join(axes) if len({*axes}) == len(axes) == 2 else ""

    def panels(
        self,
        crafts: Sequence[tuple[int, str]],
        quantities: Sequence[tuple[int, RequestQuantity]],
        parameters: Sequence[tuple[int, tuple[str, ...]]],
    ) -> Panels:
        """Return the arrangement of the panels.

        Parameters
        ----------
        parameters : sequence of (int, tuple of str)
            The position and the names of each parameter of the catalogue that the figure draws besides the quantities.
        """
        atoms: Atoms = sorted([*crafts, *quantities], key=lambda atom: atom[0])
        described = [(at, RequestQuantity(own[0])) for at, own in parameters if own]
        names = list(dict.fromkeys(quantity for _, quantity in quantities))
        kind = self._kind
        several = len({name for _, name in crafts}) > 1
        between = not several or any(self._is_between(match.start(), atoms) for match in self._against)
        is_overlay = len({name.name.rpartition(" ")[2] for name in names}) == 1 and bool(self._together)
        if not kind and self._against and len(names) + len(parameters) > 1 and between and not is_overlay:
            kind = "scatter"  # but electron density vs proton density in one panel
        if not kind and self._against and self._fit:
            kind = "scatter"
        of_spectrum = ignoring_case(_SPECTRAL).search(self._text) is not None
        if self._fit and kind not in ("scatter", "hodogram", "density") and not of_spectrum:
            raise NotUnderstood(
                "a fitted line needs points of one quantity against another",
                advice="write, for example, 'density against speed with a linear fit'",
            )
        if self._models and {quantity.name for quantity in names} <= {POSITION}:
            kind = "orbits"
        by_quantity = several and len(names) > 1
        together = self._together if by_quantity else sorted([*self._together, *self._laid])
        of_two = (
            several and len(names) == 1 and not (parameters or self._apart or self._side or self._stacked)
        )
        if of_two and _TWO_APART.search(self._text):
            return self._two_apart()
        laid = filter(None, (_WITH_ONE.search(self._text[:at]) for at in self._laid))
        of_one = any(len({name for at, name in quantities if at < match.start()}) > 1 for match in laid)
        if of_one or (together and names and parameters and len(names) + len(parameters) > 2):
            raise NotUnderstood(
                "it is not clear which lines share a panel",
                advice="leave it out, then edit the figure: 'P1 and P2 in one panel'",
            )
        of_catalogue = {name for _, own in parameters for name in own}
        of_table = [quantity for quantity in names if quantity.name not in of_catalogue]
        is_mixed = bool(of_table and described) and not (together or self._rows)
        places = [
            *self._shared(self._grouped, quantities, crafts),
            *self._placed(sorted([*atoms, *described], key=lambda atom: atom[0]), is_mixed=is_mixed),
            *self._below_axis(quantities, parameters),
        ]
        if kind == "scatter" and names and parameters and quantities[0][0] < min(parameters)[0]:
            places.append(Place(Lines((), (names[0],)), 1))  # the y axis
        if kind == "scatter" and self._sides:
            drawn = sorted([*quantities, *described], key=lambda named: named[0])
            up = [quantity for at, quantity in drawn if at < self._sides["y"]]
            of_craft = [craft for at, craft in crafts if at < self._sides["y"]] if several else []
            places = [Place(Lines(tuple(of_craft[-1:]), tuple(up[-1:])), 1)] if up else places
        return Panels(
            together=bool(together)
            and not self._another
            and not any(place.shared for place in places)
            and not self._shared(together, quantities, crafts)
            and len(atoms) + len(parameters) > 1,
            compare=self._compare or bool(self._by_quantity),
            overlaid=self._overlaid or (by_quantity and bool(self._laid)),
            apart=self._apart
            or self._side
            or (len(names) == 1 and (self._stacked or self._by_craft(places))),
            kind=kind,
            fit=self._fit or ("linear" if "correlat" in self._text.lower() and kind == "scatter" else ""),
            count=len({name for _, name in crafts}) if self._by_mission else self._count,
            lines=self._lines,
            places=tuple(places),
            bins=self._bins,
            bin_widths=tuple(dict.fromkeys(self._widths(crafts, [*quantities, *parameters]))),
            bin_ranges=self._bin_ranges,
            colour=self._colour(quantities),
            slopes=self._slopes,
            axes=self._axes,
            side=self._side,
            split=self._split or (not several and self._components_apart(names)),
            marks=self._marks,
            equal=self._equal,
        )

    def _is_between(self, at: int, atoms: Atoms) -> bool:
        """Return whether a position is between two different quantities of the same spacecraft."""
        before = [what for start, what in atoms if start < at][-1:]
        behind = [what for start, what in atoms if start > at][:1]
        return before != behind and all(isinstance(what, RequestQuantity) for what in (*before, *behind))

    def _widths(self, *named: Sequence[tuple[int, object]]) -> Iterator[BinWidth]:
        """Yield the widths of bins; one between the names of spacecraft, or of quantities, is not that of all."""
        for start, width in self._bin_widths:
            sides = [{at < start for at, _ in names} for names in named]
            yield replace(width, of_one=any(len(side) > 1 for side in sides))

    def _components_apart(self, names: Sequence[RequestQuantity]) -> bool:
        """Return whether separate panels are those of the components: ``field components, one panel each``."""
        vectors = [quantity for quantity in names if quantity.name in VECTORS and not quantity.component]
        apart = self._apart and len(names) == len(vectors) == 1
        counted = bool(vectors) and self._count == len(names) + 2 * len(vectors)
        return (apart or counted) and ignoring_case(r"\bcomponents\b").search(self._text) is not None

    def _two_apart(self) -> Panels:
        """Return the panels of two spacecraft and of what is computed from them: the spacecraft share a panel."""
        if (
            len(self._together) + len(self._laid) > 1
            or len(self.marks) + len(self._another) > 1
            or self._rows
        ):
            raise NotUnderstood(
                "it is not clear which lines share a panel",
                advice="write, for example, 'ACE and Wind density in one panel, their ratio below'",
            )
        return Panels(compare=True, count=self._count, lines=self._lines)

    def _colour(self, quantities: Sequence[tuple[int, RequestQuantity]]) -> RequestQuantity | None:
        """Return what colours the points of a scatter plot: the quantity behind ``coloured by``, or the time."""
        if self._coloured is None:
            return None
        behind = [quantity for at, quantity in quantities if at >= self._coloured.end()]
        if not (behind or self._coloured[1]):
            raise NotUnderstood(
                "it is not clear which quantity gives the colours", advice="write 'coloured by Bz'"
            )
        return RequestQuantity("time") if self._coloured[1] else behind[0]

    def _shared(
        self,
        together: Sequence[int],
        quantities: Sequence[tuple[int, RequestQuantity]],
        crafts: Sequence[tuple[int, str]],
    ) -> list[Place]:
        """Return the lines that share a panel, where the sentence names other lines after them."""
        several = len({name for _, name in crafts}) > 1
        places: list[Place] = []
        start = 0
        for position in together:
            alone = [at for at in self._alone if at < position]  # n, V separately and Bx, By in one panel
            start = max(start, *alone) if alone else start
            clause = max((end.end() for end in _CLAUSE.finditer(self._text[:position])), default=0)
            again = [name for at, name in quantities if clause <= at < position]
            ahead = [name for at, name in quantities if start <= at < position]
            earlier = {name for at, name in quantities if at < clause}
            both = len({*again}) == 1 and ignoring_case(r"\bboth\b").search(self._text[clause:position])
            is_again = bool(again) and {*again} < earlier and not both  # Bz, By, V; Bz and By in one panel
            is_own = is_again or self._is_own_list(clause, position, quantities)
            is_part = bool(is_own or self._another or places or alone) or any(
                at > position for at, _ in quantities
            )
            if is_part and (len(ahead) > 1 or (ahead and several)):
                names = tuple(again if is_own else ahead)
                of = tuple(name for at, name in crafts if start <= at < position)
                places.append(Place(Lines(of, names), MIDDLE, shared=True))
            start = position
        named = [place.lines.quantities for place in places]
        if len({*named}) == len(named):  # otherwise ACE V and n in one panel, Wind V and n in one panel
            places = [replace(place, lines=replace(place.lines, crafts=())) for place in places]
        return places

    def _is_own_list(self, clause: int, stop: int, quantities: Sequence[tuple[int, RequestQuantity]]) -> bool:
        """Return whether a clause lists other quantities than those before it: ``n and V, Bx and By in one panel``.

        Without an ``and`` before it, they have one unit, which those before do not have: ``n, Bx and By in one panel``.
        """
        before = [(at, quantity) for at, quantity in quantities if at < clause]
        own = {quantity for at, quantity in quantities if clause <= at < stop}
        earlier = {quantity for _, quantity in before}
        if not before or len(own) < 2 or own & earlier or re.match(r"all\b", self._text[stop:]):
            return False
        if any(_AND.search(self._text[first:second]) for (first, _), (second, _) in pairwise(before[-2:])):
            return True
        units = [_units_of([quantity]) for quantity in own]
        return bool(set.intersection(*units)) and set.union(*units).isdisjoint(_units_of(earlier) or units[0])

    def _below_axis(
        self,
        quantities: Sequence[tuple[int, RequestQuantity]],
        parameters: Sequence[tuple[int, tuple[str, ...]]],
    ) -> list[Place]:
        """Return the lines that stand in rows below the time axis: ``B, with L and MLT under the axis``."""
        places = []
        for position in self._rows:
            before = list(re.finditer(r"\b(?:with|plus|showing)\b|;", self._text[:position]))
            before = before or list(re.finditer(",", self._text[:position]))
            start = before[-1].end() if before else position
            drawn = [*quantities, *((at, RequestQuantity(name)) for at, own in parameters for name in own)]
            names = [quantity for at, quantity in drawn if start <= at < position]
            ahead = [quantity for at, quantity in drawn if at < position]
            names = names or [*takewhile(lambda each: each.name in _OF_A_PLACE, reversed(ahead))][::-1]
            if not names:
                raise NotUnderstood(
                    "it is not clear what to write below the time axis",
                    advice="write, for example, 'B, with L and MLT below the time axis'",
                )
            places.append(Place(Lines((), tuple(names)), BELOW_AXIS))
        return places

    def _by_craft(self, places: Sequence[Place]) -> bool:
        """Return whether the sentence gives a spacecraft alone a place: ``ACE and Wind Bz, ACE on top``."""
        places = [place for place in places if place.lines.crafts and not place.shared]
        return bool(self._positions and places) and not (self._together or self._laid)

    def _placed(self, atoms: Atoms, *, is_mixed: bool) -> list[Place]:
        """Return the lines in the order that the sentence gives; if `is_mixed`, in that of their words.

        In a mixed sentence, quantities of the table stand beside data that only the catalogue has.
        """
        rows = self._from_top(_quantities_of(atoms))
        crafts = [(at, name) for at, name in atoms if isinstance(name, str)]
        crafts = crafts[-len({name for _, name in crafts}) :]  # ACE and Wind density, Wind on top, ACE below
        listed = self._in_order and len(rows) == 1 and len(crafts) > 1  # ACE Bz on top, Wind Bz below
        if self._positions and not (listed and crafts[0][0] < self._positions[0][0] < crafts[1][0]):
            ranked = self._ranked(atoms)
            if is_mixed and [place.rank for place in ranked] == [1]:  # SWIA on top, then SWEA, then |B|
                rest = [name for name in rows if name not in ranked[0].lines.quantities]
                ranked += [Place(_lines_of(name), rank) for rank, name in enumerate(rest, 2)]
            return ranked
        if not (self._in_order or is_mixed):
            return []
        if len(rows) < 2:
            rows = list(dict.fromkeys(name for _, name in (crafts if listed and self._positions else atoms)))
        return [Place(_lines_of(name), rank) for rank, name in enumerate(rows, 1)]

    def _from_top(self, quantities: Sequence[tuple[int, RequestQuantity]]) -> list[str | RequestQuantity]:
        """Return quantities in the order of the list, but last what it names again as below: ``n and V, n below``."""
        starts = [start for start, _ in quantities]
        rows: dict[str | RequestQuantity, None] = {}
        for start, stop, (_, quantity) in zip(
            starts, [*starts[1:], len(self._text)], quantities, strict=False
        ):
            if any(start < mark < stop for mark in self._below):
                rows.pop(quantity, None)
            rows[quantity] = None
        return [*rows]

    def _ranked(self, atoms: Atoms) -> list[Place]:
        """Give lines to the position beside them: ``top: field, bottom: density``, ``field on top``."""
        if not atoms:
            return []
        leading = self._positions[0][0] < atoms[0][0] or all(
            _BEGINS.search(self._text[:start]) and _NAME_BEHIND.match(self._text, stop)
            for start, stop, _, _ in self._positions
        )
        edges = (
            [0, *(stop for _, stop, _, _ in self._positions)]
            if not leading
            else [*(start for start, _, _, _ in self._positions), len(self._text)]
        )
        named: list[tuple[tuple[str, ...], tuple[RequestQuantity, ...], int, bool]] = []
        for (start, stop), (_, _, rank, panel) in zip(pairwise(edges), self._positions, strict=False):
            if not leading:
                start = max(
                    start, *(at for at in (start, *self._below) if at < stop)
                )  # Kp below and ap third
                is_last = atoms[-1][0] < stop  # speed and density above, unless it is above others
                is_of_one = self._text[:stop].endswith("last") or (
                    is_last and self._text[:stop].endswith("above")
                )
                start += _last_listed(self._text[start:stop], and_too=is_of_one)
            names = [name for at, name in atoms if start <= at < stop]
            if not names:
                self.unplaced.append((start, stop, rank))
            quantities = tuple(name for name in names if isinstance(name, RequestQuantity))
            named.append((tuple(name for name in names if isinstance(name, str)), quantities, rank, panel))
        by_craft = len({quantities for _, quantities, _, _ in named}) == 1 and len(named) > 1
        every = {quantity for _, quantity in _quantities_of(atoms)}
        is_at_edge = len(named) == 1 and self._positions[0][2:] in ((1, False), (_LAST, False))
        if is_at_edge and len(every) > 1 and {*named[0][1]} == every:
            raise NotUnderstood(
                "it is not clear which quantity stands at the place that the request names",
                advice="say the place of one, as in 'density, and speed on top'",
            )
        places = []
        for crafts, quantities, rank, panel in named:
            if crafts and (by_craft or not quantities):
                places.append(Place(Lines(crafts), rank))
            elif quantities:  # of these spacecraft alone, if the sentence names the quantities of others, too
                of = (
                    crafts
                    if any([name for _, name in atoms].count(quantity) > 1 for quantity in quantities)
                    else ()
                )
                places.append(Place(Lines(of, quantities), rank, shared=panel and len(quantities) > 1))
        return places


def _quantities_of(atoms: Atoms) -> list[tuple[int, RequestQuantity]]:
    return [(at, name) for at, name in atoms if isinstance(name, RequestQuantity)]


def _last_listed(text: str, *, and_too: bool = False) -> int:
    """Return where the names begin that a position behind them is for: ``B and V with density on top``."""
    and_too = and_too and not re.search(r"\b(?:with|plus)\b", text)
    joints = rf"\b(?:with|plus{'|and' if and_too else ''})\b|(?:[,;:]|(?<!vs)\.\s)(?=.*\w)"
    found = list(re.finditer(joints, text))
    if found and not and_too and re.match(r",\s+(?!and\b)[^,;]*\w\s+and\s", text[found[-1].start() :]):
        found = [match for match in found if match[0] != ","]  # density, speed and Bz on top
    return found[-1].end() if found else 0


def _rank(match: re.Match[str]) -> int:
    if match["above"]:
        return 1
    place = (
        int(match["number"])
        if match["number"]
        else PLACES[(match["alone"] or match["of"] or match["only"]).lower()]
    )
    return rank_of(place)


def rank_of(place: int) -> int:
    """Return the rank of a panel by its number: 0 is the middle, -1 the last."""
    return {0: MIDDLE, -1: _LAST}.get(place, place)


def _lines_of(name: str | RequestQuantity) -> Lines:
    return Lines((name,)) if isinstance(name, str) else Lines((), (name,))


def _units_of(quantities: Collection[RequestQuantity]) -> set[str]:
    """Return the units of quantities in the table; empty unless it has all of them."""
    units = [{row.unit for row in SOURCES if row.quantity == quantity.name} for quantity in quantities]
    return set.union(*units) if all(units) else set()
