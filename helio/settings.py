"""Settings from environment variables, read in one place: home folder, archive, browser, language model."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from helio.clock import Clock
from helio.errors import RequestError

log = logging.getLogger(__name__)

IDLE = 1800.0
Thinking = Literal["", "off", "low", "medium", "high"]
THINKING: tuple[Thinking, ...] = ("off", "low", "medium", "high")
"""Levels of how much a language model thinks before it answers."""
"""Default number of seconds without use after which the engine's server ends."""

MODEL_KEYS: Mapping[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "ollama": ("OLLAMA_API_KEY",),
    "vllm": ("VLLM_API_KEY",),
    "llamacpp": ("LLAMA_API_KEY",),
}
"""Environment variables with the keys of the providers of language models, the first of which counts."""
MODEL_URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST"}
"""Environment variables with the addresses of servers, as the providers' own programs read them."""


@dataclass(frozen=True)
class NetworkLimits:
    """Limits on the size and speed of replies from data servers, and additional hosts that helio may contact."""

    reply_bytes: int = 64 * 10**6
    """``$HELIO_REPLY_MB``, in MB of 10^6 bytes: maximum size, uncompressed, of a listing, a catalogue or
    another reply. Default: 64. Data files and HAPI records have other limits: ``--max-download``, and the
    size in the listing."""
    reply_seconds: float = 600.0
    """``$HELIO_REPLY_SECONDS``: maximum seconds for a listing, a catalogue or another reply, with all
    attempts. Data files may take longer."""
    least_rate: float = 500.0
    """``$HELIO_LEAST_RATE``: minimum bytes per second; helio stops a download that is slower."""
    rate_seconds: float = 30.0
    """``$HELIO_RATE_SECONDS``: number of seconds over which helio measures the rate of a download."""
    further_hosts: frozenset[tuple[str, int]] = frozenset()
    """``$HELIO_FURTHER_HOSTS``, as ``HOST[:PORT],…``: hosts, besides the providers', to which redirects and
    listings may lead, and which may be on the local network. Default ports: 80 and 443."""


@dataclass(frozen=True)
class Retention:
    """What `helio serve` removes from the home once a day; `helio gc` lists it. In this class: seconds and bytes."""

    runs: float | None = None
    """``$HELIO_KEEP_RUNS``, such as ``400d``: age at which records of runs are removed, with the results that only
    they use. The run that the gallery shows of each interval stays. Default: ``never``."""
    figures: float | None = None
    """``$HELIO_KEEP_FIGURES``, such as ``3650d``: age at which also the run that the gallery shows of an interval is
    removed, with its files in the home. Default: ``never``."""
    files: float | None = None
    """``$HELIO_KEEP_FILES``, such as ``90d``: time without use after which downloaded files are removed, although
    records refer to them; a later run downloads them again. Default: ``never``."""
    engine: float | None = 90 * 86400.0
    """``$HELIO_KEEP_ENGINE_RECORDS``, such as ``30d``: age at which helio's own engine removes flow runs from its
    database, with their task runs, states and logs; records of helio and figures stay. At least ``2h``. Valid from
    the next start of the engine. Default: ``90d``."""
    logs: float | None = None
    """``$HELIO_KEEP_LOGS``, such as ``90d``: age at which old log files are removed. Default: ``never``; log files of
    helio and its engine take at most 6 MB."""
    quota: int | None = None
    """``$HELIO_QUOTA``, such as ``200GB``: size that the home may have. If it is larger, results and downloaded files
    that have been unused for longest are removed, but no figures that the gallery shows. Default: no limit."""

    @property
    def is_set(self) -> bool:
        """Return whether `helio serve` removes anything but records of the engine."""
        return any(
            limit is not None for limit in (self.runs, self.figures, self.files, self.logs, self.quota)
        )


