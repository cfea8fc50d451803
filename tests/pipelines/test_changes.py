"""Differences between templates are told in the field's words, and what must run again is known."""

from copy import deepcopy
from datetime import datetime

import pytest

from helio.pipelines.changes import changes, describe_step, readable, work_left
from helio.pipelines.library import Library
from helio.pipelines.review_lines import review_lines

NOW = datetime(2024, 1, 20)


@pytest.fixture
def template(tmp_path):
    shelf = Library(tmp_path)
    return shelf.read(shelf.find("ace-bfield-overview"))


def told(before, after):
    return [str(change) for change in changes(before, after)]


def test_a_template_is_no_different_from_itself(template):
    assert changes(template, deepcopy(template)) == ()


def test_a_colour_is_told_by_the_line_it_belongs_to(template):
    after = deepcopy(template)
    after["steps"][3]["tool_args"]["trace_colors"] = {"ACE_Bmag": "red", "ACE_B.Bz": "green"}
    assert told(template, after) == [
        "step 4: colour of ACE_Bmag: black → red",
        "step 4: colour of ACE_B.Bz: green",
    ]


def test_a_setting_of_a_panel_names_the_lines_of_the_panel(template):
    after = deepcopy(template)
    spec = after["steps"][2]["tool_args"]
    spec |= {"y_range": {"1": [-5, 5], "2": [0, 9], "3": [0, 1]}}
    spec["panels"] = [["ACE_B.Bx", "ACE_B.By", "ACE_B.Bz"], ["AC_H0_MFI.Magnitude", "ACE_Bmag"]]
    assert [line for line in told(template, after) if "y range" in line] == [
        "step 3: y range of panel 1 (Bx and 2 more): -5, 5",
        "step 3: y range of panel 2 (Magnitude and ACE_Bmag): 0, 9",
        "step 3: y range of panel 3: 0, 1",
    ]


def test_a_setting_of_one_of_two_axes_names_its_own_lines(template):
    after = deepcopy(template)
    spec = after["steps"][2]["tool_args"]
    spec |= {"y_range": {"1": [-5, 5], "1 right": [0, 9]}}
    spec |= {"panels": [["ACE_B.Bx", "ACE_Bmag"]], "right": ["ACE_Bmag"]}
    assert [line for line in told(template, after) if "y range" in line] == [
        "step 3: y range of panel 1 (Bx): -5, 5",
        "step 3: y range of panel 1 right (ACE_Bmag): 0, 9",
    ]


def test_datasets_parameters_panels_and_windows_are_told_as_what_they_are(template):
    after = deepcopy(template)
    fetch, size, plot, _ = after["steps"]
    fetch["tool_args"]["candidates"] = ["AC_H0_MFI"]
    fetch["tool_args"]["parameter_id"] = "BGSM"
    size["tool_args"]["source_label"] = "B"
    plot["tool_args"]["panels"].append(["smooth"])
    assert [(change.subject, str(change)) for change in changes(template, after)] == [
        ("parameter", "step 1: parameter: BGSEc → BGSM"),
        ("dataset", "step 1: candidates:\n    - 1  AC_H2_MFI\n    - 3  AC_K2_MFI"),
        ("label", "step 2: computed from: ACE_B → B"),
        ("panel", "step 3: panel 3: smooth"),
    ]


def test_added_removed_and_replaced_steps_are_told_by_what_they_do(template):
    after = deepcopy(template)
    smooth = {"source_label": "ACE_Bmag", "window": "1h", "output_label": "smooth"}
    after["steps"].insert(2, {"step_id": "s", "tool_name": "running_average", "tool_args": smooth})
    after["steps"].pop()
    after["steps"][1]["tool_name"] = "components"
    assert told(template, after) == [
        "step 2: tool: magnitude → components",
        "step s: added: running_average of ACE_Bmag (window = 1h) → smooth",
        "step 4: removed: style_plot\n    title: ACE magnetic field\n    colour of ACE_Bmag: black\n"
        "    intent: Title, magnitude in black\n    depends on: 3",
    ]


