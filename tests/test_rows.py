"""Rows that are tried together are reported one by one."""

from pathlib import Path

import pytest

from tests.rows import in_one_test, try_rows


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


@in_one_test(("first", "second"), [(1, 2), (3, 4)])
def test_rows_share_the_fixtures_of_their_test(tmp_path: Path, first: int, second: int):
    (tmp_path / str(first)).touch()
    assert len(list(tmp_path.iterdir())) == second / 2


@in_one_test("number", [1, 2, 3, 4])
def fails_for_odd_numbers(number: int) -> None:
    assert number % 2 == 0


@in_one_test("number", [1])
def skips(number: int) -> None:
    pytest.skip(f"{number}")


def test_a_decorated_test_reports_every_row_that_fails():
    with pytest.raises(pytest.fail.Exception, match=r"(?s)2 of 4 rows fail:\n1: .*\n3: "):
        fails_for_odd_numbers()
    with pytest.raises(pytest.fail.Exception, match="1 of 1 rows fail"):
        skips()
