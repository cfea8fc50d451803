"""What a run is made from, and whether it comes out again: lock, verify, diff, cite."""

from __future__ import annotations

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
    Json,
    MaxDownload,
    Now,
    Offline,
    Refresh,
    RunId,
    TimeRange,
    app,
    assignments,
    current_settings,
    errors_as_text,
    log_to,
    print_json,
    say,
    size_of,
)
from helio.cli.completion import complete_pipelines, complete_providers, complete_runs
from helio.cli.progress import watch

if TYPE_CHECKING:
    from helio.pipelines.runs.compare import Comparison, Difference
    from helio.store.lock_file import Lock

_FEW = 10
_EXITS = {"same": SUCCESS, "nothing compared": INVALID}


@app.command()
def lock(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="A pipeline's name, or the path of a JSON file.",
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
            help="Lock what this run was made from instead.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The lock to write.")] = Path("helio.lock"),
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    refresh: Refresh = False,
    as_json: Json = False,
) -> None:
    """Write down which files a run is made from, so that helio run --locked uses these and no others."""
    with errors_as_text(as_json):
        from helio import api
        from helio.errors import RequestError
        from helio.sources.archives import Access
        from helio.store.files import is_file
        from helio.store.lock_file import changes, read_lock

        settings = current_settings()
        log_to(settings, verbose=context.obj)
        before = read_lock(output) if is_file(output) else None
        if run is not None:
            if name or time_range or assign or now or archive:
                raise RequestError("a run has its pipeline and values already", advice="helio lock --run RUN")
            made = api.lock_run(run, settings)
        elif name is None:
            raise RequestError("which pipeline?", advice="helio lock PIPELINE, or helio lock --run RUN")
        else:
            with watch(quiet=as_json, live=not context.obj) as told:
                made = api.lock(
                    name,
                    time_range=time_range,
                    variables=assignments(assign or []),
                    now=now,
                    archive=archive,
                    access=Access(size_of(max_download), offline, refresh, told=told.downloading),
                    settings=settings,
                )
        if before is not None and before.pipeline != made.pipeline:
            raise RequestError(
                f"{output} locks {before.pipeline}, not {made.pipeline}", advice="--output another.lock"
            )
        written = made.write(output)
        changed = [] if before is None else changes(before, made)
        if as_json:
            print_json({"file": str(output), "written": written, "changes": changed, **made.to_json()})
            return
        for one in _lock_lines(made):
            say(one)
        for one in changed:
            say(f"changed: {one}")
        say(f"{'written' if written else 'unchanged'} {output}")


@app.command()
def verify(
    context: typer.Context,
    run_id: RunId,
    archive: Annotated[
        str | None,
        typer.Option(
            "--archive",
            help="Another archive than the run's.",
            metavar="DIR|NAME",
            autocompletion=complete_providers,
        ),
    ] = None,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    as_json: Json = False,
) -> None:
    """Run a run again in an empty store, and compare every table, figure and file with what came of it."""
    with errors_as_text(as_json):
        from helio import api
        from helio.sources.archives import Access

        settings = current_settings()
        log_to(settings, verbose=context.obj)
        with watch(quiet=as_json, live=not context.obj) as told:
            found = api.verify(
                run_id,
                archive=archive,
                access=Access(size_of(max_download), offline, told=told.downloading),
                settings=settings,
            )
        if as_json:
            print_json(found.to_json())
        else:
            for line in _verify_lines(found):
                say(line)
    raise typer.Exit(_EXITS.get(found.verdict, FAILED))


@app.command()
def diff(
    old: RunId,
    new: RunId,
    as_json: Json = False,
) -> None:
    """Say how two runs differ: plans, files, numbers, figures."""
    with errors_as_text(as_json):
        from helio import api

        found = api.diff(old, new, current_settings())
        if as_json:
            print_json(found.to_json())
            return
        for line in _diff_lines(found):
            say(line)


@app.command()
def cite(
    run_id: RunId,
    form: Annotated[
        Literal["text", "bibtex", "json"], typer.Option("--format", help="How it is written.")
    ] = "text",
    as_json: Json = False,
) -> None:
    """Say how to cite the data of a run, and helio: investigators, DOIs, acknowledgements."""
    with errors_as_text(as_json):
        from helio import api
        from helio.cli.app import run_records
        from helio.knowledge.citations import bibtex, text_lines

        settings = current_settings()
        record = run_records().load(run_id)
        version = record.whole_header["environment"].get("helio", "")
        found = api.cite(record.id, settings)
        if as_json or form == "json":
            datasets: list[dict[str, Any]] = [one.to_json() for one in found]
            print_json(
                {"citations": "helio-citations/1", "run": record.id, "helio": version, "datasets": datasets}
            )
        elif form == "bibtex":
            say(bibtex(found, version).rstrip())
        else:
            for line in text_lines(found, version):
                say(line)


