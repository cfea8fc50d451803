"""Result of one run: its status, tables, figures and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from helio.counts import number_of
from helio.errors import ExportError, RequestError, RunFailed, UnknownResult, did_you_mean
from helio.notebook import MOST_ROWS, box, listed, paragraph, table_of
from helio.pipelines.plan import Plan
from helio.pipelines.runs.artefacts import Artefact, MissingFile
from helio.pipelines.runs.execute import Execution, Output, PlanResult, StepResult
from helio.pipelines.runs.record import (
    artefact_record,
    event_records,
    header,
    missing_record,
    step_record,
    versions,
)
from helio.pipelines.runs.states import DONE, Status
from helio.pipelines.template.diagnostics import diagnostics_as_html
from helio.pipelines.template.document import shortened

if TYPE_CHECKING:
    from helio.steps.render.figure import Figure
    from helio.store.table import Table

Name = TypeVar("Name", bound=int | str)
Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Run:
    """Result of one run: its plan, status, tables, figures and files.

    Parameters
    ----------
    id : str
        Its id in the store: ``helio runs show ID``.
    status : "success", "partial" or "failed"
        ``partial`` when all critical steps and their files are done, but other steps or files are not.
    folder : Path or None
        Folder of its files.
    unwritten : tuple of ExportError
        Files that this machine could not write; everything else was written.
    engine : str
        The engine: ``"prefect"``, ``"direct"``, or ``"none"`` when the store had everything.
    """

    id: str
    status: str
    folder: Path | None
    result: PlanResult
    execution: Execution = field(repr=False)
    artefacts: tuple[Artefact, ...] = ()
    unwritten: tuple[ExportError, ...] = ()
    engine: str = "direct"
    page: str = ""
    """Address of the run's web page; empty if no server shows the run."""
    archive: str = ""
    """Archive that was given for the run; if the archive is a folder, its absolute path."""
    citations: tuple[dict[str, Any], ...] = ()
    """Citations of the datasets of the run, as JSON; `helio.knowledge.citations` explains the keys."""

    @property
    def plan(self) -> Plan:
        """The plan that the run executed."""
        return self.result.plan

    @property
    def tables(self) -> Mapping[str, Table]:
        """Tables by label; each table is read from the store when it is used.

        Raises
        ------
        UnknownResult
            The run made no table with this label.
        """
        return Results("table", self.execution.labels, self.execution.table, self._why_missing)

    @property
    def figures(self) -> Mapping[int | str, Figure]:
        """Figures, by the id of the step that drew each figure.

        Raises
        ------
        UnknownResult
            This step drew no figure.
        """
        from helio.steps.render.figure import Figure

        drawn = {
            result.step.step_id: result.artefact
            for result in self.result.steps
            if result.artefact is not None and "filename" not in result.artefact.facts
        }

        def read(step_id: int | str) -> Figure:
            output = drawn[step_id]
            facts = output.facts
            document = json.loads(self.execution.content(output))
            return Figure(document, tuple(facts["notes"]), quality=tuple(facts.get("quality", ())))

        return Results("figure", tuple(drawn), read, self._why_missing)

    @property
    def figure(self) -> Figure:
        """The figure of the run, if there is exactly one.

        Raises
        ------
        RequestError
            There is no figure, or more than one.
        """
        figures = self.figures
        if len(figures) == 1:
            return next(iter(figures.values()))
        if figures:
            advice = "choose one with run.figures[…]: " + ", ".join(map(repr, figures))
            raise RequestError(f"the run has {len(figures)} figures", advice=advice)
        raise RequestError(
            "the run drew no figure", advice=self._failures() or "add a step with render_spec to the pipeline"
        )

    @property
    def reasons(self) -> list[str]:
        """Why steps failed; an error that several steps share is there once, with the place of the first of them."""
        reasons: dict[str, str] = {}
        for result in self.result.steps:
            if result.error is not None:
                reasons.setdefault(result.error.message, str(result.error))
        return list(reasons.values())

    def __repr__(self) -> str:
        counts = f"{number_of(len(self.tables), 'table')}, {number_of(len(self.figures), 'figure')}"
        folder = "" if self.folder is None else f", folder={str(self.folder)!r}"
        failures = self._failures()
        return f"<Run {self.id!r}: {self.status}, {counts}{folder}{f', {failures}' if failures else ''}>"

    def _repr_html_(self) -> str:
        times = [f"{name[1:]}: {time_range}" for name, time_range in self.plan.time_ranges.items()]
        return box(
            f"{self.id}: {self.status}",
            paragraph("\n".join(times)),
            table_of(["step", "tool", "state", "made"], map(_step_row, self.result.steps)),
            listed("Files", (artefact.path for artefact in self.artefacts)),
            listed("Files that could not be written", (error.message for error in self.unwritten)),
            diagnostics_as_html(self.plan.warnings),
        )

    def raise_if_failed(self) -> None:
        """Raise an error that names the failed step, the reason and the remedy, if the run failed.

        A partial run has all critical results, so it raises nothing.

        Raises
        ------
        RunFailed
        """
        if self.status != "failed":
            return
        failed = [result for result in self.result.steps if result.error is not None]
        failed.sort(key=lambda result: not result.step.critical)
        if failed and failed[0].error is not None:
            step, error = failed[0].step, failed[0].error
            what = f"step {step.step_id!r} ({step.tool_name}) failed: {error.message}"
            others = f"; {number_of(len(failed) - 1, 'other step')} failed too" if len(failed) > 1 else ""
        else:
            error = self.unwritten[0]
            what, others = f"a file could not be written: {error.message}", ""
        raise RunFailed(
            f"run {self.id}: {what}{others}",
            advice=error.advice or "run with check=False and look at run.result.steps",
            place=error.place,
            run=self,
            error=error,
        )

    def _failures(self) -> str:
        """Describe the first failed step, and count the other failed steps."""
        failed = [result for result in self.result.steps if result.error is not None]
        if not failed or failed[0].error is None:
            return ""
        others = f", and {number_of(len(failed) - 1, 'other step')}" if len(failed) > 1 else ""
        return f"step {failed[0].step.step_id!r} failed: {shortened(failed[0].error.message)}{others}"

    def _why_missing(self, name: object) -> str:
        """Explain why a planned table or figure is missing; return an empty text for a name that is not in the plan."""
        for result in self.result.steps:
            if result.state in DONE or name not in (*result.step.produces, result.step.step_id):
                continue
            reason = result.error.message if result.error is not None else result.reason
            return f"step {result.step.step_id!r} {result.state}: {reason}"
        return ""

    def ending(self) -> dict[str, Any]:
        """Return the result of the run as JSON, without its steps."""
        return {
            "engine": self.engine,
            "missing": missing_record(self.result),
            "citations": list(self.citations),
            "unwritten": [error.message for error in self.unwritten],
            "artefacts": [artefact_record(artefact, self.plan) for artefact in self.artefacts],
            **({"events": self.events} if self.events else {}),
        }

    @property
    def events(self) -> list[dict[str, Any]]:
        """List the alerts of the run and the expectations that are not met, as JSON."""
        return event_records(self.result.steps, self.artefacts)

    def record(self) -> dict[str, Any]:
        """Return the run as JSON: plan, states, keys, digests, sources, artefacts and environment."""
        ending = self.ending()
        return {
            "record": "helio-run/1",
            **header(self.id, self.plan, self.archive),
            "status": self.status,
            "engine": ending["engine"],
            "missing": ending["missing"],
            "steps": [step_record(step_result) for step_result in self.result.steps],
            "artefacts": ending["artefacts"],
            "unwritten": ending["unwritten"],
            "citations": ending["citations"],
            **({"events": ending["events"]} if "events" in ending else {}),
            "warnings": [warning.to_json() for warning in self.plan.warnings],
            "authored": self.plan.authored,
            "normalised": self.plan.normalised,
            "plan": self.plan.document,
            "edits": [edit.to_json() for edit in self.plan.edits],
            **versions(),
        }


