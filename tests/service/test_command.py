"""``helio backfill`` in a terminal: what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import helio
from tests.days import daily, write_day, write_days

pytestmark = pytest.mark.usefixtures("here", "warm_processes")


@pytest.fixture
def place(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIO_HOME", str(home / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    write_days(home / "data", 3)
    (home / "daily.json").write_text(json.dumps(daily()))
    return home


def fill(*words: str, code: int = 0, archive: str = "data") -> str:
    result = helio("backfill", "daily.json", *words, "--archive", archive, "--direct", code=code)
    return result.output


def test_a_line_for_each_interval_then_a_table(place: Path):
    lines = fill("2024-01-01..2024-01-06").splitlines()
    assert lines[0] == "daily-field: 5 intervals from 2024-01-01 to 2024-01-06, 5 to make"
    assert [line[:26] for line in lines[1:4]] == [
        f"✓ 2024-01-{number:02} to 2024-01-{number + 1:02}" for number in (1, 2, 3)
    ]
    assert lines[4].startswith("– 2024-01-04 to 2024-01-05")
    assert "no data: step fetch: " in lines[4]
    assert lines[6] == "done          3"
    assert lines[7] == "no data       2"
    assert "2024-01-04 to 2024-01-05 and 1 other: step fetch: " in lines[8]
    assert lines[9].startswith("made 5 intervals in ")
    assert lines[-1] == "success: daily-field  3 of 5 done"


def test_the_second_time_nothing_runs(place: Path):
    fill("2024-01-01..2024-01-04")
    assert fill("2024-01-01..2024-01-04").splitlines() == [
        "daily-field: 3 intervals from 2024-01-01 to 2024-01-04, 0 to make",
        "done       3",
        "success: daily-field  3 of 3 done",
    ]


def test_a_dry_run_estimates_and_names_what_is_stale(place: Path):
    fill("2024-01-01..2024-01-04")
    write_day(place / "data", 1, level=7.0)
    lines = fill("2024-01-01..2024-01-04", "--dry-run").splitlines()
    assert lines[0] == "daily-field: 3 intervals from 2024-01-01 to 2024-01-04, 1 to make"
    assert lines[1].startswith("data: ")
    assert lines[2].startswith("time: about ")
    assert lines[-1].endswith(
        "2024-01-02 to 2024-01-03: AC_H2_MFI: ac_h2_mfi_20240102000000_v01.cdf was republished"
    )


def test_json_has_every_interval(place: Path):
    found = json.loads(fill("2024-01-03..2024-01-05", "--json"))
    assert (found["status"], found["made"]) == ("success", 2)
    done, without = found["intervals"]
    assert (done["state"], done["start"], len(done["files"])) == ("done", "2024-01-03T00:00:00", 2)
    assert (without["state"], without["files"]) == ("no data", [])
    assert without["reason"]
    planned = json.loads(fill("2024-01-01..2024-01-02", "--json", "--dry-run"))
    assert (planned["status"], planned["estimate"]["intervals"]) == ("planned", 1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["2024-01-01..2024-01-04"], 0),
        (["2024-01-01..2024-01-06"], 0),
        (["2024-02-01..2024-02-03"], 1),
        (["2024-02-01..2024-02-03", "--dry-run"], 0),
    ],
)
def test_the_exit_code_says_how_it_ended(place: Path, words: list[str], code: int):
    fill(*words, code=code)


def test_some_failures_are_partial(place: Path):
    template = daily()
    template["steps"].append(
        {
            "step_id": "more",
            "critical": False,
            "tool_name": "fetch_data",
            "tool_args": {"dataset_id": "AC_H1_MFI", "parameter_id": "X", "time_range": "$TIME_RANGE"},
        }
    )
    (place / "daily.json").write_text(json.dumps(template))
    lines = fill("2024-01-01..2024-01-03", code=3).splitlines()
    assert lines[-1] == "partial: daily-field  0 of 2 done"


@pytest.mark.parametrize(
    ("words", "message", "advice"),
    [
        ([], "needs a time range or a file of events", "write, for example, 2015..2024"),
        (["2024", "--events", "e.csv"], "a time range or a file of events, not both", ""),
        (["2024", "--each", "fortnight"], "'fortnight' is not a length of intervals", "1d, 27d or 6h"),
        (["2024", "--each", "0d"], "'0d' is not a length of intervals", ""),
        (["20024"], "'20024' is not understood as a time range", ""),
        (["2024..2015"], "", "2015"),
        (["2024", "--before", "1h"], "margins before and after belong to events", ""),
        (["--events", "no.csv"], "there is no file no.csv", "CSV or JSON"),
        (["--events", "data/ac_h2_mfi_20240101000000_v01.cdf"], "is not a text file", ""),
        (["--events", "daily.json"], "has no list of events", ""),
        (["2024", "--events", "e.csv", "--each", "1d"], "", ""),
        (["2024", "--all", "--failed"], "--all and --failed exclude each other", "one of them"),
        (["2024", "--set", "WINDOW=5min"], "WINDOW", ""),
        (["2024", "--workers", "0"], "--workers", ""),
        (["2024", "--max-download", "lots"], "'lots' is not a size", ""),
        (["2024", "--format", "gif"], "gif", ""),
        (["CR2193"], "names Carrington rotations", "--each carrington"),
        (["1970..2020", "--each", "1h"], "one backfill makes at most 100,000", "shorter range"),
    ],
)
def test_a_wrong_command_is_refused_in_words(place: Path, words: list[str], message: str, advice: str):
    output = fill(*words, code=2)
    assert message in " ".join(output.split())
    assert advice in " ".join(output.split())
    assert not (place / "helio-runs").exists()


def test_an_archive_that_is_not_there_is_refused(place: Path):
    assert "does not exist" in fill("2024", archive="./nowhere", code=2)


def test_events_from_a_file(place: Path):
    (place / "shocks.csv").write_text("time,name\n2024-01-01T12:00,a\n2024-01-02T12:00,b\n")
    output = fill("--events", "shocks.csv", "--before", "2h", "--after", "3h")
    assert "2024-01-02T10:00:00 to 2024-01-02T15:00:00" in output
    assert (
        place / "helio-runs" / "daily-field" / "2024-01-01T100000_2024-01-01T150000" / "draw.html"
    ).is_file()


def test_what_is_left_over_is_told(place: Path):
    output = fill("2024-01-01..2024-01-06", "--each", "2d")
    assert "note: 2024-01-05 to 2024-01-06 is shorter than 2d and is left out" in output
