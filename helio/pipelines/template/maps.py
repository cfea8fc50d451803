"""Maps: the steps of a plan and of its blocks, the items of ``for_each``, and labels that stand for many."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from helio.errors import RequestError
from helio.limits import LIMITS
from helio.pipelines.template.document import Document
from helio.pipelines.template.template import ForEach, Step
from helio.pipelines.template.variables import TOKEN, Path, substitute, tokens
from helio.steps.signature import Signature
from helio.time_range import Duration

if TYPE_CHECKING:
    from helio.pipelines.template.edit import Context

Maps = tuple[Document, ...]
"""The ``for_each`` of the maps around a step, the outermost first."""
EACH = "each_interval"
"""The argument by which a call for a range refuses an interval without data."""
DEEPEST_BLOCK = LIMITS.blocks
"""Blocks within blocks beyond this are not looked into."""


@dataclass(frozen=True)
class Place:
    """A step, where it stands, and the maps around it, its own last."""

    path: Path
    step: Document
    maps: Maps

    @property
    def variables(self) -> tuple[str, ...]:
        """The item variables that stand in the step."""
        return tuple(name for loop in self.maps if (name := variable_of(loop)))


def places(plan: Document) -> Iterator[Place]:
    """Every step of a plan, those of blocks after the step that holds them."""
    return (Place(*pair) for pair in steps_with_maps(plan))


def steps_with_maps(plan: Document) -> list[tuple[Path, Document, Maps]]:
    """Every step with its path and the maps around it, those of blocks after the step that holds them."""
    lists = list(lists_of_steps(plan, DEEPEST_BLOCK))
    found = [
        ((*path, index), step, _with_own(step, around))
        for path, steps, around in lists
        for index, step in enumerate(steps)
        if isinstance(step, dict)
    ]
    return found if len(lists) < 2 else sorted(found, key=lambda place: place[0])


def lists_of_steps(plan: Document, deepest: int) -> Iterator[tuple[Path, list[Any], Maps]]:
    """Every list of steps with its path and the maps around it: the plan's own, then those of blocks.

    Parameters
    ----------
    deepest : int
        How many lists may stand in one another; the lists in these are left out.
    """
    waiting: list[tuple[Path, Any, Maps]] = [(("steps",), plan.get("steps"), ())]
    while waiting:
        path, steps, around = waiting.pop()
        if not isinstance(steps, list) or len(path) >= 2 * deepest:
            continue
        yield path, steps, around
        waiting += [
            ((*path, index, "block"), step["block"], _with_own(step, around))
            for index, step in reversed(list(enumerate(steps)))
            if isinstance(step, dict) and is_block(step)
        ]


def _with_own(step: Document, around: Maps) -> Maps:
    each = step.get("for_each")
    return (*around, each) if isinstance(each, dict) else around


def is_block(step: Document) -> bool:
    """Whether a step holds steps of its own."""
    return isinstance(step.get("block"), list)


def signature_of(step: Document, signatures: Mapping[str, Signature]) -> Signature | None:
    """The signature of a step's tool; none for blocks, calls of other pipelines and unknown tools."""
    name = step.get("tool_name")
    return signatures.get(name) if isinstance(name, str) else None


def args_of(step: Document) -> Document:
    """A step's arguments, empty where there are none."""
    args = step.get("tool_args")
    return args if isinstance(args, dict) else {}


def variable_of(each: Any) -> str:
    """The variable of a map, with its ``$``; empty where it names none."""
    name = each.get("as") if isinstance(each, dict) else None
    return name if isinstance(name, str) and TOKEN.fullmatch(name) else ""


def uses(value: Any, schema: Mapping[str, Any], name: str) -> bool:
    """Whether a variable stands somewhere in a value, outside words and code."""
    return any(name == used for _, used in tokens(value, dict(schema)))


def known_items(each: Document, context: Context) -> list[Any] | None:
    """Return the items of a map that are known before any run; none where no item is known."""
    over = each.get("over")
    if isinstance(over, list):
        return over
    if isinstance(over, dict) and isinstance(over.get("parameters_of"), str):
        dataset = context.catalogue.get(over["parameters_of"])
        return list(dataset.parameters) if dataset is not None else None
    return None


