"""NASA's own client reads from the stand-in unchanged, and what it gets is what helio reads."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.sources.providers.cdaweb import CdaWeb
from helio.time_range import TimeRange

cdasws = pytest.importorskip("cdasws", reason="cdasws is not installed: it is in the dev extra")

START, STOP = "2021-10-28T00:00:00Z", "2021-10-29T00:00:00Z"
DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))


@pytest.fixture
def client(standin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where its cache would go
    made = cdasws.CdasWs(endpoint=f"{standin.url}/WS/cdasr/1/dataviews/sp_phys/", timeout=10)
    yield made
    made.close()


def test_it_finds_the_datasets_and_their_parameters(client):
    assert [dataset["Id"] for dataset in client.get_datasets()] == ["AC_K2_MFI", "STA_L1_HET"]
    [one] = client.get_datasets(id="STA_L1_HET")
    assert one["TimeInterval"]["Start"] == "2021-10-28T00:00:28.000Z"
    assert {"Proton_Flux", "Electron_Flux", "Total"} <= set(client.get_variable_names("STA_L1_HET"))


def test_it_gets_the_same_files_as_helio(client, standin, cdf_reader, http, tmp_path):
    status, files = client.get_original_files("STA_L1_HET", START, STOP)
    assert status == 200
    provider = CdaWeb(tmp_path / "files", http, reader=cdf_reader, url=standin.url)
    [located] = provider.locate("STA_L1_HET", DAY)
    assert [file["Name"] for file in files] == [located.url]
    assert [file["Length"] for file in files] == [located.size]
    assert [file["LastModified"] for file in files] == [located.last_modified]
    provider.fetch("STA_L1_HET", ["Proton_Flux"], DAY)
    downloaded = client.download(files[0]["Name"], files[0]["Length"])
    [kept] = (tmp_path / "files").rglob("sta_l1_het_20211028_v01.cdf")
    assert Path(downloaded).read_bytes() == kept.read_bytes()
    os.unlink(downloaded)


def test_it_gets_the_same_numbers_from_the_data_service(client, standin, cdf_reader, http, tmp_path):
    status, made = client.get_data_file("STA_L1_HET", ["Proton_Flux", "Total"], START, STOP)
    assert status == 200
    [file] = made["FileDescription"]
    downloaded = Path(client.download(file["Name"], file["Length"]))
    theirs = cdf_reader.read(downloaded, ["Proton_Flux", "Total"], DAY)
    ours = CdaWeb(tmp_path, http, reader=cdf_reader, url=standin.url).fetch(
        "STA_L1_HET", ["Proton_Flux", "Total"], DAY
    )
    for name in theirs:
        assert np.array_equal(theirs[name].epoch, ours[name].epoch)
        assert np.array_equal(theirs[name].values, ours[name].values, equal_nan=True)
    downloaded.unlink()


def test_no_data_is_no_data_for_it_too(client):
    status, made = client.get_data_file(
        "STA_L1_HET", ["Proton_Flux"], "2019-01-01T00:00:00Z", "2019-01-02T00:00:00Z"
    )
    assert (status, made) == (200, None)
