"""Find the lines of the figures of a template that a phrase names: by their words, or by their panel."""

from __future__ import annotations

from helio.authoring.rules.changes.atoms import COUNTED, PLACES, panel_number
from helio.authoring.rules.changes.lines import Lines
from helio.authoring.rules.questions.asked import PANEL
from helio.authoring.writing.asking import no_question
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES


def lines_named(words: str, template: Document, catalogue: Catalogue) -> list[str]:
    """Return the lines that words name, ``the magnitude`` or ``panel 2``; without words, all lines that are drawn.

    Raises
    ------
    NotUnderstood
        The words could mean several lines, and do not say which.
    """
    lines = Lines(template, catalogue, no_question)
    named: list[str] = []
    for figure in (step for step in template["steps"] if step.get("tool_name") in FIGURES):
        if not words:
            named += lines.drawn(figure)
        elif panel := PANEL.fullmatch(words):
            written = (panel["number"] or panel["place"]).casefold()
            panels = lines.panels(figure)
            place = PLACES[written] if panel["place"] else int(COUNTED.get(written, written))
            number = panel_number(place, len(panels))
            named += panels[number - 1] if number else []
        else:
            named += lines.meant(words, figure)
    return list(dict.fromkeys(named))
