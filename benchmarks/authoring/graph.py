"""What a template draws and saves, each as the chain of operations back to its data: names and order play no part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.plan import check
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.labels import owner, produced_labels, read_labels
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.time_range import parse_time_range

FETCH, SAVE = "fetch_data", "save_data"
BY_COMPONENT = frozenset(
    (
        "align",
        "ballistic_shift",
        "convert_units",
        "declare_quantity",
        "derivative",
        "despike",
        "detrend",
        "band_pass",
        "interpolate",
        "mask",
        "mask_by_flag",
        "resample",
        "rescale",
        "running_average",
        "running_median",
        "statistics",
    )
)
"""Operations that do to each component what they do to the whole: which comes first makes no difference."""
_FRAMES = re.compile(r"gse|gsm|rtn|geo|gei|dsl|sm\b|[^a-z0-9]")


@dataclass(frozen=True)
class Node:
    """A table: what made it, of what.

    Parameters
    ----------
    tool : str
        ``"fetch_data"`` for data.
    data : tuple of str
        Of data: ``DATASET.PARAMETER``, in the order of preference.
    args : str
        Of an operation: its arguments without labels, as canonical JSON.
    inputs : tuple of Node
        Of an operation, in the order of the tool's tables.
    component : str
        ``"x"`` of a vector; empty for the whole.
    time : str
        Of data: the range, resolved.
    """

    tool: str
    data: tuple[str, ...] = ()
    args: str = "{}"
    inputs: tuple[Node, ...] = ()
    component: str = ""
    time: str = ""

    def taking(self, component: str) -> Node:
        """One component of it."""
        if not component:
            return self
        if self.tool in BY_COMPONENT:
            first, *others = self.inputs
            return replace(self, inputs=(first.taking(component), *others))
        if self.tool == "components":
            return self.inputs[0].taking(component)
        if self.tool == "join_components":
            names = [letter(name) for name in json.loads(self.args).get("names", ())]
            if component in names:
                return self.inputs[names.index(component)]
        return replace(self, component=component)

    def at_any_time(self) -> Node:
        """The same, whatever the range."""
        return replace(self, time="", inputs=tuple(one.at_any_time() for one in self.inputs))

    def within(self) -> Iterator[Node]:
        """It, and all that it is made of."""
        yield self
        for one in self.inputs:
            yield from one.within()

    def __str__(self) -> str:
        told = (
            " or ".join(self.data)
            if self.tool == FETCH
            else f"{self.tool}({', '.join(map(str, self.inputs))})"
        )
        said = "" if self.args == "{}" else f" {self.args}"
        return f"{told}{said}{f' [{self.component}]' if self.component else ''}"


@dataclass(frozen=True)
class Drawn:
    """A table in a figure.

    Parameters
    ----------
    label : str
        As the figure names it.
    figure : int
        Its number.
    panel : int or None
        From 1 at the top; None where the figure leaves it to the units.
    """

    node: Node
    label: str
    figure: int
    panel: int | None


@dataclass(frozen=True)
class Exported:
    """A file with tables."""

    nodes: tuple[Node, ...]
    format: str


@dataclass(frozen=True)
class Graph:
    """A template as what it shows.

    Parameters
    ----------
    fetched : tuple of Node
        All data, drawn or not.
    specs : tuple of dict
        Of every figure, in the order of their numbers.
    problems : tuple of str
        Why it cannot run.
    """

    drawn: tuple[Drawn, ...] = ()
    saved: tuple[Exported, ...] = ()
    fetched: tuple[Node, ...] = ()
    specs: tuple[Document, ...] = ()
    problems: tuple[str, ...] = ()


def letter(component: str) -> str:
    """What tells a component from the others, whatever a file calls it.

    >>> [letter(one) for one in ("Bz", "BZ_GSE", "B_R", "z", "Proton 2")]
    ['z', 'z', 'r', 'z', 'proton2']
    """
    plain = _FRAMES.sub("", component.casefold())
    return plain[-1] if plain and plain[-1] in "xyzrtnlm" and len(plain) <= 2 else plain


def read_graph(
    template: Document, *, now: datetime, pipelines: Mapping[str, Document] | None = None
) -> Graph:
    """What a template draws and saves, with the defaults of its variables; passes bring it to its normal form first."""
    checked = check(template, now=now, pipelines=pipelines)
    if checked.errors:
        return Graph(problems=tuple(f"{one.code}: {one.message}" for one in checked.errors))
    plan = _with_defaults(checked.plan)
    tables: dict[str, Node] = {}
    drawn: list[Drawn] = []
    saved: list[Exported] = []
    specs: list[Document] = []
    for step in plan["steps"]:
        tool, args = step.get("tool_name"), step.get("tool_args", {})
        if tool == FETCH:
            tables |= _fetched(step, args, now)
        elif tool == RENDER:
            spec = args["spec"]
            specs.append(spec)
            panels = [one if isinstance(one, list) else [one] for one in spec.get("panels") or ()]
            for label in dict.fromkeys([*(spec.get("labels") or ()), *(x for one in panels for x in one)]):
                places = [number for number, panel in enumerate(panels, 1) if label in panel]
                for place in places or (None,):
                    drawn.append(Drawn(_table(tables, label), label, len(specs), place))
        elif tool == SAVE:
            named = args.get("source_labels", ())
            labels = [named] if isinstance(named, str) else list(named)
            given = str(args.get("format") or str(args.get("filename", "")).rpartition(".")[2] or "csv")
            saved.append(Exported(tuple(_table(tables, one) for one in labels), given.lower()))
        else:
            signature = signatures()[str(tool)]
            named = {path[0] for path, _ in read_labels(signature, args)}
            kept = {key: value for key, value in args.items() if key not in named and key != "output_label"}
            inputs = tuple(_table(tables, label) for _, label in read_labels(signature, args))
            node = Node(str(tool), args=json.dumps(kept, sort_keys=True), inputs=inputs)
            if tool == "components" and len(args.get("keep", ())) == 1:
                node = inputs[0].taking(letter(args["keep"][0]))
            tables |= dict.fromkeys(step.get("produces", ()), node)
    data = tuple(one for one in tables.values() if one.tool == FETCH)
    return Graph(tuple(drawn), tuple(saved), data, tuple(specs))


def _fetched(step: Document, args: Document, now: datetime) -> dict[str, Node]:
    found: dict[str, Node] = {}
    choices = choices_of(args)
    try:
        time = str(parse_time_range(str(args.get("time_range", "")), now))
    except TimeRangeError:
        time = str(args.get("time_range", ""))  # a variable without a default: nothing to compare it with
    labels = produced_labels(signatures()[FETCH], args) or list(step.get("produces", ()))
    for number, label in enumerate(labels):
        names = tuple(
            f"{one.dataset_id}.{one.parameters[min(number, len(one.parameters) - 1)]}" for one in choices
        )
        found[label] = Node(FETCH, names, time=time)
    return found


def _table(tables: Mapping[str, Node], label: str) -> Node:
    named = owner(label, tables)
    if named is None:
        return Node("nothing", (label,))
    return tables[named].taking(letter(label[len(named) :].lstrip(".")) if label != named else "")


def _with_defaults(plan: Document) -> Document:
    """The plan with the defaults of its variables in place."""
    values = {
        name: facts["default"]
        for name, facts in (plan.get("variables") or {}).items()
        if isinstance(facts, dict) and "default" in facts
    }

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [filled(one) for one in value]
        return values.get(value, value) if isinstance(value, str) else value

    return {**plan, "steps": [filled(step) for step in plan["steps"]]}
