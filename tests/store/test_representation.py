"""What is said of the components of a table, and of angles, follows from its words and units, never from its values."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.arithmetic import arithmetic
from helio.steps.compute.components import components
from helio.steps.compute.declare_quantity import declare_quantity
from helio.steps.compute.statistics import statistics
from helio.store.ipc import read_table, write_table
from helio.store.periods import period_of
from helio.store.representation import representation_of
from helio.store.table import Table
from helio.time_range import Duration
from tests.rows import in_one_test
from tests.steps.series import epochs, vector


@in_one_test(
    ("labels", "units", "declared", "said", "expected"),
    [
        (("Bx GSE", "By GSE", "Bz GSE"), ("nT",), (), "", "cartesian"),
        (("ACE X-GSE ", "ACE Y-GSE ", "ACE Z-GSE "), ("km",), (), "", "cartesian"),
        (("Magnetic North - H", "Magnetic East - E", "Vertical Down - Z"), ("nT",) * 3, (), "", "cartesian"),
        (("Br", "Btheta", "Bphi"), ("nT",), (), "", "cartesian"),
        (("X", "Y", "Z", "R"), ("km",), ("x", "y", "z", "r"), "", "cartesian"),
        (("1", "2", "3"), ("km",), ("vector>gse_xyz",), "", "cartesian"),
        (("1", "2", "3"), ("nT",), (), "GSE, Cartesian", "cartesian"),
        (("1", "2", "3"), ("nT",), ("GSE",), "magnetic field vector in GSE", ""),
        (("1", "2", "3"), ("deg",), (), "angles of a Cartesian frame", ""),
        (("V1", "V2", "V3"), ("km/s",), ("r", "colatitude", "longitude"), "", "spherical"),
        (("speed", "theta", "phi"), ("km/s",), (), "velocity vector", "spherical"),
        (("B (GSE)", "  Lat-B (GSE)", "Phi-B (GSE)"), ("nT", "Deg.", "Deg."), (), "", "spherical"),
        (("a", "b", "c"), ("km/s", "deg", "deg"), (), "", "spherical"),
        (("rho", "phi", "z"), ("km",), (), "", "cylindrical"),
        (("parallel", "perp1", "perp2"), ("mV/m",), (), "", ""),
        (("T_par", "T_perp1", "T_perp2"), ("eV",), (), "", "diagonal"),
        (("Tx", "Ty", "Tz"), ("K",), (), "", "diagonal"),
        (("Wx", "Wy", "Wz"), ("km/s",), (), "proton thermal speed", "diagonal"),
        (("H+", "He+", "O+"), ("cm^-3",), (), "densities in GSE", "none"),
        (("year", "day", "msec"), ("year", "day", "msec"), (), "", "none"),
        (("Vx_err", "Vy_err", "Vz_err"), ("km/s",), ("x", "y", "z"), "", "none"),
        (("Vx", "Vy", "Vz"), ("km/s", "deg", "deg"), (), "", ""),
        (("Bx", "By"), ("nT",), (), "", ""),
        (("1", "2", "3"), ("km/s",), (), "Velocity in GSE, non-Cartesian coordinates", ""),
        (("1", "2", "3"), ("km/s",), (), "velocity (not cartesian x,y,z)", ""),
        (("1", "2", "3"), ("nT",), (), "errors of Cartesian components, GSE", "none"),
        (("dBx", "dBy", "dBz"), ("nT",), (), "RMS of B GSE", "none"),
        (("Bx", "By", "Bz"), ("nT^2",), (), "variance of field, GSE", "none"),
        (("Vx", "Vy", "Vz"), ("km/s",), (), "proton velocity x,y,z-component (with error bars)", "cartesian"),
        (("Nx", "Ny", "Nz"), ("cm^-3",), (), "", "none"),
        (("B radial", "B tangential", "B normal"), ("nT",), (), "", "cartesian"),
    ],
)
def test_what_three_components_are(labels, units, declared, said, expected):
    assert representation_of(labels, units, declared=declared, description=said) == expected


@in_one_test(
    ("name", "unit", "expected"),
    [
        ("GLON", "deg", 360.0),
        ("Carrington longitude", "degrees", 360.0),
        ("PHI-V Phi-V", "Deg", 360.0),
        ("SIGMA-PHI-V", "Deg", 0.0),
        ("GLAT", "deg", 0.0),
        ("loss cone angle", "deg", 0.0),
        ("x", "deg", None),
        ("longitude", "nT", None),
        ("spin phase", "rad", 2 * np.pi),
        ("mlt", "hr", 24.0),
        ("duration", "h", None),
    ],
)
def test_which_quantities_wrap(name, unit, expected):
    assert period_of(name, unit) == expected


def test_a_stated_fact_is_kept_by_the_store_and_changes_the_digest(tmp_path):
    numbered = replace(vector(), components=("1", "2", "3"))
    stated = replace(numbered, stated_representation="spherical")
    angle = Table(epochs(0, 10), np.array([1.0, 2.0]), unit="deg", name="x", stated_periods=(360.0,))
    for table in (numbered, stated, angle):
        with (tmp_path / "table").open("wb") as file:
            write_table(table, file)
        back = read_table(tmp_path / "table")
        assert (back.representation, back.periods) == (table.representation, table.periods)
        assert back.digest() == table.digest()
    assert stated.digest() != numbered.digest()
    assert angle.digest() != replace(angle, stated_periods=None).digest()


def test_what_names_say_anyway_leaves_the_digest_alone():
    assert replace(vector(), stated_representation="cartesian").digest() == vector().digest()


def test_facts_follow_through_the_tools():
    angles = Table(
        epochs(0, 10, 20), np.ones((3, 3)), components=("r", "lat", "lon"), stated_periods=(None, 0.0, 360.0)
    )
    assert angles.representation == "spherical"
    assert angles.component("lon").periods == (360.0,)
    assert components(angles, keep=["lat", "lon"]).periods == (0.0, 360.0)
    assert components(angles, keep=["lat", "lon"]).representation == "none"
    assert components(vector(), keep=["z", "x", "y"]).representation == "cartesian"
    assert arithmetic(vector(), vector(), operation="subtract").representation == "cartesian"
    assert statistics(vector(), interval=Duration("1min"), of=["mean"]).representation == "cartesian"
    assert statistics(vector(), interval=Duration("1min"), of=["std"]).representation == "none"


def test_a_declaration_corrects_nothing():
    with pytest.raises(StepError, match="are cartesian, so they cannot be declared to be spherical"):
        declare_quantity(vector(), representation="spherical")
    with pytest.raises(StepError, match="has 0 components"):
        declare_quantity(vector().component("Bx"), representation="cartesian")
    longitude = Table(epochs(0), np.ones(1), unit="deg", name="longitude")
    with pytest.raises(StepError, match="'longitude' is already known to wrap"):
        declare_quantity(longitude, wraps="no")
    with pytest.raises(StepError, match="only an angle or a local time can wrap"):
        declare_quantity(vector(), wraps="yes")


def test_facts_that_do_not_fit_the_table_are_refused():
    with pytest.raises(ValueError, match="states the periods of 2 angles, but has 1 component"):
        Table(epochs(0), np.ones(1), stated_periods=(0.0, 360.0))
