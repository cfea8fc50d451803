"""Times that stand in several columns, in CSV and in Parquet: read where the titles say so, refused otherwise."""

import re
from datetime import date, datetime, time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helio.errors import DamagedFile
from helio.time_range import TimeRange

DAY = TimeRange(datetime(2024, 5, 9), datetime(2024, 5, 12))


@pytest.fixture
def read(tmp_path, cdf_reader):
    """Write a CSV and give the epochs of its parameter n."""

    def ask(text, name="n"):
        path = tmp_path / "made.csv"
        path.write_text(text)
        table = cdf_reader.read(path, [name], DAY)[name]
        assert table.values.tolist() == [float(i) for i in range(1, len(table) + 1)]
        return [str(epoch).removesuffix("000000000").rstrip(".") for epoch in table.epoch]

    return ask


def rows(*cells):
    return "".join(f"{cell},{i}\n" for i, cell in enumerate(cells, start=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("titles", "cells", "times"),
    [
        ("date,time", ["2024-05-10,00:00:00", "2024-05-10,23:59:59.999"], ["00:00:00", "23:59:59.999000000"]),
        ("Date,UTC", ["2024-05-10,00:01", "2024-05-10,00:02"], ["00:01:00", "00:02:00"]),
        ("Date (UTC),Time (UTC)", ["2024-05-10,6:05:00"], ["06:05:00"]),
        ("DATE_UTC,TIME_UTC", ["2024-131,06:05:00Z"], ["06:05:00"]),
        ("date,time", ["2024-05-10,06:05:00+02:00"], ["04:05:00"]),
        ("date,time", ["2024-05-10 00:00:00,06:05:00"], ["06:05:00"]),
        ("date,time", ["2024-05-09,24:00:00"], ["00:00:00"]),
        ("YYYYMMDD,HHMM", ["20240510,0005", "20240510,2359"], ["00:05:00", "23:59:00"]),
        ("YYYYMMDD,HHMM", ["20240510,5", "20240510,105"], ["00:05:00", "01:05:00"]),
        ("YYYYMMDD,HHMMSS", ["20240510,000501", "20240510,000502.5"], ["00:05:01", "00:05:02.500000000"]),
        ("YYYYMMDD,HHMMSS", ["20240510,501"], ["00:05:01"]),
        ("date,time", ["20240510,0005", "20240510,0006"], ["00:05:00", "00:06:00"]),
        ("date,time", ["20240510,000501", "20240510,000502"], ["00:05:01", "00:05:02"]),
        ("YYYYMMDD,HH:MM:SS", ["20240510,00:05:00.5"], ["00:05:00.500000000"]),
        ("year,doy,hour,minute", ["2024,131,0,1", "2024,131,23,59"], ["00:01:00", "23:59:00"]),
        ("YEAR,DOY,HR", ["2024,131,0", "2024,131,1"], ["00:00:00", "01:00:00"]),
        (
            "year,month,day,hour,minute,second",
            ["2024,5,10,0,0,1", "2024,05,10,00,00,01.25"],
            ["00:00:01", "00:00:01.250000000"],
        ),
        ("Year,Mo,Day,Hr,Min,Sec,Msec", ["2024,5,10,1,2,3,4"], ["01:02:03.004000000"]),
        ("YYYY,MM,DD,HH,MM,SS", ["2024,5,10,1,2,3"], ["01:02:03"]),
        ("YR,MO,DA,HHMM", ["2024,05,10,0102"], ["01:02:00"]),
        ("year,doy", ["2024,131.25", "2024,131.5"], ["06:00:00", "12:00:00"]),
        ("year,doy,seconds of day", ["2024,131,3600.5"], ["01:00:00.500000000"]),
        ("date,seconds_of_day", ["2024-05-10,0", "2024-05-10,86399.25"], ["00:00:00", "23:59:59.250000000"]),
        ("date,sod", ["2024-05-10,60.1"], ["00:01:00.100000000"]),
        ("date,time [s]", ["2024-05-10,60"], ["00:01:00"]),
        ("date,UT [h]", ["2024-05-10,6.5"], ["06:30:00"]),
        ("date,hour", ["2024-05-10,6", "2024-05-10,6.5"], ["06:00:00", "06:30:00"]),
        ("date,hour,min", ["2024-05-10,6,5"], ["06:05:00"]),
        ("date,hour [h],minute [min]", ["2024-05-10,6,5"], ["06:05:00"]),
        ("year,doy,hr,mn", ["2024,131,6,5"], ["06:05:00"]),
        ("date,hour,minute,second,sod", ["2024-05-10,6,5,4,21904"], ["06:05:04"]),
        ("year,doy,hour,min,max", ["2024,131,6,5,7"], ["06:00:00"]),
        ("date,minutes of day", ["2024-05-10,65"], ["01:05:00"]),
        ("date,time [ms]", ["2024-05-10,1500"], ["00:00:01.500000000"]),
        ("date (UTC+2),time (UTC+2)", ["2024-05-10,06:00:00"], ["04:00:00"]),
        ("date,time (UTC-05:30)", ["2024-05-10,06:00:00"], ["11:30:00"]),
        ("date,UTC+2", ["2024-05-10,06:00:00"], ["04:00:00"]),
        ("date,local time", ["2024-05-10,06:00:00+02:00"], ["04:00:00"]),
        ("date,time,local time", ["2024-05-10,06:00:00,08:00:00"], ["06:00:00"]),
        ("time (UTC+2)", ["2024-05-10T06:00:00"], ["04:00:00"]),
        ("epoch,year,doy,hour", ["2024-05-10T06:00:00Z,1999,1,5"], ["06:00:00"]),
        ("date,time", ["2024-05-10,2024-05-10T06:00:00Z"], ["06:00:00"]),
        ("when,hour,min", ["2024-05-10T06:00:00Z,5,6"], ["06:00:00"]),
        ("local_time,time_utc", ["2024-05-10T08:00:00,2024-05-10T06:00:00"], ["06:00:00"]),
    ],
)
def test_times_in_several_columns_are_put_together(read, titles, cells, times):
    assert read(f"{titles},n\n" + rows(*cells)) == [f"2024-05-10T{time}" for time in times]


def test_parts_of_a_time_are_no_parameters(read, cdf_reader, tmp_path):
    read("year,doy,hour,n\n2024,131,5,1\n")
    assert cdf_reader.describe(tmp_path / "made.csv").parameters == ("n",)


def test_all_of_a_day_is_read(tmp_path, cdf_reader):
    path = tmp_path / "made.csv"
    minutes = np.datetime64("2024-05-10", "s") + np.arange(1440) * np.timedelta64(60, "s")
    path.write_text(
        "date,time,n\n" + "".join(f"{str(m).replace('T', ',')},{i}\n" for i, m in enumerate(minutes))
    )
    table = cdf_reader.read(path, ["n"], DAY)["n"]
    assert (table.epoch == minutes).all()
    assert len(table) == 1440


def test_what_omniweb_lists_is_read(read):
    assert read("YEAR DOY HR  n  m\n2024 131  0    1  -3.3\n2024 131  1    2  2.5\n") == [
        "2024-05-10T00:00:00",
        "2024-05-10T01:00:00",
    ]


@pytest.mark.parametrize("title", ["min", "max", "h", "day"])
def test_a_short_name_beside_a_date_is_data(read, title):
    assert read(f"date,{title},n\n2024-05-10,17,1\n2024-05-11,18,2\n") == [
        "2024-05-10T00:00:00",
        "2024-05-11T00:00:00",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "date,time,n\n2024-05-10,5,1\n2024-05-10,10,2\n",
            "the meaning of 'time' next to 'date' is not clear",
        ),
        (
            "date,time,n\n2024-05-10,0005,1\n2024-05-10,10,2\n",
            "the meaning of 'time' next to 'date' is not clear",
        ),
        ("date,time,n\n2024-05-10,1:05 PM,1\n", "line 2 of 'made.csv': .* in the columns 'date', 'time'"),
        (
            "date,time,n\n2024-05-10,00:00:00,1\n2024-05-10,,2\n",
            "line 3 of 'made.csv': the time is missing, in the columns",
        ),
        (
            "date,time,n\n10.05.2024,00:00:00,1\n",
            "'10.05.2024' in 'date' is not a date",
        ),
        ("date,time,n\n2024-05-10,25:00:00,1\n", "line 2 of 'made.csv': '2024-05-10T25:00:00' is not a time"),
        (
            "date,hour,n\n2024-05-10,24.5,1\n",
            "line 2 of 'made.csv': .* is not within one day, in the columns 'date', 'hour'",
        ),
        (
            "date,hour,minute,n\n2024-05-10,5,60,1\n",
            "line 2 of 'made.csv': '2024-05-10T05:60:00' is not a time",
        ),
        (
            "date,hour,minute,n\n2024-05-10,5.5,0,1\n",
            "'5.5' is not a whole number, which the column 'hour' needs",
        ),
        ("date,sod,n\n2024-05-10,-1,1\n", "is not within one day"),
        ("date,sod,n\n2024-05-10,90000,1\n", "is not within one day"),
        (
            "date,sod,n\n2024-05-10,x,1\n",
            "line 2 of 'made.csv': 'x' is not a number, in the columns 'date', 'sod'",
        ),
        ("date,hour,second,n\n2024-05-10,5,6,1\n", "'hour', 'second' do not give a complete time of day"),
        (
            "date,minute,second,n\n2024-05-10,5,6,1\n",
            "'minute', 'second' do not give a complete time of day",
        ),
        (
            "date,time,second,n\n2024-05-10,05:06,1,1\n",
            "'time', 'second' do not give a complete time of day",
        ),
        ("date,time,ms,n\n2024-05-10,05:06:07,1,1\n", "'time', 'ms' do not give a complete time of day"),
        (
            "date,UT [h],minute,n\n2024-05-10,5,6,1\n",
            r"'UT \[h\]', 'minute' do not give a complete time of day",
        ),
        (
            "time,hour,n\n2024-05-10,5,1\n2024-05-10,6,2\n",
            "several records have the same date in 'time', and 'hour' may",
        ),
        ("time,n\n00:05:00,1\n", "no column gives the date that belongs to 'time'"),
        ("HHMM,n\n0005,1\n", "no column gives the date that belongs to 'HHMM'"),
        ("year,hour,n\n2024,5,1\n", "'year', 'hour' do not give a complete date"),
        ("year,day,hour,n\n2024,131,5,1\n", "'year', 'day', 'hour' do not give a complete date"),
        ("year,month,n\n2024,5,1\n", "'year', 'month' do not give a complete date"),
        ("year,doy,n\n2023,366,1\n", "line 2 of 'made.csv': '2023-366' is not a valid day of year"),
        ("year,doy,n\n2023,0,1\n", "line 2 of 'made.csv': '2023-0' is not a valid day of year"),
        ("year,month,day,n\n2023,2,29,1\n", "line 2 of 'made.csv': '2023-02-29' is not a time"),
        ("year,doy,n\n24,131,1\n", "outside the years 1677 to 2262"),
        ("year,doy,hour,hour,n\n2024,131,5,6,1\n", "it is not clear which of 'hour', 'hour' gives the hour"),
        (
            "date,time,UTC,n\n2024-05-10,05:00,06:00,1\n",
            "not clear which of 'time', 'UTC' gives the time of day",
        ),
        (
            "date,local time,n\n2024-05-10,05:00:00,1\n",
            "'date', 'local time' are local times, and the file does not give their offset",
        ),
        (
            "time (local),n\n2024-05-10T05:00:00,1\n",
            "'time (local)' are local times, and the file does not give their offset",
        ),
        ("date (LT),n\n2024-05-10,1\n", r"'date \(LT\)' are local"),
        ("Time (CET),n\n2024-05-10T05:00:00,1\n", r"'Time \(CET\)' are local"),
        (
            "time [Europe/Berlin],n\n2024-05-10T05:00:00,1\n",
            "are local times, and the file does not give their offset",
        ),
        (
            "time (local),n\n2024-05-10T05:00:00Z,1\n2024-05-10T06:00:00,2\n",
            "are local times, and the file does not give their offset",
        ),
        (
            "time (UTC+2),n\n2024-05-10T05:00:00Z,1\n",
            r"gives the offset \+02:00, but its times contain offsets too",
        ),
        ("date (UTC),time (UTC+2),n\n2024-05-10,05:00,1\n", "are in different time zones"),
        ("time (UTC+25),n\n2024-05-10T05:00:00,1\n", r"the time zone \+25:00, which does not exist"),
        (
            "date,clock,n\n2024-05-10,05:00,1\n2024-05-10,06:00,2\n",
            "'clock' may be their times of day",
        ),
    ],
)
def test_what_is_not_understood_completely_is_refused(read, text, said):
    with pytest.raises(DamagedFile, match=said.replace("(local)", r"\(local\)")) as refusal:
        read(text)
    assert refusal.value.advice
    assert "made.csv" in str(refusal.value)


