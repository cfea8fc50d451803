"""What a model may answer, written short."""

from __future__ import annotations

import json
from typing import Any

from tests.authoring import standin_gemini as standin
from tests.authoring.standin_gemini import Reply

LOOK = standin.call("list_parameters", {"dataset_id": "AC_H2_MFI"})
SEEN = standin.text("AC_H2_MFI has it.")
TIME = {"name": "$TIME_RANGE", "type": "time_range", "default": "last week"}


def step(step_id: str, tool: str, intent: str = "as asked", **args: Any) -> dict[str, str]:
    """A step as planning is to answer it."""
    return {"step_id": step_id, "tool_name": tool, "tool_args_json": json.dumps(args), "intent": intent}


def fetch(
    dataset: str = "AC_H2_MFI", parameter: str = "BGSEc", step_id: str = "b", **more: Any
) -> dict[str, str]:
    """A fetch over the variable for time."""
    args = {
        "dataset_id": dataset,
        "parameter_id": parameter,
        "time_range": "$TIME_RANGE",
        "output_label": "B",
    }
    return step(step_id, "fetch_data", "the field", **args | more)


def figure(*labels: str, **spec: Any) -> dict[str, str]:
    """A figure of one panel each."""
    drawn = list(labels or ("B",))
    return step("figure", "render_spec", spec={"labels": drawn, "panels": [[one] for one in drawn], **spec})


def plan(*steps: dict[str, str], **more: Any) -> Reply:
    """A plan; the plainest one where no step is given."""
    chosen = list(steps or (fetch(), figure()))
    answer = {"status": "plan", "name": "ACE field", "variables": [TIME], "steps": chosen, **more}
    return standin.json_text(answer)


def question(text: str = "Which cadence?", *choices: str) -> Reply:
    """A question back."""
    return standin.json_text({"status": "question", "question": text, "choices": list(choices)})


def put(step_id: str | int, at: str, value: Any) -> dict[str, str]:
    """The operation that sets a place of a step."""
    return {"op": "set", "step": str(step_id), "at": at, "value_json": json.dumps(value)}


def add(step_id: str, tool: str, *, after: str = "", **args: Any) -> dict[str, str]:
    """The operation that adds a step."""
    new = {"step_id": step_id, "tool_name": tool, "tool_args": args}
    return {"op": "add", "value_json": json.dumps(new), "after": after}


def edit(*operations: dict[str, str], touches: str = "data", **more: Any) -> Reply:
    """An edit."""
    return standin.json_text({"status": "edit", "touches": touches, "operations": list(operations), **more})


RED = put(4, "tool_args/trace_colors/ACE_Bmag", "red")
"""The magnitude of the ACE overview in red."""
