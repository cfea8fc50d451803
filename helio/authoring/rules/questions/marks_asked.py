"""Say what the marks of a figure are: lines at times and values, and shaded intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helio.authoring.rules.questions.asked import stems
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question import Question, kinds_of
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.labels import owner

_ASKED = re.compile(
    r"\b(?:lines?|marks?|marked|marker|shad\w+|areas?|spans?|regions?|stripes?|bars?|fill\w*)(?![\w-])",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:what|which|why|where|when|mean\w*|stands?|is|are|do|does)\b", re.IGNORECASE)
_KINDS = {
    "vlines": r"\bvertical\b",
    "hlines": r"\bhorizontal\b",
    "vrects": r"\b(?:shad\w+|areas?|spans?|regions?|stripes?|fill(?:ed|ing)?)(?![\w-])",
}
_STRONG = re.compile(r"\b(?:vertical|horizontal|shad(?:ed|ing))\b", re.IGNORECASE)
"""What only a mark can be."""
_DASHES = {"dash": r"\bdash(?:ed)?\b", "dot": r"\bdotted\b", "dashdot": r"\bdash-?dot\w*\b", "": r"\bsolid\b"}
_CLOCK = re.compile(r"\b(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d\b")
_AT = re.compile(
    r"\b(?:at|y ?=)\s*(?:y ?= ?)?([-−]?\d+(?:\.\d+)?)(?![\d:.-]|\s*(?:AU|R_?[ESJ])\b)", re.IGNORECASE
)


@dataclass(frozen=True)
class _Mark:
    """A mark of a figure: its kind, what it says and how it looks; panel 0 stands for all panels."""

    kind: str
    text: str
    panel: int = 0
    places: tuple[str, ...] = ()
    color: str = ""
    dash: str = ""
    label: str = ""


def marks_asked(question: Question) -> list[str]:
    """Name the marks that a question describes: ``what is the dashed line at 04:45?``."""
    pipeline, text = question.pipeline, question.asked.text
    if pipeline is None or not _ASKED.search(text) or not _IS.search(text):
        return []
    marks = [mark for name, spec in pipeline.figures() for mark in _marks(pipeline, name, spec)]
    kinds = [kind for kind, words in _KINDS.items() if re.search(words, text, re.IGNORECASE)]
    if not kinds and re.search(r"\blines?\b", text, re.IGNORECASE):
        kinds = ["vlines", "hlines"]
    dashes = [dash for dash, words in _DASHES.items() if re.search(words, text, re.IGNORECASE)]
    at = [value.replace("−", "-") for value in _AT.findall(text)]
    clocks = [clock.replace(" ", "T").rjust(5, "0") for clock in _CLOCK.findall(text)]
    panels = [int(n) for atom in question.present for kind, n in atom.subjects if kind == "panel"]
    lines = {
        str(colour)
        for _, spec in pipeline.figures()
        for colour in object_of(spec.get("trace_colors")).values()
    }
    colours = [colour.replace("gray", "grey") for colour in question.asked.colours]
    colours += [mark.color for mark in marks if mark.color and stems(mark.color) <= stems(text)]
    named = {mark.label for mark in marks if mark.label and stems(mark.label) <= stems(text)}
    if not (_STRONG.search(text) or clocks or at or named or {*dashes} - {""} or {*colours} - lines):
        return []
    is_placed = clocks or at or {*colours} - lines
    if not is_placed and any(
        kinds_of(atom) & {"label", "quantity", "parameter"} for atom in question.present
    ):
        return []
    found = [
        mark
        for mark in marks
        if (not kinds or mark.kind in kinds)
        and (not dashes or (mark.kind != "vrects" and mark.dash in dashes))
        and (not colours or mark.color.replace("gray", "grey") in colours)
        and (not at or {*at} & {*mark.places})
        and (not clocks or any(place.endswith(clock) for place in mark.places for clock in clocks))
        and (not panels or mark.panel in (0, *panels))
        and (not named or mark.label in named)
    ]
    if not found and re.search(
        r"\b(?:vertical|horizontal|shaded|shading|lines? (?:drawn |set )?at [-−]?\d)", text, re.IGNORECASE
    ):
        return ["the figure has no such line or shading", *(mark.text for mark in marks)]
    return list(dict.fromkeys(mark.text for mark in found))


def _marks(pipeline: PipelineFacts, figure: str, spec: dict[str, object]) -> Iterator[_Mark]:
    """Yield the marks of a figure; the colour and the dashes of a mark are as the template writes them."""
    for kind in ("vlines", "hlines", "vrects"):
        held = spec.get(kind)
        for mark in held if isinstance(held, list) else ():
            written = mark if isinstance(mark, dict) else {"levels": mark}
            places = tuple(
                pipeline.with_values(str(written[key])) for key in ("x", "y", "x0", "x1") if key in written
            )
            panel = int(written.get("panel", 0))
            look = ", ".join(str(written[key]) for key in ("color", "dash") if key in written)
            where = " to ".join(places) or str(written.get("levels") or written.get("of"))
            said = written.get("label")
            name = {
                "vlines": "vertical line at",
                "hlines": "horizontal line at",
                "vrects": "shaded interval",
            }[kind]
            name = "horizontal lines at the levels of" if written.get("levels") else name
            meaning = [f"'{said}'"] if said else _reasons(pipeline, spec, panel, places)
            text = (
                f"{name} {where}{f' in panel {panel}' if panel else ''}{f' ({look})' if look else ''}: "
                + ("; ".join(meaning) or "the pipeline gives no name")
            )
            yield _Mark(
                kind,
                text,
                panel,
                places,
                str(written.get("color", "")),
                str(written.get("dash", "")),
                said or "",
            )
    for label, style in object_of(spec.get("line_styles")).items():
        for key in ("fill_below", "fill_above"):
            if isinstance(style, dict) and key in style:
                colour = str(style.get("fill_color", ""))
                side = key.removeprefix("fill_")
                text = f"filled{f' in {colour}' if colour else ''}: where {label} is {side} {style[key]}"
                yield _Mark("vrects", text, 0, (str(style[key]),), colour)


def _reasons(
    pipeline: PipelineFacts, spec: dict[str, object], panel: int, places: tuple[str, ...]
) -> list[str]:
    """Return the intents of the steps behind the lines of a panel that have the value of a mark."""
    panels = spec.get("panels")
    drawn = panels[panel - 1] if isinstance(panels, list) and 0 < panel <= len(panels) else []
    steps = [pipeline.producers.get(owner(label, pipeline.producers) or label) for label in drawn]
    intents = [str(pipeline.steps[str(step.id)].get("intent") or "") for step in steps if step]
    return [
        text
        for text in intents
        if any(re.search(rf"(?<![\d.]){re.escape(place)}(?![\d.])", text) for place in places)
    ]
