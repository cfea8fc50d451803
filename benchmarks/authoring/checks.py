"""Whether what an author came up with is what was asked for: judged by meaning, in code.

An expectation is a JSON object. ``outcome`` is ``draft`` when left out, else ``question``, ``reply`` or ``refused``.
Of a reply: ``says`` (regular expressions that it must match), or ``"declined": true`` (it says that it cannot answer).
A task with ``"possible": false`` expects no draft: a refusal, a question, or a reply that declines.
Of a draft: ``draws`` (all of these, and besides them only ingredients and what ``may`` lists), ``saves``, ``time``,
``together`` / ``apart`` / ``order`` (pairs of places in ``draws``), ``looks``; of a change also ``adds``, ``drops``
(all else is drawn as before), ``only`` (the steps that may differ by a byte), ``variables``. A table is described by
a pattern:

A time may also be an object: ``covers`` what the range has to contain, ``within`` what it may not leave, or one of
them. Looks have the ``key`` of the figure, ``of`` what is drawn and ``is``; or the keys ``order`` (``first``,
``last``), ``together`` and ``after`` for the places of panels.

- a name of ``quantities.json``;
- ``{"data": ["AC_H?_MFI.BGSEc"], "component": "z", "time": "2024-05"}``: each candidate of a fetch matches one of them,
  and with ``"has"`` one of them that, or one of those;
- ``{"tool": "running_average", "args": {"window": "10min"}, "of": […]}``: an operation, its inputs in any order unless
  ``"ordered": true``; several tools or arguments may do: ``["resample", "statistics"]``, ``"cadence|interval"``;
- ``{"is": pattern, "component": "z"}``, ``{"any": […]}``, and of what is drawn ``{"all": […]}`` and ``"not": […]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import cache
from itertools import permutations
from typing import Any

from benchmarks.authoring.graph import FETCH, Drawn, Graph, Node, letter, read_graph
from benchmarks.authoring.tasks import HERE, Task
from helio.authoring.outcome import AuthorQuestion, AuthorReply, NotProved, Outcome, TemplateDraft
from helio.errors import HelioError, RequestError, TimeRangeError
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import AT_PANEL, BY_NUMBER, PER_PANEL
from helio.pipelines.template.labels import owner
from helio.pipelines.template.splice import splice
from helio.sources.registry import datasets_known_to
from helio.steps.signature import signatures
from helio.time_range import Duration, parse_time_range

Pattern = str | Mapping[str, Any]
Expected = Mapping[str, Any]

IN_PASSING = frozenset(("align", "convert_units", "declare_quantity", "interpolate", "mask_by_flag"))
"""What a careful author may do to a table on the way, without having been asked."""
SAME_UNIT = frozenset(
    (
        "align",
        "arithmetic",
        "ballistic_shift",
        "components",
        "despike",
        "detrend",
        "interpolate",
        "join_components",
        "magnitude",
        "mask",
        "mask_by_flag",
        "resample",
        "running_average",
        "running_median",
        "rotate",
        "rotate_to_axes",
        "transform_frame",
        "band_pass",
        "band_average",
    )
)
_TRIPLES = (frozenset("xyz"), frozenset("rtn"), frozenset("lmn"))
_COLOURS = {
    "red": ("red", "#f00", "#ff0000", "rgb(255,0,0)", "crimson", "firebrick", "#d62728"),
    "blue": ("blue", "#00f", "#0000ff", "rgb(0,0,255)"),
    "green": ("green", "#008000", "#0f0", "#00ff00", "rgb(0,128,0)"),
    "black": ("black", "#000", "#000000", "rgb(0,0,0)"),
    "orange": ("orange", "#ffa500", "darkorange", "#ff7f0e"),
    "purple": ("purple", "#800080"),
}
_KEYS_OF_LOOKS = {
    "color": ("trace_colors",),
    "name": ("trace_names",),
    "line": ("line_styles",),
    "log": ("log_y", "log_scale"),
    "log_y": ("log_y", "log_scale"),
    **dict.fromkeys(
        ("order", "after", "together"),
        ("panels", "labels", *sorted(BY_NUMBER | PER_PANEL | AT_PANEL)),
    ),
    "z_range": ("z_min", "z_max"),
}


# Verdicts -------------------------------------------------------------------------------------------------


def judge(task: Task, came: Outcome | HelioError) -> list[str]:
    """What is wrong with an outcome; nothing when it is one of those that are right.

    Parameters
    ----------
    came : Outcome or HelioError
        What the author returned, or raised.
    """
    if not task.possible:
        kind, said = kind_of(came)
        honest = kind in ("refused", "question") or (kind == "reply" and is_declined(said))
        return [] if honest else [f"{kind} although the task is impossible: {said}"]
    verdicts = [_judged(task, expected, came) for expected in task.expected]
    return [] if not all(verdicts) else min(verdicts, key=len)


def _judged(task: Task, expected: Expected, came: Outcome | HelioError) -> list[str]:
    wanted = expected.get("outcome", "draft")
    kind, said = kind_of(came)
    if kind != wanted:
        return [f"{kind} instead of {wanted}: {said}"]
    wrong = [f"does not say {one}: {said}" for one in expected.get("says", ()) if not _said(one, said)]
    if expected.get("declined") and not is_declined(said):
        wrong.append(f"answers instead of declining: {said}")
    if isinstance(came, AuthorQuestion):
        wrong += [
            f"no choice {one} among {', '.join(came.choices)}"
            for one in expected.get("choices", ())
            if not any(_said(one, choice) for choice in came.choices)
        ]
    if isinstance(came, TemplateDraft):
        wrong += [f"does not pass the gate: {one.message}" for one in came.proved.errors]
        wrong += list(check_template(came.template, expected, task))
    return wrong


def kind_of(came: Outcome | HelioError) -> tuple[str, str]:
    """Whether it is a draft, a question, a reply, a refusal, or which error; and what it says."""
    if isinstance(came, TemplateDraft):
        return "draft", json.dumps(came.template, ensure_ascii=False)[:2000]
    if isinstance(came, AuthorQuestion):
        return "question", f"{came.text} ({', '.join(came.choices)})"
    if isinstance(came, AuthorReply):
        return "reply", came.text
    said = f"{came.message} {came.advice or ''}".strip()
    if isinstance(came, NotProved):
        said += " " + "; ".join(one.message for one in came.diagnostics)
    if isinstance(came, RequestError):
        return "refused", said
    return type(came).__name__, said


def is_declined(said: str) -> bool:
    """Whether a reply says that it does not answer."""
    return _said(r"\bcannot (?:answer|tell|say|know)\b|\bdoes not know\b", said)


def _said(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def check_template(template: Document, expected: Expected, task: Task) -> Iterator[str]:
    """What is wrong with a template that was drafted."""
    graph = read_graph(template, now=task.now)
    yield from (f"cannot run: {one}" for one in graph.problems)
    if graph.problems:
        return
    old = Graph()
    if task.text:
        before = task.template
        yield from _untouched(task.text, before, template, expected)
        yield from _variables(template, expected)
        old = read_graph(before, now=task.now)
        if "draws" not in expected:
            same_values = _with_values(template, before, expected)
            yield from _changed(old, read_graph(same_values, now=task.now), expected)
        if "time" not in expected and (
            others := {one.time for one in graph.fetched} - {one.time for one in old.fetched}
        ):
            yield f"the time range becomes {', '.join(sorted(others))}"
    if "draws" in expected or ("saves" in expected and not task.text):
        yield from _drawn(graph, expected)
    yield from _unknown(
        graph, Graph() if task.kind == "repair" else old
    )  # a misspelt name is what is repaired
    yield from _unused(graph)
    yield from _time(graph, expected, task.now)
    yield from _saved(graph, expected, old)
    yield from _panels(graph, expected)
    yield from (said for look in expected.get("looks", ()) for said in _look(graph, look))


# Patterns -------------------------------------------------------------------------------------------------


@cache
def quantities() -> dict[str, Pattern]:
    """The named patterns."""
    found: dict[str, Pattern] = json.loads((HERE / "quantities.json").read_text(encoding="utf-8"))
    return found


def matches(pattern: Pattern, node: Node) -> bool:
    """Whether a table is what a pattern describes; what is done to it in passing makes no difference."""
    if _matches(pattern, node):
        return True
    return node.tool in IN_PASSING and matches(pattern, node.inputs[0])


def _matches(pattern: Pattern, node: Node) -> bool:
    if isinstance(pattern, str):
        return _matches(quantities()[pattern], node)
    if any(matches(one, node) for one in pattern.get("not", ())):
        return False
    if "any" in pattern:
        return any(matches(one, node) for one in pattern["any"])
    if "all" in pattern:
        return False
    if "is" in pattern:
        return node.component == pattern["component"] and matches(pattern["is"], replace(node, component=""))
    if node.component != pattern.get("component", ""):
        return False
    if "data" in pattern:
        has = pattern.get("has", "*")
        held = [has] if isinstance(has, str) else has
        return (
            node.tool == FETCH
            and all(any(fnmatchcase(one, glob) for glob in pattern["data"]) for one in node.data)
            and any(fnmatchcase(name, glob) for name in node.data for glob in held)
            and ("time" not in pattern or node.time == str(parse_time_range(pattern["time"], datetime.min)))
        )
    tools = [pattern["tool"]] if isinstance(pattern["tool"], str) else pattern["tool"]
    if node.tool not in tools or not _has_args(node, pattern.get("args", {})):
        return False
    wanted: Sequence[Pattern] = pattern.get("of", ())
    orders = [node.inputs] if pattern.get("ordered") else permutations(node.inputs, len(wanted))
    return any(
        len(order) >= len(wanted)
        and all(_is_input(one, other, len(node.inputs)) for one, other in zip(wanted, order, strict=False))
        for order in orders
    )


def _is_input(pattern: Pattern, node: Node, count: int) -> bool:
    """Whether an input is what a pattern describes; one of several may be on a common clock."""
    on_clock = count > 1 and node.tool in (*IN_PASSING, "resample")
    return matches(pattern, node) or (on_clock and _is_input(pattern, node.inputs[0], count))


def found(pattern: Pattern, nodes: Iterable[Node]) -> set[Node]:
    """The tables among those drawn that make up what a pattern describes; none when something is missing."""
    every = list(nodes)
    if isinstance(pattern, str):
        return found(quantities()[pattern], every)
    if "not" in pattern:
        every = [one for one in every if not any(matches(other, one) for other in pattern["not"])]
    if "any" in pattern:
        return {one for alternative in pattern["any"] for one in found(alternative, every)}
    if "all" in pattern:
        parts = [found(one, every) for one in pattern["all"]]
        return {one for part in parts for one in part} if all(parts) else set()
    wholes = _wholes(every)
    return {one for one in every if matches(pattern, one)} | {
        part for whole, parts in wholes.items() if matches(pattern, whole) for part in parts
    }


def _wholes(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """Vectors all of whose components are drawn one by one."""
    parts: dict[Node, dict[str, Node]] = {}
    for one in nodes:
        component = next((inner.component for inner in one.within() if inner.component), "")
        if component:
            parts.setdefault(_bare(one), {})[component] = one
    return {
        whole: list(of.values()) for whole, of in parts.items() if any(one <= of.keys() for one in _TRIPLES)
    }


def _bare(node: Node) -> Node:
    return replace(node, component="", inputs=tuple(_bare(one) for one in node.inputs))


def _has_args(node: Node, wanted: Mapping[str, Any]) -> bool:
    args = json.loads(node.args)
    defaults = {one.name: one.default for one in signatures()[node.tool].arguments}
    for names, value in wanted.items():
        given = [args.get(name, defaults.get(name)) for name in names.split("|")]
        if not any(_same(value, one) for one in given):
            return False
    return True


def _same(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, list):
        return isinstance(given, list) and len(given) == len(wanted) and all(map(_same, wanted, given))
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, (int, float)) and isinstance(given, (int, float)):
        return abs(wanted - given) <= 1e-9 * max(abs(wanted), abs(given))
    if isinstance(wanted, str) and isinstance(given, str):
        return wanted.casefold() == given.casefold() or (_length(wanted) or 0) == _length(given)
    return bool(wanted == given)


def _length(text: str) -> int | None:
    try:
        return Duration(text).nanoseconds
    except RequestError:
        return None


# What is drawn --------------------------------------------------------------------------------------------


def _drawn(graph: Graph, expected: Expected) -> Iterator[str]:
    nodes = {one.node for one in graph.drawn}
    exported = {one for file in graph.saved for one in file.nodes}
    asked: set[Node] = set()
    for pattern in expected.get("draws", ()):
        those = found(pattern, nodes)
        asked |= those
        if not those:
            yield f"does not draw {_told(pattern)}; it draws {_listed(nodes)}"
    may: set[Node] = {one for pattern in expected.get("may", ()) for one in found(pattern, nodes)}
    ingredients = (
        set()
        if expected.get("only_asked")
        else {_bare(one) for node in asked | exported for one in node.within()}
    )
    for one in nodes - asked - may:
        if _bare(one) not in ingredients:
            yield f"draws {one}, which was not asked for"


def _changed(before: Graph, after: Graph, expected: Expected) -> Iterator[str]:
    # the range is a matter of its own
    old, new = ({one.node.at_any_time() for one in each.drawn} for each in (before, after))
    added: set[Node] = set()
    for pattern in expected.get("adds", ()):
        those = found(pattern, new - old)
        added |= those
        if not those:
            yield f"does not add {_told(pattern)}; it draws {_listed(new)}"
    dropped: set[Node] = set()
    for pattern in expected.get("drops", ()):
        dropped |= found(pattern, old)
        if any(one not in added for one in found(pattern, new)):
            yield f"still draws {_told(pattern)}"
    if lost := old - new - dropped:
        yield f"no longer draws {_listed(lost)}"
    ingredients = {_bare(one) for node in added for one in node.within()}
    for one in new - old - added:
        if _bare(one) not in ingredients and not any(
            found(other, [one]) for other in expected.get("may", ())
        ):
            yield f"draws {one}, which was not asked for"
    if added or dropped:
        return
    allowed = {
        key for look in expected.get("looks", ()) for key in _KEYS_OF_LOOKS.get(look["key"], (look["key"],))
    }
    for one_spec, other_spec in zip(before.specs, after.specs, strict=False):
        for key in one_spec.keys() | other_spec.keys():
            may = key in allowed or (key == "title" and "only" not in expected)
            if one_spec.get(key) != other_spec.get(key) and not may:
                yield f"changes {key} of the figure, which was not asked for"


def _unknown(graph: Graph, before: Graph) -> Iterator[str]:
    """A pattern would take a misspelt name too; what was fetched before may be of any archive."""
    known_before = {name for node in before.fetched for name in node.data}
    for name in (name for node in graph.fetched for name in node.data if name not in known_before):
        dataset, _, parameter = name.rpartition(".")
        if dataset in datasets_known_to("ncei"):
            continue  # the X-rays, which no catalogue has
        if dataset not in _catalogue() or all(
            known.name != parameter for known in _catalogue().dataset(dataset).parameters
        ):
            yield f"there is no {name}"


def _unused(graph: Graph) -> Iterator[str]:
    shown = [one.node for one in graph.drawn] + [one for file in graph.saved for one in file.nodes]
    used = {inner.data[0].rpartition(".")[0] for node in shown for inner in node.within() if inner.data}
    for one in graph.fetched:
        if one.data[0].rpartition(".")[0] not in used:
            yield f"fetches {one}, and nothing shows it"


def _time(graph: Graph, expected: Expected, now: datetime) -> Iterator[str]:
    if "time" not in expected:
        return
    wanted = expected["time"]
    for one in graph.fetched:
        if not _is_time(wanted, one.time, now):
            yield f"{one} is over {one.time} instead of {wanted}"


def _is_time(wanted: str | Mapping[str, str] | list[str], given: str, now: datetime) -> bool:
    """Whether a range is a wanted one, or contains what it has to cover and lies in what it may."""
    if isinstance(wanted, list):
        return any(_is_time(time, given, now) for time in wanted)
    try:
        span = parse_time_range(given, now)
        if isinstance(wanted, str):
            return span == parse_time_range(wanted, now)
        covers, within = (parse_time_range(wanted.get(key, given), now) for key in ("covers", "within"))
    except TimeRangeError:
        return False
    return within.start <= span.start <= covers.start and covers.stop <= span.stop <= within.stop


def _saved(graph: Graph, expected: Expected, before: Graph) -> Iterator[str]:
    for saved in expected.get("saves", ()):
        wanted = {"of": [saved]} if isinstance(saved, str) else saved
        files = [file for file in graph.saved if file.format == wanted.get("format", file.format)]
        patterns = [wanted] if {"data", "tool"} & wanted.keys() else wanted.get("of", ())
        if not files or not all(any(found(pattern, file.nodes) for file in files) for pattern in patterns):
            yield f"does not save {', '.join(map(_told, patterns))} as {wanted.get('format', 'a file')}"
    more = len(graph.saved) > len(before.saved)
    if more and "saves" not in expected and "adds" not in expected and not expected.get("may_save"):
        yield "saves a file, which was not asked for"


def _panels(graph: Graph, expected: Expected) -> Iterator[str]:
    patterns = expected.get("draws", expected.get("adds", ()))
    if "panel" in expected:  # what was added stands in one panel with something that was there
        one, other = [found_in(graph, pattern) for pattern in expected["panel"]]
        if one and other and not any(_shared(a, b) for a in one for b in other):
            yield f"{_told(expected['panel'][0])} is not in one panel with {_told(expected['panel'][1])}"
    for name, together in (("together", True), ("apart", False)):
        for pair in expected.get(name, ()):
            first, second = (found_in(graph, patterns[number]) for number in pair)
            if first and second and any(_shared(a, b) != together for a in first for b in second):
                said = "not in one panel" if together else "in one panel"
                yield f"{_told(patterns[pair[0]])} and {_told(patterns[pair[1]])} are {said}"
    order = expected.get("order", ())
    if order and isinstance(order[0], list):  # pairs, each of which begins where the one before ends
        order = [order[0][0], *(pair[1] for pair in order)]
    places = [found_in(graph, patterns[number]) for number in order]
    tops = [min((one.panel or 0) for one in those) for those in places if those]
    if tops != sorted(tops):
        yield f"panels stand in another order: {tops}"


def found_in(graph: Graph, pattern: Pattern) -> list[Drawn]:
    """What is drawn of a pattern, with its place."""
    those = found(pattern, {one.node for one in graph.drawn})
    return [one for one in graph.drawn if one.node in those]


def _shared(one: Drawn, other: Drawn) -> bool:
    if one.figure != other.figure:
        return False
    if one.panel is None or other.panel is None:  # then there is a panel for each unit
        return unit_of(one.node) == unit_of(other.node)
    return one.panel == other.panel


@cache
def _catalogue() -> Catalogue:
    return Catalogue()


def unit_of(node: Node) -> str:
    """The unit of a table as far as the catalogue tells; else the operation that makes it."""
    if node.tool == FETCH:
        dataset, _, parameter = node.data[0].rpartition(".")
        return _catalogue().dataset(dataset).parameter(parameter).canonical_unit
    if node.tool == "convert_units":
        return str(json.loads(node.args)["to"])
    return unit_of(node.inputs[0]) if node.tool in SAME_UNIT and node.inputs else f"that of {node.tool}"


# Looks ----------------------------------------------------------------------------------------------------


def _look(graph: Graph, look: Mapping[str, Any]) -> Iterator[str]:
    key = look["key"]
    own = {"trace_colors": "color", "trace_names": "name", "line_styles": "line", "log_y": "log"}
    if key in _PLACES:
        holds = _PLACES[key](graph, look)
    elif "is" in look and key in _MARKS:
        holds = any(_marked(spec.get(key), look["is"]) for spec in graph.specs)
    else:
        holds = any(
            _LOOKS.get(own.get(key, key), _as_it_is)(graph, number, spec, look)
            for number, spec in enumerate(graph.specs, 1)
        )
    if not holds:
        told = {name: spec.get(name) for spec in graph.specs for name in _KEYS_OF_LOOKS.get(key, (key,))}
        yield f"{key} is not as asked ({json.dumps(dict(look), ensure_ascii=False)}): {json.dumps(told)}"


_MARKS = ("hlines", "vlines", "vrects", "annotations")


def _marked(marks: Any, wanted: Any) -> bool:
    """Whether a figure has a wanted mark, or all of a list; a mark is given by its keys, or by its place alone."""
    if isinstance(wanted, list):
        return all(_marked(marks, mark) for mark in wanted)
    if not isinstance(wanted, Mapping):
        wanted = {"x" if isinstance(wanted, str) else "y": wanted}
    return any(
        all(_at(value, mark.get(key)) or _same(value, mark.get(key)) for key, value in wanted.items())
        for mark in marks or ()
    )


def _tops(graph: Graph, pattern: Pattern) -> list[int]:
    return [one.panel or 0 for one in found_in(graph, pattern)]


def _is_placed(graph: Graph, look: Mapping[str, Any]) -> bool:
    tops = _tops(graph, look["of"])
    panels = [line.panel for line in graph.drawn if line.panel] or [0]  # an ephemeris is in no panel
    edge = (max if look["is"] == "last" else min)(panels)
    return edge in tops


def _is_together(graph: Graph, look: Mapping[str, Any]) -> bool:
    patterns = (look["of"], look["is"]) if "of" in look else look["is"]
    first, second = (found_in(graph, pattern) for pattern in patterns)
    return any(_shared(line, beside) for line in first for beside in second)


def _is_after(graph: Graph, look: Mapping[str, Any]) -> bool:
    tops, others = _tops(graph, look["of"]), _tops(graph, look["is"])
    return bool(tops and others) and min(tops) > max(others)


def _is_at_right(graph: Graph, look: Mapping[str, Any]) -> bool:
    lines = found_in(graph, look["of"])
    return any(line.label in (graph.specs[line.figure - 1].get("right") or ()) for line in lines)


_PLACES: Mapping[str, Callable[[Graph, Mapping[str, Any]], bool]] = {
    "order": _is_placed,
    "together": _is_together,
    "after": _is_after,
    "right": _is_at_right,
}
"""Looks that are the places of panels, and no keys of the figure."""


def _as_it_is(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
    value = spec.get(look["key"])
    like = look.get("like", look.get("matches"))
    values = list(_of_panels(graph, number, value, look["of"])) if "of" in look else [value]
    if like is not None:
        return any(_said(like, str(one or "")) for one in values)
    return any(_same(look["is"], one) for one in values)


def _of_panels(graph: Graph, number: int, value: Any, pattern: Pattern) -> Iterator[Any]:
    """What a setting by panel is for the panels in which something is drawn."""
    for one in found_in(graph, pattern):
        if one.figure == number:
            yield value.get(str(one.panel)) if isinstance(value, dict) else value


def _lines(places: str) -> Callable[[Graph, int, Document, Mapping[str, Any]], bool]:
    def there(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
        return all(
            any(_at(wanted, one.get(places)) for one in spec.get(look["key"]) or ())
            for wanted in look[places]
        )

    return there


def _at(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, str) and isinstance(given, str):
        try:
            one, other = (datetime.fromisoformat(each.replace("Z", "")) for each in (wanted, given))
        except ValueError:
            return False
        return one == other
    return _same(wanted, given)


def _shaded(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
    return any(
        _at(look["x0"], one.get("x0")) and _at(look["x1"], one.get("x1")) for one in spec.get("vrects") or ()
    )


def _by_label(key: str, right: Callable[[Any, Mapping[str, Any]], bool]) -> Callable[..., bool]:
    def there(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
        tables = {one.label: one.node for one in graph.drawn}
        for label, value in (spec.get(key) or {}).items():
            named = owner(label, tables)
            rest = "" if named is None else letter(label[len(named) :].lstrip("."))
            if named is not None and right(value, look) and found(look["of"], [tables[named].taking(rest)]):
                return True
        return False

    return there


def _coloured(value: Any, look: Mapping[str, Any]) -> bool:
    wanted = [look["is"]] if isinstance(look["is"], str) else look["is"]
    return any(str(value).casefold().replace(" ", "") in _COLOURS.get(colour, (colour,)) for colour in wanted)


def _is_logarithmic(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
    wanted = look.get("is", True)
    drawn = found_in(graph, look["of"]) or [
        line for line in graph.drawn if found(look["of"], line.node.within())
    ]
    for one in drawn:
        if one.figure != number:
            continue
        panel, scale, log = str(one.panel), spec.get("log_scale"), spec.get("log_y")
        by_panel = (
            scale.get(panel) == "log" if isinstance(scale, dict) else scale in ("y", "log", one.panel or -1)
        )
        if (by_panel or (log.get(panel, False) if isinstance(log, dict) else bool(log))) is wanted:
            return True
    return False


def _colours_between(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
    low, high = (list(_of_panels(graph, number, spec.get(key), look["of"])) for key in ("z_min", "z_max"))
    return any(_same(look["is"], [one, other]) for one, other in zip(low, high, strict=True))


def _is_scatter(graph: Graph, number: int, spec: Document, look: Mapping[str, Any]) -> bool:
    """Whether an entry draws what the patterns of both axes describe, with the other values asked for."""
    labels = {
        axis: {line.label for line in found_in(graph, look["is"][axis])}
        for axis in ("x", "y")
        if axis in look["is"]
    }
    values = {key: value for key, value in look["is"].items() if key not in labels}
    return any(
        all(entry.get(axis) in those for axis, those in labels.items())
        and all(_same(value, entry.get(key)) for key, value in values.items())
        for entry in spec.get("xy") or ()
    )


_LOOKS: Mapping[str, Callable[[Graph, int, Document, Mapping[str, Any]], bool]] = {
    "hlines": _lines("y"),
    "vlines": _lines("x"),
    "vrects": _shaded,
    "log": _is_logarithmic,
    "color": _by_label("trace_colors", _coloured),
    "name": _by_label(
        "trace_names",
        lambda value, look: _said(look.get("like", f"^{re.escape(str(look.get('is')))}$"), str(value)),
    ),
    "line": _by_label("line_styles", lambda value, look: look["is"].items() <= value.items()),
    "z_range": _colours_between,
    "xy": _is_scatter,
}


# The file -------------------------------------------------------------------------------------------------


def _untouched(text: str, before: Document, after: Document, expected: Expected) -> Iterator[str]:
    """All steps but those that may change stand in the file as they stood; without ``only`` any may change."""
    if "only" not in expected:
        return
    may = {str(one) for one in expected.get("only", ())}
    new = step_texts(splice(text, before, after))
    for name, written in step_texts(text).items():
        if name not in may and new.get(name) != written:
            yield f"step {name} is {'changed' if name in new else 'gone'}, and had nothing to do with it"
    for key in ("id", "name", "description"):
        if before.get(key) != after.get(key) and key not in expected.get("of_template", ()):
            yield f"the template's {key} is changed"


def _with_values(template: Document, before: Document, expected: Expected) -> Document:
    """The template with the variables of before, if all that may change are the values of variables."""
    if "variables" not in expected or "adds" in expected or "drops" in expected:
        return template
    values = {**(template.get("variables") or {}), **(before.get("variables") or {})}
    return {**template, "variables": values}


def _variables(template: Document, expected: Expected) -> Iterator[str]:
    for name, default in expected.get("variables", {}).items():
        given = (template.get("variables") or {}).get(name, {}).get("default")
        if not _same(default, given):
            yield f"the variable {name} is {given} instead of {default}"


def step_texts(text: str) -> dict[str, str]:
    """The text of each step of a template as it stands in its file, by its id.

    >>> step_texts('{"steps": [{"step_id": 1}, {"step_id":  "b"}]}')
    {'1': '{"step_id": 1}', 'b': '{"step_id":  "b"}'}
    """
    decoder, space = json.JSONDecoder(), re.compile(r"[\s,]*")
    opening = re.search(r'"steps"\s*:\s*\[', text)
    steps: dict[str, str] = {}
    if opening is None:
        return steps
    at = _after(space, text, opening.end())
    while text[at] != "]":
        step, stop = decoder.raw_decode(text, at)
        steps[str(step["step_id"])] = text[at:stop]
        at = _after(space, text, stop)
    return steps


def _after(space: re.Pattern[str], text: str, at: int) -> int:
    match = space.match(text, at)
    assert match is not None  # it may match nothing
    return match.end()


def _told(pattern: Pattern) -> str:
    if isinstance(pattern, str):
        return pattern
    if "is" in pattern:
        return f"{_told(pattern['is'])} {pattern['component']}"
    if "any" in pattern or "all" in pattern:
        return (" or " if "any" in pattern else " and ").join(
            map(_told, pattern.get("any", pattern.get("all", ())))
        )
    if "data" in pattern:
        return " or ".join(pattern["data"]) + (f" {pattern['component']}" if "component" in pattern else "")
    tools = pattern["tool"] if isinstance(pattern["tool"], str) else " or ".join(pattern["tool"])
    return f"{tools} {json.dumps(pattern.get('args', {}))} of {', '.join(map(_told, pattern.get('of', ())))}"


def _listed(nodes: Iterable[Node]) -> str:
    return "; ".join(sorted(map(str, nodes))) or "nothing"
