"""What the client asks, how often, how long it waits, and what it says went wrong; over real HTTP."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime

import pytest

from helio import __version__
from helio.clock import Clock
from helio.errors import Cancelled, HelioError, RateLimited, Refused, RequestError, ServerUnavailable
from helio.sources.http import Hosts, Http, retry_after
from helio.testing.cdaweb import REST
from tests.waiting import LONG

pytestmark = pytest.mark.slow

DATASETS = f"{REST}datasets"


@pytest.mark.parametrize(
    ("faults", "kind", "attempts"),
    [
        (["timeout"] * 3, ServerUnavailable, 3),
        (["reset"] * 3, ServerUnavailable, 3),
        (["closed"] * 3, ServerUnavailable, 3),
        (["truncate"] * 3, ServerUnavailable, 3),
        (["stall"] * 3, ServerUnavailable, 3),
        (["500"] * 3, ServerUnavailable, 3),
        (["502", "503", "504"], ServerUnavailable, 3),
        (["408"] * 3, ServerUnavailable, 3),
        (["html"] * 3, ServerUnavailable, 3),
        ([("429", 2)] * 3, RateLimited, 3),
        ([("503 retry", 2)] * 3, RateLimited, 3),
        ([("429", 3600)], RateLimited, 1),
        (["400"], Refused, 1),
        (["401"], Refused, 1),
        (["403"], Refused, 1),
        (["404"], Refused, 1),
        (["501"], Refused, 1),
    ],
    ids=lambda value: "+".join(map(str, value)) if isinstance(value, list) else None,
)
def test_each_fault_has_its_error_and_number_of_attempts(standin, http, faults, kind, attempts):
    standin.fail("datasets", *faults)
    with pytest.raises(HelioError) as caught:
        http.get_json(standin.url + DATASETS)
    assert type(caught.value) is kind
    assert len(standin.requests) == attempts
    assert caught.value.place == standin.url + DATASETS
    assert ("after 3 attempts" in caught.value.message) == (attempts == 3)


@pytest.mark.parametrize("fault", ["timeout", "reset", "closed", "truncate", "503", ("429", 1), "html"])
def test_one_fault_is_survived(standin, http, fault):
    standin.fail("datasets", fault)
    _, reply = http.get_json(standin.url + DATASETS)
    assert [dataset["Id"] for dataset in reply["DatasetDescription"]] == ["AC_K2_MFI", "STA_L1_HET"]
    assert len(standin.requests) == 2


def test_a_server_that_is_not_there_is_unavailable(http, clock):
    with pytest.raises(ServerUnavailable, match="cannot be reached"):
        http.get("http://127.0.0.1:1/")
    assert len(clock.slept) == 2


def test_waits_grow_and_are_spread(standin, http, clock):
    standin.fail("datasets", "500", "500", "500")
    with pytest.raises(ServerUnavailable):
        http.get(standin.url + DATASETS)
    assert clock.slept == [0.75, 1.5]


def test_a_server_that_names_its_wait_is_given_it(standin, http, clock):
    standin.fail("datasets", ("429", 7), ("429", 9))
    http.get(standin.url + DATASETS)
    assert clock.slept == [7.0, 9.0]


def test_a_wait_may_be_named_as_a_date(standin, http, clock):
    standin.fail("datasets", ("429 date", clock.now() + 30))
    http.get(standin.url + DATASETS)
    assert clock.slept[0] == pytest.approx(30, abs=2)


def test_a_wait_beyond_the_budget_is_said_and_the_server_left_alone(standin, http):
    standin.fail("datasets", ("429", 600))
    with pytest.raises(RateLimited, match="wait 600 s"):
        http.get(standin.url + DATASETS)
    with pytest.raises(RateLimited, match="limits the number of requests"):
        http.get(standin.url + DATASETS)
    assert len(standin.requests) == 1


def test_no_more_is_waited_than_the_budget(standin, clock):
    http = Http(timeout=10, budget=10, clock=clock, hosts=Hosts())
    standin.fail("datasets", ("429", 8), ("429", 8))
    with pytest.raises(RateLimited):
        http.get(standin.url + DATASETS)
    http.close()
    assert clock.slept == [8.0]


@pytest.mark.parametrize("text", ["soon", "", "nan", "inf"])
def test_a_wait_that_is_none_is_taken_for_none(text):
    assert retry_after(text, now=0.0) is None


def test_a_date_in_the_past_means_now():
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=1e9) == 0.0


def test_what_the_server_says_is_passed_on_and_its_pages_are_not(standin, http):
    standin.fail("datasets", "403")
    with pytest.raises(Refused, match=r"refuses the request \(403: fault 403\)"):
        http.get(standin.url + DATASETS)
    with pytest.raises(Refused) as caught:
        http.get(standin.url + "/nowhere")
    assert "<" not in caught.value.message


def test_an_expected_status_is_no_error(standin, http):
    assert http.get_json(standin.url + REST + "datasets/NONE/variables", expected=(200, 404)) == (
        404,
        {"Message": ["Unknown dataset"]},
    )


def test_requests_name_helio(standin, http):
    http.get(standin.url + DATASETS)
    assert standin.requests[0].headers["User-Agent"] == f"helio-pipelines/{__version__}"


@pytest.mark.parametrize("url", ["ftp://host/file", "file:///etc/passwd", "no url"])
def test_only_http_is_spoken(http, url):
    with pytest.raises(Refused):
        http.get(url)


@pytest.mark.parametrize(
    ("name", "value"), [("SSL_CERT_FILE", "/nowhere/ca.pem"), ("HTTP_PROXY", "gopher://proxy")]
)
def test_an_environment_that_cannot_be_used_is_said(http, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(RequestError) as caught:
        http.get("http://host.invalid/")
    assert name in caught.value.advice


def test_a_proxy_of_the_environment_is_used(standin, http, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", standin.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(Refused):
        http.get("http://host.invalid/a")
    assert standin.requests[0].path == "http://host.invalid/a"


def test_two_requests_at_once_are_the_most_a_host_gets_from_all_clients(standin):
    hosts = Hosts()
    clients = [Http(timeout=5, hosts=hosts, clock=Clock()) for _ in range(3)]
    standin.fail("datasets", *[("slow", 0.005)] * 9)
    threads = [
        threading.Thread(target=client.get, args=(standin.url + DATASETS,))
        for client in clients
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients:
        client.close()
    assert len(standin.requests) == 9
    assert standin.most_at_once == 2


def test_the_clock_tells_utc_without_a_zone():
    assert Clock(now=lambda: 86_400.0).utc() == datetime(1970, 1, 2)


def cancelled_when(asked: Callable[[], bool], http: Http, url: str) -> None:
    """Make a request in a thread, cancel once something is seen, and expect the request to end for that."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(http.get, url)
        waiting = threading.Event()
        while not asked():
            waiting.wait(0.01)
        http.cancel()
        with pytest.raises(Cancelled):
            future.result(timeout=LONG)


