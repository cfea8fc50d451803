"""How much of the data a figure shows, as numbers: they add up, and the notes say the same."""

import json
from dataclasses import replace

import numpy as np

from helio.store.expected_records import expected_note
from tests.steps.render.test_render_spec import draw, scalar, vector, wide_spectrum


def traces(figure, panel=1):
    return figure.quality[panel - 1]["traces"]


def labels(figure, panel=1):
    return figure.quality[panel - 1]["labels"]


def test_each_component_has_its_counts_and_each_label_its_coverage():
    values = np.column_stack([np.arange(10.0), np.where(np.arange(10) < 7, 1.0, np.nan), np.ones(10)])
    table = replace(vector(), values=values)
    figure = draw({"B": table})
    assert figure.quality[0]["panel"] == 1
    assert figure.quality[0]["kind"] == "line"
    assert "empty" not in figure.quality[0]
    assert [
        (trace["name"], trace["values"], trace["missing"], trace["drawn"]) for trace in traces(figure)
    ] == [
        ("Bx", 10, 0, 10),
        ("By", 7, 3, 7),
        ("Bz", 10, 0, 10),
    ]
    [label] = labels(figure)
    assert (label["label"], label["records"]) == ("B", 10)
    assert f"panel 1: coverage B {100 * label['coverage']:.1f} %" in figure.notes
    assert json.loads(json.dumps(figure.quality)) == list(figure.quality)


def test_the_expected_records_are_those_of_the_source():
    table = replace(scalar(), notes=(expected_note(10, 1440, "1 min"),))
    [label] = labels(draw({"n": table}))
    assert (label["valid"], label["expected"]) == (10, 1440)
    assert label["coverage"] == round(10 / 1440, 6)


def test_values_that_the_axis_cannot_show_are_counted_once():
    table = scalar(values=[-1, 0, 1, 2, 30, 400, 5000, np.nan, 10, 10])
    figure = draw({"n": table}, log_scale="log", y_range=[1, 100])
    [trace] = traces(figure)
    assert (trace["values"], trace["missing"]) == (9, 1)
    assert (trace["not_above_zero"], trace["clipped"]) == (2, 2)
    assert "panel 1: a logarithmic axis leaves out 2 values of n not above 0" in figure.notes
    assert "panel 1: y_range leaves out 2 values of n" in figure.notes


def test_points_that_are_thinned_are_counted():
    count = 200_000
    table = scalar(values=np.sin(np.arange(count)))
    table = replace(table, epoch=table.epoch[0] + np.arange(count) * np.timedelta64(4, "ms"))
    figure = draw({"n": table})
    [trace] = traces(figure)
    assert trace["values"] == count
    assert trace["drawn"] < 5000
    assert any(f"{trace['drawn']:,} of {count:,} points are drawn" in note for note in figure.notes)


def test_an_empty_panel_and_an_empty_trace_say_why():
    absent = replace(scalar("m"), values=np.full(10, np.nan))
    figure = draw({"n": scalar(), "m": absent, "B": vector()}, panels=[["n", "m"], ["m"], ["B"]])
    assert [trace.get("empty") for trace in traces(figure)] == [None, "all values are missing"]
    assert [label.get("empty") for label in labels(figure)] == [None, "all values are missing"]
    assert figure.quality[1] == {
        "panel": 2,
        "kind": "line",
        "empty": "all values are missing",
        "labels": [{"label": "m", "coverage": 0.0, "records": 10, "empty": "all values are missing"}],
        "traces": [],
    }
    assert labels(figure, 2)[0]["coverage"] == 0


def test_each_axis_of_a_panel_counts_by_its_own_limits():
    tables = {"a": scalar("a", "nT"), "b": scalar("b", "kV")}
    figure = draw(tables, panels=[["a", "b"]], right=["b"], y_range={"1": [1, 5], "1 right": [1, 8]})
    assert [(trace["label"], trace["clipped"]) for trace in traces(figure)] == [("a", 5), ("b", 2)]


def test_every_kind_of_panel_counts_its_values():
    tables = {
        "n": scalar(values=[1, 2, np.nan, 4, 5, 6, 7, 8, 9, 10]),
        "r": scalar("r", ""),
        "f": wide_spectrum(4),
    }
    figure = draw(
        tables,
        panels=[["n"], ["r"], ["f"], ["f"]],
        panel_types=["bars", "strip", "spectrogram", "spectrum"],
        xy=[{"x": "n", "y": "r", "x_range": [0, 5]}],
        histograms=[{"of": "n", "bins": [0, 5, 8]}],
    )
    counts = [
        (panel["kind"], trace["values"], trace["missing"], trace.get("clipped", 0))
        for panel in figure.quality
        for trace in panel["traces"]
        if panel["kind"] != "spectrum"
    ]
    assert counts == [
        ("bars", 9, 1, 0),
        ("strip", 10, 0, 0),
        ("spectrogram", 40, 0, 0),
        ("xy", 9, 1, 5),
        ("histograms", 9, 1, 2),
    ]
    assert [trace["values"] for trace in traces(figure, 4)] == [4]
    assert [label.get("coverage") is None for panel in figure.quality for label in panel["labels"]] == [
        False,
        False,
        False,
        True,
        True,
        True,
        True,
    ]
