"""Writes docs/passes.md from the passes' own docstrings and the codes; a test holds it there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from helio.pipelines import passes
from helio.pipelines.codes import codes
from helio.pipelines.template.context import Pass

PAGE = Path(__file__).parents[1] / "docs" / "passes.md"
STAGES = {
    "P": "Parse: text, fenced JSON, a bare list, a planner's dialect → a template",
    "N": "Normalise: each field, name and value in its one spelling",
    "R": "Resolve: what each step gives, reads and waits for",
    "X": "Expand: other pipelines, loops, intervals, components",
    "O": "Optimise: the same work, less of it",
    "G": "Guarantee: something comes of it",
    "V": "Verify: everything again, without edits",
    "S": "Sources: which files cover each fetch",
    "B": "Bind: the values of one run",
    "A": "Answers of authors: what is wrong with an edit or a question",
    "E": "Execution and authoring",
    "I": "helio itself",
}
INTRODUCTION = """# Passes

Written by `python scripts/write_pass_reference.py` from the passes themselves.

A pass is a pure function from a plan and its context to edits and diagnostics. It looks at no clock, no network and no
model. The stages N to G are repeated as a whole until nothing is left to edit, at most three times; then all of it is
verified, and bound to the values of one run. Every edit is recorded: replaying them on what was authored gives the
plan, and undoing them gives back what was authored. `helio explain CODE` says more of one code, `helio explain RUN`
what each pass did in a run.
"""


def reference() -> str:
    """The page: every pass in the order in which they run, then every code."""
    parts = [INTRODUCTION]
    listed = dict(passes.LETTERS)
    for letter, title in STAGES.items():
        once = dict.fromkeys(one for stage in listed.get(letter, ()) for one in stage)
        explained = [code for code in codes().values() if code.code[1] == letter]
        if not once and not explained:
            continue
        parts.append(f"## {letter} {title}\n")
        parts += [_described(one) for one in once]
        if explained:
            parts += ["| code | kind | meaning | example |", "|---|---|---|---|"]
            parts += [
                f"| {code.code} | {code.kind} | {_cell(code.meaning)} | {_cell(code.before)} → {_cell(code.after)} |"
                for code in explained
            ]
            parts.append("")
    return "\n".join(parts)


def _described(one: Pass) -> str:
    name = getattr(one, "__name__", "")
    return f"### {name}\n\n" + "\n\n".join(_paragraphs(inspect.getdoc(one) or "")) + "\n"


def _paragraphs(doc: str) -> Iterator[str]:
    """The words of a docstring without its doctests; reStructuredText's literals as Markdown's."""
    for paragraph in re.split(r"\n\s*\n", doc):
        if not paragraph.lstrip().startswith(">>>"):
            yield re.sub(r"``(.+?)``", r"`\1`", paragraph, flags=re.DOTALL).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
