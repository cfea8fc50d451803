"""The page of the passes, and the codes behind ``helio explain``."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import helio
from helio.pipelines import passes
from helio.pipelines.codes import CODES, RETIRED, explained

ROOT = Path(__file__).parents[2]
PASSES = tuple(dict.fromkeys(one for _, stages in passes.LETTERS for stage in stages for one in stage))


def test_the_page_of_the_passes_is_made_of_their_docstrings():
    script = ROOT / "scripts" / "write_pass_reference.py"
    spec = importlib.util.spec_from_file_location("write_pass_reference", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.reference(), f"python scripts/{script.name}"


def codes_in_use() -> set[str]:
    """Every code that some file of the package names, but for the list of codes itself."""
    return {
        code
        for path in Path(helio.__file__).parent.rglob("*.py")
        if path.name != "codes.py"
        for code in re.findall(r"\b(H[A-Z]\d{3})\b", path.read_text(encoding="utf-8"))
    }


def test_a_code_is_either_given_somewhere_or_retired():
    retired = {code for code, one in CODES.items() if one.kind == RETIRED}
    assert {"HB501", "HB502", "HB601", "HI003"} <= retired
    assert codes_in_use() == set(CODES) - retired


@pytest.mark.parametrize("code", ["HB501", "HB502", "HB601", "HI003"])
def test_a_retired_code_is_still_explained(code: str):
    found = explained(code)
    assert found is not None
    assert "retired" in str(found)
    assert found.why.startswith("Retired")


@pytest.mark.parametrize("code", list(CODES.values()), ids=list(CODES))
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
