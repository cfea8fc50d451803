"""Computations and derived quantities that a request can name, and the template's steps for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helio.authoring.request import Computation
from helio.errors import RequestError, did_you_mean
from helio.knowledge.quantities import ABS_B, NE, TE, THERMAL, B, E
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import N as DENSITY
from helio.knowledge.quantities import T as TEMPERATURE
from helio.knowledge.quantities import V as SPEED
from helio.steps.signature import signatures


@dataclass(frozen=True)
class ComputationTool:
    """A tool that computes a new series from each drawn series.

    Parameters
    ----------
    ending : str
        The ending of the labels of its results.
    intent : str
        A text with fields for ``window`` and ``method``.
    argument : str
        The argument for the window; empty where the tool needs none.
    quantity : str
        The quantity of its result, with a field for that of its input.
    spectral : bool
        Whether it takes the magnitude of a vector and gives a spectrum.
    """

    ending: str
    intent: str
    argument: str = ""
    quantity: str = "{}"
    spectral: bool = False
    vectors: bool = False
    """Whether it takes vectors only."""
    unit: str = "{}"
    """The unit of its result, with a field for that of its input."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are always the same."""

    def arguments(self, computation: Computation) -> dict[str, Any]:
        """Return the arguments of the step, without its labels."""
        given: dict[str, Any] = {self.argument: computation.window} if self.argument else {}
        if self.argument == "cadence":
            given["method"] = computation.method or "mean"
        return given | dict(computation.args) | dict(self.fixed)

    def intent_of(self, computation: Computation) -> str:
        """Describe in a few words what the step does."""
        return self.intent.format(window=computation.window, method=computation.method or "mean")


APPLIED = {
    "running_average": ComputationTool("smooth", "{window} running average", "window"),
    "running_median": ComputationTool("median", "{window} running median", "window"),
    "resample": ComputationTool("binned", "{window} {method}", "cadence"),
    "despike": ComputationTool("clean", "Set spikes to missing", "window"),
    "detrend": ComputationTool("detrended", "Subtract the straight line"),
    "derivative": ComputationTool("rate", "Time derivative", quantity="{} rate", unit="{}/s"),
    "cumulative_integral": ComputationTool("total", "Integrate over time", quantity="{} total", unit="{} h"),
    "band_pass": ComputationTool("filtered", "Filter"),
    "statistics": ComputationTool("std", "{window} standard deviation", "interval", fixed={"of": ["std"]}),
    "minimum_variance": ComputationTool(
        "lmn", "Rotate to the axes of minimum variance", quantity="{} along L, M, N", vectors=True
    ),
    "wavelet_spectrum": ComputationTool("wavelet", "Wavelet spectrum", quantity="{} power", spectral=True),
    "power_spectrum": ComputationTool("power", "Power spectral density", "window", "{} power", spectral=True),
    "power_spectrogram": ComputationTool("spectrogram", "Spectrogram", "window", "{} power", spectral=True),
}
OF_BINS = frozenset(
    {
        "running_average",
        "running_median",
        "resample",
        "despike",
        "detrend",
        "derivative",
        "cumulative_integral",
    }
)
"""Tools that compute each bin of a spectrum by itself."""
CUTS = {
    "slice_spectrum": ComputationTool("slice", "Take the nearest bin"),
    "band_average": ComputationTool("band", "Average over a band of energies"),
    "band_integral": ComputationTool("integral", "Integrate over a band of energies"),
    "pitch_angle_average": ComputationTool("pitch", "Average over pitch angles"),
}
"""Computations that take a part of a spectrum or a distribution."""
MAGNITUDE, DIFFERENCE, RATIO, PRODUCT, SUM = "magnitude", "difference", "ratio", "product", "sum"
LAG, R_SQUARED = "cross_correlation_lag", "r_squared"
"""Computations with other inputs: a magnitude takes vectors; a difference and a ratio take two series."""
OF_TWO = {
    DIFFERENCE: ("subtract", "minus"),
    RATIO: ("divide", "over"),
    PRODUCT: ("multiply", "times"),
    SUM: ("add", "plus"),
    LAG: ("", "lag"),
}
"""Computations of two series: the operation of the tool `arithmetic`, and the word in labels."""


