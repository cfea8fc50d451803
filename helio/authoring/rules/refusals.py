"""Refuse words that the rules do not understand: name similar words, or what the catalogue lacks and has instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.authoring.rules.changes.atom_values import QUOTES
from helio.authoring.rules.misspelt import in_other_number, is_one_slip, known_words
from helio.authoring.writing.steps import listed
from helio.errors import closest
from helio.knowledge.catalogue import Catalogue, CatalogueEntry
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.search import SearchResult, search_of
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import plain, tokens
from helio.patterns import ignoring_case

_MOST_QUOTED = 8
_MOST_KINDS = 5
_MOST_DATASETS = 3
_ALSO_WORDS = VOCABULARY["missions that are also words"]
_HOW = (
    "give the spacecraft, the quantity, the time range (as 'A to B') and what to compute, in simple words; or "
    f"{USE_A_MODEL}"
)
_ALIKE = 0.7
_LONG = 6
_LONGEST_TITLE = 60
_NOT_THERE = (
    (
        r"forecasts?|forecasted|prediction|tomorrow|upcoming|next",
        "helio draws measurements, and no forecasts",
        "choose a time that is over, such as 'last 3 days'",
    ),
    (
        r"(?:near-?)?real-?time|rtsw|swpc|live|nowcasts?|real",
        "helio's catalogue has archived data, and no real-time data",
        "`helio run swpc-now --time-range 'last 3 days'` draws NOAA's real-time field and plasma at L1; NOAA keeps "
        "seven days",
    ),
)
"""Words for data that helio's catalogue does not have, with what to say."""
PICKED_BY_PLACE = re.compile(
    r"(?<![\w-])(?P<by>MLT|MLAT|L(?:[- ]?(?:shells?|values?)|\*)?|(?:magnetic |local )?(?:local time|latitude)s?"
    r"|(?<=for )(?:Dst|SYM-?H|Kp|AE|AL)(?= between))\s*"
    r"(?:=|of|from|between|range)?\s*[-−]?\d{1,3}(?:\.\d+)?\s*(?:-|–|to|and)\s*[-−]?\d{1,3}(?![\d-])",
    re.IGNORECASE,
)
"""Pattern of words that pick data by the place of the spacecraft or by an index: ``for MLT 6-12``."""
NUMBER_OF_RECORDS = re.compile(
    r"(?<![\d.:-])\b(?:\d+|three|five|seven|nine|eleven)[\s-]+(?:points?|samples?|pts?)\b"
    r"(?!\s+(?:wide|thick|fonts?|size|markers?|lines?|text|labels?|per)\b)",
    re.IGNORECASE,
)
"""Pattern of a length in records: ``over 11 points``. It is no width of markers."""
_ABSENT = {name.casefold(): name for name in VOCABULARY["missions without data"]}


def refuse_unread(
    text: str, unread: tuple[str, ...], crafts: Sequence[str], catalogue: Catalogue, hint: str = ""
) -> None:
    """Refuse a request with words that were not understood, because any of them could be important."""
    for words, message, instead in _NOT_THERE:
        if any(ignoring_case(words).fullmatch(word) for word in unread):
            raise NotUnderstood(message, advice=instead)
    if picked := PICKED_BY_PLACE.search(text):
        raise NotUnderstood(
            f"helio draws the whole time, and does not pick data by '{picked['by']}'",
            advice=f"draw the {picked['by']} in a panel of its own, or give the times to draw",
        )
    if counted := NUMBER_OF_RECORDS.search(text):
        raise NotUnderstood(
            f"helio takes the length of a window as a time, not as '{counted[0]}'",
            advice="write it as in '15 min'",
        )
    refuse_absent(text)
    refuse_look(text, "settings without a value", unread)
    refuse_computation(text, unread)
    advice = hint or _near(unread) or _instead(text, unread, crafts, catalogue)
    if not hint:
        refuse_others(unread, catalogue, advice)
    raise NotUnderstood(f"helio does not understand {_quoted(unread)}", advice=advice or _HOW)


def refuse_look(text: str, kind: str = "looks without a setting", unread: Sequence[str] = ("",)) -> None:
    """Refuse a look that no setting of a figure gives and that has an unread word, with what to ask for instead."""
    plain = QUOTES.sub("", text)
    for row in VOCABULARY[kind]:
        mention = ignoring_case(rf"(?<!\w)(?:{any_phrase(row['phrases'])})(?!\w)").search(plain)
        if mention and any(word in mention[0] for word in unread):
            raise NotUnderstood(f"a figure has no setting for '{mention[0]}'", advice=row["instead"])


def refuse_computation(text: str, unread: Sequence[str]) -> None:
    """Refuse a computation that no tool does, with what to ask for instead."""
    for row in VOCABULARY["computations without a tool"]:
        mention = ignoring_case(rf"(?<!\w)(?:{any_phrase(row['phrases'])})(?!\w)").search(text)
        if mention and any(word in mention[0] for word in unread):
            raise NotUnderstood(f"helio has no tool for '{mention[0]}'", advice=row["instead"])


