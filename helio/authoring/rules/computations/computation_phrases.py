"""The phrases that name computations: each row has a tool, and a regular expression of the words for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from helio.authoring.rules.computations.averages import EVERY, FIGURE, LENGTH, METHOD, RHYTHM, ROTATION
from helio.authoring.rules.computations.mentions import tool_names
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.spellings import SPELLINGS
from helio.authoring.rules.times.durations import duration_pattern
from helio.authoring.writing.computations import ANGLE, MAGNITUDE, R_SQUARED, SEPARATION
from helio.knowledge.quantities import RADIO, SOURCES

_NO_COUNT = r"(?<!\x01 )(?<!rate )(?<!slope )(?<!lag )(?<!number )(?<!fit )"
"""What stands before ``per month`` is no correlation, which was taken, and no count."""
_PER = (
    rf"(?:{_NO_COUNT}\b(?:(?:per|(?:(?:for|in|of|over)\s+)?(?:each|every)|by"
    r"|(?:(?<=value )|(?<=point )|(?<=mean )|(?<=average ))an?)\s+)(?:calendar\s+)?"
    rf"(?P<every>{'|'.join(EVERY)}|{ROTATION})\b|\b(?P<by>day|week|month|year)[\s-]+by[\s-]+(?P=by)\b)"
)
_LONG = ("monthly", "quarterly", "yearly", "annually", "annual")
_REDUCED = r"(?:averaged|averaging|resampled|resampling|rebinned|binned|reduced)"
_DURATION = duration_pattern()
_RECEIVERS = sorted({name for row in SOURCES if row.quantity == RADIO for name in row.instruments})
_NO_RECEIVER = "".join(rf"(?<!\b{name} )" for name in (*_RECEIVERS, "radio", "wave", "waves"))
"""Pattern of a place that is not behind a receiver or its waves, of which there are spectrograms."""
_PARTICLE = (
    r"\b(?:ions?|electrons?|protons?|particles?|energy|e?flux)\b"
    r"(?!\s+(?:gyro|cyclotron|larmor|plasma\s+frequenc|inertial|skin|beta))"
)
"""Words of particles, whose spectrograms are data and no computation."""


@cache
def phrases() -> tuple[tuple[str, str, bool], ...]:
    """Return tools, each with a regular expression and whether the computation's name may be next to its input.

    The order counts: a phrase takes its words from the sentence before those behind it are looked for.
    """
    return (*_smoothed(), *_averaged(), *_of_series(), *_of_two())


def _smoothed() -> Iterator[tuple[str, str, bool]]:
    window = rf"(?:\s+(?:of|over|with|using|in|by)?\s*(?:an?\s+)?(?:window\s+of\s+)?{_DURATION}(?:[\s-]+windows?\b)?)"
    wavelet = tool_names("wavelet_spectrum")  # a wavelet power spectrum is no power spectrum
    yield "wavelet_spectrum", rf"\b(?:after\s+)?(?:{wavelet})\b", True
    yield (
        "running_average",
        r"\baverag(?:ed?|ing)\s+(?:over|with|in|by|using)\s+(?:an?\s+)?(?:running|moving|sliding|rolling)\s+"
        rf"(?:window\s+of\s+)?{_DURATION}(?:[\s-]*(?:long\s+|wide\s+)?windows?)?",
        True,
    )
    for tool in ("running_median", "running_average", "power_spectrogram", "power_spectrum", "despike"):
        names = tool_names(tool)
        yield tool, rf"\b(?:after\s+(?:an?\s+)?)?{_DURATION}[\s-]*(?:wide\s+)?(?:{names})\b", True
        yield tool, rf"\b(?:after\s+)?(?:{names})\b{window}?", True


def _averaged() -> Iterator[tuple[str, str, bool]]:
    statistic = rf"(?P<statistic>{METHOD})"
    yield "resample", rf"{RHYTHM}[\s-]+{statistic}\b(?:\s+values?\b)?", True
    by = r"(?:(?:over|by|to|in|on)\s+)?"
    yield "resample", rf"\b(?:{statistic}|{_REDUCED})\s+{by}{RHYTHM}(?!\s+{METHOD})", True
    yield (
        "resample",
        rf"\b(?P<each>weekly|{'|'.join(_LONG)})\b(?!\s+(?:cadence|resolution|{FIGURE}s?|summaries)\b)",
        False,
    )
    yield (
        "resample",
        rf"\b(?:(?:(?:an?|one|single)\s+)?(?:point|value|{statistic}(?:\s+value)?)\s+|{_REDUCED}\s+)?{_PER}",
        False,
    )
    statistic = (
        r"(?P<statistic>averages?|avgs?|averaging|means?|medians?|averaged|m(?:inim|axim)(?:a|um(?=\s+(?:of|values?)\b))|bins"
        r"|resolution averages|resampled|(?:re)?binned)"
    )
    before = rf"(?:(?:after|{_REDUCED}\s+(?:in|to|as|with|into))\s+(?:an?\s+)?)?"
    yield (
        "resample",
        rf"\b{before}{LENGTH}[\s-]*{statistic}\b(?!(?<=ed)\s+{METHOD}\b)",
        True,
    )
    yield (
        "resample",
        r"\b(?:after\s+)?(?:averaged?|averaging|resampl(?:ed?|ing)|rebin(?:ned)?|binned|downsampled?|reduced?)"
        r"(?: (?:it|them|both|all|everything|the data))?\s+(?:over|to|on|into|at|every|in)\s+(?:a\s+)?"
        rf"{LENGTH}(?:\s+(?:cadence|bins|intervals|averages|means|resolution|grid))?",
        False,
    )


def _of_series() -> Iterator[tuple[str, str, bool]]:
    yield "derivative", rf"\b(?:{tool_names('derivative')}|d/dt)\b", True
    for tool in ("detrend", "minimum_variance"):
        yield tool, rf"\b(?:after\s+)?(?:{tool_names(tool)})\b", tool != "detrend"
    yield "power_spectrogram", r"(?<=time[- ]series and )spectrograms?\b", True
    yield "power_spectrum", r"(?<=time[- ]series and )spectrum\b", True
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
        r"(?:(?<!field )|(?<=electric field ))(?<!b )\b(?:the )?(?:vector )?magnitudes?\b"
        r"(?! of (?:the )?(?:(?:magnetic )?field|(?-i:B))\b)",
        False,
    )
    of_bins = r"(?!.*\bover\s+(?:all\s+|the\s+)*(?:energ|frequenc|angle|pitch))"
    yield "cumulative_integral", rf"\b(?:{tool_names('cumulative_integral')})\b{of_bins}", True


def _of_two() -> Iterator[tuple[str, str, bool]]:
    squared = r"(?:\s*\^\s*2|²|[ -]squared)"
    scaled = r"(?:scaled|normali[sz]ed|corrected)"
    by = rf"(?:\b(?:times|multiplied by|{scaled} (?:by|with|to|as)|x)\s+|[*·×]\s*)?(?:the\s+)?"
    solar = r"(?:heliocentric |radial |solar )?"
    radius = rf"(?:\bsquare of the {solar}distance|\b{solar}(?:distance|r){squared})"
    to_earth = rf"\b{scaled} to 1 ?AU\b"
    yield R_SQUARED, rf"{to_earth}[\s,(]*(?:by|with|using|as|times)?\s*(?:the\s+)?{radius}\)?", False
    yield R_SQUARED, rf"{by}{radius}(?:[\s,(]*(?:\w+ )?{to_earth}\)?|[- ]{scaled})?", False
    shear = r"\b(?:the )?(?:magnetic )?shear(?: angle)?s?\b(?: between)?"
    crafts = names_of_spacecraft()
    of_field = (
        r"(?:(?:the )?(?:(?:magnetic )?fields?|B|IMF)(?: vectors?)?,? )?(?:(?:of|at|from|measured by) )?"
    )
    both = r"(?:the )?(?:(?:two|both) )?(?:magnetic )?(?:field vectors|fields)\b"
    yield ANGLE, rf"{shear}|\b(?:the )?angle between(?=\s+(?:{of_field}(?:{crafts})(?![\w-])|{both}))", False
    lengths, of_craft = "(?:distances?|separations?)", f"(?:{crafts})"
    between = rf"between\b|of(?= {of_craft} (?:from|to) {of_craft})|from(?= {of_craft} to {of_craft})"
    yield SEPARATION, rf"\b(?:inter-?)?(?:spacecraft )?{lengths} (?:{between})", False
    yield SEPARATION, rf"\binter-?spacecraft {lengths}\b|\b(?:spacecraft )?separations?\b(?: of)?", False
    for tool, patterns, related in SPELLINGS["computations of two series"]:
        yield tool, "|".join(patterns), related
