"""Quotes of documents: whether a page has them, and whether they have the value that was read from them."""

from __future__ import annotations

import pytest

from helio.authoring.documents.quotes import has_value, is_on_page

PAGE = """The efficient classiﬁcation of the shock’s arrival — “sudden commencement” — at
a speed of ∼650 km s−1; the inter-
planetary ﬁeld of the Sun-
Earth line reached 31.2 nT, and 1.5 × 10³ or 12,300 parti­cles. Dst 2015-03-17 04:45 −223"""


@pytest.mark.parametrize(
    "quote",
    [
        "efficient classification",
        'the shock\'s arrival - "sudden commencement"',
        "speed of ~650 km s-1",
        "the interplanetary field",
        "Sun-Earth line",
        "reached 31.2  nT",
        "1.5 x 10^3 or 12,300 particles",
        "2015-03-17 04:45 -223",
        "31.2",
        "-223",
    ],
)
def test_spellings_of_readers_and_models_are_one(quote: str) -> None:
    assert is_on_page(quote, PAGE)


@pytest.mark.parametrize(
    "quote", ["1.2", "31", "22", "-22", "300", "1.5 x 10^4", "Dst 223", "the interior field", "^"]
)
def test_other_words_and_parts_of_numbers_are_not_on_the_page(quote: str) -> None:
    assert not is_on_page(quote, PAGE)


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("−223", -223),
        ("Dst−223 nT", -223),
        ("Dst = - 223 nT", -223),
        ("40-50 keV", 50),
        ("31.20 nT", 31.2),
        ("(5)", 5),
        ("12,300", 12300),
        ("12 300", 12300),
        ("7,25", 7.25),
        ("1.5 × 10³", 1500),
        ("1.5 × 103", 1500),
        ("2 x 10^-4", 2e-4),
        ("10⁵ Pa", 1e5),
        ("4.56E-05", 4.56e-5),
        (".05", 0.05),
        ("between 3, 4 and 5", 4),
        ("at 04:45 UT on 17 March 2015", "2015-03-17T04:45:00"),
        ("4:45 p.m. on March 17th", "2015-03-17T16:45:00"),
        ("2015/03/17 0445", "2015-03-17T04:45:00"),
        ("0445 UT", "2015-03-17T04:45:00"),
        ("04 UT", "2015-03-17T04:00:00"),
        ("17/03/2015", "2015-03-17T00:00:00"),
        ("03/17/2015", "2015-03-17T00:00:00"),
        ("24:00 UT", "2015-03-18T00:00:00"),
        ("04:45:30.5", "2015-03-17T04:45:30.5"),
        ("16-18 March", "2015-03-16T00:00:00"),
        ("it may have been 2 h before the storm of 2015", "2015-03-17T04:45:00"),
        ("a CME of 2015 km/s", "2015-03-17T04:45:00"),
        ("the shock", "2015-03-17T04:45:00"),
    ],
)
def test_a_quote_has_its_value(quote: str, value: str | float) -> None:
    assert has_value(quote, value)


@pytest.mark.parametrize(
    ("quote", "value"),
    [
        ("−223", 223),
        ("223", -223),
        ("−223", -22),
        ("500", 50),
        ("31.2", 1.2),
        ("0.05", 5),
        ("12,300", 300),
        ("1.5 × 10³", 1.5),
        ("the shock", 5),
        ("at 04:45 UT", "2015-03-17T04:55:00"),
        ("at 04:45:10 UT", "2015-03-17T04:45:00"),
        ("2015 Mar 17 04:45", "2015-03-18T04:45:00"),
        ("17 April", "2015-03-17T00:00:00"),
        ("2015/03/17 0445", "2015-03-17T04:54:00"),
        ("2015-03-17", "2015-03-18T00:00:00"),
        ("17/03/2015", "2014-03-17T00:00:00"),
        ("at 03 UT", "2015-03-17T04:00:00"),
    ],
)
def test_a_quote_has_another_value(quote: str, value: str | float) -> None:
    assert not has_value(quote, value)
