"""What a plan does when its steps succeed, fail, or rest on one that failed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from helio import time_range
from helio.errors import Cancelled, DamagedFile, NoData, ServerUnavailable
from helio.pipelines.plan import make_plan
from helio.pipelines.runs.execute import Execution, PlanResult, StepResult, execute
from helio.pipelines.runs.replies import error_from
from helio.pipelines.runs.worker_pool import Workers
from helio.store.source_file import SourceFile
from helio.store.store import Store, StoredResult
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template

pytestmark = pytest.mark.process


class Served:
    """Serves three-component fields; what a dataset's name says goes wrong goes wrong."""

    name = "a test"

    def __init__(self, version: str = "1") -> None:
        self.asked: list[str] = []
        self.version = version

    def choose(self, provider: str) -> Served:
        return self

    def cancel(self) -> None:
        self.asked.append("cancelled")

    def datasets(self) -> list[str]:
        return []

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        if dataset_id == "ABSENT":
            raise NoData("nothing there")
        return (SourceFile(dataset_id, f"{dataset_id}.cdf", sha256=self.version),)

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


class Late(Store):
    """Says at the first look at a key that nothing is there yet."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.seen: set[str] = set()

    def find(self, key: str) -> StoredResult | None:
        first = key not in self.seen
        self.seen.add(key)
        return None if first else super().find(key)


@dataclass(frozen=True)
class Ran:
    """What came of a short template, and its tables."""

    result: PlanResult
    execution: Execution

    @property
    def status(self) -> str:
        return self.result.status

    @property
    def steps(self) -> tuple[StepResult, ...]:
        return self.result.steps

    @property
    def tables(self) -> dict[str, Table]:
        return {label: self.execution.table(label) for label in self.execution.labels}


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as workers:
        yield workers


@pytest.fixture
def run(tmp_path: Path, workers: Workers) -> Callable[..., Ran]:
    def run(*steps: dict[str, Any], served: Served | None = None, **how: Any) -> Ran:
        plan = make_plan(template(*steps), now=NOW, archive="x", **how)
        execution = Execution(plan, Store(tmp_path / "store"), served or Served(), workers)
        return Ran(execute(execution), execution)

    return run


def states(result: Ran) -> dict[Any, str]:
    return {step.step.step_id: step.state for step in result.steps}


def dataset(name: str, step_id: int | str = 1, **changes: Any) -> dict[str, Any]:
    return fetch(step_id, args={"dataset_id": name, "output_label": f"B{step_id}"}, **changes)


def test_a_chain_gives_its_tables_under_their_labels(run: Callable[..., Ran]):
    result = run(dataset("GOOD"), magnitude(2, "B1", "Bmag"))
    assert result.status == "success"
    assert result.tables["Bmag"].values.tolist() == [5.0, 5.0, 5.0]
    assert result.tables["Bmag"].unit == "nT"


def test_the_run_of_a_plan_reads_no_time_phrase(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
):
    plan = make_plan(template(dataset("GOOD"), magnitude(2, "B1", "Bmag")), now=NOW, archive="x")

    def read(text: str) -> NoReturn:
        raise AssertionError(f"{text!r} was parsed again")

    monkeypatch.setattr(time_range, "_read", read)
    execution = Execution(plan, Store(tmp_path / "store"), Served(), workers)
    assert execution.forecast()[0]["state"] == "run"
    assert execute(execution).status == "success"
    assert execution.table("B1").epoch[0] == np.datetime64("2024-01-10", "ns")


def test_one_component_is_read_by_its_name(run: Callable[..., Ran]):
    result = run(
        dataset("GOOD"),
        {
            "step_id": 2,
            "tool_name": "running_average",
            "tool_args": {"source_label": "B1.By", "window": "1min", "output_label": "By"},
        },
    )
    assert result.tables["By"].values.tolist() == [4.0, 4.0, 4.0]


def test_a_component_that_is_not_there_fails_the_step_in_words(run: Callable[..., Ran]):
    result = run(dataset("GOOD"), magnitude(2, "B1.bz", "B"))
    assert result.steps[1].state == "failed"
    assert "no component is called 'bz'" in str(result.steps[1].error)
    assert "Bx, By, Bz" in str(result.steps[1].error)


def test_a_failed_step_blocks_all_that_rest_on_it_and_nothing_else(run: Callable[..., Ran]):
    result = run(
        dataset("ABSENT", 1),
        magnitude(2, "B1", "m1"),
        magnitude(3, "B1.Bx", "m2", critical=False),
        {**magnitude(4, "m1", "m3", critical=False), "tool_name": "detrend"},
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
        7: "skipped",  # the figure of all that the plan ends in
    }
    assert result.status == "failed"
    assert [step.reason for step in result.steps if step.state == "skipped"] == [
        "step 1 failed",
        "step 1 failed",
        "step 2 was skipped",
        "step 3 was skipped",
    ]


def test_a_step_that_is_not_critical_makes_the_run_partial(run: Callable[..., Ran]):
    result = run(
        dataset("ABSENT", 1, critical=False), magnitude(2, "B1", "m", critical=False), dataset("GOOD", 3)
    )
    assert states(result) == {1: "failed", 2: "skipped", 3: "completed", 4: "completed"}
    assert result.status == "partial"


def two_panels(first: str, **changes: Any) -> list[dict[str, Any]]:
    figure = render("fig", ("B1", "B2"), panels=[["B1"], ["B2"]])
    return [dataset(first, 1, **changes), dataset("GOOD", 2), figure]


def drawn(result: Ran) -> str:
    figure = result.steps[-1].artefact
    assert figure is not None
    return result.execution.content(figure).decode()


def test_a_figure_without_one_of_its_tables_says_why_in_its_panel(run: Callable[..., Ran]):
    result = run(*two_panels("ABSENT", critical=False))
    assert states(result) == {1: "failed", 2: "completed", "fig": "completed"}
    assert result.status == "partial"
    assert result.steps[-1].without == ("1",)
    assert "partial: without B1" in drawn(result)
    assert "fetch failed: nothing there" in drawn(result)


def test_a_computed_table_that_failed_names_the_error_behind_it(run: Callable[..., Ran]):
    result = run(
        dataset("ABSENT", 1, critical=False),
        magnitude(2, "B1", "m", critical=False),
        dataset("GOOD", 3),
        render("fig", ("m", "B3"), panels=[["m"], ["B3"]]),
    )
    assert states(result) == {1: "failed", 2: "skipped", 3: "completed", "fig": "completed"}
    assert result.steps[-1].without == ("2",)
    assert "fetch failed: nothing there" in drawn(result)


def test_a_critical_step_is_needed_by_its_figure(run: Callable[..., Ran]):
    result = run(*two_panels("ABSENT"))
    assert states(result) == {1: "failed", 2: "completed", "fig": "skipped"}
    assert result.status == "failed"


def test_a_figure_without_any_table_is_skipped(run: Callable[..., Ran]):
    first, _, figure = two_panels("ABSENT", critical=False)
    result = run(first, dataset("DOWN", 2, critical=False), figure)
    assert states(result) == {1: "failed", 2: "failed", "fig": "skipped"}
    assert result.steps[-1].reason == "every step that gives B1, B2 failed or was skipped"
    assert result.status == "failed"


def test_a_table_without_values_names_the_step_that_left_none(run: Callable[..., Ran]):
    ratio = {
        "step_id": 2,
        "tool_name": "arithmetic",
        "tool_args": {
            "left_label": "B1.Bx",
            "right_label": "B1.Bz",
            "operation": "divide",
            "name": "ratio",
            "output_label": "ratio",
        },
    }
    result = run(dataset("GOOD"), ratio, render("fig", ("B1", "ratio"), panels=[["B1"], ["ratio"]]))
    assert result.status == "success"
    assert result.steps[-1].without == ()
    assert "partial" not in drawn(result)
    assert "no value is left after arithmetic" in drawn(result)


def test_a_search_without_a_result_leaves_its_panel_empty(run: Callable[..., Ran]):
    storms = {
        "step_id": 2,
        "tool_name": "storm_phases",
        "tool_args": {"source_label": "B1.Bx", "give": "minimum", "output_label": "minima"},
    }
    figure = render("fig", ("B1", "minima"), panels=[["B1"], ["minima"]])
    result = run(dataset("GOOD"), storms, figure)
    assert result.status == "success"
    assert "nothing was found by storm_phases" in drawn(result)


class Once(Served):
    """Fails to give the dataset ``LATE`` the first time."""

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        if dataset_id == "LATE" and "LATE" not in self.asked:
            self.asked.append(dataset_id)
            raise ServerUnavailable("the server is down")
        return super().fetch(dataset_id, parameters, time_range)


def test_a_figure_made_without_a_table_is_not_taken_for_the_complete_one(run: Callable[..., Ran]):
    served, steps = Once(), two_panels("LATE", critical=False)
    first, second, third = (run(*steps, served=served) for _ in range(3))
    assert [result.status for result in (first, second, third)] == ["partial", "success", "success"]
    assert [result.steps[-1].state for result in (first, second, third)] == [
        "completed",
        "completed",
        "cached",
    ]
    assert "fetch failed: the server is down" in drawn(first)
    assert "fetch failed" not in drawn(second)
    assert drawn(third) == drawn(second)
    down = run(*two_panels("DOWN", critical=False), served=served)
    assert "fetch failed" in drawn(down)


def test_a_skipped_critical_step_is_work_not_done(run: Callable[..., Ran]):
    assert (
        run(dataset("ABSENT", 1, critical=False), magnitude(2, "B1", "m"), dataset("GOOD", 3)).status
        == "failed"
    )


def test_nothing_done_is_never_a_success(run: Callable[..., Ran]):
    assert run(dataset("ABSENT", 1, critical=False)).status == "failed"


def test_the_place_of_a_failure_is_named(run: Callable[..., Ran]):
    result = run(dataset("ABSENT", "field"))
    assert "at:   short#/steps/field" in str(result.steps[0].error)


def test_a_bug_is_raised_and_not_reported_as_a_failure(run: Callable[..., Ran]):
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


def test_the_first_candidate_with_usable_data_is_used_and_every_attempt_recorded(run: Callable[..., Ran]):
    served = Served()
    result = run(candidates("ABSENT", "FILL", "GOOD", "NEVER"), served=served)
    assert served.asked == ["ABSENT", "FILL", "GOOD"]
    assert list(result.tables) == ["B"]
    assert [
        (attempt["dataset_id"], attempt["outcome"] == "used") for attempt in result.steps[0].attempts
    ] == [
        ("ABSENT", False),
        ("FILL", False),
        ("GOOD", True),
    ]


@pytest.mark.parametrize("name", ["DAMAGED", "DOWN"])
def test_a_candidate_that_breaks_is_an_error_and_not_passed_over(run: Callable[..., Ran], name: str):
    served = Served()
    assert run(candidates(name, "GOOD"), served=served).status == "failed"
    assert served.asked == [name]


def test_all_fill_is_no_usable_data_never_a_plot(run: Callable[..., Ran]):
    result = run(dataset("FILL"), render(2, ("B1",)))
    assert states(result) == {1: "failed", 2: "skipped"}
    assert "all values are fill values" in str(result.steps[0].error)


def test_no_candidate_with_data_names_every_reason(run: Callable[..., Ran]):
    result = run(candidates("ABSENT", "FILL"))
    assert "ABSENT: nothing there" in str(result.steps[0].error)
    assert "FILL:" in str(result.steps[0].error)


def fetch_compute_draw(
    window: str = "3min", title: str = "field", day: str = "2024-01-10"
) -> list[dict[str, Any]]:
    smooth = {"source_label": "B1", "window": window, "output_label": "smooth"}
    return [
        fetch(1, args={"dataset_id": "GOOD", "output_label": "B1", "time_range": day}),
        {"step_id": 2, "tool_name": "running_average", "tool_args": smooth},
        magnitude(3, "smooth", "m"),
        render(4, ("m",), title=title),
    ]


def test_a_second_run_makes_nothing(run: Callable[..., Ran]):
    first = run(*fetch_compute_draw())
    again = run(*fetch_compute_draw())
    assert set(states(first).values()) == {"completed"}
    assert set(states(again).values()) == {"cached"}
    assert [step.outputs[0].digest for step in again.steps] == [
        step.outputs[0].digest for step in first.steps
    ]


def test_what_another_process_has_just_made_is_made_again_to_the_same_end(tmp_path: Path, workers: Workers):
    """Each result appears in the store between two looks at it, as when two processes run the same."""
    plan = make_plan(template(*fetch_compute_draw()), now=NOW, archive="x")
    store = Store(tmp_path / "store")
    execute(Execution(plan, store, Served(), workers))
    again = execute(Execution(plan, Late(store.root), Served(), workers))
    assert {step.state for step in again.steps} == {"completed"}


def test_a_changed_title_draws_again_and_computes_nothing(run: Callable[..., Ran]):
    run(*fetch_compute_draw())
    changed = run(*fetch_compute_draw(title="another"))
    assert states(changed) == {1: "cached", 2: "cached", 3: "cached", 4: "completed"}


def test_a_changed_window_with_the_same_numbers_stops_there(run: Callable[..., Ran]):
    # The averages of a constant field differ in their names alone, until a step gives them one name: early cut-off.
    def drawn(window: str) -> Ran:
        fetched, smoothed, _, figure = fetch_compute_draw(window)
        args = {"source_label": "smooth", "unit": "nT", "name": "B", "output_label": "m"}
        return run(fetched, smoothed, {"step_id": 3, "tool_name": "rescale", "tool_args": args}, figure)

    drawn("3min")
    assert states(drawn("2min")) == {1: "cached", 2: "completed", 3: "completed", 4: "cached"}


def test_another_range_is_fetched_and_all_that_follows_made(run: Callable[..., Ran]):
    run(*fetch_compute_draw())
    assert set(states(run(*fetch_compute_draw(day="2024-01-11"))).values()) == {"completed"}


def test_ids_intents_and_labels_of_steps_are_no_part_of_the_work(run: Callable[..., Ran]):
    run(dataset("GOOD"), magnitude(2, "B1", "m"))
    other = run(
        fetch("x", args={"dataset_id": "GOOD", "output_label": "field"}, intent="why"),
        magnitude("y", "field", "n"),
    )
    # A figure shows its labels, and is drawn again.
    assert states(other) == {"x": "cached", "y": "cached", "figure": "completed"}


def test_a_new_parameter_of_a_dataset_is_fetched_alone(run: Callable[..., Ran]):
    served = Served()
    several = fetch(1, args={"dataset_id": "GOOD", "parameters": ["a", "b"]})
    del several["tool_args"]["parameter_id"]
    run(several, served=served)
    more = fetch(1, args={"dataset_id": "GOOD", "parameters": ["a", "b", "c"]})
    del more["tool_args"]["parameter_id"]
    asked: list[Sequence[str]] = []
    served.fetch = lambda d, p, t, was=served.fetch: (asked.append(list(p)), was(d, p, t))[1]  # type: ignore[method-assign]
    result = run(more, served=served)
    assert asked == [["c"]]
    assert [output.cached for output in result.steps[0].outputs] == [True, True, False]


def test_files_published_again_are_fetched_again_and_equal_numbers_go_no_further(run: Callable[..., Ran]):
    run(*fetch_compute_draw(), served=Served("1"))
    again = run(*fetch_compute_draw(), served=Served("2"))
    assert states(again) == {1: "completed", 2: "cached", 3: "cached", 4: "cached"}
    # and what is computed from them cites the files it now rests on
    assert [source.sha256 for source in again.tables["m"].sources] == []  # the served tables name no sources


def test_a_damaged_table_is_made_again_where_it_is_needed(run: Callable[..., Ran], tmp_path: Path):
    first = run(*fetch_compute_draw())
    digest = first.steps[1].outputs[0].digest
    path = Store(tmp_path / "store").path(digest)
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    again = run(
        *fetch_compute_draw()[:3],
        {
            "step_id": 5,
            "tool_name": "resample",
            "tool_args": {"source_label": "smooth", "cadence": "2min", "output_label": "r"},
        },
    )
    assert again.status == "success"
    assert again.tables["smooth"].digest() == digest
    assert list((tmp_path / "store" / "quarantine").iterdir())


def test_a_step_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plan = make_plan(template(dataset("GOOD"), magnitude(2, "B1", "m")), now=NOW, archive="x")
    with Workers(1) as workers:
        assert execute(Execution(plan, Store(tmp_path / "first"), Served(), workers)).status == "success"
        [process] = workers._idle
        os.kill(process._process.pid, signal.SIGSTOP)  # it hangs
        monkeypatch.setattr(workers, "_time_limit", 0.1)
        result = execute(Execution(plan, Store(tmp_path / "second"), Served(), workers))
    assert [step.state for step in result.steps] == ["completed", "failed", "skipped"]
    assert "took longer than" in str(result.steps[1].error)


def test_a_step_that_needs_too_much_memory_fails_in_words(tmp_path: Path):
    served = Served()
    many = np.datetime64("2024-01-10", "ns") + np.arange(6_000_000) * np.timedelta64(1_000_000, "ns")
    served.fetch = lambda d, p, t: {
        p[0]: Table(many, np.ones((many.size, 3)), "nT", components=("x", "y", "z"))
    }  # type: ignore[method-assign]
    plan = make_plan(template(dataset("GOOD"), magnitude(2, "B1", "m")), now=NOW, archive="x")
    with Workers(1, memory_limit=700 * 1024**2) as small:
        result = execute(Execution(plan, Store(tmp_path), served, small))
    assert result.steps[1].state == "failed"
    assert "memory" in str(result.steps[1].error)


def test_cancelled_work_ends_at_once(tmp_path: Path):
    plan = make_plan(template(dataset("GOOD"), magnitude(2, "B1", "m")), now=NOW, archive="x")
    with Workers(1) as workers:
        execution = Execution(plan, Store(tmp_path), Served(), workers)
        execution.run_step(plan.steps[0])
        execution.cancel()
        with pytest.raises(Cancelled):
            execution.run_step(plan.steps[1])


def test_a_bug_in_a_tool_shows_the_traceback_of_its_process(tmp_path: Path, workers: Workers):
    request = {
        "tool": "magnitude",
        "args": {},
        "now": NOW.isoformat(),
        "store": str(tmp_path),
        "inputs": {"vector": 3},
    }
    with pytest.raises(RuntimeError, match="Traceback"):
        raise error_from(workers.run(request))


def items(on_item_error: str, *datasets: str) -> list[dict[str, Any]]:
    args = {"dataset_id": "$D", "parameter_id": "B", "time_range": "2024-01-10", "output_label": "B_$D"}
    map_step = {
        "step_id": "m",
        "tool_name": "fetch_data",
        "tool_args": args,
        "pin": ["time_range"],
        "for_each": {"as": "$D", "over": list(datasets)},
        "on_item_error": on_item_error,
    }
    return [map_step, render("fig", ("B_*",), panels=[["B_*"]])]


def test_a_map_that_keeps_what_is_partial_goes_on_and_says_so(run: Callable[..., Ran]):
    result = run(*items("keep_partial", "GOOD", "ABSENT", "FINE"))
    assert states(result) == {
        "m[GOOD]": "completed",
        "m[ABSENT]": "failed",
        "m[FINE]": "completed",
        "fig": "completed",
    }
    assert result.status == "partial"
    figure = result.steps[-1].artefact
    assert figure is not None
    assert "partial: without B_ABSENT" in result.execution.content(figure).decode()


def test_a_map_without_any_item_left_fails(run: Callable[..., Ran]):
    result = run(*items("keep_partial", "ABSENT", "DOWN"))
    assert states(result) == {"m[ABSENT]": "failed", "m[DOWN]": "failed", "fig": "skipped"}
    assert result.status == "failed"


def test_a_map_fails_with_its_worst_item_when_it_is_not_told_otherwise(run: Callable[..., Ran]):
    result = run(*items("fail", "GOOD", "ABSENT"))
    assert states(result) == {"m[GOOD]": "completed", "m[ABSENT]": "failed", "fig": "skipped"}
    assert result.status == "failed"


def block(on_item_error: str, *datasets: str, **changes: Any) -> dict[str, Any]:
    """For each data set: fetch it as B_NAME, then its magnitude as M_NAME."""
    args = {"dataset_id": "$D", "parameter_id": "B", "time_range": "2024-01-10", "output_label": "B_$D"}
    inner = [
        {"step_id": "get", "tool_name": "fetch_data", "tool_args": args, "pin": ["time_range"]},
        magnitude("mag", "B_$D", "M_$D", depends_on=["get"]),
    ]
    each = {"as": "$D", "over": list(datasets)}
    return {"step_id": "m", "for_each": each, "on_item_error": on_item_error, "block": inner, **changes}


def test_a_lost_item_skips_what_follows_inside_it(run: Callable[..., Ran]):
    result = run(block("keep_partial", "GOOD", "ABSENT"), render("fig", ("M_*",)))
    assert states(result) == {
        "m[GOOD].get": "completed",
        "m[GOOD].mag": "completed",
        "m[ABSENT].get": "failed",
        "m[ABSENT].mag": "skipped",
        "fig": "completed",
    }
    assert result.status == "partial"
    assert [str(loss) for loss in result.result.lost] == [
        "partial: the item ABSENT of step m failed; the run continued with 1 of 2 items"
    ]
    assert result.steps[-1].without == ("m[ABSENT]",)


@pytest.mark.parametrize("reader", [magnitude("r", "B_ABSENT", "R"), render("r", ("B_ABSENT",))])
def test_a_step_that_reads_only_a_lost_item_is_skipped(run: Callable[..., Ran], reader: dict[str, Any]):
    result = run(*items("keep_partial", "GOOD", "ABSENT")[:1], reader)
    [read] = [step for step in result.steps if step.step.step_id == "r"]
    assert (read.state, read.reason) == ("skipped", "every step that gives B_ABSENT failed or was skipped")
    assert result.status == "failed"


def test_items_that_all_stop_half_way_leave_nothing(run: Callable[..., Ran]):
    steps = block("keep_partial", "FILL", "ABSENT"), render("fig", ("M_*",))
    result = run(*steps)
    assert states(result)["fig"] == "skipped"
    assert result.status == "failed"
    assert result.result.lost == ()


def test_what_was_made_from_a_part_says_so_wherever_it_goes(run: Callable[..., Ran]):
    code = {"source_labels": ["M_*"], "pandas_code": "result = df", "output_label": "mean"}
    mean = {"step_id": "mean", "tool_name": "custom_operation", "tool_args": code}
    save = {
        "step_id": "csv",
        "tool_name": "save_data",
        "tool_args": {"source_labels": ["mean"], "filename": "a.csv"},
    }
    result = run(block("keep_partial", "GOOD", "ABSENT"), mean, save, render("fig", ("mean",)))
    assert {step.step.step_id: step.without for step in result.steps if step.without} == {
        "mean": ("m[ABSENT]",),
        "csv": ("m[ABSENT]",),
        "fig": ("m[ABSENT]",),
    }
    for step in result.steps[-2:]:
        assert step.artefact is not None
        assert "partial: without m[ABSENT] in mean" in result.execution.content(step.artefact).decode()


def test_complete_maps_say_nothing_of_parts(run: Callable[..., Ran]):
    result = run(block("keep_partial", "GOOD", "FINE"), render("fig", ("M_*",)))
    assert result.status == "success"
    figure = result.steps[-1].artefact
    assert figure is not None
    assert "partial" not in result.execution.content(figure).decode()


def test_a_map_that_is_not_critical_may_lose_all_its_items(run: Callable[..., Ran]):
    steps = block("keep_partial", "ABSENT", critical=False), dataset("GOOD"), render("fig", ("B1",))
    result = run(*steps)
    assert result.status == "partial"
    assert states(result)["fig"] == "completed"


@pytest.mark.parametrize(("inner", "outer", "status"), [
    ("keep_partial", "fail", "partial"), ("fail", "keep_partial", "partial"), ("fail", "fail", "failed"),
])  # fmt: skip
def test_a_map_within_a_map_loses_its_own_items(run: Callable[..., Ran], inner: str, outer: str, status: str):
    args = {"dataset_id": "$D", "parameter_id": "$P", "time_range": "2024-01-10", "output_label": "B-$D-$P"}
    get = {
        "step_id": "get",
        "tool_name": "fetch_data",
        "tool_args": args,
        "pin": ["time_range"],
        "for_each": {"as": "$D", "over": ["GOOD", "ABSENT"]},
        "on_item_error": inner,
    }
    each = {"as": "$P", "over": ["p", "q"]}
    maps = {"step_id": "m", "for_each": each, "on_item_error": outer, "block": [get]}
    if outer == "keep_partial":
        get["for_each"] = {"as": "$D", "over": ["GOOD", "$P"]}
        maps["for_each"] = {"as": "$P", "over": ["FINE", "ABSENT"]}
    result = run(maps, render("fig", ("B-*",)))
    assert result.status == status
    assert (states(result)["fig"] == "completed") == (status == "partial")


def test_a_plan_with_an_item_that_is_not_there_can_be_foreseen(tmp_path: Path, workers: Workers):
    plan = make_plan(template(*items("keep_partial", "GOOD", "ABSENT")), now=NOW, archive="x")
    execution = Execution(plan, Store(tmp_path / "store"), Served(), workers)
    forecast = {step["step_id"]: step["state"] for step in execution.forecast()}
    assert forecast == {"m[GOOD]": "run", "m[ABSENT]": "fails", "fig": "waits"}
    assert execution.files()["m[ABSENT]"] == "none: NoData"


class Days(Served):
    """Serves four records a day; of `without` none, and on `fill` nothing but fill."""

    def __init__(self, without: str = "", fill: str = "") -> None:
        super().__init__()
        self.days = {without, fill}
        self.fill = fill

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        self.asked.append(str(time_range))
        start, stop = (np.datetime64(moment, "ns") for moment in (time_range.start, time_range.stop))
        epoch = np.arange(start, stop, np.timedelta64(6, "h").astype("m8[ns]"))
        days = np.datetime_as_string(epoch, unit="D")
        there = ~np.isin(days, list(self.days - {self.fill}))
        if not there.any():
            raise NoData(f"nothing in {time_range}")
        values = np.where(days == self.fill, np.nan, 1.0)
        return dict.fromkeys(parameters, Table(epoch[there], values[there], "nT", "B"))


def per_day(**changes: Any) -> dict[str, Any]:
    """A fetch for each day of three."""
    over = {"intervals": "2024-01-10 to 2024-01-13", "step": "1d"}
    args = {"dataset_id": "A", "parameter_id": "B", "time_range": "$DAY"}
    return fetch(1, args=args, for_each={"as": "$DAY", "over": over}, **changes)


@pytest.mark.parametrize(
    "served", [Days(without="2024-01-11"), Days(fill="2024-01-11"), Days(without="2024-01-10")]
)
def test_a_map_over_days_that_became_one_fetch_still_fails_for_a_missing_day(
    run: Callable[..., Ran], served: Days
):
    day = next(iter(served.days - {""}))
    assert run(fetch(1, args={"dataset_id": "A", "parameter_id": "B", "time_range": "2024-01-10 to 2024-01-13"}),
               served=served).status == "success"  # fmt: skip
    result = run(per_day(), render("fig", ("A.B",)), served=served)
    assert result.status == "failed"
    error = result.steps[0].error
    assert isinstance(error, NoData)
    assert (
        f"every interval of 1d needs data, but A B has none in 1 of 3 intervals, those that start at {day}"
        in error.message
    )


def test_a_map_over_days_that_are_all_there_is_one_fetch(run: Callable[..., Ran]):
    served = Days()
    result = run(per_day(), served=served)
    assert result.status == "success"
    assert served.asked == ["2024-01-10 to 2024-01-13"]
    assert len(result.tables["A.B"]) == 12


def test_a_day_that_is_missing_may_be_lost_where_the_map_says_so(run: Callable[..., Ran]):
    step = per_day(on_item_error="keep_partial")
    step["tool_args"]["output_label"] = "B-$DAY"
    result = run(step, render("fig", ("B-*",)), served=Days(without="2024-01-11"))
    assert result.status == "partial"
    assert [lost_item.item.name for lost_item in result.result.lost] == ["2024-01-11"]
