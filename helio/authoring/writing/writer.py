"""Write a new template from a request: which data to fetch, what to compute and what to draw."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.outcome import NotInTable, NotUnderstood
from helio.authoring.request import Computation, Lines, PipelineRequest, RequestQuantity
from helio.authoring.writing.computations import (
    APPLIED,
    AT_EARTH,
    CURRENT,
    CUTS,
    DERIVED,
    LAG,
    MAGNITUDE,
    NEARBY,
    OF_BINS,
    OF_ELECTRONS,
    OF_TWO,
    R_SQUARED,
    SIDES,
    WINDOWED,
    Part,
    Recipe,
)
from helio.authoring.writing.notes import TimeNote
from helio.authoring.writing.open_ranges import closed, is_open
from helio.authoring.writing.sources import (
    cadence_words,
    coverage,
    crafts_with,
    ended,
    frames_of,
    pick,
    quantities_of,
)
from helio.authoring.writing.steps import PlotSeries, Steps, figure_of, listed, panels_of
from helio.authoring.writing.windows import has_usual_window, usual_window
from helio.counts import number_of
from helio.interval import interval_of
from helio.knowledge.cadence import FINEST
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry
from helio.knowledge.frame_names import TURNABLE
from helio.knowledge.missions import craft_of, instrument_names, short
from helio.knowledge.quantities import ABS_B, POSITION, SOURCES, B, E, QuantitySource, families, sources_of
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS, symbol, title
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.template.document import Document
from helio.sources.istp import is_flux
from helio.time_range import TimeRange, is_relative, parse_time_range

Asks = Callable[[str, Sequence[str]], str]
"""Function that asks the user a question with choices, the most likely choice first, and returns the chosen one."""
Epoch = tuple[str, str, TimeRange | None]
"""One time range of a figure: its variable, the ending of labels that belong to it, and its default."""

WINDOWS = ("10min", "1h", "5min", "1min")
_MOST_CHANGING = 60.0
"""Shortest cadence, in seconds, to which helio averages data whose own cadence changes."""
_YEARS = timedelta(days=2 * 365)
_OF_YEARS = 3600.0
"""Cadence in seconds of the data that helio prefers for a time range of years."""
EVERY = "all of them"
FILE_ENDINGS = {"netcdf": "nc"}
"""File endings of the formats whose ending is not the format's name."""
MIDDLE = 50
"""Rank of the panels whose position the request does not give."""
_ALSO = {B: ABS_B, VELOCITY: SPEED}
"""Quantities that are drawn in the place of others that nobody draws."""
UPSTREAM = ("OMNI", "ACE", "Wind", "DSCOVR")


def write_template(
    request: PipelineRequest, *, catalogue: Catalogue, now: datetime, ask: Asks
) -> tuple[Document, tuple[str, ...]]:
    """Write the template for a request, not yet verified; also return notes on what was assumed.

    Raises
    ------
    NotUnderstood
        Helio knows no dataset with the requested data, frame, mode or time.
    """
    request = _complete(request, ask)
    request, closing = _with_closed_times(request, catalogue, now, ask)
    writer = _Writer(request, catalogue, now, ask)
    writer.steps.notes.extend(closing)
    indices = [quantity.name in INDICES for quantity in request.quantities]
    if not request.spacecraft and not request.datasets and any(indices) and not all(indices):
        writer.steps.note("the request names no spacecraft: all data are taken from OMNI")
    return writer.written()


def _with_closed_times(
    request: PipelineRequest, catalogue: Catalogue, now: datetime, ask: Asks
) -> tuple[PipelineRequest, list[str]]:
    """Close time ranges that the data begin or end: write the template once to learn which data it takes."""
    if not any(is_open(time, now) for time in request.times):
        return request, []
    draft, _ = _Writer(request, catalogue, now, ask).written()
    fetched = [step["tool_args"] for step in draft["steps"] if step["tool_name"] == FETCH]
    datasets = [choice.dataset_id for args in fetched for choice in fetch_choices(args)]
    made = [
        closed(time, datasets, catalogue, now) if is_open(time, now) else (time, "") for time in request.times
    ]
    return replace(request, times=tuple(time for time, _ in made)), [
        TimeNote(note) for _, note in made if note
    ]


