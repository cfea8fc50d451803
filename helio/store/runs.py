"""Run records: the request, the plan and the outcome of each run, written step by step during the run."""

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
from helio.store.work_keys import key_of

HEADER = "run.json"
STEPS = "steps.jsonl"
LARGEST = 1024**3
"""Maximum bytes of a file of a run record."""
LAST = "last"
"""Word that a user may write instead of an id, for the run that began last."""
_MOST_NAMED = 5
"""Maximum number of runs that an advice names."""
FINISHED = ("success", "partial", "failed")
"""Statuses of a run that reached the end of its plan, if its record contains no error."""
_json = json.JSONEncoder(allow_nan=False).encode
_ADVICE = "to remove the damaged record, run `helio runs delete RUN`; the results of the run stay"


class BareHeader(TypedDict):
    """Keys that the header of every run has."""

    id: str
    status: Literal["running", "success", "partial", "failed", "cancelled"]
    process: Process


class ArtefactRecord(TypedDict):
    """A file that a run wrote, with the step that made the file and the sha256 of its bytes."""

    file: str
    step_id: str | int
    kind: str
    sha256: Sha256OrEmpty


class WrittenFile(TypedDict):
    """A file in a run's output folder, in the same folder as the list that names it."""

    file: str


class WrittenFiles(TypedDict):
    """The pipeline of a run, and the files that the run wrote into an output folder."""

    pipeline: str
    artefacts: list[WrittenFile]


class ShownText(TypedDict):
    """Message about a run, with the step that it concerns."""

    message: str


class EventRecord(TypedDict):
    """Event that a step reported, as `helio.store.events.Event`, with its step, its table and a figure of the run."""

    step_id: str | int
    label: str
    kind: Literal["alert", "unmet"]
    message: str
    start: InstantOrEmpty
    stop: InstantOrEmpty
    value: float | None
    unit: str
    time: InstantOrEmpty
    figure: str


class RunHeader(BareHeader, total=False):
    """Header of a run: its request, and how the run ended. `RunRecord.whole_header` checks the keys in `_REQUIRED`."""

    pipeline: str
    template_digest: str
    started_at: InstantOrEmpty
    finished_at: InstantOrEmpty
    now: InstantOrEmpty
    values: dict[str, Any]
    archive: str
    self_contained: bool
    command: list[str]
    engine: str
    environment: dict[str, str]
    rules: dict[str, int]
    artefacts: list[Any]
    missing: list[Any]
    unwritten: list[str]
    error: str
    error_kind: str
    """Name of the class of `error`, an error that ended the run outside its steps."""
    citations: list[dict[str, Any]]
    events: list[EventRecord]


_REQUIRED = ("pipeline", "template_digest", "started_at", "now", "values", "command", "environment")
"""Keys that helio writes at the beginning of every run; `RunRecord.whole_header` checks that they are there."""


class RecipeRecord(TypedDict, total=False):
    """What determines a result: for a fetch its time range and datasets, for other steps their arguments and inputs."""

    tool: str
    version: int
    range: tuple[str, str]
    choices: list[ChoiceRecord]
    args: dict[str, Any]
    inputs: Any


class ChoiceRecord(TypedDict):
    """A dataset that a fetch may use: the names and identities of its files, or the reason why it has no files."""

    dataset: str
    parameter: str
    provider: str
    files: str | list[tuple[str, str]]


class BareOutput(TypedDict):
    """Keys that the record of every output of a step has."""

    label: str
    key: str
    recipe: RecipeRecord
    digest: Digest
    suffix: str
    cached: bool
    sources: list[SourceFile]


class BareLabelQuality(TypedDict):
    """Keys that the quality of every label in a figure has."""

    label: str
    records: Count


class LabelQuality(BareLabelQuality, total=False):
    """Records of a label in the time range of a figure; `helio.steps.render.quality` explains the keys."""

    coverage: float
    valid: Count
    expected: Count
    empty: str


class BareTraceQuality(TypedDict):
    """Keys that the quality of every trace in a figure has."""

    label: str
    name: str
    values: Count
    missing: Count
    drawn: Count


class TraceQuality(BareTraceQuality, total=False):
    """Values of a trace that a figure shows and leaves out."""

    clipped: Count
    not_above_zero: Count
    empty: str


class BarePanelQuality(TypedDict):
    """Keys that the quality of every panel of a figure has."""

    panel: Count
    kind: str
    labels: list[LabelQuality]
    traces: list[TraceQuality]


class PanelQuality(BarePanelQuality, total=False):
    """How much of its data a panel of a figure shows; ``empty`` says why it has none."""

    empty: str


