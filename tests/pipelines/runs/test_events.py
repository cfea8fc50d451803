"""Events of steps in the record of a run."""

import json
from datetime import datetime

import numpy as np
import pytest

from helio import api
from helio.pipelines.runs.intervals import read_run
from helio.settings import Settings
from helio.store.runs import Runs

TEMPLATE = {
    "schema_version": 1,
    "id": "watched",
    "name": "A watched field",
    "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2020-01-04"}},
    "steps": [
        {"step_id": "field", "tool_name": "fetch_data", "tool_args": {
            "dataset_id": "PSP_FLD_L2_MAG_RTN_1MIN", "parameter_id": "psp_fld_l2_mag_RTN_1min", "output_label": "B"}},
        {"step_id": "check", "tool_name": "expect", "tool_args": {
            "source_label": "B", "maximum": "1 nT", "severity": "note", "output_label": "good"}},
        {"step_id": "size", "tool_name": "magnitude", "tool_args": {"source_label": "good", "output_label": "size"}},
        {"step_id": "strong", "tool_name": "alert", "tool_args": {
            "source_label": "size", "when": "> 1 pT", "output_label": "strong"}},
        {"step_id": "figure", "tool_name": "render_spec", "tool_args": {
            "spec": {"labels": ["size"], "panels": [["size"]]}}},
    ],
}  # fmt: skip


def run(tmp_path, **arguments):
    template = json.loads(json.dumps(TEMPLATE))
    template["steps"][1]["tool_args"] |= arguments
    path = tmp_path / "watched.json"
    path.write_text(json.dumps(template), encoding="utf-8")
    settings = Settings(home=tmp_path / "home")
    return api.run(
        path,
        archive="sample",
        output=tmp_path / "out",
        settings=settings,
        check=False,
        now=datetime(2024, 5, 12),
    ), settings


def test_events_are_in_the_record_with_value_time_and_figure_also_from_the_store(tmp_path):
    outcome, settings = run(tmp_path)
    again, _ = run(tmp_path)
    assert outcome.events == again.events
    unmet, alert = read_run(Runs(settings.runs).load(again.id)).events
    assert (unmet["kind"], unmet["step_id"]) == ("unmet", "check")
    assert unmet["message"].startswith("not as expected: ")
    assert "not above 1 nT, measured" in unmet["message"]
    assert (alert["kind"], alert["step_id"], alert["label"], alert["unit"]) == (
        "alert",
        "strong",
        "strong",
        "nT",
    )
    assert alert["value"] == pytest.approx(float(np.nanmax(again.tables["size"].values)))
    assert alert["time"].startswith("2020-01-04T")
    assert alert["figure"].endswith(".html")
    assert json.loads((tmp_path / "out" / "run.json").read_text())["events"] == again.events


def test_a_failed_expectation_fails_the_run_and_is_no_event(tmp_path):
    outcome, settings = run(tmp_path, severity="fail")
    kept = read_run(Runs(settings.runs).load(outcome.id))
    assert (outcome.status, kept.state, kept.failed_step, kept.events) == ("failed", "failed", "check", ())
    assert "not above 1 nT, measured" in kept.reason


def test_a_step_that_reports_events_needs_no_reader(tmp_path):
    outcome, _ = run(tmp_path)
    assert outcome.plan.warnings == ()
