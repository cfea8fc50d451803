"""Keep or take one source of data: ``use GOES-16 only``, ``density from SPC only``, ``take the density from Wind``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.arranging import keep_only
from helio.authoring.rules.changes.atom_reading import instruments, plain_name
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_names import ORIGIN
from helio.authoring.rules.changes.replacements import fetch_from
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.swapping import refetched
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES, spellings

_USED = re.compile(r"\b(?:use|using|take|trust|rely\s+on)\b", re.IGNORECASE)
_OF_CRAFT = re.compile(rf"(?P<source>{names_of_spacecraft()})\s+(?P<what>.+)", re.IGNORECASE)
_DATASET = re.compile(r"[A-Z][A-Z0-9]*[_-][A-Z0-9_-]+")
_FROM = re.compile(r"(?P<what>.+?)\s+from\s+(?:the\s+)?(?P<source>.+)", re.IGNORECASE)


def keep_source(editor: FigureEditor, clause: Clause) -> None:
    """Fetch from a source alone where there are others, and draw its lines alone in their panels."""
    named = [_FROM.fullmatch(name) for name in clause.names]
    sources = [match["source"] if match else name for name, match in zip(clause.names, named, strict=True)]
    if _fetch_only(editor, sources):
        return
    lines = [line for source in sources for line in editor.lines.of_instrument(source, editor.drawn)]
    lines = lines or _chosen(editor, clause)
    if not lines:
        keep_only(editor, clause)
        return
    wanted = {line for match in named if match for line in editor.known(match["what"], every=True)}
    kept = [
        [line for line in panel if line in lines]
        if set(panel) & set(lines) and (not wanted or set(panel) & wanted)
        else panel
        for panel in editor.panels
    ]
    if kept == editor.panels:
        raise NotUnderstood(
            f"no panel draws other data beside those of {' and '.join(sources)}",
            advice=f"say 'show only {' and '.join(sources)}' to remove the other panels",
        )
    editor.redraw(kept)


def keep_craft(editor: FigureEditor, clause: Clause) -> None:
    """Fetch from spacecraft alone where a step chooses among several: ``GOES-13 only``; else draw only their lines."""
    if not _fetch_only(editor, clause.names) or clause.has("verb:show"):
        keep_only(editor, clause)


def _chosen(editor: FigureEditor, clause: Clause) -> list[str]:
    """Return the line that one name means, if its panel draws another of which it is no part: ``the measured beta``."""
    if len(clause.names) != 1 or clause.has("craft"):
        return []
    lines = editor.known(clause.names[0], every=True)
    others = {*editor.lines_in(editor.panels_with(lines))} - {*lines}
    apart = [other for other in others if lines[0] not in editor.behind(other)]
    return lines if len(lines) == 1 and not set(apart) <= set(editor.behind(lines[0])) else []


def _fetch_only(editor: FigureEditor, sources: list[str]) -> bool:
    """Leave a choice of datasets those of some spacecraft or instruments; return whether there was such a choice."""
    found = False
    for step, pairs in editor.fetches:
        kept = [pair for pair in pairs if any(_is_of(editor, pair[0], source) for source in sources)]
        if kept and kept != pairs:
            editor.do(*refetched(editor.after, step, kept))
            editor.notes.append(f"step {step.id}: only {', '.join(dataset for dataset, _ in kept)}")
            found = True
    return found


def _is_of(editor: FigureEditor, dataset: str, source: str) -> bool:
    craft = spellings().get(source.casefold())
    if craft is not None:
        return dataset in editor.catalogue and editor.catalogue.summary(dataset).spacecraft == craft
    return source.upper() in instrument_names(dataset)


def _says_used(clause: Clause) -> bool:
    origins = map(ORIGIN.fullmatch, clause.names)  # beta with measured electrons: one of those of a panel
    if any(origin is not None and origin["by"] for origin in origins):
        return True
    return _USED.search(clause.text) is not None or all(_FROM.fullmatch(name) for name in clause.names)


def take_source(editor: FigureEditor, clause: Clause) -> None:
    """Fetch a quantity of the figure from another spacecraft; what is computed from it stays."""
    what, source = _source_of(clause)
    lines = editor.lines_of(what) or editor.lines.computed_from(plain_name(what), editor.figure())
    lines = lines or editor.known(what)
    craft = spellings().get(source.casefold(), "")
    if not craft:
        _take_dataset(editor, lines, source)
        return
    own = editor.lines_of(f"{craft} {' '.join(word for word in what.split() if word not in instruments())}")
    if own and not {*own} <= {*lines}:
        raise NotUnderstood(
            f"the figure already draws {', '.join(own)} of {craft}", advice="say which line goes"
        )
    fetch_from(editor, what, lines, craft)


def _take_dataset(editor: FigureEditor, lines: Sequence[str], dataset: str) -> None:
    """Fetch the quantity of lines from a dataset, in the frame in which the pipeline has it."""
    producers = editor.lines.producers
    for label in dict.fromkeys(label for line in lines for label in editor.behind(line)):
        step = producers[label]
        rows = [
            row
            for row in SOURCES
            if row.dataset == dataset and row.quantity in editor.lines.own_quantities(label)
            if row.frame in ("", editor.lines.frame(label)) and len(row.parameters) == 1
        ]
        if step.tool == FETCH and len(rows) == 1 and len(fetch_pairs(step.params)) > 0:
            editor.do(*refetched(editor.after, step, [(dataset, rows[0].parameters[0])]))
            editor.notes.append(f"step {step.id} fetches {dataset}.{rows[0].parameters[0]}")
            return
    raise NotUnderstood(
        f"helio cannot fetch {' and '.join(lines)} from {dataset}",
        advice=f"`helio datasets parameters {dataset}` lists what it has",
    )


def _source_of(clause: Clause) -> tuple[str, str]:
    """Return the quantity and the spacecraft from which a clause takes it; empty if it names no such pair."""
    crafts = [atom.text for atom in clause.of("craft")]
    names = [name for name in clause.names if name not in crafts]
    if len(names) != 1 or len(crafts) > 1:
        return "", ""
    if crafts and re.search(rf"{re.escape(crafts[0])}\s+for\s", clause.text):
        return names[0], crafts[0]
    match = _OF_CRAFT.fullmatch(plain_name(names[0])) or _FROM.fullmatch(names[0])
    if crafts or match is None:
        return "", ""
    is_source = match["source"].casefold() in spellings() or _DATASET.fullmatch(match["source"])
    return (match["what"], match["source"]) if is_source else ("", "")


SOURCES_KEPT: tuple[Rule, ...] = (
    Rule("verb:only what", "craft", keep_source, _says_used),
    Rule("verb:only craft", "what verb:show", keep_craft,
         lambda clause: len(clause.of("craft")) == len(clause.names)),
    Rule("what", "craft rel:instead", take_source,
         lambda clause: (_USED.search(clause.text) or clause.has("rel:instead")) and _source_of(clause)[0] != ""),
)  # fmt: skip
