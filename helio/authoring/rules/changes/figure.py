"""Change the figure of a template: its settings, its panels, and the steps that compute what it draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.memory import Item
from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.lines import AVERAGES, Lines
from helio.authoring.writing.asking import EVERY, Asks
from helio.authoring.writing.steps import free_name
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of, spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import (
    AT_PANEL,
    BY_LINE,
    BY_NUMBER,
    ENTRIES,
    FIGURES,
    LABEL_LISTS,
    PER_PANEL,
    RENDER,
    RIGHT,
    STYLE,
    TWO_SIDED,
    entry_labels,
    panel_of,
)
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures

_FRAME = re.compile(rf"\s+(?:{'|'.join(KNOWN_FRAMES)})\b")
_TYPES = {"superposed_epoch": "epochs", "power_spectrum": "spectrum"}
"""Tools whose results need a type of panel of their own."""


class FigureEditor:
    """Editor of the figure of a template.

    Parameters
    ----------
    template : Document
        It is not changed; `after` is the changed copy.
    catalogue : Catalogue
    ask : callable
    now : datetime
        Naive UTC.
    """

    def __init__(self, template: Document, catalogue: Catalogue, ask: Asks, now: datetime) -> None:
        self.after = deepcopy(template)
        self.catalogue = catalogue
        self.ask = ask
        self.now = now
        self.notes: list[str] = []
        self.remembered: Sequence[Item] = ()
        """What the user told helio to remember."""
        self.changed = False
        """Whether there was an operation, even one that sets the value of before."""
        self.swapped = False
        self.lines = Lines(self.after, catalogue, ask)
        """Lines of the template, including all changes so far."""
        self._name = ""
        self.said = ""
        """The sentence."""
        self.raw: set[str] = set()
        """Lines that the sentence draws without a computation."""
        self.wished: set[tuple[str, str]] = set()
        """Settings that the sentence has changed: pairs of a figure's key and the line or panel number,
        or an empty text."""
        self.kept: dict[str, str] = {}
        """Lines that the sentence leaves as they are, each with how it was shown before."""
        self.others: dict[int, list[str]] = {}
        """Lines that words such as ``others`` mean, each by the place of the words in the sentence."""
        self.given: dict[tuple[str, str], Any] = {}
        """Values that the sentence has given, each by the step and the name of the argument."""

    def do(self, *operations: Operation) -> None:
        self.after = apply(self.after, operations)
        self.lines = Lines(self.after, self.catalogue, self.ask)
        self.changed = self.changed or bool(operations)

    def figures(self) -> dict[str, Document]:
        """Return the figures of the template by the ids of their steps."""
        return {
            str(step["step_id"]): step for step in self.after["steps"] if step.get("tool_name") in FIGURES
        }

    def choose(self, figure: str) -> None:
        """Change the figure with an id from now on."""
        self._name = figure

    def figure(self) -> Document:
        """Return the figure of the template; ask the user once if the template has several figures."""
        figures = self.figures()
        if not figures:
            raise NotUnderstood("the pipeline draws no figure")
        if self._name not in figures:
            names = list(figures)
            self._name = names[0] if len(names) == 1 else self.ask("Which figure do you mean?", names)
        return figures[self._name]

    @property
    def fetches(self) -> list[tuple[StepView, list[tuple[str, str]]]]:
        """Return the steps that fetch, each with the pairs of dataset and parameter from which it chooses."""
        steps = [step for step in self.lines.graph.steps if step.tool == FETCH]
        return [(step, fetch_pairs(step.params)) for step in steps]

    @property
    def spec(self) -> Document:
        """Return the settings of the figure, including those of its styles."""
        return self.lines.spec(self.figure())

    @property
    def panels(self) -> list[list[str]]:
        """Return the labels that each panel draws; empty if the figure has no list of panels."""
        return [list(panel) for panel in self.lines.panels(self.figure())]

    @property
    def drawn(self) -> list[str]:
        """Return every label that the figure draws."""
        return self.lines.drawn(self.figure())

    def of_tools(self, tools: Sequence[str], among: Sequence[str] = ()) -> list[str]:
        """Return the lines that steps with some tools make; of several lines those computed from `among`.

        Raises
        ------
        NotUnderstood
            The figure draws no such line.
        """
        kinds = {name for tool in tools for name in (AVERAGES if tool in AVERAGES else (tool,))}
        producers = self.lines.producers
        made = {line: self.lines.step(line).tool for line in self.drawn}
        lines = [line for line in made if made[line] in tools] or [
            line for line in made if made[line] in kinds
        ]
        if among:
            tables = {*among, *(owner(name, producers) for name in among)}
            lines = [line for line in lines if tables & {line, *self.behind(line)}] or lines
        if not lines:
            raise NotUnderstood(f"the figure draws no {tools[0].replace('_', ' ')}")
        return lines

    def lines_in(self, numbers: Iterable[int]) -> list[str]:
        """Return the lines of the panels with some numbers."""
        return [line for number in numbers for line in self.panels[number - 1]]

    def panels_with(self, lines: Container[str]) -> list[int]:
        """Return the numbers of the panels that draw some of the lines."""
        return [at for at, panel in enumerate(self.panels, 1) if any(line in lines for line in panel)]

    def steps_of(self, tools: Container[str]) -> list[Document]:
        """Return the steps with some tools."""
        return [step for step in self.after["steps"] if step.get("tool_name") in tools]

    def behind(self, line: str) -> list[str]:
        """Return the labels from which a line is computed, and its own label."""
        return self.lines.behind(line)

    def shown(self, line: str) -> str:
        """Return how a line is computed and how it looks, but for its time; empty if the figure does not draw it."""
        if owner(line, self.drawn) is None:
            return ""
        ids = {str(self.lines.producers[label].id) for label in self.behind(line)}
        steps = [step["tool_args"] for step in self.after["steps"] if str(step["step_id"]) in ids]
        others = ("time_range", "parameters")  # the parameters of a fetch, which the names of its lines say
        args = [{key: value for key, value in step.items() if key not in others} for step in steps]
        variables = self.after.get("variables") or {}
        values = [variables[name] for step in args for name in step.values() if str(name) in variables]
        looks = [(self.spec.get(key) or {}).get(line) for key in ("trace_colors", "line_styles")]
        there = self.panels_with([line])
        axes = [
            value.get(str(number)) if isinstance(value, dict) else value
            for value in map(self.spec.get, ("log_y", "log_scale", "y_range"))
            for number in there
        ]
        levels = [object_of(mark) for mark in self.spec.get("hlines") or ()]
        levels = [level | {"panel": 0} for level in levels if level.get("panel", 1) in there]
        saved = [step for step in self.steps_of(("save_data",)) if line in step["tool_args"]["source_labels"]]
        return repr((args, values, looks, axes, levels, len(saved)))

    def used(self) -> set[str]:
        """Return the labels that the steps without results draw or save, and those from which they are computed."""
        ends = [label for step in self.lines.graph.steps if not step.outputs for label in step.labels]
        return {label for end in ends for label in self.behind(end)}

    def prune(self, before: Container[str]) -> None:
        """Remove the steps of which some results were used before, and none is used now."""
        used = self.used()
        for step in [*self.lines.graph.steps]:
            if any(label in before for label in step.outputs) and used.isdisjoint(step.outputs):
                self.do(Operation("remove", str(step.id)))

    def where(self, key: str) -> tuple[Any, str, tuple[str, ...]]:
        """Return a key's value for a figure, and the step and path to set it: where it is set now, if anywhere."""
        figure = self.figure()
        styles = self.lines.styles(figure)
        holders = (step for step in (*styles, figure) if key in (spec_of(step) or {}))
        fitting = [step for step in styles if signatures()[STYLE].argument(key) is not None]
        step = next(holders, (fitting or [figure])[-1])
        path = ("tool_args", "spec", key) if step.get("tool_name") == RENDER else ("tool_args", key)
        return (spec_of(step) or {}).get(key), str(step["step_id"]), path

    def compute(self, tool: str, label: str, args: Document, intent: str, *, after: str) -> str:
        """Add a step that makes a table directly after the step that makes another; return the label it gets."""
        label = self.free_label(label)
        self.add_step(self.free_id(label), tool, args | {"output_label": label}, intent, after=after)
        return label

    def put_more(self, key: str, lines: Iterable[str]) -> None:
        """Add lines to a list of lines, such as those with an axis at the right."""
        held = self.spec.get(key) or []
        self.put(key, [*held, *(line for line in lines if line not in held)])

    def put_right(self, lines: Sequence[str]) -> None:
        """Give lines an axis at the right; if the left axis of their panel has no line then, the others move there."""
        if alone := [line for panel in self.panels if {*panel} <= {*lines} for line in panel]:
            raise NotUnderstood(
                f"the panel of {alone[0]} has no other line, so it has no right axis",
                advice="say which lines share the panel",
            )
        held = [*(self.spec.get("right") or [])]
        full = [panel for panel in self.panels if {*lines} & {*panel} and {*panel} <= {*held, *lines}]
        kept = [line for line in held if line not in lines and not any(line in panel for panel in full)]
        self.put("right", [*kept, *lines])

    def put(self, key: str, value: Any, *more: str) -> None:
        _, step_id, path = self.where(key)
        self.do(Operation("set", step_id, (*path, *more), value))
        self.wished |= {(key, more[0] if more else ""), (".".join((key, *more[1:])), more[0] if more else "")}

    def known(self, what: str, *, by_craft: bool = False, every: bool = False) -> list[str]:
        """Return the lines that words mean; refuse the sentence if no line fits.

        Parameters
        ----------
        every : bool
            Take all lines that the words may mean, without a question.
        """
        find = self.lines.meant if every else self.lines.one_or_all
        lines = find(plain_name(what), self.figure(), by_craft=by_craft)
        if not lines:
            drawn = ", ".join(self.drawn)
            raise NotUnderstood(
                f"the figure has no line called '{what}'", advice=f"name one of its lines: {drawn}"
            )
        return lines

    def lines_of(self, what: str) -> list[str]:
        """Return all lines that words may mean; nothing if no line fits."""
        return self.lines.meant(plain_name(what), self.figure())

    def panel_numbers(self, what: str) -> tuple[list[int], bool]:
        """Return the numbers of the panels with the lines that words mean, and whether they have other lines too."""
        # whichever of several lines is meant, its panel is
        every = Lines(
            self.after,
            self.catalogue,
            lambda text, choices: EVERY if EVERY in choices else self.ask(text, choices),
        )
        lines = every.meant(plain_name(what), self.figure())
        parts = self.parts(line for line in lines if line not in self.drawn)
        lines = [line for line in self.drawn if parts & self.parts(self.lines.step(line).labels)] or lines
        names = {name for line in lines for name in (line, owner(line, self.lines.producers) or line)}
        alone = [at for at, panel in enumerate(self.panels, 1) if panel and names.issuperset(panel)]
        numbers = alone or self.panels_with(names)
        if not numbers:
            raise NotUnderstood(f"the figure has no panel called '{what}'")
        return numbers, not alone

    def parts(self, labels: Iterable[str]) -> set[tuple[str, str]]:
        """Return the vector and the letter of each label that is a component."""
        owners = ((label, owner(label, self.lines.producers)) for label in labels)
        return {(vector, label[-1]) for label, vector in owners if vector and vector != label}

    def numbers_of(self, what: str) -> list[int]:
        """Return the numbers of the panels that words of the sentence mean."""
        numbered = ignoring_case(r"panel (\d+)").fullmatch(what)
        return [int(numbered[1])] if numbered else self.panel_numbers(what)[0]

    def set_for(self, key: str, value: Any) -> None:
        """Set a key of a figure; remove the key if the value is empty."""
        _, step_id, path = self.where(key)
        self.do(Operation("set", step_id, path, value) if value else Operation("unset", step_id, path))

    def redraw(self, panels: list[list[str]]) -> None:
        """Let a figure draw the given panels, without empty panels; settings for lines and panels follow them."""
        before = [label for panel in self.panels for label in panel] or self.drawn
        axes = str(self.spec.get("y_label"))
        if self.panels:
            self._renumber(panels)
        panels = [panel for panel in panels if panel]
        labels = list(dict.fromkeys(label for panel in panels for label in panel))
        self.set_for("panels", panels)
        if self.where("labels")[0] is not None:
            self.set_for("labels", labels)
        for key in LABEL_LISTS:
            listed = self.where(key)[0]
            left = [line for line in listed or [] if line not in before or owner(line, labels) is not None]
            if listed and left != listed:
                self.set_for(key, left)
        self._settle_right(panels)
        self._name_axes(panels, before, axes)
        self.unset_lines(lambda line: owner(line, labels) is None and owner(line, before) is not None)

    def unset_lines(self, is_gone: Callable[[str], bool]) -> None:
        """Remove the settings and the uncertainties of lines that are gone."""
        for key in BY_LINE:
            known, step_id, path = self.where(key)
            for line in filter(is_gone, object_of(known)):
                self._check_not_wished(key, line)
                self.do(Operation("unset", step_id, (*path, line)))
        bands = self.spec.get("bands") or []
        if any(is_gone(band["line"]) for band in bands):
            self.set_for("bands", [band for band in bands if not is_gone(band["line"])])

    def _name_axes(self, panels: list[list[str]], before: Sequence[str], axes: str) -> None:
        """Leave lines that a panel no longer draws out of the list of names at its axis: ``AE, AL [nT]`` without AU.

        Leave out the parts of the subtitle about lines that are gone, too, or about a symbol of the `axes` before.
        """
        shown = self.spec.get("trace_names") or {}
        labels = [label for panel in panels for label in panel]
        left, stay = ({str(shown[line]) for line in lines if line in shown} for lines in (before, labels))
        of_left = re.compile(rf"(?:{'|'.join(map(re.escape, left - stay)) or '$.'})(?!\w)")
        subtitle = str(self.where("subtitle")[0] or "")
        explained = {part: part.partition(":")[0] if ":" in part else "" for part in subtitle.split("; ")}
        axes_now = str(self.spec.get("y_label"))
        told = "; ".join(
            part
            for part, symbol in explained.items()
            if not of_left.match(part) and not (symbol in axes and symbol not in axes_now)
        )
        if told != subtitle:
            self.set_for("subtitle", told)

        def names(lines: Sequence[str]) -> set[str]:
            return {str(shown.get(line, re.split(r"[._]", line)[-1])) for line in lines}

        for key, text in list(object_of(self.where("y_label")[0]).items()):
            number = int(key.removesuffix(RIGHT))
            gone = names(before) - names(panels[number - 1] if number <= len(panels) else ())
            listed, bracket, unit = str(text).partition(" [")
            parts = listed.split(", ")
            kept = [name for name in parts if name not in gone]
            if kept and kept != parts and names(before).issuperset(parts):
                self.put("y_label", ", ".join(kept) + bracket + unit, key)

    def redraw_without(self, lines: Container[str]) -> None:
        """Let a figure draw its panels without some lines."""
        self.redraw([[line for line in panel if line not in lines] for panel in self.panels])

    def put_panels(self, moved: Sequence[int], at: int) -> None:
        """Draw some panels behind a count of the others."""
        kept = [number for number in range(1, len(self.panels) + 1) if number not in moved]
        self.redraw([self.panels[number - 1] for number in [*kept[:at], *moved, *kept[at:]]])

    def keep_entries(self, lines: Sequence[str]) -> None:
        """Remove the panels of histograms, orbits and pairs of quantities that are not of the given lines alone."""
        for key in ENTRIES:
            entries = self.spec.get(key) or []
            kept = [entry for entry in entries if entry_labels(key, entry) <= set(lines)]
            if kept != entries:
                self.set_for(key, kept)
                heights = self.spec.get("row_heights")
                if isinstance(heights, list) and not kept and len(heights) > len(self.panels):
                    self.set_for("row_heights", heights[: len(self.panels)])

    def _settle_right(self, panels: list[list[str]]) -> None:
        """Remove the settings of right axes without lines; lines alone in their panel take their axis to the left."""
        right = set(self.where("right")[0] or [])
        alone = [line for panel in panels if set(panel) <= right for line in panel]
        turned = {str(at) for at, panel in enumerate(panels, 1) if set(panel) <= right}
        both = {f"{at}{RIGHT}" for at, panel in enumerate(panels, 1) if right & set(panel) - set(alone)}
        for key in TWO_SIDED:
            known = object_of(self.where(key)[0])
            settled: dict[str, Any] = {}
            for name, value in known.items():
                number, is_right = panel_of(key, name), name.endswith(RIGHT)
                if number in turned and is_right:
                    settled.setdefault(number, value)
                elif (name in both) if is_right else (number not in turned or (key, name) in self.wished):
                    settled[name] = value
            if settled != known:
                self.set_for(key, settled)
        if alone:
            self.set_for("right", [line for line in self.where("right")[0] if line not in alone])

    def has_wished(self, number: int) -> bool:
        """Return whether the sentence has changed a setting of a panel, or of one of its lines."""
        targets = {target.removesuffix(RIGHT) for _, target in self.wished}
        return str(number) in targets or not targets.isdisjoint(self.panels[number - 1])

    def _check_not_wished(self, key: str, target: str) -> None:
        """Refuse to remove a line or a panel if the same sentence also changes how it looks."""
        if (key, target) in self.wished:
            number = target.removesuffix(RIGHT)
            name = f"panel {number}" if number.isdigit() else target or "a mark"
            raise NotUnderstood(
                f"the request both removes {name} and changes its appearance",
                advice="request only one of the two",
            )

    def _renumber(self, panels: list[list[str]]) -> None:
        """Move settings for numbered panels to the panels' new numbers; call this method before the panels change."""
        kept = [panel for panel in panels if panel]
        before = self.panels
        numbers = {
            str(at): str(_new_number(panel, at, kept, before) or "") for at, panel in enumerate(before, 1)
        }
        if all(number == new for number, new in numbers.items()) and len(kept) == len(before):
            return
        for key in (*BY_NUMBER, *PER_PANEL, *AT_PANEL):
            known = self.where(key)[0]
            if key in PER_PANEL and isinstance(known, list) and len(known) >= len(before):
                places = [_like(panel, before) for panel in kept]
                value: Any = [
                    known[at - 1] if at else self._of_new(key, panel, known)
                    for at, panel in zip(places, kept, strict=True)
                ]
                value += known[len(before) :]  # of the panels of entries, which stand below
            else:
                value = self._renumbered(key, known, numbers)
            if value != known:
                self.set_for(key, value)

    def _of_new(self, key: str, panel: list[str], known: list[Any]) -> Any:
        """Return the type or the height of a new panel: the type that its lines need, the height that most have."""
        if key != "panel_types":
            return max(known, key=known.count)
        tools = {self.lines.step(label).tool for label in panel}
        special = next((kind for tool, kind in _TYPES.items() if tool in tools), "")
        return special or ("spectrogram" if any(map(self.lines.may_have_colours, panel)) else "line")

    def _renumbered(self, key: str, known: Any, numbers: dict[str, str]) -> Any:
        """Return the value of a figure's key for the panels' new numbers, without the panels that were removed."""
        if key in BY_NUMBER and isinstance(known, dict):
            at_right = {old + RIGHT: new + RIGHT for old, new in numbers.items() if new}
            names = numbers | at_right if key in TWO_SIDED else numbers
            for name in known:
                if not names.get(name):
                    self._check_not_wished(key, name)
            kept: dict[str, Any] = {}
            for name, value in known.items():
                if names.get(name):
                    kept.setdefault(names[name], value)  # of joined panels the first keeps its settings
            return kept
        if key == "log_scale" and isinstance(known, int):
            return int(numbers.get(str(known)) or 0)
        is_of_all = key in TWO_SIDED and known not in (None, "y") and not isinstance(known, dict)
        if is_of_all and len(numbers) == 1 and numbers["1"]:  # a new panel has an axis of its own
            return {numbers["1"]: known}
        if key in AT_PANEL and isinstance(known, list):
            marks = [_on_panel(key, mark, numbers) for mark in known]
            if None in marks:
                self._check_not_wished(key, "")
            return [mark for mark in marks if mark is not None]
        return known

    def component(self, line: str) -> str:
        """Return the label of a table with only this line; add a step if the line is a component of a vector."""
        producers = self.lines.producers
        base = owner(line, producers)
        if base is None or base == line:
            return line
        letter = line[len(base) + 1 :]
        label = f"{base}{letter}" if f"{base}{letter}" not in producers else f"{base}_{letter}_only"
        args = {"source_label": base, "keep": [letter], "output_label": label}
        self.add_step(label.lower(), "components", args, f"Take the {letter} component", after=base)
        return label

    def part(self, line: str) -> str:
        """Return the label of a table with only this line, which then has the settings of the component."""
        label, vector = self.component(line), owner(line, self.lines.producers)
        if vector is not None and label != line:
            self._rename_settings(
                {name: label for name in self._columns(vector) if name[-1].lower() == line[-1]}
            )
        return label

    def draw(self, label: str, *, near: str, own_panel: bool = False) -> None:
        """Let a figure draw a label: in the panel of the line `near`, or in a new panel below that panel."""
        panels = [list(panel) for panel in self.panels]
        if panels:
            near_it = (at for at, panel in enumerate(panels) if any(owner(near, [line]) for line in panel))
            index = next(near_it, len(panels) - 1)
            if own_panel:
                panels.insert(index + 1, [label])
                self._renumber(panels)
            else:
                panels[index].append(label)
            self.set_for("panels", panels)
        labels = self.where("labels")[0]
        if isinstance(labels, list):
            self.set_for("labels", [*labels, label])

    def name_as_others(self, label: str) -> None:
        """Name a line after its spacecraft, if the other lines of its panel have such names."""
        names = object_of(self.spec.get("trace_names"))
        others = [line for line in self.lines_in(self.panels_with({label})) if line != label]
        crafts = self.lines.crafts(label)
        are_named = all({names.get(line)} == self.lines.crafts(line) != crafts for line in others)
        if others and are_named and len(crafts) == 1:
            self.put("trace_names", *crafts, label)

    def draw_apart(self, line: str) -> None:
        """Draw the components of a vector as lines of their own, if a line is one of a vector that is drawn whole."""
        whole = owner(line, self.lines.producers)
        if whole is None or whole not in self.drawn or line in self.drawn:
            return
        parts = {whole: [f"{whole}.{axis}" for axis in self.axes(whole)]}
        self._rename_settings({name: f"{whole}.{name[-1].lower()}" for name in self._columns(whole)})
        self.redraw(
            [[part for label in panel for part in parts.get(label, [label])] for panel in self.panels]
        )

    def draw_instead(self, line: str, new: str) -> None:
        """Draw a new line where the figure drew a line, with the settings of that line.

        Where the figure draws a whole vector, and the line is a component of it, draw the other components too.
        """
        self.draw_apart(line)
        panels = [[new if label == line else label for label in panel] for panel in self.panels]
        settings = {name for key in BY_LINE for name in self.where(key)[0] or () if owner(name, [line])}
        self._rename_settings({name: new + name[len(line) :] for name in settings})
        for key in LABEL_LISTS:
            listed = self.where(key)[0] or []
            if line in listed:
                self.set_for(key, [new if label == line else label for label in listed])
        if panels:
            self.set_for("panels", panels)
        if self.where("labels")[0] is not None:
            labels = [label for panel in panels for label in panel] or [new]
            self.set_for("labels", labels)
        self.unset_lines(lambda name: owner(name, [line]) is not None)
        if self.lines.is_vector(line) and not self.lines.is_vector(new):
            self._drop_frames(self.panels_with({new}))

    def _drop_frames(self, numbers: Collection[int]) -> None:
        """Leave the frame of a vector out of the labels of axes: ``V [km/s]`` for ``V GSE [km/s]``."""
        labels = object_of(self.spec.get("y_label"))
        for number in numbers:
            text = str(labels.get(str(number), ""))
            if (plain := _FRAME.sub("", text)) != text:
                self.put("y_label", plain, str(number))

    def _columns(self, vector: str) -> set[str]:
        """Return the names in settings that are components of a vector: ``B.Bz``, and not ``B``."""
        names = {name for key in BY_LINE for name in self.where(key)[0] or () if owner(name, [vector])}
        return {name for name in names - {vector} if name[-1].lower() in self.axes(vector)}

    def _rename_settings(self, names: Mapping[str, str]) -> None:
        """Give the settings of lines to lines of other names."""
        for key in BY_LINE:
            known, step_id, path = self.where(key)
            for name in sorted(names.keys() & object_of(known).keys()):
                if names[name] != name:
                    self.do(
                        Operation("set", step_id, (*path, names[name]), known[name]),
                        Operation("unset", step_id, (*path, name)),
                    )

    def axes(self, vector: str) -> str:
        """Return the letters of the components of a vector."""
        return "rtn" if self.lines.frame(vector) == "RTN" else "xyz"

    def add_step(self, step_id: str, tool: str, args: Document, intent: str, *, after: str = "") -> None:
        """Add a step directly after the step that makes the label `after`, or at the end if `after` is empty.

        It is critical only if that step is: a run goes on without both.
        """
        step: Document = {"step_id": step_id, "tool_name": tool, "tool_args": args, "intent": intent}
        before = str(self.lines.producers[after].id) if after else ""
        source = next((other for other in self.after["steps"] if other["step_id"] == before), step)
        if source.get("critical") is False:
            step["critical"] = False
        self.do(Operation("add", value=step, after=before))

    def free_label(self, label: str) -> str:
        return free_name(label.replace(".", "_"), self.lines.producers)

    def free_id(self, label: str) -> str:
        taken = {str(step["step_id"]) for step in self.after["steps"]}
        return free_name(re.sub(r"\W+", "_", label).lower(), taken)


