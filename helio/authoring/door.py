"""What stands around every model: patience, a fallback, a budget, an end at any moment, and a record of all of it."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path

from helio.authoring.answer_reading import read_answer
from helio.authoring.model import Ask, Model, ModelAnswer, Role, Usage, ask_from_json, ask_to_json
from helio.authoring.scrub import Scrub
from helio.authoring.transcript import Replay, Transcript, error_to_json
from helio.errors import (
    BudgetSpent,
    Cancelled,
    ModelError,
    ModelUnavailable,
    ModelUnreachable,
    QuotaExhausted,
    UnknownModel,
    Unreadable,
)
from helio.settings import Settings
from helio.sources.http import Clock

log = logging.getLogger(__name__)
_LOOKS_UP = 0.1
"""Seconds after which whoever waits for an answer looks whether it is still wanted."""


@dataclass(frozen=True)
class Patience:
    """How long one question is worth asking.

    Parameters
    ----------
    attempts : int
        How often a model is asked that cannot answer now, at most.
    waiting : float
        Seconds of waiting between attempts, in all; a server that asks for more is not asked again.
    first : float
        Seconds before the second attempt, doubled with each further one.
    again : int
        How often a question is put again whose answer was empty or a call that cannot be read.
    answer : float
        Seconds for one whole answer.
    """

    attempts: int = 4
    waiting: float = 90.0
    first: float = 1.0
    again: int = 1
    answer: float = 330.0


class Door:
    """The one way to a model; a `Model` itself.

    Questions that cannot be answered now are asked again, then put to the fallback: once, and from then on every
    further question of that role goes there. What comes back is whole, and is JSON where JSON was asked for.

    Parameters
    ----------
    model : Model
    transcript : Transcript
        Is told everything, and takes keys out of questions before they are asked.
    fallback : Model or None
    patience : Patience
    tokens : int or None
        How many the whole task may take: nothing is asked once they are spent.
    seconds : float or None
        How long the whole task may take.
    ended : threading.Event
        Set by whoever wants it to end: a call that is under way is left within a second.
    clock : Clock
    """

    def __init__(
        self,
        model: Model,
        transcript: Transcript,
        *,
        fallback: Model | None = None,
        patience: Patience | None = None,
        tokens: int | None = None,
        seconds: float | None = None,
        ended: threading.Event | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.transcript = transcript
        self.usage = Usage()
        """What all answers took, those that could not be used too."""
        self.calls = 0
        """Requests made, those that failed too."""
        self.fell_back: dict[Role, str] = {}
        """The roles that the fallback has taken over, and why: to be said to the user."""
        self.answered_by = ""
        """The model of the newest answer, by its own word."""
        self._model = model
        self._fallback = fallback
        # the errors of a transcript are those that were left after all attempts
        self._patience = patience or (
            Patience(attempts=1, again=0) if isinstance(model, Replay) else Patience()
        )
        self._tokens = tokens
        self._clock = clock or Clock()
        self._seconds = seconds
        self._until = None if seconds is None else self._clock.now() + seconds
        self._ended = ended or threading.Event()
        self._lock = threading.Lock()
        self._asked = 0

    def name(self, role: Role) -> str:
        """The model that is asked for a role now."""
        return self._chain(role)[0].name(role)

    def ask(self, ask: Ask) -> ModelAnswer:
        """Put a question.

        Raises
        ------
        ModelError
            Of every kind; what came with it, such as a text that is not JSON, is its `answer`.
        Cancelled
        OutputError
            The transcript cannot be written.
        """
        ask = self._without_keys(ask)
        with self._lock:
            self._asked += 1
            n = self._asked
        self.transcript.asked(n, ask)
        began, before = self._clock.now(), self.calls
        try:
            answer = self._persist(n, ask)
        except BaseException as error:
            took = self._clock.now() - began
            self.transcript.failed(n, error, seconds=took, attempts=self.calls - before, spent=self.usage)
            raise
        self.answered_by = answer.model or self.name(ask.role)
        took = self._clock.now() - began
        self.transcript.answered(n, answer, seconds=took, attempts=self.calls - before, spent=self.usage)
        log.info("question %d: %s, %d tokens, %.1f s", n, answer.model, answer.usage.total, took)
        return answer

    def cancel(self) -> None:
        """End what is under way, from any thread; nothing is asked afterwards."""
        self._ended.set()

    def close(self) -> None:
        """Close the models' connections, and the transcript with what was spent."""
        self._model.close()
        if self._fallback is not None:
            self._fallback.close()
        self.transcript.note("end", questions=self._asked, requests=self.calls, usage=vars(self.usage))

    def _without_keys(self, ask: Ask) -> Ask:
        value = ask_to_json(ask)
        clean = self.transcript.scrub.json(value)
        return ask if clean == value else ask_from_json(clean)

    def _chain(self, role: Role) -> list[Model]:
        if self._fallback is None:
            return [self._model]
        return [self._fallback] if role in self.fell_back else [self._model, self._fallback]

    def _persist(self, n: int, ask: Ask) -> ModelAnswer:
        first, *others = self._chain(ask.role)
        try:
            return self._try(n, first, ask, self._patience.attempts)
        except (QuotaExhausted, ModelUnavailable, UnknownModel) as error:
            if not others or isinstance(error, ModelUnreachable):
                raise
            with self._lock:
                self.fell_back[ask.role] = error.message
            name = others[0].name(ask.role)
            log.warning("question %d: %s is asked, for %s", n, name, error.message)
            self.transcript.note("fallback", n=n, to=name, role=ask.role, because=error.message)
            try:
                return self._try(n, others[0], ask, 1)
            except ModelError as last:
                last.message += f"; it was asked in place of {first.name(ask.role)}: {error.message}"
                raise

    def _try(self, n: int, model: Model, ask: Ask, attempts: int) -> ModelAnswer:
        waited, again = 0.0, self._patience.again
        attempt = 0
        while True:
            attempt += 1
            self._refuse_if_over()
            began = self._clock.now()
            answer: ModelAnswer | None = None
            try:
                answer = self._call(model, ask)
                self._count(answer)
                return read_answer(ask, answer)
            except ModelError as error:
                if answer is None:
                    self._count(error.answer)
                pause = None
                if isinstance(error, (QuotaExhausted, ModelUnavailable)) and attempt < attempts:
                    jitter = 0.5 + self._clock.random() / 2
                    pause = max(error.wait or 0.0, self._patience.first * 2 ** (attempt - 1) * jitter)
                    pause = None if waited + pause > self._patience.waiting else pause
                elif isinstance(error, Unreadable) and error.again and again and not _has_text(answer):
                    pause, again = 0.0, again - 1
                self.transcript.note(
                    "attempt",
                    n=n,
                    model=model.name(ask.role),
                    error=error_to_json(error),
                    seconds=round(self._clock.now() - began, 3),
                    waits=None if pause is None else round(pause, 3),
                )
                if pause:
                    log.info("question %d: %s; another attempt in %.1f s", n, error.message, pause)
                if pause is None:
                    if attempt > 1:
                        error.message += f", after {attempt} attempts"
                    raise
            self._wait(pause)
            waited += pause

    def _count(self, answer: ModelAnswer | None) -> None:
        if answer is not None:
            with self._lock:
                self.usage += answer.usage

    def _refuse_if_over(self) -> None:
        if self._ended.is_set():
            raise Cancelled("cancelled")
        if self._tokens is not None and self.usage.total >= self._tokens:
            raise BudgetSpent(
                f"{self.usage.total} tokens are spent, and {self._tokens} are allowed",
                advice="HELIO_MODEL_TOKENS sets how many a task may take",
            )
        if self._left() <= 0:
            raise self._late()

    def _left(self) -> float:
        return float("inf") if self._until is None else self._until - self._clock.now()

    def _late(self) -> BudgetSpent:
        return BudgetSpent(
            f"the {self._seconds:g} s allowed for the task are over", advice="ask for less at once"
        )

    def _wait(self, pause: float) -> None:
        if pause > self._left():
            raise self._late()
        if pause:
            self._clock.sleep(pause, self._ended)

    def _call(self, model: Model, ask: Ask) -> ModelAnswer:
        """One request, in a thread of its own: a client that waits for a server can be left, not stopped."""
        with self._lock:
            self.calls += 1
        future: Future[ModelAnswer] = Future()

        def work() -> None:
            try:
                future.set_result(model.ask(ask))
            except BaseException as error:  # noqa: BLE001 - carried to whoever waits for the answer
                future.set_exception(error)

        until = self._clock.now() + min(self._patience.answer, self._left())
        threading.Thread(target=work, name="helio-model", daemon=True).start()
        try:
            while not wait([future], timeout=_LOOKS_UP).done:
                if self._ended.is_set():
                    raise Cancelled("cancelled")
                if self._clock.now() >= until:
                    if self._left() <= 0:
                        raise self._late()
                    raise ModelUnavailable(
                        f"{model.name(ask.role)} gave no whole answer within {self._patience.answer:g} s",
                        advice="try again later, or ask for less at once",
                    )
        except BaseException:
            model.close()  # ends the request, so that its thread ends too
            raise
        return future.result()


def _has_text(answer: ModelAnswer | None) -> bool:
    return answer is not None and bool(answer.text.strip())


def open_door(
    settings: Settings,
    *,
    seconds: float | None = None,
    ended: threading.Event | None = None,
    replay: Path | None = None,
    patience: Patience | None = None,
) -> Door:
    """The door to the model that the environment names, with a new transcript in the home; or to a transcript.

    Parameters
    ----------
    replay : Path or None
        A transcript that answers in place of a model; no key is needed.

    Raises
    ------
    NoKey, WrongKey
        Before anything is written.
    RequestError
        There is no such transcript.
    """
    scrub = Scrub(settings.model_key, url=settings.model_url)
    if replay is not None:
        return Door(
            Replay(replay),
            Transcript.begin(settings.transcripts, scrub=scrub),
            tokens=settings.model_tokens,
            seconds=seconds,
            ended=ended,
        )
    from helio.authoring.gemini import connect

    model, fallback = connect(settings)
    return Door(
        model,
        Transcript.begin(settings.transcripts, scrub=scrub),
        fallback=fallback,
        patience=patience,
        tokens=settings.model_tokens,
        seconds=seconds,
        ended=ended,
    )
