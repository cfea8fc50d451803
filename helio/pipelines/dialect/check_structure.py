"""Check that every field of a document is known and has the right type.

HV101 (error)  a field or argument of a wrong type
    helio checks nothing else before all types are right.
    before  "depends_on": {"a": 1}
    after   refused
    to do   Write a value of the type that `helio explain KEY` gives.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import RequestError, closest
from helio.pipelines.dialect.structure import Misfit, fits, misfits
from helio.pipelines.dialect.written import WrittenStep, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.retries import MOST_RETRIES, retry_pause
from helio.pipelines.template.schema import STEP, STRUCTURE
from helio.pipelines.template.variables import Path

_FRAME = {
    **STRUCTURE,
    "properties": {
        **STRUCTURE["properties"],
        "steps": {"type": "array", "items": {"type": "object"}, "minItems": 1},
    },
}
"""Schema of a template without its steps; every step, also a step in a block, has a check of its own."""
_REMEDIES: dict[Path, str] = {
    ("retries",): f"write a whole number from 0 to {MOST_RETRIES}",
    ("retry_delay",): 'write a length with its unit, such as "30s"',
}
KINDS = ("tool_name", "use", "block")


def check_structure(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a document with unknown fields, or with fields of a wrong type.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "magnitude", "tool_args": [], "critical": "perhaps"}]}
    >>> for finding in check_structure(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.path, finding.message)
    HV101 /steps/0/critical "perhaps" is not true or false
    HV101 /steps/0/tool_args [] is not an object
    """
    del context
    for misfit in misfits(plan, _FRAME):
        yield _refusal(misfit.message, misfit.path, None, _advice(misfit), misfit.meant)
    for step in written_steps(plan):
        for misfit in misfits(step.json, STEP):
            path = (*step.path, *misfit.path)
            yield _refusal(misfit.message, path, step.id, _advice(misfit), misfit.meant)
        yield from _retries(step)
        kinds = [key for key in KINDS if key in step.json]
        if len(kinds) > 1:
            message = f"{' and '.join(kinds)} cannot be combined in one step"
            yield _refusal(message, (*step.path, kinds[1]), step.id)


def _retries(step: WrittenStep) -> Iterator[Diagnostic]:
    """Refuse a delay without retries, one that is no length of time, and delays that together take too long."""
    delay, retries = step.json.get("retry_delay"), step.json.get("retries", 0)
    if not isinstance(delay, str) or not fits(retries, STEP["properties"]["retries"]):
        return
    path = (*step.path, "retry_delay")
    if "retries" not in step.json:
        yield _refusal("'retry_delay' has no effect without 'retries'", path, step.id, 'add "retries": 3')
    try:
        retry_pause(retries, delay)
    except RequestError as error:
        yield _refusal(error.message, path, step.id, error.advice)


def _advice(misfit: Misfit) -> str:
    """Say which key or value to write instead; return an empty text if none is known."""
    if misfit.path in _REMEDIES:
        return _REMEDIES[misfit.path]
    guesses = misfit.meant if misfit.kind == "wrong" else closest(str(misfit.path[-1]), misfit.meant)
    if misfit.kind != "missing" and guesses:
        return f"did you mean '{guesses[0]}'?"
    return f"write one of these keys: {', '.join(misfit.meant)}" if misfit.meant else ""


def _refusal(
    message: str, path: Path, step_id: StepId | None, advice: str = "", meant: tuple[str, ...] = ()
) -> Diagnostic:
    return Diagnostic(
        "HV101",
        message,
        step_id=step_id,
        path=pointer(*path),
        advice=(advice,) if advice else (),
        candidates=meant,
    )
