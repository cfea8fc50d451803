"""The shipped real-time pipeline, over HTTP on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.testing import ProxyStandIn, SwpcStandIn

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SwpcStandIn]:
    """NOAA's service with records up to now, and an empty home."""
    (tmp_path / "nothing").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    with SwpcStandIn(datetime.now(UTC).replace(tzinfo=None)) as standin:
        monkeypatch.setenv("HELIO_SWPC_URL", standin.url)
        yield standin


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["run", "swpc-now", *arguments], prog_name="helio")


def hours(standin: SwpcStandIn) -> str:
    """Six whole hours that ended yesterday."""
    stop = standin.newest.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(hours=6)
    return f"{stop - timedelta(hours=6):%Y-%m-%dT%H:%M} to {stop:%Y-%m-%dT%H:%M}"


def test_the_last_day_is_drawn_as_preliminary(service: SwpcStandIn):
    result = helio("-o", "out")
    assert result.exit_code == 0, result.output
    assert "preliminary data: not for publication" in result.output
    assert Path("out/figure.html").exists()
    record = json.loads(Path("out/run.json").read_text())
    [source] = record["steps"][0]["outputs"][0]["sources"]
    assert (source["provider"], source["preliminary"]) == ("SWPC", True)


def test_a_range_that_is_over_is_not_computed_again_while_the_window_moves(service: SwpcStandIn):
    span = hours(service)
    assert helio("-t", span, "-o", "out").exit_code == 0
    service.newest += timedelta(minutes=1)
    again = json.loads(helio("-t", span, "--refresh", "--json", "-o", "out").stdout)
    assert {step["state"] for step in again["steps"]} == {"cached"}
    assert len(service.requests) == 4


def test_offline_it_draws_what_is_kept_and_names_what_is_not(service: SwpcStandIn):
    span = hours(service)
    missing = helio("-t", span, "--offline", "-o", "out")
    assert missing.exit_code == 1
    assert "SWPC_RTSW_MAG of SWPC for" in missing.output
    assert helio("-t", span, "-o", "out").exit_code == 0
    service.mend()
    assert helio("-t", span, "--offline", "-o", "out").exit_code == 0
    assert service.requests == []


@pytest.mark.parametrize("span", ["2003-10-29", "last 30 days"])
def test_an_old_date_is_an_error_that_names_what_is_there(service: SwpcStandIn, span: str):
    result = helio("-t", span, "-o", "out")
    assert result.exit_code == 1
    assert f"{service.epochs()[0]:%Y-%m-%dT%H:%M}Z to {service.epochs()[-1]:%Y-%m-%dT%H:%M}Z" in result.output
    assert not Path("out/figure.html").exists()


def test_a_service_that_is_down_fails_the_run(service: SwpcStandIn):
    service.fail(".json", "404", "404")
    result = helio("-o", "out")
    assert result.exit_code == 1
    assert "refuses the request (404" in result.output


def test_a_run_names_what_stands_between_as_the_doctor_does(
    service: SwpcStandIn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with ProxyStandIn(login="me:right-word") as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:wrong-word@{proxy.address}")
        ran = helio("-o", "out")
        asked = CliRunner().invoke(app, ["doctor", "--online", "--source", "swpc"], prog_name="helio")
    for result in (ran, asked):
        assert result.exit_code == 1
        assert f"the proxy {proxy.address} requires a user name and a password" in result.output
        assert "http://USER:PASSWORD@HOST:PORT" in result.output
        assert "wrong-word" not in result.output
    assert "wrong-word" not in Path("out/run.json").read_text()
