"""HAPI over real HTTP: replies that may be incomplete, formats that are refused, and records out of place."""

from __future__ import annotations

import gzip
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, NoData, Offline, Refused
from helio.sources.providers.hapi import Hapi
from helio.testing import HapiStandIn
from helio.time_range import TimeRange
from tests.sources.made_hapi import magnetometer

pytestmark = pytest.mark.process

MAG = "MADE_MAG"
DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
TWO_DAYS = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 30))
BYTES = 24 + 8
"""Of a binary record of Magnitude."""
PROTOCOLS = ["HTTP/1.0", "HTTP/1.1"]


@pytest.fixture(params=["binary", "csv"])
def form(request) -> str:
    return request.param


@pytest.fixture
def server():
    with HapiStandIn([magnetometer(modificationDate="2022-01-01Z")]) as standin:
        yield standin


@pytest.fixture
def formed(server, form):
    """The server, which has this format alone or beside CSV."""
    server.formats = ("csv",) if form == "csv" else ("csv", "binary")
    return server


@pytest.fixture
def new(server, tmp_path: Path, http):
    def make(**options) -> Hapi:
        return Hapi(tmp_path / "files", http, url=server.url, **options)

    return make


class Cut:
    """Sends no more than so many records of each reply, for so many replies."""

    def __init__(self, server: HapiStandIn, form: str, records: int, times: int = 1_000_000) -> None:
        self.served = server.datasets[MAG]
        self.whole = self.served.body
        self.form = form
        self.records = records
        self.times = times
        self.served.body = self

    def __call__(self, *args) -> bytes:
        body = self.whole(*args)
        if self.times <= 0:
            return body
        self.times -= 1
        if self.form == "binary":
            return body[: self.records * BYTES]
        return b"".join(body.splitlines(keepends=True)[: self.records])


def expected() -> np.ndarray:
    return magnetometer().records["Magnitude"][:24]


# Replies without a length


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_whole_reply_without_a_length_costs_no_further_request(formed, new, form, protocol):
    formed.unframed = protocol
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected())
    assert len(formed.asked("/data")) == 1
    assert not table.sources[0].incomplete
    formed.mend()
    new().fetch(MAG, ["Magnitude"], DAY)
    assert formed.requests == []


@pytest.mark.parametrize("records", [1, 2, 12, 22, 23])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_rest_of_a_reply_that_ended_at_a_record_is_asked_for(formed, new, form, protocol, records):
    formed.unframed = protocol
    Cut(formed, form, records, times=1)
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected())
    assert np.array_equal(table.epoch, magnetometer().epoch[:24])
    assert not any(source.incomplete for source in table.sources)
    assert not any("may be incomplete" in note for note in table.notes)
    formed.mend()
    again = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert again.digest() == table.digest()
    assert formed.requests == []


def test_an_empty_reply_without_a_length_is_asked_for_once_more(formed, new, form):
    formed.unframed = "HTTP/1.1"
    formed.empty = 1200  # nothing says that there is no data
    Cut(formed, form, 0, times=1)
    assert np.array_equal(new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"].values, expected())


def test_no_record_without_a_length_is_not_taken_for_no_data(formed, new, form):
    formed.unframed = "HTTP/1.1"
    formed.empty = 1200
    Cut(formed, form, 0)
    with pytest.raises(DamagedFile, match="may be incomplete"):
        new().fetch(MAG, ["Magnitude"], DAY)
    assert len(formed.asked("/data")) == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_data_said_by_the_server_is_believed_without_a_length(formed, new, form, protocol):
    formed.unframed = protocol
    Cut(formed, form, 0)
    with pytest.raises(NoData):
        new().fetch(MAG, ["Magnitude"], DAY)
    assert len(formed.asked("/data")) == 1


@pytest.mark.parametrize("cadence", ["PT1H", None])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reply_that_cannot_be_completed_is_marked_and_asked_for_again(formed, new, form, protocol, cadence):
    formed.unframed = protocol
    formed.datasets[MAG].about["cadence"] = cadence
    served = formed.datasets[MAG]
    whole = served.body
    end = np.datetime64("2021-10-28T12:00")
    served.body = lambda names, start, stop, form: whole(names, start, min(stop, end), form)
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected()[:12])
    assert any("may be incomplete" in note for note in table.notes)
    assert any(source.incomplete and "may be incomplete" in source.remark for source in table.sources)
    assert len(formed.asked("/data")) <= 6
    formed.mend()
    assert any(
        "may be incomplete" in note
        for note in new(offline=True).fetch(MAG, ["Magnitude"], DAY)["Magnitude"].notes
    )
    assert formed.requests == []
    served.body, formed.unframed = whole, ""
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected())
    assert not any(source.incomplete for source in table.sources)
    # only what may be missing is asked for
    assert [request.query["start"] for request in formed.asked("/data")] == ["2021-10-28T11:00:00Z"]


