"""The datasets that a fetch may use, in order of preference, from the arguments of the fetch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Required, TypedDict

from helio.errors import NoData, NotYetPublished, UnknownDataset, UnknownParameter

FETCH = "fetch_data"
ABSENT = (UnknownDataset, UnknownParameter, NoData, NotYetPublished)
"""Errors after which a fetch tries the next dataset; after any other error, such as a damaged file, it stops."""

Path = tuple[str | int, ...]


class Candidate(TypedDict, total=False):
    """A dataset and parameter that a fetch may use."""

    dataset_id: Required[Annotated[str, "Dataset id."]]
    parameter_id: Annotated[str, "Parameter of this dataset; default: the step's parameter_id."]
    provider: Annotated[str, "Who serves it."]


@dataclass(frozen=True)
class Choice:
    """A dataset that a fetch may use, the parameters to fetch from it, and the provider that serves it.

    Parameters
    ----------
    path : tuple
        Path of the dataset id in the arguments of the step.
    parameter_paths : tuple of tuple
        Path of each parameter in the arguments; the path of the candidate, for a parameter that all candidates share.
    """

    dataset_id: str
    parameters: tuple[str, ...]
    provider: str
    path: Path = field(default=(), compare=False)
    parameter_paths: tuple[Path, ...] = field(default=(), compare=False)


def choices_of(args: Mapping[str, Any]) -> list[Choice]:
    """Return the datasets that a fetch may use, in order of preference; an empty list if no dataset is named.

    >>> wind = {"dataset_id": "WI_H0_MFI", "parameter_id": "BGSE"}
    >>> for choice in choices_of({"candidates": ["AC_H2_MFI", wind], "parameter_id": "BGSEc"}):
    ...     print(choice.dataset_id, choice.parameters, choice.path)
    AC_H2_MFI ('BGSEc',) ('candidates', 0)
    WI_H0_MFI ('BGSE',) ('candidates', 1, 'dataset_id')
    """
    several = args.get("parameters")
    names = tuple(several or [args.get("parameter_id", "")])
    provider = args.get("provider", "")
    choices: list[Choice] = []
    for number, candidate in enumerate(args.get("candidates", ())):
        path: Path = ("candidates", number)
        if isinstance(candidate, str):
            choices.append(Choice(candidate, names, provider, path, (path,) * len(names)))
            continue
        own = candidate.get("parameter_id")
        choices.append(
            Choice(
                candidate["dataset_id"],
                (own,) if own else names,
                candidate.get("provider", provider),
                (*path, "dataset_id"),
                ((*path, "parameter_id"),) if own else (path,) * len(names),
            )
        )
    if choices or "dataset_id" not in args:
        return choices
    paths = tuple(("parameters", number) for number in range(len(names))) if several else (("parameter_id",),)
    return [Choice(args["dataset_id"], names, provider, ("dataset_id",), paths)]
