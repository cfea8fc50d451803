"""Write the help page of a tool: its arguments, result and references, and an example as a step of a template."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from helio.counts import number_of
from helio.steps.docstrings import entries, in_one_line, sections
from helio.steps.quantity import ANYTHING, Quantity
from helio.steps.result import NOTHING_SAID, Result
from helio.steps.schema_words import type_words
from helio.steps.signature import Argument, Signature

GROUPS = (
    "fetch",
    "series",
    "vectors and frames",
    "spectra",
    "solar wind and plasma",
    "your own code",
    "figures",
    "files",
)
"""Groups of tools, in the order in which they are listed."""
_CODE = Path(__file__).parents[2]
WIDTH = 100
"""Number of characters in a line of a page, if the width of the terminal is not known."""
_GIVES = {"tables": "one table for each label", "table": "a table", "figure": "a figure", "export": "a file"}


@dataclass(frozen=True)
class ToolPage:
    """The contents of a tool's help page.

    Parameters
    ----------
    notes, returns, raises, references : str
        Sections of the docstring; empty where it has none.
    step : mapping, optional
        The example as the step of a template.
    """

    tool: Signature
    notes: str = ""
    returns: str = ""
    raises: str = ""
    references: str = ""
    step: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Write the help page in lines of at most `width` characters; lines of examples may be longer."""
        return "\n".join(self._lines(width))

    def _lines(self, width: int) -> Iterator[str]:
        tool = self.tool
        lines, all_paragraphs = partial(wrapped, width=width), partial(paragraphs, width=width)
        yield from lines(f"{tool.name}: {tool.summary}", indent=0)
        if self.notes:
            yield from ("", *all_paragraphs(self.notes, indent=0))
        yield from ("", "Arguments")
        for argument in tool.arguments:
            yield from lines(f"{argument.name}  ({argument_words(tool, argument)})", indent=2, hang=6)
            yield from lines(argument.schema.get("description", ""), indent=6)
            if members := argument.schema.get("properties"):
                yield from lines(f"Keys, which `helio explain KEY` describes: {', '.join(members)}", indent=6)
        for group in tool.needs:
            yield f"  One of these is required: {', '.join(group)}."
        yield from ("", "Gives", *lines(result_words(tool), indent=2))
        yield from all_paragraphs(self.returns, indent=2)
        yield from lines(context_words(tool), indent=2)
        for title, text in (("Fails", self.raises), ("References", self.references)):
            if text:
                yield from ("", title, *all_paragraphs(text, indent=2))
        if self.step is not None:
            yield from ("", "As a step of a template", *_indented(step_text(self.step), 2))
        if tool.module:
            imports = f">>> from {tool.module} import *"
            yield from ("", "In Python", f"  {imports}", *_indented(tool.example, 2))

    def to_json(self) -> dict[str, Any]:
        """Return the signature and the sections of the help page as JSON, for the option ``--json``."""
        return {
            "id": self.tool.name,
            "group": group_of(self.tool),
            **self.tool.to_json(),
            "notes": in_one_line(self.notes),
            "returns": in_one_line(self.returns),
            "raises": in_one_line(self.raises),
            "references": in_one_line(self.references),
            "step": self.step,
        }


def tool_page(tool: Signature) -> ToolPage:
    """Read the help page of a tool from its source file, without importing the tool."""
    if not tool.module:
        return ToolPage(tool, step=json.loads(tool.example))
    path = _CODE.joinpath(*tool.module.split(".")).with_suffix(".py")
    functions = ast.parse(path.read_text(encoding="utf-8")).body
    [function] = (node for node in functions if isinstance(node, ast.FunctionDef) and node.name == tool.name)
    parts = sections(in_template_words(tool, ast.get_docstring(function) or ""))
    notes = [parts[""].partition("\n")[2].strip(), parts.get("Notes", "")]
    return ToolPage(
        tool,
        notes="\n\n".join(note for note in notes if note),
        returns=" ".join(dict.fromkeys(text for _, text in entries(parts.get("Returns", "") + "\n"))),
        raises="\n\n".join(f"{names}: {text}" for names, text in _failures(parts.get("Raises", ""))),
        references=parts.get("References", ""),
        step=example_step(tool),
    )


def group_of(tool: Signature) -> str:
    """Return the group of the help in which a tool is listed, from its inputs and its result.

    >>> from helio.steps.signature import signatures
    >>> [group_of(signatures()[name]) for name in ("resample", "rotate", "vbs", "save_data")]
    ['series', 'vectors and frames', 'solar wind and plasma', 'files']
    """
    kinds = {table.takes.kind for table in tool.tables}
    given = tool.result.kind or ""
    if tool.gives != "table":
        return {"tables": "fetch", "figure": "figures", "export": "files"}[tool.gives]
    if tool.runs_code:
        return "your own code"
    if "spectrum" in kinds or "spectrum" in given:
        return "spectra"
    if tool.gives_quantity.unit or any(table.takes.unit not in ("", "1") for table in tool.tables):
        return "solar wind and plasma"
    if "vector" in kinds or (given == "vector" and kinds == {"scalar"}):
        return "vectors and frames"
    return "series"


