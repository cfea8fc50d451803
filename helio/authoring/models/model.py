"""Define questions to a language model and its answers, in a form that is the same for all providers of models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Protocol

from helio.store.records import Count, convert

Role = Literal["smart", "fast"]
"""Kind of language model: ``smart`` for planning, ``fast`` for all other questions."""
Finish = Literal["stop", "calls", "length"]
"""Why the language model stopped: the answer was complete, it calls functions, or it reached its limit of tokens."""
Json = Any
PDF, TEXT = "application/pdf", "text/plain"
"""Media types of files that are no pictures."""


@dataclass(frozen=True)
class Tool:
    """A function that the language model may call."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of the function's arguments, as one object."""


@dataclass(frozen=True)
class Call:
    """A function call that the language model requests and that helio has not carried out yet."""

    name: str
    arguments: Mapping[str, Json]
    id: str = ""
    """The language model's id for this call; empty if the model's provider gives no id."""
    signature: str = ""
    """Data that only the model's provider understands; helio sends the data back unchanged with the model's message."""


@dataclass(frozen=True)
class CallResult:
    """The result of a function call that the language model requested."""

    name: str
    value: Json
    id: str = ""

    @classmethod
    def of(cls, call: Call, value: Json) -> CallResult:
        """Make a call's result from any JSON value."""
        return cls(call.name, value, call.id)


@dataclass(frozen=True)
class Attachment:
    """A file that goes with a message; transcripts have its name, type, digest and size, and no content.

    Parameters
    ----------
    name : str
        The name of the file, which no provider gets as a name: the text of the message quotes it.
    media_type : str
        ``"application/pdf"``, ``"image/png"``, ``"image/jpeg"`` or ``"text/plain"``.
    digest : str
        SHA-256 of the content.
    size : int
        Bytes of the file.
    content : bytes
        The bytes of a PDF or a picture.
    pages : tuple of str
        The text of each page of a PDF, for models that read no PDF, or the text of a text file as one page; empty if
        helio cannot read it.
    """

    name: str
    media_type: str
    digest: str
    size: int
    content: bytes = field(default=b"", repr=False, compare=False)
    pages: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def is_pdf(self) -> bool:
        """Whether the file is a PDF."""
        return self.media_type == PDF

    @property
    def is_text(self) -> bool:
        """Whether the file is a text."""
        return self.media_type == TEXT

    def to_json(self) -> dict[str, Json]:
        """Convert to plain JSON, without the content."""
        return {
            "name": self.name,
            "media_type": self.media_type,
            "digest": self.digest,
            "size": self.size,
        }


@dataclass(frozen=True)
class UserTurn:
    """A message from helio to the language model, with the files that go with it."""

    text: str
    files: tuple[Attachment, ...] = ()


@dataclass(frozen=True)
class ModelTurn:
    """An earlier message from the language model, which helio sends back unchanged; `ModelAnswer.turn` makes it."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Data that only the model's provider understands, like `Call.signature`."""
    model: str = ""
    """Name of the language model that wrote the message; other models cannot read `signature`."""


@dataclass(frozen=True)
class ResultsTurn:
    """The results of all function calls that the language model's last message requested, in the same order."""

    results: tuple[CallResult, ...]


Turn = UserTurn | ModelTurn | ResultsTurn


@dataclass(frozen=True)
class Ask:
    """A question to a language model, with the whole conversation so far, because models remember nothing.

    Parameters
    ----------
    role : "smart" or "fast"
        The kind of model to ask.
    system : str
        Instructions for the whole conversation.
    turns : tuple of Turn
        The conversation so far, latest message last; the last message must not be the model's.
    tools : tuple of Tool
        The tools that the model may call. Not together with `schema`: not every model can do both.
    schema : mapping or None
        JSON Schema for the answer, with keywords that every provider accepts: ``type``, ``properties``, ``required``,
        ``additionalProperties``, ``items``, ``enum``, ``anyOf``, ``description``, and bounds.
    max_tokens : int
        Maximum tokens of the answer, including the model's reasoning.
    temperature : float or None
        None: the model's default.
    seed : int or None
        The same seed requests the same answer; no provider guarantees it.
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
            raise ValueError("a question may offer tools or request JSON, but not both")
        if not self.turns or isinstance(self.turns[-1], ModelTurn):
            raise ValueError("the last message of a question must not be the model's own answer")

    def then(self, answer: ModelAnswer, *turns: Turn) -> Ask:
        """Return the next question: the conversation so far, the model's answer, and further messages."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return Ask(**values | {"turns": (*self.turns, answer.turn(), *turns)})

    def digest(self) -> str:
        """Return the SHA-256 digest of the question; equal questions have equal digests."""
        return hashlib.sha256(canonical_json(ask_to_json(self)).encode()).hexdigest()


