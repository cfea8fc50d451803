"""Make a `PipelineRequest` from the short texts that ``helio new`` and notebooks pass, and check each text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NoReturn, TypeVar

from helio.authoring.request import Computation, Panels, PipelineRequest, RequestedStyle, RequestQuantity
from helio.authoring.writing.computations import APPLIED, tool_named
from helio.counts import number_of
from helio.errors import RequestError, closest, did_you_mean
from helio.interval import interval_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import families, spacecraft_named
from helio.knowledge.quantity_words import quantity_named
from helio.time_range import Duration, parse_time_range

Value = TypeVar("Value")
FORMS = ("csv", "cdf", "netcdf", "parquet")
METHODS = ("mean", "median", "min", "max")


def request_of(
    *,
    spacecraft: Sequence[str] = (),
    quantities: Sequence[str] = (),
    datasets: Sequence[str] = (),
    time_range: str | None = None,
    frame: str = "",
    cadence: str = "",
    operations: Sequence[str] = (),
    title: str = "",
    together: bool = False,
    save_as: Sequence[str] = (),
    may_ask: bool = False,
    catalogue: Catalogue,
    now: datetime,
) -> PipelineRequest:
    """Make a `PipelineRequest` from texts.

    Parameters
    ----------
    spacecraft, quantities, datasets, operations : sequence of str
        In any spelling that helio knows: ``"psp"``, ``"Bz"``, ``"AC_H2_MFI.BGSEc"``, ``"resample:1h:median"``.
    may_ask : bool
        Whether the user can be asked for the spacecraft of a mission and for a window; otherwise both must be given.
    now : datetime
        Naive UTC.

    Raises
    ------
    RequestError
        A name is unknown (the error suggests close names), or a value is wrong.
    """
    if not (spacecraft or quantities or datasets):
        raise RequestError(
            "no spacecraft, quantity or dataset was given",
            advice="name a spacecraft and a quantity, or a dataset and its parameter",
        )
    if time_range is not None:
        parse_time_range(time_range, now)
    return PipelineRequest(
        spacecraft=_each(lambda text: _spacecraft(text, may_ask), spacecraft),
        quantities=_each(lambda text: RequestQuantity(*quantity_named(text)), quantities),
        datasets=_each(lambda text: _dataset(text, catalogue), datasets),
        times=() if time_range is None else (time_range,),
        frame=_one_of(frame.upper(), FRAMES, "frame") if frame else "",
        cadence=Duration(cadence).nanoseconds / 1e9 if cadence else None,
        vectors=any("vector" in text.casefold() for text in quantities),
        computations=_each(lambda text: _computation(text, may_ask), operations),
        panels=Panels(together=together),
        style=RequestedStyle(title=title),
        exports=_each(lambda text: _one_of(text.casefold(), FORMS, "file format"), save_as),
    )


def refuse(question: str, choices: Sequence[str]) -> NoReturn:
    """Refuse a request that has several meanings, because no user can be asked.

    Raises
    ------
    RequestError
        The question, with its choices as advice.
    """
    raise RequestError(question, advice=f"choose one: {', '.join(choices)}")


def _each(read: Callable[[str], Value], texts: Sequence[str]) -> tuple[Value, ...]:
    """Convert each text with `read`, and leave out repeated results."""
    return tuple(dict.fromkeys(map(read, texts)))


def _spacecraft(text: str, may_ask: bool) -> str:
    mission = {name.casefold(): name for name in families()}.get(text.strip().casefold())
    if mission is not None and may_ask:
        return mission
    if mission is not None:
        raise RequestError(
            f"{mission} has several spacecraft",
            advice=f"name one or more of {', '.join(families()[mission])}",
        )
    return spacecraft_named(text)


def _dataset(text: str, catalogue: Catalogue) -> tuple[str, str]:
    dataset, _, parameter = text.strip().partition(".")
    if dataset not in catalogue:
        near = ", ".join(closest(dataset, catalogue.ids()))
        raise RequestError(
            f"no dataset is called '{dataset}'",
            advice=f"use one of the closest names: {near}"
            if near
            else f"search with `helio datasets search '{dataset}'`",
        )
    entry = catalogue.dataset(dataset)
    names = [known.name for known in entry.parameters]
    if parameter and parameter not in names:
        raise RequestError(
            f"{entry.id} has no parameter '{parameter}'",
            advice=did_you_mean(
                parameter, names, otherwise=f"choose one of its parameters: {', '.join(names[:12])}"
            ),
        )
    return entry.id, parameter


def _computation(text: str, may_ask: bool) -> Computation:
    name, *values = (part.strip() for part in text.split(":"))
    tool = tool_named(name)
    written = APPLIED.get(tool)
    most = 0 if written is None or not written.argument else 2 if tool == "resample" else 1
    if len(values) > most:
        allowed = f"at most {number_of(most, 'value')}" if most else "no value"
        raise RequestError(
            f"'{text}' has too many values: {tool} takes {allowed}",
            advice=f"write '{tool}:1h'" if most else f"write '{tool}'",
        )
    if most and not (values and values[0]) and not may_ask:
        raise RequestError(f"{tool} needs a duration", advice=f"write '{tool}:10min'")
    read = interval_of if tool == "resample" else Duration
    window = str(read(values[0])) if values and values[0] else ""
    default = "mean" if tool == "resample" else ""
    method = _one_of(values[1].casefold(), METHODS, "method") if len(values) > 1 else default
    return Computation(tool, window, method)


def _one_of(text: str, known: Sequence[str], what: str) -> str:
    if text not in known:
        raise RequestError(
            f"there is no {what} '{text}'",
            advice=did_you_mean(text, known, otherwise=f"use one of {', '.join(known)}"),
        )
    return text
