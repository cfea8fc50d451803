"""Words about a template, in answer to a question; nothing changes."""

from __future__ import annotations

import re

from helio.pipelines.changes import describe_step
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE

_QUESTION = re.compile(
    r"^\s*(?:what|which|why|how|when|where|who|does|is|are|explain|describe|tell me|list"
    r"|do\s+(?:i|we|you|they|the|these|those|any|all|both|steps?))\b|\?\s*$",
    re.IGNORECASE,
)
_WISH = re.compile(r"^\s*(?:can|could|would|will) you\b", re.IGNORECASE)


_TOPICS = {
    "data": r"\b(data ?sets?|data|parameters?|source)\b",
    "time": r"\b(time|range|period|interval|dates?|days?)\b",
    "figure": r"\b(panels?|figure|plots?|colou?rs?|drawn|title)\b",
    "computed": r"\b(comput\w*|calculat\w*|operations?|windows?|averages?|smooth\w*)\b",
}
"""What a question may be about, in the order in which it is answered."""


def is_question(request: str) -> bool:
    """Whether a sentence asks about a template instead of asking for a change.

    >>> is_question("which dataset is used?"), is_question("do the panels share an axis")
    (True, True)
    >>> is_question("could you make it red?"), is_question("do it for Wind instead")
    (False, False)
    """
    return bool(_QUESTION.search(request)) and not _WISH.search(request)


def answered(request: str, template: Document) -> str:
    """Words about a template, in answer to a question."""
    steps = template["steps"]
    named = re.search(r"\bstep\s+[\"'“]?([\w-]+)", request, re.IGNORECASE)
    if named:
        step = next((step for step in steps if str(step.get("step_id")) == named[1]), None)
        if step is None:
            known = ", ".join(str(step.get("step_id")) for step in steps)
            return f"There is no step {named[1]}; steps: {known}."
        why = f" ({step['intent']})" if step.get("intent") else ""
        return f"Step {named[1]}: {describe_step(step)}{why}"
    said: dict[str, list[str]] = {topic: [] for topic in _TOPICS}
    for step in steps:
        said[_topic(step)].append(f"Step {step.get('step_id')}: {describe_step(step)}")
    for name, facts in (template.get("variables") or {}).items():
        if facts.get("type") == "time_range":
            said["time"].append(f"{name} is {facts.get('default', 'to be given with --time-range')}")
    asked = [topic for topic, pattern in _TOPICS.items() if re.search(pattern, request, re.IGNORECASE)]
    about = [text for topic in asked for text in said[topic]]
    return "\n".join(about or [f"Step {step.get('step_id')}: {describe_step(step)}" for step in steps])


def _topic(step: Document) -> str:
    tool = step.get("tool_name")
    return "data" if tool == "fetch_data" else "figure" if tool in (*FIGURES, STYLE) else "computed"
