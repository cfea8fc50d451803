"""A review shows every difference in full and nothing else; ``HELIO_LONG=1`` tries ten thousand edits."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.changes import _BY_LABEL, ABSENT, Change, changes
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context
from helio.pipelines.template.document import STEP_DEFAULTS
from helio.pipelines.template.plain_text import escaped
from helio.pipelines.template.shown_values import shown, shown_line
from helio.steps.signature import signatures
from tests.laws import law
from tests.rows import in_one_test

LAW = law(60, 10_000, suppress_health_check=[HealthCheck.too_slow])
CONTEXT = Context(signatures(), datetime(2024, 1, 20), {})
CODE = "import numpy as np\nscale = 2\nresult = df_B * scale\nresult = result.dropna()"
LABELS = ["B", "V", "Bmag", *(f"a_long_label_number_{number}" for number in range(12))]
TEMPLATE: dict[str, Any] = {
    "id": "storm",
    "name": "Storm",
    "description": "Field and speed.",
    "variables": {
        "$TIME_RANGE": {"type": "time_range", "default": "2024-01-01 to 2024-01-08"},
        "$WINDOW": {"type": "duration", "default": "5min", "required": False},
    },
    "steps": [
        {
            "step_id": "b",
            "tool_name": "fetch_data",
            "tool_args": {
                "candidates": ["AC_H0_MFI", {"dataset_id": "WI_H2_MFI", "parameter_id": "BGSE"}],
                "parameter_id": "BGSEc",
                "time_range": "$TIME_RANGE",
                "output_label": "B",
            },
            "pin": ["time_range"],
        },
        {
            "step_id": "v",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "AC_H0_SWE",
                "parameters": ["Vp", "Np"],
                "time_range": "2024-01-01 to 2024-01-03",
            },
        },
        {
            "step_id": "mean",
            "tool_name": "running_average",
            "tool_args": {"source_label": "B", "window": "$WINDOW", "output_label": "Bmean"},
        },
        {
            "step_id": "code",
            "tool_name": "custom_operation",
            "tool_args": {"source_labels": ["B", "Bmean"], "pandas_code": CODE, "output_label": "Bmag"},
            "intent": "Scale the field",
            "depends_on": ["b", "mean"],
            "critical": False,
        },
        {
            "step_id": "days",
            "for_each": {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}},
            "block": [
                {
                    "step_id": "day",
                    "tool_name": "magnitude",
                    "tool_args": {"source_label": "B", "output_label": "B-$DAY"},
                },
                {"step_id": "day2", "tool_name": "magnitude", "tool_args": {"source_label": "B-$DAY"}},
            ],
        },
        {"step_id": "part", "use": "ace-bfield-overview", "with": {"$TIME_RANGE": "2024-01-01"}},
        {
            "step_id": "figure",
            "tool_name": "render_spec",
            "tool_args": {
                "spec": {
                    "labels": LABELS,
                    "panels": [["B"], ["Bmag", "V"], LABELS[3:]],
                    "title": "Field  of the storm",
                    "trace_colors": {"B.z": "red", "Bmag": "black"},
                    "y_range": {"1": [-20, 20.0]},
                    "hlines": [{"y": 0, "panel": 1}, {"y": 5.0, "label": "five"}],
                    "legend": True,
                    "width": 900,
                }
            },
        },
        {
            "step_id": "style",
            "tool_name": "style_plot",
            "tool_args": {"title": "Storm", "font": {"size": 12}},
            "depends_on": ["figure"],
        },
    ],
}
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 1.0, "1", "", "true", "null", -0.0, 2.5, "B", "B ", "\u200bB", "В", "B\u0301"),
    *([], {}, ["B"], ["B", "V"], {"a": {"b": [1, {"c": None}]}}, "one\ntwo", "one\ntwo\n", "a, b", "a → b"),
    *(
        "no longer B",
        '"B"',
        '"\\u200bB"',
        "x" * 90,
        "y; z",
        "\ttab",
        "\u202eabc",
        "☀",
        "☀\ufe0f",
        [[1], [1.0]],
    ),
    *({"x0": "2024-01-01T00:00:00", "x1": "2024-01-02T00:00:00", "label": "main phase of it"},),
]


any_value = st.integers(0, len(VALUES) - 1).map(lambda at: copy.deepcopy(VALUES[at]))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every object or list in a value with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


@st.composite
def edited(draw: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A template and what became of it by some edits."""
    before = copy.deepcopy(TEMPLATE)
    for _ in range(draw(st.integers(0, 2))):
        edit(draw, before)
    after = copy.deepcopy(before)
    for _ in range(draw(st.integers(0, 4))):
        edit(draw, after)
    return before, after


