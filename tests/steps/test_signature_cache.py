"""What is read of the tools is kept until their code changes."""

from __future__ import annotations

import pytest

from helio.steps import signature_cache


@pytest.fixture
def code(tmp_path, monkeypatch):
    steps = tmp_path / "helio" / "steps"
    (steps / "compute").mkdir(parents=True)
    (tmp_path / "helio" / "time_range.py").write_text("")
    (steps / "compute" / "magnitude.py").write_text("# version 1")
    monkeypatch.setattr(signature_cache, "CODE", steps)
    monkeypatch.setattr(signature_cache, "KEPT", steps / "__pycache__" / "tools.json")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)
    return steps


def test_what_was_kept_is_read_again(code):
    assert signature_cache.read_kept() is None
    signature_cache.keep({"magnitude": {"version": 1}})
    assert signature_cache.read_kept() == {"magnitude": {"version": 1}}


def test_an_edited_a_new_and_a_removed_tool_are_noticed(code):
    tool, other = code / "compute" / "magnitude.py", code / "compute" / "other.py"
    for change in (lambda: tool.write_text("# version 22"), lambda: other.write_text(""), other.unlink):
        signature_cache.keep({})
        assert signature_cache.read_kept() == {}
        change()
        assert signature_cache.read_kept() is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"tools": {}}', b"\xff"])
def test_a_damaged_file_is_made_again(code, content):
    signature_cache.keep({})
    signature_cache.KEPT.write_bytes(content)
    assert signature_cache.read_kept() is None


def test_a_folder_that_cannot_be_written_sends_it_to_the_users_cache(code, tmp_path):
    (code / "__pycache__").write_text("a file where the folder would be")
    signature_cache.keep({"magnitude": {}})
    assert (tmp_path / "cache" / "helio" / "tools.json").is_file()
    assert signature_cache.read_kept() == {"magnitude": {}}
