"""Save a conversation as lines of JSON in a file, and read from the file how far the conversation has come."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helio.authoring.models.scrub import Scrub
from helio.authoring.models.transcript import Transcript, read_lines
from helio.errors import RequestError

_SHOWN = 60


@dataclass(frozen=True)
class Progress:
    """How far a conversation has come.

    Parameters
    ----------
    pipeline : str
        The pipeline that the conversation is about; empty for none yet.
    before : str
        The pipeline that the conversation was about before its pending proposals; empty for none.
    proposals : tuple of str
        Ids of the proposals that the conversation made and that were neither accepted nor rejected, oldest first.
    question : str
        The id of the author's question that waits for an answer; empty for none.
    run : str
        The id of the last run of the conversation; empty for none.
    by : str
        The chosen author; empty for the default.
    said : tuple of str
        The sentences of the user, oldest first.
    tokens : int
        Tokens that a model has used.
    cost : float
        The cost of these tokens, by the prices that were set at each request.
    files : tuple of str
        Paths of the files that go with the next sentence.
    failed : str
        The last line of the user if it could not be carried out; otherwise empty.
    """

    pipeline: str = ""
    before: str = ""
    proposals: tuple[str, ...] = ()
    question: str = ""
    run: str = ""
    by: str = ""
    said: tuple[str, ...] = ()
    tokens: int = 0
    cost: float = 0.0
    files: tuple[str, ...] = ()
    failed: str = ""

    def after(self, kind: str, facts: dict[str, Any]) -> Progress:
        """Return the progress after a line of the file."""
        here = replace(
            self,
            tokens=self.tokens + int(facts.get("tokens") or 0),
            cost=self.cost + float(facts.get("cost") or 0),
        )
        if kind == "said":
            return replace(here, said=(*here.said, str(facts["text"])))
        if kind == "answered with":
            return replace(here, failed=here.said[-1] if facts.get("is_error") and here.said else "")
        if kind == "about":
            pipeline = str(facts["pipeline"])
            return replace(here, pipeline=pipeline, before=pipeline, proposals=(), question="")
        if kind == "proposed":
            proposals = (*here.proposals, str(facts["proposal"]))
            return replace(here, pipeline=str(facts["pipeline"]), proposals=proposals, question="", files=())
        if kind in ("accepted", "rejected"):
            left = tuple(name for name in here.proposals if name not in facts["proposals"])
            before = here.pipeline if kind == "accepted" else here.before
            pipeline = here.pipeline if left else before
            return replace(here, pipeline=pipeline, before=before, proposals=left, question="")
        if kind == "asked":
            return replace(here, question=str(facts["question"]), files=())
        if kind == "replied":
            return replace(here, files=())
        if kind == "files":
            return replace(here, files=tuple(str(path) for path in facts["paths"]))
        if kind in ("answered", "dropped"):
            return replace(here, question="")
        if kind == "ran":
            return replace(here, run=str(facts["run"]))
        if kind == "author":
            return replace(here, by=str(facts["by"]))
        return here


class Conversation:
    """A conversation in a file, to which lines are added while it goes on.

    Parameters
    ----------
    path : Path
        The file; a new file is created.
    scrub : Scrub
        Removes keys from all lines.

    Raises
    ------
    RequestError
        The file exists, but is no conversation.
    OutputError
        The file cannot be written.
    """

    def __init__(self, path: Path, *, scrub: Scrub | None = None) -> None:
        self._file = Transcript(path, scrub=scrub, is_new=not path.exists())
        self.progress = _progress(read_lines(path))

    @property
    def id(self) -> str:
        """Return the name of the conversation, such as ``chat-20261120T143000-1f2e``."""
        return self._file.id

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self._file.path

    def refresh(self) -> None:
        """Read what another process has added to the file.

        Raises
        ------
        RequestError
        """
        self.progress = _progress(read_lines(self.path))

    def note(self, kind: str, **facts: Any) -> None:
        """Add a line.

        Raises
        ------
        OutputError
        """
        self._file.note(kind, **facts)
        self.progress = self.progress.after(kind, facts)


def new_conversation(folder: Path, *, scrub: Scrub | None = None) -> Conversation:
    """Begin a conversation in a folder; the file name has the time and a random part."""
    name = f"chat-{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(2)}.jsonl"
    return Conversation(folder / name, scrub=scrub)


@dataclass(frozen=True)
class ListedConversation:
    """A saved conversation in one line.

    Parameters
    ----------
    at : str
        When it was last used, ISO 8601, UTC.
    pending : int
        Number of changes of the conversation that are pending.
    first : str
        The first sentence of the user, by which a person recognises the conversation.
    note : str
        Why the file cannot be read; empty if it can.
    """

    id: str
    at: str = ""
    pipeline: str = ""
    pending: int = 0
    first: str = ""
    note: str = ""


def list_conversations(folder: Path, pending: Collection[str]) -> Sequence[ListedConversation]:
    """List the conversations in a folder, newest first; damaged files come last, with the reason.

    Parameters
    ----------
    pending : collection of str
        Ids of all pending proposals: those of a conversation may be decided elsewhere.
    """
    listed: list[ListedConversation] = []
    for path in folder.glob("chat-*.jsonl"):
        try:
            lines = read_lines(path)
            progress = _progress(lines)
        except RequestError as error:
            listed.append(ListedConversation(path.stem, note=error.message))
            continue
        facts: Any = lines[-1]
        first = next((text for text in progress.said if not text.startswith("/")), "")
        first = first if len(first) <= _SHOWN else f"{first[: _SHOWN - 1]}…"
        at, count = str(facts.get("at", "")), len(set(progress.proposals).intersection(pending))
        listed.append(ListedConversation(path.stem, at, progress.pipeline, count, first))
    return sorted(listed, key=lambda row: (row.at, row.id), reverse=True)


def find_conversation(folder: Path, name: str = "") -> Path:
    """Find a conversation by its id or the beginning of it, or the last one about a pipeline; by default the last one.

    Raises
    ------
    RequestError
        There is none.
    """
    rows = list_conversations(folder, ())
    chosen = [row for row in rows if name in ("", row.pipeline) or row.id.startswith(name)]
    if chosen and chosen[0].note:  # damaged files come last
        raise RequestError(
            f"conversation {chosen[0].id} cannot be read: {chosen[0].note}",
            advice="begin another one with `helio chat PIPELINE`; `helio proposals` lists its pending changes",
        )
    if not chosen:
        raise RequestError(
            f"no conversation is called '{name}'" if name else "there is no conversation yet",
            advice="use `helio chat --list` to list conversations, or `helio chat` to begin one"
            if rows
            else "use `helio chat` to begin one",
        )
    return folder / f"{chosen[0].id}.jsonl"


def _progress(lines: Iterable[Any]) -> Progress:
    progress = Progress()
    for line in lines:
        try:
            progress = progress.after(line["kind"], line)
        except (KeyError, TypeError, ValueError) as error:
            raise RequestError(f"the line '{line['kind']}' of a conversation is damaged") from error
    return progress
