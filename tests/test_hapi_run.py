"""A pipeline from a HAPI server to its figure, over HTTP on loopback."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.errors import RequestError
from helio.sources.http import Http
from helio.testing import HapiStandIn
from helio.testing.hapi import MESSAGES
from tests.sources.made_hapi import magnetometer, plain

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

PROVIDER = "hapi:Made"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HapiStandIn]:
    """A server that has a name, and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    for name in ("HELIO_ARCHIVE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with HapiStandIn([magnetometer(), plain("SPLIT@0")]) as standin:
        monkeypatch.setenv("HELIO_HAPI_SERVERS", f"Made={standin.url}")
        yield standin


def write(
    folder: Path, dataset: str = "MADE_MAG", parameter: str = "BGSE", provider: str | None = PROVIDER
) -> str:
    """A pipeline that draws one parameter."""
    fetch = {"dataset_id": dataset, "parameter_id": parameter, "time_range": "$TIME_RANGE"}
    document = {
        "id": "made",
        "name": "Made",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2021-10-28 to 2021-10-30"}},
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data",
             "tool_args": fetch | ({"provider": provider} if provider else {})},
            {"step_id": "plot", "tool_name": "render_spec",
             "tool_args": {"spec": {"panels": [[f"{dataset}.{parameter}"]]}}},
        ],
    }  # fmt: skip
    path = folder / "made.json"
    path.write_text(json.dumps(document))
    return str(path)


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", *arguments, "-o", "out"], prog_name="helio")


def record(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_cold_it_asks_once_for_the_data_and_warm_for_nothing(server: HapiStandIn, tmp_path: Path):
    path = write(tmp_path)
    cold = record(helio(path, "--json"))
    assert [request.path.split("?")[0] for request in server.requests] == [
        "/hapi/capabilities",
        "/hapi/info",
        "/hapi/data",
        "/hapi/info",
    ]
    [source] = cold["steps"][0]["outputs"][0]["sources"]
    assert (source["provider"], source["doi"]) == ("HAPI Made", "10.12345/made-mag")
    assert source["url"].startswith(server.url)
    server.mend()
    warm = record(helio(path, "--json"))
    assert {step["state"] for step in warm["steps"]} == {"cached"}
    assert server.requests == []


def test_a_run_cites_the_server_by_its_address_and_the_page_of_the_dataset(
    server: HapiStandIn, tmp_path: Path
):
    server.datasets["MADE_MAG"].about |= {"resourceID": "", "resourceURL": "https://host.org/made-mag"}
    [citation] = record(helio(write(tmp_path), "--json"))["citations"]
    assert (citation["served_at"], citation["notes_url"]) == (server.url, "https://host.org/made-mag")


def test_by_address_and_by_archive_the_values_are_the_same(server: HapiStandIn, tmp_path: Path):
    digest = record(helio(write(tmp_path), "--json"))["steps"][0]["outputs"][0]["digest"]
    path = write(tmp_path, provider=None)
    for archive in ("hapi:MADE", server.url):
        found = record(helio(path, "--archive", archive, "--json"))
        assert found["steps"][0]["outputs"][0]["digest"] == digest


def test_a_figure_of_a_server_by_address_has_no_address_and_no_password(server: HapiStandIn, tmp_path: Path):
    secret = server.url.replace("http://", "http://me:hunter2@")
    record(helio(write(tmp_path, provider=None), "--archive", secret, "--json"))
    page = Path("out/plot.html")
    assert b"hunter2" not in page.read_bytes()
    origin = api.read_figure(page).origin
    assert origin.archive == "an address"
    assert [dataset.provider for dataset in origin.datasets] == [f"HAPI {server.url.removeprefix('http://')}"]
    assert not [cited.served_at for cited in origin.citations if cited.served_at]
    made = api.rerun(page, archive=secret, output="again")
    assert made.verdict == "same", made
    with pytest.raises(RequestError, match="the data of this figure came from an address"):
        api.rerun(page, output="never")


def test_offline_it_uses_what_is_there_and_names_what_is_not(server: HapiStandIn, tmp_path: Path):
    path = write(tmp_path)
    missing = helio(path, "--offline")
    assert missing.exit_code == 1
    assert "MADE_MAG" in missing.output
    record(helio(path, "--json"))
    server.mend()
    assert helio(path, "--offline").exit_code == 0
    assert helio(path, "--offline", "-t", "2021-10-29").exit_code == 0
    beyond = helio(path, "--offline", "-t", "2021-10-30")
    assert beyond.exit_code == 1
    assert "BGSE of MADE_MAG for 2021-10-30" in beyond.output
    assert server.requests == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset": "MADE_MAK"}, "did you mean 'MADE_MAG'?"),
        ({"dataset": "SPLIT"}, "choose one of SPLIT@0"),
        ({"parameter": "BGSF"}, "did you mean 'BGSE'?"),
        ({"parameter": "Mode"}, "holds text"),
    ],
)
def test_what_the_server_does_not_have_is_said(
    server: HapiStandIn, tmp_path: Path, change: dict[str, str], words: str
):
    result = helio(write(tmp_path, **change))
    assert result.exit_code == 1
    assert words in result.output


