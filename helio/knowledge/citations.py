"""Citations of data and of helio, for papers that use the results of a run."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.counts import number_of
from helio.errors import DamagedFile
from helio.notebook import box, listed
from helio.sources.registry import BY_CATALOGUE, families, source_class, source_in_records, stated_in_file

if TYPE_CHECKING:
    from helio.knowledge.catalogue import Catalogue, DatasetSummary
    from helio.store.runs import StepRecord
    from helio.store.source_file import SourceFile

log = logging.getLogger(__name__)

ACKNOWLEDGEMENTS = Path(__file__).with_name("acknowledgements.json")
"""File with acknowledgements that archives request on web pages and not in their data files, with these pages."""

_ADDRESS = re.compile(r"\s*[(<]?[\w.+-]+@[\w.-]+\w[)>]?")
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip

_CHECKSUMS = {
    "checksum in the file": "in the file",
    "checksum of the archive": "stated by the archive",
    "checksums of its parts": "of the parts of the file",
    "size only": "none, the archive states only the size",
    "nothing": "none stated by the archive",
    "": "not recorded",
}
"""Words with which a citation says how the bytes of a file were verified."""


@dataclass(frozen=True)
class Use:
    """A file that a run read, and the time range that it read.

    Parameters
    ----------
    span : tuple of str
        Start and stop of the time range that was read, ISO 8601, UTC.
    accessed : str
        Time of reading, ISO 8601; empty if not recorded.
    """

    source: SourceFile
    span: tuple[str, str]
    accessed: str = ""


@dataclass(frozen=True)
class Citation:
    """The citation of a dataset; facts that are not known are empty, and `unknown` lists them.

    Parameters
    ----------
    read_from : tuple of str
        The source of the files: a server, the samples, or ``"local files"`` for a folder.
    versions : tuple of str
        Versions of the files.
    spans : tuple of tuple of str
        Time ranges that were used, ISO 8601, UTC.
    accessed : tuple of str
        The first and the last day on which the files were read.
    acknowledgement, rules_of_use : str
        In the words of the files.
    requested, requested_at : str
        The acknowledgement that the archive itself asks for, and the page that says so.
    preliminary : bool
        A browse or key-parameter product, not for publication.
    notes_url : str
        Address of the archive's notes on the dataset; empty if not known.
    served_at : str
        Address of the HAPI server.
    proofs : mapping of str to int
        Number of files by kind of verification (`helio.store.source_file.PROOFS`), the strongest first; the empty
        kind is one that was not recorded.
    """

    dataset_id: str
    title: str = ""
    mission: str = ""
    instrument: str = ""
    doi: str = ""
    pi: str = ""
    affiliation: str = ""
    publisher: str = ""
    read_from: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    files: int = 0
    spans: tuple[tuple[str, str], ...] = ()
    accessed: tuple[str, ...] = ()
    acknowledgement: str = ""
    rules_of_use: str = ""
    requested: str = ""
    requested_at: str = ""
    preliminary: bool = False
    notes_url: str = ""
    served_at: str = ""
    proofs: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def __repr__(self) -> str:
        return f"<Citation of {self.dataset_id}: {number_of(self.files, 'file')}>"

    def _repr_html_(self) -> str:
        return box(self.dataset_id, listed("", (line.strip() for line in _lines(self)[1:])))

    def to_json(self) -> dict[str, Any]:
        """Return the citation as JSON, for programs and records."""
        return asdict(self)


def cite(uses: Iterable[Use], catalogue: Catalogue | None = None) -> tuple[Citation, ...]:
    """Make a citation for each dataset, in the order in which the run first used them.

    Facts in the files come first; missing facts are taken from the catalogue.

    Parameters
    ----------
    catalogue : Catalogue, optional
        Knows titles, investigators and DOIs of CDAWeb's datasets.
    """
    grouped: dict[str, list[Use]] = {}
    for use in uses:
        grouped.setdefault(use.source.dataset_id.upper(), []).append(use)
    return tuple(_citation(group, catalogue) for group in grouped.values())


def citations_of(uses: Sequence[Use], home: Path) -> tuple[Citation, ...]:
    """Make the citations of datasets that a run used, with facts from the catalogue in helio's home folder."""
    from helio.knowledge.catalogue import open_catalogue

    try:
        catalogue = open_catalogue(home) if uses else None
    except DamagedFile as error:  # the files say most of it themselves
        log.warning(
            "the catalogue cannot be read, so citations lack facts from the catalogue: %s", error.message
        )
        catalogue = None
    return cite(uses, catalogue)


def uses_of(steps: Iterable[StepRecord]) -> list[Use]:
    """Return the files that a run read, from the record of the run."""
    return [
        Use(source, output["recipe"]["range"], output.get("made_at", ""))
        for step in steps
        for output in step["outputs"]
        if "range" in output["recipe"]
        for source in output["sources"]
    ]


