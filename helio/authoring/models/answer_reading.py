"""Read the answer of a language model, and check that the answer has the form that helio requested."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from helio.authoring.models.model import Ask, ModelAnswer
from helio.errors import CutShort, Unreadable
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import check_json
from helio.pipelines.template.oversize import CODE as OVERSIZE

_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_MOST_STARTS = 50
"""Maximum number of brackets in an answer at which helio tries to start reading JSON, if other words
surround the JSON."""
_MOST_SAID = 300
DEEPEST = 100
"""Maximum nesting depth of an answer's JSON; a template needs about ten levels."""


def read_answer(ask: Ask, answer: ModelAnswer) -> ModelAnswer:
    """Return a language model's answer; if helio requested JSON, also parse the JSON in the answer.

    Models put words and code fences around JSON. The first JSON value that fits the schema is taken, unchanged.

    Raises
    ------
    CutShort
        The answer reached its limit of tokens.
    Unreadable
        The answer is empty, not JSON, or JSON of another form. Both errors contain the answer.
    """
    if answer.finish == "length":
        raise CutShort(
            f"the answer of {answer.model or 'the model'} was cut off at the limit of {ask.max_tokens} tokens",
            advice="shorten the request, or use a smaller pipeline",
            answer=answer,
        )
    if answer.calls and ask.schema is None:
        return answer
    if not answer.text.strip():
        problem = "called a function that it was not offered" if answer.calls else "gave an empty answer"
        raise Unreadable(
            f"{answer.model or 'the model'} {problem}", advice="send the request again", answer=answer
        )
    if ask.schema is None:
        return answer
    wrong = ""
    again = True
    for value in _values(answer.text):
        is_too_nested = isinstance(value, Diagnostic) and value.message.startswith("nested too deeply")
        again = again and not is_too_nested
        problem = value.message if isinstance(value, Diagnostic) else _problem(value, ask.schema)
        if not problem:
            return replace(answer, data=value)
        wrong = wrong or problem
    error = Unreadable(
        f"the answer of {answer.model or 'the model'} is not the requested JSON: {wrong}",
        advice="send the request again" if again else "shorten the request, or use a smaller pipeline",
        answer=answer,
    )
    error.again = again  # a model that never ends its brackets would do so again
    raise error


def is_too_deep(value: Any) -> bool:
    """Return whether a JSON value is nested too deeply to process, without a recursive search."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        inner = list(part.values()) if isinstance(part, dict) else part if isinstance(part, list) else []
        if inner and depth > DEEPEST:
            return True
        waiting += [(value, depth + 1) for value in inner]
    return False


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that a text may contain, best first; if it has none, yield diagnostics that say why."""
    whole = check_json(text)
    yield whole
    if not isinstance(whole, Diagnostic):
        return
    if whole.code == OVERSIZE:
        return
    for match in _FENCE.finditer(text):
        yield check_json(match[1])
    end = tried = 0
    for start in re.finditer(r"[{\[]", text):
        if start.start() < end:
            continue
        tried += 1
        if tried > _MOST_STARTS:
            return
        try:
            _, length = json.JSONDecoder().raw_decode(text[start.start() :])
        except (ValueError, RecursionError):
            continue
        end = start.start() + length
        yield check_json(text[start.start() : end])


def _problem(value: Any, schema: Any) -> str:
    """Say where a value does not fit its JSON Schema; return an empty text if the value fits."""
    if is_too_deep(value):
        return f"objects and lists are nested more than {DEEPEST} levels deep"
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(value))
    if error is None:
        return ""
    path = "/" + "/".join(map(str, error.absolute_path)) if error.absolute_path else "the whole answer"
    message = error.message if len(error.message) <= _MOST_SAID else error.message[:_MOST_SAID] + " …"
    return f"{path}: {message}"
