"""Make a template from the steps of finished runs, without failed and unused steps."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helio.errors import DamagedRecord, RequestError
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.dialect.written import list_of, object_of, written_steps
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
class RunSelection:
    """Steps of a run to save as a template: the named steps, or all steps that finished and are used."""

    run: RunRecord
    steps: tuple[str, ...] = ()


def template_of(
    chosen: Sequence[RunSelection], name: str, servers: Mapping[str, Mapping[str, str]] | None = None
) -> tuple[Document, tuple[str, ...]]:
    """Make a template from one or several runs, with notes for the user; the template is not verified yet.

    Variables keep their names and get the values of the run as defaults. A default that the run used keeps its phrase,
    so that "last 7 days" still moves with the clock. Passes derive the dependencies. Fetches name the archive of their
    run as their provider, so that the template runs again unchanged. A template cannot contain a folder or an address;
    a note then gives the option to use.

    Parameters
    ----------
    servers : mapping, optional
        For each family of servers, URLs by name, in addition to the shipped ones.

    Raises
    ------
    RequestError
        A named step does not exist or failed; two runs use one label for different work; no step is left.
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
                f"{choice.run.id}: step {step['step_id']} uses the pipeline {step['use']}, whose data may come "
                f"from another archive: `helio run {name} --archive {provider}`"
                for step in taken
                if "use" in step
            ]
        notes += [f"{choice.run.id}: step {step} {why}" for step, why in left_out]
        declared = _with_values(choice.run)
        renamed = _apart(variables, declared)
        used = {name for step in taken for name in variables_of(step)}
        variables |= {renamed.get(key, key): facts for key, facts in declared.items() if key in used}
        phrases |= {
            renamed.get(key, key): text for key, text in _defaults_used(choice.run).items() if key in used
        }
        steps += _merged(steps, [_respelt(step, renamed) for step in taken], choice.run.id)
    if not steps:
        raise RequestError(
            "the chosen runs have no step that can be saved",
            advice="run `helio runs show RUN` to see the outcome of each step",
        )
    for variable, phrase in phrases.items():
        # runs of different days compare those days, even with the same phrase
        if list(phrases.values()).count(phrase) == 1:
            variables[variable] = {**variables[variable], "default": phrase}
    first = chosen[0].run.authored
    made = {
        "schema_version": 1,
        "id": name,
        "name": first.get("name") or name,
        "description": first.get("description")
        or f"Made from {', '.join(choice.run.id for choice in chosen)}.",
        "variables": variables,
        "steps": steps,
    }
    return made, tuple(notes)


def _provider_of(
    run: RunRecord, name: str, servers: Mapping[str, Mapping[str, str]]
) -> tuple[str, list[str]]:
    """Return the provider that a template can name for a run's archive, or a note on how to run the template."""
    archive = run.whole_header.get("archive")
    if archive is None:
        return "", [f"{run.id}: its record does not name the archive that it used; you may need --archive"]
    if is_url(archive):
        known = name_of_server(archive, servers)
        variable = f"HELIO_{BY_ADDRESS.upper()}_SERVERS"
        return known, [] if known else [
            f"{run.id}: its data came from {archive}, and a template cannot contain an address. To run it: "
            f"`helio run {name} --archive {archive}`; or set {variable}=NAME={archive} "
            f'and write "provider": "{BY_ADDRESS}:NAME" in the step'
        ]
    if is_folder(archive):
        return "", [
            f"{run.id}: its data came from the folder {archive}, and a template cannot name a folder. To run it: "
            f"`helio run {name} --archive {shlex.quote(archive)}`"
        ]
    return archive, []


def _fetches(run: RunRecord) -> dict[str, Document]:
    """Return the fetch steps in the template of a run, by id, with the argument names that their tools expect."""
    fetches = {}
    for step in written_steps(spelled(run.authored).plan):
        signature = signatures().get(step.tool)
        if signature is not None and signature.gives == "tables":
            fetches[str(step.id)] = step.json
    return fetches


