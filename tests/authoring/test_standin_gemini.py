"""The stand-in is proved by Google's own client, with nothing of helio between."""

import json

import pytest
from google import genai
from google.genai import errors, types

from tests.authoring import standin_gemini as standin
from tests.authoring.conftest import python


@pytest.fixture
def client(serve):
    """Google's client of a stand-in with a script."""
    made = []

    def make(*script: object, key: str = standin.KEY, **options: object):
        server = serve(*script, **options)
        made.append(genai.Client(api_key=key, http_options=types.HttpOptions(base_url=server.url)))
        return server, made[-1]

    yield make
    for one in made:
        one.close()


def test_the_makers_client_reads_a_text_with_its_counts(client):
    _, one = client(standin.text("hi", thoughts=5, cached=3))
    answer = one.models.generate_content(model="gemini-3.8-flash", contents="hello")
    assert (answer.text, answer.model_version) == ("hi", "gemini-3.8-flash")
    assert answer.usage_metadata.total_token_count == 20
    assert answer.usage_metadata.cached_content_token_count == 3


def test_the_makers_client_reads_json_by_its_schema(client):
    server, one = client(standin.json_text({"a": 1}))
    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_json_schema={"type": "object"}
    )
    answer = one.models.generate_content(model="m", contents="hello", config=config)
    assert answer.parsed == {"a": 1}
    assert server.requests[0].schema == {"type": "object"}


def test_the_makers_client_calls_a_function_and_sends_the_signature_back(client):
    def double(x: int) -> int:
        """Twice that."""
        return 2 * x

    server, one = client(standin.call("double", {"x": 21}, signature=b"\xffsigned"), standin.text("42"))
    chat = one.chats.create(model="gemini-3.8-flash", config=types.GenerateContentConfig(tools=[double]))
    assert chat.send_message("twice 21?").text == "42"
    [result] = server.requests[1].results
    assert (result["name"], result["response"]) == ("double", {"result": 42})


@pytest.mark.parametrize("reply", [standin.text("hello there", thoughts=2), standin.text("x")])
def test_the_makers_client_reads_a_stream(client, reply):
    _, one = client(reply)
    pieces = list(one.models.generate_content_stream(model="m", contents="hello"))
    assert "".join(piece.text for piece in pieces) == standin._text(reply.body["candidates"][0]["content"])
    assert pieces[-1].candidates[0].finish_reason == types.FinishReason.STOP
    assert pieces[-1].usage_metadata.total_token_count == reply.body["usageMetadata"]["totalTokenCount"]


def test_the_makers_client_lists_models(client):
    _, one = client(models=["gemini-a", "gemini-b"])
    assert [found.name for found in one.models.list()] == ["models/gemini-a", "models/gemini-b"]


def test_the_makers_client_raises_its_own_errors(client):
    server, one = client(standin.failure(429, "slow down", retry="3s"), standin.failure(503))
    with pytest.raises(errors.ClientError) as caught:
        one.models.generate_content(model="m", contents="hello")
    assert (caught.value.code, caught.value.status) == (429, "RESOURCE_EXHAUSTED")
    assert caught.value.details["error"]["details"][0]["retryDelay"] == "3s"
    with pytest.raises(errors.ServerError):
        one.models.generate_content(model="m", contents="hello")
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_wrong_key_is_refused_and_recorded(client, status):
    server, one = client(standin.text("hi"), key="another-key", refuses=status)
    with pytest.raises(errors.ClientError) as caught:
        one.models.generate_content(model="m", contents="hello")
    assert caught.value.code == status
    assert server.requests[0].key == "another-key"


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ([], "contents is not specified"),
        ([types.Content(role="model", parts=[types.Part(text="I")])], "end with a user role"),
        ([types.Content(role="system", parts=[types.Part(text="I")])], "a role and parts"),
        (
            [
                types.Content(
                    role="model", parts=[types.Part(function_call=types.FunctionCall(name="f", args={}))]
                ),
                types.Content(role="user", parts=[types.Part(text="and?")]),
            ],
            "equal to the number of function call parts",
        ),
        (
            [types.Content(role="user", parts=[types.Part(text="a", thought_signature=b"made up")])],
            "Corrupted thought signature",
        ),
    ],
)
def test_what_gemini_refuses_is_refused(serve, contents, words):
    server = serve(standin.text("hi"))
    wire = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in contents]
    path = "/v1beta/models/gemini-3.8-flash:generateContent"
    reply = server.answer(standin.Request("POST", path, {"x-goog-api-key": server.key}, {"contents": wire}))
    assert reply.status == 400
    assert words in reply.body["error"]["message"]


def test_an_unknown_field_is_refused(serve):
    server = serve(standin.text("hi"))
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "contentz": []}
    path = f"/v1beta/models/m:generateContent?key={server.key}"
    assert "contentz" in server.answer(standin.Request("POST", path, {}, body)).body["error"]["message"]


def test_a_script_that_is_over_says_so(client):
    _, one = client()
    with pytest.raises(errors.ClientError, match="script of the stand-in is over"):
        one.models.generate_content(model="m", contents="hello")


def test_a_function_answers_by_the_question(client):
    _, one = client(lambda request: standin.text(request.text.upper()))
    assert one.models.generate_content(model="m", contents="hello").text == "HELLO"


def test_a_script_is_written_as_json():
    entries = [
        {"text": "hi", "usage": {"thoughts": 3}},
        {"json": {"a": 1}, "seconds": 2},
        {"calls": [{"name": "f", "args": {"x": 1}}], "signature": "s"},
        {"status": 429, "retry": "2s", "times": 2},
        {"finish": "MAX_TOKENS", "text": '{"a'},
        {"blocked": "SAFETY"},
        {"html": "<p>"},
        {"reset": True},
        {"empty": True},
        {"text": "always", "forever": True},
    ]
    replies = [one for entry in entries for one in standin.reply_from_json(entry)]
    assert len(replies) == 11
    assert replies[0] == standin.text("hi", thoughts=3)
    assert replies[1].seconds == 2
    assert replies[3] == replies[4] == standin.failure(429, retry="2s")
    assert replies[-1](None) == standin.text("always")
    with pytest.raises(ValueError, match="txt"):
        standin.reply_from_json({"txt": "hi"})


@pytest.mark.process
def test_it_serves_as_a_program(tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "hi"}]))
    with python("-m", "tests.authoring.standin_gemini", str(script), "--key", "a-key-of-mine") as process:
        said = dict(word.split("=", 1) for word in process.stdout.readline().split()[1:])
        options = types.HttpOptions(base_url=said["HELIO_MODEL_URL"], api_version="v1beta")
        with genai.Client(api_key=said["GEMINI_API_KEY"], http_options=options) as one:
            assert one.models.generate_content(model="m", contents="hello").text == "hi"
        assert process.stdout.readline() == "1. POST /v1beta/models/m:generateContent: hello\n"