@dataclass(frozen=True)
class Settings:
    """Settings of helio on this machine that are neither in a template nor on the command line."""

    home: Path
    """``$HELIO_HOME``: the home folder, which contains all data of the user. Default: the platform's folder
    for data."""
    archive: str = ""
    """``$HELIO_ARCHIVE``: the archive from which runs read data by default."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """``$HELIO_NAME_URL``, with the name of a data source for NAME, such as ``$HELIO_SWPC_URL``: address of
    a compatible server to use instead of the source's own server."""
    servers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """``$HELIO_NAME_SERVERS``, with the name of a data source that has several servers for NAME, such as
    ``$HELIO_HAPI_SERVERS``: servers to add, or to use instead of known servers, as ``NAME=URL,…``."""
    network: NetworkLimits = NetworkLimits()
    """Limits on replies from data servers, from ``$HELIO_REPLY_MB`` and related variables."""
    browser: str = ""
    """``$BROWSER_PATH``: path of the browser Chromium, which draws static figures. Default: the one that
    ``helio doctor --fix`` installed, otherwise a Chromium on the search path."""
    path: str = ""
    """``$PATH``: folders in which programs are searched."""

    workers: int = 2
    """``$HELIO_WORKERS``: maximum number of steps that run at the same time. Default: the number of
    processors, at most 4."""
    step_seconds: float = 900.0
    """``$HELIO_STEP_SECONDS``: maximum seconds for one step."""
    worker_memory: int | None = None
    """``$HELIO_WORKER_MEMORY``: maximum memory for one step, in MiB. Default: three quarters of the
    machine's memory."""

    sandbox: Literal["refuse", "weak"] = "refuse"
    """``$HELIO_SANDBOX``, ``refuse`` or ``weak``: whether helio refuses to run a template's code, or runs
    it with weaker protection, if this machine lacks a part of the sandbox."""

    engine: Literal["prefect", "direct"] = "prefect"
    """``$HELIO_ENGINE``, ``prefect`` or ``direct``: engine that ``helio run`` uses by default."""
    engine_idle: float | None = IDLE
    """``$HELIO_ENGINE_IDLE``, such as ``30min``, ``2h`` or a number of minutes: time without use after
    which the engine's server ends, or ``never``. Default: ``30min``. In this class: seconds, or None for never."""
    retention: Retention = Retention()
    """What `helio serve` removes, from ``$HELIO_KEEP_RUNS`` and related variables."""
    notify: tuple[str, ...] = field(default=(), repr=False)
    """``$HELIO_NOTIFY``: addresses to which ``helio serve`` sends notifications, separated by blanks, as apprise
    spells them: ``mailtos://USER:PASSWORD@HOST?to=NAME``; helio writes them into no text, file or log."""
    notify_file: Path | None = None
    """``$HELIO_NOTIFY_FILE``: file with such addresses, one in each line, which only you may read. Default:
    ``notify.urls`` in the home folder, if it is there."""
    model_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``$GEMINI_API_KEY`` (otherwise ``$GOOGLE_API_KEY``), ``$OPENAI_API_KEY``, ``$ANTHROPIC_API_KEY``,
    ``$OLLAMA_API_KEY``, ``$VLLM_API_KEY``, ``$LLAMA_API_KEY``: API key for the language models of a provider; helio
    writes it into no text, file or log. Models on your own machine need none. In this class: keys by provider."""
    model_urls: Mapping[str, str] = field(default_factory=dict)
    """``$HELIO_MODEL_URL``: address of the server of the model that plans, if it is not the provider's usual one; it
    must speak the provider's protocol. Otherwise ``$OPENAI_BASE_URL``, ``$ANTHROPIC_BASE_URL`` and ``$OLLAMA_HOST`` of
    the providers' own programs count. In this class: addresses by provider."""
    model_smart: str = "gemini-3.8-flash"
    """``$HELIO_MODEL_SMART``, otherwise ``$HELIO_MODEL``, as ``PROVIDER/NAME``: language model for planning;
    ``helio models`` lists the providers, and a name without a provider is one of Gemini. The defaults are released
    models, because previews are withdrawn."""
    model_fast: str = "gemini-3.5-flash-lite"
    """``$HELIO_MODEL_FAST``, otherwise ``$HELIO_MODEL``: language model for all questions except planning."""
    model_fallback: str = "gemini-3.7-flash"
    """``$HELIO_MODEL_FALLBACK``: language model to ask if the other models fail; empty for none (``none``
    in the variable). Default: ``gemini-3.7-flash``, and none if ``$HELIO_MODEL`` is set."""
    model_size: Literal["", "small", "large"] = ""
    """``$HELIO_MODEL_SIZE``, ``small`` or ``large``: a small model fills in a typed request for a new pipeline, from
    which helio writes the template; a large model writes the template. Default: ``small`` for the providers
    ``ollama``, ``vllm`` and ``llamacpp``, which run on your own machine, otherwise ``large``."""
    model_thinking: tuple[Thinking, Thinking] = ("", "")
    """``$HELIO_MODEL_THINKING``, ``off``, ``low``, ``medium`` or ``high``, or two of them as ``WRITING/SEARCH``: how
    much a model thinks when it writes, and when it searches the catalogue. Default: as much as its provider chooses."""
    model_statistics: bool = False
    """``$HELIO_MODEL_STATISTICS``, ``send`` or ``withhold``: whether a model that repairs a failed run gets
    statistics of its tables: the share of missing values, minimum, median and maximum of each column.
    Default: ``withhold``."""
    model_files_mb: float = 10.0
    """``$HELIO_MODEL_FILES_MB``: maximum size of the PDFs and pictures that go to a model with one request, in MB.
    Default: 10."""
    model_pages: int = 50
    """``$HELIO_MODEL_PAGES``: maximum number of pages of the PDFs of one request. Default: 50."""
    model_tokens: int | None = None
    """``$HELIO_MODEL_TOKENS``: maximum number of tokens for one request of the user. Default: no limit."""
    model_prices: tuple[float, float] | None = None
    """``$HELIO_MODEL_PRICES``, as ``IN/OUT``: price of a million tokens of questions and of a million tokens of
    answers, in any currency. Default: none; helio then counts tokens only."""
    model_cost: float | None = None
    """``$HELIO_MODEL_COST``: maximum cost of one request of the user, by ``$HELIO_MODEL_PRICES``. Default: no limit."""

    clock: Clock = field(default=Clock(), repr=False)
    """The clock of runs, of requests to archives and of the service; a simulation replaces it."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All environment variables, for the programs that helio starts: the engine's server and a browser."""

    @property
    def store(self) -> Path:
        """Return the folder of stored results: tables, figures and exports."""
        return self.home / "store"

    @property
    def runs(self) -> Path:
        """Return the folder of run records."""
        return self.home / "runs"

    @property
    def templates(self) -> Path:
        """Return the folder of the user's own pipelines."""
        return self.home / "templates"

    @property
    def transcripts(self) -> Path:
        """Return the folder of recorded conversations with a language model."""
        return self.home / "transcripts"

    @property
    def proposals(self) -> Path:
        """Return the folder of proposed changes to pipelines, pending, accepted and rejected."""
        return self.home / "proposals"

    @property
    def questions(self) -> Path:
        """Return the folder of questions of an author that have no answer yet."""
        return self.home / "questions"

    @property
    def chats(self) -> Path:
        """Return the folder of saved conversations."""
        return self.home / "chats"

    @property
    def memory(self) -> Path:
        """Return the folder of texts about what the user prefers, for the authors."""
        return self.home / "memory"

    @property
    def log_file(self) -> Path:
        """Return the path of the detailed log of every command."""
        return self.home / "logs" / "helio.log"


