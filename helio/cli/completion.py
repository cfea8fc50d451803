"""Complete words when the user presses TAB: pipelines, tools, codes, keys, runs, steps, labels, providers, formats.

A completion cannot show an error: if helio's home cannot be read, nothing is offered, and the command says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from helio.settings import Settings

Complete = Callable[[typer.Context], list[str]]


def _completing(names: Callable[[Settings, typer.Context], Iterable[str]]) -> Complete:
    """Return a function that typer calls to complete a word; typer keeps the names that begin with the typed text."""

    def complete(context: typer.Context) -> list[str]:
        from helio.errors import HelioError
        from helio.settings import settings_in_use

        try:
            return list(dict.fromkeys(names(settings_in_use(), context)))
        except HelioError:
            return []

    return complete


def _pipelines(settings: Settings, context: typer.Context) -> Iterator[str]:
    del context
    from helio.pipelines.library import Library

    return (entry.id for entry in Library(settings.templates).entries())


def _tools(settings: Settings, context: typer.Context) -> Iterable[str]:
    del settings, context
    from helio.steps.signature import signatures

    return signatures()


def _words(settings: Settings, context: typer.Context) -> Iterator[str]:
    """Yield the words that the command ``helio explain`` can explain."""
    from helio.pipelines.reference import names

    yield from names()
    yield from _runs(settings, context)


def _runs(settings: Settings, context: typer.Context) -> Iterator[str]:
    del context
    from helio.store.runs import LAST, Runs

    ids = Runs(settings.runs).ids()
    if ids:
        yield LAST
    yield from ids


def _steps(settings: Settings, context: typer.Context) -> Iterator[str]:
    from helio.store.runs import Runs

    for step in Runs(settings.runs).load(context.params["run_id"]).steps:
        yield str(step.get("step_id", ""))


def _labels(settings: Settings, context: typer.Context) -> Iterator[str]:
    from helio.store.runs import Runs

    for step in Runs(settings.runs).load(context.params["run_id"]).steps:
        for output in step.get("outputs", ()):
            if output.get("label"):
                yield output["label"]


def _providers(settings: Settings, context: typer.Context) -> Iterator[str]:
    del context
    from helio.sources.registry import every_server, families, names

    yield from names()
    for family in families():
        for server in every_server(family, settings.servers):
            yield f"{family}:{server}"


def _proposals(settings: Settings, context: typer.Context) -> Iterator[str]:
    del context
    return (path.stem for path in settings.proposals.glob("*.json"))


def _chats(settings: Settings, context: typer.Context) -> Iterator[str]:
    del context
    return (path.stem for path in settings.chats.glob("chat-*.jsonl"))


def _schedules(settings: Settings, context: typer.Context) -> Iterable[str]:
    del context
    from helio.flows.schedule import Schedules

    return Schedules(settings).names()


def _assignments(settings: Settings, context: typer.Context) -> Iterator[str]:
    """Yield a text such as ``WINDOW=`` for each variable of the pipeline that the command line names."""
    from helio.pipelines.library import Library

    # The parser leaves the arguments here when it meets --set without its value.
    if not context.args:
        return
    shelf = Library(settings.templates)
    for variable in shelf.read(shelf.find(context.args[-1])).get("variables") or {}:
        yield f"{variable.removeprefix('$')}="


def complete_formats(context: typer.Context, incomplete: str) -> list[str]:
    """Return the formats of figures that may follow the formats typed so far: ``png,pdf`` after ``png,``."""
    del context
    from typing import get_args

    from helio.pipelines.template.files import Format

    typed = incomplete.split(",")[:-1]
    return [
        ",".join((*typed, name))
        for name in get_args(Format)
        if name not in typed and name.startswith(incomplete.rpartition(",")[2])
    ]


complete_pipelines = _completing(_pipelines)
complete_schedules = _completing(_schedules)
complete_assignments = _completing(_assignments)
complete_tools = _completing(_tools)
complete_shown = _completing(
    lambda settings, context: (
        *_pipelines(settings, context),
        *_tools(settings, context),
        *_runs(settings, context),
    )
)
complete_previewed = _completing(
    lambda settings, context: (*_runs(settings, context), *_proposals(settings, context))
)
complete_chats = _completing(
    lambda settings, context: (*_pipelines(settings, context), *_chats(settings, context))
)
complete_words = _completing(_words)
complete_runs = _completing(_runs)
complete_steps = _completing(_steps)
complete_labels = _completing(_labels)
complete_providers = _completing(_providers)
complete_proposals = _completing(_proposals)
