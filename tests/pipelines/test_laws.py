"""What holds for the passes whatever an author writes; ``HELIO_LONG=1`` tries ten thousand templates of each kind."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.dialect.parse import parse
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.runner import RewriteResult, replay, undo
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures
from tests.laws import law

from .conftest import NOW
from .written import as_written

pytestmark = pytest.mark.slow

LAW = law(40, 10_000, suppress_health_check=[HealthCheck.too_slow])
CATALOGUE = {
    "AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3, "BGSM": 3}),
    "WI_H2_MFI": Dataset({"BGSE": 3}),
}
CONTEXT = Context(signatures(), NOW, {}, catalogue=CATALOGUE)
OURS = ("HI001", "HI002")
"""What only a mistake of the passes can give."""

# ---- sloppy templates: a right one, and then what authors do to it

TOKENS = [
    "{{TIME_RANGE}}",
    "${TIME_RANGE}",
    "{TIME_RANGE}",
    "$time_range",
    "%TIME_RANGE%",
    "<TIME_RANGE>",
    "TIME_RANGE",
]
TIMES = [
    "past 5 days",
    "2024-01-01/2024-01-08",
    ["2024-01-01", "2024-01-08"],
    {"start": "2024-01-01", "end": "2024-01-08"},
    {"start_date": "2024-01-01", "end_date": "2024-01-08"},
    "2024-01/2024-03",
    "2024-01-15",
    None,
    "None",
    "",
    "$TIME_RANGE",
    *TOKENS,
]
NULLS = st.sampled_from([None, "None", "null", "", "undefined"])
WORDS = st.sampled_from(
    ["$B_x$ and {TIME_RANGE}", "None", "latest data, today", "cost $5, ${X}", "B, n", "🌍"]
)


@st.composite
def right(draw: Callable[..., Any]) -> dict[str, Any]:
    """A template with nothing to complain of."""
    steps: list[dict[str, Any]] = []
    labels: list[str] = []
    known = [(name, parameter) for name, dataset in CATALOGUE.items() for parameter in dataset.parameters]
    for dataset_id, parameter in draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True)):
        args = {"dataset_id": dataset_id, "parameter_id": parameter, "time_range": "$TIME_RANGE"}
        steps.append({"step_id": len(steps) + 1, "tool_name": "fetch_data", "tool_args": args})
        labels.append(f"{dataset_id}.{parameter}")
    for number in range(draw(st.integers(0, 3))):
        source = draw(st.sampled_from(labels))
        label = draw(st.sampled_from(["B", "B(x,y)", "smooth b", "n"])) + str(number)
        args = {"source_label": source, "window": "5min", "output_label": label}
        if draw(st.booleans()):
            step = {"tool_name": "running_average", "tool_args": args}
        else:
            code = {"source_labels": [source], "pandas_code": "result = df", "output_label": label}
            step = {"tool_name": "custom_operation", "tool_args": code}
        producer = next(step["step_id"] for step in steps if source in _labels(step))
        steps.append({"step_id": len(steps) + 1, **step, "depends_on": [producer]})
        labels.append(label)
    drawn = draw(st.lists(st.sampled_from(labels), min_size=1, max_size=3, unique=True))
    plot = {"labels": drawn, "title": draw(WORDS), "log_y": False}
    steps.append({"step_id": len(steps) + 1, "tool_name": "plot_data", "tool_args": plot})
    if draw(st.booleans()):
        style = {"title": draw(WORDS), "theme": "white"}
        figure = steps[-1]["step_id"]
        steps.append(
            {"step_id": figure + 1, "tool_name": "style_plot", "tool_args": style, "depends_on": [figure]}
        )
    for step in steps:
        if draw(st.booleans()):
            step["intent"] = draw(WORDS)
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": draw(st.sampled_from(["last 7 days", "2024"]))}
    }
    return {"id": "generated", "variables": variables, "steps": steps}


def _labels(step: dict[str, Any]) -> list[str]:
    args = step["tool_args"]
    return [args.get("output_label") or f"{args.get('dataset_id')}.{args.get('parameter_id')}"]


def rename(owner: dict[str, Any], old: str, new: str) -> None:
    if old in owner and new not in owner:
        owner[new] = owner.pop(old)


@st.composite
def sloppy(draw: Callable[..., Any]) -> dict[str, Any]:
    """A template as a person in a hurry, or a model that half remembers the format, writes it."""
    document: dict[str, Any] = copy.deepcopy(draw(right()))
    for step in document["steps"]:
        args = step["tool_args"]
        for change in draw(st.lists(st.sampled_from(CHANGES), max_size=4, unique=True)):
            change(draw, step, args)
    for change in draw(st.lists(st.sampled_from(OF_TEMPLATE), max_size=3, unique=True)):
        change(draw, document)
    return document


def _spell_tool(draw: Any, step: Any, args: Any) -> None:
    name = step.get("tool_name", "")
    other = {"fetch_data": "fetch", "plot_data": "plot", "style_plot": "style", "running_average": "smooth"}
    step["tool_name"] = draw(
        st.sampled_from([name.upper(), name.replace("_", "-"), f"functions.{name}", other.get(name, name)])
    )


def _spell_arguments(draw: Any, step: Any, args: Any) -> None:
    for old, new in (("dataset_id", "dataset"), ("parameter_id", "param"), ("source_label", "input")):
        rename(args, old, new)
    rename(args, "output_label", draw(st.sampled_from(["output", "outputLabel", "out_label"])))


def _spell_time(draw: Any, step: Any, args: Any) -> None:
    if "time_range" in args:
        args["time_range"] = draw(st.sampled_from(TIMES))


def _split_time(draw: Any, step: Any, args: Any) -> None:
    if args.pop("time_range", None) is not None:
        first, second = draw(st.sampled_from([("start", "end"), ("start_time", "stop_time")]))
        args[first], args[second] = "2024-01-01", "2024-01-08"


def _planner(draw: Any, step: Any, args: Any) -> None:
    for old, new in (("step_id", "phase"), ("intent", "goal"), ("tool_name", "relevant_tools")):
        rename(step, old, new)
    if "relevant_tools" in step:
        step["relevant_tools"] = [step["relevant_tools"]]
    rename(step, "tool_args", "arguments")


def _as_text(draw: Any, step: Any, args: Any) -> None:
    if isinstance(step.get("tool_args"), dict):
        step["tool_args"] = json.dumps(args)


def _text_values(draw: Any, step: Any, args: Any) -> None:
    if "log_y" in args:
        args["log_y"] = draw(st.sampled_from(["false", "no", 0]))
    step["critical"] = draw(st.sampled_from(["true", "yes", 1, True]))


def _comma_labels(draw: Any, step: Any, args: Any) -> None:
    for key in ("labels", "source_labels"):
        if isinstance(args.get(key), list):
            args[key] = ", ".join(args[key])


def _respell_labels(draw: Any, step: Any, args: Any) -> None:
    for key in ("labels", "source_labels"):
        if isinstance(args.get(key), list):
            args[key] = [f" {text.lower()}" for text in args[key]]


def _nulls(draw: Any, step: Any, args: Any) -> None:
    args[draw(st.sampled_from(["units", "caption", "filter", "description"]))] = draw(NULLS)
    step[draw(st.sampled_from(["produces", "critical", "use", "for_each"]))] = draw(NULLS)


def _unknown(draw: Any, step: Any, args: Any) -> None:
    step[draw(st.sampled_from(["priority", "colour", "notes", "a/b~c"]))] = draw(JSON)


def _dependencies(draw: Any, step: Any, args: Any) -> None:
    ids = st.sampled_from([1, "1", "step 1", None, 1.0])
    step["depends_on"] = draw(st.one_of(ids, st.lists(ids, max_size=3)))


def _no_dependencies(draw: Any, step: Any, args: Any) -> None:
    step.pop("depends_on", None)


def _text_id(draw: Any, step: Any, args: Any) -> None:
    if "step_id" in step:
        step["step_id"] = str(step["step_id"])


CHANGES = [
    _spell_tool,
    _spell_arguments,
    _spell_time,
    _split_time,
    _planner,
    _as_text,
    _text_values,
    _comma_labels,
    _respell_labels,
    _nulls,
    _unknown,
    _dependencies,
    _no_dependencies,
    _text_id,
]


def _no_ids(draw: Any, document: Any) -> None:
    for step in document["steps"]:
        step.pop("step_id", None)
        step.pop("depends_on", None)


def _shuffled(draw: Any, document: Any) -> None:
    document["steps"] = draw(st.permutations(document["steps"]))


def _no_variables(draw: Any, document: Any) -> None:
    document.pop("variables", None)


def _no_dollar(draw: Any, document: Any) -> None:
    rename(document.get("variables", {}), "$TIME_RANGE", "TIME_RANGE")


def _past(draw: Any, document: Any) -> None:
    for facts in document.get("variables", {}).values():
        facts["default"] = draw(st.sampled_from(TIMES))


def _twice(draw: Any, document: Any) -> None:
    document["steps"].append(copy.deepcopy(document["steps"][0]))


def _again(draw: Any, document: Any) -> None:
    document["steps"].append({**copy.deepcopy(document["steps"][0]), "step_id": 99})


def _mapped(draw: Any, document: Any) -> None:
    over = draw(st.sampled_from([["AC_H2_MFI", "AC_H2_MFI"], {"intervals": "$TIME_RANGE", "step": "1d"}, []]))
    document["steps"][0]["for_each"] = {"as": "$ITEM", "over": over}


OF_TEMPLATE = [_no_ids, _shuffled, _no_variables, _no_dollar, _past, _twice, _again, _mapped]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        *(
            "steps",
            "plan",
            "phases",
            "variables",
            "step_id",
            "tool_name",
            "tool_args",
            "arguments",
            "depends_on",
        ),
        *(
            "for_each",
            "block",
            "use",
            "with",
            "loop_over",
            "produces",
            "critical",
            "pin",
            "annotations",
            "intent",
        ),
        *(
            "labels",
            "source_label",
            "output_label",
            "time_range",
            "parameters",
            "spec",
            "panels",
            "candidates",
        ),
        *("as", "over", "type", "default", "id", "tool", "$TIME_RANGE", "start", "end"),
    ]
)
VALUES = st.sampled_from(
    [
        *(
            "fetch_data",
            "render_spec",
            "custom_operation",
            "plot",
            "$TIME_RANGE",
            "{X}",
            "1",
            "None",
            "a.b,c",
        ),
        *("2024", "last 7 days", "time_range", "true", "[]", "{}", "$", "[[", "AC_H2_MFI"),
    ]
)
NEARLY = st.recursive(
    JSON | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
"""JSON that uses the format's words in places where they do not belong."""


