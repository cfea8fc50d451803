"""A template mended: what normalising and resolving change, and nothing that could be derived again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from helio.pipelines.dialect.parse import parse
from helio.pipelines.passes import NORMALISE, RESOLVE, VERIFY
from helio.pipelines.passes.map_components import map_components
from helio.pipelines.passes.map_literals import map_literals
from helio.pipelines.passes.raise_critical import raise_critical
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import STEP_DEFAULTS, Document, as_text
from helio.pipelines.template.runner import Rewritten, authored_path, rewrite
from helio.steps.signature import signatures

DERIVED = ("produces", "depends_on")
"""What passes derive anew each time, so that it need not be written."""


STAGES = (
    *NORMALISE,
    *RESOLVE,
    # What a run refuses to guess about loops and vectors, and offers as a fix.
    (map_literals, map_components),
    (raise_critical,),
)


def mend(
    text: str,
    *,
    now: datetime,
    name: str = "",
    catalogue: Mapping[str, Dataset] | None = None,
    pipelines: Mapping[str, Document] | None = None,
) -> tuple[Document, str, tuple[Diagnostic, ...]]:
    """The mended template of a text, a unified diff, and what there is to say.

    Steps keep their ids. Optimising is left to the run, and expanding but for loops that do not say over what, and
    vectors where a scalar is needed: the rest says nothing about what is wrong.
    """
    parsed = parse(text)
    if parsed.errors:
        return {}, "", parsed.diagnostics
    # Not `catalogue or {}`: asking for its length would open it.
    context = Context(
        signatures(),
        now,
        {},
        catalogue={} if catalogue is None else catalogue,
        pipelines={} if pipelines is None else pipelines,
    )
    mended = repair(parsed.plan, context)
    found = (*parsed.diagnostics, *mended.diagnostics)
    if not parsed.edits and all(edit.code in ("HN100", "HR101", "HR301") for edit in mended.edits):
        return parsed.plan, "", found
    template = _lean(mended.plan, parsed.plan)
    # Of JSON only what it says counts, not how it was laid out; of a text around a plan all of it goes.
    before = text if parsed.edits else as_text(parsed.plan)
    import difflib  # only where something is shown, never at start-up

    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        as_text(template).splitlines(keepends=True),
        name,
        f"{name} (mended)",
    )
    return template, "".join(lines), found


def repair(document: Document, context: Context) -> Rewritten:
    """The plan of a template with everything mended that can be, and what is left to say of it."""
    mended = rewrite(document, context, STAGES, mode="repair", until_stable=True)
    if mended.errors:
        return mended
    verified = rewrite(mended.plan, context, VERIFY)
    found = [authored_path(diagnostic, mended.plan, document) for diagnostic in verified.diagnostics]
    return Rewritten(mended.plan, mended.edits, (*mended.diagnostics, *found))


def _lean(plan: Document, authored: Document) -> Document:
    """Without the defaults and the derivable that the author had left out."""
    written = {str(step.get("step_id")): step for step in authored.get("steps", ()) if isinstance(step, dict)}
    lean: dict[str, Any] = {
        key: value
        for key, value in plan.items()
        if key in authored or key not in ("schema_version", "variables") or (key == "variables" and value)
    }
    lean["steps"] = [_lean_step(step, written.get(str(step["step_id"]), {})) for step in plan["steps"]]
    return lean


def _lean_step(step: Document, written: Document) -> Document:
    return {
        key: value
        for key, value in step.items()
        if key in written
        or (key not in DERIVED and not (key in STEP_DEFAULTS and value == STEP_DEFAULTS[key]))
    }
