"""How the tools that a request can ask for are written into a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.authoring.request import Computation
from helio.errors import RequestError, did_you_mean
from helio.steps.signature import signatures


@dataclass(frozen=True)
class ComputationTool:
    """A tool that turns each series into another one.

    Parameters
    ----------
    ending : str
        What labels of its results end in.
    intent : str
        With fields for ``window`` and ``method``.
    argument : str
        The argument that takes the window; empty where the tool needs none.
    quantity : str
        What its result is, made from the quantity that goes in.
    spectral : bool
        It takes the magnitude of a vector and gives a spectrum.
    """

    ending: str
    intent: str
    argument: str = ""
    quantity: str = "{}"
    spectral: bool = False

    def arguments(self, computation: Computation) -> dict[str, Any]:
        """Give the arguments of the step, without its labels."""
        given = {self.argument: computation.window} if self.argument else {}
        return given | ({"method": computation.method or "mean"} if self.argument == "cadence" else {})

    def intent_of(self, computation: Computation) -> str:
        """Say in words what the step does."""
        return self.intent.format(window=computation.window, method=computation.method or "mean")


APPLIED = {
    "running_average": ComputationTool("smooth", "{window} running average", "window"),
    "running_median": ComputationTool("median", "{window} running median", "window"),
    "resample": ComputationTool("binned", "{window} {method}", "cadence"),
    "despike": ComputationTool("clean", "Set spikes to missing", "window"),
    "detrend": ComputationTool("detrended", "Subtract the straight line"),
    "derivative": ComputationTool("rate", "Time derivative", quantity="{} rate"),
    "power_spectrum": ComputationTool("power", "Power spectral density", "window", "{} power", spectral=True),
    "power_spectrogram": ComputationTool("spectrogram", "Spectrogram", "window", "{} power", spectral=True),
}
MAGNITUDE, DIFFERENCE = "magnitude", "difference"
"""What is computed from all vectors, and from two series."""


def tool_named(text: str) -> str:
    """Find the computation that a tool's name or synonym means.

    >>> tool_named("moving average"), tool_named("psd")
    ('running_average', 'power_spectrum')

    Raises
    ------
    RequestError
        There is no such computation; the advice has the near names.
    """
    spelt = "_".join(text.replace("-", " ").split()).casefold()
    tools = (*APPLIED, MAGNITUDE)
    names = {name: tool for tool in tools for name in (tool, *signatures()[tool].synonyms)}
    names[DIFFERENCE] = DIFFERENCE
    if spelt in names:
        return names[spelt]
    raise RequestError(
        f"no operation is called '{text}'",
        advice=did_you_mean(spelt, names, otherwise=f"operations: {', '.join((*tools, DIFFERENCE))}"),
    )
