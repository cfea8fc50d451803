"""CDAWeb over real HTTP against the stand-in: which requests are made, which tables come, and what each fault is."""

import re
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio.errors import (
    DamagedFile,
    HelioError,
    NoData,
    NotYetPublished,
    Offline,
    RateLimited,
    Refused,
    RequestError,
    ServerUnavailable,
    TooLarge,
    UnknownDataset,
    UnknownParameter,
)
from helio.sources.archives import Archives
from helio.sources.folder_listing import FolderFile, choose_files, read_listing
from helio.sources.http import Hosts, Http
from helio.sources.local import LocalArchive
from helio.sources.providers.cdaweb import CdaWeb
from helio.sources.providers.cdaweb_folders import CdaWebFolders
from helio.sources.samples import sample_folder
from helio.store.table import Table
from helio.testing import CdaWebStandIn, FakeClock
from helio.time_range import TimeRange

pytestmark = pytest.mark.process

DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
HET, HET_FILE = "STA_L1_HET", "sta_l1_het_20211028_v01.cdf"
ACE_FILE = "ac_k2_mfi_20220101_v03.cdf"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def new(standin, cache, cdf_reader, http):
    """A provider as a new run would make it, over the same cache."""

    def make(kind: type[CdaWeb] = CdaWeb, **options) -> CdaWeb:
        facts = {"url": standin.url} | options
        return kind(cache, facts.pop("http", http), reader=cdf_reader, **facts)

    return make


def same(one: Table, other: Table) -> None:
    """Equal in everything but where they come from."""
    assert np.array_equal(one.epoch, other.epoch)
    assert np.array_equal(one.values, other.values, equal_nan=True)
    assert one.values.dtype == other.values.dtype
    for first, second in zip(one.axes, other.axes, strict=True):
        assert np.array_equal(first.centers, second.centers, equal_nan=True)
    for what in ("unit", "components", "frame", "name", "scale", "description"):
        assert getattr(one, what) == getattr(other, what)


def paths(standin: CdaWebStandIn) -> list[str]:
    return [request.path.rpartition("sp_phys/")[2] for request in standin.requests]


# What is asked


def test_a_first_fetch_costs_a_listing_and_one_request_per_file_and_the_next_ones_nothing(standin, new):
    tables = new().fetch(HET, ["Proton_Flux", "Electron_Flux"], DAY)
    assert paths(standin) == [
        "datasets/STA_L1_HET/orig_data/20211028T000000Z,20211029T000000Z",
        "data/sta_l1_het/2021/sta_l1_het_20211028_v01.cdf",
    ]
    standin.mend()
    again = new().fetch(HET, ["Proton_Flux", "Electron_Flux"], DAY)
    assert standin.requests == []
    same(again["Proton_Flux"], tables["Proton_Flux"])


def test_locating_downloads_nothing_and_names_files_the_same_before_and_after(standin, new):
    [before] = new().locate(HET, DAY)
    assert [path for path in paths(standin) if "orig_data" not in path] == []
    assert before.sha256 == ""
    new().fetch(HET, ["Proton_Flux"], DAY)
    [after] = new().locate(HET, DAY)
    assert after.sha256
    assert after.identity == before.identity
    assert before.identity == f"{before.url}|215082|2023-11-14T22:13:20.000Z"


def test_tables_say_which_file_they_came_from(standin, new):
    table = new().fetch(HET, ["Proton_Flux"], DAY)["Proton_Flux"]
    [source] = table.sources
    assert (source.dataset_id, source.file, source.version) == (HET, HET_FILE, "01")
    assert source.provider == "CDAWeb"
    assert source.url == f"{standin.url}/sp_phys/data/sta_l1_het/2021/{HET_FILE}"
    assert source.last_modified == "2023-11-14T22:13:20.000Z"
    assert source.sha256 == "e36f5320f5d2408e6179054dab24582c5ec750364f072ce4fb161ff48cd22745"


