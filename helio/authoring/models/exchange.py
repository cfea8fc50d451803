"""Ask a language model until its answer is accepted: at most two corrections, then one new conversation, then give up.

HA104 (error)  characters that cannot be seen in an answer
    A person could approve something that the terminal does not show.
    before  a title with an escape sequence
    after   the author is asked again
    to do   Nothing in the template: the model is asked again. If it fails again, type the names and titles in
            your request yourself.

HA105 (error)  a question without its text, or with fewer than two choices
    A person cannot answer it.
    before  "status": "question", "choices": ["ACE"]
    after   the author is asked again
    to do   Nothing in the template: the model is asked again. If it fails again, say in your request what you
            decided.

HA106 (error)  one question too many
    A request that needs more questions has to be worded in another way.
    before  a fourth question about one request
    after   the author is asked to decide
    to do   Put what you already know into the request: spacecraft, quantity, time range.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from helio.authoring.models.model import Ask, Model, UserTurn
from helio.authoring.models.quoting import data
from helio.authoring.outcome import NotProved, NotUnderstood
from helio.errors import CutShort, Unreadable
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import check_json

REPLIES = 2
"""Maximum number of corrections that helio requests in one conversation with the language model."""

QUESTIONS = 3
"""Maximum number of questions that the language model may ask the user about one request."""

Made = TypeVar("Made")


class RejectedAnswer(Exception):
    """Error: an answer of the language model was rejected; the diagnostics give the reasons."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(finding.message for finding in diagnostics))
        self.diagnostics = tuple(diagnostics)


class QuestionBack(Exception):
    """Error: the language model asked the user a question instead of answering."""

    def __init__(self, text: str, choices: tuple[str, ...]) -> None:
        super().__init__(text)
        self.text = text
        self.choices = choices


class TextAnswer(Exception):
    """Error: the language model answered in words and wrote nothing; the message is the model's answer."""


def settle(model: Model, ask: Ask, take: Callable[[Any], Made]) -> Made:
    """Ask a language model until `take` accepts the answer, and return the result of `take`.

    Parameters
    ----------
    ask : Ask
        A question with a schema.
    take : callable
        Reads the JSON of an answer, or raises `RejectedAnswer`.

    Raises
    ------
    NotProved
        No answer was accepted; the error has the diagnostics of the last answer.
    ModelError, Cancelled
        The model did not answer, or the user cancelled.
    """
    findings: tuple[Diagnostic, ...] = ()
    for attempts in (1 + REPLIES, 1):
        current = _with_rejection(ask, findings) if findings else ask
        for _ in range(attempts):
            try:
                answer = model.ask(current)
            except (Unreadable, CutShort) as error:
                if isinstance(error, Unreadable) and not error.again:
                    raise
                findings = (Diagnostic("HP001", f"the answer could not be read: {error.message}"),)
                current = _with_rejection(ask, findings)
                continue
            try:
                _refuse_hidden(answer.data, "the answer")
                return take(answer.data)
            except RejectedAnswer as rejected:
                findings = rejected.diagnostics
                current = current.then(answer, UserTurn(_correction(findings)))
    raise NotProved(
        f"none of the model's {REPLIES + 2} answers could be used",
        diagnostics=findings,
        advice="rephrase the request, or split it into several smaller requests; the transcript contains all answers",
    )


def _correction(findings: Sequence[Diagnostic]) -> str:
    facts = [_facts(finding) for finding in findings]
    return f"Your answer cannot be taken. Answer once more, whole, with these mended.\n{data('Diagnostics', facts)}"


def _with_rejection(ask: Ask, findings: Sequence[Diagnostic]) -> Ask:
    """Return a question to the language model with the reasons why its earlier answer was rejected."""
    facts = [_facts(finding) for finding in findings]
    first, *others = ask.turns
    assert isinstance(first, UserTurn)  # every conversation begins with helio
    text = f"{first.text}\n\n{data('An earlier answer was rejected for', facts)}"
    return replace(ask, turns=(replace(first, text=text), *others))


