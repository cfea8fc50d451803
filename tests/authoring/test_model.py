"""The protocol: what a question may be, and that it survives JSON."""

import json

import pytest

from helio.authoring.models.model import (
    Ask,
    Call,
    CallResult,
    ModelAnswer,
    ModelTurn,
    ResultsTurn,
    Tool,
    Usage,
    UserTurn,
    answer_from_json,
    answer_to_json,
    ask_from_json,
    ask_to_json,
)

TOOL = Tool("search", "Finds.", {"type": "object", "properties": {"text": {"type": "string"}}})
CALL = Call("search", {"text": "B", "n": [1, 2.5, None]}, "call-1", "maker abc=")


def test_a_question_comes_out_of_json_as_it_went_in():
    turns = (
        UserTurn("hello"),
        ModelTurn("wait", (CALL,), "maker x", "m"),
        ResultsTurn((CallResult.of(CALL, [1]),)),
    )
    ask = Ask("fast", "be brief", turns, tools=(TOOL,), seed=None)
    back = ask_from_json(json.loads(json.dumps(ask_to_json(ask))))
    assert back == ask
    assert back.digest() == ask.digest()


def test_an_answer_comes_out_of_json_as_it_went_in():
    answer = ModelAnswer("hi", {"a": [1]}, (CALL,), "maker x", Usage(1, 2, 3, 4, 10), "calls", "m")
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


def test_a_conversation_goes_on_with_the_turn_of_the_model():
    answer = ModelAnswer("hi", calls=(CALL,), signature="maker x", model="m")
    ask = Ask("fast", "", (UserTurn("hello"),), tools=(TOOL,)).then(answer, UserTurn("and?"))
    assert ask.turns[1:] == (ModelTurn("hi", (CALL,), "maker x", "m"), UserTurn("and?"))
    assert ask.tools == (TOOL,)


@pytest.mark.parametrize("turns", [(), (UserTurn("hello"), ModelTurn("hi"))])
def test_a_question_ends_with_something_said_to_the_model(turns):
    with pytest.raises(ValueError, match="must not be the model's own answer"):
        Ask("fast", "", turns)


def test_calls_and_json_are_not_asked_for_at_once():
    with pytest.raises(ValueError, match="but not both"):
        Ask("fast", "", (UserTurn("hello"),), tools=(TOOL,), schema={})


def test_tokens_add_up():
    assert Usage(1, 2, 3, 4, 10) + Usage(1, 1, 1, 1, 1) == Usage(2, 3, 4, 5, 11)


def test_numbers_that_json_does_not_have_have_no_digest():
    with pytest.raises(ValueError, match="JSON"):
        Ask("fast", "", (ResultsTurn((CallResult("a", float("nan")),)),)).digest()