def _served_by(provider: str, step: Document, fetches: Mapping[str, Document]) -> Document:
    """Write the provider into a fetch step as its only provider; in a block, into all fetch steps."""
    if "block" in step:
        return {**step, "block": [_served_by(provider, inner, fetches) for inner in step["block"]]}
    fetch = fetches.get(str(step.get("step_id")))
    if fetch is None:
        return step
    args = {**object_of(fetch.get("tool_args")), "provider": provider}
    if args.get("candidates"):
        args["candidates"] = [
            {key: value for key, value in arg.items() if key != "provider"} if isinstance(arg, dict) else arg
            for arg in args["candidates"]
        ]
    return {**step, "tool_name": fetch["tool_name"], "tool_args": args}


def _steps_of(chosen: RunSelection) -> tuple[list[Document], list[tuple[StepId, str]]]:
    """Choose the steps of a run to keep, and explain why other steps are left out."""
    authored = chosen.run.authored["steps"]
    states = _states(chosen.run)
    ids = {str(step["step_id"]) for step in authored}
    for step_id in chosen.steps:
        if step_id not in ids:
            raise RequestError(
                f"{chosen.run.id} has no step {step_id}",
                advice=f"choose from the steps {', '.join(sorted(ids))}",
            )
        if states.get(step_id) not in DONE:
            raise RequestError(
                f"step {step_id} of {chosen.run.id} cannot be saved: its state is '{states.get(step_id, 'not done')}'"
            )
    left_out: list[tuple[StepId, str]] = []
    taken = []
    for step in authored:
        state = states.get(str(step["step_id"]), "not done")
        if state not in DONE:
            left_out.append((step["step_id"], f"is left out: its state is '{state}'"))
        else:
            taken.append(step)
    wanted_ids = set(chosen.steps) or {str(step["step_id"]) for step in taken if _ends(step)}
    needed = _needed(taken, wanted_ids) if wanted_ids else {str(step["step_id"]) for step in taken}
    for step in taken:
        if str(step["step_id"]) not in needed:
            left_out.append((step["step_id"], "is left out: no kept step uses it"))
    return [deepcopy(step) for step in taken if str(step["step_id"]) in needed], left_out


def _states(run: RunRecord) -> Mapping[str, str]:
    """Return the state of each step of the template: the worst state of its steps in the run."""
    authored = [str(step["step_id"]) for step in run.authored["steps"]]
    states_by_id: dict[str, str] = {}
    for step in run.step_records:
        name = str(step["step_id"])
        for step_id in authored:
            # the items of a map are ID[item], the steps of another pipeline ID.its
            if (name == step_id or name.startswith((f"{step_id}[", f"{step_id}."))) and states_by_id.get(
                step_id, DONE[0]
            ) in DONE:
                states_by_id[step_id] = step["state"]
    for step in run.normalised["steps"]:
        notes = step.get("annotations")
        for other in notes.get("stands_for", ()) if isinstance(notes, dict) else ():
            states_by_id.setdefault(str(other), states_by_id.get(str(step["step_id"]), "not done"))
        if step.get("tool_name") == MANAGE:  # its file is one of its figure's
            states = [states_by_id.get(str(other), "not done") for other in list_of(step.get("depends_on"))]
            states_by_id.setdefault(
                str(step["step_id"]), next((state for state in states if state not in DONE), DONE[0])
            )
    return states_by_id


def _ends(step: Document) -> bool:
    """Return whether a step makes a figure or an export."""
    signature = signatures().get(str(step.get("tool_name")))
    return signature is None or signature.gives in ("figure", "export")


