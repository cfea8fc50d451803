"""Archives that somebody else filled: each odd entry is passed over with a reason, nothing is read without bound."""

import os
import socket
import stat
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from helio.errors import DamagedFile, RequestError, UnknownDataset
from helio.sources import archive_listing, folder_walk, local
from helio.sources.archive_listing import list_archive
from helio.sources.cdf import CdfReader
from helio.sources.file_digests import FileDigests, digest_file
from helio.sources.folder_walk import shown
from helio.sources.local import LocalArchive
from helio.sources.samples import sample_folder
from helio.time_range import TimeRange

SAMPLE = "ac_k2_mfi_20220101_v03.cdf"
DAY = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
HUGE = 20 * 1024**3


@pytest.fixture
def bytes_of_a_cdf() -> bytes:
    return (sample_folder() / SAMPLE).read_bytes()


@pytest.fixture
def folder(tmp_path: Path, bytes_of_a_cdf: bytes) -> Path:
    """An archive of one good file."""
    made = tmp_path / "archive"
    made.mkdir()
    (made / SAMPLE).write_bytes(bytes_of_a_cdf)
    return made


def reasons(folder: Path, reader: CdfReader) -> dict[str, str]:
    """What a listing says of each entry that cannot be read; the good file is always found."""
    listing = list_archive(LocalArchive(folder, reader))
    assert [(dataset.id, dataset.files) for dataset in listing.datasets] == [("AC_K2_MFI", 1)]
    return {entry.path: entry.reason for entry in listing.unread}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (b"caf\xe9_20220101_v01.cdf", r"caf\xe9_20220101_v01.cdf"),
        (b"a\nerror: forged.cdf", r"a\nerror: forged.cdf"),
        (b"red\x1b[31m_20220101_v01.cdf", r"red\x1b[31m_20220101_v01.cdf"),
        ("turned\u202e.cdf".encode(), r"turned\u202e.cdf"),
    ],
)
def test_a_name_that_cannot_be_printed_is_refused_and_shown_plainly(
    folder, cdf_reader, bytes_of_a_cdf, name, said
):
    with open(os.path.join(os.fsencode(folder), name), "wb") as file:
        file.write(bytes_of_a_cdf)
    assert "rename it" in reasons(folder, cdf_reader)[said]
    with pytest.raises(UnknownDataset) as caught:
        LocalArchive(folder, cdf_reader).locate("NOWHERE", DAY)
    assert "1 entry that helio skipped" in caught.value.advice


def test_names_in_other_alphabets_are_read(folder, cdf_reader, bytes_of_a_cdf):
    (folder / "Größe 磁場_20220101_v01.cdf").write_bytes(bytes_of_a_cdf)
    archive = LocalArchive(folder, cdf_reader)
    assert len(archive.fetch("GRÖSSE 磁場", ["Magnitude"], DAY)["Magnitude"]) == 24


def test_a_folder_whose_name_is_not_utf_8_is_read(folder, cdf_reader, bytes_of_a_cdf, tmp_path):
    inner = os.path.join(os.fsencode(folder), b"donn\xe9es")
    os.mkdir(inner)
    (folder / SAMPLE).rename(os.fsdecode(inner) + f"/{SAMPLE}")
    archive = LocalArchive(folder, cdf_reader, digests=FileDigests(tmp_path / "memory"))
    assert len(archive.fetch("AC_K2_MFI", ["Magnitude"], DAY)["Magnitude"]) == 24
    assert [dataset.id for dataset in list_archive(archive).datasets] == ["AC_K2_MFI"]


def test_the_digest_of_a_file_whose_name_is_not_utf_8_is_remembered(tmp_path, bytes_of_a_cdf):
    path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"caf\xe9.cdf")))
    path.write_bytes(bytes_of_a_cdf)
    digests = FileDigests(tmp_path / "memory")
    assert digests.of(path) == digests.of(path)
    assert shown(path.name) == r"caf\xe9.cdf"


