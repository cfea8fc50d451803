"""The database of a new server has the tables that Prefect's migrations make."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from helio.flows import new_database
from helio.flows.new_database import TABLES, create_database
from scripts.write_new_database import migrated_tables, tables_of

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "prefect.db"


def unordered(tables: str) -> list[str]:
    """The lines of the SQL; the migrations write constraints and indices in an order that changes."""
    return sorted(line.rstrip(", ") for line in tables.splitlines())


def test_the_tables_are_those_that_the_migrations_make() -> None:
    shipped = TABLES.read_text(encoding="utf-8")
    assert unordered(migrated_tables()) == unordered(shipped), "python scripts/write_new_database.py"


def test_a_new_database_has_these_tables_and_belongs_to_its_owner(path: Path) -> None:
    create_database(path)
    with closing(sqlite3.connect(path)) as database:
        assert tables_of(database) == TABLES.read_text(encoding="utf-8")
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["prefect.db"]


def test_a_database_that_is_there_stays(path: Path) -> None:
    path.write_bytes(b"something else")
    create_database(path)
    assert path.read_bytes() == b"something else"


def test_tables_of_a_revision_that_the_installed_prefect_does_not_know_are_not_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = path.with_name("later.sql")
    later.write_text(TABLES.read_text().replace("a3b9c7d2e5f1", "0123456789ab"))
    monkeypatch.setattr(new_database, "TABLES", later)
    create_database(path)
    assert not path.exists()
