"""Run records: what was asked, planned and done, kept step by step as it happens."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypedDict

from helio.errors import DamagedRecord, OutputError, RequestError, UnknownRun
from helio.store.files import json_bytes, make_durable, replace_through, unwritable, write_all
from helio.store.keys import key_of
from helio.store.process import Process, temporary_name, this_process
from helio.store.records import (
    Count,
    Digest,
    InstantOrEmpty,
    Seconds,
    Sha256OrEmpty,
    WrongShape,
    convert,
    parse_record,
    read_bytes,
    read_json,
    read_record,
)
from helio.store.source_file import SourceFile

HEADER = "run.json"
STEPS = "steps.jsonl"
LARGEST = 1024**3
"""Bytes of a file of a run record."""
LAST = "last"
"""What stands for the id of the run that began last."""
FINISHED = ("success", "partial", "failed")
"""The statuses of a run that came to the end of its plan, unless it says an error."""
_ADVICE = "helio runs delete RUN removes the record; what the run made stays"


class BareHeader(TypedDict):
    """What every header of a run has."""

    id: str
    status: Literal["running", "success", "partial", "failed", "cancelled"]
    process: Process


class ArtefactRecord(TypedDict):
    """A file that a run wrote."""

    file: str
    step_id: str | int
    kind: str
    sha256: Sha256OrEmpty


class WrittenFile(TypedDict):
    """A file beside a run's record in a folder of output."""

    file: str


class WrittenFiles(TypedDict):
    """What the record in a folder of output says of its files."""

    artefacts: list[WrittenFile]


class ShownText(TypedDict):
    """Something of a run that is shown by its message."""

    message: str


class RunHeader(BareHeader, total=False):
    """What a run was asked, and how it ended; `RunRecord.whole_header` has all that is in `_REQUIRED`."""

    pipeline: str
    template_digest: str
    started_at: InstantOrEmpty
    finished_at: InstantOrEmpty
    now: InstantOrEmpty
    values: dict[str, Any]
    archive: str
    command: list[str]
    engine: str
    environment: dict[str, str]
    rules: dict[str, int]
    artefacts: list[Any]
    missing: list[Any]
    unwritten: list[str]
    error: str
    citations: list[dict[str, Any]]


_REQUIRED = ("pipeline", "template_digest", "started_at", "now", "values", "command", "environment")
"""What the header of every run has that a helio began."""


class RecipeRecord(TypedDict, total=False):
    """What a result was made from: of a fetch its range and choices, else arguments and inputs."""

    tool: str
    version: int
    range: tuple[str, str]
    choices: list[ChoiceRecord]
    args: dict[str, Any]
    inputs: Any


class ChoiceRecord(TypedDict):
    """One dataset that a fetch may take: the names and identities of its files, or why it has none."""

    dataset: str
    parameter: str
    provider: str
    files: str | list[tuple[str, str]]


class BareOutput(TypedDict):
    """What every output of a step has."""

    label: str
    key: str
    recipe: RecipeRecord
    digest: Digest
    suffix: str
    cached: bool
    sources: list[SourceFile]


class OutputRecord(BareOutput, total=False):
    """A table, a figure or an export that a step made."""

    made_at: InstantOrEmpty
    notes: list[str]
    components: list[str]
    frame: str
    unit: str
    rows: Count
    filename: str
    media_type: str


class AttemptRecord(TypedDict):
    """One dataset that a fetch tried."""

    dataset_id: str
    outcome: str


class ErrorRecord(TypedDict):
    """Why a step failed."""

    kind: str
    message: str
    place: str
    advice: str


class BareStep(TypedDict):
    """What every step of a run has."""

    step_id: str | int
    tool_name: str
    tool_version: Count
    state: Literal["completed", "cached", "skipped", "failed"]
    reason: str
    error: ErrorRecord | None
    attempts: list[AttemptRecord]
    outputs: list[OutputRecord]


class StepRecord(BareStep, total=False):
    """What came of one step."""

    critical: bool
    without: list[str]
    seconds: Seconds
    not_measured: list[str]
    maybe_not_measured: list[str]


