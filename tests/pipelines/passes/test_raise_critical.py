"""A step that a pass makes critical is said to be so, in check, fix and plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.pipelines.plan import check, make_plan
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template


def chain() -> dict[str, Any]:
    return template(fetch(critical=False), magnitude(critical=False), render())


def test_each_step_that_becomes_critical_is_said_once_at_its_place() -> None:
    found = [diagnostic for diagnostic in check(chain(), now=NOW).diagnostics if diagnostic.code == "HG301"]
    assert [(diagnostic.severity, diagnostic.step_id, diagnostic.path) for diagnostic in found] == [
        ("warning", 1, "/steps/0/critical"),
        ("warning", 2, "/steps/1/critical"),
    ]
    assert [diagnostic.code for diagnostic in make_plan(chain(), now=NOW, archive="sample").warnings] == [
        "HG301",
        "HG301",
    ]


def test_a_step_that_does_the_work_of_a_critical_one_is_said_to_be_critical() -> None:
    both = template(
        fetch(1, critical=False, args={"output_label": "B"}),
        fetch(2, args={"output_label": "B"}),
        render(3, ("B",)),
    )
    found = check(both, now=NOW)
    assert found.errors == ()
    assert found.plan["steps"][0]["critical"] is True
    warned = [diagnostic for diagnostic in found.diagnostics if "critical: false" in diagnostic.message]
    assert [(diagnostic.step_id, diagnostic.path) for diagnostic in warned] == [(1, "/steps/0/critical")]


def test_fix_writes_it_and_then_nothing_is_left_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    file = tmp_path / "chain.json"
    file.write_text(json.dumps(chain()))

    def helio(*words: str) -> str:
        return CliRunner().invoke(app, list(words)).output

    assert "HG301" in helio("check", str(file))
    assert "HG301" in helio("plan", str(file), "--archive", "sample")
    fixed = helio("fix", str(file))
    assert "HG301" in fixed
    assert '+      "critical": true' in fixed
    assert "HG301" not in helio("check", str(file))
