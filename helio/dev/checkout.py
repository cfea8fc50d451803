"""Find the developer's copy of helio's code, and write several files into it, either all of them or none."""

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
"""Maximum characters of the name of a new tool, pass or source, so that its import fits on one line."""
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def find_checkout(folder: Path) -> Path:
    """Return the root folder of the running helio's code; refuse a `folder` that is not in this code.

    Raises
    ------
    RequestError
        The folder is not in a checkout of helio, or helio runs from another folder.
    """
    root = PACKAGE.parent
    if not _is_checkout(root):
        raise RequestError(
            "this installation of helio has no tests; add new code in a checkout",
            advice="clone the repository, then run pip install --editable '.[dev]'",
        )
    if not folder.resolve().is_relative_to(root.resolve()):
        raise RequestError(f"{folder} is not in the checkout that helio runs from", advice=f"run cd {root}")
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
            advice="choose a name such as plasma_beta",
        )


def write_files(new: Mapping[Path, str], changed: Mapping[Path, str] | None = None) -> None:
    """Write several files; if a file cannot be written, undo the changes to all others.

    Parameters
    ----------
    new : mapping
        Content by path of files that do not exist.
    changed : mapping, optional
        New content by path of existing files.

    Raises
    ------
    RequestError
        A new file exists already.
    OutputError
        A file cannot be written.
    """
    for path in new:
        if path.exists():
            raise RequestError(f"{path} exists already", advice="choose another name")
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
