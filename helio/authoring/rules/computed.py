"""Find the computations that a sentence requests, by the names and synonyms of tools and by other phrases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, RequestQuantity
from helio.authoring.rules.durations import INTERVALS, duration_in, duration_pattern
from helio.authoring.rules.named import names_of_spacecraft
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.computations import (
    ANGLE,
    DERIVED,
    DIFFERENCE,
    LAG,
    MAGNITUDE,
    OF_TWO,
    PRODUCT,
    R_SQUARED,
    RATIO,
    SHIFT,
    SUM,
    WINDOWED,
    lacks_window,
)
from helio.authoring.writing.windows import has_usual_window
from helio.interval import CalendarInterval, interval_of
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import RADIO, SOURCES
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.steps.signature import signatures
from helio.time_range import TimeRange

_EVERY = {"minute": "1min", "hour": "1h", "day": "1d", "week": "7d", "month": "1 month", "quarter": "3 months",
          "year": "1 year"}  # fmt: skip
_ROTATION = r"(?:carrington|solar)[\s-]+rotation"
_RHYTHM = rf"(?:\b(?P<each>{'|'.join(INTERVALS)})\b|\b(?P<turn>{_ROTATION})s?\b)"
_NO_COUNT = r"(?<!\x1f )(?<!rate )(?<!slope )(?<!lag )(?<!number )(?<!fit )"
"""What stands before ``per month`` is no correlation, which was taken, and no count."""
_PER = (
    rf"(?:{_NO_COUNT}\b(?:(?:per|(?:(?:for|in|of|over)\s+)?(?:each|every)|by)\s+)(?:calendar\s+)?"
    rf"(?P<every>{'|'.join(_EVERY)}|{_ROTATION})\b|\b(?P<by>day|week|month|year)[\s-]+by[\s-]+(?P=by)\b)"
)
_DAY = 86_400 * 10**9
"""Nanoseconds of a day."""
_LONG = ("monthly", "quarterly", "yearly", "annually", "annual")
_FIGURE = r"(?:overview|plot|summary|figure|quick-?look|check|view|report|survey|page|look)"
"""What ``daily`` may only say how often a person looks at."""
_REDUCED = r"(?:averaged|averaging|resampled|resampling|rebinned|binned|reduced)"
_METHOD = (
    r"(?:averages?|averaged|avg|means?|medians?|min(?:ima|imum)?|max(?:ima|imum)?|lowest|smallest|highest|largest"
    r"|greatest|peaks?)"
)
_FREQUENCY = r"(?P<{0}>\d+(?:\.\d+)?(?:e-?\d+)?)\s*(?P<{0}_unit>[mk]?Hz)?"
_HERTZ = {"mhz": 1e-3, "hz": 1.0, "khz": 1e3}
_BAND = (
    rf"\b(?:(?:from|between|of|in the (?:band|range)(?:\s+of)?|at|with)\s+)?{_FREQUENCY.format('low')}"
    rf"\s*(?:to|-|–|and)\s*{_FREQUENCY.format('high')}(?<=Hz)"
)
_LONGEST = (
    rf"\b(?:with\s+)?(?:an?\s+|the\s+)?(?:(?:try\w*|search\w*|allow\w*)?\s*(?:longest|maximum|max\.?|largest)\s+(?:(?:time\s+)?(?:lag|delay|shift)(?:\s+of)?)?"
    rf"|(?:(?:lags?|delays?|try\w*|search\w*|allow\w*)\s+(?:of\s+|lags?\s+)?)?(?:up\s+to|at\s+most|within))\s*[=:]?\s*(?:an?\s+)?{duration_pattern()}(?:\s+(?:lag|delay)s?)?"
)
_INTERVAL = (
    rf"\b(?:(?:in|over|per|for|every|each|using|with)\s+)?(?:an?\s+|every\s+|each\s+)?{duration_pattern()}[\s-]*"
    r"(?:long\s+)?(?:intervals?|windows?|blocks?|segments?|chunks?|pieces)\b"
)
_METHODS = {
    "med": "median", "min": "min", "low": "min", "sma": "min", "max": "max", "hig": "max", "lar": "max", "gre": "max",
    "pea": "max",
}  # fmt: skip
"""Methods of `resample` by the first letters of their names; all others mean the mean."""
_DURATION = duration_pattern()
_LENGTH = duration_pattern(calendar=True)
_STATISTICS = {
    "mean": "mean",
    "aver": "mean",
    "medi": "median",
    "std": "std",
    "stan": "std",
    "min": "min",
    "max": "max",
}
_STATISTIC = r"(?:averages?|means?|medians?|standard\s+deviations?|std(?:\s?dev)?\.?|min(?:ima|imum)?|max(?:ima|imum)?)"
_RECEIVERS = sorted({name for row in SOURCES if row.quantity == RADIO for name in row.instruments})
_NO_RECEIVER = "".join(rf"(?<!\b{name} )" for name in (*_RECEIVERS, "radio", "wave", "waves"))
"""Pattern of a place that is not behind a receiver or its waves, of which there are spectrograms."""
_PARTICLE = r"\b(?:ions?|electrons?|protons?|particles?|energy|e?flux)\b"
_AND_ITS = (
    r"(?:\b(?:and|plus|with|as well as)|\+)\s+(?:also\s+)?(?:its|their)\s+$"
    r"|(?:\b(?:and|plus|together with|along with|as well as)|\+)\s+(?:also\s+)?(?:an?\s+|the\s+)?$"
)

_SHIFT = (
    r"\b(?:ballistic(?:ally)?[- ]+)?(?:(?:time[- ]?)?shift(?:ed|ing)?|propagat(?:ed?|ing|ion)|advect(?:ed)?|convected"
    r"|(?:time[- ]?)?lagged)\b(?:\s+ballistically\b)?(?!\s+by\b)"
)
_PLACES = {"earth": 0.0, "bow": 90000.0, "nose": 90000.0, "magnetopause": 64000.0}
"""x in km of the places to which a sentence shifts the solar wind."""
_SHIFTED_TO = (
    r"\b(?:ballistically\s+)?(?:(?:in\s+time\s+)?(?:down\s+)?to|at)\s+(?:the\s+)?"
    r"(?P<place>Earth|bow[- ]?shock|magnetopause|nose\s+of\s+the\s+bow[- ]?shock)(?:'s)?"
    r"(?:\s+(?:nose|position|orbit))?\b(?:\s+ballistically\b)?"
)
_UNITS = r"(?:1/)?cm\^?-?3|/cc|km/s|nT|nPa|[kM]?eV|MK|K"
_FIRST = re.compile(
    r"\s+(?:first|beforehand)\b(?=\s*(?:$|[,.;)\x1f]|(?:on|for|from|and|then)\b))", re.IGNORECASE
)
"""A word behind a computation that brings it before all others."""
_LENGTH_OR_RHYTHM = rf"(?:{_DURATION}|(?P<each>hourly|daily|minutely|weekly))"
_VERBS = (
    (
        "resample",
        r"(?:down-?sampl\w*|re-?sampl\w*|re-?bin\w*|averag(?:ed?|ing)|decimat\w*|bin(?:ned)?)",
        rf"\b(?:on|in)?to\s+(?:an?\s+)?{_LENGTH_OR_RHYTHM}(?:[\s-]*(?:cadence|bins?|intervals|averages|means|resolution|grid|steps))?",
    ),
    (
        "interpolate",
        r"interpolat\w*",
        rf"\b(?:on|in)?to\s+(?:an?\s+)?(?:regular\s+)?{_LENGTH_OR_RHYTHM}[\s-]*(?:grid|epochs|cadence|steps|time\s?tags)",
    ),
    (
        "interpolate",
        r"(?:fill\w*|bridg\w*|interpolat\w*)(?:\s+(?:over|across|the|all|data|short|small))*\s+gaps?",
        r"\b(?:shorter\s+than|smaller\s+than|less\s+than|(?:of\s+)?up\s+to|below|under|(?:of\s+)?at\s+most|<)\s*"
        rf"{_LENGTH_OR_RHYTHM}",
    ),
)
"""Tools with a verb and a length of time that may stand apart."""
_OF_A_QUANTITY = r"\s+of\s+(?!(?:it|them|all|both|each|every)\b)"
OVERLAID = ("running_average", "running_median", "resample")
"""Tools whose lines a sentence may ask to draw over their inputs."""
_ARTICLE = r"(?:(?:also|an?|the|its|their)\s+)*"
_JOINED = rf"(?:\b(?:with|plus|and)|[,;+&])\s*{_ARTICLE}$"
_LAID = (
    r"\b(?:over-?plot(?:ted|ting)?|overlay(?:ing)?|overlaid|superimpos\w+|superpos\w+)\s+(?:(?:by|with)\s+)?"
    rf"{_ARTICLE}$"
)
_ON_IT = (
    r"[\s,(]*(?:\w+ed\s+|drawn\s+|shown\s+)?(?:(?:over|on\s+top\s+of|onto|on)\s+(?:it|them|this|that)\b|on\s+top\b"
    r"|over-?plotted\b|overlaid\b|superimposed\b|superposed\b"
    r"|(?:in|on)\s+(?:the\s+)?(?:same|one)\s+(?:panel|axes|axis|plot|graph|subplot)\b)"
)
"""Words behind a computed line that say that it is drawn over its input."""


@dataclass(frozen=True)
class ComputationMention:
    """A computation that a sentence requests, and its position in the sentence.

    Parameters
    ----------
    partial : bool
        Whether it may apply to one quantity alone: ``density and hourly means of the speed``.
    """

    computation: Computation
    position: int
    partial: bool = False


def tool_names(tool: str) -> str:
    """Return a regular expression that matches every name and synonym of a tool."""
    spelt = (name.replace("_", " ") for name in (tool, *signatures()[tool].synonyms))
    return any_phrase(tuple(VOCABULARY["computations"].get(tool, ())) + tuple(spelt))


def _phrases() -> Iterator[tuple[str, str, bool]]:
    """Yield every tool with a regular expression, and whether the computation's name may be next to its input."""
    window = rf"(?:\s+(?:of|over|with|using|in)?\s*(?:an?\s+)?(?:window\s+of\s+)?{_DURATION}(?:\s+window)?)"
    for tool in ("running_median", "running_average", "power_spectrogram", "power_spectrum", "despike"):
        names = tool_names(tool)
        yield tool, rf"\b{_DURATION}[\s-]*(?:wide\s+)?(?:{names})\b", True
        yield tool, rf"\b(?:{names})\b{window}?", True
    statistic = rf"(?P<statistic>{_METHOD})"
    yield "resample", rf"{_RHYTHM}[\s-]+{statistic}\b(?:\s+values?\b)?", True
    yield "resample", rf"\b{statistic}\s+{_RHYTHM}(?!\s+{_METHOD})", True
    yield "resample", rf"\b{_REDUCED}\s+(?:(?:over|by|to|in|on)\s+)?{_RHYTHM}", True
    yield (
        "resample",
        rf"\b(?P<each>weekly|{'|'.join(_LONG)})\b(?!\s+(?:cadence|resolution|{_FIGURE}s?|summaries)\b)",
        False,
    )
    yield (
        "resample",
        rf"\b(?:(?:(?:an?|one|single)\s+)?(?:(?:point|value|{statistic})\s+)|{_REDUCED}\s+)?{_PER}",
        False,
    )
    statistic = (
        r"(?P<statistic>averages?|averaging|means?|medians?|averaged|minima|maxima|bins|resolution averages)"
    )
    yield "resample", rf"\b(?:after\s+(?:an?\s+)?)?{_LENGTH}[\s-]*{statistic}\b", True
    yield (
        "resample",
        r"\b(?:after\s+)?(?:averaged?|averaging|resampl(?:ed?|ing)|rebin(?:ned)?|binned|downsampled?|reduced?)"
        r"(?: (?:it|them|both|all|everything|the data))?\s+(?:over|to|on|into|at|every|in)\s+(?:a\s+)?"
        rf"{_LENGTH}(?:\s+(?:cadence|bins|intervals|averages|means|resolution|grid))?",
        False,
    )
    yield "derivative", rf"\b(?:{tool_names('derivative')}|d/dt)\b", True
    for tool in ("detrend", "minimum_variance", "wavelet_spectrum"):
        yield tool, rf"\b(?:{tool_names(tool)})\b", False
    # of a series, not of particles
    yield (
        "power_spectrogram",
        rf"^(?!.*{_PARTICLE}).*?{_NO_RECEIVER}(?P<out>\bspectrograms?\b(?=\s+of\b))",
        True,
    )
    yield (
        "power_spectrum",
        rf"^(?!.*{_PARTICLE}).*?(?P<out>\b(?:frequency )?(?:spectrum|spectra)\b(?=\s+of\b))",
        True,
    )
    yield (
        MAGNITUDE,
        r"(?<!field )(?<!b )\b(?:the )?(?:vector )?magnitudes?\b(?! of (?:the )?(?:(?:magnetic )?field|(?-i:B))\b)",
        False,
    )
    yield "cumulative_integral", rf"\b(?:{tool_names('cumulative_integral')})\b", True
    yield (
        LAG,
        r"\b(?:by\s+|from\s+|using\s+)?cross[- ]?correlat\w+(?:\s+(?:the\s+)?(?:time\s+)?(?:lag|delay|analysis))?\b",
        False,
    )
    yield (
        LAG,
        r"\b(?:the\s+)?(?:propagation\s+|time\s+)?(?:lag|delay)s?(?=\s+(?:between|from|of|by)\b)"
        r"|\b(?:propagation|time|transit)[- ](?:lag|delay)s?\b"
        r"|\b(?:best|optimal|optimum)\s+(?:time\s+)?(?:lag|delay)\b",
        False,
    )
    squared = r"(?:\s*\^\s*2|²|[ -]squared)"
    by = r"(?:\b(?:times|multiplied by|scaled (?:by|with)|normali[sz]ed (?:by|with|to)|x)\s+|[*·×]\s*)?(?:the\s+)?"
    solar = r"(?:heliocentric |radial |solar )?"
    radius = rf"(?:\bsquare of the {solar}distance|\b{solar}(?:distance|r){squared})"
    yield R_SQUARED, rf"{by}{radius}(?:[- ](?:scaled|normali[sz]ed))?", False
    yield (
        PRODUCT,
        r"\b(?:the\s+)?products?\b(?: of)?|\bmultiplied by\b|\btimes\b(?=\s+(?:the\s+)?[A-Za-z|])",
        True,
    )
    yield SUM, r"\b(?:the )?sum\b(?: of)?(?!\s+over\b)", True
    shear = r"\b(?:the )?(?:magnetic )?shear(?: angle)?s?\b(?: between)?"
    crafts = names_of_spacecraft()
    of_field = (
        r"(?:(?:the )?(?:(?:magnetic )?fields?|B|IMF)(?: vectors?)?,? )?(?:(?:of|at|from|measured by) )?"
    )
    yield ANGLE, rf"{shear}|\b(?:the )?angle between(?=\s+{of_field}(?:{crafts})(?![\w-]))", False
    yield DIFFERENCE, r"\b(?:the )?differences?\b(?: between)?|\bminus\b", True
    yield RATIO, r"\b(?:the )?ratios?\b(?: (?:between|of))?|\bdivided by\b", True


