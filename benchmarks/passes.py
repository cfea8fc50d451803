"""What the passes cost: templates of 100 and 1,000 steps, from what was authored to a verified plan.

    python benchmarks/passes.py

Times are medians of repeats in one process, imports left out: read the ratios. "again" is the plan that came out, on
which nothing is left to edit.
"""

from __future__ import annotations

import copy
import statistics
import time
from datetime import datetime
from typing import Any

from helio.pipelines.passes import LETTERS
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures

REPEATS = 5
SIZES = (100, 1_000)
NOW = datetime(2024, 3, 31)


def template(size: int) -> dict[str, Any]:
    """Fetches of many data sets, each with computations on it and a plot with a style, as a model would write them."""
    steps: list[dict[str, Any]] = []
    group = 0
    while len(steps) + 6 <= size:
        dataset, first = f"DATASET_{group}", len(steps) + 1
        for parameter in ("B", "V"):
            args = {"dataset": dataset, "parameter_id": parameter, "time_range": "last 7 days"}
            steps.append({"tool_name": "fetch", "tool_args": args})
        steps.append(
            {
                "tool_name": "magnitude",
                "tool_args": {"source_label": f"{dataset}.B", "output_label": f"b{group}"},
            }
        )
        window = {"source_label": f"b{group}", "window": "10min", "output_label": f"smooth{group}"}
        steps.append({"tool_name": "running_average", "tool_args": window})
        steps.append({"tool_name": "plot_data", "tool_args": {"labels": f"smooth{group},{dataset}.V"}})
        steps.append(
            {"tool_name": "style_plot", "tool_args": {"title": f"{group}"}, "depends_on": [first + 4]}
        )
        group += 1
    for number, step in enumerate(steps, 1):
        step["step_id"] = number
    return {"id": "large", "steps": steps}


def context(size: int) -> Context:
    catalogue = {f"DATASET_{one}": Dataset({"V": 1, "B": 3}) for one in range(size)}
    return Context(signatures(), NOW, {}, catalogue=catalogue)


def seconds(document: dict[str, Any], given: Context) -> float:
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        normalise(document, given)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    for size in SIZES:
        document, given = template(size), context(size)
        before = copy.deepcopy(document)
        found = normalise(document, given)
        assert document == before
        assert found.errors == (), [str(one) for one in found.errors[:3]]
        first, again = seconds(document, given), seconds(found.plan, given)
        print(
            f"{size:>6} steps: {first * 1e3:8.1f} ms, {len(found.edits)} edits, "
            f"{len(found.plan['steps'])} steps left; again {again * 1e3:8.1f} ms"
        )
    costs: dict[str, float] = {}
    typed = Template.from_json(found.plan)
    for rewrite in (rewrite for _, stages in LETTERS[:-1] for stage in stages for rewrite in stage):
        plan = found.plan if rewrite.__module__.startswith("helio.pipelines.dialect") else typed
        start = time.perf_counter()
        list(rewrite(plan, given))  # type: ignore[arg-type]
        costs[rewrite.__name__] = time.perf_counter() - start
    for name, taken in sorted(costs.items(), key=lambda item: -item[1])[:10]:
        print(f"        {name:<26} {taken * 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
