"""Find the value that a question asks for: a variable, an argument, a default or a constant, and where it is set."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from helio.authoring.fetches import FETCH
from helio.authoring.rules.harmless import IN_QUESTIONS
from helio.authoring.rules.questions.asked import Atom, Subject, folded, stems
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question import Question
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.steps.signature import Argument, Signature, signatures
from helio.steps.tool_page import argument_words, tool_page

_CODE = Path(__file__).parents[4]
_GENERAL = frozenset(VOCABULARY["questions"]["words for any value"])
"""Words of a question for a value that every value has."""
_UNIT = r"[A-Za-zµ°][\w/^⁻¹²³·]*"
_NO_UNIT = r"(?!(?:and|or|in|of|for|with|at|to|is|on|by|from|where|as|the)\b)"
_CONSTANT = re.compile(
    r"(?P<name>[^\W\d_]\w*)\s*=\s*"
    rf"(?P<value>[-−]?\d[\d.,]*\d?(?:e[-−]?\d+)?(?:\s?×\s?10[⁻⁰¹²³⁴-⁹]+)?(?:\s{_NO_UNIT}{_UNIT})*)(?!\s*[(*/×])"
)
"""A constant in the text of a page: ``l₀ = 7 R_E``."""
_NUMBER = re.compile(rf"((?:[^\W\d_]\S*\s+){{1,4}}[-−]?\d[\d.,]*\s?{_UNIT})")
"""A number with its unit in a sentence, and the words before it: ``the sidereal rotation in 25.38 days``."""
_TOPICS = frozenset(
    [
        "settings",
        "numbers",
        "constants",
        "times",
        "computations",
        "counts",
        "bins",
        "methods",
        "meanings",
        "cadence",
        "panels",
        "pipelines",
        "level",
        "order",
    ]
)
"""Properties that a question for a value may name too."""
ASKS_A_VALUE = frozenset({"settings", "numbers", "constants"})
_KIND_WORDS = {
    kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for kind, words in {
        "duration": "how long|how many (?:days|hours|minutes|seconds)",
        "number": "how (?:many|low|deep|high|strong|large|big|small|much)",
        "time": "when|(?:what|which) (?:time|day|date)(?! \\w)",
    }.items()
}
_USES = re.compile(
    r"\b(?:what|which)\b.*\b(?:use[sd]?|using|takes?|taken|set|apply|applied|requires?|required|chosen|accepted|makes?|defines?)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;?]?\s+and\s+(?:by |in |at |with )?(?=(?:which|what|how|when|who)\b)", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:at|below|above|from|between|over|up to|beyond) (?:which|what)\b(?! (?:date|day|year|time|month))"
    r"|\bwhere does\b",
    re.IGNORECASE,
)
_MOST_VALUES = 3
_LONGEST = 200
_MOST_PLACES = 3
KINDS = {
    "duration": re.compile(
        r"\d\s?(?:[mµn]?s|min|h|d|sec\w*|minutes?|hours?|days?|months?|years?)\b|\bdata from\b"
    ),
    "number": re.compile(r"\d"),
    "time": re.compile(r"\d{4}-\d\d|\d\d:\d\d|\b(?:19|20)\d\d\b"),
}
"""What a text must have so that it can be a value of each kind."""


@dataclass(frozen=True)
class Value:
    """A value, the place where it is set, and what is said about it.

    Parameters
    ----------
    value : str
        Empty for an argument that has no default.
    said : str
        The description that an answer quotes.
    more : str
        Other texts about the value in which the words of a question may stand.
    rank : int
        Of several values that a question may mean, those with the smallest rank are meant.
    """

    name: str
    value: str
    where: str
    said: str = ""
    more: str = ""
    about: frozenset[Subject] = frozenset()
    rank: int = 0

    def __str__(self) -> str:
        if not self.name:
            return f"{self.where}: {self.said}"
        said = f"{self.name} = {self.value}" if self.value else f"{self.name} has no default"
        return f"{said} ({self.where}){f': {self.said}' if self.said else ''}"

    @property
    def own(self) -> frozenset[str]:
        """The stems of the value's own texts; of a sentence, those near the number."""
        texts = (self.name, self.value, self.said if self.name else "")
        return stems(" ".join(texts).replace("_", " "))

    @property
    def every(self) -> frozenset[str]:
        """The stems of all texts about the value."""
        return self.own | stems(f"{self.where} {self.more}".replace("_", " "))


