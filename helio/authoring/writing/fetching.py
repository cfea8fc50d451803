"""Add the steps that fetch data for one time range of the figure, at the requested cadence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Cut, PipelineRequest, RequestQuantity
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.computations import CUTS, OF_SPECTRA, OF_TWO, RUNNING
from helio.authoring.writing.sources import cadence_words, coverage, has_records, pick
from helio.authoring.writing.steps import PlotSeries, Steps, duration
from helio.authoring.writing.windows import LEAST_RECORDS
from helio.interval import interval_of
from helio.knowledge.cadence import FINEST
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry
from helio.knowledge.missions import short
from helio.knowledge.particles import energies_in
from helio.knowledge.quantities import (
    DISTANCE,
    LATITUDE,
    LONGITUDE,
    POSITION,
    SOURCES,
    TENFOLD_KP,
    B,
    QuantitySource,
)
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS, symbol, title
from helio.pipelines.template.document import Document
from helio.sources.istp import is_flux
from helio.time_range import Duration, TimeRange

_YEARS = timedelta(days=2 * 365)
_BESIDES = re.compile(
    r"\s*(?:[\[(][^\])]*[\])]|(?:[\[({,;:]|\.(?:\s+[A-Z]|$)|\s-\s|\s(?:at|in|for)\s+\d+\s(?:energy|look|pitch|bins?|sectors|channels)|\s~\d).*)"
)
"""Pattern of remarks in brackets, and of what follows the name of a quantity in a description."""
_LONGEST_TITLE = 48
_OF_YEARS = 3600.0
"""Cadence in seconds of the data that helio prefers for a time range of years."""
_MUCH_COARSER = 10
"""How many times the requested cadence data may have without being refused."""
_MOST_CHANGING = 60.0
"""Shortest cadence, in seconds, to which helio averages data whose own cadence changes."""


@dataclass(frozen=True)
class TimeVariable:
    """A time range of the figure, which is a variable of the template.

    Parameters
    ----------
    group : str
        ``"1"`` or ``"2"`` if the figure compares two time ranges; otherwise empty.
    span : TimeRange or None
        The requested range.
    """

    group: str = ""
    span: TimeRange | None = None

    @property
    def name(self) -> str:
        """Return the name of the variable."""
        return f"$TIME_RANGE{self.ending}"

    @property
    def ending(self) -> str:
        """Return the ending of labels that belong to this time range."""
        return f"_{self.group}" if self.group else ""

    @property
    def seconds(self) -> float:
        """Return the length; a week if the request names no time."""
        return self.span.duration.total_seconds() if self.span else 7 * 86400.0


_PER_PERIOD = 3
"""Least number of records in the shortest period of a wavelet spectrum."""


@dataclass(frozen=True)
class Fetching:
    """The steps that fetch data for one time range of the figure."""

    request: PipelineRequest
    catalogue: Catalogue
    ask: Asks
    steps: Steps
    time: TimeVariable

    def stem(self, craft: str, quantity: str) -> str:
        """Return the label that a quantity of a spacecraft should have."""
        return f"{short(craft)}_{symbol(quantity)}{self.time.ending}"

    def pick(self, quantity: str, craft: str, frame: str = "") -> list[QuantitySource]:
        """Return the datasets and parameters that fit the request, best first, fine enough for its frequencies."""
        request = self.request
        pick_at = partial(
            pick,
            quantity,
            craft,
            catalogue=self.catalogue,
            frame=frame,
            modes=() if quantity in (POSITION, DISTANCE, LATITUDE, LONGITUDE) else request.modes,
            span=self.time.span,
            instruments=request.instruments,
            energies=request.energies if quantity in SPECTRA else (),
            at_hand=request.at_hand,
            datasets=request.from_datasets,
        )
        found = pick_at(cadence=request.cadence or self._own_cadence(quantity) or self._usual_cadence())
        frequencies = [value for computation in request.computations for value in frequencies_of(computation)]
        frequencies += request.panels.frequencies[1:]
        needed = min([1 / (2 * value) for value in frequencies] + _spacings(request, quantity), default=None)
        if not found or needed is None or request.cadence is not None:
            return found
        is_fine = found[0].cadence and found[0].cadence < needed
        return found if is_fine else pick_at(cadence=needed / 2)

    def has_records(self, source: QuantitySource) -> bool:
        """Return whether the catalogue knows records of a dataset at the time, or no last record."""
        return self.time.span is None or has_records(source.dataset, self.time.span, self.catalogue)

    def _own_cadence(self, quantity: str) -> float | None:
        """Return the shortest cadence that the request names for a quantity alone."""
        return min(
            (
                interval_of(made.window).nanoseconds / 1e9
                for made in self.request.computations
                if made.if_finer and _is_of(made, quantity)
            ),
            default=None,
        )

    def _usual_cadence(self) -> float | None:
        """Return the cadence to prefer for a time range of years, unless the request needs finer data."""
        request, span = self.request, self.time.span
        if span is None or span.duration <= _YEARS or request.instruments:
            return None
        lengths = [interval_of(made.window).nanoseconds / 1e9 for made in request.computations if made.window]
        if len(lengths) < len(request.computations) or any(length < _OF_YEARS for length in lengths):
            return None
        return _OF_YEARS

    def fetch(self, quantity: str, craft: str, sources: list[QuantitySource]) -> PlotSeries:
        """Fetch a quantity from the first dataset, with the other datasets as alternatives."""
        first = sources[0]
        self.steps.sources.append(first)
        self._name_ions(quantity)
        named = _name_in(first)
        frame, cadence = f" in {first.frame}" if first.frame else "", cadence_words(first.cadence)
        intent = f"Fetch {named} of {craft}{frame}, {cadence}"
        parameters = f"{first.dataset}.{'+'.join(first.parameters)}"
        self.steps.note(f"{craft} {named}: {parameters}, {cadence}, {coverage(first, self.catalogue)}")
        if first.note:
            self.steps.note(f"{first.dataset}: {first.note}")
        stem = self.stem(craft, quantity)
        if self.steps.label(stem) != stem and first.frame:  # the same vector in another frame
            stem = f"{stem}_{first.frame.lower()}"
        choices = [{"dataset_id": source.dataset, "parameter_id": source.parameters[0]} for source in sources]
        if len(first.parameters) > 1:
            label = self._joined(first, stem, intent)
        else:
            stored = f"{stem}_tenfold" if first.note == TENFOLD_KP else stem
            label = self._fetched(stored, intent, {"candidates": choices} if len(choices) > 1 else choices[0])
        kind = "vector" if quantity in VECTORS else "spectrum" if quantity in SPECTRA else "scalar"
        series = PlotSeries(
            label, quantity, craft, kind, first.cadence, first.frame, first.unit, self.time.group
        )
        if first.note == TENFOLD_KP:
            args = {"source_label": label, "factor": 0.1, "unit": "1", "name": quantity}
            series = replace(
                series, label=self.steps.make(stem, "rescale", "Kp from the stored ten times Kp", **args)
            )
        return self._averaged(series, first.dataset, first.cadence)

    def _name_ions(self, quantity: str) -> None:
        """Let the title speak of ions, and not of protons, if all sources of a quantity measure all ions."""
        names = {_name_in(row) for row in self.steps.sources if row.quantity == quantity}
        self.steps.descriptions.pop(title(quantity), None)
        if names != {title(quantity)} and len(names) == 1:
            self.steps.descriptions[title(quantity)] = names.pop()

    def fetch_parameter(self, dataset: str, parameter: str) -> PlotSeries:
        """Fetch a parameter of a dataset; ask which one if the request names only the dataset."""
        entry = self.catalogue.dataset(dataset)
        described = entry.parameter(parameter or self._parameter_of(entry))
        craft = entry.spacecraft
        known = next((row for row in _rows_of(entry.id) if described.name in row.parameters), None)
        label = self._fetched(
            f"{short(craft)}_{described.name}{self.time.ending}",
            f"Fetch {described.description or described.name} of {craft}",
            {"dataset_id": entry.id, "parameter_id": described.name},
        )
        in_table = {name for row in _rows_of(dataset) if len(row.parameters) == 1 for name in row.parameters}
        beside = {name for own, name in self.request.datasets if own == dataset}
        single = entry.cadence[0] if len(entry.cadence) == 1 else None
        cadence = known.cadence if known else single
        series = PlotSeries(
            label,
            known.quantity if known and {described.name} | beside <= in_table else described.name,
            craft,
            _kind_of(described),
            cadence,
            known.frame if known else "",
            described.canonical_unit,
            self.time.group,
            name=self._channel_name(described),
            parameter=described.name,
        )
        self.steps.descriptions[described.name] = _title_of(described)
        return self._averaged(series, entry.id, cadence)

    def _channel_name(self, parameter: ParameterEntry) -> str:
        """Return the energies of one of the channels that share a panel, for the legend; empty if not known."""
        named = RequestQuantity(parameter.name)
        shared = any(place.shared and named in place.lines.quantities for place in self.request.panels.places)
        energies = energies_in(parameter.description) if shared else []
        return parameter.description[energies[0].start : energies[0].stop] if len(energies) == 1 else ""

    def cuts(self) -> list[PlotSeries]:
        """Fetch spectra and distributions, each only once, and take the requested parts of them."""
        fetched: dict[tuple[str, str], PlotSeries] = {}
        parts = []
        panels, tools = self.request.panels, {made.tool for made in self.request.computations}
        alone = panels.apart or panels.kind or panels.count > 1 or not tools.isdisjoint(OF_TWO)
        for cut in self.request.cuts if alone else self._with_joint_bands():
            source = (cut.dataset, cut.parameter)
            if source not in fetched:
                fetched[source] = self.fetch_parameter(*source)
            part = fetched[source]
            axes = len(self.catalogue.dataset(cut.dataset).parameter(cut.parameter).size)
            for step in cut.steps:
                how = CUTS[step.tool]
                axes -= 1
                args = dict(step.args)
                part = self.steps.compute(step.tool, part, how.ending.format(**args), how.intent, **args)
                quantity = how.quantity.format(fetched[source].quantity, **args)
                part = replace(part, kind="spectrum" if axes else "scalar", quantity=quantity)
            parts.append(part)
        return parts

    def _with_joint_bands(self) -> list[Cut]:
        """Take all bands of a spectrum with one axis in one step."""
        joint: dict[Cut, list[Cut]] = {}
        for cut in self.request.cuts:
            *before, last = cut.steps
            args = dict(last.args)
            axes = len(self.catalogue.dataset(cut.dataset).parameter(cut.parameter).size) - len(before)
            if "bands" in args and axes == 1:
                args["bands"] = ()
                last = replace(last, args=tuple(args.items()))
            joint.setdefault(replace(cut, steps=(*before, last)), []).append(cut)
        return [
            replace(first, steps=(*first.steps[:-1], _of_bands([cut.steps[-1] for cut in cuts])))
            for first, cuts in joint.items()
        ]

    def _fetched(self, stem: str, intent: str, choice: Document) -> str:
        return self.steps.make(stem, "fetch_data", intent, **choice, time_range=self.time.name)

    def _joined(self, source: QuantitySource, stem: str, intent: str) -> str:
        """Fetch components stored as separate parameters, and join them into a vector."""
        label = self.steps.label(stem)
        letters = "RTN" if source.frame == "RTN" else "xyz"
        vector = {VELOCITY: "V", B: "B"}.get(source.quantity, "")
        fetch = {"dataset_id": source.dataset, "parameters": [*source.parameters]}
        self.steps.add(f"{label}_parts", "fetch_data", {**fetch, "time_range": self.time.name}, intent)
        return self.steps.make(
            label,
            "join_components",
            "Join the components",
            source_labels=[f"{source.dataset}.{name}" for name in source.parameters],
            names=[f"{vector}{letter}" for letter in letters],
            frame=source.frame,
            name=vector or source.quantity,
        )

    def _averaged(self, series: PlotSeries, dataset: str, cadence: float | None) -> PlotSeries:
        """Average a series of a dataset with a cadence to the requested cadence, if the dataset is finer."""
        wanted = self.request.cadence
        if wanted is None or wanted == FINEST or (cadence and cadence / 1.5 <= wanted <= 1.5 * cadence):
            return series
        words = cadence_words(cadence)
        if not cadence and wanted < _MOST_CHANGING:
            raise NotUnderstood(
                f"without a language model, helio cannot change the cadence of {dataset}",
                advice=f"write '{duration(wanted)} averages', or leave out the cadence; the dataset has {words}",
            )
        if not cadence or wanted > cadence:
            length = duration(wanted)
            return self.steps.compute(
                "resample", series, "binned", f"{length} mean", cadence=length, method="mean"
            )
        is_slow = series.quantity in (*INDICES, POSITION, DISTANCE, LATITUDE, LONGITUDE) or series.parameter
        if cadence > _MUCH_COARSER * wanted and not is_slow:
            raise NotUnderstood(
                f"helio knows no {title(series.quantity)} of {series.craft} with a cadence of {duration(wanted)}",
                advice=f"leave out the cadence ({dataset} has {words}), or name finer data as DATASET.PARAMETER",
            )
        self.steps.note(f"{dataset} has a cadence of {words}, coarser than requested")
        return series

    def _parameter_of(self, entry: CatalogueEntry) -> str:
        """Ask which parameter of a dataset to draw if it has several; list those in the table of quantities first."""
        names = [parameter.name for parameter in entry.parameters if parameter.kind != "string"]
        in_table = [name for row in _rows_of(entry.id) for name in row.parameters if name in names]
        choices = list(dict.fromkeys(in_table + names))
        if not choices:
            raise NotUnderstood(f"the catalogue lists no parameters of {entry.id}")
        if len(choices) == 1:
            return choices[0]
        described = [_described(entry.parameter(name)) for name in choices[:12]]
        return self.ask(f"Which parameter of {entry.id} do you want?", described).partition(": ")[0]


def _rows_of(dataset: str) -> list[QuantitySource]:
    return [source for source in SOURCES if source.dataset == dataset]


def _described(parameter: ParameterEntry) -> str:
    """Return the name of a parameter with its description and its unit, for a choice."""
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    about = f"{parameter.description}{unit}".strip()
    return f"{parameter.name}: {about}" if about else parameter.name


def _title_of(parameter: ParameterEntry) -> str:
    """Return the description of a parameter without brackets, up to a comma, if it is short, otherwise its name.

    Energies at its beginning stand behind it: ``Hydrogen flux 133 - 155 MeV/n``.
    """
    told = parameter.description.removeprefix(f"{parameter.name}: ")
    ahead = next((told[: band.stop] for band in energies_in(told) if band.start == 0), "")
    words = f"{_BESIDES.sub('', told.removeprefix(ahead).strip())} {ahead}".strip()
    return words if 2 < len(words) <= _LONGEST_TITLE and words[0].isalpha() else parameter.name


def _kind_of(parameter: ParameterEntry) -> str:
    """Return the kind of a parameter's table; a flux in three or four channels is no vector."""
    if not parameter.size:
        return "scalar"
    return "vector" if parameter.size in ((3,), (4,)) and not is_flux(parameter.unit) else "spectrum"


