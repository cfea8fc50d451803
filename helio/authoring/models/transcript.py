"""Record the conversation with a language model while it happens, and use the recorded answers again later."""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from helio import __version__, errors
from helio.authoring.models.model import (
    Ask,
    ModelAnswer,
    Role,
    Usage,
    answer_to_json,
    ask_to_json,
    canonical_json,
)
from helio.authoring.models.scrub import Scrub
from helio.clock import Clock
from helio.counts import number_of
from helio.errors import Cancelled, DamagedRecord, HelioError, ModelError, RequestError, TranscriptDiffers
from helio.store.files import is_file, unwritable, user_path, write_all
from helio.store.records import Count, WrongShape, convert, parse_record, read_bytes

_MOST_SHOWN = 120
LARGEST = 1024**3
"""Maximum number of bytes of a transcript."""


class Transcript:
    """File that records a conversation with a language model as lines of JSON; a crash loses at most the last line.

    Kinds of lines: ``begin``, ``ask``, ``attempt`` (a failed attempt), ``fallback``, ``answer`` or ``error`` (how the
    question ended), ``end``, and any other kind given to `note`. Lines about a question have its number ``n``. Keys
    are removed from all lines.

    Parameters
    ----------
    path : Path
        A new file; its folder is created.
    scrub : Scrub
        Removes the keys.
    clock : Clock
    is_new : bool
        Whether to create the file; otherwise lines are added to it.

    Raises
    ------
    OutputError
        The file cannot be written.
    """

    def __init__(
        self, path: Path, *, scrub: Scrub | None = None, clock: Clock | None = None, is_new: bool = True
    ) -> None:
        self.path = path
        self.scrub = scrub or Scrub()
        self.clock = clock or Clock()
        self._lock = threading.Lock()
        if not is_new:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # private: the words of its user
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise unwritable(path, error) from error
        self.note("begin", id=self.id, helio=__version__)

    @classmethod
    def begin(cls, folder: Path, *, scrub: Scrub | None = None, clock: Clock | None = None) -> Transcript:
        """Create a transcript in a folder; the file name has the time and a random part."""
        now = (clock or Clock()).utc()
        name = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}.jsonl"
        return cls(folder / name, scrub=scrub, clock=clock)

    @property
    def id(self) -> str:
        """Return the file name without its ending, such as ``20261120T143000-1f2e3d``."""
        return self.path.stem

    def note(self, kind: str, **facts: Any) -> None:
        """Write one line: its kind, the present time and the given facts; cut off half a line that a crash left.

        Raises
        ------
        OutputError
            The file cannot be written; its earlier lines are complete.
        """
        at = datetime.fromtimestamp(self.clock.now(), UTC).isoformat(timespec="milliseconds")
        facts = self.scrub.json({"kind": kind, "at": at.replace("+00:00", "Z"), **facts})
        line = (json.dumps(facts, ensure_ascii=False, allow_nan=False) + "\n").encode(
            errors="backslashreplace"
        )
        with self._lock:
            try:
                descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
                try:
                    before = _cut_half_line(descriptor)
                    try:
                        write_all(descriptor, line)
                    except BaseException:
                        os.ftruncate(descriptor, before)
                        raise
                finally:
                    os.close(descriptor)
            except OSError as error:
                raise unwritable(self.path, error) from error

    def asked(self, n: int, ask: Ask) -> None:
        """Write a question to the language model into the transcript."""
        self.note("ask", n=n, digest=ask.digest(), ask=ask_to_json(ask))

    def answered(self, n: int, answer: ModelAnswer, *, seconds: float, attempts: int, spent: Usage) -> None:
        """Write an answer of the language model into the transcript; `spent` is the number of tokens used so far."""
        self._ended("answer", answer_to_json(answer), n, seconds, attempts, spent)

    def failed(self, n: int, error: BaseException, *, seconds: float, attempts: int, spent: Usage) -> None:
        """Write the error of a question that failed in all attempts into the transcript."""
        self._ended("error", error_to_json(error), n, seconds, attempts, spent)

    def _ended(self, kind: str, value: Any, n: int, seconds: float, attempts: int, spent: Usage) -> None:
        self.note(kind, n=n, **{kind: value}, seconds=round(seconds, 3), attempts=attempts, spent=spent.total)


