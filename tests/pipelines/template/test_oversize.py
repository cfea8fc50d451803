"""Templates that are too large: refused by what they say, before any pass looks at them."""

from __future__ import annotations

import gzip
import json
import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio import api
from helio.errors import DamagedRecord, RequestError
from helio.limits import LIMITS
from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.dialect.parse import parse
from helio.pipelines.library import Library
from helio.pipelines.plan import check, make_plan, normalise
from helio.pipelines.runs.saved_plan import FORM, read_saved
from helio.pipelines.template import oversize, runner
from helio.pipelines.template.context import Context, Policy
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import check_json
from helio.pipelines.template.oversize import oversize_text, oversize_value
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import substitute
from helio.steps.signature import signatures
from tests.laws import law

pytestmark = pytest.mark.slow

NOW = datetime(2024, 6, 1)
FETCH = {
    "step_id": 1,
    "tool_name": "fetch_data",
    "tool_args": {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2024-05-10"},
}


def template(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"id": "large", **more, "steps": list(steps)}


def figure(step_id: int = 2, **spec: Any) -> dict[str, Any]:
    spec = {"labels": ["AC_H2_MFI.BGSEc"], **spec}
    return {"step_id": step_id, "tool_name": "render_spec", "tool_args": {"spec": spec}}


def mapped(over: Any, block: list[Any] | None = None, name: str = "$X") -> dict[str, Any]:
    each = {"as": name, "over": over}
    if block is not None:
        return {"step_id": f"map{name[1:].lower()}", "block": block, "for_each": each}
    args = {**FETCH["tool_args"], "output_label": f"B.{name}"}  # type: ignore[dict-item]
    return {**FETCH, "tool_args": args, "for_each": each}


def over(intervals: str, step: str) -> dict[str, str]:
    return {"intervals": intervals, "step": step}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.fixture
def no_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes must not be reached."""

    def run(*_: Any) -> None:
        raise AssertionError("a pass was called")

    monkeypatch.setattr(runner._Work, "_run", run)


# Texts --------------------------------------------------------------------------------------------------------------

TOO_LARGE = {
    "bytes": "[" + " " * LIMITS.file_bytes + "]",
    "bytes of few characters": '["' + "\N{SUN}" * (LIMITS.file_bytes // 3) + '"]',
    "brackets that are never closed": "[" * 100_000,
    "lists": "[" * 70 + "]" * 70,
    "objects": '{"a":' * 70 + "1" + "}" * 70,
    "both by turns": '[{"a":' * 40 + "1" + "}]" * 40,
    "closing brackets": "[" + "]" * (LIMITS.values + 1),
    "commas": "[" + "," * (LIMITS.values + 1),
    "values": json.dumps([[1] * 10_000] * 11),
    "a list": json.dumps({"steps": [1] * (LIMITS.members + 1)}),
    "an object": json.dumps({f"k{number}": 1 for number in range(LIMITS.members + 1)}),
    "a text": json.dumps({"name": "x" * (LIMITS.text + 1)}),
    "a key": json.dumps({"x" * (LIMITS.key + 1): 1}),
}


@pytest.mark.parametrize("text", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_text_beyond_a_limit_is_one_diagnostic(text: str, no_passes: None) -> None:
    found = check_json(text)
    assert getattr(found, "code", found) == "HP005"
    assert [diagnostic.code for diagnostic in parse(text).errors] == ["HP005"]
    fenced = parse(f"Here it is:\n```json\n{text}\n```\n")
    assert [diagnostic.code for diagnostic in fenced.errors] == ["HP005"]


@pytest.mark.parametrize("number", ["9" * (LIMITS.digits + 1), "9" * 5_000, "-" + "9" * 200])
def test_a_number_of_too_many_digits_is_refused(number: str) -> None:
    assert getattr(check_json(f'{{"steps": [{number}]}}'), "code", "") == "HP001"


def test_a_text_that_is_too_large_is_never_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def loads(*_: Any, **__: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(json, "loads", loads)
    for text in ("[" * 100_000, "[" + "," * 2 * LIMITS.values, "[" * (LIMITS.file_bytes + 1)):
        assert getattr(check_json(text), "code", "") == "HP005"


def test_brackets_and_commas_inside_texts_do_not_count() -> None:
    text = json.dumps({"steps": [], "name": '[{,"\\' * 3_000})
    assert oversize_text(text) is None
    assert oversize_text(text[:-20]) is None  # never closed


def test_the_scan_takes_each_character_once() -> None:
    """A text of quotes that are escaped and never closed was read again from each of them."""
    found = [match.end() - match.start() for match in oversize._SHAPE.finditer('"' + '\\"' * 1000)]
    assert found == [2001]


def test_everything_at_a_limit_is_read() -> None:
    value = {
        "list": [0] * LIMITS.members,
        "text": "x" * LIMITS.text,
        "deep": nested(LIMITS.nesting - 1),
        "x" * LIMITS.key: 10**LIMITS.digits - 1,
    }
    assert check_json(json.dumps(value)) == value
    assert oversize_value(value) is None


def test_the_place_is_named() -> None:
    found = oversize_value(template(FETCH, {**figure(), "intent": "x" * 100_001}))
    assert found is not None
    assert found.path == "/steps/1/intent"
    assert found.message == "a text has 100,001 characters; the maximum is 100,000 in step 2 of the list"


def test_texts_of_arguments_have_a_limit_of_their_own() -> None:
    found = oversize_value(template(FETCH, figure(title="x" * 20_001)))
    assert found is not None
    assert found.path == "/steps/1/tool_args/spec/title"
    assert oversize_value(template(FETCH, figure(title="x" * 20_000))) is None


# Values -------------------------------------------------------------------------------------------------------------


def loop() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["again"] = value
    return value


def doubled(times: int) -> Any:
    value: Any = "x"
    for _ in range(times):
        value = [value, value]
    return value


STRANGE = {
    "a dict in itself": loop(),
    "nested": nested(10_000),
    "one part in many places": doubled(50),
    "a long text": "x" * 10_000_000,
    "a long number": 10**5000,
    "a long list": [1] * 20_000,
}


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("where", ["steps", "annotations", "variables"])
def test_a_dict_beyond_a_limit_is_refused(value: Any, where: str, no_passes: None) -> None:
    document = template(FETCH)
    document[where] = [value] if where == "steps" else {"$X": value}
    for function in (api.load, api.check, api.check_template, api.normalised, api.plan):
        with pytest.raises(InvalidTemplate) as refused:
            function(document)
        assert [finding.code for finding in refused.value.diagnostics] == ["HP005"]
    assert [finding.code for finding in parse(document).errors] == ["HP005"]


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
def test_a_value_of_a_variable_beyond_a_limit_is_refused(value: Any, no_passes: None) -> None:
    with pytest.raises(RequestError, match="HP005"):
        api.plan("ace-bfield-overview", variables={"X": value})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=8),
    max_leaves=40,
)


@law(25, 1200)
@given(value=values, levels=st.integers(0, 200), times=st.integers(0, 30), long=st.integers(0, 200_000))
def test_any_structure_gives_a_value_or_a_diagnostic(value: Any, levels: int, times: int, long: int) -> None:
    inner: Any = {"v": value, "d": doubled(times), "t": "x" * long}
    for _ in range(levels):
        inner = [inner]
    found = oversize_value(inner)
    beyond = levels + 1 + times > LIMITS.nesting or long > LIMITS.text or 2**times > LIMITS.values
    assert found is not None or not beyond
    if found is None:
        assert not isinstance(check_json(json.dumps(inner)), type(found))
        check(template(FETCH, {**figure(), "annotations": {"x": inner}}), now=NOW)


# Files --------------------------------------------------------------------------------------------------------------


def test_a_file_is_read_up_to_the_limit_and_no_further(tmp_path: Path, no_passes: None) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(10**12)  # has no blocks on the disk
    shelf = Library(tmp_path)
    with pytest.raises(InvalidTemplate) as refused:
        shelf.read(shelf.find(str(path)))
    assert [finding.code for finding in refused.value.diagnostics] == ["HP005"]
    with pytest.raises(DamagedRecord, match="more than 100000000 bytes"):
        read_saved(path)


def test_a_saved_plan_may_be_larger_than_a_template(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    written = {"plan": FORM, "steps": ["x" * 1000] * (LIMITS.file_bytes // 1000 + 1)}
    path.write_text(json.dumps(written, indent=1))
    assert read_saved(path) == written


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/null"])
def test_what_is_no_regular_file_is_refused_without_reading(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RequestError, match="not a regular file"):
        Library(tmp_path).find(str(tmp_path / name))


def test_a_compressed_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(gzip.compress(json.dumps(template(FETCH)).encode()))
    shelf = Library(tmp_path)
    with pytest.raises(RequestError, match="compressed with gzip"):
        shelf.read(shelf.find(str(path)))


# Steps and items ----------------------------------------------------------------------------------------------------


def codes_of_run(document: dict[str, Any], **policy: Any) -> list[str]:
    context = Context(signatures(), NOW, {}, policy=replace(Policy(), **policy))
    found = normalise(document, context)
    if not found.errors:
        from helio.pipelines.plan import bind

        found = bind(document, found, context)
    return [error.code for error in found.errors if error.code != "HS101"]


def fetches(count: int) -> list[dict[str, Any]]:
    return [
        {**FETCH, "step_id": n, "tool_args": {**FETCH["tool_args"], "output_label": f"B{n}"}}  # type: ignore[dict-item]
        for n in range(count)
    ]


def test_as_many_steps_as_are_allowed_are_taken_and_one_more_is_refused() -> None:
    assert codes_of_run(template(*fetches(20)), max_steps=20) == []
    assert codes_of_run(template(*fetches(21)), max_steps=20) == ["HV701"]


@pytest.mark.parametrize(
    "steps",
    [
        [mapped(list(range(101)))],
        [mapped(list(range(20_000)))],
        [mapped(list(range(11)), [mapped(list(range(10)), name="$Y")], name="$Z")],
        [mapped(list(range(1000)), [mapped(list(range(1000)), name="$Y")], name="$Z")],
        [mapped(over("2024-01-01 to 2024-05-01", "1d"), [FETCH])],
        [mapped(over("2024-01-01 to 2024-01-12", "1d"), [mapped(over("$Z", "1h"), name="$Y")], name="$Z")],
        [mapped(over("2024-01-01 to 2024-01-12", "1d"), [mapped(list(range(20)), name="$Y")], name="$Z")],
        [mapped(list(range(20)), [mapped(over("2024-01-01", "1h"), name="$Y")], name="$Z")],
    ],
)
def test_items_are_counted_and_never_made(steps: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def expand(*_: Any) -> None:
        raise AssertionError("items were put in place")

    for name in ("expand_items", "check_expansion"):
        # the package has the pass itself under the name of its module
        monkeypatch.setattr(sys.modules[f"helio.pipelines.passes.{name}"], "expanded", expand)
    found = codes_of_run(template(*steps), max_run_steps=100)
    assert found in (["HV701"], ["HX303", "HV701"])


def test_a_map_of_too_many_items_is_named_before_its_labels_are_written_out() -> None:
    found = check(template(mapped(list(range(1001))), figure(labels=["B*"])), now=NOW)
    assert [(error.code, error.step_id) for error in found.errors] == [("HX303", 1)]


def test_a_pattern_may_stand_for_every_result_of_a_run() -> None:
    steps = [{**mapped(list(range(700))), "step_id": n} for n in (1, 2)]
    for n, step in enumerate(steps):
        step["tool_args"] = {**step["tool_args"], "output_label": f"B{n}.$X"}
    save = {"step_id": 3, "tool_name": "save_data", "tool_args": {"source_labels": ["B*"], "filename": "all"}}
    assert (
        codes_of_run(template(*steps, {**save, "tool_args": {**save["tool_args"], "format": "netcdf"}})) == []
    )  # type: ignore[dict-item]


def test_a_loop_as_planners_write_it_is_counted_too() -> None:
    step = {**mapped([]), "loop_over": list(range(200))}
    del step["for_each"]
    step["tool_args"] = {**step["tool_args"], "output_label": "B.$loop_item"}
    assert codes_of_run(template(step), max_run_steps=100)[-1:] != []


@pytest.mark.parametrize("length", ["1ns", "1500ns", "999ns"])
@pytest.mark.parametrize("stop", ["2024-05-10T00:00:00.000001", "2025-05-10T00:00:00"])
def test_intervals_finer_than_a_microsecond_are_refused(length: str, stop: str) -> None:
    step = mapped(over(f"2024-05-10T00:00:00 to {stop}", length))
    assert codes_of_run(template(step)) == ["HV101"]


def test_intervals_of_a_microsecond_are_divided_exactly() -> None:
    step = mapped(over("2024-05-10T00:00:00 to 2024-05-10T00:00:00.000003", "1us"))
    step["tool_args"]["time_range"] = "$X"
    made = make_plan(template({**step, "on_item_error": "keep_partial"}), now=NOW, archive="cdaweb")
    fetched = [planned for planned in made.steps if planned.tool_name == "fetch_data"]
    assert [planned.args["time_range"][:26] for planned in fetched] == [
        "2024-05-10T00:00:00 to 202",
        "2024-05-10T00:00:00.000001",
        "2024-05-10T00:00:00.000002",
    ]


def test_meaning_makes_no_items_beyond_the_limit() -> None:
    step = mapped(list(range(9000)), [mapped(list(range(9000)), name="$Y")], name="$Z")
    assert meaning(Template.from_json(template(step)), Context(signatures(), NOW, {})) == {}


def test_pipelines_that_use_one_another_many_times_are_counted_while_they_are_put_in() -> None:
    calls = [{"step_id": n, "use": "b", "for_each": {"as": "$N", "over": [1]}} for n in range(8)]
    pipelines = {
        name: template(*({**call, "use": below} for call in calls), id=name)
        for name, below in (("b", "c"), ("c", "d"), ("d", "e"))
    }
    pipelines["e"] = template(*fetches(8), id="e")
    context = Context(signatures(), NOW, {}, pipelines=pipelines, policy=Policy(max_steps=100))
    assert [finding.code for finding in normalise(template(*calls), context).errors][:1] == ["HV701"]


def test_variables_cannot_make_a_text_longer_than_a_text_may_be() -> None:
    from helio.pipelines.template.oversize import Oversize

    with pytest.raises(Oversize) as refused:
        substitute("$X" * 5000, {}, {"$X": "y" * 1000})
    assert refused.value.diagnostic.code == "HP005"
    assert substitute("$X" * 10, {}, {"$X": "y" * 2000}) == "y" * 20_000


def test_a_pass_that_reaches_a_limit_says_so_and_is_not_accused() -> None:
    step = mapped(["y" * 1000])
    step["tool_args"] = {**FETCH["tool_args"], "output_label": "$X.x" * 40}  # type: ignore[dict-item]
    assert set(codes_of_run(template(step))) == {"HP005"}


# Arguments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        {"vlines": [{"x": "2024-05-10"}] * 1001},
        {"vrects": [{"x0": "2024-05-10", "x1": "2024-05-11"}] * 1001},
        {"trace_colors": {f"L{n}": "red" for n in range(1001)}},
        {"panels": [["AC_H2_MFI.BGSEc"]] * 101},
        {"row_heights": [1.0] * 101},
        {"panel_types": ["line"] * 101},
        {"labels": ["AC_H2_MFI.BGSEc"] * 5001},
    ],
    ids=lambda spec: next(iter(spec)),
)
def test_check_refuses_more_of_one_thing_than_a_figure_can_show(spec: dict[str, Any]) -> None:
    found = check(template(FETCH, figure(**spec)), now=NOW)
    [name, listed] = next(iter(spec.items()))
    assert any(f"{len(listed):,} " in error.message and name in error.path for error in found.errors)
    assert all(len(error.message) < 300 for error in found.errors)


def test_every_list_of_every_tool_has_a_largest_length() -> None:
    def lists(schema: Any) -> list[Any]:
        if isinstance(schema, list):
            return [found for part in schema for found in lists(part)]
        if not isinstance(schema, dict):
            return []
        here = [schema] if schema.get("type") == "array" and "maxItems" not in schema else []
        return here + [found for part in schema.values() for found in lists(part)]

    assert {name: lists(signature.schema()) for name, signature in signatures().items()} == {
        name: [] for name in signatures()
    }
