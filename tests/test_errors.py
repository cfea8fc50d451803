"""The words of errors that every part shares."""

from helio.errors import closest, did_you_mean


def test_a_misspelt_name_finds_the_known_ones_best_first():
    known = ["AC_H0_MFI", "AC_H2_MFI", "WI_H0_MFI", "PSP_FLD_L2_MAG_RTN_1MIN"]
    assert closest("AC_H0_MFY", known)[0] == "AC_H0_MFI"
    assert len(closest("A_H_MFI", known * 3)) <= 3


def test_a_name_in_the_wrong_case_is_found_as_it_is_spelt():
    assert closest("bgsec", ["BGSM", "BGSEc", "Magnitude"])[0] == "BGSEc"


def test_a_name_like_nothing_known_gets_no_suggestion():
    assert closest("Np", ["BGSEc", "Magnitude"]) == ()
    assert did_you_mean("Np", ["BGSEc"]) == ""
    assert did_you_mean("Np", ["BGSEc"], otherwise="there is: BGSEc") == "there is: BGSEc"


def test_the_question_names_the_suggestions_in_quotes():
    assert did_you_mean("B_gse", iter(["B_GSE", "B_GSM"])) == "did you mean 'B_GSE' or 'B_GSM'?"
