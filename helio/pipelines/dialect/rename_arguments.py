"""Arguments of tools under their own names.

HN501 (edit safe)  argument synonym renamed
    The value stays; only its name is the tool's own.
    before  "dataset": "AC_H2_MFI"
    after   "dataset_id": "AC_H2_MFI"

HN502 (error)  a synonym and the argument itself disagree
    No pass can know which one the author means.
    before  "dataset_id": "AC_H2_MFI", "dataset": "AC_H0_MFI"
    after   refused
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.dialect.spell_times import joined, read_otherwise
from helio.pipelines.dialect.synonyms import (
    ARGUMENTS,
    RANGE_PAIRS,
    TOOL_ARGS,
    argument_spellings,
    fold,
    folded,
    is_null,
)
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.walk import each_step, id_of, name_of
from helio.pipelines.template.context import Context, Dataset, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.variables import Path
from helio.steps.signature import Signature
from helio.time_range import canonical

SEVERAL = re.compile(r"\s*[^\s,()\[\]{}]+(?:\s*,\s*[^\s,()\[\]{}]+)+\s*")
"""Names between commas, none of which holds one itself."""


def rename_arguments(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename arguments that are another word for one of the tool's; refuse two that disagree.

    A start and a stop become the one time range that they are. An ``end_date`` without a clock is included whole.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset": "AC_H2_MFI", "start": "2024-01-01", "end": "2024-01-08"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> for edit in rename_arguments(plan, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message)
    HN501 arguments renamed: dataset → dataset_id
    HN701 start and end are the time_range 2024-01-01 to 2024-01-08
    """
    words: dict[str, Mapping[str, str]] = {}
    for path, step in each_step(plan):
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is None or not isinstance(args, dict):
            continue
        if signature.name not in words:
            words[signature.name] = argument_spellings(signature)
        known = {argument.name for argument in signature.arguments}
        yield from _in_candidates((*path, "tool_args", "candidates"), args, signature, id_of(step))
        several = isinstance(args.get("parameter_id"), list) or "," in str(args.get("parameter_id", ""))
        if known.issuperset(args) and not several:
            continue
        renaming = _Renaming((*path, "tool_args"), args, signature, known, id_of(step))
        renaming.unwrap()
        renaming.rename(words[signature.name], context.catalogue)
        renaming.move_into_spec()
        yield from renaming.findings()
        yield from renaming.join_ranges()


def disagreeing(args: Document, signature: Signature) -> set[str]:
    """The other words for arguments that `rename_arguments` left, since their values disagree."""
    words = argument_spellings(signature)
    known = {argument.name for argument in signature.arguments}
    left = {key for key in args if key not in known and fold(key) in words and not is_null(args[key])}
    for pair in _pairs(args, signature, known):
        if all(isinstance(args[key], str) and not is_null(args[key]) for key in pair):
            left.update(pair)
    return left


def _pairs(args: Document, signature: Signature, known: set[str]) -> list[tuple[str, str]]:
    """The arguments, unknown to the tool, that are start and stop of one range."""
    if not signature.time_arguments():
        return []
    keys = {fold(key): key for key in args if key not in known}
    return [
        (keys[fold(first)], keys[fold(second)])
        for first, second in RANGE_PAIRS
        if fold(first) in keys and fold(second) in keys
    ][:1]


def _in_candidates(
    home: Path, args: Document, signature: Signature, step_id: StepId | None
) -> Iterator[Edit]:
    """Members of candidates under their own names; two that disagree are left, and refused as unknown."""
    argument, written = signature.argument("candidates"), args.get("candidates")
    listed = unpack(written, list) or written
    if argument is None or not isinstance(listed, list):
        return
    options = argument.schema.get("items", {}).get("anyOf", ())
    known = {name for option in options for name in option.get("properties", {})}
    words = folded({name: ARGUMENTS.get(name, ()) for name in sorted(known)})
    candidates: list[Any] = []
    renamed: list[str] = []
    for item in listed:
        candidate = dict(item) if isinstance(item, dict) else item
        for key in sorted(set(candidate) - known) if isinstance(candidate, dict) else ():
            target = words.get(fold(key))
            if target is not None and candidate.get(target, item[key]) == item[key]:
                candidate[target] = candidate.pop(key)
                renamed.append(f"{key} → {target}")
        candidates.append(candidate)
    if renamed:
        message = f"members of candidates renamed: {', '.join(dict.fromkeys(renamed))}"
        at = pointer(*home)
        yield Edit("HN501", message, replaced(at, written, candidates), step_id, path=at)


