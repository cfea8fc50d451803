"""Store proposed changes of pipelines until a person accepts or rejects them."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import jsonpatch

from helio.authoring.proposals.merging import Conflict, merged
from helio.errors import DamagedRecord, RequestError, UnknownPipeline
from helio.pipelines.arguments import checked
from helio.pipelines.changes import Change, changes
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import Kind, Writing
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate, StepId
from helio.pipelines.template.document import Document, as_text, id_like
from helio.pipelines.template.splice import splice
from helio.store.files import write_whole
from helio.store.holding import held
from helio.store.records import Count, Instant, read_record

Prove = Callable[[Document], Sequence[Diagnostic]]
State = Literal["pending", "accepted", "rejected", "failed"]
_DATED = re.compile(r"-\d{8}T")
"""The date in the id of a proposal; the name of a pipeline seldom has one."""
_MOST_NAMED, _LONGEST_REQUEST = 5, 60
"""Maximum number of proposals that an error names, and of characters of the request of each."""
_USELESS = ("HV301", "HV302")
"""Codes of warnings about results that nothing uses."""
_DECIDED = {"accepted": "was accepted", "rejected": "was rejected", "failed": "failed"}


@dataclass(frozen=True)
class Proposal:
    """A proposed change to a pipeline, or a proposed new pipeline.

    Parameters
    ----------
    id : str
        ``"ace-overview-20261120T1430-1f2e"``.
    kind : str
        The kind of change: ``"authored"``, ``"edited"``, ``"repaired"``, ``"saved"``.
    pipeline : str
        The pipeline's name, or the path of its file.
    request : str
        The user's request, in words.
    by : str
        ``"rules"``, ``"equivalence table"``, or the name of a model.
    before, after : str
        The pipeline's text before and after; `before` is empty for a new pipeline, `after` for a failed proposal.
    notes : tuple of str
        Assumptions and choices, such as the dates of "last week".
    diagnostics : tuple of dict
        The diagnostics of the verification.
    tokens : int
        Tokens that the model used.
    transcript : str
        The id of the transcript.
    """

    id: str
    kind: Kind
    pipeline: str
    request: str
    by: str
    before: str = field(repr=False)
    after: str = field(repr=False)
    created_at: Instant
    state: State = "pending"
    notes: tuple[str, ...] = ()
    diagnostics: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    tokens: Count = 0
    transcript: str = ""
    prompt_digest: str = ""
    run: str = ""
    """For a repair: the id of the failed run; otherwise empty."""
    base: str = ""
    """For a changed copy: the text of the original pipeline; otherwise empty."""
    on: str = ""
    """For a change to a proposal: the id of that proposal, which is accepted with this one; otherwise empty."""
    because: str = ""
    """The reason for which a person rejected the proposal; empty if none was given."""
    left_out: tuple[str, ...] = ()
    """The proposed changes, in words, that a person did not accept with the others."""
    documents: tuple[dict[str, Any], ...] = ()
    """The files that came with the request: name, SHA-256, type and size of each, and no content."""

    @property
    def patch(self) -> list[dict[str, Any]]:
        """Return the change as a JSON Patch."""
        if not self.after:
            return []
        patch: list[dict[str, Any]] = jsonpatch.make_patch(self._compared, _read(self.after)).patch
        return patch

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return the changes, described in words."""
        return changes(self._compared, _template(self.after)) if self.after else ()

    @property
    def _compared(self) -> Document:
        return _template(self.before or self.base)

    @property
    def earlier(self) -> Document | None:
        """Return the pipeline before the change, or None if the pipeline is new."""
        return self._compared or None

    @property
    def template(self) -> Document:
        """Return the pipeline as it is after the change."""
        template: Document = _read(self.after)
        return template

    def to_json(self) -> dict[str, Any]:
        """Return the proposal as JSON for ``--json``, with the JSON Patch and the changes in words."""
        changed = self.changes
        return asdict(self) | {
            "patch": self.patch,
            "changes": [str(change) for change in changed],
            "differences": [change.to_json() for change in changed],
        }


