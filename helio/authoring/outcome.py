"""Define what an author returns: a draft, a question, or a reply in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from helio.authoring.gate import GateResult
from helio.errors import RequestError
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document


class NotUnderstood(RequestError):
    """The author does not understand the request, or a part of it; nothing was proposed."""


class NotProved(RequestError):
    """No template that the author wrote passed verification."""

    def __init__(self, message: str, *, diagnostics: tuple[Diagnostic, ...] = (), advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.diagnostics = diagnostics


@dataclass(frozen=True)
class Attribution:
    """Who wrote a template or an answer, and the cost.

    Parameters
    ----------
    by : str
        ``"rules"``, ``"equivalence table"``, or the name of a model.
    tokens : int
        Tokens that all questions used.
    transcript : str
        The id of the transcript, the record of the conversation.
    prompt_digest : str
        The digest of the first prompt.
    """

    by: str
    tokens: int = 0
    transcript: str = ""
    prompt_digest: str = ""


@dataclass(frozen=True)
class TemplateDraft:
    """A template that passed verification, not yet proposed.

    Parameters
    ----------
    proved : GateResult
        The template and its diagnostics.
    notes : tuple of str
        Notes on assumptions, choices and omissions.
    """

    proved: GateResult
    said: Attribution
    notes: tuple[str, ...] = ()

    @property
    def template(self) -> Document:
        """The template."""
        return self.proved.template


@dataclass(frozen=True)
class AuthorQuestion:
    """A question to the user.

    Parameters
    ----------
    text : str
        ``"Which of these is meant?"``
    choices : tuple of str
        Possible answers; ``--yes`` chooses the first.
    """

    text: str
    choices: tuple[str, ...]
    said: Attribution


@dataclass(frozen=True)
class AuthorReply:
    """An answer in words to a question about a pipeline; the pipeline stays unchanged."""

    text: str
    said: Attribution


Outcome = TemplateDraft | AuthorQuestion | AuthorReply


class Author(Protocol):
    """Interface of authors, which turn sentences into templates and run nothing."""

    def create(self, request: str, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Write a template for a request; `chosen` has the user's answers so far.

        Raises
        ------
        NotUnderstood, NotProved
        ModelError
            The model gave no usable answer.
        """

    def edit(self, request: str, template: Document, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Change a template, or answer a question about it."""

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Change a template so that its failed run can succeed."""


@dataclass(frozen=True)
class Failure:
    """The failure of a run, with all facts that a repair may use.

    Parameters
    ----------
    run : str
        The id of the run.
    step_id : int or str
        The step that failed first.
    kind, message, advice : str
        The error of the step.
    evidence : tuple of str
        Further facts, one per line, such as the components of tables and similar names of datasets.
    rejected : tuple of str
        Digests of the repairs that a person rejected, from `work_of`.
    """

    run: str
    step_id: int | str
    kind: str
    message: str
    advice: str = ""
    evidence: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
