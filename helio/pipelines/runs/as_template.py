"""A template made from what runs did: what failed, and what led nowhere, is left out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helio.errors import DamagedRecord, RequestError
from helio.pipelines.dialect.walk import args_of, each_step, name_of, needs_of, wiring
from helio.pipelines.plan import spelled
from helio.pipelines.runs.states import DONE
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import MANAGE, STYLE
from helio.pipelines.template.labels import owner
from helio.pipelines.template.variables import TOKEN, substitute, tokens
from helio.sources.archives import is_folder
from helio.sources.registry import BY_ADDRESS, is_url, name_of_server
from helio.steps.signature import signatures
from helio.store.records import WrongShape, convert
from helio.store.runs import RunRecord
from helio.time_range import is_relative, parse_time_range


@dataclass(frozen=True)
class Chosen:
    """Steps of a run: those that are named, or all that came to something."""

    run: RunRecord
    steps: tuple[str, ...] = ()


def template_of(
    chosen: Sequence[Chosen], name: str, servers: Mapping[str, Mapping[str, str]] | None = None
) -> tuple[Document, tuple[str, ...]]:
    """The template of what one or several runs did, not verified yet, and what is to be said of it.

    Variables keep their names and get the values of the run as defaults. A default that the run used stays as it is
    written, so that "last 7 days" still moves with the clock. Dependencies are left for passes to derive. Fetches name
    the archive of their run as their provider, so that the template runs again as it is. A folder or an address cannot
    stand in a template; a note then says what to pass.

    Parameters
    ----------
    servers : mapping, optional
        For each family of servers, URLs by name beside those that are shipped.

    Raises
    ------
    RequestError
        A step that is named is not there or failed; two runs give one label to different work; nothing is left.
    """
    notes: list[str] = []
    steps: list[Document] = []
    variables: Document = {}
    phrases: dict[str, Any] = {}
    for choice in chosen:
        taken, left_out = _steps_of(choice)
        provider, how = _provider_of(choice.run, name, servers or {})
        notes += how
        if provider:
            fetches = _fetches(choice.run)
            taken = [_served_by(provider, step, fetches) for step in taken]
            notes += [
                f"{choice.run.id}: step {step['step_id']} uses the pipeline {step['use']}, which may have its data "
                f"from elsewhere: helio run {name} --archive {provider}"
                for step in taken
                if "use" in step
            ]
        notes += [f"{choice.run.id}: step {step} {why}" for step, why in left_out]
        declared = _with_values(choice.run)
        renamed = _apart(variables, declared)
        used = {name for step in taken for name in _variables_of(step)}
        variables |= {renamed.get(key, key): facts for key, facts in declared.items() if key in used}
        phrases |= {
            renamed.get(key, key): text for key, text in _defaults_used(choice.run).items() if key in used
        }
        steps += _merged(steps, [_respelt(step, renamed) for step in taken], choice.run.id)
    if not steps:
        raise RequestError("nothing is left to save", advice="helio runs show RUN says what each step did")
    for variable, phrase in phrases.items():
        # runs of different days compare those days, whatever phrase they had
        if list(phrases.values()).count(phrase) == 1:
            variables[variable] = {**variables[variable], "default": phrase}
    first = chosen[0].run.authored
    made = {
        "schema_version": 1,
        "id": name,
        "name": first.get("name") or name,
        "description": first.get("description")
        or f"What {', '.join(choice.run.id for choice in chosen)} did.",
        "variables": variables,
        "steps": steps,
    }
    return made, tuple(notes)


def _provider_of(
    run: RunRecord, name: str, servers: Mapping[str, Mapping[str, str]]
) -> tuple[str, list[str]]:
    """The provider that a template can name for the archive of a run; else what to pass to run it."""
    archive = run.whole_header.get("archive")
    if archive is None:
        return "", [f"{run.id}: its record does not say which archive it used; --archive may be needed"]
    if is_url(archive):
        known = name_of_server(archive, servers)
        variable = f"HELIO_{BY_ADDRESS.upper()}_SERVERS"
        return known, [] if known else [
            f"{run.id}: its data came from {archive}, and a template cannot hold an address. To run it: "
            f"helio run {name} --archive {archive}; or name the server, {variable}=NAME={archive}, "
            f'and write "provider": "{BY_ADDRESS}:NAME" in the step'
        ]
    if is_folder(archive):
        return "", [
            f"{run.id}: its data came from the folder {archive}, and a template cannot name a folder. To run it: "
            f"helio run {name} --archive {shlex.quote(archive)}"
        ]
    return archive, []


def _fetches(run: RunRecord) -> dict[str, Document]:
    """The fetches of a run as it was written, spelt as their tool is, by their ids."""
    found = {}
    for _, step in each_step(spelled(run.authored).plan):
        signature = signatures().get(name_of(step))
        if signature is not None and signature.gives == "tables":
            found[str(step["step_id"])] = step
    return found


def _served_by(provider: str, step: Document, fetches: Mapping[str, Document]) -> Document:
    """A step whose fetches, itself or those of its block, name their provider and no other one."""
    if "block" in step:
        return {**step, "block": [_served_by(provider, inner, fetches) for inner in step["block"]]}
    fetch = fetches.get(str(step.get("step_id")))
    if fetch is None:
        return step
    args = {**args_of(fetch), "provider": provider}
    if args.get("candidates"):
        args["candidates"] = [
            {key: value for key, value in arg.items() if key != "provider"} if isinstance(arg, dict) else arg
            for arg in args["candidates"]
        ]
    return {**step, "tool_name": fetch["tool_name"], "tool_args": args}


def _steps_of(chosen: Chosen) -> tuple[list[Document], list[tuple[StepId, str]]]:
    """The steps to take, and why the others are left out."""
    authored = chosen.run.authored["steps"]
    states = _states(chosen.run)
    ids = {str(step["step_id"]) for step in authored}
    for wanted in chosen.steps:
        if wanted not in ids:
            raise RequestError(
                f"{chosen.run.id} has no step {wanted}", advice=f"steps: {', '.join(sorted(ids))}"
            )
        if states.get(wanted) not in DONE:
            raise RequestError(f"step {wanted} of {chosen.run.id} is {states.get(wanted, 'not done')}")
    left_out: list[tuple[StepId, str]] = []
    taken = []
    for step in authored:
        state = states.get(str(step["step_id"]), "not done")
        if state not in DONE:
            left_out.append((step["step_id"], f"is left out: it is {state}"))
        else:
            taken.append(step)
    wanted_ids = set(chosen.steps) or {str(step["step_id"]) for step in taken if _ends(step)}
    needed = _needed(taken, wanted_ids) if wanted_ids else {str(step["step_id"]) for step in taken}
    for step in taken:
        if str(step["step_id"]) not in needed:
            left_out.append((step["step_id"], "is left out: nothing that is kept uses it"))
    return [deepcopy(step) for step in taken if str(step["step_id"]) in needed], left_out


def _states(run: RunRecord) -> Mapping[str, str]:
    """What became of each authored step: of what it was expanded to the worst, of a style what its figure came to."""
    authored = [str(step["step_id"]) for step in run.authored["steps"]]
    found: dict[str, str] = {}
    for step in run.step_records:
        name = str(step["step_id"])
        for step_id in authored:
            # the items of a map are ID[item], the steps of another pipeline ID.its
            if (name == step_id or name.startswith((f"{step_id}[", f"{step_id}."))) and found.get(
                step_id, DONE[0]
            ) in DONE:
                found[step_id] = step["state"]
    for step in run.normalised["steps"]:
        kept = step.get("annotations")
        for other in kept.get("stands_for", ()) if isinstance(kept, dict) else ():
            found.setdefault(str(other), found.get(str(step["step_id"]), "not done"))
        if step.get("tool_name") == MANAGE:  # its file is one of its figure's
            states = [found.get(str(other), "not done") for other in needs_of(step)]
            found.setdefault(
                str(step["step_id"]), next((state for state in states if state not in DONE), DONE[0])
            )
    return found


def _ends(step: Document) -> bool:
    """Whether a step gives something to look at."""
    signature = signatures().get(str(step.get("tool_name")))
    return signature is None or signature.gives in ("figure", "export")


def _needed(steps: Sequence[Document], wanted: set[str]) -> set[str]:
    """The steps wanted, all that they rest on, and the styles of their figures."""
    by_id = {str(step["step_id"]): step for step in steps}
    producers = {
        label: name
        for name, step in by_id.items()
        for label in (*_gives(step), *(step.get("produces") or ()))
        if name_of(step) in signatures()
    }
    needed: set[str] = set()
    waiting = sorted(wanted)
    while waiting:
        name = waiting.pop()
        if name in needed or name not in by_id:
            continue
        needed.add(name)
        waiting += [str(step_id) for step_id in needs_of(by_id[name])]
        # a figure that names no labels draws every table
        signature, labels = signatures().get(name_of(by_id[name])), wiring(by_id[name], signatures())[1]
        draws_all = signature is not None and signature.gives == "figure" and not labels
        every = producers if draws_all else labels
        waiting += [producers[table] for label in every if (table := owner(label, producers))]
        waiting += [
            str(other["step_id"])
            for other in steps
            if other.get("tool_name") == STYLE and name in map(str, needs_of(other))
        ]
    return needed


def _with_values(run: RunRecord) -> Document:
    """The run's variables, with the values that it had as defaults."""
    values = run.whole_header["values"]
    return {
        name: {**facts, "default": values[name]} if name in values else dict(facts)
        for name, facts in _declared(run).items()
    }


