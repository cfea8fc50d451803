"""What is generated is as its generator would write it now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from helio.pipelines import schema
from helio.pipelines.library import SHIPPED as TEMPLATES
from helio.pipelines.schema import SCHEMA_FILE
from helio.pipelines.template import as_text
from helio.steps import signature, write_signatures

ROOT = Path(__file__).parents[1]
SHIPPED_TEMPLATES = sorted(path for path in TEMPLATES.glob("*.json") if path.name != SCHEMA_FILE)


def test_the_shipped_signatures_are_those_of_the_code():
    written = write_signatures.as_text(write_signatures.read_from_code())
    assert signature.SHIPPED.read_text(encoding="utf-8") == written, "python -m helio.steps.write_signatures"


def test_the_published_schema_is_made_of_the_signatures():
    written = schema.as_text(schema.template_schema())
    assert schema.PUBLISHED.read_text(encoding="utf-8") == written, "python -m helio.pipelines.schema"


def test_the_command_reference_is_the_commands_own_help():
    script = ROOT / "scripts" / "write_command_reference.py"
    spec = importlib.util.spec_from_file_location("write_command_reference", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.reference(), f"python scripts/{script.name}"


@pytest.mark.parametrize("path", SHIPPED_TEMPLATES, ids=lambda path: path.stem)
def test_a_shipped_template_fits_the_published_schema(path: Path):
    published = json.loads(schema.PUBLISHED.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(published)
    Draft202012Validator(published).validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", SHIPPED_TEMPLATES, ids=lambda path: path.stem)
def test_a_shipped_template_is_called_like_its_file(path: Path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["id"] == path.stem
    assert json.loads(as_text(document)) == document


def test_the_schema_refuses_what_the_check_refuses():
    published = Draft202012Validator(json.loads(schema.PUBLISHED.read_text(encoding="utf-8")))
    document = json.loads((TEMPLATES / "psp-bfield.json").read_text(encoding="utf-8"))
    document["steps"][0]["tool_args"]["time_rnge"] = "2024"
    assert not published.is_valid(document)
