"""Code in templates: what the allow-list refuses, and what it has to let through."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio.steps.sandbox.allow_list import DEEPEST, LONGEST, MOST_NODES, assigns_result, input_names, refusals

from .conftest import ATTACKS, LEGITIMATE

LEFT_TO_THE_JAIL = {"html_column_name"}
"""What only a look at the result can tell: a column's name is a text like any other."""
STOPPED_BY_LIMITS = {"resource", "output"}
"""Categories in further files that a limit, or a look at the result, may have to stop."""


@pytest.mark.parametrize(("ours", "attack"), ATTACKS, ids=[one["name"] for _, one in ATTACKS])
def test_an_attack_is_refused(ours: bool, attack: dict[str, Any]):
    refused = refusals(attack["code"])
    if ours:
        assert bool(refused) is (attack["name"] not in LEFT_TO_THE_JAIL)
    elif attack["category"] not in STOPPED_BY_LIMITS:
        assert refused


@pytest.mark.parametrize("code", [one for _, one in LEGITIMATE])
def test_ordinary_operations_pass(code: str):
    assert [str(one) for one in refusals(code)] == []
    assert assigns_result(code)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import os; result = df", "an import is not allowed"),
        ("open('x'); result = df", "the name open is not known here"),
        ("result = df.__class__", "the attribute __class__ starts with an underscore"),
        ("result = eval('1')", "the name eval is not known here"),
        ("while True: pass\nresult = df", "a while loop is not allowed"),
        ("class A: pass\nresult = df", "a class is not allowed"),
        ("try:\n  result = df\nexcept ValueError:\n  pass", "a try statement is not allowed"),
        ("result = (x := df)", "an assignment inside an expression is not allowed"),
        ("async def f(): pass\nresult = df", "asynchronous code is not allowed"),
        ("def f():\n  global df\nresult = df", "a global statement is not allowed"),
        ("@f\ndef g(): return 1\nresult = df", "a decorator is not allowed"),
        ("_x = 1\nresult = df", "the name _x starts with an underscore"),
        ("df.attrs = {}\nresult = df", "the attribute attrs cannot be set"),
        ("pd.DataFrame.mean = 1\nresult = df", "the attribute mean cannot be set"),
        ("x = np.linalg\nresult = df", "the module np.linalg is no value"),
        ("x = pd\nresult = df", "the module pd is no value"),
        ("pd = 1\nresult = df", "pd cannot be given another meaning"),
        ("result = df.apply('to_csv')", "'to_csv' is not a reduction on the list"),
        ("m = 'to_' + 'csv'\nresult = df.apply(m)", "what is called must be a name on the list"),
        ("result = df.agg(**{'x': 'to_csv'})", "* and ** hide what is called"),
        ("result = df.pipe((df.to_csv, 'p'))", "the method to_csv is not on the list"),
        ("result = df.pivot_table(aggfunc='to_csv')", "'to_csv' is not a reduction on the list"),
        ("with open('x') as f: pass\nresult = df", "a with statement is np.errstate"),
        ("with np.errstate(all='ignore') as e: pass\nresult = df", "a with statement is np.errstate"),
        ("def f(n): return f(n + 1)\nresult = df", "the function f calls itself"),
        ("f = lambda n: g(n)\ng = lambda n: f(n)\nresult = df", "calls itself"),
        ("x = np.zeros((10**5, 10**5)); result = df", "so large an array is not allowed"),
        ("x = 9**9**9**9; result = df", "power"),
        ("x = 'a' * 10**10; result = df", "so many repetitions are not allowed"),
        ("for i in range(10**12): pass\nresult = df", "so large an array is not allowed"),
        ("x = 1 << 10**9\nresult = df", "so wide a shift is not allowed"),
        ("x = pd.Timestamp('now'); result = df", "asks the clock"),
        ("x = np.random.default_rng(); result = df", "random numbers need a seed"),
        ("result = df.sample(3)", "a random sample needs a seed"),
        ("result = df.rolling(3).mean(engine='numba')", "the argument engine is not allowed"),
        ("result = f'{df.__class__}'", "the attribute __class__ starts with an underscore"),
        ("result = df if", "not Python"),
        ("raise SystemExit", "only ValueError"),
    ],
)
def test_what_is_refused_is_named(code: str, message: str):
    assert any(message in str(one) for one in refusals(code)), [str(one) for one in refusals(code)]


@pytest.mark.parametrize(
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
    assert [str(one) for one in refusals(code, inputs)] == []


def test_a_name_is_in_scope_only_when_its_table_is_given():
    assert refusals("result = df_B", input_names(["X.B"])) == []
    assert refusals("result = df_C", input_names(["X.B"])) != []
    assert refusals("result = df_C", input_names(["X.B"]), any_input=True) == []
    assert refusals("result = df", input_names([])) != []


@pytest.mark.parametrize(
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


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_exception(code: str):
    assert isinstance(refusals(code), list)
    assert isinstance(assigns_result(code), bool)


@pytest.mark.parametrize(
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


@settings(max_examples=300, deadline=None)
@given(_ARITHMETIC)
def test_any_arithmetic_is_read_without_an_exception(code: str):
    assert isinstance(refusals(f"result = {code}"), list)
