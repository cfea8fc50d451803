"""What helio dev writes passes all tests at once, and it is written whole or not at all."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.dev import checkout, new
from helio.errors import OutputError, RequestError
from helio.pipelines.codes import codes
from tests.rows import in_one_test

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PARTS = ("helio", "tests", "docs", "scripts", "pyproject.toml", "README.md")
NEW = {"new-tool": "scratch_tool", "new-pass": "check_scratch", "new-source": "observatory"}
RULES = (
    "tests/steps/test_foreseen.py",
    "tests/steps/test_context.py",
    "tests/steps/test_examples.py",
    "tests/pipelines/test_pass_reference.py",
    "tests/test_imports.py",
    "tests/test_docs.py",
)
"""Tests of what holds for every tool, pass and file."""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **{name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")},
        "PYTHONPATH": str(folder),
        "HELIO_HOME": str(folder / "home"),
    }
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environ, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with something new of each kind."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*-pytest-*"))
        else:
            shutil.copy(ROOT / part, folder / part)
    for command, name in NEW.items():
        done = run(folder, "helio", "dev", command, name)
        assert done.returncode == 0, done.stderr
    return folder


def files_of(folder: Path) -> list[str]:
    """What was written new."""
    names = {stem for name in NEW.values() for stem in (name, f"test_{name}")}
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.py")) if path.stem in names]


def test_its_own_tests_and_the_rules_for_all_pass(scratch: Path):
    assert len(files_of(scratch)) == 2 * len(NEW)
    rules = ("code", "every", "given", "import", "page", "pass", "reference", "room")
    chosen = f"({' or '.join([*NEW.values(), *rules])}) and not without_the_packages_of_tests"
    done = run(scratch, "pytest", "-q", "-p", "no:cacheprovider", *files_of(scratch), *RULES, "-k", chosen)
    assert done.returncode == 0, done.stdout + done.stderr


def test_style_and_types_pass(scratch: Path):
    if (ROOT / ".mypy_cache").is_dir():  # what mypy knows of the libraries
        shutil.copytree(ROOT / ".mypy_cache", scratch / ".mypy_cache")
    written = [*files_of(scratch), "helio/pipelines/passes/__init__.py"]
    package = [path for path in files_of(scratch) if path.startswith("helio")]
    for command in (
        ("ruff", "check", *written),
        ("ruff", "format", "--check", *written),
        ("mypy", *package),
    ):
        done = run(scratch, *command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["ab", "a" * checkout.LONGEST])
def test_the_length_of_a_name_does_not_matter_for_style(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    kept = ("pyproject.toml", "helio/pipelines/passes/__init__.py")
    for path in kept:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    monkeypatch.setattr(new, "find_checkout", lambda folder: folder)
    for write in (new.new_tool, new.new_pass, new.new_source):
        write(name, tmp_path)
    # which imports are helio's own ruff sees in a whole checkout alone
    for command in (("ruff", "check", "--ignore", "I001", "."), ("ruff", "format", "--check", ".")):
        done = run(tmp_path, *command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the checkout as it is, whatever name is free one day."""

    def refuse(files: Mapping[Path, str], changed: Mapping[Path, str] | None = None) -> None:
        pytest.fail(f"would write {', '.join(map(str, files))}")

    monkeypatch.setattr(new, "write_files", refuse)


def test_a_new_tool_is_listed_with_its_example(scratch: Path):
    assert f">>> {NEW['new-tool']}(series(" in run(scratch, "helio", "show", NEW["new-tool"]).stdout


def test_the_code_of_a_new_pass_is_explained(scratch: Path):
    code = new.next_code("V")
    assert code not in codes()
    assert "placeholder" in run(scratch, "helio", "explain", code).stdout
    pages = "import runpy; print(runpy.run_path('scripts/write_pass_reference.py')['pages']()['codes.md'])"
    shown = subprocess.run(
        [sys.executable, "-c", pages],
        cwd=scratch,
        env={**os.environ, "PYTHONPATH": str(scratch)},
        capture_output=True,
        text=True,
    )
    assert f"### {code} " in shown.stdout


