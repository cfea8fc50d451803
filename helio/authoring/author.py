"""The author that asks a model: discovery, planning, edits and repairs, each proved before anyone sees it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from helio.authoring.discovery import Found, Shelf, discover
from helio.authoring.door import Door
from helio.authoring.editing import Told, edit, is_about_looks
from helio.authoring.gate import Gate, Proved
from helio.authoring.operations import Operation
from helio.authoring.outcome import Draft, Failure, NotUnderstood, Outcome, Question, Reply, Said
from helio.authoring.planning import Wondering, plan
from helio.authoring.proposals import prompt_digest
from helio.authoring.quoting import data
from helio.authoring.rules.answers import is_question
from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.template import Document

LONGEST = 8000
"""Characters of a request."""


class ModelAuthor:
    """Satisfies `helio.authoring.outcome.Author` through a model behind a door.

    Parameters
    ----------
    door : Door
    shelf : callable
        Gives the read-only tools of one discovery.
    gate : Gate
    now : datetime
        Naive UTC.
    """

    def __init__(self, door: Door, shelf: Callable[[], Shelf], gate: Gate, *, now: datetime) -> None:
        self._door = door
        self._shelf = shelf
        self._gate = gate
        self._now = now

    def create(self, request: str, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A new template: the model looks around first, then writes under a schema; code proves each answer."""
        _check(request)
        found = discover(self._door, request, self._shelf())
        try:
            proved, notes, prompt = plan(
                self._door,
                request,
                reference=found.reference(),
                gate=self._gate,
                now=self._now,
                answers=chosen,
            )
        except Wondering as asked:
            return Question(asked.text, asked.choices, self._said(request))
        return Draft(proved, self._said(prompt), (*notes, *_seen(found)))

    def edit(self, request: str, template: Document, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change of a template as operations on named steps, or words about it."""
        _check(request)
        quiet = is_about_looks(request) or is_question(request)
        found = Found() if quiet else discover(self._door, _about(request, template), self._shelf())

        def prove(after: Document, operations: Sequence[Operation]) -> Proved:
            return self._gate.edited(template, after)

        return self._edited(request, template, found, prove, chosen)

    def repair(self, template: Document, failure: Failure) -> Outcome:
        """A change by which a failed run would go through; nothing is weakened, and nothing tried twice."""
        tried: list[str] = []
        request = f"Mend step {failure.step_id}, so that the run goes through. Weaken nothing."
        looked = f"{failure.message} {' '.join(failure.evidence)}"
        found = discover(self._door, f"{request} It failed with: {json.dumps(looked)}", self._shelf())
        facts = data(
            "What the run failed with",
            {
                "step": failure.step_id,
                "error": failure.kind,
                "message": failure.message,
                "try": failure.advice,
                "evidence": list(failure.evidence),
            },
        )

        def prove(after: Document, operations: Sequence[Operation]) -> Proved:
            written = json.dumps(after)
            if written in tried:
                message = "this repair was tried already, and was not enough"
                return Proved(after, (Diagnostic("HE303", message, step_id=failure.step_id),))
            tried.append(written)
            named = {one.step for one in operations} | {str(failure.step_id)}
            declared = [step["step_id"] for step in template["steps"] if str(step["step_id"]) in named]
            return self._gate.repaired(template, after, declared)

        return self._edited(request, template, found, prove, (), facts)

    def _edited(
        self,
        request: str,
        template: Document,
        found: Found,
        prove: Callable[[Document, Sequence[Operation]], Proved],
        chosen: tuple[str, ...],
        facts: str = "",
    ) -> Outcome:
        try:
            proved, prompt = edit(
                self._door,
                request,
                template,
                reference=found.reference(),
                prove=prove,
                answers=chosen,
                facts=facts,
            )
        except Told as told:
            return Reply(told.text, self._said(request))
        except Wondering as asked:
            return Question(asked.text, asked.choices, self._said(request))
        return Draft(proved, self._said(prompt), _seen(found))

    def _said(self, prompt: str) -> Said:
        return Said(
            self._door.name("smart"),
            self._door.usage.total,
            self._door.transcript.id,
            prompt_digest(prompt),
        )


def _check(request: str) -> None:
    if not request.strip():
        raise NotUnderstood("nothing was asked for", advice="'ACE magnetic field for last week'")
    if len(request) > LONGEST:
        raise NotUnderstood(f"a request has at most {LONGEST} characters, and this one {len(request)}")


def _about(request: str, template: Document) -> str:
    used = [
        step.get("tool_args", {}).get("dataset_id") or step.get("tool_args", {}).get("candidates")
        for step in template["steps"]
        if step.get("tool_name") == "fetch_data" and isinstance(step.get("tool_args"), dict)
    ]
    return f"{request}\n\n{data('Datasets of the pipeline that is to be changed', used, most=2000)}"


def _seen(found: Found) -> tuple[str, ...]:
    return (f"datasets looked at: {', '.join(sorted(found.datasets))}",) if found.datasets else ()
