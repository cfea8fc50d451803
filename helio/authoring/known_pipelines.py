"""If a request means a pipeline that exists already, answer with the command that runs this pipeline."""

from __future__ import annotations

import re
import shlex
from datetime import datetime

from helio.authoring.rules.sentence import Sentence
from helio.errors import HelioError, RequestError
from helio.pipelines.library import Entry, Library

_RUN = re.compile(
    r"^\s*(?:please\s+)?(?:run|re-?run|execute)\s+(?:(?:my|our|the)\s+)?(?P<what>.+)$", re.IGNORECASE
)
_SAME = re.compile(r"^\s*(?:show\s+(?:me\s+)?)?(?:the\s+)?same\b", re.IGNORECASE)
_SAYS_NOTHING = frozenset(
    re.findall(r"\w+", "a an again for from in of on over during once more my our the pipeline template")
)


def answered(request: str, library: Library, now: datetime) -> str:
    """Return the commands that run the requested pipeline; empty if no known pipeline fits the request.

    Raises
    ------
    RequestError
        It asks for "the same", without naming a pipeline.
    """
    if _SAME.search(request):
        raise RequestError(
            "the request says 'the same', but names no pipeline; `helio author` writes new pipelines only",
            advice=f"use `helio edit PIPELINE {shlex.quote(' '.join(request.split()))}`;"
            " `helio list` shows the pipelines",
        )
    match = _RUN.match(request)
    if match is None:
        return ""
    times = Sentence(match["what"]).take_times(now)
    rest = match["what"]
    for phrase in times:
        rest = rest.replace(phrase, " ")
    words = set(re.findall(r"[a-z0-9]+", rest.casefold())) - _SAYS_NOTHING
    found = [entry for entry in library.entries() if words and words <= _words(entry, library)]
    own = [entry for entry in found if not entry.shipped]
    if not found or len(times) > 1:
        return ""
    over = f" --time-range {shlex.quote(times[0])}" if times else ""
    return "\n".join(f"helio run {entry.id}{over}" for entry in own or found)


def _words(entry: Entry, library: Library) -> set[str]:
    """Return the words in the id and the name of a pipeline."""
    try:
        name = str(library.read(entry).get("name") or "")
    except HelioError:  # a damaged one still has its id; its run reports the damage
        name = ""
    return set(re.findall(r"[a-z0-9]+", f"{entry.id} {name}".casefold()))
