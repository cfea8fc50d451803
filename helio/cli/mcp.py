"""Command that lets the program of a language model use helio over MCP."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from helio.cli.app import Archive, app, current_settings, errors_as_text
from helio.cli.asking import Writer, writer_called


@app.command()
def mcp(
    archive: Archive = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder that gets a folder for the files of each run.", metavar="FOLDER"
        ),
    ] = Path("helio-runs"),
    by: Writer = "auto",
) -> None:
    """Serve the Model Context Protocol on standard input and output, for the program of a language model.

    The program can search, look at figures, propose pipelines, and run those that you accepted or wrote. It cannot
    accept a proposal: type `helio proposals` for this.
    """
    with errors_as_text(as_json=False):
        from helio.errors import RequestError

        try:
            from helio.mcp_server import make_server
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "mcp":
                raise
            raise RequestError(
                "the Python package mcp is not installed",
                advice="install helio with it: pip install 'helio-pipelines[mcp]'",
            ) from error
        if sys.stdin.isatty():
            raise RequestError(
                "helio mcp is started by a program that speaks MCP, not typed at a terminal",
                advice='give the program this command as a server of the kind "stdio"',
            )
        server = make_server(
            current_settings(), archive=archive or "", outputs=output.absolute(), by=writer_called(by)
        )
        server.run()
