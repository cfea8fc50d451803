"""Short templates to take apart."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

NOW = datetime(2024, 3, 31, 12, 34, 56)


def fetch(step_id: int | str = 1, **changes: Any) -> dict[str, Any]:
    args = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"} | changes.pop(
        "args", {}
    )
    return {"step_id": step_id, "tool_name": "fetch_data", "tool_args": args, **changes}


def magnitude(
    step_id: int | str = 2, source: str = "AC_H2_MFI.BGSEc", label: str = "B", **changes: Any
) -> dict[str, Any]:
    return {
        "step_id": step_id,
        "tool_name": "magnitude",
        "tool_args": {"source_label": source, "output_label": label},
        **changes,
    }


def render(step_id: int | str = 3, labels: tuple[str, ...] = ("B",), **spec: Any) -> dict[str, Any]:
    return {
        "step_id": step_id,
        "tool_name": "render_spec",
        "tool_args": {"spec": {"labels": list(labels), **spec}},
    }


def template(*steps: dict[str, Any], **changes: Any) -> dict[str, Any]:
    variables = {"$TIME_RANGE": {"type": "time_range", "default": "2024-01-10"}}
    return {"id": "short", "variables": variables, "steps": list(steps), **changes}


@pytest.fixture
def now() -> datetime:
    return NOW
