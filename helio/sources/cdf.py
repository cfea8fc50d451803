"""Reader of data files as tables. Files are read in a separate process, because a damaged file may crash the
process.
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from helio.errors import ChangedFile, DamagedFile, DataError, NoData, UnknownParameter
from helio.sources.child import child_environment, memory_limit, wide_pipe
from helio.sources.file_digests import FileState, changed, digest_file
from helio.sources.formats import format_of
from helio.store.source_file import Proof, SourceFile, proves
from helio.time_range import TimeRange

if TYPE_CHECKING:
    import numpy.typing as npt

    from helio.store.table import Axis, Table

_ERRORS: dict[str, type[DataError]] = {
    error.__name__: error for error in (DamagedFile, ChangedFile, UnknownParameter, NoData)
}
_EPOCH_ZERO = datetime(1970, 1, 1)
_STARTUP_SECONDS = 60.0
_BUFFER_BYTES = 256 * 1024
_SLOWEST_BYTES = 5_000_000
"""Bytes of a file that a reader must manage in one second: a busy machine reads them from a slow disk."""
_ADVICE = "download the file again; if the error stays, leave the file out and report it to the provider"


@dataclass(frozen=True)
class FileFacts:
    """Facts that a file states about itself, such as title, DOI, parameters and time span.

    Parameters
    ----------
    doi : str
        The DOI without a URL: ``10.48322/...``.
    parameters : tuple of str
        Names of the parameters that `CdfReader.read` can read, in file order: variables of numbers that vary in time.
    """

    logical_source: str
    logical_file_id: str
    data_version: str
    doi: str
    acknowledgement: str
    title: str
    descriptor: str
    mission: str
    parameters: tuple[str, ...]
    pi: str = ""
    affiliation: str = ""
    rules_of_use: str = ""
    source_description: str = ""
    part_checksums: bool = False
    """Whether all values of the file have checksums that are verified when the values are read."""
    span: tuple[datetime, datetime] | None = None
    """UTC of the first and the last record in the file, over all time variables; None if no record has an epoch."""

    def complete(self, source: SourceFile) -> SourceFile:
        """Fill the empty fields of `source`, such as its DOI, with facts from the file."""
        parts: Proof = "checksums of its parts"
        return replace(
            source,
            proof=parts if self.part_checksums and not proves(source.proof, parts) else source.proof,
            version=source.version or self.data_version,
            doi=source.doi or self.doi,
            acknowledgement=source.acknowledgement or self.acknowledgement,
            title=source.title or self.source_description or self.title,
            pi=source.pi or self.pi,
            affiliation=source.affiliation or self.affiliation,
            rules_of_use=source.rules_of_use or self.rules_of_use,
        )


@dataclass(frozen=True)
class ParameterFacts:
    """Facts that a file states about one parameter, such as unit, shape and time span.

    Parameters
    ----------
    unit : str
        Unit as spelled in the file; empty if the file gives no unit.
    shape : tuple of int
        Shape of one record: empty for a scalar, ``(3,)`` for a vector, ``(32,)`` for a spectrum of 32 bins.
    first, last : datetime or None
        UTC of the parameter's first and last record.
    records : int
    cadence : float or None
        Median seconds between records; None if there are fewer than two records.
    support : bool
        Whether the file says that the parameter supports the data: quality flags, positions or widths of bins.
    """

    name: str
    unit: str
    shape: tuple[int, ...]
    description: str
    frame: str
    first: datetime | None
    last: datetime | None
    records: int
    cadence: float | None
    support: bool


class CdfReader:
    """Reader of CDF and other data files, which uses one worker process that stays ready.

    A context manager, safe to share between threads.

    Parameters
    ----------
    time_limit : float
        Seconds that one call of `describe` or `read` may take before the worker is killed and the file is
        considered damaged. A large file has one second more for each 5 MB.
    """

    def __init__(self, *, time_limit: float = 60.0) -> None:
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._checked: dict[Path, FileState] = {}
        """Files whose checksum this reader has verified, each with the file's state at that time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the worker process, and return without waiting until it is ready."""
        with self._lock:
            self._running()

    def describe(self, path: Path, state: FileState | None = None) -> FileFacts:
        """Return the facts that a file states about itself, such as its DOI and its parameters.

        Raises
        ------
        DamagedFile
        ChangedFile
            The file was not in `state` before helio read it, or not afterwards.
        """
        (header, _), *_ = self._ask(path, {"do": "describe"}, state)
        facts = header["facts"]
        doi = (
            facts["doi"].removeprefix("https://doi.org/").removeprefix("http://doi.org/").removeprefix("doi:")
        )
        more = {"parameters": tuple(facts["parameters"]), "span": _span(facts["span"])}
        return FileFacts(**{**facts, "doi": doi.strip(), **more})

    def survey(self, path: Path, state: FileState | None = None) -> tuple[ParameterFacts, ...]:
        """Describe each parameter of a file, in file order, without returning values.

        Raises
        ------
        DamagedFile
        ChangedFile
            The file was not in `state` before helio read it, or not afterwards.
        """
        (header, _), *_ = self._ask(path, {"do": "survey"}, state)
        parameters = []
        for survey in header["survey"]:
            first, last = _span(survey["span"]) or (None, None)
            facts = {name: value for name, value in survey.items() if name != "span"}
            parameters.append(
                ParameterFacts(**{**facts, "shape": tuple(survey["shape"]), "first": first, "last": last})
            )
        return tuple(parameters)

    def read(
        self,
        path: Path,
        parameters: Sequence[str],
        time_range: TimeRange,
        state: FileState | None = None,
    ) -> dict[str, Table]:
        """Read the records of [start, stop) from one file; return a table for each parameter, even if it has no
        records.

        In the tables, epochs increase, fill values are NaN, `unit` is spelled as in the file, and `sources` is
        empty.

        Parameters
        ----------
        state : FileState, optional
            State of the file in which its bytes are known and its own checksum, if it has one, is right. Without this
            argument, helio first reads the whole file to verify it.

        Raises
        ------
        UnknownParameter
            No parameter has this name; the advice gives the closest names.
        NoData
            The file is a master CDF, which has no records.
        DamagedFile
            The file is incomplete or has another format than its name says, or helio cannot read it within the limits
            of time and memory.
        ChangedFile
            The file was not in `state` before helio read it, or not afterwards.
        """
        request = {
            "do": "read",
            "parameters": list(dict.fromkeys(parameters)),
            "start": _nanoseconds(time_range.start),
            "stop": _nanoseconds(time_range.stop),
        }
        return {
            header["parameter"]: _table(header, arrays)
            for header, arrays in self._ask(path, request, state)
            if "parameter" in header
        }

    def close(self) -> None:
        """End the worker process; this loses no data."""
        with self._lock:
            if self._worker is not None:
                self._worker.kill()
            self._drop()

    def _ask(
        self, path: Path, request: dict[str, Any], state: FileState | None
    ) -> list[tuple[dict[str, Any], list[npt.NDArray[Any]]]]:
        try:
            kind = format_of(path)
            state = state or self._state_of(path)
            request = {
                **request,
                "path": os.path.abspath(path),
                "format": kind,
                "state": astuple(state),
                "seconds": self._time_limit + state.size // _SLOWEST_BYTES,
            }
            return self._answers(path, request)
        except (DamagedFile, NoData, UnknownParameter, RuntimeError) as error:
            # half a file and half another one may look like anything
            if state is not None and _state_now(path) != state:
                raise changed(path) from error
            raise

    def _state_of(self, path: Path) -> FileState:
        """Verify a file's own checksum, if it has one, and return the state of the file."""
        try:
            if self._checked.get(path) != FileState.of(path):
                self._checked[path] = digest_file(path).state
        except OSError as error:
            raise DamagedFile(f"'{path.name}' cannot be opened: {error.strerror}", place=str(path)) from error
        return self._checked[path]

    def _answers(
        self, path: Path, request: dict[str, Any]
    ) -> list[tuple[dict[str, Any], list[npt.NDArray[Any]]]]:
        seconds: float = request["seconds"]
        with self._lock:
            worker = self._running()
            try:
                worker.wait_until_ready()
                return list(worker.ask(request, seconds))
            except DataError as error:
                raise error.located(str(path)) from error.__cause__
            except TimeoutError as error:
                self._drop()
                size = FileState(*request["state"]).size // 1_000_000
                of_size = f", the time limit for its {size:,} MB" if seconds > self._time_limit else ""
                raise DamagedFile(
                    f"'{path.name}' could not be read within {seconds:g} s{of_size}",
                    advice=_ADVICE,
                    place=str(path),
                ) from error
            except EOFError as error:
                code, message = worker.end()
                self._drop()
                if code < 0:
                    raise DamagedFile(
                        f"the process that read '{path.name}' crashed (signal {-code})",
                        advice=_ADVICE,
                        place=str(path),
                    ) from error
                raise RuntimeError(f"the process that reads files failed on {path}\\n{message}") from error
            except BaseException:
                # interrupted between frames: the rest in the pipe answers an old question
                self._drop()
                raise

    def _running(self) -> _Worker:
        if self._worker is None or self._worker.has_ended():
            self._drop()
            self._worker = _Worker()
        return self._worker

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Worker:
    """A worker process that runs `helio.sources.cdf_worker`, with the pipes of its requests and answers."""

    def __init__(self) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        output, inherited = wide_pipe()
        self._output = open(output, "rb", buffering=0)  # noqa: SIM115 - lives as long as the process
        with open(inherited, "wb", buffering=0):
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "helio.sources.cdf_worker", str(memory_limit())],
                stdin=subprocess.PIPE,
                stdout=inherited,
                stderr=self._said,
                bufsize=0,
                env=child_environment(),
            )
        self._ready = False
        self._code: int | None = None

    def kill(self) -> None:
        """Kill the worker process without waiting for its end."""
        self._process.kill()

    def has_ended(self) -> bool:
        """Return whether the worker process has ended between two requests although helio did not end it."""
        return self._process.poll() is not None

    def wait_until_ready(self) -> None:
        """Wait until the worker has imported its libraries, so that the time limit of a file does not include the
        imports.
        """
        if not self._ready:
            self._frame(time.monotonic() + _STARTUP_SECONDS)
            self._ready = True

    def ask(
        self, request: dict[str, Any], seconds: float
    ) -> Iterator[tuple[dict[str, Any], list[npt.NDArray[Any]]]]:
        """Send a request to the worker and yield the frames of its reply."""
        deadline = time.monotonic() + seconds
        epochs: list[npt.NDArray[Any]] = []
        line = json.dumps(request).encode() + b"\n"
        stdin = self._process.stdin
        if stdin is None:
            raise EOFError
        try:
            while line:
                line = line[os.write(stdin.fileno(), line) :]
        except BrokenPipeError as error:
            raise EOFError from error
        while True:
            header, arrays = self._frame(deadline)
            if "error" in header:
                raise _ERRORS[header["error"]](header["message"], advice=header.get("advice", ""))
            if "epochs" in header:
                epochs = arrays
                continue
            yield header, [*epochs, *arrays] if header.get("epochs_sent") else arrays
            if not header.keys().isdisjoint(("done", "facts", "survey")):
                return

    def end(self) -> tuple[int, str]:
        """End the worker, by force if necessary; return its exit code and the text of its standard error."""
        if self._code is None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            if not self._leaving():
                self._process.kill()
            self._code = self._process.wait()
            self._output.close()
            self._said.seek(0)
            self._text = self._said.read().decode(errors="replace")
            self._said.close()
        return self._code, self._text

    def _leaving(self) -> bool:
        """Return whether the worker closes its end of the pipe: a dying worker does so at once, a worker busy with a
        file does not.
        """
        deadline = time.monotonic() + 0.5
        try:
            while self._wait(deadline):
                if not self._output.read(_BUFFER_BYTES):
                    self._process.wait(timeout=1.0)
                    return True
        except (TimeoutError, subprocess.TimeoutExpired):
            return False
        return False

    def _frame(self, deadline: float) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
        import numpy as np  # the parent needs it once there are tables to receive

        (length,) = struct.unpack(">I", self._bytes(4, deadline))
        header: dict[str, Any] = json.loads(self._bytes(length, deadline))
        arrays = []
        for dtype, shape in header.get("arrays", ()):
            array = np.empty(shape, dtype=dtype)
            if array.size:
                self._fill(array.reshape(-1).view(np.uint8).data, deadline)
            arrays.append(array)
        return header, arrays

    def _bytes(self, count: int, deadline: float) -> bytearray:
        data = bytearray(count)
        self._fill(memoryview(data), deadline)
        return data

    def _fill(self, left: memoryview, deadline: float) -> None:
        while left:
            self._wait(deadline)
            count = self._output.readinto(left)
            if not count:
                raise EOFError
            left = left[count:]

    def _wait(self, deadline: float) -> bool:
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        return True


