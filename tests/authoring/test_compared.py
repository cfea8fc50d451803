"""What a sentence names is compared with what the template fetches, computes and draws."""

import json
from datetime import datetime

import pytest

from helio.authoring.comparison.differences import SHOWN, TIME, WINDOW, differences
from helio.authoring.gate import Gate
from helio.authoring.outcome import TemplateDraft
from helio.authoring.rules.author import RuleAuthor
from helio.pipelines.template.document import as_text
from tests.authoring.answers import SEEN, fetch, figure, plan

NOW = datetime(2026, 3, 10, 15)


def template(*steps, default="2022-01-01", **spec):
    labels = [args["output_label"] for tool, args in steps if "output_label" in args]
    drawn = {"labels": labels[-1:], "panels": [labels[-1:]], **spec}
    return {
        "id": "new",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": default}},
        "steps": [
            *(
                {"step_id": str(number), "tool_name": tool, "tool_args": args}
                for number, (tool, args) in enumerate(steps)
            ),
            {"step_id": "figure", "tool_name": "render_spec", "tool_args": {"spec": drawn}},
        ],
    }


def data(dataset="AC_H0_MFI", parameter="BGSEc", label="B", time="$TIME_RANGE"):
    args = {"dataset_id": dataset, "parameter_id": parameter, "time_range": time, "output_label": label}
    return "fetch_data", args


def told(request, made, catalogue, **more):
    return [(one.code, one.message) for one in differences(request, made, catalogue, NOW, **more)]


@pytest.mark.parametrize(
    ("request_", "steps", "said"),
    [
        (
            "ACE magnetic field for 2022-01-01",
            [data("WI_H0_MFI", "BGSE")],
            (SHOWN, "the request names ACE, but the data are from Wind"),
        ),
        (
            "ACE density for 2022-01-01",
            [data()],
            (SHOWN, "the request names the proton density, but the figure draws no such data"),
        ),
        (
            "ACE magnetic field in GSM for 2022-01-01",
            [data()],
            (SHOWN, "the request names the frame GSM, but B is in GSE"),
        ),
        (
            "ACE magnetic field for 2022-01-01",
            [data(time="2022-01-02")],
            (TIME, "the request names 2022-01-01 to 2022-01-02, but step 0 fetches 2022-01-02 to 2022-01-03"),
        ),
        (
            "ACE magnetic field for 2022-01-01, 1 day running average",
            [data(), ("running_average", {"source_label": "B", "window": "1d", "output_label": "S"})],
            (WINDOW, "the window of step 1 is 1d, but the time range 2022-01-01 to 2022-01-02 is not longer"),
        ),
        (
            "ACE Bz for 2022-01-01",
            [data(), ("components", {"source_label": "B", "keep": ["y"], "output_label": "By"})],
            (SHOWN, "the request names the component z of the magnetic field, but the figure draws y"),
        ),
        (
            "RBSPB EFW density 2013-06-01",
            [data("RBSPB_EFW-L3", "spacecraft_potential")],
            (SHOWN, "the request names the proton density, but the figure draws no such data"),
        ),
        (
            "AC_H0_MFI.BGSEc for 2022-01-01",
            [data("AC_H0_MFI", "BGSM")],
            (SHOWN, "the request names AC_H0_MFI.BGSEc, but no step fetches it"),
        ),
        (
            "ACE density in m^-3 for 2022-01-01",
            [data("AC_H0_SWE", "Np")],
            (SHOWN, "the request names the unit m^-3, but the figure draws cm^-3"),
        ),
        (
            "ACE magnetic field for 2022-01-01, 10 min running average",
            [data()],
            (SHOWN, "the request names a running average, but no step computes it"),
        ),
        (
            "ACE magnetic field for 2022-01-01, 10 min running average",
            [data(), ("running_average", {"source_label": "B", "window": "100min", "output_label": "S"})],
            (SHOWN, "the request names a running average of 10min, but no step has this window"),
        ),
        (
            "ACE magnetic field for 2022-01-01, 10 min running average",
            [
                data(),
                ("running_average", {"source_label": "B", "window": "10min", "output_label": "S"}),
                ("running_average", {"source_label": "S", "window": "2h", "output_label": "SS"}),
            ],
            (SHOWN, "step 2 (running_average) averages over 2h, which the request does not name"),
        ),
        (
            "ACE magnetic field for 2022-01-01",
            [data(), ("rescale", {"source_label": "B", "unit": "1", "factor": 1e3, "output_label": "S"})],
            (SHOWN, "step 1 (rescale) changes the data, and the request names no such computation"),
        ),
    ],
)
def test_a_difference_from_the_request_is_said(catalogue, request_, steps, said):
    assert said in told(request_, template(*steps), catalogue)


