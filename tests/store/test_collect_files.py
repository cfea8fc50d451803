"""Collection counts and clears the file cache, and leaves alone what somebody needs, uses or downloads."""

import hashlib
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from helio.store import collect as module
from helio.store.collect import Collected, collect
from helio.store.process import temporary_name
from helio.store.runs import Runs
from helio.store.store import Store
from tests.store.test_collect import NOW, aged, gone_and_why, run, runs, store, work  # noqa: F401 - fixtures

DAY = timedelta(days=1)
UNUSED = ("downloaded file", "no run refers to it, and it has not been used for 7 days")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "files"


def kept(files: Path, name: str, age: timedelta = 30 * DAY, size: int = 1000, folder: str = "ace") -> Path:
    """A downloaded file with what stands beside it, last used so long ago."""
    path = files / "data" / "host" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(name.encode().ljust(size, b"."))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(f"{name}.json").write_text(json.dumps({"sha256": sha256}))
    for file in (path, path.with_name(f"{name}.json")):
        aged(file, age)
    return path


def part(files: Path, mark: str, age: timedelta) -> Path:
    folder = files / "data" / "parts" / f"{'0' * 24}.{mark}"
    folder.mkdir(parents=True)
    (folder / "body").write_bytes(b"x" * 500)
    aged(folder / "body", age)
    aged(folder, age)
    return folder


