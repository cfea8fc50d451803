"""Breaks of spectra, against spectra that break at a known frequency."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.spectral_break import spectral_break
from helio.store.table import Axis, Table
from tests.steps.series import epochs

FREQUENCIES = np.geomspace(1e-3, 10, 400)


def made(values):
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    axis = Axis("Frequency", "Hz", FREQUENCIES)
    return Table(
        epochs(*(60.0 * np.arange(len(values)))),
        values,
        unit="nT^2/Hz",
        name="PSD",
        axes=(axis,),
        scale="log",
    )


def broken(at=0.3, below=-5 / 3, above=-2.8):
    return 4 * np.where(at > FREQUENCIES, FREQUENCIES**below, at ** (below - above) * FREQUENCIES**above)


def two_records():
    return made([broken(0.1), broken(1.0)])


CALLS = [
    ([two_records], {"low": 0.005, "high": 9.0}),
    ([two_records], {"low": 0.005, "high": 9.0, "give": "exponents", "per_decade": 5}),
    ([two_records], {"low": 0.005, "high": 9.0, "give": "line"}),
]
RANGE = {"low": 0.001, "high": 11.0}


@pytest.mark.parametrize(("at", "below", "above"), [(0.3, -5 / 3, -2.8), (0.05, -1, -5 / 3), (1.0, -2, 0.5)])
def test_the_break_of_two_power_laws(at, below, above):
    power = made(broken(at, below, above))
    assert spectral_break(power, **RANGE).values[0] == pytest.approx(at, rel=0.02)
    assert spectral_break(power, give="exponents", **RANGE).values[0] == pytest.approx(
        [below, above], abs=0.02
    )


def test_noise_moves_it_little():
    noise = np.exp(0.2 * np.random.default_rng(2).normal(size=FREQUENCIES.size))
    power = made(broken() * noise)
    assert spectral_break(power, **RANGE).values[0] == pytest.approx(0.3, rel=0.15)


def test_each_record_has_its_break():
    assert spectral_break(two_records(), **RANGE).values == pytest.approx([0.1, 1.0], rel=0.02)


def test_the_line_follows_the_spectrum():
    line = spectral_break(made(broken()), low=0.01, high=5, give="line")
    assert line.name == "break 0.3 Hz, −1.67 and −2.80"
    inside = (FREQUENCIES >= 0.01) & (FREQUENCIES < 5)
    np.testing.assert_allclose(line.values[0, inside], broken()[inside], rtol=0.05)
    assert np.isnan(line.values[0, ~inside]).all()


def test_a_spectrum_without_a_break_has_equal_exponents():
    found = spectral_break(made(FREQUENCIES**-1.5), give="exponents", **RANGE)
    assert found.values[0] == pytest.approx([-1.5, -1.5], abs=1e-9)


def test_it_is_in_the_unit_of_the_axis():
    found = spectral_break(two_records(), **RANGE)
    assert (found.unit, found.kind) == ("Hz", "scalar")
    assert found.description.startswith("break of PSD from 0.001 to 11 Hz: 0.1")


def test_missing_values_are_left_out_and_a_record_without_any_is_missing():
    power = broken()
    power[::5] = np.nan
    found = spectral_break(made([power, np.nan * power]), **RANGE)
    assert found.values[0] == pytest.approx(0.3, rel=0.02)
    assert np.isnan(found.values[1])


def test_an_empty_table_gives_an_empty_table():
    assert len(spectral_break(two_records().take(slice(0, 0)), **RANGE)) == 0


def test_a_narrow_range_is_refused():
    with pytest.raises(StepError, match="the fit needs 8"):
        spectral_break(two_records(), low=0.1, high=0.3)
