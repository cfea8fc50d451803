"""Everything that the page of one run shows: figures, files, steps, notes, citations and provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helio import __version__
from helio.errors import HelioError
from helio.knowledge.citations import Citation, bibtex, text_lines
from helio.pipelines.library import Library
from helio.pipelines.runs.data_quality import QualityRow, quality_rows
from helio.pipelines.runs.intervals import PICTURES, IntervalRun
from helio.pipelines.template.document import ID, digest
from helio.pipelines.template.files import DETAIL
from helio.settings import Settings
from helio.store.records import WrongShape, convert, read_json
from helio.store.runs import ArtefactRecord, RunRecord, Runs, StepRecord
from helio.store.source_file import SourceFile


@dataclass(frozen=True)
class DrawnFigure:
    """A figure of a run in all its formats.

    Parameters
    ----------
    title : str
        The title of the figure; the pipeline's name if it has none.
    panels : tuple of str
        What each panel shows: the labels of its tables.
    files : tuple of ArtefactRecord
        The formats, first the one that a page shows best.
    """

    step_id: str
    title: str
    panels: tuple[str, ...]
    files: tuple[ArtefactRecord, ...]

    def file(self, kind: str) -> ArtefactRecord | None:
        """Return the figure in a format; None if the run did not write it."""
        return next((file for file in self.files if file["kind"] == kind), None)

    @property
    def description(self) -> str:
        """Describe the figure for readers who do not see it."""
        if not self.panels:
            return self.title
        return f"{self.title}. Panels from top to bottom: {'; '.join(self.panels)}."


@dataclass(frozen=True)
class RunDetails:
    """Facts of one run for its page.

    Parameters
    ----------
    exports : tuple of ArtefactRecord
        Its files that are no figures.
    revision : int
        Number of the template's revision in the user's library; 0 if the library does not have it.
    unwritten, lost : tuple of str
        Files that could not be written, and items without which the run went on.
    damage : str
        Why parts of the record cannot be shown.
    """

    run: IntervalRun
    header: Mapping[str, Any]
    figures: tuple[DrawnFigure, ...] = ()
    exports: tuple[ArtefactRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    citation: tuple[str, ...] = ()
    bibtex: str = ""
    revision: int = 0
    unwritten: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    damage: str = ""

    @property
    def archive(self) -> str:
        """Return the archive; of a folder only its name, because its path says something about the machine."""
        archive = str(self.header.get("archive", ""))
        return f"the folder {Path(archive).name}" if archive.startswith("/") else archive

    @property
    def quality(self) -> list[tuple[str, QualityRow]]:
        """List how much of its data each trace of the run's figures shows, with the step of the figure."""
        return [
            (str(step["step_id"]), row)
            for step in self.steps
            for output in step["outputs"]
            for row in quality_rows(output.get("quality", ()))
        ]

    @property
    def notes(self) -> list[tuple[str, str]]:
        """List the notes of the run's steps, each with its step; its events are listed apart."""
        events = {event["message"] for event in self.run.events}
        return [
            (str(step["step_id"]), note)
            for step in self.steps
            for note in dict.fromkeys(note for output in step["outputs"] for note in output.get("notes", ()))
            if note not in events
        ]


class Revisions:
    """Numbers of the revisions of the user's pipelines, found by the digest of a template."""

    def __init__(self, settings: Settings) -> None:
        self._library = Library(settings.templates)
        self._known: dict[str, dict[str, int]] = {}

    def number(self, pipeline: str, template_digest: str) -> int:
        """Return the newest revision with this digest; 0 if there is none."""
        if pipeline not in self._known:
            self._known[pipeline] = self._read(pipeline) if ID.fullmatch(pipeline) else {}
        return self._known[pipeline].get(template_digest, 0)

    def _read(self, pipeline: str) -> dict[str, int]:
        numbers = {}
        history = self._library.history(pipeline)
        for revision in history.revisions():
            try:
                document = read_json(history.text(revision.number).encode())
            except (HelioError, WrongShape):  # `helio history` reports it
                continue
            numbers[digest(document)] = revision.number
        return numbers


def read_details(run: IntervalRun, runs: Runs, revisions: Revisions) -> RunDetails:
    """Read from a run's record what its page shows; say what cannot be read."""
    record = RunRecord(runs.root / run.id)
    try:
        header: Any = record.whole_header
        plan: Any = record.plan
        steps, damage = record.readable_steps
    except HelioError as error:
        return RunDetails(run, {}, damage=error.message)
    citations: Sequence[Citation] = ()
    try:
        citations = convert(header.get("citations", []), list[Citation], "citations")
    except WrongShape as error:
        damage = (*damage, f"the citations cannot be read: {error}")
    version = header["environment"].get("helio", __version__)
    sources = {
        source.identity: source
        for step in steps
        for output in step["outputs"]
        for source in output["sources"]
    }
    return RunDetails(
        run,
        header,
        figures=tuple(_figures(run, plan)),
        exports=tuple(file for file in run.files if file["kind"] not in (*PICTURES, DETAIL)),
        steps=tuple(steps),
        sources=tuple(sources.values()),
        citation=tuple(text_lines(citations, version)) if citations else (),
        bibtex=bibtex(citations, version).rstrip() if citations else "",
        revision=revisions.number(run.pipeline, header["template_digest"]),
        unwritten=tuple(header.get("unwritten", ())),
        lost=tuple(item["message"] for item in header.get("missing", ())),
        damage="; ".join(damage),
    )


def _figures(run: IntervalRun, plan: Mapping[str, Any]) -> list[DrawnFigure]:
    specs = {str(step["step_id"]): (step.get("tool_args") or {}).get("spec") or {} for step in plan["steps"]}
    by_step: dict[str, list[ArtefactRecord]] = {}
    for file in run.files:
        if file["kind"] in PICTURES:
            by_step.setdefault(str(file["step_id"]), []).append(file)
    drawn = []
    for step_id, files in by_step.items():
        spec = specs.get(step_id, {})
        title = spec.get("title") if isinstance(spec, dict) else None
        ordered = sorted(files, key=lambda file: PICTURES.index(file["kind"]))
        name = str(title or run.title or run.pipeline)
        drawn.append(DrawnFigure(step_id, name, tuple(_panels(spec)), tuple(ordered)))
    return drawn


def _panels(spec: Any) -> list[str]:
    panels = spec.get("panels") if isinstance(spec, dict) else None
    return [
        ", ".join(str(label) for label in panel) if isinstance(panel, list) else str(panel)
        for panel in (panels if isinstance(panels, list) else ())
    ]


def file_label(file: ArtefactRecord) -> str:
    """Return the name of a file and its format, for a link."""
    return Path(file["file"]).name
