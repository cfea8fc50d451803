"""Everything that is not where it belongs, or not of its type, before any pass reads a plan as it stands.

HV101 (error)  a field or argument is not of its type
    Nothing reads further before it is.
    before  "depends_on": {"a": 1}
    after   refused
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.dialect.structure import misfits
from helio.pipelines.dialect.walk import each_step, id_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.schema import STEP, STRUCTURE

_FRAME = {
    **STRUCTURE,
    "properties": {
        **STRUCTURE["properties"],
        "steps": {"type": "array", "items": {"type": "object"}, "minItems": 1},
    },
}
"""A template without its steps, which are looked at one by one, those in blocks too."""
KINDS = ("tool_name", "use", "block")


def check_structure(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a structure that is not a template's.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "magnitude", "tool_args": [], "critical": "perhaps"}]}
    >>> for finding in check_structure(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.path, finding.message)
    HV101 /steps/0/critical "perhaps" is not true or false
    HV101 /steps/0/tool_args [] is not an object
    """
    del context
    for _, path, message, meant in misfits(plan, _FRAME):
        yield _found(message, pointer(*path), None, meant, str(path[-1]) if path else "")
    for path, step in each_step(plan):
        for _, inside, message, meant in misfits(step, STEP):
            yield _found(message, pointer(*path, *inside), step, meant, str(inside[-1]) if inside else "")
        kinds = [key for key in KINDS if key in step]
        if len(kinds) > 1:
            message = f"{' and '.join(kinds)} do not go together: a step is one of them"
            yield _found(message, pointer(*path, kinds[1]), step, (), "")


def _found(message: str, at: str, step: Document | None, meant: tuple[str, ...], key: str) -> Diagnostic:
    close = closest(key, meant)
    return Diagnostic(
        "HV101",
        message,
        step_id=id_of(step) if step is not None else None,
        path=at,
        advice=tuple(f"did you mean '{guess}'?" for guess in close[:1]) or meant[:3],
        candidates=meant,
    )
