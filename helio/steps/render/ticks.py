"""Tick labels: their values, their texts and their widths."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

_FEWEST = 3
"""The smallest number of labels on an axis that shows less than a factor of ten, if possible."""
_DIGITS = ((1, 2, 5), (1, 2, 3, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9))
_WIDTHS = {".": 0.32, "−": 0.84, "-": 0.84, "×": 0.84}
"""Widths in em of characters in DejaVu Sans that are not as wide as a digit."""
_RAISED = re.compile(r"<sup>(.*?)</sup>")


def log_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Return the positions (log10) and the texts of the ticks on a logarithmic axis between two values.

    Powers of ten, thinned beyond six decades. With fewer than two of them in the range the first of these that
    gives three labels: 1, 2 and 5 times powers of ten, then 3 as well, then all digits, then even steps.
    """
    first, last = math.log10(low), math.log10(high)
    powers = list(range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1))
    if len(powers) >= 2:
        step = 1 + (len(powers) - 1) // 6
        chosen = [power for power in powers if power % step == 0] if step > 1 else powers
        return [float(power) for power in chosen], [f"10<sup>{_signed(power)}</sup>" for power in chosen]
    ticks: list[tuple[float, int]] = []
    for digits in _DIGITS:
        ticks = [
            (digit, power)
            for power in range(math.floor(first) - 1, math.ceil(last) + 1)
            for digit in digits
            if first - 1e-9 <= power + math.log10(digit) <= last + 1e-9
        ]
        if len(ticks) >= _FEWEST:
            break
    else:
        last_power = math.floor(last)
        even = _multiples(nice_step((high - low) / 5), low, high)
        ticks = [(round(value / 10**last_power, 9), last_power) for value in even if value > 0]
    if len(ticks) < 2:
        return [_short(first), _short(last)], [f"{low:.3g}", f"{high:.3g}"]
    return (
        [_short(power + math.log10(digit)) for digit, power in ticks],
        [_text(digit, power) for digit, power in ticks],
    )


def linear_texts(low: float, high: float, most: int) -> list[str]:
    """Return the labels that plotly.js writes on a linear axis from `low` to `high`, with at most `most` ticks.

    Its steps are 1, 2 or 5 times a power of ten; beyond 10⁴ and below 10⁻³ every label has the power of ten of the
    larger end, as ``exponentformat: power`` has it.
    """
    if not low < high:
        return []
    step = nice_step((high - low) / most)
    exponent = math.floor(math.log10(max(abs(low), abs(high))) + 0.01)
    if abs(exponent) <= 3:
        exponent = 0
    decimals = max(0, exponent - math.floor(math.log10(step) + 0.01))
    texts = []
    for value in _multiples(step, low, high):
        digits = f"{abs(value) / 10.0**exponent:.{decimals}f}"
        if "." in digits:
            digits = digits.rstrip("0").rstrip(".")
        power = f"×10<sup>{_signed(exponent)}</sup>" if exponent and float(digits) else ""
        texts.append(("−" if value < 0 else "") + digits + power)
    return texts


def tick_width(text: str, font: float) -> float:
    """Return the width of a label in pixels in the font DejaVu Sans, with exponents at 70 % of the font size."""
    raised = "".join(_RAISED.findall(text))
    return font * (_em(_RAISED.sub("", text)) + 0.7 * _em(raised))


def _em(text: str) -> float:
    return sum(_WIDTHS.get(letter, 0.64) for letter in text)


def nice_step(rough: float) -> float:
    """Return the smallest of 1, 2 and 5 times powers of ten that is not below a number."""
    base = 10.0 ** math.floor(math.log10(rough))
    return base * next(nice for nice in (1, 2, 5, 10) if rough / base <= nice + 1e-9)


def _multiples(step: float, low: float, high: float) -> Iterator[float]:
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield number * step


def _text(digit: float, power: int) -> str:
    if -3 <= power <= 3:
        return f"{digit * 10.0**power:.10g}"
    raised = f"10<sup>{_signed(power)}</sup>"
    return raised if digit == 1 else f"{digit:.10g}×{raised}"


def _signed(power: int) -> str:
    return str(power).replace("-", "−")


def _short(value: float) -> float:
    return float(f"{value:.8g}")
