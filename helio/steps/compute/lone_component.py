"""Find, from the frame and the name of a series, which component of a vector the series is, if it is one."""

from __future__ import annotations

import re

from helio.errors import StepError
from helio.steps.quantity import LENGTH, frame_of_series
from helio.store.table import Table

# `Bz`, `BX`, `V_y`, `P+ Vx GSE`: of fields and velocities, for `By` also begins a sentence.
_CARTESIAN = re.compile(r"(?<![A-Za-z0-9])[BVUEJ](?:[a-z]_?)?_?([xyzXYZ])(?![A-Za-z0-9])")
_RADIAL = re.compile(r"(?<![A-Za-z0-9])[BVUEJ]?_?([rtnRTN])(?![A-Za-z0-9])")
_PLAIN = re.compile(r"\s*([xyzXYZ])(?![A-Za-z])")
# `Bt` beside Bx, By, Bz; in RTN it is the tangential component.
_TOTAL = re.compile(r"[A-Z]_?(?:t|tot|total|mag)|R", re.IGNORECASE)


def letter_of(series: Table) -> str:
    """Return which component of a vector a series is, such as ``x``; ``?`` if unknown, empty if it is no component.

    A series with a frame is a component, unless its name says that it is a length: a magnitude has no frame, but the
    fourth component of MMS's ``Bx``, ``By``, ``Bz``, ``Bt`` keeps that of the vector.
    """
    if series.kind != "scalar" or LENGTH.search(series.name):
        return ""
    frame = frame_of_series(series)
    if frame == "RTN":
        match = _RADIAL.search(series.name)
        return match[1].casefold() if match else "?"
    match = _CARTESIAN.search(series.name) or (_PLAIN.match(series.name) if frame else None)
    if match:
        return match[1].casefold()
    return "?" if series.frame and not _TOTAL.fullmatch(series.name.strip()) else ""


def hold_length(series: Table, what: str) -> None:
    """Refuse a single component where a length is needed: |B_z| is not the field strength, |V_y| is not the speed.

    Raises
    ------
    StepError
        When the frame or the name of the series says that it is a component.
    """
    if letter_of(series):
        frame = f" in {series.frame}" if series.frame else ""
        raise StepError(
            f"{what} needs a vector or its length, but '{series.name}' is one component{frame}",
            advice="give the whole vector, its magnitude (tool magnitude), or a parameter that is a "
            "speed or a field "
            "strength",
        )


def hold_b_z(series: Table, what: str) -> None:
    """Refuse a series that is known to be a magnitude, or a component other than z.

    Raises
    ------
    StepError
        When the name of the series says so.
    """
    letter = letter_of(series)
    length = LENGTH.search(series.name)
    if length or letter not in ("", "?", "z"):
        raise StepError(
            f"{what} needs B_z, but '{series.name}' is {'a magnitude' if length else f'B_{letter}'}",
            advice='use the component z of the field in GSM: "B.z"',
        )
