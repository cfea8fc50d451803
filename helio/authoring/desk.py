"""Handle requests in plain words: let rules or a language model answer, and save their templates as proposals."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helio.authoring.compared import differences
from helio.authoring.documents import SourceFile, read_sources
from helio.authoring.fetches import fetch_choices
from helio.authoring.flags import refuse
from helio.authoring.gate import Gate, GateResult, fetched_datasets
from helio.authoring.known_pipelines import answered
from helio.authoring.memory import MOST_GIVEN, Item, Memory
from helio.authoring.operations import Operation, apply, step_of
from helio.authoring.outcome import (
    USE_A_MODEL,
    Attribution,
    Author,
    AuthorQuestion,
    AuthorReply,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.proposals import Proposal, Proposals
from helio.authoring.providers import has_model, is_small
from helio.authoring.questions import Errand, OpenQuestion, OpenQuestions
from helio.authoring.quoting import data
from helio.authoring.recorded import Records
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.answers import is_question
from helio.authoring.rules.author import RuleAuthor
from helio.authoring.scrub import scrub_of
from helio.authoring.writing.steps import free_name
from helio.authoring.writing.writer import write_template
from helio.errors import ModelError, RequestError, UnknownPipeline, closest
from helio.knowledge.archive_catalogue import CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue, open_catalogue, time_text
from helio.pipelines.analyses.work import work_of
from helio.pipelines.arguments import checked
from helio.pipelines.changes import RemainingWork, work_left
from helio.pipelines.dialect.parse import parse
from helio.pipelines.dialect.written import object_of, written_steps
from helio.pipelines.history import Kind, Writing
from helio.pipelines.known import KnownDatasets
from helio.pipelines.library import SHIPPED, Entry, Library
from helio.pipelines.passes.check_quantities import BY_CATALOGUE, SURE
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.document import Document, as_text, require_id, slug
from helio.pipelines.template.splice import splice
from helio.settings import Settings
from helio.steps.signature import signatures
from helio.store.files import user_path
from helio.store.runs import RunRecord, Runs

if TYPE_CHECKING:
    from helio.authoring.author import ModelAuthor
    from helio.authoring.door import Door
    from helio.sources.archive_listing import ArchiveListing

By = Literal["auto", "rules", "model"]
_SHOWN = ("unit", "frame", "components", "rows")
"""Facts about the tables of a failed run that are given to the language model for a repair."""
_MOST_TABLES = 20
_MOST_REJECTED, _MOST_CHANGES = 5, 10
"""Maximum number of rejected proposals, and of changes of each, that are given to a language model."""
CLASHES = frozenset({*SURE.values(), *BY_CATALOGUE.values()})
"""Codes for tables that do not fit together. If the rules replace a spacecraft and cause such a code, the
language model makes the change instead."""
_WITHOUT_MODEL = "use --author rules for simple requests, without a language model"


@dataclass(frozen=True)
class _Assignment:
    """A request to handle: its kind, its words, and the failed run to repair, if any."""

    kind: Kind
    request: str
    run: str = ""


@dataclass(frozen=True)
class _Aim:
    """What a request changes: a pipeline of the library, a pending proposal, or neither for a run's own template."""

    name: str
    text: str
    template: Document
    entry: Entry | None = None
    proposal: Proposal | None = None

    @property
    def is_fixed(self) -> bool:
        return self.entry is not None and self.entry.shipped


