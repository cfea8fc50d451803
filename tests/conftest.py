"""What all tests share."""

import gc
import signal
from collections.abc import Generator, Iterator
from functools import cache
from typing import Any

import pytest
import typer.testing
from _pytest.doctest import DoctestModule
from hypothesis import settings

from helio.pipelines.runs import worker_pool
from helio.sources import cdf
from tests.laws import law
from tests.warm import WARM, WarmReader, WarmStepProcess

settings.register_profile("helio", law(40, 2000))
settings.load_profile("helio")

typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]
"""Typer builds all commands for each call; a process of `helio` calls one, a process of tests thousands."""


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell ignores Ctrl-C for what runs in its background, and so would all processes that tests start and interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)


gc.disable()
"""What collection makes stays until the end: a search for garbage finds none, and takes a fifth of the time."""


def pytest_collection_finish() -> None:
    """Leave out of every later search for garbage what collection has made."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Search no examples in the docstrings of tests: they have none."""
    collectors = yield
    return [collector for collector in collectors if not isinstance(collector, DoctestModule)]


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
