"""Operations on named steps, by which rules or a language model change a template without writing it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from helio.errors import RequestError, did_you_mean
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.dialect.written import list_of, spec_of, written_steps
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import BY_LINE, FIGURES, STYLE
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures

Name = Literal["set", "unset", "add", "remove", "rewire"]
NAMES: tuple[Name, ...] = ("set", "unset", "add", "remove", "rewire")
OF_TEMPLATE = ("name", "description", "variables")
"""Fields of the template that an edit may set: all fields except the id and the list of steps."""
OF_STEP = (
    "tool_name",
    "tool_args",
    "intent",
    "critical",
    "retries",
    "retry_delay",
    "for_each",
    "collect",
    "on_item_error",
    "with",
    "pin",
)


class OperationError(RequestError):
    """Error: an operation cannot be applied to the template."""


@dataclass(frozen=True)
class Operation:
    """One change to a template: set, remove or add a value or a step, or let a step read another label.

    Parameters
    ----------
    op : str
        ``set`` writes a value, ``unset`` removes one, ``add`` inserts a step, ``remove`` deletes a step, ``rewire``
        makes a step read another label.
    step : str
        The id of the step; empty for the template itself, and for ``add``.
    at : tuple of str
        For ``set`` and ``unset``: the path in the step, such as ``("tool_args", "trace_colors", "Bz")``.
    value : Any
        For ``set``: the value. For ``add``: the whole step.
    after : str
        For ``add``: the step to insert after; empty for the end.
    old, new : str
        For ``rewire``: the label that the step reads, and the label to read instead.
    """

    op: Name
    step: str = ""
    at: tuple[str, ...] = ()
    value: Any = None
    after: str = ""
    old: str = ""
    new: str = ""

    @property
    def path(self) -> str:
        """Return the path to the changed value as text: ``tool_args/trace_colors/Bz``."""
        return "/".join(self.at)


def apply(template: Document, operations: Sequence[Operation]) -> Document:
    """Apply operations in order to a copy of a template, and return the copy.

    Raises
    ------
    OperationError
        An operation names something that the template does not have; the advice lists what it has.
    """
    changed = deepcopy(template)
    for operation in operations:
        _APPLY[operation.op](changed, operation)
    return changed


def touched(before: Document, after: Document) -> tuple[StepId, ...]:
    """Return the ids of the steps that an edit added or changed."""
    old = [json.dumps(step) for step in before["steps"]]
    return tuple(step["step_id"] for step in after["steps"] if json.dumps(step) not in old)


def step_of(template: Document, step_id: StepId) -> Document:
    """Return the step with the given id, also if it is in a block; return an empty dict if there is no such step."""
    return next((step.json for step in written_steps(template) if step.json.get("step_id") == step_id), {})


def style_lines(args: Mapping[str, Any]) -> list[str]:
    """Return the labels of the lines whose style a step changes; the step does not read the tables of these labels."""
    return [label for key in BY_LINE if isinstance(args.get(key), dict) for label in args[key]]


def _set(template: Document, operation: Operation) -> None:
    target = _target(template, operation)
    before = _wiring(target)
    _put(target, operation.at, operation.value, operation)
    if _wiring(target) != before:
        _drop_derived(target)


def _unset(template: Document, operation: Operation) -> None:
    target: Any = _target(template, operation)
    for key in operation.at[:-1]:
        target = _inner(target, key, operation)
    if isinstance(target, list):
        del target[_index(target, operation.at[-1], operation)]
    elif operation.at[-1] in target:
        del target[operation.at[-1]]
    else:
        raise _nothing_at(operation, target)


def _add(template: Document, operation: Operation) -> None:
    step = operation.value
    if not isinstance(step, dict) or "step_id" not in step or not ("tool_name" in step or "use" in step):
        raise OperationError("a new step needs step_id, tool_name and tool_args")
    step_id = step["step_id"]
    if isinstance(step_id, bool) or not isinstance(step_id, (str, int)) or step_id == "":
        raise OperationError(
            "a step_id must be a name or a whole number", advice='use a name such as "ace_b"'
        )
    ids = _ids(template)
    if str(step_id) in ids:
        raise OperationError(
            f"a step {step_id} exists already", advice=f"choose an id other than {', '.join(ids)}"
        )
    steps, index = _position(template, operation.after) if operation.after else (template["steps"], -1)
    steps.insert(index + 1 or len(steps), deepcopy(step))


def _remove(template: Document, operation: Operation) -> None:
    steps, index = _position(template, operation.step)
    gone = steps.pop(index)
    for others in _lists(template):
        for step in others:
            if gone["step_id"] in list_of(step.get("depends_on")):
                step["depends_on"] = [step_id for step_id in step["depends_on"] if step_id != gone["step_id"]]


def _rewire(template: Document, operation: Operation) -> None:
    step = _step(template, operation.step)
    if not operation.old or not operation.new:
        raise OperationError(
            f"the operation 'rewire' of step {operation.step} needs two labels: 'old', which the step reads now, and "
            "'new', which it will read instead"
        )
    args = step.get("tool_args")
    if not isinstance(args, dict):
        raise OperationError(f"step {operation.step} has no arguments")
    is_style = step.get("tool_name") == STYLE
    reads = view_in(step, signatures()).reads
    labels = style_lines(args) if is_style else [read.label for read in reads]
    if not any(_renamed(label, operation) for label in labels):
        raise OperationError(
            f"step {operation.step} does not read {operation.old}",
            advice=f"use a label that the step reads: {', '.join(sorted(set(labels)))}"
            if labels
            else "choose another step: this step reads no table",
        )
    for read in reads:
        instead = _renamed(read.label, operation)
        if instead:
            _put(args, tuple(map(str, read.path)), instead, operation)
    spec = spec_of(step) if step.get("tool_name") in (*FIGURES, STYLE) else None
    for key in BY_LINE:
        if isinstance(spec, dict) and isinstance(spec.get(key), dict):
            spec[key] = {_renamed(label, operation) or label: value for label, value in spec[key].items()}
    if not is_style:
        _drop_derived(step)


_APPLY = {"set": _set, "unset": _unset, "add": _add, "remove": _remove, "rewire": _rewire}


def _renamed(label: str, operation: Operation) -> str:
    """Return the new name if a label, or a component of it, is renamed; return an empty text for all other labels."""
    if owner(label, [operation.old]) is None:
        return ""
    return operation.new + label[len(operation.old) :]


def _wiring(target: Document) -> tuple[Sequence[str], Sequence[str]]:
    """Return the labels that a step reads and the labels that it makes."""
    view = view_in(target, signatures())
    return view.labels, view.outputs


def _drop_derived(step: Document) -> None:
    """Remove the keys that helio derives from a step's arguments; helio derives them again later."""
    for key in ("produces", "depends_on"):
        step.pop(key, None)


