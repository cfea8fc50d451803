"""Write helio/flows/new_database.sql: the tables that the migrations of the installed Prefect make."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from helio.flows.new_database import TABLES
from helio.flows.server import DATABASE, SILENT
from helio.store.files import write_whole


def migrated_tables() -> str:
    """Return the SQL of a database that Prefect has migrated from nothing."""
    with tempfile.TemporaryDirectory() as home:
        theirs = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
        subprocess.run(
            [sys.executable, "-m", "prefect", "server", "database", "upgrade", "-y"],
            env={**theirs, **SILENT, "PREFECT_HOME": home},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with closing(sqlite3.connect(Path(home) / DATABASE)) as database:
            return tables_of(database)


def tables_of(database: sqlite3.Connection) -> str:
    """Return the SQL of a database: tables, indices and the revision."""
    return "\n".join(database.iterdump()) + "\n"


if __name__ == "__main__":
    write_whole(TABLES, migrated_tables().encode())
