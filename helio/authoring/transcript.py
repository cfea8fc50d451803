"""Everything said between helio and a model, kept as it is said; and a model that says it again."""

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
from helio.authoring.model import (
    Ask,
    ModelAnswer,
    Role,
    Usage,
    answer_to_json,
    ask_to_json,
    canonical_json,
)
from helio.authoring.scrub import Scrub
from helio.errors import Cancelled, DamagedRecord, HelioError, ModelError, RequestError, TranscriptDiffers
from helio.sources.http import Clock
from helio.store.files import is_file, unwritable, user_path, write_all
from helio.store.records import Count, WrongShape, convert, parse_record, read_bytes

_MOST_SHOWN = 120
LARGEST = 1024**3
"""Bytes of a transcript."""


class Transcript:
    """A file of JSON lines that grows with the conversation: kill -9 loses the line being written, nothing before it.

    Lines are of these kinds: ``begin``, ``ask``, ``attempt`` (one that failed), ``fallback``, ``answer`` or ``error``
    (how the question ended), ``end``, and whatever else `note` is told. What belongs to one question has its number
    ``n``. Keys are taken out of all of it.

    Parameters
    ----------
    path : Path
        Made with its folder; there must be none yet.
    scrub : Scrub
        Knows the keys.
    clock : Clock

    Raises
    ------
    OutputError
        It cannot be written.
    """

    def __init__(self, path: Path, *, scrub: Scrub | None = None, clock: Clock | None = None) -> None:
        self.path = path
        self.scrub = scrub or Scrub()
        self.clock = clock or Clock()
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # nobody else's business: what its user writes to a model
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise unwritable(path, error) from error
        self.note("begin", id=self.id, helio=__version__)

    @classmethod
    def begin(cls, folder: Path, *, scrub: Scrub | None = None, clock: Clock | None = None) -> Transcript:
        """A new one in a folder, named after the time and by chance."""
        now = (clock or Clock()).utc()
        name = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}.jsonl"
        return cls(folder / name, scrub=scrub, clock=clock)

    @property
    def id(self) -> str:
        """Its file's name."""
        return self.path.stem

    def note(self, kind: str, **facts: Any) -> None:
        """Add a line.

        Raises
        ------
        OutputError
            The file cannot be written; what is in it is whole.
        """
        at = datetime.fromtimestamp(self.clock.now(), UTC).isoformat(timespec="milliseconds")
        said = self.scrub.json({"kind": kind, "at": at.replace("+00:00", "Z"), **facts})
        line = (json.dumps(said, ensure_ascii=False, allow_nan=False) + "\n").encode(
            errors="backslashreplace"
        )
        with self._lock:
            try:
                descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
                try:
                    before = os.fstat(descriptor).st_size
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
        """A question is put."""
        self.note("ask", n=n, digest=ask.digest(), ask=ask_to_json(ask))

    def answered(self, n: int, answer: ModelAnswer, *, seconds: float, attempts: int, spent: Usage) -> None:
        """It was answered; `spent` is what the task has taken up to now."""
        self.note(
            "answer",
            n=n,
            answer=answer_to_json(answer),
            seconds=round(seconds, 3),
            attempts=attempts,
            spent=spent.total,
        )

    def failed(self, n: int, error: BaseException, *, seconds: float, attempts: int, spent: Usage) -> None:
        """It was not, for good."""
        self.note(
            "error",
            n=n,
            error=error_to_json(error),
            seconds=round(seconds, 3),
            attempts=attempts,
            spent=spent.total,
        )


def find_transcript(name: str | Path, folder: Path) -> Path:
    """The transcript at that path, or of that id in the folder where they are kept.

    Raises
    ------
    RequestError
        There is none.
    """
    path = user_path(name)
    kept = folder / f"{path.name}.jsonl"
    found = path if is_file(path) else kept
    if not is_file(found):
        raise RequestError(f"there is no transcript {name}", advice=f"a file, or the id of one in {folder}")
    return found


def clock_of(path: Path) -> str | None:
    """The clock by which the task of a transcript was done, ISO 8601; None where it does not say.

    Raises
    ------
    RequestError
        The file is no transcript.
    """
    for line in read_lines(path):
        now = line.get("now")
        if line["kind"] == "clock" and isinstance(now, str):
            return now
    return None


class TranscriptLine(TypedDict):
    """A line of a transcript; what else it has depends on its kind."""

    kind: str


class _AskLine(TranscriptLine):
    """A question."""

    n: Count
    ask: dict[str, Any]
    digest: str


class _NumberedLine(TranscriptLine):
    """What belongs to a question."""

    n: Count


class _EndLine(_NumberedLine, total=False):
    """How a question ended."""

    answer: ModelAnswer
    error: WrittenError


class _BareError(TypedDict):
    """What every error in a transcript has."""

    kind: str


class WrittenError(_BareError, total=False):
    """An error as a transcript has it."""

    message: str
    advice: str
    wait: float | None
    answer: ModelAnswer | None
    again: bool


@dataclass(frozen=True)
class Exchange:
    """One question of a transcript, and how it ended."""

    n: int
    ask: Mapping[str, Any]
    digest: str
    answer: ModelAnswer | None = None
    error: WrittenError | None = None


