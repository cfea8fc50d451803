"""The density of points: the number of records in each cell as colour."""

import numpy as np
import pytest

from helio.errors import ClockMismatch, StepError
from helio.steps.render.density_panel import bins_by_rule
from helio.steps.render.render_spec import render_spec
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, texts, traces
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.render.test_xy_panels import named, pair, series

DENSITY = {"type": "density", "x": "n", "y": "V"}


def cells(figure):
    """The edges along x and y, and the counts, with 0 for an empty cell."""
    (heat,) = traces(figure, "heatmap")
    z = heat["z"]
    counts = plain(z).reshape([int(part) for part in z["shape"].split(",")]) if isinstance(z, dict) else z
    return plain(heat["x"]), plain(heat["y"]), np.nan_to_num(np.array(counts, float))


def refuse(match, advice="", error=StepError, tables=None, **entry):
    with pytest.raises(error, match=match) as found:
        render_spec(tables or pair(), spec={"xy": [DENSITY | entry]}, time_range=TEN_MINUTES)
    assert advice in found.value.advice


@pytest.mark.parametrize("width", [320, 1000])
def test_each_record_is_counted_in_its_cell(width):
    tables = pair(x=(0, 0, 1, 4, np.nan), y=(10, 12, 20, 30, 10))
    figure = draw(tables, xy=[{**DENSITY, "bins": 2}], canvas_size={"width": width})
    x, y, counts = cells(figure)
    assert (x.tolist(), y.tolist()) == ([0, 2, 4], [10, 20, 30])
    assert counts.tolist() == [[2, 0], [1, 1]]
    assert layout(figure)["xaxis"]["range"] == [0, 4]
    assert "number of records" in texts(figure)
    assert "panel 1: points of 4 of 5 records; left out: 1 without a value" in figure.notes
    assert "panel 1: 2 × 2 cells, with at most 2 records" in figure.notes


def test_empty_cells_have_no_colour():
    (heat,) = traces(draw(pair(), xy=[{**DENSITY, "bins": 2}]), "heatmap")
    assert heat["z"] == [[2, None], [None, 2]]
    assert (heat["zmin"], heat["zmax"]) == (0, 2)
    assert heat["hoverongaps"] is False


def test_logarithmic_axes_and_colours():
    tables = pair(x=(1, 1, 10, 100), y=(1, 1, 10, 1000))
    entry = {**DENSITY, "bins": 2, "log_x": True, "log_y": True, "log_color": True}
    figure = draw(tables, xy=[entry], colorscale="viridis")
    x, y, counts = cells(figure)
    assert x == pytest.approx([1, 10, 100])
    assert y == pytest.approx([1, 10**1.5, 1000], rel=1e-6)
    (heat,) = traces(figure, "heatmap")
    assert heat["z"][0] == pytest.approx([np.log10(2), 0], abs=1e-6)
    assert (heat["zmin"], heat["zmax"]) == (0, 1)
    assert heat["colorbar"]["ticktext"] == ["10<sup>0</sup>", "10<sup>1</sup>"]
    assert counts.shape == (2, 2)
    assert layout(figure)["xaxis"]["type"] == "log"


def test_no_record_is_lost_among_many():
    noise = np.random.default_rng(4)
    x, y = noise.normal(size=(2, 30_000))
    tables = {"n": series(x, step=0.01), "V": series(y, "V", "km/s", step=0.01)}
    _, _, counts = cells(draw(tables, xy=[DENSITY]))
    assert counts.shape == (80, 80)
    assert counts.sum() == 30_000
    known, _, _ = np.histogram2d(x, y, 80)
    assert counts.max() == known.max()


def test_limits_choose_the_cells():
    figure = draw(pair(), xy=[{**DENSITY, "bins": 3, "x_range": [0, 3], "y_range": [400, 430]}])
    x, _, counts = cells(figure)
    assert x.tolist() == [0, 1, 2, 3]
    assert counts.sum() == 3
    assert "panel 1: 1 point outside the limits of the axes" in figure.notes
    refuse("no record within its limits", "x_range", x_range=[10, 20])


def test_a_density_can_have_a_fit_and_equal_axes():
    tables = pair(y=(1, 2.5, 3.5, 8)) | {"V": series((1, 2.5, 3.5, 8), "m", "cm^-3")}
    figure = draw(tables, xy=[{**DENSITY, "fit": "orthogonal", "equal_axes": True}])
    assert named(figure, "fit")
    (x0, x1), (y0, y1) = (layout(figure)[axis]["range"] for axis in ("xaxis", "yaxis"))
    assert x1 - x0 == pytest.approx(y1 - y0)


@pytest.mark.parametrize(("points", "bins"), [(1, 10), (400, 10), (10_000, 50), (10**6, 80)])
def test_the_rule_follows_the_number_of_points(points, bins):
    assert bins_by_rule(points) == bins


def test_keys_of_points_are_refused():
    refuse("a density, which has no color_by", "draw a scatter", color_by="time")
    refuse("a density, which has no mode", "leave out mode", mode="lines")
    refuse("201 bins are not possible", "1 to 200", bins=201)
    refuse("only a density has bins", "type: density", type="scatter", bins=10)
    refuse("same epochs", "align", ClockMismatch, {**pair(), "V": series([1, 2], "V", step=7.0)})
