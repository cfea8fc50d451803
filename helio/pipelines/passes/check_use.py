"""Steps and labels that nothing uses.

HV301 (warning)  step that nothing uses
    It is reported with its removal as a suggestion, and never pruned silently.
    before  a fetch that nothing reads or draws
    after   said, and run

HV302 (warning)  label that nothing uses
    It is worked out, and nobody sees it.
    before  "output_label": "ACE_Bmag", drawn nowhere
    after   said, and computed
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, Fix, pointer
from helio.pipelines.figures import FIGURES, depends_on
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.maps import args_of, as_glob, is_glob, matching, places, signature_of
from helio.pipelines.outputs import LIMITED
from helio.pipelines.passes.edit import Context, Finding, removed
from helio.pipelines.template import Document


def _is_limited(step: Document) -> bool:
    """Whether a pass chose what a figure draws, and may have left out some of it."""
    notes = step.get("annotations")
    return isinstance(notes, dict) and LIMITED in notes


def check_use(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of a step that nothing uses and that uses nothing, and of labels that nothing reads; prune neither.

    ``fetch B; fetch V; plot B`` → HV301 for the second fetch, with its removal as a suggestion.
    ``fetch B; C = magnitude(B); plot B`` → HV302 for ``C``. A plan without any figure or export is left alone: there
    the labels are what it is for.
    """
    produced: dict[str, tuple[str, Any]] = {}
    reads: list[str] = []
    needed: set[Any] = set()
    artefacts = False
    for place in places(plan):
        needed.update(str(one) for one in depends_on(place.step))
        signature = signature_of(place.step, context.signatures)
        if signature is None:
            continue
        artefacts = (
            artefacts
            or signature.gives == "export"
            or (signature.name in FIGURES and not _is_limited(place.step))
        )
        args = args_of(place.step)
        reads += [as_glob(label, place.variables) for _, label in read_labels(signature, args)]
        for label in produced_labels(signature, args):
            produced.setdefault(as_glob(label, place.variables), (label, place))
    if not artefacts:
        return
    used = {known for label in reads if (known := owner(label, produced)) is not None}
    used.update(one for label in reads if is_glob(label) for one in matching(label, produced))
    maps = [label for label in produced if is_glob(label)]
    used.update(one for one in maps if matching(one, reads))
    by_step: dict[tuple[str | int, ...], list[str]] = {}
    for label, (_, place) in produced.items():
        by_step.setdefault(place.path, []).append(label)
    for label, (written, place) in produced.items():
        if label in used:
            continue
        step, unused = place.step, not any(one in used for one in by_step[place.path])
        tool_name = str(step.get("tool_name", ""))
        alone = unused and not depends_on(step) and str(step.get("step_id")) not in needed
        if alone and len(place.path) == 2:
            if by_step[place.path][0] == label:
                prune = Fix("remove the step", removed(pointer(*place.path), step))
                yield Diagnostic(
                    "HV301",
                    "nothing uses this step",
                    "warning",
                    step.get("step_id"),
                    tool_name,
                    pointer(*place.path),
                    ("remove the step, or draw what it gives",),
                    fixes=(prune,),
                )
            continue
        yield Diagnostic(
            "HV302",
            f"nothing uses the label '{written}'",
            "warning",
            step.get("step_id"),
            tool_name,
            pointer(*place.path),
            (f"draw '{written}', or leave it out",),
        )
