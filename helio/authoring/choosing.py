"""Find the choice of a question that an answer in words means: by its words, its place, its panel or its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.rules.changes.atoms import COUNTED, PLACE, PLACES, panel_number
from helio.authoring.rules.changes.lines import Lines
from helio.authoring.rules.questions.asked import PANEL, folded, stems
from helio.authoring.rules.questions.question_form import is_question, is_wish
from helio.authoring.writing.asking import no_question
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES
from helio.pipelines.template.labels import owner

_OPENING = re.compile(
    r"\s*(?:(?:no|yes|ok(?:ay)?|sorry|please|i mean|i meant|i want|use|take|choose|the|that of)\b[\s,:]*)*",
    re.IGNORECASE,
)
_ENDING = re.compile(r"[\s,]*(?:\bplease\b)?[\s.!]*$", re.IGNORECASE)
_PLACE = re.compile(rf"(?P<place>{PLACE})(?:\s+(?:one|choice|option|answer))?", re.IGNORECASE)
_MOST_WORDS = 4
"""Maximum number of words of the name of a line; a longer text is a sentence."""


def choice_meant(answer: str, choices: Sequence[str], template: Document | None, catalogue: Catalogue) -> str:
    """Return the only choice that an answer means; return an empty text if it means none, or several.

    Parameters
    ----------
    template : Document, optional
        The template of the question, whose lines the choices may name. Default: none.
    """
    words = _ENDING.sub("", _OPENING.sub("", answer, count=1))
    if not words:
        return ""
    same = [choice for choice in choices if folded(choice) == folded(words)]
    if same:
        return same[0]
    if words.isdecimal():
        return choices[int(words) - 1] if 1 <= int(words) <= len(choices) else ""
    if placed := _PLACE.fullmatch(words):
        number = panel_number(PLACES[placed["place"].casefold()], len(choices))
        return choices[number - 1] if number else ""
    wanted = stems(words)
    found = [choice for choice in choices if wanted and wanted <= stems(choice)]
    if not found and template is not None and len(words.split()) <= _MOST_WORDS:
        found = _of_lines(words, choices, template, catalogue)
    return found[0] if len(found) == 1 else ""


def _of_lines(words: str, choices: Sequence[str], template: Document, catalogue: Catalogue) -> list[str]:
    """Return the choices that are lines of a figure and that words mean: ``the magnitude``, ``panel 2``."""
    if is_question(words) or (is_wish(words) and not PANEL.search(words)):
        return []
    lines = Lines(template, catalogue, no_question)
    meant: list[str] = []
    for figure in (step for step in template["steps"] if step.get("tool_name") in FIGURES):
        if panel := PANEL.fullmatch(words):
            written = (panel["number"] or panel["place"]).casefold()
            panels = lines.panels(figure)
            place = PLACES[written] if panel["place"] else int(COUNTED.get(written, written))
            number = panel_number(place, len(panels))
            meant += panels[number - 1] if number else []
        else:
            meant += lines.meant(words, figure)
    named = {*meant, *(owner(line, lines.producers) for line in meant)}
    return [choice for choice in choices if choice in named]
