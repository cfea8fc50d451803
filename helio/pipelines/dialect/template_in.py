"""Read the valid parts of a document as a template, even if other parts of the document are not valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helio.pipelines.dialect.structure import fits, misfits
from helio.pipelines.dialect.written import list_of, object_of, variables_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.schema import STEP, VARIABLE
from helio.pipelines.template.template import Step, Template
from helio.steps.signature import Schema, Signature


def template_in(document: Document) -> Template:
    """Read the steps and variables of a document; leave out values of a wrong type.

    >>> found = template_in({"steps": [{"step_id": 1, "tool_name": 3}, {"tool_name": "magnitude", "pin": "no"}]})
    >>> [step.to_json() for step in found.steps]
    [{'step_id': 1}, {'step_id': '', 'tool_name': 'magnitude'}]
    """
    declared = {
        name: facts for name, facts in variables_of(document).items() if not any(misfits(facts, VARIABLE))
    }
    steps = [_fitting(object_of(step)) for step in list_of(document.get("steps"))]
    return Template.from_json({"variables": declared, "steps": steps})


def view_in(step: Document, signatures: Mapping[str, Signature]) -> StepView:
    """Read a step that may not be valid yet, with the signature of its tool; leave out values of a wrong type."""
    read = Step.from_json(_fitting(step))
    return StepView(read, signatures.get(read.tool_name))


def _fitting(step: Document) -> Document:
    """Return the keys of a step whose values have the right type; a step without an id gets an empty id."""
    known: Schema = STEP["properties"]
    fitting: dict[str, Any] = {
        key: value
        for key, value in step.items()
        if key in known and (fits(value, known[key]) or not any(misfits(value, known[key])))
    }
    if "block" in fitting:
        fitting["block"] = list(map(_fitting, fitting["block"]))
    return {"step_id": "", **fitting}
