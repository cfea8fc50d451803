"""Several processes on one store, and what is left of those that are killed."""

import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from helio.store.collect import collect
from helio.store.runs import Runs
from helio.store.store import Store
from tests.laws import LONG

pytestmark = pytest.mark.process

ROUNDS = 10 if LONG else 4
"""How often three processes are killed."""

# Puts tables and bytes, records results and steps, for as long as it lives.
WORKER = """
import sys
from pathlib import Path
import numpy as np
from helio.store.work_keys import key_of
from helio.store.runs import Runs
from helio.store.store import StoredResult, Store
from helio.store.table import Table
root, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store, runs = Store(root), Runs(root / "runs")
epoch = np.datetime64("2024-05-10", "ns") + np.arange(20_000) * np.timedelta64(1, "s")
record = runs.begin({"id": name, "pipeline": "p", "started_at": "2024-05-10T12:00:00"}, {"plan": {"x": "y" * 10_000}})
print("ready", flush=True)
for n in range(rounds):
    values = np.full(20_000, float(n % 7 if rounds < 100 else n))
    digest = store.put_table(Table(epoch, values))
    assert np.array_equal(store.table(digest).values, values)
    content = str(n % 5 if rounds < 100 else n).encode() * 50_000
    assert store.bytes(store.put_bytes(content, ".json"), ".json") == content
    recipe = {"n": n}
    store.record(key_of(recipe), StoredResult(key_of(recipe), recipe, digest, ".arrow", {}, "", 0.0))
    assert store.find(key_of(recipe)).digest == digest
    record.step({"step_id": n, "key": key_of(recipe), "digest": digest})
record.finish("success")
"""


def worker(root, name, rounds):
    command = [sys.executable, "-c", WORKER, str(root), name, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def every_object(store):
    return [path for path in (store.root / "objects").rglob("*") if path.is_file()]


def assert_whole(root):
    """Everything that a reader can see is whole."""
    store, runs = Store(root), Runs(root / "runs")
    for path in every_object(store):
        digest = f"sha256:{path.name[:64]}"
        if path.suffix == ".arrow":
            assert store.table(digest).digest() == digest
        else:
            store.bytes(digest, path.suffix)
    for summary in runs.list():
        record = runs.load(summary.id)
        assert summary.status in ("success", "crashed"), summary
        assert record.documents["plan"] == {"x": "y" * 10_000}
        for step in record.steps:
            found = store.find(step["key"])
            assert found is not None, "a step that is said to be done has no result"
            assert found.digest == step["digest"]
    assert not (root / "quarantine").exists()


def test_processes_that_put_and_read_the_same_objects_do_not_disturb_each_other(tmp_path):
    workers = [worker(tmp_path, f"run-{n}", 30) for n in range(3)]
    for process in workers:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert_whole(tmp_path)
    assert len(every_object(Store(tmp_path))) == 7 + 5
    assert list((tmp_path / "tmp").iterdir()) == []
    assert {summary.status for summary in Runs(tmp_path / "runs").list()} == {"success"}


def test_kill_9_at_any_moment_leaves_nothing_half_written(tmp_path):
    chance = random.Random(20240510)
    now = datetime.now(UTC)
    for n in range(ROUNDS):
        # Three at once, each killed at a moment of its own, most of the time within a write.
        workers = [worker(tmp_path, f"run-{n}-{number}", 10**6) for number in range(3)]
        for process in workers:
            with process:
                assert process.stdout.readline() == "ready\n", process.stderr.read()
                time.sleep(chance.uniform(0, 0.04))
                process.kill()
    assert_whole(tmp_path)
    assert {summary.status for summary in Runs(tmp_path / "runs").list()} == {"crashed"}
    store, runs = Store(tmp_path), Runs(tmp_path / "runs")
    left = {
        removal.path for removal in collect(store, runs, now=now).removals if removal.kind == "temporary file"
    }
    assert left == set((tmp_path / "tmp").glob("*")) | set((tmp_path / "runs").glob("**/.*"))
    collect(store, runs, now=now + timedelta(minutes=1), dry_run=False)
    assert list((tmp_path / "tmp").glob("*")) == []
    assert_whole(tmp_path)


def test_collecting_beside_working_processes_costs_them_nothing(tmp_path):
    store, runs = Store(tmp_path), Runs(tmp_path / "runs")
    workers = [worker(tmp_path, f"run-{n}", 30) for n in range(2)]
    while any(process.poll() is None for process in workers):
        collect(store, runs, quota=0, now=datetime.now(UTC), dry_run=False)
    for process in workers:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert_whole(tmp_path)
