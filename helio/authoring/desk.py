"""Handle requests in plain words: find what they change, let an author answer, and keep its questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from helio.authoring.choice_of_author import Authors, By
from helio.authoring.conversation.choosing import choice_meant
from helio.authoring.documents.source_files import NO_TEXTS, SourceFile, read_sources
from helio.authoring.documents.tables import check_tables
from helio.authoring.empty_panels import asks_why_empty, last_drawn, why_empty, with_note_on_changes
from helio.authoring.failed_run import failure_of
from helio.authoring.flags import refuse
from helio.authoring.gate import Gate, GateResult
from helio.authoring.known_pipelines import answered, history_command, schedule_command
from helio.authoring.measured import asks_for_values, names_line, values_answered
from helio.authoring.memory import files_named
from helio.authoring.models.exchange import RejectedAnswer
from helio.authoring.models.scrub import scrub_of
from helio.authoring.operations import Operation, apply, step_of
from helio.authoring.outcome import (
    Attribution,
    AuthorQuestion,
    AuthorReply,
    NotProved,
    NotUnderstood,
    Outcome,
    TemplateDraft,
    require_readable,
)
from helio.authoring.proposals.store import Proposal, Proposals
from helio.authoring.proposing import Aim, Assignment, Proposer
from helio.authoring.questions import Errand, OpenQuestion, OpenQuestions
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.parts_left_out import without_a_part
from helio.authoring.rules.questions.question_form import is_question
from helio.authoring.writing.steps import free_name
from helio.authoring.writing.writer import write_template
from helio.errors import RequestError, UnknownPipeline, UnknownRun
from helio.knowledge.archive_catalogue import CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue, open_catalogue
from helio.pipelines.arguments import checked
from helio.pipelines.changes import RemainingWork, work_left
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import Writing
from helio.pipelines.known import KnownDatasets
from helio.pipelines.library import SHIPPED, Entry, Library
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document, as_text, require_id, slug
from helio.settings import Settings
from helio.store.files import user_path
from helio.store.runs import Runs
from helio.store.store import Store

if TYPE_CHECKING:
    from helio.authoring.models.door import Door
    from helio.knowledge.archive_catalogue import Listing

_SCHEDULE_IT = "To schedule it, at a time in UTC"


class Desk:
    """Handler of requests for new pipelines, edits and repairs; it saves the results as proposals.

    Parameters
    ----------
    settings : Settings
    now : datetime
        Naive UTC.
    by : "auto", "rules" or "model"
        The author. ``auto``: a model if the user has named one or an API key is set, otherwise the rules.
    archive : str
        The archive to use in runs: a folder, ``"sample"`` or a HAPI server; empty for none.
    listing : Listing, optional
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
        listing: Listing | None = None,
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
        self.proposals = Proposals(settings.proposals, self.library, prove=self._gate.findings)
        self.authors = Authors(
            settings,
            self.catalogue,
            self.library,
            self._gate,
            self.proposals,
            now=now,
            by=by,
            ended=ended,
            replay=replay,
        )
        self.rules = self.authors.rules
        self._proposer = Proposer(
            self.proposals, self.catalogue, self.authors, now=now, archive=self._archive
        )
        self.kept = self._proposer.kept
        """Ids of the proposals that this desk saved, including failed proposals."""
        self._by = by
        self._replay = replay
        self._scrub = scrub_of(settings)
        self.questions = OpenQuestions(settings.questions)
        self._errand = Errand("authored")
        self._has_texts = False

    def close(self) -> None:
        """Close the connection to the language model."""
        if self._door is not None:
            self._door.close()

    @property
    def now(self) -> datetime:
        """Return the present, naive UTC."""
        return self._now

    @property
    def _door(self) -> Door | None:
        return self.authors.door

    @property
    def transcript(self) -> str:
        """Return the path of the recorded conversation with the language model; empty if no model was asked."""
        return str(self._door.transcript.path) if self._door is not None else ""

    @property
    def tokens(self) -> int:
        """Return the number of tokens that a model has used so far."""
        return self._door.usage.total if self._door is not None else 0

    @property
    def cost(self) -> float | None:
        """Return the cost of these tokens; None if no model was asked or the settings have no prices."""
        return self._door.cost if self._door is not None else None

    @property
    def spent(self) -> dict[str, float]:
        """Return the tokens that a model has used, and their cost if it is known, as facts for a conversation."""
        return {"tokens": self.tokens, **({"cost": self.cost} if self.cost else {})}

    @property
    def writer(self) -> str:
        """Return who writes: ``rules``, or the name of the model."""
        author = self.authors.current()
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
        documents: Mapping[str, str] = NO_TEXTS,
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a new pipeline.

        Parameters
        ----------
        name : str
            The id; made from the request when empty.
        chosen : tuple of str
            Answers to the questions asked so far.
        sources : sequence of str or Path
            Files that the request names: lists of events, as CSV or text, which the rules draw as the request says;
            PDFs, PNG and JPEG pictures and other texts, which a model gets as data.
        documents : mapping, optional
            Texts to read like such files, by the names of the files.

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
        sources = (*sources, *files_named(request, self.authors.memory.about(name, request)))
        files = self._read(sources, documents)
        self._errand = Errand("authored", "", request, name, chosen, _absolute(sources))
        commands = "" if files else answered(request, self.library, self._now)
        if commands:
            message = (
                f"a pipeline for this request exists; `helio author` does not run it. To run it:\n{commands}"
            )
            return AuthorReply(message, Attribution("rules"))
        task = Assignment("authored", request, files=files)
        with (
            self._proposer.recording(task, name or "pipeline"),
            self._naming_a_part(request, lambda text: self.rules.create(text, sources=files)),
        ):
            outcome = self.authors.create(name, request, chosen=chosen, sources=files)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        name = name or self.free_name(str(outcome.template.get("id") or "pipeline"))
        return self._proposer.new(task, name, outcome)

    @contextmanager
    def _naming_a_part(self, request: str, write: Callable[[str], Outcome]) -> Iterator[None]:
        """If the rules do not understand a request, advise to leave out the one part that they do not understand."""
        try:
            yield
        except NotUnderstood as refused:
            found = without_a_part(request, write) if self.authors.current() is self.rules else None
            if found:
                part, rest = found
                told = f"without '{part}' helio understands it: \"{rest}\""
                has_guess = refused.advice.startswith("did you mean")
                refused.advice = f"{refused.advice}; {told}" if has_guess else told
            raise

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
        documents: Mapping[str, str] = NO_TEXTS,
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a change to a pipeline or to a pending proposal, or answer a question about it.

        Parameters
        ----------
        pipeline : str or Path
            A pipeline, the id of a pending proposal, or the name of a new pipeline that is not accepted yet.
        name : str
            The id of a new copy to change; required for a shipped pipeline.
        sources : sequence of str or Path
            Files that the request names, as for `create`.
        documents : mapping, optional
            Texts to read like such files, by the names of the files.
        """
        request = self._scrub(request)
        aim = self._aim(pipeline)
        about = self.authors.memory.about(aim.name, f"{request} {aim.name}")
        sources = (*sources, *files_named(request, about))
        files = self._read(sources, documents)
        self._errand = Errand("edited", str(pipeline), request, name, chosen, _absolute(sources))
        if command := history_command(request, aim.name):
            command = command if aim.proposal is None else f"helio reject {aim.proposal.id}"
            raise RequestError(
                f"'{request}' is no change of {aim.name}",
                advice=f"to go back to an earlier text: `{command}`",
            )
        scheduled = schedule_command(request, aim.name, self._archive)
        if scheduled:
            first = "" if aim.proposal is None else f"accept it first: `helio accept {aim.proposal.id}`\n"
            message = f"a schedule is no change of the pipeline. {_SCHEDULE_IT}:\n{first}{scheduled}"
            return AuthorReply(message, Attribution("rules"))
        is_fixed = RequestError(
            f"{aim.name} comes with helio and cannot be changed",
            advice=f"change a copy with --as my-{aim.name}",
        )
        if aim.is_fixed and not name and not is_question(request):
            raise is_fixed
        if name:
            self._must_be_free(name)
        if asks_why_empty(request):
            record = last_drawn(self._settings, str(aim.template.get("id")))
            if record is not None:
                said = with_note_on_changes(why_empty(request, record), record, aim.template)
                return AuthorReply("\n".join(said), Attribution("rules"))
        if values := self._measured(request, aim.template):
            return AuthorReply("\n".join(values), Attribution("rules"))
        task = Assignment("edited", request, files=files)
        with (
            self._proposer.recording(task, aim.name, before=aim.text),
            self._naming_a_part(request, lambda text: self.rules.edit(text, aim.template, sources=files)),
        ):
            outcome = self.authors.edit(aim.name, request, aim.template, chosen=chosen, sources=files)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        if aim.is_fixed and not name:
            raise is_fixed
        return self._proposer.change(task, outcome, aim, copy=name)

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
        return self._proposer.change(Assignment("edited", self._scrub(request)), draft, aim, copy=name)

    def template(self, pipeline: str) -> Document:
        """Return the template of a pipeline or of a pending proposal."""
        return self._aim(pipeline).template

    def proposed(self, pipeline: str) -> Proposal | None:
        """Return the pending proposal that `edit` would change; return None if it would change an accepted pipeline."""
        return self._aim(pipeline).proposal

    def _aim(self, pipeline: str | Path) -> Aim:
        """Read a pipeline or a pending proposal once: a change is compared with the text that the author saw."""
        try:
            entry = self.library.find(str(pipeline))
        except UnknownPipeline:
            proposal = self.proposals.working(str(pipeline))
            if proposal is None:
                raise
            text = proposal.after
            return Aim(proposal.pipeline, text, parse(text).plan, proposal=proposal)
        name = self._known_as(entry)
        return Aim(name, self.library.text(entry), self.library.read(entry), entry=entry)

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
            The pipeline comes with helio, a new pipeline has the name of another, or the request is empty or too long.
        NotProved
        """
        require_readable(request)
        task = Assignment("edited" if pipeline else "authored", self._scrub(request))
        attribution = Attribution(written_by)
        if pipeline is None:
            proved = self._gate.new(text)
            _refuse_claims({"steps": []}, proved.template)
            name = str(proved.template.get("id") or "pipeline")
            self._must_be_free(name)
            draft = TemplateDraft(_without_errors(proved), attribution)
            return self._proposer.new(task, name, draft)
        entry = self.library.own(pipeline)
        aim = Aim(entry.id, self.library.text(entry), self.library.read(entry), entry=entry)
        parsed = parse(text)
        if parsed.errors:
            raise NotProved("the template is not valid", diagnostics=parsed.errors)
        _refuse_claims(aim.template, parsed.plan)
        changed = self._gate.edited(aim.template, {**parsed.plan, "id": entry.id})
        draft = TemplateDraft(_without_errors(changed), attribution)
        return self._proposer.change(task, draft, aim, copy="")

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
        runs = Runs(self._settings.runs)
        try:
            record = runs.load(run_id)
        except UnknownRun as error:
            error.advice = "; ".join(filter(None, (error.advice, runs.failed_lately())))
            raise
        self._errand = Errand("repaired", record.id, chosen=chosen)
        authored: Document = record.authored
        failure = failure_of(record, self.proposals, self.catalogue)
        entry = self._entry_of(authored)
        text = as_text(authored) if entry is None else self.library.text(entry)
        template = authored if entry is None else self.library.read(entry)
        if entry is not None and step_of(template, failure.step_id) != step_of(authored, failure.step_id):
            raise RequestError(
                f"step {failure.step_id} of {entry.id} has changed since run {record.id}",
                advice=f"use `helio run {entry.id}` to see whether the step still fails",
            )
        task = Assignment("repaired", f"repair {record.id}, step {failure.step_id}", record.id)
        name = str(template.get("id") or "pipeline")
        with self._proposer.recording(task, name):
            outcome = self.authors.repair(template, failure, chosen=chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        copy = f"{slug(name)}-repaired" if entry is None else f"my-{entry.id}" if entry.shipped else ""
        aim = Aim("" if entry is None else self._known_as(entry), text, template, entry=entry)
        return self._proposer.change(task, outcome, aim, copy=copy and self.free_name(copy))

    def keep(self, question: AuthorQuestion) -> OpenQuestion:
        """Keep the question to the latest request, so that `answer` can answer it later, also in another process.

        Raises
        ------
        OutputError
        RequestError
            The request came with texts, which helio does not keep.
        """
        if self._has_texts:
            raise RequestError(
                "a question about texts without files cannot be kept",
                advice="send the request again, with the texts and the answer in `chosen`",
            )
        return self.questions.add(
            question,
            self._errand,
            asked=self.authors.asked,
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
            One of its choices, the number of a choice, or words that mean only one of them: ``the second panel``.

        Raises
        ------
        RequestError
            There is no such question, or the answer is none of its choices.
        """
        kept = self.questions.load(name)
        meant = self.choice(kept, choice) or choice
        chosen = AuthorQuestion(kept.text, kept.choices, Attribution("")).choice(meant)
        self.authors.resume(kept.asked)
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

    def choice(self, question: OpenQuestion, answer: str) -> str:
        """Return the choice of a question that an answer in words means; return an empty text if it means none."""
        subject = question.errand.subject if question.errand.kind == "edited" else ""
        template = self.template(subject) if subject else None
        return choice_meant(answer, question.choices, template, self.catalogue)

    def work(self, proposal: Proposal) -> RemainingWork:
        """Describe which steps a run of the proposed pipeline would compute again."""
        return work_left(
            proposal.earlier,
            proposal.template,
            now=self._now,
            catalogue=KnownDatasets(self._settings.home, self._now, spans=False),
            pipelines=self.library.templates(),
        )

    # Files, names and pipelines ---------------------------------------------------------------------------

    def _read(self, sources: Sequence[str | Path], documents: Mapping[str, str]) -> tuple[SourceFile, ...]:
        """Read the files of a request, and remove API keys from their texts."""
        files = read_sources(sources, self._settings, documents)
        self._has_texts = bool(documents)
        return tuple(file.without_keys(self._scrub) for file in files)

    def _measured(self, request: str, template: Document) -> Sequence[str]:
        """Answer a question about values from the last run or preview of a pipeline; return nothing if it is none."""
        if not asks_for_values(request):
            return ()
        pipeline = str(template.get("id"))
        record = last_drawn(self._settings, pipeline)
        if record is not None:
            said = values_answered(request, record, Store(self._settings.store), self.catalogue)
            return with_note_on_changes(said, record, template) if said else ()
        is_of_line = names_line(request, template, self.catalogue)
        return (
            [f"no run of {pipeline} is recorded, and only a run has values and files"] if is_of_line else []
        )

    def _known_as(self, entry: Entry) -> str:
        """Return the name of a pipeline of the library; for any other file, return its absolute path."""
        path = entry.path.resolve()
        return entry.id if entry.shipped or path.parent == self.library.folder.resolve() else str(path)

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

    def _entry_of(self, authored: Document) -> Entry | None:
        """Return the pipeline of the library that a run used, given the run's template."""
        return next((entry for entry in self.library.entries() if entry.id == authored.get("id")), None)


def _absolute(sources: Sequence[str | Path]) -> tuple[str, ...]:
    return tuple(str(user_path(source).absolute()) for source in sources)


def _refuse_claims(before: Document, after: Document) -> None:
    """Refuse a template of another program that names a document, because helio has not read the document."""
    try:
        tuple(check_tables(before, after, (), ()))
    except RejectedAnswer as error:
        raise NotProved("the template is not valid", diagnostics=error.diagnostics) from error


def _without_errors(proved: GateResult) -> GateResult:
    """Return a verified template; raise an error if it has errors."""
    if proved.errors:
        raise NotProved("the template is not valid", diagnostics=proved.errors)
    return proved
