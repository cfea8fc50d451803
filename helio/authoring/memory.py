"""Remember what a person prefers, what went wrong, and the person's own names, in text files that the person edits.

A file has one line for each item: ``- preference: RTN``, ``- pitfall: … (run ID)``, ``- name: my storm = 2003-10-29``.
The name of the file is the scope: everything, a mission or a pipeline. All other lines are the person's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from helio.authoring.request import PipelineRequest
from helio.authoring.writing.sources import is_available
from helio.errors import RequestError
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import families, spellings
from helio.knowledge.quantities import quantities as every_quantity
from helio.knowledge.quantity_words import VECTORS
from helio.pipelines.history import NotText, read_as_it_is
from helio.pipelines.template.document import slug
from helio.store.files import user_path, write_whole
from helio.store.holding import held
from helio.time_range import time_range_or_none

ItemKind = Literal["preference", "pitfall", "name"]
KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
EVERYTHING = "all"
MOST_ITEMS = 50
"""Maximum number of items in one file."""
LONGEST_ITEM = 300
"""Maximum number of characters of an item."""
MOST_GIVEN = 30
"""Maximum number of items that a model gets with a request."""
_ITEM = re.compile(rf"\s*[-*+]\s*({'|'.join(KINDS)})s?\s*:(.*)", re.IGNORECASE)
_SCOPE = re.compile(rf"{EVERYTHING}|(?:mission|pipeline)-.+")
_WISH = re.compile(
    r"\b(?:always|never(?! mind)|usually|by default|from now on|i prefer|remember(?: that)?)\b", re.IGNORECASE
)
_TO_REMEMBER = re.compile(r"^(?:please\s+)?remember(?:\s+that)?[:,]?\s+", re.IGNORECASE)
_OWN = r"(?P<name>(?:my|our)\s+[\w' -]+?)"
_NAMINGS = (
    re.compile(rf"(?:please\s+)?(?:call|name)\s+(?P<meaning>.+?)\s+{_OWN}", re.IGNORECASE),
    re.compile(rf"{_OWN}\s+(?:is|are|means|=)\s+(?P<meaning>.+)", re.IGNORECASE),
)
"""Sentences that give a name: ``call 2003-10-28 to 2003-11-01 my storm``, ``my storm is …``."""
_DATASET = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_-]+\b")
_CLAUSE = re.compile(r"[,;.]\s|\bbut\b")
_AGAINST = re.compile(r"\b(?:avoid|never|not?|don['’]t|without|instead of|rather than)\b", re.IGNORECASE)
_LOG = re.compile(r"\blog(?:arithmic)?\b", re.IGNORECASE)
_SPECIES = frozenset({"proton", "ion", "electron", "alpha"})
_PARTICLES = re.compile(r"\b(?:particle|flux|fluxe|intensity|intensitie)s?\b", re.IGNORECASE)
_FLUXES = re.compile(r"\benergetic\b", re.IGNORECASE)
_NO_HEAD = re.compile(r"\smagnitude$")


@dataclass(frozen=True)
class Item:
    """One thing to remember.

    Parameters
    ----------
    kind : str
        ``"preference"``, ``"pitfall"`` or ``"name"``.
    text : str
        For a name: ``"my storm = 2003-10-29"``.
    scope : str
        ``"all"``, or a mission or a pipeline: ``"mission-ace"``, ``"pipeline-my-ace"``.
    """

    kind: ItemKind
    text: str
    scope: str = EVERYTHING


class Memory:
    """The remembered items in a folder of text files, and the items that were proposed after a conversation.

    Parameters
    ----------
    folder : Path
        The folder, in helio's home.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def proposed(self) -> Memory:
        """Return the items that were proposed and that a person has neither accepted nor forgotten."""
        return Memory(self._folder / "proposed")

    def items(self) -> Sequence[Item]:
        """List all items: those about everything first, then by scope, in the order of the files.

        Raises
        ------
        RequestError
            A file is not a text.
        """
        return [item for path in self._paths() if _SCOPE.fullmatch(path.stem) for item, _ in _items(path)]

    def unused(self) -> Sequence[str]:
        """Describe each line that looks like an item, but that no author gets, and why."""
        return [
            f"{path.name} line {number + 1}: {why}"
            for path in self._paths()
            for number, why in (
                _unused(path)
                if _SCOPE.fullmatch(path.stem)
                else [(0, f"call the file {EVERYTHING}.md, mission-NAME.md or pipeline-NAME.md")]
            )
        ]

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.md"), key=lambda path: (path.stem != EVERYTHING, path.stem))

    def about(self, pipeline: str, request: str) -> Sequence[Item]:
        """List the items about everything, about a pipeline, and about the missions that a request names."""
        words = f"-{slug(request)}-"
        own = scope_of(pipeline=pipeline)
        return [
            item
            for item in self.items()
            if item.scope in (EVERYTHING, own)
            or any(f"-{name}-" in words for name in _names_of_mission(item.scope))
        ]

    def of_missions(self) -> Sequence[Item]:
        """List the items about any mission."""
        return [item for item in self.items() if item.scope.startswith("mission-")]

    def add(self, item: Item) -> bool:
        """Add an item; return False if it is there already.

        Raises
        ------
        RequestError
            The text is empty or too long, a name has no meaning, or the file has too many items.
        OutputError
        """
        text = " ".join(item.text.split())
        if not text or len(text) > LONGEST_ITEM:
            raise RequestError(
                f"the text has {len(text)} characters", advice=f"write from 1 to {LONGEST_ITEM} characters"
            )
        if item.kind == "name" and not _has_meaning(text):
            raise RequestError(f"the name '{text}' has no meaning", advice="write NAME = MEANING")
        item, path = replace(item, text=text), self._folder / f"{item.scope}.md"
        with held(self._folder / "lock"):
            present = [old for old, _ in _items(path)]
            if item in present:
                return False
            if len(present) >= MOST_ITEMS:
                raise RequestError(
                    f"{path} has {len(present)} items, the largest number",
                    advice="forget one with `helio memory forget`",
                )
            before = _text(path)
            line = f"- {item.kind}: {item.text}\n"
            write_whole(
                path, (before + ("" if before.endswith("\n") or not before else "\n") + line).encode()
            )
            return True

    def forget(self, item: Item) -> None:
        """Remove an item from its file; all other lines stay."""
        path = self._folder / f"{item.scope}.md"
        with held(self._folder / "lock"):
            gone = {number for kept, number in _items(path) if kept == item}
            lines = _text(path).splitlines(keepends=True)
            kept = (line for number, line in enumerate(lines) if number not in gone)
            write_whole(path, "".join(kept).encode())