def example_step(tool: Signature) -> dict[str, Any]:
    """Write the first call in a tool's example as a step of a template.

    >>> from helio.steps.signature import signatures
    >>> example_step(signatures()["running_average"])["tool_args"]
    {'source_label': 'series', 'window': '2min', 'output_label': 'running_average'}
    """
    code = "\n".join(line[4:] for line in tool.example.splitlines() if line.startswith((">>>", "...")))
    tree = ast.parse(code)
    names = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == tool.name
    )
    args: dict[str, Any] = {}
    tables = [node for node in call.args if not _is_service(node)]
    for position, table in enumerate(tool.tables):
        written = tables[position] if position < len(tables) else None
        if tool.argument(table.argument) is None or (table.optional and written is None):
            continue
        labels = _labels(written, names, table.parameter)
        args[table.argument] = labels if table.many else labels[0]
    for keyword in call.keywords:
        value = _value(keyword.value, names)
        args.update({keyword.arg: value} if keyword.arg else value)
    if tool.gives == "table":
        args["output_label"] = tool.name
    return {"step_id": tool.name, "tool_name": tool.name, "tool_args": args}


def step_text(step: Mapping[str, Any]) -> str:
    """Write a step as JSON in the style of templates, with one key on each line."""
    args = step["tool_args"].items()
    inner = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in args
    )
    members = [
        f'  "tool_args": {{\n{inner}\n  }}'
        if name == "tool_args"
        else f"  {json.dumps(name)}: {json.dumps(value)}"
        for name, value in step.items()
    ]
    return "{\n" + ",\n".join(members) + "\n}"


def result_words(tool: Signature) -> str:
    """Describe a tool's result in words: kind, unit and frame, as far as they are known before a run.

    >>> from helio.steps.signature import signatures
    >>> result_words(signatures()["running_average"])
    'A table with the unit, frame and kind of `source_label`.'
    >>> result_words(signatures()["magnitude"])
    'A table with the unit of `source_label`, no frame and the kind scalar.'
    """
    words = _GIVES[tool.gives]
    if tool.gives_quantity != ANYTHING:
        words += f": {_quantity_words(tool.gives_quantity)}"
    elif tool.result != NOTHING_SAID:
        always = _aspects(tool, tool.result)
        words += f" with {_listed(always)}" if always else ""
        for argument, cases in tool.result.by.items():
            for value, case in cases.items():
                differs = [
                    phrase for phrase in _aspects(tool, tool.result.updated(case)) if phrase not in always
                ]
                words += f"; with `{argument}` {value}: {_listed(differs)}"
    return f"{words[0].upper()}{words[1:]}."


def _aspects(tool: Signature, result: Result) -> list[str]:
    stated = {"unit": result.unit, "frame": result.frame, "kind": result.kind}
    kept = [aspect for aspect, text in stated.items() if text is None]
    phrases = [f"the {_listed(kept)} {_origin(tool, result.like)}"] if result.like and kept else []
    return phrases + [_stated(tool, aspect, text) for aspect, text in stated.items() if text is not None]


def _stated(tool: Signature, aspect: str, text: str) -> str:
    """Describe an expression of a `Result` in words: for the unit, ``{field}|?`` becomes "the unit of" this table."""
    if text in ("", "1"):
        return f"no {aspect}"
    if text == "?":
        return f"a {aspect} that is not known before the run"
    alternatives = [part for part in text.split("|") if part != "?"]
    return f"the {aspect} {' or '.join(_alternative(tool, aspect, part) for part in alternatives)}"


def _alternative(tool: Signature, aspect: str, text: str) -> str:
    names = [name.removesuffix(":last") for name in re.findall(r"\{([\w:]+)\}", text)]
    if "&" in text:
        return f"that {_listed([f'`{_template_argument(tool, name)}`' for name in names])} share"
    if "*" in text:
        return f"of the product of {_listed([f'`{_template_argument(tool, name)}`' for name in names])}"
    if re.fullmatch(r"\{[\w:]+\}", text):
        return _origin(tool, names[0])
    return re.sub(r"\{(\w+)\}", lambda name: f"({aspect} {_origin(tool, name[1])})", text) or "none"


def _origin(tool: Signature, name: str) -> str:
    """Write where a fact comes from: "of" a table, or "given in" an argument."""
    given = "of" if any(table.parameter == name for table in tool.tables) else "given in"
    return f"{given} `{_template_argument(tool, name)}`"


