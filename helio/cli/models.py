"""Commands that list the providers of language models, and ask a model whether it answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from helio.cli.app import Json, app, current_settings, errors_as_text, print_json, say
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.authoring.models.model import ModelAnswer
    from helio.settings import Settings

models_app = typer.Typer(
    cls=Commands,
    help="List the providers of language models, or test a model.",
    rich_markup_mode=None,
)
app.add_typer(models_app, name="models")


@models_app.callback(invoke_without_command=True)
def list_models(context: typer.Context, as_json: Json = False) -> None:
    """List the providers of language models: which client is installed, and which key is set.

    To choose a model: export HELIO_MODEL=PROVIDER/NAME
    """
    if context.invoked_subcommand is None:
        _list_providers(as_json)


@models_app.command("list")
def list_names(
    provider: Annotated[
        str,
        typer.Argument(
            help="Provider whose models to list, such as ollama. Default: the providers.", metavar="PROVIDER"
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List the providers as `helio models` does, or the names of the models that a provider has; this costs nothing."""
    if not provider:
        _list_providers(as_json)
        return
    with errors_as_text(as_json):
        from helio.authoring.models.providers import client_of, provider_called

        owner, _ = provider_called(f"{provider}/any")
        client = client_of(current_settings(), owner, {"fast": "any"}, timeout=60.0)
        try:
            names = [f"{owner.name}/{name}" for name in client.models()]
        finally:
            client.close()
        if as_json:
            print_json({"models": names})
            return
        for name in names:
            say(" ".join(name.split()))


def _list_providers(as_json: bool) -> None:
    with errors_as_text(as_json):
        from helio.authoring.models.providers import PROVIDERS, is_wanted
        from helio.authoring.models.scrub import scrub_of

        settings = current_settings()
        scrub = scrub_of(settings)
        rows = [
            {
                "provider": provider.name,
                "client": provider.package,
                "installed": provider.is_installed,
                "key": "not needed"
                if provider.is_local and not settings.model_keys.get(provider.name)
                else "set"
                if settings.model_keys.get(provider.name)
                else "not set",
                "variables": list(provider.keys),
                "url": scrub(settings.model_urls.get(provider.name) or provider.url),
            }
            for provider in PROVIDERS.values()
        ]
        uses = {
            "planning": settings.model_smart,
            "other questions": settings.model_fast,
            "fallback": settings.model_fallback or "none",
        }
        if as_json:
            print_json({"providers": rows, "models": uses})
            return
        say(f"{'provider':<10} {'client':<30} {'key':<14} address")
        for row in rows:
            client = f"{row['client']} {'is installed' if row['installed'] else 'is not installed'}"
            key = "no key needed" if row["key"] == "not needed" else f"key {row['key']}"
            say(f"{row['provider']:<10} {client:<30} {key:<14} {row['url']}")
        for use, name in uses.items():
            say(f"model for {use}: {name}")
        if not is_wanted(settings):
            say("no model writes: no key is set and no model is named, so the rules answer requests")


@models_app.command("test")
def ask_model(
    model: Annotated[
        str,
        typer.Argument(
            help="Model as PROVIDER/NAME, such as ollama/qwen3:8b. Default: the model for planning.",
            metavar="PROVIDER/NAME",
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Ask a model one tiny question, and print the time and the tokens that its answer took."""
    with errors_as_text(as_json):
        settings = current_settings()
        began = time.monotonic()
        answer = _asked(settings, model or settings.model_smart)
        seconds = time.monotonic() - began
        if as_json:
            usage = {
                "asked": answer.usage.prompt,
                "answered": answer.usage.candidates + answer.usage.thoughts,
            }
            print_json({"model": answer.model, "seconds": round(seconds, 2), "tokens": usage})
            return
        say(
            f"{' '.join(answer.model.split())} answers: {seconds:.1f} s, {answer.usage.prompt} tokens asked, "
            f"{answer.usage.candidates + answer.usage.thoughts} answered"
        )


def _asked(settings: Settings, model: str) -> ModelAnswer:
    from helio.authoring.models.model import Ask, UserTurn
    from helio.authoring.models.providers import client_of, provider_called

    provider, name = provider_called(model)
    client = client_of(settings, provider, {"fast": name}, timeout=60.0)
    try:
        return client.ask(Ask("fast", "", (UserTurn("Answer with the word yes."),), max_tokens=1024))
    finally:
        client.close()
