"""Divide a request into the parts of its figure, so that what is said of one part applies to no other part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from operator import or_

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, Panels, PipelineRequest, RequestedStyle, RequestQuantity, in_parts
from helio.authoring.rules.reading.arrangement import BELOW
from helio.authoring.rules.reading.cadences import LENGTH
from helio.authoring.rules.reading.divided_sentences import (
    COMPARE,
    Piece,
    divided,
    listed_things,
    named_data,
    places_of_computations,
    refers_to_others,
    with_numbered_panels,
    without_number_of_panels,
)
from helio.authoring.rules.reading.drawn_quantities import says_look
from helio.authoring.rules.reading.guard import PLACES_FIRST
from helio.authoring.rules.reading.looks import is_of_own_panels, is_same_data, take_looks, take_phrases
from helio.authoring.rules.reading.named import FIELD, names_of_spacecraft, read_quantities, read_spacecraft
from helio.authoring.rules.reading.named_instruments import IN_CAPITALS
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.reading.sentence_reading import Reading, read_request
from helio.authoring.rules.reading.written_form import take_title
from helio.authoring.rules.times.named_times import with_plain_times
from helio.authoring.writing.asking import Asks, no_question
from helio.authoring.writing.computations import MAGNITUDE
from helio.authoring.writing.layout import MIDDLE
from helio.authoring.writing.sources import is_available
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.instrument_index import instrument_index
from helio.knowledge.quantities import ABS_B, VECTOR_V, B, V
from helio.knowledge.quantity_words import INDICES, VECTORS
from helio.patterns import ignoring_case

_OMNIDIRECTIONAL = re.compile(r"\(\s*omni\b[^()]*\)")
"""Words of a spectrogram over all directions, which do not name the spacecraft OMNI."""
_MOMENT = re.compile(r"densit|velocit|speed|temperature|pressure", re.IGNORECASE)
_PANEL_OF_ALL = re.compile(
    r",?\s+(?:all\s+|both\s+)?in\s+(?:one|a\s+single|the\s+same)\s+panel\b", re.IGNORECASE
)
_LEAD = re.compile(r"(?P<lead>[^:;]+):\s")
"""The beginning of a part that may be said of the parts after it: ``SolO EPD HET: protons on top, electrons below``."""
_EMPTY_PANEL = ignoring_case(
    r"\bpanel\s+\d+(?:\s*:|\s+(?!and\b)\w).*(?:;|,?\s\band)\s*(?P<panel>panel\s+\d+)\W*$"
)
"""A number of a panel at the end, of which nothing says what it draws: ``panel 1: Bz; panel 2``."""
_SAME_PANEL = re.compile(r"\bsame\s+(?:panel|plot|axis|axes)\b", re.IGNORECASE)
_SEVERAL_LINES = re.compile(r"\b(?:with|and|its|their|plus|over\s+(?:it|the))\b|[+&,]", re.IGNORECASE)
"""What stands in a thing that is more than one line."""
_OF_BOTH = re.compile(
    r"^both\s+(?:the\s+)?|,\s*both\s+(?=(?:as|averaged|smoothed|hourly|daily)\b|\d)", re.IGNORECASE
)
"""Words of a part that draws two lines: ``both heliocentric distances``, ``n and V, both as daily medians``."""
_OF_BOTH_CRAFT = ignoring_case(
    r"\b(?P<of>of|from|for)\s+both(?:\s+(?:spacecraft|satellites|probes))?"
    rf"(?=\s*(?:$|[,.;:]|(?:{BELOW}|above|on|in|at|with)\b))"
)
"""Words for the two spacecraft that the sentence names before: ``density of both``."""
_STYLED_PARTICLES = re.compile(r"\W*(?:(?:the|electrons|protons|ions|in|as|and)\b\W*)+", re.IGNORECASE)
"""What is left of words that only say how the lines of particles look: ``electrons in red, ions in blue``."""
_DATA_OF_CRAFT = re.compile(
    rf"(?<![\w-])(?:{names_of_spacecraft()})(?:\s+hi\w*[\s-]?res\w*)?\s+(?:{LENGTH}|hourly|daily)(?:\s+data\b|\s*:)"
    rf"|(?:{LENGTH}|\bhourly|\bdaily)\s+(?:{names_of_spacecraft()})\s+data\b",
    re.IGNORECASE,
)
"""The resolution of a spacecraft's data: ``beta from OMNI hi res 5 min data, the Mach number below``."""
_OF_NO_PARTICLES = {B, ABS_B, *INDICES}


