"""Answer questions about a template by rules, without a language model."""

from __future__ import annotations

import re

from helio.authoring.fetches import FETCH
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
"""Topics that a question may have, each with the words that name it, in the order in which helio answers."""


def is_question(request: str) -> bool:
    """Return whether a sentence asks about a template; otherwise the sentence requests a change.

    >>> is_question("which dataset is used?"), is_question("do the panels share an axis")
    (True, True)
    >>> is_question("could you make it red?"), is_question("do it for Wind instead")
    (False, False)
    """
    return bool(_QUESTION.search(request)) and not _WISH.search(request)


def answered(request: str, template: Document) -> str:
    """Answer a question about a template's steps, data, time, figure or computations."""
    steps = {str(step.get("step_id")): step for step in template["steps"]}
    lines = {name: f"Step {name}: {describe_step(step)}" for name, step in steps.items()}
    named = re.search(r"\bstep\s+[\"'“]?([\w-]+)", request, re.IGNORECASE)
    if named and named[1] not in steps:
        return f"No step is called '{named[1]}'. The steps are {', '.join(steps)}."
    if named:
        intent = steps[named[1]].get("intent")
        return lines[named[1]] + (f" ({intent})" if intent else "")
    by_topic: dict[str, list[str]] = {topic: [] for topic in _TOPICS}
    for name, step in steps.items():
        by_topic[_topic(step)].append(lines[name])
    for name, variable in (template.get("variables") or {}).items():
        if variable.get("type") == "time_range":
            by_topic["time"].append(f"{name} is {variable.get('default', 'to be given with --time-range')}")
    topics = [topic for topic, pattern in _TOPICS.items() if re.search(pattern, request, re.IGNORECASE)]
    return "\n".join([text for topic in topics for text in by_topic[topic]] or lines.values())


def _topic(step: Document) -> str:
    tool = step.get("tool_name")
    return "data" if tool == FETCH else "figure" if tool in (*FIGURES, STYLE) else "computed"
