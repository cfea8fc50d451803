"""What a folder holds is said by its files, whatever they are called, and remembered until they are written to."""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path

import netCDF4
import numpy as np
import pandas as pd
import pytest

from helio.errors import NoData, UnknownDataset
from helio.sources.archive_listing import ArchiveDataset, FileGap, list_archive
from helio.sources.cdf import CdfReader
from helio.sources.file_digests import FileDigests
from helio.sources.local import LocalArchive
from helio.time_range import TimeRange

pytestmark = pytest.mark.usefixtures("warm_processes")

MAY = datetime(2024, 5, 10)
HOUR = timedelta(hours=1)
TT2000_OF_MAY = 768614469184000000
"""2024-05-10T12:00:00 in TT2000."""
NOON = MAY + 12 * HOUR


@pytest.fixture
def lay(new_cdf, tmp_path):
    """Write a CDF of hourly records that begin some hours after noon of 10 May 2024."""

    def put(name: str, *, after: float = 0, records: int = 3, **attributes: str) -> Path:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        epoch = TT2000_OF_MAY + int(after * 3600e9) + np.arange(records) * 3_600_000_000_000
        made = new_cdf(name).say(**attributes).add("Epoch", "tt2000", epoch)
        vector = np.arange(3.0 * records).reshape(-1, 3)
        facts = {"DEPEND_0": "Epoch", "UNITS": "nT", "CATDESC": "Field in GSE", "VAR_TYPE": "data"}
        made.add("flag", "i4", np.zeros(records), DEPEND_0="Epoch", VAR_TYPE="support_data")
        return made.add("B_GSE", "f8", vector, **facts).done()

    return put


def listed(folder: Path, reader: CdfReader, dataset_id: str = "") -> dict[str, ArchiveDataset]:
    return {
        dataset.id: dataset for dataset in list_archive(LocalArchive(folder, reader), dataset_id).datasets
    }


@pytest.mark.parametrize(
    ("name", "dataset_id"),
    [
        ("mms1_fgm_srvy_l2_20240510_v5.401.0.cdf", "MMS1_FGM_SRVY_L2"),
        ("mvn_mag_l2-sunstate-1sec_20240510_v01_r02.cdf", "MVN_MAG_L2-SUNSTATE-1SEC"),
        ("STA_L1_MAG_RTN_20240510_V06.cdf", "STA_L1_MAG_RTN"),
        ("solo_L2_mag-rtn-normal_20240510_V01.cdf", "SOLO_L2_MAG-RTN-NORMAL"),
        ("psp_fld_l2_mag_rtn_2024051012_v02.cdf", "PSP_FLD_L2_MAG_RTN"),
        ("tha_l2_fgm_20240510_v01.cdf", "THA_L2_FGM"),
        ("C1_CP_FGM_SPIN__20240510_000000_20240511_000000_V01.cdf", "C1_CP_FGM_SPIN"),
        ("SW_OPER_MAGA_LR_1B_20240510T000000_20240510T235959_0605_MDR_MAG_LR.cdf", "SW_OPER_MAGA_LR_1B"),
        ("solo_L2_rpw-tds_20240510T000000-20240511T000000_V01.cdf", "SOLO_L2_RPW-TDS"),
        ("my_event.cdf", "MY_EVENT"),
    ],
)
def test_a_name_of_any_archive_is_a_dataset(tmp_path, cdf_reader, lay, name, dataset_id):
    lay(name)
    (dataset,) = listed(tmp_path, cdf_reader).values()
    assert (dataset.id, dataset.first, dataset.last) == (dataset_id, NOON, NOON + 2 * HOUR)
    day = TimeRange(MAY, MAY + 24 * HOUR)
    assert len(LocalArchive(tmp_path, cdf_reader).fetch(dataset_id, ["B_GSE"], day)["B_GSE"]) == 3


@pytest.mark.parametrize("attribute", ["DATASET_ID", "Logical_source"])
def test_a_file_of_any_name_is_of_the_dataset_that_it_names(tmp_path, cdf_reader, lay, attribute):
    lay("my_event.cdf", **{attribute: "C1_CP_FGM_SPIN"})
    lay("C2_CP_FGM__20240510_120000_20240510_150000_V01.cdf", **{attribute: "C2_CP_FGM_SPIN"})
    assert sorted(listed(tmp_path, cdf_reader)) == ["C1_CP_FGM_SPIN", "C2_CP_FGM_SPIN"]
    # a template that names the file's own name still finds it
    day = TimeRange(MAY, MAY + 24 * HOUR)
    assert LocalArchive(tmp_path, cdf_reader).locate("my_event", day)[0].file == "my_event.cdf"


