"""Settings of a figure that a run refuses, in the words that the check before a run uses too.

The functions need no values of tables, so that planning can call them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helio.errors import StepError, did_you_mean

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0, "d": 86400.0}
"""Units of a table of durations, each with its seconds."""
_HELD = {"scalar": "a scalar", "vector": "a vector", "spectrum": "a spectrum"}
_AXES = {"x_range": "the x axis", "y_range": "the y axis", "bin_range": "the axis"}
"""Names of axes by the key of their limits."""


@dataclass(frozen=True)
class Refusal:
    """Why a setting is refused.

    Parameters
    ----------
    path : tuple of str or int
        Path of the setting in the figure's spec or in its entry; empty if it is all of it.
    of_kind : bool
        Whether the kind of the table is the reason, and not its unit.
    """

    message: str
    advice: str
    path: tuple[str | int, ...] = ()
    of_kind: bool = False


def refuse(refusal: Refusal | None, where: str = "") -> None:
    """Stop the drawing of a figure if there is a refusal.

    Raises
    ------
    StepError
        With the words of the refusal after `where`.
    """
    if refusal is not None:
        raise StepError(f"{where}{refusal.message}", advice=refusal.advice)


def refuse_unknown_label(label: str, known: Collection[str], where: str) -> None:
    """Stop the drawing of a figure if no table has this label.

    Raises
    ------
    StepError
    """
    if label not in known:
        raise StepError(
            f"{where}: no label is called '{label}'",
            advice=did_you_mean(label, known, otherwise=f"choose one of the labels: {', '.join(known)}"),
        )


def wrong_thresholds(spec: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yield what is wrong with ``linthresh``: a value that is not above 0, or no symlog axis.

    >>> [refusal.message for refusal in wrong_thresholds({"log_scale": "symlog", "linthresh": -5})]
    ['linthresh is -5, but a distance from zero is above 0']
    """
    scales, chosen = spec.get("log_scale"), spec.get("linthresh")
    if chosen is None:
        return
    symlog = [name for name in scales if _may_be_symlog(scales[name])] if isinstance(scales, dict) else []
    for name, threshold in (chosen if isinstance(chosen, dict) else {"": chosen}).items():
        path = ("linthresh", name) if name else ("linthresh",)
        if _may_be_symlog(scales) or name in symlog or (symlog and not name):
            if isinstance(threshold, int | float) and not threshold > 0:
                of = f" of panel {name}" if name else ""
                yield Refusal(
                    f"linthresh{of} is {threshold:g}, but a distance from zero is above 0",
                    "write a value above 0 in the unit of the panel, or leave linthresh out",
                    path,
                )
        elif name:
            advice = f'write log_scale: {{"{name}": "symlog"}}'
            yield Refusal(f"linthresh: the y axis of panel {name} is not symlog", advice, path)
        else:
            yield Refusal("linthresh: no y axis is symlog", "write log_scale: symlog", path)


def _may_be_symlog(scale: object) -> bool:
    """Return whether a scale is symlog, or a variable, whose value is not known yet."""
    return isinstance(scale, str) and (scale == "symlog" or scale.startswith("$"))


def low_start(key: str, number: int, limits: Sequence[float]) -> Refusal | None:
    """Return why a logarithmic axis cannot have these limits, if it cannot.

    >>> low_start("y_range", 2, [-5, 5]).message
    'y_range: the y axis of panel 2 is logarithmic, so it cannot start at -5'
    """
    if limits[0] > 0:
        return None
    return Refusal(
        f"{key}: {_AXES[key]} of panel {number} is logarithmic, so it cannot start at {limits[0]:g}",
        "choose a value above 0" + (", or set log_x: false" if key == "bin_range" else ""),
    )


def wrong_line(line: Mapping[str, Any]) -> Refusal | None:
    """Return what is wrong with the keys of a vertical line."""
    if "x" in line and "of" in line:
        return Refusal(" has both x and of", "leave one of them out")
    if "x" not in line and "of" not in line:
        return Refusal(
            " has no x", "add x, a time such as '2024-05-10T17:00', or of, the label of a table of times"
        )
    return None


