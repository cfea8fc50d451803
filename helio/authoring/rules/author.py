"""Write templates by rules, without a language model: read simple requests, ask what is unclear, ignore no word."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType

from helio.authoring.documents import SourceFile
from helio.authoring.gate import Gate
from helio.authoring.memory import Item, preferred, with_names
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    AuthorQuestion,
    AuthorReply,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.recorded import Records
from helio.authoring.rules.answers import answered, fully_answered, is_whole
from helio.authoring.rules.listed import ListedEvents
from helio.authoring.rules.looks import changed_looks, is_same_data, take_looks, take_phrases
from helio.authoring.rules.named_archives import Servers, archive_note, take_archive
from helio.authoring.rules.question_form import (
    asks_for_series,
    begins_question,
    is_question,
    without_question_mark,
)
from helio.authoring.rules.sentence import LONGEST, Sentence
from helio.authoring.rules.sentence_reading import Reading, read_request
from helio.authoring.writing.writer import Asks, write_template
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.template.document import Document, as_text

BY = Attribution("rules")
_ALSO_WORDS = ("fast", "image", "moon")
"""Missions whose names in small letters are words."""
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
        _check_length(request)
        if sources or not is_question(request) or asks_for_series(request):
            return self._drafted(request, chosen, sources)
        answer = answered if begins_question(request) else fully_answered
        named, _ = with_names(request, self._remembered())
        reply = answer(named, None, self._catalogue, self._now)
        if not reply:
            return self._drafted(request, chosen, sources)
        wish = without_question_mark(request)
        if wish or Sentence(request).take_times(self._now):
            try:  # what did ACE measure on 2003-10-29?
                return self._drafted(wish or request, chosen, sources)
            except NotUnderstood:
                if wish and not is_whole(reply):
                    raise
        return AuthorReply(reply, BY)

    def _drafted(self, request: str, chosen: tuple[str, ...], sources: tuple[SourceFile, ...]) -> Outcome:
        """Write a template for a request that is no question."""
        items = self._remembered()
        request, names = with_names(request, items)
        request, archive = take_archive(request, self._servers)
        if archive and (note := archive_note(archive, self._catalogue)):
            names = (*names, note)
        ask = _answers(chosen)
        try:
            listed = ListedEvents(request, sources, now=self._now, ask=ask)
            rest, looks = take_looks(listed.with_time(), self._now)
            reading = read_request(rest, self._catalogue, self._now, ask)
            if reading.unread:
                corrected, typos = with_corrections(rest, reading.unread)
                if typos:
                    reading = read_request(corrected, self._catalogue, self._now, ask)
                    rest, names = corrected, (*names, *typos)
        except _PendingQuestion as pending:
            return pending.question
        readings = [(reading, looks)]
        if reading.unread:
            readings = self._with_phrases(rest, reading, looks, ask)
        if not readings:
            refuse_others(reading.unread, self._catalogue)
            _refuse_unread(reading.unread)
        for at, (reading, phrases) in enumerate(readings, 1):
            if reading.doubt is not None:
                raise reading.doubt
            wanted, preferences = preferred(reading.request, request, items)
            try:
                template, notes = write_template(wanted, catalogue=self._catalogue, now=self._now, ask=ask)
                if sources:
                    template = listed.drawn(template, catalogue=self._catalogue, ask=ask)
                template, said = changed_looks(
                    phrases, template, catalogue=self._catalogue, ask=ask, now=self._now
                )
                break
            except _PendingQuestion as pending:
                return pending.question
            except NotUnderstood:
                if at == len(readings):
                    raise
        proved = self._gate.new(as_text(template))
        if proved.errors:
            message = "the pipeline written from this request is not valid"
            raise NotProved(message, diagnostics=proved.errors)
        return TemplateDraft(proved, BY, (*names, *preferences, *reading.named, *notes, *listed.notes, *said))

    def _with_phrases(
        self, text: str, whole: Reading, looks: tuple[str, ...], ask: Asks
    ) -> list[tuple[Reading, tuple[str, ...]]]:
        """Read a request of which some parts change the new figure; return the ways to read all of its words."""
        readings = []
        for rest, phrases in take_phrases(text, whole.unread, self._now):
            try:
                reading = read_request(rest, self._catalogue, self._now, ask)
            except _PendingQuestion:  # what remains of the sentence is not clear by itself
                continue
            if not reading.unread and is_same_data(reading.request, whole.request):
                readings.append((reading, (*looks, *phrases)))
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
        answer = answers[text]
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
            if word.casefold() in missions
            and word.casefold() not in known
            and (word in missions.values() or word.casefold() not in _ALSO_WORDS)
            and word.casefold() != "earth"
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


def with_corrections(text: str, unread: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Correct misspelt words that can mean one known word only; return the text and a note for each.

    Only a letter that is wrong, missing, doubled or in another place is corrected, never the first letter; in words of
    four letters, only letters in another place or missing.
    """
    notes = []
    lexicon = {*known_words(), "solar", "plot", "show", "draw", "histogram"}
    for word in unread:
        small = word.casefold()
        if (
            not re.fullmatch(r"[a-z]{4,}", small)
            or word.isupper()
            or {small, f"{small}s", small[:-1]} & lexicon
        ):
            continue
        near = {
            spelling
            for spelling in lexicon
            if len(spelling) > _SHORTEST
            and (is_one_slip(small, spelling) or (small[-1] == "s" and is_one_slip(small[:-1], spelling)))
        }
        if len(small) == _SHORTEST + 1:
            near = {
                spelling
                for spelling in near
                if len(spelling) > len(small) or sorted(spelling) == sorted(small)
            }
        meant = {spelling for spelling in near if not spelling.endswith("s") or spelling[:-1] not in near}
        if len(meant) == 1:
            (right,) = meant
            text = re.sub(rf"\b{word}\b", right, text)
            notes.append(f"'{word}' is read as '{right}'")
    return text, tuple(notes)


def is_one_slip(word: str, known: str) -> bool:
    """Return whether one letter of a word is wrong, too many, missing or exchanged with the next.

    >>> is_one_slip("magentic", "magnetic"), is_one_slip("sped", "speed"), is_one_slip("lane", "plane")
    (True, True, False)
    """
    if word[0] != known[0] or abs(len(word) - len(known)) > 1:
        return False
    first = next(
        (at for at, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), min(len(word), len(known))
    )
    rest, other = word[first:], known[first:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return other in (rest[1:], swapped) or rest == other[1:] or rest[1:] == other[1:]


@lru_cache(maxsize=1)
def known_words() -> tuple[str, ...]:
    """Return the words that the rules know, for suggestions: of quantities, computations, spacecraft, instruments."""
    phrases = [row.quantity for row in WORDS]
    phrases += [phrase for row in WORDS for phrase in row.phrases]
    phrases += [phrase for named in VOCABULARY["computations"].values() for phrase in named]
    words = {word for phrase in phrases for word in re.findall(r"[a-zé]{4,}", phrase.casefold())}
    instruments = {name.casefold() for source in SOURCES for name in source.instruments}
    return tuple(sorted(words | set(spellings()) | {name for name in instruments if len(name) > _SHORTEST}))