def test_what_is_no_file_is_named_as_what_it_is(folder, cdf_reader):
    os.mkfifo(folder / "fifo_20220101_v01.cdf")
    (folder / "device_20220101_v01.cdf").symlink_to("/dev/zero")
    (folder / "gone.cdf").symlink_to("nowhere")
    with closing(socket.socket(socket.AF_UNIX)) as made:
        made.bind(str(folder / "s.cdf"))
        assert reasons(folder, cdf_reader) == {
            "device_20220101_v01.cdf": "a device, not a file",
            "fifo_20220101_v01.cdf": "a FIFO, not a file",
            "gone.cdf": "a broken link",
            "s.cdf": "a socket, not a file",
        }


@pytest.mark.parametrize("do", [digest_file, lambda path: CdfReader().describe(path)])
def test_a_fifo_is_refused_before_it_is_opened_for_good(tmp_path, do):
    os.mkfifo(tmp_path / "a.cdf")
    with pytest.raises((OSError, DamagedFile), match="FIFO"):
        do(tmp_path / "a.cdf")


def test_links_out_of_the_archive_and_in_circles_end(folder, cdf_reader, tmp_path):
    (folder / "everything").symlink_to("/")
    (folder / "above").symlink_to(tmp_path)
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "inner").mkdir()
    (folder / "inner" / "itself").symlink_to(folder)
    found = reasons(folder, cdf_reader)
    assert found["everything"] == found["above"] == "a link to a folder that contains the archive"
    assert "symbolic links" in found["one"]
    assert "inner/itself" not in found


def test_a_link_to_another_folder_of_data_is_followed(folder, cdf_reader, tmp_path, bytes_of_a_cdf):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ac_k2_mfi_20220102_v03.cdf").write_bytes(bytes_of_a_cdf)
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (dataset,) = list_archive(LocalArchive(folder, cdf_reader)).datasets
    assert dataset.files == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("zeros_20220101_v01.cdf", "not a CDF"),
        ("whole_20220101_v01.cdf", "its contents need only"),
        ("named by its contents.cdf", "its contents need only"),
        ("zeros.nc", "not netCDF"),
        ("zeros.parquet", "not Parquet"),
        ("rows.csv", "ends with zero bytes"),
    ],
)
def test_a_sparse_file_of_20_gb_is_refused_without_being_read(
    folder, cdf_reader, bytes_of_a_cdf, monkeypatch, name, said
):
    head = {"whole": bytes_of_a_cdf, "named": bytes_of_a_cdf, "rows.": b"time,n\n2022-01-01T00:00Z,1\n" * 40}
    with (folder / name).open("wb") as file:
        file.write(head.get(name[:5], b""))
        file.truncate(HUGE)
    assert said in reasons(folder, cdf_reader)[name]
    monkeypatch.setattr("helio.sources.file_digests.digest_file", None)  # what would read all of it
    dataset_id = name.split("_")[0].split(".")[0]
    with pytest.raises(DamagedFile, match=said):
        LocalArchive(folder, cdf_reader).locate(dataset_id, DAY)


def test_an_empty_file_and_an_unknown_kind_are_said(folder, cdf_reader):
    (folder / "empty.cdf").touch()
    (folder / "page_20220101_v01.cdf").write_bytes(b"<html>404</html>")
    found = reasons(folder, cdf_reader)
    assert found["empty.cdf"] == "is empty"
    assert "an HTML page" in found["page_20220101_v01.cdf"]


@pytest.mark.parametrize("vanished", ["scandir", "stat"])
def test_what_cannot_be_looked_at_is_said(folder, cdf_reader, monkeypatch, vanished):
    (folder / "closed").mkdir()
    real = getattr(os, vanished)

    def refused(path, *arguments, **options):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(folder_walk.os, vanished, refused)
    assert reasons(folder, cdf_reader) == {"closed": "the folder cannot be read: Permission denied"}


