"""The Morlet wavelet spectrum of a series."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.compute.wavelet_spectrum import wavelet_spectrum
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum

CALLS = [
    ([solar_wind.bz_long], {}),
    ([solar_wind.bz_long], {"give": "power", "axis": "mHz", "longest": solar_wind.HOUR, "trend": "linear"}),
    ([solar_wind.bz_long], {"give": "cone", "axis": "min"}),
    ([solar_wind.bz_long], {"give": "cone", "axis": "Hz"}),
    ([solar_wind.bz_long], {"per_octave": 4, "shortest": Duration("3min"), "inside_cone": True}),
]
FOURIER = 4 * np.pi / (6 + np.sqrt(38))


def noise(count, seed=11):
    return np.random.default_rng(seed).normal(size=count)


def wave(period, amplitude=1.0, count=2048, step=1.0):
    seconds = np.arange(count) * step
    return scalar(seconds, amplitude * np.sin(2 * np.pi * seconds / period))


def middle(table):
    """The values of the middle record, by period."""
    return table.values[len(table) // 2]


# --- power ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", [16, 64, 256])
@pytest.mark.parametrize("step", [0.125, 1.0, 60.0])
def test_a_sine_has_its_power_at_its_period(period, step):
    """Eq. 4 for a sine: |W|² = A²/4 2π s/δt π^(-1/2) exp(-(s ω - 6)²)."""
    result = wavelet_spectrum(
        wave(period * step, amplitude=3, step=step),
        shortest=Duration(f"{round(8000 * step)}ms"),
        give="power",
    )
    highest = int(np.argmax(middle(result)))
    assert result.axes[0].centers[highest] == pytest.approx(period * step)
    scale = period * step / FOURIER
    expected = 9 / 4 * 2 * np.sqrt(np.pi) * scale / step * np.exp(-((2 * np.pi / FOURIER - 6) ** 2))
    assert middle(result)[highest] == pytest.approx(expected, rel=1e-3)
    density = wavelet_spectrum(
        wave(period * step, amplitude=3, step=step), shortest=Duration(f"{round(8000 * step)}ms")
    )
    assert (density.unit, result.unit) == ("nT^2/Hz", "nT^2")
    assert middle(density)[highest] == pytest.approx(1.70 * period * step * 9, rel=3e-3)


def test_white_noise_has_its_variance_at_every_period():
    """Section 4 of the paper: with this normalisation the expected |W|² of white noise is the variance."""
    result = wavelet_spectrum(
        scalar(np.arange(200_000), 5 * noise(200_000)), give="power", longest=Duration("500s")
    )
    np.testing.assert_allclose(result.values.mean(axis=0), 25, rtol=0.12)
    assert result.values[:, :40].mean() == pytest.approx(25, rel=0.02)


def test_the_density_of_noise_is_that_of_a_power_spectrum():
    table = scalar(np.arange(100_000) * 2.0, 3 * noise(100_000))
    density = wavelet_spectrum(table, longest=Duration("200s"))
    other = power_spectrum(table, window=Duration("2000s"))
    assert density.values.mean() == pytest.approx(other.values.mean(), rel=0.03)
    assert density.values.mean() == pytest.approx(2 * 9 * 2, rel=0.03)


def test_the_sum_over_scales_is_the_variance():
    """Eq. 14: σ² = δj δt / (C N) Σ |W|² / s, with C = 0.776 of table 2, which the integral over scales gives to 2 %."""
    values = np.gradient(np.convolve(noise(8192), np.hanning(31), mode="same"))
    values[:512] = values[-512:] = 0.0
    result = wavelet_spectrum(
        scalar(np.arange(8192), values), give="power", shortest=Duration("2s"), longest=Duration("8192s")
    )
    scales = result.axes[0].centers / FOURIER
    total = (result.values / scales).sum() / 12 / 8192
    assert total / 0.776 == pytest.approx(values.var(), rel=0.02)
    scale = np.linspace(1e-3, 20, 100_001)
    exact = (np.exp(-((scale - 6) ** 2)) / scale).sum() * (scale[1] - scale[0]) * np.sqrt(np.pi) / np.log(2)
    assert total / exact == pytest.approx(values.var(), rel=2e-3)


def test_it_is_the_convolution_of_the_paper():
    """Eqs. 1 and 2: the sum over all samples, written out for one scale and one record."""
    values = noise(300).cumsum()
    result = wavelet_spectrum(scalar(np.arange(300) * 2.0, values), give="power", shortest=Duration("32s"))
    scale, at = 32 / FOURIER, 150
    eta = (np.arange(300) - at) * 2.0 / scale
    mother = np.pi**-0.25 * np.exp(6j * eta - eta**2 / 2) * np.sqrt(2.0 / scale)
    expected = abs(((values - values.mean()) * mother.conj()).sum()) ** 2
    assert result.values[at, 0] == pytest.approx(expected, rel=1e-6)


def test_a_vector_gives_the_sum_over_its_components_in_any_frame():
    seconds, values = np.arange(400.0), noise(1200).reshape(400, 3)
    table = replace(
        scalar(seconds, np.zeros(400), name="B"), values=values, components=("Bx", "By", "Bz"), frame="GSE"
    )
    result = wavelet_spectrum(table)
    parts = sum(wavelet_spectrum(table.component(name)).values for name in table.components)
    np.testing.assert_allclose(result.values, parts, rtol=1e-9)
    turn, _ = np.linalg.qr(noise(9).reshape(3, 3))
    turned = wavelet_spectrum(replace(table, values=values @ turn.T))
    np.testing.assert_allclose(turned.values, result.values, rtol=1e-7)
    assert (result.components, result.frame) == ((), "")
    assert "sum over Bx, By, Bz" in result.description


# --- axes ----------------------------------------------------------------------------------------------------


def test_periods_are_in_even_steps_of_the_logarithm():
    axis = wavelet_spectrum(wave(32), per_octave=8).axes[0]
    assert (axis.label, axis.unit, axis.scale) == ("Period", "s", "log")
    np.testing.assert_allclose(axis.centers[1:] / axis.centers[:-1], 2 ** (1 / 8))
    np.testing.assert_allclose(axis.upper[:-1], axis.lower[1:])
    assert axis.centers[0] == 4
    assert 0.36 * 2048 / 2 ** (1 / 8) < axis.centers[-1] <= 0.366 * 2048


@pytest.mark.parametrize(("axis", "factor"), [("min", 60), ("h", 3600), ("d", 86400)])
def test_an_axis_of_periods_in_other_units(axis, factor):
    result, other = wavelet_spectrum(wave(32), axis=axis), wavelet_spectrum(wave(32))
    np.testing.assert_allclose(result.axes[0].centers * factor, other.axes[0].centers)
    np.testing.assert_array_equal(result.values, other.values)


@pytest.mark.parametrize(("axis", "factor"), [("Hz", 1), ("mHz", 1000)])
def test_an_axis_of_frequencies_increases(axis, factor):
    result, other = wavelet_spectrum(wave(32), axis=axis), wavelet_spectrum(wave(32))
    bins = result.axes[0]
    assert (bins.label, bins.unit) == ("Frequency", axis)
    np.testing.assert_allclose(bins.centers, factor / other.axes[0].centers[::-1])
    assert (bins.lower < bins.centers).all()
    assert (bins.centers < bins.upper).all()
    np.testing.assert_array_equal(result.values, other.values[:, ::-1])


# --- the cone of influence -----------------------------------------------------------------------------------


def test_the_cone_is_the_period_whose_e_folding_time_reaches_the_nearer_end():
    cone = wavelet_spectrum(wave(32, count=101), give="cone")
    assert (cone.kind, cone.unit, cone.name) == ("scalar", "s", "cone of influence")
    np.testing.assert_allclose(cone.values[:3], FOURIER / np.sqrt(2) * np.array([0.5, 1.5, 2.5]))
    np.testing.assert_array_equal(cone.values, cone.values[::-1])
    assert cone.values.max() == pytest.approx(FOURIER / np.sqrt(2) * 50.5)
    hertz = wavelet_spectrum(wave(32, count=101), give="cone", axis="Hz")
    np.testing.assert_allclose(hertz.values, 1 / cone.values)


def test_values_outside_the_cone_can_be_left_out():
    table = wave(32, count=256)
    whole, inside = wavelet_spectrum(table), wavelet_spectrum(table, inside_cone=True)
    cone = wavelet_spectrum(table, give="cone").values
    outside = whole.axes[0].centers > cone[:, None]
    assert np.isnan(inside.values[outside]).all()
    np.testing.assert_array_equal(inside.values[~outside], whole.values[~outside])
    assert (
        f"outside the cone of influence: {int(outside.sum()):,} of {outside.size:,} values" in whole.notes[-1]
    )


def test_a_sine_keeps_half_of_its_amplitude_or_more_inside_the_cone():
    result = wavelet_spectrum(wave(64, count=1024), inside_cone=True, give="power")
    column = result.values[:, int(np.argmin(abs(result.axes[0].centers - 64)))]
    within = column[np.isfinite(column)]
    assert within.min() > within.max() / 4


# --- gaps ----------------------------------------------------------------------------------------------------


def test_nothing_is_computed_across_a_gap():
    seconds = np.concatenate([np.arange(300.0), np.arange(1000.0, 1400.0)])
    values = noise(700)
    result = wavelet_spectrum(scalar(seconds, values), longest=Duration("100s"))
    for part in (slice(0, 300), slice(300, 700)):
        alone = wavelet_spectrum(scalar(seconds[part], values[part]), longest=Duration("100s"))
        np.testing.assert_array_equal(result.values[part], alone.values)
    cone = wavelet_spectrum(scalar(seconds, values), give="cone").values
    assert cone[299] == cone[300] == cone.min()


def test_a_missing_value_ends_a_stretch_and_short_stretches_are_counted():
    values = noise(300)
    values[[5, 150]] = np.nan
    result = wavelet_spectrum(scalar(np.arange(300), values))
    assert np.flatnonzero(np.isnan(result.values).all(axis=1)).tolist() == [0, 1, 2, 3, 4, 5, 150]
    assert "left out, in stretches that are too short: 5 of 300 samples (1.67 %)" in result.notes
    assert np.isnan(wavelet_spectrum(scalar(np.arange(300), values), give="cone").values[[5, 150]]).all()


def test_a_period_longer_than_its_stretch_has_no_value():
    seconds = np.concatenate([np.arange(30.0), np.arange(100.0, 400.0)])
    result = wavelet_spectrum(scalar(seconds, noise(330)), longest=Duration("100s"))
    long = result.axes[0].centers > 30
    assert np.isnan(result.values[:30, long]).all()
    assert np.isfinite(result.values[:30, ~long]).all()
    assert np.isfinite(result.values[30:]).all()


def test_a_line_leaves_nothing_when_it_is_removed():
    seconds = np.arange(256.0)
    sloping = scalar(seconds, 5 + 0.3 * seconds)
    assert wavelet_spectrum(sloping, trend="linear").values.max() < 1e-18
    assert wavelet_spectrum(sloping).values.max() > 1


# --- wrong inputs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"per_octave": 1}, "1 periods per octave are not possible"),
        ({"per_octave": 100}, "100 periods per octave are not possible"),
        ({"shortest": Duration("1s")}, "a period of 1s is shorter than two cadences of 1 s"),
        ({"longest": Duration("5000s")}, "longer than the longest stretch without a gap, 34.2 min"),
        (
            {"shortest": Duration("100s"), "longest": Duration("50s")},
            "50 s, is shorter than the shortest, 100 s",
        ),
    ],
)
def test_impossible_periods(args, message):
    with pytest.raises(StepError, match=message) as refused:
        wavelet_spectrum(wave(32), **args)
    assert refused.value.advice


def test_tables_without_a_wavelet_spectrum():
    with pytest.raises(StepError, match="is a spectrum"):
        wavelet_spectrum(spectrum())
    with pytest.raises(StepError, match="has 7 samples"):
        wavelet_spectrum(wave(4, count=7))
    with pytest.raises(StepError, match="one cadence"):
        wavelet_spectrum(scalar(np.arange(100.0) ** 1.2, noise(100)))
    with pytest.raises(StepError, match="at least two records"):
        wavelet_spectrum(scalar([0], [1]))
    with pytest.raises(StepError, match="0 samples"):
        wavelet_spectrum(scalar(np.arange(100), np.full(100, np.nan)))
    with pytest.raises(StepError, match="split into frequencies"):
        wavelet_spectrum(scalar(np.arange(100), noise(100), unit="deg", name="longitude"))
    with pytest.raises(StepError, match="too many") as refused:
        wavelet_spectrum(scalar(np.arange(2_000_000), np.zeros(2_000_000)), per_octave=48)
    assert "resample first" in refused.value.advice


def test_the_result_on_a_small_table_is_the_golden_one():
    coarse = wavelet_spectrum(solar_wind.bz_long(), per_octave=2)
    check_golden(wavelet_spectrum, replace(coarse, values=np.round(coarse.values, 9) + 0.0))
    check_golden(wavelet_spectrum, wavelet_spectrum(solar_wind.bz_long(), give="cone"), "_cone", digits=12)
