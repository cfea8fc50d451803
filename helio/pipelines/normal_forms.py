"""Keep the plan made from each template, without values of a run, so that equal templates are rewritten only once."""

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
"""Maximum number of templates for which the plan without values of a run is kept."""

Question = tuple[str, str, tuple[Any, ...]]
"""Name of a field of a context, its method, and the method's arguments; without a method, the value of the field."""


@dataclass(frozen=True)
class _NormalForm:
    """A plan without values of a run, with every value that the passes read from their context."""

    result: RewriteResult
    plan: str
    """The plan as JSON text, so that every run gets a new copy."""
    signatures: Mapping[str, Signature]
    answers: tuple[tuple[Question, str], ...]

    def holds(self, context: Context) -> bool:
        """Return whether the kept plan is valid in this context: the passes would read the same values from it."""
        return context.signatures is self.signatures and all(
            _shown(_answer(context, question)) == answer for question, answer in self.answers
        )


def normal_form_of(
    template: Document, context: Context, normalise: Callable[[Document, Context], RewriteResult]
) -> RewriteResult:
    """Rewrite a template into a plan without the values of a run, or return the kept plan of an equal template.

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
    """Return the list that holds the last kept plan of a template; the list is empty at first."""
    del template
    return []


class _WatchedContext:
    """Context that records every value that a pass reads from it."""

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
    """Mapping that records every value that a pass reads from it."""

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
    """Read a value from a context; return an error instead of raising the error."""
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
    """Write a value as a text; different values have different texts."""
    return repr((type(answer), answer.args, vars(answer)) if isinstance(answer, Exception) else answer)
