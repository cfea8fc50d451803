"""Write templates by rules, without a language model: read simple requests, ask what is unclear, ignore no word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain
from types import MappingProxyType

from helio.authoring.documents.source_files import SourceFile
from helio.authoring.gate import Gate
from helio.authoring.memory import Item, preferred, with_names
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    AuthorQuestion,
    AuthorReply,
    Failure,
    NotInTable,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
    choice_called,
    is_other_time,
    require_readable,
)
from helio.authoring.recorded import Records
from helio.authoring.request import Epochs, EventTable, PipelineRequest
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.computations.computed import refuse_averages_of_inputs
from helio.authoring.rules.events.event_tables import is_table, read_event_table
from helio.authoring.rules.events.listed import ListedEvents
from helio.authoring.rules.events.solar_xrays import solar_xrays
from helio.authoring.rules.events.storms import read_storms
from helio.authoring.rules.events.timed_epochs import read_timed_epochs
from helio.authoring.rules.misspelt import with_corrections
from helio.authoring.rules.questions.answers import answered, fully_answered, is_whole
from helio.authoring.rules.questions.question_form import (
    asks_for_data,
    asks_for_series,
    begins_question,
    begins_with_reason,
    is_question,
    question_before_request,
    without_question_mark,
)
from helio.authoring.rules.reading.figure_parts import read_parts, refuse_computing_other_parts
from helio.authoring.rules.reading.guard import refuse_unused
from helio.authoring.rules.reading.kept_raw import with_plain_raw
from helio.authoring.rules.reading.looks import (
    changed_looks,
    in_own_panels,
    is_same_data,
    names_quantity,
    take_looks,
    take_panel_looks,
    take_phrases,
    with_labels_named,
    with_missions_of_letters,
    with_time_apart,
)
from helio.authoring.rules.reading.marked_times import marked_days
from helio.authoring.rules.reading.named import read_quantities, read_spacecraft
from helio.authoring.rules.reading.named_archives import Servers, archive_note, take_archive
from helio.authoring.rules.reading.plain_forms import in_plain_forms, without_corrected_name
from helio.authoring.rules.reading.pronouns import with_names_for_last_words, with_names_for_pronouns
from helio.authoring.rules.reading.sentence import LONGEST_FOR_RULES, Sentence
from helio.authoring.rules.reading.sentence_reading import Reading, read_request
from helio.authoring.rules.reading.typing_habits import with_capitals, with_plain_signs
from helio.authoring.rules.refusals import refuse_look, refuse_unread
from helio.authoring.rules.remarks import CHANGES_DATA, without_remarks
from helio.authoring.rules.times.clocks import with_hours_of_days
from helio.authoring.rules.times.dates import refuse_impossible_dates
from helio.authoring.writing.asking import Asks, asked_time
from helio.authoring.writing.writer import write_template
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import ABS_B, B
from helio.patterns import outside_quotes
from helio.pipelines.template.document import Document, as_text
from helio.time_range import parse_time_range

BY = Attribution("rules")

_EXPECTED = re.compile(
    r"^(?P<begin>what)\s+(?P<what>[^,.;?]+?)\s+(?:would|should)\s+(?:you|we|one|i)\s+expect\s+(?=(?:at|of|for|from)\b)",
    re.IGNORECASE,
)
"""A question for a quantity that helio computes, and not for the tool `expect`."""
_SUGGESTION = re.compile(r"^\W*(?:(?:and|so|ok|okay)\W+)?(?:how|what)\s+about\s+", re.IGNORECASE)
"""The beginning of a wish that has the form of a question."""
_SOLAR_WIND = re.compile(r"\bwind\b")
"""Pattern of the solar wind, which is no spacecraft in small letters."""


class _PendingQuestion(Exception):
    """Error that stops the rules at a question to the user that has no answer yet."""

    def __init__(self, text: str, choices: Sequence[str]) -> None:
        super().__init__(text)
        self.question = AuthorQuestion(text, tuple(choices), BY)


def _names_other_data(statement: str, request: str) -> bool:
    """Return whether a statement asks for a change of data, or names data that a request does not name."""
    sentences = [Sentence(_SOLAR_WIND.sub("", text)) for text in (statement, request)]
    crafts, own_crafts = ({craft for _, craft in read_spacecraft(sentence)} for sentence in sentences)
    (named, field), (drawn, own_field) = (
        read_quantities(sentence, magnitude=False) for sentence in sentences
    )
    names = {quantity.name for _, quantity in drawn}
    is_other = not {quantity.name for _, quantity in named} <= names or (
        own_crafts and not crafts <= own_crafts
    )
    is_field = field >= 0 and own_field < 0 and names.isdisjoint((B, ABS_B))
    return bool(is_other) or is_field or CHANGES_DATA.search(statement) is not None


def _says_looks(request: PipelineRequest) -> bool:
    """Return whether a request, or one of its parts, says how its lines or panels look."""
    return bool(request.style.looks) or any(map(_says_looks, request.parts))


class RuleAuthor:
    """Writer of templates that uses rules and no language model; equal requests give equal templates.

    Parameters
    ----------
    catalogue : Catalogue
    gate : Gate
    now : datetime
        Naive UTC.
    remembered : callable
        Returns what the user told helio to remember.
    records : Records, optional
        The records of runs and changes, for questions about them.
    servers : mapping, optional
        The servers that the user's settings add, which a sentence may name.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        gate: Gate,
        *,
        now: datetime,
        remembered: Callable[[], Sequence[Item]] = tuple,
        records: Records | None = None,
        servers: Servers = MappingProxyType({}),
    ) -> None:
        self._servers = servers
        self._catalogue = catalogue
        self._gate = gate
        self._now = now
        self._remembered = remembered
        self._records = records

    def create(
        self, request: str, *, chosen: tuple[str, ...] = (), sources: tuple[SourceFile, ...] = ()
    ) -> Outcome:
        """Write a template for a simple request: spacecraft, quantities, time, computations, and how the figure looks.

        The catalogue and the reference answer a question about data or tools.

        Parameters
        ----------
        sources : tuple of SourceFile
            Lists of events to shade, to mark or to superpose a series on.

        Raises
        ------
        NotUnderstood
            Helio does not understand some words; the message quotes them.
        NotProved
            The data do not exist, or not for that time.
        """
        request = without_corrected_name(outside_quotes(_written_out(request), self._possible))
        request = _EXPECTED.sub(r"\g<begin> is the \g<what> ", request)
        question, wanted = self._without_reason(request)
        try:
            outcome = self._reply_or_draft(request, chosen, sources)
        except NotUnderstood:
            if not question:
                raise
        else:
            is_answered = isinstance(outcome, AuthorReply) and is_whole(outcome.text)
            if not question or is_answered or isinstance(outcome, TemplateDraft):
                return outcome
        outcome = self._reply_or_draft(wanted, chosen, sources)
        if isinstance(outcome, TemplateDraft):
            note = f"'{question}' is taken as the reason for the request"
            return replace(outcome, notes=(note, *outcome.notes))
        return outcome

    def _reply_or_draft(
        self, request: str, chosen: tuple[str, ...], sources: tuple[SourceFile, ...]
    ) -> Outcome:
        """Answer a question about data or tools, or write a template for a request."""
        if sources or not is_question(request) or asks_for_series(request) or is_table(request):
            return self._drafted(request, chosen, sources)
        answer = answered if begins_question(request) else fully_answered
        named, _ = with_names(request, self._remembered())
        reply = answer(named, None, self._catalogue, self._now)
        if not reply:
            return self._drafted(request, chosen, sources)
        wish = without_question_mark(request)
        if wish or (Sentence(request).take_times(self._now) and not asks_for_data(request)):
            try:  # what did ACE measure on 2003-10-29?
                drafted = self._drafted(wish or request, chosen, sources)
            except NotUnderstood:
                if wish and not is_whole(reply):
                    raise
            else:
                names_property = fully_answered(named, None, self._catalogue, self._now)
                if isinstance(drafted, TemplateDraft) or not names_property:
                    return drafted
        return AuthorReply(reply, BY)

    def _possible(self, text: str) -> str:
        return refuse_impossible_dates(text, self._now)

    def _without_reason(self, request: str) -> tuple[str, str]:
        """Split a question or a statement from the request behind it.

        The request gets the spacecraft and the time that only the words before it name. Without such words, return an
        empty text and the request.
        """
        question, rest = question_before_request(request)
        if not rest:
            return "", request
        asked, wanted = Sentence(_SOLAR_WIND.sub("", question)), Sentence(rest)
        times, own_times = asked.take_times(self._now), wanted.take_times(self._now)
        crafts, own_crafts = read_spacecraft(asked), read_spacecraft(wanted)
        if begins_with_reason(request) and _names_other_data(question, rest):
            return "", request
        about = [*([] if own_crafts else [craft for _, craft in crafts]), *([] if own_times else times[:1])]
        return question, ": ".join(filter(None, (", ".join(dict.fromkeys(about)), rest)))

    def _drafted(self, request: str, chosen: tuple[str, ...], sources: tuple[SourceFile, ...]) -> Outcome:
        """Write a template for a request that is no question, or ask what is not clear in it."""
        try:
            return self._draft(request, chosen, sources)
        except _PendingQuestion as pending:
            return pending.question

    def _draft(self, request: str, chosen: tuple[str, ...], sources: tuple[SourceFile, ...]) -> TemplateDraft:
        items = self._remembered()
        request, names = with_names(with_capitals(_SUGGESTION.sub("", request)), items)
        refuse_look(request)
        refuse_averages_of_inputs(request)
        request = outside_quotes(request, with_hours_of_days)  # no ranges of axes
        request = with_names_for_last_words(with_names_for_pronouns(request))
        request = with_plain_raw(in_plain_forms(with_missions_of_letters(with_labels_named(request))))
        request = with_time_apart(request, self._now)
        request, archive = take_archive(request, self._servers)
        if archive and (note := archive_note(archive, self._catalogue, self._servers)):
            names = (*names, note)
        ask = _answers(chosen)
        request, of_panels = take_panel_looks(request, self._now)
        rest, looks = take_looks(request, self._now)
        flares = None if sources else solar_xrays(request, self._now, ask)  # flares marked, 6 September
        if flares:
            looks = ()
        if not sources and (xrays := flares or solar_xrays(rest, self._now, ask)):
            template, notes = write_template(xrays[0], catalogue=self._catalogue, now=self._now, ask=ask)
            template, said = changed_looks(looks, template, catalogue=self._catalogue, ask=ask, now=self._now)
            return self._proved(template, (*names, *xrays[1], *notes, *said))
        listed = ListedEvents(request, sources, now=self._now, ask=ask)
        plain, events = (listed.with_time(), listed.epochs) if sources else self._about_events(request)
        rest, looks = take_looks(plain, self._now)
        looks += of_panels
        in_parts = None if sources or events else self._in_parts(plain, request, items, ask, of_panels)
        if looks and not (in_parts or sources or events) and all(map(names_quantity, looks)):
            in_parts = self._in_parts(rest, request, items, ask, looks)
        if in_parts:
            template, notes = in_parts
            return self._proved(template, (*names, *notes))
        reading = read_request(rest, self._catalogue, self._now, ask, looks=looks)
        asked, remarks = without_remarks(rest, reading.unread)
        if remarks and asked:
            again = read_request(asked, self._catalogue, self._now, ask, looks=looks)
            if self._keeps(reading.request, again.request):
                reading, rest, names = again, asked, (*names, *remarks)
        if reading.unread:
            corrected, typos = with_corrections(rest, reading.unread, self._catalogue)
            if corrected != rest:
                again = read_request(corrected, self._catalogue, self._now, ask, looks=looks)
                if len(again.unread) < len(reading.unread):
                    reading, rest, names = again, corrected, (*names, *typos)
        readings = self._with_phrases(rest, reading, ask) if reading.unread else [reading]
        if not readings:
            refuse_unread(request, reading.unread, reading.request.spacecraft, self._catalogue, reading.hint)
        refusals: list[NotUnderstood] = []
        by_catalogue = self._from_catalogue(rest, reading, refusals, ask)
        for reading in chain(readings, by_catalogue):
            meant = replace(reading.answered(ask), events=events)
            wanted, preferences = preferred(meant, request, items)
            try:
                days = marked_days(wanted.style.looks, wanted.times, self._now)
                wanted = replace(wanted, times=(days,)) if days else wanted
                if not (sources or events):
                    refuse_computing_other_parts(plain, wanted)
                template, notes = self._written(wanted, listed if sources else None, ask)
                if days:
                    notes = (
                        *notes,
                        f"the time range is {days}, which the figure marks; the request names no other",
                    )
                break
            except NotUnderstood as refused:
                refusals.append(refused)
        else:
            raise refusals[len(readings) - 1]
        return self._proved(template, (*names, *preferences, *reading.named, *notes))

    def _keeps(self, whole: PipelineRequest, shorter: PipelineRequest) -> bool:
        """Return whether a request without its remarks still asks for all that was read in the whole request."""
        read, kept = (
            {*part.quantities, *part.datasets, *part.computations, *part.energies, part.cadence, part.frame}
            | {parse_time_range(time, self._now) for time in part.times}
            for part in (whole, shorter)
        )
        return read - {"", None} <= kept

    def _in_parts(
        self, text: str, request: str, items: Sequence[Item], ask: Asks, of_panels: tuple[str, ...]
    ) -> tuple[Document, tuple[str, ...]] | None:
        """Write the template of a request with several parts; None if it has none, or if the table lacks its data."""
        try:
            reading = read_parts(text, self._catalogue, self._now, ask)
            if reading is None:
                return None
            style = reading.request.style
            own = self._looks_of_parts(reading.request, ask)
            style = replace(style, looks=(*style.looks, *own, *of_panels))
            wanted, preferences = preferred(replace(reading.request, style=style), request, items)
            template, notes = self._written(wanted, None, ask)
        except (NotInTable, _PendingQuestion):
            return None  # the whole sentence may say what a part leaves open
        return template, (*preferences, *reading.named, *notes)

    def _looks_of_parts(self, request: PipelineRequest, ask: Asks, first: int = 1) -> Iterator[str]:
        """Yield what the parts of a figure say about looks; what is for their own panels alone gets their numbers.

        `first` is the number of the first panel.
        """
        for part in request.parts if _says_looks(request) else ():
            alone = replace(part, times=request.times)
            template, _ = write_template(alone, catalogue=self._catalogue, now=self._now, ask=ask)
            editor = FigureEditor(template, self._catalogue, ask, self._now)
            yield from self._looks_of_parts(alone, ask, first)
            for look in part.style.looks:
                yield from in_own_panels(look, editor, self._now, first)
            first += len(editor.panels)

    def _written(
        self, wanted: PipelineRequest, listed: ListedEvents | None, ask: Asks
    ) -> tuple[Document, tuple[str, ...]]:
        """Write the template of a request with its lists of events and its looks; return it with notes.

        If the request names no time, ask for it last, when nothing else of the request is refused.
        """
        template, notes = write_template(wanted, catalogue=self._catalogue, now=self._now, ask=ask)
        refuse_unused(template)
        if listed is not None:
            template = listed.drawn(template, catalogue=self._catalogue, ask=ask)
            notes = (*notes, *listed.notes)
        template, said = changed_looks(
            wanted.style.looks, template, catalogue=self._catalogue, ask=ask, now=self._now
        )
        default = template["variables"].get("$TIME_RANGE", {}).get("default")
        if default and not wanted.times:
            time = asked_time(default, ask, self._now)
            return self._written(replace(wanted, times=(time,)), listed, ask)
        return template, (*notes, *said)

    def _proved(self, template: Document, notes: tuple[str, ...]) -> TemplateDraft:
        proved = self._gate.new(as_text(template))
        if proved.errors:
            first = proved.errors[0]
            raise NotProved(
                f"the pipeline written from this request is not valid: {first.message}",
                diagnostics=proved.errors,
                advice="; ".join(first.advice),
            )
        return TemplateDraft(proved, BY, notes)

    def _about_events(self, request: str) -> tuple[str, Epochs | EventTable | None]:
        """Read the events that a request superposes its series around, or of which it wants a table."""
        rest, timed = read_timed_epochs(request, self._now)
        if timed:
            return rest, timed
        rest, table = read_event_table(request)
        return (rest, table) if table else read_storms(request)

    def _from_catalogue(
        self, text: str, reading: Reading, refusals: Sequence[NotUnderstood], ask: Asks
    ) -> Iterator[Reading]:
        """Read a request again by the catalogue alone, because the table of quantities has not what it asks for."""
        lacking = refusals[-1]
        if reading.unread or not isinstance(lacking, NotInTable):
            return
        looks = reading.request.style.looks
        for name in dict.fromkeys((lacking.quantity, "")):
            with suppress(NotUnderstood):
                again = read_request(text, self._catalogue, self._now, ask, looks=looks, lacking=name)
                if (again.request.datasets or again.request.cuts) and not again.unread:
                    yield again

    def _with_phrases(self, text: str, whole: Reading, ask: Asks) -> list[Reading]:
        """Read a request of which some parts change the new figure; return the ways to read all of its words."""
        readings = []
        for rest, phrases in take_phrases(text, whole.unread, self._now):
            try:
                looks = (*whole.request.style.looks, *phrases)
                reading = read_request(rest, self._catalogue, self._now, ask, looks=looks)
            except _PendingQuestion:  # what remains of the sentence is not clear by itself
                continue
            if not reading.unread and is_same_data(reading.request, whole.request):
                readings.append(reading)
        return readings

    def edit(
        self,
        request: str,
        template: Document,
        *,
        chosen: tuple[str, ...] = (),
        sources: tuple[SourceFile, ...] = (),
    ) -> Outcome:
        """Change a template, or answer a question about the template; `sources` are lists of events to draw."""
        from helio.authoring.rules.changes.edit import edited

        request = outside_quotes(_written_out(request), self._possible)
        try:
            return edited(
                request,
                template,
                catalogue=self._catalogue,
                gate=self._gate,
                now=self._now,
                ask=_answers(chosen),
                sources=sources,
                records=self._records,
                remembered=self._remembered(),
            )
        except _PendingQuestion as pending:
            return pending.question

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Repair simple failures: a misspelt name, a wrong unit, or missing data that another dataset contains."""
        del chosen  # rules ask nothing about a repair
        from helio.authoring.rules.changes.mending import repaired

        return repaired(template, failure, catalogue=self._catalogue, gate=self._gate)


def _answers(chosen: tuple[str, ...]) -> Asks:
    """Return a function that answers questions in order, and raises an error if a question has no answer yet.

    A question that is asked again, because the sentence is read again, gets the same answer.
    """
    remaining = list(chosen)
    answers: dict[str, str] = {}

    def ask(text: str, choices: Sequence[str]) -> str:
        if text not in answers:
            if not remaining:
                raise _PendingQuestion(text, choices)
            answers[text] = remaining.pop(0)
        answer = choice_called(answers[text], choices) or answers[text]
        if answer not in choices and not is_other_time(answer, choices):
            raise NotUnderstood(
                f"'{answer}' is not one of the choices", advice=f"choose one of {', '.join(choices)}"
            )
        return answer

    return ask


def _written_out(request: str) -> str:
    """Return a request with signs such as ``w/`` and ``&`` as words.

    Raises
    ------
    NotUnderstood
        The request is empty or too long.
    """
    require_readable(request, LONGEST_FOR_RULES, f"shorten the request, or {USE_A_MODEL}")
    return with_plain_signs(request)
