"""Units of what steps read, as far as they are known before a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.walk import each_step, id_of
from helio.pipelines.template import Document
from helio.steps.quantity import advice_on_units, equal_units


@dataclass(frozen=True)
class _Known:
    unit: str
    surely: bool
    """By the signature of the tool that makes it, not by the catalogue."""


def check_quantities(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a table whose unit its tool cannot take, where another tool always gives it; warn by the catalogue.

    What is not known before the run is checked when the step is called, and then the file has the last word.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> angle = {"step_id": 1, "tool_name": "clock_angle", "tool_args": {"source_label": "b", "output_label": "ca"}}
    >>> args = {"pressure_label": "ca", "bz_label": "b.Bz", "output_label": "r0"}
    >>> plan = {"steps": [angle, {"step_id": 2, "tool_name": "shue_standoff", "tool_args": args}]}
    >>> [found] = check_quantities(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV401] step 2 (shue_standoff): the pressure has to be in nPa, and 'ca' is in deg
      --> /steps/1/tool_args/pressure_label
      try choose another quantity: the one cannot be converted into the other
    """
    demanding = [
        (path, step, signature, table)
        for path, step in each_step(plan)
        if (signature := context.signatures.get(step.get("tool_name", ""))) is not None
        for table in signature.tables
        if table.takes.unit
    ]
    # The catalogue is opened for a step that wants to know, and for no other.
    known = {label: one for _, step in each_step(plan) if demanding for label, one in _given(step, context)}
    for path, step, signature, table in demanding:
        for place, label in read_labels(signature, step["tool_args"]):
            found = known.get(owner(label, known) or "")
            if (
                place[0] == table.argument
                and found is not None
                and not equal_units(table.takes.unit, found.unit)
            ):
                yield Diagnostic(
                    "HV401" if found.surely else "HV402",
                    f"the {table.parameter} has to be in {table.takes.unit}, and '{label}' is in {found.unit}"
                    + ("" if found.surely else ", says the catalogue"),
                    "error" if found.surely else "warning",
                    id_of(step),
                    signature.name,
                    pointer(*path, "tool_args", *place),
                    (advice_on_units(found.unit, table.takes.unit),),
                )


def _given(step: Document, context: Context) -> Iterator[tuple[str, _Known]]:
    """The labels of a step whose units are known, and not that they have none."""
    signature, args = context.signatures.get(step.get("tool_name", "")), step.get("tool_args", {})
    if signature is None or "for_each" in step:
        return
    labels = produced_labels(signature, args)
    if signature.gives == "table" and signature.gives_quantity.unit not in ("", "1"):
        yield from ((label, _Known(signature.gives_quantity.unit, surely=True)) for label in labels)
    if signature.gives != "tables" or args.get("candidates") or args.get("provider"):
        return
    names = args.get("parameters") or args.get("parameter_id")
    names = names if isinstance(names, list) else [names]
    dataset = context.catalogue.get(args["dataset_id"]) if isinstance(args.get("dataset_id"), str) else None
    for label, name in zip(labels, names, strict=False):
        unit = dataset.units.get(name, "").strip() if dataset and isinstance(name, str) else ""
        if unit and not equal_units(unit, ""):
            yield label, _Known(unit, surely=False)
