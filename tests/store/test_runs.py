"""Run records tell what was done, and a run whose process is gone from one that works."""

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from helio.errors import DamagedObject, OutputError, RequestError, UnknownRun
from helio.store import process
from helio.store.process import Process, fate_of_writer, started, temporary_name, this_process
from helio.store.runs import Runs, RunSummary

HEADER = {
    "id": "omni-20240510-ab12",
    "pipeline": "omni",
    "started_at": "2024-05-10T12:00:00+00:00",
    "values": {"$TIME_RANGE": "2024-05-10"},
}
DOCUMENTS = {
    "authored": {"id": "omni"},
    "normalised": {},
    "plan": {"steps": []},
    "edits": [{"op": "test"}, {"op": "add"}],
}
STEP = {"step_id": "b", "tool": "fetch_data", "state": "completed", "digests": {"B": "sha256:" + "a" * 64}}


@pytest.fixture
def runs(tmp_path):
    return Runs(tmp_path / "runs")


def begun(runs, run_id="a", started_at="2024-05-10T12:00:00+00:00"):
    return runs.begin({**HEADER, "id": run_id, "started_at": started_at}, {})


def rewritten(record, **changes):
    path = record.folder / "run.json"
    header = json.loads(path.read_bytes())
    path.write_text(json.dumps({**header, **changes}))


def of_process(record, **changes):
    rewritten(record, process=replace(this_process(), **changes).to_json())


def test_a_record_keeps_what_was_asked_and_planned(runs):
    record = runs.begin(HEADER, DOCUMENTS)
    assert record.id == HEADER["id"]
    assert {name: record.header[name] for name in HEADER} == HEADER
    assert record.documents == DOCUMENTS
    assert record.status == "running"
    assert record.process == this_process()
    names = sorted(path.name for path in record.folder.iterdir())
    assert names == [
        "authored.json",
        "edits.jsonl",
        "normalised.json",
        "plan.json",
        "run.json",
        "steps.jsonl",
    ]
    assert [path.name for path in runs.root.iterdir()] == [HEADER["id"]]


def test_steps_are_kept_in_order(runs):
    record = begun(runs)
    record.step(STEP)
    record.step({**STEP, "step_id": "magnitude", "state": "failed", "error": {"message": "two\nlines °"}})
    assert [step["step_id"] for step in runs.load("a").steps] == ["b", "magnitude"]
    assert runs.load("a").steps[1]["error"] == {"message": "two\nlines °"}
    assert record.notes == ()


def test_a_finished_run_says_how_it_ended(runs):
    record = begun(runs)
    record.finish(
        "partial",
        [{"file": "figure.html"}],
        finished_at="2024-05-10T12:01:00+00:00",
        facts={"unwritten": ["x"]},
    )
    assert record.status == "partial"
    assert record.header["artefacts"] == [{"file": "figure.html"}]
    assert record.header["unwritten"] == ["x"]
    assert runs.list() == [
        RunSummary("a", "omni", "partial", "2024-05-10T12:00:00+00:00", "2024-05-10T12:01:00+00:00")
    ]


def test_runs_are_listed_newest_first(runs):
    for run_id, at in (
        ("b", "2024-05-10T12:00:00"),
        ("c", "2024-05-11T00:00:00"),
        ("a", "2024-05-09T00:00:00"),
    ):
        begun(runs, run_id, at)
    assert [summary.id for summary in runs.list()] == ["c", "b", "a"]


def test_there_are_no_runs_where_there_is_no_folder(runs):
    assert runs.list() == []
    with pytest.raises(UnknownRun, match="no run is called 'a'"):
        runs.load("a")


def test_a_unique_beginning_names_a_run(runs):
    for run_id in ("omni-1", "omni-12", "ace-1"):
        begun(runs, run_id)
    assert runs.load("ace").id == "ace-1"
    assert runs.load("omni-1").id == "omni-1"
    with pytest.raises(UnknownRun, match="the ids of 2 runs begin with 'omni'") as caught:
        runs.load("omni")
    assert caught.value.advice == "choose from 'omni-1', 'omni-12'"
    with pytest.raises(UnknownRun) as caught:
        runs.load("omin-12")
    assert "did you mean 'omni-12'" in caught.value.advice
    with pytest.raises(UnknownRun):
        runs.load("")


@pytest.mark.parametrize("run_id", ["", "..", ".a", "a/b", "a\0", "x" * 300])
def test_only_a_name_is_the_id_of_a_run(runs, run_id):
    with pytest.raises(ValueError, match="cannot be the id"):
        begun(runs, run_id)
    with pytest.raises(UnknownRun):
        runs.load(run_id)


