"""Find the explanation of a code such as HV101: its meaning, its reason, and an example before and after.

The docstring of the module that gives a code explains it, in the form below; most of them are passes. A code never
changes its meaning. The entry of an error or a warning ends with a line ``to do``: what a user does about it. The
family letter is the stage: P parse, N normalise, R resolve, X expand, O optimise, G guarantee, V verify, S sources,
B bind; A is the answers of authors, E execution and authoring, I helio itself.

No version gives these codes any more, and no other meaning gets their numbers:

HB305 (retired)  an export of a figure left out of the run
    An export of a figure is now one of its files: HB306.
    before  manage_plot(action="export", filename="out.png")
    after   left out

HB501 (retired)  input taken from an earlier run, by identity
    Retired, because no step names a run as its input: the store finds every earlier result by its key.
    before  a label of an earlier run
    after   helio plan names the run whose result is used

HB502 (retired)  no earlier run offers that identity
    Retired with HB501: a result that is not in the store is computed again.
    before  a run that was deleted
    after   its results stay in the store until helio gc collects them

HB601 (retired)  schedule of each step, with the reason
    Retired: it changes no plan. helio plan prints the state of each step with its reason.
    before  3 steps
    after   helio plan: cached, run, waits

HI003 (retired)  something was left to edit after the last round
    Retired, because HI001 reports it: passes that still edit after the last round do not converge.
    before  an edit found by the final check
    after   HI001 names the passes
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from helio.steps.tool_page import WIDTH, wrapped

RETIRED = "retired"
"""Word for a code that helio does not use any more."""
_PACKAGE = Path(__file__).parents[1]
_DOCSTRING = re.compile(r'r?"""(.*?)"""', re.DOTALL)
_HEAD = re.compile(r"^(H[A-Z]\d{3})\b.*$", re.MULTILINE)
_ENTRY = re.compile(
    r"(?P<code>\w+) \((?P<kind>.+)\)  (?P<meaning>.+(?:\n {8}.+)*)\n"
    r"    (?P<why>.+)\n"
    r"    before  (?P<before>.+)\n"
    r"    after   (?P<after>.+)\n"
    r"(?:    to do   (?P<to_do>.+(?:\n {12}.+)*)\n)?"
)
_FIXED_STAGES = "PNR"
"""Letters of the stages whose edits `helio fix` writes into the file."""


@dataclass(frozen=True)
class Code:
    """Explanation of the code of an edit or a diagnostic, such as HV101.

    Parameters
    ----------
    code, kind, meaning : str
        ``"HO101"``, ``"edit safe"`` or ``"retired"``, and its meaning.
    why : str
        The reason, for people.
    before, after : str
        An example; `after` is the result.
    to_do : str
        What a user does about it.
    module : str
        The file that explains and gives it, relative to the package: ``"pipelines/passes/merge_fetches.py"``.
    """

    code: str
    kind: str
    meaning: str
    why: str
    before: str
    after: str
    to_do: str
    module: str

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Write the text that `helio explain` prints, with at most `width` characters in a line."""
        lines = [
            *wrapped(f"{self.code} ({self.kind})  {self.meaning}", indent=0, hang=4, width=width),
            "",
            *wrapped(self.why, indent=0, width=width),
            *wrapped(f"What to do: {self.to_do}", indent=0, width=width),
            "",
            *wrapped(f"before  {self.before}", indent=2, hang=10, width=width),
            *wrapped(f"after   {self.after}", indent=2, hang=10, width=width),
        ]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for ``--json``."""
        fields = asdict(self)
        del fields["module"]
        return fields


def explained(subject: str) -> Code | None:
    """Find a code by its name, in upper or lower case.

    >>> found = explained("ho101")
    >>> found.kind if found else None
    'edit safe'
    """
    return codes().get(subject.strip().upper())


@cache
def codes() -> Mapping[str, Code]:
    """Read the explanations of all codes from the docstrings of the package, sorted by code.

    Raises
    ------
    ValueError
        An entry has another form, or two modules explain a code.
    """
    known: dict[str, Code] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = _DOCSTRING.match(path.read_text(encoding="utf-8"))
        module = path.relative_to(_PACKAGE).as_posix()
        for code in read_codes(text[1], module) if text else ():
            if code.code in known:
                raise ValueError(f"{code.code} is explained in {known[code.code].module} and in {module}")
            known[code.code] = code
    return dict(sorted(known.items()))


def read_codes(docstring: str, module: str) -> Iterator[Code]:
    """Read the codes that the docstrings of a module explain.

    >>> text = "Step\\n\\nHR302 (edit safe)  itself\\n    Why.\\n    before  1\\n    after   2\\n"
    >>> [code.meaning for code in read_codes(text, "a.py")]
    ['itself']

    Raises
    ------
    ValueError
        An entry has another form, or does not say what to do about an error or a warning.
    """
    for head in _HEAD.finditer(docstring):
        entry = _ENTRY.match(docstring, head.start())
        if entry is None:
            raise ValueError(
                f"{module}: '{head[0]}' does not have the form of an entry; see helio/pipelines/codes.py"
            )
        parts = entry.groupdict()
        parts["to_do"] = parts["to_do"] or _nothing_to_do(parts["code"], parts["kind"])
        if not parts["to_do"]:
            raise ValueError(
                f"{module}: {parts['code']} does not say what the user can do; add a line 'to do' after its example"
            )
        yield Code(**{name: " ".join(text.split()) for name, text in parts.items()}, module=module)


def _nothing_to_do(code: str, kind: str) -> str:
    """Say why a user need not do anything about an edit; return an empty text for errors and warnings."""
    if kind == RETIRED:
        return "Nothing. This version of helio does not report this code any more."
    if kind == "edit safe" and code[1] in _FIXED_STAGES:
        return "Nothing. helio corrects the plan of the run; `helio fix PIPELINE` corrects your file too."
    if kind in ("edit safe", "edit bind"):
        return "Nothing. helio changes the plan of the run, and your file stays as it is."
    return ""
