"""A call of a saved pipeline becomes its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from helio.errors import closest
from helio.pipelines.diagnostics import Diagnostic, InvalidTemplate, StepId, pointer
from helio.pipelines.figures import depends_on
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.maps import args_of, is_block, places, signature_of
from helio.pipelines.passes.edit import Context, Edit, Finding, Operation, added, removed, replaced
from helio.pipelines.template import STEP_DEFAULTS, Document
from helio.pipelines.variables import TOKEN, substitute
from helio.steps.signature import Signature

DEEPEST = 5
"""Pipelines within pipelines."""


def inline_pipelines(plan: Document, context: Context) -> Iterator[Finding]:
    """Put a saved pipeline's steps in the place of the step that uses it.

    ``2: use mag, with {"$TIME_RANGE": "$EVENT"}`` → ``2.1: fetch(…, time_range: "$EVENT"); 2.2: magnitude(…)``

    Its ids stand under the calling step's; a label that exists already does too. A variable that ``with`` does not
    fill is the plan's own of that name and type, else becomes one, with its default. What depended on the call
    depends on all that it ends in.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "A", "parameter_id": "x", "time_range": "2024"}
    >>> saved = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> plan = {"steps": [{"step_id": 2, "use": "mag"}]}
    >>> context = Context(signatures(), datetime(2024, 1, 1), {}, pipelines={"mag": saved})
    >>> [edit.message for edit in inline_pipelines(plan, context)]
    ['the pipeline mag inlined as 2.1']
    """
    work = _Inlining(plan, context)
    for step in list(plan["steps"]):
        if isinstance(step.get("use"), str) and "tool_name" not in step:
            found = work.inline(step["step_id"])
            if found is not None:
                yield found


class _Refused(Exception):
    """A call that cannot be inlined."""

    def __init__(self, finding: Diagnostic) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass
class _Call:
    """A pipeline about to be inlined."""

    prefix: str
    with_values: Document
    path: tuple[str, ...]
    names: dict[str, str] = field(default_factory=dict)
    """Labels that get another name, by their own."""


class _Inlining:
    """One plan whose calls are replaced, one after another."""

    def __init__(self, plan: Document, context: Context) -> None:
        self.plan = plan
        self.context = context
        self.steps: list[Document] = list(plan["steps"])
        declared = plan.get("variables")
        self.declared: dict[str, Any] = dict(declared) if isinstance(declared, dict) else {}
        self.has_variables = isinstance(declared, dict)
        self.spelled: dict[str, tuple[Document, tuple[Diagnostic, ...]]] = {}
        self.labels = {
            label: step
            for place in places(plan)
            if (signature := signature_of(place.step, context.signatures)) is not None
            for step in [place.step]
            for label in produced_labels(signature, args_of(place.step))
        }

    def inline(self, step_id: StepId) -> Finding | None:
        """The edit that replaces one call, or what is wrong with it; nothing for a pipeline known by name only."""
        index = next(i for i, one in enumerate(self.steps) if one.get("step_id") == step_id)
        step = self.steps[index]
        name = step["use"]
        if name in self.context.pipelines and self._document(name) == ({}, ()):
            return None
        place = next(i for i, one in enumerate(self.plan["steps"]) if one.get("step_id") == step_id)
        own = self.plan.get("id")
        given = step.get("with")
        call = _Call(
            str(step.get("step_id")),
            given if isinstance(given, dict) else {},
            (own,) if isinstance(own, str) else (),
        )
        before = dict(self.declared)
        try:
            inlined = self._steps(name, call, step, place)
        except _Refused as refused:
            self.declared = before
            return refused.finding
        operations = self._declarations(before)
        operations += removed(pointer("steps", index), step)
        if "for_each" in step:
            inlined = [self._as_block(step, inlined)]
        for offset, one in enumerate(inlined):
            operations += added(pointer("steps", index + offset), one)
        self.steps[index : index + 1] = inlined
        operations += self._rewired(step, inlined)
        ids = ", ".join(str(one["step_id"]) for one in inlined)
        return Edit("HX101", f"the pipeline {name} inlined as {ids}", operations, step.get("step_id"))

    def _steps(self, name: str, call: _Call, caller: Document, place: int) -> list[Document]:
        """A pipeline's steps as they stand in the plan, calls of further pipelines inlined too."""
        path = (*call.path, name)

        def refused(code: str, message: str, advice: str, at: tuple[Any, ...] = ("use",)) -> _Refused:
            where = pointer("steps", place, *at)
            return _Refused(
                Diagnostic(
                    code,
                    message,
                    step_id=caller.get("step_id"),
                    path=where,
                    advice=(advice,),
                    candidates=path,
                )
            )

        if name in call.path:
            raise refused(
                "HX102",
                f"a pipeline that uses itself: {' -> '.join(path)}",
                "take out the call that is not meant",
            )
        if len(path) - (1 if self.plan.get("id") in path[:1] else 0) > DEEPEST:
            raise refused(
                "HX102",
                f"pipelines within pipelines, more than {DEEPEST} deep: {' -> '.join(path)}",
                "fewer levels",
            )
        if name not in self.context.pipelines:
            close = closest(name, self.context.pipelines)
            advice = f"did you mean '{close[0]}'?" if close else "helio list shows the pipelines by name"
            raise refused("HX103", f"no pipeline is called '{name}'", advice)
        document, errors = self._document(name)
        if errors:
            first = errors[0]
            inside = (
                f"in the pipeline {name}, at {first.path}: " if first.path else f"in the pipeline {name}: "
            )
            raise refused(first.code, f"{inside}{first.message}", f"helio check {name}")
        steps = [one for one in document.get("steps") or () if isinstance(one, dict)]
        known = document.get("variables")
        values, unknown = self._values(known if isinstance(known, dict) else {}, call)
        if unknown:
            raise refused(
                "HX103",
                f"the pipeline {name} has no variable {unknown}",
                f"variables: {', '.join(known or ()) or 'none'}",
                ("with", unknown),
            )
        self._name_labels(steps, values, call)
        ids = {one.get("step_id"): f"{call.prefix}.{one.get('step_id', n)}" for n, one in enumerate(steps, 1)}
        critical = caller.get("critical", True)
        found: list[Document] = []
        ends: dict[Any, list[Any]] = {}
        for number, step in enumerate(steps, 1):
            new_id = ids.get(step.get("step_id"), f"{call.prefix}.{number}")
            moved = self._moved(step, values, call)
            needed = [each for one in depends_on(step) for each in ends.get(one, [ids.get(one, one)])]
            needed = needed or list(depends_on(caller))
            moved = {"step_id": new_id, **deepcopy(STEP_DEFAULTS), **moved}
            moved |= {"step_id": new_id, "depends_on": needed}
            moved["intent"] = moved.get("intent") or f"part of the pipeline {name}"
            if critical is False:
                moved["critical"] = False
            if isinstance(step.get("use"), str) and "tool_name" not in step:
                inner = _Call(new_id, moved.get("with") or {}, path)
                nested = self._steps(step["use"], inner, {**moved, "step_id": caller.get("step_id")}, place)
                ends[step.get("step_id")] = _ends(nested, self.context)
                found += nested
            else:
                found.append(moved)
            if len(self.steps) + len(found) > self.context.policy.max_steps:
                raise refused(
                    "HV701",
                    f"with the pipeline {name} there are more than {self.context.policy.max_steps} steps",
                    "fewer steps, or several pipelines",
                )
        return found

    def _document(self, name: str) -> tuple[Document, tuple[Diagnostic, ...]]:
        """A saved pipeline in its one spelling, or its errors; neither where it is known by name only."""
        if name not in self.spelled:
            self.spelled[name] = _spelled(name, self.context)
        return self.spelled[name]

    def _values(self, declared: Mapping[str, Any], call: _Call) -> tuple[dict[str, Any], str]:
        """What stands for each of the pipeline's variables, and the first name in ``with`` that it does not have."""
        folded: dict[str, list[str]] = {}
        for name in declared:
            folded.setdefault(_folded(name), []).append(name)
        given: dict[str, Any] = {}
        for written, value in call.with_values.items():
            name = "$" + str(written).removeprefix("$")
            meant = [name] if name in declared else folded.get(_folded(name), [])
            if len(meant) != 1 or meant[0] in given:
                return {}, written
            given[meant[0]] = value
        values: dict[str, Any] = {}
        for name, facts in declared.items():
            if name in given:
                values[name] = given[name]
                continue
            own = self.declared.get(name)
            kind = facts.get("type") if isinstance(facts, dict) else None
            if isinstance(own, dict) and own.get("type") == kind and kind is not None:
                values[name] = name
                continue
            free, count = name, 1
            while free in self.declared:
                count += 1
                free = f"{name}_{count}"
            self.declared[free] = facts
            values[name] = free
        return values, ""

    def _name_labels(self, steps: list[Document], values: Mapping[str, Any], call: _Call) -> None:
        """Give a label that exists already the calling step's id before it, unless a fetch gives the very same."""
        for step in steps:
            signature = signature_of(step, self.context.signatures)
            if signature is None:
                continue
            args = substitute(args_of(step), signature.schema(), values)
            for label, new in zip(
                produced_labels(signature, args_of(step)), produced_labels(signature, args), strict=False
            ):
                other = self.labels.get(new)
                same = (
                    signature.gives == "tables" and other is not None and _asks(args_of(other)) == _asks(args)
                )
                named = f"{call.prefix}_{new}".replace(".", "_")
                if other is not None and not same and named not in self.labels:
                    call.names[label] = named
                    self.labels[named] = {**step, "tool_args": args}
                else:
                    self.labels.setdefault(new, {**step, "tool_args": args})

    def _moved(self, step: Document, values: Mapping[str, Any], call: _Call) -> Document:
        """A step with the plan's variables and labels in the place of the pipeline's own."""
        moved = dict(step)
        if is_block(step):
            moved["block"] = [
                self._moved(one, values, call) for one in step["block"] if isinstance(one, dict)
            ]
        for key in ("for_each", "with", "produces"):
            if key in moved:
                moved[key] = substitute(moved[key], {}, values)
        signature = signature_of(step, self.context.signatures)
        if "tool_args" not in step:
            return moved
        args = args_of(step)
        labels = produced_labels(signature, args) if signature is not None else []
        if signature is not None and call.names:
            args = _relabelled(args, signature, call.names)
            if any(label in call.names for label in labels):
                moved.pop("produces", None)
        moved["tool_args"] = substitute(args, signature.schema() if signature is not None else {}, values)
        return moved

    def _as_block(self, step: Document, inlined: list[Document]) -> Document:
        """A mapped call: a map of a block."""
        kept = {key: value for key, value in step.items() if key not in ("use", "with")}
        block = [
            {**one, "depends_on": [each for each in depends_on(one) if each not in depends_on(step)]}
            for one in inlined
        ]
        return {**deepcopy(STEP_DEFAULTS), **kept, "block": block}

    def _declarations(self, before: dict[str, Any]) -> tuple[Operation, ...]:
        new = {name: facts for name, facts in self.declared.items() if name not in before}
        if not new:
            return ()
        if not self.has_variables:
            self.has_variables = True
            return added("/variables", new)
        return tuple(op for name, facts in new.items() for op in added(pointer("variables", name), facts))

    def _rewired(self, step: Document, inlined: list[Document]) -> tuple[Operation, ...]:
        """Whoever depended on the call depends on all that it ends in."""
        old = step.get("step_id")
        if any(one.get("step_id") == old for one in inlined):
            return ()
        ends = _ends(inlined, self.context)
        operations: tuple[Operation, ...] = ()
        for index, one in enumerate(self.steps):
            if old in depends_on(one):
                wanted = list(
                    dict.fromkeys(
                        each for given in one["depends_on"] for each in (ends if given == old else [given])
                    )
                )
                operations += replaced(pointer("steps", index, "depends_on"), one["depends_on"], wanted)
                self.steps[index] = {**one, "depends_on": wanted}
        return operations


