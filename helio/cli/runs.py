"""Commands that list, show and delete run records, and say why a step was computed."""

from __future__ import annotations

import os
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from helio.cli.app import (
    FAILED,
    MARKS,
    Archive,
    Json,
    Now,
    Replace,
    RunId,
    TimeRange,
    app,
    chosen_formats,
    current_settings,
    errors_as_text,
    is_run,
    print_json,
    proposals,
    run_records,
    say,
    say_changes,
)
from helio.cli.asking import PreviewFormats
from helio.cli.completion import (
    complete_labels,
    complete_pipelines,
    complete_previewed,
    complete_runs,
    complete_steps,
)
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.pipelines.runs.listing import ListedRun

_LONGEST_REASON = 100
runs_app = typer.Typer(cls=Commands, help="List, show or delete your runs.", rich_markup_mode=None)
app.add_typer(runs_app, name="runs")


@runs_app.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context,
    pipeline: Annotated[
        str | None,
        typer.Option(
            "--pipeline",
            help="List only the runs of this pipeline.",
            metavar="NAME",
            autocompletion=complete_pipelines,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", help="Maximum number of runs to list, newest first.", metavar="NUMBER")
    ] = 20,
    as_json: Json = False,
) -> None:
    """List your runs, newest first."""
    if context.invoked_subcommand is not None:
        return
    with errors_as_text(as_json):
        from helio.pipelines.runs.listing import listed_runs

        runs = listed_runs(run_records(), pipeline=pipeline or "", limit=max(limit, 0))
        if as_json:
            print_json([run.to_json() for run in runs])
            return
        for run in runs:
            _say_run(run)
        if not runs:
            say("no runs of this pipeline" if pipeline else "no runs yet; `helio run PIPELINE` starts one")


def _say_run(run: ListedRun) -> None:
    """Print one line about a run; below it, print why the run failed, and the path of its figure."""
    summary = run.summary
    facts = (summary.id, summary.pipeline, run.time_range, summary.note)
    say(
        "  ".join(
            [f"{summary.status:<9}", f"{summary.started_at[:19]:<19} UTC", *(fact for fact in facts if fact)]
        )
    )
    if run.reason:
        step = f"step {run.failed_step}: " if run.failed_step else ""
        first_line = run.reason.splitlines()[0]
        say(f"{'':<11}{step}{textwrap.shorten(first_line, _LONGEST_REASON, placeholder=' …')}")
    if run.picture:
        missing = "" if os.path.exists(run.picture) else "  (no longer there)"
        say(f"{'':<11}{os.path.relpath(run.picture) if _is_below(run.picture) else run.picture}{missing}")


def _is_below(file: str) -> bool:
    return Path(file).is_relative_to(Path.cwd())


@runs_app.command("show")
def show_run(run_id: RunId, as_json: Json = False) -> None:
    """Show what a run did: its values, steps, results and files."""
    with errors_as_text(as_json):
        from helio.pipelines.runs.data_quality import quality_line
        from helio.store.runs import message_of

        record = run_records().load(run_id)
        if as_json:
            written = {**record.whole_header, "process": record.process.to_json()}
            facts = {"steps": record.steps, "notes": record.notes}
            print_json(written | facts | record.documents)
            return
        header = record.whole_header
        steps, notes = record.readable_steps
        say(f"{record.id}: {record.status}")
        if header.get("error"):
            say(f"error: {header['error']}")
        for name, value in header.get("values", {}).items():
            say(f"  {name} = {value}")
        for lost in header.get("missing", ()):
            say(lost["message"])
        for step in steps:
            reason = step["reason"] or message_of(step)
            say(f"  {MARKS[step['state']]} {step['step_id']}  {step['tool_name']}  {reason}".rstrip())
            for labels, what in (
                (step.get("not_measured"), "values that the author wrote, and that were not measured"),
                (step.get("maybe_not_measured"), "values that may not be measured"),
            ):
                if labels:
                    say(f"      {what}: {', '.join(labels)}")
            for document in step.get("documents", ()):
                pages = ", ".join(map(str, document.get("pages", ())))
                at = f", page {pages}" if pages else ""
                say(f"      read from {document['name']}{at} (sha256 {document['sha256'][:12]}…)")
            for output in step["outputs"]:
                say(f"      {output['label'] or 'artefact'}  {output['digest'][:19]}…")
                if output.get("quality"):
                    say(f"        {quality_line(output['quality'])}")
                for note in output.get("notes", ()):
                    say(f"        {note}")
        for file in header.get("artefacts", ()):
            say(f"  {file['kind']:<5} {file['file']}")
        for note in notes:
            say(f"note: {note}", err=True)


