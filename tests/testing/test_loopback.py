"""Ports of the servers that the tests start."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest

from helio.testing.loopback import LoopbackServer

pytestmark = pytest.mark.process


def test_each_server_has_a_port_of_its_own() -> None:
    ports = []
    for _ in range(5):
        with LoopbackServer(BaseHTTPRequestHandler) as server:
            ports.append(server.port)
    assert len(set(ports)) == 5


def test_a_port_in_use_is_passed_over() -> None:
    with (
        LoopbackServer(BaseHTTPRequestHandler) as server,
        LoopbackServer(BaseHTTPRequestHandler, server.port + 1),
        LoopbackServer(BaseHTTPRequestHandler) as third,
    ):
        assert third.port not in (server.port, server.port + 1)
