"""``helio doctor --online`` asks what is known, names what is wrong once, and its report holds no secret."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.clock import Clock
from helio.doctor import online
from helio.settings import read_settings
from helio.sources.samples import sample_folder
from helio.testing import Authority, CdaWebStandIn, HapiStandIn, ProxyStandIn, SwpcStandIn, secure
from tests.authoring import standin_gemini as gemini
from tests.sources.made_hapi import magnetometer
from tests.waiting import LONG

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

SOURCES = ("cdaweb", "swpc", "hapi:mine")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and no settings of the network."""
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    for name in (
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NO_PROXY",
        "no_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "HELIO_MODEL_URL", "HELIO_ARCHIVE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[CdaWebStandIn, SwpcStandIn, HapiStandIn]]:
    """One of each kind, with right answers."""
    published = tmp_path / "published"
    published.mkdir()
    shutil.copy(sample_folder() / "ac_k2_mfi_20220101_v03.cdf", published)
    with (
        CdaWebStandIn(published) as cdaweb,
        SwpcStandIn(datetime.now(UTC).replace(tzinfo=None)) as swpc,
        HapiStandIn([magnetometer()]) as hapi,
    ):
        monkeypatch.setenv("HELIO_CDAWEB_URL", cdaweb.url)
        monkeypatch.setenv("HELIO_SWPC_URL", swpc.url)
        monkeypatch.setenv("HELIO_HAPI_SERVERS", f"mine={hapi.url}")
        yield cdaweb, swpc, hapi


def doctor(*arguments: str, sources: tuple[str, ...] = SOURCES) -> Result:
    chosen = [word for source in sources for word in ("--source", source)]
    return CliRunner().invoke(app, ["doctor", "--online", *chosen, *arguments], prog_name="helio")


def answers(*sources: str) -> dict[str, dict[str, Any]]:
    """What is found of some sources, or of all."""
    found = [finding.to_json() for finding in online.ask_sources(read_settings(), sources)]
    return {finding["subject"]: finding for finding in found}


def test_right_answers_of_all_sources(servers):
    result = doctor()
    assert result.exit_code == 0, result.output
    for line in (
        "asked for the dataset AC_K2_MFI and the first bytes of a file: the archive has the dataset AC_K2_MFI, and "
        "its file ac_k2_mfi_20220101_v03.cdf is a valid CDF",
        "asked what it can do (capabilities): HAPI 3",
        "mag-7-day.json has the 7 expected columns",
    ):
        assert line in result.output
    assert "FAIL" not in result.output


def test_an_answer_with_the_status_200_may_be_wrong(servers, monkeypatch):
    cdaweb, swpc, _ = servers
    monkeypatch.setenv("HELIO_HAPI_SERVERS", f"mine={cdaweb.url}/hapi")
    swpc.fail("mag-7-day", "renamed")
    cdaweb.fail("datasets?", "empty")
    cdaweb.fail("capabilities", "empty")
    found = answers(*SOURCES)
    assert {name: finding["ok"] for name, finding in found.items()} == dict.fromkeys(SOURCES, False)
    assert "does not list the dataset AC_K2_MFI" in found["cdaweb"]["found"]
    assert "a HAPI version that helio does not understand" in found["hapi:mine"]["found"]
    assert "it has no time_tag, but only timestamp" in found["swpc"]["found"]
    assert all(finding["advice"] for finding in found.values())


@pytest.mark.parametrize(
    ("fault", "words"),
    [("html", "about maintenance"), ("empty", "is not a CDF"), ("404", "refuses the request (404")],
)
def test_a_file_that_is_no_cdf(servers, fault, words):
    servers[0].fail(".cdf", fault)
    found = answers("cdaweb")["cdaweb"]
    assert not found["ok"]
    assert words in found["found"]


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (("timeout", LONG), "timeout"),
        ("reset", "reset"),
        ("html", "maintenance"),
        (("429", 3600), "too many requests"),
    ],
)
def test_one_source_that_fails_is_named_and_the_others_are_right(servers, monkeypatch, fault, cause):
    monkeypatch.setattr(online, "_SILENCE", 4.0)
    servers[1].fail("", fault)
    found = answers(*SOURCES)
    assert {name: finding["ok"] for name, finding in found.items()} == {
        "cdaweb": True,
        "swpc": False,
        "hapi:mine": True,
    }
    assert found["swpc"]["cause"] == cause
    assert doctor(sources=("cdaweb",)).exit_code == 0


def test_wrong_answers_end_with_the_exit_code_1(servers):
    servers[1].fail("", "403")
    result = doctor()
    assert result.exit_code == 1
    assert "FAIL  swpc" in result.output


