"""Find earlier runs that made the results in the store, so that a plan can name these runs."""

from __future__ import annotations

from collections.abc import Mapping

from helio.errors import DamagedObject, UnknownRun
from helio.store.runs import RunRecord, Runs

MOST_RUNS = 1000
"""Maximum number of run records to read, newest first, so that planning stays fast."""


def runs_with(runs: Runs, results: Mapping[str, str]) -> dict[str, str]:
    """Find for each result, by its key in the store, the newest successful run that has it; skip unknown keys.

    Parameters
    ----------
    runs : Runs
    results : mapping
        Digests by key, as in the store.
    """
    run_ids: dict[str, str] = {}
    left = set(results)
    for record in runs.newest(MOST_RUNS):
        if not left:
            break
        if not left.isdisjoint(record.keys):
            held = {key for key, digest in _results_of(record) if results.get(key) == digest} & left
            run_ids |= dict.fromkeys(held, record.id)
            left -= held
    return run_ids


def _results_of(record: RunRecord) -> list[tuple[str, str]]:
    """Return the key and the digest of each result of a successful run; return an empty list for other runs."""
    try:
        if record.status != "success":
            return []
        outputs = [output for step in record.steps for output in step.get("outputs", ())]
        return [(str(output["key"]), str(output["digest"])) for output in outputs]
    except (
        DamagedObject,
        UnknownRun,
        AttributeError,
        KeyError,
        TypeError,
    ):  # a damaged or older record names no results
        return []
