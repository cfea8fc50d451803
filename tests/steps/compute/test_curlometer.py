"""Curlometer."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import constants

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.curlometer import curlometer
from tests.steps.series import check_golden
from tests.steps.solar_wind import vectors

RECORDS = 6
CORNERS = np.array([[0.0, 0.0, 0.0], [20.0, 3.0, -1.0], [-2.0, 15.0, 4.0], [1.0, -3.0, 12.0]])
GRADIENT = np.array([[0.3, -0.1, 0.4], [0.2, -0.5, 0.05], [-0.6, 0.1, 0.2]])
"""dB_i/dx_j in nT/km; its trace is zero."""


def positions():
    drift = np.arange(RECORDS)[:, None] * np.array([[5.0, -1.0, 2.0]])
    return [vectors(corner + drift, unit="km", name="R", frame="GSE") for corner in CORNERS]


def fields(gradient=GRADIENT, noise=0.0):
    random = np.random.default_rng(6)
    return [
        vectors(
            np.array([1.0, 2.0, 3.0])
            + position.values @ gradient.T
            + noise * random.normal(size=(RECORDS, 3)),
            frame="GSE",
        )
        for position in positions()
    ]


def field_of(number):
    return lambda: fields(noise=1.0)[number]


def position_of(number):
    return lambda: positions()[number]


CALLS = [
    ([field_of(number) for number in range(4)] + [position_of(number) for number in range(4)], {"give": give})
    for give in ("current", "quality", "divergence")
]


def curl_of(gradient):
    return np.array(
        [gradient[2, 1] - gradient[1, 2], gradient[0, 2] - gradient[2, 0], gradient[1, 0] - gradient[0, 1]]
    )


def test_a_linear_field_has_its_current_exactly():
    result = curlometer(*fields(), *positions())
    expected = curl_of(GRADIENT) * 1e-12 / constants.mu_0 * 1e9  # nT/km into nA/m²
    np.testing.assert_allclose(result.values, np.tile(expected, (RECORDS, 1)), rtol=1e-9)
    assert (result.unit, result.frame, result.components) == ("nA/m^2", "GSE", ("Jx", "Jy", "Jz"))
    np.testing.assert_allclose(curlometer(*fields(), *positions(), give="divergence").values, 0, atol=1e-12)
    np.testing.assert_allclose(curlometer(*fields(), *positions(), give="quality").values, 0, atol=1e-12)


def test_it_is_the_gradient_that_least_squares_find():
    """Against the matrix of the gradient, solved from the differences without reciprocal vectors."""
    made, places = fields(noise=2.0), positions()
    current = curlometer(*made, *places).values
    divergence = curlometer(*made, *places, give="divergence").values
    quality = curlometer(*made, *places, give="quality").values
    for record in range(RECORDS):
        edges = np.array([position.values[record] - places[0].values[record] for position in places[1:]])
        steps = np.array([field.values[record] - made[0].values[record] for field in made[1:]])
        gradient = np.linalg.lstsq(edges, steps, rcond=None)[0].T
        curl = curl_of(gradient)
        np.testing.assert_allclose(current[record], curl * 1e-3 / constants.mu_0, rtol=1e-9)
        assert divergence[record] == pytest.approx(np.trace(gradient), rel=1e-9)
        assert quality[record] == pytest.approx(abs(np.trace(gradient)) / np.linalg.norm(curl), rel=1e-9)


def test_the_order_of_the_spacecraft_does_not_matter():
    order = [2, 0, 3, 1]
    made, places = fields(noise=2.0), positions()
    other = curlometer(*(made[number] for number in order), *(places[number] for number in order))
    np.testing.assert_allclose(other.values, curlometer(*made, *places).values, rtol=1e-9)


def test_a_fourth_component_that_is_the_magnitude_is_left_out():
    with_length = [
        replace(
            position,
            values=np.column_stack([position.values, np.linalg.norm(position.values, axis=1)]),
            components=(*position.components, "R"),
        )
        for position in positions()
    ]
    np.testing.assert_array_equal(
        curlometer(*fields(), *with_length).values, curlometer(*fields(), *positions()).values
    )


def test_it_is_missing_where_a_value_is():
    made = fields()
    made[2].values[1, 0] = np.nan
    result = curlometer(*made, *positions())
    assert np.isnan(result.values).any(axis=1).tolist() == [False, True, False, False, False, False]


def test_it_is_missing_where_the_spacecraft_lie_in_a_plane():
    places = positions()
    places[3].values[2] = places[0].values[2] + 0.3 * (places[1].values[2] - places[0].values[2])
    result = curlometer(*fields(), *places)
    assert np.isnan(result.values).all(axis=1).tolist() == [False, False, True, False, False, False]
    one = positions()[0]
    with pytest.raises(StepError, match="the four positions lie in a plane"):
        curlometer(*fields(), one, one, one, one)


def test_a_field_without_curl_has_no_quality():
    still = [replace(field, values=np.full((RECORDS, 3), 2.0)) for field in fields()]
    assert np.isnan(curlometer(*still, *positions(), give="quality").values).all()


def test_frames_units_and_clocks_are_checked():
    made, places = fields(), positions()
    with pytest.raises(FrameMismatch, match="is in GSE, but 'R' is in GSM"):
        curlometer(*made, *places[:3], replace(places[3], frame="GSM"))
    with pytest.raises(UnitMismatch, match=r"the position_1 of curlometer must be in km, but 'R' is in R_E"):
        curlometer(*made, replace(places[0], unit="R_E"), *places[1:])
    with pytest.raises(ClockMismatch):
        curlometer(*made, *places[:3], places[3].take(slice(0, 2)))


def test_no_records_give_no_records():
    none = slice(0, 0)
    result = curlometer(*(table.take(none) for table in (*fields(), *positions())))
    assert (len(result), result.unit) == (0, "nA/m^2")


@pytest.mark.parametrize("give", ["current", "quality", "divergence"])
def test_golden(give):
    made = curlometer(*fields(noise=2.0), *positions(), give=give)
    check_golden(curlometer, made, f"_{give}", digits=9)