class PreviewSettings(Settings):
    """Settings for drawing proposals: the records of these runs are kept apart from the records of all other runs."""

    @property
    def runs(self) -> Path:
        """Return the folder of the records of previews."""
        return self.home / "previews"


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """Read all settings from the environment variables.

    Raises
    ------
    RequestError
        A value is not valid for its variable.
    """
    engine = environ.get("HELIO_ENGINE") or "prefect"
    if engine not in ("prefect", "direct"):
        raise RequestError(f"HELIO_ENGINE is '{engine}'; it must be 'prefect' or 'direct'")
    sandbox = environ.get("HELIO_SANDBOX") or "refuse"
    if sandbox not in ("refuse", "weak"):
        raise RequestError(f"HELIO_SANDBOX is '{sandbox}'; it must be 'refuse' or 'weak'")
    size = environ.get("HELIO_MODEL_SIZE", "")
    if size not in ("", "small", "large"):
        raise RequestError(f"HELIO_MODEL_SIZE is '{size}'; it must be 'small' or 'large'")
    statistics = environ.get("HELIO_MODEL_STATISTICS") or "withhold"
    if statistics not in ("send", "withhold"):
        raise RequestError(f"HELIO_MODEL_STATISTICS is '{statistics}'; it must be 'send' or 'withhold'")
    memory = _number(environ, "HELIO_WORKER_MEMORY", 0.0, least=512)
    tokens = _number(environ, "HELIO_MODEL_TOKENS", 0.0, least=1)
    every = environ.get("HELIO_MODEL", "")
    smart = environ.get("HELIO_MODEL_SMART") or every or Settings.model_smart
    fallback = environ.get("HELIO_MODEL_FALLBACK") or ("none" if every else Settings.model_fallback)
    prices = _model_prices(environ)
    cost = _number(environ, "HELIO_MODEL_COST", 0.0, least=0)
    if cost and prices is None:
        raise RequestError(
            "HELIO_MODEL_COST is set, but not the price of tokens",
            advice="set HELIO_MODEL_PRICES=IN/OUT, the prices of a million tokens of questions and of answers",
        )
    return Settings(
        home=Path(environ["HELIO_HOME"]).expanduser().absolute()
        if environ.get("HELIO_HOME")
        else _data_folder(),
        archive=environ.get("HELIO_ARCHIVE", ""),
        addresses=_addresses(environ),
        servers=_servers(environ),
        network=_network(environ),
        browser=environ.get("BROWSER_PATH", ""),
        path=environ.get("PATH", os.defpath),
        workers=int(_number(environ, "HELIO_WORKERS", min(4, os.cpu_count() or 1), least=1)),
        step_seconds=_number(environ, "HELIO_STEP_SECONDS", 900.0, least=1),
        worker_memory=int(memory * 1024**2) if memory else None,
        sandbox="weak" if sandbox == "weak" else "refuse",
        engine="direct" if engine == "direct" else "prefect",
        engine_idle=_idle(environ.get("HELIO_ENGINE_IDLE", "")),
        retention=_retention(environ),
        notify=tuple(environ.get("HELIO_NOTIFY", "").split()),
        notify_file=Path(environ["HELIO_NOTIFY_FILE"]).expanduser().absolute()
        if environ.get("HELIO_NOTIFY_FILE")
        else None,
        model_keys=_model_keys(environ),
        model_urls=_model_urls(environ, smart),
        model_smart=smart,
        model_fast=environ.get("HELIO_MODEL_FAST") or every or Settings.model_fast,
        model_fallback="" if fallback == "none" else fallback,
        model_size="small" if size == "small" else "large" if size == "large" else "",
        model_thinking=_model_thinking(environ),
        model_statistics=statistics == "send",
        model_files_mb=_number(environ, "HELIO_MODEL_FILES_MB", Settings.model_files_mb, least=0.001),
        model_pages=int(_number(environ, "HELIO_MODEL_PAGES", Settings.model_pages, least=1)),
        model_tokens=int(tokens) or None,
        model_prices=prices,
        model_cost=cost or None,
        environ=dict(environ),
    )