HALVES = ("2024-05-10T00:30", "2024-05-10T01:30")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("UTC offset", "+02:00"),
        ("UTC offset", "2"),
        ("utc_offset", "-0500"),
        ("offset", "+02:00"),
        ("offset", "2"),
        ("Offset from UTC", "2.0"),
        ("tz", "CEST"),
        ("TZ", "Europe/Berlin"),
        ("timezone", "+02:00"),
        ("Time Zone", "CET"),
        ("tz_offset_hours", "5.5"),
        ("UTC offset [min]", "120"),
        ("utcoffset", "7200"),
    ],
)
def test_a_column_that_gives_an_offset_is_not_ignored(read, title, cell):
    for titles, cells in (
        (f"time,{title}", [f"{half},{cell}" for half in HALVES]),
        (f"{title},epoch", [f"{cell},{half}" for half in HALVES]),
        (f"date,time,{title}", [f"{half.replace('T', ',')},{cell}" for half in HALVES]),
        (f"year,doy,hour,{title}", [f"2024,131,{hour},{cell}" for hour in (0, 1)]),
        (f"time,{title}", [f"{HALVES[0]},0", f"{HALVES[1]},{cell}"]),
    ):
        with pytest.raises(DamagedFile, match=f"'{re.escape(title)}' gives '{re.escape(cell)}'") as refusal:
            read(f"{titles},n\n{rows(*cells)}")
        assert refusal.value.advice


