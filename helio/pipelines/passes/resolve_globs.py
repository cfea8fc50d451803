"""A label with ``*`` becomes the labels that it stands for.

HX502 (edit safe)  label with * became the labels that it stands for
    All that match are known.
    before  "labels": ["*.mag"]
    after   "labels": ["AC_H2_MFI.mag", "AC_H0_MFI.mag"]
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.labels import produced_labels, read_labels
from helio.pipelines.maps import args_of, as_glob, is_glob, matching, places, signature_of, without_globs
from helio.pipelines.outputs import concrete_labels, is_understood
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def resolve_globs(plan: Document, context: Context) -> Iterator[Finding]:
    """Write out ``*`` in lists of labels, once all labels that match are known.

    ``labels: ["*.mag"]`` → ``labels: ["AC_H2_MFI.mag", "AC_H0_MFI.mag"]``. Where a map's items are known only in a run,
    the ``*`` stays until then.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> get = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "$T"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> first = {"step_id": 1, "tool_name": "fetch_data", "tool_args": get, "for_each": each}
    >>> plot = {"step_id": 2, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["*.x"]}}}
    >>> [edit] = resolve_globs({"steps": [first, plot]}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    '* stands for A.x, B.x'
    """
    readers = []
    for index, step in enumerate(plan["steps"]):
        signature = signature_of(step, context.signatures)
        if signature is not None and "for_each" not in step:
            globs = [label for _, label in read_labels(signature, args_of(step)) if is_glob(label)]
            if globs:
                readers.append((index, step, signature, globs))
    if not readers or not is_understood(plan, context):
        return
    known: list[str] = []
    unknown: list[str] = []
    for place in places(plan):
        signature = signature_of(place.step, context.signatures)
        for label in produced_labels(signature, args_of(place.step)) if signature is not None else ():
            items = concrete_labels(label, place, context)
            if items is None:
                unknown.append(as_glob(label, place.variables))
            else:
                known += items
    for index, step, signature, globs in readers:
        if any(matching(one, unknown) or one in unknown for one in globs):
            continue
        args = without_globs(args_of(step), signature, known)
        if args != args_of(step):
            meant = dict.fromkeys(label for one in globs for label in matching(one, known))
            at = pointer("steps", index, "tool_args")
            message = f"* stands for {', '.join(meant)}"
            yield Edit("HX502", message, replaced(at, args_of(step), args), step.get("step_id"))
