"""Read a text or JSON from a person or a language model as a template.

HP001 (error)  not readable as text or JSON at all
    It contains no pipeline, and helio does not invent one.
    before  an empty file
    after   refused
    to do   Correct the JSON at the line and column in the message, or in the line before: often a comma, a bracket or a
            double quotation mark is missing. Save the file in UTF-8.

HP002 (error)  truncated JSON
    helio does not guess the missing part, which could contain the figure or export.
    before  {"steps": [{"step_id": 1, "tool_name": "fetch_da
    after   refused
    to do   Get the whole file again: it ends before its last bracket.

HP003 (error)  readable, but not a pipeline
    Prose, a number or a bare text has no steps; nor has a list of tasks in words, none of which names a tool.
    before  Hello! How can I help?
    after   refused
    to do   Use a file with the steps of a pipeline; `helio export PIPELINE` prints an example.

HP004 (error)  a pipeline without steps
    There is nothing to run, and success is never reported when nothing was done.
    before  {"steps": []}
    after   refused
    to do   Add at least one step, or ask for a pipeline with `helio author`.

HP101 (edit safe)  a list, a single action or JSON within a text made a template
    Models often answer in these forms; the steps are the same.
    before  [{"step_id": 1, "tool_name": "fetch_data", …}]
    after   {"steps": [{"step_id": 1, "tool_name": "fetch_data", …}]}
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from helio.counts import number_of
from helio.pipelines.dialect.rename_template_keys import template_renaming
from helio.pipelines.dialect.synonyms import STEP_KEYS, fold, folded, is_null, misspelt
from helio.pipelines.dialect.written import list_of, object_of
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import (
    Document,
    check_json,
    drop_trailing_commas,
    without_trailing_commas,
)
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.oversize import CODE as OVERSIZE
from helio.pipelines.template.oversize import oversize_value
from helio.pipelines.template.runner import RewriteResult, replay
from helio.pipelines.template.schema import STRUCTURE

FENCE = re.compile(r"^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n(.*?)(?:\1[`~]*+[ \t]*+$|\Z)", re.MULTILINE | re.DOTALL)
MOST_STARTS = 50
"""Maximum number of opening brackets in a text at which helio tries to read a plan."""

_WRAPPERS = ("plan", "template", "pipeline", "workflow", "result", "response", "output", "json")
"""Keys of an outer object around a plan, as language models write it."""
_TOOL_KEYS = folded(f"tool_name use for_each block {STEP_KEYS['tool_name']}")
_ARGS_KEYS = folded(f"tool_args {STEP_KEYS['tool_args']}")
_OF_TEMPLATE = ("$schema", "schema_version", "variables")
"""Keys beside a single action that belong to the template and not to the action."""


def parse(source: Any) -> RewriteResult:
    """Read a text or a JSON value as a template; also return the edits that were necessary for this.

    Parameters
    ----------
    source : Any
        A text, in which a plan may stand alone, in a fence, or between words; or a JSON value.

    Returns
    -------
    RewriteResult
        Its edits lead from what was read to the plan: from the text itself where it is not JSON as it stands,
        else from the JSON value. Its plan is what was read where that is no plan, an empty object where it is
        none either.

    Examples
    --------
    >>> parsed = parse('Here it is:\\n```json\\n[{"tool_name": "fetch_data"},]\\n```')
    >>> [edit.code for edit in parsed.edits], parsed.plan
    (['HP101', 'HN505', 'HP101'], {'steps': [{'tool_name': 'fetch_data'}]})
    >>> print(parse('{"steps": [{"step_id": 1').errors[0])
    error[HP002]: the JSON ends too early, at line 1, column 25; helio does not guess the missing part
      help: add the missing end of the file
    """
    edits: list[Edit] = []
    value = source
    if isinstance(source, str):
        read = _read(source)
        if isinstance(read, Diagnostic):
            return RewriteResult({}, (), (read,))
        value, edits = read
    elif (refused := oversize_value(source)) is not None:
        return RewriteResult({}, (), (refused,))
    start = source if edits else value
    refused = _enveloped(value, edits)
    plan: Any = replay(start, edits) if edits else value
    if not isinstance(plan, dict):
        return RewriteResult({}, (), (refused,) if refused is not None else ())
    return RewriteResult(plan, tuple(edits), (refused,) if refused is not None else ())


# ---- from a text to a JSON value


def _read(text: str) -> tuple[Any, list[Edit]] | Diagnostic:
    """Return the JSON value in a text, and the edits that removed everything else."""
    plain = text.removeprefix("\ufeff")
    whole = check_json(plain)
    if not isinstance(whole, Diagnostic):
        return whole, []
    if not plain.strip() or whole.code == OVERSIZE:
        return whole
    if plain.lstrip()[:1] in "{[":
        mended = without_trailing_commas(plain)
        return whole if mended is None else (mended, [_mended(text, mended)])
    fenced = _choose(list(_fences(plain)), text)
    if fenced is not None:
        return fenced
    loose = _choose(list(_loose(plain)), text)
    if loose is not None:
        return loose
    if whole.code == "HP001" and not _is_prose(plain):
        return whole
    return _no_plan("words")


def _fences(text: str) -> Iterator[tuple[str, Any]]:
    """Yield each fenced block of a text with its JSON value, or with the reason why it has none."""
    for match in FENCE.finditer(text):
        inner = match[2].strip()
        if inner[:1] in ("{", "["):
            yield inner, check_json(inner)


def _loose(text: str) -> Iterator[tuple[str, Any]]:
    """Yield each object or list between the words of a text, with its JSON value or the reason why it has none."""
    end, tried = 0, 0
    for match in re.finditer(r'\{(?=\s*")|\[(?=\s*\{)', text):
        if match.start() < end or tried >= MOST_STARTS:
            continue
        tried += 1
        inner = text[match.start() :]
        try:
            _, length = json.JSONDecoder().raw_decode(inner)
        except (ValueError, RecursionError):
            mended = drop_trailing_commas(inner)
            try:
                _, length = json.JSONDecoder().raw_decode(mended)
            except (ValueError, RecursionError):
                yield inner, check_json(inner)
                return
            yield mended[:length], check_json(mended[:length])
            end = len(text)
            continue
        yield inner[:length], check_json(inner[:length])
        end = match.start() + length


def _choose(blocks: list[tuple[str, Any]], text: str) -> tuple[Any, list[Edit]] | Diagnostic | None:
    """Return the only block that is a plan; if no block is a plan, return the error of the first block."""
    read: list[tuple[Any, list[Edit]]] = []
    wrong: list[Diagnostic] = []
    for inner, value in blocks:
        mended = without_trailing_commas(inner) if isinstance(value, Diagnostic) else None
        if mended is not None:
            read.append((mended, [_taken_out(text, inner), _mended(inner, mended)]))
        elif isinstance(value, Diagnostic):
            wrong.append(value)
        else:
            read.append((value, [_taken_out(text, value)]))
    plans = [plan for plan in read if _looks_like_a_plan(plan[0])]
    if len(plans) > 1:
        message = f"this text contains {len(plans)} pipelines, but only one is allowed"
        return Diagnostic("HP003", message, advice=("keep only one pipeline",))
    wrong.sort(key=lambda finding: finding.code != "HP002")  # what breaks off says most
    outcomes: list[tuple[Any, list[Edit]] | Diagnostic] = [*plans, *wrong, *read]
    return outcomes[0] if outcomes else None


def _taken_out(text: str, value: Any) -> Edit:
    return Edit("HP101", "pipeline extracted from the surrounding text", replaced("", text, value))


def _mended(text: str, value: Any) -> Edit:
    return Edit("HN505", "trailing commas removed", replaced("", text, value))


def _is_prose(text: str) -> bool:
    """Return whether a text consists of ordinary words."""
    shown = sum(letter.isprintable() or letter in "\n\r\t" for letter in text)
    return shown > 0.9 * len(text)


# ---- from a JSON value to a template


def _enveloped(value: Any, edits: list[Edit]) -> Diagnostic | None:
    """Put a list of steps or a single action into a template; return an error if the value is no plan."""

    def made(new: Any, message: str) -> Any:
        edits.append(Edit("HP101", message, replaced("", value, new)))
        return new

    while (inner := _wrapped(value)) is not None:
        value = made(inner, "pipeline extracted from the surrounding object")
    if len(list_of(value)) == 1 and _has_steps(value[0]):
        value = made(value[0], "pipeline extracted from a list")
    if isinstance(value, list) and not _are_objects(value):
        return _no_plan("a list without steps")
    if isinstance(value, list):
        value = made({"steps": value}, "list of steps made a template")
    if not isinstance(value, dict):
        kinds = {str: "a string", bool: "true or false", int: "a number", float: "a number"}
        return _no_plan(kinds.get(type(value), "null"))
    if "steps" not in value:
        renaming = template_renaming(value)
        if "steps" in renaming.now:
            edits += [finding for finding in renaming.findings() if isinstance(finding, Edit)]
            value = renaming.now
        elif _is_action(value):
            around = {key: value[key] for key in _OF_TEMPLATE if key in value}
            step = {key: inner for key, inner in value.items() if key not in around}
            value = made({**around, "steps": [step]}, "single action made a template with one step")
        elif not value.keys() & STRUCTURE["properties"].keys():
            return _no_plan("an object without steps")
    if value.get("steps") in (None, [], {}, ""):
        message = "the template has no steps, so there is nothing to run"
        near = [key for key in value if key != "steps" and misspelt(key, ("steps",))]
        advice = tuple(f"did you mean 'steps' instead of '{key}'?" for key in near)
        return Diagnostic("HP004", message, path=pointer("steps"), advice=advice)
    if tasks := _tasks(value["steps"]):
        message = f"{number_of(len(tasks), 'task')} in words, but no step names a tool"
        command = f"helio author {shlex.quote(' '.join(tasks))}"
        return Diagnostic(
            "HP003", message, path=pointer("steps"), advice=(f"let helio write the steps: {command}",)
        )
    return None


def _tasks(steps: Any) -> list[str]:
    """Return the sentences of a planner's tasks; return an empty list if any item names a tool or has no sentence."""
    tasks = [object_of(item) for item in list_of(steps)]
    if not all(isinstance(task.get("instruction"), str) and not _is_action(task) for task in tasks):
        return []
    return [_sentence(task) for task in tasks]


