"""Every limit of a template's size, in one place, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How large a template, a part of it and what comes of it may be.

    Everything at a limit works, and takes seconds. Everything beyond it is refused before any work is done.
    """

    file_bytes: int = 4_000_000
    """Bytes of a template's text. The largest number of steps, each of ordinary length, takes a tenth of it."""
    plan_bytes: int = 100_000_000
    """Bytes of a saved plan, which holds a step for each item of its maps, and what each pass did."""
    nesting: int = 60
    """Objects and lists in one another. Passes walk them one inside the other; a template needs about ten."""
    values: int = 100_000
    """Objects, lists, texts and numbers in a template. As many steps as are allowed need about 30,000."""
    members: int = 10_000
    """Items of one list, or keys of one object: ten times what any list of a tool may have."""
    text: int = 100_000
    """Characters of one text: a description, a note. No tool looks at it."""
    argument_text: int = 20_000
    """Characters of one text in a step's arguments. Code is the longest of them; labels are compared."""
    key: int = 1_000
    """Characters of one key. Keys are names of arguments, labels and variables."""
    digits: int = 100
    """Digits of a number that has no fraction. A number that a table can hold has at most 20."""

    steps: int = 1_000
    """Steps that are written out, those of blocks and used pipelines counted: passes compare them with each other."""
    items: int = 1_000
    """Items of one map: nearly three years of days."""
    run_steps: int = 5_000
    """Steps of one run, a step for each item of its maps: 1,000 days with five steps each."""
    blocks: int = 8
    """Blocks in one another."""
    pipelines: int = 5
    """Used pipelines in one another."""

    arguments: int = 1_000
    """Items or keys of one argument of a tool: vertical lines, colours, bands. Nobody can distinguish more of them."""
    labels: int = 5_000
    """Labels in one list: a label with ``*`` may stand for the results of all steps of a run."""
    panels: int = 100
    """Panels of a figure: its largest height, 10,000 pixels, leaves each of them 100."""

    time_phrase: int = 200
    """Characters of a time range or a length of time. The longest phrase that is understood has about 60."""
    unit: int = 200
    """Characters of a unit that is read. The longest in the archives' own files have fewer than 100."""
    unit_power: int = 30
    """The largest power in a unit: exact arithmetic with larger ones has no end. The largest in use is 6."""


LIMITS = Limits()
