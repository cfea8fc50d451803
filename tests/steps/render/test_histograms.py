"""Histograms of one or more quantities."""

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.render.histogram_panel import bin_edges_of
from helio.steps.render.render_spec import render_spec
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, texts
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.render.test_xy_panels import named, pair, points, series
from tests.steps.series import vector


def heights(figure, uid="p1-1"):
    """The edges of the bins and the height of each bar, from the steps of a trace."""
    (trace,) = named(figure, uid)
    x, y = plain(trace["x"]), plain(trace["y"])
    assert (x[1:-1:2] == np.unique(x)[:-1]).all()
    assert (y[1:-1:2] == y[2:-1:2]).all()
    return np.unique(x).tolist(), y[1:-1:2].tolist()


def refuse(match, advice="", error=StepError, tables=None, **entry):
    with pytest.raises(error, match=match) as found:
        render_spec(tables or pair(), spec={"histograms": [entry]}, time_range=TEN_MINUTES)
    assert advice in found.value.advice


@pytest.mark.parametrize("width", [320, 1000])
def test_edges_give_the_counts_between_them(width):
    tables = {"n": series([1, 1.5, 2, 2.5, 3, 7, np.nan])}
    figure = draw(tables, histograms=[{"of": "n", "bins": [1, 2, 3, 5]}], canvas_size={"width": width})
    assert heights(figure) == ([1, 2, 3, 5], [2, 2, 1])
    axes = layout(figure)
    assert axes["xaxis"]["range"] == [1, 5]
    assert axes["yaxis"]["range"] == [0, 2.12]
    assert (axes["xaxis"]["title"]["text"], axes["yaxis"]["title"]["text"]) == (
        "n [cm⁻³]",
        "number of records",
    )
    assert "panel 1: 3 bins from 1 to 5 cm^-3" in figure.notes
    assert "panel 1: n 5 of 7 records; left out: 1 without a usable value, 1 outside the bins" in figure.notes


def test_a_number_gives_even_bins_from_the_lowest_to_the_highest_value():
    figure = draw({"n": series([0, 1, 2, 3, 4])}, histograms=[{"of": ["n"], "bins": 2}])
    assert heights(figure) == ([0, 2, 4], [2, 3])
    assert "panel 1: 2 bins of 2 cm^-3 from 0 to 4 cm^-3" in figure.notes


@pytest.mark.parametrize("spread", [1e-12, 0.3, 25.0, 4e7])
def test_the_rule_gives_round_bins_that_hold_every_value(spread):
    values = 3 * spread + spread * np.random.default_rng(3).normal(size=3000)
    edges = bin_edges_of(values, None)
    width = edges[1] - edges[0]
    assert np.diff(edges) == pytest.approx(width)
    assert float(f"{width:.6e}"[:8]) in (1, 2, 5)
    assert edges / width == pytest.approx((edges / width).round())
    assert edges[0] <= values.min() < edges[1]
    assert edges[-2] < values.max() <= edges[-1]
    assert 10 <= edges.size - 1 <= 100
    assert np.histogram(values, edges)[0].sum() == 3000


