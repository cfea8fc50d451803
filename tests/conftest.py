"""What all tests share."""

from collections.abc import Generator
from functools import cache

import pytest
import typer.testing
from hypothesis import settings

from tests.laws import law

settings.register_profile("helio", law(100))
settings.load_profile("helio")

typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]
"""Typer builds all commands for each call; a process of `helio` calls one, a process of tests thousands."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape in reports what is no Unicode, such as a file name in the log: it could not be sent between processes."""
    report = yield
    report.sections = [
        (name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections
    ]
    return report
