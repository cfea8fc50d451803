"""Create the database of a new Prefect server with its final tables, because Prefect's own migrations take long.

``new_database.sql`` has the tables that Prefect's own migrations make; ``scripts/write_new_database.py`` writes it.
The server runs the migrations that are newer when it starts.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

TABLES = Path(__file__).with_suffix(".sql")
MIGRATIONS = Path("server/database/_migrations/versions/sqlite")
"""Prefect's folder of database migrations; each file name contains the revision that the migration makes."""


def create_database(path: Path) -> None:
    """Create the database, unless it exists, or the installed Prefect does not know the revision of the tables."""
    tables = TABLES.read_text(encoding="utf-8")
    if path.exists() or not _is_known(_revision(tables)):
        return
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new)) as database:
            database.executescript(f"PRAGMA auto_vacuum = INCREMENTAL;\nPRAGMA journal_mode = WAL;\n{tables}")
        new.chmod(0o600)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _revision(tables: str) -> str:
    match = re.search(r'INSERT INTO "alembic_version" VALUES\(\'(\w+)\'\)', tables)
    assert match is not None  # the migrations write it
    return match[1]


def _is_known(revision: str) -> bool:
    """Return whether the installed Prefect has a migration to this revision, without importing Prefect."""
    prefect = find_spec("prefect")
    folders = prefect.submodule_search_locations if prefect is not None else None
    return any(
        True for folder in folders or () for _ in (Path(folder) / MIGRATIONS).glob(f"*_{revision}_*.py")
    )
