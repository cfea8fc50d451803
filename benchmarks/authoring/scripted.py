"""A model that answers by a script: a provider's own client asks a server on loopback, which says what a script says.

A script of a task has what the model says while it looks around (``discovery``, or ``looks_at``: datasets whose
parameters it lists) and what it says when it is asked for a plan or an edit (``answer``, or ``answers`` one after
another; the last one is said again and again). An answer is written as an object, with arguments and values as they
are: the wire wants them as JSON in a text. In its place can stand

- ``{"good": [["AC_H0_MFI", "AC_H9_MFI"]]}``: the right answer to the task with some of its text replaced, and prose
  ``before`` and ``after`` it;
- ``{"endless": "search_datasets", "at_once": 3}``: calls of that tool for ever, each with another argument;
- ``{"nested": 5000}``, ``{"long": 1000000}``, ``{"steps": 3000}``: too much of it;
- whatever `tests.authoring.standin_gemini.reply_from_json` knows: ``{"status": 429, "retry": "2s"}``,
  ``{"text": "no JSON at all"}``, ``{"finish": "SAFETY"}``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.authoring.tasks import HERE
from helio.authoring.models.door import Door
from helio.authoring.models.providers import connect
from helio.authoring.models.scrub import Scrub
from helio.authoring.models.transcript import Transcript
from helio.clock import Clock
from helio.settings import Settings
from tests.authoring.standin_anthropic import AnthropicStandIn
from tests.authoring.standin_gemini import (
    KEY,
    Answering,
    GeminiStandIn,
    Reply,
    Request,
    calls,
    reply_from_json,
    text,
)
from tests.authoring.standin_openai import OpenAiStandIn

Written = Mapping[str, Any]
STAND_INS: Mapping[str, type[GeminiStandIn]] = {
    "gemini": GeminiStandIn,
    "openai": OpenAiStandIn,
    "ollama": OpenAiStandIn,
    "anthropic": AnthropicStandIn,
}
"""Servers that answer as a provider of models does, by the provider's name."""


@cache
def good_scripts() -> dict[str, Any]:
    """Right answers by their tasks, for tasks that the rules do not do rightly and for the scripts that change them."""
    found: dict[str, Any] = json.loads((HERE / "scripts" / "good.json").read_text(encoding="utf-8"))
    return found


@cache
def bad_scripts() -> tuple[dict[str, Any], ...]:
    """Sloppy and hostile models: each a task, a script and how it has to end."""
    return tuple(
        one | {"group": group}
        for group in ("sloppy", "hostile")
        for one in json.loads((HERE / "scripts" / f"{group}.json").read_text(encoding="utf-8"))
    )


class ScriptedModel:
    """A server and a client that asks it, for one script after another; waiting takes no time.

    Parameters
    ----------
    home : Path
        For the transcripts.
    provider : str
        Whose client asks: a key of `STAND_INS`.
    """

    def __init__(self, home: Path, provider: str = "gemini") -> None:
        self.provider = provider
        self._server = STAND_INS[provider](lambda request: self._answers(request))
        self._settings = Settings(home, model_keys={provider: KEY}, model_urls={provider: self._server.url})
        if provider != "gemini":
            self._settings = replace(
                self._settings,
                model_smart=f"{provider}/large",
                model_fast=f"{provider}/small",
                model_fallback="",
            )
        self._models = connect(self._settings)
        self._answers = _Answers({"answer": {"status": "impossible", "reason": "no script is played"}})

    def __enter__(self) -> ScriptedModel:
        return self

    def __exit__(self, *exception: object) -> None:
        for one in self._models:
            if one is not None:
                one.close()
        self._server.close()

    @property
    def asked(self) -> list[Request]:
        """What the server was asked since the script began."""
        return self._server.requests

    @staticmethod
    def written(answer: Written) -> str:
        """Return an answer as the text that the wire has."""
        return json.dumps(on_the_wire(answer)["json"])

    def play(self, script: Written) -> Door:
        """A door behind which a script begins."""
        self._answers = _Answers(script)
        self._server.requests.clear()
        model, fallback = self._models
        transcript = Transcript.begin(self._settings.transcripts, scrub=Scrub(KEY))
        return Door(model, transcript, fallback=fallback, clock=_without_waiting())


