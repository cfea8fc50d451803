"""Commands that lock, verify, compare and cite runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from helio.cli.app import (
    FAILED,
    INVALID,
    SUCCESS,
    Archive,
    Assign,
    Formats,
    Json,
    MaxDownload,
    Now,
    Offline,
    Refresh,
    RunId,
    SelfContained,
    TimeRange,
    app,
    assignments,
    chosen_formats,
    current_settings,
    errors_as_text,
    logged_settings,
    print_json,
    say,
    size_of,
)
from helio.cli.completion import complete_pipelines, complete_providers, complete_runs
from helio.cli.progress import file_lines, watch
from helio.counts import number_of

if TYPE_CHECKING:
    from helio.pipelines.runs.compare import Comparison, Difference
    from helio.pipelines.runs.rerun import Rerun
    from helio.store.lock_file import Lock

_FEW = 10
_EXITS = {"same": SUCCESS, "nothing compared": INVALID}


@app.command()
def lock(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of a pipeline, or path of its JSON file. Give either this or --run.",
            metavar="PIPELINE",
            autocompletion=complete_pipelines,
        ),
    ] = None,
    time_range: TimeRange = None,
    assign: Assign = None,
    now: Now = None,
    archive: Archive = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            help="Lock the files of this run instead: its ID, or 'last' for the newest run.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Lock file to write.", metavar="FILE")
    ] = Path("helio.lock"),
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Write a lock file: the list of the data files of a run.

    helio run --locked then uses only these files.
    """
    with errors_as_text(as_json):
        from helio import api
        from helio.errors import RequestError
        from helio.sources.archives import Access
        from helio.store.files import is_file
        from helio.store.lock_file import changes, read_lock

        settings = logged_settings(context)
        before = read_lock(output) if is_file(output) else None
        if run is not None:
            if name or time_range or assign or now or archive:
                raise RequestError(
                    "--run cannot be used together with a pipeline, values or an archive",
                    advice="run `helio lock --run RUN` without them",
                )
            made = api.lock_run(run, settings)
        elif name is None:
            raise RequestError(
                "no pipeline and no run was given",
                advice="use `helio lock PIPELINE`, or `helio lock --run RUN`",
            )
        else:
            with watch(quiet=as_json, live=not context.obj) as progress:
                made = api.lock(
                    name,
                    time_range=time_range,
                    variables=assignments(assign or []),
                    now=now,
                    archive=archive,
                    access=Access(size_of(max_download), offline, refresh, on_progress=progress.downloading),
                    settings=settings,
                )
        if before is not None and before.pipeline != made.pipeline:
            raise RequestError(
                f"{output} is the lock file of {before.pipeline}, not of {made.pipeline}",
                advice="write another file: --output another.lock",
            )
        written = made.write(output)
        changed = [] if before is None else changes(before, made)
        if as_json:
            print_json({"file": str(output), "written": written, "changes": changed, **made.to_json()})
            return
        for line in _lock_lines(made):
            say(line)
        for change in changed:
            say(f"changed: {change}")
        say(f"{'written' if written else 'unchanged'} {output}")


@app.command()
def verify(
    context: typer.Context,
    run_id: RunId,
    archive: Annotated[
        str | None,
        typer.Option(
            "--archive",
            help="Folder or provider to use instead of the archive of the run.",
            metavar="DIR|NAME",
            autocompletion=complete_providers,
        ),
    ] = None,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    as_json: Json = False,
) -> None:
    """Repeat a run in an empty store, and compare every table, figure and file with the original."""
    with errors_as_text(as_json):
        from helio import api
        from helio.sources.archives import Access

        settings = logged_settings(context)
        with watch(quiet=as_json, live=not context.obj) as progress:
            comparison = api.verify(
                run_id,
                archive=archive,
                access=Access(size_of(max_download), offline, on_progress=progress.downloading),
                settings=settings,
            )
        if as_json:
            print_json(comparison.to_json())
        else:
            for line in _verify_lines(comparison):
                say(line)
    raise typer.Exit(_EXITS.get(comparison.verdict, FAILED))