def _state_now(path: Path) -> FileState | None:
    try:
        return FileState.of(path)
    except OSError:
        return None


def _nanoseconds(moment: datetime) -> int:
    since = moment - _EPOCH_ZERO
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000


def facts_to_json(facts: FileFacts) -> dict[str, Any]:
    """Write the facts of a file as JSON, for saving."""
    span = None if facts.span is None else [instant.isoformat() for instant in facts.span]
    return {**asdict(facts), "span": span}


def facts_from_json(content: Any) -> FileFacts | None:
    """Read facts that `facts_to_json` wrote; return None for anything else."""
    with suppress(TypeError, ValueError, KeyError, AttributeError):
        span = content["span"]
        instants = (
            None if span is None else (datetime.fromisoformat(span[0]), datetime.fromisoformat(span[1]))
        )
        return FileFacts(**{**content, "parameters": tuple(content["parameters"]), "span": instants})
    return None


def survey_to_json(survey: Sequence[ParameterFacts]) -> list[dict[str, Any]]:
    """Write the descriptions of a file's parameters as JSON, for saving."""
    return [
        {
            **asdict(facts),
            "first": facts.first and facts.first.isoformat(),
            "last": facts.last and facts.last.isoformat(),
        }
        for facts in survey
    ]


def survey_from_json(content: Any) -> tuple[ParameterFacts, ...] | None:
    """Read the descriptions of parameters that `survey_to_json` wrote; return None for anything else."""
    with suppress(TypeError, ValueError, KeyError, AttributeError):
        return tuple(
            ParameterFacts(
                **{
                    **facts,
                    "shape": tuple(facts["shape"]),
                    "first": facts["first"] and datetime.fromisoformat(facts["first"]),
                    "last": facts["last"] and datetime.fromisoformat(facts["last"]),
                }
            )
            for facts in content
        )
    return None


def _span(nanoseconds: Sequence[int] | None) -> tuple[datetime, datetime] | None:
    """Return the first and last time as datetimes; None if a year is beyond those of a datetime."""
    if nanoseconds is None:
        return None
    first, last = (_EPOCH_ZERO + timedelta(microseconds=instant // 1000) for instant in nanoseconds)
    return first, last


def _table(header: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> Table:
    from helio.store.table import Table

    return Table(
        epoch=arrays[0].view("M8[ns]"),
        values=arrays[1],
        unit=header["unit"],
        name=header["name"],
        frame=header["frame"],
        components=tuple(header["components"]),
        axes=tuple(_axis(places, arrays) for places in header["axes"]),
        stated_representation=header["representation"],
        stated_periods=tuple(header["periods"]),
        scale=header["scale"],
        description=header["description"],
        notes=tuple(header["notes"]),
        dropped=header["dropped"],
    )


def _axis(places: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> Axis:
    from helio.store.table import Axis

    parts = {part: arrays[places[part]] for part in ("centers", "lower", "upper") if part in places}
    return Axis(label=places["label"], unit=places["unit"], scale=places["scale"], **parts)
