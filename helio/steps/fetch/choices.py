"""Which data sets a fetch may use, in order: read from its arguments by whoever plans it and whoever runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Required, TypedDict

from helio.errors import NoData, NotYetPublished, UnknownDataset, UnknownParameter

ABSENT = (UnknownDataset, UnknownParameter, NoData, NotYetPublished)
"""What makes a fetch with candidates look at the next one; damage and refusals are never passed over."""


class Candidate(TypedDict, total=False):
    """A dataset and parameter that a fetch may use."""

    dataset_id: Required[Annotated[str, "Dataset id."]]
    parameter_id: Annotated[str, "Its parameter; the step's own parameter_id when left out."]
    provider: Annotated[str, "Who serves it."]


@dataclass(frozen=True)
class Choice:
    """A dataset, the parameters wanted of it, and who serves it."""

    dataset_id: str
    parameters: tuple[str, ...]
    provider: str


def choices_of(args: Mapping[str, Any]) -> list[Choice]:
    """Return the choices of a fetch's arguments, the first one preferred."""
    parameters: Sequence[str] = args.get("parameters") or [args.get("parameter_id", "")]
    provider = args.get("provider", "")
    choices: list[Choice] = []
    for candidate in args.get("candidates", ()):
        options: Candidate = {"dataset_id": candidate} if isinstance(candidate, str) else candidate
        parameter = options.get("parameter_id")
        names = [parameter] if parameter else parameters
        choices.append(Choice(options["dataset_id"], tuple(names), options.get("provider", provider)))
    return choices or [Choice(args["dataset_id"], tuple(parameters), provider)]
