"""Rename the keys of steps and variables to the keys of the template format.

HN102 (edit safe)  synonym of a key renamed; two values for the same key are an error
    Authors and models use different words for the same key.
    before  "goal": "fetch B", "relevant_tools": ["fetch_data"]
    after   "intent": "fetch B", "tool_name": "fetch_data"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from helio.pipelines.dialect.renaming import Renaming
from helio.pipelines.dialect.synonyms import (
    LOOP_KEYS,
    STEP_KEYS,
    VARIABLE_KEYS,
    by_word,
    fold,
    folded,
    is_null,
    key_spellings,
    misspelt,
    spell_tool,
    tool_spellings,
    truth_of,
)
from helio.pipelines.dialect.written import EditedObject, object_of, text_of, variables_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import NOT_MEANING, Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.schema import STEP, VARIABLE
from helio.pipelines.template.variables import Path, is_text
from helio.steps.signature import Signature

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
SHORTEST = 5
"""Minimum length of a key that helio corrects if it is misspelt: shorter words are too similar to each other."""
ABOUT = frozenset({"intent", "description", *NOT_MEANING})
"""Keys that hold descriptions and change no result."""
RETRY_SECONDS = folded("retry_delay_seconds retry_delay_s retry_delay_sec")
Kinds = Mapping[str, tuple[type, ...]]
NOTHING = type(None)
STEP_KINDS: Kinds = {
    "step_id": (int, float, str, NOTHING),
    "intent": (str,),
    "tool_args": (dict, str, NOTHING),
    "with": (dict, str, NOTHING),
    "produces": (list, str, NOTHING),
    "pin": (list, str, NOTHING),
    "loop_over": (list, str, NOTHING),
    "use": (str, NOTHING),
    "critical": (bool, int, str),
    "retries": (int, float, str),
    "retry_delay": (str,),
}
"""Types that a value must have so that helio accepts a synonym as its key."""


def rename_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename keys of steps and variables that are synonyms or other spellings of known keys.

    Two keys with different values where one fits are an error: neither is chosen.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"phase": 1, "goal": "B", "relevant_tools": ["fetch_data"], "arguments": {}}]}
    >>> [edit] = rename_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> [(operation["path"], operation["value"]) for operation in edit.operations if operation["op"] == "add"]
    [('/steps/0/step_id', 1), ('/steps/0/intent', 'B'), ('/steps/0/tool_name', 'fetch_data'),
     ('/steps/0/tool_args', {})]
    """
    of_variable = spellings_of(VARIABLE_KEYS, VARIABLE["properties"])
    for name, facts in variables_of(plan).items():
        variable = KeyRenaming(("variables", name), facts)
        variable.rename(of_variable, VARIABLE["properties"])
        yield from (*variable.findings(), *variable.misspelt_keys(VARIABLE["properties"]))
    tools = tool_spellings(context.signatures)
    of_step, of_loop = spellings_of(STEP_KEYS, STEP["properties"]), spellings_of(LOOP_KEYS, LOOP_KEYS)
    of_call = cache(lambda tool: key_spellings(context.signatures[tool]))
    for step in written_steps(plan):
        renaming = StepRenaming(step.path, step.json, step.id)
        renaming.write_seconds()
        renaming.rename(of_step, STEP["properties"], STEP_KINDS)
        renaming.flatten_call(tools)
        renaming.gather_arguments(tools, of_call, context.signatures)
        renaming.say_optional()
        renaming.drop_kind()
        renaming.settle_use()
        yield from (*renaming.findings(), *renaming.misspelt_keys(STEP["properties"], STEP_KINDS))
        loop = KeyRenaming((*step.path, "for_each"), object_of(renaming.now.get("for_each")), step.id)
        loop.rename(of_loop, LOOP_KEYS)
        yield from (*loop.findings(), *loop.misspelt_keys(LOOP_KEYS))


def spellings_of(words: Mapping[str, str], known: Iterable[str]) -> Mapping[str, str]:
    """Map each spelling of a key to the key; `words` has the synonyms of each key, separated by blanks."""
    return by_word(words, words) | {fold(key): key for key in known if not key.startswith("$")}


class KeyRenaming(Renaming):
    """Renaming of the keys of a step or a variable to the keys of the template format."""

    code = "HN102"
    members = "keys"

    def __init__(self, path: Path, before: Document, step_id: StepId | None = None) -> None:
        super().__init__(path, before, step_id)

    def rename(
        self, spellings: Mapping[str, str], known: Collection[str], kinds: Kinds | None = None
    ) -> None:
        """Rename each key that is a synonym of a known key.

        Parameters
        ----------
        spellings : mapping
            The key for each spelling, as `spellings_of` returns it.
        known : collection of str
            The keys that the object may have.
        kinds : mapping, optional
            Which types a value may have, for keys where not all do.
        """
        for key, value in list(self.now.items()):
            target = key if key in known else spellings.get(fold(key))
            if (
                target is not None
                and target in known
                and (key == target or accepts(target, value, kinds or {}))
            ):
                self.rename_to(key, target, value)

    def misspelt_keys(self, known: Collection[str], kinds: Kinds | None = None) -> Iterator[Edit]:
        """Yield an edit for each misspelt key, if the correct key has no value yet.

        It is lossy unless the key is for people alone: a template that ran without it is not run with another meaning.
        """
        missing = [key for key in known if key not in self.now and len(key) >= SHORTEST]
        for key, value in self.now.items():
            target = None if key in known else misspelt(key, known)
            if target not in missing or target is None or not accepts(target, value, kinds or {}):
                continue
            missing.remove(target)
            edited = EditedObject(self.path, self.now)
            edited.put(target, edited.take(key))
            message, operations = f"'{key}' read as '{target}'", edited.new_operations()
            warning = f"'{key}' is not a known key; did you mean '{target}'?"
            yield Edit(
                "HN504",
                message,
                operations,
                self.step_id,
                kind="safe" if target in ABOUT else "lossy",
                warning=warning,
                path=self.at(key),
            )

    def rename_to(self, key: str, target: str, value: Any) -> None:
        """Move a value to its correct key; do nothing if the value is under this key already."""
        if key != target:
            self.move(key, target, value)


