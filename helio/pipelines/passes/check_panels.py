"""Check the settings for single panels of a figure, which name a panel by its number, and of its lines and events.

HV109 (error)  a setting for a panel or a line that the figure does not have
    The figure cannot be drawn; without this check, the run would fail after it has fetched all data.
    before  "panels": [["B"], ["n"]], "y_range": {"3": [0, 10]}
    after   refused, with the numbers of the panels
    to do   Use the number of a panel in `panels`, counted from 1 at the top; give lists one entry for each panel.
            Settings of lines name a label of the figure.

HV110 (error)  limits of an axis or of a shaded interval that are not in increasing order
    The figure cannot be drawn; without this check, the run would fail after it has fetched all data.
    before  "y_range": [50, -50]
    after   refused
    to do   Write the lowest value first, then the highest.

HV111 (error)  an entry of a figure that lacks a key, or has a key that does not fit the others or is no time
    The figure cannot be drawn; without this check, the run would fail after it has fetched all data.
    before  "events": [{"of": "durations", "by": "peaks"}]
    after   refused, with the key to add
    to do   Events with `by` need `levels` too. A vertical line needs either `x` or `of`; with `of`, also `panel`.
            A histogram has either `bins` or `bin_width`, which is above 0 and not for a logarithmic x axis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from helio.counts import number_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.figures import (
    AT_PANEL,
    BY_LINE,
    BY_NUMBER,
    ENTRIES,
    PER_PANEL,
    RENDER,
    TWO_SIDED,
    complete_labels,
    figure_of,
    panel_of,
)
from helio.pipelines.template.labels import close_labels, labels_at, owner, values_at
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.render.refusals import wrong_events, wrong_line, wrong_time, wrong_width
from helio.steps.render.spec import MOST_COLUMNS

_LIMITS = frozenset({"y_range", "bin_range"})
"""Keys of a figure whose value is the lowest and the highest value of an axis, or an object of them by panel."""
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?")
"""A time that sorts as text."""


def check_panels(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse settings for lines, and for panels if the figure lists its panels, that a figure does not have.

    >>> from datetime import datetime
    >>> spec = {"labels": ["B"], "panels": [["B"]], "y_range": {"2": [0, 10]}}
    >>> step = {"step_id": 1, "tool_name": "render_spec", "tool_args": {"spec": spec}}
    >>> template = Template.from_json({"steps": [step]})
    >>> [finding.message for finding in check_panels(template, Context({}, datetime.min, {}))]
    ['y_range: there is no panel 2']
    """
    del context
    for step in template.walk():
        spec = figure_of(step) if step.tool_name == RENDER else {}
        yield from _order_of_limits(step, spec)
        yield from _keys_of_entries(step, spec)
        yield from _wrong(step, _of_absent_lines(spec))
        panels = spec.get("panels")
        if not panels or not isinstance(panels, list):
            continue  # the tables, or a variable, decide how many there are
        entries = [key for key in ENTRIES if isinstance(spec.get(key), list) for _ in spec[key]]
        count = len(panels) + len(entries)
        last = f"choose a panel from 1 (top) to {count}" if count > 1 else "use panel 1, the only panel"
        yield from _wrong(step, _of_absent_panels(spec, len(panels), entries), last)
        yield from _wrong(step, [*_wrong_columns(spec, len(panels)), *_stray(spec)])


def _wrong(
    step: Step, findings: Iterable[tuple[Path, str, str]], otherwise: str = ""
) -> Iterator[Diagnostic]:
    """Refuse settings of a figure; `otherwise` is the advice about those that have no special advice."""
    for path, message, advice in findings:
        at = pointer(*step.path, "tool_args", "spec", *path)
        yield Diagnostic(
            "HV109", message, step_id=step.step_id, tool_name=RENDER, path=at, advice=(advice or otherwise,)
        )


