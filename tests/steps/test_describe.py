"""Bounded facts about a table."""

import json
from dataclasses import replace

import numpy as np
import pytest

from helio.errors import RequestError
from helio.steps.describe import describe, description_lines, preview, preview_lines
from helio.store.table import Table
from tests.steps.series import epochs, scalar, spectrum, vector


def test_a_vector_with_a_gap_is_told_component_by_component():
    told = describe(vector(), "AC_H2_MFI.BGSEc")
    assert (told.kind, told.unit, told.frame, told.rows) == ("vector", "nT", "GSE", 10)
    assert (told.start, told.stop) == ("2024-05-10T00:00:00Z", "2024-05-10T00:12:00Z")
    assert (told.cadence_s, told.regular) == (60.0, True)
    assert [(column.name, column.missing) for column in told.values] == [
        ("Bx", 0.0),
        ("By", 0.1),
        ("Bz", 0.0),
    ]
    bx = told.values[0]
    assert (bx.minimum, bx.median, bx.maximum) == (-2.0, 1.0, 8.0)


def test_the_longest_gap_is_told_by_its_ends():
    told = describe(scalar([0, 60, 120, 300, 360, 420, 1020, 1080], range(8)))
    assert (told.gaps, told.gap_s) == (2, 780.0)
    assert told.longest_gap.start == "2024-05-10T00:07:00Z"
    assert told.longest_gap.stop == "2024-05-10T00:17:00Z"
    assert told.longest_gap.seconds == 600.0


def test_a_spectrum_is_told_by_its_axis_and_all_its_bins():
    told = describe(spectrum())
    [axis] = told.axes
    assert (axis.label, axis.unit, axis.bins, axis.low, axis.high, axis.changing) == (
        "Energy",
        "keV",
        5,
        1,
        16,
        False,
    )
    [values] = told.values
    assert (values.name, values.missing, values.maximum) == ("all bins", 0.05, 64.0)


def test_its_size_does_not_grow_with_the_table():
    names = tuple(f"c{j}" for j in range(500))
    wide = Table(epochs(*range(1000)), np.zeros((1000, 500)), components=names)
    told = describe(wide)
    assert len(told.values) == 12
    assert told.components == 500
    assert len(json.dumps(told.to_json())) < 4000
    assert description_lines(told)[-1] == "  and 488 more components"


def test_nothing_is_told_of_what_is_not_there():
    empty = describe(vector().take(slice(0, 0)))
    assert (empty.rows, empty.start, empty.cadence_s, empty.longest_gap) == (0, "", None, None)
    assert [column.median for column in empty.values] == [None] * 3
    assert "none" in description_lines(empty)[-1]
    void = describe(scalar([0, 1], [np.nan, np.nan]))
    assert (void.values[0].missing, void.values[0].minimum) == (1.0, None)
    lone = describe(scalar([0], [1.0]))
    assert (lone.cadence_s, lone.regular, lone.gaps) == (None, False, 0)


def test_numbers_are_what_json_can_hold():
    text = json.dumps(describe(scalar([0, 1, 2], [np.inf, 1 / 3, -np.inf])).to_json(), allow_nan=False)
    assert "0.333333" in text


def test_a_cadence_just_short_of_a_second_is_a_second():
    assert "  cadence   1 s" in description_lines(describe(scalar([0, 0.9999, 1.9998], [1, 2, 3])))


def test_irregular_steps_are_told():
    assert not describe(scalar([0, 10, 21, 33, 41], range(5))).regular


def test_a_person_reads_it_in_a_few_lines():
    assert description_lines(describe(replace(vector(), description="field"), "B")) == [
        "B: field",
        "  values    3 components, nT, GSE, cartesian",
        "  records   10, 2024-05-10 00:00:00 to 2024-05-10 00:12:00 UTC",
        "  cadence   1 min",
        "  gaps      1, 4 min together; the longest 4 min, 2024-05-10 00:05:00 to 2024-05-10 00:09:00",
        "              missing        least       median     greatest",
        "  Bx             none           -2            1            8",
        "  By             10 %           -1            2            4",
        "  Bz             none       -0.125            2            6",
        "  note: two records had the same epoch",
    ]


def test_the_first_records_the_last_and_both():
    table = scalar(range(100), range(100))
    assert [values for _, values in preview(table).rows] == [(0,), (1,), (2,), (3,), (4,)]
    assert [values for _, values in preview(table, rows=2, position="tail").rows] == [(98,), (99,)]
    assert [values for _, values in preview(table, rows=1, position="both").rows] == [(0,), (99,)]
    assert len(preview(table.take(slice(0, 3)), position="both").rows) == 3
    assert preview(table.take(slice(0, 0)), position="tail").rows == ()


def test_missing_values_are_null_and_epochs_as_fine_as_they_are():
    told = preview(scalar([0, 0.25], [np.nan, 2]), "B")
    assert told.to_json()["rows"] == [
        {"epoch": "2024-05-10T00:00:00Z", "values": [None]},
        {"epoch": "2024-05-10T00:00:00.250Z", "values": [2.0]},
    ]


def test_columns_are_bounded_too():
    wide = Table(epochs(0), np.zeros((1, 40)), components=tuple(f"c{j}" for j in range(40)))
    told = preview(wide)
    assert (len(told.columns), told.more_columns, len(told.rows[0][1])) == (12, 28, 12)
    assert preview_lines(told)[-1] == "and 28 more columns"
    assert preview(spectrum()).columns[0] == "1 keV"


@pytest.mark.parametrize(("table", "rows"), [(vector(), 51), (vector(), 0), (vector(), -3), (spectrum(), 11)])
def test_more_rows_than_can_be_looked_at_are_refused(table, rows):
    with pytest.raises(RequestError, match="helio can show 1 to") as refusal:
        preview(table, rows=rows)
    assert "save_data" in refusal.value.advice


def test_a_preview_is_one_line_for_each_record():
    assert preview_lines(preview(vector(), "B", rows=2)) == [
        "B [nT], 2 of 10 records",
        "                                Bx            By            Bz",
        "2024-05-10T00:00:00Z             3             4             0",
        "2024-05-10T00:01:00Z             1             2             2",
    ]


def test_two_cadences_are_told_by_their_steps():
    """A series of minutes and then of seconds was called one of a second, and irregular."""
    table = scalar([*range(0, 1200, 60), *range(1200, 1300)], np.zeros(120))
    told = describe(table)
    assert told.steps_s == (1.0, 60.0)
    assert "  cadence   1 s, irregular: steps of 1 s to 1 min" in description_lines(told)


def test_infinite_values_are_counted_and_not_taken_for_missing():
    told = describe(scalar([0, 1, 2, 3], [1.0, np.inf, -np.inf, 3.0]))
    [values] = told.values
    assert (values.missing, values.infinite, values.minimum, values.maximum) == (0.0, 2, 1.0, 3.0)
    assert "  note: infinite values of Bz: 2" in description_lines(told)
    [nothing] = describe(scalar([0], [np.inf])).values
    assert (nothing.minimum, nothing.infinite) == (None, 1)
