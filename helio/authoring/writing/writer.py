"""Write a new template from a request: which data to fetch, what to compute and what to draw."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.outcome import NotInTable, NotUnderstood
from helio.authoring.request import Epochs, EventTable, PipelineRequest, RequestQuantity
from helio.authoring.writing.asking import Asks, complete
from helio.authoring.writing.computations import APPLIED, CONVECTIVE, CURRENT, DERIVED, OF_TWO
from helio.authoring.writing.deriving import Deriving
from helio.authoring.writing.events import save_events, superposed
from helio.authoring.writing.fetching import Fetching, TimeVariable
from helio.authoring.writing.layout import LETTERS_IN, figure_of, is_meant, names_of, stack_of
from helio.authoring.writing.notes import TimeNote
from helio.authoring.writing.open_ranges import closed, is_open, last_week
from helio.authoring.writing.operations import Operations
from helio.authoring.writing.solar_xrays import xray_series
from helio.authoring.writing.sources import frames_of, is_available, quantities_of
from helio.authoring.writing.steps import OF_ANY_EPOCHS, PlotSeries, Steps, is_convertible, listed
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import E, families
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS, title
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.template.document import Document, slug
from helio.time_range import TimeRange, is_relative, parse_time_range


def write_template(
    request: PipelineRequest, *, catalogue: Catalogue, now: datetime, ask: Asks
) -> tuple[Document, tuple[str, ...]]:
    """Write the template for a request, not yet verified; also return notes on what was assumed.

    Raises
    ------
    NotUnderstood
        Helio knows no dataset with the requested data, frame, mode or time.
    """
    steps = Steps()
    is_index = [quantity.name in INDICES for quantity in request.quantities]
    if not request.spacecraft and not request.datasets and any(is_index) and not all(is_index):
        steps.note("the request names no spacecraft: all data are taken from OMNI")

    def draws(each: PipelineRequest) -> bool:
        with suppress(NotUnderstood):
            return bool(_template(each, catalogue, now, lambda _, choices: choices[0], Steps()))
        return False

    request, notes = _with_closed_times(complete(request, ask, draws), catalogue, now, ask)
    for note in (*notes, *(request.events.notes if request.events else ())):
        steps.note(note)
    return _template(request, catalogue, now, ask, steps), tuple(steps.notes)


def _with_closed_times(
    request: PipelineRequest, catalogue: Catalogue, now: datetime, ask: Asks
) -> tuple[PipelineRequest, list[TimeNote]]:
    """Close the time ranges whose start or end the data give: write the template once to learn which data it takes."""
    if not any(is_open(time, now) for time in request.times):
        return request, []
    draft = _template(request, catalogue, now, ask, Steps())
    fetched = [step["tool_args"] for step in draft["steps"] if step["tool_name"] == FETCH]
    datasets = [choice.dataset_id for args in fetched for choice in fetch_choices(args)]
    made = [
        closed(time, datasets, catalogue, now) if is_open(time, now) else (time, "") for time in request.times
    ]
    times = tuple(time for time, _ in made)
    return replace(request, times=times), [TimeNote(note) for _, note in made if note]


def _template(
    request: PipelineRequest, catalogue: Catalogue, now: datetime, ask: Asks, steps: Steps
) -> Document:
    figures = [
        _Figure(request, Deriving(Fetching(request, catalogue, ask, steps, time)), steps)
        for time in _time_variables(request, now, steps)
    ]
    (name, text), *_ = [figure.drawn() for figure in figures]
    if not request.times:
        _set_default_range(request, catalogue, now, steps)
    return steps.template(name, text)


def _time_variables(request: PipelineRequest, now: datetime, steps: Steps) -> list[TimeVariable]:
    """Return the time ranges of the figure, and define their variables."""
    times = tuple(dict.fromkeys(request.times))
    if len(times) > 2 or (len(times) == 2 and not request.panels.compare):
        raise NotUnderstood(
            f"the request names {len(times)} time ranges: {', '.join(times)}",
            advice="give one time range, such as 'A to B', or two times to compare",
        )
    variables = []
    for number, phrase in enumerate(times, 1):
        span = parse_time_range(phrase, now)
        time = TimeVariable(str(number) if len(times) > 1 else "", span)
        default, notes = default_range(phrase, span, now)
        steps.variables[time.name] = {"type": "time_range", "default": default}
        for note in notes:
            steps.note(note)
        variables.append(time)
    return variables or [TimeVariable()]


def default_range(phrase: str, span: TimeRange, now: datetime) -> tuple[str, list[str]]:
    """Return the default of a time variable, and notes for the user; a phrase such as ``last week`` stays relative."""
    if not is_relative(phrase):
        return str(span), []
    return phrase, [TimeNote(f"'{phrase}' is now {span}; each run counts from its own date")]


def _set_default_range(request: PipelineRequest, catalogue: Catalogue, now: datetime, steps: Steps) -> None:
    """Use the last week in which all data exist; a request by a sentence gets its time from the user instead."""
    named = (*request.datasets, *((cut.dataset, cut.parameter) for cut in request.cuts))
    datasets = {*(source.dataset for source in steps.sources), *(dataset for dataset, _ in named)}
    default, hint = last_week(sorted(datasets), catalogue, now)
    steps.note(
        TimeNote(
            f"the request names no time: the default is {hint}; a run takes another one with --time-range"
        )
    )
    steps.variables["$TIME_RANGE"] = {"type": "time_range", "default": default}


@dataclass(frozen=True)
class _Figure:
    """The figure of a request, for one time range."""

    request: PipelineRequest
    quantities: Deriving
    steps: Steps

    def drawn(self) -> tuple[str, str]:
        """Add all steps, and return the name of the pipeline and the title of the figure."""
        request = self.request
        parts = [(figure.request, figure._computed()) for figure in self._parts() or [self]]
        shown = [series for _, own in parts for series in own]
        name, text = names_of(parts, request, self.steps)
        if isinstance(request.events, EventTable):
            save_events(request.events, request.exports, request.file, shown, self.steps)
        else:
            self._export(shown, name)
        if request.drawn:
            spec = (
                stack_of(parts, self.steps, text, count=request.panels.count)
                if request.panels.stacked
                else figure_of(shown, request, self.steps, text)
            )
            if isinstance(request.events, Epochs):
                spec = superposed(request.events, spec, shown, self.steps)
            step = f"figure{self.quantities.data.time.ending}"
            self.steps.add(step, "render_spec", {"spec": spec}, "Draw the figure")
        self.steps.drop_unread_averages()
        return name, text

    def _parts(self) -> list[_Figure]:
        """Return the parts of the figure, which share its steps and its time."""
        data = [replace(self.quantities.data, request=part) for part in self.request.parts]
        return [_Figure(part.request, Deriving(part), self.steps) for part in data]

    def _computed(self) -> list[PlotSeries]:
        """Add the steps of the data and of the computations, and return the series to draw."""
        if parts := self._parts():
            return [series for part in parts for series in part._computed()]
        request = self.request
        shown = self._series()
        self._check_named(shown)
        operations = Operations(self.quantities)
        tools = [APPLIED.get(computation.tool) for computation in request.computations]
        if any(tool.unit != "{}" for tool in tools if tool):  # the unit is of a rate or an integral
            shown = self._in_units(operations.applied(shown))
        else:
            shown = operations.applied(self._in_units(shown))
        if request.panels.split:
            shown = [part for series in shown for part in self._components(series)]
        return shown

    def _series(self) -> list[PlotSeries]:
        """Return the series of the named datasets and of the quantities of all spacecraft."""
        request, data = self.request, self.quantities.data
        named = [data.fetch_parameter(dataset, parameter) for dataset, parameter in request.datasets]
        shown = [self.quantities.in_frame(series, request.frame) for series in named]
        shown += data.cuts()
        shown += xray_series(request.xrays, data.time, self.steps) if request.xrays else []
        common = request.frame or self._common_frame()
        for craft, quantity in request.own or product(request.spacecraft, request.quantities):
            if quantity.name == CURRENT and any(series.quantity == CURRENT for series in shown):
                continue  # it is of all four spacecraft
            index = quantity.name in INDICES and craft != "OMNI"
            series = self._index(quantity) if index else self._series_of(quantity, craft, common)
            if series.label not in [drawn.label for drawn in shown]:
                shown.append(series)
        own = [quantity for _, quantity in request.own]
        return shown + [
            self._index(quantity) for quantity in request.quantities if own and quantity not in own
        ]

    def _components(self, series: PlotSeries) -> list[PlotSeries]:
        """Return the components of a vector, each over that of the vector over which it is drawn; or other series."""
        if series.kind != "vector":
            return [series]
        letters = LETTERS_IN.get(series.frame, "xyz")
        parts = [self.quantities.component(series, letter, told=True) for letter in letters]
        return [
            replace(part, over=f"{series.over}{letter}" if series.over else "")
            for part, letter in zip(parts, letters, strict=True)
        ]

    def _index(self, quantity: RequestQuantity) -> PlotSeries:
        self.steps.note(f"{quantity.name} is taken from OMNI")
        return self.quantities.quantity(quantity.name, "OMNI")

    def _common_frame(self) -> str:
        """Return a frame for all vectors of two spacecraft, or for two vectors that a computation takes."""
        request = self.request
        vectors = [quantity for quantity in request.quantities if quantity.name in VECTORS]
        if not vectors:
            return ""
        if len(request.spacecraft) == 1:
            of_two = any(computation.tool in OF_TWO for computation in request.computations)
            names = [vector.name for vector in vectors] if of_two else []
            return next(iter(frames_of(names, request.spacecraft)), "") or self._frame_of_computed(vectors[0])
        if len({quantity for _, quantity in request.own}) > 1:
            return ""
        common = frames_of([vectors[0].name], request.spacecraft)
        return next((name for name in common if is_available(vectors[0], request.spacecraft, name)), "")

    def _frame_of_computed(self, vector: RequestQuantity) -> str:
        """Return the only frame in which quantities beside a vector take it: the standoff distance takes Bz in GSM."""
        request = self.request
        parts = [
            part
            for quantity in request.quantities
            if quantity.name in DERIVED
            for part in DERIVED[quantity.name].takes.values()
        ]
        frames = {part.frame for part in parts if part.quantity == vector.name}
        frame = frames.pop() if len(frames) == 1 else ""
        return frame if frame in KNOWN_FRAMES and is_available(vector, request.spacecraft, frame) else ""

    def _series_of(self, quantity: RequestQuantity, craft: str, common: str) -> PlotSeries:
        common = quantity.frame or common
        if not quantity.component or (quantity.name, craft, quantity.component) == (CONVECTIVE, "OMNI", "y"):
            return self.quantities.quantity(quantity.name, craft, common)
        if quantity.name == CONVECTIVE:
            return self.quantities.component(self.quantities.derived(E, craft), quantity.component)
        frame = common or ("RTN" if quantity.component in "rtn" else "")
        _check_component(quantity, craft, frame)
        vector = self.quantities.quantity(quantity.name, craft, frame)
        return self.quantities.component(vector, quantity.component, told=bool(quantity.frame))

    def _check_named(self, shown: list[PlotSeries]) -> None:
        """Refuse a spacecraft or an instrument of the request if the figure would not show it."""
        request, sources = self.request, self.steps.sources
        drawn = {series.craft for series in shown}
        missions = {craft: mission for mission, crafts in families().items() for craft in crafts}
        absent = [craft for craft in request.spacecraft if not drawn & {craft, missions.get(craft, craft)}]
        if absent:
            reason = ", because indices are taken from OMNI" if "OMNI" in drawn else ""
            raise NotUnderstood(
                f"the figure would draw no data from {listed(absent)}{reason}",
                advice=f"name a quantity of {absent[0]}, or leave out {absent[0]}",
            )
        if setting := self._unused_setting():
            raise NotUnderstood(
                f"none of the data of the figure can be given {setting}", advice=f"leave out '{setting}'"
            )
        named_datasets = [dataset for dataset, _ in request.datasets] + [cut.dataset for cut in request.cuts]
        taken = {name for step in self.steps.steps for name in step["tool_args"]}
        if unused_values := [name.replace("_", " ") for name, _ in request.assumed if name not in taken]:
            raise NotUnderstood(
                f"no computation of the figure takes the {' or the '.join(unused_values)} that the request gives",
                advice="leave the value out",
            )
        used = {name for source in sources for name in source.instruments}
        used |= {name for dataset in named_datasets for name in instrument_names(dataset)}
        unused = [instrument for instrument in request.instruments if instrument not in used]
        if unused:
            datasets = ", ".join(dict.fromkeys(source.dataset for source in sources))
            raise NotInTable(
                f"helio knows none of the requested quantities from {', '.join(unused)}",
                advice=f"{f'use {datasets}, or ' if datasets else ''}name the dataset as DATASET.PARAMETER",
            )

    def _unused_setting(self) -> str:
        """Return a setting of the request that no data have: a frame without a vector, energies without a flux."""
        request, sources = self.request, self.steps.sources
        if named := len(request.datasets) + len(request.cuts):
            return " and ".join(request.energies) if len(request.energies) > named else ""
        turned = {
            step["tool_args"]["to"] for step in self.steps.steps if step["tool_name"] == "transform_frame"
        }
        if request.frame and request.frame not in {source.frame for source in sources} | turned:
            return f"in {request.frame}"
        spectra = any(source.quantity in SPECTRA for source in sources)
        return "" if spectra else " and ".join(request.energies)

    def _in_units(self, shown: list[PlotSeries]) -> list[PlotSeries]:
        """Convert the series that have another unit of the same dimension than one that the request names."""
        units = [*dict.fromkeys(map(canonical_unit, self.request.units))]
        for unit in units:
            if any(is_convertible(unit, second) for second in units if second != unit):
                raise NotUnderstood(
                    f"it is not clear which data to draw in {unit}",
                    advice="name one unit, then change the pipeline: 'the speed of Wind in m/s'",
                )
            fitting = [series for series in shown if is_convertible(series.unit, unit)]
            if not fitting:
                units_of_data = sorted({series.unit for series in shown if series.unit})
                raise NotUnderstood(
                    f"none of the data can be given in {unit}; their units are {', '.join(units_of_data)}",
                    advice="name one of these units, or leave out the unit",
                )
            shown = [self.steps.convert(series, unit) if series in fitting else series for series in shown]
        return shown

    def _export(self, shown: list[PlotSeries], name: str) -> None:
        saved = [series for series in shown if is_meant(self.request.saved, series)]
        if self.request.exports and not saved:
            raise NotUnderstood(
                "the figure does not draw what the request saves", advice="name it as a quantity too"
            )
        if self.request.saved_count not in (0, len(saved)):
            raise NotUnderstood(
                f"the request saves {self.request.saved_count} series, but it draws {len(saved)}",
                advice="name the series to save",
            )
        for form in self.request.exports:
            for file, labels in self._files(saved, name, form).items():
                self.steps.save(file, labels, form)

    def _files(self, saved: Sequence[PlotSeries], name: str, form: str) -> dict[str, list[str]]:
        """Return the series of each file in a format, by the names of the files."""
        one_file = self.request.one_file
        fit = form in OF_ANY_EPOCHS or self.steps.have_same_epochs(saved)
        if len(saved) == 1 or one_file is False or not (fit or one_file):
            if not fit and one_file is None:
                self.steps.note(
                    f"each series has its own {form} file, because their times differ; 'one file' aligns them"
                )
            named = self.request.file if len(saved) == 1 else ""
            return {named or series.label: [series.label] for series in saved}
        return {
            self.request.file or slug(name): [
                series.label for series in (saved if fit else self.steps.align_all(saved))
            ]
        }


def _check_component(quantity: RequestQuantity, craft: str, frame: str) -> None:
    """Refuse a component that the spacecraft's vector does not have in any frame."""
    frames = [name for name in frames_of([quantity.name], [craft]) if name]
    if any(is_available(quantity, [craft], name) for name in ([frame] if frame else frames)):
        return
    letters = [f"{'r, t, n' if name == 'RTN' else 'x, y, z'} in {name}" for name in frames]
    others = f"choose another quantity: {', '.join(quantities_of(craft))}"
    message = f"{craft} has no {quantity.component} component of the {title(quantity.name)}"
    message += f" in {frame}" if frame else ""
    if not frames:
        raise NotInTable(message, quantity=quantity.name, advice=others)
    raise NotUnderstood(message, advice=f"choose from {'; '.join(letters)}")
