"""Find the computations that a sentence requests, by the names and synonyms of tools and by other phrases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress, pairwise, zip_longest

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Lines, RequestQuantity
from helio.authoring.rules.computations.averages import (
    METHOD,
    method_of,
    read_relations_to_means,
    read_rhythms_apart,
    read_statistics,
    read_trends,
    rhythm_in,
)
from helio.authoring.rules.computations.computation_phrases import phrases
from helio.authoring.rules.computations.conditions import UNIT, read_conditions
from helio.authoring.rules.computations.frequency_bands import read_bands, read_filters, with_periods
from helio.authoring.rules.computations.gap_filling import read_gap_filling
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of
from helio.authoring.rules.computations.scalings import read_alignments, read_scalings
from helio.authoring.rules.reading.named import (
    FIELD,
    names_of_spacecraft,
    read_quantities,
    read_spacecraft,
)
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS, duration_in, duration_pattern
from helio.authoring.writing.computations import (
    APPLIED,
    DERIVED,
    LAG,
    MAGNITUDE,
    OF_SERIES,
    OF_SPECTRA,
    OF_TWO,
    R_SQUARED,
    SHIFT,
    WINDOWED,
    lacks_window,
)
from helio.authoring.writing.windows import has_usual_window
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.quantity_words import WORDS
from helio.patterns import ignoring_case

_LONGEST = (
    rf"\b(?:with\s+)?(?:an?\s+|the\s+)?(?:(?:try\w*|search\w*|allow\w*)?\s*(?:longest|maximum|max\.?|largest)\s+(?:(?:time\s+)?(?:lag|delay|shift)(?:\s+of)?)?"
    rf"|(?:(?:lags?|delays?|try\w*|search\w*|allow\w*)\s+(?:of\s+|lags?\s+)?)?(?:up\s+to|at\s+most|within))\s*[=:]?\s*(?:an?\s+)?{duration_pattern()}(?:\s+(?:lag|delay)s?)?"
)
_INTERVAL = (
    rf"\b(?:(?:in|over|per|for|every|each|using|with)\s+)?(?:an?\s+|every\s+|each\s+)?{duration_pattern()}[\s-]*"
    r"(?:long\s+)?(?:intervals?|windows?|blocks?|segments?|chunks?|pieces)\b"
)
_DURATION = duration_pattern()
_ONE = (
    r"\b(?:one|an?)\s+(?:value|point|lag|delay|estimate)\s+(?:an?|per|every|(?:for|in)\s+(?:each|every))\s+"
)
_EACH = r"(?:per|every|(?:(?:for|in)\s+)?each)\s"
_ONE_PER = rf"(?:{_ONE}|\b(?:(?:for|in)\s+)?(?:every|per)\s+){_DURATION}"
_OWN = (
    r"(?:\b(?:and|plus|with|as well as)|[+,])\s+(?:also\s+)?(?:its|their)\s+(?:own\s+)?"
    r"(?:hourly\s+|daily\s+|time\s+)?$"
)
"""Words before a computation that is drawn beside its input."""
_AND_ITS = (
    rf"{_OWN}"
    r"|(?:\b(?:and|plus|together with|along with|as well as)|\+)\s+(?:also\s+)?(?:an?\s+|the\s+)?$"
    r"|\badd\s+(?:an?\s+|the\s+|its\s+)?$"
)
_PLACES_LINES = re.compile(
    r"\b(?:panels?|rows?|plots|below|under\w*|beneath|separate\w*|apart|at\s+the\s+(?:top|bottom))\b",
    re.IGNORECASE,
)
"""Words of a sentence that says itself where the lines over time stand."""
_ADDED = re.compile(r"\badd\s+(?:an?\s+|the\s+|its\s+)?$", re.IGNORECASE)
"""Words before a line that is drawn over its input: ``ACE density; add a 1 h running mean``."""
_WITH_A = re.compile(
    r"^(?!.*\b(?:smooth|filter|averag|detrend|clean|remov|de-?spik|process|treat|reduc)).*[\w|)\]],?\s+with\s+(?:an?\s+)?$",
    re.IGNORECASE,
)
"""Words before a running mean of what is drawn too, unless a verb says that it is done to the data."""
_WITH_ITS = re.compile(r"\bwith\s+(?:its|their)\s+(?:own\s+)?$", re.IGNORECASE)
"""Words before averages that are drawn over their data."""

_BELOW_IT = (
    r"(?:(?<=ratio)\s+[\w-]+\s?/\s?[\w-]+)?\s+(?:(?:(?:right|shown|plotted)\s+)?(?:below|underneath|beneath)\b(?!\s*[-−\d])"
    r"|(?:in|as)\s+(?:an?|the|its)\s+(?:second|third|lower|bottom|separate|own|extra|other|next)\s+panel\b"
    r"|in\s+another(?=\s*(?:panel\b|plot\b|$|[,.;\x01]))"
    r"|at\s+the\s+bottom\b)"
)
"""Words behind a computation that is drawn beside its inputs: ``difference underneath``."""
_AND_THE = re.compile(r"\b(?:and|with|plus)\s+(?:also\s+)?(?:an?\s+|the\s+|its\s+)?$", re.IGNORECASE)
_SHIFT = (
    r"\b(?:ballistic(?:ally)?[- ]+)?(?:(?:time[- ]?)?shift(?:ed|ing)?|propagat(?:ed?|ing|ion)|advect(?:ed)?|convected"
    r"|(?:time[- ]?)?lagged)\b(?:\s+ballistically\b)?(?!\s+by\b)"
)
_BESIDE_SHIFTED = (
    rf"\b(?:and|with|plus|vs\.?)\s+(?:(?:also|its|the|their|a|same)\s+)*(?:values?|versions?|copy|one|itself)\s+(?={_SHIFT})"
    r"|\b(?:un-?shifted|original)(?:\s+(?:and|vs\.?|versus)|\s*[&+])(?:\s+the)?"
    rf"|\b(?:and|with|plus)\s+(?:its|their|the\s+same)\s+(?={_SHIFT})"
    r"|(?<=shifted )(?:and|&|\+)\s+un-?shifted\b"
)
"""Words that ask for the series as it was measured, too."""
_WITH_SPEED = r"(?<!together )\b(?:with|using|by)\s+(?:(?!OMNI\b|and\b)[\w-]+\s+){0,4}?(?:velocity|speed)\b"
"""The speed with which a series is shifted; ``with OMNI speed`` is drawn."""
_PLACES = {"earth": 0.0, "bow": 90000.0, "nose": 90000.0, "magnetopause": 64000.0}
"""x in km of the places to which a sentence shifts the solar wind."""
_SHIFTED_TO = (
    r"\b(?:ballistically\s+)?(?:(?:in\s+time\s+)?(?:down\s+)?to|at)\s+(?:the\s+)?"
    r"(?P<place>Earth|bow[- ]?shock|magnetopause|nose\s+of\s+the\s+bow[- ]?shock)(?:'s)?"
    r"(?:\s+(?:nose|position|orbit))?\b(?:\s+ballistically\b)?"
)
_FIRST = re.compile(
    r"\s+(?:of\s+(?:both|each|all)\s+)?(?:first|beforehand)\b(?=\s*(?:$|[,.;)\x01]|(?:on|for|from|and|then)\b))",
    re.IGNORECASE,
)
"""A word behind a computation that brings it before all others."""
_AFTER = r"\x02after\b|\bafter\s+(?:[\w-]+\s+){1,4}(?:and|then)\s+(?:an?\s+)?\x02"
"""The end of words, behind which a computation comes before those ahead of it: ``spectrum of Bz after despiking``."""
_FIRST_AHEAD = re.compile(
    r"\bfirst,?\s+(?:(?:take|compute|calculate|form|make)\s+)?(?:the\s+)?$", re.IGNORECASE
)
_DRAWS = r"\b(?:plot|draw|show|display)\b"
_MAGNITUDE_ALONE = re.compile(
    rf"^(?:(?!{_DRAWS}).)*{_DRAWS}\s+(?:me\s+)?(?:only\s+|just\s+)?(?:its|their)\s+$"
    rf"|\b(?:only|just)\s+(?:(?:its|their|the)\s+)?$|\b(?:current|density|drift|field|flow|flux|force|velocity|(?-i:[BEJV]))(?:\s+(?:{'|'.join(KNOWN_FRAMES)}))?\s+$",
    re.IGNORECASE,
)
"""What stands before a magnitude that is drawn without its vector: ``take V and draw its``, ``current density``."""
_ALONE = re.compile(r"\s+of\s+(?:the\s+)?(?:[\w|]+\s+){1,3}?(?P<only>only|alone)\b", re.IGNORECASE)
_LENGTH_OR_RHYTHM = rf"(?:{_DURATION}|(?P<each>hourly|daily|minutely|weekly))"
_VERBS = (
    (
        "resample",
        r"(?:down-?sampl\w*|re-?sampl\w*|re-?bin\w*|averag(?:ed?|ing)|decimat\w*|bin(?:ned)?)",
        rf"\b(?:on|in)?to\s+(?:an?\s+)?{_LENGTH_OR_RHYTHM}(?:[\s-]*(?:cadence|bins?|intervals|averages|means|resolution|grid|steps))?",
    ),
)
"""Tools with a verb and a length of time that may stand apart."""
_BY_STATISTIC = rf"\b(?:with|using|by|taking)\s+(?:the\s+)?({METHOD})\b(?!\s+of\b)(?:\s+(?:values?|method))?"
_OTHER_STATISTIC = (
    r"(?:,|&|\band)\s+(?:the\s+)?(?P<out>min(?:imum|ima)?|max(?:imum|ima)?|medians?|means?)"
    r"\b(?=\s+(?:of\s+)?(?!lag|delay|shift|gap)[A-Za-z|])"
)
"""A statistic for a later quantity: ``the maximum of AE and the minimum of SYM-H``."""
_WINDOWS = (
    rf"\b(?:w|window|width)\s*[=:]\s*{_DURATION}",
    r"\b(?:(?:with|using|in)\s+)?(?:an?\s+|the\s+)?(?:(?:Welch(?:'s)?|Hann(?:ing)?|FFT)\s+)?(?:windows?|segments?)"
    rf"(?:\s+length)?\s+(?:of\s+|is\s+|=\s*)?{_DURATION}",
    rf"\b(?:(?:with|using|in|over)\s+)?(?:an?\s+)?(?:(?:running|moving|sliding)\s+)?{_DURATION}[\s-]*(?:long\s+|wide\s+)?windows?\b",
)
_LISTS = r"[,;&+/]|\b(?:and|with|plus|over|on)\b"
"""Words between two items of a list."""
_UNTREATED = r"un(?:smoothed|filtered|treated|processed|averaged|cleaned|corrected)"
_NOT = r"\(?\b(?:not|no|without)\s+(?:an?\s+|any\s+)?"
_NOT_RUNNING = rf"{_NOT}(?:running|moving|rolling)\b\)?"
_NOT_TREATED = rf"{_NOT}(?:smoothed|smoothing|averaged|averaging)\b\)?"
_TREATED = (
    rf"\b(?:{'|'.join(INTERVALS)}|means?|medians?)\b"
    r"|(?<!not )(?<!no )(?<!without )\b(?:averag|smooth|running|moving|rolling)"
)
"""Words that say that some data are averaged, and so do not belong to those that are not."""
_RAW = rf"(?:raw|original|{_UNTREATED})\b(?:\s+(?:data|values|series))?"
_DRAWN_ON = r"(?:over-?plotted|overlaid|drawn)"
_AND_VALUES = (
    rf"\b(?:and|plus)\s+(?:the\s+)?{_LENGTH_OR_RHYTHM}[\s-]+(?:values|data|points|samples)\b(?:\s+of\b)?"
)
"""Words for data at their own cadence, behind a computation of them."""
INPUT = rf"(?:{_RAW}|time[- ]?series\b|(?P<name>[\w|.-]+)(?:\s+index)?\s+itself\b)"
"""Words for the data from which something is computed, as a pattern."""
_APART_FROM_RAW = rf"\b(?:below|under|beneath|underneath)\s+(?:the\s+)?{INPUT}"
"""Words of a computed line in a panel below that of its data."""
_RAW_APART = r"(?:\s+(?!and\b|with\b)[\w|]+){0,2}\s+above\b"
"""Words behind raw data that have a panel above."""
_PER_TIME = (
    r",?\s*\(?\b(?:(?:the\s+)?result\s+)?(?:in|as)\s+(?:units\s+of\s+)?"
    rf"(?:{UNIT})\s*[*·-]?\s*(?:(?P<h>h(?:ours?|rs?)?)|(?P<s>s(?:ec(?:onds?)?)?)|(?P<day>d(?:ays?)?)|(?P<min>min(?:utes?)?))(?![\w/])\)?"
)
"""The unit of an integral over time."""
_THRESHOLD = (
    r",?\s*\b(?:and\s+)?(?:with\s+)?(?:an?\s+|the\s+)?threshold\s*(?:of\s+|=\s*|:\s*|is\s+)?(?P<threshold>\d+(?:\.\d+)?)(?:\s*(?:sigmas?|σ))?(?![\w:.-])"
    r"|,?\s*\b(?:(?:beyond|above|over|at|of|with|and)\s+)*(?P<beyond>\d+(?:\.\d+)?)[\s-]*(?:sigmas?\b|σ|(?:robust\s+)?standard\s+deviations\b|MADs?\b)"
)
"""How many deviations spikes are from their surroundings."""
_BEFORE_OPERANDS = re.compile(r"(?:(?:the|an?)\s+)?\w+\s+(?:(?:of|between)\s+)?(?:the\s+)?", re.IGNORECASE)
_BETWEEN_OPERANDS = re.compile(r"[\w|. -]+?(?:\b(?:to|and|over|by)\s+(?:the\s+)?|\s?/\s?)", re.IGNORECASE)
"""What stands between a ratio or a difference and its first quantity, and between this one and the second."""
_OF_A_QUANTITY = r"\s+of\s+(?!(?:it|them|all|both|each|every)\b)|\s+(?:only|alone)\b"
_OF_THE = r"\bof\s+(?:(?:the|its|their)\s+)?(?:[\d.]+ to [\d.]+ mHz )?$"
"""Words between a computation and the one whose result it takes."""
_OF_NOUN = (
    r"\bof\s+(?:(?!(?:and|with|or|in|at|for|from|over|by|as)\b)[\w|/-]+\s+){1,3}$"
    rf"|^[^,;]*\b(?:\w+ed|{METHOD})\s+$"
)
"""Words between a computation and the noun of another one: ``hourly means of the Bz``, ``smoothed``."""
SAID_OF_ALL = r"(?:both|each|all)(?:\s+of\s+(?:them|these))?\s+"
"""Words before a computation of all quantities, as a pattern."""
_PREPARES = ("resample", "despike", "interpolate", "mask", "mask_by_flag")
"""Tools that are for the inputs of a computation of two series, also where a request names them behind it."""
CLEANING = ("band_pass", "despike", "detrend", "interpolate", "mask", "mask_by_flag")
"""Tools that clean a series before its spectrum is computed."""
OVERLAID = ("running_average", "running_median", "resample")
"""Tools whose lines a sentence may ask to draw over their inputs."""
_ARTICLE = r"(?:(?:also|an?|the|its|their)\s+)*"
_JOINED = rf"(?:\b(?:with|plus|and)|[,;+&])\s*{_ARTICLE}$"
_LAID = (
    r"\b(?:over-?plot(?:ted|ting)?|overlay(?:ing)?|overlaid|superimpos\w+|superpos\w+)\s+(?:(?:by|with)\s+)?"
    rf"{_ARTICLE}$"
)
_ON_IT = (
    r"[\s,(]*(?:(?:in|as)\s+(?:an?\s+|the\s+)?)?(?:\w+ed\s+|drawn\s+|shown\s+)?(?:(?:over|on\s+top\s+of|onto|on)\s+(?:it|them|this|that)\b|on\s+top\b"
    r"|over-?plotted\b|overlaid\b|superimposed\b|superposed\b|together\b(?!\s+with\b)"
    r"|(?:in|on)\s+(?:the\s+|an?\s+)?(?:same|one|single)\s+(?:panel|axes|axis|plot|graph|subplot)\b)"
)
"""Words behind a computed line that say that it is drawn over its input."""
_ON_THEM = r"[^,;]*\b(?:on|over|of|onto)\s+(?:it|them|this|that)\b"
"""The same, where it cannot mean that several spacecraft share a panel: ``1 h means on top of them``."""
_SERIES_BESIDE = (
    r"(?:(?:\b(?:and|with|plus)|[,;.+&])\s*)+(?:also\s+)?(?:(?:the|its)\s+)?"
    r"(?:(?:(?:time[- ]?|original\s+|raw\s+)?series|waveforms?)(?:\s+itself)?"
    r"|(?P<name>[\w|.-]+(?:\s+[\w|.-]+)?)\s+itself)"
    r"(?:\s+(?:as\s+well|too|shown|plotted|drawn))*(?=\s*(?:\x01|[,;.]|above\b|$))(?:\s+above(?:\s+it)?\b)?"
)
"""A series that is drawn beside its spectrum: ``wavelet spectrum of Bz, time series on top``."""
_AXES = re.compile(r"l\W*m\W*n|frame|coordinate|system|axes|eigenvector", re.IGNORECASE)
"""Words for the axes of minimum variance, and not for the analysis."""
_FRAME = rf"\b(?:{'|'.join(KNOWN_FRAMES)})\b"
_AND_IN = r"(?:,|[&+/]|\band\b|\bplus\b|\bas well as\b)+\s*(?:also\s+)?(?:in\s+)?(?:the\s+)?"
_FRAME_AND = re.compile(rf"{_FRAME}\s*(?:frame|coordinates?|system)?\s*{_AND_IN}$")
_AND_FRAME = re.compile(rf"\s*{_AND_IN}{_FRAME}(?!\s+(?:\w+\s+)?(?:velocity|V|B|field|E)\b)")
"""A frame in which the sentence asks for the vector, too: ``B in GSE and in LMN``."""
_OF_FIELD = re.compile(
    r"[\x01\s]*\s(?P<out>(?:of|on)\s+(?:the\s+)?(?:local\s+)?(?:(?:magnetic\s+)?field|B)\b)"
)
"""The vector that has the axes of minimum variance."""


def read_computations(sentence: Sentence) -> tuple[ComputationMention, ...]:
    """Find the computations that a sentence requests, in order."""
    sentence.drop(_NOT_RUNNING)
    if not ignoring_case(_TREATED).search(sentence.text):
        sentence.drop(_NOT_TREATED)
    first_read = [
        *read_relations_to_means(sentence),
        *read_alignments(sentence),
        *read_gap_filling(sentence),
        *read_conditions(sentence),
        *read_scalings(sentence),
        *read_bands(sentence),
        *_shifts(sentence),
        *_of_windows(sentence),
        *read_trends(sentence),
        *_beside_own(sentence.text, read_statistics(sentence)),
        *read_rhythms_apart(sentence),
    ]
    mentions = [
        _mention(sentence, match, tool, related=related)
        for tool, pattern, related in phrases()
        for match in sentence.take(pattern)
    ]
    mentions = _with_units_of_time(sentence, _beside_series(sentence, with_periods(sentence, mentions)))
    mentions = [_along_axes_of_field(sentence, mention) for mention in mentions]
    mentions = [_with_verb(sentence, mention) for mention in mentions]
    mentions += [*first_read, *_verbs_apart(sentence), *read_filters(sentence)]
    mentions += _other_statistics(sentence, mentions)
    sentence.drop(r"(?<=\x01 )before(?= \x01)")  # they are in this order
    if any(mention.computation.tool == R_SQUARED for mention in mentions):
        sentence.drop(rf"\b{SAID_OF_ALL}(?=\x01)")
        sentence.drop(r"\(?\b(?:with\s+|where\s+)?(?:r|R|distance)\s+(?:is\s+|being\s+)?in\s+AU\b\)?")
        sentence.drop(r"[(,]?\s*\b(?:in\s+)?nT[\s*·]*AU\s?(?:\^?2|²)\)?")
    mentions = _with_lags(sentence, _in_order(sentence.text, mentions))
    mentions = [_with_threshold(sentence, mention) for mention in mentions]
    mentions = _without_second_names(sentence.text, mentions)
    window = _window_of_all(sentence, [mention.computation for mention in mentions])
    if any(mention.computation.tool.startswith("power_") for mention in mentions):
        names = r"(?:(?:dynamic|frequency)\s+)?(?:spectrograms?|spectrum|spectra|FFT|PSD)"
        sentence.drop(rf"(?:\((?P<out>{names})(?=\)))")
        sentence.drop(rf"\b(?P<out>{names})\s*\(?(?=\x01)")
        sentence.drop(r"\b(?:fluctuations|variations|turbulence)\b|(?<=\x01 )windows?\b")
    mentions = _without_incomplete(_over_data(sentence, mentions))
    spectral = any(mention.computation.tool in OF_SERIES for mention in mentions)
    mentions = [
        replace(mention, computation=replace(mention.computation, window=window))
        if window and _takes_window(mention.computation, spectral=spectral)
        else mention
        for mention in mentions
    ]
    mentions = [_beside_spectrum(_in_intervals(mention, window), mentions) for mention in mentions]
    takers = {mention.computation.tool for mention in mentions if mention.computation.window == window}
    takers -= {*OF_SPECTRA}
    if window and len({has_usual_window(tool) for tool in takers}) > 1:
        raise NotUnderstood(
            f"it is not clear which computation has windows of {window}",
            advice="write each window before its computation, such as '10 min running mean'",
        )
    if window and mentions and all(mention.computation.window != window for mention in mentions):
        raise NotUnderstood(
            f"no computation of the request has windows of {window}", advice="leave the window out"
        )
    bracketed = [mention for mention in mentions if in_brackets(sentence.text, mention.position)]
    first: dict[tuple[Computation, bool], ComputationMention] = {}
    for mention in mentions:
        first.setdefault((mention.computation, mention.partial), mention)
    again = [mention for mention in bracketed if first[mention.computation, mention.partial] in bracketed]
    return tuple(dict.fromkeys([*first.values(), *again]))


def with_named_operands(text: str) -> tuple[str, bool]:
    """Write the computation of two spacecraft that the sentence has named as theirs, and return whether it turns them.

    >>> with_named_operands("ACE and Wind density, ratio Wind/ACE below")
    ('ACE and Wind density, their ratio below', True)
    >>> with_named_operands("ACE and Wind density, and the difference ACE minus Wind below")
    ('ACE and Wind density, and their difference below', False)
    """
    name = rf"(?:{names_of_spacecraft()})(?!\w)"
    operands = rf"(?<![\w-]){name}\s*(?:minus|to|over|divided\s+by|and|[-−–/])\s*{name}(?!-)"
    match = ignoring_case(
        rf"\b(?:(?:the|their)\s+)?(?:(?P<how>differences?|ratios?)\b(?:\s+(?:of|between)\b|[\s:(])*{operands}\)?"
        rf"|{operands}\s+(?P<behind>differences?|ratios?)\b|{name}\s+minus\s+{name})"
    ).search(text)
    if match is None:
        return text, False
    named = [craft for _, craft in read_spacecraft(Sentence(text[: match.start()]))]
    words = ignoring_case(rf"(?<!\w){name}").findall(match[0])
    own = [craft for word in words for _, craft in read_spacecraft(Sentence(word))]
    in_order = list(dict.fromkeys([*named, *own]))
    if len(own) != 2 or sorted(own) != sorted(in_order):
        return text, False
    if {*named} == {*own}:
        how = match["how"] or match["behind"] or "difference"
        text = f"{text[: match.start()]}their {how}{text[match.end() :]}"
    return text, own != in_order


def in_brackets(text: str, position: int) -> bool:
    """Return whether a bracket opens directly before a position: ``density (5 min median) and Bz``."""
    return re.search(r"\((?:[A-Z]{2,4},)?\s*(?:an?\s+)?$", text[: max(position, 0)]) is not None


def _beside_own(text: str, mentions: Iterable[ComputationMention]) -> Iterator[ComputationMention]:
    """Draw the input, too, of a computation that belongs to it: ``|B| and its standard deviation``."""
    for mention in mentions:
        own = ignoring_case(_OWN).search(text[: mention.position]) is not None
        yield replace(mention, computation=replace(mention.computation, beside=own))


def _other_statistics(sentence: Sentence, mentions: Sequence[ComputationMention]) -> list[ComputationMention]:
    """Read ``daily maximum of AE and minimum of SYM-H``: another statistic of the same intervals."""
    means = [mention for mention in mentions if mention.computation.tool == "resample"]
    if len(means) != 1 or not means[0].computation.window:
        return []
    return [
        replace(
            means[0],
            computation=replace(means[0].computation, method=method_of(match["out"])),
            position=match.start("out"),
        )
        for match in sentence.take(_OTHER_STATISTIC)
    ]


def _with_threshold(sentence: Sentence, mention: ComputationMention) -> ComputationMention:
    """Read how far from their surroundings spikes are: ``despiked, threshold 3``, ``Hampel filter (1 h, 4 sigma)``."""
    if mention.computation.tool != "despike":
        return mention
    match = sentence.take_first(_THRESHOLD)
    if match is None:
        return mention
    args = (("threshold", float(match["threshold"] or match["beyond"])),)
    return replace(mention, computation=replace(mention.computation, args=args))


def _with_units_of_time(sentence: Sentence, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Read the unit of time of an integral: ``integrated pressure in nPa h``, ``time integral, per second``."""
    integrals = [mention for mention in mentions if mention.computation.tool == "cumulative_integral"]
    over_time = ignoring_case(r"\bover\s+(?:the\s+)?time\b").search(sentence.text) or sentence.has(_PER_TIME)
    verb = r"\bintegrat(?:e|ed|ing)\b" if over_time else r"(?!)"
    if not integrals and (match := sentence.take_first(verb)):
        integrals = [mention_of("cumulative_integral", match.start())]
        mentions = [*mentions, *integrals]
    if not integrals:
        return mentions
    sentence.drop(r"\bover\s+(?:the\s+)?time\b")
    unit = sentence.take_first(_PER_TIME)
    per = next((key for key in ("h", "s", "day", "min") if unit and unit[key]), "")
    return [
        replace(mention, computation=replace(mention.computation, args=(("per", per),)))
        if per and mention in integrals
        else mention
        for mention in mentions
    ]


