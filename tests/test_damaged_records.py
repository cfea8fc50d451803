"""Records that were edited, cut or replaced: whatever reads them says so in words, and never with a traceback.

The home is one that an earlier version made (tests/data/homes). Each case changes one file of it by a seeded chance
and calls every command that reads this kind of record.
"""

from __future__ import annotations

import copy
import json
import math
import os
import random
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.errors import DamagedRecord, HelioError
from helio.store.lock_file import read_lock
from helio.store.records import read_bytes, read_record
from helio.store.runs import RunHeader
from tests.laws import LONG

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

HOME = sorted((Path(__file__).parent / "data" / "homes").glob("*.tar.gz"))[-1]
SEED = 20261122
EXAMPLES = 5 if LONG else 0.15
"""How many times the numbers of KINDS are tried."""
ODD: tuple[Any, ...] = (
    None, True, -1, 7, 0.5, 1e308, 10**30, "", "odd", "\0", "../../etc/passwd", "99999-01-01T00:00:00", "é" * 300,
    [], {}, [[]], [None], [7], {"odd": 7}, "sha256:" + "0" * 64, "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
)  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the earlier version left, which each test copies."""
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(HOME) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def home(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(unpacked, tmp_path, dirs_exist_ok=True, symlinks=True)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HELIO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    return tmp_path / "home"


def helio(*words: str) -> tuple[int, str]:
    """The exit code and all that is said; an exception that is no error of helio's fails the test."""
    result = CliRunner().invoke(app, list(words), prog_name="helio")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"helio {' '.join(words)}: {result.exception!r}") from result.exception
    return result.exit_code, result.output


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inner:
        yield (*path, key)
        yield from places_in(member, (*path, key))


def edited(document: Any, chance: random.Random) -> Any:
    """The same document with one value replaced, removed, repeated or renamed."""
    document = copy.deepcopy(document)
    places = list(places_in(document))
    if not places or chance.random() < 0.05:
        return chance.choice(ODD)
    *above, key = chance.choice(places)
    parent = document
    for step in above:
        parent = parent[step]
    way = chance.randrange(4)
    if way == 0:
        del parent[key]
    elif way == 1 and isinstance(parent, dict):
        parent[f"{key}x"] = parent.pop(key)
    elif way == 1:
        parent.append(copy.deepcopy(parent[key]))
    else:
        parent[key] = chance.choice(ODD)
    return document


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """The same bytes cut, with one of them changed, or replaced altogether."""
    way = chance.randrange(6)
    if way == 0:
        return content[: chance.randrange(len(content))]
    if way == 1:
        place = chance.randrange(len(content))
        return content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
    return (b"", b"\xff\xfe" + content, b"[" * 100_000, b'{"a": NaN, "a": 1}')[way - 2]


def damage(path: Path, chance: random.Random) -> None:
    """Change one file by chance: mostly a JSON value in it, sometimes its bytes."""
    content = path.read_bytes()
    if chance.random() < 0.25 or "store" in path.parts:  # a result carries the digest of its own line
        path.write_bytes(damaged_bytes(content, chance))
        return
    ascii_only = chance.random() < 0.5
    if path.suffix == ".jsonl":
        lines = content.splitlines()
        number = chance.randrange(len(lines)) if lines else 0
        changed = json.dumps(edited(json.loads(lines[number]), chance), ensure_ascii=ascii_only)
        path.write_bytes(
            b"".join(line + b"\n" for line in [*lines[:number], changed.encode(), *lines[number + 1 :]])
        )
        return
    path.write_bytes(json.dumps(edited(json.loads(content), chance), ensure_ascii=ascii_only).encode())


RUN = "station-2*"


def run_folder(home: Path) -> Path:
    return sorted(home.glob(f"runs/{RUN}"))[-1]


def read_run(home: Path) -> None:
    first, last = (folder.name for folder in sorted(home.glob(f"runs/{RUN}")))
    for words in (
        ("runs",), ("runs", "--json"), ("runs", "show", last), ("runs", "show", last, "--json"), ("explain", last),
        ("why", last, "field"), ("describe", last), ("preview", last, "OBS_MAG.Bx"), ("cite", last),
        ("diff", first, last), ("diff", last, first), ("save", last, "--as", "saved-again", "--replace"),
        ("lock", "--run", last, "--output", "again.lock"), ("gc",),
    ):  # fmt: skip
        helio(*words)