def read_computations(sentence: Sentence) -> tuple[ComputationMention, ...]:
    """Find the computations that a sentence requests, in order."""
    sentence.drop(
        r"\(?\b(?:not|no|without)\s+(?:an?\s+|any\s+)?(?:running|moving|smoothed|smoothing|averaged|averaging|rolling)\b\)?"
    )
    first_read = [
        *_angles_to_means(sentence),
        *_changed_values(sentence),
        *_of_bands(sentence),
        *_shifts(sentence),
        *_of_windows(sentence),
        *_trends(sentence),
        *_statistics(sentence),
        *_rhythms_apart(sentence),
    ]
    mentions = [
        _mention(sentence, match, tool, related=related)
        for tool, pattern, related in _phrases()
        for match in sentence.take(pattern)
    ]
    mentions += [*first_read, *_verbs_apart(sentence), *_filters(sentence)]
    mentions.sort(key=lambda mention: mention.position)
    if any(mention.computation.tool == LAG for mention in mentions):
        lag = {
            name: duration_in(match)
            for name, pattern in (("longest", _LONGEST), ("interval", _INTERVAL))
            if (match := sentence.take_first(pattern))
        }
        mentions = [
            _with_args(mention, lag) if mention.computation.tool == LAG else mention for mention in mentions
        ]
    window = sentence.take_first(
        rf"\b(?:(?:with|using|in)\s+)?(?:an?\s+|the\s+)?(?:(?:Welch(?:'s)?|Hann(?:ing)?|FFT)\s+)?(?:windows?|segments?)(?:\s+length)?\s+(?:of\s+|is\s+|=\s*)?{_DURATION}"
    ) or sentence.take_first(
        rf"\b(?:(?:with|using|in|over)\s+)?(?:an?\s+)?{_DURATION}[\s-]*(?:long\s+|wide\s+)?windows?\b"
    )
    if window is None and any(lacks_window(mention.computation) for mention in mentions):
        bare = rf"(?<=,)\s*{_DURATION}(?=\s*(?:,|$))"
        if all(has_usual_window(mention.computation.tool) for mention in mentions):
            bare = r"(?!)"  # PSD of Bz, 3 s, 2002-02-10: a cadence
        window = sentence.take_first(bare) or sentence.take_first(
            rf"(?:\b(?:over|with|using|in|every|per)\s+(?:an?\s+)?|(?<=\()){_DURATION}(?!\s+(?:from|before|after)\b)"
        )
    # "smoothed with a 10-minute running average" names one computation twice
    if any(mention.computation.tool.startswith("power_") for mention in mentions):
        names = r"(?:(?:dynamic|frequency)\s+)?(?:spectrograms?|spectrum|spectra|FFT|PSD)"
        sentence.drop(rf"(?:\((?P<out>{names})(?=\)))")
        sentence.drop(rf"\b(?P<out>{names})\s*\(?(?=\x1f)")
        sentence.drop(r"\b(?:fluctuations|variations|turbulence)\b")
    raw = sentence.take_first(
        r"\b(?:plot(?:ted)?\s+)?(?:with|and|over|beside|behind|on\s+top\s+of)\s+(?:the\s+)?(?:raw|original|unsmoothed)\b(?:\s+(?:data|values|series))?"
        r"(?:\s+(?:behind|below|beside|too|overlaid))?"
    )
    on_data = any(mention.computation.tool in OVERLAID for mention in mentions) and sentence.drop(
        r"\b(?:drawn\s+|plotted\s+|shown\s+)?(?:over|onto|on\s+top\s+of)\s+(?:the\s+)?"
        r"(?=\d+(?:\.\d+)?[\s-]*(?:ms|s|sec\w*|min\w*)\s+(?:values|data|samples|points)\b)"
    )
    if raw or on_data:
        mentions = [
            replace(mention, computation=replace(mention.computation, beside=True, behind=True))
            for mention in mentions
        ]
    else:
        sentence.drop(
            r",?\s*\bnot\s+(?:the\s+)?(?:raw|original|unsmoothed)(?:\s+(?:data|values|series))?\b|\bonly\b(?=\s+the\s*\x1f)"
        )
    complete = {
        mention.computation.tool
        for mention in mentions
        if mention.computation.window or mention.computation.args
    }
    mentions = [
        mention
        for mention in mentions
        if mention.computation.window or mention.computation.args or mention.computation.tool not in complete
    ]
    if window:  # at the end of the sentence: for all computations without one
        mentions = [_with_window(mention, duration_in(window)) for mention in mentions]
    first: dict[tuple[Computation, bool], ComputationMention] = {}
    for mention in mentions:
        first.setdefault((mention.computation, mention.partial), mention)
    return tuple(first.values())


