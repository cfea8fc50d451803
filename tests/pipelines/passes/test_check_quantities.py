"""Units that are known before a run."""

import json
from datetime import datetime
from pathlib import Path

import pytest

import helio.pipelines
from helio.pipelines.known import known_datasets
from helio.pipelines.passes import REPEATED
from helio.pipelines.passes.check_quantities import check_quantities
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.runner import rewrite
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures

TEMPLATES = Path(helio.pipelines.__file__).parent / "templates"

_SIZES = {"V": 3, "B": 3, "BGSEc": 3, "BGSM": 3, "b_rtn": 3, "VELS": 3, "FLUX": 12}
_SERIES = ("N", "T", "FLAG", "BX_GSE", "BY_GSM", "BZ_GSE", "BZ_GSM", "SPEED")
PLASMA = Dataset(
    {**dict.fromkeys(_SERIES, 1), **_SIZES},
    units={
        **dict.fromkeys(["B", "BGSEc", "BGSM", "b_rtn"], "nT"),
        **{"N": "#/cc", "V": "Km/s", "T": "eV", "FLAG": "", "SPEED": "km/s"},
    },
    spectra=frozenset({"FLUX"}),
    frames={"V": "GSE"},
    descriptions={"VELS": "Proton velocity in GSE coordinates", "SPEED": "Speed in RTN coordinates"},
)


def step(number, tool, **args):
    return {"step_id": number, "tool_name": tool, "tool_args": args}


def fetch(number, *names, **args):
    return step(number, "fetch_data", dataset_id="WI_PLASMA", parameters=list(names), **args)


def found(*steps, datasets=None):
    known = {"WI_PLASMA": PLASMA} if datasets is None else datasets
    context = Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known)
    return list(check_quantities(Template.from_json({"steps": list(steps)}), context))


def beta(**labels):
    given = {"density_label": "WI_PLASMA.N", "temperature_label": "WI_PLASMA.T", "field_label": "WI_PLASMA.B"}
    return step(2, "plasma_beta", **{**given, **labels}, output_label="beta")


def test_a_temperature_in_ev_is_said_with_its_conversion():
    [one] = found(fetch(1, "N", "T", "B"), beta())
    assert (one.code, one.severity, one.path) == ("HV402", "warning", "/steps/1/tool_args/temperature_label")
    assert (
        one.message == "the temperature must be in K, but 'WI_PLASMA.T' is in eV, according to the catalogue"
    )
    assert one.advice == ('convert it first: convert_units to "K", equivalence "thermal"',)


def test_spellings_of_the_right_unit_are_right():
    steps = (
        fetch(1, "N", "V"),
        step(
            2, "dynamic_pressure", density_label="WI_PLASMA.N", velocity_label="WI_PLASMA.V", output_label="p"
        ),
    )
    assert found(*steps) == []


def test_a_component_has_the_unit_of_its_vector():
    [one] = found(fetch(1, "V"), step(2, "gyrofrequency", source_label="WI_PLASMA.V.Vx", output_label="f"))
    assert (
        one.message == "the field must be in nT, but 'WI_PLASMA.V.Vx' is in km/s, according to the catalogue"
    )


def test_what_another_tool_always_gives_is_sure():
    [one] = found(
        step(1, "vbs", velocity_label="v", bz_label="bz", output_label="e"),
        step(2, "shue_standoff", pressure_label="e", bz_label="bz", output_label="r0"),
    )
    assert (one.code, one.severity) == ("HV401", "error")
    assert one.message == "the pressure must be in nPa, but 'e' is in mV/m"


@pytest.mark.parametrize(
    "first",
    [
        fetch(1, "FLAG", output_label="WI_PLASMA.T"),
        fetch(1, "X"),
        {**fetch(1, "T"), "for_each": {"as": "$X", "over": ["a"]}},
        step(
            1, "fetch_data", candidates=["WI_PLASMA", "OTHER"], parameter_id="T", output_label="WI_PLASMA.T"
        ),
        fetch(1, "T", provider="local"),
        step(1, "resample", source_label="x", cadence="1min", output_label="WI_PLASMA.T"),
    ],
    ids=[
        "no unit",
        "no such parameter",
        "a map",
        "candidates",
        "another provider",
        "a tool that keeps the unit",
    ],
)
def test_what_is_not_known_is_left_to_the_run(first):
    assert found(first, beta()) == []


