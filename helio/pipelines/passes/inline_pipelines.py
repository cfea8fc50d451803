"""Replace each call of a saved pipeline by the steps of that pipeline.

HX101 (edit safe)  call of a pipeline replaced by its steps
    One plan is executed; its ids, and labels that exist already, get the calling step's id as a prefix.
    before  2: "use": "mag"
    after   2.1: fetch_data, 2.2: magnitude

HX102 (error)  pipelines that call each other too deeply, or in a circle
    A pipeline that uses itself would never end, and deep nesting is hard to understand.
    before  a uses b, b uses a
    after   refused: a -> b -> a
    to do   Remove the "use" that leads back to the pipeline itself.

HX103 (error)  a pipeline that does not exist, or has no such variable
    helio refuses names that it would have to ignore.
    before  "use": "maag"
    after   refused: did you mean 'mag'?
    to do   Correct the name of the pipeline or of its variable; `helio list` and `helio show PIPELINE` list them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from helio.errors import closest
from helio.limits import LIMITS
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate, StepId, pointer
from helio.pipelines.template.document import STEP_DEFAULTS
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.graph import graph_of
from helio.pipelines.template.labels import owner, produced_labels
from helio.pipelines.template.maps import as_glob, is_glob, matching
from helio.pipelines.template.template import ForEach, Step, Template, Variable, walk
from helio.pipelines.template.variables import TOKEN, Path, substitute
from helio.steps.signature import Signature

DEEPEST = LIMITS.pipelines
"""Maximum depth of pipelines that call pipelines."""


def inline_pipelines(template: Template, context: Context) -> Iterator[Finding]:
    """Replace each step that calls a saved pipeline by the steps of that pipeline.

    ``2: use mag, with {"$TIME_RANGE": "$EVENT"}`` → ``2.1: fetch(…, time_range: "$EVENT"); 2.2: magnitude(…)``

    Its ids stand under the calling step's; a label that exists already does too. A variable that ``with`` does not
    fill is the plan's own of that name and type, else becomes one, with its default. What depended on the call
    depends on all that it ends in. Inside a map a label that does not name the item gets its name: ``B[$DAY]``.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "A", "parameter_id": "x", "time_range": "2024"}
    >>> saved = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> template = Template.from_json({"steps": [{"step_id": 2, "use": "mag"}]})
    >>> context = Context(signatures(), datetime(2024, 1, 1), {}, pipelines={"mag": saved})
    >>> [edit.message for edit in inline_pipelines(template, context)]
    ['the pipeline mag replaced by its steps 2.1']
    """
    work = _Inliner(template, context)
    for step in template.steps:
        found = work.inline(step) if step.use or step.block else None
        if found is not None:
            yield found


def _count(steps: Sequence[Step]) -> int:
    """Count the steps with a tool, including the steps inside blocks."""
    return sum(1 for step in walk(steps) if not step.use and not step.block)


class _CallError(Exception):
    """Error for a call of a pipeline that cannot be replaced by steps."""

    def __init__(self, finding: Diagnostic) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass(frozen=True)
class _Surroundings:
    """Surroundings of a step: its path in the plan, the pipelines that contain it, each ``for_each`` around it."""

    top: StepId
    path: Path
    pipelines: tuple[str, ...]
    items: tuple[str, ...] = ()
    """Variable of every ``for_each`` around the step, the outermost first."""


@dataclass
class _Call:
    """A call of a pipeline that will be replaced by the pipeline's steps."""

    step: Step
    around: _Surroundings
    names: dict[str, str] = field(default_factory=dict)
    """New names of the pipeline's labels, by their names in the pipeline with the values of variables filled in."""


