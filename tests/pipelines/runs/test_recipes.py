"""What names a fetch beside its files and its range."""

from datetime import datetime
from types import SimpleNamespace

import pytest

from helio.pipelines.runs.recipes import recipes_of_fetch
from helio.time_range import TimeRange

ARGS = {"dataset_id": "X", "parameters": ["n"], "time_range": "any", "provider": "folder"}
FOLDER = SimpleNamespace(name="folder", locate=lambda dataset_id, time_range: ())
PROVIDERS = SimpleNamespace(choose=lambda name: FOLDER)


@pytest.mark.parametrize(
    ("start", "stop", "count"),
    [
        (datetime(2016, 12, 31), datetime(2017, 1, 1), 1),
        (datetime(2015, 1, 1), datetime(2018, 1, 1), 2),
        (datetime(2017, 1, 1), datetime(2017, 1, 2), 0),
        (datetime(2024, 5, 10), datetime(2024, 5, 11), 0),
    ],
)
def test_a_fetch_over_a_leap_second_is_not_that_from_before_they_were_counted(start, stop, count):
    step = SimpleNamespace(
        args=ARGS,
        tool_name="fetch_data",
        tool_version=1,
        produces=("X.n",),
        time_ranges={"time_range": TimeRange(start, stop)},
    )
    (work,) = recipes_of_fetch(step, PROVIDERS)
    assert work.recipe.get("leap_seconds", 0) == count
    assert ("leap_seconds" in work.recipe) == bool(count)