class _Writer:
    def __init__(self, request: PipelineRequest, catalogue: Catalogue, now: datetime, ask: Asks) -> None:
        self.request = request
        self.catalogue = catalogue
        self.now = now
        self.ask = ask
        self.steps = Steps()
        self.fetched: dict[tuple[str, str, str], PlotSeries] = {}
        self.used: list[QuantitySource] = []
        self.variable = "$TIME_RANGE"
        self.group = ""
        self.span: TimeRange | None = None
        self.aligned: dict[tuple[str, str], PlotSeries] = {}

    def written(self) -> tuple[Document, tuple[str, ...]]:
        epochs = self._epochs()
        (name, text), *_ = [self._figure(*epoch) for epoch in epochs]
        self._default_range(epochs)
        return self.steps.template(name, text), tuple(self.steps.notes)

    def _figure(self, variable: str, group: str, span: TimeRange | None) -> tuple[str, str]:
        """Add the steps for one time range of the figure, and return the name and the title of the figure."""
        request = self.request
        self.variable, self.group, self.span = variable, group, span
        self.fetched = {}
        shown = self._series()
        self._check_named(shown)
        computed = {
            tool.unit
            for tool in (APPLIED.get(computation.tool) for computation in request.computations)
            if tool
        }
        later = computed - {"{}"}  # the unit is of a rate or an integral
        shown = self._computed(shown if later else self._in_units(shown))
        shown = self._in_units(shown) if later else shown
        self._export(shown)
        if request.panels.together and any(series.kind == "spectrum" for series in shown):
            raise NotUnderstood("a spectrogram cannot share a panel with other series")
        text = request.style.title or self._title(shown)
        if request.panels.kind:
            spec = self._entries(shown, text)
        else:
            panels = self._arranged(shown)
            self._check_layout(panels)
            spec = figure_of(panels, title=text, as_lines=request.style.as_lines)
        self.steps.add(f"figure{self._ending()}", "render_spec", {"spec": spec}, "Draw the figure")
        return request.name or self._name(shown), text

    # Time -------------------------------------------------------------------------------------------------

    def _epochs(self) -> list[Epoch]:
        times = self.request.times
        if len(times) > 2 or (len(times) == 2 and not self.request.panels.compare):
            raise NotUnderstood(
                f"the request names {len(times)} time ranges: {', '.join(times)}",
                advice="give one time range, such as 'A to B', or two times to compare",
            )
        epochs: list[Epoch] = []
        for number, phrase in enumerate(times, 1):
            span = parse_time_range(phrase, self.now)
            group = str(number) if len(times) > 1 else ""
            name = f"$TIME_RANGE_{group}" if group else "$TIME_RANGE"
            default, notes = default_range(phrase, span, self.now)
            self.steps.variables[name] = {"type": "time_range", "default": default}
            for note in notes:
                self.steps.note(note)
            epochs.append((name, group, span))
        return epochs or [("$TIME_RANGE", "", None)]

    def _default_range(self, epochs: list[Epoch]) -> None:
        """If the request gives no time, use the last days with data."""
        if self.request.times:
            return
        ends = [end for source in self.used if (end := ended(source, self.catalogue))]
        if ends:
            stop = min(ends).replace(hour=0, minute=0, second=0, microsecond=0)
            default = str(TimeRange(stop - timedelta(days=7), stop))
            meant = f"{default}, the last week with data"
        else:
            default = "last 7 days"
            meant = "the last 7 days; use --time-range to set another one"
        self.steps.note(TimeNote(f"the request names no time: the default is {meant}"))
        self.steps.variables[epochs[0][0]] = {"type": "time_range", "default": default}

    # Series -----------------------------------------------------------------------------------------------

    def _series(self) -> list[PlotSeries]:
        request = self.request
        shown = [self._named_dataset(dataset, parameter) for dataset, parameter in request.datasets]
        shown += self._cut_out()
        common = request.frame or self._common_frame()
        for craft, quantity in request.own or product(request.spacecraft, request.quantities):
            if quantity.name == CURRENT and any(series.quantity == CURRENT for series in shown):
                continue  # it is of all four spacecraft
            index = quantity.name in INDICES and craft != "OMNI"
            series = self._index(quantity) if index else self._series_of(quantity, craft, common)
            if series.label not in [drawn.label for drawn in shown]:
                shown.append(series)
        own = {quantity for _, quantity in request.own}
        return shown + [
            self._index(quantity) for quantity in request.quantities if own and quantity not in own
        ]

    def _cut_out(self) -> list[PlotSeries]:
        """Add steps that take parts of spectra and distributions."""
        fetched: dict[tuple[str, str], PlotSeries] = {}
        made = []
        for cut in self.request.cuts:
            source = (cut.dataset, cut.parameter)
            if source not in fetched:
                fetched[source] = self._named_dataset(*source)
            series = fetched[source]
            axes = len(self.catalogue.dataset(cut.dataset).parameter(cut.parameter).size)
            for step in cut.steps:
                how = CUTS[step.tool]
                axes -= 1
                series = self.steps.compute(step.tool, series, how.ending, how.intent, **dict(step.args))
                quantity = how.quantity.format(fetched[source].quantity)
                series = replace(series, kind="spectrum" if axes else "scalar", quantity=quantity)
            made.append(series)
        return made

    def _index(self, quantity: RequestQuantity) -> PlotSeries:
        self.steps.note(f"{quantity.name} is taken from OMNI")
        return self._quantity(quantity.name, "OMNI", "")

    def _common_frame(self) -> str:
        """Return a frame in which the vectors of all requested spacecraft are available."""
        request = self.request
        vector = next((quantity for quantity in request.quantities if quantity.name in VECTORS), None)
        if (
            vector
            and len(request.spacecraft) == 1
            and any(made.tool in OF_TWO for made in request.computations)
        ):
            names = [quantity.name for quantity in request.quantities if quantity.name in VECTORS]
            frames = [frames_of(name, request.spacecraft) for name in names]
            return next((frame for frame in frames[0] if all(frame in known for known in frames)), "")
        if (
            vector is None
            or len(request.spacecraft) < 2
            or len({quantity for _, quantity in request.own}) > 1
        ):
            return ""
        common = frames_of(vector.name, request.spacecraft)
        return next((frame for frame in common if not vector.component or _has(frame, vector.component)), "")

    def _series_of(self, quantity: RequestQuantity, craft: str, common: str) -> PlotSeries:
        if not quantity.component:
            return self._quantity(quantity.name, craft, common)
        frame = common or ("RTN" if quantity.component in "rtn" else "")
        self._check_component(quantity, craft, frame)
        return self._component(self._quantity(quantity.name, craft, frame), quantity.component)

    def _check_component(self, quantity: RequestQuantity, craft: str, frame: str) -> None:
        """Refuse a component that the spacecraft's vector does not have in any frame."""
        frames = [name for name in frames_of(quantity.name, [craft]) if name]
        fitting = {name for name in ([frame] if frame else frames) if _has(name, quantity.component)}
        turned = frame in TURNABLE and any(name in TURNABLE for name in frames)
        if frames and fitting and (fitting & set(frames) or turned):
            return
        letters = [f"{'r, t, n' if name == 'RTN' else 'x, y, z'} in {name}" for name in frames]
        others = f"choose another quantity: {', '.join(quantities_of(craft))}"
        raise NotUnderstood(
            f"{craft} has no {quantity.component} component of the {title(quantity.name)}"
            + (f" in {frame}" if frame else ""),
            advice=f"choose from {'; '.join(letters)}" if frames else others,
        )

    def _check_named(self, shown: list[PlotSeries]) -> None:
        """Refuse a spacecraft, unit or instrument of the request if the figure would not show it."""
        request = self.request
        drawn = {series.craft for series in shown}
        missions = {craft: mission for mission, crafts in families().items() for craft in crafts}
        absent = [craft for craft in request.spacecraft if not drawn & {craft, missions.get(craft, craft)}]
        if absent:
            raise NotUnderstood(
                f"the figure would draw no data from {listed(absent)}, because indices are taken from OMNI",
                advice=f"name a quantity of {absent[0]}, or leave out {absent[0]}",
            )
        used = {name for source in self.used for name in source.instruments}
        named_datasets = [dataset for dataset, _ in request.datasets] + [cut.dataset for cut in request.cuts]
        used |= {name for dataset in named_datasets for name in instrument_names(dataset)}
        other = [instrument for instrument in request.instruments if instrument not in used]
        if other:
            named = ", ".join(dict.fromkeys(source.dataset for source in self.used))
            raise NotInTable(
                f"helio knows none of the requested quantities from {', '.join(other)}",
                advice=f"use {named}, or name another dataset as DATASET.PARAMETER",
            )

    def _in_units(self, shown: list[PlotSeries]) -> list[PlotSeries]:
        """Convert the series that have another unit of the same dimension than one that the request names."""
        for unit in map(canonical_unit, self.request.units):
            fitting = [series for series in shown if _convertible(series.unit, unit)]
            if not fitting:
                units_of_data = sorted({series.unit for series in shown if series.unit})
                raise NotUnderstood(
                    f"none of the data can be given in {unit}; their units are {', '.join(units_of_data)}",
                    advice="name one of these units, or leave out the unit",
                )
            shown = [self._in_unit(series, unit) if series in fitting else series for series in shown]
        return shown

    def _in_unit(self, series: PlotSeries, unit: str) -> PlotSeries:
        if series.unit == unit:
            return series
        how = {} if comparable(series.unit, unit) else {"equivalence": "thermal"}
        ending = re.sub(r"\W+", "", unit)
        made = self.steps.compute("convert_units", series, ending, f"Convert to {unit}", to=unit, **how)
        return replace(made, unit=unit)

    def _check_layout(self, panels: list[list[PlotSeries]]) -> None:
        """Refuse an arrangement of panels that the figure would not have."""
        layout = self.request.panels
        if layout.count and layout.count != len(panels):
            raise NotUnderstood(
                f"the figure would have {number_of(len(panels), 'panel')}, not {layout.count}"
            )
        if layout.overlaid and not any(len(panel) > 1 for panel in panels):
            raise NotUnderstood(
                "the figure would draw each series in its own panel",
                advice="add 'in one panel' to the request",
            )

    def _arranged(self, shown: list[PlotSeries]) -> list[list[PlotSeries]]:
        """Arrange the series in panels, in the order and with the shared panels that the request gives."""
        layout = self.request.panels
        several = len({series.craft for series in shown}) > 1
        compare = (layout.compare or layout.overlaid or several) and not layout.apart
        if layout.count == len(shown):
            compare = False  # two spacecraft in two panels
        panels = [shown] if layout.together else panels_of(shown, compare=compare)
        for place in layout.places:
            group = [series for series in shown if is_meant(place.lines, series)]
            if place.shared and len(group) > 1 and len({series.unit for series in group}) == 1:
                panels = [[series for series in panel if series not in group] for panel in panels]
                panels = [group, *filter(None, panels)]
        ranks = [
            next(
                (
                    place.rank
                    for place in layout.places
                    if not (place.shared and place.rank == MIDDLE)
                    and any(is_meant(place.lines, series) for series in panel)
                ),
                MIDDLE,
            )
            for panel in panels
        ]
        order = sorted(range(len(panels)), key=lambda index: ranks[index])
        return [panels[index] for index in order]

    def _entries(self, shown: list[PlotSeries], title_text: str) -> Document:
        """Return the settings of a figure of one series against another, of histograms or of orbits."""
        layout = self.request.panels
        key = layout.kind if layout.kind in ("histograms", "orbits") else "xy"
        if key != "xy":
            labels = [series.label for series in shown]
            plane = {"plane": layout.plane} if layout.plane else {}
            entries: list[Document] = [{"of": label, **plane} for label in labels]
        else:
            lines = self._two_lines(shown)
            labels = [series.label for series in shown]
            entry = {"x": lines[1], "y": lines[0]}
            if layout.kind != "scatter":
                entry["type"] = layout.kind
            if layout.fit:
                entry["fit"] = layout.fit
            entries = [entry]
        return {"labels": labels, "panels": [], key: entries, "title": title_text}

    def _two_lines(self, shown: list[PlotSeries]) -> tuple[str, str]:
        """Return the lines on the y and the x axis, the second on the epochs of the first, or the coarser."""
        if len(shown) == 1 and shown[0].kind == "vector" and self.request.panels.kind == "hodogram":
            return f"{shown[0].label}.z", f"{shown[0].label}.y"
        if len(shown) != 2 or any(series.kind != "scalar" for series in shown):
            raise NotUnderstood(
                "a plot of one quantity against another needs two quantities without components",
                advice="write, for example, 'OMNI density against speed' or 'ACE Bz against By'",
            )
        first, second = shown
        if first.cadence != second.cadence or first.craft != second.craft or first.cadence is None:
            slower = max(shown, key=lambda series: series.cadence or 0.0)
            shown[:] = [series if series is slower else self._onto(series, slower) for series in shown]
        return shown[0].label, shown[1].label

    def _named_dataset(self, dataset: str, parameter: str) -> PlotSeries:
        entry = self.catalogue.dataset(dataset)
        described = entry.parameter(parameter or self._parameter_of(entry))
        craft = entry.spacecraft if self.catalogue.in_archive(entry.id) else craft_of(entry.id).spacecraft
        known = next(
            (source for source in _of_dataset(entry.id) if described.name in source.parameters), None
        )
        label = self.steps.label(f"{short(craft)}_{described.name}{self._ending()}")
        intent = f"Fetch {described.description or described.name} of {craft}"
        self._add_fetch(label, intent, {"dataset_id": entry.id, "parameter_id": described.name})
        series = PlotSeries(
            label,
            known.quantity if known and len(known.parameters) == 1 else described.name,
            craft,
            _kind_of(described),
            known.cadence if known else None,
            known.frame if known else "",
            described.canonical_unit,
            self.group,
        )
        cadence = entry.cadence[0] if len(entry.cadence) == 1 else None
        own = QuantitySource(
            described.name, craft, entry.id, (described.name,), series.frame, series.unit, cadence
        )
        return self._at_cadence(series, known or own)

    def _add_fetch(self, label: str, intent: str, choice: Document) -> None:
        args = {**choice, "time_range": self.variable, "output_label": label}
        self.steps.add(label, "fetch_data", args, intent)

    def _parameter_of(self, entry: CatalogueEntry) -> str:
        """Ask which parameter of a dataset to draw if it has several; list those in the table of quantities first."""
        names = [parameter.name for parameter in entry.parameters if parameter.kind != "string"]
        table = [name for source in _of_dataset(entry.id) for name in source.parameters if name in names]
        choices = list(dict.fromkeys(table + names))
        if not choices:
            raise NotUnderstood(f"the catalogue lists no parameters of {entry.id}")
        return (
            choices[0]
            if len(choices) == 1
            else self.ask(f"Which parameter of {entry.id} do you want?", choices[:12])
        )

    def _quantity(self, quantity: str, craft: str, frame: str) -> PlotSeries:
        """Add steps that fetch or compute a quantity of a spacecraft, only once for each quantity."""
        key = (quantity, craft, frame)
        if key not in self.fetched:
            self.fetched[key] = self._new_quantity(quantity, craft, frame)
        return self.fetched[key]

    def _pick(self, quantity: str, craft: str, frame: str = "") -> list[QuantitySource]:
        """Return the datasets and parameters that fit the request, best first, fine enough for its frequencies."""
        found = self._pick_at(quantity, craft, frame, self.request.cadence or self._usual_cadence())
        frequencies = [value for made in self.request.computations for value in _frequencies(made)]
        needed = 1 / (2 * max(frequencies)) if frequencies and self.request.cadence is None else None
        if not needed or not found or (found[0].cadence and found[0].cadence < needed):
            return found
        return self._pick_at(quantity, craft, frame, needed / 2)

    def _usual_cadence(self) -> float | None:
        """Return the cadence to prefer for a time range of years, unless the request needs finer data."""
        request = self.request
        if self.span is None or self.span.duration <= _YEARS or request.instruments:
            return None
        lengths = [interval_of(made.window).nanoseconds / 1e9 for made in request.computations if made.window]
        if len(lengths) < len(request.computations) or any(length < _OF_YEARS for length in lengths):
            return None
        return _OF_YEARS

    def _pick_at(self, quantity: str, craft: str, frame: str, cadence: float | None) -> list[QuantitySource]:
        return pick(
            quantity,
            craft,
            catalogue=self.catalogue,
            frame=frame,
            cadence=cadence,
            modes=() if quantity == POSITION else self.request.modes,
            span=self.span,
            instruments=self.request.instruments,
            energies=self.request.energies if quantity in SPECTRA else (),
        )

    def _new_quantity(self, quantity: str, craft: str, frame: str) -> PlotSeries:
        if quantity in NEARBY:
            from_sun, from_earth = NEARBY[quantity]
            return self._quantity(from_sun if self._pick(from_sun, craft) else from_earth, craft, frame)
        if quantity == CURRENT:
            return self._curlometer(craft)
        if quantity == self.request.computed:
            return self._derived(quantity, craft)
        vector_frame = frame if quantity in VECTORS else ""
        sources = self._pick(quantity, craft, vector_frame)
        if self._derived_from_instrument(quantity, craft, sources):
            return self._derived(quantity, craft)
        of_electrons = OF_ELECTRONS.get(quantity)
        if of_electrons and self._only_instrument_of(sources_of(of_electrons, craft), sources):
            return self._quantity(of_electrons, craft, frame)
        vector = {ABS_B: B, SPEED: VELOCITY}.get(quantity)
        if vector and self._only_instrument_of(sources_of(vector, craft), sources):
            return self._length_of(quantity, craft, frame) or self._fetch(quantity, craft, sources)
        if sources and not (quantity == ABS_B and self._finer_vector(craft, sources[0])):
            return self._fetch(quantity, craft, sources)
        series = (
            self._turned(quantity, craft, vector_frame)
            or self._length_of(quantity, craft, frame)
            or self._speed_instead(quantity, craft)
            or self._electric_field(quantity, craft)
            or self._mean_of_sides(quantity, craft)
        )
        if series is not None:
            return series
        if quantity in DERIVED and self._can_derive(quantity, craft):
            return self._derived(quantity, craft)
        framed = [name for name in frames_of(quantity, [craft]) if name]
        if framed:
            raise NotUnderstood(
                f"{craft} has no {quantity} in {frame}", advice=f"choose the frame {' or '.join(framed)}"
            )
        raise NotInTable(
            f"helio knows no {quantity} of {craft}",
            advice=f"choose one of {', '.join(quantities_of(craft))};"
            f" or search with `helio datasets search '{craft} {quantity}'`",
        )

    def _can_derive(self, quantity: str, craft: str) -> bool:
        """Return whether the table has what a temperature or a thermal speed, each computed from the other, needs."""
        first, *others = (part.quantity for part in DERIVED[quantity].takes.values())
        if others or first not in DERIVED or self._pick(first, craft):
            return True
        inner = [part.quantity for part in DERIVED[first].takes.values()]
        return quantity not in inner and self._can_derive(first, craft)

    def _derived_from_instrument(self, quantity: str, craft: str, sources: list[QuantitySource]) -> bool:
        """Return whether only a computation gives a quantity of the instrument that the request names."""
        if quantity not in DERIVED or len(DERIVED[quantity].takes) > 1:
            return False
        part = next(iter(DERIVED[quantity].takes.values()))
        return self._only_instrument_of(sources_of(part.quantity, craft), sources)

    def _only_instrument_of(self, others: list[QuantitySource], sources: list[QuantitySource]) -> bool:
        """Return whether the instruments that the request names measure other sources, but none of these."""
        named = set(self.request.instruments)
        has = [any(named & source.instruments for source in group) for group in (others, sources)]
        return has == [True, False]

    def _turned(self, quantity: str, craft: str, frame: str) -> PlotSeries | None:
        """Add a step that rotates a vector into a frame."""
        if quantity not in VECTORS or frame not in TURNABLE:
            return None
        sources = [source for source in self._pick(quantity, craft) if source.frame in TURNABLE]
        if not sources:
            return None
        given = self._fetch(quantity, craft, sources)
        intent = f"Rotate from {given.frame} to {frame}"
        turned = self.steps.compute("transform_frame", given, frame.lower(), intent, to=frame)
        return replace(turned, frame=frame)

    def _length_of(self, quantity: str, craft: str, frame: str) -> PlotSeries | None:
        """Add a step that computes the magnitude of a vector."""
        vector = {ABS_B: B, SPEED: VELOCITY}.get(quantity)
        if vector is None or not self._pick(vector, craft):
            return None
        if vector == VELOCITY:
            return self._magnitude(self._quantity(VELOCITY, craft, ""), SPEED)
        known = next((series for key, series in self.fetched.items() if key[:2] == (B, craft)), None)
        own_frame = frame if frame in frames_of(B, [craft]) else ""
        return self._magnitude(known or self._quantity(B, craft, own_frame), ABS_B)

    def _speed_instead(self, quantity: str, craft: str) -> PlotSeries | None:
        """Draw the speed if no velocity vector is known, unless the request insists on the vector."""
        if quantity != VELOCITY or self.request.frame or self.request.vectors or not self._pick(SPEED, craft):
            return None
        self.steps.note(f"the figure draws the speed: helio knows no velocity vector of {craft}")
        return self._quantity(SPEED, craft, "")

    def _electric_field(self, quantity: str, craft: str) -> PlotSeries | None:
        """Draw the electric field of the solar wind for OMNI, which is no vector, and the vector for others."""
        if quantity == E and craft == "OMNI":
            return self._quantity("electric field", craft, "")
        return self._derived(E, craft) if quantity == "electric field" and craft != "OMNI" else None

    def _mean_of_sides(self, quantity: str, craft: str) -> PlotSeries | None:
        """Add steps for a temperature that is known along and across the field: (T∥ + 2 T⊥)/3."""
        sides = SIDES.get(quantity, ())
        if not sides or not all(self._pick(side, craft) for side in sides):
            return None
        along, across = (self._quantity(side, craft, "") for side in sides)
        shares = [
            self.steps.compute("rescale", side, "share", f"Take {share} of it", unit=side.unit, factor=factor)
            for side, share, factor in ((along, "1/3", 1 / 3), (across, "2/3", 2 / 3))
        ]
        label = self.steps.label(f"{short(craft)}_{symbol(quantity)}{self._ending()}")
        args = {
            "left_label": shares[0].label,
            "right_label": shares[1].label,
            "operation": "add",
            "output_label": label,
        }
        self.steps.add(label, "arithmetic", args, f"Mean {quantity} of the three directions")
        return replace(along, label=label, quantity=quantity)

    def _finer_vector(self, craft: str, magnitude: QuantitySource) -> bool:
        """Return whether to compute a magnitude from its vector: if the vector is drawn too, or is much finer."""
        if any(quantity.name == B for quantity in self.request.quantities):
            return True
        vectors = self._pick(B, craft)
        cadence = vectors[0].cadence if vectors else None
        return bool(cadence and magnitude.cadence and cadence < magnitude.cadence / 10)

    def _fetch(self, quantity: str, craft: str, sources: list[QuantitySource]) -> PlotSeries:
        """Add a fetch of the first dataset, with the other datasets as alternatives, at the requested cadence."""
        first = sources[0]
        self.used.append(first)
        kind = "vector" if quantity in VECTORS else "spectrum" if quantity in SPECTRA else "scalar"
        label = self.steps.label(f"{short(craft)}_{symbol(quantity)}{self._ending()}")
        framed, cadence = f" in {first.frame}" if first.frame else "", cadence_words(first)
        intent = f"Fetch {title(quantity)} of {craft}{framed}, {cadence}"
        source = f"{first.dataset}.{'+'.join(first.parameters)}"
        self.steps.note(f"{craft} {title(quantity)}: {source}, {cadence}, {coverage(first, self.catalogue)}")
        if first.note:
            self.steps.note(f"{first.dataset}: {first.note}")
        series = PlotSeries(label, quantity, craft, kind, first.cadence, first.frame, first.unit, self.group)
        choices = [{"dataset_id": source.dataset, "parameter_id": source.parameters[0]} for source in sources]
        if len(first.parameters) > 1:
            self._joined(first, label, intent)
        else:
            self._add_fetch(label, intent, {"candidates": choices} if len(choices) > 1 else choices[0])
        return self._at_cadence(series, first)

    def _at_cadence(self, series: PlotSeries, source: QuantitySource) -> PlotSeries:
        """Add a step that averages a series to the requested cadence, if the series is finer."""
        cadence = self.request.cadence
        if cadence in (None, FINEST) or _is_close(cadence, source.cadence):
            return series
        if not source.cadence and cadence < _MOST_CHANGING:
            raise NotUnderstood(
                f"without a language model, helio cannot change the cadence of {source.dataset}",
                advice=f"write '{_seconds(cadence)} averages', or leave out the cadence; "
                f"the dataset has {cadence_words(source)}",
            )
        if not source.cadence or cadence > source.cadence:
            length = _seconds(cadence)
            intent = f"{length} mean"
            return self.steps.compute("resample", series, "binned", intent, cadence=length, method="mean")
        self.steps.note(f"{source.dataset} has a cadence of {cadence_words(source)}, coarser than requested")
        return series

    def _joined(self, source: QuantitySource, label: str, intent: str) -> None:
        """Add steps that fetch components stored as separate parameters, and join them into a vector."""
        letters = "RTN" if source.frame == "RTN" else "xyz"
        stem = "V" if source.quantity == VELOCITY else "B" if source.quantity == B else ""
        fetch = {
            "dataset_id": source.dataset,
            "parameters": list(source.parameters),
            "time_range": self.variable,
        }
        self.steps.add(f"{label}_parts", "fetch_data", fetch, intent)
        join = {
            "source_labels": [f"{source.dataset}.{name}" for name in source.parameters],
            "names": [f"{stem}{letter}" for letter in letters],
            "frame": source.frame,
            "name": stem or source.quantity,
            "output_label": label,
        }
        self.steps.add(label, "join_components", join, "Join the components")

    def _component(self, series: PlotSeries, letter: str) -> PlotSeries:
        if series.kind != "vector":
            return series
        label = self.steps.label(f"{series.label}{letter}")
        self.steps.add(
            label,
            "components",
            {"source_label": series.label, "keep": [letter], "output_label": label},
            f"Take the {letter} component{f' in {series.frame}' if series.frame else ''}",
        )
        if series.frame and not self.request.frame:
            self.steps.note(
                f"{series.craft} {series.quantity} {letter} is in {series.frame}, because the request names no frame"
            )
        return replace(series, label=label, kind="scalar", quantity=f"{series.quantity} {letter}")

    def _magnitude(self, series: PlotSeries, quantity: str) -> PlotSeries:
        label = self.steps.label(
            f"{series.label.replace('Vvec', 'V')}mag"
            if quantity == ABS_B
            else f"{short(series.craft)}_{symbol(quantity)}{self._ending()}"
        )
        args = {"source_label": series.label, "output_label": label}
        self.steps.add(label, "magnitude", args, f"Compute the {quantity}")
        return replace(series, label=label, kind="scalar", quantity=quantity, frame="")

    def _curlometer(self, craft: str) -> PlotSeries:
        """Add steps for the current density from the fields and positions of the four spacecraft of a mission."""
        mission, crafts = next(
            ((name, crafts) for name, crafts in families().items() if craft in crafts), ("", (craft,))
        )
        frames = [frame for frame in frames_of(B, crafts) if frame in frames_of(POSITION, crafts)]
        if len(crafts) != 4 or not frames:
            raise NotUnderstood(
                f"helio knows no {CURRENT} of {craft}",
                advice="a curlometer needs the field and the position of four spacecraft, such as those of MMS",
            )
        frame = self.request.frame or ("GSE" if "GSE" in frames else frames[0])
        self.steps.note(f"{CURRENT}: computed from all four spacecraft of {mission}")
        args: dict[str, Any] = {}
        fields = [self._quantity(B, name, frame) for name in crafts]
        for number, (name, field) in enumerate(zip(crafts, fields, strict=True), 1):
            place = self._in_unit(self._quantity(POSITION, name, frame), "km")
            args[f"field_{number}_label"] = (field if number == 1 else self._onto(field, fields[0])).label
            args[f"position_{number}_label"] = self._onto(place, fields[0]).label
        label = self.steps.label(f"{mission}_{symbol(CURRENT)}{self._ending()}")
        self.steps.add(label, "curlometer", {**args, "output_label": label}, f"Compute the {CURRENT}")
        return replace(fields[0], label=label, quantity=CURRENT, craft=mission, unit="nA/m^2")

    def _derived(self, quantity: str, craft: str) -> PlotSeries:
        """Add steps that compute a quantity from others, such as density and velocity, on the coarsest epochs."""
        recipe = DERIVED[quantity]
        extra: dict[str, Any] = dict(recipe.args) | self._window_of(recipe)
        parts: dict[str, PlotSeries] = {}
        common = self._common_frame_of(recipe, craft)
        for argument, part_taken in recipe.takes.items():
            if part_taken.otherwise and not self._pick(part_taken.quantity, craft):
                extra |= part_taken.otherwise
                self.steps.note(f"{quantity}: computed for {craft} at a distance of 1 AU from the Sun")
                continue
            if part_taken.measured and not self._pick(part_taken.quantity, craft):
                raise NotUnderstood(
                    f"helio knows no measured {part_taken.quantity} of {craft}, and a computed one has no {quantity}",
                    advice=f"choose one of {', '.join(quantities_of(craft))}",
                )
            parts[argument] = self._part(part_taken, craft, common)
        slowest = max(parts.values(), key=lambda part: part.cadence or 0.0)
        for argument, part in parts.items():
            if part.unit in ("eV", "keV"):
                part = self.steps.compute(
                    "convert_units", part, "K", "Convert to kelvin", to="K", equivalence="thermal"
                )
            if part.label != slowest.label and (part.cadence != slowest.cadence or part.cadence is None):
                part = self._onto(part, slowest)
            parts[argument] = part
        label = self.steps.label(
            f"{slowest.label}_{symbol(quantity)}"
            if len(parts) == 1
            else f"{short(craft)}_{symbol(quantity)}{self._ending()}"
        )
        args: dict[str, Any] = {argument: part.label for argument, part in parts.items()} | extra
        if recipe.helium:
            args["assumed_alpha"] = 0.04
            self.steps.note(f"{quantity}: computed with an assumed helium fraction of 4 % by number")
        intent = f"Compute the {quantity}"
        self.steps.add(label, recipe.tool, {**args, "output_label": label}, intent)
        return replace(
            slowest,
            label=label,
            quantity=quantity,
            craft=craft,
            kind=recipe.kind,
            frame=next(iter(parts.values())).frame if recipe.kind == "vector" else "",
            unit=recipe.unit.format(slowest.unit),
        )

    def _window_of(self, recipe: Recipe) -> Document:
        """Return the window that the request gives for a computation."""
        windows = (given.window for given in self.request.computations if given.tool == recipe.tool)
        return {recipe.window: next(windows)} if recipe.window else {}

    def _common_frame_of(self, recipe: Recipe, craft: str) -> str:
        """Return a frame in which a spacecraft has all vectors that a computation needs in one frame."""
        vectors = self._vectors_in_one_frame(recipe, craft)
        if not vectors:
            return ""
        frames = [[frame for frame in frames_of(vector, [craft]) if frame] for vector in vectors]
        absent = [vector for vector, known in zip(vectors, frames, strict=True) if not known]
        if absent:
            raise NotUnderstood(
                f"helio knows no {absent[0]} of {craft}",
                advice=f"choose one of {', '.join(quantities_of(craft))}",
            )
        shared = [frame for frame in frames[0] if all(frame in known for known in frames[1:])]
        turnable = [frame for frame in frames[0] if frame in TURNABLE]
        return self.request.frame or next(iter(shared or turnable), "")

    def _vectors_in_one_frame(self, recipe: Recipe, craft: str) -> list[str]:
        """Return the vectors that a computation needs in one frame, also those from which it computes others."""
        names = [part.quantity for part in recipe.takes.values() if part.frame == "="]
        return [
            vector
            for name in names
            for vector in (
                self._vectors_in_one_frame(DERIVED[name], craft)
                if name in DERIVED and not self._pick(name, craft)
                else [name]
            )
        ]

    def _part(self, part: Part, craft: str, common: str) -> PlotSeries:
        if part.quantity in INDICES:
            craft = "OMNI"
        if part.frame == "=":
            frame = common
        elif part.frame == "*":
            frame = self._angle_frame(craft, ("GSM", "GSE", "RTN"))
        elif part.frame == "spiral":
            frame = self._angle_frame(craft, ("RTN", "GSE"))
        elif part.quantity in VECTORS:
            frame = part.frame or self.request.frame
        else:
            frame = part.frame
        series = self._quantity(part.quantity, craft, frame)
        return self._component(series, part.component) if part.component else series

    def _angle_frame(self, craft: str, preferred: Sequence[str]) -> str:
        frames = frames_of(B, [craft])
        return self.request.frame or next((frame for frame in preferred if frame in frames), "")

    def _onto(self, part: PlotSeries, clock: PlotSeries) -> PlotSeries:
        """Add a step that aligns a series with the epochs of another series, across gaps of at most three cadences."""
        known = self.aligned.get((part.label, clock.label))
        if known is not None:
            return known
        limit = _seconds(3 * max(part.cadence or 60.0, clock.cadence or 60.0))
        label = self.steps.label(f"{part.label}_aligned")
        args = {"series_label": part.label, "onto_label": clock.label, "limit": limit, "output_label": label}
        self.steps.add(label, "align", args, f"Align with the epochs of {clock.label}")
        made = replace(part, label=label, cadence=clock.cadence)
        self.aligned[part.label, clock.label] = made
        return made

    # Operations -------------------------------------------------------------------------------------------

    def _computed(self, shown: list[PlotSeries]) -> list[PlotSeries]:
        # a common cadence comes before what needs one
        for computation in sorted(self.request.computations, key=lambda computed: computed.tool in OF_TWO):
            if computation.tool == MAGNITUDE:
                made = [self._length(series) for series in shown if series.kind == "vector"]
                if not made and not any(series.quantity == ABS_B for series in shown):
                    raise NotUnderstood("the request names no vector whose magnitude helio could compute")
                others = [series for series in shown if not computation.alone or series.kind != "vector"]
                shown = others + [new for new in made if new.label not in [series.label for series in others]]
            elif computation.tool == R_SQUARED:
                shown = [self._times_r_squared(series) for series in shown]
            elif computation.tool in WINDOWED:
                continue  # it belongs to a quantity that is computed already
            elif computation.tool in OF_TWO:
                made_of_two = self._of_two(computation.tool, shown)
                shown = [*shown, made_of_two] if computation.beside else [made_of_two]
            else:
                shown = self._applied(computation, shown)
        return shown

    def _length(self, series: PlotSeries) -> PlotSeries:
        quantity = {B: ABS_B, VELOCITY: SPEED}.get(series.quantity, f"{series.quantity} magnitude")
        known = self.fetched.get((quantity, series.craft, ""))
        return known or self._magnitude(series, quantity)

    def _applied(self, computation: Computation, shown: list[PlotSeries]) -> list[PlotSeries]:
        tool, how = computation.tool, APPLIED[computation.tool]
        fitting = [series for series in shown if series.kind != "spectrum" or tool == "resample"]
        if not fitting and tool in OF_BINS:
            fitting = list(shown)
        if how.vectors:
            fitting = [series for series in shown if series.kind == "vector"]
        if not fitting:
            raise NotUnderstood(f"the figure draws no series to which {tool.replace('_', ' ')} applies")
        made: dict[str, PlotSeries] = {}
        for series in fitting:
            given = self._spectrogram_for(computation, series) if how.of_spectrum else series
            wanted = self._windowed(computation, series)
            new = self.steps.compute(tool, given, how.ending, how.intent_of(wanted), **how.arguments(wanted))
            new = replace(
                new, quantity=how.quantity.format(series.quantity), unit=how.unit.format(series.unit)
            )
            if how.of_spectrum:
                new = replace(new, kind="scalar")
            elif how.spectral:
                new = replace(new, kind="spectrum")
            elif how.vectors:
                new = replace(new, frame="LMN")
            elif tool == "resample":
                new = replace(new, cadence=interval_of(computation.window).nanoseconds / 1e9)
            if computation.behind and new.kind == series.kind and how.quantity == "{}":
                new = replace(new, over=series.label)
            made[series.label] = new
        if computation.beside:
            return [*shown, *made.values()]
        return [made.get(series.label, series) for series in shown]

    def _spectrogram_for(self, computation: Computation, series: PlotSeries) -> PlotSeries:
        """Add a spectrogram whose windows hold five periods of the lowest frequency of a band."""
        args = dict(computation.args)
        low = float(args["low"] if "low" in args else args["bands"][0][0])
        window = computation.window or usual_window(
            "power_spectrogram", series.cadence, self._length_of_span(), 5 / low
        )
        self.steps.note(f"{computation.tool.replace('_', ' ')}: from spectra of windows of {window}")
        intent = APPLIED["power_spectrogram"].intent
        made = self.steps.compute("power_spectrogram", series, "spectrogram", intent, window=window)
        return replace(made, kind="spectrum")

    def _length_of_span(self) -> float:
        return (self.span.duration if self.span else timedelta(days=7)).total_seconds()

    def _windowed(self, computation: Computation, series: PlotSeries) -> Computation:
        """Return a computation with the usual window of its tool, if it needs a window and the request gives none."""
        if computation.window or not has_usual_window(computation.tool):
            return computation
        window = usual_window(computation.tool, series.cadence, self._length_of_span())
        self.steps.note(
            f"{computation.tool.replace('_', ' ')}: with a window of {window}, as the request names none"
        )
        return replace(computation, window=window)

    def _of_two(self, name: str, shown: list[PlotSeries]) -> PlotSeries:
        """Add steps for the difference or the ratio of two series, on the epochs of the first."""
        operation, word = OF_TWO[name]
        if {series.kind for series in shown} == {"scalar", "vector"} and len(shown) == 2:
            shown = [self._length(series) if series.kind == "vector" else series for series in shown]
        pair = [series for series in shown if series.kind == "scalar"]
        pair = pair or [series for series in shown if series.kind == "vector"]
        if len(pair) != 2 or (name == "difference" and pair[0].unit != pair[1].unit):
            raise NotUnderstood(
                f"a {name} needs two series of the same quantity",
                advice=f"write, for example, 'the {name} between ACE and Wind Bz'",
            )
        left, right = pair
        if name == LAG and left.cadence != right.cadence:
            slower = max(left, right, key=lambda series: series.cadence or 0.0)
            left, right = (
                series if series is slower else self._onto(series, slower) for series in (left, right)
            )
        elif name != LAG and (left.cadence != right.cadence or left.craft != right.craft):
            right = self._onto(right, left)
        label = self.steps.label(f"{left.label}_{word}_{right.label.removesuffix('_aligned')}")
        if name == LAG:
            return self._lag(left, right, label)
        args = {
            "left_label": left.label,
            "right_label": right.label,
            "operation": operation,
            "output_label": label,
        }
        self.steps.add(label, "arithmetic", args, f"{name.capitalize()} of {left.label} and {right.label}")
        sign = {"difference": "−", "product": "×", "sum": "+"}.get(name, "/")
        quantity = f"{left.quantity} {name}"
        craft = left.craft if left.craft == right.craft else f"{left.craft} {sign} {right.craft}"
        return replace(left, label=label, quantity=quantity, craft=craft)

    def _times_r_squared(self, series: PlotSeries) -> PlotSeries:
        """Add steps that multiply a series by the square of the distance from the Sun, on its epochs."""
        distance = self._onto(self._quantity("heliocentric distance", series.craft, ""), series)
        label = series.label
        for power in ("r", "r2"):
            args = {"left_label": label, "right_label": distance.label, "operation": "multiply"}
            label = self.steps.label(f"{series.label}_{power}")
            self.steps.add(
                label, "arithmetic", {**args, "output_label": label}, f"Multiply {args['left_label']} by r"
            )
        unit = f"{series.unit} AU^2"
        return replace(series, label=label, quantity=f"{series.quantity} r²", unit=unit)

    def _lag(self, left: PlotSeries, right: PlotSeries, label: str) -> PlotSeries:
        """Add a step for the delay of a second series, by the longest delay that the request gives."""
        args = dict(
            next(computation.args for computation in self.request.computations if computation.tool == LAG)
        )
        args.setdefault("longest", "")
        if not args["longest"]:
            args["longest"] = self.ask("What is the longest delay to try?", ("1h", "2h", "30min", "6h"))
        labels = {"series_label": left.label, "delayed_label": right.label}
        self.steps.add(label, LAG, {**labels, **args, "output_label": label}, f"Delay of {right.label}")
        return replace(
            left, label=label, quantity="delay", craft=f"{left.craft} / {right.craft}", unit="", frame=""
        )

    # What is drawn ----------------------------------------------------------------------------------------

    def _export(self, shown: list[PlotSeries]) -> None:
        saved = [series for series in shown if is_meant(self.request.saved, series)]
        if not saved and self.request.exports:
            raise NotUnderstood(
                "the request does not draw what it saves", advice="name it once more, as a quantity"
            )
        for form in self.request.exports:
            for series in saved:
                filename = f"{series.label}.{FILE_ENDINGS.get(form, form)}"
                args = {"source_labels": [series.label], "filename": filename, "format": form}
                self.steps.add(f"save_{series.label}", "save_data", args, f"Save as {form}")

    def _title(self, shown: list[PlotSeries]) -> str:
        quantities = self._titles(shown)
        crafts = listed(
            [series.craft for series in shown if not _is_pair(series.craft)] or self.request.spacecraft
        )
        return f"{crafts}: {listed(quantities) if len(quantities) <= 3 else 'overview'}"

    def _name(self, shown: list[PlotSeries]) -> str:
        crafts = [
            short(craft) for craft in dict.fromkeys(series.craft for series in shown) if not _is_pair(craft)
        ] or [short(craft) for craft in self.request.spacecraft]
        named = crafts if len(crafts) <= 3 else [crafts[0], "to", crafts[-1]]
        quantities = self._titles(shown)
        what = quantities if len(quantities) <= 2 else ["overview"]
        return unicodedata.normalize("NFKD", "-".join([*named, *what])).encode("ascii", "ignore").decode()

    def _titles(self, shown: list[PlotSeries]) -> list[str]:
        titles = [title(quantity.name) for quantity in self.request.quantities]
        return list(dict.fromkeys(titles or [series.quantity for series in shown]))

    def _ending(self) -> str:
        return f"_{self.group}" if self.group else ""


