"""Tables, which steps read and make: values over time with unit, frame and axes."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.notebook import box, paragraph
from helio.store.canonical import canonical_blocks
from helio.store.component_names import axis_letters
from helio.store.events import Event
from helio.store.leap_seconds import spans_leap_second
from helio.store.periods import Periods, known_periods, period_of
from helio.store.representation import Representation, representation_of
from helio.store.source_file import SourceFile

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Epochs = npt.NDArray[np.datetime64]
Floats = npt.NDArray[np.floating[Any]]
Scale = Literal["linear", "log"]
PARTS = ("centers", "lower", "upper")
"""Names of the arrays that describe the bins of an axis: their centres and edges."""

DIGEST_FORM = "helio-table/1"
"""Version of the method that computes digests. Raise it when the digest covers other facts; helio then
computes stored work again."""


@dataclass(frozen=True, eq=False)
class Axis:
    """Bin axis of a spectrum: energies, frequencies or pitch angles.

    Parameters
    ----------
    label, unit : str
        ``"Energy"``, ``"keV"``.
    centers : array, shape (b,) or (n, b)
        One centre per bin, fixed or per record. Never sorted: bin j is column j of the values.
    lower, upper : array of the shape of `centers`, optional
        Bin edges where the file gives them.
    scale : "linear" or "log"
        How the axis is drawn.
    """

    label: str
    unit: str
    centers: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    scale: Scale = "log"

    def __repr__(self) -> str:
        changing = ", changing" if self.per_record else ""
        return f"<Axis {self.label!r}: {number_of(self.bins, 'bin')}, {self.unit or 'no unit'}{changing}>"

    @property
    def per_record(self) -> bool:
        """Return whether the bins change from record to record."""
        return self.centers.ndim == 2

    @property
    def bins(self) -> int:
        """Return the number of bins."""
        return int(self.centers.shape[-1])

    @property
    def parts(self) -> dict[str, Floats]:
        """Return the centres of the bins and, if known, their edges, by name."""
        return {name: array for name in PARTS if (array := getattr(self, name)) is not None}

    def take(self, records: Any) -> Axis:
        """Select the bins of some records by a slice, a mask or indices."""
        if not self.per_record:
            return self
        return replace(
            self,
            centers=self.centers[records],
            lower=None if self.lower is None else self.lower[records],
            upper=None if self.upper is None else self.upper[records],
        )


@dataclass(frozen=True, eq=False)
class Table:
    """Values over time, with their unit, frame, components or bin axes.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        UTC, increasing; leap seconds as in `helio.store.leap_seconds`.
    values : float, shape (n,) for a scalar, (n, k) for k components, (n, b) or (n, b1, b2) for a spectrum
        Fill is NaN already. float32 where the file has float32, else float64.
    unit : str
        Canonical: ``"nT"``, ``"km/s"``, ``"cm^-3"``; empty where there is none or none is known.
    name : str
        The quantity as the file names it (LABLAXIS): the label of an axis.
    frame : str
        Coordinate frame of a vector: ``"GSE"``, ``"RTN"``; empty otherwise.
    components : tuple of str
        Names of the k components; empty for scalars and spectra.
    axes : tuple of Axis
        None, one or two bin axes; ``values.ndim == 1 + len(axes)`` for spectra.
    stated_representation : str, optional
        The representation of the components, where more is known than their names and the unit show.
    stated_periods : tuple of float or None, optional
        The `periods`, where more is known than names and unit show.
    """

    epoch: Epochs
    values: Floats
    unit: str = ""
    name: str = ""
    frame: str = ""
    components: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    stated_representation: Representation | None = None
    stated_periods: Periods | None = None
    scale: Scale = "linear"
    description: str = ""
    sources: tuple[SourceFile, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """Remarks about the data, from the function that read the file."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Number of records that were left out in reading, by reason; the fetch decides whether to accept the table."""
    events: tuple[Event, ...] = ()
    """What the step that made the table reports in the record of its run; the table in the store has no events."""

    def __post_init__(self) -> None:
        records = self.epoch.shape[0]
        if self.epoch.dtype != np.dtype("datetime64[ns]") or self.epoch.ndim != 1:
            raise ValueError("epoch must be datetime64[ns] of shape (n,)")
        if self.values.shape[:1] != (records,):
            raise ValueError(
                f"values have shape {self.values.shape}, but epoch has {number_of(records, 'record')}"
            )
        if self.axes and self.components:
            raise ValueError("a table has components or bin axes, not both")
        width = tuple(axis.bins for axis in self.axes) or ((len(self.components),) if self.components else ())
        if self.values.shape[1:] != width:
            raise ValueError(
                f"values have shape {self.values.shape}, but components or axes require {width} for each record"
            )
        if self.stated_periods and (self.axes or len(self.stated_periods) != max(1, len(self.components))):
            raise ValueError(
                f"the table states the periods of {number_of(len(self.stated_periods), 'angle')}, but has "
                f"{number_of(width[0] if width else 1, 'component')}"
            )
        # Do not state what names and unit show already: equal tables must have one digest.
        if not self.components or self.stated_representation == self._representation_by_names():
            object.__setattr__(self, "stated_representation", None)
        if self.stated_periods == self._periods_by_names():
            object.__setattr__(self, "stated_periods", None)

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.values.shape))
        what = f"{self.kind} {shape}, {self.unit or 'no unit'}{f', {self.frame}' if self.frame else ''}"
        columns = ", ".join((*self.components[:6], *(["…"] if len(self.components) > 6 else [])))
        span = f", {_plain(self.epoch[0])} to {_plain(self.epoch[-1])}" if len(self) else ""
        return f"<Table {self.name!r}: {what}{f' ({columns})' if columns else ''}{span}>"

    def _repr_html_(self) -> str:
        """Return the HTML that Jupyter shows: facts, and the first and last records."""
        frame = self.to_pandas()
        records = frame.to_html(max_rows=10, max_cols=8, show_dimensions=True)
        return box(repr(self)[1:-1], paragraph(self.description), records)

    @cached_property
    def representation(self) -> Representation:
        """Return how the components describe a vector: as stated or, if nothing is stated, by their names and unit."""
        stated = self.stated_representation
        return self._representation_by_names() if stated is None else stated

    @cached_property
    def periods(self) -> Periods:
        """Return the periods of angles: one for each component, or one for a scalar.

        360 for a longitude in deg, 0 for a latitude; None for other quantities and unknown periods. Empty where
        all are None.
        """
        return self._periods_by_names() if self.stated_periods is None else self.stated_periods

    def _representation_by_names(self) -> Representation:
        return representation_of(self.components, (self.unit,))

    def _periods_by_names(self) -> Periods:
        if self.axes:
            return ()
        if self.components:
            return known_periods([period_of(name, self.unit) for name in self.components])
        return known_periods([period_of(self.name, self.unit, description=self.description)])

    def __len__(self) -> int:
        return int(self.epoch.shape[0])

    @property
    def kind(self) -> Literal["scalar", "vector", "spectrum"]:
        """Return the kind of table: a series, a series of components, or a spectrum over bins."""
        if self.axes:
            return "spectrum"
        return "vector" if self.components else "scalar"

    def take(self, records: Any) -> Table:
        """Select records by a slice, a mask or indices; the selected epochs must increase."""
        return replace(
            self,
            epoch=self.epoch[records],
            values=self.values[records],
            axes=tuple(axis.take(records) for axis in self.axes),
        )

    def between(self, start: np.datetime64, stop: np.datetime64) -> Table:
        """Select the records from `start` up to, but not including, `stop`."""
        first, last = np.searchsorted(self.epoch, [start, stop], side="left")
        return self.take(slice(int(first), int(last)))

    def component(self, name: str) -> Table:
        """Return one component as a scalar table, by the component's name (case-sensitive) or letter, such as ``x``.

        ``z`` is ``Bz GSE`` beside ``Bx GSE`` and ``By GSE``, unless a component is called ``z`` itself.
        """
        exact = self.component_name(name)
        if exact is None:
            raise StepError(
                f"no component is called '{name}'",
                advice=f"choose one of the components: {', '.join(self.components)}"
                if self.components
                else "use the whole table, because it has no components",
            )
        column = self.components.index(exact)
        return replace(
            self,
            values=self.values[:, column],
            components=(),
            stated_periods=known_periods(self.periods[column : column + 1]),
            name=exact,
        )

    def component_name(self, name: str) -> str | None:
        """Return the full name of a component, given its name or letter; return None if there is no such component."""
        return name if name in self.components else axis_letters(self.components).get(name)

    def to_pandas(self) -> pd.DataFrame:
        """Convert to a pandas frame, indexed by epoch, with one column for each component or bin.

        Returns
        -------
        DataFrame, shape (n, columns)
            ``frame.attrs`` has the metadata as plain JSON: unit, frame, name, description, axes (with the centres of
            bins that do not change), sources and notes. pandas hands them on to columns and most results.
        """
        import pandas as pd

        flat = self.values.reshape(len(self), math.prod(self.values.shape[1:]))
        made = pd.DataFrame(flat, index=pd.DatetimeIndex(self.epoch, name="epoch"), columns=self.columns())
        made.attrs = {
            "unit": self.unit,
            "frame": self.frame,
            "name": self.name,
            "description": self.description,
            "axes": [
                {"label": axis.label, "unit": axis.unit}
                | (
                    {}
                    if axis.per_record
                    else {
                        "centers": [
                            centre if math.isfinite(centre) else None for centre in axis.centers.tolist()
                        ]
                    }
                )
                for axis in self.axes
            ],
            "sources": [
                {fact: value for fact, value in source.cited().items() if value} for source in self.sources
            ],
            "notes": list(self.notes),
        }
        return made

    def to_xarray(self) -> xr.DataArray:
        """Convert to an array of xarray, with named dimensions and with metadata that netCDF files can keep.

        Returns
        -------
        DataArray, shape of `values`
            Dimensions: ``epoch``; ``component`` for components; for bins the name of the axis, such as ``energy``.
            The coordinates of bins are their centres and, as ``energy_lower`` and ``energy_upper``, their edges. If
            the bins change from record to record, their dimension is ``energy_bin``, and ``energy`` has the shape
            (n, b). ``attrs`` has units, frame, long_name, description, sources and notes, each only if it is known.
        """
        import xarray as xr

        dimensions = ["epoch"]
        coordinates: dict[str, Any] = {"epoch": ("epoch", self.epoch)}
        if self.components:
            dimensions.append("component")
            coordinates["component"] = ("component", list(self.components))
        for number, axis in enumerate(self.axes, 1):
            name = _variable_name(axis.label) or f"axis_{number}"
            if name in coordinates or name == "component":
                name = f"{name}_{number}"
            dimension = f"{name}_bin" if axis.per_record else name
            dimensions.append(dimension)
            across = ("epoch", dimension) if axis.per_record else (dimension,)
            facts = {"units": axis.unit, "long_name": axis.label}
            for part, array in axis.parts.items():
                variable = name if part == "centers" else f"{name}_{part}"
                coordinates[variable] = (across, array, {fact: text for fact, text in facts.items() if text})
        attributes = {
            "units": self.unit,
            "frame": self.frame,
            "long_name": self.name,
            "description": self.description,
            "sources": [source.in_words() for source in self.sources],
            "notes": list(self.notes),
        }
        known = {fact: value for fact, value in attributes.items() if value}
        return xr.DataArray(self.values, coordinates, dimensions, name=self.name or "value", attrs=known)

    def columns(self) -> list[str]:
        """Return the column names of the table in two dimensions: components, bin centres, or the table's name."""
        if self.components:
            return list(self.components)
        if not self.axes:
            return [self.name or "value"]
        parts = [[_bin_name(axis, j) for j in range(axis.bins)] for axis in self.axes]
        names = parts[0]
        for part in parts[1:]:
            names = [f"{left}, {right}" for left in names for right in part]
        return names

    def digest(self) -> str:
        """Compute the sha256 of everything in the table that a step or a figure can use.

        The digest depends on values, epochs, unit, name, frame, components, axes, scale and description, and on the
        stated representation and periods. It does not depend on sources and notes, which say where the table came
        from, or on memory layout and byte order. All NaN are equal, and −0.0 equals 0.0. The computation needs
        memory for one block, in addition to the table.
        """
        hasher = hashlib.sha256(json.dumps(self._facts(), sort_keys=True).encode())
        for name, array in self.arrays():
            hasher.update(f"\n{name} {array.dtype.newbyteorder('<').str} {array.shape}\n".encode())
            for block in canonical_blocks(array):
                hasher.update(block.data)
        return "sha256:" + hasher.hexdigest()

    def arrays(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        """Yield every array of the table with a name, such as ``"axis 1 centers"``; all tables use the same names."""
        yield "epoch", self.epoch
        yield "values", self.values
        for number, axis in enumerate(self.axes):
            yield from ((f"axis {number} {part}", array) for part, array in axis.parts.items())

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "form": DIGEST_FORM,
            "unit": self.unit,
            "name": self.name,
            "frame": self.frame,
            "components": self.components,
            "axes": [[axis.label, axis.unit, axis.scale] for axis in self.axes],
            "scale": self.scale,
            "description": self.description,
            # older results, which ignored leap seconds, do not belong to this table
            **({"leap_seconds": "counted"} if spans_leap_second(self.epoch) else {}),
        }
        return facts | self.geometry()

    def geometry(self) -> dict[str, Any]:
        """Return as JSON the representation of a vector and the periods of angles, if the table states them."""
        stated: dict[str, Any] = {}
        if self.stated_representation is not None:
            stated["representation"] = self.stated_representation
        if self.stated_periods is not None:
            stated["periods"] = list(self.stated_periods)
        return stated


def merge_sources(tables: Sequence[Table] | Mapping[str, Table]) -> tuple[SourceFile, ...]:
    """Return the source files of several tables in order, each file once."""
    every = tables.values() if isinstance(tables, Mapping) else tables
    return tuple(dict.fromkeys(source for table in every for source in table.sources))


def _variable_name(text: str) -> str:
    """Return a name for a variable in a program: ``"pitch_angle"`` for ``"Pitch angle"``; it may be empty."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def _bin_name(axis: Axis, j: int) -> str:
    if axis.per_record:
        return f"{axis.label or 'bin'} {j + 1}"
    return f"{axis.centers[j]:.6g} {axis.unit}".strip()


def _plain(epoch: np.datetime64) -> str:
    """Write an epoch without zeros at the end of its fraction of a second."""
    return str(epoch).rstrip("0").removesuffix(".")
