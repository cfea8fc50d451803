"""A changed step changes its own bytes and no others."""

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.pipelines.template.document import as_text
from helio.pipelines.template.splice import splice
from tests.rows import in_one_test

pytestmark = pytest.mark.slow

TEXT = """{
  "id": "mine",   "name": "Mine",
    "variables": {"$T": {"type": "time_range"}},
  "steps": [
    {"step_id": 1, "tool_name": "fetch_data",
       "tool_args": {"dataset_id": "AC_H0_MFI"} },
    {"step_id": "two",
     "tool_name": "magnitude"}  ,
    { "step_id": 3 }
  ]
}
"""
BEFORE = json.loads(TEXT)


def changed(change):
    after = deepcopy(BEFORE)
    change(after)
    text = splice(TEXT, BEFORE, after)
    assert json.dumps(json.loads(text)) == json.dumps(after)
    return text


def test_nothing_changed_is_the_same_text():
    assert changed(lambda after: None) == TEXT


def test_a_changed_step_leaves_the_layout_of_the_others():
    text = changed(lambda after: after["steps"][1].update(tool_name="components"))
    assert TEXT[: TEXT.index('{"step_id": "two"')] == text[: text.index('{\n      "step_id": "two"')]
    assert text.endswith('    { "step_id": 3 }\n  ]\n}\n')


def test_an_added_and_a_removed_step_leave_the_others():
    text = changed(lambda after: after["steps"].insert(1, {"step_id": "new"}))
    assert '{"step_id": 1, "tool_name": "fetch_data",\n       "tool_args"' in text
    text = changed(lambda after: after["steps"].pop(0))
    assert '{"step_id": "two",\n     "tool_name": "magnitude"}' in text


def test_a_member_of_the_template_is_changed_or_added_alone():
    text = changed(lambda after: after.update(name="Yours", description="A text: “quoted”."))
    assert '"id": "mine",   "name": "Yours",\n    "variables"' in text
    assert '"description": "A text: “quoted”."' in text


def test_moved_steps_keep_their_bytes():
    text = changed(lambda after: after["steps"].reverse())
    assert (
        '{"step_id": 1, "tool_name": "fetch_data",\n       "tool_args": {"dataset_id": "AC_H0_MFI"} }' in text
    )


@pytest.mark.parametrize("text", ["```json\n{}\n```", '{"steps": []}'])
def test_a_text_that_says_something_else_is_written_anew(text):
    assert splice(text, BEFORE, BEFORE) == as_text(BEFORE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
STEPS = st.lists(st.dictionaries(st.sampled_from(["step_id", "tool_name", "tool_args"]), JSON), max_size=4)


@given(STEPS, STEPS, st.sampled_from([None, 0, 1, 4]))
def test_whatever_the_layout_the_text_says_what_it_has_to(one, other, indent):
    before, after = {"id": "a", "steps": one}, {"id": "a", "steps": other}
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    assert json.dumps(json.loads(splice(text, before, after))) == json.dumps(after)


@in_one_test("mark", ["", "\ufeff"])
@in_one_test(
    "change",
    [
        lambda after: after["steps"][1].update(tool_name="components"),
        lambda after: after["steps"].insert(1, {"step_id": "new"}),
        lambda after: after.update(name="Yours", description="added"),
        lambda after: after.pop("name"),
    ],
)
def test_a_file_with_other_ends_of_lines_has_them_in_what_is_new_too(mark, change):
    after = deepcopy(BEFORE)
    change(after)
    plain = splice(TEXT, BEFORE, after)
    assert splice(mark + TEXT.replace("\n", "\r\n"), BEFORE, after) == mark + plain.replace("\n", "\r\n")