def _template_argument(tool: Signature, name: str) -> str:
    """Return the argument of a template that corresponds to a parameter of the Python function."""
    return next((table.argument for table in tool.tables if table.parameter == name), name)


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def in_template_words(tool: Signature, text: str) -> str:
    """Replace names of Python parameters in a docstring by the names of the arguments in templates.

    >>> from helio.steps.signature import signatures
    >>> in_template_words(signatures()["align"], "Records of `series` at the epochs of `onto`.")
    'Records of `series_label` at the epochs of `onto_label`.'
    """
    return re.sub(r"(?<!`)`(\w+)`(?!`)", lambda name: f"`{_template_argument(tool, name[1])}`", text)


def _quantity_words(quantity: Quantity) -> str:
    unit = {"": "", "1": "without a unit"}.get(quantity.unit, f"in {quantity.unit}")
    frames = f"in {' or '.join(quantity.frames)}" if quantity.frames else ""
    kind = {"": "", "scalar": "one series", "vector": "a vector", "spectrum": "a spectrum"}[quantity.kind]
    return " ".join(part for part in (kind, unit, frames) if part)


def context_words(tool: Signature) -> str:
    context = tool.context
    if tool.gives != "table":
        return ""
    if context.reach == "record":
        return "Each record depends only on the input records of the same time."
    if context.reach == "window":
        near = [*context.lengths, *([number_of(context.records, "record")] if context.records else [])]
        return f"Each record depends on input records near its time: at most {' + '.join(near)} before or after it."
    return f"Each record may depend on the whole time range: {context.reason}."


def argument_words(tool: Signature, argument: Argument) -> str:
    """Describe the type, unit and default of an argument."""
    table = next((table for table in tool.tables if table.argument == argument.name), None)
    words = type_words(argument.schema)
    if table is not None and table.takes != ANYTHING:
        quantity = _quantity_words(table.takes)
        words += f"{', each' if table.many else ''} of {'' if table.takes.kind else 'a table '}{quantity}"
    if argument.required:
        return f"{words}; required"
    if argument.default in (None, "", []):
        return f"{words}; optional"
    return f"{words}; default {json.dumps(argument.default, ensure_ascii=False)}"


def _failures(section: str) -> Iterator[tuple[str, str]]:
    """Yield the errors of a ``Raises`` section with their texts; errors with equal texts are listed together."""
    names_by_text: dict[str, list[str]] = {}
    for name, text in entries(section + "\n"):
        names_by_text.setdefault(text, []).append(name)
    return ((", ".join(names), text) for text, names in names_by_text.items())


def _is_service(node: ast.expr) -> bool:
    """Return whether helio supplies this argument by itself: a sandbox for code, or the archives."""
    return ast.unparse(node).startswith(("jail", "Archives("))


def _labels(node: ast.expr | None, names: Mapping[str, ast.expr], otherwise: str) -> list[str]:
    """Return the labels of the tables that an example gives for one parameter."""
    if isinstance(node, ast.List):
        return [label for item in node.elts for label in _labels(item, names, otherwise)]
    if isinstance(node, ast.Dict):
        return [ast.literal_eval(key) for key in node.keys if key is not None]
    if isinstance(node, ast.Name):
        meant = names.get(node.id)
        labelled = isinstance(meant, ast.Call) and ast.unparse(meant.func) == "Labelled"
        return _labels(meant, names, otherwise) if labelled else [node.id]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Labelled":
        return [ast.literal_eval(node.args[0])]
    return [otherwise]


def _value(node: ast.expr, names: Mapping[str, ast.expr]) -> Any:
    """Convert an argument in Python code to its form in a template: ``Duration("2min")`` becomes ``"2min"``."""
    if isinstance(node, ast.Name):
        return _value(names[node.id], names)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "TimeRange":
        return "/".join("-".join(f"{number:02}" for number in _numbers(day)) for day in node.args)
    if isinstance(node, ast.Call):
        return ast.literal_eval(node.args[0])
    return json.loads(json.dumps(ast.literal_eval(node)))


def _numbers(call: ast.expr) -> list[int]:
    """Return the year, month and day in the call ``datetime(2020, 1, 4)``."""
    assert isinstance(call, ast.Call)
    return [ast.literal_eval(argument) for argument in call.args]


def paragraphs(text: str, *, indent: int, width: int) -> Iterator[str]:
    """Wrap each paragraph of a text, and put an empty line between paragraphs."""
    for number, paragraph in enumerate(part for part in re.split(r"\n\s*\n", text) if part.strip()):
        if number:
            yield ""
        yield from wrapped(in_one_line(paragraph), indent=indent, width=width)


def wrapped(text: str, *, indent: int, width: int, hang: int | None = None) -> list[str]:
    """Wrap a text into lines; `indent` counts the spaces before the first line, `hang` those before later lines."""
    first, later = " " * indent, " " * (indent if hang is None else hang)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _indented(text: str, indent: int) -> list[str]:
    return textwrap.indent(text, " " * indent).splitlines()
