"""A day that ends with a leap second, through every format, against times that are written out or pycdfpp's."""

import shutil
from datetime import datetime, timedelta

import netCDF4
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pycdfpp
import pytest

from helio.sources.local import LocalArchive
from helio.sources.providers.hapi import Hapi
from helio.steps.save_data import save_data
from helio.testing import Dataset, HapiStandIn, dataset
from helio.time_range import TimeRange

MIDNIGHT = datetime(2017, 1, 1)
BEFORE = TimeRange(MIDNIGHT - timedelta(days=1), MIDNIGHT)
AFTER = TimeRange(MIDNIGHT, MIDNIGHT + timedelta(days=1))
BOTH = TimeRange(BEFORE.start, AFTER.stop)
SECONDS = range(-3, 4)
"""True seconds after 23:59:60."""
CADENCES = {"1 s": [1000 * second for second in SECONDS], "10 Hz": list(range(-2000, 3000, 100))}
"""True milliseconds after 23:59:60."""


def written(milliseconds):
    """A true time as a clock on the wall shows it."""
    if 0 <= milliseconds < 1000:
        return f"2016-12-31T23:59:60.{milliseconds:03d}Z"
    naive = MIDNIGHT + timedelta(milliseconds=milliseconds - (1000 if milliseconds >= 1000 else 0))
    return f"{naive:%Y-%m-%dT%H:%M:%S}.{naive.microsecond // 1000:03d}Z"


def stored(milliseconds):
    """Where it is to stand on the axis: 23:59:60 + x s at 23:59:59.999999 + x µs."""
    if milliseconds < 0:
        after = milliseconds * 10**6
    elif milliseconds < 1000:
        after = milliseconds - 1000
    else:
        after = (milliseconds - 1000) * 10**6
    return np.datetime64(MIDNIGHT, "ns") + np.timedelta64(after, "ns")


def tt2000(milliseconds):
    """By pycdfpp, which is not told of the leap second: the true time is counted on from well before it."""
    start = pycdfpp.to_tt2000(np.array(["2016-12-31T23:00:00"], "M8[ns]")).view(np.int64).reshape(-1)[0]
    return int(start) + 3600 * 10**9 + milliseconds * 10**6


def expected(times):
    return np.array([stored(time) for time in times])


def check(table, times, *, count):
    """Each true time with its own value, in order, and a note of the leap second alone."""
    assert table.epoch.tolist() == expected(times).tolist()
    assert table.values.tolist() == [float(time) for time in times]
    said = [note for note in table.notes if "leap second" in note]
    assert said == (
        [f"{count} records lie in the leap second 2016-12-31T23:59:60; they are stored in the last microsecond "
         "of that day"] if count > 1
        else ["1 record lies in the leap second 2016-12-31T23:59:60; it is stored in the last microsecond of that day"]
        if count else []
    )  # fmt: skip
    assert not any("backwards" in note or "repeat" in note for note in table.notes)


def cdf(new_cdf, times, name="made.cdf"):
    raw = [tt2000(time) for time in times]
    made = new_cdf(name).add("Epoch", "tt2000", raw)
    return made.add("n", "f8", np.array(times, float), DEPEND_0="Epoch").done()


def csv(path, times):
    path.write_text("epoch,n\n" + "".join(f"{written(time)},{time}\n" for time in times))
    return path


@pytest.mark.parametrize("times", CADENCES.values(), ids=CADENCES)
@pytest.mark.parametrize("format", ["cdf", "csv", "parquet"])
def test_no_record_of_a_leap_second_is_lost_or_moved(format, times, new_cdf, tmp_path, cdf_reader):
    if format == "cdf":
        path = cdf(new_cdf, times)
    elif format == "csv":
        path = csv(tmp_path / "made.csv", times)
    else:
        path = tmp_path / "made.parquet"
        columns = {"time": [written(time) for time in times], "n": [float(time) for time in times]}
        pq.write_table(pa.table(columns), path)
    whole = cdf_reader.read(path, ["n"], BOTH)["n"]
    inside = sum(0 <= time < 1000 for time in times)
    check(whole, times, count=inside)
    early = cdf_reader.read(path, ["n"], BEFORE)["n"]
    check(early, [time for time in times if time < 1000], count=inside)
    late = cdf_reader.read(path, ["n"], AFTER)["n"]
    check(late, [time for time in times if time >= 1000], count=0)
    leap = TimeRange(MIDNIGHT - timedelta(microseconds=1), MIDNIGHT)
    alone = cdf_reader.read(path, ["n"], leap)["n"]
    check(alone, [time for time in times if 0 <= time < 1000], count=inside)