@pytest.mark.parametrize(
    ("request_", "steps"),
    [
        ("ACE magnetic field on 2022-01-01, shade 12-14 UT", [data()]),
        ("ACE magnetic field for 2022-01-01", [data()]),
        (
            "ACE |B| for 2022-01-01",
            [data(), ("magnitude", {"source_label": "B", "output_label": "Bmag"})],
        ),
        (
            "Magnitude of the ACE magnetic field for 2022-01-01",
            [data(), ("magnitude", {"source_label": "B", "output_label": "Bmag"})],
        ),
        (
            "ACE magnetic field in GSM for 2022-01-01",
            [data(), ("transform_frame", {"source_label": "B", "to": "GSM", "output_label": "turned"})],
        ),
        (
            "Kp for 2022-01-01",
            [
                data("OMNI2_H0_MRG1HR", "KP", "Kp10"),
                ("rescale", {"source_label": "Kp10", "factor": 0.1, "unit": "1", "output_label": "Kp"}),
            ],
        ),
        ("Dst for 2022-01-01", [data("OMNI2_H0_MRG1HR", "DST", "Dst")]),
        ("something that nobody understands", [data()]),
        ("ACE magnetic field for 2022-01-01, make the panel twice as tall", [data()]),
        ("ACE magnetic field for 2022-01-01, the panel with twice the height", [data()]),
    ],
)
def test_what_was_asked_for_is_no_difference(catalogue, request_, steps):
    assert told(request_, template(*steps), catalogue) == []


@pytest.mark.parametrize(
    "request_",
    [
        "Wind total pressure, magnetic pressure and thermal pressure on 2003-11-20",
        "1 h running mean of the magnetic pressure of Wind on 2003-11-20",
        "protons and electrons of STEREO-A HET and SOHO ERNE protons on 2021-10-28, log scale",
    ],
)
def test_what_the_rules_draw_of_a_sentence_is_no_difference(catalogue, tmp_path, request_):
    gate = Gate(catalogue, home=tmp_path, now=NOW, pipelines={})
    made = RuleAuthor(catalogue, gate, now=NOW).create(request_).template
    assert told(request_, json.loads(as_text(made)), catalogue) == []


def test_a_pressure_that_the_request_does_not_name_is_said(catalogue):
    squared = {
        "left_label": "Bmag",
        "right_label": "Bmag",
        "operation": "multiply",
        "output_label": "Bsquared",
    }
    pressure = {
        "source_label": "Bsquared",
        "factor": 0.000397887357782,
        "unit": "nPa",
        "output_label": "Pmag",
    }
    steps = [data("WI_H0_MFI", "BF1", "Bmag"), ("arithmetic", squared), ("rescale", pressure)]
    changed = "step 2 (rescale) changes the data, and the request names no such computation"
    assert (SHOWN, changed) in told("Wind |B| for 2022-01-01", template(*steps), catalogue)


def test_exchanged_names_in_the_legend_are_said(catalogue):
    steps = [data(label="A"), data("WI_H0_MFI", "BGSE", "W")]
    both = {"labels": ["A", "W"], "panels": [["A", "W"]]}
    before = template(*steps, **both, trace_names={"A": "ACE", "W": "Wind"})
    after = template(*steps, **both, trace_names={"A": "Wind", "W": "ACE"})
    [first, second] = told("make the lines thicker", after, catalogue, before=before)
    assert first == (SHOWN, "the line A is now called 'Wind', which was the name of W")
    assert second[0] == SHOWN
    assert told("make the lines thicker", before, catalogue, before=before) == []


