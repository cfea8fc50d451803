"""For each source, one small test request with a known answer, with which ``helio doctor`` tests real servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from helio.settings import Settings
from helio.sources.base import Source
from helio.sources.http import Http
from helio.sources.registry import archive_of, every_server, families, source_classes
from helio.sources.witness import Witness


@dataclass(frozen=True)
class SourceQuestion:
    """Test request for one source: its address, and the function that sends the request.

    Parameters
    ----------
    source : str
        Name of the source, as for ``--archive``.
    url : str
        Address of the source.
    asked : str
        The question, in words.
    ask : callable
        Function that sends the request and describes the right answer.
    """

    source: str
    url: str
    asked: str
    ask: Callable[[Http, Witness], str] = field(repr=False)


def questions(settings: Settings) -> Iterator[SourceQuestion]:
    """Return the test request of each source that helio knows."""
    for name, source in source_classes():
        if not source.question:
            continue
        if name in families():
            for server, url in every_server(name, settings.servers).items():
                yield _question(f"{name}:{server}", source, url, by_user=source.is_named_by_user(url))
        else:
            own = settings.addresses.get(archive_of(name), "")
            yield _question(name, source, own or source.address, by_user=bool(own))


def _question(name: str, source: type[Source], url: str, *, by_user: bool) -> SourceQuestion:
    address = source.full_address(url)

    def ask(http: Http, witness: Witness) -> str:
        return source.probe(address, http.at(address, *source.further_addresses, by_user=by_user), witness)

    return SourceQuestion(name, address, source.question, ask)