@runs_app.command("delete")
def delete_run(run_id: RunId) -> None:
    """Delete the record of a run; helio gc can then delete its results."""
    with errors_as_text(as_json=False):
        runs = run_records()
        record = runs.load(run_id)
        runs.delete(record.id)
        say(f"deleted {record.id}")


@app.command()
def why(
    run_id: RunId,
    step: Annotated[
        str,
        typer.Argument(
            help="ID of a step, as `helio runs show RUN` lists it. Default: all steps.",
            metavar="STEP",
            autocompletion=complete_steps,
        ),
    ] = "",
) -> None:
    """Say why a step of a run was computed, or taken from the store."""
    with errors_as_text(as_json=False):
        from helio.pipelines.runs import why as reasons

        runs = run_records()
        for line in reasons.why(runs, run_id, step) if step else reasons.why_steps(runs, run_id):
            say(line)


TableLabel = Annotated[
    str,
    typer.Argument(
        help="Label of a table, such as AC_H2_MFI.BGSEc, or of one component, such as AC_H2_MFI.BGSEc.Bx.",
        metavar="LABEL",
        autocompletion=complete_labels,
    ),
]


@app.command("describe")
def describe_tables(run_id: RunId, label: TableLabel = "", as_json: Json = False) -> None:
    """Describe a table of a run: span, cadence, gaps, missing values, range.

    Without LABEL, describe all tables.
    """
    with errors_as_text(as_json):
        from helio import api

        tables = api.describe(run_id, label, settings=current_settings())
        if as_json:
            print_json([table.to_json() for table in tables])
            return
        from helio.steps.describe import description_lines

        say("\n\n".join("\n".join(description_lines(table)) for table in tables) or "the run made no table")


@app.command("preview")
def preview_table(
    run_id: Annotated[
        str,
        typer.Argument(
            help="ID of a run, its beginning, or 'last'; or ID of a pending proposal, to draw it.",
            metavar="RUN|PROPOSAL",
            autocompletion=complete_previewed,
        ),
    ],
    label: TableLabel = "",
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows", help="Number of records to show. Default: 5, or 3 of a spectrum.", metavar="NUMBER"
        ),
    ] = None,
    tail: Annotated[bool, typer.Option("--tail", help="Show the last records instead of the first.")] = False,
    both: Annotated[bool, typer.Option("--both", help="Show the first and the last records.")] = False,
    time_range: TimeRange = None,
    now: Now = None,
    archive: Archive = None,
    formats: PreviewFormats = "",
    as_json: Json = False,
) -> None:
    """Show the first records of a table of a run, or draw the figures before and after a proposed change.

    The runs that draw a proposal are not in the list of helio runs.
    """
    with errors_as_text(as_json):
        from helio import api
        from helio.errors import RequestError

        if not label:
            from helio.cli.proposals import as_it_is_now, draw_proposal, say_drawings

            if is_run(run_id):
                raise RequestError(
                    f"no table of run {run_id} is named", advice="use a label that `helio describe RUN` lists"
                )
            kept = proposals()
            proposal = as_it_is_now(kept, kept.load(run_id))
            drawings = draw_proposal(
                proposal, time_range=time_range, now=now, archive=archive, formats=chosen_formats(formats)
            )
            if as_json:
                print_json(asdict(drawings))
            else:
                say_drawings(drawings)
            if not drawings.files:
                raise typer.Exit(FAILED)
            return
        position: Literal["head", "tail", "both"] = "both" if both else "tail" if tail else "head"
        records = api.preview(run_id, label, rows=rows, position=position, settings=current_settings())
        if as_json:
            print_json(records.to_json())
            return
        from helio.steps.describe import preview_lines

        say("\n".join(preview_lines(records)))


@app.command("save")
def save_runs(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="ID of a run, or 'last' for the newest. With ID:STEP,STEP, the pipeline gets only these steps and the "
            "steps that they depend on.",
            metavar="RUN[:STEP,…]",
            autocompletion=complete_runs,
        ),
    ],
    name: Annotated[str, typer.Option("--as", help="Name of the pipeline.", metavar="NAME")],
    replace: Replace = False,
) -> None:
    """Save the steps of one or more runs as a pipeline.

    Leaves out steps that failed, and steps whose results nothing uses.
    """
    with errors_as_text(as_json=False):
        from helio import api

        chosen = [
            (run.partition(":")[0], [step for step in run.partition(":")[2].split(",") if step])
            for run in runs
        ]
        saved = api.save_runs(chosen, name, replace=replace, settings=current_settings())
        for note in saved.notes:
            say(f"note: {note}", err=True)
        for diagnostic in saved.diagnostics:
            if diagnostic.severity == "warning":
                say(str(diagnostic), err=True)
        say_changes(saved.changes, new=not saved.replaced)
        say(saved.path)
