"""Notifications, to a webhook and to a mail server on loopback."""

from __future__ import annotations

import json
import logging
import socket
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helio.clock import Clock
from helio.errors import OutputError, RequestError
from helio.flows.last_runs import forget_new_runs, new_runs, noted_run
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import Activity, Outage
from helio.service.incidents import (
    LONGEST,
    MOST,
    PAUSES,
    Incidents,
    Problem,
    outages,
    problems_of,
    read_incidents,
)
from helio.service.notify import find_addresses, send, shown
from helio.service.status import read_status
from helio.service.watch import Watch
from helio.settings import Settings, read_settings
from helio.sources.connection import explain_connection
from helio.store.runs import Runs
from helio.testing.network import Authority
from tests.cli.commands import helio
from tests.waiting import wait_until
from tests.web.homes import add_run, error

pytestmark = pytest.mark.filterwarnings(
    "ignore:'imghdr' is deprecated:DeprecationWarning"
)  # a service of apprise
NOW = datetime(2024, 5, 10, 8)
HOUR = timedelta(hours=1)


class Webhook(ThreadingHTTPServer):
    """Server that keeps what it receives."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), WebhookHandler)
        self.received: list[dict[str, Any]] = []
        self.status = 200

    @property
    def address(self) -> str:
        return f"json://user:secret-word@127.0.0.1:{self.server_port}/secret-path"


class WebhookHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Webhook)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.status == 200:
            self.server.received.append(json.loads(body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    server = Webhook()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


class Mailbox(socketserver.ThreadingTCPServer):
    """Mail server that keeps what it receives."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), MailHandler)
        self.received: list[str] = []
        self.replies: dict[str, str] = {}
        """Replies that are not as usual, by the word of the client."""


class MailHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Mailbox)
        self.wfile.write(b"220 loopback\r\n")
        for line in self.rfile:
            word = line[:4].upper().strip()
            if reply := self.server.replies.get(word.decode()):
                self.wfile.write(reply.encode() + b"\r\n")
                continue
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.received.append(b"".join(lines).decode())
            elif word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            elif word == b"AUTH":
                self.wfile.write(b"235 welcome\r\n")
                continue
            self.wfile.write(b"250 ok\r\n")


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    server = Mailbox()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def settings_of(home: Path, *addresses: str) -> Settings:
    return read_settings({"HELIO_HOME": str(home), "HELIO_NOTIFY": " ".join(addresses)})


def test_a_webhook_and_a_mail_server_receive_title_and_body(
    tmp_path: Path, webhook: Webhook, mailbox: Mailbox
) -> None:
    mail = f"mailto://127.0.0.1:{mailbox.server_address[1]}?from=helio@example.org&to=team@example.org&mode=insecure"
    addresses = find_addresses(settings_of(tmp_path, webhook.address, mail))
    assert send(addresses, "helio: Dst < -100 nT", "B_z > 5 & more\nsecond line") == {}
    [message] = webhook.received
    assert (message["title"], message["message"]) == ("helio: Dst < -100 nT", "B_z > 5 & more\nsecond line")
    [text] = mailbox.received
    assert "To: team@example.org" in text
    assert "Dst" in text


def test_addresses_are_shown_without_secrets(tmp_path: Path, webhook: Webhook) -> None:
    settings = settings_of(tmp_path, webhook.address, "slack://TokenA/TokenB/TokenC/")
    names = [entry["address"] for entry in shown(settings)]
    assert names == [f"1: json://127.0.0.1:{webhook.server_port}", "2: slack://…"]
    for text in (repr(find_addresses(settings)), repr(settings.notify_file), str(shown(settings))):
        assert "secret" not in text
        assert "Token" not in text
    assert "secret-word" not in repr(settings).replace(repr(settings.environ), "")