def items_of_map(each: ForEach, context: Context) -> Sequence[Any] | None:
    """Return the items of a map that are known before any run; none where no item is known."""
    dataset = context.catalogue.get(each.parameters_of)
    return each.items if each.items is not None or dataset is None else list(dataset.parameters)


def item_name(item: Any) -> str:
    """An item as it stands in labels and ids.

    >>> item_name("2024-01-10 to 2024-01-11"), item_name("2024-01-10T06:00:00 to 2024-01-10T12:00:00"), item_name(3)
    ('2024-01-10', '2024-01-10T06:00', '3')
    """
    if not isinstance(item, str):
        return json.dumps(item, sort_keys=True, ensure_ascii=False)
    found = re.fullmatch(r"(\d{4}-\d{2}-\d{2})(T[\d:.]+)? to \d{4}-\d{2}-\d{2}(?:T[\d:.]+)?", item)
    if found is None:
        return item
    clock = (found[2] or "").removesuffix(":00")
    return found[1] + ("" if clock == "T00:00" else clock)


def with_item(value: Any, schema: Mapping[str, Any], name: str, item: Any) -> Any:
    """A value with an item in the place of its variable: whole where it stands alone, else its name."""
    return substitute(value, dict(schema), _Item({name: item}))


def each_with_item(each: ForEach, name: str, item: Any) -> ForEach:
    """A map with an item of a map around it in the place of its variable."""
    over = with_item(each.to_json()["over"], {}, name, item)
    if each.items is None:
        over = {key: text for key, text in over.items() if isinstance(text, str)}  # an item may be a number
    return ForEach.from_json({"as": each.name, "over": over})


class _Item(dict[str, Any]):
    """Inside a longer text an item is written by its name."""

    def get(self, key: str, default: Any = None) -> Any:
        return item_name(self[key]) if key in self else default


def unwrapped(step: Document, signatures: Mapping[str, Signature]) -> Document | None:
    """The arguments of the one call that gives what a map over intervals gives, where there is one.

    The tool gives the same records for a range as for its parts, only its range is the item, and the parts are put
    together again. An interval without data still fails: the call has to find some in each. Candidates are chosen
    interval by interval, so a fetch with candidates stays a map.
    """
    signature, each = signature_of(step, signatures), step.get("for_each")
    over = each.get("over") if isinstance(each, dict) else None
    name, args = variable_of(each), args_of(step)
    if (
        signature is None
        or not name
        or not signature.range_capable
        or not isinstance(over, dict)
        or not isinstance(over.get("intervals"), str)
        or not is_interval(over.get("step", "1d"))
        or step.get("collect", "concat") != "concat"
        or step.get("on_item_error", "fail") != "fail"
        or args.get("candidates")
        or signature.argument(EACH) is None
        or args.get(EACH, over.get("step", "1d")) != over.get("step", "1d")
    ):
        return None
    times = [taken for taken in signature.time_arguments() if args.get(taken) == name]
    others = {key: value for key, value in args.items() if key not in times}
    if len(times) != 1 or uses(others, signature.schema(), name):
        return None
    return {**args, times[0]: over["intervals"], EACH: over.get("step", "1d")}


def interval_microseconds(length: Any) -> int:
    """The length of the intervals of a map, a whole number of microseconds: ranges have no finer ends.

    Raises
    ------
    RequestError
    """
    count, rest = divmod(Duration(str(length)).nanoseconds, 1000)
    if rest:
        raise RequestError(
            f"intervals of {length} do not end on whole microseconds",
            advice="write a length such as '1ms' or '1us'",
        )
    return count


def is_interval(length: Any) -> bool:
    """Whether a range can be divided into intervals of a length."""
    try:
        interval_microseconds(length)
    except RequestError:
        return False
    return True


def distinct(items: Iterable[Any]) -> int:
    """How many different items a map has: one that stands twice is taken once."""
    return len({json.dumps(item, sort_keys=True) for item in items})