def test_a_range_within_a_file_gives_its_records_only(new):
    hour = TimeRange(datetime(2021, 10, 28, 15), datetime(2021, 10, 28, 16))
    table = new().fetch(HET, ["Proton_Flux"], hour)["Proton_Flux"]
    assert len(table) == 60
    assert table.epoch[0] >= np.datetime64("2021-10-28T15:00")
    assert table.epoch[-1] < np.datetime64("2021-10-28T16:00")


def test_parts_of_a_second_are_asked_for_as_whole_ones(standin, new):
    short = TimeRange(datetime(2021, 10, 28, 12, 0, 0, 500_000), datetime(2021, 10, 28, 12, 5, 0, 1))
    new().locate(HET, short)
    assert standin.requests[0].path.endswith("20211028T120000Z,20211028T120501Z")


def test_two_steps_of_a_run_ask_once(standin, new):
    provider = new()
    provider.locate(HET, DAY)
    provider.fetch(HET, ["Proton_Flux"], DAY)
    provider.fetch(HET, ["Electron_Flux"], DAY)
    assert len(standin.requests) == 2


@pytest.mark.parametrize("kind", [CdaWeb, CdaWebFolders])
@pytest.mark.parametrize(
    ("file", "parameters"),
    [
        (ACE_FILE, ["Magnitude", "BGSEc", "SC_pos_GSE"]),
        (HET_FILE, ["Proton_Flux", "Electron_Flux"]),
    ],
)
def test_values_are_those_of_the_file(new, published, cdf_reader, kind, file, parameters):
    dataset = file.partition("_2")[0].upper()
    start = datetime.strptime(file.split("_")[3], "%Y%m%d")
    span = TimeRange(start, start + timedelta(days=1))
    here = LocalArchive(published, cdf_reader)
    parameters = [
        parameter for parameter in parameters if parameter in cdf_reader.describe(published / file).parameters
    ]
    assert len(parameters) >= 2
    expected = here.fetch(dataset, parameters, span)
    found = new(kind).fetch(dataset, parameters, span)
    assert list(found) == parameters
    for name in parameters:
        same(found[name], expected[name])


# Files in order, and new ones


def test_several_files_are_joined_in_order_without_their_repeated_records(published, standin, new):
    for day in (2, 3):
        copy = published / f"ac_k2_mfi_2022010{day}_v03.cdf"
        copy.write_bytes((published / ACE_FILE).read_bytes())
        standin.publish(copy)
    span = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
    table = new().fetch("AC_K2_MFI", ["Magnitude"], span)["Magnitude"]
    assert len(table) == 24
    assert len(table.sources) == 3
    assert "48 repeated epochs" in table.notes[-1]


def test_what_is_published_anew_is_found_by_asking_again(standin, new, published):
    [before] = new().locate(HET, DAY)
    new().fetch(HET, ["Proton_Flux"], DAY)
    standin.publish(published / HET_FILE, published=1_710_000_000.0)
    standin.mend()
    assert new().locate(HET, DAY)[0].identity == before.identity
    assert standin.requests == []
    [after] = new(refresh=True).locate(HET, DAY)
    assert after.identity != before.identity
    assert after.last_modified == "2024-03-09T16:00:00.000Z"
    standin.mend()
    new().fetch(HET, ["Proton_Flux"], DAY)
    assert paths(standin) == [f"data/sta_l1_het/2021/{HET_FILE}"]


def test_a_kept_listing_that_the_archive_contradicts_is_asked_for_again_by_the_next_run(
    standin, new, published
):
    new().locate("AC_K2_MFI", TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2)))
    (published / ACE_FILE).write_bytes((published / HET_FILE).read_bytes())
    span = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
    with pytest.raises(DamagedFile, match="its archive lists it with 31252"):
        new().fetch("AC_K2_MFI", ["Magnitude"], span)
    standin.mend()
    (published / ACE_FILE).write_bytes((sample_folder() / ACE_FILE).read_bytes())
    assert len(new().fetch("AC_K2_MFI", ["Magnitude"], span)["Magnitude"]) == 24
    assert len(standin.asked("orig_data")) == 1


