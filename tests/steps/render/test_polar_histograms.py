"""Polar histograms of angles."""

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_json
from tests.steps.render.test_empty_panels import unknown, without_values
from tests.steps.render.test_render_spec import layout, texts, traces
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.series import scalar


def angles(values, unit="deg", name="phi"):
    return scalar(np.arange(len(values)) * 60.0, values, unit=unit, name=name)


def polar(values=(10, 20, 100, 190, 350), tables=None, theme="white", **entry):
    tables = tables or {"phi": angles(values)}
    bins = {} if "bin_width" in entry else {"bins": 4}
    spec = {"histograms": [{"of": list(tables), "polar": True, **bins, **entry}], "theme": theme}
    return render_spec(tables, spec=spec)


def sectors(figure, number=1):
    """The radius and the direction in deg of the middle of each sector."""
    [trace] = [trace for trace in traces(figure) if trace["uid"] == f"p1-{number}-values"]
    x, y = plain(trace["x"]), plain(trace["y"])
    return np.hypot(x, y).round(5).tolist(), (np.degrees(np.arctan2(y, x)) % 360).round(4).tolist()


def refuse(match, advice="", error=StepError, tables=None, **entry):
    with pytest.raises(error, match=match) as refused:
        polar(tables=tables, **entry)
    assert advice in refused.value.advice


def test_the_radius_of_a_sector_is_the_number_of_its_records():
    radii, directions = sectors(polar())
    assert radii == [2, 1, 1, 1]
    assert directions == [45, 135, 225, 315]


@pytest.mark.parametrize(
    ("zero", "clockwise", "first", "second"),
    [
        ("right", False, 45, 135),
        ("right", True, 315, 225),
        ("top", False, 135, 225),
        ("top", True, 45, 315),
        ("left", False, 225, 315),
        ("bottom", True, 225, 135),
    ],
)
def test_zero_and_the_sense_of_rotation(zero, clockwise, first, second):
    _, directions = sectors(polar(values=(10, 100, 200, 300), zero=zero, clockwise=clockwise))
    assert directions[:2] == [first, second]


def test_a_density_adds_up_to_one():
    radii, _ = sectors(polar(show="density"))
    assert sum(radii) * 90 == pytest.approx(1, rel=2e-3)
    assert "radius: probability density [deg⁻¹]" in layout(polar(show="density"))["xaxis"]["title"]["text"]
    assert "radius: number of records in 90°" in layout(polar())["xaxis"]["title"]["text"]


@pytest.mark.parametrize("turns", [-720, -360, 360])
def test_angles_wrap(turns):
    values = np.array([10, 20, 100, 190, 350]) + turns
    assert sectors(polar(values=values)) == sectors(polar())


def test_zero_and_a_full_turn_are_in_the_first_sector():
    radii, _ = sectors(polar(values=(0.0, 360.0, -1e-20, 180.0)))
    assert radii == [3, 0, 1, 0]


def test_radians_are_converted():
    values = np.radians([10, 20, 100, 190, 350])
    assert sectors(polar(tables={"phi": angles(values, unit="rad")})) == sectors(polar())


def test_missing_values_are_left_out_and_counted():
    figure = polar(values=(10, np.nan, 100, np.nan))
    assert sectors(figure)[0] == [1, 1, 0, 0]
    assert "panel 1: phi 2 of 4 records; left out: 2 without a usable value" in figure.notes
    assert "panel 1: 4 bins of 90 deg from 0 to 360 deg" in figure.notes


def test_the_width_of_the_sectors_in_degrees():
    assert sectors(polar(bin_width=90)) == sectors(polar())
    with pytest.raises(StepError, match="sectors of 50 deg, which do not fill a circle"):
        polar(bin_width=50)
    with pytest.raises(StepError, match="2 to 360 equal sectors, not 720"):
        polar(bin_width=0.5)


def test_one_record_and_36_sectors_when_none_are_chosen():
    figure = render_spec({"phi": angles([5])}, spec={"histograms": [{"of": "phi", "polar": True}]})
    radii, _ = sectors(figure)
    assert len(radii) == 36
    assert sum(radii) == 1


def test_the_axes_are_hidden_and_equal():
    axes = layout(polar())
    assert axes["yaxis"]["scaleanchor"] == "x"
    for name in ("xaxis", "yaxis"):
        assert not axes[name]["showticklabels"]
        assert not axes[name]["showline"]
        assert -axes[name]["range"][0] == axes[name]["range"][1]
    assert axes["xaxis"]["range"] == axes["yaxis"]["range"]
    assert {"0°", "45°", "315°"} <= set(texts(polar()))


def test_rings_have_round_values_and_a_chosen_limit():
    drawn = polar(values=[10] * 37 + [200] * 8)
    assert {"10", "20", "30", "40"} <= set(texts(drawn))
    cut = polar(values=[10] * 37 + [200] * 8, y_range=[0, 20])
    assert sectors(cut)[0][0] == 20
    assert "40" not in texts(cut)


def test_several_angles_have_names_in_their_colours():
    figure = polar(tables={"a": angles([10, 20], name="a"), "b": angles([100, 200], name="b")})
    assert sectors(figure, 1)[0] == [2, 0, 0, 0]
    assert sectors(figure, 2)[0] == [0, 1, 1, 0]
    assert any("a</span>" in text and "b</span>" in text for text in texts(figure))


def test_labels_may_be_chosen():
    title = layout(polar(x_label="clock angle", y_label="minutes"))["xaxis"]["title"]["text"]
    assert title == "clock angle<br>minutes"


@pytest.mark.parametrize(
    "absent", [without_values, lambda table: table.take(slice(0, 0)), lambda table: unknown()]
)
def test_an_angle_without_values_is_an_empty_panel_or_a_name(absent):
    tables = {"B": angles([1, 2], unit="nT", name="B"), "q": absent(angles([1, 2], name="q"))}
    entry = {"of": "q", "polar": True}
    figure = render_spec(tables, spec={"panels": [["B"]], "histograms": [entry]})
    assert any(note.startswith("panel 2: nothing to draw: ") for note in figure.notes)
    tables = {"phi": angles([10, 20]), "q": tables["q"]}
    figure = render_spec(tables, spec={"histograms": [{"of": ["phi", "q"], "polar": True, "bins": 4}]})
    assert sectors(figure)[0] == [2, 0, 0, 0]
    assert any("q (no data)" in text for text in texts(figure))


def test_equal_tables_give_equal_bytes():
    assert to_json(polar()) == to_json(polar())


def test_what_a_polar_histogram_cannot_draw():
    refuse(
        "needs an angle, but 'B' is in nT",
        error=UnitMismatch,
        tables={"B": angles([1, 2], unit="nT", name="B")},
    )
    refuse(
        "in no unit", "declare_quantity", error=UnitMismatch, tables={"B": angles([1, 2], unit="", name="B")}
    )
    refuse("has no log_x", "leave out log_x", log_x=True)
    refuse("has no log_y", log_y=True)
    refuse("has no x_range", x_range=[0, 90])
    refuse("2 to 360 equal sectors", "bins: 36", bins=[0, 90, 360])
    refuse("2 to 360 equal sectors", bins=1)
    refuse("2 to 360 equal sectors", bins=500)
    refuse("begins at 0", "y_range", y_range=[1, 5])
    refuse("only missing values", tables={"phi": angles([np.nan, np.nan])})
    with pytest.raises(StepError, match="only a polar histogram has zero"):
        render_spec({"phi": angles([1, 2])}, spec={"histograms": [{"of": "phi", "zero": "top"}]})