class NeedsOthers(RequestError):
    """Error: the chosen changes of a proposal cannot be made without others.

    Parameters
    ----------
    together : sequence of int
        Numbers of the changes that can be made together.
    """

    def __init__(self, message: str, *, together: Sequence[int], proposal: str) -> None:
        numbers = ",".join(map(str, together))
        super().__init__(
            message,
            place=f"proposal {proposal}, still pending",
            advice=f"accept them together: `helio accept {proposal} --only {numbers}`",
        )
        self.numbers = numbers


class Proposals:
    """The proposals in a folder.

    Parameters
    ----------
    folder : Path
        The folder, in helio's home.
    library : Library
        The pipelines that proposals change.
    prove : callable, optional
        Returns the errors of a template, which prevent acceptance, and its warnings. Default: a check without a
        catalogue.
    """

    def __init__(self, folder: Path, library: Library, *, prove: Prove | None = None) -> None:
        self._folder = folder
        self._library = library
        self._prove = prove or self._without_catalogue

    def add(
        self, *, kind: Kind, pipeline: str, request: str, by: str, before: str, after: str, **more: Any
    ) -> Proposal:
        """Save a new proposal; its state is ``failed`` if the text `after` is empty, otherwise ``pending``.

        Raises
        ------
        OutputError
        """
        now = datetime.now(UTC)
        name = f"{id_like(Path(pipeline).stem)}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
        proposal = Proposal(
            name,
            kind,
            pipeline,
            request,
            by,
            before,
            after,
            now.isoformat(timespec="microseconds"),
            state="pending" if after else "failed",
            **more,
        )
        self._keep(proposal)
        return proposal

    @checked
    def load(self, name: str) -> Proposal:
        """Load a proposal by its id, or by the first characters of its id.

        If several ids begin with these characters, the pending proposal is meant, or the uppermost of pending
        proposals that change each other.

        Raises
        ------
        RequestError
            No proposal or more than one matches, or the proposal is damaged.
        """
        every = {path.stem: proposal for path, proposal in self._all()}
        exact = every.get(name)
        if isinstance(exact, str):
            raise RequestError(
                f"{self._folder / name}.json is not a valid proposal: {exact}",
                advice="move the file away, and request the change again",
            )
        matches = [
            proposal
            for proposal in ([exact] if exact else every.values())
            if isinstance(proposal, Proposal) and name and proposal.id.startswith(name)
        ]
        pending = [proposal for proposal in matches if proposal.state == "pending"]
        of_name = [proposal for proposal in pending if proposal.pipeline == name]
        matches = of_name or pending or matches
        changed = {proposal.on for proposal in matches}
        uppermost = [proposal for proposal in matches if proposal.id not in changed]
        if len(uppermost) == 1:
            return uppermost[0]
        if matches:
            newest = sorted(uppermost, key=lambda proposal: proposal.id, reverse=True)[:_MOST_NAMED]
            raise RequestError(
                f"{len(uppermost)} proposals begin with '{name}'",
                advice="use one of "
                + ", ".join(f"{proposal.id} ('{_short(proposal.request)}')" for proposal in newest),
            )
        raise RequestError(
            f"no proposal is called '{name}'", advice="use `helio proposals` to list all proposals"
        )

    def list(self, *, state: State | None = None) -> list[Proposal]:
        """List the proposals that can be read, newest first; if a state is given, list only proposals in that state."""
        read = [proposal for _, proposal in self._all() if isinstance(proposal, Proposal)]
        newest = sorted(read, key=lambda proposal: (proposal.created_at, proposal.id), reverse=True)
        return [proposal for proposal in newest if state in (None, proposal.state)]

    def working(self, name: str) -> Proposal | None:
        """Find the pending proposal that a user means by an id, its beginning, or the name of a new pipeline.

        A beginning must reach the date in the id, so that it cannot be the name of a pipeline.
        """
        pending = self.list(state="pending")
        if _DATED.search(name):
            meant = [proposal for proposal in pending if proposal.id.startswith(name)]
            return meant[0] if len(meant) == 1 else None
        return next((proposal for proposal in pending if proposal.pipeline == name), None)

    def unaccepted(self, name: str) -> Proposal | None:
        """Find the pending proposal that a user means by a name; return None if a pipeline has this name."""
        try:
            self._library.find(name)
        except UnknownPipeline:
            return self.working(name)
        return None

    def above(self, proposal: Proposal) -> Sequence[Proposal]:
        """List the pending proposals that change this proposal, or change one of those; the lowest first."""
        ids = {proposal.id}
        above: list[Proposal] = []
        for pending in reversed(self.list(state="pending")):
            if pending.on in ids:
                ids.add(pending.id)
                above.append(pending)
        return above

    def beneath(self, proposal: Proposal) -> Sequence[Proposal]:
        """List the pending proposals that this proposal changes, which are accepted with it; the lowest first."""
        beneath: list[Proposal] = []
        while proposal.on:
            proposal = self.load(proposal.on)
            if proposal.state != "pending":
                break
            beneath.insert(0, proposal)
        return beneath

    def damaged(self) -> Sequence[tuple[Path, str]]:
        """List the files in the folder that are not valid proposals, each with the reason."""
        return sorted((path, problem) for path, problem in self._all() if isinstance(problem, str))

    def accept(self, proposal: Proposal, *, only: Sequence[int] = ()) -> Path:
        """Change the pipeline as proposed, and record the change in the pipeline's history.

        The proposals that it changes are accepted first, but only if the chosen changes can be made. If the pipeline
        has changed since, the same changes are made to its present text. If the pipeline already has the proposed
        text, an earlier process was interrupted; only the decision is saved.

        Parameters
        ----------
        only : sequence of int
            Numbers of the changes to make, from 1, in the order of `Proposal.changes`. Default: all.

        Raises
        ------
        RequestError
            The proposal was already accepted or rejected, or the pipeline has changed at the same places. Or the chosen
            changes need another one: they add a step that nothing uses, or draw what nothing computes.
        InvalidTemplate
            The pipeline with the changes cannot run.
        """
        with self._alone():
            self._must_wait(proposal)
            if only and not proposal.before:
                raise RequestError(
                    "a new pipeline is accepted as a whole",
                    advice=f"change the proposal first: `helio edit {proposal.id} 'without …'`",
                )
            beneath = self.beneath(proposal)
            before, after = _template(proposal.before), _template(proposal.after)
            if only:
                self._must_stand_alone(proposal, before, after, only)
            if beneath:
                self._must_run(proposal, merged(before, after, before, only))
            for lower in beneath:
                self._accept(lower, ())
            return self._accept(proposal, only)

    def current(self, proposal: Proposal) -> Proposal:
        """Return a pending proposal as it would be accepted now: its changes, made to the present text of the pipeline.

        Raises
        ------
        RequestError
            The pipeline has changed at the same places, or was deleted.
        """
        if proposal.state != "pending" or not proposal.before:
            return proposal
        beneath = self.beneath(proposal)
        now = self.current(beneath[-1]).after if beneath else self._text(proposal)
        return self._rebased(proposal, now)

    def _accept(self, proposal: Proposal, only: Sequence[int]) -> Path:
        path = None if only else self._made_before(proposal)
        accepted = proposal
        if path is None:
            accepted = self._rebased(proposal, self._text(proposal), only)
            path = self._make(accepted)
        self._keep(replace(accepted, state="accepted"))
        return path

    def _must_run(self, proposal: Proposal, template: Document) -> None:
        errors = tuple(finding for finding in self._prove(template) if finding.severity == "error")
        if errors:
            left_out = "; ".join(change.partition("\n")[0] for change in proposal.left_out)
            without = f", with these changes left out: {left_out}" if left_out else ""
            raise InvalidTemplate(errors, place=f"proposal {proposal.id}, still pending{without}")

    def _text(self, proposal: Proposal) -> str:
        return self._library.text(self._library.find(proposal.pipeline)) if proposal.before else ""

    def _rebased(self, proposal: Proposal, now: str, only: Sequence[int] = ()) -> Proposal:
        """Return the proposal with its chosen changes on the present text `now` of the pipeline."""
        if not proposal.before:
            return proposal
        if now == proposal.before and not only:
            return proposal
        before, after = _template(proposal.before), _template(proposal.after)
        present = parse(now)
        if present.errors:
            raise InvalidTemplate(present.errors, place=f"{proposal.pipeline}, as it is now")
        try:
            template = merged(before, after, present.plan, only)
        except Conflict as conflict:
            raise RequestError(
                f"{proposal.pipeline} has changed since the change was proposed: {conflict.message}",
                place=f"proposal {proposal.id}, still pending",
                advice=f'propose the change again: `helio edit {proposal.pipeline} "{proposal.request}"`',
            ) from conflict
        notes = proposal.notes
        if now != proposal.before:
            notes += (f"{proposal.pipeline} had changed since; the changes were made to its new text",)
        left_out = tuple(
            str(change) for number, change in enumerate(proposal.changes, 1) if only and number not in only
        )
        text = splice(now, present.plan, template)
        return replace(proposal, before=now, after=text, notes=notes, left_out=left_out)

    def _must_stand_alone(
        self, proposal: Proposal, before: Document, after: Document, only: Sequence[int]
    ) -> None:
        """Refuse a part of a proposal that cannot run, or has a step that nothing uses, without another part."""

        def problems(template: Document) -> dict[tuple[str, StepId | None], str]:
            return {
                (finding.code, finding.step_id): f"step {finding.step_id}: {finding.message}"
                for finding in self._prove(template)
                if finding.severity == "error" or finding.code in _USELESS
            }

        def of_part(numbers: Sequence[int]) -> dict[tuple[str, StepId | None], str]:
            found = problems(merged(before, after, before, numbers))
            return {key: message for key, message in found.items() if key not in of_whole}

        of_whole = problems(after)
        alone = of_part(only)
        if not alone:
            return
        needed = list(range(1, len(proposal.changes) + 1))
        for number in [number for number in needed if number not in only]:
            fewer = [other for other in needed if other != number]
            try:
                needed = needed if of_part(fewer) else fewer
            except RequestError:  # it belongs together with another one
                continue
        missing = [number for number in needed if number not in only]
        others = f"{'change' if len(missing) == 1 else 'changes'} {', '.join(map(str, missing))}"
        message = f"without {others}: {'; '.join(dict.fromkeys(alone.values()))}"
        raise NeedsOthers(message, together=needed, proposal=proposal.id)

    def _make(self, proposal: Proposal) -> Path:
        self._must_run(proposal, _template(proposal.after))
        writing = Writing(
            proposal.kind, proposal.by, proposal.request, proposal.prompt_digest, proposal.left_out
        )
        if proposal.before:
            entry = self._library.find(proposal.pipeline)
            return self._library.replace_text(entry, proposal.after, writing, instead_of=proposal.before)
        if (self._library.folder / f"{proposal.pipeline}.json").exists():
            raise RequestError(
                f"a pipeline '{proposal.pipeline}' exists already",
                advice="request the pipeline again, with another name: --as NAME",
            )
        return self._library.save(proposal.template, writing=writing)

    def _made_before(self, proposal: Proposal) -> Path | None:
        """Return the pipeline's file if it already has the text after the proposed change; otherwise return None."""
        path = self._library.folder / f"{proposal.pipeline}.json"
        if proposal.before:
            entry = self._library.find(proposal.pipeline)
            return entry.path if self._library.text(entry) == proposal.after != proposal.before else None
        if not path.is_file() or any(
            proposed.pipeline == proposal.pipeline and proposed.after == proposal.after
            for proposed in self.list(state="accepted")
        ):
            return None  # another one made it
        entry = self._library.own(proposal.pipeline)
        return path if self._library.text(entry) == as_text(proposal.template) else None

    def undo(self, path: Path) -> Proposal:
        """Restore the text that a pipeline file outside the library had before the last accepted change.

        Raises
        ------
        RequestError
            The file's present text did not come from an accepted proposal.
        """
        with self._alone():
            return self._undone(path)

    def _undone(self, path: Path) -> Proposal:
        text = self._library.text(self._library.find(str(path)))
        accepted = self.list(state="accepted")
        undone = next(
            (
                proposal
                for proposal in accepted
                if proposal.pipeline == str(path) and proposal.before and proposal.after == text
            ),
            None,
        )
        if undone is None:
            raise RequestError(
                f"the present text of {path} does not come from an accepted proposal",
                advice="first undo by hand the changes that were made by hand; helio can undo only accepted proposals",
            )
        write_whole(path, undone.before.encode())
        return undone

    def reject(self, proposal: Proposal, *, because: str = "") -> Sequence[Proposal]:
        """Reject a proposal, and the pending proposals that change it; the pipeline stays as it is.

        Parameters
        ----------
        because : str
            The reason, which the author gets with the next request about this pipeline; kept with `proposal` alone.

        Returns
        -------
        sequence of Proposal
            All rejected proposals.

        Raises
        ------
        RequestError
            The proposal was already accepted or rejected.
        """
        with self._alone():
            self._must_wait(proposal)
            rejected = (proposal, *self.above(proposal))
            for gone in rejected:
                self._keep(replace(gone, state="rejected", because=because if gone is proposal else ""))
            return rejected

    def remove(self, proposal: Proposal) -> None:
        """Remove a proposal that was not shown to anybody."""
        (self._folder / f"{proposal.id}.json").unlink(missing_ok=True)

    def _alone(self) -> AbstractContextManager[None]:
        """Lock the proposals during a ``with`` block, so that two decisions cannot be made at the same time."""
        return held(self._folder / "lock")

    def _without_catalogue(self, template: Document) -> Sequence[Diagnostic]:
        # few commands need it
        from helio.pipelines.plan import check

        now = datetime.now(UTC).replace(tzinfo=None)
        return check(template, now=now, pipelines=self._library.templates()).diagnostics

    def _must_wait(self, proposal: Proposal) -> None:
        state = self.load(proposal.id).state
        if state != "pending":
            raise RequestError(f"proposal {proposal.id} {_DECIDED[state]} already")

    def _all(self) -> Iterator[tuple[Path, Proposal | str]]:
        """Yield every file in the folder with its proposal, or with the reason why the file is not a valid proposal."""
        for path in self._folder.glob("*.json"):
            try:
                yield path, _proposal(path)
            except FileNotFoundError:
                continue  # removed meanwhile
            except DamagedRecord as error:
                yield path, error.message
            except (ValueError, RecursionError) as error:
                yield path, f"the proposed text is not JSON: {error}"

    def _keep(self, proposal: Proposal) -> None:
        text = json.dumps(asdict(proposal), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{proposal.id}.json", text.encode())


def prompt_digest(text: str) -> str:
    """Return the SHA-256 digest of a prompt, ``sha256:…``."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _proposal(path: Path) -> Proposal:
    """Read the proposal in a file.

    Raises
    ------
    DamagedRecord
        The file has no proposal, or that of another file.
    """
    proposal = read_record(path, Proposal)
    wrong = ""
    if proposal.id != path.stem:
        wrong = f"'id' is '{proposal.id[:60]}', which differs from the file name"
    elif not all(isinstance(diagnostic.get("code"), str) for diagnostic in proposal.diagnostics):
        wrong = "an entry of 'diagnostics' lacks 'code'"
    elif proposal.after and not _is_template(_read(proposal.after)):
        wrong = "'after' is not a template"
    if wrong:
        raise DamagedRecord(f"{path} cannot be read: {wrong}")
    return proposal


def _is_template(value: Any) -> bool:
    """Return whether a JSON value looks like a template, so that helio can show it; other code verifies the details."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return False
    variables = value.get("variables") or {}
    return (
        isinstance(variables, dict)
        and all(isinstance(variable, dict) for variable in variables.values())
        and all(
            isinstance(step, dict) and "step_id" in step and isinstance(step.get("tool_args", {}), dict)
            for step in value["steps"]
        )
    )


def _short(request: str) -> str:
    line = " ".join(request.split())
    return line if len(line) <= _LONGEST_REQUEST else f"{line[: _LONGEST_REQUEST - 1]}…"


def _read(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff")) if text else {}


def _template(text: str) -> Document:
    """Read a template, also one that uses other names and forms that helio understands."""
    return parse(text).plan if text else {}
