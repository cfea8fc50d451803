"""Guard against drafts that lose a meaning: words that pick a part of the data, join two quantities, or compare one.

Words without meaning (`harmless`) and the words that a rule has read are no longer in the sentence. Some of them have a
meaning in certain places only; here helio refuses a sentence with such a word in such a place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, PipelineRequest
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.reading.arrangement import Arrangement
from helio.authoring.rules.reading.named import (
    AT_1_AU,
    FIELD,
    Placed,
    near_earth,
    read_quantities,
    read_spacecraft,
)
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS
from helio.authoring.writing.computations import APPLIED, DERIVED, OF_TWO, inputs_of, recipe_of
from helio.authoring.writing.layout import MIDDLE
from helio.authoring.writing.steps import unread
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.quantities import ABS_B, SOURCES, B, families
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case
from helio.pipelines.template.document import Document
from helio.time_range import TimeRange

_IF = (
    r"\b(?:if|where(?:ver)?|when(?:ever)?)\s+(?:at\s+all\s+)?(?:(?:it|that|they|data|this)\s+(?:is|are)\s+)?"
    r"(?:possible|available|needed|necessary|applicable|feasible|any|you\s+(?:can|could|like|please|wish|want)"
    r"|you\s+have\s+(?:it|them|one|data|any|time)|there\s+(?:is|are)\s+(?:any|some|data|one))\b"
)
_AT_L1 = (
    r"\b(?:(?:at|near|around|from)\s+(?:the\s+)?)?L1(?:\s+(?:point|monitors?|spacecraft))?\b"
    r"|\bnear[- ](?:the\s+)?Earth\b|\bupstream\b(?!\s+of\b)|\bupstream\s+of\s+(?:the\s+)?(?:earth|magnetosphere)\b"
)
_DESCRIBED = (
    r"\b(?:quiet|active|disturbed)(?:[- ](?:geomagnetic[- ])?(?:day|interval|period|sun|stream|region)\b"
    r"|(?=[- ]solar[- ]wind\b))"
    r"|\bmagnetic\s+clouds?\b|\b(?:day|night)side(?=\s+(?:reconnection|magnetopause|magnetosheath|crossing|event|bow|flank))"
)
_FLYBY = (
    r"\b(?:(?:at|during|around|near|of|for)\s+)?(?:(?:the|its)\s+)?(?:first\s+|second\s+|third\s+)?"
    r"(?:Jupiter|Saturn|Mars|Earth|Venus|Mercury|Uranus|Neptune|Pluto|Moon|Titan|Io|Europa|Ganymede|Enceladus|Triton)"
    r"(?:['’]s)?\s+(?:flyby|fly-by|encounter|passage|passing|approach|closest\s+approach|swing-?by|gravity\s+assist"
    r"|(?:orbit\s+)?insertion|arrival)\b"
)
"""Names of passages: with a time they say nothing more."""
_EVENTS = "|".join(VOCABULARY["events that pick times"])
_PICKED = re.compile(
    r"\b(?:during|in|inside|within|outside|between|for|at|over|under|of|after|before|all|every|each)\s+"
    r"(?:(?:all|every|each|any|very|intense|strong|great|large|big|major|severe|moderate|extreme|geomagnetic|magnetic"
    r"|interplanetary|solar|fast|slow)\s+)*"
    rf"(?P<what>(?:{_EVENTS})(?![\w-]|\.\w)|(?:quiet|active|disturbed|storm|substorm)[- ]?"
    r"(?:geomagnetic\s+|solar[- ]wind\s+)?(?:times?|periods|intervals|hours|days|conditions|phases)\b"
    r"|(?:the\s+)?(?:main|recovery|initial|growth|expansion)\s+phases?\b)",
    re.IGNORECASE,
)
_IN_WIND = re.compile(
    r"\b(?:when\s+)?(?:only\s+)?in\s+the\s+(?:solar\s+wind|magnetosheath|magnetosphere)\b", re.IGNORECASE
)
"""A region of space that a spacecraft around the Earth enters and leaves."""
_IN_TAIL = re.compile(
    r"\b(?:in|inside|within|through|of)\s+(?:the\s+)?(?:(?:near[- ]earth|distant|deep|central)\s+)?"
    r"(?:plasma[- ]?sheet|(?:magneto)?tail|(?:tail\s+)?lobes?)\b",
    re.IGNORECASE,
)
"""Regions without solar wind: beside a time of a day, they only say where the spacecraft is."""
_PLURAL = re.compile(rf"(?<![\w-])(?P<what>{_EVENTS})(?![\w-]|\.\w)", re.IGNORECASE)
_ONE_DAY = 2
"""Maximum number of days of a daily overview, which is no average over days."""
_SEVERAL_DAYS = 10
"""Maximum number of days of one event, or of several that follow each other."""
_MOST_OF_A_YEAR = 100
_NEGATIVE = re.compile(r"(?:^|[\s,;:(=])[-−]$")
_ONLY_RESULT = re.compile(
    r"\b(?:only|just)\s+(?:the|that|this)\s+(?:\w+\s+)?(?:curve|line|version|result|drift|current)\b"
    r"|\b(?:curve|line|version|data)\s+only\b",
    re.IGNORECASE,
)
"""Words that leave out what a result is computed from."""
_NO_AVERAGES = re.compile(
    r"\b(?:nothing|none|native|without\s+(?:any\s+)?(?:smoothing|averag\w+)|no\s+(?:smoothing|averag\w+)|averages\s*:\s*none)\b",
    re.IGNORECASE,
)
"""Words that no data are averaged."""
_OPERATOR = re.compile(
    r"[\s\w|.-]*?(?:\b(?P<word>over|per|into|times|on\s+top\s+of)\s+(?:the\s+)?|(?P<slash>/)[\s\w-]*)",
    re.IGNORECASE,
)
_COMPONENTS = re.compile(r"^(?!.*\b(?:trace|sum|total)\b).*\bcomponents?\b", re.IGNORECASE)
"""Words for the components of a vector whose spectrum is drawn, but not for their sum."""
_PLUS_MAGNITUDE = re.compile(
    r"(?:(?<!electric )\bfield\b.*,?\s(?:plus|with)\s+(?:the\s+)?\|B\|"
    rf"|\b(?-i:{'|'.join(KNOWN_FRAMES)})\b.*,?\s(?:plus|with|and)\s+(?:the\s+)?"
    r"(?:\|B\||total\s+field|(?:field\s+)?(?:magnitude|strength)))",
    re.IGNORECASE,
)
"""The magnitude beside its field: ``spectral index of the field, plus |B|``, ``FGM in GSM with the total field``."""
_BOTH_TOO = re.compile(
    r"(?:\b(?:and|plus|with)|[,;])\s+(?:(?:also|please|plot|draw|show)\s+)*(?P<what>both\s+(?!smooth|averag|re-?sampl|re-?bin|bin|interpol|filter|detrend|in\b|on\b|as\b)[\w|]+)",
    re.IGNORECASE,
)
"""Two lines beside what is computed from them: ``lag between ACE and Wind Bz, plus both Bz``."""
_AND_PLOT = re.compile(
    r"(?:\b(?:and|plus|with)\b|[+&,;])\s*(?:also\s+)?(?:an?|the|its|their)\s+(?:[\w-]+\s+)?(?P<what>histogram|distribution|scatter(?:\s+plot)?|hodogram)\b",
    re.IGNORECASE,
)
"""A plot beside lines over time, which helio would not draw: ``Bz, and a histogram of it``."""
_ONLY_SAVED = re.compile(
    r"\b(?:save|export|write|store)\s+(?:(?:only|just)\s+(?:the\s+)?|the\s+(?=[^,;]*\b(?:mean|average|median|derivative)s?\b))"
    r"(?P<what>[^,;]*?)\s+(?:as|to|in)\b",
    re.IGNORECASE,
)
"""One of several lines, which alone is saved: ``save only the hourly mean as csv``."""
_JOINED_CRAFT = re.compile(
    r"(?:\b(?:and|plus|with)|[,;+&])\s+(?:the\s+)?(?P<what>(?:(?:[\w|]+\s+){1,2}(?:of|from|at)\s+)?)$",
    re.IGNORECASE,
)
"""What stands before another spacecraft of which something is drawn, too: ``beta from Wind plus the field of ACE``."""
_WITH_ON_TOP = re.compile(r"\bwith\b[^,;]*\bon\s+top\b(?!\s+of\s+(?!(?:it|that|them)\b))", re.IGNORECASE)
"""A place of a frequency beside a spectrogram, which may also be over it: ``WFR spectrogram with fce on top``."""
_INSTRUMENT_BEFORE = re.compile(
    rf"(?<![\w-])(?!(?:{'|'.join(KNOWN_FRAMES)}|IMF|SW)\s)(?:[A-Z]{{2,}}[\w-]*|3DP)\s+(?:(?:ion|proton|electron|magnetic)s?\s+)?$"
)
"""An instrument that may say what an input is measured by: ``beta with QTN density``."""
_FROM_AVERAGED = re.compile(
    r"\bfrom\b[^,;]*\b(?:mag|field|data|B|moments|MAG|MFI|plasma)\s+(?:averaged|smoothed|resampled)\b",
    re.IGNORECASE,
)
"""Data that are averaged before something is computed: ``clock angle from 1 s data averaged to 1 min``."""
_OVER_TIME = re.compile(r"\btime[- ]series\b", re.IGNORECASE)
_FROM_PARTICLES = re.compile(
    r"\b(?:from|using|based\s+on)\s+(?:the\s+)?(?:(?!and\b|with\b|plus\b)[\w-]+\s+){1,2}(?P<what>electrons|ions|protons)$",
    re.IGNORECASE,
)
"""Particles of an instrument as the source of another quantity: ``Alfvén speed from 3DP electrons``."""
_CHANGE_OF = re.compile(r"\b(?:integral|derivative|rate\s+of\s+change)\s+of\s", re.IGNORECASE)
_LOOSE_JOINT = re.compile(r"\b(?:with|plus|from|for|during)\b|,\s*and\b|\band\s+the\b|\x01", re.IGNORECASE)
"""What stands between two quantities of which only the first may be integrated: ``integral of VBs, and Dst``."""
PLACES_FIRST = re.compile(
    r"^\W*(?:put|place)\s+(?!on\b|at\b|in\b)[^:;.]*\b(?:top|bottom)\b[^:;.]*:", re.IGNORECASE
)
_IN_PANEL_OF = re.compile(r"\b(?:in|on|into)\s+(?:the\s+)?(?P<name>[\w|]+)\s+panel\b", re.IGNORECASE)
_ONLY_FOR_GROUP = re.compile(
    r"\bonly\s+(?:for|of)\s+(?:the\s+)?(?P<group>plasma|particles?|moments|fields?|indices|velocit\w+)\b(?!\s+\w*(?:density|speed|beta))",
    re.IGNORECASE,
)
_MODELLED = re.compile(r"\b(?:predict|model|theor|expect|Parker|Burton|O'?Brien)\w*", re.IGNORECASE)
_MEASURED = re.compile(
    r"\b(?:vs\.?|versus|against|and|with|,)\s+(?:the\s+)?(?P<behind>measured|observed|actual)(?:\s+(?:one|ones))?"
    r"(?=\s*(?:[,;.\x01]|$|(?:with|by|at|from|in|for|on|during)\b))|\b(?P<before>measured|observed|actual)\s+(?:and|vs\.?|versus|against|or)\b",
    re.IGNORECASE,
)
_HEAVY = "|".join(
    sorted(
        (
            re.escape(word)
            for names in VOCABULARY["species"].values()
            for row in names.values()
            for word in row
            if len(word) > 3
        ),
        key=len,
        reverse=True,
    )
)
_FROM_RESULT = re.compile(
    r"\b(?:then\s+(?:compute|calculate|derive|determine|get|obtain)|from\s+(?:these|those|them|it|this|which))\b",
    re.IGNORECASE,
)
_OF_RESULT = re.compile(
    r"(?P<verb>\b(?:computed|calculated|derived)\s+)?\b(?:of|from|using|on)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
"""Words between a quantity and a computation of its inputs: ``clock angle of the hourly mean B``."""
_OF_IT = r"\b(?:it|they)\s+(?:comes?|(?:is|are)\s+(?:computed|derived|calculated))\s+from\b"
_MEAN = r"(?:mean|average|median)s?"
_OF_AVERAGES = (
    rf"\b{_MEAN}\s+(?:minus|less)\s+(?:(?:its|the|an?)\s+)*(?:[\d.]+[\s-]*[a-z]+[\s-]+)?"
    rf"(?:(?:running|moving)\s+)?{_MEAN}\b"
)
_LETTER = re.compile(
    r"[,;]\s*(?P<letter>[BE])\s+(?:on\s+top|above|below|first|last"
    r"|(?:at|in)\s+the\s+(?:top|bottom|middle|upper|lower|first|second))\b"
)
"""A letter with a place behind a list: the spacecraft B or E, or a field."""
_SPREAD = (
    rf"\b(?:{'|'.join(INTERVALS)})\s+(?:range|spread|amplitude|variation)s?\b"
    r"|\b(?:spacecraft|satellite|probe|orbital)(?:\s+orbital)?\s+(?:velocit|speed)\w*"
)
"""Words beside a quantity that make it another one, which helio does not compute."""
_INDICES = (
    r"(?<!spectral )(?<!law )\b(?:(?:geo)?magnetic\s+)?(?:activity\s+)?indices\b"
    r"|\b(?:geomagnetic|magnetic\s+activity)\s+index\b"
)
"""Words for indices of the Earth in general: helio does not know which ones."""
_OF_PARTICLES = (
    r"(?:thermal\s+)?(?:gyro-?\s?(?:radi(?:us|i)|frequenc(?:y|ies))|(?:cyclotron|larmor|plasma)\s+(?:frequency|radius|beta)"
    r"|inertial\s+length|skin\s+depth|(?:specific\s+)?entropy)"
)
_SPECIES = re.compile(
    rf"(?<![\w-])(?:(?P<before>{_HEAVY})\s+(?:ions?\s+|particles?\s+)?{_OF_PARTICLES}"
    rf"|{_OF_PARTICLES}\s+(?:of|for)\s+(?:the\s+)?(?P<behind>{_HEAVY}))(?![a-z])",
    re.IGNORECASE,
)
"""Quantities that helio computes for a species, with the species."""
_LEFT_OUT = (
    r"\b(?:(?P<over>over)\s+(?:(?:the|that\s+of)\s+)*(?P<it>(?:its?|them)\b)?|single\b(?!\s+(?:plot|figure|graph)\b))"
    r"|\btogether\b(?!\s+with\b)(?=\s*[,;].*\b(?:below|beneath|under\w*|apart|alone|panel)\b)"
)
"""Words that no rule has read, which elsewhere only join others: ``ACE over Wind |B|``, ``in a single red panel``."""
_OF_PLACES = re.compile(
    r"\b(?:top|bottom|middle|cent(?:er|re)|upper|lower|last|panel|plot|row|above|both|all|and|with|as|is|it|its|the|on|at|in)\b",
    re.IGNORECASE,
)
"""Words for a place, and words that name no data there."""
_PLAIN_SPECIES = ("proton", "electron", "hydrogen")
"""Species of which helio computes each of these quantities."""


def drop_descriptions(sentence: Sentence, crafts: Collection[str], spans: Sequence[TimeRange]) -> None:
    """Remove words that in these places only describe what is drawn: ``if possible``, ``upstream`` of ACE."""
    sentence.drop(_IF)
    if {*crafts} <= AT_1_AU:
        sentence.drop(_AT_L1)
    if spans and max(span.duration.days for span in spans) <= _ONE_DAY:
        sentence.drop(r"\bdaily(?=\s+(?:overview|summary|plot|quick-?look|figure|survey|check)\b)")
    if spans:
        sentence.drop(_IN_TAIL if {*crafts} <= near_earth() else r"(?!)")
        sentence.drop(_DESCRIBED)
        sentence.drop(_FLYBY)


def doubts(
    sentence: Sentence,
    placed: Placed,
    request: PipelineRequest,
    spans: Sequence[TimeRange],
    mentions: Sequence[ComputationMention],
    arrangement: Arrangement,
    flown: Sequence[tuple[int, str]],
    *,
    has_raw: bool,
) -> Iterator[NotUnderstood]:
    """Yield the reasons why words in a sentence have a meaning that the request has not.

    `flown` are the spacecraft with their positions; `has_raw` says whether some quantities stay as they were measured.
    """
    days = max((span.duration.days for span in spans), default=0)
    picked = _PICKED.search(sentence.text) if days > _SEVERAL_DAYS else None
    if picked or (days > _MOST_OF_A_YEAR and (picked := _PLURAL.search(sentence.text))):
        yield NotUnderstood(
            f"helio draws the whole time, and does not find '{picked['what']}' in it",
            advice="give the times to draw, or leave these words out",
        )
    outside = {craft for _, craft in flown} & {*near_earth(), "IMP-8"}
    in_tail = _IN_TAIL.search(sentence.text)
    if outside and (where := _IN_WIND.search(sentence.text) or (in_tail if days > _ONE_DAY else None)):
        yield NotUnderstood(
            f"helio draws the whole time, and does not find when {min(outside)} is {where[0]}",
            advice="give the times to draw, or leave these words out",
        )
    drawn = {(craft, quantity.name) for _, craft in flown for _, quantity in placed}
    for row in SOURCES if in_tail else ():
        if (row.spacecraft, row.quantity) in drawn and row.note.endswith("of the solar wind"):
            yield NotUnderstood(
                f"the ions of {row.spacecraft} that helio would take are those of the solar wind",
                advice="name another instrument, such as 'Geotail LEP velocity'",
            )
    yield from _unclear_computations(sentence, placed, request, mentions)
    yield from _unclear_panels(sentence, placed, request, arrangement)
    negative = [start for start, _ in placed if _NEGATIVE.search(sentence.text[:start])]
    if negative and len(negative) < max(2, len(placed)):  # otherwise signs of a list
        yield NotUnderstood(
            f"helio does not draw '-{sentence.text[negative[0] :].split()[0]}'",
            advice="draw the quantity without a minus sign",
        )
    for (start, first), (stop, second) in pairwise(placed):
        operator = _OPERATOR.fullmatch(sentence.text[start:stop])
        is_read = any(made.tool in OF_TWO for made in request.computations)
        of_same = operator is not None and bool(operator["slash"]) == (first == second)  # ACE |B| / Wind |B|
        of_two = operator is not None and " / " in operator[0] and len(placed) == 2  # n / V, but n / V / T
        if operator and (of_same or of_two) and not is_read:
            yield NotUnderstood(
                f"it is not clear what '{operator['word'] or '/'}' means between two quantities",
                advice="write 'ratio of A and B', 'A against B', 'A above B' or 'A and B in one panel'",
            )
    applied = [mention.computation for mention in mentions if mention.computation.tool in APPLIED]
    alone = not any(step.beside or step.of_data for step in applied)
    for (start, first), (stop, second) in pairwise(placed):
        joined = re.search(r"\b(?:and|plus|with)\b[^;]*$", sentence.text[start:stop])
        if len(applied) > 1 and alone and first == second and joined:
            yield NotUnderstood(
                f"it is not clear whether {first.name} is drawn once or twice",
                advice=f"write, for example, '{first.name} and its running mean'",
            )
    results = [
        (mention.position, {*mention.computation.of.quantities} if mention.computation.if_finer else set())
        for mention in mentions
        if mention.computation.tool in APPLIED
    ]  # with what is averaged because its data have this cadence: T from hourly SWEPAM data
    then = min((match.end() for match in _FROM_RESULT.finditer(sentence.text)), default=len(sentence.text))
    for start, quantity in placed:
        before = (
            _OF_RESULT.search(sentence.text[start:at])
            for at, of in results
            if at > start and quantity not in of
        )
        of_result = any(match and (match["verb"] or quantity.name in DERIVED) for match in before)
        if of_result or (results and start >= then and quantity.name in DERIVED):
            yield NotUnderstood(
                f"helio computes the {quantity.name} from the data, not from the result of another computation",
                advice=f"ask for the {quantity.name} first, as in 'hourly means of the {quantity.name}'",
            )
    crafts = [craft for _, craft in flown]
    again = {craft for craft in crafts if crafts.count(craft) > 1}
    names = [name for _, name in placed]
    made = [
        step.tool
        for step in request.computations
        if not (step.beside or step.tool in OF_TWO or step.of.crafts)
    ]
    is_of_some = len({*names}) < len(names) or (len(names) == 1 and again != {*crafts})
    if again and is_of_some and made and (len({*crafts}) > 1 or "rescale" in made):
        yield NotUnderstood(
            "it is not clear of which spacecraft to compute something",
            advice="name each spacecraft once, then change the pipeline",
        )
    is_computed = bool(request.computations) or any(name.name in DERIVED for name in names)
    has_inputs = not is_computed or any(step.beside or step.behind for step in request.computations)
    if has_inputs and (only := _ONLY_RESULT.search(sentence.text)):
        yield NotUnderstood(
            f"it is not clear what '{only[0]}' leaves out", advice="name all that the figure should draw"
        )
    is_averaged = any(
        step.tool in ("running_average", "running_median", "resample") for step in request.computations
    )
    if is_averaged and not has_raw and (none := _NO_AVERAGES.search(sentence.text)):
        yield NotUnderstood(
            f"it is not clear what '{none[0]}' means beside an average", advice="say which data are averaged"
        )
    if averages := ignoring_case(_OF_AVERAGES).search(sentence.text):
        yield NotUnderstood(
            f"helio computes no difference of two averages: '{averages[0]}'",
            advice="ask for the two averages in one panel, or for one minus the data",
        )
    named = {
        craft for craft in request.spacecraft if f"{craft[:-1]}A" in request.spacecraft or "THEMIS" in craft
    }
    words = "; ".join((sentence.text, *request.style.looks))
    letter = _LETTER.search(words) if len(request.spacecraft) > 1 else None
    if letter and any(craft.endswith(f"-{letter['letter']}") for craft in named):
        yield NotUnderstood(
            f"it is not clear whether '{letter['letter']}' is a field or a spacecraft",
            advice="write the whole name of the spacecraft",
        )
    indices = ignoring_case(_INDICES).search(sentence.text)
    if indices and not request.datasets and not any(quantity.name in INDICES for _, quantity in placed):
        yield NotUnderstood(
            f"it is not clear what '{indices[0]}' means", advice=f"name what to draw: {', '.join(INDICES)}"
        )
    if source := ignoring_case(_OF_IT).search(sentence.text):
        yield NotUnderstood(
            f"it is not clear which data '{source[0]}' means", advice="name the data and their instrument"
        )
    yield from _lost_lines(sentence, placed, request, flown)
    yield from _extra_lines(sentence, placed, request, flown)
    yield from _ignored_words(sentence, placed, request, mentions, flown)
    yield from _places_of_nothing(sentence, request, mentions, arrangement)
    if spread := ignoring_case(_SPREAD).search(sentence.text):
        yield NotUnderstood(
            f"helio has no tool for '{spread[0]}'",
            advice="ask for the minima and the maxima, the standard deviation, or the position of the spacecraft",
        )
    for match in _SPECIES.finditer(sentence.text):
        species = (match["before"] or match["behind"]).lower()
        name = "alpha" if species.startswith("helium") else species.removesuffix("s")
        if not name.startswith(_PLAIN_SPECIES) and not any(name in row.name for row in request.quantities):
            yield NotUnderstood(
                f"helio cannot compute '{match[0]}': it has no such quantity of '{species}'",
                advice="request that of protons or electrons",
            )
    measured = _MEASURED.search(sentence.left) if _MODELLED.search(sentence.text) else None
    if measured and (measured["before"] or all(start != measured.end() + 1 for start, _ in placed)):
        yield NotUnderstood(
            f"it is not clear what '{measured['behind'] or measured['before']}' stands for",
            advice="name the quantity behind it, as in 'the predicted Dst and the measured Dst'",
        )
    if arrangement.compares and not _draws_several(request):
        yield NotUnderstood(
            f"the request compares one thing only: it is not clear what '{arrangement.compares}' means",
            advice="name what to compare: two spacecraft, two quantities or two times",
        )


def _unclear_computations(
    sentence: Sentence, placed: Placed, request: PipelineRequest, mentions: Sequence[ComputationMention]
) -> Iterator[NotUnderstood]:
    """Yield a refusal for each computation of which it is not clear which of several quantities it takes."""
    several = len({quantity for _, quantity in placed}) > 1
    spectral = ("power_", "spectral_")
    spectra = [step for step in request.computations if step.tool.startswith(spectral) and not step.beside]
    if spectra and ((several and _OVER_TIME.search(sentence.text)) or _PLUS_MAGNITUDE.search(sentence.text)):
        yield NotUnderstood(
            "it is not clear of which quantity the spectrum is",
            advice="give the time series a place: 'power spectrum of Bz, |B| below'",
        )
    whole = any(quantity.name in VECTORS and not quantity.component for quantity in request.quantities)
    if spectra and whole and _COMPONENTS.search(sentence.text):
        yield NotUnderstood(
            "the power spectrum of a vector is the sum over its components",
            advice="name the components, as in 'power spectra of Bx, By and Bz', or leave the word out",
        )
    changed = [step for step in request.computations if step.tool in ("cumulative_integral", "derivative")]
    change = _CHANGE_OF.search(sentence.text) if any(step.of == Lines() for step in changed) else None
    starts = [start for start, _ in placed if change and start >= change.end()]
    joints = [sentence.text[first:second] for first, second in pairwise(starts)]
    is_list = not any(map(_LOOSE_JOINT.search, joints)) and re.search(r"\band\b|[&+/]", "".join(joints[-1:]))
    if len({quantity.name for _, quantity in placed}) > 1 and joints and not is_list:
        yield NotUnderstood(
            "it is not clear of which quantities the integral or the derivative is",
            advice="give each its place: 'integral of VBs on top, Dst below'",
        )
    for start, quantity in placed[1:]:
        words = re.match(r"\w+", sentence.text[start:])
        source = _FROM_PARTICLES.search(sentence.text[: start + (words.end() if words else 0)])
        if quantity.name in SPECTRA and source and source.start("what") == start:
            yield NotUnderstood(
                f"it is not clear what helio takes '{source[0]}'",
                advice="name the moment, as in 'electron density from 3DP'",
            )
    tools = [step.tool for step in request.computations if step.of == Lines() and not step.of_data]
    if "alert" in tools[:-1]:
        yield NotUnderstood(
            f"it is not clear whether the {tools[-1].replace('_', ' ')} is of the data or of the marked times",
            advice="ask for the marked times first, then add the other line to the figure",
        )
    group = _ONLY_FOR_GROUP.search(sentence.text) if request.computations else None
    if group and several:
        yield NotUnderstood(
            f"it is not clear which quantities are '{group['group']}'",
            advice="name each quantity that is computed: 'the density and the speed smoothed over 10 min'",
        )


def _lost_lines(
    sentence: Sentence, placed: Placed, request: PipelineRequest, flown: Sequence[tuple[int, str]]
) -> Iterator[NotUnderstood]:
    """Yield a refusal for lines that the sentence wants beside others, and that the figure would not draw."""
    text, names = sentence.text, {quantity.name for quantity in request.quantities}
    if names == {ABS_B} and _PLUS_MAGNITUDE.search(text):
        yield NotUnderstood(
            "it is not clear whether to draw the field, too, or its magnitude alone",
            advice="write 'B and |B|' for both",
        )
    is_above = request.panels.places and any("frequency" in name for name in names)
    if is_above and (request.datasets or names & {*SPECTRA}) and _WITH_ON_TOP.search(text):
        yield NotUnderstood(
            "it is not clear whether the frequency is drawn over the spectrogram, or in a panel above it",
            advice="write 'with fce overlaid', or 'fce in the top panel'",
        )
    both = _BOTH_TOO.search(text)
    if both and any(step.tool in OF_TWO and not step.beside for step in request.computations):
        yield NotUnderstood(
            f"the figure would not draw '{both['what']}'",
            advice="name the two first, as in 'ACE and Wind Bz in one panel, their ratio below', or request them alone",
        )
    for start, craft in flown if not (request.datasets or request.cuts) else ():
        joint = _JOINED_CRAFT.search(text[:start])
        is_other = any(at < start and name != craft for at, name in flown)
        if joint and is_other and all(at < joint.start() for at, _ in placed):
            behind = Sentence(re.split(r"[,;]", text[joint.start("what") :])[0])
            for time in request.times:  # on 8 Sep 2017, no SEPs
                behind.drop(re.escape(time))
            read_spacecraft(behind)
            if read_quantities(Sentence(behind.left), magnitude=False)[0] or behind.has(FIELD):
                yield NotUnderstood(
                    f"the figure would not draw '{behind.text.strip()}'",
                    advice="write each quantity behind its spacecraft, as in 'ACE clock angle and Wind |B|'",
                )
    is_beside = any(step.beside or step.of_data for step in request.computations)
    if is_beside and request.exports and request.saved == Lines() and (only := _ONLY_SAVED.search(text)):
        yield NotUnderstood(
            f"helio would save more than '{only['what'].strip()}'",
            advice="draw that alone, or first draw all, then change the pipeline: 'save LINE as csv'",
        )
    beside = _AND_PLOT.search(text) if request.panels.kind else None
    if beside and beside["what"].lower() not in text[: beside.start()].lower():
        yield NotUnderstood(
            f"the figure would draw only the {beside['what']}, not what stands before it",
            advice=f"ask for the time series alone, then change the pipeline: 'add a {beside['what']} of …'",
        )


def _extra_lines(
    sentence: Sentence, placed: Placed, request: PipelineRequest, flown: Sequence[tuple[int, str]]
) -> Iterator[NotUnderstood]:
    """Yield a refusal for lines that may only be what another one is computed from."""
    means = {step.window for step in request.computations if step.tool == "resample"}
    if any(step.tool == "statistics" and step.window in means for step in request.computations):
        yield NotUnderstood(
            "the statistics would be those of averages of the same intervals",
            advice="write, for example, 'hourly mean and standard deviation'",
        )
    if not placed or recipe_of(placed[0][1].name) not in DERIVED:
        return
    (start, first), *others = placed
    text, names = sentence.text, {quantity.name for quantity in request.quantities}
    needed = inputs_of(recipe_of(first.name))
    instruments = [match for at, _ in others if (match := _INSTRUMENT_BEFORE.search(text[:at]))]
    by_instrument = {match.start() for match in instruments} - {at for at, _ in flown}
    is_lost = re.search(r"\bfield\b", text) is not None and not names & {B, ABS_B}
    has_places = request.panels.count or (request.panels.places and not is_lost)
    are_drawn = any(quantity.name in names for _, quantity in others)
    if (
        by_instrument
        and are_drawn
        and not has_places
        and all(quantity.name in needed for _, quantity in others)
    ):
        yield NotUnderstood(
            f"it is not clear whether to draw {others[0][1].name}, or only to compute the {first.name} from it",
            advice=f"write '{first.name} from …', or say how many panels you want",
        )
    source = _FROM_AVERAGED.search(text, start)
    if source and request.computations:
        yield NotUnderstood(
            f"it is not clear whether the data or the {first.name} are averaged",
            advice=f"write '{first.name} from 1 min averages of the field', or '1 min averages of the {first.name}'",
        )


def _unclear_panels(
    sentence: Sentence, placed: Placed, request: PipelineRequest, arrangement: Arrangement
) -> Iterator[NotUnderstood]:
    """Yield a refusal for each place of a line in a panel that helio does not read."""
    if len({*request.times}) > 1 and arrangement.shares_panel:
        yield NotUnderstood(
            "helio draws two times in a figure each, not in one panel",
            advice="leave out that they share a panel, or write 'superposed epoch of … at T1 and T2'",
        )
    if PLACES_FIRST.search(sentence.text):
        yield NotUnderstood(
            "helio does not read the places of panels before the list of the data",
            advice="write them in the list: 'Bz on top, density, SYM-H at the bottom'",
        )
    starts = {start for start, _ in placed}
    for match in _IN_PANEL_OF.finditer(sentence.text):
        if match.start("name") in starts and len(starts) > 1 and not arrangement.shares_panel:
            yield NotUnderstood(
                f"helio does not understand '{match[0]}'",
                advice="write which lines share a panel: 'Br and |B| in one panel, Bt below'",
            )


def _ignored_words(
    sentence: Sentence,
    placed: Placed,
    request: PipelineRequest,
    mentions: Sequence[ComputationMention],
    flown: Sequence[tuple[int, str]],
) -> Iterator[NotUnderstood]:
    """Yield a refusal for each ``over``, ``single`` or ``together`` that no rule has read."""
    starts = {at for at, _ in flown} | {
        at for at, name in placed if name in {earlier for start, earlier in placed if start < at}
    }
    panels = request.panels
    is_laid = panels.together or any(place.shared for place in panels.places)
    is_laid |= any(at.computation.behind or at.computation.tool in OF_TWO for at in mentions)
    for ignored in ignoring_case(_LEFT_OUT).finditer(sentence.left):
        if not ignored["over"] or (not is_laid and (ignored["it"] or ignored.end() in starts)):
            yield NotUnderstood(
                f"it is not clear what '{ignored[0].strip()}' means here",
                advice="write 'ratio of A and B', 'A above B' or 'A and B in one panel'",
            )


def _places_of_nothing(
    sentence: Sentence,
    request: PipelineRequest,
    mentions: Sequence[ComputationMention],
    arrangement: Arrangement,
) -> Iterator[NotUnderstood]:
    """Yield a refusal for each place of a panel for which the sentence names no data."""
    panels = request.panels
    for start, stop, rank in arrangement.unplaced:
        own = [mention.computation for mention in mentions if start <= mention.position < stop]
        words = re.findall(r"[\w|+-]+", _OF_PLACES.sub("", sentence.text[start:stop]))
        stands = any(word not in sentence.text[:start] for word in words)
        if own:  # a result stands below its input, or is drawn on top of it
            stands = any(tool.beside and tool.behind == (rank == 1) and rank != MIDDLE for tool in own)
            stands &= rank != 1 or not any(place.rank != MIDDLE for place in panels.places)
        if not stands:
            yield NotUnderstood(
                f"it is not clear what stands at the place that '{sentence.text[start:stop].strip(' ,;:')}' gives",
                advice="leave the place out, then move the panel: 'put the density on top'",
            )


def _draws_several(request: PipelineRequest) -> bool:
    """Return whether a request names two things that it may compare."""
    series = len(request.own) or len(request.quantities) * len(request.spacecraft or ("",))
    series += len(request.datasets) + len(request.cuts)
    return (
        series > 1
        or (not request.quantities and len(request.spacecraft) > 1)
        or len(request.times) > 1
        or any(craft in families() for craft in request.spacecraft)
        or any(made.beside or made.behind for made in request.computations)
        or any(quantity.name in VECTORS and not quantity.component for quantity in request.quantities)
        or len(request.style.looks) > 0
    )


def refuse_unused(template: Document) -> None:
    """Refuse a template with data that nothing uses: the figure would not show a part of the request."""
    steps = [step for step in template["steps"] if isinstance(step.get("tool_args"), dict)]
    for step in unread(steps):
        raise NotUnderstood(
            f"the figure would not show {step['tool_args']['output_label']}, which the request names",
            advice="request this quantity in a pipeline of its own",
        )
