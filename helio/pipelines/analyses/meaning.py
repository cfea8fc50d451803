"""Make signatures: texts that say how the outputs of a plan are made. Edits of the kind ``safe`` never change them.

A signature is the key of a recipe in the form that names work in the store (`helio.pipelines.analyses.work`), with
values in the place of files: ids, intents, order, layout and the names of labels do not enter it. It is read from a
plan in any state, as authored or rewritten, and independently of the passes; an output that is not understood has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from helio.errors import HelioError, TimeRangeError
from helio.pipelines.analyses.work import Recipe, canonical_args, fetch_recipe, is_text, work_recipe
from helio.pipelines.dialect.structure import fits
from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import (
    FIGURES,
    PLOT,
    RENDER,
    STYLE,
    complete_labels,
    figures_meant,
    merged,
)
from helio.pipelines.template.graph import Graph
from helio.pipelines.template.labels import owner, produced_labels, split_labels
from helio.pipelines.template.maps import (
    is_glob,
    item_name,
    items_of_map,
    matching,
    size_of,
    steps_of,
    unwrapped,
    uses,
    with_item,
    without_globs,
)
from helio.pipelines.template.oversize import Oversize
from helio.pipelines.template.template import ForEach, Step, Template
from helio.pipelines.template.variables import TOKEN, strings, substitute
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import Signature
from helio.store.work_keys import key_of
from helio.time_range import canonical, parse_time_range

NOTHING: tuple[Any, ...] = (None, "", "None", "none", "null", "NULL", "undefined", [], {})
"""Values that mean "no value"."""
_OTHER_SPELLING = re.compile(r"[{}]|%\w+%|<\w+>|\$\(")
_BUILT_IN = "$TIME_RANGE"


def meaning(plan: Template, context: Context) -> dict[str, str]:
    """Return the signature of every output of a plan: a text that says how the output is made.

    Parameters
    ----------
    plan : Template
        In any state; a variable stands for its default, or for itself where it has none.
    context : Context
        The tools, the catalogue and the clock.

    Returns
    -------
    dict
        By label; a figure by ``"figure ID"``, an export by ``"export ID"``. Maps whose items are known give an
        output per item.
    """
    return _Reading(plan, context, bound=True).signatures()


def equal_work(plan: Template, context: Context) -> dict[str, str]:
    """Return a signature for every label, without the values of variables; equal signatures mean equal results."""
    return _Reading(plan, context, bound=False).signatures()


@dataclass(frozen=True)
class _Use:
    """One use of a tool: a step, or one item of a ``for_each`` step."""

    step_id: StepId
    signature: Signature
    args: Document
    outputs: list[str]
    """Labels of the step's results."""
    over: Any = None
    """Every ``for_each`` around the step whose items are not known, in canonical form."""


def _has_its_type(value: Any, schema: dict[str, Any] | None) -> bool:
    """Return whether a value has the type of its field; another type has no meaning until a pass corrects it."""
    return (
        schema is None or fits(value, schema) or (isinstance(value, str) and TOKEN.search(value) is not None)
    )


class _NotUnderstoodError(Exception):
    """Error for a part of a plan whose work helio does not understand."""