def read_schedules(home: Path) -> None:
    code, output = helio("schedule", "list")
    assert code == 0
    assert "station" in output
    helio("schedule", "list", "--json")
    helio("schedule", "pause", "psp-bfield")
    helio("schedule", "remove", "psp-bfield")


def read_proposals(home: Path) -> None:
    name = proposal(home).stem
    assert helio("proposals", "--all")[0] == 0
    helio("proposals", "--all", "--json")
    helio("proposals", "show", name, "--patch")
    helio("accept", name)


def read_history(home: Path) -> None:
    assert helio("history", "my-ace")[0] == 0
    for words in (("--json",), ("--show", "2"), ("--diff", "2"), ("--restore", "1")):
        helio("history", "my-ace", *words)


def read_a_lock(home: Path) -> None:
    try:
        read_lock(home.parent / "station.lock")
    except HelioError as error:
        assert "station.lock" in str(error)
    helio("run", "station", "--lock", "station.lock", "--archive", "data", "--offline")


def read_a_plan(home: Path) -> None:
    helio("run", "station-plan.json")


def read_caches(home: Path) -> None:
    code, output = helio("run", "station", "--archive", "data", "-t", "2024-01-15")
    assert code == 0, output


def proposal(home: Path) -> Path:
    return home / "proposals" / "my-ace-20261122T002901-73f5.json"


KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], None], int]] = {
    "run.json": (lambda home: run_folder(home) / "run.json", read_run, 25),
    "steps.jsonl": (lambda home: run_folder(home) / "steps.jsonl", read_run, 35),
    "plan.json": (lambda home: run_folder(home) / "plan.json", read_run, 12),
    "authored.json": (lambda home: run_folder(home) / "authored.json", read_run, 10),
    "normalised.json": (lambda home: run_folder(home) / "normalised.json", read_run, 10),
    "edits.jsonl": (lambda home: run_folder(home) / "edits.jsonl", read_run, 8),
    "schedule": (lambda home: home / "schedules" / "psp-bfield.json", read_schedules, 30),
    "proposal": (proposal, read_proposals, 20),
    "history": (lambda home: home / "templates/history/my-ace/2.about.json", read_history, 15),
    "lock": (lambda home: home.parent / "station.lock", read_a_lock, 15),
    "saved plan": (lambda home: home.parent / "station-plan.json", read_a_plan, 10),
    "file digest": (lambda home: sorted(home.glob("file-digests/*.json"))[0], read_caches, 5),
    "result": (lambda home: sorted(home.glob("store/results/*/*.json"))[0], read_caches, 5),
}
CASES = [
    (kind, number) for kind, (_, _, count) in KINDS.items() for number in range(math.ceil(EXAMPLES * count))
]


@pytest.mark.parametrize(("kind", "number"), CASES)
def test_an_edited_record_is_an_error_in_words_and_never_a_traceback(home: Path, kind: str, number: int):
    find, read, _ = KINDS[kind]
    damage(find(home), random.Random(f"{SEED} {kind} {number}"))
    read(home)


# What replaces a file


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_looping_link(path: Path) -> None:
    path.symlink_to(path.name)


def a_huge_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)


NO_RECORDS = (a_folder, a_pipe, a_looping_link, a_huge_file)
REPLACED = [
    (kind, put)
    for turn, kind in enumerate(KINDS)
    for number, put in enumerate(NO_RECORDS)
    if LONG or number % 2 == turn % 2
]
"""Kinds of records with what stands in their place: two for each kind in turn; `make long` takes all."""


@pytest.mark.parametrize(("kind", "put"), REPLACED)
def test_what_is_no_record_at_all_is_an_error_in_words(home: Path, kind: str, put: Callable[[Path], None]):
    find, read, _ = KINDS[kind]
    path = find(home)
    path.unlink()
    put(path)
    read(home)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_record_that_may_not_be_read_is_an_error_in_words(home: Path):
    for kind in ("run.json", "schedule", "proposal", "history"):
        find, read, _ = KINDS[kind]
        find(home).chmod(0)
        read(home)


# What can be known to be wrong is refused


