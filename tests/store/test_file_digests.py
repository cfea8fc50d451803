"""A file's digest is remembered as long as the file is what it was, and not longer."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from helio.store import file_digests
from helio.store.file_digests import FileDigests


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read."""
    read: list[Path] = []

    def counted(path: Path) -> str:
        read.append(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(file_digests, "sha256_of", counted)
    return read


def test_a_file_is_read_once_by_all_processes(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    first = FileDigests(tmp_path / "memory").sha256(file)
    assert FileDigests(tmp_path / "memory").sha256(file) == first == hashlib.sha256(b"some bytes").hexdigest()
    assert reads == [file]


def test_a_file_written_again_is_read_again_though_its_size_and_time_are_the_same(
    tmp_path: Path, reads: list[Path]
):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    status = file.stat()
    digests = FileDigests(tmp_path / "memory")
    digests.sha256(file)
    file.write_bytes(b"same bytes")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert digests.sha256(file) == hashlib.sha256(b"same bytes").hexdigest()
    assert len(reads) == 2


def test_a_damaged_memory_is_not_believed(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    digests = FileDigests(tmp_path / "memory")
    digest = digests.sha256(file)
    [place] = (tmp_path / "memory").iterdir()
    for content in (b"", b"{}", b"[]", b"\xff"):
        place.write_bytes(content)
        assert digests.sha256(file) == digest
    assert len(reads) == 5


def test_a_memory_that_cannot_be_written_is_done_without(tmp_path: Path, reads: list[Path]):
    file = tmp_path / "a.cdf"
    file.write_bytes(b"some bytes")
    (tmp_path / "memory").write_text("not a folder")
    assert FileDigests(tmp_path / "memory").sha256(file) == hashlib.sha256(b"some bytes").hexdigest()
