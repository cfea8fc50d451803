"""Slope of a spectrum in a range of frequencies."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from helio.counts import number_of
from helio.steps.compute.derived import derived
from helio.steps.compute.line_fit import FEWEST, fit_points
from helio.steps.compute.log_bins import log_binned
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD, Text
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(
        frame="",
        by={
            "give": {
                "exponent": Result(unit="", kind="vector"),
                "line": Result(unit="{spectrum}", kind="spectrum"),
            }
        },
    ),
    synonyms="spectral_index spectral_exponent fit_spectrum power_law_slope psd_slope",
)
def spectral_slope(
    spectrum: Annotated[Table, Quantity(kind="spectrum")],
    *,
    low: float,
    high: float,
    per_decade: int = 10,
    give: Literal["exponent", "line"] = "exponent",
    axis: str = "",
    name: Text = Text(""),
) -> Table:
    """Fit a power law to each record of a spectrum, in a range of its frequencies or energies.

    Parameters
    ----------
    spectrum : Table, shape (n, b)
        A spectrum over one axis; any unit.
    low, high : float
        Range of the fit, in the unit of the axis: bins with centres in [low, high).
    per_decade : int
        The bins are first averaged over so many equal steps of log10 in each decade, so that the many bins at high
        frequencies do not outweigh the few at low ones.
    give : "exponent" or "line"
        The kind of result; see below.
    axis : str
        Label of the axis, in any case; it may be left out.
    name : str
        Name of the result on a figure. Default for the line of one record: the exponent with its error.

    Returns
    -------
    Table
        Of y = c x^exponent, by least squares of log y against log x, both averaged over the steps:
        ``exponent``, shape (n, 2): the exponent and its standard error, without a unit.
        ``line``, shape (n, b): y of the power law at the bins of the range, in the unit of the spectrum; NaN at all
        other bins. A figure draws it in the panel of the spectrum.
        NaN for records with fewer than three steps with a value above zero. The description has the numbers of the
        first record.

    Raises
    ------
    StepError
        When the spectrum has two axes, or the range is empty or has fewer than three steps.

    Notes
    -----
    The error is that of the line through the averaged points, as if they were independent. Values that are zero,
    negative or missing are left out.

    References
    ----------
    Press et al., Numerical Recipes, 3rd ed., ch. 15.2; Podesta, J. Geophys. Res. 121, 7 (2016), for the average over
    equal steps of the logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> from helio.steps.examples import energies, spectrum
    >>> edges = np.geomspace(1.0, 1000.0, 31)
    >>> flux = spectrum([np.sqrt(edges[:-1] * edges[1:]) ** -1.5], energies(edges.tolist()))
    >>> spectral_slope(flux, low=10.0, high=100.0).values.round(6)
    array([[-1.5,  0. ]])
    """
    records = log_binned(spectrum, axis, low, high, per_decade, FEWEST)
    unit = spectrum.axes[0].unit
    exponents = np.full((len(spectrum), 2), np.nan)
    lines = np.full(spectrum.values.shape, np.nan)
    for record, (centers, x, y) in enumerate(records):
        if x.size < FEWEST:
            continue
        fit = fit_points(x, y, "linear")
        exponents[record] = fit.slope, fit.slope_error
        inside = (centers >= low) & (centers < high)
        lines[record, inside] = 10 ** fit.at(np.log10(centers[inside]))
    known = len(spectrum) > 0 and np.isfinite(exponents[0]).all()
    first = "{:.2f} ± {:.2f}".format(*exponents[0]).replace("-", "−") if known else ""
    what = f"exponent of {spectrum.name or 'a spectrum'} from {low:g} to {high:g} {unit}".rstrip()
    description = f"{what}: {first}" if first else what
    if give == "line":
        return replace(
            spectrum,
            values=lines,
            name=name
            or (f"slope {first}" if len(spectrum) == 1 and first else f"{spectrum.name} fit".strip()),
            description=description,
        )
    made = derived(
        (spectrum,),
        exponents,
        unit="",
        name=name or "exponent",
        description=description,
        components=("exponent", "error"),
    )
    lost = int(np.isnan(exponents[:, 0]).sum())
    if lost:
        note = f"without an exponent, because fewer than {FEWEST} steps have a value: {number_of(lost, 'record')}"
        made = replace(made, notes=(*made.notes, note))
    return replace(made, stated_representation="none")
