"""The catalogue of all CDAWeb datasets: time ranges, instruments, parameters with units, citations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from helio.errors import UnknownDataset, UnknownParameter, did_you_mean
from helio.knowledge.cadence import cadence_text, cadences_of
from helio.knowledge.catalogue_file import BLOCK, CatalogueDataset, CatalogueFile, CatalogueParameter
from helio.knowledge.missions import Craft, craft_of, has_ended, instrument_of

SHIPPED = Path(__file__).with_name("cdaweb.catalogue")
"""The catalogue that helio contains; scripts/build_catalogue.py makes it."""
FRESH = timedelta(hours=24)
SETTLED = timedelta(days=3653)
"""A dataset has ended if its last record was older than this when helio asked the archive."""
STOPPED = timedelta(days=366)
"""A dataset has stopped if its last record was older than this when helio asked the archive."""
_NOTES = "https://cdaweb.gsfc.nasa.gov/misc/Notes{letter}.html#{id}"


@dataclass(frozen=True)
class ParameterEntry:
    """A parameter of a dataset, as the archive describes it.

    Parameters
    ----------
    unit : str
        Unit as the archive spells it; empty if the archive states none.
    size : tuple of int
        Shape of a record: empty for a scalar, ``(3,)`` for a vector, ``(12, 32)`` for two bin axes.
    kind : str
        ``double``, ``integer`` or ``string``, as in HAPI.
    frame : str
        Frame of a vector, such as ``GSE``; empty if the master CDF was not read.
    axes : tuple of str
        Names and units of the bins, such as ``Energy [eV]``; empty without bins, or if the master CDF was not read.
    """

    name: str
    unit: str
    size: tuple[int, ...]
    kind: str
    description: str
    frame: str = ""
    axes: tuple[str, ...] = ()

    @property
    def canonical_unit(self) -> str:
        """The unit of the parameter in helio's own spelling."""
        from helio.knowledge.unit_spelling import canonical_unit

        return canonical_unit(self.unit)

    @property
    def components(self) -> int:
        """Number of values that a record of the parameter has; 1 for a scalar."""
        count = 1
        for length in self.size:
            count *= length
        return count

    def to_json(self) -> dict[str, Any]:
        """Return the description of the parameter as JSON."""
        return {
            "name": self.name,
            "unit": self.unit,
            "canonical_unit": self.canonical_unit,
            "size": list(self.size),
            "type": self.kind,
            "frame": self.frame,
            "axes": list(self.axes),
            "description": self.description,
        }


@dataclass(frozen=True)
class DatasetSummary:
    """The description of a dataset, without its parameters.

    Parameters
    ----------
    instrument : str
        The instrument that the id names, else the kind of instrument.
    first, last : datetime or None
        Times of the first and the last record in the archive when helio asked it, UTC; None if not stated.
    cadence : tuple of float
        Seconds between records, from the id or the title; several if the parameters differ, empty if not stated.
    acknowledgement : str
        Acknowledgement that the makers of the dataset request; empty if not known.
    known_parameters : int
        Number of described parameters; 0 if the archive describes none, although the dataset may have some.
    """

    id: str
    mission: str
    spacecraft: str
    instrument: str
    instrument_type: str
    title: str
    first: datetime | None
    last: datetime | None
    cadence: tuple[float, ...]
    doi: str
    pi: str
    affiliation: str
    acknowledgement: str
    known_parameters: int

    @property
    def cadence_words(self) -> str:
        """The cadences of the dataset in words: ``3 s, 1 min, 1 h``; empty if unknown."""
        return ", ".join(cadence_text(seconds) for seconds in self.cadence)

    @property
    def notes_url(self) -> str:
        """Address of CDAWeb's notes on the dataset."""
        letter = self.id[:1].upper()
        return _NOTES.format(letter=letter if letter.isalpha() else "", id=self.id)

    @property
    def citation(self) -> str:
        """The citation of the dataset, without the date on which the data were read."""
        who = self.pi + (f" ({self.affiliation})" if self.affiliation else "")
        parts = [who, self.title, f"dataset {self.id}", "NASA Space Physics Data Facility, CDAWeb"]
        parts += [f"https://doi.org/{self.doi}"] if self.doi else []
        return ". ".join(part.rstrip(". ") for part in parts if part) + ("" if self.doi else ".")

    def to_json(self) -> dict[str, Any]:
        """Return the description of the dataset as JSON."""
        return {
            "id": self.id,
            "mission": self.mission,
            "spacecraft": self.spacecraft,
            "instrument": self.instrument,
            "instrument_type": self.instrument_type,
            "title": self.title,
            "first": time_text(self.first) or None,
            "last": time_text(self.last) or None,
            "cadence_seconds": list(self.cadence),
            "doi": self.doi,
            "pi": self.pi,
            "affiliation": self.affiliation,
            "acknowledgement": self.acknowledgement,
            "parameters": self.known_parameters,
            "notes": self.notes_url,
            "citation": self.citation,
        }


