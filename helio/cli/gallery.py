"""Commands that show the figures of all pipelines, or one run, as web pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio import interrupts
from helio.cli.app import (
    GalleryPort,
    RunId,
    app,
    errors_as_text,
    logged_settings,
    run_records,
    say,
)
from helio.cli.groups import Commands
from helio.counts import number_of

if TYPE_CHECKING:
    from datetime import datetime

gallery_app = typer.Typer(
    cls=Commands,
    help="Show the figures of all pipelines as web pages.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(gallery_app, name="gallery")


@gallery_app.command("build")
def build_gallery(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(help="Folder to write; new, empty, or an earlier gallery.", metavar="FOLDER"),
    ],
    since: Annotated[
        str | None,
        typer.Option("--since", help="Leave out intervals that end before this time (UTC).", metavar="TIME"),
    ] = None,
    last: Annotated[
        str | None,
        typer.Option(
            "--last",
            help="Leave out intervals that ended longer ago than this, such as 90d.",
            metavar="DURATION",
        ),
    ] = None,
) -> None:
    """Write the gallery as files that any browser opens, also without a server.

    The pages need nothing from the network. A later build writes only what has changed. Files are links to those of
    helio where the disk allows it, and copies otherwise.
    """
    with errors_as_text(as_json=False):
        settings = logged_settings(context)
        from helio.store.files import user_path
        from helio.web.build import build
        from helio.web.site import START, Site

        built = build(Site(settings, since=_first_instant(since, last)), user_path(folder))
        changes = f"{built.written} written, {built.removed} removed"
        say(f"{number_of(built.pages, 'page')} and {number_of(built.files, 'file')}, {changes}")
        say(built.folder / START)
        if built.copied:
            say(f"note: {number_of(built.copied, 'file')} copied instead of linked: {built.reason}", err=True)


def _first_instant(since: str | None, last: str | None) -> datetime | None:
    """Return the time from which the gallery shows intervals, naive UTC; None for all."""
    from datetime import timedelta

    from helio import api
    from helio.errors import RequestError
    from helio.time_range import Duration

    if since and last:
        raise RequestError("--since and --last exclude each other", advice="leave out one of them")
    now = api.read_now(None)
    if last:
        return now - timedelta(microseconds=Duration(last).nanoseconds // 1000)
    return api.read_now(since) if since else None


@gallery_app.command("serve")
def serve_gallery(
    context: typer.Context,
    port: GalleryPort = None,
) -> None:
    """Serve the gallery to your browser until Ctrl-C, and print a link that opens it.

    Only you can open it, and only on this machine. While it is served, the same command in another terminal prints a
    new link.
    """
    with errors_as_text(as_json=False, cancelled="the gallery is no longer served"):
        settings = logged_settings(context)
        from helio.web.serve import serve

        on_terminal = sys.stdout.isatty()

        def show(link: str, is_own: bool) -> None:
            say(link)
            if on_terminal:
                say("the link works once, within ten minutes", err=True)
            else:
                say(
                    "to open it, run `helio gallery serve` in a terminal: it prints a link that works",
                    err=True,
                )
            if is_own:
                say("serving the gallery until Ctrl-C", err=True)

        if serve(settings, port=port, on_link=show, on_terminal=on_terminal):
            if not interrupts.was_terminated():
                raise KeyboardInterrupt
            interrupts.ended_as_asked()  # a service manager has stopped it, which is no failure


@app.command("report")
def report_run(
    context: typer.Context,
    run_id: RunId,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write. Default: RUN.html, with the ID of the run.", metavar="FILE"
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it exists.")] = False,
) -> None:
    """Write one page about a run: figures, files, citations, provenance, notes and steps.

    The page is one file, which needs no network.
    """
    with errors_as_text(as_json=False):
        settings = logged_settings(context)
        from helio.errors import RequestError
        from helio.store.files import user_path, write_whole
        from helio.web.gallery import safe_name, utc_now
        from helio.web.report import write_report

        record = run_records().load(run_id)
        file = user_path(output) if output else Path(f"{safe_name(record.id)}.html")
        if file.exists() and not replace:
            raise RequestError(
                f"{file} exists already", advice="replace it with --replace, or name another --output"
            )
        write_whole(file, write_report(record, settings, utc_now()).encode())
        say(file)
