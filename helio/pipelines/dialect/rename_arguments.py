"""Rename the arguments of steps to the names in the signatures of the tools.

HN501 (edit safe)  argument synonym renamed
    Only the name changes, to the tool's own name; the value stays.
    before  "dataset": "AC_H2_MFI"
    after   "dataset_id": "AC_H2_MFI"

HN502 (error)  an argument and its synonym have different values
    helio cannot know which value the author means.
    before  "dataset_id": "AC_H2_MFI", "dataset": "AC_H0_MFI"
    after   refused
    to do   Keep the one that you mean, under the argument's own name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.dialect.renaming import Renaming
from helio.pipelines.dialect.spell_times import joined, read_otherwise
from helio.pipelines.dialect.synonyms import (
    ARGUMENTS,
    TOOL_ARGS,
    argument_spellings,
    by_word,
    fold,
    folded,
    is_null,
    range_members,
)
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.written import WrittenStep, object_of, text_of, written_steps
from helio.pipelines.template.context import Context, Dataset, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, added, removed, replaced
from helio.steps.signature import Signature
from helio.time_range import canonical

SEVERAL = re.compile(r"\s*[^\s,()\[\]{}]+(?:\s*,\s*[^\s,()\[\]{}]+)+\s*")
"""Pattern of several names, separated by commas."""


def rename_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename each argument whose name is a synonym of a tool's argument; refuse two synonyms if their values differ.

    A start and a stop become one time range, which includes the whole day of an ``end_date`` without a time of day.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset": "AC_H2_MFI", "start": "2024-01-01", "end": "2024-01-08"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> for edit in rename_arguments(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN501 arguments renamed: dataset → dataset_id
    HN701 start and end combined as time_range 2024-01-01 to 2024-01-08
    """
    words: dict[str, Mapping[str, str]] = {}
    for step in written_steps(plan):
        signature = step.signature(context)
        if signature is None:
            continue
        if signature.name not in words:
            words[signature.name] = argument_spellings(signature)
        yield from _rename_in_candidates(step, signature)
        renaming = ArgumentRenaming(step, signature)
        several = isinstance(step.args.get("parameter_id"), list) or "," in str(step.args.get("parameter_id"))
        if renaming.known.issuperset(step.args) and not several:
            continue
        renaming.unwrap()
        renaming.rename(words[signature.name])
        renaming.list_parameters(context.catalogue)
        renaming.put_into_spec()
        renaming.take_out_of_spec()
        yield from renaming.findings()
        yield from renaming.join_range()


def disagreeing(args: Document, signature: Signature) -> set[str]:
    """Return the synonyms that `rename_arguments` did not rename, because two of them have different values."""
    words = argument_spellings(signature)
    unknown = {key: value for key, value in args.items() if signature.argument(key) is None}
    left = {key for key, value in unknown.items() if fold(key) in words and not is_null(value)}
    range_of = range_members(unknown) if signature.time_arguments() else None
    if range_of and not any(is_null(text_of(args[key])) for key in range_of):
        left.update(range_of)
    return left


def _rename_in_candidates(step: WrittenStep, signature: Signature) -> Iterator[Edit]:
    """Rename the keys of candidates; leave two keys with different values, which a later check refuses as unknown."""
    argument, written = signature.argument("candidates"), step.args.get("candidates")
    listed = unpack(written, list) or written
    if argument is None or not isinstance(listed, list):
        return
    options = argument.schema.get("items", {}).get("anyOf", ())
    known = sorted({name for option in options for name in option.get("properties", {})})
    words = by_word(known, ARGUMENTS)
    candidates: list[Any] = []
    renamed: list[str] = []
    for item in listed:
        candidate = dict(item) if isinstance(item, dict) else item
        for key in sorted(object_of(item).keys() - known):
            target = words.get(fold(key))
            if target is not None and candidate.get(target, item[key]) == item[key]:
                candidate[target] = candidate.pop(key)
                renamed.append(f"{key} → {target}")
        candidates.append(candidate)
    if renamed:
        message = f"keys of candidates renamed: {', '.join(dict.fromkeys(renamed))}"
        at = step.at("tool_args", "candidates")
        yield step.edit("HN501", message, replaced(at, written, candidates), at)