@pytest.mark.parametrize(
    ("attributes", "dataset_id"),
    [
        ({"id": "swarm_like_l2"}, "SWARM_LIKE_L2"),
        ({"source": "SWARM_A_L1B"}, "SWARM_A_L1B"),
        ({"source": "surface observation"}, "MINE"),
        ({"source": "satellite"}, "MINE"),
        ({"id": "0b4e3b5a-9bb1-4ad4-9d25-5b1c2ff0f9a1"}, "MINE"),
        ({"DATASET_ID": "NC_LIKE", "id": "other"}, "NC_LIKE"),
    ],
)
def test_netcdf_is_of_the_dataset_that_its_attributes_name(tmp_path, cdf_reader, attributes, dataset_id):
    with netCDF4.Dataset(str(tmp_path / "mine.nc"), "w") as file:
        file.setncatts(attributes)
        file.createDimension("time", 2)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "seconds since 2024-05-10 12:00:00"
        time[:] = [0, 60]
        file.createVariable("n", "f4", ("time",))[:] = [1, 2]
    (dataset,) = listed(tmp_path, cdf_reader).values()
    assert (dataset.id, dataset.first, dataset.cadence) == (dataset_id, NOON, 60.0)


def test_parameters_are_said_with_unit_shape_cadence_and_data_first(tmp_path, cdf_reader, lay):
    lay("my_event.cdf")
    (dataset,) = listed(tmp_path, cdf_reader).values()
    field, flag = dataset.parameters
    assert (field.name, field.unit, field.shape, field.frame) == ("B_GSE", "nT", (3,), "GSE")
    assert (field.description, field.records, field.cadence) == ("Field in GSE", 3, 3600.0)
    assert (field.first, field.last, field.support) == (NOON, NOON + 2 * HOUR, False)
    assert (flag.name, flag.support) == ("flag", True)
    assert dataset.cadence == 3600.0


def test_the_span_within_files_decides_which_are_read(tmp_path, cdf_reader, lay):
    for number in range(3):
        lay(f"part {number}.cdf", after=24 * number, Logical_source="MINE")
    archive = LocalArchive(tmp_path, cdf_reader)
    second = TimeRange(MAY + 24 * HOUR, MAY + 48 * HOUR)
    assert [source.file for source in archive.locate("MINE", second)] == ["part 1.cdf"]
    with pytest.raises(NoData) as caught:
        archive.locate("MINE", TimeRange(datetime(2020, 1, 1), datetime(2020, 1, 2)))
    assert (
        caught.value.advice
        == "choose another time range: the records of the dataset run from 2024-05-10T12:00:00 to 2024-05-12T14:00:00"
    )
    # the last record is in, and a range that ends with the first one is not
    ends = NOON + 2 * HOUR
    assert archive.locate("MINE", TimeRange(ends, ends + HOUR))
    with pytest.raises(NoData):
        archive.locate("MINE", TimeRange(MAY, NOON))


def test_of_one_span_and_two_versions_the_newer_is_read_and_the_other_counted(tmp_path, cdf_reader, lay):
    lay("old.cdf", Logical_source="MINE", Data_version="9")
    lay("new.cdf", Logical_source="MINE", Data_version="10")
    archive = LocalArchive(tmp_path, cdf_reader)
    assert [source.file for source in archive.locate("MINE", TimeRange(MAY, MAY + 24 * HOUR))] == ["new.cdf"]
    (dataset,) = list_archive(archive).datasets
    assert (dataset.files, dataset.older) == (1, 1)
    assert dataset.notes == ("files of older versions, which are not read: 1, such as old.cdf",)


def test_two_dates_in_a_name_give_versions_too(tmp_path, cdf_reader, lay):
    for version in ("01", "02"):
        lay(f"C1_CP_X__20240510_000000_20240511_000000_V{version}.cdf")
    (dataset,) = listed(tmp_path, cdf_reader).values()
    assert (dataset.id, dataset.files, dataset.older) == ("C1_CP_X", 1, 1)


def test_a_file_that_says_another_dataset_than_its_name_is_told_of(tmp_path, cdf_reader, lay):
    lay("ac_h0_mfi_20240510_v01.cdf", Logical_source="WI_H0_MFI")
    (dataset,) = listed(tmp_path, cdf_reader).values()
    assert dataset.known_as == "WI_H0_MFI"
    assert dataset.notes == (
        "the metadata in its files call the dataset WI_H0_MFI, but the file names say AC_H0_MFI",
    )
    table = LocalArchive(tmp_path, cdf_reader).fetch("AC_H0_MFI", ["B_GSE"], TimeRange(MAY, MAY + 24 * HOUR))
    told = "ac_h0_mfi_20240510_v01.cdf says that it is of WI_H0_MFI, and was read as AC_H0_MFI"
    assert table["B_GSE"].notes[-1] == told


def test_a_file_beside_those_of_its_dataset_is_told_of_and_found_by_its_name(tmp_path, cdf_reader, lay):
    lay("ac_h0_mfi_20240510_v01.cdf", Logical_source="AC_H0_MFI")
    lay("my_event.cdf", Logical_source="AC_H0_MFI")
    found = listed(tmp_path, cdf_reader)
    assert list(found) == ["AC_H0_MFI", "MY_EVENT"]
    assert "fetch it as MY_EVENT" in found["AC_H0_MFI"].notes[0]
    archive = LocalArchive(tmp_path, cdf_reader)
    assert archive.locate("MY_EVENT", TimeRange(MAY, MAY + 24 * HOUR))[0].file == "my_event.cdf"


