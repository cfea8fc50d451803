"""Write a report about this installation, without passwords and keys, that a user can send with a bug report."""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from helio import __version__
from helio.authoring.models.scrub import HIDDEN, Scrub
from helio.doctor import PACKAGES, Finding
from helio.errors import RequestError
from helio.settings import Settings
from helio.sources.connection import without_user
from helio.store.files import unwritable, write_all

_NOTE = "Read this file before you send it. Passwords and keys are left out, and your home folder is written as ~."
_LINES = 200
"""Number of lines to include in the report from the end of each log."""
_LOG_BYTES = 256 * 1024
_OWN = "helio-pipelines"
_ALSO = ("httpx2", "httpcore2", "cryptography", "google-auth", "truststore", "certifi")
_RELEVANT = re.compile(
    r"(HELIO|PREFECT|GEMINI|GOOGLE|OPENAI|ANTHROPIC|OLLAMA|VLLM|LLAMA|SSL|PYTHON)_?\w*|\w+_PROXY|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|BROWSER_PATH"
    r"|LANG|LC_\w+|TZ",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"HELIO_(HOME|ARCHIVE|(?!MODEL)[A-Z0-9_]+_URL|[A-Z0-9_]+_SERVERS|WORKERS|STEP_SECONDS|WORKER_MEMORY|SANDBOX|ENGINE"
    r"|MODEL|MODEL_URL|MODEL_SMART|MODEL_FAST|MODEL_FALLBACK|MODEL_TOKENS|MODEL_PRICES|MODEL_COST)"
    r"|\w+_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|PREFECT_API_URL|PREFECT_HOME"
    r"|BROWSER_PATH|LANG|LC_\w+|TZ|PYTHONPATH|PYTHONHOME|PYTHONUTF8",
    re.IGNORECASE,
)
"""Environment variables whose values the report shows, without the passwords in URLs."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|AUTH|CREDENTIAL", re.IGNORECASE)
_USER_OF_URL = re.compile(r"(?<=://)[^/\s\"'<>]*@")
_TOKEN_OF_QUERY = re.compile(
    r"((?:[?&;]|%3f|%26)[^=&\s]*?(?:token|key|secret|passw|pwd|sig|auth|session|credential)[^=&\s]*=)[^&\s\"']+",
    re.IGNORECASE,
)
_HEADER = re.compile(r"((?:authorization|cookie|x-goog-api-key)[\"']?\s*[:=]\s*).+", re.IGNORECASE)
_HOME = re.compile(r"/(?:home|Users)/[^/\s\"':,)]+")


class ReportScrub(Scrub):
    """Filter that removes private data from texts: keys, passwords, tokens, and the user's name."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(*_secrets(settings.environ), *settings.model_keys.values())
        home = settings.environ.get("HOME") or str(Path.home())
        self._home = re.compile(re.escape(home.rstrip("/")) + r"(?![\w.-])") if len(home) > 1 else None
        name = _user_name()
        self._name = re.compile(rf"(?<=/){re.escape(name)}(?![\w.-])") if len(name) > 2 else None

    def __call__(self, text: str) -> str:
        """Return the text without private data."""
        text = _HEADER.sub(rf"\1{HIDDEN}", super().__call__(text))
        text = _TOKEN_OF_QUERY.sub(rf"\1{HIDDEN}", _USER_OF_URL.sub("", text))
        if self._home is not None:
            text = self._home.sub("~", text)
        text = _HOME.sub("~", text)
        return text if self._name is None else self._name.sub("~", text)


def check_report(path: Path, *, replace: bool) -> None:
    """Check that the report can be written to a path; `helio doctor` does this first, before it sends requests.

    Raises
    ------
    RequestError
        The file exists and `replace` is not set, or the name is that of a folder.
    """
    if path.is_dir():
        raise RequestError(f"{path} is a folder", advice="give the name of a file, not of a folder")
    if not replace and (path.exists() or path.is_symlink()):
        raise RequestError(f"{path} exists already", advice="use --replace, or choose another name")


def write_report(path: Path, settings: Settings, findings: Sequence[Finding], *, replace: bool) -> None:
    """Write the report to a file that only the user can read.

    Parameters
    ----------
    replace : bool
        Whether an existing file may be replaced.

    Raises
    ------
    RequestError
        The file exists, and `replace` is not set.
    OutputError
        The file cannot be written.
    """
    content = json.dumps(report(settings, findings), indent=1, ensure_ascii=False) + "\n"
    temporary = path.with_name(f".{path.name[:200]}.{os.getpid()}")
    target = temporary if replace else path
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            write_all(descriptor, content.encode("utf-8", "backslashreplace"))
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        if replace:
            os.replace(temporary, path)
    except FileExistsError as error:
        raise RequestError(
            f"{path} exists already", advice="use --replace, or choose another name"
        ) from error
    except OSError as error:
        raise unwritable(path, error, "choose another folder for the report") from error


def report(settings: Settings, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the content of the report."""
    scrub = ReportScrub(settings)
    cleaned: dict[str, Any] = scrub.json(
        {
            "note": _NOTE,
            "written": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "helio": __version__,
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "openssl": ssl.OPENSSL_VERSION,
            "system": platform.platform(),
            "machine": f"{platform.machine()}, {os.cpu_count()} processors",
            "packages": dict(_packages()),
            "settings": _settings(settings.environ),
            "checks": [finding.to_json() for finding in findings],
            "certificate issuers": sorted({finding.issuer for finding in findings if finding.issuer}),
            "logs": {path.name: _last_lines(path) for path in _logs(settings)},
        }
    )
    return cleaned


def _logs(settings: Settings) -> list[Path]:
    """List the log files of helio's commands and of the engine's server."""
    return [
        path for folder in (settings.log_file.parent, settings.home) for path in sorted(folder.glob("*.log"))
    ]


def _packages() -> Iterator[tuple[str, str]]:
    try:
        needed = [
            re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in requires(_OWN) or () if "extra" not in line
        ]
    except PackageNotFoundError:  # run from its source
        needed = []
    names = {name.casefold(): name for name in (*needed, *PACKAGES, *_ALSO)}
    for name in sorted(names.values(), key=str.casefold):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"


def _settings(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: _shown(name, value) if _SHOWN.fullmatch(name) and not _SECRET.search(name) else "set"
        for name, value in sorted(environ.items())
        if value and _RELEVANT.fullmatch(name)
    }


def _shown(name: str, value: str) -> str:
    """Return a value in which URLs have no user name, no password and no query."""
    if name.upper().endswith("_PROXY") and name.upper() != "NO_PROXY" and "://" not in value:
        return value.rpartition("@")[2]
    return ",".join(without_user(part, query=False) for part in value.split(","))


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if _SECRET.search(name) and not os.path.exists(value):
            yield value
        userinfo = re.search(r"(?:://|^)([^/\s]*:[^\s]*)@", value) if "@" in value else None
        if userinfo:
            password = userinfo[1].partition(":")[2]
            yield from (password, unquote(password))


def _last_lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()[-_LINES:]
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]


def _user_name() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in some containers
        return ""
    return "" if name == "root" else name
