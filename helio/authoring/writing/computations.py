"""Computations that a request can name, and the template's steps for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.authoring.request import Computation
from helio.errors import RequestError, did_you_mean
from helio.steps.signature import signatures


@dataclass(frozen=True)
class ComputationTool:
    """A tool that computes a new series from each drawn series.

    Parameters
    ----------
    ending : str
        The ending of the labels of its results.
    intent : str
        A text with fields for ``window`` and ``method``.
    argument : str
        The argument for the window; empty where the tool needs none.
    quantity : str
        The quantity of its result, with a field for that of its input.
    spectral : bool
        Whether it takes the magnitude of a vector and gives a spectrum.
    """

    ending: str
    intent: str
    argument: str = ""
    quantity: str = "{}"
    spectral: bool = False

    def arguments(self, computation: Computation) -> dict[str, Any]:
        """Return the arguments of the step, without its labels."""
        given = {self.argument: computation.window} if self.argument else {}
        return given | ({"method": computation.method or "mean"} if self.argument == "cadence" else {})

    def intent_of(self, computation: Computation) -> str:
        """Describe in a few words what the step does."""
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
"""Computations with other inputs: a magnitude takes vectors, and a difference takes two series."""


def tool_named(text: str) -> str:
    """Return the tool that a name or a synonym means.

    >>> tool_named("moving average"), tool_named("psd")
    ('running_average', 'power_spectrum')

    Raises
    ------
    RequestError
        No computation has this name; the advice suggests close names.
    """
    spelt = "_".join(text.replace("-", " ").split()).casefold()
    tools = (*APPLIED, MAGNITUDE)
    names = {name: tool for tool in tools for name in (tool, *signatures()[tool].synonyms)}
    names[DIFFERENCE] = DIFFERENCE
    if spelt in names:
        return names[spelt]
    raise RequestError(
        f"no operation is called '{text}'",
        advice=did_you_mean(spelt, names, otherwise=f"use one of {', '.join((*tools, DIFFERENCE))}"),
    )
