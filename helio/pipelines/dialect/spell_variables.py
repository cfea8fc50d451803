"""Write every use of a variable as ``$NAME``, for example ``$X`` for ``{{X}}``.

HN601 (edit safe)  variable written as $NAME
    Other template languages mark variables in other ways.
    before  "time_range": "{{TIME_RANGE}}"
    after   "time_range": "$TIME_RANGE"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from helio.pipelines.dialect.synonyms import fold, folded
from helio.pipelines.dialect.written import (
    Replacement,
    WrittenStep,
    object_of,
    replacements,
    text_of,
    variables_of,
    written_steps,
)
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.variables import TOKEN, Path, inner_schema, strings
from helio.steps.signature import Schema

BUILT_IN = "$TIME_RANGE"
ITEM = "$ITEM"
LOOP_ITEM = folded("item loop_item current_item")
"""Names that people and language models use for the item of a ``loop_over``."""
MARKED = re.compile(
    r"\$?\{\{\s*\$?([A-Za-z_]\w*)\s*\}\}|\$([A-Za-z_]\w*)\$(?!\w)|\$\{\s*([A-Za-z_]\w*)\s*\}|\$\(\s*([A-Za-z_]\w*)\s*\)"
    r"|\{\s*\$?([A-Za-z_]\w*)\s*\}|%([A-Za-z_]\w*)%|<\s*\$?([A-Za-z_]\w*)\s*>|\$([A-Za-z_]\w*)",
    re.ASCII,
)
"""Known spellings of variables: ``{{X}}``, ``${{X}}``, ``$X$``, ``${X}``, ``$(X)``, ``{X}``, ``%X%``, ``<X>``, ``$x``.
"""
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
BARE: Mapping[str, frozenset[str]] = {
    "time-range": frozenset({"time_range", "interval"}),
    "duration": frozenset({"duration"}),
    "interval-length": frozenset({"duration"}),
    "dataset_id": frozenset({"dataset"}),
    "parameter_id": frozenset({"parameter"}),
    "number": frozenset({"number", "integer"}),
    "integer": frozenset({"integer"}),
    "boolean": frozenset({"boolean"}),
}
"""Arguments in which a name without ``$`` means a variable of the argument's type, by format, name or type."""


