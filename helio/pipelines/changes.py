"""Describe in words the differences between two templates, and the work of a template.

Every differing key of a template is listed, with its full old and new values, and nothing else. Texts of several lines,
and lists, show the removed lines and items (``-``, with their number in the old text) and the added ones (``+``, with
their number in the new text).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher
from enum import Enum
from typing import Any, Literal, TypeGuard

from helio.counts import number_of
from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import STEP_DEFAULTS, Document
from helio.pipelines.template.figures import (
    FIGURES,
    RENDER,
    RIGHT,
    STYLE,
    TWO_SIDED,
    complete_labels,
    panel_of,
)
from helio.pipelines.template.from_document import KEY, from_document
from helio.pipelines.template.runner import RewriteResult
from helio.pipelines.template.schema import SCHEMA_VERSION
from helio.pipelines.template.shown_values import same, shown, shown_apart, shown_line, shown_name
from helio.pipelines.template.variables import TOKEN
from helio.steps.signature import signatures

Subject = Literal[
    "pipeline",
    "variable",
    "dataset",
    "parameter",
    "time",
    "operation",
    "unit",
    "label",
    "panel",
    "style",
    "step",
]

_OF_ARGUMENT: Mapping[str, tuple[Subject, str]] = {
    "dataset_id": ("dataset", "dataset"),
    "candidates": ("dataset", "candidates"),
    "provider": ("dataset", "provider"),
    "parameter_id": ("parameter", "parameter"),
    "parameters": ("parameter", "parameters"),
    "time_range": ("time", "time range"),
    "units": ("unit", "unit"),
    "output_label": ("label", "label of the result"),
    "source_label": ("label", "computed from"),
    "source_labels": ("label", "computed from"),
}
_OF_FIGURE: Mapping[str, tuple[Subject, str]] = {
    "labels": ("panel", "drawn"),
    "panels": ("panel", "panels"),
    "panel_types": ("panel", "kinds of panels"),
    "row_heights": ("panel", "heights of panels"),
    "columns": ("panel", "columns of panels"),
    "column_titles": ("panel", "titles of columns"),
    "share_y": ("panel", "same y range in each row"),
    "ephemeris": ("panel", "rows below the time axis"),
    "xy": ("panel", "panels of one quantity against another"),
    "histograms": ("panel", "histograms"),
    "orbits": ("panel", "orbits"),
}
_BY_LABEL = {
    "trace_colors": "colour of {}",
    "trace_names": "name of {} in the legend",
    "line_styles": "line of {}",
    "y_label": "y axis of panel {}",
    "y_range": "y range of panel {}",
    "log_scale": "y scale of panel {}",
    "linthresh": "linear part of the y axis of panel {}",
    "log_y": "logarithmic y axis of panel {}",
    "log_x": "logarithmic bin axis of panel {}",
    "bin_range": "bin range of panel {}",
    "bin_label": "bin axis of panel {}",
    "log_z": "logarithmic colour scale of panel {}",
    "z_min": "lower end of the colour scale of panel {}",
    "z_max": "upper end of the colour scale of panel {}",
}
_BY_PANEL = [key for key, words in _BY_LABEL.items() if "panel" in words]
_OF_STEP = {
    "step_id": "id",
    "tool_name": "tool",
    "tool_args": "arguments",
    "depends_on": "depends on",
    "for_each": "for each",
    "use": "pipeline",
    "block": "steps in the block",
    "on_item_error": "when an item fails",
    "pin": "pinned",
    "produces": "gives",
    "retry_delay": "retry delay",
}
_ORIGIN = ("$schema", "created_at", "updated_at", "source_session")
"""Keys that say where a template comes from and do not change its work."""
_WIDTH = 76
"""Maximum number of characters in a line: a mark before the line still fits into 80 columns."""
_LONGEST_SUMMARY = 120
"""Maximum number of characters in the line that describes a step."""
_OF_DATA: frozenset[Subject] = frozenset(("variable", "dataset", "parameter", "time", "operation", "unit"))
"""Kinds of changes after which a run fetches or computes something else."""
_LONGEST_VALUE = 40
"""Maximum number of characters in a value, in a line with several values."""
_MOST_COMPARED = 4_000_000
"""Maximum number of pairs of lines to compare; longer texts appear as removed and added as a whole."""


class Absence(Enum):
    ABSENT = "absent"


ABSENT = Absence.ABSENT
"""Value that stands for a missing key."""


@dataclass(frozen=True)
class ChangedItem:
    """A line of a text, or an item of a list, that was removed or added.

    Parameters
    ----------
    sign : str
        ``"-"`` removed, ``"+"`` added.
    number : int
        Number from 1: a removed item's in the old text or list, an added item's in the new one.
    value : Any
        JSON.
    is_line : bool
        Whether it is a line of a text.
    """

    sign: Literal["-", "+"]
    number: int
    value: Any
    is_line: bool


@dataclass(frozen=True)
class Change:
    """Change: one difference between two templates, with the values before and after.

    Parameters
    ----------
    subject : str
        Kind of object that changed.
    step_id : int, str or None
        None for the template as a whole.
    what : str
        Description of what differs: ``"colour of Bz"``; for an added or removed step, what it does.
    path : tuple
        The keys to the value, a step by its id: ``("steps", 4, "tool_args", "trace_colors", "Bz")``.
    before, after : Any
        The values; `ABSENT` where there was or is none, and where `items` show them.
    items : tuple of ChangedItem
        The removed or added lines or items.
    inner : tuple of Change
        The content of a step or another object that was added or removed as a whole.
    whole : str
        ``"step"`` or ``"value"`` where several lines describe something added or removed as a whole.
    is_inner : bool
        Whether it is part of such an object, so that it has no verb or sign of its own.
    with_defaults : str
        The new value with the defaults of the variables in it: ``310min`` for ``3$WINDOW``; otherwise empty.
    implied : tuple of tuple
        The keys to further values that follow from this change of a figure's panels: the list of all lines, and the
        settings of panels that get another number.
    """

    subject: Subject
    step_id: StepId | None
    what: str
    path: tuple[str | int, ...]
    before: Any = ABSENT
    after: Any = ABSENT
    items: tuple[ChangedItem, ...] = ()
    inner: tuple[Change, ...] = ()
    whole: Literal["", "step", "value"] = ""
    is_inner: bool = False
    with_defaults: str = ""
    implied: tuple[tuple[str | int, ...], ...] = ()

    @property
    def text(self) -> str:
        """Description of the difference, without the name of the step: ``"colour of Bz: blue → red"``."""
        if self.items:
            return _below(f"{self._title}:", _item_lines(self.items, signs=not self.is_inner))
        if self.whole:
            texts = [str(step) if step.step_id != self.step_id else step.text for step in self.inner]
            line = f"{self._title}: {'; '.join(texts)}"
            if self.subject == "variable" and "\n" not in line and len(line) <= _WIDTH:
                return line
            return _below(self._title, texts)
        old, new = shown_apart([None if value is ABSENT else value for value in (self.before, self.after)])
        if self.with_defaults:
            new = f"{new} (by default {shown(self.with_defaults)})"
        if self.before is ABSENT:
            line, signed = f"{self.what}: {new}", [new if self.is_inner else f"+ {new}"]
        elif self.after is ABSENT:
            line, signed = f"{self.what}: no longer {old}", [f"- {old}"]
        else:
            line, signed = f"{self.what}: {old} → {new}{self._factor}", [f"- {old}", f"+ {new}"]
        if len(line) <= _room(self.step_id) or len(old) + len(new) <= _LONGEST_VALUE:
            return line
        return _below(f"{self.what}:", signed)

    @property
    def is_short(self) -> bool:
        """Whether the description fits on one line."""
        return "\n" not in self.text and len(str(self)) <= _WIDTH

    @property
    def is_of_data(self) -> bool:
        """Whether the change is one of what is fetched or computed, not only of the figure, names or texts."""
        if self.subject == "step":
            return bool(self.whole) or self.path[-1] == "critical"
        return self.subject in _OF_DATA or (self.subject == "label" and "output_label" not in self.path)

    @property
    def _factor(self) -> str:
        """Say by which factor a number of a computation changes, because a reader may overlook a digit."""
        if self.subject not in _OF_DATA or not all(_is_number(value) for value in (self.before, self.after)):
            return ""
        return f" (×{self.after / self.before:.6g})" if self.before and self.after else ""

    @property
    def _title(self) -> str:
        if not self.whole or self.is_inner:
            return self.what
        verb = "added" if self.before is ABSENT else "removed"
        return f"{verb}: {self.what}" if self.whole == "step" else f"{self.what} {verb}"

    def __str__(self) -> str:
        return _of_step(self.step_id) + self.text

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for ``--json``; leave out ``before`` or ``after`` if the key is missing there."""
        facts: dict[str, Any] = {
            "subject": self.subject,
            "step_id": self.step_id,
            "what": self.what,
            "path": list(self.path),
        }
        if self.before is not ABSENT:
            facts["before"] = self.before
        if self.after is not ABSENT:
            facts["after"] = self.after
        for name, sign in (("removed", "-"), ("added", "+")):
            listed = [
                {"number": item.number, "value": item.value} for item in self.items if item.sign == sign
            ]
            if listed:
                facts[name] = listed
        if self.implied:
            facts["implied"] = [list(path) for path in self.implied]
        return facts | {"text": str(self)}


