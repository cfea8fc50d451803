"""The axis of a spectrum is found by its label, or by what it is."""

import pytest

from helio.errors import StepError
from helio.steps.compute.bins import place_of
from helio.steps.examples import energies, pitch_angles, spectrum


def test_an_axis_called_energy_or_pitch_angle_is_found_by_its_unit():
    flux = spectrum([[1.0, 2.0]], energies([1.0, 2.0, 4.0]))
    angles = spectrum([[1.0, 2.0]], pitch_angles([0.0, 60.0, 180.0]))
    assert place_of(flux, "energy") == 0
    assert place_of(angles, "pitch angle") == 0
    with pytest.raises(StepError, match="does not name exactly one axis"):
        place_of(angles, "energy")
