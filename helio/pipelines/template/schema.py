"""The JSON Schema of a template, made from the signatures of the tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from helio.pipelines.template.retries import MOST_RETRIES
from helio.steps.signature import Schema, Signature, signatures

SCHEMA_VERSION = 1
SCHEMA_FILE = "helio-template-1.schema.json"
"""File name of the JSON Schema beside every template; ``$schema`` in the template names it, for editors."""

LONGEST_ID = 178
"""Maximum number of characters in a pipeline's id: a run's id has 22 more, and at most 200 (`helio.store.runs`)."""

LONGEST_LABEL = 200
"""Maximum number of characters in the id of a step, and in a label."""

VARIABLE_TYPES = (
    "time_range",
    "interval",
    "string",
    "number",
    "integer",
    "boolean",
    "enum",
    "dataset",
    "parameter",
    "label",
    "duration",
)

STEP_ID: Schema = {
    "description": "A unique number or name, by which other steps refer to this step.",
    "anyOf": [
        {"type": "integer"},
        {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_LABEL,
            "pattern": r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$",
        },
    ],
}
LABELS: Schema = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_LABEL}}

VARIABLE: Schema = {
    "type": "object",
    "properties": {
        "type": {"description": "Type of the variable's values.", "enum": list(VARIABLE_TYPES)},
        "description": {"description": "Purpose of the variable, in words.", "type": "string"},
        "default": {"description": "The value that a run uses if none is given."},
        "required": {"description": "Whether each run must give a value.", "type": "boolean"},
        "choices": {"description": "The allowed values of an enum.", "type": "array", "minItems": 1},
        "minimum": {"description": "The smallest value that is allowed.", "type": "number"},
        "maximum": {"description": "The largest value that is allowed.", "type": "number"},
        "of": {"description": "The time range that an interval divides.", "type": "string"},
        "step": {"description": "The length of an interval, such as 1d.", "type": "string"},
    },
    "required": ["type"],
    "additionalProperties": False,
}

STEP: Schema = {
    "type": "object",
    "properties": {
        "step_id": STEP_ID,
        "tool_name": {"description": "The tool that the step uses.", "type": "string"},
        "tool_args": {"description": "The tool's arguments; $NAME stands for a variable.", "type": "object"},
        "intent": {"description": "What the step is for, in words.", "type": "string"},
        "produces": {"description": "Labels of the results; derived when left out.", **LABELS},
        "depends_on": {
            "description": "Steps that must succeed first; derived from the labels when left out.",
            "type": "array",
            "items": STEP_ID,
        },
        "critical": {
            "description": "Whether a failure fails the run. A figure is drawn without the tables of failed steps "
            "that are not critical, and says why their panels are empty.",
            "type": "boolean",
            "default": True,
        },
        "retries": {
            "description": "How often helio tries the step again after an error that may pass: a server that does not "
            "answer or is busy, or a process that was killed. It changes no result. Default: as the schedule says; "
            "otherwise once, or never with --direct.",
            "type": "integer",
            "minimum": 0,
            "maximum": MOST_RETRIES,
        },
        "retry_delay": {
            "description": "Time before each of the retries, such as 30s; all together at most one day. Default: one "
            "to three seconds.",
            "type": "string",
            "format": "duration",
        },
        "pin": {
            "description": "Arguments whose written time range or value must not become a variable.",
            **LABELS,
        },
        "annotations": {
            "description": "Notes of people and of helio; they change no result. 'document' names the document from "
            "which the values of the step were read; captions of figures name it too.",
            "type": "object",
        },
        "for_each": {
            "description": "Repeats the step, or its block, for each item.",
            "type": "object",
            "properties": {
                "as": {
                    "description": "The variable that stands for the item, such as $DAY.",
                    "type": "string",
                    "pattern": r"^\$[A-Za-z_][A-Za-z0-9_]*$",
                },
                "over": {
                    "description": "The items, or where they come from.",
                    "anyOf": [
                        {"type": "array"},
                        {
                            "type": "object",
                            "properties": {
                                "intervals": {"description": "A time range to divide.", "type": "string"},
                                "step": {
                                    "description": "The length of an interval, such as 1d.",
                                    "type": "string",
                                },
                                "components_of": {
                                    "description": "A label, whose components are the items.",
                                    "type": "string",
                                },
                                "parameters_of": {
                                    "description": "A dataset, whose parameters are the items.",
                                    "type": "string",
                                },
                            },
                            "additionalProperties": False,
                            "minProperties": 1,
                        },
                    ],
                },
            },
            "required": ["as", "over"],
            "additionalProperties": False,
        },
        "block": {
            "description": "Steps that are repeated together for each item.",
            "type": "array",
            "items": {"type": "object"},
            "minItems": 1,
        },
        "collect": {
            "description": "How the results of the items are combined.",
            "enum": ["list", "concat", "merge"],
        },
        "on_item_error": {
            "description": "Whether one failed item fails the step.",
            "enum": ["fail", "keep_partial"],
            "default": "fail",
        },
        "use": {"description": "The pipeline that the step calls.", "type": "string", "minLength": 1},
        "with": {"description": "Values of that pipeline's variables.", "type": "object"},
        "loop_over": {
            "description": "Items of a loop, as some models write it; helio rewrites it as for_each."
        },
    },
    "required": ["step_id"],
    "anyOf": [{"required": ["tool_name"]}, {"required": ["use"]}, {"required": ["block"]}],
    "additionalProperties": False,
}

STRUCTURE: Schema = {
    "type": "object",
    "properties": {
        "$schema": {"description": "Where editors find the JSON Schema.", "type": "string"},
        "schema_version": {"description": "The version of this format.", "enum": [SCHEMA_VERSION]},
        "id": {
            "description": "The pipeline's name in commands: small letters, digits and hyphens.",
            "type": "string",
            "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
            "maxLength": LONGEST_ID,
        },
        "name": {"description": "A name for people.", "type": "string"},
        "description": {"description": "What the pipeline does, in a sentence.", "type": "string"},
        "variables": {
            "description": "Values that a run can set with --set, by name, such as $WINDOW.",
            "type": "object",
            "propertyNames": {"pattern": r"^\$[A-Za-z_][A-Za-z0-9_]*$"},
            "additionalProperties": VARIABLE,
        },
        "artifact": {
            "description": "The output of a pipeline without figure or export: a figure, or a file of its tables.",
            "enum": ["figure", "data"],
        },
        "steps": {
            "description": "The steps of the pipeline; each step uses one tool.",
            "type": "array",
            "items": STEP,
            "minItems": 1,
        },
        "annotations": {
            "description": "Notes of people and of helio; they change no result.",
            "type": "object",
        },
        "created_at": {"description": "When it was written; changes no result.", "type": "string"},
        "updated_at": {"description": "When it was last changed; changes no result.", "type": "string"},
        "source_session": {"description": "Where it came from; changes no result.", "type": "string"},
    },
    "required": ["steps"],
    "additionalProperties": False,
}
"""JSON Schema of templates, without the arguments of tools."""


def template_schema(tools: Mapping[str, Signature] | None = None) -> Schema:
    """Return the JSON Schema of templates, with the arguments of each tool."""
    known = signatures() if tools is None else tools
    step = json.loads(json.dumps(STEP))
    step["properties"]["tool_name"]["enum"] = sorted(known)
    step["allOf"] = [
        {
            "if": {"properties": {"tool_name": {"const": name}}, "required": ["tool_name"]},
            "then": {"properties": {"tool_args": _with_variables(known[name].schema())}},
        }
        for name in sorted(known)
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "helio pipeline template",
        **STRUCTURE,
        "properties": {
            **STRUCTURE["properties"],
            "steps": {**STRUCTURE["properties"]["steps"], "items": step},
        },
    }


@cache
def schema_text() -> str:
    """Return the text of the JSON Schema file, for editors and ``helio schema``."""
    return json.dumps(template_schema(), indent=1, ensure_ascii=False) + "\n"


def _with_variables(schema: Schema) -> Schema:
    """Change a schema so that ``"$NAME"`` is allowed for any value that is not a text already."""
    if schema.get("type") == "string" or schema == {} or set(schema) == {"description"}:
        return schema
    inner = dict(schema)
    for key in ("properties",):
        if key in inner:
            inner[key] = {name: _with_variables(part) for name, part in inner[key].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(inner.get(key), dict):
            inner[key] = _with_variables(inner[key])
    if "prefixItems" in inner:
        inner["prefixItems"] = [_with_variables(part) for part in inner["prefixItems"]]
    described: dict[str, Any] = {"description": inner.pop("description")} if "description" in inner else {}
    if inner.get("type") in ("object", "array"):  # no type of variable holds one
        return {**described, **inner}
    return {**described, "anyOf": [inner, {"type": "string", "pattern": r"^\$[A-Za-z_][A-Za-z0-9_]*$"}]}
