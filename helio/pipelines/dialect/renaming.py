"""Rename the keys of an object to known keys, and report keys whose values contradict each other."""

from __future__ import annotations

from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.written import EditedObject
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.variables import Path


class Renaming(EditedObject):
    """Renaming of an object's keys: collects the renamed keys, and errors for keys with different values."""

    code: str
    """Code of the edit that renames the keys, such as HN501."""
    members: str
    """Word for the renamed keys in messages, such as "arguments"."""

    def __init__(self, path: Path, before: Document, step_id: StepId | None) -> None:
        super().__init__(path, before)
        self.step_id = step_id
        self.renamed: list[str] = []
        self.errors: list[Diagnostic] = []

    def move(self, key: str, target: str, value: Any) -> None:
        """Move the value of a key to another key; report an error if that other key has a different value."""
        present = self.now.get(target)
        if key == target:
            self.put(key, value)
        elif not (is_null(value) or is_null(present) or self.agree(present, value)):
            self.errors.append(self.conflict(key, target))
            return
        else:
            self.take(key)
            if target not in self.now or (is_null(present) and not is_null(value)):
                self.put(target, value)
        self.renamed.append(f"{key} → {target}")

    def agree(self, present: Any, value: Any) -> bool:
        """Return whether two values of a key are equal."""
        return bool(present == value)

    def conflict(self, key: str, target: str) -> Diagnostic:
        """Return an error for two keys with the same meaning and different values."""
        message = f"'{key}' and '{target}' mean the same, but have different values"
        return self.refusal(key, message, f"remove '{key}' or '{target}'", target, key)

    def refusal(self, key: str, message: str, advice: str, *candidates: str) -> Diagnostic:
        """Make an error about a key."""
        return Diagnostic(
            self.code,
            message,
            step_id=self.step_id,
            path=self.at(key),
            advice=(advice,),
            candidates=candidates,
        )

    def findings(self) -> list[Edit | Diagnostic]:
        """Return the errors, and one edit with all renamings that caused no error."""
        if not self.operations:
            return [*self.errors]
        message = f"{self.members} renamed: {', '.join(self.renamed)}"
        edit = Edit(self.code, message, tuple(self.operations), self.step_id, path=self.at())
        return [*self.errors, edit]
