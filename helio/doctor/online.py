"""Check whether this machine can reach the data sources and the language model, for ``helio doctor --online``."""

from __future__ import annotations

import ipaddress
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from helio.clock import Clock
from helio.doctor import Finding
from helio.errors import HelioError, RequestError, did_you_mean
from helio.settings import NetworkLimits, Settings
from helio.sources.connection import LOOKUP, clock_problem, without_user
from helio.sources.http import Hosts, Http
from helio.sources.questions import SourceQuestion, questions
from helio.sources.witness import Witness

SECONDS = 20.0
"""Maximum seconds for the check of one source; all sources are checked at the same time."""
_SILENCE = 8.0
"""Seconds without an answer after which helio ends a request."""
MODEL = "model"


@dataclass(frozen=True)
class SourceAnswer:
    """Answer of a data source to a small question, or the error that occurred instead."""

    question: SourceQuestion
    found: str
    """The answer of the source, or the message of the error."""
    is_right: bool = False
    advice: str = ""
    cause: str = ""
    issuer: str = ""
    """Name of the authority that issued the source's certificate, if this machine trusts the certificate."""
    ahead: float | None = None
    """Number of seconds by which this machine's clock is ahead of the source's clock."""

    @property
    def finding(self) -> Finding:
        """Return the result in the form that `helio doctor` prints."""
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
    """Send a small question to each source, all at the same time, and compare the answers with the expected answers.

    The model is asked only when a key is set, and only for the list of models, which costs nothing.

    Parameters
    ----------
    sources : sequence of str
        Names of sources: ``cdaweb``, ``swpc``, ``hapi:NAME``, ``model``. Default: all sources.
    seconds : float
        Maximum seconds for one source.

    Returns
    -------
    list of Finding
        One finding for each source; a cause common to several sources is reported once.

    Raises
    ------
    RequestError
        No source has this name.
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
                + (", or its key is not set" if source.casefold() == MODEL else ""),
                advice=did_you_mean(source, every, otherwise=f"use one of {', '.join(every)}"),
            )
    return [names[source.casefold()] for source in dict.fromkeys(sources)] if sources else known


def _model(settings: Settings) -> Iterator[SourceQuestion]:
    from helio.authoring.models.providers import client_of, has_model, provider_called

    if not has_model(settings):
        return
    provider, _ = provider_called(settings.model_smart)
    called = [
        provider_called(model)
        for model in (settings.model_smart, settings.model_fast, settings.model_fallback)
        if model
    ]
    names = dict.fromkeys(name for owner, name in called if owner is provider)

    def ask(http: Http, witness: Witness) -> str:
        del http, witness  # the model's client makes its own connection
        model = client_of(settings, provider, {}, timeout=_SILENCE)
        try:
            available = model.models()
        finally:
            model.close()
        lacking = [name for name in names if name not in available]
        if lacking:
            raise HelioError(
                f"the key is accepted, but gives no access to {' or '.join(lacking)}",
                advice="choose other models with HELIO_MODEL_SMART, HELIO_MODEL_FAST and HELIO_MODEL_FALLBACK",
            )
        accepted = "the key is accepted" if settings.model_keys.get(provider.name) else "the server answers"
        return f"{accepted}; models available: {len(available)}"

    url = settings.model_urls.get(provider.name) or provider.url.rstrip("/")
    yield SourceQuestion(MODEL, url, "for the list of models, which costs nothing", ask)


def _ask_all(
    chosen: Sequence[SourceQuestion], seconds: float, clock: Clock, limits: NetworkLimits
) -> list[SourceAnswer]:
    # daemons: a name lookup cannot be stopped, and the process must not wait for it
    tasks = [_SourceThread(question, seconds, clock, limits) for question in chosen]
    for task in tasks:
        task.start()
    until = time.monotonic() + seconds
    return [task.answer_by(until) for task in tasks]


class _SourceThread(threading.Thread):
    """Thread that sends a question to one data source."""

    def __init__(self, question: SourceQuestion, seconds: float, clock: Clock, limits: NetworkLimits) -> None:
        super().__init__(daemon=True, name=f"ask {question.source}")
        self._question = question
        self._seconds = seconds
        self._http = Http(
            timeout=min(_SILENCE, seconds), attempts=1, budget=0.0, clock=clock, hosts=Hosts(), limits=limits
        )
        self._answer: SourceAnswer | None = None
        self._bug: BaseException | None = None

    def run(self) -> None:
        witness = Witness()
        try:
            try:
                answer = self._question.ask(self._http, witness)
                self._answer = SourceAnswer(
                    self._question, answer, is_right=True, issuer=witness.issuer, ahead=witness.ahead
                )
            except HelioError as error:
                self._answer = SourceAnswer(
                    self._question,
                    error.message,
                    advice=error.advice,
                    cause=getattr(error, "cause", ""),
                    issuer=witness.issuer,
                    ahead=witness.ahead,
                )
            finally:
                self._http.close()
        except BaseException as error:  # noqa: BLE001 - raised by answer_by, since a thread cannot raise it to its caller
            self._bug = error

    def answer_by(self, until: float) -> SourceAnswer:
        """Wait until the time `until` for the source's answer; if there is none, return an answer that reports this."""
        self.join(max(0.0, until - time.monotonic()))
        if self.is_alive():
            self._http.cancel()
            host = urlsplit(self._question.url).hostname
            return SourceAnswer(
                self._question,
                f"{host} gave no complete answer within {self._seconds:g} s",
                advice="try again later, or check whether a firewall blocks the connection",
                cause="timeout",
            )
        if self._bug is not None:
            raise self._bug
        assert self._answer is not None
        return self._answer


def _summary(answers: Sequence[SourceAnswer]) -> list[Finding]:
    """Return one result for each source, and one for the clock; give errors that several hosts share only once."""
    alike: dict[tuple[str, str], list[SourceAnswer]] = defaultdict(list)
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
    return [
        *(answer.finding for answer in rest),
        *(_shared_finding(group) for group in shared),
        *_clock(answers),
    ]


def _shared_finding(group: Sequence[SourceAnswer]) -> Finding:
    """Return one result for all sources that cannot be reached for the same reason."""
    names = ", ".join(answer.question.source for answer in group)
    first = group[0]
    message, advice, cause = first.found, first.advice, first.cause
    if len({answer.found for answer in group}) > 1:
        message = f"no network: the host names of {len(group)} sources cannot be looked up"
        advice = "connect this machine to a network, and check its VPN, its name servers and HTTPS_PROXY"
        cause = "no network"
    return Finding("network", False, f"{message} (for {names})", advice, asked="for the sources", cause=cause)


def _host(answer: SourceAnswer) -> str:
    return urlsplit(answer.question.url).netloc.rpartition("@")[2]


def _has_name(answer: SourceAnswer) -> bool:
    """Return whether the address of a source has a host name to look up, and not an IP address or ``localhost``."""
    host = urlsplit(answer.question.url).hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost"
    return False


def _clock(answers: Sequence[SourceAnswer]) -> Iterator[Finding]:
    offsets = [answer.ahead for answer in answers if answer.ahead is not None]
    # the median, because a single server's clock may be wrong
    problem = clock_problem(statistics.median(offsets), "the sources") if offsets else None
    if problem is not None:
        text = problem.message.replace("that of the sources", "those of the sources")
        yield Finding("clock", False, text, problem.advice, asked="the sources for the time", cause="clock")