def changes(before: Document, after: Document) -> tuple[Change, ...]:
    """List all differences between two templates, in the order of `after`; if `before` is empty, list all of `after`.

    The order of keys, default values (``"critical": true``), and an order of steps that changes no result do not
    count.
    """
    variables = _object(after.get("variables")).items()
    defaults = {name: facts.get("default") for name, facts in variables if isinstance(facts, dict)}
    return tuple(_with_defaults(change, defaults) for change in _changes(before, after))


def _with_defaults(change: Change, defaults: Mapping[str, Any]) -> Change:
    """Add what a value means in which variables stand beside other text, as in ``3$WINDOW``."""
    inner = tuple(_with_defaults(part, defaults) for part in change.inner)
    value = change.after
    if change.subject not in _OF_DATA or not _is_around_variable(value):
        return replace(change, inner=inner) if inner else change
    return replace(
        change, inner=inner, with_defaults=TOKEN.sub(lambda name: str(defaults.get(name[0], name[0])), value)
    )


def _is_around_variable(value: Any) -> bool:
    return isinstance(value, str) and bool(TOKEN.search(value)) and not TOKEN.fullmatch(value)


def describe_step(step: Document) -> str:
    """Describe in one line what a step does, and name the arguments that do not fit on the line.

    >>> describe_step({"tool_name": "magnitude", "tool_args": {"source_label": "B", "output_label": "Bmag"}})
    'magnitude of B → Bmag'
    """
    line, unsaid = _summary(step, _LONGEST_SUMMARY)
    words = dict.fromkeys(
        change.what for change in unsaid if change.path[-1] not in ("intent", *STEP_DEFAULTS)
    )
    return line + (f"; with {', '.join(words)}" if words else "")


