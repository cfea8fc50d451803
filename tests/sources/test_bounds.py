"""What a server may send: bounded in bytes, in time and in rate, whatever it does with HTTP, compression and JSON."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from itertools import chain, repeat
from pathlib import Path

import pytest

from helio.errors import (
    DamagedFile,
    DataError,
    HelioError,
    Refused,
    ReplyTooLarge,
    ServerUnavailable,
    TooLarge,
    TooSlow,
)
from helio.settings import NetworkLimits
from helio.sources.answer import read_json
from helio.sources.downloads import Downloads, FileRequest
from helio.sources.folder_listing import read_listing
from helio.sources.hapi_reply import split_header
from helio.sources.http import Hosts, Http
from helio.sources.providers import hapi as hapi_module
from helio.sources.providers.hapi import Hapi
from helio.sources.providers.swpc import PRODUCTS, Swpc
from helio.testing import FakeClock
from helio.testing.faulty import (
    JSON,
    OK,
    FaultyServer,
    bomb,
    drip,
    endless,
    many_members,
    redirect,
    unending_json,
    whole,
)
from helio.time_range import TimeRange

pytestmark = pytest.mark.process

LIMITS = NetworkLimits(reply_bytes=100_000, reply_seconds=20, least_rate=5000, rate_seconds=2.0)


@pytest.fixture
def server():
    with FaultyServer() as started:
        yield started


@pytest.fixture
def http():
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts(), limits=LIMITS)) as client:
        yield client


@pytest.fixture
def impatient():
    """A client for servers that are always too slow: it soon gives them up."""
    limits = replace(LIMITS, rate_seconds=0.4)
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts(), limits=limits)) as client:
        yield client


def fault(server: FaultyServer, http: Http, answer, *, as_json: bool = True) -> DataError:
    """The error that an answer ends in, the same for both ways of asking."""
    server.answers["/a"] = answer
    with pytest.raises(HelioError) as caught:
        http.get_json(f"{server.url}/a") if as_json else http.get(f"{server.url}/a")
    assert caught.value.place == f"{server.url}/a"
    assert isinstance(caught.value, DataError)
    return caught.value


LONG_BODY = [JSON + b"Content-Length: 100000000000\r\n\r\n", b"[1,"]

TOO_LARGE = {
    "a length beyond the limit": lambda: LONG_BODY,
    "no length and no end": unending_json,
    "chunks without end": lambda: chain(
        [JSON + b"Transfer-Encoding: chunked\r\n\r\n"], repeat(b'4\r\n"a",\r\n' * 1000)
    ),
    "a gzip bomb": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n"),
    "a gzip bomb by its other name": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: X-GZip\r\n"),
    "a zlib bomb": lambda: whole(bomb("zlib", 64), headers=b"Content-Encoding: deflate\r\n"),
    "a bare deflate bomb": lambda: whole(bomb("bare", 64), headers=b"Content-Encoding: deflate\r\n"),
    "gzip streams of nothing": lambda: [
        JSON + b"Content-Encoding: gzip\r\n\r\n",
        many_members(10_000),
    ],
}


@pytest.mark.parametrize("kind", TOO_LARGE)
@pytest.mark.parametrize("as_json", [True, False], ids=["json", "bytes"])
def test_a_reply_beyond_the_limit_is_refused_at_once(server, http, kind, as_json):
    error = fault(server, http, TOO_LARGE[kind](), as_json=as_json)
    assert type(error) is ReplyTooLarge
    assert "100 kB" in error.message
    assert "HELIO_REPLY_MB" in error.advice
    assert len(server.requests) == 1


def test_the_setting_allows_a_longer_reply(server):
    server.answers["/a"] = whole(
        gzip.compress(b"[1]" + b" " * 900_000), headers=b"Content-Encoding: gzip\r\n"
    )
    with closing(Http(timeout=10, hosts=Hosts(), limits=replace(LIMITS, reply_bytes=10**6))) as http:
        assert http.get_json(f"{server.url}/a") == (200, [1])


TOO_SLOW = {
    "a body": lambda: chain([JSON + b"\r\n"], drip(b'["' + b"a" * 5000 + b'"]', 0.02)),
    "a body of a known length": lambda: chain(
        [JSON + b"Content-Length: 5000\r\n\r\n"], drip(b"1" * 5000, 0.02)
    ),
    "chunks": lambda: chain([JSON + b"Transfer-Encoding: chunked\r\n\r\n"], drip(b"1\r\n1\r\n" * 900, 0.02)),
    "within the head of a chunk": lambda: chain(
        [JSON + b"Transfer-Encoding: chunked\r\n\r\n"], drip(b"1;" + b"a" * 5000, 0.02)
    ),
    "the status": lambda: drip(b"HTTP/1.1 200 " + b"O" * 5000, 0.02),
    "a header": lambda: chain([OK], drip(b"X-Long: " + b"a" * 5000, 0.02)),
    "many headers": lambda: chain([OK], drip(b"A: b\r\n" * 900, 0.02)),
    "interim answers": lambda: drip(b"HTTP/1.1 102 Processing\r\n\r\n" * 900, 0.02),
    "a gzip stream": lambda: chain(
        [JSON + b"Content-Encoding: gzip\r\n\r\n"], drip(gzip.compress(bytes(range(256)) * 99), 0.02)
    ),
}


@pytest.mark.parametrize("kind", TOO_SLOW)
def test_a_server_below_the_least_rate_is_given_up_after_its_attempts(server, impatient, kind):
    error = fault(server, impatient, lambda request: TOO_SLOW[kind]())
    assert type(error) is TooSlow
    assert "5000 bytes a second over 0.4 s" in error.message
    assert "after 3 attempts" in error.message
    assert "HELIO_LEAST_RATE" in error.advice
    assert len(server.requests) == 3


def test_a_slow_attempt_is_survived(server, http):
    answers = iter([chain([JSON + b"\r\n"], drip(b"1" * 5000, 0.02)), whole(b"[1]")])
    server.answers["/a"] = lambda request: next(answers)
    assert http.get_json(f"{server.url}/a") == (200, [1])


def test_a_reply_that_stops_coming_is_given_up_as_too_slow(server):
    limits = replace(LIMITS, reply_seconds=600, rate_seconds=0.1)
    with closing(Http(timeout=600, clock=FakeClock(), hosts=Hosts(), limits=limits)) as http:
        head = JSON + b"Content-Length: 5000\r\n\r\n"
        error = fault(server, http, lambda request: iter([head, b"[1,", 600.0, b"2]"]))
    assert type(error) is TooSlow
    assert "HELIO_RATE_SECONDS" in error.advice


def test_a_steady_reply_without_end_is_given_up_after_its_time_and_not_tried_again(server):
    limits = replace(LIMITS, reply_seconds=3.0, least_rate=1)
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts(), limits=limits)) as http:
        error = fault(server, http, lambda request: chain([JSON + b"\r\n"], drip(b"1" * 90_000, 0.01, 10)))
    assert type(error) is TooSlow
    assert "within 3 s" in error.message
    assert "HELIO_REPLY_SECONDS" in error.advice
    assert len(server.requests) == 1


def test_silence_ends_with_the_time_of_the_reply_too(server):
    limits = replace(LIMITS, reply_seconds=0.3)
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts(), limits=limits)) as http:
        error = fault(server, http, lambda request: [10.0])
    assert type(error) is TooSlow
    assert "within 0.3 s" in error.message


ODD = {
    "headers without end": lambda: chain([OK], endless(b"A: b\r\n")),
    "one header without end": lambda: chain([OK + b"A: "], endless(b"b")),
    "a status without end": lambda: chain([b"HTTP/1.1 200 "], endless(b"b")),
    "interim answers without end": lambda: endless(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "hints without end": lambda: endless(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "a chunk's head without end": lambda: chain(
        [JSON + b"Transfer-Encoding: chunked\r\n\r\n1;"], endless(b"b")
    ),
    "chunks of more framing than content": lambda: chain(
        [JSON + b"Transfer-Encoding: chunked\r\n\r\n"], repeat(b"1;" + b"b" * 60_000 + b"\r\n1\r\n")
    ),
    "trailers without end": lambda: chain(
        [JSON + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"], endless(b"A: b\r\n")
    ),
    "gzip, twice": lambda: whole(
        gzip.compress(gzip.compress(b"[]")), headers=b"Content-Encoding: gzip, gzip\r\n"
    ),
    "gzip, in two headers": lambda: whole(
        gzip.compress(gzip.compress(b"[]")), headers=b"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
    ),
    "another compression": lambda: whole(b"1234", headers=b"Content-Encoding: br\r\n"),
    "zstd": lambda: whole(b"1234", headers=b"Content-Encoding: zstd\r\n"),
    "two lengths": lambda: [JSON + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]"],
    "a length of a thousand digits": lambda: [JSON + b"Content-Length: " + b"9" * 1000 + b"\r\n\r\n[]"],
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_not_http_ends_in_an_error_that_is_ours(server, http, kind):
    error = fault(server, http, lambda request: ODD[kind]())
    assert type(error) in (Refused, ServerUnavailable)
    assert all(sent < 16 * 1024**2 for sent in server.sent)


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oops", "429 Slow Down", "503 Busy"])
@pytest.mark.parametrize("body", ["endless", "bomb", "slow", "deep"])
def test_the_body_of_an_error_is_bounded_too(server, http, impatient, status, body):
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\n".encode()
    bodies = {
        "endless": lambda: chain([head + b"\r\n"], endless(b"no ")),
        "bomb": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n", head=head),
        "slow": lambda: chain([head + b"\r\n"], drip(b"n" * 5000, 0.02)),
        "deep": lambda: whole(b'{"Message": ' * 5000, head=head),
    }
    error = fault(server, impatient if body == "slow" else http, lambda request: bodies[body]())
    assert status[:3] in error.message
    assert len(error.message) < 300


# JSON


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (nested(100_000 // 2 - 1), "values|levels"),
        (nested(3000), "levels"),
        (nested(80), "64 levels"),
        (b'{"a":' * 80 + b"1" + b"}" * 80, "64 levels"),
        (b"[" * 5000, "levels"),
        (b"1" * 50_000, "50,000 digits"),
        (b'{"n": -' + b"9" * 5000 + b"}", "digits"),
        (b"[" + b"[]," * 30_000 + b"[]]", "values"),
        (b"[" + b'{"a":1},' * 11_000 + b"1]", "values"),
    ],
)
def test_json_beyond_reason_is_refused_and_not_asked_for_again(server, http, content, words):
    error = fault(server, http, whole(content))
    assert type(error) is ReplyTooLarge
    assert re.search(words, error.message)
    assert len(server.requests) == 1


def test_json_of_services_is_read():
    document = {
        "deep": json.loads(nested(20)),
        "whole": 2**64,
        "small": -(2**63),
        "real": 1e300,
        "none": None,
    }
    assert read_json(json.dumps(document).encode(), 10**6, "host") == document
    assert read_json(nested(65), 10**6, "host")
    with pytest.raises(ValueError, match="Expecting"):
        read_json(b"<html>", 10**6, "host")


# What is honest


HONEST = {
    "gzip": (gzip.compress(b"[1]"), b"Content-Encoding: gzip\r\n"),
    "gzip in two streams": (gzip.compress(b"[") + gzip.compress(b"1]"), b"Content-Encoding: gzip\r\n"),
    "zlib": (zlib.compress(b"[1]"), b"Content-Encoding: deflate\r\n"),
    "bare deflate": (zlib.compress(b"[1]", wbits=-15), b"Content-Encoding: deflate\r\n"),
    "identity": (b"[1]", b"Content-Encoding: identity\r\n"),
    "identity and gzip": (gzip.compress(b"[1]"), b"Content-Encoding: identity, gzip\r\n"),
}


@pytest.mark.parametrize("kind", HONEST)
def test_compressed_replies_are_read(server, http, kind):
    body, headers = HONEST[kind]
    server.answers["/a"] = whole(body, headers=headers)
    assert http.get_json(f"{server.url}/a") == (200, [1])


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_reply_that_is_cut_is_asked_for_again(server, http, coding):
    packed = gzip.compress(b"[1]" * 99) if coding == "gzip" else zlib.compress(b"[1]" * 99)
    headers = f"Content-Encoding: {coding}\r\n".encode()
    answers = iter([whole(packed[:-4], headers=headers), whole(b"[1]")])
    server.answers["/a"] = lambda request: next(answers)
    assert http.get_json(f"{server.url}/a") == (200, [1])


def test_a_long_silence_before_the_first_byte_is_no_fault(server, http):
    server.answers["/a"] = chain([0.9], whole(b"[1]"))
    assert http.get_json(f"{server.url}/a") == (200, [1])
    assert len(server.requests) == 1


def test_a_pause_in_the_middle_of_a_body_is_no_fault(server, http):
    body = b'["' + b"a" * 60_000 + b'"]'
    server.answers["/a"] = [JSON + b"\r\n", body[:30_000], 0.9, body[30_000:]]
    assert http.get_json(f"{server.url}/a")[0] == 200
    assert len(server.requests) == 1


def test_interim_answers_are_passed_over(server, http):
    server.answers["/a"] = chain([b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"], whole(b"[1]"))
    assert http.get_json(f"{server.url}/a") == (200, [1])


def test_chunks_of_one_byte_are_read(server, http):
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in b"[" + b" " * 60_000 + b"1]")
    server.answers["/a"] = [JSON + b"Transfer-Encoding: chunked\r\n\r\n", chunks + b"0\r\n\r\n"]
    assert http.get_json(f"{server.url}/a") == (200, [1])


def test_cookies_are_not_kept(server, http):
    server.answers["/a"] = whole(b"[1]", headers=b"Set-Cookie: a=1; Path=/\r\n")
    http.get_json(f"{server.url}/a")
    http.get_json(f"{server.url}/a")
    assert "cookie" not in server.requests[1].lower()


def test_a_slow_handshake_of_tls_is_bounded_as_a_whole():
    hello = b"\x16\x03\x03\x40\x00" + bytes(0x4000)
    with (
        FaultyServer({"tls": lambda request: drip(hello, 0.05)}) as server,
        closing(Http(timeout=10, connecting=0.5, clock=FakeClock(), hosts=Hosts())) as http,
        pytest.raises(ServerUnavailable, match=r"within 0\.5 s"),
    ):
        http.get(server.url.replace("http:", "https:"))


# Redirects


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
)
def test_a_redirect_within_the_host_is_followed_and_its_body_is_not_read(server, http, status):
    head = f"HTTP/1.1 {status}\r\nLocation: /b\r\n\r\n".encode()
    server.answers |= {"/a": lambda request: chain([head], endless(b"moved ")), "/b": whole(b"[1]")}
    assert http.get_json(f"{server.url}/a") == (200, [1])
    assert server.sent[0] < 16 * 1024**2


def test_the_headers_of_a_request_go_along_with_a_redirect(server, http):
    server.answers |= {"/a": redirect("/b"), "/b": whole(b"[1]")}
    http.get_json(f"{server.url}/a")
    assert "accept: application/json" in server.requests[1].lower()


def test_redirects_in_a_circle_end(server, http):
    server.answers["/b"] = redirect("/a")
    error = fault(server, http, redirect("/b"))
    assert type(error) is Refused
    assert "redirects more than 5 times" in error.message
    assert len(server.requests) == 6


# Files


FILE_LIMITS = NetworkLimits(reply_bytes=1000, reply_seconds=0.3, least_rate=5000, rate_seconds=2.0)
"""Neither the length nor the time of a reply counts for files."""


def downloads(root: Path, http: Http, **options) -> Downloads:
    return Downloads(root, http, check=lambda path: None, **options)


@pytest.fixture
def file_http():
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts(), limits=FILE_LIMITS)) as client:
        yield client


def sent_without_end(headers: bytes = b"") -> chain:
    return chain([OK + headers + b"\r\n"], endless(b"file"))


@pytest.mark.parametrize("kind", ["no length", "chunks", "a larger range"])
def test_a_file_ends_at_its_listed_size(server, file_http, tmp_path, kind):
    answers = {
        "no length": sent_without_end,
        "chunks": lambda: chain(
            [OK + b"Transfer-Encoding: chunked\r\n\r\n"], repeat(b"8\r\nfilefile\r\n" * 4000)
        ),
        "a larger range": lambda: sent_without_end(b"Content-Range: bytes 0-31000/*\r\n"),
    }
    server.answers["/a.cdf"] = lambda request: answers[kind]()
    with pytest.raises(DamagedFile, match="is longer than the 31000 bytes"):
        downloads(tmp_path, file_http).get([FileRequest(f"{server.url}/a.cdf", 31_000)])
    assert len(server.requests) == 1
    assert server.sent[0] < 16 * 1024**2


def test_a_file_of_no_listed_size_ends_at_the_limit_of_downloads(server, file_http, tmp_path):
    server.answers["/a.cdf"] = sent_without_end()
    with pytest.raises(TooLarge, match="1 MB"):
        downloads(tmp_path, file_http, limit=10**6).get([FileRequest(f"{server.url}/a.cdf")])
    assert server.sent[0] < 16 * 1024**2


def test_a_slow_file_is_given_up(server, impatient, tmp_path):
    server.answers["/a.cdf"] = lambda request: chain([OK + b"\r\n"], drip(b"f" * 31_000, 0.02))
    with pytest.raises(TooSlow, match="after 3 attempts"):
        downloads(tmp_path, impatient).get([FileRequest(f"{server.url}/a.cdf", 31_000)])


def test_a_file_may_take_longer_than_a_reply_and_be_longer(server, file_http, tmp_path):
    body = bytes(range(250)) * 400
    server.answers["/a.cdf"] = lambda request: chain([OK + b"\r\n"], drip(body, 0.02, 2500))
    [kept] = downloads(tmp_path, file_http).get([FileRequest(f"{server.url}/a.cdf", len(body))])
    assert kept.path.read_bytes() == body
    assert len(server.requests) == 1


# HAPI


DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
INFO = {
    "HAPI": "3.2", "status": {"code": 1200, "message": "OK"}, "startDate": "2021-01-01Z", "stopDate": "2022-01-01Z",
    "cadence": "PT1H", "parameters": [
        {"name": "Time", "type": "isotime", "length": 24, "units": "UTC", "fill": None},
        {"name": "B", "type": "double", "units": "nT", "fill": None},
    ],
}  # fmt: skip


@pytest.fixture
def hapi(server, tmp_path, http):
    server.answers["/hapi/info"] = whole(json.dumps(INFO).encode())
    server.answers["/hapi/capabilities"] = whole(b'{"HAPI": "3.2", "outputFormats": ["csv"]}')
    return Hapi(tmp_path, http, url=f"{server.url}/hapi")


@pytest.mark.parametrize("kind", ["endless", "bomb", "deep", "values"])
def test_the_catalogue_of_a_hapi_server_is_bounded(server, hapi, kind):
    answers = {
        "endless": unending_json,
        "bomb": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n"),
        "deep": lambda: whole(b'{"catalog": ' + nested(3000) + b"}"),
        "values": lambda: whole(b'{"catalog": [' + b"[]," * 30_000 + b"1]}"),
    }
    server.answers["/hapi/catalog"] = answers[kind]()
    with pytest.raises(ReplyTooLarge):
        hapi.datasets()


def test_records_of_hapi_that_are_a_bomb_are_asked_for_in_halves_and_given_up(server, hapi, monkeypatch):
    monkeypatch.setattr(hapi_module, "_MOST_AT_ONCE", 10**6)
    server.answers["/hapi/data"] = whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n", head=OK)
    with pytest.raises(Refused, match="more than 1 MB"):
        hapi.fetch("A", ["B"], DAY)


def test_a_header_of_a_million_lines_is_read_once():
    header, body = split_header(b"#\n" * 1_000_000 + b'#{"HAPI": "3.2"}\n2021-10-28Z,1.0\n')
    assert (header, body) == ({}, b"2021-10-28Z,1.0\n")  # a header begins with its brace
    assert split_header(b'#{"HAPI":\n# "3.2"}\n') == ({"HAPI": "3.2"}, b"")
    assert split_header(b'#{"HAPI": "3.2"}') == ({"HAPI": "3.2"}, b"")


def test_slow_records_of_hapi_are_given_up(server, hapi):
    server.answers["/hapi/data"] = lambda request: chain(
        [OK + b"\r\n"], drip(b"2021-10-28Z,1.0\n" * 100, 0.02)
    )
    with pytest.raises(TooSlow):
        hapi.fetch("A", ["B"], DAY)


# SWPC


@pytest.mark.parametrize("kind", ["endless", "bomb", "deep"])
def test_replies_of_swpc_are_bounded(server, http, tmp_path, kind):
    answers = {
        "endless": unending_json,
        "bomb": lambda: whole(bomb("gzip", 64), headers=b"Content-Encoding: gzip\r\n"),
        "deep": lambda: whole(b'[{"time_tag": ' + nested(3000) + b"}]"),
    }
    provider = Swpc(tmp_path, http, url=server.url)
    dataset = provider.datasets()[0]
    server.answers[f"/{PRODUCTS[dataset].path}"] = answers[kind]()
    with pytest.raises(ReplyTooLarge):
        provider.locate(dataset, DAY)


# Listings


def test_a_page_of_links_that_never_end_is_read_link_by_link():
    page = '<a href="a.cdf">' * 200_000 + '<A HREF="b.cdf">b</A> 2022-01-01 00:00'
    [file] = read_listing("https://host/data/", page)
    assert (file.url, file.last_modified) == ("https://host/data/b.cdf", "2022-01-01 00:00")