@dataclass(frozen=True)
class _Reader:
    """Reader of the parts of one sentence.

    Parameters
    ----------
    times : list of str
        The times of the sentence, which are also those of parts that name none.
    spacecraft : list of str
        The spacecraft of the parts before which no part names one.
    is_panel : bool
        Whether what is read is one panel, and no list of panels.
    """

    catalogue: Catalogue
    now: datetime
    ask: Asks
    times: Sequence[str]
    spacecraft: Sequence[str] = ()
    is_panel: bool = False

    def readings(self, parts: Sequence[str], panels: Sequence[bool] = ()) -> list[Reading] | None:
        """Read each part alone, with the spacecraft of the part before it; None if one of them means nothing alone.

        `panels` says which parts are one panel each.
        """
        named = [
            [craft for _, craft in read_spacecraft(Sentence(_OMNIDIRECTIONAL.sub("", part)))]
            for part in parts
        ]
        every = {craft for crafts in named for craft in crafts}
        indices = [_names_index(part) for part in parts]
        former = [*self.spacecraft]
        former = former or ([*every] if len(every) == 1 else ["OMNI"] if any(indices) and not every else [])
        readings = []
        for part, crafts, is_panel in zip(parts, named, panels or [False] * len(parts), strict=True):
            lead = _LEAD.match(part) if crafts else None
            former = [lead["lead"]] if lead and re.search(IN_CAPITALS, lead["lead"]) else crafts or former
            try:
                reading = replace(self, is_panel=is_panel)._read(part, [] if crafts else former)
            except NotUnderstood:
                return None
            if not reading.is_clear:
                return None
            readings.append(reading)
        return readings

    def _read(self, words: str, former: Sequence[str]) -> Reading:
        """Read a part; if it has no spacecraft, and is not about an index, as words about those of the part before."""
        times = [] if Sentence(take_looks(words, self.now)[0]).take_times(self.now) else self.times
        if not former:
            return self._after(times, words)
        try:
            alone = replace(self, ask=no_question)._after(times, words)
        except NotUnderstood:  # the spacecraft alone may answer the question
            return self._after([*former, *times], words)
        names = [quantity.name for quantity in alone.request.quantities]
        of_itself = alone.request.spacecraft or (names and all(name in INDICES for name in names))
        return alone if of_itself and not alone.unread else self._after([*former, *times], words)

    def _after(self, about: Sequence[str], words: str) -> Reading:
        lead = f"{', '.join(about)}: " if about else ""
        if not self.is_panel and (reading := _listed(f"{lead}{words}", self)):
            return reading
        rest, looks = take_looks(words, self.now)
        text = f"{lead}{rest}"
        reading = self.read(text, looks)
        for rest, phrases in take_phrases(text, reading.unread, self.now) if reading.unread else ():
            again = self.read(rest, (*looks, *phrases))
            if not again.unread and is_same_data(again.request, reading.request):
                return again
        return reading

    def read(self, text: str, looks: Sequence[str] = ()) -> Reading:
        """Read words as one request."""
        return read_request(text, self.catalogue, self.now, self.ask, looks=looks)


def read_parts(text: str, catalogue: Catalogue, now: datetime, ask: Asks) -> Reading | None:
    """Read a request of several parts: ``hourly Bz on top, the density below``, ``hourly Bz and the smoothed density``.

    Each part is read alone, with the spacecraft and the time of the sentence. Return None if there are no such parts,
    if no part has more than data, or if a part means nothing alone.
    """
    if empty := _EMPTY_PANEL.search(text):
        raise NotUnderstood(f"the request does not say what {empty['panel']} draws")
    plain, title = take_title(text)
    plain, notes = with_plain_times(plain, now, ask)
    plain, count = without_number_of_panels(_with_both_named(plain))
    unmarked, _ = take_looks(plain, now)  # a mark has a time of its own
    times = list(dict.fromkeys(Sentence(unmarked).take_times(now)))
    fields = ignoring_case(FIELD).finditer(plain)
    if len(times) > 1 or any(says_look(plain, field.start()) for field in fields):
        return None
    reader = _Reader(catalogue, now, ask, times)
    reading = _stacked(with_numbered_panels(plain), reader) or _listed(plain, reader)
    if reading is None:
        return None
    request = replace(reading.request, style=replace(reading.request.style, title=title))
    if count:
        request = replace(request, panels=replace(request.panels, count=count))
    return replace(reading, request=request, named=tuple(dict.fromkeys((*notes, *reading.named))))


