"""Write the name of each tool in the standard spelling, and distinguish calls of pipelines from calls of tools.

HN401 (edit safe)  tool name in another spelling
    Case, punctuation and known synonyms do not change which tool is meant.
    before  "tool_name": "Fetch-Data"
    after   "tool_name": "fetch_data"

HN402 (error)  unknown tool
    helio suggests similar names, but applies none: another tool would do other work.
    before  "tool_name": "fetch_dta"
    after   refused: did you mean 'fetch_data'?
    to do   Use the name of a tool that `helio tools` lists.

HN403 (edit safe)  a saved pipeline's id used as a tool
    A pipeline has this name, and no tool has it.
    before  "tool_name": "ace-bfield-overview"
    after   "use": "ace-bfield-overview"

HN404 (edit safe)  a tool used as a pipeline
    A tool has this name, and no pipeline has it.
    before  "use": "fetch_data", "with": {…}
    after   "tool_name": "fetch_data", "tool_args": {…}
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.dialect.synonyms import (
    ELSEWHERE,
    close_tools,
    fold,
    is_null,
    spell_tool,
    tool_spellings,
)
from helio.pipelines.dialect.written import EditedObject, WrittenStep, text_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Operation, replaced


def spell_tools(plan: Document, context: Context) -> Iterator[Finding]:
    """Write tools in the standard spelling, and pipelines under ``use``; refuse a name that helio does not know.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "functions.Fetch-Data"}, {"step_id": 2, "use": "plot"}]}
    >>> for edit in spell_tools(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN401 the tool 'functions.Fetch-Data' written as fetch_data
    HN404 'plot' is the tool plot_data, not a pipeline
    """
    spellings = tool_spellings(context.signatures)
    saved = {fold(name): name for name in reversed(tuple(context.pipelines))}
    for step in written_steps(plan):
        name, used = step.tool, text_of(step.json.get("use"))
        if name in context.signatures:
            continue
        if not is_null(name):
            tool, pipeline = spell_tool(name, spellings), _pipeline(name, context, saved)
            at = step.at("tool_name")
            if tool and name not in context.pipelines:
                yield step.edit("HN401", f"the tool '{name}' written as {tool}", replaced(at, name, tool), at)
            elif pipeline and is_null(step.json.get("use")) and "with" not in step.json:
                message = f"'{name}' is a saved pipeline, not a tool"
                operations = _moved(step, ("tool_name", "tool_args"), ("use", "with"), pipeline)
                yield step.edit("HN403", message, operations, at)
            else:
                yield _unknown(step, context)
        elif not is_null(used) and used not in context.pipelines:
            tool = spell_tool(used, spellings)
            if tool and not _pipeline(used, context, saved) and "tool_args" not in step.json:
                message = f"'{used}' is the tool {tool}, not a pipeline"
                operations = _moved(step, ("use", "with"), ("tool_name", "tool_args"), tool)
                yield step.edit("HN404", message, operations, step.at("use"))


def _pipeline(name: str, context: Context, saved: dict[str, str]) -> str | None:
    return name if name in context.pipelines else saved.get(fold(name))


def _moved(step: WrittenStep, before: tuple[str, str], after: tuple[str, str], name: str) -> list[Operation]:
    """Return the operations that move a step's call and its arguments to other keys."""
    edited = EditedObject(step.path, step.json)
    edited.take(before[0])
    edited.put(after[0], name)
    if before[1] in edited.now:
        args = edited.take(before[1])
        edited.put(after[1], {} if is_null(args) else args)
    return edited.operations


def _unknown(step: WrittenStep, context: Context) -> Diagnostic:
    name, at = step.tool, step.at("tool_name")
    if fold(name) in ELSEWHERE:
        does, advice = ELSEWHERE[fold(name)]
        return Diagnostic("HN402", f"'{name}' {does}", step_id=step.id, path=at, advice=(advice,))
    close = close_tools(name, context.signatures)
    saved = closest(name, context.pipelines)
    return Diagnostic(
        "HN402",
        f"no tool is called '{name[:80]}'",
        step_id=step.id,
        path=at,
        advice=tuple(f"did you mean '{guess}'?" for guess in close[:1])
        or tuple(f"did you mean the pipeline '{guess}'?" for guess in saved[:1])
        or (f"use one of these tools: {', '.join(context.signatures)}",),
        candidates=close,
        fixes=tuple(Fix(f"use {guess}", replaced(at, name, guess)) for guess in close),
    )
