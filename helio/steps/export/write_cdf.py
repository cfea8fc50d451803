"""Write tables as a CDF file with ISTP attributes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_algebra import si_conversion
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.cdf_epoch import tt2000_of
from helio.sources.written import WRITTEN
from helio.steps.export.about import FileAttributes
from helio.steps.export.layout import FileLayout, PlacedAxis, PlacedClock, PlacedTable, lay_out
from helio.steps.export.names import one_line
from helio.steps.export.scratch import scratch_file
from helio.store.table import Floats, Table

# CDF C Reference Manual: the numbers of the types, and of the encoding that most machines have
_TYPES = {"float32": 44, "float64": 45}
_TT2000, _CHAR = 33, 51
_IBMPC = 6
_FILL = -1e31
_LIMIT = 1e30
"""VALIDMIN is minus this number and VALIDMAX this number; the fill value is outside this range."""
_NO_TIME = -(2**63)

Attributes = dict[str, Any]


def write_cdf(tables: Mapping[str, Table], about: FileAttributes) -> bytes:
    """Write tables as a CDF file; each set of epochs becomes a TT2000 variable, and missing values become −1e31.

    Raises
    ------
    StepError
        For epochs before 1972, which helio does not write as TT2000, and for a value that is equal to the fill value.

    References
    ----------
    ISTP Metadata Guidelines, https://spdf.gsfc.nasa.gov/istp_guide/istp_guide.html.
    """
    from cdflib.cdfwrite import CDF

    layout = lay_out(tables, "Epoch")
    with scratch_file(".cdf") as path:
        with warnings.catch_warnings():
            # cdflib leaves files to the garbage collector
            warnings.simplefilter("ignore", ResourceWarning)
            file = CDF(path, cdf_spec={"Majority": "row_major", "Encoding": _IBMPC, "Checksum": False})
            file.write_globalattrs(_global_attributes(about))
            _write(file, layout)
            file.close()
        return path.read_bytes()


def _write(file: Any, layout: FileLayout) -> None:
    for clock in layout.clocks:
        _add(file, clock.name, _TT2000, _tt2000(clock), _of_clock(clock))
    for axis in layout.axes:
        _add_axis(file, axis)
    for placed in layout.tables:
        table = placed.table
        if placed.labels:
            _add_texts(file, placed.labels, table.components, f"Components of {placed.name}")
        if placed.words:
            _add_texts(file, placed.directions, placed.words, f"Representation of {placed.name}")
        _refuse_fill(placed.name, table.values)
        _add(file, placed.name, _TYPES[table.values.dtype.name], _filled(table.values), _of_table(placed))


def _add(
    file: Any, name: str, kind: int, data: npt.NDArray[Any], attributes: Attributes, *, constant: bool = False
) -> None:
    """Add a variable to the file; the first dimension counts records unless the variable is constant."""
    spec = {
        "Variable": name,
        "Data_Type": kind,
        "Num_Elements": 1,
        "Rec_Vary": not constant,
        "Dim_Sizes": list(data.shape if constant else data.shape[1:]),
        "Compress": 0,
    }
    native = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("<"))
    file.write_var(spec, var_attrs=attributes, var_data=native if constant or data.size else None)


def _add_texts(file: Any, variable: str, texts: Sequence[str], words: str) -> None:
    """Add a constant variable with one text for each component."""
    entries = [one_line(text).encode() or b" " for text in texts]
    width = max(map(len, entries))
    spec = {
        "Variable": variable,
        "Data_Type": _CHAR,
        "Num_Elements": width,
        "Rec_Vary": False,
        "Dim_Sizes": [len(entries)],
        "Compress": 0,
    }
    attributes = {
        "CATDESC": words,
        "FIELDNAM": variable,
        "FORMAT": f"A{width}",
        "FILLVAL": " ",
        "VAR_TYPE": "metadata",
    }
    file.write_var(spec, var_attrs=attributes, var_data=b"".join(entry.ljust(width) for entry in entries))


def _add_axis(file: Any, placed: PlacedAxis) -> None:
    axis, constant, dtype = placed.axis, placed.clock is None, placed.axis.centers.dtype
    # others read distances from the centres, and helio the edges themselves: differences of floats are not exact
    deltas = {}
    if axis.lower is not None and axis.upper is not None:
        deltas = {
            placed.edges["delta_minus"]: ("DELTA_MINUS_VAR", _distance(axis.lower, axis.centers, dtype)),
            placed.edges["delta_plus"]: ("DELTA_PLUS_VAR", _distance(axis.centers, axis.upper, dtype)),
        }
    words = one_line(axis.label) or "bin"
    for part, name in placed.parts.items():
        attributes = _of_numbers(name, words if part == "centers" else f"{words}, {part} edge", axis.unit)
        attributes["SCALETYP"] = "log" if axis.scale == "log" else "linear"
        if placed.clock is not None:
            attributes["DEPEND_0"] = placed.clock.name
        if part == "centers":
            attributes |= {attribute: delta for delta, (attribute, _) in deltas.items()}
        array = axis.parts[part]
        _refuse_fill(name, array)
        attributes |= _limits(array.dtype)
        _add(file, name, _TYPES[array.dtype.name], _filled(array), attributes, constant=constant)
    for name, (attribute, array) in deltas.items():
        side = "below" if attribute == "DELTA_MINUS_VAR" else "above"
        attributes = _of_numbers(name, f"{words}, width {side} the centre", axis.unit) | _limits(array.dtype)
        if placed.clock is not None:
            attributes["DEPEND_0"] = placed.clock.name
        _add(file, name, _TYPES[array.dtype.name], _filled(array), attributes, constant=constant)


def _distance(low: Floats, high: Floats, dtype: np.dtype[Any]) -> Floats:
    """Return high minus low in the type of the centres, as ISTP requires; NaN if the difference exceeds the type."""
    with np.errstate(over="ignore", invalid="ignore"):
        distance = (high - low).astype(dtype)
    distance[~np.isfinite(distance)] = np.nan
    return distance


def _of_clock(clock: PlacedClock) -> Attributes:
    return {
        "CATDESC": "Time of each record, UTC with leap seconds",
        "FIELDNAM": clock.name,
        "LABLAXIS": "UT",
        "UNITS": "ns",
        "FILLVAL": [np.int64(_NO_TIME), "CDF_TIME_TT2000"],
        # 1972-01-01 to 2262-01-01
        "VALIDMIN": [np.int64(-883655957816000000), "CDF_TIME_TT2000"],
        "VALIDMAX": [np.int64(8267961669184000000), "CDF_TIME_TT2000"],
        "VAR_TYPE": "support_data",
        "SCALETYP": "linear",
        "MONOTON": "INCREASE",
        "TIME_BASE": "J2000",
        "TIME_SCALE": "Terrestrial Time",
        "REFERENCE_POSITION": "Rotating Earth Geoid",
    }


def _of_table(placed: PlacedTable) -> Attributes:
    table = placed.table
    attributes = {
        "CATDESC": one_line(table.description or table.name) or placed.name,
        "FIELDNAM": placed.name,
        "UNITS": one_line(canonical_unit(table.unit)) or " ",
        "FORMAT": "E15.7" if table.values.dtype == np.float32 else "E24.16",
        "VAR_TYPE": "data",
        "SCALETYP": "log" if table.scale == "log" else "linear",
        "DISPLAY_TYPE": "spectrogram" if table.axes else "time_series",
        "DEPEND_0": placed.clock.name,
        **_limits(table.values.dtype),
    }
    if placed.labels:
        attributes["LABL_PTR_1"] = placed.labels
    else:
        attributes["LABLAXIS"] = one_line(table.name) or placed.name
    if placed.words:
        attributes["REPRESENTATION_1"] = placed.directions
    if table.frame:
        attributes["COORDINATE_SYSTEM"] = one_line(table.frame)
    attributes |= _si(table.unit)
    for number, axis in enumerate(placed.axes, start=1):
        attributes[f"DEPEND_{number}"] = axis.name
    return {**attributes, WRITTEN: placed.facts}


def _of_numbers(variable: str, words: str, unit: str) -> Attributes:
    return {
        "CATDESC": words,
        "FIELDNAM": variable,
        "LABLAXIS": words,
        "UNITS": one_line(canonical_unit(unit)) or " ",
        "FORMAT": "E24.16",
        "VAR_TYPE": "support_data",
        **_si(unit),
    }


def _si(unit: str) -> Attributes:
    conversion = si_conversion(unit)
    return {"SI_CONVERSION": conversion} if conversion else {}


def _limits(dtype: np.dtype[Any]) -> Attributes:
    kind = "CDF_FLOAT" if dtype == np.float32 else "CDF_DOUBLE"
    limits = {"FILLVAL": _FILL, "VALIDMIN": -_LIMIT, "VALIDMAX": _LIMIT}
    return {name: [dtype.type(number), kind] for name, number in limits.items()}


def _tt2000(clock: PlacedClock) -> npt.NDArray[np.int64]:
    try:
        return tt2000_of(clock.epoch.astype(np.int64))
    except ValueError as error:
        raise StepError(
            f"the table begins at {clock.epoch.min()}, but helio writes CDF epochs only from 1972 on",
            advice='set format: "netcdf"',
        ) from error


def _refuse_fill(name: str, values: npt.NDArray[Any]) -> None:
    """Refuse the values −1e31, which is the fill value, and −1e30, which the CDF library writes for missing records."""
    for number in (_FILL, _FILL / 10):
        if (values == values.dtype.type(number)).any():
            raise StepError(
                f"'{name}' has the value {number:g}, which means a missing value in CDF",
                advice='set format: "netcdf"',
            )


def _filled(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    missing = np.isnan(values)
    return np.where(missing, values.dtype.type(_FILL), values) if missing.any() else values


def _global_attributes(about: FileAttributes) -> dict[str, dict[int, str]]:
    """Return the attributes that ISTP requires, without the time of writing: equal tables give equal bytes."""
    entries: dict[str, tuple[str, ...]] = {
        "Project": ("helio",),
        "Discipline": ("Space Physics",),
        "Source_name": ("helio>helio pipelines",),
        "Data_type": ("DRV>Derived",),
        "Descriptor": (f"{about.dataset}>{about.title or about.dataset}",),
        "Data_version": (about.version,),
        "Logical_file_id": (about.file,),
        "Logical_source": (about.dataset,),
        "Logical_source_description": (about.title or about.dataset,),
        "TITLE": (about.title or about.dataset,),
        "TEXT": about.sources or ("No file is known that the tables rest on",),
        "Mission_group": (" ",),
        "Instrument_type": (" ",),
        "PI_name": (" ",),
        "PI_affiliation": (" ",),
        "Parents": about.parents,
        "Source_DOI": about.dois,
        "Acknowledgement": about.acknowledgements,
        "Caveats": about.notes,
        "Generated_by": ("helio",),
        "File_naming_convention": ("source",),
    }
    return {name: dict(enumerate(texts)) for name, texts in entries.items() if texts}
