"""Every error that helio raises on purpose, each with the reader it is for.

::

    HelioError
    ├── RequestError              the user: what was asked for cannot be asked           exit 2
    │   ├── TimeRangeError        a range that is not understood, reversed or empty
    │   ├── UnknownPipeline       no template of that name
    │   ├── UnknownRun            no run of that id, or more than one
    │   ├── UnknownResult         the run made no table or figure of that name; a KeyError too
    │   ├── TooLarge              more to download than the limit allows
    │   ├── LockMismatch          what a run would use is not what its lock says
    │   └── InvalidTemplate       the author: carries every diagnostic found (pipelines/template/diagnostics.py)
    ├── DataError                 whoever chose the data: the archive cannot give it      exit 1
    │   ├── UnknownDataset
    │   ├── UnknownParameter
    │   ├── NoData                nothing in the interval
    │   │   └── NoUsableData      there are records, and every value in them is fill
    │   ├── NotYetPublished       the interval ends after what the provider has
    │   ├── DamagedFile           the file is not what it says it is
    │   ├── ChangedFile           the file was replaced or written to while it was used
    │   ├── Offline               it is not here, and nobody may be asked for it
    │   ├── Refused               the provider refuses for good
    │   │   └── ForeignAddress    a redirect or a listing leads to a host that helio does not ask by itself
    │   │       └── PrivateAddress  a host is on this machine or in the local network, and nobody named it
    │   ├── ReplyTooLarge         a reply is longer, or nested more deeply, than helio reads
    │   └── TransientError        worth another try
    │       ├── ServerUnavailable
    │       ├── TooSlow           the server sends, but more slowly than helio waits for
    │       ├── RateLimited
    │       └── Republished       the data changed at the provider each time they were read
    ├── StepError                 the author: a tool cannot do that with these inputs     exit 1
    │   ├── Mismatch              tables that do not go together, or one that is not what is needed
    │   │   ├── UnitMismatch      nT where km/s is needed, or beside it
    │   │   ├── FrameMismatch     GSE where GSM is needed, or beside it
    │   │   └── ClockMismatch     two tables whose epochs are not the same
    │   ├── CodeRefused           code that says what it may not
    │   ├── CodeFailed            code that raised, or passed one of its limits
    │   ├── BadResult             what code gave is no table: no time index, no numbers
    │   └── NoSandbox             the machine: it lacks what code has to be shut in with
    ├── OutputError               the disk: a file cannot be written                      exit 1
    ├── DamagedObject             the store: an object is gone or not what was put there  exit 1
    │   └── DamagedRecord         a record of helio's own cannot be read, or is not as helio writes it
    ├── ExportError               the machine: a static figure cannot be drawn here       exit 1
    ├── EngineError               the engine's server cannot be started or reached        exit 1
    ├── ModelError                the language model: it did not give what was asked      exit 1
    │   ├── NoKey                 the user: there is no key to ask with
    │   ├── WrongKey              the user: the key is not accepted
    │   ├── UnknownModel          the user: no model of that name, or none for this key
    │   ├── ModelRefused          the question cannot be asked like that
    │   ├── ModelUnavailable      the maker's server, which may recover
    │   │   └── ModelUnreachable  the network: nobody answers at all
    │   ├── QuotaExhausted        the key has asked too much; it may pass
    │   ├── Blocked               the maker's filters stopped question or answer
    │   ├── CutShort              the answer was longer than its limit of tokens
    │   ├── Unreadable            an empty answer, or not the JSON or the call that was asked for
    │   ├── BudgetSpent           the limit of tokens or of time for the whole task is reached
    │   └── TranscriptDiffers     what is asked now is not what the transcript answers
    └── Cancelled                 the user ended the run                                  exit 130
        └── Suspended             the user suspended it on its page

A step knows *what* went wrong and what to *try*; whoever knows the *place* adds it with `located`.
Anything else that is raised is a bug, and shows its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self


def closest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names that a misspelt one comes close to, best first, at most three; case counts for nothing."""
    from difflib import get_close_matches  # only on the way to an error, never at start-up

    folded: dict[str, str] = {}
    for one in known:
        folded.setdefault(one.casefold(), one)
    return tuple(folded[one] for one in get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6))


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """``did you mean 'AC_H0_MFI' or 'AC_H2_MFI'?``, or what else to say where nothing comes close."""
    close = closest(name, known)
    return f"did you mean {' or '.join(repr(one) for one in close)}?" if close else otherwise


def advice_line(advice: str, before: str = "try ") -> str:
    """Return the line that gives an advice below an error; a question begins it itself.

    >>> advice_line("a shorter name"), advice_line("did you mean 'AC_H0_MFI'?")
    ('  try a shorter name', "  Did you mean 'AC_H0_MFI'?")
    """
    return f"  D{advice[1:]}" if advice.startswith("did you mean ") else f"  {before}{advice}"


