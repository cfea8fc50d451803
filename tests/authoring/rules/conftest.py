"""The rule-based author at one moment, with the shipped catalogue."""

import zlib
from datetime import datetime

import pytest

from helio.authoring.gate import Gate, GateResult
from helio.authoring.rules.author import RuleAuthor
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library

NOW = datetime(2026, 3, 10, 15)


class SamplingGate(Gate):
    """Gate that corrects every new template, and verifies a third of them, chosen by their text: most are alike."""

    def new(self, text: str) -> GateResult:
        return super().new(text) if zlib.crc32(text.encode()) % 3 == 0 else GateResult(*self._mended(text))


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(scope="session")
def author(catalogue, tmp_path_factory) -> RuleAuthor:
    gate = SamplingGate(catalogue, home=tmp_path_factory.mktemp("home"), now=NOW, pipelines={})
    return RuleAuthor(catalogue, gate, now=NOW)


@pytest.fixture(scope="session")
def overview(tmp_path_factory):
    shelf = Library(tmp_path_factory.mktemp("library"))
    return shelf.read(shelf.find("ace-bfield-overview"))
