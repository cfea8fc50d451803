"""Run passes over a plan: apply their edits, collect their diagnostics, and refuse passes that break the rules.

HI001 (error)  passes that never finish
    Passes that undo each other's edits are a bug in helio.
    before  a pass that edits in every round
    after   refused, the passes named
    to do   Report the bug with the template; `helio doctor --report FILE` writes what a report needs.

HI002 (error)  a pass that failed or broke the plan; helio ignores its edits
    A bug in one pass must not damage the plan.
    before  a pass that raises
    after   refused, the pass named
    to do   Report the bug with the template; `helio doctor --report FILE` writes what a report needs.
"""

from __future__ import annotations

import gc
import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import jsonpatch

from helio.pipelines.template.context import Context, DialectPass, Finding, Pass
from helio.pipelines.template.diagnostics import Diagnostic, Diagnostics, Fix
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.figures import DRAWING
from helio.pipelines.template.oversize import Oversize
from helio.pipelines.template.template import Template

log = logging.getLogger(__name__)

MOST_ROUNDS = 3
"""Maximum number of rounds of the repeated stages; a plan that passes still change after these is an error."""

FIX = "run `helio fix PIPELINE`: "
"""First words of an advice that ``helio fix`` can follow."""

Mode = Literal["safe", "repair"]
Stage = Sequence[Pass | DialectPass]


@dataclass(frozen=True)
class RewriteResult:
    """Plan after the passes, with all edits and diagnostics."""

    plan: Document = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Diagnostics that prevent the plan from running."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "error")

    def _repr_html_(self) -> str:
        return Diagnostics(self.diagnostics)._repr_html_()


def rewrite(
    authored: Document,
    context: Context,
    stages: Iterable[Stage],
    *,
    mode: Mode = "safe",
    until_stable: bool = False,
) -> RewriteResult:
    """Run stages of passes; stop after the first stage with errors.

    Parameters
    ----------
    authored : Document
        What diagnostics point into; it is never changed.
    stages : iterable of stages
        Each a sequence of passes.
    mode : "safe" or "repair"
        Whether a lossy edit is an error that offers it as a fix, or is applied and reported.
    until_stable : bool
        Whether the stages are repeated as a whole until nothing is left to edit, at most `MOST_ROUNDS` times.

    Returns
    -------
    RewriteResult
        Applying the ``operations`` of the edits to `authored`, in order, gives the plan; applying their inverses
        in reverse order to the plan gives `authored`.
    """
    with _garbage_kept():
        return _rewrite(_Work(authored, context, mode), [tuple(stage) for stage in stages], until_stable)


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Do not search for garbage during a ``with`` block: a third of the time that passes take for 5,000 steps.

    Passes make many objects that stay, and hardly any in cycles.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _rewrite(work: _Work, listed: Sequence[Stage], until_stable: bool) -> RewriteResult:
    if not until_stable:
        work.round(listed)
        return work.result()
    for _ in range(MOST_ROUNDS):
        if not work.round(listed):
            return work.result()
    edited = work.round(listed)
    if edited:
        work.findings = [
            Diagnostic(
                "HI001",
                f"the automatic changes do not come to an end: the passes {', '.join(edited)} still change the "
                f"pipeline after {MOST_ROUNDS} rounds",
                candidates=tuple(edited),
                advice=("report this bug to the developers of helio, and send them the template",),
            )
        ]
    return work.result()


def replay(authored: Document, edits: Iterable[Edit]) -> Document:
    """Apply edits to a document and return the resulting plan."""
    return _patched(authored, [operation for edit in edits for operation in edit.operations])


def undo(plan: Document, edits: Sequence[Edit]) -> Document:
    """Undo edits in a plan and return the document before these edits."""
    return _patched(plan, [operation for edit in reversed(edits) for operation in edit.inverse()])


