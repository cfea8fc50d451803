"""Replace references to results, such as ``result of step 1``, by labels.

HR204 (edit safe)  reference to the result of a numbered step replaced by its label
    No label has the name in the reference, and the step gives one table, or one for each item of its loop.
    before  "source_label": "result_of_phase_1"
    after   "source_label": "AC_H2_MFI.BGSEc"
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio.pipelines.dialect.mend_dependencies import MARKS, StepNames
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.dialect.written import Replacement, lists_of_written_steps, replacements
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.variables import TOKEN

_LOOPS = frozenset({"loop_over", "for_each"})

RESULT = re.compile(
    r"(?:results?|output)[ _]of[ _](?:step|phase|task)[ _#-]*([0-9]{1,9})"
    r"|(?:step|phase|task)[ _#-]*([0-9]{1,9})[ _.](?:results?|output)",
    re.IGNORECASE,
)


def spell_results(plan: Document, context: Context) -> Iterator[Finding]:
    """Replace each phrase such as ``result of step 1`` by the label of that step's result.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> fetch = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc"}
    >>> steps = [{"step_id": 1, "tool_name": "fetch_data", "tool_args": fetch},
    ...          {"step_id": 2, "tool_name": "magnitude", "tool_args": {"source_label": "<result of step 1>"}}]
    >>> [edit] = spell_results({"steps": steps}, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR204 the result of step 1 replaced by its label AC_H2_MFI.BGSEc
    """
    for steps in lists_of_written_steps(plan):
        names = StepNames(steps, context)
        labels_of: dict[StepId | None, list[str]] = {}
        looped = {step.id for step in steps if _LOOPS & step.json.keys()}
        for label, step_id in names.producers.items():
            labels_of.setdefault(step_id, []).append(label)
        for step in steps:
            for read in view_in(step.json, context.signatures).reads:
                result = RESULT.fullmatch(read.label.strip(MARKS))
                number = int(result[1] or result[2]) if result and read.label not in names.producers else None
                giver = names.ids.get(str(number))
                given = labels_of.get(giver, [])
                if not _LOOPS & step.json.keys():
                    # of a loop, whose labels have its variable, all results
                    given = [TOKEN.sub("*", label) if giver in looped else label for label in given]
                if giver is not None and giver != step.id and len(given) == 1:
                    change = Replacement((*step.path, "tool_args", *read.path), read.label, given[0])
                    message = f"the result of step {giver} replaced by its label {given[0]}"
                    yield step.edit("HR204", message, replacements([change]), pointer(*change.path))
