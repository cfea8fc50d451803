"""Recipes: everything that determines an output of a step. Outputs with equal recipes have the same key in the store.

A recipe is JSON and contains only what can change the result: the tool and its version, the arguments without labels,
and the content of the inputs. Ids, intents, critical flags and the order of keys are not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from helio.errors import NoData, NotYetPublished, UnknownDataset
from helio.pipelines.analyses.work import Recipe, canonical_args, fetch_recipe, work_recipe
from helio.pipelines.plan import PlannedStep
from helio.sources.provider import Providers
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import Signature
from helio.store.source_file import SourceFile
from helio.store.work_keys import key_of
from helio.time_range import Duration


@dataclass(frozen=True)
class Input:
    """One input table of a step: its content and its sources."""

    label: str
    digest: str
    component: str = ""
    sources: tuple[SourceFile, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes about the table, which files and figures made from it show."""
    absent: str = ""
    """Why the table of a figure does not exist; then it has no digest."""


@dataclass(frozen=True)
class PlannedOutput:
    """One output of a step, with its recipe: everything that determines the output."""

    slot: str
    """Label of a table; empty for a figure or an export."""
    recipe: Recipe

    @cached_property
    def key(self) -> str:
        """Key under which the store keeps the output."""
        return key_of(self.recipe)


def recipe_of_inputs(
    step: PlannedStep, signature: Signature, inputs: Mapping[str, tuple[Input, ...]]
) -> PlannedOutput:
    """Make the recipe of a computation, a figure or an export: its tool, arguments and input tables.

    Parameters
    ----------
    inputs : mapping
        Input tables, by the tool's parameter.
    """
    made_from: dict[str, Any] = {}
    for parameter, tables in inputs.items():
        made_of = [_ingredient(table, signature.gives) for table in tables]
        # A figure finds its tables by label; an export names them by label, in order; other tools only have an order.
        if signature.gives == "figure":
            made_from[parameter] = {
                table.label: ingredient for table, ingredient in zip(tables, made_of, strict=True)
            }
        elif any(table.parameter == parameter and table.by_label for table in signature.tables):
            made_from[parameter] = [
                {**ingredient, "label": table.label}
                for table, ingredient in zip(tables, made_of, strict=True)
            ]
        else:
            made_from[parameter] = made_of
    recipe = work_recipe(signature, canonical_args(signature, step.args), made_from)
    return PlannedOutput(step.produces[0] if step.produces else "", recipe)


def recipes_of_fetch(step: PlannedStep, providers: Providers) -> list[PlannedOutput]:
    """Make the recipe of each parameter of a fetch: dataset, time range, and the identity of the files to read.

    A candidate without files is part of the recipe too: a later run may choose it when it has files.
    """
    time_range = step.time_ranges["time_range"]
    choices = choices_of(step.args)
    by_slot: dict[str, list[Recipe]] = {}
    for choice in choices:
        provider = providers.choose(choice.provider)
        try:
            files: Any = [
                [file.file, file.identity] for file in provider.locate(choice.dataset_id, time_range)
            ]
        except (UnknownDataset, NoData, NotYetPublished) as error:
            if len(choices) == 1:
                raise
            files = f"none: {type(error).__name__}"
        for parameter in choice.parameters:
            slot = step.produces[0] if len(step.produces) == 1 else f"{choice.dataset_id}.{parameter}"
            by_slot.setdefault(slot, []).append(
                {
                    "dataset": choice.dataset_id,
                    "parameter": parameter,
                    "provider": provider.name,
                    "files": files,
                }
            )
    # do not use tables from before leap seconds were stored in the present form
    counted: Recipe = {"leap_seconds": time_range.leap_seconds} if time_range.leap_seconds else {}
    if step.args.get("each_interval"):  # a table with gaps is no use for a step that allows none
        counted["each_interval"] = str(Duration(step.args["each_interval"]))
    return [
        PlannedOutput(
            slot, fetch_recipe(step.tool_name, step.tool_version, time_range.as_iso(), listed) | counted
        )
        for slot, listed in by_slot.items()
    ]


def _ingredient(table: Input, gives: str) -> Recipe:
    if table.absent:
        return {"absent": table.absent}
    recipe: Recipe = {"digest": table.digest}
    if table.component:
        recipe["component"] = table.component
    if gives == "figure":
        # A figure cites its sources.
        recipe["cites"] = [
            [source.dataset_id, source.version, source.provider, source.preliminary]
            for source in table.sources
        ]
    elif gives == "export":
        recipe["sources"] = [source.cited() for source in table.sources]
    if table.notes:
        recipe["notes"] = list(table.notes)
    return recipe
