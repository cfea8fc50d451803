"""Find numbers that the author of a template wrote, and all results that depend on these numbers.

HV604 (warning)  values written by the author of the template, and what depends on them
    A reader of a figure believes that its values were measured.
    before  "pandas_code": "result = df * 0 + 5"
    after   a warning in the review, in the run and in its record
    to do   Use a fetch for measured data; keep the step if you really want these values, and say so in its
            intent.

HV605 (warning)  values from code that the author may have written, and what depends on them
    helio only reads the code, and warns if some numbers may not come from a table.
    before  "pandas_code": "result = df.fillna(0)"
    after   a warning in the review, in the run and in its record
    to do   Check each line of the code that sets values, and leave missing values as NaN.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.analyses.origins import origins
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.from_document import from_document
from helio.pipelines.template.graph import views
from helio.pipelines.template.template import Template

WRITTEN, DOUBTFUL = "HV604", "HV605"


def check_written_values(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of tables, figures and files with numbers that the author of the template wrote and nobody measured.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> code = "result = pd.Series(5.0, index=pd.to_datetime(['2024-01-01']))"
    >>> table = {"step_id": 1, "tool_name": "store_dataframe",
    ...          "tool_args": {"pandas_code": code, "output_label": "limit"}}
    >>> figure = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["limit"]}}
    >>> template = Template.from_json({"steps": [table, figure]})
    >>> for finding in check_written_values(template, Context(signatures(), datetime.min, {})):
    ...     print(finding.code, finding.step_id, finding.message)
    HV604 1 'limit' contains values that the author wrote, and that were not measured
    HV604 2 the step depends on values that the author wrote, and that were not measured: limit
    """
    found = origins(template, context.signatures)
    every = list(views(template.walk(), context.signatures))
    documents = {
        label: document.words
        for view in every
        for label in view.outputs
        if (document := from_document(view.step)) is not None
    }
    for view in every:
        origin = found.get(view.pointer)
        if origin is None:
            continue
        for code, labels, what in (
            (WRITTEN, origin.written, "values that the author wrote, and that were not measured"),
            (
                DOUBTFUL,
                origin.doubtful,
                "values that the author may have written, and that may not have been measured",
            ),
        ):
            if not labels:
                continue
            listed = ", ".join(
                f"{label} (from {documents[label]})" if label in documents else label
                for label in sorted(labels)
            )
            message = (
                f"'{', '.join(sorted(labels))}' contains {what}"
                + "".join(
                    f"; they are from {documents[label]}" for label in sorted(labels) if label in documents
                )
                if labels <= set(view.outputs)
                else f"the step depends on {what}: {listed}"
            )
            yield Diagnostic(code, message, "warning", view.id, view.tool, view.pointer)
