"""Find where the numbers of each step come from: fetched data, or values that the author of the template wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from helio.pipelines.analyses.work import is_code
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import TOKEN
from helio.steps.sandbox.allow_list import input_names, names_in_scope
from helio.steps.sandbox.number_sources import DROWNED, number_sources
from helio.steps.signature import Signature


@dataclass(frozen=True)
class Origin:
    """Origin of the numbers in a table, figure or file: the labels of the steps that fetched or wrote these numbers.

    Parameters
    ----------
    fetched : frozenset of str
        Fetched tables.
    written : frozenset of str
        Tables whose numbers the author wrote: literals, constants, random numbers.
    doubtful : frozenset of str
        Tables of code some of whose numbers may be the author's.
    """

    fetched: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()

    def __or__(self, other: Origin) -> Origin:
        return Origin(
            self.fetched | other.fetched, self.written | other.written, self.doubtful | other.doubtful
        )


def origins(template: Template, signatures: Mapping[str, Signature]) -> dict[str, Origin]:
    """Map the JSON Pointer of each step to the origin of the step's numbers; the steps may be in any order."""
    graph = graph_of(template.walk(), signatures)
    found: dict[str, Origin] = {}

    def rule(step: StepView, known: Mapping[str, Origin]) -> dict[str, Origin]:
        def of(labels: Iterable[str]) -> Origin:
            every = (known[table] for label in labels for table in graph.given(label) if table in known)
            return reduce(or_, every, Origin())

        if step.signature is None:
            return {}
        found[step.pointer] = _origin(step, step.signature, of)
        return dict.fromkeys(step.outputs, found[step.pointer])

    graph.propagate(rule, or_)
    return found


def _origin(step: StepView, signature: Signature, of: Callable[[Iterable[str]], Origin]) -> Origin:
    """Return the origin of a step's numbers, from the origins of the tables that the step reads."""
    args = step.params
    itself = frozenset(step.outputs or [f"step {step.id}"])
    if signature.gives == "tables":
        return Origin(fetched=itself)
    labels = list(dict.fromkeys(step.labels))
    code = next(
        (
            args[argument.name]
            for argument in signature.arguments
            if is_code(argument.schema) and argument.name in args
        ),
        None,
    )
    if isinstance(code, str):
        open_labels = any(TOKEN.search(label) or "*" in label for label in labels)
        sources = number_sources(code, input_names(labels))
        if not sources.names:
            return Origin(written=itself)
        origin = of(labels if open_labels else _named(sources.names, labels))
        return origin | Origin(doubtful=itself) if sources.doubtful else origin
    one_table = signature.name == "arithmetic" and args.get("left_label") == args.get("right_label")
    if one_table and args.get("operation") in ("subtract", "divide"):
        return Origin(written=itself)
    factor, offset = args.get("factor", 1.0), args.get("offset", 0.0)
    numbers = all(isinstance(number, (int, float)) for number in (factor, offset))
    if signature.name == "rescale" and numbers and abs(factor) < DROWNED * abs(offset):
        return of(labels) | Origin(doubtful=itself)
    return of(labels)


def _named(names: Iterable[str], labels: list[str]) -> list[str]:
    """Return the labels of the tables that code uses under these names."""
    meant = dict.fromkeys(("df", "da"), labels[:1])
    for label, name in zip(labels, names_in_scope(labels), strict=True):
        for kind in ("df", "da"):
            meant.setdefault(f"{kind}_{name}", []).append(label)
    return [label for name in names for label in meant.get(name, labels)]
