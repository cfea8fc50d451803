"""Sources that answer a range with one reply."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from helio.errors import DamagedFile, NoData, Offline, TooLarge, UnknownDataset, UnknownParameter
from helio.testing import FakeClock, client
from helio.time_range import TimeRange
from tests.testing.made_source import Made, MadeStandIn

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


@pytest.fixture
def server():
    with MadeStandIn() as standin:
        yield standin


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2024, 5, 12))


@pytest.fixture
def new(server: MadeStandIn, tmp_path: Path, clock: FakeClock):
    with client(clock) as http:
        yield lambda **options: Made(tmp_path, http, url=server.url, **options)


def test_a_young_range_is_asked_for_again_after_an_hour(server, new, clock):
    before = new().locate("COUNTS", DAY)
    clock.ahead = 3500
    assert new().locate("COUNTS", DAY) == before
    assert len(server.requests) == 1
    clock.ahead = 3700
    server.reply["n"][0] = -1
    [after] = new().locate("COUNTS", DAY)
    assert after.identity != before[0].identity
    assert len(server.requests) == 2


def test_an_old_range_is_asked_for_once_unless_it_is_to_be_refreshed(server, new, clock):
    clock.ahead = 40 * 86_400
    new().locate("COUNTS", DAY)
    clock.ahead = 400 * 86_400
    new().locate("COUNTS", DAY)
    assert len(server.requests) == 1
    new(refresh=True).locate("COUNTS", DAY)
    assert len(server.requests) == 2


def test_records_outside_of_the_range_are_left_out(new):
    hour = TimeRange(datetime(2024, 5, 10, 3), datetime(2024, 5, 10, 4))
    assert new().fetch("COUNTS", ["n"], hour)["n"].values.tolist() == [3.0]


def test_a_range_without_records_is_no_data(server, new):
    with pytest.raises(NoData, match="COUNTS has no record of n"):
        new().fetch("COUNTS", ["n"], TimeRange(datetime(2024, 5, 20), datetime(2024, 5, 21)))
    server.reply = {}
    with pytest.raises(NoData, match="Made has no record of COUNTS"):
        new().locate("COUNTS", DAY)
    assert new().datasets() == ["COUNTS"]


def test_an_empty_reply_is_not_kept(server, new):
    reply, server.reply = server.reply, {}
    with pytest.raises(NoData):
        new().locate("COUNTS", DAY)
    server.reply = reply
    assert new().locate("COUNTS", DAY)


def test_what_is_not_there_is_named_with_advice(new):
    with pytest.raises(UnknownDataset) as dataset:
        new().locate("COUNT", DAY)
    assert "COUNTS" in dataset.value.advice
    with pytest.raises(UnknownParameter, match="COUNTS has no parameter 'm'"):
        new().fetch("COUNTS", ["m"], DAY)


def test_a_reply_of_another_form_is_damaged_and_says_where_it_is_from(server, new):
    server.reply = {"times": []}
    with pytest.raises(DamagedFile, match="no times") as caught:
        new().fetch("COUNTS", ["n"], DAY)
    assert caught.value.place.startswith(f"{server.url}/data/COUNTS")


def test_offline_what_is_kept_serves_however_old(server, new, clock):
    new().locate("COUNTS", DAY)
    clock.ahead = 10 * 86_400
    assert new(offline=True).fetch("COUNTS", ["n"], DAY)["n"].values.size == 24
    with pytest.raises(Offline, match="COUNTS of Made for"):
        new(offline=True).locate("COUNTS", TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 12)))
    assert len(server.requests) == 1


def test_a_reply_counts_against_what_the_run_may_download(new):
    with pytest.raises(TooLarge, match="COUNTS for"):
        new(limit=100).locate("COUNTS", DAY)


def test_the_progress_of_a_reply_is_told(new):
    told = []
    new(on_progress=told.append).locate("COUNTS", DAY)
    assert (told[0].files_done, told[-1].files_done, told[-1].files) == (0, 1, 1)
    assert told[-1].bytes_done == told[-1].bytes > 0