def _citation(uses: list[Use], catalogue: Catalogue | None) -> Citation:
    sources = [use.source for use in uses]
    dataset_id = sources[0].dataset_id
    known = None if all(map(_is_another_service, sources)) else _known(dataset_id, catalogue)
    requested, requested_at = _requested(dataset_id)
    served = tuple(dict.fromkeys(source.provider for source in sources if source.provider))
    days = sorted({use.accessed[:10] for use in uses if use.accessed})

    def said(name: str) -> str:
        return next((" ".join(text.split()) for source in sources if (text := getattr(source, name))), "")

    citation = Citation(
        dataset_id=dataset_id,
        title=said("title") or (known.title if known else ""),
        mission=known.mission if known else "",
        instrument=known.instrument if known else "",
        doi=said("doi") or (known.doi if known else ""),
        pi=_ADDRESS.sub("", said("pi") or (known.pi if known else "")).strip(),
        affiliation=(said("affiliation") if said("pi") else known.affiliation if known else ""),
        publisher=_publisher(served, known is not None),
        read_from=served,
        versions=tuple(dict.fromkeys(source.version for source in sources if source.version)),
        files=len({(source.file, source.url) for source in sources}),
        spans=tuple(sorted({use.span for use in uses})),
        accessed=tuple(dict.fromkeys((days[0], days[-1]))) if days else (),
        acknowledgement=said("acknowledgement") or (known.acknowledgement if known else ""),
        rules_of_use=said("rules_of_use"),
        requested=requested,
        requested_at=requested_at,
        preliminary=any(source.preliminary for source in sources),
        notes_url=known.notes_url if known else said("page"),
        served_at=_served_at(sources),
        proofs=_proofs(sources),
    )
    expected = ("title", "doi", "pi", "publisher", "versions", "accessed", "acknowledgement")
    unknown = [name for name in expected if not vars(citation)[name]]
    if requested and "acknowledgement" in unknown:
        unknown.remove("acknowledgement")
    return replace(citation, unknown=tuple(unknown))


def _is_another_service(source: SourceFile) -> bool:
    """Return whether a file comes from a service whose ids are not those of the catalogue, even if they look equal."""
    name = source_in_records(source.provider)
    return name not in ("", BY_CATALOGUE) and not source_class(name).has_catalogued_ids(source.provider)


def _served_at(sources: Iterable[SourceFile]) -> str:
    """Return the addresses of the servers that gave the data; empty for a source that has only one server."""
    servers = (
        source_class(name).server_of(source.url)
        for source in sources
        if source.url and (name := source_in_records(source.provider)) in families()
    )
    return ", ".join(dict.fromkeys(filter(None, servers)))


def _proofs(sources: Iterable[SourceFile]) -> dict[str, int]:
    from helio.store.source_file import PROOFS

    by_file = {(source.file, source.url): source.proof for source in sources}
    proofs = list(by_file.values())
    return {proof: proofs.count(proof) for proof in (*PROOFS, "") if proof in proofs}


def _known(dataset_id: str, catalogue: Catalogue | None) -> DatasetSummary | None:
    if catalogue is None or dataset_id not in catalogue:  # a dataset of one's own, or of another archive
        return None
    return catalogue.summary(dataset_id)


def _requested(dataset_id: str) -> tuple[str, str]:
    """Return the acknowledgement that the archive of a dataset requests, and the page with the request."""
    for request in _requests():
        if any(fnmatchcase(dataset_id.upper(), pattern) for pattern in request["datasets"]):
            return request["text"], request["source"]
    return "", ""


@cache
def _requests() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(ACKNOWLEDGEMENTS.read_text(encoding="utf-8"))
    return entries


def _publisher(served: tuple[str, ...], in_catalogue: bool) -> str:
    for provider in served:
        if name := source_in_records(provider):
            return stated_in_file(name).get("publisher") or provider
    return stated_in_file(BY_CATALOGUE)["publisher"] if in_catalogue else ""


def citation_text(citation: Citation) -> str:
    """Write the citation of a dataset as one paragraph.

    Examples
    --------
    >>> citation_text(Citation("AC_H2_MFI", title="ACE Magnetic Field 1-Hour Level 2 Data", pi="N. Ness"))
    'N. Ness. ACE Magnetic Field 1-Hour Level 2 Data. Dataset AC_H2_MFI.'
    """
    who = citation.pi + (f" ({citation.affiliation})" if citation.pi and citation.affiliation else "")
    version = f", version {', '.join(citation.versions)}" if citation.versions else ""
    parts = [who, citation.title, f"Dataset {citation.dataset_id}{version}"]
    parts += [f"{citation.publisher}, {citation.served_at}" if citation.served_at else citation.publisher]
    parts += [f"https://doi.org/{citation.doi}"] if citation.doi else []
    parts += [citation.notes_url] if citation.served_at and not citation.doi else []
    parts += ["; ".join(span_text(span) for span in citation.spans)] if citation.spans else []
    parts += [f"Accessed {' to '.join(citation.accessed)}"] if citation.accessed else []
    parts += [f"Read from {', '.join(elsewhere)}"] if (elsewhere := _not_the_publisher(citation)) else []
    return ". ".join(text.rstrip(". ") for text in parts if text) + "."


