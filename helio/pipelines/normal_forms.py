"""Keep normal forms of templates, so that a process normalises equal templates only once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, cast

from helio.errors import HelioError
from helio.pipelines.template.context import Context
from helio.pipelines.template.document import Document
from helio.pipelines.template.runner import RewriteResult
from helio.steps.signature import Signature

MOST_TEMPLATES = 16
"""Maximum number of templates whose normal form is kept."""

Question = tuple[str, str, tuple[Any, ...]]
"""Member of a context, its method, and the method's arguments; without a method, the member itself."""


@dataclass(frozen=True)
class _NormalForm:
    """A normal form, with everything that the passes asked of their context."""

    result: RewriteResult
    plan: str
    """JSON, so that every run gets a copy of its own."""
    signatures: Mapping[str, Signature]
    answers: tuple[tuple[Question, str], ...]

    def holds(self, context: Context) -> bool:
        """Tell whether a context gives the same answers."""
        return context.signatures is self.signatures and all(
            _shown(_answer(context, question)) == answer for question, answer in self.answers
        )


def normal_form_of(
    template: Document, context: Context, normalise: Callable[[Document, Context], RewriteResult]
) -> RewriteResult:
    """Normalise a template, or return the kept normal form of an equal template in an equal context.

    The passes depend only on the template and on what they ask of the context, so the result is the same either way.
    Results with errors are not kept.
    """
    kept = _kept(json.dumps(template))
    for form in tuple(kept):
        if form.holds(context):
            return replace(form.result, plan=json.loads(form.plan))
    watched = _WatchedContext(context)
    result = normalise(template, cast(Context, watched))
    if not result.errors:
        answers = tuple(watched.answers.values())
        kept[:] = [_NormalForm(result, json.dumps(result.plan), context.signatures, answers)]
    return result


@lru_cache(maxsize=MOST_TEMPLATES)
def _kept(template: str) -> list[_NormalForm]:
    """Return the list with the last normal form of a template, which is empty at first."""
    del template
    return []


class _WatchedContext:
    """Context that notes every answer that it gives, by its question."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.answers: dict[str, tuple[Question, str]] = {}

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._context, name)
        if name == "signatures":
            return member
        if isinstance(member, Mapping):
            return _WatchedMapping(partial(self._ask, name))
        return partial(self._ask, name, "__call__") if callable(member) else self._ask(name)

    def _ask(self, name: str, method: str = "", *arguments: Any) -> Any:
        question = (name, method, arguments)
        answer = _answer(self._context, question)
        self.answers[repr(question)] = question, _shown(answer)
        if isinstance(answer, Exception):
            raise answer
        return answer


class _WatchedMapping(Mapping[str, Any]):
    """Mapping of a context that notes every answer that it gives."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def __getitem__(self, name: str) -> Any:
        return self._ask("__getitem__", name)

    def __contains__(self, name: object) -> bool:
        return bool(self._ask("__contains__", name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._ask("__iter__"))

    def __len__(self) -> int:
        return int(self._ask("__len__"))


def _answer(context: Context, question: Question) -> Any:
    """Ask a context; return an error instead of raising it."""
    name, method, arguments = question
    member = getattr(context, name)
    if not method:
        return member
    try:
        answer = getattr(member, method)(*arguments)
    except (HelioError, KeyError) as error:
        return error
    return tuple(answer) if method == "__iter__" else answer


def _shown(answer: Any) -> str:
    """Write an answer as a text that no other answer has."""
    return repr((type(answer), answer.args, vars(answer)) if isinstance(answer, Exception) else answer)
