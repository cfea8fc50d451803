"""Who serves each fetch.

HS101 (error)  no data provider was given, and the catalogue does not know the data set
    Data never come from somewhere silently.
    before  "dataset_id": "MY_EVENTS"
    after   refused: --archive DIR

HS102 (error)  no provider of that name
    A folder is never opened because a template says so.
    before  "provider": "/etc"
    after   refused

HS103 (edit bind)  the provider that the catalogue names
    Who served the data stands in the plan, whether it was named or not.
    before  "dataset_id": "AC_H2_MFI"
    after   "dataset_id": "AC_H2_MFI", "provider": "cdaweb"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from helio.errors import closest
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Context, Edit, Finding, changed
from helio.pipelines.template.template import Template
from helio.sources.registry import BY_CATALOGUE, choices, is_provider, known_datasets, names


def choose_providers(template: Template, context: Context) -> Iterator[Finding]:
    """Name the provider of each fetch: the archive of the run, else the step's own, else the catalogue's.

    ``"dataset_id": "AC_H2_MFI"`` → ``"dataset_id": "AC_H2_MFI", "provider": "cdaweb"``. An archive named for the run
    serves every fetch, whatever the steps say. A dataset that the catalogue of CDAWeb knows is served by CDAWeb; for
    any other one, and for the samples, a provider has to be named. A folder is never opened because a template says
    so, nor is an address asked. Which HAPI servers have a name is known to the run: the environment may add some.
    """
    if context.archive:
        return
    for step in template.steps:
        if context.signatures[step.tool_name].gives != "tables":
            continue
        args, at = step.tool_args, pointer(*step.path, "tool_args")
        wrong: list[Diagnostic] = []
        chosen = _chosen(args, at, context, wrong)
        for finding in dict.fromkeys(wrong):
            yield replace(finding, step_id=step.step_id, tool_name=step.tool_name)
        if chosen != args and not wrong:
            yield Edit(
                "HS103",
                f"served by {BY_CATALOGUE}, as the catalogue says",
                changed(step, replace(step, tool_args=chosen)),
                step.step_id,
                kind="bind",
            )


def _chosen(args: Mapping[str, Any], at: str, context: Context, wrong: list[Diagnostic]) -> Mapping[str, Any]:
    """The arguments with all providers named, as far as they can be."""
    named = args.get("provider", "")
    if not args.get("candidates"):
        place = f"{at}/{'provider' if named else 'dataset_id'}"
        provider = _provider(named, str(args.get("dataset_id", "")), place, context, wrong)
        return {**args, "provider": provider} if provider != named else args
    candidates: list[Any] = []
    for number, candidate in enumerate(args["candidates"]):
        own = candidate.get("provider", named) if isinstance(candidate, dict) else named
        dataset_id = candidate["dataset_id"] if isinstance(candidate, dict) else candidate
        its_own = isinstance(candidate, dict) and "provider" in candidate
        place = f"{at}/provider" if named and not its_own else f"{at}/candidates/{number}"
        provider = _provider(str(own), dataset_id, place, context, wrong)
        whole = candidate if isinstance(candidate, dict) else {"dataset_id": candidate}
        candidates.append({**whole, "provider": provider} if provider != own else candidate)
    return {**args, "candidates": candidates}


def _provider(named: str, dataset_id: str, place: str, context: Context, wrong: list[Diagnostic]) -> str:
    if is_provider(named):
        return named
    if named:
        wrong.append(_no_such_provider(named, place))
    elif dataset_id and dataset_id in context.catalogue:
        return BY_CATALOGUE
    else:
        wrong.append(_not_served(dataset_id, place, context))
    return named


def _no_such_provider(named: str, place: str) -> Diagnostic:
    return Diagnostic(
        "HS102",
        f"no provider is called '{named}'",
        path=place,
        advice=(f"--archive DIR for a folder of CDF files, or a provider: {choices()}",),
        candidates=closest(named, names()),
    )


def _not_served(dataset_id: str, place: str, context: Context) -> Diagnostic:
    message = f"nobody is named to serve '{dataset_id}', and the catalogue does not know it"
    elsewhere = known_datasets()
    if dataset_id in elsewhere:
        source = elsewhere[dataset_id]
        return Diagnostic(
            "HS101",
            message,
            path=place,
            advice=(f'"provider": "{source}" in the step, or --archive {source}',),
        )
    close = closest(dataset_id, [*context.catalogue, *elsewhere])
    advice = [f"did you mean {' or '.join(repr(guess) for guess in close)}?"] if close else []
    advice.append(f'name who serves it: "provider" in the step ({choices()}), or --archive DIR')
    return Diagnostic("HS101", message, path=place, advice=tuple(advice), candidates=close)
