"""Write, edit and repair templates with a language model; helio verifies every template before a person sees it.

HE302 (error)  a repair requests the same missing data again
    The repaired run would fail in the same way.
    before  the dataset that had no data in the failed run
    after   refused
    to do   Choose another dataset or another time range with `helio edit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from helio.authoring.discovery import CatalogueTools, Discovery, discover
from helio.authoring.documents.source_files import SourceFile
from helio.authoring.editing import SearchRequest, edit, is_about_looks
from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.filling import fill_in
from helio.authoring.gate import Gate, GateResult
from helio.authoring.models.door import Door
from helio.authoring.models.exchange import QuestionBack, TextAnswer
from helio.authoring.models.quoting import data, fitting
from helio.authoring.operations import Operation, step_of
from helio.authoring.outcome import (
    Attribution,
    AuthorQuestion,
    AuthorReply,
    Failure,
    NotProved,
    Outcome,
    TemplateDraft,
    require_readable,
)
from helio.authoring.planning import plan
from helio.authoring.proposals.store import prompt_digest
from helio.authoring.recorded import Records
from helio.authoring.rules.questions.answers import facts_of
from helio.authoring.rules.questions.question_form import is_question
from helio.pipelines.analyses.work import work_of
from helio.pipelines.dialect.written import object_of, written_steps
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.steps.signature import signatures

NOWHERE = ("NoData", "NoUsableData", "NoCandidate", "UnknownDataset", "UnknownParameter")
"""Errors of a fetch that would happen again if the same data were requested again."""


FACTS = "What helio knows about the pipeline"
"""Heading of the facts that are quoted with a question; the rules answer from the same facts."""
LONGEST_FACT = 4000
"""Maximum number of characters of one of these facts."""
LONGEST_ERROR = 20_000
"""Maximum number of characters about the error of a run, whose words helio does not write."""
STATISTICS = "Statistics of the tables that the run made"
"""Heading of the statistics that are quoted with a repair, if the settings allow it."""


class ModelAuthor:
    """Author that lets a language model write, edit and repair templates.

    Parameters
    ----------
    door : Door
    shelf : callable
        Returns the read-only tools with which the model searches the catalogue.
    gate : Gate
    now : datetime
        Naive UTC.
    records : Records, optional
        The records of runs and changes, for questions about them.
    small : bool
        Whether the model is small: for a new template it fills in a typed request, and helio writes the template.
    """

    def __init__(
        self,
        door: Door,
        shelf: Callable[[], CatalogueTools],
        gate: Gate,
        *,
        now: datetime,
        records: Records | None = None,
        small: bool = False,
    ) -> None:
        self._door = door
        self._shelf = shelf
        self._gate = gate
        self._now = now
        self._records = records
        self._small = small
        self.asked: list[str] = []
        """Questions about the present request so far."""
        self.background = ""
        """Further text for the prompts of the next request, such as rejected proposals; quoted as data."""

    def create(
        self, request: str, *, chosen: tuple[str, ...] = (), sources: tuple[SourceFile, ...] = ()
    ) -> Outcome:
        """Write a new template: the language model searches the catalogue, then writes; helio verifies each answer.

        A small model fills in a typed request instead, and helio writes the template. Other models answer a question
        about data in words.

        Parameters
        ----------
        sources : tuple of SourceFile
            Files of the request; the model gets them in the search and for the template.
        """
        require_readable(request)
        answers = self._answers(chosen)
        if self._small:
            return self._filled(request, answers, sources)
        discovery = discover(
            self._door,
            request,
            self._shelf(),
            now=self._now,
            answers=answers,
            background=self.background,
            sources=sources,
        )
        try:
            proved, notes, prompt = plan(
                self._door,
                request,
                reference=discovery.reference(),
                gate=self._gate,
                now=self._now,
                answers=answers,
                background=self.background,
                sources=sources,
            )
        except TextAnswer as answer:
            return AuthorReply(str(answer), self._said(request))
        except QuestionBack as question:
            return self._question(question, request)
        return TemplateDraft(proved, self._said(prompt), (*notes, *_search_notes(discovery)))

    def _filled(
        self, request: str, answers: list[dict[str, str]], sources: tuple[SourceFile, ...]
    ) -> Outcome:
        try:
            proved, notes, prompt = fill_in(
                self._door,
                request,
                catalogue=self._gate.catalogue,
                gate=self._gate,
                now=self._now,
                answers=answers,
                background=self.background,
                sources=sources,
            )
        except QuestionBack as question:
            return self._question(question, request)
        return TemplateDraft(proved, self._said(prompt), notes)

    def edit(
        self,
        request: str,
        template: Document,
        *,
        chosen: tuple[str, ...] = (),
        sources: tuple[SourceFile, ...] = (),
    ) -> Outcome:
        """Let the language model change a template by operations on named steps, or answer a question about it.

        The catalogue is searched only if the model says that the datasets of the template are not enough.
        """
        require_readable(request)
        wrong = tuple(finding for finding in self._gate.findings(template) if finding.severity == "error")
        if wrong and is_about_looks(request, template):
            raise NotProved(
                "the pipeline has errors, which a change of its appearance cannot repair",
                diagnostics=wrong,
                advice="run `helio fix PIPELINE`, or describe with `helio edit PIPELINE` how to correct these errors",
            )

        def prove(after: Document, operations: Sequence[Operation]) -> GateResult:
            return self._gate.edited(template, after)

        facts = (
            data("What is wrong with the template now", [finding.to_json() for finding in wrong])
            if wrong
            else ""
        )
        if is_question(request):
            recorded = facts_of(template, self._gate.catalogue, self._now, self._records)
            facts = "\n\n".join(part for part in (facts, data(FACTS, recorded, text=LONGEST_FACT)) if part)
        return self._edited(request, template, prove, self._answers(chosen), facts, sources)

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Change a template so that its failed run can succeed, without weakening it or repeating an earlier repair."""
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
            most=LONGEST_ERROR,
            text=1500,
        )
        if failure.statistics:
            facts += "\n\n" + data(STATISTICS, fitting({"tables": list(failure.statistics)}))

        def prove(after: Document, operations: Sequence[Operation]) -> GateResult:
            written = work_of(after, signatures())
            if written in tried:
                message = "this repair was already tried and rejected"
                return GateResult(
                    after, (Diagnostic("HE303", message, step_id=failure.step_id), *tried[written])
                )
            named = {operation.step for operation in operations} | {str(failure.step_id)}
            declared = [step["step_id"] for step in template["steps"] if str(step["step_id"]) in named]
            proved = self._gate.repaired(template, after, declared)
            # a repair of words alone asks again for absent data too, and HE302 says more
            if all(error.code == "HE303" for error in proved.errors) and _asks_again(
                template, after, failure
            ):
                message = (
                    f"step {failure.step_id} would request the same missing data again: {failure.message}"
                )
                advice = ("choose another dataset or parameter",)
                again = Diagnostic("HE302", message, step_id=failure.step_id, advice=advice)
                proved = GateResult(after, (*proved.errors, again))
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
        sources: tuple[SourceFile, ...] = (),
    ) -> Outcome:
        shelf, looked = self._shelf(), False
        facts = "\n\n".join(part for part in (facts, self.background) if part)
        used = [choice.dataset_id for step in written_steps(template) for choice in fetch_choices(step.args)]
        discovery = shelf.known([*used, *shelf.named_in(request)])
        while True:
            try:
                proved, prompt = edit(
                    self._door,
                    request,
                    template,
                    reference=discovery.reference(),
                    prove=prove,
                    answers=answers,
                    facts=facts,
                    now=self._now,
                    looked=looked,
                    sources=sources,
                )
            except SearchRequest as search:  # once; a second one is a refused answer
                needs = data("What is to be changed needs", str(search), text=1000)
                discovery = discover(
                    self._door,
                    request,
                    shelf,
                    now=self._now,
                    answers=answers,
                    background="\n\n".join(part for part in (needs, facts) if part),
                    sources=sources,
                )
                looked = True
            except TextAnswer as answer:
                return AuthorReply(str(answer), self._said(request))
            except QuestionBack as question:
                return self._question(question, request)
            else:
                return TemplateDraft(proved, self._said(prompt), _search_notes(discovery) if looked else ())

    def _answers(self, chosen: tuple[str, ...]) -> list[dict[str, str]]:
        """Return the user's answers, each with the question that the language model asked."""
        if not chosen:  # a new request
            self.asked.clear()
        return [
            {"question": question, "answer": answer}
            for question, answer in zip(self.asked, chosen, strict=False)
        ]

    def _question(self, question: QuestionBack, request: str) -> AuthorQuestion:
        self.asked.append(question.text)
        return AuthorQuestion(question.text, question.choices, self._said(request))

    def _said(self, prompt: str) -> Attribution:
        return Attribution(
            self._door.answered_by,
            self._door.usage.total,
            self._door.transcript.id,
            prompt_digest(prompt),
        )


def _asks_again(before: Document, after: Document, failure: Failure) -> bool:
    """Return whether a fetch that found no data would request the same data again."""
    if failure.kind not in NOWHERE:
        return False
    old, new = step_of(before, failure.step_id), step_of(after, failure.step_id)
    return new.get("tool_name") == FETCH and not (
        set(fetch_choices(object_of(new.get("tool_args"))))
        - set(fetch_choices(object_of(old.get("tool_args"))))
    )


def _search_notes(discovery: Discovery) -> tuple[str, ...]:
    datasets = (
        f"datasets that the model examined: {', '.join(sorted(discovery.datasets))}"
        if discovery.datasets
        else ""
    )
    return tuple(note for note in (datasets, discovery.ended) if note)