class _Renaming:
    """One step's arguments on their way to the right names."""

    def __init__(
        self, path: Path, args: Document, signature: Signature, known: set[str], step_id: StepId | None
    ) -> None:
        self.path, self.signature, self.known, self.step_id = path, signature, known, step_id
        self.args = dict(args)
        self.operations: list[Operation] = []
        self.renamed: list[str] = []
        self.errors: list[Diagnostic] = []

    def findings(self) -> Iterator[Finding]:
        yield from self.errors
        if self.operations:
            message = f"arguments renamed: {', '.join(self.renamed)}"
            yield Edit("HN501", message, tuple(self.operations), self.step_id, path=pointer(*self.path))

    def unwrap(self) -> None:
        """Arguments inside an object of their own, as ``"tool_args": {"arguments": {…}}`` has them."""
        for key in [arg for arg in self.args if arg not in self.known and fold(arg) in _WRAPPERS]:
            inner = unpack(self.args[key], dict) or self.args[key]
            if not isinstance(inner, dict) or not inner or any(part in self.args for part in inner):
                continue
            self.operations += removed(pointer(*self.path, key), self.args.pop(key))
            for name, value in inner.items():
                self.operations += added(pointer(*self.path, name), value)
            self.args |= inner
            self.renamed.append(f"{key} → {', '.join(inner)}")

    def rename(self, words: Mapping[str, str], catalogue: Mapping[str, Dataset]) -> None:
        """What is another word for one argument goes to its place."""
        pairs = {key for pair in _pairs(self.args, self.signature, self.known) for key in pair}
        for key in list(self.args):
            if key in self.known or key in pairs:
                continue
            target = self._target(key, words)
            if target is not None and not is_null(self.args[key]):
                self._move(key, target)
        value = self.args.get("parameter_id")
        dataset = catalogue.get(str(self.args.get("dataset_id")))
        single = dataset is not None and value in dataset.parameters if isinstance(value, str) else False
        if isinstance(value, str) and SEVERAL.fullmatch(value) and "parameters" in self.known and not single:
            names = [name.strip() for name in value.split(",")]
            self.operations += replaced(pointer(*self.path, "parameter_id"), value, names)
            self.args["parameter_id"] = value = names
        if isinstance(value, list) and len(value) > 1 and "parameters" in self.known:
            self._move("parameter_id", "parameters")

    def _target(self, key: str, words: Mapping[str, str]) -> str | None:
        """The argument that a key is another word for; of two, the one that still has no value."""
        plain = fold(key)
        spelled = words.get(plain)
        if spelled is not None and fold(spelled) == plain:
            return spelled
        meant = [name for name in ARGUMENTS if name in self.known and plain in _FOLDED[name]]
        free = [name for name in meant if is_null(self.args.get(name))]
        target = free[0] if len(free) == 1 else spelled
        value = self.args[key]
        if target in ("parameter_id", "parameters") and {"parameter_id", "parameters"} <= self.known:
            target = "parameters" if isinstance(value, list) and len(value) != 1 else target
            if target == "parameters" and isinstance(value, str) and "," not in value:
                target = "parameter_id"
        return target

    def _move(self, key: str, target: str) -> None:
        value, at = self.args[key], pointer(*self.path, key)
        there = self.args.get(target)
        if target in self.args and not is_null(there):
            if not _same(there, value):
                self._refuse(key, target)
                return
            self.operations += removed(at, self.args.pop(key))
        elif target in self.args:
            self.operations += removed(at, self.args.pop(key))
            self.operations += replaced(pointer(*self.path, target), there, value)
        else:
            self.operations += (*removed(at, self.args.pop(key)), *added(pointer(*self.path, target), value))
        self.args.setdefault(target, value)
        if is_null(there):
            self.args[target] = value
        self.renamed.append(f"{key} → {target}")

    def _refuse(self, key: str, target: str) -> None:
        shown, there = _shown(self.args[key]), _shown(self.args[target])
        at = pointer(*self.path, key)
        self.errors.append(
            Diagnostic(
                "HN502",
                f"'{key}' says {shown} and '{target}', which means the same, says {there}",
                step_id=self.step_id,
                tool_name=self.signature.name,
                path=at,
                advice=(f"leave out '{key}', or put its value in '{target}'",),
                candidates=(target, key),
                fixes=(
                    Fix(f"keep {there}", removed(at, self.args[key])),
                    Fix(
                        f"take {shown}",
                        (
                            *removed(at, self.args[key]),
                            *replaced(pointer(*self.path, target), self.args[target], self.args[key]),
                        ),
                    ),
                ),
            )
        )

    def move_into_spec(self) -> None:
        """Keys of a figure written beside its ``spec``, or in a ``spec`` that this spelling of the tool has not."""
        spec = self.signature.argument("spec")
        inside = self.args.get("spec", {})
        if spec is not None and isinstance(inside, dict):
            keys = [
                key for key in self.args if key not in self.known and key in spec.schema.get("properties", {})
            ]
            keys = [key for key in keys if key not in inside or inside[key] == self.args[key]]
            if not keys:
                return
            moved = {key: self.args[key] for key in keys}
            for key in keys:
                self.operations += removed(pointer(*self.path, key), self.args.pop(key))
            new = {**inside, **moved}
            at = pointer(*self.path, "spec")
            self.operations += replaced(at, inside, new) if "spec" in self.args else added(at, new)
            self.args["spec"] = new
            self.renamed.append(f"{', '.join(keys)} → spec")
        elif spec is None and self.signature.gives == "figure" and isinstance(self.args.get("spec"), dict):
            if any(key in self.args or key not in self.known for key in inside):
                return
            self.operations += removed(pointer(*self.path, "spec"), self.args.pop("spec"))
            for key, value in inside.items():
                self.operations += added(pointer(*self.path, key), value)
                self.args[key] = value
            self.renamed.append(f"spec → {', '.join(inside)}")

    def join_ranges(self) -> Iterator[Finding]:
        """A start and a stop as one range."""
        for first, second in _pairs(self.args, self.signature, self.known):
            target = next(
                (argument for argument in self.signature.time_arguments() if argument == "time_range"),
                self.signature.time_arguments()[0],
            )
            start, stop = self.args[first], self.args[second]
            if not isinstance(start, str) or not isinstance(stop, str) or is_null(start) or is_null(stop):
                return
            phrase = joined(start, stop, second)
            written = f"{first} '{start}' with {second} '{stop}'"
            warning = read_otherwise(phrase, joined(start, stop, ""), written)
            spelt = phrase
            with suppress(TimeRangeError):  # spell_times says what is wrong with it, where it belongs
                spelt = canonical(phrase)
            there = self.args.get(target)
            operations = (
                *removed(pointer(*self.path, first), start),
                *removed(pointer(*self.path, second), stop),
            )
            at = pointer(*self.path, target)
            if target in self.args and not is_null(there):
                if not _same_range(there, spelt):
                    yield Diagnostic(
                        "HN502",
                        f"'{first}' and '{second}' say {spelt}, and '{target}' says {_shown(there)}",
                        step_id=self.step_id,
                        tool_name=self.signature.name,
                        path=pointer(*self.path, first),
                        advice=(f"leave out '{first}' and '{second}', or '{target}'",),
                        candidates=(target, first, second),
                    )
                    return
            elif target in self.args:
                operations += replaced(at, there, spelt)
            else:
                operations += added(at, spelt)
            message = f"{first} and {second} are the {target} {spelt}"
            if phrase != joined(start, stop, ""):
                message += f": {second} is included whole"
            code = "HN705" if warning else "HN701"
            yield Edit(code, message, operations, self.step_id, warning=warning, path=at)


_WRAPPERS = frozenset(map(fold, (*TOOL_ARGS, "tool_args")))
_FOLDED = {name: frozenset(map(fold, words)) for name, words in ARGUMENTS.items()}


def _same(there: Any, value: Any) -> bool:
    """Whether two values of one argument are one, a list of one and the one alike."""
    return bool(there == value) or [there] == value or there == [value]


def _same_range(there: Any, spelt: str) -> bool:
    if not isinstance(there, str):
        return False
    try:
        return canonical(there) == spelt
    except TimeRangeError:
        return False


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
