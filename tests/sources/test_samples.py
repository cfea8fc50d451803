"""The embedded sample archive: whole, small, accounted for, and readable to the last parameter."""

import hashlib
from datetime import datetime

import numpy as np
import pytest

from helio.errors import NoData, RequestError, UnknownDataset
from helio.sources import samples
from helio.sources.cdf import CdfReader
from helio.sources.local import parse_file_name
from helio.sources.samples import sample_archive, sample_folder, sample_manifest
from helio.time_range import TimeRange

ALWAYS = TimeRange(datetime(1970, 1, 1), datetime(2100, 1, 1))
MANIFEST = sample_manifest()
BY_FILE = pytest.mark.parametrize("entry", MANIFEST, ids=[entry["dataset_id"] for entry in MANIFEST])


@pytest.fixture(scope="module")
def reader():
    with CdfReader() as reader:
        yield reader


@pytest.fixture(scope="module")
def archive(reader):
    return sample_archive(reader)


def whole(entry) -> TimeRange:
    day = datetime.fromisoformat(entry["span"][0]).replace(hour=0, minute=0, second=0, microsecond=0)
    return TimeRange(day, day.replace(day=day.day + 1))


@BY_FILE
def test_a_sample_is_the_file_that_the_manifest_names(entry):
    content = (sample_folder() / entry["file"]).read_bytes()
    assert len(content) == entry["bytes"]
    assert hashlib.sha256(content).hexdigest() == entry["sha256"]


@BY_FILE
def test_a_sample_is_accounted_for(entry):
    name = parse_file_name(entry["file"])
    assert name is not None
    assert name.dataset_id == entry["dataset_id"]
    assert entry["terms"]
    assert entry["acknowledgement"]
    assert entry["doi"].startswith("10.")
    assert entry["member"].startswith(f"{entry['package']}-{entry['package_version']}/")
    assert entry["member"].endswith(entry["file"])


def test_the_folder_holds_what_the_manifest_names_and_nothing_else():
    held = {path.name for path in sample_folder().iterdir()}
    assert held == {"manifest.json", *(entry["file"] for entry in MANIFEST)}


def test_all_samples_together_stay_within_two_megabytes():
    assert sum(path.stat().st_size for path in sample_folder().iterdir()) <= 2_000_000


@BY_FILE
def test_every_parameter_of_a_sample_can_be_read(entry, archive, reader):
    parameters = reader.describe(sample_folder() / entry["file"]).parameters
    assert parameters
    for parameter in parameters:
        table = archive.fetch(entry["dataset_id"], [parameter], whole(entry))[parameter]
        assert len(table) in entry["records"].values()
        (source,) = table.sources
        assert source.provider == "sample archive"
        assert (source.sha256, source.doi) == (entry["sha256"], entry["doi"])
        assert source.acknowledgement == entry["acknowledgement"]


@BY_FILE
def test_the_span_in_the_manifest_is_that_of_the_records(entry, archive, reader):
    parameters = reader.describe(sample_folder() / entry["file"]).parameters
    tables = archive.fetch(entry["dataset_id"], parameters, ALWAYS).values()
    first, last = (np.datetime64(moment) for moment in entry["span"])
    millisecond = np.timedelta64(1, "ms")
    assert abs(min(table.epoch[0] for table in tables) - first) <= millisecond
    assert abs(max(table.epoch[-1] for table in tables) - last) <= millisecond


def test_the_archive_lists_its_datasets(archive):
    assert archive.name == "sample archive"
    assert archive.datasets() == sorted(entry["dataset_id"] for entry in MANIFEST)


def test_ace_key_parameters_give_24_preliminary_hours(archive):
    day = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
    table = archive.fetch("AC_K2_MFI", ["BGSEc"], day)["BGSEc"]
    assert table.values.shape == (24, 3)
    assert table.sources[0].preliminary


def test_hope_electron_bins_alternate_between_two_tables(archive):
    day = TimeRange(datetime(2012, 12, 1), datetime(2012, 12, 2))
    table = archive.fetch("RBSPA_REL04_ECT-HOPE-PA-L3", ["FEDU"], day)["FEDU"]
    assert table.values.shape == (100, 11, 72)
    assert [axis.per_record for axis in table.axes] == [False, True]
    assert len(np.unique(table.axes[1].centers, axis=0)) == 2


def test_hope_is_found_by_its_logical_source_too(archive):
    (source,) = archive.locate("rbsp-a_l3_ect-hope", TimeRange(datetime(2012, 12, 1), datetime(2012, 12, 2)))
    assert source.dataset_id == "RBSPA_REL04_ECT-HOPE-PA-L3"


def test_a_day_without_sample_is_refused_before_any_file_is_opened(archive):
    with pytest.raises(NoData) as caught:
        archive.locate("AC_K2_MFI", TimeRange(datetime(2022, 1, 2), datetime(2022, 1, 3)))
    assert caught.value.advice.startswith(
        "choose another time range: the records of the dataset run from 2022-01-01T00:00:00 to 2022-01-01T23:00:00"
    )


def test_a_dataset_that_is_no_sample_is_refused_with_the_list(archive):
    with pytest.raises(UnknownDataset) as caught:
        archive.locate("AC_H0_MFI", ALWAYS)
    assert "did you mean 'AC_K2_MFI'" in caught.value.advice
    assert "STA_L1_HET" in caught.value.advice


def test_an_installation_without_plain_files_says_so(monkeypatch):
    monkeypatch.setattr(samples, "__file__", "helio.zip/helio/sources/samples.py")
    with pytest.raises(RequestError, match="plain files"):
        sample_folder()