def _sentence(task: Document) -> str:
    """Return the instruction of a task with its mission, if the words do not name it; ``__data_ops__`` is none."""
    words, mission = task["instruction"].strip().rstrip("."), task.get("mission")
    named = isinstance(mission, str) and not is_null(mission) and not mission.startswith("_")
    if not named or str(mission).casefold() in words.casefold():
        return f"{words}."
    return f"{mission}: {words}."


def _wrapped(value: Any) -> Any:
    """Return the plan inside an outer object with one key; return None if the value is anything else."""
    for key, inner in object_of(value).items():
        if len(value) == 1 and fold(key) in _WRAPPERS and (_has_steps(inner) or _wrapped(inner)):
            return inner
    return None


def _has_steps(value: Any) -> bool:
    return "steps" in template_renaming(object_of(value)).now


def _is_action(value: Document) -> bool:
    keys = set(map(fold, value))
    return bool(keys & _TOOL_KEYS) or ("name" in keys and bool(keys & _ARGS_KEYS))


def _are_objects(items: list[Any]) -> bool:
    return all(isinstance(item, dict) for item in items)


def _looks_like_a_plan(value: Any) -> bool:
    if isinstance(value, list):
        return _are_objects(value)
    return _has_steps(value) or _is_action(object_of(value)) or _wrapped(value) is not None


def _no_plan(what: str) -> Diagnostic:
    return Diagnostic(
        "HP003",
        f"this is {what}, not a pipeline template",
        advice=('write the template as an object: {"id": …, "variables": {…}, "steps": [{…}]}',),
    )