@dataclass(frozen=True)
class CertificateSetting:
    """Environment variable that names the certificate authorities to trust, instead of those of the system."""

    name: str
    """Name of the environment variable, such as ``SSL_CERT_FILE``."""
    path: str
    is_folder: bool


def certificate_setting(environ: Mapping[str, str] = os.environ) -> CertificateSetting | None:
    """Return the environment variable that names certificate authorities, if one is set.

    The first two are OpenSSL's; an institute may have set the others for other programs.

    >>> certificate_setting({"REQUESTS_CA_BUNDLE": "/etc/ca.pem"}).name
    'REQUESTS_CA_BUNDLE'
    """
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = environ.get(name, "")
        if path:
            return CertificateSetting(name, path, name == "SSL_CERT_DIR" or os.path.isdir(path))
    return None


def settings_in_use(settings: Settings | None = None) -> Settings:
    """Return the given settings, or else read them from the environment; let only the user open the home folder.

    A missing home is created. If other users can read the home, as in earlier versions, this is changed.

    Raises
    ------
    RequestError
        The home is a folder that all users of the machine share, such as ``/tmp``, or a setting is wrong.
    """
    settings = settings or read_settings()
    home = settings.home
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        home.mkdir(mode=0o700, exist_ok=True)
        close_to_others(home)
    except OSError as error:  # commands that write nothing work without a home; the others report the error
        log.debug("helio's home %s cannot be created or made private: %s", home, error)
    return settings


