"""The store gives back what was put, or says that it cannot, whatever happened to its files."""

import json
import os
import stat
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedObject, OutputError
from helio.store.store import Store, StoredResult
from helio.store.table import Table
from helio.store.work_keys import key_of
from tests.store.tables import START, assert_same, spectrum, vector

RECIPE = {"tool": "magnitude", "version": 1, "inputs": {"B": "sha256:" + "0" * 64}}
KEY = key_of(RECIPE)
NOON = datetime(2024, 5, 10, 12)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", now=lambda: NOON)


def result(digest, suffix=".arrow", **facts):
    return StoredResult(KEY, RECIPE, digest, suffix, facts, "2024-05-10T12:00:00+00:00", 0.25)


def again(store):
    """The store as another process sees it."""
    return Store(store.root, now=lambda: NOON)


def files(store, folder):
    return sorted(path.name for path in (store.root / folder).rglob("*") if path.is_file())


def change(path, content):
    """Write over a read-only file in place."""
    path.chmod(0o644)
    path.write_bytes(content)


def damage(path, how):
    content = path.read_bytes()
    middle = len(content) // 2
    changes = {
        "a flipped byte": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "a cut": content[:-1],
        "an empty file": b"",
        "something else": b"x" * len(content),
        "more bytes": content + b"\n",
    }
    change(path, changes[how])


DAMAGE = ["a flipped byte", "a cut", "an empty file", "something else", "more bytes"]


# ---- what was put is given back


@pytest.mark.parametrize("table", [vector(), spectrum()], ids=["vector", "spectrum"])
def test_a_table_comes_back(store, table):
    digest = store.put_table(table)
    assert digest == table.digest()
    assert_same(store.table(digest), table)
    assert_same(again(store).table(digest), table)


def test_bytes_come_back(store):
    digest = store.put_bytes(b"{}", ".json")
    assert digest == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert again(store).bytes(digest, ".json") == b"{}"
    assert store.path(digest, ".json").read_bytes() == b"{}"


def test_empty_bytes_come_back(store):
    assert store.bytes(store.put_bytes(b"", ".csv"), ".csv") == b""


def test_a_second_put_writes_nothing(store):
    digest = store.put_table(vector())
    before = store.path(digest).stat()
    assert again(store).put_table(vector()) == digest
    after = store.path(digest).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert files(store, "tmp") == []


def test_has_says_what_is_there(store):
    digest = store.put_table(vector())
    assert store.has(digest)
    assert not store.has(digest, ".json")
    assert not store.has(spectrum().digest())


@pytest.mark.parametrize(
    "digest", ["", "sha256:", "sha256:../../../etc/passwd", "sha256:" + "A" * 64, "key:" + "a" * 64]
)
def test_only_a_digest_names_an_object(store, digest):
    with pytest.raises(ValueError, match="is not a digest"):
        store.has(digest)


@pytest.mark.parametrize("suffix", ["", "json", "./x", ".a/b", "..", ".json\n"])
def test_only_a_suffix_ends_a_name(store, suffix):
    with pytest.raises(ValueError, match="suffix"):
        store.put_bytes(b"x", suffix)


def test_bytes_are_not_taken_for_a_table(store):
    with pytest.raises(ValueError, match="put_table"):
        store.put_bytes(b"x", ".arrow")


