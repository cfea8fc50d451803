"""Computations and derived quantities that a request can name, and the template's steps for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from helio.authoring.request import Computation
from helio.errors import RequestError, did_you_mean
from helio.knowledge.constants import BOLTZMANN, VACUUM_PERMEABILITY
from helio.knowledge.quantities import (
    ABS_B,
    ALPHA_RATIO,
    ALPHA_V,
    ALPHAS,
    CARRINGTON_LONGITUDE,
    DISTANCE,
    ELECTRON_SPEED,
    ELECTRON_V,
    NE,
    POSITION,
    SOURCES,
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
    kind, frame : str
        Those of its result; empty where they are those of its input. The spectrum of a vector is the sum over the
        components.
    """

    ending: str
    intent: str
    argument: str = ""
    quantity: str = "{}"
    kind: str = ""
    frame: str = ""
    unit: str = "{}"
    """The unit of its result, with a field for that of its input."""
    takes: tuple[str, ...] = ("scalar", "vector")
    """The kinds of series that it takes."""
    of_bins: bool = False
    """Whether it computes each bin of a spectrum by itself, where the figure draws nothing else."""
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
        named = {"std": "standard deviation", "min": "minimum", "max": "maximum"}
        given = dict(self.fixed) | dict(computation.args)
        statistics = ", ".join(named.get(name, name) for name in given.get("of", ()))
        usual = {
            "window": computation.window,
            "method": computation.method or "mean",
            "statistics": statistics,
        }
        return self.intent.format(**{"factor": 1.0, "offset": 0.0, **dict(computation.args), **usual})


APPLIED = {
    "running_average": ComputationTool("smooth", "{window} running average", "window", of_bins=True),
    "running_median": ComputationTool("median", "{window} running median", "window", of_bins=True),
    "resample": ComputationTool(
        "binned", "{window} {method}", "cadence", takes=("scalar", "vector", "spectrum")
    ),
    "despike": ComputationTool("clean", "Set spikes to missing", "window", of_bins=True),
    "detrend": ComputationTool("detrended", "Subtract the trend", of_bins=True),
    "derivative": ComputationTool("rate", "Time derivative", "", "{} rate", unit="{}/s", of_bins=True),
    "cumulative_integral": ComputationTool(
        "total", "Integrate over time", "", "{} total", unit="{} h", of_bins=True
    ),
    "band_pass": ComputationTool("filtered", "Filter"),
    "statistics": ComputationTool("std", "{window} {statistics}", "interval", fixed={"of": ["std"]}),
    "minimum_variance": ComputationTool(
        "lmn",
        "Rotate to the axes of minimum variance",
        "",
        "{} along L, M, N",
        frame="LMN",
        takes=("vector",),
    ),
    "wavelet_spectrum": ComputationTool("wavelet", "Wavelet spectrum", "", "{} power", "spectrum"),
    "power_spectrum": ComputationTool("power", "Power spectral density", "window", "{} power", "spectrum"),
    "interpolate": ComputationTool("filled", "Fill gaps of up to {window}", "limit", of_bins=True),
    "mask": ComputationTool("masked", "Leave out values"),
    "mask_by_flag": ComputationTool("masked", "Leave out records by another series", of_bins=True),
    "alert": ComputationTool("events", "Find events: {when}", takes=("scalar",)),
    "expect": ComputationTool("checked", "Check the data", takes=("scalar", "vector", "spectrum")),
    "rescale": ComputationTool("scaled", "Multiply by {factor:g}, add {offset:g}", of_bins=True),
    "band_integral": ComputationTool(
        "band_power", "Power of a band", "", "{} band power", "scalar", unit="", of_spectrum=True
    ),
    "spectral_slope": ComputationTool(
        "slope", "Spectral slope", "", "{} slope", "scalar", unit="", of_spectrum=True
    ),
    "spectral_break": ComputationTool(
        "break", "Spectral break", "", "{} break", "scalar", unit="Hz", of_spectrum=True
    ),
    "power_spectrogram": ComputationTool("spectrogram", "Spectrogram", "window", "{} power", "spectrum"),
}
CUTS = {
    "slice_spectrum": ComputationTool("slice", "Take the nearest bin", "", "{} in one bin"),
    "band_average": ComputationTool("band", "Average over energies", "", "{} averaged over energies"),
    "band_integral": ComputationTool(
        "integral", "Integrate over energies", "", "{} integrated over energies"
    ),
    "pitch_angle_average": ComputationTool("pitch", "Average over pitch angles", "", "{} over pitch angles"),
    "components": ComputationTool("{keep[0]}", "Keep a component", "", "{keep[0]} component of {}"),
    "magnitude": ComputationTool("mag", "Magnitude", "", "magnitude of {}"),
}
"""Computations that take a part of a spectrum, a distribution or a vector."""
MAGNITUDE, DIFFERENCE, RATIO, PRODUCT, SUM = "magnitude", "difference", "ratio", "product", "sum"
SEPARATION = "separation"
"""The length of the difference of two positions."""
LAG, R_SQUARED, ANGLE, SHIFT = "cross_correlation_lag", "r_squared", "angle_between", "ballistic_shift"
"""Computations with other inputs: a magnitude takes vectors; a difference and a ratio take two series."""
OF_TWO = {
    DIFFERENCE: ("subtract", "minus"),
    RATIO: ("divide", "over"),
    PRODUCT: ("multiply", "times"),
    SUM: ("add", "plus"),
    SEPARATION: ("subtract", "minus"),
    LAG: ("", "lag"),
    ANGLE: ("", "angle"),
}
"""Computations of two series: the operation of the tool `arithmetic`, and the word in labels."""


