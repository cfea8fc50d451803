"""Check which parts of this installation work, for ``helio doctor``."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from helio import __version__
from helio.counts import number_of
from helio.errors import EngineError, ExportError, HelioError, NoSandbox, RequestError
from helio.settings import Settings

PACKAGES = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "xarray",
    "PyWavelets",
    "cdflib",
    "plotly",
    "kaleido",
    "jsonschema",
    "jsonpatch",
    "typer",
    "rich",
)


@dataclass(frozen=True)
class Finding:
    """Result of one check of the installation."""

    subject: str
    ok: bool
    found: str
    advice: str = ""
    optional: bool = False
    """Whether helio can run pipelines although this part is missing."""
    address: str = ""
    """Address of the checked data source, without user name and password."""
    asked: str = ""
    """Question that helio sent to the data source; empty for checks of other parts."""
    cause: str = ""
    """What prevents a connection from this machine to the source, one of
    `helio.sources.connection.Cause`; otherwise empty."""
    issuer: str = ""
    """Name of the authority that issued the source's certificate."""

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON; the fields address, asked, cause and issuer exist only for the check of a data source."""
        facts: dict[str, Any] = {
            "subject": self.subject,
            "ok": self.ok,
            "found": self.found,
            "advice": self.advice,
        }
        if self.asked:
            facts |= {
                "address": self.address,
                "asked": self.asked,
                "cause": self.cause,
                "issuer": self.issuer,
            }
        return facts


def examine(settings: Settings, archive: str = "") -> list[Finding]:
    """Check every part that a run needs."""
    return [
        Finding("helio", True, f"{__version__}, Python {platform.python_version()}, {platform.system()}"),
        *_packages(),
        _home(settings.home),
        _engine(settings),
        browser_finding(settings),
        _sandbox(settings),
        _model(settings),
        *_archives(archive or settings.archive, settings),
    ]


def _packages() -> Iterator[Finding]:
    for name in PACKAGES:
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            yield Finding(name, False, "not installed", f"pip install {name}")


def _home(home: Path) -> Finding:
    folder = home
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    writable = os.access(folder, os.W_OK) and folder.is_dir()
    return Finding(
        "home", writable, str(home), "" if writable else "set HELIO_HOME to a folder that you can write"
    )


def _engine(settings: Settings) -> Finding:
    from helio.flows.server import Server

    server = Server(settings.home, settings.environ)
    state = server.state()
    if state.up:
        owner = "named by PREFECT_API_URL" if state.external else f"process {state.pid}; {state.lives}"
        return Finding("engine", True, f"Prefect {state.version or 'server'} at {state.url}, {owner}")
    if state.outdated:
        text = f"process {state.pid} at {state.url} was started without the secret that excludes other users"
        return Finding("engine", False, text, "run `helio up` to restart the server")
    if state.external:
        advice = "start this server, or unset PREFECT_API_URL to use helio's own"
        return Finding("engine", False, f"no server answers at {state.url}", advice)
    if state.pid is not None:
        advice = f"wait if the server is starting, or end it with `helio down`; see its log {state.log}"
        return Finding("engine", False, f"process {state.pid} does not answer at {state.url}", advice)
    try:
        server.check_database()
    except EngineError as error:
        return Finding("engine", False, error.message, error.advice)
    return Finding("engine", True, "not running; helio starts the server when a run needs it")


def browser_finding(settings: Settings) -> Finding:
    """Look for the browser that draws PNG, PDF and SVG, without starting it."""
    from helio.pipelines.runs.artefacts import find_browser_of
    from helio.steps.render.write_figure import INSTALL_ADVICE

    try:
        browser = find_browser_of(settings)
    except ExportError as error:
        return Finding("browser", False, error.message, error.advice, optional=True)
    if browser is None:
        return Finding(
            "browser",
            False,
            "no browser: figures can be written as HTML and JSON only",
            INSTALL_ADVICE,
            optional=True,
        )
    return Finding("browser", True, str(browser), optional=True)


def _sandbox(settings: Settings) -> Finding:
    from helio.steps.sandbox.jail import find_parts
    from helio.steps.sandbox.parts import check_parts

    try:
        parts = find_parts()
        lacking = [f"{part.meaning}: {part.lacking}" for part in parts if part.lacking]
        check_parts(parts, settings.sandbox)
    except NoSandbox as error:
        return Finding(
            "sandbox", False, f"code in templates cannot run: {error.message}", error.advice, optional=True
        )
    if lacking:
        return Finding(
            "sandbox", True, f"{settings.sandbox}; not available here: {'; '.join(lacking)}", optional=True
        )
    return Finding("sandbox", True, ", ".join(part.name for part in parts), optional=True)


def _model(settings: Settings) -> Finding:
    """Describe the settings of the language model, without a request to the model, because a request may cost money."""
    from helio.authoring.models.providers import has_model, is_wanted, provider_called
    from helio.authoring.models.scrub import scrub_of

    try:
        provider, _ = provider_called(settings.model_smart)
        is_ready = has_model(settings)
    except RequestError as error:
        return Finding("model", False, error.message, error.advice, optional=True)
    url = settings.model_urls.get(provider.name, "")
    where = f", at {scrub_of(settings)(url)}" if url else ""
    if not is_ready:
        return Finding(
            "model",
            False,
            f"no API key for {settings.model_smart}"
            if is_wanted(settings)
            else "no API key: `helio author` and `helio edit` understand simple requests only",
            provider.advice,
            optional=True,
        )
    key = (
        "an API key is set"
        if settings.model_keys.get(provider.name)
        else f"{provider.title} needs no API key"
    )
    names = f"{settings.model_smart} for planning, {settings.model_fast} for other questions"
    other = f"{settings.model_fallback} as a fallback" if settings.model_fallback else "no fallback"
    return Finding("model", True, f"{key}; {names}, {other}{where}", optional=True)


def _archives(archive: str, settings: Settings) -> Iterator[Finding]:
    from helio.sources.archive_listing import list_archive
    from helio.sources.archives import archive_named, archives_of
    from helio.sources.cdf import CdfReader
    from helio.sources.local import LocalArchive
    from helio.sources.registry import SAMPLE

    with CdfReader() as reader:
        for name in dict.fromkeys([SAMPLE, archive_named(archive)] if archive else [SAMPLE]):
            subject = "sample archive" if name == SAMPLE else "archive"
            try:
                opened = archives_of(settings, reader, name).choose("")
                if isinstance(opened, LocalArchive):
                    listing = list_archive(opened)
                    datasets, unread = [dataset.id for dataset in listing.datasets], len(listing.unread)
                else:
                    datasets, unread = opened.datasets(), 0
            except HelioError as error:
                yield Finding(subject, False, error.message, error.advice)
            else:
                listed = (
                    f"{number_of(len(datasets), 'dataset')}{': ' if datasets else ''}{', '.join(datasets)}"
                )
                entries = "file" if unread == 1 else f"{unread} files"
                advice = (
                    f"use `helio archive {name}` to see the {entries} that cannot be read" if unread else ""
                )
                yield Finding(subject, bool(datasets), listed, advice)
