"""What a plan does when its steps succeed, fail, or rest on one that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helio.errors import DamagedFile, NoData, ServerUnavailable
from helio.pipelines.execute import PlanResult, execute
from helio.pipelines.plan import make_plan
from helio.store.table import SourceFile, Table
from helio.time_range import TimeRange

from .conftest import NOW, fetch, magnitude, render, template


class Served:
    """Serves three-component fields; what a dataset's name says goes wrong goes wrong."""

    name = "a test"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def choose(self, provider: str) -> Served:
        return self

    def datasets(self) -> list[str]:
        return []

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        return ()

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        self.asked.append(dataset_id)
        if dataset_id == "ABSENT":
            raise NoData("nothing there")
        if dataset_id == "DOWN":
            raise ServerUnavailable("the server is down")
        if dataset_id == "DAMAGED":
            raise DamagedFile("truncated")
        if dataset_id == "BUG":
            raise ZeroDivisionError
        values = np.full((3, 3), np.nan) if dataset_id == "FILL" else np.array([[3.0, 4.0, 0.0]] * 3)
        epoch = np.datetime64(time_range.start, "ns") + np.arange(3) * np.timedelta64(60_000_000_000, "ns")
        table = Table(epoch, values, "nT", "B", "GSE", ("Bx", "By", "Bz"))
        return dict.fromkeys(parameters, table)


def run(*steps: dict[str, Any], served: Served | None = None) -> PlanResult:
    return execute(make_plan(template(*steps), now=NOW, archive="x"), served or Served())


def states(result: PlanResult) -> dict[Any, str]:
    return {one.step.step_id: one.state for one in result.steps}


def dataset(name: str, step_id: int | str = 1, **changes: Any) -> dict[str, Any]:
    return fetch(step_id, args={"dataset_id": name, "output_label": f"B{step_id}"}, **changes)


def test_a_chain_gives_its_tables_under_their_labels():
    result = run(dataset("GOOD"), magnitude(2, "B1", "Bmag"))
    assert result.status == "success"
    assert result.tables["Bmag"].values.tolist() == [5.0, 5.0, 5.0]
    assert result.tables["Bmag"].unit == "nT"


def test_one_component_is_read_by_its_name():
    result = run(
        dataset("GOOD"),
        {
            "step_id": 2,
            "tool_name": "running_average",
            "tool_args": {"source_label": "B1.By", "window": "1min", "output_label": "By"},
        },
    )
    assert result.tables["By"].values.tolist() == [4.0, 4.0, 4.0]


def test_a_component_that_is_not_there_fails_the_step_in_words():
    result = run(dataset("GOOD"), magnitude(2, "B1.bz", "B"))
    assert result.steps[1].state == "failed"
    assert "no component is called 'bz'" in str(result.steps[1].error)
    assert "Bx, By, Bz" in str(result.steps[1].error)


def test_a_failed_step_blocks_all_that_rest_on_it_and_nothing_else():
    result = run(
        dataset("ABSENT", 1),
        magnitude(2, "B1", "m1"),
        magnitude(3, "B1.Bx", "m2", critical=False),
        magnitude(4, "m1", "m3", critical=False),
        dataset("GOOD", 5),
        magnitude(6, "B5", "m5"),
    )
    assert states(result) == {
        1: "failed",
        2: "skipped",
        3: "skipped",
        4: "skipped",
        5: "completed",
        6: "completed",
    }
    assert result.status == "failed"
    assert [one.reason for one in result.steps if one.state == "skipped"] == [
        "step 1 failed",
        "step 1 failed",
        "step 2 was skipped",
    ]


def test_a_step_that_is_not_critical_makes_the_run_partial():
    result = run(
        dataset("ABSENT", 1, critical=False), magnitude(2, "B1", "m", critical=False), dataset("GOOD", 3)
    )
    assert states(result) == {1: "failed", 2: "skipped", 3: "completed"}
    assert result.status == "partial"


def test_a_skipped_critical_step_is_work_not_done():
    assert (
        run(dataset("ABSENT", 1, critical=False), magnitude(2, "B1", "m"), dataset("GOOD", 3)).status
        == "failed"
    )


def test_nothing_done_is_never_a_success():
    assert run(dataset("ABSENT", 1, critical=False)).status == "failed"


def test_the_place_of_a_failure_is_named():
    result = run(dataset("ABSENT", "field"))
    assert "at   short#/steps/field" in str(result.steps[0].error)


def test_a_bug_is_raised_and_not_reported_as_a_failure():
    with pytest.raises(ZeroDivisionError):
        run(dataset("BUG"))


def candidates(*names: str) -> dict[str, Any]:
    return {
        "step_id": 1,
        "tool_name": "fetch_data",
        "tool_args": {
            "candidates": list(names),
            "parameter_id": "B",
            "time_range": "2024",
            "output_label": "B",
        },
    }


def test_the_first_candidate_with_usable_data_is_used_and_every_attempt_recorded():
    served = Served()
    result = run(candidates("ABSENT", "FILL", "GOOD", "NEVER"), served=served)
    assert served.asked == ["ABSENT", "FILL", "GOOD"]
    assert list(result.tables) == ["B"]
    assert [(one.dataset_id, one.outcome == "used") for one in result.steps[0].attempts] == [
        ("ABSENT", False),
        ("FILL", False),
        ("GOOD", True),
    ]


@pytest.mark.parametrize("name", ["DAMAGED", "DOWN"])
def test_a_candidate_that_breaks_is_an_error_and_not_passed_over(name: str):
    served = Served()
    assert run(candidates(name, "GOOD"), served=served).status == "failed"
    assert served.asked == [name]


def test_all_fill_is_no_usable_data_never_a_plot():
    result = run(dataset("FILL"), render(2, ("B1",)))
    assert states(result) == {1: "failed", 2: "skipped"}
    assert "all of them are fill" in str(result.steps[0].error)


def test_no_candidate_with_data_names_every_reason():
    result = run(candidates("ABSENT", "FILL"))
    assert "ABSENT: nothing there" in str(result.steps[0].error)
    assert "FILL:" in str(result.steps[0].error)