@dataclass(frozen=True)
class CatalogueEntry(DatasetSummary):
    """The description of a dataset with its parameters, except the time, in the order of the archive."""

    parameters: tuple[ParameterEntry, ...] = ()

    def parameter(self, name: str) -> ParameterEntry:
        """Return the parameter with this name; upper and lower case matter, as in the files.

        Raises
        ------
        UnknownParameter
            The dataset has no parameter with this name (the advice names the closest ones), or the catalogue does not
            describe its parameters.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        if not self.parameters:
            raise UnknownParameter(
                f"the catalogue does not describe the parameters of {self.id}",
                advice="run `helio catalog refresh`",
            )
        raise UnknownParameter(
            f"{self.id} has no parameter '{name}'",
            advice=did_you_mean(
                name,
                (parameter.name for parameter in self.parameters),
                otherwise=f"run `helio datasets parameters {self.id}`",
            ),
        )

    def matching(self, text: str) -> list[ParameterEntry]:
        """Return the parameters with this text in their name, unit or description, in small or capital letters."""
        return [
            parameter
            for parameter in self.parameters
            if text.lower() in f"{parameter.name} {parameter.unit} {parameter.description}".lower()
        ]


@dataclass(frozen=True)
class MissionSummary:
    """A mission with its spacecraft, and its datasets in CDAWeb."""

    name: str
    spacecraft: tuple[str, ...]
    datasets: int
    first: datetime | None
    last: datetime | None


class DatasetRow(NamedTuple):
    """A dataset as the catalogue file stores it; `helio.knowledge.catalogue_file.encode` writes it."""

    id: str
    group: str
    instrument_type: str
    title: str
    first: str
    last: str
    doi: str
    pi: str
    affiliation: str
    parameters: int


class Catalogue:
    """The catalogue of CDAWeb's datasets; its parts are read from a file when they are needed.

    Parameters
    ----------
    path : Path
        A file written by `helio.knowledge.catalogue_file.encode`; default: the shipped catalogue.

    Raises
    ------
    DamagedFile
        The file is damaged.
    """

    def __init__(self, path: Path = SHIPPED) -> None:
        self.file = CatalogueFile(path)
        self.as_of = read_time(self.file.head["as_of"]) or datetime.min.replace(tzinfo=UTC)
        self.sources: tuple[str, ...] = tuple(self.file.head["sources"])
        self._blocks: dict[int, list[Any]] = {}
        self._told: dict[int, DatasetSummary] = {}
        self._entries: dict[int, CatalogueEntry] = {}

    @property
    def fresh_until(self) -> datetime:
        """Time until which the catalogue is so recent that helio may refuse or shorten a time range because of it."""
        return self.as_of + FRESH

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, dataset_id: object) -> bool:
        return isinstance(dataset_id, str) and dataset_id.upper() in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids())

    def in_archive(self, dataset_id: object) -> bool:
        """Return whether a dataset is in the person's own archive, which is never true for the catalogue of CDAWeb."""
        del dataset_id
        return False

    def covered_elsewhere(self, dataset_id: str) -> str:
        """Say which time CDAWeb covers with a dataset that an archive has: nothing, for the catalogue of CDAWeb."""
        del dataset_id
        return ""

    def archived(self, spacecraft: str = "") -> tuple[CatalogueEntry, ...]:
        """Return the datasets of the person's own archive: none, for the catalogue of CDAWeb."""
        del spacecraft
        return ()

    def ids(self) -> list[str]:
        """Return the ids of all datasets, in alphabetical order."""
        return sorted(row.id for row in self.rows)

    def dataset(self, dataset_id: str) -> CatalogueEntry:
        """Return the dataset with this id and its parameters; upper and lower case do not matter.

        Raises
        ------
        UnknownDataset
            There is no dataset with this id; the message gives the closest ids.
        """
        number = self._place(dataset_id)
        if number not in self._entries:
            parameters = tuple(_parameter(*row) for row in self._block(number // BLOCK)[number % BLOCK])
            self._entries[number] = CatalogueEntry(**vars(self.at(number)), parameters=parameters)
        return self._entries[number]

    def summary(self, dataset_id: str) -> DatasetSummary:
        """Return the dataset with this id without its parameters, which is faster than `dataset`.

        Raises
        ------
        UnknownDataset
            There is no dataset with this id; the message gives the closest ids.
        """
        return self.at(self._place(dataset_id))

    def summaries(self) -> list[DatasetSummary]:
        """Return all datasets without their parameters; their order is that of the file and of the search index."""
        return [self.at(row) for row in range(len(self.rows))]

    def at(self, number: int) -> DatasetSummary:
        """Return the dataset that has this number in the search index."""
        if number not in self._told:
            self._told[number] = self._summary(number)
        return self._told[number]

    def crafts(self) -> list[tuple[str, Craft]]:
        """Return the id, the mission and the spacecraft of every dataset, in the order of the file."""
        return self._crafts

    def missions(self) -> list[MissionSummary]:
        """Return all missions, ordered by name."""
        grouped: dict[str, list[tuple[str, datetime | None, datetime | None]]] = {}
        for row, (_, craft) in zip(self.rows, self.crafts(), strict=True):
            mission = (craft.spacecraft, read_time(row.first), read_time(row.last))
            grouped.setdefault(craft.mission, []).append(mission)
        return [
            MissionSummary(
                name,
                tuple(sorted({craft for craft, _, _ in group if craft != name}, key=_natural)),
                len(group),
                min((first for _, first, _ in group if first), default=None),
                max((last for _, _, last in group if last), default=None),
            )
            for name, group in sorted(grouped.items(), key=lambda item: item[0].casefold())
        ]

    def is_fresh(self, dataset: DatasetSummary, now: datetime) -> bool:
        """Return whether helio may refuse or shorten a request because of the dataset's time range in the catalogue."""
        return self.as_of <= now < self.fresh_until or self.has_ended(dataset)

    def has_ended(self, dataset: DatasetSummary) -> bool:
        """Return whether a dataset is complete, so that its archive will not add more data.

        Its spacecraft has sent nothing for years, or its last record was ten years old when helio asked the archive.
        A dataset whose data are only late has not ended.
        """
        if dataset.last is None:
            return False
        craft = Craft(dataset.mission, dataset.spacecraft)
        return dataset.last + SETTLED < self.as_of or (
            self.has_stopped(dataset) and has_ended(craft, self.as_of.year)
        )

    def has_stopped(self, dataset: DatasetSummary) -> bool:
        """Return whether a dataset had no record for the year before helio asked the archive.

        The dataset may still continue, so a run may request later times, but helio does not propose it for them.
        """
        return dataset.last is not None and dataset.last < self.as_of - STOPPED

    def facts(self) -> list[CatalogueDataset]:
        """Return all datasets in the form from which a catalogue file is written."""
        facts: list[CatalogueDataset] = []
        for number, row in enumerate(self.rows):
            described = self._block(number // BLOCK)[number % BLOCK]
            parameters = [CatalogueParameter(**vars(_parameter(*written))) for written in described]
            facts.append(CatalogueDataset(*row[:-1], parameters))
        return facts

    def words(self) -> str:
        """Return the text of the search index, which lists, for each word, the datasets that the word describes."""
        return self.file.text("words")

    @cached_property
    def _crafts(self) -> list[tuple[str, Craft]]:
        return [(row.id, craft_of(row.id, row.group)) for row in self.rows]

    @cached_property
    def rows(self) -> list[DatasetRow]:
        """All datasets as the file stores them; their order is that of the search index."""
        return [DatasetRow(*row) for row in self.file.rows("datasets")]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {row.id.upper(): number for number, row in enumerate(self.rows)}

    def _place(self, dataset_id: str) -> int:
        number = self._places.get(dataset_id.upper())
        if number is None:
            raise UnknownDataset(
                f"no dataset of the catalogue is called '{dataset_id}'"
                if (elsewhere := _served_elsewhere(dataset_id))
                else f"no dataset is called '{dataset_id}'",
                advice=elsewhere
                or did_you_mean(
                    dataset_id, (row.id for row in self.rows), otherwise="run `helio datasets search WORDS`"
                ),
            )
        return number

    def _block(self, number: int) -> list[Any]:
        if number not in self._blocks:
            self._blocks[number] = self.file.rows(f"parameters/{number}")
        return self._blocks[number]

    def _summary(self, number: int) -> DatasetSummary:
        row = self.rows[number]
        craft = craft_of(row.id, row.group)
        return DatasetSummary(
            id=row.id,
            mission=craft.mission,
            spacecraft=craft.spacecraft,
            instrument=instrument_of(row.id, craft.mission) or row.instrument_type,
            instrument_type=row.instrument_type,
            title=row.title,
            first=read_time(row.first),
            last=read_time(row.last),
            cadence=cadences_of(row.id, row.title),
            doi=row.doi,
            pi=row.pi,
            affiliation=row.affiliation,
            acknowledgement="",
            known_parameters=row.parameters,
        )


def open_catalogue(home: Path) -> Catalogue:
    """Open the catalogue that helio contains, or the catalogue that `helio catalog refresh` has saved, if it is newer.

    Raises
    ------
    DamagedFile
        The renewed catalogue file is damaged.
    """
    renewed = renewed_path(home)
    shipped = _opened(SHIPPED, _state(SHIPPED))
    if not renewed.exists():
        return shipped
    own = _opened(renewed, _state(renewed))
    return own if own.as_of >= shipped.as_of else shipped


@lru_cache(maxsize=4)
def _opened(path: Path, state: tuple[int, int, int]) -> Catalogue:
    """Open a catalogue once for each state of its file, so that later calls use the parts that are already unpacked."""
    del state
    return Catalogue(path)


def _state(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def renewed_path(home: Path) -> Path:
    """Return the path to which `helio catalog refresh` saves the catalogue."""
    return home / "catalogue" / "cdaweb.catalogue"


def read_time(text: str) -> datetime | None:
    """Read a time from the text that the catalogue contains."""
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def time_text(time: datetime | None) -> str:
    """Write a time for people and programs: ``1997-09-02T00:00:12Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time else ""


def _parameter(
    name: str,
    unit: str = "",
    description: str = "",
    size: Sequence[int] = (),
    kind: str = "double",
    frame: str = "",
    axes: Sequence[str] = (),
) -> ParameterEntry:
    return ParameterEntry(name, unit, tuple(size), kind, description, frame, tuple(axes))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key in which numbers count as numbers, so that GOES-8 comes before GOES-16."""
    import re

    return [(int(piece), "") if piece.isdigit() else (0, piece) for piece in re.findall(r"\d+|\D+", name)]


def _served_elsewhere(dataset_id: str) -> str:
    """Return advice on the source of a dataset that another provider than CDAWeb serves; empty for other datasets."""
    from helio.sources.registry import datasets_known_to, known_datasets  # imports every source

    source = known_datasets().get(dataset_id)
    if source is None:
        return ""
    parameters = ", ".join(datasets_known_to(source)[dataset_id])
    return f'set "provider": "{source}" in the fetch; its parameters: {parameters}'
