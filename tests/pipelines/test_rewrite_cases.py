"""Before and after of the passes, from ``tests/data/rewrite_cases*.json`` and the file HELIO_REWRITE_CASES names."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.dialect.parse import parse
from helio.pipelines.plan import bind, normalise
from helio.pipelines.template.context import Context, Dataset, Policy
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.runner import RewriteResult, replay, undo
from helio.pipelines.template.template import Template
from helio.steps.signature import RECORD, Argument, Signature, TableInput, signatures, whole_range
from tests.pipelines.written import as_written
from tests.rows import try_rows

DATA = Path(__file__).parents[1] / "data"
FILES = [DATA / f"rewrite_cases{part}.json" for part in ("", "_expanded", "_more")]
if os.environ.get("HELIO_REWRITE_CASES"):
    FILES.append(Path(os.environ["HELIO_REWRITE_CASES"]))

OPTIONAL = {
    "merge.fetches": "merge_fetches",
    "dedupe.steps": "drop_equal_work",
    "merge.plot_style": "lower_plots",
    "clean.render_args": "complete_panels",
    "guarantee.artifact": "guarantee_artefact",
}
BY_CODE = {
    "HO101": "merge_fetches",
    "HO201": "drop_equal_work",
    "HO301": "lower_plots",
    "HO401": "complete_panels",
    "HG201": "guarantee_artefact",
}
NOT_COUNTED = {"HN100", "HR101"}


def variants() -> Iterator[tuple[str, Any, Any, Any, bool]]:
    """Every case, and once more for each value of its ``params``: name, file, case, input, whether it is exact."""
    default = json.loads(FILES[0].read_text(encoding="utf-8"))
    for file in FILES:
        document = default | json.loads(file.read_text(encoding="utf-8"))
        for case in document["cases"]:
            yield case["id"], document, case, case["before"], True
            for pointer, values in (case.get("params") or {}).items():
                for number, value in enumerate(values):
                    before = value if pointer == "" else put(copy.deepcopy(case["before"]), pointer, value)
                    yield f"{case['id']}-{number}", document, case, before, False


def rewritten(before: Any, context: Context, case: Any) -> tuple[Any, RewriteResult]:
    """What the passes make of a case's input, and what edits are replayed on."""
    parsed = parse(before)
    before = edited(before, parsed)
    if parsed.errors:
        return before, parsed
    found = normalise(parsed.plan, context, mode="repair" if case["mode"] == "repair" else "safe")
    edits = (*parsed.edits, *found.edits)
    outcome = RewriteResult(found.plan, edits, (*parsed.diagnostics, *found.diagnostics))
    if case["mode"] == "bind" and not outcome.errors:
        bound = bind(found.plan, found, context)
        outcome = RewriteResult(
            bound.plan, (*edits, *bound.edits), (*outcome.diagnostics, *bound.diagnostics)
        )
    return before, outcome


def edited(before: Any, parsed: RewriteResult) -> Any:
    """What the edits start from: a text only where it was not JSON as it stands; None where nothing was read."""
    if not parsed.edits and not parsed.plan:
        return None
    return undo(parsed.plan, parsed.edits) if isinstance(before, str) else before


def context_of(document: Any, case: Any) -> Context:
    """The context of a case: the document's default, changed as the case says."""
    given = document["default_context"] | case["context"]
    wanted = {OPTIONAL[name] for name in case["enable"]} or {
        BY_CODE[code] for code in case["edits"] if code in BY_CODE
    }
    policy = given.get("policy", {})
    return Context(
        signatures=registry(given["registry"]),
        now=datetime.fromisoformat(given["now"]).replace(tzinfo=None),
        values=case["overrides"] or {},
        archive="an archive",
        catalogue={name: dataset(facts) for name, facts in given["catalog"].items()},
        policy=Policy(**policy),
        optional=frozenset(wanted),
        pipelines=pipelines(given.get("pipelines") or given.get("library") or {}),
    )


def pipelines(saved: Any) -> Mapping[str, Any]:
    """The saved templates of a case by id, from an object, or a list of templates or of ids."""
    if isinstance(saved, dict):
        return saved
    listed = [document if isinstance(document, dict) else {"id": document, "steps": []} for document in saved]
    return {record["id"]: record for record in listed}


def saved(given: Any) -> dict[str, Any]:
    """Saved pipelines by id; of a list of ids, what they hold is not known."""
    return given if isinstance(given, dict) else {name: {} for name in given}


def dataset(facts: Any) -> Dataset:
    """What a case's catalogue says of a dataset; its facts are fresh."""
    first, last = (datetime.fromisoformat(text) for text in facts["availability"])
    sizes = {name: size[0] for name, size, _ in facts["parameters"]}
    return Dataset(sizes, first, last, fresh=True)


def registry(tools: Mapping[str, Any]) -> Mapping[str, Signature]:
    """Our own signatures, and those of tools that only a case has."""
    ours = signatures()
    return {name: ours.get(name) or signature(name, facts) for name, facts in tools.items()}


