"""The details of figures in the store, by the key of the work that drew the figure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from helio.errors import DamagedObject
from helio.steps.render.detail import FORM, SUFFIX, Detail
from helio.store.store import Store, StoredResult
from helio.store.work_keys import key_of


def stored_detail(store: Store, figure: str) -> Detail | None:
    """Return the detail of a figure from the store; None if the store does not have it.

    Parameters
    ----------
    figure : str
        Key of the work that drew the figure.
    """
    result = store.find(key_of(_recipe(figure)))
    if result is None:
        return None
    try:
        return Detail(store.bytes(result.digest, SUFFIX))
    except DamagedObject:  # it is now in quarantine
        return None


def record_detail(store: Store, figure: str, digest: str) -> None:
    """Record the detail of a figure, whose content is in the store."""
    recipe = _recipe(figure)
    made_at = datetime.now(UTC).isoformat()
    store.record(key_of(recipe), StoredResult(key_of(recipe), recipe, digest, SUFFIX, {}, made_at, 0.0))


def _recipe(figure: str) -> dict[str, Any]:
    return {"detail of figure": figure, "form": FORM}
