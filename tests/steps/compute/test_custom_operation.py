"""Code of a template as a tool: what the seeds' cases say of it, and what it gives."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from helio.errors import BadResult, CodeFailed, CodeRefused
from helio.steps.compute.custom_operation import custom_operation
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Code
from helio.steps.tool import LabelledTable
from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
START = np.datetime64("2024-01-01", "ns")


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    with Jail() as shared:
        yield shared


def series(values: Sequence[float], seconds: float = 60, name: str = "value", start: Any = START) -> Table:
    epoch = start + (np.arange(len(values)) * seconds * 1e9).astype("timedelta64[ns]")
    return Table(epoch, np.array(values, dtype=float), name=name)


def vector(values: Any, names: tuple[str, ...] = ("x", "y", "z")) -> Table:
    values = np.array(values, dtype=float)
    epoch = START + np.arange(len(values)) * np.timedelta64(60, "s")
    return Table(epoch, values, "nT", "B", "GSE", names)


def run(jail: Jail, code: str, *tables: Table, labels: Sequence[str] = (), **others: Any) -> Table:
    """What code gives for tables called T.a, T.b, …"""
    names = labels or [f"T.{letter}" for letter in "abcdef"]
    sources = [LabelledTable(label, table) for label, table in zip(names, tables, strict=False)]
    return custom_operation(jail, sources, pandas_code=Code(code), **others)


# What was valid, and is ---------------------------------------------------------------------------------------

TEN = series(np.arange(10.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("result = df * 2", np.arange(10.0) * 2),
        ("x = df + 1\ny = x * 2\nresult = y", (np.arange(10.0) + 1) * 2),
        (
            "result = pd.DataFrame(np.sqrt(df.values), index=df.index, columns=df.columns)",
            np.sqrt(np.arange(10.0)),
        ),
        ("result = df.rolling(3, min_periods=1).mean()", [0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("result = df.clip(lower=2, upper=5)", np.clip(np.arange(10.0), 2, 5)),
        ("result = df.where(df != 3).interpolate()", np.arange(10.0)),
        ("z = (df - df.mean()) / df.std()\nresult = df[z.abs() < 3]", np.arange(10.0)),
        ("result = df['value'] * 10", np.arange(10.0) * 10),
        ("result = (df + 1).pipe(np.log10)", np.log10(np.arange(10.0) + 1)),
        ("result = df.diff()", [np.nan, *[1.0] * 9]),
        (
            "result = df.diff() / df.index.to_series().diff().dt.total_seconds().values[:, None]",
            [np.nan] + [1 / 60] * 9,
        ),
        ("double = lambda one: one * 2\nresult = df.apply(double)", np.arange(10.0) * 2),
        (
            "def outer(one):\n    def inner(two):\n        return two + 1\n    return inner(one)\nresult = outer(df)",
            np.arange(10.0) + 1,
        ),
        (
            "with np.errstate(divide='ignore'):\n    result = (1 / df).replace([np.inf, -np.inf], np.nan)",
            [np.nan, *(1 / np.arange(1, 10.0))],
        ),
    ],
)
def test_an_operation_gives_its_numbers(code: str, expected: Any, jail: Jail):
    made = run(jail, code, TEN)
    np.testing.assert_allclose(made.values, expected)
    np.testing.assert_array_equal(made.epoch, TEN.epoch)
    assert made.kind == "scalar"


def test_normalised_values_have_mean_0_and_deviation_1(jail: Jail):
    made = run(jail, "result = (df - df.mean()) / df.std()", TEN)
    assert made.values.mean() == pytest.approx(0)
    assert made.values.std(ddof=1) == pytest.approx(1)


@pytest.mark.parametrize(
    "code",
    [
        "x = df * 2",
        "import os\nresult = df",
        "from os import path\nresult = df",
        "exec('x = 1')\nresult = df",
        "result = eval('df')",
        "result = open('/etc/passwd')",
        "result = df.__class__",
        "def f():\n    global x\n    x = 1\nresult = df",
        "def f():\n    x = 1\n    def g():\n        nonlocal x\nresult = df",
        "result = df +",
        "async def f():\n    pass\nresult = df",
    ],
)
def test_what_was_rejected_is(code: str, jail: Jail):
    with pytest.raises((CodeRefused, CodeFailed)):
        run(jail, code, TEN)


def test_the_source_is_as_it_was(jail: Jail):
    before = TEN.values.copy()
    run(jail, "df['value'] = 0.0\nresult = df", TEN)
    np.testing.assert_array_equal(TEN.values, before)


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("result = df['absent']", CodeFailed, "KeyError: 'absent'"),
        ("result = 42", BadResult, "has the type int, but must be a table"),
        ("result = {'a': 1}", BadResult, "has the type dict"),
        ("result = df.mean()['value']", BadResult, "has the type float"),
        ("result = df.reset_index(drop=True)", BadResult, "has no time index, but RangeIndex"),
        ("result = df.reset_index()", BadResult, "has no time index"),
        ("result = df[df['value'] > 99]", BadResult, "no rows"),
        ("result = df.astype(str)", BadResult, "holds str, but a table can only hold numbers"),
        ("result = df.astype(np.complex128)", BadResult, "holds complex numbers"),
        ("result = df.index.to_series()", BadResult, "holds times"),
        (
            "result = pd.concat([df, df])",
            BadResult,
            "the result has 10 rows with the same epoch as an earlier row",
        ),
        ("result = df.rename(columns={'value': '<b>x</b>'})", BadResult, "not plain text"),
        ("result = df.rename(columns={'value': 'x' * 101})", BadResult, "not plain text"),
        ("result = df.rename(columns={'value': 'a' + chr(7)})", CodeRefused, "chr"),
        ("result = df.rename(columns={'value': 'a\\nb'})", BadResult, "not plain text"),
        ("result = df.rename(columns={'value': '&lt;script'})", BadResult, "not plain text"),
        ("result = df.drop(columns='value')", BadResult, "no columns"),
        ("df.index = df.index.where(df['value'] > 1)\nresult = df", BadResult, "rows without a time"),
    ],
)
def test_what_is_no_table_is_a_typed_error(code: str, error: type[Exception], said: str, jail: Jail):
    with pytest.raises(error) as caught:
        run(jail, code, TEN)
    assert said in str(caught.value)


# In the place of named tools ----------------------------------------------------------------------------------


def test_the_magnitude_of_3_4_0_is_5(jail: Jail):
    made = run(
        jail, "result = np.sqrt((df**2).sum(axis=1)).to_frame('|B|')", vector([[3, 4, 0]] * 5), units="nT"
    )
    np.testing.assert_allclose(made.values, 5)
    assert (made.name, made.unit, made.frame, made.components) == ("|B|", "nT", "", ())


def test_a_running_mean_has_its_edges(jail: Jail):
    code = "result = df.rolling(3, center=True, min_periods=1).mean()"
    made = run(jail, code, series([10, 20, 30, 40, 50]))
    np.testing.assert_allclose(made.values, [15, 20, 30, 40, 45])


def test_100_seconds_by_10_are_10_rows(jail: Jail):
    made = run(jail, "result = df.resample('10s').mean()", series(np.arange(100.0), seconds=1))
    np.testing.assert_allclose(made.values, np.arange(10) * 10 + 4.5)


def test_a_vector_stays_one(jail: Jail):
    made = run(jail, "result = df * [1, 2, 3]", vector(np.ones((4, 3))))
    assert made.components == ("x", "y", "z")
    np.testing.assert_allclose(made.values, [[1, 2, 3]] * 4)


def test_a_statistic_with_two_levels_of_names_has_one(jail: Jail):
    made = run(
        jail, "result = df.resample('5min').agg({'x': 'mean', 'y': ['min', 'max']})", vector(np.ones((20, 3)))
    )
    assert made.components == ("x_mean", "y_min", "y_max")


# Several tables -----------------------------------------------------------------------------------------------


def test_the_magnitude_of_three_series(jail: Jail):
    made = run(
        jail,
        "m = pd.concat([df_a, df_b, df_c], axis=1)\nresult = np.sqrt((m**2).sum(axis=1, skipna=False))",
        series([1, np.nan], name="x"),
        series([2, 2], name="y"),
        series([2, 2], name="z"),
    )
    np.testing.assert_allclose(made.values, [3, np.nan])


def test_df_is_the_first(jail: Jail):
    made = run(jail, "result = df['value'] - df_b['value']", series([5, 5]), series([1, 2]))
    np.testing.assert_allclose(made.values, [4, 3])


def test_a_result_is_not_called_as_what_went_in(jail: Jail):
    assert run(jail, "result = df_a / df_a.mean()", series([1, 2, 3], name="|B|")).name == ""
    assert (
        run(jail, "result = df_a.rename(columns={'|B|': 'ratio'})", series([1, 2], name="|B|")).name
        == "ratio"
    )


def test_tables_of_two_cadences_are_brought_together(jail: Jail):
    code = "r = df_b.resample('60s').mean()\nresult = df_a['value'] + r['value']"
    made = run(jail, code, series(np.ones(10)), series(np.arange(600.0), seconds=1))
    np.testing.assert_allclose(made.values, 1 + 29.5 + 60 * np.arange(10))


def test_sources_of_all_inputs_are_cited(jail: Jail):
    from dataclasses import replace

    one, two = (replace(TEN, sources=(SourceFile(name, f"{name}.cdf"),)) for name in ("A", "B"))
    made = run(jail, "result = df_a + df_b", one, two)
    assert [source.dataset_id for source in made.sources] == ["A", "B"]


# scipy, wavelets, xarray --------------------------------------------------------------------------------------


def test_detrending_leaves_a_line_at_zero(jail: Jail):
    code = "df['value'] = signal.detrend(df['value'].values)\nresult = df"
    np.testing.assert_allclose(run(jail, code, TEN).values, 0, atol=1e-12)


def test_a_transform_of_64_samples_has_33_frequencies(jail: Jail):
    code = (
        "p = np.abs(np.fft.rfft(df['value'].values))\n"
        "result = pd.DataFrame({'power': p}, index=pd.date_range(df.index[0], periods=len(p), freq='s'))"
    )
    assert len(run(jail, code, series(np.random.default_rng(1).normal(size=64)))) == 33


def test_wavelets_are_in_scope(jail: Jail):
    code = (
        "a, d = pywt.dwt(df['value'].values, 'db1')\n"
        "c = pywt.wavedec(df['value'].values, 'haar', level=2)\n"
        "result = pd.DataFrame({'a': a, 'd': d}, index=df.index[::2])"
    )
    made = run(jail, code, TEN)
    np.testing.assert_allclose(made.values[:, 1], -1 / np.sqrt(2))


# Spectra ------------------------------------------------------------------------------------------------------


def spectrum(per_record: bool = False) -> Table:
    centers = np.array([10.0, 100.0, 1000.0])
    axis = Axis("Energy", "eV", np.tile(centers, (4, 1)) if per_record else centers, scale="log")
    values = np.arange(12.0).reshape(4, 3)
    return Table(TEN.epoch[:4], values, "eV/(cm^2 s sr eV)", "flux", axes=(axis,))


@pytest.mark.parametrize("per_record", [False, True])
def test_a_spectrum_whose_bins_stay_keeps_its_axis(per_record: bool, jail: Jail):
    made = run(jail, "result = np.log10(df + 1)", spectrum(per_record))
    assert (made.kind, made.axes[0].label, made.axes[0].unit, made.axes[0].scale) == (
        "spectrum",
        "Energy",
        "eV",
        "log",
    )
    np.testing.assert_array_equal(made.axes[0].centers, spectrum(per_record).axes[0].centers)
    np.testing.assert_allclose(made.values, np.log10(spectrum().values + 1))


def test_columns_named_by_numbers_are_bins(jail: Jail):
    code = (
        "f, t, S = signal.spectrogram(df['value'].values, fs=1.0, nperseg=16)\n"
        "result = pd.DataFrame(S.T, columns=[f'{v:.4g}' for v in f], index=df.index[0] + pd.to_timedelta(t, unit='s'))"
    )
    made = run(jail, code, series(np.random.default_rng(1).normal(size=64), seconds=1))
    np.testing.assert_allclose(made.axes[0].centers, np.arange(9) / 16)


def test_an_array_with_two_bin_axes_keeps_them(jail: Jail):
    axes = (Axis("Energy", "eV", np.array([1.0, 2.0])), Axis("angle", "deg", np.array([0.0, 90.0, 180.0])))
    table = Table(TEN.epoch[:4], np.ones((4, 2, 3)), "", "psd", axes=axes)
    made = run(jail, "result = da * 2", table)
    assert [axis.label for axis in made.axes] == ["Energy", "angle"]
    made = run(jail, "result = da.mean('dim1')", table)
    np.testing.assert_array_equal(made.axes[0].centers, [0, 90, 180])
    made = run(jail, "result = da.mean(['dim1', 'dim2'])", table)
    assert made.kind == "scalar"


# What stands in the record ------------------------------------------------------------------------------------


def noted(jail: Jail, code: str, *tables: Table) -> str:
    return "; ".join(run(jail, code, *tables).notes)


def test_nan_that_became_zero_is_said(jail: Jail):
    given = vector([[1, 2, 3], [np.nan] * 3, [np.nan, 1, 1]])
    assert "rows with 0 where an input has only NaN: 1" in noted(jail, "result = (df**2).sum(axis=1)", given)
    assert noted(jail, "result = (df**2).sum(axis=1, skipna=False)", given) == ""


def test_rows_that_came_out_of_nothing_are_said(jail: Jail):
    assert (
        noted(jail, "result = df.resample('1s').ffill()", TEN)
        == "the result has 541 rows, the longest input only 10"
    )
    assert noted(jail, "result = df.resample('59s').ffill().add(df.iloc[0], axis=1)", TEN) == ""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("result = df * 0 + 3", "constant: all values are equal"),
        ("result = df.assign(k=1.0)", "constant: k"),
        ("result = df * np.nan", "all values are NaN"),
        ("result = 1 / df", "infinite values, possibly from a division by zero: 1"),
        ("result = df.iloc[::-1]", "the rows were not in order of time, so helio sorted them"),
        ("result = df * 2", ""),
    ],
)
def test_what_may_be_a_mistake_is_said(code: str, said: str, jail: Jail):
    assert noted(jail, code, TEN) == said


def test_times_with_a_zone_become_utc(jail: Jail):
    made = run(jail, "df.index = df.index.tz_localize('UTC')\nresult = df", TEN)
    np.testing.assert_array_equal(made.epoch, TEN.epoch)


def test_a_unit_is_written_as_everywhere(jail: Jail):
    assert run(jail, "result = df", TEN, units="#/cc").unit == "cm^-3"


def test_float32_stays_float32(jail: Jail):
    assert run(jail, "result = df.astype('float32')", TEN).values.dtype == np.float32
    assert run(jail, "result = df.astype(int)", TEN).values.dtype == np.float64


def test_a_name_that_only_looks_like_markup_is_kept(jail: Jail):
    assert run(jail, "result = df.rename(columns={'value': '>10 MeV & <5'})", TEN).name == ">10 MeV & <5"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("result = da.isel(dim1=[])", "the result has no bins"),
        ("result = da.isel(dim1=slice(0, 0))", "the result has no bins"),
        (
            "result = xr.DataArray(np.zeros((len(df), 0)), dims=['time', 'c'], coords={'time': df.index, 'c': []})",
            "the result has no bins",
        ),
        (
            "result = xr.DataArray(np.zeros((len(df), 0, 3)), dims=['time', 'c', 'd'], coords={'time': df.index})",
            "the result has no bins",
        ),
        ("result = df.iloc[:, :0]", "the result has no columns"),
    ],
)
def test_a_selection_that_leaves_nothing_is_a_typed_error(code: str, said: str, jail: Jail):
    flux = Table(series([1, 2, 3]).epoch, np.ones((3, 2)), axes=(Axis("E", "keV", np.array([1.5, 20.0])),))
    with pytest.raises(BadResult, match=said):
        custom_operation(jail, [LabelledTable("X.flux", flux)], pandas_code=Code(code))
