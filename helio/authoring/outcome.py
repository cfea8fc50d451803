"""What comes of asking an author: a draft, a question back, or words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from helio.authoring.gate import GateResult
from helio.errors import RequestError
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document


class NotUnderstood(RequestError):
    """A request, or a part of it, that an author can make nothing of; nothing was proposed."""


class NotProved(RequestError):
    """An author gave up: nothing that it wrote passed the gate."""

    def __init__(self, message: str, *, diagnostics: tuple[Diagnostic, ...] = (), advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.diagnostics = diagnostics


@dataclass(frozen=True)
class Attribution:
    """Who wrote something, and what it cost.

    Parameters
    ----------
    by : str
        ``"rules"``, ``"equivalence table"``, or the name of a model.
    tokens : int
        Of all calls for it.
    transcript : str
        The id under which the exchange is kept.
    prompt_digest : str
        Of what a model was told first.
    """

    by: str
    tokens: int = 0
    transcript: str = ""
    prompt_digest: str = ""


@dataclass(frozen=True)
class TemplateDraft:
    """A template that passed the gate.

    Parameters
    ----------
    proved : GateResult
        The template and what the gate has to say of it.
    notes : tuple of str
        What was assumed, chosen or left out, in words.
    """

    proved: GateResult
    said: Attribution
    notes: tuple[str, ...] = ()

    @property
    def template(self) -> Document:
        """The template itself."""
        return self.proved.template

    def noting(self, *notes: str) -> TemplateDraft:
        """With more to be told."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True)
class AuthorQuestion:
    """What only the person who asked can say.

    Parameters
    ----------
    text : str
        ``"Which of these is meant?"``
    choices : tuple of str
        The first is the one that ``--yes`` takes.
    """

    text: str
    choices: tuple[str, ...]
    said: Attribution


@dataclass(frozen=True)
class AuthorReply:
    """Words in answer to a question about a pipeline; nothing changes."""

    text: str
    said: Attribution


Outcome = TemplateDraft | AuthorQuestion | AuthorReply


class Author(Protocol):
    """Whoever turns sentences into drafts; proposes, and never executes."""

    def create(self, request: str, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A new template for a request; `chosen` are the answers to the questions asked so far.

        Raises
        ------
        NotUnderstood, NotProved
        ModelError
            The model did not give what was asked.
        """

    def edit(self, request: str, template: Document, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change of a template, or words about it."""

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """A change of a template by which a failed run would go through."""


@dataclass(frozen=True)
class Failure:
    """What went wrong in a run: all that a repair may rest on.

    Parameters
    ----------
    run : str
        Its id.
    step_id : int or str
        The step that failed first.
    kind, message, advice : str
        Of its error.
    evidence : tuple of str
        Facts beside the error, each a line: columns that are there, datasets that come close.
    rejected : tuple of str
        What `work_of` says of repairs that a person turned down.
    """

    run: str
    step_id: int | str
    kind: str
    message: str
    advice: str = ""
    evidence: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
