"""Files that cannot be written, and what is advised."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import OutputError
from helio.store.files import json_bytes, link_or_copy, unwritable, write_whole
from tests.laws import law


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


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
KEYS = (
    st.text() | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


@law(80, 4000)
@given(JSON)
def test_json_has_the_bytes_that_json_dumps_gives_it(value: Any):
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    assert json_bytes(value) == text.encode(errors="backslashreplace")


def test_json_of_names_that_are_not_utf8_and_of_paths():
    value = {"file\udc80": [Path("a/b"), {"é": "\udcff"}]}
    text = json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"
    assert json_bytes(value, default=str) == text.encode(errors="backslashreplace")


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}, {(1, 2): 3}, [object()]])
def test_what_is_not_json_is_refused(value: Any):
    with pytest.raises((ValueError, TypeError)):
        json_bytes(value)


def test_a_second_name_of_a_file_has_its_bytes_and_replaces_what_was_there(tmp_path: Path):
    (tmp_path / "source").write_bytes(b"new")
    path = tmp_path / "folder" / "name"
    assert link_or_copy(tmp_path / "source", path) == ""
    (tmp_path / "source").unlink()
    assert path.read_bytes() == b"new"
    (tmp_path / "other").write_bytes(b"newer")
    link_or_copy(tmp_path / "other", path)
    assert path.read_bytes() == b"newer"
    assert [file.name for file in path.parent.iterdir()] == ["name"]


def test_a_file_that_readers_of_the_folder_cannot_read_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("helio.store.files._clone", lambda source, path: False)
    (tmp_path / "source").write_bytes(b"mine")
    (tmp_path / "source").chmod(0o600)
    (tmp_path / "folder").mkdir(mode=0o755)
    assert "others can read the folder" in link_or_copy(tmp_path / "source", tmp_path / "folder" / "name")
    assert (tmp_path / "folder" / "name").read_bytes() == b"mine"
    assert (tmp_path / "folder" / "name").stat().st_ino != (tmp_path / "source").stat().st_ino


def test_a_file_on_another_disk_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr("helio.store.files._clone", lambda source, path: False)
    monkeypatch.setattr("os.link", refuse)
    (tmp_path / "source").write_bytes(b"x")
    assert link_or_copy(tmp_path / "source", tmp_path / "name") == "they are on another disk"
    assert (tmp_path / "name").read_bytes() == b"x"


def test_a_file_that_is_gone_is_an_error_and_leaves_nothing(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        link_or_copy(tmp_path / "source", tmp_path / "folder" / "name")
    assert list((tmp_path / "folder").iterdir()) == []
