"""Reads the signatures of all tools from their code; ``python -m helio.steps.write_signatures`` ships them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from helio.steps import TOOLS, load_tool
from helio.steps.signature import SHIPPED, Argument, Signature, TableInput
from helio.steps.tool import signature_of


def read_from_code() -> dict[str, Signature]:
    """Every tool by name, from the functions themselves and the spellings that passes lower to them."""
    found = {name: signature_of(load_tool(name)) for name in TOOLS}
    spec = found["render_spec"].argument("spec")
    assert spec is not None
    keys: dict[str, Any] = spec.schema["properties"]
    found["plot_data"] = Signature(
        name="plot_data",
        version=found["render_spec"].version,
        summary="Draw tables as a figure; lowered to render_spec together with its style_plot steps.",
        gives="figure",
        tables=(TableInput("tables", "labels", many=True, also=("panels",)),),
        arguments=tuple(Argument(key, schema, required=False) for key, schema in keys.items()),
        runs=False,
    )
    found["style_plot"] = Signature(
        name="style_plot",
        version=found["render_spec"].version,
        summary="Declare how a figure looks; lowered into the render_spec of the plot it depends on.",
        gives="figure",
        arguments=tuple(
            Argument(key, schema, required=False)
            for key, schema in keys.items()
            if key not in ("labels", "panels")
        ),
        runs=False,
    )
    found["manage_plot"] = Signature(
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
    )
    return found


def as_text(found: Mapping[str, Signature]) -> str:
    """The shipped file's content."""
    written = {name: one.to_json() for name, one in sorted(found.items())}
    return json.dumps(written, indent=1, ensure_ascii=False, default=list) + "\n"


if __name__ == "__main__":
    SHIPPED.write_text(as_text(read_from_code()), encoding="utf-8")