def test_a_server_that_refuses_or_is_down_is_named_and_no_log_has_its_address(
    tmp_path: Path, webhook: Webhook, caplog: pytest.LogCaptureFixture
) -> None:
    webhook.status = 500
    down = "json://user:secret-word@127.0.0.1:9/secret-path"
    addresses = find_addresses(settings_of(tmp_path, webhook.address, down))
    with caplog.at_level(logging.DEBUG):
        failed = send(addresses, "title", "body")
    assert [*failed] == [address.name for address in addresses]
    assert [*failed.values()] == [
        "the server answered with HTTP status 500 (Internal Server Error)",
        "the server cannot be reached: it refuses the connection",
    ]
    assert "secret" not in caplog.text


def reason(tmp_path: Path, address: str) -> str:
    addresses = find_addresses(settings_of(tmp_path, address))
    [words] = send(addresses, "title", "body").values()
    assert "secret" not in words
    return words


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "HTTP status 401 (Unauthorized); check user, password and token"),
        (404, "HTTP status 404 (Not Found); check the path"),
        (429, "HTTP status 429 (Too Many Requests); too many messages"),
        (599, "HTTP status 599"),
    ],
)
def test_the_status_of_a_webhook_is_the_reason(
    tmp_path: Path, webhook: Webhook, status: int, words: str
) -> None:
    webhook.status = status
    assert words in reason(tmp_path, webhook.address)


@pytest.mark.parametrize(
    ("refusing", "reply", "words"),
    [
        (
            "RCPT",
            "550 5.1.1 no mailbox of secret-user",
            "refuses the recipient: SMTP 550 5.1.1 no mailbox of …",
        ),
        ("MAIL", "451 try later", "refuses: SMTP 451 try later"),
        ("DATA", "554 spam", "refuses: SMTP 554 spam"),
        ("AUTH", "535 secret-user with secret-word is unknown", "refuses user and password (SMTP 535)"),
        ("QUIT", "", ""),
    ],
)
def test_the_reply_of_a_mail_server_is_the_reason(
    tmp_path: Path, mailbox: Mailbox, refusing: str, reply: str, words: str
) -> None:
    mailbox.replies = {refusing: reply, "EHLO": "250-loopback\r\n250 AUTH PLAIN"}
    server = f"127.0.0.1:{mailbox.server_address[1]}"
    query = "from=helio@example.org&to=team@example.org&mode=insecure"
    address = f"mailto://secret-user:secret-word@{server}?{query}"
    if words:
        assert words in reason(tmp_path, address)
    else:
        assert send(find_addresses(settings_of(tmp_path, address)), "title", "body") == {}


def test_a_mail_server_that_cannot_encrypt_or_is_no_mail_server_says_so(
    tmp_path: Path, mailbox: Mailbox, webhook: Webhook
) -> None:
    query = "from=helio@example.org&to=team@example.org"
    server = f"127.0.0.1:{mailbox.server_address[1]}"
    assert "has no encryption (STARTTLS)" in reason(tmp_path, f"mailtos://{server}?{query}")
    assert "does not use TLS" in reason(tmp_path, f"mailtos://{server}?{query}&mode=ssl")
    assert "does not use TLS" in reason(tmp_path, webhook.address.replace("json://", "jsons://"))
    assert "it refuses the connection" in reason(tmp_path, f"mailto://127.0.0.1:9?{query}&mode=insecure")


def test_a_name_without_address_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helio.sources.connection.has_route", lambda: True)

    def unknown(*args: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", unknown)
    assert "no address is known for this name" in reason(
        tmp_path, "json://user:secret-word@no.such.invalid/x"
    )
    assert "no address is known for this name" in reason(tmp_path, "slack://TokenA/TokenB/TokenCsecret")


def test_a_certificate_that_is_not_trusted_is_a_reason(tmp_path: Path, webhook: Webhook) -> None:
    context = Authority(tmp_path).context(self_signed=True)
    webhook.socket = context.wrap_socket(webhook.socket, server_side=True)
    words = reason(tmp_path, webhook.address.replace("json://", "jsons://"))
    assert words == "the certificate of the server is not trusted: self-signed certificate"


def test_a_server_that_does_not_answer_is_a_reason() -> None:
    assert explain_connection(TimeoutError("timed out"), "the server").cause == "timeout"
    assert explain_connection(ConnectionResetError(), "the server").cause == "closed"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("carrier-pigeon://secret-word", "apprise knows no service 'carrier-pigeon'"),
        ("slack://secret", "a part of the address is missing or wrong"),
    ],
)
def test_an_address_that_apprise_does_not_understand_says_why(
    tmp_path: Path, address: str, words: str
) -> None:
    assert words in reason(tmp_path, address)


