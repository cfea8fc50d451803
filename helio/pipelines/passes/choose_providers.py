"""Choose for each fetch the provider: the server or folder from which its data come.

HS101 (error)  no data provider was given, and the catalogue does not know the dataset
    helio never chooses a source silently.
    before  "dataset_id": "MY_EVENTS"
    after   refused: --archive DIR
    to do   Name the provider: --archive DIR, --archive NAME, or "provider" in the step. `helio datasets search`
            finds ids of CDAWeb.

HS102 (error)  unknown provider
    A template can name only a known provider. A folder is given with --archive.
    before  "provider": "/etc"
    after   refused
    to do   Use one of the providers that the message names; give a folder with --archive DIR.

HS103 (edit bind)  the provider that the catalogue names
    The plan always names the provider.
    before  "dataset_id": "AC_H2_MFI"
    after   "dataset_id": "AC_H2_MFI", "provider": "cdaweb"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from helio.errors import closest, did_you_mean
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.template import Step, Template
from helio.sources.registry import BY_CATALOGUE, choices, is_provider, known_datasets, names
from helio.steps.fetch.choices import Choice


def choose_providers(template: Template, context: Context) -> Iterator[Finding]:
    """Give each fetch without a provider the provider of the catalogue; change nothing if the run names an archive.

    ``"dataset_id": "AC_H2_MFI"`` → ``"dataset_id": "AC_H2_MFI", "provider": "cdaweb"``. An archive named for the run
    serves every fetch, whatever the steps say. A dataset that the catalogue of CDAWeb knows is served by CDAWeb; for
    any other one, and for the samples, a provider has to be named. A folder is never opened because a template says
    so, nor is an address asked. Which HAPI servers have a name is known to the run: the environment may add some.
    """
    if context.archive:
        return
    for step in template.steps:
        if not step.choices:
            continue
        wrong: list[Diagnostic] = []
        served = _served(step, context, wrong)
        for finding in dict.fromkeys(wrong):
            yield replace(finding, step_id=step.step_id, tool_name=step.tool_name)
        if served != step.tool_args and not wrong:
            yield Edit(
                "HS103",
                f"provider set to {BY_CATALOGUE}, because its catalogue has the dataset",
                changed(step, replace(step, tool_args=served)),
                step.step_id,
                kind="bind",
            )


def _served(step: Step, context: Context, wrong: list[Diagnostic]) -> Mapping[str, Any]:
    """Return a step's arguments with the provider of each dataset that the step may fetch, as far as known."""
    args = step.tool_args
    homes: list[Any] = []
    for choice, home in zip(step.choices, args.get("candidates") or [args], strict=True):
        whole = {"dataset_id": home} if isinstance(home, str) else home
        inherited = args.get("provider") and (home is args or "provider" not in whole)
        at = pointer(*step.path, "tool_args", *(("provider",) if inherited else choice.path[:2]))
        provider = _provider(choice, at, context, wrong)
        homes.append(home if provider == choice.provider else {**whole, "provider": provider})
    return {**args, "candidates": homes} if args.get("candidates") else homes[0]


def _provider(choice: Choice, path: str, context: Context, wrong: list[Diagnostic]) -> str:
    if is_provider(choice.provider):
        return choice.provider
    if choice.provider:
        wrong.append(_no_such_provider(choice.provider, path))
    elif choice.dataset_id and choice.dataset_id in context.catalogue:
        return BY_CATALOGUE
    else:
        wrong.append(_not_served(choice.dataset_id, path, context))
    return choice.provider


def _no_such_provider(named: str, path: str) -> Diagnostic:
    close = closest(named, names())
    return Diagnostic(
        "HS102",
        f"no provider is called '{named}'",
        path=path,
        advice=(
            *((did_you_mean(named, names()),) if close else ()),
            f"use --archive DIR for a folder of files, or one of these providers: {choices()}",
        ),
        candidates=close,
    )


def _not_served(dataset_id: str, path: str, context: Context) -> Diagnostic:
    message = f"no provider is given for '{dataset_id}', and CDAWeb's catalogue does not have it"
    elsewhere = known_datasets()
    if dataset_id in elsewhere:
        source = elsewhere[dataset_id]
        return Diagnostic(
            "HS101",
            message,
            path=path,
            advice=(f'set "provider": "{source}" in the step, or use --archive {source}',),
        )
    close = closest(dataset_id, [*context.catalogue, *elsewhere])
    advice = [f"did you mean {' or '.join(repr(guess) for guess in close)}?"] if close else []
    advice.append(f'set "provider" in the step ({choices()}), or use --archive DIR')
    return Diagnostic("HS101", message, path=path, advice=tuple(advice), candidates=close)
