"""The wheel, installed elsewhere, does what the checkout does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
CHECK_ALL = """
import sys
from helio.cli import app
wrong = [name for name in sys.argv[1:] if app(["check", name], standalone_mode=False) != 0]
sys.exit(f"not valid: {wrong}" if wrong else 0)
"""
"""The command that checks a pipeline, for all of them in one process."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the built wheel was installed."""
    folder = tmp_path_factory.mktemp("package")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = folder.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith(("tests/", "docs/", "scripts/"))]
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(folder / "site"),
        str(wheel),
    ]
    done = subprocess.run(install, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def helio(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(installed, cwd, "-m", "helio", *arguments)


def python(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "HELIO_HOME": str(cwd / "home"),
        "PYTHONSAFEPATH": "1",
        "HELIO_ENGINE": "direct",
    }
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environ, capture_output=True, text=True)


def test_the_installed_wheel_runs_the_demo(installed: Path, tmp_path: Path):
    done = helio(
        installed, tmp_path, "run", "gle73-particles", "--archive", "sample", "--output", "out", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "success"
    assert (tmp_path / "out" / "particles.html").stat().st_size > 10_000


def test_the_installed_wheel_checks_every_pipeline_that_it_ships(installed: Path, tmp_path: Path):
    listed = json.loads(helio(installed, tmp_path, "list", "--json").stdout)
    assert len(listed) >= 6
    done = python(installed, tmp_path, "-c", CHECK_ALL, *(entry["id"] for entry in listed))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": valid\n") == len(listed)


def test_the_installed_wheel_publishes_its_schema(installed: Path, tmp_path: Path):
    schema = json.loads(helio(installed, tmp_path, "schema").stdout)
    assert schema["title"] == "helio pipeline template"
