"""Write datasets, parameters and missions as lines of text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from helio.knowledge.catalogue import (
    Catalogue,
    CatalogueEntry,
    DatasetSummary,
    MissionSummary,
    ParameterEntry,
)
from helio.knowledge.search import SearchResult
from helio.sources.registry import datasets_known_to, sources_about, stated_in_file

WIDTH = 110


def answer_lines(answer: SearchResult, *, option: str = "--limit") -> list[str]:
    """Write the datasets that a search has found, best match first, and suggestions for unknown words.

    `option` is the reader's name for the number of datasets to show.
    """
    rows = [
        (hit.dataset.id, _span(hit.dataset), hit.dataset.cadence_words, hit.dataset.title)
        for hit in answer.hits
    ]
    lines = aligned(rows)
    if answer.total > len(answer.hits):
        lines.append(
            f"and {answer.total - len(answer.hits)} more; show them with {option} {min(answer.total, 50)}"
        )
    if not answer.hits:
        lines.append("no dataset matches")
    for word, close in answer.unknown.items():
        hint = f": did you mean {' or '.join(repr(name) for name in close)}?" if close else ""
        lines.append(f"note: no dataset matches '{word}'{hint}")
    for word, missions in answer.elsewhere.items():
        lines.append(
            f"note: no dataset of {' or '.join(answer.craft)} matches '{word}', but {', '.join(missions)} "
            "have datasets that do"
        )
    return lines


def source_lines(question: str) -> list[str]:
    """Write which sources outside the catalogue have what a question looks for.

    >>> print(*source_lines("where is MMS 2: orbit"), sep="\\n")
    note: SSCWeb has such data too: set "provider": "ssc" in the fetch, and dataset_id to 'mms2', for example
      its parameters: XYZ_GSE, XYZ_GSM, XYZ_SM, XYZ_GEO, XYZ_GM, XYZ_GEI, XYZ_J2000, R, Lat_GEO, Lon_GEO, LT_GEO,
        Lat_GM, Lon_GM, LT_GM, Lat_GSE, Lon_GSE, LT_GSE, Lat_SM, Lon_SM, LT_SM, L, InvLat
    """
    lines = []
    for name, dataset_id in sources_about(question):
        parameters = ", ".join(datasets_known_to(name)[dataset_id])
        lines.append(
            f'note: {stated_in_file(name)["title"]} has such data too: set "provider": "{name}" in the fetch, '
            f"and dataset_id to '{dataset_id}', for example"
        )
        lines += textwrap.wrap(
            f"its parameters: {parameters}", WIDTH, initial_indent="  ", subsequent_indent="    "
        )
    return lines


def entry_lines(entry: CatalogueEntry, catalogue: Catalogue) -> list[str]:
    """Describe a dataset without its parameters."""
    ended = ", has ended" if catalogue.has_ended(entry) else ""
    span = f"{_span(entry)}{ended}" if entry.first or entry.last else "not known"
    craft = entry.mission if entry.spacecraft == entry.mission else f"{entry.mission}, {entry.spacecraft}"
    kind = f" ({entry.instrument_type})" if entry.instrument_type not in ("", entry.instrument) else ""
    count = str(entry.known_parameters) if entry.known_parameters else "not described in the catalogue"
    who = entry.pi + (f", {entry.affiliation}" if entry.affiliation else "")
    rows = [
        ("mission", craft),
        ("instrument", entry.instrument + kind),
        ("span", span),
        ("cadence", entry.cadence_words or "unknown"),
        ("parameters", count),
        ("PI", who or "not known"),
        ("DOI", entry.doi or "none known"),
        ("notes", entry.notes_url),
        ("cite", entry.citation),
        ("acknowledge", entry.acknowledgement or "not in the catalogue: see the notes, and thank the PI and CDAWeb"),
        ("known", f"as of {catalogue.as_of:%Y-%m-%d}; to renew it, run `helio catalog refresh`"),
    ]  # fmt: skip
    lines = [f"{entry.id}  {entry.title}"]
    for name, text in rows:
        first, *others = textwrap.wrap(text, WIDTH - 14, break_long_words=False, break_on_hyphens=False)
        lines += [f"  {name:<11} {first}", *(f"  {'':<11} {other}" for other in others)]
    return lines


def parameter_lines(entry: CatalogueEntry, parameters: Sequence[ParameterEntry]) -> list[str]:
    """Write a table of parameters: name, size, unit, description."""
    if not entry.parameters:
        return [f"the catalogue does not describe the parameters of {entry.id}: run `helio catalog refresh`"]
    rows = [
        (
            parameter.name,
            "×".join(map(str, parameter.size)) or "1",
            parameter.canonical_unit or "–",
            parameter.description + (f" ({'; '.join(parameter.axes)})" if parameter.axes else ""),
        )
        for parameter in parameters
    ]
    return aligned([("parameter", "size", "unit", "description"), *rows])


def mission_lines(missions: Sequence[MissionSummary]) -> list[str]:
    """Write a table of missions: number of datasets, years, spacecraft."""
    return aligned(
        [
            (
                mission.name,
                f"{mission.datasets:>4}",
                f"{mission.first:%Y}–{mission.last:%Y}" if mission.first and mission.last else "",
                " ".join(mission.spacecraft),
            )
            for mission in missions
        ]
    )


def _span(dataset: DatasetSummary) -> str:
    first, last = (f"{day:%Y-%m-%d}" if day else "?" for day in (dataset.first, dataset.last))
    return f"{first} to {last}"


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Align the columns of a table; shorten the last column where a line would be too long."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        start = "".join(f"{text:<{width}}  " for text, width in zip(row[:-1], widths, strict=True) if width)
        room = max(WIDTH - len(start), 30)
        last = row[-1] if len(row[-1]) <= room else row[-1][: room - 1].rstrip() + "…"
        lines.append((start + last).rstrip())
    return lines
