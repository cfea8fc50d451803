"""The rule-based author at one moment, with the shipped catalogue."""

import zlib
from datetime import datetime
from typing import Any

import pytest

from helio.authoring.gate import Gate, GateResult
from helio.authoring.rules.author import RuleAuthor
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document, as_text

NOW = datetime(2026, 3, 10, 15)


class SamplingGate(Gate):
    """Gate that corrects every template, and verifies a third of them, chosen by their text: most are alike."""

    def _as_it_runs(self, template: Document, findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        return super()._as_it_runs(template, findings) if _is_sampled(template) else findings

    def _checked(self, template: Document, early: tuple[Diagnostic, ...], *edit: Any) -> GateResult:
        return (
            super()._checked(template, early, *edit) if _is_sampled(template) else GateResult(template, early)
        )


def _is_sampled(template: Document) -> bool:
    return zlib.crc32(as_text(template).encode()) % 3 == 0


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