def test_gaps_between_files_are_found_by_records_and_by_names(tmp_path, cdf_reader, lay):
    for day in (10, 11, 12, 15, 16):
        lay(f"ac_h0_mfi_202405{day}_v01.cdf", after=24.0 * (day - 10) - 12, records=24)
    closely = listed(tmp_path, cdf_reader, "ac_h0_mfi")["AC_H0_MFI"]
    last = datetime(2024, 5, 12, 23)
    assert (closely.gaps, closely.gaps_from) == ((FileGap(last, datetime(2024, 5, 15)),), "records")
    by_names = listed(tmp_path, cdf_reader)["AC_H0_MFI"]
    assert by_names.gaps == (FileGap(datetime(2024, 5, 13), datetime(2024, 5, 15)),)
    assert by_names.gaps_from == "names"


def test_one_dataset_is_found_by_what_its_files_call_it(tmp_path, cdf_reader, lay):
    lay("wi_h1_swe_20240510_v01.cdf", Logical_source="wind_vs_swe")
    lay("other.cdf")
    assert list(listed(tmp_path, cdf_reader, "wind_vs_swe")) == ["WI_H1_SWE"]
    with pytest.raises(UnknownDataset, match="'WI_H1_SWF'") as caught:
        listed(tmp_path, cdf_reader, "WI_H1_SWF")
    assert "WI_H1_SWE" in caught.value.advice


def test_a_second_look_opens_no_file_and_a_file_written_to_is_opened_again(tmp_path, cdf_reader, lay):
    opened: list[str] = []

    class Counting:
        def describe(self, path, state=None):
            opened.append(path.name)
            return cdf_reader.describe(path, state)

        def survey(self, path, state=None):
            opened.append(path.name)
            return cdf_reader.survey(path, state)

    folder = tmp_path / "archive"
    for number in range(3):
        lay(f"archive/part {number}.cdf", after=24 * number)

    def look():
        digests = FileDigests(tmp_path / "memory")
        return list_archive(LocalArchive(folder, Counting(), digests=digests)).datasets  # type: ignore[arg-type]

    time.sleep(0.05)  # a file that was written to just now is not remembered
    first = look()
    assert sorted(set(opened)) == ["part 0.cdf", "part 1.cdf", "part 2.cdf"]
    opened.clear()
    assert look() == first
    assert opened == []
    os.utime(folder / "part 1.cdf")
    time.sleep(0.05)
    look()
    assert set(opened) == {"part 1.cdf"}


def test_csv_and_parquet_are_listed(tmp_path, cdf_reader):
    (tmp_path / "mine.csv").write_text("time,n [cm^-3]\n2024-05-10T12:00Z,1\n2024-05-10T12:01Z,2\n")
    frame = pd.DataFrame({"time": pd.to_datetime(["2024-05-10T12:00Z"]), "v [km/s]": [400.0]})
    frame.to_parquet(tmp_path / "other.parquet")
    found = listed(tmp_path, cdf_reader)
    assert [
        (dataset.id, dataset.parameters[0].name, dataset.parameters[0].unit) for dataset in found.values()
    ] == [
        ("MINE", "n", "cm^-3"),
        ("OTHER", "v", "km/s"),
    ]
    assert (found["MINE"].first, found["MINE"].cadence, found["OTHER"].cadence) == (NOON, 60.0, None)


@pytest.mark.slow
@pytest.mark.archive
def test_every_real_dataset_is_listed_with_exact_span_and_units(archive, cdf_reader):
    found = listed(archive, cdf_reader)
    assert all(dataset.is_span_exact and dataset.parameters for dataset in found.values())
    field = found["SOLO_L2_MAG-RTN-NORMAL-1-MINUTE"].parameters[0]
    assert (field.name, field.unit, field.shape, field.frame) == ("B_RTN", "nT", (3,), "RTN")
    assert found["OMNI2_H0_MRG1HR"].last == datetime(2023, 6, 30, 23)


def test_a_file_of_columns_whose_times_cannot_be_read_is_listed_with_the_reason(
    tmp_path: Path, cdf_reader: CdfReader
):
    (tmp_path / "mag_20240510.csv").write_text("time,Bx [nT]\n2024-05-10,1\n2024-05-10T06:00,2\n")
    (tmp_path / "mag_20240511.csv").write_text("time,Bx [nT]\n2024-05-11,1\n11.5.2024,2\n")
    (tmp_path / "other.csv").write_text("time,Bx [nT]\n5,1\n6,2\n")
    listing = list_archive(LocalArchive(tmp_path, cdf_reader))
    assert [(dataset.id, dataset.files) for dataset in listing.datasets] == [("MAG", 1)]
    reasons = {entry.path: entry.reason for entry in listing.unread}
    assert "'11.5.2024' is not a time in ISO 8601" in reasons["mag_20240511.csv"]
    assert "'5' is not a time in ISO 8601" in reasons["other.csv"]
