"""CDAWeb's listings with odd entries, and SWPC's replies with odd rows: refused, noted, or read without what is odd."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from helio.errors import DamagedFile, Refused
from helio.sources.file_source import RemoteFile
from helio.sources.providers import swpc
from helio.sources.providers.cdaweb import _spans_of, listed_files
from helio.store.source_file import SourceFile
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.rows import in_one_test

URL = "https://cdaweb.example/files"
FILE = "https://cdaweb.example/data/ac_h2_mfi_20240510_v01.cdf"
START, STOP = "2024-05-10T00:00:00.000Z", "2024-05-11T00:00:00.000Z"


def listed(**changes: Any) -> RemoteFile:
    entry = {"Name": FILE, "Length": 100, "LastModified": START, "StartTime": START, "EndTime": STOP}
    [found] = listed_files({"FileDescription": [entry | changes]}, URL)
    return found


@in_one_test(
    "name",
    [
        "https://host/x\ny.cdf", "https://host/x\x1b[31m.cdf", "https://host/\0.cdf", "https://host/\ud800.cdf",
        "https://[bad/a.cdf", "https://host:99999/a.cdf", "https://host:x/a.cdf", "file:///etc/passwd", "https:///a.cdf",
        "", None, 5, ["a"],
    ],
)  # fmt: skip
def test_a_listed_name_that_is_no_address_of_a_file_is_refused(name):
    with pytest.raises(Refused, match="is not a valid address of a file") as caught:
        listed(Name=name)
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("size", [-5, "-5", 1.5, "²", "9" * 5000, 10**400, None, [1], True, "many"])
def test_a_listed_size_that_no_file_has_counts_as_not_known(size, caplog):
    assert listed(Length=size).size == 0
    assert "is listed with the size" in caplog.text


@pytest.mark.parametrize("size", [100, "100"])
def test_a_listed_size_is_read(size):
    assert listed(Length=size).size == 100


@pytest.mark.parametrize(
    "span",
    [{"StartTime": STOP, "EndTime": START}, {"StartTime": "z\x1b[2J"}, {"EndTime": None}, {"StartTime": [1]}],
)
def test_a_listed_span_that_cannot_be_used_hides_no_file(span, caplog):
    found = listed(**span)
    assert (found.start, found.stop) == ("", "")
    assert "invalid span" in caplog.text
    assert "\x1b" not in caplog.text


@pytest.mark.parametrize(
    "interval", [None, [1], "x", 5, {"Start": STOP, "End": START}, {"Start": "z", "End": "y"}]
)
def test_the_span_of_a_dataset_that_cannot_be_used_is_not_known(interval):
    reply = {"DatasetDescription": [{"Id": "AC_H2_MFI", "TimeInterval": interval}]}
    assert _spans_of(reply) == {"AC_H2_MFI": {"start": "", "stop": ""}}


# SWPC

PRODUCT = swpc.PRODUCTS["SWPC_RTSW_PLASMA"]
DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
NAMES = ["time_tag", "density", "speed", "temperature"]


def row(hour: int, speed: Any, time: Any = None) -> list[Any]:
    return [time or f"2024-05-10 {hour:02d}:00:00.000", "5.0", speed, "1e5"]


def read(*rows: Any, names: Any = NAMES) -> Table:
    held = swpc._read(PRODUCT, [names, *rows], "", URL)
    cut = swpc._cut_out(PRODUCT, held, "SWPC_RTSW_PLASMA", DAY)
    source = SourceFile(dataset_id="SWPC_RTSW_PLASMA", file=PRODUCT.file, url=URL)
    return swpc._table(PRODUCT, PRODUCT.parameters["speed"], cut, source, DAY)


@in_one_test(
    "speed",
    ["fast", "4\x1b[31m", "", True, [1], {}, 10**400, "1e400", "inf", "4_00", "٤٠٠", "0x10", float("inf")],
)
def test_a_value_that_is_no_number_is_refused(speed):
    with pytest.raises(DamagedFile, match="instead of a number") as caught:
        read(row(1, "400"), row(2, speed))
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    "time", [5, "soon", "0001-01-01T00:00:00+01:00", "9999-12-31T23:00:00-05:00", ["2024-05-10"], "\x1b[2J"]
)
def test_a_time_that_is_none_is_refused(time):
    with pytest.raises(DamagedFile, match="record 2 has the invalid time") as caught:
        read(row(1, "400"), row(2, "400", time))
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    "names",
    [
        NAMES[:3],
        [*NAMES[:3], "speed"],
        [*NAMES, "speed"],
        "abcd",
        None,
        [[1], *NAMES[1:]],
        ["\x1b[2J", *NAMES[1:]],
    ],
)
def test_columns_that_are_missing_or_there_twice_are_refused(names):
    with pytest.raises(DamagedFile, match="does not have the expected format") as caught:
        read([*row(1, "400"), "9"][: len(names or NAMES)], names=names)
    assert caught.value.message.isprintable()


def test_repeated_epochs_say_whether_their_values_differ():
    assert not any("differ" in note for note in read(row(1, "400"), row(2, None), row(2, None)).notes)
    table = read(row(1, "400"), row(2, "410"), row(2, "999"), row(2, None))
    assert table.values.tolist() == [400, 410]
    assert "2 repeated epochs: the first record of each was kept" in table.notes
    assert "2 repeated records differ from the first record of the same epoch" in table.notes