@dataclass(frozen=True)
class Part:
    """An input of a derived quantity: a quantity, which component of it, and in which frame.

    Parameters
    ----------
    frame : str
        Empty for any; ``"*"`` for the frame of the request, or else GSM, into which helio rotates GSE, or RTN;
        ``"spiral"`` for that of the request, or the first of RTN and GSE; ``"="`` for a frame that all vectors of the
        computation have.
    """

    quantity: str
    component: str = ""
    frame: str = ""
    otherwise: Mapping[str, Any] | None = None
    """Arguments of the tool where a spacecraft near the Earth has no such quantity."""
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
    note: str = ""
    """What the user should know about the result."""


DRIFT, TO_EARTH, CURRENT = "alpha drift velocity", "geocentric distance", "curlometer current density"
_FLOW, _ALPHA_FLOW, _FIELD = (Part(vector, frame="=") for vector in (VELOCITY, ALPHA_V, B))
_BZ = Part(B, "z", "GSM")
_RADIUS = Part(DISTANCE, otherwise={"distance": 1.0})
_LONGITUDE = Part(CARRINGTON_LONGITUDE, otherwise={})  # the tool then takes that of the Earth
_ELECTRON = {"particle": "electron"}
_OF_FIELD = {"factor": float(f"{1e-9 / (2 * VACUUM_PERMEABILITY):.12g}"), "unit": "nPa"}
_OF_PLASMA = {"factor": float(f"{BOLTZMANN * 1e15:.12g}"), "unit": "nPa"}
"""Arguments of `rescale` for B²/(2μ₀) from nT², and for n k T from cm^-3 K."""
CONVECTIVE = "electric field"
"""The quantity −V×B: of OMNI its y component, of others the vector."""


def _recipe(
    tool: str,
    unit: str = "",
    args: Mapping[str, Any] | None = None,
    *,
    helium: bool = False,
    kind: str = "scalar",
    window: str = "",
    note: str = "",
    **takes: str | Part,
) -> Recipe:
    """Return a recipe whose inputs are named by the arguments of the tool, without ``_label``."""
    parts = {f"{name}_label": Part(part) if isinstance(part, str) else part for name, part in takes.items()}
    return Recipe(tool, parts, helium, unit, args or {}, kind, window, note)


def _ratio(above: str, below: str) -> Recipe:
    return _recipe("arithmetic", "", {"operation": "divide"}, left=above, right=below)


def _along(vector: str, give: str, unit: str) -> Recipe:
    part = Part(vector, frame="=", measured=vector == E)
    return _recipe("along_field", unit, {"give": give}, vector=part, field=_FIELD)


def _elsasser(give: str, unit: str = "") -> Recipe:
    args = {"give": give}
    return _recipe(
        "cross_helicity", unit, args, window="window", velocity=_FLOW, field=_FIELD, density=DENSITY
    )


def _coupling(tool: str, unit: str = "") -> Recipe:
    return _recipe(tool, unit, velocity=SPEED, field=Part(B, frame="GSM"))


def _of_spiral(give: str, unit: str = "") -> Recipe:
    field = Part(B, frame="spiral")
    return _recipe("field_spiral_angle", unit, {"give": give}, field=field, expected="Parker spiral angle")