def test_a_source_that_never_ends_is_left_after_its_time(servers):
    servers[2].fail("", ("timeout", LONG))
    settings = read_settings()
    found = {finding.subject: finding for finding in online.ask_sources(settings, SOURCES, seconds=4.0)}
    assert found["hapi:mine"].cause == "timeout"
    assert found["cdaweb"].ok


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_without_a_network_one_thing_is_said_once(monkeypatch, number):
    def fail(*arguments: object, **options: object) -> object:
        raise socket.gaierror(number, "words of the system")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    found = answers()
    assert list(found) == ["network"]
    assert found["network"]["found"].startswith("no network: ")
    assert "cdaweb, hapi:CDAWeb" in found["network"]["found"]
    result = doctor(sources=())
    assert result.exit_code == 1
    assert result.output.count("FAIL") == 1


def test_a_proxy_that_is_not_there_is_said_once(monkeypatch):
    for name in ("HTTPS_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://me:secret-word@127.0.0.1:1")
    found = answers()
    assert list(found) == ["network"]
    assert "the proxy 127.0.0.1:1 cannot be reached" in found["network"]["found"]


def test_a_proxy_for_some_of_the_sources_alone(monkeypatch):
    def fail(host: str, *arguments: object, **options: object) -> object:
        if host == "127.0.0.1":
            return real(host, *arguments, **options)
        raise socket.gaierror(socket.EAI_NONAME, "words of the system")

    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", fail)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    found = [finding.found for finding in online.ask_sources(read_settings())]
    assert len(found) == 2
    assert "the proxy 127.0.0.1:1 cannot be reached" in found[0]
    assert "no network" in found[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SSL_CERT_FILE", "/nowhere/ca.pem"),
        ("HTTPS_PROXY", "gopher://me:secret-word@proxy"),
        ("ALL_PROXY", "socks5://p:1"),
    ],
)
def test_settings_that_cannot_be_used_are_said_once(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    found = answers()
    assert list(found) == ["network"]
    assert name in found["network"]["found"]
    assert "secret-word" not in str(found)


def test_a_name_that_is_unknown_is_the_servers_alone_where_others_are_known(servers, monkeypatch):
    real = socket.getaddrinfo

    def look_up(host: str, *arguments: object, **options: object) -> object:
        if host == "gone.example":
            raise socket.gaierror(socket.EAI_NONAME, "")
        return real("127.0.0.1" if host == "known.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    port = servers[2].url.split(":")[2]
    monkeypatch.setenv(
        "HELIO_HAPI_SERVERS", f"mine=http://known.example:{port},gone=http://gone.example/hapi"
    )
    found = answers("hapi:mine", "hapi:gone")
    assert found["hapi:mine"]["ok"]
    assert found["hapi:gone"]["cause"] in ("unknown name", "no network")


def two_hours_ahead() -> float:
    return time.time() + 7200


def test_a_wrong_clock_is_said_once(servers, monkeypatch):
    clock = Clock(now=two_hours_ahead)
    found = {
        finding.subject: finding for finding in online.ask_sources(read_settings(), SOURCES, clock=clock)
    }
    assert not found["clock"].ok
    assert "2 hours ahead" in found["clock"].found
    assert found["swpc"].ok


def test_an_unknown_source_is_refused_with_those_there_are():
    result = doctor(sources=("hapi:cdawep",))
    assert result.exit_code == 2
    assert "hapi:CDAWeb" in result.output


def test_a_source_without_online_is_refused():
    result = CliRunner().invoke(app, ["doctor", "--source", "cdaweb"])
    assert result.exit_code == 2


# ---- the model


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., gemini.GeminiStandIn]]:
    with gemini.GeminiStandIn(
        [], models=["gemini-3.8-flash", "gemini-3.5-flash-lite", "gemini-3.7-flash"]
    ) as standin:
        monkeypatch.setenv("GEMINI_API_KEY", gemini.KEY)
        monkeypatch.setenv("HELIO_MODEL_URL", standin.url)
        yield standin


def test_the_model_is_asked_for_its_list_and_for_nothing_that_costs(model):
    found = answers("model")["model"]
    assert found["ok"], found
    assert "costs nothing" in found["asked"]
    assert [(request.method, "generate" in request.path) for request in model.requests] == [("GET", False)]
    assert gemini.KEY not in json.dumps(found)


def test_a_model_that_is_not_there_for_the_key(model, monkeypatch):
    monkeypatch.setenv("HELIO_MODEL_SMART", "gemini-9")
    found = answers("model")["model"]
    assert not found["ok"]
    assert "no access to gemini-9" in found["found"]