def is_meant(lines: Lines, series: PlotSeries) -> bool:
    """Return whether words that name lines mean a series, or a component of it."""
    if lines.crafts and series.craft not in lines.crafts:
        return False
    return not lines.quantities or any(_line(quantity, series) for quantity in lines.quantities)


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


def _complete(request: PipelineRequest, ask: Asks) -> PipelineRequest:
    """Ask the user for what a request lacks: the spacecraft of a mission, a quantity, a window."""
    chosen: dict[str, tuple[str, ...]] = {}
    for mission in request.spacecraft:
        if mission in families() and all(quantity.name == CURRENT for quantity in request.quantities):
            chosen[mission] = families()[mission]
        elif mission in families():
            answer = ask(f"Which spacecraft of {mission} do you mean?", [*families()[mission], EVERY])
            chosen[mission] = families()[mission] if answer == EVERY else (answer,)
    crafts = [craft for name in request.spacecraft for craft in chosen.get(name, (name,))]
    own = [(craft, quantity) for name, quantity in request.own for craft in chosen.get(name, (name,))]
    quantities = list(request.quantities)
    named = request.datasets or request.cuts
    if not crafts and not named:
        crafts = [_spacecraft_of(quantities, ask)]
    if not quantities and not named:
        choices = quantities_of(crafts[0])
        quantities = [RequestQuantity(ask(f"Which quantity of {listed(crafts)} do you want?", choices[:12]))]
    return replace(
        request,
        spacecraft=tuple(dict.fromkeys(crafts)),
        quantities=tuple(quantities),
        own=tuple(dict.fromkeys(own)),
        computations=tuple(_with_window(computation, ask) for computation in request.computations),
    )


