"""Power laws through one quantity against another."""

import numpy as np
import pytest
from scipy import stats

from helio.errors import ClockMismatch, StepError
from helio.steps.compute.fit_power_law import fit_power_law
from tests.steps.compute.test_fit_line import X, Y, density, speed

CALLS = [([density, speed], {"give": give}) for give in ("exponent", "factor", "correlation", "line")]


def given(x, y, give):
    return fit_power_law(x, y, give=give).values[0].tolist()


def test_a_power_law_without_noise_is_found_exactly():
    x = density([1.0, 2.0, 4.0, 8.0, 0.0, -1.0, 3.0])
    y = speed([3.0, 3 * 2**-1.5, 3 * 4**-1.5, 3 * 8**-1.5, 1.0, 1.0, -2.0])
    assert given(x, y, "exponent") == pytest.approx([-1.5, 0], abs=1e-7)
    assert given(x, y, "factor") == pytest.approx([3, 0], abs=1e-6)
    assert given(x, y, "correlation") == pytest.approx([-1, 4])
    line = fit_power_law(x, y, give="line").values
    assert line[[0, 1, 2, 3, 6]] == pytest.approx([*y.values[:4], 3 * 3**-1.5])
    assert np.isnan(line[4:6]).all()


def test_it_agrees_with_scipy():
    known = stats.linregress(np.log(X), np.log(Y))
    assert given(density(), speed(), "exponent") == pytest.approx([known.slope, known.stderr], rel=1e-10)
    factor = np.exp(known.intercept)
    assert given(density(), speed(), "factor") == pytest.approx(
        [factor, factor * known.intercept_stderr], rel=1e-10
    )
    assert given(density(), speed(), "correlation") == pytest.approx([known.rvalue, 60])


def test_units_and_words():
    assert fit_power_law(density(), speed()).unit == ""
    assert fit_power_law(density(), speed(), give="factor").unit == "km/s"
    assert fit_power_law(density(), speed(), give="factor").components == ("factor", "error")
    assert fit_power_law(density(), speed()).description.startswith("V against n: exponent −0.")


def test_what_has_no_power_law_is_refused():
    with pytest.raises(StepError, match="x and y above zero, but there are 1"):
        fit_power_law(density([1, 0, -1]), speed([1, 2, 3]))
    with pytest.raises(StepError, match="x does not vary"):
        fit_power_law(density([2, 2, 2]), speed([1, 2, 3]))
    with pytest.raises(ClockMismatch):
        fit_power_law(density([1, 2, 3, 4]), speed([1, 2, 3]))