def drop_rhythms_of_figures(sentence: Sentence, spans: Sequence[TimeRange]) -> None:
    """Drop ``daily`` in ``daily overview`` of one day: it says how often a person looks at the figure."""
    if len(spans) == 1:
        days = spans[0].duration.days
        words = (word for word, length in INTERVALS.items() if interval_of(length).nanoseconds >= days * _DAY)
        sentence.drop(rf"\b(?:{'|'.join(words)})\s+(?={_FIGURE}s?\b)")
    several = sentence.take_first(rf"\b(?P<each>{'|'.join(INTERVALS)})\s+(?:{_FIGURE}s|summaries)\b")
    if several:
        raise NotUnderstood(
            f"helio writes a pipeline that draws one figure, not {several[0]}",
            advice="ask for the figure of one time; then `helio backfill NAME RANGE --each "
            f"'{INTERVALS[several['each'].lower()]}'` draws all",
        )


def _changed_values(sentence: Sentence) -> list[ComputationMention]:
    """Read ``gaps up to 5 min filled`` and ``without values above 100``."""
    upto = rf"(?:\s*(?:of|up\s+to|shorter\s+than|below|under|no\s+longer\s+than|less\s+than|<|≤)+)*\s*{_DURATION}"
    fill = r"(?:interpolat\w*|fill\w*|bridg\w*)"
    found = [
        ComputationMention(Computation("interpolate", duration_in(match)), match.start())
        for pattern in (
            rf"\b{fill}\s+(?:over\s+|across\s+)?(?:the\s+|all\s+)?(?:data\s+)?gaps?{upto}",
            rf"\b(?:with\s+)?(?:data\s+)?gaps?{upto}\s+(?:being\s+)?{fill}",
        )
        for match in sentence.take(pattern)
    ]
    away = (
        r"(?:mask\w*|ignor\w+|exclud\w+|remov\w+|discard\w*|without|leav\w+\s+out|no|hid\w+|drop(?:ped)?|omit\w*|cut"
        r"|reject\w*|skip\w*)"
    )
    sides = {"above": ">", "over": ">", "larger": ">", "greater": ">", ">": ">", "below": "<", "under": "<"}
    sides |= {"less": "<", "smaller": "<", "<": "<"}
    side = rf"(?P<side>{'|'.join(sides)})(?:\s+than)?"
    limit = rf"{side}\s*(?P<limit>[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:\s*(?P<unit>{_UNITS}))?(?![\d:-])"
    values = r"(?:\s+(?:out|all|any|the))*(?:\s+(?:values|points|samples|records|data)(?:\s+of)?)?"
    of_quantity = r"(?:\s+[A-Za-z|][\w|]*){0,3}?"
    if not sentence.drop(rf"(?P<out>\b{away}{values})(?={of_quantity}\s*{limit})"):
        return found
    sentence.drop(rf"(?P<out>\b(?:values|points|samples|records|data))(?=\s*{limit})")
    for match in sentence.take(rf"(?<!\w){limit}"):
        args = {"where": sides[match["side"].lower()], "value": float(match["limit"].replace("−", "-"))}
        args |= {"unit": match["unit"]} if match["unit"] else {}
        found.append(_with_args(ComputationMention(Computation("mask"), match.start()), args))
    return found


