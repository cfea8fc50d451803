"""What a step does: one file per tool, named here by hand and imported when first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

TOOLS: dict[str, str] = {
    "fetch_data": "helio.steps.fetch.fetch_data",
    "magnitude": "helio.steps.compute.magnitude",
    "components": "helio.steps.compute.components",
    "running_average": "helio.steps.compute.running_average",
    "resample": "helio.steps.compute.resample",
    "band_average": "helio.steps.compute.band_average",
    "align": "helio.steps.compute.align",
    "interpolate": "helio.steps.compute.interpolate",
    "running_median": "helio.steps.compute.running_median",
    "despike": "helio.steps.compute.despike",
    "detrend": "helio.steps.compute.detrend",
    "derivative": "helio.steps.compute.derivative",
    "band_pass": "helio.steps.compute.band_pass",
    "arithmetic": "helio.steps.compute.arithmetic",
    "rescale": "helio.steps.compute.rescale",
    "mask": "helio.steps.compute.mask",
    "mask_by_flag": "helio.steps.compute.mask_by_flag",
    "statistics": "helio.steps.compute.statistics",
    "render_spec": "helio.steps.render.render_spec",
    "save_data": "helio.steps.save_data",
}
"""Each tool's module; the function is named like the tool."""


def load_tool(name: str) -> Callable[..., Any]:
    """The function of a tool in `TOOLS`."""
    function: Callable[..., Any] = getattr(import_module(TOOLS[name]), name)
    return function