@dataclass(frozen=True)
class Part:
    """An input of a derived quantity: a quantity, which component of it, and in which frame.

    Parameters
    ----------
    frame : str
        Empty for any; ``"*"`` for the frame of the request, or the first of GSM, GSE and RTN.
    """

    quantity: str
    component: str = ""
    frame: str = ""
    otherwise: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the tool where the spacecraft, which is then near the Earth, has no such quantity."""


@dataclass(frozen=True)
class Recipe:
    """A quantity to compute if no dataset has it: the tool, its inputs by argument, and the unit of the result.

    Parameters
    ----------
    helium : bool
        Whether the tool assumes a fraction of helium.
    unit : str
        The unit of the result; empty if the tool alone knows it.
    """

    tool: str
    takes: Mapping[str, Part]
    helium: bool = False
    unit: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "scalar"


_FLOW, _FIELD, _COUNT, _HEAT = Part(VELOCITY), Part(B), Part(DENSITY), Part(TEMPERATURE)
_DISTANCE = Part("heliocentric distance", otherwise={"distance": 1.0})
_BZ = Part(B, "z", "GSM")
DERIVED: dict[str, Recipe] = {
    "dynamic pressure": Recipe(
        "dynamic_pressure", {"density_label": _COUNT, "velocity_label": _FLOW}, helium=True, unit="nPa"
    ),
    "Alfvén speed": Recipe(
        "alfven_speed", {"field_label": _FIELD, "density_label": _COUNT}, helium=True, unit="km/s"
    ),
    "Alfvén Mach number": Recipe(
        "alfven_mach", {"velocity_label": _FLOW, "field_label": _FIELD, "density_label": _COUNT}, helium=True
    ),
    "magnetosonic Mach number": Recipe(
        "magnetosonic_mach",
        {"velocity_label": _FLOW, "density_label": _COUNT, "temperature_label": _HEAT, "field_label": _FIELD},
        helium=True,
    ),
    "plasma beta": Recipe(
        "plasma_beta", {"density_label": _COUNT, "temperature_label": _HEAT, "field_label": _FIELD}
    ),
    "clock angle": Recipe("clock_angle", {"source_label": Part(B, frame="*")}, unit="deg"),
    "cone angle": Recipe("cone_angle", {"source_label": Part(B, frame="*")}, unit="deg"),
    "Newell coupling function": Recipe(
        "newell_coupling", {"velocity_label": Part(SPEED), "field_label": Part(B, frame="GSM")}
    ),
    "VBs": Recipe("vbs", {"velocity_label": Part(SPEED), "bz_label": _BZ}, unit="mV/m"),
    "magnetopause standoff distance": Recipe(
        "shue_standoff", {"pressure_label": Part("dynamic pressure"), "bz_label": _BZ}, unit="R_E"
    ),
    "proton gyrofrequency": Recipe("gyrofrequency", {"source_label": Part(ABS_B)}, unit="Hz"),
    "plasma frequency": Recipe("plasma_frequency", {"source_label": Part(NE)}, unit="kHz"),
    "electron gyrofrequency": Recipe(
        "gyrofrequency", {"source_label": Part(ABS_B)}, unit="Hz", args={"particle": "electron"}
    ),
    "proton gyroradius": Recipe(
        "gyroradius", {"temperature_label": _HEAT, "field_label": Part(ABS_B)}, unit="km"
    ),
    "electron gyroradius": Recipe(
        "gyroradius",
        {"temperature_label": Part(TE), "field_label": Part(ABS_B)},
        unit="km",
        args={"particle": "electron"},
    ),
    "proton inertial length": Recipe("inertial_length", {"source_label": _COUNT}, unit="km"),
    "electron inertial length": Recipe(
        "inertial_length", {"source_label": Part(NE)}, unit="km", args={"particle": "electron"}
    ),
    "upper-hybrid frequency": Recipe(
        "upper_hybrid_frequency", {"density_label": Part(NE), "field_label": Part(ABS_B)}, unit="kHz"
    ),
    "specific entropy": Recipe("specific_entropy", {"density_label": _COUNT, "temperature_label": _HEAT}),
    "Parker spiral angle": Recipe(
        "parker_angle", {"velocity_label": Part(SPEED), "radius_label": _DISTANCE}, unit="deg"
    ),
    "field spiral angle": Recipe("field_spiral_angle", {"field_label": Part(B, frame="spiral")}, unit="deg"),
    "footpoint longitude": Recipe(
        "footpoint_longitude", {"velocity_label": Part(SPEED), "radius_label": _DISTANCE}, unit="deg"
    ),
    E: Recipe("electric_field", {"velocity_label": _FLOW, "field_label": _FIELD}, unit="mV/m", kind="vector"),
    "pressure-corrected Dst": Recipe(
        "pressure_corrected_dst",
        {"index_label": Part("Dst"), "pressure_label": Part("dynamic pressure")},
        unit="nT",
    ),
    "predicted Dst": Recipe(
        "burton_dst", {"electric_field_label": Part("VBs"), "index_label": Part("Dst")}, unit="nT"
    ),
    TEMPERATURE: Recipe("thermal_temperature", {"source_label": Part(THERMAL)}, unit="K"),
    THERMAL: Recipe("thermal_speed", {"source_label": _HEAT}, unit="km/s"),
}
"""Quantities to compute if no dataset has them."""


def tool_named(text: str) -> str:
    """Return the tool that a name or a synonym means.

    >>> tool_named("moving average"), tool_named("psd")
    ('running_average', 'power_spectrum')

    Raises
    ------
    RequestError
        No computation has this name; the advice suggests close names.
    """
    spelt = "_".join(text.replace("-", " ").split()).casefold()
    tools = (*APPLIED, MAGNITUDE)
    names = {name: tool for tool in tools for name in (tool, *signatures()[tool].synonyms)}
    names |= {name: name for name in OF_TWO}
    if spelt in names:
        return names[spelt]
    raise RequestError(
        f"no operation is called '{text}'",
        advice=did_you_mean(spelt, names, otherwise=f"use one of {', '.join((*tools, *OF_TWO))}"),
    )