class _Work:
    """A plan during the passes, with the edits and diagnostics so far."""

    def __init__(self, authored: Document, context: Context, mode: Mode) -> None:
        self.authored = authored
        self.paths = AuthoredPaths(authored)
        self.plan: Document = _copied(authored)
        """Copy of the document for the passes, so that no pass can change the author's document."""
        self.untouched: Document = _copied(authored)
        """Second copy of the document, which passes do not get; the runner applies edits to this copy."""
        self.template: Template | None = None
        """The plan as a typed template; made when a pass first needs it."""
        self.context = context
        self.mode = mode
        self.edits: list[Edit] = []
        self.warned: list[Diagnostic] = []
        self.findings: list[Diagnostic] = []
        """Diagnostics of the last round; errors of earlier rounds may have been corrected."""

    def result(self) -> RewriteResult:
        found = dict.fromkeys((*self.warned, *self.findings))
        return RewriteResult(self._shown(), tuple(self.edits), tuple(found))

    def _shown(self) -> Document:
        return self.plan if self.edits else self.authored

    def round(self, stages: Sequence[Stage]) -> list[str]:
        """Run every pass of every stage once; return the names of the passes that changed the plan."""
        self.findings = []
        edited: list[str] = []
        for stage in stages:
            for rule in stage:
                if self._run(rule):
                    edited.append(_name(rule))
            if any(finding.severity == "error" for finding in self.findings):
                break
        return edited

    def _run(self, rewrite: Pass | DialectPass) -> bool:
        try:
            found = list(self._look(rewrite))
        except Oversize as error:
            self.findings.append(error.diagnostic)
            return False
        except Exception as error:
            # A pass is code of ours: whatever it raises is a bug of its own, and must not take the plan with it.
            log.exception("the pass %s raised", _name(rewrite))
            self._accuse(rewrite, f"raised {type(error).__name__}: {error}")
            return False
        finally:
            changed = self._restored()
        if changed:
            self._accuse(rewrite, "changed the plan in place")
            return False
        strange = [finding for finding in found if not isinstance(finding, (Edit, Diagnostic))]
        if strange:
            self._accuse(rewrite, f"returned neither an edit nor a diagnostic: {strange[0]!r:.80}")
            return False
        edits: list[Edit] = []
        for finding in found:
            if isinstance(finding, Diagnostic):
                self.findings.append(self.paths.of(finding, self._shown()))
            elif finding.kind == "lossy" and self.mode == "safe":
                self.findings.append(self.paths.of(_refusal(finding), self._shown()))
            else:
                edits.append(finding)
        return bool(edits) and self._apply(rewrite, edits)

    def _look(self, rewrite: Pass | DialectPass) -> Iterable[Finding]:
        if not _reads_types(rewrite):
            return cast(DialectPass, rewrite)(self.plan, self.context)
        if self.template is None:
            self.template = Template.from_json(self.plan)
        return cast(Pass, rewrite)(self.template, self.context)

    def _restored(self) -> bool:
        """Return whether a pass has changed the plan that it was given; if so, restore the plan."""
        # Comparing first is fast. What differs may still be the same text, as a NaN is.
        if self.plan == self.untouched or json.dumps(self.plan, default=repr) == json.dumps(self.untouched):
            return False
        self.plan, self.template = _copied(self.untouched), None
        return True

    def _apply(self, rewrite: Pass | DialectPass, edits: list[Edit]) -> bool:
        """Apply all edits of a pass, or none of them."""
        try:
            operations = [operation for edit in edits for operation in edit.operations]
            plan = _patch(self.untouched, operations)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError) as error:
            self.untouched = _copied(self.plan)
            self._accuse(rewrite, f"made an edit that does not apply: {error}")
            return False
        wrong = _broken(plan)
        if wrong:
            self.untouched = _copied(self.plan)
            self._accuse(rewrite, f"broke the plan: {wrong}")
            return False
        for edit in edits:
            if edit.warning:
                warning = Diagnostic(edit.code, edit.warning, "warning", edit.step_id, path=edit.path)
                self.warned.append(self.paths.of(warning, self._shown()))
        self.plan, self.untouched, self.template = plan, _copied(plan), None
        self.edits += edits
        return True

    def _accuse(self, rewrite: Pass | DialectPass, what: str) -> None:
        self.findings.append(
            Diagnostic(
                "HI002",
                f"an error in helio: the pass {_name(rewrite)} {what}",
                candidates=(_name(rewrite),),
                advice=("report this bug to the developers of helio, and send them the template",),
            )
        )