def close_to_others(folder: Path) -> None:
    """Let only the user open a folder; leave a folder that belongs to another user unchanged.

    Raises
    ------
    RequestError
        All users share the folder.
    OSError
        The folder does not exist, or its rights cannot be changed.
    """
    status = folder.stat()
    if status.st_mode & stat.S_ISVTX:
        raise RequestError(
            f"{folder} is a folder that all users of this machine share",
            advice=f"set HELIO_HOME={folder / 'helio'}, a folder of your own",
        )
    if status.st_uid != os.geteuid() and status.st_mode & 0o022:
        raise RequestError(
            f"{folder} belongs to another user, and others can write to it",
            advice="set HELIO_HOME to a folder of your own",
        )
    if status.st_uid == os.geteuid() and status.st_mode & 0o077:
        folder.chmod(stat.S_IMODE(status.st_mode) & 0o700)
        log.warning("other users of this machine could read %s; now only you can", folder)


def _number(environ: Mapping[str, str], name: str, default: float, *, least: float) -> float:
    text = environ.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        raise RequestError(f"{name} is '{text}', not a number of at least {least:g}")
    return value


def provider_of(model: str) -> tuple[str, str]:
    """Return the provider and the name of a language model, given as ``PROVIDER/NAME`` or as a name of Gemini.

    >>> provider_of("ollama/qwen3:8b"), provider_of("gemini-3.8-flash"), provider_of("openai/org/model")
    (('ollama', 'qwen3:8b'), ('gemini', 'gemini-3.8-flash'), ('openai', 'org/model'))
    >>> provider_of("gpt-9")  # no name of Gemini
    ('', 'gpt-9')
    """
    provider, slash, name = model.partition("/")
    return (provider, name) if slash else ("gemini" if model.startswith(("gemini", "gemma")) else "", model)


def _model_keys(environ: Mapping[str, str]) -> dict[str, str]:
    found = {
        provider: next((key for name in names if (key := environ.get(name, "").strip())), "")
        for provider, names in MODEL_KEYS.items()
    }
    return {provider: key for provider, key in found.items() if key}


def _model_urls(environ: Mapping[str, str], smart: str) -> dict[str, str]:
    found = {provider: environ.get(name, "").strip() for provider, name in MODEL_URLS.items()}
    if found["ollama"]:  # Ollama's own program takes HOST:PORT, without a protocol and without a path
        host = found["ollama"].rstrip("/")
        found["ollama"] = f"{host if '://' in host else f'http://{host}'}/v1"
    found[provider_of(smart)[0]] = environ.get("HELIO_MODEL_URL", "") or found.get(provider_of(smart)[0], "")
    return {provider: url for provider, url in found.items() if url}


def _model_prices(environ: Mapping[str, str]) -> tuple[float, float] | None:
    text = environ.get("HELIO_MODEL_PRICES", "")
    if not text:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)", text.strip(), re.ASCII)
    if match is None:
        raise RequestError(
            f"HELIO_MODEL_PRICES is '{text}', not two prices",
            advice="write IN/OUT, such as 0.5/3: the prices of a million tokens of questions and of answers",
        )
    return float(match[1]), float(match[2])


def _model_thinking(environ: Mapping[str, str]) -> tuple[Thinking, Thinking]:
    text = environ.get("HELIO_MODEL_THINKING", "").strip()
    if not text:
        return "", ""
    parts = text.split("/")
    levels = [level for part in parts for level in THINKING if level == part]
    if len(parts) > 2 or len(levels) < len(parts):
        raise RequestError(
            f"HELIO_MODEL_THINKING is '{text}'; it must be one of {', '.join(THINKING)}, or two as WRITING/SEARCH",
            advice="write high, or high/low",
        )
    return levels[0], levels[-1]


def _network(environ: Mapping[str, str]) -> NetworkLimits:
    limits = NetworkLimits
    megabytes = _number(environ, "HELIO_REPLY_MB", limits.reply_bytes / 10**6, least=1)
    return NetworkLimits(
        reply_bytes=int(megabytes * 10**6),
        reply_seconds=_number(environ, "HELIO_REPLY_SECONDS", limits.reply_seconds, least=1),
        least_rate=_number(environ, "HELIO_LEAST_RATE", limits.least_rate, least=1),
        rate_seconds=_number(environ, "HELIO_RATE_SECONDS", limits.rate_seconds, least=1),
        further_hosts=_further_hosts(environ),
    )