def _verbs_apart(sentence: Sentence) -> list[ComputationMention]:
    """Read verbs whose lengths of time stand behind their objects: ``downsample B to 1 s``."""
    found = []
    for tool, verb, length in _VERBS:
        if sentence.drop(rf"(?P<out>\b{verb})(?=[^.;]*?{length})") and (match := sentence.take_first(length)):
            written = INTERVALS.get((match["each"] or "").lower()) or duration_in(match)
            made = Computation(tool, written)
            if tool == "interpolate" and "gap" not in verb:
                number, unit = re.findall(r"[\d.]+|[a-z]+", written)
                made = Computation(tool, f"{3 * float(number):g}{unit}", args=(("cadence", written),))
            found.append(ComputationMention(made, match.start()))
    return found


def _of_bands(sentence: Sentence) -> list[ComputationMention]:
    """Read ``power of Bz from 7 to 22 mHz`` and ``spectral slope between 0.01 and 0.1 Hz``."""
    kinds = r"(?:band|wave|integrated|spectral|total|fluctuation|Pc\s?[1-5]|ULF)"
    power = rf"\b(?:{kinds}[- ]+)+power\b(?!\s+(?:spectr|density))|\bpower\b(?=\s+(?:in|of|from|between)\b[^,;]*Hz)"
    spectrum = r"(?:PSD|power\s+spectr(?:um|al\s+densit(?:y|ies))|(?:power\s+)?spectr(?:um|a))"
    of_spectrum = rf"(?:spectral|{spectrum})\s+{{0}}\b|\b{{0}}\s+(?:of|in)\s+(?:the\s+)?{spectrum}(?!\w)"
    slope = of_spectrum.format(r"(?:slope|ind(?:ex|ices)|exponent)s?")
    bend = (
        of_spectrum.format(r"break(?:\s*(?:points?|frequenc(?:y|ies)))?") + r"|\bbreak\s+frequenc(?:y|ies)\b"
    )
    found = []
    for tool, pattern in (("band_integral", power), ("spectral_slope", slope), ("spectral_break", bend)):
        match = None if tool == "band_integral" and not sentence.has(_BAND) else sentence.take_first(pattern)
        if match is None:
            continue
        band = sentence.take_first(_BAND)
        sentence.drop(r"(?:\b(?:in|of)\s+(?:the\s+)?)?\bPc\s?[1-5](?:\s+(?:band|range))?")
        limits = _limits(band) if band else {}
        args = {"bands": (tuple(limits.values()),)} if tool == "band_integral" else limits
        found.append(_with_args(ComputationMention(Computation(tool), match.start()), args))
    return found