def test_a_gap_at_the_end_is_whole_where_the_length_says_so(formed, new, form):
    served = formed.datasets[MAG]
    whole = served.body
    end = np.datetime64("2021-10-28T12:00")
    served.body = lambda names, start, stop, form: whole(names, start, min(stop, end), form)
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert len(table) == 12
    assert not table.sources[0].incomplete
    assert len(formed.asked("/data")) == 1


def test_without_a_cadence_a_reply_without_a_length_is_never_known_to_be_whole(formed, new, form):
    formed.unframed = "HTTP/1.1"
    del formed.datasets[MAG].about["cadence"]
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected())
    assert any("gives no cadence" in note for note in table.notes)
    assert table.sources[-1].incomplete


def test_a_server_that_always_sends_a_few_records_is_not_asked_on_and_on(formed, new, form):
    formed.unframed = "HTTP/1.1"
    Cut(formed, form, 3)
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert 3 < len(table) < 24
    assert any("may be incomplete" in note for note in table.notes)
    assert len(formed.asked("/data")) <= 6


def test_a_reply_cut_within_a_record_is_refused(formed, new, form):
    formed.fail("/data", *[("cut", 5 * BYTES + 7)] * 3)
    with pytest.raises(DamagedFile, match="is cut off inside a record"):
        new().fetch(MAG, ["Magnitude"], DAY)


@pytest.mark.parametrize("protocol", ["", *PROTOCOLS])
def test_a_whole_gzip_stream_says_that_a_reply_is_whole(formed, new, form, protocol):
    formed.unframed, formed.gzip = protocol, True
    served = formed.datasets[MAG]
    whole = served.body
    end = np.datetime64("2021-10-28T12:00")
    served.body = lambda names, start, stop, form: whole(names, start, min(stop, end), form)
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected()[:12])
    assert not table.sources[0].incomplete
    assert len(formed.asked("/data")) == 1


