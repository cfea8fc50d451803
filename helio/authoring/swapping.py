"""Replace one spacecraft in a template by another one, using helio's table of quantities and no language model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices, fetch_pairs
from helio.authoring.operations import Operation, apply, style_lines
from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.errors import DataError, RequestError
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import ALIASES, craft_of, instrument_names, instrument_of, short
from helio.knowledge.quantities import Swap, rows_of, sources_of, spacecraft_named, swap
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, RENDER, STYLE
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import owner, produced_labels
from helio.steps.signature import signatures

_ASK_MODEL = f"{USE_A_MODEL} to let a model also change the steps that read these data"


def swapped(
    template: Document,
    mission: str,
    *,
    catalogue: Catalogue,
    instead_of: str = "",
    only: Collection[str] = (),
) -> tuple[list[Operation], list[str]]:
    """Replace a spacecraft in a template; return the operations to apply, and notes on how the new data differ.

    If the replaced spacecraft has no data left, titles, names of lines and descriptions get the new one's name.

    Parameters
    ----------
    mission : str
        The new spacecraft.
    instead_of : str
        The spacecraft to replace; empty for all.
    only : collection of str
        The ids of the fetches to change; empty for all of the spacecraft.

    Raises
    ------
    NotUnderstood
        A fetch cannot be replaced; the message gives the reason.
    """
    craft = spacecraft_named(mission)
    old = spacecraft_named(instead_of) if instead_of else ""
    if not only:
        _check_crafts(craft, old, crafts_in(template, catalogue))
    operations: list[Operation] = []
    notes: list[str] = []
    replaced, kept = set[str](), set[str]()
    cadences: dict[str, tuple[str, str]] = {}
    instruments: dict[str, str] = {}
    for step in _fetches(template):
        crafts = _crafts_of(step, catalogue)
        if (only and str(step.id) not in only) or (old and crafts and old not in crafts):
            kept |= set(crafts[:1])
            continue
        replaced |= {name for name in crafts[:1] if name}
        args, differences = _swapped_args(step, craft, catalogue)
        operations += replaced_args(template, step, args)
        notes += differences
        cadences[str(step.id)] = cadence_of(dict(step.params), catalogue), cadence_of(args, catalogue)
        instruments |= _instruments(step.params, args)
    if not operations:
        raise NotUnderstood(
            f"no fetch{f' of {old} data' if old else ''} in this pipeline can use another spacecraft"
        )
    replaced -= kept
    operations += list(_renamed(template, replaced, craft, cadences, instruments))
    operations += list(_relabelled(apply(template, operations), replaced, craft))
    return operations, notes


def crafts_in(template: Document, catalogue: Catalogue) -> list[str]:
    """Return the spacecraft whose data a template fetches, in the order of the template's steps."""
    return list(
        dict.fromkeys(craft for step in _fetches(template) for craft in _crafts_of(step, catalogue)[:1])
    )


def refetched(template: Document, step: StepView, pairs: Sequence[tuple[str, str]]) -> list[Operation]:
    """Return the operations that change a fetch's datasets and parameters, and the labels in the steps that read it."""
    return replaced_args(template, step, _args_with(step, pairs))


def replaced_args(template: Document, step: StepView, args: Document) -> list[Operation]:
    """Return the operations that give a fetch other arguments, and adapt the steps that read its tables."""
    old, new = step.outputs, produced_labels(signatures()[FETCH], args)
    new = new if len(new) == len(old) else new[:1] * len(old)
    changed = {before: after for before, after in zip(old, new, strict=True) if before != after}
    return [Operation("set", str(step.id), ("tool_args",), args), *_rewired(template, changed)]


def _check_crafts(craft: str, old: str, present: list[str]) -> None:
    if old and craft in present:
        raise NotUnderstood(
            f"the pipeline already uses {craft}, so {craft} cannot replace {old}",
            advice=f"remove the panels of {old}, or write a pipeline with {craft} only",
        )
    if not old and len(present) > 1:
        raise NotUnderstood(
            f"the pipeline uses {' and '.join(present)}. Which one should {craft} replace?",
            advice="say " + " or ".join(f"'replace {name} by {craft}'" for name in present if name != craft),
        )


def _steps(template: Document) -> Sequence[StepView]:
    return graph_of(template_in(template).steps, signatures()).steps


def _fetches(template: Document) -> list[StepView]:
    return [step for step in _steps(template) if step.tool == FETCH]


def _crafts_of(step: StepView, catalogue: Catalogue) -> list[str]:
    datasets = [choice.dataset_id for choice in fetch_choices(step.params)]
    crafts = [(catalogue.summary if name in catalogue else craft_of)(name).spacecraft for name in datasets]
    return [craft for craft in crafts if craft not in datasets]  # unknown ids are missions of their own