def test_refreshing_asks_whether_files_are_still_the_same_and_does_not_fetch_them_again(standin, new):
    new().fetch(HET, ["Proton_Flux"], DAY)
    standin.mend()
    new(refresh=True).fetch(HET, ["Proton_Flux"], DAY)
    assert [request.status for request in standin.requests] == [200, 304]


@pytest.mark.parametrize(
    ("days_later", "then", "asked"),
    [(10, 1800, 0), (10, 3700, 1), (29, 3700, 1), (31, 3700, 0), (31, 10_000_000, 0)],
)
def test_a_listing_of_recent_data_holds_for_an_hour_and_of_old_data_for_good(
    standin, new, days_later, then, asked
):
    now = (DAY.stop - datetime(1970, 1, 1)).total_seconds() + days_later * 86_400
    clock = FakeClock(now)
    http = Http(timeout=10, clock=clock, hosts=Hosts())
    new(http=http).locate(HET, DAY)
    standin.mend()
    clock.ahead = then
    new(http=http).locate(HET, DAY)
    http.close()
    assert len(standin.requests) == asked


def test_a_byte_changed_in_a_kept_file_is_noticed(standin, new, cache):
    expected = new().fetch(HET, ["Proton_Flux"], DAY)["Proton_Flux"]
    [path] = cache.rglob(HET_FILE)
    content = bytearray(path.read_bytes())
    content[-1000] ^= 255
    path.write_bytes(content)
    standin.mend()
    same(new().fetch(HET, ["Proton_Flux"], DAY)["Proton_Flux"], expected)
    assert paths(standin) == [f"data/sta_l1_het/2021/{HET_FILE}"]


# What the archive computes


def test_what_no_file_holds_is_computed_by_the_data_service_and_said_to_be(standin, new):
    tables = new().fetch(HET, ["Proton_Flux", "Total"], DAY)
    assert list(tables) == ["Proton_Flux", "Total"]
    total = tables["Total"]
    expected = tables["Proton_Flux"].values.sum(axis=1)
    assert np.allclose(total.values, expected, equal_nan=True)
    [source] = total.sources
    assert source.provider == "CDAWeb data service"
    assert source.url.endswith("/data/20211028T000000Z,20211029T000000Z/Total?format=cdf")
    assert len(source.sha256) == 64
    assert "computed by CDAWeb's data service" in total.notes[-1]
    standin.mend()
    same(new().fetch(HET, ["Total"], DAY)["Total"], total)
    assert standin.requests == []


def test_what_was_computed_twice_is_the_same_source_and_other_numbers_are_another(standin, new, tmp_path):
    first = new().fetch(HET, ["Total"], DAY)["Total"]
    shutil.rmtree(tmp_path / "files")
    second = new().fetch(HET, ["Total"], DAY)["Total"]
    assert standin.makings == 2
    assert second.sources == first.sources
    assert second.sources[0].identity == first.sources[0].identity == first.digest()[7:]
    recipe = standin.computed[HET, "Total"]
    standin.computed[HET, "Total"] = replace(recipe, compute=lambda file: 2 * recipe.compute(file))
    shutil.rmtree(tmp_path / "files")
    other = new().fetch(HET, ["Total"], DAY)["Total"]
    assert other.sources[0].identity != first.sources[0].identity


def test_what_is_computed_does_not_depend_on_what_else_is_asked_for(standin, new):
    standin.computed[HET, "Twice"] = replace(
        standin.computed[HET, "Total"], compute=lambda file: 2 * file["Proton_Flux"].values.sum(axis=1)
    )
    both = new().fetch(HET, ["Total", "Twice"], DAY)
    alone = new().fetch(HET, ["Twice"], DAY)
    assert both["Twice"].sources == alone["Twice"].sources
    assert standin.makings == 2


def test_what_was_computed_from_another_publication_is_computed_again(standin, new, published):
    new().fetch(HET, ["Total"], DAY)
    standin.publish(published / HET_FILE, published=1_710_000_000.0)
    standin.mend()
    new(refresh=True).fetch(HET, ["Total"], DAY)
    assert len(standin.asked("/Total?")) == 1