def values_of_pipeline(pipeline: PipelineFacts) -> Iterator[Value]:
    """Yield the variables, the arguments of the steps, and the defaults and constants of their tools."""
    variables = pipeline.variables_of_template
    used: dict[str, list[tuple[str, str]]] = {name: [] for name in variables}
    set_here: dict[tuple[str, str], list[str]] = {}
    for name, step in pipeline.steps.items():
        tool, args = str(step.get("tool_name")), step.get("tool_args")
        if tool in (*FIGURES, STYLE) or not isinstance(args, dict):
            continue
        for argument, value in args.items():
            written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if written in used:
                used[written].append((name, argument))
            elif not argument.endswith(("label", "labels")) and len(written) <= _LONGEST:
                set_here.setdefault((argument, written), []).append(name)
    for name, facts in variables.items():
        steps = [step for step, _ in used[name]]
        as_arguments = list(dict.fromkeys(argument for _, argument in used[name]))
        where = f"{', '.join(as_arguments)} of {_steps(steps)}" if steps else "a variable of the pipeline"
        said = str(facts.get("description") or "")
        value = str(facts.get("default", "to be given"))
        yield Value(name, value, where, said, *_behind(pipeline, steps))
    for (argument, written), steps in set_here.items():
        more, about = _behind(pipeline, steps)
        used_by = signatures().get(str(pipeline.steps[steps[0]].get("tool_name")))
        described = used_by.argument(argument) if used_by else None
        more += f" {described.schema.get('description', '')}" if described else ""
        tools = dict.fromkeys(str(pipeline.steps[step].get("tool_name")) for step in steps)
        where = f"{f'{used_by.name}, ' if used_by and len(tools) == 1 else ''}{_steps(steps)}"
        yield Value(argument, pipeline.with_values(written), where, "", more, about, 1)
    for name, step in pipeline.steps.items():
        tool = str(step.get("tool_name"))
        for value in (
            values_of_tool(tool) if tool in signatures() and tool not in (FETCH, *FIGURES, STYLE) else ()
        ):
            if value.value and value.name not in step.get("tool_args", {}):
                more, about = _behind(pipeline, [name])
                yield Value(value.name, value.value, value.where, value.said, more, about, 2 + value.rank)


def _steps(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    more = f" and {len(shown) - _MOST_PLACES} more" if len(shown) > _MOST_PLACES else ""
    return f"step{'s' if len(shown) > 1 else ''} {', '.join(shown[:_MOST_PLACES])}{more}"


def _behind(pipeline: PipelineFacts, steps: Sequence[str]) -> tuple[str, frozenset[Subject]]:
    """Return the texts of steps, and all that the steps are about."""
    texts = list(steps)
    for name in steps:
        step = pipeline.steps[name]
        labels = [str(value) for key, value in step["tool_args"].items() if key.endswith(("label", "labels"))]
        texts += [str(step.get("intent") or ""), str(step.get("tool_name")), *labels]
    about = frozenset[Subject]().union(*map(pipeline.of_result, steps))
    return " ".join(texts), about


@cache
def values_of_tool(name: str) -> tuple[Value, ...]:
    """Return the arguments of a tool with their defaults, and the constants that its page and its code state."""
    tool = signatures()[name]
    page = tool_page(tool)
    more = " ".join((name, tool.summary, *tool.synonyms))
    values = [
        Value(argument.name, *_default(tool, argument), _short(argument.schema.get("description", "")), more)
        for argument in tool.arguments
        if not argument.name.endswith(("_label", "_labels"))
    ]
    for text in (tool.summary, page.notes, page.returns):
        for sentence in sentences(text):
            found = [(match["name"], match["value"].rstrip(",.")) for match in _CONSTANT.finditer(sentence)]
            values += [
                Value(of, value, f"a constant of {name}", sentence, more, rank=1) for of, value in found
            ]
            numbers = _NUMBER.findall(sentence) if not found else ()
            values += [Value("", number, name, sentence, more, rank=2) for number in numbers]
    if tool.module:
        body = ast.parse(_CODE.joinpath(*tool.module.split(".")).with_suffix(".py").read_text("utf-8")).body
        for node, said in pairwise(body):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(said, ast.Expr)
            ):
                named = ast.unparse(node.targets[0]).strip("_").lower()
                text, number = str(ast.literal_eval(said.value)), str(node.value.value)
                values.append(Value(named, number, f"a constant of {name}", text, more, rank=2))
    return tuple(values)


