"""Proposals that one changes, runs, draws, compares, accepts in part and rejects, as commands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helio.authoring.proposals.drawings import drawings_of
from helio.pipelines.runs.artefacts import Artefact
from tests.cli.commands import helio

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes", "home")]

SAMPLE = ("--archive", "sample", "-t", "2022-01-01")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, an empty home, no engine and no key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    for name in ("HELIO_ARCHIVE", "GEMINI_API_KEY", "GOOGLE_API_KEY", "HELIO_MODEL_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def mine() -> Path:
    """A pipeline of one's own."""
    helio("copy", "ace-bfield-overview", "mine")
    return Path("home/templates/mine.json")


def proposed(*words: str) -> str:
    """The id of the proposal that a command makes."""
    return json.loads(helio(*words, "--json").stdout)["id"]


def test_a_new_pipeline_is_changed_by_its_name_before_it_is_accepted():
    first = proposed("author", "plot the ACE magnetic field for 2022-01-01", "--as", "ace")
    result = helio("edit", "ace", "change the title to 'Storm'")
    assert f"on top of {first}, which is accepted with it" in result.output
    assert "title" in result.output
    assert "+ ace_b" not in result.output
    [second] = [row["id"] for row in json.loads(helio("proposals", "--json").stdout) if row["on"]]
    accepted = helio("accept", second).output
    assert f"accepted with it: {first}: plot the ACE magnetic field" in accepted
    assert '"Storm"' in Path("home/templates/ace.json").read_text(encoding="utf-8")
    assert helio("proposals").output == "no pending proposals\n"
    revisions = helio("history", "ace").output.splitlines()
    assert len(revisions) == 2
    assert revisions[1].startswith("  2 *")


def test_a_proposal_is_run_by_its_id_and_a_preview_is_in_no_list_of_runs(mine):
    made = proposed("edit", "mine", "draw the magnitude in red")
    result = helio("preview", made, *SAMPLE)
    files = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("preview")]
    assert len(files) == 2
    assert all(Path(file).is_file() for file in files)
    assert "no runs yet" in helio("runs").output
    done = helio("run", made, *SAMPLE, "-o", "out")
    assert f"note: {made} is a proposal that is not accepted yet" in done.stderr
    assert "mine" in helio("runs").output
    assert helio("proposals").output.startswith("pending")


def test_a_new_pipeline_is_run_by_its_name_before_it_is_accepted():
    made = proposed("author", "plot AC_K2_MFI.BGSEc for 2022-01-01", "--as", "ace")
    assert f"note: {made} is a proposal that is not accepted yet" in helio("run", "ace", *SAMPLE).stderr
    helio("accept", made)
    proposed("edit", "ace", "change the title to 'Storm'")
    assert "is a proposal" not in helio("run", "ace", *SAMPLE).stderr


def test_a_preview_of_an_edit_takes_formats(mine):
    words = (
        "edit",
        "mine",
        "draw the magnitude in red",
        "--preview",
        "-t",
        "2022-01-01",
        "--archive",
        "sample",
    )
    told = helio(*words, "--format", "html,svg").output
    is_drawn = re.search(r"after/figure[-\d]*\.svg", told) is not None
    assert is_drawn or "no preview  before and after: " in told  # without a browser
    assert "'gif'" in helio(*words, "--format", "gif", code=2).output


def test_a_preview_needs_a_proposal_or_a_table(mine):
    assert "no proposal is called 'nothing'" in helio("preview", "nothing", code=2).output
    helio("run", "mine", *SAMPLE)
    assert "no table of run last is named" in helio("preview", "last", code=2).output
    assert (
        "no preview  before and after: "
        in helio(
            "preview", proposed("edit", "mine", "draw the magnitude in red"), "-t", "yesteryear", code=1
        ).output
    )


def test_the_list_has_the_newest_first_and_says_which_lies_on_which(mine):
    made = [proposed("author", "plot the ACE magnetic field for 2022-01-01", "--as", "ace")]
    made += [proposed("edit", "ace", f"change the title to '{title}'") for title in ("Storm", "Calm", "Wind")]
    lines = helio("proposals").output.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("pending")] == made[::-1]
    assert [line.strip() for line in lines if "on top of" in line] == [
        f"on top of {name}" for name in made[-2::-1]
    ]


def test_some_changes_are_accepted_by_their_numbers(mine):
    made = proposed("edit", "mine", "draw the magnitude in red and change the title to 'Storm'")
    shown = helio("proposals", "show", made).output.splitlines()
    numbers = {line.split("~")[1].split(":")[1].strip(): line.split()[0] for line in shown if "~" in line}
    assert sorted(numbers.values()) == ["1", "2"]
    accepted = helio("accept", made, "--only", numbers["colour of ACE_Bmag"]).output
    assert "left out: step 4: title" in accepted
    text = mine.read_text(encoding="utf-8")
    assert '"red"' in text
    assert '"Storm"' not in text
    assert "left out: step 4: title" in helio("proposals", "show", made).output


