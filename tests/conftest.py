"""What all tests share."""

from collections.abc import Generator, Iterator
from functools import cache

import pytest
import typer.testing
from hypothesis import settings

from helio.pipelines.runs import worker_pool
from helio.sources import cdf
from tests.laws import law
from tests.warm import WARM, WarmReader, WarmStepProcess

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


@pytest.fixture(scope="session")
def _processes_that_wait() -> Iterator[None]:
    yield
    WARM.close()


@pytest.fixture(scope="module")
def warm_processes(_processes_that_wait: None) -> Iterator[None]:
    """Let the runs of a file use the processes of earlier ones; for files whose subject is no process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_pool, "_WorkerProcess", WARM.maker(WarmStepProcess))
        patch.setattr(cdf, "_Worker", WARM.maker(WarmReader))
        yield
