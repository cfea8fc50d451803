"""Add the steps of another template to the template of a figure, without those that it has already."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.writing.steps import free_name
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import ENTRIES, FIGURES


def merged(editor: FigureEditor, made: Document) -> tuple[list[str], dict[str, list[Document]]]:
    """Add the steps of another template before the first figure; a step that the template has is not added again.

    Returns
    -------
    list of str
        The labels that the panels of its figure draw.
    dict
        Its histograms and its pairs of quantities, by the keys of the figure.
    """
    variables = editor.after.get("variables") or {}
    times = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
    if len(times) != 1:
        raise NotUnderstood(
            "this pipeline has no single variable for its time range, so helio cannot add data to it",
            advice="use `helio fix` to make a variable from the time ranges",
        )
    names: dict[str, str] = {}
    drawn: list[str] = []
    entries: dict[str, list[Document]] = {}
    for step in deepcopy(made["steps"]):
        if step["tool_name"] in FIGURES:
            spec = step["tool_args"]["spec"]
            drawn += [label for panel in spec["panels"] for label in panel]
            entries = {key: spec[key] for key in ENTRIES if key in spec}
            continue
        args = _renamed(step["tool_args"], {**names, "$TIME_RANGE": times[0]})
        label = args.get("output_label")
        known = _known_label(editor, step["tool_name"], args)
        if label and known:
            names[label] = _of_good_records(editor, known)
            continue
        if label:
            names[label] = free_name(label, editor.lines.producers)
            args["output_label"] = names[label]
        ids = [str(present["step_id"]) for present in editor.after["steps"]]
        step_id = free_name(str(step["step_id"]), set(ids))
        tools = [present["tool_name"] for present in editor.after["steps"]]
        index = next(number for number, name in enumerate(tools) if name in FIGURES)
        value = {**step, "step_id": step_id, "tool_args": args}
        editor.do(Operation("add", value=value, after=ids[index - 1] if index else ""))
    return [names.get(label, label) for label in drawn], _renamed(entries, names)


def _known_label(editor: FigureEditor, tool: str, args: Document) -> str:
    """Return the label of a step of the template with the same tool and arguments, or an empty text."""
    wanted = _work(args)
    for step in editor.after["steps"]:
        own = step.get("tool_args", {})
        if step["tool_name"] != tool or own.get("time_range") != args.get("time_range"):
            continue
        if own.get("output_label") and _work(own) == wanted:
            return str(own["output_label"])
        for name in own.get("parameters", ()) if tool == FETCH else ():
            one = {**own, "parameter_id": name}
            del one["parameters"]
            if _work(one) == wanted:
                return f"{fetch_choices(one)[0].dataset_id}.{name}"
    return ""


def _of_good_records(editor: FigureEditor, label: str) -> str:
    """Return the label with the good records of a table, if a step of the template leaves out the others."""
    masked = [
        made
        for made, step in editor.lines.producers.items()
        if step.tool == "mask_by_flag" and step.params.get("series_label") == label
    ]
    return masked[0] if len(masked) == 1 else label


def _work(args: Document) -> str:
    """Return the arguments of a step without its label; of several datasets the first counts."""
    plain = {key: value for key, value in args.items() if key != "output_label"}
    if "candidates" in plain:
        first = plain.pop("candidates")[0]
        plain |= {key: first[key] for key in ("dataset_id", "parameter_id") if key in first}
    return json.dumps(plain, sort_keys=True)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Return arguments in which labels and variables have their new names, also labels of components."""
    if isinstance(value, dict):
        return {key: _renamed(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value
