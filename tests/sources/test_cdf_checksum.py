"""CDFs that carry an MD5 of their own: a wrong one is refused before anything is read from the file."""

from __future__ import annotations

import json
import random
import shutil
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.errors import DamagedFile
from helio.sources.cdf import CdfReader
from helio.sources.cdf_checksum import ByteDigests
from helio.sources.file_digests import FileDigests, digest_file
from helio.sources.local import LocalArchive
from helio.time_range import TimeRange
from tests.sources.conftest import WrittenCdf

pytestmark = pytest.mark.slow

ALWAYS = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
NAME = "my_field_20240510_v01.cdf"


def written(path: Path, *, checksum: bool = True, compressed: int = 0, gzip: int = 0) -> Path:
    milliseconds = (np.datetime64("2024-05-10", "ms").astype("i8") + 62_167_219_200_000) + 60e3 * np.arange(
        400
    )
    field = np.random.default_rng(7).normal(size=(400, 3)).astype("f4")
    file = WrittenCdf(path, checksum=checksum, compressed=compressed)
    file.say(Logical_source="my_field", Title="A field")
    file.add("Epoch", "epoch", milliseconds)
    return file.add("B", "f4", field, gzip=gzip, DEPEND_0="Epoch", UNITS="nT", CATDESC="B").done()


KINDS = {"plain": {}, "compressed as a whole": {"compressed": 6}, "compressed variables": {"gzip": 6}}


@pytest.fixture(params=KINDS)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with a right checksum."""
    return written(tmp_path / NAME, **KINDS[request.param])


def mutants(content: bytes, count: int) -> list[bytes]:
    """One byte altered: at random places behind the magic numbers, and at each of the places of the checksum."""
    dice = random.Random(20_240_510)
    flags = (
        43  # the byte of the flags in a file that is not compressed; with its checksum flags gone it has none
    )
    places = [len(content) - 1 - number for number in range(16)]
    while len(places) < count:
        place = dice.randrange(8, len(content) - 16)
        if place != flags:
            places.append(place)
    found = []
    for offset in places:
        mutant = bytearray(content)
        mutant[offset] ^= dice.randrange(1, 256)
        found.append(bytes(mutant))
    return found


def test_one_hundred_files_with_a_wrong_checksum_are_refused_and_none_is_read(whole: Path):
    with CdfReader(time_limit=30.0) as reader:
        assert len(reader.read(whole, ["B"], ALWAYS)["B"]) == 400
        for mutant in mutants(whole.read_bytes(), 100):
            whole.write_bytes(mutant)
            with pytest.raises(DamagedFile) as caught:
                reader.read(whole, ["B"], ALWAYS)
            assert NAME in caught.value.message
            assert caught.value.place == str(whole)
            with pytest.raises(DamagedFile):
                reader.describe(whole)
            with pytest.raises(DamagedFile):
                LocalArchive(whole.parent, reader).fetch("MY_FIELD", ["B"], DAY)


@pytest.mark.parametrize("bit", [4, 8, 12, 16])
def test_a_checksum_whose_announcement_is_broken_is_refused(tmp_path: Path, bit: int):
    path = written(tmp_path / NAME)
    content = bytearray(path.read_bytes())
    content[43] ^= bit
    path.write_bytes(content)
    if bit == 12:  # both flags are gone: nothing says that there is a checksum
        assert digest_file(path).checksum == "none"
        return
    with pytest.raises(DamagedFile, match="checksum"):
        digest_file(path)


def test_a_wrong_checksum_says_what_is_wrong_and_what_to_do(tmp_path: Path):
    path = written(tmp_path / NAME)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedFile) as caught:
        digest_file(path)
    assert "MD5 checksum" in caught.value.message
    assert "download the file again" in caught.value.advice


def test_a_file_without_a_checksum_is_read(tmp_path: Path):
    path = written(tmp_path / NAME, checksum=False)
    assert digest_file(path).checksum == "none"
    with CdfReader() as reader:
        assert len(reader.read(path, ["B"], ALWAYS)["B"]) == 400


def test_a_right_checksum_is_remembered_and_a_wrong_one_is_not(tmp_path: Path):
    path, digests = written(tmp_path / NAME), FileDigests(tmp_path / "memory")
    assert digests.of(path).checksum == "right"
    assert digests.of(path) == digests.of(path)
    content = bytearray(path.read_bytes())
    content[700] ^= 1
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(DamagedFile):
            digests.of(path)


def test_bytes_may_come_in_pieces_of_any_length(whole: Path):
    content = whole.read_bytes()
    for length in (1, 7, 15, 16, 17, 4095, 4096, 4097, len(content)):
        found = ByteDigests()
        for start in range(0, len(content), length):
            found.update(content[start : start + length])
        assert found.checksum() == "right"


@pytest.mark.parametrize(
    "content", [b"", b"\xcd\xf3\x00\x01", b"\xcd\xf3\x00\x01\xcc\xcc\x00\x01" + bytes(40)]
)
def test_what_is_too_short_for_a_checksum_has_none(content: bytes):
    found = ByteDigests()
    found.update(content)
    assert found.checksum() == "none"


def test_a_run_over_a_wrong_checksum_fails_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    path = written(tmp_path / NAME)
    folder = tmp_path / "archive"
    folder.mkdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    (folder / NAME).write_bytes(content)
    args = {"dataset_id": "MY_FIELD", "parameter_id": "B", "time_range": "2024-05-10"}
    step = {"step_id": "b", "tool_name": "fetch_data", "tool_args": args}
    template = tmp_path / "mine.json"
    template.write_text(json.dumps({"id": "mine", "name": "mine", "version": 1, "steps": [step]}))
    words = ["run", str(template), "--archive", str(folder), "--direct", "-o", "out"]
    result = CliRunner().invoke(app, words, prog_name="helio")
    assert result.exit_code == 1
    assert "do not match its own MD5 checksum" in result.output
    assert "Traceback" not in result.output


@pytest.mark.archive
def test_every_real_checksum_is_right(archive: Path):
    found = {path.name: digest_file(path).checksum for path in sorted(archive.rglob("*.cdf"))}
    assert "right" in found.values()


@pytest.mark.archive
def test_real_files_with_one_altered_byte_are_refused(archive: Path, tmp_path: Path):
    real = [path for path in sorted(archive.rglob("*.cdf")) if digest_file(path).checksum == "right"]
    dice = random.Random(1)
    for path in real:
        copy = Path(shutil.copyfile(path, tmp_path / path.name))
        place = dice.randrange(100, copy.stat().st_size)
        with copy.open("r+b") as file:
            file.seek(place)
            (byte,) = file.read(1)
            file.seek(place)
            file.write(bytes([byte ^ 1]))
        with pytest.raises(DamagedFile, match="checksum"):
            digest_file(copy)
