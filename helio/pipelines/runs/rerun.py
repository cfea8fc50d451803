"""Make a figure again from the document in its file, and compare the new figure with the old one.

The document may come from a stranger. Its template goes through all passes and its code runs in the sandbox, like any
other template. helio takes no folder, no address and no file name from the rest of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from helio.errors import RequestError
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.execute import StepResult
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.prepare import prepare_run
from helio.pipelines.runs.provenance import FigureFile, Provenance, differences, provenance_of
from helio.pipelines.runs.request import PlanRequest
from helio.pipelines.runs.session import Engine, run_plan
from helio.pipelines.template.files import Format
from helio.settings import Settings
from helio.sources.archives import Access

Verdict = Literal["same", "different", "nothing compared"]


@dataclass(frozen=True)
class Rerun:
    """The new run of a figure, and how the new figure differs from the old one.

    Parameters
    ----------
    run : Run
        The new run, with its files.
    old, new : Provenance or None
        Where the two figures come from; `new` is None if the run drew no such figure.
    file : Path or None
        The new file in the format of the old file.
    same_figure : bool
        Whether both figures show the same, before they were written in their format.
    same_bytes : bool
        Whether both files have the same bytes.
    differences : tuple of str
        How data and programs differ, in words.
    missing : tuple of str
        Files that the old figure was made from, and that the new run did not find.
    """

    run: Run
    old: Provenance
    new: Provenance | None = field(default=None, repr=False)
    file: Path | None = None
    same_figure: bool = False
    same_bytes: bool = False
    differences: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Result in one word, as for `helio.pipelines.runs.compare.Comparison`."""
        if self.new is None:
            return "nothing compared"
        return "same" if self.same_bytes else "different"

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs."""
        return {
            "rerun": "helio-rerun/1",
            "run": self.run.id,
            "verdict": self.verdict,
            "same_figure": self.same_figure,
            "same_bytes": self.same_bytes,
            "file": None if self.file is None else str(self.file),
            "differences": list(self.differences),
            "missing": list(self.missing),
        }


def rerun(
    figure: FigureFile,
    *,
    settings: Settings,
    engine: Engine,
    archive: str = "",
    access: Access | None = None,
    output: Path | None = None,
    outputs: Path | None = None,
    formats: Iterable[Format] = (),
    self_contained: bool = False,
    planned: Callable[[Plan], None] = lambda plan: None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Rerun:
    """Make a figure again in this home, also in the format of its file, and compare the two files.

    Parameters
    ----------
    archive : str
        Where the data are. Default: the provider that the document names; if it names none, the archive of the
        settings.

    Raises
    ------
    RequestError
        The data came from a folder, and no folder is given.
    InvalidTemplate
        This version of helio cannot run its template.
    """
    origin = figure.origin
    source = archive or (str(settings.archive) if origin.needs_archive else origin.archive)
    if origin.needs_archive and not source:
        files = ", ".join(file.file for dataset in origin.datasets for file in dataset.files)
        raise RequestError(
            f"the data of this figure came from {origin.archive}, which the figure does not name",
            advice=f"give the data with --archive DIR{f': {files}' if files else ''}",
        )
    request = prepare_run(PlanRequest(origin.template, archive=source), settings, access=access)
    drawn = next((step for step in request.plan.steps if str(step.step_id) == origin.step), None)
    if drawn is None or not drawn.files:
        raise RequestError(
            f"the pipeline in this figure has no step {origin.step[:60]!r} that draws it",
            advice="use the file that helio wrote",
        )
    request = replace(
        request,
        output=output,
        outputs=outputs,
        formats=tuple(dict.fromkeys((*formats, figure.format))),
        self_contained=self_contained or figure.self_contained,
        figures={origin.step: origin.template},
    )
    planned(request.plan)
    run = run_plan(request, settings=settings, engine=engine, started=started, finished=finished)
    made = next(result for result in run.result.steps if str(result.step.step_id) == origin.step)
    if made.artefact is None:
        return Rerun(run, origin, missing=_missing(origin, run))
    new = provenance_of(
        run.result,
        made,
        archive=request.archive,
        home=settings.home,
        digest=made.artefact.digest,
        template=origin.template,
    )
    written = [
        file for file in run.artefacts if str(file.step_id) == origin.step and file.kind == figure.format
    ]
    same_bytes = any(file.sha256 == figure.sha256 for file in written)
    return Rerun(
        run,
        origin,
        new,
        file=written[0].path if written else None,
        same_figure=new.digest == origin.digest,
        same_bytes=same_bytes,
        differences=differences(origin, new),
        missing=_missing(origin, run),
    )


def _missing(origin: Provenance, run: Run) -> tuple[str, ...]:
    """List the files of the old figure whose bytes no fetch of the new run read, nor a file of the same name."""
    sources = [source for step in run.result.steps for output in step.outputs for source in output.sources]
    known = {source.sha256 for source in sources} | {source.file for source in sources}
    return tuple(
        f"{file.file} of {dataset.dataset} (sha256 {file.sha256[:12]}…)"
        for dataset in origin.datasets
        for file in dataset.files
        if file.sha256 not in known and file.file not in known
    )
