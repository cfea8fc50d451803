"""What a diagnostic advises is done, and the diagnostic is gone: each advice of a collection of templates, followed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import jsonpatch

from helio.pipelines.dialect.parse import parse
from helio.pipelines.mend import repair
from helio.pipelines.plan import normalise
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.runner import FIX
from helio.steps.signature import signatures

from .conftest import NOW, fetch, magnitude, render, template
from .test_rewrite_cases import context_of, variants

Way = tuple[str, Any]
Follow = Callable[[Any, Diagnostic, Any, str], Iterator[Way]]
KNOWN = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}
PLAIN = Context(signatures(), NOW, {}, catalogue=KNOWN)


@dataclass(frozen=True)
class Case:
    """A template with something to say of it."""

    name: str
    document: Any
    context: Context


def written_cases() -> Iterator[Case]:
    for name, document, case, before, exact in variants():
        if exact and case["mode"] != "bind":
            yield Case(name, before, replace(context_of(document, case), optional=None))


def own_cases() -> Iterator[Case]:
    wrapped = fetch(args={"time_range": "2024-01-01"})
    nested = {**wrapped, "tool_args": {"arguments": wrapped["tool_args"]}}
    days = ["2024-01-01", "2024-01-02"]
    loop = fetch(loop_over=days)
    del loop["tool_args"]["time_range"]
    named = copy.deepcopy(loop)
    named["tool_args"]["output_label"] = "B"
    plot = render(3, ("AC_H2_MFI.BGSEc",))
    each = {"as": "$DAY", "over": days}
    view = render(3, ("B",))
    view["tool_args"]["titel"] = "B"
    documents = {
        "arguments within arguments": template(nested, plot),
        "arguments within args of a step": template(
            {"step_id": 1, "tool_name": "fetch_data", "args": nested["tool_args"]}, plot
        ),
        "arguments as text": template(
            {**wrapped, "tool_args": {"kwargs": json.dumps(wrapped["tool_args"])}}, plot
        ),
        "label on a fetch": template(fetch(args={"label": "B"}), render(3, ("B",))),
        "another word for the label": template(fetch(args={"name": "B"}), render(3, ("B",))),
        "literal days in a loop": template(loop, plot),
        "literal days in a loop with a label": template(named, render(3, ("B",), panels=[["B"]])),
        "literal days in a loop, read by one": template(
            named, magnitude(2, "B", "Bmag"), render(3, ("Bmag",))
        ),
        "items without the item in the label": template(
            fetch(args={"time_range": "$DAY"}, for_each=each), render(3, ("AC_H2_MFI.BGSEc_*",))
        ),
        "a misspelt argument": template(fetch(args={"outptu_label": "B"}), render(3, ("B",))),
        "a misspelt key of a figure": template(fetch(args={"output_label": "B"}), view),
        "a misspelt data set": template(
            fetch(args={"dataset_id": "AC_H2_MIF"}), render(3, ("AC_H2_MIF.BGSEc",))
        ),
        "a misspelt parameter": template(
            fetch(args={"parameter_id": "BGSE"}), render(3, ("AC_H2_MFI.BGSE",))
        ),
        "a misspelt tool": template(fetch(), {**magnitude(), "tool_name": "magnitde"}, render()),
        "a misspelt label": template(fetch(), magnitude(2, "AC_H2_MFI.BGSE"), render()),
        "a misspelt variable": template(fetch(args={"time_range": "$TIMERANGE"}), plot),
        "a second literal": template(
            fetch(), fetch(2, args={"time_range": "2024-02-01", "output_label": "B"}), view
        ),
        "a candidate beside a data set": template(
            fetch(args={"candidates": ["AC_H0_MFI"], "output_label": "B"}), render(3, ("B",))
        ),
        "candidates without a label": template(
            {
                "step_id": 1,
                "tool_name": "fetch_data",
                "tool_args": {"candidates": ["AC_H0_MFI"], "parameter_id": "BGSEc"},
            },
        ),
        "a misspelt pipeline": template({"step_id": 1, "use": "mags"}),
        "a value for no variable": template({"step_id": 1, "use": "mag", "with": {"$TIME": "2024"}}),
        "no intent": template(fetch(), plot),
        "an interval of no length": template(
            fetch(
                args={"time_range": "$DAY", "output_label": "B_$DAY"},
                for_each={"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1 month"}},
            )
        ),
    }
    context = replace(PLAIN, pipelines={"mag": template(fetch(), magnitude(), render())})
    for name, document in documents.items():
        yield Case(name, document, context)


REPEATED = {case.name for case in written_cases()}
"""Cases in which nearly every step is without an intent."""
CASES = [*written_cases(), *own_cases()]


def found_in(document: Any, context: Context) -> tuple[Any, Any, tuple[Diagnostic, ...]]:
    """A template, its plan, and what there is to say of it."""
    parsed = parse(copy.deepcopy(document))
    if parsed.errors:
        return parsed.plan, parsed.plan, parsed.diagnostics
    made = normalise(parsed.plan, context)
    return parsed.plan, made.plan, (*parsed.diagnostics, *made.diagnostics)


# ---- how an advice is followed


def at(document: Any, path: str) -> tuple[Any, Any]:
    """The object that holds what a pointer names, and its key there."""
    *parents, last = (part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])
    for part in parents:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document, int(last) if isinstance(document, list) else last


def step_of(document: Any, path: str) -> Any:
    return document["steps"][int(path.split("/")[2])]


def somewhere(follow: Follow, documents: Any, found: Diagnostic, match: Any, text: str) -> list[Way]:
    """An advice followed in the template, or in its plan where it is about what the author wrote otherwise."""
    for document in documents:
        with suppress(KeyError, IndexError, TypeError, ValueError):
            return list(follow(document, found, match, text))
    return []


def ways(document: Any, plan: Any, found: Diagnostic) -> Iterator[Way]:
    """Each advice that names what is to be written, with the template in which it is."""
    for text in found.advice:
        for name, follow in FOLLOW:
            match = re.search(name, text)
            if match and name == f"^{FIX}":
                yield text, None
            elif match:
                yield from somewhere(follow, (document, plan), found, match, text)
    for fix in found.fixes:
        if not any(FIX in text for text in found.advice):
            changed = copy.deepcopy(document)
            try:
                jsonpatch.apply_patch(changed, list(fix.operations), in_place=True)
            except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
                continue  # it is a patch of the plan, in which other things were spelt otherwise by then
            yield f"fix: {fix.message}", changed


def meant(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for name in re.findall(r"'([^']+)'|(\$\w+)", match[1]):
        chosen, changed = "".join(name), copy.deepcopy(document)
        holder, key = at(changed, found.path)
        if (
            isinstance(holder[key], str)
            and found.code not in ("HN503", "HN504", "HO401")
            and "with" not in found.path
        ):
            old = found.message.split("'")[1] if "'" in found.message else holder[key]
            holder[key] = chosen if old not in holder[key] else holder[key].replace(old, chosen)
            if holder[key] != chosen and chosen.startswith("$"):
                holder[key] = chosen
        else:
            holder[chosen] = holder.pop(key)
        yield f"{text} -> {chosen}", changed


def left_out(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for choice in re.split(r",? or ", match[1]):
        names = re.findall(r"'([^']+)'", choice)
        changed = copy.deepcopy(document)
        holder, _ = at(changed, found.path)
        if names and all(name in holder for name in names):
            for name in names:
                del holder[name]
            yield f"leave out {names}", changed


def member(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    """``"key": value`` in the step, or in its arguments where the finding is there."""
    value, changed = json.loads(match[2].replace("…", "what it is for")), copy.deepcopy(document)
    step = step_of(changed, found.path)
    holder = step["tool_args"] if match[1] in signatures_of(step) else step
    if found.code == "HV101":
        holder, _ = at(changed, found.path)
    holder[match[1]] = value
    yield text, changed


def signatures_of(step: Any) -> set[str]:
    known = signatures().get(str(step.get("tool_name")))
    return {argument.name for argument in known.arguments} if known else set()


def written(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for value in re.findall(r"'([^']+)'", text):
        changed = copy.deepcopy(document)
        holder, key = at(changed, found.path)
        holder[key] = value
        yield f"write {value}", changed


def variable(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for value in re.findall(r'"(\$\w+)"', text):
        changed = copy.deepcopy(document)
        holder, key = at(changed, found.path)
        holder[key] = value
        yield f"write {value}", changed


def in_label(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    step = step_of(changed, found.path)
    step["tool_args"]["output_label"] = match[1]
    step.pop("produces", None)
    yield text, changed


def without_produces(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    del step_of(changed, found.path)["produces"]
    yield text, changed


def of_labels(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for label in match[1].split(", "):
        changed = copy.deepcopy(document)
        holder, key = at(changed, found.path)
        holder[key] = label
        yield f"read {label}", changed


def another_dependency(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    for name in match[1].split(", "):
        changed = copy.deepcopy(document)
        step = step_of(changed, found.path)
        if str(step["step_id"]) != name:
            step["depends_on"] = [name]
            yield f"depend on {name}", changed


def another_id(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    step_of(changed, found.path)["step_id"] = "another"
    yield text, changed


def missing(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    step_of(changed, found.path).setdefault("tool_args", {})[match[1]] = match[2]
    yield text, changed


def without_step(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    changed["steps"].remove(step_of(changed, found.path))
    yield text, changed


def with_result(document: Any, found: Diagnostic, match: Any, text: str) -> Iterator[Way]:
    changed = copy.deepcopy(document)
    holder, key = at(changed, found.path)
    holder[key] += "\nresult = df"
    yield text, changed


FOLLOW: list[tuple[str, Follow]] = [
    (f"^{FIX}", in_label),  # done by the test itself
    (r"^did you mean (.+)\?", meant),
    (r"^remove ('.+)$", left_out),
    (r'^(?:set |use |write |add |write a length such as )"(\w+)": ((?:"[^"]*"|\[[^\]]*\]))', member),
    (r"^write '", written),
    (r"^set '\w+' to \"\$\w+\" \(", variable),
    (r"^add \$\w+ to the label: '(.+)'", in_label),
    (r"^remove 'produces'", without_produces),
    (r"^use one of these labels: (.+)", of_labels),
    (r"^use one of these steps: (.+)", another_dependency),
    (r"^set depends_on to one of (.+)", another_dependency),
    (r"^give one of these steps another id", another_id),
    (r"^(dataset_id|parameter_id): .*: (\w+)$", missing),
    (r"^remove the step", without_step),
    (r"^end the code with result = …", with_result),
]


@cache
def followed() -> tuple[tuple[str, Case, Any, Diagnostic, Any], ...]:
    """Each advice on each case: its name, the case, the template, what was found, and the template that follows it."""
    return tuple(
        (f"{case.name}: {finding.code} {way[:60]}", case, document, finding, changed)
        for case in CASES
        for document, plan, diagnostics in [found_in(case.document, case.context)]
        for finding in diagnostics
        if document and not (finding.severity == "info" and case.name in REPEATED)
        for way, changed in ways(document, plan, finding)
    )


def same(one: Diagnostic, other: Diagnostic) -> bool:
    return (one.code, str(one.step_id), one.message) == (other.code, str(other.step_id), other.message)


def remaining(case: Case, document: Any, found: Diagnostic, changed: Any) -> list[str]:
    """Follow an advice, and list the diagnostics like it that are still there, or why it cannot be followed."""
    if changed is None:  # helio fix writes nothing unless everything is mended
        fixed = repair(document, case.context)
        changed = fixed.plan
        if errors := fixed.errors or normalise(changed, case.context).errors:
            return [str(error) for error in errors]
    *_, after = found_in(changed, case.context)
    return [str(finding) for finding in after if same(finding, found)]


def test_what_is_advised_makes_the_diagnostic_go() -> None:
    left = [(name, remaining(*advice)) for name, *advice in followed()]
    assert len(left) > 150
    assert [(name, found) for name, found in left if found] == []


def test_the_collection_has_the_advice_of_many_codes() -> None:
    codes = {found.code for _, _, _, found, _ in followed()}
    assert codes >= {
        *("HN402", "HN502", "HN503", "HN504", "HN602", "HN702", "HN703", "HO401", "HR102", "HR103", "HR203"),
        *("HN303", "HN506", "HR303", "HR702", "HV301", "HV602"),
        *("HR502", "HR602", "HV105", "HV501", "HV502", "HV910", "HX103", "HX201", "HX401"),
    }
