"""Keep the secret of helio's own Prefect server: a random password in a file that only its owner can read."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
import stat
from pathlib import Path

from helio.errors import EngineError

log = logging.getLogger(__name__)

FILE = "secret"
_FORM = re.compile(r"[A-Za-z0-9_-]{43}\n?")
"""Pattern of the 43 characters that `secrets.token_urlsafe` makes from 32 random bytes."""


def find_secret(folder: Path) -> str:
    """Return the server's secret password from its folder; empty if there is none, or if others could have read it."""
    return _read(folder / FILE)[0]


def make_secret(folder: Path) -> str:
    """Return the server's secret password; make a new one if there is none, or if others could have read it.

    Raises
    ------
    EngineError
        The file belongs to another user, or a new one cannot be written.
    """
    path = folder / FILE
    secret, fault = _read(path)
    if secret:
        return secret
    if fault:
        log.warning("%s %s; helio makes a new secret, which keeps other users out of the engine", path, fault)
    secret = secrets.token_urlsafe(32)
    temporary = path.with_name(f".{FILE}.{secrets.token_hex(6)}")
    try:
        # With its mode from the start, so that other users can never open it.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secret + "\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise EngineError(
            f"the secret of the engine's server cannot be written to {path}: {error.strerror or error}",
            advice=f"remove {path}, or set HELIO_HOME to a folder that you can write",
        ) from error
    return secret


def mark_of(secret: str) -> str:
    """Return a short digest that identifies a secret password without revealing it."""
    return hashlib.sha256(b"helio mark " + secret.encode()).hexdigest()[:16]


def proof_of(secret: str, challenge: str) -> str:
    """Compute the reply to a random text; the reply proves that a program knows the secret password."""
    return hmac.new(secret.encode(), b"helio proof " + challenge.encode(), "sha256").hexdigest()


def _read(path: Path) -> tuple[str, str]:
    """Return the secret password, or "" and what is wrong with its file; return two empty texts if there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return "", ""
    except OSError as error:
        return "", f"cannot be read ({error.strerror or error})"
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return "", "is not a file"
        if status.st_uid != os.geteuid() and os.geteuid() != 0:
            raise EngineError(
                f"{path} belongs to another user", advice="set HELIO_HOME to a folder of your own"
            )
        if status.st_mode & 0o077:
            return "", "could be read by other users"
        content = file.read(100).decode("ascii", "replace")
    if not _FORM.fullmatch(content):
        return "", "does not contain a secret of helio"
    return content.strip(), ""
