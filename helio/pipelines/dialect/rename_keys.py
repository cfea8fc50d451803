"""Keys of steps and variables under their own names, the planner's dialect among them.

HN102 (edit safe)  key synonym or planner dialect renamed; two entries where one fits is an error
    Planners call the same things by other names.
    before  "goal": "fetch B", "relevant_tools": ["fetch_data"]
    after   "intent": "fetch B", "tool_name": "fetch_data"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from helio.pipelines.dialect.synonyms import (
    FALSE,
    LOOP_KEYS,
    STEP_KEYS,
    TRUE,
    VARIABLE_KEYS,
    argument_spellings,
    fold,
    folded,
    is_null,
    spell_tool,
    tool_spellings,
)
from helio.pipelines.dialect.walk import each_step, id_of, variables_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.schema import STEP, VARIABLE
from helio.pipelines.template.variables import Path, is_text
from helio.steps.signature import Signature

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")


def rename_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename keys that are another word, or another spelling, for one of the format.

    Two keys with different values where one fits are an error: neither is chosen.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"phase": 1, "goal": "B", "relevant_tools": ["fetch_data"], "arguments": {}}]}
    >>> [edit] = rename_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> [(operation["path"], operation["value"]) for operation in edit.operations if operation["op"] == "add"]
    [('/steps/0/step_id', 1), ('/steps/0/intent', 'B'), ('/steps/0/tool_name', 'fetch_data'),
     ('/steps/0/tool_args', {})]
    """
    place: Path
    for name, facts in variables_of(plan).items():
        place = ("variables", name)
        yield from Renaming(place, facts, folded(VARIABLE_KEYS), VARIABLE["properties"], {}).findings()
    step_words, loop_words = folded(STEP_KEYS), folded(LOOP_KEYS)
    tools = tool_spellings(context.signatures)
    for path, step in each_step(plan):
        renaming = Renaming(path, step, step_words, STEP["properties"], _IN_STEP, id_of(step))
        renaming.flatten_call(tools)
        renaming.gather_arguments(tools, context.signatures)
        renaming.say_optional()
        yield from renaming.findings()
        loop = renaming.owner.get("for_each")
        if isinstance(loop, dict):
            place = (*path, "for_each")
            yield from Renaming(place, loop, loop_words, LOOP_KEYS, {}, id_of(step)).findings()


