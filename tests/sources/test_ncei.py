"""GOES X-rays of NCEI, from a stand-in that lists folders as NOAA's servers do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, ForeignAddress, NoData, UnknownDataset, UnknownParameter
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.cdf import CdfReader
from helio.sources.http import Http
from helio.sources.providers.ncei import Ncei
from helio.sources.witness import Witness
from helio.testing import Handler, StandIn, check_source, client
from helio.time_range import TimeRange
from tests.sources.made_xrs import FLARE, write_day

GOES_16 = "platforms/solar-space-observing-satellites/goes/goes16/l2/data/xrsf-l2-avg1m_science"
GOES_15 = "data/goes-space-environment-monitor/access/science/xrs/goes15/xrsf-l2-avg1m_science"
DAY = TimeRange(datetime(2017, 9, 6), datetime(2017, 9, 7))


class NceiStandIn(StandIn):
    """Serves files by their paths, and for a folder the page that NOAA's Apache makes of it."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        super().__init__()

    class handler(Handler):  # noqa: N801 - the attribute of every stand-in
        def route(self) -> None:
            path = self.path.lstrip("/")
            if path in self.standin.files:
                return self.answer(200, self.standin.files[path], "application/x-netcdf")
            names = sorted(
                {
                    name.removeprefix(path).partition("/")[0]
                    for name in self.standin.files
                    if name.startswith(path)
                }
            )
            if not names or not path.endswith("/"):
                return self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
            rows = "".join(
                '<tr><td valign="top"><img src="/icons/unknown.gif" alt="[   ]"></td>'
                f'<td><a href="{name}">{name[:20]}..&gt;</a></td>'
                '<td align="right">2023-05-15 18:57  </td><td align="right">180K</td><td>&nbsp;</td></tr>\n'
                for name in names
            )
            page = (
                '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n'
                f"<head><title>Index of /{path}</title></head>\n<body>\n<h1>Index of /{path}</h1>\n<table>"
                '<tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th>'
                '<th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th>'
                '<th><a href="?C=S;O=A">Size</a></th></tr>\n'
                '<tr><td valign="top"><img src="/icons/back.gif" alt="[PARENTDIR]"></td>'
                f'<td><a href="/{path.rstrip("/").rpartition("/")[0]}/">Parent Directory</a></td></tr>\n'
                f"{rows}</table>\n</body></html>\n"
            )
            return self.answer(200, page.encode(), "text/html;charset=UTF-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("days")
    served = {}
    for day in (datetime(2017, 8, 31), datetime(2017, 9, 6), datetime(2017, 9, 7)):
        path = write_day(folder, 16, day)
        served[f"{GOES_16}/{day:%Y/%m}/{path.name}"] = path.read_bytes()
    newer = write_day(folder, 16, datetime(2017, 9, 7), "2-10-0", flare=[2e-3])
    served[f"{GOES_16}/2017/09/{newer.name}"] = newer.read_bytes()
    older = write_day(folder, 15, datetime(2017, 9, 6), "2-2-1")
    served[f"{GOES_15}/2017/09/{older.name}"] = older.read_bytes()
    served[f"{GOES_16}/sci_xrsf-l2-avg1m_g16_s20170207_e20241122_v2-2-0.nc"] = b"the whole mission"
    return served


@pytest.fixture
def server(files: dict[str, bytes]) -> Iterator[NceiStandIn]:
    with NceiStandIn(dict(files)) as server:
        yield server


@pytest.fixture
def reader() -> Iterator[CdfReader]:
    with CdfReader() as reader:
        yield reader


@pytest.fixture
def http() -> Iterator[Http]:
    with client() as http:
        yield http


@pytest.fixture
def ncei(server: NceiStandIn, tmp_path: Path, reader: CdfReader, http: Http) -> Ncei:
    return Ncei(tmp_path, http, url=server.url, reader=reader)


def test_it_holds_what_every_source_has_to(server: NceiStandIn, tmp_path: Path, reader: CdfReader):
    names = ["xrsa_flux", "xrsb_flux", "xrsb_flag"]
    tables = check_source(
        Ncei, server.url, "SCI_XRSF-L2-AVG1M_G16", names, DAY, cache=tmp_path, reader=reader
    )
    long = tables["xrsb_flux"]
    assert (len(long), canonical_unit(long.unit)) == (1440, "W/m^2")
    assert str(long.epoch[722]) == "2017-09-06T12:02:00.000000000"
    assert long.values[722] == pytest.approx(FLARE)
    assert np.isnan(long.values[100])
    assert np.flatnonzero(tables["xrsb_flag"].values).tolist() == [50]
    [file] = long.sources
    assert (file.file, file.version) == ("sci_xrsf-l2-avg1m_g16_d20170906_v2-2-0.nc", "2-2-0")
    assert file.provider == "NCEI"
    assert not any("science-quality" in note for note in long.notes)


def test_the_newest_version_of_a_day_is_read(ncei: Ncei):
    day = TimeRange(datetime(2017, 9, 7), datetime(2017, 9, 8))
    table = ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], day)["xrsb_flux"]
    assert table.values[722] == pytest.approx(2e-3)
    assert [file.version for file in table.sources] == ["2-10-0"]


