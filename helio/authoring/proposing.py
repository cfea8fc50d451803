"""Turn the draft of an author into a proposal, with notes and warnings for the user; keep failures as proposals too."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.choice_of_author import Authors
from helio.authoring.comparison.differences import differences
from helio.authoring.documents.source_files import SourceFile
from helio.authoring.gate import datasets_by_fetch
from helio.authoring.memory import pitfall_notes, with_names
from helio.authoring.outcome import Attribution, NotProved, NotUnderstood, TemplateDraft
from helio.authoring.proposals.store import Proposal, Proposals
from helio.errors import ModelError
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import Kind
from helio.pipelines.library import Entry
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document, as_text
from helio.pipelines.template.splice import splice


@dataclass(frozen=True)
class Assignment:
    """A request to handle: its kind, its words, the failed run to repair, if any, and the files that came with it."""

    kind: Kind
    request: str
    run: str = ""
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class Aim:
    """What a request changes: a pipeline of the library, a pending proposal, or neither for a run's own template."""

    name: str
    text: str
    template: Document
    entry: Entry | None = None
    proposal: Proposal | None = None

    @property
    def is_fixed(self) -> bool:
        """Return whether the pipeline comes with helio."""
        return self.entry is not None and self.entry.shipped


class Proposer:
    """Writer of proposals, from drafts and from failures.

    Parameters
    ----------
    proposals : Proposals
    catalogue : Catalogue
    authors : Authors
        Their connection to a language model, if any, says which model failed and what it cost.
    now : datetime
        Naive UTC.
    archive : str
        The archive to use in runs: a folder, or ``"sample"``; empty for none.
    """

    def __init__(
        self, proposals: Proposals, catalogue: Catalogue, authors: Authors, *, now: datetime, archive: str
    ) -> None:
        self._proposals = proposals
        self._catalogue = catalogue
        self._authors = authors
        self._now = now
        self._archive = archive
        self.kept: list[str] = []
        """Ids of the proposals that were saved, including failed proposals."""

    def change(self, task: Assignment, draft: TemplateDraft, aim: Aim, *, copy: str) -> Proposal:
        """Propose a change to a pipeline or to a proposal, or propose a changed copy."""
        if copy or (aim.entry is None and aim.proposal is None):
            after = as_text({**draft.template, "id": copy})
            return self._propose(task, copy, draft, after=after, base=aim.text)
        after = splice(aim.text, aim.template, draft.template)
        on = "" if aim.proposal is None else aim.proposal.id
        return self._propose(task, aim.name, draft, before=aim.text, after=after, on=on)

    def new(self, task: Assignment, name: str, draft: TemplateDraft) -> Proposal:
        """Propose a new pipeline with this name."""
        return self._propose(task, name, draft, after=as_text({**draft.template, "id": name}))

    @contextmanager
    def recording(self, task: Assignment, pipeline: str, *, before: str = "") -> Iterator[None]:
        """Save a failure as a failed proposal; do not save it if only the rules failed to understand the request."""
        try:
            yield
        except (NotProved, NotUnderstood, ModelError) as error:
            door = self._authors.door
            if door is None and isinstance(error, NotUnderstood):
                raise
            findings = error.diagnostics if isinstance(error, NotProved) else ()
            attribution = Attribution("rules")
            if door is not None:
                model = door.answered_by or door.name("smart")
                attribution = Attribution(model, door.usage.total, door.transcript.id)
            texts = {"before": before, "after": ""}
            kept = self._keep(task, pipeline, attribution, (error.message,), findings, texts)
            error.place = error.place or f"failed proposal {kept.id}"
            if isinstance(error, ModelError):
                advice = (error.advice, self._authors.advice_without_model())
                error.advice = "; ".join(part for part in advice if part)
            raise

    def _propose(
        self,
        task: Assignment,
        pipeline: str,
        draft: TemplateDraft,
        *,
        after: str,
        before: str = "",
        base: str = "",
        on: str = "",
    ) -> Proposal:
        fetched = {dataset for datasets in datasets_by_fetch(json.loads(after)) for dataset in datasets}
        notes = (
            *draft.notes,
            *pitfall_notes(fetched, (*self._authors.remembered(), *self._authors.memory.of_missions())),
            *self._rejection_notes(pipeline, after),
            *self._archive_notes(pipeline, after),
        )
        findings = (*self._differences(task, draft, before or base), *draft.proved.warnings)
        texts = {"before": before, "after": after, "base": base}
        return self._keep(task, pipeline, draft.attribution, notes, findings, texts, on)

    def _differences(self, task: Assignment, draft: TemplateDraft, before: str) -> tuple[Diagnostic, ...]:
        """Compare the request with the draft; a repair has no sentence to compare."""
        if task.run:
            return ()
        old = parse(before).plan if before else None
        request, _ = with_names(task.request, self._authors.remembered())
        return differences(request, draft.template, self._catalogue, self._now, before=old)

    def _keep(
        self,
        task: Assignment,
        pipeline: str,
        attribution: Attribution,
        notes: tuple[str, ...],
        findings: tuple[Diagnostic, ...],
        texts: Mapping[str, str],
        on: str = "",
    ) -> Proposal:
        proposal = self._proposals.add(
            kind=task.kind,
            pipeline=pipeline,
            request=task.request,
            run=task.run,
            on=on,
            notes=notes,
            diagnostics=tuple(finding.to_json() for finding in findings),
            documents=tuple(file.to_json() for file in task.files),
            **texts,
            **vars(attribution),
        )
        self.kept.append(proposal.id)
        return proposal

    def _rejection_notes(self, pipeline: str, text: str) -> Iterator[str]:
        """Say if the user rejected the same pipeline before, and why."""
        for proposal in self._proposals.list(state="rejected"):
            if proposal.because and proposal.pipeline == pipeline and proposal.after == text:
                yield f"you rejected the same change before: {proposal.because}"
                return

    def _archive_notes(self, pipeline: str, text: str) -> Iterator[str]:
        """Say which datasets of a template the user's archive has, and how to run the template with this archive."""
        if not self._archive:
            return
        fetches = list(datasets_by_fetch(json.loads(text)))
        fetched = dict.fromkeys(dataset for datasets in fetches for dataset in datasets)
        present = [dataset for dataset in fetched if self._catalogue.in_archive(dataset)]
        lacking = [datasets for datasets in fetches if not set(datasets) & set(present)]
        needed = {dataset for datasets in lacking for dataset in datasets if not dataset.startswith("$")}
        absent = [dataset for dataset in fetched if dataset in needed]
        further = [dataset for dataset in fetched if dataset not in {*present, *absent} and dataset[0] != "$"]
        named = shlex.quote(self._archive)
        if present:
            use = f"helio run {pipeline} --archive {named}"
            yield f"the archive {self._archive} has {', '.join(present)}; to use it: {use}"
        if further:
            comes = "come" if len(further) > 1 else "comes"
            yield f"{', '.join(further)} of CDAWeb {comes} after what the archive {self._archive} has"
        if absent:
            yield (
                f"the archive {self._archive} lacks {', '.join(absent)}; a run with --archive {named} cannot fetch "
                f"{'them' if len(absent) > 1 else 'it'}"
            )