class OutputRecord(BareOutput, total=False):
    """Record of a table, a figure or an exported file that a step made."""

    made_at: InstantOrEmpty
    notes: list[str]
    components: list[str]
    frame: str
    unit: str
    rows: Count
    filename: str
    media_type: str
    quality: list[PanelQuality]


class AttemptRecord(TypedDict):
    """Record of a dataset that a fetch tried, and what happened."""

    dataset_id: str
    outcome: str


class ErrorRecord(TypedDict):
    """Record of the error of a failed step."""

    kind: str
    message: str
    place: str
    advice: str


class BareStep(TypedDict):
    """Keys that the record of every step has."""

    step_id: str | int
    tool_name: str
    tool_version: Count
    state: Literal["completed", "cached", "skipped", "failed"]
    reason: str
    error: ErrorRecord | None
    attempts: list[AttemptRecord]
    outputs: list[OutputRecord]


class _NamedDocument(TypedDict):
    name: str
    sha256: str


class DocumentRecord(_NamedDocument, total=False):
    """A document from which values of a pipeline were read, with the pages."""

    pages: list[int]


class StepRecord(BareStep, total=False):
    """Record of one step of a run: what it made, or why it failed."""

    critical: bool
    without: list[str]
    seconds: Seconds
    sought: list[ChoiceRecord]
    """Datasets that a failed fetch could have used, with the files that their providers listed."""
    not_measured: list[str]
    maybe_not_measured: list[str]
    documents: list[DocumentRecord]
    """Documents from which numbers of the step were read, and not measured."""


class EditRecord(TypedDict):
    """Record of a change that helio made to a template before the run."""

    code: str
    kind: str
    step_id: str | int | None
    message: str


class TemplateStep(TypedDict):
    """A step of a template, as a run record contains it."""

    step_id: str | int


class PlanStep(TemplateStep, total=False):
    """A step of a plan, as a run record contains it."""

    tool_name: str
    tool_args: dict[str, Any]
    produces: list[str]
    annotations: dict[str, Any]


class AuthoredDocument(TypedDict):
    """The template of a run as its writer wrote it."""

    id: str
    steps: list[TemplateStep]


class PlannedDocument(TypedDict):
    """The template of a run after helio checked and rewrote it."""

    id: str
    steps: list[PlanStep]


