"""Add what a request for a new figure could name to the figure of a template, or put it in the place of a line."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import RequestQuantity
from helio.authoring.rules.looks import Looks
from helio.authoring.rules.sentence import Sentence
from helio.authoring.rules.sentence_reading import COLOURS, read_request
from helio.authoring.swapping import crafts_in
from helio.authoring.writing.computations import OF_TWO
from helio.authoring.writing.steps import free_name
from helio.authoring.writing.writer import Asks, write_template
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantity_words import INDICES
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES

_NEXT = r"\band\s+(?:use|make|call|change|set|draw|colou?r|name|title|put|remove)\b"
_CLAUSE = rf"(?P<clause>(?:(?!\s*(?:;|\.\s|{_NEXT}))[^;])+)"
_ADD = re.compile(
    rf"\b(?:also\s+)?(?:add|include|overlay|overplot|compute|calculate)\s+{_CLAUSE}", re.IGNORECASE
)
_REPLACE = re.compile(
    rf"\b(?:replace|exchange|swap)\s+(?:the\s+)?(?P<old>[\w|. ]+?)\s+(?:panel\s+)?(?:with|by|for)\s+{_CLAUSE}",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r",?\s*\b(?:and\s+(?:show|plot|draw)\s+it\s+)?(?:"
    r"(?P<into>(?:to|in|into|on)\s+(?:the\s+)?(?:panel\s+(?:of\s+(?:the\s+)?(?P<of>[\w|.-]+(?:\s+[\w|.-]+)?)|(?P<number>\d+))"
    r"|(?P<place>top|first|second|third|fourth|bottom|last)\s+panel|(?P<named>[\w|.-]+)\s+panel))"
    r"|(?:as|in|into)\s+(?:an?\s+)?(?:(?:new|own|separate|extra)\s+)?panel(?:\s+of\s+its\s+own)?"
    r"(?:\s+(?P<edge>below|above|at the (?:top|bottom)))?"
    r"|(?P<side>(?:at the bottom|at the top|on top|below|underneath|above)(?:\s+(?P<beside>[\w|.-]+))?))"
    r"(?=\s*(?:$|[,;]|and\b|in\b|with\b))",
    re.IGNORECASE,
)
_COLOUR = re.compile(
    rf"(?:,\s*|\s+)(?:in\s+|as\s+an?\s+)?(?P<colour>{COLOURS})(?:\s+line)?(?=\s*(?:$|[,;]))", re.IGNORECASE
)
_PANELS = {"top": 0, "first": 0, "second": 1, "third": 2, "fourth": 3, "bottom": -1, "last": -1}


class Additions(Looks, ABC):
    """Reader of sentences that add quantities to a figure or replace its lines by others."""

    def __init__(
        self, sentence: Sentence, template: Document, catalogue: Catalogue, now: datetime, ask: Asks
    ) -> None:
        super().__init__(sentence, template, catalogue, ask)
        self.now = now
        self.notes: list[str] = []

    def read_additions(self) -> None:
        """Add the quantities that the sentence names after ``add``, and replace those after ``replace``."""
        for match in self._takeable(_REPLACE):
            old = self.lines.meant(match["old"].strip(), self._figure())
            if old and self._added_clause(match["clause"], instead=old):
                self.sentence.take_at(*match.span())
        for match in self._takeable(_ADD):
            if self._added_clause(match["clause"]):
                self.sentence.take_at(*match.span())

    def _takeable(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return the matches of a pattern in the parts of the sentence that are unread."""
        found = pattern.finditer(self.sentence.text)
        return [match for match in found if self.sentence.is_unread(*match.span())]

    def _added_clause(self, clause: str, *, instead: Sequence[str] = ()) -> bool:
        """Add what a clause names; return False if the clause is not a quantity of a spacecraft."""
        figure = self._figure()
        place = _PLACE.search(clause)
        rest = _PLACE.sub("", clause) if place else clause
        colour = _COLOUR.search(rest)
        rest = _COLOUR.sub("", rest) if colour else rest
        try:
            reading = read_request(rest.strip(" ,"), self.catalogue, self.now)
        except NotUnderstood:
            return False
        request = reading.request
        panel = self._panel_of(place, figure)
        if not request.quantities and not request.datasets and request.spacecraft and panel is not None:
            request = replace(request, quantities=self._quantities_of(panel, figure))
        if reading.unread or request.times or not (request.quantities or request.datasets):
            return False
        if not request.spacecraft and not request.datasets:
            request = replace(request, spacecraft=self._crafts_for(request.quantities))
        if not request.computations and not instead:
            self._check_new(request.spacecraft, request.quantities, figure)
        made, notes = write_template(request, catalogue=self.catalogue, now=self.now, ask=self.ask)
        labels = self._merged(made)
        if any(computation.tool in OF_TWO for computation in request.computations):
            labels = labels[-1:]  # the two series are drawn already, or were not asked for
        drawn = [label for label in labels if label not in self.lines.drawn(figure)]
        if not drawn:
            raise NotUnderstood(f"the figure already draws {', '.join(labels)}")
        self.notes += [note for note in notes if "no time" not in note]
        self._place(figure, drawn, place, panel, instead)
        if colour:
            for label in drawn:
                self._put(self._figure(), "trace_colors", colour["colour"].lower(), label)
        return True

    def _check_new(
        self, crafts: Sequence[str], quantities: Sequence[RequestQuantity], figure: Document
    ) -> None:
        """Refuse to add a quantity of a spacecraft that the figure draws already."""
        for line in self.lines.drawn(figure):
            own, of = self.lines.own_quantities(line), self.lines.crafts(line)
            for quantity in quantities:
                if not quantity.component and quantity.name in own and of == set(crafts):
                    raise NotUnderstood(
                        f"the figure already draws {line}, the {quantity.name} of {crafts[0]}"
                    )

    def _crafts_for(self, quantities: Sequence[RequestQuantity]) -> tuple[str, ...]:
        """Return the spacecraft of the template; ask which one if it has several. Indices come from OMNI."""
        if all(quantity.name in INDICES for quantity in quantities):
            return ("OMNI",)
        present = crafts_in(self.after, self.catalogue)
        if len(present) > 1:
            return (self.ask("Of which spacecraft?", present),)
        return tuple(present)

    def _quantities_of(self, panel: int, figure: Document) -> tuple[RequestQuantity, ...]:
        """Return the quantity that the lines of a panel have in common."""
        known = [self.lines.quantities(label) for label in self.lines.panels(figure)[panel]]
        common = set.intersection(*known) if known else set()
        own = [self.lines.own_quantities(label) for label in self.lines.panels(figure)[panel]]
        exact = set.intersection(*own) if own else set()
        return tuple(RequestQuantity(name) for name in sorted(exact or common)[:1])

    def _panel_of(self, place: re.Match[str] | None, figure: Document) -> int | None:
        """Return the index of the panel into which the sentence puts a line; None for a new panel."""
        if place is None or not place["into"]:
            return None
        if place["number"]:
            return int(place["number"]) - 1
        if place["place"]:
            return _PANELS[place["place"].lower()] % len(self.lines.panels(figure))
        numbers, _ = self._panel_numbers(place["of"] or place["named"], figure)
        return numbers[0] - 1

    def _place(
        self,
        figure: Document,
        drawn: list[str],
        place: re.Match[str] | None,
        panel: int | None,
        instead: Sequence[str],
    ) -> None:
        """Draw labels: instead of lines, in a panel, or in new panels."""
        panels = [list(labels) for labels in self.lines.panels(figure)] or [self.lines.drawn(figure)]
        if instead:
            at = next(number for number, labels in enumerate(panels) if set(instead) & set(labels))
            panels[at] = [label for label in panels[at] if label not in instead] + drawn
            panels = [[label for label in labels if label not in instead] for labels in panels]
        elif panel is not None and 0 <= panel < len(panels):
            panels[panel] += drawn
        else:
            side = (place["side"] or place["edge"] or "") if place else ""
            at = 0 if "top" in side else len(panels)
            if place and place["beside"]:
                numbers, _ = self._panel_numbers(place["beside"], figure)
                at = numbers[0] - 1 if side.lower().startswith("above") else numbers[-1]
            panels[at:at] = [[label] for label in drawn]
        self.redraw(figure, panels)

    def _merged(self, made: Document) -> list[str]:
        """Add the steps of another template before the first figure; return the labels that its figure draws.

        A step that the template already has is not added again.
        """
        variables = self.after.get("variables") or {}
        times = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
        if len(times) != 1:
            raise NotUnderstood(
                "this pipeline has no single variable for its time range, so helio cannot add data to it",
                advice="use `helio fix` to make a variable from the time ranges",
            )
        names: dict[str, str] = {}
        drawn: list[str] = []
        for step in deepcopy(made["steps"]):
            if step["tool_name"] in FIGURES:
                drawn += [label for panel in step["tool_args"]["spec"]["panels"] for label in panel]
                continue
            args = _renamed(step["tool_args"], {**names, "$TIME_RANGE": times[0]})
            label = args.get("output_label")
            known = self._known_label(step["tool_name"], args)
            if label and known:
                names[label] = known
                continue
            if label:
                names[label] = free_name(label, self.lines.producers)
                args["output_label"] = names[label]
            ids = [str(present["step_id"]) for present in self.after["steps"]]
            step_id = free_name(str(step["step_id"]), set(ids))
            tools = [present["tool_name"] for present in self.after["steps"]]
            index = next(number for number, name in enumerate(tools) if name in FIGURES)
            value = {**step, "step_id": step_id, "tool_args": args}
            self._do(Operation("add", value=value, after=ids[index - 1] if index else ""))
        return [names.get(label, label) for label in drawn]

    def _known_label(self, tool: str, args: Document) -> str:
        """Return the label of a step of the template with the same tool and arguments, or an empty text."""
        wanted = _work(args)
        for step in self.after["steps"]:
            own = step.get("tool_args", {})
            if step["tool_name"] == tool and own.get("output_label") and _work(own) == wanted:
                return str(own["output_label"])
        return ""

    @abstractmethod
    def redraw(self, figure: Document, panels: list[list[str]]) -> None:
        """Let a figure draw the given panels."""


def _work(args: Document) -> str:
    """Return the arguments of a step without its label; of several datasets the first counts."""
    plain = {key: value for key, value in args.items() if key != "output_label"}
    if "candidates" in plain:
        first = plain.pop("candidates")[0]
        plain |= {key: first[key] for key in ("dataset_id", "parameter_id") if key in first}
    return json.dumps(plain, sort_keys=True)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """Return arguments in which labels and variables have their new names, also labels of components."""
    if isinstance(value, dict):
        return {key: _renamed(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value
