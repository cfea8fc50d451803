"""What a user can ask helio about its tools, keys and codes."""

from __future__ import annotations

import json

import pytest

from helio.steps.signature import signatures
from tests.cli.commands import helio

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.usefixtures("warm_processes")]


def test_the_tools_are_listed_by_group_with_one_line_each():
    text = helio("tools").stdout
    assert text.index("\nspectra\n") < text.index("  power_spectrum ") < text.index("\nfigures\n")
    rows = json.loads(helio("tools", "--json").stdout)
    assert {row["id"] for row in rows} == set(signatures())
    assert all(row["group"] and row["summary"] for row in rows)
    assert json.loads(helio("list", "--tools", "--json").stdout) == rows


def test_a_tool_has_one_page_under_three_commands():
    page = helio("tools", "running_average").stdout
    assert "  window  (duration; required)\n" in page
    assert '"window": "2min"' in page
    assert ">>> running_average(series(" in page
    assert helio("explain", "running_average").stdout == helio("show", "running_average").stdout == page
    told = json.loads(helio("tools", "running_average", "--json").stdout)
    assert told["step"]["tool_args"]["window"] == "2min"
    assert told["references"].startswith("Moving average")
    assert told["group"] == "series"


def test_another_word_for_a_tool_or_a_key_is_understood():
    assert helio("tools", "smooth").stdout.startswith("running_average: ")
    assert helio("explain", "Smooth Data").stdout.startswith("running_average: ")
    assert "\nlog_scale: " in helio("explain", "yscale").stdout
    assert helio("explain", "for_each.over").stdout.startswith("over: ")


@pytest.mark.parametrize(
    "key", ["panels", "trace_names", "depends_on", "critical", "for_each", "candidates", "default"]
)
def test_a_key_is_explained_with_type_and_example(key: str):
    text = helio("explain", key).stdout
    assert text.startswith(f"{key}: ")
    assert f'\n  example  "{key}": ' in text
    told = json.loads(helio("explain", key, "--json").stdout)
    assert told["key"] == key
    assert told["description"]


def test_a_key_with_several_meanings_shows_all_of_them():
    text = helio("explain", "width").stdout
    assert text.count("width: ") == 4
    assert [told["type"] for told in json.loads(helio("explain", "width", "--json").stdout)] == [
        "number",
        "number",
        "number",
        "whole number or length with a unit",
    ]
    assert helio("explain", "canvas_size.width").stdout.count("width: ") == 1


@pytest.mark.parametrize(
    ("word", "close"),
    [("runing_average", "'running_average'"), ("crtical", "'critical'"), ("hr20", "'HR203'")],
)
def test_a_misspelt_word_finds_the_closest_tool_key_or_code(word: str, close: str):
    told = helio("explain", word, code=2).output
    assert f"'{word}' is not the name of a tool, a code of helio, a key or a run" in told
    assert close in told.partition("did you mean ")[2]


def test_another_word_for_a_key_names_the_key():
    assert helio("explain", "yscale").stdout.splitlines()[0] == "yscale is another word for log_scale"
    assert helio("explain", "log_scale").stdout.startswith("log_scale: ")


def test_an_unknown_code_lists_those_of_its_stage():
    told = helio("explain", "HR999", code=2).output
    assert "there is no code HR999" in told
    assert "HR203" in told
    assert "HV101" not in told


def test_the_list_of_passes_is_plain_text():
    assert "`" not in helio("passes").stdout


def test_what_is_like_nothing_names_the_lists():
    assert "`helio tools` lists the tools" in helio("explain", "zzzzzz", code=2).output
    assert "run `helio tools` to see all tools" in helio("tools", "zzzzzz", code=2).output
    assert "did you mean 'running_average'" in helio("tools", "runing_average", code=2).output
    assert json.loads(helio("tools", "zzzzzz", "--json", code=2).stdout)["error"]["advice"]


def test_an_unlike_word_names_codes_too():
    assert "`helio explain HR` the codes that begin with HR" in helio("explain", "zzzzzz", code=2).output
    output = helio("explain", "allow-list", code=2).output
    assert "codes about 'allow-list': HV601; `helio explain HV601` explains the first" in output
    assert "use a code that begins with HA, HB, HE," in helio("explain", "HZ100", code=2).output


def test_two_letters_list_the_codes_of_a_stage(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    lines = helio("explain", "hg").stdout.splitlines()
    assert [line[:5] for line in lines] == ["HG101", "HG102", "HG201", "HG301"]
    assert lines[1] == "HG102  nothing to draw"
    listed = json.loads(helio("explain", "HG", "--json").stdout)
    assert [code["code"] for code in listed] == ["HG101", "HG102", "HG201", "HG301"]


def test_an_ambiguous_run_is_still_called_ambiguous():
    for _ in range(2):
        helio("run", "psp-bfield", "--archive", "sample", "-o", "out", "--direct")
    assert "the ids of 2 runs begin with 'psp'" in helio("explain", "psp", code=2).output


@pytest.mark.parametrize("words", [("tools",), ("list",), ("passes",)])
def test_lists_fit_the_terminal_and_lose_no_word(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "300")
    wide = helio(*words).stdout
    monkeypatch.setenv("COLUMNS", "70")
    narrow = helio(*words).stdout
    assert max(map(len, wide.splitlines())) > 80
    assert max(map(len, narrow.splitlines())) <= 70
    assert narrow.split() == wide.split()


@pytest.mark.parametrize("word", ["render_spec", "log_scale", "HV101"])
def test_pages_fit_the_terminal(word: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")
    page = helio("explain", word).stdout.partition("As a step of a template")[0]
    assert len(page.splitlines()) > 4
    assert max(map(len, page.splitlines())) <= 60


def test_the_type_of_an_argument_says_what_an_object_holds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "100")
    scale = helio("explain", "log_scale").stdout.splitlines()[0]
    assert scale.startswith(
        'log_scale: "y", "log", "linear" or "symlog"; or whole number; or object whose values are "log",'
    )
    assert "formats: list whose items are" in helio("explain", "formats").stdout


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("shade", "shade is another word for vrects"),
        ("storms", "storms is a value of levels"),
        ("xy.fit", 'fit: "linear", "orthogonal" or "power_law"'),
        ("histograms.of", "of: text or list of texts, required"),
    ],
)
def test_words_for_parts_of_a_figure_are_explained(word: str, first: str):
    assert helio("explain", word).stdout.splitlines()[0] == first


def test_the_size_of_a_figure_may_be_that_of_the_print():
    assert "'90 mm'" in " ".join(helio("explain", "canvas_size").stdout.split())
