"""Try many rows of a table in one test: a test for each row costs more than what it tries."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def try_rows(rows: Iterable[tuple[str, *tuple[Any, ...]]], check: Callable[..., None]) -> None:
    """Call `check` with each row, whose first member is its name; fail with every row that fails or skips."""
    tried, failed = 0, []
    for name, *row in rows:
        tried += 1
        try:
            check(*row)
        except (AssertionError, pytest.fail.Exception, pytest.skip.Exception) as failure:
            failed.append(f"{name}: {failure}")
        except Exception as error:
            error.add_note(f"in the row {name}")
            raise
    assert tried, "there are no rows"
    if failed:
        pytest.fail(f"{len(failed)} of {tried} rows fail:\n" + "\n".join(failed), pytrace=False)


def in_one_test(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Give one test all rows that ``pytest.mark.parametrize`` makes a test of each; they share its fixtures.

    Parameters
    ----------
    names : str or tuple of str
        The arguments of the test that a row has.
    rows : iterable
        A value for each row, or a tuple of values where there are several names.
    """
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    taken = (names,) if isinstance(names, str) else names

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def try_all(**fixtures: Any) -> None:
            def check(*values: Any) -> None:
                test(**fixtures, **dict(zip(taken, values, strict=True)))

            try_rows(((" ".join(map(repr, values))[:200], *values) for values in table), check)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in taken]
        try_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return try_all

    return decorate
