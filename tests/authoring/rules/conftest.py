"""The rule-based author at one moment, with the shipped catalogue."""

import json
import zlib
from datetime import datetime

import pytest

from helio.authoring.gate import Gate, GateResult
from helio.authoring.rules.author import RuleAuthor
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library
from helio.pipelines.template.document import Document, as_text

NOW = datetime(2026, 3, 10, 15)


class SamplingGate(Gate):
    """Gate that corrects and verifies an eighth of the templates, chosen by their text: most are alike."""

    def new(self, text: str) -> GateResult:
        return super().new(text) if _is_sampled(text) else GateResult(json.loads(text))

    def edited(self, before: Document, after: Document) -> GateResult:
        return super().edited(before, after) if _is_sampled(as_text(after)) else GateResult(after)


def _is_sampled(text: str) -> bool:
    return zlib.crc32(text.encode()) % 8 == 0


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(scope="session")
def verified_author(catalogue, tmp_path_factory) -> RuleAuthor:
    """The author for tests of what helio finds when it corrects and verifies the templates of the rules."""
    gate = Gate(catalogue, home=tmp_path_factory.mktemp("home"), now=NOW, pipelines={})
    return RuleAuthor(catalogue, gate, now=NOW)


@pytest.fixture(scope="session")
def author(catalogue, tmp_path_factory) -> RuleAuthor:
    gate = SamplingGate(catalogue, home=tmp_path_factory.mktemp("home"), now=NOW, pipelines={})
    return RuleAuthor(catalogue, gate, now=NOW)


@pytest.fixture(scope="session")
def overview(tmp_path_factory):
    shelf = Library(tmp_path_factory.mktemp("library"))
    return shelf.read(shelf.find("ace-bfield-overview"))