def _declared(run: RunRecord) -> dict[str, Document]:
    """The variables of the template that ran.

    Raises
    ------
    DamagedRecord
    """
    try:
        found: dict[str, Document] = convert(
            run.authored.get("variables") or {}, dict[str, dict[str, Any]], "variables"
        )
    except WrongShape as error:
        raise DamagedRecord(f"the template in the record of run '{run.id}': {error}") from error
    return found


def _defaults_used(run: RunRecord) -> Document:
    """The relative time ranges by default that the run used, as their author wrote them."""
    now = datetime.fromisoformat(run.whole_header["now"])
    found: Document = {}
    for name, facts in _declared(run).items():
        phrase, value = facts.get("default"), run.whole_header["values"].get(name)
        if facts.get("type") != "time_range" or not isinstance(phrase, str) or not is_relative(phrase):
            continue
        if value == str(parse_time_range(phrase, now)):
            found[name] = phrase
    return found


def _apart(known: Document, declared: Document) -> dict[str, str]:
    """Further names for variables that another run has with another value."""
    renamed: dict[str, str] = {}
    for name, facts in declared.items():
        number, other = 2, name
        while other in known and known[other] != facts:
            other, number = f"{name}_{number}", number + 1
        if other != name:
            renamed[name] = other
    return renamed


