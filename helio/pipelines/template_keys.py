"""Explain the keys of a template, of its steps and of a figure, from the JSON Schema of templates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from helio.pipelines.template.schema import STRUCTURE
from helio.steps.schema_words import type_words
from helio.steps.signature import Schema, Signature, signatures
from helio.steps.tool_page import WIDTH, example_step, wrapped

_MOST_TOOLS = 6
_LONGEST_EXAMPLE = 200
_ARGUMENTS = "steps[].tool_args"
EXAMPLE: dict[str, Any] = {
    "$schema": "helio-template-1.schema.json",
    "schema_version": 1,
    "id": "l1-field",
    "name": "Magnetic field at L1",
    "description": "The field of two spacecraft, day by day.",
    "artifact": "figure",
    "variables": {
        "$TIME_RANGE": {"type": "time_range", "default": "last 7 days", "description": "What is drawn."},
        "$SPACECRAFT": {"type": "enum", "choices": ["ACE", "Wind"], "required": True},
        "$DAY": {"type": "interval", "of": "$TIME_RANGE", "step": "1d"},
        "$CUTOFF": {"type": "number", "minimum": 0, "maximum": 0.5, "default": 0.01},
    },
    "steps": [
        {
            "step_id": "field",
            "tool_name": "fetch_data",
            "tool_args": {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "$DAY"},
            "intent": "Hourly magnetic field",
            "produces": ["AC_H2_MFI.BGSEc"],
            "for_each": {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}},
            "collect": "concat",
            "on_item_error": "keep_partial",
        },
        {
            "step_id": "parts",
            "for_each": {"as": "$PART", "over": {"components_of": "AC_H2_MFI.BGSEc"}},
            "block": [
                {
                    "step_id": "smooth",
                    "tool_name": "running_average",
                    "tool_args": {"source_label": "$PART", "window": "1h", "output_label": "smooth"},
                }
            ],
        },
        {
            "step_id": "every-parameter",
            "tool_name": "fetch_data",
            "tool_args": {
                "dataset_id": "AC_H2_MFI",
                "parameter_id": "$PARAMETER",
                "time_range": "2024-05-10",
            },
            "for_each": {"as": "$PARAMETER", "over": {"parameters_of": "AC_H2_MFI"}},
            "loop_over": ["BGSEc", "Magnitude"],
            "critical": False,
            "retries": 3,
            "retry_delay": "30s",
            "pin": ["time_range"],
        },
        {
            "step_id": "density",
            "tool_name": "fetch_data",
            "tool_args": {
                "candidates": [
                    {"dataset_id": "AC_H0_SWE", "parameter_id": "Np", "provider": "cdaweb"},
                    {"dataset_id": "WI_H1_SWE", "parameter_id": "Proton_Np_nonlin"},
                ],
                "provider": "cdaweb",
                "time_range": "$TIME_RANGE",
                "each_interval": "1d",
                "output_label": "density",
            },
        },
        {"step_id": "wind", "use": "omni-solar-wind", "with": {"TIME_RANGE": "$TIME_RANGE"}},
        {
            "step_id": "figure",
            "tool_name": "render_spec",
            "tool_args": {
                "spec": {
                    "labels": ["AC_H2_MFI.BGSEc", "power"],
                    "panels": [["AC_H2_MFI.BGSEc"], ["power"]],
                    "categories": {"region": {"0": "solar wind", "1": "magnetosheath"}},
                    "right": ["AC_H0_SWE.Np"],
                    "bands": [{"line": "AC_H0_SWE.Np", "sigma": "Np_error", "bars": False}],
                    "panel_types": ["line", "spectrum"],
                    "ephemeris": ["density"],
                    "panel_letters": True,
                    "xy": [
                        {
                            "type": "hodogram",
                            "x": "AC_H2_MFI.BGSEc.By",
                            "y": "AC_H2_MFI.BGSEc.Bz",
                            "color_by": "time",
                            "mode": "lines",
                            "between": ["2024-05-10T17:00", "2024-05-10T18:00"],
                            "equal_axes": True,
                            "mark_ends": False,
                            "x_range": [-50, 50],
                            "y_range": [-50, 50],
                        },
                        {
                            "x": "density",
                            "y": "AC_H2_MFI.BGSEc.Bx",
                            "color": "grey",
                            "fit": "linear",
                            "log_x": True,
                            "log_y": False,
                            "x_label": "n [cm⁻³]",
                            "y_label": "B_x [nT]",
                        },
                        {"x": "density", "y": "AC_H2_MFI.BGSEc.Bx", "color_by": "density", "log_color": True},
                        {"type": "density", "x": "density", "y": "AC_H2_MFI.BGSEc.Bx", "bins": 50},
                    ],
                    "histograms": [
                        {
                            "of": ["AC_H2_MFI.BGSEc.Bx", "AC_H2_MFI.BGSEc.By"],
                            "bins": 40,
                            "show": "density",
                            "between": ["2024-05-10T17:00", "2024-05-10T18:00"],
                            "x_range": [-50, 50],
                            "y_range": [0, 0.1],
                            "x_label": "B [nT]",
                            "y_label": "density [1/nT]",
                        },
                        {"of": "density", "bins": [1, 2, 5, 10, 20, 50], "log_x": True, "log_y": True},
                        {"of": "density", "bin_width": 2.5},
                        {"of": "cone", "polar": True, "zero": "top", "clockwise": True},
                    ],
                    "orbits": [
                        {
                            "of": "MMS1.position",
                            "plane": "xz",
                            "sun": "left",
                            "unit": "R_E",
                            "magnetopause": True,
                            "bow_shock": False,
                            "pressure": 2.5,
                            "bz": -5,
                            "mach": 6,
                            "color_by": "time",
                            "time_marks": True,
                            "between": ["2024-05-10T00:00", "2024-05-11T00:00"],
                            "x_range": [-20, 20],
                            "y_range": [-20, 20],
                            "x_label": "X [R_E]",
                            "y_label": "Z [R_E]",
                        }
                    ],
                    "title": "ACE, {start} to {stop}",
                    "subtitle": "Hourly means",
                    "filename": "ace_{start}.png",
                    "formats": ["html", "pdf"],
                    "points": "all",
                    "x_label": "UT",
                    "bin_label": "Frequency [Hz]",
                    "y_label": {"1": "B GSE [nT]"},
                    "trace_names": {"AC_H2_MFI.BGSEc.Bx": "radial"},
                    "trace_colors": {"AC_H2_MFI.BGSEc.Bx": "red"},
                    "line_styles": {
                        "AC_H2_MFI.BGSEc.Bx": {"width": 2, "dash": "dot", "mode": "lines"},
                        "cone": {"fill_to": "top", "fill_hatched": True, "fill_color": "white"},
                        "flares": {"mode": "markers", "point_names": "flares"},
                    },
                    "palette": "okabe-ito",
                    "log_scale": {"1": "symlog", "2": "log"},
                    "linthresh": {"1": 5},
                    "log_y": {"2": True},
                    "log_x": {"2": False},
                    "log_z": True,
                    "x_range": ["2024-05-10T12:00", "2024-05-11T12:00"],
                    "bin_range": {"2": [0.0001, 0.1]},
                    "y_range": {"1": [-50, 50]},
                    "z_min": 0.1,
                    "z_max": {"2": 1000},
                    "colorscale": "viridis",
                    "gap_factor": 3,
                    "show_zero_line": True,
                    "vlines": [
                        {
                            "x": "2024-05-10T17:05",
                            "label": "shock",
                            "color": "red",
                            "dash": "dash",
                            "width": 2,
                        },
                        {"x": 0.01, "panel": 2},
                        {"of": "f_ci", "panel": 2},
                    ],
                    "vrects": [
                        {
                            "x0": "2024-05-10T17:05",
                            "x1": "2024-05-11T02:00",
                            "label": "main phase",
                            "color": "orange",
                            "opacity": 0.2,
                        }
                    ],
                    "events": [
                        {
                            "of": "storms",
                            "label": "storm",
                            "by": "minima",
                            "levels": "storms",
                            "color": "orange",
                            "opacity": 0.2,
                        },
                        {"of": "phase", "names": {"1": "main phase"}},
                    ],
                    "hlines": [
                        {"y": -50, "panel": 1, "label": "storm", "color": "red", "dash": "dot", "width": 2},
                        {"levels": "storms", "panel": 1, "shaded": True, "box": True},
                    ],
                    "slopes": [
                        "-5/3",
                        {
                            "slope": -2.8,
                            "panel": 2,
                            "x0": 0.01,
                            "x1": 0.1,
                            "y": 20,
                            "label": "k^-2.8",
                            "color": "grey",
                        },
                    ],
                    "annotations": [
                        {
                            "text": "shock",
                            "x": "2024-05-10T17:05",
                            "y": 40,
                            "panel": 1,
                            "showarrow": True,
                            "color": "black",
                        }
                    ],
                    "legend": True,
                    "footer": False,
                    "theme": "simple_white",
                    "font_size": 16,
                    "canvas_size": {"width": 1200, "height": 800},
                    "row_heights": [2, 1],
                    "columns": 1,
                    "column_titles": ["ACE"],
                    "share_y": False,
                },
                "time_range": "$TIME_RANGE",
                "caption": "ACE MFI",
            },
            "depends_on": ["field"],
            "annotations": {"note": "for the report"},
        },
    ],
    "annotations": {"asked": "the field at L1"},
    "created_at": "2024-05-12T08:00:00Z",
    "updated_at": "2024-05-12T09:00:00Z",
    "source_session": "l1",
}
"""Template that uses every key; the examples of keys come from it."""


@dataclass
class Key:
    """A key of a template, of a step or of a figure, in one of its meanings.

    Parameters
    ----------
    schema : dict
        What it may hold.
    default : object
        Its value when it is left out; None where the schema states none.
    example : object
        A value that a template or the page of the tool has; None for an argument that none of them has.
    places : dict
        The object that has it, as ``"steps[].for_each"``, with the tools that take it there; none for a key of
        every template.
    """

    name: str
    schema: Schema
    required: bool
    default: Any = None
    example: Any = None
    places: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Write the text that `helio explain` prints, with at most `width` characters in a line."""
        return "\n".join(self._lines(width))

    @property
    def values(self) -> tuple[Any, ...]:
        """The values that the key allows, if it allows only some texts."""
        options = (self.schema, *self.schema.get("anyOf", ()))
        return tuple(value for option in options for value in option.get("enum", ()))

    @property
    def inner(self) -> tuple[str, ...]:
        """The keys of the object that is the value of this key."""
        return tuple(
            dict.fromkeys(
                name
                for name, location, *_ in _members(self.schema, "")
                if re.fullmatch(r"(\[\]|\.NAME)*", location)
            )
        )

    def _lines(self, width: int) -> Iterator[str]:
        kind = f"{self.name}: {type_words(self.schema)}{', required' if self.required else ''}"
        yield from wrapped(kind, indent=0, hang=4, width=width)
        yield from wrapped(self.schema.get("description", ""), indent=2, width=width)
        facts = {"in": "; ".join(_place_words(location, tools) for location, tools in self.places.items())}
        if self.inner:
            facts["keys"] = ", ".join(self.inner)
        if self.default not in (None, "", []):
            facts["default"] = json.dumps(self.default, ensure_ascii=False)
        if self.example is not None:
            facts["example"] = f"{json.dumps(self.name)}: {json.dumps(self.example, ensure_ascii=False)}"
        for name, fact in facts.items():
            yield from wrapped(f"{name:<8} {fact}", indent=2, hang=11, width=width)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for ``--json``."""
        return {
            "key": self.name,
            "type": type_words(self.schema),
            "description": self.schema.get("description", ""),
            "places": self.places,
            "keys": list(self.inner),
            "required": self.required,
            "default": self.default,
            "example": self.example,
        }


@cache
def keys() -> Mapping[str, tuple[Key, ...]]:
    """Return every key by name; a name with several meanings has several keys.

    >>> [key.default for key in keys()["critical"]]
    [True]
    """
    meanings: dict[tuple[str, str], Key] = {}
    for name, location, schema, required in _members(STRUCTURE, ""):
        _note(meanings, Key(name, schema, required, schema.get("default")), location)
    for tool in signatures().values():
        for name, location, schema, required in _members(tool.schema(), _ARGUMENTS) if tool.runs else ():
            argument = tool.argument(name) if location == _ARGUMENTS else None
            default = argument.default if argument else schema.get("default")
            _note(meanings, Key(name, schema, required, default), location, tool)
    found: dict[str, list[Key]] = {}
    for key in meanings.values():
        found.setdefault(key.name, []).append(key)
    examples = _examples()
    for key in meanings.values():
        known = [
            examples[location, key.name, tool]
            for location, tools in key.places.items()
            for tool in tools or [""]
            if (location, key.name, tool) in examples
        ]
        key.example = known[0] if known else None
    return {name: tuple(same_name) for name, same_name in sorted(found.items())}


def _note(meanings: dict[tuple[str, str], Key], key: Key, place: str, tool: Signature | None = None) -> None:
    """Add a place to the key with the same meaning."""
    meaning = json.dumps([key.schema, key.required, key.default], sort_keys=True, default=list)
    tools = meanings.setdefault((key.name, meaning), key).places.setdefault(place, [])
    if tool is not None:
        tools.append(tool.name)


def _members(schema: Schema, place: str) -> Iterator[tuple[str, str, Schema, bool]]:
    """Yield each key in a schema: its name, the place of its object, its schema, and whether it is required."""
    for name, part in schema.get("properties", {}).items():
        yield name, place, part, name in schema.get("required", ())
        yield from _members(part, f"{place}.{name}".removeprefix("."))
    for inner, inner_place in _inner(schema, place):
        yield from _members(inner, inner_place)


def _inner(schema: Schema, place: str) -> Iterator[tuple[Schema, str]]:
    """Yield the schemas of list items, of objects' values with any key, and of the alternatives for a value."""
    for option in schema.get("anyOf", ()):
        yield option, place
    for rule, mark in (("items", "[]"), ("additionalProperties", ".NAME")):
        if isinstance(schema.get(rule), dict):
            yield schema[rule], f"{place}{mark}"