def edit(draw: Callable[..., Any], document: dict[str, Any]) -> None:
    """Change one place of a template; steps keep to be objects with an id."""
    owner, key = draw(st.sampled_from(list(places(document))))
    value = owner[key]
    steps = (
        isinstance(value, list)
        and value
        and all(isinstance(part, dict) and "step_id" in part for part in value)
    )
    if steps:
        kind = draw(st.sampled_from(["swap", "drop", "copy"]))
        at = draw(st.integers(0, len(value) - 1))
        if kind == "swap":
            value.append(value.pop(at))
        elif kind == "drop" and len(value) > 1:
            value.pop(at)
        elif kind == "copy":
            value.insert(at, {**copy.deepcopy(value[at]), "step_id": f"{value[at]['step_id']}-{len(value)}"})
    elif key == "step_id" or (isinstance(value, dict) and "step_id" in value) or key in ("block", "steps"):
        return
    elif isinstance(owner, list) and draw(st.booleans()):
        kind = draw(st.sampled_from(["swap", "drop", "add", "twice"]))
        if kind == "swap":
            owner.append(owner.pop(key))
        elif kind == "drop":
            owner.pop(key)
        else:
            owner.insert(key, copy.deepcopy(value) if kind == "twice" else draw(any_value))
    elif isinstance(value, str) and "\n" in value and draw(st.booleans()):
        lines = value.split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        line = draw(st.sampled_from(["", " " + lines[at], lines[at] + " ", "\t", '"x"', "x = 1\r", lines[0]]))
        lines[at : at + draw(st.integers(0, 1))] = [line]
        owner[key] = "\n".join(lines)
    elif isinstance(owner, dict) and draw(st.booleans()):
        if draw(st.booleans()):
            del owner[key]
        else:
            owner[draw(st.sampled_from(["new", "tr\u200bicky", "a: b", "critical", "intent"]))] = draw(
                any_value
            )
    else:
        owner[key] = draw(any_value)


# ---- what a review must hold


def without_empty(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in _BY_LABEL or value != {}}


def meant(template: dict[str, Any]) -> dict[str, Any]:
    """A template without what says nothing."""
    left = {key: value for key, value in template.items() if key != "variables" or value != {}}

    def plain(step: dict[str, Any]) -> dict[str, Any]:
        kept = {
            key: value
            for key, value in step.items()
            if json.dumps(value) != json.dumps(STEP_DEFAULTS.get(key, "none"))
        }
        if isinstance(kept.get("block"), list):
            kept["block"] = [plain(step) for step in kept["block"]]
        args = kept.get("tool_args")
        if kept.get("tool_name") == "render_spec" and isinstance(args, dict):
            if isinstance(args.get("spec"), dict):
                args = {**args, "spec": without_empty(args["spec"])}
            kept["tool_args"] = {key: value for key, value in args.items() if (key, value) != ("spec", {})}
        elif kept.get("tool_name") == "style_plot" and isinstance(args, dict):
            kept["tool_args"] = without_empty(args)
        if kept.get("tool_args") == {}:
            del kept["tool_args"]
        return kept

    left["steps"] = [plain(step) for step in left.get("steps", [])]
    return left


def text_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def find(owner: Any, key: Any) -> Any:
    """The key under which something stands: of a list of steps the place of the step."""
    if isinstance(owner, list) and all(isinstance(item, dict) and "step_id" in item for item in owner):
        return next((at for at, step in enumerate(owner) if step["step_id"] == key), key)
    return key


def put(document: dict[str, Any], one: Change) -> None:
    """Make one change in a template."""
    owner: Any = document
    for at, key in enumerate(one.path[:-1]):
        place = find(owner, key)
        if isinstance(owner, dict):
            owner = owner.setdefault(place, [] if isinstance(one.path[at + 1], int) else {})
        else:
            owner = owner[place]
    key = find(owner, one.path[-1])
    if one.items and not one.whole:
        lines = one.items[0].is_line
        value = owner[key].split("\n") if lines else owner[key]
        for item in [item for item in one.items if item.sign == "-"][::-1]:
            assert text_of(value.pop(item.number - 1)) == text_of(item.value)
        for item in one.items:
            if item.sign == "+":
                value.insert(item.number - 1, item.value)
        owner[key] = "\n".join(value) if lines else value
        return
    there = key in owner if isinstance(owner, dict) else isinstance(key, int) and key < len(owner)
    if one.before is not ABSENT:
        assert there, one
        assert text_of(owner[key]) == text_of(one.before)
    if one.after is ABSENT:
        del owner[key]
        if not owner and one.path[-2] in _BY_LABEL and "," not in one.what:
            put(document, Change("style", one.step_id, "", one.path[:-1], before={}))
    elif one.before is ABSENT and isinstance(owner, list):
        owner.insert(key if isinstance(key, int) else len(owner), copy.deepcopy(one.after))
    else:
        assert one.before is not ABSENT or not there or key in ("spec", "tool_args"), one
        owner[key] = copy.deepcopy(one.after)


