"""Write the ids of datasets in the spelling of the archive.

HS104 (edit bind)  the id of a CDAWeb dataset as its catalogue spells it
    The server accepts capital letters only.
    before  "dataset_id": "ac_h2_mfi"
    after   "dataset_id": "AC_H2_MFI"
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, Operation, replaced
from helio.pipelines.template.template import Template
from helio.sources.registry import is_catalogued


def spell_datasets(template: Template, context: Context) -> Iterator[Finding]:
    """Write the id of a CDAWeb dataset in capital letters: the server accepts no other spelling.

    Ids of other providers stay: HAPI servers tell case apart, and archives of one's own do not mind.

    >>> from datetime import datetime
    >>> from helio.pipelines.template.context import Dataset
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "ac_h2_mfi", "parameter_id": "BGSEc"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> known = {"AC_H2_MFI": Dataset({})}
    >>> [edit] = spell_datasets(template, Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known))
    >>> print(edit.code, edit.message)
    HS104 datasets written as CDAWeb spells them: AC_H2_MFI
    """
    if context.archive and not is_catalogued(context.archive):
        return
    for step in template.steps:
        operations: list[Operation] = []
        for choice in step.choices:
            if not context.archive and choice.provider and not is_catalogued(choice.provider):
                continue
            spelled = choice.dataset_id.strip().upper()
            if spelled != choice.dataset_id and spelled in context.catalogue:
                at = pointer(*step.path, "tool_args", *choice.path)
                operations += replaced(at, choice.dataset_id, spelled)
        if operations:
            names = ", ".join(str(operation["value"]) for operation in operations[1::2])
            message = f"datasets written as CDAWeb spells them: {names}"
            yield Edit("HS104", message, tuple(operations), step.step_id, kind="bind")
