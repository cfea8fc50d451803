"""Diagnostics: each describes an error in a template, its place, and how to correct it, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from helio.counts import number_of
from helio.errors import RequestError, advice_line
from helio.notebook import box, table_of

Severity = Literal["error", "warning", "info"]
StepId = int | str


@dataclass(frozen=True, eq=False)
class Fix:
    """A suggested correction, as JSON Patch; helio applies a correction only if the user asks for it."""

    message: str
    operations: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Diagnostic:
    """An error, a warning or a note about a template.

    Parameters
    ----------
    code : str
        Stable: ``HR203``. A code never changes its meaning.
    path : str
        JSON Pointer into the document as it was authored.
    advice : tuple of str
        What to do, one suggestion each; never applied by itself.
    candidates : tuple
        What could have been meant, for programs.
    """

    code: str
    message: str
    severity: Severity = "error"
    step_id: StepId | None = None
    tool_name: str = ""
    path: str = ""
    advice: tuple[str, ...] = ()
    candidates: tuple[Any, ...] = ()
    fixes: tuple[Fix, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        where = f", step {self.step_id!r}" if self.step_id is not None else ""
        return f"<Diagnostic {self.code} {self.severity}{where}: {self.message[:120]}>"

    def __str__(self) -> str:
        where = f" step {self.step_id}" if self.step_id is not None else ""
        tool = f" ({self.tool_name})" if self.tool_name and self.step_id is not None else ""
        lines = [f"{self.severity}[{self.code}]{where}{tool}: {self.message}"]
        if self.path:
            lines.append(f"  --> {self.path}")
        lines += map(advice_line, self.advice)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json`` and for records."""
        return {
            "code": self.code,
            "severity": self.severity,
            "step_id": self.step_id,
            "path": self.path,
            "message": self.message,
            "advice": list(self.advice),
            "candidates": list(self.candidates),
            "fixes": [{"message": fix.message, "operations": list(fix.operations)} for fix in self.fixes],
        }


class Diagnostics(tuple[Diagnostic, ...]):
    """Diagnostics of a template, in a tuple that shows itself in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no diagnostics: the template is correct>"
        codes = [diagnostic.code for diagnostic in self[:10]]
        return f"<{self.counts()}: {', '.join(codes)}{' …' if len(self) > len(codes) else ''}>"

    def _repr_html_(self) -> str:
        return box(self.counts() or "no diagnostics: the template is correct", diagnostics_as_html(self))

    def counts(self) -> str:
        """Count errors, warnings and hints in words; return an empty text if there are none."""
        nouns = {"error": "error", "warning": "warning", "info": "hint"}
        severities = [diagnostic.severity for diagnostic in self]
        return ", ".join(
            number_of(severities.count(severity), noun)
            for severity, noun in nouns.items()
            if severity in severities
        )


def diagnostics_as_html(diagnostics: Iterable[Diagnostic]) -> str:
    """Return diagnostics as a table for a notebook: severity and code, place, message, advice."""
    return table_of(
        ["", "where", "what", "to do"],
        (
            (
                f"{diagnostic.severity} {diagnostic.code}",
                diagnostic.path if diagnostic.step_id is None else f"step {diagnostic.step_id}",
                diagnostic.message,
                "\n".join(diagnostic.advice),
            )
            for diagnostic in diagnostics
        ),
    )


class InvalidTemplate(RequestError):
    """Error for a template that cannot become a plan; it has all diagnostics of the template."""

    def __init__(self, diagnostics: Iterable[Diagnostic], *, place: str = "") -> None:
        self.diagnostics = tuple(diagnostics)
        errors = [finding for finding in self.diagnostics if finding.severity == "error"]
        super().__init__("\n".join(str(error) for error in errors), place=place)


def without_hints(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the errors and warnings among some diagnostics, without the hints."""
    return tuple(diagnostic for diagnostic in found if diagnostic.severity != "info")


def pointer(*parts: str | int) -> str:
    """Join the keys and indices of a path into a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
