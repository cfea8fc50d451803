"""Panels of orbits: positions about the Earth or the Sun, in two coordinates."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, cast

import numpy as np
import numpy.typing as npt

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.knowledge.constants import SOLAR_RADIUS
from helio.knowledge.magnetosphere import (
    FARTHEST,
    bow_shock,
    bow_shock_standoff,
    magnetopause,
    shue_parameters,
)
from helio.knowledge.unit_algebra import EARTH_RADIUS_KM, comparable, conversion_factor
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.cartesian import cartesian, cartesian_names
from helio.steps.quantity import Quantity, advice_on_units, check_quantity, same_clock, same_frame
from helio.steps.render import colours, review
from helio.steps.render.axes import Limits
from helio.steps.render.clouds import TIME, Cloud, Colours, cloud_traces, end_marks, full_cloud
from helio.steps.render.encode import numbers
from helio.steps.render.entry_panel import EntryPanel
from helio.steps.render.orbit_frames import ABOUT_EARTH, ABOUT_SUN, OF_MODELS, TO_THE_SUN
from helio.steps.render.panel import Drawing, Nothing, Slot, absent_words
from helio.steps.render.quality import TraceQuality
from helio.steps.render.time_axis import time_ticks
from helio.steps.render.wording import axis_title, inert, text_width
from helio.store.table import Table

Reals = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""The left, right, lower and upper side of a text in pixels."""

MODELS = ("magnetopause", "bow_shock")
_MODEL_COLOURS = {"magnetopause": "#0072b2", "bow_shock": "#d55e00"}
_MODEL_NAMES = {"magnetopause": "magnetopause", "bow_shock": "bow shock"}
_BODY = {"Earth": EARTH_RADIUS_KM, "Sun": SOLAR_RADIUS / 1e3}
"""Radii in km."""
_SMALLEST = 5.0
"""The smallest radius of the drawn Earth or Sun in pixels; smaller ones are not to scale."""
_MARGIN = 0.06
_MARKS = 7
"""The largest number of marked times along an orbit."""


