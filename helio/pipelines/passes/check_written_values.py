"""Numbers that the author of a template wrote, and everything that rests on them."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.graph import views
from helio.pipelines.origins import origins
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document

WRITTEN, DOUBTFUL = "HV604", "HV605"


def check_written_values(plan: Document, context: Context) -> Iterator[Finding]:
    """Warn of tables, figures and files whose numbers are the author's and were not measured.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> code = "result = pd.Series(5.0, index=pd.to_datetime(['2024-01-01']))"
    >>> table = {"step_id": 1, "tool_name": "store_dataframe",
    ...          "tool_args": {"pandas_code": code, "output_label": "limit"}}
    >>> figure = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["limit"]}}
    >>> for found in check_written_values({"steps": [table, figure]}, Context(signatures(), datetime.min, {})):
    ...     print(found.code, found.step_id, found.message)
    HV604 1 'limit' holds values written by the author, not measured
    HV604 2 it rests on values written by the author, not measured: limit
    """
    found = origins(plan, context.signatures)
    for step in views(plan, context.signatures):
        origin = found.get(step.pointer)
        if origin is None or step.signature is None:
            continue
        own = set(step.outputs)
        for code, labels, what in (
            (WRITTEN, origin.written, "values written by the author, not measured"),
            (DOUBTFUL, origin.doubtful, "values that may not be measured, but written by the author"),
        ):
            if not labels:
                continue
            listed = ", ".join(sorted(labels))
            message = f"'{listed}' holds {what}" if labels <= own else f"it rests on {what}: {listed}"
            yield Diagnostic(code, message, "warning", step.id, step.signature.name, step.pointer)