def _lists(template: Document) -> Iterator[list[Document]]:
    """Yield the template's list of steps, then the list of steps in each block."""
    waiting = [template["steps"]]
    while waiting:
        steps = waiting.pop(0)
        yield steps
        waiting += [step["block"] for step in steps if isinstance(step.get("block"), list)]


def _ids(template: Document) -> list[str]:
    return [str(step.get("step_id")) for steps in _lists(template) for step in steps]


def _position(template: Document, name: str) -> tuple[list[Document], int]:
    """Return the list that contains a step, and the step's index in this list."""
    for steps in _lists(template):
        for index, step in enumerate(steps):
            if str(step.get("step_id")) == name:
                return steps, index
    ids = _ids(template)
    raise OperationError(
        f"no step is called '{name}'" if name else "the operation names no step",
        advice=did_you_mean(name, ids) or f"choose one of the steps {', '.join(ids)}",
    )


def _step(template: Document, name: str) -> Document:
    steps, index = _position(template, name)
    return steps[index]


def _target(template: Document, operation: Operation) -> Document:
    """Return the step or the template that an operation changes; refuse a field that an edit may not change."""
    step, fields = operation.step, OF_STEP if operation.step else OF_TEMPLATE
    target = _step(template, step) if step else template
    if not operation.at or operation.at[0] not in fields:
        of = "a step" if step else "the template"
        raise OperationError(
            f"an edit may not change '{operation.path}' of {of}",
            advice=f"change one of {', '.join(fields)}",
        )
    return target


def _put(target: Any, at: tuple[str, ...], value: Any, operation: Operation) -> None:
    for key in at[:-1]:
        if isinstance(target, dict):
            target.setdefault(key, {})
        target = _inner(target, key, operation)
    if isinstance(target, list) and at[-1] == "-":
        target.append(deepcopy(value))
    elif isinstance(target, list):
        target[_index(target, at[-1], operation)] = deepcopy(value)
    elif isinstance(target, dict):
        target[at[-1]] = deepcopy(value)
    else:
        raise _nothing_at(operation, target)


def _inner(target: Any, key: str, operation: Operation) -> Any:
    if isinstance(target, list):
        return target[_index(target, key, operation)]
    if isinstance(target, dict) and key in target:
        return target[key]
    raise _nothing_at(operation, target)


def _index(items: list[Any], key: str, operation: Operation) -> int:
    if key.isdecimal() and int(key) < len(items):
        return int(key)
    raise OperationError(
        f"there is no list item at '{operation.path}'",
        advice=f"use an index from 0 to {len(items) - 1}"
        if items
        else "set the whole list instead, because it is empty",
    )


def _nothing_at(operation: Operation, target: Any) -> OperationError:
    where = f"step {operation.step}" if operation.step else "the template"
    keys = ", ".join(map(str, target)) if isinstance(target, dict) else ""
    return OperationError(
        f"{where} has nothing at '{operation.path}'", advice=f"use one of {keys}" if keys else ""
    )