def test_the_history_says_what_was_left_out(mine):
    request = "draw the magnitude in red and change the title to 'Storm'"
    helio("accept", proposed("edit", "mine", request), "--only", "2")
    *_, revision, left_out = helio("history", "mine").output.splitlines()
    assert revision.endswith(f"{request} (in part)")
    assert left_out.strip().startswith("left out: step 4: ")
    assert (
        left_out.strip()
        == f"left out: {json.loads(helio('history', 'mine', '--json').stdout)[-1]['left_out'][0]}"
    )
    [figure] = [line for line in helio("blame", "mine").output.splitlines() if request in line]
    assert figure.endswith("(in part)")


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("1", "error: without change 2: step ace_v: no step uses the results of this step"),
        ("2", "error: without change 1: step 3: no step produces the label 'ACE_V'"),
    ],
)
def test_a_step_and_its_panel_are_accepted_together(mine, only, said):
    made = proposed("edit", "mine", "add the speed of ACE in a new panel")
    refused = helio("accept", made, "--only", only, code=2).output
    assert said in refused
    assert f"help: accept them together: `helio accept {made} --only 1,2`" in refused


def test_the_look_of_a_line_is_accepted_with_the_line(mine):
    made = proposed("edit", "mine", "add the speed of ACE as a dashed black line in a new panel")
    refused = helio("accept", made, "--only", "3", code=2).output
    assert "error: without changes 1, 2: step 3: trace_colors: no line is called 'ACE_V'" in refused
    assert f"`helio accept {made} --only 1,2,3`" in refused


def test_a_range_of_changes_is_accepted(mine):
    made = proposed(
        "edit", "mine", "draw the magnitude in red and change the title to 'Storm' and hide the legend"
    )
    assert "left out" not in helio("accept", made, "--only", "1-2, 3").output


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ("0", "has no change 0"),
        ("one", "'one' is not the number"),
        ("1-", "'1-' is not the number"),
        ("-1", "'-1' is not the number"),
        ("1-9", "has no change 2"),
        ("3-1", "'3-1' is not the number"),
        (",", "',' is not the number"),
    ],
)
def test_a_wrong_number_is_refused(mine, numbers, said):
    made = proposed("edit", "mine", "draw the magnitude in red")
    assert said in helio("accept", made, "--only", numbers, code=2).output


def test_two_proposals_about_different_places_are_both_accepted(mine):
    red = proposed("edit", "mine", "draw the magnitude in red")
    title = proposed("edit", "mine", "change the title to 'Storm'")
    helio("accept", red)
    assert "note: mine had changed since" in helio("accept", title).output
    text = mine.read_text(encoding="utf-8")
    assert '"red"' in text
    assert '"Storm"' in text


def test_a_conflict_names_the_place_and_the_remedy(mine):
    red = proposed("edit", "mine", "draw the magnitude in red")
    blue = proposed("edit", "mine", "draw the magnitude in blue")
    helio("accept", red)
    told = helio("accept", blue, code=2).output
    assert "step 4: colour of ACE_Bmag: black → blue, but it is now red" in told
    assert 'helio edit mine "draw the magnitude in blue"' in told
    assert "pending" in helio("proposals").output


def test_two_proposals_are_compared(mine):
    red = proposed("edit", "mine", "draw the magnitude in red")
    blue = proposed("edit", "mine", "draw the magnitude in blue")
    assert helio("proposals", "diff", red, blue).output == "  ~ step 4: colour of ACE_Bmag: red → blue\n"
    [change] = json.loads(helio("proposals", "diff", red, blue, "--json").stdout)
    assert change["before"] == "red"


def test_a_key_in_a_reason_is_not_kept(mine):
    made = proposed("edit", "mine", "draw the magnitude in red")
    helio("reject", made, "--because", "it shows sk-live-0123456789abcdefghijklmn")
    assert "rejected because: it shows [key]" in helio("proposals", "show", made).output


def test_a_rejection_names_the_requests_that_go_with_it(mine):
    first = proposed("edit", "mine", "draw the magnitude in red")
    second = proposed("edit", first, "draw the magnitude dashed")
    assert helio("reject", first).output == (
        f"rejected {first}\nrejected {second} ('draw the magnitude dashed'), which changes it\n"
    )


def test_a_reason_is_kept_with_the_rejection_and_said_when_the_same_is_proposed_again(mine):
    made = proposed("edit", "mine", "draw the magnitude in red")
    assert helio("reject", made, "--because", "red is for alerts").output == f"rejected {made}\n"
    assert "rejected because: red is for alerts" in helio("proposals", "show", made).output
    again = helio("edit", "mine", "draw the magnitude in red").output
    assert "note: you rejected the same change before: red is for alerts" in again
    assert "you rejected" not in helio("edit", "mine", "draw the magnitude in blue").output


def test_each_revision_is_compared_and_each_step_names_its_sentence(mine):
    helio("edit", "mine", "draw the magnitude in red", "--yes")
    told = helio("history", "mine", "--diff").output
    assert "  ~ step 4: colour of ACE_Bmag: black → red" in told
    assert helio("history", "mine", "--diff", "2").output == "  ~ step 4: colour of ACE_Bmag: black → red\n"
    assert "--diff 2" in helio("history", "mine", "2", code=2).output
    blamed = helio("blame", "mine").output.splitlines()
    assert [line.split()[:2] for line in blamed] == [
        ["$TIME_RANGE", "1"],
        ["1", "1"],
        ["2", "1"],
        ["3", "1"],
        ["4", "2"],
    ]
    assert blamed[-1].endswith("edited    rules  draw the magnitude in red")
    assert json.loads(helio("blame", "mine", "--json").stdout)[-1]["revision"]["by"] == "rules"


