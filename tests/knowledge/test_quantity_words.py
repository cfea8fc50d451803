"""Names, symbols and phrases of quantities lead to the quantity; what has no such name is refused with near names."""

import re

import pytest

from helio.errors import RequestError
from helio.knowledge.quantities import SOURCES
from helio.knowledge.quantity_words import WORDS, quantity_named
from tests.rows import in_one_test


def test_every_quantity_of_the_table_has_words():
    assert {source.quantity for source in SOURCES} <= {row.quantity for row in WORDS}


@in_one_test("row", WORDS)
def test_a_quantity_is_known_by_its_name_its_symbol_and_its_title(row):
    assert quantity_named(row.quantity) == quantity_named(row.symbol) == (row.quantity, "")
    assert re.fullmatch(row.pattern, row.title, re.IGNORECASE)


@in_one_test(
    ("text", "meant"),
    [
        ("B", ("magnetic field vector", "")),
        ("field", ("magnetic field vector", "")),
        ("by", ("magnetic field vector", "y")),
        ("V_x", ("bulk velocity vector", "x")),
        ("|B|", ("magnetic field magnitude", "")),
        ("solar wind ram pressure", ("dynamic pressure", "")),
        ("ion densities", ("proton density", "")),
        ("sym-h", ("SYM-H", "")),
        ("Alfven speed", ("Alfvén speed", "")),
    ],
)
def test_a_phrase_means_a_quantity(text, meant):
    assert quantity_named(text) == meant


def test_an_unknown_quantity_is_refused_with_the_near_names():
    with pytest.raises(RequestError) as raised:
        quantity_named("densty")
    assert "no quantity is called 'densty'" in str(raised.value)
    assert "proton density" in str(raised.value)