def test_without_a_catalogue_nothing_is_said():
    assert found(fetch(1, "N", "T", "B"), beta(), datasets={}) == []


def turned(number, label, to, **args):
    return step(number, "transform_frame", source_label=label, to=to, output_label=f"{label}_{to}", **args)


def newell(number, field, velocity="v"):
    return step(number, "newell_coupling", velocity_label=velocity, field_label=field, output_label="dphi")


def test_a_field_turned_to_gse_is_no_field_in_gsm_however_it_is_resampled():
    [one] = found(
        turned(1, "b", "GSE"),
        step(2, "resample", source_label="b_GSE", cadence="5min", output_label="slow"),
        step(3, "mask", source_label="slow", where=">", value=100, output_label="clean"),
        newell(4, "clean"),
    )
    assert (one.code, one.severity, one.path) == ("HV403", "error", "/steps/3/tool_args/field_label")
    assert one.message == "the field must be in GSM, but 'clean' is in GSE"
    assert one.advice == ('transform it first: transform_frame to "GSM", or choose a parameter in GSM',)


def test_a_field_turned_to_gsm_is_one():
    assert (
        found(fetch(1, "BGSEc"), turned(2, "WI_PLASMA.BGSEc", "GSM"), newell(3, "WI_PLASMA.BGSEc_GSM")) == []
    )


@pytest.mark.parametrize(("name", "frame"), [("BGSEc", "GSE"), ("b_rtn", "RTN")])
def test_a_frame_in_the_name_of_a_parameter_is_a_warning(name, frame):
    [one] = found(fetch(1, name), newell(2, f"WI_PLASMA.{name}"))
    assert (one.code, one.severity) == ("HV404", "warning")
    assert f"'WI_PLASMA.{name}' is in {frame}, according to its name or the catalogue" in one.message


def test_one_component_in_another_frame_cannot_be_turned_alone():
    vbs = step(2, "vbs", velocity_label="v", bz_label="WI_PLASMA.BZ_GSE", output_label="e")
    [one] = found(fetch(1, "BZ_GSE"), vbs)
    assert one.code == "HV404"
    assert one.advice == (
        'choose the component in GSM, or first transform the vector with transform_frame to "GSM"',
    )
    assert found(fetch(1, "BZ_GSM"), step(2, "vbs", velocity_label="v", bz_label="WI_PLASMA.BZ_GSM")) == []


def test_a_speed_has_no_frame_whatever_its_description_speaks_of():
    shift = step(
        2, "ballistic_shift", series_label="x", velocity_label="WI_PLASMA.SPEED", from_x=1.5e6, to_x=0
    )
    assert found(fetch(1, "SPEED"), shift) == []


def test_rtn_cannot_be_turned_to_gse():
    [one] = found(fetch(1, "b_rtn"), turned(2, "WI_PLASMA.b_rtn", "GSE"))
    assert "must be in GSE, GSM, SM, GEO or GEI, but 'WI_PLASMA.b_rtn' is in RTN" in one.message
    assert one.advice == ("choose a parameter in GSE: helio cannot transform from RTN",)


def difference(left, right, operation="subtract"):
    return step(9, "arithmetic", left_label=left, right_label=right, operation=operation, output_label="d")


def test_the_difference_of_two_frames_is_said():
    [one] = found(fetch(1, "BGSEc", "BGSM"), difference("WI_PLASMA.BGSEc", "WI_PLASMA.BGSM"))
    assert (one.code, one.path) == ("HV404", "/steps/1/tool_args/right_label")
    assert one.message == (
        "'WI_PLASMA.BGSEc' is in GSE, and 'WI_PLASMA.BGSM' is in GSM, according to its name or the catalogue: "
        "arithmetic takes both in the same frame"
    )


def test_the_difference_of_two_turned_fields_is_refused():
    [one] = found(turned(1, "b", "GSE"), turned(2, "b", "GSM"), difference("b_GSE", "b_GSM"))
    assert (one.code, one.severity) == ("HV403", "error")


