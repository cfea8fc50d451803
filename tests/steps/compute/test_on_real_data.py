"""Operations on real files, against what the instruments' teams and other libraries make of them."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from scipy import signal

from helio.errors import StepError
from helio.sources.cdf import CdfReader
from helio.steps.compute.align import align
from helio.steps.compute.band_integral import band_integral
from helio.steps.compute.despike import despike
from helio.steps.compute.power_spectrogram import power_spectrogram
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.compute.statistics import statistics
from helio.time_range import Duration, TimeRange

WHOLE = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))

pytestmark = pytest.mark.archive


@pytest.fixture(scope="module")
def read():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    with CdfReader() as reader:

        def tables(pattern, *names):
            [path] = sorted(Path(folder).rglob(pattern))[:1]
            found = reader.read(path, list(names), WHOLE)
            return [found[name] for name in names]

        yield tables


def test_minutes_of_three_second_data_are_winds_own_minutes(read):
    """WI_H0_MFI carries both; its minutes are made of the 22 samples a second that it does not carry."""
    fine, minutes = read("wi_h0_mfi_2003*.cdf", "B3GSE", "BGSE")
    means = statistics(fine, interval=Duration("1min"), of=["mean"])
    np.testing.assert_array_equal(means.epoch + np.timedelta64(30, "s"), minutes.epoch)
    away = np.abs(means.values - minutes.values)
    assert np.nanmedian(away) < 0.002
    assert np.nanmax(away) < 0.2


def test_the_spectrum_of_an_mms_burst_is_scipys(read):
    [field] = read("mms1_fgm_brst_l2_2015*.cdf", "mms1_fgm_b_gse_brst_l2")
    bz = field.component("Bz")
    rate = 1e9 / np.diff(bz.epoch.astype("i8")).mean()
    ours = power_spectrum(bz, window=Duration("8s"))
    _, theirs = signal.welch(bz.values.astype(float), rate, nperseg=round(8 * rate))
    np.testing.assert_allclose(ours.values[0], theirs[1:], rtol=1e-9)


def test_the_power_of_all_bands_of_a_burst_is_its_variance(read):
    """The trace over all frequencies is the variance of the tapered windows: near that of the windows themselves."""
    [field] = read("mms1_fgm_brst_l2_2015*.cdf", "mms1_fgm_b_gse_brst_l2")
    result = power_spectrogram(field, window=Duration("4s"), overlap=0, taper="none")
    length = round(4e9 / np.diff(field.epoch.astype("i8")).mean())
    count = len(field) // length
    windows = field.values[: count * length, :3].astype(np.float64).reshape(count, length, 3)
    every = band_integral(result, bands=[(0, 1e3)])
    np.testing.assert_allclose(every.values, windows.var(axis=1).sum(axis=1), rtol=1e-6)
    assert (result.unit, every.unit) == ("nT^2/Hz", "nT^2")


def test_plasma_on_the_fields_clock_is_numpys_interpolation_where_it_is_near(read):
    [density] = read("wi_h1_swe_2003*.cdf", "Proton_Np_nonlin")
    [field] = read("wi_h0_mfi_2003*.cdf", "BGSE")
    result = align(density, field, limit=Duration("4min"))
    known = ~np.isnan(density.values)
    have = density.epoch[known].astype("i8").astype(float)
    theirs = np.interp(field.epoch.astype("i8").astype(float), have, density.values[known].astype(float))
    made = ~np.isnan(result.values)
    assert 0.5 < made.mean() < 1
    np.testing.assert_allclose(result.values[made], theirs[made], rtol=1e-4)


def test_a_spectrum_of_spin_resolution_plasma_leaves_its_gaps_out(read):
    """Steps are 94 to 100 s and 24 gaps of up to ten minutes: one cadence to a tenth, in 25 stretches."""
    [density] = read("wi_h1_swe_2003*.cdf", "Proton_Np_nonlin")
    result = power_spectrum(density, window=Duration("40min"))
    assert "left out, in stretches shorter than a window" in result.notes[-1]
    assert np.isfinite(result.values).all()
    with pytest.raises(StepError, match="the longest stretch of"):
        power_spectrum(density, window=Duration("10h"))


def test_a_storm_in_the_density_loses_hardly_a_value_as_a_spike(read):
    [density] = read("wi_h1_swe_2003*.cdf", "Proton_Np_nonlin")
    cleaned = despike(density, window=Duration("30min"), threshold=5)
    lost = np.isnan(cleaned.values).sum() - np.isnan(density.values).sum()
    assert 0 < lost < 0.02 * len(density)
