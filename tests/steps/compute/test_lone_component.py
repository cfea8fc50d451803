"""One component is no field strength and no speed."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.alfven_mach import alfven_mach
from helio.steps.compute.alfven_speed import alfven_speed
from helio.steps.compute.ballistic_shift import ballistic_shift
from helio.steps.compute.dynamic_pressure import dynamic_pressure
from helio.steps.compute.gyrofrequency import gyrofrequency
from helio.steps.compute.lone_component import letter_of
from helio.steps.compute.magnetosonic_mach import magnetosonic_mach
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.parker_angle import parker_angle
from helio.steps.compute.plasma_beta import plasma_beta
from helio.steps.compute.vbs import vbs
from tests.rows import in_one_test
from tests.steps.solar_wind import bz, density, field, series, speed, temperature, vectors, velocity

USES = {
    "gyrofrequency": lambda: gyrofrequency(bz()),
    "alfven_speed": lambda: alfven_speed(bz(), density()),
    "alfven_mach of B_z": lambda: alfven_mach(speed(), bz(), density()),
    "alfven_mach of V_y": lambda: alfven_mach(velocity().component("Vy"), field(), density()),
    "plasma_beta": lambda: plasma_beta(density(), temperature(), bz()),
    "dynamic_pressure": lambda: dynamic_pressure(density(), velocity().component("Vy")),
    "magnetosonic_mach": lambda: magnetosonic_mach(speed(), density(), temperature(), bz()),
    "parker_angle": lambda: parker_angle(velocity().component("Vy"), distance=1.0),
    "vbs": lambda: vbs(velocity().component("Vz"), bz()),
}


@in_one_test("name", USES)
def test_a_component_is_no_length(name):
    with pytest.raises(StepError, match=r"is one component in GS[EM]") as caught:
        USES[name]()
    assert "magnitude" in caught.value.advice


@in_one_test(
    ("name", "description", "frame", "letter"),
    [
        ("Bz", "", "GSM", "z"),
        ("BX", "Magnetic field component Bx (GSE, nT)", "", "x"),
        ("P+ Vy GSE nonlin", "", "", "y"),
        ("1AU IP Bz, GSM", "", "", "z"),
        ("BR (RTN)", "", "", "r"),
        ("BT (RTN)", "", "", "t"),
        ("B_N", "", "RTN", "n"),
        ("ΔB", "", "GSE", "?"),
        ("<|B|>", "B-field magnitude", "", ""),
        ("|B|", "magnitude of Magnetic field vector in GSE", "", ""),
        ("B", "Magnetic field magnitude (1 min)", "", ""),
        ("Bt", "Magnetic field vector in GSE plus Bt", "GSE", ""),
        ("R", "Definitive Position in GSE coordinates", "GSE", ""),
        ("1AU IP Mag Avg B", "1AU IP Average B Field Magnitude, nT", "", ""),
        ("Bulk Flow Speed", "", "", ""),
        ("V", "", "", ""),
        ("proton bulk speed", "", "", ""),
    ],
)
def test_files_say_what_is_a_component_by_frame_or_by_name(name, description, frame, letter):
    one = replace(series([1.0], "nT", name, frame), description=description)
    assert letter_of(one) == letter


def test_a_magnitude_and_the_fourth_component_of_mms_are_lengths():
    assert gyrofrequency(magnitude(field())).values[0] == pytest.approx(5 * 0.015244, rel=1e-3)
    last = replace(series([5.0], "nT", "Bt", "GSE"))
    assert gyrofrequency(last).values[0] == pytest.approx(5 * 0.015244, rel=1e-3)


def test_the_radial_speed_makes_the_spiral():
    radial = vectors([[430.0, 3.0, 4.0]], unit="km/s", name="V", frame="RTN", letters=("_R", "_T", "_N"))
    alone = parker_angle(radial.component("V_R"), distance=1.0)
    assert alone.values[0] == pytest.approx(
        parker_angle(series([430.0], "km/s", "V"), distance=1.0).values[0]
    )
    with pytest.raises(StepError, match="one component"):
        parker_angle(radial.component("V_T"), distance=1.0)


def test_v_x_alone_shifts_as_the_vector_does():
    given = series(np.arange(6.0), "nT")
    whole = ballistic_shift(given, velocity(), from_x=1e5, to_x=0.0)
    alone = ballistic_shift(given, velocity().component("Vx"), from_x=1e5, to_x=0.0)
    np.testing.assert_array_equal(alone.epoch, whole.epoch)
    with pytest.raises(StepError, match="one component"):
        ballistic_shift(given, velocity().component("Vz"), from_x=1e5, to_x=0.0)


@pytest.mark.parametrize(("name", "what"), [("By", "y"), ("|B|", "magnitude")])
def test_what_drives_the_ring_current_is_b_z(name, what):
    with pytest.raises(StepError, match=f"needs B_z, but '.*' is .*{what}"):
        vbs(speed(), replace(bz(), name=name, frame=""))
