"""What mending does about loops and vectors that a run refuses to guess about."""

from __future__ import annotations

import json
from typing import Any

from helio.pipelines.mend import mend
from helio.pipelines.plan import check
from helio.pipelines.template.edit import Dataset

from .conftest import NOW, fetch, template

CATALOGUE = {"AC_H2_MFI": Dataset({"BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}


def mended(*steps: dict[str, Any]) -> tuple[Any, list[str]]:
    """The mended template, and the codes of the errors that a run would have given before."""
    document = template(*steps)
    before = [error.code for error in check(document, now=NOW, catalogue=CATALOGUE).errors]
    found, _, diagnostics = mend(json.dumps(document), now=NOW, catalogue=CATALOGUE)
    assert [finding for finding in diagnostics if finding.severity == "error"] == []
    assert not check(found, now=NOW, catalogue=CATALOGUE).errors
    return found, before


def test_a_loop_that_does_not_say_over_what_is_mended() -> None:
    step = fetch(loop_over=["AC_H2_MFI", "AC_H0_MFI"])
    del step["tool_args"]["dataset_id"]
    found, before = mended(step)
    assert before == ["HX201"]
    assert found["steps"][0]["for_each"] == {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}
    assert found["steps"][0]["tool_args"]["dataset_id"] == "$ITEM"


def test_a_vector_where_a_scalar_is_needed_is_mended() -> None:
    args = {"source_label": "AC_H2_MFI.BGSEc", "python_code": "result = df", "output_label": "S"}
    found, before = mended(fetch(), {"step_id": 2, "tool_name": "compute_spectrogram", "tool_args": args})
    assert before == ["HX401"]
    assert found["steps"][1]["for_each"]["over"] == {"components_of": "AC_H2_MFI.BGSEc"}


def test_a_loop_whose_item_stands_in_the_arguments_needs_no_mending() -> None:
    step = fetch(args={"dataset_id": "$ITEM"}, loop_over=["AC_H2_MFI", "AC_H0_MFI"])
    found = check(template(step), now=NOW)
    assert found.errors == ()
    assert found.plan["steps"][0]["for_each"] == {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}
