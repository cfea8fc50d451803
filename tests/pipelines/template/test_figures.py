"""A figure that has to go on without some of its labels."""

from helio.pipelines.template.figures import without_labels

SPEC = {
    "labels": ["a", "b", "c.x"],
    "panels": [["a"], ["b", "a"], ["c.x"]],
    "panel_types": ["line", "line", "spectrum"],
    "row_heights": [1, 2, 3],
    "y_label": {"1": "A", "2": "B", "3": "C"},
    "log_scale": 3,
    "hlines": [{"y": 0, "panel": 1}, {"y": 1, "panel": 3}, {"y": 2}],
    "slopes": ["-5/3"],
    "trace_colors": {"a": "red", "a.x": "blue", "c.x": "green"},
}


def test_what_is_said_by_number_moves_with_its_panel():
    left = without_labels(SPEC, ["a"])
    assert left["labels"] == ["b", "c.x"]
    assert left["panels"] == [["b"], ["c.x"]]
    assert left["panel_types"] == ["line", "spectrum"]
    assert left["row_heights"] == [2, 3]
    assert left["y_label"] == {"1": "B", "2": "C"}
    assert left["log_scale"] == 2
    assert left["hlines"] == [{"y": 1, "panel": 2}, {"y": 2}]
    assert left["trace_colors"] == {"c.x": "green"}


def test_a_scale_of_a_panel_that_goes_says_nothing_of_the_others():
    assert without_labels(SPEC, ["c.x"])["log_scale"] == "linear"


def test_the_spec_itself_stays():
    before = str(SPEC)
    without_labels(SPEC, ["a", "b"])
    assert str(SPEC) == before


def test_a_figure_without_panels_only_loses_labels():
    assert without_labels({"labels": ["a", "b"]}, ["a"]) == {"labels": ["b"]}
