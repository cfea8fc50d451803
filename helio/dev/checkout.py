"""Find the checkout of helio that a developer works in, and write several of its files or none."""

from __future__ import annotations

import keyword
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from helio.errors import RequestError
from helio.store.files import write_whole

PACKAGE = Path(__file__).parents[1]
PROJECT = "helio-pipelines"
LONGEST = 36
"""Maximum characters of a name; the import of a longer one does not fit on a line."""
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def find_checkout(folder: Path) -> Path:
    """Find the root of the checkout that `folder` is in and that this helio runs from.

    Raises
    ------
    RequestError
        The folder is not in a checkout of helio, or helio runs from another folder.
    """
    root = PACKAGE.parent
    if not _is_checkout(root):
        raise RequestError(
            "this installation of helio has no tests; add new code in a checkout",
            advice="clone the repository, then pip install --editable '.[dev]'",
        )
    if not folder.resolve().is_relative_to(root.resolve()):
        raise RequestError(f"{folder} is not in the checkout that helio runs from", advice=f"cd {root}")
    return root


def _is_checkout(root: Path) -> bool:
    project = root / "pyproject.toml"
    if not project.is_file() or not (root / "tests").is_dir():
        return False
    read = tomllib.loads(project.read_text(encoding="utf-8"))
    return bool(read.get("project", {}).get("name") == PROJECT)


def check_identifier(name: str) -> None:
    """Refuse a name that is not a Python identifier in lower case.

    >>> check_identifier("plasma_beta")

    Raises
    ------
    RequestError
    """
    if not _IDENTIFIER.fullmatch(name) or keyword.iskeyword(name) or len(name) > LONGEST:
        raise RequestError(
            f"'{name}' is not a Python identifier in lower case of at most {LONGEST} characters",
            advice="such as plasma_beta",
        )


def write_files(new: Mapping[Path, str], changed: Mapping[Path, str] | None = None) -> None:
    """Write all of these files, or leave everything as it was.

    Parameters
    ----------
    new : mapping
        Content by path of files that do not exist.
    changed : mapping, optional
        New content by path of existing files.

    Raises
    ------
    RequestError
        One of the new files exists.
    OutputError
        A file cannot be written.
    """
    for path in new:
        if path.exists():
            raise RequestError(f"{path} exists", advice="choose another name")
    before = {path: path.read_bytes() for path in changed or ()}
    try:
        for path, text in {**new, **(changed or {})}.items():
            write_whole(path, text.encode(), durable=False)
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        for path, content in before.items():
            write_whole(path, content, durable=False)
        raise