def refuse_computing_other_parts(text: str, request: PipelineRequest) -> None:
    """Refuse a request if only some of its parts say an average, but all its data would be averaged."""
    is_of_all = request.cadence or any(step.of == Lines() for step in request.computations)
    if not is_of_all or request.datasets or request.cuts:
        return  # HPCA O+ density on top, temperature below: a part may need the particles of another
    named: set[RequestQuantity] = set()
    computes: list[bool] = []
    for piece in divided(with_numbered_panels(_with_both_named(text))):
        words = piece.text.rpartition(": ")[2]
        own = {quantity for _, quantity in read_quantities(Sentence(words), magnitude=False)[0]} - named
        if own and not piece.is_heading:
            where = places_of_computations(words)
            is_of_all = (
                not computes and where == {"before"} and ";" not in text
            )  # hourly data of ACE: n on top
            computes.append(bool(where) and not is_of_all)
            if computes[-1] and refers_to_others(words):
                return  # ACE n on top, V below, both hourly
        named |= own
    if any(computes) and not all(computes):
        raise NotUnderstood(
            "it is not clear which parts of the request its averages and computations are for",
            advice="say it of each part, as in 'hourly ACE and Wind Bz on top, hourly ACE and Wind density below'",
        )


def _with_both_named(text: str) -> str:
    """Write the names of two spacecraft for ``both`` behind a quantity.

    >>> _with_both_named("ACE and Wind speed, hourly; density of both below")
    'ACE and Wind speed, hourly; density of ACE and Wind below'
    """

    def named(match: re.Match[str]) -> str:
        before = text[: match.start()]
        crafts = dict.fromkeys(craft for _, craft in read_spacecraft(Sentence(before)))
        is_of_quantity = named_data(re.split(r"[,;:]", before)[-1])
        return f"{match['of']} {' and '.join(crafts)}" if len(crafts) == 2 and is_of_quantity else match[0]

    return _OF_BOTH_CRAFT.sub(named, text)


def _stacked(text: str, reader: _Reader) -> Reading | None:
    """Read parts that stand below each other, because the sentence gives their places or ends each with a semicolon."""
    pieces = divided(text)
    heading = _heading(pieces, reader)
    if heading is not None:
        pieces, reader = pieces[1:], replace(reader, spacecraft=heading.spacecraft)
    words, panels = [piece.text for piece in pieces], [piece.is_panel for piece in pieces]
    if PLACES_FIRST.search(text) or any(_SAME_PANEL.search(piece.text) for piece in pieces[1:]):
        return None  # a place that is not that of the piece behind it, or that of the piece before it
    readings = reader.readings(words, panels) if len(pieces) > 1 else None
    shared = _with_looks(pieces, readings, reader.now) if readings else None
    if not readings or shared is None:
        return None
    drawn, common = shared
    if heading is not None:
        if not _is_headed(drawn, heading):
            return None
        common = (*heading.style.looks, *common)
        drawn = [(piece, _under(heading, request)) for piece, request in drawn]
    elif (":" in pieces[0].text and drawn[0][1].modes) or _DATA_OF_CRAFT.search(pieces[0].text):
        drawn = [(piece, _of_same_data(drawn[0][1], request)) for piece, request in drawn]
    parts = [part for part, _ in drawn]
    requests = _of_one_frame([request for _, request in drawn])
    ranks = [part.rank for part in parts]
    numbers = [rank for rank in ranks if 0 < rank < MIDDLE]
    if all(ranks) and numbers and max(numbers) > len(parts) > 1:
        raise NotUnderstood(
            f"the request names a panel {max(numbers)}, but only {len(parts)} panels",
            advice="number the panels from 1, from top to bottom",
        )
    if any(rank and _names_twice(part, own) for rank, (part, own) in zip(ranks, drawn, strict=True)):
        if any(map(_has_treatment, requests)):
            raise NotUnderstood(
                "it is not clear which of its quantities stand at a place that the request names",
                advice="name each quantity once, as in 'density on top, speed below'",
            )
        return None  # V and n: n first panel, V second panel
    _refuse_looks_ahead(parts, requests)
    pairs = zip(parts, requests, strict=True)
    requests = [_in_one_panel(request) if part.is_panel else request for part, request in pairs]
    if len(requests) < 2 or not all(map(_can_be_part, requests)):
        return None
    if _draw_same(requests):
        requests = [_with_craft(request, reader.now) for request in requests]
    if not _need_no_other(parts, requests, reader.catalogue):
        return None
    has_magnitude = any(step.tool == MAGNITUDE for request in requests for step in request.computations)
    is_plain = not any(_has_treatment(replace(request, style=RequestedStyle())) for request in requests)
    is_moved = not ranks[0] and (1 in ranks or is_plain)  # V and n, n log, V below
    if _name_again(requests) and (has_magnitude or not all(ranks[1:]) or is_moved):
        return None
    if all(ranks) or not any(1 < rank < MIDDLE for rank in ranks):  # not beside a second panel
        order = sorted(range(len(ranks)), key=lambda number: ranks[number] or MIDDLE)
        parts, requests = [parts[number] for number in order], [requests[number] for number in order]
    requests = _with_own_looks(parts, requests, is_bounded=";" in text)
    count = (
        ranks[-1] if 1 < ranks[-1] < MIDDLE and ranks[-1] == max(ranks) else 0
    )  # Bz, V, n in a third panel
    whole = PipelineRequest(panels=Panels(stacked=True, count=count), style=RequestedStyle(looks=common))
    return _joined(whole, requests, readings, reader.times)


