"""One table of states: a run ends the same whatever of it is in the store; ``HELIO_LONG=1`` tries many more plans."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from helio.pipelines.plan import Plan
from helio.pipelines.runs.worker_pool import Workers
from tests.laws import law

from .parts import half_done, outcome, plans


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as workers:
        yield workers


@pytest.mark.slow
@law(25, 500, suppress_health_check=list(HealthCheck))
@given(plan=plans(), chosen=st.lists(st.booleans(), min_size=8, max_size=20))
def test_a_run_ends_the_same_whatever_is_in_the_store(workers: Workers, plan: Plan, chosen: list[bool]):
    with tempfile.TemporaryDirectory() as folder:
        first = outcome(plan, Path(folder) / "a", workers)
        assert outcome(plan, Path(folder) / "a", workers) == first
        half_done(plan, chosen, Path(folder) / "b", workers)
        assert outcome(plan, Path(folder) / "b", workers) == first
    undone = {step for step, state in first.states.items() if state != "completed"}
    assert (first.status == "success") == (not undone)
    assert not first.lost or first.status != "success"
    for step in plan.steps:
        missing = set(first.without.get(step.step_id, ()))
        assert missing <= {
            str(item) for other in plan.steps if other.step_id in undone for item in other.items
        }
        made = first.files.get(step.step_id)
        assert made is None or (b"partial: without" in made) == bool(missing)
