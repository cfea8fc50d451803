"""The command that lists the datasets in a folder of files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from helio.cli.app import FAILED, Json, app, errors_as_text, logged_settings, print_json, say

_OFTEN = 0.1
"""Seconds between two updates of the progress line on a terminal."""


@app.command("archive")
def list_archive(
    context: typer.Context,
    folder: Annotated[
        str, typer.Argument(help="Folder with CDF, netCDF, CSV or Parquet files.", metavar="DIR")
    ],
    dataset: Annotated[
        str,
        typer.Argument(
            help="Show only this dataset, with all its parameters. Default: all datasets.", metavar="DATASET"
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List the datasets in a folder: parameters, units and time spans.

    Also lists the files that cannot be read, and why.
    """
    with errors_as_text(as_json, cancelled="files that were read need not be read again"):
        from helio import api
        from helio.knowledge.archive_text import dataset_lines, listing_json, listing_lines

        settings = logged_settings(context)
        with _counting(shown=sys.stderr.isatty() and not context.obj) as on_progress:
            listing = api.list_archive(folder, dataset, on_progress=on_progress, settings=settings)
        if as_json:
            print_json(listing_json(listing))
        else:
            say("\n".join(dataset_lines(listing) if dataset else listing_lines(listing)))
    if not listing.datasets:
        raise typer.Exit(FAILED)


@contextmanager
def _counting(*, shown: bool) -> Iterator[Callable[[str, int], None]]:
    """Show on a terminal how many files were read, because reading a large folder for the first time takes long."""
    if not shown:
        yield lambda what, count: None
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False).status("reading the folder") as status:
        shown_at = time.monotonic()

        def count_up(what: str, count: int) -> None:
            nonlocal shown_at
            if time.monotonic() > shown_at + _OFTEN:
                shown_at = time.monotonic()
                status.update(f"{what}: {count:,}")

        yield count_up