class Desk:
    """Handler of requests for new pipelines, edits and repairs; it saves the results as proposals.

    Parameters
    ----------
    settings : Settings
    now : datetime
        Naive UTC.
    by : "auto", "rules" or "model"
        The author. ``auto``: a model if an API key is set, otherwise the rules.
    archive : str
        The archive to use in runs: a folder, or ``"sample"``; empty for none.
    listing : ArchiveListing, optional
        The content of that archive, to search before the catalogue.
    ended : threading.Event, optional
        Set this event to cancel a question to a model.
    replay : Path, optional
        A recorded conversation, whose answers are used instead of asking a model.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        now: datetime,
        by: By = "auto",
        archive: str = "",
        listing: ArchiveListing | None = None,
        ended: threading.Event | None = None,
        replay: Path | None = None,
    ) -> None:
        self.library = Library(settings.templates)
        self._settings = settings
        self._now = now
        self.catalogue: Catalogue = open_catalogue(settings.home)
        self._archive = archive if listing is not None else ""
        if listing is not None:
            self.catalogue = CatalogueWithArchive(self.catalogue, listing, archive)
        self._gate = Gate(
            self.catalogue,
            home=settings.home,
            now=now,
            pipelines=self.library.templates(),
            archive=self._archive,
        )
        self.proposals = Proposals(settings.proposals, self.library, prove=self._gate.wrong_with)
        self.memory = Memory(settings.memory)
        self._about: str = ""
        self._records = Records(Runs(settings.runs), self.library)
        self.rules = RuleAuthor(
            self.catalogue, self._gate, now=now, remembered=self._remembered, records=self._records
        )
        self._by = by
        self._ended = ended
        self._replay = replay
        self._scrub = scrub_of(settings)
        self._door: Door | None = None
        self._writer: ModelAuthor | None = None
        self.questions = OpenQuestions(settings.questions)
        self._errand = Errand("authored")
        self.context = ""
        """Further text for the prompts of a model, quoted as data, such as the conversation so far."""
        self.kept: list[str] = []
        """Ids of the proposals that this desk saved, including failed proposals."""

    def close(self) -> None:
        """Close the connection to the language model."""
        if self._door is not None:
            self._door.close()

    @property
    def transcript(self) -> str:
        """Return the path of the recorded conversation with the language model; empty if no model was asked."""
        return str(self._door.transcript.path) if self._door is not None else ""

    @property
    def tokens(self) -> int:
        """Return the number of tokens that a model has used so far."""
        return self._door.usage.total if self._door is not None else 0

    @property
    def writer(self) -> str:
        """Return who writes: ``rules``, or the name of the model."""
        author = self._author()
        return "rules" if author is self.rules or self._door is None else self._door.name("smart")

    @property
    def fallback(self) -> str:
        """Return the reason why helio asked the fallback model; empty if helio did not ask it."""
        return "; ".join(dict.fromkeys(self._door.fell_back.values())) if self._door is not None else ""

    # Requests ---------------------------------------------------------------------------------------------

    @checked
    def create(
        self,
        request: str,
        *,
        name: str = "",
        chosen: tuple[str, ...] = (),
        sources: Sequence[str | Path] = (),
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a new pipeline.

        Parameters
        ----------
        name : str
            The id; made from the request when empty.
        chosen : tuple of str
            Answers to the questions asked so far.
        sources : sequence of str or Path
            Lists of events, as CSV or text, which the rules draw as the request says.

        Raises
        ------
        RequestError
            A file cannot be read.
        NotUnderstood, NotProved, ModelError, Cancelled
            The failure is kept as a failed proposal.
        """
        if name:
            self._must_be_free(name)
        request = self._scrub(request)
        files = self._read(sources)
        self._errand = Errand("authored", "", request, name, chosen, _absolute(sources))
        commands = "" if files else answered(request, self.library, self._now)
        if commands:
            message = (
                f"a pipeline for this request exists; `helio author` does not run it. To run it:\n{commands}"
            )
            return AuthorReply(message, Attribution("rules"))
        self._about, task = name, _Assignment("authored", request)
        write = partial(self.rules.create, sources=files) if files else self._author_about(name).create
        with self._recording(task, name or "pipeline"):
            outcome = write(request, chosen=chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        name = name or self.free_name(str(outcome.template.get("id") or "pipeline"))
        return self._propose(task, name, outcome, after=as_text({**outcome.template, "id": name}))

    def new(
        self, complete: PipelineRequest, *, name: str, request: str, replace: bool = False
    ) -> tuple[Path, TemplateDraft]:
        """Write a pipeline from a complete request, and save it in the user's library.

        Parameters
        ----------
        complete : PipelineRequest
            A request that names spacecraft, quantities and times.
        name : str
            The id.
        request : str
            The request in words, for the history.

        Raises
        ------
        RequestError
            The request is incomplete or ambiguous, or the name is taken.
        NotProved
            The pipeline written from it is not valid.
        """
        template, notes = write_template(complete, catalogue=self.catalogue, now=self._now, ask=refuse)
        proved = self._gate.new(as_text({**template, "id": name}))
        if proved.errors:
            raise NotProved("the pipeline written from this request is not valid", diagnostics=proved.errors)
        writing = Writing("authored", request=request)
        path = self.library.save(proved.template, replace=replace, writing=writing)
        return path, TemplateDraft(proved, Attribution("you"), notes)

    @checked
    def edit(
        self,
        pipeline: str | Path,
        request: str,
        *,
        name: str = "",
        chosen: tuple[str, ...] = (),
        sources: Sequence[str | Path] = (),
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a change to a pipeline or to a pending proposal, or answer a question about it.

        Parameters
        ----------
        pipeline : str or Path
            A pipeline, the id of a pending proposal, or the name of a new pipeline that is not accepted yet.
        name : str
            The id of a new copy to change; required for a shipped pipeline.
        sources : sequence of str or Path
            Lists of events, as CSV or text, which the rules draw as the request says.
        """
        request = self._scrub(request)
        files = self._read(sources)
        self._errand = Errand("edited", str(pipeline), request, name, chosen, _absolute(sources))
        aim = self._aim(pipeline)
        is_fixed = RequestError(
            f"{aim.name} comes with helio and cannot be changed",
            advice=f"change a copy with --as my-{aim.name}",
        )
        if aim.is_fixed and not name and not is_question(request):
            raise is_fixed
        if name:
            self._must_be_free(name)
        task = _Assignment("edited", request)
        with self._recording(task, aim.name, before=aim.text):
            outcome = self._edited(aim.name, request, aim.template, chosen, files)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        if aim.is_fixed and not name:
            raise is_fixed
        return self._change(task, outcome, aim, copy=name)

    def change(
        self, pipeline: str, request: str, operations: Sequence[Operation], *, name: str = ""
    ) -> Proposal:
        """Propose a change that code found for a request, as `edit` proposes the change of an author.

        Parameters
        ----------
        name : str
            The id of a new copy to change; required for a shipped pipeline.

        Raises
        ------
        NotProved
            The pipeline with the change is not valid.
        """
        aim = self._aim(pipeline)
        proved = self._gate.edited(aim.template, apply(aim.template, operations))
        if proved.errors:
            raise NotProved("the pipeline with this change is not valid", diagnostics=proved.errors)
        draft = TemplateDraft(proved, Attribution("rules"))
        return self._change(_Assignment("edited", self._scrub(request)), draft, aim, copy=name)

    def template(self, pipeline: str) -> Document:
        """Return the template of a pipeline or of a pending proposal."""
        return self._aim(pipeline).template

    def _aim(self, pipeline: str | Path) -> _Aim:
        """Read a pipeline or a pending proposal once: a change is compared with the text that the author saw."""
        try:
            entry = self.library.find(str(pipeline))
        except UnknownPipeline:
            proposal = self.proposals.working(str(pipeline))
            if proposal is None:
                raise
            text = proposal.after
            return _Aim(proposal.pipeline, text, parse(text).plan, proposal=proposal)
        name = self._known_as(entry)
        return _Aim(name, self.library.text(entry), self.library.read(entry), entry=entry)

    @checked
    def propose(self, text: str, request: str, *, written_by: str, pipeline: str | None = None) -> Proposal:
        """Propose a template that another program wrote, after the same checks as those of a model's template.

        Parameters
        ----------
        text : str
            The template, as JSON.
        request : str
            What the user asked for, in words.
        written_by : str
            The program that wrote the template.
        pipeline : str, optional
            The user's pipeline that the template changes. Default: the template is a new pipeline.

        Raises
        ------
        RequestError
            The pipeline comes with helio, or a new pipeline has the name of another.
        NotProved
        """
        task = _Assignment("edited" if pipeline else "authored", self._scrub(request))
        attribution = Attribution(written_by)
        if pipeline is None:
            proved = self._gate.new(text)
            name = str(proved.template.get("id") or "pipeline")
            self._must_be_free(name)
            draft = TemplateDraft(_without_errors(proved), attribution)
            return self._propose(task, name, draft, after=as_text({**draft.template, "id": name}))
        entry = self.library.own(pipeline)
        aim = _Aim(entry.id, self.library.text(entry), self.library.read(entry), entry=entry)
        parsed = parse(text)
        if parsed.errors:
            raise NotProved("the template is not valid", diagnostics=parsed.errors)
        changed = self._gate.edited(aim.template, {**parsed.plan, "id": entry.id})
        draft = TemplateDraft(_without_errors(changed), attribution)
        return self._change(task, draft, aim, copy="")

    def check(self, text: str) -> tuple[Diagnostic, ...]:
        """Return the errors and warnings of a template, given as JSON text, without proposing it."""
        return self._gate.new(text).diagnostics

    @checked
    def repair(self, run_id: str, *, chosen: tuple[str, ...] = ()) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a change to a pipeline so that its failed run can succeed.

        Raises
        ------
        UnknownRun
        RequestError
            No step of the run failed, or the failed step has changed since.
        """
        record = Runs(self._settings.runs).load(run_id)
        self._errand = Errand("repaired", record.id, chosen=chosen)
        authored: Document = record.authored
        failure = self._failure(record, authored)
        entry = self._entry_of(authored)
        text = as_text(authored) if entry is None else self.library.text(entry)
        template = authored if entry is None else self.library.read(entry)
        if entry is not None and step_of(template, failure.step_id) != step_of(authored, failure.step_id):
            raise RequestError(
                f"step {failure.step_id} of {entry.id} has changed since run {record.id}",
                advice=f"use `helio run {entry.id}` to see whether the step still fails",
            )
        task = _Assignment("repaired", f"repair {record.id}, step {failure.step_id}", record.id)
        name = str(template.get("id") or "pipeline")
        with self._recording(task, name):
            outcome = self._repaired(template, failure, chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        copy = f"{slug(name)}-repaired" if entry is None else f"my-{entry.id}" if entry.shipped else ""
        aim = _Aim("" if entry is None else self._known_as(entry), text, template, entry=entry)
        return self._change(task, outcome, aim, copy=copy and self.free_name(copy))

    def keep(self, question: AuthorQuestion) -> OpenQuestion:
        """Keep the question to the latest request, so that `answer` can answer it later, also in another process.

        Raises
        ------
        OutputError
        """
        return self.questions.add(
            question,
            self._errand,
            asked=tuple(self._writer.asked) if self._writer is not None else (),
            by=self._by,
            now=self._now,
            archive=self._archive,
        )

    @checked
    def answer(self, name: str, choice: str) -> Proposal | AuthorQuestion | AuthorReply:
        """Answer a question that `keep` kept, and continue its request.

        Parameters
        ----------
        name : str
            The id of the question.
        choice : str
            One of its choices, or the number of a choice.

        Raises
        ------
        RequestError
            There is no such question, or the answer is none of its choices.
        """
        kept = self.questions.load(name)
        chosen = AuthorQuestion(kept.text, kept.choices, Attribution("")).choice(choice)
        author = self._author()
        if self._writer is not None and author is self._writer:
            self._writer.asked[:] = kept.asked
        errand = kept.errand
        answers = (*errand.chosen, chosen)
        if errand.kind == "edited":
            outcome = self.edit(
                errand.subject, errand.request, name=errand.name, chosen=answers, sources=errand.sources
            )
        elif errand.kind == "repaired":
            outcome = self.repair(errand.subject, chosen=answers)
        else:
            outcome = self.create(errand.request, name=errand.name, chosen=answers, sources=errand.sources)
        self.questions.remove(kept)
        return outcome

    def work(self, proposal: Proposal) -> RemainingWork:
        """Describe which steps a run of the proposed pipeline would compute again."""
        return work_left(
            proposal.earlier,
            proposal.template,
            now=self._now,
            catalogue=KnownDatasets(self._settings.home, self._now, spans=False),
            pipelines=self.library.templates(),
        )

    # Authors ----------------------------------------------------------------------------------------------

    def _read(self, sources: Sequence[str | Path]) -> tuple[SourceFile, ...]:
        """Read the files of a request, which the rules draw: no value of a file goes through a model."""
        if sources and (self._by == "model" or self._replay is not None):
            raise RequestError(
                "a language model gets no files: the rules draw the events of a file",
                advice="leave out --author model and --replay",
            )
        return read_sources(sources)

    def _author(self) -> Author:
        with_model = self._by == "model" or self._replay is not None
        if self._by == "rules" or not (with_model or has_model(self._settings)):
            return self.rules
        if self._writer is None:
            from helio.authoring.author import ModelAuthor
            from helio.authoring.discovery import CatalogueTools
            from helio.authoring.door import open_door
            from helio.authoring.transcript import was_small

            self._door = open_door(self._settings, ended=self._ended, replay=self._replay)
            small = is_small(self._settings) if self._replay is None else was_small(self._replay)
            self._door.transcript.note("clock", now=self._now.isoformat(), small=small)
            self._writer = ModelAuthor(
                self._door,
                lambda: CatalogueTools(self.catalogue, self.library, self._settings.runs),
                self._gate,
                now=self._now,
                records=self._records,
                small=small,
            )
        return self._writer

    def _author_about(self, pipeline: str) -> Author:
        """Return the author, after giving a model the reasons for which proposals about a pipeline were rejected."""
        self._about = pipeline
        author = self._author()
        if self._writer is not None:
            self._writer.background = self._background(pipeline)
        return author

    def _remembered(self) -> Sequence[Item]:
        """Return what the user told helio to remember about the pipeline and the missions of the request."""
        return self.memory.about(self._about, f"{self._errand.request} {self._about}")[:MOST_GIVEN]

    def _background(self, pipeline: str) -> str:
        rejected = [
            {
                "request": proposal.request,
                "changes": [str(change) for change in proposal.changes][:_MOST_CHANGES],
                "rejected because": proposal.because,
            }
            for proposal in self.proposals.list(state="rejected")
            if proposal.because and proposal.pipeline == pipeline
        ][:_MOST_REJECTED]
        reasons = data("Earlier proposals that the user rejected", rejected) if rejected else ""
        remembered = [f"{item.kind} ({item.scope}): {item.text}" for item in self._remembered()]
        memory = data("What the user told helio to remember", remembered) if remembered else ""
        return "\n\n".join(part for part in (memory, self.context, reasons) if part)

    def _edited(
        self,
        pipeline: str,
        request: str,
        template: Document,
        chosen: tuple[str, ...],
        sources: tuple[SourceFile, ...],
    ) -> Outcome:
        if sources:
            self._about = pipeline
            return self.rules.edit(request, template, chosen=chosen, sources=sources)
        author = self._author_about(pipeline)
        if author is not self.rules:
            # the table of quantities swaps spacecraft better than a model
            try:
                outcome = self.rules.edit(request, template)
            except RequestError:
                pass  # the model is asked
            else:
                if isinstance(outcome, TemplateDraft) and _is_clean_swap(outcome):
                    return outcome
        return author.edit(request, template, chosen=chosen)

    def _repaired(self, template: Document, failure: Failure, chosen: tuple[str, ...]) -> Outcome:
        """Repair a template by a rule if a rule applies; otherwise ask the language model for a repair."""
        author = self._author_about(str(template.get("id")))
        try:
            outcome = self.rules.repair(template, failure)
        except RequestError:
            if author is self.rules:
                raise
        else:
            if not isinstance(outcome, TemplateDraft):
                return outcome
            if work_of(outcome.template, signatures()) not in failure.rejected:
                return outcome
            if author is self.rules:
                raise NotUnderstood(
                    "without a language model, helio knows only one repair of this run, and you rejected it",
                    advice=f"{USE_A_MODEL} to let a model repair the run",
                )
        if self._settings.model_statistics:
            from helio.authoring.column_statistics import column_statistics
            from helio.store.store import Store

            record, store = Runs(self._settings.runs).load(failure.run), Store(self._settings.store)
            failure = replace(failure, statistics=column_statistics(record, store))
        return author.repair(template, failure, chosen=chosen)

    # Proposals --------------------------------------------------------------------------------------------

    def _change(self, task: _Assignment, draft: TemplateDraft, aim: _Aim, *, copy: str) -> Proposal:
        """Propose a change to a pipeline or to a proposal, or propose a changed copy."""
        if copy or (aim.entry is None and aim.proposal is None):
            after = as_text({**draft.template, "id": copy})
            return self._propose(task, copy, draft, after=after, base=aim.text)
        after = splice(aim.text, aim.template, draft.template)
        on = "" if aim.proposal is None else aim.proposal.id
        return self._propose(task, aim.name, draft, before=aim.text, after=after, on=on)

    def _known_as(self, entry: Entry) -> str:
        """Return the name of a pipeline of the library; for any other file, return its absolute path."""
        path = entry.path.resolve()
        return entry.id if entry.shipped or path.parent == self.library.folder.resolve() else str(path)

    def _propose(
        self,
        task: _Assignment,
        pipeline: str,
        draft: TemplateDraft,
        *,
        after: str,
        before: str = "",
        base: str = "",
        on: str = "",
    ) -> Proposal:
        notes = (*draft.notes, *self._rejection_notes(pipeline, after), *self._archive_notes(pipeline, after))
        found = (*self._differences(task, draft, before or base), *draft.proved.warnings)
        texts = {"before": before, "after": after, "base": base}
        return self._keep(task, pipeline, draft.attribution, notes, found, texts, on)

    def _differences(self, task: _Assignment, draft: TemplateDraft, before: str) -> tuple[Diagnostic, ...]:
        """Compare the request with the draft; a repair has no sentence to compare."""
        if task.run:
            return ()
        old = parse(before).plan if before else None
        return differences(task.request, draft.template, self.catalogue, self._now, before=old)

    def _keep(
        self,
        task: _Assignment,
        pipeline: str,
        attribution: Attribution,
        notes: tuple[str, ...],
        findings: tuple[Diagnostic, ...],
        texts: Mapping[str, str],
        on: str = "",
    ) -> Proposal:
        made = self.proposals.add(
            kind=task.kind,
            pipeline=pipeline,
            request=task.request,
            run=task.run,
            on=on,
            notes=notes,
            diagnostics=tuple(finding.to_json() for finding in findings),
            **texts,
            **vars(attribution),
        )
        self.kept.append(made.id)
        return made

    def _rejection_notes(self, pipeline: str, text: str) -> Iterator[str]:
        """Say if the user rejected the same pipeline before, and why."""
        for proposal in self.proposals.list(state="rejected"):
            if proposal.because and proposal.pipeline == pipeline and proposal.after == text:
                yield f"you rejected the same change before: {proposal.because}"
                return

    def _archive_notes(self, pipeline: str, text: str) -> Iterator[str]:
        """Say which datasets of a template the user's archive has, and how to run the template with this archive."""
        if not self._archive:
            return
        fetched = dict.fromkeys(dataset for _, dataset in fetched_datasets(json.loads(text)))
        present = [dataset for dataset in fetched if self.catalogue.in_archive(dataset)]
        absent = [dataset for dataset in fetched if dataset not in present and not dataset.startswith("$")]
        named = shlex.quote(self._archive)
        if present:
            use = f"helio run {pipeline} --archive {named}"
            yield f"the archive {self._archive} has {', '.join(present)}; to use it: {use}"
        if absent:
            yield (
                f"the archive {self._archive} lacks {', '.join(absent)}; a run with --archive {named} cannot fetch "
                f"{'them' if len(absent) > 1 else 'it'}"
            )

    @contextmanager
    def _recording(self, task: _Assignment, pipeline: str, *, before: str = "") -> Iterator[None]:
        """Save a failure as a failed proposal; do not save it if only the rules failed to understand the request."""
        try:
            yield
        except (NotProved, NotUnderstood, ModelError) as error:
            if self._door is None and isinstance(error, NotUnderstood):
                raise
            found = error.diagnostics if isinstance(error, NotProved) else ()
            attribution = Attribution("rules")
            if self._door is not None:
                model = self._door.answered_by or self._door.name("smart")
                attribution = Attribution(model, self._door.usage.total, self._door.transcript.id)
            texts = {"before": before, "after": ""}
            kept = self._keep(task, pipeline, attribution, (error.message,), found, texts)
            error.place = error.place or f"failed proposal {kept.id}"
            if isinstance(error, ModelError) and self._by != "model" and self._replay is None:
                error.advice = "; ".join(part for part in (error.advice, _WITHOUT_MODEL) if part)
            raise

    def _must_be_free(self, name: str) -> None:
        require_id(name, "pipeline id")
        if (self.library.folder / f"{name}.json").exists() or (SHIPPED / f"{name}.json").exists():
            raise RequestError(f"a pipeline '{name}' exists already", advice="choose another name with --as")

    def free_name(self, name: str) -> str:
        """Return an id that no pipeline and no pending proposal has."""
        taken = {entry.id for entry in self.library.entries()}
        if self._replay is None:  # a transcript gives the same id again
            taken |= {proposal.pipeline for proposal in self.proposals.list(state="pending")}
        return free_name(slug(name)[:60].strip("-") or "pipeline", taken, "-")

    # Failures ---------------------------------------------------------------------------------------------

    def _entry_of(self, authored: Document) -> Entry | None:
        """Return the pipeline of the library that a run used, given the run's template."""
        return next((entry for entry in self.library.entries() if entry.id == authored.get("id")), None)

    def _failure(self, record: RunRecord, authored: Document) -> Failure:
        failed = next((step for step in record.step_records if step["state"] == "failed"), None)
        if failed is None:
            raise RequestError(
                f"run {record.id} has no failed step", advice="use `helio runs` to find a failed run"
            )
        name, error = str(failed["step_id"]), failed["error"]
        ids: list[StepId] = [
            step.json["step_id"] for step in written_steps(authored) if "step_id" in step.json
        ]
        step_id = next((authored_id for authored_id in ids if _comes_of(name, authored_id)), name)
        rejected = [
            work_of(proposal.template, signatures())
            for proposal in self.proposals.list(state="rejected")
            if proposal.run == record.id and proposal.after
        ]
        return Failure(
            record.id,
            step_id,
            *((error["kind"], error["message"], error["advice"]) if error else ("", "", "")),
            tuple(self._evidence(record, step_of(authored, step_id))),
            tuple(rejected),
        )

    def _evidence(self, record: RunRecord, step: Document) -> list[str]:
        """Describe the tables of a failed run, and what the catalogue knows about the datasets of the failed step."""
        outputs = [
            output for known in record.step_records for output in known["outputs"] if output.get("label")
        ]
        lines = [
            f"{output['label']}: {json.dumps({key: fact for key, fact in output.items() if key in _SHOWN})}"
            for output in outputs[:_MOST_TABLES]
        ]
        for dataset in dict.fromkeys(
            choice.dataset_id for choice in fetch_choices(object_of(step.get("tool_args")))
        ):
            if dataset not in self.catalogue:
                close = ", ".join(closest(dataset, self.catalogue.ids())) or "none"
                lines.append(f"no dataset is called {dataset}; close names: {close}")
                continue
            entry = self.catalogue.dataset(dataset)
            names = ", ".join(parameter.name for parameter in entry.parameters[:40])
            span = f"{time_text(entry.first)} to {time_text(entry.last)}"
            lines.append(f"{dataset} has records of {span}; parameters: {names}")
        return lines


def _absolute(sources: Sequence[str | Path]) -> tuple[str, ...]:
    return tuple(str(user_path(source).absolute()) for source in sources)


def _without_errors(proved: GateResult) -> GateResult:
    """Return a verified template; raise an error if it has errors."""
    if proved.errors:
        raise NotProved("the template is not valid", diagnostics=proved.errors)
    return proved


def _is_clean_swap(draft: TemplateDraft) -> bool:
    """Return whether a draft only replaces a spacecraft, and does not combine tables that do not fit together."""
    by_table = draft.attribution.by == "equivalence table"
    return by_table and not any(warning.code in CLASHES for warning in draft.proved.warnings)


def _comes_of(name: str, step_id: StepId) -> bool:
    """Return whether a step in a run's record comes from the template's step with this id, or from an item of it."""
    return name == str(step_id) or name.startswith((f"{step_id}[", f"{step_id}."))
