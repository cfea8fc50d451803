"""Named levels: where they are drawn, which of them, and what is refused."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from helio.errors import StepError
from helio.pipelines.plan import check
from helio.steps.render.render_spec import render_spec
from helio.steps.render.scales import SCALES
from helio.steps.render.spec import LevelName
from tests.pipelines.conftest import NOW, fetch, template
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, scalar, vector, wide_spectrum


def dst(*values, name="SYM_H", unit="nT"):
    return scalar(name, unit, values=np.array(values, dtype=float))


def lines(figure):
    """Return the level, the axis and the label of each horizontal line."""
    shapes = [shape for shape in layout(figure)["shapes"] if shape["type"] == "line"]
    labels = {
        (note["yref"], note["y"]): note["text"]
        for note in layout(figure)["annotations"]
        if note["yref"][0] == "y"
    }
    logarithmic = {
        name: axis.get("type") == "log" for name, axis in layout(figure).items() if name[:5] == "yaxis"
    }
    found = []
    for shape in shapes:
        log = logarithmic["yaxis" + shape["yref"][1:]]
        y = float(f"{np.log10(shape['y0']):.8g}") if log else shape["y0"]
        found.append((shape["y0"], labels[shape["yref"], y]))
    return found


def refused(match, advice, tables, hlines, **spec):
    with pytest.raises(StepError, match=match) as found:
        render_spec(tables, spec={"hlines": hlines, **spec}, time_range=TEN_MINUTES)
    assert advice in found.value.advice


def test_every_name_of_the_spec_has_its_levels():
    assert set(SCALES) == set(get_args(LevelName))
    for scale in SCALES.values():
        assert len(scale.values) == len(scale.names) == len(scale.colours)


@pytest.mark.parametrize(
    ("lowest", "drawn"),
    [
        (-20, [(-50, "moderate")]),
        (-60, [(-50, "moderate"), (-100, "intense")]),
        (-412, [(-50, "moderate"), (-100, "intense"), (-250, "super")]),
    ],
)
@pytest.mark.parametrize("name", ["Dst", "SYM_H", "SYM/H index", "DST1800"])
def test_the_storm_levels_that_the_index_reaches_and_the_next_one_are_drawn(name, lowest, drawn):
    assert lines(draw({"d": dst(10, lowest, -5, name=name)}, hlines=["storms"])) == drawn


def test_a_y_range_decides_which_levels_are_drawn():
    table = {"SYMH": dst(0, -60)}
    assert lines(draw(table, hlines=["storms"], y_range=[-300, 50])) == [
        (-50, "moderate"),
        (-100, "intense"),
        (-250, "super"),
    ]
    assert lines(draw(table, hlines=["storms"], y_range=[-90, -60])) == []


def test_flare_classes_begin_with_the_class_of_the_lowest_flux():
    flux = scalar("xrsb_flux", "W/m^2", values=[3e-7, 2e-6, 3e-5, 5e-6], scale="log")
    figure = draw({"GOES": flux}, hlines=["flares"], log_y=True)
    assert lines(figure) == [(1e-7, "B"), (1e-6, "C"), (1e-5, "M"), (1e-4, "X")]


def test_kp_and_protons_have_the_levels_of_noaa():
    assert lines(draw({"Kp": scalar("Kp", "", values=[2, 9, 4])}, hlines=["Kp"])) == [
        (4.66, "G1"), (5.66, "G2"), (6.66, "G3"), (7.66, "G4"), (9, "G5"),
    ]  # fmt: skip
    protons = scalar(">10 MeV protons", "pfu", values=[0.3, 20])
    assert lines(draw({"p": protons}, hlines=["protons"])) == [(10, "S1"), (100, "S2")]


def test_levels_find_their_panel_and_may_be_sent_to_another():
    tables = {"B": vector(), "SYM": dst(0, -60)}
    panels = [["B"], ["SYM"]]
    shapes = layout(draw(tables, panels=panels, hlines=["storms"]))["shapes"]
    assert {shape["yref"] for shape in shapes} == {"y2"}
    shapes = layout(draw(tables, panels=panels, hlines=[{"levels": "storms", "panel": 1}]))["shapes"]
    assert {shape["yref"] for shape in shapes} == {"y"}


def test_levels_are_ordinary_lines_with_one_look_for_all_if_it_is_given():
    named = draw(
        {"d": dst(0, -60, name="Dst")},
        hlines=[{"levels": "storms", "color": "navy", "width": 2, "dash": "dot"}],
    )
    plain = draw(
        {"d": dst(0, -60, name="Dst")},
        hlines=[
            {"y": -50, "label": "moderate", "color": "navy", "width": 2, "dash": "dot"},
            {"y": -100, "label": "intense", "color": "navy", "width": 2, "dash": "dot"},
        ],
    )
    for key in ("shapes", "annotations"):
        assert layout(named)[key] == layout(plain)[key]


def test_the_axis_and_its_ticks_reach_beyond_the_levels():
    figure = layout(draw({"d": dst(0, -60)}, hlines=["storms"]))
    assert figure["yaxis"]["range"] == pytest.approx([-105.5556, 11.1111], abs=1e-3)
    flux = scalar("xrsb_flux", "W/m^2", values=[2e-6, 5e-6, 3e-5], scale="log")
    axis = layout(draw({"GOES": flux}, hlines=["flares"]))["yaxis"]
    assert axis["range"][0] < -6
    assert axis["range"][1] > -4
    assert axis["dtick"] == 1


def test_the_place_in_a_message_counts_entries_as_they_are_written():
    refused(
        "hlines: entry 2: there is no panel 7",
        "panel 1",
        {"d": dst(0, -60)},
        ["storms", {"y": 1, "panel": 7}],
    )


@pytest.mark.parametrize(
    ("table", "name", "match", "advice"),
    [
        (vector(), "storms", "no panel shows Dst or SYM-H in its name", '"panel": 1'),
        (dst(0, name="Destination"), "storms", "no panel shows Dst", '"panel": 1'),
        (dst(0, unit="T"), "storms", "in nT, but 'd' is in T", 'convert_units to "nT"'),
        (dst(0, unit=""), "storms", "but 'd' is in no unit", "declare_quantity"),
        (scalar("Kp", ""), "Kp", "'d' reaches 10, but Kp is never above 9", "rescale with factor 0.1"),
        (scalar("Kp", "nT"), "Kp", "in no unit, but 'd' is in nT", "choose another"),
        (scalar("xrsa_flux", "W/m^2"), "flares", "no panel shows the X-ray flux at 0.1–0.8 nm", "panel"),
        (scalar("xrsb_flux", "erg/(cm^2 s)"), "flares", "in W/m", 'convert_units to "W/m^2"'),
        (scalar("protons > 100 MeV", "pfu"), "protons", "no panel shows protons above 10 MeV", "panel"),
        (scalar("protons > 10 MeV", "cm^-2"), "protons", "but 'd' is in cm", "choose another quantity"),
        (scalar("Kp", ""), "Kpp", "no levels are called 'Kpp'", "did you mean 'Kp'?"),
        (scalar("Kp", ""), "hurricanes", "no levels are called 'hurricanes'", "Kp, flares, protons, storms"),
    ],
)  # fmt: skip
def test_levels_are_refused_where_they_would_mean_nothing(table, name, match, advice):
    refused(match, advice, {"d": table}, [name])


def test_a_unit_that_does_not_fit_is_refused_in_a_named_panel_too():
    tables = {"n": scalar()}
    refused(r"in nT, but 'n' is in cm\^-3", "choose another", tables, [{"levels": "storms", "panel": 1}])
    refused("no panel 2", "panel", tables, [{"levels": "storms", "panel": 2}])
    spectrogram = {"flux": wide_spectrum(5)}
    refused("does not show Dst", "lines or bars", spectrogram, [{"levels": "storms", "panel": 1}])


@pytest.mark.parametrize(
    ("hlines", "said"),
    [
        (["storm"], "storms"),
        ([{"levels": "kpp"}], "Kp"),
        ([{"levels": "storms", "panel": 3}], "there is no panel 3"),
    ],
)
def test_a_misspelt_name_and_a_wrong_panel_are_found_before_the_run(hlines, said):
    spec = {"labels": ["B"], "panels": [["B"]], "hlines": hlines}
    figure = {"step_id": 2, "tool_name": "render_spec", "tool_args": {"spec": spec}}
    checked = check(template(fetch(args={"output_label": "B"}), figure), now=NOW)
    assert any(said in str(finding) and finding.severity == "error" for finding in checked.diagnostics), (
        checked.diagnostics
    )


def rectangles(figure):
    """Return the axis, the ends and the colour of each shaded level."""
    return [
        (shape["yref"], shape["y0"], shape["y1"], shape["fillcolor"])
        for shape in layout(figure)["shapes"]
        if shape["type"] == "rect"
    ]


def test_shaded_levels_reach_to_the_next_one_and_the_strongest_beyond_the_axis():
    figure = draw({"d": dst(10, -300, -5)}, hlines=[{"levels": "storms", "shaded": True}])
    *weaker, (axis, start, end, colour) = rectangles(figure)
    assert weaker == [("y", -50, -100, "#e69f00"), ("y", -100, -250, "#e00000")]
    assert (axis, start, colour) == ("y", -250, "mediumorchid")
    assert end < layout(figure)["yaxis"]["range"][0]
    assert len(lines(figure)) == 3


def test_shaded_classes_of_flares_reach_beyond_a_logarithmic_axis():
    flux = scalar("xrsb_flux", "W/m^2", values=[3e-7, 2e-4, 3e-5, 5e-6], scale="log")
    figure = draw({"GOES": flux}, hlines=[{"levels": "flares", "shaded": True}], log_y=True)
    assert rectangles(figure)[:-1] == [
        ("y", 1e-7, 1e-6, "grey"),
        ("y", 1e-6, 1e-5, "grey"),
        ("y", 1e-5, 1e-4, "#f46d00"),
    ]
    assert np.log10(rectangles(figure)[-1][2]) > layout(figure)["yaxis"]["range"][1]


def names(figure):
    return {note["text"]: note for note in layout(figure)["annotations"] if note["yref"][0] == "y"}


def test_names_have_a_box_where_they_may_meet_data():
    tables = {"d": dst(10, -60, -5)}
    assert "bgcolor" not in names(draw(tables, hlines=["storms"]))["moderate"]
    for entry in ({"box": True}, {"shaded": True}):
        assert (
            names(draw(tables, hlines=[{"levels": "storms", **entry}]))["moderate"]["bgcolor"]
            == "rgba(255,255,255,0.75)"
        )
    assert (
        "bgcolor"
        not in names(draw(tables, hlines=[{"levels": "storms", "shaded": True, "box": False}]))["moderate"]
    )
    line = {"y": 3, "label": "here", "box": True}
    assert names(draw(tables, hlines=[line]))["here"]["bgcolor"] == "rgba(255,255,255,0.75)"


def test_levels_of_the_right_axis_are_drawn_on_it_and_have_room():
    tables = {"n": scalar(), "Dst": dst(10, -60, -5)}
    spec = {"panels": [["n", "Dst"]], "right": ["Dst"]}
    for entry in ("storms", {"levels": "storms", "panel": 1}):
        figure = draw(tables, hlines=[entry], **spec)
        assert [shape["yref"] for shape in layout(figure)["shapes"]] == ["y2", "y2"]
        assert layout(figure)["yaxis2"]["range"][0] < -100
        assert "range" not in layout(figure)["yaxis"]
        assert "bgcolor" in names(figure)["moderate"]


def test_a_line_at_a_value_of_the_right_axis():
    tables = {"n": scalar(), "p": scalar("p", "nPa", scale="log")}
    spec = {"panels": [["n", "p"]], "right": ["p"], "log_y": {"1 right": True}}
    line = {"y": 10, "right": True, "label": "here"}
    figure = draw(tables, hlines=[line], **spec)
    assert [(shape["yref"], shape["y0"]) for shape in layout(figure)["shapes"]] == [("y2", 10)]
    assert names(figure)["here"]["y"] == 1
    refused("panel 1 has no y axis at the right", "leave out right", {"n": scalar()}, [line])
