"""Commands that run a pipeline, or show what a run would do.

HE201 (warning)  a later candidate was used; all attempts listed
    helio uses another dataset only where the pipeline lists it as a candidate, and always says so.
    before  "candidates": ["AC_H0_MFI", "AC_K0_MFI"]
    after   AC_H0_MFI was not used: no data
    to do   Check that the dataset that was used fits your purpose; to demand the first one, remove the other
            candidates.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from helio.cli.app import (
    EXIT_OF_STATUS,
    Archive,
    Assign,
    Formats,
    Json,
    Locked,
    LockFile,
    MaxDownload,
    Name,
    Now,
    Offline,
    Refresh,
    SelfContained,
    TimeRange,
    app,
    assignments,
    chosen_formats,
    chosen_lock,
    current_settings,
    errors_as_text,
    logged_settings,
    page_link,
    print_json,
    proposals,
    say,
    size_of,
)
from helio.cli.completion import complete_pipelines
from helio.cli.progress import file_lines, time_line, watch

if TYPE_CHECKING:
    from helio.pipelines.plan import Plan
    from helio.pipelines.runs.outcome import Run
    from helio.settings import Settings


@app.command()
def run(
    context: typer.Context,
    name: Annotated[
        list[str],
        typer.Argument(
            help="Name of a pipeline, name or ID of a pending proposal, or path of a JSON file or of a saved plan.",
            metavar="PIPELINE",
            autocompletion=complete_pipelines,
        ),
    ],
    time_range: TimeRange = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the figures and files. Default: ./helio-runs/RUN.",
            metavar="FOLDER",
        ),
    ] = None,
    formats: Formats = "",
    self_contained: SelfContained = False,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    refresh: Refresh = False,
    locked: Locked = False,
    lock: LockFile = None,
    proof: Annotated[
        Literal["file", "checksum", "parts", "size"] | None,
        typer.Option(
            "--proof",
            help="With --locked: the weakest check of each file's content to accept. From the strongest to the "
            "weakest: 'file' (a checksum stored in the file itself), 'checksum' (one from the archive), 'parts' "
            "(checksums of parts of the file), 'size' (only its size). Default: no such check; the digests in the "
            "lock are enough.",
        ),
    ] = None,
    ephemeral: Annotated[
        bool,
        typer.Option(
            "--ephemeral",
            help="Start the engine's server inside this process, for this run only; use it on batch systems.",
        ),
    ] = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Run the steps one after another, without the engine (Prefect).")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a pipeline: fetch data, compute and draw."""
    with errors_as_text(as_json):
        from helio import api
        from helio.sources.archives import Access

        settings = logged_settings(context)
        pipeline = _one_name(name)
        kept = proposals()
        proposal = kept.unaccepted(pipeline)
        chosen = chosen_formats(formats)
        values = assignments(assign or [])
        if proposal is not None:
            from helio.cli.proposals import as_it_is_now

            proposal = as_it_is_now(kept, proposal)
            say(f"note: {proposal.id} is a proposal that is not accepted yet", err=True)

        def planned(plan: Plan) -> None:
            _print_times(plan, settings)

        with watch(planned=planned, quiet=as_json, live=not context.obj) as progress:
            outcome = api.run(
                pipeline if proposal is None else proposal.template,
                time_range=time_range,
                variables=values,
                now=now,
                archive=archive,
                output=output,
                outputs=Path("helio-runs"),
                formats=chosen,
                self_contained=self_contained,
                engine="direct" if direct else "ephemeral" if ephemeral else settings.engine,
                locked=chosen_lock(locked, lock),
                proof=proof,
                access=Access(size_of(max_download), offline, refresh, on_progress=progress.downloading),
                settings=settings,
                planned=progress.planned,
                started=progress.started,
                check=False,
                finished=progress.finished,
            )
        if as_json:
            print_json(outcome.record() | {"folder": str(outcome.folder)})
        else:
            _print_outcome(outcome, settings)
    raise typer.Exit(EXIT_OF_STATUS[outcome.status])