def test_the_review_has_the_size_of_the_download_when_asked(mine):
    words = ("edit", "mine", "draw the magnitude in red")
    assert "To download: nothing" in helio(*words, "--size", "--archive", "sample").output
    assert "To download" not in helio(*words).output


def test_a_preview_lists_figures_and_says_one_reason_for_both_once(mine):
    made = proposed("edit", "mine", "draw the magnitude in red")
    failed = helio("preview", made, "--archive", "sample", "-t", "2022-01-05", code=1)
    assert failed.output.count("no preview  before and after: ") == 1
    assert failed.output.count("no candidate has usable data") == 1
    drawn = drawings_of(
        None, with_files(("html", "f.html"), ("detail", "f.detail"), ("json", "f.json")), Path()
    )
    assert drawn.files == ("f.html",)


def test_why_a_panel_is_empty_is_answered_from_the_last_run(mine):
    assert "from the record" not in helio("edit", "mine", "why is panel 2 empty?").output
    helio("run", "mine", *SAMPLE)
    answered = helio("edit", "mine", "why is panel 2 empty?").output
    assert answered.startswith(
        "panel 2 (ACE_Bmag) is not empty: it shows 24 values\nfrom the record of run mine-"
    )
    assert "has no panel 9" in helio("edit", "mine", "why is panel 9 empty?", code=2).output
    assert helio("proposals", "--all").output == "no proposals\n"


def test_a_wish_for_a_schedule_gets_the_command_which_works(mine):
    answered = helio("edit", "mine", "schedule this every morning at 7:30", "--archive", "sample").output
    [command] = [line for line in answered.splitlines() if line.startswith("helio schedule add ")]
    assert command == ("helio schedule add mine --cron '30 7 * * *' --time-range yesterday --archive sample")
    assert "30 7 * * * UTC" in helio(*shlex.split(command)[1:]).output
    made = proposed("author", "plot AC_K2_MFI.BGSEc for 2022-01-01", "--as", "field")
    pending = helio("edit", "field", "run it every week").output
    assert f"accept it first: `helio accept {made}`" in pending
    assert "helio schedule add field --cron '10 6 * * 1' --time-range 'last 7 days'" in pending


def test_undo_in_words_names_the_command_that_undoes(mine):
    helio("edit", "mine", "draw the magnitude in red", "--yes")
    assert "`helio edit mine --undo`" in helio("edit", "mine", "undo that", code=2).output
    assert "undone: draw the magnitude in red; mine is back to" in helio("edit", "mine", "--undo").output
    made = proposed("author", "plot AC_K2_MFI.BGSEc for 2022-01-01", "--as", "field")
    assert f"`helio reject {made}`" in helio("edit", "field", "undo that", code=2).output


def with_files(*files: tuple[str, str]) -> Any:
    """A run that wrote files of these kinds."""
    artefacts = tuple(Artefact(Path(name), "f", kind, "sha256:0") for kind, name in files)
    return SimpleNamespace(artefacts=artefacts, reasons=(), unwritten=())


def test_a_proposal_is_shown_run_and_drawn_on_the_present_text_of_its_pipeline(mine):
    red = proposed("edit", "mine", "draw the magnitude in red")
    title = proposed("edit", "mine", "change the title to 'Storm'")
    helio("accept", title)
    assert "mine has changed since" in helio("proposals", "show", red).output
    assert "note: mine had changed since" in helio("run", red, *SAMPLE).output
    helio("preview", red, *SAMPLE)
    figures = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(Path("helio-runs").glob(f"preview-{red}/*/figure-3.json"))
    ]
    assert len(figures) == 2
    assert all("Storm" in json.dumps(figure) for figure in figures)


def test_an_outdated_proposal_that_conflicts_says_so_before_it_is_accepted(mine):
    red = proposed("edit", "mine", "draw the magnitude in red")
    helio("accept", proposed("edit", "mine", "draw the magnitude in green"))
    shown = helio("proposals", "show", red).output
    assert "it cannot be accepted: mine has changed since the change was proposed: step 4: colour" in shown
    assert "but it is now green" in helio("run", red, *SAMPLE, code=2).output
    assert "but it is now green" in helio("preview", red, *SAMPLE, code=2).output


def test_the_list_shows_why_a_proposal_was_rejected(mine):
    helio("reject", proposed("edit", "mine", "draw the magnitude in red"), "--because", "too loud")
    assert "          rejected because: too loud" in helio("proposals", "--all").output.splitlines()


def test_a_waiting_proposal_says_how_much_its_run_would_download(mine):
    made = proposed("edit", "mine", "draw the magnitude in red")
    assert "To download: nothing" in helio("proposals", "show", made, "--size", "--archive", "sample").output
