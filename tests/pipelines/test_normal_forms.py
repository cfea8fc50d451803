"""Normal forms are made once for equal templates, and again whenever a pass would get another answer."""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio.pipelines import plan
from helio.pipelines.library import Library
from helio.pipelines.normal_forms import normal_form_of
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.runner import RewriteResult
from helio.steps.signature import signatures

from .conftest import NOW, fetch, magnitude, render, template

SHIPPED = Library(Path("no such folder")).templates()
CATALOGUE = {"AC_H2_MFI": Dataset({"BGSEc": 3, "Magnitude": 1})}
CONTEXT = Context(signatures(), NOW, {}, catalogue=CATALOGUE, pipelines=SHIPPED)


class Normaliser:
    """Normalise, and count how often."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, document: dict[str, Any], context: Context) -> RewriteResult:
        self.count += 1
        return normalise(document, context)


@pytest.fixture
def make() -> Normaliser:
    return Normaliser()


def named(name: str, **members: Any) -> dict[str, Any]:
    """A template that no other test has."""
    return {**template(fetch(1), magnitude(2), render(3)), "id": name, **members}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_later_form_is_what_normalising_gives(name: str, make: Normaliser):
    for _ in range(3):
        assert normal_form_of(SHIPPED[name], CONTEXT, make) == normalise(SHIPPED[name], CONTEXT)
    assert make.count <= 1


def test_each_form_has_a_plan_of_its_own(make: Normaliser):
    first = normal_form_of(named("own"), CONTEXT, make)
    second = normal_form_of(named("own"), CONTEXT, make)
    whole = copy.deepcopy(first.plan)
    second.plan["steps"].clear()
    first.plan["steps"].clear()
    assert normal_form_of(named("own"), CONTEXT, make).plan == whole
    assert make.count == 1


def test_a_template_that_was_checked_is_not_normalised_again_for_its_plan(
    make: Normaliser, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plan, "normalise", make)
    known = {"now": NOW, "catalogue": CATALOGUE, "pipelines": SHIPPED}
    assert not plan.check(named("checked"), **known).errors
    assert plan.make_plan(named("checked"), **known).steps
    assert make.count == 1


RELATIVE = {"$TIME_RANGE": {"type": "time_range", "default": "last 3 days"}}
ABSOLUTE = {"$TIME_RANGE": {"type": "time_range", "default": "2024-05-10"}}
OTHER_ORDER = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3})}


@pytest.mark.parametrize(
    ("variables", "change", "again"),
    [
        (ABSOLUTE, {"now": datetime(2025, 1, 1)}, False),
        (RELATIVE, {"now": NOW.replace(hour=(NOW.hour + 1) % 24)}, False),
        (RELATIVE, {"now": datetime(2025, 1, 1)}, True),
        (ABSOLUTE, {"values": {"$TIME_RANGE": "2024-05-11"}}, False),
        (ABSOLUTE, {"archive": "sample"}, True),
        (ABSOLUTE, {"catalogue": {**CATALOGUE, "OTHER": Dataset({})}}, False),
        (ABSOLUTE, {"catalogue": {}}, True),
        (ABSOLUTE, {"catalogue": OTHER_ORDER}, True),
        (ABSOLUTE, {"pipelines": {**SHIPPED, "magnitude": {"id": "magnitude", "steps": []}}}, True),
    ],
)
def test_a_form_is_made_again_when_an_answer_differs(
    variables: dict[str, Any], change: dict[str, Any], again: bool, make: Normaliser, request: Any
):
    document = named("answers", description=request.node.name, variables=variables)
    normal_form_of(document, CONTEXT, make)
    other = replace(CONTEXT, **change)
    assert normal_form_of(document, other, make) == normalise(document, other)
    assert make.count == 1 + again


def test_a_changed_pipeline_that_a_step_uses_is_read_again(make: Normaliser):
    document = {"id": "caller", "steps": [{"step_id": 1, "use": "inner"}]}
    for window in ("5min", "9min"):
        smooth = {"source_label": "AC_H2_MFI.BGSEc", "window": window, "output_label": "smooth"}
        step = {"step_id": 2, "tool_name": "running_average", "tool_args": smooth}
        inner = {"inner": {**template(fetch(1), step, render(3, "smooth")), "id": "inner"}}
        context = replace(CONTEXT, pipelines=inner)
        result = normal_form_of(document, context, make)
        assert result == normalise(document, context)
        assert window in str(result.plan)
    assert make.count == 2


def test_one_and_true_are_other_templates(make: Normaliser):
    for value in (1, 1.0, True):
        normal_form_of(named("kinds", annotations={"n": value}), CONTEXT, make)
    assert make.count == 3


def test_a_form_with_errors_is_not_kept(make: Normaliser):
    document = named("wrong", steps=[fetch(1), magnitude(2, "nothing")])
    for _ in range(2):
        assert normal_form_of(document, CONTEXT, make).errors
    assert make.count == 2
