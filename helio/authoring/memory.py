"""Remember what a person prefers, what went wrong, and the person's own names, in text files that the person edits.

A file has one line for each item: ``- preference: RTN``, ``- pitfall: … (run ID)``, ``- name: my storm = 2003-10-29``.
All other lines are the person's own. There is one file for everything, and one for each mission and each pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from helio.authoring.request import PipelineRequest
from helio.authoring.writing.sources import is_available
from helio.errors import RequestError
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantity_words import VECTORS
from helio.pipelines.history import read_as_it_is
from helio.pipelines.template.document import slug
from helio.store.files import write_whole
from helio.store.holding import held

ItemKind = Literal["preference", "pitfall", "name"]
KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
EVERYTHING = "all"
MOST_ITEMS = 50
"""Maximum number of items in one file."""
LONGEST_ITEM = 300
"""Maximum number of characters of an item."""
MOST_GIVEN = 30
"""Maximum number of items that a model gets with a request."""
_ITEM = re.compile(rf"\s*-\s*({'|'.join(KINDS)})\s*:\s*(.*\S)\s*")
_WISH = re.compile(
    r"\b(?:always|usually|by default|from now on|i prefer|remember(?: that)?)\b", re.IGNORECASE
)
_LOG = re.compile(r"\blog(?:arithmic)?\s+(?:scale|axis|axes)\s+for\s+(?:the\s+)?(\w+)", re.IGNORECASE)
_PARTICLES = re.compile(r"\b(?:flux|intensity|particles?)", re.IGNORECASE)


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
        paths = sorted(self._folder.glob("*.md"), key=lambda path: (path.stem != EVERYTHING, path.stem))
        return [item for path in paths for item, _ in _items(path)]

    def about(self, pipeline: str, request: str) -> Sequence[Item]:
        """List the items about everything, about a pipeline, and about the missions that a request names."""
        words = f"-{slug(request)}-"
        own = scope_of(pipeline=pipeline)
        return [
            item
            for item in self.items()
            if item.scope in (EVERYTHING, own)
            or (item.scope.startswith("mission-") and f"-{item.scope.removeprefix('mission-')}-" in words)
        ]

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
        if item.kind == "name" and not all(part.strip() for part in (text.partition("=")[::2])):
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
            before = read_as_it_is(path) or ""
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
            lines = (read_as_it_is(path) or "").splitlines(keepends=True)
            kept = (line for number, line in enumerate(lines) if number not in gone)
            write_whole(path, "".join(kept).encode())


def scope_of(*, mission: str = "", pipeline: str = "") -> str:
    """Return the scope of an item about a mission or a pipeline; without both, about everything."""
    if mission:
        return f"mission-{slug(mission)}"
    return f"pipeline-{slug(Path(pipeline).stem)}" if pipeline else EVERYTHING


def with_names(request: str, items: Sequence[Item]) -> tuple[str, tuple[str, ...]]:
    """Replace the person's own names in a sentence by their meanings; return the sentence and a note for each name."""
    notes: list[str] = []
    for item in items:
        if item.kind != "name":
            continue
        name, meaning = (part.strip() for part in item.text.split("=", 1))
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        replaced = re.sub(pattern, meaning.replace("\\", r"\\"), request, flags=re.IGNORECASE)
        if replaced != request:
            request = replaced
            notes.append(f"'{name}' is {meaning}, as you told helio to remember")
    return request, tuple(notes)


def preferred(
    request: PipelineRequest, sentence: str, items: Sequence[Item]
) -> tuple[PipelineRequest, tuple[str, ...]]:
    """Fill what a request leaves open from the person's preferences: the frame, and logarithmic axes.

    A preference is used only if the data can follow it, and never against the sentence.

    Returns
    -------
    request : PipelineRequest
    notes : tuple of str
        One note for each preference that was used.
    """
    notes: list[str] = []
    for item in items:
        if item.kind != "preference":
            continue
        frame = next((frame for frame in FRAMES if re.search(rf"\b{frame}\b", item.text)), "")
        if frame and not request.frame and _can_have(request, frame):
            request = replace(request, frame=frame)
            notes.append(f"frame {frame}: your preference '{item.text}'")
        log = _LOG.search(item.text)
        if log and not re.search(r"\b(?:log|linear)", sentence, re.IGNORECASE):
            words = _drawn_words(request, log[1])
            if words:
                looks = (*request.style.looks, *(f"log axis for {word}" for word in words))
                request = replace(request, style=replace(request.style, looks=looks))
                notes.append(f"logarithmic axis for {', '.join(words)}: your preference '{item.text}'")
    return request, tuple(notes)


def wishes(said: Sequence[str]) -> Iterator[Item]:
    """Yield the preferences in the sentences of a conversation, such as 'always use RTN', for a person to accept."""
    for text in said:
        if _WISH.search(text) and not text.startswith("/") and len(text) <= LONGEST_ITEM:
            yield Item("preference", " ".join(text.split()))


def _can_have(request: PipelineRequest, frame: str) -> bool:
    """Return whether all vectors of a request are available in a frame, or can be turned into it."""
    vectors = [quantity for quantity in request.quantities if quantity.name in VECTORS]
    available = all(is_available(quantity, request.spacecraft, frame) for quantity in vectors)
    return available and bool(vectors) and bool(request.spacecraft)


def _drawn_words(request: PipelineRequest, word: str) -> tuple[str, ...]:
    """Return the names of the requested quantities that a word of a preference means."""
    names = dict.fromkeys(quantity.name for quantity in request.quantities)
    if word.casefold().startswith("particle"):
        return tuple(name for name in names if _PARTICLES.search(name))
    return tuple(name for name in names if word.casefold().rstrip("s") in name.casefold())


def _items(path: Path) -> Iterator[tuple[Item, int]]:
    """Yield the items of a file, each with the index of its line; skip a line that is too long."""
    lines = (read_as_it_is(path) or "").splitlines()
    count = 0
    for number, line in enumerate(lines):
        match = _ITEM.fullmatch(line)
        kind = next((kind for kind in KINDS if match and match[1] == kind), None)
        if match and kind and len(match[2]) <= LONGEST_ITEM and count < MOST_ITEMS:
            count += 1
            yield Item(kind, match[2], path.stem), number
