"""A new template from a wish: what to fetch, what to compute, what to draw."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.draft import (
    SPECTRA,
    VECTORS,
    Draft,
    Series,
    figure_of,
    listed,
    panels_of,
    short,
    symbol,
    words,
)
from helio.authoring.rules.reading import (
    ABS_B,
    DENSITY,
    INDICES,
    NEEDS,
    SPEED,
    TEMPERATURE,
    VELOCITY,
    B,
    Operation,
    Wanted,
    Wish,
)
from helio.authoring.rules.sources import (
    cadence_words,
    coverage,
    crafts_with,
    ended,
    frames_of,
    pick,
    quantities_of,
)
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import craft_of
from helio.knowledge.quantities import SOURCES, Source
from helio.pipelines.template import Document
from helio.time_range import Duration, TimeRange, is_relative, parse_time_range

Asks = Callable[[str, Sequence[str]], str]
"""Asks the person: a question and its choices, the first one being the likely one."""

TURNABLE = ("GSE", "GSM", "SM", "GEO", "GEI")
WINDOWS = ("10min", "1h", "5min", "1min")
UPSTREAM = ("OMNI", "ACE", "Wind", "DSCOVR")
_SAID = {
    "running_average": "{window} running average",
    "running_median": "{window} running median",
    "resample": "{window} {method}",
    "despike": "Set spikes to missing",
    "detrend": "Subtract the straight line",
    "derivative": "Time derivative",
    "power_spectrum": "Power spectral density",
    "power_spectrogram": "Spectrogram",
}
_ENDINGS = {
    "running_average": "smooth",
    "running_median": "median",
    "resample": "binned",
    "despike": "clean",
    "detrend": "detrended",
    "derivative": "rate",
    "power_spectrum": "power",
    "power_spectrogram": "spectrogram",
}


def created(
    wish: Wish, *, catalogue: Catalogue, now: datetime, ask: Asks
) -> tuple[Document, tuple[str, ...]]:
    """The template that a wish asks for, not proved yet, and what was assumed.

    Raises
    ------
    NotUnderstood
        The table of quantities has no such thing, or not in that frame, mode or time.
    """
    return _Writer(wish, catalogue, now, ask).written()


class _Writer:
    def __init__(self, wish: Wish, catalogue: Catalogue, now: datetime, ask: Asks) -> None:
        self.wish = wish
        self.catalogue = catalogue
        self.now = now
        self.ask = ask
        self.draft = Draft()
        self.fetched: dict[tuple[str, str, str], Series] = {}
        self.used: list[Source] = []
        self.variable = "$TIME_RANGE"
        self.group = ""
        self.aligned: dict[tuple[str, str], Series] = {}

    def written(self) -> tuple[Document, tuple[str, ...]]:
        wish = self._settled(self.wish)
        epochs = self._epochs(wish)
        for number, (variable, group, span) in enumerate(epochs):
            self.variable, self.group = variable, group
            self.fetched = {}
            shown = self._series(wish, span)
            self._hold_named(wish, shown)
            shown = self._operated(wish, shown)
            self._export(wish, shown)
            if wish.together and any(one.kind == "spectrum" for one in shown):
                raise NotUnderstood("a spectrogram has a panel of its own")
            panels = (
                [shown]
                if wish.together
                else panels_of(
                    shown, compare=wish.compare or wish.overlaid or len({one.craft for one in shown}) > 1
                )
            )
            self._hold_layout(wish, panels)
            title = wish.title or self._title(wish, shown)
            spec = figure_of(
                panels, title=title, log=self._log(wish, shown), colours=self._colours(wish, shown)
            )
            self.draft.add(
                f"figure{'_' + group if group else ''}", "render_spec", {"spec": spec}, "Draw the figure"
            )
            if not number:
                name = wish.name or self._name(wish, shown)
                said = title
        self._default_range(wish, epochs)
        return self.draft.template(name, said), tuple(self.draft.notes)

    # What is asked ----------------------------------------------------------------------------------------

    def _settled(self, wish: Wish) -> Wish:
        """The wish with what was missing asked for."""
        if wish.unclear:
            raise NotUnderstood(
                "which quantity is wanted of which spacecraft is not clear",
                advice="each spacecraft with its own: 'ACE density and Wind speed'; or all with all: 'ACE and Wind"
                " density and speed'",
            )
        part = next((one for one in wish.operations if one.partial), None)
        if part is not None and len(wish.quantities) > 1:
            raise NotUnderstood(
                f"to which quantity the {part.tool.replace('_', ' ')} applies is not clear: rules apply it to all",
                advice="one quantity at a time, or a model: set GEMINI_API_KEY",
            )
        crafts = list(wish.crafts)
        pairs = list(wish.pairs)
        for family in wish.families:
            every = [one.spacecraft for one in SOURCES if one.spacecraft.startswith(family)]
            choices = [*dict.fromkeys(every), "all of them"]
            answer = self.ask(f"Which spacecraft of {family} is meant?", choices)
            chosen = choices[:-1] if answer == "all of them" else [answer]
            crafts += chosen
            pairs = [(craft, one) for name, one in pairs for craft in (chosen if name == family else [name])]
        wanted = list(wish.quantities)
        if not crafts and not wish.datasets:
            if wanted and all(one.quantity in INDICES for one in wanted):
                crafts = ["OMNI"]
            elif any(one.quantity in INDICES for one in wanted):
                crafts = ["OMNI"]  # which has the solar wind beside the indices
                self.draft.note("no spacecraft was named: all of it is taken from OMNI")
            elif wanted:
                every = crafts_with(wanted[0].quantity) or list(UPSTREAM)
                choices = [one for one in UPSTREAM if one in every] + [
                    one for one in every if one not in UPSTREAM
                ]
                crafts = [self.ask(f"Of which spacecraft is the {words(wanted[0].quantity)}?", choices[:12])]
            else:
                raise NotUnderstood(
                    "neither a spacecraft nor a quantity was understood",
                    advice="'ACE magnetic field for last week', or a dataset and parameter as AC_H2_MFI.BGSEc",
                )
        if not wanted and not wish.datasets:
            choices = quantities_of(crafts[0])
            wanted = [Wanted(self.ask(f"What of {listed(crafts)} is to be drawn?", choices[:12]))]
        operations = []
        for one in wish.operations:
            if one.tool in wish.missing and not one.window:
                what = one.tool.replace("_", " ")
                one = replace(one, window=self.ask(f"Over which window is the {what}?", WINDOWS))
            operations.append(one)
        return replace(
            wish,
            crafts=tuple(dict.fromkeys(crafts)),
            quantities=tuple(wanted),
            operations=tuple(operations),
            pairs=tuple(dict.fromkeys(pairs)),
        )

    def _epochs(self, wish: Wish) -> list[tuple[str, str, TimeRange | None]]:
        """For each time range its variable, what its labels end in, and the range."""
        if len(wish.times) > 2 or (len(wish.times) == 2 and not wish.compare):
            raise NotUnderstood(
                f"{len(wish.times)} times were read: {', '.join(wish.times)}",
                advice="one range, 'A to B', or two that are to be compared",
            )
        found: list[tuple[str, str, TimeRange | None]] = []
        for number, phrase in enumerate(wish.times, 1):
            span = parse_time_range(phrase, self.now)
            twice = len(wish.times) > 1
            name = f"$TIME_RANGE_{number}" if twice else "$TIME_RANGE"
            self.draft.variables[name] = {
                "type": "time_range",
                "default": phrase if is_relative(phrase) else str(span),
            }
            if is_relative(phrase):
                self.draft.note(
                    f"'{phrase}' is {span}, counted from {self.now:%Y-%m-%d %H:%M} UTC, and anew in each run"
                )
            found.append((name, str(number) if twice else "", span))
        return found or [("$TIME_RANGE", "", None)]

    def _default_range(self, wish: Wish, epochs: list[tuple[str, str, TimeRange | None]]) -> None:
        """Where no time was said: the last days that there are."""
        if wish.times:
            return
        ends = [end for one in self.used if (end := ended(one, self.catalogue))]
        if ends:
            stop = min(ends).replace(hour=0, minute=0, second=0, microsecond=0)
            default = str(TimeRange(stop - timedelta(days=7), stop))
            self.draft.note(f"no time was said: the default is {default}, for nothing was recorded later")
        else:
            default = "last 7 days"
            self.draft.note("no time was said: the default is the last 7 days, and --time-range sets another")
        self.draft.variables[epochs[0][0]] = {"type": "time_range", "default": default}

    # Series -----------------------------------------------------------------------------------------------

    def _series(self, wish: Wish, span: TimeRange | None) -> list[Series]:
        shown = [self._named_dataset(dataset, parameter) for dataset, parameter in wish.datasets]
        frame = wish.frame
        vectors = [one for one in wish.quantities if one.quantity in VECTORS]
        if not frame and vectors and len(wish.crafts) > 1 and len({one for _, one in wish.pairs}) < 2:
            common = frames_of(vectors[0].quantity, wish.crafts)
            parts = vectors[0].component
            fitting = [one for one in common if not parts or (one == "RTN") == (parts in "rtn")]
            frame = fitting[0] if fitting else ""
        several = len({(one.quantity, one.component) for one in wish.quantities}) > 1
        if wish.versus and several and (wish.pairs or len(wish.crafts) < 2):
            raise NotUnderstood(
                "one quantity against another one is no figure over time",
                advice="'… and …' draws both over time",
            )
        pairs = wish.pairs or [(craft, wanted) for craft in wish.crafts for wanted in wish.quantities]
        for craft, wanted in pairs:
            if wanted.quantity in INDICES and craft != "OMNI":
                craft_of_it = "OMNI"
                self.draft.note(f"{wanted.quantity} is taken from OMNI")
            else:
                craft_of_it = craft
            framed = frame or ("RTN" if wanted.component and wanted.component in "rtn" else "")
            if wanted.component:
                self._hold_component(wanted, craft_of_it, framed)
            made = self._quantity(wanted.quantity, craft_of_it, framed, span)
            if wanted.component:
                made = self._component(made, wanted.component)
            if made.label not in [one.label for one in shown]:
                shown.append(made)
        for wanted in wish.quantities:  # an index in a sentence of pairs
            if wish.pairs and wanted not in [one for _, one in pairs]:
                shown.append(self._quantity(wanted.quantity, "OMNI", "", span))
                self.draft.note(f"{wanted.quantity} is taken from OMNI")
        return shown

    def _hold_component(self, wanted: Wanted, craft: str, frame: str) -> None:
        """Refuse a component that no frame has in which the spacecraft's vector is."""
        there = [one for one in frames_of(wanted.quantity, [craft]) if one]
        fitting = [
            one for one in ([frame] if frame else there) if (one == "RTN") == (wanted.component in "rtn")
        ]
        turned = frame in TURNABLE and any(one in TURNABLE for one in there)
        if not there or (not fitting or not (set(fitting) & set(there) or turned)):
            letters = {one: "r, t, n" if one == "RTN" else "x, y, z" for one in there}
            raise NotUnderstood(
                f"{craft} has no {wanted.component} component of the {words(wanted.quantity)}"
                + (f" in {frame}" if frame else ""),
                advice="there is " + "; ".join(f"{each} in {one}" for one, each in letters.items())
                if there
                else f"the table of quantities has {', '.join(quantities_of(craft))}",
            )

    def _hold_named(self, wish: Wish, shown: list[Series]) -> None:
        """Refuse when a spacecraft or an instrument was named of which nothing is drawn."""
        drawn = {one.craft for one in shown}
        absent = [one for one in wish.crafts if one not in drawn]
        if absent:
            raise NotUnderstood(
                f"nothing of {listed(absent)} would be drawn: indices are taken from OMNI",
                advice=f"name what of {absent[0]} is wanted, or leave it out",
            )
        drawn_in = {one.unit for one in shown}
        units = [one for one in wish.units if {"cm-3": "cm^-3"}.get(one, one) not in drawn_in]
        if units:
            raise NotUnderstood(
                f"nothing of it is in {units[0]}: it is in {', '.join(sorted(one for one in drawn_in if one))}",
                advice="rules convert no units; a model can: set GEMINI_API_KEY",
            )
        ids = {part for one in self.used for part in re.split(r"[_-]", one.dataset.upper())}
        other = [one for one in wish.instruments if one not in ids]
        if other:
            named = ", ".join(dict.fromkeys(one.dataset for one in self.used))
            raise NotUnderstood(
                f"the table of quantities takes none of this from {', '.join(other)}",
                advice=f"it takes {named}; name another one as DATASET.PARAMETER",
            )

    def _hold_layout(self, wish: Wish, panels: list[list[Series]]) -> None:
        """Refuse a layout that was asked for and that the figure would not have."""
        if wish.panels and wish.panels != len(panels):
            raise NotUnderstood(f"this makes {len(panels)} panels, not {wish.panels}")
        if wish.overlaid and not any(len(panel) > 1 for panel in panels):
            raise NotUnderstood("these do not share a panel by themselves", advice="'… in one panel'")
        drawn = [panel[0].quantity for panel in panels]
        places = [
            next((at for at, one in enumerate(drawn) if one == wanted or one.startswith(f"{wanted} ")), -1)
            for wanted in wish.ordered
        ]
        if -1 in places or places != sorted(places):
            raise NotUnderstood(
                "panels stand in their usual order: field, velocity, density, temperature, what is derived, indices",
                advice="helio edit puts them in another one, with a model",
            )

    def _named_dataset(self, dataset: str, parameter: str) -> Series:
        entry = self.catalogue.dataset(dataset)
        if not parameter:
            choices = [one.name for one in entry.parameters if one.kind != "string"]
            known = [name for one in SOURCES if one.dataset == entry.id for name in one.parameters]
            choices = [
                *(one for one in known if one in choices),
                *(one for one in choices if one not in known),
            ]
            if not choices:
                raise NotUnderstood(f"the catalogue knows no parameters of {entry.id}")
            parameter = (
                choices[0] if len(choices) == 1 else self.ask(f"Which parameter of {entry.id}?", choices[:12])
            )
        described = entry.parameter(parameter)
        craft = entry.spacecraft if self.catalogue.in_archive(entry.id) else craft_of(entry.id).spacecraft
        known_as = next(
            (one for one in SOURCES if one.dataset == entry.id and described.name in one.parameters), None
        )
        label = self.draft.label(f"{short(craft)}_{described.name}{self._ending()}")
        args = {
            "dataset_id": entry.id,
            "parameter_id": described.name,
            "time_range": self.variable,
            "output_label": label,
        }
        self.draft.add(
            label, "fetch_data", args, f"Fetch {described.description or described.name} of {craft}"
        )
        kind = {0: "scalar", 1: "vector" if described.size in ((3,), (4,)) else "spectrum"}.get(
            len(described.size), "spectrum"
        )
        quantity = known_as.quantity if known_as and len(known_as.parameters) == 1 else described.name
        cadence = known_as.cadence if known_as else None
        return Series(
            label,
            quantity,
            craft,
            kind,
            cadence,
            known_as.frame if known_as else "",
            described.canonical_unit,
            self.group,
        )

    def _quantity(self, quantity: str, craft: str, frame: str, span: TimeRange | None) -> Series:
        """A quantity of a spacecraft: fetched, or computed from what the table has."""
        key = (quantity, craft, frame)
        if key not in self.fetched:
            self.fetched[key] = self._found(quantity, craft, frame, span)
        return self.fetched[key]

    def _found(self, quantity: str, craft: str, frame: str, span: TimeRange | None) -> Series:
        wish = self.wish
        wanted = frame if quantity in VECTORS else ""
        how: dict[str, Any] = {
            "catalogue": self.catalogue,
            "cadence": wish.cadence,
            "burst": wish.burst,
            "span": span,
            "instruments": wish.instruments,
        }
        if quantity == wish.computed:
            return self._derived(quantity, craft, span)
        found = pick(quantity, craft, frame=wanted, **how)
        if found and not (quantity == ABS_B and self._finer_vector(craft, found[0], how)):
            return self._fetch(quantity, craft, found)
        if quantity in VECTORS and wanted in TURNABLE:
            others = [one for one in pick(quantity, craft, **how) if one.frame in TURNABLE]
            if others:
                given = self._fetch(quantity, craft, others)
                turned = self.draft.compute(
                    "transform_frame",
                    given,
                    wanted.lower(),
                    f"Turn it from {given.frame} to {wanted}",
                    to=wanted,
                )
                return replace(turned, frame=wanted)
        if quantity == ABS_B and pick(B, craft, **how):
            vectors = [one for (name, of, _), one in self.fetched.items() if (name, of) == (B, craft)]
            there = frame if frame in frames_of(B, [craft]) else ""
            return self._magnitude(vectors[0] if vectors else self._quantity(B, craft, there, span), ABS_B)
        if quantity == SPEED and pick(VELOCITY, craft, **how):
            return self._magnitude(self._quantity(VELOCITY, craft, "", span), SPEED)
        alone = not wish.frame and not re.search(r"\bvectors?\b", wish.text, re.IGNORECASE)
        if quantity == VELOCITY and alone and pick(SPEED, craft, **how):
            self.draft.note(
                f"of {craft} the speed is drawn: the table of quantities has no velocity vector of it"
            )
            return self._quantity(SPEED, craft, "", span)
        if quantity in NEEDS:
            return self._derived(quantity, craft, span)
        framed = [one for one in frames_of(quantity, [craft]) if one]
        if framed:
            raise NotUnderstood(
                f"{craft} has no {quantity} in {frame}", advice=f"there is {', '.join(framed)}"
            )
        known = quantities_of(craft)
        raise NotUnderstood(
            f"the table of quantities has no {quantity} of {craft}",
            advice=f"it has {', '.join(known)}; helio datasets search '{craft} {quantity}' finds others",
        )

    def _finer_vector(self, craft: str, magnitude: Source, how: dict[str, Any]) -> bool:
        """Whether a vector that is fetched anyway, or is much finer, gives a better magnitude."""
        if any(one.quantity == B for one in self.wish.quantities):
            return True
        vectors = pick(B, craft, **how)
        return bool(
            vectors
            and vectors[0].cadence
            and magnitude.cadence
            and vectors[0].cadence < magnitude.cadence / 10
        )

    def _fetch(self, quantity: str, craft: str, found: list[Source]) -> Series:
        first = found[0]
        self.used.append(first)
        kind = "vector" if quantity in VECTORS else "spectrum" if quantity in SPECTRA else "scalar"
        label = self.draft.label(f"{short(craft)}_{symbol(quantity)}{self._ending()}")
        framed, each = f" in {first.frame}" if first.frame else "", cadence_words(first)
        intent = f"Fetch {words(quantity)} of {craft}{framed}, {each}"
        where = f"{first.dataset}.{'+'.join(first.parameters)}"
        self.draft.note(f"{craft} {words(quantity)}: {where}, {each}, {coverage(first, self.catalogue)}")
        if first.note:
            self.draft.note(f"{first.dataset}: {first.note}")
        series = Series(label, quantity, craft, kind, first.cadence, first.frame, first.unit, self.group)
        if len(first.parameters) > 1:
            self._joined(first, label, intent)
        elif len(found) > 1:
            candidates = [{"dataset_id": one.dataset, "parameter_id": one.parameters[0]} for one in found]
            args = {"candidates": candidates, "time_range": self.variable, "output_label": label}
            self.draft.add(label, "fetch_data", args, intent)
        else:
            args = {
                "dataset_id": first.dataset,
                "parameter_id": first.parameters[0],
                "time_range": self.variable,
                "output_label": label,
            }
            self.draft.add(label, "fetch_data", args, intent)
        wanted = self.wish.cadence
        if wanted is None:
            return series
        if not first.cadence or quantity in SPECTRA:
            raise NotUnderstood(
                f"{first.dataset} is not brought to a cadence by rules",
                advice=f"'{_seconds(wanted)} averages', or no cadence: it has {each}",
            )
        if wanted > 1.5 * first.cadence:
            window = _seconds(wanted)
            return self.draft.compute(
                "resample", series, "binned", f"{window} mean", cadence=window, method="mean"
            )
        if wanted < first.cadence / 1.5:
            self.draft.note(
                f"{first.dataset} has one value in {cadence_words(first)}, which is coarser than was asked for"
            )
        return series

    def _joined(self, source: Source, label: str, intent: str) -> None:
        """Components that the archive keeps apart, put side by side."""
        letters = "RTN" if source.frame == "RTN" else "xyz"
        stem = "V" if source.quantity == VELOCITY else "B" if source.quantity == B else ""
        self.draft.add(
            f"{label}_parts",
            "fetch_data",
            {
                "dataset_id": source.dataset,
                "parameters": list(source.parameters),
                "time_range": self.variable,
            },
            intent,
        )
        self.draft.add(
            label,
            "join_components",
            {
                "source_labels": [f"{source.dataset}.{name}" for name in source.parameters],
                "names": [f"{stem}{letter}" for letter in letters],
                "frame": source.frame,
                "name": stem or source.quantity,
                "output_label": label,
            },
            "Put the components side by side",
        )

    def _component(self, series: Series, letter: str) -> Series:
        if series.kind != "vector":
            return series
        label = self.draft.label(f"{series.label}{letter}")
        self.draft.add(
            label,
            "components",
            {"source_label": series.label, "keep": [letter], "output_label": label},
            f"Take the {letter} component{f' in {series.frame}' if series.frame else ''}",
        )
        if series.frame and not self.wish.frame:
            self.draft.note(
                f"{series.craft} {series.quantity} {letter} is in {series.frame}: no frame was said"
            )
        return replace(series, label=label, kind="scalar", quantity=f"{series.quantity} {letter}")

    def _magnitude(self, series: Series, quantity: str) -> Series:
        label = self.draft.label(
            f"{series.label.replace('Vvec', 'V')}mag"
            if quantity == ABS_B
            else f"{short(series.craft)}_{symbol(quantity)}{self._ending()}"
        )
        args = {"source_label": series.label, "output_label": label}
        self.draft.add(label, "magnitude", args, f"Compute the {quantity}")
        return replace(series, label=label, kind="scalar", quantity=quantity, frame="")

    def _derived(self, quantity: str, craft: str, span: TimeRange | None) -> Series:
        """What is computed from density, velocity, temperature and field, all on the clock of the first of them."""
        if quantity in ("clock angle", "cone angle"):
            vector = self._quantity(B, craft, self._angle_frame(craft), span)
            tool = quantity.replace(" ", "_")
            made = self.draft.compute(tool, vector, symbol(quantity), f"Compute the {quantity} of the field")
            return replace(made, quantity=quantity, kind="scalar", frame="", unit="deg")
        parts = {one: self._quantity(one, craft, "", span) for one in NEEDS[quantity]}
        slowest = max(parts.values(), key=lambda one: one.cadence or 0.0)
        for name, part in parts.items():
            if name == TEMPERATURE and part.unit != "K":
                part = self.draft.compute(
                    "convert_units", part, "K", "Convert to kelvin", to="K", equivalence="thermal"
                )
            if part.label != slowest.label and (part.cadence != slowest.cadence or part.cadence is None):
                part = self._onto(part, slowest)
            parts[name] = part
        label = self.draft.label(f"{short(craft)}_{symbol(quantity)}{self._ending()}")
        arguments = {
            B: "field_label",
            DENSITY: "density_label",
            VELOCITY: "velocity_label",
            TEMPERATURE: "temperature_label",
        }
        tool = {"Alfvén speed": "alfven_speed", "Alfvén Mach number": "alfven_mach"}.get(
            quantity, quantity.replace(" ", "_")
        )
        given = {arguments[name]: part.label for name, part in parts.items()}
        extra = {"assumed_alpha": 0.04} if tool in ("alfven_speed", "alfven_mach", "dynamic_pressure") else {}
        if extra:
            self.draft.note(f"{quantity}: 4 % of helium is assumed, by number")
        self.draft.add(label, tool, {**given, **extra, "output_label": label}, f"Compute the {quantity}")
        return replace(slowest, label=label, quantity=quantity, kind="scalar", frame="", unit="")

    def _angle_frame(self, craft: str) -> str:
        there = frames_of(B, [craft])
        wanted = self.wish.frame
        return wanted or next((one for one in ("GSM", "GSE", "RTN") if one in there), "")

    def _onto(self, part: Series, clock: Series) -> Series:
        """A series on the clock of another one, never across more than three of the longer cadence."""
        known = self.aligned.get((part.label, clock.label))
        if known is not None:
            return known
        limit = _seconds(3 * max(part.cadence or 60.0, clock.cadence or 60.0))
        label = self.draft.label(f"{part.label}_aligned")
        args = {"series_label": part.label, "onto_label": clock.label, "limit": limit, "output_label": label}
        self.draft.add(label, "align", args, f"Bring it onto the epochs of {clock.label}")
        made = replace(part, label=label, cadence=clock.cadence)
        self.aligned[part.label, clock.label] = made
        return made

    # Operations -------------------------------------------------------------------------------------------

    def _operated(self, wish: Wish, shown: list[Series]) -> list[Series]:
        # a common cadence comes before what needs one
        for operation in sorted(wish.operations, key=lambda one: one.tool == "difference"):
            if operation.tool == "magnitude":
                made = [self._length(one) for one in shown if one.kind == "vector"]
                if not made and not any(one.quantity == ABS_B for one in shown):
                    raise NotUnderstood("there is no vector of which a magnitude could be computed")
                shown = shown + [one for one in made if one.label not in [other.label for other in shown]]
            elif operation.tool == "difference":
                shown = [*shown, self._difference(shown)]
            else:
                shown = self._applied(operation, shown)
        return shown

    def _length(self, series: Series) -> Series:
        quantity = {B: ABS_B, VELOCITY: SPEED}.get(series.quantity, f"{series.quantity} magnitude")
        known = self.fetched.get((quantity, series.craft, ""))
        return known or self._magnitude(series, quantity)

    def _applied(self, operation: Operation, shown: list[Series]) -> list[Series]:
        fitting = [one for one in shown if one.kind != "spectrum" or operation.tool == "resample"]
        if not fitting:
            raise NotUnderstood(
                f"there is nothing to which {operation.tool.replace('_', ' ')} could be applied"
            )
        args = {
            "running_average": {"window": operation.window},
            "running_median": {"window": operation.window},
            "resample": {"cadence": operation.window, "method": operation.method or "mean"},
            "despike": {"window": operation.window},
            "power_spectrum": {"window": operation.window},
            "power_spectrogram": {"window": operation.window},
        }.get(operation.tool, {})
        intent = _SAID[operation.tool].format(window=operation.window, method=operation.method or "mean")
        made: list[Series] = []
        for one in fitting:
            if operation.tool in ("power_spectrum", "power_spectrogram") and one.kind == "vector":
                one = self._length(one)
            new = self.draft.compute(operation.tool, one, _ENDINGS[operation.tool], intent, **args)
            if operation.tool in ("power_spectrum", "power_spectrogram"):
                new = replace(new, kind="spectrum", quantity=f"{one.quantity} power")
            elif operation.tool == "resample":
                new = replace(new, cadence=Duration(operation.window).nanoseconds / 1e9)
            elif operation.tool == "derivative":
                new = replace(new, quantity=f"{one.quantity} rate")
            made.append(new)
        instead = {one.label: new for one, new in zip(fitting, made, strict=True)}
        if operation.beside:
            return [*shown, *made]
        return [instead.get(one.label, one) for one in shown]

    def _difference(self, shown: list[Series]) -> Series:
        pairs = [one for one in shown if one.kind != "spectrum"]
        if len(pairs) != 2 or pairs[0].quantity != pairs[1].quantity:
            raise NotUnderstood(
                "a difference is between two series of one quantity",
                advice="'the difference between ACE and Wind Bz'",
            )
        one, other = pairs
        if one.cadence != other.cadence or one.craft != other.craft:
            other = self._onto(other, one)
        label = self.draft.label(f"{one.label}_minus_{other.label.removesuffix('_aligned')}")
        args = {
            "left_label": one.label,
            "right_label": other.label,
            "operation": "subtract",
            "output_label": label,
        }
        self.draft.add(label, "arithmetic", args, f"Subtract {other.craft} from {one.craft}")
        return replace(
            one, label=label, quantity=f"{one.quantity} difference", craft=f"{one.craft} − {other.craft}"
        )

    # What is drawn ----------------------------------------------------------------------------------------

    def _export(self, wish: Wish, shown: list[Series]) -> None:
        for form in wish.export:
            suffix = {"netcdf": "nc"}.get(form, form)
            for one in shown:
                args = {"source_labels": [one.label], "filename": f"{one.label}.{suffix}", "format": form}
                self.draft.add(f"save_{one.label}", "save_data", args, f"Save it as {form}")

    def _log(self, wish: Wish, shown: list[Series]) -> list[str]:
        """The quantities for which a logarithmic scale was asked."""
        found: list[str] = []
        for said in wish.log:
            if said in ("*", "all", "everything"):
                found.append("*")
            else:
                found += [one.quantity for one in shown if said in one.quantity]
        return found

    def _colours(self, wish: Wish, shown: list[Series]) -> dict[str, str]:
        found: dict[str, str] = {}
        for what, colour in wish.colours:
            lines = [
                line for one in shown if (line := line_of(what, one.label, one.quantity, one.craft, one.kind))
            ]
            if not lines:
                raise NotUnderstood(f"nothing is drawn that '{what}' in {colour} could mean")
            if len(lines) > 1 or lines[0] in found:
                raise NotUnderstood(
                    f"which line is to be {colour} is not clear: {', '.join(lines)}",
                    advice="draw them first; then helio edit colours each",
                )
            found |= dict.fromkeys(lines, colour)
        return found

    def _title(self, wish: Wish, shown: list[Series]) -> str:
        crafts = listed([one.craft for one in shown if "−" not in one.craft])
        quantities = list(dict.fromkeys(words(one.quantity) for one in wish.quantities)) or [
            one.quantity for one in shown
        ]
        what = listed(quantities) if len(quantities) <= 3 else "overview"
        return f"{crafts}: {what}"

    def _name(self, wish: Wish, shown: list[Series]) -> str:
        crafts = [short(one) for one in dict.fromkeys(one.craft for one in shown if "−" not in one.craft)]
        quantities = [words(one.quantity) for one in wish.quantities] or [one.quantity for one in shown]
        what = list(dict.fromkeys(quantities))
        named = crafts if len(crafts) <= 3 else [crafts[0], "to", crafts[-1]]
        plain = unicodedata.normalize("NFKD", "-".join([*named, *(what if len(what) <= 2 else ["overview"])]))
        return plain.encode("ascii", "ignore").decode()

    def _ending(self) -> str:
        return f"_{self.group}" if self.group else ""


