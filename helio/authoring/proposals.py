"""Proposals: what an author wants a pipeline to be, waiting for a person's yes; nothing runs while they wait."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import jsonpatch

from helio.errors import RequestError
from helio.pipelines.changes import Change, changes
from helio.pipelines.history import Kind, Writing
from helio.pipelines.library import Library
from helio.pipelines.parse import parse
from helio.pipelines.template import Document
from helio.store.files import write_whole

State = Literal["pending", "accepted", "rejected", "failed"]
_SAID = {"accepted": "was accepted", "rejected": "was rejected", "failed": "came to nothing"}


@dataclass(frozen=True)
class Proposal:
    """One change of one pipeline, as it waits for review or as it was decided.

    Parameters
    ----------
    id : str
        ``"ace-overview-20261120T1430-1f2e"``.
    kind : str
        What is proposed: ``"authored"``, ``"edited"``, ``"repaired"``, ``"saved"``.
    pipeline : str
        The pipeline's name, or the path of its file.
    request : str
        The sentence that asked for it.
    by : str
        ``"rules"``, ``"equivalence table"``, or the name of a model.
    before, after : str
        The texts; `before` is empty for a new pipeline, `after` where none came of it.
    notes : tuple of str
        What was assumed or chosen, in words: which days last week is.
    diagnostics : tuple of dict
        What the gate found.
    tokens : int
        Of the model, in all.
    transcript : str
        Where every exchange with it is kept.
    """

    id: str
    kind: Kind
    pipeline: str
    request: str
    by: str
    before: str
    after: str
    created_at: str
    state: State = "pending"
    notes: tuple[str, ...] = ()
    diagnostics: tuple[dict[str, Any], ...] = ()
    tokens: int = 0
    transcript: str = ""
    prompt_digest: str = ""
    run: str = ""
    """The run that it repairs, if it does."""
    base: str = ""
    """For a new pipeline: the text of the one that it was made from, which stays as it is."""

    @property
    def patch(self) -> list[dict[str, Any]]:
        """The change as a JSON Patch."""
        if not self.after:
            return []
        found: list[dict[str, Any]] = jsonpatch.make_patch(self._compared, _read(self.after)).patch
        return found

    @property
    def changes(self) -> tuple[Change, ...]:
        """The change in the field's words."""
        return changes(self._compared or {"steps": []}, _read(self.after)) if self.after else ()

    @property
    def _compared(self) -> Document:
        return _template(self.before or self.base)

    @property
    def earlier(self) -> Document | None:
        """What it is compared with; None for a pipeline that is new altogether."""
        return self._compared or None

    @property
    def template(self) -> Document:
        """What the pipeline would be."""
        template: Document = _read(self.after)
        return template

    def to_json(self) -> dict[str, Any]:
        """For ``--json``: as it is kept, with the patch and the changes in words."""
        return asdict(self) | {"patch": self.patch, "changes": [str(one) for one in self.changes]}


class Proposals:
    """All proposals below a folder.

    Parameters
    ----------
    folder : Path
        In the home.
    library : Library
        Whose pipelines they are about.
    """

    def __init__(self, folder: Path, library: Library) -> None:
        self._folder = folder
        self._library = library

    def add(
        self, *, kind: Kind, pipeline: str, request: str, by: str, before: str, after: str, **more: Any
    ) -> Proposal:
        """Keep a new proposal; without `after` it is one that failed, kept for the record.

        Raises
        ------
        OutputError
        """
        now = datetime.now(UTC)
        name = f"{Path(pipeline).stem}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
        made = Proposal(
            name,
            kind,
            pipeline,
            request,
            by,
            before,
            after,
            now.isoformat(timespec="seconds"),
            state="pending" if after else "failed",
            **more,
        )
        self._keep(made)
        return made

    def load(self, name: str) -> Proposal:
        """The proposal of that id, or the only one that begins so.

        Raises
        ------
        RequestError
            There is none, or more than one.
        """
        found = [one for one in self.list() if one.id == name] or [
            one for one in self.list() if name and one.id.startswith(name)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise RequestError(
                f"{len(found)} proposals begin with '{name}'", advice=", ".join(one.id for one in found[:5])
            )
        raise RequestError(f"no proposal is called '{name}'", advice="helio proposals lists them")

    def list(self, *, state: State | None = None) -> list[Proposal]:
        """All of them, newest first; those of one state only if it is named."""
        found = sorted(self._all(), key=lambda one: (one.created_at, one.id), reverse=True)
        return [one for one in found if state in (None, one.state)]

    def accept(self, proposal: Proposal) -> Path:
        """Make what is proposed the pipeline, which then has it in its history.

        Raises
        ------
        RequestError
            It was decided already, or the pipeline has changed since.
        """
        self._must_wait(proposal)
        writing = Writing(proposal.kind, proposal.by, proposal.request, proposal.prompt_digest)
        if proposal.before:
            entry = self._library.find(proposal.pipeline)
            if self._library.text(entry) != proposal.before:
                raise RequestError(
                    f"{proposal.pipeline} has changed since this was proposed", advice="propose it once more"
                )
            path = self._library.replace_text(entry, proposal.after, writing)
        else:
            if (self._library.folder / f"{proposal.pipeline}.json").exists():
                raise RequestError(
                    f"there is a pipeline '{proposal.pipeline}' by now",
                    advice="propose it once more, with --as another name",
                )
            path = self._library.save(proposal.template, writing=writing)
        self._keep(replace(proposal, state="accepted"))
        return path

    def undo(self, path: Path) -> Proposal:
        """Give a file outside the library the text that it had before the last change that was accepted.

        Raises
        ------
        RequestError
            No proposal made it what it is.
        """
        text = self._library.text(self._library.find(str(path)))
        accepted = self.list(state="accepted")
        found = next(
            (one for one in accepted if one.pipeline == str(path) and one.before and one.after == text), None
        )
        if found is None:
            raise RequestError(
                f"no proposal made {path} what it is now", advice="what is changed by hand is not kept"
            )
        write_whole(path, found.before.encode())
        return found

    def reject(self, proposal: Proposal) -> None:
        """Let the pipeline be as it is.

        Raises
        ------
        RequestError
            It was decided already.
        """
        self._must_wait(proposal)
        self._keep(replace(proposal, state="rejected"))

    def _must_wait(self, proposal: Proposal) -> None:
        state = self.load(proposal.id).state
        if state != "pending":
            raise RequestError(f"{proposal.id} {_SAID[state]}")

    def _all(self) -> Iterator[Proposal]:
        names = {one.name for one in fields(Proposal)}
        for path in self._folder.glob("*.json"):
            try:
                facts = json.loads(path.read_text(encoding="utf-8"))
                known = {key: value for key, value in facts.items() if key in names}
                yield Proposal(**known | {key: tuple(known[key]) for key in ("notes", "diagnostics")})
            except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
                raise RequestError(
                    f"{path} is no proposal of this helio: {error!r}", advice="move it away"
                ) from error

    def _keep(self, proposal: Proposal) -> None:
        text = json.dumps(asdict(proposal), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{proposal.id}.json", text.encode())


def prompt_digest(text: str) -> str:
    """The name of what a model was told."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _read(text: str) -> Any:
    return json.loads(text) if text else {}


def _template(text: str) -> Document:
    """What a file says, in whatever dialect a person wrote it."""
    return parse(text).plan if text else {}
