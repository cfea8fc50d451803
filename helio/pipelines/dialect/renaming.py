"""An object whose keys get the names that the format, or a tool, has for them."""

from __future__ import annotations

from typing import Any

from helio.pipelines.dialect.synonyms import is_null
from helio.pipelines.dialect.written import EditedObject
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.variables import Path


class Renaming(EditedObject):
    """An object on its way to the right keys, with what has been renamed and what disagrees."""

    code: str
    """The code of the edit that renames."""
    members: str
    """What the members are called in its message."""

    def __init__(self, path: Path, before: Document, step_id: StepId | None) -> None:
        super().__init__(path, before)
        self.step_id = step_id
        self.renamed: list[str] = []
        self.errors: list[Diagnostic] = []

    def move(self, key: str, target: str, value: Any) -> None:
        """Give a member another key and value; refuse a value that differs from the one under that key."""
        there = self.now.get(target)
        if key == target:
            self.put(key, value)
        elif not (is_null(value) or is_null(there) or self.agree(there, value)):
            self.errors.append(self.conflict(key, target))
            return
        else:
            self.take(key)
            if target not in self.now or (is_null(there) and not is_null(value)):
                self.put(target, value)
        self.renamed.append(f"{key} → {target}")

    def agree(self, there: Any, value: Any) -> bool:
        """Return whether two values of one key say the same."""
        return bool(there == value)

    def conflict(self, key: str, target: str) -> Diagnostic:
        """Refuse two keys that mean the same and have different values."""
        message = f"'{key}' and '{target}' mean the same and differ"
        return self.refusal(key, message, f"leave out '{key}', or '{target}'", target, key)

    def refusal(self, key: str, message: str, advice: str, *candidates: str) -> Diagnostic:
        """Return an error about a member."""
        return Diagnostic(
            self.code,
            message,
            step_id=self.step_id,
            path=self.at(key),
            advice=(advice,),
            candidates=candidates,
        )

    def findings(self) -> list[Edit | Diagnostic]:
        """Return the errors, and one edit that renames all the others."""
        if not self.operations:
            return [*self.errors]
        message = f"{self.members} renamed: {', '.join(self.renamed)}"
        edit = Edit(self.code, message, tuple(self.operations), self.step_id, path=self.at())
        return [*self.errors, edit]
