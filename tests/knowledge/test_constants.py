"""Constants against those of a library."""

import pytest
from scipy import constants as peer

from helio.knowledge import constants
from helio.knowledge.constants import PARTICLES
from tests.rows import in_one_test


@in_one_test(
    ("mine", "theirs"),
    [
        (constants.ELEMENTARY_CHARGE, peer.e),
        (constants.BOLTZMANN, peer.k),
        (constants.VACUUM_PERMEABILITY, peer.mu_0),
        (constants.VACUUM_PERMITTIVITY, peer.epsilon_0),
        (constants.PROTON_MASS, peer.m_p),
        (constants.ELECTRON_MASS, peer.m_e),
        (constants.ALPHA_MASS, peer.physical_constants["alpha particle mass"][0]),
        (constants.ASTRONOMICAL_UNIT, peer.au),
    ],
)
def test_a_constant_is_that_of_the_library_whatever_its_codata(mine, theirs):
    assert mine == pytest.approx(theirs, rel=2e-9)


def test_charges_have_their_signs():
    assert {name: particle.charge for name, particle in PARTICLES.items()} == {
        "proton": 1,
        "electron": -1,
        "alpha": 2,
    }