class EditRecord(TypedDict):
    """What a pass did to a template."""

    code: str
    kind: str
    step_id: str | int | None
    message: str


class TemplateStep(TypedDict):
    """A step of a template in a run record."""

    step_id: str | int


class PlanStep(TemplateStep, total=False):
    """A step of a plan in a run record."""

    tool_name: str
    tool_args: dict[str, Any]
    produces: list[str]
    annotations: dict[str, Any]


class AuthoredDocument(TypedDict):
    """The template of a run as it was written."""

    id: str
    steps: list[TemplateStep]


class PlannedDocument(TypedDict):
    """The template of a run after its passes."""

    id: str
    steps: list[PlanStep]


@dataclass(frozen=True)
class RunSummary:
    """One line of a list of runs.

    Parameters
    ----------
    id : str
    pipeline : str
    status : str
        ``"running"``; ``"crashed"`` when its process is gone without a word; ``"damaged"`` when its record cannot be
        read; else what `RunRecord.finish` was told.
    started_at, finished_at : str
        ISO 8601; empty where unknown.
    """

    id: str
    pipeline: str
    status: str
    started_at: str
    finished_at: str = ""
    note: str = ""


@dataclass(frozen=True)
class RunRecord:
    """The record of one run, a folder: read anew each time it is asked, so that a running one can be watched.

    Parameters
    ----------
    folder : Path
        ``run.json``, ``steps.jsonl`` and one file for each document.
    """

    folder: Path
    _appending: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The run's id, which is its folder's name."""
        return self.folder.name

    @property
    def header(self) -> RunHeader:
        """What `Runs.begin` was given, with process and status, and what `finish` added.

        Raises
        ------
        UnknownRun
            The record was deleted.
        DamagedRecord
        """
        try:
            header = read_record(self.folder / HEADER, RunHeader, advice=_ADVICE)
        except FileNotFoundError:
            if self.folder.is_dir():
                raise DamagedRecord(
                    f"the record of run '{self.id}' has lost its {HEADER}", advice=_ADVICE
                ) from None
            raise UnknownRun(f"the run '{self.id}' was deleted") from None
        if header["id"] != self.id:
            raise DamagedRecord(
                f"{self.folder / HEADER}: id is '{header['id'][:60]}', and the folder is of run '{self.id}'",
                advice=_ADVICE,
            )
        return header

    @property
    def whole_header(self) -> RunHeader:
        """The header with everything that a run of helio says from its beginning.

        Raises
        ------
        UnknownRun, DamagedRecord
        """
        header = self.header
        lacking = next((name for name in _REQUIRED if not header.get(name) and name != "values"), None)
        if lacking is not None or "values" not in header:
            raise DamagedRecord(f"{self.folder / HEADER}: it lacks '{lacking or 'values'}'", advice=_ADVICE)
        try:
            convert(header.get("artefacts", []), list[ArtefactRecord], "artefacts")
            convert(header.get("missing", []), list[ShownText], "missing")
        except WrongShape as error:
            raise DamagedRecord(f"{self.folder / HEADER}: {error}", advice=_ADVICE) from error
        return header

    @property
    def status(self) -> str:
        """``"running"``, ``"crashed"``, or what `finish` was told."""
        return _status(self.header)

    @property
    def process(self) -> Process:
        """Who runs it, or ran it."""
        return self.header["process"]

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What `step` was given, in order, as it is in the file; a line that cannot be read is left out."""
        return self._read_steps()[0]

    @property
    def step_records(self) -> list[StepRecord]:
        """All steps, checked: none is left out but that which the writer did not live to finish.

        Raises
        ------
        UnknownRun
        DamagedRecord
            A line is damaged; the files of a fetch are not those of its key; a finished run lacks a step of its plan.
        """
        header, content = self.header, self._step_lines()
        *lines, rest = content
        finished = header["status"] in FINISHED and not header.get("error")
        if rest and finished:
            lines.append(rest)
        found = [self._step_record(line, number) for number, line in enumerate(lines, start=1)]
        if finished and (self.folder / "plan.json").exists():
            done = {str(step["step_id"]) for step in found}
            lost = [step["step_id"] for step in self.plan["steps"] if str(step["step_id"]) not in done]
            if lost:
                raise DamagedRecord(
                    f"{self.folder / STEPS}: it lacks step '{lost[0]}' of the plan", advice=_ADVICE
                )
        return found

    @property
    def readable_steps(self) -> tuple[list[StepRecord], tuple[str, ...]]:
        """The steps that can be read, and in words those that cannot: to show a record, not to use it."""
        *lines, rest = self._step_lines()
        found, notes = [], []
        for number, line in enumerate(lines, start=1):
            try:
                found.append(self._step_record(line, number))
            except DamagedRecord as error:
                notes.append(f"{error.message}; the step is left out")
        notes += _note_of_rest(rest)
        if not notes:
            try:
                _ = self.step_records
            except DamagedRecord as error:  # steps of the plan that the record lacks
                notes.append(error.message)
        return found, tuple(notes)

    @property
    def authored(self) -> Any:
        """The template as it was written, a dict.

        Raises
        ------
        DamagedRecord
        """
        return self._document("authored.json", AuthoredDocument)

    @property
    def normalised(self) -> Any:
        """The template after the passes that need no values, a dict."""
        return self._document("normalised.json", PlannedDocument)

    @property
    def plan(self) -> PlannedDocument:
        """What was planned to run."""
        found: PlannedDocument = self._document("plan.json", PlannedDocument)
        return found

    @property
    def edits(self) -> list[EditRecord]:
        """What the passes did."""
        path = self.folder / "edits.jsonl"
        return [
            parse_record(line, EditRecord, f"{path}: line {number}", advice=_ADVICE)
            for number, line in enumerate(self._content(path).splitlines(), start=1)
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tolerated in reading, in words."""
        return self._read_steps()[1]

    @property
    def documents(self) -> dict[str, Any]:
        """The documents by name: ``"authored"``, ``"normalised"``, ``"plan"``, ``"edits"``."""
        found: dict[str, Any] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name in (HEADER, STEPS) or path.name.startswith("."):
                continue
            try:
                if path.suffix == ".json":
                    found[path.stem] = read_json(self._content(path))
                elif path.suffix == ".jsonl":
                    found[path.stem] = [read_json(line) for line in self._content(path).splitlines()]
            except WrongShape as error:
                raise DamagedRecord(
                    f"{path.name} of run '{self.id}' is damaged: {error}", advice=_ADVICE
                ) from error
        return found

    @property
    def keys(self) -> frozenset[str]:
        """Every key that the steps name, be it of a result or within a recipe; none where they cannot be read.

        Far quicker than `steps`.
        """
        try:
            found = re.findall(rb"key:[0-9a-f]{64}", read_bytes(self.folder / STEPS, largest=LARGEST))
        except (FileNotFoundError, DamagedRecord):
            return frozenset()
        return frozenset(word.decode() for word in found)

    def step(self, record: Mapping[str, Any]) -> None:
        """Add one finished step; once this returns, neither kill -9 nor a power cut takes it away.

        Parameters
        ----------
        record : mapping
            JSON: ``step_id``, ``tool``, ``state``, ``keys``, ``digests``, ``recipes``, ``reason``, ``error``,
            ``attempts``, ``sources``, ``seconds``. Digests and keys anywhere in it keep objects from `collect`.

        Raises
        ------
        OutputError
            The record cannot be written. What was there before is whole.
        """
        line = _json(record).encode() + b"\n"
        path = self.folder / STEPS
        with self._appending:
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
                try:
                    before = os.fstat(descriptor).st_size
                    try:
                        write_all(descriptor, line)
                        os.fsync(descriptor)
                    except BaseException:
                        os.ftruncate(descriptor, before)
                        raise
                finally:
                    os.close(descriptor)
            except OSError as error:
                raise unwritable(path, error) from error

    def finish(
        self,
        status: str,
        artefacts: Sequence[Mapping[str, Any]] = (),
        *,
        finished_at: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Say how the run ended, and what it wrote.

        Raises
        ------
        OutputError
            The record cannot be written: the run stays ``running``, and is ``crashed`` once its process ends.
        """
        ended = {"status": status, "artefacts": list(artefacts), "finished_at": finished_at}
        header = {**self.header, **(facts or {}), **ended}
        header["process"] = self.header["process"].to_json()
        path = self.folder / HEADER
        try:
            replace_through(self.folder / f".{temporary_name()}", path, _pretty(header))
        except OSError as error:
            raise unwritable(path, error) from error

    def summary(self) -> RunSummary:
        """The run in one line; a damaged one too."""
        try:
            header = self.header
        except DamagedRecord as error:
            return RunSummary(self.id, "", "damaged", "", note=error.message)
        status, process = _status(header), header["process"]
        elsewhere = status == "running" and process.fate == "elsewhere"
        return RunSummary(
            id=self.id,
            pipeline=header.get("pipeline", ""),
            status=status,
            started_at=header.get("started_at", ""),
            finished_at=header.get("finished_at", ""),
            note=f"on {process.host}, as far as is known here" if elsewhere else "",
        )

    def _content(self, path: Path) -> bytes:
        try:
            return read_bytes(path, advice=_ADVICE, largest=LARGEST)
        except FileNotFoundError as error:
            raise DamagedRecord(
                f"the record of run '{self.id}' has lost its {path.name}", advice=_ADVICE
            ) from error

    def _document(self, name: str, kind: Any) -> Any:
        path = self.folder / name
        return parse_record(self._content(path), kind, path, advice=_ADVICE)

    def _step_lines(self) -> list[bytes]:
        """The lines of the steps; what is behind the last line break, if anything, is the last one."""
        return self._content(self.folder / STEPS).split(b"\n")

    def _step_record(self, line: bytes, number: int) -> StepRecord:
        place = f"{self.folder / STEPS}: line {number}"
        step = parse_record(line, StepRecord, place, advice=_ADVICE)
        raw = read_json(line)["outputs"]
        for output, written in zip(step["outputs"], raw, strict=True):
            # what other steps were made from, verify does again and compares
            if "range" in written["recipe"] and key_of(written["recipe"]) != output["key"]:
                raise DamagedRecord(
                    f"{place}: the recipe of '{output['label'] or step['step_id']}' is not that of its key",
                    advice=_ADVICE,
                )
        return step

    def _read_steps(self) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        *lines, rest = self._step_lines()
        steps, notes = [], []
        for number, line in enumerate(lines, start=1):
            try:
                steps.append(convert(read_json(line), dict[str, Any]))
            except WrongShape:
                notes.append(f"line {number} of {STEPS} is damaged and left out")
        return steps, (*notes, *_note_of_rest(rest))


class Runs:
    """The records of all runs, a folder each.

    Parameters
    ----------
    root : Path
        Made when a run begins; not looked at before.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def begin(self, header: Mapping[str, Any], documents: Mapping[str, Any]) -> RunRecord:
        """Make the record of a run that this process begins: whole, or not at all.

        Parameters
        ----------
        header : mapping
            JSON: ``id``, ``pipeline``, ``template_digest``, ``started_at``, ``values``, ``clock``, ``command``,
            ``environment``, ``rules``. Status and process are added.
        documents : mapping
            JSON by name: ``authored``, ``normalised``, ``plan``, ``edits``. A list becomes one line per item.

        Raises
        ------
        OutputError
            The folder cannot be written, the disk is full, or there is a run of that id.
        """
        run_id = str(header["id"])
        if not _is_id(run_id):
            raise ValueError(f"{run_id!r} cannot be the id of a run")
        folder, temporary = self.root / run_id, self.root / f".{temporary_name()}"
        content = {HEADER: _pretty({**header, "status": "running", "process": this_process().to_json()})}
        content[STEPS] = b""
        for name, document in documents.items():
            lines = isinstance(document, (list, tuple))
            content[f"{name}.jsonl" if lines else f"{name}.json"] = (
                "".join(_json(one) + "\n" for one in document).encode() if lines else _pretty(document)
            )
        try:
            temporary.mkdir(parents=True)
            try:
                for name, one in content.items():
                    replace_through(temporary / f".{name}", temporary / name, one)
                make_durable(temporary)
                # A folder moves only to where there is none or an empty one, and a record is never empty.
                os.rename(temporary, folder)
                make_durable(self.root)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)  # what cannot be removed now is collected later
                raise
        except OSError as error:
            if folder.is_dir():
                raise OutputError(f"there is a run '{run_id}' already", advice="run again") from error
            raise unwritable(folder, error) from error
        return RunRecord(folder)

    def ids(self) -> Sequence[str]:
        """The ids of all runs; no record is read."""
        return sorted(self._ids())

    def list(self) -> list[RunSummary]:
        """All runs, newest first, by the clocks they were started at."""
        found = []
        for name in self._ids():
            with suppress(UnknownRun):  # deleted meanwhile
                found.append(RunRecord(self.root / name).summary())
        return sorted(found, key=lambda one: (one.started_at, one.id), reverse=True)

    def newest(self, count: int) -> tuple[RunRecord, ...]:
        """The records that were written last, newest first, by the times of their folders; none of them is read."""
        written = []
        for name in self._ids():
            with suppress(OSError):  # deleted meanwhile
                written.append(((self.root / name).stat().st_mtime_ns, name))
        return tuple(RunRecord(self.root / name) for _, name in sorted(written, reverse=True)[:count])

    def load(self, run_id: str) -> RunRecord:
        """Find the record of an id, of the only id that begins so, or of the run that began last (`LAST`).

        Raises
        ------
        UnknownRun
            With the closest ids, or with all that begin so.
        """
        if run_id == LAST and (summaries := self.list()):
            return RunRecord(self.root / summaries[0].id)
        ids = sorted(self._ids())
        if not ids:
            message = "there are no runs yet" if run_id == LAST else f"no run is called '{run_id}'"
            raise UnknownRun(message, advice="make the first run: helio run PIPELINE")
        found = [run_id] if run_id in ids else [one for one in ids if run_id and one.startswith(run_id)]
        if len(found) == 1:
            return RunRecord(self.root / found[0])
        if found:
            raise UnknownRun(f"{len(found)} runs begin with '{run_id}'", advice=_listed(found))
        close = difflib.get_close_matches(run_id, ids, n=3, cutoff=0.5)
        advice = f"did you mean {_listed(close)}?" if close else "helio runs lists them"
        raise UnknownRun(f"no run is called '{run_id}'", advice=advice)

    def delete(self, run_id: str) -> None:
        """Delete the record of a run; the objects it refers to stay until they are collected.

        Raises
        ------
        UnknownRun
        RequestError
            It is running, on this machine.
        OutputError
            The folder cannot be written.
        """
        record = self.load(run_id)
        if record.summary().status == "running" and record.process.fate == "works":
            raise RequestError(f"the run '{record.id}' is running", advice="end it first")
        doomed = self.root / f".{temporary_name()}"  # out of sight first: a record is never half there
        try:
            os.rename(record.folder, doomed)
            shutil.rmtree(doomed)
        except FileNotFoundError:
            return  # another process has deleted it
        except OSError as error:
            raise unwritable(record.folder, error) from error

    def _ids(self) -> set[str]:
        try:
            with os.scandir(self.root) as found:
                return {one.name for one in found if not one.name.startswith(".") and one.is_dir()}
        except (FileNotFoundError, NotADirectoryError):
            return set()


def message_of(step: StepRecord) -> str:
    """Why a step failed; empty where it did not."""
    return "" if step["error"] is None else step["error"]["message"]


def _note_of_rest(rest: bytes) -> tuple[str, ...]:
    said = f"the last line of {STEPS} ends in the middle: its writer was killed; it is left out"
    return (said,) if rest else ()


def _status(header: RunHeader) -> str:
    if header["status"] == "running" and header["process"].fate == "gone":
        return "crashed"
    return header["status"]


def _is_id(name: str) -> bool:
    return (
        bool(name) and not name.startswith(".") and "/" not in name and "\0" not in name and len(name) <= 200
    )


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(f"'{one}'" for one in ids[:5]) + (" …" if len(ids) > 5 else "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _pretty(value: Any) -> bytes:
    return json_bytes(value)


__all__ = ["RunHeader", "RunRecord", "RunSummary", "Runs", "StepRecord", "message_of"]
