"""A scale that is linear about zero and logarithmic beyond, for values of both signs: matplotlib's ``symlog``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.steps.render.ticks import linear_texts, nice_step

Reals = npt.NDArray[np.float64]

_LINEAR = 1 / (1 - 1 / 10)
"""Height of the linear part on either side of zero, in decades: that of matplotlib with ``linscale=1``."""
_MOST_DECADES = 4
"""The largest number of decades on either side of zero that the default threshold leaves."""
_PLAIN = range(-2, 4)
"""Powers of ten that are written as numbers, such as 100."""
_FEWEST = 3
"""The smallest number of labels at powers of ten."""
_MINOR = 4.0
"""The smallest distance in pixels between minor ticks in the linear part."""


@dataclass(frozen=True)
class Symlog:
    """The scale of a y axis whose plotly axis is linear in `places`.

    Parameters
    ----------
    linthresh : float
        The scale is linear from -linthresh to linthresh, in the unit of the values; above zero.
    """

    linthresh: float

    @classmethod
    def of(cls, arrays: Sequence[npt.NDArray[Any]]) -> Symlog:
        """Choose the threshold of values: the power of ten below the median of their distances from zero.

        At least a ten-thousandth of the largest distance, so that small values do not fill the panel.

        >>> Symlog.of([np.array([-3000.0, -40.0, 0.0, 20.0, np.nan])])
        Symlog(linthresh=10.0)
        """
        sizes = np.abs(np.concatenate([np.asarray(values, np.float64).ravel() for values in arrays]))
        sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
        if not sizes.size:
            return cls(1.0)
        typical = math.floor(math.log10(np.median(sizes)) + 1e-9)
        least = math.floor(math.log10(sizes.max()) + 1e-9) - _MOST_DECADES
        return cls(float(f"1e{max(typical, least)}"))

    def places(self, values: npt.ArrayLike) -> Reals:
        """Return where values are on the axis, in decades.

        ``10/9 · v/linthresh`` up to the threshold, and ``±(10/9 + log10(|v|/linthresh))`` beyond; NaN stays NaN.

        >>> Symlog(1.0).places([-10, 0, 0.5, 1, 100]).round(3).tolist()
        [-2.111, 0.0, 0.556, 1.111, 3.111]
        """
        scaled = np.asarray(values, np.float64) / self.linthresh
        size = np.abs(scaled)
        beyond: Reals = np.sign(scaled) * (_LINEAR + np.log10(np.maximum(size, 1.0)))
        return np.where(size <= 1, scaled * _LINEAR, beyond)

    def place(self, value: float) -> float:
        """Return where one value is on the axis, to eight digits."""
        return float(f"{float(self.places(value)):.8g}")

    def values(self, places: npt.ArrayLike) -> Reals:
        """Return the values at places on the axis.

        >>> Symlog(5.0).values(Symlog(5.0).places([-70, 3])).round(9).tolist()
        [-70.0, 3.0]
        """
        at = np.asarray(places, np.float64)
        size = np.abs(at)
        far: Reals = np.sign(at) * 10 ** np.maximum(size - _LINEAR, 0.0)
        return self.linthresh * np.where(size <= _LINEAR, at / _LINEAR, far)

    def ticks(self, low: float, high: float, most: int) -> tuple[list[float], list[str]]:
        """Return the values and the texts of the labelled ticks between two values.

        Zero, and powers of ten from the threshold on, thinned to about `most`. With fewer than three of them, also 2
        and 5 times powers of ten; otherwise even steps.
        """
        decades = self._decades(low, high)
        # Zero is about a decade from the threshold: labels at every second power leave out the nearest one.
        step = max(1, math.ceil((len(decades) * (1 + (low < 0 < high))) / max(2, most - 1)))
        powers = decades[step - 1 :: step]
        for digits in ((1,), (1, 2, 5)):
            sizes = [(digit, power) for power in powers for digit in digits if step == 1 or digit == 1]
            ticks = [(0.0, "0")] * (low <= 0 <= high)
            for digit, power in sizes:
                value = digit * 10.0**power
                if value < self.linthresh * (1 - 1e-9):
                    continue
                text = _text(digit, power, decades)
                ticks += [(sign * value, mark + text) for sign, mark in ((1, ""), (-1, "−"))]
            ticks = sorted(tick for tick in ticks if low <= tick[0] <= high)
            if len(ticks) >= _FEWEST:
                return [value for value, _ in ticks], [text for _, text in ticks]
        rough = (high - low) / most
        texts = linear_texts(low, high, most)
        step_size = nice_step(rough)
        first = math.ceil(low / step_size - 1e-9)
        return [float(f"{(first + order) * step_size:.10g}") for order in range(len(texts))], texts

    def minor_ticks(self, low: float, high: float, pixels: float) -> list[float]:
        """Return the values of the small ticks: 1 to 9 times powers of ten, and even steps in the linear part.

        Parameters
        ----------
        pixels : float
            Height of the panel.
        """
        decade = pixels / max(float(np.diff(self.places([low, high]))[0]), 1e-9)
        first = math.floor(math.log10(self.linthresh) + 1e-9)
        powers = sorted({first, *self._decades(low, high)})
        sizes = [digit * 10.0**power for power in powers for digit in range(1, 10)]
        sizes = [size for size in sizes if size > self.linthresh]
        if decade * (1 - math.log10(9)) < 1:
            sizes = [10.0**power for power in self._decades(low, high)]
        parts = next((parts for parts in (10, 5, 2) if decade * _LINEAR / parts >= _MINOR), 1)
        sizes += [self.linthresh * number / parts for number in range(1, parts + 1)]
        every = sorted({float(f"{sign * size:.10g}") for size in sizes for sign in (1, -1)})
        return [value for value in every if low <= value <= high and abs(value) > 0]

    def _decades(self, low: float, high: float) -> list[int]:
        """Return the powers of ten from the threshold to the larger end of the axis."""
        first = math.ceil(math.log10(self.linthresh) - 1e-9)
        last = math.floor(math.log10(max(abs(low), abs(high), self.linthresh)) + 1e-9)
        return list(range(first, last + 1))


def _text(digit: int, power: int, decades: Sequence[int]) -> str:
    if power in (0, 1) or all(decade in _PLAIN for decade in decades):
        return f"{digit * 10.0**power:.10g}"
    raised = f"10<sup>{power}</sup>".replace("-", "−")
    return raised if digit == 1 else f"{digit}×{raised}"
