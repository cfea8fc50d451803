"""Break of a spectrum between two power laws."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.compute.cartesian import Values
from helio.steps.compute.derived import derived
from helio.steps.compute.log_bins import log_binned
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD, Text
from helio.steps.tool import tool
from helio.store.table import Table

FEWEST = 8
"""The smallest number of averaged points."""
EACH_SIDE = 3
"""The smallest number of points on each side of the break."""
_TRIED = 400
"""Number of positions of the break that are tried."""


@tool(
    version=1,
    context=RECORD,
    gives=Result(
        frame="",
        by={
            "give": {
                "break": Result(unit="?", kind="scalar"),
                "exponents": Result(unit="", kind="vector"),
                "line": Result(unit="{spectrum}", kind="spectrum"),
            }
        },
    ),
    synonyms="break_frequency spectral_knee broken_power_law fit_broken_power_law",
)
def spectral_break(
    spectrum: Annotated[Table, Quantity(kind="spectrum")],
    *,
    low: float,
    high: float,
    per_decade: int = 10,
    give: Literal["break", "exponents", "line"] = "break",
    axis: str = "",
    name: Text = Text(""),
) -> Table:
    """Find where a spectrum breaks: fit two power laws that meet, in a range of frequencies or energies.

    Parameters
    ----------
    spectrum : Table, shape (n, b)
        A spectrum over one axis; any unit.
    low, high : float
        Range of the fit, in the unit of the axis: bins with centres in [low, high).
    per_decade : int
        The bins are first averaged over so many equal steps of log10 in each decade, as in `spectral_slope`.
    give : "break", "exponents" or "line"
        The kind of result; see below.
    axis : str
        Label of the axis, in any case; it may be left out.
    name : str
        Name of the result on a figure. Default for the line of one record: the break and the exponents.

    Returns
    -------
    Table
        ``break``, shape (n,): where the two power laws meet, in the unit of the axis.
        ``exponents``, shape (n, 2): ``below`` and ``above`` the break, without a unit.
        ``line``, shape (n, b): both power laws at the bins of the range, in the unit of the spectrum; NaN elsewhere.
        NaN for records with fewer than eight averaged points with a value above zero. The description has the numbers
        of the first record.

    Raises
    ------
    StepError
        When the spectrum has two axes, or the range is empty or has fewer than eight averaged points.

    Notes
    -----
    log y is a continuous line of two straight parts over log x, by least squares. 400 positions of the break are
    tried, evenly in log x, with at least three points on each side, so a break is known to 1/400 of this range at
    best. A spectrum without a break has one too, with two nearly equal exponents: look at them.

    References
    ----------
    Hudson, J. Am. Stat. Assoc. 61, 1097 (1966), for joined lines; Leamon et al., J. Geophys. Res. 103, 4775 (1998), for
    the break of the magnetic spectrum near the proton gyrofrequency.

    Examples
    --------
    A slope of −5/3 to a frequency of 0.3, and of −2.8 beyond:

    >>> import numpy as np
    >>> from helio.steps.examples import energies, spectrum
    >>> edges = np.geomspace(0.01, 10.0, 61)
    >>> centers = np.sqrt(edges[:-1] * edges[1:])
    >>> power = np.where(centers < 0.3, centers ** (-5 / 3), 0.3 ** (2.8 - 5 / 3) * centers**-2.8)
    >>> made = spectrum([power], energies(edges.tolist()))
    >>> spectral_break(made, low=0.01, high=10.0).values.round(2)
    array([0.3])
    >>> spectral_break(made, low=0.01, high=10.0, give="exponents").values.round(2)
    array([[-1.67, -2.8 ]])
    """
    records = log_binned(spectrum, axis, low, high, per_decade, FEWEST)
    unit = spectrum.axes[0].unit
    breaks, exponents = np.full(len(spectrum), np.nan), np.full((len(spectrum), 2), np.nan)
    lines = np.full(spectrum.values.shape, np.nan)
    for record, (centers, x, y) in enumerate(records):
        if x.size < FEWEST:
            continue
        at, terms = _joined(x, y)
        breaks[record], exponents[record] = 10**at, (terms[1], terms[1] + terms[2])
        inside = (centers >= low) & (centers < high)
        lines[record, inside] = 10 ** (_design(np.log10(centers[inside]), at) @ terms)
    known = bool(len(spectrum)) and np.isfinite(breaks[0])
    what = f"break of {spectrum.name or 'a spectrum'} from {low:g} to {high:g} {unit}".rstrip()
    words = (
        f"{breaks[0]:.2g} {unit}, exponents {exponents[0, 0]:.2f} and {exponents[0, 1]:.2f}" if known else ""
    )
    words = words.replace("-", "−")
    description = f"{what}: {words}" if words else what
    if give == "line":
        default = f"break {words.replace(', exponents', ',')}" if words and len(spectrum) == 1 else ""
        return replace(
            spectrum,
            values=lines,
            name=name or default or f"{spectrum.name} fit".strip(),
            description=description,
        )
    if give == "break":
        return derived(
            (spectrum,), breaks, unit=unit, name=name or "break", description=description, scale="log"
        )
    made = derived(
        (spectrum,),
        exponents,
        unit="",
        name=name or "exponents",
        description=description,
        components=("below", "above"),
    )
    return replace(made, stated_representation="none")


def _design(x: Values, at: float | Values) -> Values:
    bent = np.maximum(x - np.expand_dims(at, -1), 0.0)
    return np.stack([np.ones_like(bent), np.broadcast_to(x, bent.shape), bent], axis=-1)


@lru_cache(maxsize=4)
def _bases(positions: bytes) -> tuple[Values, Values, npt.NDArray[np.bool_]]:
    """Return the positions to try, a basis of the joined lines through each, and whether it has three terms.

    The points of a table's spectra usually have the same positions.
    """
    x = np.frombuffer(positions)
    tried = np.linspace(x[EACH_SIDE - 1], x[-EACH_SIDE], _TRIED)
    basis, triangle = np.linalg.qr(_design(x, tried))
    sizes = np.abs(np.diagonal(triangle, axis1=-2, axis2=-1))
    least = x.size * np.finfo(np.float64).eps * sizes.max(axis=-1, keepdims=True)
    return tried, basis, (sizes > least).all(axis=-1)


def _joined(x: Values, y: Values) -> tuple[float, Values]:
    """Return the position of the break and the terms of the joined lines with the least squares.

    Raises
    ------
    StepError
        When all points have one position.
    """
    tried, basis, determined = _bases(x.tobytes())
    # The part of the values that no joined lines through this position describe.
    parts = np.einsum("tni,n->ti", basis, y)
    misfits = ((y - np.einsum("tni,ti->tn", basis, parts)) ** 2).sum(axis=-1)
    if not determined.any():
        raise StepError("two lines do not fit the points of the spectrum", advice="choose a wider range")
    at = float(tried[np.argmin(np.where(determined, misfits, np.inf))])
    return at, np.linalg.lstsq(_design(x, at), y, rcond=None)[0].astype(np.float64)
