"""The desk: a request goes to an author, and what comes of it waits as a proposal; nothing is executed here."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helio.authoring.flags import refuse
from helio.authoring.gate import Gate, fetched_datasets
from helio.authoring.known_pipelines import answered
from helio.authoring.outcome import (
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
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.answers import is_question
from helio.authoring.rules.author import RuleAuthor
from helio.authoring.scrub import Scrub
from helio.authoring.writing.writer import write_template
from helio.errors import ModelError, RequestError, closest
from helio.knowledge.archive_catalogue import CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue, open_catalogue, time_text
from helio.pipelines.analyses.work import work_of
from helio.pipelines.arguments import checked
from helio.pipelines.changes import Work, work_left
from helio.pipelines.history import Kind, Writing
from helio.pipelines.known import KnownDatasets
from helio.pipelines.library import SHIPPED, Entry, Library
from helio.pipelines.passes.check_quantities import BY_CATALOGUE, SURE
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document, as_text, require_id, slug
from helio.pipelines.template.maps import args_of, places
from helio.pipelines.template.splice import splice
from helio.settings import Settings
from helio.steps.signature import signatures
from helio.store.runs import RunRecord, Runs

if TYPE_CHECKING:
    from helio.authoring.door import Door
    from helio.sources.archive_listing import ArchiveListing

By = Literal["auto", "rules", "model"]
_SHOWN = ("unit", "frame", "components", "rows")
"""What a repair is told of each table that there was."""
_MOST_TABLES = 20
CLASHES = frozenset({*SURE.values(), *BY_CATALOGUE.values()})
"""Codes of tables that do not go together; where a swap makes such, it is for the model."""
_WITHOUT_MODEL = "--author rules does plain requests without a model"


class Desk:
    """Where requests are put.

    Parameters
    ----------
    settings : Settings
    now : datetime
        Naive UTC.
    by : "auto", "rules" or "model"
        Who writes: a model where there is a key for one, else the rules, when it is ``auto``.
    archive : str
        The archive that was named for runs: a folder, or ``"sample"``; empty where none was.
    listing : ArchiveListing, optional
        What that archive holds: it is searched before the catalogue, and its datasets need not be in the catalogue.
    ended : threading.Event, optional
        Set to end what a model is asked.
    replay : Path, optional
        A transcript that answers in place of the model.
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
        self.rules = RuleAuthor(self.catalogue, self._gate, now=now)
        self._by = by
        self._ended = ended
        self._replay = replay
        self._scrub = Scrub(settings.model_key, url=settings.model_url)
        self._door: Door | None = None
        self._writer: Author | None = None
        self.kept: list[str] = []
        """Ids of what this desk put on record."""

    def close(self) -> None:
        """Let go of the model."""
        if self._door is not None:
            self._door.close()

    @property
    def transcript(self) -> str:
        """Where the exchange with the model is kept; empty when none was asked."""
        return str(self._door.transcript.path) if self._door is not None else ""

    @property
    def fallback(self) -> str:
        """Why another model was asked than the usual one; empty when it was not."""
        return "; ".join(dict.fromkeys(self._door.fell_back.values())) if self._door is not None else ""

    # Requests ---------------------------------------------------------------------------------------------

    @checked
    def create(
        self, request: str, *, name: str = "", chosen: tuple[str, ...] = ()
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a new pipeline.

        Parameters
        ----------
        name : str
            Its id; one made of the request when left out.
        chosen : tuple of str
            Answers to the questions asked so far.

        Raises
        ------
        NotUnderstood, NotProved, ModelError, Cancelled
            What came of it is on record as a proposal that failed.
        """
        if name:
            self._must_be_free(name)
        request = self._scrub(request)
        commands = answered(request, self.library, self._now)
        if commands:
            return AuthorReply(
                f"there is a pipeline for that, and authors run nothing:\n{commands}", Attribution("rules")
            )
        author = self._author()
        with self._recording("authored", name or "pipeline", request):
            outcome = author.create(request, chosen=chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        template = {
            **outcome.template,
            "id": name or self._free(str(outcome.template.get("id") or "pipeline")),
        }
        return self._propose("authored", template["id"], request, outcome, before="", after=as_text(template))

    def new(
        self, wanted: PipelineRequest, *, name: str, request: str, replace: bool = False
    ) -> tuple[Path, TemplateDraft]:
        """Write a pipeline of the user's own from a request that leaves nothing open.

        Parameters
        ----------
        wanted : Request
        name : str
            Its id.
        request : str
            The same in words, for the history.

        Raises
        ------
        RequestError
            The request leaves something open, or the name is taken.
        NotProved
            The pipeline written from it is not valid.
        """
        template, notes = write_template(wanted, catalogue=self.catalogue, now=self._now, ask=refuse)
        proved = self._gate.new(as_text({**template, "id": name}))
        if proved.errors:
            raise NotProved("the pipeline written from this request is not valid", diagnostics=proved.errors)
        writing = Writing("authored", request=request)
        path = self.library.save(proved.template, replace=replace, writing=writing)
        return path, TemplateDraft(proved, Attribution("you"), notes)

    @checked
    def edit(
        self, pipeline: str | Path, request: str, *, name: str = "", chosen: tuple[str, ...] = ()
    ) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a change of a pipeline, or answer a question about it.

        Parameters
        ----------
        name : str
            The id of a copy that is to have the change; a shipped pipeline needs one.
        """
        request = self._scrub(request)
        entry = self.library.find(str(pipeline))
        stays = RequestError(
            f"{entry.id} is a shipped pipeline, and stays as it is",
            advice=f"--as NAME gives the change to a copy: --as my-{entry.id}",
        )
        if entry.shipped and not name and not is_question(request):
            raise stays
        if name:
            self._must_be_free(name)
        # once: what the author works on is what a change is held against, however long it takes
        text, template = self.library.text(entry), self.library.read(entry)
        with self._recording("edited", self._known_as(entry), request, before=text):
            outcome = self._edited(request, template, chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        if entry.shipped and not name:
            raise stays
        return self._change("edited", entry, text, template, name, request, outcome)

    @checked
    def repair(self, run_id: str, *, chosen: tuple[str, ...] = ()) -> Proposal | AuthorQuestion | AuthorReply:
        """Propose a change by which a run that failed would go through.

        Raises
        ------
        UnknownRun
        RequestError
            Nothing failed in it, or the pipeline has changed since.
        """
        record = Runs(self._settings.runs).load(run_id)
        authored: Document = record.authored
        failure = self._failure(record, authored)
        entry = self._entry_of(authored)
        text = as_text(authored) if entry is None else self.library.text(entry)
        template = authored if entry is None else self.library.read(entry)
        if entry is not None and _step(template, failure.step_id) != _step(authored, failure.step_id):
            raise RequestError(
                f"step {failure.step_id} of {entry.id} has changed since {record.id}",
                advice=f"helio run {entry.id} shows whether it still fails",
            )
        request = f"repair {record.id}, step {failure.step_id}"
        with self._recording("repaired", str(template.get("id") or "pipeline"), request, run=record.id):
            outcome = self._repaired(template, failure, chosen)
        if not isinstance(outcome, TemplateDraft):
            return outcome
        if entry is None:
            name = self._free(f"{slug(str(template.get('id') or 'pipeline'))}-repaired")
            made = as_text({**outcome.template, "id": name})
            return self._propose(
                "repaired", name, request, outcome, before="", after=made, base=text, run=record.id
            )
        name = self._free(f"my-{entry.id}") if entry.shipped else ""
        return self._change("repaired", entry, text, template, name, request, outcome, run=record.id)

    def work(self, proposal: Proposal) -> Work:
        """What a run of the proposed pipeline would compute anew, the present one being in the store."""
        return work_left(
            proposal.earlier,
            proposal.template,
            now=self._now,
            catalogue=KnownDatasets(self._settings.home, self._now, spans=False),
            pipelines=self.library.templates(),
        )

    # Authors ----------------------------------------------------------------------------------------------

    def _author(self) -> Author:
        with_model = self._by == "model" or self._replay is not None
        if self._by == "rules" or not (with_model or self._settings.model_key):
            return self.rules
        if self._writer is None:
            from helio.authoring.author import ModelAuthor
            from helio.authoring.discovery import CatalogueTools
            from helio.authoring.door import open_door

            self._door = open_door(self._settings, ended=self._ended, replay=self._replay)
            self._door.transcript.note("clock", now=self._now.isoformat())
            self._writer = ModelAuthor(
                self._door,
                lambda: CatalogueTools(self.catalogue, self.library, self._settings.runs),
                self._gate,
                now=self._now,
            )
        return self._writer

    def _edited(self, request: str, template: Document, chosen: tuple[str, ...]) -> Outcome:
        author = self._author()
        if author is not self.rules:
            # another spacecraft is a matter of the table; the model is for what the table cannot say
            try:
                swapped = self.rules.edit(request, template)
            except RequestError:  # whatever rules make of it, the model is asked
                swapped = None
            if (
                isinstance(swapped, TemplateDraft)
                and swapped.said.by == "equivalence table"
                and not _unlike(swapped)
            ):
                return swapped
        return author.edit(request, template, chosen=chosen)

    def _repaired(self, template: Document, failure: Failure, chosen: tuple[str, ...]) -> Outcome:
        """By rules where they know how, else by the model."""
        author = self._author()
        try:
            outcome = self.rules.repair(template, failure)
        except RequestError:
            if author is self.rules:
                raise
        else:
            if (
                not isinstance(outcome, TemplateDraft)
                or work_of(outcome.template, signatures()) not in failure.rejected
            ):
                return outcome
            if author is self.rules:
                raise NotUnderstood(
                    "rules know one repair of this run, and it was rejected",
                    advice="a model may know another: set GEMINI_API_KEY",
                )
        return author.repair(template, failure, chosen=chosen)

    # Proposals --------------------------------------------------------------------------------------------

    def _change(
        self,
        kind: Kind,
        entry: Entry,
        text: str,
        template: Document,
        name: str,
        request: str,
        outcome: TemplateDraft,
        *,
        run: str = "",
    ) -> Proposal:
        if name:
            after = as_text({**outcome.template, "id": name})
            return self._propose(kind, name, request, outcome, before="", after=after, base=text, run=run)
        after = splice(text, template, outcome.template)
        pipeline = self._known_as(entry)
        return self._propose(kind, pipeline, request, outcome, before=text, after=after, run=run)

    def _known_as(self, entry: Entry) -> str:
        """The name of a pipeline of the library; of any other file the path, from wherever it is accepted."""
        path = entry.path.resolve()
        return entry.id if entry.shipped or path.parent == self.library.folder.resolve() else str(path)

    def _propose(
        self,
        kind: Kind,
        pipeline: str,
        request: str,
        outcome: TemplateDraft,
        *,
        before: str,
        after: str,
        base: str = "",
        run: str = "",
    ) -> Proposal:
        said: Attribution = outcome.said
        made = self.proposals.add(
            kind=kind,
            pipeline=pipeline,
            request=request,
            by=said.by,
            before=before,
            after=after,
            base=base,
            run=run,
            notes=(*outcome.notes, *self._archive_notes(pipeline, after)),
            diagnostics=tuple(warning.to_json() for warning in outcome.proved.warnings),
            tokens=said.tokens,
            transcript=said.transcript,
            prompt_digest=said.prompt_digest,
        )
        self.kept.append(made.id)
        return made

    def _archive_notes(self, pipeline: str, text: str) -> Iterator[str]:
        """Which datasets of a template are in the archive that was named, and how it is run with them."""
        if not self._archive:
            return
        fetched = dict.fromkeys(dataset for _, dataset in fetched_datasets(json.loads(text)))
        here = [dataset for dataset in fetched if self.catalogue.in_archive(dataset)]
        away = [dataset for dataset in fetched if dataset not in here and not dataset.startswith("$")]
        named = shlex.quote(self._archive)
        if here:
            yield f"found in {self._archive}: {', '.join(here)}; helio run {pipeline} --archive {named}"
        if away:
            yield (
                f"not in {self._archive}: {', '.join(away)}; a run with --archive {named} would not have "
                f"{'them' if len(away) > 1 else 'it'}"
            )

    @contextmanager
    def _recording(
        self, kind: Kind, pipeline: str, request: str, *, before: str = "", run: str = ""
    ) -> Iterator[None]:
        """Put on record what comes to nothing; what rules do not understand has cost nothing, and is not."""
        try:
            yield
        except (NotProved, NotUnderstood, ModelError) as error:
            if self._door is None and isinstance(error, NotUnderstood):
                raise
            found = error.diagnostics if isinstance(error, NotProved) else ()
            kept = self.proposals.add(
                kind=kind,
                pipeline=pipeline,
                request=request,
                by="rules" if self._door is None else self._door.answered_by or self._door.name("smart"),
                before=before,
                after="",
                run=run,
                notes=(error.message,),
                diagnostics=tuple(finding.to_json() for finding in found),
                tokens=0 if self._door is None else self._door.usage.total,
                transcript="" if self._door is None else self._door.transcript.id,
            )
            self.kept.append(kept.id)
            error.place = error.place or f"on record as {kept.id}"
            if isinstance(error, ModelError) and self._by != "model" and self._replay is None:
                error.advice = "; ".join(part for part in (error.advice, _WITHOUT_MODEL) if part)
            raise

    def _must_be_free(self, name: str) -> None:
        require_id(name, "pipeline id")
        if (self.library.folder / f"{name}.json").exists() or (SHIPPED / f"{name}.json").exists():
            raise RequestError(f"there is a pipeline '{name}' already", advice="--as another name")

    def _free(self, wanted: str) -> str:
        """An id that no pipeline has, and none that waits for approval."""
        taken = {entry.id for entry in self.library.entries()}
        if self._replay is None:  # what a transcript tells again is told by the name it had
            taken |= {proposal.pipeline for proposal in self.proposals.list(state="pending")}
        name, number = slug(wanted)[:60].strip("-") or "pipeline", 2
        while name in taken:
            name, number = f"{slug(wanted)[:60].strip('-')}-{number}", number + 1
        return name

    # Failures ---------------------------------------------------------------------------------------------

    def _entry_of(self, authored: Document) -> Entry | None:
        """The pipeline of the library that a run was made from."""
        return next((entry for entry in self.library.entries() if entry.id == authored.get("id")), None)

    def _failure(self, record: RunRecord, authored: Document) -> Failure:
        failed = next((step for step in record.step_records if step["state"] == "failed"), None)
        if failed is None:
            raise RequestError(
                f"nothing failed in {record.id}", advice="helio runs lists the runs with their status"
            )
        error = failed["error"]
        name = str(failed["step_id"])
        step_id = next((authored_id for authored_id in _ids(authored) if _comes_of(name, authored_id)), name)
        return Failure(
            record.id,
            step_id,
            *((error["kind"], error["message"], error["advice"]) if error else ("", "", "")),
            tuple(self._evidence(record, _step(authored, step_id))),
            tuple(
                work_of(proposal.template, signatures())
                for proposal in self.proposals.list(state="rejected")
                if proposal.run == record.id and proposal.after
            ),
        )

    def _evidence(self, record: RunRecord, step: Document) -> list[str]:
        """What the tables of the run have, and names of the catalogue that come close to the step's own."""
        outputs = [output for step in record.step_records for output in step["outputs"]]
        told = [
            f"{output['label']}: {json.dumps({key: fact for key, fact in output.items() if key in _SHOWN})}"
            for output in outputs
            if output.get("label")
        ][:_MOST_TABLES]
        args = args_of(step)
        candidates = args.get("candidates")
        every = [args, *(candidates if isinstance(candidates, list) else ())]
        named = [choice.get("dataset_id") if isinstance(choice, dict) else choice for choice in every]
        for dataset in dict.fromkeys(name for name in named if isinstance(name, str) and name):
            if dataset not in self.catalogue:
                close = ", ".join(closest(dataset, self.catalogue.ids())) or "none"
                told.append(f"no dataset is called {dataset}; those that come close: {close}")
                continue
            entry = self.catalogue.dataset(dataset)
            names = ", ".join(parameter.name for parameter in entry.parameters[:40])
            span = f"{time_text(entry.first)} to {time_text(entry.last)}"
            told.append(f"{dataset} has records of {span}; parameters: {names}")
        return told


def _unlike(draft: TemplateDraft) -> bool:
    """Whether a draft brings tables of another unit, frame or kind together than its tools take."""
    return any(warning.code in CLASHES for warning in draft.proved.warnings)


def _ids(template: Document) -> list[StepId]:
    return [place.step["step_id"] for place in places(template) if "step_id" in place.step]


def _step(template: Document, name: StepId) -> Document:
    """A step of a template, or of a block in it; empty where there is none."""
    return next((place.step for place in places(template) if place.step.get("step_id") == name), {})


def _comes_of(name: str, step_id: StepId) -> bool:
    """Whether a step of a run is an authored one, an item of it, or a step of the pipeline that it calls."""
    return name == str(step_id) or name.startswith((f"{step_id}[", f"{step_id}."))