def spell_variables(plan: Document, context: Context) -> Iterator[Finding]:
    """Write each use of a declared variable or of ``$TIME_RANGE`` as ``$NAME``; leave descriptions and code unchanged.

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
        of = text_of(facts.get("of"))
        yield from _edit(
            [Replacement(("variables", name, "of"), of, KnownVariables(types).range_in(of))], None
        )
    schemas: dict[str, Schema] = {}
    items: dict[Path, str] = {}
    for step in written_steps(plan):
        changes: list[Replacement] = []
        plain = bare_name(step.item)
        items[step.path] = f"${plain}" if plain else step.item
        changes.append(Replacement((*step.path, "for_each", "as"), step.item, items[step.path]))
        intervals = text_of(step.over.get("intervals"))
        at = (*step.path, "for_each", "over", "intervals")
        changes.append(Replacement(at, intervals, KnownVariables(types).range_in(intervals)))
        around = [items.get(step.path[:length]) for length in range(2, len(step.path) + 1, 2)]
        of_loop = ITEM not in declared and "loop_over" in step.json and "for_each" not in step.json
        around += [ITEM] if of_loop else []
        known = KnownVariables({**types, **{item: "item" for item in around if item}}, of_loop)
        findings = [*known.in_values(step, "with", {})]
        signature = step.signature(context)
        if signature is not None:
            schema = schemas.setdefault(signature.name, signature.schema())
            findings += known.in_values(step, "tool_args", schema)
        changes += [finding for finding in findings if isinstance(finding, Replacement)]
        yield from [finding for finding in findings if isinstance(finding, Diagnostic)]
        yield from _edit(changes, step.id)


def bare_name(text: str) -> str:
    """Return the name of a variable without marks such as ``$`` or braces; return an empty text if it is no variable.

    >>> bare_name("{{ DAY }}"), bare_name("DAY"), bare_name("each day")
    ('DAY', 'DAY', '')
    """
    match = MARKED.fullmatch(text.strip())
    plain = next(filter(None, match.groups())) if match else text.strip()
    return plain if NAME.fullmatch(plain) else ""


def _edit(changes: Iterable[Replacement], step_id: StepId | None) -> Iterator[Edit]:
    changed = [change for change in changes if change.old != change.new]
    if changed:
        message = ", ".join(f"'{old[:40]}' written as {new[:60]}" for _, old, new in changed)
        yield Edit("HN601", message, replacements(changed), step_id, path=pointer(*changed[0].path))


@dataclass(frozen=True)
class KnownVariables:
    """Variables that a text may name, with their types; the variable of a ``for_each`` has the type ``item``."""

    types: Mapping[str, str]
    of_loop: bool = False
    """Whether ``$ITEM`` is the item of a ``loop_over``; people and language models also write ``loop_item`` for it."""

    def in_values(self, step: WrittenStep, key: str, schema: Schema) -> Iterator[Replacement | Diagnostic]:
        """Yield the changes to a step's values, and an error for each variable that cannot be written as ``$NAME``."""
        for inside, text in strings(object_of(step.json.get(key)), schema):
            if key == "with" and "$" not in text and text.isalnum():
                continue
            slot = schema
            for part in inside:
                slot = inner_schema(slot, part)
            bare = self.in_slot(text, slot, str(inside[-1])) if key == "tool_args" else None
            braces = slot.get("format") == "file-name"
            new, swallowed = (bare, "") if bare else self.respelt(text, braces=braces)
            if swallowed:
                yield _swallowed(step, step.at(key, *inside), text, swallowed)
            else:
                new = new.strip() if TOKEN.fullmatch(new.strip()) else new
                yield Replacement((*step.path, key, *inside), text, new)

    def meant(self, name: str) -> str | None:
        """Return the variable with this name; upper and lower case may differ."""
        token = f"${name}"
        if token in self.types:
            return token
        if self.of_loop and fold(name) in LOOP_ITEM:
            return ITEM
        same = [known for known in {*self.types, BUILT_IN} if known.casefold() == token.casefold()]
        return same[0] if len(same) == 1 else None

    def range_in(self, text: str) -> str:
        """Return a time range in which every variable is written as ``$NAME``, also variables written without ``$``."""
        meant = self.meant(text.strip())
        if meant is not None and self.types.get(meant, "time_range") == "time_range":
            return meant
        return self.respelt(text)[0]

    def respelt(self, text: str, *, braces: bool = False) -> tuple[str, str]:
        """Return a text with variables as ``$NAME``, and the first variable that cannot be written in this way.

        In the name of a file a variable stands in braces, which end its name.
        """
        parts: list[str] = []
        end = 0
        for match in MARKED.finditer(text) if any(mark in text for mark in "${%<") else ():
            meant = self.meant(next(filter(None, match.groups())))
            if meant is None or match[0] == meant:
                continue
            if not braces and re.match(r"[A-Za-z0-9_]", text[match.end() :]):
                return text, match[0]
            parts += [text[end : match.start()], f"{{{meant[1:]}}}" if braces else meant]
            end = match.end()
        return "".join([*parts, text[end:]]), ""

    def in_slot(self, text: str, slot: Schema, argument: str) -> str | None:
        """Return the variable that a name without ``$`` means, or None if the variable's type does not fit."""
        plain = text.strip()
        if not NAME.fullmatch(plain):
            return None
        options = (slot, *slot.get("anyOf", ()))
        names = [argument, *(str(option.get(key)) for option in options for key in ("format", "type"))]
        types = frozenset().union(*(BARE.get(name, frozenset()) for name in names))
        exact = slot.get("format") == "time-range"  # nothing else that may stand there reads like a name
        meant = self.meant(plain) if exact else f"${plain}"
        return meant if meant and self.types.get(meant, "time_range" if exact else "") in types else None


def _swallowed(step: WrittenStep, at: str, text: str, marked: str) -> Diagnostic:
    name = "$" + "".join(re.findall(r"\w", marked))
    rest = text[text.index(marked) + len(marked) :]
    message = (
        f"'{marked}' in '{text[:60]}' cannot be written as {name}: the letters after it would join the name"
    )
    advice = f"put a dot or a space after the variable: '{name}.{rest.lstrip('_')[:30]}'"
    return step.error("HN602", message, at, (advice,), (name,))
