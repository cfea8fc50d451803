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
from typing import Any

from helio.errors import DamagedObject, OutputError, RequestError, UnknownRun
from helio.store.files import make_durable, replace_through, unwritable, write_all
from helio.store.process import Process, temporary_name, this_process

HEADER = "run.json"
STEPS = "steps.jsonl"


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
    def header(self) -> dict[str, Any]:
        """What `Runs.begin` was given, with process and status, and what `finish` added.

        Raises
        ------
        UnknownRun
            The record was deleted.
        DamagedObject
        """
        try:
            header = json.loads((self.folder / HEADER).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            if self.folder.is_dir():
                raise DamagedObject(f"the record of run '{self.id}' has lost its {HEADER}") from None
            raise UnknownRun(f"the run '{self.id}' was deleted") from None
        except ValueError as error:
            raise DamagedObject(f"the {HEADER} of run '{self.id}' is damaged: {error}") from error
        if not isinstance(header, dict):
            raise DamagedObject(f"the {HEADER} of run '{self.id}' is damaged")
        return header

    @property
    def status(self) -> str:
        """``"running"``, ``"crashed"``, or what `finish` was told."""
        return _status(self.header)

    @property
    def process(self) -> Process:
        """Who runs it, or ran it."""
        return Process(**self.header["process"])

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What `step` was told, in order. A last line that its writer did not live to finish is left out."""
        return self._read_steps()[0]

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
                    found[path.stem] = json.loads(path.read_bytes())
                elif path.suffix == ".jsonl":
                    found[path.stem] = [json.loads(line) for line in path.read_bytes().splitlines()]
            except ValueError as error:
                raise DamagedObject(f"{path.name} of run '{self.id}' is damaged: {error}") from error
        return found

    @property
    def keys(self) -> frozenset[str]:
        """Every key that the steps name, be it of a result or within a recipe; none where they cannot be read.

        Far quicker than `steps`.
        """
        try:
            found = re.findall(rb"key:[0-9a-f]{64}", (self.folder / STEPS).read_bytes())
        except OSError:
            return frozenset()
        return frozenset(one.decode() for one in found)

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
        path = self.folder / HEADER
        try:
            replace_through(self.folder / f".{temporary_name()}", path, _pretty(header))
        except OSError as error:
            raise unwritable(path, error) from error

    def summary(self) -> RunSummary:
        """The run in one line; a damaged one too."""
        try:
            header = self.header
            status = _status(header)
            elsewhere = status == "running" and Process(**header["process"]).fate == "elsewhere"
            return RunSummary(
                id=self.id,
                pipeline=str(header.get("pipeline", "")),
                status=status,
                started_at=str(header.get("started_at", "")),
                finished_at=str(header.get("finished_at", "")),
                note=f"on {header['process']['host']}, as far as is known here" if elsewhere else "",
            )
        except DamagedObject as error:
            return RunSummary(self.id, "", "damaged", "", note=error.message)

    def _read_steps(self) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        try:
            *lines, rest = (self.folder / STEPS).read_bytes().split(b"\n")
        except FileNotFoundError as error:
            raise DamagedObject(f"the record of run '{self.id}' has lost its {STEPS}") from error
        steps, notes = [], []
        for number, line in enumerate(lines, start=1):
            try:
                steps.append(json.loads(line))
            except ValueError:
                notes.append(f"line {number} of {STEPS} is damaged and left out")
        if rest:
            notes.append(
                f"the last line of {STEPS} ends in the middle: its writer was killed; it is left out"
            )
        return steps, tuple(notes)


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
        """The record of an id, or of the only one that begins so.

        Raises
        ------
        UnknownRun
            With the closest ids, or with all that begin so.
        """
        ids = sorted(self._ids())
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


def _status(header: Mapping[str, Any]) -> str:
    status = str(header.get("status", "damaged"))
    if status != "running":
        return status
    try:
        return "crashed" if Process(**header["process"]).fate == "gone" else "running"
    except (KeyError, TypeError):
        return "damaged"


def _is_id(name: str) -> bool:
    return (
        bool(name) and not name.startswith(".") and "/" not in name and "\0" not in name and len(name) <= 200
    )


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(f"'{one}'" for one in ids[:5]) + (" …" if len(ids) > 5 else "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


__all__ = ["RunRecord", "RunSummary", "Runs"]
