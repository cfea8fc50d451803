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


def main() -> None:
    """Answer requests on standard input until the input ends."""
    requests = sys.stdin.buffer
    answers = os.dup(1)
    # output of a library must not be read as an answer
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    files = OpenFiles()
    _send(answers, {"ready": True})
    for line in requests:
        request = json.loads(line)
        # should the parent die while a file keeps us busy, nobody else would end this process
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        try:
            _answer(request, files, answers)
        except DataError as error:
            _send(answers, {"error": type(error).__name__, "message": error.message, "advice": error.advice})
        except MemoryError:
            files.forget()
            _send(
                answers, {"error": "DamagedFile", "message": _NEEDS_MEMORY.format(Path(request["path"]).name)}
            )
        signal.setitimer(signal.ITIMER_REAL, 0)


_NEEDS_MEMORY = (
    "'{}' needs more memory than helio gives to one file: it is damaged, or too large to read at once"
)


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


def _answer(request: dict[str, Any], files: OpenFiles, answers: int) -> None:
    opened = files.open(Path(request["path"]), request["format"], FileState(*request["state"]))
    if request["do"] == "describe":
        facts = opened.file.facts()
        opened.refuse_changed()
        _send(answers, {"facts": facts})
        return
    if request["do"] == "survey":
        survey = opened.file.survey()
        opened.refuse_changed()
        _send(answers, {"survey": survey})
        return
    tables = opened.file.tables(request["start"], request["stop"])
    for name in request["parameters"]:
        header, arrays = _packed(tables.read(name))
        _send(answers, {"parameter": name, **header}, arrays)
    opened.refuse_changed()
    _send(answers, {"done": True})


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
    # copied here if at all: once a header is out, nothing may fail any more
    arrays = [np.ascontiguousarray(array) for array in arrays]
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
        "arrays": [[array.dtype.str, array.shape] for array in arrays],
    }
    return header, arrays


def _send(answers: int, header: dict[str, Any], arrays: list[npt.NDArray[Any]] | tuple[()] = ()) -> None:
    text = json.dumps(header).encode()
    write_all(answers, struct.pack(">I", len(text)) + text)
    for array in arrays:
        if array.size:
            write_all(answers, array.reshape(-1).view(np.uint8).data)


if __name__ == "__main__":
    main()
