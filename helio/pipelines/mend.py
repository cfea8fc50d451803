"""Correct a template: write standard spellings and references into it, but no values that helio derives in each run."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import jsonpatch

from helio.pipelines.dialect.parse import parse
from helio.pipelines.passes import NORMALISE, RESOLVE, VERIFY
from helio.pipelines.passes.map_components import map_components
from helio.pipelines.passes.map_literals import map_literals
from helio.pipelines.passes.raise_critical import raise_critical
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import STEP_DEFAULTS, Document, as_text
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.runner import AuthoredPaths, RewriteResult, rewrite
from helio.steps.signature import signatures
from helio.time_range import is_time_range

DERIVED = ("produces", "depends_on")
"""Keys that helio derives in each run, so that a template does not need them."""
RESPELT_TIMES = ("HN701", "HN704")
"""Codes of edits that only give a time range another spelling."""

STAGES = (
    *NORMALISE,
    *RESOLVE,
    # Guesses about loops and vectors that a run refuses and offers as a fix.
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
    keep_phrases: bool = False,
) -> tuple[Document, str, tuple[Diagnostic, ...]]:
    """Correct the template in a text; return the template, a unified diff and diagnostics.

    Steps keep their ids. Optimising and most expanding is left to the run, because it mends nothing; only loops without
    a stated argument, and vectors where a scalar is needed, are expanded here.

    Parameters
    ----------
    keep_phrases : bool
        Whether a time range that helio understands, such as ``2024-05-10``, stays as its author wrote it.
    """
    parsed = parse(text)
    if parsed.errors:
        return {}, "", parsed.diagnostics
    # Not `catalogue or {}`: its length would open it.
    context = Context(
        signatures(),
        now,
        {},
        catalogue={} if catalogue is None else catalogue,
        pipelines={} if pipelines is None else pipelines,
    )
    mended = repair(parsed.plan, context)
    diagnostics = (*parsed.diagnostics, *mended.diagnostics)
    if not parsed.edits and all(edit.code in ("HN100", "HR101", "HR301") for edit in mended.edits):
        return parsed.plan, "", diagnostics
    plan = _with_phrases(mended.plan, mended.edits) if keep_phrases else mended.plan
    template = _lean(plan, parsed.plan)
    # The diff ignores the layout of JSON; text around a plan is removed completely.
    before = text if parsed.edits else as_text(parsed.plan)
    import difflib  # only for a diff, never at start-up

    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        as_text(template).splitlines(keepends=True),
        name,
        f"{name} (mended)",
    )
    return template, "".join(lines), diagnostics


def repair(document: Document, context: Context) -> RewriteResult:
    """Correct everything in a template that passes can correct; return its plan with the remaining diagnostics."""
    mended = rewrite(document, context, STAGES, mode="repair", until_stable=True)
    if mended.errors:
        return mended
    verified = rewrite(mended.plan, context, VERIFY)
    paths = AuthoredPaths(document)
    findings = [paths.of(diagnostic, mended.plan) for diagnostic in verified.diagnostics]
    return RewriteResult(mended.plan, mended.edits, (*mended.diagnostics, *findings))


def _with_phrases(plan: Document, edits: Iterable[Edit]) -> Document:
    """Put back each phrase that is a time range as its author wrote it."""
    written = copy.deepcopy(plan)
    for edit in edits:
        match edit.operations:
            case ({"value": str(phrase)}, {"op": "replace", "path": path, "value": str(spelt)}) if (
                edit.code in RESPELT_TIMES and is_time_range(phrase)
            ):
                place = jsonpatch.JsonPointer(path)
                if place.resolve(written, None) == spelt:
                    place.set(written, phrase)
    return written


def _lean(plan: Document, authored: Document) -> Document:
    """Remove default values and derived values that the author of the template did not write."""
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
