"""Positions of spacecraft from SSCWeb, from a stand-in that NASA's client reads; wrong replies, and none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.errors import (
    DamagedFile,
    NoData,
    NotYetPublished,
    Offline,
    Refused,
    ReplyTooLarge,
    ServerUnavailable,
    TooLarge,
    UnknownDataset,
    UnknownParameter,
)
from helio.settings import NetworkLimits
from helio.sources.http import Hosts, Http
from helio.sources.providers.ssc import PARAMETERS, Ssc
from helio.sources.witness import Witness
from helio.testing import FakeClock, SscStandIn, check_source, client
from helio.testing.ssc import CRAFT, Spacecraft, error_result
from helio.time_range import TimeRange

DAY = TimeRange(datetime(2017, 7, 11), datetime(2017, 7, 12))
LOCATIONS = "/WS/sscr/2/locations"


@pytest.fixture
def server() -> Iterator[SscStandIn]:
    with SscStandIn() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(datetime(2024, 5, 12))


@pytest.fixture
def new(server: SscStandIn, tmp_path: Path, clock: FakeClock) -> Iterator[Callable[..., Ssc]]:
    with client(clock) as http:
        yield lambda **options: Ssc(tmp_path, options.pop("http", http), url=server.url, **options)


def test_ssc_does_what_every_source_has_to(server, tmp_path):
    tables = check_source(Ssc, server.url, "mms1", ["XYZ_GSE", "R", "LT_SM"], DAY, cache=tmp_path)
    assert [len(table) for table in tables.values()] == [480, 480, 480]


def test_a_position_is_a_vector_in_km_with_its_frame(new):
    table = new().fetch("mms1", ["XYZ_GSM"], DAY)["XYZ_GSM"]
    assert (table.unit, table.frame, table.components) == ("km", "GSM", ("X", "Y", "Z"))
    assert table.representation == "cartesian"
    assert table.epoch[[0, 1, -1]].astype(str).tolist() == [
        "2017-07-11T00:00:00.000000000",
        "2017-07-11T00:03:00.000000000",
        "2017-07-11T23:57:00.000000000",
    ]
    six = CRAFT[1].position(datetime(2017, 7, 11, 6), "Gsm")
    assert table.values[120].tolist() == pytest.approx(six, abs=1e-6)
    assert (table.sources[0].provider, table.sources[0].title) == ("SSCWeb", "Positions of MMS-1")
    assert table.description == "Position in GSM of mms1"


@pytest.mark.parametrize("frame", ["GSE", "GSM", "SM", "GEO", "GM", "GEI", "J2000"])
def test_each_frame_has_its_own_numbers(new, frame):
    service = {"GEI": "GeiTod", "J2000": "GeiJ2000"}.get(frame, frame.title())
    table = new().fetch("mms1", [f"XYZ_{frame}"], DAY)[f"XYZ_{frame}"]
    assert table.frame == frame
    assert table.values[100].tolist() == pytest.approx(CRAFT[1].position(datetime(2017, 7, 11, 5), service))


def test_distance_local_time_and_l_follow_from_the_orbit(new):
    tables = new().fetch("mms1", ["R", "LT_GSE", "Lon_GSE", "Lat_SM", "L", "InvLat"], DAY)
    assert np.allclose(tables["R"].values, 60_000.0)
    assert (tables["R"].unit, tables["LT_GSE"].unit, tables["Lon_GSE"].unit) == ("km", "h", "deg")
    # six hours after noon the spacecraft is at dusk
    assert tables["LT_GSE"].values[[0, 120, 240]].tolist() == pytest.approx([12, 18, 0])
    assert tables["Lon_GSE"].values[120] == pytest.approx(90)
    latitude = np.radians(tables["Lat_SM"].values)
    assert np.allclose(tables["L"].values, 60_000 / 6378.137 / np.cos(latitude) ** 2)
    assert np.allclose(tables["L"].values, 1 / np.cos(np.radians(tables["InvLat"].values)) ** 2)
    assert tables["L"].unit == ""


def test_local_time_wraps_at_24_hours_and_longitude_at_360_degrees(new):
    tables = new().fetch("mms1", ["LT_SM", "Lon_GEO", "Lat_GEO"], DAY)
    assert [tables[name].periods for name in ("LT_SM", "Lon_GEO", "Lat_GEO")] == [(24.0,), (360.0,), (0.0,)]


def test_all_parameters_come_with_one_question(new, server):
    tables = new().fetch("mms1", list(PARAMETERS), DAY)
    assert list(tables) == list(PARAMETERS)
    assert len(server.asked(LOCATIONS)) == 1


@pytest.mark.parametrize(
    ("dataset", "minutes"), [("mms1@3min", 3), ("mms1@1h", 60), ("mms1@PT30M", 30), ("ace@1d", 1440)]
)
def test_a_coarser_cadence_stands_after_the_id(new, dataset, minutes):
    epoch = new().fetch(dataset, ["R"], TimeRange(DAY.start, datetime(2017, 7, 14)))["R"].epoch
    assert set(np.diff(epoch)) == {np.timedelta64(minutes, "m")}


@pytest.mark.parametrize(
    ("dataset", "text", "advice"),
    [
        ("mms5", "no spacecraft is called 'mms5'", "'mms1'"),
        ("MMS1", "no spacecraft is called 'MMS1'", "did you mean 'mms1'?"),
        ("THEMIS-A", "no spacecraft is called 'THEMIS-A'", "did you mean 'themisa'?"),
        ("MMS1_FGM_SRVY_L2", "no spacecraft is called 'MMS1_FGM_SRVY_L2'", "did you mean 'mms1'?"),
        ("@1h", "no spacecraft is called ''", ""),
        ("mms1@2min", "no positions of mms1 every 2min", "mms1@30min"),
        ("mms1@1min", "no positions of mms1 every 1min", "its positions are 3min apart"),
        ("mms1@often", "duration 'often' is not understood", "mms1@1h"),
        ("mms1@", "duration '' is not understood", "mms1@1h"),
    ],
)
def test_an_unknown_spacecraft_or_cadence_is_refused_with_what_there_is(new, server, dataset, text, advice):
    with pytest.raises(UnknownDataset) as caught:
        new().fetch(dataset, ["R"], DAY)
    assert text in caught.value.message
    assert advice in caught.value.advice
    assert not server.asked(LOCATIONS)


def test_an_unknown_parameter_is_refused_with_the_closest(new):
    with pytest.raises(UnknownParameter, match="mms1 has no parameter 'XYZ_GES'") as caught:
        new().fetch("mms1", ["XYZ_GES"], DAY)
    assert "'XYZ_GSE'" in caught.value.advice


@pytest.mark.parametrize(
    ("span", "kind"),
    [
        (TimeRange(datetime(2010, 1, 1), datetime(2010, 1, 2)), NoData),
        (TimeRange(datetime(2025, 1, 2), datetime(2025, 1, 3)), NotYetPublished),
    ],
    ids=["before", "after"],
)
def test_a_range_outside_the_coverage_names_the_coverage(new, server, span, kind):
    with pytest.raises(kind, match="only from 2015-03-13T00:00Z to 2024-12-31T00:00Z"):
        new().fetch("mms1", ["R"], span)
    assert not server.asked(LOCATIONS)


def test_a_range_that_begins_before_the_coverage_has_what_there_is(new):
    span = TimeRange(datetime(2015, 3, 12), datetime(2015, 3, 13, 1))
    assert len(new().fetch("mms1", ["R"], span)["R"]) == 20


def test_a_range_between_two_positions_has_none_and_says_why(new):
    span = TimeRange(datetime(2017, 7, 11, 0, 0, 30), datetime(2017, 7, 11, 0, 1, 30))
    with pytest.raises(NoData, match="no position of mms1") as caught:
        new().fetch("mms1", ["R"], span)
    assert caught.value.advice == "its positions are 3min apart: choose a longer time range"


def test_a_parameter_that_the_service_does_not_give_is_no_data(new, server):
    server.left_out.add("DipoleLValue")
    assert len(new().fetch("mms1", ["R"], DAY)["R"]) == 480
    with pytest.raises(NoData, match="gives no L of mms1"):
        new().fetch("mms1", ["L"], DAY)


def test_a_fill_value_is_nan(new, server, monkeypatch):
    monkeypatch.setattr(Spacecraft, "position", lambda *_: (-1e31, 2.0, 3.0))
    values = new().fetch("mms1", ["XYZ_GSE"], DAY)["XYZ_GSE"].values
    assert np.isnan(values[:, 0]).all()
    assert (values[:, 2] == 3.0).all()


# Wrong replies


@pytest.mark.parametrize("place", ["observatories", "locations"])
@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        ("html", ServerUnavailable, "maintenance"),
        ("half", DamagedFile, "is not complete XML"),
        ("entity", DamagedFile, "has a document type"),
        ("empty", DamagedFile, "is not complete XML"),
        ("503", ServerUnavailable, "answers 503"),
        ("reset", ServerUnavailable, "after 3 attempts"),
        ("truncate", ServerUnavailable, "after 3 attempts"),
    ],
)
def test_a_wrong_reply_is_asked_for_three_times_and_then_named(new, server, place, fault, kind, text):
    server.fail(place, *([fault] * 3))
    with pytest.raises(kind, match=text):
        new().fetch("mms1", ["R"], DAY)
    assert len(server.asked(place)) == 3
    assert len(new().fetch("mms1", ["R"], DAY)["R"]) == 480


@pytest.mark.parametrize(
    ("detail", "kind", "text"),
    [
        ("InvalidTimeRange", NoData, "no positions for this time range: why"),
        ("InvalidSatellite", UnknownDataset, "does not know the spacecraft 'mms1': why"),
        ("ServerError", ServerUnavailable, "reports an error: why"),
        ("MissingCoordOptions", Refused, "refuses the question: why"),
    ],
)
def test_an_error_in_a_reply_with_status_200_is_an_error_and_is_not_kept(
    new, server, monkeypatch, detail, kind, text
):
    with monkeypatch.context() as patched:
        patched.setattr(SscStandIn, "locations", lambda *_: error_result(detail, "why"))
        with pytest.raises(kind, match=text) as caught:
            new().fetch("mms1", ["R"], DAY)
        assert "/WS/sscr/2/locations" in str(caught.value.place)
    assert len(new().fetch("mms1", ["R"], DAY)["R"]) == 480


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (b"<Response", b"<Answer", "another form"),
        (b"Result", b"Outcome", "does not give positions"),
        (b"<X>", b"<X>n", "does not give positions"),
        (b"<StatusSubCode>Success</StatusSubCode>", b"", "does not give positions"),
        (b"<Time>2017-07-11T00:00:00.000+00:00</Time>", b"", "has 480 times, but 481 values of DipoleLValue"),
    ],
)
def test_a_reply_of_another_form_is_damaged(new, server, monkeypatch, before, after, text):
    whole = SscStandIn.locations

    def other(standin, question):
        reply = whole(standin, question).encode().replace(before, after)
        return reply.replace(b"</Response", b"</Answer" if after == b"<Answer" else b"</Response").decode()

    monkeypatch.setattr(SscStandIn, "locations", other)
    with pytest.raises(DamagedFile, match=text):
        new().fetch("mms1", ["R"], DAY)


def test_times_that_do_not_increase_are_damaged(new, monkeypatch):
    monkeypatch.setattr(Spacecraft, "times", lambda *_: [datetime(2017, 7, 11, 1), datetime(2017, 7, 11)])
    with pytest.raises(DamagedFile, match="do not increase"):
        new().fetch("mms1", ["R"], DAY)


def test_a_range_of_too_many_positions_is_refused_before_it_is_asked_for(new, server):
    with pytest.raises(ReplyTooLarge) as caught:
        new().fetch("mms1", ["R"], TimeRange(datetime(2016, 1, 1), datetime(2019, 1, 1)))
    assert caught.value.advice == (
        "choose a coarser cadence, such as mms1@30min, a shorter time range, or set HELIO_REPLY_MB=632 to allow longer "
        "replies"
    )
    assert not server.asked(LOCATIONS)
    assert (
        len(new().fetch("mms1@1d", ["R"], TimeRange(datetime(2016, 1, 1), datetime(2019, 1, 1)))["R"]) == 1096
    )


def test_a_reply_longer_than_the_limit_is_refused(server, tmp_path, clock, monkeypatch):
    monkeypatch.setattr("helio.sources.providers.ssc._BYTES_PER_RECORD", 1)
    with closing(Http(clock=clock, hosts=Hosts(), limits=NetworkLimits(reply_bytes=100_000))) as http:
        source = Ssc(tmp_path, http, url=server.url)
        with pytest.raises(ReplyTooLarge, match="longer than"):
            source.fetch("mms1", ["R"], DAY)


def test_a_reply_counts_against_the_limit_of_the_run(new):
    with pytest.raises(TooLarge):
        new(limit=1000).fetch("mms1", ["R"], DAY)


def test_offline_names_what_was_never_asked(new):
    with pytest.raises(Offline, match="SSCWeb was never asked for its spacecraft"):
        new(offline=True).locate("mms1", DAY)
    new().fetch("mms1", ["R"], DAY)
    assert len(new(offline=True).fetch("mms1", ["XYZ_J2000"], DAY)["XYZ_J2000"]) == 480


@pytest.mark.parametrize(
    ("odd", "text"),
    [("<a>" * 30 + "</a>" * 30, "16 levels deep"), ("<a><b/></a>" * 30_000, "20,000 groups of elements")],
    ids=["nested", "grouped"],
)
def test_many_nested_or_grouped_elements_are_not_read(new, monkeypatch, odd, text):
    reply = f"<ObservatoryResponse>{odd}</ObservatoryResponse>"
    monkeypatch.setattr(SscStandIn, "observatories", lambda standin: reply)
    with pytest.raises(DamagedFile, match=text):
        new().datasets()


def test_a_posted_question_is_not_sent_on_to_a_page(new, server, monkeypatch):
    route = SscStandIn.handler.route

    def moved(handler):
        if handler.command == "POST":
            return handler.answer(302, b"", headers={"Location": "/elsewhere"})
        return route(handler)

    monkeypatch.setattr(SscStandIn.handler, "route", moved)
    with pytest.raises(Refused, match="redirects a posted question"):
        new().fetch("mms1", ["R"], DAY)
    assert not server.asked("elsewhere")


def test_a_posted_question_follows_a_redirect_that_keeps_it(new, server, monkeypatch):
    route = SscStandIn.handler.route

    def moved(handler):
        if handler.command == "POST" and "again" not in handler.path:
            return handler.answer(308, b"", headers={"Location": f"{LOCATIONS}?again"})
        return route(handler)

    monkeypatch.setattr(SscStandIn.handler, "route", moved)
    assert len(new().fetch("mms1", ["R"], DAY)["R"]) == 480


def test_the_doctor_asks_for_the_list_of_spacecraft(server, clock):
    with client(clock) as http:
        assert Ssc.probe(server.url, http, Witness()) == "the service has positions of 4 spacecraft"
        for fault, kind in (("html", ServerUnavailable), ("half", DamagedFile)):
            server.fail("observatories", *([fault] * 3))
            with pytest.raises(kind):
                Ssc.probe(server.url, http, Witness())


def test_every_dataset_known_without_a_request_has_all_parameters():
    known = Ssc.known_datasets()
    assert {"mms1", "themisa", "ace", "wind"} <= known.keys()
    assert all(tuple(parameters) == tuple(PARAMETERS) for parameters in known.values())


def test_a_search_for_positions_names_the_source(monkeypatch, tmp_path):
    monkeypatch.setenv("HELIO_HOME", str(tmp_path))
    found = CliRunner().invoke(app, ["datasets", "search", "MMS 3 position"]).output
    assert 'note: SSCWeb has such data too: set "provider": "ssc" in the fetch' in found
    assert "dataset_id to 'mms3'" in found
    as_json = json.loads(CliRunner().invoke(app, ["datasets", "search", "MMS 3 orbit", "--json"]).stdout)
    assert as_json["providers"] == {"ssc": "mms3"}
    field = CliRunner().invoke(app, ["datasets", "search", "MMS 3 magnetic field"]).output
    assert "SSCWeb" not in field


@pytest.mark.process
def test_positions_stand_below_the_time_axis_of_a_figure(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_SSC_URL", server.url)
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    fetch = {"provider": "ssc", "dataset_id": "mms1", "parameters": ["XYZ_GSM", "R", "LT_SM", "L"]}
    spec = {"labels": ["mms1.R"], "panels": [["mms1.R"]], "ephemeris": ["position", "mms1.LT_SM", "mms1.L"]}
    steps = [
        {"step_id": 1, "tool_name": "fetch_data", "tool_args": {**fetch, "time_range": "2017-07-11"}},
        {
            "step_id": 2,
            "tool_name": "convert_units",
            "tool_args": {"source_label": "mms1.XYZ_GSM", "to": "R_E", "output_label": "position"},
        },
        {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}},
    ]
    Path("orbit.json").write_text(
        json.dumps({"schema_version": 1, "id": "orbit", "name": "Orbit", "steps": steps})
    )
    for command in (["check", "orbit.json"], ["run", "orbit.json", "--direct", "-o", "out"]):
        result = CliRunner().invoke(app, command, prog_name="helio")
        assert result.exit_code == 0, result.output
    [figure] = Path("out").glob("*.html")
    page = figure.read_text()
    for name in ("X GSM [R_E]", "LT SM [h]"):
        assert name in page
    run = json.loads(Path("out/run.json").read_text())
    [source] = run["steps"][0]["outputs"][0]["sources"]
    assert (source["provider"], source["title"]) == ("SSCWeb", "Positions of MMS-1")