def _shifts(sentence: Sentence) -> list[ComputationMention]:
    """Read ``ACE Bz shifted to the bow shock``: the place on the Sun–Earth line to which the solar wind flows."""
    match = sentence.take_first(_SHIFTED_TO) if sentence.has(_SHIFT) else None
    if match is None:
        return []
    sentence.drop(_SHIFT)
    sentence.drop(r"\b(?:with|using|by)\s+(?:[\w-]+\s+){0,4}?(?:velocity|speed)\b")
    place = next(x for name, x in _PLACES.items() if match["place"].lower().startswith(name))
    return [_with_args(ComputationMention(Computation(SHIFT), match.start()), {"to_x": place})]


def _limits(match: re.Match[str]) -> dict[str, float]:
    """Return the limits of a band of frequencies in Hz."""
    unit = match["high_unit"] or "Hz"
    return {
        key: float(f"{float(match[key]) * _HERTZ[(match[f'{key}_unit'] or unit).lower()]:.12g}")
        for key in ("low", "high")
    }


def _filters(sentence: Sentence) -> list[ComputationMention]:
    """Read ``band-pass filtered from 1.7 to 6.7 mHz``, and filters with one limit."""
    found = []
    filters = r"\bband[- ]?pass\w*(?:\s+filter\w*)?|\bfilter(?:ed|ing)?\b"
    filters += r"|(?-i:\bPc\s?[1-5])(?:\s+(?:band|range|waves?|pulsations?|oscillations?))?"
    filters += r"|\b(?:ULF\s+waves?|fluctuations?|variations?|oscillations?|pulsations?)\b"
    for match in sentence.take(_BAND) if sentence.has(filters) else ():
        start = min((word.start() for word in sentence.take(filters)), default=match.start())
        found.append(_with_args(ComputationMention(Computation("band_pass"), start), _limits(match)))
    for kind, key in (("low", "high"), ("high", "low")):
        limit = rf"(?:\s+filter(?:ed)?)?\s*(?:below|above|at|of|with)?\s*{_FREQUENCY.format('cut')}"
        edge = r"\b(?:below|above|with|at|(?:and|using)\s+a)?\s*(?:an?\s+)?"
        cut = rf"{edge}(?:cut-?off\s+(?:frequency\s+)?(?:at|of)\s+)?{_FREQUENCY.format('cut')}(?<=Hz)"
        apart = rf"\b{kind}[- ]?pass(?:ed)?(?:\s+filter(?:ed)?)?"
        taken = list(sentence.take(rf"\b{kind}[- ]?pass(?:ed)?{limit}"))
        if not taken and sentence.has(apart) and (found_apart := sentence.take_first(cut)):
            sentence.drop(apart)
            taken = [found_apart]
        for match in taken:
            value = float(match["cut"]) * _HERTZ[(match["cut_unit"] or "Hz").lower()]
            made = ComputationMention(Computation("band_pass"), match.start())
            found.append(_with_args(made, {key: value}))
    return found


