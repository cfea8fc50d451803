"""Network connections that HTTP uses: helio connects only to checked addresses, and counts every byte."""

from __future__ import annotations

import socket
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpcore2

from helio.sources.meter import Meter
from helio.sources.sites import Host, Site

if TYPE_CHECKING:
    import ssl

_EACH_FAMILY = 2
"""Maximum number of IPv6 addresses, and of IPv4 addresses, of a host to try; each address may take long to fail."""


@dataclass(frozen=True)
class ConnectionWatch:
    """Rules for the network connections of one request: the allowed hosts, and the counter of bytes and seconds."""

    meter: Meter
    site: Site


class Wire(httpcore2.NetworkBackend):
    """Opener of connections for an HTTP client; each thread sets the rules for its own request with `watched`.

    Parameters
    ----------
    proxies : frozenset of Host
        Hosts of the proxies in the environment variables: the user named these hosts, and a proxy looks up host names
        itself.
    """

    def __init__(self, proxies: frozenset[Host]) -> None:
        self._proxies = proxies
        self._backend = httpcore2.SyncBackend()
        self._current = threading.local()
        self._lock = threading.Lock()
        self._ended = False
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()

    @property
    def watch(self) -> ConnectionWatch:
        """Rules for the request that this thread sends."""
        watch: ConnectionWatch = self._current.watch
        return watch

    @contextmanager
    def watched(self, watch: ConnectionWatch) -> Iterator[None]:
        """Apply the rules to all connections that this thread uses inside the ``with`` block."""
        self._current.watch = watch
        try:
            yield
        finally:
            del self._current.watch

    def shut(self) -> None:
        """Shut all connections, also those that are opened later."""
        with self._lock:
            self._ended = True
            for connection in tuple(self._sockets):
                _shut(connection)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to a host, at one of the addresses that the provider may use.

        The method looks up the host name once and connects to the address that it checked, so that a different result
        of a second look-up has no effect.

        Raises
        ------
        PrivateAddress
            All addresses are private, and the user did not name the host.
        """
        addresses = _addresses(host, port)
        if (host, port) not in self._proxies:
            addresses = self.watch.site.permitted(host, port, addresses)
        failure: Exception | None = None
        for address in addresses:
            try:
                allowed = self.watch.meter.allowed(timeout)
                stream = self._backend.connect_tcp(address, port, allowed, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return self._noted(stream)
        assert failure is not None  # a host that is found has an address
        raise failure

    def _noted(self, stream: httpcore2.NetworkStream) -> MeteredStream:
        """Remember a connection so that `shut` can shut it: this wakes a thread that reads from the connection,
        closing it does not.
        """
        connection = stream.get_extra_info("socket")
        if isinstance(connection, socket.socket):
            with self._lock:
                self._sockets.add(connection)
                if self._ended:
                    _shut(connection)
        return MeteredStream(stream, self)


class MeteredStream(httpcore2.NetworkStream):
    """Network connection that counts its bytes and waiting times."""

    def __init__(self, stream: httpcore2.NetworkStream, wire: Wire) -> None:
        self._stream = stream
        self._wire = wire

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Receive bytes, within the remaining time of the request."""
        meter = self._wire.watch.meter
        begun = meter.now()
        try:
            data = self._stream.read(max_bytes, meter.allowed(meter.silence(timeout)))
        except httpcore2.ReadTimeout:
            meter.allowed(timeout)  # the whole reply may have run out of time
            meter.refuse_silence(timeout)
            raise
        meter.came(meter.now() - begun, len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all bytes of the buffer to the server."""
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Encrypt the connection with TLS; the timeout covers the whole handshake."""
        allowed = self._wire.watch.meter.allowed(timeout)
        return self._wire._noted(self._stream.start_tls(ssl_context, server_hostname, allowed))

    def get_extra_info(self, info: str) -> Any:
        """Return information about the connection, such as its socket, by name."""
        return self._stream.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    """Return the addresses of a host in the order of the system, only a few IPv6 and a few IPv4 addresses."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(str(error)) from error
    every = dict.fromkeys((family, str(address[0])) for family, _, _, _, address in addresses)
    families = dict.fromkeys(family for family, _ in every)
    few = {
        family: [address for other, address in every if other == family][:_EACH_FAMILY] for family in families
    }
    return [address for family in families for address in few[family]]


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):  # it is closed already
        # not its own method: that of a TLS socket forgets the cipher under the thread that reads
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