def test_a_range_across_months_reads_both_folders(server: NceiStandIn, ncei: Ncei):
    weeks = TimeRange(datetime(2017, 8, 31), datetime(2017, 9, 8))
    table = ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], weeks)["xrsb_flux"]
    assert len(table) == 3 * 1440
    assert len(server.asked("/2017/08/")) == 2  # the page and one file


def test_goes_15_is_on_another_server_and_says_that_it_is_science_quality(
    ncei: Ncei, tmp_path: Path, http: Http
):
    table = ncei.fetch("SCI_XRSF-L2-AVG1M_G15", ["xrsb_flux"], DAY)["xrsb_flux"]
    assert table.values[722] == pytest.approx(FLARE)
    assert "science-quality: without the factors of 0.85" in table.notes[-1]
    own = Ncei(tmp_path, http)
    assert own._folder("SCI_XRSF-L2-AVG1M_G15") == f"https://www.ncei.noaa.gov/{GOES_15}/"
    assert own._folder("SCI_XRSF-L2-AVG1M_G16") == f"https://data.ngdc.noaa.gov/{GOES_16}/"
    own.http.refuse_foreign(own._folder("SCI_XRSF-L2-AVG1M_G15"), "a listing")


def test_what_is_not_there_is_said(ncei: Ncei):
    with pytest.raises(UnknownDataset) as caught:
        ncei.fetch("SCI_XRSF-L2-AVG1M_G61", ["xrsb_flux"], DAY)
    assert "SCI_XRSF-L2-AVG1M_G19" in caught.value.advice
    with pytest.raises(UnknownParameter, match="has no parameter 'xrsc_flux'"):
        ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsc_flux"], DAY)
    early = TimeRange(datetime(2001, 1, 1), datetime(2001, 1, 2))
    with pytest.raises(NoData, match="SCI_XRSF-L2-AVG1M_G16 has no file for 2001-01-01"):
        ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], early)


def test_a_truncated_file_is_refused(server: NceiStandIn, ncei: Ncei):
    name = f"{GOES_16}/2017/09/sci_xrsf-l2-avg1m_g16_d20170906_v2-2-0.nc"
    server.files[name] = server.files[name][:5000]
    with pytest.raises(DamagedFile, match="is truncated"):
        ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], DAY)


@pytest.mark.parametrize(
    ("day", "neighbour"), [(6, "20170907_v2-10-0"), (7, "20170906_v2-2-0")], ids=["after", "before"]
)
def test_a_damaged_file_of_another_day_is_a_note(server: NceiStandIn, ncei: Ncei, day: int, neighbour: str):
    name = f"sci_xrsf-l2-avg1m_g16_d{neighbour}.nc"
    server.files[f"{GOES_16}/2017/09/{name}"] = server.files[f"{GOES_16}/2017/09/{name}"][:5000]
    asked = TimeRange(datetime(2017, 9, day), datetime(2017, 9, day + 1))
    tables = ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsa_flux", "xrsb_flux"], asked)
    for table in tables.values():
        assert len(table) == 1440
        assert [f"_d201709{day:02}_" in source.file for source in table.sources] == [True]
        assert table.notes[-1].startswith(f"{name} beside this time range was not read: ")
        assert "is truncated" in table.notes[-1]
    with pytest.raises(DamagedFile, match="is truncated"):
        ncei.fetch(
            "SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], TimeRange(datetime(2017, 9, 6), datetime(2017, 9, 8))
        )


def test_a_damaged_file_beside_a_gap_may_hold_the_records(server: NceiStandIn, ncei: Ncei, tmp_path: Path):
    path = write_day(tmp_path, 16, datetime(2017, 9, 6), "3-0-0", records=1439)
    server.files[f"{GOES_16}/2017/09/{path.name}"] = path.read_bytes()
    name = f"{GOES_16}/2017/09/sci_xrsf-l2-avg1m_g16_d20170907_v2-10-0.nc"
    server.files[name] = server.files[name][:5000]
    with pytest.raises(DamagedFile, match=r"d20170907_v2-10-0\.nc' is truncated"):
        ncei.fetch("SCI_XRSF-L2-AVG1M_G16", ["xrsb_flux"], DAY)


def test_a_listing_that_leads_elsewhere_is_refused(server: NceiStandIn, ncei: Ncei):
    page = b'<a href="https://elsewhere.example/sci_xrsf-l2-avg1m_g16_d20170906_v9-0-0.nc">x</a>'
    server.files = {f"{GOES_16}/2017/09/": page}
    with pytest.raises(ForeignAddress):
        ncei.locate("SCI_XRSF-L2-AVG1M_G16", DAY)


def test_the_doctor_asks_for_a_folder_and_a_file(server: NceiStandIn, http: Http):
    answer = Ncei.probe(server.url, http.at(server.url, by_user=True), Witness())
    assert answer == (
        "the archive has September 2017, and its file sci_xrsf-l2-avg1m_g16_d20170906_v2-2-0.nc is a netCDF file"
    )
    server.files = dict.fromkeys(server.files, b"no netCDF")
    with pytest.raises(DamagedFile, match="is not a netCDF file"):
        Ncei.probe(server.url, http.at(server.url, by_user=True), Witness())


def test_every_known_dataset_has_a_folder(ncei: Ncei):
    folders = [ncei._folder(dataset_id) for dataset_id in ncei.datasets()]
    assert len(set(folders)) == len(folders) == 16