def signature(name: str, facts: Any) -> Signature:
    """A signature from the short form of a case."""
    label = {"type": "string", "format": "label"}
    lists = {"type": "array", "items": label}
    schemas = {"labels": lists, "source_labels": lists, "source_label": label, "output_label": label}
    names = [*facts.get("required", ()), *facts.get("optional", ())]
    arguments = tuple(
        Argument(name, schemas.get(name, {"type": "string"}), name in facts.get("required", ()))
        for name in names
    )
    tables = tuple(
        TableInput(name, name, many=name != "source_label", scalar=facts.get("input_rank") == 1)
        for name in ("labels", "source_labels", "source_label")
        if name in names
    )
    gives = "table" if "output_label" in names else "export" if facts.get("artifact") else "figure"
    context = RECORD if facts.get("range_capable") else whole_range("not known")
    return Signature(name, 1, name, gives, tables, arguments, context=context)  # type: ignore[arg-type]


def fits(found: Diagnostic, expected: Mapping[str, Any]) -> bool:
    """Whether a diagnostic is the expected one."""
    text = " ".join([found.message, *found.advice])
    fix = expected.get("fix")
    return (
        found.code == expected["code"]
        and expected.get("step_id", found.step_id) == found.step_id
        and expected.get("path", found.path) == found.path
        and expected.get("message_contains", "") in text
        and list(found.candidates)[: len(expected.get("candidates", ()))] == expected.get("candidates", [])
        and (fix != "none" or not found.fixes)
        and (fix != "suggest" or bool(found.fixes))
    )


def contains(whole: Any, part: Any) -> bool:
    """A subset match on objects, exact on scalars and lists, whose items match as subsets."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and contains(whole[key], part[key]) for key in part
        )
    if isinstance(part, list):
        return (
            isinstance(whole, list)
            and len(whole) == len(part)
            and all(contains(item, other) for item, other in zip(whole, part, strict=True))
        )
    return bool(whole == part) and type(whole) is type(part)


def by_id(plan: Any) -> Any:
    """The plan with its steps in the order of their ids, for a case that asserts no other order."""
    return {**plan, "steps": sorted(plan["steps"], key=lambda step: str(step["step_id"]))}


def put(document: Any, pointer: str, value: Any) -> Any:
    """The document with another value at a JSON Pointer."""
    *parents, last = pointer.removeprefix("/").split("/")
    owner = document
    for part in parents:
        owner = owner[int(part)] if isinstance(owner, list) else owner[part]
    if isinstance(owner, list):
        owner[int(last)] = value
    else:
        owner[last] = value
    return document


def there(document: Any, pointer: str) -> bool:
    """Whether something is at a JSON Pointer."""
    for part in pointer.removeprefix("/").split("/"):
        if isinstance(document, list):
            if not part.isdigit() or int(part) >= len(document):
                return False
            document = document[int(part)]
        elif isinstance(document, dict) and part in document:
            document = document[part]
        else:
            return False
    return True


def check_result(case: Any, before: Any, exact: bool, outcome: RewriteResult) -> None:
    """Compare what the passes made with what the case says."""
    errors = [finding for finding in outcome.diagnostics if finding.severity == "error"]
    for expected in case["errors"]:
        assert any(fits(error, expected) for error in errors), (expected, [str(error) for error in errors])
    if not case["errors"]:
        assert errors == [], [str(error) for error in errors]
    warned = {finding.code for finding in outcome.diagnostics if finding.severity == "warning"}
    assert set(case["warnings"]) <= warned
    if case["errors"]:
        return
    codes = {edit.code for edit in outcome.edits} - NOT_COUNTED
    if case["unchanged"]:
        assert codes == set(), [edit.message for edit in outcome.edits]
        assert contains(outcome.plan, before)
    if exact and not case["unchanged"]:
        assert codes == set(case["edits"]), [f"{edit.code} {edit.message}" for edit in outcome.edits]
    if case["after"] is not None:
        plan, after = outcome.plan, case["after"]
        if "list order is not asserted" in case["note"]:
            plan, after = by_id(plan), by_id(after)
        assert contains(plan, after), json.dumps(outcome.plan, indent=1)
    for pointer in case["absent"] or ():
        assert not there(outcome.plan, pointer), pointer


def check_laws(case: Any, before: Any, context: Context, authored: Any, outcome: RewriteResult) -> None:
    """Replay and undo the edits, rewrite once more, and compare what is computed before and after."""
    if authored is not None and outcome.plan is not None:
        assert replay(authored, outcome.edits) == outcome.plan
        assert undo(outcome.plan, outcome.edits) == authored
    if outcome.errors or case["mode"] == "bind" or outcome.plan is None:
        return
    again = normalise(outcome.plan, context, mode=case["mode"])
    assert [edit.code for edit in again.edits] == []
    assert again.plan == outcome.plan
    if all(edit.kind == "safe" for edit in outcome.edits) and isinstance(before, dict) and "steps" in before:
        meant = meaning(Template.from_json(outcome.plan), context)
        for label, sign in meaning(as_written(before), context).items():
            assert meant.get(label) == sign, label


@cache
def results() -> list[tuple[str, Any, Any, bool, Context, Any, RewriteResult]]:
    """What the passes make of each case: name, case, input, whether it is exact, context, replayed input, result."""
    return [
        (name, case, before, exact, context, *rewritten(before, context, case))
        for name, document, case, before, exact in variants()
        for context in [context_of(document, case)]
    ]


def test_a_case_comes_out_as_written():
    rows = [(name, case, before, exact, outcome) for name, case, before, exact, _, _, outcome in results()]
    try_rows(rows, check_result)


def test_the_laws_hold_for_a_case():
    rows = [
        (name, case, before, context, authored, outcome)
        for name, case, before, _, context, authored, outcome in results()
    ]
    try_rows(rows, check_laws)