@pytest.mark.parametrize("fault", ["timeout", ("stall", 10), ("slow", 1.0)])
def test_a_request_under_way_ends_when_it_is_cancelled(standin, fault):
    standin.fail("datasets", fault)
    with closing(Http(hosts=Hosts())) as http:
        cancelled_when(lambda: bool(standin.requests), http, standin.url + DATASETS)
    assert len(standin.requests) == 1


def test_a_kept_connection_is_ended_too(standin):
    with closing(Http(hosts=Hosts())) as http:
        http.get(standin.url + DATASETS)
        standin.fail("datasets", "timeout")
        cancelled_when(lambda: len(standin.requests) == 2, http, standin.url + DATASETS)


def test_a_wait_that_the_server_asked_for_ends_when_it_is_cancelled(standin):
    standin.fail("datasets", ("429", 60))
    hosts = Hosts()
    with closing(Http(hosts=hosts)) as http:
        host = standin.url.removeprefix("http://")
        cancelled_when(lambda: hosts.quiet_for(host, http.clock.now()) > 1, http, standin.url + DATASETS)
    assert len(standin.requests) == 1


def test_a_wait_for_a_place_at_the_host_ends_when_it_is_cancelled(standin):
    hosts, other = Hosts(1), threading.Event()
    with hosts.slot(standin.url.removeprefix("http://"), other), closing(Http(hosts=hosts)) as http:
        cancelled_when(lambda: True, http, standin.url + DATASETS)
    assert standin.requests == []


def test_a_cancelled_client_asks_nobody_any_more_and_others_still_do(standin):
    with closing(Http(hosts=Hosts())) as http, closing(Http(hosts=Hosts())) as other:
        http.cancel()
        with pytest.raises(Cancelled):
            http.get(standin.url + DATASETS)
        other.get(standin.url + DATASETS)
    assert len(standin.requests) == 1