class AuthoredPaths:
    """Paths in the author's document for the diagnostics of a plan, because passes move and merge steps."""

    def __init__(self, authored: Document) -> None:
        self._authored = authored
        written = authored.get("steps")
        self._written = written if isinstance(written, list) else []
        self._ids = [_id_of(step) for step in self._written]
        # Where one id stands twice, the first step is meant.
        self._index_of = {step_id: index for index, step_id in reversed(list(enumerate(self._ids)))}

    def of(self, found: Diagnostic, plan: Document) -> Diagnostic:
        """Return a diagnostic of a plan, with a path in the author's document."""
        parts = found.path.split("/")
        if plan is self._authored or len(parts) < 3 or parts[1] != "steps" or not parts[2].isdigit():
            return found
        if not self._written:
            return found
        position = int(parts[2])
        step_id = str(plan["steps"][position].get("step_id"))
        # A step that was not moved is the one that is meant, even where its id stands twice.
        unmoved = position < len(self._ids) and self._ids[position] == step_id
        index = position if unmoved else self._index_of.get(step_id)
        if index is not None:
            return replace(found, path=_in_step(parts, index, self._written[index]))
        # A step of a used pipeline, or of a map, is where that is written.
        callers = (step_id[: match.start()] for match in re.finditer(r"[.\[]", step_id))
        indices = [self._index_of[name] for name in callers if name and name in self._index_of]
        if indices:
            return replace(found, path=f"/steps/{min(indices)}")
        # A step without an id got one; a step behind the last one was added.
        return found if position < len(self._ids) else replace(found, path="")


def _in_step(parts: list[str], index: int, written: Document) -> str:
    """Return the path of a value in a written step; a plot_data step has settings as arguments, and not in `spec`."""
    inside = parts[3:]
    if inside[:2] == ["tool_args", "spec"] and written.get("tool_name") in DRAWING:
        inside = ["tool_args", *inside[2:]]
    return "/".join([*parts[:2], str(index), *inside])


def _id_of(written: Any) -> str | None:
    return str(written.get("step_id")) if isinstance(written, dict) else None


def _refusal(edit: Edit) -> Diagnostic:
    """Return the error for an edit that could change results; a run does not apply such an edit, but suggests it."""
    return Diagnostic(
        edit.code,
        edit.warning or edit.message,
        step_id=edit.step_id,
        path=edit.path,
        advice=(f"{FIX}{edit.message}",),
        fixes=(Fix(edit.message, edit.operations),),
    )


def _copied(document: Document) -> Document:
    # Plans are JSON, which copies faster as text than node by node.
    copied: Document = json.loads(json.dumps(document))
    return copied


def _patched(document: Document, operations: Sequence[dict[str, Any]]) -> Document:
    return _patch(_copied(document), operations)


def _patch(document: Document, operations: Sequence[dict[str, Any]]) -> Document:
    """Return the document after some operations; the result shares no objects with the operations."""
    values = json.loads(json.dumps(list(operations)))
    patched: Document = jsonpatch.JsonPatch(values).apply(document, in_place=True)
    return patched


def _broken(plan: Any) -> str:
    """Return the first error in the structure of a plan, by a quick check after every pass; empty if there is none."""
    if not isinstance(plan, dict) or not isinstance(plan.get("steps"), list):
        return "the plan has no list of steps"
    for step in plan["steps"]:
        if not isinstance(step, dict):
            return "a step is not an object"
    return ""


def _reads_types(rewrite: Pass | DialectPass) -> bool:
    """Return whether a pass takes a `Template` and not JSON, from the type of its first parameter."""
    types = getattr(rewrite, "__annotations__", {})
    return next(iter(types.values()), None) in (Template, "Template")


def _name(rewrite: Pass | DialectPass) -> str:
    return getattr(rewrite, "__name__", str(rewrite))
