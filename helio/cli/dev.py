"""Commands for developers: write the files of a new tool, pass or source into a copy of helio's code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from helio.cli.app import app, errors_as_text, say
from helio.cli.groups import Commands

dev_app = typer.Typer(
    cls=Commands,
    help="Extend helio: write the files of a new tool, pass or data source.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
app.add_typer(dev_app, name="dev")
NewName = Annotated[str, typer.Argument(help="Name in lower case, as a Python identifier.", metavar="NAME")]


@dev_app.command("new-tool")
def write_tool(name: NewName) -> None:
    """Write a new tool and its test into this copy of helio's code."""
    with errors_as_text(as_json=False):
        from helio.dev.new import new_tool

        _say_written(new_tool(name, Path.cwd()))


@dev_app.command("new-pass")
def write_pass(
    name: NewName,
    stage: Annotated[
        str,
        typer.Option(
            "--stage",
            help="Letter of the stage to which helio adds the pass, as the last one: N, R, X, O, G, V or B.",
            metavar="STAGE",
        ),
    ] = "V",
) -> None:
    """Write a new pass, its test and its code into this copy of helio's code."""
    with errors_as_text(as_json=False):
        from helio.dev.new import new_pass

        _say_written(new_pass(name, Path.cwd(), stage=stage))


@dev_app.command("new-source")
def write_source(name: NewName) -> None:
    """Write a new data source, its test and a test server into this copy of helio's code."""
    with errors_as_text(as_json=False):
        from helio.dev.new import new_source

        _say_written(new_source(name, Path.cwd()))


def _say_written(paths: tuple[Path, ...]) -> None:
    shown = [os.path.relpath(path) for path in paths]
    for path in shown:
        say(f"written {path}")
    [test] = [path for path in shown if os.path.basename(path).startswith("test_")]
    say(f"help: run pytest {test}; CONTRIBUTING.md describes the next steps")