@dataclass(frozen=True)
class Usage:
    """Numbers of tokens of a question and its answer, as the model's provider counts them."""

    prompt: Count = 0
    candidates: Count = 0
    """Tokens of the answer, without the tokens of the language model's reasoning."""
    thoughts: Count = 0
    cached: Count = 0
    """Tokens of the prompt that the provider still had from an earlier request."""
    total: Count = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


@dataclass(frozen=True)
class ModelAnswer:
    """An answer of a language model: text, requested JSON or function calls, and the tokens used."""

    text: str = ""
    data: Json = None
    """The requested JSON, which fits its JSON Schema; None if helio did not request JSON."""
    calls: tuple[Call, ...] = ()
    signature: str = ""
    """Data that only the model's provider understands, like `Call.signature`."""
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    model: str = ""
    """Name of the language model, as stated in the answer."""

    def turn(self) -> ModelTurn:
        """Return this answer as a message of the conversation, for the next question."""
        return ModelTurn(self.text, self.calls, self.signature, self.model)


class Model(Protocol):
    """Interface of everything that answers questions, such as a model's client, a `Door` or a recorded conversation."""

    def name(self, role: Role) -> str:
        """Return the name of the language model that a role uses, as messages and records show it."""

    def ask(self, ask: Ask) -> ModelAnswer:
        """Return the answer to a question, or raise a `ModelError`."""

    def close(self) -> None:
        """Close all connections, from any thread; a question that waits for its answer raises `ModelUnavailable`."""


def canonical_json(value: Json) -> str:
    """Write a JSON value with sorted keys and without spaces, so that equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


# ---- to JSON and back, for transcripts

_KINDS: dict[type[Turn], str] = {UserTurn: "user", ModelTurn: "model", ResultsTurn: "results"}


def ask_to_json(ask: Ask) -> dict[str, Json]:
    """Convert a question to plain JSON; of a file it has the digest, and not the content."""
    value = asdict(ask)
    value["turns"] = [_turn_to_json(turn) for turn in ask.turns]
    return value


def _turn_to_json(turn: Turn) -> dict[str, Json]:
    if not isinstance(turn, UserTurn):
        return {"kind": _KINDS[type(turn)], **asdict(turn)}
    files = [file.to_json() for file in turn.files]
    return {"kind": _KINDS[UserTurn], "text": turn.text, **({"files": files} if files else {})}


def ask_from_json(value: Mapping[str, Json]) -> Ask:
    """Make a question from the JSON that `ask_to_json` returns; its files have no content."""
    facts = dict(value)
    facts["turns"] = tuple(_turn_from_json(turn) for turn in facts["turns"])
    facts["tools"] = tuple(Tool(**tool) for tool in facts["tools"])
    return Ask(**facts)


def _turn_from_json(value: Mapping[str, Json]) -> Turn:
    rest = {name: fact for name, fact in value.items() if name != "kind"}
    if value["kind"] == "user":
        return UserTurn(rest["text"], tuple(Attachment(**file) for file in rest.get("files", ())))
    if value["kind"] == "model":
        return ModelTurn(**rest | {"calls": tuple(Call(**call) for call in rest["calls"])})
    return ResultsTurn(tuple(CallResult(**result) for result in rest["results"]))


def answer_to_json(answer: ModelAnswer) -> dict[str, Json]:
    """Convert an answer to plain JSON."""
    return asdict(answer)


def answer_from_json(value: Json) -> ModelAnswer:
    """Make an answer from the JSON that `answer_to_json` returns.

    Raises
    ------
    WrongShape
    """
    answer: ModelAnswer = convert(value, ModelAnswer)
    return answer
