"""Variables written as ``$NAME``, whatever way an author marks them.

HN601 (edit safe)  spelling of a variable
    Every template language has its own brackets.
    before  "time_range": "{{TIME_RANGE}}"
    after   "time_range": "$TIME_RANGE"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from helio.pipelines.dialect.walk import each_step, id_of, loop_variable, name_of, variables_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, replaced
from helio.pipelines.template.variables import TOKEN, Path, inner_schema, strings
from helio.steps.signature import Schema

BUILT_IN = "$TIME_RANGE"
MARKED = re.compile(
    r"\$?\{\{\s*\$?([A-Za-z_]\w*)\s*\}\}|\$([A-Za-z_]\w*)\$(?!\w)|\$\{\s*([A-Za-z_]\w*)\s*\}|\$\(\s*([A-Za-z_]\w*)\s*\)"
    r"|\{\s*\$?([A-Za-z_]\w*)\s*\}|%([A-Za-z_]\w*)%|<\s*\$?([A-Za-z_]\w*)\s*>|\$([A-Za-z_]\w*)",
    re.ASCII,
)
"""``{{X}}``, ``${{X}}``, ``$X$``, ``${X}``, ``$(X)``, ``{X}``, ``%X%``, ``<X>`` and ``$x``."""
BARE: Mapping[str, frozenset[str]] = {
    "time-range": frozenset({"time_range", "interval"}),
    "duration": frozenset({"duration"}),
    "dataset_id": frozenset({"dataset"}),
    "parameter_id": frozenset({"parameter"}),
    "number": frozenset({"number", "integer"}),
    "integer": frozenset({"integer"}),
    "boolean": frozenset({"boolean"}),
}
"""Slots of a type in which a bare name means the variable of that type, by format, argument or type."""


def spell_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Write a variable as ``$NAME`` where a declared one, or ``$TIME_RANGE``, is meant; never in words or code.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "{{ dataset }}", "parameter_id": "{B}", "time_range": "TIME_RANGE"}
    >>> plan = {"variables": {"$DATASET": {"type": "dataset"}},
    ...         "steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]}
    >>> [edit] = spell_variables(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> [operation["value"] for operation in edit.operations[1::2]]
    ['$DATASET', '$TIME_RANGE']
    """
    declared = variables_of(plan)
    types = {name: str(facts.get("type")) for name, facts in declared.items()}
    for name, facts in declared.items():
        of = facts.get("of")
        if isinstance(of, str):
            yield from _edit(
                [(("variables", name, "of"), of, _bare(of, types) or _respelt(of, types)[0])], None
            )
    schemas: dict[str, Schema] = {}
    loops: dict[Path, str] = {}
    for path, step in each_step(plan):
        found: list[tuple[Path, str, str]] = []
        loop = step.get("for_each")
        item = loop_variable(step)
        if isinstance(loop, dict) and item:
            dressed = re.fullmatch(r"\{\{\s*(\w+)\s*\}\}|\$?\{(\w+)\}|(\w+)", item, re.ASCII)
            named = next((group for group in dressed.groups() if group), "") if dressed else ""
            if named and TOKEN.fullmatch(f"${named}"):
                found.append(((*path, "for_each", "as"), item, f"${named}"))
                item = f"${named}"
        loops[path] = item
        known = {**types, **dict.fromkeys(_items_of(path, loops), "item")}
        over = loop.get("over") if isinstance(loop, dict) else None
        if isinstance(over, dict) and isinstance(over.get("intervals"), str):
            old = over["intervals"]
            new = _bare(old, types) or _respelt(old, types)[0]
            found.append(((*path, "for_each", "over", "intervals"), old, new))
        signature = context.signatures.get(name_of(step))
        places: list[tuple[str, Schema]] = [("with", {})]
        if signature is not None:
            places.append(("tool_args", schemas.setdefault(signature.name, signature.schema())))
        for key, schema in places:
            if not isinstance(step.get(key), dict):
                continue
            for inside, text in strings(step[key], schema):
                at: Path = (*path, key, *inside)
                if "$" not in text and text.isalnum() and key == "with":
                    continue
                bare = _bare_in_slot(text, inside, schema, known) if key == "tool_args" else None
                braces = _slot(schema, inside).get("format") == "file-name"
                new, joined = (bare, "") if bare else _respelt(text, known, braces=braces)
                new = new.strip() if TOKEN.fullmatch(new.strip()) else new
                if joined:
                    yield _swallowed(at, text, joined, id_of(step), name_of(step))
                else:
                    found.append((at, text, new))
        yield from _edit(found, id_of(step))


