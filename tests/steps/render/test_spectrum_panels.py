"""Spectra over their own axis: frequency, energy, pitch angle."""

import base64
import itertools
import json
import os
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.sources.cdf import CdfReader
from helio.sources.samples import sample_folder
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_html, to_json
from helio.store.table import Axis, Table
from helio.time_range import Duration, TimeRange
from tests.steps.render.test_render_spec import (
    DAY,
    GOLDEN,
    draw,
    layout,
    main_traces,
    refused,
    scalar,
    texts,
    traces,
)
from tests.steps.series import SOURCE, epochs, vector

WHOLE = TimeRange(datetime(1990, 1, 1), datetime(2030, 1, 1))


def psd(name="PSD B", records=1, exponent=-5 / 3, bins=40, **more):
    """Power spectra at a minute's distance, each twice the one before."""
    frequencies = np.arange(1, bins + 1) * 0.1
    values = np.outer(2.0 ** np.arange(records), frequencies**exponent)
    axis = Axis("Frequency", "Hz", frequencies)
    return Table(
        epochs(*(30 + 60.0 * np.arange(records))),
        values,
        "nT^2/Hz",
        name,
        axes=(axis,),
        scale="log",
        sources=(SOURCE,),
        **more,
    )


def plain(encoded):
    """An array as plotly reads it, be it a list or typed bytes."""
    if isinstance(encoded, dict):
        return np.frombuffer(base64.b64decode(encoded["bdata"]), encoded["dtype"])
    return np.array(encoded, dtype=float)


def curves(figure):
    return [trace for trace in main_traces(figure) if not re.search("band|slope", trace["uid"])]


def bands(figure):
    return [trace for trace in traces(figure) if trace["uid"].endswith("band")]


# --- whole figures -------------------------------------------------------------------------------------------