@pytest.mark.parametrize(
    ("values", "width", "edges", "bars"),
    [
        ([300, 319, 320, 340, 341, 399], 20, [300, 320, 340, 360, 380, 400], [2, 1, 2, 0, 1]),
        ([300, 340], 20, [300, 320, 340, 360], [1, 0, 1]),
        ([-1.5, -0.5, 0.0, 0.2], 0.5, [-1.5, -1, -0.5, 0, 0.5], [1, 0, 1, 2]),
        ([0.1, 0.2, 0.3, 0.6, 0.7], 0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [1, 1, 1, 0, 0, 1, 1]),
        ([5, 5], 20, [0, 20], [2]),
    ],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_width_gives_edges_at_its_multiples_and_an_edge_belongs_to_the_bin_above(
    values, width, edges, bars, kind
):
    figure = draw({"n": series(np.array(values, kind))}, histograms=[{"of": "n", "bin_width": width}])
    drawn = heights(figure)
    assert drawn[0] == pytest.approx(edges)
    assert drawn[1] == bars
    assert f"panel 1: {len(bars)} bin{'s' * (len(bars) > 1)} of {width:g} cm^-3" in " ".join(figure.notes)


def test_a_width_is_that_of_all_quantities_and_of_a_density():
    tables = {"V": series([300, 310, 330, 420], "V", "km/s"), "W": series([310, 500], "V", "km/s", 3)}
    figure = draw(tables, histograms=[{"of": ["V", "W"], "bin_width": 100, "show": "density"}])
    assert heights(figure) == ([300, 400, 500, 600], pytest.approx([0.0075, 0.0025, 0]))
    assert heights(figure, "p1-2")[1] == pytest.approx([0.005, 0, 0.005])


def test_a_width_has_the_bins_of_the_chosen_range_only():
    tables = {"n": series([1, 2, 3, 4, 1e6])}
    figure = draw(tables, histograms=[{"of": "n", "bin_width": 2, "x_range": [0, 10]}])
    assert heights(figure) == ([0, 2, 4, 6], [1, 2, 1])


def test_one_value_has_one_bin():
    assert heights(draw({"n": series([5, 5, 5])}, histograms=[{"of": "n"}])) == ([4.5, 5.5], [3])


def test_an_outlier_does_not_make_thousands_of_bins():
    edges = bin_edges_of(np.append(np.linspace(0, 1, 10_000), 1e6), None)
    assert edges.size <= 102


def test_a_density_has_the_area_one_and_a_unit():
    tables = {"V": series([300, 310, 330, 420], "V", "km/s"), "W": series([310, np.nan], "V", "km/s", 3)}
    entry = {"of": ["V", "W"], "bins": [300, 350, 450], "show": "density"}
    figure = draw(tables, histograms=[entry])
    assert heights(figure)[1] == pytest.approx([0.75 / 50, 0.25 / 100])
    assert heights(figure, "p1-2")[1] == pytest.approx([1 / 50, 0])
    assert layout(figure)["yaxis"]["title"]["text"] == "probability density [s/km]"


def test_several_quantities_share_bins_and_are_named_in_their_colours():
    tables = pair(y=(4, 5, 6, 7)) | {"V": series((4, 5, 6, 7), "n_a", "cm^-3")}
    figure = draw(tables, histograms=[{"of": ["n", "V"], "bins": 3}], trace_names={"V": "alphas"})
    assert heights(figure, "p1-1")[0] == heights(figure, "p1-2")[0] == [1, 3, 5, 7]
    (names,) = [text for text in texts(figure) if "span" in text]
    assert names == '<span style="color:#000000">n</span>   <span style="color:#0000ff">alphas</span>'
    assert layout(figure)["yaxis"]["range"] == pytest.approx([0, 1.16 * 3])
    assert "fill" not in named(figure, "p1-1")[0]
    assert layout(figure)["xaxis"]["title"]["text"] == "n, n<sub>a</sub> [cm⁻³]"


def test_components_have_the_colours_of_their_lines():
    field = vector()
    tables = {f"B.{name}": field.component(name) for name in field.components}
    figure = draw(tables, histograms=[{"of": list(tables)}])
    assert [trace["line"]["color"] for trace in named(figure, "p1-")] == ["#0000ff", "#008000", "#ff0000"]


def test_logarithmic_axes():
    tables = {"n": series([0.0, 1, 1, 1, 10, 100, -1])}
    figure = draw(tables, histograms=[{"of": "n", "bins": 2, "log_x": True, "log_y": True}])
    edges, bars = heights(figure)
    assert edges == pytest.approx([1, 10, 100])
    assert bars == [3, 2]
    assert [layout(figure)[axis]["type"] for axis in ("xaxis", "yaxis")] == ["log", "log"]
    assert layout(figure)["yaxis"]["range"] == pytest.approx(np.log10([1, 3 * 3**0.06]))
    assert "left out: 2 without a usable value" in figure.notes[-1]
    (trace,) = named(figure, "p1-1")
    assert min(plain(trace["y"])) > 0


def test_limits_cut_the_axis_and_choose_the_bins():
    tables = {"n": series([1, 2, 3, 4, 100])}
    figure = draw(tables, histograms=[{"of": "n", "bins": 3, "x_range": [0, 10], "y_range": [0, 5]}])
    assert heights(figure)[0] == [1, 2, 3, 4]
    assert layout(figure)["xaxis"]["range"] == [0, 10]
    assert layout(figure)["yaxis"]["range"] == [0, 5]
    assert "1 outside the bins" in figure.notes[-1]


def test_histograms_stand_beside_panels_of_two_quantities():
    spec = {
        "xy": [{"x": "n", "y": "V"}],
        "histograms": [{"of": "n", "between": ["2024-05-10T00:01", "2024-05-11"]}],
    }
    figure = draw(pair(), **spec)
    axes = layout(figure)
    assert points(figure)["x"] == [1, 2, 3, 4]
    assert axes["yaxis"]["domain"][1] == axes["yaxis2"]["domain"][1]
    assert axes["xaxis"]["domain"][1] < axes["xaxis2"]["domain"][0]
    assert "panel 2: n 3 of 3 records" in figure.notes


def test_only_the_records_of_a_time_range_are_counted():
    event = "2024-05-10T00:01 to 2024-05-11"
    given = draw(pair(), histograms=[{"of": "n", "between": [event, event]}])
    written = draw(pair(), histograms=[{"of": "n", "between": ["2024-05-10T00:01", "2024-05-11"]}])
    assert given.document == written.document


def test_other_time_bases_need_no_joining():
    tables = {"n": series([1, 2, 3]), "m": series([1, 2], "m", step=100.0)}
    assert len(named(draw(tables, histograms=[{"of": ["n", "m"]}]), "p1-")) == 2


def test_what_cannot_be_counted_is_refused():
    refuse("is in", "cannot be converted", UnitMismatch, of=["n", "V"])
    refuse(
        "quantity of panel 2 must be one series", "B.Bx", tables={"n": pair()["n"], "B": vector()}, of=["B"]
    )
    refuse("edges in bins must increase", "at least two edges", of="n", bins=[3, 2, 1])
    refuse("edges in bins must increase", "number of bins", of="n", bins=[3])
    refuse("0 bins are not possible", "1 to 500", of="n", bins=0)
    refuse("501 bins are not possible", "1 to 500", of="n", bins=501)
    refuse("both bins and bin_width", "leave one", of="n", bins=4, bin_width=1)
    refuse("bin_width of 0,", "above 0", of="n", bin_width=0)
    refuse("bin_width of -2,", "above 0", of="n", bin_width=-2)
    refuse("logarithmic x axis", "number of bins", of="n", bin_width=2, log_x=True)
    tiny = "panel 2: 3,001 bins of 0.001 cm\\^-3 from 1 to 4 are more than 500"
    refuse(tiny, "bin_width of 0.01 or more, or a shorter x_range", of="n", bin_width=0.001)
    refuse("first edge is 0", "above 0", of="n", bins=[0, 1], log_x=True)
    refuse("no value above 0", "log_x: false", tables=pair(x=(-1, -2, 0)), of="n", log_x=True)
    refuse("no label is called 'm'", "n, V", of=["m"])
    refuse("names no label", "of", of=[])