def frequencies_of(computation: Computation) -> list[float]:
    """Return the frequencies in Hz that a computation needs in the data."""
    if computation.tool not in ("band_pass", *OF_SPECTRA):
        return []
    args = dict(computation.args)
    limits = [limit for band in args.get("bands", ()) for limit in band]
    return limits + [args[name] for name in ("low", "high") if name in args]


def _is_of(computation: Computation, quantity: str) -> bool:
    """Return whether a computation is for a quantity: all are, if it names none."""
    quantities = {taken.name for taken in computation.of.quantities}
    return not quantities or quantity in quantities


def _spacings(request: PipelineRequest, quantity: str) -> list[float]:
    """Return the spacing in seconds of enough records for each window and for each shortest period.

    A running mean is of its own quantities alone.
    """
    lengths = [
        (computation.window, 1 if computation.tool in RUNNING else LEAST_RECORDS[computation.tool])
        for computation in request.computations
        if computation.window
        and (
            computation.tool.startswith("power_")
            or (computation.tool in RUNNING and _is_of(computation, quantity))
        )
    ]
    periods = [dict(computation.args).get("shortest") for computation in request.computations]
    lengths += [(period, _PER_PERIOD) for period in periods if period]
    return [Duration(length).nanoseconds / 1e9 / records for length, records in lengths]


def _of_bands(alike: Sequence[Computation]) -> Computation:
    """Join the bands of computations that differ in nothing else."""
    args = dict(alike[0].args)
    if "bands" in args:
        args["bands"] = tuple(band for step in alike for band in dict(step.args)["bands"])
    return replace(alike[0], args=tuple(args.items()))


def _name_in(source: QuantitySource) -> str:
    """Return the name of a quantity, which is one of ions where its source measures all ions."""
    usual = title(source.quantity)
    return usual.replace("proton ", "ion ", 1) if "all ions" in source.note else usual
