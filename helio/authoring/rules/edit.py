"""Changes of a template by plain words: colours, titles, windows, panels, spacecraft; and questions."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from datetime import datetime
from typing import Any

from helio.authoring.gate import Gate
from helio.authoring.operations import Operation
from helio.authoring.outcome import Draft, NotProved, NotUnderstood, Outcome, Reply, Said
from helio.authoring.rules.answers import answered, is_question
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.lines import Asks
from helio.authoring.rules.looks import Looks
from helio.authoring.rules.sentence import Sentence
from helio.authoring.swapping import crafts_in, fetched, refetched, swapped
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import spellings
from helio.pipelines.figures import (
    spec_of,
)
from helio.pipelines.labels import owner
from helio.pipelines.template import Document
from helio.time_range import is_relative, parse_time_range

BY = Said("rules")
DURATION = duration_pattern()
WINDOWS = ("10min", "1h", "5min", "1min")
_SMOOTHING = {
    "running_average": r"(?:running|moving|rolling|sliding)[- ](?:averages?|means?)|smooth(?:ing|ed)?",
    "running_median": r"(?:running|moving|rolling|sliding)[- ]medians?",
    "resample": r"resampl\w+|averages?|bins?",
}
_BY_NUMBER = (
    "y_label", "log_scale", "log_y", "log_x", "log_z", "y_range", "z_min", "z_max", "bin_label", "bin_range"
)  # fmt: skip
_IN_ORDER = ("panel_types", "row_heights")
_WITH_PANEL = ("hlines", "vlines", "slopes", "annotations")
_VERBS = (
    "change",
    "set",
    "use",
    "turn",
    "instead",
    "rather",
    "switch",
    "now",
    "run",
    "but",
    "colour",
    "color",
    "same",
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
        return Reply(answered(request, template), BY)
    editor = _Editor(request, template, catalogue, now, ask)
    editor.read()
    proved = gate.edited(template, editor.after)
    if proved.errors:
        raise NotProved("the change makes a pipeline that cannot run", diagnostics=proved.errors)
    if json.dumps(proved.template) == json.dumps(template):
        raise NotUnderstood("that changes nothing: the pipeline is like that already")
    said = BY if not editor.swapped else Said("equivalence table")
    return Draft(proved, said, tuple(editor.notes))


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
        for one in self.sentence.take(
            r"\b(?:remove|delete|drop|hide)\s+(?:the\s+)?(?:panel\s+(?P<number>\d+)|(?P<place>first|"
            r"second|third|last|top|bottom)\s+panel)\b"
        ):
            figure = self._figure()
            panels = self._lines().spec(figure).get("panels")
            if not isinstance(panels, list):
                raise NotUnderstood("the panels of this figure are not listed")
            places = {
                "first": 1,
                "top": 1,
                "second": 2,
                "third": 3,
                "last": len(panels),
                "bottom": len(panels),
            }
            number = int(one["number"]) if one["number"] else places[one["place"].lower()]
            if not 0 < number <= len(panels) or len(panels) == 1:
                raise NotUnderstood(
                    f"there is no panel {number} that could go", advice=f"panels: 1 to {len(panels)}"
                )
            self._redraw(figure, [panel for place, panel in enumerate(panels, 1) if place != number])
        for one in self.sentence.take(
            r"\b(?:remove|delete|drop|hide)\s+(?:the\s+)?(?P<what>[\w|.-]+(?:\s+(?!panel)[\w|.-]+)??)\s+panels?\b"
        ):
            figure = self._figure()
            panels = self._lines().spec(figure).get("panels") or []
            gone, shared = self._panel_numbers(one["what"], figure)
            if gone == shared:
                raise NotUnderstood(
                    f"panel {gone[0]} draws more than '{one['what']}'",
                    advice=f"'remove panel {gone[0]}' removes all of it",
                )
            if len(gone) > 1 and not one[0].casefold().endswith("s"):
                every = "all of them"
                answer = self.ask("Which panel is meant?", [*(f"panel {number}" for number in gone), every])
                gone = gone if answer == every else [int(answer.removeprefix("panel "))]
            if len(gone) == len(panels):
                raise NotUnderstood("then there would be no panel left")
            self._redraw(figure, [panel for place, panel in enumerate(panels, 1) if place not in gone])
        for one in self.sentence.take(
            r"\b(?:show|draw|plot|keep)\s+(?:me\s+)?only\s+(?:the\s+)?(?P<what>[\w.|]+(?:\s+[\w|]+){0,2})"
        ):
            figure = self._figure()
            lines = self._lines().meant(one["what"], figure)  # all of it, of however many spacecraft
            if not lines:
                raise NotUnderstood(f"no line is known as '{one['what']}'")
            panels = self._lines().spec(figure).get("panels") or [self._lines().drawn(figure)]
            kept = [[label for label in panel if label in lines] for panel in panels]
            apart = [line for line in lines if not any(line in panel for panel in kept)]
            self._redraw(figure, [*kept, *([self._component(each)] for each in apart)])

    def _component(self, line: str) -> str:
        """A line as a label of its own: a component of a vector is taken out of it first."""
        gives = self._lines().gives()
        base = owner(line, gives)
        if base is None or base == line:
            return line
        letter = line[len(base) + 1 :]
        label = f"{base}{letter}" if f"{base}{letter}" not in gives else f"{base}_{letter}_only"
        args = {"source_label": base, "keep": [letter], "output_label": label}
        step = {
            "step_id": label.lower(),
            "tool_name": "components",
            "tool_args": args,
            "intent": f"Take the {letter} component",
        }
        self._do(Operation("add", value=step, after=str(gives[base]["step_id"])))
        return label

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
            value: Any = known
            if key in _BY_NUMBER and isinstance(known, dict):
                for number in known:
                    if not numbers.get(number):
                        self._hold(key, number)
                value = {numbers[number]: one for number, one in known.items() if numbers.get(number)}
            elif key in _IN_ORDER and isinstance(known, list) and len(known) == len(before):
                value = [one for number, one in enumerate(known, 1) if numbers[str(number)]]
                if len(value) != len(kept):
                    raise NotUnderstood(
                        f"the figure says {key} of each panel, which rules cannot do for a new one"
                    )
            elif key in _WITH_PANEL and isinstance(known, list):
                value = [_on_panel(key, one, numbers) for one in known]
                if None in value:
                    self._hold(key, "")
                    value = [one for one in value if one is not None]
            elif key == "log_scale" and isinstance(known, int):
                value = int(numbers.get(str(known)) or 0)
            if value == known:
                continue
            where = (*place, key)
            self._do(
                Operation("set", str(step["step_id"]), where, value)
                if value
                else Operation("unset", str(step["step_id"]), where)
            )

    # Work -------------------------------------------------------------------------------------------------

    def _windows(self) -> None:
        """Another window for an operation that is there."""
        for tool, names in _SMOOTHING.items():
            key = "cadence" if tool == "resample" else "window"
            patterns = (
                rf"\b(?:use|make|change|set)\s+(?:an?\s+|the\s+)?{DURATION}\s*(?:{names}|"
                rf"window|for the (?:{names}))?(?:\s+(?:instead|window))*(?=\s*(?:$|[,.;]"
                r"|and\b|instead))",
                rf"\b(?:change|set|make)\s+(?:the\s+)?(?:window|{names})(?: of the (?:{names})"
                rf"| window)?\s+(?:to|be|=)\s*(?:an?\s+)?{DURATION}",
            )
            steps = [one for one in self.after["steps"] if one.get("tool_name") == tool]
            if not steps:
                continue
            for pattern in patterns:
                for one in self.sentence.take(pattern):
                    for step in steps:
                        self._do(Operation("set", str(step["step_id"]), ("tool_args", key), duration_in(one)))
        self.sentence.take_first(r"\binstead of [\w ]+?(?=$|[,.;])")

    def _added(self) -> None:
        """A running average, a magnitude and the like, put beside what is drawn."""
        window = rf"(?:\s+(?:of|over|with)?\s*(?:an?\s+)?(?:window\s+of\s+)?{duration_pattern('2')}(?:\s+window)?)?"
        words = r"[A-Za-z|][\w.|]*(?:\s+(?!over\b|with\b|in\b|and\b)[\w|]+){0,2}"
        of = rf"(?:\s+(?:of|to|for|on|from)\s+(?:the\s+)?(?P<what>{words}))?"
        for tool, names in (
            ("running_average", _SMOOTHING["running_average"]),
            ("running_median", _SMOOTHING["running_median"]),
        ):
            for one in self.sentence.take(
                r"\b(?:add|with|include|overlay|and|apply)\s+(?:also\s+)?(?:an?\s+|the\s+"
                rf")?(?:{DURATION}[\s-]*)?(?:{names}){of}{window}"
            ):
                length = duration_in(one, "", "2") or self.ask(
                    f"Over which window is the {tool.replace('_', ' ')}?", WINDOWS
                )
                self._beside(
                    tool,
                    one["what"],
                    {"window": length},
                    "smooth" if tool == "running_average" else "median",
                    f"{length} {tool.replace('_', ' ')}",
                )
        for one in self.sentence.take(
            r"\b(?:add|with|include|compute|and)\s+(?:also\s+)?(?:an?\s+|the\s+)?(?:magnitude|"
            rf"\|b\||total field|field strength)(?: (?:line|panel))?{of}"
        ):
            self._magnitude(one["what"])

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

    def _beside(self, tool: str, what: str | None, args: Document, ending: str, intent: str) -> None:
        """An operation on what is drawn; its result stands in the same panel."""
        figure = self._figure()
        labels = self._targets(what)
        if not what and len(labels) > 1:
            scalars = [label for label in labels if not self._lines().is_vector(label)]
            labels = scalars or labels
        for given in labels:
            label = self._component(given)
            new = self._free(f"{label}_{ending}")
            step = {
                "step_id": self._free_id(new),
                "tool_name": tool,
                "tool_args": {"source_label": label, **args, "output_label": new},
                "intent": intent,
            }
            self._do(
                Operation(
                    "add",
                    value=step,
                    after=str(self._lines().gives()[owner(label, self._lines().gives()) or label]["step_id"]),
                )
            )
            self._draw(figure, new, beside=given)

    def _magnitude(self, what: str | None) -> None:
        figure = self._figure()
        for label in self._targets(what, vector=True):
            new = self._free(f"{label}mag")
            step = {
                "step_id": self._free_id(new),
                "tool_name": "magnitude",
                "tool_args": {"source_label": label, "output_label": new},
                "intent": "Compute the magnitude",
            }
            self._do(Operation("add", value=step, after=str(self._lines().gives()[label]["step_id"])))
            self._draw(figure, new, below=label)

    def _draw(self, figure: Document, label: str, *, beside: str = "", below: str = "") -> None:
        """Let a figure draw one more label: in the panel of another one, or in a panel below it."""
        figure = next(one for one in self.after["steps"] if one["step_id"] == figure["step_id"])
        spec = self._lines().spec(figure)
        panels = deepcopy(spec.get("panels"))
        known = beside or below
        if isinstance(panels, list):
            place = next(
                (at for at, panel in enumerate(panels) if any(owner(known, [each]) for each in panel)),
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
            r"\b(?:use|in|switch to|change (?:the frame )?to|convert(?: it)? to|turn(?: "
            rf"it)? (?:in)?to)\s+({'|'.join(FRAMES)})(?:\s+(?:instead(?: of (?:{'|'.join(FRAMES)})"
            r")?|coordinates?|frame))*"
        )
        if not found:
            return
        wanted = found[1].upper()
        from helio.knowledge.quantities import SOURCES

        changed = False
        for step in self.after["steps"]:
            if step.get("tool_name") != "fetch_data":
                continue
            pairs = list(fetched(step["tool_args"]))
            new = []
            for dataset, parameter in pairs:
                known = next(
                    (one for one in SOURCES if one.dataset == dataset and one.parameters == (parameter,)),
                    None,
                )
                if known is None or not known.frame:
                    break
                other = next(
                    (
                        one
                        for one in SOURCES
                        if (one.quantity, one.spacecraft, one.dataset, one.frame)
                        == (known.quantity, known.spacecraft, dataset, wanted)
                    ),
                    None,
                )
                if other is None or len(other.parameters) != 1:
                    raise NotUnderstood(
                        f"{dataset} has no {known.quantity} in {wanted} in the table of quantities"
                    )
                new.append((dataset, other.parameters[0]))
            else:
                if pairs and new != pairs:
                    self._do(*refetched(self.after, step, new))
                    changed = True
        if not changed:
            raise NotUnderstood(f"there is nothing in it that could be had in {wanted}")

    def _swap(self) -> None:
        names = "|".join(re.escape(one) for one in sorted(spellings(), key=len, reverse=True))
        found = (
            self.sentence.take_first(
                r"\b(?:run|do|use|make|show|plot|repeat|the same|same|it)?\s*(?:it\s+|this\s+|the same\s+)?"
                rf"(?:for|with|from|use|take|switch to|swap to)\s+(?P<new>{names})(?:\s+(?:data|spacecraft))?"
                rf"\s+instead(?:\s+of\s+(?P<old>{names}))?"
            )
            or self.sentence.take_first(
                rf"\b(?:replace|swap|exchange)\s+(?P<old>{names})\s+(?:by|with|for)\s+(?P<new>{names})\b"
            )
            or self.sentence.take_first(
                rf"\b(?:switch|change|swap|go)\s+from\s+(?P<old>{names})\s+to\s+(?P<new>{names})(?![\w-])"
            )
            or self.sentence.take_first(
                rf"\b(?:switch|change|swap)\s+to\s+(?P<new>{names})(?P<old>)(?![\w-])"
            )
            or self.sentence.take_first(
                r"^(?:the same|same|run it|do it|repeat it|now|run this)\s+(?:but\s+)?"
                rf"(?:for|with)\s+(?P<new>{names})(?P<old>)(?![\w-])"
            )
        )
        if not found:
            self._refuse_unknown_craft(names)
            return
        craft = spellings()[found["new"].casefold()]
        old = spellings()[found["old"].casefold()] if found["old"] else ""
        there = [one for one in crafts_in(self.after, self.catalogue) if one != craft]
        if not old and len(crafts_in(self.after, self.catalogue)) > 1:
            old = self.ask(f"Which spacecraft is to give way to {craft}?", there)
        operations, notes = swapped(self.after, craft, catalogue=self.catalogue, instead_of=old)
        self._do(*operations)
        self.notes += notes
        self.swapped = True

    def _refuse_unknown_craft(self, names: str) -> None:
        """Say of a spacecraft that is to be swapped in, and that the table does not have, that it is that."""
        missions = {one for _, craft in self.catalogue.crafts() for one in (craft.mission, craft.spacecraft)}
        flown = "|".join(re.escape(one) for one in sorted(missions, key=len, reverse=True))
        name = r"(?P<new>[A-Z][\w-]*(?: [A-Z0-9][\w-]*)*)"
        found = next(
            (
                one
                for pattern in (
                    rf"(?-i:\b{name})(?:\s+(?:data|spacecraft))?\s+instead\s+of\s+(?:{names})(?![\w-])",
                    rf"\b(?:replace|swap|exchange)\s+(?:{names})\s+(?:by|with|for)\s+(?-i:{name})",
                    rf"\b(?:switch|change|swap|go)\s+from\s+(?:{names})\s+to\s+(?-i:{name})",
                    rf"\b(?:switch|change|swap)\s+to\s+(?-i:(?P<new>{flown}))(?![\w-])",
                    rf"\b(?:use|take|for|with)\s+(?-i:(?P<new>{flown}))\s+instead\b",
                    r"^(?:the same|same|run it|do it|repeat it|run this)\s+(?:for|with)\s+"
                    rf"(?-i:(?P<new>{flown}))(?![\w-])",
                )
                if (one := self.sentence.take_first(pattern))
            ),
            None,
        )
        if found is None:
            return
        wanted = re.sub(r"^(?:Use|Take|With|For|Run) ", "", found["new"])
        table = ", ".join(sorted(set(spellings().values())))
        raise NotUnderstood(
            f"the table of quantities has no spacecraft '{wanted}', so nothing of it is known to be the same",
            advice=f"one of: {table}; or helio datasets search '{wanted}', and a pipeline of its own"
            if wanted.casefold() in {one.casefold() for one in missions}
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
                f"'{times[0]}' is {span}, counted from {self.now:%Y-%m-%d %H:%M} UTC, and anew in each run"
            )

    def _exports(self) -> None:
        for one in self.sentence.take(
            r"\b(?:also\s+)?(?:save|export|write)(?:\s+(?:it|them|the\s+)?(?P<what>[\w.|"
            r"]+)?)?(?:\s+\w+)?\s+(?:as|to|in)\s+(?:a\s+)?(?P<form>csv|cdf|netcdf|nc|parquet)"
            r"\b(?:\s+files?)?(?:\s+(?:too|also|as well))?"
        ):
            form = {"nc": "netcdf"}.get(one["form"].lower(), one["form"].lower())
            what = (
                one["what"]
                if one["what"]
                and one["what"].casefold() not in ("it", "them", "the", "data", "everything", "all")
                else None
            )
            for label in self._targets(what):
                name = self._free_id(f"save_{label}")
                suffix = {"netcdf": "nc"}.get(form, form)
                args = {"source_labels": [label], "filename": f"{label}.{suffix}", "format": form}
                step = {
                    "step_id": name,
                    "tool_name": "save_data",
                    "tool_args": args,
                    "intent": f"Save it as {form}",
                }
                self._do(Operation("add", value=step))

    def _free(self, wanted: str) -> str:
        return _free(wanted.replace(".", "_"), self._lines().gives())

    def _free_id(self, wanted: str) -> str:
        return _free(
            re.sub(r"\W+", "_", wanted).lower(), {str(one["step_id"]) for one in self.after["steps"]}
        )


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


def _free(wanted: str, taken: Any) -> str:
    number, name = 2, wanted
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
