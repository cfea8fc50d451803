"""Define questions to a language model and its answers, independent of any maker's client."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Protocol

from helio.store.records import Count, convert

Role = Literal["smart", "fast"]
"""The model for a question: ``smart`` for planning, ``fast`` for everything else."""
Finish = Literal["stop", "calls", "length"]
"""Why the model stopped: it was done, it calls tools, or it had no tokens left."""
Json = Any


@dataclass(frozen=True)
class Tool:
    """A function that the model may call."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """The JSON Schema of its arguments: an object."""


@dataclass(frozen=True)
class Call:
    """A call that the model asks for; nothing has been called yet."""

    name: str
    arguments: Mapping[str, Json]
    id: str = ""
    """The model's id of this call; empty where its maker gives none."""
    signature: str = ""
    """Opaque data of the maker, sent back unread with the model's turn."""


@dataclass(frozen=True)
class CallResult:
    """The result of a call."""

    name: str
    value: Json
    id: str = ""

    @classmethod
    def of(cls, call: Call, value: Json) -> CallResult:
        """Return the result of a call."""
        return cls(call.name, value, call.id)


@dataclass(frozen=True)
class UserTurn:
    """A message of helio to the model."""

    text: str


@dataclass(frozen=True)
class ModelTurn:
    """An earlier message of the model; made by `ModelAnswer.turn`, and sent back as it came."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Opaque data of the text, like that of a call."""
    model: str = ""
    """The model: others cannot read its opaque data."""


@dataclass(frozen=True)
class ResultsTurn:
    """The results of all calls of the turn before, in their order."""

    results: tuple[CallResult, ...]


Turn = UserTurn | ModelTurn | ResultsTurn


@dataclass(frozen=True)
class Ask:
    """A question to a model, with the whole conversation: models remember nothing.

    Parameters
    ----------
    role : "smart" or "fast"
        The kind of model; the client knows its name.
    system : str
        Standing instructions.
    turns : tuple of Turn
        The conversation so far, the newest turn last; it does not end with a turn of the model.
    tools : tuple of Tool
        The tools that the model may call. Not together with `schema`: not every model can do both.
    schema : mapping or None
        JSON Schema of an answer in JSON, with what every maker takes: ``type``, ``properties``, ``required``,
        ``additionalProperties``, ``items``, ``enum``, ``anyOf``, ``description``, and bounds.
    max_tokens : int
        Maximum for the answer, with thoughts.
    temperature : float or None
        None: the model's own.
    seed : int or None
        The same seed asks for the same answer; no maker guarantees it.
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
            raise ValueError("a question may not end with a turn of the model")

    def then(self, answer: ModelAnswer, *turns: Turn) -> Ask:
        """Return the question that goes on after an answer."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return Ask(**values | {"turns": (*self.turns, answer.turn(), *turns)})

    def digest(self) -> str:
        """Return the sha256 of the question; equal questions have the same."""
        return hashlib.sha256(canonical_json(ask_to_json(self)).encode()).hexdigest()


@dataclass(frozen=True)
class Usage:
    """Tokens, as the maker counted them."""

    prompt: Count = 0
    candidates: Count = 0
    """Of the answer, without thoughts."""
    thoughts: Count = 0
    cached: Count = 0
    """Tokens of the prompt that the maker had cached."""
    total: Count = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


@dataclass(frozen=True)
class ModelAnswer:
    """An answer of a model."""

    text: str = ""
    data: Json = None
    """The JSON that was asked for, checked against its schema; else None."""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Opaque data of the text."""
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    model: str = ""
    """The model, as it names itself."""

    def turn(self) -> ModelTurn:
        """Return the turn to send back when the conversation goes on."""
        return ModelTurn(self.text, self.calls, self.signature, self.model)


class Model(Protocol):
    """Answers questions: a maker's client, the door around one, a transcript."""

    def name(self, role: Role) -> str:
        """Return the name of the model of a role, for people and records."""

    def ask(self, ask: Ask) -> ModelAnswer:
        """Answer, or raise a `ModelError`."""

    def close(self) -> None:
        """Close connections, from any thread; a question under way raises `ModelUnavailable`."""


def canonical_json(value: Json) -> str:
    """Write equal JSON in the same way: keys in order, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


# ---- to JSON and back, for transcripts

_KINDS: dict[type[Turn], str] = {UserTurn: "user", ModelTurn: "model", ResultsTurn: "results"}


def ask_to_json(ask: Ask) -> dict[str, Json]:
    """Write a question as plain JSON."""
    value = asdict(ask)
    value["turns"] = [{"kind": _KINDS[type(turn)], **asdict(turn)} for turn in ask.turns]
    return value


def ask_from_json(value: Mapping[str, Json]) -> Ask:
    """Read a question that `ask_to_json` wrote."""
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
    """Write an answer as plain JSON."""
    return asdict(answer)


def answer_from_json(value: Json) -> ModelAnswer:
    """Read an answer that `answer_to_json` wrote.

    Raises
    ------
    WrongShape
    """
    answer: ModelAnswer = convert(value, ModelAnswer)
    return answer
