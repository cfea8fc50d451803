"""Finds sources by name, from the files in `helio.sources.providers`, without importing these files.

A file ``NAME.py`` is the source that a step and ``--archive`` call ``NAME``. A file ``NAME_WAY.py`` next to it is
another way to ask the same archive: it is called ``NAME-WAY`` and has the same address. A file ``NAME_servers.json``
next to it lists many servers: each is called ``NAME:SERVER``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from helio.sources import providers

if TYPE_CHECKING:
    from helio.sources.base import Source

SAMPLE = "sample"
"""Provider name of the sample files that helio ships."""
BY_CATALOGUE = "cdaweb"
"""Provider of the datasets in helio's catalogue, used if neither the run nor the step names a provider."""
BY_ADDRESS = "hapi"
"""Source that helio uses for an archive given as the URL of a server."""

_STATED = {
    fact: re.compile(rf'^    {fact} = "([^"\\]*)"$', re.MULTILINE)
    for fact in ("title", "publisher", "subjects")
}
"""Pattern of the lines in which the class of a source states its title, its publisher and its subjects."""


def names() -> tuple[str, ...]:
    """Return the sources that a step may name without naming a server."""
    return (SAMPLE, *(name for name, servers in _files().items() if servers is None))


def families() -> tuple[str, ...]:
    """Return the sources that consist of many servers; a step names one of these servers: ``hapi:CDAWeb``."""
    return tuple(name for name, servers in _files().items() if servers is not None)


def choices() -> str:
    """Return the names of all providers as a text for messages: ``sample, cdaweb, …, hapi:NAME``."""
    return ", ".join((*names(), *(f"{family}:NAME" for family in families())))


def family_of(provider: str) -> str:
    """Return the source in a provider name ``FAMILY:NAME``, even if NAME is unknown; return an empty text for any other
    form.

    >>> family_of("HAPI:CDAWeb"), family_of("cdaweb")
    ('hapi', '')
    """
    family, colon, _ = provider.casefold().partition(":")
    return family if colon and family in families() else ""


def is_provider(name: str) -> bool:
    """Return whether a step may use this name as its provider."""
    return name in names() or bool(family_of(name) and name.partition(":")[2])


def is_url(archive: str) -> bool:
    """Return whether an archive is given as a URL."""
    return archive.lower().startswith(("http://", "https://"))


def archive_of(name: str) -> str:
    """Return the archive behind a source: several sources may ask the same archive in different ways.

    >>> archive_of("cdaweb-folders")
    'cdaweb'
    """
    archive = name.partition("-")[0]
    return archive if archive in names() else name


def is_catalogued(name: str) -> bool:
    """Return whether helio's catalogue lists the datasets of a provider."""
    return archive_of(name) == BY_CATALOGUE


def source_class(name: str) -> type[Source]:
    """Return the class of a source, by the source's name.

    Raises
    ------
    TypeError
        The file of the source does not have exactly one subclass of `Source`.
    """
    from helio.sources.base import Source

    module = import_module(f"{providers.__name__}.{name.replace('-', '_')}")
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Source) and value.__module__ == module.__name__
    ]
    if len(classes) != 1:
        raise TypeError(f"{module.__name__} must have exactly one subclass of Source, but has {len(classes)}")
    [source] = classes
    for fact in _STATED.keys() & vars(source).keys():
        if stated_in_file(name).get(fact) != getattr(source, fact):
            raise TypeError(f'{module.__name__} must state its {fact} as plain text: {fact} = "…"')
    return source


def source_classes() -> Iterator[tuple[str, type[Source]]]:
    """Yield the name and the class of every source."""
    for name in _files():
        yield name, source_class(name)


def source_in_records(provider: str) -> str:
    """Return the source that has this provider's name in the records; empty for a folder or the sample files."""
    titles = {name: stated_in_file(name).get("title") for name in _files()}
    return next((name for name, title in titles.items() if title and provider.startswith(title)), "")


def stated_in_file(name: str) -> Mapping[str, str]:
    """Return title, publisher and subjects of a source, read from the text of its file without importing the source."""
    return _stated_in(tuple(providers.__path__), name)


