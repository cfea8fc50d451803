"""What HAPI servers say of datasets and send of them, without any server."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio.errors import DamagedFile, NoData, Refused, ServerUnavailable, UnknownDataset
from helio.sources import hapi_reply
from helio.sources.cdf import CdfReader
from helio.sources.hapi_data import Records, epochs_of, read_records, table_of
from helio.sources.hapi_info import HapiParameter, Info, duration_of, read_info, time_of
from helio.sources.samples import sample_folder
from helio.time_range import TimeRange
from tests.rows import in_one_test

TIME = HapiParameter("Time", "isotime", length=24)
SCALAR = HapiParameter("V", "double", fill="-1e31")
START, STOP = "2024-01-01Z", "2024-12-31Z"


def info(*parameters: dict[str, Any], **about: Any) -> Info:
    time = {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": 24}
    said = {"startDate": START, "stopDate": STOP, "parameters": [time, *parameters], **about}
    return read_info("ONE", said, "http://host/hapi/info")


def records(one: HapiParameter, values: Any, **beside: Any) -> Records:
    array = np.asarray(values, float)
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(array.shape[0]).astype("m8[s]")
    return Records(
        epoch, {one.name: array} | {name: np.asarray(numbers, float) for name, numbers in beside.items()}
    )


# Times


@in_one_test(
    ("text", "expected"),
    [
        ("2024-05-10T06:07:08.123Z", "2024-05-10T06:07:08.123"),
        ("2024-05-10T06:07:08.123456789Z", "2024-05-10T06:07:08.123456789"),
        ("2024-05-10T06:07:08.1234567899Z", "2024-05-10T06:07:08.123456789"),
        ("2024-05-10T06:07:08.Z", "2024-05-10T06:07:08"),
        ("2024-05-10T06:07:08Z", "2024-05-10T06:07:08"),
        ("2024-05-10T06:07:08", "2024-05-10T06:07:08"),
        ("2024-05-10T06:07Z", "2024-05-10T06:07"),
        ("2024-05-10T06Z", "2024-05-10T06:00"),
        ("2024-05-10Z", "2024-05-10"),
        ("2024-05-10", "2024-05-10"),
        ("2024-05Z", "2024-05-01"),
        ("2024Z", "2024-01-01"),
        ("2024-131T06:07:08.5Z", "2024-05-10T06:07:08.5"),
        ("2024-131T06Z", "2024-05-10T06:00"),
        ("2024-131Z", "2024-05-10"),
        ("2024-366Z", "2024-12-31"),
        ("2024-05-10T24:00:00Z", "2024-05-11"),
        ("2024-131T24:00Z", "2024-05-11"),
        ("2024-12-31T23:59:60Z", "2025-01-01"),
        ("2024-366T23:59:60.500Z", "2025-01-01T00:00:00.5"),
        ("1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999"),
        ("1678-01-01Z", "1678-01-01"),
        ("2261-12-31T23:59:59Z", "2261-12-31T23:59:59"),
    ],
)
def test_every_form_of_a_time_is_understood(text, expected):
    found = epochs_of(np.array([text.encode()] * 3))
    assert found.dtype == np.dtype("M8[ns]")
    assert found.tolist() == np.array([expected] * 3, "M8[ns]").tolist()
    if len(text) < 27:
        assert time_of(text) == np.datetime64(expected, "us").item()


@in_one_test(
    "text",
    [
        "", " ", "Z", "NaN", "2024-13Z", "2024-02-30Z", "2023-02-29Z", "2023-366Z", "2024-000Z", "2024-00Z",
        "2024-05-10T25Z", "2024-05-10T24:00:01Z", "2024-05-10T06:60Z", "2024-05-10T06:07:61Z", "24-05-10Z",
        "2024-05-10 06:07Z", "2024-05-10T06:07:08+01:00", "1677-12-31Z", "2262-01-01Z", "0000-01-01Z",
    ],
)  # fmt: skip
def test_what_is_no_time_is_said_to_be_none(text):
    with pytest.raises(DamagedFile, match="is not a time"):
        epochs_of(np.array([text.encode()], "S30"))


def test_one_wrong_time_among_many_is_named():
    texts = [b"2024-05-10T00:00:00Z"] * 1000
    texts[700] = b"2024-05-10T00:x0:00Z"
    with pytest.raises(DamagedFile, match="2024-05-10T00:x0:00Z"):
        epochs_of(np.array(texts))


def test_times_of_several_lengths_are_read_each_by_its_form():
    found = epochs_of(np.array([b"2024-05-10Z", b"2024-05-10T06Z", b"2024-05-11Z"]))
    assert found.tolist() == np.array(["2024-05-10T00", "2024-05-10T06", "2024-05-11T00"], "M8[ns]").tolist()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT16S", 16),
        ("PT0.5S", 0.5),
        ("P1D", 86_400),
        ("P1DT1M", 86_460),
        ("P1W", 604_800),
        ("P1Y", 31_557_600),
    ],
)
def test_cadences_are_durations(text, seconds):
    assert duration_of(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "P", "PT", "16", "PT-1S", "PT0S", "1 minute"])
def test_what_is_no_duration_says_nothing(text):
    assert duration_of(text) is None


# Records


def test_binary_and_csv_hold_the_same_records():
    wanted = [
        TIME,
        HapiParameter("I", "integer", fill="-2147483648"),
        HapiParameter("M", "double", (2, 2), fill="NaN"),
    ]
    layout = np.dtype([("0", "S24"), ("1", "<i4"), ("2", "<f8", (2, 2))])
    array = np.zeros(3, layout)
    array["0"] = [b"2024-05-10T00:00:00.000Z", b"2024-05-10T00:00:01.000Z", b"2024-05-10T00:00:02.000Z"]
    array["1"] = [1, -(2**31), 3]
    array["2"] = np.arange(12).reshape(3, 2, 2) / 7
    array["2"][1, 0, 1] = np.nan
    lines = [
        ",".join([row[0].decode(), str(row[1]), *(repr(float(value)) for value in row[2].ravel())])
        for row in array
    ]
    one = read_records(array.tobytes(), "binary", wanted)
    other = read_records("\r\n".join(lines).encode(), "csv", wanted)
    assert np.array_equal(one.epoch, other.epoch)
    for name in ("I", "M"):
        assert np.array_equal(one.values[name], other.values[name], equal_nan=True)
    assert np.isnan(one.values["I"]).tolist() == [False, True, False]
    assert one.values["M"][2, 1, 0] == 10 / 7


@pytest.mark.parametrize(
    ("fill", "raw", "missing"),
    [
        ("-1e31", [-1e31, 1.0], [True, False]),
        ("-1.0E31", [-9.999999848243207e30, 1.0], [True, False]),  # single precision, widened
        ("-9.999999848243207e+30", [-9.999999848243207e30, -1e30], [True, False]),
        ("999.9", [999.9, 999.90001], [True, False]),
        ("NaN", [np.nan, 1.0], [True, False]),
        (None, [-1e31, 1.0], [False, False]),
        ("none", [-1e31, 1.0], [False, False]),
    ],
)
def test_fill_is_found_by_equality(fill, raw, missing):
    one = HapiParameter("V", "double", fill=fill)
    body = b"".join(
        f"2024-05-10T00:00:0{second}.000Z".encode() + np.float64(value).tobytes()
        for second, value in enumerate(raw)
    )
    found = read_records(body, "binary", [TIME, one])
    assert np.isnan(found.values["V"]).tolist() == missing
    assert bool(found.notes) == (fill == "none")


def test_an_integer_whose_fill_no_integer_can_have_has_none():
    one = HapiParameter("I", "integer", fill="-1e31")
    body = b"2024-05-10T00:00:00.000Z" + np.int32(-1).tobytes()
    assert read_records(body, "binary", [TIME, one]).values["I"].tolist() == [-1]


@pytest.mark.parametrize("fill", [999.9, float(np.array(3.5).byteswap())])
def test_the_fill_in_neither_order_of_its_bytes_speaks_for_the_order_of_the_numbers(fill):
    right, swapped = np.array(fill), np.array(fill).byteswap()
    missing = right if 1 < abs(right) < 1e4 else swapped  # the one that looks like a measurement
    numbers = [missing, missing, missing, *np.array([1.5, 2.5]).byteswap()]
    body = b"".join(
        f"2024-05-10T00:00:0{second}.000Z".encode() + number.tobytes()
        for second, number in enumerate(numbers)
    )
    with pytest.raises(DamagedFile, match="little-endian"):
        read_records(body, "binary", [TIME, HapiParameter("V", "double", fill=repr(fill))])


@pytest.mark.parametrize("cut", [1, 8, 31])
def test_a_binary_body_that_ends_within_a_record_is_damaged(cut):
    body = (b"2024-05-10T00:00:00.000Z" + bytes(8)) * 2
    with pytest.raises(DamagedFile, match="not a whole number of records of 32"):
        read_records(body[:-cut], "binary", [TIME, SCALAR])


@pytest.mark.parametrize(
    "body", [b"2024-05-10Z,1,2\n", b"2024-05-10Z\n", b"2024-05-10Z,one\n", b"2024-05-10Z,1\n2024-05-11Z\n"]
)
def test_a_csv_body_that_is_not_what_is_described_is_damaged(body):
    with pytest.raises(DamagedFile, match="a time and 1 number in each"):
        read_records(body, "csv", [TIME, SCALAR])


@pytest.mark.parametrize("form", ["binary", "csv"])
def test_an_empty_body_has_no_records(form):
    found = read_records(b"", form, [TIME, SCALAR, HapiParameter("B", "double", (3,))])
    assert found.epoch.size == 0
    assert found.values["B"].shape == (0, 3)


def test_a_reply_without_records_has_bins_that_change_all_the_same():
    said = {"name": "F", "type": "double", "units": "1", "fill": None, "size": [3]}
    bins = [{"name": "E", "units": "keV", "centers": "Centers", "ranges": "Edges"}]
    beside = [
        {"name": name, "type": "double", "units": "keV", "fill": None, "size": size}
        for name, size in (("Centers", [3]), ("Edges", [3, 2]))
    ]
    about = info({**said, "bins": bins}, *beside)
    table = table_of(about.parameter("F"), read_records(b"", "binary", about.together("F")))
    assert table.values.shape == (0, 3)


def test_epochs_in_disorder_are_put_in_order_and_repeated_ones_left_out():
    body = b"2024-05-10T02Z,2\n2024-05-10T01Z,1\n2024-05-10T02Z,3\n2024-05-10T03Z,4\n"
    found = read_records(body, "csv", [TIME, SCALAR])
    assert found.values["V"].tolist() == [1, 2, 4]
    assert found.notes == (
        "time runs backwards 1 time in the reply; helio sorted the records by time",
        "1 record repeats an epoch; the first record of each epoch was kept",
        "1 repeated record differs from the first record of the same epoch, by up to 1",
    )


def test_equal_records_that_repeat_an_epoch_are_not_said_to_differ():
    body = b"2024-05-10T01Z,1\n2024-05-10T01Z,1\n2024-05-10T02Z,nan\n2024-05-10T02Z,nan\n"
    found = read_records(body, "csv", [TIME, SCALAR])
    assert found.notes == ("2 records repeat an epoch; the first record of each epoch was kept",)


def test_of_several_parameters_the_one_whose_repeated_records_differ_is_named():
    vector = HapiParameter("B", "double", (3,))
    body = b"2024-05-10T01Z,1,1,2,3\n2024-05-10T01Z,1,1,2,5\n2024-05-10T01Z,1,1,2,nan\n"
    found = read_records(body, "csv", [TIME, SCALAR, vector])
    assert found.values["B"].tolist() == [[1, 2, 3]]
    assert found.notes == (
        "2 records repeat an epoch; the first record of each epoch was kept",
        "B: 2 repeated records differ from the first record of the same epoch, by up to 2; "
        "in 1 pair only one record has a value",
    )


def test_spaces_quotes_and_empty_cells_of_csv_are_tolerated():
    found = read_records(b'"2024-05-10Z", 1.5\n 2024-05-11Z,\n', "csv", [TIME, SCALAR])
    assert found.values["V"][0] == 1.5
    assert np.isnan(found.values["V"][1])
    assert found.notes == ("empty values in the reply: 1; they count as missing",)


# Tables


def test_what_servers_call_a_vector_is_one():
    def components(**said: Any) -> tuple[tuple[str, ...], str, str, str]:
        one = info(
            {"name": "B", "type": "double", "units": "nT", "fill": None, "size": [3], **said}
        ).parameter("B")
        table = table_of(one, records(one, np.zeros((2, 3))))
        return table.components, table.frame, table.name, table.representation

    numbers, xyz = ("1", "2", "3"), ("x", "y", "z")
    assert components() == (numbers, "", "B", "")
    assert components(description="Magnetic field vector, GSM") == (numbers, "GSM", "B", "")
    assert components(coordinateSystemName="GSE") == (numbers, "GSE", "B", "")
    assert components(coordinateSystemName="RTN", vectorComponents=["x", "y", "z"]) == (
        xyz,
        "RTN",
        "B",
        "cartesian",
    )
    assert components(vectorComponents=["r", "latitude", "longitude"]) == (
        ("r", "latitude", "longitude"),
        "",
        "B",
        "spherical",
    )
    assert components(vectorComponents=["r", "colatitude", "longitude"], label=["V1", "V2", "V3"]) == (
        ("V1", "V2", "V3"),
        "",
        "V",
        "spherical",
    )
    assert components(label=["Bx (GSE)", "By (GSE)", "Bz (GSE)"]) == (
        ("Bx", "By", "Bz"),
        "GSE",
        "B",
        "cartesian",
    )
    assert components(label="B field") == (numbers, "", "B field", "")
    assert components(vectorComponents=["x", "other", "other"]) == (numbers, "", "B", "")


def test_units_may_be_one_or_one_per_element():
    def unit(units: Any) -> tuple[str, int]:
        one = info({"name": "B", "type": "double", "units": units, "fill": None, "size": [2]}).parameter("B")
        table = table_of(one, records(one, np.zeros((2, 2))))
        return table.unit, len(table.notes)

    assert unit("nT") == ("nT", 0)
    assert unit(["nT"]) == ("nT", 0)
    assert unit(["nT", "nT"]) == ("nT", 0)
    assert unit(["nT", "degrees"]) == ("", 1)
    assert unit(None) == ("", 0)


def test_matrices_have_named_elements_and_other_dimensions_are_numbered():
    matrix = HapiParameter("T", "double", (3, 3))
    table = table_of(matrix, records(matrix, np.arange(18).reshape(2, 3, 3)))
    assert table.components[:4] == ("xx", "xy", "xz", "yx")
    assert table.values[0].tolist() == list(range(9))
    other = HapiParameter("S", "double", (2, 5))
    axes = table_of(other, records(other, np.zeros((2, 2, 5)))).axes
    assert [(axis.bins, axis.unit) for axis in axes] == [(2, ""), (5, "")]


def test_one_element_is_a_scalar():
    one = info({"name": "V", "type": "double", "units": "nT", "fill": None, "size": [1]}).parameter("V")
    assert one.size == ()
    assert table_of(one, records(one, np.zeros(2))).kind == "scalar"


@pytest.mark.parametrize("ranges", ["by bin", "two rows"])
def test_bins_of_which_only_the_edges_are_given_have_their_middle(ranges):
    edges = np.tile([[1.0, 4.0], [4.0, 16.0], [16.0, 64.0]], (2, 1, 1))
    edges[1] *= 2
    said = {"name": "F", "type": "double", "units": "1", "fill": None, "size": [3]}
    bins = [{"name": "E", "units": "keV", "ranges": "Edges"}]
    size = [3, 2] if ranges == "by bin" else [2, 3]
    one = info(
        {**said, "bins": bins},
        {"name": "Edges", "type": "double", "units": "keV", "fill": None, "size": size},
    ).parameter("F")
    beside = edges if ranges == "by bin" else edges.transpose(0, 2, 1)
    [axis] = table_of(one, records(one, np.zeros((2, 3)), Edges=beside)).axes
    assert axis.centers.tolist() == [[2, 8, 32], [4, 16, 64]]
    assert axis.lower[1].tolist() == [2, 8, 32]


def test_a_dimension_that_is_not_binned_and_bins_of_another_number_are_numbered():
    bins = [{"name": "E", "units": "keV", "centers": None}, {"name": "A", "units": "deg", "centers": [1, 2]}]
    said = {"name": "F", "type": "double", "units": "1", "fill": None, "size": [2, 3], "bins": bins}
    one = info(said).parameter("F")
    table = table_of(one, records(one, np.zeros((2, 2, 3))))
    assert [axis.label for axis in table.axes] == ["bin", "bin"]
    assert "'A' does not have 3 bins; helio numbers the bins instead" in table.notes


def test_references_stand_for_what_they_name():
    said = {
        "name": "F", "type": "double", "units": {"$ref": "#/definitions/unit"}, "fill": None, "size": [2],
        "bins": [{"$ref": "#/definitions/bins"}],
    }  # fmt: skip
    definitions = {"unit": "1/s", "bins": {"name": "Energy", "units": "keV", "centers": [15, 25]}}
    one = info(said, definitions=definitions).parameter("F")
    assert one.units == ("1/s",)
    assert one.bins[0].centers == (15, 25)


# Infos


def test_what_is_no_info_is_damaged():
    for refused_info in (
        {},
        {"startDate": START, "stopDate": STOP, "parameters": []},
        {"startDate": START, "stopDate": "later", "parameters": [{"name": "Time", "type": "isotime"}]},
        {"startDate": START, "stopDate": STOP, "parameters": [{"name": "B", "type": "double"}]},
        {"startDate": START, "stopDate": STOP, "parameters": ["Time"]},
    ):
        with pytest.raises(DamagedFile) as caught:
            read_info("ONE", refused_info, "http://host/hapi/info")
        assert caught.value.place == "http://host/hapi/info"


@pytest.mark.parametrize(
    ("about", "doi"),
    [
        ({"citation": "https://doi.org/10.48322/e0dc-0h53"}, "10.48322/e0dc-0h53"),
        ({"resourceID": "doi:10.48322/e0dc-0h53."}, "10.48322/e0dc-0h53"),
        ({"resourceID": "spase://NASA/NumericalData/ACE"}, ""),
    ],
)
def test_a_doi_is_found_where_servers_write_it(about, doi):
    assert info(**about).doi == doi


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        ("N. Ness @ Bartol Research Institute", ("N. Ness", "Bartol Research Institute")),
        ("gin@bgs.ac.uk", ("", "")),
        ("The help desk", ("", "")),
    ],
)
def test_a_contact_is_an_investigator_only_as_cdaweb_writes_one(contact, expected):
    found = info(contact=contact)
    assert (found.pi, found.affiliation) == expected


def test_bins_with_a_null_among_them_are_numbered_and_the_rest_can_be_read():
    bins = [{"name": "E", "units": "keV", "centers": [1, None, 3]}]
    one = info(
        {"name": "F", "type": "double", "units": "1", "fill": None, "size": [3], "bins": bins}
    ).parameter("F")
    table = table_of(one, records(one, np.zeros((2, 3))))
    assert table.notes[0] == "'E' does not have 3 bins; helio numbers the bins instead"


# Statuses


@in_one_test(
    ("http", "reason", "body", "code"),
    [
        (200, "OK", b"", 1200),
        (200, "OK; HAPI 1201 OK - no data for time range", b"", 1201),
        (204, "", b"", 1201),
        (200, "OK", b'{"HAPI": "2.0", "status": {"code": 1405, "message": "x"}}', 1405),
        (404, "Not Found; HAPI 1406 Bad request", b"<html>", 1406),
        (400, "HAPI error 1408: too much", b"", 400),
        (413, "Payload Too Large", b"", 1408),
        (404, "Not Found", b"", 404),
    ],
)
def test_a_status_is_found_in_the_body_then_in_the_line_of_http(http, reason, body, code):
    assert hapi_reply.status_of(http, reason, body).code == code


def test_each_status_has_its_error():
    kinds = {
        1201: NoData, 1405: NoData, 1406: UnknownDataset, 1408: Refused, 1400: Refused, 1499: Refused,
        1500: ServerUnavailable, 1501: ServerUnavailable, 404: Refused, 1700: DamagedFile,
    }  # fmt: skip
    for code, kind in kinds.items():
        assert type(hapi_reply.error_of(hapi_reply.Status(code, "why"), "host", "V", "http://host")) is kind


# Real replies


@pytest.fixture(scope="session")
def hapi_samples(archive: Path) -> Path:
    folder = archive.parent / "hapi"
    if not folder.is_dir():
        pytest.skip("beside HELIO_TEST_ARCHIVE there is no folder hapi of real replies")
    return folder


def sample(path: Path) -> tuple[Info, bytes]:
    """A body that begins with its header."""
    body = path.read_bytes()
    header, data = hapi_reply.split_header(body)
    return read_info(path.stem, {"startDate": START, "stopDate": STOP, **header}, str(path)), data


@pytest.mark.archive
def test_real_replies_in_both_formats_hold_the_same_numbers(hapi_samples: Path):
    stem = hapi_samples / "speasy_samples" / "HAPI_ndData_TimeIndependent_Axis"
    about, binary = sample(stem.with_suffix(".binary"))
    _, text = sample(stem.with_suffix(".csv"))
    one = read_records(binary, "binary", about.parameters)
    other = read_records(text, "csv", about.parameters)
    assert other.epoch.size == 19
    assert np.array_equal(one.epoch[:19], other.epoch)
    assert np.array_equal(one.values["ace_epam_de_e"][:19], other.values["ace_epam_de_e"])
    [axis] = table_of(about.parameter("ace_epam_de_e"), one).axes
    assert (axis.label, axis.unit, axis.lower[0]) == ("Energy", "MeV", 0.038)


@pytest.mark.archive
def test_a_real_reply_that_breaks_off_is_damaged(hapi_samples: Path):
    about, text = sample(hapi_samples / "speasy_samples" / "HAPI_ndData_TimeVarying_Axis.csv")
    with pytest.raises(DamagedFile, match="Expected 41 columns, got 21"):
        read_records(text, "csv", about.parameters)


@pytest.mark.archive
@pytest.mark.parametrize("folder", ["AC_K0_EPM", "OMNI2_H0_MRG1HR"])
def test_real_binary_replies_are_the_same_written_as_csv(hapi_samples: Path, folder: str):
    from helio.testing import recorded

    served = recorded(hapi_samples / folder)
    about = read_info(folder, served.info(), folder)
    names = [described.name for described in about.parameters]
    edges = served.epoch[0], served.epoch[-1] + np.timedelta64(1, "ns")
    one = read_records(served.body(names, *edges, "binary"), "binary", about.parameters)
    other = read_records(served.body(names, *edges, "csv"), "csv", about.parameters)
    assert one.epoch.size == {"AC_K0_EPM": 2880, "OMNI2_H0_MRG1HR": 888}[folder]
    for name in about.numbers():
        parameter = about.parameter(name)
        assert table_of(parameter, one).digest() == table_of(parameter, other).digest()


@pytest.mark.archive
def test_the_storm_of_november_2021_is_in_the_real_reply(hapi_samples: Path):
    from helio.testing import recorded

    served = recorded(hapi_samples / "OMNI2_H0_MRG1HR")
    about = read_info("OMNI2_H0_MRG1HR", served.info(), "")
    names = [parameter.name for parameter in about.parameters]
    body = served.body(names, served.epoch[0], served.epoch[-1], "binary")
    dst = read_records(body, "binary", about.parameters)
    lowest = int(np.nanargmin(dst.values["DST1800"]))
    assert dst.values["DST1800"][lowest] == -105
    assert str(dst.epoch[lowest]).startswith("2021-11-04T13:30")


def test_a_vector_of_ace_is_the_same_over_hapi_as_from_its_file(cdf_reader: CdfReader):
    path = sample_folder() / "ac_k2_mfi_20220101_v03.cdf"
    day = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
    expected = cdf_reader.read(path, ["BGSEc"], day)["BGSEc"]
    one = info(
        {
            "name": "BGSEc", "type": "double", "units": expected.unit, "fill": "-1.0E31", "size": [3],
            "label": ["Bx (GSE)", "By (GSE)", "Bz (GSE)"], "description": expected.description,
        }
    ).parameter("BGSEc")  # fmt: skip
    values = np.where(np.isnan(expected.values), np.float32(-1e31), expected.values).astype(float)
    body = b"".join(
        f"{np.datetime_as_string(epoch, unit='ms')}Z".encode() + row.tobytes()
        for epoch, row in zip(expected.epoch, values, strict=True)
    )
    found = table_of(one, read_records(body, "binary", [TIME, one]))
    assert np.array_equal(found.epoch, expected.epoch.astype("M8[ms]"))
    assert np.array_equal(found.values, expected.values, equal_nan=True)
    for what in ("unit", "components", "frame", "name", "scale", "description"):
        assert getattr(found, what) == getattr(expected, what), what
