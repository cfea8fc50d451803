"""Tables that are written out in a template."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from helio.errors import BadResult, CodeFailed, CodeRefused
from helio.steps.compute.store_dataframe import store_dataframe
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import Code
from helio.store.table import Table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")


@pytest.fixture(scope="module")
def jail() -> Iterator[Jail]:
    with Jail() as shared:
        yield shared


def made(jail: Jail, code: str, **others: Any) -> Table:
    return store_dataframe(jail, pandas_code=Code(code), **others)


@pytest.mark.slow
def test_a_range_of_dates_and_numbers_is_a_table(jail: Jail):
    table = made(
        jail,
        "i = pd.date_range('2024-01-01', periods=3, freq='D')\nresult = pd.DataFrame({'kp': [1, 2, 3]}, index=i)",
        description="Kp by hand",
    )
    assert table.epoch.tolist() == np.array(["2024-01-01", "2024-01-02", "2024-01-03"], "M8[ns]").tolist()
    assert (table.name, table.description, table.values.tolist()) == ("kp", "Kp by hand", [1, 2, 3])
    assert table.sources == ()
    assert table.notes == ()


def test_dates_as_texts_are_read(jail: Jail):
    code = (
        "t = pd.to_datetime(['2024-05-10T17:00', '2024-05-11T01:30'])\nresult = pd.Series([1.5, 2], index=t)"
    )
    assert str(made(jail, code).epoch[1]) == "2024-05-11T01:30:00.000000000"


def test_a_series_without_a_name_is_called_value(jail: Jail):
    code = "result = pd.Series([1.0, 2.0], index=pd.date_range('2024-01-01', periods=2))"
    assert made(jail, code).columns() == ["value"]


def test_numpy_is_in_scope(jail: Jail):
    code = "result = pd.Series(np.sin(np.arange(4.0)), index=pd.date_range('2024', periods=4, freq='h'), name='s')"
    np.testing.assert_allclose(made(jail, code, units="nT").values, np.sin(np.arange(4)))
    assert made(jail, code, units="nT").unit == "nT"


@pytest.mark.parametrize(
    ("code", "error", "said"),
    [
        ("x = pd.DataFrame({'a': [1]})", CodeFailed, "did not assign 'result'"),
        ("result = [1, 2]", BadResult, "has the type list"),
        ("result = pd.DataFrame({'a': [1, 2]})", BadResult, "has no time index"),
        ("result = pd.DataFrame({'a': [1]}, index=['2024-01-01'])", BadResult, "has no time index"),
        ("result = df", CodeRefused, "the name df is not defined"),
        (
            "result = pd.DataFrame({'class': ['X', 'M'], 'v': [1, 2]}, index=pd.date_range('2024', periods=2))",
            BadResult,
            "the column 'class' holds str, but a table can only hold numbers",
        ),
        ("result = pd.DataFrame({'a': 1 / 0})", CodeFailed, "ZeroDivisionError"),
    ],
)
def test_what_is_no_table_is_a_typed_error(code: str, error: type[Exception], said: str, jail: Jail):
    with pytest.raises(error) as caught:
        made(jail, code)
    assert said in str(caught.value)
