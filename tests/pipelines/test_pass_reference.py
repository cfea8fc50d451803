"""The page of the passes, and the codes behind ``helio explain``."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import helio
from helio.pipelines import passes
from helio.pipelines.codes import RETIRED, Code, codes, explained, read_codes

ROOT = Path(__file__).parents[2]
PASSES = tuple(
    dict.fromkeys(rewrite for _, stages in passes.LETTERS for stage in stages for rewrite in stage)
)


def test_the_page_of_the_passes_is_made_of_their_docstrings():
    script = ROOT / "scripts" / "write_pass_reference.py"
    spec = importlib.util.spec_from_file_location("write_pass_reference", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.reference(), f"python scripts/{script.name}"


@cache
def codes_given() -> dict[str, set[str]]:
    """The files that give each code: those whose code, not its docstrings, names it."""
    given: dict[str, set[str]] = {}
    package = Path(helio.__file__).parent
    for path in package.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
                for code in re.findall(r"\b(H[A-Z]\d{3})\b", node.value):
                    given.setdefault(code, set()).add(path.relative_to(package).as_posix())
    return given


def test_a_code_is_either_given_somewhere_or_retired():
    retired = {name for name, code in codes().items() if code.kind == RETIRED}
    assert {"HB501", "HB502", "HB601", "HI003"} <= retired
    assert set(codes_given()) == set(codes()) - retired


@pytest.mark.parametrize(
    "code", [code for code in codes().values() if code.kind != RETIRED], ids=lambda code: code.code
)
def test_a_code_is_explained_in_a_file_that_gives_it(code: Code):
    assert code.module in codes_given()[code.code]


def test_every_retired_code_stands_in_the_one_list():
    assert {code.module for code in codes().values() if code.kind == RETIRED} == {"pipelines/codes.py"}


@pytest.mark.parametrize(
    "entry",
    [
        "HR999 (error) one blank\n    why\n    before  1\n    after   2\n",
        "HR999 (error)  no reason\n    before  1\n    after   2\n",
        "HR999 (error)  no end\n    why\n    before  1\n",
        "HR999: another form\n",
    ],
)
def test_an_entry_in_another_form_is_refused(entry: str):
    with pytest.raises(ValueError, match=r"^a\.py: write 'HR999"):
        list(read_codes(f"A pass.\n\n{entry}", "a.py"))


@pytest.mark.parametrize("code", ["HB501", "HB502", "HB601", "HI003"])
def test_a_retired_code_is_still_explained(code: str):
    found = explained(code)
    assert found is not None
    assert "retired" in str(found)
    assert found.why.startswith("Retired")


@pytest.mark.parametrize("code", list(codes().values()), ids=list(codes()))
def test_a_code_says_what_why_and_shows_an_example(code: object):
    assert all(isinstance(value, str) and value for value in vars(code).values())


def test_a_code_is_found_whatever_its_case():
    found = explained(" hr203 ")
    assert found is not None
    assert "nobody produces" in str(found)
    assert found.to_json()["code"] == "HR203"
    assert explained("HR999") is None


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.__name__)
def test_a_pass_is_called_like_its_file_and_says_what_it_does(one: object):
    assert Path(inspect.getfile(one)).stem == one.__name__  # type: ignore[attr-defined,arg-type]
    assert inspect.getdoc(one)
