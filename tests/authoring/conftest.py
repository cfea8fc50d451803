"""A stand-in for the model, a door to it, and a clock that nobody waits for."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from helio.authoring.author import ModelAuthor
from helio.authoring.discovery import CatalogueTools
from helio.authoring.gate import Gate
from helio.authoring.models.door import Door
from helio.authoring.models.gemini import Gemini
from helio.authoring.models.scrub import Scrub
from helio.authoring.models.transcript import Transcript
from helio.clock import Clock
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library
from helio.pipelines.template.document import Document
from tests.authoring.standin_gemini import KEY, GeminiStandIn, Script

NOW = datetime(2024, 1, 20, 12)
SMART, FAST, OTHER = "gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-3.7-flash"


class StillClock:
    """Time stands still, but for the waiting, which takes none."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.slept: list[float] = []
        self.clock = Clock(now=lambda: self.time, sleep=self._sleep, random=lambda: 1.0)

    def _sleep(self, seconds: float, ended: threading.Event) -> None:
        self.slept.append(seconds)
        self.time += seconds


@pytest.fixture
def still() -> StillClock:
    """A clock of one's own."""
    return StillClock()


@pytest.fixture
def serve() -> Iterator[Callable[..., GeminiStandIn]]:
    """Starts stand-ins, each with its script."""
    started: list[GeminiStandIn] = []

    def start(*script: object, **options: object) -> GeminiStandIn:
        one: Script = script[0] if len(script) == 1 and callable(script[0]) else script
        started.append(GeminiStandIn(one, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def gemini() -> Iterator[Callable[..., Gemini]]:
    """Makes clients of stand-ins."""
    made: list[Gemini] = []

    def make(
        standin: GeminiStandIn, *, key: str = KEY, smart: str = SMART, fast: str = FAST, **options: object
    ):
        made.append(Gemini(key, {"smart": smart, "fast": fast}, url=standin.url, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def door(gemini: Callable[..., Gemini], tmp_path: Path, still: StillClock) -> Iterator[Callable[..., Door]]:
    """Makes doors to stand-ins, with a fallback where `fallback` is asked for."""
    made: list[Door] = []

    def make(standin: GeminiStandIn, *, fallback: bool = False, real_time: bool = False, **options: object):
        clock = Clock() if real_time else still.clock
        path = tmp_path / f"transcript-{len(made)}.jsonl"
        made.append(
            Door(
                gemini(standin),
                Transcript(path, scrub=Scrub(standin.key), clock=clock),
                fallback=gemini(standin, smart=OTHER, fast=OTHER) if fallback else None,
                clock=clock,
                **options,
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped catalogue, opened once."""
    return Catalogue()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """The shipped pipelines, and none of one's own."""
    return Library(tmp_path / "templates")


@pytest.fixture
def overview(library: Library) -> Document:
    """The shipped ACE overview: fetch 1, magnitude 2, plot 3, style 4."""
    return library.read(library.find("ace-bfield-overview"))


@pytest.fixture(scope="session")
def proving(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Gate:
    """A gate with the shipped catalogue and the shipped pipelines, which keeps what it has read of both."""
    home = tmp_path_factory.mktemp("home")
    return Gate(catalogue, home=home, now=NOW, pipelines=Library(home / "templates").templates())


@pytest.fixture
def author(
    door: Callable[..., Door], catalogue: Catalogue, library: Library, proving: Gate, tmp_path: Path
) -> Callable[..., ModelAuthor]:
    """Makes authors that ask stand-ins."""

    def make(standin: GeminiStandIn, *, knows: Catalogue | None = None, **options: object) -> ModelAuthor:
        known, gate = catalogue, proving
        if knows is not None:
            known, gate = knows, Gate(knows, home=tmp_path, now=NOW, pipelines=library.templates())
        return ModelAuthor(
            door(standin, **options), lambda: CatalogueTools(known, library, tmp_path / "runs"), gate, now=NOW
        )

    return make


@contextmanager
def python(
    *arguments: str, environment: dict[str, str] | None = None, stdin: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """Another Python, which does not outlive the test."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdin=subprocess.PIPE if stdin else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_requests(server: GeminiStandIn, number: int, process: subprocess.Popen[str]) -> None:
    """Until the stand-in was asked so often."""
    while len(server.requests) < number:
        assert process.poll() is None
        time.sleep(0.01)