def _angles_to_means(sentence: Sentence) -> list[ComputationMention]:
    """Read ``angle between B and its 1 h running mean`` and ``deflection of B from its 6 h mean field``."""
    smooth = rf"(?:{tool_names('running_average')}|{tool_names('running_median')}|mean|average|median)"
    of = rf"(?:\s+(?:of\s+it|field|direction|vector|B)\b)*(?:\s*\(?(?:(?:of|over|with|in)\s+)?{duration_pattern('2')}\)?)?"
    mean = rf"(?:(?:its|the|own|an?|of)\s+)*(?:{_DURATION}[\s-]*{smooth}(?:\s+(?:field|direction|vector|B)\b)*|{smooth}{of})"
    angle = r"(?:(?:deflection|deviation|rotation)\b[\s:,]*(?:(?:an|the)\s+)?angles?|deflections?|angles?)\b"
    joint = r"\b(?:and|to|from|against|relative\s+to|with\s+respect\s+to)\s+"
    match = sentence.take_first(rf"\b(?P<out>{angle})(?=[^.;]*?{joint}{mean})")
    behind = sentence.take_first(rf"{joint}{mean}") if match else None
    if match is None or behind is None:
        return []
    tool = "running_median" if "median" in behind[0].lower() else "running_average"
    mean_field = Computation(tool, duration_in(behind, "", "2"), beside=True)
    return [
        ComputationMention(Computation(ANGLE), match.start("out")),
        ComputationMention(mean_field, behind.start()),
    ]


