"""Code in templates: what the allow-list refuses, and what it has to let through."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import pywt
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal

from helio.steps.sandbox.allow_list import (
    DEEPEST,
    LONGEST,
    METHODS,
    MOST_NODES,
    assigns_result,
    input_names,
    refusals,
)
from tests.laws import law
from tests.rows import in_one_test

from .conftest import ATTACKS, LEGITIMATE

LEFT_TO_THE_JAIL = {"html_column_name"}
"""What only a look at the result can tell: a column's name is a text like any other."""
STOPPED_BY_LIMITS = {"resource", "output"}
"""Categories in further files that a limit, or a look at the result, may have to stop."""


@in_one_test(("ours", "attack"), ATTACKS)
def test_an_attack_is_refused(ours: bool, attack: dict[str, Any]):
    refused = refusals(attack["code"])
    if ours:
        assert bool(refused) is (attack["name"] not in LEFT_TO_THE_JAIL)
    elif attack["category"] not in STOPPED_BY_LIMITS:
        assert refused


@in_one_test("code", [program for _, program in LEGITIMATE])
def test_ordinary_operations_pass(code: str):
    assert [str(refusal) for refusal in refusals(code)] == []
    assert assigns_result(code)


@in_one_test(
    ("code", "message"),
    [
        ("import os; result = df", "an import is not allowed"),
        ("open('x'); result = df", "the name open is not defined"),
        ("result = df.__class__", ".__class__ is not allowed, because it starts with an underscore"),
        ("result = eval('1')", "the name eval is not defined"),
        ("while True: pass\nresult = df", "a while loop is not allowed"),
        ("class A: pass\nresult = df", "a class is not allowed"),
        ("try:\n  result = df\nexcept ValueError:\n  pass", "a try statement is not allowed"),
        ("result = (x := df)", "an assignment inside an expression is not allowed"),
        ("async def f(): pass\nresult = df", "asynchronous code is not allowed"),
        ("def f():\n  global df\nresult = df", "a global statement is not allowed"),
        ("@f\ndef g(): return 1\nresult = df", "a decorator is not allowed"),
        ("_x = 1\nresult = df", "the name _x is not allowed, because it starts with an underscore"),
        ("df.attrs = {}\nresult = df", "the attribute attrs cannot be set"),
        ("pd.DataFrame.mean = 1\nresult = df", "the attribute mean cannot be set"),
        ("x = np.linalg\nresult = df", "the module np.linalg cannot be used as a value"),
        ("x = pd\nresult = df", "the module pd cannot be used as a value"),
        ("pd = 1\nresult = df", "pd is reserved and cannot be assigned"),
        ("result = df.apply('to_csv')", "'to_csv' is not an allowed reduction"),
        ("m = 'to_' + 'csv'\nresult = df.apply(m)", "only the name of an allowed reduction"),
        ("result = df.agg(**{'x': 'to_csv'})", "* and ** hide which function is called"),
        ("result = df.pipe((df.to_csv, 'p'))", "the attribute to_csv is not allowed"),
        ("result = df.pivot_table(aggfunc='to_csv')", "'to_csv' is not an allowed reduction"),
        ("with open('x') as f: pass\nresult = df", "a with statement may only use np.errstate"),
        (
            "with np.errstate(all='ignore') as e: pass\nresult = df",
            "a with statement may only use np.errstate",
        ),
        ("def f(n): return f(n + 1)\nresult = df", "the function f calls itself"),
        ("f = lambda n: g(n)\ng = lambda n: f(n)\nresult = df", "calls itself"),
        ("x = np.zeros((10**5, 10**5)); result = df", "this array is too large"),
        ("x = 9**9**9**9; result = df", "exponent"),
        ("x = 'a' * 10**10; result = df", "this repetition is too long"),
        ("for i in range(10**12): pass\nresult = df", "this array is too large"),
        ("x = 1 << 10**9\nresult = df", "this shift is too wide"),
        ("x = pd.Timestamp('now'); result = df", "reads the clock"),
        ("x = np.random.default_rng(); result = df", "random numbers need a seed"),
        ("result = df.sample(3)", "a random sample needs a seed"),
        ("result = df.rolling(3).mean(engine='numba')", "the argument engine is not allowed"),
        ("result = f'{df.__class__}'", ".__class__ is not allowed, because it starts with an underscore"),
        ("result = df if", "not valid Python"),
        ("raise SystemExit", "raise may only raise ValueError"),
    ],
)
def test_what_is_refused_is_named(code: str, message: str):
    assert any(message in str(refusal) for refusal in refusals(code)), [
        str(refusal) for refusal in refusals(code)
    ]


