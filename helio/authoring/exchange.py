"""Asks a model until its answer is sound: it may mend the answer twice, start once from nothing, then helio stops.

HA104 (error)  characters that cannot be seen in an answer
    A person could approve something else than what is shown.
    before  a title with an escape sequence
    after   the author is asked again

HA105 (error)  a question without its text, or with fewer than two choices
    A person cannot answer it.
    before  "status": "question", "choices": ["ACE"]
    after   the author is asked again

HA106 (error)  one question too many
    A request that needs more questions has to be said in other words.
    before  a fourth question about one request
    after   the author is asked to decide
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from helio.authoring.model import Ask, Model, UserTurn
from helio.authoring.outcome import NotProved, NotUnderstood
from helio.authoring.quoting import data
from helio.errors import CutShort, Unreadable
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import check_json

REPLIES = 2
"""How often diagnostics go back to the model in one conversation."""

QUESTIONS = 3
"""How many questions a model may ask back about one request."""

Made = TypeVar("Made")


class RejectedAnswer(Exception):
    """An answer that cannot be taken, and why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(finding.message for finding in diagnostics))
        self.diagnostics = tuple(diagnostics)


def settle(model: Model, ask: Ask, take: Callable[[Any], Made]) -> Made:
    """The first answer that is taken.

    Parameters
    ----------
    ask : Ask
        With a schema.
    take : callable
        Makes something of an answer's JSON, or raises `RejectedAnswer`.

    Raises
    ------
    NotProved
        None was, with the diagnostics of the last one.
    ModelError, Cancelled
        The model cannot be asked.
    """
    found: tuple[Diagnostic, ...] = ()
    for anew in (False, True):
        current = ask if not anew else _anew(ask, found)
        for _ in range(1 if anew else 1 + REPLIES):
            try:
                answer = model.ask(current)
            except (Unreadable, CutShort) as error:
                if isinstance(error, Unreadable) and not error.again:
                    raise
                found = (Diagnostic("HP001", f"the answer could not be read: {error.message}"),)
                current = _anew(ask, found)
                continue
            try:
                _refuse_hidden(answer.data, "the answer")
                return take(answer.data)
            except RejectedAnswer as rejected:
                found = rejected.diagnostics
                current = current.then(answer, UserTurn(_mend(found)))
    raise NotProved(
        f"none of the model's {REPLIES + 2} answers could be taken",
        diagnostics=found,
        advice="say it in other words, or in smaller steps; the transcript has all of it",
    )


def _mend(found: Sequence[Diagnostic]) -> str:
    told = [_told(finding) for finding in found]
    return f"Your answer cannot be taken. Answer once more, whole, with these mended.\n{data('Diagnostics', told)}"


def _anew(ask: Ask, found: Sequence[Diagnostic]) -> Ask:
    told = [_told(finding) for finding in found]
    first, *others = ask.turns
    assert isinstance(first, UserTurn)  # whoever asks says something first
    text = f"{first.text}\n\n{data('An earlier answer was rejected for', told)}"
    return replace(ask, turns=(UserTurn(text), *others))


def _told(one: Diagnostic) -> dict[str, Any]:
    facts = {
        "code": one.code,
        "step": one.step_id,
        "at": one.path,
        "message": one.message,
        "try": list(one.advice),
    }
    return {key: value for key, value in facts.items() if value not in (None, "", [])}


def read_json(text: str, what: str) -> Any:
    """The JSON of a field that is a text; strict, as everywhere.

    Raises
    ------
    RejectedAnswer
    """
    found = check_json(text)
    if isinstance(found, Diagnostic):
        said = "is empty" if not text.strip() else f"is not JSON: {found.message}"
        raise RejectedAnswer(
            [Diagnostic(found.code, f"{what} {said}", advice=('"red", 5, {"y_label": "B"}',))]
        )
    _refuse_hidden(found, what)
    return found


def _refuse_hidden(value: Any, what: str) -> None:
    """What a terminal would act upon instead of showing it: a person could approve something else than is there."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and any(
            unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t" for c in one
        ):
            raise RejectedAnswer([Diagnostic("HA104", f"{what} holds characters that cannot be seen")])


def asked_back(answer: Mapping[str, Any], answers: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The question that a model asks back, and its choices.

    Raises
    ------
    RejectedAnswer
        It is none, or one too many.
    """
    if len(answers) >= QUESTIONS:
        message = f"{QUESTIONS} questions were answered already: decide with what you know"
        raise RejectedAnswer([Diagnostic("HA106", message)])
    text = str(answer.get("question") or "").strip()[:500]
    every = (str(choice).strip()[:200] for choice in answer.get("choices") or ())
    choices = tuple(dict.fromkeys(choice for choice in every if choice))
    if not text or len(choices) < 2:
        raise RejectedAnswer([Diagnostic("HA105", "a question needs its text and at least two choices")])
    return text, choices[:12]


def impossible(answer: Mapping[str, Any]) -> NotUnderstood:
    """What a model says that cannot be done."""
    reason = " ".join(str(answer.get("reason") or "").split())[:500]
    return NotUnderstood(f"the model says that it cannot be done: {reason or 'it gives no reason'}")
