"""Names of the files that exports write, before anything is fetched for them."""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import StepError
from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.passes.walk import each_step, id_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN
from helio.steps.export.formats import file_of_export


def check_exports(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a file name with folders in it, or with an ending that its format does not have.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_labels": ["B"], "filename": "out/b.nc"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "save_data", "tool_args": args}]}
    >>> [found] = check_exports(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV104] step 1 (save_data): 'out/b.nc' is not a plain file name
      --> /steps/0/tool_args/filename
      try leave out folders: the place is chosen with --output; names do not start with a dot
    """
    for path, step in each_step(plan):
        signature = context.signatures.get(step.get("tool_name", ""))
        if signature is None or signature.gives != "export":
            continue
        name = step["tool_args"].get("filename")
        if not isinstance(name, str) or not name or TOKEN.search(name):
            continue  # what is made of variables is looked at once they have values
        try:
            file_of_export(name, step["tool_args"].get("format"))
        except StepError as error:
            at = pointer(*path, "tool_args", "filename")
            yield Diagnostic(
                "HV104", error.message, "error", id_of(step), signature.name, at, (error.advice,)
            )
