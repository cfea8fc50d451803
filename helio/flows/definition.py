"""Define the Prefect flow of a template: the flow's name, its typed parameters, and the names of its runs."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from helio.pipelines.plan import Plan
from helio.pipelines.runs.execute import PlanResult
from helio.pipelines.runs.states import DONE
from helio.pipelines.template.document import Document, digest

if TYPE_CHECKING:
    from prefect import Flow

MODULE = "helio.flows.pipelines"
"""Name of the module that contains each flow, because Prefect's subprocesses import a flow from its module."""


TAKEN = frozenset(
    {"return_state", "wait_for"}  # Prefect's own arguments
    # and the attributes of every pydantic model, because the form is one
    | {"construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"}
    | {"schema", "schema_json", "update_forward_refs", "validate"}
)


def define_flow(template: Document, body: Callable[..., Any], **options: Any) -> Flow[..., Any]:
    """Define a Prefect flow whose parameters are the variables of a template.

    Parameters
    ----------
    template : Document
        Its id is the flow's name, its digest the flow's version.
    body : callable
        Called with the parameters by keyword.
    options
        Passed to Prefect.
    """
    from prefect import Flow

    def function(**variables: object) -> Any:
        return body(**variables)

    pipeline_id = template.get("id", "pipeline")
    function.__name__ = function.__qualname__ = flow_function(pipeline_id)
    function.__module__ = MODULE  # before Flow reads it: it becomes the entrypoint
    function.__doc__ = _docstring(template)
    function.__signature__ = _signature(template)  # type: ignore[attr-defined]
    return Flow(
        function,
        name=pipeline_id,
        version=version_of(template),
        description=template.get("description") or template.get("name"),
        persist_result=False,
        **options,
    )


def flow_function(pipeline_id: str) -> str:
    """Convert a pipeline's id to the name of a Python function: ``gle73-particles`` becomes ``gle73_particles``."""
    name = re.sub(r"\W", "_", pipeline_id)
    return f"_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def parameters_of(template: Document, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of variables, with the names of the flow's parameters as keys."""
    names = parameter_names(template)
    return {names[name]: value for name, value in values.items() if name in names}


def parameter_names(template: Document) -> dict[str, str]:
    """Map each variable to the name of a flow parameter: the variable without ``$``, changed if this is not allowed."""
    names: dict[str, str] = {}
    for variable in template.get("variables") or {}:
        name = variable.removeprefix("$").lstrip("_") or "variable"
        while keyword.iskeyword(name) or name in TAKEN or name.startswith("model_") or name in names.values():
            name = f"var_{name}" if name.startswith("model_") else f"{name}_"
        names[variable] = name
    return names


def run_name(plan: Plan) -> str:
    """Return the name of a run, made of its pipeline and time range: ``gle73-particles 2021-10-28/2021-10-29``."""
    for time_range in plan.time_ranges.values():
        return f"{plan.pipeline_id} {str(time_range).replace(' to ', '/')}"
    return plan.pipeline_id


def describe(result: PlanResult) -> tuple[str, str | None]:
    """Return the name of the state in which a flow run ended, and the message of this state."""
    undone = [outcome for outcome in result.steps if outcome.state not in DONE]
    message = "; ".join(
        f"step {outcome.step.step_id} {outcome.state}: {outcome.error.message if outcome.error else outcome.reason}"
        for outcome in undone
    )
    if result.status == "success":
        return "Completed", None
    if result.status == "partial":
        return "Partial", message
    return ("CriticalFailure" if any(outcome.step.critical for outcome in undone) else "Failed"), message


def version_of(template: Document) -> str:
    """Return the version of a flow: the first digits of the digest of its template."""
    return digest(template).removeprefix("sha256:")[:12]


def tags_of(plan: Plan) -> list[str]:
    """Return the tags that Prefect shows for a flow run."""
    return ["helio", plan.pipeline_id]


def _signature(template: Document) -> inspect.Signature:
    names = parameter_names(template)
    parameters = []
    for variable, facts in (template.get("variables") or {}).items():
        parameters.append(
            inspect.Parameter(
                names[variable],
                inspect.Parameter.KEYWORD_ONLY,
                default=facts.get("default", inspect.Parameter.empty),
                annotation=_type(facts),
            )
        )
    return inspect.Signature(parameters)


def _docstring(template: Document) -> str:
    """Write a docstring with a description of each parameter, in the form that Prefect reads."""
    names = parameter_names(template)
    lines = [template.get("name") or template.get("id", "pipeline"), "", "Args:"]
    for variable, facts in (template.get("variables") or {}).items():
        words = facts.get("description") or _hint(facts.get("type", ""))
        if words:
            lines.append(f"    {names[variable]}: {' '.join(words.split())}")
    return "\n".join(lines)


def _hint(kind: str) -> str:
    return {
        "time_range": "2021-10-28, 2024-05-10 to 2024-05-12, last 7 days, …; UTC",
        "duration": "5min, 1h, 1d, …",
        "dataset": "A dataset's id",
        "parameter": "A parameter of a dataset",
        "label": "A label of the pipeline",
    }.get(kind, "")


def _type(facts: Mapping[str, Any]) -> Any:
    from pydantic import Field

    kind = facts.get("type")
    if kind == "boolean":
        return bool
    if kind == "enum":
        return Literal[tuple(facts["choices"])]
    if kind in ("integer", "number"):
        number = int if kind == "integer" else float
        return Annotated[number, Field(ge=facts.get("minimum"), le=facts.get("maximum"))]
    return str
