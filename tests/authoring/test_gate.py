"""No template passes the gate that could not run, invents data, or mends an error by asking less."""

import json
from copy import deepcopy
from datetime import datetime

import pytest

from helio.authoring.gate import Gate
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.library import Library

NOW = datetime(2024, 1, 20)


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    return Gate(Catalogue(), home=folder, now=NOW, pipelines=Library(folder).templates())


@pytest.fixture
def template(tmp_path):
    shelf = Library(tmp_path)
    return shelf.read(shelf.find("ace-bfield-overview"))


def fetch(dataset, parameter, **args):
    return {
        "step_id": 1,
        "tool_name": "fetch_data",
        "tool_args": {"dataset_id": dataset, "parameter_id": parameter, "time_range": "$TIME_RANGE", **args},
    }


def plan(*steps):
    variables = {"$TIME_RANGE": {"type": "time_range", "default": "last 7 days"}}
    drawn = {"step_id": 9, "tool_name": "plot_data", "tool_args": {}}
    return json.dumps({"id": "new", "variables": variables, "steps": [*steps, drawn]})


def codes(proved):
    return [one.code for one in proved.errors]


def test_a_sound_template_passes_and_keeps_its_ids(gate):
    proved = gate.new(plan(fetch("AC_H2_MFI", "BGSEc")))
    assert codes(proved) == []
    assert [step["step_id"] for step in proved.template["steps"]] == [1, 9]


def test_a_model_s_dialect_and_spellings_are_mended(gate):
    text = "Here it is:\n```json\n" + plan(fetch("AC_H2_MFI", "BGSEc")).replace("tool_name", "tool") + "\n```"
    proved = gate.new(text)
    assert codes(proved) == []
    assert proved.template["steps"][0]["tool_name"] == "fetch_data"


def test_an_invented_dataset_is_refused_with_what_comes_close(gate):
    [found] = gate.new(plan(fetch("AC_H22_MFI", "BGSEc"))).errors
    assert (found.code, found.step_id) == ("HE401", 1)
    assert "AC_H2_MFI" in " ".join(found.advice)


def test_an_invented_parameter_is_refused_with_what_comes_close(gate):
    [found] = gate.new(plan(fetch("AC_H2_MFI", "BGSEcc"))).errors
    assert found.code == "HE402"
    assert "BGSEc" in " ".join(found.advice)


def test_every_candidate_has_to_be_there(gate):
    args = {"candidates": ["AC_H2_MFI", "AC_H77_MFI"], "output_label": "B"}
    step = fetch("", "BGSEc", **args)
    del step["tool_args"]["dataset_id"]
    assert codes(gate.new(plan(step))) == ["HE401"]


def test_a_range_after_the_end_of_a_dataset_is_refused(gate):
    found = gate.new(plan(fetch("GE_K0_MGF", "IB_vector"))).errors
    assert [one.code for one in found] == ["HB302"]
    assert "covers 1992" in found[0].message


@pytest.mark.parametrize(
    "text", ["", "I cannot do that.", '{"steps": [{"step_id": 1, "tool_na', "[]", "null"]
)
def test_what_is_no_template_is_refused(gate, text):
    assert gate.new(text).errors


def test_an_edit_leaves_the_steps_that_it_does_not_name_to_the_byte(gate, template):
    after = deepcopy(template)
    after["steps"][3]["tool_args"]["trace_colours"] = {"ACE_Bmag": "red"}
    del after["steps"][3]["tool_args"]["trace_colors"]
    proved = gate.edited(template, after)
    assert codes(proved) == []
    assert proved.template["steps"][3]["tool_args"]["trace_colors"] == {"ACE_Bmag": "red"}
    assert json.dumps(proved.template["steps"][:3]) == json.dumps(template["steps"][:3])


def test_an_edit_that_breaks_another_step_is_refused(gate, template):
    after = deepcopy(template)
    after["steps"][1]["tool_args"]["output_label"] = "other"
    assert codes(gate.edited(template, after)) != []


def test_an_edit_may_not_bring_in_data_that_are_nowhere(gate, template):
    after = deepcopy(template)
    after["steps"][0]["tool_args"]["candidates"] = ["AC_H2_MFI", "ACE_MAG_1MIN"]
    assert codes(gate.edited(template, after)) == ["HE401"]


def test_a_variable_that_a_changed_step_needs_comes_with_it(gate):
    before = {
        "id": "b",
        "steps": json.loads(plan(fetch("AC_H2_MFI", "BGSEc", time_range="2023-01-01")))["steps"],
    }
    after = deepcopy(before)
    after["steps"].append(fetch("AC_H0_MFI", "BGSEc", time_range="last week") | {"step_id": 2})
    proved = gate.edited(before, after)
    assert codes(proved) == []
    assert proved.template["steps"][0] == before["steps"][0]
    last = proved.template["steps"][-1]["tool_args"]["time_range"]
    assert last in (proved.template.get("variables") or {}) or not last.startswith("$")