def test_a_gzip_stream_that_ends_early_is_refused_and_asked_for_again(formed, new, form):
    formed.gzip = True
    body = formed.datasets[MAG].body(
        ["Time", "Magnitude"], *(np.datetime64(time) for time in (DAY.start, DAY.stop)), form
    )
    length = len(gzip.compress(body))
    formed.fail("/data", *[("cut", length - left) for left in (4, 9, 60)])
    with pytest.raises(DamagedFile, match="is cut off inside"):
        new().fetch(MAG, ["Magnitude"], DAY)
    formed.mend()
    formed.fail("/data", ("cut", length - 4))
    assert np.array_equal(new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"].values, expected())


def test_a_gzip_stream_with_a_wrong_checksum_is_refused(formed, new, form):
    formed.gzip = True
    formed.fail("/data", *["flipped"] * 3)
    with pytest.raises(DamagedFile):
        new().fetch(MAG, ["Magnitude"], DAY)


# Formats


def refuse_binary(query: dict[str, str]) -> bool:
    return query.get("format") == "binary"


def test_a_server_that_refuses_binary_is_asked_for_csv_and_not_for_binary_again(server, new, clock):
    expected = new().fetch(MAG, ["Flag"], TWO_DAYS)["Flag"]
    server.mend()
    server.refuses = refuse_binary
    server.most = timedelta(hours=6)
    table = new().fetch(MAG, ["BGSE"], TWO_DAYS)["BGSE"]
    assert len(table) == 48
    asked = [request.query["format"] for request in server.asked("/data")]
    assert 1 <= asked.count("binary") <= 2  # two requests may be under way at once
    [note] = [text for text in table.notes if "CSV" in text]
    assert "1409" in note
    assert all("1409" in source.remark and "format=csv" in source.url for source in table.sources)
    server.mend()
    clock.ahead = 1e6
    again = new().fetch(MAG, ["BGSE"], TWO_DAYS)["BGSE"]
    assert again.notes == table.notes
    assert server.requests == []
    assert new().fetch(MAG, ["Flag"], TWO_DAYS)["Flag"].digest() == expected.digest()
    assert {request.query["format"] for request in server.asked("/data")} == {"csv"}
    server.refuses = lambda query: False
    server.mend()
    assert not any("CSV" in note for note in new(refresh=True).fetch(MAG, ["Mixed"], DAY)["Mixed"].notes)
    assert {request.query["format"] for request in server.asked("/data")} == {"binary"}


def test_a_server_that_offers_no_binary_is_asked_for_csv_and_says_so(server, new):
    server.formats = ("csv",)
    table = new().fetch(MAG, ["Flag"], DAY)["Flag"]
    assert any("does not offer binary" in note for note in table.notes)
    assert "does not offer binary" in table.sources[0].remark
    assert [request.query["format"] for request in server.asked("/data")] == ["csv"]


def test_a_server_that_refuses_csv_too_refuses_for_good(server, new):
    server.refuses = lambda query: True
    with pytest.raises(Refused, match="1409"):
        new().fetch(MAG, ["Flag"], DAY)
    assert [request.query["format"] for request in server.asked("/data")] == ["binary", "csv"]


@pytest.mark.parametrize("kind", ["text/csv", "application/octet-stream"])
def test_text_in_place_of_binary_is_not_read_as_binary(server, new, kind):
    """A line of CSV may be as long as a binary record: its letters would be read as numbers."""
    served = server.datasets[MAG]
    served.records["Magnitude"] = np.round(100 + served.records["Magnitude"] / 100, 2)
    served.records["Magnitude"] = [float(f"{value:.2f}") for value in np.linspace(100.01, 171.99, 72)]
    whole = served.body

    def text(names, start, stop, form):
        lines = whole(names, start, stop, "csv").decode().splitlines()
        return "".join(f"{line[:24]},{float(line[25:]):6.2f}\n" for line in lines).encode()

    served.body = text
    server.kinds["binary"] = kind
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.allclose(table.values, served.records["Magnitude"][:24])
    assert any("sends text when binary is requested" in note for note in table.notes)
    assert [request.query["format"] for request in server.asked("/data")] == ["binary", "csv"]


def test_offline_what_came_as_csv_is_used(server, new):
    server.refuses = refuse_binary
    table = new().fetch(MAG, ["Flag"], DAY)["Flag"]
    server.mend()
    found = new(offline=True).fetch(MAG, ["Flag"], DAY)["Flag"]
    assert (found.digest(), found.notes) == (table.digest(), table.notes)
    with pytest.raises(Offline):
        new(offline=True).fetch(MAG, ["BGSE"], DAY)
    assert server.requests == []


# Records out of place


def shape(server: HapiStandIn, change) -> None:
    """Let the server choose other records than those that it is asked for."""
    served = server.datasets[MAG]

    def body(names, start, stop, form):
        rows = change(served.records, served.epoch, start, stop)[names]
        other = type(served)(served.id, served.parameters, rows, np.full(len(rows), start), "", "")
        return type(served).body(other, names, start, stop, form)

    served.body = body


def test_a_server_that_sends_everything_whatever_is_asked_for_is_refused(formed, new, form):
    shape(formed, lambda records, epoch, start, stop: records)
    with pytest.raises(DamagedFile, match="of the 72 records"):
        new().fetch(MAG, ["Magnitude"], DAY)
    assert len(new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]) == 48  # most of them are wanted


