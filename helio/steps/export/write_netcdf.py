"""Write tables as a netCDF-4 file with CF attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from helio import __version__
from helio.knowledge.udunits import udunits_spelling
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.written import LEAP_SECOND, WRITTEN
from helio.steps.export.about import FileAttributes
from helio.steps.export.layout import FileLayout, PlacedAxis, PlacedClock, PlacedTable, lay_out
from helio.steps.export.names import one_line
from helio.steps.export.scratch import scratch_file
from helio.store.leap_seconds import leap_seconds_in
from helio.store.table import Table

_COUNTS = (
    ("seconds", 10**9),
    ("milliseconds", 10**6),
    ("microseconds", 10**3),
    ("nanoseconds", 1),
)
_COMPRESSION = 4
_EDGE = "helio_edge"


def write_netcdf(tables: Mapping[str, Table], about: FileAttributes) -> bytes:
    """Write tables as a netCDF-4 file; times become integers since 1970, and missing values NaN.

    The library writes no times of its own into a file on disk; a file in memory ends with whatever was there.

    References
    ----------
    CF Conventions 1.11; NetCDF Climate and Forecast, sections 4.4, 5, 6 and 7.1.
    """
    import netCDF4

    layout = lay_out(tables, "time")
    with scratch_file(".nc") as path:
        file = netCDF4.Dataset(str(path), "w", format="NETCDF4")
        try:
            file.setncatts(_global_attributes(about))
            _write(file, layout)
        finally:
            file.close()
        return path.read_bytes()


def _write(file: Any, layout: FileLayout) -> None:
    for clock in layout.clocks:
        _add_clock(file, clock)
    for axis in layout.axes:
        file.createDimension(_dimension_of(axis), axis.axis.bins)
        _add_axis(file, axis)
    for placed in layout.tables:
        _add_table(file, placed)


def _dimension_of(axis: PlacedAxis) -> str:
    """Return the name of the dimension of bins, which for a coordinate variable is the name of the variable."""
    return axis.name if _is_coordinate(axis) else f"{axis.name}_bin"


def _is_coordinate(axis: PlacedAxis) -> bool:
    """Return whether CF accepts the centres as a coordinate variable: constant, strictly monotonic and none missing.

    A coordinate variable has no ``_FillValue``, so that the fill of the library itself would be read as missing.
    """
    import netCDF4

    if axis.clock is not None:
        return False
    centers = axis.axis.centers
    fill = centers.dtype.type(netCDF4.default_fillvals[centers.dtype.str[1:]])
    if not np.isfinite(centers).all() or (centers == fill).any():
        return False
    return bool((centers[1:] > centers[:-1]).all() or (centers[1:] < centers[:-1]).all())


def _add_clock(file: Any, clock: PlacedClock) -> None:
    file.createDimension(clock.name, clock.epoch.size)
    nanoseconds = clock.epoch.astype(np.int64)
    unit, size = next((unit, size) for unit, size in _COUNTS if not (nanoseconds % size).any())
    variable = file.createVariable(clock.name, "i8", (clock.name,), fill_value=False)
    variable.setncatts(
        {
            "standard_name": "time",
            "long_name": "time of each record, UTC",
            "units": f"{unit} since 1970-01-01T00:00:00Z",
            "calendar": "standard",
            "axis": "T",
        }
    )
    if leap_seconds_in(clock.epoch):
        variable.setncattr(LEAP_SECOND, "23:59:60 + x s stands at 23:59:59.999999 + x us")
    variable[:] = nanoseconds // size


def _add_axis(file: Any, placed: PlacedAxis) -> None:
    dimensions = (*([placed.clock.name] if placed.clock else []), _dimension_of(placed))
    words = one_line(placed.axis.label) or "bin"
    for part, name in placed.parts.items():
        long_name = words if part == "centers" else f"{words}, {part} edge"
        plain = part == "centers" and _is_coordinate(placed)
        variable = _numbers(file, name, placed.axis.parts[part], dimensions, fill=not plain)
        variable.setncatts({"long_name": long_name, **_unit(placed.axis.unit)})
        variable.SCALETYP = placed.axis.scale
        if part == "centers" and placed.edges:
            variable.bounds = placed.edges["bounds"]
    lower, upper = placed.axis.lower, placed.axis.upper
    if lower is not None and upper is not None:
        # both edges in one variable, for others; each in its own precision is written too
        if _EDGE not in file.dimensions:
            file.createDimension(_EDGE, 2)
        bounds = np.stack([lower, upper], axis=-1)
        _numbers(file, placed.edges["bounds"], bounds, (*dimensions, _EDGE), fill=False)


def _add_table(file: Any, placed: PlacedTable) -> None:
    table, dimensions, coordinates = placed.table, [placed.clock.name], []
    if placed.labels:
        file.createDimension(placed.labels, len(table.components))
        _texts(file, placed.labels, table.components, placed.labels, f"components of {placed.name}")
        dimensions.append(placed.labels)
    if placed.words:
        _texts(file, placed.directions, placed.words, placed.labels, f"representation of {placed.name}")
    for number, axis in enumerate(placed.axes):
        dimension = _dimension_of(axis)
        if dimension in dimensions:
            # CF forbids a dimension twice: the second axis has one of its own, and the same coordinate
            dimension = f"{dimension}_{number + 1}"
            file.createDimension(dimension, axis.axis.bins)
        dimensions.append(dimension)
        if not _is_coordinate(axis):
            coordinates.append(axis.name)
    variable = _numbers(file, placed.name, table.values, tuple(dimensions))
    variable.setncatts({"long_name": one_line(table.description or table.name) or placed.name})
    variable.setncatts(_unit(table.unit))
    if coordinates:
        variable.coordinates = " ".join(coordinates)
    if table.frame:
        variable.coordinate_system = one_line(table.frame)
    if placed.words:
        variable.REPRESENTATION_1 = placed.directions
    variable.SCALETYP = table.scale
    variable.setncattr_string(WRITTEN, placed.facts)


def _texts(file: Any, name: str, texts: Sequence[str], dimension: str, words: str) -> None:
    """Add a variable with one text for each component."""
    variable = file.createVariable(name, str, (dimension,))
    variable.long_name = words
    variable[:] = np.array([one_line(text) for text in texts], dtype=object)


def _numbers(
    file: Any, name: str, array: npt.NDArray[Any], dimensions: tuple[str, ...], *, fill: bool = True
) -> Any:
    """Add a variable of numbers; CF forbids a fill value for coordinate variables and for their bounds."""
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    variable = file.createVariable(
        name,
        native.dtype,
        dimensions,
        fill_value=native.dtype.type(np.nan) if fill else False,
        compression="zlib" if native.size else None,
        complevel=_COMPRESSION,
    )
    variable[...] = native
    return variable


def _unit(unit: str) -> dict[str, str]:
    """Return the attributes for a unit: the spelling of UDUNITS, and helio's spelling if it differs."""
    own = one_line(canonical_unit(unit))
    spelled = udunits_spelling(unit)
    if spelled is None:
        return {"units": own, "comment": f"the unit '{own}' is not one of UDUNITS"}
    same = canonical_unit(spelled) == own
    return {"units": spelled} if same else {"units": spelled, "comment": f"in units of {own}"}


def _global_attributes(about: FileAttributes) -> dict[str, str]:
    """Return the global attributes of the file without the time of writing, so that equal tables give equal bytes."""
    texts = {
        "Conventions": "CF-1.11",
        "title": about.title or about.dataset,
        "history": f"written by helio {__version__} from {'; '.join(about.sources) or 'tables without a known file'}",
        "id": about.dataset,
        "Logical_source": about.dataset,
        "Logical_file_id": about.file,
        "Data_version": about.version,
        "source": "; ".join(about.sources),
        "references": "; ".join(f"https://doi.org/{doi}" for doi in about.dois),
        "acknowledgement": " ".join(about.acknowledgements),
        "comment": "; ".join(about.notes),
    }
    return {name: text for name, text in texts.items() if text}
