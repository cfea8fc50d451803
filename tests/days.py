"""A folder with one small file for each day, and a pipeline that draws a day."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from helio.time_range import TimeRange
from tests.pipelines.made_archive import Made, write_dataset

FIRST = datetime(2024, 1, 1)


def day(number: int, length: int = 1) -> TimeRange:
    start = FIRST + timedelta(days=number)
    return TimeRange(start, start + timedelta(days=length))


def write_day(folder: Path, number: int, level: float = 5.0) -> Path:
    """Write the file of a day; another level makes another file of the same name."""
    folder.mkdir(parents=True, exist_ok=True)
    parameters = {"BGSEc": Made("nT", level, "GSE", 3)}
    return write_dataset(folder, "AC_H2_MFI", parameters, day(number), "1h")


def write_days(folder: Path, count: int) -> Path:
    for number in range(count):
        write_day(folder, number)
    return folder


def daily(**changes: Any) -> dict[str, Any]:
    """A pipeline that fetches the field, computes its magnitude, and draws both."""
    fetch = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"}
    magnitude = {"source_label": "AC_H2_MFI.BGSEc", "output_label": "B"}
    return {
        "id": "daily-field",
        "name": "Field of a day",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2024-01-01"}},
        "steps": [
            {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": fetch},
            {"step_id": "b", "tool_name": "magnitude", "tool_args": magnitude},
            {"step_id": "draw", "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["B"]}}},
        ],
        **changes,
    }
