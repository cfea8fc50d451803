"""Shaded intervals of events: where they are, which names and colours they have, and what is refused."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from helio.errors import StepError
from helio.pipelines.plan import check
from helio.pipelines.template.figures import complete_labels, without_labels
from helio.steps.compute.solar_flares import solar_flares
from helio.steps.compute.storm_phases import storm_phases
from helio.steps.render.render_spec import render_spec
from helio.store.no_values import no_values_note
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.pipelines.conftest import NOW, fetch, template
from tests.steps.render.test_render_spec import draw, layout, scalar, texts, vector, wide_spectrum
from tests.steps.series import epochs

TWO_DAYS = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 12))
HOUR = 3600.0


def hourly(name, unit, values, first=0.0, **more):
    values = np.asarray(values, float)
    return Table(epochs(*(np.arange(len(values)) * HOUR + first)), values, unit, name, **more)


DST = hourly("Dst", "nT", [5, -10, -60, -110, -70, -30, -12, 0, -5, -55, -20, -5, 0])
STORMS, MINIMA, PHASE = (storm_phases(DST, give=give) for give in ("durations", "minimum", "phase"))
TABLES = {"Dst": DST, "storms": STORMS, "minima": MINIMA, "phase": PHASE}


def shaded(figure, axis="y domain"):
    """Return the start, the end and the colour of each rectangle in a panel."""
    return [
        (shape["x0"][11:16], shape["x1"][11:16], shape["fillcolor"])
        for shape in layout(figure)["shapes"]
        if shape["type"] == "rect" and shape["yref"] == axis
    ]


def storms(tables=None, **entry):
    entry = {"of": "storms", **entry}
    return draw(TABLES | (tables or {}), TWO_DAYS, panels=[["Dst"]], events=[entry])


def refused(match, advice, tables=None, **entry):
    with pytest.raises(StepError, match=match) as found:
        storms(tables, **entry)
    assert advice in found.value.advice


def test_durations_reach_from_before_their_epoch_to_after_it():
    figure = storms(label="storm")
    assert shaded(figure) == [("01:00", "06:00", "lightskyblue"), ("08:00", "11:00", "lightskyblue")]
    assert [text for text in texts(figure) if text == "storm"] == ["storm"] * 2
    assert "events: entry 1: 2 intervals of storms shaded" in figure.notes


def test_one_column_is_a_length_from_the_epoch():
    lengths = hourly("length", "min", [30, np.nan, 90])
    figure = draw({"Dst": DST, "e": lengths}, TWO_DAYS, panels=[["Dst"]], events=[{"of": "e"}])
    assert shaded(figure) == [("00:00", "00:30", "lightskyblue"), ("02:00", "03:30", "lightskyblue")]
    assert "events: entry 1: 2 intervals of e shaded; of 1 one end is not known" in figure.notes


def test_levels_name_and_colour_each_event():
    figure = storms(by="minima", levels="storms", label="storm")
    assert [colour for _, _, colour in shaded(figure)] == ["#e00000", "#e69f00"]
    assert [text for text in texts(figure) if text.endswith("storm")] == ["intense storm", "moderate storm"]


def test_flares_are_named_by_their_class():
    minutes = np.arange(60.0)
    values = 2e-6 + 5.2e-5 * np.where(
        minutes < 20, 0, np.where(minutes < 30, (minutes - 20) / 9, np.exp((29 - minutes) / 5))
    )
    flux = Table(epochs(*(minutes * 60)), values, "W/m^2", "X-rays")
    tables = {"X": flux, "d": solar_flares(flux, give="durations"), "p": solar_flares(flux)}
    span = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 1))
    figure = draw(tables, span, panels=[["X"]], events=[{"of": "d", "by": "p", "levels": "flares"}])
    [(start, end, colour)] = shaded(figure)
    peak = str(tables["p"].epoch[0])[11:16]
    rise, decay = (np.timedelta64(int(length), "m") for length in tables["d"].values[0])
    assert (start, end) == tuple(str(tables["p"].epoch[0] + shift)[11:16] for shift in (-rise, decay))
    assert (peak, colour) == ("00:29", "#f46d00")
    assert "M5.4" in texts(figure)


def test_a_series_of_whole_numbers_shades_its_values():
    figure = draw(TABLES, TWO_DAYS, panels=[["Dst"]], events=[{"of": "phase"}])
    assert [ends[:2] for ends in shaded(figure)] == [
        ("01:00", "03:00"),
        ("03:00", "06:00"),
        ("08:00", "09:00"),
        ("09:00", "11:00"),
    ]
    main = draw(TABLES, TWO_DAYS, panels=[["Dst"]], events=[{"of": "phase", "names": {"1": "main phase"}}])
    assert len(shaded(main)) == 2
    assert texts(main).count("main phase") == 2
    assert {colour for _, _, colour in shaded(main)} == {"#e69f00"}


def test_a_flag_that_has_gaps_is_not_shaded_over_them():
    flag = replace(hourly("flag", "", [1, 1, np.nan, 1]), epoch=epochs(0, HOUR, 2 * HOUR, 9 * HOUR))
    figure = draw({"Dst": DST, "flag": flag}, TWO_DAYS, panels=[["Dst"]], events=[{"of": "flag"}])
    assert [ends[:2] for ends in shaded(figure)] == [("00:00", "02:00"), ("09:00", "10:00")]


def test_every_panel_over_time_is_shaded_and_the_table_has_no_panel():
    figure = draw({**TABLES, "n": scalar()}, TWO_DAYS, labels=["Dst", "n"], events=[{"of": "storms"}])
    assert shaded(figure) == shaded(figure, "y2 domain") != []
    assert not any("no panel" in note for note in figure.notes)
    alone = draw({"Dst": DST, "storms": STORMS}, TWO_DAYS, events=[{"of": "storms"}])
    assert "yaxis2" not in layout(alone)


def test_events_outside_the_time_range_are_cut_or_left_out():
    part = TimeRange(datetime(2024, 5, 10, 5), datetime(2024, 5, 10, 7))
    figure = draw(TABLES, part, panels=[["Dst"]], events=[{"of": "storms", "label": "storm"}])
    assert [ends[:2] for ends in shaded(figure)] == [("05:00", "06:00")]
    assert "events: entry 1: 1 interval of storms shaded" in figure.notes


def test_only_the_strongest_of_many_events_have_a_name():
    lengths = hourly("length", "min", np.arange(1, 31))
    figure = draw(
        {"Dst": DST, "e": lengths}, TWO_DAYS, panels=[["Dst"]], events=[{"of": "e", "label": "gap"}]
    )
    assert texts(figure).count("gap") == 12
    assert len(shaded(figure)) == 30
    assert "events: entry 1: only the 12 strongest intervals have their name" in figure.notes


def test_no_event_shades_nothing():
    none = storm_phases(hourly("Dst", "nT", [5, 0, -5]), give="durations")
    assert shaded(storms({"storms": none})) == []
    absent = Table(DST.epoch[:0], np.zeros(0), notes=(no_values_note("fetch failed: nothing there"),))
    figure = storms({"storms": absent})
    assert "events: entry 1: nothing is shaded: fetch failed: nothing there" in figure.notes


@pytest.mark.parametrize(
    ("match", "advice", "entry"),
    [
        ("no label is called 'storm'", "did you mean 'storms'", {"of": "storm"}),
        ("entry 1 has by, but no levels", '"levels": "flares"', {"by": "minima"}),
        ("entry 1 has levels, but no by", '"by": "peaks"', {"levels": "storms"}),
        ("'Dst' is not a table of events: it has values in nT", "give: durations", {"of": "Dst"}),
        ("'B' is not a table of intervals", "give: durations", {"of": "B"}),
        ("the levels are for the X-ray flux", "", {"by": "minima", "levels": "flares"}),
        (
            "'Dst' does not have one value for each event of 'storms'",
            "same tool",
            {"by": "Dst", "levels": "storms"},
        ),
        ("names are for the values of a series", "write label", {"names": {"1": "a"}}),
        (
            "'main' in names is not a whole number",
            '"1": "main phase"',
            {"of": "phase", "names": {"main": "x"}},
        ),
        (
            "'by' needs one record for each event",
            "names",
            {"of": "phase", "by": "minima", "levels": "storms"},
        ),
        ("opacity 3 is not allowed", "0 to 1", {"opacity": 3}),
        ("'blu'", "", {"color": "blu"}),
    ],
)
def test_what_is_no_event_is_refused(match, advice, entry):
    refused(match, advice, {"B": vector()}, **entry)


def test_too_many_events_are_refused():
    many = Table(epochs(*(np.arange(600) * 60.0)), np.ones(600), "s", "length")
    refused("600 intervals in the time range, more than 500", "higher threshold", {"storms": many})


def test_each_time_of_a_table_is_marked_by_a_line_without_a_panel():
    lines = [{"of": "storms", "label": "storm", "color": "black"}, {"x": "2024-05-10T03:00"}]
    figure = draw(TABLES, TWO_DAYS, panels=[["Dst"]], vlines=lines)
    drawn = [shape for shape in layout(figure)["shapes"] if shape["type"] == "line"]
    epochs_of_storms = [str(epoch)[11:16] for epoch in STORMS.epoch]
    assert [shape["x0"][11:16] for shape in drawn if "x0" in shape][:3] == [*epochs_of_storms, "03:00"]
    assert texts(figure).count("storm") == len(STORMS)
    assert f"vlines: entry 1: {len(STORMS)} times of storms marked" in figure.notes


def test_times_outside_the_range_are_not_marked_and_too_many_are_refused():
    later = hourly("times", "s", [0.0, 0.0], first=30 * 86400.0)
    figure = draw(TABLES | {"later": later}, TWO_DAYS, panels=[["Dst"]], vlines=[{"of": "later"}])
    assert "vlines: entry 1: 0 times of later marked" in figure.notes
    many = Table(epochs(*(np.arange(501) * 60.0)), np.zeros(501), "s", "times")
    with pytest.raises(StepError, match="'many' has 501 times in the time range, more than 500"):
        draw(TABLES | {"many": many}, TWO_DAYS, panels=[["Dst"]], vlines=[{"of": "many"}])
    with pytest.raises(StepError, match="'Dst' is not a table of times"):
        draw(TABLES, TWO_DAYS, panels=[["Dst"]], vlines=[{"of": "Dst"}])


def test_a_figure_without_a_time_axis_has_no_events():
    tables = {"x": scalar("x"), "y": scalar("y"), "storms": STORMS}
    with pytest.raises(StepError, match="no panel has a time axis"):
        render_spec(
            tables, spec={"xy": [{"x": "x", "y": "y"}], "events": [{"of": "storms"}]}, time_range=TWO_DAYS
        )


def test_a_template_reads_the_tables_of_its_events():
    spec = {"panels": [["Dst"]], "events": [{"of": "storms", "by": "minima", "levels": "storms"}]}
    assert complete_labels({"labels": [], **spec}) == ["Dst", "storms", "minima"]
    lost = without_labels({"labels": ["Dst", "storms", "minima"], **spec}, ["minima"])
    assert (lost["labels"], lost["events"]) == (["Dst", "storms"], [])
    spec = {"panels": [["psd"]], "vlines": [{"of": "f_ci", "panel": 1}, {"x": 0.5, "panel": 1}]}
    assert complete_labels({"labels": [], **spec}) == ["psd", "f_ci"]
    assert without_labels({"labels": ["psd", "f_ci"], **spec}, ["f_ci"])["vlines"] == [{"x": 0.5, "panel": 1}]
    figure = {
        "step_id": 2,
        "tool_name": "render_spec",
        "tool_args": {"spec": {"labels": ["B"], "events": [{"off": "B"}]}},
    }
    messages = [error.message for error in check(template(fetch(), figure), now=NOW).errors]
    assert any("off" in message for message in messages)


def names_of(figure):
    return [
        text for text in layout(figure)["annotations"] if text["text"].endswith(("storm", "gap", "phase"))
    ]


def test_names_are_above_the_panel_and_do_not_overlap():
    spec = {"panels": [["Dst"]], "canvas_size": {"width": 340}}
    plain = draw(TABLES, TWO_DAYS, **spec)
    entry = {"of": "storms", "by": "minima", "levels": "storms", "label": "very long storm"}
    figure = draw(TABLES, TWO_DAYS, **spec, events=[entry])
    first, second = names_of(figure)
    assert {(text["yref"], text["y"], text["yanchor"]) for text in (first, second)} == {
        ("paper", 1, "bottom")
    }
    assert (first["yshift"], second["yshift"]) == (
        1,
        pytest.approx(1 + 1.25 * first["font"]["size"], abs=0.1),
    )
    rise = layout(figure)["margin"]["t"] - layout(plain)["margin"]["t"]
    assert rise >= second["yshift"] + first["font"]["size"]
    title = layout(figure)["title"]["pad"]["b"] - layout(plain)["title"]["pad"]["b"]
    assert title == rise, "the title is above the names"


def test_names_stay_beside_the_edges_and_those_without_room_are_counted():
    lengths = hourly("length", "min", [30.0] * 12)
    span = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 20))
    entry = {"of": "e", "label": "a rather long name of a gap"}
    figure = draw({"Dst": DST, "e": lengths}, span, panels=[["Dst"]], events=[entry])
    names = names_of(figure)
    assert len(names) == 4
    assert all(name["x"] > "2024-05-10T18" for name in names), "the whole name is beside the edge"
    assert "events: no room above the panels for 8 names" in figure.notes


def test_names_of_columns_are_above_each_column_and_below_its_title():
    spec = {"panels": [["Dst"], ["Dst"]], "columns": 2, "column_titles": ["A", "B"]}
    figure = draw(TABLES, TWO_DAYS, **spec, events=[{"of": "storms", "label": "storm"}])
    assert sorted({name["xref"] for name in names_of(figure)}) == ["x", "x2"]
    highest = max(name["yshift"] + name["font"]["size"] for name in names_of(figure))
    titles = [text for text in layout(figure)["annotations"] if text["text"] in ("<b>A</b>", "<b>B</b>")]
    assert len(titles) == 2
    assert all(title["yshift"] >= highest for title in titles)


def test_names_stay_in_the_panel_if_a_spectrum_is_above_it():
    tables = {**TABLES, "flux": wide_spectrum(3)}
    spec = {"panels": [["flux"], ["Dst"]], "panel_types": ["spectrum", "line"]}
    figure = draw(tables, TWO_DAYS, **spec, events=[{"of": "storms", "label": "storm"}])
    assert all(name["yanchor"] == "top" and name["y"] < 1 for name in names_of(figure))
