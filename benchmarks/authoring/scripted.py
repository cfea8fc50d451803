"""A model that answers by a script: Google's own client asks a server on loopback, and whatever it says is replayed.

A script of a task has what the model says while it looks around (``discovery``, or ``looks_at``: datasets whose
parameters it lists) and what it says when it is asked for a plan or an edit (``answer``, or ``answers`` one after another;
the last one is said again and again). An answer is written as an object, with arguments and values as they are: the wire
wants them as JSON in a text. Whatever else `tests.authoring.standin_gemini.reply_from_json` knows can stand in its place:
``{"status": 429, "retry": "2s"}``, ``{"text": "no JSON at all"}``, ``{"finish": "SAFETY"}``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.authoring.tasks import HERE, Task
from helio.authoring.door import Door
from helio.authoring.gemini import connect
from helio.authoring.scrub import Scrub
from helio.authoring.transcript import Transcript
from helio.settings import Settings
from helio.sources.http import Clock
from tests.authoring.standin_gemini import KEY, Answering, GeminiStandIn, Reply, Request, reply_from_json

Written = Mapping[str, Any]


@cache
def good_scripts() -> dict[str, Any]:
    """A right answer to each task, by its id."""
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


def good_script(task: Task) -> Written | None:
    """The script with a right answer, if there is one."""
    return good_scripts().get(task.id)


@contextmanager
def replayed(script: Written, home: Path) -> Iterator[tuple[Door, GeminiStandIn]]:
    """A door to a server that answers by a script; waiting takes no time."""
    with GeminiStandIn(_Answers(script)) as server:
        settings = Settings(home, model_key=server.key, model_url=server.url)
        model, fallback = connect(settings)
        transcript = Transcript.begin(settings.transcripts, scrub=Scrub(KEY))
        door = Door(model, transcript, fallback=fallback, clock=_without_waiting())
        try:
            yield door, server
        finally:
            door.close()
            model.close()
            if fallback is not None:
                fallback.close()


class _Answers:
    """Says what a script says next: of looking around where there are tools to call, else of the plan."""

    def __init__(self, script: Written) -> None:
        self._discovery = _Sequence(script.get("discovery") or _looking(script.get("looks_at", ())))
        self._answers = _Sequence(script.get("answers") or [script["answer"]])

    def __call__(self, request: Request) -> Reply:
        return (self._discovery if request.tools else self._answers).next(request)


class _Sequence:
    """Replies in turn, the last of them for ever."""

    def __init__(self, entries: Sequence[Written]) -> None:
        self._waiting: list[Reply | Answering] = [
            reply for entry in entries for reply in reply_from_json(on_the_wire(entry))
        ]

    def next(self, request: Request) -> Reply:
        reply = self._waiting.pop(0) if len(self._waiting) > 1 else self._waiting[0]
        return reply if isinstance(reply, Reply) else reply(request)


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