def test_the_sum_of_two_units_is_said_once():
    [one] = found(fetch(1, "N", "T"), difference("WI_PLASMA.N", "WI_PLASMA.T", "add"))
    assert one.code == "HV402"
    assert "'WI_PLASMA.N' is in cm^-3, and 'WI_PLASMA.T' is in eV, according to the catalogue" in one.message
    assert found(fetch(1, "N", "T"), difference("WI_PLASMA.N", "WI_PLASMA.T", "multiply")) == []


def test_components_of_two_frames_are_not_multiplied_but_for_x():
    args = fetch(1, "BX_GSE", "BY_GSM", "BZ_GSE")
    [one] = found(args, difference("WI_PLASMA.BY_GSM", "WI_PLASMA.BZ_GSE", "multiply"))
    assert (one.code, one.path) == ("HV404", "/steps/1/tool_args/right_label")
    assert found(args, difference("WI_PLASMA.BX_GSE", "WI_PLASMA.BY_GSM", "multiply")) == []
    [one] = found(args, difference("WI_PLASMA.BX_GSE", "WI_PLASMA.BY_GSM", "add"))
    assert one.code == "HV404"


def test_a_product_has_the_unit_of_its_factors():
    steps = (
        step(1, "rescale", source_label="x", unit="km/s", output_label="v"),
        step(2, "rescale", source_label="y", unit="nT", output_label="b"),
        difference("v", "b", "multiply"),
        step(10, "shue_standoff", pressure_label="d", bz_label="bz", output_label="r0"),
    )
    [one] = found(*steps)
    assert one.code == "HV401"
    assert one.message == "the pressure must be in nPa, but 'd' is in km nT/s"


def test_a_rate_of_change_is_not_what_changes():
    steps = (
        step(1, "convert_units", source_label="x", to="nT", output_label="b"),
        step(2, "derivative", source_label="b", output_label="rate"),
        step(3, "gyrofrequency", source_label="rate", output_label="f"),
    )
    [one] = found(*steps)
    assert one.message == "the field must be in nT, but 'rate' is in nT/s"


def test_a_unit_that_was_asked_for_is_sure_whatever_the_catalogue_says():
    to_ev = step(2, "convert_units", source_label="WI_PLASMA.T", to="eV", output_label="t")
    [one] = found(fetch(1, "N", "T", "B"), to_ev, beta(temperature_label="t"))
    assert (one.code, one.severity) == ("HV401", "error")
    to_k = step(
        2, "convert_units", source_label="WI_PLASMA.T", to="K", equivalence="thermal", output_label="t"
    )
    assert found(fetch(1, "N", "T", "B"), to_k, beta(temperature_label="t")) == []


def test_a_magnitude_has_no_clock_angle():
    [one] = found(
        step(1, "magnitude", source_label="b", output_label="m"),
        step(2, "clock_angle", source_label="m", output_label="ca"),
    )
    assert (one.code, one.severity) == ("HV405", "error")
    assert one.message == "the field must be a vector, but 'm' is one series"
    assert "join_components" in one.advice[0]


def test_a_vector_is_no_density_by_its_size_in_the_catalogue():
    [one] = found(
        fetch(1, "N", "T", "B", "VELS"), beta(density_label="WI_PLASMA.VELS", temperature_label="x")
    )
    assert (one.code, one.severity) == ("HV406", "warning")
    assert (
        "one series, but 'WI_PLASMA.VELS' is a vector or a spectrum, according to the catalogue"
        in one.message
    )


def test_a_spectrum_is_no_vector_field():
    [one] = found(fetch(1, "FLUX"), step(2, "clock_angle", source_label="WI_PLASMA.FLUX", output_label="ca"))
    assert "'WI_PLASMA.FLUX' is a spectrum" in one.message


def test_a_component_of_code_without_a_unit_is_known_to_have_none():
    code = step(1, "custom_operation", source_labels=["x"], pandas_code="result = df", output_label="c")
    [one] = found(code, step(2, "gyrofrequency", source_label="c", output_label="f"))
    assert one.message == "the field must be in nT, but 'c' has no unit"
    stated = step(1, "custom_operation", source_labels=["x"], pandas_code="…", units="nT", output_label="c")
    assert found(stated, step(2, "gyrofrequency", source_label="c", output_label="f")) == []


