"""A review shows changes that only replace one word by another as one, and everything else line by line."""

import json
from copy import deepcopy

import pytest

from helio.pipelines.changes import changes
from helio.pipelines.review_lines import review_lines

TEMPLATE = {
    "id": "mms-burst",
    "name": "MMS1 burst",
    "steps": [
        {
            "step_id": "field",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "MMS1_FGM_BRST_L2",
                "parameters": ["mms1_fgm_b_gse_brst_l2", "mms1_fgm_flag_brst_l2"],
                "time_range": "2015-12-08",
            },
        },
        {
            "step_id": "good",
            "tool_name": "mask_by_flag",
            "tool_args": {
                "series_label": "MMS1_FGM_BRST_L2.mms1_fgm_b_gse_brst_l2",
                "flag_label": "MMS1_FGM_BRST_L2.mms1_fgm_flag_brst_l2",
                "where": "<",
                "value": 2,
                "output_label": "B",
            },
            "depends_on": ["field"],
        },
        {
            "step_id": "figure",
            "tool_name": "render_spec",
            "tool_args": {
                "spec": {
                    "panels": [["B"]],
                    "trace_names": {"MMS1_FGM_BRST_L2.mms1_fgm_b_gse_brst_l2": "field"},
                    "title": "MMS1",
                }
            },
            "depends_on": ["good"],
        },
    ],
}


def swapped(old="MMS1", new="MMS2"):
    text = json.dumps(TEMPLATE).replace(old, new).replace(old.lower(), new.lower())
    return json.loads(text)


def review(after):
    return review_lines(changes(TEMPLATE, after), new=False, numbered=True)


def test_another_spacecraft_is_one_entry_and_what_else_changes_stands_alone():
    after = swapped()
    after["steps"][1]["tool_args"]["where"] = ">"
    lines = review(after)
    assert lines[:3] == [
        "  2-6 change what is fetched or computed; the others change the figure, names or texts",
        "  1-5, 7-9 ~ only mms1 → mms2, and nothing else, in",
        "        name, step field, step good, step figure",
    ]
    assert [line.split(":", 1)[1] for line in lines[3:]] == [" where: < → >"]


def test_changes_of_another_word_or_of_a_second_one_stand_alone():
    after = swapped()
    after["steps"][1]["tool_args"]["series_label"] = "MMS3_FGM_BRST_L2.mms3_fgm_b_gse_brst_l2"
    after["steps"][0]["tool_args"]["dataset_id"] = "MMS2_FGM_SRVY_L2"
    text = "\n".join(review(after))
    assert "step field: dataset: MMS1_FGM_BRST_L2 → MMS2_FGM_SRVY_L2" in text
    assert "+ MMS3_FGM_BRST_L2.mms3_fgm_b_gse_brst_l2" in text


@pytest.mark.parametrize("value", ["another name", None])
def test_a_line_whose_name_changes_with_its_label_stands_alone(value):
    after = swapped()
    names = after["steps"][2]["tool_args"]["spec"]["trace_names"]
    [label] = names
    names[label] = value
    text = "\n".join(review(after))
    assert "legend: no longer field" in text


def test_few_changes_are_listed_one_by_one():
    after = deepcopy(TEMPLATE)
    after["name"] = "MMS2 burst"
    after["steps"][2]["tool_args"]["spec"]["title"] = "MMS2"
    assert [line.split(" ~ ")[1] for line in review(after)] == [
        "name: MMS1 burst → MMS2 burst",
        "step figure: title: MMS1 → MMS2",
    ]
