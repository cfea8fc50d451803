"""Arrays and times as plotly reads them."""

import base64

import numpy as np
import pytest
from plotly.graph_objects import Scatter

from helio.steps.render.encode import iso, moments, numbers, times
from tests.steps.series import START, epochs


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024-05-10T00:00:00", "2024-05-10T00:00"),
        ("2024-05-10T10:00:00", "2024-05-10T10:00"),
        ("2024-05-10T00:00:20", "2024-05-10T00:00:20"),
        ("2024-05-10T00:00:00.25", "2024-05-10T00:00:00.25"),
        ("2024-05-10T00:00:10.000001", "2024-05-10T00:00:10.000001"),
        ("2024-05-10T00:00:10.0000001", "2024-05-10T00:00:10"),
    ],
)
def test_times_are_as_short_as_they_can_be(text, written):
    assert iso(np.datetime64(text, "ns")) == written


def test_even_times_are_a_start_and_a_step():
    assert times(epochs(0, 60, 120)) == {"x0": "2024-05-10T00:00", "dx": 60_000}


def test_a_step_that_plotly_would_round_is_written_out():
    epoch = START + np.arange(3) * np.timedelta64(7_812_608, "ns")
    assert times(epoch)["x"] == moments(epoch)


def test_long_arrays_keep_their_values():
    values = np.linspace(-1, 1, 1000, dtype=np.float32)
    values[3] = np.nan
    typed = Scatter(y=numbers(values)).y
    read = np.frombuffer(base64.b64decode(typed["bdata"]), dtype=f"<{typed['dtype']}")
    assert np.array_equal(read, values, equal_nan=True)


def test_float64_that_float32_would_move_stays_float64():
    values = 1e9 + np.arange(1000.0)
    assert numbers(values)["dtype"] == "f8"
    assert numbers(np.arange(1000.0))["dtype"] == "f4"


def test_short_arrays_can_be_read():
    assert numbers(np.array([0.1, np.nan, 3.0], dtype=np.float32)) == [0.1, None, 3.0]
    assert numbers(np.array([[1.0, 2.0], [3.0, np.nan]])) == [[1.0, 2.0], [3.0, None]]
