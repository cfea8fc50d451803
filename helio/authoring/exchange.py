"""A question that must be answered with something sound: two chances to mend an answer, then one anew, then an end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from helio.authoring.model import Ask, Model, UserTurn
from helio.authoring.outcome import NotProved
from helio.authoring.quoting import data
from helio.errors import CutShort, Unreadable
from helio.pipelines.diagnostics import Diagnostic

REPLIES = 2
"""How often diagnostics go back to the model in one conversation."""

Made = TypeVar("Made")


class Rejected(Exception):
    """An answer that cannot be taken, and why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(one.message for one in diagnostics))
        self.diagnostics = tuple(diagnostics)


def settle(model: Model, ask: Ask, take: Callable[[Any], Made]) -> Made:
    """The first answer that is taken.

    Parameters
    ----------
    ask : Ask
        With a schema.
    take : callable
        Makes something of an answer's JSON, or raises `Rejected`.

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
                found = (Diagnostic("HP001", f"the answer could not be read: {error.message}"),)
                current = _anew(ask, found)
                continue
            try:
                return take(answer.data)
            except Rejected as rejected:
                found = rejected.diagnostics
                current = current.then(answer, UserTurn(_mend(found)))
    raise NotProved(
        f"none of the model's {REPLIES + 2} answers could be taken",
        diagnostics=found,
        advice="say it in other words, or in smaller steps; the transcript has all of it",
    )


def _mend(found: Sequence[Diagnostic]) -> str:
    told = [_told(one) for one in found]
    return f"Your answer cannot be taken. Answer once more, whole, with these mended.\n{data('Diagnostics', told)}"


def _anew(ask: Ask, found: Sequence[Diagnostic]) -> Ask:
    told = [_told(one) for one in found]
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
    Rejected
    """
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise Rejected([Diagnostic("HP001", f"{what} is not JSON: {error}")]) from error
