"""The hosts that helio may ask for a provider's data, and a check whether a network address is public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from helio.errors import ForeignAddress, PrivateAddress, Refused

Host = tuple[str, int]
"""Name or address of a host in lower case, and the port."""

PORTS = {"http": 80, "https": 443}

_UNICAST = IPv6Network("2000::/3")
_IPV4_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
"""Range of IPv6 addresses that contain an IPv4 address, used in networks with IPv6 only, RFC 6052."""


@dataclass(frozen=True)
class Site:
    """The hosts that helio may ask for the data of one provider.

    Parameters
    ----------
    own : Host
        The host of the provider's address.
    declared : frozenset of str
        Names of further hosts that the provider is known to use, on the ports of HTTP and HTTPS.
    named : frozenset of Host
        Hosts that the user named, each with its port; only these may have a private address.
    """

    own: Host
    declared: frozenset[str] = frozenset()
    named: frozenset[Host] = frozenset()

    @classmethod
    def of(cls, url: str, *declared: str, by_user: bool, further: frozenset[Host] = frozenset()) -> Site:
        """Return the hosts of the provider that has this address.

        Parameters
        ----------
        url : str
            The provider's address.
        *declared : str
            Addresses on further hosts of the provider.
        by_user : bool
            Whether the user named `url`.
        further : frozenset of Host
            Further hosts that the user named.
        """
        own = host_of(url)
        return cls(
            own=own,
            declared=frozenset(host_of(address)[0] for address in declared),
            named=further | ({own} if by_user else frozenset()),
        )

    def refuse_foreign(self, url: str, led_by: str) -> None:
        """Raise an error for a URL on a host that does not belong to this provider.

        Parameters
        ----------
        url : str
            Absolute.
        led_by : str
            Reply that contains the URL, in words: ``"a listing of cdaweb.gsfc.nasa.gov"``.

        Raises
        ------
        ForeignAddress
        """
        host, port = host_of(url)
        at_home = host == self.own[0] and port in (self.own[1], *PORTS.values())
        declared = host in self.declared and port in PORTS.values()
        if not (at_home or declared or (host, port) in self.named):
            raise ForeignAddress(
                f"{led_by} leads to {in_words(host, port)}, which is not a host of this provider",
                advice=f"set HELIO_FURTHER_HOSTS={in_words(host, port)} to allow this host, if you trust it",
                place=url,
            )

    def permitted(self, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        """Return the addresses of a host that helio may use: all addresses if the user named the host, otherwise only
        public ones.

        Raises
        ------
        PrivateAddress
            The host has no such address.
        """
        host = host.rstrip(".").lower()
        public = [address for address in addresses if (host, port) in self.named or is_public(address)]
        if addresses and not public:
            which = "" if host == addresses[0] else f" has the address {addresses[0]}, which"
            raise PrivateAddress(
                f"{in_words(host, port)}{which} belongs to this machine or to a local network",
                advice=f"set HELIO_FURTHER_HOSTS={in_words(host, port)} to allow this host, if you know it",
            )
        return public


def host_of(url: str) -> Host:
    """Return the host and the port of a URL.

    >>> host_of("https://CDAWeb.gsfc.nasa.gov/hapi"), host_of("http://[::1]:8080/")
    (('cdaweb.gsfc.nasa.gov', 443), ('::1', 8080))

    Raises
    ------
    Refused
        The URL is not an HTTP or HTTPS URL.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Refused(f"'{url}' cannot be requested: {error}", place=url) from error
    if parts.scheme not in PORTS or not host:
        raise Refused(f"'{url}' cannot be requested: it is not an HTTP address", place=url)
    return _in_ascii(host, url).rstrip("."), port or PORTS[parts.scheme]


def _in_ascii(host: str, url: str) -> str:
    """Return a host name in the ASCII form that look-ups need."""
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise Refused(f"'{url}' cannot be requested: {error}", place=url) from error


def is_public(address: str) -> bool:
    """Return whether an IP address is public; for an IPv6 address that contains an IPv4 address, judge the IPv4
    address.

    >>> [is_public(text) for text in ("128.183.169.245", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False, False]
    """
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        inner = _ipv4_within(parsed)
        return is_public(str(inner)) if inner is not None else parsed in _UNICAST and parsed.is_global
    return parsed.is_global and not parsed.is_multicast


def _ipv4_within(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64 or address in _IPV4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def in_words(host: str, port: int) -> str:
    """Write a host with its port; leave out the port 443, which is that of HTTPS.

    >>> in_words("::1", 8080), in_words("data.example.org", 443)
    ('[::1]:8080', 'data.example.org')
    """
    name = f"[{host}]" if ":" in host else host
    return name if port == PORTS["https"] else f"{name}:{port}"
