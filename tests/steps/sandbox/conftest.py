"""A jail for all tests, the tables they run on, and the attacks and snippets of the acceptance files."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.limits import SandboxLimits
from helio.store.table import Table

DATA = Path(__file__).parents[2] / "data"
SECRET = "the-secret-of-the-test"
PORT = 5997
"""Where the attacks look for a service of this machine."""


def entries(name: str, variable: str, key: str) -> list[tuple[bool, Any]]:
    """The entries of an acceptance file, and of a further one named by an environment variable; ours first."""
    files = [DATA / name]
    if os.environ.get(variable):
        files.append(Path(os.environ[variable]))
    return [
        (file == files[0], program)
        for file in files
        for content in [json.loads(file.read_text(encoding="utf-8"))]
        for program in content.get(key)
        or next(value for value in content.values() if isinstance(value, list))
    ]


ATTACKS = entries("sandbox_attacks.json", "HELIO_SANDBOX_ATTACKS", "attacks")
LEGITIMATE = entries("sandbox_legitimate.json", "HELIO_SANDBOX_LEGITIMATE", "snippets")


def field(rows: int = 7200) -> Table:
    """A magnetic field at 1 s, and a gap in it."""
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(rows) * np.timedelta64(1, "s")
    values = np.random.default_rng(1).normal(5, 1, size=(rows, 3))
    values[10:20] = np.nan
    return Table(epoch, values, "nT", "B", "GSE", ("x", "y", "z"))


@pytest.fixture(scope="session")
def jail() -> Iterator[Jail]:
    """One for all tests: what an operation leaves behind would be seen by the next."""
    with Jail(
        limits=SandboxLimits(cpu_seconds=1, wall_seconds=20, memory=256 << 20, output=64 << 20)
    ) as shared:
        yield shared


@dataclass(frozen=True)
class Outside:
    """What an attack would like to reach: everybody may read and write it, so that only the jail stands before it."""

    folder: Path
    listener: socket.socket

    def filled_in(self, code: str) -> str:
        """An attack with the places that it is after."""
        return code.replace("{SECRET_FILE}", str(self.folder / "secret")).replace(
            "{OUTSIDE_DIR}", str(self.folder)
        )

    def touched(self) -> list[str]:
        """What was written, and who called."""
        found = [str(path) for path in (self.folder / "out").iterdir()]
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return found
        return [*found, "somebody connected"]


@pytest.fixture(scope="session")
def outside() -> Iterator[Outside]:
    folder = Path(tempfile.mkdtemp())
    (folder / "out").mkdir()
    (folder / "secret").write_text(SECRET, encoding="utf-8")
    for path in (folder, folder / "out", folder / "secret"):
        path.chmod(0o777)
    try:
        listener = socket.create_server(("127.0.0.1", PORT))
    except OSError:  # somebody else listens there
        listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        listener.setblocking(False)
        yield Outside(folder, listener)
    shutil.rmtree(folder)