def test_a_file_that_vanishes_during_the_look_is_said(folder, cdf_reader, bytes_of_a_cdf):
    gone = folder / "ac_h0_mfi_20220101_v01.cdf"
    gone.write_bytes(bytes_of_a_cdf)
    archive = LocalArchive(folder, cdf_reader)
    assert archive.datasets() == ["AC_H0_MFI", "AC_K2_MFI"]
    gone.unlink()
    listing = list_archive(archive)
    assert [dataset.id for dataset in listing.datasets] == ["AC_K2_MFI"]
    assert [(entry.path, "No such file" in entry.reason) for entry in listing.unread] == [(gone.name, True)]


def test_names_that_differ_in_case_only_are_versions_of_one_file(folder, cdf_reader, bytes_of_a_cdf):
    (folder / SAMPLE.upper()).write_bytes(bytes_of_a_cdf)
    archive = LocalArchive(folder, cdf_reader)
    assert len(archive.locate("AC_K2_MFI", DAY)) == 1
    (dataset,) = list_archive(archive).datasets
    assert "the same start and version as another file" in dataset.notes[0]
    (folder / SAMPLE.upper()).write_bytes(bytes_of_a_cdf + b"\0")
    with pytest.raises(DamagedFile, match="but different bytes"):
        LocalArchive(folder, cdf_reader).locate("AC_K2_MFI", DAY)


def test_a_folder_with_too_many_entries_is_refused_and_not_read_in_part(folder, cdf_reader, monkeypatch):
    for number in range(20):
        (folder / f"note {number}.txt").touch()
    monkeypatch.setattr(folder_walk, "MOST_ENTRIES", 10)
    archive = LocalArchive(folder, cdf_reader)
    for ask in (archive.datasets, lambda: list_archive(archive), lambda: archive.locate("AC_K2_MFI", DAY)):
        with pytest.raises(RequestError) as caught:
            ask()
        assert caught.value.advice == "choose a subfolder"


def test_very_many_odd_entries_are_counted(folder, cdf_reader, monkeypatch):
    monkeypatch.setattr(folder_walk, "MOST_SKIPPED", 3)
    for number in range(5):
        (folder / f"{number}.cdf").symlink_to("nowhere")
    listing = list_archive(LocalArchive(folder, cdf_reader))
    assert (len(listing.unread), listing.notes) == (3, ("further files and folders that cannot be read: 2",))


@pytest.mark.parametrize("name", ["absent", "file", "a\0b", "x" * 5000, "loop"])
def test_an_archive_that_is_no_folder_is_refused_in_words(tmp_path, cdf_reader, name):
    (tmp_path / "file").touch(mode=stat.S_IRUSR)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RequestError, match="the archive"):
        LocalArchive(tmp_path / name, cdf_reader)


def test_a_file_that_is_damaged_inside_is_no_dataset(folder, cdf_reader, bytes_of_a_cdf):
    damaged = bytearray(bytes_of_a_cdf)
    damaged[400:3000] = b"\xff" * 2600
    for name in ("ac_h9_mfi_20220101_v01.cdf", "my_event.cdf"):
        (folder / name).write_bytes(damaged)
    assert set(reasons(folder, cdf_reader)) == {"ac_h9_mfi_20220101_v01.cdf", "my_event.cdf"}


def test_too_many_files_of_no_name_are_not_opened_and_the_others_are_read(
    folder, cdf_reader, bytes_of_a_cdf, monkeypatch
):
    for number in range(5):
        (folder / f"event {number}.cdf").write_bytes(bytes_of_a_cdf)
    for module in (local, archive_listing):
        monkeypatch.setattr(module, "MOST_NAMELESS", 4)
    archive = LocalArchive(folder, cdf_reader)
    assert len(archive.locate("AC_K2_MFI", DAY)) == 1
    with pytest.raises(RequestError, match="5 files in archive have names that do not say their dataset"):
        archive.locate("EVENT 1", DAY)
    listing = list_archive(archive)
    assert [dataset.id for dataset in listing.datasets] == ["AC_K2_MFI"]
    assert "so it opened none: choose a subfolder" in listing.notes[0]