def _step_row(result: StepResult) -> tuple[object, ...]:
    """Describe a step in one row: its id, tool and state, and what it made or why it made nothing."""
    if result.error is not None:
        made = str(result.error)
    elif result.state not in DONE:
        made = result.reason
    else:
        made = "\n".join(_made(output) for output in result.outputs)
    return result.step.step_id, result.step.tool_name, result.state, made


def _made(output: Output) -> str:
    if not output.label:
        return str(output.facts.get("filename", "figure"))
    facts = output.facts
    about = [number_of(facts["rows"], "record"), facts["unit"], facts["frame"]]
    return f"{output.label}: {', '.join(filter(None, about))}"


def status_with_files(result: PlanResult, missing: Sequence[MissingFile]) -> Status:
    """Return the status of a run: failed if a critical step lacks a file, partial if another step lacks one."""
    lost = {step.step_id for step in missing if step.file.critical}
    steps = (
        replace(step_result, state="failed") if step_result.step.step_id in lost else step_result
        for step_result in result.steps
    )
    status = PlanResult(result.plan, tuple(steps)).status
    return "partial" if missing and status == "success" else status


class Results(Mapping[Name, Value]):
    """Tables or figures of a run by name; each is read from the store when it is used."""

    def __init__(
        self,
        kind: str,
        names: tuple[Name, ...],
        read: Callable[[Name], Value],
        why_missing: Callable[[object], str],
    ) -> None:
        self._kind = kind
        self._names = names
        self._read = read
        self._why_missing = why_missing

    def __getitem__(self, name: Name) -> Value:
        if name in self._names:
            return self._read(name)
        known = ", ".join(map(repr, self._names[:10])) + (" …" if len(self._names) > 10 else "")
        alike = next((other for other in self._names if str(other) == str(name)), None)
        advice = (
            f"did you mean {alike!r}?"
            if alike is not None
            else did_you_mean(
                str(name),
                map(str, self._names),
                otherwise=f"choose one of the {self._kind}s: {known}"
                if known
                else f"the run made no {self._kind}s",
            )
        )
        raise UnknownResult(
            f"the run made no {self._kind} {name!r}", advice=self._why_missing(name) or advice
        )

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._names[:10])) + (" …" if len(self._names) > 10 else "")
        return f"<{number_of(len(self), self._kind)}{f': {shown}' if shown else ''}>"

    def _repr_html_(self) -> str:
        rows = ((name, repr(self._read(name))[1:-1]) for name in self._names[:MOST_ROWS])
        others = len(self) - MOST_ROWS
        return box(
            number_of(len(self), self._kind),
            table_of([self._kind, "content"], rows),
            paragraph(f"… {number_of(others, 'more', 'more')}" if others > 0 else ""),
        )

    def _ipython_key_completions_(self) -> list[Name]:
        return list(self._names)
