"""Whatever a command prints goes through one place, which makes it plain."""

import re
from pathlib import Path

import helio.cli
from helio.pipelines.template.plain_text import plain
from tests.rows import in_one_test

FOLDER = Path(helio.cli.__file__).parent


@in_one_test("file", sorted(FOLDER.glob("*.py")))
def test_no_command_prints_past_the_one_place(file: Path):
    text = file.read_text(encoding="utf-8")
    assert len(re.findall(r"typer\.echo\(|\bprint\(|sys\.stdout\.write", text)) == (file.stem == "app")


@in_one_test(
    "sign",
    [
        *("\x1b", "\x07", "\r", "\x08", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ud800"),
        *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u3164", "\ufe0f"),
    ],
)
def test_a_sign_that_a_terminal_would_obey_or_not_show_is_made_visible(sign: str):
    assert plain(f"a{sign}b") == f"a\\u{ord(sign):04x}b"


def test_a_sign_beyond_the_first_plane_is_written_as_json_writes_it():
    assert plain("a\U000e0041b") == "a\\udb40\\udc41b"


def test_the_field_s_own_signs_lines_and_tabs_stay():
    text = "Bz [nT]\tβ ≥ 1 – 10⁻³ µ°\n│ 磁場 👩‍🚀"
    assert plain(text) == text
