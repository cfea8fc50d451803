"""Words about a template, in answer to a question; nothing changes."""

from __future__ import annotations

import re

from helio.pipelines.changes import describe_step
from helio.pipelines.figures import FIGURES, STYLE
from helio.pipelines.template import Document

_QUESTION = re.compile(
    r"^\s*(?:what|which|why|how|when|where|who|does|is|are|explain|describe|tell me|list"
    r"|do\s+(?:i|we|you|they|the|these|those|any|all|both|steps?))\b|\?\s*$",
    re.IGNORECASE,
)
_WISH = re.compile(r"^\s*(?:can|could|would|will) you\b", re.IGNORECASE)


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
        step = next((one for one in steps if str(one.get("step_id")) == named[1]), None)
        if step is None:
            return (
                f"There is no step {named[1]}; steps: {', '.join(str(one.get('step_id')) for one in steps)}."
            )
        why = f" ({step['intent']})" if step.get("intent") else ""
        return f"Step {named[1]}: {describe_step(step)}{why}"
    folded = request.casefold()
    about: list[str] = []
    if re.search(r"\b(data ?sets?|data|parameters?|source)\b", folded):
        about += [
            f"Step {one['step_id']}: {describe_step(one)}"
            for one in steps
            if one.get("tool_name") == "fetch_data"
        ]
    if re.search(r"\b(time|range|period|interval|dates?|days?)\b", folded):
        for name, facts in (template.get("variables") or {}).items():
            if facts.get("type") == "time_range":
                about.append(f"{name} is {facts.get('default', 'to be given with --time-range')}")
    if re.search(r"\b(panels?|figure|plots?|colou?rs?|drawn|title)\b", folded):
        about += [
            f"Step {one['step_id']}: {describe_step(one)}"
            for one in steps
            if one.get("tool_name") in (*FIGURES, STYLE)
        ]
    if re.search(r"\b(comput\w*|calculat\w*|operations?|windows?|averages?|smooth\w*)\b", folded):
        about += [
            f"Step {one['step_id']}: {describe_step(one)}"
            for one in steps
            if one.get("tool_name") not in ("fetch_data", *FIGURES, STYLE)
        ]
    if not about:
        about = [f"Step {one.get('step_id')}: {describe_step(one)}" for one in steps]
    return "\n".join(about)
