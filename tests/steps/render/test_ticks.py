"""Tick labels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.steps.render.ticks import linear_texts, log_ticks, tick_width
from tests.rows import in_one_test


@in_one_test(
    ("low", "high", "texts"),
    [
        (1.61e4, 4.45e4, ["2×10<sup>4</sup>", "3×10<sup>4</sup>", "4×10<sup>4</sup>"]),
        (1, 100, ["10<sup>0</sup>", "10<sup>1</sup>", "10<sup>2</sup>"]),
        (1, 1e12, [f"10<sup>{power}</sup>" for power in range(0, 13, 3)]),
        (15, 60, ["20", "30", "50"]),
        (5, 20, ["5", "10", "20"]),
        (1.5, 6, ["2", "3", "5"]),
        (1.5, 2.4, ["1.6", "1.8", "2", "2.2", "2.4"]),
        (0.0012, 0.0031, ["0.0015", "0.002", "0.0025", "0.003"]),
        (4.1e-9, 4.4e-9, [f"{digit}×10<sup>−9</sup>" for digit in ("4.1", "4.2", "4.3", "4.4")]),
    ],
)
def test_logarithmic_ranges_of_any_width_have_readable_ticks(low, high, texts):
    places, written = log_ticks(low, high)
    assert written == texts
    assert all(math.log10(low) - 1e-6 <= tick <= math.log10(high) + 1e-6 for tick in places)


@given(st.floats(-20, 20), st.floats(1e-4, 20))
def test_every_logarithmic_range_has_two_to_nine_ticks_in_order(first, width):
    places, texts = log_ticks(10**first, 10 ** (first + width))
    assert 2 <= len(places) == len(texts) <= 9
    assert places == sorted(places)
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (-10, 10, 5, ["−10", "−5", "0", "5", "10"]),
        (0, 0.4, 5, ["0", "0.1", "0.2", "0.3", "0.4"]),
        (-1e5, 2e5, 3, ["−1×10<sup>5</sup>", "0", "1×10<sup>5</sup>", "2×10<sup>5</sup>"]),
        (0, 9000, 3, ["0", "5000"]),
        (0, 2e-5, 3, ["0", "1×10<sup>−5</sup>", "2×10<sup>−5</sup>"]),
        (5, 5, 3, []),
    ],
)
def test_linear_labels_are_those_of_plotly(low, high, most, texts):
    assert linear_texts(low, high, most) == texts


def test_a_label_that_is_raised_is_narrower():
    assert tick_width("10<sup>5</sup>", 10) < tick_width("105", 10)
    assert tick_width("2×10<sup>5</sup>", 10) == pytest.approx(10 * (0.64 + 0.84 + 1.28 + 0.7 * 0.64))
    assert tick_width("", 10) == 0
    assert np.isfinite(tick_width("−1.5×10<sup>−12</sup>", 12))
