"""Messages between a run and the processes of its steps; the messages contain no tables, which are in the store."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from helio import errors
from helio.errors import HelioError

if TYPE_CHECKING:
    from helio.store.table import Table


def table_facts(table: Table) -> dict[str, Any]:
    """Describe a table for the run's record, so that a reader need not open the table."""
    return {
        "rows": len(table),
        "unit": table.unit,
        "frame": table.frame,
        "components": list(table.components),
        **({"representation": table.representation} if table.representation else {}),
        "notes": list(table.notes),
        **({} if has_values(table) else {"no_values": True}),
        **({"events": [asdict(event) for event in table.events]} if table.events else {}),
    }


def has_values(table: Table) -> bool:
    """Return whether a table has at least one value that is not missing."""
    import numpy as np

    return bool(np.isfinite(table.values).any())


def error_as_reply(error: HelioError) -> dict[str, Any]:
    """Convert an error to a message that a process can send."""
    return {"error": [type(error).__name__, error.message, error.advice, error.place]}


def error_from(answer: dict[str, Any]) -> Exception:
    """Read the error in a message of another process; a bug becomes a RuntimeError with that process's traceback."""
    if "error" not in answer:
        return RuntimeError(
            answer.get("bug", f"the process of the step answered with neither output nor error: {answer}")
        )
    name, message, advice, location = answer["error"]
    kind: type[HelioError] = getattr(errors, name)
    return kind(message, advice=advice, place=location)