def _trends(sentence: Sentence) -> list[ComputationMention]:
    """Read ``minus its 1 h running mean``, ``detrended by a 1 h running mean`` and ``running mean subtracted``."""
    names, of = tool_names("running_average"), r"(?:(?:its|their|the|an?|own)\s+)*"
    behind = rf"(?:\s*\(?(?:of|over|with|in)?\s*(?:an?\s+)?{duration_pattern('2')}\)?)?"
    trend = rf"{of}(?:{_DURATION}[\s-]*(?:{names})|(?:{names}){behind})"
    subtract = (
        rf"(?:after\s+)?(?:{tool_names('detrend')}|subtract\w*|remov\w+)(?:\s+(?:by|with|using|against|of))?"
    )
    found = []
    slow = r"(?:subtract\w*|remov\w+)\s+(?:the\s+)?(?:slow\s+|long-term\s+)?(?:trends?|background)|deviations?(?:\s+of)?"
    apart = sentence.drop(
        rf"(?P<out>\b(?:{tool_names('detrend')}|{slow})(?:\s+from)?)(?=\s[^.;]*?\b(?:with|by|using|from)\s+{trend})"
    )
    for pattern in (
        rf"\b(?:with|by|using|from)\s+{trend}(?=\s*(?:$|[,.;]))" if apart else r"(?!)",
        rf"\b(?:minus|less)\s+{trend}",
        rf"\b{subtract}\s+{trend}(?:\s+from\b)?",
        rf"\b(?:with\s+)?{trend}\s+(?:subtracted|removed)\b(?:\s+from\b)?",
        rf"(?<=\()\s*{trend}\s*(?=\))" if sentence.has(rf"\b(?:{tool_names('detrend')})") else r"(?!)",
    ):
        for match in sentence.take(pattern):
            args = {"method": "running_mean", "window": duration_in(match, "", "2")}
            found.append(_with_args(ComputationMention(Computation("detrend"), match.start()), args))
    mean = r"(?:the\s+|its\s+|their\s+)?(?:mean|average)(?:\s+value)?s?"
    for match in sentence.take(
        rf"\b(?:with\s+)?(?:subtract\w*|remov\w+|minus|deviations?\s+from)\s+{mean}\b(?:\s+from\b|(?=\s*(?:$|[,.;\x1f])))"
        rf"|\b(?:with\s+)?{mean}[- ](?:subtracted|removed)\b"
    ):
        made = ComputationMention(Computation("detrend"), match.start())
        found.append(_with_args(made, {"method": "mean"}))
    return found


def _statistics(sentence: Sentence) -> list[ComputationMention]:
    """Read ``mean, minimum and maximum in 1 h bins``, ``5 min standard deviation`` and ``hourly statistics``."""
    several = rf"{_STATISTIC}(?:\s*(?:,|and|&|/|\+)+\s*(?:the\s+)?{_STATISTIC})+"
    names = rf"(?P<names>{several}|(?:standard\s+deviations?|std(?:\s?dev)?)\b\.?|statistics\b)"
    length = rf"(?:{_RHYTHM}|\b(?P<every>{'|'.join(_EVERY)})\b|{_LENGTH})"
    bins = (
        r"\b(?:in|over|per|for|within|with|using)\s+(?:an?\s+|every\s+|each\s+|(?:bins|intervals|windows)\s+of\s+)*"
        rf"{length}(?:[\s-]*(?:bins?|intervals?|blocks?|windows?|steps?))?"
    )
    match = sentence.take_first(rf"(?:{length}[\s-]*)?(?<!\w){names}(?!\w)")
    if match is None:
        return []
    window = match if _rhythm(match) or match["number"] else sentence.take_first(bins)
    written = "" if window is None else _rhythm(window) or duration_in(window)
    words = re.findall(_STATISTIC, match["names"], re.IGNORECASE)
    of = [
        next(name for begin, name in _STATISTICS.items() if word.lower().startswith(begin)) for word in words
    ]
    made = ComputationMention(Computation("statistics", written), match.start())
    return [_with_args(made, {"of": tuple(dict.fromkeys(of)) or ("mean", "std", "min", "max")})]


def _of_windows(sentence: Sentence) -> list[ComputationMention]:
    """Read the names of quantities that are computed in a window, such as the cross helicity."""
    return [
        _with_args(ComputationMention(Computation(recipe.tool), match.start()), recipe.args)
        for row in WORDS
        if (recipe := DERIVED.get(row.quantity)) and recipe.window
        for match in sentence.take(rf"(?<![\w|])(?:{row.pattern})(?![\w|])")
    ]


