"""Apply the computations of a request to the series of a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Lines
from helio.authoring.writing.computations import (
    ANGLE,
    APPLIED,
    DIFFERENCE,
    LAG,
    MAGNITUDE,
    MAGNITUDE_OF,
    OF_SPECTRA,
    OF_TWO,
    R_SQUARED,
    RUNNING,
    SEPARATION,
    SHIFT,
    SUM,
    WINDOWED,
)
from helio.authoring.writing.deriving import Deriving
from helio.authoring.writing.fetching import frequencies_of
from helio.authoring.writing.layout import is_meant
from helio.authoring.writing.sources import UPSTREAM, cadence_words, near_the_earth
from helio.authoring.writing.steps import PlotSeries, listed
from helio.authoring.writing.windows import has_usual_window, usual_window
from helio.interval import interval_of
from helio.knowledge.quantities import ABS_B, POSITION, B
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, RATIOS, symbol
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.template.document import Document
from helio.time_range import Duration

_PER_HERTZ = re.compile(r"/\(?[^/]*\bHz\b|\bHz\^-1")
"""Pattern of the unit of a spectral density over frequencies."""
_STORED_KP = 0.1
"""Factor that makes Kp of what OMNI stores, which is ten times Kp."""
_LONGEST_LAG = "2h"
"""The longest delay to try between spacecraft near the Earth, where the request gives none."""
_COARSER = 1.5
"""Data are coarser than the bins of an average if their cadence is this many times longer."""
_LEVELS = frozenset({"when", "until", "minimum", "maximum"})
"""Arguments that have a level with its unit."""
_SIGNS = {"difference": "−", SEPARATION: "−", "product": "×", "sum": "+"}


class Operations:
    """The computations of a request in one time range of the figure."""

    def __init__(self, quantities: Deriving) -> None:
        self.quantities, self.data, self.steps = quantities, quantities.data, quantities.steps
        self._spectra: dict[tuple[Any, ...], PlotSeries] = {}

    def applied(self, shown: list[PlotSeries]) -> list[PlotSeries]:
        """Return the series to draw after all computations; a delay is that of their results.

        Raises
        ------
        NotUnderstood
            A computation fits none of the series.
        """
        computations, data = self.data.request.computations, shown
        for computation in sorted(computations, key=lambda made: made.tool == LAG):
            if computation.tool == MAGNITUDE:
                shown = self._with_magnitudes(shown, computation)
            elif computation.tool == R_SQUARED:
                shown = [
                    self._times_r_squared(series) if is_meant(computation.of, series) else series
                    for series in shown
                ]
            elif computation.tool == SHIFT:
                shown = self._with_shifts(shown, computation)
            elif computation.tool == "align":
                shown = self._with_alignment(shown, computation)
            elif computation.tool in OF_TWO:
                of_two = self._of_two(computation, shown)
                inputs = data if computation.of_data else shown if computation.beside else []
                shown = [*inputs, of_two]
            elif computation.tool not in WINDOWED:  # those belong to quantities that are computed already
                made = self._of_each(computation, data if computation.of_data else shown)
                beside = computation.beside or computation.of_data
                if computation.of_data:  # the line of the first computation, over which this one is drawn
                    now = {before.label: after.label for before, after in zip(data, shown, strict=False)}
                    made = {label: replace(new, over=now.get(new.over, "")) for label, new in made.items()}
                shown = (
                    [*shown, *made.values()]
                    if beside
                    else [made.get(series.label, series) for series in shown]
                )
        return shown

    def _with_magnitudes(self, shown: list[PlotSeries], computation: Computation) -> list[PlotSeries]:
        """Add the magnitudes of the vectors, or put them in the place of the vectors."""
        magnitudes = [self._magnitude(series) for series in shown if series.kind == "vector"]
        if not magnitudes and not any(series.quantity == ABS_B for series in shown):
            raise NotUnderstood("the request names no vector whose magnitude helio could compute")
        others = [series for series in shown if not computation.alone or series.kind != "vector"]
        drawn = [series.label for series in others]
        return others + [series for series in magnitudes if series.label not in drawn]

    def _magnitude(self, vector: PlotSeries) -> PlotSeries:
        known = self.quantities.known.get((MAGNITUDE_OF.get(vector.quantity, ""), vector.craft, ""))
        return known or self.quantities.magnitude(vector)

    def _of_each(self, computation: Computation, shown: list[PlotSeries]) -> dict[str, PlotSeries]:
        """Apply a tool to each series that it takes; return the results by the labels of these series."""
        tool, how = computation.tool, APPLIED[computation.tool]
        shown = [series for series in shown if self._takes(computation, series)]
        is_line = dict(computation.args).get("give") == "line"  # of a spectrum that the figure draws
        fitting = [series for series in shown if series.kind in (("spectrum",) if is_line else how.takes)]
        if how.kind == "spectrum":  # a frequency of the plasma is drawn in the spectrum of another series
            fitting = [series for series in fitting if not series.unit.endswith("Hz")] or fitting
        if not fitting and how.of_bins:
            fitting = shown
        measured = [
            series for series in shown if series.kind == "spectrum" and _PER_HERTZ.search(series.unit)
        ]
        if not fitting and tool == "band_integral":
            fitting = measured
        unit = canonical_unit(dict(computation.args).get("unit", ""))
        if unit and tool != "mask_by_flag":
            fitting = [series for series in fitting if comparable(unit, series.unit)]
        of_field = dict(computation.args).get("axes_of_field") and any(
            series.quantity != B for series in fitting
        )
        if tool == "minimum_variance" and (of_field or len(fitting) > 1):
            axes = self._along_axes(shown)
            return {
                series.label: turned for series, turned in zip(shown, axes, strict=True) if turned != series
            }
        if not fitting:
            raise NotUnderstood(f"the figure draws no series to which {tool.replace('_', ' ')} applies")
        of_one = tool in ("alert", "rescale") or (tool == "mask" and not unit)
        if of_one and len({series.quantity for series in fitting}) > 1:
            raise NotUnderstood(
                f"it is not clear for which series the request wants '{how.intent_of(computation)}'",
                advice="name it, as in 'mark every time Bz < -10 nT' or 'multiply the density by 4'",
            )
        made: dict[str, PlotSeries] = {}
        for series in fitting:
            alone = len(fitting) == 1
            if tool == "resample" and not self._should_average(series, computation, alone=alone):
                continue
            if tool in RUNNING and not self._should_smooth(series, computation, alone=alone):
                continue
            of_spectrum = how.of_spectrum and not is_line and series not in measured
            if of_spectrum or is_line:
                self._check_frequencies(computation, series)
            if tool == "resample" and len(shown) > 1 and self.steps.average_of(series):
                raise NotUnderstood(
                    f"it is not clear how to average {series.label}, which is an average already",
                    advice="write each average beside its quantity, as in '5 min density and 1 h speed'",
                )
            given = self._spectrogram_for(computation, series) if of_spectrum else series
            flag = self._flag(computation.by, series) if tool == "mask_by_flag" else None
            unit = flag.unit if flag else series.unit
            complete = in_unit_of(self._with_usual_window(computation, series), unit)
            args = how.arguments(complete)
            args.pop("axes_of_field", None)
            if of_spectrum:
                args.pop("interval", None)  # that of the spectra
            if tool == "rescale" and series.quantity == "Kp" and args["factor"] == _STORED_KP:
                raise NotUnderstood(
                    "helio divides the Kp that OMNI stores by ten already", advice="leave the factor out"
                )
            if tool == "rescale" and not args.get("offset"):
                args["name"] = f"{args['factor']:g} {symbol(series.quantity)}".replace("-1 ", "−")
            if tool == "expect":
                args["time_range"] = self.data.time.name
            if flag:
                args["flag_label"] = flag.label
            ending = how.ending
            if computation.of_data and tool == "resample":
                ending = f"{computation.window}_{computation.method}".replace(" ", "")
            elif tool == "statistics":
                ending = "_".join(args["of"])
            intent = how.intent_of(complete)
            new = (
                self._spectrum(given, tool, intent, **args)
                if tool == "power_spectrogram"
                else self.steps.compute(tool, given, ending, intent, **args)
            )
            over = computation.behind and how.kind in ("", series.kind) and how.quantity == "{}"
            if is_line:
                made[series.label] = replace(series, label=new.label, over=series.label)
                continue
            made[series.label] = replace(
                new,
                quantity=how.quantity.format(series.quantity),
                unit=how.unit.format(series.unit),
                kind=how.kind or series.kind,
                are_events=tool == "alert",
                frame=how.frame or series.frame,
                cadence=interval_of(computation.window).nanoseconds / 1e9
                if tool == "resample"
                else new.cadence,
                over=series.label if over else series.over,
            )
        return made

    def _takes(self, computation: Computation, series: PlotSeries) -> bool:
        """Return whether a computation takes a series: that of B not |B|, if the request names both."""
        own = {quantity.name for quantity in computation.of.quantities}
        named = {quantity.name for quantity in self.data.request.quantities}
        is_another = bool(own) and series.quantity in named - own
        return is_meant(computation.of, series) and not is_another

    def _check_frequencies(self, computation: Computation, series: PlotSeries) -> None:
        """Refuse frequencies above the highest one of the spectrum of a series."""
        wanted = max(frequencies_of(computation), default=0.0)
        if computation.tool in OF_SPECTRA and series.cadence and 2 * wanted * series.cadence > 1:
            raise NotUnderstood(
                f"the data of {series.craft} have a cadence of {cadence_words(series.cadence)}, so that their spectrum"
                f" ends below {wanted:g} Hz",
                advice=f"choose frequencies up to {0.5 / series.cadence:.2g} Hz, or name finer data as "
                "DATASET.PARAMETER",
            )

    def _flag(self, named: Lines, series: PlotSeries) -> PlotSeries:
        """Return a named quantity of the spacecraft of a series, on its epochs."""
        (quantity,) = named.quantities
        if "_" in quantity.name:  # a parameter of the dataset itself
            return self.data.fetch_parameter(self._pinned_dataset(series.label), quantity.name)
        craft = "OMNI" if quantity.name in INDICES else series.craft
        flag = self.quantities.quantity(quantity.name, craft, quantity.frame)
        flag = self.quantities.component(flag, quantity.component) if quantity.component else flag
        is_aligned = flag.cadence == series.cadence and self.steps.have_same_epochs([flag, series])
        return flag if is_aligned else self.steps.align(flag, series)

    def _pinned_dataset(self, label: str) -> str:
        """Return the dataset of a series; drop the alternatives of its fetch, which may lack the flag."""
        step = self.steps.makers[label]
        args = step["tool_args"]
        if step["tool_name"] in ("components", "magnitude", "convert_units"):
            return self._pinned_dataset(args["source_label"])
        if step["tool_name"] != "fetch_data":
            raise NotUnderstood(
                f"helio leaves out records by a flag only before it computes {label}",
                advice="first request the data without the bad records, then change the pipeline",
            )
        args.update(args.pop("candidates", [{}])[0])
        return str(args["dataset_id"])

    def _with_alignment(self, shown: list[PlotSeries], computation: Computation) -> list[PlotSeries]:
        """Align a series with the epochs of the one that the request names."""
        clocks = [series for series in shown if is_meant(computation.by, series)]
        if len(clocks) == len(shown) and computation.of != Lines():
            clocks = [series for series in shown if not is_meant(computation.of, series)]
        others = [series for series in shown if series not in clocks and is_meant(computation.of, series)]
        if len({(series.craft, series.cadence) for series in clocks}) != 1 or len(others) != 1:
            raise NotUnderstood(
                "it is not clear which series takes the times of which",
                advice="draw two series, and write, for example, 'Wind Bz aligned to the times of ACE Bz'",
            )
        aligned = self.steps.align(others[0], clocks[0], **dict(computation.args))
        return [aligned if series == others[0] else series for series in shown]

    def _should_average(self, series: PlotSeries, computation: Computation, *, alone: bool) -> bool:
        """Return whether to average a series into bins: not if it is coarser than the bins, and others are averaged.

        Raises
        ------
        NotUnderstood
            The series is the only one, and has fewer records than bins.
        """
        length = interval_of(computation.window).nanoseconds / 1e9
        if series.cadence and series.cadence > _COARSER * length:
            words = cadence_words(series.cadence)
            if alone and not computation.if_finer:
                raise NotUnderstood(
                    f"{series.label} has a cadence of {words}: helio cannot average it to {computation.window}",
                    advice="name finer data as DATASET.PARAMETER, or leave the average out",
                )
            self.steps.note(f"{series.label} has a cadence of {words}, coarser than requested")
            return False
        if series.cadence == length and computation.method == "mean":
            return False  # hourly means of hourly values
        return not computation.if_finer or not series.cadence or series.cadence < length / _COARSER

    def _should_smooth(self, series: PlotSeries, computation: Computation, *, alone: bool) -> bool:
        """Return whether a window is longer than the cadence of a series; refuse a shorter one of the only series."""
        if not (computation.window and series.cadence):
            return True
        if interval_of(computation.window).nanoseconds / 1e9 > series.cadence:
            return True
        words = f"{series.label} has a cadence of {cadence_words(series.cadence)}"
        if alone:
            raise NotUnderstood(
                f"{words}: a window of {computation.window} smooths nothing",
                advice="name finer data as DATASET.PARAMETER, or a longer window",
            )
        self.steps.note(f"{words}, which a window of {computation.window} does not smooth")
        return False

    def _along_axes(self, shown: list[PlotSeries]) -> list[PlotSeries]:
        """Rotate the vectors of each spacecraft to the axes of minimum variance of its magnetic field."""
        vectors = [series for series in shown if series.kind == "vector"]
        fields = {series.craft: series for series in shown if series.quantity == B}
        for series in vectors:
            if series.craft not in fields:
                fields[series.craft] = self.quantities.quantity(B, series.craft, series.frame)
                self.steps.note("L, M, N are the axes of minimum variance of the magnetic field")
        axes = {
            craft: self.steps.compute("minimum_variance", field, "axes", "Find L, M, N", give="axes").label
            for craft, field in fields.items()
        }
        return [
            self._rotated(series, axes[series.craft]) if series.kind == "vector" else series
            for series in shown
        ]

    def _rotated(self, vector: PlotSeries, axes: str) -> PlotSeries:
        intent, labels = "Rotate to L, M, N", {"vector_label": vector.label, "axes_label": axes}
        label = self.steps.make(f"{vector.label}_lmn", "rotate_to_axes", intent, **labels)
        return replace(vector, label=label, quantity=f"{vector.quantity} along L, M, N", frame="LMN")

    def _with_shifts(self, shown: list[PlotSeries], computation: Computation) -> list[PlotSeries]:
        """Shift the series of the spacecraft upstream of the Earth, or all if there are no others."""
        crafts = {series.craft for series in shown}
        meant = crafts.intersection(UPSTREAM) or crafts
        if meant < crafts:
            self.steps.note(f"shifted are the data of {listed(sorted(meant))}")
        shifted = [
            self._shifted(series, dict(computation.args)) if series.craft in meant else series
            for series in shown
        ]
        return [*shown, *(new for new in shifted if new not in shown)] if computation.beside else shifted

    def _shifted(self, series: PlotSeries, args: Document) -> PlotSeries:
        """Shift a series of a spacecraft upstream of the Earth by how long the solar wind flows to another place."""
        craft, labels = series.craft, {"series_label": series.label}
        if craft == "OMNI":
            return series  # it is at the bow shock
        speed = self.quantities.quantity(SPEED, craft)
        labels["velocity_label"] = self.steps.align(speed, series).label
        if self.data.pick(POSITION, craft):
            place = self.steps.convert(self.quantities.quantity(POSITION, craft), "km")
            labels["position_label"] = self.steps.align(place, series).label
        elif craft in UPSTREAM:
            args["from_x"] = 1.5e6
            self.steps.note(f"{craft} is taken to be 1.5 million km upstream of the Earth")
        else:
            raise NotUnderstood(f"helio knows no position of {craft}, from which it could shift the data")
        intent = f"Shift by the travel time to x = {args['to_x']:g} km"
        label = self.steps.make(f"{series.label}_shifted", SHIFT, intent, **labels, **args)
        return replace(series, label=label, cadence=None)

    def _spectrogram_for(self, computation: Computation, series: PlotSeries) -> PlotSeries:
        """Add a spectrogram whose windows hold five periods of the lowest frequency of a band."""
        args = dict(computation.args)
        low = float(args["low"] if "low" in args else args["bands"][0][0])
        seconds = self.data.time.seconds
        window = computation.window or usual_window("power_spectrogram", series.cadence, seconds, 5 / low)
        self.steps.note(f"{computation.tool.replace('_', ' ')}: from spectra of windows of {window}")
        if interval := args.get("interval"):
            intent = f"A spectrum for each {interval}"
            return self._spectrum(series, "power_spectrum", intent, window=window, interval=interval)
        intent = APPLIED["power_spectrogram"].intent
        return self._spectrum(series, "power_spectrogram", intent, window=window)

    def _spectrum(self, series: PlotSeries, tool: str, intent: str, **args: Any) -> PlotSeries:
        """Add a spectrum of a series, only once."""
        key = (tool, series.label, *args.items())
        if key not in self._spectra:
            self._spectra[key] = self.steps.compute(tool, series, APPLIED[tool].ending, intent, **args)
        return self._spectra[key]

    @property
    def _lowest_frequency(self) -> float:
        """Return the lowest frequency in Hz that the figure should show; 0 if the request names none."""
        return min(self.data.request.panels.frequencies, default=0.0)

    def _with_usual_window(self, computation: Computation, series: PlotSeries) -> Computation:
        """Return a computation with the usual window of its tool, if it has one and the request names none."""
        if not has_usual_window(computation.tool):
            return computation
        period = 1 / low if computation.tool.startswith("power_") and (low := self._lowest_frequency) else 0.0
        if computation.window:
            if Duration(computation.window).nanoseconds < 1e9 * period:
                raise NotUnderstood(
                    f"windows of {computation.window} are too short for {low:g} Hz",
                    advice=f"ask for windows of at least {period:g} s, or for higher frequencies",
                )
            return computation
        window = usual_window(computation.tool, series.cadence, self.data.time.seconds, 2 * period)
        name = computation.tool.replace("_", " ")
        self.steps.note(f"{name}: with a window of {window}, as the request names none")
        return replace(computation, window=window)

    def _of_two(self, computation: Computation, shown: Sequence[PlotSeries]) -> PlotSeries:
        """Compute the difference or the ratio of two series, or the delay between them, on common epochs."""
        name = computation.tool
        wanted = [Lines((), (quantity,)) for quantity in computation.of.quantities]
        named = [next((series for series in shown if is_meant(lines, series)), None) for lines in wanted]
        operands = [series for series in named if series is not None]
        left, right = self._pair(name, operands if len({*operands}) == 2 else shown)
        of_two = (left.label, right.label)
        if name == "ratio" and any(series.quantity in RATIOS for series in (left, right)):
            raise NotUnderstood(
                "it is not clear of which quantities the ratio is",
                advice="write 'ratio of A to B' with both names",
            )
        if name == SEPARATION:
            right = self.steps.convert(right, left.unit)
        is_known = left.cadence is not None or self.steps.have_same_epochs((left, right))
        if name == LAG and left.cadence != right.cadence:
            left, right = self.steps.align_all([left, right])
        elif name != LAG and not (is_known and (left.cadence, left.craft) == (right.cadence, right.craft)):
            right = self.steps.align(right, left)
        operation, word = OF_TWO[name]
        stem = f"{left.label}_{word}_{right.label.removesuffix('_aligned')}"
        if name == LAG:
            return self._lag(left, right, stem, dict(computation.args))
        if name == ANGLE:
            vectors = {"vector_label": left.label, "other_label": right.label}
            label = self.steps.make(stem, ANGLE, f"Angle between {left.label} and {right.label}", **vectors)
            crafts = f"{left.craft} / {right.craft}"
            return replace(
                left, label=label, quantity="angle", craft=crafts, kind="scalar", unit="deg", frame=""
            )
        intent = f"{name.capitalize()} of {left.label} and {right.label}"
        label = self.steps.arithmetic(stem, left.label, operation, right.label, intent)
        alike = left.craft == right.craft
        craft = left.craft if alike else f"{left.craft} {_SIGNS.get(name, '/')} {right.craft}"
        made = replace(left, label=label, quantity=f"{left.quantity} {name}", craft=craft, of_two=of_two)
        if name == SEPARATION:
            made = self.steps.compute("magnitude", made, "mag", "Length of the difference")
            return replace(made, quantity=name, kind="scalar", frame="")
        return made

    def _pair(self, name: str, shown: Sequence[PlotSeries]) -> tuple[PlotSeries, PlotSeries]:
        """Return two scalars or two vectors; a vector beside a scalar gives its magnitude."""
        if len(shown) == 2 and {series.kind for series in shown} == {"scalar", "vector"}:
            shown = [self._magnitude(series) if series.kind == "vector" else series for series in shown]
        pair = [series for series in shown if series.kind == "scalar" and name != ANGLE]
        pair = pair or [series for series in shown if series.kind == "vector"]
        if name == SEPARATION and [series.quantity for series in shown] != [POSITION, POSITION]:
            raise NotUnderstood(
                "a separation needs the positions of two spacecraft, and a figure of its own",
                advice="write, for example, 'the distance between MMS1 and MMS2'",
            )
        if len(pair) != 2 or (name in (DIFFERENCE, SUM, ANGLE) and pair[0].unit != pair[1].unit):
            raise NotUnderstood(
                f"a {name} needs two series of the same quantity",
                advice=f"write, for example, 'the {name} between ACE and Wind Bz'",
            )
        return pair[0], pair[1]

    def _times_r_squared(self, series: PlotSeries) -> PlotSeries:
        """Multiply a series by the square of the distance from the Sun, on its epochs."""
        distance = self.quantities.quantity("heliocentric distance", series.craft)
        distance = self.steps.align(distance, series)
        label = series.label
        for power in ("r", "r2"):
            stem, intent = f"{series.label}_{power}", f"Multiply {label} by r"
            label = self.steps.arithmetic(stem, label, "multiply", distance.label, intent)
        return replace(series, label=label, quantity=f"{series.quantity} r²", unit=f"{series.unit} AU^2")

    def _lag(self, left: PlotSeries, right: PlotSeries, stem: str, args: Document) -> PlotSeries:
        """Compute the delay of a second series, up to the longest delay that the request gives."""
        if not args.get("longest") and {left.craft, right.craft} <= near_the_earth():
            args["longest"] = _LONGEST_LAG
            self.steps.note(
                f"delays of up to {_LONGEST_LAG} are tried, because the request names no longest one"
            )
        elif not args.get("longest"):
            args["longest"] = self.data.ask("What is the longest delay to try?", ("1d", "3d", "5d", "6h"))
        labels = {"series_label": left.label, "delayed_label": right.label}
        label = self.steps.make(stem, LAG, f"Delay of {right.label}", **labels, **args)
        crafts = f"{left.craft} / {right.craft}"
        return replace(left, label=label, quantity="delay", craft=crafts, unit="", frame="")


def in_unit_of(computation: Computation, unit: str) -> Computation:
    """Return a computation whose levels are in the unit of a series, or name their unit.

    >>> in_unit_of(Computation("alert", args=(("when", "< -100"),)), "nT").args
    (('when', '< -100 nT'),)
    """
    args = dict(computation.args)
    named = canonical_unit(args.pop("unit", ""))
    value = args.get("value")
    if named and value is not None:
        factor = conversion_factor(named, unit)
        scaled = [
            float(f"{number * factor:.12g}") for number in (value if isinstance(value, tuple) else (value,))
        ]
        args["value"] = tuple(scaled) if isinstance(value, tuple) else scaled[0]
    for name in _LEVELS & args.keys():
        args[name] = args[name] if named else f"{args[name]} {unit}".strip()
    if "offset" in args and named:
        args["offset"] = float(f"{args['offset'] * conversion_factor(named, unit):.12g}")
    if computation.tool == "rescale":
        args["unit"] = unit or "1"
    return replace(computation, args=tuple(args.items()))
