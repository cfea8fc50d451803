"""Arrange the series in the panels of a new figure, with its title, axis labels and colours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import BinWidth, Lines, Panels, PipelineRequest, RequestQuantity
from helio.authoring.writing.computations import DERIVED, MAGNITUDE_OF, NEARBY, OF_ELECTRONS, SEPARATION
from helio.authoring.writing.solar_xrays import FLARES, XRAYS
from helio.authoring.writing.steps import PlotSeries, Steps, is_convertible, listed
from helio.counts import number_of
from helio.knowledge.missions import short
from helio.knowledge.quantities import ELECTRON_V, FAST_ELECTRONS, POSITION, PROTONS, B
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantity_words import symbol, title
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import RIGHT
from helio.sources.istp import is_flux

_LOGARITHMIC = ("plasma beta", PROTONS, FAST_ELECTRONS, XRAYS)
_STORMS = tuple(f"storm {what}{index}" for what in ("onset", "minimum") for index in ("", " in Dst"))
"""Quantities with one record for each storm."""
_LETTERS = {B: "B", VELOCITY: "V", ELECTRON_V: "Ve", POSITION: "R"}
_COLOURS = {
    "ACE": "blue", "Wind": "red", "DSCOVR": "green", "OMNI": "black",
    "MMS1": "black", "MMS2": "red", "MMS3": "green", "MMS4": "blue",
    "Cluster-1": "black", "Cluster-2": "red", "Cluster-3": "green", "Cluster-4": "magenta",
    "THEMIS-A": "magenta", "THEMIS-B": "red", "THEMIS-C": "green", "THEMIS-D": "darkcyan", "THEMIS-E": "blue",
    "STEREO-A": "red", "STEREO-B": "blue",
}  # fmt: skip
"""Colours that the missions use for their spacecraft."""
MORE_COLOURS = ("darkorange", "purple", "teal", "brown", "magenta", "olive")
_AVERAGES = ("running_average", "running_median", "resample")
_TITLED = ("wavelet_spectrum", "power_spectrum", "power_spectrogram", "derivative")
"""Operations that a title names."""
_SHIFTED = ", shifted"
_BOLD = 2.5
"""Width in pixels of the lines that are computed from others of their colour."""
MIDDLE = 50
"""Rank of the panels whose position the request does not give."""
BELOW_AXIS = 100
"""Rank of the series whose values stand in rows below the time axis, not in a panel."""

LETTERS_IN = {"LMN": "lmn", "RTN": "rtn"}
_HODOGRAM = {"LMN": "lm", "RTN": "nt"}
"""The components of vectors in a frame, and those on the y and the x axis of a hodogram; otherwise x, y, z."""

_HISTOGRAMS: dict[str, Document] = {
    "histograms": {},
    "polar": {"polar": True},
    "probability": {"show": "density"},
}
"""Kinds of histograms, and their settings."""
_FREQUENCIES = ("Hz", "kHz", "MHz")

_SeriesPanels = list[list[PlotSeries]]


def _with_storms(shown: list[PlotSeries]) -> Iterator[PlotSeries]:
    """Draw onsets and minima of storms on the index in which helio finds them, if it is drawn too."""
    indices = {series.quantity: series.label for series in shown}
    for series in shown:
        index = DERIVED[series.quantity].takes["source_label"].quantity if series.quantity in _STORMS else ""
        yield replace(series, over=indices[index]) if index in indices else series


def figure_of(shown: list[PlotSeries], request: PipelineRequest, steps: Steps, text: str) -> Document:
    """Return the settings of the figure with a title, for the argument `spec` of the tool `render_spec`.

    Raises
    ------
    NotUnderstood
        The figure cannot have the requested arrangement.
    """
    layout = request.panels
    if layout.kind:
        _check_lines([[series] for series in shown], layout)
    if layout.kind in (*_HISTOGRAMS, "orbits"):
        plane = {"plane": layout.plane} if layout.plane else {}
        how = _HISTOGRAMS.get(layout.kind, {})
        joint = len({series.unit for series in shown}) == 1 and (layout.together or layout.overlaid)
        key = "orbits" if layout.kind == "orbits" else "histograms"
        alone = [series.label if key == "orbits" else [series.label] for series in shown]
        of = [_labels(shown)] if joint else alone
        units = ["deg" if layout.kind == "polar" else series.unit for series in shown][: len(of)]
        bins: list[Document] = [{"bins": layout.bins} if layout.bins else {} for _ in of]
        for at, width in fitting_widths(layout.bin_widths, dict(enumerate(units))).items():
            bins[at]["bin_width"] = width
        if layout.bin_ranges:
            several = len({*units}) > 1
            bins = [
                size | _within(size, layout, unit, several) for size, unit in zip(bins, units, strict=True)
            ]
        entries = [{"of": labels, **plane, **bins[at], **how} for at, labels in enumerate(of)]
        return {"labels": _labels(shown), "panels": [], key: entries, "title": text}
    if layout.colour and layout.kind not in ("scatter", "hodogram"):
        raise NotUnderstood(
            "only the points of one quantity against another have the colours of a third",
            advice="write, for example, 'density against speed, coloured by Bz'",
        )
    if layout.kind:
        shown = sorted(shown, key=lambda series: _rank_of([series], layout))
        shown, entries = _one_against_another(shown, layout, steps)
        return {"labels": _labels(shown), "panels": [], "xy": entries, "title": text}
    return stack_of([(request, shown)], steps, text)


def _within(size: Document, layout: Panels, unit: str, several: bool) -> Document:
    """Return the edges of counted bins, or the range of the axis of bins with a width, in the unit of a histogram."""
    low, high = (value.in_unit(unit) for value in layout.bin_ranges[0])
    if low is None or high is None or len(layout.bin_ranges) > 1 or several:
        raise NotUnderstood(
            "it is not clear which histogram has bins in this range",
            advice="give the range in the unit of the quantity, or draw one histogram",
        )
    if "bin_width" in size and low % size["bin_width"] == 0:
        return {"x_range": [low, high]}
    if not layout.bins:
        raise NotUnderstood(
            "helio draws bins at whole multiples of their width", advice="give the number of bins"
        )
    step = (high - low) / layout.bins
    return {"bins": [float(f"{low + step * number:.12g}") for number in range(layout.bins + 1)]}


def fitting_widths(widths: Sequence[BinWidth], units: Mapping[int, str]) -> dict[int, float]:
    """Return the width of the bins of histograms in their units, by their places; histograms in other units have none.

    Raises
    ------
    NotUnderstood
        A width fits no histogram, or it is not clear which.
    """
    by_place: dict[int, float] = {}
    for width in widths:
        fitting = {at: size for at, unit in units.items() if (size := width.in_unit(unit)) is not None}
        if not fitting:
            known = " or ".join(dict.fromkeys(unit or "no unit that helio knows" for unit in units.values()))
            raise NotUnderstood(
                f"bins of {width} do not fit a histogram in {known}",
                advice="give the width in the unit of the quantity",
            )
        several = not width.unit and len({*units.values()}) > 1
        if by_place.keys() & fitting or several or (width.of_one and len(fitting) > 1):
            raise NotUnderstood(
                f"it is not clear which histogram has bins of {width}",
                advice=f"draw the histograms first, then change one: 'bins of {width} for NAME'",
            )
        by_place |= fitting
    return by_place


def stack_of(
    parts: Sequence[tuple[PipelineRequest, list[PlotSeries]]], steps: Steps, text: str, *, count: int = 0
) -> Document:
    """Return the settings of a figure that draws the parts of a request over time, each below the part before it.

    `count` is the required number of panels; 0 for any.

    Raises
    ------
    NotUnderstood
        The panels of a part cannot have the requested arrangement.
    """
    panels: _SeriesPanels = []
    kinds: list[str] = []
    settings: Document = {}
    for request, shown in parts:
        layout = request.panels
        shown = list({series.label: series for series in shown}.values())
        shown, marks = _with_frequencies([*_with_storms(shown)], request, steps, above=len(panels))
        _check_together(shown, request)
        arranged = _arranged(shown, layout)
        rows = [panel for panel in arranged if _rank_of(panel, layout) == BELOW_AXIS]
        drawn = [*map(_labels, panels)]
        own = [panel for panel in arranged if panel not in rows and _labels(panel) not in drawn]
        own = [_in_one_unit(panel, steps) for panel in own]
        _check(own, layout)
        below = {"ephemeris": [label for panel in rows for label in _labels(panel)]} if rows else {}
        spectral = _spectral(own, request, above=len(panels))
        for key, value in {**below, **spectral, **marks, **(_columns(own) if layout.side else {})}.items():
            known = settings.get(key, type(value)())
            more = [entry for entry in value if entry not in known] if isinstance(value, list) else value
            settings[key] = known | more if isinstance(value, dict) else known + more
        panels += own
        are_pictures = [panel[0].kind == "spectrum" and not request.style.as_lines for panel in own]
        kinds += ["spectrogram" if is_picture else "line" for is_picture in are_pictures]
    _check_count(panels, count)
    looks = _looks(panels, kinds, steps)
    labels = list(dict.fromkeys(label for panel in panels for label in _labels(panel)))
    return {"labels": labels, "panels": [*map(_labels, panels)], "title": text, **looks, **settings}


def _in_one_unit(panel: list[PlotSeries], steps: Steps) -> list[PlotSeries]:
    """Convert the lines of one quantity in a panel to the unit of its first line, so that they share an axis."""
    units = {series.quantity: series.unit for series in reversed(panel)}
    return [
        steps.convert(series, unit) if is_convertible(series.unit, unit) else series
        for series in panel
        for unit in [units[series.quantity]]
    ]


def _check_together(shown: Sequence[PlotSeries], request: PipelineRequest) -> None:
    """Refuse a spectrogram that should share a panel with other series."""
    tools = {computation.tool for computation in request.computations}
    lines = "power_spectrum" in tools and "power_spectrogram" not in tools  # spectra that are no pictures
    spectra = [series for series in shown if series.kind == "spectrum"]
    over_first = all(series.over == spectra[0].label for series in shown if spectra and series != spectra[0])
    if request.panels.together and spectra and not over_first and not (lines and spectra == shown):
        raise NotUnderstood("a spectrogram cannot share a panel with other series")


def _with_frequencies(
    shown: list[PlotSeries], request: PipelineRequest, steps: Steps, *, above: int
) -> tuple[list[PlotSeries], Document]:
    """Draw frequencies of the plasma over the spectrogram of their spacecraft, or mark them in its power spectrum.

    `above` is the number of panels above those of the series.
    """
    layout, tools = request.panels, {computation.tool for computation in request.computations}
    spectra = [series for series in shown if series.kind == "spectrum"]
    others = [series for series in shown if series.unit in _FREQUENCIES and series not in spectra]
    is_measured = any(series.parameter for series in spectra) and len(spectra) == 1
    is_computed = not tools.isdisjoint({"power_spectrum", "power_spectrogram"})
    if not (layout.marks or layout.together or layout.overlaid) or not (is_measured or is_computed):
        return shown, {}
    rest = [series for series in shown if series not in others and series not in spectra]
    others = [steps.convert(series, "Hz") for series in others]
    if "power_spectrum" in tools:
        marks = [
            {"of": series.label, "panel": number, "label": symbol(series.quantity)}
            for number, spectrum in enumerate(spectra, above + 1)
            for series in others
            if series.craft == spectrum.craft
        ]
        return [*spectra, *rest], {"vlines": marks} if marks else {}
    symbols = [symbol(series.quantity) for series in others]
    over = [
        replace(
            series,
            over=spectrum.label,
            quantity=spectrum.quantity,
            name=name if symbols.count(name) == 1 else "",  # otherwise that of the table: f_ce, 0.5 f_ce
        )
        for spectrum in spectra
        for series, name in zip(others, symbols, strict=True)
        if series.craft == spectrum.craft
    ]
    if over and is_measured:
        steps.note(
            f"the lines over {spectra[0].label} are in Hz; if its axis has another unit, the run refuses them"
        )
    return [*spectra, *over, *rest], {}


def _columns(panels: _SeriesPanels) -> Document:
    """Return the settings of panels side by side: a column for each spacecraft, if each has as many panels."""
    crafts = list(dict.fromkeys(series.craft for panel in panels for series in panel))
    in_turn = [panel[0].craft for panel in panels] == crafts * (len(panels) // len(crafts))
    if len(crafts) > 1 and in_turn:
        return {"columns": len(crafts), "column_titles": crafts}
    count = len(panels)
    return {"columns": count if count % 2 else 2} if count > 1 else {}


def _spectral(panels: _SeriesPanels, request: PipelineRequest, *, above: int) -> Document:
    """Return the slopes and the limits of frequency that a request gives for its power spectra."""
    layout, tools = request.panels, {computation.tool for computation in request.computations}
    if layout.slopes and "power_spectrum" not in tools:
        raise NotUnderstood(
            "a line with a slope needs a power spectrum",
            advice="write, for example, 'power spectrum of Bz with a -5/3 line'",
        )
    if layout.slopes and layout.frequencies[:1] == (0,):
        raise NotUnderstood(
            "a spectrum with slopes has logarithmic axes, which cannot begin at 0 Hz",
            advice="give both limits, such as '1 mHz to 1 Hz'",
        )
    limits, scale = ("bin_range", "log_x") if "power_spectrum" in tools else ("y_range", "log_y")
    numbers = [str(number) for number, panel in enumerate(panels, above + 1) if panel[0].kind == "spectrum"]
    spec: Document = {"slopes": list(layout.slopes)} if layout.slopes else {}
    if layout.frequencies:
        spec[limits] = {number: list(layout.frequencies) for number in numbers}
    if layout.frequencies[:1] == (0,):  # where no logarithmic axis begins
        spec[scale] = dict.fromkeys(numbers, False)
    return spec


def names_of(
    parts: Sequence[tuple[PipelineRequest, list[PlotSeries]]],
    request: PipelineRequest,
    steps: Steps,
) -> tuple[str, str]:
    """Return the name of the pipeline, in ASCII, and the title of the figure: spacecraft, quantities and operation."""
    shown = [series for _, own in parts for series in own]
    quantities = list(dict.fromkeys(name for part, own in parts for name in _titles(part, own)))
    drawn = dict.fromkeys(
        craft for series in shown for craft in re.split(r"\s[−/×+]\s", series.craft)
    )  # ACE − Wind
    crafts = [craft for craft in drawn if craft] or [*request.spacecraft]
    told = list(dict.fromkeys(_in_words(quantity, steps.descriptions) for quantity in quantities))
    text = f"{listed(crafts)}: {listed(told) if len(told) <= 3 else 'overview'}{_operation(shown, steps)}"
    named = [short(craft) for craft in crafts]
    named = named if len(named) <= 3 else [named[0], "to", named[-1]]
    name = "-".join(named + (quantities if len(quantities) <= 2 else ["overview"]))
    name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return request.name or name, request.style.title or text


def _operation(shown: Sequence[PlotSeries], steps: Steps) -> str:
    """Return what every series is, behind a comma, if that is another quantity: ``, power spectral density``."""
    makers = [steps.makers.get(series.label, {}) for series in shown]
    told = {step["intent"].lower() if step.get("tool_name") in _TITLED else "" for step in makers}
    return f", {told.pop()}" if len(told) == 1 and "" not in told else ""


def _titles(request: PipelineRequest, shown: Sequence[PlotSeries]) -> list[str]:
    """Return what a title calls the quantities of a part of the figure."""
    measured = {series.quantity for series in shown}
    of_electrons = {bulk: own for bulk, own in OF_ELECTRONS.items() if {bulk, own} & measured == {own}}
    titles = [title(of_electrons.get(quantity.name, quantity.name)) for quantity in request.quantities]
    parameters = len(request.datasets) + len(request.cuts) if titles and not request.computations else 0
    titles += [series.quantity for series in shown[:parameters]]  # they come first
    if [series.quantity for series in shown] == [SEPARATION]:
        titles = [SEPARATION]
    return titles or [series.quantity for series in shown]


def _in_words(quantity: str, descriptions: Mapping[str, str]) -> str:
    """Return a quantity, or a part of it, with the description of a parameter in the place of its name."""
    name = next((name for name in descriptions if f"{quantity} ".startswith(f"{name} ")), "")
    return descriptions.get(name, "") + quantity.removeprefix(name)


def _labels(shown: Sequence[PlotSeries]) -> list[str]:
    return [series.label for series in shown]


def _arranged(shown: list[PlotSeries], layout: Panels) -> _SeriesPanels:
    """Arrange the series in panels, in the order and with the shared panels that the request gives."""
    several = len({series.craft for series in shown}) > 1
    compare = (layout.compare or layout.overlaid or several) and not layout.apart
    compare = compare and layout.count != len(shown)  # two spacecraft in two panels
    panels = [shown] if layout.together else _panels_of(shown, compare=compare)
    for place in layout.places:
        group = [series for series in shown if is_meant(place.lines, series)]
        if place.shared and len(group) > 1 and all(series.kind != "spectrum" for series in group):
            at = next(number for number, panel in enumerate(panels) if {*_labels(panel)} & {*_labels(group)})
            panels = [[series for series in panel if series not in group] for panel in panels]
            panels = [*filter(None, panels[:at]), group, *filter(None, panels[at:])]
    ordered = sorted(panels, key=lambda panel: _rank_of(panel, layout))
    ranks = [rank for panel in ordered if (rank := _rank_of(panel, layout)) <= len(ordered)]
    if len({*ranks}) < len(ranks):
        return ordered
    others = iter(ordered[len(ranks) :])  # AE in the second panel leaves the first one to another
    placed = dict(zip(ranks, ordered, strict=False))
    return [placed[place] if place in placed else next(others) for place in range(1, len(ordered) + 1)]


def _panels_of(shown: Sequence[PlotSeries], *, compare: bool) -> _SeriesPanels:
    """Give each series its own panel: the quantities in the order of the request, then data of the catalogue.

    If `compare` is true, one panel has a scalar quantity of several spacecraft.
    """
    panels: _SeriesPanels = []
    named = list(dict.fromkeys(series.quantity for series in shown))
    earlier = {
        series.label: sum(
            (same.craft, same.quantity) == (series.craft, series.quantity) for same in shown[:at]
        )
        for at, series in enumerate(shown)
    }
    of_label = {series.label: series for series in shown}

    def rank(series: PlotSeries) -> tuple[object, ...]:
        if inputs := [of_label[label] for label in series.of_two if label in of_label]:
            return (*max(rank(source)[:-1] for source in inputs), True)
        again = earlier[series.label] if compare and not series.over else 0
        place = (_base(series.quantity, named), named.index(series.quantity), again)
        return (bool(series.parameter), *place, series.group, False)

    for series in sorted(shown, key=rank):
        last = panels[-1] if panels else []
        together = (
            last
            and compare
            and series.kind == last[0].kind == "scalar"
            and series.quantity == last[0].quantity
            and series.craft not in [previous.craft for previous in last]
        )
        if together or (series.over and series.over in _labels(last)):
            last.append(series)
        else:
            panels.append([series])
    return panels


def _base(quantity: str, named: Sequence[str]) -> int:
    """Return the place in the list of the quantity, or of the quantity that it is computed from."""
    return next(place for place, name in enumerate(named) if f"{quantity} ".startswith(f"{name} "))


def _rank_of(panel: Sequence[PlotSeries], layout: Panels) -> int:
    """Return the rank that the request gives to a panel."""
    ranks = (
        place.rank
        for place in layout.places
        if not (place.shared and place.rank == MIDDLE)
        and any(is_meant(place.lines, series) for series in panel)
    )
    return next(ranks, MIDDLE)


def is_meant(lines: Lines, series: PlotSeries) -> bool:
    """Return whether words that name lines mean a series, or a component of it."""
    if lines.crafts and series.craft not in lines.crafts:
        return False
    return not lines.quantities or any(_shows(series, quantity) for quantity in lines.quantities)


def _shows(series: PlotSeries, quantity: RequestQuantity) -> bool:
    """Return whether a series draws a quantity, also as a component of its vector or as its magnitude."""
    if quantity.component and series.kind == "vector" and series.quantity == quantity.name:
        return True
    if series.parameter and quantity.name == series.parameter:
        return True
    name = f"{quantity.name} {quantity.component}".strip()
    names = {name, MAGNITUDE_OF.get(name, name), *NEARBY.get(name, ())}
    return not quantity.name or any(f"{series.quantity} ".startswith(f"{known} ") for known in names)


def _check_lines(panels: _SeriesPanels, layout: Panels) -> None:
    """Refuse a number of lines, colours or spectrograms that the panels would not have."""
    kinds = [series.kind for panel in panels for series in panel]
    lines = sum(3 if kind == "vector" else kind == "scalar" for kind in kinds)
    for what, count in layout.lines:
        drawn = kinds.count("spectrum") if what == "spectrogram" else lines
        if drawn != count:
            raise NotUnderstood(f"the figure would have {number_of(drawn, what)}, not {count}")
        if what.startswith("colo") and len(panels) > 1:
            raise NotUnderstood(
                "helio gives lines different colours only in one panel", advice="name the colour of each line"
            )


def _check_count(panels: _SeriesPanels, count: int) -> None:
    """Refuse a figure that has not the required number of panels; 0 is any number."""
    if count and count != len(panels):
        raise NotUnderstood(f"the figure would have {number_of(len(panels), 'panel')}, not {count}")


def _check(panels: _SeriesPanels, layout: Panels) -> None:
    """Refuse an arrangement of panels that the figure would not have."""
    _check_lines(panels, layout)
    _check_count(panels, layout.count)
    alone = len(panels) == 1 and not any(series.over for series in panels[0])  # a mean on top of its input
    if alone and any(place.rank not in (MIDDLE, BELOW_AXIS) for place in layout.places):
        raise NotUnderstood(
            "the figure would have one panel: it is not clear what stands above or below another",
            advice="name all that the figure should draw, from top to bottom",
        )
    placed = [place for place in layout.places if place.rank != MIDDLE]
    for panel in panels:
        firsts = {
            next((place for place in placed if is_meant(place.lines, series)), None) for series in panel
        }
        if len(firsts) < 2 or not any(place and place.lines.crafts for place in firsts):
            continue
        raise NotUnderstood(
            "spacecraft that share a panel cannot stand above and below each other",
            advice="leave the places out, then change the pipeline: 'put Wind in a panel of its own'",
        )
    if layout.overlaid and not any(len(panel) > 1 for panel in panels):
        raise NotUnderstood(
            "the figure would draw each series in its own panel", advice="add 'in one panel' to the request"
        )


def _one_against_another(
    shown: list[PlotSeries], layout: Panels, steps: Steps
) -> tuple[list[PlotSeries], list[Document]]:
    """Return two series on the same epochs, the coarser ones, and the settings that draw the first on the y axis.

    Two vectors have an entry for each component, and several spacecraft one each.
    """
    crafts = list(dict.fromkeys(series.craft for series in shown))
    by_craft = [[series for series in shown if series.craft == craft] for craft in crafts]
    if len(crafts) > 1 and all(len(pair) == 2 for pair in by_craft) and not layout.colour:
        parts = [_one_against_another(pair, layout, steps) for pair in by_craft]
        entries = [entry | {"y_label": _axis_of(pair[0])} for pair, own in parts for entry in own]
        return [series for pair, _ in parts for series in pair], entries
    coloured = [series for series in shown if layout.colour and _shows(series, layout.colour)]
    pair = [series for series in shown if series not in coloured]
    kinds = [series.kind for series in pair]
    letters = [""]
    if kinds == ["vector"] and (layout.axes or layout.kind == "hodogram"):
        up, across = (
            f"{pair[0].label}.{letter}" for letter in layout.axes or _HODOGRAM.get(pair[0].frame, "zy")
        )
    elif kinds not in (["scalar"] * 2, ["vector"] * 2) or len(coloured) > 1:
        raise NotUnderstood(
            "a plot of one quantity against another needs two quantities without components",
            advice="write, for example, 'OMNI density against speed' or 'ACE Bz against By'",
        )
    else:
        if len({(series.cadence, series.craft) for series in shown}) > 1 or pair[0].cadence is None:
            shown = steps.align_all([*pair, *coloured])
            pair, coloured = shown[:2], shown[2:]
        up, across = _labels(pair)
        if kinds == ["vector"] * 2:
            letters = [f".{letter}" for letter in LETTERS_IN.get(pair[0].frame, "xyz")]
    kind = {} if layout.kind == "scatter" else {"type": layout.kind}
    fit = {"fit": layout.fit} if layout.fit else {}
    bins = {"bins": layout.bins} if layout.bins else {}
    colour = {"color_by": coloured[0].label if coloured else "time"} if layout.colour else {}
    equal = {"equal_axes": True} if layout.equal else {}
    settings = {**kind, **fit, **bins, **colour, **equal}
    return shown, [{"x": across + letter, "y": up + letter, **settings} for letter in letters]


def _looks(panels: _SeriesPanels, kinds: list[str], steps: Steps) -> Document:
    """Return the labels, scales and second axes of panels, and the names and colours that tell their lines apart."""
    several = len({series.craft for panel in panels for series in panel}) > 1
    axes: dict[str, str] = {}
    names: dict[str, str] = {}
    colours: dict[str, str] = {}
    scales: dict[str, str] = {}
    styles: Document = {}
    right = [label for panel in panels for label in at_right(panel)]
    for number, panel in enumerate(panels, 1):
        first = panel[0]
        if len({series.craft for series in panel}) > 1:
            of_crafts = _colours_of(list(dict.fromkeys(series.craft for series in panel)))
            for series in panel:
                names[series.label] = series.craft
                colours[series.label] = of_crafts[series.craft]
        elif several and len(panel) == 1 and first.kind == "vector" and first.unit:
            axes[str(number)] = _axis_of(first)  # two panels would both be called B GSE
        elif several and len(panel) == 1 and first.kind == "spectrum":
            told = steps.descriptions.get(first.quantity) or title(first.quantity)
            names[first.label] = f"{first.craft} {told}"
        elif first.unit and any(series.are_events for series in panel):
            axes[str(number)] = _axis_of(first)  # and not also of its events
        for series in panel[::-1]:  # the first one of an axis decides
            axis = f"{number}{RIGHT}" if series.label in right else str(number)
            scales[axis] = "log" if _is_logarithmic(series) else ""
        computed = _computed_names(panel, steps)
        names |= computed
        if several:
            bold = (label for label in computed if not computed[label].endswith(_SHIFTED))
            styles |= {label: {"width": _BOLD} for label in bold}
        names |= {series.label: series.name for series in panel if series.name}
    events = [
        series.label
        for panel in panels
        for series in panel
        if series.quantity in (FLARES, *_STORMS) or series.are_events
    ]
    are_lines = [
        panel[0].kind == "spectrum" and kind == "line" for panel, kind in zip(panels, kinds, strict=True)
    ]
    looks: Document = {
        "y_label": axes,
        "trace_names": names,
        "trace_colors": colours,
        "log_scale": {axis: scale for axis, scale in scales.items() if scale},
        "right": right,
        "line_styles": styles | {label: {"mode": "markers"} for label in events},
        "panel_types": kinds if any(are_lines) else [],
    }
    return {key: value for key, value in looks.items() if value}


def _colours_of(crafts: Sequence[str]) -> dict[str, str]:
    """Return a colour for each spacecraft: the one of its mission, unless one before it has it, or another."""
    colours: dict[str, str] = {}
    others = cycle(MORE_COLOURS)
    for craft in crafts:
        usual = _COLOURS.get(craft, "")
        colours[craft] = next(others) if usual in ("", *colours.values()) else usual
    return colours


def _is_logarithmic(series: PlotSeries) -> bool:
    """Return whether a scalar is usually drawn on a logarithmic axis."""
    of_particles = is_flux(series.unit) and "sr" in series.unit
    return series.kind == "scalar" and (series.quantity in _LOGARITHMIC or of_particles)


def at_right(panel: Sequence[PlotSeries]) -> list[str]:
    """Return the labels of the lines of a panel with an axis at the right: those with the second of two units."""
    units = list(dict.fromkeys(series.unit for series in panel))
    is_unknown = any(series.parameter and not series.unit for series in panel)
    if len(units) != 2 or is_unknown or any(series.kind == "spectrum" or series.over for series in panel):
        return []
    return [series.label for series in panel if series.unit == units[1]]


def average_named(intent: str) -> str:
    """Return the name of an average in a legend, from the intent of its step: ``1 h mean`` for ``1h mean``."""
    return re.sub(r"(\d)([a-z])", r"\1 \2", intent)


def _computed_names(panel: Sequence[PlotSeries], steps: Steps) -> dict[str, str]:
    """Name the averages in a panel, such as ``1 h mean``, if the panel also draws others of their quantity."""
    makers = steps.makers
    several = len({series.craft for series in panel}) > 1
    names: dict[str, str] = {}
    for series in panel:
        alike = [same for same in panel if (same.craft, same.quantity) == (series.craft, series.quantity)]
        step = makers.get(series.label, {})
        if several and step.get("tool_name") == "ballistic_shift":
            names[series.label] = f"{series.craft}{_SHIFTED}"
        elif len(alike) > 1 and series.kind == "scalar" and step.get("tool_name") in _AVERAGES:
            told = average_named(step["intent"])
            names[series.label] = f"{series.craft}, {told}" if several else told
    return names


def _axis_of(series: PlotSeries) -> str:
    """Return the label of an axis, such as ``ACE B GSE [nT]``."""
    vector, blank, component = series.quantity[:-2], series.quantity[-2:-1], series.quantity[-1:]
    quantity, ending = (vector, component) if blank == " " else (series.quantity, "")
    letter = f"{_LETTERS.get(quantity, symbol(quantity))}{ending}"
    unit = f"[{series.unit}]" if series.unit else ""
    return " ".join(filter(None, (series.craft, letter, series.frame, unit)))
