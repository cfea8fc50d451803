"""Define every error that helio raises on purpose; the tree of errors shows who can correct each error.

::

    HelioError
    ├── RequestError              the user: the request is not possible                  exit 2
    │   ├── TimeRangeError        a range that is not understood, reversed or empty
    │   ├── UnknownPipeline       no template of that name
    │   ├── UnknownRun            no run of that id, or more than one
    │   ├── UnknownResult         the run made no table or figure of that name; a KeyError too
    │   ├── TooLarge              more to download than the limit allows
    │   ├── LockMismatch          the data of a run differ from its lock
    │   └── InvalidTemplate       the author: carries every diagnostic found (pipelines/template/diagnostics.py)
    ├── RunFailed                 a run failed: has the run, and the error of the failed step   exit 1
    ├── DataError                 the user who chose the data: not in the archive         exit 1
    │   ├── UnknownDataset
    │   ├── UnknownParameter
    │   ├── NoData                nothing in the interval
    │   │   └── NoUsableData      there are records, but every value in them is fill
    │   ├── NotYetPublished       the interval ends after the provider's last record
    │   ├── DamagedFile           the file is damaged, or not of its kind
    │   ├── ChangedFile           the file was replaced or modified while it was used
    │   ├── Offline               the data are not on this machine, and the network may not be used
    │   ├── Refused               the provider refuses for good
    │   │   └── ForeignAddress    a redirect or a listing leads to a host that is not permitted
    │   │       └── PrivateAddress  a host is on this machine or in the local network, and not permitted
    │   ├── ReplyTooLarge         a reply is too long or too deeply nested
    │   └── TransientError        worth another try
    │       ├── ServerUnavailable
    │       ├── TooSlow           the server sends too slowly
    │       ├── RateLimited
    │       └── Republished       the data changed at the provider each time they were read
    ├── StepError                 the author: a tool cannot do that with these inputs     exit 1
    │   ├── Mismatch              tables that do not fit together, or one that does not fit the tool
    │   │   ├── UnitMismatch      nT where km/s is needed, or together with it
    │   │   ├── FrameMismatch     GSE where GSM is needed, or together with it
    │   │   └── ClockMismatch     two tables whose epochs are not the same
    │   ├── CodeRefused           code that uses something not allowed
    │   ├── CodeFailed            code that raised an error, or exceeded a limit
    │   ├── BadResult             a result of code that is no table: no time index, no numbers
    │   ├── WorkerKilled          the machine: it killed the process of the step; worth another try
    │   └── NoSandbox             the machine: it lacks a part of the sandbox
    ├── OutputError               the disk: a file cannot be written                      exit 1
    ├── DamagedObject             the store: an object is missing or damaged              exit 1
    │   └── DamagedRecord         a record of helio is damaged
    ├── ExportError               the machine: a static figure cannot be drawn here       exit 1
    ├── EngineError               the engine's server cannot be started or reached        exit 1
    ├── ModelError                the language model did not give a usable answer         exit 1
    │   ├── NoKey                 the user: there is no key for the model
    │   ├── WrongKey              the user: the key is not accepted
    │   ├── UnknownModel          the user: no model of that name, or none for this key
    │   ├── ModelRefused          the server refuses the form of the question
    │   ├── ModelUnavailable      the model's server fails, perhaps temporarily
    │   │   └── ModelUnreachable  the network: the server does not answer
    │   ├── QuotaExhausted        the quota of the key is used up, perhaps temporarily
    │   ├── Blocked               the model's filters stopped question or answer
    │   ├── CutShort              the answer was longer than its limit of tokens
    │   ├── Unreadable            an empty answer, or not the requested JSON or call
    │   ├── BudgetSpent           the limit of tokens or of time for the whole task is reached
    │   └── TranscriptDiffers     the transcript has no answer to this question
    └── Cancelled                 the user ended the run                                  exit 130
        └── Suspended             the user suspended it on its page

A step knows *what* went wrong and what to *try*; the code that knows the *place* adds it with `located`.
Anything else that is raised is a bug, and shows its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> tuple[str, ...]:
    """Return at most three known names that are closest to a misspelt name, best first, ignoring case.

    `cutoff` is the least likeness, from 0 to 1.
    """
    from difflib import get_close_matches  # only on the way to an error, never at start-up

    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.casefold(), candidate)
    matches = get_close_matches(name.casefold(), list(folded), n=3, cutoff=cutoff)
    return tuple(folded[close_name] for close_name in matches)


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "", cutoff: float = 0.6) -> str:
    """Return ``did you mean 'AC_H0_MFI' or 'AC_H2_MFI'?`` with the closest names; if none is close, `otherwise`."""
    close = closest(name, known, cutoff=cutoff)
    return f"did you mean {' or '.join(repr(close_name) for close_name in close)}?" if close else otherwise


def advice_line(advice: str) -> str:
    """Return the line with advice to print below an error.

    >>> advice_line("choose a shorter name")
    '  help: choose a shorter name'
    """
    return f"  help: {advice}"


class HelioError(Exception):
    """Base class of helio's errors: what is wrong, where, and what to do."""

    def __init__(self, message: str, *, advice: str = "", place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.place = place

    def located(self, place: str) -> Self:
        """Set the place of the error, unless a more exact place is set already; return the error itself."""
        self.place = self.place or place
        return self

    def __str__(self) -> str:
        lines = [self.message]
        if self.place:
            lines.append(f"  at:   {self.place}")
        if self.advice:
            lines.append(advice_line(self.advice))
        return "\n".join(lines)


class RequestError(HelioError):
    """The user's request cannot be carried out as it is written."""


class TimeRangeError(RequestError):
    """A time range is not understood completely, or it is reversed, empty or outside the years that helio accepts."""

    def __init__(self, message: str, *, advice: str = "", place: str = "", empty: bool = False) -> None:
        super().__init__(message, advice=advice, place=place)
        self.empty = empty
        """Whether the phrase was understood, but is reversed or empty (code HN703 instead of HN702)."""


class UnknownPipeline(RequestError):
    """No pipeline has this name."""

    def __init__(self, message: str, *, advice: str = "", place: str = "", name: str = "") -> None:
        super().__init__(message, advice=advice, place=place)
        self.name = name
        """The unknown name; empty if the user gave the path of a file."""


class UnknownRun(RequestError):
    """No run has this id, or the ids of several runs begin with it."""


class UnknownResult(RequestError, KeyError):
    """The run made no table or figure with this name. Also a KeyError, because results can be used like a dict."""


class TooLarge(RequestError):
    """The run needs a larger download than the limit allows."""


class LockMismatch(RequestError):
    """The data of a run differ from the data that its lock file lists."""

    def __init__(
        self, message: str, *, advice: str = "", place: str = "", differences: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, advice=advice, place=place)
        self.differences = differences
        """The differences in words, each with the old and the new value."""


class RunFailed(HelioError):
    """A run ended as failed; the message names the failed step and the reason."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        place: str = "",
        run: Any = None,
        error: HelioError | None = None,
    ) -> None:
        super().__init__(message, advice=advice, place=place)
        self.run = run
        """The failed `helio.pipelines.runs.outcome.Run`, with the results of the steps that succeeded."""
        self.error = error
        """The error of the failed step; None if no step failed, but a file could not be written."""


class DataError(HelioError):
    """The data provider cannot deliver what a fetch requests."""

    cause = ""
    """What prevents a connection from this machine to the server, one of
    `helio.sources.connection.Cause`; otherwise empty."""


class UnknownDataset(DataError):
    """The data provider has no dataset with this id."""


class UnknownParameter(DataError):
    """The dataset has no parameter with this name, or the parameter contains text instead of numbers."""


class NoData(DataError):
    """The dataset has no records in the time range."""


class NoUsableData(NoData):
    """The dataset has records in the time range, but all their values are fill values."""


class NotYetPublished(DataError):
    """The time range ends after the last data that the provider has published."""


class DamagedFile(DataError):
    """A file is incomplete, is not of the expected kind, or could not be read within the limits."""


class ChangedFile(DataError):
    """A file was replaced or modified while helio was reading it."""


class Offline(DataError):
    """Data that are needed are not on this machine, and the run may not use the network."""


class Refused(DataError):
    """The provider refuses the request, and would refuse it again."""


class ForeignAddress(Refused):
    """A redirect or a listing leads to a host that does not belong to the provider, or to a less safe protocol."""


class PrivateAddress(ForeignAddress):
    """A host name leads to this machine or to the local network, and the user has not permitted this host."""


class ReplyTooLarge(DataError):
    """A server sends a reply that is too long or too deeply nested."""


class TransientError(DataError):
    """The provider could not answer this time, but another attempt may succeed."""


def may_pass(kind: str) -> bool:
    """Return whether the same work may succeed later, from the name of an error's class, as records keep it.

    >>> may_pass("ServerUnavailable"), may_pass("OutputError"), may_pass("UnitMismatch")
    (True, True, False)
    """
    error = globals().get(kind)
    return isinstance(error, type) and issubclass(error, (TransientError, WorkerKilled, OutputError))


class ServerUnavailable(TransientError):
    """The server could not be reached, or answered that it is down."""


class TooSlow(TransientError):
    """The server answers too slowly: below the minimum rate, or not within the maximum time for a reply."""


class RateLimited(TransientError):
    """The server refuses requests for some time, because it has received too many."""

    cause = "too many requests"


class Republished(TransientError):
    """The data changed at the provider each time helio tried to read them."""


class StepError(HelioError):
    """A tool cannot work with its inputs or arguments."""


class Mismatch(StepError):
    """Tables do not fit together, or a table does not fit the tool that reads it."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        place: str = "",
        tables: tuple[object, ...] = (),
        wording: str = "",
    ) -> None:
        super().__init__(message, advice=advice, place=place)
        self.tables = tables
        """The tables that the message is about, in the order of the placeholders in `wording`."""
        self.wording = wording
        """The message, with ``{0}`` and ``{1}`` instead of the names of the tables."""

    def called(self, names: tuple[str, ...]) -> Self:
        """Replace the names of the tables in the message, for instance by their labels; return the error itself."""
        if self.wording:
            self.message = self.wording.format(*names)
        self.tables, self.wording = (), ""
        return self


