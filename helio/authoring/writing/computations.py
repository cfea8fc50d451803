"""Computations and derived quantities that a request can name, and the template's steps for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helio.authoring.request import Computation
from helio.errors import RequestError, did_you_mean
from helio.knowledge.quantities import (
    ABS_B,
    ALPHA_RATIO,
    ALPHA_V,
    ALPHAS,
    DISTANCE,
    NE,
    POSITION,
    T_PARALLEL,
    T_PERPENDICULAR,
    TE,
    TE_PARALLEL,
    TE_PERPENDICULAR,
    THERMAL,
    B,
    E,
)
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import N as DENSITY
from helio.knowledge.quantities import T as TEMPERATURE
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.words import singular
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
        Whether it gives a spectrum: of a vector, the sum over the components.
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
    of_spectrum: bool = False
    """Whether it takes the spectrogram of a series."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are the same unless the request gives others."""

    def arguments(self, computation: Computation) -> dict[str, Any]:
        """Return the arguments of the step, without its labels."""
        given: dict[str, Any] = {self.argument: computation.window} if self.argument else {}
        if self.argument == "cadence":
            given["method"] = computation.method or "mean"
        args = {key: list(value) if isinstance(value, tuple) else value for key, value in computation.args}
        return given | dict(self.fixed) | args

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
    "interpolate": ComputationTool("filled", "Fill gaps of up to {window}", "limit"),
    "mask": ComputationTool("masked", "Leave out values"),
    "band_integral": ComputationTool(
        "band_power", "Power of a band", quantity="{} band power", unit="", of_spectrum=True
    ),
    "spectral_slope": ComputationTool(
        "slope", "Spectral slope", quantity="{} slope", unit="", of_spectrum=True
    ),
    "power_spectrogram": ComputationTool("spectrogram", "Spectrogram", "window", "{} power", spectral=True),
}
OF_BINS = frozenset(
    {
        "running_average",
        "running_median",
        "resample",
        "despike",
        "detrend",
        "interpolate",
        "derivative",
        "cumulative_integral",
    }
)
"""Tools that compute each bin of a spectrum by itself."""
CUTS = {
    "slice_spectrum": ComputationTool("slice", "Take the nearest bin", quantity="{} in one bin"),
    "band_average": ComputationTool("band", "Average over a band of energies", quantity="{} in a band"),
    "band_integral": ComputationTool(
        "integral", "Integrate over a band of energies", quantity="{} over a band"
    ),
    "pitch_angle_average": ComputationTool(
        "pitch", "Average over pitch angles", quantity="{} over pitch angles"
    ),
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
        Empty for any; ``"*"`` for the frame of the request, or the first of GSM, GSE and RTN; ``"="`` for a frame that
        all vectors of the computation have.
    """

    quantity: str
    component: str = ""
    frame: str = ""
    otherwise: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the tool where the spacecraft, which is then near the Earth, has no such quantity."""
    measured: bool = False
    """Whether only measured data make sense: −V×B has no component along B."""


@dataclass(frozen=True)
class Recipe:
    """A quantity to compute if no dataset has it: the tool, its inputs by argument, and the unit of the result.

    Parameters
    ----------
    helium : bool
        Whether the tool assumes a fraction of helium.
    unit : str
        The unit of the result, with a field for that of its input; empty if the tool alone knows it.
    """

    tool: str
    takes: Mapping[str, Part]
    helium: bool = False
    unit: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "scalar"
    window: str = ""
    """The argument for the window, which the request gives; empty where the tool needs none."""


_FLOW, _FIELD, _COUNT, _HEAT = Part(VELOCITY), Part(B), Part(DENSITY), Part(TEMPERATURE)
_DISTANCE = Part(DISTANCE, otherwise={"distance": 1.0})
_BZ = Part(B, "z", "GSM")
_PLASMA = {
    "velocity_label": Part(VELOCITY, frame="="),
    "field_label": Part(B, frame="="),
    "density_label": _COUNT,
}
DRIFT, TO_EARTH, CURRENT = "alpha drift velocity", "geocentric distance", "curlometer current density"


def _ratio(above: str, below: str) -> Recipe:
    parts = {"left_label": Part(above), "right_label": Part(below)}
    return Recipe("arithmetic", parts, args={"operation": "divide"})


def _along(vector: str, give: str, unit: str) -> Recipe:
    parts = {"vector_label": Part(vector, frame="=", measured=vector == E), "field_label": Part(B, frame="=")}
    return Recipe("along_field", parts, unit=unit, args={"give": give})


def _taylor(length: str) -> Recipe:
    return Recipe(
        "taylor_frequency", {"length_label": Part(length), "velocity_label": Part(SPEED)}, unit="Hz"
    )


def _elsasser(give: str, unit: str = "") -> Recipe:
    return Recipe("cross_helicity", _PLASMA, unit=unit, args={"give": give}, window="window")


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
    "alpha gyrofrequency": Recipe(
        "gyrofrequency", {"source_label": Part(ABS_B)}, unit="Hz", args={"particle": "alpha"}
    ),
    "proton plasma frequency": Recipe(
        "plasma_frequency", {"source_label": _COUNT}, unit="kHz", args={"particle": "proton"}
    ),
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
    E: Recipe(
        "electric_field",
        {"velocity_label": Part(VELOCITY, frame="="), "field_label": Part(B, frame="=")},
        unit="mV/m",
        kind="vector",
    ),
    "parallel electric field": _along(E, "parallel", "mV/m"),
    "perpendicular electric field": _along(E, "perpendicular", "mV/m"),
    "parallel velocity": _along(VELOCITY, "parallel", "km/s"),
    "perpendicular velocity": _along(VELOCITY, "perpendicular", "km/s"),
    "cross helicity": _elsasser("cross_helicity"),
    "residual energy": _elsasser("residual_energy"),
    "Elsasser energy plus": _elsasser("elsasser_plus", "km^2/s^2"),
    "Elsasser energy minus": _elsasser("elsasser_minus", "km^2/s^2"),
    "ion temperature anisotropy": _ratio(T_PERPENDICULAR, T_PARALLEL),
    "electron temperature anisotropy": _ratio(TE_PERPENDICULAR, TE_PARALLEL),
    ALPHA_RATIO: _ratio(ALPHAS, DENSITY),
    "ion to electron temperature ratio": _ratio(TEMPERATURE, TE),
    "electron to ion temperature ratio": _ratio(TE, TEMPERATURE),
    "frequency of the proton gyroradius": _taylor("proton gyroradius"),
    "frequency of the proton inertial length": _taylor("proton inertial length"),
    "angle between velocity and field": Recipe(
        "angle_between",
        {"vector_label": Part(VELOCITY, frame="="), "other_label": Part(B, frame="=")},
        unit="deg",
    ),
    "velocity in the de Hoffmann–Teller frame": Recipe(
        "de_hoffmann_teller",
        {"velocity_label": Part(VELOCITY, frame="="), "field_label": Part(B, frame="=")},
        unit="km/s",
        args={"give": "velocity"},
        kind="vector",
    ),
    "storm phase": Recipe("storm_phases", {"source_label": Part("SYM-H")}),
    "storm phase in Dst": Recipe("storm_phases", {"source_label": Part("Dst")}),
    DRIFT: Recipe(
        "arithmetic",
        {"left_label": Part(ALPHA_V, frame="="), "right_label": Part(VELOCITY, frame="=")},
        unit="km/s",
        args={"operation": "subtract"},
        kind="vector",
    ),
    "alpha drift speed": Recipe("magnitude", {"source_label": Part(DRIFT)}, unit="km/s"),
    TO_EARTH: Recipe("magnitude", {"source_label": Part(POSITION)}, unit="{}"),
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
    "electron thermal speed": Recipe(
        "thermal_speed", {"source_label": Part(TE)}, unit="km/s", args={"particle": "electron"}
    ),
}
"""Quantities to compute if no dataset has them."""
WINDOWED = {recipe.tool for recipe in DERIVED.values() if recipe.window}
"""Tools for quantities that need a window, which the request gives as a `Computation`."""
AT_EARTH = (
    "storm phase",
    "storm phase in Dst",
    "magnetopause standoff distance",
    "Newell coupling function",
    "pressure-corrected Dst",
    "predicted Dst",
)
"""Quantities of the Earth's surroundings, which the solar wind at the bow shock's nose (OMNI) gives."""
OF_ELECTRONS = {DENSITY: NE, TEMPERATURE: TE, T_PARALLEL: TE_PARALLEL, T_PERPENDICULAR: TE_PERPENDICULAR}
"""Moments that mean those of the electrons beside the name of an instrument that measures only electrons."""
SIDES = {TEMPERATURE: (T_PARALLEL, T_PERPENDICULAR), TE: (TE_PARALLEL, TE_PERPENDICULAR)}
"""Temperatures that follow from those along and across the field."""
NEARBY = {"distance": (DISTANCE, TO_EARTH)}
"""Quantities that mean the first of several that the spacecraft has: a distance from the Sun, or from the Earth."""


def tool_named(text: str) -> str:
    """Return the tool that a name or a synonym means.

    >>> tool_named("moving averages"), tool_named("psd")
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
    meant = {tool for name, tool in names.items() if name == spelt} or {
        tool for name, tool in names.items() if singular(name) == singular(spelt)
    }
    if len(meant) == 1:
        return meant.pop()
    raise RequestError(
        f"no operation is called '{text}'",
        advice=did_you_mean(spelt, names, otherwise=f"use one of {', '.join((*tools, *OF_TWO))}"),
    )