def test_a_parameter_that_the_archive_does_not_offer_is_unknown(standin, new):
    with pytest.raises(UnknownParameter, match="Proton_Flax") as caught:
        new().fetch(HET, ["Proton_Flux", "Proton_Flax"], DAY)
    assert "did you mean 'Proton_Flux'" in caught.value.advice
    assert standin.asked("/Proton_Flax") == []


# What is not there


def test_an_unknown_dataset_is_told_from_one_without_data(standin, new):
    with pytest.raises(UnknownDataset) as caught:
        new().locate("STA_L1_HEX", DAY)
    assert "did you mean 'STA_L1_HET'?" in caught.value.advice
    elsewhere = TimeRange(datetime(2019, 1, 1), datetime(2019, 1, 2))
    with pytest.raises(NoData) as missing:
        new().locate(HET, elsewhere)
    assert type(missing.value) is NoData
    assert "the records of the dataset run from 2021-10-28T00:00:28" in missing.value.advice


@pytest.mark.parametrize("fault", ["empty", "404"])
def test_no_data_may_be_said_in_two_ways(standin, new, fault):
    standin.fail("orig_data", fault)
    with pytest.raises(NoData, match="lists no file of STA_L1_HET for 2021-10-28") as caught:
        new().fetch(HET, ["Proton_Flux"], DAY)
    assert caught.value.advice.startswith("run again")


@pytest.mark.parametrize("fault", ["empty", "404"])
def test_an_empty_listing_within_the_span_that_the_archive_states_is_not_believed_again(standin, new, fault):
    standin.fail("orig_data", fault)
    with pytest.raises(NoData):
        new().fetch(HET, ["Proton_Flux"], DAY)
    # a gap that is one is said offline as well, and whether it still is one is asked online
    with pytest.raises(NoData) as kept:
        new(offline=True).fetch(HET, ["Proton_Flux"], DAY)
    assert "the archive's answer of" in kept.value.advice
    assert len(new().fetch(HET, ["Proton_Flux"], DAY)["Proton_Flux"]) == 1440


def test_an_empty_listing_elsewhere_is_believed_for_an_hour_and_said_to_be_kept(standin, new, clock):
    elsewhere = TimeRange(datetime(2019, 1, 1), datetime(2019, 1, 2))
    with pytest.raises(NoData) as first:
        new().locate(HET, elsewhere)
    assert "the archive's answer of" not in first.value.advice
    with pytest.raises(NoData) as kept:
        new().locate(HET, elsewhere)
    assert kept.value.message == first.value.message
    assert re.search(r"the archive's answer of \d{4}-\d\d-\d\d \d\d:\d\d UTC", kept.value.advice)
    assert len(standin.asked("orig_data")) == 1
    clock.ahead = 3700
    with pytest.raises(NoData):
        new().locate(HET, elsewhere)
    assert len(standin.asked("orig_data")) == 2


def test_an_empty_listing_is_asked_for_again_when_the_span_could_not_be_had(standin, new):
    standin.fail("orig_data", "empty")
    standin.fail("datasets?id=", *["503"] * 3)
    with pytest.raises(ServerUnavailable):
        new().locate(HET, DAY)
    assert len(new().locate(HET, DAY)) == 1


def test_what_is_yet_to_come_is_told_from_what_is_not_there(standin, new):
    now = (DAY.stop - datetime(1970, 1, 1)).total_seconds() + 5 * 86_400
    later = TimeRange(datetime(2021, 11, 1), datetime(2021, 11, 2))
    http = Http(timeout=10, clock=FakeClock(now), hosts=Hosts())
    with pytest.raises(NotYetPublished):
        new(http=http).locate(HET, later)
    http.close()


@pytest.mark.parametrize("dataset", ["", "../../etc", "A/B", "A B", "A?x=1", ".."])
def test_what_cannot_be_an_id_is_not_asked_for(standin, new, dataset):
    with pytest.raises(UnknownDataset):
        new().locate(dataset, DAY)
    assert standin.asked("orig_data") == []