def test_variables_and_the_name_are_told(template):
    after = deepcopy(template)
    after["name"] = "Mine"
    after["variables"]["$TIME_RANGE"]["default"] = "yesterday"
    after["variables"]["$WINDOW"] = {"type": "duration"}
    assert told(template, after) == [
        "name: ACE B-field overview → Mine",
        "variable $TIME_RANGE, default: last 7 days → yesterday",
        "variable $WINDOW added: type: duration",
    ]


def test_true_in_place_of_one_is_a_change(template):
    before, after = deepcopy(template), deepcopy(template)
    before["steps"][3]["tool_args"]["legend"] = 1
    after["steps"][3]["tool_args"]["legend"] = True
    assert told(before, after) == ["step 4: legend: 1 → true"]


def test_a_fetch_is_described_with_what_it_may_take(template):
    line = describe_step(template["steps"][0])
    assert line == "fetch AC_H2_MFI or AC_H0_MFI or AC_K2_MFI BGSEc over $TIME_RANGE → ACE_B"


def test_the_readable_form_names_every_step_and_variable(template):
    text = readable(template)
    assert "variable $TIME_RANGE (time_range) = last 7 days" in text
    assert all(f"step {number}: " in text for number in (1, 2, 3, 4))


def test_a_colour_makes_only_the_figure_anew(template):
    after = deepcopy(template)
    after["steps"][3]["tool_args"]["trace_colors"] = {"ACE_Bmag": "red"}
    left = work_left(template, after, now=NOW)
    assert (left.recomputed, left.unchanged) == ((3,), (1, 2))


def test_another_dataset_makes_all_that_rests_on_it_anew(template):
    after = deepcopy(template)
    after["steps"][0]["tool_args"]["candidates"] = ["AC_H0_MFI"]
    assert work_left(template, after, now=NOW).recomputed == (1, 2, 3)
    assert work_left(None, template, now=NOW).unchanged == ()


def test_a_review_says_first_which_changes_are_of_data(template):
    after = deepcopy(template)
    after["steps"][0]["tool_args"]["parameter_id"] = "BGSM"
    after["steps"][3]["tool_args"]["title"] = "A quiet day"
    lines = review_lines(changes(template, after), new=False, numbered=True)
    assert lines[0] == "  1 changes what is fetched or computed; the other changes the figure, names or texts"
    assert len(lines) == 3
    after["steps"][0]["tool_args"]["parameter_id"] = template["steps"][0]["tool_args"]["parameter_id"]
    [line] = review_lines(changes(template, after), new=False, numbered=True)
    assert line.startswith("  ~ step 4: title: ")


def test_a_changed_number_of_a_computation_shows_its_factor(template):
    def scaled(factor):
        step = {
            "step_id": 9,
            "tool_name": "rescale",
            "tool_args": {"source_label": "ACE_Bmag", "factor": factor},
        }
        return {**template, "steps": [*template["steps"], step]}

    assert told(scaled(0.1), scaled(1.0)) == ["step 9: factor: 0.1 → 1.0 (×10)"]
    assert told(scaled(1.16), scaled(-1.61)) == ["step 9: factor: 1.16 → -1.61 (×-1.38793)"]
    assert told(scaled(0), scaled(2)) == ["step 9: factor: 0 → 2"]


def test_two_limits_are_shown_together(template):
    def limited(low, high):
        args = {"source_label": "P", "bands": [[10, 20], [low, high]]}
        step = {"step_id": 9, "tool_name": "band_average", "tool_args": args}
        return {**template, "steps": [*template["steps"], step]}

    assert told(limited(60, 100), limited(40, 60)) == ["step 9: bands, item 2: 60, 100 → 40, 60"]


def test_a_variable_in_a_longer_text_is_shown_with_its_default():
    def smoothed(window):
        args = {"source_label": "B", "window": window, "output_label": "S"}
        step = {"step_id": "s", "tool_name": "running_average", "tool_args": args}
        return {"id": "p", "variables": {"$W": {"type": "duration", "default": "10min"}}, "steps": [step]}

    [change] = changes(smoothed("$W"), smoothed("3$W"))
    assert str(change) == "step s: window: $W → 3$W (by default 310min)"
    assert [str(change) for change in changes(smoothed("1h"), smoothed("$W"))] == ["step s: window: 1h → $W"]
    empty = {**smoothed("$W"), "steps": []}
    assert "3$W (by default 310min)" in str(changes(empty, smoothed("3$W"))[0])
