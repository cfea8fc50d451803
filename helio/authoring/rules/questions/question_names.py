"""List what a question can name: spacecraft, instruments, tools, datasets, keys and the parts of a pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from helio.authoring.rules.questions.asked import Subject, folded, names_of_crafts
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES
from helio.patterns import ignoring_case
from helio.pipelines.template_keys import keys
from helio.steps.signature import signatures

_COMMON_WORDS = {
    "hope", "span", "waves", "fields", "impact", "plastic", "swap", "des", "dis", "rad", "compare", "other", "image",
    "polar", "ground", "fast",
}  # fmt: skip
"""Names of instruments and missions that in small letters are words."""


def names_in(
    request: str, catalogue: Catalogue, pipeline: PipelineFacts | None
) -> Mapping[str, frozenset[Subject]]:
    """Return everything that a question can name: its words, and the subjects that each name stands for."""
    known: dict[str, frozenset[Subject]] = dict(names_of_crafts())
    layers: list[Mapping[str, frozenset[Subject]]] = [
        {
            name: subjects
            for name, subjects in _instruments().items()
            if name not in _COMMON_WORDS or name.upper() in request
        },
        _tools(everyday=pipeline is None),
    ]
    written = set(re.findall(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9@-]+)+", request))
    datasets = [catalogue.dataset(name) for name in sorted(written) if "_" in name and name in catalogue]
    for dataset in datasets:
        layers.append({folded(dataset.id): frozenset({("dataset", folded(dataset.id))})})
        for parameter in dataset.parameters:
            subject = frozenset({("parameter", folded(parameter.name))})
            layers.append(
                {folded(name): subject for name in (parameter.name, f"{dataset.id}.{parameter.name}")}
            )
    layers.append(
        {
            folded(name): frozenset({("key", folded(name))})
            for name in keys()
            if "_" in name and name in request
        }
    )
    missions = {
        folded(name): frozenset({("craft", folded(name))})
        for mission in catalogue.missions()
        for name in (mission.name, *mission.spacecraft)
        if ignoring_case(rf"\b{re.escape(name[:1].upper())}{re.escape(name[1:])}\b").search(request)
        and re.search(rf"\b{re.escape(name[:1].upper())}", request)
        and (folded(name) not in _COMMON_WORDS or name.upper() in request)
    }
    for layer in (missions, *layers, pipeline.names if pipeline else {}):
        for name, subjects in layer.items():
            known[name] = known.get(name, frozenset()) | subjects
    return known


@cache
def _instruments() -> Mapping[str, frozenset[Subject]]:
    names = {folded(name) for row in SOURCES for name in instrument_names(row.dataset)}
    return {name: frozenset({("instrument", name)}) for name in names}


@cache
def _tools(*, everyday: bool) -> Mapping[str, frozenset[Subject]]:
    """Return the names of tools and keys; names of tools that are everyday words only if those count too."""
    known: dict[str, frozenset[Subject]] = {}
    for tool in signatures().values():
        for name in (tool.name, *tool.synonyms):
            if "_" in name or (everyday and name == tool.name):
                known[folded(name)] = frozenset({("tool", folded(tool.name))})
    for name in keys():
        subject = frozenset({("key", folded(name))})
        known[f"key {folded(name)}"] = known[f"{folded(name)} key"] = subject
    del known["key parameters"]  # a kind of dataset
    return known