def _examples() -> dict[tuple[str, str, str], Any]:
    """Return the first example value for each place, key and tool, from `EXAMPLE` and the pages of the tools."""
    found: dict[tuple[str, str, str], Any] = {}
    pages = [example_step(tool) for tool in signatures().values() if tool.runs]
    written = [(location, name, "", value) for location, name, value in _written(EXAMPLE, STRUCTURE, "")]
    for step in (*EXAMPLE["steps"], *pages):
        if "tool_name" in step:
            tool = signatures()[step["tool_name"]]
            values = _written(step["tool_args"], tool.schema(), _ARGUMENTS)
            written += [(location, name, tool.name, value) for location, name, value in values]
    for location, name, tool_name, value in written:
        found.setdefault((location, name, tool_name), _shortened(value))
    return found


def _written(value: Any, schema: Schema, place: str) -> Iterator[tuple[str, str, Any]]:
    """Yield each key in a value, with its place, its name and its own value."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, inner in value.items():
            if name in known:
                yield place, name, inner
                yield from _written(inner, known[name], f"{place}.{name}".removeprefix("."))
    for inner_schema, inner_place in _inner(schema, place):
        if inner_place == place:
            yield from _written(value, inner_schema, place)
        elif isinstance(value, list if inner_place.endswith("[]") else dict):
            for inner in value if isinstance(value, list) else value.values():
                yield from _written(inner, inner_schema, inner_place)


def _shortened(value: Any) -> Any:
    """Return a value as an example; if the value is too long, return only its first item or first two keys."""
    if len(json.dumps(value)) <= _LONGEST_EXAMPLE or not isinstance(value, (list, dict)):
        return value
    return value[:1] if isinstance(value, list) else dict([*value.items()][:2])


def _place_words(place: str, tools: list[str]) -> str:
    more = f" and {len(tools) - _MOST_TOOLS} more" if len(tools) > _MOST_TOOLS else ""
    of = f" of {', '.join(tools[:_MOST_TOOLS])}{more}" if tools else ""
    return f"{place or 'the template'}{of}"