def _spacecraft_of(quantities: Sequence[RequestQuantity], ask: Asks) -> str:
    """Choose the spacecraft for quantities requested without one; use OMNI for solar wind and indices."""
    if any(quantity.name in (*INDICES, *AT_EARTH) for quantity in quantities):
        return "OMNI"
    if not quantities:
        raise NotUnderstood(
            "the request names neither a spacecraft nor a quantity",
            advice="write 'ACE magnetic field for last week', or a dataset and parameter as AC_H2_MFI.BGSEc",
        )
    every = crafts_with(quantities[0].name) or UPSTREAM
    choices = sorted(every, key=lambda craft: UPSTREAM.index(craft) if craft in UPSTREAM else len(UPSTREAM))
    return ask(f"The {title(quantities[0].name)} of which spacecraft?", choices[:12])


def _with_window(computation: Computation, ask: Asks) -> Computation:
    how = APPLIED.get(computation.tool)
    needed = bool(how and how.argument) or computation.tool in WINDOWED
    if not needed or computation.window or has_usual_window(computation.tool):
        return computation
    what = computation.tool.replace("_", " ")
    return replace(computation, window=ask(f"How long is the window of the {what}?", WINDOWS))


def default_range(phrase: str, span: TimeRange, now: datetime) -> tuple[str, list[str]]:
    """Return the default of a time variable, and notes for the user; a phrase such as ``last week`` stays relative."""
    if not is_relative(phrase):
        return str(span), []
    return phrase, [TimeNote(f"'{phrase}' is now {span}; each run counts from its own date")]


