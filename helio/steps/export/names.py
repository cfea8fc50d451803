"""Names of variables in a file, made from the labels of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence


def parameters_of(labels: Sequence[str]) -> list[str]:
    """Return a name for each label: the part after its last point, or the whole label where two would be equal.

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
    """Return a name that all formats accept: letters, digits and underscores, a letter first."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    return name if re.match(r"[A-Za-z]", name) else f"v_{name}" if name else "value"


class Names:
    """A set of unique names: a repeated name gets a number, also if only upper and lower case differ."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def take(self, name: str) -> str:
        """Return the name, with a number if it is already taken."""
        free, again = name, 1
        while free.lower() in self._taken:
            again += 1
            free = f"{name}_{again}"
        self._taken.add(free.lower())
        return free


def one_line(text: str) -> str:
    """Put a text on one line that any encoding can write."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(character if character.isprintable() else " " for character in plain).split())
