"""What each tool's table will be, told from its arguments and its inputs, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from helio.steps.quantity import Quantity
from helio.steps.signature import Signature

Aspect = Literal["unit", "frame", "kind"]
EVERY_KIND = frozenset({"scalar", "vector", "spectrum"})
_SCALAR, _VECTOR, _SPECTRUM = frozenset({"scalar"}), frozenset({"vector"}), frozenset({"spectrum"})
_OPEN = re.compile(r"\$[A-Za-z_]")


@dataclass(frozen=True)
class Foreseen:
    """What is known of a table that is not there yet.

    Parameters
    ----------
    unit, frame : str or None
        Empty: surely none. None: not known.
    kinds : frozenset of str
        The kinds that it may have: ``scalar``, ``vector``, ``spectrum``.
    doubts : frozenset of "unit", "frame", "kind"
        Which of them rest on a catalogue, and not on tools and arguments alone.
    """

    unit: str | None = None
    frame: str | None = None
    kinds: frozenset[str] = EVERY_KIND
    doubts: frozenset[Aspect] = frozenset()

    def component(self) -> Foreseen:
        """One component: a series in the unit and the frame of its vector."""
        return replace(self, kinds=_SCALAR, doubts=self.doubts - {"kind"})

    def without(self, aspect: Aspect) -> Foreseen:
        """The same, the doubt about one aspect taken away: something else is known of it now."""
        return replace(self, doubts=self.doubts - {aspect})


Arguments = Mapping[str, Any]
Inputs = Mapping[str, Sequence[Foreseen]]
"""By the tool's parameter; what is not given has none."""
Rule = Callable[[Arguments, Inputs], Foreseen]

NOTHING_KNOWN = Foreseen()


def foreseen(signature: Signature, args: Arguments, inputs: Inputs) -> Foreseen:
    """What a tool gives, as far as its rule or its signature says.

    >>> from helio.steps.signature import signatures
    >>> field = Foreseen("nT", "GSE", frozenset({"vector"}))
    >>> foreseen(signatures()["transform_frame"], {"to": "GSM"}, {"vector": [field]}).frame
    'GSM'
    >>> foreseen(signatures()["derivative"], {}, {"series": [field]}).unit
    'nT/s'
    """
    rule = GIVES.get(signature.name)
    if rule is not None:
        return rule(args, inputs)
    return _fixed(signature.gives_quantity)


def _fixed(given: Quantity) -> Foreseen:
    """A quantity that does not depend on the inputs; a series of it has no frame."""
    kinds = frozenset({given.kind}) if given.kind else EVERY_KIND
    unit = {"": None, "1": ""}.get(given.unit, given.unit)
    return Foreseen(unit, "" if given.kind == "scalar" else None, kinds)


def _one(inputs: Inputs, parameter: str) -> Foreseen:
    found = inputs.get(parameter, ())
    return found[0] if found else NOTHING_KNOWN


def _kept(parameter: str) -> Rule:
    """The values change; unit, frame and kind stay."""
    return lambda args, inputs: _one(inputs, parameter)


def _text(args: Arguments, name: str, default: str = "") -> str | None:
    """A text argument; None where a variable stands in it, or it is no text at all."""
    value = args.get(name, default)
    return value.strip() if isinstance(value, str) and not _OPEN.search(value) else None


def _count(args: Arguments, name: str) -> int | None:
    value = args.get(name)
    return len(value) if isinstance(value, list) and value else None


def _in_unit(table: Foreseen, unit: str | None) -> Foreseen:
    """In a unit that an argument names."""
    plain = "" if unit == "1" else unit
    return replace(table.without("unit"), unit=plain)


def _in_frame(table: Foreseen, frame: str | None) -> Foreseen:
    return replace(table.without("frame"), frame=frame)


def _as(table: Foreseen, kinds: frozenset[str]) -> Foreseen:
    return replace(table.without("kind"), kinds=kinds)


def _times(*factors: tuple[str | None, int]) -> str | None:
    """The unit of a product; not known where one of them is not."""
    known = [(unit, power) for unit, power in factors if unit is not None]
    if len(known) < len(factors):
        return None
    # With hundreds of spellings, for which start-up must not pay.
    from helio.knowledge.unit_products import unit_product

    return unit_product(*((unit, power) for unit, power in known if unit))


