"""No sentence that `helio dev` writes for its author to replace stays in helio."""

from pathlib import Path

import pytest

import helio

ROOT = Path(helio.__file__).parent
PLACEHOLDERS = (
    "Name the formula and where it was published",
    "Say here why the pass has this place in the list",
    "Say in a few words",
    "Say why the author should know",
    "replace this by what",
)


def written(folder: Path) -> str:
    """Return all Python code and stubs of a folder."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".py", ".txt")]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.parametrize("sentence", PLACEHOLDERS)
def test_helio_dev_still_writes_the_placeholder(sentence: str):
    assert sentence in written(ROOT / "dev")


def test_no_placeholder_is_left():
    for path in ROOT.rglob("*.py"):
        if path.relative_to(ROOT).parts[0] != "dev":
            left = [sentence for sentence in PLACEHOLDERS if sentence in path.read_text(encoding="utf-8")]
            assert not left, f"{path.relative_to(ROOT)}: replace {left[0]!r} by words of your own"
