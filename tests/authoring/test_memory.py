"""What a person prefers is used where a sentence leaves the choice open, and stands in files that the person edits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from helio.authoring.memory import (
    LONGEST_ITEM,
    MOST_GIVEN,
    MOST_ITEMS,
    Item,
    Memory,
    given_to_model,
    wishes,
    with_names,
)
from helio.authoring.models import door as doors
from helio.errors import RequestError
from tests.authoring.answers import LOOK, RED, SEEN, edit, fetch, figure, plan
from tests.authoring.standin_gemini import KEY, GeminiStandIn
from tests.authoring.test_chat import answer, chat
from tests.cli.commands import helio

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]
FIELD = "plot the ACE magnetic field for 2022-01-01"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, an empty home, no engine and no key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.setenv("HELIO_MODEL_FALLBACK", "none")
    for name in ("HELIO_ARCHIVE", "GEMINI_API_KEY", "GOOGLE_API_KEY", "HELIO_MODEL_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "home" / "memory")


@pytest.fixture
def model(serve, monkeypatch, still) -> Callable[..., GeminiStandIn]:
    """A model that answers by a script, named in the environment."""
    monkeypatch.setattr(doors, "Clock", lambda: still.clock)

    def named(*script: object) -> GeminiStandIn:
        server = serve(*script)
        monkeypatch.setenv("HELIO_MODEL_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        return server

    return named


# ---- files


def test_items_are_lines_of_files_and_other_lines_stay(memory, tmp_path):
    helio("memory", "add", "preference", "vectors in GSM")
    helio("memory", "add", "pitfall", "AC_K2_MFI.Weight has no unit (run x)", "--mission", "ACE")
    helio("memory", "add", "name", "new year = 2022-01-01", "--pipeline", "mine")
    file = tmp_path / "home" / "memory" / "all.md"
    file.write_text("# What I like\n\n" + file.read_text() + "a thought of mine\n- preference: by hand\n")
    listed = helio("memory").output.splitlines()
    assert listed[:4] == [
        "  1  preference (all): vectors in GSM",
        "  2  preference (all): by hand",
        "  3  pitfall (mission-ace): AC_K2_MFI.Weight has no unit (run x)",
        "  4  name (pipeline-mine): new year = 2022-01-01",
    ]
    assert helio("memory", "forget", "1").output == "forgotten (all): vectors in GSM\n"
    assert file.read_text() == "# What I like\n\na thought of mine\n- preference: by hand\n"
    assert [row["number"] for row in json.loads(helio("memory", "list", "--json").stdout)] == [1, 2, 3]


def test_what_is_remembered_says_when_it_is_used(memory):
    mission = helio("memory", "add", "preference", "RTN", "--mission", "Wind").output
    assert mission == "remembered (mission-wind): RTN; used for requests that say 'Wind'\n"
    misspelt = helio("memory", "add", "preference", "RTN", "--pipeline", "gle73-partickles").output
    assert (
        misspelt
        == "remembered (pipeline-gle73-partickles): RTN; there is no pipeline 'gle73-partickles' yet\n"
    )
    known = helio("memory", "add", "preference", "RTN", "--pipeline", "gle73-particles").output
    assert known == "remembered (pipeline-gle73-particles): RTN\n"


def test_the_same_is_not_remembered_twice(memory):
    assert "remembered (all)" in helio("memory", "add", "preference", "RTN").output
    assert "remembered already" in helio("memory", "add", "preference", "RTN").output
    assert memory.items() == [Item("preference", "RTN")]


def test_a_file_has_a_largest_number_of_items(memory):
    for number in range(MOST_ITEMS):
        memory.add(Item("pitfall", f"number {number}"))
    with pytest.raises(RequestError, match="the largest number"):
        memory.add(Item("preference", "RTN"))
    assert memory.add(Item("preference", "RTN", "mission-psp"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "wish", "RTN"), "'wish' cannot be remembered"),
        (("add", "preference", " "), "has 0 characters"),
        (("add", "preference", "x" * (LONGEST_ITEM + 1)), "has 301 characters"),
        (("add", "name", "storm"), "has no meaning"),
        (("add", "preference", "RTN", "--mission", "ACE", "--pipeline", "x"), "cannot be used together"),
        (("forget", "1"), "there is no item 1"),
        (("accept", "0"), "there is no item 0"),
    ],
)
def test_what_cannot_be_remembered_is_refused(words, said):
    assert said in helio("memory", *words, code=2).output
    assert helio("memory").output == "helio remembers nothing\n"


def test_items_are_about_everything_a_mission_or_a_pipeline(memory):
    items = [
        Item("preference", scope, scope) for scope in ("all", "mission-ace", "pipeline-mine", "mission-psp")
    ]
    for item in items:
        memory.add(item)
    assert [item.scope for item in memory.about("mine", "the field of ACE")] == [
        "all",
        "mission-ace",
        "pipeline-mine",
    ]
    assert [item.scope for item in memory.about("", "places of the field")] == ["all"]


# ---- the author by rules


@pytest.mark.parametrize(
    ("preference", "sentence", "used"),
    [
        ("vectors in GSM", FIELD, True),
        ("vectors in GSM", "plot the ACE magnetic field, and below it the hourly density, 2022-01-01", True),
        ("vectors in GSM", f"{FIELD} in GSE", False),
        ("vectors in RTN", FIELD, False),
        ("vectors in GSM", "plot the ACE proton density for 2022-01-01", False),
    ],
)
def test_a_frame_is_used_where_the_sentence_leaves_it_open_and_the_data_have_it(preference, sentence, used):
    helio("memory", "add", "preference", preference)
    output = helio("author", sentence).output
    assert (f"note: frame GSM: your preference '{preference}'" in output) is used
    assert ("GSM" in output.replace(preference, "")) is used


@pytest.mark.parametrize(
    ("sentence", "used"),
    [
        ("plot the ACE proton density for 2022-01-01", True),
        ("plot the ACE proton density on a linear scale for 2022-01-01", False),
        (FIELD, False),
    ],
)
def test_a_logarithmic_axis_is_used_for_the_quantity_that_is_named(sentence, used):
    helio("memory", "add", "preference", "log scale for density")
    result = helio("author", sentence, code=0)
    assert ("logarithmic axis for" in result.output) is used


def test_a_name_of_ones_own_is_read_as_its_meaning():
    helio("memory", "add", "name", "new year = 2022-01-01")
    output = helio("author", "plot the ACE magnetic field for New Year").output
    assert "note: 'new year' is 2022-01-01, as you told helio to remember" in output
    assert "default: 2022-01-01 to 2022-01-02" in output


def test_a_name_replaces_whole_words_only():
    items = [Item("name", "storm = 2003-10-29"), Item("name", r"path = a\1b")]
    assert with_names("the storms of Storm", items)[0] == "the storms of 2003-10-29"
    assert with_names("on path", items)[0] == r"on a\1b"


def test_nothing_remembered_changes_nothing():
    assert "preference" not in helio("author", FIELD).output


@pytest.mark.parametrize(
    ("preference", "quantity", "wanted"),
    [
        ("log scale for particles", "electron flux", True),
        ("particle fluxes on a logarithmic axis", "electron flux", True),
        ("log scale for the proton flux", "electron flux", False),
        ("never a log scale for particles", "electron flux", False),
        ("log scale for particles", "proton density", False),
        ("log scale for electron density", "proton density", False),
        ("log scale for the field", "magnetic field", False),
    ],
)
def test_particles_are_fluxes_and_a_preference_may_be_against_something(preference, quantity, wanted):
    helio("memory", "add", "preference", preference)
    output = helio("author", f"plot the ACE {quantity} for 2022-01-01").output
    assert (f"your preference '{preference}'" in output) is wanted
    assert ("logarithmic y axis" in output or "y scale" in output) is wanted


@pytest.mark.parametrize(
    ("items", "frame"),
    [
        (["use gsm"], "GSM"),
        (["avoid GSM"], ""),
        (["RTN instead of GSM"], "RTN"),
        (["GSM", "RTN"], "RTN"),
        (["--mission ACE GSM", "RTN"], "GSM"),
        (["--pipeline mine RTN", "--mission ACE GSM"], "RTN"),
    ],
)
def test_of_two_preferences_the_narrower_then_the_later_comes_first(items, frame):
    for item in items:
        words = item.split(" ")
        options, text = (words[:2], words[2:]) if words[0].startswith("--") else ([], words)
        helio("memory", "add", "preference", " ".join(text), *options)
    output = helio("author", FIELD, "--as", "mine").output
    assert (f"note: frame {frame}:" in output) is bool(frame)


def test_a_mission_has_all_its_names_and_its_preference_is_not_for_other_spacecraft(memory):
    helio("memory", "add", "preference", "GSM", "--mission", "Parker Solar Probe")
    helio("memory", "add", "preference", "GSM", "--mission", "Wind")
    assert len(memory.about("", "PSP magnetic field")) == 1
    assert "frame GSM" in helio("author", "Wind magnetic field for 2022-01-01").output
    assert "frame GSM" not in helio("author", "compare ACE and Wind magnetic field for 2022-01-01").output
    told = helio("memory", "add", "preference", "GSM", "--mission", "Nosuch").output
    assert "which is no spacecraft that helio knows" in told


def test_a_preference_that_rules_do_not_use_is_said_to_be_for_a_model():
    assert "only a model uses it" in helio("memory", "add", "preference", "1 min cadence").output
    assert "only a model uses it" not in helio("memory", "add", "preference", "use RTN").output


def test_what_a_change_adds_is_drawn_as_preferred_and_what_was_there_stays():
    helio("copy", "ace-bfield-overview", "my-ace")
    helio("memory", "add", "preference", "log scale for density", "--pipeline", "my-ace")
    output = helio("edit", "my-ace", "add the density").output
    assert "note: logarithmic axis for proton density: your preference 'log scale for density'" in output
    assert "y scale of panel 3: log" in output
    assert "your preference" not in helio("edit", "my-ace", "make the magnitude red").output


def test_a_pitfall_of_a_mission_is_said_also_if_the_request_misspells_its_name():
    helio("memory", "add", "pitfall", "WI_H1_SWE: bad calibration in 2003 (run r1)", "--mission", "Wind")
    for craft in ("Winnd", "wind"):
        written = helio("author", f"{craft} density on 2003-10-29").output
        assert written.count("note: you told helio to remember: WI_H1_SWE: bad calibration in 2003") == 1


def test_a_pitfall_of_a_dataset_is_said_where_a_proposal_fetches_it():
    helio("memory", "add", "pitfall", "AC_H0_MFI.BGSEc: spikes in January (run r1)")
    note = "note: you told helio to remember: AC_H0_MFI.BGSEc: spikes in January (run r1)"
    assert note in helio("author", FIELD).output
    assert "you told helio" not in helio("author", "plot the Wind magnetic field for 2022-01-01").output


def test_a_preference_against_an_earlier_one_says_which_is_used_first():
    assert "used before" not in helio("memory", "add", "preference", "GSM").output
    assert (
        "remembered (all): use RTN; used before 'GSM'\n"
        in helio("memory", "add", "preference", "use RTN").output
    )
    assert "used before" not in helio("memory", "add", "preference", "GSE", "--mission", "ACE").output


def test_a_name_that_is_also_a_known_storm_is_read_as_the_person_means_it():
    helio("memory", "add", "name", "halloween = 2003-10-28 to 2003-11-01")
    output = helio("author", "plot the ACE magnetic field during the Halloween").output
    assert "default: 2003-10-28 to 2003-11-01" in output
    assert "HE405" not in output


def test_a_name_for_a_file_is_the_list_that_a_sentence_draws(tmp_path, monkeypatch):
    (tmp_path / "shocks.csv").write_text("time,label\n2022-01-01T03:00,a\n")
    monkeypatch.chdir(tmp_path)
    helio("memory", "add", "name", "our shock list = shocks.csv")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    output = helio("author", "AC_K2_MFI.BGSEc for 2022-01-01, mark the times of our shock list").output
    assert f"'our shock list' is {tmp_path / 'shocks.csv'}, as you told helio to remember" in output
    assert "1 time from shocks.csv" in output
    helio("copy", "ace-bfield-overview", "my-ace")
    assert "1 time from shocks.csv" in helio("edit", "my-ace", "mark our shock list").output


def test_of_two_names_the_longer_one_is_read_and_a_meaning_is_not_read_again():
    items = [Item("name", "storm = 2003-10-29"), Item("name", "my storm = storm of May")]
    assert with_names("my storm", items)[0] == "storm of May"


def test_a_model_gets_the_items_of_the_narrowest_scopes_first():
    many = [Item("preference", f"number {n}") for n in range(MOST_GIVEN)]
    own = Item("preference", "RTN", "pipeline-mine")
    assert given_to_model([*many, own]) == [*many[1:], own]


# ---- files that a person edits


def test_an_edited_file_may_have_other_bullets_and_capitals_and_what_is_not_used_is_said(tmp_path):
    folder = tmp_path / "home" / "memory"
    folder.mkdir(parents=True)
    lines = [
        "\ufeff* Preference: GSM",
        "notes of mine",
        "- name: my storm: 2003",
        "- preferences: RTN",
        "- pitfall:",
    ]
    many = [f"- pitfall: number {n}" for n in range(MOST_ITEMS)]
    (folder / "all.md").write_text("\n".join([*lines, *many]), encoding="utf-8")
    (folder / "notes.md").write_text("- preference: RTN\n")
    text = helio("memory").output
    assert "  1  preference (all): GSM\n  2  preference (all): RTN\n" in text
    assert "not used: all.md line 3: write NAME = MEANING" in text
    assert "not used: all.md line 5: write from 1 to 300 characters" in text
    assert "not used: all.md line 55: a file may have 50 items" in text
    assert "not used: notes.md line 1: call the file all.md, mission-NAME.md or pipeline-NAME.md" in text
    helio("memory", "forget", "1")
    assert (folder / "all.md").read_text(encoding="utf-8").startswith("notes of mine\n")


def test_a_file_that_is_no_text_is_an_error_with_what_to_do(tmp_path):
    folder = tmp_path / "home" / "memory"
    folder.mkdir(parents=True)
    (folder / "all.md").write_bytes(b"\xff\xfe- preference: RTN")
    assert "save it as a text in UTF-8" in helio("memory", code=2).output


# ---- a model


def test_a_model_gets_what_is_remembered_and_the_transcript_has_it(model, home):
    helio("memory", "add", "preference", "vectors in RTN")
    helio("memory", "add", "preference", "of another pipeline", "--pipeline", "other")
    server = model(
        LOOK, SEEN, plan(fetch("AC_K2_MFI"), figure()), edit({**RED, "step": "figure"}, touches="style")
    )
    first = json.loads(helio("author", "the field", "--as", "field", "--json").stdout)
    assert '["preference (all): vectors in RTN"]' in server.requests[0].text
    assert "another pipeline" not in server.requests[0].text
    transcript = home / "home" / "transcripts" / f"{first['transcript']}.jsonl"
    assert "What the user told helio to remember" in transcript.read_text(encoding="utf-8")


# ---- after a conversation


def test_wishes_of_a_conversation_are_proposed_and_used_only_after_a_person_accepts_them():
    text = chat(FIELD, "from now on use GSM", "/quit")
    assert "to remember? from now on use GSM; `helio memory` lists it, and accepts or forgets it" in text
    assert "your preference" not in helio("author", FIELD).output
    assert "  1  proposed  preference (all): from now on use GSM" in helio("memory").output
    assert helio("memory", "accept", "1").output == "remembered (all): from now on use GSM\n"
    assert "frame GSM: your preference" in helio("author", FIELD).output
    assert "already" in helio("memory", "accept", "1", code=2).output
    assert "to remember?" not in chat("/quit", words=("--continue",))


def test_what_a_run_lacked_is_proposed_as_a_pitfall_of_the_pipeline():
    text = chat("/run 1999-01-01", "/quit", words=("ace-bfield-overview",), code=1)
    [line] = [
        line for line in answer(text, "/quit") + text.splitlines() if line.startswith("to remember? AC_K2")
    ][:1]
    assert "(run ace-bfield-overview-" in line
    row = next(row for row in json.loads(helio("memory", "list", "--json").stdout) if "AC_K2" in row["text"])
    assert (row["kind"], row["scope"], row["proposed"]) == ("pitfall", "pipeline-ace-bfield-overview", True)
    helio("memory", "forget", str(row["number"]))


def test_a_dataset_that_the_archive_of_the_run_does_not_have_is_no_pitfall():
    text = chat("plot the Wind proton density for 2022-01-01", "/run", "/quit", code=1)
    assert "no dataset is called 'WI_H1_SWE' in sample archive" in text
    assert "help: choose another --archive, or datasets that `helio archive` lists for it" in text
    assert "to remember?" not in text


@pytest.mark.parametrize(
    ("said", "item"),
    [
        ("never use key parameters", Item("preference", "never use key parameters")),
        ("for ACE always use GSM", Item("preference", "for ACE always use GSM", "mission-ace")),
        ("call 2003-10-28 to 2003-11-01 my storm", Item("name", "my storm = 2003-10-28 to 2003-11-01")),
        ("our craft is Solar Orbiter.", Item("name", "our craft = Solar Orbiter")),
        ("remember that our line is the bow shock", Item("name", "our line = the bow shock")),
        ("remember that AC_K2_MFI has spikes", Item("pitfall", "AC_K2_MFI has spikes (run r1)")),
        ("my plot is empty", None),
        ("never mind", None),
    ],
)
def test_a_sentence_is_proposed_as_what_it_is(said, item):
    assert [*wishes([said], "r1")] == ([item] if item else [])


def test_only_sentences_that_say_so_are_wishes():
    said = ["always use RTN", "/reject always", "plot ACE", "I prefer red", "x" * 400 + " always"]
    assert [item.text for item in wishes(said)] == ["always use RTN", "I prefer red"]