def _frequencies(computation: Computation) -> list[float]:
    """Return the frequencies in Hz that a computation needs in the data."""
    args = dict(computation.args)
    bands = [limit for band in args.get("bands", ()) for limit in band]
    named = [args[key] for key in ("low", "high") if key in args]
    return bands + named if computation.tool in ("band_pass", "band_integral", "spectral_slope") else []


def _is_pair(craft: str) -> bool:
    """Return whether a name stands for two spacecraft, as for a difference: ``ACE − Wind``."""
    return any(sign in craft for sign in "−/×+")


def _convertible(unit: str, to: str) -> bool:
    """Return whether a series can be given in another unit: of the same dimension, or an energy as a temperature."""
    energies, temperatures = {"eV", "keV"}, {"K", "MK"}
    is_thermal = (unit in energies and to in temperatures) or (unit in temperatures and to in energies)
    return unit == to or is_thermal or comparable(unit, to)


def _is_close(cadence: float, other: float | None) -> bool:
    """Return whether two cadences are about the same."""
    return other is not None and other / 1.5 <= cadence <= 1.5 * other


def _kind_of(parameter: ParameterEntry) -> str:
    """Return the kind of a parameter's table; a flux in three or four channels is no vector."""
    if not parameter.size:
        return "scalar"
    return "vector" if parameter.size in ((3,), (4,)) and not is_flux(parameter.unit) else "spectrum"


def _of_dataset(dataset: str) -> list[QuantitySource]:
    return [source for source in SOURCES if source.dataset == dataset]


def _has(frame: str, letter: str) -> bool:
    """Return whether vectors in a frame have a component with the given letter."""
    return (frame == "RTN") == (letter in "rtn")


def _seconds(seconds: float) -> str:
    """Write a duration in seconds as templates do."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and (seconds / length).is_integer():
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:g}s" if seconds >= 1 else f"{seconds * 1e3:g}ms"