def order(one: Change) -> tuple[int, int, int]:
    """Removed items from the last to the first, then those that were added, then those that were changed."""
    at = one.path[-1] if isinstance(one.path[-1], int) else 0
    if one.path[-1] == "spec" and one.after is not ABSENT:
        return 99, 0, 0  # what it held goes first
    if one.after is ABSENT and one.before is not ABSENT:
        return len(one.path), 0, -at
    if one.before is ABSENT and one.after is not ABSENT:
        return len(one.path), 1, at
    return len(one.path), 2, at


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)) and value:
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def is_in(value: Any, text: str) -> bool:
    """Whether a value can be read in a text."""
    if isinstance(value, str) and "\n" in value:
        lines = [shown_line(line) for line in value.split("\n")]
        if all(line in text for line in lines):
            return True
    written = (shown(value), escaped(json.dumps(value, ensure_ascii=False)), json.dumps(value))
    return any(form in text for form in written)


@pytest.mark.slow
@given(edited())
@LAW
def test_a_review_says_every_difference_and_nothing_else(pair: tuple[dict[str, Any], dict[str, Any]]):
    before, after = pair
    found = changes(before, after)
    orders = [change for change in found if change.what == "order of steps"]
    again = meant(copy.deepcopy(before))
    for change in sorted((change for change in found if change not in orders), key=order):
        put(again, change)
    # each difference as it is told, put into the old template, makes the new one
    sort_steps = lambda template: {**template, "steps": sorted(template["steps"], key=text_of)}  # noqa: E731
    wanted, made = sort_steps(meant(after)), sort_steps(meant(again))
    for template in (wanted, made):
        for step in template["steps"]:
            if isinstance(step.get("block"), list):
                step["block"].sort(key=text_of)
    assert text_of(made) == text_of(wanted)
    for change in found:
        for item in change.items:
            assert (shown_line(item.value) in str(change)) if item.is_line else is_in(item.value, str(change))
        for value in (change.before, change.after):
            if value is not ABSENT and change.whole != "step":
                assert all(is_in(leaf, str(change)) for leaf in leaves(value)), str(change)
            elif value is not ABSENT:
                kept = meant({"steps": [value]})["steps"][0]
                kept.pop("tool_name", None)  # said by what it does
                assert all(is_in(leaf, str(change)) for leaf in leaves(kept)), str(change)
        assert all(sign.isprintable() or sign == "\n" for sign in str(change))
    if not found:
        assert results(before) == results(after)
    if text_of(before) == text_of(after):
        assert not found


def results(template: dict[str, Any]) -> dict[str, str]:
    return meaning(template_in(normalise(template, CONTEXT).plan), CONTEXT)


# ---- what a reviewer reads


def review(change: Callable[[dict[str, Any]], Any]) -> list[str]:
    after = copy.deepcopy(TEMPLATE)
    change(after)
    return [str(change) for change in changes(TEMPLATE, after)]


def test_a_change_in_line_three_of_four_is_shown_by_its_line():
    new = CODE.replace("* scale", "* scale**2")
    assert review(lambda after: after["steps"][3]["tool_args"].update(pandas_code=new)) == [
        "step code: pandas code:\n    - 3  result = df_B * scale\n    + 3  result = df_B * scale**2"
    ]


def test_of_a_long_list_the_items_that_were_added_and_removed_are_shown():
    labels = [label for label in LABELS if not label.endswith("_4")] + ["last"]
    assert review(lambda after: after["steps"][6]["tool_args"]["spec"].update(labels=labels)) == [
        "step figure: drawn:\n    -  8  a_long_label_number_4\n    + 15  last"
    ]


def with_figure(labels: list[str], panels: list[list[str]]) -> dict[str, Any]:
    return {
        "steps": [
            {
                "step_id": "f",
                "tool_name": "render_spec",
                "tool_args": {"spec": {"labels": labels, "panels": panels}},
            }
        ]
    }


