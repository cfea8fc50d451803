"""The documentation has all of the code, its links lead somewhere, and what is shipped fits the schema."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.main import get_command

import helio
from helio.cli import app
from helio.pipelines.dialect import structure
from helio.pipelines.library import SHIPPED as TEMPLATES
from helio.pipelines.template import schema
from helio.pipelines.template.document import as_text
from helio.pipelines.template.schema import SCHEMA_FILE, STEP, STRUCTURE, VARIABLE
from helio.steps.signature import signatures
from tests.rows import in_one_test, try_rows

ROOT = Path(__file__).parents[1]
SHIPPED_TEMPLATES = sorted(path for path in TEMPLATES.glob("*.json") if path.name != SCHEMA_FILE)


SCRIPTS = sorted((ROOT / "scripts").glob("write_*_reference.py"))
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def generated() -> dict[str, str]:
    """Every page of the reference, which is made from the code and not kept, by its path."""
    return {path: text for script in SCRIPTS for path, text in runpy.run_path(str(script))["pages"]().items()}


def test_the_reference_is_written_without_the_packages_of_tests():
    code = """
import runpy, sys
sys.modules.update(dict.fromkeys(("pytest", "_pytest", "hypothesis", "xdist")))
for script in sys.argv[1:]:
    assert runpy.run_path(script)["pages"]()
"""
    subprocess.run([sys.executable, "-c", code, *map(str, SCRIPTS)], cwd=ROOT, check=True)


def commands(command: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """Yield every command by its words, with those that have commands of their own."""
    for name, inner in getattr(command, "commands", {}).items():
        yield " ".join((*words, name)), inner
        yield from commands(inner, *words, name)


def test_the_command_reference_explains_every_command_with_its_options():
    text = "\n".join(page for path, page in generated().items() if path.startswith("commands/"))
    sections = dict(
        re.findall(r"^##+ helio ([a-z -]+)\n(.*?)(?=^##? |^### helio|\Z)", text, re.DOTALL | re.M)
    )
    for name, command in commands(get_command(app)):
        context = command.make_context(f"helio {name}", [], resilient_parsing=True)
        assert f"\nhelio {name}" in sections[name]
        for parameter in command.params:
            if record := parameter.get_help_record(context):
                assert f"`{record[0]}`\n: " in sections[name], f"{name}: {record[0]}"
                assert record[1]


def test_every_example_of_the_command_reference_is_understood():
    examples = runpy.run_path(str(ROOT / "scripts" / "write_command_reference.py"))["EXAMPLES"]
    made = dict(commands(get_command(app)))
    with_examples = {name for name, command in made.items() if not getattr(command, "no_args_is_help", False)}
    assert set(examples) == with_examples
    for name, lines in examples.items():
        for line in lines:
            [called] = re.findall(r"helio [^)]*", line)
            words = shlex.split(called.rstrip('"') if called != line else line)
            assert words[1 : 1 + len(name.split())] == name.split()
            assert made[name].make_context(name, words[1 + len(name.split()) :]) is not None


def test_the_reference_of_figures_has_every_key():
    page = generated()["figure.md"]
    figure = signatures()["render_spec"].argument("spec")
    assert figure is not None
    for name, key in figure.schema["properties"].items():
        assert f"## {name}\n\n" in page
        assert key["description"]
    assert '{"filename": "ace_{start}.png"}' in page
    assert '{"title": "PSP, {start}"}' in page


def test_every_key_of_a_template_says_what_it_means():
    page = generated()["template.md"]
    for part in (STRUCTURE, STEP, VARIABLE):
        for name, key in part["properties"].items():
            assert f"`{name}` *" in page
            assert key["description"]


def test_the_reference_has_every_public_function():
    pages = generated()
    for name in helio.__all__:
        assert name == "__version__" or f"autofunction:: helio.api.{name}\n" in pages[f"api/{name}.md"]


def test_the_reference_has_every_environment_variable():
    source = (ROOT / "helio" / "settings.py").read_text(encoding="utf-8")
    page = generated()["settings.md"]
    variables = re.findall(r'"((?:HELIO|GEMINI|GOOGLE|BROWSER)_[A-Z_]+)"', source)
    assert len(variables) > 15
    assert set(variables) <= set(re.findall(r"[A-Z_]+", page))
    assert "| `$HELIO_STEP_SECONDS` | maximum seconds for one step. Default: `900`. |" in page


def test_words_of_docstrings_become_markdown():
    names = runpy.run_path(str(ROOT / "scripts" / "reference_text.py"))
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    for name in ("markdown", "terms", "definitions", "page_name"):
        [test] = finder.find(names[name], name, module=False, globs=names)
        assert test.examples
        assert runner.run(test).failed == 0


def test_no_link_of_a_written_text_is_broken():
    made = {(ROOT / "docs" / "reference" / path) for path in generated()}
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{text.relative_to(ROOT)}: {target}"
        for text in texts
        if text not in made
        for target in LINK.findall(text.read_text(encoding="utf-8"))
        if not target.startswith(("http://", "https://", "mailto:"))
        and not (text.parent / target).exists()
        and (text.parent / target).resolve() not in made
    ]
    assert not broken


@pytest.mark.slow
def test_each_shipped_template_fits_the_published_schema():
    published = json.loads(schema.schema_text())
    Draft202012Validator.check_schema(published)
    fits = Draft202012Validator(published).validate
    try_rows(((path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in SHIPPED_TEMPLATES), fits)


@in_one_test("path", SHIPPED_TEMPLATES)
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


def test_a_broken_link_of_the_site_is_found(tmp_path: Path):
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#there">b</a> <a href="#here">a</a></p>')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#gone">a</a> <a href="c.html">c</a> <a href="https://x">x</a>'
    )
    broken_links = runpy.run_path(str(ROOT / "scripts" / "check_site_links.py"))["broken_links"]
    assert broken_links(tmp_path) == (["a.html: b.html#there", "b.html: a.html#gone", "b.html: c.html"], 4)


@pytest.mark.parametrize(
    "text", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions", "docs/pyhc.md"], ids=lambda text: text
)
def test_the_files_that_a_text_names_exist(text: str):
    texts = [ROOT / text] if text.endswith(".md") else sorted((ROOT / text).glob("*.md"))
    homes = (ROOT, ROOT / "helio", *(path for path in (ROOT / "helio").iterdir() if path.is_dir()))
    missing = [
        f"{path.name}: {name}"
        for path in texts
        for name in re.findall(r"`([a-z_/]+\.(?:py|sql)|[a-z_/]+/)`", path.read_text(encoding="utf-8"))
        if not any((home / name).exists() for home in homes)
    ]
    assert texts
    assert not missing
