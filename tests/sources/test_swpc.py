"""Real-time data come as they are or not at all: never recent ones for old ones; every fault over real HTTP."""

import re
from collections.abc import Callable, Iterator
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
    RateLimited,
    Refused,
    RequestError,
    ServerUnavailable,
    TooLarge,
    UnknownDataset,
    UnknownParameter,
)
from helio.knowledge.catalogue import Catalogue
from helio.sources.http import Hosts, Http
from helio.sources.providers.swpc import Swpc
from helio.store.table import Table
from helio.testing import FakeClock, SwpcStandIn
from helio.testing.swpc import MAG, PLASMA, XRAYS
from helio.time_range import TimeRange
from tests.sources.conftest import patience

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

NOW = datetime(2024, 5, 12, 12, 0, 30)
HOUR = TimeRange(datetime(2024, 5, 11, 10), datetime(2024, 5, 11, 11))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock((NOW - datetime(1970, 1, 1)).total_seconds())


@pytest.fixture
def swpc(tmp_path: Path) -> Iterator[SwpcStandIn]:
    """A stand-in with two days of records, which are read sooner than a week of them."""
    (tmp_path / "nothing").mkdir()
    with SwpcStandIn(NOW, days=2) as server:
        yield server


@pytest.fixture
def opened(
    swpc: SwpcStandIn, tmp_path: Path, clock: FakeClock, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Swpc]]:
    """The provider, as a new run has it."""
    with closing(Http(timeout=patience(request), clock=clock, hosts=Hosts())) as http:
        yield lambda **options: Swpc(tmp_path / "files", http, url=swpc.url, **options)


def one(provider: Swpc, dataset: str, parameter: str, span: TimeRange = HOUR) -> Table:
    return provider.fetch(dataset, [parameter], span)[parameter]


