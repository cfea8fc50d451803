"""A headless Chromium that a test drives: pages, what they show, what they report."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.waiting import LONG, wait_until

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class NoAnswer(Exception):
    """The browser refused a command; it refuses those for a page that is just replaced by another."""


class Browser:
    """One tab."""

    def __init__(self, socket: Connection) -> None:
        self._socket = socket
        self._number = 0
        self.reports: list[str] = []
        """What the browser reported of itself: scripts and images that it did not load, errors."""
        self.requests: list[tuple[str, str]] = []
        """The page that asked and the address, for each request after ``Network.enable``."""

    def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=LONG))
            if message.get("method") == "Log.entryAdded":
                self.reports.append(json.dumps(message["params"]["entry"]))
            if message.get("method") == "Runtime.exceptionThrown":
                self.reports.append(json.dumps(message["params"]["exceptionDetails"]))
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append((message["params"]["documentURL"], message["params"]["request"]["url"]))
            if message.get("id") == self._number:
                if "error" in message:
                    raise NoAnswer(message)
                return message["result"]

    def open(self, url: str) -> None:
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)

    def evaluate(self, code: str) -> Any:
        """Evaluate code in the page, or in the page that just replaces it."""
        answers: list[Any] = []

        def has_answered() -> bool:
            with suppress(NoAnswer):
                answers.append(
                    self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
                )
            return bool(answers)

        wait_until(has_answered, "a page that answers")
        [result] = answers
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    @property
    def text(self) -> str:
        return str(self.evaluate("document.body ? document.body.innerText : ''"))

    @property
    def address(self) -> str:
        return str(self.evaluate("location.href"))

    def shows(self, words: str) -> str:
        """Wait for the words, and return the text of the page with them."""
        text = ""

        def has_words() -> bool:
            nonlocal text
            text = self.text
            return words in text

        wait_until(has_words, f"a page with '{words}'")
        return text


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser with what it remembers in the folder."""
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    command += ["--window-size=1400,2600"]  # lists are drawn only where they can be seen
    command += ["--no-first-run", "--disable-background-networking", f"--user-data-dir={profile}"]
    place = profile / "DevToolsActivePort"
    place.unlink(missing_ok=True)
    with subprocess.Popen([*command, "about:blank"], stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(
                lambda: process.poll() is not None or (place.exists() and place.read_text().count("\n")),
                "the start of the browser",
            )
            assert process.poll() is None, "the browser ended"
            port, path = place.read_text().split()
            with connect(f"ws://127.0.0.1:{port}{path}", max_size=None, proxy=None) as socket:
                main = Browser(socket)
                target = main.call("Target.createTarget", url="about:blank")["targetId"]
                with connect(
                    f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None, proxy=None
                ) as tab:
                    browser = Browser(tab)
                    for domain in ("Page", "Runtime", "Log"):
                        browser.call(f"{domain}.enable")
                    yield browser
                main.call("Browser.close")
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONG)
        finally:
            process.kill()  # a test that fails does not close it
