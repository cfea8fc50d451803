"""What a good model answers: an outcome that is known to be right, in the form that helio asks a model for.

A new template becomes a plan, and a changed template becomes operations on steps. A small model answers with the typed
request that the rules read in the sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchmarks.authoring.checks import kind_of
from benchmarks.authoring.tasks import Task
from helio.authoring.gate import fetched_datasets
from helio.authoring.operations import OF_STEP, OF_TEMPLATE
from helio.authoring.outcome import AuthorQuestion, AuthorReply, Outcome, TemplateDraft
from helio.authoring.request import Computation, PipelineRequest, Place, RequestedStyle, RequestQuantity
from helio.authoring.rules.reading.looks import take_looks
from helio.authoring.rules.reading.sentence_reading import read_request
from helio.authoring.writing.computations import MAGNITUDE
from helio.errors import HelioError
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import B
from helio.pipelines.template.document import Document

Answer = dict[str, Any]


def good_script(task: Task, came: Outcome | HelioError) -> dict[str, Any]:
    """Return the script of a model whose answer has the same meaning as an outcome."""
    if not isinstance(came, TemplateDraft):
        return {"answer": _in_words(came)}
    if task.kind == "create":
        answer = plan_of(came.template)
    else:
        answer = {"status": "edit", "touches": "both", "operations": operations(task.template, came.template)}
    return {"looks_at": looked_at(came.template), "answer": answer}


def small_script(task: Task, catalogue: Catalogue) -> dict[str, Any]:
    """Return the script of a small model that fills in its form as the rules read the sentence."""
    rest, looks = take_looks(task.request, task.now)
    reading = read_request(rest, catalogue, task.now, looks=looks)
    answer = typed_request(reading.request)
    answer["left_out"] += reading.unread
    return {"answer": {"json": answer}}


def typed_request(read: PipelineRequest) -> Answer:
    """Return a request as the form of a small model; what no field of the form can say is left out, and named."""
    logs = [
        match
        for look in read.style.looks
        if (
            match := re.fullmatch(
                r"log(?:arithmic)?(?: y)?(?:[- ](?:axis|scale))?(?: (?:for|of) (.+))?", look
            )
        )
    ]
    beside = any(made.beside for made in read.computations)
    order, places = _order_of(read)
    said = PipelineRequest(
        spacecraft=read.spacecraft,
        quantities=read.quantities,
        own=read.own,
        datasets=read.datasets,
        times=read.times,
        frame=read.frame,
        cadence=read.cadence,
        modes=read.modes if len(read.modes) < 2 else (),
        vectors=read.vectors,
        instruments=read.instruments,
        energies=read.energies,
        computed=read.computed,
        computations=tuple(
            Computation(
                made.tool,
                made.window,
                made.method,
                alone=made.alone and made.tool == MAGNITUDE,
                beside=beside and made.tool != MAGNITUDE,
            )
            for made in read.computations
        ),
        panels=replace(read.panels, places=places, overlaid=False),
        style=RequestedStyle(read.style.title, read.style.looks),
        exports=read.exports,
        one_file=read.one_file or None,
    )
    return {
        "spacecraft": list(read.spacecraft),
        "quantities": [_name_of(quantity) for quantity in read.quantities],
        "pairs": [f"{craft}: {_name_of(quantity)}" for craft, quantity in read.own],
        "datasets": [".".join(filter(None, pair)) for pair in read.datasets],
        "times": list(read.times),
        "instruments": list(read.instruments),
        "mode": read.modes[0][0] if len(read.modes) == 1 else "",
        "energies": list(read.energies),
        "compute": " and ".join(read.computed),
        "alone": any(made.alone for made in read.computations),
        "beside": beside,
        "order": order,
        "kind": read.panels.kind,
        "plane": read.panels.plane,
        "fit": read.panels.fit,
        "looks": [look for look in read.style.looks if look not in {match[0] for match in logs}],
        "one_file": bool(read.one_file),
        "frame": read.frame,
        "cadence": f"{read.cadence:g}s" if read.cadence else "",
        "operations": [
            ":".join(filter(None, (one.tool, one.window, one.method))) for one in read.computations
        ],
        "title": read.style.title,
        "together": read.panels.together,
        "apart": read.panels.apart,
        "log": [match[1] or "*" for match in logs],
        "save_as": list(read.exports),
        "left_out": [key for key, value in vars(read).items() if value != vars(said)[key]],
    }


def _order_of(read: PipelineRequest) -> tuple[list[str], tuple[Place, ...]]:
    """Return the quantities from the top as far as the request places them, and those places; none if it says more."""
    ranks = {place.rank: place for place in read.panels.places}
    rest = [
        quantity
        for quantity in read.quantities
        if not any(quantity in ranked.lines.quantities for ranked in ranks.values())
    ]
    order: list[str] = []
    for rank in range(1, max(ranks, default=0) + 1):
        place = ranks.get(rank)
        if place is not None and (place.shared or place.lines.crafts or len(place.lines.quantities) != 1):
            return [], ()
        if place is None and not rest:
            return [], ()
        order.append(_name_of(place.lines.quantities[0] if place else rest.pop(0)))
    return order, read.panels.places


def _name_of(quantity: RequestQuantity) -> str:
    letter = {B: "B", VELOCITY: "V"}.get(quantity.name)
    return f"{letter}{quantity.component}" if letter and quantity.component else quantity.name


def _in_words(came: Outcome | HelioError) -> Answer:
    if isinstance(came, AuthorQuestion):
        return {"status": "question", "question": came.text, "choices": list(came.choices)}
    if isinstance(came, AuthorReply):
        return {"status": "answer", "answer": came.text}
    return {"status": "impossible", "reason": kind_of(came)[1]}


def looked_at(template: Document) -> list[str]:
    """Return the datasets that a model has to look at to write a template."""
    return list(dict.fromkeys(dataset for _, dataset in fetched_datasets(template)))


def plan_of(template: Document) -> Answer:
    """Return a whole new template as a plan."""
    variables = template.get("variables") or {}
    return {
        "status": "plan",
        "name": template["name"],
        "variables": [{"name": name, **facts} for name, facts in variables.items()],
        "steps": [dict(step) for step in template["steps"]],
    }


def operations(before: Document, after: Document) -> list[dict[str, Any]]:
    """Return operations that make one template of another."""
    old = {str(step["step_id"]): step for step in before["steps"]}
    new = {str(step["step_id"]): step for step in after["steps"]}
    made = list(_settings("", before, after, OF_TEMPLATE))
    made += [{"op": "remove", "step": name} for name in old if name not in new]
    behind = ""
    for name, step in new.items():
        if name in old:
            made += _settings(name, old[name], step, OF_STEP)
        else:
            made.append({"op": "add", "after": behind, "value": step})
        behind = name
    return made


def _settings(step: str, old: Any, new: Any, keys: Any, at: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """Yield what sets and unsets the keys that differ between two objects, as deep inside as possible."""
    for key in keys:
        path = (*at, key)
        place = {"step": step, "at": "/".join(one.replace("~", "~0").replace("/", "~1") for one in path)}
        if key not in new and key in old:
            yield {"op": "unset", **place}
        elif isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
            yield from _settings(step, old[key], new[key], dict.fromkeys([*old[key], *new[key]]), path)
        elif json.dumps(old.get(key)) != json.dumps(new.get(key)):
            yield {"op": "set", **place, "value": new[key]}