def _in_order(text: str, mentions: Iterable[ComputationMention]) -> list[ComputationMention]:
    """Put the inner one of ``hourly maxima of the derivative`` first, and spectra after the cleaning of series.

    Means that stand beside a wavelet spectrum are those of its series: ``wavelet of the speed, hourly means``.
    """
    by_position = sorted(mentions, key=lambda mention: mention.position)
    ordered: list[ComputationMention] = []
    nested: list[ComputationMention] = []
    of_results: set[int] = set()
    for mention, behind in zip_longest(by_position, by_position[1:]):
        nested.insert(0, mention)
        if behind is None or not _takes_result(text, mention, behind):
            ordered += nested
            of_results |= {*map(id, nested[1:])}
            nested = []
    tools = {mention.computation.tool for mention in ordered}
    before = (
        *(CLEANING if tools & {*OF_SERIES} else ()),
        *(("resample",) if "wavelet_spectrum" in tools else ()),
        *(_PREPARES if tools & {*OF_TWO} else ()),
    )
    if "derivative" in tools:  # SYM-H and its derivative, 5 min averages
        ordered.sort(key=lambda made: not _is_average_of_all(text, made))
    return sorted(ordered, key=lambda made: id(made) in of_results or made.computation.tool not in before)


def _is_average_of_all(text: str, mention: ComputationMention) -> bool:
    """Return whether an average stands alone between commas behind ``its derivative``, and so is that of the data."""
    before = text[: max(mention.position, 0)]
    is_alone = ignoring_case(r"\bits\b[^,;]*\bderivative\b[^;]*,\s*(?:all\s+)?(?:as\s+)?$").search(before)
    return mention.computation.tool == "resample" and is_alone is not None


