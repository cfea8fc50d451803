"""How two tables differ, in words."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from helio.pipelines.runs.compare import Comparison, Difference, NotCompared
from helio.pipelines.runs.table_difference import table_difference
from helio.store.table import Axis, Table
from tests.rows import in_one_test

EPOCH = np.datetime64("2024-01-10", "ns") + np.arange(4) * np.timedelta64(60, "s")
TABLE = Table(EPOCH, np.array([1.0, 2.0, np.nan, 4.0]), "nT", "B")


@in_one_test(
    ("other", "words"),
    [
        (
            replace(TABLE, values=np.array([1.0, 2.5, np.nan, 3.0])),
            "2 of 3 values differ, by at most 1 nT at 2024-01-10T00:03:00 (relative: 25 % at 2024-01-10T00:01:00)",
        ),
        (
            replace(TABLE, values=np.array([1.5, 2.0, np.nan, 5.0])),
            "by at most 1 nT at 2024-01-10T00:03:00 (relative: 50 % at 2024-01-10T00:00:00)",
        ),
        (replace(TABLE, values=np.array([1.0, 2.0, 3.0, 4.0])), "1 value appeared"),
        (
            replace(TABLE, values=np.array([np.nan, np.nan, 3.0, 4.0])),
            "2 values became missing, 1 value appeared",
        ),
        (replace(TABLE, unit="T"), "unit 'nT' → 'T'; the values are the same"),
        (replace(TABLE, values=TABLE.values.astype("f4")), "float64 → float32; the values are the same"),
        (
            replace(TABLE, epoch=EPOCH + np.timedelta64(1, "s")),
            "no common epoch, 4 only in the old table, 4 only in the new table; the values were not compared",
        ),
        (TABLE.take(slice(3)), "3 common epochs, 1 only in the old table; the values are the same"),
        (
            replace(TABLE.take(slice(1, 4)), values=np.array([2.0, np.nan, 9.0])),
            "3 common epochs, 1 only in the old table; 1 of 2 values differs, by at most 5 nT",
        ),
        (
            Table(EPOCH, np.ones((4, 2)), "nT", components=("x", "y")),
            "the values were not compared: one value for each record → 2 components",
        ),
        (
            replace(TABLE, unit="deg", name="azimuth", stated_periods=(0.0,)),
            "periods none → 0",
        ),
    ],
)
def test_two_tables_differ_in_words(other: Table, words: str):
    assert words in table_difference(TABLE, other).summary


def test_each_component_is_compared_for_itself():
    values = np.zeros((4, 3))
    values[:, 0] = 1000.0
    one = Table(EPOCH, values, "nT", components=("Bx", "By", "Bz"))
    changed = values.copy()
    changed[1, 0] += 10.0
    changed[2, 1] = 0.5
    changed[3, 1] = np.nan
    other = Table(EPOCH, changed, "nT", components=("Bx", "By", "Bz"))
    found = table_difference(one, other)
    assert found.details == (
        "Bx: 1 of 4 values differs, by at most 10 nT at 2024-01-10T00:01:00 (relative: 1 %)",
        "By: 1 of 3 values differs, by at most 0.5 nT at 2024-01-10T00:02:00, 1 value became missing",
    )
    facts = {component["component"]: component for component in found.to_json()["components"]}
    assert facts["Bx"]["absolute"] == {"value": 10.0, "epoch": "2024-01-10T00:01:00"}
    assert facts["Bx"]["relative"] == {"value": 0.01, "epoch": "2024-01-10T00:01:00"}
    assert facts["By"]["became_missing"] == 1
    assert facts["Bz"]["changed"] == 0


def test_components_are_matched_by_their_names():
    one = Table(EPOCH, np.array([[1.0, 2.0]] * 4), "nT", components=("x", "y"))
    other = Table(EPOCH, np.array([[2.0, 3.0]] * 4), "nT", components=("y", "z"))
    found = table_difference(one, other)
    assert [(component.component, component.changed) for component in found.components] == [("y", 0)]
    assert found.not_compared == (
        "x not compared: only in the old table",
        "z not compared: only in the new table",
    )


def test_angles_are_compared_the_short_way_round():
    one, other = (Table(EPOCH, np.full(4, angle), "deg", "longitude") for angle in (179.0, -179.0))
    assert "by at most 2 deg" in table_difference(one, other).summary
    assert "relative" not in table_difference(one, other).summary


def test_an_infinite_difference_is_json():
    other = replace(TABLE, values=np.array([np.inf, 2.0, np.nan, 4.0]))
    json.dumps(table_difference(TABLE, other).to_json(), allow_nan=False)


def test_spectra_that_differ_in_their_bins_alone_say_so():
    axes = [Axis("Energy", "eV", np.array(centers)) for centers in ([1.0, 2.0], [1.0, 3.0])]
    one, other = (Table(EPOCH, np.ones((4, 2)), axes=(axis,)) for axis in axes)
    assert table_difference(one, other).summary == "the bins differ; the values are the same"


def test_spectra_are_compared_bin_by_bin_on_common_epochs():
    axis = Axis("Energy", "eV", np.array([1.0, 2.0]))
    one = Table(EPOCH, np.ones((4, 2)), "eV", axes=(axis,))
    values = np.ones((3, 2))
    values[1, 1] = 3.0
    other = Table(EPOCH[1:], values, "eV", axes=(axis,))
    summary = table_difference(one, other).summary
    assert "3 common epochs" in summary
    assert "1 of 6 values differs, by at most 2 eV at 2024-01-10T00:02:00" in summary


def test_the_first_difference_is_that_of_the_plan():
    early, late = Difference("a", "figure", "x"), Difference("b", "B", "y")
    found = Comparison("old", "new", numbers=(late,), figures=(early,), order=("a", "b"))
    assert found.first == early
    assert not found.same_results
    assert Comparison("old", "new").first is None


def test_only_what_was_compared_as_a_whole_is_the_same():
    alone = (NotCompared("a", "B", "only the new run has it"),)
    assert Comparison("old", "new").verdict == "nothing compared"
    assert Comparison("old", "new", tables=1).verdict == "same"
    assert Comparison("old", "new", tables=1, not_compared=alone).verdict == "not all compared"
    assert not Comparison("old", "new", tables=1, not_compared=alone).same_results
