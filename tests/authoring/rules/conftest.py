"""The rule-based author at one moment, with the shipped catalogue."""

from datetime import datetime

import pytest

from helio.authoring.gate import Gate
from helio.authoring.rules.author import RuleAuthor
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library

NOW = datetime(2026, 3, 10, 15)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(scope="session")
def author(catalogue, tmp_path_factory) -> RuleAuthor:
    home = tmp_path_factory.mktemp("home")
    gate = Gate(catalogue, home=home, now=NOW, pipelines={})
    return RuleAuthor(catalogue, gate, now=NOW)


@pytest.fixture(scope="session")
def overview(tmp_path_factory):
    shelf = Library(tmp_path_factory.mktemp("library"))
    return shelf.read(shelf.find("ace-bfield-overview"))
