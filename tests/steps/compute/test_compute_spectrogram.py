"""Spectrograms by code of a template's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import pytest

from helio.errors import BadResult, CodeFailed, CodeRefused, StepError
from helio.steps.compute.compute_spectrogram import compute_spectrogram
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Code
from helio.steps.tool import LabelledTable
from helio.store.table import Table
from helio.time_range import parse_time_range

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
START = np.datetime64("2024-01-01", "ns")
SCIPY = """
f, t, S = signal.spectrogram(df.iloc[:, 0].values, fs=1.0, nperseg=64, noverlap=0)
result = pd.DataFrame(S.T, columns=[f'{v:.6g}' for v in f], index=df.index[0] + pd.to_timedelta(t, unit='s'))
"""
ARRAY = """
f, t, S = signal.spectrogram(df['B'].values, fs=1.0, nperseg=64, noverlap=0)
t = df.index[0] + pd.to_timedelta(t, unit='s')
result = xr.DataArray(S, dims=('frequency', 'time'), coords={'frequency': f, 'time': t})
"""
FOURIER = """
n = len(df) // 64
S = np.abs(np.fft.rfft(df.iloc[:n * 64, 0].values.reshape(n, 64), axis=1)) ** 2
result = pd.DataFrame(S, columns=np.fft.rfftfreq(64, 1.0), index=df.index[:n * 64:64])
"""


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    with Jail() as shared:
        yield shared


def tone(components: tuple[str, ...] = ()) -> Table:
    """An eighth of a hertz, sampled each second."""
    values = np.sin(2 * np.pi * np.arange(1024) / 8)
    epoch = START + np.arange(1024) * np.timedelta64(1, "s")
    return Table(epoch, np.column_stack([values] * 3) if components else values, "nT", "B", "", components)


def made(jail: Jail, code: str, table: Table | None = None, **others: Any) -> Table:
    return compute_spectrogram(jail, LabelledTable("X.B", table or tone()), python_code=Code(code), **others)


@pytest.mark.slow
@pytest.mark.parametrize("code", [SCIPY, ARRAY, FOURIER], ids=["scipy", "array", "fourier"])
def test_a_tone_stands_in_its_bin(code: str, jail: Jail):
    table = made(jail, code, bin_label="Frequency (Hz)", value_label="PSD (nT^2/Hz)")
    [axis] = table.axes
    assert (axis.label, axis.unit, table.name, table.unit) == ("Frequency", "Hz", "PSD", "nT^2/Hz")
    assert table.values.shape == (16, 33)
    assert axis.centers[table.values.argmax(axis=1)].tolist() == [0.125] * 16
    assert table.kind == "spectrum"


def test_one_component_of_a_vector_is_taken(jail: Jail):
    vector = tone(("Bx", "By", "Bz"))
    assert made(jail, FOURIER, vector, component="By").values.shape == (16, 33)
    with pytest.raises(StepError, match=r"takes one component, but 'X\.B' has Bx, By, Bz"):
        made(jail, FOURIER, vector)
    with pytest.raises(StepError, match="no component is called 'Bq'"):
        made(jail, FOURIER, vector, component="Bq")


def test_a_window_is_the_part_that_is_taken(jail: Jail):
    window = parse_time_range("2024-01-01T00:00:00 to 2024-01-01T00:06:24", datetime(2024, 2, 1))
    assert len(made(jail, FOURIER, window=window)) == 6


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("x = df", CodeFailed, "did not assign"),
        ("import scipy\nresult = df", CodeRefused, "an import"),
        ("result = df['absent']", CodeFailed, "KeyError"),
        ("result = 'text'", BadResult, "has the type str"),
        ("result = pd.DataFrame(np.ones((4, 3)))", BadResult, "has no time index"),
        ("result = df", BadResult, "named by the bin's centre, but the code returned a scalar"),
        ("result = df.assign(a=1.0, b=2.0)", BadResult, "but the code returned a vector"),
    ],
)
def test_what_is_no_spectrogram_is_a_typed_error(code: str, error: type[Exception], said: str, jail: Jail):
    with pytest.raises(error) as caught:
        made(jail, code)
    assert said in str(caught.value)
