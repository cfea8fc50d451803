"""Units of products and quotients."""

from helio.knowledge.unit_products import unit_product
from tests.rows import in_one_test


@in_one_test(
    ("units", "product"),
    [
        ([("nT", 1), ("km/s", 1)], "km nT/s"),
        ([("nT", 1), ("nT", -1)], ""),
        ([("nT", 2), ("Hz", -1)], "nT^2/Hz"),
        ([("nT^2/Hz", 1), ("Hz", 1)], "nT^2"),
        ([("km/s", 1), ("s", -1)], "km/s^2"),
        ([("km/s", 2), ("Hz", -1)], "km^2/(s^2 Hz)"),
        ([("cm^-3", 1), ("cm^-3", -1)], ""),
        ([("cm^-3", 1), ("s", -1)], "cm^-3 s^-1"),
        ([("", 1), ("s", -1)], "s^-1"),
        ([("", 1), ("", 1)], ""),
        ([("cm^-2 s^-1 sr^-1 keV^-1", 1), ("keV", 1)], "cm^-2 s^-1 sr^-1"),
        ([("eV/(cm^2 s sr eV)", 1), ("eV", 1)], "eV/(cm^2 s sr)"),
        ([("keV/(cm^2 s sr keV)", 1), ("keV/(cm^2 s sr keV)", -1)], ""),
        ([("keV", 1), ("eV", -1)], "keV/eV"),
        ([("furlong", 1), ("s", -1)], "furlong/s"),
        ([("furlong", 1), ("", 1)], "furlong"),
        ([("furlong", 1), ("furlong", -1)], ""),
        ([("beard-second", 2), ("Hz", -1)], "(beard-second)^2/Hz"),
    ],
)
def test_a_product_has_the_product_of_the_units(units, product):
    assert unit_product(*units) == product
