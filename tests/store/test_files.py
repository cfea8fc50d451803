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
from helio.store.files import json_bytes, unwritable, write_whole
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
