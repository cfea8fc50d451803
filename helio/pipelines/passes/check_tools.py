"""Check that the tool of each step exists, and that the step's arguments fit the tool's signature.

HN506 (error)  required argument missing
    The choice of its value is physics, so helio does not fill it in.
    before  fetch_data without "dataset_id"
    after   refused
    to do   Add the argument; `helio tools TOOL` describes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.errors import RequestError, TimeRangeError, closest
from helio.interval import READ_LENGTHS
from helio.pipelines.dialect.structure import misfits
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.figures import DRAWING, UNKNOWN_KEY
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import TOKEN, Path, strings
from helio.steps.signature import Schema, Signature

_WRITTEN = {"duration": "3min", "interval-length": "1 month", "time-range": "2024-05-10 to 2024-05-12"}
"""Example of a text in each format."""


def check_tools(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse unknown tools, times that helio cannot read, and unknown, missing or invalid arguments.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_dta", "tool_args": {}}]})
    >>> [found] = check_tools(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HN402] step 1: no tool is called 'fetch_dta'
      --> /steps/0/tool_name
      help: did you mean 'fetch_data'?
    """
    schemas: dict[str, Schema] = {}
    for step in template.by_list():
        if step.block or step.use:
            continue
        name = step.tool_name
        signature = context.signatures.get(name)
        if signature is None:
            close = closest(name, context.signatures)
            yield Diagnostic(
                "HN402",
                f"no tool is called '{name}'",
                step_id=step.step_id,
                path=pointer(*step.path, "tool_name"),
                advice=(f"did you mean '{close[0]}'?",)
                if close
                else (f"use one of these tools: {', '.join(context.signatures)}",),
                candidates=close,
            )
            continue
        schema = schemas.setdefault(name, signature.schema())
        yield from _arguments(step, signature, schema, context)


def _arguments(step: Step, signature: Signature, schema: Schema, context: Context) -> Iterator[Diagnostic]:
    args = step.tool_args

    def found(code: str, path: Path, message: str, advice: tuple[str, ...]) -> Diagnostic:
        at = pointer(*step.path, "tool_args", *path)
        return Diagnostic(code, message, "error", step.step_id, signature.name, at, advice)

    for kind, path, message, meant in misfits(args, schema, variables_stand=True):
        if kind == "missing":
            if not _comes_later(path, step, signature):
                yield found("HN506", path, message, _purposes(signature, path, meant))
        elif kind == "unknown":
            close = closest(str(path[-1]), meant)
            of_figure = len(path) > 1 or signature.name in DRAWING
            valid = _keys(schema, path[:-1]) or meant
            listed = (
                f"use one of these {'keys of a figure' if of_figure else 'arguments'}: {', '.join(valid)}"
            )
            known = f"run `helio tools {signature.name}` to list its keys" if close else listed
            code = UNKNOWN_KEY if of_figure else "HN504" if close else "HN503"
            advice = (f"did you mean '{close[0]}'?",) if close else ()
            yield found(code, path, message, (*advice, known) if of_figure else advice or (known,))
        else:
            likely = tuple(f"did you mean '{guess}'?" for guess in meant[:1])
            yield found("HV101", path, message, likely or _examples(signature, path))
    for group in signature.needs:
        given = [name for name in group if name in args]
        # a list of nothing is there, and yet says nothing
        if given and all(_says_nothing(args[name]) for name in given):
            needed = " or ".join(f"'{name}'" for name in group)
            yield found("HN506", (given[0],), f"{needed} is required, but '{given[0]}' is empty", ())
    for path, text in strings(args, schema):
        argument = signature.argument(str(path[0])) if len(path) == 1 else None
        kind_of = argument.schema.get("format") if argument else None
        if kind_of not in _WRITTEN or TOKEN.search(text):
            continue
        try:
            if kind_of == "time-range":
                context.read_time_range(text)
            else:
                READ_LENGTHS[kind_of](text)
        except TimeRangeError as error:
            yield found(
                "HN703" if error.empty else "HN702",
                path,
                error.message,
                (error.advice,) if error.advice else (),
            )
        except RequestError as error:
            yield found("HV101", path, error.message, (error.advice,) if error.advice else ())


def _purposes(signature: Signature, path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the missing arguments are for: the first sentence about each on the tool's page."""
    arguments = [signature.argument(str(name)) for name in names or path[:1]] if len(path) == 1 else []
    return tuple(
        f"{argument.name}: {_first_sentence(argument.schema['description'])}"
        for argument in arguments
        if argument is not None and argument.schema.get("description")
    )


def _first_sentence(text: str) -> str:
    sentence = text.partition(". ")[0].rstrip(".").replace("`", "")
    return sentence if len(sentence) <= 160 else sentence[:159] + "…"


def _examples(signature: Signature, path: Path) -> tuple[str, ...]:
    """Return how to write the value of an argument, if a few words can show this."""
    argument = signature.argument(str(path[0])) if len(path) == 1 else None
    if argument is None:
        return ()
    choices = argument.schema.get("enum", ())
    if 1 < len(choices) <= 12:
        *others, last = [f'"{choice}"' for choice in choices]
        return (f"set '{argument.name}' to {', '.join(others)} or {last}",)
    example = _WRITTEN.get(argument.schema.get("format", ""))
    return (f"set '{argument.name}' to a value such as \"{example}\"",) if example else ()


def _says_nothing(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and not item.strip() for item in value)


def _keys(schema: Schema, path: Path) -> list[str]:
    """Return the possible keys of an object in the arguments; return nothing if its schema does not list keys."""
    for part in path:
        inner = schema.get("properties", {}).get(part)
        if not isinstance(inner, dict):
            return []
        schema = inner
    return list(schema.get("properties", {}))


def _comes_later(path: Path, step: Step, signature: Signature) -> bool:
    """Return whether another pass fills in a missing argument, or reports why helio cannot fill it in."""
    # wire_time writes the range or refuses; a loop still to be expanded fills the argument that it is over.
    return "loop_over" in step.extra or path[-1] in signature.time_arguments()
