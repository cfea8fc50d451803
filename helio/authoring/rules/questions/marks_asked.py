"""Say what the marks of a figure are: lines at times and values, and shaded intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from helio.authoring.rules.questions.asked import Subject, stems
from helio.authoring.rules.questions.pipeline_answers import narrowed
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question import Question
from helio.authoring.rules.questions.source_facts import Fact, Facts, lines_of
from helio.authoring.rules.questions.values_asked import focus_words
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.labels import owner

_ASKED = re.compile(
    r"\b(?:lines?|marker|shad\w+|areas?|spans?|regions?|stripes?|bars?|fill\w*)(?![\w-])", re.IGNORECASE
)
_ONLY_A_MARK = re.compile(r"\b(?:vertical|horizontal|shad(?:ed|ing)|(?<!filled )areas?)\b", re.IGNORECASE)
_OF_A_PANEL = re.compile(r"\b[a-z]+ panel\b", re.IGNORECASE)
_OF_A_LINE = stems("line")
_NO_LOOK = {"coverage", "fills", "meanings", "times", "reasons"}
"""Properties whose words say nothing about the look of a mark."""
_ROW = re.compile(r'\s+\(?"')
_TIME = re.compile(r'"(\d{4}-\d\d-\d\dT[\d:.]+)"')
_KINDS = {"vlines": "vertical line at", "hlines": "horizontal line at", "vrects": "shaded interval",
          "events": "shaded events"}  # fmt: skip
_USUAL = {
    "vertical line at": {"color": "red", "dash": "solid"},
    "horizontal line at": {"color": "red", "dash": "dash"},
}
"""The looks that marks have if their figure sets none."""


def marks_asked(question: Question) -> list[str]:
    """Name the marks that have all words of a question: ``what is the dashed line at 04:45?``."""
    pipeline, asked = question.pipeline, question.asked
    if pipeline is None or not _ASKED.search(asked.text):
        return []
    named = [atom for atom in asked.things if not atom.words.isdecimal()]  # 90 means the line at 90
    other = [*named, *(atom for atom in asked.atoms if _NO_LOOK & {*atom.topics})]
    unread = {word for atom in other for word in atom.words.split()}
    wanted = [stems(word) for word in focus_words(asked.text) if word not in unread]
    panels = {subject for atom in question.present for subject in atom.subjects if subject[0] == "panel"}
    if not panels and _OF_A_PANEL.search(asked.text):
        drawn = narrowed(question, list(pipeline.topics["panels"]()), question.present)
        panels = {subject for fact in drawn for subject in fact.about if subject[0] == "panel"}
    figures = [spec for _, spec in pipeline.figures()]
    lines = [str(colour) for spec in figures for colour in object_of(spec.get("trace_colors")).values()]
    styles = [style for spec in figures for style in object_of(spec.get("line_styles")).values()]
    lines += [str(object_of(style).get("dash", "")) for style in styles]
    shared = _OF_A_LINE | stems(" ".join(lines))
    marks = [fact for spec in figures for fact in _marks(pipeline, spec)]
    texts = [
        mark.text
        for mark in marks
        if (not mark.about or not panels or mark.about & panels)
        and all(stem <= stems(mark.text.replace("T", " ")) for stem in wanted)
    ]
    if texts and any(not stem <= shared for stem in wanted):
        return list(dict.fromkeys(texts))
    if texts and wanted and not question.present and not question.is_yes_no:
        looks = [*pipeline.topics["colours"](), *pipeline.topics["dashes"]()]
        drawn = [fact for fact in looks if all(stem <= stems(fact.text) | _OF_A_LINE for stem in wanted)]
        return list(dict.fromkeys((*lines_of(fact for fact in drawn if "{}" not in fact.text), *texts)))
    draws_bands = any("epochs" in (spec.get("panel_types") or ()) or spec.get("bands") for spec in figures)
    if _ONLY_A_MARK.search(asked.text) and not draws_bands:
        return ["the pipeline sets no such line or shading", *(mark.text for mark in marks)]
    return []


def _marks(pipeline: PipelineFacts, spec: Document) -> Facts:
    """Yield what the marks of a figure are; marks of all panels are about no panel."""
    for kind, name in _KINDS.items():
        held = spec.get(kind)
        for mark in held if isinstance(held, list) else ():
            yield _described(pipeline, spec, name, mark if isinstance(mark, dict) else {"levels": mark})
    for label, style in object_of(spec.get("line_styles")).items():
        for key in ("fill_below", "fill_above"):
            if isinstance(style, dict) and key in style:
                colour = f" in {style['fill_color']}" if style.get("fill_color") else ""
                yield Fact(f"filled{colour}: where {label} is {key.removeprefix('fill_')} {style[key]}")


def _described(pipeline: PipelineFacts, spec: Document, name: str, mark: Mapping[str, object]) -> Fact:
    places = [pipeline.with_values(str(mark[key])) for key in ("x", "y", "x0", "x1") if key in mark]
    intervals = _intervals(pipeline, str(mark.get("of", "")))
    mark = {**_USUAL.get(name, {}), **mark}
    if mark.get("levels"):
        name = "horizontal lines at the levels of"
    where = " to ".join(places) or ", ".join(intervals) or str(mark.get("levels") or mark.get("of"))
    panel = str(mark.get("panel", ""))
    look = ", ".join(str(mark[key]) for key in ("color", "dash") if key in mark)
    said = f"'{mark['label']}'" if mark.get("label") else "; ".join(_reasons(pipeline, spec, panel, places))
    text = f"{name} {where}{f' in panel {panel}' if panel else ''}{f' ({look})' if look else ''}"
    about = frozenset[Subject]({("panel", panel)} if panel else ())
    return Fact(f"{text}: {said or 'the pipeline gives no name'}", about)


def _intervals(pipeline: PipelineFacts, label: str) -> list[str]:
    """Return the intervals or the times of a table of events that the pipeline itself has."""
    step = pipeline.producers.get(label)
    code = str((step.params if step else {}).get("pandas_code", ""))
    times = [_TIME.findall(row) for row in code.splitlines() if _ROW.match(row)]
    return [" to ".join(row) for row in times if row]


def _reasons(pipeline: PipelineFacts, spec: Document, panel: str, places: list[str]) -> Iterator[str]:
    """Yield the intents of the steps behind the lines of a panel that have the value of a mark."""
    panels = spec.get("panels")
    drawn = panels[int(panel) - 1] if panel and isinstance(panels, list) and int(panel) <= len(panels) else ()
    for label in drawn:
        step = pipeline.producers.get(owner(label, pipeline.producers) or label)
        intent = str(pipeline.steps[str(step.id)].get("intent") or "") if step else ""
        if any(re.search(rf"(?<![\d.]){re.escape(place)}(?![\d.])", intent) for place in places):
            yield intent
