"""What makes a plain function a tool: its signature, read once into a JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class ToolMark:
    """Left on a function by `tool`."""

    version: int


def tool(*, version: int) -> Callable[[Function], Function]:
    """Mark a function as a tool. Raise `version` with any change to what it returns."""

    def mark(function: Function) -> Function:
        function.__tool__ = ToolMark(version)  # type: ignore[attr-defined]
        return function

    return mark
