"""What sets two templates apart, and what a template does, in the field's words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from helio.pipelines.diagnostics import StepId
from helio.pipelines.figures import DRAWING, FIGURES, RENDER, STYLE, complete_labels, spec_of
from helio.pipelines.meaning import meaning
from helio.pipelines.passes.edit import Context, Dataset
from helio.pipelines.plan import normalise
from helio.pipelines.template import Document
from helio.steps.signature import signatures

Subject = Literal[
    "pipeline",
    "variable",
    "dataset",
    "parameter",
    "time",
    "operation",
    "unit",
    "label",
    "panel",
    "style",
    "step",
]

_OF_STEP: Mapping[str, tuple[Subject, str]] = {
    "dataset_id": ("dataset", "dataset"),
    "candidates": ("dataset", "candidates"),
    "provider": ("dataset", "provider"),
    "parameter_id": ("parameter", "parameter"),
    "parameters": ("parameter", "parameters"),
    "time_range": ("time", "time range"),
    "units": ("unit", "unit"),
    "output_label": ("label", "label of the result"),
    "source_label": ("label", "computed from"),
    "source_labels": ("label", "computed from"),
}
_OF_FIGURE: Mapping[str, tuple[Subject, str]] = {
    "labels": ("panel", "drawn"),
    "panels": ("panel", "panels"),
    "panel_types": ("panel", "kinds of panels"),
    "row_heights": ("panel", "heights of panels"),
}
_BY_LABEL = {
    "trace_colors": "colour of {}",
    "trace_names": "name of {} in the legend",
    "line_styles": "line of {}",
    "y_label": "y axis of panel {}",
    "y_range": "y range of panel {}",
    "log_scale": "scale of panel {}",
    "log_y": "logarithmic y axis of panel {}",
    "log_x": "logarithmic bin axis of panel {}",
    "bin_range": "bins of panel {}",
    "bin_label": "bin axis of panel {}",
    "log_z": "logarithmic colours of panel {}",
    "z_min": "lowest colour of panel {}",
    "z_max": "highest colour of panel {}",
}


@dataclass(frozen=True)
class Change:
    """One difference.

    Parameters
    ----------
    subject : str
        What kind of thing it is about.
    step_id : int, str or None
        None for the template as a whole.
    text : str
        In words, without the step: ``"colour of Bz: blue → red"``.
    """

    subject: Subject
    step_id: StepId | None
    text: str

    def __str__(self) -> str:
        return self.text if self.step_id is None else f"step {self.step_id}: {self.text}"


def changes(before: Document, after: Document) -> tuple[Change, ...]:
    """Every difference between two templates, in the order of the second one."""
    return tuple(_changes(before, after))


def describe_step(step: Document) -> str:
    """What a step does, in one line.

    >>> describe_step({"tool_name": "magnitude", "tool_args": {"source_label": "B", "output_label": "Bmag"}})
    'magnitude of B → Bmag'
    """
    tool, args = str(step.get("tool_name", "")), step.get("tool_args")
    if "use" in step:
        given = ", ".join(f"{name} = {_said(value)}" for name, value in (step.get("with") or {}).items())
        return f"runs the pipeline {step['use']}" + (f" with {given}" if given else "")
    if "block" in step:
        return f"for each of {_said(step.get('for_each'))}: {len(step['block'])} steps"
    if not isinstance(args, dict):
        return tool
    if tool == "fetch_data":
        return _fetched(args) + (f" → {args['output_label']}" if args.get("output_label") else "")
    if tool in (*FIGURES, STYLE):
        return _drawn(tool, spec_of(step))
    sources = args.get("source_label", args.get("source_labels"))
    others = [
        f"{name} = {_said(value)}"
        for name, value in args.items()
        if name not in ("source_label", "source_labels", "output_label")
    ]
    line = tool + (f" of {_said(sources)}" if sources else "") + (f" ({', '.join(others)})" if others else "")
    return line + (f" → {args['output_label']}" if args.get("output_label") else "")


def readable(template: Document) -> str:
    """A template as a person reads it: its variables, then a line and the arguments of each step."""
    lines = [f"pipeline {template.get('id', '')}: {template.get('name', '')}".rstrip(": ")]
    for name, facts in (template.get("variables") or {}).items():
        default = f" = {_said(facts['default'])}" if "default" in facts else ", required"
        lines.append(f"variable {name} ({facts.get('type')}){default}")
    for step in template.get("steps", ()):
        lines.append(f"step {step.get('step_id')}: {describe_step(step)}")
        lines.append(f"    {json.dumps(step, ensure_ascii=False)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Work:
    """What a run of a changed template would have to do, when the one before is in the store."""

    anew: tuple[StepId, ...]
    kept: tuple[StepId, ...]


def work_left(
    before: Document | None,
    after: Document,
    *,
    now: datetime,
    catalogue: Mapping[str, Dataset] | None = None,
    pipelines: Mapping[str, Document] | None = None,
) -> Work:
    """Which steps of a template mean something that the one before it did not.

    A step whose meaning cannot be told counts as work.
    """
    context = Context(
        signatures(),
        now,
        {},
        catalogue={} if catalogue is None else catalogue,
        pipelines={} if pipelines is None else pipelines,
    )
    known = set() if before is None else set(meaning(normalise(before, context).plan, context).values())
    planned = normalise(after, context).plan
    meant = meaning(planned, context)
    anew: list[StepId] = []
    kept: list[StepId] = []
    for step in planned.get("steps", ()):
        names = [*step.get("produces", ()), *(f"{kind} {step['step_id']}" for kind in ("figure", "export"))]
        found = [meant[name] for name in names if name in meant]
        (kept if found and all(one in known for one in found) else anew).append(step["step_id"])
    return Work(tuple(anew), tuple(kept))


# Differences ----------------------------------------------------------------------------------------------


def _changes(before: Document, after: Document) -> Iterator[Change]:
    for key, word in (("id", "id"), ("name", "name"), ("description", "description")):
        if before.get(key) != after.get(key):
            yield Change("pipeline", None, _replaced(word, before.get(key), after.get(key)))
    yield from _variables(before.get("variables") or {}, after.get("variables") or {})
    old = {str(step.get("step_id")): step for step in before.get("steps", ())}
    new = {str(step.get("step_id")): step for step in after.get("steps", ())}
    for name, step in new.items():
        if name not in old:
            yield Change("step", step.get("step_id"), f"added: {describe_step(step)}")
        else:
            yield from _step(old[name], step)
    for name, step in old.items():
        if name not in new:
            yield Change("step", step.get("step_id"), f"removed: {describe_step(step)}")
    left = [name for name in new if name in old]
    if left != [name for name in old if name in new]:
        yield Change("step", None, f"order of steps: {', '.join(new)}")


def _variables(before: Document, after: Document) -> Iterator[Change]:
    for name in dict.fromkeys([*after, *before]):
        if before.get(name) == after.get(name):
            continue
        one, other = before.get(name), after.get(name)
        if one is None:
            yield Change("variable", None, f"variable {name} added: {_said(other)}")
        elif other is None:
            yield Change("variable", None, f"variable {name} removed")
        else:
            for key in dict.fromkeys([*other, *one]):
                if one.get(key) != other.get(key):
                    yield Change(
                        "variable", None, f"variable {name}, " + _replaced(key, one.get(key), other.get(key))
                    )


def _step(before: Document, after: Document) -> Iterator[Change]:
    name = after.get("step_id")
    if before.get("tool_name") != after.get("tool_name"):
        tools = {before.get("tool_name"), after.get("tool_name")}
        if not tools <= {*FIGURES, *DRAWING}:
            yield Change("operation", name, f"{describe_step(before)} becomes {describe_step(after)}")
            return
        yield Change("style", name, _replaced("tool", before.get("tool_name"), after.get("tool_name")))
    one, other = before.get("tool_args"), after.get("tool_args")
    if isinstance(one, dict) and isinstance(other, dict):
        yield from _arguments(name, str(after.get("tool_name")), one, other)
    elif one != other:
        yield Change("operation", name, _replaced("arguments", one, other))
    for key, word in (
        ("intent", "intent"),
        ("critical", "critical"),
        ("depends_on", "rests on"),
        ("for_each", "for each"),
        ("use", "pipeline"),
        ("with", "with"),
        ("block", "steps of its block"),
        ("collect", "collect"),
        ("on_item_error", "when an item fails"),
        ("pin", "pinned"),
        ("produces", "gives"),
    ):
        if before.get(key) != after.get(key):
            yield Change("step", name, _replaced(word, before.get(key), after.get(key)))


def _arguments(name: StepId | None, tool: str, before: Document, after: Document) -> Iterator[Change]:
    figure = tool in (*FIGURES, STYLE)
    if tool == RENDER:
        one, other = before.get("spec"), after.get("spec")
        if isinstance(one, dict) and isinstance(other, dict):
            before, after = one, other
    for key in dict.fromkeys([*after, *before]):
        one, other = before.get(key), after.get(key)
        if one == other and type(one) is type(other):
            continue
        if figure:
            subject, word = _OF_FIGURE.get(key, ("style", key.replace("_", " ")))
        else:
            subject, word = _OF_STEP.get(key, ("operation", key.replace("_", " ")))
        if figure and key in _BY_LABEL and isinstance(one or {}, dict) and isinstance(other or {}, dict):
            yield from _by_label(name, _BY_LABEL[key], one or {}, other or {})
        elif figure and key == "panels":
            yield from _panels(name, one or [], other or [])
        else:
            yield Change(subject, name, _replaced(word, one, other))


def _by_label(name: StepId | None, word: str, before: Document, after: Document) -> Iterator[Change]:
    for key in dict.fromkeys([*after, *before]):
        if before.get(key) != after.get(key):
            yield Change("style", name, _replaced(word.format(key), before.get(key), after.get(key)))


def _panels(name: StepId | None, before: list[Any], after: list[Any]) -> Iterator[Change]:
    for number in range(max(len(before), len(after))):
        one = before[number] if number < len(before) else None
        other = after[number] if number < len(after) else None
        if one != other:
            yield Change("panel", name, _replaced(f"panel {number + 1}", one, other))


def _replaced(word: str, before: Any, after: Any) -> str:
    if before is None:
        return f"{word}: {_said(after)}"
    if after is None:
        return f"{word}: no longer {_said(before)}"
    return f"{word}: {_said(before)} → {_said(after)}"


# Words ----------------------------------------------------------------------------------------------------


def _fetched(args: Document) -> str:
    parameters = args.get("parameters") or args.get("parameter_id") or ""
    named = args.get("dataset_id") or ""
    choices = args.get("candidates")
    if isinstance(choices, list) and choices:
        told = [
            one if isinstance(one, str) else " ".join(str(part) for part in one.values()) for one in choices
        ]
        named = f"{named} {' or '.join(told)}".strip()
    over = f" over {args['time_range']}" if args.get("time_range") else ""
    return f"fetch {named} {_said(parameters)}".rstrip() + over


def _drawn(tool: str, spec: Any) -> str:
    if not isinstance(spec, dict):
        return tool
    title = f"figure '{spec['title']}'" if spec.get("title") else "figure"
    if tool == STYLE:
        return "style: " + ", ".join(f"{key.replace('_', ' ')} {_said(value)}" for key, value in spec.items())
    panels = spec.get("panels")
    if isinstance(panels, list) and all(isinstance(one, list) for one in panels):
        told = " | ".join(" + ".join(str(label) for label in one) for one in panels)
    else:
        told = ", ".join(complete_labels(spec)) or "all tables"
    return f"{title}: {told}"


def _said(value: Any) -> str:
    """A value of an argument, short."""
    if isinstance(value, str):
        text = value if "\n" not in value else f"{value.splitlines()[0]} …"
    elif isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
        text = ", ".join(str(one) for one in value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"