@app.command("plan")
def plan_pipeline(
    name: Name,
    time_range: TimeRange = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Save the plan in this file; `helio run FILE` runs it. Default: not saved.",
            metavar="FILE",
        ),
    ] = None,
    locked: Locked = False,
    lock: LockFile = None,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline", help="Contact no server, and show as unknown the facts that only a server knows."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a run would do: each step, and how much to download.

    If a server cannot be reached, the plan says what is unknown.
    """
    with errors_as_text(as_json):
        from helio import api
        from helio.pipelines.runs.foresee import download_words, size_words
        from helio.sources.archives import Access
        from helio.store.files import json_bytes, write_whole

        settings = current_settings()

        def print_plan(plan: Plan) -> None:
            if not as_json:
                _print_times(plan, settings)

        planned, saved = api.foresee(
            name,
            time_range=time_range,
            variables=assignments(assign or []),
            now=now,
            archive=archive,
            locked=chosen_lock(locked, lock),
            access=Access(offline=offline),
            settings=settings,
            planned=print_plan,
        )
        if output is not None:
            write_whole(output, json_bytes(saved))
        if as_json:
            print_json(saved)
            return
        for variable, value in planned.values.items():
            if variable not in planned.time_ranges:
                say(f"{variable} = {value}")
        for step, forecast in zip(planned.steps, saved["forecast"], strict=True):
            needs = size_words(forecast["download"]) if forecast.get("download") else ""
            line = f"{forecast['state']:<6}  {step.step_id}  {step.tool_name}  {forecast['reason']}"
            line += f", writes {', '.join(forecast['writes'])}" if forecast.get("writes") else ""
            say(f"{line}, to download: {needs}" if needs else line)
        say(f"to download: {download_words(saved)}")
        if saved.get("offline"):
            say(f"note: planned offline: {saved['offline']}", err=True)
        if output is not None:
            say(f"saved {output}")


def _one_name(words: list[str]) -> str:
    """Return the pipeline's name from ``run NAME`` or from ``run pipeline NAME``."""
    from helio.errors import RequestError

    if len(words) == 2 and words[0] == "pipeline":
        return words[1]
    if len(words) != 1:
        raise RequestError(
            f"`helio run` takes one pipeline, not {len(words)}: {' '.join(words)}",
            advice=f"run one pipeline at a time: `helio run {words[0]}`",
        )
    return words[0]


def _print_times(plan: Plan, settings: Settings) -> None:
    """Print the time range of a run and its plan's warnings; print once how earlier versions read the time range."""
    from helio.pipelines.reread import CODE as REREAD
    from helio.pipelines.reread import plan_notices

    say(time_line(plan))
    for warning in plan.warnings:
        if warning.code != REREAD:
            say(str(warning), err=True)
    for notice in plan_notices(plan, settings.home):
        say(f"note: {notice}", err=True)


def _print_outcome(outcome: Run, settings: Settings) -> None:
    # Tables from one file often have the same note.
    tables = Counter(
        note
        for result in outcome.result.steps
        for output in result.outputs
        if output.label
        for note in output.facts["notes"]
    )
    for result in outcome.result.steps:
        step_id = result.step.step_id
        for output in result.outputs:
            for note in output.facts["notes"] if output.label else ():
                if count := tables.pop(note, 0):
                    more = f" … and {count - 1} more like it" if count > 1 else ""
                    say(f"note: {step_id}: {output.label}: {note}{more}", err=True)
        if result.error is not None:
            say(f"error: {result.error}", err=True)
        for attempt in result.attempts[:-1]:
            passed = f"{attempt['dataset_id']} was not used: {attempt['outcome']}"
            say(f"warning[HE201] step {step_id}: {passed}", err=True)
        for note in result.artefact.facts["notes"] if result.artefact else ():
            if not _is_full_coverage(note):
                say(f"note: {step_id}: {note}", err=True)
    for lost in outcome.result.lost:
        say(str(lost), err=True)
    for unwritten in outcome.unwritten:
        say(f"error: {unwritten}", err=True)
    for line in file_lines(outcome):
        say(line)
    if outcome.page:
        say(f"page  {page_link(outcome.page, settings)}  (`helio down` stops the server)")
    say(f"{outcome.status}: {outcome.plan.pipeline_id}  {outcome.folder}")


def _is_full_coverage(note: str) -> bool:
    """Return whether a note only says that almost no records are missing."""
    import re

    shares = re.findall(r"(\d+(?:\.\d+)?) %", note)
    return "coverage" in note and all(float(share) >= 95 for share in shares)
