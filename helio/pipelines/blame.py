"""Find the revision that wrote each step of a pipeline, as it is now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from helio.errors import RequestError
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import History, Revision


@dataclass(frozen=True)
class Origin:
    """The last change of one part of a pipeline.

    Parameters
    ----------
    part : str
        The id of a step, or the name of a variable such as ``$TIME_RANGE``.
    revision : Revision
        The revision that wrote the part as it is now: its author, its sentence and its time.
    """

    part: str
    revision: Revision


def blame(history: History) -> tuple[Origin, ...]:
    """Find for each variable and each step of a pipeline the revision that last changed it.

    An undo changes nothing new: a part that it restored keeps its first author.

    Raises
    ------
    RequestError
        The pipeline does not exist, or a text of its history is missing.
    """
    revisions = {revision.number: revision for revision in history.revisions()}
    present = history.present()
    if present is None:
        raise RequestError("the pipeline was deleted", advice="restore a revision with `helio history`")
    first_with: dict[str, Revision] = {}
    for revision in revisions.values():
        first_with.setdefault(revision.digest, revision)
    revision = first_with[present.digest]
    parts = _parts(history, revision)
    origins = dict.fromkeys(parts, revision)
    unexplained = set(parts)
    seen = {revision.number}
    while unexplained and revision.parent in revisions:
        earlier = first_with[revisions[revision.parent].digest]
        if earlier.number in seen:
            break
        seen.add(earlier.number)
        old = _parts(history, earlier)
        unexplained = {part for part in unexplained if old.get(part) == parts[part]}
        origins |= dict.fromkeys(unexplained, earlier)
        revision = earlier
    return tuple(Origin(part, revision) for part, revision in origins.items())


def _parts(history: History, revision: Revision) -> Mapping[str, Any]:
    """Return the variables and the steps of a revision by name; a text that is no template has none."""
    template = parse(history.text(revision.number)).plan
    steps = template.get("steps") or []
    return {
        **(template.get("variables") or {}),
        **{str(step.get("step_id")): step for step in steps if isinstance(step, dict)},
    }
