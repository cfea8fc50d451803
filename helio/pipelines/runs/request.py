"""Requests for a plan of a pipeline, and for a run of this plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.pipelines.plan import Plan
from helio.pipelines.template.document import Document
from helio.pipelines.template.files import Format
from helio.sources.archives import Access
from helio.store.source_file import Level

if TYPE_CHECKING:
    from helio.store.lock_file import Lock


@dataclass(frozen=True)
class PlanRequest:
    """Request to plan one run of a pipeline: the pipeline, and the values for the run.

    Parameters
    ----------
    pipeline : str, Path or dict
        A pipeline's name, a JSON file or a template; for a run, also the file of a saved plan.
    time_range : str, optional
        The value of ``$TIME_RANGE``, otherwise of the only time variable.
    variables : mapping, optional
        Values of variables by name, with or without ``$``.
    now : datetime or str, optional
        The clock of the run. Default: the clock of the lock, otherwise the present.
    archive : str or Path, optional
        Default: the archive of the lock, otherwise of the settings.
    pipelines : mapping, optional
        Templates by id, for steps that use one. Default: those in the library.
    """

    pipeline: str | Path | Document
    time_range: str | None = None
    variables: Mapping[str, Any] | None = None
    now: datetime | str | None = None
    archive: str | Path | None = None
    pipelines: Mapping[str, Document] | None = None

    @property
    def has_values(self) -> bool:
        """Whether the request contains any value besides the pipeline."""
        return bool(self.variables) or any(
            value is not None for value in (self.time_range, self.now, self.archive)
        )


@dataclass(frozen=True)
class RunRequest:
    """Request to run a plan: the data that the run may use, and the folder for its files.

    Parameters
    ----------
    archive : str
        The archive given for the run; empty where the steps name their providers.
    files : mapping, optional
        The files that the fetches must use, as returned by `Execution.files` when the plan was saved.
    lock : Lock, optional
        Use only the data in this lock.
    proof : str, optional
        Required proof of the files, for a run with a lock.
    access : Access
        How the network may be used.
    output : Path, optional
        The folder for figures, exports and ``run.json``.
    outputs : Path, optional
        Used without `output`: a folder in which the run gets its own folder.
    own_folder : str
        The name of that own folder; default: the id of the run.
    formats : tuple of str
        Formats of figures in addition to the plan's.
    self_contained : bool
        Whether each HTML page has its scripts and all its points in it, instead of in files beside it.
    named_archive : str, optional
        The archive that figures name; default: `archive`. A repeated run names that of the first run.
    figures : mapping
        Templates of figures by the ids of their steps, for a run that makes a figure again from the document in its
        file.
    """

    plan: Plan
    archive: str = ""
    files: Mapping[str, Any] = field(default_factory=dict)
    lock: Lock | None = None
    proof: Level | None = None
    access: Access = field(default_factory=Access)
    output: Path | None = None
    outputs: Path | None = None
    own_folder: str = ""
    formats: tuple[Format, ...] = ()
    self_contained: bool = False
    named_archive: str | None = None
    figures: Mapping[str, Document] = field(default_factory=dict)

    def folder(self, run_id: str) -> Path | None:
        """Return the output folder of a run; return None if the run writes no files."""
        if self.output is None and self.outputs is not None:
            return self.outputs / (self.own_folder or run_id)
        return self.output
