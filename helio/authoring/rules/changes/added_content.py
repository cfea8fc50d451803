"""Read the words that name what an addition to a figure draws, with the spacecraft and the mode of the figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from helio.authoring.fetches import fetch_choices
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.siblings import GROUPS
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.sentence_reading import Reading, read_request
from helio.authoring.swapping import crafts_in
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.computations import AT_EARTH, OF_TWO, SIDES
from helio.authoring.writing.sources import is_available, quantities_of
from helio.authoring.writing.writer import write_template
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import DISTANCE, L_SHELL, LATITUDE, LONGITUDE, MLT, POSITION, SOURCES
from helio.knowledge.quantity_words import INDICES, VECTORS
from helio.patterns import ignoring_case

SUPERPOSED = "superposed_epoch"
_PAIR = 2
_COARSE = 300.0
"""Least cadence, in seconds, of data that are coarser than most archives have them."""
_EPHEMERIS = frozenset({POSITION, DISTANCE, LATITUDE, LONGITUDE, L_SHELL, MLT})
_EVERY_CRAFT = re.compile(
    r"\b(?:both|each|all|(?:the\s+)?(?:two|three|four))\s+(?:spacecraft|monitors?|satellites?|probes?|missions?)",
    re.IGNORECASE,
)
_LIKE_THE_OTHERS = re.compile(
    r"\b(?:(?:to|in|into)\s+the\s+)?(?:(?:superpos\w+|stacked)(?:[\s-]epochs?)?|epochs?)\b"
    r"|\b(?:in\s+|with\s+|treated\s+|done\s+|processed\s+)?(?:the\s+)?same\s+(?:way|windows?|bins?|epochs?|zero\s+times?|events?|storms?)\b|\b(?:like|as)\s+the\s+(?:others?|rest)\b"
    r"|\b(?:around|about|on|at|for|of|from|to|during|relative\s+to|centred\s+on|centered\s+on)\s+(?:(?:the|these|those|all|each|every|same|storm|Dst|zero|event)\s+)*"
    r"(?:minim(?:a|um)|storms?|events?|times?|onsets?)\b",
    re.IGNORECASE,
)
"""Words with which a figure of superposed epochs gets another series: ``the density around the minima``."""


def read_addition(editor: FigureEditor, content: str) -> Reading:
    """Read what to draw; words of a catalogue mean something only with a spacecraft, such as that of the figure."""
    if any(step["tool_name"] == SUPERPOSED for step in editor.after["steps"]):
        content = _LIKE_THE_OTHERS.sub(" ", content)
    in_burst = _read_here(editor, f"burst {content}") if _takes_burst(editor, content) else None
    if in_burst is not None and not in_burst.unread and _exists(editor, in_burst.request):
        return in_burst
    return _read_here(editor, content)


def _read_here(editor: FigureEditor, content: str) -> Reading:
    """Read words alone and, if they mean nothing alone, as words about the only spacecraft of the pipeline."""
    crafts = crafts_in(editor.after, editor.catalogue)
    craft = crafts[0] if len(crafts) == 1 else ""
    names_craft = ignoring_case(rf"(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])").search(content)
    may_be_of_craft = bool(craft) and names_craft is None
    try:
        ask = _asks(editor, crafts, only_own=may_be_of_craft)
        alone = read_request(content, editor.catalogue, editor.now, ask)
    except NotUnderstood:
        if not may_be_of_craft:
            raise
        alone = None
    if alone is not None and (not craft or not alone.unread or alone.request.spacecraft):
        return alone
    ask = _asks(editor, crafts, only_own=False)
    of_craft = read_request(f"{craft} {content}", editor.catalogue, editor.now, ask)
    return of_craft if alone is None or not of_craft.unread else alone


def _asks(editor: FigureEditor, crafts: Sequence[str], *, only_own: bool) -> Asks:
    """Return a function that chooses what a dataset or a spacecraft of the pipeline has, and asks about the rest.

    Parameters
    ----------
    only_own : bool
        Whether to refuse choices of which the pipeline has none, instead of asking.
    """
    known = {*fetched_datasets(editor), *crafts}

    def ask(text: str, choices: Sequence[str]) -> str:
        own = [choice for choice in choices if choice.partition(".")[0] in known]
        if only_own and not own:
            raise NotUnderstood(text)
        return own[0] if len(own) == 1 else editor.ask(text, choices)

    return ask


def _takes_burst(editor: FigureEditor, content: str) -> bool:
    """Return whether a pipeline fetches only burst data, and words that name what to draw name no other mode."""
    fetched = [str(step["tool_args"].get("dataset_id", "")) for step in editor.after["steps"]]
    modes = [phrases for group in GROUPS if "BRST" in group for phrases in group.values()]
    named = any_phrase([phrase for phrases in modes for phrase in phrases])
    return (
        any(fetched)
        and all("BRST" in name for name in fetched if name)
        and not ignoring_case(rf"\b(?:{named})\b").search(content)
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


def coarse_cadence(editor: FigureEditor) -> float | None:
    """Return the finest cadence of the data of a pipeline in seconds, if it is coarse: new data shall not be finer.

    Where the spacecraft was does not count.
    """
    datasets = fetched_datasets(editor)
    cadences = [row.cadence for row in SOURCES if row.dataset in datasets and row.quantity not in _EPHEMERIS]
    finest = min((cadence or 0.0 for cadence in cadences), default=0.0)
    return finest if finest >= _COARSE else None


def fetched_pairs(editor: FigureEditor) -> tuple[tuple[str, str], ...]:
    """Return the pairs of dataset and parameter that a pipeline fetches, without fallbacks."""
    pairs = []
    for step, _ in editor.fetches:
        choices = fetch_choices(step.params)
        pairs += [(choice.dataset_id, name) for choice in choices[:1] for name in choice.parameters]
    return tuple(pairs)


def fetched_datasets(editor: FigureEditor) -> set[str]:
    """Return the datasets that a pipeline fetches."""
    return {choice.dataset_id for step, _ in editor.fetches for choice in fetch_choices(step.params)}


def crafts_for(editor: FigureEditor, request: PipelineRequest) -> tuple[str, ...]:
    """Return the spacecraft of the template; ask which one if it has several. Indices and coupling come from OMNI."""
    if all(quantity.name in INDICES for quantity in request.quantities):
        return ("OMNI",)
    present = crafts_in(editor.after, editor.catalogue)
    if _EVERY_CRAFT.search(editor.said) and request.quantities:
        return tuple(present)
    if len(present) == _PAIR and any(computation.tool in OF_TWO for computation in request.computations):
        return tuple(present)
    if "OMNI" in present and all(quantity.name in (*AT_EARTH, *INDICES) for quantity in request.quantities):
        return ("OMNI",)
    if len(present) > 1:
        return (editor.ask("Of which spacecraft?", present),)
    return tuple(present)


def in_frame_of_figure(editor: FigureEditor, request: PipelineRequest) -> PipelineRequest:
    """Take new vectors for which the words name no frame in that of the figure, with a note for each."""
    if request.frame or request.own or request.datasets:
        return request
    quantities = tuple(_framed(editor, quantity, request.spacecraft) for quantity in request.quantities)
    return replace(request, quantities=quantities)


def along_and_across(editor: FigureEditor, request: PipelineRequest, content: str) -> PipelineRequest:
    """Take temperatures of one kind as those along and across the field, if the figure or only the data have these."""
    means = [quantity for quantity in request.quantities if quantity.name in SIDES]
    if len(means) != 1 or len(request.spacecraft) != 1 or not _TEMPERATURES.search(content):
        return request
    sides, measured = SIDES[means[0].name], quantities_of(request.spacecraft[0])
    drawn = set[str]().union(*map(editor.lines.own_quantities, editor.drawn))
    is_usual = any(drawn.issuperset(pair) for pair in SIDES.values())
    if not {*sides} <= {*measured} or (means[0].name in measured and not is_usual):
        return request
    parts = [
        [replace(part, name=name) for name in sides] if part in means else [part]
        for part in request.quantities
    ]
    return replace(request, quantities=tuple(chain(*parts)))


_TEMPERATURES = ignoring_case(r"\b(?:temperatures|temps)\b")


def _framed(editor: FigureEditor, quantity: RequestQuantity, crafts: Sequence[str]) -> RequestQuantity:
    """Give a vector the one frame in which the figure draws this vector of any spacecraft, or otherwise all vectors."""
    lines = editor.lines
    if quantity.frame or not (quantity.component or quantity.name in VECTORS):
        return quantity
    alike = [line for line in editor.drawn if quantity.name in lines.quantities(line)]
    for drawn in (alike, editor.drawn):
        frames = {lines.frame(line) or stated_frame(line, "") for line in drawn} - {""}
        if len(frames) == 1:
            (frame,) = frames
            if not is_available(quantity, crafts, frame):
                return quantity
            note = f"the {quantity.name} is in {frame}, as in the figure"
            editor.notes += [note] if note not in editor.notes else []
            return replace(quantity, frame=frame)
    return quantity