def _not_the_publisher(citation: Citation) -> list[str]:
    """Return the providers from which files were read, but which do not publish them: a folder, the samples."""
    return [name for name in citation.read_from if _publisher((name,), in_catalogue=False) == ""]


def text_lines(citations: Iterable[Citation], version: str) -> list[str]:
    """Write the citations of a run for people: datasets, requested acknowledgements, unknown facts, and helio."""
    lines = [line for citation in citations for line in [*_lines(citation), ""]]
    lines += ["helio", f"  The helio developers. helio: deterministic pipelines for heliophysics, {version}."]
    return lines


def _lines(citation: Citation) -> list[str]:
    lines = [citation_text(citation)]
    if citation.acknowledgement:
        lines.append(f"acknowledgement: {citation.acknowledgement}")
    if citation.requested:
        lines.append(
            f"acknowledgement that the archive requests: {citation.requested} ({citation.requested_at})"
        )
    if citation.rules_of_use:
        lines.append(f"rules of use: {citation.rules_of_use}")
    if citation.proofs:
        written = [
            f"{_CHECKSUMS[proof]} ({number_of(count, 'file')})" for proof, count in citation.proofs.items()
        ]
        lines.append(f"checksum: {', '.join(written)}")
    if citation.preliminary:
        lines.append("preliminary: a browse or key-parameter product, not for publication")
    return [citation.dataset_id, *(f"  {line}" for line in [*lines, *unknown_lines(citation)])]


def unknown_lines(citation: Citation) -> list[str]:
    """List the unknown facts of a dataset, with advice where to look for them."""
    where = f"; see {citation.notes_url}" if citation.notes_url else "; ask the author of the dataset"
    words = {
        "title": "title: not known",
        "doi": "DOI: none known",
        "pi": "investigator: not known",
        "publisher": "publisher: not known",
        "versions": "version: not stated in the files",
        "accessed": "date of access: not recorded",
        "acknowledgement": f"acknowledgement: not stated in the files{where}",
    }
    return [words[name] for name in citation.unknown]


def bibtex(citations: Iterable[Citation], version: str) -> str:
    """Write BibTeX entries for the datasets and for helio; the keys are the datasets' ids.

    Unknown fields are left out, also the year, because files do not state when they were published.
    """
    entries = []
    taken: set[str] = set()
    for citation in citations:
        fields = {
            "author": f"{{{_tex(citation.pi)}}}" if citation.pi else "",
            "title": f"{{{_tex(citation.title or citation.dataset_id)}}}",
            "publisher": _tex(citation.publisher),
            "version": _tex(", ".join(citation.versions)),
            "doi": citation.doi,
            "url": f"https://doi.org/{citation.doi}"
            if citation.doi
            else citation.notes_url or citation.served_at,
            "urldate": citation.accessed[-1] if citation.accessed else "",
            "note": _tex(_note(citation)),
        }
        entries.append(_entry("misc", _key(citation.dataset_id, taken), fields))
    fields = {
        "author": "{The helio developers}",
        "title": "{helio: deterministic pipelines for heliophysics}",
        "version": _tex(version),
        "note": "Computer software",
    }
    return "\n".join([*entries, _entry("misc", _key("helio", taken), fields)])


def _note(citation: Citation) -> str:
    parts = [f"Dataset {citation.dataset_id}"]
    parts += [citation.affiliation] if citation.affiliation else []
    parts += [span_text(span) for span in citation.spans]
    parts += [f"served by {citation.served_at}"] if citation.served_at else []
    parts += ["preliminary, not for publication"] if citation.preliminary else []
    parts += [f"acknowledgement: {text}" for text in (citation.acknowledgement, citation.requested) if text]
    parts += ["acknowledgement not known"] if "acknowledgement" in citation.unknown else []
    return "; ".join(parts)


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _key(name: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.:-]", "-", name) or "dataset"
    key, number = plain, 1
    while key.lower() in taken:
        number += 1
        key = f"{plain}-{number}"
    taken.add(key.lower())
    return key


def _tex(text: str) -> str:
    """Escape a text so that TeX prints it unchanged; letters beyond ASCII stay in UTF-8.

    >>> _tex("50% of B_z & more")
    '50\\\\% of B\\\\_z \\\\& more'
    """
    plain = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return "".join(_TEX.get(character, character) for character in plain)


def span_text(span: tuple[str, str]) -> str:
    """Write a time range for people; a range of whole days is written without hours.

    >>> span_text(("2021-10-28T00:00:00", "2021-10-29T00:00:00"))
    '2021-10-28 to 2021-10-29 UTC'
    """
    whole = all(time.endswith("T00:00:00") for time in span)
    start, stop = (time[:10] if whole else time.replace("T", " ") for time in span)
    return f"{start} to {stop} UTC"
