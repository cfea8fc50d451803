"""The desk: a request goes to an author, and what comes of it waits as a proposal; nothing is executed here."""

from __future__ import annotations

import json
import threading
from collections.abc import Container
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from helio.authoring.gate import Gate
from helio.authoring.outcome import (
    Author,
    Draft,
    Failure,
    NotProved,
    NotUnderstood,
    Outcome,
    Question,
    Reply,
    Said,
)
from helio.authoring.proposals import Proposal, Proposals
from helio.authoring.rules.author import RuleAuthor
from helio.errors import HelioError, ModelError, RequestError, closest
from helio.knowledge.catalogue import Catalogue, open_catalogue
from helio.pipelines.changes import Work, work_left
from helio.pipelines.history import Kind
from helio.pipelines.known import KnownDatasets
from helio.pipelines.library import ID, SHIPPED, Entry, Library
from helio.pipelines.splice import splice
from helio.pipelines.template import Document, as_text, slug
from helio.settings import Settings
from helio.store.runs import RunRecord, Runs

By = Literal["auto", "rules", "model"]
_SHOWN = ("unit", "frame", "components", "rows")
"""What a repair is told of each table that there was."""


class Desk:
    """Where requests are put.

    Parameters
    ----------
    settings : Settings
    now : datetime
        Naive UTC.
    by : "auto", "rules" or "model"
        Who writes: a model where there is a key for one, else the rules, when it is ``auto``.
    elsewhere : container of str
        Datasets of an archive that was named; they need not be in the catalogue.
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
        elsewhere: Container[str] = (),
        ended: threading.Event | None = None,
        replay: Path | None = None,
    ) -> None:
        self.library = Library(settings.templates)
        self.proposals = Proposals(settings.proposals, self.library)
        self._settings = settings
        self._now = now
        self._catalogue: Catalogue = open_catalogue(settings.home)
        self._gate = Gate(
            self._catalogue,
            home=settings.home,
            now=now,
            pipelines=self.library.templates(),
            elsewhere=elsewhere,
        )
        self.rules = RuleAuthor(self._catalogue, self._gate, now=now)
        self._by = by
        self._ended = ended
        self._replay = replay
        self._door: Any = None

    def close(self) -> None:
        """Let go of the model."""
        if self._door is not None:
            self._door.close()

    @property
    def fallback(self) -> str:
        """Why another model was asked than the usual one; empty when it was not."""
        return "; ".join(dict.fromkeys(self._door.fell_back.values())) if self._door is not None else ""

    # Requests ---------------------------------------------------------------------------------------------

    def create(
        self, request: str, *, name: str = "", chosen: tuple[str, ...] = ()
    ) -> Proposal | Question | Reply:
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
        author = self._author()
        try:
            outcome = author.create(request, chosen=chosen)
        except (NotProved, ModelError) as error:
            raise self._recorded(error, "authored", name or "pipeline", request, "") from error
        if not isinstance(outcome, Draft):
            return outcome
        template = {
            **outcome.template,
            "id": name or self._free(str(outcome.template.get("id") or "pipeline")),
        }
        return self._propose("authored", template["id"], request, outcome, before="", after=as_text(template))

    def edit(
        self, pipeline: str, request: str, *, name: str = "", chosen: tuple[str, ...] = ()
    ) -> Proposal | Question | Reply:
        """Propose a change of a pipeline, or answer a question about it.

        Parameters
        ----------
        name : str
            The id of a copy that is to have the change; a shipped pipeline needs one.
        """
        entry = self.library.find(pipeline)
        if entry.shipped and not name:
            raise RequestError(
                f"{entry.id} is a shipped pipeline, and stays as it is",
                advice=f"--as NAME gives the change to a copy: --as my-{entry.id}",
            )
        if name:
            self._must_be_free(name)
        text, template = self.library.text(entry), self.library.read(entry)
        try:
            outcome = self._edited(request, template, chosen)
        except (NotProved, ModelError) as error:
            raise self._recorded(error, "edited", pipeline, request, text) from error
        if not isinstance(outcome, Draft):
            return outcome
        return self._change("edited", pipeline, entry, name, request, outcome)

    def repair(self, run_id: str, *, chosen: tuple[str, ...] = ()) -> Proposal | Question | Reply:
        """Propose a change by which a run that failed would go through.

        Raises
        ------
        UnknownRun
        RequestError
            Nothing failed in it.
        """
        record = Runs(self._settings.runs).load(run_id)
        failure = self._failure(record)
        authored: Document = record.documents["authored"]
        entry = self._entry_of(authored)
        template = self.library.read(entry) if entry is not None else authored
        request = f"repair {record.id}, step {failure.step_id}"
        try:
            outcome = self._repaired(template, failure)
        except (NotProved, ModelError) as error:
            raise self._recorded(error, "repaired", str(template["id"]), request, "") from error
        if not isinstance(outcome, Draft):
            return outcome
        if entry is None:
            name = self._free(f"{slug(str(template.get('id') or 'pipeline'))}-repaired")
            made = as_text({**outcome.template, "id": name})
            base = as_text(template)
            return self._propose(
                "repaired", name, request, outcome, before="", after=made, base=base, run=record.id
            )
        name = self._free(f"my-{entry.id}") if entry.shipped else ""
        return self._change("repaired", entry.id, entry, name, request, outcome, run=record.id)

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
        from helio.authoring.author import ModelAuthor
        from helio.authoring.discovery import Shelf
        from helio.authoring.door import open_door

        if self._door is None:
            self._door = open_door(self._settings, ended=self._ended, replay=self._replay)
        return ModelAuthor(
            self._door,
            lambda: Shelf(self._catalogue, self.library, self._settings.runs),
            self._gate,
            now=self._now,
        )

    def _edited(self, request: str, template: Document, chosen: tuple[str, ...]) -> Outcome:
        author = self._author()
        if author is not self.rules:
            # another spacecraft is a matter of the table; the model is for what the table cannot say
            try:
                swapped = self.rules.edit(request, template)
            except (NotUnderstood, NotProved):
                swapped = None
            if isinstance(swapped, Draft) and swapped.said.by == "equivalence table":
                return swapped
        return author.edit(request, template, chosen=chosen)

    def _repaired(self, template: Document, failure: Failure) -> Outcome:
        """By rules where they know how, else by the model."""
        author = self._author()
        if author is self.rules:
            return author.repair(template, failure)
        try:
            return self.rules.repair(template, failure)
        except (NotUnderstood, NotProved):
            return author.repair(template, failure)

    # Proposals --------------------------------------------------------------------------------------------

    def _change(
        self,
        kind: Kind,
        pipeline: str,
        entry: Entry,
        name: str,
        request: str,
        outcome: Draft,
        *,
        run: str = "",
    ) -> Proposal:
        text, before = self.library.text(entry), self.library.read(entry)
        if name:
            after = as_text({**outcome.template, "id": name})
            return self._propose(kind, name, request, outcome, before="", after=after, base=text, run=run)
        after = splice(text, before, outcome.template)
        return self._propose(kind, pipeline, request, outcome, before=text, after=after, run=run)

    def _propose(
        self,
        kind: Kind,
        pipeline: str,
        request: str,
        outcome: Draft,
        *,
        before: str,
        after: str,
        base: str = "",
        run: str = "",
    ) -> Proposal:
        said: Said = outcome.said
        return self.proposals.add(
            kind=kind,
            pipeline=pipeline,
            request=request,
            by=said.by,
            before=before,
            after=after,
            base=base,
            run=run,
            notes=outcome.notes,
            diagnostics=tuple(one.to_json() for one in outcome.proved.warnings),
            tokens=said.tokens,
            transcript=said.transcript,
            prompt_digest=said.prompt_digest,
        )

    def _recorded(
        self, error: HelioError, kind: Kind, pipeline: str, request: str, before: str
    ) -> HelioError:
        """The error, once the failure is on record."""
        found = getattr(error, "diagnostics", ())
        transcript = self._door.transcript.id if self._door is not None else ""
        kept = self.proposals.add(
            kind=kind,
            pipeline=pipeline,
            request=request,
            by="a model" if self._door is not None else "rules",
            before=before,
            after="",
            notes=(error.message,),
            diagnostics=tuple(one.to_json() for one in found),
            tokens=self._door.usage.total if self._door is not None else 0,
            transcript=transcript,
        )
        error.place = error.place or f"on record as {kept.id}"
        return error

    def _must_be_free(self, name: str) -> None:
        if not ID.fullmatch(name):
            raise RequestError(f"'{name}' is no pipeline id", advice=f"'{slug(name)}'")
        if (self.library.folder / f"{name}.json").exists() or (SHIPPED / f"{name}.json").exists():
            raise RequestError(f"there is a pipeline '{name}' already", advice="--as another name")

    def _free(self, wanted: str) -> str:
        """An id that no pipeline has, and none that waits for approval."""
        taken = {one.id for one in self.library.entries()}
        taken |= {one.pipeline for one in self.proposals.list(state="pending")}
        name, number = slug(wanted)[:60].strip("-") or "pipeline", 2
        while name in taken:
            name, number = f"{slug(wanted)[:60].strip('-')}-{number}", number + 1
        return name

    # Failures ---------------------------------------------------------------------------------------------

    def _entry_of(self, authored: Document) -> Entry | None:
        """The pipeline of the library that a run was made from."""
        return next((one for one in self.library.entries() if one.id == authored.get("id")), None)

    def _failure(self, record: RunRecord) -> Failure:
        failed = next((one for one in record.steps if one["state"] == "failed"), None)
        if failed is None:
            raise RequestError(
                f"nothing failed in {record.id}", advice="helio runs lists the runs with their status"
            )
        error = failed["error"] or {}
        name = str(failed["step_id"])
        ids = [step["step_id"] for step in record.documents["authored"]["steps"]]
        step_id = next(
            (one for one in ids if name == str(one) or name.startswith((f"{one}[", f"{one}."))), name
        )
        return Failure(
            record.id,
            step_id,
            str(error.get("kind", "")),
            str(error.get("message", "")),
            str(error.get("advice", "")),
            tuple(self._evidence(record, step_id)),
        )

    def _evidence(self, record: RunRecord, step_id: int | str) -> list[str]:
        """What the tables of the run have, and names of the catalogue that come close to the step's own."""
        outputs = [output for step in record.steps for output in step.get("outputs", ())]
        told = [
            f"{one['label']}: {json.dumps({key: one[key] for key in _SHOWN if key in one})}"
            for one in outputs
            if one.get("label")
        ]
        authored = next(one for one in record.documents["authored"]["steps"] if one["step_id"] == step_id)
        args = authored.get("tool_args")
        dataset = args.get("dataset_id") if isinstance(args, dict) else None
        if isinstance(dataset, str) and dataset and dataset not in self._catalogue:
            told.append(f"datasets that come close: {', '.join(closest(dataset, self._catalogue.ids()))}")
        elif isinstance(dataset, str) and dataset:
            names = [one.name for one in self._catalogue.dataset(dataset).parameters]
            told.append(f"parameters of {dataset}: {', '.join(names[:40])}")
        return told
