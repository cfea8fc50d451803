"""Who serves each fetch."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document
from helio.sources.archives import SERVED

PROVIDERS = SERVED
"""Providers that a step may name itself."""


def check_providers(plan: Document, context: Context) -> Iterator[Finding]:
    """Refuse a fetch for which nobody is named; the samples are used only when they are.

    An archive named for the run serves every fetch. A step, and each of its candidates, may name a provider of
    `PROVIDERS`; a folder is never opened because a template says so.
    """
    for index, step in enumerate(plan["steps"]):
        if context.signatures[step["tool_name"]].gives != "tables" or context.archive:
            continue
        args, at = step["tool_args"], pointer("steps", index, "tool_args")
        named = [(args.get("provider", ""), f"{at}/provider")]
        if args.get("candidates"):
            named = [
                (one.get("provider", named[0][0]), f"{at}/candidates/{number}/provider")
                if isinstance(one, dict)
                else named[0]
                for number, one in enumerate(args["candidates"])
            ]
        for provider, place in dict.fromkeys(named):
            if provider in PROVIDERS:
                continue
            yield Diagnostic(
                "HS102" if provider else "HS101",
                f"no provider is called '{provider}'" if provider else "nobody is named to serve the data",
                step_id=step["step_id"],
                tool_name=step["tool_name"],
                path=place,
                advice=(f"--archive DIR for a folder of CDF files, or a provider: {', '.join(PROVIDERS)}",)
                if provider
                else ("--archive DIR for a folder of CDF files, --archive cdaweb, or --archive sample",),
            )
