"""A file that is replaced or written to while it is used: its numbers never go under the name of other bytes."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import netCDF4
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.errors import ChangedFile
from helio.sources.cdf import CdfReader
from helio.sources.cdf_worker import PinnedFile
from helio.sources.file_digests import FileDigests, FileState, digest_file
from helio.sources.formats import format_of
from helio.sources.local import LocalArchive
from helio.sources.providers.cdaweb import CdaWeb
from helio.testing import CdaWebStandIn
from helio.time_range import TimeRange
from tests.sources.conftest import WrittenCdf

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
RECORDS = 1440
MINUTES = np.datetime64("2024-05-10", "ns") + np.arange(RECORDS) * np.timedelta64(60, "s")
FORMATS = (".cdf", ".nc", ".csv", ".parquet")


def write(path: Path, value: int) -> Path:
    """A day of one value; files of two values are of one length."""
    values = np.full(RECORDS, float(value), dtype="f4")
    if path.suffix == ".cdf":
        # milliseconds since the year 0, as CDF_EPOCH counts
        epoch = MINUTES.astype("datetime64[ms]").astype("i8") + 62_167_219_200_000.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            file = WrittenCdf(path)
            file.add("Epoch", "epoch", epoch)
            file.add("B", "f4", values, DEPEND_0="Epoch", UNITS="nT", FIELDNAM="B", VAR_TYPE="data").done()
    elif path.suffix == ".nc":
        path.unlink(missing_ok=True)
        with netCDF4.Dataset(str(path), "w") as dataset:
            dataset.createDimension("time", RECORDS)
            time = dataset.createVariable("time", "f8", ("time",))
            time.units = "seconds since 2024-05-10 00:00:00"
            time[:] = 60.0 * np.arange(RECORDS)
            field = dataset.createVariable("B", "f4", ("time",))
            field.units = "nT"
            field[:] = values
    elif path.suffix == ".csv":
        rows = [f"{moment}Z,{value}" for moment in np.datetime_as_string(MINUTES, "s")]
        path.write_text("\n".join(["time,B", *rows, ""]))
    else:
        columns = {"time": pa.array(MINUTES), "B": pa.array(values)}
        pa.parquet.write_table(pa.table(columns), path, compression="NONE", use_dictionary=False)
    return path


def in_place(path: Path, value: int) -> None:
    """Other bytes in the same file, of the same length and with the old time of modification."""
    before = path.stat()
    other = write(path.with_name(f".other{path.suffix}"), value).read_bytes()
    with path.open("r+b") as file:
        file.write(other)
        file.truncate()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def by_rename(path: Path, value: int) -> None:
    """Another file at the place of the first, with its time of modification."""
    before = path.stat()
    other = write(path.with_name(f".other{path.suffix}"), value)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


Replace = Callable[[Path, int], None]
replaced = pytest.mark.parametrize("replace", [in_place, by_rename])
each_format = pytest.mark.parametrize("suffix", FORMATS)


@pytest.fixture
def reader() -> Iterator[CdfReader]:
    with CdfReader(time_limit=30.0) as reader:
        yield reader


@pytest.fixture
def file(tmp_path: Path, suffix: str) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    return write(folder / f"my_field_20240510_v01{suffix}", 1)


def named_and_read(archive: LocalArchive) -> tuple[str, str, set[float]]:
    """What a key would name, what the table says it was read from, and the values."""
    [named] = archive.locate("MY_FIELD", DAY)
    table = archive.fetch("MY_FIELD", ["B"], DAY)["B"]
    return named.sha256, table.sources[0].sha256, set(np.ravel(table.values).tolist())


@each_format
@replaced
def test_a_file_replaced_between_its_naming_and_its_reading_is_refused(file, replace: Replace, reader):
    archive = LocalArchive(file.parent, reader)
    archive.locate("MY_FIELD", DAY)
    replace(file, 2)
    with pytest.raises(ChangedFile) as caught:
        archive.fetch("MY_FIELD", ["B"], DAY)
    assert file.name in caught.value.message
    assert caught.value.place == str(file)
    assert caught.value.advice
    # the next run takes the file as it is now
    named, cited, values = named_and_read(LocalArchive(file.parent, reader))
    assert named == cited == digest_file(file).sha256
    assert values == {2.0}


@each_format
@replaced
def test_a_file_replaced_just_before_it_is_opened_is_refused(file, replace: Replace, reader, monkeypatch):
    archive = LocalArchive(file.parent, reader)
    archive.locate("MY_FIELD", DAY)
    answers = reader._answers

    def late(path, request):
        replace(path, 2)
        return answers(path, request)

    monkeypatch.setattr(reader, "_answers", late)
    with pytest.raises(ChangedFile):
        archive.fetch("MY_FIELD", ["B"], DAY)


@each_format
@replaced
def test_a_file_replaced_while_the_reader_has_it_open_is_never_taken_for_the_old_one(
    file, replace: Replace, reader
):
    archive = LocalArchive(file.parent, reader)
    assert named_and_read(archive)[2] == {1.0}
    replace(file, 2)  # the reader keeps the files open that it read last
    with pytest.raises(ChangedFile):
        archive.fetch("MY_FIELD", ["B"], DAY)
    assert named_and_read(LocalArchive(file.parent, reader))[2] == {2.0}


@each_format
@replaced
def test_what_was_read_is_given_up_when_the_file_changed_meanwhile(file, replace: Replace):
    state = FileState.of(file)
    opened = PinnedFile(file, format_of(file), state)
    tables = opened.file.tables(0, 2**62)
    replace(file, 2)
    if not (file.suffix == ".csv" and replace is in_place):  # a mapped file shows what is written to it
        tables.read("B")
    with pytest.raises(ChangedFile):
        opened.refuse_changed()
    opened.close()


@each_format
def test_an_open_file_is_read_though_another_one_stands_at_its_path(file):
    opened = PinnedFile(file, format_of(file), FileState.of(file))
    moved = file.rename(file.with_name("elsewhere"))
    write(file, 2)
    assert set(np.ravel(opened.file.tables(0, 2**62).read("B").values).tolist()) == {1.0}
    opened.close()
    assert moved.exists()


@each_format
def test_a_file_that_vanishes_is_refused_by_name(file, reader):
    archive = LocalArchive(file.parent, reader)
    archive.locate("MY_FIELD", DAY)
    file.unlink()
    with pytest.raises(ChangedFile, match=file.name):
        archive.fetch("MY_FIELD", ["B"], DAY)


@each_format
def test_a_file_that_is_cut_while_it_is_read_is_changed_and_not_damaged(file, reader, monkeypatch):
    archive = LocalArchive(file.parent, reader)
    archive.locate("MY_FIELD", DAY)
    answers = reader._answers

    def late(path, request):
        os.truncate(path, 300)
        return answers(path, request)

    monkeypatch.setattr(reader, "_answers", late)
    with pytest.raises(ChangedFile):
        archive.fetch("MY_FIELD", ["B"], DAY)


@each_format
def test_a_file_that_is_only_touched_is_read_again(file, reader, monkeypatch):
    archive = LocalArchive(file.parent, reader)
    named = archive.locate("MY_FIELD", DAY)[0].sha256
    answers, touched = reader._answers, []

    def late(path, request):
        if not touched:
            touched.append(path)
            os.link(path, path.with_name("another name"))
        return answers(path, request)

    monkeypatch.setattr(reader, "_answers", late)
    table = archive.fetch("MY_FIELD", ["B"], DAY)["B"]
    assert touched
    assert table.sources[0].sha256 == named
    assert set(np.ravel(table.values).tolist()) == {1.0}


@each_format
def test_a_file_that_is_written_to_without_end_is_refused_in_the_end(file, reader, monkeypatch):
    archive = LocalArchive(file.parent, reader)
    archive.locate("MY_FIELD", DAY)
    answers, tries = reader._answers, []

    def late(path, request):
        tries.append(path)
        os.utime(path)
        return answers(path, request)

    monkeypatch.setattr(reader, "_answers", late)
    with pytest.raises(ChangedFile):
        archive.fetch("MY_FIELD", ["B"], DAY)
    assert len(tries) == 3


@pytest.mark.parametrize("suffix", [".csv"])
def test_a_write_right_after_a_file_was_named_leaves_a_trace(file):
    """Clocks of file systems tick coarsely: a file that was just written is named once its time is past."""
    for number in range(20):
        file.write_bytes(b"first %d" % number)
        digest = digest_file(file)
        file.write_bytes(b"other %d" % number)
        assert FileState.of(file) != digest.state


@pytest.mark.parametrize("suffix", [".csv"])
def test_a_file_that_changes_while_its_bytes_are_digested_gets_no_digest_of_a_mixture(file, monkeypatch):
    content = file.read_bytes()
    states, of = [], FileState.of

    def late(where):
        states.append(where)
        if len(states) == 2:  # after the bytes were read, before the state is looked at again
            file.write_bytes(content.replace(b"1\n", b"2\n"))
        return of(where)

    monkeypatch.setattr(FileState, "of", late)
    digest = digest_file(file)
    monkeypatch.undo()
    assert digest == digest_file(file)


# Whole runs


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    steps = [
        {
            "step_id": "b",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "MY_FIELD",
                "parameter_id": "B",
                "time_range": "2024-05-10",
                "output_label": "B",
            },
        }
    ]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"id": "mine", "name": "mine", "version": 1, "steps": steps}))
    return path


def run(template: Path, folder: Path) -> tuple[int, str]:
    result = CliRunner().invoke(
        app, ["run", str(template), "--archive", str(folder), "-o", "out", "--json"], prog_name="helio"
    )
    return result.exit_code, result.output


@each_format
@replaced
def test_a_run_whose_file_is_replaced_stores_nothing_and_the_next_one_has_the_new_numbers(
    template, file, replace: Replace, monkeypatch
):
    locate = LocalArchive.locate
    done: list[Path] = []

    def late(self, dataset_id, time_range):
        located = locate(self, dataset_id, time_range)
        if not done:
            done.append(file)
            replace(file, 2)
        return located

    monkeypatch.setattr(LocalArchive, "locate", late)
    code, output = run(template, file.parent)
    assert code != 0
    assert file.name in output
    assert "Traceback" not in output
    code, output = run(template, file.parent)
    assert code == 0, output
    step = json.loads(output)["steps"][0]
    assert step["state"] == "completed"
    [source] = step["outputs"][0]["sources"]
    assert source["sha256"] == digest_file(file).sha256
    table = next(iter(step["outputs"]))["digest"]
    write(file, 1)
    code, output = run(template, file.parent)
    step = json.loads(output)["steps"][0]
    assert step["state"] == "completed"
    assert step["outputs"][0]["digest"] != table


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_run_from_the_store_reads_no_file(template, file, monkeypatch):
    assert run(template, file.parent)[0] == 0

    def never(*_):
        raise AssertionError("a file was read")

    monkeypatch.setattr("helio.sources.file_digests.digest_file", never)
    monkeypatch.setattr(CdfReader, "read", never)
    code, output = run(template, file.parent)
    assert code == 0, output
    assert json.loads(output)["steps"][0]["state"] == "cached"


@pytest.mark.parametrize("suffix", [".csv"])
def test_a_memory_of_digests_is_not_asked_for_more_than_the_state_it_knows(file, tmp_path):
    digests = FileDigests(tmp_path / "memory")
    first = digests.of(file)
    in_place(file, 2)
    assert digests.of(file).sha256 != first.sha256


# What was downloaded


@pytest.mark.parametrize("suffix", [".cdf"])
@replaced
def test_a_kept_download_that_is_replaced_before_it_is_read_is_refused(
    file, replace: Replace, reader, tmp_path, http, monkeypatch
):
    with CdaWebStandIn(file.parent) as service:
        archive = CdaWeb(tmp_path / "files", http, reader=reader, url=service.url)
        assert set(np.ravel(archive.fetch("MY_FIELD", ["B"], DAY)["B"].values).tolist()) == {1.0}
        [kept] = (tmp_path / "files" / "data").rglob(file.name)
        answers = reader._answers

        def late(path, request):
            replace(kept, 2)
            return answers(path, request)

        monkeypatch.setattr(reader, "_answers", late)
        with pytest.raises(ChangedFile, match=file.name):
            archive.fetch("MY_FIELD", ["B"], DAY)
        monkeypatch.setattr(reader, "_answers", answers)
        # what is kept is not what was sent any more: it is sent again
        table = CdaWeb(tmp_path / "files", http, reader=reader, url=service.url).fetch(
            "MY_FIELD", ["B"], DAY
        )["B"]
        assert set(np.ravel(table.values).tolist()) == {1.0}
        assert table.sources[0].sha256 == digest_file(file).sha256


@pytest.mark.parametrize("suffix", [".cdf"])
def test_a_downloaded_file_is_not_read_again_to_be_known(file, reader, tmp_path, http, monkeypatch):
    def never(path):
        raise AssertionError(f"{path} was read once more")

    monkeypatch.setattr("helio.sources.file_digests.digest_file", never)
    with CdaWebStandIn(file.parent) as service:
        for _ in range(2):
            digests = FileDigests(tmp_path / "memory")
            archive = CdaWeb(tmp_path / "files", http, reader=reader, url=service.url, digests=digests)
            [located] = archive.locate("MY_FIELD", DAY)
            assert len(archive.fetch("MY_FIELD", ["B"], DAY)["B"]) == RECORDS
            assert [source.sha256 for source in archive.locate("MY_FIELD", DAY)] != [""]
        assert located.sha256
