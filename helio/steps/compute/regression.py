"""The regression line of one quantity against another."""

from __future__ import annotations

import numpy as np

from helio.steps.compute.cartesian import Values


def slope_and_correlation(x: Values, y: Values) -> tuple[float, float]:
    """Compute the slope of the least-squares line y = a + b x, and Pearson's correlation of x and y.

    Parameters
    ----------
    x, y : float64, shape (n,)
        Without NaN.

    Returns
    -------
    float, float
        NaN where x does not vary; the correlation is also NaN where y does not vary.
    """
    x, y = x - x.mean(), y - y.mean()
    square, other, product = (x * x).sum(), (y * y).sum(), (x * y).sum()
    slope = float(product / square) if square > 0 else np.nan
    correlation = float(product / np.sqrt(square * other)) if square > 0 and other > 0 else np.nan
    return slope, correlation