def test_an_hour_of_the_field_is_60_vectors_in_gsm(opened):
    table = one(opened(), "SWPC_RTSW_MAG", "BGSM")
    assert (table.unit, table.frame, table.components) == ("nT", "GSM", ("Bx", "By", "Bz"))
    assert table.values.shape == (60, 3)
    assert table.epoch[0] == np.datetime64("2024-05-11T10:00")
    assert table.epoch[-1] == np.datetime64("2024-05-11T10:59")
    minutes = int((HOUR.start - datetime(2000, 1, 1)).total_seconds() // 60)
    assert table.values[0].tolist() == pytest.approx(
        [minutes % 100 / 10 - 5, minutes % 70 / 10 - 3.5, minutes % 50 / 10 - 2.5], abs=0.005
    )


@pytest.mark.parametrize(
    ("dataset", "parameter", "unit"),
    [
        ("SWPC_RTSW_MAG", "Bt", "nT"),
        ("SWPC_RTSW_MAG", "lon_gsm", "deg"),
        ("SWPC_RTSW_MAG", "lat_gsm", "deg"),
        ("SWPC_RTSW_PLASMA", "density", "cm^-3"),
        ("SWPC_RTSW_PLASMA", "speed", "km/s"),
        ("SWPC_RTSW_PLASMA", "temperature", "K"),
        ("SWPC_GOES_XRS", "xrsa", "W/m^2"),
        ("SWPC_GOES_XRS", "xrsb", "W/m^2"),
    ],
)
def test_scalars_have_their_units(opened, dataset, parameter, unit):
    table = one(opened(), dataset, parameter)
    assert (table.unit, table.values.shape, table.components) == (unit, (60,), ())
    assert np.isfinite(table.values).all()


def test_the_two_bands_of_x_rays_are_told_apart_and_their_spacecraft_named(opened):
    tables = opened().fetch("SWPC_GOES_XRS", ["xrsa", "xrsb"], HOUR)
    assert tables["xrsb"].values[0] == pytest.approx(100 * tables["xrsa"].values[0])
    assert "measured by GOES-18" in tables["xrsb"].notes


def test_null_is_nan_and_its_record_stays(opened):
    span = TimeRange(datetime(2024, 5, 11, 2), datetime(2024, 5, 11, 5))
    field = one(opened(), "SWPC_RTSW_MAG", "BGSM", span)
    assert len(field) == 180
    assert np.isnan(field.values[60:]).all()
    assert np.isfinite(field.values[:60]).all()
    plasma = opened().fetch("SWPC_RTSW_PLASMA", ["density", "speed"], span)
    assert np.isnan(plasma["density"].values).sum() == 60
    assert np.isfinite(plasma["speed"].values).all()


def test_it_is_preliminary_and_cites_the_reply(opened, swpc):
    provider = opened()
    [source] = one(provider, "SWPC_RTSW_MAG", "BGSM").sources
    assert source.preliminary
    assert (source.provider, source.file) == ("SWPC", "mag-7-day.json")
    assert source.url == swpc.url + MAG
    assert "preliminary and not intended for research" in source.acknowledgement
    assert provider.locate("SWPC_RTSW_MAG", HOUR) == (source,)


@pytest.mark.parametrize(
    "span",
    [
        TimeRange(datetime(2003, 10, 29), datetime(2003, 10, 30)),
        TimeRange(datetime(2024, 5, 5), datetime(2024, 5, 6)),
        TimeRange(datetime(2024, 5, 5), datetime(2024, 5, 12)),
        TimeRange(datetime(2024, 5, 5, 11), datetime(2024, 5, 12)),
    ],
    ids=["years before", "the day before", "a part before", "an hour before"],
)
def test_what_begins_before_the_service_holds_anything_is_refused_and_never_replaced(opened, swpc, span):
    swpc.window = timedelta(days=7)
    for ask in (opened().locate, lambda dataset, span: opened().fetch(dataset, ["BGSM"], span)):
        with pytest.raises(NoData, match="2024-05-05T12:01Z to 2024-05-12T12:00Z"):
            ask("SWPC_RTSW_MAG", span)


@pytest.mark.parametrize(
    ("dataset", "quantity"), [("SWPC_RTSW_MAG", "magnetic field"), ("SWPC_RTSW_PLASMA", "proton density")]
)
def test_the_days_before_are_looked_for_where_the_same_quantity_is(opened, dataset, quantity):
    with pytest.raises(NoData) as caught:
        opened().locate(dataset, TimeRange(datetime(2003, 10, 29), datetime(2003, 10, 30)))
    advised = re.findall(r"[A-Z]+_[A-Z]\d_[A-Z]+", caught.value.advice)
    assert advised
    for dataset_id in advised:
        words = " ".join(
            f"{parameter.name} {parameter.description}"
            for parameter in Catalogue().dataset(dataset_id).parameters
        )
        assert all(word in words.casefold() for word in quantity.split()), dataset_id


def test_x_rays_of_the_days_before_are_not_looked_for_among_magnetometers(opened):
    with pytest.raises(NoData) as caught:
        opened().locate("SWPC_GOES_XRS", TimeRange(datetime(2003, 10, 29), datetime(2003, 10, 30)))
    assert "DSCOVR" not in caught.value.advice
    assert "National Centers for Environmental Information" in caught.value.advice


def test_a_range_after_the_newest_record_is_not_yet_published(opened):
    with pytest.raises(NotYetPublished) as caught:
        opened().locate("SWPC_RTSW_MAG", TimeRange(NOW + timedelta(hours=1), NOW + timedelta(hours=2)))
    assert "2024-05-12T12:00Z" in caught.value.advice


def test_a_range_within_a_gap_has_no_data(opened, swpc):
    swpc.change = lambda path, rows: [row for row in rows if not row[0].startswith("2024-05-11 10")]
    with pytest.raises(NoData, match="no record"):
        opened().locate("SWPC_RTSW_MAG", HOUR)


def test_a_range_that_is_not_over_says_how_new_its_newest_record_is(opened):
    table = one(opened(), "SWPC_RTSW_MAG", "Bt", TimeRange(datetime(2024, 5, 12, 11), datetime(2024, 5, 13)))
    assert len(table) == 61
    assert "the newest record that SWPC had was at 2024-05-12T12:00Z" in table.notes


def test_times_out_of_order_are_put_in_order_and_repeated_ones_taken_once(opened, swpc):
    expected = one(opened(), "SWPC_RTSW_MAG", "BGSM")

    def disorder(path: str, rows: list[list[str]]) -> list[list[str]]:
        again = ["2024-05-11 10:30:00.000", "99.0", "99.0", "99.0", "0", "0", "99.0"]
        return [rows[0], *reversed(rows[1:]), again]

    swpc.change = disorder
    table = one(opened(refresh=True), "SWPC_RTSW_MAG", "BGSM")
    assert table.digest() == expected.digest()
    assert "1 repeated epoch: the first record of each was kept" in table.notes


def test_numbers_may_come_as_numbers_and_columns_in_another_order(opened, swpc):
    expected = one(opened(), "SWPC_RTSW_PLASMA", "speed")
    swpc.change = lambda path, rows: [
        [row[0], row[3], "extra" if i == 0 else 1, float(row[2]) if i else row[2], row[1]]
        for i, row in enumerate(rows)
    ]
    assert one(opened(refresh=True), "SWPC_RTSW_PLASMA", "speed").digest() == expected.digest()


# Asking


def test_one_request_serves_a_product_for_a_minute(opened, swpc, clock):
    one(opened(), "SWPC_RTSW_MAG", "BGSM")
    opened().fetch("SWPC_RTSW_MAG", ["BGSM", "Bt"], TimeRange(HOUR.start, HOUR.start + timedelta(hours=5)))
    assert [request.path for request in swpc.requests] == [MAG]
    clock.ahead += 61
    one(opened(), "SWPC_RTSW_MAG", "BGSM")
    assert len(swpc.requests) == 2
    assert swpc.requests[1].status == 304


def test_refresh_asks_at_once(opened, swpc):
    one(opened(), "SWPC_RTSW_MAG", "BGSM")
    one(opened(refresh=True), "SWPC_RTSW_MAG", "BGSM")
    assert len(swpc.requests) == 2


def test_a_range_that_is_over_has_the_same_identity_while_the_window_moves(opened, swpc, clock):
    [before] = opened().locate("SWPC_RTSW_MAG", HOUR)
    swpc.newest += timedelta(hours=3)
    clock.ahead += 3 * 3600
    [after] = opened().locate("SWPC_RTSW_MAG", HOUR)
    assert [request.status for request in swpc.requests] == [200, 200]
    assert before.identity == after.identity


def test_other_records_are_another_identity(opened, swpc):
    span = TimeRange(datetime(2024, 5, 12, 11), datetime(2024, 5, 13))
    [before] = opened().locate("SWPC_RTSW_MAG", span)
    swpc.newest += timedelta(minutes=1)
    [after] = opened(refresh=True).locate("SWPC_RTSW_MAG", span)
    assert before.identity != after.identity


def test_one_run_sees_one_reply(opened, swpc, clock):
    provider = opened()
    span = TimeRange(datetime(2024, 5, 12, 11), datetime(2024, 5, 13))
    [located] = provider.locate("SWPC_RTSW_MAG", span)
    swpc.newest += timedelta(minutes=5)
    clock.ahead += 300
    assert one(provider, "SWPC_RTSW_MAG", "BGSM", span).sources == (located,)


def test_a_range_that_was_kept_when_it_was_over_outlives_the_window(opened, swpc, clock):
    expected = one(opened(), "SWPC_RTSW_MAG", "BGSM")
    swpc.newest += timedelta(days=30)
    clock.ahead += 30 * 86_400
    swpc.mend()
    assert one(opened(), "SWPC_RTSW_MAG", "BGSM").digest() == expected.digest()
    assert swpc.requests == []
    with pytest.raises(NoData):
        one(opened(), "SWPC_RTSW_MAG", "BGSM", TimeRange(HOUR.start, HOUR.stop + timedelta(hours=1)))


def test_a_range_that_was_kept_before_it_was_over_does_not(opened, swpc, clock):
    span = TimeRange(datetime(2024, 5, 12, 11), datetime(2024, 5, 12, 13))
    one(opened(), "SWPC_RTSW_MAG", "BGSM", span)
    swpc.newest += timedelta(days=30)
    clock.ahead += 30 * 86_400
    with pytest.raises(NoData):
        opened().locate("SWPC_RTSW_MAG", span)
    assert len(one(opened(offline=True), "SWPC_RTSW_MAG", "BGSM", span)) == 61


def test_a_kept_range_that_was_damaged_is_passed_over(opened, swpc, clock, tmp_path, caplog):
    one(opened(), "SWPC_RTSW_MAG", "BGSM")
    for path in (tmp_path / "files" / "data").rglob("*.json"):
        if not path.name.endswith(".json.json"):
            path.write_bytes(path.read_bytes().replace(b"2024-05-11 10:30", b"2024-05-11 10:31"))
    swpc.newest += timedelta(days=30)
    clock.ahead += 30 * 86_400
    with pytest.raises(NoData):
        opened().locate("SWPC_RTSW_MAG", HOUR)
    assert "has changed since it was saved" in caplog.text


@pytest.mark.parametrize("content", ["{", "[]", '{"saved_at": 9e9, "content": {}}', '{"saved_at": 9e9}'])
def test_a_kept_reply_that_is_damaged_is_asked_for_again(opened, swpc, tmp_path, content):
    expected = one(opened(), "SWPC_RTSW_MAG", "BGSM")
    [reply] = (tmp_path / "files" / "replies").rglob("mag-7-day.json")
    reply.write_text(content)
    assert one(opened(), "SWPC_RTSW_MAG", "BGSM").digest() == expected.digest()
    assert len(swpc.requests) == 2


def test_offline_it_uses_what_is_kept_however_old_and_names_what_is_not(opened, swpc, clock):
    expected = one(opened(), "SWPC_RTSW_MAG", "BGSM")
    swpc.mend()
    clock.ahead += 86_400
    provider = opened(offline=True, refresh=True)
    assert one(provider, "SWPC_RTSW_MAG", "BGSM").digest() == expected.digest()
    with pytest.raises(Offline, match="SWPC_RTSW_PLASMA"):
        provider.locate("SWPC_RTSW_PLASMA", HOUR)
    assert swpc.requests == []


# What is wrong


@pytest.mark.parametrize(
    ("faults", "kind", "attempts"),
    [
        (["timeout"] * 3, ServerUnavailable, 3),
        (["reset"] * 3, ServerUnavailable, 3),
        (["truncate"] * 3, ServerUnavailable, 3),
        (["html"] * 3, ServerUnavailable, 3),
        (["half"] * 3, ServerUnavailable, 3),
        (["503"] * 3, ServerUnavailable, 3),
        ([("429", 2)] * 3, RateLimited, 3),
        (["404"], Refused, 1),
        (["403"], Refused, 1),
        (["renamed"], DamagedFile, 1),
        (["empty"], DamagedFile, 1),
    ],
    ids=lambda value: "+".join(map(str, value)) if isinstance(value, list) else None,
)
@pytest.mark.parametrize(("dataset", "parameter"), [("SWPC_RTSW_MAG", "BGSM"), ("SWPC_GOES_XRS", "xrsa")])
def test_each_fault_has_its_error_keeps_nothing_and_the_next_run_completes(
    opened, swpc, clock, tmp_path, dataset, parameter, faults, kind, attempts
):
    swpc.fail(".json", *faults)
    with pytest.raises(HelioError) as caught:
        one(opened(), dataset, parameter)
    assert type(caught.value) is kind
    assert len(swpc.requests) == attempts
    assert caught.value.place == swpc.url + (XRAYS if parameter == "xrsa" else MAG)
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []
    clock.ahead += 3600
    swpc.newest += timedelta(hours=1)
    assert len(one(opened(), dataset, parameter)) == 60


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda path, rows: [rows[0][:-1], *(row[:-1] for row in rows[1:])], "it has no bt, but only"),
        (lambda path, rows: [*rows[:-1], rows[-1][:3]], "does not have 7 columns"),
        (lambda path, rows: [*rows[:-1], ["yesterday", *rows[-1][1:]]], "'yesterday'"),
        (lambda path, rows: [*rows[:-1], [None, *rows[-1][1:]]], "'None'"),
        (lambda path, rows: [*rows[:-1], "row"], "does not have 7 columns"),
        (lambda path, rows: rows[1:] and [[1, 2, 3], *rows[1:]], "does not contain names of columns"),
        (lambda path, rows: {"rows": rows}, "dict"),
        (lambda path, rows: [], "list"),
    ],
)
def test_another_form_is_named_not_guessed(opened, swpc, change, told):
    swpc.change = change
    with pytest.raises(DamagedFile, match=told):
        opened().locate("SWPC_RTSW_MAG", HOUR)