def _spelled(name: str, context: Context) -> tuple[Document, tuple[Diagnostic, ...]]:
    # The runner and the list of passes rest on this file: they are there only once it runs.
    from helio.pipelines.passes import NORMALISE
    from helio.pipelines.runner import rewrite

    try:
        document = context.pipelines[name]
    except InvalidTemplate as error:
        return {}, tuple(one for one in error.diagnostics if one.severity == "error")
    if not document.get("steps"):
        return {}, ()
    found = rewrite(document, context, NORMALISE, until_stable=True)
    return found.plan, found.errors


def _ends(steps: list[Document], context: Context) -> list[StepId]:
    """The steps on which none of the others rests, by id or by label."""
    needed: set[Any] = {one for step in steps for one in depends_on(step)}
    producers: dict[str, Any] = {}
    reads: list[str] = []
    for step in steps:
        signature = signature_of(step, context.signatures)
        if signature is not None:
            producers |= dict.fromkeys(produced_labels(signature, args_of(step)), step["step_id"])
            reads += [label for _, label in read_labels(signature, args_of(step))]
    needed.update(producers[known] for one in reads if (known := owner(one, producers)) is not None)
    return [step["step_id"] for step in steps if step["step_id"] not in needed]


def _folded(name: str) -> str:
    """A variable's name without what its spellings differ in."""
    return name.lower().replace("_", "").replace("-", "")


def _asks(args: Document) -> Any:
    return {key: value for key, value in args.items() if value not in ("", None, [])}


def _relabelled(args: Document, signature: Signature, names: Mapping[str, str]) -> Document:
    """Arguments with other names for some labels, whether they are read or given."""

    def named(label: str) -> str:
        known = owner(label, names)
        return label if known is None else names[known] + label[len(known) :]

    produced = produced_labels(signature, args)
    if len(produced) == 1 and produced[0] in names:
        args = {**args, "output_label": names[produced[0]]}
    for table in signature.tables:
        for dotted in (table.argument, *table.also):
            args = _put(args, tuple(dotted.split(".")), named)
    return args


def _put(value: Any, path: tuple[str, ...], named: Any) -> Any:
    if isinstance(value, dict) and path:
        return {**value, path[0]: _put(value[path[0]], path[1:], named)} if path[0] in value else value
    if isinstance(value, list):
        return [_put(one, path, named) for one in value]
    return named(value) if isinstance(value, str) and not path and not TOKEN.fullmatch(value) else value