def test_what_omni_delivers_may_be_put_side_by_side():
    labels = ["WI_PLASMA.BX_GSE", "WI_PLASMA.BY_GSM", "WI_PLASMA.BZ_GSM"]
    names = {"names": ["Bx", "By", "Bz"], "output_label": "b"}
    assert (
        found(
            fetch(1, "BX_GSE", "BY_GSM", "BZ_GSM"),
            step(2, "join_components", source_labels=labels, **names),
            newell(3, "b"),
        )
        == []
    )
    labels[2] = "WI_PLASMA.BZ_GSE"
    [one] = found(
        fetch(1, "BX_GSE", "BY_GSM", "BZ_GSE"), step(2, "join_components", source_labels=labels, **names)
    )
    assert (one.code, one.path) == ("HV404", "/steps/1/tool_args/source_labels/2")


def test_velocity_and_field_in_two_frames_have_no_product():
    velocity = step(1, "declare_quantity", source_label="v", frame="GSE", output_label="vg")
    field = step(3, "electric_field", velocity_label="vg", field_label="b_GSM", output_label="e")
    [one] = found(velocity, turned(2, "b", "GSM"), field)
    assert (one.code, one.path) == ("HV403", "/steps/2/tool_args/field_label")


def test_nothing_is_told_of_what_stands_in_a_variable():
    steps = (
        step(1, "convert_units", source_label="x", to="$UNIT", output_label="b"),
        step(2, "gyrofrequency", source_label="b", output_label="f"),
        turned(3, "b", "$FRAME"),
        newell(4, "b_$FRAME"),
    )
    assert found(*steps) == []


@pytest.mark.parametrize("wrong", [None, 3, ["$X"], {"a": 1}])
def test_arguments_of_any_type_give_no_exception(wrong):
    for name, signature in signatures().items():
        args = {one.name: wrong for one in signature.arguments}
        assert isinstance(found(fetch(1, "B"), step(2, name, **args), step(3, name, **args)), list)


class Opened(dict):
    """A catalogue that notes whether anybody asked it."""

    asked = 0

    def get(self, *key):
        self.asked += 1
        return super().get(*key)


def test_the_catalogue_is_not_opened_for_a_plan_that_minds_nothing():
    known = Opened(WI_PLASMA=PLASMA)
    slow = step(2, "resample", source_label="WI_PLASMA.B", cadence="5min", output_label="slow")
    assert found(fetch(1, "B"), slow, datasets=known) == []
    assert known.asked == 0
    found(fetch(1, "B"), slow, newell(3, "slow"), datasets=known)
    assert known.asked == 1


SHIPPED = sorted(path for path in TEMPLATES.glob("*.json") if "schema" not in path.name)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_nothing_is_said_of_the_pipelines_that_are_shipped(path, tmp_path):
    now = datetime(2024, 6, 1)
    context = Context(signatures(), now, {}, catalogue=known_datasets(tmp_path, now))
    stable = rewrite(json.loads(path.read_text()), context, REPEATED, until_stable=True)
    assert not stable.errors
    assert list(check_quantities(Template.from_json(stable.plan), context)) == []


@pytest.mark.parametrize(
    ("dataset", "parameter", "said"),
    [
        ("OMNI2_H0_MRG1HR", "BZ_GSE1800", "is in GSE"),
        ("OMNI2_H0_MRG1HR", "BZ_GSM1800", ""),
        ("OMNI_HRO_1MIN", "BZ_GSE", "is in GSE"),
        ("OMNI_HRO_1MIN", "BZ_GSM", ""),
        ("OMNI_HRO_1MIN", "flow_speed", "is in km/s"),
        ("WI_H0_MFI", "BGSE", "is a vector or a spectrum"),
    ],
)
def test_the_shipped_catalogue_tells_a_b_z_in_gsm_from_others(dataset, parameter, said, tmp_path):
    known = known_datasets(tmp_path, datetime(2024, 6, 1))
    fetched = step(1, "fetch_data", dataset_id=dataset, parameter_id=parameter)
    bz = f"{dataset}.{parameter}"
    messages = [
        one.message
        for one in found(
            fetched, step(2, "vbs", velocity_label="v", bz_label=bz, output_label="e"), datasets=known
        )
    ]
    assert len(messages) == bool(said)
    assert said in "".join(messages)