def _burton(model: str, paper: str) -> Recipe:
    note = f"Dst*, without the magnetopause currents, after {paper}"
    index = "pressure-corrected Dst"
    return _recipe("burton_dst", "nT", {"model": model}, note=note, electric_field="VBs", index=index)


def _storms(index: str, ending: str) -> dict[str, Recipe]:
    """Return what helio finds of the storms in an index, by name."""
    found = {"onset": "nT", "minimum": "nT", "durations": "h"}
    return {
        f"storm phase{ending}": _recipe("storm_phases", source=index),
        **{
            f"storm {give}{ending}": _recipe("storm_phases", unit, {"give": give}, source=index)
            for give, unit in found.items()
        },
    }


def _of_teller_frame(give: str, unit: str = "", note: str = "") -> Recipe:
    return _recipe(
        "de_hoffmann_teller", unit, {"give": give}, kind="vector", note=note, velocity=_FLOW, field=_FIELD
    )


def _product(left: str, right: str, unit: str) -> Recipe:
    return _recipe("arithmetic", unit, {"operation": "multiply"}, left=left, right=right)


def _sum(left: str, right: str, note: str = "") -> Recipe:
    return _recipe("arithmetic", "nPa", {"operation": "add"}, note=note, left=left, right=right)


def _taylor(length: str) -> Recipe:
    return _recipe("taylor_frequency", "Hz", length=length, velocity=SPEED)


