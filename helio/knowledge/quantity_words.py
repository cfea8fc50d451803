"""Names of physical quantities, as sentences, labels and titles write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from helio.errors import RequestError, did_you_mean
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import ELECTRON_V, B
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

Kind = Literal["vector", "scalar", "spectrum", "index"]


@dataclass(frozen=True)
class QuantityWords:
    """The symbol, the title and the phrases that name one quantity.

    Parameters
    ----------
    symbol : str
        As labels write it.
    kind : str
        An index belongs to the Earth and not to a spacecraft.
    phrases : tuple of str
        As people write it, in the notation of `phrase_pattern`.
    title : str
        As titles write it.
    """

    quantity: str
    symbol: str
    kind: Kind
    phrases: tuple[str, ...]
    title: str

    @cached_property
    def pattern(self) -> str:
        """The regular expression that matches all phrases that name the quantity."""
        named = any_phrase(self.phrases)
        return f"{_RATIOS[self.quantity]}|{named}" if self.quantity in _RATIOS else named


# Where a phrase of one quantity contains one of another, the file lists the longer phrase first.
WORDS: tuple[QuantityWords, ...] = tuple(
    QuantityWords(name, row["symbol"], row["kind"], tuple(row["phrases"]), row.get("title", name))
    for name, row in VOCABULARY["quantities"].items()
)
_BY_NAME = {row.quantity: row for row in WORDS}
INDICES = tuple(row.quantity for row in WORDS if row.kind == "index")
VECTORS = tuple(row.quantity for row in WORDS if row.kind == "vector")
SPECTRA = tuple(row.quantity for row in WORDS if row.kind == "spectrum")

# "by" is a word and By a component.
_RATIOS = {
    "alpha to proton ratio": (
        r"(?:alphas?|helium)\s*/\s*(?:protons?|hydrogen)(?:\s+(?:density\s+)?ratios?)?|n_?alpha\s*/\s*n_?p\b|N_?a\s*/\s*N_?p\b|α\s*/\s*p\b|He(?:\+\+|2\+)?\s*/\s*(?:H\+?|p)(?:\s+(?:(?:number\s+)?density\s+|abundance\s+)?ratios?)?"
    ),
    "O7/O6": r"O\s?7\+?\s*(?:/|to|over)\s*O?\s?6\+?(?:\s+(?:charge\s+state\s+)?ratios?)?",
    "C6/C5": r"C\s?6\+?\s*(?:/|to|over)\s*C?\s?5\+?(?:\s+(?:charge\s+state\s+)?ratios?)?",
    **{
        f"{element}/O": rf"(?-i:{element}\s*/\s*O)(?:\s+(?:elemental\s+)?(?:abundance\s+)?ratios?)?"
        for element in ("He", "C", "Ne", "Mg", "Si", "Fe")
    },
}
"""Names with signs that the notation of phrases uses."""
RATIOS = (
    *_RATIOS,
    "mean iron charge",
    "ion to electron temperature ratio",
    "electron to ion temperature ratio",
)
COMPONENTS: tuple[tuple[str, str], ...] = (
    (
        B,
        r"(?:imf )?(?:(?-i:B)_?[xyzrtn]|b_?[xzrn]|b_[xyzrtn]|by(?=\s*(?:,|/|and|&)\s*bz)"
        r"|(?-i:by)(?=\s*(?-i:bz)))",
    ),
    (ELECTRON_V, r"electrons?\s+(?:bulk\s+|flow\s+)?v_?[xyzrtn]|v_?e_?[xyz]"),
    (VELOCITY, r"v_?[xyzrtn]"),
    ("electric field", r"convective (?-i:E)[xyz]"),
    ("electric field vector", r"(?-i:E)_?[xyz]|e_?[yz]"),
)


def symbol(quantity: str) -> str:
    """Return the symbol of a quantity, such as B, which labels contain."""
    row = _BY_NAME.get(quantity)
    return row.symbol if row else re.sub(r"\W+", "", quantity)


def title(quantity: str) -> str:
    """Return the name of a quantity, as titles of figures write it."""
    row = _BY_NAME.get(quantity)
    return row.title if row else quantity


def quantity_named(text: str) -> tuple[str, str]:
    """Find the quantity that a name, a symbol or a phrase means, and which component of it, if the text names one.

    >>> quantity_named("Bz"), quantity_named("ram pressure")
    (('magnetic field vector', 'z'), ('dynamic pressure', ''))

    Raises
    ------
    RequestError
        No quantity has this name; the advice gives similar names.
    """
    plain = " ".join(text.split())
    for row in WORDS:
        if plain.casefold() in (row.quantity.casefold(), row.symbol.casefold()):
            return row.quantity, ""
    component = ignoring_case(r"([bv])_?([xyzrtn])").fullmatch(plain)
    if component:
        return B if component[1].lower() == "b" else VELOCITY, component[2].lower()
    if plain.casefold() == "field":
        return B, ""
    for row in WORDS:
        if ignoring_case(row.pattern).fullmatch(plain):
            return row.quantity, ""
    names = [name for row in WORDS for name in (row.quantity, row.title)]
    raise RequestError(
        f"no quantity is called '{text}'",
        advice=did_you_mean(
            text, names, otherwise=f"choose one of the quantities: {', '.join(row.quantity for row in WORDS)}"
        ),
    )
