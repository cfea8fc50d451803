"""Names of the files that figures and exports write, before anything is fetched for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.document import Step
from helio.pipelines.maps import is_block, known_items
from helio.pipelines.passes.bind_files import FileNames
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.expand_items import expanded, items_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path

TWO_DAYS = ("2000-01-01 to 2000-01-02", "2000-01-02 to 2000-01-03")
"""Stand for the intervals of a map whose range is the run's to say."""


def check_files(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse file names with folders in them or an ending that is not their format's, and two files of one name.

    Items of a map are looked at as in a run; of intervals that only the run knows it is enough that their names differ.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_labels": ["B"], "filename": "out/b.nc"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "save_data", "tool_args": args}]}
    >>> [found] = check_files(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV104] step 1 (save_data): 'out/b.nc' is not a plain file name
      --> /steps/0/tool_args/filename
      try leave out folders: the place is chosen with --output; names do not start with a dot
    """
    made: list[Step] = []
    for index, step in enumerate(plan["steps"]):
        if "for_each" not in step and not is_block(step):
            made.append(Step.from_json(step, ("steps", index)))
            continue
        each = step.get("for_each")
        if isinstance(each, dict):
            step = {**step, "for_each": {**each, "over": _items(step, index, plan, context)}}
        found_steps = expanded(step, ("steps", index), plan, context)
        if not isinstance(found_steps, Diagnostic):  # else another check refuses the map
            made += [Step.from_json(step, ("steps", index)) for step in found_steps]
    names = FileNames(made, context, bound=False)
    said: set[Path] = set()
    for one in made:
        for found in names.of(one):
            if isinstance(found, Diagnostic) and one.path not in said:
                said.add(one.path)
                yield (
                    replace(found, path=pointer(*one.path)) if is_block(plan["steps"][one.path[1]]) else found
                )


def _items(step: Document, index: int, plan: Document, context: Context) -> list[Any]:
    """The items of a map, or some that stand for them; none where another check refuses the map."""
    each = step.get("for_each")
    over = each.get("over") if isinstance(each, dict) else None
    open_range = isinstance(over, dict) and TOKEN.search(str(over.get("intervals", "")))
    if isinstance(each, dict) and (open_range or (isinstance(over, dict) and "parameters_of" in over)):
        return known_items(each, context) or list(TWO_DAYS)
    found = items_of(step, ("steps", index), plan, context)
    if isinstance(found, Diagnostic):
        return list(TWO_DAYS) if found.code == "HX305" else []
    return found