@pytest.mark.parametrize(
    ("titles", "cells"),
    [
        *(
            ("time,UTC offset", cell)
            for cell in ("0", "0.0", "+00:00", "-0000", "UTC", "Z", "gmt", "Etc/UTC", "")
        ),
        ("time,tz", "UTC"),
        ("time,offset", "12.3"),
        ("time,offset [nT]", "2"),
        ("time,zone", "14.1"),
        ("time,Tx,Ty,Tz", "1,2,3"),
        ("time (UTC),UTC offset", "2"),
    ],
)
def test_a_column_that_says_utc_or_holds_data_beside_the_times_is_fine(read, titles, cells):
    assert read(f"{titles},n\n{rows(*(f'{half},{cells}' for half in HALVES))}") == [
        f"{half}:00" for half in HALVES
    ]


def test_an_offset_in_every_time_goes_before_a_column_of_offsets(read):
    text = f"time,tz,n\n{rows(*(f'{half}+00:30,CET' for half in HALVES))}"
    assert read(text) == ["2024-05-10T00:00:00", "2024-05-10T01:00:00"]


@pytest.mark.parametrize(
    ("titles", "cell", "scale"),
    [
        ("time (TAI)", "2024-05-10T00:00", "TAI"),
        ("time (GPS)", "2024-05-10T00:00:00Z", "GPS"),
        ("time_tai", "2024-05-10T00:00", "TAI"),
        ("Time [TT]", "2024-05-10T00:00", "TT"),
        ("tt2000", "2024-05-10T00:00", "TT2000"),
        ("time_gps", "2024-05-10T00:00", "GPS"),
        ("TAI", "2024-05-10T00:00", "TAI"),
        ("GPS time", "2024-05-10T00:00", "GPS"),
        ("gpstime", "2024-05-10T00:00", "GPS"),
        ("epoch_tdb", "2024-05-10T00:00", "TDB"),
        ("date,time (TAI)", "2024-05-10,00:00", "TAI"),
        ("year,doy,time_gps", "2024,131,00:00", "GPS"),
        ("date,time (TAI) [s]", "2024-05-10,60", "TAI"),
        ("date (TT),hour", "2024-05-10,6", "TT"),
    ],
)
def test_times_in_another_scale_are_refused(read, titles, cell, scale):
    with pytest.raises(DamagedFile, match=f"holds times in {scale}, not in UTC") as refusal:
        read(f"{titles},n\n{cell},1\n")
    assert refusal.value.advice


