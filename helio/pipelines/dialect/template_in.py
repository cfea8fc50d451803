"""A document in any state, as far as it can be read as a template."""

from __future__ import annotations

from helio.pipelines.dialect.structure import misfits
from helio.pipelines.dialect.walk import each_step, variables_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.schema import STEP, VARIABLE
from helio.pipelines.template.template import Template


def template_in(document: Document) -> Template:
    """Read the steps and variables that have the structure of a template's; leave out the others.

    >>> found = template_in({"steps": [{"step_id": 1, "tool_name": "magnitude"}, {"step_id": 2, "tool_name": 3}]})
    >>> [step.step_id for step in found.steps]
    [1]
    """
    wrong = {path[:2] for path, step in each_step(document) if any(misfits(step, STEP))}
    declared = {
        name: facts for name, facts in variables_of(document).items() if not any(misfits(facts, VARIABLE))
    }
    steps = [step for path, step in each_step(document) if len(path) == 2 and path not in wrong]
    return Template.from_json({"variables": declared, "steps": steps})
