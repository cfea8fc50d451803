"""Find the one part of a request without which the rules understand it."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio.authoring.outcome import NotUnderstood, Outcome, TemplateDraft

_JOINT = re.compile(
    r"\s*[,;:]\s+(?:(?:and|plus)\s+)?|\.\s+(?=[A-Z])|\s+(?=\()|(?<=\))\s+|\s+(?:and|plus|with)\s+(?=\S)",
    re.IGNORECASE,
)
"""What stands between two parts of a request."""
_MOST_PARTS = 12


def without_a_part(request: str, write: Callable[[str], Outcome]) -> tuple[str, str] | None:
    """Return the shortest part of a request without which the rules understand it, and the rest of the request.

    Return None if no one part is at fault, or if the request has very many.

    Parameters
    ----------
    write : callable
        Writes the template of a request, or raises NotUnderstood.
    """
    joints = [match.span() for match in _JOINT.finditer(request)]
    if not 0 < len(joints) < _MOST_PARTS:
        return None
    starts, stops = [0, *(stop for _, stop in joints)], [*(start for start, _ in joints), len(request)]
    for at in sorted(range(len(starts)), key=lambda at: stops[at] - starts[at]):
        before = request[: stops[at - 1]] if at else ""
        rest = before + (request[stops[at] :] if at else request[starts[1] :])
        try:
            is_understood = isinstance(write(rest), TemplateDraft)
        except NotUnderstood:
            continue
        if is_understood:
            return request[starts[at] : stops[at]], rest
    return None
