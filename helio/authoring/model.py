"""What helio asks of a language model and what comes back: the one protocol, free of any maker's client."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Protocol

from helio.store.records import Count, convert

Role = Literal["smart", "fast"]
"""What a question needs: ``smart`` for planning, ``fast`` for everything else."""
Finish = Literal["stop", "calls", "length"]
"""Why the model stopped: it had said all, it wants tools called, or it had no tokens left."""
Json = Any


@dataclass(frozen=True)
class Tool:
    """A function that the model may ask to have called."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """The JSON Schema of its arguments: an object."""


@dataclass(frozen=True)
class Call:
    """One call of a tool that the model asks for; nothing has been called yet."""

    name: str
    arguments: Mapping[str, Json]
    id: str = ""
    """The model's own name for this call; empty where its maker gives none."""
    signature: str = ""
    """Opaque, from the maker to the maker: it travels back in the model's turn, unread."""


@dataclass(frozen=True)
class CallResult:
    """What a call gave."""

    name: str
    value: Json
    id: str = ""

    @classmethod
    def of(cls, call: Call, value: Json) -> CallResult:
        """The result of that call."""
        return cls(call.name, value, call.id)


@dataclass(frozen=True)
class UserTurn:
    """What helio says to the model, for its user."""

    text: str


@dataclass(frozen=True)
class ModelTurn:
    """What the model said before; made by `ModelAnswer.turn`, and sent back as it came."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Opaque, like that of a call; it belongs to the text."""
    model: str = ""
    """Who said it: opaque parts mean nothing to another model."""


@dataclass(frozen=True)
class ResultsTurn:
    """The results of all calls of the turn before, in their order."""

    results: tuple[CallResult, ...]


Turn = UserTurn | ModelTurn | ResultsTurn


@dataclass(frozen=True)
class Ask:
    """One question to a model, with everything said before it: models remember nothing.

    Parameters
    ----------
    role : "smart" or "fast"
        Which model is wanted; which one that is, its client knows.
    system : str
        Standing instructions.
    turns : tuple of Turn
        The conversation so far, the newest last; it does not end with the model's own turn.
    tools : tuple of Tool
        What may be called. Not together with `schema`: not every model can do both at once.
    schema : mapping or None
        JSON Schema of the answer, where JSON is wanted. What every maker takes: ``type``, ``properties``, ``required``,
        ``additionalProperties``, ``items``, ``enum``, ``anyOf``, ``description``, and bounds.
    max_tokens : int
        The most that may be written in answer, thoughts included.
    temperature : float or None
        None leaves it to the model, whose makers may advise that.
    seed : int or None
        The same seed asks for the same answer; no maker promises it.
    """

    role: Role
    system: str
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Json] | None = None
    max_tokens: int = 32768
    temperature: float | None = None
    seed: int | None = 0

    def __post_init__(self) -> None:
        if self.tools and self.schema is not None:
            raise ValueError("ask for calls of tools or for JSON, not for both at once")
        if not self.turns or isinstance(self.turns[-1], ModelTurn):
            raise ValueError("the last word is not the model's own")

    def then(self, answer: ModelAnswer, *turns: Turn) -> Ask:
        """The same question after an answer and what is said to that."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return Ask(**values | {"turns": (*self.turns, answer.turn(), *turns)})

    def digest(self) -> str:
        """The sha256 of the question, of which two that are equal have the same."""
        return hashlib.sha256(canonical_json(ask_to_json(self)).encode()).hexdigest()


@dataclass(frozen=True)
class Usage:
    """Tokens, as the maker counted them."""

    prompt: Count = 0
    candidates: Count = 0
    """Of the answer, thoughts not included."""
    thoughts: Count = 0
    cached: Count = 0
    """Those of the prompt that the maker had seen before."""
    total: Count = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


@dataclass(frozen=True)
class ModelAnswer:
    """What a model answered."""

    text: str = ""
    data: Json = None
    """The JSON that was asked for, read and held against its schema; None where none was asked for."""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Opaque; it belongs to the text."""
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    model: str = ""
    """Which model answered, by its own word."""

    def turn(self) -> ModelTurn:
        """What is sent back when the conversation goes on."""
        return ModelTurn(self.text, self.calls, self.signature, self.model)


class Model(Protocol):
    """Whoever can be asked: a maker's client, the door around one, a transcript."""

    def name(self, role: Role) -> str:
        """What the model of a role is called, for people and records."""

    def ask(self, ask: Ask) -> ModelAnswer:
        """Answer, or raise a `ModelError`."""

    def close(self) -> None:
        """Let go of connections, from any thread: who waits for an answer gets `ModelUnavailable`."""


def canonical_json(value: Json) -> str:
    """One spelling for equal JSON: keys in order, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


# ---- to JSON and back, for transcripts

_KINDS: dict[type[Turn], str] = {UserTurn: "user", ModelTurn: "model", ResultsTurn: "results"}


def ask_to_json(ask: Ask) -> dict[str, Json]:
    """A question as plain JSON."""
    value = asdict(ask)
    value["turns"] = [{"kind": _KINDS[type(turn)], **asdict(turn)} for turn in ask.turns]
    return value


def ask_from_json(value: Mapping[str, Json]) -> Ask:
    """The question that was written by `ask_to_json`."""
    known = dict(value)
    known["turns"] = tuple(_turn_from_json(turn) for turn in known["turns"])
    known["tools"] = tuple(Tool(**tool) for tool in known["tools"])
    return Ask(**known)


def _turn_from_json(value: Mapping[str, Json]) -> Turn:
    rest = {name: fact for name, fact in value.items() if name != "kind"}
    if value["kind"] == "user":
        return UserTurn(**rest)
    if value["kind"] == "model":
        return ModelTurn(**rest | {"calls": tuple(Call(**call) for call in rest["calls"])})
    return ResultsTurn(tuple(CallResult(**result) for result in rest["results"]))


def answer_to_json(answer: ModelAnswer) -> dict[str, Json]:
    """An answer as plain JSON."""
    return asdict(answer)


def answer_from_json(value: Json) -> ModelAnswer:
    """The answer that was written by `answer_to_json`.

    Raises
    ------
    WrongShape
    """
    found: ModelAnswer = convert(value, ModelAnswer)
    return found
