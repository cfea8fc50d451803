"""Repeat a step for each component of a vector if the step's tool takes only one component.

HX401 (lossy (repair) or error (run))  vector where a scalar is needed: the step repeated for each component
    The author may mean one of the components.
    before  compute_spectrogram of a vector
    after   "for_each": {"as": "$COMPONENT", "over": {"components_of": LABEL}}
    to do   Name the component in the label, such as AC_H2_MFI.BGSEc.Bx; `helio fix PIPELINE` makes one step for
            each component.

HX402 (edit safe)  vectors removed from a for_each whose tool takes scalars
    The tool gives no result for vectors.
    before  a map over ["Magnitude", "BGSEc"] that needs scalars
    after   "over": ["Magnitude"]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, Operation, changed, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import as_glob, items_of_map, size_of, uses, with_item
from helio.pipelines.template.template import ForEach, Step, Template
from helio.pipelines.template.variables import TOKEN
from helio.steps.signature import Signature

COMPONENT = "$COMPONENT"


def map_components(template: Template, context: Context) -> Iterator[Finding]:
    """Repeat a step for each component of a vector if its tool takes a scalar; remove vectors from a ``for_each``.

    ``spectrogram(AC_H2_MFI.BGSEc) as S`` → ``spectrogram(AC_H2_MFI.BGSEc, component: $COMPONENT) as S_$COMPONENT`` for
    each of its components, and ``S_*`` where ``S`` was drawn. Sizes are the catalogue's: what it does not know is left
    as it is.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"source_label": "AC_H2_MFI.BGSEc", "python_code": "…", "output_label": "S"}
    >>> steps = [{"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args}]
    >>> template = Template.from_json({"steps": steps})
    >>> known = {"AC_H2_MFI": Dataset({"BGSEc": 3})}
    >>> [edit] = map_components(template, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(edit.code, edit.kind, edit.message)
    HX401 lossy repeated for each component of AC_H2_MFI.BGSEc
    """
    for step in template.steps:
        signature = context.signatures.get(step.tool_name)
        if signature is None or not any(table.scalar for table in signature.tables):
            continue
        if step.for_each is None:
            yield from _mapped(template, step, signature, context)
        else:
            yield from _without_vectors(step, step.for_each, signature, context)


def _mapped(template: Template, step: Step, signature: Signature, context: Context) -> Iterator[Edit]:
    args = step.tool_args
    table = next(table for table in signature.tables if table.scalar)
    label, out = args.get(table.argument), args.get("output_label")
    if not label or not out or args.get("component"):
        return
    if size_of(label, context) in (None, 1) or TOKEN.search(label):
        return
    named = f"{out}_{COMPONENT}"
    part = (
        {table.argument: f"{label}.{COMPONENT}"}
        if signature.argument("component") is None
        else {"component": COMPONENT}
    )
    after = replace(
        step,
        tool_args={**args, **part, "output_label": named},
        produces=tuple(named if given == out else given for given in step.produces),
        for_each=ForEach(name=COMPONENT, components_of=label),
    )
    yield Edit(
        "HX401",
        f"repeated for each component of {label}",
        (*changed(step, after), *_read_as(template, out, as_glob(named, [COMPONENT]), context)),
        step.step_id,
        "lossy",
        f"{label} is a vector, but {signature.name} takes a scalar: the step is repeated for each component",
        pointer(*step.path, "tool_args", table.argument),
    )


def _read_as(template: Template, label: str, glob: str, context: Context) -> tuple[Operation, ...]:
    """Replace the label of a vector by the labels of all components if a tool takes a list of labels."""
    operations: tuple[Operation, ...] = ()
    for view in views(template.steps, context.signatures):
        if view.signature is None or not any(table.many for table in view.signature.tables):
            continue
        for path, read in view.reads:
            if read == label:
                operations += replaced(pointer(*view.path, "tool_args", *path), label, glob)
    return operations


def _without_vectors(step: Step, loop: ForEach, signature: Signature, context: Context) -> Iterator[Edit]:
    """Remove the items of a ``for_each`` over parameters that would give a vector to a tool for scalars."""
    items = items_of_map(loop, context)
    label = step.tool_args.get(next(table.argument for table in signature.tables if table.scalar))
    if not items or not label or step.tool_args.get("component") or not uses(label, {}, loop.name):
        return
    sizes = [size_of(str(with_item(label, {}, loop.name, item)), context) for item in items]
    scalars = [item for item, size in zip(items, sizes, strict=True) if size in (None, 1)]
    if scalars and len(scalars) < len(items):
        vectors = ", ".join(str(item) for item in items if item not in scalars)
        yield Edit(
            "HX402",
            f"left out of for_each, because {signature.name} takes scalars: {vectors}",
            replaced(pointer(*step.path, "for_each", "over"), loop.to_json()["over"], scalars),
            step.step_id,
        )