@pytest.mark.parametrize(
    ("frame", "meant"),
    [("GSEE", ["GSE"]), ("GMS", ["GSM"]), ("GSE", []), ("gse", []), ("GSEQ", []), ("ship", [])],
)
def test_a_frame_that_is_almost_a_known_one_is_warned_of(frame: str, meant: list[str]) -> None:
    join = step(2, "join_components", frame=frame, output_label="b")
    warnings = [finding for finding in found(join) if finding.code == "HV407"]
    assert [warning.candidates[0] for warning in warnings] == meant
    assert [warning.severity for warning in warnings] == ["warning"] * len(meant)


# --- axes of a panel of one quantity against another ---------------------------------------------------------


def figure(**entry):
    return step(2, "render_spec", spec={"xy": [entry]})


def test_an_axis_takes_one_series():
    [one] = found(fetch(1, "N", "B"), figure(x="WI_PLASMA.N", y="WI_PLASMA.B"))
    assert (one.code, one.path) == ("HV406", "/steps/1/tool_args/spec/xy/0/y")
    assert one.message.startswith("y must be one series, but 'WI_PLASMA.B' is a vector")
    assert one.advice == ('use one component, such as "WI_PLASMA.B.x", or compute the magnitude first',)
    assert not found(fetch(1, "N", "B"), figure(x="WI_PLASMA.N", y="WI_PLASMA.B.x", color_by="time"))
    assert not found(step(1, "render_spec", spec={"labels": ["WI_PLASMA.B"]}))


def test_a_histogram_takes_series():
    drawn = step(2, "render_spec", spec={"histograms": [{"of": ["WI_PLASMA.BX_GSE", "WI_PLASMA.B"]}]})
    [one] = found(fetch(1, "BX_GSE", "B"), drawn)
    assert (one.code, one.path) == ("HV406", "/steps/1/tool_args/spec/histograms/0/of/1")
    assert one.message.startswith("of must be one series")
    drawn["tool_args"]["spec"]["histograms"][0]["of"] = "WI_PLASMA.FLUX"
    [one] = found(fetch(1, "FLUX"), drawn)
    assert one.path == "/steps/1/tool_args/spec/histograms/0/of"


def declared(frame):
    return step(1, "declare_quantity", source_label="p", frame=frame, output_label="P")


def orbit(**entry):
    return step(2, "render_spec", spec={"orbits": [{"of": "P", **entry}]})


def test_a_polar_histogram_takes_angles():
    drawn = step(2, "render_spec", spec={"histograms": [{"of": "WI_PLASMA.N", "polar": True}]})
    [one] = found(fetch(1, "N"), drawn)
    assert (one.code, one.path) == ("HV402", "/steps/1/tool_args/spec/histograms/0/of")
    assert one.message.startswith("a polar histogram needs an angle, but 'WI_PLASMA.N' is in cm^-3")
    del drawn["tool_args"]["spec"]["histograms"][0]["polar"]
    assert not found(fetch(1, "N"), drawn)
    angle = step(1, "clock_angle", field_label="b", output_label="angle")
    assert not found(angle, step(2, "render_spec", spec={"histograms": [{"of": "angle", "polar": True}]}))


def test_an_orbit_takes_a_vector():
    [one] = found(fetch(1, "N"), orbit(of="WI_PLASMA.N"))
    assert one.path == "/steps/1/tool_args/spec/orbits/0/of"
    assert one.message.startswith("a position must be a vector, but 'WI_PLASMA.N' is one series")
    assert not found(fetch(1, "N"), declared("GSE"), orbit(color_by="time"))


@pytest.mark.parametrize(("frame", "sound"), [("GSE", True), ("GSM", True), ("GEO", False), ("RTN", False)])
def test_a_magnetopause_needs_the_sun_on_the_x_axis(frame, sound):
    findings = found(declared(frame), orbit(magnetopause=True))
    assert bool(findings) != sound
    for finding in findings:
        assert (finding.code, finding.path) == ("HV403", "/steps/1/tool_args/spec/orbits/0/of")
        assert finding.message.startswith(
            f"magnetopause needs positions in GSE or GSM, but 'P' is in {frame}"
        )
        assert "leave out magnetopause" in finding.advice[0]


def test_an_orbit_needs_a_frame_about_the_earth_or_the_sun():
    assert not found(declared("GEO"), orbit())
    assert not found(declared("HCI"), orbit())
    [one] = found(declared("RTN"), orbit())
    assert one.message.startswith("an orbit needs positions in GSE, GSM, GEO")


