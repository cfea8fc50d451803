"""Give the lines of a figure the colours that the lines of an earlier figure have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from helio.authoring.operations import Operation
from helio.errors import RequestError
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, RENDER, STYLE

_WHOLE = ("palette", "colorscale")
"""Keys of the colours of a whole figure."""


def colour_operations(
    template: Document, earlier: Iterable[tuple[str, Document]]
) -> tuple[Sequence[Operation], str]:
    """Return the operations that set the colours of a template's figure, and the name of the pipeline they come from.

    A line gets the colour of the line with the same label; otherwise of the line with the same last part of the label,
    as ``Bmag`` in ``ACE_Bmag``; otherwise of the line at the same place.

    Parameters
    ----------
    earlier : iterable of (str, dict)
        Templates with their names, the latest first; the first one with colours is used.

    Raises
    ------
    RequestError
        The template draws no figure, or no earlier figure has other colours for such lines.
    """
    step, lines = _figure(template)
    if step is None:
        raise RequestError("the pipeline draws no figure")
    step_id, path = str(step["step_id"]), ("tool_args", "spec")[: 2 if step.get("tool_name") == RENDER else 1]
    present = _looks(template)
    for name, other in earlier:
        looks = _looks(other)
        matched = _matched(lines, _figure(other)[1], looks.get("trace_colors") or {})
        colours = (present.get("trace_colors") or {}) | {**matched}
        wanted = {key: looks[key] for key in _WHOLE if looks.get(key)} | {"trace_colors": colours}
        operations = [
            Operation("set", step_id, (*path, key), value)
            for key, value in wanted.items()
            if value and present.get(key) != value
        ]
        if operations:
            return operations, name
    raise RequestError(
        "no earlier figure has other colours for such lines", advice="name the colours, such as 'make Bz red'"
    )


def _matched(lines: Sequence[str], others: Sequence[str], colours: Mapping[str, str]) -> Mapping[str, str]:
    """Return the colour of each line for which the earlier figure has a line that corresponds to it."""
    matched = {line: colours[line] for line in lines if line in colours}
    by_last = {_last(other): colour for other, colour in reversed(tuple(colours.items()))}
    for index, line in enumerate(lines):
        if line in matched:
            continue
        if _last(line) in by_last:
            matched[line] = by_last[_last(line)]
        elif index < len(others) and others[index] in colours:
            matched[line] = colours[others[index]]
    return matched


def _last(label: str) -> str:
    return label.replace(".", "_").rpartition("_")[2].casefold()


def _figure(template: Document) -> tuple[Document | None, Sequence[str]]:
    """Return the step that has the colours of the last figure, and the labels that the figure draws."""
    figures = [step for step in template.get("steps") or () if step.get("tool_name") in FIGURES]
    if not figures:
        return None, ()
    spec = spec_of(figures[-1]) or {}
    labels = spec.get("labels") or [label for panel in spec.get("panels") or [] for label in panel]
    styles = [step for step in template["steps"] if step.get("tool_name") == STYLE]
    return (styles or figures)[-1], [str(label) for label in labels]


def _looks(template: Document) -> Document:
    """Return the settings of a template's figures and styles together, a later one before an earlier one."""
    looks: Document = {}
    for step in template.get("steps") or ():
        if step.get("tool_name") in (*FIGURES, STYLE):
            looks |= {key: value for key, value in (spec_of(step) or {}).items() if value}
    return looks
