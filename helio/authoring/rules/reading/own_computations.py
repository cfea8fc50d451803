"""Give computations and cadences to the quantities that they stand beside, where a sentence names several."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Lines, RequestQuantity
from helio.authoring.rules.changes.atoms import COUNT, COUNTED
from helio.authoring.rules.computations.computed import OVERLAID, in_brackets
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.reading.named import Placed, names_of_spacecraft
from helio.authoring.rules.reading.named_instruments import Crafts, read_instruments
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.writing.computations import APPLIED, R_SQUARED
from helio.authoring.writing.steps import duration
from helio.interval import interval_of
from helio.knowledge.cadence import FINEST
from helio.knowledge.quantity_words import INDICES
from helio.patterns import ignoring_case

_CUTS = (r"[,;+&]|\.\s|:\s(?=(?!hour|dai)[a-z|]+\s(?:smooth|averag)ed\b)|\b(?:and|plus)\b", r"[,;]|\.\s")
"""What stands between parts of a sentence: first try the smallest parts."""
_CLAUSE = r"[,;:]|\.\s|\bthen\b"
"""What stands between clauses, of which a later one may say what becomes of a quantity."""
_PLAIN_WORDS = re.compile(
    r"(?:(?!(?:and|from|of|at|in|by|with|plus|minus|vs)\b)[\w|.*-]+\s+)+", re.IGNORECASE
)
"""A quantity and what belongs to its name, up to a word directly behind it."""
_NEXT = re.compile(r"[,;+&]|\b(?:and|plus|with|over|or)\b", re.IGNORECASE)
_LISTED = re.compile(
    r"(?:\band|\bvs\.?|\bversus|[,&+])\s+(?:(?:an?|the)\s+)?(?:\d+[\s-]*\w+[\s-]+)?$", re.IGNORECASE
)
"""What stands directly before the next computation of a list."""
_RESULT = re.compile(r"\b(?:then|afterwards|subsequently|finally)\b", re.IGNORECASE)
"""Words before a computation that takes the result of the one before it."""
_JOINED = re.compile(
    r"(?:\b(?:and|plus|with|(?:below|beneath|underneath)(?:\s+(?:it|them))?,?)|[+&])\s+(?:also\s+)?(?:an?\s+|the\s+)?$",
    re.IGNORECASE,
)
ITS = re.compile(r"\bits\s+(?:own\s+)?$", re.IGNORECASE)
"""What stands before a computation of the quantity that the sentence has just named: ``SYM-H and its 3 h mean``."""
_MINUS_ITS = re.compile(r"(?:minus|less|without)\s+its\b", re.IGNORECASE)
ITS_AVERAGE = re.compile(r"\bits\s[^,;]*\b(?:means?|averages?|medians?)\b[^,;]*$", re.IGNORECASE)
"""What stands before ``on top`` or ``overlaid`` of a line that is drawn over its input."""
_OF_FORMER = re.compile(
    r"(?:[\d.]+[\s-]*[a-z]+|hourly|daily)(?:\s+(?:data|resolution|cadence|averages?|means?|values))*\s*[,)]\s*(?:and|plus|with)\b",
    re.IGNORECASE,
)
"""A cadence between commas, which is that of what stands before it: ``B, 1 minute data, and density``."""
_FROM_INSTRUMENT = re.compile(
    r"(?<![\w.-])(?P<length>(?:[\d.]+[\s-]*[a-z]+|hourly|daily)[\s-]+)(?P<name>(?-i:[A-Z][A-Z\d-]+))\b"
    r"(?!\s*(?:and\b|[&+/]))",
    re.IGNORECASE,
)
"""A cadence of the data of one instrument: ``from the 1-minute MAG data``, ``16-s MFI |B|``."""
_BEFORE_CRAFT = re.compile(r"(?:[,;&+]|\b(?:and|plus|with|from|versus|vs\.?))\s*(?:the\s+)?$", re.IGNORECASE)
"""What stands before the cadence of a later spacecraft: ``HET of Solar Orbiter, hourly HET of PSP``."""
_ALONE = re.compile(
    rf"(?<![\w-])(?:{names_of_spacecraft()})\s+(?:is\s+|as\s+|with\s+)?(?:an?\s+)?$", re.IGNORECASE
)
"""A spacecraft directly before its computation."""
_WISH = re.compile(
    r"[.;]\s|\b(?P<over>over-?plot|overlay|superimpose|add)(?:ting|ing)?\s|\b(?:smooth|average|filter)\s",
    re.IGNORECASE,
)
"""What begins a wish about lines that the sentence named before it: ``overplot the density with its median``."""
_ALSO = re.compile(r"\b(?:also|too|as\s+well|plus|same\s+panel)\b", re.IGNORECASE)
_LAID = re.compile(r"\b(?:over-?plot|overla[iy]|superimpos|superpos)", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:as(?!\s+well)|instead|only|alone)\b", re.IGNORECASE)
_OF_OTHER_QUANTITIES = (
    "cumulative_integral",
    "derivative",
    "power_spectrogram",
    "power_spectrum",
    "statistics",
    "wavelet_spectrum",
)
"""Tools whose results are other quantities, so that they leave their inputs in the figure."""
_OF_ALL = (
    rf"(?:(?<=\bfor )|(?<=\bof ))(?:all|the|these|all\s+the)\s+(?P<count>{COUNT})(?=\s*(?:$|[,.;:)]))"
    r"|(?<=\x01 )each(?=\s*(?:$|[,.;:)]))"
)
"""Words behind a computation of all that the sentence names: ``10 min means for all three``, ``10 min means each``."""
_COLOURED = re.compile(r"\bcolou?r(?:ed|-coded)?\s+(?:by|with)\b", re.IGNORECASE)
"""What stands before the quantity that gives the colours of points, which is no later member of a list."""
_FIRST_FACTOR = re.compile(r"[\w|.-]+(?:\s+[\w|.-]+){0,3}\s*", re.IGNORECASE)
"""The one quantity directly before a factor: ``|B| times r squared versus the latitude``."""

Mentions = tuple[ComputationMention, ...]


@dataclass(frozen=True)
class NamedData:
    """What a sentence names: its text, its quantities and its spacecraft with their positions."""

    text: str
    placed: Placed
    crafts: Crafts
    together: bool
    pairs: bool = False
    """Whether each spacecraft has quantities of its own."""
    described: bool = False
    """Whether it names data that only the catalogue describes, too."""

    def quantities(self, start: int = 0, stop: int | None = None) -> tuple[RequestQuantity, ...]:
        """Return the quantities that stand between two positions."""
        within = range(start, len(self.text) + 1 if stop is None else stop)
        return tuple(dict.fromkeys(quantity for at, quantity in self.placed if at in within))

    def crafts_in(self, start: int, stop: int) -> tuple[str, ...]:
        return tuple(craft for at, craft in self.crafts if at in range(start, stop))

    @property
    def has_several_crafts(self) -> bool:
        return len({craft for _, craft in self.crafts}) > 1

    @property
    def has_several(self) -> bool:
        """Return whether the sentence names several quantities or several spacecraft."""
        return len(self.quantities()) > 1 or self.has_several_crafts

    def parts(self, cut: str) -> list[tuple[int, int]]:
        """Return where the parts of the sentence that name quantities begin and end."""
        return [part for part in self.all_parts(cut) if self.quantities(*part)]

    def all_parts(self, cut: str) -> list[tuple[int, int]]:
        """Return where the parts of the sentence begin and end."""
        cuts = [0, *(match.end() for match in ignoring_case(cut).finditer(self.text)), len(self.text) + 1]
        return [*pairwise(cuts)]

    def part_at(self, position: int) -> tuple[RequestQuantity, ...]:
        """Return the quantities of the smallest part of the sentence around a position."""
        return next((self.quantities(*part) for part in self.parts(_CUTS[0]) if position in range(*part)), ())

    def clause_at(self, position: int) -> tuple[int, int]:
        """Return where the clause around a position begins and ends; zeros before the sentence."""
        return next((part for part in self.all_parts(_CLAUSE) if position in range(*part)), (0, 0))

    def again_at(self, position: int) -> Lines:
        """Return the lines that the clause around a position names again, if they are only some of all."""
        start, stop = self.clause_at(position)
        quantities, crafts = self.quantities(start, stop), self.crafts_in(start, stop)
        if not ({*quantities} <= {*self.quantities(0, start)} and {*crafts} <= {*self.crafts_in(0, start)}):
            return Lines()
        is_of_some = {*quantities} < {*self.quantities()}
        is_of_some_crafts = {*crafts} < {craft for _, craft in self.crafts}
        return Lines(crafts if is_of_some_crafts else (), quantities if is_of_some else ())


def drop_words_for_all(sentence: Sentence, named: NamedData) -> None:
    """Remove words that a computation is of all, if their number is that of the quantities or the spacecraft."""
    counts = {len(named.quantities()), len({craft for _, craft in named.crafts})}
    for match in list(sentence.take(ignoring_case(_OF_ALL))):
        if COUNTED.get((match["count"] or "").casefold(), max(counts)) not in counts - {1}:
            sentence.put_back(*match.span())


def drop_only(sentence: Sentence, mentions: Mentions, named: NamedData) -> None:
    """Remove ``only`` where a clause computes something of lines named before: ``a running mean on ACE only``."""
    clauses = [
        named.clause_at(at) for mention in mentions if named.again_at(at := mention.position) != Lines()
    ]
    for match in list(sentence.take(r"\b(?:only|alone)\b")):
        if not any(start <= match.start() < stop for start, stop in clauses):
            sentence.put_back(*match.span())


def of_named_again(mentions: Mentions, named: NamedData) -> Mentions:
    """Give computations the lines that their clauses name again: ``B and n, B with a running mean``."""
    of_own = []
    for mention in mentions:
        own = named.again_at(mention.position)
        is_open = mention.computation.tool in APPLIED and mention.computation.of == Lines()
        if own != Lines() and is_open and not _of_later_wish(mention, named):
            of = _of_clause(mention, mentions, own, named)
            mention = _added(mention, of, named, *named.clause_at(mention.position))
        of_own.append(mention)
    return tuple(of_own)


def _added(
    mention: ComputationMention, of: Lines, named: NamedData, start: int, stop: int, *, over: bool = False
) -> ComputationMention:
    """Return a computation of lines that a clause names again, which stay if it says so, or names another quantity."""
    text, tool = named.text[start:stop], mention.computation.tool
    is_noun = bool(named.quantities(mention.position, stop)) and not _INSTEAD.search(text)
    over |= tool in OVERLAID and _LAID.search(text) is not None
    over |= is_noun and tool in OVERLAID and _ALSO.search(text) is not None
    computation = replace(mention.computation, of=of)
    if over or (is_noun and tool in _OF_OTHER_QUANTITIES and not mention.only):
        computation = replace(computation, beside=False, of_data=True, behind=over)
    return replace(mention, computation=computation, partial=False)


def _of_clause(mention: ComputationMention, mentions: Mentions, own: Lines, named: NamedData) -> Lines:
    """Give each of several computations of a clause its part: ``V smoothed over 10 min and T smoothed over 1 h``."""
    clause = named.clause_at(mention.position)
    of = {named.part_at(step.position) for step in mentions if named.clause_at(step.position) == clause}
    if len(of) < 2 or sorted(chain(*of), key=repr) != sorted(own.quantities, key=repr):
        return own
    return replace(own, quantities=named.part_at(mention.position))


def with_cadences(
    mentions: Mentions, cadences: Sequence[tuple[int, float]], named: NamedData, flown: Crafts
) -> tuple[Mentions, float | None]:
    """Return the cadence of all data; several cadences, or one of some data alone, are computations.

    Parameters
    ----------
    flown : list
        All spacecraft of the sentence, also those of data that only the catalogue describes.
    """
    mentions = tuple(_beside_cadence(mention, cadences, named.text) for mention in mentions)
    if len(cadences) == 1 and (lines := _own_lines(cadences[0][0], named, flown)):
        ((at, seconds),) = cadences
        return (*mentions, *averages_to(seconds, at, of=lines)), None
    lengths = {seconds for _, seconds in cadences}
    averages = [mention.position for mention in mentions if mention.computation.tool == "resample"]
    is_beside = averages and any(_JOINED.search(named.text[:at]) for at in (*averages, *dict(cadences)))
    is_of_one = [_is_of_later(at, named) or _is_of_listed(at, named) for at, _ in cadences]
    is_own = [_is_bracketed(at, named) or named.again_at(at) != Lines() for at, _ in cadences]
    of_each = len(cadences) >= len(named.quantities()) > 1  # VBs hourly, Dst hourly
    if len(lengths) < 2 and not is_beside and (of_each or not any((*is_own, *is_of_one))):
        return mentions, min(lengths, default=None)
    own = chain.from_iterable(
        averages_to(seconds, at, partial=partial)
        for (at, seconds), partial in zip(cadences, is_of_one, strict=True)
    )
    return (*mentions, *own), None


def averages_to(
    seconds: float | None, at: int = -1, *, of: Lines = Lines(), partial: bool = False
) -> Mentions:
    """Return the mention of averages to a cadence, for data that have a finer one; none for the finest cadence."""
    if seconds is None or seconds == FINEST:
        return ()
    computation = Computation("resample", duration(seconds), "mean", of=of, if_finer=True)
    return (ComputationMention(computation, at, partial),)


def _beside_cadence(
    mention: ComputationMention, cadences: Sequence[tuple[int, float]], text: str
) -> ComputationMention:
    """Draw the data, too, where a list names them before their running mean: ``|B|, hourly & 25 day running mean``."""
    stop = max(mention.position, 0)
    is_listed = any(re.fullmatch(r"[\w-]+\s+(?:and|&|\+)\s+", text[at:stop]) for at, _ in cadences)
    if not is_listed or not mention.computation.tool.startswith("running_"):
        return mention
    return replace(mention, computation=replace(mention.computation, beside=True, behind=True))


def _own_lines(at: int, named: NamedData, flown: Crafts) -> Lines | None:
    """Return the lines of a cadence that is not that of all data; None if it may be that of all."""
    text = named.text
    if own := _of_instrument(at, named, flown):
        return Lines((), own)
    former, later = named.quantities(0, at), named.quantities(at)
    if former and later and re.search(r"[,(]\s*$", text[:at]) and _OF_FORMER.match(text, at):
        again = {*former} & {*later}
        return Lines(tuple(dict.fromkeys(craft for start, craft in flown if again and start < at)), former)
    end = re.compile(r"[,;]|$").search(text, at)
    stop = end.start() if end else len(text)
    before = {craft for start, craft in flown if start < at}
    behind = {craft for start, craft in flown if at < start < stop}
    if before and behind and not behind & before and _BEFORE_CRAFT.search(text[:at]):
        return Lines(tuple(sorted(behind)))
    return None


def _of_instrument(at: int, named: NamedData, flown: Crafts) -> tuple[RequestQuantity, ...]:
    """Return the quantities of a cadence that is that of their instrument: ``|B| from 1 min MAG data, PAS density``."""
    text = named.text
    source = next((match for match in _FROM_INSTRUMENT.finditer(text) if match.start("length") == at), None)
    if source is None or source.start("name") in dict(flown):
        return ()
    for cut in (_CLAUSE, _CUTS[0]):
        own: tuple[RequestQuantity, ...] = ()
        others, begin = set[str](), 0
        for start, stop in named.all_parts(cut):
            measured_by = {*read_instruments(Sentence.masked(text[start:stop]))} - {source["name"]}
            if at in range(start, stop):
                own = () if measured_by else named.quantities(begin, stop)
            elif source["name"] in text[start:stop]:
                return ()
            elif not measured_by:
                continue  # density, speed and T from hourly SWEPAM data
            elif named.quantities(begin, stop):
                others |= measured_by
            begin = stop
        if own and others and {*own} < {*named.quantities()}:
            return own
    return ()


def _is_of_later(at: int, named: NamedData) -> bool:
    """Return whether a word stands directly before a later quantity of a list: ``density and hourly speed``."""
    behind = named.quantities(at)
    return bool(named.quantities(0, at) and behind and _JOINED.search(named.text[:at]))


def _is_of_listed(at: int, named: NamedData) -> bool:
    """Return whether a word stands directly behind one quantity of a list: ``density, speed hourly, temperature``."""
    before = [atom for atom in named.placed if atom[0] < at]
    behind = {
        quantity
        for start, quantity in named.placed
        if start > at and not _COLOURED.search(named.text[at:start])
    }
    if not before or behind <= {before[-1][1]}:
        return False
    former = before[-1][1]
    if not former.component and {quantity.name for quantity in behind} == {former.name}:
        return False  # the field at 16 s, Bx, By and Bz
    return _PLAIN_WORDS.fullmatch(named.text, before[-1][0], at) is not None


def _is_bracketed(at: int, named: NamedData) -> bool:
    """Return whether a word in brackets stands before further quantities: ``density (hourly) and speed``."""
    opened = named.text.rfind("(", 0, at)
    closed = named.text.find(")", at)
    says_data = (
        named.crafts_in(opened, closed) and not named.has_several_crafts
    )  # angle (hourly OMNI) and speed
    return in_brackets(named.text, at) and bool(named.quantities(at)) and not says_data


def shared_out(mentions: Mentions, named: NamedData) -> tuple[Mentions, Mentions]:
    """Say which quantities each computation takes, if the sentence names several of one tool, or one for a quantity.

    Returns
    -------
    tuple
        The mentions, and those of which it is not clear what they take.
    """
    mentions = tuple(_of_first_factor(mention, named) for mention in mentions)
    found = _of_brackets(mentions, named) or _of_own_parts(mentions, named)
    if found is None:
        return mentions, mentions
    others = [mention for mention in mentions if id(mention) not in found]
    laid = max((mention.position for mention in others if mention.computation.tool in OVERLAID), default=-1)
    for tools in _alike_tools(others, named):
        tool = tools[0]
        alike = [
            mention
            for mention in others
            if mention.computation.tool in tools and mention.computation.of == Lines()
        ]
        if tool not in APPLIED or not named.placed or not alike:
            continue
        if len({mention.computation for mention in alike}) == 1 or not APPLIED[tool].argument:
            own = [_of_objects(mention, named, is_laid=mention.position == laid) for mention in alike]
        else:
            parts = _of_parts(alike, named) if named.has_several else None
            if parts is None and (len(named.quantities()) > 1 or named.described):
                return mentions, tuple(alike)
            own = parts or _of_crafts(alike, named) or _of_data(alike, named.text)
        found |= {id(before): after for before, after in zip(alike, own, strict=True)}
    shared = (found.get(id(mention), mention) for mention in mentions)
    return tuple(_of_data_alone(shared, named.text)), ()


def doubt_about_pairs(mentions: Mentions, named: NamedData) -> NotUnderstood | None:
    """Return an error if a computation of all lines stands between spacecraft that have quantities of their own."""
    within = [mention for mention in mentions if named.pairs and _is_within(mention, named)]
    if not within:
        return None
    tool = within[0].computation.tool.replace("_", " ")
    return NotUnderstood(
        f"it is not clear for which spacecraft to compute the {tool}",
        advice="first request the data, then change the pipeline: 'smooth the density of Wind over 10 min'",
    )


def _of_last(mention: ComputationMention, named: NamedData) -> ComputationMention | None:
    """Give a computation the last quantity of a list, if it stands directly before it: ``Bz and, below, hourly V``."""
    at = max(mention.position, 0)
    before, behind = named.quantities(0, at), named.quantities(at)
    if not before or len(behind) != 1 or behind[0] in before or named.has_several_crafts:
        return None
    start = max(start for start, _ in named.placed)
    is_direct = not _NEXT.search(named.text[at:start])
    return _of_lines(mention, Lines((), behind)) if is_direct else None


def _of_first_factor(mention: ComputationMention, named: NamedData) -> ComputationMention:
    """Give the square of the distance the first quantity of the sentence, if it stands directly behind it alone."""
    before = [start for start, _ in named.placed if start < mention.position]
    is_own = len(before) == 1 and _FIRST_FACTOR.fullmatch(named.text, before[0], mention.position)
    if mention.computation.tool != R_SQUARED or not is_own or not named.quantities(mention.position):
        return mention
    return _of_lines(mention, Lines((), named.quantities(0, mention.position)))


def _alike_tools(mentions: Sequence[ComputationMention], named: NamedData) -> list[tuple[str, ...]]:
    """Group the tools of computations: averages that are listed, as ``median and mean of Bz``, are of the same data."""
    tools = tuple(dict.fromkeys(mention.computation.tool for mention in mentions))
    averages = tuple(tool for tool in tools if tool in OVERLAID)
    starts = sorted(mention.position for mention in mentions if mention.computation.tool in averages)
    listed = all(
        not named.quantities(first, second) and _LISTED.search(named.text[first:second])
        for first, second in pairwise(starts)
    )
    if len(averages) < 2 or not listed or named.has_several:
        return [(tool,) for tool in tools]
    return [averages, *((tool,) for tool in tools if tool not in averages)]


def _is_within(mention: ComputationMention, named: NamedData) -> bool:
    """Return whether a computation of all lines stands between a spacecraft and its quantity, or between pairs."""
    computation = mention.computation
    ends = [at for at, _ in (*named.placed, *named.crafts)]
    is_of_all = computation.tool in APPLIED and computation.of == Lines()
    return is_of_all and min(ends) < mention.position < max(ends)


def _of_brackets(mentions: Mentions, named: NamedData) -> dict[int, ComputationMention]:
    """Give computations in brackets the quantities before them: ``density (5 min median) and Bz``."""
    bracketed = [mention for mention in mentions if in_brackets(named.text, mention.position)]
    if not any(_is_bracketed(mention.position, named) for mention in bracketed):
        return {}
    return {
        id(mention): _of_lines(mention, Lines((), named.quantities(0, mention.position)[-1:]))
        for mention in bracketed
    }


def _of_own_parts(mentions: Mentions, named: NamedData) -> dict[int, ComputationMention] | None:
    """Give computations what their parts of the sentence name: ``hourly mean density and derivative of Bz``.

    The parts have other computations, or one quantity of several spacecraft: ``|B| of PSP and hourly |B| of Wind``.
    None if it is not clear what the computations take.
    """
    parts = named.parts(_CUTS[0])
    mentioned = {
        part: [mention for mention in mentions if mention.position in range(*part)] for part in parts
    }
    own = [part for part in parts if mentioned[part]]
    is_plain = all(
        mention.computation.tool in APPLIED and mention.computation.of == Lines() for mention in mentions
    )
    if not is_plain or sum(map(len, mentioned.values())) != len(mentions) or _RESULT.search(named.text):
        return {}
    quantities = [named.quantities(*part) for part in parts]
    crafts = [named.crafts_in(*part) for part in parts]
    is_later = len(own) == 1 and own != parts[:1]
    stands_before = mentions and named.quantities(mentions[-1].position)  # behind the last one it is for all
    is_of_each = len({*quantities}) == 1 < len({*crafts}) == len(parts) and all(crafts)
    of_one = is_later and stands_before and is_of_each
    differ = len({tuple(mention.computation.tool for mention in mentioned[part]) for part in own}) > 1
    if not (of_one or differ):
        return {}
    if differ and own != parts[-len(own) :]:  # hourly means of density and speed and the derivative of Bz
        return None
    shared = {
        id(mention): _of_lines(mention, _lines_of(part, parts, named), beside=_is_of_its(mention, named))
        for part in own
        for mention in mentioned[part]
    }
    first = mentioned[own[0]][0]
    if own[0] != parts[0] and not named.quantities(first.position, own[0][1]):  # n and V hourly, and mean Bz
        shared[id(first)] = replace(first, partial=True)
    return shared


def _of_parts(alike: Sequence[ComputationMention], named: NamedData) -> list[ComputationMention] | None:
    """Give each computation the quantities in its part of the sentence; None unless each part has its own."""
    for cut in _CUTS:
        parts = named.parts(cut)
        found = {part: [mention for mention in alike if mention.position in range(*part)] for part in parts}
        own = [part for part in parts if found[part]]
        given = {quantity for part in own for quantity in named.quantities(*part)}
        if [len(found[part]) for part in own] != [1] * len(alike) or given != {*named.quantities()}:
            continue
        of = {id(found[part][0]): _lines_of(part, own, named) for part in own}
        return [_of_lines(mention, of[id(mention)]) for mention in alike]
    return None


def _of_crafts(alike: Sequence[ComputationMention], named: NamedData) -> list[ComputationMention] | None:
    """Give each computation the spacecraft directly before it: ``ACE averaged to 5 min and Wind to 10 min``.

    None unless each computation has its own, and each spacecraft one.
    """
    ends = [0, *sorted(mention.position for mention in alike)]
    of = {
        stop: named.crafts_in(start, stop)[-1:]
        for start, stop in pairwise(ends)
        if _ALONE.search(named.text[start:stop])
    }
    given = {craft for crafts in of.values() for craft in crafts}
    if len(of) != len(alike) or len(given) != len(alike) or given != {craft for _, craft in named.crafts}:
        return None
    return [_of_lines(mention, Lines(of[mention.position])) for mention in alike]


def _is_of_its(mention: ComputationMention, named: NamedData) -> bool:
    """Return whether a computation stands behind ``its``, and is no part of a difference."""
    at = max(mention.position, 0)
    return ITS.search(named.text[:at]) is not None and _MINUS_ITS.match(named.text, at) is None


def _of_lines(mention: ComputationMention, lines: Lines, *, beside: bool = False) -> ComputationMention:
    """Return a computation that takes some lines, and is drawn in their place, or beside them."""
    computation = replace(mention.computation, of=lines, beside=beside, behind=False)
    return replace(mention, computation=computation, partial=False)


def _lines_of(part: tuple[int, int], parts: Sequence[tuple[int, int]], named: NamedData) -> Lines:
    """Return the lines that a part of the sentence names: also by spacecraft, if other parts name its quantities."""
    own = named.quantities(*part)
    others = {quantity for other in parts if other != part for quantity in named.quantities(*other)}
    crafts = named.crafts_in(*part) if others & {*own} else ()
    return Lines(() if any(quantity.name in INDICES for quantity in own) else crafts, own)


def _of_data(alike: Sequence[ComputationMention], text: str) -> list[ComputationMention]:
    """Let all of several computations of one quantity take the data: ``daily means and daily maxima``."""
    ordered = sorted(alike, key=_first_of_all)
    first, own = ordered[0], {id(ordered[0]): ordered[0]}
    for before, mention in pairwise(ordered):
        between = text[slice(*sorted((before.position, mention.position)))]
        takes_result = _RESULT.search(between) or not _NEXT.search(between)
        computation = replace(mention.computation, of_data=not takes_result, beside=not takes_result)
        own[id(mention)] = replace(mention, computation=computation, partial=False)
    own[id(first)] = replace(first, partial=False)
    return [own[id(mention)] for mention in alike]


def _of_data_alone(mentions: Iterable[ComputationMention], text: str) -> Iterator[ComputationMention]:
    """Let each line beside the data behind another one take the data: ``V, its hourly mean and its derivative``."""
    is_second = False
    for mention in mentions:
        of_result = ignoring_case(r"\btheir\s+$").search(text[: max(mention.position, 0)])
        again = (
            mention.computation.beside and is_second and mention.computation.of == Lines() and not of_result
        )
        yield replace(mention, computation=replace(mention.computation, of_data=True)) if again else mention
        is_second |= mention.computation.beside


def _first_of_all(mention: ComputationMention) -> tuple[float, int]:
    """Return a key that brings the shortest cadence of the data first, and computations in their order behind it."""
    made = mention.computation
    return (interval_of(made.window).nanoseconds if made.if_finer else math.inf), mention.position


def _of_objects(mention: ComputationMention, named: NamedData, *, is_laid: bool) -> ComputationMention:
    """Give a computation the quantities behind it, if it is for them alone: ``density and hourly mean speed``.

    `is_laid` says whether it is the last one that can be drawn over the data in the same panel.
    """
    if named.together and is_laid and not named.has_several and not _is_noun(mention, named):
        computation = replace(mention.computation, beside=True, behind=True)
        return replace(mention, computation=computation, partial=False)
    at = mention.position
    former = named.quantities(0, at)
    if former and len(named.quantities()) > 1 and _MINUS_ITS.match(named.text, max(at, 0)):
        return _of_lines(mention, Lines((), former[-1:]))
    if former and len(named.quantities()) > 1 and not named.together and ITS.search(named.text[: max(at, 0)]):
        computation = replace(mention.computation, of=Lines((), former[-1:]), beside=True)
        return replace(mention, computation=computation, partial=False)
    if later := _of_later_wish(mention, named) or _of_last(mention, named):
        return later
    before, behind = named.quantities(0, at), named.quantities(at)
    last = max((start for start, _ in named.placed), default=0)
    if not mention.partial or not before or not behind or re.search(r"[,;]", named.text[at:last]):
        return mention
    if mention.computation.if_finer and _is_noun(mention, named):  # n and V hourly and Bz
        return mention
    again = {*behind} <= {*before}
    if not again and {*behind} & {*before}:
        return mention
    beside = again and not mention.only
    over = beside and (named.together or mention.computation.behind)
    computation = replace(
        mention.computation, of=Lines((), behind), beside=False, of_data=beside, behind=over
    )
    return replace(mention, computation=computation, partial=False)


def _is_noun(mention: ComputationMention, named: NamedData) -> bool:
    """Return whether a computation stands directly behind its quantity: ``density hourly medians in one panel``."""
    starts = [start for start, _ in named.placed if start < mention.position]
    return bool(starts) and not _NEXT.search(named.text[starts[-1] : mention.position])


def _of_later_wish(mention: ComputationMention, named: NamedData) -> ComputationMention | None:
    """Give a computation what its wish names again of a list: ``B n V T. Overplot the density with a median``."""
    begins = [match for match in _WISH.finditer(named.text) if match.start() <= mention.position]
    if not begins:
        return None
    start = begins[-1].start()
    end = re.compile(r"[.;]\s|$").search(named.text, max(mention.position, 0))
    stop = end.start() if end else len(named.text)
    over = (
        mention.computation.beside
        or begins[-1]["over"] is not None
        or _ALSO.search(named.text, start, stop) is not None
    )
    own = named.quantities(start, stop)
    if not own or not {*own} < {*named.quantities(0, start)}:
        return None
    return _added(mention, Lines((), own), named, start, stop, over=over)
