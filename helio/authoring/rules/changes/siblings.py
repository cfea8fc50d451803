"""Fetch from a dataset whose id differs in one part: another telescope, operating mode, product or level."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.operations import Operation
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.harmless import BESIDE_PARTS
from helio.authoring.swapping import refetched, replaced_args
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import SOURCES
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.template.graph import StepView
from helio.steps.signature import signatures

GROUPS: tuple[dict[str, list[str]], ...] = tuple(VOCABULARY["parts of datasets"].values())
"""Parts of ids that replace each other, such as ``SUN`` and ``ASUN``, each with the words that mean it."""

_OTHER_CHANGES = (
    "verb:remove", "verb:add", "rel:also", "verb:move", "rel:above", "rel:below", "verb:save", "number"
)  # fmt: skip


class Siblings:
    """The datasets that words of a sentence mean instead of those that a template fetches.

    Parameters
    ----------
    editor : FigureEditor
    """

    def __init__(self, editor: FigureEditor) -> None:
        self._editor = editor

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule for clauses that name a part of an id; it fits if a fetched dataset has such a sibling."""
        parts = "what craft noun verb rel line tool number"
        return (Rule("what|noun", parts, self._set, lambda clause: bool(self._meant(clause))),)

    def _set(self, editor: FigureEditor, clause: Clause) -> None:
        for step, pairs in self._meant(clause):
            before = fetch_pairs(step.params) or [(str(step.params["dataset_id"]), "")]
            if step.params.get("parameters"):
                names = [name for _, name in pairs]
                args = dict(step.params) | {"dataset_id": pairs[0][0], "parameters": names}
                operations = replaced_args(editor.after, step, args)
            else:
                operations = refetched(editor.after, step, pairs)
            editor.do(*operations, *self._described(step, clause))
            editor.notes.append(f"{before[0][0]} becomes {pairs[0][0]}; the title and the labels stay")

    def _described(self, step: StepView, clause: Clause) -> list[Operation]:
        """Write the new part for the old one in the description of the step."""
        named = _named(clause.text)
        intent = step.step.intent
        for group, part in named:
            for old, phrases in group.items():
                if old != part and (
                    words := re.search(rf"\b(?:{any_phrase(phrases)})\b", intent, re.IGNORECASE)
                ):
                    new = intent.replace(words[0], next(iter(group[part])).split("/")[0])
                    return [Operation("set", str(step.id), ("intent",), new)]
        return []

    def _meant(self, clause: Clause) -> list[tuple[StepView, list[tuple[str, str]]]]:
        """Return the fetches that change, each with its new datasets and parameters."""
        if clause.has(*_OTHER_CHANGES):
            return []
        named = _named(clause.text)
        if not named:
            return []
        rest = clause.text
        for group, _ in named:
            rest = re.sub(rf"(?<![\w-])(?:{_any(group)})(?![\w-])", " ", rest, flags=re.IGNORECASE)
        words = {
            word for word in re.findall(r"[^\s,;:.?!()\"]+", rest) if word.casefold() not in BESIDE_PARTS
        }
        wanted = []
        for step in self._editor.after["steps"]:
            view = view_in(step, signatures())
            if view.tool != FETCH or view.params.get("provider"):
                continue
            names = [str(name) for name in view.params.get("parameters") or ()]
            dataset = str(view.params.get("dataset_id", ""))
            pairs = [(dataset, name) for name in names] or fetch_pairs(view.params)
            for group, part in named:
                new = [found for pair in pairs if (found := self._sibling(*pair, group, part, words))]
                if (
                    new
                    and len(new) == len(pairs)
                    and len({name for name, _ in new}) == len({d for d, _ in pairs})
                ):
                    wanted.append((view, new))
        return wanted

    def _sibling(
        self, dataset: str, parameter: str, group: dict[str, list[str]], part: str, words: set[str]
    ) -> tuple[str, str] | None:
        """Return the same quantity of the sibling with a part, if the other words describe the dataset."""
        catalogue = self._editor.catalogue
        if dataset not in catalogue or not all(_describes(word, dataset, self._editor) for word in words):
            return None
        pieces = re.split(r"([_-])", dataset)
        for at, piece in enumerate(pieces):
            if piece not in group or piece == part:
                continue
            sibling = "".join([*pieces[:at], part, *pieces[at + 1 :]])
            name = _same_parameter(self._editor, dataset, parameter, sibling, piece, part)
            if name:
                return sibling, name
        return None


def _named(text: str) -> list[tuple[dict[str, list[str]], str]]:
    """Return the parts that a text names as the new ones: not those after ``instead of``."""
    new = re.split(
        r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|not)\b", text, maxsplit=1, flags=re.IGNORECASE
    )[0]
    switched = re.search(
        r"\bfrom\b.+\bto\b(?P<new>.+)|\b(?:replace|swap)\b.+\b(?:by|with)\b(?P<other>.+)", new, re.IGNORECASE
    )
    if switched:
        new = switched["new"] or switched["other"]
    named = []
    for group in GROUPS:
        parts = [
            part
            for part, phrases in group.items()
            if re.search(rf"(?<![\w-])(?:{any_phrase(phrases)})(?![\w-])", new, re.IGNORECASE)
        ]
        if len(parts) == 1:
            named.append((group, parts[0]))
    return named


def _any(group: dict[str, list[str]]) -> str:
    return any_phrase([phrase for phrases in group.values() for phrase in phrases])


def _describes(word: str, dataset: str, editor: FigureEditor) -> bool:
    """Return whether a word names a dataset: a part of its id, its instrument or its spacecraft."""
    summary = editor.catalogue.summary(dataset)
    known = f"{re.sub(r'[_-]', ' ', dataset)} {summary.instrument} {summary.spacecraft} {summary.mission}"
    return re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", known, re.IGNORECASE) is not None


def _same_parameter(
    editor: FigureEditor, dataset: str, parameter: str, sibling: str, old: str, new: str
) -> str:
    """Return the parameter of a sibling with the same quantity; empty if there is none."""
    if sibling not in editor.catalogue:
        return ""
    has: Sequence[str] = [known.name for known in editor.catalogue.dataset(sibling).parameters]
    renamed = re.sub(rf"(?<![a-z0-9]){old.casefold()}(?![a-z0-9])", new.casefold(), parameter)
    quantities = {
        (row.quantity, row.frame)
        for row in SOURCES
        if (row.dataset, row.parameters) == (dataset, (parameter,))
    }
    alike = [
        row.parameters[0]
        for row in SOURCES
        if row.dataset == sibling and (row.quantity, row.frame) in quantities
    ]
    return next((name for name in (parameter, renamed, *alike) if name in has), "")
