"""The rule-based author: reads plain requests, asks where a word means several things, and leaves no word out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helio.authoring.gate import Gate
from helio.authoring.outcome import (
    Attribution,
    AuthorQuestion,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.rules.sentence import LONGEST
from helio.authoring.rules.sentence_reading import read_request
from helio.authoring.writing.writer import Asks, write_template
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import spellings
from helio.pipelines.template.document import Document, as_text

BY = Attribution("rules")


class _PendingQuestion(Exception):
    """A question that has no answer yet."""

    def __init__(self, text: str, choices: Sequence[str]) -> None:
        super().__init__(text)
        self.question = AuthorQuestion(text, tuple(choices), BY)


class RuleAuthor:
    """Satisfies `helio.authoring.outcome.Author` without any model; the same request gives the same bytes.

    Parameters
    ----------
    catalogue : Catalogue
    gate : Gate
    now : datetime
        Naive UTC.
    """

    def __init__(self, catalogue: Catalogue, gate: Gate, *, now: datetime) -> None:
        self._catalogue = catalogue
        self._gate = gate
        self._now = now

    def create(self, request: str, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A new template for a plain request: spacecraft, quantity, time, what to compute, how to draw it.

        Raises
        ------
        NotUnderstood
            Naming the words.
        NotProved
            What was asked for is nowhere, or not at that time.
        """
        _check_length(request)
        reading = read_request(request, self._catalogue, self._now)
        self._refuse_others(reading.unread)
        _refuse_unread(reading.unread)
        if reading.doubt is not None:
            raise reading.doubt
        try:
            template, notes = write_template(
                reading.request, catalogue=self._catalogue, now=self._now, ask=_answers(chosen)
            )
        except _PendingQuestion as asked:
            return asked.question
        proved = self._gate.new(as_text(template))
        if proved.errors:
            raise NotProved("what was asked for cannot be had like that", diagnostics=proved.errors)
        return TemplateDraft(proved, BY, notes)

    def _refuse_others(self, unread: tuple[str, ...]) -> None:
        """A spacecraft that the table does not have is never passed over for another one."""
        missions = {mission.name.casefold(): mission.name for mission in self._catalogue.missions()}
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
                f"the table of quantities has nothing of {named}",
                advice=f"helio datasets search '{named} …' finds what there is; name it as DATASET.PARAMETER",
            )

    def edit(self, request: str, template: Document, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change of a template, or words about it."""
        from helio.authoring.rules.edit import edited

        _check_length(request)
        try:
            return edited(
                request,
                template,
                catalogue=self._catalogue,
                gate=self._gate,
                now=self._now,
                ask=_answers(chosen),
            )
        except _PendingQuestion as asked:
            return asked.question

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """The plain cases: a misspelt name with one close one, no data where the table knows another source."""
        del chosen  # rules ask nothing about a repair
        from helio.authoring.rules.mending import repaired

        return repaired(template, failure, catalogue=self._catalogue, gate=self._gate)


def _answers(chosen: tuple[str, ...]) -> Asks:
    """Answers questions in order, and lets the first one out that has no answer yet."""
    given = list(chosen)

    def ask(text: str, choices: Sequence[str]) -> str:
        if not given:
            raise _PendingQuestion(text, choices)
        answer = given.pop(0)
        if answer not in choices:
            raise NotUnderstood(f"'{answer}' is none of the choices", advice=", ".join(choices))
        return answer

    return ask


def _check_length(request: str) -> None:
    if not request.strip():
        raise NotUnderstood("nothing was asked for", advice="'ACE magnetic field for last week'")
    if len(request) > LONGEST:
        raise NotUnderstood(
            f"rules read at most {LONGEST} characters, and these are {len(request)}",
            advice="a shorter request, or a model: set GEMINI_API_KEY",
        )


def _refuse_unread(unread: tuple[str, ...]) -> None:
    """Whatever was not read may have been the request itself, so that nothing is left out."""
    if unread:
        quoted = ", ".join(f"'{word}'" for word in unread[:8])
        raise NotUnderstood(
            f"not understood: {quoted}",
            advice="plainer words: spacecraft, quantity, time as 'A to B', what to compute; or a model: set"
            " GEMINI_API_KEY",
        )