def line_of(what: str, label: str, quantity: str, craft: str, kind: str) -> str:
    """How a figure addresses the line of a series that a word means; empty when it means another one.

    >>> line_of("bz", "ACE_B", "magnetic field vector", "ACE", "vector")
    'ACE_B.z'
    >>> line_of("bz", "ACE_Bz", "magnetic field vector z", "ACE", "scalar")
    'ACE_Bz'
    >>> line_of("magnitude", "ACE_Bmag", "magnetic field magnitude", "ACE", "scalar")
    'ACE_Bmag'
    """
    plain = what.casefold().replace("_", "").strip("|")
    if len(plain) == 2 and plain[0] in "bv":
        whole = quantity.removesuffix(f" {plain[1]}")
        if symbol(whole)[0].casefold() != plain[0]:
            return ""
        if kind == "vector":
            return f"{label}.{plain[1]}"
        return label if quantity.endswith(f" {plain[1]}") else ""
    if plain == "b":
        return label if quantity == ABS_B else ""
    if plain == "field":
        return label if "magnetic field" in quantity else ""
    return label if plain in (craft.casefold(), quantity) or plain in quantity.split() else ""


def _seconds(seconds: float) -> str:
    """A duration as templates write it."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and (seconds / length).is_integer():
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:g}s" if seconds >= 1 else f"{seconds * 1e3:g}ms"
