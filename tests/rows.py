"""Try many rows of a table in one test: a test for each row costs more than what it tries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def try_rows(rows: Iterable[tuple[str, *tuple[Any, ...]]], check: Callable[..., None]) -> None:
    """Call `check` with each row, whose first member is its name; fail with every row that fails."""
    tried, failed = 0, []
    for name, *row in rows:
        tried += 1
        try:
            check(*row)
        except (AssertionError, pytest.fail.Exception) as failure:
            failed.append(f"{name}: {failure}")
        except Exception as error:
            error.add_note(f"in the row {name}")
            raise
    assert tried, "there are no rows"
    if failed:
        pytest.fail(f"{len(failed)} of {tried} rows fail:\n" + "\n".join(failed), pytrace=False)