def step_count(step: Document, context: Context) -> int:
    """Count the steps that a step becomes in a run, from the items known before it; put no item in place."""
    each = step.get("for_each")
    items = known_items(each, context) if isinstance(each, dict) else None
    count = 1 if items is None else distinct(items)
    inner = (
        (step_count(part, context) for part in step["block"] if isinstance(part, dict))
        if is_block(step)
        else (1,)
    )
    return count * sum(inner)


def steps_of(step: Step, context: Context) -> int:
    """Count the steps that a step becomes in a run, from the items known before it; put no item in place."""
    items = None if step.for_each is None else items_of_map(step.for_each, context)
    count = 1 if items is None else distinct(items)
    return count * (sum(steps_of(inner, context) for inner in step.block) if step.block else 1)


def size_of(label: str, context: Context) -> int | None:
    """The number of components of a fetched table, where the catalogue tells; one for a component of it."""
    dataset_id, _, parameter = label.partition(".")
    dataset = context.catalogue.get(dataset_id)
    if dataset is None or not parameter:
        return None
    if parameter in dataset.parameters:
        return dataset.parameters[parameter]
    return 1 if parameter.rpartition(".")[0] in dataset.parameters else None


def is_glob(label: str) -> bool:
    """Whether a label stands for all that match it."""
    return "*" in label


def matching(label: str, known: Iterable[str]) -> list[str]:
    """The known labels that a label with ``*`` stands for, in their order.

    >>> matching("*.mag", ["AC_H2_MFI.mag", "AC_H2_MFI.BGSEc", "AC_H0_MFI.mag"])
    ['AC_H2_MFI.mag', 'AC_H0_MFI.mag']
    """
    pattern = re.sub(r"([\[?])", r"[\1]", label)
    return [match for match in known if fnmatchcase(match, pattern)]


def overlap(one: str, other: str) -> bool:
    """Whether some label may match two labels with ``*``: what stands before and behind their ``*`` agrees.

    >>> overlap("B_*", "B_2024"), overlap("*.x", "A.*"), overlap("X*", "B_*")
    (True, True, False)
    """
    if not is_glob(other):
        return bool(matching(one, [other]))
    if not is_glob(one):
        return bool(matching(other, [one]))
    starts = [label.partition("*")[0] for label in (one, other)]
    ends = [label.rpartition("*")[2] for label in (one, other)]
    return (starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])) and (
        ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    )


def as_glob(label: str, names: Iterable[str]) -> str:
    """The label that stands for all items of maps: each variable becomes a ``*``.

    >>> as_glob("spec_$DAY", ["$DAY"])
    'spec_*'
    """
    wanted = set(names)
    return TOKEN.sub(lambda found: "*" if found[0] in wanted else found[0], label)


def without_globs(args: Mapping[str, Any], signature: Signature, known: Iterable[str]) -> Document:
    """Arguments in which each label with ``*`` in a list became the known labels that it stands for, each once."""
    labels = list(dict.fromkeys(known))
    found = dict(args)
    for table in signature.tables:
        for dotted in (table.argument, *table.also) if table.many else ():
            found = _written_out(found, dotted.split("."), labels)
    return found


def _written_out(value: Any, path: list[str], known: list[str]) -> Any:
    if path:
        if not isinstance(value, dict) or path[0] not in value:
            return value
        inner = _written_out(value[path[0]], path[1:], known)
        return value if inner is value[path[0]] else {**value, path[0]: inner}
    if not isinstance(value, list):
        return value
    if any(isinstance(row, list) for row in value):
        rows = [_written_out(item, [], known) for item in value]
        return value if all(row is other for row, other in zip(rows, value, strict=True)) else rows
    if not any(isinstance(item, str) and is_glob(item) and matching(item, known) for item in value):
        return value
    listed: list[Any] = []
    for item in value:
        meant = matching(item, known) if isinstance(item, str) and is_glob(item) else []
        listed += [label for label in meant or [item] if label not in listed]
    return listed
