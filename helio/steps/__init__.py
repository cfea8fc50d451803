"""The tools of steps: one file for each tool, imported when the tool is first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from helio.steps.signature import signatures


def load_tool(name: str) -> Callable[..., Any]:
    """Return the Python function of the tool with this name, and import its module if necessary."""
    function: Callable[..., Any] = getattr(import_module(signatures()[name].module), name)
    return function
