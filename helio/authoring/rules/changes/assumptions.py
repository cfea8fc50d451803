"""Set the values that computations assume, by the names and symbols of the field: ``T_e = 1e5 K``, ``4 % alphas``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from helio.authoring.rules.changes.atoms import Number
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.computation_changes import set_argument
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.harmless import IN_CHANGES
from helio.knowledge.constants import BOLTZMANN, ELEMENTARY_CHARGE
from helio.knowledge.phrases import any_phrase
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import canonical_unit
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.template.document import Document
from helio.steps.signature import signatures

_BESIDE = IN_CHANGES.union(VOCABULARY["words beside values"]["assumed"])
"""Words that may stand beside the name and the value."""
_NONE = re.compile(r"\b(?:no|without|neglect\w*|ignor\w*|zero)\b", re.IGNORECASE)
_OLD_VALUE = re.compile(r",?\s*\b(?:instead\s+of|rather\s+than|not)\b.*$", re.IGNORECASE)
_MEASURED = {"electron_temperature": "electrons_label"}
"""Arguments with measured values, which a step takes instead of an assumed value."""


@dataclass(frozen=True)
class _Assumed:
    """An assumed value: the argument, its unit, and the steps of a pipeline that take it."""

    argument: str
    unit: str
    value: float
    steps: tuple[Document, ...]


class Assumptions:
    """The assumed values that clauses set in a pipeline.

    Parameters
    ----------
    editor : FigureEditor
    """

    def __init__(self, editor: FigureEditor) -> None:
        self._editor = editor

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule for clauses that name an argument of a step of the pipeline and its value."""
        parts = "what tool verb noun rel number unit"
        return (Rule("what|tool|verb:remove", parts, self._set, self._fits, "number"),)

    def _fits(self, clause: Clause) -> bool:
        return self._meant(clause) is not None

    def _set(self, editor: FigureEditor, clause: Clause) -> None:
        assumed = self._meant(clause)
        if assumed is None:
            return
        for step in assumed.steps:
            value = assumed.value
            set_argument(editor, step, assumed.argument, int(value) if value.is_integer() else value)
        names = ", ".join(str(step["step_id"]) for step in assumed.steps)
        editor.notes.append(f"{assumed.argument} is {assumed.value:g} in {names}")

    def _meant(self, clause: Clause) -> _Assumed | None:
        text = _OLD_VALUE.sub("", clause.text)
        for argument, facts in VOCABULARY["assumed values"].items():
            named = re.compile(rf"(?<![\w|-])(?:{any_phrase(facts['phrases'])})(?![\w|-])", re.IGNORECASE)
            if not named.search(text):
                continue
            steps = self._steps(argument)
            value = _value(clause, text, facts["unit"])
            known = " ".join(
                f"{step['step_id']} {step['tool_name']} {step.get('intent', '')}" for step in steps
            )
            if steps and value is not None and not _left(clause, named.sub(" ", text)) - _words(known):
                if value == 0 and _NONE.search(text) and self._draws(named):
                    return None  # the line is meant, not the assumption
                return _Assumed(argument, facts["unit"], value, steps)
        return None

    def _draws(self, named: re.Pattern[str]) -> bool:
        """Return whether the figure draws something with this name."""
        lines = self._editor.lines
        return any(named.search(lines.own_words(line)) for line in self._editor.drawn)

    def _steps(self, argument: str) -> tuple[Document, ...]:
        """Return the steps that have the argument; otherwise those that can take it and have no measured value."""
        able = []
        for step in self._editor.after["steps"]:
            signature = signatures().get(str(step.get("tool_name")))
            args = step.get("tool_args") or {}
            takes = signature is not None and signature.argument(argument) is not None
            if takes and not args.get(_MEASURED.get(argument, "")):
                able.append(step)
        return tuple(step for step in able if argument in step["tool_args"]) or tuple(able)


def _value(clause: Clause, text: str, unit: str) -> float | None:
    """Return the value that a clause gives, in the unit of the argument."""
    numbers = [atom for atom in clause.of("number") if atom.start - clause.start < len(text)]
    if not numbers:
        return 0.0 if unit == "1" and _NONE.search(text) else None
    if len(numbers) != 1:
        return None
    number: Number = numbers[0].value
    given = number.unit or ("%" if re.search(r"\bper\s?cent\b", text) else "")
    if unit == "1":
        value = number.value / 100 if given == "%" else number.value
        return value if given in ("", "%") and 0 <= value < 1 else None
    if not given:
        return number.value
    own = canonical_unit(given)
    if comparable(own, unit):
        return float(f"{number.value * conversion_factor(own, unit):.12g}")
    if unit == "K" and comparable(own, "eV"):  # E = kT
        energy = number.value * conversion_factor(own, "eV") * ELEMENTARY_CHARGE
        return float(f"{energy / BOLTZMANN:.6g}")
    return None


def _left(clause: Clause, text: str) -> set[str]:
    """Return the words of a clause beside the name and the value that have another meaning."""
    for atom in clause.of("number"):
        text = text.replace(atom.text, " ", 1)
    return _words(text) - _BESIDE


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_][\w'-]*", text.casefold().replace("_", " ")))