def test_a_text_that_is_no_number_is_refused_where_it_is_read(opened, swpc):
    swpc.change = lambda path, rows: [
        [*row[:1], "n/a", *row[2:]] if row[0].startswith("2024-05-11 10:30") else row for row in rows
    ]
    with pytest.raises(DamagedFile, match="'n/a' instead of a number"):
        one(opened(), "SWPC_RTSW_MAG", "BGSM")
    assert len(one(opened(), "SWPC_RTSW_MAG", "Bt")) == 60


def test_a_service_without_a_single_record_has_no_data(opened, swpc):
    swpc.change = lambda path, rows: rows[:1]
    with pytest.raises(NoData, match="contains no records"):
        opened().locate("SWPC_RTSW_MAG", HOUR)


def test_names_that_come_close_are_told(opened, swpc):
    with pytest.raises(UnknownDataset) as caught:
        opened().locate("SWPC_RTSW_MAGN", HOUR)
    assert "did you mean 'SWPC_RTSW_MAG'" in caught.value.advice
    with pytest.raises(UnknownParameter) as unknown:
        opened().fetch("SWPC_RTSW_MAG", ["BGSE"], HOUR)
    assert "BGSM" in unknown.value.advice
    assert swpc.requests == []


def test_a_reply_beyond_the_limit_is_not_read(opened):
    with pytest.raises(TooLarge) as caught:
        opened(limit=1000).locate("SWPC_RTSW_MAG", HOUR)
    assert "--max-download" in caught.value.advice


def test_what_is_no_server_is_refused(tmp_path):
    with pytest.raises(RequestError, match="not the URL"):
        Swpc(tmp_path, url="services.swpc.noaa.gov")


def test_every_dataset_is_listed(opened):
    assert opened().datasets() == ["SWPC_GOES_XRS", "SWPC_RTSW_MAG", "SWPC_RTSW_PLASMA"]


def test_the_progress_of_a_reply_is_told(opened):
    told = []
    one(opened(on_progress=told.append), "SWPC_RTSW_PLASMA", "speed")
    assert (told[0].files_done, told[-1].files_done, told[-1].files) == (0, 1, 1)
    assert told[-1].bytes_done == told[-1].bytes > 100_000


def test_plasma_and_field_are_asked_for_apart(opened, swpc):
    provider = opened()
    one(provider, "SWPC_RTSW_MAG", "BGSM")
    one(provider, "SWPC_RTSW_PLASMA", "speed")
    assert [request.path for request in swpc.requests] == [MAG, PLASMA]
