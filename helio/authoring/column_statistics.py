"""Collect statistics of the tables of a failed run, for the prompt of a repair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.errors import DamagedObject
from helio.pipelines.runs.kept_tables import kept_labels, kept_table
from helio.steps.describe import describe
from helio.store.runs import RunRecord
from helio.store.store import Store

_MOST_TABLES = 20


def column_statistics(record: RunRecord, store: Store) -> tuple[dict[str, Any], ...]:
    """Return records, cadence, gaps, and of each column the missing share, minimum, median and maximum.

    The latest tables come first, because the failed step probably reads them; at most 20 tables.
    """
    labels = list(dict.fromkeys(reversed(kept_labels(record))))[:_MOST_TABLES]
    return tuple(_statistics(record, store, labels))


def _statistics(record: RunRecord, store: Store, labels: list[str]) -> Iterator[dict[str, Any]]:
    for label in labels:
        try:
            table = kept_table(record, label, store)
        except DamagedObject as error:
            yield {"table": label, "unknown because": error.message}
            continue
        known = describe(table, label)
        yield {
            "table": label,
            "records": known.rows,
            "cadence in seconds": known.cadence_s,
            "gaps": known.gaps,
            "columns": [
                {
                    "name": column.name,
                    "unit": column.unit,
                    "missing share": column.missing,
                    "minimum": column.minimum,
                    "median": column.median,
                    "maximum": column.maximum,
                }
                | ({"infinite values": column.infinite} if column.infinite else {})
                for column in known.values
            ],
        }
