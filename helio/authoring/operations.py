"""Changes to named steps: what an author answers with, instead of a new template."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from helio.errors import RequestError, did_you_mean
from helio.pipelines.dialect.walk import name_of, spec_of, wiring
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.pipelines.template.labels import owner, read_labels
from helio.steps.signature import signatures

Name = Literal["set", "unset", "add", "remove", "rewire"]
NAMES: tuple[Name, ...] = ("set", "unset", "add", "remove", "rewire")
OF_TEMPLATE = ("name", "description", "variables")
"""Fields of the template itself that may be set; its id, and its steps as a whole, may not."""
OF_STEP = (
    "tool_name",
    "tool_args",
    "intent",
    "critical",
    "for_each",
    "collect",
    "on_item_error",
    "with",
    "pin",
)
KEYED_BY_LABEL = ("trace_colors", "trace_names", "line_styles")


class OperationError(RequestError):
    """An operation that cannot be carried out on this template."""


@dataclass(frozen=True)
class Operation:
    """One change.

    Parameters
    ----------
    op : str
        ``set`` gives a place of a step another value, ``unset`` takes it away, ``add`` puts a step in, ``remove``
        takes one out, ``rewire`` lets a step read another label.
    step : str
        The id of the step; empty for the template itself, and for ``add``.
    at : tuple of str
        For ``set`` and ``unset``: the place, as ``("tool_args", "trace_colors", "Bz")``.
    value : Any
        For ``set`` the value; for ``add`` the whole step.
    after : str
        For ``add``: the step that it stands behind; the last one when empty.
    old, new : str
        For ``rewire``: the label that is read, and the one to read instead.
    """

    op: Name
    step: str = ""
    at: tuple[str, ...] = ()
    value: Any = None
    after: str = ""
    old: str = ""
    new: str = ""


def apply(template: Document, operations: Sequence[Operation]) -> Document:
    """The template with the operations carried out one after another; all steps that they do not name stay as they are.

    Raises
    ------
    OperationError
        With what there is instead.
    """
    made = deepcopy(template)
    for operation in operations:
        _CARRIED_OUT[operation.op](made, operation)
    return made


def touched(before: Document, after: Document) -> tuple[StepId, ...]:
    """The ids of steps of `after` that are not in `before` as they are."""
    old = [json.dumps(step) for step in before["steps"]]
    return tuple(step["step_id"] for step in after["steps"] if json.dumps(step) not in old)


def _set(template: Document, operation: Operation) -> None:
    if not operation.step:
        _of_template(operation)
        _put(template, operation.at, operation.value, operation)
        return
    step = _step(template, operation.step)
    _of_step(operation)
    before = _wiring(step)
    _put(step, operation.at, operation.value, operation)
    if _wiring(step) != before:
        _derive_anew(step)


def _unset(template: Document, operation: Operation) -> None:
    target: Any = _step(template, operation.step) if operation.step else template
    (_of_step if operation.step else _of_template)(operation)
    for part in operation.at[:-1]:
        target = _inner(target, part, operation)
    if isinstance(target, list):
        del target[_place(target, operation.at[-1], operation)]
    elif operation.at[-1] in target:
        del target[operation.at[-1]]
    else:
        raise _nothing_there(operation, target)


def _add(template: Document, operation: Operation) -> None:
    step = operation.value
    if not isinstance(step, dict) or "step_id" not in step or not ("tool_name" in step or "use" in step):
        raise OperationError("a step to add needs its step_id, tool_name and tool_args")
    if (
        isinstance(step["step_id"], bool)
        or not isinstance(step["step_id"], (str, int))
        or step["step_id"] == ""
    ):
        raise OperationError("a step's id is a name or a whole number", advice='"ace_b"')
    steps = template["steps"]
    ids = _ids(template)
    if str(step["step_id"]) in ids:
        raise OperationError(
            f"there is a step {step['step_id']} already", advice=f"another id than {', '.join(ids)}"
        )
    place = len(steps)
    if operation.after:
        steps, place = _found(template, operation.after)
        place += 1
    steps.insert(place, deepcopy(step))


def _remove(template: Document, operation: Operation) -> None:
    steps, place = _found(template, operation.step)
    gone = steps.pop(place)
    for others in _lists(template):
        for step in others:
            needed = step.get("depends_on")
            if isinstance(needed, list) and gone["step_id"] in needed:
                step["depends_on"] = [step_id for step_id in needed if step_id != gone["step_id"]]


def _rewire(template: Document, operation: Operation) -> None:
    step = _step(template, operation.step)
    if not operation.old or not operation.new:
        raise OperationError(f"rewiring step {operation.step} needs the label that is read and the new one")
    args = step.get("tool_args")
    if not isinstance(args, dict):
        raise OperationError(f"step {operation.step} has no arguments")
    signature = signatures().get(name_of(step))
    read = list(read_labels(signature, args)) if signature is not None else []
    if step.get("tool_name") == STYLE:  # it reads no table, and names lines all the same
        read = [
            ((), label) for key in KEYED_BY_LABEL if isinstance(args.get(key), dict) for label in args[key]
        ]
    if not any(_renamed(label, operation) for _, label in read):
        every = sorted({label for _, label in read})
        raise OperationError(
            f"step {operation.step} does not read {operation.old}",
            advice=f"it reads {', '.join(every)}" if every else "it reads no label",
        )
    for path, label in read:
        instead = _renamed(label, operation)
        if instead and path:
            _put(args, tuple(str(part) for part in path), instead, operation)
    if step.get("tool_name") in (*FIGURES, STYLE):
        spec = spec_of(step)
        for key in KEYED_BY_LABEL:
            if isinstance(spec, dict) and isinstance(spec.get(key), dict):
                spec[key] = {_renamed(label, operation) or label: value for label, value in spec[key].items()}
    if step.get("tool_name") != STYLE:
        _derive_anew(step)


_CARRIED_OUT = {"set": _set, "unset": _unset, "add": _add, "remove": _remove, "rewire": _rewire}


def _renamed(label: str, operation: Operation) -> str:
    """What a label becomes, a component of it included; empty when it is about another one."""
    if owner(label, [operation.old]) is None:
        return ""
    return operation.new + label[len(operation.old) :]


def _wiring(step: Document) -> tuple[Sequence[str], Sequence[str]]:
    """The labels that a step reads, and those that it gives."""
    gives, reads = wiring(step, signatures())
    return reads, gives


def _derive_anew(step: Document) -> None:
    """Forget what follows from the arguments; passes find it again."""
    for key in ("produces", "depends_on"):
        step.pop(key, None)


def _lists(template: Document) -> Iterator[list[Document]]:
    """The list of steps, and that of each block in it."""
    waiting = [template["steps"]]
    while waiting:
        steps = waiting.pop(0)
        yield steps
        waiting += [step["block"] for step in steps if isinstance(step.get("block"), list)]


def _ids(template: Document) -> list[str]:
    return [str(step.get("step_id")) for steps in _lists(template) for step in steps]


def _found(template: Document, name: str) -> tuple[list[Document], int]:
    """The list in which a step stands, and its place there."""
    for steps in _lists(template):
        for index, step in enumerate(steps):
            if str(step.get("step_id")) == name:
                return steps, index
    ids = _ids(template)
    raise OperationError(
        f"there is no step {name or '(none named)'}",
        advice=did_you_mean(name, ids) or f"steps: {', '.join(ids)}",
    )


def _step(template: Document, name: str) -> Document:
    steps, place = _found(template, name)
    return steps[place]


def _of_template(operation: Operation) -> None:
    if not operation.at or operation.at[0] not in OF_TEMPLATE:
        raise OperationError(
            f"'{'/'.join(operation.at)}' of the template is not for an edit",
            advice=f"{', '.join(OF_TEMPLATE)}",
        )


def _of_step(operation: Operation) -> None:
    if not operation.at or operation.at[0] not in OF_STEP:
        raise OperationError(
            f"'{'/'.join(operation.at)}' of a step is not for an edit", advice=f"{', '.join(OF_STEP)}"
        )


def _put(target: Any, at: tuple[str, ...], value: Any, operation: Operation) -> None:
    for part in at[:-1]:
        if isinstance(target, dict) and part not in target:
            target[part] = {}
        target = _inner(target, part, operation)
    if isinstance(target, list):
        if at[-1] == "-":
            target.append(deepcopy(value))
        else:
            target[_place(target, at[-1], operation)] = deepcopy(value)
    elif isinstance(target, dict):
        target[at[-1]] = deepcopy(value)
    else:
        raise _nothing_there(operation, target)


def _inner(target: Any, part: str, operation: Operation) -> Any:
    if isinstance(target, list):
        return target[_place(target, part, operation)]
    if isinstance(target, dict) and part in target:
        return target[part]
    raise _nothing_there(operation, target)


def _place(items: list[Any], part: str, operation: Operation) -> int:
    if part.isdecimal() and int(part) < len(items):
        return int(part)
    raise OperationError(
        f"'{'/'.join(operation.at)}' names no item",
        advice=f"0 to {len(items) - 1}" if items else "it is empty",
    )


def _nothing_there(operation: Operation, target: Any) -> OperationError:
    where = f"step {operation.step}" if operation.step else "the template"
    keys = ", ".join(map(str, target)) if isinstance(target, dict) else ""
    return OperationError(
        f"{where} has nothing at '{'/'.join(operation.at)}'", advice=f"there is: {keys}" if keys else ""
    )
