"""Reading, writing and naming templates."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import as_text, canonical, digest, read_template, slug
from helio.pipelines.template.schema import SCHEMA_FILE
from tests.pipelines.conftest import fetch, magnitude, render, template
from tests.rows import in_one_test


@in_one_test(
    ("text", "code"),
    [
        ("", "HP001"),
        ("   \n", "HP001"),
        ("not json", "HP001"),
        ('{"steps": [1,]}', "HP001"),
        ('{"steps": [NaN]}', "HP001"),
        ('{"id": "a", "id": "b", "steps": []}', "HP001"),
        ("[" * 100_000, "HP005"),
        ('{"id": "a", "steps": [{"step_id": 1', "HP002"),
        ('{"id": "a", "steps": [{"step_id": "fe', "HP002"),
        ('{"id": "a", "steps": [', "HP002"),
        ("null", "HP003"),
        ("42", "HP003"),
        ('"a text"', "HP003"),
        ("[]", "HP003"),
        ("{}", "HP003"),
        ('{"id": "a"}', "HP004"),
        ('{"id": "a", "steps": []}', "HP004"),
        ('{"id": "a", "steps": null}', "HP004"),
    ],
)
def test_what_is_no_template_is_refused_with_its_code(text: str, code: str):
    with pytest.raises(InvalidTemplate) as refused:
        read_template(text)
    assert [finding.code for finding in refused.value.diagnostics] == [code]


@given(st.text())
def test_any_text_is_read_or_refused(text: str):
    try:
        read_template(text)
    except InvalidTemplate as refused:
        assert refused.diagnostics


def test_a_key_that_stands_twice_is_refused_not_overwritten():
    with pytest.raises(InvalidTemplate, match='"time_range" appears twice'):
        read_template('{"steps": [{"time_range": "2024", "time_range": "2025"}]}')


def test_the_canonical_text_reads_back_and_names_its_schema():
    written = template(render(), fetch(), magnitude())
    text = as_text(written)
    assert json.loads(text) == {"$schema": SCHEMA_FILE, **written}
    assert as_text(json.loads(text)) == text
    assert list(canonical(written))[:2] == ["$schema", "id"]


def test_key_order_and_left_out_defaults_do_not_change_the_digest():
    written = template(fetch(), magnitude())
    turned = {key: written[key] for key in reversed(written)} | {"schema_version": 1, "$schema": "x"}
    turned["steps"] = [{"critical": True, "depends_on": [], **step} for step in written["steps"]]
    assert digest(turned) == digest(written)


def test_a_changed_argument_changes_the_digest():
    assert digest(template(fetch())) != digest(template(fetch(args={"parameter_id": "Magnitude"})))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ACE B-field Overview", "ace-b-field-overview"),
        ("My Pipeline!!! (v2)", "my-pipeline-v2"),
        ("  spaces  ", "spaces"),
        ("", ""),
    ],
)
def test_slugs_are_those_of_the_field_names(name: str, expected: str):
    assert slug(name) == expected