def scope_of(*, mission: str = "", pipeline: str = "") -> str:
    """Return the scope of an item about a mission or a pipeline; without both, about everything."""
    if mission:
        return f"mission-{slug(mission)}"
    return f"pipeline-{slug(Path(pipeline).stem)}" if pipeline else EVERYTHING


def with_whole_path(item: Item) -> Item:
    """Write the whole path of the file that a name of the person's own means, for use from any folder."""
    name, _, meaning = (part.strip() for part in item.text.partition("="))
    if item.kind != "name" or not meaning or not _is_file(meaning):
        return item
    return replace(item, text=f"{name} = {user_path(meaning).absolute()}")


def is_mission(name: str) -> bool:
    """Return whether helio knows the spacecraft of a mission."""
    return bool(_crafts_of(scope_of(mission=name)))


def with_names(request: str, items: Sequence[Item]) -> tuple[str, tuple[str, ...]]:
    """Replace the person's own names in a sentence by their meanings; return the sentence and a note for each name.

    A file is replaced by its name without folders.
    """
    meanings = _meanings(items)
    notes: dict[str, None] = {}

    def meaning_of(match: re.Match[str]) -> str:
        name, meaning = meanings[match[0].casefold()]
        notes[f"'{name}' is {meaning}, as you told helio to remember"] = None
        return Path(meaning).name if _is_file(meaning) else meaning

    if meanings:
        longest = "|".join(map(re.escape, sorted(meanings, key=len, reverse=True)))
        request = re.sub(rf"(?<!\w)(?:{longest})(?!\w)", meaning_of, request, flags=re.IGNORECASE)
    return request, tuple(notes)


def files_named(request: str, items: Sequence[Item]) -> tuple[str, ...]:
    """Return the files that the person's own names in a sentence mean, such as ``our shock list = ~/shocks.csv``."""
    paths = [
        meaning
        for name, meaning in _meanings(items).values()
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", request, re.IGNORECASE)
    ]
    return tuple(path for path in paths if _is_file(path))


def preferred(
    request: PipelineRequest, sentence: str, items: Sequence[Item]
) -> tuple[PipelineRequest, tuple[str, ...]]:
    """Fill what a request leaves open from the person's preferences: the frame, and logarithmic axes.

    A preference is used only if the data can follow it, and never against the sentence. A preference for a pipeline
    comes before one for a mission, this before one for everything, and of equals the latest comes first. That of a
    mission is used if the request is about its spacecraft alone.

    Returns
    -------
    request : PipelineRequest
    notes : tuple of str
        One note for each preference that was used.
    """
    request, notes = preferred_frame(request, items)
    names = [quantity.name for quantity in request.quantities]
    logarithmic, said = preferred_logs(names, request.spacecraft, sentence, items)
    looks = (*request.style.looks, *(f"log axis for {name}" for name in logarithmic))
    return replace(request, style=replace(request.style, looks=looks)), (*notes, *said)