def draw_one_line_less(steps):
    steps[2]["tool_args"].update(labels=["ACE_B"], panels=[["ACE_B"]])
    for key in ("trace_colors", "trace_names"):
        steps[3]["tool_args"].pop(key, None)


@pytest.mark.parametrize(
    "weaken",
    [
        lambda steps: steps[0].update(critical=False),
        lambda steps: steps[0]["tool_args"].update(time_range="2020-01-01"),
        lambda steps: steps.pop(3),
        draw_one_line_less,
    ],
)
def test_a_repair_makes_no_error_go_away_by_asking_less(gate, template, weaken):
    after = deepcopy(template)
    weaken(after["steps"])
    assert "HE304" in codes(gate.repaired(template, after, declared=(1, 2, 3, 4)))


def test_a_repair_changes_no_step_that_it_did_not_name(gate, template):
    after = deepcopy(template)
    after["steps"][3]["tool_args"]["title"] = "other"
    assert codes(gate.repaired(template, after, declared=(1,))) == ["HE301"]


def test_a_repair_of_the_failed_step_passes(gate, template):
    after = deepcopy(template)
    after["steps"][0]["tool_args"]["candidates"] = ["AC_H0_MFI"]
    proved = gate.repaired(template, after, declared=(1,))
    assert codes(proved) == []
    assert proved.template["steps"][0]["tool_args"]["candidates"] == ["AC_H0_MFI"]


def test_a_figure_that_draws_every_table_uses_them(gate):
    proved = gate.new(plan(fetch("AC_H2_MFI", "BGSEc")))
    assert [one.code for one in proved.warnings] == []


def test_a_table_that_nothing_draws_is_said(gate):
    other = {**fetch("WI_H0_MFI", "BGSE"), "step_id": 2}
    steps = json.loads(plan(fetch("AC_H2_MFI", "BGSEc"), other))
    steps["steps"][-1]["tool_args"] = {"labels": ["AC_H2_MFI.BGSEc"]}
    assert [(one.code, one.step_id) for one in gate.new(json.dumps(steps)).warnings] == [("HV301", 2)]


@pytest.mark.parametrize("provider", ["sample", "hapi:CDAWeb", "swpc", "http://evil.example/hapi", "/etc"])
def test_a_provider_whose_datasets_cannot_be_looked_up_is_not_chosen(gate, provider):
    assert codes(gate.new(plan(fetch("AC_H2_MFI", "BGSEc", provider=provider)))) == ["HE401"]


def test_a_product_of_swpc_that_there_is_may_be_fetched(gate):
    assert codes(gate.new(plan(fetch("SWPC_RTSW_MAG", "BGSM", provider="swpc")))) == []
    assert codes(gate.new(plan(fetch("SWPC_RTSW_MAG", "BGSMM", provider="swpc")))) == ["HE402"]
    assert codes(gate.new(plan(fetch("SWPC_RTSW_MAGG", "BGSM", provider="swpc")))) == ["HE401"]


def test_a_provider_that_a_person_wrote_stays_in_an_edit(gate):
    before = json.loads(plan(fetch("MY_DATA", "Bx", provider="hapi:CDAWeb")))
    after = deepcopy(before)
    after["steps"][0]["tool_args"]["parameter_id"] = "By"
    assert codes(gate.edited(before, after)) == []
    after["steps"][0]["tool_args"]["dataset_id"] = "OTHER_DATA"
    assert codes(gate.edited(before, after)) == ["HE401"]


def test_a_variable_that_nobody_declared_is_given_by_the_run(gate):
    before = {"id": "b", "steps": json.loads(plan(fetch("AC_H2_MFI", "BGSEc")))["steps"]}
    after = deepcopy(before)
    after["steps"][1]["tool_args"]["title"] = "B"
    assert codes(gate.edited(before, after)) == []


# ---- beyond the data, and beyond a reviewer


@pytest.mark.parametrize("when", ["2030-01-01", "2244", "2024-01-20 to 2024-01-21"])
def test_a_time_that_is_wholly_to_come_is_refused(gate, when):
    text = plan(fetch("AC_H2_MFI", "BGSEc")).replace("last 7 days", when)
    [found] = gate.new(text).errors
    assert found.code == "HE403"
    assert "is in the future: the time is now 2024-01-20 00:00 UTC" in found.message


def test_a_time_that_has_begun_is_not_refused(gate):
    assert codes(gate.new(plan(fetch("AC_H2_MFI", "BGSEc")).replace("last 7 days", "2024-01-19/P3D"))) == []


