"""Write templates by rules, without a language model: read simple requests, ask what is unclear, ignore no word."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache

from helio.authoring.documents import SourceFile
from helio.authoring.gate import Gate
from helio.authoring.memory import Item, preferred, with_names
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    AuthorQuestion,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.recorded import Records
from helio.authoring.rules.listed import ListedEvents
from helio.authoring.rules.looks import marked, take_marks
from helio.authoring.rules.sentence import LONGEST
from helio.authoring.rules.sentence_reading import read_request
from helio.authoring.writing.writer import Asks, write_template
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.missions import instrument_names
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.template.document import Document, as_text

BY = Attribution("rules")
_SHORTEST = 3
"""Names of instruments with at most this many letters are too short to suggest for a misspelt word."""


class _PendingQuestion(Exception):
    """Error that stops the rules at a question to the user that has no answer yet."""

    def __init__(self, text: str, choices: Sequence[str]) -> None:
        super().__init__(text)
        self.question = AuthorQuestion(text, tuple(choices), BY)


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
    """

    def __init__(
        self,
        catalogue: Catalogue,
        gate: Gate,
        *,
        now: datetime,
        remembered: Callable[[], Sequence[Item]] = tuple,
        records: Records | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._gate = gate
        self._now = now
        self._remembered = remembered
        self._records = records

    def create(
        self, request: str, *, chosen: tuple[str, ...] = (), sources: tuple[SourceFile, ...] = ()
    ) -> Outcome:
        """Write a template for a simple request: spacecraft, quantities, time, computations, and how the figure looks.

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
        _check_length(request)
        items = self._remembered()
        request, names = with_names(request, items)
        ask = _answers(chosen)
        try:
            listed = ListedEvents(request, sources, now=self._now, ask=ask)
        except _PendingQuestion as pending:
            return pending.question
        rest, marks = take_marks(listed.with_time())
        reading = read_request(rest, self._catalogue, self._now)
        refuse_others(reading.unread, self._catalogue)
        _refuse_unread(reading.unread)
        if reading.doubt is not None:
            raise reading.doubt
        wanted, preferences = preferred(reading.request, request, items)
        try:
            template, notes = write_template(wanted, catalogue=self._catalogue, now=self._now, ask=ask)
            if sources:
                template = listed.drawn(template, catalogue=self._catalogue, ask=ask)
            if marks:
                template = marked(marks, template, catalogue=self._catalogue, ask=_answers(()))
        except _PendingQuestion as pending:
            return pending.question
        proved = self._gate.new(as_text(template))
        if proved.errors:
            message = "the pipeline written from this request is not valid"
            raise NotProved(message, diagnostics=proved.errors)
        return TemplateDraft(proved, BY, (*names, *preferences, *reading.named, *notes, *listed.notes))

    def edit(
        self,
        request: str,
        template: Document,
        *,
        chosen: tuple[str, ...] = (),
        sources: tuple[SourceFile, ...] = (),
    ) -> Outcome:
        """Change a template, or answer a question about the template; `sources` are lists of events to draw."""
        from helio.authoring.rules.edit import edited

        _check_length(request)
        request, _ = with_names(request, self._remembered())
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
            )
        except _PendingQuestion as pending:
            return pending.question

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Repair simple failures: a misspelt name, a wrong unit, or missing data that another dataset contains."""
        del chosen  # rules ask nothing about a repair
        from helio.authoring.rules.mending import repaired

        return repaired(template, failure, catalogue=self._catalogue, gate=self._gate)


def _answers(chosen: tuple[str, ...]) -> Asks:
    """Return a function that answers questions in order, and raises an error if a question has no answer yet."""
    given = list(chosen)

    def ask(text: str, choices: Sequence[str]) -> str:
        if not given:
            raise _PendingQuestion(text, choices)
        answer = given.pop(0)
        if answer not in choices:
            raise NotUnderstood(
                f"'{answer}' is not one of the choices", advice=f"choose one of {', '.join(choices)}"
            )
        return answer

    return ask


def _check_length(request: str) -> None:
    if not request.strip():
        raise NotUnderstood(
            "the request is empty", advice="write what to plot, such as 'ACE magnetic field for last week'"
        )
    if len(request) > LONGEST:
        raise NotUnderstood(
            f"the request has {len(request)} characters; without a language model, helio reads at most {LONGEST}",
            advice=f"shorten the request, or {USE_A_MODEL}",
        )


def refuse_others(unread: tuple[str, ...], catalogue: Catalogue) -> None:
    """Refuse a spacecraft that is not in helio's table of quantities; never use another spacecraft instead."""
    if not unread:
        return
    missions = {craft.mission.casefold(): craft.mission for _, craft in catalogue.crafts()}
    known = spellings()  # "wind" may be left of the solar wind
    named = next(
        (
            missions[word.casefold()]
            for word in unread
            if word.casefold() in missions and word.casefold() not in known
        ),
        "",
    )
    if named:
        raise NotUnderstood(
            f"helio knows no quantities of {named}",
            advice=f"search with `helio datasets search '{named} …'`, then request the data as DATASET.PARAMETER",
        )


def _refuse_unread(unread: tuple[str, ...]) -> None:
    """Refuse a request with words that were not understood, because any of them could be important."""
    if unread:
        quoted = ", ".join(f"'{word}'" for word in unread[:8])
        strange = [word.casefold() for word in unread[:8] if re.fullmatch(r"[^\W\d]{4,}", word)]
        known = known_words()
        near = [meant for word in strange if word not in known and (meant := did_you_mean(word, known))]
        raise NotUnderstood(
            f"helio does not understand {quoted}",
            advice="; ".join(near)
            or "give the spacecraft, the quantity, the time range (as 'A to B') and what to compute, in simple "
            f"words; or {USE_A_MODEL}",
        )


@lru_cache(maxsize=1)
def known_words() -> tuple[str, ...]:
    """Return the words that the rules know, for suggestions: of quantities, computations, spacecraft, instruments."""
    phrases = [row.quantity for row in WORDS]
    phrases += [phrase for row in WORDS for phrase in row.phrases]
    phrases += [phrase for named in VOCABULARY["computations"].values() for phrase in named]
    words = {word for phrase in phrases for word in re.findall(r"[a-zé]{4,}", phrase.casefold())}
    instruments = {name.casefold() for source in SOURCES for name in instrument_names(source.dataset)}
    return tuple(sorted(words | set(spellings()) | {name for name in instruments if len(name) > _SHORTEST}))
