"""Draw lists of events that a user gives as files: shade the events, mark the times, or superpose a series on them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.documents.event_lists import Event, events_for, read_events
from helio.authoring.documents.source_files import SourceFile
from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Epochs, Events
from helio.authoring.rules.changes.atom_values import COLOURS
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.events.timed_epochs import days_around, usual_bin
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import duration_in, duration_pattern
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.steps import free_name
from helio.counts import number_of
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document, slug
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.from_document import KEY, FromDocument, code_of_events, code_of_times
from helio.time_range import TimeRange, is_time_range, parse_time_range

MOST_LABELS = 12
"""Maximum number of different labels that a figure shows: each is a table of its own."""
WINDOWS = ("1d before to 3d after", "12h before to 2d after", "3h before to 6h after")
_SHADES = ("lightskyblue", "moccasin", "thistle", "palegreen", "mistyrose", "lightgrey")
_EVENTS = (
    r"(?:times?|events?|intervals?|onsets?|zero[- ]times?|dates?|list|epochs?|storms?|icmes?|cirs?|hsss?|substorms?|"
    r"crossings?|shocks?|flares?)"
)
_THE = r"(?:(?:the|these|those|all|my|listed|given)\s+)*"
_IN_FILE = r"(?:\s+(?:in|of|from|on)\s+(?:(?:the|this|my)\s+)?(?:file|list|table|attachment|NAMES))?"
_LISTED = rf"{_THE}(?:NAMES|{_EVENTS}(?![\w.]*\w)){_IN_FILE}"
_WITH = r"(?:[,;]?\s*\b(?:and|with)\s+)?"
_SHADE = (
    rf"{_WITH}\b(?:shad(?:e|ing)|highlight(?:ing)?|mark(?:ing)?)\s+{_LISTED}"
    rf"(?:\s+(?:in|as)\s+(?P<colour>{COLOURS}))?(?:\s+(?:with|by|as)\s+(?:vertical\s+)?(?:lines|shading))?(?=\s*(?:$|[,.;]|and\b|for\b|from\b|in\b|on\b|over\b|\x01))"
)
_SHADED = rf"{_WITH}{_LISTED}\s+(?:shaded|highlighted|marked)(?:\s+in\s+(?P<colour>{COLOURS}))?"
_WINDOW = (
    rf"(?:,?\s*(?:from\s+)?{duration_pattern('1')}\s+before\s+(?:to|and|until)\s+{duration_pattern('2')}\s+after"
    r"(?:\s+(?:them|each|the\s+(?:zero\s+)?times?|the\s+events?))?)?"
    rf"(?:,?\s*(?:and\s+)?(?:with|in)\s+(?:(?:bins\s+of\s+)?{duration_pattern('3')}(?:[\s-]*bins?)?))?"
)
_EPOCH = (
    r"\b(?:(?:plot|show|draw|make|do|compute)\s+)?(?:an?\s+|the\s+)?superposed[- ]epochs?"
    r"(?:\s+(?:analysis|plot|figure))?"
    rf"\s+(?:of|for)\s+(?:the\s+)?(?P<what>[^,;]+?)\s+(?:at|around|about|for|over|on|using|with)\s+{_LISTED}{_WINDOW}"
)


@dataclass(frozen=True)
class _Wish:
    """What a sentence wants of a list of events: shaded in a colour."""

    sources: tuple[SourceFile, ...]
    colour: str = ""


class ListedEvents:
    """What a sentence wants of the lists of events that came with it.

    Parameters
    ----------
    request : str
        The sentence.
    sources : sequence of SourceFile
    now : datetime
        Naive UTC.
    ask : callable
        Asks the user.
    is_new : bool
        Whether the sentence asks for a new pipeline.

    Raises
    ------
    NotUnderstood
        The sentence does not say what to do with a file.
    RequestError
        A file is not a list of events.
    """

    def __init__(
        self, request: str, sources: Sequence[SourceFile], *, now: datetime, ask: Asks, is_new: bool = True
    ) -> None:
        self.notes: list[str] = []
        self.rest = request
        """The sentence without the words about the lists."""
        self.epochs: Epochs | None = None
        """The times around which the sentence superposes a series."""
        self._wishes: list[_Wish] = []
        self._span: TimeRange | None = None
        self._now = now
        if not sources:
            return
        self._events: dict[str, tuple[Event, ...]] = {}
        for source in sources:
            self._events[source.name], notes = read_events(source)
            self.notes += notes
        self._read(request, sources, now, ask, is_new)

    def _read(
        self, request: str, sources: Sequence[SourceFile], now: datetime, ask: Asks, is_new: bool
    ) -> None:
        names = "|".join(re.escape(source.name) for source in sources)
        sentence, quantity, superposed = Sentence(request), "", list[str]()
        for match in sentence.take(_EPOCH.replace("NAMES", names)):
            if not is_new:
                raise NotUnderstood(
                    "helio superposes events only in a new pipeline",
                    advice="use `helio author` with the same sentence and the same file",
                )
            chosen = _meant(match, sources)
            if self.epochs or len(chosen) > 1:
                raise NotUnderstood("the request superposes twice", advice="make one figure for each")
            quantity = match["what"]
            self.epochs = self._superposed(match, chosen[0], ask)
            superposed = [source.name for source in chosen]
        for pattern in (_SHADE, _SHADED):
            for match in sentence.take(pattern.replace("NAMES", names)):
                self._wishes.append(_Wish(_meant(match, sources), (match["colour"] or "").lower()))
        used = [*superposed, *(source.name for wish in self._wishes for source in wish.sources)]
        unused = next((source.name for source in sources if source.name not in used), "")
        if unused:
            raise NotUnderstood(
                f"the request does not say what to do with {unused}",
                advice=f"write, for example, 'shade the events in {unused}', or "
                f"'superposed epoch of Dst at the times in {unused}'",
            )
        rest = sentence.rest()
        if self.epochs:
            if self._wishes:
                raise NotUnderstood("a superposed epoch has no events to shade", advice="make two figures")
            rest = " ".join(f"{quantity} {rest}".split())
        if is_new and not Sentence(rest).take_times(now):
            self._span = self._whole({*used})
        self.rest = rest

    def with_time(self) -> str:
        """Return the rest of the sentence with the time range of the events, if the sentence names no time."""
        if self._span is None:
            return self.rest
        self.notes.append(f"the request names no time: the time range contains all events: {self._span}")
        return f"{self.rest} for {self._span}"

    def _superposed(self, match: re.Match[str], source: SourceFile, ask: Asks) -> Epochs:
        before, after = duration_in(match, "1"), duration_in(match, "2")
        if not before:
            window = ask("How long before and after the times?", WINDOWS)
            before, after = window.split(" before to ")[0], window.split(" before to ")[1].split(" ")[0]
        bin_length = duration_in(match, "3")
        if not bin_length:
            bin_length, notes = usual_bin(before, after)
            self.notes += notes
        listed, _ = events_for(source, self._events[source.name])
        times = list(dict.fromkeys(event.start for event in listed))
        args = {"pandas_code": code_of_times(times), "units": "s", "description": f"from {source.origin}"}
        about = f"{number_of(len(times), 'time')} from {source.name}"
        document = FromDocument(source.name, source.digest)
        events = Events("times", "store_dataframe", tuple(args.items()), about, document=document)
        return Epochs(events, before, after, bin_length, about)

    def _whole(self, names: Collection[str]) -> TimeRange:
        """Return whole days that contain all events of some files, with the time before and after the zero times."""
        events = [event for name in names for event in self._events[name]]
        first = datetime.fromisoformat(min(event.start for event in events)[:19])
        last = datetime.fromisoformat(max(event.stop or event.start for event in events)[:19])
        sides = (self.epochs.before, self.epochs.after) if self.epochs else ()
        return days_around(first, last, *sides)

    def drawn(self, template: Document, *, catalogue: Catalogue, ask: Asks) -> Document:
        """Return a template whose figure shows the events as the sentence wishes."""
        figure = EventFigure(template, catalogue, ask, self._now)
        span = _range_of(template, self._now)
        for wish in self._wishes:
            for source in wish.sources:
                events, notes = events_for(source, self._events[source.name], span)
                self.notes += notes
                if events[0].stop:
                    self.notes += figure.shade(events, source, wish.colour)
                else:
                    self.notes.append(f"{source.name} has no stops: its times are vertical lines")
                    figure.mark(events, source, wish.colour)
        return figure.after


def _range_of(template: Document, now: datetime) -> TimeRange | None:
    """Return the time range of a template; None if it has none of its own, or several."""
    variables = template.get("variables") or {}
    spans = [facts.get("default") for facts in variables.values() if facts.get("type") == "time_range"]
    if len(spans) != 1 or not isinstance(spans[0], str) or not is_time_range(spans[0]):
        return None
    return parse_time_range(spans[0], now)


def _meant(match: re.Match[str], sources: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """Return the files that a phrase names; all files if it names none."""
    named = tuple(source for source in sources if source.name.casefold() in match[0].casefold())
    return named or tuple(sources)


class EventFigure(FigureEditor):
    """The figure of a template to which events are added."""

    def shade(self, events: Sequence[Event], source: SourceFile, colour: str) -> list[str]:
        """Add a table for each label of the events, and shade the events; return notes."""
        labels = list(dict.fromkeys(event.label for event in events))
        notes = []
        if len(labels) > MOST_LABELS:
            notes.append(
                f"{source.name} has {len(labels)} different labels: a figure shows at most {MOST_LABELS}"
            )
            labels = [""]
            events = [Event(event.start, event.stop, "", event.place) for event in events]
        figure = self.figure()
        for number, label in enumerate(labels):
            chosen = [event for event in events if event.label == label]
            name = f"events_{slug(label)}".replace("-", "_").rstrip("_")[:40]
            shown = colour or _SHADES[number % len(_SHADES)]
            table = self._table(chosen, source, name, figure)
            shading = {"of": table, "color": shown} | ({"label": label} if label else {})
            self._shade(shading)
        return notes

    def mark(self, events: Sequence[Event], source: SourceFile, colour: str) -> None:
        """Draw a vertical line at the start of each event."""
        shown = {"color": colour} if colour else {}
        figure = self.figure()
        lines = []
        for label in dict.fromkeys(event.label for event in events):
            chosen = [event for event in events if event.label == label]
            name = f"times_{slug(label)}".replace("-", "_").rstrip("_")[:40]
            table = self._table(chosen, source, name, figure)
            lines.append({"of": table, **({"label": label} if label else {}), **shown})
        known = self.spec.get("vlines")
        tables = [line["of"] for line in lines]
        others = [line for line in known if line.get("of") not in tables] if isinstance(known, list) else []
        self.put("vlines", [*others, *lines])

    def _table(self, events: Sequence[Event], source: SourceFile, name: str, figure: Document) -> str:
        """Return the label of a table of durations, or of times if the events have no stops; add its step if needed."""
        if events[0].stop:
            code = code_of_events((event.start, event.stop) for event in events)
        else:
            code = code_of_times(dict.fromkeys(event.start for event in events))
        args = {"pandas_code": code, "units": "s", "description": f"from {source.origin}"}
        for step in self.after["steps"]:
            written = step.get("tool_args") or {}
            if step.get("tool_name") == "store_dataframe" and args.items() <= written.items():
                return str(written["output_label"])
        taken = {str(step["step_id"]) for step in self.after["steps"]}
        taken |= {str((step.get("tool_args") or {}).get("output_label")) for step in self.after["steps"]}
        label = free_name(name, taken, "_")
        step = {
            "step_id": label,
            "tool_name": "store_dataframe",
            "tool_args": {**args, "output_label": label},
            "intent": f"{number_of(len(events), 'event' if events[0].stop else 'time')} from {source.name}",
            "annotations": {KEY: FromDocument(source.name, source.digest).to_json()},
        }
        self._insert(step, figure)
        return label

    def _insert(self, step: Document, figure: Document) -> None:
        """Add a step before the figure."""
        names = [str(written["step_id"]) for written in self.after["steps"]]
        place = names.index(str(figure["step_id"]))
        self.do(Operation("add", value=step, after=names[place - 1] if place else ""))

    def _shade(self, shading: Document) -> None:
        """Let the figure shade the events of a table, instead of an earlier shading of the same table."""
        figure = self.figure()
        spec = spec_of(figure) or {}
        kept = [events for events in spec.get("events") or () if events.get("of") != shading["of"]]
        path = (
            ("tool_args", "spec", "events") if figure.get("tool_name") == RENDER else ("tool_args", "events")
        )
        self.do(Operation("set", str(figure["step_id"]), path, [*kept, shading]))