@pytest.mark.parametrize(
    ("titles", "cell"),
    [
        ("time (TAI),time (UTC)", "2024-05-10T06:00:37,2024-05-10T06:00"),
        ("time_gps,epoch", "2024-05-10T06:00:18,2024-05-10T06:00"),
        ("date,time (TAI),time (UTC)", "2024-05-10,06:00:37,06:00:00"),
        ("date,hour,time_gps", "2024-05-10,6,1399356018"),
        ("date,time,gps_seconds", "2024-05-10,06:00,1399356018"),
        ("time,tt2000,TT,GPS", "2024-05-10T06:00,1,2,3"),
        ("GPS time (UTC)", "2024-05-10T06:00"),
    ],
)
def test_times_in_utc_go_before_those_in_another_scale(read, titles, cell):
    assert read(f"{titles},n\n{cell},1\n") == ["2024-05-10T06:00:00"]


@pytest.mark.parametrize(
    ("title", "unit"), [("seconds of day", 1), ("sod", 1), ("milliseconds of day", 1000), ("time [ms]", 1000)]
)
@pytest.mark.parametrize("step", [1.0, 0.5])
def test_seconds_of_day_count_through_a_leap_second(tmp_path, cdf_reader, title, unit, step):
    count = round(2 / step)
    last = [f"2016-12-31,{(86399 + i * step) * unit}" for i in range(count)]
    following = [f"2017-01-01,{i * step * unit}" for i in range(count)]
    clock = [f"2016-12-31,23:59:{59 + i * step:04.1f}" for i in range(count)]
    clock += [f"2017-01-01,00:00:{i * step:04.1f}" for i in range(count)]
    days = TimeRange(datetime(2016, 12, 31), datetime(2017, 1, 2))
    tables = []
    for titles, cells in ((f"date,{title}", [*last, *following]), ("date,time", clock)):
        path = tmp_path / "made.csv"
        path.write_text(f"{titles},n\n{rows(*cells)}")
        tables.append(cdf_reader.read(path, ["n"], days)["n"])
    assert tables[0].values.tolist() == [float(i) for i in range(1, 2 * count + 1)]
    np.testing.assert_array_equal(tables[0].epoch, tables[1].epoch)
    assert tables[0].notes == tables[1].notes


