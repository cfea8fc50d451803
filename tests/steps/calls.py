"""The calls of tools for the tests of what holds for every tool: the test of a tool states its own as ``CALLS``."""

import re
from importlib import import_module
from pathlib import Path

from helio.steps.signature import signatures


def stated_calls():
    """Calls by tool, each the functions that make its tables, and its arguments."""
    calls = {}
    for path in sorted(Path(__file__).parent.glob("*/test_*.py")):
        name = path.stem.removeprefix("test_")
        if name in signatures() and re.search(r"^CALLS = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            calls[name] = import_module(f"tests.steps.{path.parent.name}.{path.stem}").CALLS
    return calls
