"""Settings of a figure for panels that it does not have are found before anything is fetched."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from helio.pipelines.passes.check_panels import check_panels
from helio.pipelines.plan import check
from helio.pipelines.template.context import Context
from helio.pipelines.template.template import Template
from tests.pipelines.conftest import NOW, fetch, magnitude, template


def found(spec: dict[str, Any]) -> list[tuple[str, str]]:
    step = {"step_id": 1, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["B", "n"], **spec}}}
    findings = check_panels(Template.from_json({"steps": [step]}), Context({}, datetime.min, {}))
    return [(finding.path.removeprefix("/steps/0/tool_args/spec/"), finding.message) for finding in findings]


TWO = {"panels": [["B"], ["n"]]}


@pytest.mark.parametrize(
    ("setting", "path", "message"),
    [
        ({"y_range": {"3": [0, 1]}}, "y_range/3", "y_range: there is no panel 3"),
        ({"y_label": {"1": "B", "first": "n"}}, "y_label/first", "y_label: there is no panel first"),
        ({"log_z": {"0": True}}, "log_z/0", "log_z: there is no panel 0"),
        ({"log_scale": 3}, "log_scale", "log_scale: there is no panel 3"),
        (
            {"hlines": [{"value": 1}, {"value": 2, "panel": 4}]},
            "hlines/1/panel",
            "hlines: there is no panel 4",
        ),
        ({"row_heights": [1]}, "row_heights", "row_heights has 1 entry for 2 panels"),
        ({"panel_types": ["line"] * 3}, "panel_types", "panel_types has 3 entries for 2 panels"),
        (
            {"xy": [{"x": "n", "y": "B"}], "panel_types": ["line"] * 3},
            "panel_types",
            "panel_types has 3 entries for 2 panels",
        ),
        (
            {"xy": [{"x": "n", "y": "B"}], "y_range": {"3": [0, 1]}},
            "y_range/3",
            "y_range: panel 3 is described by an entry of xy",
        ),
        (
            {"xy": [{"x": "n", "y": "B"}], "hlines": [{"y": 1, "panel": 4}]},
            "hlines/0/panel",
            "hlines: there is no panel 4",
        ),
        (
            {"histograms": [{"of": "n"}, {"of": "B", "bins": 9, "bin_width": 2}]},
            "histograms/1",
            "histograms: entry 2 has both bins and bin_width",
        ),
        (
            {"histograms": [{"of": "n", "bin_width": 2, "log_x": True}]},
            "histograms/0",
            "histograms: entry 1 has a bin_width, but a logarithmic x axis",
        ),
        (
            {"histograms": [{"of": "n", "bin_width": -2}]},
            "histograms/0",
            "histograms: entry 1 has a bin_width of -2, but a width is above 0",
        ),
    ],
)
def test_a_setting_for_a_panel_that_is_not_there_is_refused(
    setting: dict[str, Any], path: str, message: str
) -> None:
    assert found(TWO | setting) == [(path, message)]


@pytest.mark.parametrize(
    "spec",
    [
        {"y_range": {"3": [0, 1]}, "row_heights": [1, 2, 3]},
        {"panels": "$PANELS", "row_heights": [1]},
        TWO | {"row_heights": "$HEIGHTS", "hlines": "$LINES"},
        TWO | {"y_range": {"2": [0, 1]}, "log_scale": 2, "row_heights": [2, 1], "vlines": ["2024-01-01"]},
        TWO | {"y_range": [0, 1], "log_scale": "y", "slopes": ["-5/3"]},
        TWO
        | {"histograms": [{"of": "n", "bin_width": "$WIDTH"}, {"of": "B", "bin_width": 0.5, "log_y": True}]},
        TWO
        | {
            "xy": [{"x": "n", "y": "B"}] * 2,
            "row_heights": [1, 1, 2],
            "hlines": [{"y": 1, "panel": 4}],
            "vlines": [{"x": 1, "panel": 3}],
        },
    ],
)
def test_what_is_right_or_not_known_yet_is_left_alone(spec: dict[str, Any]) -> None:
    assert found(spec) == []


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ({"trace_colors": {"Bmag": "black", "B": "red"}}, "trace_colors/Bmag"),
        ({"trace_names": {"n.core": "core", "V.x": "Vx"}}, "trace_names/V.x"),
        ({"line_styles": {"B.Bx": {"dash": "dash"}, "N": {"width": 2}}, **TWO}, "line_styles/N"),
        ({"categories": {"N": {"0": "solar wind"}}, **TWO}, "categories/N"),
    ],
)
def test_a_setting_for_a_line_that_is_not_drawn_is_refused(setting: dict[str, Any], path: str) -> None:
    key, _, label = path.partition("/")
    assert found(setting) == [(path, f"{key}: no line is called '{label}'")]


def test_an_uncertainty_of_a_line_that_is_not_drawn_is_refused() -> None:
    bands = [{"line": "n", "sigma": "n"}, {"line": "N", "sigma": "n"}]
    assert found(TWO | {"bands": bands}) == [("bands/1/line", "bands: no line is called 'N'")]


@pytest.mark.parametrize("labels", [["*"], ["B_$SC"], []])
def test_lines_that_only_the_run_knows_are_left_alone(labels: list[str]) -> None:
    assert found({"labels": labels, "trace_colors": {"Bmag": "black", "B_$SC": "red"}}) == []


def test_the_place_is_that_of_the_argument_as_it_was_written() -> None:
    plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": ["B"], **TWO, "log_scale": 3}}
    [error] = check(template(fetch(args={"output_label": "B"}), magnitude(3, "B", "n"), plot), now=NOW).errors
    assert (error.code, error.path) == ("HV109", "/steps/2/tool_args/log_scale")


def test_commas_split_labels_only_where_several_may_stand() -> None:
    def checked(**spec: Any) -> Any:
        figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}}
        return check(template(fetch(args={"output_label": "B"}), magnitude(2, "B", "n"), figure), now=NOW)

    several = checked(histograms=[{"of": "B.Bx, n"}])
    assert not several.errors
    assert several.plan["steps"][-1]["tool_args"]["spec"]["histograms"] == [{"of": ["B.Bx", "n"]}]
    errors = checked(xy=[{"x": "n, B.Bx", "y": "n"}]).errors
    assert "HR203" in {error.code for error in errors}
    assert "HI001" not in {error.code for error in errors}


FOUR = {"panels": [["B"], ["n"], ["B"], ["n"]]}


@pytest.mark.parametrize(
    ("setting", "path", "message"),
    [
        ({"columns": 3}, "columns", "columns: 4 panels do not fill rows of 3"),
        ({"columns": 0}, "columns", "columns: 0 columns are not possible"),
        ({"columns": 9}, "columns", "columns: 9 columns are not possible"),
        (
            {"columns": 2, "column_titles": ["ACE"]},
            "column_titles",
            "column_titles has 1 title for 2 columns",
        ),
        ({"column_titles": ["ACE", "Wind"]}, "column_titles", "column_titles has 2 titles for 1 column"),
        ({"share_y": True}, "share_y", "share_y: the figure has one column"),
        (
            {"columns": 2, "ephemeris": ["n", "B", "n"]},
            "ephemeris",
            "ephemeris: 3 labels cannot be divided among 2 columns",
        ),
        ({"columns": 2, "row_heights": [1, 2, 3, 4]}, "row_heights", "row_heights has 4 entries for 2 rows"),
        ({"columns": 2, "panel_types": ["line"]}, "panel_types", "panel_types has 1 entry for 4 panels"),
    ],
)
def test_columns_that_the_panels_do_not_fill_are_refused(
    setting: dict[str, Any], path: str, message: str
) -> None:
    assert found(FOUR | setting) == [(path, message)]


@pytest.mark.parametrize(
    "setting",
    [
        {"columns": 2, "column_titles": ["ACE", "Wind"], "share_y": True, "row_heights": [2, 1]},
        {"columns": 4, "xy": [{"x": "n", "y": "B"}]},
        {"columns": 2, "ephemeris": ["n", "B"]},
        {"columns": 1, "column_titles": ["ACE"], "ephemeris": ["n"]},
        {"columns": "$COLUMNS", "column_titles": ["A", "B"]},
    ],
)
def test_columns_that_the_panels_fill_are_right(setting: dict[str, Any]) -> None:
    assert found(FOUR | setting) == []


@pytest.mark.parametrize(
    ("setting", "path", "key"),
    [
        ({"y_range": [50, -50]}, "y_range", "y_range"),
        ({"y_range": {"1": [0, 1], "2": [1, 1]}}, "y_range/2", "y_range"),
        ({"bin_range": [1]}, "bin_range", "bin_range"),
        ({"xy": [{"x": "B", "y": "n", "x_range": [3, 1]}]}, "xy/0/x_range", "x_range"),
        ({"histograms": [{"of": "n", "y_range": [3, 1]}]}, "histograms/0/y_range", "y_range"),
        ({"vrects": [{"x0": "2003-11-20T16:00", "x1": "2003-11-20T10:00"}]}, "vrects/0", "vrects"),
    ],
)
def test_limits_that_do_not_increase_are_refused(setting: dict[str, Any], path: str, key: str) -> None:
    [(place, message)] = found(setting)
    assert place == path
    assert message.startswith(f"{key} is [")
    assert found(TWO | {"y_range": [-50, 50], "bin_range": {"2": [1, 2]}}) == []


@pytest.mark.parametrize(
    ("setting", "path", "message"),
    [
        ({"events": [{"of": "t", "by": "peaks"}]}, "events/0", "events: entry 1 has by, but no levels"),
        ({"events": [{"of": "t", "levels": "flares"}]}, "events/0", "events: entry 1 has levels, but no by"),
        ({"vlines": [{"x": "2024-05-10"}, {"label": "a"}]}, "vlines/1", "vlines: entry 2 has no x"),
        ({"vlines": [{"x": 1, "of": "f", "panel": 1}]}, "vlines/0", "vlines: entry 1 has both x and of"),
        ({"vlines": [{"x": "noon"}]}, "vlines/0", "vlines: entry 1: x 'noon' is not a time"),
        (
            {"vrects": [{"x0": "2003-11-20 10:06", "x1": "2003-11-20T25:00"}]},
            "vrects/0",
            "vrects: entry 1: x1 '2003-11-20T25:00' is not a time",
        ),
    ],
)
def test_an_entry_that_lacks_a_key_is_refused(setting: dict[str, Any], path: str, message: str) -> None:
    assert found(setting) == [(path, message)]
    assert found(TWO | setting) == [(path, message)]


def test_times_of_a_variable_are_accepted() -> None:
    assert found({"vrects": [{"x0": "$START", "x1": "2024-05-10 to 2024-05-11"}]}) == []


def test_lines_at_a_table_of_times_need_no_panel() -> None:
    assert found({"vlines": [{"of": "onsets"}]}) == []


def test_complete_entries_are_accepted() -> None:
    events = [{"of": "t"}, {"of": "t", "by": "peaks", "levels": "flares"}]
    lines = [{"x": "2024-05-10"}, {"of": "f", "panel": 1}, {"x": 3, "panel": 1}]
    assert found(TWO | {"events": events, "vlines": lines}) == []
