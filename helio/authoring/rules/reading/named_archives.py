"""Read from a sentence the archive that should give the data: a HAPI server, a folder or the samples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from helio.authoring.outcome import NotUnderstood
from helio.errors import RequestError
from helio.knowledge.archive_catalogue import CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue
from helio.patterns import ignoring_case
from helio.sources.archives import is_folder
from helio.sources.registry import SAMPLE, every_server, is_url, name_of_server, server_named
from helio.store.files import is_folder_there, user_path

Servers = Mapping[str, Mapping[str, str]]

_HAPI = "hapi"
OF_CATALOGUE = "hapi:CDAWeb"
"""The HAPI server that has the datasets of helio's catalogue."""
_FROM = r"[,;]?\s*(?:\b(?:taken|fetched|read)\s+)?\b(?:from|via|at|in|using|by|out\s+of)\s+(?:the\s+|my\s+)?"
_URL = r"https?://[^\s,;()]*[^\s,;().]"
_SERVER = r"[A-Za-z][\w./-]*\w"
_HAPI_SERVERS = (
    rf"(?:{_FROM})HAPI(?:[-\s]+servers?)?\s+(?:(?:at|of|named|called)\s+)?(?:the\s+)?(?P<name>{_URL})",
    rf"(?:{_FROM})HAPI(?:[-\s]+servers?)?\s+(?:of|named|called)\s+(?:the\s+)?(?P<name>{_SERVER})",
    rf"(?:{_FROM})(?!(?:the|an?|my|some)\b)(?P<name>{_SERVER})(?:['’]s)?\s+HAPI(?:\s+server)?\b",
    rf"(?:{_FROM})?\bhapi:(?P<name>{_SERVER})",
    rf"(?:{_FROM})(?P<name>{_URL})",
)
_SAMPLES = rf"(?:{_FROM})samples?\s+(?:archive|files|folder|data)\b"
_PATH = r"(?:[\"“'‘](?P<quoted>[^\"”'’]+)[\"”'’]|(?P<path>[^\s,;()]+))"
_FOLDER = rf"(?:{_FROM})(?:local\s+)?(?:folder|directory)\s+{_PATH}"
_BARE_FOLDER = rf"(?:{_FROM})(?P<path>(?:~|\.{{1,2}})?/[^\s,;()]*)"


def take_archive(text: str, servers: Servers) -> tuple[str, str]:
    """Split the archive that a sentence names from its other words; the archive is as ``--archive`` takes it.

    >>> take_archive("ACE Bz via HAPI of CSA for 2022-01-01", {})
    ('ACE Bz for 2022-01-01', 'hapi:CSA')
    >>> take_archive("ACE Bz for 2022-01-01 from the sample archive", {})
    ('ACE Bz for 2022-01-01', 'sample')

    Raises
    ------
    RequestError
        No HAPI server has the name.
    """
    rest, folder = take_folder(text)
    if folder:
        return rest, folder
    configured = "|".join(map(re.escape, every_server(_HAPI, servers)))
    by_name = rf"(?:{_FROM})(?P<name>(?-i:(?!CDAWeb){configured}))\s+(?:server|archive)\b"
    for pattern in (*_HAPI_SERVERS, by_name):
        match = ignoring_case(pattern).search(text)
        if match is not None:
            name = match["name"]
            if is_url(name):
                return _without(text, match), name_of_server(name, servers) or name
            return _without(text, match), f"{_HAPI}:{server_named(f'{_HAPI}:{name}', servers)[0]}"
    return text, ""


def take_folder(text: str) -> tuple[str, str]:
    """Split the folder that a sentence names, or ``sample``, from its other words; empty if it names none.

    Raises
    ------
    RequestError
        There is no such folder.
    """
    match = ignoring_case(_SAMPLES).search(text)
    if match is not None:
        return _without(text, match), SAMPLE
    match = ignoring_case(_FOLDER).search(text)
    if match is not None:
        path = match["quoted"] or match["path"]
        if not is_folder_there(user_path(path)):
            raise RequestError(f"there is no folder '{path}'", advice="write the path of a folder of files")
        return _without(text, match), path
    match = ignoring_case(_BARE_FOLDER).search(text)
    if match is not None and is_folder_there(user_path(match["path"])):
        return _without(text, match), match["path"]
    return text, ""


def archive_note(archive: str, catalogue: Catalogue, servers: Servers) -> str:
    """Say how a run takes the data from the archive of a sentence; empty for the archive that was searched.

    Raises
    ------
    NotUnderstood
        The archive is a folder or a server that helio did not search.
    """
    if archive == OF_CATALOGUE:
        return f"to take the data from {archive}, run with --archive {archive}"
    searched = catalogue.archive if isinstance(catalogue, CatalogueWithArchive) else ""
    if _whole_name(name_of_server(searched, servers) or searched) != _whole_name(archive):
        raise NotUnderstood(
            f"the request names the archive {archive}, but helio searched "
            f"{f'the archive {searched}' if searched else 'no archive'}",
            advice=f"give it as --archive {archive}",
        )
    return ""


def _whole_name(archive: str) -> str | Path:
    if archive == SAMPLE or not is_folder(archive):
        return archive.casefold().rstrip("/")
    return user_path(archive).absolute()


def _without(text: str, match: re.Match[str]) -> str:
    return " ".join(f"{text[: match.start()]} {text[match.end() :]}".split())
