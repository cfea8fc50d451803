"""Which tables the numbers of code come from."""

from __future__ import annotations

import pytest

from helio.steps.sandbox.number_sources import NumberSources, number_sources
from tests.rows import in_one_test

WRITTEN = [
    "result = df * 0 + 5",
    "result = 0 * df",
    "result = df * 0.0",
    "result = 5 + df * (1 - 1)",
    "result = df - df",
    "result = df - df.copy() + 3",
    "result = df + -df + 3",
    "result = -1 * df + df",
    "x = df\nresult = df - x + 400",
    "x = df + 1\nresult = x - df",
    "a = df['Bx']\nb = df['Bx']\nresult = a - b",
    "result = df / df * 7",
    "result = df ** 0",
    "result = df.pow(0)",
    "result = df.mul(0).add(5)",
    "result = df.sub(df)",
    "result = np.multiply(df, 0) + 1",
    "result = df * np.zeros(len(df))",
    "zero = 0\nresult = df * zero + 2",
    "result = pd.Series(np.ones(len(df)), index=df.index)",
    "result = pd.DataFrame({'B': np.ones(len(df))}, index=df.index)",
    "result = pd.DataFrame(5.0, index=df.index, columns=df.columns)",
    "result = pd.DataFrame(np.full(df.shape, 3), index=df.index, columns=['x', 'y', 'z'])",
    "result = pd.Series(np.zeros_like(df['Bx']), index=df.index)",
    "result = pd.Series(np.full_like(df['Bx'].values, 4.2), index=df.index)",
    "result = pd.Series([5.0] * len(df), index=df.index)",
    "result = pd.Series([5.0 for _ in df['Bx']], index=df.index)",
    "result = pd.Series([5.0 for v in df['Bx'].values], index=df.index)",
    (
        "out = []\n"
        "for i, v in enumerate(df['Bx']):\n"
        "    out.append(5.0)\n"
        "result = pd.Series(out, index=df.index)"
    ),
    "result = df.copy()\nresult[:] = 5",
    "result = df.copy()\nresult.iloc[:, :] = 5",
    "result = df.copy()\nresult.loc[:] = 5",
    "result = df.copy()\nfor c in result.columns:\n    result[c] = 5.0",
    "result = df.copy()\nresult *= 0\nresult += 6",
    "a = df['Bx'].to_numpy()\na = a * 0\nresult = pd.Series(a, index=df.index)",
    "result = df.apply(lambda x: 5.0)",
    "def f(x):\n    return 5.0\nresult = df['Bx'].map(f)",
    "result = pd.Series(df['Bx'].map(lambda v: 3.0), index=df.index)",
    "result = df.where(False, 5)",
    "result = df.mask(True, 5)",
    "result = pd.DataFrame(np.where(True, 5, df), index=df.index)",
    "result = df.clip(5, 5)",
    "result = df.clip(lower=5, upper=5)",
    "result = (df == df) * 5",
    "rng = np.random.default_rng(0)\nresult = pd.Series(rng.normal(size=len(df)), index=df.index)",
    "rng = np.random.default_rng(0)\nresult = df * 0 + rng.normal(size=df.shape)",
    "t = np.arange(len(df))\nresult = pd.Series(5 + 3 * np.sin(t / 10), index=df.index)",
    "t = (df.index - df.index[0]).total_seconds()\nresult = pd.Series(np.cos(t), index=df.index)",
    "result = pd.DataFrame({'B': [1.0, 2.0]}, index=pd.to_datetime(['2024-01-01', '2024-01-02']))",
    "if len(df) > 3:\n    y = 5\nelse:\n    y = 6\nresult = pd.Series(y, index=df.index)",
    "x = df['Bx']\nx = 5.0\nresult = pd.Series(x, index=df.index)",
    "df = pd.DataFrame({'a': np.ones(3)})\nresult = df * 2",
    "result = df.assign(a=5.0)[['a']]",
    "df['a'] = 5.0\nresult = df[['a']]",
    "df['a'] = 5.0\nresult = df['a'].rolling(3).mean()",
    "a = df.to_numpy().copy()\na.fill(5)\nresult = pd.DataFrame(a, index=df.index)",
    "result = df_C * 0 + 5",
    "result = df.copy()\nfor i in range(len(df)):\n    result.iloc[i] = 5.0",
    (
        "out = np.zeros(len(df))\n"
        "for i in range(len(df)):\n"
        "    out[i] = np.sin(i)\n"
        "result = pd.Series(out, index=df.index)"
    ),
    "result = np.zeros_like(df).astype(float) + 5",
    "result = df.to_frame('a').assign(a=lambda d: 5.0)['a']",
]
DOUBTFUL = [
    "result = df.fillna(0)",
    "result = df.fillna(value=5)",
    "df.fillna(5, inplace=True)\nresult = df",
    "result = df.copy()\nresult['Bx'] = 5",
    "result = df.copy()\nresult.loc[result['Bx'] > 3, 'Bx'] = 3",
    "result = df.where(df > 0, 5)",
    "result = df.mask(df < 0, 0)",
    "result = pd.Series(np.where(df['Bx'] > -1e30, 5, 3), index=df.index)",
    "result = pd.Series(np.where(df['Bx'] > -1e30, 5, df['Bx']), index=df.index)",
    "rng = np.random.default_rng(0)\nresult = df + rng.normal(size=df.shape)",
    "result = df.notna() * 5",
    "result = pd.DataFrame({'B': df['Bx'], 'limit': 5.0}, index=df.index)",
    "result = pd.concat([df, pd.Series(5.0, index=df.index)], axis=1)",
    "result = pd.Series(1.0, index=df.index[df['Bz'] < -10])",
    "result = pd.Series(np.nan_to_num(df['Bx']), index=df.index)",
    "if df['Bx'].mean() > 0:\n    result = df\nelse:\n    result = df * 0 + 5",
    "result = df.replace(-1e31, 0)",
    "a = df.values\na[:] = 5\nresult = df",
    "a = df\na['Bx'] = 5\nresult = df",
    "a = df.to_numpy()\na.fill(5)\nresult = df",
    (
        "x = df['Bx'].values.copy()\n"
        "for i in range(len(x)):\n"
        "    if x[i] > 5:\n"
        "        x[i] = 5.0\n"
        "result = pd.Series(x, index=df.index)"
    ),
    "result = df.assign(limit=5.0)",
    "def f(x):\n    if x > 5:\n        return 1.0\n    return 0.0\nresult = df['Bx'].map(f)",
]
MEASURED = [
    "result = df",
    "result = df.rolling('10min', center=True).mean()",
    "result = df * 2 + 5",
    "result = df - df.mean()",
    "result = (df - df.min()) / (df.max() - df.min())",
    "result = df['Bx'] - df['By']",
    "result = np.sqrt((df ** 2).sum(axis=1))",
    "result = pd.DataFrame({'mag': np.linalg.norm(df.values, axis=1)}, index=df.index)",
    "result = df.resample('1h').mean()",
    "result = df[df['Bx'].notna()]",
    "result = df.dropna()",
    "result = df.where(df > -1e30)",
    "result = df.where(df > -1e30, np.nan)",
    "result = df.copy()\nresult[result > 1e3] = np.nan",
    "result = df.copy()\nresult.loc[result['Bx'] > 1e3, 'Bx'] = np.nan",
    "result = df.rename(columns={'Bx': 'B'})",
    "result = df.interpolate('time')",
    "result = df.apply(lambda x: x - x.mean())",
    "def f(x):\n    y = x ** 2\n    return y.sum()\nresult = df.rolling('5min').apply(f)",
    "out = pd.DataFrame(index=df.index)\nout['P'] = df['Bx'] ** 2 / (2 * 4e-7 * np.pi)\nresult = out",
    "out = []\nfor v in df['Bx']:\n    out.append(v * 2)\nresult = pd.Series(out, index=df.index)",
    (
        "f, t, s = signal.spectrogram(df['Bx'].values, fs=1.0)\n"
        "result = pd.DataFrame(s.T, index=df.index[:len(t)], columns=f)"
    ),
    "cols = ['Bx', 'By']\nresult = df[cols].sum(axis=1)",
    "result = np.degrees(np.arctan2(df['By'], df['Bz'])).to_frame('clock')",
    "b = np.hypot(df['Bx'], df['By'])\nresult = pd.Series(b, index=df.index, name='Bt')",
    (
        "theta = 0.5\n"
        "r = np.array([[np.cos(theta), 0.0], [0.0, 1.0]])\n"
        "result = pd.DataFrame(df[['Bx', 'By']].values @ r, index=df.index)"
    ),
    "result = df.clip(lower=0)",
    "result = df - df.astype(int)",
    "result = df - df.shift(1)",
    "result = df - df.T",
    "result = df.copy()\nresult['Bt'] = np.hypot(df['Bx'], df['By'])",
    (
        "x = df['Bx'].to_numpy()\n"
        "x = np.where(np.abs(x) > 1e3, np.nan, x)\n"
        "result = pd.Series(x, index=df.index)"
    ),
    "result = df.diff() / df.index.to_series().diff().dt.total_seconds().values[:, None]",
    "k = 1.6726e-6\nresult = (k * df['Np'] * df['V'] ** 2).rename('Pdyn')",
    "out = df.copy()\nfor c in df.columns:\n    out[c] = df[c].rolling(5).median()\nresult = out",
    "result = pd.concat([df['Bx'], df['By']], axis=1)",
    "if len(df) > 10:\n    result = df.rolling(5).mean()\nelse:\n    result = df",
    "result = df.map(lambda v: np.nan if v < -1e30 else v)",
    (
        "a = df.values\n"
        "out = np.zeros(len(a))\n"
        "for i in range(len(a)):\n"
        "    out[i] = a[i].sum()\n"
        "result = pd.Series(out, index=df.index)"
    ),
    "result = df.iloc[1:] - df.iloc[:-1].values",
    "result = (df > 5).astype(float)",
]


