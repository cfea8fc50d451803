"""How two tables differ, in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helio.pipelines.compare import Comparison, Difference, table_difference
from helio.store.table import Axis, Table

EPOCH = np.datetime64("2024-01-10", "ns") + np.arange(4) * np.timedelta64(60, "s")
TABLE = Table(EPOCH, np.array([1.0, 2.0, np.nan, 4.0]), "nT", "B")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (replace(TABLE, values=np.array([1.0, 2.5, np.nan, 3.0])), "2 of 4 values differ, by at most 1 nT"),
        (replace(TABLE, values=np.array([1.0, 2.0, 3.0, 4.0])), "1 value is missing in one of them only"),
        (replace(TABLE, unit="T"), "unit 'nT' → 'T'"),
        (replace(TABLE, values=TABLE.values.astype("f4")), "float64 → float32"),
        (replace(TABLE, epoch=EPOCH + np.timedelta64(1, "s")), "4 of 4 epochs differ"),
        (TABLE.take(slice(3)), "4 records → 3 records"),
        (
            Table(EPOCH, np.ones((4, 2)), "nT", components=("x", "y")),
            "4 records → 4 records of 2",
        ),
    ],
)
def test_two_tables_differ_in_words(other: Table, words: str):
    assert words in table_difference(TABLE, other)


def test_spectra_that_differ_in_their_bins_alone_say_so():
    axes = [Axis("Energy", "eV", np.array(centers)) for centers in ([1.0, 2.0], [1.0, 3.0])]
    one, other = (Table(EPOCH, np.ones((4, 2)), axes=(axis,)) for axis in axes)
    assert table_difference(one, other) == "the bins differ"


def test_the_first_difference_is_that_of_the_plan():
    early, late = Difference("a", "figure", "x"), Difference("b", "B", "y")
    found = Comparison("old", "new", numbers=(late,), figures=(early,), order=("a", "b"))
    assert found.first == early
    assert not found.same_results
    assert Comparison("old", "new").first is None