def sources_about(question: str) -> list[tuple[str, str]]:
    """Return the sources that name a word of a question among their subjects, each with a dataset that may fit.

    >>> sources_about("position of MMS 2"), sources_about("magnetic field of MMS 2")
    ([('ssc', 'mms2')], [])
    """
    words = set(re.findall(r"\w+", question.casefold()))
    plain = re.sub(r"[\W_]+", "", question.casefold())
    matching = [
        name for name in _files() if words & set(stated_in_file(name).get("subjects", "").casefold().split())
    ]
    examples = []
    for name in matching:
        known = list(datasets_known_to(name))
        examples.append((name, next((dataset for dataset in known if dataset.casefold() in plain), known[0])))
    return examples


def datasets_known_to(name: str) -> Mapping[str, Collection[str]]:
    """Return the datasets that a source can list without a request, each with its parameters."""
    return source_class(name).known_datasets() if name in _files() else {}


def known_datasets() -> dict[str, str]:
    """Return the datasets that all sources can list without a request, each with the name of its source."""
    return {dataset_id: name for name in _files() for dataset_id in datasets_known_to(name)}


# Servers of a family


def server_named(provider: str, further: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """Return the usual spelling of a server's name, and the server's URL.

    >>> server_named("HAPI:cdaweb", {})
    ('CDAWeb', 'https://cdaweb.gsfc.nasa.gov/hapi')

    Parameters
    ----------
    provider : str
        ``FAMILY:NAME``, in upper or lower case.
    further : mapping
        For each family, URLs by name of servers that helio does not list, or that have another address than in helio's
        list.

    Raises
    ------
    RequestError
        No server has this name.
    """
    from helio.errors import RequestError, did_you_mean  # the command's help does without

    family, name = family_of(provider), provider.partition(":")[2]
    every = {**_shipped(family), **further.get(family, {})}
    urls = {known.casefold(): (known, url) for known, url in every.items()}
    if name.casefold() not in urls:
        raise RequestError(
            f"no {family.upper()} server is called '{name}'",
            advice=did_you_mean(
                name, every, otherwise=f"choose one of {', '.join(sorted(every, key=str.casefold))}"
            )
            + f" (to add a server, set HELIO_{family.upper()}_SERVERS=NAME=URL)",
        )
    return urls[name.casefold()]


def every_server(family: str, further: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the URLs of all servers of a family by name: helio's own list, with changes from the environment
    variables.

    >>> every_server("hapi", {"hapi": {"cdaweb": "http://mirror.org/hapi"}})["CDAWeb"]
    'http://mirror.org/hapi'
    """
    renamed = {name.casefold(): name for name in _shipped(family)}
    own = {renamed.get(name.casefold(), name): url for name, url in further.get(family, {}).items()}
    return {**_shipped(family), **own}


def name_of_server(url: str, further: Mapping[str, Mapping[str, str]]) -> str:
    """Return ``FAMILY:NAME`` for a server's URL; empty if the server is unknown.

    >>> name_of_server("https://cdaweb.gsfc.nasa.gov/hapi/", {})
    'hapi:CDAWeb'
    """
    for family in families():
        for name, known in {**_shipped(family), **further.get(family, {})}.items():
            if _plain(known) == _plain(url):
                return f"{family}:{name}"
    return ""


def _plain(url: str) -> str:
    return url.rstrip("/").casefold()


def _files() -> dict[str, Path | None]:
    """Return every source by name, with the file that lists its servers, if there is one."""
    return _files_in(tuple(providers.__path__))


@cache
def _files_in(folders: tuple[str, ...]) -> dict[str, Path | None]:
    files = {}
    paths = (path for folder in folders for path in Path(folder).glob("[!_]*.py"))
    for path in sorted(paths, key=lambda path: path.stem):
        servers = path.with_name(f"{path.stem}_servers.json")
        files[path.stem.replace("_", "-")] = servers if servers.exists() else None
    return files


@cache
def _stated_in(folders: tuple[str, ...], name: str) -> Mapping[str, str]:
    paths = (Path(folder) / f"{name.replace('-', '_')}.py" for folder in folders)
    text = next(path.read_text(encoding="utf-8") for path in paths if path.exists())
    return {fact: match[1] for fact, pattern in _STATED.items() if (match := pattern.search(text))}


@cache
def _shipped(family: str) -> dict[str, str]:
    path = _files().get(family)
    if path is None:
        return {}
    return {
        server["name"]: server["url"] for server in json.loads(path.read_text(encoding="utf-8"))["servers"]
    }
