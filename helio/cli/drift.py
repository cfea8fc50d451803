"""Commands that find figures whose data were republished, and make them again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from helio.cli.app import (
    EXIT_OF_STATUS,
    FAILED,
    PARTIAL,
    SUCCESS,
    Json,
    MaxDownload,
    Offline,
    app,
    errors_as_text,
    logged_settings,
    print_json,
    say,
    size_of,
)
from helio.cli.backfill import watch_backfill
from helio.cli.completion import complete_pipelines
from helio.counts import number_of

if TYPE_CHECKING:
    from helio.service.drift import Drift, Drifted, Numbers
    from helio.service.refresh import Refresh, Refreshed

Target = Annotated[
    str,
    typer.Argument(
        help="A pipeline, the ID of a run, or 'last' for the newest run. Default: all figures.",
        metavar="PIPELINE|RUN",
        autocompletion=complete_pipelines,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", help="Only figures of intervals that end after this date in UTC.", metavar="DATE"
    ),
]
Compare = Annotated[
    bool | None,
    typer.Option(
        "--compare/--no-compare",
        help="Compute the changed figures with the present data to compare their numbers, and download these data; or "
        "compare no numbers. Default: compare where the data are on this machine.",
    ),
]
_MOST_LINES = 12


@app.command()
def drift(
    context: typer.Context,
    name: Target = "",
    since: Since = None,
    compare: Compare = None,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    as_json: Json = False,
) -> None:
    """Say which of your figures rest on data that were republished since their runs.

    helio asks each archive once for each dataset and interval, and downloads no data without --compare. Files with a
    new date and the same bytes are no change. `helio refresh` makes the changed figures again.

    Exit code 0: nothing has changed. 3: something has changed. 1: an archive could not be asked.
    """
    with errors_as_text(as_json):
        from helio import api
        from helio.sources.archives import Access

        settings = logged_settings(context)
        with _watch(quiet=as_json or bool(context.obj)) as asking:
            found = api.drift(
                name,
                since=since,
                numbers=_numbers(compare),
                access=Access(size_of(max_download), offline),
                settings=settings,
                asking=asking,
            )
        if as_json:
            print_json(found.to_json())
        else:
            _print_drift(found, offline=offline)
            if any(not figure.gone for figure in found.changed):
                say(f"`helio refresh{f' {name}' if name else ''}` makes them again")
    raise typer.Exit({"unchanged": SUCCESS, "changed": PARTIAL, "unknown": FAILED}[found.status])


@app.command()
def refresh(
    context: typer.Context,
    name: Target = "",
    since: Since = None,
    compare: Compare = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Run nothing; show which figures would be made again, and where."),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            help="Maximum number of figures at the same time. Default: the number of processors, at most 4.",
            metavar="NUMBER",
        ),
    ] = None,
    max_download: MaxDownload = "1GB",
    offline: Offline = False,
    direct: Annotated[
        bool, typer.Option("--direct", help="Do not show the runs on the engine's pages (Prefect).")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make the figures again whose data were republished since their runs, and no others.

    Each new run has the pipeline, the values and the folder of the earlier one. The record and the results of the
    earlier run stay: `helio diff OLD NEW` compares the two, and the gallery lists both. A figure whose data are gone
    stays as it is.

    Exit code 0: every changed figure was made again, or none has changed. 3: some were not. 1: none was.
    """
    with errors_as_text(
        as_json, cancelled="run the same command again to continue; finished figures are kept"
    ):
        from helio import api
        from helio.sources.archives import Access

        settings = logged_settings(context)
        with (
            _watch(quiet=as_json or bool(context.obj)) as asking,
            watch_backfill(quiet=as_json, live=False) as (planned, on_progress),
        ):
            done = api.refresh(
                name,
                since=since,
                numbers=_numbers(compare),
                workers=workers,
                engine="direct" if direct or settings.engine == "direct" else "prefect",
                dry_run=dry_run,
                access=Access(size_of(max_download), offline),
                settings=settings,
                asking=asking,
                planned=planned,
                on_progress=on_progress,
            )
        if as_json:
            print_json(done.to_json())
        else:
            _print_drift(done.drift, offline=offline)
            _print_refresh(done)
    raise typer.Exit(EXIT_OF_STATUS[done.status])


def _numbers(compare: bool | None) -> Numbers:
    return "at hand" if compare is None else "download" if compare else "none"


@contextmanager
def _watch(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show on a terminal what is being asked or compared."""
    if quiet or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False).status("looking for recorded figures") as status:

        def asking(what: str, done: int, total: int) -> None:
            if done >= total - 1:
                status.stop()
            else:
                status.start()
                status.update(f"{what}: {done} of {total}")

        yield asking


def _print_drift(found: Drift, *, offline: bool) -> None:
    if offline:
        say("offline: no archive was asked; compared with folders and with their last answers", err=True)
    for figure in found.changed:
        _print_figure(figure)
    for reason in found.unasked:
        say(f"not asked: {reason}", err=True)
    for note in found.notes:
        say(f"note: {note}", err=True)
    same = (
        f"; {number_of(found.same_bytes, 'figure has', 'figures have')} files with other dates, but the same bytes"
        if found.same_bytes
        else ""
    )
    unknown = f"; not known for {number_of(found.unknown, 'figure')}" if found.unknown else ""
    if not found.figures:
        say("no figure with data is recorded")
    elif found.changed:
        say(
            f"changed: the data of {len(found.changed)} of {number_of(found.figures, 'figure')}{same}{unknown}"
        )
    elif found.unknown < found.figures:
        say(f"unchanged: the data of {number_of(found.figures - found.unknown, 'figure')}{same}{unknown}")
    else:
        say(f"not known: no archive of the {number_of(found.figures, 'figure')} could be asked")


def _print_figure(figure: Drifted) -> None:
    span = "" if figure.run.span is None else f"  {figure.run.span}"
    say(f"{figure.run.pipeline}{span}  {figure.run.id}")
    lines = [change.in_words() for change in figure.files]
    if figure.gone:
        lines.append(figure.gone)
    lines += figure.number_lines()
    if figure.not_compared and figure.not_compared != "not asked for":
        lines.append(f"numbers not compared: {figure.not_compared}")
    for line in lines[:_MOST_LINES]:
        say(f"    {line}")
    if len(lines) > _MOST_LINES:
        say(f"    and {number_of(len(lines) - _MOST_LINES, 'more line')}; --json has all")


def _print_refresh(done: Refresh) -> None:
    for figure in done.figures:
        _print_refreshed(figure, dry_run=done.dry_run)
    if done.figures:
        made = sum(figure.made is not None for figure in done.figures)
        to_do = sum(not figure.reason for figure in done.figures)
        say(
            f"would make {number_of(to_do, 'figure')} again; nothing was run"
            if done.dry_run
            else f"{done.status}: made {made} of {number_of(len(done.figures), 'figure')} again"
        )


def _print_refreshed(figure: Refreshed, *, dry_run: bool) -> None:
    name = f"{figure.old.pipeline}{'' if figure.old.span is None else f'  {figure.old.span}'}"
    if figure.made is not None:
        reason = f": {figure.made.reason}" if figure.made.reason else ""
        say(f"{name}  {figure.made.state}{reason}  {figure.folder}")
        if figure.made.run:
            say(f"    helio diff {figure.old.id} {figure.made.run}")
    elif figure.reason:
        say(f"{name}  not made: {figure.reason}")
    elif dry_run:
        say(f"{name}  {figure.folder}")