def test_a_range_without_data_is_said_with_the_span_of_the_dataset(server: HapiStandIn, tmp_path: Path):
    result = helio(write(tmp_path), "-t", "2019-01-01")
    assert result.exit_code == 1
    assert "the records of the dataset run from 2021-10-28T00:00:00Z to" in result.output


def test_a_server_that_is_down_is_said_to_be(
    server: HapiStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setitem(Http.__init__.__kwdefaults__, "attempts", 1)  # nobody waits for the others
    monkeypatch.setenv("HELIO_HAPI_SERVERS", f"Made=http://{address}/hapi")
    result = helio(write(tmp_path))
    assert result.exit_code == 1
    assert f"{address} cannot be reached" in result.output


def test_a_server_that_refuses_is_named(server: HapiStandIn, tmp_path: Path):
    for endpoint in ("/capabilities", "/info", "/data"):
        server.fail(endpoint, *["403"] * 9)
    result = helio(write(tmp_path))
    assert result.exit_code == 1
    assert "refuses the request (403" in result.output
    assert f"{server.url}/capabilities" in result.output


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ("hapi:Maed", "did you mean 'Made'?"),
        ("hapi:", "no provider is called 'hapi:'"),
        ("https://host/hapi", "no provider is called 'https://host/hapi'"),
    ],
)
def test_an_unknown_server_is_refused_and_an_address_only_the_run_may_name(
    server: HapiStandIn, tmp_path: Path, provider: str, words: str
):
    result = helio(write(tmp_path, provider=provider))
    assert result.exit_code == 2
    assert words in result.output
    assert server.requests == []


def test_a_dataset_with_a_time_tag_in_its_id_has_labels(server: HapiStandIn, tmp_path: Path):
    found = record(helio(write(tmp_path, dataset="SPLIT@0", parameter="V"), "--json"))
    assert found["steps"][0]["outputs"][0]["label"] == "SPLIT@0.V"


def test_what_the_server_publishes_anew_is_fetched_when_asked_to(server: HapiStandIn, tmp_path: Path):
    path = write(tmp_path)
    before = record(helio(path, "--json"))["steps"][0]["outputs"][0]["digest"]
    server.datasets["MADE_MAG"].records["BGSE"] *= 2
    assert record(helio(path, "--json"))["steps"][0]["outputs"][0]["digest"] == before
    after = record(helio(path, "--json", "--refresh"))["steps"][0]["outputs"][0]["digest"]
    assert after != before
    assert record(helio(path, "--json"))["steps"][0]["outputs"][0]["digest"] == after
    assert np.isfinite(server.datasets["MADE_MAG"].records["BGSE"][0]).all()


def cut_at_noon(server: HapiStandIn) -> None:
    """Let the first day end at noon, in replies that do not say how long they are."""
    served = server.datasets["MADE_MAG"]
    whole, noon = served.body, np.datetime64("2021-10-28T12:00")
    served.body = lambda names, start, stop, form: whole(names, start, min(stop, noon), form)
    server.unframed = "HTTP/1.0"


def test_a_reply_that_may_have_ended_early_is_not_taken_from_the_store_by_the_next_run(
    server: HapiStandIn, tmp_path: Path
):
    path = write(tmp_path)
    whole = server.datasets["MADE_MAG"].body
    cut_at_noon(server)
    first = record(helio(path, "--json"))
    assert first["steps"][0]["outputs"][0]["rows"] == 12
    assert first["steps"][0]["outputs"][0]["sources"][-1]["incomplete"]
    said = helio(path)
    assert "may be incomplete" in said.output
    assert record(helio(path, "--json"))["steps"][0]["state"] == "completed"
    assert record(helio(path, "--offline", "--json"))["steps"][0]["outputs"][0]["rows"] == 12
    server.datasets["MADE_MAG"].body, server.unframed = whole, ""
    again = record(helio(path, "--json"))
    assert again["steps"][0]["outputs"][0]["rows"] == 48
    assert not any(source["incomplete"] for source in again["steps"][0]["outputs"][0]["sources"])
    assert again["steps"][1]["state"] == "completed"
    server.mend()
    assert {step["state"] for step in record(helio(path, "--json"))["steps"]} == {"cached"}
    assert server.requests == []