def test_the_quantities_of_a_histogram_need_one_unit():
    fetched = fetch(1, "N", "T", "BX_GSE")
    drawn = step(2, "render_spec", spec={"histograms": [{"of": ["WI_PLASMA.N", "WI_PLASMA.T"]}]})
    [one] = found(fetched, drawn)
    assert (one.code, one.path) == ("HV402", "/steps/1/tool_args/spec/histograms/0/of/1")
    assert "a histogram of its own" in one.advice[0]
    drawn["tool_args"]["spec"]["histograms"] = [{"of": ["WI_PLASMA.N"]}, {"of": ["WI_PLASMA.T"]}]
    assert not found(fetched, drawn)


@pytest.mark.parametrize(
    ("entry", "aspects"),
    [
        ({"type": "hodogram", "x": "WI_PLASMA.N", "y": "WI_PLASMA.T"}, ["HV402"]),
        ({"equal_axes": True, "x": "WI_PLASMA.N", "y": "WI_PLASMA.T"}, ["HV402"]),
        ({"type": "hodogram", "equal_axes": False, "x": "WI_PLASMA.N", "y": "WI_PLASMA.T"}, []),
        ({"x": "WI_PLASMA.N", "y": "WI_PLASMA.T"}, []),
        ({"x": "WI_PLASMA.N", "y": "WI_PLASMA.T", "fit": "linear"}, []),
        ({"x": "WI_PLASMA.N", "y": "WI_PLASMA.T", "fit": "orthogonal"}, ["HV402"]),
        ({"x": "WI_PLASMA.BY_GSM", "y": "WI_PLASMA.BZ_GSE", "fit": "orthogonal"}, []),
        ({"type": "hodogram", "x": "WI_PLASMA.BY_GSM", "y": "WI_PLASMA.BZ_GSE"}, ["HV404"]),
        ({"type": "hodogram", "x": "WI_PLASMA.BX_GSE", "y": "WI_PLASMA.BY_GSM"}, []),
    ],
)
def test_equal_axes_need_one_unit_and_one_frame(entry, aspects):
    fetched = fetch(1, "N", "T", "BX_GSE", "BY_GSM", "BZ_GSE")
    assert [finding.code for finding in found(fetched, figure(**entry))] == aspects


def test_two_computed_series_in_different_units_are_an_error():
    first, other = (
        step(number, "convert_units", source_label="WI_PLASMA.N", to=unit, output_label=label)
        for number, unit, label in ((2, "cm^-3", "a"), (3, "m^-3", "b"))
    )
    drawn = step(4, "render_spec", spec={"xy": [{"type": "hodogram", "x": "a", "y": "b"}]})
    [one] = found(fetch(1, "N"), first, other, drawn)
    assert (one.code, one.severity) == ("HV401", "error")
    assert 'convert_units to "cm^-3"' in one.advice[0]
    assert "scatter" in one.advice[0]


def stacked(*panels, **spec):
    return step(9, "render_spec", spec={"panels": [list(panel) for panel in panels], **spec})


def test_two_units_on_one_axis_are_warned_before_the_run():
    rate = step(2, "derivative", source_label="WI_PLASMA.B", output_label="rate")
    drawn = stacked(["WI_PLASMA.N"], ["WI_PLASMA.B", "rate"])
    [warning] = found(fetch(1, "B", "N"), rate, drawn)
    assert (warning.code, warning.severity, warning.path) == (
        "HV408",
        "warning",
        "/steps/2/tool_args/spec/panels/1",
    )
    assert warning.message == (
        "panel 2: 'WI_PLASMA.B' is in nT, but 'rate' is in nT/s; they share one y axis"
    )


def test_a_second_axis_at_the_right_has_a_unit_of_its_own():
    mixed = fetch(1, "N", "B")
    assert not found(mixed, stacked(["WI_PLASMA.N", "WI_PLASMA.B"], right=["WI_PLASMA.B"]))
    [warning] = found(
        fetch(1, "N", "B", "V"), stacked(["WI_PLASMA.N", "WI_PLASMA.B", "WI_PLASMA.V"], right=["WI_PLASMA.N"])
    )
    assert "'WI_PLASMA.B' is in nT, but 'WI_PLASMA.V' is in km/s" in warning.message
    assert "'right'" in warning.advice[0]


