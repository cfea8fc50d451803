"""Find the data that a plan will fetch through the catalogue, with values of variables and items of ``for_each``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from helio.pipelines.template.context import Context
from helio.pipelines.template.maps import items_of_map
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import TOKEN, Path
from helio.sources.registry import is_catalogued

MOST_VALUES = 1000
"""Maximum number of values of one argument that are checked."""


@dataclass(frozen=True)
class Text:
    """A text in a plan, and the path where the author of the template wrote it."""

    value: str
    path: Path


@dataclass(frozen=True)
class CatalogueRequest:
    """Request for one parameter of one dataset of the catalogue.

    Parameters
    ----------
    dataset, parameter : Text
    named : bool
        Whether the archive is named, by the run or by the step; otherwise the catalogue chooses.
    step : Step
    """

    dataset: Text
    parameter: Text | None
    named: bool
    step: Step


def catalogue_requests(template: Template, context: Context) -> Iterator[CatalogueRequest]:
    """Find each parameter that a run will fetch through the catalogue, as far as it is known before the run.

    An archive of one's own, or another provider, decides for itself what it has.
    """
    if context.archive and not is_catalogued(context.archive):
        return
    for step in template.walk():
        at = (*step.path, "tool_args")
        values = _values(template, step, context) if step.choices else {}
        for choice in step.choices:
            elsewhere = choice.provider and not context.archive and not is_catalogued(choice.provider)
            if elsewhere or not choice.dataset_id:
                continue
            named = bool(context.archive or choice.provider)
            pairs = zip(choice.parameters, choice.parameter_paths, strict=True)
            texts: list[Text | None] = [Text(name, (*at, *path)) for name, path in pairs if name]
            for parameter in texts or [None]:
                for part in _written(Text(choice.dataset_id, (*at, *choice.path)), values):
                    for other in _written(parameter, values) if parameter else (None,):
                        yield CatalogueRequest(part, other, named, step)


def _values(template: Template, step: Step, context: Context) -> dict[str, list[Text]]:
    """Return the values of each variable of a fetch: the run's value, the default, or the items of a ``for_each``."""
    found: dict[str, list[Text]] = {}
    texts = [text for choice in step.choices for text in (choice.dataset_id, *choice.parameters)]
    used = {name for text in texts for name in TOKEN.findall(text)}
    for name, facts in template.variables.items():
        if name not in used:
            continue
        given = context.values.get(name, facts.default)
        path = ("variables", name) if name in context.values else ("variables", name, "default")
        if isinstance(given, str):
            found[name] = [Text(given, path)]
    for loop in step.maps:
        items = items_of_map(loop, context) or []
        own = loop is step.for_each
        home = (*(step.path if own else step.path[:2]), "for_each", "over")
        found[loop.name] = [
            Text(item, home if loop.items is None else (*home, number))
            for number, item in enumerate(items)
            if isinstance(item, str)
        ]
    return found


def _written(text: Text, values: dict[str, list[Text]]) -> Iterator[Text]:
    """Yield a text with each combination of values of its variables; yield nothing while a value is unknown."""
    names = list(dict.fromkeys(TOKEN.findall(text.value)))
    if not names:
        yield text
        return
    for chosen in islice(product(*(values.get(name, ()) for name in names)), MOST_VALUES):
        by_name = dict(zip(names, chosen, strict=True))
        path = by_name[text.value].path if text.value in by_name else text.path
        yield Text(TOKEN.sub(lambda found, by_name=by_name: by_name[found[0]].value, text.value), path)  # type: ignore[misc]
