"""Check that a fetch has arguments that fit together: datasets, parameters, candidates and label.

HV105 (error)  arguments of a fetch that cannot be combined
    One of them would be ignored.
    before  "candidates": […] with "dataset_id": …
    after   refused
    to do   Keep the candidates or the single dataset, and remove the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.template import Step, Template

APART = (
    ("candidates", "dataset_id", "each candidate names its own dataset"),
    ("candidates", "parameters", "each candidate names its own parameter"),
    ("parameters", "parameter_id", "one of them would be ignored"),
)


def check_fetches(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse arguments of a fetch that contradict each other, and candidates without an output label.

    >>> from datetime import datetime
    >>> args = {"dataset_id": "A", "candidates": ["B"], "output_label": "x"}
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    >>> [found] = check_fetches(template, Context({}, datetime(2024, 1, 1), {}))
    >>> print(found.message)
    'candidates' and 'dataset_id' cannot be combined: each candidate names its own dataset
    """
    del context
    for step in template.walk():
        if step.tool_name != "fetch_data":
            continue
        args = step.tool_args

        def found(argument: str, message: str, advice: str, step: Step = step) -> Diagnostic:
            at = pointer(*step.path, "tool_args", argument)
            return Diagnostic("HV105", message, "error", step.step_id, "fetch_data", at, (advice,))

        for first, other, reason in APART:
            if args.get(first) and args.get(other):
                yield found(
                    other, f"'{first}' and '{other}' cannot be combined: {reason}", f"remove '{other}'"
                )
        if args.get("candidates") and not args.get("output_label"):
            yield found(
                "candidates",
                "'candidates' need an 'output_label', which names the result of any of them",
                'add "output_label": "ACE_B", or another label',
            )
        if (
            args.get("output_label")
            and isinstance(args.get("parameters"), list)
            and len(args["parameters"]) > 1
        ):
            yield found(
                "output_label",
                f"one output_label cannot name {len(args['parameters'])} parameters",
                "remove output_label: the labels are then DATASET.PARAMETER",
            )