def test_datasets_are_listed_and_asked_for_once_a_day(standin, new, clock):
    assert new().datasets() == ["AC_K2_MFI", "STA_L1_HET"]
    assert new().datasets() == ["AC_K2_MFI", "STA_L1_HET"]
    assert len(standin.requests) == 1
    clock.ahead = 90_000
    new().datasets()
    assert len(standin.requests) == 2


# What goes wrong


@pytest.mark.parametrize(
    ("stage", "faults", "kind", "attempts"),
    [
        *[
            (stage, faults, kind, attempts)
            for stage in ("orig_data", "/sp_phys/data/", "/variables", "/Total?", "/made/")
            for faults, kind, attempts in (
                (["reset"] * 3, ServerUnavailable, 3),
                (["503"] * 3, ServerUnavailable, 3),
                ([("429", 1)] * 3, RateLimited, 3),
                (["403"], Refused, 1),
            )
        ],
        ("orig_data", ["timeout"] * 3, ServerUnavailable, 3),
        ("orig_data", ["truncate"] * 3, ServerUnavailable, 3),
        ("orig_data", ["html"] * 3, ServerUnavailable, 3),
        ("orig_data", ["404"], NoData, 1),
        ("/sp_phys/data/", ["timeout"] * 3, ServerUnavailable, 3),
        ("/sp_phys/data/", ["truncate"] * 3, DamagedFile, 3),
        ("/sp_phys/data/", ["wrong length"], DamagedFile, 1),
        ("/sp_phys/data/", ["html"], DamagedFile, 1),
        ("/sp_phys/data/", ["damaged"], DamagedFile, 1),
        ("/sp_phys/data/", ["404"], Refused, 1),
        ("/Total?", ["404"], NoData, 1),
        ("/made/", ["damaged"], DamagedFile, 1),
        ("/made/", ["404"], Refused, 1),
    ],
    ids=lambda value: "+".join(map(str, value)) if isinstance(value, list) else None,
)
def test_each_fault_at_each_stage_has_its_error_and_the_next_run_completes(
    standin, new, cache, clock, stage, faults, kind, attempts
):
    standin.fail(stage, *faults)
    with pytest.raises(HelioError) as caught:
        new().fetch(HET, ["Proton_Flux", "Total"], DAY)
    assert type(caught.value) is kind
    assert len(standin.asked(stage)) == attempts
    assert list(cache.rglob("*/parts/*")) == []
    for path in cache.rglob("*.cdf"):
        assert path.with_name(f"{path.name}.json").exists()
    standin.mend()
    tables = new().fetch(HET, ["Proton_Flux", "Total"], DAY)
    assert len(tables["Proton_Flux"]) == len(tables["Total"]) == 1440


@pytest.mark.parametrize("fault", ["403", "404"])
def test_a_listed_file_that_is_not_given_is_said_to_be_with_a_way_out(standin, new, fault):
    standin.fail("/sp_phys/data/", fault)
    with pytest.raises(Refused) as caught:
        new().fetch(HET, ["Proton_Flux"], DAY)
    assert HET_FILE in caught.value.place
    assert caught.value.advice.endswith("CDAWeb lists the file but does not send it")


def test_more_than_the_limit_is_refused_with_a_way_out(standin, new):
    with pytest.raises(TooLarge) as caught:
        new(limit=100_000).fetch(HET, ["Proton_Flux"], DAY)
    assert "--max-download 216kB" in caught.value.advice
    assert standin.asked("/sp_phys/data/") == []


def test_a_listing_that_leads_elsewhere_is_refused(standin, new, monkeypatch):
    described = standin.described
    monkeypatch.setattr(
        standin, "described", lambda one, host: described(one, host) | {"Name": "file:///etc/passwd"}
    )
    with pytest.raises(Refused, match="is not a valid address of a file"):
        new().fetch(HET, ["Proton_Flux"], DAY)


# Offline


def test_offline_uses_what_is_here_and_asks_nobody(standin, new):
    expected = new().fetch(HET, ["Proton_Flux", "Total"], DAY)
    standin.mend()
    found = new(offline=True, refresh=True).fetch(HET, ["Proton_Flux", "Total"], DAY)
    for name in expected:
        same(found[name], expected[name])
    assert standin.requests == []