@pytest.mark.process
def test_opening_a_store_makes_and_imports_nothing(tmp_path):
    code = (
        "import sys; from pathlib import Path; from helio.store.store import Store;"
        f"s = Store(Path({str(tmp_path / 'none')!r})); assert s.find('key:' + '0' * 64) is None;"
        "assert not s.has('sha256:' + '0' * 64);"
        "print({'numpy', 'pyarrow', 'pandas'} & set(sys.modules))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"
    assert not (tmp_path / "none").exists()


def test_objects_may_be_read_by_whom_the_umask_allows_and_written_by_nobody(store):
    before = os.umask(0o027)
    try:
        digest = store.put_bytes(b"x", ".txt")
        store.record(KEY, result(digest, ".txt"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.path(digest, ".txt").stat().st_mode) == 0o440
    assert stat.S_IMODE(store.result_path(KEY).stat().st_mode) == 0o640


# ---- results


def test_a_result_comes_back(store):
    one = result(store.put_table(vector()), rows=5, notes=["°"], attempts=[{"x": None}])
    store.record(KEY, one)
    assert store.find(KEY) == one
    assert again(store).find(KEY) == one


def test_nothing_is_known_under_a_key_that_was_never_recorded(store):
    assert store.find(KEY) is None


def test_the_last_result_recorded_is_found(store):
    digest = store.put_table(vector())
    store.record(KEY, result(digest, rows=5))
    store.record(KEY, result(digest, rows=6))
    assert store.find(KEY).facts == {"rows": 6}


def test_a_result_without_its_object_cannot_be_recorded(store):
    with pytest.raises(DamagedObject, match="is not in the store"):
        store.record(KEY, result(vector().digest()))
    assert store.find(KEY) is None


def test_a_result_is_recorded_under_its_own_key_only(store):
    with pytest.raises(ValueError, match="not key:"):
        store.record(key_of({}), result(store.put_table(vector())))


def test_a_result_whose_object_is_gone_is_not_found(store):
    digest = store.put_table(vector())
    store.record(KEY, result(digest))
    store.path(digest).unlink()
    assert store.find(KEY) is None
    assert not store.has(digest)
    with pytest.raises(DamagedObject, match="is not in the store"):
        store.table(digest)


@pytest.mark.parametrize("how", ["a cut", "an empty file", "more bytes"])
def test_a_result_whose_object_has_another_size_is_not_found(store, how):
    digest = store.put_table(vector())
    store.record(KEY, result(digest))
    damage(store.path(digest), how)
    assert store.find(KEY) is None
    store.put_table(vector())
    assert store.find(KEY) is not None


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_result_is_not_found(store, how):
    store.record(KEY, result(store.put_table(vector())))
    damage(store.result_path(KEY), how)
    assert store.find(KEY) is None


def test_no_byte_of_a_result_changes_unseen(store):
    one = result(store.put_table(vector()), rows=5)
    store.record(KEY, one)
    path = store.result_path(KEY)
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert store.find(KEY) is None, at


def test_a_result_in_the_place_of_another_is_not_found(store):
    store.record(KEY, result(store.put_table(vector())))
    other = store.result_path(key_of({}))
    other.parent.mkdir(parents=True)
    os.rename(store.result_path(KEY), other)
    assert store.find(key_of({})) is None


# ---- damage


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_table_goes_to_quarantine_and_is_made_again(store, how):
    digest = store.put_table(vector())
    store.record(KEY, result(digest))
    damage(store.path(digest), how)
    with pytest.raises(DamagedObject, match=r"is damaged; the damaged file is kept as .*quarantine"):
        again(store).table(digest)
    assert store.find(KEY) is None
    assert not store.has(digest)
    kept, note = sorted((store.root / "quarantine").iterdir())
    assert kept.name.startswith("20240510T120000Z-")
    assert kept.name.endswith(store.path(digest).name)
    assert json.loads(note.read_bytes())["at"] == "2024-05-10T12:00:00"
    assert "changed since it was written" in json.loads(note.read_bytes())["reason"]
    store.put_table(vector())
    assert_same(store.table(digest), vector())
    assert store.find(KEY) is not None


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_bytes_go_to_quarantine(store, how):
    digest = store.put_bytes(b"<html>figure</html>", ".html")
    damage(store.path(digest, ".html"), how)
    with pytest.raises(DamagedObject):
        store.bytes(digest, ".html")
    assert not store.has(digest, ".html")
    assert len(files(store, "quarantine")) == 2


def test_damage_is_seen_by_a_process_that_has_read_the_object_before(store):
    digest = store.put_table(vector())
    store.table(digest)
    damage(store.path(digest), "a flipped byte")
    with pytest.raises(DamagedObject):
        store.table(digest)


@pytest.mark.parametrize("how", DAMAGE)
def test_a_put_over_a_damaged_object_puts_a_whole_one(store, how):
    digest = store.put_table(vector())
    damage(store.path(digest), how)
    again(store).put_table(vector())
    assert_same(again(store).table(digest), vector())
    assert len(files(store, "quarantine")) == 2


def test_another_whole_table_in_its_place_is_damage(store):
    one, other = store.put_table(vector()), store.put_table(spectrum())
    change(store.path(one), store.path(other).read_bytes())
    with pytest.raises(DamagedObject):
        again(store).table(one)
    assert not store.has(one)
    assert_same(store.table(other), spectrum())


def test_an_object_is_read_whole_once_in_a_process(store, monkeypatch):
    digest = store.put_table(vector())
    other = again(store)
    other.table(digest)
    monkeypatch.setattr("helio.store.ipc.intact", lambda descriptor: pytest.fail("read again"))
    other.table(digest)
    store.table(digest)  # it was read back when it was written


def test_a_whole_object_that_another_process_put_meanwhile_is_not_moved_away(store):
    digest = store.put_table(vector())
    path = store.path(digest)
    whole = path.read_bytes()
    damage(path, "a flipped byte")
    seen = again(store)._identity(path)
    path.unlink()
    path.write_bytes(whole)
    store._quarantine(path, seen, "late")
    assert_same(again(store).table(digest), vector())


# ---- folders and disks


def test_a_store_where_a_file_stands_is_an_error_in_words(tmp_path):
    (tmp_path / "store").write_text("in the way")
    store = Store(tmp_path / "store")
    assert store.find(KEY) is None
    assert not store.has(vector().digest())
    with pytest.raises(OutputError, match="cannot be written"):
        store.put_table(vector())


AS_NOBODY = """
import os, sys
from pathlib import Path
from helio.errors import DamagedObject, OutputError
from helio.store.ipc import read_table
from helio.store.store import Store
sys.path.insert(0, {tests!r})
from tests.store.tables import assert_same, spectrum, vector
if os.getuid() == 0:  # to root nothing is read-only
    os.setgid(65534); os.setuid(65534)
store = Store(Path({root!r}))
result = store.find({key!r})
assert_same(store.table(result.digest), vector())
assert store.put_table(vector()) == result.digest  # there already
for put in (lambda: store.put_table(spectrum()), lambda: store.put_bytes(b"x", ".txt"),
            lambda: store.record({key!r}, result)):
    try:
        put()
    except OutputError as error:
        assert "cannot be written: Permission denied" in str(error), error
    else:
        raise AssertionError("written")
try:
    store.table({damaged!r})
except DamagedObject as error:
    assert "helio cannot move it to quarantine: Permission denied" in str(error), error
else:
    raise AssertionError("read")
print("done")
"""


@pytest.mark.process
def test_a_read_only_store_is_read_and_refuses_in_words(open_folder):
    store = Store(open_folder / "store")
    digest, damaged = store.put_table(vector()), store.put_table(vector().component("Bx"))
    store.record(KEY, result(digest))
    damage(store.path(damaged), "a flipped byte")
    folders = [store.root, *(path for path in store.root.rglob("*") if path.is_dir())]
    old = 1_700_000_000
    for path in (store.path(digest), store.result_path(KEY)):
        os.utime(path, (old, old))
    for folder in folders:
        folder.chmod(0o555)
    try:
        code = AS_NOBODY.format(
            tests=str(Path(__file__).parents[2]), root=str(store.root), key=KEY, damaged=damaged
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert (said.stdout, said.returncode) == ("done\n", 0), said.stderr


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import numpy as np
from helio.errors import OutputError
from helio.store.runs import Runs
from helio.store.store import Store
from helio.store.table import Table
from tests.store.tables import START, vector
store, runs = Store(Path({root!r})), Runs(Path({root!r}) / "runs")
run = runs.begin({{"id": "a", "started_at": ""}}, {{}})
run.step({{"step_id": 1}})
large = Table(START + np.arange(10**5) * np.timedelta64(1, "s"), np.zeros(10**5))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for put in (lambda: store.put_table(large), lambda: store.put_bytes(b"x" * 30_000, ".png"),
            lambda: run.step({{"reason": "x" * 30_000}}), lambda: run.finish("success", facts={{"x": "y" * 30_000}}),
            lambda: runs.begin({{"id": "b", "x": "y" * 30_000}}, {{}})):
    try:
        put()
    except OutputError as error:
        assert "the disk is full" in str(error), error
    else:
        raise AssertionError("written")
assert [one["step_id"] for one in run.steps] == [1] and run.notes == ()
assert [one.status for one in runs.list()] == ["running"]
assert not store.has(large.digest())
store.put_table(vector())
run.step({{"step_id": 2}})
assert [one["step_id"] for one in run.steps] == [1, 2]
print("done")
"""


@pytest.mark.process
def test_a_full_disk_is_an_error_in_words_and_leaves_nothing_half_written(tmp_path):
    code = FULL.format(tests=str(Path(__file__).parents[2]), root=str(tmp_path))
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (said.stdout, said.returncode) == ("done\n", 0), said.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["a"]
    assert sorted(path.name for path in (tmp_path / "runs" / "a").iterdir()) == ["run.json", "steps.jsonl"]


def test_a_clock_that_was_set_back_changes_nothing(store):
    digest = store.put_table(vector())
    store.record(KEY, result(digest))
    later = 4_000_000_000
    for path in (store.path(digest), store.result_path(KEY)):
        os.utime(path, (later, later))
    assert store.find(KEY) is not None
    assert_same(store.table(digest), vector())
    assert store.put_table(vector()) == digest


def test_a_use_is_noted_in_the_time_of_the_result(store):
    store.record(KEY, result(store.put_table(vector())))
    old = 1_700_000_000
    os.utime(store.result_path(KEY), (old, old))
    store.find(KEY)
    assert store.result_path(KEY).stat().st_mtime > old


def test_a_put_of_what_is_there_counts_as_a_use(store):
    path = store.path(store.put_table(vector()))
    old = 1_700_000_000
    os.utime(path, (old, old))
    store.put_table(vector())
    assert path.stat().st_mtime > old


# ---- several at once


def test_threads_that_put_and_read_the_same_objects_do_not_disturb_each_other(store):
    every = [Table(START + np.zeros(3, "m8[ns]"), np.arange(3.0) + n) for n in range(4)]
    failed = []

    def work():
        try:
            for _ in range(10):
                for table in every:
                    assert_same(store.table(store.put_table(table)), table)
        except Exception as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(files(store, "objects")) == 4
    assert files(store, "quarantine") == files(store, "tmp") == []