def read_lines(path: Path) -> list[TranscriptLine]:
    """The lines of a transcript; a last one that its writer did not live to finish is left out.

    Raises
    ------
    RequestError
        There is none, or the file is something else.
    """
    try:
        *lines, _ = read_bytes(path, largest=LARGEST).split(b"\n")
        found = [
            parse_record(line, TranscriptLine, f"{path}: line {number}", half_characters=True)
            for number, line in enumerate(lines, start=1)
        ]
    except FileNotFoundError as error:
        raise RequestError(f"the transcript {path} cannot be read: there is none") from error
    except DamagedRecord as error:
        raise RequestError(f"{path} is no transcript: {error.message}") from error
    if not found:
        raise RequestError(f"{path} is no transcript")
    return found


def read_exchanges(path: Path) -> tuple[Exchange, ...]:
    """The questions of a transcript, each with its answer or its error.

    Raises
    ------
    RequestError
        There is no such transcript, or the file is something else.
    """
    found: dict[int, Exchange] = {}
    for line in read_lines(path):
        try:
            if line["kind"] == "ask":
                asked: _AskLine = convert(line, _AskLine)
                found[asked["n"]] = Exchange(asked["n"], asked["ask"], asked["digest"])
            elif line["kind"] in ("answer", "error"):
                ended: _EndLine = convert(line, _EndLine)
                before = found.get(ended["n"])
                if before is None or ((line["kind"] == "answer") != ("answer" in ended)):
                    raise WrongShape(f"its {line['kind']} {ended['n']} is to no question, or says nothing")
                found[ended["n"]] = replace(before, answer=ended.get("answer"), error=ended.get("error"))
        except WrongShape as error:
            raise RequestError(f"{path} is no transcript of this helio: {error}") from error
    return tuple(found[n] for n in sorted(found))


class Replay:
    """Answers from a transcript, in its order, and only to the very questions that were asked there.

    Parameters
    ----------
    path : Path

    Raises
    ------
    RequestError
        There is no such transcript.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges = read_exchanges(path)
        self._next = 0
        self._lock = threading.Lock()

    def name(self, role: Role) -> str:
        """The transcript; the answers say which model they are from."""
        del role
        return f"transcript {self._path.stem}"

    def ask(self, ask: Ask) -> ModelAnswer:
        """The answer that was given then, or the error.

        Raises
        ------
        TranscriptDiffers
            This was not asked then, or not now.
        """
        with self._lock:
            number, self._next = self._next, self._next + 1
        if number >= len(self._exchanges):
            raise TranscriptDiffers(
                f"the transcript {self._path.stem} has {len(self._exchanges)} questions, and another is asked",
                advice="ask the model itself, without the transcript",
            )
        then = self._exchanges[number]
        if then.digest != ask.digest():
            raise TranscriptDiffers(
                f"question {then.n} is not that of the transcript {self._path.stem}: "
                + _difference(
                    json.loads(canonical_json(then.ask)), json.loads(canonical_json(ask_to_json(ask)))
                ),
                advice="ask the model itself, without the transcript",
            )
        if then.answer is not None:
            return then.answer
        if then.error is not None:
            raise error_from_json(then.error)
        raise TranscriptDiffers(f"the transcript {self._path.stem} breaks off at question {then.n}")

    def close(self) -> None:
        """Nothing is open."""


def error_to_json(error: BaseException) -> dict[str, Any]:
    """An error as plain JSON."""
    value: dict[str, Any] = {"kind": type(error).__name__}
    if isinstance(error, HelioError):
        value |= {"message": error.message, "advice": error.advice}
    if isinstance(error, ModelError):
        value |= {"wait": error.wait, "answer": error.answer and answer_to_json(error.answer)}
    if isinstance(error, errors.Unreadable) and not error.again:
        value["again"] = False
    return value


def error_from_json(written: WrittenError) -> HelioError:
    """The error that was written by `error_to_json`; one that was none of helio's own ended the task."""
    kind = getattr(errors, written["kind"], None)
    message, advice = written.get("message", ""), written.get("advice", "")
    if isinstance(kind, type) and issubclass(kind, ModelError):
        error = kind(message, advice=advice, wait=written.get("wait"), answer=written.get("answer"))
        if isinstance(error, errors.Unreadable):
            error.again = written.get("again", True)
        return error
    if isinstance(kind, type) and issubclass(kind, HelioError):
        return kind(message, advice=advice)
    return Cancelled(f"it was ended by {written['kind']}")


def _difference(then: Any, now: Any, place: str = "") -> str:
    """Where two JSON values differ first, in words."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in sorted({*then, *now}):
            if name not in then or name not in now:
                return f"{place}/{name} is only {'there' if name in then else 'here'}"
            if then[name] != now[name]:
                return _difference(then[name], now[name], f"{place}/{name}")
    if isinstance(then, list) and isinstance(now, list):
        for number, (former, present) in enumerate(zip(then, now, strict=False)):
            if former != present:
                return _difference(former, present, f"{place}/{number}")
        return f"{place} has {len(then)} items there and {len(now)} here"
    if isinstance(then, str) and isinstance(now, str):
        at = next(
            (i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now))
        )
        start = max(0, at - 20)
        then, now = then[start : start + _MOST_SHOWN], now[start : start + _MOST_SHOWN]
    return f"{place} is {_shown(then)} there and {_shown(now)} here"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN + 2 else text[:_MOST_SHOWN] + " …"