class _Answers:
    """Says what a script says next: of looking around where there are tools to call, else of the plan."""

    def __init__(self, script: Written) -> None:
        right = good_scripts().get(script.get("task", ""), {})
        looking = script.get("discovery") or _looking(script.get("looks_at", right.get("looks_at", ())))
        self._discovery = _Sequence(looking, right)
        self._answers = _Sequence(script.get("answers") or [script["answer"]], right)

    def __call__(self, request: Request) -> Reply:
        return (self._discovery if request.tools else self._answers).next(request)


class _Sequence:
    """Replies in turn, the last of them for ever."""

    def __init__(self, entries: Sequence[Written], right: Written) -> None:
        self._waiting = [reply for entry in entries for reply in _replies(entry, right)]

    def next(self, request: Request) -> Reply:
        reply = self._waiting.pop(0) if len(self._waiting) > 1 else self._waiting[0]
        return reply if isinstance(reply, Reply) else reply(request)


def _replies(entry: Written, right: Written) -> list[Reply | Answering]:
    if "good" in entry:
        said = json.dumps(right["answer"], ensure_ascii=False)
        for old, new in entry["good"]:
            if old not in said:
                raise ValueError(f"the right answer has no {old}")
            said = said.replace(old, new)
        wire = json.dumps(on_the_wire(json.loads(said))["json"])
        return [text(f"{entry.get('before', '')}{wire}{entry.get('after', '')}")]
    if "endless" in entry:
        return [_endless(entry["endless"], entry.get("at_once", 1))]
    if "nested" in entry:
        return [text("[" * entry["nested"] + "]" * entry["nested"])]
    if "long" in entry:
        return [text(json.dumps({"status": "plan", "name": "x" * entry["long"], "steps": []}))]
    if isinstance(entry.get("steps"), int):
        draw = {"tool_name": "render_spec", "tool_args_json": "{}", "intent": "again"}
        steps = [{"step_id": f"s{number}"} | draw for number in range(entry["steps"])]
        return [text(json.dumps({"status": "plan", "name": "many", "steps": steps}))]
    return reply_from_json(on_the_wire(entry))


def _endless(name: str, at_once: int) -> Answering:
    numbers = count()

    def answer(request: Request) -> Reply:
        return calls([(name, {"query": f"field {next(numbers)}"}) for _ in range(at_once)])

    return answer


def on_the_wire(entry: Written) -> Written:
    """An entry as the stand-in reads it: an answer's arguments and values become JSON in a text."""
    if not isinstance(entry.get("status"), str):
        return entry
    answer = dict(entry)
    if "steps" in answer:
        answer["steps"] = [_as_text(one, "tool_args") for one in answer["steps"]]
    if "operations" in answer:
        answer["operations"] = [_as_text(one, "value") for one in answer["operations"]]
    return {"json": answer}


def _as_text(one: Written, key: str) -> dict[str, Any]:
    rest = {name: value for name, value in one.items() if name != key}
    return rest | ({f"{key}_json": json.dumps(one[key], ensure_ascii=False)} if key in one else {})


def _looking(datasets: Sequence[str]) -> list[Written]:
    seen = {"text": "I have seen enough."}
    if not datasets:
        return [seen]
    calls = [{"name": "list_parameters", "args": {"dataset_id": one}} for one in datasets]
    return [{"calls": [{"name": "search_datasets", "args": {"query": datasets[0]}}]}, {"calls": calls}, seen]


def _without_waiting() -> Clock:
    """A clock whose sleeper wakes at once, after the time that was to pass."""
    passed = [1_800_000_000.0]

    def sleep(seconds: float, ended: threading.Event) -> None:
        passed[0] += seconds

    return Clock(now=lambda: passed[0], sleep=sleep, random=lambda: 1.0)
