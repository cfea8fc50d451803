"""Choose who answers a request, the rules or a language model, and give a model what the user said before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from helio.authoring.documents.source_files import SourceFile
from helio.authoring.gate import Gate
from helio.authoring.memory import Item, Memory, given_to_model
from helio.authoring.models.providers import has_model, is_small, is_wanted
from helio.authoring.models.quoting import data
from helio.authoring.outcome import (
    UNABLE,
    USE_A_MODEL,
    Author,
    Failure,
    NotUnderstood,
    Outcome,
    TemplateDraft,
)
from helio.authoring.proposals.store import Proposals
from helio.authoring.recorded import Records
from helio.authoring.rules.author import RuleAuthor
from helio.errors import RequestError
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.analyses.work import work_of
from helio.pipelines.library import Library
from helio.pipelines.passes.check_quantities import BY_CATALOGUE, SURE
from helio.pipelines.template.document import Document
from helio.settings import Settings
from helio.steps.signature import signatures
from helio.store.runs import Runs

if TYPE_CHECKING:
    from helio.authoring.author import ModelAuthor
    from helio.authoring.models.door import Door

By = Literal["auto", "rules", "model"]
_MOST_REJECTED, _MOST_CHANGES = 5, 10
"""Maximum number of rejected proposals, and of changes of each, that are given to a language model."""
_CLASHES = frozenset({*SURE.values(), *BY_CATALOGUE.values()})
"""Codes for tables that do not fit together. If the rules replace a spacecraft and cause such a code, the
language model makes the change instead."""


class Authors:
    """The rules and, if the user wants one, a language model; each request gets the author that fits it.

    Parameters
    ----------
    settings : Settings
    catalogue : Catalogue
    library : Library
    gate : Gate
    proposals : Proposals
        The proposals so far; a model gets the reasons for which the user rejected some of them.
    now : datetime
        Naive UTC.
    by : "auto", "rules" or "model"
        The author, as for `Desk`.
    ended : threading.Event, optional
        Set this event to cancel a question to a model.
    replay : Path, optional
        A recorded conversation, whose answers are used instead of asking a model.
    """

    def __init__(
        self,
        settings: Settings,
        catalogue: Catalogue,
        library: Library,
        gate: Gate,
        proposals: Proposals,
        *,
        now: datetime,
        by: By,
        ended: threading.Event | None,
        replay: Path | None,
    ) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._library = library
        self._gate = gate
        self._proposals = proposals
        self.memory = Memory(settings.memory)
        self._records = Records(Runs(settings.runs), library, settings.home)
        self._now = now
        self._by = by
        self._ended = ended
        self._replay = replay
        self._pipeline = self._request = ""
        self.rules = RuleAuthor(
            catalogue,
            gate,
            now=now,
            remembered=self.remembered,
            records=self._records,
            servers=settings.servers,
        )
        self.door: Door | None = None
        """The connection to the language model; None until a model is asked."""
        self._model: ModelAuthor | None = None
        self.context = ""
        """Further text for the prompts of a model, quoted as data, such as the conversation so far."""
        self.without_model = "use --author rules for simple requests, without a language model"
        """How the user can do without a language model, for an error of the model."""

    def current(self) -> Author:
        """Return the author of requests without files: the model if the user wants one, otherwise the rules."""
        with_model = self._by == "model" or self._replay is not None
        if self._by == "rules" or not (with_model or is_wanted(self._settings)):
            return self.rules
        if self._model is None:
            from helio.authoring.author import ModelAuthor
            from helio.authoring.discovery import CatalogueTools
            from helio.authoring.models.door import open_door
            from helio.authoring.models.transcript import was_small

            self.door = open_door(self._settings, ended=self._ended, replay=self._replay)
            small = is_small(self._settings) if self._replay is None else was_small(self._replay)
            self.door.transcript.note("clock", now=self._now.isoformat(), small=small)
            self._model = ModelAuthor(
                self.door,
                lambda: CatalogueTools(self._catalogue, self._library, self._settings.runs),
                self._gate,
                now=self._now,
                records=self._records,
                small=small,
            )
        return self._model

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the questions that the model has asked about the request; none if the rules answer it."""
        return () if self._model is None else tuple(self._model.asked)

    def resume(self, asked: Sequence[str]) -> None:
        """Let the model continue a request about which it has asked questions before."""
        self.current()
        if self._model is not None:
            self._model.asked[:] = asked

    def advice_without_model(self) -> str:
        """Return how the user can do without a language model; empty if the user named the model."""
        return self.without_model if self._by != "model" and self._replay is None else ""

    def create(
        self, pipeline: str, request: str, *, chosen: tuple[str, ...], sources: tuple[SourceFile, ...]
    ) -> Outcome:
        """Let an author write a new pipeline; its name may be empty."""
        self._pipeline, self._request = pipeline, request
        return self._with_files(
            sources,
            lambda: self.rules.create(request, chosen=chosen, sources=sources),
            lambda: self._informed().create(request, chosen=chosen, sources=sources),
        )

    def edit(
        self,
        pipeline: str,
        request: str,
        template: Document,
        *,
        chosen: tuple[str, ...],
        sources: tuple[SourceFile, ...],
    ) -> Outcome:
        """Let an author change a template, or answer a question about it."""
        self._pipeline, self._request = pipeline, request
        if sources:
            return self._with_files(
                sources,
                lambda: self.rules.edit(request, template, chosen=chosen, sources=sources),
                lambda: self._informed().edit(request, template, chosen=chosen, sources=sources),
            )
        author = self._informed()
        if author is not self.rules and (draft := self._swapped(request, template)) is not None:
            return draft
        return author.edit(request, template, chosen=chosen)

    def _swapped(self, request: str, template: Document) -> TemplateDraft | None:
        """Return the template with another spacecraft if the rules read that wish, and only that, in a sentence.

        The table of quantities swaps spacecraft better than a model, which gets all other sentences.
        """
        try:
            outcome = self.rules.edit(request, template)
        except UNABLE:
            return None
        return outcome if isinstance(outcome, TemplateDraft) and _is_clean_swap(outcome) else None

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...]) -> Outcome:
        """Repair a template by a rule if a rule applies; otherwise ask the language model for a repair."""
        self._pipeline, self._request = str(template.get("id")), ""
        author = self._informed()
        try:
            outcome = self.rules.repair(template, failure)
        except UNABLE:
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

    def _with_files(
        self, files: tuple[SourceFile, ...], by_rules: Callable[[], Outcome], by_author: Callable[[], Outcome]
    ) -> Outcome:
        """Let the rules draw lists of events; a model gets all other files, and requests that the rules do not read.

        Raises
        ------
        RequestError
            Only a model can read a file, and there is none.
        """
        if not files or self._by == "model" or self._replay is not None:
            return by_author()
        asks_model = self._by != "rules" and has_model(self._settings)
        picture = next((file for file in files if not file.is_text), None)
        if picture is None:
            try:
                return by_rules()
            except RequestError as error:
                if not asks_model or any(file.is_too_long for file in files):
                    raise
                note = f"a model got the files, because the rules could not draw them: {error.message}"
            outcome = by_author()
            if isinstance(outcome, TemplateDraft):
                return replace(outcome, notes=(note, *outcome.notes))
            return outcome
        if not asks_model:
            leave_out = "leave out --author rules, and " if self._by == "rules" else ""
            raise RequestError(
                f"{picture.name} is {picture.kind}, which only a language model reads",
                advice=f"{leave_out}{USE_A_MODEL}; or write its table as CSV, with the columns start, stop and label",
            )
        return by_author()

    def _informed(self) -> Author:
        """Return the author, after giving a model what the user said before: memory, conversation and rejections."""
        author = self.current()
        if self._model is not None:
            self._model.background = self._background()
        return author

    def remembered(self) -> Sequence[Item]:
        """Return what the user told helio to remember about the pipeline and the missions of the request."""
        return self.memory.about(self._pipeline, f"{self._request} {self._pipeline}")

    def _background(self) -> str:
        rejected = [
            {
                "request": proposal.request,
                "changes": [str(change) for change in proposal.changes][:_MOST_CHANGES],
                "rejected because": proposal.because,
            }
            for proposal in self._proposals.list(state="rejected")
            if proposal.because and proposal.pipeline == self._pipeline
        ][:_MOST_REJECTED]
        reasons = data("Earlier proposals that the user rejected", rejected) if rejected else ""
        remembered = [
            f"{item.kind} ({item.scope}): {item.text}" for item in given_to_model(self.remembered())
        ]
        memory = data("What the user told helio to remember", remembered) if remembered else ""
        return "\n\n".join(part for part in (memory, self.context, reasons) if part)


def _is_clean_swap(draft: TemplateDraft) -> bool:
    """Return whether a draft only replaces a spacecraft, and does not combine tables that do not fit together."""
    by_table = draft.attribution.by == "equivalence table"
    return by_table and not any(warning.code in _CLASHES for warning in draft.proved.warnings)