def test_offline_a_part_of_what_was_asked_for_is_known(standin, new):
    new().fetch(HET, ["Proton_Flux"], DAY)
    standin.mend()
    hour = TimeRange(datetime(2021, 10, 28, 15), datetime(2021, 10, 28, 16))
    assert len(new(offline=True).fetch(HET, ["Proton_Flux"], hour)["Proton_Flux"]) == 60
    assert standin.requests == []


def test_offline_what_is_missing_is_named(standin, new, cache):
    with pytest.raises(Offline, match="no file list for STA_L1_HET in 2021-10-28"):
        new(offline=True).locate(HET, DAY)
    with pytest.raises(Offline):
        new(offline=True).datasets()
    new().fetch(HET, ["Proton_Flux"], DAY)
    [path] = cache.rglob(HET_FILE)
    path.unlink()
    with pytest.raises(Offline, match=HET_FILE):
        new(offline=True).fetch(HET, ["Proton_Flux"], DAY)
    new().fetch(HET, ["Proton_Flux"], DAY)
    standin.mend()
    with pytest.raises(Offline, match="variables"):
        new(offline=True).fetch(HET, ["Total"], DAY)
    assert standin.requests == []


# The folders


def test_the_folders_are_asked_only_when_they_are_named(standin, new):
    standin.fail("orig_data", *["503"] * 3)
    with pytest.raises(ServerUnavailable):
        new().fetch(HET, ["Proton_Flux"], DAY)
    assert standin.asked("/pub/") == []
    provider = new(CdaWebFolders)
    provider.fetch(HET, ["Proton_Flux"], DAY)
    assert provider.name == "CDAWeb folders"
    assert [request.path for request in standin.asked("/pub/")] == [
        "/pub/catalogs/all.xml",
        "/pub/data/sta_l1_het/2021/",
        f"/pub/data/sta_l1_het/2021/{HET_FILE}",
    ]
    standin.mend()
    new(CdaWebFolders).fetch(HET, ["Proton_Flux"], DAY)
    assert standin.requests == []


def test_the_folders_tell_an_unknown_dataset_from_one_without_files(new):
    with pytest.raises(UnknownDataset):
        new(CdaWebFolders).locate("STA_L1_HEX", DAY)
    with pytest.raises(NoData):
        new(CdaWebFolders).locate(HET, TimeRange(datetime(2019, 1, 1), datetime(2019, 1, 2)))


def test_files_named_the_same_before_and_after_whatever_the_folders_do_not_say(new):
    [before] = new(CdaWebFolders).locate(HET, DAY)
    new(CdaWebFolders).fetch(HET, ["Proton_Flux"], DAY)
    assert new(CdaWebFolders).locate(HET, DAY)[0].identity == before.identity


def folder_files(*names: str) -> list[FolderFile]:
    return [FolderFile(f"http://host/{name}", name, "") for name in names]


def test_the_newest_version_is_the_one_of_the_highest_number():
    files = folder_files("a_20220101_v9.cdf", "a_20220101_v10.cdf", "a_20220102_v1.cdf")
    span = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
    assert [file.name for file in choose_files(files, span)] == ["a_20220101_v10.cdf", "a_20220102_v1.cdf"]


def test_a_file_that_starts_before_the_interval_may_reach_into_it():
    files = folder_files(
        "m_20220101000000_v1.0.0.cdf", "m_20220101060000_v1.0.0.cdf", "m_20220101120000_v1.0.0.cdf"
    )
    span = TimeRange(datetime(2022, 1, 1, 7), datetime(2022, 1, 1, 8))
    assert [file.name for file in choose_files(files, span)] == ["m_20220101060000_v1.0.0.cdf"]


def test_files_long_past_are_not_chosen():
    files = folder_files("a_20220101_v1.cdf", "a_20220102_v1.cdf", "a_20220103_v1.cdf")
    assert choose_files(files, TimeRange(datetime(2022, 2, 1), datetime(2022, 2, 2))) == []