def _takes_result(text: str, outer: ComputationMention, inner: ComputationMention) -> bool:
    """Return whether a computation takes the result of the one that is named behind it."""
    if outer.position < 0:  # the sentence says that it comes first
        return False
    between = text[outer.position : max(inner.position, 0)]
    is_noun = (
        re.match(r"(?:\w*ed|per|each|every|for|in|with|by|after)\b", text[max(inner.position, 0) :]) is None
    )
    return bool(
        ignoring_case(_OF_THE).search(between) or (is_noun and ignoring_case(_OF_NOUN).search(between))
    )


def _takes_window(computation: Computation, *, spectral: bool) -> bool:
    """Return whether a window of the sentence is for a computation; a spectrum has it, not the cleaning before."""
    if spectral and computation.tool in CLEANING:
        return False
    of_windows = computation.tool in OF_SPECTRA and not computation.behind  # a line is of a drawn spectrum
    return lacks_window(computation) or (of_windows and not computation.window)


def _in_intervals(mention: ComputationMention, window: str) -> ComputationMention:
    """Read ``hourly spectral slope, 10 min windows``: one spectrum of short windows for each interval."""
    made = mention.computation
    if made.tool not in OF_SPECTRA or not window or made.window in ("", window):
        return mention
    args = (*made.args, ("interval", made.window))
    return replace(mention, computation=replace(made, window=window, args=args))


