"""A stand-in for Gemini on loopback that answers by a script; Google's own client reads from it unchanged.

It speaks the REST form of https://ai.google.dev/api/generate-content (v1beta, and v1 alike): ``generateContent``,
``streamGenerateContent?alt=sse`` and the list of models. It is as strict as the service where that matters: wrong keys,
unknown models and fields, results that do not fit their calls, thought signatures that do not come back.

By hand, with ``helio author`` or any client in another terminal::

    python -m tests.authoring.standin_gemini SCRIPT.json --port 8808

where the script is a list of what `reply_from_json` knows::

    [{"calls": [{"name": "search_datasets", "args": {"text": "ACE"}}]},
     {"status": 429, "retry": "2s", "times": 2},
     {"json": {"steps": []}},
     {"text": "done", "seconds": 5, "forever": true}]
"""

from __future__ import annotations

import argparse
import base64
import binascii
import itertools
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from helio.testing.loopback import LoopbackServer, OwnedServer

KEY = "stand-in-key-0123456789"
NO_SIGNATURE = b"skip_thought_signature_validator"
NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_PATH = re.compile(r"/v1(?:beta)?/models/([^/:]+):(generateContent|streamGenerateContent)")
_FIELDS = {
    "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent",
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """One that was made."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The name in the path."""
        found = _PATH.fullmatch(urlsplit(self.path).path)
        return unquote(found[1]) if found else ""

    @property
    def key(self) -> str:
        """From the header, or from the address."""
        return self.headers.get("x-goog-api-key") or parse_qs(urlsplit(self.path).query).get("key", [""])[0]

    @property
    def system(self) -> str:
        """The standing instructions."""
        return _text(self.body.get("systemInstruction", {}))

    @property
    def text(self) -> str:
        """What was said last."""
        return _text(self.body["contents"][-1])

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of calls in what was said last: name and response."""
        parts = self.body["contents"][-1].get("parts", [])
        return [one["functionResponse"] for one in parts if "functionResponse" in one]

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """The type and the bytes of each file in what was said first."""
        parts = self.body["contents"][0]["parts"]
        inline = [part["inlineData"] for part in parts if "inlineData" in part]
        return [(_mime_type(part), _decoded(part["data"])) for part in inline]

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """The functions that may be called, by name."""
        found = [one for tool in self.body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        # protocol buffers take a field's name in either spelling, and the maker's client writes this one so
        snake = "parameters_json_schema"
        return {
            one["name"]: {
                ("parametersJsonSchema" if name == snake else name): part for name, part in one.items()
            }
            for one in found
        }

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema of the answer."""
        config = self.body.get("generationConfig", {})
        return config.get("responseJsonSchema") or config.get("responseSchema")


@dataclass(frozen=True)
class Reply:
    """What is sent: a JSON body, or bytes of another kind, after so many seconds; or nothing and a reset."""

    body: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    seconds: float = 0.0
    dribble: float = 0.0
    """Seconds between the bytes of the body."""
    reset: bool = False


Answering = Callable[[Request], Reply]
Script = Sequence[Reply | Answering] | Answering


# ---- replies


def text(said: str, *, finish: str = "STOP", signature: bytes | None = None, **usage: int) -> Reply:
    """A text; `usage` overrides the counts, such as ``thoughts=5``."""
    part: dict[str, Any] = {"text": said}
    if signature:
        part["thoughtSignature"] = base64.b64encode(signature).decode()
    return _answer([part], finish, usage)


def json_text(value: Any, **usage: int) -> Reply:
    """A JSON value, as a text."""
    return text(json.dumps(value), **usage)


def call(
    name: str, args: Mapping[str, Any] | None = None, *, signature: bytes | None = b"signed", **usage: int
) -> Reply:
    """One call of a function."""
    return calls([(name, args or {})], signature=signature, **usage)


def calls(
    wanted: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    signature: bytes | None = b"signed",
    said: str = "",
    ids: bool = True,
    **usage: int,
) -> Reply:
    """Several calls at once, the first of them signed, as Gemini 3 does."""
    parts: list[dict[str, Any]] = [{"text": said}] if said else []
    for number, (name, args) in enumerate(wanted):
        part: dict[str, Any] = {"functionCall": {"name": name, "args": dict(args)}}
        if ids:
            part["functionCall"]["id"] = f"call-{number}"
        if signature and number == 0:
            part["thoughtSignature"] = base64.b64encode(signature).decode()
        parts.append(part)
    return _answer(parts, "STOP", usage)


def stopped(finish: str, said: str = "", **usage: int) -> Reply:
    """An answer that ended for another reason: ``MAX_TOKENS``, ``SAFETY``, ``MALFORMED_FUNCTION_CALL``."""
    return _answer([{"text": said}] if said else [], finish, usage)


def blocked(reason: str = "SAFETY") -> Reply:
    """The question is not taken."""
    usage = {"promptTokenCount": 10, "totalTokenCount": 10}
    return Reply({"promptFeedback": {"blockReason": reason}, "usageMetadata": usage, "modelVersion": "@"})


def empty() -> Reply:
    """A candidate with nothing in it."""
    return _answer([], "STOP", {})


def nothing() -> Reply:
    """Not even a candidate."""
    return Reply({"usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 10}, "modelVersion": "@"})


def failure(
    status: int,
    message: str = "",
    *,
    retry: str = "",
    quota: str = "",
    reason: str = "",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """An error as Google's servers write it, with RetryInfo, QuotaFailure or ErrorInfo where they are given."""
    kind = "type.googleapis.com/google.rpc."
    details: list[dict[str, Any]] = []
    if quota:
        details.append({"@type": f"{kind}QuotaFailure", "violations": [{"quotaId": quota}]})
    if retry:
        details.append({"@type": f"{kind}RetryInfo", "retryDelay": retry})
    if reason:
        details.append({"@type": f"{kind}ErrorInfo", "reason": reason, "domain": "googleapis.com"})
    error: dict[str, Any] = {
        "code": status,
        "message": message or f"the script says {status}",
        "status": NAMES.get(status, "UNKNOWN"),
    }
    return Reply({"error": error | ({"details": details} if details else {})}, status, headers or {})


def page(status: int = 200, html: str = "<html><body>Sign in to the network</body></html>") -> Reply:
    """What a proxy or a portal sends in place of an answer."""
    return Reply(status=status, raw=html.encode(), headers={"Content-Type": "text/html"})


def reset() -> Reply:
    """The connection is torn down."""
    return Reply(reset=True)


def slow(reply: Reply, seconds: float) -> Reply:
    """The same, later."""
    return replace(reply, seconds=seconds)


def forever(reply: Reply) -> Answering:
    """The same to every question."""
    return lambda request: reply


def wrong_key(status: int = 400) -> Reply:
    """How a key is refused: 400 by Gemini itself, 401 or 403 by what stands before it."""
    if status == 400:
        return failure(400, "API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID")
    return failure(status, "Request had invalid authentication credentials.")


def reply_from_json(value: Mapping[str, Any]) -> list[Reply | Answering]:
    """What an entry of a script file means.

    ``text``, ``json``, ``calls`` (each ``name``, ``args``), ``finish`` with or without ``text``, ``blocked``,
    ``empty``, ``reset``, ``html``, or ``status`` with ``message``, ``retry``, ``quota``; beside any of them
    ``seconds``, ``times`` or ``forever``, and for tokens ``usage``.
    """
    known = {
        "text", "json", "calls", "signature", "finish", "blocked", "empty", "reset", "html", "status", "message",
        "retry", "quota", "seconds", "times", "forever", "usage",
    }  # fmt: skip
    if unknown := value.keys() - known:
        raise ValueError(f"a script knows no {sorted(unknown)}; it knows {sorted(known)}")
    usage = value.get("usage", {})
    if "status" in value:
        words = {name: value[name] for name in ("message", "retry", "quota") if name in value}
        reply = failure(value["status"], **words)
    elif "calls" in value:
        wanted = [(one["name"], one.get("args", {})) for one in value["calls"]]
        signature = value.get("signature", "signed").encode()
        reply = calls(wanted, said=value.get("text", ""), signature=signature, **usage)
    elif "json" in value:
        reply = json_text(value["json"], **usage)
    elif "blocked" in value:
        reply = blocked(value["blocked"])
    elif "html" in value:
        reply = page(html=value["html"])
    elif "reset" in value:
        reply = reset()
    elif "empty" in value:
        reply = empty()
    else:
        reply = stopped(value.get("finish", "STOP"), value.get("text", ""), **usage)
    reply = slow(reply, value.get("seconds", 0.0))
    return [forever(reply)] if value.get("forever") else [reply] * value.get("times", 1)


# ---- the server


class GeminiStandIn(LoopbackServer):
    """Serves on loopback until it is closed.

    Parameters
    ----------
    script : sequence or callable
        One reply to each question, or a function of the question. A callable within a sequence answers everything
        from there on. When the script is over, further questions are refused with 400.
    key : str
        The only one that is taken.
    refuses : int
        The status for others: 400, 401 or 403.
    models : sequence of str or None
        Those there are; None takes any name.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        key: str = KEY,
        refuses: int = 400,
        models: Sequence[str] | None = None,
        port: int = 0,
    ) -> None:
        self.requests: list[Any] = []
        """All questions, the refused ones too; each a `request_kind`."""
        self.key = key
        self._refuses = refuses
        self._models = models
        self._script: Iterator[Reply | Answering] = iter([script] if callable(script) else script)
        self._rest: Answering | None = None
        self._lock = threading.Lock()
        self._signed: dict[tuple[bytes, str], None] = {}
        super().__init__(_Handler, port)

    request_kind: type[Request] = Request

    def answer(self, request: Request) -> Reply:
        """The reply to a question: the protocol's refusals first, then the script."""
        with self._lock:
            self.requests.append(request)
            refused = self._refusal(request)
            if refused is not None:
                return refused
            if self._rest is None:
                following = next(self._script, None)
                if following is None:
                    return failure(400, "the script of the stand-in is over")
                if isinstance(following, Reply):
                    return self._spoken(following, request)
                self._rest = following
        return self._spoken(self._rest(request), request)

    def pause(self, seconds: float) -> bool:
        """Wait so long; False when the stand-in was closed meanwhile."""
        return not self.over.wait(seconds)

    def _spoken(self, reply: Reply, request: Request) -> Reply:
        """A reply of the script in the words of the protocol."""
        return self._sign(reply, request.model)

    def _refusal(self, request: Request) -> Reply | None:
        if request.key != self.key:
            return wrong_key(self._refuses)
        if request.method == "GET":
            names = self._models or ["gemini-stand-in"]
            return Reply({"models": [{"name": f"models/{one}", "displayName": one} for one in names]})
        if not request.model or (self._models is not None and request.model not in self._models):
            return failure(404, f"models/{request.model} is not found for this version of the API")
        wrong = self._invalid(request)
        return failure(400, wrong) if wrong else None

    def _invalid(self, request: Request) -> str:
        body = request.body
        if unknown := body.keys() - _FIELDS:
            return f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.'
        contents = body.get("contents") or []
        if not contents:
            return "* GenerateContentRequest.contents: contents is not specified"
        if contents[-1].get("role") == "model":
            return "Please ensure that multiturn requests end with a user role or a function response."
        config = body.get("generationConfig", {})
        old = re.match(r"gemini-[12]\b", request.model) is not None
        if old and request.tools and config.get("responseMimeType") == "application/json":
            return "Function calling with a response mime type: 'application/json' is unsupported"
        wanted: list[str] = []
        for number, content in enumerate(contents):
            if content.get("role") not in ("user", "model") or not content.get("parts"):
                return f"contents[{number}]: a role and parts are wanted"
            for part in content["parts"]:
                kind = _mime_type(part.get("inlineData", {"mimeType": "image/png"}))
                if kind not in ("application/pdf", "image/png", "image/jpeg"):
                    return f"Unsupported MIME type: {kind}"
            named = [one["functionCall"]["name"] for one in content["parts"] if "functionCall" in one]
            given = [one["functionResponse"]["name"] for one in content["parts"] if "functionResponse" in one]
            if given != wanted:
                return (
                    "Please ensure that the number of function response parts is equal to the number of function call "
                    "parts of the function call turn."
                )
            wanted = named
            if not old and (wrong := self._unsigned(content, request.model, number)):
                return wrong
        return ""

    def _unsigned(self, content: Mapping[str, Any], model: str, number: int) -> str:
        """What is wrong with the signatures of a turn: those of this very model, back where they stood."""
        first = True
        for part in content["parts"]:
            is_call, opaque = "functionCall" in part, part.get("thoughtSignature")
            if opaque is None and is_call and first and any(model == one for _, one in self._signed):
                name = part["functionCall"]["name"]
                return (
                    "Function call is missing a thought_signature in functionCall parts. Additional data, "
                    f"function call `default_api:{name}`, position {number}."
                )
            if opaque is not None:
                signature = _decoded(opaque)
                if (signature, model) not in self._signed and not (is_call and signature == NO_SIGNATURE):
                    return f"Corrupted thought signature in position {number}."
            first = first and not is_call
        return ""

    def _sign(self, reply: Reply, model: str) -> Reply:
        """Remember which signatures this model was given, and say its name."""
        candidates = [
            {**one, "content": {**one["content"], "parts": list(one["content"]["parts"])}}
            for one in reply.body.get("candidates", ())
        ]
        for one in itertools.chain.from_iterable(found["content"]["parts"] for found in candidates):
            if "thoughtSignature" in one:
                self._signed[_decoded(one["thoughtSignature"]), model] = None
        if reply.body.get("modelVersion") != "@":
            return reply
        return replace(reply, body={**reply.body, "modelVersion": model})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a reply in one piece: in two, Nagle's algorithm costs 40 ms
    server: OwnedServer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._handle({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(content or b"{}")
        except ValueError:
            self._send(failure(400, "Invalid JSON payload received."))
            return
        self._handle(body)

    def _handle(self, body: Mapping[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(
            self.server.owner.answer(self.server.owner.request_kind(self.command, self.path, headers, body))
        )

    def _send(self, reply: Reply) -> None:
        if reply.seconds and not self.server.owner.pause(reply.seconds):
            self.close_connection = True
            return
        if reply.reset:
            # closed with something unsaid and no time to say it: the other side gets RST
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        kind, content = "application/json; charset=UTF-8", json.dumps(reply.body).encode()
        if reply.raw is not None:
            content = reply.raw
        elif "streamGenerateContent" in self.path and reply.status == 200:
            kind = "text/event-stream"
            content = b"".join(
                b"data: " + json.dumps(one).encode() + b"\r\n\r\n" for one in _pieces(reply.body)
            )
        self.send_response(reply.status)
        for name, value in ({"Content-Type": kind} | dict(reply.headers)).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not reply.dribble:
            self.wfile.write(content)
            return
        for at in range(len(content)):
            self.wfile.write(content[at : at + 1])
            self.wfile.flush()
            if not self.server.owner.pause(reply.dribble):
                self.close_connection = True
                return


def _answer(parts: list[dict[str, Any]], finish: str, usage: Mapping[str, int]) -> Reply:
    words = {
        "prompt": "promptTokenCount",
        "candidates": "candidatesTokenCount",
        "thoughts": "thoughtsTokenCount",
        "cached": "cachedContentTokenCount",
        "total": "totalTokenCount",
    }
    counts = {"prompt": 10, "candidates": 5, **usage}
    counts.setdefault("total", counts["prompt"] + counts["candidates"] + counts.get("thoughts", 0))
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
    counted = {words[name]: number for name, number in counts.items()}
    return Reply(
        {"candidates": [candidate], "usageMetadata": counted, "modelVersion": "@", "responseId": "stand-in"}
    )


def _pieces(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A body as a stream has it: a part a piece, texts in two; what concerns the whole comes last."""
    candidates = body.get("candidates") or []
    parts: list[dict[str, Any]] = []
    for part in candidates[0]["content"]["parts"] if candidates else ():
        said = part.get("text", "")
        if len(said) > 1:
            half = len(said) // 2
            parts += [{"text": said[:half]}, {**part, "text": said[half:]}]
        else:
            parts.append(part)
    for part in parts[:-1]:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
    if candidates:
        last = {**candidates[0], "content": {"role": "model", "parts": parts[-1:]}}
        yield {**body, "candidates": [last]}
    else:
        yield dict(body)


def _text(content: Mapping[str, Any]) -> str:
    return "".join(part.get("text", "") for part in content.get("parts", []))


def _mime_type(inline: Mapping[str, Any]) -> str:
    # in either spelling, as for the names of functions
    return str(inline.get("mimeType") or inline.get("mime_type"))


def _decoded(opaque: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(opaque.replace("+", "-").replace("/", "_"))
    except binascii.Error:
        return opaque.encode()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a script until Ctrl-C, and say how to reach it."""
    parser = argparse.ArgumentParser(description="A stand-in for Gemini that answers by a script.")
    parser.add_argument("script", type=Path, help="a JSON file: a list of replies")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default=KEY)
    chosen = parser.parse_args(arguments)
    entries = json.loads(chosen.script.read_text(encoding="utf-8"))
    script = [reply for entry in entries for reply in reply_from_json(entry)]
    with GeminiStandIn(script, key=chosen.key, port=chosen.port) as standin:
        print(f"export HELIO_MODEL_URL={standin.url} GEMINI_API_KEY={standin.key}", flush=True)
        told = 0
        with suppress(KeyboardInterrupt):
            while standin.pause(0.2):
                for request in standin.requests[told:]:
                    told += 1
                    said = request.text or json.dumps(request.results) if request.body else ""
                    print(f"{told}. {request.method} {request.path}: {said[:200]}", flush=True)


if __name__ == "__main__":
    main()