def test_a_listing_is_read_with_its_escapes_and_without_its_links():
    page = (
        '<a href="?C=N;O=D">Name</a> <a href="/pub/">Parent</a> <a href="2022/">2022/</a>'
        '<a href="a%2Bb_20220101_v1.cdf">a+b</a>  2024-01-10 12:34  5K\n<a href="x.cdf.sha1">x</a>'
    )
    [one] = read_listing("http://host/pub/data/", page)
    assert one == FolderFile(
        "http://host/pub/data/a%2Bb_20220101_v1.cdf", "a+b_20220101_v1.cdf", "2024-01-10 12:34"
    )


# As a run names it


def test_a_step_and_a_run_may_name_it(standin, cdf_reader, cache):
    archives = Archives(cdf_reader, cache=cache, addresses={"cdaweb": standin.url})
    provider = archives.choose("cdaweb")
    assert isinstance(provider, CdaWeb)
    assert archives.choose("cdaweb") is provider
    assert archives.choose("cdaweb-folders").name == "CDAWeb folders"
    assert provider.datasets() == ["AC_K2_MFI", "STA_L1_HET"]
    assert Archives(cdf_reader, "cdaweb", cache=cache).choose("").name == "CDAWeb"
    provider.close()


def test_without_a_folder_nothing_can_be_downloaded(cdf_reader):
    with pytest.raises(RequestError, match="no cache folder"):
        Archives(cdf_reader).choose("cdaweb")


def test_a_server_may_be_named_by_itself_or_by_its_service():
    full, rest = CdaWeb.full_address, "http://host/WS/cdasr/1/dataviews/sp_phys/"
    assert full("http://host/") == full("http://host") == full(rest) == full(rest[:-1]) == rest


@pytest.mark.parametrize("url", ["host", "ftp://host", "/a/folder"])
def test_a_server_must_be_a_url(url):
    with pytest.raises(RequestError):
        CdaWeb.full_address(url)


# Further real files


@pytest.mark.archive
@pytest.mark.parametrize(
    ("folder", "dataset", "parameters", "start", "stop"),
    [
        ("ace", "AC_H0_MFI", ["Magnitude", "BGSEc"], "2023-01-02", "2023-01-03"),
        ("wind", "WI_H0_MFI", ["B3F1", "BGSE"], "2003-11-20", "2003-11-21"),
        ("omni", "OMNI2_H0_MRG1HR", ["BZ_GSM", "V"], "2023-01-01", "2023-02-01"),
        ("omni", "OMNI_COHO1HR_MERGED_MAG_PLASMA", ["BR", "V"], "2020-05-20", "2020-06-10"),
        (
            "mms",
            "MMS1_FGM_BRST_L2",
            ["mms1_fgm_b_gse_brst_l2"],
            "2015-10-16T13:05:30",
            "2015-10-16T13:07:00",
        ),
        ("solo", "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", ["B_RTN"], "2021-07-11T12:00", "2021-07-12T12:00"),
    ],
)
def test_real_files_come_over_http_as_they_are(
    archive, cdf_reader, tmp_path, clock, folder, dataset, parameters, start, stop
):
    span = TimeRange(datetime.fromisoformat(start), datetime.fromisoformat(stop))
    expected = LocalArchive(archive / folder, cdf_reader).fetch(dataset, parameters, span)
    with CdaWebStandIn(archive / folder) as server:
        http = Http(timeout=10, hosts=Hosts())
        provider = CdaWeb(tmp_path, http, reader=cdf_reader, url=server.url)
        files = provider.locate(dataset, span)
        found = provider.fetch(dataset, parameters, span)
        assert len(server.requests) == 1 + len(files)
        server.mend()
        CdaWeb(tmp_path, http, reader=cdf_reader, url=server.url).fetch(dataset, parameters, span)
        assert server.requests == []
        http.close()
    for name in parameters:
        same(found[name], expected[name])
        assert {source.file for source in found[name].sources} == {
            source.file for source in expected[name].sources
        }
        assert [source.doi for source in found[name].sources] == [
            source.doi for source in expected[name].sources
        ]
