"""Makes the pages of the passes and of the codes from the passes' own docstrings; `make docs` writes them."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import markdown

from helio.pipelines import passes
from helio.pipelines.codes import Code, codes
from helio.pipelines.template.context import Pass

STAGES = {
    "P": "Parse: text, fenced JSON, a bare list, a planner's dialect → a template",
    "N": "Normalise: each field, name and value in its one spelling",
    "R": "Resolve: what each step gives, reads and waits for",
    "X": "Expand: other pipelines, loops, intervals, components",
    "O": "Optimise: the same work, less of it",
    "G": "Guarantee: every plan has an output",
    "V": "Verify: everything again, without edits",
    "S": "Sources: which files cover each fetch",
    "B": "Bind: the values of one run",
    "A": "Answers of authors: what is wrong with an edit or a question",
    "E": "Execution and authoring",
    "I": "helio itself",
}
PASSES = """# Passes

A pass is a pure function from a plan and its context to edits and diagnostics. It uses no clock, no network and no
model. helio repeats the stages N to G until nothing is left to edit, at most three times. Then it verifies the whole
plan and binds it to the values of one run. Every edit is recorded: you can replay the edits on the template, or undo
them. `helio passes` lists the passes, `helio explain RUN` says what each pass did in a run. [Codes](codes.md) explains
the codes.
"""
CODES = """# Codes

Every edit and every diagnostic has a code. `helio explain CODE` prints the same text as this page. The second letter is
the stage; [Passes](passes.md) explains the stages.
"""


def pages() -> dict[str, str]:
    """Make two pages, by path in the reference: the passes in the order in which they run, and every code."""
    listed = {
        letter: dict.fromkeys(rewrite for stage in stages for rewrite in stage)
        for letter, stages in passes.LETTERS
    }
    explained = {letter: [code for code in codes().values() if code.code[1] == letter] for letter in STAGES}
    return {
        "passes.md": _by_stage(PASSES, {letter: map(_pass, members) for letter, members in listed.items()}),
        "codes.md": _by_stage(CODES, {letter: map(_code, members) for letter, members in explained.items()}),
    }


def _by_stage(introduction: str, members: Mapping[str, Iterable[str]]) -> str:
    parts = [introduction]
    for letter, title in STAGES.items():
        texts = list(members.get(letter, ()))
        if texts:
            name, _, explanation = title.partition(": ")
            parts += [f"## {letter} {name}\n"]
            parts += [f"{explanation[0].upper()}{explanation[1:]}.\n"] if explanation else []
            parts += texts
    return "\n".join(parts)


def _pass(one: Pass) -> str:
    paragraphs = (inspect.getdoc(one) or "").split("\n\n")
    words = "\n\n".join(markdown(text) for text in paragraphs if not text.lstrip().startswith(">>>"))
    return f"### {getattr(one, '__name__', '')}\n\n{words}\n"


def _code(code: Code) -> str:
    heading = re.split("[;:] ", " ".join(code.meaning.split()))[0]
    why = code.why if heading == code.meaning else f"{code.meaning}. {code.why}"
    return (
        f"### {code.code} {markdown(heading)}\n\n**{code.kind}**: {markdown(why)}\n\n"
        f"What to do: {markdown(code.to_do)}\n\n"
        f"```text\nbefore  {code.before}\nafter   {code.after}\n```\n"
    )