class StepRenaming(KeyRenaming):
    """Renaming of a step's keys to the keys of the template format."""

    def rename_to(self, key: str, target: str, value: Any) -> None:
        """Move a value to its correct key; turn a list into a loop, and a call into a tool and its arguments."""
        if target == "for_each" and isinstance(value, list):
            self.move(key, "loop_over", value)
        elif target == "tool_name" and (key != target or isinstance(value, (list, dict))):
            self.name_tool(key, value)
        else:
            super().rename_to(key, target, value)

    def name_tool(self, key: str, value: Any) -> None:
        """Set the tool's name from a text, a list of one text, or an object with name and arguments."""
        if isinstance(value, list):
            names = [name for name in value if not is_null(name)]
            if any(name != names[0] for name in names):
                shown = ", ".join(str(name)[:40] for name in names)
                message = f"the step names {len(names)} tools ({shown}), but a step uses only one"
                self.errors.append(self.refusal(key, message, "write one step for each tool"))
                return
            value = names[0] if names else None
        call = object_of(value)
        if isinstance(call.get("name"), str) and "tool_args" not in self.now:
            words = [word for word in ("arguments", "args", "parameters", "input") if word in call]
            self.put("tool_args", call[words[0]] if words else {})
            value = call["name"]
        if isinstance(value, str) or is_null(value):
            self.move(key, "tool_name", value)

    def flatten_call(self, tools: Mapping[str, str]) -> None:
        """Read ``{"name": …, "arguments": …}`` as a tool call, if a tool has this name or if there are arguments."""
        name = self.now.get("name")
        if not isinstance(name, str) or self.now.keys() & {"tool_name", "use", "block"}:
            return
        if spell_tool(name, tools) or "tool_args" in self.now:
            self.move("name", "tool_name", name)

    def gather_arguments(
        self,
        tools: Mapping[str, str],
        spellings_of_call: Callable[[str], Mapping[str, str]],
        signatures: Mapping[str, Signature],
    ) -> None:
        """Move arguments that a step has beside its tool name into ``tool_args``."""
        tool = spell_tool(text_of(self.now.get("tool_name")), tools)
        tool_args = self.now.get("tool_args", {})
        if tool is None or not isinstance(tool_args, dict):
            return
        spellings = spellings_of_call(tool)
        schemas = {argument.name: argument.schema for argument in signatures[tool].arguments}
        alone = "tool_args" not in self.now
        beside = [
            key
            for key in self.now
            # words beside an object of arguments are about the step
            if key not in STEP["properties"]
            and fold(key) in spellings
            and (alone or not is_text(schemas[spellings[fold(key)]]))
        ]
        args = {key: self.now[key] for key in beside if key not in tool_args}
        for key in beside:
            if key in args or tool_args[key] == self.now[key]:
                self.take(key)
                continue
            message = f"'{key}' has one value in tool_args and another outside it"
            advice = (f"remove one of the two '{key}'",)
            self.errors.append(
                Diagnostic("HN502", message, "error", self.step_id, tool, self.at(key), advice)
            )
        if args:
            self.put("tool_args", {**tool_args, **args})
        if beside:
            self.renamed.append(f"{', '.join(beside)} → tool_args")

    def write_seconds(self) -> None:
        """Write ``retry_delay_seconds: 30``, as for Prefect, as ``retry_delay: "30s"``."""
        for key, value in list(self.now.items()):
            if fold(key) in RETRY_SECONDS and isinstance(value, (int, float)) and not isinstance(value, bool):
                self.move(key, "retry_delay", f"{value:g}s")

    def say_optional(self) -> None:
        """Write ``optional: true`` as ``critical: false``."""
        optional = self.now.get("optional")
        value = optional if isinstance(optional, bool) else truth_of(text_of(optional))
        if value is not None and "critical" not in self.now:
            self.take("optional")
            self.put("critical", not value)
            self.renamed.append("optional → not critical")

    def drop_kind(self) -> None:
        """Leave out ``type: loop`` beside the items of a loop, which say the same."""
        if fold(text_of(self.now.get("type"))) == "loop" and self.now.keys() & {"loop_over", "for_each"}:
            self.take("type")
            self.renamed.append("type: loop → the loop over its items")

    def settle_use(self) -> None:
        """Rename the key for arguments: ``with`` for a call of a pipeline, ``tool_args`` for a tool."""
        calls, uses = (not is_null(self.now.get(key)) for key in ("tool_name", "use"))
        if calls == uses:
            return
        key, target = ("tool_args", "with") if uses else ("with", "tool_args")
        if key in self.now and target not in self.now:
            self.move(key, target, self.now[key])


def accepts(target: str, value: Any, kinds: Kinds) -> bool:
    """Return whether helio accepts a synonym as the key of a value with this type."""
    if target in kinds and not isinstance(value, kinds[target]):
        return False
    if target == "step_id" and isinstance(value, str):
        return is_null(value) or ID.fullmatch(value.strip()) is not None
    return target != "step_id" or not isinstance(value, bool)
