"""What the local archive finds, chooses and joins; the reader is a fake except where real files matter."""

import hashlib
import logging
import os
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helio.errors import DamagedFile, NoData, RequestError, UnknownDataset, UnknownParameter
from helio.sources import local
from helio.sources.cdf import CdfReader, FileFacts
from helio.sources.file_digests import FileState
from helio.sources.local import (
    FileName,
    KnownFile,
    LocalArchive,
    is_preliminary,
    natural_version,
    parse_file_name,
)
from helio.store.table import Axis, Table
from helio.time_range import TimeRange
from tests.rows import in_one_test
from tests.sources.made_files import goes_like, istp_like

HOUR = timedelta(hours=1)


def days(start: str, stop: str) -> TimeRange:
    return TimeRange(datetime.fromisoformat(start), datetime.fromisoformat(stop))


def hourly(start: str, records: int, first: float = 0.0, **facts) -> Table:
    epoch = np.datetime64(start, "ns") + np.arange(records) * np.timedelta64(1, "h")
    values = first + np.arange(records, dtype="f4")
    return Table(epoch=epoch.astype("datetime64[ns]"), values=facts.pop("values", values), **facts)


class FakeReader:
    """Gives the tables and facts a test lays down per file name; a file without any is damaged."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Table]] = {}
        self.facts: dict[str, FileFacts] = {}
        self.described: list[str] = []
        self.read_files: list[str] = []

    def describe(self, path: Path, state: FileState | None = None) -> FileFacts:
        self.described.append(path.name)
        if path.name not in self.facts:
            raise DamagedFile(f"{path.name} is not a CDF file")
        return self.facts[path.name]

    def read(
        self, path: Path, parameters, time_range: TimeRange, state: FileState | None = None
    ) -> dict[str, Table]:
        self.read_files.append(path.name)
        if path.name not in self.tables:
            raise DamagedFile(f"{path.name} is not a CDF file")
        if not self.tables[path.name]:
            raise NoData(f"{path.name} holds no records")
        for parameter in parameters:
            if parameter not in self.tables[path.name]:
                raise UnknownParameter(f"{path.name} has no parameter '{parameter}'")
        start, stop = np.datetime64(time_range.start, "ns"), np.datetime64(time_range.stop, "ns")
        return {name: self.tables[path.name][name].between(start, stop) for name in parameters}


def facts(logical_source: str = "", logical_file_id: str = "", parameters=("B",), **more) -> FileFacts:
    said = {field.name: "" for field in fields(FileFacts)} | {"data_version": "1", "span": None} | more
    said |= {"logical_source": logical_source, "logical_file_id": logical_file_id}
    return FileFacts(**said | {"parameters": tuple(parameters)})


@pytest.fixture
def fake() -> FakeReader:
    return FakeReader()


@pytest.fixture
def lay(tmp_path: Path, fake: FakeReader):
    """Lay down a file that holds tables."""

    def put(name: str, _facts: FileFacts | None = None, **tables: Table) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
        fake.tables[path.name] = tables
        fake.facts[path.name] = _facts or facts(parameters=tables)
        return path

    return put


def names(archive: LocalArchive, dataset_id: str, time_range: TimeRange) -> list[str]:
    return [source.file for source in archive.locate(dataset_id, time_range)]


# Names

NAMES = [
    ("mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf", "MMS1_FGM_BRST_L2", "2015-10-16T13:05:24", "4.18.1"),
    (
        "mms1_fpi_brst_l2_dis-moms_20151016130524_v3.3.0.cdf",
        "MMS1_FPI_BRST_L2_DIS-MOMS",
        "2015-10-16T13:05:24",
        "3.3.0",
    ),
    (
        "mms1_fpi_fast_l2_dis-moms_20151201100000_v3.3.0.cdf",
        "MMS1_FPI_FAST_L2_DIS-MOMS",
        "2015-12-01T10",
        "3.3.0",
    ),
    ("wi_h0_mfi_20031120_v05.cdf", "WI_H0_MFI", "2003-11-20", "05"),
    ("wi_h1_swe_20031120_v01.cdf", "WI_H1_SWE", "2003-11-20", "01"),
    ("wi_h5_swe_20031120_v01.cdf", "WI_H5_SWE", "2003-11-20", "01"),
    ("omni2_h0_mrg1hr_20230101_v01.cdf", "OMNI2_H0_MRG1HR", "2023-01-01", "01"),
    (
        "omni_coho1hr_merged_mag_plasma_20200501_v01.cdf",
        "OMNI_COHO1HR_MERGED_MAG_PLASMA",
        "2020-05-01",
        "01",
    ),
    ("ac_h0_mfi_20230102_v07.cdf", "AC_H0_MFI", "2023-01-02", "07"),
    ("AC_K2_MFI_20220101_V03.CDF", "AC_K2_MFI", "2022-01-01", "03"),
    ("psp_fld_l2_mag_rtn_1min_20200104_v02.cdf", "PSP_FLD_L2_MAG_RTN_1MIN", "2020-01-04", "02"),
    ("psp_fld_l2_mag_rtn_2020010406_v02.cdf", "PSP_FLD_L2_MAG_RTN", "2020-01-04T06", "02"),
    (
        "solo_l2_mag-rtn-normal-1-minute_20210711_v01.cdf",
        "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE",
        "2021-07-11",
        "01",
    ),
    ("solo_L2_epd-ept-asun-rates_20200603_V02.cdf", "SOLO_L2_EPD-EPT-ASUN-RATES", "2020-06-03", "02"),
    ("soho_erne-hed_l2-1min_20211028_v01.cdf", "SOHO_ERNE-HED_L2-1MIN", "2021-10-28", "01"),
    ("sta_l1_het_20211028_v01.cdf", "STA_L1_HET", "2021-10-28", "01"),
    ("tha_l1_state_20100225.cdf", "THA_L1_STATE", "2010-02-25", ""),
    ("ela_l1_fgs_20201001_v01.cdf", "ELA_L1_FGS", "2020-10-01", "01"),
    ("elb_l2_epdef_20210914_v01.cdf", "ELB_L2_EPDEF", "2021-09-14", "01"),
    ("ge_k0_cpi_19921231_v02.cdf", "GE_K0_CPI", "1992-12-31", "02"),
    ("ia_k0_epi_19970102_v01.cdf", "IA_K0_EPI", "1997-01-02", "01"),
    ("de2_ion2s_rpa_19830213_v01.cdf", "DE2_ION2S_RPA", "1983-02-13", "01"),
    (
        "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf",
        "RBSPA_REL04_ECT-HOPE-PA-L3",
        "2012-12-01",
        "0.0.0",
    ),
    ("mvn_mag_l2_20150101_v01_r02.cdf", "MVN_MAG_L2", "2015-01-01", "01_r02"),
]


@in_one_test(("file", "dataset_id", "start", "version"), NAMES)
def test_a_file_name_gives_dataset_start_and_version(file, dataset_id, start, version):
    moment = datetime.fromisoformat(start)
    assert parse_file_name(file) == FileName(dataset_id, moment, moment.hour != 0, version)


@in_one_test(
    "file",
    [
        "mms1.cdf",
        "notes_20200101_v01.txt",
        "ac_h0_mfi_00000000_v01.cdf",
        "ac_h0_mfi_20231301_v01.cdf",
        "fa_ees_1234567_v01.cdf",
        "_20200101_v01.cdf",
        "ac_h0_mfi_202301021_v01.cdf",
        "",
    ],
)
def test_a_name_of_another_form_says_nothing(file):
    assert parse_file_name(file) is None


@pytest.mark.parametrize(
    ("newer", "older"),
    [("10", "9"), ("4.18.1", "4.9.0"), ("02", "1"), ("1", ""), ("01_r02", "01_r01"), ("1.0.1", "1.0")],
)
def test_versions_compare_by_their_numbers(newer, older):
    assert natural_version(newer) > natural_version(older)


@pytest.mark.parametrize(
    ("dataset_id", "preliminary"),
    [
        ("AC_K2_MFI", True),
        ("GE_K0_CPI", True),
        ("AC_K1_SWE", True),
        ("SOLO_LL02_MAG", True),
        ("AC_H0_MFI", False),
        ("MOCK2_L2", False),
        ("A_K3_X", False),
    ],
)
def test_key_parameters_and_low_latency_are_preliminary(dataset_id, preliminary):
    assert is_preliminary(dataset_id) is preliminary


# Folders


@pytest.mark.parametrize("what", ["missing", "file"])
def test_an_archive_that_is_no_folder_is_refused_with_advice(tmp_path, fake, what):
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError) as caught:
        LocalArchive(tmp_path / what, fake)
    assert what in caught.value.message
    assert "folder" in caught.value.advice


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path, fake, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(local.os, "scandir", denied)
    with pytest.raises(RequestError, match="Permission denied"):
        LocalArchive(tmp_path, fake)


def test_a_tree_with_loops_other_files_and_a_closed_folder_is_tolerated(
    tmp_path, fake, lay, monkeypatch, caplog
):
    lay("ace/2022/ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    lay("closed/ac_h0_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    (tmp_path / "ace" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone_20200101_v01.cdf").symlink_to(tmp_path / "nowhere.cdf")
    (tmp_path / "notes.txt").write_text("not data")
    (tmp_path / "._ac_h2_mfi_20220101_v03.cdf").write_text("what a file manager left")
    (tmp_path / "folder_20200101_v01.cdf").mkdir()
    real = os.scandir

    def scandir(path):
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(path)

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(local.os, "scandir", scandir)
        assert LocalArchive(tmp_path, fake).datasets() == ["AC_K2_MFI"]
    assert [record for record in caplog.records if "closed" in record.getMessage()]


def test_the_folder_is_listed_once(tmp_path, fake, lay, monkeypatch):
    lay("ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    archive = LocalArchive(tmp_path, fake)
    assert archive.datasets() == ["AC_K2_MFI"]
    with monkeypatch.context() as patch:
        patch.setattr(local.os, "scandir", None)
        assert archive.locate("AC_K2_MFI", days("2022-01-01", "2022-01-02"))


def test_the_name_says_nothing_of_the_folder_unless_given(tmp_path, fake):
    assert LocalArchive(tmp_path, fake).name == "local files"
    assert LocalArchive(tmp_path, fake, name="my data").name == "my data"


# Finding a dataset


def test_a_located_file_carries_what_a_lock_needs(tmp_path, fake, lay):
    path = lay("ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    (source,) = LocalArchive(tmp_path, fake, name="here").locate(
        "ac_k2_MFI", days("2022-01-01", "2022-01-02")
    )
    assert source.dataset_id == "AC_K2_MFI"
    assert source.file == path.name
    assert source.version == "03"
    assert source.provider == "here"
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert source.size == len(path.read_bytes())
    assert source.preliminary
    assert fake.read_files == []
    assert fake.described == []


def test_a_file_written_again_has_another_digest_for_the_next_run_only(tmp_path, fake, lay):
    path = lay("ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    archive, day = LocalArchive(tmp_path, fake), days("2022-01-01", "2022-01-02")
    before = archive.locate("AC_K2_MFI", day)[0].sha256
    path.write_bytes(b"published again, longer than before, under the same name")
    assert archive.locate("AC_K2_MFI", day)[0].sha256 == before
    assert LocalArchive(tmp_path, fake).locate("AC_K2_MFI", day)[0].sha256 != before


def test_an_unknown_dataset_is_refused_with_the_closest_id(tmp_path, fake, lay):
    lay("ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    lay("sta_l1_het_20211028_v01.cdf", B=hourly("2021-10-28", 24))
    with pytest.raises(UnknownDataset) as caught:
        LocalArchive(tmp_path, fake).locate("AC_K2_MFY", days("2022-01-01", "2022-01-02"))
    assert "'AC_K2_MFY'" in caught.value.message
    assert caught.value.advice == "did you mean 'AC_K2_MFI'? All datasets: AC_K2_MFI, STA_L1_HET"


def test_an_empty_archive_says_that_it_is_empty(tmp_path, fake):
    with pytest.raises(UnknownDataset) as caught:
        LocalArchive(tmp_path, fake).locate("AC_K2_MFI", days("2022-01-01", "2022-01-02"))
    assert caught.value.advice == "check the files: they contain no datasets"


def test_a_dataset_is_found_by_its_logical_source_where_no_name_fits(tmp_path, fake, lay):
    table = hourly("2003-11-20", 24)
    lay("wi_h1_swe_20031120_v01.cdf", facts("wind_vs_swe"), B=table)
    day = days("2003-11-20", "2003-11-21")
    archive = LocalArchive(tmp_path, fake)
    assert names(archive, "WI_H1_SWE", day) == names(archive, "WIND_VS_SWE", day)
    assert archive.locate("wind_vs_swe", day)[0].dataset_id == "WI_H1_SWE"
    assert archive.datasets() == ["WI_H1_SWE"]


def test_a_file_with_any_name_is_found_by_what_stands_in_it(tmp_path, fake, lay):
    inside = facts("mms1_fgm_brst_l2", "mms1_fgm_brst_l2_20151016130524_v4.18.1")
    lay("mms1.cdf", inside, B=hourly("2015-10-16T13:05:24", 2))
    archive = LocalArchive(tmp_path, fake)
    assert archive.datasets() == ["MMS1_FGM_BRST_L2"]
    (source,) = archive.locate("MMS1_FGM_BRST_L2", days("2015-10-16T13", "2015-10-16T14"))
    assert (source.file, source.version) == ("mms1.cdf", "4.18.1")
    with pytest.raises(NoData):
        archive.locate("MMS1_FGM_BRST_L2", days("2015-10-18", "2015-10-19"))


def test_a_file_that_gives_no_date_anywhere_is_always_looked_into(tmp_path, fake, lay):
    lay("mine.cdf", facts("my_data"), B=hourly("2001-01-01", 24))
    archive = LocalArchive(tmp_path, fake)
    assert len(archive.fetch("MY_DATA", ["B"], days("2001-01-01", "2001-01-02"))["B"]) == 24
    with pytest.raises(NoData) as caught:
        archive.fetch("MY_DATA", ["B"], days("2020-01-01", "2020-01-02"))
    assert "mine.cdf holds records from 2001-01-01T00:00:00 to 2001-01-01T23:00:00" in caught.value.advice


def test_a_logical_source_that_several_datasets_share_is_not_guessed(tmp_path, fake, lay):
    for name in ("normal", "burst"):
        lay(f"solo_l2_mag-rtn-{name}_20210711_v01.cdf", facts("solo_L2_mag-rtn"), B=hourly("2021-07-11", 24))
    with pytest.raises(UnknownDataset) as caught:
        LocalArchive(tmp_path, fake).locate("SOLO_L2_MAG-RTN", days("2021-07-11", "2021-07-12"))
    assert "SOLO_L2_MAG-RTN-BURST, SOLO_L2_MAG-RTN-NORMAL" in caught.value.advice


def test_a_damaged_file_met_while_scanning_is_skipped_and_logged(tmp_path, fake, lay, caplog):
    (tmp_path / "broken.cdf").write_bytes(b"half a file")
    lay("wi_h1_swe_20031120_v01.cdf", facts("wind_vs_swe"), B=hourly("2003-11-20", 24))
    with caplog.at_level(logging.WARNING):
        archive = LocalArchive(tmp_path, fake)
        assert archive.locate("WIND_VS_SWE", days("2003-11-20", "2003-11-21"))
        assert archive.locate("WIND_VS_SWE", days("2003-11-20", "2003-11-21"))
    assert [record.getMessage() for record in caplog.records if "broken.cdf" in record.getMessage()]
    assert fake.described.count("broken.cdf") == 1


def test_a_folder_of_damaged_files_is_not_asked_file_by_file(tmp_path, fake):
    for day in range(1, 29):
        (tmp_path / f"ac_h0_mfi_202201{day:02}_v01.cdf").write_bytes(b"half a file")
    with pytest.raises(UnknownDataset):
        LocalArchive(tmp_path, fake).locate("AC_H0_MFY", days("2022-01-01", "2022-01-02"))
    assert len(fake.described) == 3


def test_a_damaged_file_that_is_chosen_is_an_error(tmp_path, fake):
    (tmp_path / "ac_k2_mfi_20220101_v03.cdf").write_bytes(b"half a file")
    with pytest.raises(DamagedFile, match="ac_k2_mfi_20220101_v03"):
        LocalArchive(tmp_path, fake).fetch("AC_K2_MFI", ["B"], days("2022-01-01", "2022-01-02"))


def test_a_file_deleted_after_listing_is_an_error_in_words(tmp_path, fake, lay):
    path = lay("ac_k2_mfi_20220101_v03.cdf", B=hourly("2022-01-01", 24))
    archive = LocalArchive(tmp_path, fake)
    archive.datasets()
    path.unlink()
    with pytest.raises(DamagedFile, match="cannot be read"):
        archive.locate("AC_K2_MFI", days("2022-01-01", "2022-01-02"))


def test_a_master_is_no_data_file(tmp_path, fake, lay):
    lay("ac_h0_mfi_00000000_v01.cdf", facts("AC_H0_MFI"))
    assert LocalArchive(tmp_path, fake).datasets() == []


# Choosing files


def test_only_the_newest_version_of_a_day_is_used(tmp_path, fake, lay):
    for version in ("9", "10", "2"):
        lay(f"ac_h0_mfi_20230102_v{version}.cdf", B=hourly("2023-01-02", 24, first=float(version)))
    archive = LocalArchive(tmp_path, fake)
    day = days("2023-01-02", "2023-01-03")
    assert names(archive, "AC_H0_MFI", day) == ["ac_h0_mfi_20230102_v10.cdf"]
    assert archive.fetch("AC_H0_MFI", ["B"], day)["B"].values[0] == 10.0


def test_two_files_of_one_name_and_other_bytes_are_never_one_of_them_silently(tmp_path, fake, lay):
    day = days("2023-01-02", "2023-01-03")
    for folder in ("new", "old"):
        lay(f"{folder}/ac_h0_mfi_20230102_v01.cdf", B=hourly("2023-01-02", 24))
    archive = LocalArchive(tmp_path, fake)
    told = "new/ac_h0_mfi_20230102_v01.cdf and old/ac_h0_mfi_20230102_v01.cdf"
    for ask in (lambda: archive.locate("AC_H0_MFI", day), lambda: archive.fetch("AC_H0_MFI", ["B"], day)):
        with pytest.raises(DamagedFile, match=told):
            ask()
    assert names(LocalArchive(tmp_path / "old", fake), "AC_H0_MFI", day) == ["ac_h0_mfi_20230102_v01.cdf"]


def test_two_copies_of_one_file_are_that_file(tmp_path, fake, lay):
    first = lay("a/ac_h0_mfi_20230102_v01.cdf", B=hourly("2023-01-02", 24))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / first.name).write_bytes(first.read_bytes())
    assert names(LocalArchive(tmp_path, fake), "AC_H0_MFI", days("2023-01-02", "2023-01-03")) == [first.name]


def test_a_newer_version_ends_a_quarrel_of_older_ones(tmp_path, fake, lay):
    for file in (
        "a/ac_h0_mfi_20230102_v01.cdf",
        "b/ac_h0_mfi_20230102_v01.cdf",
        "ac_h0_mfi_20230102_v02.cdf",
    ):
        lay(file, B=hourly("2023-01-02", 24))
    found = names(LocalArchive(tmp_path, fake), "AC_H0_MFI", days("2023-01-02", "2023-01-03"))
    assert found == ["ac_h0_mfi_20230102_v02.cdf"]


def test_the_same_day_in_another_format_is_noted_and_not_read(tmp_path, fake, lay):
    for ending in ("cdf", "nc"):
        lay(f"ac_h0_mfi_20230102_v01.{ending}", B=hourly("2023-01-02", 24))
    table = LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2023-01-02", "2023-01-03"))["B"]
    assert [source.file for source in table.sources] == ["ac_h0_mfi_20230102_v01.cdf"]
    [note] = table.notes
    assert "read instead of ac_h0_mfi_20230102_v01.nc" in note


def daily(lay, first: str, count: int, dataset: str = "ac_h0_mfi") -> None:
    for day in range(count):
        start = datetime.fromisoformat(first) + timedelta(days=day)
        lay(f"{dataset}_{start:%Y%m%d}_v01.cdf", B=hourly(start.isoformat(), 24))


def test_of_many_days_only_those_near_the_interval_are_chosen(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 40)
    found = names(LocalArchive(tmp_path, fake), "AC_H0_MFI", days("2023-01-10T06", "2023-01-12T06"))
    assert found == [f"ac_h0_mfi_202301{day}_v01.cdf" for day in (10, 11, 12)]


def test_neighbours_that_may_spill_over_midnight_are_looked_into(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 5)
    archive, day = LocalArchive(tmp_path, fake), days("2023-01-03", "2023-01-04")
    assert names(archive, "AC_H0_MFI", day) == [f"ac_h0_mfi_2023010{n}_v01.cdf" for n in (2, 3, 4)]
    table = archive.fetch("AC_H0_MFI", ["B"], day)["B"]
    assert [source.file for source in table.sources] == ["ac_h0_mfi_20230103_v01.cdf"]


def test_records_before_the_date_of_a_files_name_are_found(tmp_path, fake, lay):
    before = np.array(["2003-11-19T23:59:49", "2003-11-20T00:01"], "datetime64[ns]")
    lay("wi_h5_swe_20031119_v01.cdf", B=hourly("2003-11-19", 24))
    lay("wi_h5_swe_20031120_v01.cdf", B=Table(epoch=before, values=np.zeros(2, "f4")))
    table = LocalArchive(tmp_path, fake).fetch("WI_H5_SWE", ["B"], days("2003-11-19", "2003-11-20"))["B"]
    assert table.epoch[-1] == before[0]
    assert len(table) == 25


def damage(fake: FakeReader, name: str) -> None:
    del fake.tables[name], fake.facts[name]


@pytest.mark.parametrize("neighbour", ["02", "04"])
def test_a_damaged_file_of_another_day_is_a_note(tmp_path, fake, lay, neighbour):
    daily(lay, "2023-01-01", 5)
    damage(fake, f"ac_h0_mfi_202301{neighbour}_v01.cdf")
    archive, day = LocalArchive(tmp_path, fake), days("2023-01-03", "2023-01-04")
    table = archive.fetch("AC_H0_MFI", ["B"], day)["B"]
    assert (len(table), [source.file for source in table.sources]) == (24, ["ac_h0_mfi_20230103_v01.cdf"])
    [note] = table.notes
    assert note.startswith(f"ac_h0_mfi_202301{neighbour}_v01.cdf beside this time range was not read: ")
    assert archive.files_with_records("AC_H0_MFI", day) == {"ac_h0_mfi_20230103_v01.cdf"}
    with pytest.raises(DamagedFile, match=neighbour):
        archive.fetch("AC_H0_MFI", ["B"], days(f"2023-01-{neighbour}", f"2023-01-{neighbour}T12"))


@pytest.mark.parametrize(
    ("first", "records", "neighbour"),
    [
        ("2023-01-03T01", 23, "02"),  # the record of midnight may stand at the end of the file before
        ("2023-01-03", 23, "04"),  # and that of 23:00 at the beginning of the next
        ("2023-01-03T06", 1, "02"),  # of one record, nobody knows the spacing
    ],
)
def test_a_damaged_file_beside_a_gap_may_hold_the_records(tmp_path, fake, lay, first, records, neighbour):
    daily(lay, "2023-01-01", 5)
    lay("ac_h0_mfi_20230103_v01.cdf", B=hourly(first, records))
    archive, day = LocalArchive(tmp_path, fake), days("2023-01-03", "2023-01-04")
    assert len(archive.fetch("AC_H0_MFI", ["B"], day)["B"]) == records
    damage(fake, f"ac_h0_mfi_202301{neighbour}_v01.cdf")
    with pytest.raises(DamagedFile, match=f"202301{neighbour}"):
        LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], day)


def test_a_damaged_last_file_may_hold_the_next_day(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 5)
    damage(fake, "ac_h0_mfi_20230105_v01.cdf")
    with pytest.raises(DamagedFile, match="20230105"):
        LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2023-01-06", "2023-01-07"))


def test_a_damaged_neighbour_hides_no_unknown_parameter(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 5)
    damage(fake, "ac_h0_mfi_20230102_v01.cdf")
    with pytest.raises(UnknownParameter, match="no parameter 'X'"):
        LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["X"], days("2023-01-03", "2023-01-04"))


@pytest.mark.parametrize(
    ("files", "interval", "chosen"),
    [
        # A half-yearly file reaches into June; the next one has not begun.
        (["20230101", "20230701"], ("2023-06-20", "2023-06-21"), ["20230101"]),
        # A month's file, asked for at its end, with the next month missing.
        (["20200401", "20200501", "20200801"], ("2020-05-31", "2020-06-01"), ["20200501"]),
        # The last file may still reach the interval.
        (["20220101", "20220701"], ("2022-12-30", "2022-12-31"), ["20220701"]),
        # A single file may hold a whole mission.
        (["19590101"], ("2010-01-01", "2010-01-02"), ["19590101"]),
        # Two-hourly files.
        (["20151201100000", "20151201120000"], ("2015-12-01T13:00", "2015-12-01T14:00"), ["20151201120000"]),
        # An interval across both.
        (["20200501", "20200601"], ("2020-05-28", "2020-06-05"), ["20200501", "20200601"]),
    ],
)
def test_files_that_can_reach_the_interval_are_chosen(tmp_path, fake, lay, files, interval, chosen):
    for start in files:
        lay(f"some_data_{start}_v01.cdf", B=hourly("2000-01-01", 1))
    found = names(LocalArchive(tmp_path, fake), "SOME_DATA", days(*interval))
    assert found == [f"some_data_{start}_v01.cdf" for start in chosen]


@pytest.mark.parametrize(
    ("files", "interval", "said"),
    [
        (["20220101"], ("2021-01-01", "2021-01-02"), "only file, some_data_20220101_v01.cdf"),
        (
            ["20220101", "20220102"],
            ("2024-01-01", "2024-01-02"),
            "2 files start between 2022-01-01T00:00:00 and",
        ),
        (["20151201100000"], ("2015-12-03", "2015-12-04"), "starts at 2015-12-01T10:00:00"),
    ],
)
def test_no_file_for_the_interval_says_what_files_there_are(tmp_path, fake, lay, files, interval, said):
    for start in files:
        lay(f"some_data_{start}_v01.cdf", B=hourly("2000-01-01", 1))
    with pytest.raises(NoData) as caught:
        LocalArchive(tmp_path, fake).locate("SOME_DATA", days(*interval))
    assert said in caught.value.advice
    assert fake.read_files == []


def test_known_spans_are_believed(tmp_path, fake, lay):
    name = "ac_k2_mfi_20220101_v03.cdf"
    lay(name, B=hourly("2022-01-01", 24))
    known = KnownFile(datetime(2022, 1, 1), datetime(2022, 1, 1, 23), doi="10.1/x", acknowledgement="thanks")
    archive = LocalArchive(tmp_path, fake, known={name: known})
    with pytest.raises(NoData, match="no file") as caught:
        archive.locate("AC_K2_MFI", days("2022-01-02", "2022-01-03"))
    assert (
        caught.value.advice
        == "choose another time range: the records of the dataset run from 2022-01-01T00:00:00 to 2022-01-01T23:00:00"
    )
    (source,) = archive.locate("AC_K2_MFI", days("2022-01-01T23:00", "2022-01-02"))
    assert (source.doi, source.acknowledgement) == ("10.1/x", "thanks")


# Reading and joining


def test_an_hourly_day_has_24_rows(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 3)
    table = LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2023-01-02", "2023-01-03"))["B"]
    assert len(table) == 24
    assert table.epoch[0] == np.datetime64("2023-01-02T00:00")
    assert table.epoch[-1] == np.datetime64("2023-01-02T23:00")


def test_a_reader_that_gives_too_much_is_clipped(tmp_path, fake, lay, monkeypatch):
    lay("ac_h0_mfi_20230102_v01.cdf", B=hourly("2023-01-02", 25))
    monkeypatch.setattr(fake, "read", lambda path, *_: dict(fake.tables[path.name]))
    table = LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2023-01-02", "2023-01-03"))["B"]
    assert len(table) == 24


def test_overlapping_files_give_each_epoch_once_from_the_earlier(tmp_path, fake, lay):
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 26))
    lay("a_b_20230102_v01.cdf", B=hourly("2023-01-01T22:00", 26, first=100.0))
    table = LocalArchive(tmp_path, fake).fetch("A_B", ["B"], days("2023-01-01", "2023-01-03"))["B"]
    assert (np.diff(table.epoch) == np.timedelta64(1, "h")).all()
    assert len(table) == 48
    assert table.values[25] == 25.0
    assert table.values[26] == 104.0
    assert table.values.dtype == np.float32
    assert any("4 repeated epochs" in note for note in table.notes)
    assert [source.file for source in table.sources] == ["a_b_20230101_v01.cdf", "a_b_20230102_v01.cdf"]


def test_interleaved_files_are_put_in_order(tmp_path, fake, lay):
    odd = np.datetime64("2023-01-01T00:30", "ns") + np.arange(3) * np.timedelta64(1, "h")
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 4))
    lay("a_b_20230101120000_v01.cdf", B=Table(epoch=odd, values=np.full(3, 9, "f4")))
    table = LocalArchive(tmp_path, fake).fetch("A_B", ["B"], days("2023-01-01", "2023-01-02"))["B"]
    assert table.values.tolist() == [0, 9, 1, 9, 2, 9, 3]


def test_a_gap_between_files_stays_a_gap(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 1)
    daily(lay, "2023-01-03", 1)
    table = LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2023-01-01", "2023-01-04"))["B"]
    assert len(table) == 48
    assert np.diff(table.epoch).max() == np.timedelta64(25, "h")


def test_a_table_names_its_files_with_doi_and_acknowledgement(tmp_path, fake, lay):
    told = facts(doi="10.48322/x", acknowledgement="the PI", data_version="03")
    lay("tha_l1_state_20100225.cdf", told, B=hourly("2010-02-25", 24))
    table = LocalArchive(tmp_path, fake).fetch("THA_L1_STATE", ["B"], days("2010-02-25", "2010-02-26"))["B"]
    (source,) = table.sources
    assert (source.doi, source.acknowledgement, source.version) == ("10.48322/x", "the PI", "03")
    assert len(source.sha256) == 64


def test_no_record_in_the_interval_says_what_the_files_hold(tmp_path, fake, lay):
    daily(lay, "2022-01-01", 1)
    with pytest.raises(NoData) as caught:
        LocalArchive(tmp_path, fake).fetch("AC_H0_MFI", ["B"], days("2022-02-01", "2022-02-02"))
    assert "AC_H0_MFI has no record of B in 2022-02-01T00:00:00 to 2022-02-02T00:00:00" in str(caught.value)
    assert "holds records from 2022-01-01T00:00:00 to 2022-01-01T23:00:00" in caught.value.advice


def test_a_file_without_any_record_does_not_hide_the_others(tmp_path, fake, lay):
    daily(lay, "2023-01-01", 1)
    lay("ac_h0_mfi_20230102_v01.cdf")
    archive = LocalArchive(tmp_path, fake)
    assert len(archive.fetch("AC_H0_MFI", ["B"], days("2023-01-01", "2023-01-03"))["B"]) == 24
    with pytest.raises(NoData, match="no record of B"):
        archive.fetch("AC_H0_MFI", ["B"], days("2023-01-02T12", "2023-01-03"))


def test_one_parameter_without_records_is_named(tmp_path, fake, lay):
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 24), C=hourly("2022-01-01", 1))
    with pytest.raises(NoData, match="no record of C in"):
        LocalArchive(tmp_path, fake).fetch("A_B", ["B", "C"], days("2023-01-01", "2023-01-02"))


def test_a_table_of_nothing_but_fill_is_returned(tmp_path, fake, lay):
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 24, values=np.full(24, np.nan, "f4")))
    table = LocalArchive(tmp_path, fake).fetch("A_B", ["B"], days("2023-01-01", "2023-01-02"))["B"]
    assert np.isnan(table.values).all()


def test_a_parameter_that_some_files_lack_is_read_from_the_others_and_noted(tmp_path, fake, lay):
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 24))
    lay("a_b_20230102_v01.cdf", B=hourly("2023-01-02", 24), C=hourly("2023-01-02", 24))
    found = LocalArchive(tmp_path, fake).fetch("A_B", ["B", "C"], days("2023-01-01", "2023-01-03"))
    assert len(found["B"]) == 48
    assert len(found["C"]) == 24
    assert found["C"].notes == ("a_b_20230101_v01.cdf has no parameter C",)
    assert found["B"].notes == ()


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ("bgsec", "did you mean 'BGSEc'?"),
        ("BGSE", "did you mean 'BGSEc'?"),
        ("zzz", "choose one of: BGSEc, Weight"),
    ],
)
def test_an_unknown_parameter_is_refused_with_the_closest_name(tmp_path, fake, lay, asked, advice):
    day = hourly("2022-01-01", 24)
    lay("ac_k2_mfi_20220101_v03.cdf", facts(parameters=("BGSEc", "Weight")), BGSEc=day, Weight=day)
    with pytest.raises(UnknownParameter) as caught:
        LocalArchive(tmp_path, fake).fetch("AC_K2_MFI", [asked], days("2022-01-01", "2022-01-02"))
    assert asked in caught.value.message
    assert advice in caught.value.advice


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ({"unit": "nT"}, {"unit": "T"}, "unit"),
        (
            {"components": ("Bx", "By"), "values": np.zeros((24, 2), "f4")},
            {"components": ("Bx", "Bz"), "values": np.zeros((24, 2), "f4")},
            "components",
        ),
        (
            {"frame": "GSE", "components": ("Bx",), "values": np.zeros((24, 1))},
            {"frame": "GSM", "components": ("Bx",), "values": np.zeros((24, 1))},
            "frame",
        ),
        ({}, {"components": ("Bx",), "values": np.zeros((24, 1), "f4")}, "components"),
    ],
)
def test_files_that_contradict_each_other_are_refused(tmp_path, fake, lay, one, other, what):
    lay("a_b_20230101_v01.cdf", B=hourly("2023-01-01", 24, **one))
    lay("a_b_20230102_v01.cdf", B=hourly("2023-01-02", 24, **other))
    with pytest.raises(DamagedFile) as caught:
        LocalArchive(tmp_path, fake).fetch("A_B", ["B"], days("2023-01-01", "2023-01-03"))
    assert what in caught.value.message
    assert "a_b_20230101_v01.cdf" in caught.value.message
    assert "a_b_20230102_v01.cdf" in caught.value.message


def spectrum(start: str, centers, **edges) -> Table:
    axis = Axis("Energy", "eV", np.asarray(centers, "f4"), **{k: np.asarray(v) for k, v in edges.items()})
    return hourly(start, 24, values=np.ones((24, axis.bins), "f4"), axes=(axis,))


def two_days(lay, tmp_path, fake, first, second) -> Axis:
    lay("a_b_20230101_v01.cdf", B=first)
    lay("a_b_20230102_v01.cdf", B=second)
    (axis,) = LocalArchive(tmp_path, fake).fetch("A_B", ["B"], days("2023-01-01", "2023-01-03"))["B"].axes
    return axis


def test_equal_bins_stay_fixed_across_files(tmp_path, fake, lay):
    bins = [1.0, np.nan]
    axis = two_days(lay, tmp_path, fake, spectrum("2023-01-01", bins), spectrum("2023-01-02", bins))
    assert axis.centers.shape == (2,)


def test_bins_that_differ_between_files_become_per_record(tmp_path, fake, lay):
    axis = two_days(
        lay,
        tmp_path,
        fake,
        spectrum("2023-01-01", [1.0, 2.0], lower=[0.5, 1.5], upper=[1.5, 2.5]),
        spectrum("2023-01-02", [3.0, 4.0], lower=[2.5, 3.5]),
    )
    assert axis.centers.shape == (48, 2)
    assert axis.centers[23].tolist() == [1.0, 2.0]
    assert axis.centers[24].tolist() == [3.0, 4.0]
    assert axis.lower is not None
    assert axis.lower.shape == (48, 2)
    assert axis.upper is None


def test_per_record_bins_are_joined(tmp_path, fake, lay):
    moving = np.arange(48.0).reshape(24, 2)
    axis = two_days(lay, tmp_path, fake, spectrum("2023-01-01", moving), spectrum("2023-01-02", [7.0, 8.0]))
    assert axis.centers[[0, 23, 24]].tolist() == [[0.0, 1.0], [46.0, 47.0], [7.0, 8.0]]


# Real files


@pytest.fixture(scope="module")
def real():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE names no folder of further real data")
    with CdfReader() as reader:
        yield LocalArchive(Path(folder), reader)


@pytest.mark.archive
def test_omni_crosses_a_month_without_a_seam(real):
    dataset, interval = "OMNI_COHO1HR_MERGED_MAG_PLASMA", days("2020-05-28", "2020-06-05")
    table = real.fetch(dataset, ["BR"], interval)["BR"]
    assert len(table) == 192
    assert (np.diff(table.epoch) == np.timedelta64(1, "h")).all()
    assert [source.file[31:39] for source in table.sources] == ["20200501", "20200601"]
    assert table.unit == "nT"


@pytest.mark.archive
def test_mms_keeps_the_gap_within_four_hours(real):
    interval = days("2015-12-01T10:00", "2015-12-01T14:00")
    parameter = "mms1_dis_numberdensity_fast"
    table = real.fetch("MMS1_FPI_FAST_L2_DIS-MOMS", [parameter], interval)[parameter]
    assert len(table) == 1600 + 1489
    assert np.diff(table.epoch).max() / np.timedelta64(1, "s") == pytest.approx(506, abs=1)


@pytest.mark.archive
def test_wind_swe_is_clipped_to_the_day_it_was_asked_for(real):
    found = real.fetch("WI_H5_SWE", ["N_elec"], days("2003-11-20", "2003-11-21"))["N_elec"]
    assert found.epoch[0] >= np.datetime64("2003-11-20")
    assert found.epoch[-1] < np.datetime64("2003-11-21")
    evening = real.fetch("WI_H5_SWE", ["N_elec"], days("2003-11-19", "2003-11-20"))["N_elec"]
    assert np.datetime_as_string(evening.epoch[0], unit="s") == "2003-11-19T23:59:49"


@pytest.mark.archive
def test_solar_orbiter_crosses_midnight(real):
    interval = days("2021-07-11T23:00", "2021-07-12T01:00")
    table = real.fetch("SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", ["B_RTN"], interval)["B_RTN"]
    assert len(table) == 120
    assert np.diff(table.epoch).max() < np.timedelta64(61, "s")


@pytest.mark.archive
def test_every_real_file_is_found_by_its_dataset_id(real):
    every = real.datasets()
    assert {"WI_H1_SWE", "STA_L1_HET", "THA_L1_STATE", "SOLO_L2_EPD-EPT-ASUN-RATES"} <= set(every)
    day = days("2003-11-20", "2003-11-21")
    assert real.locate("WIND_VS_SWE", day) == real.locate("WI_H1_SWE", day)


# Other formats than CDF


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


ROW = "time,n [cm^-3]\n2024-05-10T00:00:00Z,1\n"
MAY = days("2024-05-01", "2024-06-01")


@pytest.fixture(scope="module")
def reader():
    with CdfReader() as running:
        yield running


@pytest.mark.parametrize(
    ("file", "dataset_id", "version"),
    [
        ("my_events.csv", "MY_EVENTS", ""),
        ("My Events.CSV", "MY EVENTS", ""),
        ("my_events_20240510.csv", "MY_EVENTS", ""),
        ("my_events_20240510_v02.csv", "MY_EVENTS", "02"),
        ("sci_n-l2-avg1m_g16_d20240510_v2-2-0.csv", "SCI_N-L2-AVG1M_G16", "2-2-0"),
        ("below/a/my_events_20240510t1230.csv", "MY_EVENTS", ""),
    ],
)
def test_a_file_that_says_nothing_is_the_dataset_of_its_name(tmp_path, reader, file, dataset_id, version):
    write(tmp_path / file, ROW)
    archive = LocalArchive(tmp_path, reader)
    assert archive.datasets() == [dataset_id]
    table = archive.fetch(dataset_id.lower(), ["n"], MAY)["n"]
    assert (table.unit, table.sources[0].version, table.sources[0].file) == (
        "cm^-3",
        version,
        Path(file).name,
    )


def test_netcdf_is_found_by_what_it_says_and_by_its_name(tmp_path, reader):
    istp_like(tmp_path / "any name.nc")
    goes_like(tmp_path / "dn_magn-l2-hires_g16_d20240510_v1-0-1.nc")
    archive = LocalArchive(tmp_path, reader)
    assert archive.datasets() == ["DN_MAGN-L2-HIRES_G16", "ICON_LIKE"]
    table = archive.fetch("ICON_LIKE", ["Flux"], MAY)["Flux"]
    assert (table.sources[0].doi, table.sources[0].pi) == ("10.1234/icon", "A. Person")
    assert archive.locate("DN_MAGN-L2-HIRES_G16", MAY)[0].version == "1-0-1"


def test_files_of_several_formats_are_one_dataset(tmp_path, reader):
    write(tmp_path / "n_20240510.csv", ROW)
    frame = pd.DataFrame({"time": pd.to_datetime(["2024-05-11T00:00Z"]), "n [cm^-3]": [2.0]})
    frame.to_parquet(tmp_path / "n_20240511.parquet")
    table = LocalArchive(tmp_path, reader).fetch("N", ["n"], MAY)["n"]
    assert table.values.tolist() == [1.0, 2.0]
    assert [source.file for source in table.sources] == ["n_20240510.csv", "n_20240511.parquet"]


@pytest.mark.parametrize("file", ["n.nc", "n.parquet", "n.csv", "n.cdf", "n_20240510.nc"])
def test_a_damaged_file_is_named_as_damaged_not_as_unknown(tmp_path, reader, file):
    (tmp_path / file).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    write(tmp_path / "other.csv", ROW)
    archive = LocalArchive(tmp_path, reader)
    assert archive.datasets() == ["N", "OTHER"]
    with pytest.raises(DamagedFile, match="but a PNG image"):
        archive.fetch("N", ["n"], MAY)
    assert len(archive.fetch("OTHER", ["n"], MAY)["n"]) == 1


def test_a_file_without_records_does_not_hide_another(tmp_path, reader):
    write(tmp_path / "n_20240510.csv", ROW)
    write(tmp_path / "n_20240511.csv", "time,n [cm^-3]\n")
    assert len(LocalArchive(tmp_path, reader).fetch("N", ["n"], MAY)["n"]) == 1


def test_files_of_other_endings_are_left_alone(tmp_path, reader):
    for name in ("notes.txt", "a.csv.bak", "a.nc.part", ".hidden.csv", "a.h5"):
        write(tmp_path / name, ROW)
    assert LocalArchive(tmp_path, reader).datasets() == []
