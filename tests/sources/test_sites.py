"""Which hosts are asked: the provider's own and declared ones, and private addresses only where the user named them."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from datetime import datetime
from pathlib import Path

import httpx2
import pytest

from helio.errors import ForeignAddress, PrivateAddress, Refused, ServerUnavailable
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.refresh import renew
from helio.settings import NetworkLimits
from helio.sources.downloads import Downloads, FileRequest
from helio.sources.http import Hosts, Http, _refuse_redirect
from helio.sources.providers.cdaweb import CdaWeb
from helio.sources.providers.cdaweb_folders import CdaWebFolders
from helio.sources.providers.hapi import Hapi
from helio.sources.providers.swpc import PRODUCTS, Swpc
from helio.sources.sites import Site, is_public
from helio.testing import FakeClock, FaultyServer
from helio.testing.faulty import redirect, whole
from helio.time_range import TimeRange
from tests.rows import in_one_test

DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
REST = "/WS/cdasr/1/dataviews/sp_phys/datasets"


@pytest.fixture
def server():
    with FaultyServer({"/a": whole(b"[1]")}) as started:
        yield started


@pytest.fixture
def other():
    """A server that nobody named."""
    with FaultyServer({"/a": whole(b"[2]")}) as started:
        yield started


@pytest.fixture
def http():
    with closing(Http(timeout=10, clock=FakeClock(), hosts=Hosts())) as client:
        yield client


@in_one_test(
    "address",
    [
        "127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2002:c0a8:101::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["128.183.169.245", "8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_addresses_that_are_public(address):
    assert is_public(address)


SPELLINGS = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "127.1",
    "localhost",
    "LocalHost",
    "0",
]


@pytest.mark.parametrize("spelling", [*SPELLINGS, "[::ffff:127.0.0.1]"])
def test_a_loopback_address_that_nobody_named_is_not_asked(server, http, spelling):
    url = f"http://{spelling}:{server.port}/a"
    with pytest.raises(PrivateAddress, match="this machine") as caught:
        http.at(url, by_user=False).get(url)
    assert caught.value.place == url
    assert "HELIO_FURTHER_HOSTS" in caught.value.advice
    assert server.requests == []


@pytest.mark.parametrize("spelling", ["127.0.0.1", "localhost", "LocalHost"])
def test_a_loopback_address_that_the_user_named_is_asked(server, http, spelling):
    url = f"http://{spelling}:{server.port}"
    assert http.at(url, by_user=True).get_json(f"{url.lower()}/a") == (200, [1])


def test_the_user_names_a_host_with_its_port(server, other, http):
    asked = http.at(server.url, by_user=True)
    with pytest.raises(ForeignAddress):
        asked.get(f"{other.url}/a")
    with pytest.raises(ForeignAddress):
        asked.get(f"http://localhost:{server.port}/a")
    assert server.requests == other.requests == []


def looked_up(monkeypatch, *answers: str) -> list[str]:
    """Let names have these addresses, one after the other; gives the addresses that were connected to."""
    tried: list[str] = []
    waiting = iter(answers)

    def look_up(host, port, *args, **options):
        address = next(waiting)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connect(address, *args, **options):
        tried.append(address[0])
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    return tried


def test_a_name_with_a_private_address_is_not_asked(http, monkeypatch):
    tried = looked_up(monkeypatch, "192.168.1.1")
    with pytest.raises(PrivateAddress, match=r"data\.example:80 has the address 192\.168\.1\.1"):
        http.at("http://data.example", by_user=False).get("http://data.example/a")
    assert tried == []


def test_the_connection_goes_to_the_address_that_was_checked(http, monkeypatch):
    tried = looked_up(monkeypatch, "8.8.8.8", "127.0.0.1", "8.8.4.4")
    with pytest.raises(PrivateAddress):
        http.at("http://data.example", by_user=False).get("http://data.example/a")
    assert tried == ["8.8.8.8"]


def test_a_name_with_a_private_address_is_asked_if_the_user_named_it(monkeypatch):
    tried = looked_up(monkeypatch, "192.168.1.1", "192.168.1.1")
    limits = NetworkLimits(further_hosts=frozenset({("data.example", 80)}))
    with closing(Http(attempts=1, clock=FakeClock(), hosts=Hosts(), limits=limits)) as client:
        with pytest.raises(ServerUnavailable):
            client.at("http://data.example", by_user=False).get("http://data.example/a")
        with pytest.raises(ServerUnavailable):
            client.at("http://host.example", by_user=False).get("http://data.example/a")
    assert tried == ["192.168.1.1", "192.168.1.1"]


def test_a_host_with_many_addresses_is_not_tried_at_all_of_them(http, monkeypatch):
    tried = looked_up(monkeypatch)
    many = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"8.8.8.{last}", 80)) for last in range(200)]
    six = [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2001:4860::1", 80, 0, 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: many + six)
    with (
        closing(Http(attempts=1, clock=FakeClock(), hosts=Hosts())) as client,
        pytest.raises(ServerUnavailable),
    ):
        client.at("http://data.example", by_user=False).get("http://data.example/a")
    assert tried == ["8.8.8.0", "8.8.8.1", "2001:4860::1"]


def test_a_name_that_is_not_found_is_unavailable_and_says_so(http, monkeypatch):
    def fail(*args, **options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(ServerUnavailable, match="no address is known") as caught:
        http.get("http://data.example/a")
    causes = []
    cause: BaseException | None = caught.value
    while cause is not None:
        causes.append(type(cause))
        cause = cause.__cause__ or cause.__context__
    assert socket.gaierror in causes


def test_a_proxy_of_the_environment_may_be_private(server, http, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server.answers["http://data.example/a"] = whole(b"[3]")
    assert http.at("http://data.example", by_user=False).get_json("http://data.example/a") == (200, [3])


# Redirects


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/a", "//127.0.0.1:1/a", "http://localhost:{port}/a", "http://169.254.169.254/latest",
        "http://[::1]:{port}/a", "http://2130706433:{port}/a", "http://elsewhere.example/a",
        "http://127.0.0.1@elsewhere.example:{port}/a", "http://127.0.0.1.elsewhere.example:{port}/a",
    ],
)  # fmt: skip
def test_a_redirect_to_another_host_is_refused(server, http, target):
    server.answers["/a"] = redirect(target.format(port=server.port))
    with pytest.raises(ForeignAddress, match="a redirect from 127") as caught:
        http.at(server.url, by_user=True).get(f"{server.url}/a")
    assert caught.value.place == f"{server.url}/a"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1:{port}/a", "gopher://a/", "data:,x", "HtTpX://a"]
)
def test_a_redirect_to_something_else_than_http_is_refused(server, http, target):
    server.answers["/a"] = redirect(target.format(port=server.port))
    with pytest.raises(Refused):
        http.at(server.url, by_user=True).get(f"{server.url}/a")
    assert len(server.requests) == 1


@pytest.mark.parametrize("target", ["http://[::1/a", "http://host:99999/", "http://a b/"])
def test_a_redirect_to_no_address_is_refused(server, http, target):
    server.answers["/a"] = redirect(target)
    with pytest.raises(Refused):
        http.get(f"{server.url}/a")


def test_a_redirect_to_a_host_that_the_user_named_is_followed(server, other):
    limits = NetworkLimits(further_hosts=frozenset({("127.0.0.1", other.port)}))
    server.answers["/a"] = redirect(f"{other.url}/a")
    with closing(Http(hosts=Hosts(), limits=limits)) as http:
        assert http.get_json(f"{server.url}/a") == (200, [2])


def site(url: str) -> Site:
    return Site.of(url, "https://spdf.example/pub/", by_user=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://data.example/a", "https://data.example/b"),
        ("http://data.example/a", "https://data.example/a"),
        ("https://data.example/a", "https://spdf.example/a"),
        ("http://data.example:8080/a", "https://data.example/a"),
        ("https://data.example/a", "https://DATA.example./a"),
    ],
)
def test_redirects_that_are_followed(before, after):
    _refuse_redirect(httpx2.URL(before), httpx2.URL(after), site(before), before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://data.example/a", "http://data.example/a"),
        ("https://data.example/a", "https://data.example:8443/a"),
        ("https://data.example/a", "https://spdf.example:8080/a"),
        ("https://data.example/a", "https://www.data.example/a"),
        ("https://data.example/a", "https://example/a"),
    ],
)
def test_redirects_that_are_refused(before, after):
    with pytest.raises(ForeignAddress):
        _refuse_redirect(httpx2.URL(before), httpx2.URL(after), site(before), before)


# Providers


def listing(url: str) -> bytes:
    return json.dumps({"FileDescription": [{"Name": url, "Length": 31_000}]}).encode()


@pytest.mark.parametrize(
    "file",
    ["http://127.0.0.1:{port}/a.cdf", "http://169.254.169.254/a.cdf", "https://elsewhere.example/a.cdf"],
)
def test_a_listing_of_cdaweb_may_not_name_files_elsewhere(server, other, http, tmp_path: Path, file):
    name = file.format(port=other.port)
    server.answers[f"{REST}/AC_H0_MFI/orig_data/20211028T000000Z,20211029T000000Z"] = whole(listing(name))
    provider = CdaWeb(tmp_path, http, url=server.url)
    with pytest.raises(ForeignAddress, match="a listing of 127"):
        provider.locate("AC_H0_MFI", DAY)
    assert other.requests == []


def test_a_listing_of_cdaweb_may_name_files_at_its_own_hosts(server, http, tmp_path: Path):
    name = "https://cdaweb.gsfc.nasa.gov/sp_phys/data/ace/mag/ac_h0_mfi_20211028_v06.cdf"
    server.answers[f"{REST}/AC_H0_MFI/orig_data/20211028T000000Z,20211029T000000Z"] = whole(listing(name))
    [source] = CdaWeb(tmp_path, http, url=server.url).locate("AC_H0_MFI", DAY)
    assert source.url == name


@pytest.mark.parametrize("where", ["catalogue", "folder"])
def test_folders_of_cdaweb_may_not_lead_elsewhere(server, other, http, tmp_path: Path, where):
    folder = f"{other.url if where == 'catalogue' else server.url}/data/"
    catalogue = f'<d><dataset serviceprovider_ID="A"><access><URL>{folder}</URL></access></dataset></d>'
    page = f'<a href="{other.url}/a_20211028_v01.cdf">a</a> 2022-01-01 00:00'
    server.answers |= {"/pub/catalogs/all.xml": whole(catalogue.encode()), "/data/": whole(page.encode())}
    with pytest.raises(ForeignAddress):
        CdaWebFolders(tmp_path, http, url=server.url).locate("A", DAY)
    assert other.requests == []


def test_a_catalogue_that_declares_entities_is_refused(server, http, tmp_path: Path):
    catalogue = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d>&b;</d>'
    server.answers["/pub/catalogs/all.xml"] = whole(catalogue)
    with pytest.raises(ServerUnavailable, match="declares the entity"):
        CdaWebFolders(tmp_path, http, url=server.url).locate("A", DAY)


def test_a_file_that_was_listed_earlier_is_asked_for_at_known_hosts_only(server, other, http, tmp_path: Path):
    asked = http.at(server.url, by_user=True)
    with pytest.raises(ForeignAddress):
        Downloads(tmp_path, asked).get([FileRequest(f"{other.url}/a.cdf", 3)])
    server.answers["/a.cdf"] = redirect(f"{other.url}/a.cdf")
    with pytest.raises(ForeignAddress):
        Downloads(tmp_path, asked).get([FileRequest(f"{server.url}/a.cdf", 3)])
    assert other.requests == []


def test_redirects_of_hapi_swpc_and_the_catalogue_stay_with_their_hosts(server, other, http, tmp_path: Path):
    for path in ("/hapi/catalog", REST):
        server.answers[path] = redirect(f"{other.url}/a")
    with pytest.raises(ForeignAddress):
        Hapi(tmp_path, http, url=f"{server.url}/hapi").datasets()
    swpc = Swpc(tmp_path, http, url=server.url)
    for dataset, product in PRODUCTS.items():
        server.answers[f"/{product.path}"] = redirect(f"{other.url}/a")
        with pytest.raises(ForeignAddress):
            swpc.locate(dataset, DAY)
    with pytest.raises(ForeignAddress):
        renew(Catalogue(), tmp_path, http, now=datetime(2024, 1, 1), server=server.url)
    assert other.requests == []
