"""Names of variables in a file, made from the labels of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence


def parameters_of(labels: Sequence[str]) -> list[str]:
    """Return a name for each label: the part after the last dot, or the whole label if two parts would be equal.

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
    """Return a name that all formats accept: only letters, digits and underscores, beginning with a letter."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    return name if re.match(r"[A-Za-z]", name) else f"v_{name}" if name else "value"


class Names:
    """A set of names that stay unique if upper and lower case are ignored; a repeated name gets a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def take(self, name: str) -> str:
        """Add a name to the set and return it, with a number if the set already contains this name."""
        free, again = name, 1
        while free.lower() in self._taken:
            again += 1
            free = f"{name}_{again}"
        self._taken.add(free.lower())
        return free


def one_line(text: str) -> str:
    """Put a text on one line, with a space or a question mark for each character that cannot be shown or encoded."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(character if character.isprintable() else " " for character in plain).split())
