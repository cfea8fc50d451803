"""A call of a saved pipeline becomes its steps.

HX101 (edit safe)  sub-pipeline inlined
    One plan is executed; its ids, and labels that exist already, stand under the calling step's.
    before  2: "use": "mag"
    after   2.1: fetch_data, 2.2: magnitude

HX102 (error)  sub-pipelines too deep or recursive
    It would not end, or nobody could follow it.
    before  a uses b, b uses a
    after   refused: a -> b -> a

HX103 (error)  a pipeline that does not exist, or has no such variable
    A value that nothing takes would be ignored.
    before  "use": "maag"
    after   refused: did you mean 'mag'?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from helio.errors import closest
from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate, StepId, pointer
from helio.pipelines.template.document import STEP_DEFAULTS, Document
from helio.pipelines.template.edit import Context, Edit, Finding, Operation, added, removed, replaced
from helio.pipelines.template.figures import depends_on
from helio.pipelines.template.graph import graph_of, graph_of_list
from helio.pipelines.template.labels import owner, produced_labels
from helio.pipelines.template.maps import (
    args_of,
    as_glob,
    is_block,
    is_glob,
    matching,
    places,
    signature_of,
    variable_of,
)
from helio.pipelines.template.variables import TOKEN, Path, substitute
from helio.steps.signature import Signature

DEEPEST = LIMITS.pipelines
"""Pipelines within pipelines."""


def inline_pipelines(plan: Document, context: Context) -> Iterator[Finding]:
    """Put a saved pipeline's steps in the place of the step that uses it.

    ``2: use mag, with {"$TIME_RANGE": "$EVENT"}`` → ``2.1: fetch(…, time_range: "$EVENT"); 2.2: magnitude(…)``

    Its ids stand under the calling step's; a label that exists already does too. A variable that ``with`` does not
    fill is the plan's own of that name and type, else becomes one, with its default. What depended on the call
    depends on all that it ends in. Inside a map a label that does not name the item gets its name: ``B[$DAY]``.

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
    for step in plan["steps"]:
        found = work.inline(step["step_id"]) if _is_call(step) or is_block(step) else None
        if found is not None:
            yield found


def _is_call(step: Document) -> bool:
    return isinstance(step.get("use"), str) and "tool_name" not in step


def _has_tool(step: Document) -> bool:
    return not _is_call(step) and not is_block(step)


class _Refused(Exception):
    """A call that cannot be inlined."""

    def __init__(self, finding: Diagnostic) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass(frozen=True)
class _Around:
    """What is around a step: where it stands in the plan, the pipelines that it is part of, the maps."""

    top: StepId
    path: Path
    pipelines: tuple[str, ...]
    items: tuple[str, ...] = ()
    """The variables of the maps, outermost first."""


@dataclass
class _Call:
    """A pipeline about to be inlined."""

    prefix: str
    with_values: Document
    around: _Around
    names: dict[str, str] = field(default_factory=dict)
    """Labels that get another name, by their own with the plan's values in them."""


