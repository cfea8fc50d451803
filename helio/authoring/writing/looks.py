"""Set how the lines and panels of a new figure look."""

from __future__ import annotations

from collections.abc import Sequence

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, Look, RequestQuantity
from helio.authoring.writing.steps import PlotSeries
from helio.knowledge.quantities import ABS_B, B
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import V as SPEED
from helio.pipelines.template.document import Document

_OF_PANELS = {"log": "log_scale", "range": "y_range"}
_ALSO = {B: ABS_B, VELOCITY: SPEED}
"""Quantities that are drawn in the place of others that nobody draws."""


def with_looks(spec: Document, looks: Sequence[Look], panels: Sequence[Sequence[PlotSeries]]) -> Document:
    """Return the settings of a figure with the looks that a request names.

    Raises
    ------
    NotUnderstood
        The figure has no such line, or it is not clear which line a look is for.
    """
    for look in looks:
        if look.key == "colorscale":
            spec = {**spec, "colorscale": look.value}
        elif look.key == "z":
            spectra = [number for number, panel in enumerate(panels, 1) if panel[0].kind == "spectrum"]
            if not spectra:
                raise NotUnderstood(f"helio cannot use '{look.words}': the figure has no spectrogram")
            limits = zip(("z_min", "z_max"), look.value, strict=True)
            spec = {**spec, **{key: {str(number): value for number in spectra} for key, value in limits}}
        if look.key in ("colorscale", "z"):
            continue
        if look.key in _OF_PANELS:
            value = "log" if look.key == "log" else list(look.value)
            numbers = {str(number): value for number in _numbers(look, panels)}
            spec = {**spec, _OF_PANELS[look.key]: {**spec.get(_OF_PANELS[look.key], {}), **numbers}}
            continue
        for line in _lines(look, [series for panel in panels for series in panel]):
            if look.key == "fill":
                styles = spec.get("line_styles", {})
                filled = {"fill_below": 0.0} | ({"fill_color": look.value.strip()} if look.value else {})
                spec = {**spec, "line_styles": {**styles, line: {**styles.get(line, {}), **filled}}}
            elif look.key == "color":
                spec = {**spec, "trace_colors": {**spec.get("trace_colors", {}), line: look.value}}
            else:
                styles = spec.get("line_styles", {})
                spec = {
                    **spec,
                    "line_styles": {**styles, line: {**styles.get(line, {}), look.key: look.value}},
                }
    return spec


def is_meant(lines: Lines, series: PlotSeries) -> bool:
    """Return whether words that name lines mean a series, or a component of it."""
    if lines.crafts and series.craft not in lines.crafts:
        return False
    return not lines.quantities or any(_line(quantity, series) for quantity in lines.quantities)


def _lines(look: Look, shown: Sequence[PlotSeries]) -> list[str]:
    """Return the lines that a look is for; a spacecraft means all its lines, a quantity must be one line."""
    lines = [
        line
        for quantity in look.lines.quantities or (RequestQuantity(""),)
        for series in shown
        if not look.lines.crafts or series.craft in look.lines.crafts
        if (line := _line(quantity, series, shown))
    ]
    if not lines:
        raise NotUnderstood(
            f"helio cannot use '{look.words}': the figure has no line with this name",
            advice="name a line of the figure beside it",
        )
    unclear = len(lines) > 1 and look.key == "color" and not (look.lines.crafts and not look.lines.quantities)
    vectors = {series.label for series in shown if series.kind == "vector"}
    if unclear or (look.key == "color" and vectors & set(lines)):
        raise NotUnderstood(
            f"it is not clear which line to draw in {look.words}: {', '.join(lines)}",
            advice="leave out the colour, then use `helio edit` to colour each line",
        )
    return lines


def _line(quantity: RequestQuantity, series: PlotSeries, shown: Sequence[PlotSeries] = ()) -> str:
    """Return the label of the line of a quantity in a series, such as Bz of a vector; empty if there is none.

    >>> _line(RequestQuantity(B, "z"), PlotSeries("ACE_B", B, "ACE", "vector"))
    'ACE_B.z'
    >>> _line(RequestQuantity(B, "z"), PlotSeries("ACE_Bz", f"{B} z", "ACE", "scalar"))
    'ACE_Bz'
    """
    if not quantity.name:
        return series.label
    if quantity.component and series.kind == "vector" and series.quantity == quantity.name:
        return f"{series.label}.{quantity.component}"
    name = f"{quantity.name} {quantity.component}".strip()
    names = [name]
    if name in _ALSO and not any(drawn.quantity.startswith(name) for drawn in shown):
        names.append(_ALSO[name])
    return series.label if any(f"{series.quantity} ".startswith(f"{name} ") for name in names) else ""


def _numbers(look: Look, panels: Sequence[Sequence[PlotSeries]]) -> list[int]:
    """Return the numbers of the panels that a look is for; without names, all panels that can have it."""
    named = look.lines != Lines()
    numbers = [
        number
        for number, panel in enumerate(panels, 1)
        if any(is_meant(look.lines, series) for series in panel)
        and (look.key != "log" or all(series.kind != "vector" for series in panel))
    ]
    if not numbers or (look.key == "range" and not named and len(panels) > 1):
        raise NotUnderstood(
            f"it is not clear which panel '{look.words}' is for"
            if numbers
            else f"helio cannot use '{look.words}': no panel of the figure can have it",
            advice="name the quantity beside it",
        )
    return numbers
