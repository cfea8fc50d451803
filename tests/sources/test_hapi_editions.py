"""HAPI over real HTTP: a table is of one edition of its dataset, whenever the server publishes it anew."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, Offline, Republished, ServerUnavailable
from helio.sources.providers.hapi import Hapi
from helio.testing import HapiStandIn
from helio.time_range import TimeRange
from tests.sources.made_hapi import magnetometer

pytestmark = pytest.mark.process

MAG = "MADE_MAG"
DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
NEXT_DAY = TimeRange(datetime(2021, 10, 29), datetime(2021, 10, 30))
TWO_DAYS = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 30))


@pytest.fixture
def server():
    with HapiStandIn([magnetometer(modificationDate="2022-01-01Z")], most=timedelta(days=1)) as standin:
        yield standin


@pytest.fixture
def new(server, tmp_path: Path, http):
    def make(**options) -> Hapi:
        return Hapi(tmp_path / "files", http, url=server.url, **options)

    return make


class Publisher:
    """Multiplies all magnitudes by ten with every edition, after so many data requests."""

    def __init__(self, server: HapiStandIn, *after: int, dated: bool = True) -> None:
        self.dataset = server.datasets[MAG]
        self.after = set(after)
        self.dated = dated
        self.requests = 0
        self.editions = 0
        self.lock = threading.Lock()
        server.after_data = self

    def __call__(self, query: dict[str, str]) -> None:
        with self.lock:
            self.requests += 1
            if self.requests in self.after:
                self.publish()

    def publish(self) -> None:
        self.editions += 1
        self.dataset.records["Magnitude"] *= 10
        if self.dated:
            self.dataset.about["modificationDate"] = f"2022-02-{self.editions:02d}Z"
        else:
            self.dataset.about["description"] = f"edition {self.editions}"


def ratio(table) -> set[float]:
    """What edition each record of a table is of."""
    expected = magnetometer().records["Magnitude"][: len(table)]
    known = (expected > 0) & np.isfinite(table.values)
    return {round(float(quotient), 6) for quotient in table.values[known] / expected[known]}


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("form", ["binary", "csv"])
@pytest.mark.parametrize("after", [1, 2])
def test_a_dataset_published_between_two_requests_gives_one_edition(server, new, after, form, dated):
    if not dated:
        del server.datasets[MAG].about["modificationDate"]
    if form == "csv":
        server.formats = ("csv",)
    Publisher(server, after, dated=dated)
    table = new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]
    assert ratio(table) == {10.0}
    assert len(table) == 48
    assert len({source.last_modified for source in table.sources}) == 1
    if dated:
        assert {source.last_modified for source in table.sources} == {"2022-02-01Z"}


def test_all_parameters_of_a_fetch_are_of_one_edition(server, new):
    server.most = None
    publisher = Publisher(server, 1)
    tables = new().fetch(MAG, ["Magnitude", "Flag"], DAY)
    assert publisher.requests == 4
    assert {source.last_modified for table in tables.values() for source in table.sources} == {"2022-02-01Z"}


@pytest.mark.parametrize("dated", [True, False])
def test_a_server_that_publishes_on_and_on_is_refused_after_a_bounded_number_of_requests(server, new, dated):
    if not dated:
        del server.datasets[MAG].about["modificationDate"]
    Publisher(server, *range(1, 1000), dated=dated)
    with pytest.raises(Republished, match="changed MADE_MAG during each of 3 attempts") as caught:
        new().fetch(MAG, ["Magnitude"], TWO_DAYS)
    assert "mix versions" in caught.value.message
    assert len(server.asked("/data")) <= 3 * 3  # in each round one is refused as too long
    server.after_data = lambda query: None
    assert len(ratio(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"])) == 1


def test_a_living_dataset_dated_anew_with_each_record_is_fetched(server, new):
    served = server.datasets[MAG]

    def append(query: dict[str, str]) -> None:
        moment = datetime.fromisoformat(served.stop.removesuffix("Z")) + timedelta(minutes=1)
        served.stop = moment.isoformat() + "Z"
        served.about["modificationDate"] = served.stop

    server.after_data = append
    table = new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]
    assert ratio(table) == {1.0}
    assert len(server.asked("/data")) <= 2 * 2 + 2
    server.mend()
    assert len(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]) == 48
    assert server.requests == []


def test_a_dataset_that_only_gets_longer_costs_no_further_request(server, new):
    server.datasets[MAG].about["x_asked"] = "1"

    def append(query: dict[str, str]) -> None:
        server.datasets[MAG].stop = "2021-10-30T23:30:00Z"
        server.datasets[MAG].about["x_asked"] = "2"

    server.after_data = append
    for date in ("2022-01-01Z", None):
        server.datasets[MAG].about["modificationDate"] = date
        server.mend()
        assert len(new(refresh=True).fetch(MAG, ["Flag"], DAY)["Flag"]) == 24
        assert len(server.asked("/data")) == 1


@pytest.mark.parametrize(
    "change",
    [{"fill": "5.0"}, {"units": "T"}, {"size": [1]}, {"type": "integer"}, {"name": "Other"}],
    ids=str,
)
def test_a_description_that_changes_between_two_requests_is_used_for_all_records_or_none(server, new, change):
    """The server says 5.0 is fill from some moment on, or nT becomes T: what came is never read by the old words."""
    original = dict(server.datasets[MAG].parameters[1])

    def describe(query: dict[str, str]) -> None:
        server.datasets[MAG].parameters[1].update(change)

    server.after_data = describe
    try:
        table = new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]
    except Exception as error:  # noqa: BLE001 — which error it is depends on the change
        assert type(error).__name__ in ("UnknownParameter", "DamagedFile")
        assert "name" in change or "type" in change
        return
    assert table.unit == (change.get("units") or original["units"])
    assert np.isnan(table.values[table.values == 5.0]).all()


def test_records_kept_of_an_earlier_edition_are_not_mixed_with_new_ones(server, new):
    assert ratio(new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]) == {1.0}
    Publisher(server).publish()
    # nobody has asked what there is since: the range of one day is kept, that of two is not
    assert ratio(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]) == {10.0}
    assert ratio(new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]) == {10.0}


def test_another_parameter_of_a_range_located_long_ago_has_its_edition_of_today(server, new, clock):
    new().fetch(MAG, ["Magnitude"], DAY)
    Publisher(server).publish()
    clock.ahead = 1e6
    server.mend()
    [source] = new().fetch(MAG, ["Flag"], DAY)["Flag"].sources
    assert source.last_modified == "2022-02-01Z"
    assert [request.path.split("?")[0] for request in server.requests] == [
        "/hapi/info",
        "/hapi/data",
        "/hapi/info",
    ]
    assert new().locate(MAG, DAY)[0].last_modified == "2022-02-01Z"


def test_fill_that_is_corrected_is_not_read_into_records_that_are_kept(server, new):
    new().fetch(MAG, ["Flag"], DAY)
    next(parameter for parameter in server.datasets[MAG].parameters if parameter["name"] == "Flag")[
        "fill"
    ] = "2"
    [before] = new().locate(MAG, DAY)
    new(refresh=True).locate(MAG, NEXT_DAY)
    server.mend()
    table = new().fetch(MAG, ["Flag"], DAY)["Flag"]
    assert len(server.asked("/data")) == 1
    assert not (table.values == 2).any()
    assert new().locate(MAG, DAY)[0].identity != before.identity


def test_records_that_came_before_a_check_failed_are_checked_by_the_next_run(server, new):
    server.most = None
    server.after_data = lambda query: server.fail("/info", *["503"] * 3)
    with pytest.raises(ServerUnavailable):
        new().fetch(MAG, ["Magnitude"], TWO_DAYS)
    server.after_data = lambda query: None
    server.mend()
    assert ratio(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]) == {1.0}
    assert [request.path.split("?")[0] for request in server.requests] == ["/hapi/info"]
    server.mend()
    new().fetch(MAG, ["Magnitude"], TWO_DAYS)
    assert server.requests == []


def test_records_that_came_before_a_check_failed_are_not_used_once_the_edition_is_another(server, new):
    server.most = None
    server.after_data = lambda query: server.fail("/info", *["503"] * 3)
    with pytest.raises(ServerUnavailable):
        new().fetch(MAG, ["Magnitude"], TWO_DAYS)
    server.mend()
    Publisher(server).publish()
    assert ratio(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]) == {10.0}


def test_without_a_date_a_note_and_the_source_say_that_the_edition_is_not_known(server, new):
    [dated] = new().fetch(MAG, ["Flag"], DAY)["Flag"].sources
    assert (dated.last_modified, dated.remark) == ("2022-01-01Z", "")
    del server.datasets[MAG].about["modificationDate"]
    table = new(refresh=True).fetch(MAG, ["Flag"], DAY)["Flag"]
    assert any("gives no modificationDate" in note for note in table.notes)
    assert "version of the data unknown" in table.sources[0].remark
    again = new().fetch(MAG, ["Flag"], DAY)["Flag"]  # from what is kept
    assert again.notes == table.notes


def test_offline_two_editions_are_not_mixed(server, new):
    new().fetch(MAG, ["Magnitude"], DAY)
    Publisher(server).publish()
    new(refresh=True).fetch(MAG, ["Magnitude"], NEXT_DAY)
    new().locate(MAG, TWO_DAYS)
    server.mend()
    with pytest.raises(Offline, match="belong to different versions of the dataset") as caught:
        new(offline=True).fetch(MAG, ["Magnitude"], TWO_DAYS)
    assert "2022-01-01Z" in caught.value.message
    assert "2022-02-01Z" in caught.value.message
    provider = new(offline=True)
    [source] = provider.fetch(MAG, ["Magnitude"], DAY)["Magnitude"].sources
    assert source.last_modified == "2022-01-01Z"
    assert provider.locate(MAG, DAY)[0].last_modified == "2022-01-01Z"
    assert server.requests == []


# Headers


@pytest.mark.parametrize("form", ["binary", "csv"])
@pytest.mark.parametrize(
    ("about", "words"),
    [({"fill": "7"}, "Magnitude"), ({"units": "T"}, "Magnitude"), ({"name": "Other"}, "Magnitude")],
)
def test_a_header_that_describes_other_records_than_the_info_is_refused(server, new, form, about, words):
    send_headers(server, form, lambda header: header["parameters"][1].update(about))
    with pytest.raises(DamagedFile, match="differently from its info") as caught:
        new().fetch(MAG, ["Magnitude"], DAY)
    assert words in caught.value.message


@pytest.mark.parametrize("form", ["binary", "csv"])
def test_a_header_that_agrees_with_the_info_is_left_out(server, new, form):
    expected = new().fetch(MAG, ["BGSE"], DAY)["BGSE"]
    send_headers(server, form, lambda header: None)
    assert new(refresh=True).fetch(MAG, ["BGSE"], NEXT_DAY)["BGSE"].digest() != expected.digest()
    assert len(new(refresh=True).fetch(MAG, ["BGSE"], TWO_DAYS)["BGSE"]) == 48


def test_a_header_of_a_new_edition_is_the_sign_of_a_republication(server, new):
    publisher = Publisher(server)
    send_headers(server, "binary", lambda header: None)
    sent = []

    def before(query: dict[str, str]) -> None:
        if not sent:
            publisher.publish()
        sent.append(query)

    server.before_data = before
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert ratio(table) == {10.0}
    assert table.sources[0].last_modified == "2022-02-01Z"


def send_headers(server: HapiStandIn, form: str, change) -> None:
    """Let the server send a header with all records, asked for or not."""
    import json

    server.formats = ("csv", "binary") if form == "binary" else ("csv",)
    served = server.datasets[MAG]
    body = served.body

    def with_header(names, *rest):
        header = json.loads(json.dumps(served.info(names)))
        change(header)
        return f"#{json.dumps(header)}\n".encode() + body(names, *rest)

    served.body = with_header