def _like(panel: list[str], others: list[list[str]]) -> int:
    """Return the number of the panel that shares most lines with a panel, or 0.

    >>> _like(["B", "f_ce"], [["E", "f_ce"], ["B", "f_ce"]]), _like(["n"], [["B"]])
    (2, 0)
    """
    shared = [(len(set(panel) & set(other)), at, other) for at, other in enumerate(others, 1)]
    count, at, _ = max(
        shared, key=lambda one: (one[0], one[0] / len(one[2] or [""]), -one[1]), default=(0, 0, [])
    )
    return at if count else 0


def _new_number(panel: list[str], at: int, kept: list[list[str]], before: list[list[str]]) -> int:
    """Return the number of the panel that a panel becomes, or that it is joined to; 0 if it was removed."""
    new = _like(panel, kept)
    if not new or _like(kept[new - 1], before) == at or set(panel) <= set(kept[new - 1]):
        return new
    return 0


def _on_panel(key: str, mark: Any, numbers: dict[str, str]) -> Any:
    """Return a mark with the new number of its panel, or None if the panel was removed."""
    if not isinstance(mark, dict):
        return mark
    on_first = key == "hlines" or (key == "annotations" and isinstance(mark.get("x"), str))
    number = str(mark.get("panel", "1" if on_first else ""))
    new = numbers.get(number, number)
    if new == number:
        return mark
    return mark | {"panel": int(new)} if new else None
