"""Keep one of several sources of the same data: ``use GOES-16 only``, ``density from SPC only``."""

from __future__ import annotations

import re

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.arranging import keep_only
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.swapping import refetched
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import spellings

_USED = re.compile(r"\b(?:use|using|take|trust|rely\s+on)\b", re.IGNORECASE)
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
    behind = [label for line in editor.drawn for label in editor.behind(line)]
    editor.redraw(kept)
    editor.prune(behind)


def _chosen(editor: FigureEditor, clause: Clause) -> list[str]:
    """Return the line that one name means, if its panel draws another of which it is no part: ``the measured beta``."""
    lines = (
        editor.known(clause.names[0], every=True)
        if len(clause.names) == 1 and not clause.has("craft")
        else []
    )
    if len(lines) != 1:
        return []
    (line,) = lines
    beside = {other for panel in editor.panels if line in panel for other in panel} - {line}
    apart = [
        other for other in beside if line not in editor.behind(other) and other not in editor.behind(line)
    ]
    return lines if apart else []


def _fetch_only(editor: FigureEditor, sources: list[str]) -> bool:
    """Leave a choice of datasets those of some spacecraft or instruments; return whether there was such a choice."""
    found = False
    for step in editor.lines.graph.order:
        pairs = fetch_pairs(step.params) if step.tool == FETCH else []
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
    return _USED.search(clause.text) is not None or all(_FROM.fullmatch(name) for name in clause.names)


SOURCES_KEPT: tuple[Rule, ...] = (Rule("verb:only what", "craft", keep_source, _says_used),)