@in_one_test(
    "code",
    [
        "with np.errstate(divide='ignore', invalid='ignore'):\n    result = df / df.shift()",
        "if len(df) < 2:\n    raise ValueError('too short')\nresult = df",
        "result = df.groupby(df.index.hour).agg(x=('Bx', 'mean'), y=('By', 'std'))",
        "result = df.apply(lambda c: c - c.mean())",
        "result = df.apply(np.log10)",
        "rng = np.random.default_rng(1)\nresult = df + rng.normal(size=df.shape)",
        "result = pd.DataFrame.from_dict({'a': [1]})",
        "b, a = signal.butter(3, 0.1)\nresult = df.apply(lambda c: signal.filtfilt(b, a, c))",
        "c = pywt.wavedec(df['x'].values, 'db4')\nresult = df",
        "del df['x']\nresult = df",
        "result = df_BGSEc.join(df_ACE_Bmag)",
        "result = df.copy()\nresult.columns = ['a']\nresult.index.name = 'epoch'",
    ],
)
def test_what_a_heliophysicist_writes_passes(code: str):
    inputs = input_names(["AC_H2_MFI.BGSEc", "ACE_Bmag"])
    assert [str(refusal) for refusal in refusals(code, inputs)] == []


def test_a_name_is_in_scope_only_when_its_table_is_given():
    assert refusals("result = df_B", input_names(["X.B"])) == []
    assert refusals("result = df_C", input_names(["X.B"])) != []
    assert refusals("result = df_C", input_names(["X.B"]), any_input=True) == []
    assert refusals("result = df", input_names([])) != []


@in_one_test(
    ("code", "assigned"),
    [
        ("result = df", True),
        ("if len(df):\n    result = df\nelse:\n    result = df", True),
        ("x, result = 1, df", True),
        ("with np.errstate(all='ignore'):\n    result = df", True),
        ("x = df.abs()", False),
        ("def f():\n    result = df\nf()", False),
        ("[result for result in df]", False),
        ("...", False),
        ("", False),
    ],
)
def test_result_has_to_be_assigned_outside_of_functions(code: str, assigned: bool):
    assert assigns_result(code) is assigned


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\n" * LONGEST,
        "x = " + "[" * (DEEPEST + 40) + "]" * (DEEPEST + 40),
        "x = " + "-" * 15_000 + "1",
        "x = " + "+".join("1" * 8_000),
        "\n".join(["x = 1"] * MOST_NODES),
    ],
    ids=["long", "deep", "chain", "sum", "many"],
)
def test_size_is_looked_at_before_anything_else(code: str):
    [found] = refusals(code)
    assert found.message


@pytest.mark.filterwarnings("default")
def test_remarks_on_the_style_of_code_are_nobody_s_concern(recwarn: pytest.WarningsRecorder):
    assert refusals("x = 1if len(df) else 2\ny = 'a\\d'\nresult = df") == []
    assert list(recwarn) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "chain",
    [
        "\n".join(f"a{n + 1} = a{n}" for n in range(600)),
        "\n".join(f"a{n + 1} = [a{n}, a{n}]" for n in range(400)),
        "\n".join(f"a{n + 1} = a{n} + a{n}" for n in range(400)),
        "a600 = a0\na0 = a600",
    ],
)
@pytest.mark.parametrize("first", ["'now' + 'here'", "'2024-05-10'", "df.index[0]", "[]"])
def test_a_text_is_followed_through_names_without_end(chain: str, first: str):
    last = chain.count("\n") + 1
    for use in (
        f"pd.Timestamp(a{last})",
        f"df.index < a{last}",
        f"pd.to_datetime([a{last}], origin=a{last})",
    ):
        assert isinstance(refusals(f"a0 = {first}\na2 = a0\n{chain}\nresult = {use}"), list)


@law(80, 4000)
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_exception(code: str):
    assert isinstance(refusals(code), list)
    assert isinstance(assigns_result(code), bool)


@in_one_test(
    ("code", "refused"),
    [
        ("x = 2 ** ((-1)**0.5)", True),
        ("x = [1] * ((-1)**0.5)", False),
        ("x = 1 << ((-1)**0.5)", True),
        ("x = np.zeros(4294967296**33)", True),
        ("x = range(4294967296**40)", True),
        ("x = 3 ** (4294967296**33)", True),
        ("x = np.zeros((4294967296**33, 1e308 * 10))", True),
        ("x = [0] * (2**60 * 2**60 * 2**60)", True),
    ],
)
def test_numbers_that_are_complex_or_huge_do_not_break_the_reader(code: str, refused: bool):
    assert bool(refusals(f"{code}\nresult = df")) is refused


