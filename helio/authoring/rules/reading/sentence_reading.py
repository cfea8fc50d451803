"""Read a sentence word by word into a `PipelineRequest`; refuse what is not clear, instead of guessing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, PipelineRequest, Place, RequestedStyle, RequestQuantity
from helio.authoring.rules.catalogue.catalogue_matches import Wanted
from helio.authoring.rules.catalogue.catalogue_reading import CatalogueReading, read_catalogue
from helio.authoring.rules.catalogue.particle_words import with_ratios
from helio.authoring.rules.computations.averages import drop_rhythms_of_figures
from helio.authoring.rules.computations.computed import (
    beside_inputs,
    of_windowed,
    over_their_inputs,
    read_computations,
    with_named_operands,
    with_operands,
)
from helio.authoring.rules.computations.conditions import with_conditions
from helio.authoring.rules.computations.frequency_bands import take_frequencies
from helio.authoring.rules.misspelt import known_words
from helio.authoring.rules.reading.arrangement import Arrangement
from helio.authoring.rules.reading.assumed_values import take_assumed
from helio.authoring.rules.reading.cadences import take_cadences, take_modes, with_plain_rates
from helio.authoring.rules.reading.drawn_quantities import (
    GROUP,
    OVERVIEW,
    computed_from,
    derived_from_others,
    doubt_about,
    drawn_of,
    in_listed_panels,
    merged,
    named_again,
    of_group,
    of_heading,
    of_joined_overview,
    of_listed_group,
    of_named_component,
    said_computed,
    says_look,
    styled_components,
    with_field,
    with_total,
)
from helio.authoring.rules.reading.formulas import with_words
from helio.authoring.rules.reading.guard import doubts, drop_descriptions
from helio.authoring.rules.reading.kept_raw import of_the_others, take_kept_raw
from helio.authoring.rules.reading.named import (
    FIELD,
    Placed,
    beside_solar_wind,
    drop_places,
    of_datasets,
    pairs_of,
    read_datasets,
    read_quantities,
    read_ratios,
    read_spacecraft,
    with_series,
)
from helio.authoring.rules.reading.named_frames import LMN, TURNED, read_frames
from helio.authoring.rules.reading.named_instruments import (
    Crafts,
    at_energies,
    beside_others,
    drop_styled_particles,
    lacks_particles,
    leave_directions,
    measured_by,
    measured_by_each,
    of_several_sensors,
    others_measured,
    read_instruments,
    spectra_of,
    with_carriers,
    with_crafts,
    with_each_moment,
    with_short_names,
    without_compounds,
    without_source_of_indices,
)
from helio.authoring.rules.reading.own_computations import (
    NamedData,
    averages_to,
    doubt_about_pairs,
    drop_only,
    drop_words_for_all,
    of_named_again,
    shared_out,
    with_cadences,
)
from helio.authoring.rules.reading.saved_files import take_files
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.reading.spellings import SPELLINGS, with_symbols_in_words
from helio.authoring.rules.reading.which_quantities import Unclear, questions_about, unclear_mentions
from helio.authoring.rules.reading.written_form import (
    take_energies,
    take_name,
    take_plane,
    take_title,
    take_units,
)
from helio.authoring.rules.times.named_times import with_plain_times
from helio.authoring.rules.times.open_times import ends_before_named_day, with_open_times
from helio.authoring.rules.times.times_around import signed_length
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.computations import (
    ANGLE,
    APPLIED,
    DERIVED,
    LAG,
    MAGNITUDE,
    OF_ELECTRONS,
    SEPARATION,
)
from helio.authoring.writing.layout import MIDDLE
from helio.authoring.writing.sources import crafts_with
from helio.interval import interval_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import ABS_B, POSITION, RADIO, SOURCES, VECTOR_V, B, families
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS
from helio.knowledge.search import search_of
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case
from helio.time_range import parse_time_range

_SPELLINGS = [(re.compile(pattern), spelling) for pattern, spelling in SPELLINGS["spellings"]]
"""Patterns of names, and how the catalogue writes them."""
_NO_MEANING = [re.compile(pattern, re.IGNORECASE) for pattern in SPELLINGS["without meaning"]]
"""Words that would otherwise name a quantity, a spacecraft or a time."""
_NAMES_OF_TIMES = [re.compile(pattern, re.IGNORECASE) for pattern in SPELLINGS["names of times"]]
"""Names of events, which say nothing more beside a time."""
_NAME_BEHIND_TIME = re.compile(
    r"(?<=\x01) ?\((?P<name>[A-Z][a-z]{3,})(?: \d{1,3})?"
    r"(?: (?:outage|failure|anomaly|loss|launch|event|storms?))?\)"
)
_EVENT = (
    r"(?:(?:ICME|CME|SEP|CIR|SIR|GLE|HSS|shock|storm|substorm|flare|magnetic\s+cloud)s?\b"
    r"(?:\s+(?:event|arrival))?)"
)
_EVENTS_BEHIND_TIME = (
    rf"(?<=\x01) ?\((?=[^()]*\b(?!SEP\b)[A-Za-z]{{3,}})(?:{_EVENT}|\b(?:and|with|then|at|the)\b|[+&,/\s\x01]"
    r"|(?-i:Mercury|Venus|Earth|Mars|Jupiter|Saturn))+\)"
)
"""Events in brackets that say why a time was chosen: ``12-13 Sep 2017 (ICME + SEP at Mars)``."""
_LIST_NUMBER = re.compile(
    r"(?:^|(?<=[:,;])|\s)\s*\(?([1-9](?=[.)])|[a-i](?=\)))[.)]\s+(?=[A-Za-z|])"
    r"(?!(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\b)",
    re.IGNORECASE,
)
"""Pattern of the number of an item in a list, but not of a day before its month."""
_EACH_OF = re.compile(
    r"\b((?:each|every)\s+(?:hour|day|week|month|year))\s+(?:of|in|from)\s+(?=\d)", re.IGNORECASE
)
"""Pattern of intervals in a time: ``each month of 2003`` is no time."""
_CDAWEB = (
    r"\b(?:(?:from|via|at|in|using|out of)\s+)?(?:the\s+)?(?:NASA\s+)?(?:(?:SPDF|GSFC)[ /'’s]*)?"
    r"(?:CDAWeb|CDA[- ]web|SPDF)"
    r"(?:\s+(?:archive|server|site|data(?:base)?))?(?![\w/.-])"
)
"""Words that name the archive from which helio takes the data of its catalogue."""
_RADIAL = re.compile(r"\bb_?[rn]\b", re.IGNORECASE)
_OF_INSTRUMENT = (
    r"(?<=\x01 )(?:from|using|by|of|with(?=[^,;]*?(?:ions?|protons?|electrons?)\s+(?:and|&)\s+\x01))\b"
    r"[^,;]*?\x01\s*(?P<out>{particles})\b"
    r"(?!\s+(?:\w+\s+){0,2}(?:spectr\w+|flux\w*|density|densities|velocity|speed|temperatures?|intensit\w+))"
)
"""Particles behind an instrument that only say which data to take: ``the Alfvén speed from FGM and ESA ions``."""
_BEHIND = (
    r"\b(?:behind|after|relative\s+to|with\s+respect\s+to)\b(?=\s+(?:that\s+of\s+)?(?:the\s+)?[A-Za-z|])"
)
"""Words between the spacecraft that the solar wind passes last and the one that it passes first."""
_LONGEST_VECTOR = 4
_MOST_LINES = 16
"""Maximum number of energies that helio draws as lines unless the request says how to draw them."""
_AS_LINES = re.compile(
    r"\bas (?:separate |individual |stacked )?lines?\b|(?:(?<=flux )|(?<=ons )|(?<=\x01 ))(?:lines|curves)\b"
    r"|(?<=, )(?:lines|curves)\b(?=\s*(?:[,;.\x01]|$))"
    r"|\b(?:with |as )?(?:one|a) (?:line|curve) (?:per|for (?:each|every)) (?:energy )?(?:channel|energy|bin)\b",
    re.IGNORECASE,
)
_OF_CHANNELS = re.compile(r"\bchannels\b|\b(?:per|each|every) (?:energy )?channel\b", re.IGNORECASE)
_LINE_PLOT = re.compile(r"\b(?:as )?(?:an? )?line[ -]?(?:plots?|graphs?)\b", re.IGNORECASE)
_LOG_AXIS = re.compile(
    r"\blog(?:arithmic)?\b(?!.*\b(?:energy|energies|frequency|colou?r|z)\b)", re.IGNORECASE
)
_PICTURE = re.compile(r"\bspectr|\benerg(?:y|ies) ax|\bcolou?r", re.IGNORECASE)
"""Words for a spectrogram, in which the axis is that of the energy."""
_LMN = (
    r"(?-i:\bL\s*[,/-]?\s*M\s*[,/-]?\s*(?:and\s+)?N\b)(?:\s+components?)?"
    r"|\bB_?L[\s,/&]*(?:and\s+)?B_?M[\s,/&]*(?:and\s+)?B_?N\b(?:\s+components?)?"
    r"|\b(?:rotat|transform|convert|turn)\w*\b"
)
"""The axes of a minimum variance analysis, whose letters are no components in other frames, and verbs for it."""
_NO_NAME = re.compile(
    r"[\s,]*(?:its\s+|[xyz]\s+)?(?:components?|spectrum|spectra)(?:\s+below)?[\s,]*", re.IGNORECASE
)
"""Words of other data, of which the catalogue would give any that fit."""
_MEANT_BY = {"minimum_variance": B, ANGLE: B, SEPARATION: POSITION}
"""Computations and the quantity that they mean where the sentence names none."""
_NUMBER_WORDS = {count: word for word, count in VOCABULARY["counted"].items()}


@dataclass(frozen=True)
class Reading:
    """The request that was read from a sentence, and the words that were not understood."""

    request: PipelineRequest
    unread: tuple[str, ...]
    doubt: NotUnderstood | None = None
    named: tuple[str, ...] = ()
    """Notes on the time ranges of named events, and on parameters found by their descriptions."""
    hint: str = ""
    """What the catalogue has for the words that were not read, where it is too much to choose from."""
    unclear: tuple[Unclear, ...] = ()
    """The computations of which the sentence does not say which quantities they take."""

    @property
    def is_clear(self) -> bool:
        """Return whether all words were understood, with one meaning."""
        return not (self.unread or self.doubt or self.unclear)

    def answered(self, ask: Asks) -> PipelineRequest:
        """Ask what is not clear, and return the request.

        Raises
        ------
        NotUnderstood
            The sentence has several meanings, and helio cannot ask which one is meant.
        """
        if self.doubt is not None:
            raise self.doubt
        meant = {unclear.computation: unclear.answered(ask) for unclear in self.unclear}
        computations = tuple(meant.get(computation, computation) for computation in self.request.computations)
        return replace(self.request, computations=computations)


def read_request(
    text: str,
    catalogue: Catalogue,
    now: datetime,
    ask: Asks | None = None,
    *,
    looks: Sequence[str] = (),
    lacking: str | None = None,
) -> Reading:
    """Read a request from a sentence: first its datasets and times, then all other kinds of words.

    Parameters
    ----------
    ask : callable, optional
        Without it, no parameters are looked up by their descriptions in the catalogue for the words that are left.
    looks : sequence of str
        What the request says about looks; those of `take_looks`.
    lacking : str, optional
        The quantity to look up there, because no row of the table has it; empty for all quantities.

    Raises
    ------
    NotUnderstood
        A duration may be a cadence or a time; without `ask`, a named event may be one of several.
    """
    read = partial(_SentenceReader, text, catalogue, now, ask, looks)
    first = read()
    reading = first.reading
    if ask is None:
        return reading
    request = reading.request
    spans = tuple(parse_time_range(time, now) for time in request.times)
    bins = [
        interval_of(computation.window).nanoseconds / 1e9
        for computation in request.computations
        if computation.tool == "resample" and computation.window
    ]
    wanted = Wanted(spans, request.frame, request.cadence or min(bins, default=None), request.modes)
    of_catalogue = (
        reading.unread or lacking is not None or len(request.energies) > 1 or lacks_particles(request)
    )
    of_sensors = set() if of_catalogue or reading.doubt else of_several_sensors(first.text, request)
    if not (of_catalogue or of_sensors):
        return reading
    whole = lacking is not None or bool(of_sensors)
    parts = first.parts
    jointly = lacking == "" and any(part.unread for part in parts)
    if whole and not jointly:
        crafts = request.spacecraft  # those that carry the named instruments
        meant = [
            part for part in parts if _quantities_in(part.text) & (of_sensors or {str(lacking)})
        ] or parts
        if of_sensors and len(crafts) > 1 and not all(part.crafts for part in meant):
            return reading
        named = [(part.crafts or crafts, name) for part in meant for name in _quantities_in(part.text)]
        if any(len(own) > 1 and not {*own}.isdisjoint(crafts_with(name)) for own, name in named):
            return reading  # B of ACE and SOHO, which has none: it is no boron of ACE
        parts = [
            replace(part, unread=True, left=part.spans, crafts=part.crafts or crafts)
            if part in meant
            else part
            for part in parts
        ]
    asked: list[str] = []

    def noted_ask(question: str, choices: Sequence[str]) -> str:
        asked.append(question)
        return ask(question, choices)

    integrated = any(tool.tool == "cumulative_integral" for tool in request.computations)
    if any(part.unread and _NO_NAME.fullmatch(first.text, *part.region) for part in parts):
        return reading
    found = read_catalogue(
        first.beside_crafts,
        parts,
        tuple(first.flown),
        wanted,
        catalogue,
        noted_ask,
        integrated=integrated,
        jointly=jointly,
    )
    if of_sensors and found.hint:
        raise NotUnderstood(found.hint)
    if of_sensors and not asked:
        return reading  # the table has all that it may mean
    if found.hint:
        return replace(reading, hint=found.hint)
    for part in parts if found.notes else ():
        words = first.text[slice(*part.region)].strip()
        if part.unread and (computed := computed_from(words)):
            raise NotUnderstood(
                f"helio computes the {computed} from the data of its table, and does not know all words of '{words}'",
                advice=f"name only the spacecraft, its instrument and the quantities behind 'from', as in "
                f"'{computed} from …'",
            )
    if whole and found.repeats:
        return reading  # B and |B|, of which the catalogue has |B| alone
    return read(found).reading if found.notes else reading


def _quantities_in(words: str) -> set[str]:
    placed, field = read_quantities(Sentence(words), magnitude=False)
    return {quantity.name for _, quantity in placed} | ({B} if field >= 0 else set())


class _SentenceReader:
    """Reader of one sentence: each step removes the words that it understands, so the order of the steps counts.

    Attributes
    ----------
    reading : Reading
    parts : list of Part
        The parts of the sentence that name quantities, except those in `described`.
    flown : list
        The spacecraft that the sentence names, with their positions.
    beside_crafts : str
        What was left of the sentence when its spacecraft had been read.
    text : str
        The sentence as the rules read it.
    """

    def __init__(
        self,
        text: str,
        catalogue: Catalogue,
        now: datetime,
        ask: Asks | None,
        looks: Sequence[str],
        described: CatalogueReading = CatalogueReading(),
    ) -> None:
        self._catalogue = catalogue
        self._looks = tuple(looks)
        self._described = described
        text, self._title = take_title(text)
        text, self._notes = with_plain_times(_EACH_OF.sub(r"\1, ", text), now, ask)
        if signed := signed_length(text):
            raise NotUnderstood(
                f"it is not clear to which time '{signed}' belongs", advice="write it behind the time"
            )
        text, self._turns = with_named_operands(_plain(with_open_times(text, now)))
        self._sentence = Sentence(text)
        leave_directions(self._sentence)
        for span in described.spans:
            self._sentence.take_at(*span)
        self._sentence.drop(rf"{GROUP} (?=\x01)")  # only says of what the described parameters are
        for pattern in _NO_MEANING:
            self._sentence.drop(pattern)
        names = [match for pattern in _NAMES_OF_TIMES for match in self._sentence.take(pattern)]
        if self._sentence.drop(_CDAWEB):
            self._notes += ("a run takes the data from CDAWeb, unless --archive names another archive",)
        self._files = take_files(self._sentence)
        self._name = take_name(self._sentence)
        self._datasets = read_datasets(self._sentence, catalogue)
        self._assumed = take_assumed(self._sentence)
        self._arrangement = Arrangement(self._sentence)
        self._ratios = read_ratios(self._sentence)
        self._kept = take_kept_raw(self._sentence)
        self._read_computations()
        self._times = tuple(self._sentence.take_times(now))
        self._notes += tuple(filter(None, (ends_before_named_day(time, now) for time in self._times)))
        if names and not self._times:
            event = ignoring_case(r"^(?:around|during|at|near|for)\s+").sub("", names[0][0].strip())
            raise NotUnderstood(f"helio does not know when '{event}' was", advice="give the dates")
        drop_rhythms_of_figures(self._sentence, [parse_time_range(time, now) for time in self._times])
        self._sentence.drop(TURNED)
        self._read_crafts()
        self._spans = [parse_time_range(time, now) for time in self._times]
        drop_descriptions(self._sentence, {craft for _, craft in self.flown}, self._spans)
        self._drop_name_behind_time()
        self._read_data()
        request, doubt, unclear = self._request()
        notes = (*self._notes, *self._files.notes, *described.notes)
        self.reading = Reading(request, self._sentence.unread(), doubt, notes, unclear=unclear)
        self.parts = self._sentence.parts(self._moments, self.flown)
        self.text = self._sentence.text

    def _read_computations(self) -> None:
        sentence = self._sentence
        mentions = read_computations(sentence)
        tools = {mention.computation.tool for mention in mentions}
        if any(step.tool == "band_integral" for cut in self._described.cuts for step in cut.steps):
            mentions = tuple(
                mention for mention in mentions if mention.computation.tool != "cumulative_integral"
            )
        if "minimum_variance" in tools:
            sentence.drop(_LMN)
            self._arrangement.take_axes(sentence)
        self._mentions = mentions
        self._tools = tools

    def _read_crafts(self) -> None:
        """Read the spacecraft; ``Wind behind ACE`` names them in the other order."""
        sentence = self._sentence
        self._is_behind = LAG in self._tools and sentence.take_first(_BEHIND) is not None
        self.flown = read_spacecraft(sentence)
        if upstream := beside_solar_wind(sentence, self.flown):
            self.flown = sorted([*self.flown, *upstream])
            self._notes += ("the solar wind and the IMF are those of OMNI",)
        number = len(self.flown)
        count = rf"(?:{_NUMBER_WORDS.get(number, number)}|{number})"
        sentence.drop(rf"\b{count}\s+(?:different\s+)?(?:spacecrafts?|satellites?|probes?|s/?c)\b")
        sentence.drop(
            r"\b(?:an?\s+|the\s+)?(?:fresh|new|nice)\s+one\b|\b(?:(?:in|on|as|into)\s+)?(?:one|a\s+single|the\s+same)[\s\x01](?:page|figure|image|picture)\b"
        )
        self.beside_crafts = sentence.left

    def _drop_name_behind_time(self) -> None:
        """Remove a name in brackets that the catalogue has nowhere: ``5 April 2010 (Galaxy 15)`` only says why."""
        self._sentence.drop(_EVENTS_BEHIND_TIME)
        for match in _NAME_BEHIND_TIME.finditer(self._sentence.left):
            known = match["name"].casefold() in known_words()
            if not known and search_of(self._catalogue).find(match["name"], similar=False).unknown:
                self._sentence.take_at(*match.span())

    def _read_data(self) -> None:
        """Read energies, instruments, units and quantities; remember which words name what to draw."""
        sentence, described = self._sentence, self._described
        before_instruments = sentence.left
        self._energies = take_energies(sentence)
        self._instruments = read_instruments(sentence)
        after_instruments = sentence.left
        crafts = with_carriers(self.flown, self._instruments, sentence.text, self._catalogue)
        if (crafts or described.crafts) and not self.flown:
            drop_places(sentence)
        self._crafts: Crafts = [craft for craft in crafts if craft[1] not in described.crafts]
        self._as_lines = sentence.take_first(_AS_LINES) is not None
        if not self._as_lines and not _PICTURE.search(sentence.text):
            self._as_lines = sentence.take_first(_LINE_PLOT) is not None
        if self._as_lines or _OF_CHANNELS.search(sentence.text):
            self._refuse_one_mean()
        if self._as_lines and ignoring_case(r"\bspectrogram").search(sentence.text):
            raise NotUnderstood(
                "it is not clear which fluxes to draw as lines, and which as a spectrogram",
                advice="say it of each panel, as in 'ACE SIS oxygen flux as lines; below, a spectrogram of …'",
            )
        self._units = take_units(sentence)
        self._plane = take_plane(sentence)
        before_quantities = sentence.left
        needs_vector = MAGNITUDE in self._tools and not (self._datasets or described.datasets)
        named, self._field = read_quantities(sentence, magnitude=needs_vector)
        matches = ignoring_case(FIELD).finditer(before_quantities) if self._field >= 0 else ()
        fields = [(match.start(), RequestQuantity(B)) for match in matches]
        listed, self._datasets, self._from_datasets = of_datasets(
            sentence, merged(named, fields), self._datasets, self._catalogue
        )
        named = [atom for atom in listed if atom not in fields or atom in named]
        if not self._crafts:
            flown = (self._catalogue.summary(dataset).spacecraft for dataset in self._from_datasets)
            self._crafts = [
                (sentence.text.find(dataset), craft)
                for dataset, craft in zip(self._from_datasets, flown, strict=True)
            ]
        if named and any(mention.named[0] <= self._field < mention.named[1] for mention in self._mentions):
            self._field = -1  # the density on the times of the field
        components = [at for at, quantity in named if quantity.name == B and quantity.component]
        if any(at < self._field for at in components) and says_look(sentence.text, self._field):
            self._field = -1  # Bz and n; n as dots, the field as a line
        listed = merged(named, self._ratios, fields if self._field >= 0 else [])
        if len({craft for _, craft in self._crafts}) <= 1:
            self._mentions = with_operands(
                beside_inputs(self._mentions, listed, sentence.text), listed, sentence.text
            )
        named = merged(named, of_windowed(self._mentions))
        if any(quantity.name not in SPECTRA for _, quantity in named):
            made = [DERIVED[own.name].takes for _, own in named if own.name in DERIVED]
            taken = {part.quantity for takes in made for part in takes.values()}
            particles = r"electrons?" if taken & {*OF_ELECTRONS.values()} else r"ions?|protons?"
            sentence.drop(_OF_INSTRUMENT.replace("{particles}", particles))
        for place in beside_others(sentence, self._instruments, self._crafts, named):
            sentence.put_back(*place)  # the catalogue may describe what the table lacks
        drop_styled_particles(sentence, self._looks, named)
        spectra = spectra_of(sentence, self._instruments, self._crafts, others=bool(named))
        names = {quantity.name for _, quantity in (*named, *spectra)} | ({B} if self._field >= 0 else set())
        self._modes = take_modes(sentence, crafts, self._instruments, names, self._catalogue)
        self._moments = (before_instruments, after_instruments, before_quantities, sentence.left)
        self._datasets += tuple(pair for pair in described.datasets if pair not in self._datasets)
        placed = merged(at_energies(named, self._instruments, self._crafts), self._ratios, spectra)
        self._mentions = of_heading(self._mentions, sentence.text, placed)
        placed = in_listed_panels(sentence.text, placed)
        placed = of_named_component(sentence.text, self._completed(placed))  # which may leave out mentions
        self._mentions, self._placed = with_conditions(self._mentions, placed, self.flown, sentence.text)
        if not self._crafts and any(quantity.name not in INDICES for _, quantity in self._placed):
            self._crafts = self.flown  # the table has what the catalogue does not describe

    def _completed(self, placed: Placed) -> Placed:
        """Add the quantities that groups of words and instruments stand for, and the whole of each vector."""
        sentence, described = self._sentence, self._described
        has_field = self._field >= 0
        names_data = bool(self._datasets or described.cuts or has_field)
        if not names_data and all(quantity.name in INDICES for _, quantity in placed):
            measured = measured_by(self._instruments, self._crafts)  # SWAP solar wind
            group = of_group(sentence, alone=not placed)
            placed = merged(placed, (measured or group) if group else []) or measured
        names = {quantity.name for _, quantity in placed} | ({B} if has_field else set())
        if names:
            placed = merged(placed, others_measured(sentence, self._instruments, self._crafts, names))
        placed = merged(placed, of_joined_overview(sentence, placed))
        if placed or self._datasets or has_field:
            placed = merged(placed, of_listed_group(sentence, placed))
            sentence.drop(GROUP)
            sentence.drop(OVERVIEW)
        of_spectra = {quantity.name for _, quantity in placed} == {RADIO} or (
            not placed and self._has_spectrum()
        )
        if of_spectra and not any(mention.computation.window for mention in self._mentions):
            self._mentions = tuple(
                mention
                for mention in self._mentions
                if mention.computation.tool not in ("power_spectrogram", "power_spectrum")
            )
        if not placed and not names_data:  # MVA of the shock
            placed = [
                (at.position, RequestQuantity(_MEANT_BY[at.computation.tool]))
                for at in self._mentions
                if at.computation.tool in _MEANT_BY
            ]
        if POSITION in names and SEPARATION in self._tools:
            self._mentions = tuple(
                replace(mention, computation=replace(mention.computation, beside=True))
                for mention in self._mentions
            )
        placed = with_total(sentence, placed, self._field)
        turned = {}
        if {"Dst", "SYM-H"} & {quantity.name for _, quantity in placed} == {"Dst"}:
            storms = [quantity.name for _, quantity in placed if quantity.name.startswith("storm ")]
            turned = {
                RequestQuantity(name): RequestQuantity(f"{name.removesuffix(' in Dst')} in Dst")
                for name in storms
            }
        if "minimum_variance" in self._tools:  # V in LMN
            turned = {RequestQuantity(SPEED): RequestQuantity(VECTOR_V)}
        if turned:
            placed = [(start, turned.get(quantity, quantity)) for start, quantity in placed]
        if (
            len({quantity for _, quantity in placed})
            + (self._field >= 0)
            + len(self._datasets)
            + len(described.cuts)
            == 1
        ):
            sentence.drop(
                r"\b(?:only|alone)\b(?!\s+(?:in|inside|when|where|while|for|during|if|with|at|on)\b)"
            )
        self._styled = styled_components(self._looks)
        return with_field(sentence, placed, self._field, self._styled, self._crafts)

    def _refuse_one_mean(self) -> None:
        """Refuse lines, or channels, in a range of energies that would become one line, their mean."""
        means = Counter(
            (cut.dataset, cut.parameter)
            for cut in self._described.cuts
            if any(step.tool == "band_average" for step in cut.steps)
        )
        averaged = ignoring_case(r"\b(?:averag\w+|mean)\b").search(self._sentence.text)
        if 1 in means.values() and not averaged:
            raise NotUnderstood(
                "helio draws no lines of only some of the energies",
                advice="leave their range out to draw all as lines, or write 'averaged over' before it for the mean",
            )

    def _has_spectrum(self) -> bool:
        """Return whether the catalogue gives a spectrogram for words of the sentence."""
        entries = ((self._catalogue.dataset(dataset), name) for dataset, name in self._described.datasets)
        drawn = [(entry.parameter(name), entry.title) for entry, name in entries]
        of_vectors = ("components", "magnitude")
        return any(step.tool not in of_vectors for cut in self._described.cuts for step in cut.steps) or any(
            max(parameter.size, default=0) > _LONGEST_VECTOR
            or ignoring_case("spectr").search(f"{parameter.description} {title}")
            for parameter, title in drawn
        )

    def _are_of_few_bins(self, quantities: Sequence[RequestQuantity]) -> bool:
        """Return whether to draw fluxes of few energies as lines, because their axis should be logarithmic.

        For quantities of the table, its first row of a spacecraft stands for all.
        """
        if not _LOG_AXIS.search(" ".join(self._looks)) or _PICTURE.search(self._sentence.text):
            return False
        crafts = {craft for _, craft in self._crafts}
        rows = {
            (row.quantity, row.spacecraft): (row.dataset, row.parameters[0])
            for row in reversed(SOURCES)
            if row.quantity in {quantity.name for quantity in quantities} & {*SPECTRA}
            and row.spacecraft in crafts
        }
        drawn = (*self._described.datasets, *rows.values())
        sizes = [self._catalogue.dataset(dataset).parameter(name).size for dataset, name in drawn]
        spectra = [size for size in sizes if max(size, default=0) > _LONGEST_VECTOR]
        return bool(spectra) and all(len(size) == 1 and size[0] <= _MOST_LINES for size in spectra)

    def _along_axes(self, placed: Placed) -> Placed:
        """Let only the vectors turn to the axes of minimum variance that the sentence names in them: ``B in LMN``."""
        turned = tuple(replace(quantity, frame="") for _, quantity in placed if quantity.frame == LMN)
        if turned:
            self._mentions = tuple(
                replace(mention, computation=replace(mention.computation, of=Lines((), turned)))
                if mention.computation.tool == "minimum_variance"
                else mention
                for mention in self._mentions
            )
        return [
            (start, replace(quantity, frame="") if quantity.frame == LMN else quantity)
            for start, quantity in placed
        ]

    def _request(self) -> tuple[PipelineRequest, NotUnderstood | None, tuple[Unclear, ...]]:
        """Return the request, why it is ambiguous, if it is, and the computations to ask about."""
        sentence = self._sentence
        axes = [
            mention.position for mention in self._mentions if mention.computation.tool == "minimum_variance"
        ]
        frame, placed, unclear_frame = read_frames(
            sentence, self._placed, [at for at in axes if re.match(_LMN, sentence.text[at:])]
        )
        placed = self._along_axes(placed)
        names = {quantity.name for _, quantity in placed}
        vectors = bool(names & {*VECTORS}) and sentence.drop(r"\b(?:3-?d\s+)?vectors?(?=\W|$)") > 0
        lengths = [
            (mention.position, RequestQuantity(ABS_B))
            for mention in self._mentions
            if mention.computation.tool == MAGNITUDE and placed
        ]
        starts = dict(zip(self._described.datasets, self._described.starts, strict=True))
        parameters = [
            (starts.get(pair, sentence.text.find(pair[0])), _names_of(*pair)) for pair in self._datasets
        ]
        cuts = zip(self._described.cut_starts, self._described.cuts, strict=True)
        parameters += [(start, (cut.parameter,)) for start, cut in cuts]
        computed, inputs, taken = derived_from_others(sentence, placed, self._field, self._described.starts)
        if not computed:
            computed, taken = said_computed(sentence.text, placed)
        shown = [(start, quantity) for start, quantity in placed if quantity not in inputs]
        panels = self._arrangement.panels(self._crafts, [*shown, *lengths], parameters)
        shared = [
            tuple(RequestQuantity(name) for pair in pairs for name in _names_of(*pair))
            for pairs in self._described.shared
        ]
        panels = replace(
            panels,
            places=(*panels.places, *(Place(Lines((), names), MIDDLE, shared=True) for names in shared)),
        )
        if any(tool.startswith("power_") for tool in self._tools):
            panels = replace(panels, frequencies=take_frequencies(sentence))
        if self._plane and names == {POSITION}:
            panels = replace(panels, kind="orbits", plane=self._plane)
        drawn = drawn_of(sentence, placed, self._styled, self._crafts)
        if any(quantity.component or quantity.name in VECTORS for quantity in drawn):
            sentence.drop(r"(?:\b(?:all\s+)?(?:three|3)\s+)?\bcomponents?\b")
        if self._described.datasets:
            sentence.drop(r"(?<=\x01 )components?\b")  # H component
        crafts = without_source_of_indices(sentence, self._crafts, placed)
        placed = shown
        drawn = [quantity for quantity in drawn if quantity not in inputs]
        distinct = list(dict.fromkeys(craft for _, craft in crafts))
        if self._turns or (self._is_behind and len(crafts) == len(distinct) == 2):
            crafts = list(enumerate(reversed(distinct)))
        elif self._is_behind and len(drawn) == 2:
            drawn = drawn[::-1]  # lag of AE behind Bz
        by_instrument = measured_by_each(sentence, self._instruments, crafts, drawn)
        drawn = [quantity for quantity in drawn if quantity not in by_instrument]
        computed_at = [mention.position for mention in self._mentions]
        again = named_again(sentence.text, placed, crafts, [*computed_at, *self._arrangement.marks])
        own, unclear = pairs_of(sentence, crafts, [atom for atom in placed if atom not in again], drawn)
        windowless = any(
            mention.computation.tool in APPLIED
            and (APPLIED[mention.computation.tool].argument or mention.computation.tool == "detrend")
            and not mention.computation.window
            for mention in self._mentions
        )
        cadences = take_cadences(sentence, timed=bool(self._times), windowless=windowless)
        again = named_again(sentence.text, placed, crafts, computed_at)
        together = (panels.together or panels.overlaid) and not by_instrument
        described = bool(self._datasets or self._described.cuts)
        named = NamedData(sentence.text, placed, crafts, together, bool(own), described)
        drop_words_for_all(sentence, named)
        raw = self._kept.quantities(placed)
        computed_of = replace(named, placed=[atom for atom in placed if atom[1] not in raw])
        mentions, cadence = with_cadences(self._mentions, cadences, computed_of, self.flown)
        drop_only(sentence, mentions, computed_of)
        mentions = of_named_again(mentions, computed_of)
        mentions, unshared = shared_out(mentions, computed_of)
        if raw or self._kept.rest or self._kept.crafts:
            if not mentions:
                mentions, cadence = averages_to(cadence), None
            mentions = of_the_others(mentions, self._kept, named)
        if panels.split:  # a panel has a component and its mean
            mentions = tuple(over_their_inputs(mentions))
        request = PipelineRequest(
            # missions where the author must choose a spacecraft come last
            spacecraft=tuple(
                sorted(dict.fromkeys(craft for _, craft in crafts), key=families().__contains__)
            ),
            quantities=tuple(drawn),
            own=own,
            from_datasets=self._from_datasets,
            datasets=(*self._datasets, *(pair for pairs in by_instrument.values() for pair in pairs)),
            cuts=self._described.cuts,
            times=self._times,
            frame=frame,
            cadence=cadence,
            modes=self._modes,
            vectors=vectors or ignoring_case(r"\bvectors?\b").search(sentence.text) is not None,
            energies=self._energies,
            instruments=self._instruments,
            units=self._units,
            computed=computed,
            inputs=taken,
            assumed=self._assumed,
            computations=tuple(mention.computation for mention in mentions),
            panels=panels,
            style=RequestedStyle(self._title, self._looks, self._as_lines or self._are_of_few_bins(drawn)),
            exports=self._files.formats,
            saved=self._files.lines,
            saved_count=self._files.count,
            one_file=self._files.one_file,
            file=self._files.name,
            drawn=self._files.drawn,
            name=self._name,
        )
        lost = doubts(
            sentence,
            placed,
            request,
            self._spans,
            mentions,
            self._arrangement,
            self.flown,
            has_raw=bool(raw) or self._kept.rest,
        )
        doubt = unclear_frame or doubt_about_pairs(mentions, named)
        doubt = doubt or doubt_about(mentions, drawn, unclear=unclear) or next(lost, None)
        of_some = 0 < len({quantity for _, quantity in again}) < len(drawn)
        between = unclear_mentions(mentions, request, computed_of.placed, sentence.text, again=of_some)
        open_mentions = unshared or (between if len(drawn) > 1 else ())
        computable = [quantity for quantity in drawn if quantity not in raw]
        return request, doubt, questions_about(open_mentions, computable, placed)


def _plain(text: str) -> str:
    """Write names as the catalogue does, formulas in words, and Bt as B_T beside Br or Bn; alone it is a strength.

    >>> _plain("BR BT BN in 1990"), _plain("Bt and Bz")
    ('BR B_T BN in 1990', 'Bt and Bz')
    """
    text = _without_numbers(text)
    if text != text.upper():
        text = re.sub(r"\bTHE\b", "THEMIS-E", text)
    if re.search(r"\bth[a-d](?:\s*[,&/+]\s*|\s+and\s+)the\b", text):
        raise NotUnderstood(
            "it is not clear whether 'the' names THEMIS-E", advice="write 'THEMIS-E' if it does"
        )
    text = with_symbols_in_words(with_short_names(text))
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    text = with_ratios(with_series(text))
    text = with_words(with_plain_rates(with_crafts(with_each_moment(without_compounds(text)))))
    if _RADIAL.search(text):
        return ignoring_case(r"\bbt\b").sub("B_T", text)
    return text if re.search(r"\bRTN\b", text) else re.sub(r"\bB_t\b", "Bt", text)


def _without_numbers(text: str) -> str:
    """Leave out the numbers of a list, which say its order.

    >>> _without_numbers("1) ACE B 2) ACE density")
    'ACE B, ACE density in this order'
    """
    found = "".join(match[1].lower() for match in _LIST_NUMBER.finditer(text))
    if len(found) < 2 or not ("123456789".startswith(found) or "abcdefghi".startswith(found)):
        return text
    return f"{_LIST_NUMBER.sub(', ', text).strip(' ,')} in this order"


def _names_of(dataset: str, parameter: str) -> tuple[str, ...]:
    """Return the name of a parameter, and that of its quantity in the table."""
    rows = (row for row in SOURCES if (row.dataset, row.parameters) == (dataset, (parameter,)))
    return (parameter, *(row.quantity for row in rows))
