"""Find the choice of a question that an answer in words means: by its words, its place, its panel or its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.named_lines import lines_named
from helio.authoring.outcome import NotUnderstood, is_other_time
from helio.authoring.rules.changes.atoms import PLACE, PLACES, panel_number
from helio.authoring.rules.questions.asked import PANEL, folded, stems
from helio.authoring.rules.questions.question_form import is_question, is_wish
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.document import Document

_OPENING = re.compile(
    r"\s*(?:(?:no|yes|ok(?:ay)?|sorry|please|i mean|i meant|i want|use|take|choose|the|that of"
    r"|for|on|in|during|over)\b[\s,:]*)*",
    re.IGNORECASE,
)
_ENDING = re.compile(r"[\s,]*(?:\bplease\b)?[\s.!]*$", re.IGNORECASE)
_PLACE = re.compile(rf"(?P<place>{PLACE})(?:\s+(?:one|choice|option|answer))?", re.IGNORECASE)
_MOST_WORDS = 4
"""Maximum number of words of the name of a line; a longer text is a sentence."""


def choice_meant(answer: str, choices: Sequence[str], template: Document | None, catalogue: Catalogue) -> str:
    """Return the only choice that an answer means, or another time; return an empty text if it means none, or several.

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
    if is_other_time(words, choices):
        return words
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
    try:
        named = lines_named(words, template, catalogue)
    except NotUnderstood:
        return []
    return [
        choice for choice in choices if any(line == choice or line.startswith(f"{choice}.") for line in named)
    ]