def _heading(pieces: Sequence[Piece], reader: _Reader) -> PipelineRequest | None:
    """Return what stands before the label of the first panel, if it is understood and computes nothing."""
    if not pieces or not pieces[0].is_heading:
        return None
    with suppress(NotUnderstood):
        reading = replace(reader, ask=no_question).read(*take_looks(pieces[0].text, reader.now))
        request = reading.request
        is_plain = reading.is_clear and not (request.computations or request.datasets or request.cuts)
        return request if is_plain else None
    return None


def _is_headed(drawn: Sequence[tuple[Piece, PipelineRequest]], heading: PipelineRequest) -> bool:
    """Return whether the panels are as many as their heading says, and draw all that it names."""
    named = {quantity.name for _, request in drawn for quantity in request.quantities}
    above = {quantity.name for quantity in heading.quantities}
    covered = named | ({B} if ABS_B in named else set()) | ({VECTOR_V} if V in named else set())
    return heading.panels.count in (0, len(drawn)) and above <= covered


def _of_same_data(first: PipelineRequest, part: PipelineRequest) -> PipelineRequest:
    """Return a part with the kind of data that the first part names for their spacecraft: ``Helios 1 COHO data: …``."""
    if part.modes or part.spacecraft != first.spacecraft:
        return part
    return replace(part, modes=first.modes, cadence=part.cadence or first.cadence)


def _under(heading: PipelineRequest, part: PipelineRequest) -> PipelineRequest:
    """Return a part with the cadence, the instruments and the frame of its heading, unless it has its own."""
    has_rhythm = part.cadence or any(step.tool == "resample" for step in part.computations)
    instruments = heading.instruments if len(heading.instruments) == 1 else ()
    return replace(
        part,
        cadence=part.cadence if has_rhythm else heading.cadence,
        instruments=part.instruments or instruments,
        frame=part.frame or heading.frame,
        modes=part.modes or heading.modes,
    )


def _with_looks(
    pieces: Sequence[Piece], readings: Sequence[Reading], now: datetime
) -> tuple[list[tuple[Piece, PipelineRequest]], tuple[str, ...]] | None:
    """Return the parts that draw something, with their looks, and the looks of all; None if a look is unclear."""
    common: tuple[str, ...] = ()
    all_as_lines = False
    drawn: list[tuple[Piece, PipelineRequest]] = []
    for piece, reading in zip(pieces, readings, strict=True):
        request, looks = reading.request, reading.request.style.looks
        crafts = {craft for _, craft in read_spacecraft(Sentence(piece.text))}
        if len(crafts) == 1 and any(crafts < {*part.spacecraft} for _, part in drawn):
            (craft,) = crafts  # ACE and Wind speed; ACE red
            looks = tuple(f"{craft} {look}" if not _named_by(look) else look for look in looks)
        if _is_of_all(request) and request.panels != Panels():
            return None  # A; B; overlay
        if not _is_of_all(request):
            lines = max(1, len(request.spacecraft)) * len(request.quantities)
            is_of_two = lines == 2 and len(request.computations) < 2
            words = _OF_BOTH.sub("", piece.text) if is_of_two else piece.text
            if refers_to_others(words) or (
                looks and _STYLED_PARTICLES.fullmatch(take_looks(piece.text, now)[0])
            ):
                return None
            drawn.append((piece, request))
        elif request.style.as_lines:
            all_as_lines = True
            common += looks
        elif refers_to_others(piece.text) or not (
            any(is_of_own_panels(look, now) for look in looks) or _name_same(looks, drawn)
        ):
            common += looks
        elif drawn:  # hourly Bz on top, density below, log axis
            last, former = drawn.pop()
            style = replace(former.style, looks=(*former.style.looks, *looks))
            drawn.append((last, replace(former, style=style)))
        else:
            return None
    if all_as_lines:
        drawn = [(piece, replace(part, style=replace(part.style, as_lines=True))) for piece, part in drawn]
    return drawn, common


