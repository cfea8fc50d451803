"""Items of ``for_each`` steps, and labels with ``*``, which match many labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from helio.errors import RequestError
from helio.pipelines.template.context import Context
from helio.pipelines.template.document import Document
from helio.pipelines.template.template import ForEach, Step
from helio.pipelines.template.variables import TOKEN, substitute, tokens
from helio.steps.signature import Signature
from helio.time_range import Duration

EACH = "each_interval"
"""Name of a tool's argument: if it is set, a call for a long time range refuses each interval without data."""


def uses(value: Any, schema: Mapping[str, Any], name: str) -> bool:
    """Return whether a value uses a variable; descriptions and code do not count."""
    return any(name == used for _, used in tokens(value, dict(schema)))


def items_of_map(loop: ForEach, context: Context) -> Sequence[Any] | None:
    """Return the items of a ``for_each`` that are known before a run; return None if they are not known."""
    if loop.items is not None or not loop.parameters_of:
        return loop.items
    dataset = context.catalogue.get(loop.parameters_of)
    return None if dataset is None else list(dataset.parameters)


def item_name(item: Any) -> str:
    """Write an item in the form that labels and ids contain.

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
    """Replace a variable by an item: by its value if the text is only the variable, otherwise by the item's name."""
    return substitute(value, dict(schema), _Item({name: item}))


def loop_with_item(loop: ForEach, name: str, item: Any) -> ForEach:
    """Replace the variable of an outer ``for_each`` by an item, inside an inner ``for_each``."""
    over = with_item(loop.to_json()["over"], {}, name, item)
    if loop.items is None:
        over = {key: text for key, text in over.items() if isinstance(text, str)}  # an item may be a number
    return ForEach.from_json({"as": loop.name, "over": over})


class _Item(dict[str, Any]):
    """Values of variables that replace a variable inside a longer text by the name of the item."""

    def get(self, key: str, default: Any = None) -> Any:
        return item_name(self[key]) if key in self else default


def unwrapped(step: Step, signatures: Mapping[str, Signature]) -> Document | None:
    """Return the arguments of one call that can replace a ``for_each`` over intervals; return None if no call can.

    The tool gives the same records for a range as for its parts, only its range is the item, and the parts are put
    together again. An interval without data still fails: the call has to find some in each. Candidates are chosen
    interval by interval, so a fetch with candidates stays a map.
    """
    signature, loop, args = signatures.get(step.tool_name), step.for_each, step.tool_args
    if signature is None or loop is None or not loop.intervals:
        return None
    length = loop.step or "1d"
    if (
        not signature.range_capable
        or not is_interval(length)
        or step.collect not in ("", "concat")
        or step.on_item_error not in ("", "fail")
        or args.get("candidates")
        or signature.argument(EACH) is None
        or args.get(EACH, length) != length
    ):
        return None
    times = [taken for taken in signature.time_arguments() if args.get(taken) == loop.name]
    others = {key: value for key, value in args.items() if key not in times}
    if len(times) != 1 or uses(others, signature.schema(), loop.name):
        return None
    return {**args, times[0]: loop.intervals, EACH: length}


def interval_microseconds(length: Any) -> int:
    """Return the length of the intervals of a ``for_each`` in microseconds, the resolution of time ranges.

    Raises
    ------
    RequestError
    """
    count, rest = divmod(Duration(str(length)).nanoseconds, 1000)
    if rest:
        raise RequestError(
            f"the interval length {length} is not a whole number of microseconds",
            advice="write a length such as '1ms' or '1us'",
        )
    return count


def is_interval(length: Any) -> bool:
    """Return whether helio can divide a time range into intervals of this length."""
    try:
        interval_microseconds(length)
    except RequestError:
        return False
    return True


def distinct(items: Iterable[Any]) -> int:
    """Count the different items of a ``for_each``; repeated items count once."""
    return len({json.dumps(item, sort_keys=True) for item in items})


def steps_of(step: Step, context: Context) -> int:
    """Count the steps that one step becomes in a run, from the items that are known before the run."""
    items = None if step.for_each is None else items_of_map(step.for_each, context)
    count = 1 if items is None else distinct(items)
    return count * (sum(steps_of(inner, context) for inner in step.block) if step.block else 1)


def size_of(label: str, context: Context) -> int | None:
    """Return the number of components of a label's table according to the catalogue; return None if it is unknown."""
    dataset_id, _, parameter = label.partition(".")
    dataset = context.catalogue.get(dataset_id)
    if dataset is None or not parameter:
        return None
    if parameter in dataset.parameters:
        return dataset.parameters[parameter]
    return 1 if parameter.rpartition(".")[0] in dataset.parameters else None


def is_glob(label: str) -> bool:
    """Return whether a label contains ``*``, so that it matches many labels."""
    return "*" in label


def matching(label: str, known: Iterable[str]) -> list[str]:
    """Return those known labels that match a label with ``*``, in the order of the known labels.

    >>> matching("*.mag", ["AC_H2_MFI.mag", "AC_H2_MFI.BGSEc", "AC_H0_MFI.mag"])
    ['AC_H2_MFI.mag', 'AC_H0_MFI.mag']
    """
    pattern = re.sub(r"([\[?])", r"[\1]", label)
    return [match for match in known if fnmatchcase(match, pattern)]


def overlap(first: str, other: str) -> bool:
    """Return whether two labels with ``*`` can match the same label, because their beginnings and ends agree.

    >>> overlap("B_*", "B_2024"), overlap("*.x", "A.*"), overlap("X*", "B_*")
    (True, True, False)
    """
    if not is_glob(other):
        return bool(matching(first, [other]))
    if not is_glob(first):
        return bool(matching(other, [first]))
    starts = [label.partition("*")[0] for label in (first, other)]
    ends = [label.rpartition("*")[2] for label in (first, other)]
    return (starts[0].startswith(starts[1]) or starts[1].startswith(starts[0])) and (
        ends[0].endswith(ends[1]) or ends[1].endswith(ends[0])
    )


def as_glob(label: str, names: Iterable[str]) -> str:
    """Replace each variable in a label by ``*``, so that it matches the labels of all items.

    >>> as_glob("spec_$DAY", ["$DAY"])
    'spec_*'
    """
    variables = set(names)
    return TOKEN.sub(lambda found: "*" if found[0] in variables else found[0], label)


def without_globs(args: Mapping[str, Any], signature: Signature, known: Iterable[str]) -> Document:
    """Replace each label with ``*`` in the lists of a step's arguments by the known labels that match."""
    labels = list(dict.fromkeys(known))
    found = dict(args)
    for table in signature.tables:
        for dotted in (table.argument, *table.also) if table.many else ():
            found = _written_out(found, dotted.split("."), labels)
    return found


def _written_out(value: Any, path: list[str], known: list[str]) -> Any:
    if path:
        if isinstance(value, list):
            items = [_written_out(item, path, known) for item in value]
            return value if all(item is other for item, other in zip(items, value, strict=True)) else items
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
