"""Read the words that name what an addition to a figure draws, with the spacecraft and the mode of the figure."""

from __future__ import annotations

import re
from dataclasses import replace

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.figure import FigureEditor
from helio.authoring.rules.sentence_reading import Reading, read_request
from helio.authoring.rules.siblings import GROUPS
from helio.authoring.swapping import crafts_in
from helio.authoring.writing.computations import OF_TWO
from helio.authoring.writing.writer import write_template
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantity_words import INDICES

SUPERPOSED = "superposed_epoch"
_PAIR = 2
_EVERY_CRAFT = re.compile(
    r"\b(?:both|each|all|(?:the\s+)?(?:two|three|four))\s+(?:spacecraft|monitors?|satellites?|probes?|missions?)",
    re.IGNORECASE,
)
_LIKE_THE_OTHERS = re.compile(
    r"\b(?:superposed|stacked)\b|\b(?:in|treated|done|processed)?\s*(?:the\s+)?same\s+way\b|\b(?:like|as)\s+the\s+"
    r"(?:others?|rest)\b|\bthe\s+same\s+way\b",
    re.IGNORECASE,
)


def read_addition(editor: FigureEditor, content: str) -> Reading:
    """Read what to draw; words of a catalogue mean something only with a spacecraft, such as that of the figure."""
    if any(step["tool_name"] == SUPERPOSED for step in editor.after["steps"]):
        content = _LIKE_THE_OTHERS.sub(" ", content)
    in_burst = _read_here(editor, f"burst {content}") if _takes_burst(editor, content) else None
    if in_burst is not None and not in_burst.unread and _exists(editor, in_burst.request):
        return in_burst
    return _read_here(editor, content)


def _read_here(editor: FigureEditor, content: str) -> Reading:
    reading = read_request(content, editor.catalogue, editor.now, editor.ask)
    crafts = crafts_in(editor.after, editor.catalogue)
    if reading.unread and not reading.request.spacecraft and len(crafts) == 1:
        own = read_request(f"{crafts[0]} {content}", editor.catalogue, editor.now, editor.ask)
        reading = reading if own.unread else own
    return reading


def _takes_burst(editor: FigureEditor, content: str) -> bool:
    """Return whether a pipeline fetches only burst data, and words that name what to draw name no other mode."""
    fetched = [str(step["tool_args"].get("dataset_id", "")) for step in editor.after["steps"]]
    modes = [phrases for group in GROUPS if "BRST" in group for phrases in group.values()]
    named = any_phrase([phrase for phrases in modes for phrase in phrases])
    return (
        any(fetched)
        and all("BRST" in name for name in fetched if name)
        and not re.search(rf"\b(?:{named})\b", content, re.IGNORECASE)
    )


def _exists(editor: FigureEditor, request: PipelineRequest) -> bool:
    """Return whether helio knows data for a request: not every quantity is measured in burst mode."""
    if not (request.quantities or request.datasets):
        return False
    if not request.spacecraft and not request.datasets:
        request = replace(request, spacecraft=crafts_for(editor, request))
    try:
        write_template(request, catalogue=editor.catalogue, now=editor.now, ask=editor.ask)
    except NotUnderstood:
        return False
    return True


def crafts_for(editor: FigureEditor, request: PipelineRequest) -> tuple[str, ...]:
    """Return the spacecraft of the template; ask which one if it has several. Indices come from OMNI."""
    if all(quantity.name in INDICES for quantity in request.quantities):
        return ("OMNI",)
    present = crafts_in(editor.after, editor.catalogue)
    if _EVERY_CRAFT.search(editor.said) and request.quantities:
        return tuple(present)
    if len(present) == _PAIR and any(computation.tool in OF_TWO for computation in request.computations):
        return tuple(present)
    if len(present) > 1:
        return (editor.ask("Of which spacecraft?", present),)
    return tuple(present)
