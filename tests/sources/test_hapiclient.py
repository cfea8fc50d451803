"""The HAPI group's own client reads from the stand-in unchanged, and what it gets is what helio reads."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.sources.providers.hapi import Hapi
from helio.testing import HapiStandIn, recorded
from helio.time_range import TimeRange
from tests.sources.made_hapi import magnetometer, plain

pytestmark = pytest.mark.process

hapiclient = pytest.importorskip("hapiclient", reason="hapiclient is not installed: it is in the dev extra")

START, STOP = "2021-10-28T00:00:00Z", "2021-10-29T12:00:00Z"
SPAN = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29, 12))


@pytest.fixture(params=[("2.0", ("csv",)), ("3.2", ("csv", "binary"))], ids=["2.0 csv", "3.2 binary"])
def server(request):
    version, formats = request.param
    with HapiStandIn([magnetometer(), plain("OLD@0")], version=version, formats=formats) as standin:
        yield standin


@pytest.fixture
def options(tmp_path):
    return {"cachedir": str(tmp_path / "theirs"), "usecache": False, "cache": False, "logging": False}


def test_it_finds_datasets_parameters_and_what_the_server_can_do(server, options):
    said = hapiclient.hapi(server.url, **options)
    assert [dataset["id"] for dataset in said["catalog"]] == ["MADE_MAG", "OLD@0"]
    about = hapiclient.hapi(server.url, "MADE_MAG", **options)
    assert [parameter["name"] for parameter in about["parameters"]][:3] == ["Time", "Magnitude", "BGSE"]


@pytest.mark.parametrize("form", ["csv", "binary"])
@pytest.mark.parametrize("name", ["Magnitude", "BGSE", "Flag", "Flux", "Energies", "Edges"])
def test_it_gets_the_same_numbers_as_helio(server, options, tmp_path, http, name, form):
    data, about = hapiclient.hapi(server.url, "MADE_MAG", name, START, STOP, format=form, **options)
    ours = Hapi(tmp_path / "ours", http, url=server.url).fetch("MADE_MAG", [name], SPAN)[name]
    # theirs leaves fill as it is
    theirs = np.where(data[name] == float(about["parameters"][1]["fill"]), np.nan, data[name])
    assert np.array_equal(theirs, ours.values, equal_nan=True)
    times = hapiclient.hapitime2datetime(data["Time"])
    assert [time.replace(tzinfo=None) for time in times] == ours.epoch.astype("M8[us]").tolist()


@pytest.mark.parametrize("form", ["csv", "binary"])
@pytest.mark.parametrize(
    ("unframed", "gzip"), [("HTTP/1.0", False), ("HTTP/1.1", False), ("", True), ("HTTP/1.0", True)]
)
def test_it_reads_replies_without_a_length_and_compressed_ones(
    server, options, tmp_path, http, form, unframed, gzip
):
    server.unframed, server.gzip = unframed, gzip
    data, _ = hapiclient.hapi(server.url, "MADE_MAG", "Magnitude", START, STOP, format=form, **options)
    ours = Hapi(tmp_path / "ours", http, url=server.url).fetch("MADE_MAG", ["Magnitude"], SPAN)["Magnitude"]
    assert np.array_equal(data["Magnitude"], ours.values)
    assert len(ours) == 36


def test_it_reads_times_of_days_of_the_year(server, options, tmp_path, http):
    data, _ = hapiclient.hapi(server.url, "OLD@0", "V", START, STOP, **options)
    ours = Hapi(tmp_path / "ours", http, url=server.url).fetch("OLD@0", ["V"], SPAN)["V"]
    times = hapiclient.hapitime2datetime(data["Time"])
    assert [time.replace(tzinfo=None) for time in times] == ours.epoch.astype("M8[us]").tolist()


def test_an_unknown_dataset_is_an_error_for_it_too(server, options):
    with pytest.raises(Exception, match="unknown dataset id"):
        hapiclient.hapi(server.url, "MADE_MAK", "V", START, STOP, **options)


@pytest.mark.archive
@pytest.mark.parametrize(
    ("folder", "start", "stop"),
    [
        ("AC_K0_EPM", datetime(2021, 11, 25), datetime(2021, 12, 5)),
        ("OMNI2_H0_MRG1HR", datetime(2021, 10, 25), datetime(2021, 12, 1)),
    ],
)
def test_real_replies_served_again_are_read_alike(options, tmp_path, http, folder, start, stop):
    archive = os.environ.get("HELIO_TEST_ARCHIVE")
    if not archive or not (Path(archive).parent / "hapi").is_dir():
        pytest.skip("beside HELIO_TEST_ARCHIVE there is no folder hapi of real replies")
    served = recorded(Path(archive).parent / "hapi" / folder)
    span = TimeRange(start, stop)
    with HapiStandIn([served], version="2.0") as standin:
        provider = Hapi(tmp_path / "ours", http, url=standin.url)
        for parameter in served.parameters[1:]:
            name = parameter["name"]
            data, _ = hapiclient.hapi(
                standin.url, folder, name, start.isoformat() + "Z", stop.isoformat() + "Z", **options
            )
            ours = provider.fetch(folder, [name], span)[name]
            theirs = np.where(data[name] == float(parameter["fill"]), np.nan, data[name])
            assert np.array_equal(theirs, ours.values, equal_nan=True)