def test_an_edit_to_a_time_that_is_to_come_is_refused(gate, template):
    after = deepcopy(template)
    after["variables"]["$TIME_RANGE"]["default"] = "2030-01-01 to 2030-01-02"
    assert set(codes(gate.edited(template, after))) == {"HE403"}


@pytest.mark.parametrize(("count", "refused"), [(198, []), (199, ["HV701"])])
def test_an_author_writes_at_most_200_steps(gate, count, refused):
    more = [
        {
            "step_id": f"m{number}",
            "tool_name": "magnitude",
            "tool_args": {"source_label": "AC_H2_MFI.BGSEc", "output_label": f"m{number}"},
        }
        for number in range(count)
    ]
    assert codes(gate.new(plan(fetch("AC_H2_MFI", "BGSEc"), *more))) == refused


@pytest.mark.parametrize("name", ["../../x.csv", "/tmp/x.csv", "a\\b.csv", ".x"])
def test_a_file_name_with_folders_is_refused(gate, name):
    saved = {
        "step_id": 5,
        "tool_name": "save_data",
        "tool_args": {"source_labels": ["AC_H2_MFI.BGSEc"], "filename": name},
    }
    proved = gate.new(plan(fetch("AC_H2_MFI", "BGSEc"), saved))
    assert any("is not a plain file name" in one.message for one in proved.errors)


LITERALS = "result = pd.DataFrame({'x': [5.0]}, index=pd.to_datetime(['2024-01-15']))"


def as_written(steps):
    steps[0] |= {
        "tool_name": "store_dataframe",
        "tool_args": {"pandas_code": LITERALS, "output_label": "ACE_B"},
    }


def as_constant(steps, code="result = pd.Series(np.ones(len(df)), index=df.index)"):
    steps[1] |= {
        "tool_name": "custom_operation",
        "tool_args": {"source_labels": ["ACE_B"], "pandas_code": code, "output_label": "ACE_Bmag"},
    }


def as_zeros(steps):
    as_constant(steps, "result = df * 0 + 5")


def as_full(steps):
    as_constant(steps, "result = pd.DataFrame(np.full(df.shape, 3.0), index=df.index)")


def as_random(steps):
    as_constant(
        steps,
        "r = np.random.default_rng(0)\nresult = pd.Series(r.normal(size=len(df)), index=df.index)",
    )


def with_written_beside(steps):
    made = {"step_id": 8, "tool_name": "store_dataframe"}
    made["tool_args"] = {"pandas_code": LITERALS, "output_label": "new_B"}
    steps.insert(0, made)
    steps[2]["tool_args"]["source_label"] = "new_B"


def with_written_drawn(steps):
    made = {"step_id": 8, "tool_name": "store_dataframe"}
    made["tool_args"] = {"pandas_code": LITERALS, "output_label": "new_B"}
    steps.insert(0, made)
    steps[3]["tool_args"] = {"labels": ["new_B", "ACE_Bmag"], "panels": [["new_B"], ["ACE_Bmag"]]}


@pytest.mark.parametrize(
    "invent",
    [as_written, as_constant, as_zeros, as_full, as_random, with_written_beside, with_written_drawn],
)
def test_a_repair_puts_no_written_values_in_the_place_of_data(gate, template, invent):
    after = deepcopy(template)
    invent(after["steps"])
    assert "HE305" in codes(gate.repaired(template, after, declared=(1, 2, 3, 4)))


def test_a_repair_may_compute_otherwise_from_the_same_data(gate, template):
    after = deepcopy(template)
    as_constant(after["steps"], "result = np.sqrt((df ** 2).sum(axis=1))")
    proved = gate.repaired(template, after, declared=(2,))
    assert codes(proved) == []
    assert not {"HV604", "HV605"} & {diagnostic.code for diagnostic in proved.warnings}


def test_a_repair_that_may_invent_is_marked(gate, template):
    after = deepcopy(template)
    as_constant(after["steps"], "result = np.sqrt((df ** 2).sum(axis=1)).fillna(0)")
    proved = gate.repaired(template, after, declared=(2,))
    assert codes(proved) == []
    marked = [diagnostic.step_id for diagnostic in proved.warnings if diagnostic.code == "HV605"]
    assert 2 in marked
    assert 3 in marked


def test_a_repair_of_a_written_table_may_write_it_otherwise(gate):
    before = json.loads(plan(fetch("AC_H2_MFI", "BGSEc"), {**as_table(), "step_id": 2}))
    after = deepcopy(before)
    after["steps"][1]["tool_args"]["pandas_code"] = LITERALS.replace("5.0", "6.0")
    assert "HE305" not in codes(gate.repaired(before, after, declared=(2,)))