def cadence_of(args: Document, catalogue: Catalogue) -> str:
    """Return the cadence of a fetched quantity in words; empty if helio does not know the quantity."""
    pairs = [(choice.dataset_id, name) for choice in fetch_choices(args) for name in choice.parameters]
    rows = (
        row
        for dataset, name in pairs
        if dataset in catalogue
        for row in rows_of(catalogue.dataset(dataset))
        if name in row.parameters
    )
    row = next(rows, None)
    return "" if row is None else cadence_text(row.cadence) if row.cadence else "changing cadence"


def _instruments(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Map the names of the instrument of a fetch to the name of the instrument after a change."""
    old, new = (next((choice.dataset_id for choice in fetch_choices(args)), "") for args in (before, after))
    instrument = instrument_of(new, craft_of(new).mission)
    return dict.fromkeys(instrument_names(old) - instrument_names(new), instrument) if instrument else {}


def _swapped_args(step: StepView, craft: str, catalogue: Catalogue) -> tuple[Document, list[str]]:
    """Return a fetch's arguments for another spacecraft, and notes on how the new data differ."""
    args = step.params
    if args.get("provider"):
        return _swapped_sister(step, craft)
    if args.get("parameters") and args.get("dataset_id"):
        return _swapped_parameters(step, craft, catalogue)
    pairs = fetch_pairs(args)
    if not pairs:
        raise NotUnderstood(
            f"step {step.id} chooses its dataset during a run, so helio cannot replace the spacecraft"
        )
    first = _swap(*pairs[0], craft, catalogue)
    if len(first.parameters) != 1:
        raise NotUnderstood(
            f"{craft} has each component of {first.quantity} in a parameter of its own: "
            f"{first.dataset}.{'+'.join(first.parameters)}",
            advice=f"{USE_A_MODEL} to let a model write a fetch that joins the components",
        )
    chosen, notes = [(first.dataset, first.parameters[0])], [_difference(*pairs[0], first)]
    if (
        len(set(_crafts_of(step, catalogue))) == 1
        and craft_of(first.dataset).mission == craft_of(pairs[0][0]).mission
    ):
        for dataset, parameter in pairs[1:]:
            try:
                sister = _swap(dataset, parameter, craft, catalogue)
            except NotUnderstood:
                notes.append(f"{craft} has nothing in the place of {dataset}.{parameter}")
            else:
                chosen += [(sister.dataset, name) for name in sister.parameters]
    elif len(pairs) > 1 and first.quantity:
        others = sources_of(first.quantity, craft, frame=first.frame)
        preferred = next((source for source in others if source.dataset == first.dataset), None)
        alike = [source for source in others if preferred is not None and source.alike(preferred)]
        chosen += [(source.dataset, source.parameters[0]) for source in alike]
    return _args_with(step, list(dict.fromkeys(chosen))), notes


def _swapped_sister(step: StepView, craft: str) -> tuple[Document, list[str]]:
    """Replace a spacecraft of another server by its sister, whose id differs in the last sign: ``mms1``, ``mms2``."""
    dataset = str(step.params.get("dataset_id", ""))
    new = dataset[:-1] + craft[-1].lower()
    if craft_of(dataset).mission != craft_of(new).mission or craft_of(new).spacecraft != craft:
        raise NotUnderstood(
            f"helio does not know what '{dataset}' of {step.params['provider']} is called for {craft}",
            advice=f"change step {step.id} in the file of the pipeline",
        )
    return dict(step.params) | {"dataset_id": new}, [f"{dataset} becomes {new}"]


def _swapped_parameters(step: StepView, craft: str, catalogue: Catalogue) -> tuple[Document, list[str]]:
    """Replace several parameters of one dataset, if one dataset of the other spacecraft has all of them."""
    args = deepcopy(dict(step.params))
    dataset, parameters = args["dataset_id"], list(args["parameters"])
    swaps = [_swap(dataset, parameter, craft, catalogue) for parameter in parameters]
    if len({new.dataset for new in swaps}) > 1 or any(len(new.parameters) != 1 for new in swaps):
        found_parameters = ", ".join(
            dict.fromkeys(f"{new.dataset}.{'+'.join(new.parameters)}" for new in swaps)
        )
        raise NotUnderstood(
            f"{craft} has the parameters of step {step.id} in several datasets: {found_parameters}",
            advice="write a pipeline with one fetch for each dataset",
        )
    args |= {"dataset_id": swaps[0].dataset, "parameters": [new.parameters[0] for new in swaps]}
    return args, [_difference(dataset, name, new) for name, new in zip(parameters, swaps, strict=True)]


def _swap(dataset: str, parameter: str, craft: str, catalogue: Catalogue) -> Swap:
    try:
        new = swap(dataset, parameter, craft, catalogue=catalogue)
        sizes = [
            catalogue.dataset(name).parameter(own).size
            for name, own in ((dataset, parameter), (new.dataset, new.parameters[0]))
            if catalogue.dataset(name).parameters
        ]
    except (RequestError, DataError) as error:
        raise NotUnderstood(error.message, advice=error.advice) from error
    if len(new.parameters) == 1 and len(sizes) == 2 and bool(sizes[0]) != bool(sizes[1]):
        replaced = f"{dataset}.{parameter}"
        raise NotUnderstood(
            f"{replaced} is one component, but {new.dataset}.{new.parameters[0]} is a vector"
            if sizes[1]
            else f"{replaced} is a vector, but {craft} has each component in a parameter of its own",
            advice=_ASK_MODEL,
        )
    return new


def _difference(dataset: str, parameter: str, new: Swap) -> str:
    differences = f"; {', '.join(new.differences)}" if new.differences else ""
    return f"{dataset}.{parameter} becomes {new.dataset}.{new.parameters[0]}{differences}"


def _args_with(step: StepView, pairs: Sequence[tuple[str, str]]) -> Document:
    """Return the arguments of a fetch with the given datasets and parameters."""
    keys = ("candidates", "dataset_id", "parameter_id", "parameters")
    args = {key: value for key, value in deepcopy(step.params).items() if key not in keys}
    if len(pairs) == 1:
        return {"dataset_id": pairs[0][0], "parameter_id": pairs[0][1], **args}
    candidates = [{"dataset_id": dataset, "parameter_id": parameter} for dataset, parameter in pairs]
    return {"candidates": candidates, **args, "output_label": args.get("output_label", ".".join(pairs[0]))}


def _rewired(template: Document, labels: dict[str, str]) -> Iterator[Operation]:
    """Yield the operations by which steps read renamed labels, and style steps name them."""
    steps = [
        (step, [*step.labels, *(style_lines(step.params) if step.tool == STYLE else ())])
        for step in _steps(template)
    ]
    for label, new in labels.items():
        for step, read in steps:
            if any(owner(name, [label]) for name in read):
                yield Operation("rewire", str(step.id), old=label, new=new)


def _relabelled(template: Document, crafts: set[str], craft: str) -> Iterator[Operation]:
    """Rename labels that begin with the replaced spacecraft: ``ACE_Bmag`` would be wrong for Wind."""
    pattern = re.compile(
        rf"(?:{_any_of({short(name) for name in crafts} | crafts)})(?=[_\W]|$)", re.IGNORECASE
    )
    changed: dict[str, str] = {}
    for step in _steps(template):
        label = step.params.get("output_label")
        match = pattern.match(label) if isinstance(label, str) else None
        if match:
            changed[match.string] = short(craft) + match.string[match.end() :]
            yield Operation("set", str(step.id), ("tool_args", "output_label"), changed[match.string])
    yield from _rewired(template, changed)


def _renamed(
    template: Document,
    crafts: set[str],
    craft: str,
    cadences: dict[str, tuple[str, str]],
    instruments: dict[str, str],
) -> Iterator[Operation]:
    """Write the new spacecraft, its instruments and its cadence into the names, titles and intents of a template."""
    if not crafts:
        return
    names = _any_of(name for known in crafts for name in (known, *ALIASES.get(known, ())))
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE)
    spelt = {name.casefold() for name in ALIASES.get(craft, ())}

    def as_written(match: re.Match[str]) -> str:  # Van Allen Probe B for Van Allen Probe A
        sister = f"{match[0][:-1]}{craft[-1]}"
        return sister if sister.casefold() in spelt else craft

    for path, text in _texts(template):
        new = pattern.sub(as_written, text)
        for old, instrument in instruments.items():
            new = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", instrument, new)
        if path[-1] == "intent":
            old_cadence, cadence = cadences.get(path[0], ("", ""))
            if old_cadence:
                new = re.sub(rf"(?<!\w){re.escape(old_cadence)}(?!\w)", cadence or "another cadence", new)
        if new != text:
            yield Operation("set", path[0], path[1:], new)


def _texts(template: Document) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts in a template that people read, each with its path, which begins with the step's id."""
    texts = [(("", key), template.get(key)) for key in ("name", "description")]
    for step in template["steps"]:
        name = str(step["step_id"])
        texts.append(((name, "intent"), step.get("intent")))
        if step.get("tool_name") not in (*FIGURES, STYLE):
            continue
        path = (name, "tool_args", "spec") if step["tool_name"] == RENDER else (name, "tool_args")
        spec = spec_of(step)
        spec = spec if isinstance(spec, dict) else {}
        texts += [((*path, key), spec.get(key)) for key in ("title", "subtitle")]
        lines = spec.get("trace_names")
        texts += [
            ((*path, "trace_names", line), text)
            for line, text in (lines.items() if isinstance(lines, dict) else ())
        ]
    return ((path, text) for path, text in texts if isinstance(text, str))


def _any_of(names: Iterable[str]) -> str:
    """Return a regular expression that matches any of the names, and prefers longer names."""
    return "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True))
