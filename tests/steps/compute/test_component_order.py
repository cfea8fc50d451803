"""Components are taken by their letters, whatever the order of the columns."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.ballistic_shift import ballistic_shift
from helio.steps.compute.clock_angle import clock_angle
from helio.steps.compute.components import components
from helio.steps.compute.cone_angle import cone_angle
from helio.steps.compute.electric_field import electric_field
from helio.steps.compute.join_components import join_components
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.minimum_variance import minimum_variance
from helio.steps.compute.newell_coupling import newell_coupling
from helio.steps.compute.rotate import rotate
from helio.steps.compute.transform_frame import transform_frame
from tests.rows import in_one_test
from tests.steps.solar_wind import field, series, speed, vectors, velocity

AXES = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]

USES = {
    "clock_angle": clock_angle,
    "cone_angle": cone_angle,
    "newell_coupling": lambda b: newell_coupling(speed(), b),
    "electric_field": lambda b: electric_field(replace(velocity(), frame="GSM"), b),
    "transform_frame": lambda b: transform_frame(b, to="GSE"),
    "rotate": lambda b: rotate(b, matrix=AXES, frame="boundary"),
    "minimum_variance": minimum_variance,
    "magnitude": magnitude,
}


@in_one_test("order", ["zyx", "yxz", "zxy"])
@in_one_test("name", USES)
def test_columns_in_another_order_give_the_same(name, order):
    right = USES[name](field())
    found = USES[name](components(field(), keep=list(order)))
    np.testing.assert_allclose(found.values, right.values, rtol=1e-14)
    assert found.components == right.components


def test_a_wind_whose_columns_stand_in_another_order_blows_as_fast():
    given = series(np.arange(6.0), "nT")
    right = ballistic_shift(given, velocity(), from_x=1e5, to_x=0.0)
    turned = ballistic_shift(given, components(velocity(), keep=["y", "z", "x"]), from_x=1e5, to_x=0.0)
    np.testing.assert_array_equal(turned.epoch, right.epoch)


def test_components_joined_from_z_to_x_are_the_same_vector():
    """OMNI of 2023-03-22T01: 66.7 became 10597 when B_z stood where B_x was looked for."""
    parts = {name: field().component(name) for name in ("Bx", "By", "Bz")}
    joined = join_components([parts[name] for name in ("Bz", "By", "Bx")], names=["Bz", "By", "Bx"])
    np.testing.assert_allclose(
        newell_coupling(speed(), joined).values, newell_coupling(speed(), field()).values, rtol=1e-14
    )


def test_names_that_differ_in_more_than_a_letter_are_ordered_too():
    odd = replace(components(field(), keep=["z", "y", "x"]), components=("Bz", "By", "Bx_gsm"))
    np.testing.assert_array_equal(clock_angle(odd).values, clock_angle(field()).values)


def test_radial_components_are_ordered_r_t_n():
    rtn = vectors([[3.0, 4.0, 0.0], [1.0, -2.0, 2.0]], frame="RTN", letters=("_R", "_T", "_N"))
    turned = components(rtn, keep=["B_N", "B_T", "B_R"])
    np.testing.assert_array_equal(cone_angle(turned).values, cone_angle(rtn).values)


def test_spreads_of_components_have_no_direction():
    spread = replace(field(), components=("Bx std", "By std", "Bz std"))
    with pytest.raises(StepError, match="are not the components of one vector"):
        clock_angle(spread)
    assert magnitude(spread).values[0] == 5.0


def test_two_components_are_joined_not_taken_apart():
    pair = components(field(), keep=["y", "z"])
    with pytest.raises(StepError, match="needs three components, but 'B' has 2") as caught:
        clock_angle(pair)
    assert "join_components" in caught.value.advice
