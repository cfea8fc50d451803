"""Collect values: variables, arguments, defaults and constants, and where each is set."""

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
from helio.authoring.rules.questions.asked import Subject, folded, stems
from helio.authoring.rules.questions.pipeline_subjects import PipelineSubjects
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.steps.signature import Argument, Signature, signatures
from helio.steps.tool_page import argument_words, tool_page

_CODE = Path(__file__).parents[4]
_UNIT = r"[A-Za-zµ°][\w/^⁻¹²³·]*"
_NO_UNIT = r"(?!(?:and|or|in|of|for|with|at|to|is|on|by|from|where|as|the)\b)"
_CONSTANT = re.compile(
    r"(?P<name>[^\W\d_]\w*)\s*=\s*"
    rf"(?P<value>[-−]?\d[\d.,]*\d?(?:e[-−]?\d+)?(?:\s?×\s?10[⁻⁰¹²³⁴-⁹]+)?(?:\s{_NO_UNIT}{_UNIT})*)(?!\w|[.,]\d|\s*(?:[(*/×]|\w+\())"
)
"""A constant in the text of a page: ``l₀ = 7 R_E``."""
_NUMBER = re.compile(rf"((?:[^\W\d_]\S*\s+){{1,4}}[-−]?\d[\d.,]*\s?{_UNIT})")
"""A number with its unit in a sentence, and the words before it: ``the sidereal rotation in 25.38 days``."""
EXCLUDING = ("mask", "mask_by_flag", "despike")
"""Tools that set records to missing."""
_LONGEST = 200
_MOST_PLACES = 3


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
    def is_set_here(self) -> bool:
        """Whether the pipeline sets the value, and not a default or a constant of a tool."""
        return self.rank <= 1

    @property
    def own(self) -> frozenset[str]:
        """The stems of the value's own texts; of a sentence, those near the number."""
        texts = (self.name, self.value, self.said if self.name else "")
        return stems(" ".join(texts).replace("_", " "))

    @property
    def every(self) -> frozenset[str]:
        """The stems of all texts about the value."""
        return self.own | stems(f"{self.where} {self.more}".replace("_", " "))


def values_of_pipeline(pipeline: PipelineSubjects) -> Iterator[Value]:
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
            if tool == "mask_by_flag" and argument in ("where", "value") and written not in used:
                written = (
                    f"{args.get('flag_label')} {args.get('where', 'not')} {written}"
                    if argument == "value"
                    else ""
                )
            if written in used:
                used[written].append((name, argument))
            elif (
                tool != FETCH and not argument.endswith(("label", "labels")) and 0 < len(written) <= _LONGEST
            ):
                set_here.setdefault((argument, written), []).append(name)
    for name, facts in variables.items():
        steps = [step for step, _ in used[name]]
        as_arguments = list(dict.fromkeys(argument for _, argument in used[name]))
        where = f"{', '.join(as_arguments)} of {_steps(steps)}" if steps else "a variable of the pipeline"
        said = str(facts.get("description") or "")
        value = str(facts.get("default", "to be given"))
        more, about = _behind(pipeline, steps)
        yield Value(name, value, where, said, more, about | {("variable", folded(name))})
    for (argument, written), steps in set_here.items():
        more, about = _behind(pipeline, steps)
        used_by = signatures().get(str(pipeline.steps[steps[0]].get("tool_name")))
        described = used_by.argument(argument) if used_by else None
        more += f" {described.schema.get('description', '')}" if described else ""
        tools = dict.fromkeys(str(pipeline.steps[step].get("tool_name")) for step in steps)
        where = f"{f'{used_by.name}, ' if used_by and len(tools) == 1 else ''}{_steps(steps)}"
        unit = f" {pipeline.unit_of_bands(steps[0])}" if argument == "bands" else ""
        intents = [str(pipeline.steps[step].get("intent") or "") for step in steps]
        shortest = min(intents, key=len)
        is_common = tools.keys() <= {*EXCLUDING} and all(intent.startswith(shortest) for intent in intents)
        said = shortest if is_common else ""
        yield Value(argument, f"{pipeline.with_values(written)}{unit}", where, said, more, about, 1)
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


def _behind(pipeline: PipelineSubjects, steps: Sequence[str]) -> tuple[str, frozenset[Subject]]:
    """Return the texts of steps, and all that the steps are about."""
    texts = list(steps)
    for name in steps:
        step = pipeline.steps[name]
        labels = [str(value) for key, value in step["tool_args"].items() if key.endswith(("label", "labels"))]
        texts += [str(step.get("intent") or ""), str(step.get("tool_name")), *labels]
        texts += ["threshold"] if step.get("tool_name") in EXCLUDING else []
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
    described = " ".join(str(argument.schema.get("description", "")) for argument in tool.arguments)
    for text in (tool.summary, page.notes, page.returns):
        before = ""
        for sentence in sentences(text):
            found = [(match["name"], match["value"].rstrip(",.")) for match in _CONSTANT.finditer(sentence)]
            whole = f"{before} {sentence}".strip()  # burton: Q = …; τ = 7.7 h
            before = whole if sentence.endswith(";") else ""
            for of, value in found:
                words = re.findall(rf"(?:\w+\s+){{1,2}}(?={re.escape(of)}\b)", described)  # the decay time τ
                values.append(
                    Value(of, value, f"a constant of {name}", whole, f"{more} {' '.join(words)}", rank=1)
                )
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