def readable(template: Document) -> str:
    """Write a template for people: first its variables, then for each step one line and its arguments."""
    lines = [f"pipeline {template.get('id', '')}: {template.get('name', '')}".rstrip(": ")]
    for name, facts in (template.get("variables") or {}).items():
        default = f" = {shown(facts['default'])}" if "default" in facts else ", required"
        lines.append(f"variable {name} ({facts.get('type')}){default}")
    for step in template.get("steps", ()):
        lines.append(f"step {step.get('step_id')}: {describe_step(step)}")
        lines.append(f"    {json.dumps(step, ensure_ascii=False)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class RemainingWork:
    """Steps of a changed template that a run must compute again, and steps whose results are stored."""

    recomputed: tuple[StepId, ...]
    unchanged: tuple[StepId, ...]


def work_left(
    before: Document | None,
    after: Document,
    *,
    now: datetime,
    catalogue: Mapping[str, Dataset] | None = None,
    pipelines: Mapping[str, Document] | None = None,
) -> RemainingWork:
    """Find the steps of a changed template that a run must compute again, because the change concerns their results.

    A step with unknown meaning counts as work.
    """
    context = Context(
        signatures(),
        now,
        {},
        catalogue={} if catalogue is None else catalogue,
        pipelines={} if pipelines is None else pipelines,
    )
    known = set() if before is None else set(_meant(normalise(before, context), context).values())
    planned = normalise(after, context)
    meant = _meant(planned, context)
    recomputed: list[StepId] = []
    unchanged: list[StepId] = []
    for step in planned.plan.get("steps", ()):
        meanings = [meant[name] for name in _names(step) if name in meant]
        (unchanged if meanings and all(step_id in known for step_id in meanings) else recomputed).append(
            step["step_id"]
        )
    return RemainingWork(tuple(recomputed), tuple(unchanged))


# Differences ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Location:
    """Place of two compared values in their templates, with its description in words."""

    subject: Subject
    step_id: StepId | None
    path: tuple[str | int, ...]
    what: str = ""

    def at(self, key: str, word: str = "", subject: Subject | None = None) -> _Location:
        """Return the location of a value in this object, by the key of the value."""
        word = word or shown_name(key)
        what = f"{self.what}, {word}" if self.what else word
        return replace(self, path=(*self.path, key), what=what, subject=subject or self.subject)

    def item(self, index: int) -> _Location:
        """Return the location of an item in this list, by the index of the item."""
        word = f"item {index + 1}"
        what = (
            f"panel {index + 1}" if self.what == "panels" else f"{self.what}, {word}" if self.what else word
        )
        return replace(self, path=(*self.path, index), what=what)

    def change(self, **values: Any) -> Change:
        return Change(self.subject, self.step_id, self.what, self.path, **values)


def _changes(before: Document, after: Document) -> Iterator[Change]:
    whole = _Location("pipeline", None, ())
    before, after = _without_defaults(before), _without_defaults(after)
    for key, was, now in _values_by_key(before, after):
        if key == "variables" and _are_objects(was, now):
            yield from _variables(whole.at(key), was, now)
        elif key == "steps" and _are_steps(was, now):
            yield from _steps(whole.at(key), was, now)
        else:
            yield from _values(whole.at(key), was, now)
    if _are_steps(before.get("steps"), after.get("steps")):
        yield from _order(whole.at("steps"), before, after)


def _without_defaults(template: Document) -> Document:
    """Return the template without default values and without facts about its origin."""
    left = {key: value for key, value in template.items() if key not in _ORIGIN}
    if same(left.get("schema_version"), SCHEMA_VERSION):
        del left["schema_version"]
    if same(left.get("variables"), {}):
        del left["variables"]
    return left


def _variables(location: _Location, before: Any, after: Any) -> Iterator[Change]:
    for name, was, now in _values_by_key(_object(before), _object(after)):
        variable = replace(
            location, subject="variable", path=(*location.path, name), what=f"variable {shown_name(name)}"
        )
        yield from _values(variable, was, now)


def _steps(location: _Location, before: Any, after: Any) -> Iterator[Change]:
    old, new = _by_id(before), _by_id(after)
    for name, step in new.items():
        position = _Location("step", step.get("step_id"), (*location.path, step.get("step_id", "")))
        if name in old:
            yield from _step(position, old[name], step)
        else:
            yield _whole_step(position, ABSENT, step)
    for name, step in old.items():
        if name not in new:
            position = _Location("step", step.get("step_id"), (*location.path, step.get("step_id", "")))
            yield _whole_step(position, step, ABSENT)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole_step(location: _Location, before: Any, after: Any) -> Change:
    width = _room(location.step_id) - len("removed: ")
    line, unsaid = _summary(before if after is ABSENT else after, width)
    return replace(location, what=line).change(before=before, after=after, inner=unsaid, whole="step")


def _inner(changed: Iterable[Change]) -> tuple[Change, ...]:
    """Mark changes as parts of an object that was added or removed as a whole."""
    return tuple(replace(change, is_inner=True) for change in changed)


def _order(location: _Location, before: Document, after: Document) -> Iterator[Change]:
    """Report that the order of steps has changed, if the order changes results or may change results."""
    old, new = _by_id(before["steps"]), _by_id(after["steps"])
    if _are_moved(old, new):
        moved = (old[name] for name in new if name in old)
        steps = [next(moved) if name in new else step for name, step in old.items()]
        results = _results(before)
        if results is None or results != _results({**before, "steps": steps}):
            yield _new_order(location, before["steps"], after["steps"])


def _are_moved(old: Mapping[Any, Document], new: Mapping[Any, Document]) -> bool:
    return [name for name in new if name in old] != [name for name in old if name in new]


def _new_order(location: _Location, before: list[Document], after: list[Document]) -> Change:
    ids = [[step.get("step_id") for step in steps] for steps in (before, after)]
    position = replace(location, subject="step", what="order of steps")
    return position.change(items=tuple(_compared(*ids, is_line=False)))


def _results(template: Document) -> Mapping[str, str] | None:
    """Return the signature of every result of a template; return None if a result has none."""
    context = Context(signatures(), datetime(2000, 1, 1), {})
    planned = normalise(template, context)
    if planned.errors:
        return None
    meant = _meant(planned, context)
    known = all(any(name in meant for name in _names(step)) for step in planned.plan["steps"])
    return meant if known else None


def _meant(planned: RewriteResult, context: Context) -> Mapping[str, str]:
    """Return the signature of every result of a plan that helio understands."""
    return meaning(template_in(planned.plan), context)


def _names(step: Document) -> list[str]:
    """Return the names of a planned step's results, as they appear among the signatures."""
    return [*step.get("produces", ()), *(f"{kind} {step['step_id']}" for kind in ("figure", "export"))]


def _step(location: _Location, before: Document, after: Document) -> Iterator[Change]:
    before, after = _without_step_defaults(before), _without_step_defaults(after)
    for key, was, now in _values_by_key(before, after):
        if key == "tool_args" and _are_objects(was, now):
            yield from _arguments(location.at(key), before, after)
        elif key == "annotations" and _are_objects(was, now):
            yield from _annotations(location.at(key), before, after)
        elif key == "block" and _are_steps(was, now):
            yield from _steps(location.at(key), was, now)
            if was is not ABSENT and now is not ABSENT and _are_moved(_by_id(was), _by_id(now)):
                yield _new_order(location.at(key), was, now)
        else:
            yield from _values(location.at(key, _OF_STEP.get(key, ""), _subject_of(key)), was, now)


def _annotations(location: _Location, before: Document, after: Document) -> Iterator[Change]:
    """Compare the annotations of a step; the values that were read from a document stand in lines, one for each."""
    documents = [from_document(step) for step in (before, after)]
    lines = [[] if document is None else document.lines for document in documents]
    if lines[0] != lines[1]:
        read = replace(location.at(KEY), what="values read from")
        yield read.change(items=tuple(_compared(lines[0], lines[1], is_line=True)))
    rest = [
        {name: note for name, note in step["annotations"].items() if document is None or name != KEY}
        if "annotations" in step
        else ABSENT
        for step, document in zip((before, after), documents, strict=True)
    ]
    yield from _values(location, *(ABSENT if notes == {} else notes for notes in rest))


def _subject_of(key: str) -> Subject:
    return "operation" if key in ("tool_name", "tool_args") else "step"


def _without_step_defaults(step: Document) -> Document:
    defaults = {**STEP_DEFAULTS, "tool_args": {}}
    return {
        key: value for key, value in step.items() if key not in defaults or not same(value, defaults[key])
    }


def _arguments(location: _Location, before: Document, after: Document) -> Iterator[Change]:
    old_args, new_args = _object(before.get("tool_args")), _object(after.get("tool_args"))
    location = replace(location, what="")
    tools = [step.get("tool_name") for step in (before, after)]
    if not all(tool in (*FIGURES, STYLE) for tool in tools):
        for key, old, new in _values_by_key(old_args, new_args):
            subject, word = _OF_ARGUMENT.get(key, ("operation", _words(key)))
            yield from _values(location.at(key, word, subject), old, new)
        return
    looks = [_looks(step) for step in (before, after)]
    for key, old, new in _values_by_key(looks[0][1], looks[1][1]):
        yield from _values(location.at(key, _words(key)), old, new)
    location = replace(location, path=(*location.path, "spec")) if tools[-1] == RENDER else location
    yield from _figure(location, looks[0][0], looks[1][0])


def _looks(step: Document) -> tuple[Document, Document]:
    """Split the arguments of a figure step into those about appearance and all others."""
    args = _object(step.get("tool_args"))
    if step.get("tool_name") != RENDER:
        return args, {}
    spec = args.get("spec")
    if not isinstance(spec, dict):
        return {}, args
    return spec, {key: value for key, value in args.items() if key != "spec"}


def _figure(location: _Location, before: Document, after: Document) -> Iterator[Change]:
    before, after = _without_empty(before), _without_empty(after)
    are_moved = not same(before.get("panels"), after.get("panels"))
    moved = [key for key in _BY_PANEL if are_moved and _moves_along(before, after, key)]
    places = [
        (key, number)
        for key in moved
        for number, *_ in _values_by_key(before.get(key, {}), after.get(key, {}))
    ]
    implied = (("labels",), *places) if _panels_say_labels(before, after) else tuple(places)
    for key, was, now in _values_by_key(before, after):
        if (key,) in implied or key in moved:
            continue
        subject, word = _OF_FIGURE.get(key, ("style", _words(key)))
        if key in _BY_LABEL and _are_objects(was, now):
            setting = location.at(key, subject=subject)
            for label, old, new in _values_by_key(_object(was), _object(now)):
                what = _BY_LABEL[key].format(shown_name(label))
                if "panel" in what and before:
                    what += _lines_of(after if label in _object(now) else before, key, label)
                position = replace(setting, path=(*setting.path, label), what=what)
                yield from _values(position, old, new)
        else:
            follow = tuple((*location.path, *path) for path in implied) if key == "panels" else ()
            for change in _values(location.at(key, word, subject), was, now):
                yield replace(change, implied=follow)


def _lines_of(spec: Document, key: str, number: str) -> str:
    """Name the lines of a panel or of one of its axes, by which a reader knows it: `` (B and Bmag)``."""
    lines = _labels_at(spec, key, number)
    if not lines:
        return ""
    first, *rest = (re.sub(r"^[\w-]*_[\w-]*\.", "", label) for label in lines)
    others = f" and {rest[0]}" if len(rest) == 1 else f" and {len(rest)} more" if rest else ""
    return f" ({shown_name(first)}{others})"


def _labels_at(spec: Document, key: str, number: str) -> list[str]:
    """Return the labels in the panel to which a setting belongs, or on its axis."""
    panels, right = spec.get("panels"), spec.get("right")
    panel = panel_of(key, number)
    place = int(panel) if panel.isdecimal() else 0
    lines = panels[place - 1] if isinstance(panels, list) and 0 < place <= len(panels) else None
    if not lines or not _are_labels(lines):
        return []
    if key in TWO_SIDED and isinstance(right, list):
        return [label for label in lines if (label in right) == number.endswith(RIGHT)] or lines
    return list(lines)


def _moves_along(before: Document, after: Document, key: str) -> bool:
    """Return whether settings by panel differ only because the panels of their lines have other numbers."""
    held = [_object(spec.get(key)) for spec in (before, after)]
    drawn = [_drawn_in_panels(spec) for spec in (before, after)]
    if same(*held) or any(len(set(labels)) < len(labels) for labels in drawn):
        return False
    places = [
        {number: _labels_at(spec, key, number) for number in values}
        for spec, values in zip((before, after), held, strict=True)
    ]
    was, now = (
        {label: values[number] for number, labels in by_number.items() for label in labels}
        for by_number, values in zip(places, held, strict=True)
    )
    return all(set(labels) & set(drawn[0]) for labels in places[1].values()) and all(
        same(was.get(label), now.get(label)) for label in drawn[0] if label in drawn[1]
    )


def _drawn_in_panels(spec: Document) -> list[str]:
    """Return the labels in all panels of a figure; nothing if a panel holds something else."""
    panels = spec.get("panels")
    if not isinstance(panels, list) or not all(map(_are_labels, panels)):
        return []
    return [label for panel in panels for label in panel]


def _panels_say_labels(before: Document, after: Document) -> bool:
    """Return whether the changes of a figure's panels also say how the list of its labels changes."""
    old, new = (_drawn_in_panels(spec) for spec in (before, after))
    old_labels, new_labels = before.get("labels"), after.get("labels")
    if not (old and new and _are_labels(old_labels) and _are_labels(new_labels)):
        return False
    if [sorted(old), sorted(new)] != [sorted(old_labels), sorted(new_labels)]:
        return False
    added = [label for label in new if label not in old]
    appended = [label for label in old_labels if label in new] + added
    return old != new and new_labels in (new, appended)


def _without_empty(spec: Document) -> Document:
    """Remove empty objects of settings by line or by panel from a figure."""
    return {key: value for key, value in spec.items() if key not in _BY_LABEL or not same(value, {})}


def _values(location: _Location, before: Any, after: Any) -> Iterator[Change]:
    """Compare two JSON values, key by key, item by item and line by line."""
    if before is after:
        return
    if before is ABSENT or after is ABSENT:
        yield _whole_value(location, before, after)
    elif same(before, after):
        return
    elif isinstance(before, dict) and isinstance(after, dict):
        for key, was, now in _values_by_key(before, after):
            yield from _values(location.at(key), was, now)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(location, before, after)
    elif isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        yield location.change(items=tuple(_compared(before.split("\n"), after.split("\n"), is_line=True)))
    else:
        yield location.change(before=before, after=after)


def _whole_value(location: _Location, before: Any, after: Any) -> Change:
    """Describe a value that was added or removed: on one line if it is short enough, otherwise line by line."""
    whole = location.change(before=before, after=after)
    value = before if after is ABSENT else after
    sign: Literal["-", "+"] = "-" if after is ABSENT else "+"
    if isinstance(value, str) and "\n" in value:
        items = tuple(
            ChangedItem(sign, number, line, True) for number, line in enumerate(value.split("\n"), 1)
        )
        return replace(whole, items=items, whole="value")
    if (
        not isinstance(value, (dict, list))
        or not value
        or (whole.is_short and location.path[0] != "variables")
    ):
        return whole
    if isinstance(value, dict):
        held = replace(location, what="")
        inner = _inner(change for key in value for change in _values(held.at(key), ABSENT, value[key]))
        return replace(whole, inner=inner, whole="value")
    if _has_containers(value):
        held = replace(location, what="panels" if location.what == "panels" else "")
        inner = _inner(
            change for index, item in enumerate(value) for change in _values(held.item(index), ABSENT, item)
        )
        return replace(whole, inner=inner, whole="value")
    items = tuple(ChangedItem(sign, number, item, False) for number, item in enumerate(value, 1))
    return replace(whole, items=items, whole="value")


def _lists(location: _Location, before: list[Any], after: list[Any]) -> Iterator[Change]:
    whole = location.change(before=before, after=after)
    if not _has_containers(before) and not _has_containers(after):
        apart = not any(same(was, now) for was in before for now in after)
        is_range = len(before) == len(after) <= 2 and all(map(_is_number, (*before, *after)))
        items = tuple(_compared(before, after, is_line=False))
        yield whole if (apart or is_range) and whole.is_short else location.change(items=items)
        return
    moved = [index for index, pair in enumerate(zip(before, after, strict=False)) if not same(*pair)]
    are_exchanged = len(before) == len(after) and len(moved) == 2
    if are_exchanged and same([before[index] for index in moved], [after[index] for index in moved[::-1]]):
        for index in moved:
            yield from _values(location.item(index), before[index], after[index])
        return
    for i1, i2, j1, j2 in _replaced(before, after):
        pairs = i2 - i1 if i2 - i1 == j2 - j1 else 0
        for offset in range(pairs):
            yield from _values(location.item(j1 + offset), before[i1 + offset], after[j1 + offset])
        for index in range(i1 + pairs, i2):
            yield from _values(location.item(index), before[index], ABSENT)
        for index in range(j1 + pairs, j2):
            yield from _values(location.item(index), ABSENT, after[index])


def _compared(old: Sequence[Any], new: Sequence[Any], *, is_line: bool) -> Iterator[ChangedItem]:
    for i1, i2, j1, j2 in _replaced(old, new):
        yield from (ChangedItem("-", index + 1, old[index], is_line) for index in range(i1, i2))
        yield from (ChangedItem("+", index + 1, new[index], is_line) for index in range(j1, j2))


def _replaced(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the parts in which two lists differ: start and stop in the old list, start and stop in the new list."""
    old_texts, new_texts = [[json.dumps(item, sort_keys=True) for item in items] for items in (old, new)]
    first = 0
    while first < min(len(old_texts), len(new_texts)) and old_texts[first] == new_texts[first]:
        first += 1
    last = 0
    while last < min(len(old_texts), len(new_texts)) - first and old_texts[-1 - last] == new_texts[-1 - last]:
        last += 1
    inner_old, inner_new = old_texts[first : len(old_texts) - last], new_texts[first : len(new_texts) - last]
    if len(inner_old) * len(inner_new) > _MOST_COMPARED:
        yield first, len(old_texts) - last, first, len(new_texts) - last
        return
    for kind, *bounds in SequenceMatcher(None, inner_old, inner_new, autojunk=False).get_opcodes():
        if kind != "equal":
            i1, i2, j1, j2 = (first + at for at in bounds)
            yield i1, i2, j1, j2


def _by_id(steps: Any) -> dict[tuple[str, int], Document]:
    """Index steps by id; if several steps have the same id, number them in their order."""
    steps_by_id: dict[tuple[str, int], Document] = {}
    for step in steps if isinstance(steps, list) else ():
        number = 0
        while (str(step.get("step_id")), number) in steps_by_id:
            number += 1
        steps_by_id[str(step.get("step_id")), number] = step
    return steps_by_id


def _values_by_key(before: Document, after: Document) -> Iterator[tuple[str, Any, Any]]:
    """Yield each key with its values before and after, in the order after; `ABSENT` stands for a missing value."""
    for key in dict.fromkeys([*after, *before]):
        yield key, before.get(key, ABSENT), after.get(key, ABSENT)


def _object(value: Any) -> Document:
    return value if isinstance(value, dict) else {}


def _are_objects(before: Any, after: Any) -> bool:
    """Return whether all values are objects; missing values do not count."""
    return all(isinstance(value, dict) for value in (before, after) if value is not ABSENT)


def _are_steps(before: Any, after: Any) -> bool:
    return all(
        isinstance(steps, list) and all(isinstance(step, dict) for step in steps)
        for steps in (before, after)
        if steps is not ABSENT
    )


def _has_containers(items: list[Any]) -> bool:
    return any(isinstance(item, (list, dict)) for item in items)


# Words ----------------------------------------------------------------------------------------------------


def _words(key: str) -> str:
    return shown_name(key.replace("_", " "))


def _of_step(step_id: StepId | None) -> str:
    return "" if step_id is None else f"step {shown_name(str(step_id))}: "


def _room(step_id: StepId | None) -> int:
    return _WIDTH - len(_of_step(step_id))


def _below(title: str, texts: Sequence[str]) -> str:
    """Join a title and indented lines."""
    return "\n".join([title, *(f"    {line}" for text in texts for line in text.split("\n"))])


def _item_lines(items: Sequence[ChangedItem], *, signs: bool) -> list[str]:
    width = max(len(str(item.number)) for item in items)
    texts = shown_apart([item.value for item in items], shown_line if items[0].is_line else shown)
    return [
        f"{item.sign + ' ' if signs else ''}{item.number:>{width}}  {text}"
        for item, text in zip(items, texts, strict=True)
    ]


def _summary(step: Document, width: int) -> tuple[str, tuple[Change, ...]]:
    """Describe a step in one line, and collect the arguments that the line leaves out."""
    args, tool = step.get("tool_args"), step.get("tool_name")
    if isinstance(step.get("use"), str):
        line, shown_step = f"the pipeline {shown(step['use'])}", {"use": step["use"]}
    elif isinstance(step.get("block"), list):
        line, shown_step = f"a block of {number_of(len(step['block']), 'step')}", {}
    elif not isinstance(tool, str):
        line, shown_step = "a step", {}
    else:
        line, shown_step = shown(tool), {"tool_name": tool}
        spec = spec_of(step)
        if tool in FIGURES and isinstance(spec, dict):
            drawn, keys = _drawn(spec)
            shown_spec = {key: spec[key] for key in keys if key in spec}
            shown_args = {"spec": shown_spec} if tool == RENDER else shown_spec
        elif isinstance(args, dict):
            drawn, keys = _fetched(args) if tool == "fetch_data" else _computed(tool, args)
            shown_args = {key: args[key] for key in keys if key in args}
        else:
            drawn, shown_args = line, {}
        if len(drawn) <= width:
            line, shown_step["tool_args"] = drawn, shown_args
    step_id = step.get("step_id")
    shown_step["step_id"] = step_id
    return line, _inner(
        _step(_Location("step", step_id, ("steps", str(step_id))), shown_step, {"step_id": step_id, **step})
    )


def _fetched(args: Document) -> tuple[str, tuple[str, ...]]:
    keys = ("dataset_id", "parameters", "parameter_id", "time_range", "output_label")
    keys_shown = [key for key in keys if args.get(key)]
    parameters = [args[key] for key in ("parameters", "parameter_id") if args.get(key)]
    datasets = [shown(args["dataset_id"])] if args.get("dataset_id") else []
    choices = args.get("candidates")
    # next to a candidate's parameter, the step's own would look like another one
    if (
        isinstance(choices, list)
        and choices
        and all(_is_choice(choice, alone=not parameters) for choice in choices)
    ):
        keys_shown.append("candidates")
        datasets.append(" or ".join(_named(choice) for choice in choices))
    over = f" over {shown(args['time_range'])}" if args.get("time_range") else ""
    return " ".join(["fetch", *datasets, *map(shown, parameters)]) + over + _given(args), tuple(keys_shown)


def _is_choice(choice: Any, *, alone: bool) -> bool:
    """Return whether the values of a candidate describe the candidate well enough for one line."""
    pair = isinstance(choice, dict) and list(choice) == ["dataset_id", "parameter_id"]
    return isinstance(choice, str) or (pair and alone)


def _named(choice: Any) -> str:
    return shown(choice) if isinstance(choice, str) else " ".join(map(shown, choice.values()))


def _drawn(spec: Document) -> tuple[str, tuple[str, ...]]:
    keys_shown = ["title"] if isinstance(spec.get("title"), str) and "'" not in spec["title"] else []
    line = f"figure '{shown(spec['title'])}'" if keys_shown else "figure"
    panels, labels = spec.get("panels"), complete_labels(spec)
    if isinstance(panels, list) and panels and all(_are_labels(panel) and panel for panel in panels):
        keys_shown.append("panels")
        if same(spec.get("labels", labels), [label for panel in panels for label in panel]):
            keys_shown.append("labels")
        return f"{line}: {' | '.join(' + '.join(map(shown, panel)) for panel in panels)}", tuple(keys_shown)
    if panels is None and labels and _are_labels(spec.get("labels")):
        return f"{line}: {', '.join(map(shown, labels))}", (*keys_shown, "labels")
    return line, tuple(keys_shown)


def _are_labels(value: Any) -> TypeGuard[list[str]]:
    """Return whether a list contains only labels, and all fit together on one line."""
    return isinstance(value, list) and all(
        isinstance(item, str) and not any(mark in item for mark in (" + ", " | ", ", ")) for item in value
    )


def _computed(tool: str, args: Document) -> tuple[str, tuple[str, ...]]:
    sources = [key for key in ("source_label", "source_labels") if args.get(key)][:1]
    others = [
        key
        for key, value in args.items()
        if key not in (*sources, "output_label")
        and len(shown(value)) <= _LONGEST_VALUE
        and not _is_around_variable(value)
        and "\n" not in str(value)
    ]
    if tool == STYLE:
        line = (
            "style: " + ", ".join(f"{_words(key)} {shown(args[key])}" for key in others)
            if others
            else "style"
        )
        return line, tuple(others)
    of = f" of {shown(args[sources[0]])}" if sources else ""
    given = ", ".join(f"{shown_name(key)} = {shown(args[key])}" for key in others)
    line = shown(tool) + of + (f" ({given})" if given else "") + _given(args)
    return line, (*sources, *others, *(["output_label"] if args.get("output_label") else []))


def _given(args: Document) -> str:
    """Return the label of a step's result."""
    return f" → {shown(args['output_label'])}" if args.get("output_label") else ""
