"""Real-time data of NOAA's Space Weather Prediction Center (SWPC) for the last seven days, from its JSON files."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from helio.counts import number_of
from helio.errors import (
    DamagedFile,
    DamagedRecord,
    DataError,
    NoData,
    NotYetPublished,
    Offline,
    UnknownDataset,
    did_you_mean,
)
from helio.sources.answer import OpenReply
from helio.sources.base import ONLINE, Source
from helio.sources.http import Http
from helio.sources.saved_replies import LARGEST, SavedReply
from helio.sources.server_text import one_line
from helio.sources.witness import Witness
from helio.store.files import note_use, write_whole
from helio.store.records import Count, Instant, NaiveInstant, Sha256OrEmpty, read_bytes, read_record
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table

log = logging.getLogger(__name__)

ACKNOWLEDGEMENT = (
    "NOAA Space Weather Prediction Center (SWPC); operational real-time data are preliminary and not intended for "
    "research."
)

_FRESH = 60.0
"""Seconds for which helio uses a reply again: the service updates its data every minute."""
_HELD = timedelta(days=8)
"""Age of a range's start from which the service cannot have the range, because it keeps data for only seven days."""
_BEHIND = timedelta(minutes=10)
"""If the newest record is older than the end of a range by more than this, the table gets a note."""

_NUMBER = re.compile(r"\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|nan)\s*", re.IGNORECASE)

Entry = tuple[datetime, Any]
"""Epoch of a record, and the record as the service sends it."""


@dataclass(frozen=True)
class SwpcParameter:
    """Quantity of a dataset, and the names under which the service gives it.

    Parameters
    ----------
    columns : tuple of str
        Keys of a record that contain the quantity: one key for each component.
    where : tuple of str
        A key of a record and its value, which select the records of this quantity if a reply contains records of
        several quantities.
    """

    columns: tuple[str, ...]
    unit: str
    name: str
    description: str
    frame: str = ""
    components: tuple[str, ...] = ()
    where: tuple[str, str] | None = None
    scale: str = "linear"


@dataclass(frozen=True)
class Product:
    """Dataset of SWPC, which is one JSON file of the service.

    Parameters
    ----------
    rows : bool
        Whether the records are arrays, after a first array with the names of the columns; otherwise they are objects.
    source : str
        Key of a record that names the spacecraft, if the reply has such a key.
    earlier : str
        Provider of older days, which this service no longer has.
    """

    path: str
    title: str
    parameters: Mapping[str, SwpcParameter]
    rows: bool = True
    source: str = ""
    earlier: str = ""

    @property
    def file(self) -> str:
        """Name of the JSON file, without its folder."""
        return self.path.rpartition("/")[2]

    @property
    def members(self) -> set[str]:
        """Names of the values that each record must have."""
        members = {"time_tag"}
        for parameter in self.parameters.values():
            members |= set(parameter.columns) | ({parameter.where[0]} if parameter.where else set())
        return members


_WIND = "products/solar-wind/"
PRODUCTS: Mapping[str, Product] = {
    "SWPC_RTSW_MAG": Product(
        f"{_WIND}mag-7-day.json",
        "Real-time solar wind magnetic field at L1",
        {
            "BGSM": SwpcParameter(
                ("bx_gsm", "by_gsm", "bz_gsm"), "nT", "B", "Magnetic field", "GSM", ("Bx", "By", "Bz")
            ),
            "Bt": SwpcParameter(("bt",), "nT", "Bt", "Strength of the magnetic field"),
            "lon_gsm": SwpcParameter(
                ("lon_gsm",), "deg", "Longitude", "Longitude of the magnetic field in GSM"
            ),
            "lat_gsm": SwpcParameter(
                ("lat_gsm",), "deg", "Latitude", "Latitude of the magnetic field in GSM"
            ),
        },
        earlier="for earlier days use DSCOVR_H0_MAG or AC_H3_MFI of CDAWeb",
    ),
    "SWPC_RTSW_PLASMA": Product(
        f"{_WIND}plasma-7-day.json",
        "Real-time solar wind plasma at L1",
        {
            "density": SwpcParameter(("density",), "cm^-3", "Density", "Proton density"),
            "speed": SwpcParameter(("speed",), "km/s", "Speed", "Bulk speed of the protons"),
            "temperature": SwpcParameter(("temperature",), "K", "Temperature", "Proton temperature"),
        },
        earlier="for earlier days use WI_H1_SWE or AC_H0_SWE of CDAWeb",
    ),
    "SWPC_GOES_XRS": Product(
        "json/goes/primary/xrays-7-day.json",
        "GOES primary X-ray flux",
        {
            "xrsa": SwpcParameter(
                ("flux",),
                "W/m^2",
                "X-ray flux",
                "Solar X-rays, 0.05 to 0.4 nm",
                where=("energy", "0.05-0.4nm"),
                scale="log",
            ),
            "xrsb": SwpcParameter(
                ("flux",),
                "W/m^2",
                "X-ray flux",
                "Solar X-rays, 0.1 to 0.8 nm",
                where=("energy", "0.1-0.8nm"),
                scale="log",
            ),
        },
        rows=False,
        source="satellite",
        earlier="for earlier days use the files of NOAA's National Centers for Environmental Information",
    ),
}
"""Datasets by id. The ids are helio's own, because the service gives its datasets no ids."""
_ASKED = PRODUCTS["SWPC_RTSW_MAG"]
_FIRST_ROW = 16_384
"""Number of bytes that surely contain the first record of a reply."""


