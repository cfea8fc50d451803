"""Units that no archive writes: too long to be read, or with powers that arithmetic does not come to an end with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helio.errors import StepError
from helio.knowledge import unit_spelling
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import canonical_unit, pretty_unit, unit_factors
from helio.limits import LIMITS

LONG = {
    "factors": "km " * 50_000 + "s",
    "brackets": "(" * 50_000 + "m" + ")" * 50_000,
    "letters": "m" * 1_000_000,
    "superscripts": "cm" + "⁻³" * 100_000,
    "a power": "m^" + "9" * 5_000,
}


@pytest.mark.parametrize("spelling", LONG.values(), ids=LONG)
def test_a_long_unit_is_kept_as_it_is_and_never_read(spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = unit_spelling._tokens

    def read(text: str) -> Iterator[tuple[str, str]]:
        assert len(text) <= LIMITS.unit
        return tokens(text)

    monkeypatch.setattr(unit_spelling, "_tokens", read)
    assert canonical_unit(f" {spelling} ") == spelling
    assert unit_factors(spelling) is None
    assert pretty_unit(spelling) == spelling
    assert not comparable(spelling, "nT")
    with pytest.raises(StepError, match="not known"):
        conversion_factor(spelling, "nT")


@pytest.mark.parametrize("spelling", ["m^31", "km^999999999", "((m^6)^6)^6", "m^16 m^16", "1/(s^20 s^20)"])
def test_a_power_that_no_unit_has_is_not_understood(spelling: str) -> None:
    assert canonical_unit(spelling) == spelling
    assert unit_factors(spelling) is None


def test_a_unit_at_the_limits_is_read() -> None:
    assert unit_factors(f"m^{LIMITS.unit_power}") == (("m", LIMITS.unit_power),)
    assert unit_factors("nT" + " " * (LIMITS.unit - 2)) == (("nT", 1),)
    assert unit_factors("m " * (LIMITS.unit_power)) == (("m", LIMITS.unit_power),)


def test_the_message_about_a_long_unit_is_short() -> None:
    with pytest.raises(StepError) as refused:
        conversion_factor("km " * 50_000, "nT")
    assert len(str(refused.value)) < 400
