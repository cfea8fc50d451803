"""Changes of a template by plain words: colours, titles, windows, panels, spacecraft; and questions."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from datetime import datetime
from typing import Any

from helio.authoring.gate import Gate
from helio.authoring.operations import Operation
from helio.authoring.outcome import Attribution, AuthorReply, NotProved, NotUnderstood, Outcome, TemplateDraft
from helio.authoring.rules.answers import answered, is_question
from helio.authoring.rules.computed import tool_names
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.looks import Looks
from helio.authoring.rules.named import names_of_spacecraft
from helio.authoring.rules.sentence import Sentence
from helio.authoring.swapping import crafts_in, fetched, refetched, swapped
from helio.authoring.writing.computations import APPLIED
from helio.authoring.writing.steps import free_name
from helio.authoring.writing.writer import EVERY, WINDOWS, Asks
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import SOURCES, spellings
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import spec_of
from helio.pipelines.template.labels import owner
from helio.time_range import is_relative, parse_time_range

BY = Attribution("rules")
_DURATION = duration_pattern()
_FRAME = "|".join(FRAMES)
_ADDED = ("running_average", "running_median")
_CHANGED = (*_ADDED, "resample")
"""Tools that are added, and tools whose length of time is changed."""
_REMOVE = r"\b(?:remove|delete|drop|hide)\s+(?:the\s+)?"
_PLACES = {"first": 1, "top": 1, "second": 2, "third": 3, "last": -1, "bottom": -1}
_BY_NUMBER = (
    "y_label", "log_scale", "log_y", "log_x", "log_z", "y_range", "z_min", "z_max", "bin_label", "bin_range"
)  # fmt: skip
_IN_ORDER = ("panel_types", "row_heights")
_WITH_PANEL = ("hlines", "vlines", "slopes", "annotations")
_VERBS = frozenset(
    "change set use turn instead rather switch now run but same colour color".split()  # noqa: SIM905
)


_SAME = r"^(?:the same|same|run it|do it|repeat it|run this"
_NEW = r"(?P<new>[A-Z][\w-]*(?: [A-Z0-9][\w-]*)*)"
# NAMES are the spacecraft of the table, FLOWN all of the catalogue.
_SWAPS = (
    r"\b(?:run|do|use|make|show|plot|repeat|the same|same|it)?\s*(?:it\s+|this\s+|the same\s+)?"
    r"(?:for|with|from|use|take|switch to|swap to)\s+(?P<new>NAMES)(?:\s+(?:data|spacecraft))?"
    r"\s+instead(?:\s+of\s+(?P<old>NAMES))?",
    r"\b(?:replace|swap|exchange)\s+(?P<old>NAMES)\s+(?:by|with|for)\s+(?P<new>NAMES)\b",
    r"\b(?:switch|change|swap|go)\s+from\s+(?P<old>NAMES)\s+to\s+(?P<new>NAMES)(?![\w-])",
    r"\b(?:switch|change|swap)\s+to\s+(?P<new>NAMES)(?![\w-])",
    rf"{_SAME}|now)\s+(?:but\s+)?(?:for|with)\s+(?P<new>NAMES)(?![\w-])",
)
_UNKNOWN_SWAPS = (
    rf"(?-i:\b{_NEW})(?:\s+(?:data|spacecraft))?\s+instead\s+of\s+(?:NAMES)(?![\w-])",
    rf"\b(?:replace|swap|exchange)\s+(?:NAMES)\s+(?:by|with|for)\s+(?-i:{_NEW})",
    rf"\b(?:switch|change|swap|go)\s+from\s+(?:NAMES)\s+to\s+(?-i:{_NEW})",
    r"\b(?:switch|change|swap)\s+to\s+(?-i:(?P<new>FLOWN))(?![\w-])",
    r"\b(?:use|take|for|with)\s+(?-i:(?P<new>FLOWN))\s+instead\b",
    rf"{_SAME})\s+(?:for|with)\s+(?-i:(?P<new>FLOWN))(?![\w-])",
)


def edited(
    request: str, template: Document, *, catalogue: Catalogue, gate: Gate, now: datetime, ask: Asks
) -> Outcome:
    """What comes of a request about a template: a draft of it changed, or words.

    Raises
    ------
    NotUnderstood
        Naming what was not.
    NotProved
        The change that was asked for makes a template that cannot run.
    """
    if is_question(request):
        return AuthorReply(answered(request, template), BY)
    editor = _Editor(request, template, catalogue, now, ask)
    editor.read()
    proved = gate.edited(template, editor.after)
    if proved.errors:
        raise NotProved("the change makes a pipeline that cannot run", diagnostics=proved.errors)
    if json.dumps(proved.template) == json.dumps(template):
        raise NotUnderstood("that changes nothing: the pipeline is like that already")
    said = BY if not editor.swapped else Attribution("equivalence table")
    return TemplateDraft(proved, said, tuple(editor.notes))


class _Editor(Looks):
    def __init__(
        self, request: str, template: Document, catalogue: Catalogue, now: datetime, ask: Asks
    ) -> None:
        super().__init__(Sentence(request), template, catalogue, ask)
        self.now = now
        self.notes: list[str] = []
        self.swapped = False

    def read(self) -> None:
        """Carry out all that is understood; refuse when something is left."""
        self._swap()
        self._marks()
        self._looks()
        self._windows()
        self._added()
        self._frames()
        self._panels()
        self._exports()
        self._times()
        left = [word for word in self.sentence.unread() if word.casefold() not in _VERBS]
        if left or not self.done:
            quoted = ", ".join(f"'{word}'" for word in left[:8])
            raise NotUnderstood(
                f"not understood: {quoted}" if quoted else "nothing in it is a change that rules can make",
                advice="a colour, a title, a window, a panel, a spacecraft, a time; or a model: set GEMINI_API_KEY",
            )

    def _panels(self) -> None:
        self._removed_by_number()
        self._removed_by_name()
        self._kept_only()

    def _removed_by_number(self) -> None:
        for match in self.sentence.take(
            rf"{_REMOVE}(?:panel\s+(?P<number>\d+)|(?P<place>{'|'.join(_PLACES)})\s+panel)\b"
        ):
            figure = self._figure()
            panels = self._lines().spec(figure).get("panels")
            if not isinstance(panels, list):
                raise NotUnderstood("the panels of this figure are not listed")
            number = int(match["number"] or _PLACES[match["place"].lower()])
            number = len(panels) if number < 0 else number
            if not 0 < number <= len(panels) or len(panels) == 1:
                raise NotUnderstood(
                    f"there is no panel {number} that could go", advice=f"panels: 1 to {len(panels)}"
                )
            self._redraw(figure, panels[: number - 1] + panels[number:])

    def _removed_by_name(self) -> None:
        for match in self.sentence.take(
            rf"{_REMOVE}(?P<what>[\w|.-]+(?:\s+(?!panel)[\w|.-]+)??)\s+panels?\b"
        ):
            figure = self._figure()
            panels = self._lines().spec(figure).get("panels") or []
            gone, shared = self._panel_numbers(match["what"], figure)
            if gone == shared:
                raise NotUnderstood(
                    f"panel {gone[0]} draws more than '{match['what']}'",
                    advice=f"'remove panel {gone[0]}' removes all of it",
                )
            if len(gone) > 1 and not match[0].casefold().endswith("s"):
                answer = self.ask("Which panel is meant?", [*(f"panel {number}" for number in gone), EVERY])
                gone = gone if answer == EVERY else [int(answer.removeprefix("panel "))]
            if len(gone) == len(panels):
                raise NotUnderstood("then there would be no panel left")
            self._redraw(figure, [panel for number, panel in enumerate(panels, 1) if number not in gone])

    def _kept_only(self) -> None:
        for match in self.sentence.take(
            r"\b(?:show|draw|plot|keep)\s+(?:me\s+)?only\s+(?:the\s+)?(?P<what>[\w.|]+(?:\s+[\w|]+){0,2})"
        ):
            figure = self._figure()
            lines = self._lines().meant(match["what"], figure)  # all of it, of however many spacecraft
            if not lines:
                raise NotUnderstood(f"no line is known as '{match['what']}'")
            panels = self._lines().spec(figure).get("panels") or [self._lines().drawn(figure)]
            kept = [[label for label in panel if label in lines] for panel in panels]
            apart = [line for line in lines if not any(line in panel for panel in kept)]
            self._redraw(figure, [*kept, *([self._component(line)] for line in apart)])

    def _component(self, line: str) -> str:
        """A line as a label of its own: a component of a vector is taken out of it first."""
        gives = self._lines().gives()
        base = owner(line, gives)
        if base is None or base == line:
            return line
        letter = line[len(base) + 1 :]
        label = f"{base}{letter}" if f"{base}{letter}" not in gives else f"{base}_{letter}_only"
        args = {"source_label": base, "keep": [letter], "output_label": label}
        self._add(label.lower(), "components", args, f"Take the {letter} component", after=base)
        return label

    def _add(self, step_id: str, tool: str, args: Document, intent: str, *, after: str = "") -> None:
        """Add a step behind the one that gives a label, or at the end."""
        step = {"step_id": step_id, "tool_name": tool, "tool_args": args, "intent": intent}
        behind = str(self._lines().gives()[after]["step_id"]) if after else ""
        self._do(Operation("add", value=step, after=behind))

    def _redraw(self, figure: Document, panels: list[list[str]]) -> None:
        """Let a figure draw other panels, empty ones left out; what is said of lines and panels goes with them."""
        before = self._lines().spec(figure).get("panels")
        if isinstance(before, list):
            self._renumber(figure, before, panels)
        panels = [panel for panel in panels if panel]
        labels = [label for panel in panels for label in panel]
        step, place = self._style_of(figure, "panels")
        self._do(Operation("set", str(step["step_id"]), (*place, "panels"), panels))
        holder, where = self._style_of(figure, "labels")
        if isinstance(spec_of(holder), dict) and "labels" in spec_of(holder):
            self._do(Operation("set", str(holder["step_id"]), (*where, "labels"), labels))
        for key in ("trace_colors", "trace_names", "line_styles"):
            styled, at = self._style_of(figure, key)
            known = (spec_of(styled) or {}).get(key)
            for line in list(known) if isinstance(known, dict) else []:
                if owner(line, labels) is None:
                    self._hold(key, line)
                    self._do(Operation("unset", str(styled["step_id"]), (*at, key, line)))

    def _hold(self, key: str, where: str) -> None:
        """Refuse to take away what the same sentence asks for."""
        if (key, where) in self.wished:
            raise NotUnderstood(
                f"{'panel ' if where.isdigit() else ''}{where} would no longer be drawn, and its looks are to change",
                advice="one of the two",
            )

    def _renumber(self, figure: Document, before: list[list[str]], after: list[list[str]]) -> None:
        """Let what is said of panels by number follow them to where they go."""
        kept = [panel for panel in after if panel]
        numbers = {
            str(number): next((str(new) for new, other in enumerate(kept, 1) if set(other) & set(panel)), "")
            for number, panel in enumerate(before, 1)
        }
        if all(number == new for number, new in numbers.items()):
            return
        for key in (*_BY_NUMBER, *_IN_ORDER, *_WITH_PANEL):
            step, place = self._style_of(figure, key)
            known = (spec_of(step) or {}).get(key)
            value = self._renumbered(key, known, numbers, len(kept))
            if value != known:
                where = str(step["step_id"]), (*place, key)
                self._do(Operation("set", *where, value) if value else Operation("unset", *where))

    def _renumbered(self, key: str, known: Any, numbers: dict[str, str], count: int) -> Any:
        """What is said of panels under a key, by their new numbers; those that are gone have none."""
        if key in _BY_NUMBER and isinstance(known, dict):
            for number in known:
                if not numbers.get(number):
                    self._hold(key, number)
            return {numbers[number]: value for number, value in known.items() if numbers.get(number)}
        if key == "log_scale" and isinstance(known, int):
            return int(numbers.get(str(known)) or 0)
        if key in _IN_ORDER and isinstance(known, list) and len(known) == len(numbers):
            value = [label for label, new in zip(known, numbers.values(), strict=True) if new]
            if len(value) != count:
                raise NotUnderstood(
                    f"the figure says {key} of each panel, which rules cannot do for a new one"
                )
            return value
        if key in _WITH_PANEL and isinstance(known, list):
            marks = [_on_panel(key, mark, numbers) for mark in known]
            if None in marks:
                self._hold(key, "")
            return [mark for mark in marks if mark is not None]
        return known

    # Work -------------------------------------------------------------------------------------------------

    def _windows(self) -> None:
        """Another window for a computation that is there."""
        for tool in _CHANGED:
            steps = [step for step in self.after["steps"] if step.get("tool_name") == tool]
            names = tool_names(tool)
            patterns = (
                rf"\b(?:use|make|change|set)\s+(?:an?\s+|the\s+)?{_DURATION}\s*(?:{names}|window|for the (?:{names}))?"
                r"(?:\s+(?:instead|window))*(?=\s*(?:$|[,.;]|and\b|instead))",
                rf"\b(?:change|set|make)\s+(?:the\s+)?(?:window|{names})(?: of the (?:{names})| window)?"
                rf"\s+(?:to|be|=)\s*(?:an?\s+)?{_DURATION}",
            )
            for pattern in patterns if steps else ():
                for match in self.sentence.take(pattern):
                    for step in steps:
                        where = ("tool_args", APPLIED[tool].argument)
                        self._do(Operation("set", str(step["step_id"]), where, duration_in(match)))
        self.sentence.take_first(r"\binstead of [\w ]+?(?=$|[,.;])")

    def _added(self) -> None:
        """A running average, a magnitude and the like, put beside what is drawn."""
        window = rf"(?:\s+(?:of|over|with)?\s*(?:an?\s+)?(?:window\s+of\s+)?{duration_pattern('2')}(?:\s+window)?)?"
        words = r"[A-Za-z|][\w.|]*(?:\s+(?!over\b|with\b|in\b|and\b)[\w|]+){0,2}"
        of = rf"(?:\s+(?:of|to|for|on|from)\s+(?:the\s+)?(?P<what>{words}))?"
        for tool in _ADDED:
            for match in self.sentence.take(
                r"\b(?:add|with|include|overlay|and|apply)\s+(?:also\s+)?(?:an?\s+|the\s+)?"
                rf"(?:{_DURATION}[\s-]*)?(?:{tool_names(tool)}){of}{window}"
            ):
                name = tool.replace("_", " ")
                length = duration_in(match, "", "2") or self.ask(f"Over which window is the {name}?", WINDOWS)
                self._beside(tool, match["what"], length)
        for match in self.sentence.take(
            r"\b(?:add|with|include|compute|and)\s+(?:also\s+)?(?:an?\s+|the\s+)?"
            rf"(?:magnitude|\|b\||total field|field strength)(?: (?:line|panel))?{of}"
        ):
            self._magnitude(match["what"])

    def _targets(self, what: str | None, *, vector: bool | None = None) -> list[str]:
        figure = self._figure()
        labels = self._known(what, figure) if what else self._lines().drawn(figure)
        if vector is not None:
            fitting = [label for label in labels if self._lines().is_vector(label) is vector]
            labels = fitting if vector else fitting or labels
        if not labels:
            raise NotUnderstood(
                f"no line is known as '{what}'" if what else "there is nothing to which it could be applied"
            )
        return labels

    def _beside(self, tool: str, what: str | None, window: str) -> None:
        """A computation on what is drawn; its result stands in the same panel."""
        figure, how = self._figure(), APPLIED[tool]
        labels = self._targets(what)
        if not what and len(labels) > 1:
            labels = [label for label in labels if not self._lines().is_vector(label)] or labels
        for given in labels:
            label = self._component(given)
            new = self._free(f"{label}_{how.ending}")
            args = {"source_label": label, how.argument: window, "output_label": new}
            source = owner(label, self._lines().gives()) or label
            self._add(self._free_id(new), tool, args, how.intent.format(window=window), after=source)
            self._draw(figure, new, beside=given)

    def _magnitude(self, what: str | None) -> None:
        figure = self._figure()
        for label in self._targets(what, vector=True):
            new = self._free(f"{label}mag")
            args = {"source_label": label, "output_label": new}
            self._add(self._free_id(new), "magnitude", args, "Compute the magnitude", after=label)
            self._draw(figure, new, below=label)

    def _draw(self, figure: Document, label: str, *, beside: str = "", below: str = "") -> None:
        """Let a figure draw one more label: in the panel of another one, or in a panel below it."""
        figure = next(step for step in self.after["steps"] if step["step_id"] == figure["step_id"])
        spec = self._lines().spec(figure)
        panels = deepcopy(spec.get("panels"))
        known = beside or below
        if isinstance(panels, list):
            place = next(
                (at for at, panel in enumerate(panels) if any(owner(known, [series]) for series in panel)),
                len(panels) - 1,
            )
            if beside:
                panels[place].append(label)
            else:
                before = deepcopy(panels)
                panels.insert(place + 1, [label])
                self._renumber(figure, before, panels)
            step, at = self._style_of(figure, "panels")
            self._do(Operation("set", str(step["step_id"]), (*at, "panels"), panels))
        holder, where = self._style_of(figure, "labels")
        named = (spec_of(holder) or {}).get("labels")
        if isinstance(named, list):
            self._do(Operation("set", str(holder["step_id"]), (*where, "labels"), [*named, label]))

    def _frames(self) -> None:
        found = self.sentence.take_first(
            r"\b(?:use|in|switch to|change (?:the frame )?to|convert(?: it)? to|turn(?: it)? (?:in)?to)\s+"
            rf"({_FRAME})(?:\s+(?:instead(?: of (?:{_FRAME}))?|coordinates?|frame))*"
        )
        if not found:
            return
        wanted, changed = found[1].upper(), False
        for step in self.after["steps"]:
            pairs = list(fetched(step["tool_args"])) if step.get("tool_name") == "fetch_data" else []
            new = [_in_frame(dataset, parameter, wanted) for dataset, parameter in pairs]
            if pairs and None not in new and new != pairs:
                self._do(*refetched(self.after, step, [pair for pair in new if pair is not None]))
                changed = True
        if not changed:
            raise NotUnderstood(f"there is nothing in it that could be had in {wanted}")

    def _swap(self) -> None:
        names = names_of_spacecraft()
        found = self._first(_SWAPS, names)
        if not found:
            self._refuse_unknown_craft(names)
            return
        craft = spellings()[found["new"].casefold()]
        old = spellings()[found["old"].casefold()] if found.groupdict().get("old") else ""
        there = [known for known in crafts_in(self.after, self.catalogue) if known != craft]
        if not old and len(crafts_in(self.after, self.catalogue)) > 1:
            old = self.ask(f"Which spacecraft is to give way to {craft}?", there)
        operations, notes = swapped(self.after, craft, catalogue=self.catalogue, instead_of=old)
        self._do(*operations)
        self.notes += notes
        self.swapped = True

    def _first(self, patterns: tuple[str, ...], names: str, flown: str = "") -> re.Match[str] | None:
        """The first phrase of a table that the sentence has, its fields filled with names."""
        filled = (pattern.replace("NAMES", names).replace("FLOWN", flown) for pattern in patterns)
        return next((found for pattern in filled if (found := self.sentence.take_first(pattern))), None)

    def _refuse_unknown_craft(self, names: str) -> None:
        """Say of a spacecraft that is to be swapped in, and that the table does not have, that it is that."""
        missions = {
            name for _, craft in self.catalogue.crafts() for name in (craft.mission, craft.spacecraft)
        }
        flown = "|".join(re.escape(name) for name in sorted(missions, key=len, reverse=True))
        found = self._first(_UNKNOWN_SWAPS, names, flown)
        if found is None:
            return
        wanted = re.sub(r"^(?:Use|Take|With|For|Run) ", "", found["new"])
        table = ", ".join(sorted(set(spellings().values())))
        raise NotUnderstood(
            f"the table of quantities has no spacecraft '{wanted}', so nothing of it is known to be the same",
            advice=f"one of: {table}; or helio datasets search '{wanted}', and a pipeline of its own"
            if wanted.casefold() in {name.casefold() for name in missions}
            else did_you_mean(wanted, set(spellings().values()), otherwise=f"one of: {table}"),
        )

    def _times(self) -> None:
        times = self.sentence.take_times(self.now)
        if not times:
            return
        if self.sentence.joins_times():
            raise NotUnderstood(
                "rules set one time in place of the one that is there, and add none",
                advice=f"'use {times[0]} instead'; or a model: set GEMINI_API_KEY",
            )
        if len(times) > 1:
            raise NotUnderstood(
                f"{len(times)} times were read: {', '.join(times)}", advice="one range, 'A to B'"
            )
        names = [
            name
            for name, facts in (self.after.get("variables") or {}).items()
            if facts.get("type") == "time_range"
        ]
        if not names:
            raise NotUnderstood(
                "this pipeline has no variable for its time", advice="helio fix makes one of its ranges"
            )
        name = names[0] if len(names) == 1 else self.ask("Which time range is meant?", names)
        span = parse_time_range(times[0], self.now)
        value = times[0] if is_relative(times[0]) else str(span)
        self._do(Operation("set", "", ("variables", name, "default"), value))
        if is_relative(times[0]):
            self.notes.append(
                f"'{times[0]}' is {span}, counted from {self.now:%Y-%m-%d %H:%M} UTC; each run counts again"
            )

    def _exports(self) -> None:
        for match in self.sentence.take(
            r"\b(?:also\s+)?(?:save|export|write)(?:\s+(?:it|them|the\s+)?(?P<what>[\w.|]+)?)?(?:\s+\w+)?"
            r"\s+(?:as|to|in)\s+(?:a\s+)?(?P<form>csv|cdf|netcdf|nc|parquet)\b(?:\s+files?)?"
            r"(?:\s+(?:too|also|as well))?"
        ):
            form = {"nc": "netcdf"}.get(match["form"].lower(), match["form"].lower())
            every = (match["what"] or "it").casefold() in ("it", "them", "the", "data", "everything", "all")
            for label in self._targets(None if every else match["what"]):
                suffix = {"netcdf": "nc"}.get(form, form)
                args = {"source_labels": [label], "filename": f"{label}.{suffix}", "format": form}
                self._add(self._free_id(f"save_{label}"), "save_data", args, f"Save it as {form}")

    def _free(self, wanted: str) -> str:
        return free_name(wanted.replace(".", "_"), self._lines().gives())

    def _free_id(self, wanted: str) -> str:
        taken = {str(step["step_id"]) for step in self.after["steps"]}
        return free_name(re.sub(r"\W+", "_", wanted).lower(), taken)


def _in_frame(dataset: str, parameter: str, frame: str) -> tuple[str, str] | None:
    """The same quantity of a data set in another frame; None where the table does not have the parameter."""
    known = next(
        (source for source in SOURCES if (source.dataset, source.parameters) == (dataset, (parameter,))), None
    )
    if known is None or not known.frame:
        return None
    same = (known.quantity, known.spacecraft, dataset, frame)
    for source in SOURCES:
        if (source.quantity, source.spacecraft, source.dataset, source.frame) == same:
            if len(source.parameters) == 1:
                return dataset, source.parameters[0]
            break
    raise NotUnderstood(f"{dataset} has no {known.quantity} in {frame} in the table of quantities")


def _on_panel(key: str, mark: Any, numbers: dict[str, str]) -> Any:
    """A mark with the new number of its panel, as it is where it has none; None where the panel is gone."""
    if not isinstance(mark, dict):
        return mark
    first = key == "hlines" or (key == "annotations" and isinstance(mark.get("x"), str))
    number = str(mark.get("panel", "1" if first else ""))
    new = numbers.get(number, number)
    if new == number:
        return mark
    return mark | {"panel": int(new)} if new else None
