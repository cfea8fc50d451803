"""Kinds of panels: each is a class, listed once."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.panels import KINDS
from helio.steps.render.spec import PanelType
from helio.store.table import Axis, Table


def test_every_kind_that_a_spec_may_name_is_a_class():
    assert set(KINDS) == set(get_args(PanelType))
    assert [panel.kind for panel in KINDS.values()] == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_refuses_a_table_with_two_bin_axes(kind):
    epoch = np.array(["2024-05-10"], dtype="datetime64[ns]")
    energy, angle = (
        Axis(label, unit, np.array([1.0, 2.0])) for label, unit in (("energy", "eV"), ("angle", "deg"))
    )
    table = Table(epoch, np.ones((1, 2, 2)), name="flux", axes=(energy, angle))
    with pytest.raises(StepError, match=r"two bin axes \(energy and angle\)"):
        KINDS[kind].check_tables(1, {"FLUX": table})
