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
    "convert_units": "helio.steps.compute.convert_units",
    "declare_quantity": "helio.steps.compute.declare_quantity",
    "join_components": "helio.steps.compute.join_components",
    "rotate": "helio.steps.compute.rotate",
    "rotate_to_axes": "helio.steps.compute.rotate_to_axes",
    "transform_frame": "helio.steps.compute.transform_frame",
    "minimum_variance": "helio.steps.compute.minimum_variance",
    "clock_angle": "helio.steps.compute.clock_angle",
    "cone_angle": "helio.steps.compute.cone_angle",
    "parker_angle": "helio.steps.compute.parker_angle",
    "dynamic_pressure": "helio.steps.compute.dynamic_pressure",
    "alfven_speed": "helio.steps.compute.alfven_speed",
    "alfven_mach": "helio.steps.compute.alfven_mach",
    "magnetosonic_mach": "helio.steps.compute.magnetosonic_mach",
    "plasma_beta": "helio.steps.compute.plasma_beta",
    "electric_field": "helio.steps.compute.electric_field",
    "vbs": "helio.steps.compute.vbs",
    "newell_coupling": "helio.steps.compute.newell_coupling",
    "thermal_speed": "helio.steps.compute.thermal_speed",
    "thermal_temperature": "helio.steps.compute.thermal_temperature",
    "shue_standoff": "helio.steps.compute.shue_standoff",
    "ballistic_shift": "helio.steps.compute.ballistic_shift",
    "gyrofrequency": "helio.steps.compute.gyrofrequency",
    "plasma_frequency": "helio.steps.compute.plasma_frequency",
    "custom_operation": "helio.steps.compute.custom_operation",
    "store_dataframe": "helio.steps.compute.store_dataframe",
    "compute_spectrogram": "helio.steps.compute.compute_spectrogram",
    "power_spectrogram": "helio.steps.compute.power_spectrogram",
    "power_spectrum": "helio.steps.compute.power_spectrum",
    "band_integral": "helio.steps.compute.band_integral",
    "slice_spectrum": "helio.steps.compute.slice_spectrum",
    "pitch_angle_average": "helio.steps.compute.pitch_angle_average",
    "cross_correlation_lag": "helio.steps.compute.cross_correlation_lag",
    "render_spec": "helio.steps.render.render_spec",
    "save_data": "helio.steps.save_data",
}
"""Each tool's module; the function is named like the tool."""


def load_tool(name: str) -> Callable[..., Any]:
    """The function of a tool in `TOOLS`."""
    function: Callable[..., Any] = getattr(import_module(TOOLS[name]), name)
    return function