# ---- the laws


def rewritten(document: Any, mode: Any = "safe") -> RewriteResult:
    """What the passes make of a document that was read, with the edits of both."""
    parsed = parse(document)
    if parsed.errors:
        return parsed
    found = normalise(parsed.plan, CONTEXT, mode=mode)
    return RewriteResult(found.plan, (*parsed.edits, *found.edits), (*parsed.diagnostics, *found.diagnostics))


def holds(document: Any, found: RewriteResult, mode: Any = "safe") -> None:
    """The laws that every outcome obeys, with errors or without."""
    assert [str(finding) for finding in found.diagnostics if finding.code in OURS] == []
    if found.edits or found.plan:
        assert replay(document, found.edits) == found.plan
        assert undo(found.plan, found.edits) == document
    json.dumps([item.to_json() for item in (*found.edits, *found.diagnostics)])
    if not found.errors:
        again = normalise(found.plan, CONTEXT, mode=mode)
        assert [f"{edit.code} {edit.message}" for edit in again.edits] == []
        assert again.plan == found.plan


@LAW
@given(sloppy(), st.sampled_from(["safe", "repair"]))
def test_a_sloppy_template_comes_to_rest_and_its_edits_replay_and_undo(document: Any, mode: Any):
    before = json.dumps(document)
    found = rewritten(document, mode)
    assert json.dumps(document) == before
    holds(document, found, mode)
    assert rewritten(json.loads(before), mode) == found


