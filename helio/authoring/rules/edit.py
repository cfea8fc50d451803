"""Change a template by rules as a sentence requests, or answer a question about the template."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from helio.authoring.documents import SourceFile
from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.gate import Gate
from helio.authoring.operations import KEYED_BY_LABEL, Operation
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    AuthorReply,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.recorded import Records
from helio.authoring.rules.additions import Additions
from helio.authoring.rules.answers import answered, is_question
from helio.authoring.rules.computed import tool_names
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.listed import ListedEvents
from helio.authoring.rules.named import names_of_spacecraft
from helio.authoring.rules.named_times import with_plain_times
from helio.authoring.rules.sentence import Sentence
from helio.authoring.rules.sentence_reading import COLOURS
from helio.authoring.rules.spans import moved_range
from helio.authoring.swapping import crafts_in, refetched, swapped
from helio.authoring.writing.computations import APPLIED
from helio.authoring.writing.steps import free_name
from helio.authoring.writing.writer import EVERY, FILE_ENDINGS, WINDOWS, Asks, default_range
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import RIGHT, TWO_SIDED
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures
from helio.time_range import Duration, parse_time_range

BY = Attribution("rules")
_DURATION = duration_pattern()
_FRAME = "|".join(FRAMES)
_ADDED = ("running_average", "running_median")
_CHANGED = (*_ADDED, "resample")
"""Tools whose window a sentence can change; steps with the tools of `_ADDED` can also be added."""
_REMOVE = r"\b(?:remove|delete|drop|hide)\s+(?:the\s+)?"
_POSITIONS = {"first": 1, "top": 1, "second": 2, "third": 3, "last": -1, "bottom": -1}
_BY_NUMBER = (
    "y_label", "log_scale", "linthresh", "log_y", "log_x", "log_z", "y_range", "z_min", "z_max", "bin_label",
    "bin_range",
)  # fmt: skip
_IN_ORDER = ("panel_types", "row_heights")
_MARKS = ("hlines", "vlines", "slopes", "annotations")
_VERBS = frozenset(VOCABULARY["edit verbs"])
_SAME = r"^(?:the same|same|run it|do it|repeat it|run this"
_PASSIVE = re.compile(
    r"(?P<start>^|[,;]\s*|\band\s+)(?P<what>(?:the\s+)?(?:(?!,|;|\band\b)[\w|.-]+\s+){1,4}?)"
    r"(?:should|must|shall|can|has to)\s+be\s+"
    r"(?P<verb>remove|delete|hide|drop)(?:d|ped|n|den)?\b",
    re.IGNORECASE,
)
"""What should be removed: read as ``remove`` it."""
_POLITE = re.compile(r",?\s*\b(?:please|pls|plz|thanks|thank you)\b[.!]?", re.IGNORECASE)
_NEW = r"(?P<new>[A-Z][\w-]*(?: [A-Z0-9][\w-]*)*)"
# NAMES stands for the spacecraft of the table of quantities, FLOWN for those of the catalogue.
_SWAPS = (
    r"\b(?:re-?run|run|do|make|plot|draw)\s+(?:my|the|this|our)\s+(?:(?P<old>NAMES)\s+)?"
    r"(?:pipeline|overview|plot|figure)\s+(?:for|with|from)\s+(?P<new>NAMES)(?![\w-])(?:\s+instead)?",
    r"\bnow\s+for\s+(?P<new>NAMES)(?![\w-])",
    r"\b(?:run|do|use|make|show|plot|repeat|the same|same|it)?\s*(?:it\s+|this\s+|the same\s+)?"
    r"(?:for|with|from|use|take|switch to|swap to)\s+(?P<new>NAMES)(?:\s+(?:data|spacecraft))?"
    r"\s+instead(?:\s+of\s+(?P<old>NAMES))?",
    r"\b(?:replace|swap|exchange)\s+(?P<old>NAMES)\s+(?:by|with|for)\s+(?P<new>NAMES)\b",
    r"\b(?:switch|change|swap|go)\s+from\s+(?P<old>NAMES)\s+to\s+(?P<new>NAMES)(?![\w-])",
    r"\b(?:switch|change|swap)\s+to\s+(?P<new>NAMES)(?![\w-]| coordinates?| frame)",
    rf"{_SAME}|now)\s+(?:(?:plot|figure|overview|thing|pipeline)\s+)?(?:but\s+)?(?:for|with)\s+(?P<new>NAMES)(?![\w-])",
    r"^(?:please\s+)?(?:now\s+)?(?:use|take|try)\s+(?P<new>NAMES)(?:\s+(?:data|spacecraft))?(?:\s+please)?$",
)
_UNKNOWN_SWAPS = (
    r"\b(?:re-?run|run|do|make|plot|draw)\s+(?:my|the|this|our)\s+(?:(?P<old>NAMES)\s+)?"
    r"(?:pipeline|overview|plot|figure)\s+(?:for|with|from)\s+(?P<new>NAMES)(?![\w-])(?:\s+instead)?",
    r"\bnow\s+for\s+(?P<new>NAMES)(?![\w-])",
    rf"(?-i:\b{_NEW})(?:\s+(?:data|spacecraft))?\s+instead\s+of\s+(?:NAMES)(?![\w-])",
    rf"\b(?:replace|swap|exchange)\s+(?:NAMES)\s+(?:by|with|for)\s+(?-i:{_NEW})",
    rf"\b(?:switch|change|swap|go)\s+from\s+(?:NAMES)\s+to\s+(?-i:{_NEW})",
    r"\b(?:switch|change|swap)\s+to\s+(?-i:(?P<new>FLOWN))(?![\w-])",
    r"\b(?:use|take|for|with)\s+(?-i:(?P<new>FLOWN))\s+instead\b",
    rf"{_SAME})\s+(?:for|with)\s+(?-i:(?P<new>FLOWN))(?![\w-])",
)


def edited(
    request: str,
    template: Document,
    *,
    catalogue: Catalogue,
    gate: Gate,
    now: datetime,
    ask: Asks,
    sources: tuple[SourceFile, ...] = (),
    records: Records | None = None,
) -> Outcome:
    """Answer a question about a template, or change the template as the sentence requests.

    Parameters
    ----------
    records : Records, optional
        The records of runs and changes, for questions about them.

    Raises
    ------
    NotUnderstood
        Helio does not understand some words; the message quotes them.
    NotProved
        The changed pipeline could not run.
    """
    if is_question(request):
        return AuthorReply(answered(request, template, catalogue, now, records), BY)
    listed = ListedEvents(request, sources, now=now, ask=ask, is_new=False)
    start = listed.drawn(template, catalogue=catalogue, ask=ask) if sources else template
    editor = _Editor(listed.rest, start, catalogue, now, ask)
    editor.notes += listed.notes
    editor.changed = bool(sources)
    editor.read()
    proved = gate.edited(template, editor.after)
    if proved.errors:
        raise NotProved("after this change the pipeline could not run", diagnostics=proved.errors)
    if json.dumps(proved.template) == json.dumps(template):
        raise NotUnderstood("the request changes nothing: the pipeline is already like this")
    author = Attribution("equivalence table") if editor.swapped else BY
    return TemplateDraft(proved, author, tuple(editor.notes))


class _Editor(Additions):
    def __init__(
        self, request: str, template: Document, catalogue: Catalogue, now: datetime, ask: Asks
    ) -> None:
        text, named = with_plain_times(
            _PASSIVE.sub(r"\g<start>\g<verb> \g<what>", _POLITE.sub("", request).strip()), now
        )
        super().__init__(Sentence(text), template, catalogue, now, ask)
        self.notes += named
        self.swapped = False

    def read(self) -> None:
        """Make every change that the sentence requests; refuse the sentence if any of its words is not understood."""
        self._swap()
        for name in crafts_in(self.after, self.catalogue):  # run my ACE overview for January
            self.sentence.drop(
                rf"\b(?:my|the|this)\s+{re.escape(name)}\s+(?:overview|pipeline|plot|figure)\b"
            )
        self._move_times()
        self._swap_colours()
        self._rename_lines()
        self._retool()
        self._apply()
        self._added()
        self.read_additions()
        self._colour_all()
        self.read_marks()
        self.read_looks()
        self._windows()
        self._convert()
        self._order()
        self._swap_panels()
        self._join_panels()
        self._frames()
        self._cadences()
        self._remove_by_number()
        self._remove_by_name()
        self._remove_lines()
        self._keep_only()
        self._exports()
        self._times()
        left = [word for word in self.sentence.unread() if word.casefold() not in _VERBS]
        if left or not self.changed:
            quoted = ", ".join(f"'{word}'" for word in left[:8])
            raise NotUnderstood(
                f"helio does not understand {quoted}"
                if quoted
                else "the request names no change that helio can make without a language model",
                advice="say in simple words which colour, title, window, panel, spacecraft or time you want; or "
                f"{USE_A_MODEL}",
            )

    # Lines ------------------------------------------------------------------------------------------------

    def _swap_colours(self) -> None:
        words = r"(?P<one>[\w|.-]+)\s+and\s+(?P<two>[\w|.-]+)"
        for match in self.sentence.take(rf"\b(?:swap|exchange|switch)\s+(?:the\s+)?colou?rs\s+of\s+{words}"):
            figure = self._figure()
            colours = self.lines.spec(figure).get("trace_colors")
            pair = [self._known(match[name], figure, by_craft=True) for name in ("one", "two")]
            if not isinstance(colours, dict) or any(
                len(lines) != 1 or lines[0] not in colours for lines in pair
            ):
                raise NotUnderstood("the figure does not set one colour for each of the two lines")
            (one,), (two,) = pair
            self._put(figure, "trace_colors", colours[two], one)
            self._put(self._figure(), "trace_colors", colours[one], two)

    def _rename_lines(self) -> None:
        """Name lines in the legend as quoted, each name to the line of the spacecraft that the name begins with."""
        quote = r"[\"“'‘]([^\"”’']+)[\"”’']"
        for match in self.sentence.take(
            rf"\b(?:name|call|label)\s+(?:the\s+)?(?:traces|lines|curves)\s+(?P<names>{quote}(?:\s*(?:,|and)\s*{quote})+)"
            r"(?:\s+in\s+the\s+legend)?"
        ):
            figure = self._figure()
            for name in re.findall(quote, match["names"]):
                lines = self.lines.meant(name.split()[0], figure, by_craft=True)
                if len(lines) != 1:
                    raise NotUnderstood(f"it is not clear which line to call '{name}'")
                self._put(self._figure(), "trace_names", name, lines[0])

    def _retool(self) -> None:
        """Let steps use another tool: ``a running median, same window`` for a running average, or hourly means."""
        tools = "|".join(tool_names(tool) for tool in _CHANGED)
        for tool in _CHANGED:
            named = rf"(?:{_DURATION}[\s-]*)?(?:{tool_names(tool)})"
            new = rf"(?:an?\s+)?(?:(?P<each>hourly|daily)\s+(?:means|averages)|{named})"
            instead = rf"\s+instead(?:\s+of\s+(?:the\s+)?(?:{tools}))?|,?\s+(?:with\s+the\s+)?same window"
            for pattern in (
                rf"\breplace\s+(?:the\s+)?(?:{tools})(?:\s+of\s+(?:the\s+)?(?P<what>[\w|.]+))?\s+(?:by|with)\s+{new}",
                rf"\b(?:i\s+)?(?:prefer|use|take)\s+{new}(?:{instead})",
            ):
                for match in self.sentence.take(pattern):
                    self._change_tool("resample" if match["each"] else tool, match)

    def _change_tool(self, tool: str, match: re.Match[str]) -> None:
        steps = [step for step in self.after["steps"] if step.get("tool_name") in _CHANGED]
        if not steps:
            raise NotUnderstood("the pipeline has no average or median to change")
        length = {"hourly": "1h", "daily": "1d"}.get((match["each"] or "").lower()) or duration_in(match)
        for step in steps:
            args = step["tool_args"]
            old = APPLIED[step["tool_name"]]
            new = {key: value for key, value in args.items() if key not in (old.argument, "method")}
            new[APPLIED[tool].argument] = length or args[old.argument]
            name = str(step["step_id"])
            self._do(
                Operation("set", name, ("tool_name",), tool), Operation("set", name, ("tool_args",), new)
            )
            if step.get("intent"):
                words = APPLIED[tool].intent.format(window=new[APPLIED[tool].argument], method="mean")
                self._do(Operation("set", name, ("intent",), words))

    def _apply(self) -> None:
        """Draw smoothed, averaged or cleaned lines instead of the lines themselves."""
        words = r"(?P<what>(?:both\s+|all\s+)?[\w|.]+(?:\s+(?!with\b|over\b|by\b|to\b|instead\b)[\w|.]+)??)"
        tail = r"(?:\s+(?:of|over)\s+(?:an?\s+)?" + duration_pattern("2") + ")?"
        for tool in ("running_median", "running_average"):
            name = tool_names(tool)
            for match in self.sentence.take(
                rf"\bsmooth\s+(?:the\s+)?{words}\s+(?:with|by|using|over)\s+(?:an?\s+)?(?:{_DURATION}[\s-]*)?(?:{name}){tail}"
            ):
                self._apply_to(tool, match["what"], duration_in(match, "", "2"))
        for match in self.sentence.take(
            rf"\bsmooth\s+(?:the\s+)?{words}\s+(?:over|with|by)\s+(?:an?\s+)?{_DURATION}(?:\s+window)?"
        ):
            self._apply_to("running_average", match["what"], duration_in(match))
        for match in self.sentence.take(
            rf"\b(?:show|plot|draw|use)\s+(?:(?P<each>hourly|daily)|{_DURATION})[\s-]*(?:means|averages)\s+of\s+(?:the\s+)?{words}"
            r"(?:\s+instead(?:\s+of\s+(?:the\s+)?[\w ]+?)?)?(?=\s*(?:$|[,.;]))"
        ):
            each = {"hourly": "1h", "daily": "1d"}.get((match["each"] or "").lower())
            self._apply_to("resample", match["what"], each or duration_in(match))

    def _apply_to(self, tool: str, what: str, window: str) -> None:
        window = window or self.ask(f"How long is the window of the {tool.replace('_', ' ')}?", WINDOWS)
        figure = self._figure()
        how = APPLIED[tool]
        for line in self._known(what, figure):
            source = self._component(line)
            new = self._free_label(f"{source}_{how.ending}")
            args = {"source_label": source, how.argument: window, "output_label": new}
            intent = how.intent.format(window=window, method="mean")
            self._add(
                self._free_id(new), tool, args, intent, after=owner(source, self.lines.producers) or source
            )
            self._draw_instead(line, new)

    def _draw_instead(self, line: str, new: str) -> None:
        """Draw a new line where the figure drew a line, with the settings of that line."""
        figure = self._figure()
        panels = [[new if label == line else label for label in panel] for panel in self.lines.panels(figure)]
        for key in ("trace_names", "trace_colors", "line_styles"):
            known, step_id, path = self._where(figure, key)
            if isinstance(known, dict) and line in known:
                self._do(
                    Operation("set", step_id, (*path, new), known[line]),
                    Operation("unset", step_id, (*path, line)),
                )
        figure = self._figure()
        if panels:
            self._set_for(figure, "panels", panels)
        if self._where(self._figure(), "labels")[0] is not None:
            labels = [label for panel in panels for label in panel] or [new]
            self._set_for(self._figure(), "labels", labels)

    def _convert(self) -> None:
        """Convert lines to another unit, and write the unit into the label of the axis."""
        units = {"kelvin": "K", "electronvolts": "eV", "electron volts": "eV"}
        spelt = r"(?P<unit>kelvin|(?-i:K|eV|keV|MK|nT|pT|km/s|m/s|nPa|Pa|R_E|AU|km))"
        for match in self.sentence.take(
            rf"\b(?:(?:show|plot|draw|convert|give)\s+)?(?:the\s+)?(?P<what>[A-Za-z|]\w*)\s+(?:in|to)\s+{spelt}"
            r"(?![\w/])(?:\s+instead(?:\s+of\s+[\w/]+)?)?(?:\s*\([^)]*axis[^)]*\))?"
        ):
            to = canonical_unit(units.get(match["unit"].lower(), match["unit"]))
            figure = self._figure()
            for line in self._known(match["what"], figure):
                self._convert_line(line, to)

    def _convert_line(self, line: str, to: str) -> None:
        unit = self.lines.unit(line)
        thermal = {unit, to} <= {"eV", "keV", "K", "MK"} and not comparable(unit, to)
        if not (unit and (thermal or comparable(unit, to))):
            raise NotUnderstood(f"{line} cannot be given in {to}" + (f": it is in {unit}" if unit else ""))
        number = next(
            (str(at) for at, panel in enumerate(self.lines.panels(self._figure()), 1) if line in panel), ""
        )
        ending = re.sub(r"\W+", "", to)
        new = self._free_label(f"{line}_{ending}")
        args = {"source_label": line, "to": to, "output_label": new}
        args |= {"equivalence": "thermal"} if thermal else {}
        self._add(
            self._free_id(new),
            "convert_units",
            args,
            f"Convert to {to}",
            after=owner(line, self.lines.producers) or line,
        )
        self._draw_instead(line, new)
        labels = self.lines.spec(self._figure()).get("y_label")
        if isinstance(labels, dict) and unit in str(labels.get(number, "")):
            self._put(self._figure(), "y_label", labels[number].replace(unit, to), number)

    def _colour_all(self) -> None:
        """Colour every line but vectors, whose components must differ; or ask which line is meant."""
        for match in self.sentence.take(rf"\b(?:use|with|draw|make)\s+(?:all\s+)?({COLOURS})\s+lines\b"):
            figure = self._figure()
            lines = [line for line in self.lines.drawn(figure) if not self.lines.is_vector(line)]
            vectors = [line for line in self.lines.drawn(figure) if line not in lines]
            if not lines:
                raise NotUnderstood("one colour for a vector would make its components alike")
            for line in lines:
                self._put(self._figure(), "trace_colors", match[1].lower(), line)
            self.notes += [f"{line} keeps its colours, so that its components differ" for line in vectors]
        for match in self.sentence.take(
            rf"\b(?:how about\s+|use\s+)?(?:an?\s+)({COLOURS})\s+line\b(?!\s+at\b)"
        ):
            line = self.ask("Which line do you mean?", self.lines.drawn(self._figure()))
            self._put(self._figure(), "trace_colors", match[1].lower(), line)

    def _order(self) -> None:
        """Move panels: ``put V above B``, ``put the electrons on top``."""
        what = r"(?P<what>(?!the\b|a\b)[\w|.-]+(?:\s+(?!above\b|below\b|on\b|at\b|to\b|panel\b)[\w|.-]+)?)(?:\s+panel)?"
        edge = r"(?P<edge>on top|(?:at|to) the (?:top|bottom|end)|first|last)"
        beside = r"(?P<side>above|below|under|before|after)\s+(?:the\s+)?"
        beside += r"(?P<other>[\w|.-]+(?:\s+(?!panel\b)[\w|.-]+)??)"
        ends = r"(?:\s+panel)?(?=\s*(?:$|[,.;]|and\b))"
        verbs = r"(?:\b(?:put|move|place|draw|show)\s+(?:the\s+)?|(?=[\w|.-]+\s+(?:[\w|.-]+\s+)?panel\s)\b)"
        for match in self.sentence.take(rf"{verbs}{what}\s+(?:{edge}|{beside}){ends}"):
            figure = self._figure()
            panels = [list(panel) for panel in self.lines.panels(figure)]
            moved = [number - 1 for number in self._panel_numbers(match["what"], figure)[0]]
            if match["other"]:
                others = [number - 1 for number in self._panel_numbers(match["other"], figure)[0]]
                at = min(others) if match["side"].lower() in ("above", "before") else max(others) + 1
            else:
                at = len(panels) if re.search(r"bottom|end|last", match["edge"], re.IGNORECASE) else 0
            kept = [number for number in range(len(panels)) if number not in moved]
            order = (
                [number for number in kept if number < at]
                + moved
                + [number for number in kept if number >= at]
            )
            self.redraw(figure, [panels[number] for number in order])

    def _swap_panels(self) -> None:
        """Exchange two panels: ``swap the first and second panel``, ``swap density and velocity panels``."""
        positions = "|".join(_POSITIONS)
        words = rf"(?:the\s+)?(?P<one>{positions}|\d+|[\w|.-]+)\s+and\s+(?:the\s+)?"
        words += rf"(?P<two>{positions}|\d+|[\w|.-]+)"
        for match in self.sentence.take(
            rf"\b(?:swap|exchange|switch)\s+(?:the\s+)?(?:panels\s+(?:of\s+)?{words}"
            rf"|{words.replace('P<one', 'P<first').replace('P<two', 'P<second')}\s+panels?)\b"
        ):
            figure = self._figure()
            panels = [list(panel) for panel in self.lines.panels(figure)]
            said = (match["one"] or match["first"], match["two"] or match["second"])
            one, two = (self._panel_at(name, figure) - 1 for name in said)
            panels[one], panels[two] = panels[two], panels[one]
            self.redraw(figure, panels)

    def _panel_at(self, name: str, figure: Document) -> int:
        """Return the number of the panel that a position, a number or a quantity means."""
        count = len(self.lines.panels(figure))
        number = _POSITIONS.get(name.lower()) or (int(name) if name.isdigit() else 0)
        if not number:
            numbers, _ = self._panel_numbers(name, figure)
            if len(numbers) > 1:
                raise NotUnderstood(f"the figure has several panels of '{name}'", advice="give their numbers")
            return numbers[0]
        number = count if number < 0 else number
        if number > count:
            raise NotUnderstood(
                f"the figure has no panel {number}", advice=f"choose a panel from 1 to {count}"
            )
        return number

    def _join_panels(self) -> None:
        """Draw everything in one panel, if all lines have the same unit."""
        for _ in self.sentence.take(
            r"\b(?:put|draw|plot|show)\s+(?:everything|it all|all(?:\s+(?:of them|lines|curves|panels|the lines))?)\s+"
            r"(?:together\s+)?(?:in(?:to)?|on)\s+(?:one|1|the same|a single|a common)\s+(?:panel|plot|axes)\b"
        ):
            figure = self._figure()
            lines = self.lines.drawn(figure)
            units = {self.lines.unit(line) for line in lines}
            if len(units) > 1 or "" in units:
                raise NotUnderstood(
                    "helio cannot tell that all lines have the same unit, so it does not draw them in one panel",
                    advice="say which panels to join",
                )
            self.redraw(figure, [lines])

    # Panels -----------------------------------------------------------------------------------------------

    def _remove_by_number(self) -> None:
        pattern = rf"{_REMOVE}(?:panel\s+(?P<number>\d+)|(?P<position>{'|'.join(_POSITIONS)})\s+panel)\b"
        for match in self.sentence.take(pattern):
            figure = self._figure()
            panels = self.lines.panels(figure)
            if not panels:
                raise NotUnderstood("helio cannot remove a panel: the figure has no list of panels")
            number = int(match["number"] or _POSITIONS[match["position"].lower()])
            number = len(panels) if number < 0 else number
            if not 0 < number <= len(panels) or len(panels) == 1:
                raise NotUnderstood(
                    f"panel {number} cannot be removed",
                    advice=f"choose a panel from 1 to {len(panels)}"
                    if len(panels) > 1
                    else f"keep panel {number}: it is the only panel of the figure",
                )
            self.redraw(figure, panels[: number - 1] + panels[number:])

    def _remove_by_name(self) -> None:
        for match in self.sentence.take(
            rf"{_REMOVE}(?P<what>[\w|.-]+(?:\s+(?!panel)[\w|.-]+)??)\s+panels?\b"
        ):
            figure = self._figure()
            gone, shared = self._panel_numbers(match["what"], figure)
            if shared:
                raise NotUnderstood(
                    f"panel {gone[0]} draws more than '{match['what']}'",
                    advice=f"say 'remove panel {gone[0]}' to remove the whole panel",
                )
            if len(gone) > 1 and not match[0].casefold().endswith("s"):
                answer = self.ask(
                    "Which panel do you mean?", [*(f"panel {number}" for number in gone), EVERY]
                )
                gone = gone if answer == EVERY else [int(answer.removeprefix("panel "))]
            panels = self.lines.panels(figure)
            if len(gone) == len(panels):
                raise NotUnderstood("the request would remove every panel of the figure")
            self.redraw(figure, [panel for number, panel in enumerate(panels, 1) if number not in gone])

    def _remove_lines(self) -> None:
        """Remove lines, and panels that draw nothing more: ``without Wind``, ``remove the magnitude``."""
        words = r"(?P<what>(?!(?:legend|title|panel|everything|all|it|them|this|that)\b)[\w|.-]+"
        words += r"(?:\s+(?!and\b|panels?\b|lines?\b|from\b)[\w|.-]+)??)"
        for match in self.sentence.take(
            r"\b(?:remove|delete|drop|hide|omit|without|leave out|(?:do not|don't) (?:show|draw|plot))\s+(?:the\s+)?"
            rf"{words}(?:\s+(?:lines?|traces?|curves?|data))?(?:\s+from the (?:plot|figure))?"
            r"(?=\s*(?:$|[,.;]|and\b))"
        ):
            figure = self._figure()
            gone = self._known(match["what"], figure)
            panels = self.lines.panels(figure) or [self.lines.drawn(figure)]
            kept = [[label for label in panel if label not in gone] for panel in panels]
            if not any(kept) or not any(label in panel for panel in panels for label in gone):
                raise NotUnderstood(f"helio cannot remove '{match['what']}' from the figure")
            self.redraw(figure, kept)

    def _keep_only(self) -> None:
        for match in self.sentence.take(
            r"\b(?:show|draw|plot|keep)\s+(?:me\s+)?only\s+(?:the\s+)?(?P<what>[\w.|]+(?:\s+[\w|]+){0,2})"
        ):
            figure = self._figure()
            lines = self.lines.meant(match["what"], figure)  # of every spacecraft
            if not lines:
                raise NotUnderstood(f"the figure has no line called '{match['what']}'")
            panels = self.lines.panels(figure) or [self.lines.drawn(figure)]
            kept = [[label for label in panel if label in lines] for panel in panels]
            apart = [line for line in lines if not any(line in panel for panel in kept)]
            self.redraw(figure, [*kept, *([self._component(line)] for line in apart)])

    def _component(self, line: str) -> str:
        """Return the label of a table with only this line; add a step if the line is a component of a vector."""
        producers = self.lines.producers
        base = owner(line, producers)
        if base is None or base == line:
            return line
        letter = line[len(base) + 1 :]
        label = f"{base}{letter}" if f"{base}{letter}" not in producers else f"{base}_{letter}_only"
        args = {"source_label": base, "keep": [letter], "output_label": label}
        self._add(label.lower(), "components", args, f"Take the {letter} component", after=base)
        return label

    def redraw(self, figure: Document, panels: list[list[str]]) -> None:
        """Let a figure draw the given panels, without empty panels; settings for lines and panels follow them."""
        if self.lines.panels(figure):
            self._renumber(figure, panels)
        panels = [panel for panel in panels if panel]
        labels = [label for panel in panels for label in panel]
        self._set_for(figure, "panels", panels)
        if self._where(figure, "labels")[0] is not None:
            self._set_for(figure, "labels", labels)
        for key in KEYED_BY_LABEL:
            known, step_id, path = self._where(figure, key)
            for line in list(known) if isinstance(known, dict) else []:
                if owner(line, labels) is None:
                    self._check_not_wished(key, line)
                    self._do(Operation("unset", step_id, (*path, line)))

    def _set_for(self, figure: Document, key: str, value: Any) -> None:
        """Set a key of a figure; remove the key if the value is empty."""
        _, step_id, path = self._where(figure, key)
        self._do(Operation("set", step_id, path, value) if value else Operation("unset", step_id, path))

    def _check_not_wished(self, key: str, target: str) -> None:
        """Refuse to remove a line or a panel if the same sentence also changes how it looks."""
        if (key, target) in self.wished:
            name = f"panel {target}" if target.isdigit() else target or "a mark"
            raise NotUnderstood(
                f"the request both removes {name} and changes its appearance",
                advice="request only one of the two",
            )

    def _renumber(self, figure: Document, panels: list[list[str]]) -> None:
        """Move settings for numbered panels to the panels' new numbers; call this method before the panels change."""
        kept = [panel for panel in panels if panel]
        numbers = {
            str(number): next((str(new) for new, other in enumerate(kept, 1) if set(other) & set(panel)), "")
            for number, panel in enumerate(self.lines.panels(figure), 1)
        }
        if all(number == new for number, new in numbers.items()):
            return
        for key in (*_BY_NUMBER, *_IN_ORDER, *_MARKS):
            known = self._where(figure, key)[0]
            value = self._renumbered(key, known, numbers, len(kept))
            if value != known:
                self._set_for(figure, key, value)

    def _renumbered(self, key: str, known: Any, numbers: dict[str, str], count: int) -> Any:
        """Return the value of a figure's key for the panels' new numbers, without the panels that were removed."""
        if key in _BY_NUMBER and isinstance(known, dict):
            at_right = {old + RIGHT: new + RIGHT for old, new in numbers.items() if new}
            names = numbers | at_right if key in TWO_SIDED else numbers
            for name in known:
                if not names.get(name):
                    self._check_not_wished(key, name)
            return {names[name]: value for name, value in known.items() if names.get(name)}
        if key == "log_scale" and isinstance(known, int):
            return int(numbers.get(str(known)) or 0)
        if key in _IN_ORDER and isinstance(known, list) and len(known) == len(numbers):
            values = [value for value, new in zip(known, numbers.values(), strict=True) if new]
            if len(values) != count:
                raise NotUnderstood(
                    f"the figure sets {key} for each panel; without a language model, "
                    "helio cannot set it for a new panel"
                )
            return values
        if key in _MARKS and isinstance(known, list):
            marks = [_on_panel(key, mark, numbers) for mark in known]
            if None in marks:
                self._check_not_wished(key, "")
            return [mark for mark in marks if mark is not None]
        return known

    # Steps ------------------------------------------------------------------------------------------------

    def _add(self, step_id: str, tool: str, args: Document, intent: str, *, after: str = "") -> None:
        """Add a step directly after the step that makes the label `after`, or at the end if `after` is empty."""
        step = {"step_id": step_id, "tool_name": tool, "tool_args": args, "intent": intent}
        before = str(self.lines.producers[after].id) if after else ""
        self._do(Operation("add", value=step, after=before))

    def _windows(self) -> None:
        """Change the window of a computation that the template already has."""
        for tool in _CHANGED:
            steps = [step for step in self.after["steps"] if step.get("tool_name") == tool]
            names = tool_names(tool)
            patterns = (
                rf"\b(?:use|make|change|set)\s+(?:an?\s+|the\s+)?{_DURATION}\s*(?:{names}|window|for the (?:{names}))?"
                r"(?:\s+(?:instead|window))*(?=\s*(?:$|[,.;]|and\b|instead))",
                rf"\b(?:change|set|make)\s+(?:the\s+)?(?:window|{names})(?: of the (?:{names})| window)?"
                rf"\s+(?:(?:to|be|=)\s*)?(?:an?\s+)?{_DURATION}",
                rf"\b(?:{names})(?:\s+window)?\s+(?:(?:of|over|with|to)\s+)?(?:an?\s+)?{_DURATION}\s+instead\b"
                rf"(?:\s+of\s+{duration_pattern('2')})?",
            )
            for pattern in patterns if steps else ():
                for match in self.sentence.take(pattern):
                    for step in steps:
                        path = ("tool_args", APPLIED[tool].argument)
                        self._do(Operation("set", str(step["step_id"]), path, duration_in(match)))
        self.sentence.take_first(r"\binstead of [\w ]+?(?=$|[,.;])")

    def _added(self) -> None:
        """Add running averages, running medians and magnitudes of lines that the figure draws."""
        count, known = len(self.after["steps"]), set(self.lines.producers)
        window = rf"(?:,?\s+(?:of|over|with)?\s*(?:an?\s+)?(?:window\s+of\s+)?{duration_pattern('2')}(?:\s+window)?)?"
        words = r"[A-Za-z|][\w.|]*(?:\s+(?!over\b|with\b|in\b|and\b)[\w|]+){0,2}"
        of = rf"(?:\s+(?:of|to|for|on|from)\s+(?:the\s+)?(?P<what>{words}))?"
        for tool in _ADDED:
            for match in self.sentence.take(
                r"\b(?:add|with|include|overlay|and|apply)\s+(?:also\s+)?(?:an?\s+|the\s+)?"
                rf"(?:{_DURATION}[\s-]*)?(?:{tool_names(tool)}){of}{window}"
            ):
                name = tool.replace("_", " ")
                length = duration_in(match, "", "2") or self.ask(
                    f"How long is the window of the {name}?", WINDOWS
                )
                self._add_beside(tool, match["what"], length)
        for match in self.sentence.take(
            r"\b(?:add|with|include|compute|and)\s+(?:also\s+)?(?:an?\s+|the\s+)?"
            r"(?:magnitude|\|b\||total field|field strength)(?: (?:line|panel))?"
            rf"(?!\s+(?:in|as|to)\s+(?:{COLOURS})\b){of}"
        ):
            self._add_magnitude(match["what"])
        if len(self.after["steps"]) > count:  # compute the magnitude and show it as own panel, black
            own = r"(?<=\x1f)(?:\s*,?\s*and\s+(?:show|plot|draw)\s+it)?"
            own += r"(?:\s+(?:as|in)\s+(?:an?\s+)?(?:own|new|separate)\s+panel)?"
            for match in self.sentence.take(rf"{own}\s*,?\s*(?:in\s+)?({COLOURS})(?=\s*(?:$|[,.;]))"):
                for step in self.after["steps"]:
                    label = step.get("tool_args", {}).get("output_label")
                    if label in self.lines.drawn(self._figure()) and label not in known:
                        self._put(self._figure(), "trace_colors", match[1].lower(), label)

    def _inputs(self, what: str | None, *, vectors: bool = False) -> list[str]:
        """Return the lines that the words mean, or all lines without words; with `vectors`, return only vectors."""
        figure = self._figure()
        labels = self._known(what, figure) if what else self.lines.drawn(figure)
        if vectors:
            labels = [label for label in labels if self.lines.is_vector(label)]
        if not labels:
            raise NotUnderstood(
                f"the figure has no line called '{what}'"
                if what
                else "the figure draws no line to which this change applies"
            )
        return labels

    def _add_beside(self, tool: str, what: str | None, window: str) -> None:
        """Compute a new line from each of the meant lines, and draw the new line in the same panel."""
        figure, computation = self._figure(), APPLIED[tool]
        labels = self._inputs(what)
        if not what and len(labels) > 1:
            labels = [label for label in labels if not self.lines.is_vector(label)] or labels
        for line in labels:
            label = self._component(line)
            new = self._free_label(f"{label}_{computation.ending}")
            args = {"source_label": label, computation.argument: window, "output_label": new}
            source = owner(label, self.lines.producers) or label
            self._add(self._free_id(new), tool, args, computation.intent.format(window=window), after=source)
            self._draw(figure, new, near=line)

    def _add_magnitude(self, what: str | None) -> None:
        figure = self._figure()
        for label in self._inputs(what, vectors=True):
            new = self._free_label(f"{label}mag")
            args = {"source_label": label, "output_label": new}
            self._add(self._free_id(new), "magnitude", args, "Compute the magnitude", after=label)
            self._draw(figure, new, near=label, own_panel=True)

    def _draw(self, figure: Document, label: str, *, near: str, own_panel: bool = False) -> None:
        """Let a figure draw a label: in the panel of the line `near`, or in a new panel below that panel."""
        figure = next(step for step in self.after["steps"] if step["step_id"] == figure["step_id"])
        panels = [list(panel) for panel in self.lines.panels(figure)]
        if panels:
            numbers = [
                number for number, panel in enumerate(panels) if any(owner(near, [line]) for line in panel)
            ]
            index = [*numbers, len(panels) - 1][0]
            if own_panel:
                panels.insert(index + 1, [label])
                self._renumber(figure, panels)
            else:
                panels[index].append(label)
            self._set_for(figure, "panels", panels)
        labels = self._where(figure, "labels")[0]
        if isinstance(labels, list):
            self._set_for(figure, "labels", [*labels, label])

    def _cadences(self) -> None:
        """Fetch the same quantities at another cadence: ``use the 3 second data of Wind``."""
        for match in self.sentence.take(
            rf"\b(?:use|take)\s+(?:the\s+)?{_DURATION}[\s-]*(?:data|resolution|cadence|values)(?:\s+data)?"
            rf"(?:\s+(?:of|from|for)\s+(?P<craft>{names_of_spacecraft()}))?(?![\w-])"
        ):
            craft = spellings()[match["craft"].casefold()] if match["craft"] else ""
            seconds = Duration(duration_in(match)).nanoseconds / 1e9
            operations: list[Operation] = []
            for step in self.after["steps"]:
                view = view_in(step, signatures())
                pairs = fetch_pairs(view.params) if view.tool == FETCH else []
                new = [
                    found for pair in pairs[:1] if (found := _at_cadence(*pair, craft, seconds)) is not None
                ]
                if new and new != pairs:
                    operations += refetched(self.after, view, new)
            if not operations:
                raise NotUnderstood(
                    f"helio knows no {duration_in(match)} data{f' of {craft}' if craft else ''} here"
                )
            self._do(*operations)

    def _frames(self) -> None:
        match = self.sentence.take_first(
            r"\b(?:use|in|switch to|change (?:the frame )?to|convert(?: it)? to|turn(?: it)? (?:in)?to)\s+"
            rf"({_FRAME})(?:\s+(?:instead(?: of (?:{_FRAME}))?|coordinates?|frame))*"
        )
        if not match:
            return
        frame, operations = match[1].upper(), []
        for step in self.after["steps"]:
            view = view_in(step, signatures())
            pairs = fetch_pairs(view.params) if view.tool == FETCH else []
            new = [in_frame for pair in pairs if (in_frame := _in_frame(*pair, frame)) is not None]
            if pairs and len(new) == len(pairs) and new != pairs:
                operations += refetched(self.after, view, new)
        if not operations:
            raise NotUnderstood(f"no vector of this pipeline is available in {frame}")
        self._do(*operations)

    def _exports(self) -> None:
        for match in self.sentence.take(
            r"\b(?:also\s+)?(?:save|export|write)(?:\s+(?:it|them|the\s+)?(?P<what>[\w.|]+)?)?(?:\s+\w+)?"
            r"\s+(?:as|to|in)\s+(?:a\s+)?(?P<form>csv|cdf|netcdf|nc|parquet)\b(?:\s+files?)?"
            r"(?:\s+(?:too|also|as well))?"
        ):
            form = {"nc": "netcdf"}.get(match["form"].lower(), match["form"].lower())
            every = (match["what"] or "it").casefold() in ("it", "them", "the", "data", "everything", "all")
            for label in self._inputs(None if every else match["what"]):
                filename = f"{label}.{FILE_ENDINGS.get(form, form)}"
                args = {"source_labels": [label], "filename": filename, "format": form}
                self._add(self._free_id(f"save_{label}"), "save_data", args, f"Save as {form}")

    def _free_label(self, label: str) -> str:
        return free_name(label.replace(".", "_"), self.lines.producers)

    def _free_id(self, label: str) -> str:
        taken = {str(step["step_id"]) for step in self.after["steps"]}
        return free_name(re.sub(r"\W+", "_", label).lower(), taken)

    # Spacecraft and time ----------------------------------------------------------------------------------

    def _swap(self) -> None:
        names = names_of_spacecraft()
        match = self._first(_SWAPS, names)
        if not match:
            self._refuse_unknown_craft(names)
            return
        craft = spellings()[match["new"].casefold()]
        old = spellings()[match["old"].casefold()] if match.groupdict().get("old") else ""
        present = crafts_in(self.after, self.catalogue)
        if not old and len(present) > 1:
            others = [name for name in present if name != craft]
            old = self.ask(f"Which spacecraft should {craft} replace?", others)
        operations, notes = swapped(self.after, craft, catalogue=self.catalogue, instead_of=old)
        self._do(*operations)
        self.notes += notes
        self.swapped = True

    def _first(self, patterns: tuple[str, ...], names: str, flown: str = "") -> re.Match[str] | None:
        """Return the replacement for the first phrase of a table that the sentence contains, with names filled in."""
        filled = (pattern.replace("NAMES", names).replace("FLOWN", flown) for pattern in patterns)
        return next((match for pattern in filled if (match := self.sentence.take_first(pattern))), None)

    def _refuse_unknown_craft(self, names: str) -> None:
        """Refuse to replace a spacecraft by a spacecraft that is not in helio's table of quantities."""
        missions = {
            name for _, craft in self.catalogue.crafts() for name in (craft.mission, craft.spacecraft)
        }
        flown = "|".join(re.escape(name) for name in sorted(missions, key=len, reverse=True))
        match = self._first(_UNKNOWN_SWAPS, names, flown)
        if match is None:
            return
        name = re.sub(r"^(?:Use|Take|With|For|Run) ", "", match["new"])
        table = ", ".join(sorted(set(spellings().values())))
        raise NotUnderstood(
            f"helio knows no quantities of a spacecraft '{name}'",
            advice=f"use one of {table}; or find a dataset with `helio datasets search '{name}'`, and write a new "
            "pipeline with it"
            if name.casefold() in {mission.casefold() for mission in missions}
            else did_you_mean(name, set(spellings().values()), otherwise=f"use one of {table}"),
        )

    def _move_times(self) -> None:
        """Move or extend the time range of the pipeline by a length that the sentence gives."""
        variables = self.after.get("variables") or {}
        names = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
        if len(names) == 1:
            new = moved_range(self.sentence, str(variables[names[0]].get("default", "")), self.now)
            if new:
                self._do(Operation("set", "", ("variables", names[0], "default"), new))

    def _times(self) -> None:
        times = self.sentence.take_times(self.now)
        if not times:
            return
        if self.sentence.joins_times():
            raise NotUnderstood(
                "without a language model, helio can replace the time range but not add a second one",
                advice=f"say 'use {times[0]} instead', or {USE_A_MODEL}",
            )
        if len(times) > 1:
            raise NotUnderstood(
                f"the request names {len(times)} time ranges: {', '.join(times)}",
                advice="give one time range, such as 'A to B'",
            )
        variables = self.after.get("variables") or {}
        names = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
        if not names:
            raise NotUnderstood(
                "this pipeline has no variable for its time range",
                advice="use `helio fix` to make a variable from the time ranges",
            )
        name = names[0] if len(names) == 1 else self.ask("Which time range do you mean?", names)
        default, notes = default_range(times[0], parse_time_range(times[0], self.now), self.now)
        self._do(Operation("set", "", ("variables", name, "default"), default))
        self.notes += notes


