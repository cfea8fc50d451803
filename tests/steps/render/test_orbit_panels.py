"""Panels of orbits about the Earth and the Sun."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.knowledge.magnetosphere import bow_shock, bow_shock_standoff, magnetopause, shue_parameters
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_json
from helio.store.table import Table
from tests.steps.render.test_empty_panels import unknown, without_values
from tests.steps.render.test_render_spec import layout, texts, traces
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.series import SOURCE, epochs, scalar


def position(frame="GSE", unit="R_E", scale=1.0, count=241, step=360.0):
    """An ellipse of a day about the Earth: x from -4 to 12, y from -7 to 7, z a tenth of x."""
    angle = np.linspace(0, 2 * np.pi, count)
    values = np.column_stack([4 + 8 * np.cos(angle), 7 * np.sin(angle), 0.4 + 0.8 * np.cos(angle)]) * scale
    return Table(
        epochs(*np.arange(count) * step), values, unit, "position", frame, ("X", "Y", "Z"), sources=(SOURCE,)
    )


def draw(tables, **spec):
    return render_spec(tables, spec=spec)


def orbit(tables=None, spec=None, **entry):
    return draw(tables or {"P": position()}, orbits=[{"of": "P", **entry}], **(spec or {}))


ABSENT = (without_values, lambda table: table.take(slice(0, 0)), lambda table: unknown())


def trace(figure, part):
    """The trace whose uid ends so, with its points as lists."""
    [found] = [trace for trace in traces(figure) if trace["uid"].endswith(part)]
    return found | {axis: plain(found[axis]) for axis in "xy"}


def uids(figure):
    return [trace["uid"] for trace in traces(figure)]


def refuse(match, advice="", error=StepError, tables=None, **entry):
    with pytest.raises(error, match=match) as refused:
        render_spec(tables or {"P": position()}, spec={"orbits": [{"of": "P", **entry}]})
    assert advice in refused.value.advice


# --- models --------------------------------------------------------------------------------------------------


def test_the_magnetopause_of_the_paper():
    """Shue et al. (1998), eqs. 10 and 11, for 2 nPa and B_z = 0."""
    standoff, flaring = shue_parameters(2.0, 0.0)
    assert standoff == pytest.approx((10.22 + 1.29 * np.tanh(0.184 * 8.14)) * 2 ** (-1 / 6.6))
    assert flaring == pytest.approx(0.58 * (1 + 0.024 * np.log(2)))
    x, rho = magnetopause(2.0, 0.0)
    assert (x[0], rho[0]) == (standoff, 0)
    assert np.interp(0, x[::-1], rho[::-1]) == pytest.approx(standoff * 2**flaring, rel=1e-4)
    radius, angle = np.hypot(x, rho), np.arctan2(rho, x)
    np.testing.assert_allclose(radius, standoff * (2 / (1 + np.cos(angle))) ** flaring)
    assert x.min() >= -40


def test_the_bow_shock_is_a_conic_section_before_the_magnetopause():
    x, rho = bow_shock(2.0, 0.0, 6.0)
    standoff = shue_parameters(2.0, 0.0)[0]
    assert x[0] == pytest.approx(standoff * (1 + 1.1 * (2 / 3 * 36 + 2) / (8 / 3 * 35)))
    radius = np.hypot(x, rho)
    np.testing.assert_allclose(radius + 0.81 * x, 1.81 * x[0])
    inner, inner_rho = magnetopause(2.0, 0.0)
    day = inner > -10
    assert (np.interp(inner[day], x[::-1], rho[::-1]) > inner_rho[day]).all()
    assert bow_shock_standoff(10.0, 3.0) > bow_shock_standoff(10.0, 8.0)


# --- the drawing ---------------------------------------------------------------------------------------------


def test_an_orbit_about_the_earth():
    figure = orbit()
    axes = layout(figure)
    assert axes["xaxis"]["title"]["text"] == "X GSE [R<sub>E</sub>]"
    assert axes["yaxis"]["title"]["text"] == "Y GSE [R<sub>E</sub>]"
    assert axes["yaxis"]["scaleanchor"] == "x"
    assert uids(figure)[:4] == ["p1-magnetopause", "p1-bow_shock", "p1-body", "p1-night"]
    track = trace(figure, "p1-1")
    assert (track["x"][0], track["y"][0]) == (12, 0)
    assert "start, end" in texts(figure)
    part = orbit(between=["2024-05-10T06:00", "2024-05-10T12:00"])
    assert {"start", "end"} <= set(texts(part))
    assert len(trace(figure, "times")["x"]) >= 3


@pytest.mark.parametrize(
    ("plane", "sun", "turned"),
    [
        ("xy", "left", (True, True)),
        ("xy", "right", (False, False)),
        ("xz", "left", (True, False)),
        ("xz", "right", (False, False)),
        ("yz", "left", (False, False)),
    ],
)
def test_the_sun_is_at_its_side_and_the_view_is_right_handed(plane, sun, turned):
    figure = orbit(plane=plane, sun=sun)
    axes = layout(figure)
    for axis, reverse in zip(("xaxis", "yaxis"), turned, strict=True):
        first, last = axes[axis]["range"]
        assert (first > last) == reverse
    names = [axes[axis]["title"]["text"][0] for axis in ("xaxis", "yaxis")]
    assert "".join(names).lower() == plane


def test_the_night_side_of_the_earth_is_dark():
    figure = orbit()
    night, body = trace(figure, "night"), trace(figure, "body")
    assert max(night["x"]) == pytest.approx(0, abs=1e-9)
    assert min(night["x"]) == pytest.approx(-1, rel=1e-3)
    assert max(body["x"]) == pytest.approx(1, rel=1e-3)
    assert (night["fillcolor"], body["fillcolor"]) == ("#000000", "#ffffff")
    assert "p1-night" not in uids(orbit(plane="yz"))


def test_axes_are_equally_long_and_show_the_noses_of_the_models():
    axes = layout(orbit())
    (left, right), (low, high) = (sorted(axes[axis]["range"]) for axis in ("xaxis", "yaxis"))
    assert right - left == pytest.approx(high - low)
    assert right > bow_shock_standoff(shue_parameters(2.0, 0.0)[0], 6.0)
    near = layout(orbit({"P": position(scale=0.2)}))
    assert max(near["xaxis"]["range"]) < 4
    assert not [uid for uid in uids(orbit({"P": position(scale=0.2)})) if "magneto" in uid or "bow" in uid]


@pytest.mark.parametrize(("unit", "factor"), [("R_E", 1.0), ("km", 6371.2), ("m", 6.3712e6)])
def test_positions_in_any_unit_of_length(unit, factor):
    track = trace(orbit({"P": position(unit=unit, scale=factor)}), "p1-1")
    assert track["x"][0] == pytest.approx(12, rel=2e-3)
    km = orbit({"P": position(unit=unit, scale=factor)}, unit="km")
    assert trace(km, "p1-1")["x"][0] == pytest.approx(12 * 6371, rel=2e-3)
    assert max(trace(km, "magnetopause")["x"]) == pytest.approx(10.25 * 6371, rel=2e-3)
    assert layout(km)["xaxis"]["title"]["text"] == "X GSE [km]"


def test_the_models_state_their_parameters_and_noses():
    figure = orbit(pressure=4, bz=-5, mach=8)
    [note] = [note for note in figure.notes if "magnetopause" in note]
    assert note == "panel 1: magnetopause, Shue et al. 1998: 4 nPa, B_z −5 nT; nose at 8.8 R_E"
    assert any("Farris and Russell 1994: M 8" in note for note in figure.notes)
    plain = orbit(magnetopause=False, bow_shock=False)
    assert not [note for note in plain.notes if "nPa" in note]
    assert "p1-magnetopause" not in uids(plain)


def test_an_orbit_about_the_sun():
    table = position("HCI", "AU", 0.05)
    figure = orbit({"P": table})
    assert layout(figure)["xaxis"]["title"]["text"] == "X HCI [AU]"
    assert uids(figure)[0] == "p1-body"
    assert trace(figure, "body")["fillcolor"] == "#ffd700"
    first, last = layout(figure)["xaxis"]["range"]
    assert first < last


def test_a_frame_without_the_sun_on_an_axis_has_no_night_and_no_models():
    assert uids(orbit({"P": position("GEO")}))[:2] == ["p1-body", "p1-1-line1"]


def test_colours_by_time_or_by_a_quantity():
    figure = orbit(color_by="time")
    assert trace(figure, "bar")["marker"]["colorbar"]["ticktext"]
    field = scalar(np.arange(241) * 360.0, np.linspace(1, 100, 241), name="B")
    figure = orbit({"P": position(), "B": field}, color_by="B")
    assert "B [nT]" in texts(figure)


def test_several_orbits_have_names_and_colours():
    other = replace(position(), values=position().values * 0.8)
    figure = draw({"P": position(), "Q": other}, orbits=[{"of": ["P", "Q"]}], trace_colors={"Q": "crimson"})
    [names] = [text for text in texts(figure) if "P</span>" in text]
    assert '<span style="color:crimson">Q</span>' in names
    assert {"p1-1", "p1-2", "p1-1-times", "p1-2-times"} <= set(uids(figure))


def test_a_gap_breaks_the_orbit_and_has_no_marked_time():
    table = position(count=241)
    values = table.values.copy()
    values[50:100] = np.nan
    figure = orbit({"P": replace(table, values=values)})
    assert np.isnan(trace(figure, "line1")["x"]).any()
    assert any("191 of 241 records; left out: 50 without a value" in note for note in figure.notes)
    whole, broken = (len(trace(made, "times")["x"]) for made in (orbit(), figure))
    assert broken < whole


def test_one_record_and_part_of_the_time():
    single = position().take(slice(0, 1))
    assert trace(orbit({"P": single}), "p1-1")["x"] == [12]
    part = orbit(between=["2024-05-10T06:00", "2024-05-10T12:00"])
    assert len(trace(part, "p1-1")["x"]) == 60


def test_equal_tables_give_equal_bytes():
    assert to_json(orbit(color_by="time")) == to_json(orbit(color_by="time"))


@pytest.mark.parametrize("absent", ABSENT)
def test_an_orbit_without_positions_is_an_empty_panel_or_a_name(absent):
    field = scalar(np.arange(241) * 360.0, np.linspace(1, 100, 241), name="B")
    alone = draw({"B": field, "Q": absent(position())}, panels=[["B"]], orbits=[{"of": "Q"}])
    assert any(note.startswith("panel 2: nothing to draw: ") for note in alone.notes)
    both = draw({"P": position(), "Q": absent(position())}, orbits=[{"of": ["P", "Q"]}])
    assert any("Q (no data)" in text for text in texts(both))
    assert any(note.startswith("panel 1: Q is not drawn: ") for note in both.notes)


# --- wrong inputs --------------------------------------------------------------------------------------------


def test_positions_that_cannot_be_drawn():
    refuse("names no label", "name the label", of=[])
    refuse("an orbit needs a vector", tables={"P": scalar([0, 60], [1, 2], unit="km")})
    refuse("must be in a unit of length", error=UnitMismatch, tables={"P": position(unit="nT")})
    refuse("'P' is in RTN", "HEEQ", error=FrameMismatch, tables={"P": position("RTN")})
    refuse("'P' has no frame", "declare_quantity", error=FrameMismatch, tables={"P": position("")})
    mixed = {"P": position(), "Q": position("GSM")}
    refuse("GSM", "transform_frame", error=FrameMismatch, tables=mixed, of=["P", "Q"])
    empty = replace(position(), values=np.full((241, 3), np.nan))
    refuse("nothing to draw", tables={"P": empty})
    refuse("no label is called 'R'", of="R")


@pytest.mark.parametrize("key", ["magnetopause", "bow_shock", "pressure", "sun"])
@pytest.mark.parametrize("frame", ["GEO", "HCI"])
def test_a_model_in_a_frame_without_the_sun_on_x(key, frame):
    value = {"pressure": 2, "sun": "left"}.get(key, True)
    refuse(
        f"{key} needs positions in GSE or GSM, but 'P' is in {frame}",
        f"leave out {key}",
        error=FrameMismatch,
        tables={"P": position(frame)},
        **{key: value},
    )


def test_impossible_parameters_and_colours():
    refuse("pressure is 0, but must be above 0", pressure=0)
    refuse("mach is 1, but must be above 1", mach=1)
    refuse(
        "color_by needs a single orbit",
        tables={"P": position(), "Q": position()},
        of=["P", "Q"],
        color_by="time",
    )
    other = scalar([0, 60], [1, 2], name="B")
    refuse(
        "different epochs|same epochs",
        error=ClockMismatch,
        tables={"P": position(), "B": other},
        color_by="B",
    )
    refuse("must be two values", x_range=[3])


def test_keys_by_number_are_refused_for_an_orbit():
    with pytest.raises(StepError, match="described by an entry of orbits"):
        orbit(spec={"y_range": {"1": [0, 1]}})


def test_an_orbit_far_behind_the_earth_says_where_the_models_end():
    far = position()
    far = replace(far, values=far.values * 0.2 - np.array([60.0, 0, 0]))
    whole = orbit({"P": far})
    assert "panel 1: drawn to 40 R_E behind the Earth" in whole.notes
    assert "p1-bow_shock" in uids(whole)
    part = orbit({"P": far}, x_range=[-70, -50], y_range=[-10, 10])
    assert "p1-bow_shock" not in uids(part)
    words = "magnetopause and bow shock end 40 R<sub>E</sub> behind the Earth"
    assert [text["text"] for text in layout(part)["annotations"] if "bow shock" in text["text"]] == [words]
    one = orbit({"P": far}, x_range=[-70, -50], y_range=[-10, 10], bow_shock=False)
    assert "panel 1: magnetopause ends 40 R_E behind the Earth" in one.notes
    assert not any("behind" in note for note in orbit({"P": far}, magnetopause=False, bow_shock=False).notes)
