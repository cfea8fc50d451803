"""NASA's own client reads from the stand-in unchanged, gets what helio reads, and asks as helio does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from helio.sources.providers.ssc import PARAMETERS, Ssc, question_for
from helio.testing import SscStandIn, client
from helio.time_range import TimeRange

sscws = pytest.importorskip("sscws.sscws", reason="sscws is not installed: it is in the dev extra")

DAY = TimeRange(datetime(2017, 7, 11), datetime(2017, 7, 12))


@pytest.fixture
def server() -> Iterator[SscStandIn]:
    with SscStandIn() as server:
        yield server


@pytest.fixture
def theirs(server: SscStandIn):
    made = sscws.SscWs(endpoint=f"{server.url}/WS/sscr/2/", timeout=10, disable_cache=True)
    yield made
    made.close()


def request_like_helio(factor: int):
    """What helio asks for, as a request of the client."""
    from sscws.bfieldmodels import BFieldModel
    from sscws.coordinates import CoordinateComponent as Component
    from sscws.coordinates import CoordinateSystem as System
    from sscws.outputoptions import CoordinateOptions, OutputOptions, ValueOptions
    from sscws.request import DataRequest, SatelliteSpecification
    from sscws.timeinterval import TimeInterval

    systems = [System.GSE, System.GSM, System.SM, System.GEO, System.GM, System.GEI_TOD, System.GEI_J_2000]
    asked = [(system, axis) for system in systems for axis in (Component.X, Component.Y, Component.Z)]
    asked += [
        (system, angle)
        for system in (System.GEO, System.GM, System.GSE, System.SM)
        for angle in (Component.LAT, Component.LON, Component.LOCAL_TIME)
    ]
    return DataRequest(
        None,
        TimeInterval(DAY.start.replace(tzinfo=UTC), DAY.stop.replace(tzinfo=UTC)),
        [SatelliteSpecification("mms1", factor)],
        BFieldModel(),
        OutputOptions(
            [CoordinateOptions(*choice) for choice in asked],
            value_options=ValueOptions(dipole_l_value=True, dipole_inv_lat=True),
        ),
    )


@pytest.mark.parametrize("factor", [1, 20])
def test_helio_posts_the_question_that_the_client_would_post(factor):
    assert question_for("mms1", DAY, factor) == ElementTree.tostring(request_like_helio(factor).xml_element())


def test_it_lists_the_spacecraft(theirs, server):
    listed = theirs.get_observatories()
    assert listed["HttpStatus"] == 200
    assert [craft["Id"] for craft in listed["Observatory"]] == list(server.craft)
    [mms] = [craft for craft in listed["Observatory"] if craft["Id"] == "mms1"]
    assert (mms["Resolution"], mms["StartTime"]) == (180, datetime(2015, 3, 13, tzinfo=UTC))


def test_it_gets_the_same_numbers_as_helio(theirs, server, tmp_path: Path):
    got = theirs.get_locations(request_like_helio(20))
    assert got["HttpStatus"] == 200
    [data] = got["Data"]
    with client() as http:
        ours = Ssc(tmp_path, http, url=server.url).fetch("mms1@1h", list(PARAMETERS), DAY)
    times = np.array([time.replace(tzinfo=None) for time in data["Time"]], "datetime64[ns]")
    inside = times < np.datetime64(DAY.stop)  # the service includes the end of the interval
    assert np.array_equal(times[inside], ours["XYZ_GSE"].epoch)
    coordinates = {entry["CoordinateSystem"].value: entry for entry in data["Coordinates"]}
    names = {"GEI": "GeiTod", "J2000": "GeiJ2000"}
    for frame in ("GSE", "GSM", "SM", "GEO", "GM", "GEI", "J2000"):
        entry = coordinates[names.get(frame, frame.title())]
        vector = np.array([entry[axis] for axis in "XYZ"], float).T[inside]
        assert np.array_equal(vector, ours[f"XYZ_{frame}"].values)
    for name, element in (("Lat", "Latitude"), ("Lon", "Longitude"), ("LT", "LocalTime")):
        assert np.array_equal(coordinates["Sm"][element][inside].astype(float), ours[f"{name}_SM"].values)
    assert np.array_equal(data["DipoleLValue"][inside].astype(float), ours["L"].values)
    assert np.array_equal(data["DipoleInvariantLatitude"][inside].astype(float), ours["InvLat"].values)


def test_an_unknown_spacecraft_is_an_error_for_it_too(theirs):
    got = theirs.get_locations(["sputnik1"], ["2017-07-11T00:00:00Z", "2017-07-12T00:00:00Z"])
    assert got["StatusSubCode"].value == "InvalidSatellite"


def test_a_page_of_the_service_about_an_error_is_read_by_it(theirs, server, monkeypatch):
    monkeypatch.setattr(SscStandIn, "locations", lambda *_: int("no number"))
    got = theirs.get_locations(["mms1"], ["2017-07-11T00:00:00Z", "2017-07-12T00:00:00Z"])
    assert got["HttpStatus"] == 400
    assert got["ErrorMessage"] == "Bad request"