def preferred_frame(
    request: PipelineRequest, items: Sequence[Item]
) -> tuple[PipelineRequest, tuple[str, ...]]:
    """Take vectors in the preferred frame if a request names none; return the request and a note if one was used."""
    if request.parts:
        parts, notes = zip(*(preferred_frame(part, items) for part in request.parts), strict=True)
        return replace(request, parts=parts), tuple(dict.fromkeys(note for said in notes for note in said))
    for item in _preferences(items, request.spacecraft):
        for frame in _frames_in(item.text):
            if not request.frame and _can_have(request, frame):
                note = f"frame {frame}: your preference '{item.text}'"
                return replace(request, frame=frame), (note,)
    return request, ()


def preferred_logs(
    quantities: Sequence[str], spacecraft: Sequence[str], sentence: str, items: Sequence[Item]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the quantities of spacecraft that the person prefers on a logarithmic axis, and a note for each preference
    that was used; none if the sentence names a scale.
    """
    found: list[str] = []
    notes: list[str] = []
    if re.search(r"\b(?:log|linear)", sentence, re.IGNORECASE):
        return (), ()
    for item in _preferences(items, spacecraft):
        names = [
            name for name in dict.fromkeys(quantities) if name not in found and _wants_log(item.text, name)
        ]
        if names:
            found += names
            notes.append(f"logarithmic axis for {', '.join(names)}: your preference '{item.text}'")
    return tuple(found), tuple(notes)


def pitfall_notes(datasets: Container[str], items: Sequence[Item]) -> tuple[str, ...]:
    """Return a note for each pitfall that names one of the datasets."""
    named = {item.text: _DATASET.findall(item.text) for item in items if item.kind == "pitfall"}
    return tuple(
        f"you told helio to remember: {text}"
        for text, ids in named.items()
        if any(name in datasets for name in ids)
    )


def supersedes(item: Item, items: Sequence[Item]) -> str:
    """Return the earlier preference of the same scope before which the rules use a new one: for another frame."""
    frames = _frames_in(item.text) if item.kind == "preference" else []
    others = [other.text for other in items if other.scope == item.scope and other.kind == "preference"]
    return next((text for text in reversed(others) if frames and {*_frames_in(text)} - {*frames}), "")


def is_for_rules(preference: str) -> bool:
    """Return whether the rules can use a preference: they know those for a frame and for logarithmic axes."""
    return bool(_frames_in(preference)) or any(_wants_log(preference, name) for name in every_quantity())


def wishes(said: Sequence[str], run: str = "") -> Iterator[Item]:
    """Yield what the sentences of a conversation ask helio to remember, for a person to accept.

    ``always use RTN`` is a preference, ``call 2003-10-28 my storm`` a name, and ``remember that AC_K2_MFI has spikes``
    a pitfall, with the last `run` of the conversation. ``for ACE always use GSM`` is about this mission.
    """
    for text in (" ".join(text.split()) for text in said):
        if text.startswith("/") or len(text) > LONGEST_ITEM:
            continue
        plain = _TO_REMEMBER.sub("", text)
        if named := _naming_in(plain, is_told=plain != text):
            yield named
        elif _WISH.search(text) and _DATASET.search(text) and not is_for_rules(text):
            yield Item("pitfall", f"{plain} (run {run})" if run else plain)
        elif _WISH.search(text):
            crafts = {craft for name, craft in spellings().items() if _is_for(name, text)}
            yield Item("preference", text, scope_of(mission=crafts.pop() if len(crafts) == 1 else ""))


def _is_for(name: str, text: str) -> bool:
    return re.search(rf"\bfor\s+{re.escape(name)}\b", text, re.IGNORECASE) is not None


def _naming_in(text: str, *, is_told: bool) -> Item | None:
    """Return the name that a sentence gives to a time, a spacecraft or a file; if it says to remember, to anything."""
    matches = (pattern.fullmatch(text.rstrip(".!")) for pattern in _NAMINGS)
    for match in filter(None, matches):
        meaning = match["meaning"]
        if (
            is_told
            or time_range_or_none(meaning, datetime(2000, 1, 1))
            or meaning.casefold() in spellings()
            or _is_file(meaning)
        ):
            return Item("name", f"{match['name']} = {meaning}")
    return None


def _is_file(text: str) -> bool:
    return os.path.isfile(user_path(text))


def _meanings(items: Sequence[Item]) -> dict[str, tuple[str, str]]:
    """Return the person's own names and their meanings, by the name in small letters."""
    names = sorted((item for item in items if item.kind == "name"), key=_rank, reverse=True)
    split = ((part.strip() for part in item.text.split("=", 1)) for item in names)
    return {name.casefold(): (name, meaning) for name, meaning in split}


def given_to_model(items: Sequence[Item]) -> list[Item]:
    """Return the items that a model gets with a request: if there are too many, the latest of the narrowest scopes."""
    latest = [*reversed(items)]
    kept = sorted(latest, key=_rank)[:MOST_GIVEN]
    return [item for item in items if item in kept]


def _has_meaning(text: str) -> bool:
    return all(part.strip() for part in text.partition("=")[::2])


def _rank(item: Item) -> int:
    """Return the place of an item's scope: that of a pipeline comes before that of a mission."""
    return ("pipeline", "mission", EVERYTHING).index(item.scope.partition("-")[0])


def _preferences(items: Sequence[Item], spacecraft: Sequence[str]) -> list[Item]:
    """Return the preferences for these spacecraft, those that are used first coming first."""
    known = [
        item
        for item in reversed(items)
        if item.kind == "preference" and {*spacecraft} <= (_crafts_of(item.scope) or {*spacecraft})
    ]
    return sorted(known, key=_rank)


def _crafts_of(scope: str) -> set[str]:
    """Return the spacecraft of a mission's scope; none of another scope, or of a mission that helio does not know."""
    kind, _, mission = scope.partition("-")
    if kind != "mission":
        return set()
    crafts = {craft for name, craft in spellings().items() if slug(name) == slug(mission)}
    return crafts.union(*(members for name, members in families().items() if slug(name) == slug(mission)))


def _names_of_mission(scope: str) -> set[str]:
    """Return the names in a sentence for which the items of a mission are used; none for another scope."""
    kind, _, mission = scope.partition("-")
    if kind != "mission":
        return set()
    crafts = _crafts_of(scope)
    return {slug(mission), *(slug(name) for name, craft in spellings().items() if craft in crafts)}


def _clauses_for(text: str, wanted: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield what a preference asks for, and not what it is against: ``never GSE``, ``GSM instead of GSE``."""
    for clause in _CLAUSE.split(text):
        for match in wanted.finditer(clause):
            if not _AGAINST.search(clause[: match.start()]):
                yield match


def _frames_in(text: str) -> list[str]:
    frames = re.compile(rf"\b(?:{'|'.join(FRAMES)})\b", re.IGNORECASE)
    return [match[0].upper() for match in _clauses_for(text, frames)]


def _wants_log(text: str, quantity: str) -> bool:
    """Return whether a preference asks for a logarithmic axis for a quantity, by its name or as particles."""
    if quantity in VECTORS or not any(_clauses_for(text, _LOG)):
        return False
    words = {word.removesuffix("s") for word in re.findall(r"\w+", text.casefold())}
    own = {word.removesuffix("s") for word in re.findall(r"\w+", quantity.casefold())}
    species = words & _SPECIES
    if species and own & _SPECIES and not species & own:
        return False
    if _FLUXES.search(quantity):
        return _PARTICLES.search(text) is not None
    return _NO_HEAD.sub("", quantity).split()[-1].casefold().removesuffix("s") in words


def _can_have(request: PipelineRequest, frame: str) -> bool:
    """Return whether all vectors of a request are available in a frame, or can be turned into it."""
    vectors = [quantity for quantity in request.quantities if quantity.name in VECTORS]
    available = all(is_available(quantity, request.spacecraft, frame) for quantity in vectors)
    return available and bool(vectors) and bool(request.spacecraft)


def _items(path: Path) -> Iterator[tuple[Item, int]]:
    """Yield the items of a file, each with the index of its line."""
    for number, kind, text, why in _lines(path):
        if not why:
            yield Item(kind, text, path.stem), number


def _unused(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the index of each line of a file that looks like an item and is none, and the reason."""
    for number, _, _, why in _lines(path):
        if why:
            yield number, why


def _lines(path: Path) -> Iterator[tuple[int, ItemKind, str, str]]:
    """Yield the index, the kind and the text of each line that looks like an item, and why it is none."""
    count = 0
    for number, line in enumerate(_text(path).splitlines()):
        match = _ITEM.fullmatch(line)
        if match is None:
            continue
        kind = next(kind for kind in KINDS if kind == match[1].casefold())
        text, why = match[2].strip(), ""
        if not text or len(text) > LONGEST_ITEM:
            why = f"write from 1 to {LONGEST_ITEM} characters"
        elif kind == "name" and not _has_meaning(text):
            why = "write NAME = MEANING"
        elif count == MOST_ITEMS:
            why = f"a file may have {MOST_ITEMS} items"
        else:
            count += 1
        yield number, kind, text, why


def _text(path: Path) -> str:
    try:
        return (read_as_it_is(path) or "").removeprefix("\ufeff")  # as an editor of Windows writes it
    except NotText as error:
        raise RequestError(error.message, advice="save it as a text in UTF-8") from error