def changed(path: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_a_record_names_its_file_and_the_place_in_it(home: Path):
    path = run_folder(home) / "run.json"
    changed(path, lambda header: header["process"].update(pid=-1))
    with pytest.raises(
        DamagedRecord, match=r"run\.json cannot be read: process\.pid is -1, not zero or a positive number"
    ):
        read_record(path, RunHeader)


def test_a_run_under_another_name_is_damaged_and_the_others_are_listed(home: Path):
    folder = run_folder(home)
    folder.rename(folder.with_name("another"))
    listed = {run["id"]: run["status"] for run in json.loads(helio("runs", "--json")[1])}
    assert listed.pop("another") == "damaged"
    assert "damaged" not in listed.values()
    code, output = helio("runs", "show", "another")
    assert code == 1
    assert f"has the id '{folder.name}'" in output


@pytest.mark.parametrize("command", ["lock", "verify"])
def test_a_finished_run_without_one_of_its_steps_is_refused(home: Path, command: str):
    folder = run_folder(home)
    first, *others = (folder / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "steps.jsonl").write_bytes(b"".join(others))
    words = (
        ("lock", "--run", folder.name) if command == "lock" else ("verify", folder.name, "--archive", "data")
    )
    code, output = helio(*words)
    assert code == 1
    assert f"step '{json.loads(first)['step_id']}' of the plan is missing" in output


def test_a_finished_run_without_one_of_its_steps_is_shown_with_a_word_about_it(home: Path):
    folder = run_folder(home)
    first, *_ = (folder / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "steps.jsonl").write_bytes(first)
    _, output = helio("runs", "show", folder.name)
    assert "steps.jsonl" in output
    assert "of the plan" in output


@pytest.mark.parametrize("part", ["range", "files", "parameter"])
def test_a_fetch_of_other_files_than_its_key_says_is_refused(home: Path, part: str):
    steps = run_folder(home) / "steps.jsonl"
    lines = [json.loads(line) for line in steps.read_bytes().splitlines()]
    recipe = next(line["outputs"][0]["recipe"] for line in lines if "range" in line["outputs"][0]["recipe"])
    if part == "range":
        recipe["range"][0] = "2024-01-14T00:00:00"
    elif part == "files":
        recipe["choices"][0]["files"][0][1] = "0" * 64
    else:
        recipe["choices"][0]["parameter"] = "By"
    steps.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code, output = helio("lock", "--run", run_folder(home).name)
    assert code == 1
    assert "does not match its key" in output


def test_a_template_that_did_not_run_is_not_locked(home: Path):
    changed(
        run_folder(home) / "authored.json", lambda template: template["steps"][0].update(intent="another")
    )
    code, output = helio("lock", "--run", run_folder(home).name)
    assert code == 1
    assert "its template has changed since the run" in output


def test_a_damaged_schedule_is_listed_as_damaged_beside_the_others(home: Path):
    (home / "schedules" / "station.json").write_text("{")
    code, output = helio("schedule", "list")
    assert code == 0
    assert "station  damaged" in output
    assert "psp-bfield  10 6 * * *" in output
    listed = json.loads(CliRunner().invoke(app, ["schedule", "list", "--json"]).stdout)
    assert [(schedule["name"], "damaged" in schedule) for schedule in listed] == [
        ("psp-bfield", False),
        ("station", True),
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pausd": True}, "it has the unknown key 'pausd'"),
        ({"paused": "yes"}, 'paused is "yes", not true or false'),
        ({"formats": ["gif"]}, 'formats[0] is "gif", not one of '),
        ({"name": "station"}, "'name' is 'station', not 'psp-bfield'"),
        ({"cron": "0 0 30 2 *"}, "bad day-of-month"),
        ({"cron": f"{'9' * 5000} * * * *"}, "is longer than 200 characters"),
        ({"timezone": "../../etc/passwd"}, "is not a time zone"),
        ({"output": "../../etc"}, 'output is "../../etc", not an absolute path'),
        ({"schedule": "helio-schedule/2"}, "schedule is "),
    ],
)
def test_a_schedule_that_says_something_else_is_refused_by_name(home: Path, change: Any, words: str):
    changed(home / "schedules" / "psp-bfield.json", lambda record: record.update(change))
    code, output = helio("schedule", "pause", "psp-bfield")
    assert code == 2
    assert "psp-bfield.json cannot be read" in output
    assert words in output
    assert "helio schedule remove psp-bfield" in output


def test_the_text_of_a_revision_that_was_changed_is_not_restored(home: Path):
    text = home / "templates/history/my-ace/1.json"
    text.write_text(text.read_text(encoding="utf-8").replace("ACE", "WIND"), encoding="utf-8")
    code, output = helio("history", "my-ace", "--restore", "1")
    assert code == 1
    assert "its text has changed since revision 1 was written" in output


def test_a_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DamagedRecord, match="not a file"):
        read_bytes(tmp_path / "pipe")
