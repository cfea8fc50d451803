"""Gives each step its tool under the tool's own name, and distinguishes pipelines from tools.

HN401 (edit safe)  tool name in another spelling
    Case, punctuation and known synonyms do not change which tool is meant.
    before  "tool_name": "Fetch-Data"
    after   "tool_name": "fetch_data"

HN402 (error)  unknown tool
    The closest names are suggested and never applied: another tool would do other work.
    before  "tool_name": "fetch_dta"
    after   refused: did you mean 'fetch_data'?

HN403 (edit safe)  a saved pipeline's id used as a tool
    Only one of both exists under that name.
    before  "tool_name": "ace-bfield-overview"
    after   "use": "ace-bfield-overview"

HN404 (edit safe)  a tool used as a pipeline
    Only one of both exists under that name.
    before  "use": "fetch_data", "with": {…}
    after   "tool_name": "fetch_data", "tool_args": {…}
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.dialect.synonyms import (
    LOOKING,
    close_tools,
    fold,
    is_null,
    spell_tool,
    tool_spellings,
)
from helio.pipelines.dialect.walk import each_step, id_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.variables import Path


def spell_tools(plan: Document, context: Context) -> Iterator[Finding]:
    """Write tools by their names, ``use`` pipelines and call tools; refuse names that are neither.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "functions.Fetch-Data"}, {"step_id": 2, "use": "plot"}]}
    >>> for edit in spell_tools(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN401 the tool 'functions.Fetch-Data' is fetch_data
    HN404 'plot' is the tool plot_data, not a pipeline
    """
    spellings = tool_spellings(context.signatures)
    saved = {fold(name): name for name in reversed(tuple(context.pipelines))}
    for path, step in each_step(plan):
        name, used = step.get("tool_name"), step.get("use")
        if isinstance(name, str) and not is_null(name):
            if name in context.signatures:
                continue
            tool, pipeline = spell_tool(name, spellings), _pipeline(name, context, saved)
            at = pointer(*path, "tool_name")
            if tool and name not in context.pipelines:
                message = f"the tool '{name}' is {tool}"
                yield Edit("HN401", message, replaced(at, name, tool), id_of(step), path=at)
            elif pipeline and is_null(used) and "with" not in step:
                message = f"'{name}' is a saved pipeline, not a tool"
                yield Edit("HN403", message, _used(path, step, pipeline), id_of(step), path=at)
            else:
                yield _unknown(at, step, name, context)
        elif isinstance(used, str) and not is_null(used) and used not in context.pipelines:
            tool = spell_tool(used, spellings)
            if tool and not _pipeline(used, context, saved) and "tool_args" not in step:
                message = f"'{used}' is the tool {tool}, not a pipeline"
                operations = _called(path, step, tool)
                yield Edit("HN404", message, operations, id_of(step), path=pointer(*path, "use"))


def _pipeline(name: str, context: Context, saved: dict[str, str]) -> str | None:
    return name if name in context.pipelines else saved.get(fold(name))


def _used(path: Path, step: Document, pipeline: str) -> tuple[Operation, ...]:
    operations = removed(pointer(*path, "tool_name"), step["tool_name"])
    if "use" in step:
        operations += replaced(pointer(*path, "use"), step["use"], pipeline)
    else:
        operations += added(pointer(*path, "use"), pipeline)
    if "tool_args" in step:
        args = step["tool_args"]
        operations += removed(pointer(*path, "tool_args"), args)
        operations += added(pointer(*path, "with"), {} if is_null(args) else args)
    return operations


def _called(path: Path, step: Document, tool: str) -> tuple[Operation, ...]:
    operations = removed(pointer(*path, "use"), step["use"])
    if "tool_name" in step:
        operations += replaced(pointer(*path, "tool_name"), step["tool_name"], tool)
    else:
        operations += added(pointer(*path, "tool_name"), tool)
    if "with" in step:
        args = step["with"]
        operations += removed(pointer(*path, "with"), args)
        operations += added(pointer(*path, "tool_args"), {} if is_null(args) else args)
    return operations


def _unknown(at: str, step: Document, name: str, context: Context) -> Diagnostic:
    if fold(name) in map(fold, LOOKING):
        return Diagnostic(
            "HN402",
            f"'{name}' looks at data and makes nothing that a pipeline could keep",
            step_id=id_of(step),
            path=at,
            advice=(
                "leave the step out; helio describe RUN LABEL and helio preview RUN LABEL look at a run",
            ),
        )
    close = close_tools(name, context.signatures)
    saved = closest(name, context.pipelines)
    return Diagnostic(
        "HN402",
        f"no tool is called '{name[:80]}'",
        step_id=id_of(step),
        path=at,
        advice=tuple(f"did you mean '{guess}'?" for guess in close[:1])
        or tuple(f"did you mean the pipeline '{guess}'?" for guess in saved[:1])
        or (f"tools: {', '.join(context.signatures)}",),
        candidates=close,
        fixes=tuple(Fix(f"use {guess}", replaced(at, name, guess)) for guess in close),
    )
