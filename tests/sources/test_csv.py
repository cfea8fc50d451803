"""CSV with a header, read through the worker: strictly, and refused in words."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, DataError, NoData, UnknownParameter
from helio.time_range import TimeRange

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
ROWS = "2024-05-10T00:00:00Z,1\n2024-05-10T00:01:00Z,2\n"


@pytest.fixture
def read(tmp_path, cdf_reader):
    """Write text or bytes as a file and read one of its parameters."""

    def ask(content, name="n", time_range=DAY):
        path = tmp_path / "made.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return cdf_reader.read(path, [name], time_range)[name]

    return ask


def values(table):
    return table.values.tolist()


def times(table):
    return np.datetime_as_string(table.epoch, unit="s").tolist()


@pytest.mark.parametrize(
    "title", ["time", "Epoch", "DATE", "datetime", "Time (UTC)", "timestamp", "date_time", "when"]
)
def test_the_first_column_holds_the_times(read, title):
    table = read(f"{title},n\n{ROWS}")
    assert times(table) == ["2024-05-10T00:00:00", "2024-05-10T00:01:00"]
    assert values(table) == [1.0, 2.0]


def test_a_column_that_is_called_time_is_it_wherever_it_stands(read):
    assert times(read("n,time\n1,2024-05-10\n")) == ["2024-05-10T00:00:00"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2024-05-10", "2024-05-10T00:00:00"),
        ("2024-05-10 06:00", "2024-05-10T06:00:00"),
        ("2024-05-10T06:00:00+02:00", "2024-05-10T04:00:00"),
        ("2024-131T06:00:00Z", "2024-05-10T06:00:00"),
        ("2024-05-09T24:00:00Z", "2024-05-10T00:00:00"),
        (" 2024-05-10T06:00:00.5 ", "2024-05-10T06:00:00"),
    ],
)
def test_times_are_iso_8601_and_utc(read, written, meant):
    assert times(read(f"time,n\n{written},1\n")) == [meant]


def test_times_of_several_forms_in_one_column(read):
    table = read("time,n\n2024-05-10,1\n2024-05-10T01:00:00Z,2\n2024-131T02:00:00.000000001,3\n")
    assert values(table) == [1.0, 2.0, 3.0]
    assert table.epoch[2] == np.datetime64("2024-05-10T02:00:00.000000001")


@pytest.mark.parametrize(
    ("title", "name", "unit"),
    [
        ("Bx [nT]", "Bx", "nT"),
        ("Bx (nT)", "Bx", "nT"),
        ("Bx (GSE) [nT]", "Bx (GSE)", "nT"),
        ("Bx (GSE)", "Bx (GSE)", ""),
        ("flux [cm^-2 s^-1 sr^-1 (MeV/n)^-1]", "flux", "cm^-2 s^-1 sr^-1 (MeV/n)^-1"),
        ("Kp", "Kp", ""),
    ],
)
def test_a_title_gives_name_and_unit(read, title, name, unit):
    table = read(f"time,{title}\n{ROWS}", name)
    assert (table.name, table.unit, table.kind) == (name, unit, "scalar")
    assert values(read(f"time,{title}\n{ROWS}", title)) == [1.0, 2.0]


def test_three_columns_are_three_scalars_unless_the_header_says_otherwise(read, cdf_reader, tmp_path):
    read("time,Bx [nT],By [nT],Bz [nT]\n2024-05-10,1,2,3\n", "Bx")
    assert cdf_reader.describe(tmp_path / "made.csv").parameters == ("Bx", "By", "Bz")


def test_empty_cells_and_nan_are_missing(read):
    table = read(
        "time,n\n2024-05-10T00:00Z,\n2024-05-10T00:01Z,nan\n2024-05-10T00:02Z, NaN \n2024-05-10T00:03Z, 4 \n"
    )
    np.testing.assert_array_equal(table.values, [np.nan, np.nan, np.nan, 4.0])


@pytest.mark.parametrize(
    "line", ["fill: -9999", "FILLVAL = -9999", "missing value: -9999.0", "fill values: -9999, 99"]
)
def test_a_fill_is_one_where_the_header_says_so(read, line):
    assert np.isnan(read(f"# {line}\ntime,n\n2024-05-10,-9999\n2024-05-10T01:00,5\n").values).tolist() == [
        True,
        False,
    ]


def test_a_number_that_looks_like_fill_stays_where_nobody_says_so(read):
    assert values(read("time,n\n2024-05-10,-9999\n")) == [-9999.0]


def rows_of(*numbers: float) -> str:
    return "time,Bz [nT]\n" + "".join(f"2024-05-10T00:{i:02}Z,{number}\n" for i, number in enumerate(numbers))


def test_a_repeated_value_of_nines_far_above_all_others_is_noted_and_kept(read):
    numbers = [1.5, -4.0, 99999.9, 2.0, 99999.9, 99999.9]
    table = read(rows_of(*numbers), "Bz")
    assert values(table) == numbers
    assert table.notes == (
        "3 values of Bz are 99999.9; if 99999.9 is a fill value, write a line '# fill: 99999.9' at the top of the file",
    )
    stated = read("# fill: 99999.9\n" + rows_of(*numbers), "Bz")
    assert (np.isnan(stated.values).sum(), stated.notes) == (3, ())


@pytest.mark.parametrize(
    "numbers",
    [
        (1.0, 2.0, 99999.9),
        (1.0, 999.0, 999.0),
        (1.0, 99999.8, 99999.8),
        (1.0, 20000.0, 99999.9, 99999.9),
        (1.0, 2.0, 3.0),
    ],
)
def test_other_large_values_are_no_fill(read, numbers):
    assert read(rows_of(*numbers), "Bz").notes == ()


def test_infinities_are_kept_and_said(read):
    table = read("time,n\n2024-05-10,inf\n2024-05-10T01,-1e400\n2024-05-10T02,1\n2024-05-10T03,\n")
    assert values(table)[:3] == [np.inf, -np.inf, 1.0]
    [note] = table.notes
    assert "infinite values" in note
    assert "2 of 4; they stay in the table" in note
    assert read(f"time,n\n{ROWS}").notes == ()


def test_comments_and_blank_lines_may_stand_anywhere(read):
    text = "# one\n\n# two\ntime,n\n# three, with, commas\n2024-05-10T00:00:00Z,1\n\n# four,5\n2024-05-10T00:01:00Z,2\n"
    assert values(read(text)) == [1.0, 2.0]


def test_line_ends_of_windows_and_a_byte_order_mark_make_no_difference(read):
    assert values(read(f"\ufefftime,n\n{ROWS}".replace("\n", "\r\n"))) == [1.0, 2.0]


def test_a_last_line_without_an_end_is_a_line(read):
    assert values(read(f"time,n\n{ROWS}".rstrip())) == [1.0, 2.0]


def test_quoted_titles_and_texts_hold_commas(read):
    assert values(read('time,"n, total [cm^-3]",word\n2024-05-10,1,"a,b"\n', "n, total")) == [1.0]


def test_a_gap_stays_a_gap_and_order_is_restored(read):
    table = read(
        "time,n\n2024-05-10T05:00Z,3\n2024-05-10T00:01Z,2\n2024-05-10T00:00Z,1\n2024-05-10T00:01Z,9\n"
    )
    assert values(table) == [1.0, 2.0, 3.0]
    assert table.notes == (
        "time runs backwards 2 times in the file; helio sorted the records by time",
        "1 record repeats an epoch; the first record of each epoch was kept",
        "1 repeated record differs from the first record of the same epoch, by up to 7",
    )


def test_the_range_is_half_open(read):
    assert values(
        read(f"time,n\n{ROWS}", time_range=TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 1)))
    ) == [1.0]


def test_texts_are_no_parameters_and_are_refused_by_their_line(read, cdf_reader, tmp_path):
    text = "# c\ntime,n,word\n2024-05-10,1,good\n2024-05-11,2,bad\n"
    with pytest.raises(
        UnknownParameter, match=r"'word' does not hold numbers: 'good' in line 3 of 'made.csv'"
    ):
        read(text, "word")
    assert cdf_reader.describe(tmp_path / "made.csv").parameters == ("n",)


def test_an_unknown_column_gets_the_closest_name(read):
    with pytest.raises(UnknownParameter) as refusal:
        read("time,density\n2024-05-10,1\n", "densety")
    assert refusal.value.advice == "did you mean 'density'?"


def test_two_columns_of_one_name_are_told_apart_by_their_titles(read):
    text = "time,T [K],T [eV]\n2024-05-10,1,2\n"
    assert values(read(text, "T [eV]")) == [2.0]
    with pytest.raises(UnknownParameter, match=r"matches several columns of 'made.csv': T \[K\], T \[eV\]"):
        read(text, "T")


@pytest.mark.parametrize(
    ("content", "said", "advice"),
    [
        ("time;n\n2024-05-10;1\n", "separated by semicolons", "commas"),
        ("time\tn\n2024-05-10\t1\n", "separated by tabs", "commas"),
        ("time,n\r2024-05-10,1\r", "carriage returns without line feeds", "line ends"),
        (
            "time,n\n2024-05-10,1,5\n",
            "line 2 of 'made.csv' has 3 values, but the file has 2 columns",
            "numbers with a decimal point, such as 1.5",
        ),
        (
            "# c\ntime,n,m\n2024-05-10,1,5\n2024-05-10,1",
            "line 4 of 'made.csv' has 2 values, but the file has 3 columns",
            "cut off",
        ),
        (ROWS, "no header line that names its columns: line 1 holds data", "epoch,Bx"),
        ("# only\n# comments\n", "no header line that names its columns", "epoch,Bx"),
        (
            "time,n\n2024-05-10,1\n10.05.2024,2\n",
            "line 3 of 'made.csv': '10.05.2024' is not a time",
            "2024-05-10T",
        ),
        ("time,n\n2024-05-10,1\n,2\n", "line 3 of 'made.csv': the time is missing", "2024-05-10T"),
        ("time,n\n1492-10-12,1\n", "outside the years 1677 to 2262", "2024-05-10T"),
        ("time [s],n\n0.5,1\n", "'0.5' is not a time", "2024-05-10T"),
        (
            "time,n [°]\n2024-05-10,1\n".encode("latin-1"),
            "line 1 of 'made.csv' is not text in UTF-8",
            "UTF-8",
        ),
        (b'time,n\n2024-05-10,"1\n2\n', "line|CSV|numbers", ""),
    ],
)
def test_what_is_not_understood_is_refused_in_words(read, content, said, advice):
    with pytest.raises(DataError, match=said) as refusal:
        read(content)
    assert isinstance(refusal.value, DamagedFile | UnknownParameter)
    assert advice in refusal.value.advice
    assert "made.csv" in str(refusal.value)


def test_a_decimal_comma_is_named_as_one(read):
    with pytest.raises(
        UnknownParameter, match=r"'1,5' in line 2 of 'made.csv', with a decimal comma"
    ) as refusal:
        read('time,n\n2024-05-10,"1,5"\n')
    assert refusal.value.advice == "write numbers with a decimal point, such as 1.5"


def test_a_header_alone_holds_no_records(read):
    with pytest.raises(NoData, match="names its columns but holds no records"):
        read("time,n\n")


def test_a_header_that_helio_wrote_and_somebody_changed_is_refused(read):
    values = '"values": {"dtype": "float64", "columns": ["x", "y"]}'
    line = f'# helio_table: {{"parameter": "B", "components": ["x", "y"], {values}}}'
    assert read(f"{line}\ntime,x,y\n2024-05-10,1,2\n", "B").components == ("x", "y")
    with pytest.raises(DamagedFile, match="do not match the file: KeyError"):
        read(f"{line}\ntime,x,z\n2024-05-10,1,2\n", "B")
    with pytest.raises(DamagedFile, match="do not match the file"):
        read("# helio_table: {nonsense\ntime,x,y\n2024-05-10,1,2\n", "x")


@pytest.mark.slow
def test_many_columns_are_read(read, cdf_reader, tmp_path):
    titles = [f"channel {number} [counts]" for number in range(50_000)]
    numbers = [f"{number}.125" for number in range(50_000)]
    table = read(
        "\n".join([f"time,{','.join(titles)}", *(f"2024-05-1{day},{','.join(numbers)}" for day in (0, 1))]),
        "channel 49999",
    )
    assert table.values.tolist() == [49999.125]
    assert len(cdf_reader.describe(tmp_path / "made.csv").parameters) == 50_000


def test_a_header_that_is_one_endless_text_is_refused(read):
    with pytest.raises(DamagedFile, match=r"line 1 of 'made.csv' cannot be read as names of columns"):
        read('"' + "x" * 200_000 + '",n\n2024-05-10,1\n')


def test_many_records_are_read_in_order(read):
    stamps = np.datetime64("2024-05-10") + np.arange(10**5) * np.timedelta64(10, "ms")
    rows = "".join(f"{stamp},{j}\n" for j, stamp in enumerate(stamps.astype(str).tolist()))
    table = read(f"time,n\n{rows}")
    assert table.values[-1] == 99999.0
    assert len(table) == 10**5


def test_the_example_of_the_documentation_is_a_vector(read):
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    table = read(page.rpartition("```text\n")[2].partition("```")[0], "B")
    assert (table.kind, table.frame, table.unit) == ("vector", "GSE", "nT")
    assert table.values.tolist() == [[3.0, 4.0, 0.0]]
