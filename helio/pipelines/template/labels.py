"""Find the labels that a step produces, and those that it reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from helio.errors import closest
from helio.pipelines.template.variables import Path
from helio.steps.signature import Signature


def produced_labels(signature: Signature, args: Mapping[str, Any]) -> list[str]:
    """Return the labels of a step's results.

    A fetch gives ``DATASET.PARAMETER`` for each parameter, or its ``output_label``; a computation gives its
    ``output_label``; figures and exports give none.
    """
    if signature.gives == "table":
        label = args.get("output_label")
        return [label] if isinstance(label, str) and label else []
    if signature.gives != "tables":
        return []
    names = args.get("parameters") or args.get("parameter_id")
    names = names if isinstance(names, list) else [names]
    if args.get("output_label") and len(names) == 1:
        names, dataset = [args["output_label"]], ""
    else:
        dataset = f"{args['dataset_id']}." if isinstance(args.get("dataset_id"), str) else ""
        names = names if dataset else []
    return [f"{dataset}{name}" for name in names if isinstance(name, str) and name]


def read_labels(signature: Signature, args: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Return every label that a step reads, with its path in the arguments."""
    for table in signature.tables:
        for dotted in (table.argument, *table.also):
            for path, value in values_at(args, dotted):
                yield from labels_at(path, value)


def owner(label: str, produced: Iterable[str]) -> str | None:
    """Return the produced label that `label` means: `label` itself, or the table in ``TABLE.component``."""
    known = produced if isinstance(produced, (set, frozenset, dict)) else set(produced)
    candidate = label
    while candidate:
        if candidate in known:
            return candidate
        candidate = candidate.rpartition(".")[0]
    return None


def close_labels(label: str, known: Iterable[str]) -> tuple[str, ...]:
    """Find the labels most similar to a misspelt label, best first; skip those with another component or number.

    >>> close_labels("AC_H2_MFI.BGSE", ["AC_H2_MFI.BGSEc"])
    ('AC_H2_MFI.BGSEc',)
    >>> close_labels("field.Bx", ["field.Bz"]), close_labels("flux_9", ["flux_10"])
    ((), ())
    """
    return closest(label, [other for other in known if not _differ_in_component(label, other)])


def _differ_in_component(label: str, other: str) -> bool:
    """Return whether two labels differ only in the letter of a component or in a number."""
    parts, others = (re.findall(r"\d+|.", name.casefold()) for name in (label, other))
    differing = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
    return (
        len(parts) == len(others)
        and len(differing) == 1
        and all(part.isdecimal() or part in "xyzrtn" for part in differing[0])
    )


def split_labels(text: str, known: Iterable[str]) -> list[str]:
    """Split a text at commas into labels; look for the longest known label first, as a label may contain a comma."""
    # Only a known label that holds a comma itself is not found by the commas alone.
    by_length = sorted({whole for whole in known if "," in whole}, key=lambda label: (-len(label), label))
    found: list[str] = []
    rest = text.strip().strip(",").strip()
    while rest:
        label = next(
            (
                whole
                for whole in by_length
                if rest.startswith(whole) and rest[len(whole) :].lstrip()[:1] in ("", ",")
            ),
            None,
        )
        if label is None:
            label = rest.partition(",")[0].strip()
            rest = rest.partition(",")[2]
        else:
            rest = rest[len(label) :].lstrip().removeprefix(",")
        if label:
            found.append(label)
        rest = rest.strip()
    return found


def values_at(args: Any, dotted: str) -> Iterator[tuple[Path, Any]]:
    """Yield the values at a path such as ``spec.xy.x`` with their full paths; a list on the way has many.

    >>> list(values_at({"spec": {"xy": [{"x": "n"}, {"x": "V"}]}}, "spec.xy.x"))
    [(('spec', 'xy', 0, 'x'), 'n'), (('spec', 'xy', 1, 'x'), 'V')]
    """
    yield from _values_at((), args, tuple(dotted.split(".")))


def _values_at(path: Path, value: Any, names: tuple[str, ...]) -> Iterator[tuple[Path, Any]]:
    if not names:
        yield path, value
    elif isinstance(value, dict) and names[0] in value:
        yield from _values_at((*path, names[0]), value[names[0]], names[1:])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _values_at((*path, index), item, names)


def labels_at(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    """Yield every label in a value, also in its lists, with its path; the path begins with `path`."""
    if isinstance(value, str):
        if (path[-1:], value) != (("color_by",), "time"):  # colours by time need no table
            yield path, value
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from labels_at((*path, index), inner)