def _further_hosts(environ: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Read hosts and their ports from a text such as ``HOST,HOST:PORT``."""
    hosts: set[tuple[str, int]] = set()
    for text in filter(None, (part.strip() for part in environ.get("HELIO_FURTHER_HOSTS", "").split(","))):
        try:
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or parts.netloc != text or set(text) & set("@ \t"):
            raise RequestError(
                f"HELIO_FURTHER_HOSTS contains '{text}', not HOST or HOST:PORT",
                advice="write, for example, data.example.org,127.0.0.1:8080",
            )
        hosts |= {(host, 80), (host, 443)} if port is None else {(host, port)}
    return frozenset(hosts)


def _idle(text: str) -> float | None:
    """Convert ``30min``, ``2h`` or a number of minutes to seconds; return None for ``never`` or 0."""
    text = text.strip()
    if not text:
        return IDLE
    if text == "never":
        return None
    seconds = _seconds(f"{text}min" if text[-1:] in "0123456789." else text)
    if seconds and not 1 <= seconds <= 366 * 86400:
        raise RequestError(
            f"HELIO_ENGINE_IDLE is '{text}', not a duration from 1s to 366d",
            advice="write '30min', '2h', a number of minutes, or 'never'",
        )
    return seconds or None


def _seconds(text: str) -> float:
    """Convert a number with its unit to seconds; return -1 for another text."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?) ?(s|min|h|d)", text, re.ASCII)
    return float(match[1]) * {"s": 1, "min": 60, "h": 3600, "d": 86400}[match[2]] if match else -1.0


def _retention(environ: Mapping[str, str]) -> Retention:
    quota = environ.get("HELIO_QUOTA", "").strip()
    try:
        size = None if quota in ("", "never") else size_of(quota)
    except RequestError:
        size = 0
    if size is not None and size < 10**6:
        raise RequestError(
            f"HELIO_QUOTA is '{quota}', not a size of at least 1MB", advice="write, for example, 200GB"
        )
    return Retention(
        runs=_age(environ, "RUNS", Retention.runs),
        figures=_age(environ, "FIGURES", Retention.figures),
        files=_age(environ, "FILES", Retention.files),
        engine=_age(environ, "ENGINE_RECORDS", Retention.engine, least="2h"),
        logs=_age(environ, "LOGS", Retention.logs),
        quota=size,
    )


def _age(environ: Mapping[str, str], what: str, default: float | None, *, least: str = "1d") -> float | None:
    """Read how long something is kept, in seconds; None for ``never``."""
    name = f"HELIO_KEEP_{what}"
    text = environ.get(name, "").strip()
    if not text:
        return default
    if text == "never":
        return None
    seconds = _seconds(text)
    if not _seconds(least) <= seconds <= 36_600 * 86400:
        raise RequestError(
            f"{name} is '{text}', not a duration of at least {least}", advice="write '400d', '48h' or 'never'"
        )
    return seconds


def size_of(text: str) -> int:
    """Convert a size such as ``20GB`` or ``500 MiB`` to a number of bytes.

    Raises
    ------
    RequestError
    """
    powers = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
    powers |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
    size = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", text.lower(), re.ASCII)
    if not size:
        raise RequestError(f"'{text}' is not a size", advice="write a number and a unit: 500MB or 20GB")
    return int(float(size[1]) * powers[size[2] or ""])


def _of_sources(environ: Mapping[str, str], what: str) -> Iterator[tuple[str, str, str]]:
    """Yield each set variable named ``HELIO_NAME_WHAT``, with the name of the data source and the value."""
    for variable, value in environ.items():
        named = re.fullmatch(rf"HELIO_([A-Z0-9_]+)_{what}", variable)
        if named and value:
            yield variable, named[1].lower().replace("_", "-"), value


def _addresses(environ: Mapping[str, str]) -> dict[str, str]:
    """Read the addresses of data sources, by the source's name; leave out the address of the language model."""
    return {name: url for _, name, url in _of_sources(environ, "URL") if name != "model"}


def _servers(environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Read the URLs of servers from ``NAME=URL,NAME=URL``, for each data source with several servers."""
    servers: dict[str, dict[str, str]] = {}
    for variable, source, text in _of_sources(environ, "SERVERS"):
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, url = (word.strip() for word in part.partition("="))
            if not name or not url.startswith(("http://", "https://")):
                raise RequestError(
                    f"{variable} contains '{part}', not NAME=URL",
                    advice=f"write NAME=https://HOST/{source}",
                )
            servers.setdefault(source, {})[name] = url
    return servers


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("helio", appauthor=False)
