"""The author that asks a model: discovery, planning, edits and repairs, each proved before anyone sees it.

HE302 (error)  a repair uses what was ruled out
    It would fail again.
    before  a data set known to be absent
    after   refused
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from helio.authoring.discovery import CatalogueTools, Discovery, discover
from helio.authoring.door import Door
from helio.authoring.editing import SearchRequest, TextAnswer, edit, is_about_looks
from helio.authoring.gate import Gate, GateResult
from helio.authoring.operations import Operation
from helio.authoring.outcome import (
    Attribution,
    AuthorQuestion,
    AuthorReply,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.planning import QuestionBack, plan
from helio.authoring.proposals import prompt_digest
from helio.authoring.quoting import data
from helio.pipelines.analyses.work import work_of
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.maps import args_of, places
from helio.steps.signature import signatures

LONGEST = 8000
"""Characters of a request."""
NOWHERE = ("NoData", "NoUsableData", "NoCandidate", "UnknownDataset", "UnknownParameter")
"""Errors of a fetch after which asking for the same again leads nowhere."""


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

    def __init__(self, door: Door, shelf: Callable[[], CatalogueTools], gate: Gate, *, now: datetime) -> None:
        self._door = door
        self._shelf = shelf
        self._gate = gate
        self._now = now
        self._asked: list[str] = []

    def create(self, request: str, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A new template: the model looks around first, then writes under a schema; code proves each answer."""
        _check(request)
        answers = self._answers(chosen)
        found = discover(self._door, request, self._shelf(), answers=answers)
        try:
            proved, notes, prompt = plan(
                self._door,
                request,
                reference=found.reference(),
                gate=self._gate,
                now=self._now,
                answers=answers,
            )
        except QuestionBack as asked:
            return self._question(asked, request)
        return TemplateDraft(proved, self._said(prompt), (*notes, *_seen(found)))

    def edit(self, request: str, template: Document, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change of a template as operations on named steps, or words about it.

        The catalogue is searched only where the model says that the datasets of the template are not enough.
        """
        _check(request)
        wrong = self._gate.wrong_with(template)
        if wrong and is_about_looks(request, template):
            raise NotProved(
                "the pipeline has errors already, which no change of its looks can mend",
                diagnostics=wrong,
                advice="helio fix mends what can be mended; or ask for the mending",
            )

        def prove(after: Document, operations: Sequence[Operation]) -> GateResult:
            return self._gate.edited(template, after)

        facts = (
            data("What is wrong with the template now", [finding.to_json() for finding in wrong])
            if wrong
            else ""
        )
        return self._edited(request, template, prove, self._answers(chosen), facts)

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change by which a failed run would go through; nothing is weakened, and nothing tried twice."""
        tried: dict[str, tuple[Diagnostic, ...]] = dict.fromkeys(failure.rejected, ())
        request = f"Mend step {failure.step_id}, so that the run goes through. Weaken nothing."
        facts = data(
            "What the run failed with",
            {
                "step": failure.step_id,
                "error": failure.kind,
                "message": failure.message,
                "try": failure.advice,
                "evidence": list(failure.evidence),
            },
            text=1500,
        )

        def prove(after: Document, operations: Sequence[Operation]) -> GateResult:
            written = work_of(after, signatures())
            if written in tried:
                message = "this repair was tried already, and was not taken"
                # why it was not taken the first time stays the reason
                return GateResult(
                    after, (Diagnostic("HE303", message, step_id=failure.step_id), *tried[written])
                )
            named = {operation.step for operation in operations} | {str(failure.step_id)}
            declared = [step["step_id"] for step in template["steps"] if str(step["step_id"]) in named]
            proved = self._gate.repaired(template, after, declared)
            # words alone would ask again for what is not there, which says more
            refused = any(error.code != "HE303" for error in proved.errors)
            ruled_out = () if refused else _ruled_out(template, after, failure)
            proved = GateResult(after, (*proved.errors, *ruled_out)) if ruled_out else proved
            tried[written] = proved.errors
            return proved

        return self._edited(request, template, prove, self._answers(chosen), facts)

    def _edited(
        self,
        request: str,
        template: Document,
        prove: Callable[[Document, Sequence[Operation]], GateResult],
        answers: list[dict[str, str]],
        facts: str,
    ) -> Outcome:
        shelf, looked = self._shelf(), False
        found = shelf.known(_datasets(template))
        while True:
            try:
                proved, prompt = edit(
                    self._door,
                    request,
                    template,
                    reference=found.reference(),
                    prove=prove,
                    answers=answers,
                    facts=facts,
                    looked=looked,
                )
            except SearchRequest as wanted:  # once: after that it is refused as an answer
                about = data("What is to be changed needs", wanted.text, most=2000, text=1000)
                wish = "\n\n".join(part for part in (request, about, facts) if part)
                found = discover(self._door, wish, shelf, answers=answers)
                looked = True
            except TextAnswer as told:
                return AuthorReply(told.text, self._said(request))
            except QuestionBack as asked:
                return self._question(asked, request)
            else:
                return TemplateDraft(proved, self._said(prompt), _seen(found) if looked else ())

    def _answers(self, chosen: tuple[str, ...]) -> list[dict[str, str]]:
        """What was answered, with the questions of this author."""
        return [
            {"question": question, "answer": answer}
            for question, answer in zip(self._asked, chosen, strict=False)
        ]

    def _question(self, asked: QuestionBack, request: str) -> AuthorQuestion:
        self._asked.append(asked.text)
        return AuthorQuestion(asked.text, asked.choices, self._said(request))

    def _said(self, prompt: str) -> Attribution:
        return Attribution(
            self._door.answered_by,
            self._door.usage.total,
            self._door.transcript.id,
            prompt_digest(prompt),
        )


def _check(request: str) -> None:
    if not request.strip():
        raise NotUnderstood("nothing was asked for", advice="'ACE magnetic field for last week'")
    if len(request) > LONGEST:
        raise NotUnderstood(f"a request has at most {LONGEST} characters, and this one {len(request)}")


def _datasets(template: Document) -> list[str]:
    """The datasets that a template fetches, as far as it names them."""
    found: list[str] = []
    for place in places(template):
        args = args_of(place.step)
        candidates = args.get("candidates")
        for choice in (args, *(candidates if isinstance(candidates, list) else ())):
            name = choice.get("dataset_id") if isinstance(choice, dict) else choice
            if isinstance(name, str):
                found.append(name)
    return found


def _ruled_out(before: Document, after: Document, failure: Failure) -> tuple[Diagnostic, ...]:
    """A fetch that would ask again for what was not there."""
    if failure.kind not in NOWHERE:
        return ()
    one, other = (_step(template, failure.step_id) for template in (before, after))
    if other.get("tool_name") != "fetch_data" or _wanted(other) - _wanted(one):
        return ()
    message = f"step {failure.step_id} would ask again for what is not there: {failure.message}"
    return (Diagnostic("HE302", message, step_id=failure.step_id, advice=("another dataset or parameter",)),)


def _step(template: Document, name: StepId) -> Document:
    return next((step for step in template["steps"] if step.get("step_id") == name), {})


def _wanted(step: Document) -> set[str]:
    """What a fetch asks for, each in one spelling."""
    args = args_of(step)
    shared = {key: args.get(key) for key in ("dataset_id", "parameter_id", "parameters", "provider")}
    candidates = args.get("candidates")
    every = candidates if isinstance(candidates, list) and candidates else [{}]
    return {
        json.dumps(shared | (choice if isinstance(choice, dict) else {"dataset_id": choice}), sort_keys=True)
        for choice in every
    }


def _seen(found: Discovery) -> tuple[str, ...]:
    told = [f"datasets looked at: {', '.join(sorted(found.datasets))}"] if found.datasets else []
    return (*told, *([found.ended] if found.ended else []))
