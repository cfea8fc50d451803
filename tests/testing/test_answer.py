"""A stand-in answers with any JSON value, or with bytes as they are."""

import json
from urllib.request import urlopen

import pytest

from helio.testing.standin import Handler, StandIn


def answered(content):
    """Return the body that a stand-in sends for a content."""

    class Answer(Handler):
        def route(self) -> None:
            self.answer(200, content)

    class Answering(StandIn):
        handler = Answer

    with Answering() as server, urlopen(server.url) as reply:
        return reply.read()


@pytest.mark.parametrize("content", [{"a": 1}, [["2024-05-10", 1.5], []], "text", 3, None])
def test_any_json_value_is_answered(content):
    assert json.loads(answered(content)) == content


def test_bytes_are_answered_as_they_are():
    assert answered(b"\x00[1]") == b"\x00[1]"
