"""Choose the values that a question asks for by all its words: a variable, an argument, a default or a constant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.rules.harmless import IN_QUESTIONS
from helio.authoring.rules.questions.asked import Atom, folded, stems
from helio.authoring.rules.questions.question import Question, kinds_of
from helio.authoring.rules.questions.values import Value, values_of_pipeline, values_of_tool
from helio.knowledge.vocabulary import VOCABULARY

_GENERAL = frozenset(VOCABULARY["questions"]["words for any value"])
"""Words of a question for a value that every value has."""
_TOPICS = {
    "settings", "numbers", "constants", "times", "computations", "counts", "bins", "methods", "meanings", "cadence",
    "notes", "panels", "pipelines", "level", "order", "coverage", "reasons",
}  # fmt: skip
"""Properties that a question for a value may name too."""
ASKS_A_VALUE = frozenset({"settings", "numbers", "constants"})
_ASKING = ASKS_A_VALUE | {"bins"}
_KIND_WORDS = {
    kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for kind, words in {
        "duration": "how long|how many (?:days|hours|minutes|seconds)",
        "number": "how (?:many|low|deep|high|strong|large|big|small|much)",
        "time": "when|(?:what|which) (?:time|day|date)(?! \\w)",
        "interval": "(?:what|which) (?:intervals?|periods?)",
    }.items()
}
_USES = re.compile(
    r"\b(?:what|which)\b.*\b(?:use[sd]?|using|takes?|taken|set|apply|applied|requires?|required|chosen|accepted|makes?|defines?"
    r"|marks?|marked|lists?|listed)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;?]?\s+and\s+(?:by |in |at |with )?(?=(?:which|what|how|when|who)\b)", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:at|below|above|from|between|over|up to|beyond) (?:which|what)\b(?! (?:date|day|year|time|month))"
    r"|\bwhere does\b",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\bhow (?:do|can|could|should|would) (?:i|we|you|one)\b|\bhow to\b|\bhow many components\b",
    re.IGNORECASE,
)
"""What asks how something is done or what data have, not for a value."""
_HEAD = re.compile(r"\b(?:which|what) ([\w ]+?) (?:is|are|was|were|do|does)\b", re.IGNORECASE)
_USED_FOR = re.compile(r"\bused for\b", re.IGNORECASE)
_MOST_VALUES = 3
KINDS = {
    "duration": re.compile(
        r"\d\s?(?:[mµn]?s|min|h|d|sec\w*|minutes?|hours?|days?|months?|years?)\b|\bdata from\b"
    ),
    "number": re.compile(r"\d"),
    "time": re.compile(r"\d{4}-\d\d|\d\d:\d\d|\b(?:19|20)\d\d\b"),
}
KINDS["interval"] = re.compile(f"{KINDS['duration'].pattern}|{KINDS['time'].pattern}")
"""What a text must have so that it can be a value of each kind."""


def values_told(question: Question) -> list[str]:
    """Say the values that a question asks for: ``how long is the window?``, ``which taper is used?``."""
    clauses = [clause for clause in _CLAUSE.split(question.asked.text) if focus_words(clause)]
    told = [_of_clause(question, clause) for clause in clauses]
    values = list({str(value): value for values in told for value in values}.values())
    if not all(told) or "reasons" not in question.asked.topics:
        return list(map(str, values)) if all(told) else []
    return [
        f"the pipeline records: {value}" if value.said else f"the pipeline records no reason; {value}"
        for value in values
    ]


def _of_clause(question: Question, clause: str) -> list[Value]:
    """Return the values that have all words of a clause, if the clause asks for a value."""
    asked, pipeline = question.asked, question.pipeline
    topics = {*asked.topics}
    kind = kind_asked(clause) or ("number" if "bins" in topics else "")
    tools = [name for atom in asked.things for subject, name in atom.subjects if subject == "tool"]
    away = {name for name in tools if pipeline is None or ("tool", name) not in question.universe}
    asks = (
        topics & (ASKS_A_VALUE if "reasons" in topics else _ASKING)
        or kind in ("duration", "interval")
        or _USES.search(clause)
        or _LIMIT.search(clause)
    )
    if (
        topics - _TOPICS
        or _DOES.search(clause)
        or not (asks or (away and not topics & {"computations", "methods", "meanings"}))
    ):
        return []
    words = [word for word in focus_words(clause) if folded(word) not in away]
    if len(away) == 1:
        of_tool = values_of_tool(away.pop().replace(" ", "_"))
        values = list(of_tool)
    elif pipeline is None or away:
        return []
    else:
        values = list(values_of_pipeline(pipeline))
    values = [argument for argument in values if "see below" not in argument.said]
    main = [word for word in words if word.casefold() not in ("before", "after")]
    meant = _named(values, words, question.present, kind) or _named(values, main, question.present, kind)
    head = _HEAD.search(clause)
    quantities = {atom.words for atom in question.present if "quantity" in kinds_of(atom)}
    if head and (head[1] in quantities or _USED_FOR.search(clause)):
        asked_for = stems(head[1])
        meant = [  # and none that only belongs to such a step
            value
            for value in meant
            if asked_for & stems(value.name.replace("_", " "))
            or (value.is_set_here and asked_for <= value.own)
        ]
    return meant[:_MOST_VALUES]


def kind_asked(text: str) -> str:
    """Return the kind of value that the question word asks for: one of `KINDS`, or an empty text.

    >>> kind_asked("and how long is the window?"), kind_asked("how low must it go"), kind_asked("which unit?")
    ('duration', 'number', '')
    """
    return next((kind for kind, pattern in _KIND_WORDS.items() if pattern.search(text)), "")


def _named(values: Sequence[Value], words: Sequence[str], atoms: Sequence[Atom], kind: str) -> list[Value]:
    """Return the values of a kind that all the words name together, or else those that each word names alone."""
    fits = [
        value
        for value in values
        if not kind or (KINDS[kind].search(value.value) if value.value else kind in value.where)
    ]
    named = {word: atom.subjects for atom in atoms for word in atom.words.split()}
    found = []
    for value in fits if words else ():
        near = value.own | (stems(value.where) if kind == "duration" else frozenset())
        away = [word for word in words if not stems(word) <= near]
        if len(away) < len(words) and all(
            stems(word) <= value.every or named.get(word, frozenset()) & value.about for word in away
        ):
            named_so = sum(stems(word) <= stems(value.name.replace("_", " ")) for word in words)
            found.append((value.rank, -named_so, len(away), value))
    best = min((row[:3] for row in found), default=None)
    alone = [[value for value in fits if stems(value.name) == stems(word)] for word in words]
    if not found and len(alone) > 1 and all(alone):
        return [value for several in alone for value in several[:1]]
    called = [
        value
        for value in fits
        if value.name and words and stems(value.said) == stems(" ".join([*words, "function"]))
    ]
    return [*called, *(value for *key, value in found if tuple(key) == best and value not in called)]


def focus_words(text: str) -> list[str]:
    """Return the words of a question that its answer must have.

    >>> focus_words("how long is the default window of running_average?")
    ['window', 'running_average']
    """
    found = re.findall(r"[^\s,;:?!()\[\]\"“”]+", text)
    return [
        word
        for word in dict.fromkeys(word.strip(".'’") for word in found)
        if word and word.casefold() not in IN_QUESTIONS and word.casefold() not in _GENERAL
    ]
