"""Ask language models: repeat failed questions, use a fallback model, set limits, record the conversation."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from pathlib import Path

from helio.authoring.models.answer_reading import read_answer
from helio.authoring.models.model import (
    Ask,
    Model,
    ModelAnswer,
    Role,
    Usage,
    UserTurn,
    ask_from_json,
    ask_to_json,
)
from helio.authoring.models.scrub import model_scrub_of
from helio.authoring.models.transcript import Replay, Transcript, error_to_json
from helio.clock import Clock
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

log = logging.getLogger(__name__)
_LOOKS_UP = 0.1
"""Seconds between two checks, while helio waits for an answer, of whether the user has cancelled."""


@dataclass(frozen=True)
class Patience:
    """Limits on the number of attempts and on the seconds for one question to a language model.

    Parameters
    ----------
    attempts : int
        Maximum number of attempts while a model is unavailable.
    waiting : float
        Maximum total seconds between attempts; if the server asks for a longer wait, helio gives up.
    first : float
        Seconds before the second attempt; each further wait is twice as long.
    again : int
        Maximum number of times to repeat a question after an answer that is empty or cannot be read.
    answer : float
        Seconds for one whole answer.
    """

    attempts: int = 4
    waiting: float = 90.0
    first: float = 1.0
    again: int = 1
    answer: float = 330.0


class Door:
    """Language model that repeats failed questions, limits tokens and time, and records the conversation.

    If the model stays unavailable, the fallback gets the question, and every further question of the same role.
    Answers are complete, and are JSON if the question asked for JSON.

    Parameters
    ----------
    model : Model
    transcript : Transcript
        Records everything, and removes keys from questions.
    fallback : Model or None
    patience : Patience
    tokens : int or None
        Maximum tokens of the whole task; no question is asked after they are spent.
    prices : (float, float) or None
        Price of a million tokens of questions, and of a million tokens of answers with the model's reasoning.
    cost : float or None
        Maximum cost of the whole task by these prices; no question is asked after it is spent.
    seconds : float or None
        Maximum seconds of the whole task.
    ended : threading.Event
        Set this event to cancel: `ask` then returns within a second.
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
        prices: tuple[float, float] | None = None,
        cost: float | None = None,
        seconds: float | None = None,
        ended: threading.Event | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.transcript = transcript
        self.usage = Usage()
        """Tokens of all answers together, including answers that could not be used."""
        self.calls = 0
        """Number of requests sent, including failed requests."""
        self.fell_back: dict[Role, str] = {}
        """Kinds of model that the fallback model has replaced, each with the reason to show to the user."""
        self.answered_by = ""
        """Name of the language model that gave the latest answer."""
        self._model = model
        self._fallback = fallback
        # a transcript has the errors that were left after all attempts
        self._patience = patience or (
            Patience(attempts=1, again=0) if isinstance(model, Replay) else Patience()
        )
        self._tokens = tokens
        self._prices = prices
        self._cost = cost
        self._clock = clock or Clock()
        self._seconds = seconds
        self._until = None if seconds is None else self._clock.now() + seconds
        self._ended = ended or threading.Event()
        self._lock = threading.Lock()
        self._asked = 0

    @property
    def cost(self) -> float | None:
        """Return the cost of all questions and answers so far, by the prices in the settings; None without prices."""
        if self._prices is None:
            return None
        asked, answered = self._prices
        return (self.usage.prompt * asked + (self.usage.candidates + self.usage.thoughts) * answered) / 1e6

    def name(self, role: Role) -> str:
        """Return the name of the model that currently answers questions for a role, ``smart`` or ``fast``."""
        return self._chain(role)[0].name(role)

    def ask(self, ask: Ask) -> ModelAnswer:
        """Ask a language model a question, and return the model's answer.

        Raises
        ------
        ModelError
            Any kind; its `answer` is the received answer, such as a text that is not JSON.
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
        """Cancel the current question, from any thread, and refuse all further questions."""
        self._ended.set()

    def close(self) -> None:
        """Close the connections, and write the total number of tokens to the recorded conversation."""
        self._model.close()
        if self._fallback is not None:
            self._fallback.close()
        self.transcript.note("end", questions=self._asked, requests=self.calls, usage=vars(self.usage))

    def _without_keys(self, ask: Ask) -> Ask:
        value = ask_to_json(ask)
        clean = self.transcript.scrub.json(value)
        if clean == value:
            return ask
        turns = [
            replace(turn, files=original.files)  # JSON has no content of a file
            if isinstance(turn, UserTurn) and isinstance(original, UserTurn)
            else turn
            for turn, original in zip(ask_from_json(clean).turns, ask.turns, strict=True)
        ]
        return replace(ask_from_json(clean), turns=tuple(turns))

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
            log.warning("question %d: helio asks %s, because %s", n, name, error.message)
            self.transcript.note("fallback", n=n, to=name, role=ask.role, because=error.message)
            try:
                return self._try(n, others[0], ask, 1)
            except ModelError as last:
                last.message += f"; helio asked {name} because {first.name(ask.role)} failed: {error.message}"
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
                pause, again = self._pause(error, answer, attempt, attempts, waited, again)
                self.transcript.note(
                    "attempt",
                    n=n,
                    model=model.name(ask.role),
                    error=error_to_json(error),
                    seconds=round(self._clock.now() - began, 3),
                    waits=None if pause is None else round(pause, 3),
                )
                if pause is None:
                    if attempt > 1:
                        error.message += f", after {attempt} attempts"
                    raise
                log.info("question %d: %s; helio tries again in %.1f s", n, error.message, pause)
            self._wait(pause)
            waited += pause

    def _pause(
        self,
        error: ModelError,
        answer: ModelAnswer | None,
        attempt: int,
        attempts: int,
        waited: float,
        again: int,
    ) -> tuple[float | None, int]:
        """Return the seconds until the next attempt, or None if there is none, and the number of repetitions left."""
        if isinstance(error, (QuotaExhausted, ModelUnavailable)) and attempt < attempts:
            jitter = 0.5 + self._clock.random() / 2
            pause = max(error.wait or 0.0, self._patience.first * 2 ** (attempt - 1) * jitter)
            return (None if waited + pause > self._patience.waiting else pause), again
        has_text = answer is not None and bool(answer.text.strip())
        if isinstance(error, Unreadable) and error.again and again and not has_text:
            return 0.0, again - 1
        return None, again

    def _count(self, answer: ModelAnswer | None) -> None:
        if answer is not None:
            with self._lock:
                self.usage += answer.usage

    def _refuse_if_over(self) -> None:
        if self._ended.is_set():
            raise Cancelled("cancelled")
        if self._tokens is not None and self.usage.total >= self._tokens:
            raise BudgetSpent(
                f"the request has used {self.usage.total} tokens; the limit is {self._tokens}",
                advice="set a larger limit in HELIO_MODEL_TOKENS",
            )
        spent = self.cost
        if self._cost is not None and spent is not None and spent >= self._cost:
            raise BudgetSpent(
                f"the request has cost {spent:.4g}; the limit is {self._cost:g}",
                advice="set a larger limit in HELIO_MODEL_COST",
            )
        if self._left() <= 0:
            raise self._late()

    def _left(self) -> float:
        return float("inf") if self._until is None else self._until - self._clock.now()

    def _late(self) -> BudgetSpent:
        return BudgetSpent(
            f"the request took longer than its limit of {self._seconds:g} s",
            advice="shorten the request, or use a smaller pipeline",
        )

    def _wait(self, pause: float) -> None:
        if pause > self._left():
            raise self._late()
        if pause:
            self._clock.sleep(pause, self._ended)

    def _call(self, model: Model, ask: Ask) -> ModelAnswer:
        """Send one request from a separate thread, because helio cannot stop a waiting client but can leave it."""
        with self._lock:
            self.calls += 1
        future: Future[ModelAnswer] = Future()

        def work() -> None:
            try:
                future.set_result(model.ask(ask))
            except BaseException as error:  # noqa: BLE001 - raised again where the answer is awaited
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
                        f"{model.name(ask.role)} gave no complete answer within {self._patience.answer:g} s",
                        advice="try again later, or shorten the request, or use a smaller pipeline",
                    )
        except BaseException:
            model.close()  # ends the request, so that its thread ends too
            raise
        return future.result()


def open_door(
    settings: Settings,
    *,
    seconds: float | None = None,
    ended: threading.Event | None = None,
    replay: Path | None = None,
    patience: Patience | None = None,
) -> Door:
    """Connect to the language model that the settings name, or to a recorded conversation, and begin a new transcript.

    Parameters
    ----------
    replay : Path or None
        A recorded conversation, whose answers are used instead of asking a model; no key is needed.

    Raises
    ------
    NoKey, WrongKey
        The key is missing or malformed; no file was written.
    RequestError
        The transcript does not exist, the provider is unknown, or its official client is not installed.
    """
    model: Model
    fallback: Model | None = None
    if replay is not None:
        model = Replay(replay)
    else:
        from helio.authoring.models.providers import connect

        model, fallback = connect(settings)
    scrub = model_scrub_of(settings)
    return Door(
        model,
        Transcript.begin(settings.transcripts, scrub=scrub),
        fallback=fallback,
        patience=patience if replay is None else None,
        tokens=settings.model_tokens,
        prices=settings.model_prices,
        cost=settings.model_cost,
        seconds=seconds,
        ended=ended,
    )
