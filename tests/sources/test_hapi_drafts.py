"""The body of a reply is written while it is read, and has its name only if it can be read."""

import hashlib
import threading
from functools import partial

import pytest

from helio.errors import OutputError
from helio.sources import hapi_pieces
from helio.sources.hapi_pieces import Draft, Drafts
from helio.store.files import write_whole

BODY = bytes(range(256)) * 1000


def files_below(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_kept_body_has_its_name_its_bytes_and_then_its_description(tmp_path):
    path, seen = tmp_path / "series" / "body.bin", []
    with Drafts() as drafts, Draft(tmp_path, BODY, drafts) as draft:
        draft.keep(path, lambda: seen.append(path.read_bytes()))
        assert draft.sha256() == hashlib.sha256(BODY).hexdigest()
        drafts.finish()
        assert seen == [BODY]
    assert files_below(tmp_path) == ["body.bin"]


def test_a_body_that_is_not_kept_leaves_the_earlier_one(tmp_path):
    path = tmp_path / "body.bin"
    path.write_bytes(b"earlier")
    with Drafts() as drafts, pytest.raises(ValueError, match="not readable"), Draft(tmp_path, BODY, drafts):
        raise ValueError("not readable")
    assert files_below(tmp_path) == ["body.bin"]
    assert path.read_bytes() == b"earlier"


def test_the_end_of_a_fetch_waits_for_its_replies(tmp_path, monkeypatch):
    may_write = threading.Event()

    def wait_and_write(path, body):
        assert may_write.wait(30)
        write_whole(path, body)

    monkeypatch.setattr(hapi_pieces, "write_whole", wait_and_write)
    with Drafts() as drafts:
        for number in range(6):
            with Draft(tmp_path, BODY, drafts) as draft:
                draft.keep(tmp_path / f"{number}.bin", list)
        assert files_below(tmp_path) == []
        drafts.refuse_failed()
        may_write.set()
    assert files_below(tmp_path) == [f"{number}.bin" for number in range(6)]


def test_a_full_disk_is_an_error_and_ends_the_fetch(tmp_path, monkeypatch):
    def fail(path, body):
        raise OutputError(f"{path.parent.name} is full")

    monkeypatch.setattr(hapi_pieces, "write_whole", fail)
    described = []
    with Drafts() as drafts:
        with Draft(tmp_path, BODY, drafts) as draft:
            draft.keep(tmp_path / "body.bin", partial(described.append, 1))
        with pytest.raises(OutputError, match="is full"):
            drafts.finish()
        with pytest.raises(OutputError, match="is full"):
            drafts.refuse_failed()
        with Draft(tmp_path, BODY, drafts):
            pass  # what nobody keeps, nobody misses
    assert described == []
    assert files_below(tmp_path) == []


def test_a_folder_that_cannot_take_the_file_is_an_error(tmp_path):
    (tmp_path / "body.bin").mkdir()
    with Drafts() as drafts:
        with Draft(tmp_path, BODY, drafts) as draft:
            draft.keep(tmp_path / "body.bin", list)
        with pytest.raises(OutputError, match=r"body\.bin"):
            drafts.finish()
    assert files_below(tmp_path) == []
