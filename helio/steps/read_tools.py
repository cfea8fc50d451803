"""Read the signatures of all tools from their code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from helio.steps.signature import Argument, Signature, TableInput
from helio.steps.signature_cache import CODE
from helio.steps.tool import signature_of


def read_from_code() -> dict[str, Signature]:
    """Return the signature of every tool by its name, and of names such as ``plot_data`` that helio replaces."""
    signatures = {
        name: signature_of(getattr(import_module(module), name)) for name, module in _tool_modules()
    }
    spec = signatures["render_spec"].argument("spec")
    assert spec is not None
    keys: dict[str, Any] = spec.schema["properties"]
    drawn = tuple(path.removeprefix("spec.") for path in signatures["render_spec"].tables[0].also)
    of_tables = {"labels", *(path.partition(".")[0] for path in drawn)} - {
        "vlines"
    }  # most lines stand at a time
    signatures["plot_data"] = Signature(
        name="plot_data",
        version=signatures["render_spec"].version,
        summary="Draw tables as a figure; helio turns the step and its style_plot steps into one "
        "render_spec step.",
        gives="figure",
        tables=(TableInput("tables", "labels", many=True, also=drawn),),
        arguments=tuple(Argument(key, schema, required=False) for key, schema in keys.items()),
        runs=False,
        synonyms=("plot", "make_plot", "create_plot", "draw_plot", "plot_timeseries"),
        example=_step(2, "plot_data", {"labels": ["B"], "title": "Magnetic field"}),
    )
    signatures["style_plot"] = Signature(
        name="style_plot",
        version=signatures["render_spec"].version,
        summary="Set how a figure looks; helio adds the style to the render_spec step of the plot that "
        "it depends on.",
        gives="figure",
        arguments=tuple(
            Argument(key, schema, required=False) for key, schema in keys.items() if key not in of_tables
        ),
        runs=False,
        synonyms=("style", "style_figure", "set_style"),
        example=_step(3, "style_plot", {"y_label": "B [nT]", "palette": "okabe-ito"}, depends_on=[2]),
    )
    signatures["manage_plot"] = Signature(
        name="manage_plot",
        version=1,
        summary="Write a figure to one more file.",
        gives="figure",
        arguments=(
            Argument("action", {"enum": ["export"]}, required=True),
            Argument("filename", keys["filename"], required=False),
            Argument("format", {"enum": ["html", "json", "png", "pdf", "svg"]}, required=False),
        ),
        runs=False,
        synonyms=("manage_figure",),
        example=_step(4, "manage_plot", {"action": "export", "filename": "field.png"}, depends_on=[2]),
    )
    return dict(sorted(signatures.items()))


def _step(step_id: int, tool: str, args: dict[str, Any], **more: Any) -> str:
    """Write a step of a template as JSON, for use as an example."""
    return json.dumps({"step_id": step_id, "tool_name": tool, "tool_args": args, **more})


def _tool_modules() -> Iterator[tuple[str, str]]:
    """Yield the name and module of each tool: a file with a function of the same name that ``@tool`` marks."""
    for path in sorted(CODE.rglob("*.py")):
        if re.search(
            rf"^@tool\(.*?^def {re.escape(path.stem)}\(",
            path.read_text(encoding="utf-8"),
            re.DOTALL | re.MULTILINE,
        ):
            module = path.relative_to(CODE.parent.parent).with_suffix("")
            yield path.stem, ".".join(module.parts)