def test_a_dataset_published_during_a_run_has_its_new_date_in_record_and_key(
    server: HapiStandIn, tmp_path: Path
):
    served = server.datasets["MADE_MAG"]
    served.about["modificationDate"] = "2022-01-01Z"
    path = write(tmp_path)

    def publish(query: dict[str, str]) -> None:
        served.about["modificationDate"] = "2022-02-01Z"

    server.after_data = publish
    found = record(helio(path, "--json"))["steps"][0]["outputs"][0]
    assert [source["last_modified"] for source in found["sources"]] == ["2022-02-01Z"]
    assert found["recipe"]["choices"][0]["files"][0][1].endswith("|2022-02-01Z")
    server.mend()
    assert {step["state"] for step in record(helio(path, "--json"))["steps"]} == {"cached"}
    assert server.requests == []


def test_a_step_of_two_parameters_has_both_of_one_edition(server: HapiStandIn, tmp_path: Path):
    """One of them is in the store when the other is fetched, and is of an edition that is no more."""
    served = server.datasets["MADE_MAG"]
    served.about["modificationDate"] = "2022-01-01Z"
    path = Path(write(tmp_path))
    record(helio(str(path), "--json"))
    document = json.loads(path.read_text())
    args = document["steps"][0]["tool_args"]
    del args["parameter_id"]
    args["parameters"] = ["BGSE", "Magnitude"]
    document["steps"] = document["steps"][:1]
    path.write_text(json.dumps(document))

    def publish(query: dict[str, str]) -> None:
        served.about["modificationDate"] = "2022-02-01Z"

    server.after_data = publish
    outputs = record(helio(str(path), "--json"))["steps"][0]["outputs"]
    assert {source["last_modified"] for output in outputs for source in output["sources"]} == {"2022-02-01Z"}
    assert len(outputs) == 2


def test_a_server_that_publishes_on_and_on_ends_the_run(server: HapiStandIn, tmp_path: Path):
    served = server.datasets["MADE_MAG"]
    served.about["modificationDate"] = "0"

    def publish(query: dict[str, str]) -> None:
        served.about["modificationDate"] += "0"
        served.records["BGSE"] += 1

    server.after_data = publish
    result = helio(write(tmp_path))
    assert result.exit_code == 1
    assert "changed MADE_MAG during each of 3 attempts" in result.output


def test_binary_that_is_refused_is_said_by_the_run_and_its_record(server: HapiStandIn, tmp_path: Path):
    server.refuses = lambda query: query.get("format") == "binary"
    path = write(tmp_path)
    assert "1409" in helio(path).output
    [output] = record(helio(path, "--json"))["steps"][0]["outputs"]
    assert any("CSV" in note for note in output["notes"])
    assert "CSV" in output["sources"][0]["remark"]


def test_missing_records_are_counted_in_the_record_the_figure_and_the_saved_file(
    server: HapiStandIn, tmp_path: Path
):
    """Records that come evenly, and far more rarely than the cadence promises, leave no gap that a figure could see."""
    server.datasets["MADE_MAG"].about["cadence"] = "PT1M"
    path = Path(write(tmp_path))
    document = json.loads(path.read_text())
    document["steps"] += [
        {"step_id": "size", "tool_name": "magnitude",
         "tool_args": {"source_label": "MADE_MAG.BGSE", "output_label": "|B|"}},
        {"step_id": "save", "tool_name": "save_data",
         "tool_args": {"source_labels": ["MADE_MAG.BGSE"], "filename": "b.csv"}},
        {"step_id": "save_size", "tool_name": "save_data",
         "tool_args": {"source_labels": ["|B|"], "filename": "size.csv"}},
    ]  # fmt: skip
    path.write_text(json.dumps(document))
    note = "48 of the 2,880 records that the cadence of 60 s promises are there"
    for _ in ("cold", "from the store"):
        found = record(helio(str(path), "--json"))
        [output] = found["steps"][0]["outputs"]
        assert note in output["notes"]
        [figure] = found["steps"][1]["outputs"]
        assert any("BGSE 1.7 % (48 of 2,880 records)" in text for text in figure["notes"])
        for name in ("b.csv", "size.csv"):
            [saved] = (tmp_path / "out").rglob(name)
            assert note in saved.read_text()
    said = helio(str(path)).output
    assert note in said
    assert "48 of 2,880 records" in said


def test_an_info_that_is_refused_is_said_plainly(
    server: HapiStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    server.fail("/info", *[("200", 1408)] * 5)
    monkeypatch.setitem(MESSAGES, 1408, "too \x1b[31mmuch\x07")
    result = helio(write(tmp_path))
    assert result.exit_code == 1, result.output
    assert "refuses the request for 'MADE_MAG' (1408: too [31mmuch" in result.output
    assert not set(result.output) & {"\x1b", "\x07"}
    assert "Traceback" not in result.output
