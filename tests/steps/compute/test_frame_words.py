"""A turned vector does not go on saying that it is in the frame it came from."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch
from helio.pipelines.runs.call import call_tool
from helio.steps.compute.frame_words import words_in_frame
from helio.steps.compute.rotate import rotate
from helio.steps.compute.rotate_to_axes import rotate_to_axes
from helio.steps.compute.statistics import statistics
from helio.steps.compute.transform_frame import transform_frame
from helio.time_range import Duration
from tests.rows import in_one_test
from tests.steps.solar_wind import field, speed, vectors


@in_one_test(
    ("text", "old", "new", "expected"),
    [
        ("Magnetic field vector in GSE cartesian", "GSE", "GSM", "Magnetic field vector in GSM cartesian"),
        (
            "Magnetic field vector in Geocentric Solar Ecliptic (GSE) cartesian coordinates plus Bt",
            "GSE",
            "GSM",
            "Magnetic field vector in GSM cartesian coordinates plus Bt",
        ),
        ("mms1_fgm_r_gse_brst_l2", "GSE", "GSM", "mms1_fgm_r_gsm_brst_l2"),
        ("UceGSE", "GSE", "GSM", "UceGSM"),
        ("B_RTN", "RTN", "LMN", "B_LMN"),
        ("wind smoothed in SM", "SM", "GSE", "wind smoothed in GSE"),
        ("small sm", "SM", "GSE", "small sm"),
        ("B", "GSE", "GSM", "B"),
        ("in GSE", "", "GSM", "in GSE"),
        ("in GSE", "GSE", "GSE", "in GSE"),
        ("", "GSE", "GSM", ""),
    ],
)
def test_the_old_frame_gives_way_to_the_new(text, old, new, expected):
    vector = replace(field(old), name=text, description=text)
    assert words_in_frame(vector, new) == {"name": expected, "description": expected}


def ace():
    return replace(field("GSE"), name="B_GSE", description="Magnetic field vector in GSE cartesian")


def test_what_is_transformed_is_described_in_its_new_frame():
    turned = transform_frame(ace(), to="GSM")
    assert (turned.frame, turned.name) == ("GSM", "B_GSM")
    assert turned.description == "Magnetic field vector in GSM cartesian"


def test_what_is_rotated_is_described_in_its_new_frame():
    turned = rotate(ace(), matrix=np.eye(3).tolist(), frame="LMN")
    assert turned.description == "Magnetic field vector in LMN cartesian"
    axes = vectors([[1.0, 0, 0, 0, 1, 0, 0, 0, 1]], unit="", name="axes ", frame="GSE", letters="123456789")
    assert rotate_to_axes(ace(), axes).description == "Magnetic field vector in LMN cartesian"


def test_checks_of_frames_are_not_turned_round():
    """The mean of B_z in GSE was taken for GSM, and that of B_z in GSM, once GSE, was refused."""
    call = {"velocity": {"v": speed()}}
    args = {"velocity_label": "v", "bz_label": "bz", "output_label": "e"}

    def mean(vector):
        return replace(
            statistics(vector.component("Bz"), interval=Duration("1min"), of=["mean"]), epoch=speed().epoch
        )

    gse = mean(ace())
    with pytest.raises(FrameMismatch, match="is in GSE"):
        call_tool("vbs", args, {**call, "bz": {"bz": gse}})
    gsm = mean(transform_frame(ace(), to="GSM"))
    assert call_tool("vbs", args, {**call, "bz": {"bz": gsm}}).unit == "mV/m"
