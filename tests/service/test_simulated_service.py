"""A service of some simulated days with failing archives, disks and processes, against an oracle of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.simulation.script import LOCAL, LOOKS, PUBLISHED, WEATHER, is_folder, is_hapi, write_script
from benchmarks.simulation.service import is_served, simulate
from tests.laws import LONG

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning"),  # a service of apprise
]
EXAMPLES = [(1, 12, 5, 0.05, 3)] if LONG else [(1557, 3, 2, 0.09, 1)]
"""Seed, days, pipelines, share of each kind of fault, and kills of a chunk; `make long` takes the longer ones."""


@pytest.mark.parametrize(("seed", "days", "pipelines", "rate", "kills"), EXAMPLES)
def test_each_figure_is_made_once_and_right_and_each_incident_has_two_messages(
    tmp_path: Path, seed: int, days: int, pipelines: int, rate: float, kills: int
) -> None:
    script = write_script(seed, days, pipelines, rate)
    report = simulate(tmp_path, script, kills=kills)
    assert report.complaints == []
    assert report.seen == report.expected
    assert report.events["days of the loop"] == sum(map(is_served, script.looks)) / len(LOOKS) > 0
    assert any(is_folder(pipeline) or is_hapi(pipeline) for pipeline in range(pipelines))
    assert sum(script.kinds[kind] for kind in (*PUBLISHED, *WEATHER, *LOCAL)) >= days