def _edit(found: list[tuple[Path, str, str]], step_id: StepId | None) -> Iterator[Edit]:
    changed = [(path, old, new) for path, old, new in found if old != new]
    operations: list[Operation] = []
    for path, old, new in changed:
        operations += replaced(pointer(*path), old, new)
    if operations:
        message = ", ".join(f"'{old[:40]}' is {new[:60]}" for _, old, new in changed)
        yield Edit("HN601", message, tuple(operations), step_id, path=pointer(*changed[0][0]))


def _items_of(path: Path, loops: Mapping[Path, str]) -> list[str]:
    """The loop variables in whose reach a step stands."""
    found = [loops.get(path[:length], "") for length in range(2, len(path) + 1, 2)]
    return [name for name in found if name]


def _meant(name: str, known: Mapping[str, Any]) -> str | None:
    """The variable that a name means: itself, or the one that differs from it in case only."""
    token = f"${name}"
    if token in known:
        return token
    same = [known_name for known_name in {*known, BUILT_IN} if known_name.casefold() == token.casefold()]
    return same[0] if len(same) == 1 else None


def _respelt(text: str, known: Mapping[str, Any], *, braces: bool = False) -> tuple[str, str]:
    """The text with its variables in their one spelling; and one that what follows it would swallow.

    In the name of a file a variable stands in braces, which end its name.
    """
    if not any(mark in text for mark in "${%<"):
        return text, ""
    parts: list[str] = []
    end = 0
    for match in MARKED.finditer(text):
        meant = _meant(next(group for group in match.groups() if group), known)
        if meant is None or match[0] == meant:
            continue
        following = text[match.end() : match.end() + 1]
        if not braces and re.match(r"[A-Za-z0-9_]", following):
            return text, match[0]
        parts += [text[end : match.start()], f"{{{meant[1:]}}}" if braces else meant]
        end = match.end()
    return "".join([*parts, text[end:]]), ""


def _bare(text: str, types: Mapping[str, str]) -> str | None:
    """The time range that a name without any mark means."""
    meant = _meant(text.strip(), types)
    fits = meant is not None and types.get(meant, "time_range") == "time_range"
    return meant if fits else None


def _bare_in_slot(text: str, place: Path, schema: Schema, known: Mapping[str, str]) -> str | None:
    """The variable that a name without any mark means in a slot of its type."""
    plain = text.strip()
    if not plain.isascii() or not re.fullmatch(r"[A-Za-z_]\w*", plain):
        return None
    slot = _slot(schema, place)
    kinds: set[str] = set()
    for option in (slot, *slot.get("anyOf", ())):
        kinds |= BARE.get(str(option.get("format")), frozenset()) | BARE.get(
            str(option.get("type")), frozenset()
        )
    kinds |= BARE.get(str(place[-1]), frozenset())
    exact = slot.get("format") == "time-range"  # nothing else that may stand there reads like a name
    meant = _meant(plain, known) if exact else f"${plain}"
    return meant if meant and known.get(meant, "time_range" if exact else "") in kinds else None


def _slot(schema: Schema, place: Path) -> Schema:
    for part in place:
        schema = inner_schema(schema, part)
    return schema


def _swallowed(path: Path, text: str, marked: str, step_id: StepId | None, tool: str) -> Diagnostic:
    name = "$" + "".join(re.findall(r"\w", marked))
    rest = text[text.index(marked) + len(marked) :]
    return Diagnostic(
        "HN602",
        f"'{marked}' in '{text[:60]}' cannot be written as {name}: what follows would belong to its name",
        step_id=step_id,
        tool_name=tool,
        path=pointer(*path),
        advice=(f"a sign that is no part of a name after it: '{name}.{rest.lstrip('_')[:30]}'",),
        candidates=(name,),
    )
