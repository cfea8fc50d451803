"""Check the names of the files of figures and exports, before any data are fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from helio.pipelines.passes.bind_files import FileNames
from helio.pipelines.passes.expand_items import expanded, items_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.maps import items_of_map
from helio.pipelines.template.template import ForEach, Step, Template
from helio.pipelines.template.variables import TOKEN, Path

TWO_DAYS = ("2000-01-01 to 2000-01-02", "2000-01-02 to 2000-01-03")
"""Example intervals for a ``for_each`` whose time range is known only in the run."""


def check_files(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse file names with a folder or with a wrong extension, and refuse two files with the same name.

    Items of a map are looked at as in a run; of intervals that only the run knows it is enough that their names differ.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_labels": ["B"], "filename": "out/b.nc"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "save_data", "tool_args": args}]})
    >>> [found] = check_files(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV104] step 1 (save_data): 'out/b.nc' is not a plain file name
      --> /steps/0/tool_args/filename
      help: write a name without folders that does not start with a dot; --output chooses the folder
    """
    made: list[Step] = []
    for step in template.steps:
        if step.for_each is None and not step.block:
            made.append(step)
            continue
        if step.for_each is not None:
            items = _items(step, step.for_each, template, context)
            step = replace(step, for_each=ForEach(name=step.for_each.name, items=items))
        expanded_steps = expanded(step, template, context)
        if not isinstance(expanded_steps, Diagnostic):  # else another check refuses the map
            made += expanded_steps
    blocks = {step.path for step in template.steps if step.block}
    names = FileNames(made, context, bound=False)
    reported: set[Path] = set()
    for step in made:
        home = step.path[:2]
        for target in names.of(step):
            if isinstance(target, Diagnostic) and home not in reported:
                reported.add(home)
                yield replace(target, path=pointer(*home)) if home in blocks else target


def _items(step: Step, loop: ForEach, template: Template, context: Context) -> Sequence[Any]:
    """Return the items of a ``for_each``, or examples of them; return nothing if another check refuses the loop."""
    if TOKEN.search(loop.intervals) or loop.parameters_of:
        return items_of_map(loop, context) or TWO_DAYS
    found = items_of(step, template, context)
    if isinstance(found, Diagnostic):
        return TWO_DAYS if found.code == "HX305" else ()
    return found