def wrong_time(entry: Mapping[str, Any]) -> Refusal | None:
    """Return which time of a vertical line or of a shaded interval cannot be read."""
    for key in ("x", "x0", "x1") if "panel" not in entry else ():
        time = entry.get(key)
        try:
            for part in time.split(" to ") if isinstance(time, str) and "$" not in time else ():
                datetime.fromisoformat(part.strip())
        except ValueError:
            return Refusal(f": {key} '{time}' is not a time", "write it as '2024-05-10T17:00', in UTC")
    return None


def wrong_events(entry: Mapping[str, Any]) -> Refusal | None:
    """Return what is wrong with the keys of an entry of events."""
    if ("by" in entry) == ("levels" in entry):
        return None
    given, lacking = ("by", "levels") if "by" in entry else ("levels", "by")
    example = '{"of": "durations", "by": "peaks", "levels": "flares"}'
    return Refusal(f" has {given}, but no {lacking}", f"write both, such as {example}")


def wrong_width(entry: Mapping[str, Any]) -> Refusal | None:
    """Return why the bins of a histogram cannot have the width in its entry, if they cannot.

    >>> wrong_width({"of": "V", "bin_width": 20, "bins": 40}).message
    ' has both bins and bin_width'
    """
    width = entry.get("bin_width")
    if width is not None and "bins" in entry:
        return Refusal(" has both bins and bin_width", "leave one of them out")
    if not isinstance(width, int | float):
        return None  # or a variable, whose value is not known yet
    if not 0 < width < math.inf:
        advice = "write a width above 0 in the unit of the quantity"
        return Refusal(f" has a bin_width of {width:g}, but a width is above 0", advice)
    if entry.get("log_x") is True:
        advice = (
            "give the number of bins, which are even on this axis, or their edges in bins; or leave out log_x"
        )
        return Refusal(" has a bin_width, but a logarithmic x axis", advice)
    if entry.get("polar") is True and abs(360 / width - round(360 / width)) > 1e-9:
        advice = "choose a width that divides 360 deg, such as 10, or the number of sectors in bins"
        return Refusal(f" has sectors of {width:g} deg, which do not fill a circle", advice)
    return None


def unfit_for_line(line: Mapping[str, Any], kinds: Collection[str], unit: str | None) -> Refusal | None:
    """Return why no vertical line can stand at a table: at its times or, in a panel, at its median.

    Parameters
    ----------
    kinds : collection of str
        The kinds that the table may have.
    unit : str or None
        The unit of the table; None if it is not known.
    """
    label = line["of"]
    if line.get("panel", 0) != 0:
        if "scalar" in kinds:
            return None
        held = " or ".join(_HELD[kind] for kind in _HELD if kind in kinds)
        return Refusal(f": '{label}' is {held}", "choose a single series", ("of",), of_kind=True)
    spectrum = set(kinds) == {"spectrum"}
    if not spectrum and (not unit or unit in SECONDS):
        return None
    return Refusal(
        f" has no panel, and '{label}' is not a table of times",
        "add panel, the number of the spectrum panel with this frequency, or give a table of durations",
        ("of",),
        of_kind=spectrum,
    )


def unfit_for_events(entry: Mapping[str, Any], kinds: Collection[str], unit: str | None) -> Refusal | None:
    """Return why the table of an entry of events holds no events; the parameters are those of `unfit_for_line`."""
    label, kinds = entry["of"], set(kinds)
    if kinds == {"spectrum"}:
        return not_intervals(label, of_kind=True)
    if unit is None or unit in SECONDS:
        return None
    if "scalar" not in kinds:
        return not_intervals(label)
    if kinds == {"scalar"} and "by" in entry:
        return Refusal(
            f": 'by' needs one record for each event, but '{label}' has a value for each time",
            "leave out by and levels, and write the names of its values in names",
            ("by",),
        )
    return not_events(label, f"in {unit}") if unit else None


def not_intervals(label: str, *, of_kind: bool = False) -> Refusal:
    """Say that a table has no durations."""
    return Refusal(
        f": '{label}' is not a table of intervals",
        "give a table of durations, such as storm_phases or solar_flares make with give: durations, or a "
        "series of whole numbers without a unit, such as a flag",
        ("of",),
        of_kind,
    )


def not_events(label: str, values: str) -> Refusal:
    """Say that the values of a series are not the numbers of events, but such values."""
    return Refusal(
        f": '{label}' is not a table of events: it has values {values}",
        "give a table of durations, such as storm_phases makes with give: durations, or a series of "
        "whole numbers without a unit, such as its phase",
        ("of",),
    )
