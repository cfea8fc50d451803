"""Plain repairs: another source where there is nothing, a misspelt name by the one that comes close."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from helio.authoring.outcome import Failure, NotUnderstood
from helio.errors import UnitMismatch
from helio.steps.examples import series
from helio.steps.quantity import Quantity, check_quantity

MIXED_UNITS = Path(__file__).parents[3] / "benchmarks" / "authoring" / "templates" / "mixed-units.json"


def failed(kind, message="", advice="", step=1):
    return Failure("a-run", step, kind, message, advice)


def test_where_there_is_nothing_further_sources_of_the_same_quantity_are_tried(author):
    template = author.create("ACE density for 2023-01-02").template
    template["steps"][0]["tool_args"] = {
        "dataset_id": "AC_H0_SWE",
        "parameter_id": "Np",
        "time_range": "$TIME_RANGE",
        "output_label": "ACE_n",
    }
    outcome = author.repair(template, failed("NoData", "nothing there", step="ace_n"))
    candidates = outcome.template["steps"][0]["tool_args"]["candidates"]
    assert [one["dataset_id"] for one in candidates] == ["AC_H0_SWE", "AC_K0_SWE", "AC_H2_SWE"]
    assert outcome.template["steps"][1:] == template["steps"][1:]


def test_a_misspelt_parameter_becomes_the_one_that_comes_close(author, overview):
    template = deepcopy(overview)
    template["steps"][0]["tool_args"] = {
        "dataset_id": "AC_H0_MFI",
        "parameter_id": "Magnitud",
        "time_range": "$TIME_RANGE",
        "output_label": "ACE_B",
    }
    outcome = author.repair(template, failed("UnknownParameter"))
    assert outcome.template["steps"][0]["tool_args"]["parameter_id"] == "Magnitude"


def test_a_component_becomes_the_one_that_comes_close(author):
    template = author.create("ACE Bz in GSE for 2023-01-02").template
    step = next(one for one in template["steps"] if one["tool_name"] == "components")
    step["tool_args"]["keep"] = ["B GSE"]
    failure = failed(
        "StepError", "no component is called 'B GSE'", "components: Bx GSE, By GSE, Bz GSE", step["step_id"]
    )
    with pytest.raises(NotUnderstood):  # three come close
        author.repair(template, failure)
    one_close = failed(
        "StepError", "no component is called 'B GSE'", "components: flow, Bz GSE", step["step_id"]
    )
    outcome = author.repair(template, one_close)
    changed = next(one for one in outcome.template["steps"] if one["step_id"] == step["step_id"])
    assert changed["tool_args"]["keep"] == ["Bz GSE"]


def test_a_table_in_another_unit_is_converted_first(author):
    template = json.loads(MIXED_UNITS.read_text())
    with pytest.raises(UnitMismatch) as refused:
        check_quantity(Quantity("K"), series([1.0], "eV"), tool="plasma_beta", parameter="temperature")
    outcome = author.repair(
        template, failed("UnitMismatch", refused.value.message, refused.value.advice, "beta")
    )
    conversion, beta = outcome.template["steps"][2:4]
    assert conversion["tool_args"] == {
        "source_label": "WI_PM_3DP.P_TEMP",
        "to": "K",
        "equivalence": "thermal",
        "output_label": beta["tool_args"]["temperature_label"],
    }


@pytest.mark.parametrize(
    "failure",
    [
        failed("DamagedFile", "truncated"),
        failed("StepError", "a magnitude needs a vector", step=2),
        failed("NoData", step=77),
    ],
)
def test_what_no_rule_knows_is_said(author, overview, failure):
    with pytest.raises(NotUnderstood):
        author.repair(overview, failure)
