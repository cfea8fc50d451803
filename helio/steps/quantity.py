"""Checks of the unit, frame, kind and epochs of tables, before a tool is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from helio.counts import number_of
from helio.errors import ClockMismatch, FrameMismatch, Mismatch, StepError, UnitMismatch

if TYPE_CHECKING:
    from helio.store.table import Table

Kind = Literal["", "scalar", "vector", "spectrum"]
_TURNED_INTO_ANOTHER = {"GSE", "GSM", "SM", "GEO", "GEI"}
LENGTH = re.compile(r"\||magnitude|\bmag\b|speed|strength|total|intensity", re.IGNORECASE)
"""Regular expression for names of the length of a vector: ``|B|``, ``Bulk Flow Speed``, ``1AU IP Mag Avg B``."""

_HELD = {"scalar": "one series", "vector": "a vector", "spectrum": "a spectrum"}


@dataclass(frozen=True)
class Quantity:
    """The unit, kind and frame that a tool requires of a table: ``Annotated[Table, Quantity("nT", kind="vector")]``.

    Parameters
    ----------
    unit : str
        The unit, in helio's spelling: ``"nT"``, ``"km/s"``, ``"cm^-3"``; ``"1"`` for a number without a unit, empty
        for any unit.
    kind : "scalar", "vector", "spectrum" or ""
        The kind, as `Table.kind`; empty for any kind. A vector is any set of components.
    frames : tuple of str
        The allowed frames; empty for any frame or none. A scalar may also have no frame, unless its label or its name
        states a different one, as ``BZ_GSE`` does.
    """

    unit: str = ""
    kind: Kind = ""
    frames: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind and self.kind not in _HELD:
            raise ValueError(f"the kind of a quantity must be {', '.join(_HELD)} or empty, not {self.kind!r}")

    def to_json(self) -> dict[str, Any]:
        """Return the required unit, kind and frame as JSON; those that are empty are left out."""
        written = {"unit": self.unit, "kind": self.kind, "frames": list(self.frames)}
        return {name: value for name, value in written.items() if value}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Quantity:
        """Restore a `Quantity` from the JSON that `to_json` returns."""
        return cls(written.get("unit", ""), written.get("kind", ""), tuple(written.get("frames", ())))


ANYTHING = Quantity()
"""No required unit, kind or frame: a tool accepts any table."""


def check_quantity(takes: Quantity, table: Table, *, tool: str, parameter: str, label: str = "") -> None:
    """Refuse a table whose unit, kind or frame is not what a tool requires; this function converts nothing.

    Raises
    ------
    StepError
        When the table has the wrong kind.
    UnitMismatch
        When the table has the wrong unit; the advice says whether it can be converted.
    FrameMismatch
        When the table is in none of the allowed frames.
    """
    called = f"'{label or table.name or parameter}'"
    needs = f"the {parameter} of {tool} must be"
    if takes.unit and not equal_units(takes.unit, table.unit):
        raise UnitMismatch(
            f"{needs} {_in_unit(takes.unit)}, but {called} {_has_unit(table.unit)}",
            advice=advice_on_units(table.unit, takes.unit),
        )
    if takes.kind and table.kind != takes.kind:
        raise StepError(
            f"the {parameter} of {tool} must be {_HELD[takes.kind]}, but {called} is {_what(table)}",
            advice=_advice_on_kind(takes.kind, table, label),
        )
    if not takes.frames:
        return
    frame = frame_of_series(table, label)
    if not frame and table.kind == "scalar":
        return  # only vectors have to have one
    if not any(_equal_frames(allowed, frame) for allowed in takes.frames):
        raise FrameMismatch(
            f"{needs} in {' or '.join(takes.frames)}, but {called} {_has_frame(frame)}",
            advice=advice_on_frames(frame, takes.frames[0]),
        )


def same_unit(one: Table, other: Table) -> str:
    """Return the unit that two tables share, or raise an error if their units differ.

    Raises
    ------
    UnitMismatch
        When the units differ by more than their spelling, as ``nT`` and ``T`` do.
    """
    if not equal_units(one.unit, other.unit):
        raise _mismatch(
            UnitMismatch,
            one,
            other,
            ("{0} ", _has_unit(one.unit), ", but {1} ", _has_unit(other.unit)),
            advice_on_units(other.unit, one.unit),
        )
    return one.unit


def same_frame(one: Table, other: Table, frames: tuple[str, str] | None = None) -> str:
    """Return the frame that two vectors share, or raise an error if their frames differ.

    Parameters
    ----------
    one, other : Table
    frames : (str, str), optional
        The frames of the two tables, if the caller knows more than the tables state.

    Raises
    ------
    FrameMismatch
        When the frames differ, or only one of the tables has a frame.
    """
    first, second = frames or (one.frame, other.frame)
    if not _equal_frames(first, second):
        raise _mismatch(
            FrameMismatch,
            one,
            other,
            ("{0} ", _has_frame(first), ", but {1} ", _has_frame(second)),
            advice_on_frames(second, first),
        )
    return first


def same_clock(one: Table, other: Table) -> None:
    """Refuse two tables whose epochs are not equal in every record.

    Raises
    ------
    ClockMismatch
        When the epochs differ; the author decides which table to align with the other.
    """
    if one.epoch is other.epoch:
        return
    equal = len(one) == len(other)
    if equal:
        different = (one.epoch != other.epoch).nonzero()[0]
        if not different.size:
            return
        first = int(different[0])
        how = f"the first difference is in record {first + 1}: {_utc(one, first)} and {_utc(other, first)}"
    else:
        how = f"the first has {number_of(len(one), 'record')}, the second {len(other):,}"
    raise _mismatch(
        ClockMismatch,
        one,
        other,
        ("{0} and {1} do not have the same epochs: ", how),
        "first bring one table onto the epochs of the other, with the tool align",
    )


def _mismatch(
    kind: type[Mismatch], one: Table, other: Table, parts: tuple[str, ...], advice: str
) -> Mismatch:
    """Return an error about two tables, with the names from their files; the labels are added later.

    Every second text of `parts` is taken as it is: a unit may have braces.
    """
    wording = "".join(
        text.replace("{", "{{").replace("}", "}}") if index % 2 else text for index, text in enumerate(parts)
    )
    names = (_called(one), _called(other))
    return kind(wording.format(*names), advice=advice, tables=(one, other), wording=wording)


def _utc(table: Table, record: int) -> str:
    return str(table.epoch[record])[:23] + "Z"


def _called(table: Table) -> str:
    return f"'{table.name}'" if table.name else "a table"


def _what(table: Table) -> str:
    if table.kind == "vector":
        return f"a vector of {', '.join(table.components)}"
    return _HELD[table.kind]


def frame_of_series(table: Table, label: str = "") -> str:
    """Return the frame of a series: the stated frame, otherwise the frame in its name, description or parameter id.

    A file with a single component as a parameter states its frame only in words: ``1AU IP Bz, GSE``. The file's words
    come first. In a label, only the parameter id counts, the part after the first point of
    ``OMNI2_H0_MRG1HR.BZ_GSE``, because other labels, such as ``bz_gse_to_gsm``, were chosen by a person. ``SC`` means
    a spacecraft, not a frame. A magnitude or a speed has no frame.
    """
    if table.frame or table.kind != "scalar" or LENGTH.search(table.name):
        return table.frame
    from helio.sources.istp import frame_of  # numpy

    parameter = label.partition(".")[2]
    clauses = (
        frame_of("", {"LABLAXIS": table.name}),
        frame_of("", {"CATDESC": table.description}),
        frame_of(parameter, {}) if parameter else "",
    )
    return next((frame for frame in clauses if frame not in ("", "SC")), "")


def equal_units(one: str, other: str) -> bool:
    """Return whether two spellings mean the same unit; the spelling ``1`` means "no unit"."""
    from helio.knowledge.unit_spelling import (
        canonical_unit,  # hundreds of spellings, for which start-up must not pay
    )

    return canonical_unit(one) == canonical_unit(other)


def _equal_frames(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def _in_unit(unit: str) -> str:
    return "without a unit" if unit == "1" else f"in {unit}"


def _has_unit(unit: str) -> str:
    return f"is in {unit}" if unit else "has no unit"


def _has_frame(frame: str) -> str:
    return f"is in {frame}" if frame else "has no frame"


def advice_on_units(unit: str, needed: str) -> str:
    """Write advice for a table whose unit is not the required unit."""
    if not unit or not needed:
        stated = f': unit "{needed or unit}"' if needed != "1" else ""
        return f"if the missing unit is known, state it with the tool declare_quantity{stated}"
    from helio.knowledge.unit_algebra import comparable

    if comparable(unit, needed):
        return f'convert it first: convert_units to "{needed}"'
    if any(
        comparable(first, "K") and comparable(other, "eV")
        for first, other in ((unit, needed), (needed, unit))
    ):
        return f'convert it first: convert_units to "{needed}", equivalence "thermal"'
    return "choose another quantity: the units cannot be converted"


def advice_on_frames(frame: str, needed: str) -> str:
    """Write advice for a table whose frame is not the required frame."""
    if not frame or not needed:
        return f'if the missing frame is known, state it with the tool declare_quantity: frame "{needed or frame}"'
    if {frame.upper(), needed.upper()} <= _TURNED_INTO_ANOTHER:
        return f'transform it first: transform_frame to "{needed}", or choose a parameter in {needed}'
    return f"choose a parameter in {needed}: helio cannot transform from {frame}"


def _advice_on_kind(kind: str, table: Table, label: str) -> str:
    if kind == "scalar" and table.components:
        return f'take one component: "{label or table.name}.{table.components[0]}"'
    if kind == "scalar" and table.axes:
        return "average it over a band first, with the tool band_average"
    if kind == "vector" and table.kind == "scalar" and not LENGTH.search(table.name):
        return "choose the whole vector; join separate component parameters with the tool join_components"
    return f"choose a parameter that is {_HELD[kind]}"
