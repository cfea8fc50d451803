"""Vectors of components that are parameters of their own."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.components import components
from helio.steps.compute.join_components import join_components
from tests.steps.series import check_golden, vector
from tests.steps.solar_wind import series

NAMES = ["Bx", "By", "Bz"]


def parts():
    return [components(vector(), keep=[name]) for name in NAMES]


def omni():
    names = ("1AU IP Bx, GSE", "1AU IP By, GSM", "1AU IP Bz, GSM")
    return [replace(part, frame="", name=name) for part, name in zip(parts(), names, strict=True)]


def test_components_taken_apart_are_the_vector_again():
    found = join_components(parts(), names=NAMES)
    np.testing.assert_array_equal(found.values, vector().values)
    assert (found.frame, found.unit, found.name, found.components) == ("GSE", "nT", "B", ("Bx", "By", "Bz"))
    assert found.sources == vector().sources


def test_x_in_gse_beside_y_and_z_in_gsm_is_gsm():
    assert join_components(omni(), names=NAMES).frame == "GSM"
    assert join_components(omni(), names=NAMES, frame="GSM").frame == "GSM"


def test_a_frame_that_the_series_deny_is_refused():
    with pytest.raises(FrameMismatch, match="is in GSM"):
        join_components(omni(), names=NAMES, frame="GSE")
    with pytest.raises(FrameMismatch):
        join_components([omni()[0], parts()[1], omni()[2]], names=NAMES)


def test_without_a_frame_anywhere_there_is_none_unless_it_is_stated():
    plain = [replace(part, frame="") for part in parts()]
    assert join_components(plain, names=NAMES).frame == ""
    assert join_components(plain, names=NAMES, frame="RTN", name="B field").name == "B field"


def test_missing_values_stay_missing():
    assert np.isnan(join_components(parts(), names=NAMES).values[3]).tolist() == [False, True, False]


def test_units_and_epochs_have_to_agree():
    with pytest.raises(UnitMismatch, match="'Bx' is in nT, but 'V' is in km/s"):
        join_components([*parts()[:2], replace(parts()[2], unit="km/s", name="V")], names=NAMES)
    with pytest.raises(ClockMismatch):
        join_components([parts()[0], series([1.0], "nT", frame="GSE")], names=["Bx", "By"])


@pytest.mark.parametrize("names", [[], ["Bx", "By"], ["Bx", "Bx", "Bz"], ["Bx", " ", "Bz"]])
def test_every_component_has_a_name_of_its_own(names):
    with pytest.raises(StepError, match="3 series need 3 different names"):
        join_components(parts(), names=names)


def test_one_series_is_no_vector():
    with pytest.raises(StepError, match="at least two"):
        join_components(parts()[:1], names=["Bx"])


def test_golden():
    check_golden(join_components, join_components(parts(), names=NAMES), digits=12)


def test_x_of_gse_goes_with_gsm_wherever_it_stands():
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        for stated in ("", "GSM"):
            joined = join_components(
                [omni()[index] for index in order], names=[NAMES[index] for index in order], frame=stated
            )
            assert joined.frame == "GSM"


def test_a_component_is_not_called_another_one():
    """OMNI's B_x, called B_z, gave a coupling function a hundred times too large."""
    with pytest.raises(
        StepError,
        match="'names' gives '1AU IP Bx, GSE' the name Bz, but its own name says that it is the component x",
    ):
        join_components(omni(), names=["Bz", "By", "Bx"])