class UnitMismatch(Mismatch):
    """A table's unit differs from the unit that a tool needs, or from another table's; only steps convert units."""


class FrameMismatch(Mismatch):
    """A vector's frame differs from the frame that a tool needs, or from the frame of another vector."""


class ClockMismatch(Mismatch):
    """Two tables with different epochs cannot be combined record by record."""


class CodeRefused(StepError):
    """Code in a template uses a function or a name that is not allowed; helio did not run the code."""


class CodeFailed(StepError):
    """Code in a template raised an error, attempted a forbidden operation, or exceeded a limit."""


class BadResult(StepError):
    """The result of code in a template is not a table of numbers over time."""


class WorkerKilled(StepError):
    """The process of a step was killed from outside, for example because the machine had no memory left."""


class NoSandbox(StepError):
    """This machine lacks a part of the sandbox that is needed to run code in templates."""


class OutputError(HelioError):
    """A file cannot be written at the requested path, or a disk is full."""


class DamagedObject(HelioError):
    """An object is missing from the store or damaged there; recomputing stores it again."""


class DamagedRecord(DamagedObject):
    """A file that helio wrote, such as a run record, cannot be read or does not have the form that helio writes."""


class ExportError(HelioError):
    """A static figure cannot be drawn on this machine."""


class EngineError(HelioError):
    """The engine's server cannot be started, or does not answer."""


