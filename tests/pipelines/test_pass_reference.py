"""The page of the passes, and the codes behind ``helio explain``."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

import helio
from helio.pipelines import passes
from helio.pipelines.codes import RETIRED, codes, explained, read_codes
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.edit import Edit

ROOT = Path(__file__).parents[2]
PASSES = tuple(
    dict.fromkeys(rewrite for _, stages in passes.LETTERS for stage in stages for rewrite in stage)
)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "write_pass_reference.py"))["pages"]()
    return made


def test_the_page_of_the_passes_has_every_pass_in_the_order_in_which_they_run(pages: dict[str, str]):
    names = [
        name
        for _, stages in passes.LETTERS
        for name in dict.fromkeys(rewrite.__name__ for stage in stages for rewrite in stage)
    ]
    assert re.findall(r"^### (\w+)$", pages["passes.md"], re.MULTILINE) == names
    assert "\n>>> " not in pages["passes.md"]


def test_the_page_of_the_codes_has_every_code_with_its_example(pages: dict[str, str]):
    assert sorted(re.findall(r"^### (\w+) \S", pages["codes.md"], re.MULTILINE)) == list(codes())
    assert "### HP002 truncated JSON\n" in pages["codes.md"]
    for code in codes().values():
        assert f"**{code.kind}**: " in pages["codes.md"]
        assert f"before  {code.before}\nafter   {code.after}\n" in pages["codes.md"]


@cache
def trees() -> dict[str, ast.Module]:
    """Each file of the package that has a code in it, parsed."""
    package = Path(helio.__file__).parent
    return {
        path.relative_to(package).as_posix(): ast.parse(text)
        for path in package.rglob("*.py")
        if re.search(r"H[A-Z]\d{3}", text := path.read_text(encoding="utf-8"))
    }


@cache
def codes_given() -> dict[str, set[str]]:
    """The files that give each code: those whose code, not its docstrings, names it."""
    given: dict[str, set[str]] = {}
    for path, tree in trees().items():
        comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
                for code in re.findall(r"\b(H[A-Z]\d{3})\b", node.value):
                    given.setdefault(code, set()).add(path)
    return given


@pytest.mark.slow
def test_a_code_is_either_given_somewhere_or_retired():
    retired = {name for name, code in codes().items() if code.kind == RETIRED}
    assert {"HB501", "HB502", "HB601", "HI003"} <= retired
    assert set(codes_given()) == set(codes()) - retired


@pytest.mark.slow
def test_a_code_is_explained_in_a_file_that_gives_it():
    known = [code for code in codes().values() if code.kind != RETIRED]
    assert [code.code for code in known if code.module not in codes_given()[code.code]] == []


DIAGNOSTIC = tuple(field.name for field in fields(Diagnostic))
EDIT = tuple(field.name for field in fields(Edit))


def kinds_given(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each code that a file gives in a `Diagnostic` or an `Edit`, with the word that its explanation needs."""
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        code = constants.get(node.args[0].id) if isinstance(node.args[0], ast.Name) else node.args[0]
        if not (isinstance(code, ast.Constant) and isinstance(code.value, str)):
            continue
        names = {"Diagnostic": DIAGNOSTIC, "Edit": EDIT}.get(node.func.id, ())
        given = dict(zip(names, node.args, strict=False)) | {word.arg: word.value for word in node.keywords}
        if node.func.id == "Diagnostic":
            yield from ((code.value, word) for word in words_of(given.get("severity", ast.Constant("error"))))
        elif node.func.id == "Edit":
            kinds = [*words_of(given.get("kind", ast.Constant("safe")))]
            yield from ((code.value, word) for word in kinds)
            if "warning" in given and "lossy" not in kinds:  # every lossy edit warns
                yield code.value, "warning"


def words_of(value: ast.expr) -> Iterator[str]:
    """The texts that an expression can be; none where it is computed elsewhere."""
    if isinstance(value, ast.Constant):
        yield value.value
    elif isinstance(value, ast.IfExp):
        yield from words_of(value.body)
        yield from words_of(value.orelse)