@pytest.mark.parametrize(
    ("titles", "cell"),
    [("date,seconds of day", "2024-05-09,86400"), ("date,hours of day", "2024-05-09,24")],
)
def test_the_end_of_a_day_without_a_leap_second_is_the_next_midnight(read, titles, cell):
    assert read(f"{titles},n\n{cell},1\n") == ["2024-05-10T00:00:00"]


def test_hour_24_of_a_day_with_a_leap_second_is_the_next_midnight(tmp_path, cdf_reader):
    (tmp_path / "made.csv").write_text("date,hours of day,n\n2016-12-31,24,1\n")
    days = TimeRange(datetime(2016, 12, 31), datetime(2017, 1, 2))
    table = cdf_reader.read(tmp_path / "made.csv", ["n"], days)["n"]
    assert table.epoch.tolist() == [np.datetime64("2017-01-01", "ns").astype(int)]


@pytest.mark.parametrize("days", ["year,month,day", "date", "year,doy"])
@pytest.mark.parametrize(
    ("title", "missing"), [("minute", "hour"), ("minute [min]", "hour"), ("second", "minute")]
)
def test_a_part_of_the_time_of_day_without_the_one_before_is_refused(read, days, title, missing):
    day = {"year,month,day": "2024,5,10", "date": "2024-05-10", "year,doy": "2024,131"}[days]
    cells = [f"{day},{i}" for i in range(60)]
    with pytest.raises(
        DamagedFile, match=rf"no column gives the {missing}, and no value is above 59"
    ) as refusal:
        read(f"{days},{title},n\n{rows(*cells)}")
    assert refusal.value.advice
    past = read(f"{days},{title},n\n{rows(*cells, f'{day},60')}")
    assert past[-1] == ("2024-05-10T01:00:00" if missing == "hour" else "2024-05-10T00:01:00")