def _cut_half_line(descriptor: int) -> int:
    """Cut off a last line that was not written completely, and return the number of bytes of the complete lines."""
    size = os.fstat(descriptor).st_size
    if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
        return size
    complete = os.pread(descriptor, size, 0).rfind(b"\n") + 1
    os.ftruncate(descriptor, complete)
    return complete


def find_transcript(name: str | Path, folder: Path) -> Path:
    """Find a transcript by its path, or by its id in the folder of all transcripts.

    Raises
    ------
    RequestError
        The transcript does not exist.
    """
    path = user_path(name)
    kept = folder / f"{path.name}.jsonl"
    transcript = path if is_file(path) else kept
    if not is_file(transcript):
        raise RequestError(
            f"no transcript is called '{name}'",
            advice=f"give a file, or the name of a transcript in {folder}",
        )
    return transcript


def clock_of(path: Path) -> str | None:
    """Return when the recorded conversation began, as ISO 8601 text; return None if the transcript does not say.

    Raises
    ------
    RequestError
        The file is not a transcript.
    """
    for line in read_lines(path):
        now = line.get("now")
        if line["kind"] == "clock" and isinstance(now, str):
            return now
    return None


def was_small(path: Path) -> bool:
    """Return whether the recorded conversation was one with a small model, which fills in a typed request.

    Raises
    ------
    RequestError
        The file is not a transcript.
    """
    return any(line["kind"] == "clock" and line.get("small") is True for line in read_lines(path))


class TranscriptLine(TypedDict):
    """One line of a transcript; ``kind`` decides which other keys the line has."""

    kind: str


class _AskLine(TranscriptLine):
    """Line of a transcript with a question to the language model."""

    n: Count
    ask: dict[str, Any]
    digest: str


class _NumberedLine(TranscriptLine):
    """Line of a transcript that belongs to a question, which it names by its number."""

    n: Count


class _EndLine(_NumberedLine, total=False):
    """Line of a transcript with which a question ends: an answer or an error."""

    answer: ModelAnswer
    error: WrittenError


class _BareError(TypedDict):
    """Keys that every error in a transcript has."""

    kind: str


class WrittenError(_BareError, total=False):
    """An error, as written in a transcript."""

    message: str
    advice: str
    wait: float | None
    answer: ModelAnswer | None
    again: bool


@dataclass(frozen=True)
class Exchange:
    """A recorded question to the language model, with the model's answer or the error that occurred."""

    n: int
    ask: Mapping[str, Any]
    digest: str
    answer: ModelAnswer | None = None
    error: WrittenError | None = None


def read_lines(path: Path) -> list[TranscriptLine]:
    """Read the lines of a transcript; leave out a last line that was not written completely.

    Raises
    ------
    RequestError
        The file does not exist, or is not a transcript.
    """
    try:
        *lines, _ = read_bytes(path, largest=LARGEST).split(b"\n")
        records = [
            parse_record(line, TranscriptLine, f"line {number}", half_characters=True)
            for number, line in enumerate(lines, start=1)
        ]
    except FileNotFoundError as error:
        raise RequestError(f"the transcript {path} cannot be read: it does not exist") from error
    except DamagedRecord as error:
        raise RequestError(f"{path} is not a transcript: {error.message}") from error
    if not records:
        raise RequestError(f"{path} is not a transcript: it has no complete line")
    return records


def read_exchanges(path: Path) -> tuple[Exchange, ...]:
    """Read the questions in a transcript, each with its answer or its error.

    Raises
    ------
    RequestError
        The file does not exist, or is not a transcript.
    """
    exchanges: dict[int, Exchange] = {}
    for line in read_lines(path):
        try:
            if line["kind"] == "ask":
                question: _AskLine = convert(line, _AskLine)
                exchanges[question["n"]] = Exchange(question["n"], question["ask"], question["digest"])
            elif line["kind"] in ("answer", "error"):
                ended: _EndLine = convert(line, _EndLine)
                before = exchanges.get(ended["n"])
                if before is None or ((line["kind"] == "answer") != ("answer" in ended)):
                    raise WrongShape(f"{line['kind']} {ended['n']} belongs to no question, or is empty")
                exchanges[ended["n"]] = replace(before, answer=ended.get("answer"), error=ended.get("error"))
        except WrongShape as error:
            raise RequestError(
                f"{path} is not a transcript that this version of helio can read: {error}"
            ) from error
    return tuple(exchanges[n] for n in sorted(exchanges))