@pytest.mark.parametrize("times", CADENCES.values(), ids=CADENCES)
@pytest.mark.parametrize("form", ["binary", "csv"])
def test_no_record_of_a_leap_second_is_lost_in_hapi(form, times, tmp_path, http):
    texts = [written(time).replace("23:59:60", "23:59:59") for time in times]
    made = dataset(
        "LEAP", [{"name": "n", "type": "double", "units": "nT", "fill": None}], texts, {"n": times}
    )
    made.records["Time"] = [written(time).encode() for time in times]
    assert isinstance(made, Dataset)
    formats = ("csv", "binary") if form == "binary" else ("csv",)
    with HapiStandIn([made], formats=formats) as server:
        for time_range, chosen in (
            (BEFORE, [time for time in times if time < 1000]),
            (AFTER, [time for time in times if time >= 1000]),
            (BOTH, times),
        ):
            table = Hapi(tmp_path, http, url=server.url).fetch("LEAP", ["n"], time_range)["n"]
            check(table, chosen, count=sum(0 <= time < 1000 for time in chosen))


@pytest.mark.parametrize("times", CADENCES.values(), ids=CADENCES)
@pytest.mark.parametrize("format", ["cdf", "csv"])
def test_the_first_day_of_the_year_has_its_own_midnight(format, times, new_cdf, tmp_path, cdf_reader):
    """31 December ends with the leap second in a file of its own, 1 January begins with midnight in the next."""
    folder = tmp_path / "days"
    folder.mkdir()
    for day, chosen in (
        ("20161231", [time for time in times if time < 1000]),
        ("20170101", [time for time in times if time >= 1000]),
    ):
        name = f"one_data_{day}_v01.{format}"
        if format == "csv":
            csv(folder / name, chosen)
        else:
            shutil.move(cdf(new_cdf, chosen, name), folder / name)
    provider = LocalArchive(folder, cdf_reader)
    (dataset_id,) = provider.datasets()
    late = provider.fetch(dataset_id, ["n"], AFTER)["n"]
    check(late, [time for time in times if time >= 1000], count=0)
    check(provider.fetch(dataset_id, ["n"], BOTH)["n"], times, count=sum(0 <= time < 1000 for time in times))


@pytest.mark.parametrize("times", CADENCES.values(), ids=CADENCES)
@pytest.mark.parametrize("format", ["csv", "parquet", "cdf", "netcdf"])
def test_a_leap_second_is_written_and_reads_back_equal(format, times, new_cdf, tmp_path, cdf_reader):
    table = cdf_reader.read(cdf(new_cdf, times), ["n"], BOTH)["n"]
    folder = tmp_path / "written"
    folder.mkdir()
    export = save_data({"X.n": table}, filename="made", format=format)
    (folder / export.filename).write_bytes(export.content)
    found = LocalArchive(folder, cdf_reader).fetch("MADE", ["n"], BOTH)["n"]
    check(found, times, count=sum(0 <= time < 1000 for time in times))
    assert found.digest() == table.digest()
    if format == "cdf":
        raw = np.asarray(pycdfpp.load(str(folder / export.filename))["Epoch"].values).view(np.int64)
        assert raw.reshape(-1).tolist() == [tt2000(time) for time in times]
    if format == "csv":
        lines = export.content.decode().splitlines()
        stamps = [line.partition(",")[0] for line in lines if line.startswith("201")]
        cut = "00Z" if any(time % 1000 for time in times) else ".000Z"
        assert stamps == [written(time).removesuffix(cut) + "Z" for time in times]


