"""Commands that list and change what helio remembers for the authors of pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from helio.cli.app import Json, app, current_settings, errors_as_text, print_json, proposals, say
from helio.cli.completion import complete_pipelines
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.authoring.memory import Item, Memory

memory_app = typer.Typer(
    cls=Commands,
    help="List or change what helio remembers: preferences, pitfalls, your own names.",
    rich_markup_mode=None,
)
app.add_typer(memory_app, name="memory")
Number = Annotated[
    int, typer.Argument(help="Number of an item, as `helio memory` lists it.", metavar="NUMBER")
]


@memory_app.callback(invoke_without_command=True)
def memory(context: typer.Context) -> None:
    """List or change what helio remembers: preferences, pitfalls, your own names."""
    if context.invoked_subcommand is None:
        list_items()


@memory_app.command("list")
def list_items(as_json: Json = False) -> None:
    """List what helio remembers, and what it proposes to remember after a conversation."""
    with errors_as_text(as_json):
        kept = _memory()
        if as_json:
            print_json(
                [
                    {
                        "number": number,
                        "kind": item.kind,
                        "text": item.text,
                        "scope": item.scope,
                        "proposed": new,
                    }
                    for number, (item, new) in enumerate(_numbered(kept), 1)
                ]
            )
            return
        rows = _numbered(kept)
        for number, (item, new) in enumerate(rows, 1):
            mark = "proposed  " if new else ""
            say(f"{number:>3}  {mark}{item.kind} ({item.scope}): {item.text}")
        if any(new for _, new in rows):
            say("to remember a proposed item: `helio memory accept NUMBER`")
        for line in kept.unused():
            say(f"not used: {line}")
        say(f"files: {current_settings().memory}" if rows else "helio remembers nothing")


@memory_app.command("add")
def add_item(
    kind: Annotated[
        str, typer.Argument(help="preference, pitfall or name.", metavar="preference|pitfall|name")
    ],
    text: Annotated[
        str,
        typer.Argument(
            help="What to remember; for a name: 'my storm = 2003-10-29'; for a pitfall: the dataset, the parameter, "
            "and the run that showed it.",
            metavar="TEXT",
        ),
    ],
    mission: Annotated[
        str, typer.Option("--mission", help="Use it only for this mission.", metavar="NAME")
    ] = "",
    pipeline: Annotated[
        str,
        typer.Option(
            "--pipeline",
            help="Use it only for this pipeline.",
            metavar="NAME",
            autocompletion=complete_pipelines,
        ),
    ] = "",
) -> None:
    """Remember a preference, a pitfall or a name of your own, for all pipelines, a mission or a pipeline."""
    with errors_as_text(as_json=False):
        from helio.authoring.memory import (
            KINDS,
            Item,
            is_for_rules,
            is_mission,
            scope_of,
            supersedes,
            with_whole_path,
        )
        from helio.errors import RequestError

        chosen = next((name for name in KINDS if name == kind), None)
        if chosen is None:
            raise RequestError(f"'{kind}' cannot be remembered", advice="use preference, pitfall or name")
        if mission and pipeline:
            raise RequestError("--mission and --pipeline cannot be used together")
        item = with_whole_path(Item(chosen, text, scope_of(mission=mission, pipeline=pipeline)))
        before = _memory().items()
        added = _memory().add(item)
        remarks = []
        if added and (other := supersedes(item, before)):
            remarks.append(f"used before '{other}'")
        if mission and not is_mission(mission):
            remarks.append(f"used for requests that say '{mission}', which is no spacecraft that helio knows")
        elif mission:
            remarks.append(f"used for requests that say '{mission}'")
        if pipeline and not _is_known(pipeline):
            remarks.append(f"there is no pipeline '{pipeline}' yet")
        if chosen == "preference" and not is_for_rules(item.text):
            remarks.append("only a model uses it: rules use a frame and logarithmic axes of quantities")
        said = "".join(f"; {remark}" for remark in remarks)
        say(f"{'remembered' if added else 'remembered already'} ({item.scope}): {item.text}{said}")


@memory_app.command("accept")
def accept_item(number: Number) -> None:
    """Remember an item that helio proposed after a conversation."""
    with errors_as_text(as_json=False):
        from helio.errors import RequestError

        kept = _memory()
        item, new = _item(kept, number)
        if not new:
            raise RequestError(f"item {number} is remembered already")
        kept.add(item)
        kept.proposed.forget(item)
        say(f"remembered ({item.scope}): {item.text}")


@memory_app.command("forget")
def forget_item(number: Number) -> None:
    """Forget an item, or reject an item that helio proposed."""
    with errors_as_text(as_json=False):
        kept = _memory()
        item, new = _item(kept, number)
        (kept.proposed if new else kept).forget(item)
        say(f"forgotten ({item.scope}): {item.text}")


def _is_known(pipeline: str) -> bool:
    """Return whether a pipeline, or a pending proposal of one, has this name."""
    from helio import api

    names = {entry.id for entry in api.library(current_settings()).entries()}
    return pipeline in names or proposals().working(pipeline) is not None


def _memory() -> Memory:
    from helio.authoring.memory import Memory

    return Memory(current_settings().memory)


def _numbered(kept: Memory) -> list[tuple[Item, bool]]:
    """Return all items, each with whether it is only proposed."""
    return [(item, False) for item in kept.items()] + [(item, True) for item in kept.proposed.items()]


def _item(kept: Memory, number: int) -> tuple[Item, bool]:
    from helio.errors import RequestError

    rows = _numbered(kept)
    if not 1 <= number <= len(rows):
        raise RequestError(f"there is no item {number}", advice="use `helio memory` to list all items")
    return rows[number - 1]
