"""List the providers of language models, and connect to the models that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from helio.authoring.models.model import Ask, Model, ModelAnswer, Role
from helio.errors import RequestError, did_you_mean
from helio.settings import MODEL_KEYS, Settings, Thinking, provider_of

if TYPE_CHECKING:
    from helio.authoring.models.official_client import OfficialClient


@dataclass(frozen=True)
class Provider:
    """A service or a program that answers questions with language models.

    Parameters
    ----------
    name : str
        As in ``PROVIDER/NAME``.
    title : str
        The name that people use.
    package : str
        Python package of the official client, which is an extra of helio of the same name, unless helio needs it.
    module : str
        Module of that package.
    url : str
        Address of the server, if the settings name no other.
    advice : str
        How to get a key, or how to start the server.
    is_local : bool
        Whether the server runs on the user's own machine, and needs no key.
    context : str
        How to start its server with a longer context.
    reads_pdf : bool
        Whether its models read PDFs; the others get their text.
    """

    name: str
    title: str
    package: str
    module: str
    url: str
    advice: str
    is_local: bool = False
    context: str = ""
    reads_pdf: bool = True

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the environment variables with the key."""
        return MODEL_KEYS[self.name]

    @property
    def is_installed(self) -> bool:
        """Return whether the provider's official client is installed."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:  # of the package around the module
            return False


_OPENAI = "openai"
PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "gemini",
            "Gemini",
            "google-genai",
            "google.genai",
            "https://generativelanguage.googleapis.com/",
            "set GEMINI_API_KEY; get a key at https://aistudio.google.com/apikey",
        ),
        Provider(
            "openai",
            "OpenAI",
            _OPENAI,
            _OPENAI,
            "https://api.openai.com/v1",
            "set OPENAI_API_KEY; get a key at https://platform.openai.com/api-keys",
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "anthropic",
            "anthropic",
            "https://api.anthropic.com",
            "set ANTHROPIC_API_KEY; get a key at https://platform.claude.com/settings/keys",
        ),
        Provider(
            "ollama",
            "Ollama",
            _OPENAI,
            _OPENAI,
            "http://127.0.0.1:11434/v1",
            "start the server with `ollama serve`, and get the model with `ollama pull NAME`",
            is_local=True,
            context="OLLAMA_CONTEXT_LENGTH=32768 ollama serve",
            reads_pdf=False,
        ),
        Provider(
            "vllm",
            "vLLM",
            _OPENAI,
            _OPENAI,
            "http://127.0.0.1:8000/v1",
            "start the server with `vllm serve NAME`",
            is_local=True,
            context="vllm serve NAME --max-model-len 32768",
            reads_pdf=False,
        ),
        Provider(
            "llamacpp",
            "llama.cpp",
            _OPENAI,
            _OPENAI,
            "http://127.0.0.1:8080/v1",
            "start the server with `llama-server --jinja -m FILE`",
            is_local=True,
            context="llama-server --jinja -c 32768 -m FILE",
            reads_pdf=False,
        ),
    )
}
"""All providers that helio knows; any other server with the interface of OpenAI is ``openai`` with an address."""


def provider_called(model: str) -> tuple[Provider, str]:
    """Return the provider of a language model, and the name that the provider knows the model by.

    Parameters
    ----------
    model : str
        ``"PROVIDER/NAME"``, or a name of Gemini.

    Raises
    ------
    RequestError
        helio does not know the provider, or the name is empty.
    """
    provider, name = provider_of(model)
    if not provider:
        raise RequestError(
            f"'{model}' does not say whose model it is",
            advice=f"write PROVIDER/NAME, such as openai/{name} or ollama/{name}; `helio models` lists the providers",
        )
    if provider not in PROVIDERS:
        names = ", ".join(PROVIDERS)
        raise RequestError(
            f"no provider of language models is called '{provider}'",
            advice=did_you_mean(
                provider,
                PROVIDERS,
                otherwise=f"write PROVIDER/NAME with one of {names}; `helio models` lists them",
                cutoff=0.7,
            ),
        )
    if not name.strip():
        raise RequestError(
            f"'{model}' names no model",
            advice=f"write {provider}/NAME with a model of {PROVIDERS[provider].title}",
        )
    return PROVIDERS[provider], name


def has_model(settings: Settings) -> bool:
    """Return whether a language model can be asked: its provider's key is set, or the provider needs none."""
    provider, _ = provider_called(settings.model_smart)
    return provider.is_local or bool(settings.model_keys.get(provider.name))


def is_wanted(settings: Settings) -> bool:
    """Return whether to ask a language model: the user has named one, or the model of Gemini has its key."""
    return has_model(settings) or settings.model_smart != Settings.model_smart


def is_small(settings: Settings) -> bool:
    """Return whether the model that writes is small: as the settings say, otherwise if it is local."""
    provider, _ = provider_called(settings.model_smart)
    return settings.model_size == "small" if settings.model_size else provider.is_local


def client_of(
    settings: Settings, provider: Provider, names: Mapping[Role, str], *, timeout: float = 300.0
) -> OfficialClient:
    """Make the client of a provider; the package of the official client is imported with the first question.

    Raises
    ------
    NoKey, WrongKey
    RequestError
        The official client is not installed.
    """
    if not provider.is_installed:
        raise RequestError(
            f"the Python package {provider.package} is not installed, which helio needs for {provider.title}",
            advice=f"install helio with it: pip install 'helio-pipelines[{provider.package}]'",
        )
    key, url = settings.model_keys.get(provider.name, ""), settings.model_urls.get(provider.name, "")
    writing, search = settings.model_thinking
    thinking: dict[Role, Thinking] = {"smart": writing, "fast": search}
    client: type[OfficialClient]
    if provider.module == _OPENAI:
        from helio.authoring.models.openai_client import OpenAi

        client = OpenAi
    elif provider.name == "anthropic":
        from helio.authoring.models.anthropic_client import Anthropic

        client = Anthropic
    else:
        from helio.authoring.models.gemini import Gemini

        client = Gemini
    return client(key, names, provider=provider, url=url, timeout=timeout, thinking=thinking)


def connect(settings: Settings) -> tuple[Model, Model | None]:
    """Connect to the language models that the settings name: the main models and, if set, the fallback model.

    Raises
    ------
    NoKey, WrongKey
    RequestError
        A provider is unknown, or its official client is not installed.
    """
    smart, fast = provider_called(settings.model_smart), provider_called(settings.model_fast)
    model: Model
    if smart[0] is fast[0]:
        model = client_of(settings, smart[0], {"smart": smart[1], "fast": fast[1]})
    else:
        model = _TwoProviders(
            {
                "smart": client_of(settings, smart[0], {"smart": smart[1]}),
                "fast": client_of(settings, fast[0], {"fast": fast[1]}),
            }
        )
    if not settings.model_fallback:
        return model, None
    provider, name = provider_called(settings.model_fallback)
    return model, client_of(settings, provider, {"smart": name, "fast": name})


class _TwoProviders:
    """Model that asks one provider for planning, and another provider all other questions."""

    def __init__(self, models: Mapping[Role, Model]) -> None:
        self._models = models

    def name(self, role: Role) -> str:
        return self._models[role].name(role)

    def ask(self, ask: Ask) -> ModelAnswer:
        return self._models[ask.role].ask(ask)

    def close(self) -> None:
        for model in self._models.values():
            model.close()
