"""Meaning of the ISTP attributes of a variable: fill values, names, components, frames and axes of bins.

Reference: ISTP Metadata Guidelines, https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.store.one_pass import extremes
from helio.store.periods import known_periods, period_of
from helio.store.table import Axis, Floats, Scale

Attributes = Mapping[str, Any]
Texts = tuple[str, ...]

MOST_COMPONENTS = 8
"""If a dimension without bin values has at most this many elements, they become components; otherwise they
become numbered bins.
"""

_FLOAT_FILLS = (-1e31, -1e30)
"""ISTP's standard fill value, and the value that the CDF library stores where nothing was written."""
_EXACT = 2.0**53
"""Integers from this number on may not be exact in a float64."""
_FAR = 9.99
"""A number of nines counts as a fill value if it is larger than the larger limit of the valid range by this factor."""

FRAMES = (
    "GSE", "GSM", "RTN", "HEEQ", "HGI", "HCI", "J2000", "ECLIPJ2000", "GEI", "GCI", "VSO", "MSO", "KSO",
    "JSO", "SSE", "SEL", "DMPA", "DBCS", "BCS", "DMXL", "DSL", "SSL", "SPG", "NEC", "FAC", "HEE", "GEO", "SM",
    "SRF", "VBS", "SC",
)  # fmt: skip
"""Coordinate frames to look for in names, labels and descriptions, in this order; ``SC``, which also stands for
spacecraft, is last.
"""

_EMBEDDED = re.compile(r"GSE|GSM|RTN|HEEQ|HCI|J2000|GEI|GCI|VSO|DMPA|DBCS|DSL")
"""Coordinate frames that helio recognises even inside a longer name, such as ``BGSEc``."""
_LOWER = frozenset({
    "gse", "gsm", "rtn", "heeq", "hci", "j2000", "gei", "gci", "vso", "dmpa", "dbcs", "bcs", "dmxl", "dsl",
    "ssl", "sse", "sel", "geo",
})  # fmt: skip
"""Coordinate frames that may also be in lower case in a variable name, as in ``mms1_fgm_b_gse_srvy_l2``."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_TRAILING_FRAME = re.compile(r"[\s,_\-]*[\s,_\-(]\(?(?:" + "|".join(FRAMES[:-1]) + r")\)?$")
# STEREO HET writes "29.6 - 33. 4 MeV"
_NUMBER = r"[0-9]+(?:\.\s?[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+"
_BIN_TEXT = re.compile(
    rf"({_NUMBER})\s*(?:-|–|—|to|\.\.)\s*({_NUMBER})\s*([kMGT]?eV(?:/(?:n|nuc|nucleon|amu|u|q|e))?|[kMGT]?Hz|deg)\b"
)
_PER_AREA = re.compile(r"(?<![A-Za-z])[ckm]?m\s*(?:\^|\*\*)?\s*[-−]?2(?![0-9])")
_BIN_UNITS = re.compile(r"eV|Hz", re.IGNORECASE)


def is_flux(unit: str) -> bool:
    """Return whether a unit is "per area", which only fluxes are: ``#/(cm^2*s*str*MeV)``."""
    return _PER_AREA.search(unit) is not None