def test_records_outside_of_the_interval_are_left_out_and_said(formed, new, form):
    hours = np.timedelta64(3, "h")
    shape(
        formed,
        lambda records, epoch, start, stop: records[(epoch >= start - hours) & (epoch <= stop + hours)],
    )
    span = TimeRange(datetime(2021, 10, 28, 6), datetime(2021, 10, 29, 6))
    table = new().fetch(MAG, ["Magnitude"], span)["Magnitude"]
    assert len(table) == 24
    # the record of the end itself is not counted: many servers send it
    assert any(
        note.startswith("records of the reply") and "interval: 6; they" in note for note in table.notes
    )


def test_records_of_one_epoch_are_refused(formed, new, form):
    def repeat(records, epoch, start, stop):
        rows = records[(epoch >= start) & (epoch < stop)].copy()
        rows["Time"] = rows["Time"][0]
        return rows

    shape(formed, repeat)
    with pytest.raises(DamagedFile, match="only 1 of the 24 records"):
        new().fetch(MAG, ["Magnitude"], DAY)


def test_records_in_disorder_are_put_in_order_and_said(formed, new, form):
    shape(formed, lambda records, epoch, start, stop: records[(epoch >= start) & (epoch < stop)][::-1])
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert np.array_equal(table.values, expected())
    assert any("time runs backwards" in note for note in table.notes)


@pytest.mark.parametrize("most", [3, 6, 24])
@pytest.mark.parametrize(
    "chosen",
    [
        lambda epoch, start, stop: (epoch >= start) & (epoch <= stop),
        lambda epoch, start, stop: (epoch > start) & (epoch <= stop),
    ],
    ids=["both ends", "the end alone"],
)
def test_records_at_the_seams_of_replies_are_there_once(formed, new, form, most, chosen):
    """Servers that send the record of the end too, or that one alone, lose and repeat nothing between replies."""
    formed.most = timedelta(hours=most)
    shape(formed, lambda records, epoch, start, stop: records[chosen(epoch, start, stop)])
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    first = 0 if chosen(np.array([0]), 0, 1)[0] else 1
    assert np.array_equal(table.epoch, magnetometer().epoch[first:24])
    assert np.array_equal(table.values, expected()[first:])


# Statuses


def test_no_data_for_one_of_several_intervals_is_said(formed, new, form):
    formed.most = timedelta(hours=6)
    formed.fail("start=2021-10-28T06:00:00Z", ("200", 1201))
    table = new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert len(table) == 18
    assert any("the server has no records for 2021-10-28T06:00:00" in note for note in table.notes)


@pytest.mark.parametrize("status", [200, 404, 400])
def test_records_under_another_status_of_http_are_those_of_hapi(formed, new, form, status):
    formed.http_status = status
    assert np.array_equal(new().fetch(MAG, ["Magnitude"], DAY)["Magnitude"].values, expected())


@pytest.mark.parametrize("fault", [("200", 1405), "1405"])
@pytest.mark.parametrize("start", ["2021-10-28T06", "2021-10-28T18"])
def test_one_interval_outside_of_the_dataset_ends_the_fetch(formed, new, form, fault, start):
    formed.most = timedelta(hours=6)
    formed.fail(f"start={start}", fault)
    with pytest.raises(NoData, match="1405"):
        new().fetch(MAG, ["Magnitude"], DAY)