@LAW
@given(right())
def test_a_right_template_has_no_errors(document: Any):
    found = rewritten(document)
    assert [str(error) for error in found.errors] == []
    holds(document, found)


@LAW
@given(sloppy())
def test_nobody_is_renumbered(document: Any):
    found = rewritten(document)
    if found.errors:
        return
    written = {str(step.get("step_id", step.get("phase"))) for step in document["steps"]} - {"None"}
    ends = [step for step in found.plan["steps"] if str(step["step_id"]) in written]
    made: dict[str, set[str]] = {}
    for step in document["steps"]:
        if _made(step) is not None:
            made.setdefault(_made(step), set()).add(str(step.get("step_id", step.get("phase"))))
    for step in ends:
        label = step["tool_args"].get("output_label") if "tool_args" in step else None
        if label in made and made[label] <= written:
            assert str(step["step_id"]) in made[label]


def _made(step: dict[str, Any]) -> Any:
    args = step.get("tool_args", step.get("arguments"))
    if not isinstance(args, dict):
        return None
    return next(
        (args[key] for key in ("output_label", "output", "outputLabel", "out_label") if key in args), None
    )


@LAW
@given(sloppy())
def test_safe_edits_leave_the_meaning_of_every_output(document: Any):
    before = meaning(as_written(document), CONTEXT)
    found = rewritten(document)
    if found.errors or any(edit.kind != "safe" for edit in found.edits):
        return
    after = meaning(Template.from_json(found.plan), CONTEXT)
    for label, sign in before.items():
        assert after.get(label) == sign, label


