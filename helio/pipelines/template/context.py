"""Passes, and the context that they may know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import read_time_range, read_value
from helio.sources.registry import BY_CATALOGUE
from helio.steps.signature import Signature
from helio.time_range import TimeRange


@dataclass(frozen=True)
class Dataset:
    """Facts of a catalogue about a dataset.

    Parameters
    ----------
    parameters : mapping
        By name in catalogue order: number of components, one for a scalar.
    first, last : datetime or None
        What is published, [first, last).
    fresh : bool
        Whether this may refuse or clamp a range: facts of today, or a dataset known to have ended.
    units : mapping
        The unit of each parameter as the archive spells it; empty where there is none or none is known.
    frames : mapping
        The frame of each parameter where the catalogue has a field for it.
    spectra : frozenset of str
        Parameters that are surely given over bins.
    descriptions : mapping
        The archive's own words for each parameter.
    """

    parameters: Mapping[str, int]
    first: datetime | None = None
    last: datetime | None = None
    fresh: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    spectra: frozenset[str] = frozenset()
    descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Policy:
    """Limits and strictness of the passes."""

    strict: bool = False
    """Whether an unknown key is an error."""
    max_map_items: int = LIMITS.items
    max_steps: int = LIMITS.steps
    """Steps that are written out."""
    max_run_steps: int = LIMITS.run_steps
    """Steps of a run, a step for each item of its maps."""


@dataclass(frozen=True)
class Context:
    """All that a pass may know beside the plan: no clock, no network, no model."""

    signatures: Mapping[str, Signature]
    now: datetime
    values: Mapping[str, Any]
    """Values given for this run, by the variable's name with its ``$``."""
    archive: str = ""
    """The archive named for this run, or nothing."""
    caption: str = ""
    """What a figure's footer says of the program that drew it."""
    catalogue: Mapping[str, Dataset] = field(default_factory=dict)
    """Datasets, as far as they are known; a dataset that is not in it is not unknown to the world."""
    policy: Policy = field(default_factory=Policy)
    optional: frozenset[str] | None = None
    """Names of the optional passes that run; all of them when left out."""
    pipelines: Mapping[str, Document] = field(default_factory=dict)
    """Saved templates by id, for ``use``."""
    components: Callable[[str, str, str], tuple[str, ...] | None] = lambda provider, dataset_id, parameter: (
        None
    )
    """The components of a parameter as the files of the run's archive have them, by provider, dataset and parameter;
    None where there are no such files."""

    def runs(self, name: str) -> bool:
        """Whether an optional pass runs."""
        return self.optional is None or name in self.optional

    def read_time_range(self, given: Any) -> TimeRange:
        """Read a time range by the run's clock."""
        return read_time_range(given, self.now)

    def read_value(self, name: str, declared: Mapping[str, Any], given: Any) -> Any:
        """Read the value of a variable by the run's clock."""
        return read_value(name, declared, given, self.now)

    def provider_of(self, dataset_id: str, named: str) -> str:
        """Return the named provider; empty where the catalogue would name it anyway, as it is the same work."""
        # looked up only where one is named: asking opens the catalogue
        return "" if named == BY_CATALOGUE and dataset_id in self.catalogue else named


Finding = Edit | Diagnostic
Pass = Callable[[Template, Context], Iterable[Finding]]
DialectPass = Callable[[Document, Context], Iterable[Finding]]
"""A pass in `helio.pipelines.dialect`, which reads JSON of any shape: it runs before the gate `check_structure`."""