def test_a_key_that_is_not_accepted(model, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "another-key-0123456789")
    found = answers("model")["model"]
    assert not found["ok"]
    assert "API key was rejected" in found["found"]
    assert "another-key" not in json.dumps(found)


def test_without_a_key_no_model_is_asked(servers):
    assert online.MODEL not in [question.source for question in online._known(read_settings())]


def test_the_models_client_uses_the_proxy_and_the_authority_of_the_environment(model, monkeypatch, tmp_path):
    authority = Authority(tmp_path)
    server = model.server
    server.socket = authority.context().wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    url = model.url.replace("http://", "https://")
    monkeypatch.setenv("HELIO_MODEL_URL", url)
    found = answers("model")["model"]
    assert found["cause"] == "untrusted certificate"
    assert "Institute Root CA" in found["found"]
    with ProxyStandIn(login="me:secret-word") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.address}")
        assert answers("model")["model"]["cause"] == "proxy login"
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret-word@{proxy.address}")
        assert answers("model")["model"]["ok"]
        count = len(proxy.asked)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert answers("model")["model"]["ok"]
        assert len(proxy.asked) == count


# ---- the report


def test_the_report_has_what_helps_and_no_secret(servers, monkeypatch, tmp_path, home):
    secure(servers[1], Authority(tmp_path, "Institute Root CA").context())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "Institute-Root-CA.pem"))
    monkeypatch.setenv("HELIO_SWPC_URL", servers[1].url.replace("https://", "https://me:pa55@"))
    monkeypatch.setenv("GEMINI_API_KEY", "secret-of-gemini")
    monkeypatch.setenv("HTTP_PROXY", "http://me:hunter2-proxy@127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "me:hunter2-proxy@127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("PREFECT_API_AUTH_STRING", "admin:prefect-secret")
    monkeypatch.setenv("HELIO_ARCHIVE", "sample")
    monkeypatch.setenv("HOME", "/home/ferdinand")
    monkeypatch.delenv("PYTHONPATH", raising=False)  # a path may end in "me:"
    (home / "logs").mkdir(parents=True)
    lines = [
        "asked http://me:hunter2-proxy@proxy.example/x?token=t0k3n-word&id=AC_K2_MFI",
        "the key secret-of-gemini is refused; Authorization: Basic bWU6cGE1NQ==",
        "read /home/ferdinand/data/file.cdf and /home/other/x",
    ]
    (home / "logs" / "helio.log").write_text("\n".join(["old"] * 500 + lines) + "\n")
    result = doctor("--report", "report.json")
    assert result.exit_code == 0, result.output
    text = Path("report.json").read_text()
    for secret in ("secret-of", "hunter2", "pa55", "prefect-secret", "t0k3n", "bWU6", "ferdinand", "me:"):
        assert secret not in text, secret
        assert secret not in result.output or secret == "ferdinand", secret
    said = json.loads(text)
    assert said["helio"]
    assert said["packages"]["numpy"]
    assert said["settings"]["GEMINI_API_KEY"] == "set"
    assert said["settings"]["HTTP_PROXY"] == "http://127.0.0.1:1"
    assert said["settings"]["http_proxy"] == "127.0.0.1:1"
    assert said["settings"]["HELIO_ARCHIVE"] == "sample"
    assert said["certificate issuers"] == ["Institute Root CA"]
    assert {finding["subject"] for finding in said["checks"] if "asked" in finding} == set(SOURCES)
    assert len(said["logs"]["helio.log"]) == 200
    assert "read ~/data/file.cdf and ~/x" in said["logs"]["helio.log"]
    assert any("id=AC_K2_MFI" in line for line in said["logs"]["helio.log"])
    assert stat.S_IMODE(os.stat("report.json").st_mode) == 0o600


def report(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", "--report", "report.json", *arguments])


def test_a_report_is_not_written_over_a_file_unless_asked():
    Path("report.json").write_text("mine")
    Path("report.json").chmod(0o644)
    result = report()
    assert result.exit_code == 2
    assert "--replace" in result.output
    assert Path("report.json").read_text() == "mine"
    assert report("--replace").exit_code in (0, 1)
    assert json.loads(Path("report.json").read_text())["helio"]
    assert stat.S_IMODE(os.stat("report.json").st_mode) == 0o600
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_a_report_is_not_written_through_a_link_that_leads_nowhere():
    Path("report.json").symlink_to("elsewhere")
    assert report().exit_code == 2
    assert not Path("elsewhere").exists()


def test_a_report_where_nothing_can_be_written():
    Path("report.json").mkdir()
    assert report().exit_code == 2
    result = CliRunner().invoke(app, ["doctor", "--report", "nowhere/report.json"])
    assert result.exit_code == 1
    assert "cannot be written" in result.output
