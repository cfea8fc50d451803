"""One spacecraft in place of another, by the table of quantities: no model, and no physics chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy

from helio.authoring.operations import KEYED_BY_LABEL, Operation, apply
from helio.authoring.outcome import NotUnderstood
from helio.errors import DataError, RequestError
from helio.knowledge.cadence import cadence_text
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import ALIASES, short
from helio.knowledge.quantities import SOURCES, Swap, sources_of, spacecraft_named, swap
from helio.pipelines.dialect.walk import args_of, spec_of, wiring
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.pipelines.template.labels import owner, produced_labels
from helio.steps.signature import signatures


def swapped(
    template: Document, mission: str, *, catalogue: Catalogue, instead_of: str = ""
) -> tuple[list[Operation], list[str]]:
    """The operations by which a template fetches the same quantities of another spacecraft, and what then differs.

    Titles, names of lines and intents that name the spacecraft name the other one.

    Parameters
    ----------
    mission : str
        The spacecraft to take.
    instead_of : str
        The spacecraft whose fetches are swapped; all of them when left out.

    Raises
    ------
    NotUnderstood
        Something in it cannot be swapped; the message says what.
    """
    craft = spacecraft_named(mission)
    old = spacecraft_named(instead_of) if instead_of else ""
    operations: list[Operation] = []
    notes: list[str] = []
    before: set[str] = set()
    cadences: dict[str, tuple[str, str]] = {}
    there = crafts_in(template, catalogue)
    if old and craft in there:
        raise NotUnderstood(
            f"{craft} is in it already, beside {old}: it would be there twice",
            advice=f"remove the panels of {old}, or write a pipeline of {craft} alone",
        )
    if not old and len(there) > 1:
        raise NotUnderstood(
            f"it has data of {', '.join(there)}: which of them is to give way to {craft}?",
            advice=" or ".join(f"'replace {name} by {craft}'" for name in there if name != craft),
        )
    for step in template["steps"]:
        if step.get("tool_name") != "fetch_data":
            continue
        known = _crafts_of(step, catalogue)
        if old and known and old not in known:
            continue
        before |= set(known[:1])
        made, told = _swapped_fetch(template, step, craft, catalogue)
        operations += made
        notes += told
        cadences[str(step["step_id"])] = _cadences(step, made)
    if not operations:
        of = f" of {old}" if old else ""
        raise NotUnderstood(f"there is no fetch{of} in it that could be swapped")
    operations += list(_renamed(template, before, craft, cadences))
    operations += list(_relabelled(apply(template, operations), before, craft))
    return operations, notes


def crafts_in(template: Document, catalogue: Catalogue) -> list[str]:
    """The spacecraft whose data a template fetches, in the order of its steps."""
    return list(
        dict.fromkeys(
            craft
            for step in template["steps"]
            if step.get("tool_name") == "fetch_data"
            for craft in _crafts_of(step, catalogue)[:1]
        )
    )


def _crafts_of(step: Document, catalogue: Catalogue) -> list[str]:
    return [
        catalogue.summary(dataset).spacecraft
        for dataset in datasets_of(step["tool_args"])
        if dataset in catalogue
    ]


def _cadences(step: Document, operations: Sequence[Operation]) -> tuple[str, str]:
    """The cadence of what a fetch took and of what it takes now, as intents write them; empty where not known."""
    args: Document = next((operation.value for operation in operations if operation.at == ("tool_args",)), {})
    return _cadence(step["tool_args"]), _cadence(args)


def _cadence(args: Document) -> str:
    pairs = [
        *fetched(args),
        *((args.get("dataset_id"), parameter) for parameter in args.get("parameters") or ()),
    ]
    known = next(
        (
            source
            for pair in pairs
            for source in SOURCES
            if source.dataset == pair[0] and pair[1] in source.parameters
        ),
        None,
    )
    if known is None:
        return ""
    return cadence_text(known.cadence) if known.cadence else "changing cadence"


def _swapped_fetch(
    template: Document, step: Document, craft: str, catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    args = step["tool_args"]
    if isinstance(args.get("parameters"), list) and args.get("dataset_id"):
        return _swapped_parameters(template, step, craft, catalogue)
    pairs = list(fetched(args))
    if not pairs:
        raise NotUnderstood(f"step {step['step_id']} fetches what is only known when it runs")
    first = _swap(*pairs[0], craft, catalogue)
    if len(first.parameters) != 1:
        raise NotUnderstood(
            f"{craft} has the components of {first.quantity} apart: {first.dataset}.{'+'.join(first.parameters)}",
            advice="a fetch with parameters and join_components; a model can write it: set GEMINI_API_KEY",
        )
    chosen = [(first.dataset, first.parameters[0])]
    if len(pairs) > 1 and first.quantity:
        others = sources_of(first.quantity, craft, frame=first.frame)
        preferred = next((source for source in others if source.dataset == first.dataset), None)
        chosen += [
            (source.dataset, source.parameters[0])
            for source in others
            if preferred is not None
            and source.alike(preferred)
            and (source.dataset, source.parameters[0]) not in chosen
        ]
    return refetched(template, step, chosen), [_told(*pairs[0], first)]


def _swapped_parameters(
    template: Document, step: Document, craft: str, catalogue: Catalogue
) -> tuple[list[Operation], list[str]]:
    """Several parameters of one dataset, as long as the other spacecraft has them in one dataset too."""
    name, args = str(step["step_id"]), deepcopy(step["tool_args"])
    dataset, parameters = args["dataset_id"], list(args["parameters"])
    found = [_swap(dataset, own, craft, catalogue) for own in parameters]
    if len({source.dataset for source in found}) > 1 or any(len(source.parameters) != 1 for source in found):
        there = ", ".join(
            dict.fromkeys(f"{source.dataset}.{'+'.join(source.parameters)}" for source in found)
        )
        raise NotUnderstood(
            f"{craft} has the parameters of step {name} in several datasets", advice=f"there is {there}"
        )
    args |= {"dataset_id": found[0].dataset, "parameters": [source.parameters[0] for source in found]}
    operations = [Operation("set", name, ("tool_args",), args)]
    for parameter, source in zip(parameters, found, strict=True):
        label, new = f"{dataset}.{parameter}", f"{source.dataset}.{source.parameters[0]}"
        operations += [
            Operation("rewire", str(reader), old=label, new=new) for reader in _readers(template, label)
        ]
    return operations, [_told(dataset, own, other) for own, other in zip(parameters, found, strict=True)]


def _swap(dataset: str, parameter: str, craft: str, catalogue: Catalogue) -> Swap:
    try:
        found = swap(dataset, parameter, craft, catalogue=catalogue)
        sizes = [
            catalogue.dataset(name).parameter(own).size
            for name, own in ((dataset, parameter), (found.dataset, found.parameters[0]))
            if catalogue.dataset(name).parameters
        ]
    except (RequestError, DataError) as error:
        raise NotUnderstood(error.message, advice=error.advice) from error
    if len(found.parameters) == 1 and len(sizes) == 2 and bool(sizes[0]) != bool(sizes[1]):
        one, other = ("components apart", "a vector") if sizes[1] else ("a vector", "components apart")
        raise NotUnderstood(
            f"{dataset}.{parameter} is one of {one}, and {found.dataset}.{found.parameters[0]} is {other}"
            if sizes[1]
            else f"{dataset}.{parameter} is {one}, and {craft} has {other}",
            advice="the steps that read it have to change too; a model can write them: set GEMINI_API_KEY",
        )
    return found


def _told(dataset: str, parameter: str, found: Swap) -> str:
    differences = f"; {', '.join(found.differences)}" if found.differences else ""
    return f"{dataset}.{parameter} becomes {found.dataset}.{found.parameters[0]}{differences}"


def datasets_of(args: Document) -> list[str]:
    """The datasets that a fetch may take, the preferred one first."""
    named = [args["dataset_id"]] if isinstance(args.get("dataset_id"), str) and args["dataset_id"] else []
    others = [
        candidate if isinstance(candidate, str) else candidate.get("dataset_id", "")
        for candidate in args.get("candidates") or ()
    ]
    return [*named, *others]


def refetched(template: Document, step: Document, pairs: Sequence[tuple[str, str]]) -> list[Operation]:
    """The operations by which a fetch takes other datasets and parameters, and all that reads it still does."""
    name, args = str(step["step_id"]), deepcopy(step["tool_args"])
    old = produced_labels(signatures()["fetch_data"], args)
    for key in ("candidates", "dataset_id", "parameter_id", "parameters"):
        args.pop(key, None)
    if len(pairs) > 1:
        args = {
            "candidates": [{"dataset_id": dataset, "parameter_id": other} for dataset, other in pairs],
            **args,
        }
        args.setdefault("output_label", ".".join(pairs[0]))
    else:
        args = {"dataset_id": pairs[0][0], "parameter_id": pairs[0][1], **args}
    operations = [Operation("set", name, ("tool_args",), args)]
    [new] = produced_labels(signatures()["fetch_data"], args)
    for label in old:
        if label != new:
            operations += [
                Operation("rewire", str(reader), old=label, new=new) for reader in _readers(template, label)
            ]
    return operations


def fetched(args: Document) -> Iterator[tuple[str, str]]:
    """The datasets and parameters that a fetch of one parameter may take, the preferred one first."""
    parameter = args.get("parameter_id", "")
    if isinstance(args.get("parameters"), list):
        return
    if args.get("dataset_id"):
        yield args["dataset_id"], parameter
    for candidate in args.get("candidates") or ():
        yield (
            (candidate, parameter)
            if isinstance(candidate, str)
            else (candidate["dataset_id"], candidate.get("parameter_id", parameter))
        )


def _readers(template: Document, label: str) -> Iterator[object]:
    """The steps that read a label or a component of it, and the styles that name it."""
    for step in template["steps"]:
        read = wiring(step, signatures())[1]
        if step.get("tool_name") == STYLE:
            args = args_of(step)
            read += [
                drawn for key in KEYED_BY_LABEL if isinstance(args.get(key), dict) for drawn in args[key]
            ]
        if any(owner(shown, [label]) for shown in read):
            yield step["step_id"]


def _relabelled(template: Document, before: set[str], craft: str) -> Iterator[Operation]:
    """Labels that begin with the spacecraft's name, with the other one's: ``ACE_Bmag`` would lie about Wind."""
    names = {short(name) for name in before} | before
    spelt = "|".join(re.escape(spelling) for spelling in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?:{spelt})(?=[_\W]|$)", re.IGNORECASE)
    changed: dict[str, str] = {}
    for step in template["steps"]:
        args = step.get("tool_args")
        label = args.get("output_label") if isinstance(args, dict) else None
        found = pattern.match(label) if isinstance(label, str) else None
        if found and isinstance(label, str):
            changed[label] = short(craft) + label[found.end() :]
            yield Operation("set", str(step["step_id"]), ("tool_args", "output_label"), changed[label])
    for label, new in changed.items():
        for step_id in _readers(template, label):
            yield Operation("rewire", str(step_id), old=label, new=new)


def _renamed(
    template: Document, before: set[str], craft: str, cadences: dict[str, tuple[str, str]]
) -> Iterator[Operation]:
    """What is said for people, with the other spacecraft's name, and with its cadence where a fetch is told of."""
    names = {name for dataset in before for name in (dataset, *ALIASES.get(dataset, ()))}
    spelt = "|".join(re.escape(spelling) for spelling in sorted(names, key=len, reverse=True))
    if not spelt:
        return
    pattern = re.compile(rf"(?<![\w-])(?:{spelt})(?![\w-])", re.IGNORECASE)
    for key in ("name", "description"):
        if isinstance(template.get(key), str) and pattern.search(template[key]):
            yield Operation("set", "", (key,), pattern.sub(craft, template[key]))
    for step in template["steps"]:
        name = str(step["step_id"])
        intent = step.get("intent")
        if isinstance(intent, str):
            old, new = cadences.get(name, ("", ""))
            said = pattern.sub(craft, intent)
            if old:
                said = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new or "another cadence", said)
            if said != intent:
                yield Operation("set", name, ("intent",), said)
        if step.get("tool_name") not in (*FIGURES, STYLE):
            continue
        spec = spec_of(step)
        place = ("tool_args", "spec") if step.get("tool_name") == "render_spec" else ("tool_args",)
        for key in ("title", "subtitle", "trace_names"):
            value = spec.get(key) if isinstance(spec, dict) else None
            texts = value if isinstance(value, dict) else {"": value}
            for which, text in texts.items():
                if isinstance(text, str) and pattern.search(text):
                    more = (which,) if which else ()
                    yield Operation("set", name, (*place, key, *more), pattern.sub(craft, text))
