"""Write the contents of an archive folder, as lines of text for people and as JSON for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from helio.counts import number_of
from helio.knowledge.cadence import cadence_text
from helio.knowledge.text import WIDTH, aligned
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.allowance import in_words
from helio.sources.archive_listing import ArchiveDataset, ArchiveListing
from helio.sources.cdf import ParameterFacts

_MOST_UNREAD = 20
_MOST_GAPS = 20


def listing_lines(listing: ArchiveListing) -> list[str]:
    """Write a table of datasets with time ranges and parameters, then a list of the files that cannot be read."""
    rows = [("dataset", "files", "first", "last", "cadence")]
    for dataset in listing.datasets:
        rows.append(
            (
                dataset.id,
                f"{dataset.files:>5}",
                _minute(dataset.first),
                _minute(dataset.last) + ("" if dataset.is_span_exact or dataset.last is None else " (name)"),
                _cadence(dataset.cadence),
            )
        )
    files, size = (sum(getattr(dataset, part) for dataset in listing.datasets) for part in ("files", "bytes"))
    lines = [
        f"{listing.folder}: {number_of(len(listing.datasets), 'dataset')}, {number_of(files, 'file')}, "
        f"{in_words(size)}"
    ]
    if listing.datasets:
        head, *table = aligned(rows)
        lines += ["", head]
        for row, dataset in zip(table, listing.datasets, strict=True):
            lines += [row, f"    {_in_short(dataset) or 'no parameter can be read'}"]
    noted = [f"note: {dataset.id}: {note}" for dataset in listing.datasets for note in dataset.notes]
    lines += ["", *noted] if noted else []
    return [*lines, *_rest(listing)]


def dataset_lines(listing: ArchiveListing) -> list[str]:
    """Describe the datasets of an archive folder, each with a table of its parameters."""
    lines: list[str] = []
    for dataset in listing.datasets:
        span = f"{_second(dataset.first)} to {_second(dataset.last)}"
        older = f"; {number_of(dataset.older, 'file')} of older versions not read" if dataset.older else ""
        exact = "" if dataset.is_span_exact else ", from file names"
        rows = [
            ("files", f"{dataset.files}, {in_words(dataset.bytes)}{older}"),
            ("span", span + exact),
            ("cadence", _cadence(dataset.cadence)),
            ("gaps", _gaps_line(dataset)),
        ]
        if dataset.known_as:
            rows.append(("called", f"{dataset.known_as} in its files"))
        lines += [f"{dataset.id}  {dataset.title}".rstrip(), *(f"  {name:<8} {text}" for name, text in rows)]
        lines += [
            f"           {_second(gap.start)} to {_second(gap.stop)}" for gap in dataset.gaps[:_MOST_GAPS]
        ]
        lines += [f"  note     {note}" for note in dataset.notes]
        lines += ["", *_parameter_rows(dataset)]
    return [*lines, *_rest(listing)]


def listing_json(listing: ArchiveListing) -> dict[str, Any]:
    """Return the contents of an archive folder as JSON."""
    return {
        "folder": listing.folder,
        "datasets": [_dataset_json(dataset) for dataset in listing.datasets],
        "unread": [{"path": entry.path, "reason": entry.reason} for entry in listing.unread],
        "notes": list(listing.notes),
    }


def _dataset_json(dataset: ArchiveDataset) -> dict[str, Any]:
    return {
        "id": dataset.id,
        "called": dataset.known_as,
        "title": dataset.title,
        "first": _iso(dataset.first),
        "last": _iso(dataset.last),
        "span_from": "records" if dataset.is_span_exact else "names",
        "cadence_seconds": dataset.cadence,
        "files": dataset.files,
        "bytes": dataset.bytes,
        "older_files": dataset.older,
        "gaps": [{"start": _iso(gap.start), "stop": _iso(gap.stop)} for gap in dataset.gaps],
        "gaps_from": dataset.gaps_from,
        "parameters": [_parameter_json(facts) for facts in dataset.parameters],
        "notes": list(dataset.notes),
    }


def _parameter_json(facts: ParameterFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "unit": facts.unit,
        "canonical_unit": canonical_unit(facts.unit),
        "size": list(facts.shape),
        "frame": facts.frame,
        "description": facts.description,
        "first": _iso(facts.first),
        "last": _iso(facts.last),
        "records": facts.records,
        "cadence_seconds": facts.cadence,
        "support": facts.support,
    }


def _parameter_rows(dataset: ArchiveDataset) -> list[str]:
    if not dataset.parameters:
        return ["  no parameter can be read"]
    rows = [("  parameter", "size", "unit", "frame", "cadence", "description")]
    for facts in dataset.parameters:
        rows.append(
            (
                f"  {facts.name}",
                "×".join(map(str, facts.shape)) or "1",
                canonical_unit(facts.unit) or "–",
                facts.frame or "–",
                _cadence(facts.cadence),
                ("(support) " if facts.support else "") + " ".join(facts.description.split()),
            )
        )
    return aligned(rows)


def _rest(listing: ArchiveListing) -> list[str]:
    lines = [f"note: {note}" for note in listing.notes]
    if listing.unread:
        lines += [f"cannot be read: {number_of(len(listing.unread), 'entry', 'entries')}"]
        lines += [f"  {entry.path}: {entry.reason}" for entry in listing.unread[:_MOST_UNREAD]]
        more = len(listing.unread) - _MOST_UNREAD
        lines += [f"  and {more} more; --json lists all of them"] if more > 0 else []
    if not listing.datasets:
        lines.append("no file in the folder can be read: helio reads CDF, netCDF, CSV and Parquet")
    return ["", *lines] if lines else []


def _gaps_line(dataset: ArchiveDataset) -> str:
    if dataset.gaps_from == "unknown":
        return "unknown: the file names give only start times"
    by = (
        " between files, from their records"
        if dataset.gaps_from == "records"
        else " between files, from file names"
    )
    more = f"; the first {_MOST_GAPS} are listed" if len(dataset.gaps) > _MOST_GAPS else ""
    return (str(len(dataset.gaps)) if dataset.gaps else "none") + by + more


def _in_short(dataset: ArchiveDataset) -> str:
    """Return the first parameters of a dataset with their units, and the number of the other parameters."""
    parts: list[str] = []
    for number, facts in enumerate(dataset.parameters):
        unit = canonical_unit(facts.unit)
        text = f"{facts.name} [{unit}]" if unit else facts.name
        left = len(dataset.parameters) - number
        if parts and len(", ".join([*parts, text])) + 12 > WIDTH:
            return f"{', '.join(parts)}, +{left}"
        parts.append(text)
    return ", ".join(parts)


def _cadence(seconds: float | None) -> str:
    """Write a measured cadence, rounded because it varies a little, or a dash if there is none."""
    if seconds is None:
        return "–"
    rounded = round(seconds)
    if rounded and abs(seconds - rounded) < 1e-3 * seconds:
        return cadence_text(float(rounded))
    return cadence_text(float(f"{seconds:.4g}"))


def _minute(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "–"


def _second(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}" if moment else "?"


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment.isoformat()}Z"