@cache
def kinds() -> frozenset[tuple[str, str]]:
    """Each code that the package gives, with each word that its explanation needs."""
    return frozenset(given for tree in trees().values() for given in kinds_given(tree) if given[0] in codes())


@pytest.mark.slow
def test_most_codes_say_their_kind_where_they_are_given():
    assert len({code for code, _ in kinds()}) > 100


@pytest.mark.slow
def test_the_kind_that_a_code_is_explained_with_is_the_kind_that_is_given():
    explained_as = {code: f"{known.kind} {known.meaning}" for code, known in codes().items()}
    assert sorted((code, word) for code, word in kinds() if word not in explained_as[code]) == []


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ('Diagnostic("HV910", "text", "warning")', [("HV910", "warning")]),
        ('Diagnostic("HV910", "text", severity="info")', [("HV910", "info")]),
        (
            'Diagnostic("HV910", "text", severity="error" if x else "info")',
            [("HV910", "error"), ("HV910", "info")],
        ),
        ('CODE = "HV910"\nEdit(CODE, "text", (), warning="w")', [("HV910", "safe"), ("HV910", "warning")]),
        ('Edit("HV910", "text", (), kind=chosen)', []),
    ],
)
def test_the_kinds_of_a_file_are_read_from_its_calls(call: str, given: list[tuple[str, str]]):
    assert list(kinds_given(ast.parse(call))) == given


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
    with pytest.raises(ValueError, match=r"^a\.py: 'HR999"):
        list(read_codes(f"A pass.\n\n{entry}", "a.py"))


@pytest.mark.parametrize("code", ["HB501", "HB502", "HB601", "HI003"])
def test_a_retired_code_is_still_explained(code: str):
    found = explained(code)
    assert found is not None
    assert "retired" in str(found)
    assert found.why.startswith("Retired")


def test_a_code_says_what_why_and_shows_an_example():
    assert codes()
    assert [
        (name, field)
        for name, code in codes().items()
        for field, value in vars(code).items()
        if not (isinstance(value, str) and value)
    ] == []


def test_a_code_is_found_whatever_its_case():
    found = explained(" hr203 ")
    assert found is not None
    assert "no step produces" in str(found)
    assert found.to_json()["code"] == "HR203"
    assert explained("HR999") is None


def test_a_pass_is_called_like_its_file_and_says_what_it_does():
    assert PASSES
    assert [rewrite for rewrite in PASSES if Path(inspect.getfile(rewrite)).stem != rewrite.__name__] == []
    assert [rewrite for rewrite in PASSES if not inspect.getdoc(rewrite)] == []


def test_an_error_or_a_warning_says_what_to_do():
    text = "A pass.\n\nHR999 (error)  wrong\n    why\n    before  1\n    after   2\n"
    with pytest.raises(
        ValueError, match=r"^a\.py: HR999 does not say what the user can do; add a line 'to do'"
    ):
        list(read_codes(text, "a.py"))
    [code] = read_codes(f"{text}    to do   Correct it,\n            or remove it.\n", "a.py")
    assert code.to_do == "Correct it, or remove it."
    assert "\nWhat to do: Correct it, or remove it.\n" in str(code)


@pytest.mark.parametrize(
    ("code", "to_do"),
    [
        ("HB501", "Nothing. This version"),
        ("HN501", "Nothing. helio corrects the plan of the run; `helio fix PIPELINE`"),
        ("HO101", "Nothing. helio changes the plan of the run"),
    ],
)
def test_an_edit_or_a_retired_code_says_that_nothing_is_to_do(code: str, to_do: str):
    assert codes()[code].to_do.startswith(to_do)


def test_the_page_of_the_codes_says_what_to_do(pages: dict[str, str]):
    assert pages["codes.md"].count("\nWhat to do: ") == len(codes())