def refer(runs: Runs, run_id: str, *paths: Path, age: timedelta = DAY, finished: bool = True) -> None:  # noqa: F811
    """A run whose record names files as its sources."""
    record = run(runs, run_id, finished=False, age=age)
    sources = [{"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in paths]
    record.step({"step_id": 1, "outputs": [{"sources": sources}]})
    if finished:
        record.finish("success")


@pytest.fixture
def collected(store: Store, runs: Runs, files: Path):  # noqa: F811
    def call(**options: object) -> Collected:
        return collect(store, runs, files=files, **{"now": NOW, "dry_run": False} | options)

    return call


def test_where_there_is_no_cache_there_is_nothing(collected, files):
    assert collected().removals == ()
    assert not files.exists()


def test_a_file_that_no_run_refers_to_goes_with_what_stands_beside_it(collected, runs, files):  # noqa: F811
    used, unused = kept(files, "a.cdf"), kept(files, "b.cdf")
    refer(runs, "r", used)
    size = unused.stat().st_size + unused.with_name("b.cdf.json").stat().st_size
    found = collected()
    assert gone_and_why(found) == {UNUSED}
    assert found.freed == size
    assert [path.name for path in sorted(used.parent.iterdir())] == ["a.cdf", "a.cdf.json"]
    assert found.kept == sum(path.stat().st_size for path in used.parent.iterdir())


def test_without_delete_it_only_says_so(collected, files):
    path = kept(files, "a.cdf")
    found = collected(dry_run=True)
    assert gone_and_why(found) == {UNUSED}
    assert path.exists()
    assert path.with_name("a.cdf.json").exists()


def test_empty_folders_go_too_and_others_stay(collected, runs, files):  # noqa: F811
    stays = kept(files, "a.cdf")
    other = files / "data" / "other" / "deep" / "b.cdf"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"b")
    aged(other, 30 * DAY)
    refer(runs, "r", stays)
    collected()
    assert not (files / "data" / "other").exists()
    assert stays.exists()


def test_a_file_that_was_used_in_the_last_week_stays(collected, files):
    path = kept(files, "a.cdf")
    aged(path.with_name("a.cdf.json"), 6 * DAY)
    assert collected().removals == ()


def test_dropping_the_records_drops_their_files(collected, runs, files):  # noqa: F811
    path = kept(files, "a.cdf")
    refer(runs, "old", path, age=40 * DAY)
    assert collected().removals == ()
    assert gone_and_why(collected(older_than=30 * DAY)) == {("run", "it is older than the given age"), UNUSED}
    assert not path.exists()


def test_a_quota_takes_what_was_not_used_for_longest_of_results_and_files(collected, store, runs, files):  # noqa: F811
    oldest, newer = kept(files, "a.cdf", 20 * DAY), kept(files, "b.cdf", 2 * DAY)
    one = work(store, 1, 10 * DAY)
    refer(runs, "r", oldest, newer)
    run(runs, "s", one)
    everything = collected(dry_run=True).kept
    first = collected(quota=everything - 1, dry_run=True)
    assert [(removal.kind, removal.path.name) for removal in first.removals] == [("downloaded file", "a.cdf")]
    both = collected(quota=everything - 2000)
    assert {removal.kind for removal in both.removals} == {"downloaded file", "result", "object"}
    assert (oldest.exists(), newer.exists()) == (False, True)
    assert gone_and_why(collected(quota=0)) == {("downloaded file", "the quota")}


def test_what_a_running_run_refers_to_and_what_is_new_no_quota_touches(collected, runs, files):  # noqa: F811
    running, new = kept(files, "a.cdf"), kept(files, "b.cdf", timedelta(minutes=30))
    refer(runs, "r", running, finished=False, age=timedelta(minutes=5))
    assert collected(quota=0).removals == ()
    assert running.exists()
    assert new.exists()


def test_a_file_that_is_used_while_it_is_collected_stays(collected, files, monkeypatch):
    path = kept(files, "a.cdf")
    survey = module.survey_files

    def used_meanwhile(*args: object, **options: object):
        found = survey(*args, **options)
        os.utime(path.with_name("a.cdf.json"))
        return found

    monkeypatch.setattr(module, "survey_files", used_meanwhile)
    assert collected().removals == ()
    assert path.exists()
    assert path.with_name("a.cdf.json").exists()


def test_downloads_under_way_stay_and_those_left_for_a_week_go(collected, files):
    under_way = part(files, temporary_name(), 30 * DAY)
    young = part(files, "free-00", 6 * DAY)
    old = part(files, "free-01", 8 * DAY)
    found = collected()
    assert gone_and_why(found) == {("unfinished download", "the download has not continued for 7 days")}
    assert (under_way.exists(), young.exists(), old.exists()) == (True, True, False)
    assert found.kept == 1000


def test_a_download_that_somebody_goes_on_with_meanwhile_is_his(collected, files, monkeypatch):
    old = part(files, "free-01", 8 * DAY)
    elsewhere = old.with_name(f"{'0' * 24}.{temporary_name()}")
    look_at = module.look_at

    def taken_after_the_look(path: Path):
        found = look_at(path)
        if path == old and old.exists():
            old.rename(elsewhere)
        return found

    monkeypatch.setattr(module, "look_at", taken_after_the_look)
    collected()
    assert (elsewhere / "body").read_bytes() == b"x" * 500


def test_replies_that_nobody_used_for_a_season_go(collected, files):
    for name, age in (("old", 91 * DAY), ("used", 89 * DAY)):
        path = files / "replies" / "host" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        aged(path, age)
    found = collected()
    assert [(removal.kind, removal.path.name) for removal in found.removals] == [("reply", "old.json")]
    assert found.kept == 2


def test_what_a_process_left_half_written_goes_after_a_day(collected, files):
    for folder in (files / "data" / "host", files / "replies" / "host"):
        folder.mkdir(parents=True)
        for name, age in ((".a.cdf.json.0123456789ab", 2 * DAY), (".b.cdf.json.0123456789ab", DAY / 2)):
            (folder / name).write_text("{")
            aged(folder / name, age)
    found = collected()
    assert [(removal.kind, removal.path.name) for removal in found.removals] == [
        ("temporary file", ".a.cdf.json.0123456789ab")
    ] * 2
    assert found.kept == 2


def test_a_computed_file_is_known_by_what_it_is_made_from(collected, runs, files):  # noqa: F811
    path = kept(files, f"{'ab' * 32}-1.cdf")
    record = run(runs, "r", finished=False)
    record.step({"step_id": 1, "outputs": [{"sources": [{"file": path.name}]}]})
    record.finish("success")
    assert collected().removals == ()


def test_a_publication_that_another_one_replaced_is_collected_as_any_file(collected, runs, files):  # noqa: F811
    named, unused = (kept(files, "a.cdf", folder=f"ace/.earlier/{head}") for head in ("0123", "4567"))
    named.write_bytes(b"as it was")
    named.with_name("a.cdf.json").write_text(json.dumps({"sha256": hashlib.sha256(b"as it was").hexdigest()}))
    aged(named, 30 * DAY)
    aged(named.with_name("a.cdf.json"), 30 * DAY)
    refer(runs, "r", named)
    assert gone_and_why(collected()) == {UNUSED}
    assert (named.exists(), unused.parent.exists()) == (True, False)


@pytest.mark.parametrize("said", ["", "[]", "{}", None])
def test_a_file_of_which_nothing_is_known_is_one_that_no_run_refers_to(collected, files, said):
    path = kept(files, "a.cdf")
    beside = path.with_name("a.cdf.json")
    beside.unlink()
    if said is not None:
        beside.write_text(said)
        aged(beside, 30 * DAY)
    assert gone_and_why(collected()) == {UNUSED}
    assert not path.exists()
    assert not beside.exists()