def _name_same(looks: Sequence[str], drawn: Sequence[tuple[Piece, PipelineRequest]]) -> bool:
    """Return whether looks name lines to which a part has given a look: ``V, ACE red; n below, ACE green``."""
    given = [_named_by(look) for _, request in drawn[:-1] for look in request.style.looks]
    return any(_named_by(look) & names for look in looks for names in given)


def _with_own_looks(
    parts: Sequence[Piece], requests: Sequence[PipelineRequest], *, is_bounded: bool
) -> list[PipelineRequest]:
    """Say which panel the look of a line is for, if the panels are labelled or two of them have looks of that line.

    Without semicolons, the looks of the last of the labelled panels are for all.
    """
    named = [{look: _named_by(look) for look in request.style.looks} for request in requests]
    drawn = [
        _named_by(part.text) | {*request.spacecraft} for part, request in zip(parts, requests, strict=True)
    ]
    labelled = all(part.is_panel for part in parts)

    def own(number: int, look: str) -> str:
        names = named[number][look]
        others = [at for at in range(len(parts)) if at != number and names & drawn[at]]
        again = any(names & other for at in others for other in named[at].values())
        is_last = number == len(parts) - 1
        if not others or "panel" in look.split() or not (again or (labelled and (is_bounded or not is_last))):
            return look
        above = zip(parts[: number + 1], requests[: number + 1], strict=True)
        if not all(_is_one_panel(part, request) for part, request in above):
            raise NotUnderstood(
                f"it is not clear which panel '{look}' is for",
                advice=f"leave it out, then edit the figure: '{look} in panel {number + 1}'",
            )
        return f"{look} in panel {number + 1}"

    return [
        replace(request, style=replace(request.style, looks=tuple(own(number, look) for look in looks)))
        for number, (request, looks) in enumerate(zip(requests, named, strict=True))
    ]


def _named_by(words: str) -> set[str]:
    """Return the spacecraft and the quantities that words name."""
    sentence = Sentence(words)
    crafts = {craft for _, craft in read_spacecraft(sentence)}
    placed, _ = read_quantities(sentence, magnitude=False)
    return crafts | {f"{quantity.name} {quantity.component}" for _, quantity in placed}


def _is_one_panel(part: Piece, request: PipelineRequest) -> bool:
    """Return whether a part surely draws one panel."""
    is_plain = not (request.datasets or request.cuts or request.own or request.computations)
    return part.is_panel or (is_plain and len(request.quantities) == 1)


def _in_one_panel(request: PipelineRequest) -> PipelineRequest:
    """Return a part that draws all its lines in the panel whose place it gives."""
    lines = len(request.quantities) * max(1, len(request.spacecraft)) + len(request.datasets)
    beside = any(step.beside or step.tool == MAGNITUDE for step in request.computations)
    if request.panels != Panels() or lines + beside < 2:
        return request
    computations = tuple(replace(step, behind=step.beside) for step in request.computations)
    return replace(request, panels=Panels(together=True), computations=computations)


def _names_twice(part: Piece, request: PipelineRequest) -> bool:
    """Return whether a place may be that of one quantity of a part alone: ``V and n, n on top``."""
    if len(request.spacecraft) > 1 or _has_treatment(request):
        return False
    placed = [quantity for _, quantity in read_quantities(Sentence(part.text), magnitude=False)[0]]
    return len({*placed}) < len(placed)


