"""Types that all passes use, and the context: everything that a pass may use besides the plan."""

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
    """Facts about a dataset from a catalogue.

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
    """Limits for the size of plans, and how strict the passes are."""

    strict: bool = False
    """Whether an unknown key is an error."""
    max_map_items: int = LIMITS.items
    max_steps: int = LIMITS.steps
    """Maximum number of steps in a template."""
    max_run_steps: int = LIMITS.run_steps
    """Maximum number of steps in a run; a ``for_each`` step counts once for each item."""


@dataclass(frozen=True)
class Context:
    """Everything that a pass may use besides the plan: no clock, no network and no language model."""

    signatures: Mapping[str, Signature]
    now: datetime
    values: Mapping[str, Any]
    """Values of the variables for this run, by the variable's name with its ``$``."""
    archive: str = ""
    """Archive given for this run; empty if no archive was given."""
    caption: str = ""
    """Text in the footer of figures; the text names the program."""
    catalogue: Mapping[str, Dataset] = field(default_factory=dict)
    """Known datasets by id. The archive of the run may also have datasets that are missing here."""
    policy: Policy = field(default_factory=Policy)
    optional: frozenset[str] | None = None
    """Names of the optional passes that run; None means that all of them run."""
    pipelines: Mapping[str, Document] = field(default_factory=dict)
    """Saved templates by id, which steps can call with ``use``."""
    components: Callable[[str, str, str], tuple[str, ...] | None] = lambda provider, dataset_id, parameter: (
        None
    )
    """Function that reads the components of a parameter from the files of the run's archive. It takes the provider, the
    dataset and the parameter, and returns None if the archive has no such files.
    """

    def runs(self, name: str) -> bool:
        """Return whether helio should run the optional pass with this name."""
        return self.optional is None or name in self.optional

    def read_time_range(self, given: Any) -> TimeRange:
        """Read a time range; the time of the run decides what relative phrases such as ``last 7 days`` mean."""
        return read_time_range(given, self.now)

    def read_value(self, name: str, declared: Mapping[str, Any], given: Any) -> Any:
        """Read the value of a variable; the time of the run decides what relative phrases mean."""
        return read_value(name, declared, given, self.now)

    def provider_of(self, dataset_id: str, named: str) -> str:
        """Return the provider given for a fetch; return an empty text for the catalogue's own provider."""
        # looked up only where one is named: asking opens the catalogue
        return "" if named == BY_CATALOGUE and dataset_id in self.catalogue else named


Finding = Edit | Diagnostic
Pass = Callable[[Template, Context], Iterable[Finding]]
DialectPass = Callable[[Document, Context], Iterable[Finding]]
"""A pass in `helio.pipelines.dialect`: it accepts JSON of any structure, because it runs before `check_structure`."""
