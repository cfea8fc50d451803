"""Time ranges in their one spelling; phrases that are not understood completely are refused."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.passes.synonyms import RANGE_PAIRS, fold, is_null
from helio.pipelines.passes.unpack_json import unpack
from helio.pipelines.passes.walk import each_step, id_of, name_of, variables_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN
from helio.time_range import canonical, is_relative

MEANT = re.compile(r"did you mean '(.+)'\?")


def spell_times(plan: Document, context: Context) -> Iterator[Finding]:
    """Write each time range as ``A to B``, or as the relative phrase that it is; it is resolved only in a run.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> steps = [{"step_id": 1, "tool_name": "fetch_data", "tool_args": {"time_range": time}}
    ...          for time in (["2024-01-01", "2024-01-08"], "past 5 days", "last 3 days of May", "2024-03 to 2024-01")]
    >>> for found in spell_times({"steps": steps}, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(found.code, found.message)
    HN701 2024-01-01 to 2024-01-08
    HN704 last 5 days
    HN702 'last 3 days of May' is not understood as a time range
    HN703 '2024-03 to 2024-01' ends before it starts
    """
    times = {
        name for name, facts in variables_of(plan).items() if facts.get("type") in ("time_range", "interval")
    }
    for name, facts in variables_of(plan).items():
        if facts.get("type") == "time_range" and "default" in facts:
            at = pointer("variables", name, "default")
            yield from _spelt(facts["default"], at, None, "", f"{name}: ")
    for path, step in each_step(plan):
        loop = step.get("for_each")
        over = loop.get("over") if isinstance(loop, dict) else None
        if isinstance(over, dict) and "intervals" in over:
            at = pointer(*path, "for_each", "over", "intervals")
            yield from _spelt(over["intervals"], at, id_of(step), name_of(step), "", times)
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is None or not isinstance(args, dict):
            continue
        for name in signature.time_arguments():
            if name in args:
                at = pointer(*path, "tool_args", name)
                yield from _spelt(args[name], at, id_of(step), signature.name, "", times)


def _spelt(
    value: Any, at: str, step_id: StepId | None, tool: str, whose: str, times: Collection[str] = ()
) -> Iterator[Finding]:
    text = one_phrase(value)
    held = [one for one in TOKEN.findall(text or "") if one in times]
    if text is not None and held and TOKEN.fullmatch(text) is None:
        yield Diagnostic(
            "HN702",
            f"{whose}'{text}' is not understood as a time range: {held[0]} is a whole one already",
            step_id=step_id,
            tool_name=tool,
            path=at,
            advice=(f"write '{held[0]}' alone",),
            candidates=(held[0],),
            fixes=(Fix(f"write '{held[0]}'", replaced(at, value, held[0])),),
        )
        return
    if text is None or is_null(text) or TOKEN.search(text):
        if text is not None and text != value and not is_null(text):
            yield Edit("HN701", f"{whose}{text}", replaced(at, value, text), step_id, path=at)
        return
    try:
        spelt = canonical(text)
        if spelt != value:
            code = "HN704" if is_relative(spelt) else "HN701"
            yield Edit(code, f"{whose}{spelt}", replaced(at, value, spelt), step_id, path=at)
    except TimeRangeError as error:
        meant = [found[1] for found in [MEANT.fullmatch(error.advice or "")] if found]
        yield Diagnostic(
            "HN703" if error.empty else "HN702",
            f"{whose}{error.message}",
            step_id=step_id,
            tool_name=tool,
            path=at,
            advice=(error.advice,) if error.advice else (),
            candidates=tuple(meant),
            fixes=tuple(Fix(f"write '{one}'", replaced(at, value, one)) for one in meant),
        )


def one_phrase(value: Any) -> str | None:
    """The phrase of a range given as a text, a list of start and stop, or an object of them."""
    if isinstance(value, str):
        members = unpack(value, list) or unpack(value, dict)
        return value if members is None else one_phrase(members) or value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        if len(value) == 2 and not any(map(is_null, value)):
            return f"{value[0].strip()} to {value[1].strip()}"
        return value[0] if len(value) == 1 else None
    if isinstance(value, dict) and len(value) == 2:
        members = {fold(key): one for key, one in value.items()}
        for first, second in RANGE_PAIRS:
            start, stop = members.get(fold(first)), members.get(fold(second))
            if isinstance(start, str) and isinstance(stop, str):
                return one_phrase([start, stop])
    return None
