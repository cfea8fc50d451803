"""Ask the user for what a request for a new pipeline lacks: a spacecraft, a quantity, the length of a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, PipelineRequest, RequestQuantity, in_parts
from helio.authoring.writing.computations import (
    AT_EARTH,
    CURRENT,
    SEPARATION,
    TO_EARTH,
    WINDOWED,
    lacks_window,
)
from helio.authoring.writing.sources import UPSTREAM, quantities_of
from helio.authoring.writing.steps import listed
from helio.authoring.writing.windows import has_usual_window
from helio.knowledge.missions import craft_of
from helio.knowledge.quantities import DISTANCE, LATITUDE, LONGITUDE, POSITION, SOURCES, families, sources_of
from helio.knowledge.quantity_words import INDICES, title
from helio.time_range import TimeRange, is_relative, parse_time_range

Asks = Callable[[str, Sequence[str]], str]
"""Function that asks the user a question with choices, the most likely choice first, and returns the chosen one."""
EVERY = "all of them"
_BETWEEN_THEM = "the distance between them"
_HELIOCENTRIC = (DISTANCE, LATITUDE, LONGITUDE)
WINDOWS = ("10min", "1h", "5min", "1min")
BANDS = {
    f"{low:g} to {high:g} Hz": (("low", low), ("high", high))
    for low, high in ((0.01, 0.1), (0.001, 0.1), (0.001, 0.01), (0.1, 1.0))
}
"""Ranges of frequencies to choose from for the slope of a spectrum."""


def no_question(text: str, choices: Sequence[str]) -> str:
    """Refuse to choose: what several lines could mean is then not understood."""
    raise NotUnderstood(f"{text} {', '.join(choices)}")


def asked_time(default: str, ask: Asks, now: datetime) -> str:
    """Ask for the time of a request that names none: the default week, or a day or a solar rotation up to its end."""
    if is_relative(default):
        others = ["last 24 hours", "last 27 days"]
    else:
        span = parse_time_range(default, now)
        is_week = span.stop - span.start == timedelta(days=7)  # there are no more data otherwise
        lengths = [1, 27] if is_week else [1] if span.stop - span.start > timedelta(days=1) else []
        others = [str(TimeRange(span.stop - timedelta(days=number), span.stop)) for number in lengths]
    return ask(
        "Which time do you want? The request names none: choose one, or write another.", [default, *others]
    )


def complete(
    request: PipelineRequest, ask: Asks, draws: Callable[[PipelineRequest], bool]
) -> PipelineRequest:
    """Return a request, or its parts, with a spacecraft, a quantity, and every window that has no usual length."""
    if request.parts:
        return in_parts(request, [complete(part, ask, draws) for part in request.parts])
    meant = {name: _spacecraft_meant(name, request, ask) for name in request.spacecraft}
    crafts = [craft for name in request.spacecraft for craft in meant[name]]
    own = [(craft, quantity) for name, quantity in request.own for craft in meant.get(name, (name,))]
    quantities = list(request.quantities)
    if not (request.datasets or request.cuts or request.xrays):
        crafts = crafts or [_spacecraft_with(request, ask, draws)]
        if not quantities:
            choices = quantities_of(crafts[0])[:12]
            quantities = [RequestQuantity(ask(f"Which quantity of {listed(crafts)} do you want?", choices))]
    elif not crafts and quantities:
        crafts = _spacecraft_beside(request)
    if not request.panels.kind and not any(sources_of(POSITION, craft) for craft in crafts):
        quantities = [part for quantity in quantities for part in _parts_of(quantity, crafts)]
    completed = replace(
        request,
        spacecraft=tuple(dict.fromkeys(crafts)),
        quantities=tuple(quantities),
        own=tuple(dict.fromkeys(own)),
        computations=tuple(_with_window(computation, ask) for computation in request.computations),
    )
    return _with_distances(completed, ask)


def _with_distances(request: PipelineRequest, ask: Asks) -> PipelineRequest:
    """Ask whether the distance of two spacecraft near the Earth is that between them."""
    crafts, of_any = request.spacecraft, RequestQuantity("distance")
    if RequestQuantity(DISTANCE) in request.quantities:  # how far is it from the Sun, plot the distance
        return replace(request, quantities=tuple(part for part in request.quantities if part != of_any))
    is_near = all(sources_of(POSITION, craft) for craft in crafts)
    if len(crafts) < 2 or request.own or of_any not in request.quantities or not is_near:
        return request
    names = [TO_EARTH, *([DISTANCE] if all(sources_of(DISTANCE, craft) for craft in crafts) else [])]
    choices = [*names, *([_BETWEEN_THEM] if len(crafts) == 2 and request.quantities == (of_any,) else [])]
    answer = ask(f"Which distance of {listed(crafts)} do you mean?", choices) if choices[1:] else TO_EARTH
    if answer == _BETWEEN_THEM:
        computations = (*request.computations, Computation(SEPARATION))
        return replace(request, quantities=(RequestQuantity(POSITION),), computations=computations)
    meant = [RequestQuantity(answer) if quantity == of_any else quantity for quantity in request.quantities]
    return replace(request, quantities=tuple(meant))


def _parts_of(quantity: RequestQuantity, crafts: Sequence[str]) -> Sequence[RequestQuantity]:
    """Return distance and angles for a position of which the archive has these only, otherwise the quantity."""
    if quantity != RequestQuantity(POSITION):
        return (quantity,)
    known = [name for name in _HELIOCENTRIC if any(sources_of(name, craft) for craft in crafts)]
    return [*map(RequestQuantity, known)] or (quantity,)


def _spacecraft_meant(name: str, request: PipelineRequest, ask: Asks) -> tuple[str, ...]:
    """Return the spacecraft that a name means; ask which one if it is the name of a mission with several."""
    if name not in families():
        return (name,)
    every = families()[name]
    if all(quantity.name == CURRENT for quantity in request.quantities):
        return every
    answer = ask(f"Which spacecraft of {name} do you mean?", [*every, EVERY])
    return every if answer == EVERY else (answer,)


def _spacecraft_beside(request: PipelineRequest) -> list[str]:
    """Return the spacecraft of the quantities beside named datasets: those of the datasets, or OMNI for indices."""
    if all(quantity.name in INDICES for quantity in request.quantities):
        return ["OMNI"]
    datasets = [dataset for dataset, _ in request.datasets] + [cut.dataset for cut in request.cuts]
    return list(dict.fromkeys(craft_of(dataset).spacecraft for dataset in datasets))


def _spacecraft_with(request: PipelineRequest, ask: Asks, draws: Callable[[PipelineRequest], bool]) -> str:
    """Choose a spacecraft that has all quantities at the time; use OMNI for solar wind and indices."""
    quantities = request.quantities
    if any(quantity.name in (*INDICES, *AT_EARTH) for quantity in quantities):
        return "OMNI"
    if not quantities:
        raise NotUnderstood(
            "the request names neither a spacecraft nor a quantity",
            advice="write 'ACE magnetic field for last week', or a dataset and parameter as AC_H2_MFI.BGSEc",
        )
    every = list(dict.fromkeys((*UPSTREAM, *(source.spacecraft for source in SOURCES))))
    fitting = [craft for craft in every if draws(replace(request, spacecraft=(craft,)))]
    if request.instruments and len(fitting) == 1:
        return fitting[0]
    named = listed([title(quantity.name) for quantity in quantities])
    return ask(f"The {named} of which spacecraft?", (fitting or every)[:12])


def _with_window(computation: Computation, ask: Asks) -> Computation:
    if computation.tool in ("spectral_slope", "spectral_break") and not computation.args:
        return replace(computation, args=BANDS[ask("In which range of frequencies?", [*BANDS])])
    if computation.tool in WINDOWED or not lacks_window(computation) or has_usual_window(computation.tool):
        return computation
    question = f"How long is the window of the {computation.tool.replace('_', ' ')}?"
    return replace(computation, window=ask(question, WINDOWS))