_NUMBERS = st.sampled_from(
    ["0", "-1", "0.5", "2", "64", "1e308", "4294967296", "10**18", "True", "1j", "'a'", "[1]", "df"]
)
_ARITHMETIC = st.recursive(
    _NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "**", "<<", "%"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
        | inner.map(lambda one: f"(-{one})")
        | inner.map(lambda one: f"np.zeros(({one}, 2))")
        | inner.map(lambda one: f"range({one})")
    ),
    max_leaves=8,
)


@pytest.mark.slow
@law(120, 6000)
@given(_ARITHMETIC)
def test_any_arithmetic_is_read_without_an_exception(code: str):
    assert isinstance(refusals(f"result = {code}"), list)


CALLED_ELSEWHERE = [
    "m = df.agg\nx = m('eval', expr='@k', local_dict={})",
    "x = pd.DataFrame.agg(df, 'eval', expr='1')",
    "x = pd.Series.agg(df['x'], 'to_csv')",
    "x = list(map(df.agg, ['to_csv']))",
    "[df.apply][0]('to_csv')",
    "m = df.apply\nm('to_pickle', args=('/tmp/x',))",
    "x = df.pivot_table('x', df.index.hour, None, '__class__')",
    "x = df.pivot_table(*['x', 'y', None, 'to_csv'])",
    "x = df.pivot_table(**{'aggfunc': 'to_csv'})",
    "x = df.rolling(3).mean(**{'engine': 'numba'})",
    "m = df.pivot_table\nm('x', aggfunc='to_csv')",
    "D = pd.DataFrame\nD.agg(lambda d: d, 'eval')",
    "x = [one.agg(lambda d: d, 'to_csv') for one in [pd.DataFrame]]",
    "m = df.sample\nx = m(5)",
    "x = pd.DataFrame.sample(df, 5)",
    "m = np.random.default_rng\nx = m()",
    "x = list(map(np.random.default_rng, [None]))",
    "m = np.zeros\nx = m(10**12)",
    "x = np.zeros(*[10**12])",
    "x = list(map(np.ones, [10**12]))",
    "m = df.groupby('x').transform\nx = m('to_csv')",
    "x = df.transform\ny = x('to_csv')",
    "f = lambda d: d.pipe\nx = f(df)(len)",
]


@in_one_test("code", CALLED_ELSEWHERE)
def test_what_is_looked_at_when_it_is_called_is_called_where_it_is_named(code: str):
    assert refusals(f"{code}\nresult = df") != []


ASKS_THE_CLOCK = [
    "x = pd.Timestamp('12:00').day",
    "x = pd.to_datetime('10:30')",
    "x = pd.DatetimeIndex(['12:00'])",
    "x = pd.date_range('00:00', periods=3, freq='h')",
    "x = df[df.index < '12:00']",
    "x = df.truncate(before='12:00')",
    "x = df.loc['12:00':]",
    "t = '12:00'\nx = df.between_time(t, '13:00')\ny = df[df.index > t]",
    "x = pd.Timestamp('no' + 'w').value",
    "x = pd.Timestamp(f\"{'n'}ow\")",
    "x = pd.Timestamp('xnow'[1:])",
    "x = pd.Timestamp('won'[::-1])",
    "x = pd.Timestamp('NO'.lower() + 'w')",
    "x = pd.Timestamp(''.join(['n', 'o', 'w']))",
    "x = pd.Timestamp(str('n') + 'ow')",
    "a = 'no'\nb = a + 'w'\nx = pd.to_datetime([b])",
    "x = [pd.Timestamp(t + 'w') for t in ['no']]",
    "x = np.datetime64('no' + 'w')",
    "x = np.array(['no' + 'w']).astype('M8[s]')",
    "x = np.array(['no' + 'w'], dtype='datetime64[s]')",
    "x = pd.Series(['no' + 'w'], dtype='datetime64[ns]')",
    "x = pd.Series(['no' + 'w']).astype(np.datetime64)",
    "x = list(map(pd.Timestamp, ['no' + 'w']))",
    "m = pd.Timestamp\nx = m('no' + 'w')",
    "x = df.resample('1h', origin='no' + 'w').mean()",
    "x = df[df.index < 'no' + 'w']",
    "x = pd.Timestamp('10 May')",
    "x = pd.to_datetime('May', errors='coerce')",
    "x = pd.Timestamp('12:00 2024')",
    "x = pd.to_datetime(['no' + 'w'], format='mixed')",
    "x = df.between_time(pd.Timestamp('12:00').time(), '13:00')",
    "x = pd.Timedelta(len(df[df.index < '12:00']), 's')",
    "x = '2024' + str(df.index < '12:00')",
    "x = df[(df.index < '12:00') & (df.index.strftime('%H') == '12')]",
    "x = (lambda t='12:00': df[df.index < t])()",
]


