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
from helio.patterns import ignoring_case
from helio.pipelines.template.graph import StepView

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
            names = [name for _, name in pairs]
            intent = _described(step.step.intent, clause)
            is_part = len(pairs) < len(step.params.get("parameters") or ())
            if is_part:
                self._draw_apart(step, pairs, intent)
            elif step.params.get("parameters"):
                args = dict(step.params) | {"dataset_id": pairs[0][0], "parameters": names}
                editor.do(*replaced_args(editor.after, step, args))
            else:
                editor.do(*refetched(editor.after, step, pairs))
            if not is_part and intent != step.step.intent:
                editor.do(Operation("set", str(step.id), ("intent",), intent))
            editor.notes.append(f"{before[0][0]} becomes {pairs[0][0]}; the title and the labels stay")

    def _draw_apart(self, step: StepView, pairs: list[tuple[str, str]], intent: str) -> None:
        """Draw some parameters of a fetch from a sibling; the fetch keeps the rest."""
        editor, dataset = self._editor, step.params["dataset_id"]
        names = [name for _, name in pairs]
        for name in names:
            editor.draw_instead(f"{dataset}.{name}", f"{pairs[0][0]}.{name}")
        args = dict(step.params) | {"dataset_id": pairs[0][0], "parameters": names}
        editor.add_step(editor.free_id(f"{step.id}_{names[0]}"), FETCH, args, intent, after=step.outputs[0])
        kept = [name for name in step.params["parameters"] if name not in names]
        editor.do(Operation("set", str(step.id), ("tool_args", "parameters"), kept))

    def _meant(self, clause: Clause) -> list[tuple[StepView, list[tuple[str, str]]]]:
        """Return the fetches that change, each with its new datasets and parameters."""
        if clause.has(*_OTHER_CHANGES):
            return []
        named = _named(clause.new_text)
        if not named:
            return []
        rest = clause.text
        for group, _ in named:
            phrases = any_phrase([phrase for spelt in group.values() for phrase in spelt])
            rest = ignoring_case(rf"(?<![\w-])(?:{phrases})(?![\w-])").sub(" ", rest)
        words = [
            word for word in re.findall(r"[^\s,;:.?!()\"]+", rest) if word.casefold() not in BESIDE_PARTS
        ]
        wanted = []
        for view, choices in self._editor.fetches:
            if view.params.get("provider"):
                continue
            names = [str(name) for name in view.params.get("parameters") or ()]
            dataset = str(view.params.get("dataset_id", ""))
            pairs = [(dataset, name) for name in names] or choices
            others = [word for word in words if names and not _describes(word, dataset, self._editor)]
            quantity = " ".join(others)
            if quantity:  # the ions of the anti-sunward telescope, not the electrons
                drawn = self._editor.lines_of(quantity)
                pairs = [pair for pair in pairs if ".".join(pair) in drawn]
            told = [] if quantity else words
            for group, part in named:
                new = [found for pair in pairs if (found := self._sibling(*pair, group, part, told))]
                is_whole = len(new) == len(pairs) and len(dict(new)) == len(dict(pairs))
                is_same = not quantity or [name for _, name in new] == [name for _, name in pairs]
                if new and is_whole and is_same:
                    wanted.append((view, new))
        return wanted

    def _sibling(
        self, dataset: str, parameter: str, group: dict[str, list[str]], part: str, words: list[str]
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


def _described(intent: str, clause: Clause) -> str:
    """Write the new part for the old one in the description of a step."""
    for group, part in _named(clause.new_text):
        for old, phrases in group.items():
            if old != part and (words := ignoring_case(rf"\b(?:{any_phrase(phrases)})\b").search(intent)):
                said = words[0].casefold()
                at = phrases.index(said) if said in phrases else 0
                new = [*group[part][at : at + 1], group[part][0]][0]
                return intent.replace(words[0], new.split("/")[0])
    return intent


def _named(new: str) -> list[tuple[dict[str, list[str]], str]]:
    """Return the parts that the new words of a clause name."""
    switched = ignoring_case(
        r"\bfrom\b.+\bto\b(?P<new>.+)|\b(?:replace|swap)\b.+\b(?:by|with)\b(?P<other>.+)"
    ).search(new)
    if switched:
        new = switched["new"] or switched["other"]
    named = []
    for group in GROUPS:
        spelt = {part: rf"(?<![\w-])(?:{any_phrase(phrases)})(?![\w-])" for part, phrases in group.items()}
        parts = [part for part, pattern in spelt.items() if ignoring_case(pattern).search(new)]
        if len(parts) == 1:
            named.append((group, parts[0]))
    return named


def _describes(word: str, dataset: str, editor: FigureEditor) -> bool:
    """Return whether a word names a dataset: a part of its id, its instrument or its spacecraft."""
    summary = editor.catalogue.summary(dataset)
    known = f"{re.sub(r'[_-]', ' ', dataset)} {summary.instrument} {summary.spacecraft} {summary.mission}"
    return ignoring_case(rf"(?<![\w]){re.escape(word)}(?![\w])").search(known) is not None


def _same_parameter(
    editor: FigureEditor, dataset: str, parameter: str, sibling: str, old: str, new: str
) -> str:
    """Return the parameter of a sibling with the same quantity; empty if there is none."""
    if sibling not in editor.catalogue:
        return ""
    has: Sequence[str] = [known.name for known in editor.catalogue.dataset(sibling).parameters]
    renamed = re.sub(rf"(?<![a-z0-9]){old.casefold()}(?![a-z0-9])", new.casefold(), parameter)
    rows = [row for row in SOURCES if row.dataset in (dataset, sibling)]
    same = {
        (row.quantity, row.frame) for row in rows if (row.dataset, *row.parameters) == (dataset, parameter)
    }
    alike = [
        row.parameters[0] for row in rows if row.dataset == sibling and (row.quantity, row.frame) in same
    ]
    return next((name for name in (parameter, renamed, *alike) if name in has), "")
