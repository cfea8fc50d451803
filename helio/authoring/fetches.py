"""Find the datasets and parameters that the fetch steps of a template may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helio.steps.fetch.choices import Choice, choices_of

FETCH = "fetch_data"


def fetch_choices(args: Mapping[str, Any]) -> list[Choice]:
    """List the datasets that a fetch may use, in order of preference; empty if the fetch's arguments name no dataset.

    >>> fetch_choices({"candidates": ["AC_H2_MFI", {"dataset_id": "WI_H0_MFI"}], "parameter_id": "B"})[1].dataset_id
    'WI_H0_MFI'
    """
    listed = args.get("candidates")
    named = listed if isinstance(listed, list) and listed else [args.get("dataset_id")]
    candidates = [name if isinstance(name, dict) else {"dataset_id": name} for name in named]
    valid = [
        choice for choice in candidates if isinstance(choice.get("dataset_id"), str) and choice["dataset_id"]
    ]
    return choices_of({**args, "candidates": valid}) if valid else []


def fetch_pairs(args: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List the datasets that a fetch may use, each with its parameter; empty if the fetch takes several parameters."""
    return (
        []
        if args.get("parameters")
        else [(choice.dataset_id, choice.parameters[0]) for choice in fetch_choices(args)]
    )
