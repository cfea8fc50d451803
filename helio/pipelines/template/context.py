"""Types of passes, and the context that a pass gets."""

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
    """What a catalogue knows about a dataset.

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
    """Maximum number of steps in a template."""
    max_run_steps: int = LIMITS.run_steps
    """Maximum number of steps in a run, with one step for each item of every ``for_each``."""


@dataclass(frozen=True)
class Context:
    """Everything that a pass may use besides the plan: no clock, no network, no model."""

    signatures: Mapping[str, Signature]
    now: datetime
    values: Mapping[str, Any]
    """Values given for this run, by the variable's name with its ``$``."""
    archive: str = ""
    """The archive given for this run; empty if none was given."""
    caption: str = ""
    """Text in the footer of figures, which names the program."""
    catalogue: Mapping[str, Dataset] = field(default_factory=dict)
    """Known datasets. An archive may have datasets that are missing here."""
    policy: Policy = field(default_factory=Policy)
    optional: frozenset[str] | None = None
    """Names of the optional passes that run; None for all of them."""
    pipelines: Mapping[str, Document] = field(default_factory=dict)
    """Saved templates by id, for ``use``."""
    components: Callable[[str, str, str], tuple[str, ...] | None] = lambda provider, dataset_id, parameter: (
        None
    )
    """Function that reads the components of a parameter from the files of the run's archive, by provider, dataset and
    parameter; it returns None if the archive has no such files."""

    def runs(self, name: str) -> bool:
        """Tell whether an optional pass runs."""
        return self.optional is None or name in self.optional

    def read_time_range(self, given: Any) -> TimeRange:
        """Read a time range by the run's clock."""
        return read_time_range(given, self.now)

    def read_value(self, name: str, declared: Mapping[str, Any], given: Any) -> Any:
        """Read the value of a variable by the run's clock."""
        return read_value(name, declared, given, self.now)

    def provider_of(self, dataset_id: str, named: str) -> str:
        """Return the given provider; empty if it is the catalogue's provider, because the work is then the same."""
        # looked up only where one is named: asking opens the catalogue
        return "" if named == BY_CATALOGUE and dataset_id in self.catalogue else named


Finding = Edit | Diagnostic
Pass = Callable[[Template, Context], Iterable[Finding]]
DialectPass = Callable[[Document, Context], Iterable[Finding]]
"""A pass in `helio.pipelines.dialect`, which accepts JSON of any structure: it runs before `check_structure`."""
