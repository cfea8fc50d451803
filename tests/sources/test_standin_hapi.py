"""The stand-in for a HAPI server answers as the specification says, in both of its dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest

from helio.testing import HapiStandIn
from tests.sources.made_hapi import magnetometer, plain

SCHEMA = Path(__file__).parents[1] / "data" / "hapi_replies.schema.json"
SPAN = {"2.0": ("time.min", "time.max"), "3.2": ("start", "stop")}


@pytest.fixture(scope="module", params=["2.0", "3.2"])
def server(request) -> Iterator[HapiStandIn]:
    with HapiStandIn([magnetometer(), plain("A/B@0")], version=request.param) as standin:
        yield standin


def asked(server: HapiStandIn, endpoint: str, **query: str) -> tuple[int, Any]:
    reply = httpx2.get(f"{server.url}/{endpoint}", params=query, trust_env=False)
    return reply.status_code, reply


def check(said: Any, endpoint: str) -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{endpoint}"}).validate(said)


def words(server: HapiStandIn, dataset: str = "MADE_MAG", **more: str) -> dict[str, str]:
    start, stop = SPAN[server.version]
    name = "id" if server.version == "2.0" else "dataset"
    return {name: dataset, start: "2021-10-28Z", stop: "2021-10-29T12Z"} | more


def test_all_that_it_says_of_itself_is_what_the_specification_asks_for(server: HapiStandIn):
    for endpoint in ("capabilities", "catalog", *(["about"] if server.version == "3.2" else [])):
        status, reply = asked(server, endpoint)
        assert status == 200
        check(reply.json(), endpoint)
    name = "id" if server.version == "2.0" else "dataset"
    for dataset in ("MADE_MAG", "A/B@0"):
        check(asked(server, "info", **{name: dataset})[1].json(), "info")
    status, reply = asked(server, "info", **{name: "MADE_MAG", "parameters": "BGSE,Flux"})
    check(reply.json(), "info")
    assert [parameter["name"] for parameter in reply.json()["parameters"]] == ["Time", "BGSE", "Flux"]


def test_a_header_before_the_data_is_an_info(server: HapiStandIn):
    _, reply = asked(server, "data", **words(server, include="header", parameters="BGSE"))
    header, _, rest = reply.text.partition("\n")
    check(json.loads(header.removeprefix("#")), "info")
    assert rest.startswith("2021-10-28T00:00:00.000Z,0.0,0.0,0.0\n")
    assert rest.count("\n") == 36


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"dataset": "NONE"}, 404, 1406),
        ({"parameters": "NONE"}, 404, 1407),
        ({"parameters": "Flux,BGSE"}, 400, 1411),
        ({"parameters": "BGSE,BGSE"}, 400, 1411),
        ({"format": "json"}, 400, 1409),
        ({"include": "all"}, 400, 1410),
        ({"wrong": "1"}, 400, 1401),
        ({"start": "today"}, 400, 1402),
        ({"stop": "today"}, 400, 1403),
        ({"stop": "2021-10-28Z"}, 400, 1404),
        ({"start": "2020-01-01Z"}, 400, 1405),
        ({"stop": "2022-01-01Z"}, 400, 1405),
    ],
)
def test_what_is_wrong_with_a_request_has_its_status(
    server: HapiStandIn, change: dict[str, str], status: int, code: int
):
    start, stop = SPAN[server.version]
    change = {{"start": start, "stop": stop}.get(key, key): value for key, value in change.items()}
    query = words(server, change.pop("dataset", "MADE_MAG")) | change
    found, reply = asked(server, "data", **query)
    assert found == status
    assert reply.json()["status"]["code"] == code
    assert f"HAPI {code}" in reply.reason_phrase
    check(reply.json(), "error")


def test_the_words_of_the_other_dialect_are_unknown_to_it(server: HapiStandIn):
    other = {"2.0": "dataset", "3.2": "id"}[server.version]
    status, reply = asked(server, "info", **{other: "MADE_MAG"})
    assert (status, reply.json()["status"]["code"]) == (400, 1401)


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": {"code": 200, "message": "OK"}},
        {"startDate": "2021-10-28"},
        {"cadence": "1 h"},
        {"unknown": 1},
        {"parameters": [{"name": "B", "type": "double", "units": "nT", "fill": None}]},
        {"parameters": [{"name": "Time", "type": "isotime", "units": "UTC", "fill": None}]},
    ],
)
def test_the_schema_refuses_what_the_specification_does(wrong: dict[str, Any]):
    said = magnetometer().info() | {"HAPI": "3.2", "status": {"code": 1200, "message": "OK"}}
    check(said, "info")
    with pytest.raises(jsonschema.ValidationError):
        check(said | wrong, "info")
