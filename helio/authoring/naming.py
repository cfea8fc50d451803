"""Compares what a figure and its labels say with the data: finds a title that names another spacecraft or frame.

HE404 (warning)  an author's title, name or label says another spacecraft, frame or component than the data
    A reader believes the title of a figure, and no other check finds a wrong one.
    before  Wind's field under the title 'ACE B in GSM'
    after   said in the review, with what the data are
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import stated_frame
from helio.knowledge.missions import short
from helio.knowledge.quantities import SOURCES
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.walk import spec_of
from helio.pipelines.plan import spelled
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE, complete_labels
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import owner
from helio.steps.fetch.choices import choices_of
from helio.steps.foreseen import NOTHING_KNOWN, Foreseen, foreseen
from helio.steps.signature import signatures

CODE = "HE404"
_FRAMES = re.compile(r"(?<![A-Za-z0-9])(?:GSE|GSM|RTN|HEEQ|HCI|HEE)(?![A-Za-z0-9])", re.IGNORECASE)
_COMPONENT = re.compile(r"(?:^|_)[BVE]_?([xyzrtn])(?:_|$)", re.IGNORECASE)


@dataclass(frozen=True)
class _Origin:
    """Where a table comes from.

    Parameters
    ----------
    crafts : frozenset of str
        Names of spacecraft and missions whose data went in.
    known : bool
        Whether those are all.
    table : Foreseen
        What is known of the table itself.
    """

    crafts: frozenset[str]
    known: bool
    table: Foreseen


_NOWHERE = _Origin(frozenset(), False, NOTHING_KNOWN)


def misnamed(
    template: Document, catalogue: Catalogue, datasets: Mapping[str, Dataset]
) -> Iterator[Diagnostic]:
    """Warnings of labels, titles and names of lines that name a spacecraft, frame or component that is not theirs.

    What is not known of the data is not held against what is said.
    """
    origins = _origins(template, catalogue, datasets)
    for step in template["steps"]:
        args = step.get("tool_args")
        if not isinstance(args, dict):
            continue
        name, tool = step["step_id"], str(step.get("tool_name"))
        label = args.get("output_label")
        if isinstance(label, str) and label in origins:
            yield from _wrong(name, tool, f"the label '{label}'", label, [origins[label]])
            yield from _other_component(name, tool, label, args.get("keep"))
        if tool in (*FIGURES, STYLE):
            yield from _said_of_figure(template, step, origins)
    if isinstance(template.get("name"), str):
        yield from _wrong(None, "", f"the name '{template['name']}'", template["name"], origins.values())


def _said_of_figure(
    template: Document, step: Document, origins: Mapping[str, _Origin]
) -> Iterator[Diagnostic]:
    spec, name, tool = spec_of(step), step["step_id"], str(step.get("tool_name"))
    if not isinstance(spec, dict):
        return
    figure = spec if tool != STYLE else _only_spec(template)
    panels = figure.get("panels")
    panels = panels if isinstance(panels, list) else []
    drawn = _of(complete_labels(figure), origins) or list(origins.values())
    for key in ("title", "subtitle"):
        if isinstance(spec.get(key), str):
            yield from _wrong(name, tool, f"the {key} '{spec[key]}'", spec[key], drawn)
    for line, text in _texts(spec.get("trace_names")):
        yield from _wrong(name, tool, f"the line's name '{text}'", text, _of([line], origins))
    for number, text in _texts(spec.get("y_label")):
        place = int(number) - 1 if number.isdigit() else -1
        panel = panels[place] if 0 <= place < len(panels) and isinstance(panels[place], list) else []
        yield from _wrong(name, tool, f"the axis label '{text}'", text, _of(panel, origins))


def _only_spec(template: Document) -> Document:
    """The figure that a style is about, where there is one alone."""
    found = [step for step in template["steps"] if step.get("tool_name") in FIGURES]
    spec = spec_of(found[0]) if len(found) == 1 else None
    return spec if isinstance(spec, dict) else {}


def _texts(value: Any) -> list[tuple[str, str]]:
    return (
        [(str(key), text) for key, text in value.items() if isinstance(text, str)]
        if isinstance(value, dict)
        else []
    )


def _of(labels: Iterable[Any], origins: Mapping[str, _Origin]) -> list[_Origin]:
    found = []
    for label in labels:
        table = owner(label, origins) if isinstance(label, str) else None
        if table is not None:
            one = origins[table]
            found.append(one if table == label else _Origin(one.crafts, one.known, one.table.component()))
        else:
            found.append(_NOWHERE)
    return found


def _wrong(
    step: StepId | None, tool: str, what: str, text: str, origins: Iterable[_Origin]
) -> Iterator[Diagnostic]:
    every = list(origins)
    theirs = frozenset[str]().union(*(origin.crafts for origin in every))
    others = sorted(_crafts_in(text) - theirs)
    if every and others and all(origin.known for origin in every):
        yield _warning(step, tool, f"{what} names {others[0]}, and the data are of {_listed(theirs)}")
    frames = {str(origin.table.frame) for origin in every if origin.table.frame != ""}
    named = {match[0].upper() for match in _FRAMES.finditer(text)}
    strange = sorted(named - {frame.upper() for frame in frames})
    if strange and frames and all(origin.table.frame is not None for origin in every):
        yield _warning(step, tool, f"{what} names {strange[0]}, and the data are in {_listed(frames)}")


def _other_component(step: StepId, tool: str, label: str, kept: object) -> Iterator[Diagnostic]:
    one = kept[0] if isinstance(kept, list) and len(kept) == 1 else kept
    said = _COMPONENT.search(label)
    if isinstance(one, str) and len(one) == 1 and said and said[1].casefold() != one.casefold():
        yield _warning(step, tool, f"the label '{label}' names component {said[1]}, and {one} is kept")


def _warning(step: StepId | None, tool: str, message: str) -> Diagnostic:
    return Diagnostic(CODE, message, "warning", step, tool, advice=("have it say what is drawn",))


def _listed(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _origins(template: Document, catalogue: Catalogue, datasets: Mapping[str, Dataset]) -> dict[str, _Origin]:
    """Find where each label comes from, in steps of any order. Labels of maps and in blocks are left out."""

    def rule(step: StepView, known: Mapping[str, _Origin]) -> dict[str, _Origin]:
        signature = step.signature
        if signature is None or not step.outputs or len(step.path) > 2 or step.step.for_each is not None:
            return {}
        if signature.gives == "tables":
            return _fetched(step.params, list(step.outputs), catalogue, datasets)
        if not all(owner(label, known) for label in step.labels):
            return {}
        of = _of(step.labels, known)
        inputs = {
            parameter: [origin.table for origin in _of((read.label for read in reads), known)]
            for parameter, reads in step.inputs.items()
        }
        crafts = frozenset[str]().union(*(origin.crafts for origin in of))
        table = foreseen(signature, step.params, inputs)
        return dict.fromkeys(
            step.outputs, _Origin(crafts, bool(of) and all(origin.known for origin in of), table)
        )

    return graph_of(template_in(spelled(template).plan).walk(), signatures()).propagate(rule)


def _fetched(
    args: Mapping[str, Any], labels: list[str], catalogue: Catalogue, datasets: Mapping[str, Dataset]
) -> dict[str, _Origin]:
    crafts: set[str] = set()
    known = True
    choices = choices_of(args) if args.get("dataset_id") or args.get("candidates") else []
    for choice in choices:
        if choice.dataset_id in catalogue:
            entry = catalogue.summary(choice.dataset_id)
            crafts |= {entry.spacecraft, entry.mission} - {""}
        else:
            known = False
    origins = {}
    for index, label in enumerate(labels):
        frames = {
            _frame(choice.dataset_id, choice.parameters, index, len(labels), datasets) for choice in choices
        }
        frame = frames.pop() if len(frames) == 1 else None
        origins[label] = _Origin(
            frozenset(crafts), known and bool(crafts), Foreseen(frame=frame, kinds=NOTHING_KNOWN.kinds)
        )
    return origins


def _frame(
    dataset_id: str, parameters: tuple[str, ...], place: int, count: int, datasets: Mapping[str, Dataset]
) -> str | None:
    """The frame of one of a fetch's tables; of components put together that of the last, as z says it of all."""
    entry = datasets.get(dataset_id)
    name = parameters[place] if len(parameters) == count else parameters[-1]
    if entry is None or name not in entry.parameters:
        return None
    alone = entry.parameters[name] == 1
    stated = entry.frames.get(name) or stated_frame(name, "" if alone else entry.descriptions.get(name, ""))
    return stated or ("" if alone else None)


def _crafts_in(text: str) -> set[str]:
    return {craft for craft, matches in _spelt() if matches(text)}


def _spelt() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Each spacecraft of the table of quantities, and how a text is seen to name it."""
    for craft in dict.fromkeys(source.spacecraft for source in SOURCES):
        forms = {craft, craft.upper(), craft.replace("-", " "), craft.replace("-", ""), short(craft)}
        spelt = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        # the solar wind is no spacecraft
        yield (
            craft,
            re.compile(rf"(?<![A-Za-z0-9-])(?<![Ss]olar )(?<![Ss]olar_)(?:{spelt})(?![A-Za-z0-9])").search,
        )
