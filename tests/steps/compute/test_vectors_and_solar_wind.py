"""What holds for every operation on vectors and the solar wind, whatever it computes."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, StepError
from helio.steps import load_tool
from helio.steps.signature import signatures
from tests.rows import in_one_test
from tests.steps.series import epochs, spectrum
from tests.steps.solar_wind import alpha_ratio, bz, density, field, series, speed, temperature, vectors

AXES = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]


def wind():
    return vectors([[-400.0, 20.0, -5.0]] * 6, unit="km/s", name="V", frame="GSM")


def lmn():
    names = tuple(f"{axis}_{letter}" for axis in "LMN" for letter in "xyz")
    return replace(
        field().take(slice(0, 1)),
        values=np.array(AXES).reshape(1, 9),
        components=names,
        unit="",
        name="LMN axes",
    )


CALLS = {
    "magnitude": ([field], {}),
    "convert_units": ([field], {"to": "T"}),
    "declare_quantity": ([field], {"unit": "nT"}),
    "rotate": ([field], {"matrix": AXES, "frame": "LMN"}),
    "rotate_to_axes": ([field, lmn], {}),
    "transform_frame": ([field], {"to": "GEO"}),
    "minimum_variance": ([field], {}),
    "clock_angle": ([field], {}),
    "cone_angle": ([field], {}),
    "parker_angle": ([wind], {"distance": 1.0}),
    "dynamic_pressure": ([density, speed, alpha_ratio], {"assumed_alpha": 0.05}),
    "alfven_speed": ([field, density, alpha_ratio], {}),
    "alfven_mach": ([wind, field, density], {}),
    "magnetosonic_mach": ([wind, density, temperature, field, temperature], {}),
    "plasma_beta": ([density, temperature, field, temperature], {}),
    "electric_field": ([wind, field], {}),
    "vbs": ([speed, bz], {}),
    "newell_coupling": ([wind, field], {}),
    "thermal_speed": ([temperature], {}),
    "thermal_temperature": ([speed], {}),
    "shue_standoff": ([lambda: series([1.0, 2.0, 0.0, np.nan, 5.0, 9.0], "nPa"), bz], {}),
    "ballistic_shift": ([field, wind], {"from_x": 1.5e6, "to_x": 0.0}),
    "gyrofrequency": ([field], {}),
    "plasma_frequency": ([density], {}),
}
# Other epochs than those of the input, or a result of all records together.
POINTWISE = sorted(set(CALLS) - {"minimum_variance", "ballistic_shift"})


def inputs(name, change=lambda table: table):
    return [change(make()) for make in CALLS[name][0]]


def run(name, tables):
    return load_tool(name)(*tables, **CALLS[name][1])


def frozen(table):
    """As tables come from the store: mapped, not to be written to."""
    copy = replace(table, epoch=table.epoch.copy(), values=table.values.copy())
    copy.epoch.setflags(write=False)
    copy.values.setflags(write=False)
    return copy


@in_one_test("name", CALLS)
def test_inputs_may_be_read_only_and_stay_as_they_were(name):
    tables = inputs(name, frozen)
    before = [table.digest() for table in tables]
    found = run(name, tables)
    assert found.digest() == run(name, inputs(name)).digest()
    assert [table.digest() for table in tables] == before


@in_one_test("name", sorted(set(CALLS) - {"declare_quantity", "ballistic_shift"}))
def test_single_precision_is_computed_in_double(name):
    single = run(name, inputs(name, lambda table: replace(table, values=table.values.astype(np.float32))))
    assert single.values.dtype == np.float64
    np.testing.assert_allclose(single.values, run(name, inputs(name)).values, rtol=1e-4, atol=1e-5)


@in_one_test("name", POINTWISE)
def test_an_empty_series_gives_an_empty_series(name):
    tables = inputs(name, lambda table: table if table.name == "LMN axes" else table.take(slice(0, 0)))
    found = run(name, tables)
    assert len(found) == 0
    assert found.components == run(name, inputs(name)).components


@in_one_test("name", [name for name in CALLS if signatures()[name].range_capable])
def test_a_range_is_its_parts_put_together(name):
    whole = run(name, inputs(name)).values
    parts = [
        run(
            name, inputs(name, lambda table, part=part: table if len(table) == 1 else table.take(part))
        ).values
        for part in (slice(0, 1), slice(1, 4), slice(4, None))
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@in_one_test("name", [name for name in CALLS if signatures()[name].gives_quantity.unit])
def test_what_is_given_is_what_the_signature_says(name):
    found, says = run(name, inputs(name)), signatures()[name].gives_quantity
    assert found.unit == ("" if says.unit == "1" else says.unit)
    assert found.kind == says.kind


@in_one_test("name", CALLS)
def test_a_result_can_label_a_figure_and_cites_every_input(name):
    found, tables = run(name, inputs(name)), inputs(name)
    assert found.name
    assert name in ("magnitude", "convert_units", "declare_quantity") or (
        found.description or tables[0].description == found.description
    )
    assert set(found.sources) == {source for table in tables for source in table.sources}


@in_one_test("name", sorted({name for name in POINTWISE if len(CALLS[name][0]) > 1} - {"rotate_to_axes"}))
def test_tables_of_other_epochs_are_refused(name):
    first, *others = inputs(name)
    late = [replace(table, epoch=epochs(*(60.0 * np.arange(len(table)) + 1))) for table in others]
    with pytest.raises(ClockMismatch, match="do not have the same epochs"):
        run(name, [first, *late])


@pytest.mark.parametrize(
    "name", ["rotate", "clock_angle", "cone_angle", "minimum_variance", "gyrofrequency", "transform_frame"]
)
def test_a_spectrum_is_no_vector(name):
    with pytest.raises(StepError, match=r"(must be|needs) a vector.* but 'proton flux' is a spectrum"):
        run(name, [replace(spectrum(), unit="nT")])
