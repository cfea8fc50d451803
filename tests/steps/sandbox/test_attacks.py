"""Attacks on the sandbox: through the tool, and on the jail alone, as if there were no allow-list."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from helio.errors import BadResult, CodeFailed, CodeRefused, StepError
from helio.steps.compute.custom_operation import custom_operation
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Code
from helio.steps.tool import LabelledTable

from .conftest import ATTACKS, LEGITIMATE, SECRET, Outside, field

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
ON_OUR_OWN = [
    ("a file through builtins", "pd.compat.sys.modules['builtins'].open('{SECRET_FILE}').read()"),
    ("a file through os", "os = pd.io.common.os\nos.open('{OUTSIDE_DIR}/out/a', os.O_CREAT | os.O_WRONLY)"),
    ("a file that is there", "os = pd.io.common.os\nos.read(os.open('{SECRET_FILE}', os.O_RDONLY), 99)"),
    ("a folder", "result = df.rename(columns={'x': pd.io.common.os.listdir('/')[0]})"),
    ("what a file is", "pd.io.common.os.stat('{SECRET_FILE}')"),
    ("another program", "pd.io.common.os.execv('/bin/sh', ['sh', '-c', 'touch {OUTSIDE_DIR}/out/b'])"),
    ("another process", "pd.io.common.os.fork()"),
    ("a thread", "pd.compat.sys.modules['_thread'].start_new_thread(len, ((),))"),
    ("the parent", "pd.io.common.os.kill(pd.io.common.os.getppid(), 9)"),
    ("everybody", "pd.io.common.os.kill(-1, 9)"),
    ("a server", "s = pd.compat.sys.modules['socket']\ns.create_connection(('127.0.0.1', 5997))"),
    ("a local socket", "s = pd.compat.sys.modules['socket']\ns.socketpair()"),
    ("random numbers", "pd.io.common.os.urandom(8)"),
    ("executable memory", "m = pd.compat.sys.modules['mmap']\nm.mmap(-1, 4096, prot=7)"),
    ("its own limits", "r = pd.compat.sys.modules['resource']\nr.setrlimit(r.RLIMIT_AS, (-1, -1))"),
    ("more rights", "pd.io.common.os.setuid(0)"),
    ("a signal handler", "s = pd.compat.sys.modules['signal']\ns.signal(s.SIGXCPU, s.SIG_IGN)"),
    ("a sleep", "pd.compat.sys.modules['time'].sleep(30)"),
    ("files of the parent", "[pd.io.common.os.read(n, 1) for n in range(6, 64)]"),
]
"""Each has to fail where it stands: the jail refuses it, and says so."""
REFUSED = ("Operation not permitted", "can't start new thread", "Bad file descriptor", "not allowed to raise")


def goes_on(jail: Jail) -> None:
    """Whether an operation gives what it always does."""
    given = field(100)
    returned = jail.run("result = df.mean(axis=1).to_frame('m')", [("B", given)])
    assert returned.values is not None
    np.testing.assert_array_equal(returned.values[:, 0], given.values.mean(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "attack"), ATTACKS, ids=[entry["name"] for _, entry in ATTACKS])
def test_an_attack_without_an_allow_list_before_it_reaches_nothing(
    ours: bool, attack: dict[str, Any], jail: Jail, outside: Outside
):
    try:
        told = repr(jail.run(outside.filled_in(attack["code"]), [("B", field(500))]))
    except (CodeFailed, BadResult) as error:
        told = str(error)
    assert SECRET not in told
    assert outside.touched() == []
    goes_on(jail)


@pytest.mark.parametrize(("ours", "attack"), ATTACKS, ids=[entry["name"] for _, entry in ATTACKS])
def test_an_attack_on_the_tool_is_a_typed_error(
    ours: bool, attack: dict[str, Any], jail: Jail, outside: Outside
):
    code = Code(outside.filled_in(attack["code"]))
    sources = [LabelledTable("ACE.B", field(500))]
    if ours:
        with pytest.raises((CodeRefused, CodeFailed, BadResult)):
            custom_operation(jail, sources, pandas_code=code)
        return
    try:  # of further ones, some may do what everybody may
        told = repr(custom_operation(jail, sources, pandas_code=code).columns())
    except (CodeRefused, CodeFailed, BadResult) as error:
        told = str(error)
    assert SECRET not in told
    assert outside.touched() == []
    goes_on(jail)


@pytest.mark.parametrize(("after", "code"), ON_OUR_OWN, ids=[name for name, _ in ON_OUR_OWN])
def test_what_code_is_after_is_refused_by_the_kernel(after: str, code: str, jail: Jail, outside: Outside):
    with pytest.raises(CodeFailed) as caught:
        jail.run(f"{outside.filled_in(code)}\nresult = df", [("B", field(100))])
    assert any(message in str(caught.value) for message in REFUSED)
    assert outside.touched() == []


@pytest.mark.parametrize("code", [program for _, program in LEGITIMATE])
def test_ordinary_operations_run(code: str, jail: Jail):
    given = LabelledTable("ACE.B", field())
    try:
        table = custom_operation(jail, [given], pandas_code=Code(code))
    except BadResult as error:
        assert "time index" in error.message  # of those that reduce time away, and of no other
        assert "hour" in code or "df.max()" in code
    else:
        assert 0 < len(table) <= 7201


@pytest.mark.parametrize(
    "code",
    [
        "x = np.ones((300, 300)) @ np.ones((300, 300))",
        "x = np.linalg.svd(df.dropna().values)",
        "x = np.linalg.inv(np.eye(200))",
        "x = np.linalg.eigh(np.cov(np.random.default_rng(1).normal(size=(200, 400))))",
        "x = np.linalg.lstsq(df.dropna().values, df.dropna()['x'].values)",
    ],
)
def test_linear_algebra_that_would_take_threads_does_without(code: str, jail: Jail):
    assert jail.run(f"{code}\nresult = df", [("B", field(300))]).kind == "frame"


def test_nothing_of_an_operation_is_there_for_the_next(jail: Jail):
    given = [("B", field(10))]
    jail.run("pd.leftover = 1\nnp.pi = 3\npd.DataFrame.mean = None\nresult = df", given)
    returned = jail.run("result = df * np.pi", given)
    assert returned.values is not None
    np.testing.assert_allclose(returned.values, field(10).values * np.pi)
    with pytest.raises(CodeFailed, match="AttributeError"):
        jail.run("result = df * pd.leftover", given)
    goes_on(jail)


def test_what_goes_in_cannot_be_changed(jail: Jail):
    given = field(10)
    before = given.values.copy()
    jail.run("df['x'] = 0.0\ndf.iloc[:, 1] = 1.0\nresult = df", [("B", given)])
    np.testing.assert_array_equal(given.values, before)


def test_the_same_operation_gives_the_same_numbers(jail: Jail):
    code = "result = df + np.random.default_rng(7).normal(size=df.shape)"
    first, second = (jail.run(code, [("B", field(50))]).values for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.tobytes() == second.tobytes()


def test_a_refused_program_is_not_run(jail: Jail):
    with pytest.raises(CodeRefused) as caught:
        custom_operation(jail, [], pandas_code=Code("import os\nresult = open('x')"))
    assert (
        "line 1: an import is not allowed (only pd, np, xr, signal and pywt can be used, without an import)"
        in caught.value.message
    )
    assert "; line 2: the name open is not defined" in caught.value.message


def test_two_tables_of_one_name_are_refused(jail: Jail):
    sources = [LabelledTable("A.B", field(5)), LabelledTable("C.B", field(5))]
    with pytest.raises(StepError, match=r"'A\.B' and 'C\.B' would both be df_B"):
        custom_operation(jail, sources, pandas_code=Code("result = df"))
