"""Test versions of what lies between a user and a server: certificate authorities, servers with TLS, and proxies."""

from __future__ import annotations

import base64
import ipaddress
import select
import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from helio.testing.loopback import LoopbackServer, OwnedServer

if TYPE_CHECKING:
    from cryptography import x509

DAY = timedelta(days=1)


class Authority:
    """Certificate authority for one test, which signs certificates of test servers."""

    def __init__(self, folder: Path, name: str = "Institute Root CA") -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        self._certificate = (
            x509.CertificateBuilder()
            .subject_name(self._name)
            .issuer_name(self._name)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 3650 * DAY)
            .not_valid_after(now + 3650 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / f"{name.replace(' ', '-')}.pem"
        self.file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def context(
        self,
        *hosts: str,
        start: timedelta = -DAY,
        stop: timedelta = DAY,
        self_signed: bool = False,
    ) -> ssl.SSLContext:
        """Make the TLS context for a server whose certificate names some hosts and is valid between two times."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0] if hosts else "127.0.0.1")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name if self_signed else self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + start)
            .not_valid_after(now + stop)
            .add_extension(
                x509.SubjectAlternativeName([_general(host) for host in hosts or ("127.0.0.1",)]),
                critical=False,
            )
            .sign(key if self_signed else self._key, hashes.SHA256())
        )
        file = self._folder / f"{certificate.serial_number}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _general(host: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def secure(standin: LoopbackServer, context: ssl.SSLContext) -> str:
    """Make a test server use TLS from now on, and return its new address."""
    server = standin.server
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    standin.url = standin.url.replace("http://", "https://")
    return standin.url


class ProxyStandIn(LoopbackServer):
    """Test proxy on loopback for plain requests and tunnels; a context manager.

    Parameters
    ----------
    status : int
        HTTP status with which the proxy refuses requests; 0 to pass requests on.
    login : str
        ``USER:PASSWORD`` that the proxy requires.
    opens : ssl.SSLContext, optional
        TLS context with which the proxy decrypts tunnels with its own certificate, as the proxies of some institutes
        do.
    """

    def __init__(self, status: int = 0, login: str = "", opens: ssl.SSLContext | None = None) -> None:
        self.status = status
        self.login = login
        self.opens = opens
        self.asked: list[str] = []
        super().__init__(_ProxyHandler)
        self.address = f"127.0.0.1:{self.port}"


class _ProxyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OwnedServer

    @property
    def proxy(self) -> ProxyStandIn:
        owner: ProxyStandIn = self.server.owner
        return owner

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, because tests read the proxy's list `asked` instead of a log."""

    def _refuses(self) -> bool:
        self.proxy.asked.append(f"{self.command} {self.path}")
        status = self.proxy.status
        expected = f"Basic {base64.b64encode(self.proxy.login.encode()).decode()}"
        if self.proxy.login and self.headers.get("Proxy-Authorization") != expected:
            status = 407
        if not status:
            return False
        body = b"<html><body>the proxy says no</body></html>"
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return True

    def do_GET(self) -> None:
        if self._refuses():
            return
        parts = urlsplit(self.path)
        self.close_connection = True
        with socket.create_connection((parts.hostname, parts.port or 80)) as server:
            path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
            headers = "".join(
                f"{name}: {value}\r\n"
                for name, value in self.headers.items()
                if not name.lower().startswith(("proxy-", "connection"))
            )
            server.sendall(f"GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n".encode())
            while part := server.recv(65536):
                self.wfile.write(part)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        if self._refuses():
            return
        host, _, port = self.path.rpartition(":")
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        server: socket.socket = socket.create_connection((host, int(port)))
        if self.proxy.opens is None:
            with server, suppress(OSError):
                _pass_on(self.connection, server)
            return
        blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
        # the TLS wrapper does not close the client's connection; the server does
        own = self.connection.dup()
        with (
            suppress(OSError),
            blind.wrap_socket(server) as behind,
        ):  # a client that does not trust the proxy disconnects
            try:
                with self.proxy.opens.wrap_socket(own, server_side=True) as client:
                    _pass_on(client, behind)
            finally:
                own.close()


def _pass_on(client: socket.socket, server: socket.socket) -> None:
    """Pass bytes in both directions until one side ends; in one thread, because two threads cannot share a TLS
    connection.
    """
    while True:
        for source, target in ((client, server), (server, client)):
            source.setblocking(False)
            try:
                part = source.recv(65536)
            except (BlockingIOError, ssl.SSLWantReadError):  # a TLS record without data, or nothing yet
                continue
            finally:
                source.setblocking(True)
            if not part:
                return
            target.sendall(part)
            break
        else:
            select.select([client, server], [], [])