def _lock_lines(made: Lock) -> list[str]:
    from helio.knowledge.citations import span_text
    from helio.sources.allowance import in_words

    lines = []
    for fetch in made.fetches:
        for one in fetch.datasets:
            size = in_words(sum(file.size for file in one.files))
            versions = ", ".join(dict.fromkeys(f"v{file.version}" for file in one.files if file.version))
            told = one.absent or (f"{len(one.files)} file{'s' * (len(one.files) != 1)} {versions} {size}")
            if not one.files and not one.absent:
                told = "by its numbers" if one.used else "not needed"
            mark = "=" if one.used else "–"
            lines.append(f"{mark} {fetch.step_id}  {one.dataset} of {one.provider}  {told}".rstrip())
        if fetch.failed:
            lines.append(f"✗ {fetch.step_id}  {fetch.failed}")
    spans = dict.fromkeys(span_text(one.range) for one in made.fetches)
    return [*lines, *spans]


def _verify_lines(found: Comparison) -> list[str]:
    compared = _compared(found)
    lines = [f"note: {one}" for one in (*found.plan, *found.files)]
    lines += [f"not compared: {one}" for one in _not_compared(found)]
    failed = len(found.failed_alike)
    if failed:
        steps = "1 step" if failed == 1 else f"{failed} steps"
        lines.append(f"note: {steps} gave nothing again, for the same reason: {_listed(found.failed_alike)}")
    if found.verdict != "different":
        lines += [f"note: {one}" for one in found.environment]
    if found.verdict == "nothing compared":
        return [*lines, f"nothing was compared: {found.old} gave no table, figure or file"]
    if found.verdict == "not all compared":
        return [*lines, f"not all compared: {compared} compared, without a difference"]
    if found.verdict == "same":
        return [*lines, f"same: {compared} compared, all of {found.old} came out as they were"]
    first = found.first
    if first is not None:
        lines += ["the first that differs:", *_lines_of(first)]
    others = [one for one in (*found.numbers, *found.figures) if one is not first]
    if others:
        lines.append(f"then: {_listed([f'{one.step_id} {one.output}'.rstrip() for one in others])}")
    if found.rules:
        lines += [f"rules that changed since {found.old}:", *(f"  {rule}" for rule in found.rules)]
    return [*lines, f"different: {len(others) + 1} of what {found.old} gave ({compared} compared)"]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return f"{', '.join(names[:_FEW])}{more}"


def _not_compared(found: Comparison) -> list[str]:
    return [f"step {one.step_id}: {one.output}: {one.reason}" for one in found.not_compared]


def _compared(found: Comparison) -> str:
    """How much of what was compared."""
    counts = [(found.tables, "table"), (found.drawn, "figure"), (found.saved, "saved file")]
    told = [f"{count} {what}{'s' * (count != 1)}" for count, what in counts if count] or ["nothing"]
    *most, last = told
    return f"{', '.join(most)} and {last}" if most else last


def _diff_lines(found: Comparison) -> list[str]:
    lines = [f"old {found.old}", f"new {found.new}"]
    for title, told in (
        ("plan", found.plan),
        ("files", found.files),
        ("environment", found.environment),
        ("rules", found.rules),
    ):
        lines += [f"{title}:", *(f"  {one}" for one in told)] if told else [f"{title}: the same"]
    # nothing is called the same while something was not compared
    same = "no difference" if found.not_compared else "the same"
    for title, differences, count in (
        ("numbers", found.numbers, found.tables),
        ("figures", found.figures, found.drawn + found.saved),
    ):
        none = f"{same} ({count} compared)" if count else "nothing compared"
        lines.append(f"{title}: {count} compared" if differences else f"{title}: {none}")
        for one in differences:
            lines += [f"  {line}" for line in _lines_of(one)]
    failed = [f"step {one}" for one in found.failed_alike]
    lines += ["not compared:", *(f"  {one}" for one in _not_compared(found))] if found.not_compared else []
    lines += (
        ["without a result in both, for the same reason:", *(f"  {one}" for one in failed)] if failed else []
    )
    return lines


def _lines_of(one: Difference) -> list[str]:
    what = f"{one.output}: " if one.output else ""
    details = [] if one.table is None else [line for line in one.table.details if line not in one.message]
    return [f"step {one.step_id}: {what}{one.message}", *(f"  {line}" for line in (*details, *one.reasons))]