class ArgumentRenaming(Renaming):
    """Renaming of one step's arguments to the names in the signature of its tool."""

    code = "HN501"
    members = "arguments"

    def __init__(self, step: WrittenStep, signature: Signature) -> None:
        super().__init__((*step.path, "tool_args"), step.args, step.id)
        self.step = step
        self.signature = signature
        self.known = {argument.name for argument in signature.arguments}

    @property
    def unknown(self) -> list[str]:
        """The names of the step's arguments that the tool does not have."""
        return [key for key in self.now if key not in self.known]

    @property
    def range_of(self) -> tuple[str, str] | None:
        """The two unknown arguments that are the start and the stop of one time range, or None."""
        return range_members(self.unknown) if self.signature.time_arguments() else None

    def unwrap(self) -> None:
        """Move arguments out of an object inside the arguments, as in ``"tool_args": {"arguments": {…}}``."""
        for key in [key for key in self.unknown if fold(key) in _WRAPPERS]:
            inner = object_of(unpack(self.now[key], dict) or self.now[key])
            if not inner or inner.keys() & self.now.keys():
                continue
            self.take(key)
            for name, value in inner.items():
                self.put(name, value)
            self.renamed.append(f"{key} → {', '.join(inner)}")

    def rename(self, words: Mapping[str, str]) -> None:
        """Rename each argument whose name is a synonym of an argument of the tool."""
        range_of = self.range_of or ()
        for key in self.unknown:
            target = None if key in range_of or is_null(self.now[key]) else self.meant_by(key, words)
            if target is not None:
                self.move(key, target, self.now[key])

    def meant_by(self, key: str, words: Mapping[str, str]) -> str | None:
        """Return the tool's argument that a synonym means; if there are two, return the one without a value."""
        plain = fold(key)
        spelled = words.get(plain)
        if spelled is not None and fold(spelled) == plain:
            return spelled
        meant = [name for name in ARGUMENTS if name in self.known and plain in folded(ARGUMENTS[name])]
        free = [name for name in meant if is_null(self.now.get(name))]
        target = free[0] if len(free) == 1 else spelled
        if target in _NAMES and self.known >= _NAMES:
            value = self.now[key]
            if isinstance(value, list):
                return "parameters" if len(value) != 1 else target
            return "parameter_id" if isinstance(value, str) and "," not in value else target
        return target

    def list_parameters(self, catalogue: Mapping[str, Dataset]) -> None:
        """Write several names under ``parameter_id`` as the list ``parameters``."""
        value = self.now.get("parameter_id")
        if "parameters" not in self.known:
            return
        if isinstance(value, str) and SEVERAL.fullmatch(value):
            dataset = catalogue.get(str(self.now.get("dataset_id")))
            if dataset is None or value not in dataset.parameters:
                value = [name.strip() for name in value.split(",")]
                self.put("parameter_id", value)
        if isinstance(value, list) and len(value) > 1:
            self.move("parameter_id", "parameters", value)

    def agree(self, present: Any, value: Any) -> bool:
        """Return whether two values of an argument are equal; a list of one item is equal to this item."""
        return bool(present == value) or [present] == value or present == [value]

    def conflict(self, key: str, target: str) -> Diagnostic:
        """Return an error for two arguments with one meaning and different values; each fix keeps one of the values."""
        value, present = self.now[key], self.now[target]
        without = removed(self.at(key), value)
        instead = (*without, *replaced(self.at(target), present, value))
        return self.step.error(
            "HN502",
            f"'{key}' means '{target}', but they have different values: {_shown(value)} and {_shown(present)}",
            self.at(key),
            (f"remove '{key}', or move its value to '{target}'",),
            (target, key),
            (Fix(f"keep {_shown(present)}", without), Fix(f"take {_shown(value)}", instead)),
        )

    def put_into_spec(self) -> None:
        """Move arguments of the step that are keys of the figure into the argument ``spec``."""
        spec, inside = self.signature.argument("spec"), self.now.get("spec", {})
        if spec is None or not isinstance(inside, dict):
            return
        properties = spec.schema.get("properties", {})
        keys = [
            key
            for key in self.unknown
            if key in properties and (key not in inside or inside[key] == self.now[key])
        ]
        if keys:
            moved = {key: self.take(key) for key in keys}
            self.put("spec", {**inside, **moved})
            self.renamed.append(f"{', '.join(keys)} → spec")

    def take_out_of_spec(self) -> None:
        """Move keys of a figure out of ``spec`` if they are arguments of the tool."""
        inside = self.now.get("spec")
        if "spec" in self.known or self.signature.gives != "figure" or not isinstance(inside, dict):
            return
        if any(key in self.now or key not in self.known for key in inside):
            return
        self.take("spec")
        for key, value in inside.items():
            self.put(key, value)
        self.renamed.append(f"spec → {', '.join(inside)}")

    def join_range(self) -> Iterator[Finding]:
        """Combine the arguments for a start and a stop into one time range."""
        if self.range_of is None:
            return
        first, second = self.range_of
        start, stop = text_of(self.now[first]), text_of(self.now[second])
        if is_null(start) or is_null(stop):
            return
        times = self.signature.time_arguments()
        target = "time_range" if "time_range" in times else times[0]
        phrase, half_open = joined(start, stop, second), joined(start, stop, "")
        warning = read_otherwise(phrase, half_open, f"{first} '{start}' with {second} '{stop}'")
        spelt = phrase
        with suppress(TimeRangeError):  # spell_times reports its errors
            spelt = canonical(phrase)
        present = self.now.get(target)
        at = self.at(target)
        operations = (*removed(self.at(first), start), *removed(self.at(second), stop))
        if target not in self.now:
            operations += added(at, spelt)
        elif is_null(present):
            operations += replaced(at, present, spelt)
        elif not _is_range(present, spelt):
            yield self.step.error(
                "HN502",
                f"'{first}' and '{second}' mean {spelt}, but '{target}' is {_shown(present)}",
                self.at(first),
                (f"remove '{first}' and '{second}', or remove '{target}'",),
                (target, first, second),
            )
            return
        message = f"{first} and {second} combined as {target} {spelt}"
        if phrase != half_open:
            message += f", which includes the whole day of {second}"
        yield self.step.edit("HN705" if warning else "HN701", message, operations, at, warning)


_WRAPPERS = folded(f"{TOOL_ARGS} tool_args")
_NAMES = {"parameter_id", "parameters"}


def _is_range(value: Any, spelt: str) -> bool:
    """Return whether a value is the same time range as a text in the standard spelling."""
    try:
        return isinstance(value, str) and canonical(value) == spelt
    except TimeRangeError:
        return False


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