class Replay:
    """Stand-in for a language model that gives recorded answers, in order, and only to the recorded questions.

    Parameters
    ----------
    path : Path

    Raises
    ------
    RequestError
        The transcript does not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges = read_exchanges(path)
        self._next = 0
        self._lock = threading.Lock()

    def name(self, role: Role) -> str:
        """Return the name of the transcript; each recorded answer contains the name of its language model."""
        del role
        return f"transcript {self._path.stem}"

    def ask(self, ask: Ask) -> ModelAnswer:
        """Return the recorded answer to a question, or raise the recorded error.

        Raises
        ------
        TranscriptDiffers
            The question is not the recorded one.
        """
        with self._lock:
            number, self._next = self._next, self._next + 1
        if number >= len(self._exchanges):
            raise TranscriptDiffers(
                f"the transcript {self._path.stem} has no question {number + 1}",
                advice="to ask the model itself, leave out the transcript",
            )
        then = self._exchanges[number]
        if then.digest != ask.digest():
            raise TranscriptDiffers(
                f"question {then.n} differs from the transcript {self._path.stem}: "
                + _difference(
                    json.loads(canonical_json(then.ask)), json.loads(canonical_json(ask_to_json(ask)))
                ),
                advice="to ask the model itself, leave out the transcript",
            )
        if then.answer is not None:
            return then.answer
        if then.error is not None:
            raise error_from_json(then.error)
        raise TranscriptDiffers(
            f"the transcript {self._path.stem} ends before the answer to question {then.n}"
        )

    def close(self) -> None:
        """Do nothing, because there is no connection to close."""


def error_to_json(error: BaseException) -> dict[str, Any]:
    """Convert an error to plain JSON."""
    value: dict[str, Any] = {"kind": type(error).__name__}
    if isinstance(error, HelioError):
        value |= {"message": error.message, "advice": error.advice}
    if isinstance(error, ModelError):
        value |= {"wait": error.wait, "answer": error.answer and answer_to_json(error.answer)}
    if isinstance(error, errors.Unreadable) and not error.again:
        value["again"] = False
    return value


def error_from_json(written: WrittenError) -> HelioError:
    """Make an error from the JSON that `error_to_json` returns; an error of an unknown kind becomes `Cancelled`."""
    kind = getattr(errors, written["kind"], None)
    message, advice = written.get("message", ""), written.get("advice", "")
    if isinstance(kind, type) and issubclass(kind, ModelError):
        error = kind(message, advice=advice, wait=written.get("wait"), answer=written.get("answer"))
        if isinstance(error, errors.Unreadable):
            error.again = written.get("again", True)
        return error
    if isinstance(kind, type) and issubclass(kind, HelioError):
        return kind(message, advice=advice)
    return Cancelled(f"the recorded conversation was ended by {written['kind']}")


def _difference(then: Any, now: Any, path: str = "") -> str:
    """Say at which place two JSON values first differ."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in sorted({*then, *now}):
            if name not in then or name not in now:
                return f"{path}/{name} is only in the {'recorded' if name in then else 'new'} question"
            if then[name] != now[name]:
                return _difference(then[name], now[name], f"{path}/{name}")
    if isinstance(then, list) and isinstance(now, list):
        for number, (former, present) in enumerate(zip(then, now, strict=False)):
            if former != present:
                return _difference(former, present, f"{path}/{number}")
        return f"{path} had {number_of(len(then), 'item')} in the recorded question, and has {len(now)} now"
    if isinstance(then, str) and isinstance(now, str):
        at = next(
            (i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now))
        )
        start = max(0, at - 20)
        then, now = then[start : start + _MOST_SHOWN], now[start : start + _MOST_SHOWN]
    return f"{path} was {_shown(then)} in the recorded question, and is {_shown(now)} now"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN + 2 else text[:_MOST_SHOWN] + " …"