def test_netcdf_counts_no_leap_second(tmp_path, cdf_reader):
    """As the science data of GOES-13 do over 30 June 2015: 2.048 s apart, midnight once."""
    path = tmp_path / "goes.nc"
    start = 1435708800.0
    with netCDF4.Dataset(str(path), "w") as file:
        file.createDimension("time", 7)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "seconds since 1970-01-01 00:00:00.0 UTC"
        time[:] = start + np.array([-4.096, -2.048, -0.035, 0.0, 2.048, 4.096, 6.144])
        n = file.createVariable("n", "f8", ("time",))
        n[:] = np.arange(7.0)
    day = TimeRange(datetime(2015, 6, 30), datetime(2015, 7, 2))
    table = cdf_reader.read(path, ["n"], day)["n"]
    midnight = np.datetime64("2015-07-01", "ns")
    assert ((table.epoch - midnight) / np.timedelta64(1, "ms")).tolist() == [
        -4096.0, -2048.0, -35.0, 0.0, 2048.0, 4096.0, 6144.0,
    ]  # fmt: skip
    assert table.notes == ()


def test_a_time_just_before_a_leap_second_is_not_taken_for_one(tmp_path, cdf_reader):
    """Half a microsecond before 23:59:60: seconds in double precision, and text."""
    path = tmp_path / "made.csv"
    path.write_text(
        "epoch,n\n2016-12-31T23:59:59.9999995Z,1\n2016-12-31T23:59:60.5Z,2\n2017-01-01T00:00:00Z,3\n"
    )
    table = cdf_reader.read(path, ["n"], BOTH)["n"]
    assert table.epoch.astype(str).tolist() == [
        "2016-12-31T23:59:59.999998999", "2016-12-31T23:59:59.999999500", "2017-01-01T00:00:00.000000000",
    ]  # fmt: skip
    assert table.values.tolist() == [1.0, 2.0, 3.0]
    assert table.notes[0].startswith("1 record lies in the leap second")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2016-12-31T23:59:60", "2016-12-31T23:59:59.999999"),
        ("2016-366T23:59:60.25Z", "2016-12-31T23:59:59.999999250"),
        ("2017-01-01T01:59:60.25+02:00", "2016-12-31T23:59:59.999999250"),
        ("2016-12-31 235960Z", "2016-12-31T23:59:59.999999"),
        ("1972-06-30T23:59:60Z", "1972-06-30T23:59:59.999999"),
        ("2015-12-31T23:59:60Z", "2016-01-01"),
        ("2016-12-31T11:59:60Z", "2016-12-31T12:00"),
    ],
)
@pytest.mark.parametrize("beside", ["2016-12-31T06:00:00Z", "2016-12-31T24:00:00Z", ""])
def test_a_second_60_in_text_is_a_leap_second_where_there_is_one(tmp_path, cdf_reader, text, meant, beside):
    path = tmp_path / "made.csv"
    path.write_text(f"epoch,n\n{text},1\n" + (f"{beside},2\n" if beside else ""))
    span = TimeRange(datetime(1970, 1, 1), datetime(2020, 1, 1))
    table = cdf_reader.read(path, ["n"], span)["n"]
    assert table.epoch[table.values == 1.0].tolist() == [np.datetime64(meant, "ns").astype(int)]


def test_records_faster_than_the_axis_resolves_are_all_kept(new_cdf, cdf_reader):
    """8,192 records a second, as search coils have them."""
    nanoseconds = np.arange(-8192, 2 * 8192) * 10**9 // 8192
    raw = tt2000(0) + nanoseconds
    path = new_cdf().add("Epoch", "tt2000", raw).add("n", "f8", nanoseconds / 1e9, DEPEND_0="Epoch").done()
    table = cdf_reader.read(path, ["n"], BOTH)["n"]
    assert table.values.tolist() == (nanoseconds / 1e9).tolist()
    assert (np.diff(table.epoch) > np.timedelta64(0)).all()
    assert table.epoch[2 * 8192] == np.datetime64("2017-01-01", "ns")
    assert table.notes == (
        "8,192 records lie in the leap second 2016-12-31T23:59:60, more than its last microsecond has room for; they "
        "are stored 1 ns apart at the end of that day, and taken as evenly spaced",
    )
