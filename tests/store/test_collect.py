"""Garbage collection removes what nothing needs, says what, and nothing else."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from helio.errors import DamagedObject
from helio.store import collect as module
from helio.store.collect import collect
from helio.store.runs import Runs
from helio.store.store import Store, StoredResult
from helio.store.table import Table
from helio.store.work_keys import key_of
from tests.store.tables import START

NOW = datetime.now(UTC) + timedelta(hours=2)
DAY = timedelta(days=1)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", now=lambda: NOW)


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path / "runs")


def aged(path, age):
    at = (NOW - age).timestamp()
    os.utime(path, (at, at))


def work(store, number, age=DAY, facts=None):
    """One table and the result that names it, last used so long ago."""
    table = Table(START + np.zeros(100, "m8[ns]"), np.full(100, float(number)))
    recipe = {"number": number}
    one = StoredResult(key_of(recipe), recipe, store.put_table(table), ".arrow", facts or {}, "", 0.0)
    store.record(one.key, one)
    for path in (store.path(one.digest), store.result_path(one.key)):
        aged(path, age)
    return one


def run(runs, run_id, *results, age=DAY, finished=True):
    started_at = (NOW - age).isoformat()
    record = runs.begin({"id": run_id, "pipeline": "p", "started_at": started_at}, {})
    for result in results:
        record.step({"step_id": 1, "keys": {"B": result.key}, "digests": {"B": result.digest}})
    if finished:
        record.finish("success")
    return record


def there(store, *results):
    return [store.find(result.key) is not None for result in results]


def gone_and_why(collected):
    return {(removal.kind, removal.reason) for removal in collected.removals}


def test_there_is_nothing_to_collect_where_there_is_no_store(store, runs):
    collected = collect(store, runs, now=NOW, dry_run=False)
    assert (collected.removals, collected.kept, collected.freed) == ((), 0, 0)
    assert not store.root.exists()


def test_what_no_run_refers_to_goes_and_what_one_does_stays(store, runs):
    used, unused = work(store, 1), work(store, 2)
    run(runs, "a", used)
    sizes = [store.path(unused.digest).stat().st_size, store.result_path(unused.key).stat().st_size]
    kept = [store.path(used.digest).stat().st_size, store.result_path(used.key).stat().st_size]
    collected = collect(store, runs, now=NOW, dry_run=False)
    assert gone_and_why(collected) == {("result", "no run refers to it"), ("object", "no run refers to it")}
    assert (collected.freed, collected.kept) == (sum(sizes), sum(kept))
    assert collected.by_reason()["object", "no run refers to it"] == (1, sizes[0])
    assert there(store, used, unused) == [True, False]
    assert not store.path(unused.digest).exists()


def test_a_dry_run_says_the_same_and_removes_nothing(store, runs):
    unused = work(store, 2)
    said = collect(store, runs, now=NOW)
    assert said.dry_run
    assert there(store, unused) == [True]
    aged(store.result_path(unused.key), DAY)  # `there` has used it
    done = collect(store, runs, now=NOW, dry_run=False)
    assert (done.removals, done.kept) == (said.removals, said.kept)


def test_collecting_twice_finds_nothing_more(store, runs):
    run(runs, "a", work(store, 1), age=9 * DAY)
    run(runs, "b", work(store, 2))
    work(store, 3)
    first = collect(store, runs, older_than=5 * DAY, quota=1, now=NOW, dry_run=False)
    assert len(first.removals) == 7
    second = collect(store, runs, older_than=5 * DAY, quota=1, now=NOW, dry_run=False)
    assert second.removals == ()
    assert second.kept == first.kept


def test_what_was_made_in_the_last_hour_stays(store, runs):
    young, old = work(store, 1, timedelta(minutes=59)), work(store, 2, timedelta(minutes=61))
    collect(store, runs, quota=0, now=NOW, dry_run=False)
    assert there(store, young, old) == [True, False]


def test_a_new_result_keeps_its_old_object(store, runs):
    one = work(store, 1)
    aged(store.result_path(one.key), timedelta(minutes=1))
    assert collect(store, runs, quota=0, now=NOW, dry_run=False).removals == ()


def test_what_seems_to_be_made_tomorrow_stays(store, runs):
    one = work(store, 1, -DAY)
    run(runs, "a", age=-DAY)
    assert collect(store, runs, older_than=timedelta(0), quota=0, now=NOW, dry_run=False).removals == ()
    assert there(store, one) == [True]


def test_what_a_running_run_refers_to_stays_whatever_its_age(store, runs):
    one, unused = work(store, 1, 9 * DAY), work(store, 2, 9 * DAY)
    run(runs, "a", one, age=3 * DAY, finished=False)
    collect(store, runs, older_than=DAY, quota=0, now=NOW, dry_run=False)
    assert [summary.id for summary in runs.list()] == ["a"]
    assert there(store, one, unused) == [True, False]


@pytest.mark.parametrize("name", ["key", "digest"])
def test_a_running_run_need_name_only_one_of_result_and_object(store, runs, name):
    one = work(store, 1, 9 * DAY)
    run(runs, "a", finished=False).step({"step_id": 1, name: getattr(one, name)})
    collect(store, runs, quota=0, now=NOW, dry_run=False)
    assert store.has(one.digest)


def test_what_was_made_since_a_running_run_began_stays(store, runs):
    before, since = work(store, 1, 3 * DAY), work(store, 2, DAY)
    run(runs, "a", age=2 * DAY, finished=False)
    collect(store, runs, quota=0, now=NOW, dry_run=False)
    assert there(store, before, since) == [False, True]


def test_old_records_go_and_what_only_they_refer_to(store, runs):
    old, new, both = work(store, 1), work(store, 2), work(store, 3)
    run(runs, "old", old, both, age=9 * DAY)
    run(runs, "new", new, both)
    collected = collect(store, runs, older_than=5 * DAY, now=NOW, dry_run=False)
    assert [summary.id for summary in runs.list()] == ["new"]
    assert there(store, old, new, both) == [False, True, True]
    assert collected.by_reason()["run", "it is older than the given age"][0] == 1


def test_an_object_that_a_record_mentions_anywhere_stays(store, runs):
    figure = store.put_bytes(b"figure", ".html")
    aged(store.path(figure, ".html"), DAY)
    run(runs, "a").finish("success", [{"file": "figure.html", "sha256": figure.removeprefix("sha256:")}])
    collect(store, runs, now=NOW, dry_run=False)
    assert store.has(figure, ".html")


def test_an_object_that_the_facts_of_a_kept_result_name_stays(store, runs):
    other = store.put_bytes(b"{}", ".json")
    aged(store.path(other, ".json"), DAY)
    run(runs, "a", work(store, 1, facts={"formats": [{"json": other}]}))
    collect(store, runs, now=NOW, dry_run=False)
    assert store.has(other, ".json")


def test_a_quota_drops_first_what_was_not_used_for_longest(store, runs):
    every = [work(store, number, number * DAY) for number in (3, 1, 2)]
    run(runs, "a", *every)
    total = collect(store, runs, now=NOW).kept
    assert collect(store, runs, quota=total, now=NOW, dry_run=False).removals == ()
    collected = collect(store, runs, quota=total - 1, now=NOW, dry_run=False)
    assert gone_and_why(collected) == {("result", "the quota"), ("object", "the quota")}
    assert collected.kept <= total - 1
    assert there(store, *every) == [False, True, True]
    assert [summary.id for summary in runs.list()] == ["a"]


def test_finding_a_result_counts_as_a_use(store, runs):
    used, unused = work(store, 1, 3 * DAY), work(store, 2, 2 * DAY)
    run(runs, "a", used, unused)
    store.find(used.key)
    collect(store, runs, quota=collect(store, runs, now=NOW).kept - 1, now=NOW, dry_run=False)
    assert store.has(used.digest)
    assert not store.has(unused.digest)


def test_a_result_that_is_used_while_it_is_collected_stays_with_its_object(store, runs, monkeypatch):
    one = work(store, 1)
    survey = module._survey

    def survey_and_use(*args):
        plan = survey(*args)
        assert there(store, one) == [True]
        return plan

    monkeypatch.setattr(module, "_survey", survey_and_use)
    assert collect(store, runs, now=NOW, dry_run=False).removals == ()
    assert there(store, one) == [True]


def test_results_that_are_damaged_or_without_object_go(store, runs):
    damaged, orphan = work(store, 1), work(store, 2)
    run(runs, "a", damaged, orphan)
    store.result_path(damaged.key).write_text("x")
    aged(store.result_path(damaged.key), DAY)
    store.path(orphan.digest).unlink()
    collected = collect(store, runs, now=NOW, dry_run=False)
    assert gone_and_why(collected) == {("result", "damaged"), ("result", "its object is missing")}


def test_what_is_in_quarantine_goes_after_thirty_days_or_for_the_quota(store, runs):
    for number in (1, 2):
        one = work(store, number)
        path = store.path(one.digest)
        path.chmod(0o644)
        path.write_bytes(b"x" * path.stat().st_size)
        with pytest.raises(DamagedObject):
            store.table(one.digest)
    assert len(list((store.root / "quarantine").iterdir())) == 4

    def reasons(now, **options):
        found = collect(store, runs, now=now, **options)
        return [removal.reason for removal in found.removals if removal.kind == "damaged object"]

    assert reasons(NOW + 29 * DAY) == []
    assert reasons(NOW + 31 * DAY) == ["it has been in quarantine for more than 30 days"] * 4
    assert reasons(NOW, quota=0) == ["the quota"] * 4
    collect(store, runs, now=NOW + 31 * DAY, dry_run=False)
    assert list((store.root / "quarantine").iterdir()) == []


LEFT = """
import os, sys
from pathlib import Path
from helio.store.process import temporary_name
for folder in sys.argv[1:]:
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / (temporary_name() if folder.endswith("tmp") else "." + temporary_name())).write_text("half")
"""


@pytest.mark.process
def test_temporary_files_of_dead_processes_go_and_those_of_the_living_stay(store, runs):
    record = run(runs, "a")
    folders = [store.root / "tmp", runs.root, record.folder]
    subprocess.run([sys.executable, "-c", LEFT, *map(str, folders)], check=True)
    living = store._temporary(store.path("sha256:" + "0" * 64))
    living.write_text("half")
    collected = collect(store, runs, now=NOW, dry_run=False)
    assert {(removal.kind, removal.path.parent) for removal in collected.removals} == {
        ("temporary file", folder) for folder in folders
    }
    assert living.exists()
    assert record.status == "success"


@pytest.mark.process
def test_a_half_made_record_of_a_dead_process_goes(store, runs):
    code = "import sys; from helio.store.process import temporary_name; print(temporary_name())"
    name = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    half = runs.root / f".{name}"
    half.mkdir(parents=True)
    (half / "plan.json").write_text("{}")
    collect(store, runs, now=NOW, dry_run=False)
    assert not half.exists()


def test_naive_now_means_utc(store, runs):
    work(store, 1)
    naive = NOW.replace(tzinfo=None)
    assert collect(store, runs, now=naive).removals == collect(store, runs, now=NOW).removals != ()


def test_small_pictures_of_figures_that_no_run_names_go(store, runs, tmp_path):
    pictures = tmp_path / "gallery" / "thumbs"
    pictures.mkdir(parents=True)
    kept, gone, new, older = ("1" * 64, "2" * 64, "3" * 64, "4" * 64)
    for digits in (kept, gone, new, older):
        (pictures / f"{digits}-1.png").write_bytes(b"picture")
        aged(pictures / f"{digits}-1.png", timedelta() if digits == new else DAY)
    for run_id, digits, age in (("a", kept, DAY), ("b", older, 40 * DAY)):
        artefact = {"file": "/elsewhere/figure.png", "step_id": "draw", "kind": "png", "sha256": digits}
        record = runs.begin({"id": run_id, "pipeline": "p", "started_at": (NOW - age).isoformat()}, {})
        record.finish("success", [artefact])
    collected = collect(store, runs, pictures=pictures, older_than=30 * DAY, now=NOW, dry_run=False)
    assert ("small picture", "no run refers to its figure") in gone_and_why(collected)
    assert sorted(path.name[0] for path in pictures.iterdir()) == ["1", "3"]
    assert collected.kept == 0
    assert collect(store, runs, pictures=tmp_path / "none", now=NOW).removals == ()