@dataclass(frozen=True, eq=False)
class OrbitPanel(EntryPanel):
    """A panel with the orbits of one or more spacecraft, and with the body that they go around."""

    kind = "orbits"

    @classmethod
    def labels_of(cls, entry: Mapping[str, Any]) -> list[str]:
        """Return the labels of the positions, and of the quantity that sets their colours."""
        by = entry.get("color_by", TIME)
        return list(dict.fromkeys([*_positions(entry), *([] if by == TIME else [by])]))

    @classmethod
    def check_entry(cls, number: int, tables: Mapping[str, Table], entry: Mapping[str, Any]) -> None:
        """Refuse positions that are no vectors, that have no suitable frame or unit, and models in another frame.

        Raises
        ------
        UnitMismatch, FrameMismatch, ClockMismatch
            The unit is no length; the frames differ or have no known centre; the epochs of the colours differ.
        StepError
            A table is no vector, or two keys contradict each other.
        """
        positions = _positions(entry)
        if not positions:
            raise StepError(
                f"panel {number}: the orbit names no label", advice="name the label of a position in 'of'"
            )
        cls.check_tables(number, tables)
        first = tables[positions[0]]
        for label in positions:
            table = tables[label]
            cartesian_names(table, "an orbit")
            if not table.unit or not comparable(table.unit, "km"):
                raise UnitMismatch(
                    f"panel {number}: '{label}' is in {table.unit or 'no unit'}, but a position must be in a unit of "
                    "length",
                    advice=advice_on_units(table.unit, "km"),
                )
            same_frame(first, table)
        frame = first.frame.upper()
        known = (*ABOUT_EARTH, *ABOUT_SUN)
        if frame not in known:
            raise FrameMismatch(
                f"panel {number}: an orbit needs a frame about the Earth or the Sun, but '{positions[0]}' "
                f"{f'is in {first.frame}' if frame else 'has no frame'}",
                advice=f"choose a position in one of {', '.join(known)}"
                if frame
                else 'if the frame is known, state it with the tool declare_quantity: frame "GSE"',
            )
        wrong = next((key for key in OF_MODELS if entry.get(key) not in (None, False)), None)
        if wrong and frame not in TO_THE_SUN:
            raise FrameMismatch(
                f"panel {number}: {wrong} needs positions in GSE or GSM, but '{positions[0]}' is in {first.frame}",
                advice=f"transform the position to GSM with transform_frame, or leave out {wrong}"
                if frame in ABOUT_EARTH
                else f"leave out {wrong}",
            )
        for key, lowest in (("pressure", 0.0), ("mach", 1.0)):
            if key in entry and not entry[key] > lowest:
                raise StepError(
                    f"panel {number}: {key} is {entry[key]:g}, but must be above {lowest:g}",
                    advice="leave it out for the usual value",
                )
        by = entry.get("color_by")
        if by is not None and len(positions) > 1:
            raise StepError(
                f"panel {number}: color_by needs a single orbit, but 'of' names {len(positions)}",
                advice="leave out color_by, or give each orbit a panel of its own",
            )
        if by not in (None, TIME):
            check_quantity(
                Quantity(kind="scalar"), tables[by], tool=f"panel {number}", parameter="color_by", label=by
            )
            same_clock(first, tables[by])

    @property
    def square(self) -> bool:
        """Whether the panel is as high as wide, which is always true for this kind of panel."""
        return True

    def needs_any_of(self, absent: Mapping[str, str]) -> bool:
        """Return whether no position has values, or the quantity of the colours has none."""
        positions = _positions(self.entry)
        return set(positions) <= set(absent) or any(label not in positions for label in absent)

    def between(self, start: np.datetime64, stop: np.datetime64, written: str) -> Self:
        """Return a copy of the panel that has only the records in [start, stop), and between the times of its entry."""
        cut = super().between(start, stop, written)
        if cut.nothing is not None or cut.clouds:
            return cut
        what = f"no record with a usable value of {' and '.join(repr(label) for label in self.tables)}"
        message = f"nothing to draw: panel {self.number} has {what}"
        return replace(cut, nothing=Nothing(what, message, "choose another time range"))

    @property
    def x_quantity(self) -> tuple[str, str]:
        """The coordinate on the x axis with its frame, and its unit."""
        return self._title_of(self._plane[0]), self._unit

    @property
    def _tracks(self) -> dict[str, Table]:
        return {label: self.tables[label] for label in _positions(self.entry)}

    @property
    def _frame(self) -> str:
        return next((table.frame.upper() for table in self._tracks.values() if table.frame), "")

    @property
    def _body(self) -> Literal["Earth", "Sun"]:
        return "Earth" if self._frame in ABOUT_EARTH else "Sun"

    @property
    def _unit(self) -> str:
        usual = "" if not self._frame else "R_E" if self._body == "Earth" else "AU"
        return self.option("unit", usual)

    @property
    def _plane(self) -> str:
        return self.option("plane", "xy")

    @property
    def _reversed(self) -> tuple[bool, bool]:
        """Whether the x axis and the y axis of the panel increase to the left and downwards."""
        left = self._frame in TO_THE_SUN and self.option("sun", "left") == "left" and self._plane != "yz"
        return left, left and self._plane == "xy"

    @cached_property
    def clouds(self) -> dict[str, Cloud]:
        """The points of each orbit that has any, by label."""
        by = self.option("color_by", cast(str | None, None))
        made = {}
        for label, table in self._tracks.items():
            if label in self.absent:
                continue
            position = cartesian(table, "an orbit") * conversion_factor(table.unit, self._unit)
            x, y = (
                replace(table, values=position[:, "xyz".index(letter)], components=(), name=letter)
                for letter in self._plane
            )
            cloud = Cloud.of(
                x,
                y,
                None if by in (None, TIME) else self.tables[by],
                by_time=by == TIME,
                log_x=False,
                log_y=False,
                log_colour=False,
                gap_factor=self.style.gap_factor,
            )
            if cloud.x.size:
                made[label] = cloud
        return made

    @cached_property
    def _colours(self) -> dict[str, Colours]:
        spec, theme = self.style.spec, self.style.theme
        tracks = self._tracks
        shades = colours.qualitative(len(tracks), spec.get("palette", "tplot"), theme.foreground)
        chosen = spec.get("trace_colors", {})
        return {
            label: Colours.of(
                self.clouds[label],
                chosen.get(label, shade),
                spec.get("colorscale", colours.USUAL_SCALE),
                f"panel {self.number}",
            )
            for label, shade in zip(tracks, shades, strict=True)
            if label in self.clouds
        }

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar, because time or a quantity sets the colours of its orbit."""
        return self.option("color_by", "") != ""

    @property
    def colour_meaning(self) -> Hashable:
        """Return what sets the colours, and the limits of the colours."""
        if not self.has_colour_bar:
            return None
        return self.option("color_by", TIME), False, next(iter(self.clouds.values())).colour_limits

    def room_at_right(self, font: float) -> float:
        """Return the width in pixels that the colour bar needs."""
        return next(iter(self._colours.values())).room(font) if self.has_colour_bar else 0.0

    def _title_of(self, letter: str) -> str:
        return f"{letter.upper()} {self._frame}".strip()

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the title of the y axis: the coordinate with its frame and unit."""
        return axis_title(self._title_of(self._plane[1]), self._unit, height, font)

    def limits(self) -> tuple[Limits, Limits]:
        """Return the limits of both axes, which are equally long: around the orbits, the body and the models.

        The models are left out if the orbits stay within half of their distance.
        """
        clouds = self.clouds.values()
        radius, noses = self._radius, []
        if self._plane != "yz" and self._reach > 0.5 * max(self._noses.values(), default=math.inf):
            noses = [nose * conversion_factor("R_E", self._unit) for nose in self._noses.values()]
        every = [
            np.concatenate([*(cloud.x for cloud in clouds), [-radius, radius], noses]),
            np.concatenate([*(cloud.y for cloud in clouds), [-radius, radius]]),
        ]
        x, y = (
            self._chosen_limits(f"{axis}_range", log=False)
            or (
                float(values.min()) - _MARGIN * float(np.ptp(values)),
                float(values.max()) + _MARGIN * float(np.ptp(values)),
            )
            for axis, values in zip("xy", every, strict=True)
        )
        half = max(x[1] - x[0], y[1] - y[0]) / 2
        return (sum(x) / 2 - half, sum(x) / 2 + half), (sum(y) / 2 - half, sum(y) / 2 + half)

    @property
    def _reach(self) -> float:
        """The largest distance of the orbits from the centre, in R_E and in the plane of the panel."""
        farthest = max(float(np.hypot(cloud.x, cloud.y).max()) for cloud in self.clouds.values())
        return farthest * conversion_factor(self._unit, "R_E")

    @property
    def _radius(self) -> float:
        """The radius of the Earth or the Sun in the unit of the axes."""
        return _BODY[self._body] * conversion_factor("km", self._unit)

    def draw(self, slot: Slot) -> Drawing:
        """Draw the body, the models, and the orbits with their ends and marked times."""
        geometry = slot.geometry
        pixels = (geometry.panel_width(self.number), geometry.panel_height(self.number))
        x_axis = self._own_x_axis(slot)
        y_axis = self._own_y_axis(slot)
        for axis, turned in zip((x_axis, y_axis), self._reversed, strict=True):
            axis["range"] = axis["range"][::-1] if turned else axis["range"]
        x_axis |= {"constrain": "range"}
        y_axis |= {"scaleanchor": slot.x_axis, "scaleratio": 1, "constrain": "range"}
        common = {"xaxis": slot.x_axis, "yaxis": slot.y_axis, "showlegend": False}
        drawing = Drawing(y_axis=y_axis)
        drawing.layout["xaxis" + slot.x_axis.removeprefix("x")] = x_axis
        models = self._models(common)
        drawing.traces += models
        drawing.traces += self._globe(common, pixels[0])
        names = []
        for order, (label, cloud) in enumerate(self.clouds.items(), 1):
            names.append(self._add_orbit(label, cloud, order, drawing, pixels, common, geometry.font))
        lost = [label for label in self._tracks if label not in self.clouds]
        names += [f"{self._track_name(label)} {absent_words(self.absent.get(label, ''))}" for label in lost]
        drawing.notes += [
            f"panel {self.number}: {label} is not drawn: {self.absent.get(label, 'no usable position')}"
            for label in lost
        ]
        if len(names) > 1 and self.style.legend:
            drawing.texts.append(self._note(slot, "   ".join(names), top=True))
        words = [*(self._model_words(pixels[0]) if models else []), *self._words_on_ends(models)]
        if words:
            drawing.texts.append(self._note(slot, "<br>".join(words), top=False))
            words = [*(self._model_words(math.inf) if models else []), *self._words_on_ends(models)]
            drawing.notes += [f"panel {self.number}: {_plain(line)}" for line in words]
        if self.has_colour_bar and slot.bar:
            self._add_colour_bar(slot, drawing, next(iter(self._colours.values())))
        return drawing

    def _add_orbit(
        self,
        label: str,
        cloud: Cloud,
        order: int,
        drawing: Drawing,
        pixels: tuple[float, float],
        common: dict[str, Any],
        font: float,
    ) -> str:
        """Draw one orbit, and return its name in its colour."""
        theme, shades = self.style.theme, self._colours[label]
        uid = f"p{self.number}-{order}"
        unit = pretty_unit(self._unit)
        name = self._track_name(label)
        hover = "<br>".join(
            [name]
            + [
                f"{self._title_of(letter)} %{{{axis}:.5g}} {unit}"
                for letter, axis in zip(self._plane, "xy", strict=True)
            ]
        )
        kept = cloud.visible(*self.limits(), pixels, "lines")
        drawing.traces += cloud_traces(cloud, kept, shades, mode="lines", uid=uid, common=common, hover=hover)
        drawing.details += full_cloud(cloud, kept, shades, mode="lines", uid=uid, label=label)
        shade = theme.foreground if self.has_colour_bar else shades.plain
        ends, words = end_marks(
            cloud,
            self.limits()[0],
            uid=uid,
            common=common,
            colours=(shade, theme.background),
            font=font - 3,
        )
        alone = len(self._tracks) == 1
        words = [self._turned(text) for text in words]
        first, last = (self._screen(text["x"], text["y"], pixels) for text in words)
        if math.dist(first, last) < 20:
            words = [words[0] | {"text": "start, end"}]
        if self.option("time_marks", True):
            self._add_times(cloud, uid, shade, drawing, words if alone else [], pixels, common, font)
        drawing.traces += ends
        if alone:
            drawing.texts += words
        outside = cloud.outside(*self.limits())
        drawing.notes += [
            note.replace("points of", f"positions of {label} in", 1)
            for note in review.cloud_notes(self.number, cloud, outside)
        ]
        drawing.qualities.append(
            TraceQuality(label, name, cloud.x.size, cloud.missing, kept.size, outside, cloud.unusable)
        )
        drawing.notes += review.hidden_notes(self.number, kept.size, cloud.x.size)
        return f'<span style="color:{shade}">{name}</span>'

    def _track_name(self, label: str) -> str:
        return inert(self.style.spec.get("trace_names", {}).get(label, label))

    def _turned(self, text: dict[str, Any]) -> dict[str, Any]:
        """Return the text beside a point, on its other side if the x axis increases to the left."""
        if not self._reversed[0]:
            return text
        return text | {
            "xanchor": {"left": "right", "right": "left"}[text["xanchor"]],
            "xshift": -text["xshift"],
        }

    def _add_times(
        self,
        cloud: Cloud,
        uid: str,
        shade: str,
        drawing: Drawing,
        taken: list[dict[str, Any]],
        pixels: tuple[float, float],
        common: dict[str, Any],
        font: float,
    ) -> None:
        """Mark round times along an orbit, between neighbouring records; name them where there is room."""
        (x0, x1), (y0, y1) = self.limits()
        ticks, texts = time_ticks(cloud.epoch[0], cloud.epoch[-1], _MARKS)
        after = np.searchsorted(cloud.epoch, ticks, side="left")
        sound = (after < cloud.epoch.size) & (
            (cloud.epoch[np.minimum(after, cloud.epoch.size - 1)] == ticks)
            | ~cloud.breaks[np.minimum(after, cloud.epoch.size - 1)]
        )
        moments = cloud.epoch.astype("i8")
        x, y = (np.interp(ticks.astype("i8"), moments, values) for values in (cloud.x, cloud.y))
        sound &= (ticks > cloud.epoch[0]) & (ticks < cloud.epoch[-1])
        sound &= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        if not sound.any():
            return
        drawing.traces.append(
            {
                "type": "scatter", "uid": f"{uid}-times", "mode": "markers",
                "x": numbers(x[sound]), "y": numbers(y[sound]),
                "marker": {"symbol": "circle", "size": 5, "color": shade},
                "hoverinfo": "skip", **common,
            }
        )  # fmt: skip
        if len(self._tracks) > 1:
            return
        small = font - 4
        boxes = [
            _box(
                self._screen(text["x"], text["y"], pixels),
                text_width(text["text"], font - 3),
                font - 3,
                text["xanchor"],
            )
            for text in taken
        ]
        centre, radius = self._screen(0.0, 0.0, pixels), self._drawn_radius(pixels[0]) * pixels[0] / (x1 - x0)
        boxes.append((centre[0] - radius, centre[0] + radius, centre[1] - radius, centre[1] + radius))
        words = [_plain(line) for line in self._model_words(pixels[0])]
        boxes.append((0.0, max(map(len, words), default=0) * 0.56 * small, 0.0, 1.6 * small * len(words)))
        track_x, track_y = self._screen(cloud.x, cloud.y, pixels)
        for place in np.flatnonzero(sound).tolist():
            text = _short(texts[place])
            at, width = self._screen(x[place], y[place], pixels), text_width(text, small)
            free: list[tuple[int, int, str, int, Box]] = []
            for anchor in ("left", "right", "center"):
                for side in (1, -1) if anchor == "center" else (0,):
                    box = _box(at, width, small, anchor, side)
                    inside = box[0] > 0 and box[1] < pixels[0] and box[2] > 0 and box[3] < pixels[1]
                    if inside and all(_apart(box, other) for other in boxes):
                        hidden = (
                            (track_x > box[0]) & (track_x < box[1]) & (track_y > box[2]) & (track_y < box[3])
                        )
                        free.append((int(hidden.sum()), len(free), anchor, side, box))
            if not free:
                continue
            _, _, anchor, side, box = min(free)
            boxes.append(box)
            drawing.texts.append(
                {
                    "text": text, "xref": common["xaxis"], "x": float(f"{x[place]:.8g}"),
                    "yref": common["yaxis"], "y": float(f"{y[place]:.8g}"), "showarrow": False,
                    "xanchor": anchor, "xshift": {"left": 6, "right": -6}.get(anchor, 0),
                    "yanchor": {1: "bottom", -1: "top"}.get(side, "middle"), "yshift": 4 * side,
                    "borderpad": 0, "font": {"size": small, "color": shade},
                }
            )  # fmt: skip

    def _screen(self, x: Any, y: Any, pixels: tuple[float, float]) -> tuple[Any, Any]:
        """Return positions in pixels from the left and from the bottom of the panel."""
        at_x, at_y = (
            ((high - value) if turned else (value - low)) / (high - low) * size
            for value, (low, high), size, turned in zip(
                (x, y), self.limits(), pixels, self._reversed, strict=True
            )
        )
        return at_x, at_y

    def _globe(self, common: dict[str, Any], width: float) -> list[dict[str, Any]]:
        """Return the traces of the Earth, with its night side dark if the plane shows one, or of the Sun."""
        radius = self._drawn_radius(width)
        fill = "#ffd700" if self._body == "Sun" else "#ffffff"
        edge = "#b8860b" if self._body == "Sun" else "#000000"
        around = np.linspace(0, 2 * math.pi, 73)
        traces = [self._area(radius * np.cos(around), radius * np.sin(around), "body", fill, edge, common)]
        if self._frame in TO_THE_SUN and self._plane != "yz":
            night = np.linspace(math.pi / 2, 3 * math.pi / 2, 37)
            traces.append(
                self._area(radius * np.cos(night), radius * np.sin(night), "night", "#000000", edge, common)
            )
        return traces

    def _drawn_radius(self, width: float) -> float:
        """Return the radius of the drawn body in a panel with a width in pixels, in the unit of the axes."""
        (x0, x1), _ = self.limits()
        return max(self._radius, _SMALLEST * (x1 - x0) / width)

    def _area(
        self, x: Reals, y: Reals, uid: str, fill: str, edge: str, common: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "type": "scatter", "uid": f"p{self.number}-{uid}", "mode": "lines", "x": numbers(x), "y": numbers(y),
            "line": {"color": edge, "width": 1, "simplify": False}, "fill": "toself", "fillcolor": fill,
            "hoverinfo": "skip", **common,
        }  # fmt: skip

    def _drawn(self, model: str) -> bool:
        """Whether a model is drawn."""
        return self.option(model, self._frame in TO_THE_SUN)

    @property
    def _pressure(self) -> float:
        return float(self.option("pressure", 2.0))

    @property
    def _bz(self) -> float:
        return float(self.option("bz", 0.0))

    @property
    def _mach(self) -> float:
        return float(self.option("mach", 6.0))

    def _models(self, common: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the traces of the models: their cuts with the plane of the panel, symmetric about the x axis."""
        scale = conversion_factor("R_E", self._unit)
        traces = []
        for model in filter(self._drawn, MODELS):
            x, rho = (
                magnetopause(self._pressure, self._bz)
                if model == "magnetopause"
                else bow_shock(self._pressure, self._bz, self._mach)
            )
            if self._plane == "yz":
                around = np.linspace(0, 2 * math.pi, 181)
                size = float(np.interp(0.0, x[::-1], rho[::-1]))
                x, y = size * np.cos(around), size * np.sin(around)
            else:
                x, y = np.concatenate([x[:0:-1], x]), np.concatenate([-rho[:0:-1], rho])
            (x0, x1), (y0, y1) = self.limits()
            across, along = x * scale, y * scale
            if not ((across > x0) & (across < x1) & (along > y0) & (along < y1)).any():
                continue
            traces.append(
                {
                    "type": "scatter", "uid": f"p{self.number}-{model}", "mode": "lines",
                    "x": numbers(across), "y": numbers(along),
                    "line": {"color": _MODEL_COLOURS[model], "width": 1.5, "dash": "dash", "simplify": False},
                    "hoverinfo": "skip", **common,
                }
            )  # fmt: skip
        return traces

    @property
    def _noses(self) -> dict[str, float]:
        """The distance in R_E at which each drawn model crosses the x axis."""
        nose = float(shue_parameters(self._pressure, self._bz)[0])
        noses = {"magnetopause": nose, "bow_shock": bow_shock_standoff(nose, self._mach)}
        return {model: noses[model] for model in MODELS if self._drawn(model)}

    def _model_words(self, width: float) -> list[str]:
        """Return a line about each drawn model, in its colour: its parameters, and in a wide panel also its source."""
        wind = f"{self._pressure:g} nPa, B<sub>z</sub> {self._bz:g} nT".replace("-", "−")
        sources = {"magnetopause": ", Shue et al. 1998", "bow_shock": ", Farris and Russell 1994"}
        facts = {"magnetopause": f": {wind}", "bow_shock": f": M {self._mach:g}"}
        lines = []
        for model, nose in self._noses.items():
            where = "at x = 0" if self._plane == "yz" else f"nose at {nose:.1f} R<sub>E</sub>"
            text = _MODEL_NAMES[model] + (sources[model] if width > 420 else "") + facts[model]
            text += f"; {where}" if width > 420 else ""
            lines.append(f'<span style="color:{_MODEL_COLOURS[model]}">{text}</span>')
        return lines

    def _words_on_ends(self, models: Sequence[dict[str, Any]]) -> list[str]:
        """Return a line on where the models end, if the panel shows places beyond; or that they are outside the panel.

        Parameters
        ----------
        models : sequence of dict
            The traces of the models in the panel.
        """
        wanted = [_MODEL_NAMES[model] for model in self._noses]
        if not wanted or self._plane == "yz":
            return []
        farthest = min(float(cloud.x.min()) for cloud in self.clouds.values())
        verb = "ends" if len(wanted) == 1 else "end"
        if farthest * conversion_factor(self._unit, "R_E") < -FARTHEST:
            end = f"{FARTHEST:g} R<sub>E</sub> behind the Earth"
            return [f"drawn to {end}" if models else f"{' and '.join(wanted)} {verb} {end}"]
        if not models and self._reach > 0.5 * max(self._noses.values()):
            return [f"{' and '.join(wanted)}: outside this panel"]
        return []

    def _note(self, slot: Slot, text: str, *, top: bool) -> dict[str, Any]:
        """Return a text at the top right or the bottom left of the panel."""
        font = slot.geometry.font
        widest = max(len(_plain(line)) for line in text.split("<br>"))
        fitting = (slot.geometry.panel_width(self.number) - 12) / (0.56 * widest)
        return {
            "text": text, "showarrow": False, "borderpad": 1, "align": "left",
            "xref": f"{slot.x_axis} domain", "x": int(top), "xanchor": "right" if top else "left",
            "xshift": -6 if top else 6,
            "yref": f"{slot.y_axis} domain", "y": int(top), "yanchor": "top" if top else "bottom",
            "yshift": -4 if top else 4, "bgcolor": self.style.theme.background, "opacity": 0.85,
            "font": {"size": round(max(6.0, min(font - 4, fitting)), 1)},
        }  # fmt: skip


def _positions(entry: Mapping[str, Any]) -> list[str]:
    of = entry.get("of", [])
    return list(dict.fromkeys([of] if isinstance(of, str) else of))


def _plain(text: str) -> str:
    """Return a text without the marks of its style."""
    return re.sub(r"<[^>]+>", "", text.replace("<sub>", "_"))


def _short(text: str) -> str:
    """Return the date alone for midnight, and otherwise the time: the title of the figure has the first date."""
    date, _, clock = text.partition(" ")
    return text if not clock else date if clock == "00:00" else clock


def _box(at: tuple[float, float], width: float, font: float, anchor: str, side: int = 0) -> Box:
    """Return the box of a text at the right (anchor left) or left of a point, or above (side 1) or below it."""
    x, y = at
    left = {"left": x + 6, "right": x - 6 - width}.get(anchor, x - width / 2)
    middle = y + side * (4 + 0.7 * font)
    return left, left + width, middle - 0.7 * font, middle + 0.7 * font


def _apart(one: Box, other: Box) -> bool:
    """Return whether two boxes do not overlap."""
    return one[1] < other[0] or other[1] < one[0] or one[3] < other[2] or other[3] < one[2]