@pytest.mark.parametrize(
    ("request_", "after", "said"),
    [
        (
            "make the lines thicker",
            template(data(), default="2021-01-01"),
            "the time range $TIME_RANGE changes from '2022-01-01' to '2021-01-01', and helio reads no time in the "
            "request",
        ),
        (
            "make the lines thicker",
            template(data("WI_H0_MFI", "BGSE")),
            "step 0 now fetches other data (Wind), which the request does not name",
        ),
        (
            "rotate to GSM",
            template(data("AC_H0_SWE", "Np")),
            "step 0 now fetches other data (proton density), which the request does not name",
        ),
        (
            "add the density below",
            template(data(), data("AC_H0_SWE", "Tpr", "T"), labels=["B", "T"], panels=[["B"], ["T"]]),
            "the request names the proton density, but the figure draws no such data",
        ),
        ("remove the density", template(data()), None),
        ("for 2021-01-01", template(data(), default="2021-01-01"), None),
        ("zoom to the second half", template(data(), default="2022-01-01T12:00 to 2022-01-02"), None),
        ("from Wind instead", template(data("WI_H0_MFI", "BGSE")), None),
        ("rotate to GSM", template(data("AC_H0_MFI", "BGSM")), None),
        ("the density instead", template(data("AC_H0_SWE", "Np")), None),
    ],
)
def test_an_edit_of_what_it_does_not_name_is_said(catalogue, request_, after, said):
    expected = [] if said is None else [(SHOWN, said)]
    assert told(request_, after, catalogue, before=template(data())) == expected


@pytest.mark.parametrize(("request_", "is_said"), [("make it red", True), ("make step 0 optional", False)])
def test_an_edit_that_lets_a_step_fail_is_said(catalogue, request_, is_said):
    after = template(data())
    after["steps"][0]["critical"] = False
    said = [message for _, message in told(request_, after, catalogue, before=template(data()))]
    assert ("step 0 may now fail without ending the run, which the request does not name" in said) is is_said
    assert told(request_, after, catalogue, before=after) == []


def test_code_is_named_as_what_helio_cannot_compare(catalogue):
    code = {
        "source_labels": ["B"],
        "pandas_code": "result = df_B.resample('5min').mean()",
        "output_label": "S",
    }
    after = template(data(), ("custom_operation", code))
    said = [message for _, message in told("5 min means of ACE B", after, catalogue)]
    assert said == ["step 1 computes with code, which helio cannot compare with the request"]


def test_an_edit_is_not_blamed_for_what_was_there(catalogue):
    before = template(data(), ("running_average", {"source_label": "B", "window": "2d", "output_label": "S"}))
    assert told("make it red", before, catalogue, before=before) == []


DENSITY, TEMPERATURE = data("AC_H0_SWE", "Np", "n"), data("AC_H0_SWE", "Tpr", "T")
BOTH = {"labels": ["B", "n"], "panels": [["B"], ["n"]]}


def alfven(density):
    return "alfven_speed", {"field_label": "B", "density_label": density, "output_label": "vA"}


@pytest.mark.parametrize(
    ("request_", "steps", "spec", "said"),
    [
        (
            "ACE Alfven speed for 2022-01-01",
            [data(), TEMPERATURE, alfven("T")],
            {},
            (SHOWN, "step 2 (alfven_speed) takes proton temperature for the proton density"),
        ),
        ("ACE Alfven speed for 2022-01-01", [data(), DENSITY, alfven("n")], {}, None),
        (
            "compare the magnetic field of ACE and Wind for 2022-01-01",
            [data(), data("WI_K0_SWE", "Np", "W")],
            {"labels": ["B", "W"], "panels": [["B"], ["W"]]},
            (SHOWN, "the request names the magnetic field of Wind, but the figure draws none"),
        ),
        (
            "dynamic power spectrum of ACE Bz in GSM with 30 min windows for 2022-01-01",
            [
                data(),
                (
                    "power_spectrogram",
                    {"source_label": "B.z", "window": "30min", "output_label": "S"},
                ),
            ],
            {},
            (SHOWN, "the request names the frame GSM, but S is made of data in GSE"),
        ),
        (
            "ACE magnetic field and density for 2022-01-01",
            [data(), DENSITY],
            {**BOTH, "y_label": {"1": "n [cm⁻³]", "2": "B GSE [nT]"}},
            ("HE404", "the axis label 'n [cm⁻³]' names the unit cm⁻³, but the data are in nT"),
        ),
        (
            "ACE magnetic field and density for 2022-01-01",
            [data(), DENSITY],
            {**BOTH, "y_label": {"1": "B GSE [nT]", "2": "n [cm⁻³]"}},
            None,
        ),
    ],
)
def test_what_stands_behind_a_line_and_at_its_axis_is_compared(catalogue, request_, steps, spec, said):
    found = told(request_, template(*steps, **spec), catalogue)
    assert found == [] if said is None else said in found