@in_one_test("code", ASKS_THE_CLOCK)
def test_a_time_without_a_date_is_refused_for_it_would_be_today_s(code: str):
    assert refusals(f"{code}\nresult = df") != []


@in_one_test(
    "code",
    [
        "result = df.between_time('10:00', '12:30')",
        "start, stop = '22:00', '02:00'\nresult = df.between_time(start, stop)",
        "result = df.at_time('12:00')",
        "result = df[df.index.strftime('%H:%M') == '12:00']",
        "result = df[df.index.strftime('%H:%M').isin(['12:00', '13:00'])]",
        "result = df.reindex(pd.to_datetime(['2024-05-10 ' + t for t in ['12:00', '13:00']]))",
        "result = df.shift(1) - df.rolling(pd.Timedelta('00:05:00')).mean()",
        "result = df.loc['2024-05-10 12:00':'2024-05-10 13:00']",
        "result = df[(df.index >= '2024-05-10T12:00') & (df.index < pd.Timestamp('2024-05-11'))]",
        "day = '2024-05-10'\nresult = df[df.index > day + ' 12:00']",
        "day = '2024-05-10'\nresult = df[df.index > pd.Timestamp(f'{day} 12:00')]",
        "idx = pd.to_datetime([f'2024-05-{d:02d}' for d in range(10, 13)])\nresult = df.reindex(idx)",
        "t = pd.to_datetime((df['x'] * 1000).astype(int).astype(str), format='%Y%j')\nresult = df.set_index(t)",
        "how = '%d/%m/%y'\nresult = df.reindex(pd.to_datetime(['10/05/24'], format=how))",
        "t0 = df.index[0]\nresult = df[df.index > pd.Timestamp(t0) + pd.Timedelta('10min')]",
        "t = df.index.values.astype('datetime64[s]').astype(float)\nresult = df.assign(t=t)",
        "t = np.datetime64('2024-05-10') + np.arange(3) * np.timedelta64(1, 'h')\nresult = df.reindex(t)",
        "t = np.array(['2024-05-10', '2024-05-11'], dtype='datetime64[ns]')\nresult = df.reindex(t)",
        "events = [('2024-05-10', 'CME'), ('2024-05-11', 'HSS')]\n"
        "result = pd.DataFrame({'k': [1, 2]}, index=[pd.Timestamp(t) for t, kind in events])",
        "result = df.resample('1h', origin='start_day').mean()",
        "result = df.rename(columns={c: c + '_smooth' for c in df.columns})",
        "result = df.assign(**{'B mag': df['x'].abs()})",
        "result = df if isinstance(df, (pd.DataFrame, pd.Series)) else pd.DataFrame(df)",
        "x = df['x'].values\nresult = df.assign(r=np.divide(1, x, out=np.zeros_like(x), where=x != 0))",
        "result = df.assign(total=np.sum(df.values, axis=1, where=df.values > 0))",
        "result = df.pivot_table('x', df.index.floor('h'), None, 'mean')",
        "a = np.hypot(*df[['x', 'y']].values.T)\nresult = df.assign(a=a)",
        "result = np.sqrt(df.x**2 + df.y**2 + df.z**2).to_frame('B')",
        "df = df.rename(columns={'x': 'Bx'})\nresult = df[df.Bx > 0]",
        "result = df.apply(lambda row: row.x * row.y, axis=1).to_frame('xy')",
        "result = df.assign(B_mag=df.B_x, V1=df.V1)",
        "result = da.mean('dim1').where(da.dim1 > 3)",
    ],
)
def test_times_columns_and_arguments_of_every_day_pass(code: str):
    assert [str(refusal) for refusal in refusals(code, ("df", "da"))] == []


@pytest.mark.parametrize(
    "code", ["np.sqrt(v, where=v > 5)", "np.log(v, out=None, where=v > 0)", "f(v, where=v > 5)"]
)
def test_where_without_out_leaves_values_to_chance(code: str):
    [found] = refusals(f"v = df['x'].values\nf = np.sqrt\nresult = df.assign(a={code})")
    assert "leaves values undefined" in str(found)