def test_an_id_is_used_once(runs):
    begun(runs).finish("success")
    with pytest.raises(OutputError, match="a run with the id 'a' already exists"):
        begun(runs)
    assert runs.load("a").status == "success"
    assert [path.name for path in runs.root.iterdir()] == ["a"]


def test_a_record_cannot_be_made_where_a_file_stands(tmp_path):
    (tmp_path / "runs").write_text("in the way")
    assert Runs(tmp_path / "runs").list() == []
    with pytest.raises(OutputError, match="cannot be written"):
        begun(Runs(tmp_path / "runs"))


def test_what_is_not_json_makes_no_record(runs):
    with pytest.raises(ValueError, match="Out of range float"):
        runs.begin(HEADER, {"plan": {"x": float("nan")}})
    assert runs.list() == []


def test_steps_that_finished_together_reach_the_disk_together(runs, monkeypatch):
    record, flushed = begun(runs), []
    record.make_durable()
    monkeypatch.setattr("helio.store.runs.os.fsync", flushed.append)
    record.step(STEP, {**STEP, "step_id": "c"})
    assert [step["step_id"] for step in record.steps] == ["b", "c"]
    assert len(flushed) == 1


def test_steps_and_end_of_a_record_that_is_not_durable_do_not_wait_for_the_disk(runs, monkeypatch):
    record, flushed = begun(runs), []
    monkeypatch.setattr("helio.store.files.os.fsync", flushed.append)
    record.step(STEP)
    record.finish("success")
    assert flushed == []
    assert [step["step_id"] for step in record.steps] == ["b"]
    assert record.status == "success"
    durable = begun(runs, "durable")
    durable.make_durable()
    flushed.clear()
    durable.step(STEP)
    durable.finish("success")
    assert len(flushed) == 2


def test_a_record_is_flushed_to_the_disk_with_its_folders(runs, monkeypatch):
    flushed: list[str] = []
    monkeypatch.setattr("helio.store.runs.make_durable", lambda path: flushed.append(path.name))
    record = begun(runs)
    assert flushed == []
    record.make_durable()
    assert sorted(flushed) == sorted(
        [*(path.name for path in record.folder.iterdir()), record.id, runs.root.name]
    )


def test_a_record_that_cannot_be_flushed_is_an_error(runs, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    record = begun(runs)
    monkeypatch.setattr("helio.store.files.os.fsync", full)
    with pytest.raises(OutputError):
        record.make_durable()


def test_of_steps_that_cannot_be_flushed_together_none_is_kept(runs, monkeypatch):
    record = begun(runs)
    record.make_durable()
    record.step(STEP)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("helio.store.runs.os.fsync", full)
    with pytest.raises(OutputError):
        record.step({**STEP, "step_id": "c"}, {**STEP, "step_id": "d"})
    assert [step["step_id"] for step in record.steps] == ["b"]


# ---- damage


def test_a_last_line_that_was_cut_is_left_out_and_said(runs):
    record = begun(runs)
    record.step(STEP)
    record.step({**STEP, "step_id": "c"})
    path = record.folder / "steps.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert [step["step_id"] for step in record.steps] == ["b"]
    assert record.notes == (
        "the last line of steps.jsonl is incomplete because its process was killed; it is skipped",
    )


def test_a_damaged_line_is_left_out_and_said(runs):
    record = begun(runs)
    for _ in range(3):
        record.step(STEP)
    path = record.folder / "steps.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"\xff" + lines[1], *lines[2:]]))
    assert len(record.steps) == 2
    assert record.notes == ("line 2 of steps.jsonl is damaged; it is skipped",)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"status": "running"}', None])
def test_a_damaged_record_is_listed_as_such_and_can_be_deleted(runs, content):
    path = begun(runs).folder / "run.json"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert [(summary.id, summary.status) for summary in runs.list()] == [("a", "damaged")]
    runs.delete("a")
    assert runs.list() == []


def test_a_damaged_document_is_named(runs):
    record = runs.begin(HEADER, DOCUMENTS)
    (record.folder / "plan.json").write_text("{")
    with pytest.raises(DamagedObject, match=r"plan\.json of run"):
        _ = record.documents


# ---- processes


def test_a_run_whose_process_works_is_running(runs):
    assert begun(runs).status == "running"


