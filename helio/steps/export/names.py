"""Names in a file for tables that are known by their labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence


def parameters_of(labels: Sequence[str]) -> list[str]:
    """A name for each label: what stands after its last point, or all of it where two have that in common.

    >>> parameters_of(["AC_H2_MFI.BGSEc", "B smooth"])
    ['BGSEc', 'B_smooth']
    >>> parameters_of(["WI_H0_MFI.BGSE", "AC_H0_MFI.BGSE"])
    ['WI_H0_MFI_BGSE', 'AC_H0_MFI_BGSE']
    """
    short = [plain_name(label.rstrip(". ").rpartition(".")[2]) for label in labels]
    often = Counter(name.lower() for name in short)
    names = Names()
    return [
        names.take(name if often[name.lower()] == 1 else plain_name(label))
        for name, label in zip(short, labels, strict=True)
    ]


def plain_name(text: str) -> str:
    """A name of letters, digits and underscores that begins with a letter, as all formats take it."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    return name if re.match(r"[A-Za-z]", name) else f"v_{name}" if name else "value"


class Names:
    """Names given once: another is told from it by a number, for some readers do not see case."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def take(self, name: str) -> str:
        """The name, or the first free one like it."""
        free, again = name, 1
        while free.lower() in self._taken:
            again += 1
            free = f"{name}_{again}"
        self._taken.add(free.lower())
        return free


def one_line(text: str) -> str:
    """Text of a file or a person on one line that any encoding takes."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(character if character.isprintable() else " " for character in plain).split())
