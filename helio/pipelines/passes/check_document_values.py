"""Find tables whose values are no longer those of the document that the step names.

HV606 (warning)  values that differ from those of the named document
    A figure would name the document for values that are not in it.
    before  a changed number in the code of a table from a paper
    after   a warning in the review, in the run and in its record
    to do   Write the value of the document again, or remove annotations/document from the step.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.from_document import from_document, is_changed
from helio.pipelines.template.template import Template

CHANGED = "HV606"


def check_document_values(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of steps whose code no longer makes the table that their document gives.

    >>> from datetime import datetime
    >>> cells = [{"row": 1, "column": "time", "value": "2024-05-10T17:05:00", "page": 2, "quote": "17:05 UT"}]
    >>> document = {"name": "paper.pdf", "sha256": "0" * 64, "cells": cells}
    >>> step = {"step_id": 1, "tool_name": "store_dataframe", "tool_args": {"pandas_code": "result = 5"},
    ...         "annotations": {"document": document}}
    >>> template = Template.from_json({"steps": [step]})
    >>> [finding.message for finding in check_document_values(template, Context({}, datetime.min, {}))]
    ['the values of the step are not those that were read from paper.pdf p. 2']
    """
    for step in template.walk():
        document = from_document(step)
        if document is not None and is_changed(step):
            yield Diagnostic(
                CHANGED,
                f"the values of the step are not those that were read from {document.words}",
                "warning",
                step.step_id,
                step.tool_name,
                pointer(*step.path),
                advice=(
                    "write the values of the document again, or remove annotations/document from the step",
                ),
            )
