"""A tool that takes one component is used on each component of a vector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import pointer
from helio.pipelines.graph import view_of
from helio.pipelines.maps import (
    args_of,
    as_glob,
    is_block,
    known_items,
    places,
    signature_of,
    size_of,
    uses,
    variable_of,
    with_item,
)
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, replaced
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN
from helio.steps.signature import Signature

COMPONENT = "$COMPONENT"


def map_components(plan: Document, context: Context) -> Iterator[Finding]:
    """Map a step over the components of a vector where it needs a scalar; leave vectors out of a map that needs one.

    ``spectrogram(AC_H2_MFI.BGSEc) as S`` → ``spectrogram(AC_H2_MFI.BGSEc, component: $COMPONENT) as S_$COMPONENT`` for
    each of its components, and ``S_*`` where ``S`` was drawn. Sizes are the catalogue's: what it does not know is left
    as it is.

    >>> from datetime import datetime
    >>> from helio.pipelines.passes.edit import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"source_label": "AC_H2_MFI.BGSEc", "python_code": "…", "output_label": "S"}
    >>> plan = {"steps": [{"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args}]}
    >>> known = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
    >>> [edit] = map_components(plan, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(edit.code, edit.kind, edit.message)
    HX401 lossy done for each component of AC_H2_MFI.BGSEc
    """
    for place in places(plan):
        signature = signature_of(place.step, context.signatures)
        if signature is None or not any(table.scalar for table in signature.tables):
            continue
        if place.maps:
            if len(place.path) == 2:
                yield from _without_vectors(plan, place.path[1], signature, context)
        elif len(place.path) == 2:
            yield from _mapped(plan, place.path[1], signature, context)


def _mapped(plan: Document, index: Any, signature: Signature, context: Context) -> Iterator[Edit]:
    step = plan["steps"][index]
    args = args_of(step)
    table = next(one for one in signature.tables if one.scalar)
    label, out = args.get(table.argument), args.get("output_label")
    if not isinstance(label, str) or not isinstance(out, str) or args.get("component"):
        return
    if size_of(label, context) in (None, 1) or TOKEN.search(label):
        return
    at = pointer("steps", index, "tool_args")
    if signature.argument("component") is not None:
        operations = replaced(f"{at}/component", args["component"], COMPONENT) if "component" in args else ()
        operations = operations or added(f"{at}/component", COMPONENT)
    else:
        operations = replaced(f"{at}/{table.argument}", label, f"{label}.{COMPONENT}")
    operations += replaced(f"{at}/output_label", out, f"{out}_{COMPONENT}")
    if step.get("produces"):
        produces = [f"{one}_{COMPONENT}" if one == out else one for one in step["produces"]]
        operations += replaced(pointer("steps", index, "produces"), step["produces"], produces)
    each = {"as": COMPONENT, "over": {"components_of": label}}
    operations += added(pointer("steps", index, "for_each"), each)
    operations += _read_as(plan, out, as_glob(f"{out}_{COMPONENT}", [COMPONENT]), context)
    yield Edit(
        "HX401",
        f"done for each component of {label}",
        operations,
        step.get("step_id"),
        "lossy",
        f"{label} is a vector and {signature.name} takes a scalar: one item per component",
        f"{at}/{table.argument}",
    )


def _read_as(plan: Document, label: str, glob: str, context: Context) -> tuple[Operation, ...]:
    """Whoever takes a list of labels takes all items in the place of the one label."""
    operations: tuple[Operation, ...] = ()
    for index, step in enumerate(plan["steps"]):
        view = view_of(step, context.signatures)
        if view.signature is None or not any(table.many for table in view.signature.tables):
            continue
        for read in view.reads:
            if read.label == label:
                operations += replaced(pointer("steps", index, "tool_args", *read.path), label, glob)
    return operations


def _without_vectors(plan: Document, index: Any, signature: Signature, context: Context) -> Iterator[Edit]:
    """Leave the items out of a map over parameters that would give the tool a vector."""
    step = plan["steps"][index]
    each, args = step.get("for_each"), args_of(step)
    name = variable_of(each)
    items = known_items(each, context) if isinstance(each, dict) and not is_block(step) else None
    table = next(one for one in signature.tables if one.scalar)
    label = args.get(table.argument)
    if not name or not items or not isinstance(label, str) or args.get("component"):
        return
    if not uses({"label": label}, {}, name):
        return
    sizes = [size_of(str(with_item(label, {}, name, one)), context) for one in items]
    kept = [one for one, size in zip(items, sizes, strict=True) if size in (None, 1)]
    if kept and len(kept) < len(items) and isinstance(each, dict):
        left = ", ".join(str(one) for one in items if one not in kept)
        at = pointer("steps", index, "for_each", "over")
        yield Edit(
            "HX402",
            f"left out of the map, because {signature.name} takes scalars: {left}",
            replaced(at, each["over"], kept),
            step.get("step_id"),
        )