class _Inliner:
    """Plan whose calls of pipelines are replaced by steps, one call after another."""

    def __init__(self, template: Template, context: Context) -> None:
        self.template = template
        self.context = context
        self.steps = list(template.steps)
        self.count = _count(template.steps)
        """Number of steps with a tool so far, including steps that replaced a call."""
        self.declared = dict(template.variables)
        self.has_variables = "variables" in template.keys
        self.saved: dict[str, tuple[Template | None, tuple[Diagnostic, ...]]] = {}
        self.inlined: list[str] = []
        producers = graph_of(template.walk(), context.signatures).producers
        self.labels = {label: steps[-1].step for label, steps in producers.items()}

    def inline(self, step: Step) -> Finding | None:
        """Return the edit that replaces the calls in one step, or the error; return None if the step has no calls."""
        path = step.path
        index = next(i for i, listed in enumerate(self.steps) if listed.step_id == step.step_id)
        step = self.steps[index]
        around = _Surroundings(step.step_id, path, (self.template.id,) if self.template.id else ())
        before = dict(self.declared)
        self.inlined = []
        try:
            inlined = self._resolved(step, around)
        except _CallError as refused:
            self.declared = before
            return refused.finding
        if not self.inlined:
            return None
        operations = self._declarations(before)
        operations += removed(pointer("steps", index), step.to_json())
        for offset, inner in enumerate(inlined):
            operations += added(pointer("steps", index + offset), inner.to_json())
        self.steps[index : index + 1] = inlined
        operations += self._rewired(step, inlined)
        ids = ", ".join(str(inner.step_id) for inner in inlined)
        message = f"the pipeline {', '.join(dict.fromkeys(self.inlined))} replaced by its steps {ids}"
        return Edit("HX101", message, operations, step.step_id)

    def _resolved(self, step: Step, around: _Surroundings) -> list[Step]:
        """Return the steps that replace a step: the step itself, or the steps of the pipeline that it calls."""
        inner = replace(around, items=(*around.items, step.for_each.name)) if step.for_each else around
        if step.block:
            return [self._block(step, inner)]
        if not step.use:
            return [step]
        if step.use in self.context.pipelines and self._saved(step.use) == (None, ()):
            return [step]  # known by name only
        if len(around.pipelines) <= 1:
            self.inlined.append(step.use)
        inlined = self._steps(step.use, _Call(step, inner))
        return [_as_block(step, inlined)] if step.for_each else inlined

    def _block(self, step: Step, around: _Surroundings) -> Step:
        found: list[Step] = []
        ends: dict[StepId, list[StepId]] = {}
        for index, inner in enumerate(step.block):
            # an error in another pipeline is reported where that pipeline is called
            path = (*around.path, "block", index) if len(around.pipelines) <= 1 else around.path
            made = self._resolved(inner, replace(around, path=path))
            if made != [inner] and inner.for_each is None and not inner.block:
                ends[inner.step_id] = _ends(made, self.context)
            found += made
        return replace(step, block=tuple(_rewired(inner, ends) for inner in found))

    def _steps(self, name: str, call: _Call) -> list[Step]:
        """Return a pipeline's steps with names and ids that fit into the plan; replace calls in the pipeline too."""
        around = replace(call.around, pipelines=(*call.around.pipelines, name))
        path = around.pipelines

        def refused(code: str, message: str, advice: str, at: tuple[Any, ...] = ("use",)) -> _CallError:
            where = pointer(*around.path, *at)
            return _CallError(
                Diagnostic(code, message, step_id=around.top, path=where, advice=(advice,), candidates=path)
            )

        if name in call.around.pipelines:
            raise refused(
                "HX102",
                f"the pipeline uses itself: {' -> '.join(path)}",
                "remove one of these calls",
            )
        if len(path) - (1 if self.template.id in path[:1] else 0) > DEEPEST:
            raise refused(
                "HX102",
                f"pipelines are nested more than {DEEPEST} levels deep: {' -> '.join(path)}",
                "use fewer levels",
            )
        if name not in self.context.pipelines:
            close = closest(name, self.context.pipelines)
            advice = f"did you mean '{close[0]}'?" if close else "run `helio list` to see the pipelines"
            raise refused("HX103", f"no pipeline is called '{name}'", advice)
        saved, errors = self._saved(name)
        if errors:
            first = errors[0]
            inside = (
                f"in the pipeline {name}, at {first.path}: " if first.path else f"in the pipeline {name}: "
            )
            raise refused(first.code, f"{inside}{first.message}", f"run `helio check {name}`")
        known: Mapping[str, Variable] = saved.variables if saved else {}
        steps = saved.steps if saved else ()
        if around.items:
            steps = self._one_table_each(steps)
        values, unknown = self._values(known, call)
        if unknown:
            raise refused(
                "HX103",
                f"the pipeline {name} has no variable {unknown}",
                f"use one of its variables: {', '.join(known)}"
                if known
                else "remove the value: the pipeline has no variables",
                ("with", unknown),
            )
        self._name_items(steps, values, call)
        self._name_labels(steps, values, call)
        found: list[Step] = []
        ends: dict[StepId, list[StepId]] = {
            step.step_id: [f"{call.step.step_id}.{step.step_id}"] for step in steps
        }
        for step in steps:
            moved = _rewired(self._moved(step, values, call), ends).with_retries_of(call.step)
            moved = replace(
                moved,
                step_id=f"{call.step.step_id}.{step.step_id}",
                depends_on=moved.depends_on or call.step.depends_on,
                intent=moved.intent or f"part of the pipeline {name}",
                critical=moved.critical and call.step.critical,
                keys=tuple(dict.fromkeys(("step_id", *STEP_DEFAULTS, *moved.keys))),
            )
            made = self._resolved(moved, around)
            if moved.use and moved.for_each is None:
                ends[step.step_id] = _ends(made, self.context)
            found += made
            # the steps of its own calls are counted where these are inlined
            self.count += _count([moved])
            if self.count > self.context.policy.max_steps:
                raise refused(
                    "HV701",
                    f"the pipeline {name} would add too many steps; the maximum is {self.context.policy.max_steps}",
                    "use fewer steps, or split the pipeline",
                )
        return found

    def _one_table_each(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Split a fetch of several parameters into fetches of one parameter, as a label can name only one table."""
        found: list[Step] = []
        parts: dict[StepId, list[StepId]] = {}
        for step in steps:
            signature = self.context.signatures.get(step.tool_name)
            if step.block:
                found.append(replace(step, block=self._one_table_each(step.block)))
            elif signature is None or len(produced_labels(signature, step.tool_args)) < 2:
                found.append(step)
            else:
                args = {key: value for key, value in step.tool_args.items() if key != "parameters"}
                parts[step.step_id] = [f"{step.step_id}.{name}" for name in step.tool_args["parameters"]]
                for step_id, name in zip(parts[step.step_id], step.tool_args["parameters"], strict=True):
                    only = {**args, "parameter_id": name}
                    found.append(replace(step, step_id=step_id, produces=(), tool_args=only))
        return tuple(_rewired(step, parts) for step in found)

    def _name_items(self, steps: Sequence[Step], values: dict[str, Any], call: _Call) -> None:
        """Rename the ``for_each`` variables of a pipeline that have the same name as a variable of the plan."""
        taken = {*self.declared, *call.around.items}
        for name in (step.for_each.name for step in walk(steps) if step.for_each):
            if name not in values and (free := _free(name, taken)) != name:
                values[name] = free

    def _saved(self, name: str) -> tuple[Template | None, tuple[Diagnostic, ...]]:
        """Return a saved pipeline in standard spelling, or its errors; return neither if only its name is known."""
        if name not in self.saved:
            self.saved[name] = _spelled(name, self.context)
        return self.saved[name]

    def _values(self, declared: Mapping[str, Variable], call: _Call) -> tuple[dict[str, Any], str]:
        """Return the values of the pipeline's variables, and the first wrong name of a variable in ``with``."""
        folded: dict[str, list[str]] = {}
        for name in declared:
            folded.setdefault(_folded(name), []).append(name)
        given: dict[str, Any] = {}
        for written, value in call.step.with_values.items():
            name = "$" + written.removeprefix("$")
            meant = [name] if name in declared else folded.get(_folded(name), [])
            if len(meant) != 1 or meant[0] in given or declared[meant[0]].type == "interval":
                return {}, written
            given[meant[0]] = value
        values: dict[str, Any] = {}
        for name, facts in declared.items():
            if facts.type == "interval":
                continue  # each item's own; its map is there by now
            own = self.declared.get(name)
            if name in given:
                values[name] = given[name]
            elif own is not None and own.type == facts.type:
                values[name] = name
            else:
                values[name] = _free(name, {*self.declared, *call.around.items})
                self.declared[values[name]] = facts
        return values, ""

    def _name_labels(self, steps: Sequence[Step], values: Mapping[str, Any], call: _Call) -> None:
        """Put the id of the calling step before a label that exists already, except if a fetch gives the same table."""
        for step in walk(steps):
            signature = self.context.signatures.get(step.tool_name)
            if signature is None:
                continue
            args = substitute(step.tool_args, signature.schema(), values)
            for new in produced_labels(signature, args):
                items = "".join(f"[{item}]" for item in call.around.items if item not in TOKEN.findall(new))
                name = new + items
                other = self.labels.get(name)
                if other is not None and (
                    items or signature.gives != "tables" or _asks(other.tool_args) != _asks(args)
                ):
                    named = f"{call.step.step_id}_{new}".replace(".", "_") + items
                    name = named if named not in self.labels else name
                if name != new:
                    call.names[new] = name
                self.labels.setdefault(name, replace(step, tool_args=args))

    def _moved(self, step: Step, values: Mapping[str, Any], call: _Call) -> Step:
        """Return a step of a pipeline with the plan's variables and labels instead of the pipeline's."""
        loop = step.for_each
        signature = self.context.signatures.get(step.tool_name)
        args = substitute(step.tool_args, signature.schema() if signature is not None else {}, values)
        step = replace(
            step,
            block=tuple(self._moved(inner, values, call) for inner in step.block),
            for_each=loop and ForEach.from_json(substitute(loop.to_json(), {}, values)),
            with_values=substitute(step.with_values, {}, values),
            produces=tuple(substitute(label, {}, values) for label in step.produces),
        )
        if signature is None:
            return replace(step, tool_args=args)
        if any(label in call.names for label in produced_labels(signature, args)):
            step = step.without("produces")
        args = _relabelled(args, signature, call.names) if call.names else args
        if signature.gives == "export" and isinstance(filename := args.get("filename"), str):
            missing = [item for item in call.around.items if item not in TOKEN.findall(filename)]
            stem, dot, ending = filename.rpartition(".") if "." in filename else (filename, "", "")
            args = {**args, "filename": "-".join([stem, *missing]) + dot + ending}
        return replace(step, tool_args=args)

    def _declarations(self, before: Mapping[str, Variable]) -> tuple[Operation, ...]:
        new = {name: facts.to_json() for name, facts in self.declared.items() if name not in before}
        if not new:
            return ()
        if not self.has_variables:
            self.has_variables = True
            return added("/variables", new)
        return tuple(op for name, facts in new.items() for op in added(pointer("variables", name), facts))

    def _rewired(self, step: Step, inlined: list[Step]) -> tuple[Operation, ...]:
        """Let steps that depended on the call depend on the last steps of the called pipeline."""
        if any(inner.step_id == step.step_id for inner in inlined):
            return ()
        ends = {step.step_id: _ends(inlined, self.context)}
        operations: tuple[Operation, ...] = ()
        for index, reader in enumerate(self.steps):
            if step.step_id in reader.depends_on:
                dependencies = tuple(dict.fromkeys(_rewired(reader, ends).depends_on))
                self.steps[index] = replace(reader, depends_on=dependencies)
                at = pointer("steps", index, "depends_on")
                operations += replaced(at, list(reader.depends_on), list(dependencies))
        return operations


def _as_block(step: Step, inlined: Sequence[Step]) -> Step:
    """Return a call with ``for_each`` as a block with ``for_each``."""
    block = tuple(
        replace(
            inner, depends_on=tuple(needed for needed in inner.depends_on if needed not in step.depends_on)
        )
        for inner in inlined
    )
    rest = step.without("use", "with")
    return replace(rest, block=block, keys=tuple(dict.fromkeys((*STEP_DEFAULTS, *rest.keys))))


def _rewired(step: Step, instead: Mapping[StepId, Sequence[StepId]]) -> Step:
    """Return a step in which other ids replace some of its dependencies."""
    needed = (other for step_id in step.depends_on for other in instead.get(step_id, [step_id]))
    return replace(step, depends_on=tuple(needed))


def _free(name: str, taken: Collection[str]) -> str:
    """Return the name of a variable; add a number if the name exists already."""
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    return free


def _spelled(name: str, context: Context) -> tuple[Template | None, tuple[Diagnostic, ...]]:
    # The runner and the list of passes import this file, so they are imported only when it runs.
    from helio.pipelines.passes import NORMALISE
    from helio.pipelines.passes.map_intervals import map_intervals
    from helio.pipelines.template.runner import rewrite

    try:
        document = context.pipelines[name]
    except InvalidTemplate as error:
        return None, tuple(finding for finding in error.diagnostics if finding.severity == "error")
    if not document.get("steps"):
        return None, ()
    found = rewrite(document, context, (*NORMALISE, (map_intervals,)), until_stable=True)
    return None if found.errors else Template.from_json(found.plan), found.errors


def _ends(steps: Sequence[Step], context: Context) -> list[StepId]:
    """Return the steps on which no other step of the list depends, by id or by label."""
    needed = {step_id for step in steps for step_id in step.depends_on}
    graph = graph_of(steps, context.signatures)
    for label in (label for step in graph.steps for label in step.labels):
        table = owner(label, graph.producers)
        needed.update([graph.producers[table][-1].id] if table is not None else [])
    return [step.step_id for step in steps if step.step_id not in needed]


def _folded(name: str) -> str:
    """Return a variable's name in lower case, without signs such as ``$`` that differ between spellings."""
    return name.lower().replace("_", "").replace("-", "")


def _asks(args: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in args.items() if value not in ("", None, [])}


def _relabelled(args: dict[str, Any], signature: Signature, names: Mapping[str, str]) -> dict[str, Any]:
    """Return arguments with new names for some labels, both for input labels and for output labels."""

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
    """Return a label with ``*`` that matches renamed labels: it gets the same beginning and end as these labels."""
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