def test_the_command_shows_each_address_and_why_it_failed(
    tmp_path: Path, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIO_HOME", str(tmp_path))
    monkeypatch.delenv("HELIO_NOTIFY", raising=False)
    assert "set HELIO_NOTIFY, or write them" in helio("notify", "test", code=2).stderr
    monkeypatch.setenv("HELIO_NOTIFY", f"{webhook.address} json://user:secret-word@127.0.0.1:9/secret-path")
    assert helio("notify", "test", code=1).output.splitlines() == [
        f"sent    1: json://127.0.0.1:{webhook.server_port}",
        "failed  2: json://127.0.0.1:9  the server cannot be reached: it refuses the connection",
    ]


def test_a_file_of_addresses_must_be_private(tmp_path: Path) -> None:
    path = tmp_path / "notify.urls"
    path.write_text("# the team\n\njson://user:secret-word@127.0.0.1:9/x\n")
    path.chmod(0o640)
    settings = settings_of(tmp_path)
    with pytest.raises(RequestError, match="contains passwords") as caught:
        find_addresses(settings)
    assert "chmod 600" in caught.value.advice
    assert "secret-word" not in str(caught.value)
    path.chmod(0o600)
    assert [entry["from"] for entry in shown(settings)] == [str(path)]


@pytest.mark.parametrize("address", ["secret-word", "json:secret-word", "http://[secret-word/x"])
def test_an_address_that_is_none_is_refused_without_showing_it(tmp_path: Path, address: str) -> None:
    with pytest.raises(RequestError, match="address 1 for notifications") as caught:
        find_addresses(settings_of(tmp_path, address))
    assert "secret-word" not in str(caught.value)


def test_a_missing_file_that_is_named_is_an_error(tmp_path: Path) -> None:
    environ = {"HELIO_HOME": str(tmp_path), "HELIO_NOTIFY_FILE": str(tmp_path / "none")}
    with pytest.raises(RequestError, match="cannot be read"):
        find_addresses(read_settings(environ))


# Incidents --------------------------------------------------------------------------------------------------

FAILED = Problem("schedule daily", "helio: daily failed", "step b: no file", "helio runs show x")


def titles(incidents: Incidents) -> list[str]:
    return [message.title for message in incidents.messages]


def test_one_message_for_an_incident_and_one_when_it_is_over() -> None:
    none: frozenset[str] = frozenset()
    state = Incidents().after([FAILED], none, NOW)
    state = state.after([FAILED], none, NOW + HOUR)
    assert titles(state) == ["helio: daily failed"]
    assert state.messages[0].body == "step b: no file\nWhat to do: helio runs show x"
    state = state.after([], frozenset({"schedule daily"}), NOW + HOUR)
    assert len(state.messages) == 1
    state = state.after([], none, NOW + HOUR)
    assert titles(state) == ["helio: daily failed", "over: helio: daily failed"]
    assert state.after([], none, NOW + 2 * HOUR) == state


def storm(start: str, stop: str = "", *, over: bool = False) -> Problem:
    return Problem("alert daily dst", "helio: alert", "Dst", over=over, since=start, until=stop)


def test_an_alert_is_reported_once_and_its_end_once() -> None:
    none: frozenset[str] = frozenset()
    state = Incidents()
    for problems in (
        [storm("2024-05-10T17")],
        [storm("2024-05-10T17")],
        [storm("2024-05-10T17", "2024-05-11T03", over=True)],
    ):
        state = state.after(problems, none, NOW)
    assert titles(state) == ["helio: alert", "over: helio: alert"]
    again = state.after([storm("2024-05-10T17", "2024-05-11T03")], none, NOW).after([], none, NOW)
    assert titles(again) == titles(state)
    later = state.after([storm("2024-05-12T01", "2024-05-12T02")], none, NOW)
    assert titles(later) == [*titles(state), "helio: alert"]
    assert set(later.open) == {"alert daily dst"}


def test_without_data_an_alert_stays_open() -> None:
    state = Incidents().after([storm("2024-05-10T17")], frozenset(), NOW)
    assert state.after([], frozenset({"alert daily dst"}), NOW) == state


def test_a_message_is_given_up_after_the_last_attempt() -> None:
    state = Incidents().after([FAILED], frozenset(), NOW)
    now = NOW
    for pause in PAUSES:
        [message] = state.messages
        state, now = state.postponed(message, ("1: json://a",), now), now + pause
        assert state.messages[0].due == now.isoformat()
    assert state.messages[0].accepted[0] == "1: json://a"
    assert state.postponed(state.messages[0], (), now).messages == ()


def test_what_is_remembered_and_sent_is_bounded() -> None:
    def alert(number: int) -> Problem:
        since = (NOW + number * HOUR).isoformat()
        return Problem(f"alert {number}", "title", "x" * 10**6, over=True, since=since, once=True)

    state = Incidents()
    for number in range(3 * MOST):
        state = state.after([alert(0), alert(number)], frozenset(), NOW)
    assert len(state.reported) == len(state.messages) == MOST
    assert {"alert 0", f"alert {3 * MOST - 1}"} <= set(state.reported)
    assert all(len(message.body) <= LONGEST for message in state.messages)
    assert state.messages[-1].body.endswith(" …")


MINUTE = timedelta(minutes=1)


def test_a_restart_of_the_engine_is_one_message() -> None:
    outage = Outage(NOW, restarted=True)
    assert list(outages(outage)) == []
    ended = replace(outage, ended=NOW + MINUTE)
    [problem] = outages(ended)
    assert problem.cause == (
        "The engine's server did not answer from 2024-05-10 08:00:00 to 08:01:00 UTC. It answers again."
    )
    state = Incidents().after([problem], frozenset(), NOW).after([problem], frozenset(), NOW)
    assert [message.title for message in state.messages] == ["helio: the engine's server did not answer"]
    assert state.open == {}
    again = Outage(NOW + 9 * MINUTE, NOW + 10 * MINUTE, restarted=True)
    assert len(state.after([*outages(again)], frozenset(), NOW).messages) == 2


def test_an_engine_that_stays_away_is_an_incident_with_its_end() -> None:
    outage = Outage(NOW, seconds=180)
    state = Incidents().after([*outages(outage)], frozenset(), NOW)
    assert list(state.open) == ["engine"]
    state = state.after([*outages(outage)], frozenset(), NOW)
    ended = replace(outage, ended=NOW + 9 * MINUTE)
    state = state.after([*outages(ended)], frozenset(), NOW)
    titles = [message.title for message in state.messages]
    assert titles == [
        "helio: the engine's server did not answer",
        "over: helio: the engine's server did not answer",
    ]
    assert state.after([*outages(ended)], frozenset(), NOW).messages == state.messages


def test_an_engine_that_is_slow_for_a_moment_is_no_message() -> None:
    assert list(outages(Outage(NOW, NOW + MINUTE, seconds=60))) == []
    assert list(outages(None)) == []


# In `helio serve` -------------------------------------------------------------------------------------------


def add_schedule(settings: Settings) -> None:
    Schedules(settings)._write(Schedule("daily", "ace-bfield-overview", "0 6 * * *"))


def ran(settings: Settings, status: str, run: str = "", reason: str = "") -> None:
    with noted_run(settings.home, "daily", Clock().utc()) as on_end:
        on_end(run, status, reason)


def test_a_failure_and_its_end_are_sent_once_each_also_after_a_restart(
    tmp_path: Path, webhook: Webhook
) -> None:
    settings = settings_of(tmp_path, webhook.address)
    add_schedule(settings)
    ran(settings, "failed", "run-1", "step b: no file")

    def look() -> bool:
        watch.look(Activity())
        return not read_incidents(tmp_path).messages

    watch = Watch(settings, on_progress=lambda line: None, every=timedelta())
    wait_until(look)
    watch = Watch(settings, on_progress=lambda line: None, every=timedelta())
    assert look()
    ran(settings, "success", add_run(tmp_path, "2024-05-09"))
    watch.look(Activity())
    wait_until(look)
    found = [(message["title"], message["message"]) for message in webhook.received]
    assert [title.split(":")[0] for title, _ in found] == ["helio", "over"]
    assert "step b: no file" in found[0][1]
    assert "helio runs show run-1" in found[0][1]


def event(start: str, stop: str = "") -> dict[str, Any]:
    return {
        "step_id": "fetch", "label": "storms", "kind": "alert", "message": f"Dst < -100 nT from {start}", "unit": "nT",
        "start": start, "stop": stop, "value": -130.0, "time": "", "figure": "/out/figure.png",
    }  # fmt: skip


class Days:
    """Runs of a daily schedule for one day after another, each followed by a look at the incidents."""

    def __init__(self, home: Path) -> None:
        self.settings = settings_of(home)
        add_schedule(self.settings)
        self.incidents = Incidents()

    def run(
        self, day: int, *events: dict[str, Any], status: str = "success", looked: bool = True
    ) -> list[str]:
        """Run a day of May 2024, and return the titles of the messages that follow."""
        home, slot = self.settings.home, datetime(2024, 5, day + 1, 6)
        started_at = f"2024-06-01T06:00:{len(Runs(self.settings.runs).ids()):02}+00:00"
        failure = None if status == "success" else error("StepError", "it failed")
        run = add_run(
            home, f"2024-05-{day:02}", status=status, failure=failure, events=events, started_at=started_at
        )
        with noted_run(home, "daily", slot) as on_end:
            on_end(run, status, "" if status == "success" else "step fetch: it failed")
        return self.look(slot) if looked else []

    def look(self, now: datetime) -> list[str]:
        before = self.incidents
        status = read_status(self.settings, now + HOUR)
        new = {"daily": new_runs(self.settings.home, "daily")}
        found = problems_of(status, self.settings, before, new)
        self.incidents = before.after(*found, now)
        forget_new_runs(self.settings.home, "daily", new["daily"])
        new = self.incidents.messages[len(before.messages) :]
        return [message.title for message in new if "alert" in message.title]

    @property
    def open(self) -> list[str]:
        return [key for key in self.incidents.open if key.startswith("alert")]


BEGUN, OVER = ["helio: alert of daily, step fetch"], ["over: helio: alert of daily, step fetch"]
EARLIER = ["helio: alert of daily, step fetch, in earlier data"]
STORM = event("2024-05-09T17:00:00Z", "2024-05-09T19:00:00Z")


def test_an_alert_of_the_last_run_names_its_figure_and_what_to_do(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, event("2024-05-09T17:00:00Z")) == BEGUN
    [message] = days.incidents.messages
    first, *rest = message.body.splitlines()
    assert first == "Dst < -100 nT from 2024-05-09T17:00:00Z"
    assert rest[0] == "Figure: /out/figure.png"
    assert rest[1].startswith("What to do: look at the figure; helio runs show ace-field-")


def test_an_alert_that_ended_within_its_day_stays_open_until_a_day_without_event(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, event("2024-05-09T17:00:00Z", "2024-05-09T19:00:00Z")) == BEGUN
    assert days.look(NOW) == []
    assert days.open == ["alert daily fetch"]
    assert days.run(10, event("2024-05-10T05:00:00Z", "2024-05-10T06:00:00Z")) == []
    assert days.run(11) == OVER
    assert "The run of 2024-05-12 06:00 UTC found no event." in days.incidents.messages[-1].body
    assert days.look(NOW) == []


def test_an_alert_over_midnight_is_over_when_newer_data_show_its_end(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(8, event("2024-05-08T17:00:00Z")) == BEGUN
    assert days.run(9, event("2024-05-09T00:00:00Z")) == []
    assert days.run(10, event("2024-05-10T00:00:00Z", "2024-05-10T05:00:00Z")) == OVER
    assert days.incidents.messages[-1].body.startswith("Dst < -100 nT from 2024-05-10T00:00:00Z")
    assert days.run(11) == []


def test_an_event_in_a_window_that_moves_is_reported_once(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, STORM) == BEGUN
    assert days.run(10, STORM) == OVER
    assert days.run(11, STORM) == []


def test_a_day_that_is_made_again_neither_ends_nor_repeats_an_alert(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, STORM) == BEGUN
    assert days.run(9, STORM) == []
    assert days.open == ["alert daily fetch"]


def test_an_alert_of_late_data_is_one_message_that_says_its_times(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(10) == []
    second = event("2024-05-09T21:00:00Z", "2024-05-09T23:00:00Z")
    assert days.run(9, STORM, second) == EARLIER
    body = days.incidents.messages[-1].body.splitlines()
    assert body[:3] == [
        "Dst < -100 nT from 2024-05-09T17:00:00Z",
        "Dst < -100 nT from 2024-05-09T21:00:00Z",
        "Found by the run of 2024-05-10 06:00 UTC, which ended after that of a newer interval.",
    ]
    assert "What to do: look at the figure; helio runs show ace-field-" in body[-1]
    assert days.look(NOW) == days.run(11) == days.open == []


def test_a_late_day_neither_ends_nor_begins_an_alert_of_a_newer_one(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(10, event("2024-05-10T00:00:00.000Z")) == BEGUN
    assert days.run(9, event("2024-05-09T17:00:00.000Z")) == EARLIER
    assert days.run(8) == []
    assert days.open == ["alert daily fetch"]
    assert days.run(11) == OVER


def test_an_event_of_a_late_run_that_failed_was_not_reported(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, STORM, status="failed") == days.run(10) == []
    assert days.run(9, STORM) == EARLIER


def test_a_late_day_that_is_made_again_reports_only_what_is_new(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(9, STORM) == BEGUN
    assert days.run(10) == OVER
    assert days.run(9, STORM) == []
    before = event("2024-05-09T02:00:00Z", "2024-05-09T03:00:00Z")
    assert days.run(9, before, STORM) == EARLIER
    assert "T17:00" not in days.incidents.messages[-1].body
    assert days.run(9, before, STORM) == []


def test_days_that_ended_between_two_looks_are_all_reported(tmp_path: Path) -> None:
    days = Days(tmp_path)
    days.run(8, event("2024-05-08T17:00:00Z", "2024-05-08T19:00:00Z"), looked=False)
    days.run(9, STORM, looked=False)
    assert days.run(10) == [*EARLIER, *EARLIER]
    days.run(11, looked=False)
    window = event("2024-05-12T17:00:00Z", "2024-05-12T19:00:00Z")
    days.run(12, window, looked=False)
    assert days.run(13, window) == BEGUN


def test_a_restart_and_a_full_disk_repeat_no_message_about_late_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = Days(tmp_path)
    days.run(10, looked=False)
    days.run(9, STORM, looked=False)
    with monkeypatch.context() as crash:
        crash.setattr("tests.service.test_notify.forget_new_runs", lambda *args: None)
        assert days.look(NOW) == EARLIER
    assert days.look(NOW) == []


def test_without_addresses_no_notes_of_new_runs_stay(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    add_schedule(settings)
    ran(settings, "success", add_run(tmp_path, "2024-05-09"))
    assert new_runs(tmp_path, "daily")
    Watch(settings, on_progress=lambda line: None, every=timedelta()).look(Activity())
    assert new_runs(tmp_path, "daily") == ()
    ran(settings, "success", add_run(tmp_path, "2024-05-10"))
    Schedules(settings).remove("daily")
    assert new_runs(tmp_path, "daily") == ()


def test_the_watch_sends_the_alert_of_late_data_once(tmp_path: Path, webhook: Webhook) -> None:
    days = Days(tmp_path)
    days.settings = settings_of(tmp_path, webhook.address)
    days.run(10, looked=False)
    days.run(9, STORM, looked=False)
    watch = Watch(days.settings, on_progress=lambda line: None, every=timedelta())
    wait_until(lambda: (watch.look(Activity()), not read_incidents(tmp_path).messages)[1])
    titles = [message["title"] for message in webhook.received]
    assert [title for title in titles if "alert" in title] == EARLIER


def test_a_run_without_the_alert_step_says_nothing_about_the_alert(tmp_path: Path) -> None:
    days = Days(tmp_path)
    assert days.run(8, event("2024-05-08T17:00:00Z")) == BEGUN
    assert days.run(9, status="failed") == []
    assert days.run(10, status="partial") == []
    assert days.open == ["alert daily fetch"]
    assert days.run(11) == OVER


def test_the_alert_of_a_partial_run_is_reported(tmp_path: Path) -> None:
    assert Days(tmp_path).run(9, event("2024-05-09T17:00:00Z"), status="partial") == BEGUN


def test_a_server_that_is_down_delays_nothing_and_the_message_waits(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "json://user:secret-word@127.0.0.1:9/secret-path")
    add_schedule(settings)
    ran(settings, "failed", "run-1", "step b: no file")
    lines: list[str] = []
    watch = Watch(settings, on_progress=lines.append, every=timedelta())

    def looked() -> bool:
        watch.look(Activity())
        return any(message.attempts for message in read_incidents(tmp_path).messages)

    wait_until(looked)
    [message] = read_incidents(tmp_path).messages
    assert message.attempts == 1
    assert any("was not accepted by 1: json://127.0.0.1:9" in line for line in lines)
    kept = (tmp_path / "schedules" / ".incidents.json").read_text()
    assert "secret" not in kept + "".join(lines)


def test_on_a_full_disk_a_message_is_sent_once_and_written_when_there_is_space(
    tmp_path: Path, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(tmp_path, webhook.address)
    add_schedule(settings)
    ran(settings, "failed", "run-1", "step b: no file")

    def is_full(*args: object, **options: object) -> None:
        raise OutputError("the disk is full")

    lines: list[str] = []
    watch = Watch(settings, on_progress=lines.append, every=timedelta())
    with monkeypatch.context() as full:
        full.setattr("helio.service.watch.write_heartbeat", is_full)
        full.setattr("helio.service.watch.write_incidents", is_full)
        wait_until(lambda: (watch.look(Activity()), webhook.received)[1])
        for _ in range(3):
            watch.look(Activity())
    assert read_incidents(tmp_path) == Incidents()
    wait_until(lambda: (watch.look(Activity()), not read_incidents(tmp_path).messages)[1])
    assert list(read_incidents(tmp_path).open) == ["schedule daily"]
    assert len(webhook.received) == 1
    assert lines == ["the disk is full"]


def test_a_file_that_others_may_read_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "notify.urls").write_text("json://127.0.0.1:9\n")
    (tmp_path / "notify.urls").chmod(0o644)
    lines: list[str] = []
    watch = Watch(settings_of(tmp_path), on_progress=lines.append, every=timedelta())
    watch.look(Activity())
    watch.look(Activity())
    assert len(lines) == 1
    assert "chmod 600" in lines[0]