@in_one_test("code", WRITTEN)
def test_numbers_that_no_table_gave(code: str) -> None:
    assert number_sources(code, ("df",)).names == frozenset(), code


@in_one_test("code", DOUBTFUL)
def test_numbers_that_may_be_the_author_s(code: str) -> None:
    found = number_sources(code, ("df",))
    assert found.names == {"df"}, code
    assert found.doubtful, code


@in_one_test("code", MEASURED)
def test_numbers_of_the_table(code: str) -> None:
    found = number_sources(code, ("df",))
    assert found.names == {"df"}, code
    assert not found.doubtful, code


def test_only_the_tables_count_whose_values_go_in() -> None:
    inputs = ("df", "df_B", "df_limit")
    assert number_sources("result = df_limit * 2", inputs).names == {"df_limit"}
    assert number_sources("result = df_B * 0 + df_limit", inputs).names == {"df_limit"}
    assert number_sources("result = df_B - df_limit", inputs).names == {"df_B", "df_limit"}


def test_code_too_deep_to_follow_is_doubtful() -> None:
    assert number_sources("result = " + "-" * 3000 + "df", ("df",)).doubtful


@pytest.mark.parametrize("code", ["result = (", "x = df"])
def test_code_that_gives_no_result_is_left_to_those_who_refuse_it(code: str) -> None:
    assert number_sources(code, ("df",)) == NumberSources(frozenset({"df"}), doubtful=False)