@in_one_test(
    ("code", "advice"),
    [
        ("import numpy as np", "(np can be used without an import)"),
        ("from scipy import signal", "(signal can be used without an import)"),
        ("import os", "only pd, np, xr, signal and pywt can be used"),
        ("while len(df):\n    pass", "write a loop as for i in range(…)"),
        ("print(df)", "code cannot print"),
        ("x = df.query('z < 5')", "write a selection as df[df['x'] < 5]"),
        ("x = df.density", "(to select a column, write df['density'])"),
        ("df.density = 1", "(to set a column, write df['density'] = …)"),
        ("x = df['x'].map(pd.Timestamp)", "pd.Timestamp(…)"),
        ("x = '{}'.format(1)", "write f'{x:.2f}'"),
    ],
)
def test_a_refusal_says_what_to_write(code: str, advice: str):
    assert advice in "; ".join(map(str, refusals(f"{code}\nresult = df")))


def everything_in_scope() -> list[object]:
    """Values of every type that code can come by, and functions, generators, frames and modules beside."""
    frame = pd.DataFrame({"value": [1.0, 2.0]}, index=pd.date_range("2024-01-01", periods=2))
    column, text = frame["value"], pd.Series(["a"])
    array = xr.DataArray(frame.to_numpy(), dims=("time", "bin"), coords={"time": frame.index})
    made = (one for one in [1])
    return [
        *(
            frame,
            column,
            frame.index,
            text,
            text.str,
            frame.index.to_series().dt,
            pd.Index([1]),
            pd.Categorical(["a"]),
        ),
        *(
            pd.Series(pd.Categorical(["a"])).cat,
            frame.groupby("value"),
            column.groupby(column),
            frame.rolling(2),
        ),
        *(
            frame.groupby("value").rolling(2),
            frame.resample("1h"),
            frame.ewm(1),
            frame.expanding(),
            frame.loc,
        ),
        *(
            frame.iloc,
            frame.at,
            frame.index[0],
            pd.Timedelta("1s"),
            pd.NaT,
            pd.NA,
            pd.offsets.Hour(),
            pd.DateOffset(),
        ),
        *(
            pd.Grouper(),
            pd.MultiIndex.from_tuples([(1, 2)]),
            pd.Interval(0, 1),
            pd.interval_range(0, 2),
            column.array,
        ),
        *(
            frame.index.to_period("D"),
            frame.index[0].to_pydatetime(),
            frame.index.freq,
            pd.DataFrame,
            pd.Series,
        ),
        *(array, array.coords, array.indexes, array.time.dt, array.str, array.loc, array.rolling(time=2)),
        *(array.groupby("time"),),
        *(
            array.resample(time="1h"),
            array.coarsen(time=2),
            array.weighted(array),
            array.variable,
            xr.DataArray,
        ),
        *(
            np.zeros(2),
            np.float64(1),
            np.int64(1),
            np.bool_(1),
            np.dtype("f8"),
            np.datetime64("2024"),
            np.sqrt,
        ),
        *(np.poly1d([1]), np.vectorize(len), np.errstate(), np.random.default_rng(1), np.zeros(2).flat),
        *(
            np.random.default_rng(1).bit_generator,
            np.linalg.eigh(np.eye(2)),
            np.timedelta64(1),
            np.zeros(1, "M8[s]"),
        ),
        *(signal.ShortTimeFFT(np.ones(4), 2, 1.0), pywt.Wavelet("db4"), pywt.ContinuousWavelet("morl")),
        *(
            "",
            1,
            1.5,
            True,
            None,
            (),
            [],
            {},
            set(),
            range(1),
            slice(1),
            1j,
            b"",
            {}.items(),
            iter([]),
            zip(),
            map(len, []),
        ),
        *(
            made,
            len,
            "".join,
            lambda: 0,
            made.gi_code,
            sys._getframe(),
            ValueError(),
            StopIteration(),
            AttributeError(),
        ),
        *(type, object(), NameError(), KeyError()),
    ]


def test_no_attribute_of_anything_in_scope_reads_like_a_column():
    """Those that do give a number, a time or a table, and nothing that leads further."""
    found = {name for thing in everything_in_scope() for name in dir(thing) if not name.startswith("_")}
    code = {name: refusals(f"result = df.{name}") for name in sorted(found - METHODS)}
    read = {name for name, refused in code.items() if not refused}
    assert read <= HARMLESS, sorted(read - HARMLESS)


HARMLESS = {"asm8", "ax", "c", "fs", "group1d", "mT", "n", "o", "on", "r", "to_datetime64", "to_timedelta64"}