def as_table():
    return {"tool_name": "store_dataframe", "tool_args": {"pandas_code": LITERALS, "output_label": "limit"}}


def test_written_values_are_said_of_what_an_author_proposes(gate):
    proved = gate.new(plan(fetch("AC_H2_MFI", "BGSEc"), {**as_table(), "step_id": 2}))
    assert codes(proved) == []
    assert [(diagnostic.code, diagnostic.step_id) for diagnostic in proved.warnings] == [
        ("HV604", 2),
        ("HV604", 9),
    ]


def test_an_edit_that_invents_is_said_of_every_step_that_rests_on_it(gate, template):
    after = deepcopy(template)
    as_zeros(after["steps"])
    proved = gate.edited(template, after)
    assert codes(proved) == []
    assert {diagnostic.step_id for diagnostic in proved.warnings if diagnostic.code == "HV604"} >= {2, 3}


def with_variables(step, **variables):
    document = json.loads(plan(step))
    document["variables"] |= {f"${name}": facts for name, facts in variables.items()}
    return json.dumps(document)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"type": "dataset", "default": "AC_H22_MFI"}, ["HE401"]),
        ({"type": "string", "default": "AC_H22_MFI"}, ["HE401"]),
        ({"type": "enum", "default": "AC_H2_MFI", "choices": ["AC_H2_MFI", "AC_H22_MFI"]}, ["HE401"]),
        ({"type": "dataset", "default": "AC_H2_MFI"}, []),
    ],
)
def test_a_dataset_in_a_variable_is_looked_up(gate, facts, expected):
    found = gate.new(with_variables(fetch("$DATASET", "BGSEc", output_label="B"), DATASET=facts))
    assert codes(found) == expected


def test_a_parameter_in_a_variable_is_looked_up(gate):
    step = fetch("AC_H2_MFI", "$PARAMETER", output_label="B")
    facts = {"type": "parameter", "default": "BGSEcc"}
    assert codes(gate.new(with_variables(step, PARAMETER=facts))) == ["HE402"]


def test_a_candidate_in_a_variable_is_looked_up(gate):
    step = fetch("", "BGSEc", candidates=["AC_H2_MFI", "$SHIP"], output_label="B")
    del step["tool_args"]["dataset_id"]
    facts = {"type": "string", "default": "ACE_MAG_1MIN"}
    assert codes(gate.new(with_variables(step, SHIP=facts))) == ["HE401"]


def test_the_items_of_a_map_are_looked_up(gate):
    step = fetch("$D", "BGSEc") | {"for_each": {"as": "$D", "over": ["AC_H2_MFI", "AC_H22_MFI"]}}
    assert codes(gate.new(plan(step))) == ["HE401"]


def test_what_a_pipeline_is_given_is_looked_up(tmp_path):
    inner = json.loads(
        with_variables(fetch("$DATASET", "BGSEc", output_label="B"), DATASET={"type": "dataset"})
    )
    gate = Gate(Catalogue(), home=tmp_path, now=NOW, pipelines={"inner": inner})
    for dataset, expected in (("AC_H2_MFI", []), ("AC_H22_MFI", ["HE401"])):
        given = {"$DATASET": dataset, "$TIME_RANGE": "2024-01-10"}
        outer = {"id": "outer", "steps": [{"step_id": 1, "use": "inner", "with": given}]}
        assert codes(gate.new(json.dumps(outer))) == expected


def test_another_default_of_a_variable_is_looked_up(gate):
    facts = {"type": "dataset", "default": "AC_H2_MFI"}
    before = json.loads(with_variables(fetch("$DATASET", "BGSEc", output_label="B"), DATASET=facts))
    after = deepcopy(before)
    after["variables"]["$DATASET"]["default"] = "AC_H22_MFI"
    assert codes(gate.edited(before, after)) == ["HE401"]


def test_a_dataset_that_stopped_is_not_offered_for_the_last_days_though_its_spacecraft_works(tmp_path):
    catalogue = Catalogue()
    entry = catalogue.summary("DSCOVR_H1_FC")
    assert catalogue.has_stopped(entry)
    assert not catalogue.has_ended(entry)
    gate = Gate(catalogue, home=tmp_path, now=datetime(2026, 3, 10), pipelines={})
    steps = json.loads(plan(fetch("DSCOVR_H1_FC", "V_GSE")))
    steps["variables"]["$TIME_RANGE"]["default"] = "last 3 days"
    [found] = gate.new(json.dumps(steps)).errors
    assert found.code == "HE403"
    assert "2019" in found.message
    steps["variables"]["$TIME_RANGE"]["default"] = "2019-06-01 to 2019-06-03"
    assert codes(gate.new(json.dumps(steps))) == []
