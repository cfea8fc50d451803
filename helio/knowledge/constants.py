"""Physical constants, written here so that results do not change with the version of a library.

CODATA 2022, https://physics.nist.gov/constants; those marked exact are so by the definition of the SI.
"""

from __future__ import annotations

from dataclasses import dataclass

ELEMENTARY_CHARGE = 1.602176634e-19
"""Elementary charge in C, exact."""
BOLTZMANN = 1.380649e-23
"""Boltzmann constant in J/K, exact."""
VACUUM_PERMEABILITY = 1.25663706127e-6
"""Magnetic constant μ₀ in N/A²."""
VACUUM_PERMITTIVITY = 8.8541878188e-12
"""Electric constant ε₀ in F/m."""
PROTON_MASS = 1.67262192595e-27
"""Mass of a proton in kg."""
ELECTRON_MASS = 9.1093837139e-31
"""Mass of an electron in kg."""
ALPHA_MASS = 6.6446573450e-27
"""Mass of an alpha particle in kg."""
ASTRONOMICAL_UNIT = 1.495978707e11
"""Astronomical unit in m, exact; IAU 2012 resolution B2."""
SOLAR_RADIUS = 6.957e8
"""Nominal radius of the Sun in m; IAU 2015 resolution B3."""


@dataclass(frozen=True)
class Particle:
    """A kind of particle: mass in kg, charge in elementary charges, and letter in symbols such as ``f_cp``."""

    mass: float
    charge: int
    letter: str


PARTICLES = {
    "proton": Particle(PROTON_MASS, 1, "p"),
    "electron": Particle(ELECTRON_MASS, -1, "e"),
    "alpha": Particle(ALPHA_MASS, 2, "α"),
}
"""The particles that tools accept, by name."""
