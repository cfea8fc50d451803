"""Limits of a template's size, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TemplateLimits:
    """Limits on the size of a template, its parts and its results.

    A template at a limit works within seconds. A template beyond it is refused before any work is done.
    """

    file_bytes: int = 4_000_000
    """Bytes of a template's text. The maximum number of ordinary steps takes a tenth of this."""
    plan_bytes: int = 100_000_000
    """Bytes of a saved plan, which has a step for each item of a map, and the edits of each pass."""
    nesting: int = 60
    """Depth of nested objects and lists, which passes read recursively. A template needs about ten levels."""
    values: int = 100_000
    """Objects, lists, texts and numbers in a template. The maximum number of steps needs about 30,000."""
    members: int = 10_000
    """Items of one list, or keys of one object: ten times more than any tool accepts."""
    text: int = 100_000
    """Characters of one text that no tool reads, such as a description or a note."""
    argument_text: int = 20_000
    """Characters of one text in a step's arguments; the longest are code."""
    key: int = 1_000
    """Characters of one key: a name of an argument, a label or a variable."""
    digits: int = 100
    """Digits of a whole number. A number in a table has at most 20 digits."""

    steps: int = 1_000
    """Steps as written, including steps in blocks and used pipelines. Passes compare all steps with each other."""
    items: int = 1_000
    """Items of one map: nearly three years of days."""
    run_steps: int = 5_000
    """Steps of one run, with a step for each item of a map: 1,000 days with five steps each."""
    blocks: int = 8
    """Depth of nested blocks."""
    pipelines: int = 5
    """Depth of pipelines that use other pipelines."""

    arguments: int = 1_000
    """Items or keys of one argument of a tool: vertical lines, colours, bands. A person cannot distinguish more."""
    labels: int = 5_000
    """Labels in one list: a label with ``*`` may stand for the results of all steps of a run."""
    panels: int = 100
    """Panels of a figure: at its maximum height of 10,000 pixels, each panel has 100."""

    time_phrase: int = 200
    """Characters of a time range or a duration. The longest valid phrase has about 60."""
    unit: int = 200
    """Characters of a unit. The longest in files of archives have fewer than 100."""
    unit_power: int = 30
    """Largest power in a unit; the largest in use is 6. Exact arithmetic with very large powers takes too long."""


LIMITS = TemplateLimits()
