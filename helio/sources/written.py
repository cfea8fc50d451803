"""Descriptions that helio writes next to the numbers of a table, so that files of all formats give the same table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile
from helio.store.representation import STATED, Representation
from helio.store.table import PARTS, Axis, Epochs, Table

WRITTEN = "helio_table"
"""Name of the variable attribute, CSV comment or Parquet metadata key that holds helio's descriptions of the
tables in a file.
"""

LEAP_SECOND = "helio_leap_second"
"""Name of the netCDF attribute that says how leap seconds are stored; a file has this attribute only if it has
leap seconds.
"""

Facts = Mapping[str, Any]
"""JSON description of a table: name, description, unit, frame, scale, components or axes, and the places of its
arrays.
"""


def facts_of(
    parameter: str, table: Table, where: Callable[[str, npt.NDArray[Any]], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the JSON description of a table, without empty entries.

    Parameters
    ----------
    parameter : str
        Name of the parameter under which helio finds the table again.
    where : callable
        Function that says where the array with a given name is written: ``{"variable": name}``, ``{"columns":
        titles}``, or ``{"values": numbers}`` for an array that is written in the facts themselves.
    """

    def part(name: str, array: npt.NDArray[Any]) -> dict[str, Any]:
        return {"dtype": array.dtype.name, **where(name, array)}

    facts: dict[str, Any] = {
        "parameter": parameter,
        "name": table.name,
        "description": table.description,
        "unit": table.unit,
        "frame": table.frame,
        "scale": table.scale,
        "components": list(table.components),
        "values": part("values", table.values),
        "axes": [
            {
                "label": axis.label,
                "unit": axis.unit,
                "scale": axis.scale,
                "bins": axis.bins,
                "per_record": axis.per_record,
                **{name: part(f"axis {number} {name}", array) for name, array in axis.parts.items()},
            }
            for number, axis in enumerate(table.axes)
        ],
    }
    # that a representation or a period is unknown is stated too: "" and [] say so
    return {name: fact for name, fact in facts.items() if fact not in ("", [])} | table.geometry()


def as_text(facts: Any) -> str:
    """Write a description as JSON in ASCII on one line, which no format or encoding changes."""
    return json.dumps(facts, sort_keys=True, ensure_ascii=True, allow_nan=False)


def read_facts(path: Path, text: str) -> dict[str, Any]:
    """Read a description that `as_text` wrote.

    Raises
    ------
    DamagedFile
        The text does not have the form that helio writes.
    """
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise _not_ours(path, error) from error
    if not isinstance(facts, dict):
        raise _not_ours(path, TypeError("not an object"))
    return facts


def as_numbers(array: npt.NDArray[Any]) -> list[float | str | None]:
    """Return an array as JSON values, with as few digits as its precision needs; JSON has no NaN and no infinity."""
    numbers = (float(str(number)) for number in array.reshape(-1))
    return [
        None if number != number else str(number) if number in (np.inf, -np.inf) else number
        for number in numbers
    ]


def restore(path: Path, facts: Facts, epoch: Epochs, part: Callable[[Facts], npt.NDArray[Any]]) -> Table:
    """Make a table from the description that helio wrote for it.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        Epochs of the requested records.
    part : callable
        Function that returns an array of these records, or an array that does not vary, from the place that the
        facts name.

    Raises
    ------
    DamagedFile
        The facts and the arrays do not match.
    """

    def array(facts_of_array: Facts, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        literal = _literal(facts_of_array["values"]) if "values" in facts_of_array else part(facts_of_array)
        return np.ascontiguousarray(literal.reshape(shape), dtype=np.dtype(str(facts_of_array["dtype"])))

    records = epoch.shape[0]
    try:
        axes = []
        for axis_facts in facts.get("axes", ()):
            bins = int(axis_facts["bins"])
            shape = (records, bins) if axis_facts["per_record"] else (bins,)
            parts = {name: array(axis_facts[name], shape) for name in PARTS if name in axis_facts}
            axes.append(
                Axis(str(axis_facts["label"]), str(axis_facts["unit"]), scale=axis_facts["scale"], **parts)
            )
        components = tuple(str(name) for name in facts.get("components", ()))
        width = tuple(axis.bins for axis in axes) or ((len(components),) if components else ())
        return Table(
            epoch=epoch,
            values=array(facts["values"], (records, *width)),
            unit=str(facts.get("unit", "")),
            name=str(facts.get("name", "")),
            frame=str(facts.get("frame", "")),
            components=components,
            axes=tuple(axes),
            stated_representation=_stated(facts.get("representation")),
            stated_periods=tuple(None if fact is None else float(fact) for fact in facts["periods"])
            if "periods" in facts
            else None,
            scale="log" if facts.get("scale") == "log" else "linear",
            description=str(facts.get("description", "")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_ours(path, error) from error


def _stated(text: Any) -> Representation | None:
    every: tuple[Representation, ...] = ("", *STATED)
    return None if text is None else every[every.index(text)]


def _literal(numbers: Any) -> npt.NDArray[np.float64]:
    return np.array([np.nan if number is None else float(number) for number in numbers], dtype=np.float64)


def _not_ours(path: Path, error: Exception) -> DamagedFile:
    return DamagedFile(
        f"'{path.name}' describes the tables that helio saved in it, but these descriptions do not match the file: "
        f"{type(error).__name__}: {error}",
        advice="write the file again with save_data, or remove these descriptions to read plain columns",
        place=str(path),
    )
