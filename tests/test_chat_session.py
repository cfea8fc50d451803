"""The conversation in the documentation is what the commands print, with a restart and a cancelled line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio.authoring.desk import Desk
from helio.cli import app

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

PAGE = Path(__file__).parents[1] / "docs" / "chat.md"
BLOCK = re.compile(r"^```text\n(\$ helio .*?)^```", re.DOTALL | re.MULTILINE)
CANCELLED = "^C"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, an empty home, no engine and no key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    for name in ("HELIO_ARCHIVE", "GEMINI_API_KEY", "GOOGLE_API_KEY", "HELIO_MODEL_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def calls(block: str) -> Iterator[tuple[str, list[str], str]]:
    """Each command of a block with the lines that the user types, and with what is printed."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, [line[2:] for line in shown.splitlines() if line.startswith("> ")], shown


def printed(command: str, typed: list[str], shown: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints; Ctrl-C comes while it works on a line that the page shows as cancelled."""
    cancelled = re.findall(rf"^> (.*)\n{re.escape(CANCELLED)}$", shown, re.MULTILINE)
    edit = Desk.edit

    def interrupted(self: Desk, pipeline: str, request: str, **options: object) -> object:
        if request in cancelled:
            raise KeyboardInterrupt
        return edit(self, pipeline, request, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Desk, "edit", interrupted)
        words = shlex.split(command)[1:]
        result = CliRunner().invoke(
            app, words, prog_name="helio", input="".join(f"{line}\n" for line in typed)
        )
    assert result.exit_code == 0, result.output
    output = result.output
    for line in cancelled:
        output = output.replace(f"> {line}\n", f"> {line}\n{CANCELLED}\n")
    return output


def masked(text: str, home: Path) -> str:
    """A text without what differs each time: ids, times and the home."""
    text = text.replace(str(home / "home"), "~/.local/share/helio")
    text = re.sub(r"\d{8}T\d{6}Z?-[0-9a-f]{4}", "20261120T143000-1f2e", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d", "2026-11-20T14:30", text)
    return re.sub(r"next 2\d{3}-.*", "next …", text)


def test_the_conversation_in_the_documentation_is_what_the_commands_print(home, monkeypatch):
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == 3
    seen = [
        (masked(shown, home), masked(printed(command, typed, shown, monkeypatch), home))
        for block in blocks
        for command, typed, shown in calls(block)
    ]
    for shown, said in seen:
        assert said == shown
    typed = "".join(blocks)
    assert all(
        word in typed
        for word in ("undo that", "/preview", "/accept", "--continue", CANCELLED, "schedule add")
    )
