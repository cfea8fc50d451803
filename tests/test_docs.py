"""What is generated is as its generator would write it now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from helio.pipelines.dialect import structure
from helio.pipelines.library import SHIPPED as TEMPLATES
from helio.pipelines.template import schema
from helio.pipelines.template.document import as_text
from helio.pipelines.template.schema import SCHEMA_FILE, STEP, STRUCTURE, VARIABLE
from helio.steps.signature import signatures

ROOT = Path(__file__).parents[1]
SHIPPED_TEMPLATES = sorted(path for path in TEMPLATES.glob("*.json") if path.name != SCHEMA_FILE)


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
    published = json.loads(schema.schema_text())
    Draft202012Validator.check_schema(published)
    Draft202012Validator(published).validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", SHIPPED_TEMPLATES, ids=lambda path: path.stem)
def test_a_shipped_template_is_called_like_its_file(path: Path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["id"] == path.stem
    assert json.loads(as_text(document)) == document


def test_the_schema_refuses_what_the_check_refuses():
    published = Draft202012Validator(json.loads(schema.schema_text()))
    document = json.loads((TEMPLATES / "psp-bfield.json").read_text(encoding="utf-8"))
    document["steps"][0]["tool_args"]["time_rnge"] = "2024"
    assert not published.is_valid(document)


def test_every_rule_of_the_schema_is_one_that_is_checked_quickly():
    def rules(part: Any) -> set[str]:
        if isinstance(part, list):
            return set().union(*map(rules, part))
        if not isinstance(part, dict):
            return set()
        below = [rules(inner) for name, inner in part.items() if name not in ("properties", "enum", "const")]
        return set(part).union(*below, *map(rules, part.get("properties", {}).values()))

    tools = [tool.schema() for tool in signatures().values()]
    assert rules([STEP, STRUCTURE, VARIABLE, *tools]) <= set(structure.CHECKED)
