"""Quantities by spacecraft, and swapping one spacecraft for another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helio.errors import RequestError, UnknownDataset, UnknownParameter
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import (
    ABS_B,
    SOURCES,
    B,
    QuantitySource,
    quantities,
    rows_of,
    sources_of,
    spacecraft_named,
    swap,
)
from tests.rows import in_one_test


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


@in_one_test("source", SOURCES)
def test_a_source_is_in_the_catalogue_with_its_unit(source: QuantitySource, catalogue: Catalogue):
    entry = catalogue.dataset(source.dataset)
    assert entry.id == source.dataset
    assert entry.spacecraft == source.spacecraft
    if not entry.parameters:  # the catalogue describes none
        return
    for name in source.parameters:
        assert entry.parameter(name).canonical_unit == source.unit
    if source.frame:
        assert len(source.parameters) == 3 or entry.parameter(source.parameters[0]).components in (3, 4)


def test_the_preferred_source_comes_first_and_fallbacks_after():
    density = sources_of("proton density", "ACE")
    assert [source.dataset for source in density] == ["AC_H0_SWE", "AC_K0_SWE", "AC_H2_SWE"]
    assert [source.frame for source in sources_of("magnetic field vector", "ace", frame="RTN")] == ["RTN"]
    assert sources_of("Dst", "ACE") == []
    assert {"SYM-H", "Dst", "AE", "dynamic pressure", "ion energy spectrogram"} <= set(quantities())


def test_a_field_of_ace_becomes_a_field_of_wind_in_the_same_frame(catalogue: Catalogue):
    found = swap("AC_H0_MFI", "BGSM", "Wind", catalogue=catalogue)
    assert (found.dataset, found.parameters, found.frame, found.unit) == ("WI_H0_MFI", ("BGSM",), "GSM", "nT")
    assert found.differences == ("cadence 1 min instead of 16 s",)


def test_components_that_the_archive_keeps_apart_come_as_three(catalogue: Catalogue):
    found = swap("AC_H0_MFI", "BGSEc", "OMNI", catalogue=catalogue)
    assert found.parameters == ("BX_GSE", "BY_GSE", "BZ_GSE")
    assert "number of parameters: 3 instead of 1" in found.differences
    assert "shifted to the bow shock's nose" in found.differences


def test_another_unit_is_told_and_not_converted(catalogue: Catalogue):
    found = swap("AC_H0_SWE", "Tpr", "Wind", catalogue=catalogue)
    assert found.unit == "eV"
    assert "unit eV instead of K" in found.differences


def test_other_bins_are_told(catalogue: Catalogue):
    found = swap("SOHO_ERNE-HED_L2-1MIN", "PH", "STEREO-A", catalogue=catalogue)
    assert (found.dataset, found.parameters) == ("STA_L1_HET", ("Proton_Flux",))
    assert "size [11] instead of [10]" in found.differences


@pytest.mark.parametrize(
    ("dataset", "parameter", "to", "expected"),
    [
        (
            "MMS1_EDP_BRST_L2_DCE",
            "mms1_edp_dce_gse_brst_l2",
            "MMS4",
            "MMS4_EDP_BRST_L2_DCE.mms4_edp_dce_gse_brst_l2",
        ),
        ("THA_L2_ESA", "tha_peir_en_eflux", "THEMIS-D", "THD_L2_ESA.thd_peir_en_eflux"),
        ("RBSPA_EFW-L3", "density", "RBSP-B", "RBSPB_EFW-L3.density"),
        ("STA_L1_HET", "Proton_Flux", "STEREO B", "STB_L1_HET.Proton_Flux"),
        ("C1_CP_FGM_SPIN", "B_mag__C1_CP_FGM_SPIN", "cluster 3", "C3_CP_FGM_SPIN.B_mag__C3_CP_FGM_SPIN"),
    ],
)
def test_within_a_family_every_parameter_that_both_have_is_swapped(
    catalogue: Catalogue, dataset: str, parameter: str, to: str, expected: str
):
    found = swap(dataset, parameter, to, catalogue=catalogue)
    assert f"{found.dataset}.{found.parameters[0]}" == expected
    assert found.differences == ()


def test_a_frame_is_never_changed(catalogue: Catalogue):
    with pytest.raises(RequestError, match="in GSM, and it keeps the frame") as found:
        swap("AC_H0_MFI", "BGSM", "PSP", catalogue=catalogue)
    assert "in RTN" in found.value.advice


def test_what_the_table_does_not_know_is_not_guessed(catalogue: Catalogue):
    with pytest.raises(RequestError, match="does not know which quantity"):
        swap("AC_H0_MFI", "dBrms", "Wind", catalogue=catalogue)


def test_what_a_spacecraft_does_not_have_is_said(catalogue: Catalogue):
    with pytest.raises(RequestError, match="helio knows no dataset with the SYM-H of ACE"):
        swap("OMNI_HRO_1MIN", "SYM_H", "ACE", catalogue=catalogue)


def test_the_same_spacecraft_is_no_swap(catalogue: Catalogue):
    with pytest.raises(RequestError, match="already a dataset of ACE"):
        swap("AC_H0_MFI", "BGSM", "ace", catalogue=catalogue)


def test_unknown_names_are_told_apart(catalogue: Catalogue):
    with pytest.raises(UnknownDataset):
        swap("AC_H0_MFY", "BGSM", "Wind", catalogue=catalogue)
    with pytest.raises(UnknownParameter):
        swap("AC_H0_MFI", "BGSX", "Wind", catalogue=catalogue)
    with pytest.raises(RequestError, match="no quantities of a spacecraft 'Sputnik'"):
        spacecraft_named("Sputnik")


def test_a_key_parameter_dataset_is_recognised_by_the_parameters_of_its_instrument(catalogue: Catalogue):
    new = swap("AC_K2_MFI", "BGSEc", "Wind", catalogue=catalogue)
    assert (new.quantity, new.dataset, new.parameters, new.frame) == (B, "WI_H0_MFI", ("BGSE",), "GSE")
    assert new.differences == ("cadence 1 min instead of 1 h",)


def test_recognised_rows_have_the_cadence_of_their_own_dataset(catalogue: Catalogue):
    rows = rows_of(catalogue.dataset("AC_K2_MFI"))
    assert [(row.quantity, row.parameters, row.frame, row.cadence, row.note) for row in rows] == [
        (B, ("BGSEc",), "GSE", 3600, "preliminary"),
        (ABS_B, ("Magnitude",), "", 3600, "preliminary"),
    ]


def test_a_recognised_parameter_has_the_frame_that_its_file_names(catalogue: Catalogue):
    entry = catalogue.dataset("AC_K2_MFI")
    turned = tuple(
        replace(parameter, frame="RTN") for parameter in entry.parameters if parameter.name == "BGSEc"
    )
    assert rows_of(replace(entry, parameters=turned)) == []


def test_rows_of_the_table_come_first_and_once(catalogue: Catalogue):
    rows = rows_of(catalogue.dataset("AC_K1_MFI"))
    assert rows[0] in SOURCES
    assert [row.parameters for row in rows] == [("BGSEc",), ("Magnitude",)]