def _facts(finding: Diagnostic) -> dict[str, Any]:
    facts = {
        "code": finding.code,
        "step": finding.step_id,
        "at": finding.path,
        "message": finding.message,
        "try": list(finding.advice),
    }
    return {key: value for key, value in facts.items() if value not in (None, "", [])}


def read_json(text: str, what: str) -> Any:
    """Read strict JSON from a text in a language model's answer.

    Raises
    ------
    RejectedAnswer
    """
    value = check_json(text)
    if isinstance(value, Diagnostic):
        problem = "is empty" if not text.strip() else f"is not JSON: {value.message}"
        raise RejectedAnswer(
            [Diagnostic(value.code, f"{what} {problem}", advice=('"red", 5, {"y_label": "B"}',))]
        )
    _refuse_hidden(value, what)
    return value


def _refuse_hidden(value: Any, what: str) -> None:
    """Reject an answer with control characters, because a terminal obeys them and does not show them."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, str) and any(
            unicodedata.category(letter) in ("Cc", "Cf") and letter not in "\n\t" for letter in part
        ):
            raise RejectedAnswer([Diagnostic("HA104", f"{what} contains invisible characters")])


def answer_form(schema: Mapping[str, Any]) -> str:
    """Return the part of a prompt with the keys of an answer; servers on one's own machine show no schema to a model.

    >>> print(answer_form({"properties": {"log": {"type": "boolean", "description": "A scale."}}, "required": ["log"]}))
    ## The answer
    One JSON object and nothing else, with these keys:
    - log (boolean): A scale.
    """
    return "\n".join(
        ["## The answer", "One JSON object and nothing else, with these keys:", *_keys_of(schema, "")]
    )


def _keys_of(schema: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, part in schema["properties"].items():
        inner = part.get("items", part)
        kind = "|".join(map(json.dumps, inner["enum"])) if "enum" in inner else inner["type"]
        kind = f"list of {kind}" if inner is not part else kind
        needed = "" if name in schema.get("required", ()) else ", may be left out"
        said = part.get("description", "")
        yield f"{indent}- {name} ({kind}{needed}){': ' if said else ''}{said}"
        if "properties" in inner:
            yield from _keys_of(inner, f"{indent}  ")


def answers_part(answers: Sequence[Any]) -> list[str]:
    """Return the part of a prompt with the user's answers to the language model's questions; empty without answers."""
    return [data("Answers to your questions", list(answers))] if answers else []


def refuse_or_ask(answer: Mapping[str, Any], answers: Sequence[Any]) -> None:
    """Raise an error if the answer's status is ``answer``, ``question`` or ``impossible``; accept every other status.

    Raises
    ------
    TextAnswer
        The model answers in words.
    QuestionBack
        The model asks the user a question.
    NotUnderstood
        The model says that the request is impossible.
    RejectedAnswer
        The question has no text or fewer than two choices, or the model has asked too many.
    """
    if answer["status"] == "answer":
        said = str(answer.get("answer") or "").strip()[:4000]
        raise TextAnswer(said or "the model gave an empty answer")
    if answer["status"] == "impossible":
        reason = " ".join(str(answer.get("reason") or "").split())[:500]
        raise NotUnderstood(
            f"the model says that the request is impossible: {reason or 'it gives no reason'}"
        )
    if answer["status"] != "question":
        return
    if len(answers) >= QUESTIONS:
        message = f"{QUESTIONS} questions were already answered: decide with the answers that you have"
        raise RejectedAnswer([Diagnostic("HA106", message)])
    text = str(answer.get("question") or "").strip()[:500]
    named = (str(choice).strip()[:200] for choice in answer.get("choices") or ())
    choices = tuple(dict.fromkeys(choice for choice in named if choice))
    if not text or len(choices) < 2:
        raise RejectedAnswer([Diagnostic("HA105", "a question needs a text and at least two choices")])
    raise QuestionBack(text, choices[:12])