def _variables_of(step: Document) -> set[str]:
    """The variables that a step names, in whatever place."""
    signature = signatures().get(str(step.get("tool_name")))
    in_braces = () if signature is None else tokens(step.get("tool_args"), signature.schema())
    return {*TOKEN.findall(str(step)), *(name for _, name in in_braces)}


def _respelt(step: Document, renamed: Mapping[str, str]) -> Document:
    signature = signatures().get(str(step.get("tool_name")))
    if not renamed or signature is None or not isinstance(step.get("tool_args"), dict):
        return step
    return {**step, "tool_args": substitute(step["tool_args"], signature.schema(), dict(renamed))}


def _merged(steps: Sequence[Document], more: Sequence[Document], run: str) -> list[Document]:
    """Further steps beside those that are there: equal ones once, and each under an id of its own."""
    ids = {str(step["step_id"]) for step in steps}
    labels = {label: step for step in steps for label in _gives(step)}
    instead: dict[str, Any] = {}
    added: list[Document] = []
    for step in more:
        name = str(step["step_id"])
        twin = next((labels[label] for label in _gives(step) if label in labels), None)
        if twin is not None:
            if twin.get("tool_name") != step.get("tool_name") or twin.get("tool_args") != step.get(
                "tool_args"
            ):
                raise RequestError(
                    f"step {name} of {run} gives {_gives(step)[0]}, which another step gives already",
                    advice="save the two runs as two pipelines, or give one of the labels another name",
                )
            instead[name] = twin["step_id"]
            continue
        number, other = 2, name
        while other in ids:
            other, number = f"{name}-{number}", number + 1
        ids.add(other)
        instead[name] = step["step_id"] if other == name else other
        needed = [instead.get(str(step_id), step_id) for step_id in needs_of(step)]
        added.append(
            {key: value for key, value in step.items() if key not in ("step_id", "depends_on", "produces")}
            | {"step_id": instead[name]}
            | ({"depends_on": needed} if step.get("tool_name") in (STYLE, MANAGE) and needed else {})
        )
    return added


def _gives(step: Document) -> Sequence[str]:
    return wiring(step, signatures())[0]
