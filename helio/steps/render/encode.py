"""Write arrays in plotly's JSON format: short arrays as readable lists, long arrays as base64 bytes."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

Encoded = list[Any] | dict[str, Any]

READABLE = 64
"""Arrays with at most this many values are written as a plain list."""


def numbers(values: npt.NDArray[Any]) -> Encoded:
    """Write numbers as a list, with ``None`` for NaN, or as plotly's ``{"dtype", "bdata"}`` with little-endian bytes.

    Values become float32 with six to seven digits, unless this would move a point visibly.
    """
    plain = _shortened(values)
    if plain.size <= READABLE:
        return _listed(plain)
    typed = {"dtype": f"f{plain.dtype.itemsize}", "bdata": _base64(plain)}
    if plain.ndim > 1:
        typed["shape"] = ", ".join(str(length) for length in plain.shape)
    return typed


def times(epoch: npt.NDArray[np.datetime64]) -> dict[str, Any]:
    """Write epochs as ``x0`` and ``dx`` if they are evenly spaced to the ns, otherwise as a list ``x`` of ISO times."""
    steps = np.diff(epoch.astype("i8"))
    # plotly.js keeps dates to 0.1 ms, so a step that is no multiple of it would drift along x0 + n·dx.
    if steps.size and steps[0] > 0 and steps[0] % 100_000 == 0 and (steps == steps[0]).all():
        step = steps[0] / 1e6
        return {"x0": iso(epoch[0]), "dx": int(step) if step == int(step) else float(step)}
    return {"x": moments(epoch)}


def moments(epoch: npt.NDArray[np.datetime64]) -> list[str]:
    """Write each time as text in ISO 8601.

    Numbers of ms since 1970 would be shorter, but plotly.js shows them in the reader's time zone. Texts have µs, ten
    times finer than plotly.js keeps.
    """
    rounded = ((epoch.astype("datetime64[ns]").astype("i8") + 500) // 1000).astype("datetime64[us]")
    return [_trimmed(text) for text in np.datetime_as_string(rounded)]


def iso(moment: np.datetime64) -> str:
    """Write a time as ``2021-10-28T00:00``, with seconds and fractions of seconds only if they are not zero."""
    return moments(np.array([moment]))[0]


def _trimmed(text: str) -> str:
    seconds, fraction = text[:19], text[19:].rstrip("0").removesuffix(".")
    return seconds + fraction if fraction else seconds.removesuffix(":00")


def _shortened(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype == np.float32:
        return values
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    finite = np.isfinite(values)
    if not finite.any():
        return short
    low, high = values[finite].min(), values[finite].max()
    with np.errstate(invalid="ignore"):
        moved = np.abs(short[finite].astype(np.float64) - values[finite]).max()
    # On a logarithmic axis a value too small for float32 is far from zero.
    vanished = ((short[finite] == 0) & (values[finite] != 0)).any()
    enough = moved <= (high - low) * 1e-5 or moved == 0.0
    return short if enough and not vanished else values.astype(np.float64)


def _listed(values: npt.NDArray[Any]) -> list[Any]:
    if values.ndim > 1:
        return [_listed(row) for row in values]
    # str of a numpy scalar is the shortest text that reads back as the same float32.
    return [float(str(value)) if np.isfinite(value) else None for value in values]


def _base64(values: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()).decode()