def _refuse_looks_ahead(parts: Sequence[Piece], requests: Sequence[PipelineRequest]) -> None:
    """Refuse the look of a quantity of an earlier part at the begin of a part: ``V dashed, SYM-H in third panel``."""
    named = set[tuple[str, str]]()
    for part, request in zip(parts, requests, strict=True):
        first, comma, others = part.text.partition(",")
        sentence = Sentence(first)
        placed, _ = read_quantities(sentence, magnitude=False)
        own = {(quantity.name, quantity.component) for _, quantity in placed}
        has_look = sentence.left.strip("\x01 ")
        if part.rank and own and own <= named and has_look and comma and named_data(others):
            raise NotUnderstood(
                f"helio does not understand which panel draws '{first}'",
                advice="write the look of a line in brackets: 'V (dashed)'",
            )
        named |= {(quantity.name, quantity.component) for quantity in request.quantities}


def _need_no_other(parts: Sequence[Piece], requests: Sequence[PipelineRequest], catalogue: Catalogue) -> bool:
    """Return whether parts say more than data, and none needs the particles of another: ``O+ density, temperature``."""
    own = zip(parts, requests, strict=True)
    apart = [_is_apart(part, request, catalogue) for part, request in own]
    described = [bool(request.datasets or request.cuts) for request in requests]
    if not any(map(_has_treatment, requests)):
        by_craft = any(part.rank for part in parts) and _draw_same(requests)
        return by_craft or all(part.is_panel for part in parts) or (any(described) and all(apart))
    has_moment = any(
        is_described and _MOMENT.search(part.text)
        for part, is_described in zip(parts, described, strict=True)
    )
    return not has_moment or all(map(or_, apart, described))


def _draw_same(requests: Sequence[PipelineRequest]) -> bool:
    """Return whether each part draws the same quantities of a spacecraft that no other part draws."""
    crafts = [request.spacecraft for request in requests]
    is_same = len({request.quantities for request in requests}) == 1
    return is_same and len({*crafts}) == len(crafts) and all(len(names) == 1 for names in crafts)


def _with_craft(request: PipelineRequest, now: datetime) -> PipelineRequest:
    """Name the spacecraft in each look that names a line, because other parts have lines of that name."""
    (craft,) = request.spacecraft
    looks = [look if is_of_own_panels(look, now) else f"{craft} {look}" for look in request.style.looks]
    return replace(request, style=replace(request.style, looks=tuple(looks)))


def _listed(text: str, reader: _Reader) -> Reading | None:
    """Read a list in which no thing can have a computation of another thing."""
    things = _without_panel_of_all(listed_things(text, reader.now))
    readings = reader.readings(things) if len(things) > 1 else None
    if not readings:
        return None
    requests = _of_one_frame([reading.request for reading in readings])
    if not all(map(_can_be_part, requests)) or _name_again(requests):
        return None
    with suppress(NotUnderstood):
        whole = reader.read(*take_looks(text, reader.now))
        if whole.is_clear and _draws_other_data(whole.request, requests):
            return None
        looks = [look for request in requests for look in request.style.looks]
        if not whole.unread and not any(is_of_own_panels(look, reader.now) for look in looks):
            common = replace(whole.request, style=replace(whole.request.style, looks=()))
            return _joined(common, requests, readings, reader.times)
    if any(request.panels != Panels() for request in requests):
        return None
    panels = Panels(compare=True) if COMPARE.search(text) else Panels(stacked=True)
    return _joined(PipelineRequest(panels=panels), requests, readings, reader.times)


def _without_panel_of_all(things: list[str]) -> list[str]:
    """Leave ``in one panel`` out of the last thing of a list, if it is one line and the panel can only be that of all.

    As in ``ACE |B| as 5 min medians and Wind |B| as 10 min means in one panel``.
    """
    tails = [_PANEL_OF_ALL.search(thing) for thing in things]
    last = tails[-1] if tails else None
    if last is None or any(tails[:-1]) or _SEVERAL_LINES.search(things[-1][: last.start()]):
        return things
    return [*things[:-1], _PANEL_OF_ALL.sub("", things[-1])]


