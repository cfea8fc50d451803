"""Write the code and test of a new tool, pass or source into a copy of helio's code; with them, all tests pass."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template

from helio.dev.checkout import check_identifier, find_checkout, write_files
from helio.errors import RequestError

STAGES = {
    "N": "NORMALISE",
    "R": "RESOLVE",
    "X": "EXPAND",
    "O": "OPTIMISE",
    "G": "GUARANTEE",
    "V": "VERIFY",
    "B": "BINDING",
}
"""Name of the list in ``helio/pipelines/passes/__init__.py`` that contains the passes of a stage, by stage."""


def new_tool(name: str, folder: Path) -> tuple[Path, ...]:
    """Write ``helio/steps/compute/NAME.py`` and its test.

    Parameters
    ----------
    name : str
        The name of the tool in templates, and of its function.
    folder : Path
        The checkout, or a folder in it.

    Returns
    -------
    tuple of Path
        The written files.

    Raises
    ------
    RequestError
        `folder` is not in a checkout, or the name is not an identifier or is taken.
    """
    from helio.pipelines.dialect.synonyms import spell_tool, tool_spellings
    from helio.steps.signature import signatures

    root = find_checkout(folder)
    check_identifier(name)
    known = spell_tool(name, tool_spellings(signatures()))
    if known is not None:
        called = "" if known == name else f"; this is another name of {known}"
        raise RequestError(
            f"a tool '{name}' exists already{called}",
            advice=f"see `helio tools {known}`, or choose another name",
        )
    _refuse_module(name, root / "helio" / "steps", root / "tests" / "steps")
    new = {
        root / "helio" / "steps" / "compute" / f"{name}.py": _filled("tool", name),
        root / "tests" / "steps" / "compute" / f"test_{name}.py": _filled("tool_test", name),
    }
    write_files(new)
    return tuple(new)


def new_pass(name: str, folder: Path, *, stage: str = "V") -> tuple[Path, ...]:
    """Write ``helio/pipelines/passes/NAME.py`` and its test, and add the pass to the list of its stage.

    Parameters
    ----------
    name : str
        The name of the pass and its function: a verb and its object.
    folder : Path
        The checkout, or a folder in it.
    stage : "N", "R", "X", "O", "G", "V" or "B"
        The stage of the pass, in which it becomes the last.

    Returns
    -------
    tuple of Path
        The written files.

    Raises
    ------
    RequestError
        `folder` is not in a checkout, the stage does not exist, or the name is not an identifier or is taken.
    """
    root = find_checkout(folder)
    check_identifier(name)
    if stage not in STAGES:
        raise RequestError(f"no stage is called '{stage}'", advice=f"use one of {', '.join(STAGES)}")
    passes = root / "helio" / "pipelines" / "passes"
    _refuse_module(name, passes.parent, root / "tests" / "pipelines")
    listing = passes / "__init__.py"
    new = {
        passes / f"{name}.py": _filled("pass", name, code=next_code(stage)),
        root / "tests" / "pipelines" / "passes" / f"test_{name}.py": _filled(
            "pass_test", name, code=next_code(stage)
        ),
    }
    changed = {listing: listed(listing.read_text(encoding="utf-8"), name, stage)}
    write_files(new, changed)
    return (*new, *changed)


def new_source(name: str, folder: Path) -> tuple[Path, ...]:
    """Write ``helio/sources/providers/NAME.py`` and its test.

    Parameters
    ----------
    name : str
        Name for ``--archive`` and in steps: one word.
    folder : Path
        The checkout, or a folder in it.

    Returns
    -------
    tuple of Path
        The written files.

    Raises
    ------
    RequestError
        `folder` is not in a checkout, or the name is not one word or is taken.
    """
    from helio.sources.registry import SAMPLE, families, names, source_classes

    root = find_checkout(folder)
    check_identifier(name)
    if name in names() or name in families():
        raise RequestError(f"a source '{name}' exists already", advice="choose another name")
    if "_" in name:
        raise RequestError(
            f"the name of a source must be one word; '{name}' is not", advice="choose a name such as amda"
        )
    known = {SAMPLE: SAMPLE} | {source.title.casefold(): other for other, source in source_classes()}
    for title, other in known.items():
        # records distinguish sources by the beginning of their names
        if title.startswith(name) or name.startswith(title):
            raise RequestError(
                f"the name '{name}' is too similar to {other}: run records could not distinguish them",
                advice="choose another name",
            )
    _refuse_module(name, root / "helio" / "sources", root / "tests" / "sources")
    words = {
        "class_name": name.capitalize(),
        "title": name.upper(),
        "address": f"https://{name}.example.org",
    }
    new = {
        root / "helio" / "sources" / "providers" / f"{name}.py": _filled("source", name, **words),
        root / "tests" / "sources" / f"test_{name}.py": _filled("source_test", name, **words),
    }
    write_files(new)
    return tuple(new)


def next_code(stage: str) -> str:
    """Return an unused code for a stage: the first code of the next group of one hundred, or else the next code.

    >>> next_code("G")
    'HG401'
    """
    from helio.pipelines.codes import codes

    taken = [int(code[2:]) for code in codes() if code[1] == stage]
    free = next((hundred for hundred in range(1, 10) if hundred > max(taken) // 100), None)
    return f"H{stage}{free}01" if free else f"H{stage}{max(taken) + 1}"


def listed(text: str, name: str, stage: str) -> str:
    """Add a pass to the text of ``passes/__init__.py``: its import, and its name at the end of its stage's list."""
    line = f"from helio.pipelines.passes.{name} import {name}"
    imports = re.findall(r"^from helio\.pipelines\.passes\.\w+ import .+$", text, re.MULTILINE)
    following = next((other for other in imports if other > line), None)
    text = (
        text.replace(following, f"{line}\n{following}", 1)
        if following
        else text.replace(imports[-1], f"{imports[-1]}\n{line}", 1)
    )
    start = re.search(rf"^{STAGES[stage]}: .*?^\)$", text, re.DOTALL | re.MULTILINE)
    if start is None:
        raise RequestError(f"helio/pipelines/passes/__init__.py has no list called {STAGES[stage]}")
    end = start.end() - 1
    return (
        f"{text[:end]}    # Say here why the pass has this place in the list.\n    ({name},),\n{text[end:]}"
    )


def _refuse_module(name: str, *folders: Path) -> None:
    for folder in folders:
        for stem in (name, f"test_{name}"):
            for path in folder.rglob(f"{stem}.py"):
                raise RequestError(f"the name is taken by {path}", advice="choose another name")


def _filled(stub: str, name: str, **more: str) -> str:
    text = files("helio.dev").joinpath("stubs", f"{stub}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(name=name, words=name.replace("_", " "), **more)