def _along_axes_of_field(sentence: Sentence, mention: ComputationMention) -> ComputationMention:
    """Read ``V in LMN`` and ``V in the frame of the MVA of B``: another vector turns to the axes of the field."""
    at = mention.position
    if mention.computation.tool != "minimum_variance" or at < 0:
        return mention
    name = re.match(r"[\x01 ]*", sentence.left[at:])
    stop = at + (name.end() if name else 0)
    if _FRAME_AND.search(sentence.text[:at]) or _AND_FRAME.match(sentence.text, stop):  # B in GSE and in LMN
        mention = replace(mention, computation=replace(mention.computation, beside=True))
    source = _OF_FIELD.match(sentence.left, at)
    end = source.end() if source else stop
    others, field = read_quantities(
        Sentence(f"{sentence.text[:at]} , {sentence.text[end:]}"), magnitude=False
    )
    if source and (others or field >= 0):
        sentence.take_at(*source.span("out"))
    elif not _AXES.search(sentence.text[at:stop]):
        return mention
    args = (*mention.computation.args, ("axes_of_field", True))
    return replace(mention, computation=replace(mention.computation, args=args))


def _beside_series(sentence: Sentence, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Read ``wavelet spectrum of Bz, time series on top``: the series is drawn above its spectrum."""
    spectral = [
        mention
        for mention in mentions
        if mention.computation.tool in APPLIED and APPLIED[mention.computation.tool].kind == "spectrum"
    ]
    match = sentence.take_first(_SERIES_BESIDE) if len(spectral) == 1 else None
    if match is None:
        return mentions
    if match["name"] and match["name"].casefold() not in sentence.text[: match.start()].casefold():
        sentence.put_back(*match.span())
        return mentions
    if ignoring_case(r"\s*(?:below|under|at the bottom)").match(sentence.text[match.end() :]):
        raise NotUnderstood(
            "helio draws a series above its spectrum",
            advice="write 'time series on top', then move the panel",
        )
    beside = replace(spectral[0], computation=replace(spectral[0].computation, beside=True))
    return [beside if mention is spectral[0] else mention for mention in mentions]


def _beside_spectrum(
    mention: ComputationMention, mentions: Sequence[ComputationMention]
) -> ComputationMention:
    """Draw the power of a band below the spectrogram of the same series, and not as one of the spectrogram."""
    tools = {named.computation.tool for named in mentions}
    is_beside = mention.computation.tool in OF_SPECTRA and not mention.computation.behind
    if not is_beside or tools <= {*OF_SPECTRA} or not tools <= {*OF_SERIES}:
        return mention
    return replace(mention, computation=replace(mention.computation, of_data=True))


def _with_lags(sentence: Sentence, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Read the longest delay to try, and the intervals for which to find one, where the sentence asks for delays."""
    if not any(mention.computation.tool == LAG for mention in mentions):
        return mentions
    lag = {
        name: duration_in(match)
        for name, pattern in (("longest", _LONGEST), ("interval", _INTERVAL), ("interval", _ONE_PER))
        if (match := sentence.take_first(pattern))
    }
    sentence.drop(r"\b(?:the\s+)?(?:(?:time|best|resulting)\s+)?(?:lag|delay)s?\b")
    spaced = [
        mention
        for mention in mentions
        if mention.computation.tool == "resample"
        and ignoring_case(rf"{_ONE}|{_EACH}").match(sentence.text[mention.position :])
    ]
    if spaced:  # one value per day
        lag["interval"] = spaced[0].computation.window
    return [
        replace(mention, computation=replace(mention.computation, args=tuple(lag.items())))
        if mention.computation.tool == LAG
        else mention
        for mention in mentions
        if mention not in spaced
    ]


def _window_of_all(sentence: Sentence, computations: Sequence[Computation]) -> str:
    """Read the window for all computations that have none of their own; empty if there is none."""
    window = next(filter(None, map(sentence.take_first, _WINDOWS)), None)
    if window is None and any(map(lacks_window, computations)):
        bare, bracket = rf"(?<=,)\s*{_DURATION}(?=\s*(?:,|$))", r"|(?<=\()"
        if all(has_usual_window(computation.tool) for computation in computations):
            bare, bracket = r"(?!)", ""  # PSD of Bz, 3 s, 2002-02-10, or PSD of Bz (3 s): a cadence
        elif all(computation.tool in WINDOWED for computation in computations):
            bare = rf"\b{_DURATION}(?=\s*(?:,|$))"
        window = sentence.take_first(bare) or sentence.take_first(
            rf"(?:\b(?:over|with|using|in|every|per)\s+(?:an?\s+)?{bracket}){_DURATION}(?!\s+(?:from|before|after)\b)"
        )
    return duration_in(window) if window else ""


def _over_data(sentence: Sentence, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Read ``raw and smoothed``, ``with the raw data`` and ``over the 16 s data``: lines over their inputs."""
    joined = rf"(?:with|and|over|beside|behind|(?:{_DRAWN_ON}\s+)?on(?:\s+top\s+of|to)?|plus|against|next\s+to|vs\.?)"
    forms = (
        rf"\b(?:plot(?:ted)?\s+)?{joined}\s+(?:the\s+)?{_RAW}(?:\s+(?:behind|beside|too|overlaid))?",
        _APART_FROM_RAW,
        rf"\b(?:both\s+)?{_RAW}\s*(?:,|&|\+|\b(?:and|plus|with)\b)\s*(?:(?:with|as|also|its|an?|the)\s+)*(?=\x01)",
    )
    raw = next(filter(None, map(sentence.take_first, forms)), None)
    if raw and not _is_input(raw, sentence.text):
        sentence.put_back(*raw.span())  # smoothed speed and raw density
        return mentions
    on_data = any(mention.computation.tool in OVERLAID for mention in mentions) and (
        sentence.drop(
            r"\b(?:drawn\s+|plotted\s+|shown\s+)?(?:over|onto|on\s+top\s+of)\s+(?:the\s+)?"
            r"(?=\d+(?:\.\d+)?[\s-]*(?:ms|s|sec\w*|min\w*)\s+(?:values|data|samples|points)\b)"
        )
        or _has_values_beside(sentence)
    )
    if not (raw or on_data):
        sentence.drop(
            rf",?\s*\bnot\s+(?:the\s+)?{_RAW}|\bonly\b(?=\s+the\s*\x01)|(?<=\x01 )(?:line|data)\s+(?:only|alone)\b"
        )
        if mentions and {mention.computation.tool for mention in mentions} == {"detrend"}:
            sentence.drop(r"\b(?:only\s+)?(?:the\s+)?residuals?\b(?:\s+(?:only|alone)\b)?")
        return mentions
    if raw and re.match(r"\s+(?:below|under\w*|at\s+the\s+bottom)\b", sentence.text[raw.end() :]):
        raise NotUnderstood(
            "helio draws data above what it computes from them",
            advice="leave the place out, then move the panel: 'put the mean on top'",
        )
    place = raw and ignoring_case(_RAW_APART).match(sentence.text[raw.end() :])
    apart = place is not None or ignoring_case(_APART_FROM_RAW).search(sentence.text) is not None
    return [
        replace(mention, computation=replace(mention.computation, beside=True, behind=not apart))
        for mention in mentions
    ]


def _has_values_beside(sentence: Sentence) -> bool:
    """Return whether a sentence wants the data beside a computation: ``running mean of F10.7 and daily values``."""
    match = ignoring_case(_AND_VALUES).search(sentence.text)
    return match is not None and not (
        read_quantities(Sentence(sentence.text[: match.start()]), magnitude=False)[0]
        and _names_another(sentence.text[: match.start()], sentence.text[match.end() :])
    )


def _is_input(raw: re.Match[str], text: str) -> bool:
    """Return whether words are those of the data of all computations: ``raw``, ``AE itself`` beside AE alone."""
    before = text[: raw.start()]
    if name := raw.groupdict().get("name"):
        placed, field = read_quantities(Sentence(text), magnitude=False)
        is_only = len({quantity for _, quantity in placed}) + (field >= 0) < 2
        return is_only and name.casefold() in before.casefold()
    return not _names_another(before, text[raw.end() :])


def _names_another(before: str, behind: str) -> bool:
    """Return whether a text begins with a quantity that the text before does not name."""
    name = re.match(r"\s+(?:the\s+)?([\w|.-]+(?:\s+[\w|.-]+)?)", behind)
    placed, field = read_quantities(Sentence(name[1] if name else ""), magnitude=False)
    known, _ = read_quantities(Sentence(before), magnitude=False)
    ahead = {quantity for _, quantity in known}
    return any(at == 0 and quantity not in ahead for at, quantity in placed) or (
        field == 0 and not ignoring_case(FIELD).search(before)
    )


def _without_second_names(text: str, mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Leave out a second name of a computation: ``smoothed with a 10-minute running average``."""
    starts = {mention.position for mention in mentions if mention.computation.tool in OVERLAID}
    by = re.compile(
        r"smooth(?:ed|ing)?\b(?:[^,;.]*?\b(?:with|by|using|through|via)\s+|\s*[:=(]\s*)(?:an?\s+|the\s+)?",
        re.IGNORECASE,
    )
    return [
        mention
        for mention in mentions
        if mention.computation.window
        or not (how := by.match(text, max(mention.position, 0)))
        or how.end() not in starts
    ]


def _without_incomplete(mentions: list[ComputationMention]) -> list[ComputationMention]:
    """Leave out a computation without a window, if the sentence has one with a window of the same tool."""
    is_complete = [bool(mention.computation.window or mention.computation.args) for mention in mentions]
    complete = {mention.computation.tool for mention in compress(mentions, is_complete)}
    return [
        mention
        for mention, known in zip(mentions, is_complete, strict=True)
        if known or mention.computation.tool not in complete
    ]


def _verbs_apart(sentence: Sentence) -> list[ComputationMention]:
    """Read verbs whose lengths of time stand behind their objects: ``downsample B to 1 s``."""
    found = []
    for tool, verb, length in _VERBS:
        if sentence.drop(rf"(?P<out>\b{verb})(?=[^.;]*?{length})") and (match := sentence.take_first(length)):
            written = INTERVALS.get((match["each"] or "").lower()) or duration_in(match)
            found.append(mention_of(tool, match.start(), written))
    return found


def refuse_averages_of_inputs(text: str) -> None:
    """Refuse a quantity that is computed from averages: ``average B to 10 min, then compute the clock angle``."""
    computes = r"\b(?:deriv|comput|calculat)(?:e|ing)\s+(?:the\s+|its\s+)?(?P<what>[^;]+)"
    averages = rf"(?P<length>{_LENGTH_OR_RHYTHM})"
    first = ignoring_case(rf"\b{_VERBS[0][1]}\s[^,;.]*?\bto\s+(?:an?\s+)?{averages}[^;]*?{computes}").search(
        text
    )
    averaged = first or ignoring_case(
        rf"{computes}[,;]\s+{averages}[\s-]+\w+\s+(?:first|beforehand)\b"
    ).search(text)
    rows = (row for row in WORDS if averaged and row.quantity in DERIVED)
    names = (ignoring_case(row.pattern).match(averaged["what"]) for row in rows if averaged)
    if averaged and (name := next(filter(None, names), None)):
        raise NotUnderstood(
            f"it is not clear whether to average the data or the {name[0]}",
            advice=f"write '{name[0]} from {averaged['length']} data', or 'averages of the {name[0]}'",
        )


def _with_verb(sentence: Sentence, mention: ComputationMention) -> ComputationMention:
    """Read the verb of averages that stand behind its objects: ``resample the density to daily medians``.

    Behind other quantities the verb is for its own objects alone: ``speed, resample the density to hourly means``.
    """
    verbs = [verb for tool, verb, _ in _VERBS if tool == mention.computation.tool]
    before = sentence.text[: max(mention.position, 0)]
    verb = verbs and ignoring_case(
        rf"(?P<out>\b(?:{verbs[0]}|reduc(?:ed?|ing)|convert(?:ed|ing)?))(?P<objects>(?:(?!\bto\b)[^,;:.])*)"
        r"\b(?:(?:in|on)?to|as)\s+(?:an?\s+|the\s+)?$"
    ).search(before)
    if not verb or not sentence.take_at(*verb.span("out")):
        return mention
    is_apart = ignoring_case(_LISTS).search(before[: verb.start()]) and verb["objects"].strip()
    return replace(mention, position=verb.start(), partial=True) if is_apart else mention


def _shifts(sentence: Sentence) -> list[ComputationMention]:
    """Read ``ACE Bz shifted to the bow shock``: the place on the Sun–Earth line to which the solar wind flows."""
    match = sentence.take_first(_SHIFTED_TO) if sentence.has(_SHIFT) else None
    if match is None:
        return []
    beside = sentence.drop(_BESIDE_SHIFTED) > 0
    sentence.drop(_SHIFT)
    sentence.drop(_WITH_SPEED)
    place = next(x for name, x in _PLACES.items() if match["place"].lower().startswith(name))
    shift = mention_of(SHIFT, match.start(), args={"to_x": place})
    return [replace(shift, computation=replace(shift.computation, beside=beside))]


def _of_windows(sentence: Sentence) -> list[ComputationMention]:
    """Read the names of quantities that are computed in a window, such as the cross helicity."""
    return [
        mention_of(recipe.tool, match.start(), args=recipe.args)
        for row in WORDS
        if (recipe := DERIVED.get(row.quantity)) and recipe.window
        for match in sentence.take(rf"(?<![\w|])(?:{row.pattern})(?![\w|])")
    ]


def of_windowed(mentions: Iterable[ComputationMention]) -> list[tuple[int, RequestQuantity]]:
    """Return the quantities that are computed in a window, with their positions."""
    return [
        (mention.position, RequestQuantity(name))
        for mention in mentions
        if mention.computation.tool in WINDOWED
        for name, recipe in DERIVED.items()
        if recipe.tool == mention.computation.tool and tuple(recipe.args.items()) == mention.computation.args
    ]


_COMMAND = re.compile(
    r"[,;:.]\s*(?:please\s+)?(?:smooth|average|de-?spike|detrend|filter)\s+(?:the\s+)?$", re.IGNORECASE
)
"""A command about what the sentence has named: ``B in GSM, despike the B``."""


def beside_inputs(
    mentions: tuple[ComputationMention, ...], placed: Sequence[tuple[int, RequestQuantity]], text: str
) -> tuple[ComputationMention, ...]:
    """Draw the input, too, of the one computation of a sentence that lists one quantity twice: ``B and smoothed B``."""
    starts = sorted(start for start, _ in placed)
    joints = [text[first:second] for first, second in pairwise(starts)]
    listed = any(re.search(_LISTS, joint) and not _COMMAND.search(joint) for joint in joints)
    if (
        len(mentions) != 1
        or mentions[0].named != (0, 0)
        or mentions[0].computation.beside
        or not listed
        or len({quantity for _, quantity in placed}) > 1
    ):
        return mentions
    over = any(re.search(r"\b(?:over|on top of)\s+(?:the\s+)?\w", joint) for joint in joints)
    (mention,) = mentions
    behind = mention.computation.behind or (over and mention.computation.tool in OVERLAID)
    return (replace(mention, computation=replace(mention.computation, beside=True, behind=behind)),)


def with_operands(
    mentions: Sequence[ComputationMention], placed: Sequence[tuple[int, RequestQuantity]], text: str
) -> tuple[ComputationMention, ...]:
    """Give a ratio or a difference its two quantities in the order of its words: ``ratio of density to speed``."""

    def of(mention: ComputationMention) -> tuple[RequestQuantity, ...]:
        behind = sorted((start, quantity) for start, quantity in placed if start > mention.position >= 0)[:2]
        starts = [mention.position, *(start for start, _ in behind)]
        between = [text[first:second] for first, second in pairwise(starts)]
        patterns = (_BEFORE_OPERANDS, _BETWEEN_OPERANDS)
        fits = len(behind) == len(patterns) and all(map(re.fullmatch, patterns, between))
        return tuple(quantity for _, quantity in behind) if fits else ()

    return tuple(
        replace(mention, computation=replace(mention.computation, of=Lines((), operands)))
        if mention.computation.tool in OF_TWO and (operands := of(mention))
        else mention
        for mention in mentions
    )


def over_their_inputs(mentions: Iterable[ComputationMention]) -> Iterator[ComputationMention]:
    """Draw the lines beside their inputs over them."""
    for mention in mentions:
        over = mention.computation.beside and mention.computation.tool in OVERLAID
        yield replace(mention, computation=replace(mention.computation, behind=True)) if over else mention


def _mention(sentence: Sentence, match: re.Match[str], tool: str, *, related: bool) -> ComputationMention:
    groups = match.groupdict()
    window = rhythm_in(match) or (duration_in(match) if "number" in groups else "")
    statistic = groups.get("statistic")
    if tool == "resample" and not statistic and (by := sentence.take_first(_BY_STATISTIC)):
        statistic = by[1]
    method = method_of(statistic or "") if tool == "resample" else ""
    ahead = sentence.text[: match.start()]
    joined = related and ignoring_case(_AND_ITS).search(ahead) is not None
    is_of_former = related and ignoring_case(_OWN).search(ahead) is not None
    participle = ignoring_case(r"\b(?:smooth\w*|averaged|remov\w+|detrend\w*|de-?spik\w*)\b").search(match[0])
    if tool.startswith("running_") and ignoring_case(r"\b(?:average|mean|median)s?\b").search(match[0]):
        is_applied = ignoring_case(r"\bapplied\b").search(sentence.text[match.end() :])
        is_of_former |= related and not is_applied and bool(_WITH_A.search(ahead))
        joined |= is_of_former
    is_after = ignoring_case(_AFTER).search(
        f"{sentence.text[: match.start()]}\x02{sentence.text[match.start() :]}"
    )
    joined &= is_after is None
    below = related and ignoring_case(_BELOW_IT).match(sentence.text, match.end()) is not None
    around = sentence.text[: match.start()], sentence.text[match.end() :]
    is_line = related and participle is not None and _is_line_too(around[0], participle[0], around[1])
    beside = is_line or ((joined or below) and not participle)
    is_added = tool in OVERLAID and _ADDED.search(sentence.text[: match.start()]) is not None
    over = related and ((is_line and tool in OVERLAID) or is_added or _is_over(sentence.text, match))
    over |= (
        is_of_former
        and (tool.startswith("running_") or (tool in OVERLAID and _WITH_ITS.search(ahead) is not None))
        and not (participle or _PLACES_LINES.search(sentence.text))
    )
    if over and tool not in OVERLAID:
        raise NotUnderstood(
            f"helio cannot draw '{match[0].strip()}' over its input",
            advice=f"write 'and its {match[0].strip()}'",
        )
    # the magnitude of E alone, but the vector and its magnitude
    alone = tool == MAGNITUDE and (
        re.match(_OF_A_QUANTITY, sentence.text[match.end() :]) is not None
        or (not beside and _MAGNITUDE_ALONE.search(sentence.text[: match.start()]) is not None)
    )
    computation = Computation(tool, window, method, beside=beside or over, behind=over, alone=alone)
    alone_of = _ALONE.match(sentence.text, match.end())
    only = alone_of is not None and sentence.take_at(*alone_of.span("only"))
    partial = only or (joined and tool not in OF_TWO and _has_object(sentence.text[match.end() :], match[0]))
    first = _FIRST.match(sentence.text, match.end()) or _FIRST_AHEAD.search(sentence.text[: match.start()])
    partial |= bool(
        is_after and re.match(r"[\s,]*\b(?:and|plus|with)\b", around[1])
    )  # Bz after smoothing and V
    is_first = sentence.take_at(*first.span()) if first else is_after
    start = match.start("out" if groups.get("out") else 0)
    position = start - len(sentence.text) if is_first else start
    return ComputationMention(computation, position, partial, only)


def _is_line_too(before: str, participle: str, behind: str) -> bool:
    """Return whether a sentence asks for a computed line beside its data: ``Bz and the smoothed line``."""
    is_again = participle[: len("smooth")].casefold() in before.casefold()
    return not is_again and bool(_AND_THE.search(before) and re.match(r"\s+(?:line|curve|trace)s?\b", behind))


def _is_over(text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence asks for a computed line over its input: ``with a running mean over it``."""
    before, behind = text[: match.start()], text[match.end() :]
    joined = ignoring_case(_JOINED).search(before)
    crafts = {craft for _, craft in read_spacecraft(Sentence(before))}
    if len(crafts) > 1 and re.search(r"[,;]\s*$", before) and not ignoring_case(_ON_THEM).match(behind):
        return False  # the spacecraft share the panel
    return bool(ignoring_case(_LAID).search(before) or (joined and ignoring_case(_ON_IT).match(behind)))


def _has_object(behind: str, phrase: str) -> bool:
    """Return whether a computation's input follows its name: ``hourly means of the speed``, ``smoothed speed``."""
    if ignoring_case(r"\s+of\s+(?!it\b|them\b|all\b|both\b|each\b)").match(behind):
        return True
    adjective = ignoring_case(r"(?:ed|hourly|daily)$").search(phrase)
    noun = re.match(
        r"\s+(?!over\b|with\b|to\b|at\b|in\b|by\b|for\b|on\b|using\b|and\b|it\b|them\b)[A-Za-z|]", behind
    )
    return bool(adjective and noun)
