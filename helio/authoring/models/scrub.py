"""Remove API keys and the folders of the user's home from texts before helio saves, prints or sends the texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from helio.settings import Settings

HIDDEN = "[key]"
_SHORTEST = 8
"""Minimum number of characters of a password or key to remove; removing shorter texts could remove ordinary words."""
_LIKE_A_KEY = re.compile(
    r"AIza[\w-]{35}"  # Google's
    r"|AQ\.[\w-]{30,}"  # Google's newer ones
    r"|\bsk-[\w-]{20,}"  # those of several makers
    r"|(?<=[?&]key=)[^&\s\"']+"
    r"|(?<=Bearer )[\w.~+/-]{8,}"
)


class Scrub:
    """Filter that removes API keys from texts: the known keys, and all words that look like a key.

    Parameters
    ----------
    secrets : str
        Known keys; empty texts are ignored.
    url : str
        An address that may have a password.
    folders : mapping
        Folders whose paths say who the user is, each with the words in their place.

    Examples
    --------
    >>> Scrub("correct-horse")("the key correct-horse is refused")
    'the key [key] is refused'
    """

    def __init__(self, *secrets: str, url: str = "", folders: Mapping[str, str] | None = None) -> None:
        known = {*secrets, _password(url)}
        # the longest first: a key within a longer one would leave its rest
        self._known = sorted((secret for secret in known if len(secret) >= _SHORTEST), key=len, reverse=True)

        longest = sorted((folders or {}).items(), key=lambda pair: len(pair[0]), reverse=True)
        self._folders = [(re.compile(rf"{re.escape(path)}(?![\w-]|\.\w)"), name) for path, name in longest]

    def __call__(self, text: str) -> str:
        """Return the text without API keys, and with other words for the folders."""
        return _LIKE_A_KEY.sub(HIDDEN, self._without_known(text))

    def json(self, value: Any) -> Any:
        """Hide API keys in all texts of a JSON value; in the ``signature`` of a model, hide only the known keys."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {
                self(name): self._without_known(part)
                if name == "signature" and isinstance(part, str)
                else self.json(part)
                for name, part in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.json(item) for item in value]
        return value

    def _without_known(self, text: str) -> str:
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        for folder, name in self._folders:
            text = folder.sub(name, text)
        return text


def scrub_of(settings: Settings) -> Scrub:
    """Return a filter that removes the keys in the settings, and the passwords in the addresses of model servers."""
    return Scrub(*_secrets(settings))


def model_scrub_of(settings: Settings) -> Scrub:
    """Return the filter for what goes to a language model, which need not know the folders of the user's home."""
    home = settings.environ.get("HOME", "").rstrip("/")
    folders = {str(settings.home): "[home of helio]"} | ({home: "~"} if home.count("/") > 1 else {})
    return Scrub(*_secrets(settings), folders=folders)


def _secrets(settings: Settings) -> tuple[str, ...]:
    return *settings.model_keys.values(), *map(_password, settings.model_urls.values())


def _password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""
