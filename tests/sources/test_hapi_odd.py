"""What odd HAPI servers say and send: each is read rightly, noted, or refused with a plain sentence."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio.errors import (
    DamagedFile,
    HelioError,
    NoData,
    Refused,
    ReplyTooLarge,
    ServerUnavailable,
    UnknownDataset,
)
from helio.sources.providers import hapi
from helio.sources.providers.hapi import Hapi
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.sources.odd_hapi import FIELD, OK, TIME, OddHapi, csv_lines, csv_reply, info_reply

pytestmark = pytest.mark.slow

DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
BINARY = {"HAPI": "3.2", "status": OK, "outputFormats": ["csv", "binary"]}
LINES = csv_lines()


@pytest.fixture
def fetch(tmp_path: Path, http):
    """Fetch one parameter of a server with these replies."""

    def run(parameter: str = "B", **replies: Any) -> Table:
        with OddHapi(**replies) as server:
            return Hapi(tmp_path / "files", http, url=server.url).fetch("ODD", [parameter], DAY)[parameter]

    return run


def field(**changes: Any) -> dict[str, Any]:
    return FIELD | changes


def status(code: Any, message: str = "no\x1b[2J") -> dict[str, Any]:
    return {"HAPI": "3.2", "status": {"code": code, "message": message}}


def body(lines: list[str], end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


def binary(kind: str = "<f8", start: float = 0.5, step: float = 1.0) -> bytes:
    return b"".join(
        f"2021-10-28T{hour:02d}:00:00.000Z".encode() + np.array([start + hour * step]).astype(kind).tobytes()
        for hour in range(24)
    )


def refuse(fetch, kind: type[HelioError] | tuple[type[HelioError], ...], words: str, **replies: Any) -> None:
    with pytest.raises(kind, match=words) as caught:
        fetch(**replies)
    said = f"{caught.value.message} {caught.value.advice}"
    assert said.isprintable()
    assert caught.value.place or isinstance(caught.value, NoData)


# Statuses


@pytest.mark.parametrize("endpoint", ["capabilities", "info", "data"])
@pytest.mark.parametrize(
    "code", [1400, 1401, 1405, 1406, 1407, 1408, 1409, 1410, 1500, 1501, 1499, 1599, 1700, 7, 0]
)
def test_every_status_in_a_body_is_a_typed_error_without_escape_codes(fetch, endpoint, code):
    with pytest.raises(HelioError) as caught:
        fetch(**{endpoint: status(code)})
    assert str(caught.value).replace("\n", "").isprintable()


@pytest.mark.parametrize("code", ["abc", "", "²", "9" * 5000, None, [1200], {}, True, 1200.5, -1200])
@pytest.mark.parametrize("endpoint", ["capabilities", "info", "data"])
def test_a_status_that_is_no_number_is_refused(fetch, endpoint, code):
    refuse(fetch, DamagedFile, "a status that HAPI does not define", **{endpoint: status(code)})


@pytest.mark.parametrize("code", ["1200", 1200.0])
def test_a_status_written_in_another_way_is_read(fetch, code):
    assert len(fetch(info=info_reply(status={"code": code, "message": "OK"}))) == 24


def test_a_catalogue_that_is_refused_does_not_hide_that_a_dataset_is_unknown(fetch):
    refuse(fetch, UnknownDataset, "no dataset is called", info=status("1406"), catalog=status(1408))


def test_records_after_the_status_no_data_are_refused(fetch):
    header = f"#{json.dumps(info_reply(status={'code': 1201, 'message': 'none'}))}\n".encode()
    refuse(fetch, DamagedFile, "reports that it has no B.*1201", data=header + csv_reply())


# Info


@pytest.mark.parametrize(
    "cadence",
    [
        "PT0.000000001S",
        "PT0S",
        "-PT1S",
        "P1000Y",
        f"P{'9' * 20}Y",
        f"P{'9' * 400}Y",
        "1 minute",
        60,
        ["PT1H"],
        float("nan"),
    ],
)
@pytest.mark.parametrize("member", ["cadence", "maxRequestDuration"])
def test_a_duration_that_cannot_be_used_is_noted(fetch, member, cadence):
    table = fetch(info=info_reply(**{member: cadence}))
    assert len(table) == 24
    assert any(f"the server gives the {member}" in note for note in table.notes)


@pytest.mark.parametrize("changes", [{"maxRequestDuration": "PT1S"}, {"maxRequestDuration": "PT0.000001S"}])
def test_a_short_interval_at_once_does_not_make_requests_without_end(tmp_path, http, changes, monkeypatch):
    assert hapi._MOST_REQUESTS <= 2000
    monkeypatch.setattr(hapi, "_MOST_REQUESTS", 100)
    with OddHapi(info=info_reply(**changes), data=b"") as server:
        with pytest.raises(NoData):
            Hapi(tmp_path / "files", http, url=server.url).fetch("ODD", ["B"], DAY)
        assert len(server.asked("/data")) <= 101


def test_the_requests_of_a_plan_are_bounded_too(tmp_path, http):
    with OddHapi(info=info_reply(cadence="PT0.000001S", stopDate="2031-01-01Z")) as server:
        planned = Hapi(tmp_path / "files", http, url=server.url).to_download(
            "ODD", ["B"], TimeRange(datetime(2021, 10, 28), datetime(2030, 1, 1))
        )
    assert len(planned) <= 2001


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"startDate": "2021-10-30Z"}, "startDate .* is after its stopDate"),
        ({"startDate": "0000-01-01Z"}, "startDate '0000-01-01Z' is not a time"),
        ({"stopDate": "9999-12-31T24:00:00Z"}, "stopDate .* is not a time"),
        ({"startDate": "2021-366Z"}, "is not a time"),
        ({"startDate": "２０２１-10-28Z"}, "is not a time"),
        ({"startDate": []}, "is not a time"),
        ({"startDate": None}, "'startDate' is missing"),
        ({"parameters": {"a": 1}}, "'parameters' is not a list"),
        ({"parameters": "B"}, "'parameters' is not a list"),
        ({"parameters": [TIME, "B"]}, "does not describe a parameter"),
        ({"parameters": [TIME | {"length": "x"}, FIELD]}, "the time of ODD cannot be read"),
        ({"parameters": [TIME | {"length": -24}, FIELD]}, "the time of ODD cannot be read"),
        ({"parameters": [TIME | {"length": 10**12}, FIELD]}, "the time of ODD cannot be read"),
        ({"parameters": [TIME | {"size": [3]}, FIELD]}, "each record has several times"),
    ],
)
def test_an_info_that_cannot_be_used_is_refused(fetch, changes, words):
    refuse(fetch, DamagedFile, words, info=info_reply(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"startDate": "0001-01-01Z"},
        {"stopDate": "9999-12-31T23:59:59Z"},
        {"startDate": "2016-12-31T23:59:60Z"},
        {"startDate": "2021-300Z", "stopDate": "2021-302Z"},
        {"startDate": 2021},
    ],
)
def test_unusual_spans_are_read(fetch, changes):
    assert len(fetch(info=info_reply(**changes))) == 24


@pytest.mark.parametrize("date", ["yester\x1b[2Jday", [1, 2], 7.5, {"a": 1}, "x" * 10_000])
def test_a_modification_date_that_is_no_time_is_noted(fetch, date):
    table = fetch(info=info_reply(modificationDate=date))
    assert any("modificationDate" in note and "is not a time" in note for note in table.notes)
    assert all(
        source.last_modified.isprintable() and len(source.last_modified) < 100 for source in table.sources
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("BEGIN", "the beginning"),
        ("END", "the end"),
        ("OTHER", "does not know whether a time is"),
        (7, "does not know whether a time is"),
    ],
)
def test_where_a_time_lies_in_its_interval_is_noted(fetch, said, words):
    assert any(words in note for note in fetch(info=info_reply(timeStampLocation=said)).notes)
    assert not any("interval" in note for note in fetch(info=info_reply(timeStampLocation="CENTER")).notes)


@pytest.mark.parametrize("cut", [1, 2])
def test_a_reply_that_stops_within_its_last_number_is_noted(fetch, cut):
    whole = body(LINES)
    assert not any("may be cut" in note for note in fetch(data=whole).notes)
    assert any("its last record may be cut" in note for note in fetch(data=whole[:-cut]).notes)


@pytest.mark.parametrize("version", ["4.0", "1.1", "", "three", [3], 30])
@pytest.mark.parametrize("endpoint", ["capabilities", "info"])
def test_another_version_of_hapi_is_refused(fetch, endpoint, version):
    reply = info_reply() if endpoint == "info" else BINARY
    refuse(
        fetch, Refused, "helio understands only HAPI 2 and HAPI 3", **{endpoint: reply | {"HAPI": version}}
    )


def test_a_server_without_a_version_is_refused(fetch):
    refuse(
        fetch, Refused, "does not say which version", capabilities={"outputFormats": ["csv"], "status": OK}
    )


# Parameters


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": [0]}, "size"),
        ({"size": 0}, "size"),
        ({"size": [-3]}, "size"),
        ({"size": [1.5]}, "size"),
        ({"size": [True]}, "size"),
        ({"size": [[3]]}, "size"),
        ({"size": {"a": 3}}, "size"),
        ({"size": [1] * 100}, "size"),
        ({"size": [10**9]}, "1,000,000,000 elements"),
        ({"size": [10**5, 10**5]}, "elements"),
        ({"type": "float"}, "the type 'float'"),
        ({"type": None}, "the type 'None'"),
        ({"type": ["double"]}, "the type"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_refused_and_the_others_are_read(fetch, changes, words):
    odd = field(name="Odd", **changes)
    with pytest.raises(DamagedFile, match=f"'Odd' of ODD cannot be read: .*{words}"):
        fetch("Odd", info=info_reply(odd, FIELD))
    assert len(fetch(info=info_reply(odd, FIELD))) == 24


def test_two_parameters_of_one_name_are_refused_and_the_others_are_read(fetch):
    twice = info_reply(FIELD, field(units="T"), field(name="C"))
    refuse(fetch, DamagedFile, "describes 2 parameters with this name", info=twice)
    assert len(fetch("C", info=twice)) == 24


@pytest.mark.parametrize("size", [[3], "3", [2, 2]])
def test_a_size_that_the_records_do_not_have_is_refused(fetch, size):
    refuse(fetch, DamagedFile, r"numbers in each record", info=info_reply(field(size=size)))


@pytest.mark.parametrize("length", [16, 20, 23, 25, 32, 100])
def test_a_length_of_the_time_that_is_wrong_is_refused(fetch, length):
    info = info_reply(parameters=[TIME | {"length": length}, FIELD])
    refuse(
        fetch,
        DamagedFile,
        "not a whole number of records|is not a time",
        capabilities=BINARY,
        info=info,
        data=binary(),
    )


def test_without_the_length_of_the_time_csv_is_asked_for(fetch):
    table = fetch(capabilities=BINARY, info=info_reply(parameters=[TIME | {"length": None}, FIELD]))
    assert len(table) == 24
    assert any("does not say how long its texts are" in note for note in table.notes)


@pytest.mark.parametrize("fill", ["null", "none", [1.5], {"a": 1}, True, "1_5", "١٫٥", "x" * 10_000])
def test_a_fill_that_is_no_number_is_noted(fetch, fill):
    table = fetch(info=info_reply(field(fill=fill)))
    assert np.isfinite(table.values).all()
    [note] = [note for note in table.notes if "fill value of B" in note]
    assert len(note) < 200


@pytest.mark.parametrize("fill", [1.5, "1.5", " 1.5 ", "+1.5e0"])
def test_a_fill_of_another_type_is_used(fetch, fill):
    assert np.isnan(fetch(info=info_reply(field(fill=fill))).values).tolist()[:3] == [False, True, False]


@pytest.mark.parametrize(
    ("units", "unit", "noted"),
    [
        (["nT"], "nT", False),
        (None, "", False),
        ([["nT"], ["km"]], "", True),
        ({"a": 1}, "", True),
        ("n\x1b[31mT", "n [31mT", False),
        ("\ud800", "", False),
    ],
)
def test_units_of_every_form_are_read_or_noted(fetch, units, unit, noted):
    table = fetch(info=info_reply(field(units=units)))
    assert table.unit == unit
    assert any("unit" in note for note in table.notes) == noted


@pytest.mark.parametrize(
    "bins",
    [
        "x",
        {"name": "E"},
        [None],
        ["E"],
        [{"name": "E", "units": "eV", "centers": [None, None]}],
        [{"name": "E", "units": "eV", "centers": [1, None]}],
        [{"name": "E", "units": "eV", "centers": [[1, 2], [3, 4]]}],
        [{"name": "E", "units": "eV", "centers": 3}],
        [{"name": "E", "units": "eV", "centers": [1, float("nan")]}],
        [{"name": "E", "units": "eV", "centers": [1, 2, 3]}],
        [{"name": "E", "units": "eV", "centers": [1, 2], "ranges": [[1, 2]]}],
        [{"name": "E", "units": "eV", "centers": [1, 2], "ranges": [None, [1, 2]]}],
        [{"name": "E", "units": "eV", "centers": [1, 2], "ranges": [1, 2]}],
        [{"name": "E", "units": "eV", "centers": [1, 2]}] * 3,
        [{"name": "E", "units": "eV", "centers": "Nothing"}],
        [{"name": "E", "units": "eV", "centers": "B"}],
        [{"name": "E", "units": "eV", "centers": "Time"}],
    ],
)
def test_bins_that_cannot_be_used_are_noted(fetch, bins):
    table = fetch(info=info_reply(field(size=[2], bins=bins)), data=body([f"{line},1" for line in LINES]))
    assert np.array_equal(table.values[:, 0], np.arange(24) + 0.5)
    assert any("bins" in note or "edges" in note for note in table.notes)
    assert not any(axis.per_record for axis in table.axes)


# JSON


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"[]", "a list instead"),
        (b'"hello"', "a text instead"),
        (b"null", "null instead"),
        (b"7", "a number instead"),
        (b'{"a":' * 100_000, "nested more than"),
        (b'{"HAPI": "3.2", "x_a": ' + b"[" * 90 + b"]" * 90 + b"}", "nested more than"),
        (
            json.dumps(info_reply())
            .replace('"cadence"', '"startDate": "2021-10-28T12Z", "cadence"')
            .encode(),
            "'startDate' appears twice",
        ),
        (
            json.dumps(info_reply()).replace('"units": "nT"', '"units": "nT", "units": "T"').encode(),
            "'units' appears twice",
        ),
    ],
)
def test_json_that_cannot_be_used_is_refused_at_once(tmp_path, http, reply, words):
    with OddHapi(info=reply) as server:
        with pytest.raises((DamagedFile, ReplyTooLarge), match=words) as caught:
            Hapi(tmp_path / "files", http, url=server.url).fetch("ODD", ["B"], DAY)
        assert len(server.asked("/info")) == 1
    assert "/hapi/info" in caught.value.place


@pytest.mark.parametrize("reply", [b"", json.dumps(info_reply()).encode()[:-5], b"\x00" * 100, b"<html>"])
def test_what_is_no_json_may_pass(fetch, reply):
    refuse(fetch, ServerUnavailable, "answer", info=reply)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_json_is_read_in_every_encoding(fetch, encoding):
    text = json.dumps(info_reply(field(description="Feldstärke")), ensure_ascii=False)
    assert fetch(info=text.encode(encoding)).description == "Feldstärke"


def test_a_member_that_is_given_twice_with_one_value_is_read(fetch):
    assert (
        len(fetch(info=json.dumps(info_reply()).replace('"cadence"', '"HAPI": "3.2", "cadence"').encode()))
        == 24
    )


# Records


@pytest.mark.parametrize("start", [0.5, 4.000123456789, 1e-5 / 3])
@pytest.mark.parametrize("step", [1.0, 0.1])
def test_big_endian_numbers_are_refused(fetch, start, step):
    refuse(
        fetch,
        DamagedFile,
        "not little-endian, as HAPI requires",
        capabilities=BINARY,
        data=binary(">f8", start, step),
    )


def test_big_endian_integers_are_refused_or_noted(fetch):
    info = info_reply(field(type="integer", fill="-1"))
    refuse(fetch, DamagedFile, "not little-endian", capabilities=BINARY, info=info, data=binary(">i4", 1))
    few = fetch(
        capabilities=BINARY, info=info | {"modificationDate": "2022-02-01Z"}, data=binary(">i4", 1, 0)
    )
    assert any("in the wrong order" in note for note in few.notes)


@pytest.mark.parametrize(
    ("start", "step"), [(0.0, 0.0), (1e-31, 1e-32), (1e30, 1e29), (-0.5, 0.25), (0.1, 0.7)]
)
def test_little_endian_numbers_of_any_usual_size_are_read(fetch, start, step):
    table = fetch(capabilities=BINARY, info=info_reply(field(fill=None)), data=binary("<f8", start, step))
    assert np.array_equal(table.values, start + np.arange(24) * step)


@pytest.mark.parametrize("form", ["csv", "binary"])
def test_far_fewer_records_than_the_cadence_promises_are_noted_with_numbers(fetch, form):
    data = csv_reply(10) if form == "csv" else binary()[: 10 * 32]
    table = fetch(capabilities=BINARY | {"outputFormats": [form]}, data=data)
    assert any(note.startswith("10 of the 24 records that the cadence") for note in table.notes)


@pytest.mark.parametrize("count", [23, 24])
def test_a_record_more_or_less_than_the_cadence_promises_is_not_noted(fetch, count):
    assert not any("cadence" in note for note in fetch(data=csv_reply(count)).notes)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (body([*LINES, LINES[3]]), "1 record repeats an epoch; the first record of each epoch was kept"),
        (
            body([*LINES, "2021-10-28T03:00:00.000Z,99"]),
            "differs? from the first record of the same epoch, by up to 95.5 nT",
        ),
        (body(LINES[::-1]), "time runs backwards"),
        (
            body([*LINES, "2021-10-30T00:00:00.000Z,5"]),
            "records of the reply .* outside of this interval: 1",
        ),
        (body([*LINES[:5], "2021-10-28T05:00:00.000Z,", *LINES[6:]]), "empty values in the reply: 1"),
        (
            body([*LINES[:5], "2021-10-28T05:00:00.000Z,1e400", *LINES[6:]]),
            "values of B that are infinite, or too large for a float64: 1",
        ),
    ],
)
def test_what_is_read_in_another_way_than_it_was_sent_is_noted(fetch, data, words):
    table = fetch(data=data)
    assert len(table) == 24
    assert any(re.search(words, note) for note in table.notes)


@pytest.mark.parametrize(
    "data",
    [
        body([*LINES[:5], "2021-10-28T05:00:00.000Z", *LINES[6:]]),
        body([f"{line},7" for line in LINES]),
        body([*LINES[:5], f"{LINES[5]},7", *LINES[6:]]),
        body([f"{line}," for line in LINES]),
        body([f'"{LINES[0]}', *LINES[1:]]),
        body([*LINES[:5], "2021-10-28T05:00:00.000Z,é", *LINES[6:]]),
        body([*LINES[:5], "２021-10-28T05:00:00.000Z,1", *LINES[6:]]),
        body([*LINES[:5], "2021\x1b[31m-10-28T05:00:00.000Z,1", *LINES[6:]]),
        body(LINES[:5]) + b"2021-10-28T05:00:00.000Z,\xe9\n",
        body([*LINES[:5], "2021-10-28T05:00:00.000Z,0x10", *LINES[6:]]),
        body(["Time,B", *LINES]),
        body([*LINES[:5], "# a comment", *LINES[5:]]),
        b"[[1, 2]]",
        b"<html>",
        b"hello",
        body([line.replace("2021-", "2025-") for line in LINES]),
    ],
)
def test_csv_that_is_not_what_is_described_is_refused(fetch, data):
    refuse(fetch, DamagedFile, " ", data=data)


@pytest.mark.parametrize(
    "data",
    [
        body(LINES, "\r\n"),
        body([f'"{line[:24]}","{line[25:]}"' for line in LINES]),
        body(LINES) + b"\n\n",
        f"#{json.dumps(info_reply())}\n".encode() + body(LINES),
        f"#{json.dumps(info_reply(), indent=1)}\n".replace("\n", "\n#")[:-1].encode() + body(LINES),
        body([line.replace(":00.000Z", "Z") if hour % 2 else line for hour, line in enumerate(LINES)]),
    ],
)
def test_csv_in_unusual_forms_is_read(fetch, data):
    assert fetch(data=data).values.tolist() == (np.arange(24) + 0.5).tolist()


@pytest.mark.parametrize("data", [b"", b"\n", status(1201)])
def test_no_record_at_all_is_no_data(fetch, data):
    with pytest.raises(NoData, match="has no record of B"):
        fetch(data=data)


# Catalogues


def test_odd_ids_of_a_catalogue_are_left_out_and_the_others_are_there_once(tmp_path, http, caplog):
    odd = ["a\nb", "a\x1b[31m", "x" * 10_000, "a,b", "", 5, None, ["a"], {"a": 1}, "\ud800"]
    entries: list[Any] = [{"id": name} for name in [*odd, "a/b", 'a"b', "TWICE", "TWICE"]]
    with OddHapi(catalog={"HAPI": "3.2", "status": OK, "catalog": [*entries, "text", None]}) as server:
        found = Hapi(tmp_path / "files", http, url=server.url).datasets()
    assert found == sorted(['a"b', "TWICE", "a/b"])
    assert "12 entries" in caplog.text


@pytest.mark.parametrize("catalogue", [None, {"a": 1}, "ODD", [5], [{"name": "ODD"}]])
def test_a_catalogue_without_ids_is_refused(tmp_path, http, catalogue):
    with (
        OddHapi(catalog={"HAPI": "3.2", "status": OK, "catalog": catalogue}) as server,
        pytest.raises(DamagedFile),
    ):
        Hapi(tmp_path / "files", http, url=server.url).datasets()


@pytest.mark.parametrize("name", ["a/b", 'a"b', "../..", "a b", "%2F", "?x=1", "é"])
def test_an_odd_id_is_asked_for_as_it_is(tmp_path, http, name):
    with OddHapi() as server:
        assert len(Hapi(tmp_path / "files", http, url=server.url).fetch(name, ["B"], DAY)["B"]) == 24
        assert server.asked("/info")[0].query["dataset"] == name
    assert not (tmp_path / "b").exists()
