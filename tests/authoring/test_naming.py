"""A reviewer is told where a title or a label says something else than the data are."""

import json

import pytest

from helio.authoring.rules.author import RuleAuthor
from tests.authoring.conftest import NOW


def fetch(dataset="AC_H2_MFI", parameter="BGSEc", label="B"):
    args = {"dataset_id": dataset, "parameter_id": parameter, "time_range": "$TIME_RANGE"}
    return {"step_id": 1, "tool_name": "fetch_data", "tool_args": {**args, "output_label": label}}


def step(name, tool, **args):
    return {"step_id": name, "tool_name": tool, "tool_args": args}


def told(proving, *steps, name="new", **spec):
    variables = {"$TIME_RANGE": {"type": "time_range", "default": "last 7 days"}}
    template = {"id": "new", "name": name, "variables": variables}
    proved = proving.new(json.dumps(template | {"steps": [*steps, step(9, "render_spec", spec=spec)]}))
    assert proved.errors == ()
    return [one.message for one in proved.warnings if one.code == "HE404"]


TO_GSM = step(2, "transform_frame", source_label="B", to="GSM", output_label="turned")


@pytest.mark.parametrize(
    ("steps", "spec", "said"),
    [
        (
            [fetch()],
            {"labels": ["B"], "title": "ACE B in GSM"},
            "the title 'ACE B in GSM' names the frame GSM, but the data are in GSE",
        ),
        (
            [fetch(label="B_GSM")],
            {"labels": ["B_GSM"]},
            "the label 'B_GSM' names the frame GSM, but the data are in GSE",
        ),
        (
            [fetch("WI_H0_MFI", "BGSE")],
            {"labels": ["B"], "subtitle": "ACE, 16 s"},
            "the subtitle 'ACE, 16 s' names ACE, but the data are from Wind",
        ),
        (
            [fetch("WI_H0_MFI", "BGSE")],
            {"labels": ["B"], "trace_names": {"B": "DSCOVR"}},
            "the line name 'DSCOVR' names DSCOVR, but the data are from Wind",
        ),
        (
            [fetch("WI_H0_MFI", "BGSE", label="ACE_B")],
            {"labels": ["ACE_B"]},
            "the label 'ACE_B' names ACE, but the data are from Wind",
        ),
        (
            [fetch(), TO_GSM],
            {"labels": ["turned"], "panels": [["turned"]], "y_label": {"1": "B GSE"}},
            "the axis label 'B GSE' names the frame GSE, but the data are in GSM",
        ),
        (
            [fetch(), step(2, "components", source_label="B", keep="x", output_label="Bz")],
            {"labels": ["Bz"]},
            "the label 'Bz' names component z, but the step keeps x",
        ),
    ],
)
def test_what_is_said_of_other_data_is_a_warning(proving, steps, spec, said):
    assert told(proving, *steps, **spec) == [said]


def test_the_name_of_the_pipeline_is_held_against_all_its_data(proving):
    [said] = told(proving, fetch("WI_H0_MFI", "BGSE"), labels=["B"], name="ACE field")
    assert said == "the name 'ACE field' names ACE, but the data are from Wind"


@pytest.mark.parametrize(
    ("steps", "spec"),
    [
        ([fetch()], {"labels": ["B"], "title": "ACE B in GSE, the solar wind at L1"}),
        ([fetch(), TO_GSM], {"labels": ["B", "turned"], "title": "ACE B in GSE and GSM"}),
        ([fetch(), TO_GSM], {"labels": ["turned"], "title": "ACE B_GSM"}),
        ([fetch("MMS1_FGM_SRVY_L2", "mms1_fgm_b_gse_srvy_l2")], {"labels": ["B"], "title": "MMS field, GSE"}),
        ([fetch("OMNI_HRO_1MIN", "BZ_GSM")], {"labels": ["B"], "title": "Solar Wind: OMNI Bz GSM"}),
        (
            [fetch("AC_H0_SWE", "Np"), step(2, "resample", source_label="B", cadence="1h", output_label="n")],
            {"labels": ["n"], "title": "Density beside the field in GSM"},
        ),
        (
            [fetch(), step(2, "components", source_label="B", keep=["z"], output_label="Bz")],
            {"labels": ["Bz"]},
        ),
    ],
)
def test_what_is_said_of_its_own_data_is_no_warning(proving, steps, spec):
    assert told(proving, *steps, **spec) == []


@pytest.mark.parametrize(
    "request_",
    [
        "ACE magnetic field in GSM for 2023-01-02",
        "compare ACE and Wind magnetic field for last week, magnitudes too",
        "Parker Solar Probe magnetic field for 2022-02-25",
        "OMNI Bz and Dst for 2023-01-02",
    ],
)
def test_what_rules_write_says_what_it_is(catalogue, proving, request_):
    author = RuleAuthor(catalogue, proving, now=NOW)
    assert [one for one in author.create(request_).proved.warnings if one.code == "HE404"] == []


def test_an_edit_is_told_of_for_what_it_brings_and_not_for_what_a_person_wrote(proving, overview):
    odd = json.loads(json.dumps(overview).replace("ACE magnetic field", "Wind magnetic field"))
    assert odd != overview
    after = json.loads(json.dumps(odd))
    after["steps"][3]["tool_args"]["trace_names"] = {"ACE_Bmag": "DSCOVR"}
    said = [one.message for one in proving.edited(odd, after).warnings if one.code == "HE404"]
    assert said == ["the line name 'DSCOVR' names DSCOVR, but the data are from ACE"]
