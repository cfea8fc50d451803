"""Lines through one quantity against another."""

import warnings
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from scipy import stats

from helio.errors import ClockMismatch, StepError, UnitMismatch
from helio.steps.compute.fit_line import fit_line
from helio.steps.compute.line_fit import fit_points, with_error
from helio.time_range import TimeRange
from tests.steps.series import epochs, scalar, vector

NOISE = np.random.default_rng(5)
X = NOISE.lognormal(1.5, 0.4, 60)
Y = 480 - 9.5 * X + NOISE.normal(0, 12, 60)


def density(values=X):
    return scalar(np.arange(len(values)) * 60.0, values, "cm^-3", "n")


def speed(values=Y, unit="km/s"):
    return scalar(np.arange(len(values)) * 60.0, values, unit, "V")


def field(values=X, name="B"):
    return scalar(np.arange(len(values)) * 60.0, values, "nT", name)


CALLS = [
    *(([density, speed], {"give": give}) for give in ("slope", "intercept", "correlation", "line")),
    ([field, lambda: field(X + 1, "C")], {"method": "orthogonal"}),
]


def numbers(x, y, **args):
    return [fit_line(x, y, give=give, **args).values[0].tolist() for give in ("slope", "intercept")]


def test_a_line_without_noise_is_found_exactly():
    x = density([1.0, 2.0, 4.0, 8.0])
    for method, y in (("linear", speed([7.0, 9.0, 13.0, 21.0])), ("orthogonal", None)):
        y = y or speed([7.0, 9.0, 13.0, 21.0], "cm^-3")
        assert numbers(x, y, method=method) == [
            pytest.approx([2, 0], abs=1e-7),
            pytest.approx([5, 0], abs=1e-7),
        ]
        assert fit_line(x, y, method=method, give="correlation").values.tolist() == [pytest.approx([1, 4])]


def test_least_squares_agree_with_scipy():
    known = stats.linregress(X, Y)
    (slope, slope_error), (intercept, intercept_error) = numbers(density(), speed())
    assert (slope, slope_error) == pytest.approx((known.slope, known.stderr), rel=1e-10)
    assert (intercept, intercept_error) == pytest.approx((known.intercept, known.intercept_stderr), rel=1e-10)
    r, count = fit_line(density(), speed(), give="correlation").values[0]
    assert (r, count) == (pytest.approx(known.rvalue), 60)


@pytest.mark.parametrize("slope", [-30.0, -0.9, 0.0, 0.05, 1.0, 8.0])
def test_orthogonal_distances_agree_with_odrpack(slope):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from scipy import odr
    noise = np.random.default_rng(8)
    true = noise.uniform(0, 20, 80)
    x, y = true + noise.normal(0, 1, 80), 3 + slope * true + noise.normal(0, 1, 80)
    known = odr.ODR(odr.Data(x, y), odr.unilinear, beta0=[slope, 3.0]).run()
    fit = fit_points(x, y, "orthogonal")
    assert (fit.slope, fit.intercept) == pytest.approx(known.beta, rel=1e-4, abs=1e-4)
    assert (fit.slope_error, fit.intercept_error) == pytest.approx(known.sd_beta, rel=1e-3)


def test_orthogonal_distances_do_not_prefer_an_axis():
    one, other = fit_points(X, Y / 30, "orthogonal"), fit_points(Y / 30, X, "orthogonal")
    assert one.slope * other.slope == pytest.approx(1)


def test_missing_values_are_left_out():
    x, y = X.copy(), Y.copy()
    x[3] = y[10] = np.nan
    kept = np.isfinite(x) & np.isfinite(y)
    known = stats.linregress(x[kept], y[kept])
    assert numbers(density(x), speed(y))[0] == pytest.approx([known.slope, known.stderr])
    assert fit_line(density(x), speed(y), give="correlation").values[0, 1] == 58


def test_units_names_frame_and_epoch():
    slope = fit_line(density(), replace(speed(), frame="GSE"))
    assert (slope.unit, slope.components, slope.frame) == ("km cm^3/s", ("slope", "error"), "")
    assert slope.epoch.tolist() == epochs(0).tolist()
    intercept = fit_line(density(), speed(), give="intercept")
    assert (intercept.unit, intercept.name) == ("km/s", "intercept")
    line = fit_line(density(), replace(speed(), frame="GSE"), give="line")
    assert (line.unit, line.frame, line.name, line.kind) == ("km/s", "GSE", "V fit", "scalar")
    assert line.values == pytest.approx(fit_points(X, Y, "linear").at(X))


def test_only_the_records_of_the_interval_count():
    interval = TimeRange(datetime(2024, 5, 10, 0, 10), datetime(2024, 5, 10, 0, 30))
    known = stats.linregress(X[10:30], Y[10:30])
    slope = fit_line(density(), speed(), interval=interval)
    assert slope.values[0] == pytest.approx([known.slope, known.stderr])
    assert slope.epoch.tolist() == epochs(600).tolist()
    assert len(fit_line(density(), speed(), interval=interval, give="line")) == 60


def test_the_description_has_all_numbers():
    words = fit_line(density(), speed()).description
    known = stats.linregress(X, Y)
    assert words.startswith("V against n: slope −")
    assert f"r {known.rvalue:.4g}".replace("-", "−") in words
    assert words.endswith("n 60")


@pytest.mark.parametrize(
    ("value", "error", "written"),
    [
        (430.123, 2.34, "430.1 ± 2.3"),
        (430.123, 23.4, "430 ± 23"),
        (0.00123456, 0.0000567, "0.001235 ± 0.000057"),
        (-1.6667, 0.0123, "−1.667 ± 0.012"),
        (1.5e-12, 2.5e-13, "(1.50 ± 0.25)·10^−12"),
        (2.5e7, 1.26e5, "(2.500 ± 0.013)·10^7"),
        (99.96, 9.96, "100 ± 10"),
        (0.0, 0.5, "0.00 ± 0.50"),
        (5.0, 0.0, "5 ± 0"),
    ],
)
def test_a_value_is_written_with_two_digits_of_its_error(value, error, written):
    assert with_error(value, error) == written


def test_what_has_no_line_is_refused():
    with pytest.raises(StepError, match="at least 3 records with a value of x and of y, but there are 2"):
        fit_line(density([1, 2, np.nan]), speed([1, 2, 3]))
    with pytest.raises(StepError, match="at least 3 records"):
        fit_line(density([]), speed([]))
    for method in ("linear", "orthogonal"):
        with pytest.raises(StepError, match="x does not vary"):
            fit_line(density([2, 2, 2]), speed([1, 2, 3], "cm^-3"), method=method)
    with pytest.raises(ClockMismatch):
        fit_line(density([1, 2, 3, 4]), speed([1, 2, 3]))
    with pytest.raises(UnitMismatch):
        fit_line(density(), speed(), method="orthogonal")
    with pytest.raises(StepError, match="wraps"):
        fit_line(density(), scalar(np.arange(60) * 60.0, Y, "deg", "flow longitude"))
    with pytest.raises(StepError, match="must be one series"):
        fit_line(vector(), speed())


def test_a_constant_y_has_slope_zero_and_no_correlation():
    slope, intercept = numbers(density([1, 2, 3]), speed([7, 7, 7]))
    assert (slope, intercept) == ([0, 0], [7, 0])
    assert np.isnan(fit_line(density([1, 2, 3]), speed([7, 7, 7]), give="correlation").values[0, 0])