@pytest.mark.parametrize(
    ("request_", "after", "said"),
    [
        (
            "make the lines thicker",
            template(data()),
            "the figure no longer draws n, and the request does not remove it",
        ),
        ("remove the density panel", template(data()), None),
        ("only the field", template(data()), None),
        ("hourly means of both", None, None),
        (
            "make the lines thicker",
            template(data("AC_H0_MFI", "BGSM"), DENSITY, **BOTH),
            "step 0 now fetches data in GSM, and the request names no frame",
        ),
        ("make it GSM", template(data("AC_H0_MFI", "BGSM"), DENSITY, **BOTH), None),
        (
            "make the lines thicker",
            template(data(time="2013-03-17"), DENSITY, **BOTH),
            "step 0 fetches 2013-03-17 to 2013-03-18, and helio reads no time in the request",
        ),
        (
            "add the temperature in a new panel",
            template(
                data(),
                DENSITY,
                data("WI_PM_3DP", "P_TEMP", "T"),
                labels=["B", "n", "T"],
                panels=[["B"], ["n"], ["T"]],
            ),
            "step 2 fetches data from Wind, which the request does not name",
        ),
    ],
)
def test_an_edit_that_loses_or_turns_data_is_said(catalogue, request_, after, said):
    before = template(data(), DENSITY, **BOTH)
    if after is None:
        means = [
            ("resample", {"source_label": label, "cadence": "1h", "output_label": f"{label}_1h"})
            for label in ("B", "n")
        ]
        after = template(data(), DENSITY, *means, labels=["B_1h", "n_1h"], panels=[["B_1h"], ["n_1h"]])
    found = [message for _, message in told(request_, after, catalogue, before=before)]
    assert found == [] if said is None else said in found


def test_a_sentence_that_helio_cannot_read_does_not_hide_what_an_edit_loses(catalogue):
    before = template(data(), DENSITY, **BOTH)
    lost = template(data(), DENSITY, labels=["B"], panels=[["B"]])
    said = [(SHOWN, "the figure no longer draws n, and the request does not remove it")]
    assert told("smooth it with a running average of -5 min", lost, catalogue, before=before) == said
    assert told("smooth it with a running average of -5 min", before, catalogue, before=before) == []


def test_exchanged_titles_of_axes_are_said(catalogue):
    titles = {"1": "B [nT]", "2": "|B| [nT]"}
    steps = [data(), ("magnitude", {"source_label": "B", "output_label": "Bmag"})]
    drawn = {"labels": ["B", "Bmag"], "panels": [["B"], ["Bmag"]]}
    before = template(*steps, **drawn, y_label=titles)
    after = template(*steps, **drawn, y_label={"1": titles["2"], "2": titles["1"]})
    said = (SHOWN, "the y axis of panel 1 is now called '|B| [nT]', which was the name of 2")
    assert said in told("make the lines thicker", after, catalogue, before=before)
    assert told("exchange the titles of the axes", after, catalogue, before=before) == []


def test_a_window_is_read_with_the_variable_in_it(catalogue):
    smooth = {"source_label": "B", "window": "3$WINDOW", "output_label": "S"}
    made = template(data(), ("running_average", smooth))
    made["variables"]["$WINDOW"] = {"type": "duration", "default": "10min"}
    said = "step 1 (running_average) averages over 310min, which the request does not name"
    assert (SHOWN, said) in told("ACE magnetic field for 2022-01-01, 30 min running average", made, catalogue)


def test_a_model_that_writes_another_time_into_a_step_is_asked_again(serve, author):
    other = plan(fetch(time_range="2023-01-03"), figure(), variables=[])
    right = plan(fetch(time_range="2023-01-02"), figure(), variables=[])
    server = serve(SEEN, other, right)
    made = author(server).create("ACE magnetic field for 2023-01-02")
    assert isinstance(made, TemplateDraft)
    assert len(server.requests) == 3
    assert TIME in server.requests[2].text
    assert made.template["variables"]["$TIME_RANGE"]["default"] == "2023-01-02 to 2023-01-03"