def _in_frame(dataset: str, parameter: str, frame: str) -> tuple[str, str] | None:
    """Return the parameter of the same dataset that has the same quantity in another frame.

    None if helio's table of physical quantities does not have the parameter.
    """
    rows = [row for row in SOURCES if row.dataset == dataset]
    known = next((row for row in rows if row.parameters == (parameter,)), None)
    if known is None or not known.frame:
        return None
    same = (known.quantity, known.spacecraft, frame)
    row = next((row for row in rows if (row.quantity, row.spacecraft, row.frame) == same), None)
    if row is None or len(row.parameters) != 1:
        raise NotUnderstood(f"helio knows no parameter of {dataset} with the {known.quantity} in {frame}")
    return dataset, row.parameters[0]


def _at_cadence(dataset: str, parameter: str, craft: str, seconds: float) -> tuple[str, str] | None:
    """Return the dataset and parameter with the same quantity, frame and unit at another cadence, if there is one."""
    known = next((row for row in SOURCES if row.dataset == dataset and row.parameters == (parameter,)), None)
    if known is None or craft not in ("", known.spacecraft):
        return None
    rows = (
        row
        for row in SOURCES
        if (row.quantity, row.spacecraft, row.frame, row.unit)
        == (known.quantity, known.spacecraft, known.frame, known.unit)
        and row.cadence is not None
        and abs(row.cadence - seconds) <= 0.1 * seconds
    )
    row = next(rows, None)
    return None if row is None or len(row.parameters) != 1 else (row.dataset, row.parameters[0])


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