def _needed(steps: Sequence[Document], targets: set[str]) -> set[str]:
    """Return the chosen steps, all steps on which they depend, and the styles of their figures."""
    views = {str(step["step_id"]): view_in(step, signatures()) for step in steps}
    producers = {
        label: name
        for name, view in views.items()
        for label in (*view.outputs, *view.step.produces)
        if view.signature is not None
    }
    needed: set[str] = set()
    waiting = sorted(targets)
    while waiting:
        name = waiting.pop()
        if name in needed or name not in views:
            continue
        needed.add(name)
        view = views[name]
        waiting += [str(step_id) for step_id in view.step.depends_on]
        # a figure that names no labels draws every table
        draws_all = view.signature is not None and view.signature.gives == "figure" and not view.labels
        every = producers if draws_all else view.labels
        waiting += [producers[table] for label in every if (table := owner(label, producers))]
        waiting += [
            str(other["step_id"])
            for other in steps
            if other.get("tool_name") == STYLE and name in map(str, list_of(other.get("depends_on")))
        ]
    return needed


def _with_values(run: RunRecord) -> Document:
    """Return the variables of a run; each has its value in this run as default."""
    values = run.whole_header["values"]
    return {
        name: {**facts, "default": values[name]} if name in values else dict(facts)
        for name, facts in _declared(run).items()
    }


def _declared(run: RunRecord) -> dict[str, Document]:
    """Return the variables that the template of a run declares.

    Raises
    ------
    DamagedRecord
    """
    try:
        variables: dict[str, Document] = convert(
            run.authored.get("variables") or {}, dict[str, dict[str, Any]], "variables"
        )
    except WrongShape as error:
        raise DamagedRecord(f"the template in the record of run '{run.id}' is damaged: {error}") from error
    return variables


def _defaults_used(run: RunRecord) -> Document:
    """Return the relative time ranges that a run used as defaults, in the words of the template's author."""
    now = datetime.fromisoformat(run.whole_header["now"])
    phrases: Document = {}
    for name, facts in _declared(run).items():
        phrase, value = facts.get("default"), run.whole_header["values"].get(name)
        if facts.get("type") != "time_range" or not isinstance(phrase, str) or not is_relative(phrase):
            continue
        if value == str(parse_time_range(phrase, now)):
            phrases[name] = phrase
    return phrases


def _apart(known: Document, declared: Document) -> dict[str, str]:
    """Choose new names for variables that have different values in different runs."""
    renamed: dict[str, str] = {}
    for name, facts in declared.items():
        number, other = 2, name
        while other in known and known[other] != facts:
            other, number = f"{name}_{number}", number + 1
        if other != name:
            renamed[name] = other
    return renamed


def variables_of(step: Document) -> set[str]:
    """Find all variables in the fields of a step and of the steps in its block."""
    signature = signatures().get(str(step.get("tool_name")))
    in_braces = () if signature is None else tokens(step.get("tool_args"), signature.schema())
    inner = (name for other in step.get("block", ()) for name in variables_of(other))
    return {*TOKEN.findall(str(step)), *(name for _, name in in_braces), *inner}


def _respelt(step: Document, renamed: Mapping[str, str]) -> Document:
    signature = signatures().get(str(step.get("tool_name")))
    if not renamed or signature is None or not isinstance(step.get("tool_args"), dict):
        return step
    return {**step, "tool_args": substitute(step["tool_args"], signature.schema(), dict(renamed))}


def _merged(steps: Sequence[Document], more: Sequence[Document], run: str) -> list[Document]:
    """Return the steps of a run to add to the template: equal steps only once, each step with an id of its own."""
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
                    f"step {name} of {run} gives {_gives(step)[0]}, which another step already gives",
                    advice="save the runs as two pipelines, or rename one of the labels",
                )
            instead[name] = twin["step_id"]
            continue
        number, other = 2, name
        while other in ids:
            other, number = f"{name}-{number}", number + 1
        ids.add(other)
        instead[name] = step["step_id"] if other == name else other
        needed = [instead.get(str(step_id), step_id) for step_id in list_of(step.get("depends_on"))]
        added.append(
            {key: value for key, value in step.items() if key not in ("step_id", "depends_on", "produces")}
            | {"step_id": instead[name]}
            | ({"depends_on": needed} if step.get("tool_name") in (STYLE, MANAGE) and needed else {})
        )
    return added


def _gives(step: Document) -> Sequence[str]:
    return view_in(step, signatures()).outputs
