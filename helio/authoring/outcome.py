"""Define the results of a request in words: a draft of a template, a question to the user, or a reply in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from helio.authoring.documents.source_files import SourceFile
from helio.authoring.gate import GateResult
from helio.errors import RequestError
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.time_range import is_time_range

USE_A_MODEL = "set HELIO_MODEL and its key"
"""The advice where only a language model can do what was requested."""


class NotUnderstood(RequestError):
    """Error: the request, or a part of it, was not understood; nothing was proposed."""


class NotInTable(NotUnderstood):
    """Error for data that are in no row of the table of quantities, but may be in the catalogue.

    Parameters
    ----------
    quantity : str
        What the table lacks; empty for the data of an instrument.
    """

    def __init__(self, message: str, *, quantity: str = "", advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.quantity = quantity


class NotProved(RequestError):
    """Error: no template that was written for the request passed the verification."""

    def __init__(self, message: str, *, diagnostics: tuple[Diagnostic, ...] = (), advice: str = "") -> None:
        super().__init__(message, advice=advice)
        self.diagnostics = diagnostics


LONGEST_FOR_MODEL = 8000
"""Maximum number of characters of a request that a language model or another program gets."""


def require_readable(request: str, longest: int = LONGEST_FOR_MODEL, advice: str = "") -> None:
    """Refuse a request that is empty or too long.

    Raises
    ------
    NotUnderstood
    """
    if not request.strip():
        raise NotUnderstood(
            "the request is empty", advice="write what to plot, such as 'ACE magnetic field for last week'"
        )
    if len(request) > longest:
        raise NotUnderstood(
            f"the request has {len(request)} characters; helio reads at most {longest}", advice=advice
        )


UNABLE = (NotUnderstood, NotProved)
"""Errors of the rules for which a language model may still find an answer."""


@dataclass(frozen=True)
class Attribution:
    """Origin of a template or an answer: rules or a language model, and the number of tokens that were used.

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
    """A template that passed the verification, but is not proposed yet.

    Parameters
    ----------
    proved : GateResult
        The template and its diagnostics.
    notes : tuple of str
        Notes on assumptions, choices and omissions.
    """

    proved: GateResult
    attribution: Attribution
    notes: tuple[str, ...] = ()

    @property
    def template(self) -> Document:
        """Return the verified template."""
        return self.proved.template


@dataclass(frozen=True)
class AuthorQuestion:
    """A question to the user about a request.

    Parameters
    ----------
    text : str
        ``"Which of these is meant?"``
    choices : tuple of str
        Possible answers; ``--yes`` chooses the first.
    """

    text: str
    choices: tuple[str, ...]
    attribution: Attribution

    def choice(self, answer: str) -> str:
        """Return the choice that an answer means: the choice or its name in any case, or its number from 1.

        If the choices are times, any other time is an answer too.

        Raises
        ------
        RequestError
            The answer is none of the choices.
        """
        said = " ".join(answer.split()).casefold()
        if chosen := choice_called(said, self.choices):
            return chosen
        if said.isdecimal() and 1 <= int(said) <= len(self.choices):
            return self.choices[int(said) - 1]
        if is_other_time(answer, self.choices):
            return answer
        other = ", or write another time" if all(map(is_time_range, self.choices)) else ""
        raise RequestError(
            f"'{answer}' is not one of the choices of the question '{self.text}'",
            advice=f"choose one of {', '.join(self.choices)}{other}",
        )


def choice_called(answer: str, choices: Sequence[str]) -> str:
    """Return the choice that an answer is, or of which it is the name before a colon; empty if there is none.

    >>> choice_called("n_elec", ("N_elec: electron density", "T_elec: electron temperature"))
    'N_elec: electron density'
    """
    for whole in (True, False):
        for choice in choices:
            name = choice if whole else choice.partition(": ")[0]
            if " ".join(name.split()).casefold() == answer.casefold():
                return choice
    return ""


def is_other_time(answer: str, choices: Sequence[str]) -> bool:
    """Return whether an answer is a time, and all choices are times: then it need not be one of them."""
    return is_time_range(answer) and all(map(is_time_range, choices))


@dataclass(frozen=True)
class AuthorReply:
    """A reply in words to a question about a pipeline; the pipeline stays unchanged."""

    text: str
    attribution: Attribution


Outcome = TemplateDraft | AuthorQuestion | AuthorReply


class Author(Protocol):
    """Interface of the writers of templates, by rules or with a language model; a writer runs nothing."""

    def create(
        self, request: str, *, chosen: tuple[str, ...] = (), sources: tuple[SourceFile, ...] = ()
    ) -> Outcome:
        """Write a template for a request; `chosen` contains the user's answers so far, `sources` the files.

        Raises
        ------
        NotUnderstood, NotProved
        ModelError
            The model gave no usable answer.
        """

    def edit(
        self,
        request: str,
        template: Document,
        *,
        chosen: tuple[str, ...] = (),
        sources: tuple[SourceFile, ...] = (),
    ) -> Outcome:
        """Change a template, or answer a question about the template."""

    def repair(self, template: Document, failure: Failure, *, chosen: tuple[str, ...] = ()) -> Outcome:
        """Change a template so that its failed run can succeed."""


@dataclass(frozen=True)
class Failure:
    """A failed run: the failed step, its error, and all facts that a repair may use.

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
    statistics : tuple of dict
        Statistics of the run's tables, from `column_statistics`; empty unless the settings allow a model to get them.
    """

    run: str
    step_id: int | str
    kind: str
    message: str
    advice: str = ""
    evidence: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    statistics: tuple[Mapping[str, Any], ...] = ()