class ModelError(HelioError):
    """A language model did not give a usable answer."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        place: str = "",
        wait: float | None = None,
        answer: Any = None,
    ) -> None:
        super().__init__(message, advice=advice, place=place)
        self.wait = wait
        """Seconds to wait before another attempt; None if the language model's server does not state a time."""
        self.answer = answer
        """The unusable `helio.authoring.models.model.ModelAnswer`, which cost tokens; None if no answer arrived."""


class NoKey(ModelError):
    """No API key for a language model is set in the environment."""


class WrongKey(ModelError):
    """The language model's server does not accept the API key."""


class UnknownModel(ModelError):
    """The language model is unknown, or the API key may not use it."""


class ModelRefused(ModelError):
    """The language model's server refuses the question because of its form."""


class ModelUnavailable(ModelError):
    """The language model answers too slowly, or its server failed."""


class ModelUnreachable(ModelUnavailable):
    """The language model's server cannot be reached, so helio cannot use the other models of this server either."""

    cause = ""
    """What prevents a connection from this machine to the server, as in `DataError`."""


class QuotaExhausted(ModelError):
    """The quota of the API key is used up."""


class Blocked(ModelError):
    """The language model's filters blocked the question or the answer."""


class CutShort(ModelError):
    """The language model's answer ends early, because it reached the maximum number of tokens."""


class Unreadable(ModelError):
    """The language model's answer is empty, or is not the requested JSON or function call."""

    again = True
    """Whether the language model may give a readable answer if helio repeats the question."""


class BudgetSpent(ModelError):
    """The request has used all tokens, or all the time, that it may use."""


class TranscriptDiffers(ModelError):
    """The recorded conversation contains no answer to a question."""


class Cancelled(HelioError):
    """The user ended the run; the results of finished steps are kept."""


class Suspended(Cancelled):
    """The user suspended the run on its Prefect page; the results of finished steps are kept."""
