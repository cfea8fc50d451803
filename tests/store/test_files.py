"""Files that cannot be written, and what is advised."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from helio.errors import OutputError
from helio.store.files import unwritable, write_whole


@pytest.mark.parametrize(
    ("code", "reason", "advice"),
    [
        (errno.ENOSPC, "the disk is full", "free some space"),
        (errno.EDQUOT, "the disk is full", "free some space"),
        (errno.EACCES, "Permission denied", "ask for permission"),
        (errno.EROFS, "the file system is read-only", "choose another folder; HELIO_HOME"),
        (errno.ENOENT, "no file can be created in that folder", "choose another folder; HELIO_HOME"),
    ],
)
def test_only_a_full_disk_is_to_be_freed(code: int, reason: str, advice: str):
    found = unwritable(Path("x.lock"), OSError(code, "Permission denied"))
    assert found.message == f"x.lock cannot be written: {reason}"
    assert found.advice.startswith(advice)


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path):
    (tmp_path / "plain").write_bytes(b"")
    with pytest.raises(OutputError, match="one of its parent folders is a file") as caught:
        write_whole(tmp_path / "plain" / "x.lock", b"{}")
    assert "free some space" not in caught.value.advice
