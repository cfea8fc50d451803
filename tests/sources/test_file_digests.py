"""A file's digest is remembered as long as the file is what it was, and not longer."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from helio.sources import file_digests
from helio.sources.file_digests import FileDigest, FileDigests, digest_file


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read."""
    read: list[Path] = []

    def counted(path: Path) -> FileDigest:
        read.append(path)
        return digest_file(path)

    monkeypatch.setattr(file_digests, "digest_file", counted)
    return read


def test_a_file_is_read_once_by_all_processes(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    first = FileDigests(tmp_path / "memory").of(file).sha256
    assert (
        FileDigests(tmp_path / "memory").of(file).sha256 == first == hashlib.sha256(b"some bytes").hexdigest()
    )
    assert reads == [file]


def test_a_file_written_again_is_read_again_though_its_size_and_time_are_the_same(
    tmp_path: Path, reads: list[Path]
):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    status = file.stat()
    digests = FileDigests(tmp_path / "memory")
    first = digests.of(file)
    file.write_bytes(b"same bytes")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert first.sha256 != digests.of(file).sha256 == hashlib.sha256(b"same bytes").hexdigest()
    assert len(reads) == 2


def test_a_damaged_memory_is_not_believed(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    digests = FileDigests(tmp_path / "memory")
    digest = digests.of(file).sha256
    [place] = (tmp_path / "memory").iterdir()
    for content in (b"", b"{}", b"[]", b"\xff"):
        place.write_bytes(content)
        assert digests.of(file).sha256 == digest
    assert len(reads) == 5


def test_a_memory_that_cannot_be_written_is_done_without(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    (tmp_path / "memory").write_text("not a folder")
    assert FileDigests(tmp_path / "memory").of(file).sha256 == hashlib.sha256(b"some bytes").hexdigest()


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b'{"identity": 7}', b"[" * 100_000])
def test_a_damaged_memory_is_thrown_away_with_a_word_in_the_log(tmp_path, caplog, content):
    path = tmp_path / "data.csv"
    path.write_bytes(b"1,2\n")
    digests = FileDigests(tmp_path / "digests")
    expected = digests.of(path)
    [place] = (tmp_path / "digests").iterdir()
    place.write_bytes(content)
    assert digests.of(path) == expected
    assert f"{place} cannot be read" in caplog.text
    assert place.read_bytes() != content