DERIVED: dict[str, Recipe] = {
    "B squared": _product(ABS_B, ABS_B, "nT^2"),
    "magnetic pressure": _recipe("rescale", "nPa", _OF_FIELD, source="B squared"),
    "pressure over k": _product(DENSITY, TEMPERATURE, "cm^-3 K"),
    "thermal pressure": _recipe("rescale", "nPa", _OF_PLASMA, source="pressure over k"),
    "electron pressure over k": _product(NE, TE, "cm^-3 K"),
    "electron pressure": _recipe("rescale", "nPa", _OF_PLASMA, source="electron pressure over k"),
    "total pressure": _sum(
        "magnetic pressure",
        "thermal pressure",
        "the magnetic pressure and the thermal pressure of the ions, without that of the electrons",
    ),
    "thermal pressure with electrons": _sum("thermal pressure", "electron pressure"),
    "total pressure with electrons": _sum("magnetic pressure", "thermal pressure with electrons"),
    "dynamic pressure": _recipe("dynamic_pressure", "nPa", helium=True, density=DENSITY, velocity=VELOCITY),
    "Alfvén speed": _recipe("alfven_speed", "km/s", helium=True, field=B, density=DENSITY),
    "Alfvén Mach number": _recipe("alfven_mach", helium=True, velocity=VELOCITY, field=B, density=DENSITY),
    "magnetosonic Mach number": _recipe(
        "magnetosonic_mach", helium=True, velocity=VELOCITY, density=DENSITY, temperature=TEMPERATURE, field=B
    ),
    "plasma beta": _recipe("plasma_beta", density=DENSITY, temperature=TEMPERATURE, field=B),
    "parallel beta": _recipe("plasma_beta", density=DENSITY, temperature=T_PARALLEL, field=B),
    "perpendicular beta": _recipe("plasma_beta", density=DENSITY, temperature=T_PERPENDICULAR, field=B),
    "electron beta": _recipe("plasma_beta", density=NE, temperature=TE, field=B),
    "field elevation": _recipe("direction_angle", "deg", {"give": "elevation"}, source=B),
    "field azimuth": _recipe("direction_angle", "deg", {"give": "azimuth"}, source=B),
    "clock angle": _recipe("clock_angle", "deg", source=Part(B, frame="*")),
    "cone angle": _recipe("cone_angle", "deg", source=Part(B)),
    "angle to the radial direction": _recipe("cone_angle", "deg", source=Part(B, frame="RTN")),
    "Newell coupling function": _coupling("newell_coupling"),
    "Akasofu epsilon": _coupling("akasofu_epsilon", "GW"),
    "Kan–Lee electric field": _coupling("kan_lee_field", "mV/m"),
    "polar cap potential": _coupling("polar_cap_potential", "kV"),
    "VBs": _recipe("vbs", "mV/m", velocity=SPEED, bz=_BZ),
    "magnetopause standoff distance": _recipe("shue_standoff", "R_E", pressure="dynamic pressure", bz=_BZ),
    "magnetopause flaring": _recipe(
        "shue_standoff", "1", {"give": "flaring"}, pressure="dynamic pressure", bz=_BZ
    ),
    "proton gyrofrequency": _recipe("gyrofrequency", "Hz", source=ABS_B),
    "plasma frequency": _recipe("plasma_frequency", "kHz", source=NE),
    "alpha gyrofrequency": _recipe("gyrofrequency", "Hz", {"particle": "alpha"}, source=ABS_B),
    "proton plasma frequency": _recipe("plasma_frequency", "kHz", {"particle": "proton"}, source=DENSITY),
    "electron gyrofrequency": _recipe("gyrofrequency", "Hz", _ELECTRON, source=ABS_B),
    "proton gyroradius": _recipe("gyroradius", "km", temperature=TEMPERATURE, field=ABS_B),
    "electron gyroradius": _recipe("gyroradius", "km", _ELECTRON, temperature=TE, field=ABS_B),
    "proton inertial length": _recipe("inertial_length", "km", source=DENSITY),
    "electron inertial length": _recipe("inertial_length", "km", _ELECTRON, source=NE),
    "upper-hybrid frequency": _recipe("upper_hybrid_frequency", "kHz", density=NE, field=ABS_B),
    "specific entropy": _recipe("specific_entropy", density=DENSITY, temperature=TEMPERATURE),
    "electron entropy": _recipe("specific_entropy", density=NE, temperature=TE),
    "Parker spiral angle": _recipe("parker_angle", "deg", velocity=SPEED, radius=_RADIUS),
    "field spiral angle": _recipe("field_spiral_angle", "deg", field=Part(B, frame="spiral")),
    "magnetic polarity": _of_spiral("polarity"),
    "deviation from the Parker spiral": _of_spiral("deviation", "deg"),
    "footpoint longitude": _recipe(
        "footpoint_longitude", "deg", velocity=SPEED, longitude=_LONGITUDE, radius=_RADIUS
    ),
    E: _recipe("electric_field", "mV/m", kind="vector", velocity=_FLOW, field=_FIELD),
    "E×B drift velocity": _recipe(
        "exb_drift", "km/s", kind="vector", electric=Part(E, frame="=", measured=True), field=_FIELD
    ),
    "Alfvén velocity vector": _recipe(
        "walen_relation",
        "km/s",
        {"give": "alfven_velocity"},
        kind="vector",
        velocity=Part("velocity in the de Hoffmann–Teller frame", frame="="),
        field=_FIELD,
        density=DENSITY,
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
    "frequency of the electron gyroradius": _taylor("electron gyroradius"),
    "frequency of the electron inertial length": _taylor("electron inertial length"),
    "angle between velocity and field": _recipe("angle_between", "deg", vector=_FLOW, other=_FIELD),
    "velocity in the de Hoffmann–Teller frame": _of_teller_frame(
        "velocity",
        "km/s",
        "that of the plasma, V − V_HT; the description of its step gives V_HT, that of the frame",
    ),
    "velocity of the de Hoffmann–Teller frame": _of_teller_frame("frame_velocity", "km/s"),
    "electric field of the de Hoffmann–Teller frame": _of_teller_frame("electric_field", "mV/m"),
    "quality of the de Hoffmann–Teller frame": _of_teller_frame("quality"),
    **_storms("SYM-H", ""),
    **_storms("Dst", " in Dst"),
    DRIFT: _recipe(
        "arithmetic", "km/s", {"operation": "subtract"}, kind="vector", left=_ALPHA_FLOW, right=_FLOW
    ),
    "alpha drift speed": _recipe("magnitude", "km/s", source=DRIFT),
    TO_EARTH: _recipe("magnitude", "{}", source=POSITION),
    "pressure-corrected Dst": _recipe(
        "pressure_corrected_dst", "nT", index="Dst", pressure="dynamic pressure"
    ),
    "Burton-corrected Dst": _recipe(
        "pressure_corrected_dst", "nT", {"model": "burton"}, index="Dst", pressure="dynamic pressure"
    ),
    "pressure-corrected SYM-H": _recipe(
        "pressure_corrected_dst", "nT", index="SYM-H", pressure="dynamic pressure"
    ),
    "predicted Dst": _burton("obrien", "O'Brien & McPherron (2000)"),
    "Dst predicted by Burton": _burton("burton", "Burton et al. (1975)"),
    TEMPERATURE: _recipe("thermal_temperature", "K", source=THERMAL),
    THERMAL: _recipe("thermal_speed", "km/s", source=TEMPERATURE),
    "electron thermal speed": _recipe("thermal_speed", "km/s", _ELECTRON, source=TE),
}
"""Quantities to compute if no dataset has them."""
RUNNING = ("running_average", "running_median")
"""Tools that smooth in a window, which must hold more than one record."""


def has_quantity(dataset: str, quantity: str) -> bool:
    """Return whether the table has a quantity in a dataset, or all from which it is computed."""
    recipe = DERIVED.get(quantity)
    names = {row.quantity for row in SOURCES if row.dataset == dataset}
    return quantity in names or (
        recipe is not None and {part.quantity for part in recipe.takes.values()} <= names
    )


WINDOWED = {recipe.tool for recipe in DERIVED.values() if recipe.window}
"""Tools for quantities that need a window, which the request gives as a `Computation`."""
AT_EARTH = (
    *_storms("SYM-H", ""),
    *_storms("Dst", " in Dst"),
    "magnetopause standoff distance",
    "magnetopause flaring",
    "VBs",
    "Newell coupling function",
    "Akasofu epsilon",
    "Kan–Lee electric field",
    "polar cap potential",
    "pressure-corrected Dst",
    "Burton-corrected Dst",
    "pressure-corrected SYM-H",
    "predicted Dst",
    "Dst predicted by Burton",
)
"""Quantities of the Earth's surroundings, which the solar wind at the bow shock's nose (OMNI) gives."""
OF_ELECTRONS = {
    DENSITY: NE,
    VELOCITY: ELECTRON_V,
    SPEED: ELECTRON_SPEED,
    TEMPERATURE: TE,
    T_PARALLEL: TE_PARALLEL,
    T_PERPENDICULAR: TE_PERPENDICULAR,
}
"""Moments that mean those of the electrons beside the name of an instrument that measures only electrons."""
MAGNITUDE_OF = {B: ABS_B, VELOCITY: SPEED, ELECTRON_V: ELECTRON_SPEED}
"""Magnitudes that have names of their own."""
VECTOR_OF = {magnitude: vector for vector, magnitude in MAGNITUDE_OF.items()}
SIDES = {TEMPERATURE: (T_PARALLEL, T_PERPENDICULAR), TE: (TE_PARALLEL, TE_PERPENDICULAR)}
"""Temperatures that follow from those along and across the field."""
NEARBY = {"distance": (DISTANCE, TO_EARTH)}
"""Quantities that mean the first of several that the spacecraft has: a distance from the Sun, or from the Earth."""


def recipe_of(name: str) -> str:
    """Return the name under which helio computes a quantity that instruments may also measure."""
    return E if name == CONVECTIVE else name


def inputs_of(name: str) -> set[str]:
    """Return the quantities from which helio computes another one, directly or through others.

    The same moments of the electrons are inputs too.
    """
    inputs: set[str] = set()
    names = [name]
    while names:
        parts = {part.quantity for part in DERIVED[names.pop()].takes.values()} - inputs
        inputs |= parts
        names += [part for part in parts if part in DERIVED]
    inputs |= {table[name] for table in (MAGNITUDE_OF, VECTOR_OF) for name in inputs if name in table}
    inputs |= {name for name, nearby in NEARBY.items() if inputs.intersection(nearby)}
    inputs |= (
        {NE} if DENSITY in inputs else set()
    )  # with few alphas there are about as many electrons as protons
    return inputs | {bulk for bulk, of_electrons in OF_ELECTRONS.items() if of_electrons in inputs}


def lacks_window(computation: Computation) -> bool:
    """Return whether a computation needs a window, and the request gives none."""
    tool = APPLIED.get(computation.tool)
    needed = bool(tool and tool.argument) or computation.tool in WINDOWED
    return needed and not computation.window


OF_SPECTRA = ("band_integral", "spectral_slope", "spectral_break")
"""Tools that take spectra, whose windows a request may give."""
OF_SERIES = (*OF_SPECTRA, *(tool for tool, how in APPLIED.items() if how.kind == "spectrum"))
"""Tools that give spectra of series, or numbers from such spectra."""


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
    others = (*OF_TWO, R_SQUARED)
    names |= {name: name for name in others}
    meant = {tool for name, tool in names.items() if name == spelt} or {
        tool for name, tool in names.items() if singular(name) == singular(spelt)
    }
    if len(meant) == 1:
        return meant.pop()
    raise RequestError(
        f"no operation is called '{text}'",
        advice=did_you_mean(spelt, names, otherwise=f"use one of {', '.join((*tools, *others))}"),
    )