class _Reading:
    """Reader of one plan: finds what the steps use and the signatures of their outputs."""

    def __init__(self, plan: Template, context: Context, *, bound: bool) -> None:
        self.context = context
        self.bound = bound
        self.declared = plan.variables
        self.values = {
            name: facts.default
            for name, facts in self.declared.items()
            if bound and facts.default not in (NOTHING if facts.type == "time_range" else (None,))
        }
        self.steps = plan.steps
        self.graph = Graph(self._uses(), lambda use: use.outputs, self._needs)
        self.producers = self.graph.producers
        self.aliases = {
            other: label
            for step in self.steps
            if isinstance(aliases := step.annotations.get("aliases"), dict)  # anybody may write annotations
            for other, label in aliases.items()
            if isinstance(label, str)
        }

    def signatures(self) -> dict[str, str]:
        """Return the signature of every output; leave out outputs if helio does not understand how they are made."""

        def keys(use: _Use, known: Mapping[str, str]) -> dict[str, str]:
            return {label: self._key(use, known, label) for label in use.outputs}

        found = {label: key for label, key in self.graph.propagate(keys, _agreed).items() if key}
        for use in self.graph.steps:
            if not use.outputs and (key := self._key(use, found)):
                found[f"{use.signature.gives} {use.step_id}"] = key
        for other, label in self.aliases.items():
            if label in found and other not in self.producers:
                found[other] = found[label]
        return found

    def _key(self, use: _Use, known: Mapping[str, str], label: str = "") -> str:
        """Return the signature of a step's output, from the signatures of its inputs; empty if unknown."""
        try:
            figure = use.signature.gives == "figure"
            return key_of(self._figure(use, known) if figure else self._recipe(use, known, label))
        except (_NotUnderstoodError, ValueError, TypeError):
            return ""

    # Uses of tools --------------------------------------------------------------------------------------------

    def _uses(self) -> Iterator[_Use]:
        figures = self._lowered()
        for step in self.steps:
            # no run has more steps than the policy allows
            if step.tool_name == STYLE or steps_of(step, self.context) > self.context.policy.max_run_steps:
                continue
            if step.tool_name not in FIGURES:
                yield from self._items(step, {}, ())
            elif step.step_id in figures:
                yield from self._items(figures[step.step_id], {}, ())

    def _lowered(self) -> dict[StepId, Step]:
        """Return each figure merged with its styles; return nothing if a style may belong to several figures."""
        if len({str(step.step_id) for step in self.steps}) < len(self.steps):
            return {}
        if any(self._signature(step) is None and not step.block for step in self.steps):
            return {}  # under a name that is not known here, it may be a style
        meant = figures_meant(self.steps)
        if any(len(figures) != 1 for figures in meant.values()):
            return {}
        styles: dict[StepId, list[Step]] = {}
        for step in self.steps:
            if step.tool_name == STYLE:
                styles.setdefault(meant[step.step_id][0], []).append(step)
        found: dict[StepId, Step] = {}
        for step in self.steps:
            if step.tool_name not in FIGURES:
                continue
            spec = step.tool_args.get("spec") if step.tool_name == RENDER else step.tool_args
            for style in styles.get(step.step_id, ()):
                spec = merged(spec, style.tool_args)
            beside = step.tool_args if step.tool_name == RENDER else {}
            found[step.step_id] = replace(step, tool_name=RENDER, tool_args={**beside, "spec": spec})
        return found

    def _items(self, step: Step, items: Mapping[str, Any], over: tuple[Any, ...]) -> Iterator[_Use]:
        if step.use or "loop_over" in step.extra:
            return
        loop = step.for_each or self._implied_loop(step)
        whole = None if loop is None else unwrapped(replace(step, for_each=loop), self.context.signatures)
        if loop is None or whole is not None:
            yield from self._inner(step if whole is None else replace(step, tool_args=whole), items, over)
            return
        known = items_of_map(loop, self.context)
        if known is None:
            try:
                over = (*over, self._over(loop))
            except _NotUnderstoodError:
                return
            yield from self._inner(step, items, over)
            return
        for item in {item_name(value): value for value in known}.values():
            yield from self._inner(step, {**items, loop.name: item}, over)

    def _inner(self, step: Step, items: Mapping[str, Any], over: tuple[Any, ...]) -> Iterator[_Use]:
        for inner in step.block:
            yield from self._items(inner, items, over)
        signature = self._signature(step)
        if signature is None:
            return
        args = {
            name: value for name, value in step.tool_args.items() if not _says_nothing(signature, name, value)
        }
        try:
            for name, item in items.items():
                args = with_item(args, signature.schema(), name, item)
        except Oversize:
            return
        yield _Use(step.step_id, signature, args, self._produced(signature, args), list(over) or None)

    def _signature(self, step: Step) -> Signature | None:
        known = self.context.signatures
        if step.tool_name == RENDER and RENDER not in known and PLOT in known:
            return known[PLOT]
        return known.get(step.tool_name)

    def _implied_loop(self, step: Step) -> ForEach | None:
        """Return the ``for_each`` over an interval variable that a step uses without a ``for_each`` of its own."""
        signature = self._signature(step)
        if signature is None:
            return None
        found = [
            ForEach(name=name, intervals=facts.of, step=facts.step)
            for name, facts in self.declared.items()
            if facts.type == "interval" and uses(step.tool_args, signature.schema(), name)
        ]
        return found[0] if len(found) == 1 else None

    def _over(self, loop: ForEach) -> Any:
        over = loop.to_json()["over"]
        return {**over, "intervals": self._time(loop.intervals)} if loop.intervals else over

    # Meaning of a use -----------------------------------------------------------------------------------------

    def _needs(self, use: _Use) -> list[str]:
        """Return the labels of the tables that a step reads."""
        tables = (owner(label, self.producers) for label in self._labels(use))
        return [table for table in tables if table is not None]

    def _labels(self, use: _Use) -> list[str]:
        """Return all labels that a step reads, also labels of single components."""
        return [label for labels in self._read(use).values() for label in labels]

    def _read(self, use: _Use) -> dict[str, list[str]]:
        """Return the labels that a step reads, grouped by the tool's parameter."""
        found: dict[str, list[str]] = {}
        for table in use.signature.tables:
            if table.argument == "spec.labels":
                spec = use.args.get("spec")
                labels = complete_labels(self._spec(spec)) if isinstance(spec, dict) else []
            else:
                value = use.args.get(table.argument)
                if table.many and isinstance(value, str):
                    value = split_labels(value, self.producers)
                listed: list[Any] = value if isinstance(value, list) else [value]
                labels = [label for label in listed if isinstance(label, str)]
            globs = {label: matching(label, self.producers) for label in labels if is_glob(label)}
            values = [name for label in labels for name in globs.get(label, [self._value(label)])]
            meant = [item for item in values if isinstance(item, str)]
            # Beside a ``*`` that stands for it, a label is meant once.
            found[table.parameter] = list(dict.fromkeys(meant)) if any(globs.values()) else meant
        return found

    def _recipe(self, use: _Use, keys: Mapping[str, str], label: str) -> Recipe:
        signature = use.signature
        known = {argument.name for argument in signature.arguments}
        if not set(use.args) <= known or any(
            argument.required and argument.name not in use.args for argument in signature.arguments
        ):
            raise _NotUnderstoodError(label)
        places = {table.argument for table in signature.tables} | set(signature.time_arguments())
        others = [
            argument
            for argument in signature.arguments
            if argument.name in use.args and argument.name not in places
        ]
        if not all(_has_its_type(use.args[other.name], other.schema) for other in others):
            raise _NotUnderstoodError(label)
        args = {name: self._argument(signature, name, value) for name, value in use.args.items()}
        if signature.gives == "tables":
            return self._fetch(use, args, label)
        inputs: dict[str, Any] = {}
        scalar = {
            table.parameter for table in signature.tables if table.scalar and not use.args.get("component")
        }
        left_out = {
            table.parameter for table in signature.tables if table.optional and table.argument not in use.args
        }
        for parameter, labels in self._read(use).items():
            if parameter in left_out:
                continue
            if parameter in scalar and any((size_of(read, self.context) or 1) > 1 for read in labels):
                raise _NotUnderstoodError(label)  # no result is defined
            inputs[parameter] = [self._ingredient(read, keys) for read in labels]
            if not labels:
                raise _NotUnderstoodError(label)
        recipe = work_recipe(signature, canonical_args(signature, args), inputs)
        return recipe if use.over is None else {"over": use.over, "each": recipe}

    def _fetch(self, use: _Use, args: Document, label: str) -> Recipe:
        choices: list[Recipe] = []
        try:
            offered = choices_of({**args, "time_range": None})
        except (KeyError, TypeError) as error:
            raise _NotUnderstoodError(label) from error
        single = len(use.outputs) == 1
        for choice in offered:
            provider = self.context.provider_of(choice.dataset_id, choice.provider)
            for parameter in choice.parameters:
                if "," in parameter and not self._is_known(choice.dataset_id, parameter):
                    raise _NotUnderstoodError(parameter)  # several of them in one text
                if single or label == f"{choice.dataset_id}.{parameter}":
                    choices.append(
                        {"dataset": choice.dataset_id, "parameter": parameter, "provider": provider}
                    )
        if not choices or "time_range" not in args:
            raise _NotUnderstoodError(label)
        span = args["time_range"] if use.over is None else {"over": use.over, "each": args["time_range"]}
        return fetch_recipe(use.signature.name, use.signature.version, span, choices)

    def _is_known(self, dataset_id: str, parameter: str) -> bool:
        facts = self.context.catalogue.get(dataset_id)
        return facts is not None and parameter in facts.parameters

    def _figure(self, use: _Use, keys: Mapping[str, str]) -> Recipe:
        if use.signature.name not in FIGURES or not isinstance(use.args.get("spec"), dict):
            raise _NotUnderstoodError("a figure")
        args = {**use.args, "spec": self._spec(use.args["spec"])}
        spec = without_globs(args, use.signature, self.producers)["spec"]
        known = drawn.schema.get("properties", {}) if (drawn := use.signature.argument("spec")) else {}
        if not all(name in known and _has_its_type(value, known[name]) for name, value in spec.items()):
            raise _NotUnderstoodError("a figure")
        labels = self._labels(use)
        inputs = {label: self._ingredient(label, keys) for label in labels}
        if not inputs:
            raise _NotUnderstoodError("a figure without tables")
        args.pop("spec")
        return {"figure": {**spec, "labels": labels}, "args": args, "inputs": inputs}

    def _spec(self, spec: Document) -> Document:
        labels = spec.get("labels")
        found = {name: value for name, value in spec.items() if value is not None}
        if isinstance(labels, str):
            found["labels"] = split_labels(labels, self.producers)
        return found

    def _ingredient(self, label: str, keys: Mapping[str, str]) -> Any:
        for known in (label, self.aliases.get(label, label)):
            if keys.get(known):
                return keys[known]
        table = owner(label, self.producers)
        if table is None or not keys.get(table):
            raise _NotUnderstoodError(label)
        return {"table": keys[table], "component": label[len(table) + 1 :]}

    # Values ---------------------------------------------------------------------------------------------------

    def _produced(self, signature: Signature, args: Document) -> list[str]:
        if signature.gives == "figure":
            return []
        labels = map(self._value, produced_labels(signature, args))
        return [str(label) for label in labels if label is not None]

    def _argument(self, signature: Signature, name: str, value: Any) -> Any:
        argument = signature.argument(name)
        schema = argument.schema if argument else {}
        if schema.get("format") == "time-range":
            return self._time(value)
        if is_text(schema):
            return value
        for _, text in strings(value, schema):
            if _OTHER_SPELLING.search(text) or ("$" + text) in self.declared:
                raise _NotUnderstoodError(text)
        return substitute(value, schema, self.values)

    def _value(self, text: str) -> Any:
        """Return a text with variables replaced by their values; return None if the result would be too long."""
        try:
            return substitute(text, {}, self.values)
        except Oversize:
            return None

    def _refuse_other_case(self, name: str) -> None:
        """Refuse a name that differs from the name of a variable only in case: it may be a mistake."""
        others = {*self.declared, _BUILT_IN} - {name}
        if name not in self.declared and name.casefold() in map(str.casefold, others):
            raise _NotUnderstoodError(name)

    def _time(self, value: Any) -> Any:
        """Return one value for all spellings of a time range; unknown variables stay in the value."""
        if isinstance(value, str) and TOKEN.fullmatch(value):
            if value not in self.values:
                self._refuse_other_case(value)
                return {"variable": value}
            value = self.values[value]
        if not isinstance(value, str) or _OTHER_SPELLING.search(value) or "$" in value:
            raise _NotUnderstoodError("a time range")
        try:
            if not self.bound:
                return canonical(value)
            span = parse_time_range(value, self.context.now)
        except (TimeRangeError, HelioError) as error:
            raise _NotUnderstoodError(value) from error
        return [span.start.isoformat(), span.stop.isoformat()]


def _agreed(first: str, second: str) -> str:
    """Return the signature of a label that two steps give; return an empty text if their tables differ."""
    return first if first == second else ""


def _says_nothing(signature: Signature, name: str, value: Any) -> bool:
    """Return whether an argument has no effect, so that it could be left out."""
    argument = signature.argument(name)
    if argument is None:
        return any(value == empty and type(value) is type(empty) for empty in NOTHING)
    if argument.required and name != "spec":
        return value is None
    nothing = any(value == empty and type(value) is type(empty) for empty in NOTHING)
    return nothing or (argument.default is not None and value == argument.default)