def _joined(
    common: PipelineRequest,
    requests: Sequence[PipelineRequest],
    readings: Sequence[Reading],
    times: Sequence[str],
) -> Reading:
    """Return a reading of a figure of several parts; a name or a file that a part names is that of the figure."""
    every = [reading.request for reading in readings]
    files = next((request for request in every if request.exports or not request.drawn), every[0])
    request = replace(
        common,
        own=(),
        times=tuple(times),
        exports=files.exports,
        saved=files.saved if files.exports else Lines(),
        saved_count=files.saved_count,
        one_file=files.one_file,
        file=files.file,
        drawn=files.drawn,
        name=next((request.name for request in every if request.name), ""),
    )
    parts = [replace(own, exports=(), saved=Lines(), file="", name="", times=()) for own in requests]
    notes = dict.fromkeys(note for reading in readings for note in reading.named)
    return Reading(in_parts(request, parts), (), None, tuple(notes))


def _of_one_frame(requests: Sequence[PipelineRequest]) -> list[PipelineRequest]:
    """Give vectors without a frame the only one that the other parts name, if there are such data."""
    named = {request.frame for request in requests} | {
        quantity.frame for request in requests for quantity in request.quantities
    }
    frames = named - {""}
    if len(frames) != 1:
        return [*requests]
    (frame,) = frames

    def framed(quantity: RequestQuantity, crafts: Sequence[str]) -> RequestQuantity:
        is_vector = quantity.component or quantity.name in VECTORS
        fits = is_vector and not quantity.frame and is_available(quantity, crafts, frame)
        return replace(quantity, frame=frame) if fits else quantity

    return [
        replace(own, quantities=tuple(framed(quantity, own.spacecraft) for quantity in own.quantities))
        if not own.frame
        else own
        for own in requests
    ]


def _names_index(words: str) -> bool:
    placed, _ = read_quantities(Sentence(words), magnitude=False)
    return any(quantity.name in INDICES for _, quantity in placed)


def _draws(request: PipelineRequest) -> bool:
    return bool(request.quantities or request.own or request.datasets or request.cuts)


def _is_apart(part: Piece, request: PipelineRequest, catalogue: Catalogue) -> bool:
    """Return whether a part names its instrument, or draws OMNI, a field or an index, and so needs no other part."""
    names = {quantity.name for quantity in request.quantities}
    is_plain = bool(names) and names <= _OF_NO_PARTICLES and not (request.datasets or request.cuts)
    is_plain |= request.spacecraft == ("OMNI",)
    return is_plain or bool(instrument_index(catalogue).named_in(part.text.split()))


def _has_treatment(request: PipelineRequest) -> bool:
    """Return whether a request says more than what to draw of which spacecraft."""
    return bool(
        request.computations
        or request.cadence
        or request.frame
        or request.modes
        or request.energies
        or request.units
        or request.computed
        or request.style.looks
        or request.panels.together
        or any(quantity.frame for quantity in request.quantities)
        or any(map(_has_treatment, request.parts))
    )


def _name_again(requests: Sequence[PipelineRequest]) -> bool:
    """Return whether a part names only what another part names too: ``Bz and V, smooth V over 10 min``."""
    named: set[tuple[str, str, str]] = set()
    looks: list[set[tuple[str, str, str]]] = []  # of parts that only say how a line or a panel looks
    for request in requests:
        crafts = request.spacecraft or ("",)
        own = {
            ("" if quantity.name in INDICES else craft, quantity.name, quantity.component)
            for craft in crafts
            for quantity in request.quantities
        }
        says_looks = request.style.looks and not _has_treatment(replace(request, style=RequestedStyle()))
        vectors = {(craft, name, "") for craft, name, _ in named} if says_looks else set()  # Vx; V in red
        if own and (own <= named | vectors or any(look < own for look in looks)):
            return True
        named |= own
        if says_looks:
            looks.append(own)
    return False


def _draws_other_data(whole: PipelineRequest, parts: Sequence[PipelineRequest]) -> bool:
    """Return whether a request draws other data than its parts: in ``beta, 15 s field`` the field is that of beta."""
    drawn = {quantity.name for part in parts for quantity in part.quantities}
    return {quantity.name for quantity in (*whole.quantities, *(own for _, own in whole.own))} != drawn


def _is_of_all(request: PipelineRequest) -> bool:
    """Return whether words only say when, of which spacecraft, or how to save and to mark: ``ACE, May 2010``."""
    unmarked = replace(request, style=replace(request.style, looks=()))
    return not (_draws(request) or _has_treatment(unmarked))


def _can_be_part(request: PipelineRequest) -> bool:
    """Return whether a request draws series over time, in panels that can stand below others."""
    panels = request.panels
    return _draws(request) and not (panels.kind or panels.side or panels.count or panels.lines)