@LAW
@given(sloppy(), WORDS, WORDS)
def test_words_change_nothing_but_themselves(document: Any, one: str, other: str):
    documents = [copy.deepcopy(document) for _ in range(2)]
    for version, text in zip(documents, (one, other), strict=True):
        for step in version["steps"]:
            step.pop("goal", None)
            step["intent"] = text
            args = step.get("tool_args", step.get("arguments"))
            if isinstance(args, dict) and "title" in args:
                args["title"] = text
            if isinstance(args, dict) and "pandas_code" in args:
                args["pandas_code"] = f"result = {text!r}"
    first, second = (rewritten(version) for version in documents)
    assert [edit.code for edit in first.edits] == [edit.code for edit in second.edits]
    for version, text in ((first, one), (second, other)):
        if not version.errors:
            for step in version.plan["steps"]:
                assert text in step.get("intent", "") or not step.get("intent")
    shown = [json.dumps(version.plan, ensure_ascii=False) for version in (first, second)]
    for text in sorted((one, other), key=len, reverse=True):
        quoted = json.dumps(text, ensure_ascii=False)[1:-1]
        coded = json.dumps(repr(text), ensure_ascii=False)[1:-1]
        shown = [version.replace(coded, "…").replace(quoted, "…") for version in shown]
    if one != "None" and other != "None":  # a word that other fields may hold too
        assert shown[0] == shown[1]


@LAW
@given(NEARLY)
def test_any_json_gives_a_plan_or_diagnostics(document: Any):
    before = json.dumps(document)
    found = rewritten(document)
    assert json.dumps(document) == before
    if not isinstance(document, str):
        holds(document, found)


@LAW
@given(st.lists(st.dictionaries(KEYS, NEARLY, max_size=6), min_size=1, max_size=4))
def test_steps_of_any_shape_give_a_plan_or_diagnostics(steps: Any):
    document = {"steps": steps}
    holds(document, rewritten(document, "repair"), "repair")


@LAW
@given(st.text() | st.text(alphabet='{}[]",:` \n\\1aepst$', max_size=60))
def test_any_text_gives_a_plan_or_diagnostics(text: str):
    found = rewritten(text)
    assert found.plan or found.errors
    assert [finding for finding in found.diagnostics if finding.code in OURS] == []


@LAW
@given(
    sloppy(), st.sampled_from(["{}", "Here:\n```json\n{}\n```\nDone.", "The plan is {} I think.", "\ufeff{}"])
)
def test_the_words_around_a_plan_do_not_matter(document: Any, around: str):
    text = around.replace("{}", json.dumps(document, indent=1))
    assert rewritten(text).plan == rewritten(document).plan


@LAW
@given(sloppy(), st.data())
def test_a_plan_that_breaks_off_is_refused(document: Any, data: Any):
    text = json.dumps(document)
    cut = text[: data.draw(st.integers(2, len(text) - 1))]
    assert rewritten(cut).errors
    assert rewritten(f"```json\n{cut}\n```").errors
