"""Read means that are subtracted or compared with: ``minus its 1 h running mean``, ``angle to its 6 h mean``."""

from __future__ import annotations

from helio.authoring.request import Computation
from helio.authoring.rules.durations import duration_in, duration_pattern
from helio.authoring.rules.mentions import ComputationMention, mention_of, tool_names
from helio.authoring.rules.sentence import Sentence
from helio.authoring.writing.computations import ANGLE

_DURATION = duration_pattern()


def read_angles_to_means(sentence: Sentence) -> list[ComputationMention]:
    """Read ``angle between B and its 1 h running mean`` and ``deflection of B from its 6 h mean field``."""
    smooth = rf"(?:{tool_names('running_average')}|{tool_names('running_median')}|mean|average|median)"
    field = r"(?:\s+(?:of\s+it|field|direction|vector|B)\b)*"
    behind = rf"(?:\s*\(?(?:(?:of|over|with|in)\s+)?{duration_pattern('2')}\)?)?"
    mean = rf"(?:(?:its|the|own|an?|of)\s+)*(?:{_DURATION}[\s-]*{smooth}{field}|{smooth}{field}{behind})"
    angle = r"(?:(?:deflection|deviation|rotation)\b[\s:,]*(?:(?:an|the)\s+)?angles?|deflections?|angles?)\b"
    joint = r"\b(?:and|to|from|against|relative\s+to|with\s+respect\s+to)\s+"
    match = sentence.take_first(rf"\b(?P<out>{angle})(?=[^.;]*?{joint}{mean})")
    of = sentence.take_first(rf"{joint}{mean}") if match else None
    if match is None or of is None:
        return []
    tool = "running_median" if "median" in of[0].lower() else "running_average"
    mean_field = Computation(tool, duration_in(of, "", "2"), beside=True)
    return [mention_of(ANGLE, match.start("out")), ComputationMention(mean_field, of.start())]


def read_trends(sentence: Sentence) -> list[ComputationMention]:
    """Read ``minus its 1 h running mean``, ``detrended by a 1 h running mean`` and ``running mean subtracted``."""
    names, of = tool_names("running_average"), r"(?:(?:its|their|the|an?|own)\s+)*"
    behind = rf"(?:\s*\(?(?:of|over|with|in)?\s*(?:an?\s+)?{duration_pattern('2')}\)?)?"
    trend = rf"{of}(?:{_DURATION}[\s-]*(?:{names})|(?:{names}){behind})"
    subtract = (
        rf"(?:after\s+)?(?:{tool_names('detrend')}|subtract\w*|remov\w+)(?:\s+(?:by|with|using|against|of))?"
    )
    found = []
    slow = r"(?:subtract\w*|remov\w+)\s+(?:the\s+)?(?:slow\s+|long-term\s+)?(?:trends?|background)"
    slow += r"|deviations?(?:\s+of)?"
    apart = sentence.drop(
        rf"(?P<out>\b(?:{tool_names('detrend')}|{slow})(?:\s+from)?)(?=\s[^.;]*?\b(?:with|by|using|from)\s+{trend})"
    )
    for pattern in (
        rf"\b(?:with|by|using|from)\s+{trend}(?=\s*(?:$|[,.;]))" if apart else r"(?!)",
        rf"\b(?:minus|less)\s+{trend}",
        rf"\b{subtract}\s+{trend}(?:\s+from\b)?",
        rf"\b(?:with\s+)?{trend}\s+(?:subtracted|removed)\b(?:\s+from\b)?",
        rf"(?<=\()\s*{trend}\s*(?=\))" if sentence.has(rf"\b(?:{tool_names('detrend')})") else r"(?!)",
    ):
        for match in sentence.take(pattern):
            window = duration_in(match, "", "2")
            found.append(
                mention_of("detrend", match.start(), args={"method": "running_mean", "window": window})
            )
    mean = r"(?:the\s+|its\s+|their\s+)?(?:mean|average)(?:\s+value)?s?"
    for match in sentence.take(
        rf"\b(?:with\s+)?(?:subtract\w*|remov\w+|minus|deviations?\s+from)\s+{mean}\b(?:\s+from\b|(?=\s*(?:$|[,.;\x1f])))"
        rf"|\b(?:with\s+)?{mean}[- ](?:subtracted|removed)\b"
    ):
        found.append(mention_of("detrend", match.start(), args={"method": "mean"}))
    return found
