"""Read descriptions of parameters from CDAWeb's master CDFs (files without data): units, sizes, frames, bins.

Reads run in a process of their own (``python -m helio.knowledge.masters FILE…``), since a damaged file may kill or
stop its reader; each file's answer is one line of JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.errors import DamagedFile
from helio.knowledge.catalogue_file import CatalogueParameter
from helio.knowledge.clean import clean_text

if TYPE_CHECKING:
    from helio.sources.cdf_file import CdfFile

_SHOWN = frozenset({"data", "ignore_data"})
"""CDAWeb offers variables with these values of the attribute VAR_TYPE; see the ISTP guidelines."""
_TIMES = frozenset({"EPOCH", "EPOCH16", "TIME_TT2000"})
_TEXTS = frozenset({"CHAR", "UCHAR"})
_SECONDS = 120.0


def read_masters(paths: Sequence[Path]) -> dict[Path, list[CatalogueParameter]]:
    """Read the descriptions of the parameters in each master CDF; damaged files are left out."""
    if not paths:
        return {}
    command = [sys.executable, "-m", "helio.knowledge.masters", *map(str, paths)]
    try:
        output = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""  # what was said before it stopped is whole lines
    described: dict[Path, list[CatalogueParameter]] = {}
    for line in output.decode("utf-8", "replace").splitlines():
        try:
            path, rows = json.loads(line)
        except ValueError:
            continue  # the line in which it died
        described[Path(path)] = [
            CatalogueParameter(**{**row, "size": tuple(row["size"]), "axes": tuple(row["axes"])})
            for row in rows
        ]
    return described


def describe(file: CdfFile) -> list[CatalogueParameter]:
    """Describe the parameters that CDAWeb offers from a master CDF, in the order of the file."""
    from helio.sources.istp import frame_of, text_of

    parameters: list[CatalogueParameter] = []
    for name in file.names():
        variable = file.variable(name)
        attributes = file.attributes(name)
        if variable is None or variable.kind in _TIMES | _TEXTS:
            continue
        if text_of(attributes, "VAR_TYPE").lower() not in _SHOWN:
            continue
        unit = text_of(attributes, "UNITS") or _pointed(file, text_of(attributes, "UNIT_PTR"))
        vector = len(variable.shape) == 1 and variable.shape[0] in (3, 4)
        axes = [text_of(attributes, f"DEPEND_{number}") for number in variable.dimensions]
        parameters.append(
            CatalogueParameter(
                name,
                clean_text(unit),
                variable.shape,
                "double" if variable.kind in ("REAL4", "REAL8", "FLOAT", "DOUBLE") else "integer",
                clean_text(text_of(attributes, "CATDESC", "FIELDNAM")),
                frame_of(name, attributes) if vector else "",
                () if vector else tuple(_axis(file, axis) for axis in axes if axis),
            )
        )
    return parameters


def _axis(file: CdfFile, name: str) -> str:
    from helio.sources.istp import text_of

    attributes = file.attributes(name)
    label = text_of(attributes, "LABLAXIS", "FIELDNAM") or name
    unit = text_of(attributes, "UNITS")
    return clean_text(f"{label} [{unit}]" if unit else label)


def _pointed(file: CdfFile, name: str) -> str:
    """Return the unit that a variable of texts contains; empty if the variable contains several different units."""
    variable = file.variable(name) if name else None
    if variable is None or variable.kind not in _TEXTS:
        return ""
    texts = {str(label).strip() for label in file.records(variable).reshape(-1)}
    return texts.pop() if len(texts) == 1 else ""


def main(paths: Sequence[str]) -> int:
    """Describe the parameters of master CDF files, and print a line of JSON for each file."""
    from helio.sources.cdf_file import CdfFile
    from helio.sources.cdf_guard import check_cdf

    for path in paths:
        try:
            check_cdf(Path(path))
            file = CdfFile(Path(path))
            rows: list[dict[str, Any]] = [vars(parameter) for parameter in describe(file)]
            file.close()
        except DamagedFile as error:
            print(error.message, file=sys.stderr)
            continue
        print(json.dumps([path, rows]), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
