"""A conversation at a real terminal: line editing, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import LONG

pytestmark = pytest.mark.process

UP, CTRL_A, CTRL_C, CTRL_D, CTRL_K = "\x1b[A", "\x01", "\x03", "\x04", "\x0b"


class Terminal:
    """A pseudo-terminal with `helio chat` in it."""

    def __init__(self, folder: Path) -> None:
        self._screen, inside = pty.openpty()
        begin = "import sys; sys.argv[0] = 'helio'; from helio.cli import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", begin, "chat", "--author", "rules"],
            cwd=folder,
            env={**os.environ, "HELIO_HOME": str(folder / "home"), "HELIO_ENGINE": "direct", "TERM": "xterm"},
            pass_fds=[inside],
            preexec_fn=lambda: os.login_tty(inside),
        )
        os.close(inside)
        self._unread = ""

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def wait_for(self, text: str) -> str:
        """Return what the terminal showed until and with a text."""
        while text not in self._unread:
            ready, _, _ = select.select([self._screen], [], [], LONG)
            assert ready, f"no {text!r} in {self._unread!r}"
            try:
                self._unread += os.read(self._screen, 65536).decode(errors="replace")
            except OSError:  # Linux: the process has ended
                raise AssertionError(f"no {text!r} in {self._unread!r}") from None
        shown, _, self._unread = self._unread.partition(text)
        return shown + text

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path)
    yield opened
    opened.close()


def test_lines_are_edited_and_called_back_and_ctrl_c_ends_nothing(terminal):
    terminal.wait_for("> ")
    terminal.type("plot the ACE magnetic field for 2022-01-01\n")
    terminal.wait_for("Pending:")
    terminal.wait_for("> ")
    terminal.type("half a line")
    terminal.wait_for("half a line")
    terminal.type(CTRL_C)
    terminal.wait_for("to end the conversation: /quit or Ctrl-D")
    terminal.wait_for("> ")
    terminal.type("half a line" + CTRL_C)  # the signal comes while the keys are being read
    terminal.wait_for("to end the conversation: /quit or Ctrl-D")
    terminal.wait_for("> ")
    terminal.type(UP)
    terminal.wait_for("plot the ACE magnetic field for 2022-01-01")
    terminal.type(CTRL_A + CTRL_K + "change the title to 'Quiet day'\n")
    assert "Quiet day" in terminal.wait_for("2 pending changes")
    terminal.wait_for("> ")
    terminal.type(CTRL_D)
    terminal.wait_for("saved: chat-")
    assert terminal.process.wait(timeout=LONG) == 0
