"""Commands that show the figures of all pipelines as web pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from helio.cli.app import app, current_settings, errors_as_text, log_to, say
from helio.cli.groups import Commands
from helio.counts import number_of

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
) -> None:
    """Write the gallery as files that any browser opens, also without a server.

    The pages need nothing from the network. A later build writes only what has changed.
    """
    with errors_as_text(as_json=False):
        settings = current_settings()
        log_to(settings, verbose=context.obj)
        from helio.web.build import build
        from helio.web.site import START, Site

        built = build(Site(settings), folder)
        changes = f"{built.written} written, {built.removed} removed"
        say(f"{number_of(built.pages, 'page')} and {number_of(built.files, 'file')}, {changes}")
        say(built.folder / START)
