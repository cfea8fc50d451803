"""The process that reads files: if a file makes this process hang, crash or run out of memory, helio itself continues.

It takes one request per line of JSON on its standard input and answers on its standard output with frames: a
length (4 bytes, big endian), that many bytes of JSON, then the bytes of the arrays that it describes. It ends
when its input does.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile, DataError
from helio.sources.child import limit_memory
from helio.sources.file_digests import FileState, changed, open_regular
from helio.sources.formats import Format
from helio.sources.open_files import open_file
from helio.sources.splice import write_all
from helio.store.table import Table

_MOST_OPEN = 8
"""Maximum number of open files to keep: a fetch often reads the last file again for another parameter."""

_GRACE_SECONDS = 5
"""Seconds after the time limit of a request, after which this process ends even if nobody kills it."""
_LARGE = 1024**2
"""Number of bytes of arrays from which on a thread writes them; to start it takes longer than to write fewer."""


def main() -> None:
    """Answer requests on standard input until the input ends."""
    requests = sys.stdin.buffer
    answers = Answers(os.dup(1))
    # output of a library must not be read as an answer
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    files = OpenFiles()
    answers.send({"ready": True})
    for line in requests:
        request = json.loads(line)
        # should the parent die while a file keeps us busy, nobody else would end this process
        signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE_SECONDS)
        try:
            _answer(request, files, answers)
        except DataError as error:
            answers.send({"error": type(error).__name__, "message": error.message, "advice": error.advice})
        except MemoryError:
            files.forget()
            message = _NEEDS_MEMORY.format(Path(request["path"]).name)
            answers.send({"error": "DamagedFile", "message": message})
        signal.setitimer(signal.ITIMER_REAL, 0)


_NEEDS_MEMORY = (
    "'{}' needs more memory than helio gives to one file: it is damaged, or too large to read at once"
)


class Answers:
    """The pipe of the answers. A thread writes large arrays into it, so that this process reads on meanwhile.

    Epochs can be sent before the table to which they belong, while its values are read.
    """

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._thread = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self._early: npt.NDArray[Any] | None = None

    def send(self, header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]] = ()) -> None:
        """Send a header and its arrays, in the order of the calls; the arrays must not change afterwards."""
        if self._writing is not None:
            self._writing.result()
            self._writing = None
        header = {**header, "arrays": [[array.dtype.str, array.shape] for array in arrays]}
        if sum(array.nbytes for array in arrays) < _LARGE:
            self._write(header, arrays)
            return
        try:
            self._writing = self._thread.submit(self._write, header, arrays)
        except RuntimeError as error:
            raise MemoryError("no room for the stack of another thread") from error

    def send_epochs(self, epoch: npt.NDArray[Any]) -> None:
        """Send the epochs of the next table early if there are many."""
        if epoch.nbytes >= _LARGE:
            self.send({"epochs": True}, [epoch.view(np.int64)])
            self._early = epoch

    def send_table(self, name: str, table: Table) -> None:
        """Send the table of a parameter, without its epochs if they were the last to be sent early."""
        header, arrays = _packed(table)
        early = table.epoch is self._early
        self._early = None
        self.send({"parameter": name, **header, "epochs_sent": early}, arrays[early:])

    def _write(self, header: dict[str, Any], arrays: Sequence[npt.NDArray[Any]]) -> None:
        text = json.dumps(header).encode()
        write_all(self._pipe, struct.pack(">I", len(text)) + text)
        for array in arrays:
            if array.size:
                write_all(self._pipe, array.reshape(-1).view(np.uint8).data)


class PinnedFile:
    """An open file in its requested state; it stays open even if somebody moves or renames it."""

    def __init__(self, path: Path, kind: Format, state: FileState) -> None:
        self._path, self._state = path, state
        try:
            self._descriptor = open_regular(path)
        except OSError as error:
            raise DamagedFile(f"'{path.name}' cannot be opened: {error.strerror}") from error
        try:
            self.refuse_changed()
            self.file = open_file(path, kind, self._descriptor)
        except BaseException:
            os.close(self._descriptor)
            raise

    def refuse_changed(self) -> None:
        """Refuse the file if somebody wrote to it after it was opened.

        Raises
        ------
        ChangedFile
        """
        if FileState.of(self._descriptor) != self._state:
            raise changed(self._path)

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        os.close(self._descriptor)


class OpenFiles:
    """The files that were read last; each stays open as long as it is unchanged."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, FileState], PinnedFile] = OrderedDict()

    def open(self, path: Path, kind: Format, state: FileState) -> PinnedFile:
        """Return a file that is already open, or open it."""
        key = (str(path), state)
        if key not in self._files:
            # HDF5 takes two files of one inode for one file, and shows of the second what it read of the first
            for old in [
                key_of_file
                for key_of_file in self._files
                if (key_of_file[1].device, key_of_file[1].inode) == (state.device, state.inode)
            ]:
                self._files.pop(old).close()
            self._files[key] = PinnedFile(path, kind, state)
            if len(self._files) > _MOST_OPEN:
                self._files.popitem(last=False)[1].close()
        self._files.move_to_end(key)
        return self._files[key]

    def forget(self) -> None:
        """Close all open files."""
        while self._files:
            self._files.popitem()[1].close()


def _answer(request: dict[str, Any], files: OpenFiles, answers: Answers) -> None:
    opened = files.open(Path(request["path"]), request["format"], FileState(*request["state"]))
    if request["do"] == "describe":
        facts = opened.file.facts()
        opened.refuse_changed()
        answers.send({"facts": facts})
        return
    if request["do"] == "survey":
        survey = opened.file.survey()
        opened.refuse_changed()
        answers.send({"survey": survey})
        return
    tables = opened.file.tables(request["start"], request["stop"], answers.send_epochs)
    for name in request["parameters"]:
        answers.send_table(name, tables.read(name))
    opened.refuse_changed()
    answers.send({"done": True})


def _packed(table: Table) -> tuple[dict[str, Any], list[npt.NDArray[Any]]]:
    arrays: list[npt.NDArray[Any]] = [table.epoch.view(np.int64), table.values]
    axes = []
    for axis in table.axes:
        places: dict[str, Any] = {"label": axis.label, "unit": axis.unit, "scale": axis.scale}
        for part in ("centers", "lower", "upper"):
            array = getattr(axis, part)
            if array is not None:
                places[part] = len(arrays)
                arrays.append(array)
        axes.append(places)
    header = {
        "unit": table.unit,
        "name": table.name,
        "frame": table.frame,
        "components": table.components,
        "representation": table.representation,
        "periods": table.periods,
        "scale": table.scale,
        "description": table.description,
        "notes": table.notes,
        "dropped": dict(table.dropped),
        "axes": axes,
    }
    # copied here if at all: once a header is out, nothing may fail any more
    return header, [np.ascontiguousarray(array) for array in arrays]


if __name__ == "__main__":
    main()
