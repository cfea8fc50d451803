"""Check that Python code in a template uses only allowed names; this pass reads the code and never runs it.

HV601 (error)  code outside the allow-list
    Code from a template may be hostile: a list of the allowed names is the first defence.
    before  import os; result = df
    after   refused, each line named
    to do   Write the code with pandas and numpy alone, or use one of the tools that `helio tools` lists.

HV602 (error)  code that never assigns result
    The value of 'result' is the output of the step.
    before  x = df.abs()
    after   refused
    to do   Assign the table to 'result' in the last line of the code.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.analyses.work import is_code
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import TOKEN
from helio.steps.sandbox.allow_list import assigns_result, input_names, refusals

MOST_SHOWN = 5


def check_code(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse code that uses a name outside the list of allowed names, and code that gives no result.

    ``"pandas_code": "import os; result = df"`` → HV601; ``"pandas_code": "x = df.abs()"`` → HV602

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_labels": ["B"], "pandas_code": "x = df.abs()", "output_label": "C"}
    >>> template = Template.from_json({"steps": [{"step_id": 2, "tool_name": "custom_operation", "tool_args": args}]})
    >>> [found] = check_code(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV602] step 2 (custom_operation): the code never assigns 'result'
      --> /steps/0/tool_args/pandas_code
      help: end the code with result = …
    """
    for view in views(template.walk(), context.signatures):
        step, signature = view.step, view.signature
        for argument in signature.arguments if signature else ():
            if not is_code(argument.schema) or argument.name not in step.tool_args:
                continue
            code = step.tool_args[argument.name]
            open_labels = any(TOKEN.search(label) or is_glob(label) for label in view.labels)
            refused = refusals(code, input_names(list(view.labels)), any_input=open_labels)
            at = pointer(*step.path, "tool_args", argument.name)
            if refused:
                listed = "; ".join(str(name) for name in refused[:MOST_SHOWN])
                more = f"; and {len(refused) - MOST_SHOWN} more" if len(refused) > MOST_SHOWN else ""
                yield Diagnostic(
                    "HV601",
                    f"the code uses something that is not allowed: {listed}{more}",
                    step_id=step.step_id,
                    tool_name=step.tool_name,
                    path=at,
                    advice=(
                        "use only pandas, numpy and scipy.signal on the given tables, or a tool of `helio tools`",
                    ),
                )
            elif not assigns_result(code):
                yield Diagnostic(
                    "HV602",
                    "the code never assigns 'result'",
                    step_id=step.step_id,
                    tool_name=step.tool_name,
                    path=at,
                    advice=("end the code with result = …",),
                )
