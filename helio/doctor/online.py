"""Whether the sources of data, and the model, can be asked from this machine, for ``helio doctor --online``."""

from __future__ import annotations

import ipaddress
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from helio.doctor import Finding
from helio.errors import HelioError, RequestError, did_you_mean
from helio.settings import NetworkLimits, Settings
from helio.sources.connection import LOOKUP, clock_problem, without_user
from helio.sources.http import Clock, Hosts, Http
from helio.sources.questions import SourceQuestion, questions
from helio.sources.witness import Witness

SECONDS = 20.0
"""For one source, all in all; they are asked side by side."""
_SILENCE = 8.0
"""Seconds without an answer after which a request is given up."""
MODEL = "model"


@dataclass(frozen=True)
class Answer:
    """What came of one question."""

    question: SourceQuestion
    found: str
    """The right answer, or what is wrong."""
    is_right: bool = False
    advice: str = ""
    cause: str = ""
    issuer: str = ""
    """Who signed the certificate that the source showed, where it showed one that is trusted."""
    ahead: float | None = None
    """Seconds that this machine's clock is ahead of the source's."""

    @property
    def finding(self) -> Finding:
        """As a line of the doctor."""
        return Finding(
            self.question.source,
            self.is_right,
            self.found,
            self.advice,
            address=without_user(self.question.url),
            asked=self.question.asked,
            cause=self.cause,
            issuer=self.issuer,
        )


def ask_sources(
    settings: Settings, sources: Sequence[str] = (), *, seconds: float = SECONDS, clock: Clock | None = None
) -> list[Finding]:
    """Ask each source one small question, side by side, and compare the answers with what is known.

    The model is asked only when a key is set, and only for the list of models, which costs nothing.

    Parameters
    ----------
    sources : sequence of str
        Names of those to ask: ``cdaweb``, ``swpc``, ``hapi:NAME``, ``model``; all of them when there are none.
    seconds : float
        How long one source may take.

    Returns
    -------
    list of Finding
        One for each source; a cause that several share is said once.

    Raises
    ------
    RequestError
        No source has that name.
    """
    chosen = _choose(_known(settings), sources)
    return _summary(_ask_all(chosen, seconds, clock or Clock(), settings.network))


def _known(settings: Settings) -> list[SourceQuestion]:
    return [*questions(settings), *_model(settings)]


def _choose(known: list[SourceQuestion], sources: Sequence[str]) -> list[SourceQuestion]:
    names = {question.source.casefold(): question for question in known}
    for source in sources:
        if source.casefold() not in names:
            every = [question.source for question in known]
            raise RequestError(
                f"no source is called '{source}'"
                + (", or no key for it is set" if source.casefold() == MODEL else ""),
                advice=did_you_mean(source, every, otherwise=f"one of {', '.join(every)}"),
            )
    return [names[source.casefold()] for source in dict.fromkeys(sources)] if sources else known


def _model(settings: Settings) -> Iterator[SourceQuestion]:
    if not settings.model_key:
        return
    from helio.authoring.gemini import HOST, Gemini

    names = [settings.model_smart, settings.model_fast, settings.model_fallback]

    def ask(http: Http, witness: Witness) -> str:
        del http, witness  # the maker's client makes its own connection
        model = Gemini(settings.model_key, {}, url=settings.model_url, timeout=_SILENCE)
        try:
            there = model.models()
        finally:
            model.close()
        lacking = [name for name in dict.fromkeys(names) if name and name not in there]
        if lacking:
            raise HelioError(
                f"the key is accepted, but there is no model {' or '.join(lacking)} for it",
                advice="name others in HELIO_MODEL_SMART, HELIO_MODEL_FAST and HELIO_MODEL_FALLBACK",
            )
        return f"the key is accepted; {len(there)} models"

    yield SourceQuestion(
        MODEL, settings.model_url or f"https://{HOST}", "for the list of models, which costs nothing", ask
    )


