"""What is asked for: a plan of a pipeline, and a run of that plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from helio.pipelines.plan import Plan
from helio.pipelines.template.document import Document
from helio.pipelines.template.files import Format
from helio.sources.archives import Access
from helio.store.lock_file import Lock
from helio.store.source_file import Level


@dataclass(frozen=True)
class PlanRequest:
    """Ask for the plan of one run of a pipeline.

    Parameters
    ----------
    pipeline : str, Path or dict
        A pipeline's name, a JSON file or a template; where a run is asked for, also the file of a saved plan.
    time_range : str, optional
        The value of ``$TIME_RANGE``, else of the only time variable.
    variables : mapping, optional
        Values of variables, their names with or without ``$``.
    now : datetime or str, optional
        The clock of the run. Default: that of the lock, else the present.
    archive : str or Path, optional
        Default: that of the lock, else that of the settings.
    """

    pipeline: str | Path | Document
    time_range: str | None = None
    variables: Mapping[str, Any] | None = None
    now: datetime | str | None = None
    archive: str | Path | None = None

    @property
    def has_values(self) -> bool:
        """Whether anything is given beside the pipeline."""
        return bool(self.variables) or any(
            value is not None for value in (self.time_range, self.now, self.archive)
        )


@dataclass(frozen=True)
class RunRequest:
    """Ask for a run of a plan: what it may be made from, and where its files go.

    Parameters
    ----------
    archive : str
        The archive named for it; empty where the steps name their providers.
    files : mapping, optional
        The files that the fetches must be made from, as `Execution.files` gave them when the plan was saved.
    lock : Lock, optional
        Use nothing that is not in it.
    proof : str, optional
        How well the bytes of its files must be proven, of a run with a lock.
    access : Access
        How the network may be used.
    output : Path, optional
        The folder for figures, exports and ``run.json``.
    outputs : Path, optional
        Without `output`: the folder in which the run gets its own folder.
    formats : tuple of str
        Formats of figures beside those that the plan states.
    """

    plan: Plan
    archive: str = ""
    files: Mapping[str, Any] = field(default_factory=dict)
    lock: Lock | None = None
    proof: Level | None = None
    access: Access = field(default_factory=Access)
    output: Path | None = None
    outputs: Path | None = None
    formats: tuple[Format, ...] = ()

    def folder(self, run_id: str) -> Path | None:
        """The output folder of a run; None where it writes no files."""
        if self.output is None and self.outputs is not None:
            return self.outputs / run_id
        return self.output
