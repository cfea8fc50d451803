"""Commands that describe what a pipeline can contain: tools, keys, codes, passes and the JSON Schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from helio.cli.app import Json, app, errors_as_text, print_json, run_records, say, say_rows, terminal_width
from helio.cli.completion import complete_tools, complete_words
from helio.counts import number_of

if TYPE_CHECKING:
    from helio.pipelines.codes import Code
    from helio.store.runs import RunRecord

_MOST_CODES = 6
"""Maximum number of codes to suggest when the user gives an unknown code."""


@app.command("tools")
def tools_command(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a tool, to show its page. Default: list all tools.",
            metavar="TOOL",
            autocompletion=complete_tools,
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List the tools that steps can use, or show the page of one tool.

    The page has the arguments, the result, the formula, references and an example.
    """
    with errors_as_text(as_json):
        if name:
            print_tool(name, as_json)
        else:
            print_tools(as_json)


@app.command()
def explain(
    subject: Annotated[
        str,
        typer.Argument(
            help="What to explain: a tool, a code (HR203), all codes that begin with the same two letters (HR), "
            "a key of a pipeline or a figure, or a run.",
            metavar="TOOL|CODE|KEY|RUN",
            autocompletion=complete_words,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Explain a tool, a code such as HR203, a key, or the edits of a run.

    The edits of a run are the changes that helio made to the pipeline before it ran.
    """
    with errors_as_text(as_json):
        from helio.pipelines.dialect.synonyms import fold
        from helio.pipelines.reference import look_up
        from helio.pipelines.template_keys import Key
        from helio.steps.tool_page import WIDTH

        entries = look_up(subject)
        if not entries and (family := _codes_of_stage(subject)):
            if as_json:
                print_json([code.to_json() for code in family])
            else:
                say_rows([(code.code, code.meaning) for code in family])
        elif not entries:
            _print_edits(_run_called(subject), as_json)
        elif as_json:
            print_json([entry.to_json() for entry in entries] if len(entries) > 1 else entries[0].to_json())
        else:
            meant = next((entry for entry in entries if isinstance(entry, Key)), None)
            if meant is not None and subject in meant.values:
                say(f"{subject} is a value of {meant.name}")
            elif meant is not None and fold(subject.rpartition(".")[2]) != fold(meant.name):
                say(f"{subject} is another word for {meant.name}")
            width = terminal_width(WIDTH)
            say("\n\n".join(entry.text(width) for entry in entries))


@app.command()
def passes(as_json: Json = False) -> None:
    """List the passes, which check and rewrite a pipeline, in their order."""
    with errors_as_text(as_json):
        from helio.pipelines.passes import LETTERS

        rows = [
            {
                "stage": letter,
                "pass": function.__name__,
                "does": (function.__doc__ or "").strip().splitlines()[0],
            }
            for letter, stages in LETTERS
            for stage in stages
            for function in stage
        ]
        if as_json:
            print_json(rows)
            return
        width = max(len(row["pass"]) for row in rows)
        say_rows([(f"{row['stage']}  {row['pass']:<{width}}", row["does"].replace("`", "")) for row in rows])


@app.command()
def schema() -> None:
    """Print the JSON Schema of pipelines."""
    from helio.pipelines.template.schema import schema_text

    say(schema_text(), nl=False)


def print_tools(as_json: bool) -> None:
    """Print one line for each tool, in groups."""
    from helio.steps.signature import signatures
    from helio.steps.tool_page import GROUPS, group_of

    rows = [
        {"id": name, "group": group, "summary": tool.summary}
        for group in GROUPS
        for name, tool in signatures().items()
        if group_of(tool) == group
    ]
    if as_json:
        print_json(rows)
        return
    width = max(len(row["id"]) for row in rows)
    for group in GROUPS:
        say(group)
        members = [row for row in rows if row["group"] == group]
        say_rows([(f"{row['id']:<{width}}", row["summary"]) for row in members], indent=2)
    say("\nhelio tools NAME shows a tool with an example")


def print_tool(name: str, as_json: bool) -> None:
    """Print the documentation page of a tool.

    Raises
    ------
    RequestError
        No tool has that name.
    """
    from helio.pipelines.reference import find_tool
    from helio.steps.tool_page import WIDTH

    page = find_tool(name)
    if as_json:
        print_json(page.to_json())
    else:
        say(page.text(terminal_width(WIDTH)))


def _codes_of_stage(letters: str) -> list[Code]:
    """Return all codes that begin with the same two letters, such as ``HR``."""
    from helio.pipelines.codes import codes

    return [code for code in codes().values() if code.code[:2] == letters.strip().upper()]


def _run_called(subject: str) -> RunRecord:
    """Load the run that a word means: a run's id, or ``last``.

    Raises
    ------
    RequestError
        No run is called so; the advice names what is closest.
    """
    from helio.errors import RequestError, UnknownRun, did_you_mean
    from helio.pipelines.codes import codes
    from helio.pipelines.reference import names

    runs = run_records()
    try:
        return runs.load(subject)
    except UnknownRun as error:
        if any(summary.id.startswith(subject) for summary in runs.list()):
            raise
        if re.fullmatch(r"H[A-Z]\d{3}", subject.strip().upper()):
            alike = [code.code for code in _codes_of_stage(subject.strip()[:2])]
            families = dict.fromkeys(code[:2] for code in codes())
            raise RequestError(
                f"there is no code {subject}",
                advice=f"use one of {', '.join(alike)}"
                if alike
                else f"use a code that begins with {', '.join(families)}; `helio explain HR` lists the codes with HR",
            ) from error
        about = [code.code for code in codes().values() if subject.strip().lower() in code.meaning.lower()]
        otherwise = (
            f"codes about '{subject}': {', '.join(about[:_MOST_CODES])}; `helio explain {about[0]}` explains the first"
            if about
            else "`helio tools` lists the tools, `helio runs` the runs, `helio explain HR` the codes that begin with HR"
        )
        advice = did_you_mean(subject, names(), otherwise=otherwise)
        raise RequestError(
            f"'{subject}' is not the name of a tool, a code of helio, a key or a run", advice=advice
        ) from error


def _print_edits(record: RunRecord, as_json: bool) -> None:
    edits = record.edits
    if as_json:
        print_json(edits)
        return
    say(f"{record.id}: {number_of(len(edits), 'edit')}")
    for edit in edits:
        where = f"step {edit['step_id']}" if edit["step_id"] is not None else "the template"
        say(f"  {edit['code']} ({edit['kind']})  {where}: {edit['message']}")