def _ask_all(
    chosen: Sequence[SourceQuestion], seconds: float, clock: Clock, limits: NetworkLimits
) -> list[Answer]:
    # daemons: nothing can end a lookup of a name, and the process need not wait for it
    tasks = [_Task(question, seconds, clock, limits) for question in chosen]
    for task in tasks:
        task.start()
    until = time.monotonic() + seconds
    return [task.answer_by(until) for task in tasks]


class _Task(threading.Thread):
    """Asks one source in the background."""

    def __init__(self, question: SourceQuestion, seconds: float, clock: Clock, limits: NetworkLimits) -> None:
        super().__init__(daemon=True, name=f"ask {question.source}")
        self._question = question
        self._seconds = seconds
        self._http = Http(
            timeout=min(_SILENCE, seconds), attempts=1, budget=0.0, clock=clock, hosts=Hosts(), limits=limits
        )
        self._answer: Answer | None = None
        self._bug: BaseException | None = None

    def run(self) -> None:
        witness = Witness()
        try:
            try:
                found = self._question.ask(self._http, witness)
                self._answer = Answer(
                    self._question, found, is_right=True, issuer=witness.issuer, ahead=witness.ahead
                )
            except HelioError as error:
                self._answer = Answer(
                    self._question,
                    error.message,
                    advice=error.advice,
                    cause=getattr(error, "cause", ""),
                    issuer=witness.issuer,
                    ahead=witness.ahead,
                )
            finally:
                self._http.close()
        except BaseException as error:  # noqa: BLE001 - a thread has nobody to raise to: answer_by raises it
            self._bug = error

    def answer_by(self, until: float) -> Answer:
        """The answer, or that there was none in time."""
        self.join(max(0.0, until - time.monotonic()))
        if self.is_alive():
            self._http.cancel()
            host = urlsplit(self._question.url).hostname
            return Answer(
                self._question,
                f"{host} gave no whole answer within {self._seconds:g} s",
                advice="try again later; a firewall that drops what is sent looks the same",
                cause="timeout",
            )
        if self._bug is not None:
            raise self._bug
        assert self._answer is not None
        return self._answer


def _summary(answers: Sequence[Answer]) -> list[Finding]:
    """Return the findings: each answer and the clock. A finding that several hosts share is there once."""
    alike: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        if not answer.is_right:
            alike[answer.found, answer.advice].append(answer)
    shared = [group for group in alike.values() if len({_host(answer) for answer in group}) > 1]
    own = [answer for answer in answers if not any(answer in group for group in shared)]
    unknown = [answer for answer in own if answer.cause in LOOKUP]
    some_are_known = any(_has_name(answer) and answer not in unknown for answer in own)
    if len({_host(answer) for answer in unknown}) > 1 and not some_are_known:
        shared.append(unknown)
    rest = [answer for answer in answers if not any(answer in group for group in shared)]
    return [*(answer.finding for answer in rest), *(_said_once(group) for group in shared), *_clock(answers)]


def _said_once(group: Sequence[Answer]) -> Finding:
    """One finding for all sources that cannot be asked for the same reason."""
    names = ", ".join(answer.question.source for answer in group)
    first = group[0]
    found, advice, cause = first.found, first.advice, first.cause
    if len({answer.found for answer in group}) > 1:
        found = f"no network: none of the names of {len(group)} sources can be looked up"
        advice = "connect this machine to a network, and look at its VPN, its name servers and HTTPS_PROXY"
        cause = "no network"
    return Finding("network", False, f"{found} (for {names})", advice, asked="for the sources", cause=cause)


def _host(answer: Answer) -> str:
    return urlsplit(answer.question.url).netloc.rpartition("@")[2]


def _has_name(answer: Answer) -> bool:
    """Whether the source's host has to be looked up."""
    host = urlsplit(answer.question.url).hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost"
    return False


def _clock(answers: Sequence[Answer]) -> Iterator[Finding]:
    told = [answer.ahead for answer in answers if answer.ahead is not None]
    # the middle one: a single server may have a wrong clock itself
    problem = clock_problem(statistics.median(told), "the sources") if told else None
    if problem is not None:
        text = problem.message.replace("that of the sources", "those of the sources")
        yield Finding("clock", False, text, problem.advice, asked="the sources for the time", cause="clock")