@app.command("rerun")
def rerun_figure(
    context: typer.Context,
    figure: Annotated[
        Path,
        typer.Argument(help="Figure that helio wrote, in PNG, PDF, SVG or HTML.", metavar="FIGURE"),
    ],
    archive: Annotated[
        str | None,
        typer.Option(
            "--archive",
            help="Folder or provider with the data. Default: the provider that the figure names.",
            metavar="DIR|NAME|URL",
            autocompletion=complete_providers,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the new figure. Default: ./helio-runs/RUN.",
            metavar="FOLDER",
        ),
    ] = None,
    formats: Formats = "",
    self_contained: SelfContained = False,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    yes: Annotated[bool, typer.Option("--yes", help="Make the figure without asking.")] = False,
    as_json: Json = False,
) -> None:
    """Make a figure again from the pipeline in its file, and compare the new file with the old one.

    Shows the pipeline and its code first, and asks.
    """
    with errors_as_text(as_json):
        from helio import api
        from helio.cli.pipelines import say_origin
        from helio.errors import RequestError
        from helio.sources.archives import Access

        settings = logged_settings(context)
        file = api.read_figure(figure)
        chosen = chosen_formats(formats)
        if not as_json:
            say_origin(file.origin)
        if not yes:
            if as_json or not can_ask():
                raise RequestError(
                    "helio runs the pipeline of a figure only if you agree",
                    advice=f"look at it with `helio show {figure}`, then add --yes",
                )
            if not typer.confirm("Run this pipeline?", default=False):
                say("nothing was run")
                raise typer.Exit(INVALID)
        with watch(quiet=as_json, live=not context.obj) as progress:
            made = api.rerun(
                file,
                archive=archive,
                output=output,
                outputs=Path("helio-runs"),
                formats=chosen,
                self_contained=self_contained,
                access=Access(size_of(max_download), offline, on_progress=progress.downloading),
                check=False,
                settings=settings,
                planned=progress.planned,
                started=progress.started,
                finished=progress.finished,
            )
        if as_json:
            print_json(made.to_json())
        else:
            for line in _rerun_lines(made):
                say(line)
    raise typer.Exit(_EXITS.get(made.verdict, FAILED))


@app.command()
def diff(
    old: Annotated[
        str,
        typer.Argument(
            help="ID of a run, the beginning of an ID, or 'last' for the newest run.",
            metavar="OLD",
            autocompletion=complete_runs,
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            help="ID of the run to compare with OLD.", metavar="NEW", autocompletion=complete_runs
        ),
    ],
    as_json: Json = False,
) -> None:
    """Compare two runs: their plans, files, numbers and figures."""
    with errors_as_text(as_json):
        from helio import api

        comparison = api.diff(old, new, current_settings())
        if as_json:
            print_json(comparison.to_json())
            return
        for line in _diff_lines(comparison):
            say(line)


@app.command()
def cite(
    run_id: RunId,
    form: Annotated[
        Literal["text", "bibtex", "json"], typer.Option("--format", help="Format of the citations.")
    ] = "text",
    as_json: Json = False,
) -> None:
    """Show how to cite the data of a run, and helio."""
    with errors_as_text(as_json):
        from helio import api
        from helio.cli.app import run_records
        from helio.knowledge.citations import bibtex, text_lines

        settings = current_settings()
        record = run_records().load(run_id)
        version = record.whole_header["environment"].get("helio", "")
        citations = api.cite(record.id, settings)
        if as_json or form == "json":
            datasets: list[dict[str, Any]] = [citation.to_json() for citation in citations]
            print_json(
                {"citations": "helio-citations/1", "run": record.id, "helio": version, "datasets": datasets}
            )
        elif form == "bibtex":
            say(bibtex(citations, version).rstrip())
        else:
            for line in text_lines(citations, version):
                say(line)


def can_ask() -> bool:
    """Return whether a person can answer a question."""
    return sys.stdin.isatty()


def _lock_lines(made: Lock) -> list[str]:
    from helio.knowledge.citations import span_text
    from helio.sources.allowance import in_words

    lines = []
    for fetch in made.fetches:
        for dataset in fetch.datasets:
            size = in_words(sum(file.size for file in dataset.files))
            versions = ", ".join(dict.fromkeys(f"v{file.version}" for file in dataset.files if file.version))
            note = dataset.absent or f"{number_of(len(dataset.files), 'file')} {versions} {size}"
            if not dataset.files and not dataset.absent:
                note = "identified by its numbers" if dataset.used else "not needed"
            mark = "=" if dataset.used else "–"
            lines.append(f"{mark} {fetch.step_id}  {dataset.dataset} of {dataset.provider}  {note}".rstrip())
        if fetch.failed:
            lines.append(f"✗ {fetch.step_id}  {fetch.failed}")
    spans = dict.fromkeys(span_text(fetch.range) for fetch in made.fetches)
    return [*lines, *spans]


