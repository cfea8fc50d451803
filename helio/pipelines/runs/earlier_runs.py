"""Find the runs whose results the store holds, so that a plan can name them."""

from __future__ import annotations

from collections.abc import Mapping

from helio.errors import DamagedObject, UnknownRun
from helio.store.runs import RunRecord, Runs

MOST_RUNS = 1000
"""Records that are looked at, newest first: a plan stays quick however many there are."""


def runs_with(runs: Runs, results: Mapping[str, str]) -> dict[str, str]:
    """The newest successful run that has each result, by the result's key; keys that none of them has are left out.

    Parameters
    ----------
    runs : Runs
    results : mapping
        Digests by key, as the store has them.
    """
    found: dict[str, str] = {}
    left = set(results)
    for record in runs.newest(MOST_RUNS):
        if not left:
            break
        if not left.isdisjoint(record.keys):
            held = {key for key, digest in _results_of(record) if results.get(key) == digest} & left
            found |= dict.fromkeys(held, record.id)
            left -= held
    return found


def _results_of(record: RunRecord) -> list[tuple[str, str]]:
    """Key and digest of each result of a successful run; none of another one."""
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
    ):  # a damaged or older record names nothing
        return []