def test_the_scale_of_a_panel_without_lines_is_said():
    before, after = with_figure(["B"], [[], ["B"]]), with_figure(["B"], [[], ["B"]])
    after["steps"][-1]["tool_args"]["spec"]["log_scale"] = {"1": "log", "2": "log"}
    assert [change.text for change in changes(before, after)] == [
        "y scale of panel 1: log",
        "y scale of panel 2 (B): log",
    ]


@pytest.mark.parametrize(
    ("labels", "panels", "said"),
    [
        (["B", "n", "V"], [["B"], ["n"], ["V"]], ["step f: panel 3: V"]),
        (["B", "n", "V"], [["B", "V"], ["n"]], ["step f: panel 1:\n    + 2  V"]),
        (["n"], [["n"]], ["step f: panel 1: no longer B"]),
        (["V", "n"], [["V"], ["n"]], ["step f: panel 1: B → V"]),
        (["n", "B"], [["n"], ["B"]], ["step f: panel 1: B → n", "step f: panel 2: n → B"]),
        (
            ["V", "B", "n"],
            [["B", "V"], ["n"]],
            ["step f: drawn:\n    + 1  V", "step f: panel 1:\n    + 2  V"],
        ),
        (["B", "n", "V"], [["B"], ["n"]], ["step f: drawn:\n    + 3  V"]),
        (["n", "B"], [["B"], ["n"]], ["step f: drawn:\n    + 1  n\n    - 2  n"]),
    ],
)
def test_lines_that_follow_from_the_panels_are_not_said_twice(labels, panels, said):
    """A list of lines that the panels do not give, or another order of its lines, is still shown."""
    before, after = with_figure(["B", "n"], [["B"], ["n"]]), with_figure(labels, panels)
    changed = changes(before, after)
    assert [str(change) for change in changed] == said
    for change in changed:
        implies = ("steps", "f", "tool_args", "spec", "labels") in change.implied
        assert implies == (not any("drawn" in text for text in said))


@pytest.mark.parametrize(
    ("panels", "now", "said"),
    [
        ([["B"], ["n"]], {"2": "log"}, ["step f: panel 2: no longer V"]),
        (
            [["V"], ["n"], ["B"]],
            {"2": "log"},
            ["step f: panel 1: no longer B", "step f: panel 3: B"],
        ),
        (
            [["B", "V"], ["n"]],
            {"2": "log"},
            ["step f: panel 1: no longer B", "step f: panel 2: no longer V", "step f: panel 1: B, V"],
        ),
        (
            [["B"], ["n"]],
            {},
            ["step f: panel 2: no longer V", "step f: y scale of panel 3 (n): no longer log"],
        ),
        (
            [["B"], ["n"]],
            {"1": "log", "2": "log"},
            [
                "step f: panel 2: no longer V",
                "step f: y scale of panel 1 (B): log",
                "step f: y scale of panel 2 (n): log",
                "step f: y scale of panel 3 (n): no longer log",
            ],
        ),
    ],
)
def test_settings_that_move_with_their_panel_are_not_said(panels, now, said):
    before, after = with_figure(["B", "V", "n"], [["B"], ["V"], ["n"]]), with_figure(["B", "V", "n"], panels)
    for template, scale in ((before, {"3": "log"}), (after, now)):
        spec = template["steps"][-1]["tool_args"]["spec"]
        spec["labels"] = [label for panel in spec["panels"] for label in panel]
        spec["log_scale"] = scale
    changed = changes(before, after)
    assert [str(change) for change in changed] == said
    implied = {path[-2:] for path in changed[0].implied}
    assert (("log_scale", "3") in implied) == ("scale" not in said[-1] and now != {"3": "log"})


def test_every_key_of_a_new_figure_is_shown():
    spec = {
        "title": "T",
        "hlines": [{"y": 5, "label": "limit"}],
        "font": {"axes": {"size": 9}},
        "labels": ["B"],
    }
    step = {"step_id": "f", "tool_name": "render_spec", "tool_args": {"spec": spec}}
    assert review(lambda after: after["steps"].append(step)) == [
        "step f: added: figure 'T': B\n"
        '    hlines: [{"y": 5, "label": "limit"}]\n'
        '    font: {"axes": {"size": 9}}'
    ]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("critical", True, "critical: no longer false"),
        ("intent", "Other", "intent: Scale the field → Other"),
        ("depends_on", ["b"], "depends on:\n    - 2  mean"),
        ("pin", ["window"], "pinned: window"),
        ("use", "other", "pipeline: other"),
        ("annotations", {"note": "a"}, 'annotations: {"note": "a"}'),
    ],
)
def test_every_key_of_a_step_is_shown(key: str, value: Any, expected: str):
    assert review(lambda after: after["steps"][3].update({key: value})) == [f"step code: {expected}"]


