"""Name the computations that a sentence requests, with their positions in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from helio.authoring.request import Computation
from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY
from helio.steps.signature import signatures


@dataclass(frozen=True)
class ComputationMention:
    """A computation that a sentence requests, and its position in the sentence.

    Parameters
    ----------
    partial : bool
        Whether it may apply to one quantity alone: ``density and hourly means of the speed``.
    only : bool
        Whether the sentence says that it does: ``a running mean of the speed only``.
    named : tuple of int
        Where the name of the series of a condition begins and ends; equal if the condition has no name.
    by_other : bool
        Whether the condition may be on another series than its result: ``V where |B| > 10 nT``.
    """

    computation: Computation
    position: int
    partial: bool = False
    only: bool = False
    named: tuple[int, int] = (0, 0)
    by_other: bool = False


def mention_of(
    tool: str, position: int, window: str = "", args: Mapping[str, Any] = MappingProxyType({})
) -> ComputationMention:
    """Return the mention of a tool with arguments; numbers have at most twelve digits."""
    rounded = {
        name: float(f"{value:.12g}") if isinstance(value, float) else value for name, value in args.items()
    }
    return ComputationMention(Computation(tool, window, args=tuple(rounded.items())), position)


def tool_names(tool: str) -> str:
    """Return a regular expression that matches every name and synonym of a tool."""
    spelt = (name.replace("_", " ") for name in (tool, *signatures()[tool].synonyms))
    return any_phrase(tuple(VOCABULARY["computations"].get(tool, ())) + tuple(spelt))