def refuse_absent(text: str) -> None:
    """Refuse a request for a mission of which the catalogue has no data."""
    names = "|".join(re.escape(name) for name in sorted(_ABSENT, key=len, reverse=True))
    mentions = ignoring_case(rf"(?<![\w-])(?:{names})(?![\w-])").finditer(text)
    also = {word.casefold() for word in _ALSO_WORDS}
    if named := next(
        (match for match in mentions if match[0].isupper() or match[0].casefold() not in also), None
    ):
        raise NotUnderstood(
            f"the catalogue has no data of {_ABSENT[named[0].casefold()]}",
            advice="search for data of other missions with `helio datasets search`",
        )


def refuse_others(unread: tuple[str, ...], catalogue: Catalogue, advice: str = "") -> None:
    """Refuse a spacecraft that is not in helio's table of quantities; never use another spacecraft instead."""
    if not unread:
        return
    known = spellings()  # "wind" may be left of the solar wind
    words = [word for word in unread if word.casefold() not in known and word not in _ALSO_WORDS]
    if named := sorted(search_of(catalogue).named(" ".join(words))[1]):
        raise NotUnderstood(
            f"helio knows no quantities of {listed(named)}",
            advice=advice
            or f"search with `helio datasets search '{named[0]} …'`, then request the data as DATASET.PARAMETER",
        )


def _near(unread: Sequence[str]) -> str:
    """Return the known words that are spelt almost as the unread ones, with the same first letter; else nothing."""
    strange = [word.casefold() for word in unread[:_MOST_QUOTED] if re.fullmatch(r"[^\W\d]{4,}", word)]
    known = known_words()
    meant = [
        [name for name in closest(word, known) if _is_near(word, name)]
        for word in strange
        if word not in known and not in_other_number(word)
    ]
    return "; ".join(f"did you mean {' or '.join(map(repr, names))}?" for names in meant if names)


def _is_near(word: str, name: str) -> bool:
    """Return whether a word is one slip from a name, or a long word that is much alike."""
    if word[0] != name[0] or is_one_slip(word, name):
        return word[0] == name[0]
    is_long = len(word) >= _LONG and abs(len(word) - len(name)) <= 1
    return is_long and SequenceMatcher(None, word, name).ratio() >= _ALIKE


def _instead(text: str, unread: Sequence[str], crafts: Sequence[str], catalogue: Catalogue) -> str:
    """Say which words no dataset has, of the spacecraft that are named, and what there is of these; else nothing."""
    words = [word for word in unread if re.search(r"[^\W\d_]{2}", word)]
    if not words:
        return ""
    search = search_of(catalogue)
    said = " ".join(word for word in re.findall(r"[\w-]+", text) if word not in _ALSO_WORDS)  # fast mode
    of = {*search.named(said)[1], *crafts} - {"OMNI"}
    found = search.find(" ".join((*sorted(of), *words)), limit=_MOST_DATASETS, similar=False)
    lacking = [word for word in words if _is_lacking(word, found)]
    if not of:
        return f"no dataset in the catalogue has {_quoted(lacking)}; {_HOW}" if lacking else ""
    names = listed(sorted(of))
    lacks = f"the catalogue describes no {_quoted(lacking)} of {names}; " if lacking else ""
    near = [hit.dataset for hit in found.hits if {hit.dataset.spacecraft, hit.dataset.mission} & of]
    if len(lacking) == len(words) or not near:
        return f"{lacks}it has {_kinds(of, catalogue)}" if lacking else ""
    datasets = listed([f"{dataset.id} ({_title(dataset.title)})" for dataset in near])
    if all(_has_maps(catalogue.dataset(dataset.id)) for dataset in near):
        lacks += "helio draws no maps and no records with two axes of bins; "
    return f"{lacks}data of {names} that may be meant: {datasets}; name one as DATASET.PARAMETER"


def _has_maps(entry: CatalogueEntry) -> bool:
    """Return whether most parameters of a dataset have records with two axes or more."""
    return sum(len(parameter.size) > 1 for parameter in entry.parameters) * 2 > len(entry.parameters)


def _title(text: str) -> str:
    """Return a title without what it was derived from, cut at a blank."""
    title = text.removeprefix("DERIVED FROM: ")
    return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rpartition(' ')[0]} …"


def _is_lacking(word: str, found: SearchResult) -> bool:
    """Return whether no dataset has any part of a word."""
    absent = {part for name in (*found.unknown, *found.elsewhere) for part in name.split()}
    own = {*tokens(plain(word))}
    return bool(own) and own <= absent


def _kinds(crafts: set[str], catalogue: Catalogue) -> str:
    """Return the kinds of data of spacecraft, each with one dataset, rather one of the table of quantities."""
    own = [
        catalogue.at(number)
        for number, (_, craft) in enumerate(catalogue.crafts())
        if {craft.spacecraft, craft.mission} & crafts
    ]
    known = {source.dataset for source in SOURCES}
    kinds: dict[str, str] = {}
    for dataset in sorted(own, key=lambda dataset: dataset.id not in known):
        kinds.setdefault(dataset.instrument_type, dataset.id)
    more = ", and more" if len(kinds) > _MOST_KINDS else ""
    first = [f"{kind.lower()} ({dataset})" for kind, dataset in kinds.items()][:_MOST_KINDS]
    return (", ".join(first) if more else listed(first)) + more


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words[:_MOST_QUOTED])
