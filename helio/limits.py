"""Limits on the size of templates, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TemplateLimits:
    """Limits on the size of a template, its parts and its results.

    A template at a limit works within seconds. A template beyond it is refused before any work is done.
    """

    file_bytes: int = 4_000_000
    """Maximum bytes of a template's text. A template with the maximum number of ordinary steps has a tenth of this."""
    plan_bytes: int = 100_000_000
    """Maximum bytes of a saved plan, which contains a step for each item of a map, and all changes made
    to the template."""
    nesting: int = 60
    """Maximum depth of nested objects and lists, because recursive code reads them. A template needs
    about ten levels."""
    values: int = 100_000
    """Maximum number of objects, lists, texts and numbers in a template. The maximum number of steps
    needs about 30,000."""
    members: int = 10_000
    """Maximum number of items of a list, or of keys of an object: ten times more than any tool accepts."""
    text: int = 100_000
    """Maximum characters of a text that no tool reads, such as a description or a note."""
    argument_text: int = 20_000
    """Maximum characters of a text in a step's arguments; the longest such texts are code."""
    key: int = 1_000
    """Maximum characters of a key: the name of an argument, a label or a variable."""
    digits: int = 100
    """Maximum digits of a whole number. A number in a table has at most 20 digits."""

    steps: int = 1_000
    """Maximum number of written steps, including steps in blocks and in used pipelines. Checks compare
    all pairs of steps."""
    items: int = 1_000
    """Maximum number of items of a map: nearly three years of days."""
    run_steps: int = 5_000
    """Maximum number of steps in a run, with a step for each item of a map: 1,000 days with five steps each."""
    blocks: int = 8
    """Maximum depth of nested blocks."""
    pipelines: int = 5
    """Maximum depth of pipelines that use other pipelines."""

    arguments: int = 1_000
    """Maximum number of items or keys in an argument, such as vertical lines or colours. A person cannot
    distinguish more."""
    labels: int = 5_000
    """Maximum number of labels in a list; a label with ``*`` may mean the results of all steps of a run."""
    panels: int = 100
    """Maximum number of panels in a figure: at the maximum height of 10,000 pixels, each panel is 100 pixels high."""

    time_phrase: int = 200
    """Maximum characters of a time range or a duration. The longest valid phrase has about 60."""
    unit: int = 200
    """Maximum characters of a unit. The longest unit in files of archives has fewer than 100."""
    unit_power: int = 30
    """Largest exponent in a unit; the largest in use is 6. Exact arithmetic with very large exponents
    takes too long."""


LIMITS = TemplateLimits()
