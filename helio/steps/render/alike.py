"""Tell tables of a figure apart that their files name alike, by their spacecraft and the particles they describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from helio.steps.render.wording import quantity
from helio.store.table import Table

_PARTICLES = re.compile(r"\b(electron|ion|proton|alpha|helium|oxygen)s?\b", re.IGNORECASE)


def told_apart(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return the tables, with the spacecraft or the particles added to names that several tables share.

    Names stay where neither differs. ``n`` of two spacecraft becomes ``ACE n`` and ``Wind n``; ``N`` of two
    instruments ``N, ions`` and ``N, electrons``.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for label, table in tables.items():
        if table.name:
            alike.setdefault((quantity(table, label), table.unit), []).append(label)
    named = dict(tables)
    for labels in alike.values():
        if len(labels) > 1:
            group = {label: tables[label] for label in labels}
            crafts, particles = _differing(group, _craft), _differing(group, _particles)
            for label, table in group.items():
                name = f"{crafts[label]} {table.name}".strip()
                named[label] = replace(
                    table, name=f"{name}, {particles[label]}" if particles[label] else name
                )
    return named


def _differing(tables: Mapping[str, Table], fact: Callable[[Table], str]) -> dict[str, str]:
    """Return a fact about each table if it differs among the tables, otherwise empty texts."""
    facts = {label: fact(table) for label, table in tables.items()}
    return facts if len(set(facts.values())) > 1 else dict.fromkeys(tables, "")


def _craft(table: Table) -> str:
    from helio.knowledge.missions import craft_of  # few figures need it, and it compiles many patterns

    datasets = {source.dataset_id for source in table.sources}
    crafts = {craft_of(dataset).spacecraft for dataset in datasets} - datasets
    return crafts.pop() if len(crafts) == 1 else ""


def _particles(table: Table) -> str:
    """Return the particles that a table's description names, in the plural; empty if it names none, or several."""
    words = {word.lower() for word in _PARTICLES.findall(table.description)}
    word = words.pop() if len(words) == 1 else ""
    return word if word in ("", "helium", "oxygen") else f"{word}s"