class _Inlining:
    """One plan whose calls are replaced, one after another."""

    def __init__(self, plan: Document, context: Context) -> None:
        self.plan = plan
        self.context = context
        self.steps: list[Document] = list(plan["steps"])
        self.count = sum(1 for place in places(plan) if _has_tool(place.step))
        """Steps with a tool, those that were inlined too."""
        declared = plan.get("variables")
        self.declared: dict[str, Any] = dict(declared) if isinstance(declared, dict) else {}
        self.has_variables = isinstance(declared, dict)
        self.spelled: dict[str, tuple[Document, tuple[Diagnostic, ...]]] = {}
        producers = graph_of(plan, context.signatures).producers
        self.labels = {label: steps[-1].step for label, steps in producers.items()}

    def inline(self, step_id: StepId) -> Finding | None:
        """The edit that replaces the calls in one step, or what is wrong with it; nothing where there are none."""
        index = next(i for i, listed in enumerate(self.steps) if listed.get("step_id") == step_id)
        step = self.steps[index]
        place = next(i for i, listed in enumerate(self.plan["steps"]) if listed.get("step_id") == step_id)
        own = self.plan.get("id")
        around = _Around(step_id, ("steps", place), (own,) if isinstance(own, str) else ())
        before = dict(self.declared)
        self.inlined: list[str] = []
        try:
            inlined = self._resolved(step, around)
        except _Refused as refused:
            self.declared = before
            return refused.finding
        if not self.inlined:
            return None
        operations = self._declarations(before)
        operations += removed(pointer("steps", index), step)
        for offset, inner in enumerate(inlined):
            operations += added(pointer("steps", index + offset), inner)
        self.steps[index : index + 1] = inlined
        operations += self._rewired(step, inlined)
        ids = ", ".join(str(inner["step_id"]) for inner in inlined)
        message = f"the pipeline {', '.join(dict.fromkeys(self.inlined))} inlined as {ids}"
        return Edit("HX101", message, operations, step_id)

    def _resolved(self, step: Document, around: _Around) -> list[Document]:
        """What a step becomes: itself, or the steps of the pipeline that it calls; so in a block, step by step."""
        variable = variable_of(step.get("for_each"))
        inner = replace(around, items=(*around.items, variable)) if variable else around
        if is_block(step):
            return [self._block(step, inner)]
        if not _is_call(step):
            return [step]
        name, given = step["use"], step.get("with")
        if name in self.context.pipelines and self._document(name) == ({}, ()):
            return [step]  # known by name only
        if len(around.pipelines) <= 1:
            self.inlined.append(name)
        call = _Call(str(step.get("step_id")), given if isinstance(given, dict) else {}, inner)
        inlined = self._steps(name, call, step)
        return [self._as_block(step, inlined)] if "for_each" in step else inlined

    def _block(self, step: Document, around: _Around) -> Document:
        found: list[Document] = []
        ends: dict[Any, list[Any]] = {}
        for index, inner in enumerate(step["block"]):
            # what stands in another pipeline is told of where that one is called
            path = (*around.path, "block", index) if len(around.pipelines) <= 1 else around.path
            made = self._resolved(inner, replace(around, path=path))
            if made != [inner] and "for_each" not in inner and not is_block(inner):
                ends[inner.get("step_id")] = _ends(made, self.context)
            found += made
        block = [
            {
                **inner,
                "depends_on": [end for needed in depends_on(inner) for end in ends.get(needed, [needed])],
            }
            if any(needed in ends for needed in depends_on(inner))
            else inner
            for inner in found
        ]
        return {**step, "block": block}

    def _steps(self, name: str, call: _Call, caller: Document) -> list[Document]:
        """A pipeline's steps as they stand in the plan, calls of further pipelines inlined too."""
        around = replace(call.around, pipelines=(*call.around.pipelines, name))
        path = around.pipelines

        def refused(code: str, message: str, advice: str, at: tuple[Any, ...] = ("use",)) -> _Refused:
            where = pointer(*around.path, *at)
            return _Refused(
                Diagnostic(code, message, step_id=around.top, path=where, advice=(advice,), candidates=path)
            )

        if name in call.around.pipelines:
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
        steps = [written for written in document.get("steps") or () if isinstance(written, dict)]
        if around.items:
            steps = self._one_table_each(steps)
        known = document.get("variables")
        values, unknown = self._values(known if isinstance(known, dict) else {}, call)
        if unknown:
            raise refused(
                "HX103",
                f"the pipeline {name} has no variable {unknown}",
                f"variables: {', '.join(known or ()) or 'none'}",
                ("with", unknown),
            )
        self._name_items(steps, values, call)
        self._name_labels(steps, values, call)
        ids = {
            written.get("step_id"): f"{call.prefix}.{written.get('step_id', n)}"
            for n, written in enumerate(steps, 1)
        }
        critical = caller.get("critical", True)
        found: list[Document] = []
        ends: dict[Any, list[Any]] = {}
        for number, step in enumerate(steps, 1):
            new_id = ids.get(step.get("step_id"), f"{call.prefix}.{number}")
            moved = self._moved(step, values, call)
            needed = [
                end for step_id in depends_on(step) for end in ends.get(step_id, [ids.get(step_id, step_id)])
            ]
            needed = needed or list(depends_on(caller))
            moved = {"step_id": new_id, **deepcopy(STEP_DEFAULTS), **moved}
            moved |= {"step_id": new_id, "depends_on": needed}
            moved["intent"] = moved.get("intent") or f"part of the pipeline {name}"
            if critical is False:
                moved["critical"] = False
            made = self._resolved(moved, around)
            if _is_call(moved) and "for_each" not in moved:
                ends[step.get("step_id")] = _ends(made, self.context)
            found += made
            # the steps of its own calls are counted where these are inlined
            self.count += sum(1 for place in places({"steps": [moved]}) if _has_tool(place.step))
            if self.count > self.context.policy.max_steps:
                raise refused(
                    "HV701",
                    f"with the pipeline {name} there are more than {self.context.policy.max_steps} steps",
                    "fewer steps, or several pipelines",
                )
        return found

    def _one_table_each(self, steps: list[Document]) -> list[Document]:
        """Steps in which a fetch of several parameters is a fetch of each: only one table can be given a name."""
        found: list[Document] = []
        parts: dict[Any, list[Any]] = {}
        for step in steps:
            signature, args = signature_of(step, self.context.signatures), args_of(step)
            if is_block(step):
                found.append({**step, "block": self._one_table_each(step["block"])})
            elif signature is None or len(produced_labels(signature, args)) < 2:
                found.append(step)
            else:
                left = {key: value for key, value in args.items() if key != "parameters"}
                for name in args["parameters"]:
                    parts.setdefault(step.get("step_id"), []).append(f"{step.get('step_id')}.{name}")
                    one = {**step, "step_id": parts[step.get("step_id")][-1], "produces": []}
                    found.append({**one, "tool_args": {**left, "parameter_id": name}})
        return [
            {
                **inner,
                "depends_on": [part for needed in depends_on(inner) for part in parts.get(needed, [needed])],
            }
            if any(needed in parts for needed in depends_on(inner))
            else inner
            for inner in found
        ]

    def _name_items(self, steps: list[Document], values: dict[str, Any], call: _Call) -> None:
        """Give the item variables of a pipeline's own maps other names where the plan has theirs."""
        taken = {*self.declared, *call.around.items}
        for inner in places({"steps": steps}):
            name = variable_of(inner.step.get("for_each"))
            if not name or name in values:
                continue
            free, count = name, 1
            while free in taken:
                count += 1
                free = f"{name}_{count}"
            if free != name:
                values[name] = free

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
            if len(meant) != 1 or meant[0] in given or declared[meant[0]].get("type") == "interval":
                return {}, written
            given[meant[0]] = value
        values: dict[str, Any] = {}
        for name, facts in declared.items():
            if isinstance(facts, dict) and facts.get("type") == "interval":
                continue  # each item's own; its map is there by now
            if name in given:
                values[name] = given[name]
                continue
            own = self.declared.get(name)
            kind = facts.get("type") if isinstance(facts, dict) else None
            if isinstance(own, dict) and own.get("type") == kind and kind is not None:
                values[name] = name
                continue
            free, count = name, 1
            while free in self.declared or free in call.around.items:
                count += 1
                free = f"{name}_{count}"
            self.declared[free] = facts
            values[name] = free
        return values, ""

    def _name_labels(self, steps: list[Document], values: Mapping[str, Any], call: _Call) -> None:
        """Give a label that exists already the calling step's id before it, unless a fetch gives the very same."""
        for step in [place.step for place in places({"steps": steps})]:
            signature = signature_of(step, self.context.signatures)
            if signature is None:
                continue
            args = substitute(args_of(step), signature.schema(), values)
            for new in produced_labels(signature, args):
                items = "".join(f"[{item}]" for item in call.around.items if item not in TOKEN.findall(new))
                name = new + items
                other = self.labels.get(name)
                same = (
                    signature.gives == "tables" and other is not None and _asks(args_of(other)) == _asks(args)
                )
                if other is not None and (not same or items):
                    named = f"{call.prefix}_{new}".replace(".", "_") + items
                    name = named if named not in self.labels else name
                if name != new:
                    call.names[new] = name
                self.labels.setdefault(name, {**step, "tool_args": args})

    def _moved(self, step: Document, values: Mapping[str, Any], call: _Call) -> Document:
        """A step with the plan's variables and labels in the place of the pipeline's own."""
        moved = dict(step)
        if is_block(step):
            moved["block"] = [
                self._moved(inner, values, call) for inner in step["block"] if isinstance(inner, dict)
            ]
        for key in ("for_each", "with", "produces"):
            if key in moved:
                moved[key] = substitute(moved[key], {}, values)
        signature = signature_of(step, self.context.signatures)
        if "tool_args" not in step:
            return moved
        args = substitute(args_of(step), signature.schema() if signature is not None else {}, values)
        if signature is not None and call.names:
            if any(label in call.names for label in produced_labels(signature, args)):
                moved.pop("produces", None)
            args = _relabelled(args, signature, call.names)
        moved["tool_args"] = args
        filename = moved["tool_args"].get("filename")
        if signature is not None and signature.gives == "export" and isinstance(filename, str):
            missing = [item for item in call.around.items if item not in TOKEN.findall(filename)]
            stem, dot, ending = filename.rpartition(".") if "." in filename else (filename, "", "")
            moved["tool_args"]["filename"] = "-".join([stem, *missing]) + dot + ending
        return moved

    def _as_block(self, step: Document, inlined: list[Document]) -> Document:
        """A mapped call: a map of a block."""
        kept = {key: value for key, value in step.items() if key not in ("use", "with")}
        block = [
            {
                **inner,
                "depends_on": [step_id for step_id in depends_on(inner) if step_id not in depends_on(step)],
            }
            for inner in inlined
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
        if any(inner.get("step_id") == old for inner in inlined):
            return ()
        ends = _ends(inlined, self.context)
        operations: tuple[Operation, ...] = ()
        for index, reader in enumerate(self.steps):
            if old in depends_on(reader):
                wanted = list(
                    dict.fromkeys(
                        step_id
                        for given in reader["depends_on"]
                        for step_id in (ends if given == old else [given])
                    )
                )
                operations += replaced(pointer("steps", index, "depends_on"), reader["depends_on"], wanted)
                self.steps[index] = {**reader, "depends_on": wanted}
        return operations


def _spelled(name: str, context: Context) -> tuple[Document, tuple[Diagnostic, ...]]:
    # The runner and the list of passes rest on this file: they are there only once it runs.
    from helio.pipelines.passes import NORMALISE
    from helio.pipelines.passes.map_intervals import map_intervals
    from helio.pipelines.template.runner import rewrite

    try:
        document = context.pipelines[name]
    except InvalidTemplate as error:
        return {}, tuple(finding for finding in error.diagnostics if finding.severity == "error")
    if not document.get("steps"):
        return {}, ()
    found = rewrite(document, context, (*NORMALISE, (map_intervals,)), until_stable=True)
    return found.plan, found.errors


def _ends(steps: list[Document], context: Context) -> list[StepId]:
    """The steps on which none of the others rests, by id or by label."""
    needed: set[Any] = {step_id for step in steps for step_id in depends_on(step)}
    graph = graph_of_list(steps, context.signatures)
    for label in (label for step in graph.steps for label in step.labels):
        table = owner(label, graph.producers)
        needed.update([graph.producers[table][-1].id] if table is not None else [])
    return [step["step_id"] for step in steps if step["step_id"] not in needed]


def _folded(name: str) -> str:
    """A variable's name without what its spellings differ in."""
    return name.lower().replace("_", "").replace("-", "")


def _asks(args: Document) -> Any:
    return {key: value for key, value in args.items() if value not in ("", None, [])}


def _relabelled(args: Document, signature: Signature, names: Mapping[str, str]) -> Document:
    """Arguments with other names for some labels, whether they are read or given."""

    def named(label: str) -> str:
        if is_glob(label):
            return _renamed_glob(label, names)
        known = owner(label, names)
        return label if known is None else names[known] + label[len(known) :]

    produced = produced_labels(signature, args)
    if len(produced) == 1 and produced[0] in names:
        args = {**args, "output_label": names[produced[0]]}
    for table in signature.tables:
        for dotted in (table.argument, *table.also):
            args = _put(args, tuple(dotted.split(".")), named)
    return args


def _renamed_glob(label: str, names: Mapping[str, str]) -> str:
    """A label with ``*`` for labels that get another name: what is put around these is put around it."""
    for old, new in names.items():
        before, found, after = new.partition(old)
        if found and matching(label, [as_glob(old, TOKEN.findall(old))]):
            return before + label + after
    return label


def _put(value: Any, path: tuple[str, ...], named: Any) -> Any:
    if isinstance(value, dict) and path:
        return {**value, path[0]: _put(value[path[0]], path[1:], named)} if path[0] in value else value
    if isinstance(value, list):
        return [_put(item, path, named) for item in value]
    return named(value) if isinstance(value, str) and not path and not TOKEN.fullmatch(value) else value
