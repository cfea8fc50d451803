"""Documents as authors write them, read without the passes: what the passes make of them is compared with this."""

from __future__ import annotations

import json
from typing import Any

from helio.pipelines.dialect.structure import misfits
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.pipelines.template.schema import STEP, VARIABLE
from helio.pipelines.template.template import Template

WHOLE = ("for_each", "block", "use", "loop_over")
"""Keys without which a step is another one."""


def as_written(document: dict[str, Any]) -> Template:
    """Read as much of a document as means something.

    A key that is not of its type is left out. Without a step that is not understood, no figure is: it may be a style.
    """
    steps = document.get("steps")
    objects = [step for step in (steps if isinstance(steps, list) else ()) if isinstance(step, dict)]
    read = [_step(step, number) for number, step in enumerate(objects)]
    kept = [step for step in read if step is not None]
    if len(kept) < len(objects) or any("step_id" not in step or _fault(step, "step_id") for step in objects):
        kept = [step for step in kept if step.get("tool_name") not in (*FIGURES, STYLE)]
    return Template.from_json({"variables": _variables(document.get("variables")), "steps": kept})


def _step(step: dict[str, Any], number: int) -> dict[str, Any] | None:
    step = {key: value for key, value in step.items() if key in STEP["properties"]}
    if isinstance(step.get("tool_args"), str):
        try:
            step["tool_args"] = json.loads(step["tool_args"])
        except ValueError:
            return None
    if any(key in step and step[key] and _fault(step, key) for key in WHOLE) or _fault(step, "tool_args"):
        return None
    known = {key: value for key, value in step.items() if not _fault(step, key)}
    return {"step_id": f"nameless-{number}", **known}


def _fault(step: dict[str, Any], key: str) -> bool:
    return key in step and any(misfits(step[key], STEP["properties"][key]))


def _variables(written: Any) -> dict[str, Any]:
    if isinstance(written, list):
        written = {variable.get("name"): variable for variable in written if isinstance(variable, dict)}
    found: dict[str, Any] = {}
    for name, facts in written.items() if isinstance(written, dict) else ():
        given = facts if isinstance(facts, dict) else {"default": facts}
        plain = {key: value for key, value in given.items() if key in VARIABLE["properties"]}
        found["$" + str(name).strip(" \t${}()<>%")] = {"type": "string", **plain}
    return found
