"""What a request for a new pipeline asks for, read word by word; nothing is guessed that was not said."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.sentence import Sentence
from helio.knowledge.cadence import cadences_in
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import ALIASES
from helio.knowledge.quantities import SOURCES

B, ABS_B = "magnetic field vector", "magnetic field magnitude"
DENSITY, SPEED, VELOCITY, TEMPERATURE = (
    "proton density",
    "bulk speed",
    "bulk velocity vector",
    "proton temperature",
)

# Phrases of each quantity, longer ones first where one holds another; `\b` stands around each.
QUANTITIES: tuple[tuple[str, str], ...] = (
    ("dynamic pressure", r"(?:solar wind )?(?:dynamic|ram|flow) pressures?|p_?dyn|solar wind pressure"),
    ("Alfvén Mach number", r"(?:alfv[eé]n(?:ic)?\s+)?mach(?: number)?s?|m_a"),
    ("Alfvén speed", r"alfv[eé]n(?:ic)? (?:speed|velocity)|v_a"),
    ("plasma beta", r"(?:proton )?(?:plasma )?beta|β"),
    ("clock angle", r"(?:imf )?clock angles?"),
    ("cone angle", r"(?:imf )?cone angles?"),
    (
        "energetic protons",
        r"energetic (?:protons?|ions?|particles?)|(?:proton|ion) flux(?:es)?|seps?|solar energetic particles?",
    ),
    ("energetic electrons", r"energetic electrons?|electron flux(?:es)?"),
    (
        "ion energy spectrogram",
        r"(?:ion|proton)s? (?:energy[- ])?(?:flux )?(?:spectrograms?|spectra|spectrum)"
        r"|(?:ion|proton)s? energy flux(?:es)?",
    ),
    (
        "electron energy spectrogram",
        r"electrons? (?:energy[- ])?(?:flux )?(?:spectrograms?|spectra|spectrum)|electrons? energy flux(?:es)?",
    ),
    (
        ABS_B,
        r"(?:magnetic )?field (?:strength|magnitude|intensity)|total (?:magnetic )?field|b_?(?:mag|tot|total)"
        r"|\|b\||b magnitude|magnitude of the (?:magnetic )?field",
    ),
    (
        B,
        r"(?:interplanetary )?magnetic[- ]?fields?(?: vectors?)?|b[- ]?fields?|imf|mag(?: data)?|b vector|field vector"
        r"|(?:all )?(?:three )?components of (?:the )?(?:magnetic field|b)",
    ),
    # "by" is a word and By a component
    ("component", r"(?:imf )?(?:(?-i:B)_?[xyzrtn]|b_?[xz]|b_[xyzrtn])"),
    ("velocity component", r"v_?[xyzrtn]"),
    (DENSITY, r"(?:proton |ion |plasma |number |solar wind )*densit(?:y|ies)|n_?p\b"),
    (TEMPERATURE, r"(?:proton |ion |plasma |solar wind )*temperatures?"),
    (
        VELOCITY,
        r"(?:bulk |flow |plasma |proton |ion |solar wind )*velocity vectors?"
        r"|(?:bulk |flow |plasma |ion |proton |solar wind )*velocit(?:y|ies)",
    ),
    (SPEED, r"(?:bulk |flow |plasma |proton |solar wind )*speeds?|v_?sw"),
    ("SYM-H", r"sym[-_ /]?h(?: index)?"),
    ("Dst", r"dst(?: index)?"),
    ("Kp", r"kp(?: index)?"),
    ("AE", r"ae(?:[- ]index)?|auroral electrojet(?: index)?"),
    ("AL", r"al[- ]index|(?-i:AL)"),
    ("AU", r"au[- ]index|(?-i:AU)"),
    ("position", r"positions?|orbits?|ephemeris|trajectory"),
    ("heliocentric distance", r"(?:heliocentric|radial) distances?|distance (?:from|to) the sun"),
)  # fmt: skip
NEEDS = {
    "dynamic pressure": (DENSITY, VELOCITY),
    "Alfvén speed": (B, DENSITY),
    "Alfvén Mach number": (VELOCITY, B, DENSITY),
    "plasma beta": (DENSITY, TEMPERATURE, B),
    "clock angle": (B,),
    "cone angle": (B,),
}
"""What is computed where the table has no parameter of it, and from what."""
INDICES = ("SYM-H", "Dst", "Kp", "AE", "AL", "AU")

DURATION = (
    r"(\d+(?:\.\d+)?|(?:one|two|three|five|ten|half an|an?)(?=[\s-]))[\s-]*"  # "and" is no day
    r"(ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|hr|h|days?|d)\b"
)
_UNITS = {"ms": "ms", "s": "s", "m": "min", "h": "h", "d": "d"}
_NUMBERS = {"one": "1", "a": "1", "an": "1", "two": "2", "three": "3", "five": "5", "ten": "10"}
_COUNTED = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_EACH = {"hourly": "1h", "daily": "1d", "minutely": "1min"}
FRAMES = ("GSE", "GSM", "RTN", "SM", "GEO", "GEI")
COLOURS = (
    "black|blue|red|green|orange|purple|grey|gray|brown|magenta|cyan|teal|navy|crimson|gold|pink|violet|olive|maroon"
    "|indigo|turquoise"
)
INSTRUMENTS = (
    "MFI|SWE|3DP|EPM|FGM|FPI|DES|DIS|MEC|ESA|SST|EMFISIS|MGF|CELIAS|ERNE|HET|PLA|SPC|SPI|SWA"
    "|PAS|EPD|EPT|VHM|SWOOPS"
)
"""Instruments as the ids of their datasets spell them."""
_LAYOUT = (
    r"\bon top\b|\bat the (?:top|bottom)\b"
    r"|\b(?:below|underneath|beneath)(?: (?:it|that))?(?=\s*(?:$|[,.;\x1f]|and\b))"
)
_UNIT = r"(?-i:nT|km/s|K|nPa|eV|AU|R_E|cm\^?-3)"
_OF_WIND = r"(?:proton )?(?:speed|velocity|density|temperature|dynamic pressure|ram pressure|pressure)s?"
_AND_ITS = (
    r"(?:\b(?:and|plus|with|as well as)|\+)\s+(?:also\s+)?(?:its|their)\s+$"
    r"|(?:\b(?:and|plus|together with|along with|as well as)|\+)\s+(?:also\s+)?(?:an?\s+|the\s+)?$"
)
_DRAWN = (
    r"(b_?[xyzrtn]|v_?[xyzrtn]|magnitude|\|b\||density|speed|velocity|temperature|magnetic field|field"
    r"|ace|wind|dscovr|omni)"
)
_LENGTH = r"(?:\d+(?:\.\d+)?|one)[\s-]*(?:seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h)\b"
_CADENCE = (
    rf"\b{_LENGTH}[- ](?:resolution|cadence|data|values)\b|(?<=\bat )(?:an?\s+)?{_LENGTH}"
    r"|\bhourly\b|\bminutely\b"
    r"|\b(?P<bare>(?:\d+(?:\.\d+)?|one)[\s-]*(?:second|sec|s|minute|min|hour|hr|h))\b"
)
# 5 min SYM-H has a cadence, and 5 min from 10:00 a time
_NO_CADENCE = (
    r"\s*(?:$|[,.;])|\s+(?:and|or|of|from|after|before|around|later|long|ago|on|for|in|at|to|until)\b"
)
_SAVED = (
    r"\b(?:(?:and\s+)?(?:save|export|write)(?:\s+(?:it|them|everything|the data))?\s+)?"
    r"(?:as|to|in)\s+(?:an?\s+)?(csv|cdf|netcdf|nc|parquet)\b(?:\s+files?)?"
)


@dataclass(frozen=True)
class Wanted:
    """A quantity, and the one component of it that was asked for, if one was."""

    quantity: str
    component: str = ""


@dataclass(frozen=True)
class Operation:
    """Something to be computed: a tool, and what was said with it."""

    tool: str
    window: str = ""
    method: str = ""
    beside: bool = False
    """Whether what goes in is to be drawn too: ``Bz and its running average``."""
    partial: bool = False
    """Whether it may be said of one quantity alone: ``density and hourly means of the speed``."""
    place: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Wish:
    """A request for a new pipeline, as far as it was understood."""

    text: str
    crafts: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    """Missions of several spacecraft of which none was named."""
    quantities: tuple[Wanted, ...] = ()
    datasets: tuple[tuple[str, str], ...] = ()
    """Ids of datasets, each with a parameter or nothing."""
    frame: str = ""
    cadence: float | None = None
    burst: bool = False
    times: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    compare: bool = False
    title: str = ""
    name: str = ""
    colours: tuple[tuple[str, str], ...] = ()
    """What, and its colour."""
    log: tuple[str, ...] = ()
    """Quantities to be drawn on a logarithmic scale; ``*`` for all."""
    export: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """What an operation needs and was not said."""
    together: bool = False
    """Whether all of it is to stand in one panel."""
    pairs: tuple[tuple[str, Wanted], ...] = ()
    """Where spacecraft have quantities of their own, which has which; a mission of several counts as one."""
    unclear: bool = False
    """Whether the pairs may as well mean each quantity of each spacecraft."""
    ordered: tuple[str, ...] = ()
    """Quantities in the order in which their panels are to stand, where that was said."""
    overlaid: bool = False
    panels: int = 0
    """How many panels there are to be; 0 when that was not said."""
    versus: bool = False
    """Whether something is to be set against something else."""
    instruments: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    """Units in which it is to be drawn."""
    computed: str = ""
    """What is to be computed from quantities that were named, and not taken as an archive has it."""
    unread: tuple[str, ...] = field(default=())


def read_wish(text: str, catalogue: Catalogue, now: datetime) -> Wish:
    """Read a request."""
    sentence = Sentence(text)
    versus = sentence.has(r"\b(?:versus|vs\.?|against)(?!\s+time\b)(?![\w])")
    found = sentence.take_first(r"\b(?:titled?|with the title|entitled)\s*[:=]?\s*[\"“'‘]([^\"”'’]+)[\"”'’]")
    title = found[1] if found else ""
    export = tuple(
        {"netcdf": "netcdf", "nc": "netcdf"}.get(one[1].lower(), one[1].lower())
        for one in sentence.take(_SAVED)
    )
    if export:
        sentence.take_first(r"\b(?:save|export|write)\b")
    found = sentence.take_first(
        r"\b(?:called|named)\s+[\"“'‘]?([a-z0-9][a-z0-9-]*[a-z0-9])[\"”'’]?(?=\s*$|[,.])"
    )
    name = found[1].lower() if found else ""
    datasets = tuple(_datasets(sentence, catalogue))
    compare = sentence.has(r"\b(?:compar\w+|versus|vs\.?|against|side by side|overla\w+|difference)\b")
    operations, missing = _operations(sentence)
    burst = sentence.take_first(r"\b(?:burst|brst)(?:[- ]mode)?\b") is not None
    times = tuple(sentence.take_times(now))
    placed = _crafts(sentence)
    crafts = tuple(dict.fromkeys(name for _, name, whole in placed if not whole))
    families = tuple(dict.fromkeys(name for _, name, whole in placed if whole))
    colours = tuple(_colours(sentence))
    log = tuple(_log(sentence))
    # a second frame is left, and refused
    found = sentence.take_first(
        r"\b(?:(?:rotated|transformed|converted|turned)\s+(?:in)?to\s+)?"
        rf"(?P<frame>{'|'.join(FRAMES)})\b(?: (?:frame|coordinates?))?"
    )
    frame = found["frame"].upper() if found else ""
    together = sentence.take_first(r"\bin (?:one|the same|a single|a common) panel\b") is not None
    panels = sentence.take_first(rf"\b(?:in\s+)?({'|'.join(_COUNTED)}|\d)\s+(?:separate\s+)?panels\b")
    layout = list(sentence.take(_LAYOUT))
    overlaid = [one[0] for one in sentence.take(r"\boverla(?:y|id|ys|ying)\b|\bside by side\b")]
    coloured = {re.sub(r"[^a-z]", "", what) for what, _ in colours}
    asked = _quantities(sentence, operations, coloured)
    wanted = tuple(dict.fromkeys(one for _, one in asked))
    places = [(place, one.quantity) for place, one in asked]
    if any(one.tool == "magnitude" for one in operations):
        places += [
            (one.start(), ABS_B) for one in re.finditer(r"\bmagnitudes?\b", sentence.text, re.IGNORECASE)
        ]
    ordered = tuple(dict.fromkeys(name for _, name in sorted(places))) if layout else ()
    if any(one.quantity not in INDICES for one in wanted):
        sentence.take_first(r"\b(?:of|in) the solar wind\b")
    # Bz in red beside the whole field is a line of it, and no panel
    whole = {one.quantity for one in wanted if not one.component}
    wanted = tuple(
        one
        for one in wanted
        if not (one.component and one.quantity in whole and f"b{one.component}" in coloured)
    )
    units = tuple(one[1] for one in sentence.take(rf"\bin\s+(?:units of\s+)?({_UNIT})(?![\w/^-])"))
    parts = {one.quantity for one in wanted if one.component}
    if parts and sentence.take_first(r"\bonly\b"):
        wanted = tuple(one for one in wanted if one.component or one.quantity not in parts)
    computed = _computed(sentence, asked)
    if computed:
        asked = [(place, one) for place, one in asked if one.quantity == computed]
        wanted = tuple(one for one in wanted if one.quantity == computed)
    operations = tuple(
        replace(one, partial=True)
        if one.tool not in ("magnitude", "difference") and _between_two(one.place, asked)
        else one
        for one in operations
    )
    pairs, unclear = _pairs([(place, name) for place, name, _ in placed], asked, wanted)
    cadence = None
    for one in sentence.take(_CADENCE):
        if one["bare"] and re.match(_NO_CADENCE, sentence.text[one.end() :], re.IGNORECASE):
            raise NotUnderstood(
                f"not understood: '{one[0]}'", advice="'5 min averages', or a time as 'A to B'"
            )
        seconds = cadences_in(one[0])
        cadence = seconds[0] if seconds else cadence
    return Wish(
        sentence.text,
        crafts,
        families,
        wanted,
        datasets,
        frame,
        cadence,
        burst,
        times,
        operations,
        compare,
        title,
        name,
        colours,
        log,
        export,
        missing,
        together,
        pairs,
        unclear,
        ordered,
        any(one.casefold() != "side by side" for one in overlaid),
        0 if panels is None else _COUNTED.get(panels[1].lower()) or int(panels[1]),
        versus,
        tuple(one[0].upper() for one in sentence.take(rf"(?<![\w-])(?:{INSTRUMENTS})(?![\w-])")),
        units=units,
        computed=computed,
        unread=sentence.unread(),
    )


def duration(number: str, unit: str) -> str:
    """A duration as templates write it.

    >>> duration("10", "minutes"), duration("half an", "hour"), duration("an", "hour")
    ('10min', '30min', '1h')
    """
    letter = "ms" if unit.lower() == "ms" else unit.lower()[0]
    if number.lower() == "half an":
        return "30min" if letter == "h" else "30s"
    return f"{_NUMBERS.get(number.lower(), number)}{_UNITS[letter]}"


def spellings() -> dict[str, str]:
    """Every name of a spacecraft of the table, in small letters, and the spacecraft it means."""
    found: dict[str, str] = {}
    for craft in dict.fromkeys(one.spacecraft for one in SOURCES):
        for spelt in (craft, craft.replace("-", " "), craft.replace("-", ""), *ALIASES.get(craft, ())):
            found[spelt.casefold()] = craft
    return found


def families() -> dict[str, tuple[str, ...]]:
    """Missions of several spacecraft, each with the spacecraft of the table."""
    found: dict[str, list[str]] = {}
    for craft in dict.fromkeys(one.spacecraft for one in SOURCES):
        family = re.match(r"(MMS|THEMIS|STEREO|RBSP|Cluster|Voyager)(?=-?\w$)", craft)
        if family:
            found.setdefault(family[1], []).append(craft)
    return {name: tuple(crafts) for name, crafts in found.items()}


def _datasets(sentence: Sentence, catalogue: Catalogue) -> list[tuple[str, str]]:
    found = []
    for one in re.finditer(
        r"(?<![\w-])([A-Za-z0-9]+(?:[_-][A-Za-z0-9@-]+)+?)(?:\.([A-Za-z]\w*))?(?![\w-])", sentence.text
    ):
        if "_" in one[1] and one[1] in catalogue:
            found.append((catalogue.summary(one[1]).id, one[2] or ""))
            for _ in sentence.take(re.compile(re.escape(one[0]))):
                pass
    return list(dict.fromkeys(found))


def _operations(sentence: Sentence) -> tuple[tuple[Operation, ...], tuple[str, ...]]:
    found: list[tuple[int, Operation]] = []
    missing: list[str] = []
    window = rf"(?:\s+(?:of|over|with|using|in)?\s*(?:an?\s+)?(?:window\s+of\s+)?{DURATION}(?:\s+window)?)"

    def beside(one: re.Match[str]) -> bool:
        """Whether something else is drawn, and this with it: a noun behind an ``and``."""
        participle = re.search(
            r"\b(?:smooth\w*|averaged|remov\w+|detrend\w*|de-?spik\w*)\b", one[0], re.IGNORECASE
        )
        return not participle and re.search(_AND_ITS, sentence.before(one.start()), re.IGNORECASE) is not None

    def partial(one: re.Match[str]) -> bool:
        """Whether something else stands before it, and what it is of behind it."""
        behind = sentence.text[one.end() :]
        of_it = re.match(r"\s+of\s+(?!it\b|them\b|all\b|both\b|each\b)", behind, re.IGNORECASE)
        adjective = re.search(r"(?:ed|hourly|daily)$", one[0], re.IGNORECASE) and re.match(
            r"\s+(?!over\b|with\b|to\b|at\b|in\b|by\b|for\b|on\b|using\b|and\b|it\b|them\b)[A-Za-z|]", behind
        )
        joined = re.search(_AND_ITS, sentence.before(one.start()), re.IGNORECASE)
        return bool(joined and (of_it or adjective))

    def windowed(tool: str, names: str) -> None:
        for one in sentence.take(rf"\b{DURATION}[\s-]*(?:wide\s+)?(?:{names})\b"):
            found.append(
                (
                    one.start(),
                    Operation(tool, duration(one[1], one[2]), beside=beside(one), partial=partial(one)),
                )
            )
        for one in sentence.take(rf"\b(?:{names})\b{window}?"):
            if one[1]:
                found.append(
                    (
                        one.start(),
                        Operation(tool, duration(one[1], one[2]), beside=beside(one), partial=partial(one)),
                    )
                )
            else:
                missing.append(tool)
                found.append((one.start(), Operation(tool, beside=beside(one), partial=partial(one))))

    windowed("running_median", r"(?:running|moving|rolling|sliding)[- ]medians?")
    windowed(
        "running_average",
        r"(?:running|moving|rolling|sliding|boxcar)[- ](?:averages?|means?)|smooth(?:ed|ing)?(?: it| them)?",
    )
    windowed(
        "power_spectrogram",
        r"(?:dynamic|fft) (?:power )?(?:spectrograms?|spectr(?:um|a))|power spectrograms?",
    )
    windowed("power_spectrum", r"power[- ]spectr(?:um|a)|power spectral densit(?:y|ies)|psds?")
    windowed("despike", r"de-?spik\w*|remov\w+ (?:the )?spikes|without spikes")
    for one in sentence.take(
        r"\b(hourly|daily|minutely)[- ](averages?|means?|medians?|min(?:ima|imum)?|max(?:ima|imum)?)\b"
    ):
        found.append(
            (
                one.start(),
                Operation("resample", _EACH[one[1].lower()], _method(one[2]), beside(one), partial(one)),
            )
        )
    for one in sentence.take(
        rf"\b{DURATION}[\s-]*(averages?|means?|medians?|averaged|minima|maxima|bins|resolution averages)\b"
    ):
        found.append(
            (
                one.start(),
                Operation("resample", duration(one[1], one[2]), _method(one[3]), beside(one), partial(one)),
            )
        )
    for one in sentence.take(
        r"\b(averaged?|resampled?|rebin(?:ned)?|binned|downsampled?|reduced?)"
        r"(?: (?:it|them|both|all|everything|the data))?\s+(?:over|to|on|into|at|every|in)\s+(?:a\s+)?"
        rf"{DURATION}(?:\s+(?:cadence|bins|intervals|averages|means|resolution|grid))?"
    ):
        found.append((one.start(), Operation("resample", duration(one[2], one[3]), "mean")))
    for one in sentence.take(r"\b(?:time )?derivatives?\b|\brates? of change\b|\bd/dt\b"):
        found.append((one.start(), Operation("derivative", beside=beside(one), partial=partial(one))))
    for one in sentence.take(r"\bdetrend\w*\b|\bremov\w+ (?:the )?(?:linear )?trend\b"):
        found.append((one.start(), Operation("detrend")))
    for one in sentence.take(
        r"(?<!field )(?<!b )\b(?:the )?(?:vector )?magnitudes?\b(?! of the (?:magnetic )?field)"
    ):
        found.append((one.start(), Operation("magnitude")))
    for one in sentence.take(r"\b(?:the )?differences?\b(?: between)?"):
        found.append((one.start(), Operation("difference")))
    operations = [
        replace(operation, place=place) for place, operation in sorted(found, key=lambda each: each[0])
    ]
    apart = sentence.take_first(
        rf"\b(?:(?:with|using|in|over)\s+)?(?:an?\s+)?{DURATION}[\s-]*(?:long\s+|wide\s+)?windows?\b"
    )
    said = {one.tool for one in operations if one.window}
    # "smoothed with a 10-minute running average" is one operation, said twice
    operations = [one for one in operations if one.window or one.tool not in said]
    missing = [tool for tool in missing if tool not in said]
    if apart:  # said at the end of the sentence, for all that have none
        length = duration(apart[1], apart[2])
        operations = [replace(one, window=length) if one.tool in missing else one for one in operations]
        missing = []
    return tuple(dict.fromkeys(operations)), tuple(missing)


def _method(word: str) -> str:
    folded = word.casefold()
    return (
        "median"
        if folded.startswith("med")
        else "min"
        if folded.startswith("min")
        else "max"
        if folded.startswith("max")
        else "mean"
    )


def _crafts(sentence: Sentence) -> list[tuple[int, str, bool]]:
    """Spacecraft in their order, each with its place, and whether it is a mission of which none was named."""
    found: list[tuple[int, str]] = []
    named, grouped = spellings(), families()
    spelt = {name: name for name in grouped} | {"Van Allen Probes": "RBSP", "Van Allen Probe": "RBSP"}
    every = "|".join(re.escape(one) for one in sorted(spelt, key=len, reverse=True))
    folded = {one.casefold(): family for one, family in spelt.items()}
    names = "|".join(re.escape(one) for one in sorted(named, key=len, reverse=True))
    # the solar wind is no spacecraft, nor is the wind of ACE
    for phrase in (
        rf"(?<![\w-])(?:{names})\s+(?P<out>(?-i:wind)\s+)(?={_OF_WIND})",
        rf"(?<!solar )(?<![\w-])(?P<out>(?-i:wind)\s+)(?={_OF_WIND}\s+(?:of|from|at|by|measured by)\s+"
        rf"(?:{names})(?![\w-]))",
    ):
        for _ in sentence.take(phrase):
            pass
    # STEREO A and B; MMS 1, 2 and 3
    for one in sentence.take(
        rf"(?<![\w-])({every})[\s-]*([A-E1-4](?:(?:\s*(?:,|and|&|/|\+)\s*)+(?:{every})?[\s-]*[A-E1-4])+)(?![\w-])"
    ):
        crafts = grouped[folded[one[1].casefold()]]
        letters = re.findall(
            r"(?<![A-Za-z0-9])(?:\w+?[\s-]*)?([A-E1-4])(?![A-Za-z0-9])", one[2], re.IGNORECASE
        )
        found += [(one.start(), craft) for craft in crafts if craft[-1] in "".join(letters).upper()]
    for one in sentence.take(
        rf"\b(?:all|both|each)(?: of)?(?: the)?(?: two| three| four| five)? ({every})\b(?: spacecraft| probes)?"
    ):
        found += [(one.start(), craft) for craft in grouped[folded[one[1].casefold()]]]
    for one in sentence.take(
        rf"(?<!solar )(?<![\w-])(?:{names})(?![\w-])"
    ):  # the solar wind is no spacecraft
        found.append((one.start(), named[one[0].casefold()]))
    whole = [
        (one.start(), folded[one[1].casefold()]) for one in sentence.take(rf"(?<![\w-])({every})(?![\w-])")
    ]
    return sorted([(place, craft, False) for place, craft in found] + [(*one, True) for one in whole])


def _quantities(
    sentence: Sentence, operations: tuple[Operation, ...], coloured: set[str]
) -> list[tuple[int, Wanted]]:
    """Quantities in their order, each with its place."""
    found: list[tuple[int, Wanted]] = []
    for quantity, pattern in QUANTITIES:
        for one in sentence.take(rf"(?<![\w|])(?:{pattern})(?![\w|]|-\w)"):
            if quantity in ("component", "velocity component"):
                letter = one[0].rstrip()[-1].lower()
                whole = B if quantity == "component" else VELOCITY
                found.append((one.start(), Wanted(whole, letter)))
            else:
                found.append((one.start(), Wanted(quantity)))
    bare = sentence.take_first(r"\bfields?(?![\w-])|(?<![\w|])(?-i:B)(?![\w|])")
    said = [one for _, one in found if not (one.component and f"b{one.component}" in coloured)]
    if bare and not any(one.quantity in (B, ABS_B) for one in said):
        found.append((bare.start(), Wanted(B)))
    if not found and any(one.tool == "magnitude" for one in operations):
        found.append((0, Wanted(B)))
    return sorted(found, key=lambda each: each[0])


def _between_two(place: int, asked: list[tuple[int, Wanted]]) -> bool:
    """Whether one quantity stands before a place and another one behind it."""
    before = {one for at, one in asked if at < place}
    return bool(before) and any(one not in before for at, one in asked if at > place)


def _computed(sentence: Sentence, asked: list[tuple[int, Wanted]]) -> str:
    """``dynamic pressure from density and velocity``: what is computed, where all that stands behind it goes in."""
    if len(asked) < 2 or asked[0][1].quantity not in NEEDS:
        return ""
    (place, first), (following, _) = asked[:2]
    needed = {*NEEDS[first.quantity], SPEED, ABS_B}
    said = re.search(r"\bfrom\b", sentence.text[place:following], re.IGNORECASE)
    return first.quantity if said and all(one.quantity in needed for _, one in asked[1:]) else ""


def _pairs(
    crafts: list[tuple[int, str]], asked: list[tuple[int, Wanted]], wanted: tuple[Wanted, ...]
) -> tuple[tuple[tuple[str, Wanted], ...], bool]:
    """Which quantity is of which spacecraft, where each has its own; nothing where all are of all.

    ``Wind speed and ACE density`` and ``Bn of STEREO-A and Bz of ACE`` are pairs; ``ACE and Wind density`` and
    ``density of ACE and Wind`` are not; ``density of ACE and Wind speed`` may be either.
    """
    if len(crafts) < 2 or len(wanted) < 2:
        return (), False
    of_omni = any(name == "OMNI" for _, name in crafts)
    words: list[tuple[int, str, str | Wanted]] = [(place, "craft", name) for place, name in crafts]
    words += [
        (place, "quantity", one)
        for place, one in asked
        if one in wanted and (of_omni or one.quantity not in INDICES)
    ]
    words.sort(key=lambda each: each[0])
    runs: list[tuple[str, list[str | Wanted]]] = []
    for _, kind, word in words:
        if runs and runs[-1][0] == kind:
            runs[-1][1].append(word)
        else:
            runs.append((kind, [word]))
    named = {word for kind, run in runs if kind == "craft" for word in run}
    if len(runs) < 3 or len(named) < 2:
        return (), False
    if [kind for kind, _ in runs] == ["craft", "quantity", "craft"]:
        return (), False  # ACE density and Wind
    if len(runs) % 2:
        return (), True
    steps = [(runs[at][1], runs[at + 1][1]) for at in range(0, len(runs), 2)]
    return tuple(
        (craft, quantity)
        for one, other in steps
        for craft in (*one, *other)
        if isinstance(craft, str)
        for quantity in (*one, *other)
        if isinstance(quantity, Wanted)
    ), False


def _colours(sentence: Sentence) -> list[tuple[str, str]]:
    """What is to have which colour; what is named stays, for it is to be drawn, but for ``with a red Bz``."""
    behind = rf"\b{_DRAWN}(?P<out>(?: line)?\s+(?:is |be |drawn |shown )?(?:in|as)\s+({COLOURS}))\b"
    with_ = rf"\bwith\s+(?:an? |the )?({COLOURS})\s+{_DRAWN}(?: lines?)?\b"
    before = rf"\b(?P<out>(?:an? |the )?({COLOURS})\s+){_DRAWN}\b"
    found = [(one[1].lower(), one[3].lower()) for one in sentence.take(behind)]
    found += [(one[2].lower(), one[1].lower()) for one in sentence.take(with_)]
    found += [(one[3].lower(), one[2].lower()) for one in sentence.take(before)]
    return found


def _log(sentence: Sentence) -> list[str]:
    """What is to be drawn on a logarithmic scale; what is named stays, for it is to be drawn."""
    what = r"(density|temperature|speed|flux|field|pressure|beta|all|everything)"
    before = rf"\b{what}(?P<out>\s+(?:on|in|with)\s+(?:an?\s+)?log(?:arithmic)?(?:\s+(?:scale|axis))?)\b"
    behind = rf"\b(?P<out>log(?:arithmic)?\s+(?:scale|axis)\s+for\s+(?:the\s+)?){what}\b"
    alone = r"\b(?:on |with )?(?:an?\s+)?log(?:arithmic)?[- ](?:scales?|y[- ]axis|axis|axes)\b"
    found = [one[1].lower() for one in sentence.take(before)]
    found += [one[2].lower() for one in sentence.take(behind)]
    found += ["*" for _ in sentence.take(alone)]
    return found