class HelioError(Exception):
    """What went wrong, where, and what to do about it."""

    def __init__(self, message: str, *, advice: str = "", place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.place = place

    def located(self, place: str) -> Self:
        """Name the place, unless a closer one is already named."""
        self.place = self.place or place
        return self

    def __str__(self) -> str:
        lines = [self.message]
        if self.place:
            lines.append(f"  at   {self.place}")
        if self.advice:
            lines.append(advice_line(self.advice, "try  "))
        return "\n".join(lines)


class RequestError(HelioError):
    """What was asked for cannot be asked."""


class TimeRangeError(RequestError):
    """A time range that is not understood completely, or is reversed, empty or out of bounds."""

    def __init__(self, message: str, *, advice: str = "", place: str = "", empty: bool = False) -> None:
        super().__init__(message, advice=advice, place=place)
        self.empty = empty
        """True when the phrase was understood and its range is reversed or empty (HN703's kind, not HN702's)."""


class UnknownPipeline(RequestError):
    """No template has that name."""


class UnknownRun(RequestError):
    """No run has that id, or more than one begins with it."""


class UnknownResult(RequestError, KeyError):
    """The run made no table or figure of that name; a KeyError too, as mappings raise."""


class TooLarge(RequestError):
    """More would have to be downloaded than the limit allows."""


class LockMismatch(RequestError):
    """What a run would use is not what its lock says."""

    def __init__(
        self, message: str, *, advice: str = "", place: str = "", differences: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, advice=advice, place=place)
        self.differences = differences
        """Each in words, old and new."""


class DataError(HelioError):
    """The provider cannot give what a fetch asks for."""

    cause = ""
    """What stands between this machine and the server, a `helio.sources.connection.Cause`; empty for other errors."""


class UnknownDataset(DataError):
    """The provider has no dataset of that id."""


class UnknownParameter(DataError):
    """The dataset has no such parameter, or it holds text instead of numbers."""


class NoData(DataError):
    """The dataset has no record in the interval."""


class NoUsableData(NoData):
    """There are records in the interval, and every value in them is fill."""


class NotYetPublished(DataError):
    """The interval ends after what the provider has published so far."""


class DamagedFile(DataError):
    """A file is truncated, is not of its kind, or could not be read within its limits."""


class ChangedFile(DataError):
    """A file was replaced or written to between the moment its bytes were named and the end of its reading."""


class Offline(DataError):
    """What is asked for is not on this machine, and the run may ask nobody for it."""


class Refused(DataError):
    """The provider refuses, and will refuse again."""


class ForeignAddress(Refused):
    """A redirect or a listing leads to another host, or to a less safe protocol, than the provider's own."""


class PrivateAddress(ForeignAddress):
    """A host has an address of this machine or of the local network, and the user did not name that host."""


class ReplyTooLarge(DataError):
    """A server sends a longer reply than helio reads, or one that is nested more deeply."""


class TransientError(DataError):
    """The provider failed in a way that may pass."""


class ServerUnavailable(TransientError):
    """The server could not be reached, or answered that it is down."""


class TooSlow(TransientError):
    """The server answers, and too slowly: below the least rate, or beyond the time for a whole reply."""


class RateLimited(TransientError):
    """The server asks for fewer requests."""

    cause = "too many requests"


class Republished(TransientError):
    """The data changed at the provider while they were read, each time they were read."""


class StepError(HelioError):
    """A tool cannot do what it is asked with the inputs it got."""


class Mismatch(StepError):
    """Tables do not go together; a tool knows what their files call them, whoever calls it their labels."""

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
        """The tables that are named, in the order of the wording."""
        self.wording = wording
        """The message, with ``{0}`` and ``{1}`` for what the tables are called."""

    def called(self, names: tuple[str, ...]) -> Self:
        """Call the tables by other names; the tables themselves are let go."""
        if self.wording:
            self.message = self.wording.format(*names)
        self.tables, self.wording = (), ""
        return self


class UnitMismatch(Mismatch):
    """A table has another unit than is needed, or than the table beside it; nothing is converted silently."""


class FrameMismatch(Mismatch):
    """A vector stands in another frame than is needed, or than the vector beside it."""


class ClockMismatch(Mismatch):
    """Two tables that are taken record by record have different epochs."""


class CodeRefused(StepError):
    """Code in a template says what is not on the list of what it may say; it was not run."""


class CodeFailed(StepError):
    """Code in a template raised an error, tried what it may not do, or passed one of its limits."""


class BadResult(StepError):
    """What code in a template gave is no table of numbers over time."""


class NoSandbox(StepError):
    """This machine lacks what code in a template has to be shut in with."""


class OutputError(HelioError):
    """A file cannot be written where it was asked for."""


class DamagedObject(HelioError):
    """What the store holds is gone or is not what was put there; made again, it is put again."""


class DamagedRecord(DamagedObject):
    """A record that helio keeps cannot be read, or is not as helio writes it."""


class ExportError(HelioError):
    """A static figure cannot be drawn on this machine."""


class EngineError(HelioError):
    """The engine's server cannot be started, or does not answer."""


class ModelError(HelioError):
    """A language model did not give what it was asked for."""

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
        """Seconds to wait before another try, where the server says so."""
        self.answer = answer
        """What did come, a `helio.authoring.model.Answer`; its tokens are spent all the same."""


class NoKey(ModelError):
    """There is no key to ask a model with."""


class WrongKey(ModelError):
    """The model's maker does not accept the key."""


class UnknownModel(ModelError):
    """The maker has no model of that name, or not for this key."""


class ModelRefused(ModelError):
    """The maker's server refuses the question as it is put."""


class ModelUnavailable(ModelError):
    """The model is too slow, or its server failed."""


class ModelUnreachable(ModelUnavailable):
    """The model's server cannot be reached, so that no other model of its can be either."""

    cause = ""
    """As of a `DataError`."""


class QuotaExhausted(ModelError):
    """The key has asked for more than its share."""


class Blocked(ModelError):
    """The maker's filters stopped the question or the answer."""


class CutShort(ModelError):
    """The answer breaks off at its limit of tokens."""


class Unreadable(ModelError):
    """The answer is empty, or is not the JSON or the call that was asked for."""

    again = True
    """Whether the same question may bring an answer that can be read."""


class BudgetSpent(ModelError):
    """The tokens or the time allowed for the whole task are spent."""


class TranscriptDiffers(ModelError):
    """What is asked is not what the transcript holds the answer to."""


class Cancelled(HelioError):
    """The run was ended by its user; what is finished is kept."""


class Suspended(Cancelled):
    """The run was suspended on its page; what is finished is kept."""
