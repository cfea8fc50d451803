"""HAPI over real HTTP against the stand-in: which requests are made, which tables come, and what each fault is."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio.errors import (
    DamagedFile,
    HelioError,
    NoData,
    NotYetPublished,
    Offline,
    OutputError,
    RateLimited,
    Refused,
    RequestError,
    ServerUnavailable,
    TooLarge,
    UnknownDataset,
    UnknownParameter,
)
from helio.settings import read_settings
from helio.sources import hapi_data, hapi_pieces
from helio.sources.archives import Archives
from helio.sources.file_digests import FileDigest, FileDigests, digest_file
from helio.sources.hapi_data import read_records
from helio.sources.http import Hosts, Http
from helio.sources.providers.hapi import Hapi
from helio.sources.registry import server_named
from helio.store.files import write_whole
from helio.store.table import Table
from helio.testing import FakeClock, HapiStandIn
from helio.time_range import TimeRange
from tests.sources.made_hapi import magnetometer, plain

pytestmark = pytest.mark.process

DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
TWO_DAYS = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 30))
MAG = "MADE_MAG"
NUMBERS = ["Magnitude", "BGSE", "Flag", "Flux", "Moving", "Energies", "Edges", "Mixed"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def server():
    with HapiStandIn([magnetometer(), plain("SPLIT@0"), plain("SPLIT@1")]) as standin:
        yield standin


@pytest.fixture
def new(server, cache, http):
    """A provider as a new run would make it, over the same cache."""

    def make(**options) -> Hapi:
        facts = {"url": server.url, "http": http} | options
        return Hapi(cache, facts.pop("http"), **facts)

    return make


def same(one: Table, other: Table) -> None:
    """Equal in everything but where they come from."""
    assert one.digest() == other.digest()


def kinds(server: HapiStandIn) -> list[str]:
    return [request.path.removeprefix("/hapi/").partition("?")[0] for request in server.requests]


# What is asked


def test_a_first_fetch_asks_what_there_is_and_for_each_parameter_and_the_next_one_for_nothing(server, new):
    tables = new().fetch(MAG, ["Magnitude", "BGSE"], DAY)
    assert kinds(server) == ["capabilities", "info", "data", "data", "info"]
    assert {request.query["parameters"] for request in server.asked("/data")} == {"Magnitude", "BGSE"}
    server.mend()
    again = new().fetch(MAG, ["Magnitude", "BGSE"], DAY)
    new().locate(MAG, DAY)
    assert server.requests == []
    for name in tables:
        same(again[name], tables[name])


def test_each_reply_is_decoded_once(new, monkeypatch):
    decoded = []

    def counted(*arguments):
        decoded.append(arguments)
        return read_records(*arguments)

    monkeypatch.setattr(hapi_data, "read_records", counted)
    tables = new().fetch(MAG, ["Magnitude", "BGSE"], DAY)
    assert len(decoded) == 2
    again = new().fetch(MAG, ["Magnitude", "BGSE"], DAY)
    assert len(decoded) == 4
    for name in tables:
        same(again[name], tables[name])


def test_a_cached_reply_is_looked_for_once(new, monkeypatch):
    new().fetch(MAG, ["Magnitude"], DAY)
    looked: list[Path] = []

    def counted(digests: FileDigests, path: Path) -> FileDigest:
        looked.append(path)
        return digest_file(path)

    monkeypatch.setattr(FileDigests, "of", counted)
    new().fetch(MAG, ["Magnitude"], DAY)
    assert len(looked) == 1


def test_binary_is_asked_for_where_the_server_has_it_and_csv_elsewhere(server, new):
    new().fetch(MAG, ["Flag"], DAY)
    assert server.asked("/data")[0].query["format"] == "binary"
    with HapiStandIn([magnetometer()], formats=("csv",)) as other:
        new(url=other.url).fetch(MAG, ["Flag"], DAY)
        assert other.asked("/data")[0].query["format"] == "csv"


@pytest.mark.parametrize("version", ["2.0", "2.1", "3.0", "3.3"])
@pytest.mark.parametrize("formats", [("csv",), ("csv", "binary", "json")])
def test_every_version_and_format_gives_the_same_tables(server, new, version, formats):
    expected = new().fetch(MAG, NUMBERS, DAY)
    with HapiStandIn([magnetometer()], version=version, formats=formats) as other:
        found = new(url=other.url).fetch(MAG, NUMBERS, DAY)
        words = {"id", "time.min", "time.max"} if version[0] == "2" else {"dataset", "start", "stop"}
        assert set(other.asked("/data")[0].query) == {*words, "parameters", "format"}
    for name in NUMBERS:
        same(found[name], expected[name])


def test_a_parameter_does_not_depend_on_what_is_asked_for_beside_it(server, new, cache, tmp_path, http):
    alone = new().fetch(MAG, ["BGSE"], DAY)["BGSE"]
    beside = Hapi(tmp_path / "other", http, url=server.url).fetch(MAG, ["Magnitude", "BGSE", "Flux"], DAY)[
        "BGSE"
    ]
    same(alone, beside)
    assert alone.sources == beside.sources


def test_locating_asks_for_no_record_and_names_the_range_the_same_before_and_after(server, new):
    [before] = new().locate(MAG, DAY)
    assert server.asked("/data") == []
    new().fetch(MAG, ["BGSE"], DAY)
    [after] = new().locate(MAG, DAY)
    assert after == before
    assert before.identity.startswith(
        f"{server.url}/data?dataset=MADE_MAG&start=2021-10-28T00:00:00Z&stop=2021-10-29"
    )
    assert before.provider == f"HAPI {server.url.removeprefix('http://')}"


def test_tables_say_which_requests_they_came_from(server, new):
    [source] = new().fetch(MAG, ["BGSE"], DAY)["BGSE"].sources
    assert source.file == "MADE_MAG_BGSE_20211028T000000Z_20211029T000000Z.bin"
    assert source.url == f"http://{source.url.split('/')[2]}{server.asked('/data')[0].path}"
    assert (source.doi, source.pi, source.size) == ("10.12345/made-mag", "N. Obody", 24 * (24 + 24))
    assert len(source.sha256) == 64
    assert source.title == "A magnetometer of nobody"


def test_a_range_is_asked_for_as_far_as_the_dataset_goes(server, new):
    wide = TimeRange(datetime(2021, 10, 1), datetime(2021, 12, 1))
    table = new().fetch(MAG, ["Magnitude"], wide)["Magnitude"]
    assert len(table) == 72
    [request] = server.asked("/data")
    assert (request.query["start"], request.query["stop"]) == ("2021-10-28T00:00:00Z", "2021-10-30T23:00:01Z")
    assert table.notes[0].startswith("the dataset ends at 2021-10-30T23:00:01Z")
    [note] = new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"].notes
    assert "gives no modificationDate" in note
    server.datasets[MAG].about["modificationDate"] = "2022-01-01Z"
    assert new(refresh=True).fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"].notes == ()


def test_parts_of_a_second_are_asked_for(server, new):
    short = TimeRange(datetime(2021, 10, 28, 0, 59, 59, 500_000), datetime(2021, 10, 28, 2))
    assert len(new().fetch(MAG, ["Magnitude"], short)["Magnitude"]) == 1
    assert server.asked("/data")[0].query["start"] == "2021-10-28T00:59:59.500000Z"


def test_dataset_ids_may_hold_what_folders_and_urls_may_not(server, new, cache, http):
    made = plain("../Æther/ä b@0?x=1&y")
    with HapiStandIn([made]) as other:
        table = new(url=other.url).fetch(made.id, ["V"], DAY)["V"]
    assert len(table) == 24
    assert all(cache in path.parents for path in cache.parent.rglob("*.bin"))


def test_steps_that_fetch_the_same_at_once_ask_for_it_once(server, new):
    provider = new()
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: provider.fetch(MAG, ["BGSE"], DAY)["BGSE"], range(4)))
    assert {table.digest() for table in tables} == {tables[0].digest()}
    assert kinds(server) == ["capabilities", "info", "data", "info"]


# What comes


def test_scalars_vectors_flags_and_spectra_are_what_the_server_says_they_are(new):
    tables = new().fetch(MAG, NUMBERS, TWO_DAYS)
    vector = tables["BGSE"]
    assert (vector.unit, vector.frame, vector.components) == ("nT", "GSE", ("x", "y", "z"))
    assert np.isnan(vector.values[5]).all()
    assert np.isfinite(np.delete(vector.values, 5, axis=0)).all()
    assert vector.values[10].tolist() == [1.0, -2.0, 3.0]
    assert vector.epoch[10] == np.datetime64("2021-10-28T10:00")
    assert vector.description == "Magnetic field vector"
    flag = tables["Flag"]
    assert np.isnan(flag.values).nonzero()[0].tolist() == [7]
    assert (flag.unit, flag.values.dtype) == ("", np.float64)
    flux = tables["Flux"]
    [axis] = flux.axes
    assert (flux.name, axis.label, axis.unit, axis.scale) == ("Electron flux", "Energy", "keV", "log")
    assert axis.centers.tolist() == list(range(10, 100, 10))
    assert (axis.lower[0], axis.upper[0]) == (5, 15)
    assert np.isnan(flux.values[3, 2])
    mixed = tables["Mixed"]
    assert (mixed.unit, mixed.components) == ("", ("B", "theta", "phi"))
    assert mixed.notes[0] == "the components have different units: nT, degrees, degrees"


def test_bins_that_change_come_with_their_parameter_in_one_request(server, new):
    table = new().fetch(MAG, ["Moving"], TimeRange(datetime(2021, 10, 29), datetime(2021, 10, 30)))["Moving"]
    [axis] = table.axes
    assert axis.per_record
    assert axis.centers[[0, -1]].tolist() == [[10, 20, 40], [20, 40, 80]]
    assert np.allclose(axis.upper / axis.lower, 1.5)
    assert server.asked("/data")[0].query["parameters"] == "Moving,Energies,Edges"
    fixed = new().fetch(MAG, ["Moving"], DAY)["Moving"]
    assert not fixed.axes[0].per_record


def test_times_of_days_of_the_year_are_understood(new):
    table = new().fetch("SPLIT@0", ["V"], DAY)["V"]
    assert table.epoch[[0, -1]].tolist() == np.array(["2021-10-28T00", "2021-10-28T23"], "M8[ns]").tolist()
    assert np.isnan(table.values).nonzero()[0].tolist() == [4]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Mode", "holds text"),
        ("Sent", "holds times"),
        ("Time", "is the time"),
        ("Cube", "at most two"),
        ("Magnetude", "no parameter"),
    ],
)
def test_what_cannot_be_a_table_is_refused_in_words_and_not_asked_for(server, new, name, words):
    with pytest.raises(UnknownParameter, match=words) as caught:
        new().fetch(MAG, ["Flag", name], DAY)
    assert "Magnitude" in caught.value.advice
    assert server.asked("/data") == []


# Cutting up


def test_a_long_range_is_cut_at_the_same_moments_whatever_is_asked_for(server, new):
    server.datasets["LONG"] = plain("LONG", days=90)
    whole = TimeRange(datetime(2021, 10, 30), datetime(2022, 1, 20))
    table = new().fetch("LONG", ["V"], whole)["V"]
    starts = sorted(request.query["start"][:10] for request in server.asked("/data"))
    assert starts == ["2021-10-30", "2021-11-10", "2021-12-11", "2022-01-11"]
    assert len(table) == 82 * 24
    assert len(table.sources) == 4
    server.mend()
    other = new().fetch("LONG", ["V"], TimeRange(datetime(2021, 11, 5), datetime(2022, 1, 25)))["V"]
    # only what lies outside of what is here
    assert sorted(request.query["start"][:10] for request in server.asked("/data")) == ["2022-01-20"]
    assert np.array_equal(other.values[: 76 * 24], table.values[6 * 24 :], equal_nan=True)


def test_what_a_kept_interval_covers_is_not_asked_for_again(server, new):
    whole = new().fetch(MAG, ["BGSE"], TWO_DAYS)["BGSE"]
    server.mend()
    hours = TimeRange(datetime(2021, 10, 28, 6), datetime(2021, 10, 28, 9))
    part = new().fetch(MAG, ["BGSE"], hours)["BGSE"]
    assert server.asked("/data") == []
    same(part, whole.between(*(np.datetime64(time, "ns") for time in (hours.start, hours.stop))))


def test_what_is_too_much_for_the_server_is_asked_for_in_halves(server, new):
    server.most = timedelta(hours=7)
    table = new().fetch(MAG, ["Magnitude"], TWO_DAYS)["Magnitude"]
    assert len(table) == 48
    assert len(table.sources) == 8
    # two requests may be under way when the first is refused
    assert 8 + 3 <= len(server.asked("/data")) <= 8 + 7
    server.mend()
    new().fetch(MAG, ["Magnitude"], TWO_DAYS)
    assert server.requests == []


def test_a_server_that_gives_not_even_a_little_refuses_for_good(server, new):
    server.most = timedelta()
    with pytest.raises(Refused, match="not even for") as caught:
        new().fetch(MAG, ["Magnitude"], DAY)
    assert "1408" in caught.value.message
    assert len(server.asked("/data")) < 10


def test_a_server_that_gives_next_to_nothing_is_not_asked_on_and_on(server, new, clock):
    server.datasets["LONG"] = plain("LONG", days=10)
    server.most = timedelta(seconds=30)
    with pytest.raises(Refused, match="more than 2,000 requests") as caught:
        new().fetch("LONG", ["V"], TimeRange(datetime(2021, 10, 28), datetime(2021, 11, 7)))
    assert "1408" in caught.value.message
    assert "a shorter time range" in caught.value.advice
    assert len(server.asked("/data")) < 20
    assert 1.0 in clock.slept  # it is given time
    # a range that it can give in so many requests is had
    hour = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 28, 1))
    server.mend()
    assert len(new().fetch("LONG", ["V"], hour)["V"]) == 1


@pytest.mark.parametrize("times", [3, 8, 10])
def test_a_server_that_gives_less_for_a_while_is_asked_for_more_again(server, new, times):
    server.datasets["LONG"] = plain("LONG", days=30)
    server.fail("/data", *["1408"] * times)
    month = TimeRange(datetime(2021, 10, 28), datetime(2021, 11, 27))
    table = new().fetch("LONG", ["V"], month)["V"]
    assert len(table) == 30 * 24
    assert len(server.asked("/data")) <= 3 * times + 3


def test_what_a_server_never_gives_is_tried_less_and_less_often(server, new):
    server.datasets["LONG"] = plain("LONG", days=90)
    server.most = timedelta(hours=13)
    quarter = TimeRange(datetime(2021, 10, 28), datetime(2022, 1, 26))
    table = new().fetch("LONG", ["V"], quarter)["V"]
    assert len(table) == 90 * 24
    given = len(table.sources)
    assert len(server.asked("/data")) - given <= 2 * 9 + 12


def test_a_server_may_say_how_much_it_gives_at_once(server, new):
    server.datasets["SHORT"] = magnetometer(maxRequestDuration="PT12H")
    server.datasets["SHORT"].id = "SHORT"
    assert len(new().fetch("SHORT", ["Flag"], TWO_DAYS)["Flag"]) == 48
    assert len(server.asked("/data")) == 8  # of six hours each: cuts are the same for every range


def test_more_than_the_limit_is_refused_before_it_is_asked_for(server, new):
    with pytest.raises(TooLarge, match=r"about 1\.15 kB") as caught:
        new(limit=1000).fetch(MAG, ["BGSE"], DAY)
    assert "--max-download 2kB" in caught.value.advice
    assert server.asked("/data") == []
    with pytest.raises(TooLarge, match="exceed its limit"):
        new(limit=100).fetch("SPLIT@0", ["V"], DAY)


def test_what_a_fetch_would_ask_for_is_known_beforehand_with_its_size_where_the_cadence_is(server, new):
    [(url, size)] = new().to_download(MAG, ["BGSE"], DAY).items()
    assert "parameters=BGSE" in url
    assert size == 24 * (24 + 3 * 8)
    assert list(new().to_download("SPLIT@0", ["V"], DAY).values()) == [None]
    assert server.asked("/data") == []
    new().fetch(MAG, ["BGSE"], DAY)
    assert new().to_download(MAG, ["BGSE"], DAY) == {}


# What there is not


def test_an_unknown_dataset_is_told_from_one_without_data(new):
    with pytest.raises(UnknownDataset, match="no dataset is called 'MADE_MAK'") as caught:
        new().locate("MADE_MAK", DAY)
    assert caught.value.advice == "did you mean 'MADE_MAG'?"
    with pytest.raises(UnknownDataset) as split:
        new().locate("SPLIT", DAY)
    assert (
        split.value.advice
        == "choose one of SPLIT@0, SPLIT@1: the server divides this dataset into them, because its "
        "parameters have different times"
    )
    with pytest.raises(NoData) as missing:
        new().locate(MAG, TimeRange(datetime(2019, 1, 1), datetime(2019, 1, 2)))
    assert type(missing.value) is NoData
    assert (
        missing.value.advice
        == "choose another time range: the records of the dataset run from 2021-10-28T00:00:00Z to 2021-10-30T23:00:01Z"
    )


@pytest.mark.parametrize("dataset", ["", " ", "a,b", "a\nb"])
def test_what_cannot_be_an_id_is_not_asked_for(server, new, dataset):
    with pytest.raises(UnknownDataset):
        new().locate(dataset, DAY)
    assert server.asked("/info") == []


def test_what_is_yet_to_come_is_told_from_what_is_not_there(new):
    now = (DAY.stop - datetime(1970, 1, 1)).total_seconds() + 5 * 86_400
    later = TimeRange(datetime(2021, 11, 1), datetime(2021, 11, 2))
    with (
        closing(Http(timeout=10, clock=FakeClock(now), hosts=Hosts())) as http,
        pytest.raises(NotYetPublished),
    ):
        new(http=http).locate(MAG, later)


@pytest.mark.parametrize("said", ["empty", "204", ("200", 1201), ("reason", 1201)])
def test_no_data_may_be_said_in_four_ways_and_is_not_believed_for_more_than_an_hour(server, new, clock, said):
    server.fail("/data", said)
    for _ in range(2):
        with pytest.raises(NoData, match="no record of Flag in 2021-10-28"):
            new().fetch(MAG, ["Flag"], DAY)
    assert len(server.asked("/data")) == 1
    clock.ahead = 3700
    assert len(new().fetch(MAG, ["Flag"], DAY)["Flag"]) == 24


def test_a_gap_in_the_middle_is_no_error(server, new):
    server.most = timedelta(days=1)
    server.datasets[MAG].epoch[:24] -= np.timedelta64(100, "D")
    assert len(new().fetch(MAG, ["Flag"], TWO_DAYS)["Flag"]) == 24


def test_datasets_are_listed_and_asked_for_once_a_day(server, new, clock):
    assert new().datasets() == [MAG, "SPLIT@0", "SPLIT@1"]
    new().datasets()
    assert kinds(server) == ["catalog"]
    clock.ahead = 90_000
    new().datasets()
    assert kinds(server) == ["catalog", "catalog"]


# Publications


def test_a_dataset_that_is_modified_is_asked_for_again_when_asked_to(server, new):
    server.datasets[MAG].about["modificationDate"] = "2022-01-01Z"
    [before] = new().locate(MAG, DAY)
    assert before.last_modified == "2022-01-01Z"
    new().fetch(MAG, ["Flag"], DAY)
    server.mend()
    new(refresh=True).fetch(MAG, ["Flag"], DAY)
    assert kinds(server) == ["capabilities", "info"]
    server.datasets[MAG].about["modificationDate"] = "2022-02-01Z"
    assert new().locate(MAG, DAY)[0] == before
    [after] = new(refresh=True).locate(MAG, DAY)
    assert after.last_modified == "2022-02-01Z"
    server.mend()
    new().fetch(MAG, ["Flag"], DAY)
    assert kinds(server) == ["data", "info"]


def test_without_a_date_of_modification_what_is_asked_for_again_counts_as_new(server, new):
    [before] = new().locate(MAG, DAY)
    assert before.last_modified == ""
    new().fetch(MAG, ["Flag"], DAY)
    server.mend()
    [again] = new(refresh=True).locate(MAG, DAY)
    assert again.identity != before.identity
    assert new().locate(MAG, DAY) == (again,)
    new().fetch(MAG, ["Flag"], DAY)
    assert kinds(server) == ["capabilities", "info", "data", "info"]


@pytest.mark.parametrize(
    ("days_later", "then", "asked"),
    [(10, 1800, 0), (10, 3700, 1), (29, 3700, 1), (31, 3700, 0), (31, 10_000_000, 0)],
)
def test_what_is_said_of_recent_data_holds_for_an_hour_and_of_old_data_for_good(
    server, new, days_later, then, asked
):
    clock = FakeClock((DAY.stop - datetime(1970, 1, 1)).total_seconds() + days_later * 86_400)
    with closing(Http(timeout=10, clock=clock, hosts=Hosts())) as http:
        new(http=http).locate(MAG, DAY)
        server.mend()
        clock.ahead = then
        new(http=http).locate(MAG, DAY)
    assert len(server.asked("/info")) == asked


def test_recent_data_count_as_new_when_their_dataset_has_grown(server, new):
    clock = FakeClock((DAY.stop - datetime(1970, 1, 1)).total_seconds() + 2 * 86_400)
    with closing(Http(timeout=10, clock=clock, hosts=Hosts())) as http:
        [before] = new(http=http).locate(MAG, DAY)
        new(http=http).fetch(MAG, ["Flag"], DAY)
        clock.ahead = 4000
        assert new(http=http).locate(MAG, DAY) == (before,)
        server.mend()
        server.datasets[MAG].stop = "2021-10-30T23:30:00Z"
        clock.ahead = 8000
        [after] = new(http=http).locate(MAG, DAY)
        assert after.identity != before.identity
        new(http=http).fetch(MAG, ["Flag"], DAY)
    assert len(server.asked("/data")) == 1


def test_a_layout_that_changed_is_not_read_as_the_old_one(server, new, clock):
    new().fetch(MAG, ["Magnitude"], DAY)
    server.datasets[MAG] = plain(MAG)
    server.datasets[MAG].parameters[1]["name"] = "Magnitude"
    server.datasets[MAG].records.dtype.names = ("Time", "Magnitude")
    table = new(refresh=True).fetch(MAG, ["Magnitude"], DAY)["Magnitude"]
    assert table.values[0] == 400


def test_a_byte_changed_in_what_is_kept_is_noticed(server, new, cache):
    expected = new().fetch(MAG, ["BGSE"], DAY)["BGSE"]
    [path] = cache.rglob("*.bin")
    content = bytearray(path.read_bytes())
    content[-3] ^= 255
    path.write_bytes(content)
    server.mend()
    same(new().fetch(MAG, ["BGSE"], DAY)["BGSE"], expected)
    assert kinds(server) == ["data", "info"]


# What goes wrong


FAULTS = [
    *[
        (stage, faults, kind, attempts)
        for stage in ("/capabilities", "/info", "/data")
        for faults, kind, attempts in (
            (["reset"] * 3, ServerUnavailable, 3),
            (["503"] * 3, ServerUnavailable, 3),
            ([("429", 1)] * 3, RateLimited, 3),
            (["403"], Refused, 1),
            (["1500"] * 3, ServerUnavailable, 3),
            ([("200", 1501)] * 3, ServerUnavailable, 3),
            (["1400"], Refused, 1),
            ([("200", 1400)], Refused, 1),
            (["page 404"], Refused, 1),
            ([("200", 1999)], DamagedFile, 1),
        )
    ],
    ("/capabilities", ["html"] * 3, ServerUnavailable, 3),
    ("/info", ["timeout"] * 3, ServerUnavailable, 3),
    ("/info", ["truncate"] * 3, ServerUnavailable, 3),
    ("/info", ["html"] * 3, ServerUnavailable, 3),
    ("/info", ["empty"] * 3, ServerUnavailable, 3),
    ("/info", [("200", 1200)], DamagedFile, 1),
    ("/info", ["1406"], UnknownDataset, 1),
    ("/info", [("200", 1406)], UnknownDataset, 1),
    ("/info", [("reason", 1406)], UnknownDataset, 1),
    ("/data", ["timeout"] * 3, ServerUnavailable, 3),
    ("/data", ["truncate"] * 3, ServerUnavailable, 3),
    ("/data", ["cut"] * 3, DamagedFile, 3),
    ("/data", ["garbage"], DamagedFile, 1),
    ("/data", ["html"], DamagedFile, 1),
    ("/data", [("200", 1200)], DamagedFile, 1),
    ("/data", ["1405"], NoData, 1),
    ("/data", [("200", 1405)], NoData, 1),
    ("/data", ["1406"], UnknownDataset, 1),
    ("/data", ["1407"], UnknownParameter, 1),
    *[("/data", [f"{code}"], Refused, 1) for code in (1401, 1402, 1403, 1404, 1410, 1411, 1412, 1413)],
]


@pytest.mark.parametrize(
    ("form", "stage", "faults", "kind", "attempts"),
    [
        *[("binary", *fault) for fault in FAULTS],
        *[
            ("csv", *fault)
            for fault in FAULTS
            if fault[0] == "/data" and fault[1][0] in ("cut", "garbage", "truncate", "html", "1405")
        ],
    ],
    ids=lambda value: "+".join(map(str, value)) if isinstance(value, list) else None,
)
def test_each_fault_at_each_stage_has_its_error_and_the_next_run_completes(
    server, new, cache, clock, form, stage, faults, kind, attempts
):
    if form == "csv":
        server.formats = ("csv",)
    server.fail(stage, *faults)
    with pytest.raises(HelioError) as caught:
        new().fetch(MAG, ["BGSE"], DAY)
    assert type(caught.value) is kind
    assert len(server.asked(stage)) == attempts
    assert list(cache.rglob("data/**/*.*")) == []
    server.mend()
    clock.ahead += 3700
    assert len(new().fetch(MAG, ["BGSE"], DAY)["BGSE"]) == 24


@pytest.mark.parametrize("code", ["1500", "1501"])
def test_a_server_error_is_said_in_words_and_not_as_json(server, new, code):
    server.fail("/data", *[code] * 3)
    with pytest.raises(ServerUnavailable) as caught:
        new().fetch(MAG, ["BGSE"], DAY)
    assert f"answers 500: HAPI {code} Internal server error" in caught.value.message
    assert "{" not in caught.value.message


def test_one_fault_is_overcome_by_another_attempt(server, new):
    for name, fault in (("BGSE", "reset"), ("Flag", "cut"), ("Flux", ("200", 1500)), ("Magnitude", "503")):
        server.fail(f"parameters={name}", fault)
    tables = new().fetch(MAG, ["BGSE", "Flag", "Flux", "Magnitude"], DAY)
    assert {len(table) for table in tables.values()} == {24}
    assert len(server.asked("/data")) == 8


def test_a_csv_without_its_last_newline_is_whole_when_http_says_so(server, new):
    server.formats = ("csv",)
    body = server.datasets[MAG].body
    server.datasets[MAG].body = lambda *args: body(*args).rstrip()
    assert len(new().fetch(MAG, ["BGSE"], DAY)["BGSE"]) == 24
    server.fail("/data", *["cut"] * 3)
    with pytest.raises(DamagedFile, match="is cut off inside a record"):
        new().fetch(MAG, ["Flag"], DAY)


def test_a_header_that_nobody_asked_for_is_left_out(server, new):
    expected = new().fetch(MAG, ["BGSE"], DAY)["BGSE"]
    body = server.datasets[MAG].body
    server.datasets[MAG].body = lambda *args: b'#{\n#"HAPI": "3.2"\n#}\n' + body(*args)
    same(new(refresh=True).fetch(MAG, ["BGSE"], DAY)["BGSE"], expected)


def test_what_came_before_a_failure_is_kept(server, new):
    server.most = timedelta(hours=12)
    server.fail("2021-10-29T12", *["503"] * 3)
    with pytest.raises(ServerUnavailable):
        new().fetch(MAG, ["Flag"], TWO_DAYS)
    server.mend()
    assert len(new().fetch(MAG, ["Flag"], TWO_DAYS)["Flag"]) == 48
    assert {request.query["start"] for request in server.asked("/data")} <= {
        "2021-10-29T00:00:00Z", "2021-10-29T12:00:00Z"
    }  # fmt: skip


def test_another_version_of_hapi_is_refused_by_name(server, new):
    server.version = "1.1"
    with pytest.raises(Refused, match=r"uses HAPI '1\.1'"):
        new().locate(MAG, DAY)


def test_what_is_no_hapi_server_is_told_how_one_is_addressed(server, new):
    with pytest.raises(Refused) as caught:
        new(url=server.url.removesuffix("/hapi")).locate(MAG, DAY)
    assert caught.value.advice == "check the address: the address of a HAPI server ends in /hapi"


# Offline


def test_offline_uses_what_is_here_and_asks_nobody(server, new, clock):
    expected = new().fetch(MAG, ["BGSE", "Moving"], TWO_DAYS)
    server.mend()
    clock.ahead = 1e7
    found = new(offline=True, refresh=True).fetch(MAG, ["BGSE", "Moving"], TWO_DAYS)
    for name in expected:
        same(found[name], expected[name])
    assert len(new(offline=True).fetch(MAG, ["BGSE"], DAY)["BGSE"]) == 24
    assert server.requests == []


def test_offline_what_was_published_since_does_not_matter(server, new):
    new().fetch(MAG, ["Flag"], TWO_DAYS)
    server.datasets[MAG].about["modificationDate"] = "2022-02-01Z"
    new(refresh=True).locate(MAG, DAY)
    server.mend()
    assert len(new(offline=True).fetch(MAG, ["Flag"], DAY)["Flag"]) == 24
    assert server.requests == []


def test_offline_what_is_missing_is_named(server, new):
    with pytest.raises(Offline, match="its cache has no"):
        new(offline=True).locate(MAG, DAY)
    with pytest.raises(Offline, match="its catalogue"):
        new(offline=True).datasets()
    new().fetch(MAG, ["BGSE"], DAY)
    server.mend()
    with pytest.raises(Offline, match="BGSE of MADE_MAG for 2021-10-29"):
        new(offline=True).fetch(MAG, ["BGSE"], TWO_DAYS)
    with pytest.raises(Offline, match="Flag of MADE_MAG"):
        new(offline=True).fetch(MAG, ["Flag"], DAY)
    assert server.requests == []


# As a run names it


def test_a_step_and_a_run_may_name_a_server_and_only_a_run_its_address(server, cdf_reader, cache):
    archives = Archives(cdf_reader, cache=cache, servers={"hapi": {"Made": server.url}})
    provider = archives.choose("hapi:made")
    assert provider.name == "HAPI Made"
    assert archives.choose("HAPI:MADE") is provider
    assert provider.datasets() == [MAG, "SPLIT@0", "SPLIT@1"]
    named = Archives(cdf_reader, server.url, cache=cache).choose("")
    assert named.name == f"HAPI {server.url.removeprefix('http://')}"
    assert Archives(cdf_reader, "hapi:cdaweb", cache=cache).choose("").name == "HAPI CDAWeb"
    with pytest.raises(RequestError, match="no provider is called 'http"):
        archives.choose(server.url)
    provider.close()
    named.close()


def test_an_unknown_server_is_an_error_with_the_closest_names():
    with pytest.raises(RequestError, match="no HAPI server is called 'CDAWep'") as caught:
        server_named("hapi:CDAWep", {})
    assert caught.value.advice.startswith("did you mean 'CDAWeb'?")
    with pytest.raises(RequestError) as far:
        server_named("hapi:xyzzy", {"hapi": {"Mine": "http://host/hapi"}})
    assert "INTERMAGNET" in far.value.advice
    assert "Mine" in far.value.advice


def test_the_environment_adds_servers_and_puts_others_in_place_of_known_ones():
    text = "Mine=https://host/hapi, cdaweb=http://127.0.0.1:1/hapi"
    found = read_settings({"HELIO_HAPI_SERVERS": text}).servers
    assert server_named("hapi:mine", found) == ("Mine", "https://host/hapi")
    assert server_named("hapi:CDAWeb", found)[1] == "http://127.0.0.1:1/hapi"
    with pytest.raises(RequestError, match="HELIO_HAPI_SERVERS contains 'host'"):
        read_settings({"HELIO_HAPI_SERVERS": "host"})


@pytest.mark.parametrize("url", ["host", "ftp://host/hapi", "https:///hapi", "https://host/hapi?x=1"])
def test_an_address_must_be_a_url(url, cache):
    with pytest.raises(RequestError, match="not the URL of a HAPI server"):
        Hapi(cache, url=url)


def test_a_fetch_whose_reply_cannot_be_saved_says_so(new, cache, monkeypatch):
    def fail(path, body, **options):
        if path.name.startswith("."):
            raise OutputError("the disk is full")
        write_whole(path, body, **options)

    monkeypatch.setattr(hapi_pieces, "write_whole", fail)
    with pytest.raises(OutputError, match="the disk is full"):
        new().fetch(MAG, ["BGSE"], DAY)
    assert list(cache.rglob("data/**/*.*")) == []
    monkeypatch.undo()
    assert len(new().fetch(MAG, ["BGSE"], DAY)["BGSE"]) == 24