def text_of(attributes: Attributes, *names: str) -> str:
    """Return the first of the named attributes that is a text and not blank; return an empty text if there is none."""
    for name in names:
        value = attributes.get(name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "U":
            value = " ".join(str(part) for part in value.reshape(-1))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def numbers_of(attributes: Attributes, name: str) -> npt.NDArray[Any] | None:
    """Return an attribute as numbers, one for all components or one for each, in the precision in which the
    file stores it.
    """
    value = attributes.get(name)
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return np.array([float(value)])
        except ValueError:
            return None
    array = np.atleast_1d(np.asarray(value)).reshape(-1)
    return array if array.dtype.kind in "fiu" and array.size else None


def without_fill(raw: npt.NDArray[Any], attributes: Attributes) -> Floats:
    """Convert values to floats, with fill values as NaN; `raw` may be overwritten.

    A value is fill if it equals FILLVAL in the precision of the file; FILLVAL holds one value for all components or one
    for each. In floats, ISTP's −1e31 and the CDF library's pad value −1e30 are fill as well. For integers without
    FILLVAL, ISTP's fill value for their type is used, unless the valid range includes it.

    Returns
    -------
    float32 if the file has float32, else float64, of the shape of `raw`
    """
    return without_fill_and_extremes(raw, attributes)[0]


def without_fill_and_extremes(
    raw: npt.NDArray[Any], attributes: Attributes
) -> tuple[Floats, tuple[Any, Any] | None]:
    """Convert values as `without_fill` does; also return the smallest and the largest value, if they are known."""
    values: Floats = raw if raw.dtype.kind == "f" else raw.astype(np.float64)
    if not raw.size:
        return values, None
    fills = numbers_of(attributes, "FILLVAL")
    missing: npt.NDArray[np.bool_] | None = None
    low, high = extremes(raw)
    if fills is None and raw.dtype.kind in "iu":
        default = _integer_fill(raw.dtype, attributes)
        if default is not None and low <= default <= high:
            missing = raw == default
    elif fills is not None:
        missing = _equal(raw, fills, low, high)
    if raw.dtype.kind == "f" and low <= -9.9e29:
        for fill in _FLOAT_FILLS:
            same = raw == raw.dtype.type(fill)
            missing = same if missing is None else missing | same
    if missing is not None and missing.any():
        values[missing] = np.nan
        return values, None
    return values, (values.dtype.type(low), values.dtype.type(high))


def rounded_integers(values: Floats) -> tuple[str, ...]:
    """Return a note on integers that may be rounded when converted to floats; empty if there are no such integers.

    This is a note and not an error, also for flags and identifiers, because a table holds floats, and no tool reads
    single bits.
    """
    count = int(np.count_nonzero(np.isfinite(values) & (np.abs(values) >= _EXACT)))
    if not count:
        return ()
    return (
        f"integers of 2^53 or more: {count:,} of {values.size:,} values; their last digits may be rounded, because "
        "a float64 holds only 53 bits",
    )


def _equal(
    raw: npt.NDArray[Any], fills: npt.NDArray[Any], low: Any, high: Any
) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the values that equal their fill value; None if all fill values are outside `low` to `high`,
    the smallest and the largest value, or cannot be written in the type of the values.
    """
    if fills.size > 1 and (raw.ndim < 2 or fills.size != raw.shape[-1]):
        fills = fills[:1]
    if raw.dtype.kind == "f":
        # the attribute may be in a coarser precision than the values: −9.999999848e30 against −1e31
        coarse = np.dtype(fills.dtype if fills.dtype.kind == "f" else raw.dtype)
        dtype = coarse if coarse.itemsize < raw.dtype.itemsize else raw.dtype
        with np.errstate(over="ignore"):
            fills = fills.astype(dtype)
            if not ((low.astype(dtype) <= fills) & (fills <= high.astype(dtype))).any():
                return None
            same: npt.NDArray[np.bool_] = raw.astype(dtype, copy=False) == (
                fills if fills.size > 1 else fills[0]
            )
        return same
    limits = np.iinfo(raw.dtype)
    integers = [int(fill) for fill in fills.tolist() if np.isfinite(fill) and float(fill).is_integer()]
    if len(integers) != fills.size or not all(limits.min <= fill <= limits.max for fill in integers):
        return None
    exact = np.array(integers, dtype=raw.dtype)
    if not ((low <= exact) & (exact <= high)).any():
        return None
    equal: npt.NDArray[np.bool_] = np.equal(raw, exact if exact.size > 1 else exact[0])
    return equal


def _integer_fill(dtype: np.dtype[Any], attributes: Attributes) -> int | None:
    limits = np.iinfo(dtype)
    fill = int(limits.max if dtype.kind == "u" else limits.min)
    low, high = numbers_of(attributes, "VALIDMIN"), numbers_of(attributes, "VALIDMAX")
    if low is not None and high is not None and low.min() <= fill <= high.max():
        return None
    return fill


def outside_range(
    values: Floats, attributes: Attributes, known: tuple[Any, Any] | None = None
) -> tuple[str, ...]:
    """Return notes on values outside VALIDMIN to VALIDMAX. These values stay, except undeclared fill values, which
    become NaN in place.

    Some files use a fill value that FILLVAL does not give: Wind SWE writes 99999.9, but its FILLVAL is −1e31 and
    its VALIDMAX 9999.99. A value counts as such a fill value if it consists of at least four nines and no other
    digit, is outside the valid range, and is ten times as large as both limits, ignoring signs. (Nines just miss a
    power of ten, so 999.99 counts as ten times 100.) The other records that are read together with a value make no
    difference. All other values stay, also 999 above a VALIDMAX of 900. A valid range that is impossible or has
    another shape is ignored.

    Parameters
    ----------
    known : (float, float), optional
        The smallest and the largest value, if they are known.
    """
    limits = _valid_range(values, attributes)
    if limits is None:
        return ()
    low, high = limits
    lowest, highest = known or extremes(values)
    if not ((lowest < low).any() or (highest > high).any()):
        return ()
    with np.errstate(invalid="ignore", over="ignore"):
        outside = (values < low) | (values > high)
        count = int(np.count_nonzero(outside))
        if not count:  # each component may have limits of its own
            return ()
        fill = outside & (np.abs(values) >= _FAR * np.maximum(np.abs(low), np.abs(high)))
    fill[fill] = np.isin(values[fill], _nines(values.dtype))
    notes = []
    for number, count_of_number in zip(*np.unique(values[fill], return_counts=True), strict=True):
        notes.append(
            f"the value {_shortest(number)}, found {number_of(int(count_of_number), 'time')}, is outside the valid "
            "range and counts as fill"
        )
        count -= int(count_of_number)
    values[fill] = np.nan
    if count:
        span = f"{_listed(low)} to {_listed(high)}"
        notes.append(
            f"values outside the valid range {span}: {count:,} of {values.size:,}; they stay in the table"
        )
    return tuple(notes)


def possible_fill(values: Floats) -> tuple[int, str] | None:
    """Return the count and the text of values that seem to be an undeclared fill value; None without such values.

    The value is written with nines only, at least four of them, occurs at least twice, and is ten times as large as
    every other value, of either sign. `values` has any shape.

    >>> possible_fill(np.array([1.5, -4.0, 99999.9, 99999.9]))
    (2, '99999.9')
    >>> possible_fill(np.array([1.5, 99999.9, 99999.9, 20000.0]))
    """
    numbers = values[np.isfinite(values)]
    if not numbers.size:
        return None
    largest = numbers[np.argmax(np.abs(numbers))]
    is_largest = numbers == largest
    count = int(np.count_nonzero(is_largest))
    others = np.abs(numbers[~is_largest])
    if count < 2 or largest not in _nines(values.dtype):
        return None
    if others.size and np.abs(largest) < _FAR * others.max():
        return None
    return count, _shortest(largest)


def _valid_range(
    values: Floats, attributes: Attributes
) -> tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]] | None:
    low, high = numbers_of(attributes, "VALIDMIN"), numbers_of(attributes, "VALIDMAX")
    if low is None or high is None or values.size == 0:
        return None
    for limit in (low, high):
        if limit.size > 1 and (values.ndim < 2 or limit.size != values.shape[-1]):
            return None
    # in the precision of the file: 99.9 in float32 is not above a VALIDMAX of 99.9
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = low.astype(values.dtype), high.astype(values.dtype)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and np.all(low < high)):
        return None
    return low, high


def _shortest(number: np.floating[Any]) -> str:
    return np.format_float_positional(number, trim="-")


@cache
def _nines(dtype: np.dtype[Any]) -> Floats:
    """Return all numbers of four to twelve nines, such as 9999, 99.99 and −999.9, that this precision can hold."""
    texts = [
        f"{'9' * whole}.{'9' * (digits - whole)}" for digits in range(4, 13) for whole in range(1, digits + 1)
    ]
    numbers = np.array([float(text) for text in texts]).astype(dtype)
    # 9999999.9 in float32 is ten million, which a file may well mean
    nines = [number for number in numbers if set(_shortest(number).replace(".", "")) == {"9"}]
    return np.array([*nines, *(-number for number in nines)], dtype=dtype)


def _listed(limit: npt.NDArray[Any]) -> str:
    numbers = [f"{number:g}" for number in limit.tolist()]
    return numbers[0] if len(set(numbers)) == 1 else "[" + ", ".join(numbers) + "]"


def unknown_components(components: Texts) -> Texts:
    """Return a note on three components without a description, because tools for vectors do not accept such
    components.
    """
    if len(components) != 3:
        return ()
    return (
        "the file does not describe the 3 components; if they are Cartesian, add a step with the "
        'tool declare_quantity and the representation "cartesian"',
    )


def common_unit(units: Sequence[str]) -> tuple[str, str]:
    """Return the unit of all elements; if the elements have different units, return an empty unit and a note."""
    every = tuple(dict.fromkeys(units))
    if len(every) < 2:
        return (every[0] if every else ""), ""
    return "", f"the components have different units: {', '.join(unit or '(none)' for unit in units)}"


def periods_of(
    labels: Sequence[str], units: Sequence[str], name: str, description: str, attributes: Attributes
) -> tuple[float | None, ...]:
    """Return the period of each component that is an angle, found from labels, units and valid range; empty
    without angles.
    """
    count = max(1, len(labels))
    each_unit = tuple(units) if len(units) == count else (common_unit(units)[0],) * count
    low, high = numbers_of(attributes, "VALIDMIN"), numbers_of(attributes, "VALIDMAX")
    periods = []
    for column, unit in enumerate(each_unit):
        limits = None
        if low is not None and high is not None and {low.size, high.size} <= {1, count}:
            limits = (float(low[column % low.size]), float(high[column % high.size]))
        called = labels[column] if labels else name
        periods.append(period_of(called, unit, description=description if not labels else "", limits=limits))
    return known_periods(periods)


def scale_of(attributes: Attributes, default: Scale = "linear") -> Scale:
    """Return the scale of an axis from the attribute SCALETYP, or `default` if SCALETYP gives no scale."""
    scale = text_of(attributes, "SCALETYP").lower()
    if scale.startswith("log"):
        return "log"
    return "linear" if scale.startswith("lin") else default


def component_names(labels: Sequence[str], unit: str = "") -> Texts | None:
    """Shorten labels to component names: ``Bx`` for ``"Bx (GSE)"``, ``X`` for ``"ACE X-GSM"``. Return None
    unless all names differ.
    """
    names = [_short(label, unit) for label in labels]
    names = _without_common_words(names)
    if not all(names) or len(set(names)) != len(names):
        names = [" ".join(label.split()) for label in labels]
    return tuple(names) if all(names) and len(set(names)) == len(names) else None


def _short(label: str, unit: str) -> str:
    label = " ".join(label.split())
    if unit:
        label = re.sub(r"\s*[(\[]" + re.escape(unit) + r"[)\]]$", "", label, flags=re.IGNORECASE)
    return _TRAILING_FRAME.sub("", label).strip(" ,:")


def _without_common_words(names: Sequence[str]) -> list[str]:
    """Remove the words that all labels share: ``X``, ``Y``, ``Z`` for ``ACE X``, ``ACE Y``, ``ACE Z``."""
    words = [name.split(" ") for name in names]
    if len(words) > 1:
        while len({parts[0] for parts in words}) == 1 and min(len(parts) for parts in words) > 1:
            words = [parts[1:] for parts in words]
    return [" ".join(parts) for parts in words]


def stem_of(components: Texts) -> str:
    """Return the part that all component names share, such as ``B`` for Bx, By, Bz and Bt; empty if there is none."""
    if len(components) < 2:
        return ""
    stems = {name[:-1].rstrip("_ ") for name in components}
    return stems.pop() if len(stems) == 1 and all(len(name) > 1 for name in components) else ""


def frame_of(name: str, attributes: Attributes, labels: Sequence[str] = ()) -> str:
    """Return the coordinate frame of a vector, from its attributes, labels, name or description, searched in
    this order.
    """
    stated = text_of(
        attributes,
        "COORDINATE_SYSTEM",
        "COORDINATE_FRAME",
        "REFERENCE_FRAME",
        "FRAME",
        "COORD_SYSTEM",
        "COORDINATES",
    )
    if stated:
        short = stated.split(">")[0].strip()
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_\-]{1,15}", short):
            return short.upper() if short.lower() in _LOWER else short
        frame = _frame_in(stated)
        if frame:
            return frame
    for text in (*labels, text_of(attributes, "LABLAXIS")):
        frame = _frame_in(text)
        if frame:
            return frame
    words = _WORD.findall(name.replace("_", " "))
    for frame in FRAMES:
        if frame in words or (frame.lower() in _LOWER and frame.lower() in words):
            return frame
    embedded = _EMBEDDED.search(name)
    if embedded:
        return embedded.group()
    for text in (text_of(attributes, "FIELDNAM"), text_of(attributes, "CATDESC")):
        frame = _frame_in(text)
        if frame and frame != "SC":
            return frame
    return ""


def _frame_in(text: str) -> str:
    words = set(_WORD.findall(text.replace("_", " ")))
    return next((frame for frame in FRAMES if frame in words), "")


@dataclass(frozen=True)
class TextBins:
    """Edges and unit of bins that a file gives as texts such as ``"13.6 - 15.1 MeV"``."""

    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]
    unit: str

    @property
    def centers(self) -> npt.NDArray[np.float64]:
        """Centre of each bin: geometric mean of its edges, or arithmetic mean if the bin begins at zero."""
        return middle(self.lower, self.upper)


def middle(lower: Floats, upper: Floats) -> npt.NDArray[np.float64]:
    """Return the middle of each bin: the geometric mean of its edges if both are above zero, otherwise the
    arithmetic mean.
    """
    positive = (lower > 0) & (upper > 0)
    product = np.where(positive, lower, 0.0) * np.where(positive, upper, 0.0)
    centers: npt.NDArray[np.float64] = np.where(positive, np.sqrt(product), (lower + upper) / 2)
    return centers


def text_bins(labels: Sequence[str]) -> TextBins | None:
    """Return the bins that labels describe; None unless every label describes a bin and all bins have the same unit."""
    matches_or_none = [_BIN_TEXT.search(label) for label in labels]
    matches = [match for match in matches_or_none if match]
    if not labels or len(matches) != len(labels) or len({match[3] for match in matches}) != 1:
        return None
    lower = np.array([float(match[1].replace(" ", "")) for match in matches])
    upper = np.array([float(match[2].replace(" ", "")) for match in matches])
    if not np.all(lower < upper):
        return None
    return TextBins(lower, upper, matches[0][3])


def is_counting(centers: npt.NDArray[Any]) -> bool:
    """Return whether numbers only count elements: 0, 1, 2 … or 1, 2, 3 …, as THEMIS and PSP number components."""
    if centers.ndim != 1 or centers.size == 0 or centers[0] not in (0, 1):
        return False
    return bool(np.array_equal(centers, centers[0] + np.arange(centers.size)))


def numbered_axis(bins: int, label: str = "bin") -> Axis:
    """Return an axis of numbered bins, for bins whose physical values are unknown."""
    return Axis(label, "", np.arange(1, bins + 1, dtype=np.float64), scale="linear")


def axis_scale(centers: Floats, unit: str, attributes: Attributes) -> Scale:
    """Return the scale that SCALETYP gives; without SCALETYP, "log" for energies and frequencies above zero,
    otherwise "linear".
    """
    scale = scale_of(attributes, "log" if _BIN_UNITS.search(unit) else "linear")
    if scale == "log":
        finite = centers[np.isfinite(centers)]
        if finite.size == 0 or finite.min() <= 0:
            return "linear"
    return scale


def fixed_if_equal(array: Floats) -> Floats:
    """Return only the first record of an array if all its records are equal, otherwise the whole array."""
    if array.ndim < 2 or array.shape[0] == 0:
        return array
    # the second record tells most of the time; only then compare all
    few = array[:2]
    if not np.array_equal(few[:1], few[-1:], equal_nan=True):
        return array
    equal = (array == array[:1]) | (np.isnan(array) & np.isnan(array[:1]))
    return array[0].copy() if equal.all() else array