CHILD = """
import sys, time
from pathlib import Path
from helio.store.runs import Runs
record = Runs(Path(sys.argv[1])).begin({"id": "a", "pipeline": "omni", "started_at": "2024-05-10T12:00:00"}, {})
record.step({"step_id": 1})
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.process
def test_a_run_whose_process_was_killed_has_crashed_and_keeps_its_steps(runs):
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(runs.root)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout.readline() == "ready\n"
        assert runs.load("a").status == "running"
        with pytest.raises(RequestError, match="is still running"):
            runs.delete("a")
        child.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie now: ended, and not yet asked for
        assert runs.load("a").status == "crashed"
    assert [summary.status for summary in runs.list()] == ["crashed"]
    assert runs.load("a").steps == [{"step_id": 1}]
    runs.delete("a")
    assert runs.list() == []


def test_a_later_process_with_the_same_number_is_not_taken_for_the_run(runs):
    record = begun(runs)
    of_process(record, started="1")
    assert record.status == "crashed"


def test_a_run_from_before_the_machine_was_started_has_crashed(runs):
    record = begun(runs)
    of_process(record, boot="another")
    assert record.status == "crashed"


@pytest.mark.parametrize("other", [{"host": "elsewhere", "boot": "another"}, {"namespace": "pid:[1]"}])
def test_a_run_on_another_machine_counts_as_running_and_says_so(runs, other):
    record = begun(runs)
    of_process(record, **other)
    assert record.status == "running"
    assert runs.list()[0].note.endswith("its state cannot be checked from this machine")
    runs.delete("a")
    assert runs.list() == []


def test_a_run_of_which_nothing_may_be_known_counts_as_running(runs, monkeypatch):
    record = begun(runs)
    of_process(record, pid=this_process().pid + 1)
    monkeypatch.setattr(process, "started", lambda pid: process.HIDDEN)
    assert record.status == "running"


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="needs root to be somebody else")
def test_a_process_that_may_not_be_looked_at_is_hidden_and_not_gone():
    code = (
        "import os; from helio.store import process; os.setuid(65534);"
        "print(process._is_hidden(1), process._is_hidden(2**22 + 1))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.stdout == "True False\n", said.stderr


def test_a_machine_that_was_renamed_knows_its_runs(runs):
    record = begun(runs)
    of_process(record, host="old name")
    assert record.status == "running"
    of_process(record, host="old name", started="1")
    assert record.status == "crashed"


def test_a_deleted_run_that_is_still_held_says_so(runs):
    record = begun(runs)
    record.finish("success")
    runs.delete("a")
    with pytest.raises(UnknownRun, match="was deleted"):
        _ = record.status
    with pytest.raises(OutputError):
        record.step(STEP)


@pytest.mark.process
def test_the_start_of_a_process_is_that_of_no_other():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with child:
        assert started(child.pid) not in ("", started(os.getpid()))
        child.stdin.close()
    assert started(child.pid) == ""


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # the child does nothing but answer
def test_a_forked_child_has_a_name_of_its_own():
    this_process()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, json.dumps(this_process().to_json()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    said = Process(**json.loads(os.read(reader, 10_000)))
    assert said.pid == child
    assert said.fate == "gone"
    os.close(reader)
    os.close(writer)


def test_temporary_names_tell_what_became_of_their_writer():
    name = temporary_name()
    host, boot, namespace, pid, start, random = name.split("-")
    assert fate_of_writer(name) == "works"
    assert fate_of_writer("-".join([host, boot, namespace, pid, "1", random])) == "gone"
    assert fate_of_writer("-".join([host, "0" * 8, namespace, pid, start, random])) == "gone"
    assert fate_of_writer("-".join(["0" * 8, "0" * 8, namespace, pid, start, random])) == "elsewhere"
    assert fate_of_writer("-".join([host, boot, "0" * 8, pid, start, random])) == "elsewhere"
    for other in ("", "figure.html", name[:-1]):
        assert fate_of_writer(other) is None


@pytest.mark.process
def test_records_are_whole_or_absent_under_a_folder_that_is_watched(tmp_path):
    code = (
        "import sys; from pathlib import Path; from helio.store.runs import Runs\n"
        "for n in range(200): Runs(Path(sys.argv[1])).begin({'id': f'a{n}', 'started_at': ''}, {'plan': {'n': n}})"
    )
    runs = Runs(tmp_path / "runs")
    child = subprocess.Popen([sys.executable, "-c", code, str(runs.root)])
    with child:
        while child.poll() is None:
            for summary in runs.list():
                assert summary.status != "damaged", summary
                assert runs.load(summary.id).documents == {"plan": {"n": int(summary.id[1:])}}
    assert child.returncode == 0
    assert len(runs.list()) == 200
