"""Give a quantity of a spacecraft: fetched if a dataset has it, otherwise computed from other quantities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helio.authoring.outcome import NotInTable, NotUnderstood
from helio.authoring.writing.computations import (
    CONVECTIVE,
    CURRENT,
    DERIVED,
    MAGNITUDE_OF,
    NEARBY,
    OF_ELECTRONS,
    OF_TWO,
    SIDES,
    VECTOR_OF,
    Part,
    Recipe,
)
from helio.authoring.writing.fetching import Fetching
from helio.authoring.writing.sources import cadence_words, frames_of, near_the_earth, quantities_of
from helio.authoring.writing.steps import PlotSeries, duration, listed
from helio.interval import interval_of
from helio.knowledge.frame_names import TURNABLE
from helio.knowledge.quantities import ABS_B, NE, POSITION, B, E, N, QuantitySource, families, sources_of
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import T as TEMPERATURE
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, VECTORS, symbol
from helio.steps.signature import signatures

_FEWEST = 4
"""Least number of records in a window for means and their deviations."""
_USUAL_WINDOW = "1h"
"""The window of a cross helicity or a residual energy where the request gives none."""
_OF_ELECTRIC_FIELDS = frozenset({"EFI", "EFP", "EFW", "EDP", "EFD", "FIELDS", "RPW", "PWE", "PWI", "VEFI"})
"""Instruments whose electric field is measured, and not computed from the velocity and the magnetic field."""
_ANGLE_FRAMES = {"*": ("GSM", "GSE", "RTN"), "spiral": ("RTN", "GSE")}
"""The frames for an angle of the magnetic field if the request names none, by the frame of its part."""


class Deriving:
    """The quantities of spacecraft in one time range of the figure, and the steps that give them."""

    def __init__(self, data: Fetching) -> None:
        self.data, self.request, self.steps = data, data.request, data.steps
        self.known: dict[tuple[str, str, str], PlotSeries] = {}
        """Series by quantity, spacecraft and requested frame."""
        self.fetched: dict[tuple[str, QuantitySource], PlotSeries] = {}
        """Series by spacecraft and source, because two frames of a request may be one."""
        self._begun: set[tuple[str, str, str]] = set()

    def quantity(self, quantity: str, craft: str, frame: str = "") -> PlotSeries:
        """Add steps that fetch or compute a quantity of a spacecraft, only once for each quantity and frame.

        Raises
        ------
        NotUnderstood
            The spacecraft has no such quantity, or not in this frame.
        """
        if quantity in DERIVED and not self.data.pick(quantity, craft):
            frame = ""  # a computation chooses the frame of its vectors
        key = (quantity, craft, frame)
        if key in self._begun:
            raise NotUnderstood(f"helio cannot compute the {quantity} of {craft} from itself")
        if key not in self.known:
            self._begun.add(key)
            try:
                self.known[key] = self._new(quantity, craft, frame)
            finally:
                self._begun.remove(key)
        return self.known[key]

    def component(self, series: PlotSeries, letter: str, *, told: bool = False) -> PlotSeries:
        """Take a component of a vector, with a note of its frame unless it is told; leave other series as they are."""
        if series.kind != "vector":
            return series
        intent = f"Take the {letter} component{f' in {series.frame}' if series.frame else ''}"
        stem = f"{series.label}{letter}"
        label = self.steps.make(stem, "components", intent, source_label=series.label, keep=[letter])
        if series.frame and not (told or self.request.frame):
            self.steps.note(
                f"{series.craft} {series.quantity} {letter} is in {series.frame}, because the request names no frame"
            )
        return replace(series, label=label, kind="scalar", quantity=f"{series.quantity} {letter}")

    def magnitude(self, vector: PlotSeries) -> PlotSeries:
        """Compute the magnitude of a vector."""
        quantity = MAGNITUDE_OF.get(vector.quantity, f"{vector.quantity} magnitude")
        stem = f"{vector.label}mag" if quantity == ABS_B else self.data.stem(vector.craft, quantity)
        label = self.steps.make(stem, "magnitude", f"Compute the {quantity}", source_label=vector.label)
        return replace(vector, label=label, kind="scalar", quantity=quantity, frame="")

    def in_frame(self, vector: PlotSeries, frame: str) -> PlotSeries:
        """Rotate a vector into a frame, unless its own frame is not known or is this one.

        Raises
        ------
        NotUnderstood
            helio cannot rotate it.
        """
        if vector.kind != "vector" or not (frame and vector.frame) or frame == vector.frame:
            return vector
        if not {frame, vector.frame} <= {*TURNABLE}:
            raise NotUnderstood(f"helio cannot rotate {vector.label} from {vector.frame} to {frame}")
        intent = f"Rotate from {vector.frame} to {frame}"
        turned = self.steps.compute("transform_frame", vector, frame.lower(), intent, to=frame)
        return replace(turned, frame=frame)

    def _new(self, quantity: str, craft: str, frame: str) -> PlotSeries:
        if quantity in NEARBY:
            from_sun, from_earth = NEARBY[quantity]
            return self.quantity(from_sun if self.data.pick(from_sun, craft) else from_earth, craft, frame)
        if quantity == CURRENT:
            return self._curlometer(craft)
        if quantity in self.request.computed or self._takes_assumed(quantity):
            return self.derived(quantity, craft)
        vector_frame = frame if quantity in VECTORS else ""
        try:
            sources = self.data.pick(quantity, craft, vector_frame)
        except NotInTable:
            if quantity != VELOCITY or self.request.vectors or not self.request.modes:
                raise
            return self.quantity(SPEED, craft)
        if self._should_derive(quantity, craft, sources):
            return self.derived(quantity, craft)
        of_electrons = OF_ELECTRONS.get(quantity, "")
        if any(wanted.name == of_electrons for wanted in self.request.quantities):
            of_electrons = ""  # the density beside that of the electrons is not theirs
        if self._is_of_instrument(of_electrons, craft, sources) and not self._measures_protons(craft):
            return self.quantity(of_electrons, craft, frame)
        if self._only_other_frame_has_instrument(quantity, craft, sources):
            sources = []
        vector = VECTOR_OF.get(quantity, "")
        from_vector = self._is_of_instrument(vector, craft, sources)
        from_vector |= bool(vector) and self._are_at_hand([vector], craft, sources)
        finer_vector = quantity == ABS_B and bool(sources) and self._finer_vector(craft, sources[0])
        if (
            sources
            and not from_vector
            and not finer_vector
            and not self._only_vector_has(quantity, craft, sources)
        ):
            key = (craft, sources[0])
            if key not in self.fetched:
                self.fetched[key] = self.data.fetch(quantity, craft, sources)
            return self.fetched[key]
        series = (
            self._turned(quantity, craft, vector_frame)
            or self._length_of(quantity, craft, frame)
            or self._speed_instead(quantity, craft)
            or self._electric_field(quantity, craft)
            or self._mean_of_sides(quantity, craft)
        )
        if series is not None:
            return series
        is_measured = quantity == E and not _OF_ELECTRIC_FIELDS.isdisjoint(self.request.instruments)
        if quantity in DERIVED and not is_measured and self._can_derive(quantity, craft):
            if quantity == E:
                self.steps.note(f"{E}: computed as −V×B, because the table has no measured one of {craft}")
            return self.derived(quantity, craft)
        framed = [name for name in frames_of([quantity], [craft]) if name]
        if framed:
            raise NotUnderstood(
                f"{craft} has no {quantity} in {frame}", advice=f"choose the frame {' or '.join(framed)}"
            )
        raise NotInTable(
            f"helio knows no {quantity} of {craft}",
            quantity=quantity,
            advice=f"choose one of {', '.join(quantities_of(craft))};"
            f" or search with `helio datasets search '{craft} {quantity}'`",
        )

    def _takes_assumed(self, quantity: str) -> bool:
        """Return whether helio computes a quantity with a value that the request assumes."""
        return quantity in DERIVED and any(self._assumed_of(DERIVED[quantity]))

    def _assumed_of(self, recipe: Recipe) -> dict[str, float]:
        """Return the assumed values of the request that the tool of a recipe takes."""
        names = {argument.name for argument in signatures()[recipe.tool].arguments}
        return {name: value for name, value in self.request.assumed if name in names}

    def _only_vector_has(self, quantity: str, craft: str, sources: list[QuantitySource]) -> bool:
        """Return whether the vector of a magnitude has known records at the time, and the sources have none."""
        vectors = sources_of(VECTOR_OF[quantity], craft) if quantity in VECTOR_OF else []
        return not self.data.has_records(sources[0]) and any(map(self.data.has_records, vectors))

    def _is_of_instrument(self, other: str, craft: str, sources: list[QuantitySource]) -> bool:
        """Return whether the instruments that the request names measure another quantity, but none of the sources."""
        named = set(self.request.instruments)
        others = sources_of(other, craft) if other else []
        measured = [any(named & source.instruments for source in group) for group in (others, sources)]
        return measured == [True, False]

    def _only_other_frame_has_instrument(
        self, quantity: str, craft: str, sources: list[QuantitySource]
    ) -> bool:
        """Return whether the named instruments measure a vector, but not in the frame of the sources."""
        framed = {source.frame for source in sources}
        is_whole = quantity not in VECTORS or not sources or len(framed) > 1 or not framed <= {*TURNABLE}
        return not is_whole and self._is_of_instrument(quantity, craft, sources)

    def _measures_protons(self, craft: str) -> bool:
        """Return whether the instruments that the request names measure protons, and not electrons alone."""
        named = set(self.request.instruments)
        return any(
            named & source.instruments
            for moment in (N, SPEED, TEMPERATURE)
            for source in sources_of(moment, craft)
        )

    def _should_derive(self, quantity: str, craft: str, sources: list[QuantitySource]) -> bool:
        """Return whether to compute a quantity, because the named instrument or the pipeline has only its parts."""
        takes = DERIVED[quantity].takes.values() if quantity in DERIVED and quantity != E else ()
        parts = [part.quantity for part in takes]
        is_named = any(self._is_of_instrument(part, craft, sources) for part in parts)
        return is_named or (bool(parts) and self._are_at_hand(parts, craft, sources))

    def _are_at_hand(self, parts: Sequence[str], craft: str, sources: list[QuantitySource]) -> bool:
        """Return whether the pipeline fetches the parts of a quantity, or their vectors, but no dataset that has it."""
        at_hand = self.request.at_hand
        if not {source.dataset for source in sources}.isdisjoint(dataset for dataset, _ in at_hand):
            return False
        fetched = [
            {
                (source.dataset, source.parameters[0])
                for name in (part, VECTOR_OF.get(part, ""))
                for source in sources_of(name, craft)
            }
            for part in parts
        ]
        return all(not pairs.isdisjoint(at_hand) for pairs in fetched)

    def _finer_vector(self, craft: str, magnitude: QuantitySource) -> bool:
        """Return whether to compute a magnitude from its vector: if the vector is drawn too, or is much finer.

        Not from a drawn vector that is too coarse for the request, if the magnitude is fine enough. A difference takes
        the vector that a pipeline fetches, from which the lines of its figure are.
        """
        if any(computation.tool in OF_TWO for computation in self.request.computations):
            vector, own = (
                {(row.dataset, row.parameters[0]) for row in sources_of(name, craft)} for name in (B, ABS_B)
            )
            if vector & {*self.request.at_hand} and not own & {*self.request.at_hand}:
                return True
        vectors = self.data.pick(B, craft)
        cadence, wanted = vectors[0].cadence if vectors else None, 1.5 * (self.request.cadence or math.inf)
        if any(quantity.name == B for quantity in self.request.quantities):
            return not (cadence and magnitude.cadence and magnitude.cadence <= wanted < cadence)
        return bool(cadence and magnitude.cadence and cadence < magnitude.cadence / 10)

    def _can_derive(self, quantity: str, craft: str) -> bool:
        """Return whether the table has what a temperature or a thermal speed, each computed from the other, needs."""
        first, *others = (part.quantity for part in DERIVED[quantity].takes.values())
        if others or first not in DERIVED or self.data.pick(first, craft):
            return True
        inner = [part.quantity for part in DERIVED[first].takes.values()]
        return quantity not in inner and self._can_derive(first, craft)

    def _turned(self, quantity: str, craft: str, frame: str) -> PlotSeries | None:
        """Rotate a vector into a frame."""
        if quantity not in VECTORS or frame not in TURNABLE:
            return None
        sources = [source for source in self.data.pick(quantity, craft) if source.frame in TURNABLE]
        if not sources:
            return None
        named = {*self.request.instruments}
        sources.sort(key=lambda source: not named & source.instruments)
        return self.in_frame(self.quantity(quantity, craft, sources[0].frame), frame)

    def _length_of(self, quantity: str, craft: str, frame: str) -> PlotSeries | None:
        """Compute a magnitude from its vector; a field that is there already may be in any frame."""
        vector = VECTOR_OF.get(quantity)
        if vector is None or not self.data.pick(vector, craft):
            return None
        if vector != B:
            return self._mean_magnitude(self.quantity(vector, craft))
        known = next((series for key, series in self.known.items() if key[:2] == (B, craft)), None)
        own_frame = frame if frame in frames_of([B], [craft]) else ""
        return self._mean_magnitude(known or self.quantity(B, craft, own_frame))

    def _mean_magnitude(self, vector: PlotSeries) -> PlotSeries:
        """Compute the magnitude of a vector; of an average, the average of the magnitude."""
        mean = self.steps.average_of(vector)
        if not mean:
            return self.magnitude(vector)
        full = self.magnitude(replace(vector, label=mean.pop("source_label")))
        return self.steps.compute("resample", full, "binned", f"{mean['cadence']} mean", **mean)

    def _speed_instead(self, quantity: str, craft: str) -> PlotSeries | None:
        """Take the speed if no velocity vector is known, unless the request insists on the vector."""
        if quantity != VELOCITY or self.request.vectors or not self.data.pick(SPEED, craft):
            return None
        self.steps.note(f"the figure draws the speed: helio knows no velocity vector of {craft}")
        return self.quantity(SPEED, craft)

    def _electric_field(self, quantity: str, craft: str) -> PlotSeries | None:
        """Take the electric field of the solar wind for OMNI, which is no vector, and the vector for others."""
        if quantity == E and craft == "OMNI":
            return self.quantity(CONVECTIVE, craft)
        return self.derived(E, craft) if quantity == CONVECTIVE and craft != "OMNI" else None

    def _mean_of_sides(self, quantity: str, craft: str) -> PlotSeries | None:
        """Compute a temperature that is known along and across the field: (T∥ + 2 T⊥)/3."""
        sides = SIDES.get(quantity, ())
        if not sides or not all(self.data.pick(side, craft) for side in sides):
            return None
        along, across = (self.quantity(side, craft) for side in sides)
        third, two_thirds = (
            self.steps.compute("rescale", side, "share", f"Take {share} of it", unit=side.unit, factor=factor)
            for side, share, factor in ((along, "1/3", 1 / 3), (across, "2/3", 2 / 3))
        )
        intent, stem = f"Mean {quantity} of the three directions", self.data.stem(craft, quantity)
        label = self.steps.arithmetic(stem, third.label, "add", two_thirds.label, intent)
        return replace(along, label=label, quantity=quantity)

    def _curlometer(self, craft: str) -> PlotSeries:
        """Compute the current density from the fields and positions of the four spacecraft of a mission."""
        mission, crafts = next(
            ((name, crafts) for name, crafts in families().items() if craft in crafts), ("", (craft,))
        )
        frames = frames_of([B, POSITION], crafts)
        if len(crafts) != 4 or not frames:
            raise NotUnderstood(
                f"helio knows no {CURRENT} of {craft}",
                advice="a curlometer needs the field and the position of four spacecraft, such as those of MMS",
            )
        frame = self.request.frame or ("GSE" if "GSE" in frames else frames[0])
        self.steps.note(f"{CURRENT}: computed from all four spacecraft of {mission}")
        args: dict[str, Any] = {}
        fields = [self.quantity(B, name, frame) for name in crafts]
        clock = fields[0]
        for number, (name, series) in enumerate(zip(crafts, fields, strict=True), 1):
            place = self.steps.convert(self.quantity(POSITION, name, frame), "km")
            args[f"field_{number}_label"] = self.steps.align(series, clock).label
            args[f"position_{number}_label"] = self.steps.align(place, clock).label
        stem = f"{mission}_{symbol(CURRENT)}{self.data.time.ending}"
        label = self.steps.make(stem, "curlometer", f"Compute the {CURRENT}", **args)
        return replace(clock, label=label, quantity=CURRENT, craft=mission, unit="nA/m^2")

    def derived(self, quantity: str, craft: str) -> PlotSeries:
        """Compute a quantity from others, such as density and velocity, on the coarsest epochs."""
        recipe = DERIVED[quantity]
        assumed = self._assumed_of(recipe)
        extra = dict(recipe.args)
        if recipe.window:
            windows = [given.window for given in self.request.computations if given.tool == recipe.tool]
            extra[recipe.window] = next(filter(None, windows), _USUAL_WINDOW)
            if not any(windows):
                self.steps.note(f"{quantity}: with a window of {_USUAL_WINDOW}, as the request names none")
        parts: dict[str, PlotSeries] = {}
        common = self._common_frame(recipe, craft)
        for argument, part in recipe.takes.items():
            may_lack = part.otherwise is not None and craft in near_the_earth()
            is_absent = (may_lack or part.measured) and not self.data.pick(part.quantity, craft)
            if {*(part.otherwise or ())} & {*assumed}:
                continue
            if is_absent and part.measured:
                raise NotUnderstood(
                    f"helio knows no measured {part.quantity} of {craft}, and a computed one has no {quantity}",
                    advice=f"choose one of {', '.join(quantities_of(craft))}",
                )
            if is_absent:
                extra |= part.otherwise or {}
                place = (
                    "a distance of 1 AU from the Sun"
                    if part.otherwise
                    else f"the {part.quantity} of the Earth"
                )
                self.steps.note(f"{quantity}: computed for {craft} at {place}")
            else:
                parts[argument] = self._part(part, craft, common)
        slowest = max(parts.values(), key=lambda series: series.cadence or 0.0)
        if recipe.window:
            spacing = max(slowest.cadence or 0.0, self.request.cadence or 0.0)
            _check_window(quantity, str(extra[recipe.window]), spacing)
        parts = {argument: self._as_taken(series, slowest) for argument, series in parts.items()}
        if recipe.note:
            self.steps.note(f"{quantity}: {recipe.note}")
        extra |= assumed
        if recipe.helium and "assumed_alpha" not in assumed:
            extra["assumed_alpha"] = 0.04
            self.steps.note(f"{quantity}: computed with 4 % of helium by number, which is assumed")
        alone = len(parts) == 1
        stem = f"{slowest.label}_{symbol(quantity)}" if alone else self.data.stem(craft, quantity)
        labels = {argument: series.label for argument, series in parts.items()}
        label = self.steps.make(stem, recipe.tool, f"Compute the {quantity}", **labels, **extra)
        return replace(
            slowest,
            label=label,
            quantity=quantity,
            craft=craft,
            kind=recipe.kind,
            frame=next(iter(parts.values())).frame if recipe.kind == "vector" else "",
            unit=recipe.unit.format(slowest.unit),
        )

    def _part(self, part: Part, craft: str, common: str) -> PlotSeries:
        """Return an input of a computation; `common` is the frame of those that need one frame."""
        craft = "OMNI" if part.quantity in INDICES else craft
        if part.frame == "=":
            frame = common
        elif part.frame in _ANGLE_FRAMES:
            known = frames_of([B], [craft])
            fitting = (name for name in _ANGLE_FRAMES[part.frame] if name in known)
            named = self.request.frame or self._named_frame()
            frame = named or next(fitting, "")
            if part.frame == "*" and frame == "GSE" and not named:
                frame = "GSM"  # the usual frame near the Earth, into which helio rotates
        else:
            frame = part.frame or (self.request.frame if part.quantity in VECTORS else "")
        needs_vector = part.quantity in MAGNITUDE_OF and bool(part.component or part.frame)
        name = part.quantity if needs_vector else self._named_input(part.quantity, craft)
        series = self.quantity(name, craft, frame if name in VECTORS else "")
        return self.component(series, part.component) if part.component else series

    def _named_frame(self) -> str:
        """Return the only frame that the request names beside its quantities; empty if there is none or are several."""
        frames = {quantity.frame for quantity in self.request.quantities} - {""}
        return frames.pop() if len(frames) == 1 else ""

    def _named_input(self, quantity: str, craft: str) -> str:
        """Return the moment that the request names as an input: that of the protons, or that of the electrons."""
        others = {of_electrons: name for name, of_electrons in OF_ELECTRONS.items()} | {N: NE}
        bulk, inputs = others.get(quantity, ""), self.request.inputs
        if quantity not in inputs and (length := MAGNITUDE_OF.get(quantity, "")) in inputs:
            return length
        if bulk not in inputs or (quantity in inputs and self.data.pick(quantity, craft)):
            return quantity
        self.steps.note(f"{listed(self.request.computed)}: with the {bulk} instead of the {quantity}")
        return bulk

    def _as_taken(self, part: PlotSeries, slowest: PlotSeries) -> PlotSeries:
        """Return an input in kelvin if it is an energy, and on the epochs of the slowest input."""
        if part.unit in ("eV", "keV"):
            intent = "Convert to kelvin"
            part = self.steps.compute("convert_units", part, "K", intent, to="K", equivalence="thermal")
        is_aligned = part.cadence == slowest.cadence and self.steps.have_same_epochs([part, slowest])
        return part if is_aligned else self.steps.align(part, slowest)

    def _common_frame(self, recipe: Recipe, craft: str) -> str:
        """Return a frame in which a spacecraft has all vectors that a computation needs in one frame."""
        vectors = self._vectors_in_one_frame(recipe, craft)
        if not vectors:
            return ""
        absent = [vector for vector in vectors if not any(frames_of([vector], [craft]))]
        if absent:
            raise NotUnderstood(
                f"helio knows no {absent[0]} of {craft}",
                advice=f"choose one of {', '.join(quantities_of(craft))}",
            )
        turnable = [frame for frame in frames_of(vectors[:1], [craft]) if frame in TURNABLE]
        shared = filter(None, frames_of(vectors, [craft]))
        return self.request.frame or next(iter([*shared, *turnable]), "")

    def _vectors_in_one_frame(self, recipe: Recipe, craft: str) -> list[str]:
        """Return the vectors that a computation needs in one frame, also those from which it computes others."""
        vectors: list[str] = []
        for name in (part.quantity for part in recipe.takes.values() if part.frame == "="):
            if name in DERIVED and not self.data.pick(name, craft):
                vectors += self._vectors_in_one_frame(DERIVED[name], craft)
            else:
                vectors.append(name)
        return vectors


def _check_window(quantity: str, window: str, spacing: float) -> None:
    """Refuse a window of a mean in which there are only a few records."""
    if interval_of(window).nanoseconds / 1e9 < _FEWEST * spacing:
        raise NotUnderstood(
            f"a window of {window} has too few records of {cadence_words(spacing)} for the {quantity}",
            advice=f"name a longer window, such as '{quantity}, {duration(10 * spacing)} windows', or finer data",
        )