class Renaming:
    """One object on its way to the right keys."""

    def __init__(
        self,
        path: Path,
        owner: Document,
        words: Mapping[str, str],
        known: Mapping[str, Any],
        accepts: Mapping[str, Callable[[Any], bool]],
        step_id: StepId | None = None,
    ) -> None:
        self.path = path
        self.owner = dict(owner)
        self.step_id = step_id
        self.operations: list[Operation] = []
        self.renamed: list[str] = []
        self.errors: list[Diagnostic] = []
        spelled = {fold(key): key for key in known if key.isalpha() or "_" in key}
        for key in list(owner):
            if key in known:
                if key == "tool_name" and isinstance(owner[key], (list, dict)):
                    self._one_tool(key)
                elif key == "for_each" and isinstance(owner[key], list):
                    self.move(key, "loop_over", owner[key])
                continue
            target = spelled.get(fold(key)) or words.get(fold(key))
            if target == "for_each" and isinstance(owner[key], list):
                target = "loop_over"
            if target is None or target not in known:
                continue
            if target == "tool_name":
                self._one_tool(key)
            elif accepts.get(target, _anything)(owner[key]):
                self.move(key, target, owner[key])

    def findings(self) -> Iterator[Finding]:
        self._settle_use()
        yield from self.errors
        if self.operations:
            at = pointer(*self.path)
            message = f"keys renamed: {', '.join(self.renamed)}"
            yield Edit("HN102", message, tuple(self.operations), self.step_id, path=at)

    def move(self, key: str, target: str, value: Any) -> None:
        """Put the value of a key in the place of another one, unless something else is there."""
        at = pointer(*self.path, key)
        if target in self.owner and target != key:
            there = self.owner[target]
            if not is_null(value) and not is_null(there) and there != value:
                self.errors.append(
                    Diagnostic(
                        "HN102",
                        f"'{key}' and '{target}' mean the same and differ",
                        step_id=self.step_id,
                        path=at,
                        advice=(f"leave out '{key}', or '{target}'",),
                        candidates=(target, key),
                    )
                )
                return
            self.operations += removed(at, self.owner.pop(key))
            if is_null(there) and not is_null(value):
                self.operations += replaced(pointer(*self.path, target), there, value)
                self.owner[target] = value
        elif target == key:
            self.operations += replaced(at, self.owner[key], value)
            self.owner[key] = value
        else:
            self.operations += (*removed(at, self.owner.pop(key)), *added(pointer(*self.path, target), value))
            self.owner[target] = value
        self.renamed.append(f"{key} → {target}")

    def _one_tool(self, key: str) -> None:
        """A tool in a list of one, or as an object of name and arguments."""
        value = self.owner[key]
        if isinstance(value, list):
            names = [name for name in value if not is_null(name)]
            if len(names) > 1 and any(name != names[0] for name in names):
                shown = ", ".join(str(name)[:40] for name in names)
                self.errors.append(
                    Diagnostic(
                        "HN102",
                        f"{len(names)} tools ({shown}) where one step uses one",
                        step_id=self.step_id,
                        path=pointer(*self.path, key),
                        advice=("a step for each tool",),
                    )
                )
                return
            value = names[0] if names else None
        if isinstance(value, dict) and isinstance(value.get("name"), str) and "tool_args" not in self.owner:
            args: Any = next(
                (value[word] for word in ("arguments", "args", "parameters", "input") if word in value), {}
            )
            value = value["name"]
            self.operations += added(pointer(*self.path, "tool_args"), args)
            self.owner["tool_args"] = args
        if isinstance(value, str) or is_null(value):
            self.move(key, "tool_name", value)

    def flatten_call(self, tools: Mapping[str, str]) -> None:
        """A call as ``{"name": …, "arguments": …}``: the name is the tool's when it is one, or has arguments."""
        name = self.owner.get("name")
        if not isinstance(name, str) or any(key in self.owner for key in ("tool_name", "use", "block")):
            return
        if spell_tool(name, tools) or "tool_args" in self.owner:
            self.move("name", "tool_name", name)

    def gather_arguments(self, tools: Mapping[str, str], signatures: Mapping[str, Signature]) -> None:
        """Arguments written beside the tool's name instead of under ``tool_args``, or beside those that are there."""
        name = self.owner.get("tool_name")
        tool = spell_tool(name, tools) if isinstance(name, str) else None
        there = self.owner.get("tool_args", {})
        if tool is None or not isinstance(there, dict):
            return
        spellings = argument_spellings(signatures[tool])
        schemas = {argument.name: argument.schema for argument in signatures[tool].arguments}
        alone = "tool_args" not in self.owner
        beside = [
            key
            for key in self.owner
            # words beside an object of arguments are about the step
            if key not in STEP["properties"]
            and fold(key) in spellings
            and (alone or not is_text(schemas[spellings[fold(key)]]))
        ]
        args = {key: self.owner[key] for key in beside if key not in there}
        for key in beside:
            if key not in args and there[key] != self.owner[key]:
                message = f"'{key}' stands beside tool_args and in it, and the values differ"
                advice = (f"leave out one '{key}'",)
                at = pointer(*self.path, key)
                self.errors.append(Diagnostic("HN502", message, "error", self.step_id, tool, at, advice))
                continue
            self.operations += removed(pointer(*self.path, key), self.owner.pop(key))
        if args:
            at = pointer(*self.path, "tool_args")
            gathered = {**there, **args}
            self.operations += added(at, gathered) if alone else replaced(at, there, gathered)
            self.owner["tool_args"] = gathered
        if beside:
            self.renamed.append(f"{', '.join(beside)} → tool_args")

    def say_optional(self) -> None:
        """``optional: true`` is ``critical: false``."""
        value = _truth(self.owner.get("optional"))
        if value is not None and "critical" not in self.owner:
            self.operations += removed(pointer(*self.path, "optional"), self.owner.pop("optional"))
            self.operations += added(pointer(*self.path, "critical"), not value)
            self.owner["critical"] = not value
            self.renamed.append("optional → not critical")

    def _settle_use(self) -> None:
        """The arguments of a pipeline are ``with``, those of a tool ``tool_args``."""
        owner = self.owner
        calls, uses = (not is_null(owner.get(key)) for key in ("tool_name", "use"))
        if uses and not calls and "tool_args" in owner and "with" not in owner:
            self.move("tool_args", "with", owner["tool_args"])
        if calls and not uses and "with" in owner and "tool_args" not in owner:
            self.move("with", "tool_args", owner["with"])


def _anything(value: Any) -> bool:
    return True


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    text = value.strip().casefold() if isinstance(value, str) else ""
    return True if text in TRUE else False if text in FALSE else None


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return ID.fullmatch(value.strip()) is not None or is_null(value)
    return (isinstance(value, (int, float)) and not isinstance(value, bool)) or value is None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, (dict, str)) or value is None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, str)) or value is None


_IN_STEP: Mapping[str, Callable[[Any], bool]] = {
    "step_id": _is_id,
    "intent": _is_text,
    "tool_args": _is_object,
    "with": _is_object,
    "produces": _is_list,
    "pin": _is_list,
    "loop_over": _is_list,
    "use": lambda value: isinstance(value, str) or value is None,
    "critical": lambda value: isinstance(value, (bool, int, str)),
}
"""Which values another word for a key may have; with others, it is no other word."""