def test_one_unit_an_unknown_unit_and_spectra_share_an_axis_without_warning():
    assert not found(fetch(1, "B", "BGSM"), stacked(["WI_PLASMA.B", "WI_PLASMA.BGSM"]))
    assert not found(fetch(1, "B", "FLAG"), stacked(["WI_PLASMA.B", "WI_PLASMA.FLAG"]))
    assert not found(fetch(1, "V", "SPEED"), stacked(["WI_PLASMA.V", "WI_PLASMA.SPEED"]))
    mixed = fetch(1, "N", "B")
    assert not found(mixed, stacked(["WI_PLASMA.N", "WI_PLASMA.B"], panel_types=["spectrogram"]))
    assert found(mixed, stacked(["WI_PLASMA.N", "WI_PLASMA.B"], panel_types=["line"]))
    assert not found(mixed, stacked(["WI_PLASMA.N", "WI_PLASMA.B"], right=["WI_PLASMA.N"]))


def converted(label, to, **args):
    return step(2, "convert_units", source_label=label, to=to, output_label="c", **args)


def test_a_conversion_to_the_unit_of_another_quantity_is_found_before_the_run():
    [one] = found(fetch(1, "B"), converted("WI_PLASMA.B", "km"))
    assert (one.code, one.severity, one.path) == ("HV402", "warning", "/steps/1/tool_args/source_label")
    assert (
        one.message == "'WI_PLASMA.B' is in nT, which cannot be converted to km, according to the catalogue"
    )
    own = {
        "step_id": 1,
        "tool_name": "plasma_frequency",
        "tool_args": {"source_label": "n", "output_label": "f"},
    }
    [one] = found(own, converted("f", "nT"))
    assert (one.code, one.severity) == ("HV401", "error")


def test_a_temperature_that_is_an_energy_needs_the_equivalence():
    [one] = found(fetch(1, "T"), converted("WI_PLASMA.T", "K"))
    assert one.advice == ('to convert between a temperature T and an energy kT, set equivalence "thermal"',)
    assert found(fetch(1, "T"), converted("WI_PLASMA.T", "K", equivalence="thermal")) == []


@pytest.mark.parametrize("to", ["T", "G", "$UNIT", "smoots"])
def test_a_conversion_that_is_possible_or_not_known_is_left_to_the_run(to):
    assert found(fetch(1, "B"), converted("WI_PLASMA.B", to)) == []


NOT_EVENTS = "events: entry 1: 'b' is not a table of events: it has values in nT"
NO_TIMES = "vlines: entry 1 has no panel, and 'b' is not a table of times"
BY_VALUES = "events: entry 1: 'by' needs one record for each event, but 'b' has a value for each time"


@pytest.mark.parametrize(
    ("key", "entry", "code", "message"),
    [
        ("events", {"of": "b"}, "HV401", NOT_EVENTS),
        ("events", {"of": "b", "by": "b", "levels": "storms"}, "HV401", BY_VALUES),
        ("events", {"of": "WI_PLASMA.V"}, "HV402", "events: entry 1: 'WI_PLASMA.V' is not a table of intervals"),
        ("vlines", {"of": "b"}, "HV401", NO_TIMES),
        ("vlines", {"of": "turned", "panel": 1}, "HV405", "vlines: entry 1: 'turned' is a vector"),
        ("vlines", {"of": "WI_PLASMA.FLUX", "panel": 1}, "HV406", "vlines: entry 1: 'WI_PLASMA.FLUX' is a spectrum"),
    ],
)  # fmt: skip
def test_events_and_vertical_lines_need_tables_of_events_and_times(key, entry, code, message):
    steps = [
        fetch(1, "B", "V", "FLUX"),
        step(2, "convert_units", source_label="WI_PLASMA.B.Bx", to="nT", output_label="b"),
        step(3, "transform_frame", source_label="WI_PLASMA.B", to="GSE", output_label="turned"),
    ]
    [said] = found(*steps, step(4, "render_spec", spec={"labels": ["b"], "panels": [["b"]], key: [entry]}))
    assert (said.code, said.message.removesuffix(", according to the catalogue")) == (code, message)
    assert said.path.startswith(f"/steps/3/tool_args/spec/{key}/0/")