# Parquet

MINUTES = [time(6, 5), time(6, 6)]
EPOCHS = np.array(["2024-05-10T06:05", "2024-05-10T06:06"], "M8[ns]")


@pytest.fixture
def epochs(tmp_path, cdf_reader):
    """Write a Parquet file and give the epochs of its parameter n."""

    def ask(columns):
        pq.write_table(pa.table({**columns, "n": [1.0, 2.0]}), tmp_path / "made.parquet")
        return cdf_reader.read(tmp_path / "made.parquet", ["n"], DAY)["n"].epoch

    return ask


@pytest.mark.parametrize(
    "columns",
    [
        {"date": pa.array([date(2024, 5, 10)] * 2), "time": pa.array(MINUTES)},
        {"date": pa.array([datetime(2024, 5, 10)] * 2), "time": pa.array(MINUTES, pa.time32("s"))},
        {"date": pa.array([datetime(2024, 5, 10)] * 2, pa.timestamp("ns")), "time": ["06:05", "06:06"]},
        {"date": ["2024-05-10"] * 2, "UTC": ["06:05:00", "06:06:00"]},
        {"YYYYMMDD": pa.array([20240510] * 2), "HHMM": pa.array([605, 606], pa.int32())},
        {"year": [2024] * 2, "doy": [131] * 2, "hour": [6, 6], "minute": [5, 6]},
        {
            "year": [2024.0] * 2,
            "month": [5.0] * 2,
            "day": [10.0] * 2,
            "hour": [6.0] * 2,
            "minute": [5.0, 6.0],
        },
        {"date": [20240510] * 2, "time [s]": pa.array([21900, 21960], pa.float32())},
        {
            "time_tai": pa.array([datetime(2024, 5, 10, 6, 6), datetime(2024, 5, 10, 6, 7)]),
            "time_utc": pa.array([datetime(2024, 5, 10, 6, 5), datetime(2024, 5, 10, 6, 6)]),
        },
        {"date": pa.array([datetime(2024, 5, 10, 6, 5), datetime(2024, 5, 10, 6, 6)]), "hour": [9, 9]},
        {"time (UTC+2)": pa.array([datetime(2024, 5, 10, 8, 5), datetime(2024, 5, 10, 8, 6)])},
    ],
    ids=range(11),
)
def test_times_in_several_columns_of_parquet(epochs, columns):
    np.testing.assert_array_equal(epochs(columns), EPOCHS)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"date": ["2024-05-10"] * 2, "time": [1, 2]}, "the meaning of 'time' next to 'date' is not clear"),
        ({"time": ["06:05", "06:06"]}, "no column gives the date"),
        ({"time_tai": pa.array([datetime(2024, 5, 10)] * 2)}, "'time_tai' holds times in TAI"),
        ({"time (GPS)": ["2024-05-10T06:05", "2024-05-10T06:06"]}, r"'time \(GPS\)' holds times in GPS"),
        (
            {"time": pa.array([datetime(2024, 5, 10)] * 2), "offset": ["+02:00"] * 2},
            r"'offset' gives '\+02:00' as the offset from UTC",
        ),
        (
            {"time": pa.array([datetime(2024, 5, 10)] * 2), "tz": pa.array(["CET"] * 2).dictionary_encode()},
            "'tz' gives 'CET'",
        ),
        ({"time": ["2024-05-10T06:05"] * 2, "tz_offset_hours": [2, 2]}, "'tz_offset_hours' gives '2'"),
        (
            {"local time": pa.array([datetime(2024, 5, 10)] * 2)},
            "are local times, and the file does not give their offset",
        ),
        (
            {"date": pa.array([date(2024, 5, 10), None]), "time": pa.array(MINUTES)},
            "record 1: the time is missing",
        ),
        ({"year": [2024, 2024], "doy": pa.array(["a", "b"])}, "record 0: 'a' is not a number"),
    ],
)
def test_times_of_parquet_that_are_not_understood_are_refused(epochs, columns, said):
    with pytest.raises(DamagedFile, match=said) as refusal:
        epochs(columns)
    assert refusal.value.advice
    assert "made.parquet" in str(refusal.value)