def _rhythms_apart(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``daily Kp maxima``, where the input stands between the length of the intervals and the statistic."""
    between = r"(?:(?!(?:and|with|or|vs)\b)[\w|./-]+\s+){1,4}?"
    pattern = rf"(?P<rhythm>{_RHYTHM})\s+{between}(?P<statistic>{_METHOD})\b(?!\s+of\b)"
    for match in list(re.finditer(pattern, sentence.left, re.IGNORECASE)):
        if sentence.take_at(*match.span("rhythm")) and sentence.take_at(*match.span("statistic")):
            method = _METHODS.get(match["statistic"][:3].lower(), "mean")
            yield ComputationMention(Computation("resample", _rhythm(match), method), match.start())


def of_windowed(mentions: Iterable[ComputationMention]) -> list[tuple[int, RequestQuantity]]:
    """Return the quantities that are computed in a window, with their positions."""
    return [
        (mention.position, RequestQuantity(name))
        for mention in mentions
        if mention.computation.tool in WINDOWED
        for name, recipe in DERIVED.items()
        if recipe.tool == mention.computation.tool and tuple(recipe.args.items()) == mention.computation.args
    ]


def _rhythm(match: re.Match[str]) -> str:
    """Return the length of the intervals that a word such as ``monthly`` means; empty if the match has none."""
    groups = {name: (words or "").lower() for name, words in match.groupdict().items()}
    if groups.get("turn") or "rotation" in groups.get("every", ""):
        return str(CalendarInterval("Carrington rotation"))
    return INTERVALS.get(groups.get("each", "")) or _EVERY.get(
        groups.get("every") or groups.get("by", ""), ""
    )


def _with_args(mention: ComputationMention, args: Mapping[str, Any]) -> ComputationMention:
    rounded = {
        key: float(f"{value:.12g}") if isinstance(value, float) else value for key, value in args.items()
    }
    return replace(mention, computation=replace(mention.computation, args=tuple(rounded.items())))


def _mention(sentence: Sentence, match: re.Match[str], tool: str, *, related: bool) -> ComputationMention:
    groups = match.groupdict()
    window = _rhythm(match) or (duration_in(match) if "number" in groups else "")
    statistic = groups.get("statistic")
    if (
        tool == "resample" and (groups.get("every") or groups.get("by")) and not statistic
    ):  # mean speed per month
        apart = sentence.take_first(
            rf"\b(?:the\s+)?(?P<statistic>{_METHOD})\b(?:\s+(?:value\s+)?of(?:\s+the)?\b)?"
        )
        statistic = apart["statistic"] if apart else ""
    method = _METHODS.get((statistic or "")[:3].lower(), "mean") if tool == "resample" else ""
    joined = related and re.search(_AND_ITS, sentence.text[: match.start()], re.IGNORECASE) is not None
    participle = re.search(
        r"\b(?:smooth\w*|averaged|remov\w+|detrend\w*|de-?spik\w*)\b", match[0], re.IGNORECASE
    )
    beside = joined and not participle
    over = tool in OVERLAID and _is_over(sentence.text, match)
    # the magnitude of E alone, but the vector and its magnitude
    alone = tool == MAGNITUDE and re.match(_OF_A_QUANTITY, sentence.text[match.end() :]) is not None
    computation = Computation(tool, window, method, beside=beside or over, behind=over, alone=alone)
    partial = joined and tool not in OF_TWO and _has_object(sentence.text[match.end() :], match[0])
    behind = _FIRST.match(sentence.text, match.end())
    is_first = sentence.take_at(*behind.span()) if behind else re.match(r"after\b", match[0], re.IGNORECASE)
    position = -1 if is_first else match.start()
    return ComputationMention(computation, position, partial)


def _is_over(text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence asks for a computed line over its input: ``with a running mean over it``."""
    before, behind = text[: match.start()], text[match.end() :]
    joined = re.search(_JOINED, before, re.IGNORECASE)
    return bool(
        re.search(_LAID, before, re.IGNORECASE) or (joined and re.match(_ON_IT, behind, re.IGNORECASE))
    )


def _has_object(behind: str, phrase: str) -> bool:
    """Return whether a computation's input follows its name: ``hourly means of the speed``, ``smoothed speed``."""
    if re.match(r"\s+of\s+(?!it\b|them\b|all\b|both\b|each\b)", behind, re.IGNORECASE):
        return True
    adjective = re.search(r"(?:ed|hourly|daily)$", phrase, re.IGNORECASE)
    noun = re.match(
        r"\s+(?!over\b|with\b|to\b|at\b|in\b|by\b|for\b|on\b|using\b|and\b|it\b|them\b)[A-Za-z|]", behind
    )
    return bool(adjective and noun)


def _with_window(mention: ComputationMention, window: str) -> ComputationMention:
    if not lacks_window(mention.computation):
        return mention
    return replace(mention, computation=replace(mention.computation, window=window))
