"""The connections beneath HTTP: to addresses that were checked, and metered byte by byte."""

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
"""How many addresses of IPv6 and of IPv4 are tried: a host with a hundred that do not answer costs no more."""


@dataclass(frozen=True)
class ConnectionWatch:
    """The rules for the connections of one attempt."""

    meter: Meter
    site: Site


class Wire(httpcore2.NetworkBackend):
    """A backend that opens connections for a client; each attempt is under the `ConnectionWatch` of its own thread.

    Parameters
    ----------
    proxies : frozenset of Host
        Hosts of the environment's proxies: the user named them, and they look names up themselves.
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
        """That of the attempt that this thread makes."""
        watch: ConnectionWatch = self._current.watch
        return watch

    @contextmanager
    def watched(self, watch: ConnectionWatch) -> Iterator[None]:
        """Let what this thread does on the network count for an attempt."""
        self._current.watch = watch
        try:
            yield
        finally:
            del self._current.watch

    def shut(self) -> None:
        """End all connections, those that are opened later too."""
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
        """Connect to one of a host's addresses that the site permits.

        Names are looked up once, and the connection goes to the address that was checked: an answer that is another
        one the next time leads nowhere.

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
        """Remember a connection: closing it elsewhere does not wake the thread that reads from it, shutting it does."""
        connection = stream.get_extra_info("socket")
        if isinstance(connection, socket.socket):
            with self._lock:
                self._sockets.add(connection)
                if self._ended:
                    _shut(connection)
        return MeteredStream(stream, self)


class MeteredStream(httpcore2.NetworkStream):
    """A connection whose bytes and waits are counted."""

    def __init__(self, stream: httpcore2.NetworkStream, wire: Wire) -> None:
        self._stream = stream
        self._wire = wire

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Receive the bytes that have come, within the time of the attempt."""
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
        """Send all of it."""
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
        """Go on with TLS; the timeout holds for the whole handshake, as the `ssl` module counts it."""
        allowed = self._wire.watch.meter.allowed(timeout)
        return self._wire._noted(self._stream.start_tls(ssl_context, server_hostname, allowed))

    def get_extra_info(self, info: str) -> Any:
        """Return extra information of the connection below."""
        return self._stream.get_extra_info(info)


def _addresses(host: str, port: int) -> list[str]:
    """Return addresses of a host in the order of the system, a few of each family."""
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
