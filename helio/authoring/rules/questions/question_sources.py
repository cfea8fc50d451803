"""Find the parameters of the catalogue that a question names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from helio.authoring.rules.questions.asked import Subject, folded, stems
from helio.authoring.rules.questions.source_facts import Source
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import search_of

_MOST_SOURCES = 12


def sources_named(
    named: Collection[Subject], words: Iterable[str], rest: Sequence[str], catalogue: Catalogue
) -> tuple[list[Source], int]:
    """Find the parameters that a question names by dataset, spacecraft and so on, and how many more there are.

    Parameters
    ----------
    named : collection of Subject
        What the question names.
    words : iterable of str
        The words of the question, for datasets that the table of quantities does not have.
    rest : iterable of str
        The words that name nothing, such as `burst`: if descriptions of some datasets have them, only these count.
    """
    by_kind = {
        kind: {name for known, name in named if known == kind}
        for kind in ("dataset", "craft", "instrument", "parameter", "quantity")
    }
    quantities, parameters = by_kind["quantity"], by_kind["parameter"]
    rows = [
        row
        for row in SOURCES
        if (not by_kind["craft"] or folded(row.spacecraft) in by_kind["craft"])
        and (not quantities or row.quantity in quantities)
        and (
            not by_kind["instrument"]
            or {folded(name) for name in instrument_names(row.dataset)} & by_kind["instrument"]
        )
        and (not by_kind["dataset"] or folded(row.dataset) in by_kind["dataset"])
    ]
    found: dict[tuple[str, str], Source] = {}
    ids = [name for name in catalogue if folded(name) in by_kind["dataset"]] if by_kind["dataset"] else []
    for dataset_id in ids:
        dataset = catalogue.dataset(dataset_id)
        inside = [
            parameter
            for parameter in dataset.parameters
            if folded(parameter.name) in parameters
            or ("quantity", next(iter(quantities), "")) in Source(dataset, parameter).about
        ]
        for parameter in inside:
            found[dataset_id, parameter.name] = Source(dataset, parameter)
        if not inside and not parameters and not quantities:
            found[dataset_id, ""] = Source(dataset)
    parts = {word for word in rest if re.fullmatch(r"[A-Z][A-Z\d]{2,}", word)}
    if parts and not ids:  # the LED of ERNE
        for name in datasets_of(named, catalogue):
            if parts <= set(re.split(r"[_-]", name)):
                found[name, ""] = Source(catalogue.dataset(name))
    if not found and not ids and (by_kind["craft"] or by_kind["instrument"] or quantities):
        for row in rows:
            if row.dataset in catalogue:
                dataset = catalogue.dataset(row.dataset)
                measured = [
                    described for described in dataset.parameters if described.name == row.parameters[0]
                ]
                if quantities and measured:
                    found[row.dataset, measured[0].name] = Source(dataset, measured[0])
                else:
                    found.setdefault((row.dataset, ""), Source(dataset))
        if not found and by_kind["craft"]:
            found = _of_mission(by_kind["craft"], " ".join(words), catalogue)
    sources = described_by(rest, list(found.values()))
    return sources[:_MOST_SOURCES], max(len(sources) - _MOST_SOURCES, 0)


def datasets_of(named: Collection[Subject], catalogue: Catalogue) -> list[str]:
    """Return the ids of all datasets of the spacecraft and instruments that a question names."""
    wanted = {kind: {name for known, name in named if known == kind} for kind in ("craft", "instrument")}
    return [
        name
        for name, craft in sorted(catalogue.crafts(), key=lambda row: row[0])
        if any(wanted.values())
        and (not wanted["craft"] or {folded(craft.spacecraft), folded(craft.mission)} & wanted["craft"])
        and (
            not wanted["instrument"]
            or {folded(known) for known in instrument_names(name)} & wanted["instrument"]
        )
    ]


def described_by(words: Iterable[str], sources: list[Source]) -> list[Source]:
    """Keep the sources whose description has each word that the description of any of them has."""
    texts = [stems(source.text) for source in sources]
    for word in words:
        has = [stems(word) <= text for text in texts]
        if any(has):
            sources = [source for source, keep in zip(sources, has, strict=True) if keep]
            texts = [text for text, keep in zip(texts, has, strict=True) if keep]
    return sources


def _of_mission(crafts: set[str], words: str, catalogue: Catalogue) -> dict[tuple[str, str], Source]:
    """Return the datasets of a spacecraft that the table of quantities does not have, best match first."""
    hits = search_of(catalogue).find(words, limit=_MOST_SOURCES, similar=False).hits
    ids = [
        hit.dataset.id
        for hit in hits
        if {folded(hit.dataset.mission), folded(hit.dataset.spacecraft)} & crafts
    ]
    ids = ids or datasets_of({("craft", name) for name in crafts}, catalogue)
    return {(name, ""): Source(catalogue.dataset(name)) for name in ids}
