"""Read the text of a PDF, in a separate process; only this module imports pypdf."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from helio.errors import RequestError
from helio.sources.child import child_environment, limit_memory, memory_limit
from helio.store.records import WrongShape, convert

MOST_TEXT = 5_000_000
"""Maximum number of characters of the text of a PDF."""
_SECONDS = 60.0
"""Maximum seconds for reading a PDF."""
_MEMORY = 2 * 1024**3
"""Maximum bytes of memory for reading a PDF."""


@dataclass(frozen=True)
class _PdfFacts:
    """What the child process says about a PDF."""

    is_encrypted: bool
    number: int
    """Number of pages."""
    pages: list[str]
    """The text of each page; empty if there are too many pages."""


def can_read_pdf() -> bool:
    """Return whether pypdf is installed."""
    return find_spec("pypdf") is not None


def pages_of(name: str, content: bytes, most: int) -> tuple[str, ...]:
    """Return the text of each page of a PDF; the text of a scanned page is empty.

    Parameters
    ----------
    name : str
        Its name, for messages.
    content : bytes
    most : int
        Maximum number of pages.

    Raises
    ------
    RequestError
        The PDF is encrypted, damaged or too long.
    """
    try:
        child = subprocess.run(
            [sys.executable, "-m", "helio.authoring.documents.pdf_text", str(most)],
            input=content,
            capture_output=True,
            env=child_environment(),
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RequestError(
            f"{name} cannot be read within {_SECONDS:g} s",
            advice="keep only the pages that the request needs",
        ) from error
    reason = "".join(child.stderr.decode(errors="replace").splitlines()[-1:])
    damaged = RequestError(
        f"{name} is a damaged PDF{': ' if reason else ''}{reason[:200]}",
        advice="open it in a viewer and print it as a new PDF, or give pictures of its pages",
    )
    if child.returncode:
        raise damaged
    try:
        facts: _PdfFacts = convert(json.loads(child.stdout), _PdfFacts)
    except (ValueError, WrongShape) as error:
        raise damaged from error
    if facts.is_encrypted:
        raise RequestError(f"{name} is encrypted", advice="save a copy without a password")
    if not facts.number:
        raise RequestError(f"{name} has no pages", advice="give another PDF")
    if facts.number > most:
        raise RequestError(
            f"{name} has {facts.number} pages; the limit is {most}",
            advice="keep only the pages that the request needs, or set a larger limit in HELIO_MODEL_PAGES",
        )
    return tuple(facts.pages)


def _main(most: int) -> None:
    """Read a PDF from standard input, and write its pages and their texts as JSON to standard output."""
    limit_memory(min(memory_limit(), _MEMORY))
    import io
    import logging

    from pypdf import PasswordType, PdfReader

    logging.disable()  # pypdf warns of every small fault
    reader = PdfReader(io.BytesIO(sys.stdin.buffer.read()))
    if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
        facts = _PdfFacts(is_encrypted=True, number=0, pages=[])
    else:
        number = len(reader.pages)
        pages = reader.pages if number <= most else []
        texts = [page.extract_text().encode(errors="replace").decode() for page in pages]
        if sum(map(len, texts)) > MOST_TEXT:
            raise ValueError(f"its text has more than {MOST_TEXT} characters")
        facts = _PdfFacts(is_encrypted=False, number=number, pages=texts)
    json.dump(vars(facts), sys.stdout)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