def test_golden_document_of_a_spectrum_below_its_series():
    spec = {
        "title": "Power",
        "slopes": [{"slope": "-5/3"}],
        "vlines": [{"x": 1.5, "panel": 2, "label": "f_ci"}],
        "hlines": [{"y": 0.1, "panel": 2, "label": "noise"}],
    }
    figure = draw({"psd": psd(bins=8), "B": vector()}, caption="power@1", **spec)
    version = render_spec.__tool__.version
    document = {"version": version, "notes": figure.notes, **figure.document}
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    path = GOLDEN / "spectrum.json"
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != known and os.environ.get("HELIO_WRITE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
        return
    assert text == known, (
        "the figure changed: if that is meant, raise render_spec's version, look at a picture, "
        "and run the test again with HELIO_WRITE_GOLDEN=1"
    )


def test_a_figure_with_a_spectrum_is_the_same_bytes_each_time_and_a_page():
    tables = {"B": vector(), "psd": psd(records=12)}
    spec = {"panels": [["B"], ["psd"]], "panel_types": ["line", "spectrum"]}
    first = draw(tables, **spec)
    assert to_json(draw(dict(reversed(tables.items())), **spec)) == to_json(first)
    assert b'"xaxis2"' in to_html(first, scripts="beside")


def test_the_footer_cites_what_a_spectrum_rests_on():
    assert "AC_H2_MFI v01 (sample)" in texts(draw({"psd": psd()}))


# --- which panels are spectra --------------------------------------------------------------------------------


def test_one_record_over_one_axis_is_a_line_over_that_axis():
    figure = draw({"psd": psd()})
    (curve,) = curves(figure)
    assert curve["x"] == pytest.approx((np.arange(1, 41) * 0.1).tolist())
    assert not traces(figure, "heatmap")
    assert (layout(figure)["xaxis"]["type"], layout(figure)["yaxis"]["type"]) == ("log", "log")
    assert layout(figure)["xaxis"]["title"]["text"] == "Frequency [Hz]"
    assert layout(figure)["yaxis"]["title"]["text"] == "PSD B [nT²/Hz]"


def test_more_records_stay_a_spectrogram_unless_asked():
    assert traces(draw({"psd": psd(records=3)}), "heatmap")
    assert len(curves(draw({"psd": psd(records=3)}, panel_types=["spectrum"]))) == 3
    assert traces(draw({"psd": psd()}, panel_types=["spectrogram"]), "heatmap")


def test_spectra_stand_below_and_share_a_panel_where_unit_and_axis_agree():
    tables = {
        "x": psd("PSD Bx"),
        "y": psd("PSD By"),
        "B": vector(),
        "E": replace(psd("PSD E"), unit="mV^2/m^2/Hz"),
    }
    figure = draw(tables)
    assert [trace["yaxis"] for trace in main_traces(figure)] == ["y"] * 3 + ["y2", "y2", "y3"]
    assert [trace["name"] for trace in curves(figure)[3:5]] == ["PSD Bx", "PSD By"]


def test_the_author_decides_the_order_where_panels_are_named():
    figure = draw({"psd": psd(), "B": vector()}, panels=[["psd"], ["B"]])
    assert layout(figure)["yaxis"]["domain"][1] == 1
    assert layout(figure)["yaxis"]["anchor"] == "x2"
    assert (layout(figure)["xaxis"]["anchor"], layout(figure)["xaxis"]["type"]) == ("y2", "date")


def test_panels_that_cannot_be_spectra_are_refused():
    types = {"panel_types": ["spectrum"]}
    refused("'n' has no bins, but the panel's type is spectrum", "'line'", {"n": scalar()}, **types)
    refused(
        "'n' has no bins",
        "the figure has the spectra psd",
        {"psd": psd(), "n": scalar()},
        panels=[["psd", "n"]],
        **types,
    )
    energies = replace(psd(), axes=(Axis("Energy", "keV", psd().axes[0].centers),))
    refused(
        r"'a' has bins of Frequency \[Hz\], but 'b' has bins of Energy \[keV\]",
        "its own panel",
        {"a": psd(), "b": energies},
        panels=[["a", "b"]],
    )
    other = replace(psd(), unit="mV^2/m^2/Hz")
    refused(
        "'a' is in nT\\^2/Hz, but 'b' is in mV",
        "convert_units",
        {"a": psd(), "b": other},
        panels=[["a", "b"]],
    )
    two = Table(
        epochs(0),
        np.ones((1, 2, 3)),
        axes=(Axis("Energy", "keV", np.array([1.0, 10.0])), Axis("Pitch angle", "deg", np.arange(3.0))),
    )
    refused("two bin axes \\(Energy and Pitch angle\\)", "band_average", {"f": two}, **types)


def test_axes_without_a_unit_agree_only_by_name():
    one, other = (replace(psd(), axes=(Axis(name, "", psd().axes[0].centers),)) for name in ("L", "MLT"))
    refused("'a' has bins of L, but 'b' has bins of MLT", "own", {"a": one, "b": other}, panels=[["a", "b"]])


# --- lines ---------------------------------------------------------------------------------------------------


def test_a_few_records_are_named_by_their_times():
    figure = draw({"psd": psd(records=3)}, panel_types=["spectrum"])
    assert [trace["name"] for trace in curves(figure)] == ["00:00:30", "00:01:30", "00:02:30"]
    assert len({trace["line"]["color"] for trace in curves(figure)}) == 3
    assert all(trace["showlegend"] for trace in curves(figure))


@pytest.mark.parametrize(
    ("moments", "names"),
    [
        (["2024-05-10T00:05", "2024-05-10T00:15"], ["00:05", "00:15"]),
        (["2024-05-10T00:05", "2024-05-11T00:05"], ["2024-05-10 00:05", "2024-05-11 00:05"]),
        (["2024-05-10", "2024-05-11"], ["2024-05-10", "2024-05-11"]),
        (["2024-05-10T00:05:01.25", "2024-05-10T00:05:01.5"], ["00:05:01.250", "00:05:01.500"]),
    ],
)
def test_times_are_as_long_as_it_takes_to_tell_them_apart(moments, names):
    table = replace(psd(records=2), epoch=np.array(moments, dtype="datetime64[ns]"))
    figure = draw({"psd": table}, panel_types=["spectrum"], time_range=None)
    assert [trace["name"] for trace in curves(figure)] == names


def test_many_records_are_their_median_with_a_band_from_quartile_to_quartile():
    figure = draw({"psd": psd(records=9)}, panel_types=["spectrum"])
    (curve,), (band,) = curves(figure), bands(figure)
    frequencies = psd().axes[0].centers
    assert curve["y"] == pytest.approx((2.0**4 * frequencies ** (-5 / 3)).tolist())
    assert (curve["name"], band["name"]) == ("median of 9", "quartiles")
    assert plain(band["y"]).max() == pytest.approx(2.0**6 * 0.1 ** (-5 / 3))
    assert (band["fill"], band["showlegend"]) == ("toself", True)
    assert figure.notes[0] == "panel 1: psd 9 spectra"


def test_a_band_is_broken_where_no_record_has_a_value():
    values = psd(records=9).values.copy()
    values[:, 20] = np.nan
    figure = draw({"psd": replace(psd(records=9), values=values)}, panel_types=["spectrum"])
    (curve,), (band,) = curves(figure), bands(figure)
    assert curve["y"][20] is None
    outline = plain(band["y"])
    assert np.isnan(outline).sum() == 1
    assert outline.size == 2 * 39 + 1


def test_a_quarter_of_records_with_no_counts_leaves_the_band_open_to_the_lowest_value():
    values = np.outer(np.array([0.0, 0, 0, 0, 4, 5, 6, 7, 8, 9]), np.array([1.0, 2, 3, 4, 5, 6, 7, 8]))
    table = replace(psd(records=10, bins=8), values=values)
    (band,) = bands(draw({"psd": table}, panel_types=["spectrum"]))
    assert plain(band["y"]).min() == pytest.approx(4.5)


def test_several_labels_of_many_records_say_which_median_is_whose():
    tables = {"a": psd("ions", records=5), "b": psd("electrons", records=5)}
    figure = draw(tables, panels=[["a", "b"]], panel_types=["spectrum"], trace_names={"b": "e⁻"})
    assert [trace["name"] for trace in curves(figure)] == ["ions median of 5", "e⁻ median of 5"]
    assert [trace["name"] for trace in bands(figure)] == ["ions quartiles", "e⁻ quartiles"]


def test_few_records_of_several_labels_are_told_apart_by_dashes():
    tables = {"a": psd("ions", records=2), "b": psd("electrons", records=2)}
    found = curves(draw(tables, panels=[["a", "b"]], panel_types=["spectrum"]))
    assert [trace["name"] for trace in found][::3] == ["ions 00:00:30", "electrons 00:01:30"]
    assert [trace["line"]["dash"] for trace in found] == ["solid", "dash"] * 2
    assert len({trace["line"]["color"] for trace in found}) == 2


def test_equal_names_are_told_apart_by_their_labels():
    found = curves(draw({"quiet": psd(), "storm": psd()}))
    assert [trace["name"] for trace in found] == ["quiet", "storm"]


def test_colours_names_and_styles_are_the_authors():
    figure = draw(
        {"psd": psd(), "other": psd("PSD V")},
        trace_colors={"psd": "crimson"},
        trace_names={"psd": "field"},
        line_styles={"psd": {"width": 3, "dash": "dot", "mode": "lines+markers"}},
    )
    curve = curves(figure)[0]
    assert (curve["name"], curve["mode"]) == ("field", "lines+markers")
    assert curve["line"] == {"color": "crimson", "width": 3.0, "dash": "dot", "simplify": False}


def test_a_missing_bin_breaks_the_line_and_a_bin_alone_is_a_marker():
    values = psd().values.copy()
    values[0, [3, 5]] = np.nan
    figure = draw({"psd": replace(psd(), values=values)})
    assert curves(figure)[0]["y"][3] is None
    (alone,) = (trace for trace in traces(figure) if trace["uid"].endswith("alone"))
    assert alone["x"] == pytest.approx([0.5])


def test_bins_are_drawn_in_order_and_those_without_a_place_are_not():
    axis = Axis("Energy", "keV", np.array([8.0, np.nan, 2.0, 0.0, 4.0]))
    table = Table(epochs(30), np.array([[80.0, 1.0, 20.0, 2.0, 40.0]]), "", "f", axes=(axis,))
    assert curves(draw({"f": table}))[0]["y"] == [20.0, 40.0, 80.0]
    assert curves(draw({"f": table}, log_x=False))[0]["x"] == [0.0, 2.0, 4.0, 8.0]
    nowhere = replace(table, axes=(replace(axis, centers=-np.arange(5.0)),))
    refused("no bin of 'f' has a position on a logarithmic axis", "log_x: false", {"f": nowhere}, log_x=True)


def test_records_without_any_value_are_left_out_and_counted():
    values = psd(records=3).values.copy()
    values[1] = np.nan
    figure = draw({"psd": replace(psd(records=3), values=values)}, panel_types=["spectrum"])
    assert [trace["name"] for trace in curves(figure)] == ["00:00:30", "00:02:30"]
    assert figure.notes[0] == "panel 1: psd 2 spectra, 1 without any value"
    empty = replace(psd(), values=np.full((1, 40), np.nan))
    refused("'psd' has only missing values", "leave", {"psd": empty})


def test_every_record_is_drawn_over_its_own_bins():
    axis = Axis("Energy", "keV", np.array([[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]]))
    table = Table(epochs(0, 60), np.ones((2, 3)), "", "f", axes=(axis,))
    found = curves(draw({"f": table}, panel_types=["spectrum"]))
    assert [trace["x"] for trace in found] == [[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]]


def test_bins_that_wander_within_their_width_are_taken_for_the_same():
    centers = np.array([1.0, 2.0, 4.0]) * np.where(np.arange(10) % 2, 1.1, 1.0)[:, None]
    table = Table(epochs(*np.arange(10) * 60.0), np.ones((10, 3)), "", "f", axes=(Axis("E", "keV", centers),))
    (curve,) = curves(draw({"f": table}, panel_types=["spectrum"]))
    assert curve["x"] == pytest.approx([1.05, 2.1, 4.2])


def test_no_median_mixes_different_energies():
    # every other record has energies ten times as high, and values ten times as small
    odd = (np.arange(10) % 2)[:, None]
    centers = np.array([1.0, 2.0, 4.0]) * np.where(odd, 10.0, 1.0)
    values = np.ones((10, 3)) * np.where(odd, 10.0, 100.0)
    table = Table(epochs(*np.arange(10) * 60.0), values, "", "f", axes=(Axis("E", "keV", centers),))
    (curve,) = curves(draw({"f": table}, panel_types=["spectrum"]))
    found = {y for x, y in zip(curve["x"], curve["y"], strict=True) if x < 5 and y is not None}
    assert found == {100.0}
    assert {y for x, y in zip(curve["x"], curve["y"], strict=True) if x > 8 and y is not None} == {10.0}


def test_a_fine_spectrum_is_thinned_to_its_envelope_and_keeps_its_tone():
    bins = 200_000
    table = psd(bins=bins)
    values = table.values.copy()
    values[0, 123_456] = 1e6
    values[0, 150_000:150_010] = np.nan
    (curve,) = curves(draw({"psd": replace(table, values=values)}))
    y = plain(curve["y"])
    assert y.size < 4_000
    assert np.nanmax(y) == 1e6
    assert np.isnan(y).sum() == 1


def test_densities_too_small_for_single_precision_are_drawn():
    tiny = replace(psd(), values=psd().values * np.geomspace(1, 1e-60, 40))
    assert min(curves(draw({"psd": tiny}))[0]["y"]) > 0


# --- axes ----------------------------------------------------------------------------------------------------


def test_time_panels_keep_one_axis_and_each_spectrum_has_its_own_below_it():
    figure = draw({"B": vector(), "n": scalar(), "a": psd(), "b": replace(psd(), unit="")})
    found = layout(figure)
    assert found["xaxis"]["anchor"] == "y2"
    assert [found[axis]["anchor"] for axis in ("xaxis2", "xaxis3")] == ["y3", "y4"]
    assert [found[f"yaxis{number}"]["anchor"] for number in ("", 2, 3, 4)] == ["x", "x", "x2", "x3"]
    assert {trace.get("xaxis", "x") for trace in main_traces(figure)} == {"x", "x2", "x3"}


def test_there_is_room_for_the_axes_between_panels():
    figure = draw({"B": vector(), "n": scalar(), "a": psd(), "b": replace(psd(), unit="")})
    found = layout(figure)
    plot = found["height"] - found["margin"]["t"] - found["margin"]["b"]
    domains = [found[axis]["domain"] for axis in ("yaxis", "yaxis2", "yaxis3", "yaxis4")]
    rooms = [(upper[0] - lower[1]) * plot for upper, lower in itertools.pairwise(domains)]
    # panels of time stand close; an axis of times has two lines of labels and a title, one of bins one line
    assert rooms == pytest.approx([14, 62 + 14, 46 + 14], abs=1)


def test_scales_follow_the_table_and_the_author():
    angles = Axis("Pitch angle", "deg", np.linspace(10, 170, 9), scale="linear")
    table = Table(epochs(30), np.linspace(-1, 1, 9)[None], "", "anisotropy", axes=(angles,))
    figure = draw({"f": table})
    assert (layout(figure)["xaxis"]["type"], layout(figure)["yaxis"]["type"]) == ("linear", "linear")
    assert layout(figure)["yaxis"]["zeroline"]
    linear = layout(draw({"psd": psd()}, log_x=False, log_scale={"1": "linear"}))
    assert (linear["xaxis"]["type"], linear["yaxis"]["type"]) == ("linear", "linear")
    assert layout(draw({"psd": psd()}, log_y=False))["yaxis"]["type"] == "linear"


def test_bin_range_and_labels_are_for_all_spectra_or_by_number():
    figure = draw({"B": vector(), "psd": psd()}, bin_range={"2": [0.5, 2]}, bin_label={"2": "f [Hz]"})
    assert layout(figure)["xaxis2"]["range"] == pytest.approx(np.log10([0.5, 2]))
    assert layout(figure)["xaxis2"]["title"]["text"] == "f [Hz]"
    # one bin beyond either end, so that the line reaches the frame
    assert curves(figure)[-1]["x"][0] == pytest.approx(0.4)
    assert curves(figure)[-1]["x"][-1] == pytest.approx(2.1)
    refused("'psd' has no bin from 10 to 20 Hz", "0.1 to 4 Hz", {"psd": psd()}, bin_range=[10, 20])
    refused("bin_range of panel 1 is \\[2, 1\\]", "write both values", {"psd": psd()}, bin_range=[2, 1])
    refused("logarithmic, so it cannot start at 0", "log_x: false", {"psd": psd()}, bin_range=[0, 1])
    refused("bin_range: no panel is a spectrum", "leave", bin_range=[1, 2])
    refused("log_x: panel 1 is not a spectrum", "panel 2", {"B": vector(), "psd": psd()}, log_x={"1": True})
    refused(
        "bin_label: there is no panel 3", "1 (top) to 2", {"B": vector(), "psd": psd()}, bin_label={"3": "f"}
    )


def test_y_range_and_y_label_hold_for_spectra():
    axis = layout(draw({"psd": psd()}, y_range=[0.01, 100], y_label="power"))["yaxis"]
    assert axis["range"] == [-2, 2]
    assert axis["title"]["text"] == "power"


# --- time ----------------------------------------------------------------------------------------------------


def test_one_record_is_drawn_whatever_its_epoch_and_of_several_those_in_the_range():
    later = replace(psd(), epoch=epochs(1e6))
    assert len(curves(draw({"psd": later}))) == 1
    many = replace(psd(records=2), epoch=epochs(30, 1e6))
    figure = draw({"psd": many}, panel_types=["spectrum"])
    assert len(curves(figure)) == 1
    assert figure.notes[0] == "panel 1: psd 1 spectrum, 1 outside the time range"
    outside = replace(psd(records=2), epoch=epochs(1e6, 2e6))
    refused("'psd' has no records", "time range", {"psd": outside}, panel_types=["spectrum"])


def test_a_spectrum_does_not_stretch_the_time_axis():
    figure = draw({"n": scalar(), "psd": replace(psd(), epoch=epochs(1e6))}, time_range=None)
    assert layout(figure)["xaxis"]["range"] == ["2024-05-10T00:00", "2024-05-10T00:09"]


def test_without_a_time_range_the_title_says_the_moment_or_the_span_of_the_records():
    assert layout(draw({"psd": psd()}, time_range=None))["title"]["text"] == "2024-05-10 00:00:30 UT"
    two = draw({"psd": psd(records=2)}, time_range=None, panel_types=["spectrum"])
    assert layout(two)["title"]["text"] == "2024-05-10 00:00:30 – 00:01:30 UT"


def test_x_range_is_of_times():
    figure = draw(
        {"psd": psd(records=3)}, panel_types=["spectrum"], x_range=["2024-05-10", "2024-05-10T00:02"]
    )
    assert len(curves(figure)) == 2
    times = ["2024-05-10", "2024-05-11"]
    refused("x_range cannot be used: the figure has no time axis", "bin_range", {"psd": psd()}, x_range=times)


def test_coverage_is_of_time_panels_alone():
    figure = draw({"n": scalar(), "psd": psd()}, time_range=DAY)
    assert [note.split(":")[1][:9] for note in figure.notes] == [" coverage", " psd 1 sp"]


# --- marks ---------------------------------------------------------------------------------------------------


def test_times_are_marked_in_time_panels_alone():
    lines = [{"x": "2024-05-10T00:05", "label": "shock"}]
    figure = draw({"psd": psd(), "B": vector()}, panels=[["psd"], ["B"]], vlines=lines)
    assert [shape["yref"] for shape in layout(figure)["shapes"]] == ["y2 domain"]
    (flag,) = (note for note in layout(figure)["annotations"] if note["text"] == "shock")
    assert flag["y"] == layout(figure)["yaxis2"]["domain"][1]
    refused("no panel has a time axis", "number", {"psd": psd()}, vlines=lines)
    shaded = [{"x0": "2024-05-10", "x1": "2024-05-11"}]
    refused("vrects: entry 1: no panel has a time axis", "number", {"psd": psd()}, vrects=shaded)


def test_a_line_at_a_frequency_stands_in_its_panel():
    figure = draw({"B": vector(), "psd": psd()}, vlines=[{"x": 0.5, "panel": 2, "label": "f_ci"}])
    (shape,) = layout(figure)["shapes"]
    assert (shape["xref"], shape["yref"], shape["x0"]) == ("x2", "y2 domain", 0.5)
    (flag,) = (note for note in layout(figure)["annotations"] if note["text"] == "f_ci")
    assert flag["x"] == pytest.approx(np.log10(0.5))
    tables = {"B": vector(), "psd": psd()}
    refused("panel 1 is not a spectrum", "every panel", tables, vlines=[{"x": 0.5, "panel": 1}])
    refused("'2024-05-10' is not a position", "0.5", tables, vlines=[{"x": "2024-05-10", "panel": 2}])
    refused("x is 0, but the axis is logarithmic", "above 0", tables, vlines=[{"x": 0, "panel": 2}])


def frequency(values, unit="Hz"):
    return replace(
        scalar(), epoch=scalar().epoch[: len(values)], values=np.array(values), unit=unit, name="f"
    )


def test_a_line_may_stand_at_the_median_of_a_series():
    tables = {"B": vector(), "psd": psd(), "f": frequency([0.2, np.nan, 0.5, 0.9])}
    lines = [{"of": "f", "panel": 2, "label": "f_ci"}]
    figure = draw(tables, panels=[["B"], ["psd"]], vlines=lines)
    (shape,) = layout(figure)["shapes"]
    assert (shape["xref"], shape["x0"], shape["x1"]) == ("x2", 0.5, 0.5)
    assert "vlines: entry 1: the median of 'f', 0.5 Hz, is marked in panel 2" in figure.notes
    # A series that is only marked gets no panel of its own.
    assert layout(draw({"psd": psd(), "f": frequency([0.5])}, vlines=[{"of": "f", "panel": 1}]))["shapes"]


def test_a_remark_says_which_medians_are_beyond_the_axis_of_a_spectrum():
    lines = [{"of": "f", "panel": 1}]
    figure = draw({"psd": psd(), "f": frequency([9e5])}, panels=[["psd"]], vlines=lines)
    beyond = "is not drawn: it is beyond the x axis of panel 1, which reaches from"
    low, high = (10**end for end in layout(figure)["xaxis"]["range"])
    assert low < 0.5 < high < 9e5
    remarks = [note for note in figure.notes if note.startswith("vlines")]
    assert remarks == [
        f"vlines: entry 1: the median of 'f', 900000 Hz, {beyond} {low:.3g} to {high:.3g}",
    ]


def test_a_series_without_values_is_not_marked_and_a_remark_says_so():
    tables = {"psd": psd(), "f": frequency([np.nan, np.nan])}
    figure = draw(tables, panels=[["psd"]], vlines=[{"of": "f", "panel": 1}])
    assert "shapes" not in layout(figure) or not layout(figure)["shapes"]
    assert "vlines: entry 1: nothing is marked: 'f' has no values" in figure.notes


def test_marked_series_that_do_not_fit_are_refused():
    tables = {"psd": psd(), "B": vector(), "f": frequency([0.5]), "k": frequency([0.5], "kHz")}

    def line(**entry):
        return {"panels": [["psd"], ["B"]], "vlines": [entry]}

    refused(
        "no label is called 'g'", "choose one of the labels: psd, B, f, k", tables, **line(of="g", panel=1)
    )
    refused(
        "'k' is in kHz, but the x axis of panel 1 is in Hz", "convert_units", tables, **line(of="k", panel=1)
    )
    refused("'B' is a vector", "single series", tables, **line(of="B", panel=1))
    refused("has no panel", "add panel", tables, **line(of="f"))
    refused("panel 2 is not a spectrum", "every panel", tables, **line(of="f", panel=2))
    refused("has both x and of", "leave one", tables, **line(of="f", x=1, panel=1))


def test_labels_of_lines_that_are_near_stand_in_rows():
    lines = [{"x": x, "panel": 1, "label": f"f of {x}"} for x in (0.5, 0.51, 5.0)]
    figure = draw({"psd": psd()}, vlines=lines)
    rows = {
        note["text"]: note.get("yshift", 0)
        for note in layout(figure)["annotations"]
        if note["text"][:1] == "f"
    }
    assert rows["f of 0.5"] == 0
    assert rows["f of 0.51"] < 0
    assert rows["f of 5.0"] == 0


def test_thresholds_cross_a_spectrum_panel_and_texts_at_times_do_not():
    figure = draw({"B": vector(), "psd": psd()}, hlines=[{"y": 1, "panel": 2}])
    assert layout(figure)["shapes"][0]["xref"] == "x2 domain"
    note = {"text": "here", "x": "2024-05-10T00:05", "y": 1, "panel": 2}
    refused("panel 2 has no time axis", "fraction", {"B": vector(), "psd": psd()}, annotations=[note])


def test_a_slope_is_a_power_law_clear_above_the_spectrum():
    figure = draw(
        {"B": vector(), "psd": psd()}, slopes=[{"slope": "-5/3"}, {"slope": -2.8, "x0": 1, "x1": 2}]
    )
    guides = [trace for trace in traces(figure) if "slope" in trace["uid"]]
    (x0, x1), (y0, y1) = guides[0]["x"], guides[0]["y"]
    assert np.log(y1 / y0) / np.log(x1 / x0) == pytest.approx(-5 / 3)
    # the spectrum is f^-5/3 itself, and the guide stands at twice its value
    assert y0 == pytest.approx(2 * x0 ** (-5 / 3))
    assert guides[1]["x"] == [1, 2]
    assert {"−5/3", "−2.8"} <= set(texts(figure))
    assert not any(guide["showlegend"] for guide in guides)


def test_slopes_alone_are_enough_and_stand_side_by_side():
    figure = draw({"psd": psd()}, slopes=["-5/3", -2.8])
    assert {"−5/3", "−2.8"} <= set(texts(figure))
    first, second = (trace["x"] for trace in traces(figure) if "slope" in trace["uid"])
    assert first[1] < second[0]


def test_a_slope_starts_where_it_is_put():
    figure = draw({"psd": psd()}, slopes=[{"slope": -1, "x0": 0.2, "y": 7, "label": "1/f", "color": "teal"}])
    (guide,) = (trace for trace in traces(figure) if "slope" in trace["uid"])
    assert (guide["x"][0], guide["y"][0], guide["line"]["color"]) == (0.2, 7, "teal")
    assert "1/f" in texts(figure)
    # a decade long, as far as the axis reaches
    assert guide["x"][1] == pytest.approx(2)
    late = draw({"psd": psd()}, slopes=[{"slope": -1, "x0": 3}])
    assert [trace["x"][1] < 4.5 for trace in traces(late) if "slope" in trace["uid"]] == [True]


def test_slopes_that_cannot_be_are_refused():
    one = {"psd": psd()}
    refused("slopes: entry 1: no panel is a spectrum", "panel_types", slopes=[{"slope": -1}])
    refused(
        "entry 1: panel 2 is not a spectrum",
        "choose a spectrum panel: 1",
        one,
        slopes=[{"slope": -1, "panel": 2}],
    )
    refused("'steep' is not a slope", "-5/3", one, slopes=[{"slope": "steep"}])
    refused("'flat' is not a slope", "-5/3", one, slopes=["flat"])
    refused("'1/0' is not a slope", "-5/3", one, slopes=[{"slope": "1/0"}])
    refused("entry 1 has no slope", "-5/3", one, slopes=[{"x0": 1}])
    refused(
        "x0 is 2, but must be below x1, which is 1",
        "exchange x0 and x1",
        one,
        slopes=[{"slope": -1, "x0": 2, "x1": 1}],
    )
    refused("entry 1: 900 is not on the axis", "from 0.09", one, slopes=[{"slope": -1, "x0": 900}])
    refused("x0 is 0, but the axis is logarithmic", "above 0", one, slopes=[{"slope": -1, "x0": 0}])
    refused("does not have two logarithmic axes", "log_x", one, slopes=[{"slope": -1}], log_x=False)
    refused("'bluu' is not a colour", "'blue'", one, slopes=[{"slope": -1, "color": "bluu"}])


# --- real data -----------------------------------------------------------------------------------------------


def test_hope_electrons_of_two_modes_have_one_median():
    with CdfReader() as reader:
        file = next(sample_folder().glob("rbspa_rel04_ect-hope*"))
        flux = reader.read(file, ["FEDO"], WHOLE)["FEDO"]
    assert len(np.unique(flux.axes[0].centers, axis=0)) == 2
    figure = draw({"e": flux}, panel_types=["spectrum"], time_range=None)
    (curve,) = curves(figure)
    assert curve["name"] == "median of 100"
    assert layout(figure)["xaxis"]["title"]["text"] == "Electron Energy [eV]"


def test_the_spectrum_of_a_magnetopause_falls_over_seven_decades():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    name = "mms1_fgm_b_gse_brst_l2"
    with CdfReader() as reader:
        file = next((Path(folder) / "mms").glob("mms1_fgm_brst_l2_*.cdf"))
        field = reader.read(file, [name], WHOLE)[name]
    power = power_spectrum(field.component(field.components[3]), window=Duration("16s"))
    figure = draw({"B": field, "power": power}, time_range=None, slopes=[{"slope": "-5/3"}])
    low, high = layout(figure)["xaxis2"]["range"]
    assert (10**low, 10**high) == pytest.approx((1 / 16, 64), rel=0.15)
    (curve,) = curves(figure)[-1:]
    y = plain(curve["y"])
    assert 1e7 < y.max() / y.min() < 1e10
