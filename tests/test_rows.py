"""Rows that are tried together are reported one by one."""

import pytest

from tests.rows import try_rows


def is_even(number: int) -> None:
    if number == 0:
        with pytest.raises(ZeroDivisionError):
            pass
    assert number % 2 == 0


def test_every_row_that_fails_is_reported():
    with pytest.raises(pytest.fail.Exception) as failure:
        try_rows([("none", 0), ("one", 1), ("two", 2), ("three", 3)], is_even)
    first, *others = str(failure.value).splitlines()
    assert first == "3 of 4 rows fail:"
    names = [line.split(":")[0] for line in others if ":" in line]
    assert [name for name in names if name in ("none", "one", "two", "three")] == ["none", "one", "three"]


def test_an_error_names_its_row():
    with pytest.raises(TypeError) as error:
        try_rows([("two", 2), ("a text", "x")], is_even)
    assert error.value.__notes__ == ["in the row a text"]


def test_no_rows_are_a_failure():
    with pytest.raises(AssertionError, match="there are no rows"):
        try_rows([], is_even)