@in_one_test(
    ("old", "new", "expected"),
    [
        (1, 1.0, "1 → 1.0"),
        (1, "1", '1 → "1"'),
        (1, True, "1 → true"),
        (None, "null", 'null → "null"'),
        ("B", ["B"], '"B" → ["B"]'),
        ("B", "B ", 'B → "B "'),
        ("a  b", "a b", '"a  b" → a b'),
        ("ACE", "АСЕ", 'ACE → "\\u0410\\u0421\\u0415"'),
        ("Wind", "АCE µT", 'Wind → "\\u0410CE \\u00b5T"'),
        ("Wind", "Земля", "Wind → Земля"),
        ("µT", "μT", '"\\u00b5T" → "\\u03bcT"'),
        ("☀", "☀\ufe0f", '☀ → "☀\\ufe0f"'),
        ("x", "x\x1b[2J\u202e", 'x → "x\\u001b[2J\\u202e"'),
        ("\u200b", "\\u200b", '"\\u200b" → "\\\\u200b"'),
    ],
)
def test_values_that_differ_never_look_alike(old: Any, new: Any, expected: str):
    before, after = ({"name": name, "steps": []} for name in (old, new))
    assert [str(change) for change in changes(before, after)] == [f"name: {expected}"]


def test_what_is_there_with_null_is_not_what_is_not_there():
    assert review(lambda after: after["steps"][6]["tool_args"]["spec"].update(subtitle=None)) == [
        "step figure: subtitle: null"
    ]


def test_an_order_of_steps_that_changes_no_result_is_not_shown():
    fetch = {"tool_name": "fetch_data", "tool_args": {"dataset_id": "AC_H0_MFI", "time_range": "2024-01-01"}}
    first, second = copy.deepcopy(fetch), copy.deepcopy(fetch)
    first["tool_args"] |= {"parameter_id": "BGSEc", "output_label": "B"}
    second["tool_args"] |= {"parameter_id": "Magnitude", "output_label": "M"}
    figure = {"step_id": "f", "tool_name": "plot_data", "tool_args": {"labels": ["B", "M"]}}
    styles = [
        {"step_id": name, "tool_name": "style_plot", "tool_args": {"title": name}, "depends_on": ["f"]}
        for name in ("one", "two")
    ]
    steps = [{"step_id": "b", **first}, {"step_id": "m", **second}, figure]
    template = {"id": "x", "steps": [*steps, *styles]}
    fetches = {"id": "x", "steps": [steps[1], steps[0], figure, *styles]}
    assert changes(template, fetches) == ()
    assert results(template) != results({"id": "x", "steps": [*steps, *styles[::-1]]})
    [found] = changes(template, {"id": "x", "steps": [*steps, *styles[::-1]]})
    assert str(found) == "order of steps:\n    + 4  two\n    - 5  two"


def test_a_text_of_very_many_equal_lines_is_told_as_a_whole():
    old, new = "a" + "\n" * 3000 + "b", "c" + "\n" * 3001 + "d"
    [found] = changes(*({"steps": [{"step_id": 1, "tool_args": {"code": code}}]} for code in (old, new)))
    assert [change.sign for change in found.items] == ["-"] * 3001 + ["+"] * 3002


def test_a_step_under_an_id_twice_is_shown_as_well():
    step = {"step_id": 1, "tool_name": "magnitude", "tool_args": {"source_label": "B"}}
    other = {"step_id": 1, "tool_name": "magnitude", "tool_args": {"source_label": "V"}}
    [found] = changes({"steps": [step]}, {"steps": [step, other]})
    assert str(found) == "step 1: added: magnitude of V"


def test_the_structured_form_says_old_and_new_value():
    new = CODE.replace("* scale", "* scale**2")
    after = copy.deepcopy(TEMPLATE)
    after["steps"][3]["tool_args"]["pandas_code"] = new
    after["name"] = "Other"
    name, code = (change.to_json() for change in changes(TEMPLATE, after))
    assert (name["path"], name["before"], name["after"]) == (["name"], "Storm", "Other")
    assert code["path"] == ["steps", "code", "tool_args", "pandas_code"]
    assert code["removed"] == [{"number": 3, "value": "result = df_B * scale"}]
    assert code["added"] == [{"number": 3, "value": "result = df_B * scale**2"}]
    assert "after" not in code