@dataclass(frozen=True)
class ServedRecords:
    """Records of a reply, in order of epoch."""

    entries: tuple[Entry, ...] = field(repr=False)
    columns: tuple[str, ...]
    last_modified: str = ""

    @property
    def first(self) -> datetime:
        """Earliest epoch for which the service has a record."""
        return self.entries[0][0]

    @property
    def last(self) -> datetime:
        """Newest epoch for which the service has a record."""
        return self.entries[-1][0]


@dataclass(frozen=True)
class Cut:
    """Records of one range, written as bytes that do not depend on when helio asked the service."""

    content: bytes = field(repr=False)
    newest: str
    """Newest epoch that the service had when helio asked, ISO 8601."""
    last_modified: str = ""

    @property
    def sha256(self) -> str:
        """Digest of the records' bytes, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


class _ReplyContent(TypedDict):
    """A reply of the service, in the form in which helio saves it."""

    reply: Any
    etag: str
    last_modified: str


@dataclass(frozen=True)
class _CutFacts:
    """Facts about the records of a range, saved together with these records."""

    newest: NaiveInstant
    last_modified: str
    fetched_at: Instant
    url: str = ""
    size: Count = 0
    sha256: Sha256OrEmpty = ""


class Swpc(Source):
    """Real-time data of NOAA SWPC as a source of data.

    The service has the last seven days and updates them every minute; helio uses a reply for one minute. helio saves
    the records of each range under the digest of their bytes, and this digest is part of the cache keys of steps. So a
    range in the past has the same key whenever helio asks the service, and stays available when the service no longer
    has it. helio refuses a range that begins before the data of the service, unless its records are in the cache.

    References
    ----------
    https://www.swpc.noaa.gov/products/real-time-solar-wind, https://www.swpc.noaa.gov/products/goes-x-ray-flux
    """

    title = "SWPC"
    keeps = _HELD
    address = "https://services.swpc.noaa.gov"
    publisher = "NOAA Space Weather Prediction Center"
    locates_by_download = True
    question = f"for the columns of {_ASKED.file}"

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted."""
        return sorted(PRODUCTS)

    @classmethod
    def known_datasets(cls) -> Mapping[str, Collection[str]]:
        """Return all datasets with their parameters."""
        return {dataset_id: product.parameters for dataset_id, product in PRODUCTS.items()}

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Request the newest data and check the names of the columns."""
        url_of_product = f"{url}/{_ASKED.path}"
        head = re.match(rb"\s*\[\s*(\[[^]]*\])", witness.first_bytes(http, url_of_product, _FIRST_ROW))
        try:
            columns = json.loads(head[1]) if head else None
        except ValueError:
            columns = None
        check_columns(_ASKED, columns, url_of_product)
        return f"{_ASKED.file} has the {len(_ASKED.members)} expected columns"

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the records of [start, stop) as one reply, which is named by the digest of its bytes.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData
            The range begins before the first record of the service, or has no record; the message names the range that
            the service has.
        NotYetPublished
            The range begins after the newest record.
        ServerUnavailable, RateLimited, Refused, DamagedFile, TooLarge
            The service does not give the data, or its reply has another form than expected.
        Offline
            The run is offline, and the cache has no records of the range.
        """
        return (self._source(dataset_id, self._cut(dataset_id, time_range)),)

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop), with null as NaN, and with each epoch only once.

        Returns
        -------
        dict of str to Table
            Tables by parameter. Values are float64, of shape (n,) or (n, 3) in GSM.

        Raises
        ------
        UnknownParameter
        UnknownDataset, NoData, NotYetPublished, DamagedFile, Offline, TooLarge
        ServerUnavailable, RateLimited, Refused
            As for `locate`.
        """
        product = self._product(dataset_id)
        self.refuse_unknown(dataset_id, parameters, product.parameters)
        cut = self._cut(dataset_id, time_range)
        source = self._source(dataset_id, cut)
        return {
            name: _table(product, product.parameters[name], cut, source, time_range) for name in parameters
        }

    # Records

    def _cut(self, dataset_id: str, time_range: TimeRange) -> Cut:
        """Return the records of a range; the result stays the same as long as this object exists."""
        product = self._product(dataset_id)
        return self.once(f"{dataset_id} {time_range}", lambda: self._find(dataset_id, product, time_range))

    def _find(self, dataset_id: str, product: Product, time_range: TimeRange) -> Cut:
        gone = time_range.start < self.http.clock.utc() - _HELD
        if gone and not self.refresh and (earlier_cut := self._kept(dataset_id, time_range)):
            return earlier_cut
        held = self._reply(product)
        if held is not None and held.first <= time_range.start:
            cut = _cut_out(product, held, dataset_id, time_range)
            self._keep(dataset_id, time_range, cut)
            return cut
        if earlier_cut := self._kept(dataset_id, time_range):
            return earlier_cut
        if held is None:
            raise Offline(
                f"helio is offline, and {dataset_id} of {Swpc.title} for {time_range} is not cached",
                advice=ONLINE,
            )
        raise NoData(
            f"{Swpc.title} {'had' if self.offline else 'has'} records of {dataset_id} only from "
            f"{_words(held.first)} to {_words(held.last)}, but {time_range} begins earlier",
            advice=f"choose a range within these times, such as 'last 24 hours'; {product.earlier}",
            place=self._url_of(product),
        )

    def _reply(self, product: Product) -> ServedRecords | None:
        """Return the records that the service has now; return None if helio is offline and no reply is saved."""
        return self.once(product.path, lambda: self._saved_or_asked(product))

    def _saved_or_asked(self, product: Product) -> ServedRecords | None:
        name = f"{self.folder}/{product.path.removesuffix('.json')}"
        saved = self.replies.load(name, _ReplyContent)
        fresh = saved is not None and self.is_young(saved.said, _FRESH)
        if not self.offline and (self.refresh or not fresh):
            saved = self._ask(product, name, saved)
        if saved is None:
            return None
        content = saved.content
        return _read(product, content["reply"], content["last_modified"], self._url_of(product))

    def _ask(self, product: Product, reply_name: str, saved: SavedReply | None) -> SavedReply:
        url = self._url_of(product)
        etag = saved.content["etag"] if saved else ""

        def receive(answer: OpenReply) -> dict[str, Any] | None:
            if answer.status == 304:
                return None
            reply = self.counted(answer, product.file, answer.json)
            validators = {name: answer.headers.get(name, "") for name in ("etag", "last-modified")}
            return {"reply": reply, "etag": validators["etag"], "last_modified": validators["last-modified"]}

        headers = {"Accept": "application/json"} | ({"If-None-Match": etag} if etag else {})
        received = self.http.exchange(
            url, receive, headers=lambda: headers, expected=(200, 304) if etag else (200,)
        )
        if received is None:
            assert saved is not None  # only then was there a tag to compare with
            return self.replies.save(reply_name, saved.content)
        _read(product, received["reply"], "", url)  # an unreadable reply is not saved
        return self.replies.save(reply_name, received)

    def _url_of(self, product: Product) -> str:
        return f"{self.url}/{product.path}"

    @staticmethod
    def _product(dataset_id: str) -> Product:
        product = PRODUCTS.get(dataset_id)
        if product is None:
            raise UnknownDataset(
                f"no dataset of {Swpc.title} is called '{dataset_id}'",
                advice=did_you_mean(
                    dataset_id, PRODUCTS, otherwise=f"choose one of its datasets: {', '.join(PRODUCTS)}"
                ),
            )
        return product

    def _source(self, dataset_id: str, cut: Cut) -> SourceFile:
        product = PRODUCTS[dataset_id]
        return SourceFile(
            dataset_id=dataset_id,
            file=product.file,
            provider=Swpc.title,
            sha256=cut.sha256,
            size=len(cut.content),
            acknowledgement=ACKNOWLEDGEMENT,
            preliminary=True,
            url=self._url_of(product),
            title=product.title,
            reply=True,
            proof="nothing",
        )

    # Saved records of a range

    def _folder(self, dataset_id: str, time_range: TimeRange) -> Path:
        span = "_".join(f"{time:%Y%m%dT%H%M%S.%f}" for time in (time_range.start, time_range.stop))
        return self.cache / "data" / self.folder / dataset_id / span

    def _keep(self, dataset_id: str, time_range: TimeRange, cut: Cut) -> None:
        path = self._folder(dataset_id, time_range) / f"{cut.sha256}.json"
        facts = {
            "url": self._url_of(PRODUCTS[dataset_id]),
            "size": len(cut.content),
            "sha256": cut.sha256,
            "last_modified": cut.last_modified,
            "newest": cut.newest,
            "fetched_at": self.http.clock.utc().isoformat(timespec="seconds"),
        }
        if not path.exists():
            write_whole(path, cut.content, durable=False)
        beside = path.with_name(f"{path.name}.json")
        write_whole(beside, json.dumps(facts, indent=1).encode(), durable=False)

    def _kept(self, dataset_id: str, time_range: TimeRange) -> Cut | None:
        """Return the newest cached records of exactly this range that were saved when the range was over;
        offline, also those saved earlier.
        """
        cuts: list[tuple[str, Cut]] = []
        for beside in sorted(self._folder(dataset_id, time_range).glob("*.json.json")):
            path = beside.with_name(beside.name.removesuffix(".json"))
            try:
                facts = read_record(beside, _CutFacts)
                cut = Cut(read_bytes(path, largest=LARGEST), facts.newest, facts.last_modified)
            except FileNotFoundError:
                log.warning("%s or its data file is missing; helio uses neither of them", beside)
                continue
            except DamagedRecord as error:
                log.warning("%s; helio ignores this file", error.message)
                continue
            over, fetched_at = datetime.fromisoformat(cut.newest) >= time_range.stop, facts.fetched_at
            if cut.sha256 != path.name.removesuffix(".json"):
                log.warning("%s has changed since it was saved; helio ignores it", path)
            elif over or self.offline:
                cuts.append((fetched_at, cut))
        if not cuts:
            return None
        newest = max(cuts, key=itemgetter(0))[1]
        note_use(self._folder(dataset_id, time_range) / f"{newest.sha256}.json.json")
        return newest


def _read(product: Product, reply: Any, last_modified: str, url: str) -> ServedRecords:
    """Return the records of a reply in order of epoch.

    Raises
    ------
    DamagedFile
        The reply has another form than expected, or is empty.
    """
    columns: tuple[str, ...] = ()
    records = reply
    if not isinstance(reply, list) or not reply:
        raise _another_form(product, f"{type(reply).__name__} instead of a list of records", url)
    if product.rows:
        check_columns(product, reply[0], url)
        columns, records = tuple(reply[0]), reply[1:]
    entries: list[Entry] = []
    for number, record in enumerate(records, 1):
        if product.rows:
            if not isinstance(record, list) or len(record) != len(columns):
                raise _another_form(product, f"record {number} does not have {len(columns)} columns", url)
            tag = record[columns.index("time_tag")]
        else:
            if not isinstance(record, dict):
                raise _another_form(product, f"record {number} is not a JSON object", url)
            _refuse_lacking(product, record, url)
            tag = record["time_tag"]
        try:
            epoch = datetime.fromisoformat(tag)
            epoch = epoch.astimezone(UTC).replace(tzinfo=None) if epoch.tzinfo else epoch
        except (ValueError, TypeError, OverflowError) as error:
            raise _another_form(
                product, f"record {number} has the invalid time '{one_line(tag, 40)}'", url
            ) from error
        entries.append((epoch, record))
    if not entries:
        raise NoData(
            f"{product.file} of {Swpc.title} contains no records", advice="try again later", place=url
        )
    return ServedRecords(tuple(sorted(entries, key=lambda entry: entry[0])), columns, last_modified)


def check_columns(product: Product, names: Any, url: str) -> None:
    """Check the names of the columns in the first row of a reply.

    Raises
    ------
    DamagedFile
        The row does not contain names, or some names are missing.
    """
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _another_form(product, "its first row does not contain names of columns", url)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise _another_form(product, f"several columns are called {one_line(repeated[0], 40)}", url)
    _refuse_lacking(product, names, url)


def _refuse_lacking(product: Product, members: Sequence[str] | Mapping[str, Any], url: str) -> None:
    lacking = sorted(product.members - set(members))
    if lacking:
        raise _another_form(
            product, f"it has no {', '.join(lacking)}, but only {one_line(', '.join(members))}", url
        )


def _another_form(product: Product, what: str, url: str) -> DataError:
    return DamagedFile(
        f"{product.file} of {Swpc.title} does not have the expected format: {what}",
        advice="install a newer version of helio: the service may have changed its format",
        place=url,
    )


def _cut_out(product: Product, held: ServedRecords, dataset_id: str, time_range: TimeRange) -> Cut:
    within = [entry for epoch, entry in held.entries if time_range.start <= epoch < time_range.stop]
    if not within:
        text = f"{dataset_id} has no record in {time_range}"
        advice = (
            f"choose another time range: {Swpc.title} has records from {_words(held.first)} to "
            f"{_words(held.last)}"
        )
        kind = NotYetPublished if time_range.start > held.last else NoData
        raise kind(text, advice=advice)
    records = [list(held.columns), *within] if product.rows else within
    content = json.dumps(records, separators=(",", ":"), sort_keys=True).encode()
    return Cut(content, held.last.isoformat(), held.last_modified)


def _table(
    product: Product, parameter: SwpcParameter, cut: Cut, source: SourceFile, time_range: TimeRange
) -> Table:
    import numpy as np

    from helio.store.table import Table

    held = _read(product, json.loads(cut.content), "", source.url)
    entries = held.entries
    if parameter.where is not None:
        member, value = parameter.where
        entries = tuple(entry for entry in entries if entry[1][member] == value)
    epochs = [epoch for epoch, _ in entries]
    # a repeated epoch is taken once, from its first record
    first = [i for i, epoch in enumerate(epochs) if i == 0 or epoch > epochs[i - 1]]
    if not first:
        raise NoData(
            f"{source.dataset_id} has no record of {parameter.description.lower()} in {time_range}",
            place=source.url,
        )
    keys: Sequence[Any] = [
        held.columns.index(column) if product.rows else column for column in parameter.columns
    ]
    every = np.array(
        [[_number(product, record[key], source.url) for key in keys] for _, record in entries],
        dtype=np.float64,
    )
    values = every[first]
    notes = []
    newest = datetime.fromisoformat(cut.newest)
    if newest < time_range.stop - _BEHIND:
        notes.append(f"the newest record that {Swpc.title} had was at {_words(newest)}")
    if len(first) < len(epochs):
        notes.append(
            f"{number_of(len(epochs) - len(first), 'repeated epoch')}: the first record of each was kept"
        )
        kept_values = values[np.searchsorted(first, np.arange(len(epochs)), side="right") - 1]
        same = (every == kept_values) | (np.isnan(every) & np.isnan(kept_values))
        differing = int(np.count_nonzero(~same.all(axis=1)))
        if differing:
            notes.append(
                f"{number_of(differing, 'repeated record differs', 'repeated records differ')} from the first record "
                "of the same epoch"
            )
    if product.source:
        crafts = sorted({f"GOES-{one_line(entries[i][1].get(product.source, '?'), 20)}" for i in first})
        notes.append(f"measured by {', '.join(crafts)}")
    return Table(
        epoch=np.array([epochs[i] for i in first], dtype="datetime64[ns]"),
        values=values if parameter.components else values[:, 0],
        unit=parameter.unit,
        name=parameter.name,
        frame=parameter.frame,
        components=parameter.components,
        scale="log" if parameter.scale == "log" else "linear",
        description=f"{parameter.description}; {product.title}, NOAA SWPC",
        sources=(source,),
        notes=tuple(notes),
    )


def _number(product: Product, value: Any, url: str) -> float:
    """Read a number that the service gives as a number or as text; null, which means a missing value, becomes NaN."""
    if value is None:
        return float("nan")
    if isinstance(value, int | float | str) and not isinstance(value, bool) and _NUMBER.fullmatch(str(value)):
        number = float(str(value))
        if not math.isinf(number):
            return number
    raise _another_form(product, f"'{one_line(value, 40)}' instead of a number", url)


def _words(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M}Z"