def _verify_lines(comparison: Comparison) -> list[str]:
    compared = comparison.compared
    lines = [f"note: {difference}" for difference in (*comparison.plan, *comparison.files)]
    lines += [f"not compared: {output}" for output in _not_compared(comparison)]
    failed = len(comparison.failed_alike)
    if failed:
        lines.append(
            f"note: {number_of(failed, 'step')} gave no result again, for the same reason: "
            f"{_listed(comparison.failed_alike)}"
        )
    if comparison.verdict != "different":
        lines += [f"note: {difference}" for difference in comparison.environment]
    if comparison.lacking:
        return [
            *lines,
            *(f"could not compare: the archive lacks data: {reason}" for reason in comparison.lacking),
        ]
    if comparison.verdict == "nothing compared":
        return [*lines, f"nothing was compared: run {comparison.old} made no table, figure or file"]
    if comparison.verdict == "not all compared":
        return [*lines, f"not all compared: {compared} compared, and no difference found"]
    if comparison.verdict == "same":
        return [*lines, f"same: {compared} compared, all equal to those of {comparison.old}"]
    first = comparison.first
    if first is not None:
        lines += ["first difference:", *_lines_of(first)]
    others = [other for other in (*comparison.numbers, *comparison.figures) if other is not first]
    if others:
        lines.append(
            f"also different: {_listed([f'{other.step_id} {other.output}'.rstrip() for other in others])}"
        )
    if comparison.rules:
        lines += [
            f"rules of helio that changed since {comparison.old}:",
            *(f"  {rule}" for rule in comparison.rules),
        ]
    return [*lines, f"different: {len(others) + 1} of the results of {comparison.old} ({compared} compared)"]


def _rerun_lines(made: Rerun) -> list[str]:
    errors = [f"error: {result.error}" for result in made.run.result.steps if result.error is not None]
    lines = [*errors, *(f"error: {error}" for error in made.run.unwritten)]
    lines += [f"missing: {file}; the figure may differ" for file in made.missing]
    lines += [f"note: {difference}" for difference in made.differences]
    lines += file_lines(made.run)
    if made.verdict == "nothing compared":
        return [*lines, f"nothing was compared: step {made.old.step} drew no figure"]
    if made.same_bytes:
        return [*lines, f"same: {made.file} has the same bytes"]
    if not made.same_figure:
        return [*lines, "different: the new figure differs from the old one"]
    if made.file is None:
        return [*lines, "different: the figure is the same, but its file could not be written"]
    reason = "" if made.differences else "; the browser or its fonts may differ"
    return [*lines, f"different: the figure is the same, but the bytes of its file differ{reason}"]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"{', '.join(names[:_FEW])}{more}"


def _not_compared(comparison: Comparison) -> list[str]:
    return [f"step {output.step_id}: {output.output}: {output.reason}" for output in comparison.not_compared]


def _diff_lines(comparison: Comparison) -> list[str]:
    lines = [f"old {comparison.old}", f"new {comparison.new}"]
    for title, changes in (
        ("plan", comparison.plan),
        ("files", comparison.files),
        ("environment", comparison.environment),
        ("rules", comparison.rules),
    ):
        lines += [f"{title}:", *(f"  {change}" for change in changes)] if changes else [f"{title}: the same"]
    # nothing is called the same while something was not compared
    same = "no difference" if comparison.not_compared else "the same"
    for title, differences, count in (
        ("numbers", comparison.numbers, comparison.tables),
        ("figures", comparison.figures, comparison.drawn + comparison.saved),
    ):
        none = f"{same} ({count} compared)" if count else "nothing compared"
        lines.append(f"{title}: {count} compared" if differences else f"{title}: {none}")
        for difference in differences:
            lines += [f"  {line}" for line in _lines_of(difference)]
    failed = [f"step {step_id}" for step_id in comparison.failed_alike]
    lines += (
        ["not compared:", *(f"  {output}" for output in _not_compared(comparison))]
        if comparison.not_compared
        else []
    )
    lines += (
        ["no result in either run, for the same reason:", *(f"  {step}" for step in failed)] if failed else []
    )
    return lines


def _lines_of(difference: Difference) -> list[str]:
    what = f"{difference.output}: " if difference.output else ""
    details = (
        []
        if difference.table is None
        else [line for line in difference.table.details if line not in difference.message]
    )
    return [
        f"step {difference.step_id}: {what}{difference.message}",
        *(f"  {line}" for line in (*details, *difference.reasons)),
    ]