def _of_absent_lines(spec: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Yield the path of each setting of a line that the figure does not draw, what is wrong, and an advice."""
    drawn = complete_labels(dict(spec))
    if not drawn or any(is_glob(label) or TOKEN.search(label) for label in drawn):
        return  # only the run knows its lines
    named: list[tuple[Path, str]] = [
        ((key, label), label) for key in BY_LINE for label in _names(spec.get(key))
    ]
    named += [(path, line) for path, line in values_at(spec, "bands.line") if isinstance(line, str)]
    for path, label in named:
        if owner(label, drawn) is None and not TOKEN.search(label):
            close = close_labels(label, drawn)
            advice = f"did you mean '{close[0]}'?" if close else f"choose one of {', '.join(drawn)}"
            yield path, f"{path[0]}: no line is called '{label}'", advice


def _order_of_limits(step: Step, spec: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Refuse limits of axes and of shaded intervals that are not in increasing order."""
    for path, limits in _reversed(spec):
        key = path[-1] if path[-1] in ("x_range", "y_range") else path[0]
        yield Diagnostic(
            "HV110",
            f"{key} is {limits}, which is not in increasing order",
            step_id=step.step_id,
            tool_name=RENDER,
            path=pointer(*step.path, "tool_args", "spec", *path),
            advice=("write the lowest value first, then the highest",),
        )


def _keys_of_entries(step: Step, spec: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Refuse entries that lack a key, or have one that does not fit the others or is no time."""
    rules = (("vlines", wrong_line), ("vlines", wrong_time), ("vrects", wrong_time),
             ("events", wrong_events), ("histograms", wrong_width))  # fmt: skip
    for key, rule in rules:
        for index, entry in enumerate(spec[key] if isinstance(spec.get(key), list) else ()):
            wrong = rule(entry) if isinstance(entry, dict) else None
            if wrong is not None:
                yield Diagnostic(
                    "HV111",
                    f"{key}: entry {index + 1}{wrong.message}",
                    step_id=step.step_id,
                    tool_name=RENDER,
                    path=pointer(*step.path, "tool_args", "spec", key, index),
                    advice=(wrong.advice,),
                )


def _reversed(spec: Mapping[str, Any]) -> Iterator[tuple[Path, list[Any]]]:
    """Yield the path of each pair of limits that is not in increasing order, with the limits."""
    places: list[tuple[Path, Any]] = []
    for key in _LIMITS & spec.keys():
        chosen = spec[key]
        places += (
            [((key, name), chosen[name]) for name in chosen]
            if isinstance(chosen, dict)
            else [((key,), chosen)]
        )
    for key in ENTRIES:
        for index, entry in enumerate(spec[key] if isinstance(spec.get(key), list) else ()):
            places += [((key, index, name), entry[name]) for name in ("x_range", "y_range") if name in entry]
    for index, rect in enumerate(spec["vrects"] if isinstance(spec.get("vrects"), list) else ()):
        ends = [rect.get("x0"), rect.get("x1")] if isinstance(rect, dict) else []
        if ends and all(_ISO.fullmatch(str(end)) for end in ends) and not str(ends[0]) < str(ends[1]):
            yield ("vrects", index), ends
    for path, limits in sorted(places, key=lambda place: list(map(str, place[0]))):
        numbers = isinstance(limits, list) and all(isinstance(limit, (int, float)) for limit in limits)
        if numbers and (len(limits) != 2 or not limits[0] < limits[1]):
            yield path, limits


def _of_absent_panels(
    spec: Mapping[str, Any], count: int, entries: Sequence[str]
) -> Iterator[tuple[Path, str, str]]:
    """Yield the path of each wrong setting, what is wrong, and a special advice if there is one.

    Parameters
    ----------
    count : int
        Number of panels in ``panels``.
    entries : sequence of str
        Keys of the entries that describe the panels below these, such as ``"xy"``.
    """
    columns = spec["columns"] if isinstance(spec.get("columns"), int) else 1
    for key in sorted(PER_PANEL & spec.keys()):
        if key == "row_heights" and (entries or columns < 1 or count % columns):
            continue  # the width of the figure decides how many of them stand in a row
        what, expected = (
            ("row", count // columns) if key == "row_heights" and columns > 1 else ("panel", count)
        )
        if isinstance(spec[key], list) and len(spec[key]) != expected:
            message = (
                f"{key} has {number_of(len(spec[key]), 'entry', 'entries')} for {number_of(expected, what)}"
            )
            yield (key,), message, f"write one entry for each {what}"
    numbers: list[tuple[Path, str | int]] = [
        ((key, name), panel_of(key, name))
        for key in sorted(BY_NUMBER & spec.keys())
        for name in _names(spec[key])
    ]
    for path, name in numbers:
        order = int(name) - count - 1 if str(name).isdecimal() else -1
        if 0 <= order < len(entries):
            kind = entries[order]
            advice = f"set its limits, labels and scales in that entry of {kind}"
            yield path, f"{path[0]}: panel {name} is described by an entry of {kind}", advice
    numbers += [
        ((key, index, "panel"), item["panel"])
        for key in sorted(AT_PANEL & spec.keys())
        for index, item in enumerate(spec[key] if isinstance(spec[key], list) else ())
        if isinstance(item, dict) and "panel" in item
    ]
    if isinstance(number := spec.get("log_scale"), int):
        numbers.append((("log_scale",), number))
    for path, number in numbers:
        if not str(number).isdecimal() or not 1 <= int(number) <= count + len(entries):
            yield path, f"{path[0]}: there is no panel {number}", ""


def _wrong_columns(spec: Mapping[str, Any], count: int) -> Iterator[tuple[Path, str, str]]:
    """Yield what is wrong with the columns of a figure with `count` panels in ``panels``."""
    columns, titles = spec.get("columns", 1), spec.get("column_titles")
    if not isinstance(columns, int):
        return  # a variable
    if not 1 <= columns <= MOST_COLUMNS:
        yield (
            ("columns",),
            f"columns: {columns} columns are not possible",
            f"choose 1 to {MOST_COLUMNS} columns",
        )
        return
    if count % columns:
        yield (
            ("columns",),
            f"columns: {number_of(count, 'panel')} do not fill rows of {columns}",
            f"list in panels as many panels for each of the {columns} columns, row by row",
        )
    if isinstance(titles, list) and len(titles) != columns:
        yield (
            ("column_titles",),
            f"column_titles has {number_of(len(titles), 'title')} for {number_of(columns, 'column')}",
            "write one title for each column" if columns > 1 else "set columns, or leave column_titles out",
        )
    if columns == 1 and spec.get("share_y") is True:
        yield ("share_y",), "share_y: the figure has one column", "set columns, or leave share_y out"
    labels = spec.get("ephemeris")
    if isinstance(labels, list) and len(labels) % columns:
        yield (
            ("ephemeris",),
            f"ephemeris: {number_of(len(labels), 'label')} cannot be divided among {columns} columns",
            f"name as many labels for each of the {columns} columns, in turn",
        )


def _stray(spec: Mapping[str, Any]) -> Iterator[tuple[Path, str, str]]:
    """Yield each label of a second y axis that is in no panel, or alone in its panel."""
    right = [(path, label) for path, label in labels_at(("right",), spec.get("right")) if not is_glob(label)]
    panels = [[label for _, label in labels_at((), panel)] for panel in spec["panels"]]
    moved = {label for _, label in right}
    for key in sorted(TWO_SIDED & spec.keys()):
        for name in _names(spec[key]):
            number = panel_of(key, name)
            inside = number != name and number.isdecimal() and 1 <= int(number) <= len(panels)
            if (
                inside
                and isinstance(spec.get("right", []), list)
                and not moved & set(panels[int(number) - 1])
            ):
                yield (
                    (key, name),
                    f"{key}: panel {number} has no y axis at the right",
                    "list the labels of this axis in right",
                )
    for path, label in right:
        own = [panel for panel in panels if label in panel]
        if not own and not any(is_glob(label) or "$" in label for panel in panels for label in panel):
            yield path, f"right: '{label}' is in no panel", "list it in a panel with another label"
        elif any(set(panel) <= moved for panel in own):
            yield (
                path,
                f"right: the panel of '{label}' has nothing on its left axis",
                "leave one label out of right",
            )


def _names(value: object) -> list[str]:
    return list(value) if isinstance(value, dict) else []