@in_one_test(
    ("name", "reason"),
    [
        ("magnitude", "a tool 'magnitude' exists already"),
        ("smooth", "a tool 'smooth' exists already; this is another name of running_average"),
        ("plot_data", "a tool 'plot_data' exists already"),
        ("window_sums", "the name is taken by"),
        ("Plasma", "not a Python identifier"),
        ("plasma-beta", "not a Python identifier"),
        ("2d", "not a Python identifier"),
        ("lambda", "not a Python identifier"),
        ("../evil", "not a Python identifier"),
        ("a" * 37, "not a Python identifier"),
        ("", "not a Python identifier"),
    ],
)
@pytest.mark.usefixtures("nothing_is_written")
def test_a_name_that_a_tool_cannot_have_is_refused(name: str, reason: str):
    with pytest.raises(RequestError, match=reason):
        new.new_tool(name, ROOT)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("swpc", "a source 'swpc' exists already"),
        ("hapi2", "'hapi2' is too similar to hapi"),
        ("cda", "'cda' is too similar to cdaweb"),
        ("sample", "a source 'sample' exists already"),
        ("two_words", "one word"),
        ("http", "the name is taken by"),
        ("Amda", "not a Python identifier"),
    ],
)
@pytest.mark.usefixtures("nothing_is_written")
def test_a_name_that_a_source_cannot_have_is_refused(name: str, reason: str):
    with pytest.raises(RequestError, match=reason):
        new.new_source(name, ROOT)


@pytest.mark.usefixtures("nothing_is_written")
@pytest.mark.parametrize("name", ["order_steps", "graph", "runner", "Order"])
def test_a_name_that_a_pass_cannot_have_is_refused(name: str):
    with pytest.raises(RequestError):
        new.new_pass(name, ROOT)


@pytest.mark.usefixtures("nothing_is_written")
def test_an_unknown_stage_is_refused():
    with pytest.raises(RequestError, match="no stage is called 'Q'"):
        new.new_pass("check_scratch", ROOT, stage="Q")


@pytest.mark.usefixtures("nothing_is_written")
def test_outside_of_the_checkout_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(RequestError, match="not in the checkout"):
        new.new_tool("scratch_tool", tmp_path)
    monkeypatch.setattr(checkout, "PACKAGE", tmp_path / "site-packages" / "helio")
    with pytest.raises(RequestError, match="this installation of helio has no tests"):
        new.new_tool("scratch_tool", tmp_path / "site-packages")
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(app, ["dev", "new-tool", "scratch_tool"])
    assert refused.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    old, other = tmp_path / "old", tmp_path / "other"
    first, second = tmp_path / "first", tmp_path / "second"
    old.write_text("before")
    other.write_text("before")
    write_whole = checkout.write_whole

    def fail_at_the_last(path: Path, content: bytes, *, durable: bool) -> None:
        if content == b"the last":
            assert old.read_text() == "after"
            assert first.read_text() == "1"
            raise OutputError("the disk is full")
        write_whole(path, content, durable=durable)

    monkeypatch.setattr(checkout, "write_whole", fail_at_the_last)
    with pytest.raises(OutputError):
        checkout.write_files({first: "1", second: "2"}, {old: "after", other: "the last"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "old": "before",
        "other": "before",
    }
    with pytest.raises(RequestError, match="exists"):
        checkout.write_files({first: "1", old: "2"})
    assert not first.exists()


@pytest.mark.parametrize("stage", new.STAGES)
def test_a_pass_is_listed_at_the_end_of_its_stage(stage: str):
    text = (ROOT / "helio" / "pipelines" / "passes" / "__init__.py").read_text(encoding="utf-8")
    for name in ("aaa", "check_scratch", "zzz"):
        tree = ast.parse(new.listed(text, name, stage))
        imports = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
        assert f"helio.pipelines.passes.{name}" in imports
        [assigned] = [
            node.value
            for node in tree.body
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == new.STAGES[stage]
        ]
        assert isinstance(assigned, ast.Tuple)
        assert ast.unparse(assigned.elts[-1]) == f"({name},)"
