"""Every key of a template and of a figure is explained, with an example that the schema takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from helio.pipelines.template.schema import STEP, STRUCTURE, VARIABLE, template_schema
from helio.pipelines.template.template import Step
from helio.pipelines.template_keys import EXAMPLE, Key, keys
from helio.steps.signature import signatures
from tests.rows import in_one_test

SPEC = next(argument.schema for argument in signatures()["render_spec"].arguments if argument.name == "spec")


def names_in(value: Any) -> Iterator[str]:
    """The keys of all objects in a value."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from names_in(inner)


@in_one_test("key", [key for same in keys().values() for key in same])
def test_a_key_says_what_it_means_and_its_example_fits(key: Key):
    text = str(key)
    assert text.startswith(f"{key.name}: ")
    assert key.schema.get("description") or key.places == {"steps[].tool_args": ["manage_plot"]}
    assert json.loads(json.dumps(key.to_json()))["key"] == key.name
    if key.example is not None:
        Draft202012Validator(key.schema).validate(key.example)
        assert '  example  "' in text


@pytest.mark.parametrize(
    "schema", [STRUCTURE, STEP, VARIABLE, SPEC], ids=["template", "step", "variable", "spec"]
)
def test_every_key_has_an_example(schema: dict[str, Any]):
    for name in schema["properties"]:
        assert any(key.example is not None for key in keys()[name]), name


def test_the_example_of_all_keys_is_a_template_by_the_published_schema():
    Draft202012Validator(template_schema()).validate(EXAMPLE)
    assert {*STRUCTURE["properties"], *STEP["properties"], *VARIABLE["properties"]} <= set(names_in(EXAMPLE))
    assert set(SPEC["properties"]) <= set(names_in(EXAMPLE))


def test_a_default_of_the_schema_is_the_default_of_a_step():
    [critical] = keys()["critical"]
    assert critical.default is Step(step_id=1).critical is True
    assert "default  true" in str(critical)


def test_an_argument_names_the_tools_that_take_it():
    windows = {tuple(tools): key for key in keys()["window"] for tools in key.places.values()}
    assert ("running_average",) in windows
    assert '"window": "2min"' in str(windows["running_average",])
    [label] = [key for key in keys()["output_label"] if key.required]
    [tools] = label.places.values()
    assert f"and {len(tools) - 6} more" in " ".join(str(label).split())


def test_a_key_of_an_object_lists_its_keys():
    [for_each] = keys()["for_each"]
    assert for_each.inner == ("as", "over")
    [spec] = keys()["spec"]
    assert {"panels", "y_label"} <= set(spec.inner)
    assert "x0" not in spec.inner
