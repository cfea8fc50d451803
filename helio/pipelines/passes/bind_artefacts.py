"""What a run's figures and files are called and show: decided in the plan, not while drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio.errors import StepError
from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.files import FORMATS, LONGEST_NAME, PLOTLY_JS, RECORD, figure_name
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added
from helio.pipelines.template import Document
from helio.steps.export.formats import file_of_export, format_of_export, with_ending


def bind_artefacts(plan: Document, context: Context) -> Iterator[Finding]:
    """Give each figure the time range common to the fetches behind it, and each export a file of its own.

    A figure over fetches of different ranges keeps the span of its data. An export without a ``filename`` is
    called after its label.
    """
    by_id = {step["step_id"]: step for step in plan["steps"]}
    files: dict[str, StepId | None] = dict.fromkeys((RECORD, PLOTLY_JS))
    for index, step in enumerate(plan["steps"]):
        args, at = step["tool_args"], pointer("steps", index, "tool_args")
        if step["tool_name"] == "render_spec":
            yield from _bind_figure(step, at, by_id, context)
            names = [f"{figure_name(step['step_id'])}.{kind}" for kind in FORMATS]
            yield from _taken(names, files, step, pointer("steps", index, "step_id"))
        elif context.signatures[step["tool_name"]].gives == "export":
            name = args.get("filename") or _called_after(args["source_labels"])
            if not args.get("filename"):
                yield Edit(
                    "HB304", f"written as {name}", added(at + "/filename", name), step["step_id"], kind="bind"
                )
            try:
                if args.get("filename"):
                    full, _ = file_of_export(name, args.get("format"))
                else:
                    full = with_ending(name, format_of_export("", args.get("format")))
            except StepError as error:
                yield Diagnostic(
                    "HV104",
                    error.message,
                    "error",
                    step["step_id"],
                    step["tool_name"],
                    at + "/filename",
                    (error.advice,),
                )
                continue
            yield from _taken([full], files, step, at + "/filename")


def _called_after(labels: list[str]) -> str:
    """A file's name from the labels in it, with an ending of its own to come."""
    name = "_".join(re.sub(r"[^A-Za-z0-9_.|-]+", "_", label) for label in labels)
    return name[: LONGEST_NAME - 20]


def _taken(
    names: list[str], files: dict[str, StepId | None], step: Document, at: str
) -> Iterator[Diagnostic]:
    """Refuse a file that another step writes, or that no disk takes; on some, names that differ in case are one."""
    for name in names:
        by = files.get(name.lower(), step["step_id"])
        wrong = ""
        if name.lower() in files:
            wrong = f"{name} is a file of {'the run itself' if by is None else f'step {by}'} already"
        elif len(name) > LONGEST_NAME:
            wrong = f"the file name {name[:30]}… is too long"
        if wrong:
            yield Diagnostic(
                "HV104", wrong, "error", step["step_id"], step["tool_name"], at, ("another name",)
            )
            return
    files.update(dict.fromkeys(map(str.lower, names), step["step_id"]))


def _bind_figure(
    step: Document, at: str, by_id: dict[StepId, Document], context: Context
) -> Iterator[Finding]:
    ranges = {
        by_id[one]["tool_args"][name]
        for one in _ancestors(step["step_id"], by_id)
        for name in context.signatures[by_id[one]["tool_name"]].time_arguments()
        if name in by_id[one]["tool_args"]
    }
    operations: tuple[Operation, ...] = ()
    if len(ranges) == 1 and "time_range" not in step["tool_args"]:
        operations += added(at + "/time_range", ranges.pop())
    if context.caption and "caption" not in step["tool_args"]:
        operations += added(at + "/caption", context.caption)
    if operations:
        yield Edit("HB303", "the range and caption of the figure", operations, step["step_id"], kind="bind")


def _ancestors(step_id: StepId, by_id: dict[StepId, Document]) -> set[StepId]:
    found: set[StepId] = set()
    waiting = list(by_id[step_id]["depends_on"])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += by_id[one]["depends_on"]
    return found
