"""Panels of superposed epochs: median, quartiles, zero epoch and number of events."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.superposed_epoch import superposed_epoch
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_json
from helio.store.table import Axis, Table
from helio.time_range import Duration
from tests.steps.render.test_render_spec import layout, traces
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.series import SOURCE, epochs, scalar

HOUR = 3600.0


def superposed(events=5, hours=6, unit="h", length=1.0, lost=(), name="Dst"):
    """Events whose value is their number times ten plus the hour; the given (event, bin) are missing."""
    edges = np.arange(-hours, hours + 1) * length
    values = np.arange(events)[:, None] * 10.0 + np.arange(2 * hours)[None, :]
    for event, column in lost:
        values[event, column] = np.nan
    axis = Axis("Time from zero epoch", unit, (edges[1:] + edges[:-1]) / 2, edges[:-1], edges[1:], "linear")
    return Table(epochs(*np.arange(events) * 86400.0), values, "nT", name, axes=(axis,), sources=(SOURCE,))


def epochs_of(table=None, **spec):
    tables = {"Dst": superposed() if table is None else table}
    return render_spec(tables, spec={"panels": [list(tables)], "panel_types": ["epochs"], **spec})


def named(figure, uid="p1-1"):
    [trace] = [trace for trace in traces(figure) if trace["uid"] == uid]
    return trace


def refuse(match, advice="", table=None, **spec):
    with pytest.raises(StepError, match=match) as refused:
        epochs_of(table, **spec)
    assert advice in refused.value.advice


@pytest.mark.parametrize("events", [2, 3, 5, 9, 40])
def test_the_line_is_the_median_and_the_band_is_between_the_quartiles(events):
    table = superposed(events)
    figure = epochs_of(table)
    low, middle, high = np.percentile(table.values, (25, 50, 75), axis=0)
    np.testing.assert_allclose(plain(named(figure)["y"]), middle)
    band = plain(named(figure, "p1-1-band")["y"])
    np.testing.assert_allclose(band, [*high, *low[::-1]])
    assert plain(named(figure)["x"]).tolist() == table.axes[0].centers.tolist()


def test_the_legend_says_how_many_events_there_are():
    assert named(epochs_of())["name"] == "median of 5 events"
    assert named(epochs_of())["showlegend"]
    assert named(epochs_of(), "p1-1-band")["name"] == "quartiles"
    lost = [(0, 3), (1, 3), (4, 7)]
    assert named(epochs_of(superposed(lost=lost)))["name"] == "median of 3–5 events"


def test_one_event_is_a_line():
    figure = epochs_of(superposed(1))
    assert plain(named(figure)["y"]).tolist() == list(range(12))
    assert not [trace for trace in traces(figure) if "band" in trace["uid"]]


def test_missing_values_are_left_out_of_each_bin_alone():
    table = superposed(3, lost=[(0, 2), (1, 2), (2, 2), (0, 5)])
    drawn = plain(named(epochs_of(table))["y"])
    assert np.isnan(drawn[2])
    assert drawn[5] == 20.0
    assert drawn[6] == 16.0


def test_the_zero_epoch_is_marked_and_the_axis_is_linear():
    axes = layout(epochs_of())
    assert axes["xaxis"]["zeroline"]
    assert axes["xaxis"]["type"] == axes["yaxis"]["type"] == "linear"
    assert axes["xaxis"]["title"]["text"] == "Time from zero epoch [h]"


@pytest.mark.parametrize(
    ("hours", "unit", "length", "step", "shown"),
    [(6, "h", 1.0, 1, "h"), (72, "h", 1.0, 12, "h"), (48, "h", 2.0, 24, "h"), (30, "min", 1.0, 5, "min"),
     (120, "h", 2.0, 2, "d"), (45, "s", 2.0, 15, "s")],
)  # fmt: skip
def test_labels_are_at_round_times(hours, unit, length, step, shown):
    axis = layout(epochs_of(superposed(hours=hours, unit=unit, length=length)))["xaxis"]
    assert axis["title"]["text"] == f"Time from zero epoch [{shown}]"
    assert (axis["tick0"], axis["dtick"]) == (0, step)


def test_long_times_are_in_days():
    figure = epochs_of(superposed(hours=240))
    assert plain(named(figure)["x"])[0] == pytest.approx(-239.5 / 24)
    part = epochs_of(superposed(hours=240), bin_range=[-2, 3])
    assert layout(part)["xaxis"]["range"] == [-2, 3]


def test_two_quantities_share_a_panel():
    tables = {"a": superposed(name="a"), "b": superposed(4, name="b")}
    figure = render_spec(tables, spec={"panels": [["a", "b"]], "panel_types": ["epochs"]})
    names = [trace["name"] for trace in traces(figure) if trace.get("showlegend")]
    assert names == ["a quartiles", "a median of 5 events", "b quartiles", "b median of 4 events"]


def test_the_result_of_superposed_epoch():
    series = scalar(np.arange(240) * HOUR, np.arange(240.0) % 24, name="Dst")
    zeros = ["2024-05-11T00:00", "2024-05-12T00:00", "2024-05-14T00:00"]
    hours = Duration("6h")
    table = superposed_epoch(series, before=hours, after=hours, bin=Duration("1h"), zero_times=zeros)
    figure = epochs_of(table)
    assert plain(named(figure)["y"]).tolist() == [18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5]
    assert named(figure)["name"] == "median of 3 events"


def test_equal_tables_give_equal_bytes():
    assert to_json(epochs_of()) == to_json(epochs_of())


def test_what_is_no_superposed_epoch():
    energy = Axis("Energy", "keV", np.array([1.0, 2.0]))
    spectrum = Table(epochs(0, 60), np.ones((2, 2)), "nT", "flux", axes=(energy,), sources=(SOURCE,))
    refuse(r"the bins of 'Dst' are Energy \[keV\], not times", "superposed_epoch", spectrum)
    refuse("'Dst' has no bins", "type 'line'", scalar([0, 60], [1, 2]))
    refuse("log_x: no panel is a spectrum", "leave log_x out", log_x=True)
    refuse("bin_range: panel 1: 'Dst' has no bin from 50 to 60 h", bin_range=[50, 60])
    refuse(
        "y axis of panel 1 is logarithmic",
        table=superposed(1, lost=[]),
        log_y={"1": True},
        y_range={"1": [0, 5]},
    )
    lost = [(event, column) for event in range(5) for column in range(12)]
    refuse("only missing values", table=superposed(lost=lost))
