"""Who serves each fetch."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document

PROVIDERS = ("sample",)
"""Providers that a step may name itself."""


def check_providers(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a fetch for which nobody is named; the samples are used only when they are."""
    for index, step in enumerate(plan["steps"]):
        signature = context.signatures[step["tool_name"]]
        if signature.gives == "tables":
            named = step["tool_args"].get("provider") or context.archive
            at = pointer("steps", index, "tool_args", "provider")
            if not named:
                yield Diagnostic(
                    "HS101",
                    "nobody is named to serve the data",
                    step_id=step["step_id"],
                    tool_name=signature.name,
                    path=at,
                    advice=(
                        "--archive DIR for a folder of CDF files, --archive sample for the embedded samples",
                    ),
                )
            elif not context.archive and named not in PROVIDERS:
                yield Diagnostic(
                    "HS102",
                    f"no provider is called '{named}'",
                    step_id=step["step_id"],
                    tool_name=signature.name,
                    path=at,
                    advice=(f"providers: {', '.join(PROVIDERS)}; or --archive DIR",),
                )