def _magnitude(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_frame(_as(_one(inputs, "vector"), _SCALAR), "")


def _components(args: Arguments, inputs: Inputs) -> Foreseen:
    count = _count(args, "keep")
    kinds = _SCALAR | _VECTOR if count is None else _SCALAR if count == 1 else _VECTOR
    return _as(_one(inputs, "vector"), kinds)


def _derivative(args: Arguments, inputs: Inputs) -> Foreseen:
    series = _one(inputs, "series")
    return replace(series, unit=_times((series.unit, 1), ("s", -1)))


def _convert_units(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_unit(_one(inputs, "series"), _text(args, "to"))


def _rescale(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_unit(_one(inputs, "series"), _text(args, "unit"))


def _declare_quantity(args: Arguments, inputs: Inputs) -> Foreseen:
    series = _one(inputs, "series")
    unit, frame = _text(args, "unit"), _text(args, "frame")
    series = series if unit in ("", "1") else _in_unit(series, unit)
    return series if frame == "" else _in_frame(series, frame)


def _statistics(args: Arguments, inputs: Inputs) -> Foreseen:
    series = _one(inputs, "series")
    wanted = args.get("of")
    alone = isinstance(wanted, list) and len(wanted) == 1
    if wanted == ["count"]:
        series = _in_frame(_in_unit(series, ""), "")
    kinds = series.kinds - _SPECTRUM if alone else _VECTOR
    return replace(series, kinds=kinds or EVERY_KIND)


def _join_components(args: Arguments, inputs: Inputs) -> Foreseen:
    series = inputs.get("series", ())
    known = next((one for one in series if one.unit is not None), NOTHING_KNOWN)
    frame = _text(args, "frame")
    # OMNI's B_x is called GSE: the last component says the frame.
    last = series[-1] if series else NOTHING_KNOWN
    joined = Foreseen(known.unit, frame, _VECTOR, known.doubts & {"unit"})
    if frame != "":
        return joined
    return replace(joined, frame=last.frame or None, doubts=joined.doubts | (last.doubts & {"frame"}))


def _rotate(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_frame(_as(_one(inputs, "vector"), _VECTOR), _text(args, "frame") or None)


def _rotate_to_axes(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_frame(_as(_one(inputs, "vector"), _VECTOR), "LMN")


def _transform_frame(args: Arguments, inputs: Inputs) -> Foreseen:
    return _in_frame(_as(_one(inputs, "vector"), _VECTOR), _text(args, "to") or None)


def _minimum_variance(args: Arguments, inputs: Inputs) -> Foreseen:
    field = _as(_one(inputs, "field"), _VECTOR)
    give = _text(args, "give", "vector")
    if give == "vector":
        return _in_frame(field, "LMN")
    if give == "axes":
        return _in_unit(field, "")
    if give == "eigenvalues":
        return _in_frame(replace(field, unit=_times((field.unit, 2))), "")
    return Foreseen(kinds=_VECTOR)


def _electric_field(args: Arguments, inputs: Inputs) -> Foreseen:
    for parameter in ("velocity", "field"):
        given = _one(inputs, parameter)
        if given.frame:
            return Foreseen("mV/m", given.frame, _VECTOR, given.doubts & {"frame"})
    return Foreseen("mV/m", None, _VECTOR)


def _angle(args: Arguments, inputs: Inputs) -> Foreseen:
    field = _one(inputs, "field")
    return Foreseen("deg", field.frame, _SCALAR, field.doubts & {"frame"})


def _newell_coupling(args: Arguments, inputs: Inputs) -> Foreseen:
    return Foreseen("(km/s)^(4/3) nT^(2/3)", "", _SCALAR)


def _cross_correlation_lag(args: Arguments, inputs: Inputs) -> Foreseen:
    unit = {"lag": "s", "correlation": ""}.get(_text(args, "give", "lag") or "")
    return Foreseen(unit, "", _SCALAR)


def _shue_standoff(args: Arguments, inputs: Inputs) -> Foreseen:
    unit = {"standoff": "R_E", "flaring": ""}.get(_text(args, "give", "standoff") or "")
    return Foreseen(unit, "", _SCALAR)


def _code(args: Arguments, inputs: Inputs) -> Foreseen:
    """Code has no frame, and the unit that is stated beside it; what it gives is seen when it has run."""
    return Foreseen(_text(args, "units"), "")


def _power(args: Arguments, inputs: Inputs) -> Foreseen:
    series = _one(inputs, "series")
    return Foreseen(_times((series.unit, 2), ("Hz", -1)), "", _SPECTRUM, series.doubts & {"unit"})


def _spectrogram(args: Arguments, inputs: Inputs) -> Foreseen:
    return Foreseen(kinds=_SPECTRUM)


def _band_average(args: Arguments, inputs: Inputs) -> Foreseen:
    several = (_count(args, "bands") or 0) > 1
    return _as(_one(inputs, "spectrum"), _VECTOR if several else _VECTOR | _SPECTRUM)


def _band_integral(args: Arguments, inputs: Inputs) -> Foreseen:
    count = _count(args, "bands")
    kinds = EVERY_KIND if count is None else _SCALAR | _SPECTRUM if count == 1 else _VECTOR
    # The unit is that of the density times that of its axis, which nobody knows yet.
    return replace(_as(_one(inputs, "spectrum"), kinds).without("unit"), unit=None)


def _slice_spectrum(args: Arguments, inputs: Inputs) -> Foreseen:
    kinds = _SCALAR | _SPECTRUM if args.get("between") is None else _SPECTRUM
    return _as(_one(inputs, "spectrum"), kinds)


def _pitch_angle_average(args: Arguments, inputs: Inputs) -> Foreseen:
    return _as(_one(inputs, "spectrum"), _SCALAR | _SPECTRUM)


def _arithmetic(args: Arguments, inputs: Inputs) -> Foreseen:
    left, right = _one(inputs, "left"), _one(inputs, "right")
    operation = _text(args, "operation")
    product = operation in ("multiply", "divide")
    if product:
        unit = _times((left.unit, 1), (right.unit, 1 if operation == "multiply" else -1))
        shape = right if operation == "multiply" and left.kinds == _SCALAR else left
        kinds = shape.kinds if _SCALAR in (left.kinds, right.kinds) else left.kinds | right.kinds
    elif operation in ("add", "subtract"):
        unit = left.unit if left.unit is not None else right.unit
        kinds = (left.kinds & right.kinds) or EVERY_KIND
    else:
        return NOTHING_KNOWN
    return Foreseen(unit, _frame_of_both(left, right), kinds, left.doubts | right.doubts)


def _frame_of_both(left: Foreseen, right: Foreseen) -> str | None:
    """The frame that two tables have in common, or that one has beside a series without."""
    if left.frame is None or right.frame is None:
        return None
    frames = {one.frame for one in (left, right) if one.frame}
    return frames.pop() if len(frames) == 1 else None if frames else ""


GIVES: Mapping[str, Rule] = {
    "align": _kept("series"),
    "arithmetic": _arithmetic,
    "ballistic_shift": _kept("series"),
    "band_average": _band_average,
    "band_integral": _band_integral,
    "band_pass": _kept("series"),
    "clock_angle": _angle,
    "components": _components,
    "compute_spectrogram": _spectrogram,
    "cone_angle": _angle,
    "convert_units": _convert_units,
    "cross_correlation_lag": _cross_correlation_lag,
    "custom_operation": _code,
    "declare_quantity": _declare_quantity,
    "derivative": _derivative,
    "despike": _kept("series"),
    "detrend": _kept("series"),
    "electric_field": _electric_field,
    "interpolate": _kept("series"),
    "join_components": _join_components,
    "magnitude": _magnitude,
    "mask": _kept("series"),
    "mask_by_flag": _kept("series"),
    "minimum_variance": _minimum_variance,
    "newell_coupling": _newell_coupling,
    "pitch_angle_average": _pitch_angle_average,
    "power_spectrogram": _power,
    "power_spectrum": _power,
    "resample": _kept("series"),
    "rescale": _rescale,
    "rotate": _rotate,
    "rotate_to_axes": _rotate_to_axes,
    "running_average": _kept("series"),
    "running_median": _kept("series"),
    "shue_standoff": _shue_standoff,
    "slice_spectrum": _slice_spectrum,
    "statistics": _statistics,
    "store_dataframe": _code,
    "transform_frame": _transform_frame,
}
"""Every tool whose table depends on what it is given; what the others give stands in their signatures."""


@dataclass(frozen=True)
class Alike:
    """Two inputs, by parameter and place in it, that a tool takes in one unit or one frame only, or of one kind."""

    aspect: Aspect
    one: tuple[str, int]
    other: tuple[str, int]
    but_x: bool = False
    """Whether x of GSE goes with GSM, for both have the same x."""


def _both(aspect: Aspect, one: str, other: str) -> Alike:
    return Alike(aspect, (one, 0), (other, 0))


def _terms_alike(args: Arguments, inputs: Inputs) -> Iterator[Alike]:
    if args.get("operation") in ("add", "subtract"):
        yield _both("unit", "left", "right")
        yield _both("kind", "left", "right")
        yield _both("frame", "left", "right")
    elif not _one(inputs, "left").kinds == _one(inputs, "right").kinds == _VECTOR:
        # Of two vectors there is no product in any frame.
        yield replace(_both("frame", "left", "right"), but_x=True)


def _components_alike(args: Arguments, inputs: Inputs) -> Iterator[Alike]:
    places = range(1, len(inputs.get("series", ())))
    yield from (Alike("unit", ("series", 0), ("series", place)) for place in places)
    # x is the same in GSE and GSM, so the first component may be called either.
    yield from (Alike("frame", ("series", 1), ("series", place)) for place in places[1:])


def _cross_product_alike(args: Arguments, inputs: Inputs) -> Iterator[Alike]:
    yield _both("frame", "velocity", "field")


def _axes_alike(args: Arguments, inputs: Inputs) -> Iterator[Alike]:
    yield _both("frame", "vector", "axes")


TAKES_ALIKE: Mapping[str, Callable[[Arguments, Inputs], Iterator[Alike]]] = {
    "arithmetic": _terms_alike,
    "electric_field": _cross_product_alike,
    "join_components": _components_alike,
    "rotate_to_axes": _axes_alike,
}
"""Every tool that compares its inputs with each other."""


def clashes(aspect: Aspect, one: Foreseen, other: Foreseen) -> bool:
    """Whether two tables surely differ in an aspect, as far as both are known."""
    if aspect == "kind":
        return one.kinds.isdisjoint(other.kinds)
    if aspect == "frame":
        # What has no frame goes with anything here: a magnitude beside a component.
        return bool(one.frame and other.frame) and str(one.frame).casefold() != str(other.frame).casefold()
    if one.unit is None or other.unit is None:
        return False
    from helio.steps.quantity import equal_units

    return not equal_units(one.unit, other.unit)