def _short(text: str) -> str:
    """Return the first sentences of a description, at most as long as a line of an answer."""
    parts = sentences(text)
    return " ".join(parts[:2]) if len(" ".join(parts[:2])) <= _LONGEST else parts[0]


def _default(tool: Signature, argument: Argument) -> tuple[str, str]:
    """Return the default of an argument, and where it is set; the default is empty if there is none."""
    if argument.default is None:
        return "", f"{tool.name}: {argument_words(tool, argument)}"
    return str(argument.default), f"default of {tool.name}"


def sentences(text: str) -> list[str]:
    """Split a text into sentences; the point of an initial ends none.

    >>> sentences("By J. G. Luhmann, with l₀ = 7 R_E. NaN in gaps.")
    ['By J. G. Luhmann, with l₀ = 7 R_E.', 'NaN in gaps.']
    """
    return [
        part for part in re.split(r"(?<![\s.][A-Z][.;])(?<=[.;])\s+(?!\d)", " ".join(text.split())) if part
    ]


def values_told(question: Question) -> list[str]:
    """Say the values that a question asks for: ``how long is the window?``, ``which taper is used?``."""
    clauses = [clause for clause in _CLAUSE.split(question.asked.text) if focus_words(clause)]
    told = [_of_clause(question, clause) for clause in clauses]
    return list(dict.fromkeys(str(value) for values in told for value in values)) if all(told) else []


def _of_clause(question: Question, clause: str) -> list[Value]:
    asked, pipeline = question.asked, question.pipeline
    topics, kind = {*asked.topics}, kind_asked(clause)
    tools = [name for atom in asked.things for subject, name in atom.subjects if subject == "tool"]
    away = {name for name in tools if pipeline is None or ("tool", name) not in question.universe}
    asks = (
        topics & ASKS_A_VALUE
        or kind == "duration"
        or _USES.search(clause)
        or topics >= {"cadence", "computations"}
    )
    limited = pipeline is not None and (kind == "duration" or "numbers" in topics or _LIMIT.search(clause))
    whole_pages = topics & {"computations", "methods", "meanings"}
    if not limited and (topics - _TOPICS or not (asks or (away and not whole_pages))):
        return []
    words = [word for word in focus_words(clause) if folded(word) not in away]
    if len(away) == 1:
        values = [
            value for value in values_of_tool(away.pop().replace(" ", "_")) if "see below" not in value.said
        ]
        return _named(values, words, (), kind)[:_MOST_VALUES]
    if pipeline is None or away:
        return []
    values = list(values_of_pipeline(pipeline))
    main = [word for word in words if word.casefold() not in ("before", "after")]
    found = _named(values, words, question.present, kind) or _named(values, main, question.present, kind)
    found = found or (_mostly_named(values, words, kind or "number") if limited else [])
    return found[:_MOST_VALUES]


def _mostly_named(values: Sequence[Value], words: Sequence[str], kind: str) -> list[Value]:
    """Return the variables that have most words of a question for a limit or a duration, at least half of them."""
    wanted = stems(" ".join(words))
    shared = [
        (len(wanted & value.own), value)
        for value in values
        if not value.rank and KINDS[kind].match(value.value.lstrip("-"))
    ]
    most = max((count for count, _ in shared), default=0)
    best = [value for count, value in shared if count == most]
    least = 1 if kind == "number" and len(best) == 1 else 2
    return best if most >= max(least, len(wanted) / 2) else []


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
    return [value for *key, value in found if tuple(key) == best]


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