@dataclass(frozen=True)
class RunSummary:
    """Summary of a run in one line, for a list of runs.

    Parameters
    ----------
    id : str
    pipeline : str
    status : str
        ``"running"``; ``"crashed"`` when its process ended without closing the record; ``"damaged"`` when its record
        cannot be read; otherwise the status given to `RunRecord.finish`.
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
    """Record of one run: a folder of files. Every use reads the files again, so that a running run can be watched.

    Parameters
    ----------
    folder : Path
        ``run.json``, ``steps.jsonl`` and one file for each document.
    """

    folder: Path
    _appending: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    _durable: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)
    """Set when the files that `Runs.begin` wrote are safely on the disk. Until then, later writes do not
    wait for the disk."""

    @property
    def id(self) -> str:
        """Return the id of the run, which is the name of its folder."""
        return self.folder.name

    @property
    def shown(self) -> str:
        """Name the run in a sentence: ``run mine-20240511T000000Z-1a2b``, or ``the last preview``."""
        return "the last preview" if self.folder.parent.name == "previews" else f"run {self.id}"

    @property
    def header(self) -> RunHeader:
        """Return the header of the run: request, process and status, and the facts that `finish` added.

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
                    f"the record of run '{self.id}' has no file {HEADER}", advice=_ADVICE
                ) from None
            raise UnknownRun(f"the run '{self.id}' was deleted") from None
        if header["id"] != self.id:
            raise DamagedRecord(
                f"{self.folder / HEADER} has the id '{header['id'][:60]}', but its folder is that of run '{self.id}'",
                advice=_ADVICE,
            )
        return header

    @property
    def whole_header(self) -> RunHeader:
        """Return the header, after checking that it has every key that helio writes at the beginning of a run.

        Raises
        ------
        UnknownRun, DamagedRecord
        """
        header = self.header
        lacking = next((name for name in _REQUIRED if not header.get(name) and name != "values"), None)
        if lacking is not None or "values" not in header:
            raise DamagedRecord(
                f"{self.folder / HEADER} is damaged: the key '{lacking or 'values'}' is missing",
                advice=_ADVICE,
            )
        try:
            convert(header.get("artefacts", []), list[ArtefactRecord], "artefacts")
            convert(header.get("missing", []), list[ShownText], "missing")
        except WrongShape as error:
            raise DamagedRecord(f"{self.folder / HEADER}: {error}", advice=_ADVICE) from error
        return header

    @property
    def status(self) -> str:
        """Return ``"running"``, ``"crashed"``, or the status given to `finish`."""
        return _status(self.header)

    @property
    def process(self) -> Process:
        """Return the identity of the process that does or did the run."""
        return self.header["process"]

    @property
    def steps(self) -> list[dict[str, Any]]:
        """Return the records given to `step`, in order, as they are in the file; skip lines that cannot be read."""
        return self._read_steps()[0]

    @property
    def step_records(self) -> list[StepRecord]:
        """Return all steps, checked; skip only the last line if a killed process left it unfinished.

        Raises
        ------
        UnknownRun
        DamagedRecord
            A line is damaged; the files of a fetch do not match its key; a finished run lacks a step of its plan.
        """
        header, content = self.header, self._step_lines()
        *lines, rest = content
        finished = header["status"] in FINISHED and not header.get("error")
        if rest and finished:
            lines.append(rest)
        records = [self._step_record(line, number) for number, line in enumerate(lines, start=1)]
        if finished and (self.folder / "plan.json").exists():
            done = {str(step["step_id"]) for step in records}
            lost = [step["step_id"] for step in self.plan["steps"] if str(step["step_id"]) not in done]
            if lost:
                raise DamagedRecord(
                    f"{self.folder / STEPS} is damaged: step '{lost[0]}' of the plan is missing",
                    advice=_ADVICE,
                )
        return records

    @property
    def readable_steps(self) -> tuple[list[StepRecord], tuple[str, ...]]:
        """Return the steps that can be read, and notes on the others, to show a damaged record to a person."""
        *lines, rest = self._step_lines()
        steps, notes = [], []
        for number, line in enumerate(lines, start=1):
            try:
                steps.append(self._step_record(line, number))
            except DamagedRecord as error:
                notes.append(f"{error.message}; the step is skipped")
        notes += _note_of_rest(rest)
        if not notes:
            try:
                _ = self.step_records
            except DamagedRecord as error:  # steps of the plan that the record lacks
                notes.append(error.message)
        return steps, tuple(notes)

    @property
    def authored(self) -> Any:
        """Return the template as its writer wrote it, as a dict.

        Raises
        ------
        DamagedRecord
        """
        return self._document("authored.json", AuthoredDocument)

    @property
    def normalised(self) -> Any:
        """Return the template after helio rewrote it, but before values are set for its variables, as a dict."""
        return self._document("normalised.json", PlannedDocument)

    @property
    def plan(self) -> PlannedDocument:
        """Return the plan of the run."""
        plan: PlannedDocument = self._document("plan.json", PlannedDocument)
        return plan

    @property
    def edits(self) -> list[EditRecord]:
        """Return the changes that helio made to the template."""
        path = self.folder / "edits.jsonl"
        return [
            parse_record(line, EditRecord, f"{path}: line {number}", advice=_ADVICE)
            for number, line in enumerate(self._content(path).splitlines(), start=1)
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on the lines of the record that could not be read and were skipped."""
        return self._read_steps()[1]

    @property
    def documents(self) -> dict[str, Any]:
        """Return the documents of the run by name: ``"authored"``, ``"normalised"``, ``"plan"``, ``"edits"``."""
        documents: dict[str, Any] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name in (HEADER, STEPS) or path.name.startswith("."):
                continue
            try:
                if path.suffix == ".json":
                    documents[path.stem] = read_json(self._content(path))
                elif path.suffix == ".jsonl":
                    documents[path.stem] = [read_json(line) for line in self._content(path).splitlines()]
            except WrongShape as error:
                raise DamagedRecord(
                    f"{path.name} of run '{self.id}' is damaged: {error}", advice=_ADVICE
                ) from error
        return documents

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of all results and inputs in the steps; return an empty set if the file cannot be read.

        Much faster than `steps`.
        """
        try:
            keys = re.findall(rb"key:[0-9a-f]{64}", read_bytes(self.folder / STEPS, largest=LARGEST))
        except (FileNotFoundError, DamagedRecord):
            return frozenset()
        return frozenset(word.decode() for word in keys)

    def make_durable(self) -> None:
        """Wait until the new record is on the disk, so that a power cut cannot lose the record.

        Only a run that makes results needs it: without work lost, the same command writes the record again.

        Raises
        ------
        OutputError
            The record cannot be written.
        """
        try:
            for path in (*self.folder.iterdir(), self.folder, self.folder.parent):
                make_durable(path)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        self._durable.set()

    def step(self, *records: Mapping[str, Any]) -> None:
        """Add finished steps to the record, all or none; afterwards even ``kill -9`` cannot lose them.

        After `make_durable`, a power cut does not lose them either.

        Parameters
        ----------
        *records : mapping
            JSON, one for each step: ``step_id``, ``tool``, ``state``, ``keys``, ``digests``, ``recipes``,
            ``reason``, ``error``, ``attempts``, ``sources``, ``seconds``. Digests and keys anywhere in it keep
            objects from `collect`.

        Raises
        ------
        OutputError
            The record cannot be written. Earlier steps are unharmed.
        """
        lines = "".join(_json(record) + "\n" for record in records).encode()
        path = self.folder / STEPS
        with self._appending:
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
                try:
                    before = os.fstat(descriptor).st_size
                    try:
                        write_all(descriptor, lines)
                        if self._durable.is_set():
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
        """Record how the run ended, and which files it wrote.

        Raises
        ------
        OutputError
            The record cannot be written: the run stays ``running``, and becomes ``crashed`` when its process ends.
        """
        begun = self.header
        ended = {"status": status, "artefacts": list(artefacts), "finished_at": finished_at}
        header = {**begun, "process": begun["process"].to_json(), **(facts or {}), **ended}
        path, temporary = self.folder / HEADER, self.folder / f".{temporary_name()}"
        try:
            replace_through(temporary, path, json_bytes(header), durable=self._durable.is_set())
        except OSError as error:
            raise unwritable(path, error) from error

    def summary(self) -> RunSummary:
        """Summarise the run for a list of runs, even if its record is damaged."""
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
            note=f"on {process.host}, so its state cannot be checked from this machine" if elsewhere else "",
        )

    def _content(self, path: Path) -> bytes:
        try:
            return read_bytes(path, advice=_ADVICE, largest=LARGEST)
        except FileNotFoundError as error:
            raise DamagedRecord(
                f"the record of run '{self.id}' has no file {path.name}", advice=_ADVICE
            ) from error

    def _document(self, name: str, kind: Any) -> Any:
        path = self.folder / name
        return parse_record(self._content(path), kind, path, advice=_ADVICE)

    def _step_lines(self) -> list[bytes]:
        """Split the file of steps into lines; the last item is the text after the last line break."""
        return self._content(self.folder / STEPS).split(b"\n")

    def _step_record(self, line: bytes, number: int) -> StepRecord:
        location = f"{self.folder / STEPS}: line {number}"
        step = parse_record(line, StepRecord, location, advice=_ADVICE)
        if not any("range" in output["recipe"] for output in step["outputs"]):
            return step  # verify checks the recipes of other steps: it runs them again
        for output, written in zip(step["outputs"], read_json(line)["outputs"], strict=True):
            if "range" in written["recipe"] and key_of(written["recipe"]) != output["key"]:
                raise DamagedRecord(
                    f"{location}: the recipe of '{output['label'] or step['step_id']}' does not match its key",
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
                notes.append(f"line {number} of {STEPS} is damaged; it is skipped")
        return steps, (*notes, *_note_of_rest(rest))


class Runs:
    """All run records, each in a folder of its own.

    Parameters
    ----------
    root : Path
        Created when the first run begins.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def begin(self, header: Mapping[str, Any], documents: Mapping[str, Any]) -> RunRecord:
        """Create the record of a run that this process begins: the whole record or, after an error, none.

        Before work begins, `RunRecord.make_durable` protects it from a power cut.

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
            The folder cannot be written, the disk is full, or a run with this id exists.
        """
        run_id = str(header["id"])
        if not _is_id(run_id):
            raise ValueError(f"{run_id!r} cannot be the id of a run")
        content = {HEADER: json_bytes({**header, "status": "running", "process": this_process().to_json()})}
        content[STEPS] = b""
        for name, document in documents.items():
            lines = isinstance(document, (list, tuple))
            content[f"{name}.jsonl" if lines else f"{name}.json"] = (
                "".join(_json(item) + "\n" for item in document).encode() if lines else json_bytes(document)
            )
        return self.add(run_id, content)

    def add(self, run_id: str, content: Mapping[str, bytes]) -> RunRecord:
        """Create the record of a run from its files: the whole record or, after an error, none.

        Parameters
        ----------
        content : mapping
            The content of each file, by its name.

        Raises
        ------
        OutputError
            The folder cannot be written, the disk is full, or a run with this id exists.
        """
        folder, temporary = self.root / run_id, self.root / f".{temporary_name()}"
        try:
            temporary.mkdir(parents=True)
            try:
                for name, part in content.items():
                    with (temporary / name).open("xb", buffering=0) as file:
                        write_all(file.fileno(), part)
                # A folder can replace only an empty folder, and a record is never empty.
                os.rename(temporary, folder)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)  # garbage collection removes the rest later
                raise
        except OSError as error:
            if folder.is_dir():
                raise OutputError(
                    f"a run with the id '{run_id}' already exists", advice="run again"
                ) from error
            raise unwritable(folder, error) from error
        return RunRecord(folder)

    def ids(self) -> Sequence[str]:
        """Return the ids of all runs, without reading any record."""
        return sorted(self._ids())

    def list(self) -> list[RunSummary]:
        """List all runs by their start times, newest first."""
        summaries = []
        for name in self._ids():
            with suppress(UnknownRun):  # deleted meanwhile
                summaries.append(RunRecord(self.root / name).summary())
        return sorted(summaries, key=lambda summary: (summary.started_at, summary.id), reverse=True)

    def newest(self, count: int) -> tuple[RunRecord, ...]:
        """List the newest runs, newest first, by the times of their folders; this opens no record."""
        written = []
        for name in self._ids():
            with suppress(OSError):  # deleted meanwhile
                written.append(((self.root / name).stat().st_mtime_ns, name))
        return tuple(RunRecord(self.root / name) for _, name in sorted(written, reverse=True)[:count])

    def load(self, run_id: str) -> RunRecord:
        """Load the record of a run by its id, by the beginning of the id, or by ``"last"`` for the latest run.

        Raises
        ------
        UnknownRun
            The error lists the closest ids, or all that begin so.
        """
        if run_id == LAST and (summaries := self.list()):
            return RunRecord(self.root / summaries[0].id)
        ids = sorted(self._ids())
        if not ids:
            message = "there are no runs yet" if run_id == LAST else f"no run is called '{run_id}'"
            raise UnknownRun(message, advice="start the first run with `helio run PIPELINE`")
        matches = [run_id] if run_id in ids else [name for name in ids if run_id and name.startswith(run_id)]
        if len(matches) == 1:
            return RunRecord(self.root / matches[0])
        if matches:
            raise UnknownRun(
                f"the ids of {len(matches)} runs begin with '{run_id}'",
                advice=f"choose from {_listed(matches)}",
            )
        close = difflib.get_close_matches(run_id, ids, n=3, cutoff=0.5)
        advice = f"did you mean {_listed(close)}?" if close else "run `helio runs` to see all runs"
        raise UnknownRun(f"no run is called '{run_id}'", advice=advice)

    def failed_lately(self) -> str:
        """Return in words which runs had failed steps, the newest first; empty if there are none."""
        failed = [summary for summary in self.list() if summary.status in ("failed", "partial")]
        named = [f"{summary.id} ({summary.pipeline})" for summary in failed[:_MOST_NAMED]]
        more = " …" if len(failed) > len(named) else ""
        return f"runs with failed steps, newest first: {', '.join(named)}{more}" if named else ""

    def delete(self, run_id: str) -> None:
        """Delete the record of a run; the tables and figures stay until garbage collection removes them.

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
            raise RequestError(f"the run '{record.id}' is still running", advice="stop the run first")
        doomed = self.root / f".{temporary_name()}"  # rename first, so that no reader sees half a record
        try:
            os.rename(record.folder, doomed)
            shutil.rmtree(doomed)
        except FileNotFoundError:
            return  # another process has deleted it
        except OSError as error:
            raise unwritable(record.folder, error) from error

    def _ids(self) -> set[str]:
        try:
            with os.scandir(self.root) as entries:
                return {entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()}
        except (FileNotFoundError, NotADirectoryError):
            return set()


def message_of(step: StepRecord) -> str:
    """Return the error message of a failed step; return an empty text for other steps."""
    return "" if step["error"] is None else step["error"]["message"]


def _note_of_rest(rest: bytes) -> tuple[str, ...]:
    note = f"the last line of {STEPS} is incomplete because its process was killed; it is skipped"
    return (note,) if rest else ()


def _status(header: RunHeader) -> str:
    if header["status"] == "running" and header["process"].fate == "gone":
        return "crashed"
    return header["status"]


def _is_id(name: str) -> bool:
    return (
        bool(name) and not name.startswith(".") and "/" not in name and "\0" not in name and len(name) <= 200
    )


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(f"'{run_id}'" for run_id in ids[:_MOST_NAMED]) + (" …" if len(ids) > _MOST_NAMED else "")


__all__ = ["RunHeader", "RunRecord", "RunSummary", "Runs", "StepRecord", "message_of"]
