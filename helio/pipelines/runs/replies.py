"""What crosses between a run and the processes of its steps, beside the tables in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from helio import errors
from helio.errors import HelioError

if TYPE_CHECKING:
    from helio.store.table import Table


def table_facts(table: Table) -> dict[str, Any]:
    """What a record says of a table without opening it."""
    return {
        "rows": len(table),
        "unit": table.unit,
        "frame": table.frame,
        "components": list(table.components),
        **({"representation": table.representation} if table.representation else {}),
        "notes": list(table.notes),
    }


def error_as_reply(error: HelioError) -> dict[str, Any]:
    """An error as an answer carries it."""
    return {"error": [type(error).__name__, error.message, error.advice, error.place]}


def error_from(answer: dict[str, Any]) -> Exception:
    """The error of an answer; a bug becomes a RuntimeError with the traceback of the process it was in."""
    if "error" not in answer:
        return RuntimeError(answer.get("bug", f"an answer that says nothing: {answer}"))
    name, message, advice, place = answer["error"]
    kind: type[HelioError] = getattr(errors, name)
    return kind(message, advice=advice, place=place)
