"""Sentences in which a word could be lost: each vector has its frame; what no figure can show is refused."""

import re

from helio.authoring.outcome import NotUnderstood, TemplateDraft
from tests.rows import in_one_test

FETCHED = (
    # each quantity has its own frame, and a frame at the end holds for all vectors
    ("MMS1 density, V in GSE, B in GSM, 16 Oct 2015 13:00-13:10",
     ["mms1_dis_numberdensity_fast", "mms1_dis_bulkv_gse_fast", "mms1_fgm_b_gsm_srvy_l2"]),
    ("MMS1 velocity GSE and B GSM 2015-10-16", ["mms1_dis_bulkv_gse_fast", "mms1_fgm_b_gsm_srvy_l2"]),
    ("MMS1 GSE velocity and GSM B 2015-10-16", ["mms1_dis_bulkv_gse_fast", "mms1_fgm_b_gsm_srvy_l2"]),
    ("ACE B in RTN and V in GSE, 2 April 2001", ["BRTN", "V_GSE"]),
    ("ACE B, V, n in GSE 2004-11-07", ["BGSEc", "V_GSE", "Np"]),
    ("ACE B in GSE, Wind B in GSM 2004-11-07", ["BGSEc", "BGSM"]),
    ("Wind Bz in GSE and GSM, 2004-11-07", ["BGSE", "BGSM"]),
    # each word for a quantity is drawn
    ("MMS1 E, B 2015-10-16", ["mms1_edp_dce_gse_fast_l2", "mms1_fgm_b_gse_srvy_l2"]),
    ("ACE B and plasma parameters 2004-11-07", ["BGSEc", "Np", "Vp", "Tpr"]),
    ("ACE mag and plasma 2004-11-07", ["BGSEc", "Np", "Vp", "Tpr"]),  # no colour scale
    ("MMS1 B E V 2015-10-16", ["mms1_fgm_b_gse_srvy_l2", "mms1_edp_dce_gse_fast_l2", "mms1_dis_bulkv_gse_fast"]),
    ("ACE n B 2004-11-07", ["Np", "BGSEc"]),
    ("ACE B clock angle 2004-11-07", ["BGSM"]),
    # letters in small print, and the names of spacecraft in a list
    ("cassini b jan 2004", ["B_comp"]),
    ("b, n, v and t from ace 2004-11-07", ["BGSEc", "Np", "Vp", "Tpr"]),
    ("ACE v Wind speed 2004-11-07", ["Vp", "Proton_V_nonlin"]),
    ("THEMIS A and B |B| 2010-01-01", ["tha_fgs_btotal", "thb_fgs_btotal"]),
    ("rbspa hope proton omni 2015-03-17", ["FPDO"]),
    ("Dst for the St. Patrick's Day 2015 storm", ["DST"]),
    ("SYM-H for the Halloween 2003 storm", ["SYM_H"]),
    ("AC_H2_MFI.BGSEc and Dst 2004-11-07", ["BGSEc", "DST"]),
    ("density from SWEPAM and Wind SWE 2004-11-07", ["Np", "Proton_Np_nonlin"]),
    ("ACE Bz, same for Wind, 2004-11-07", ["BGSEc", "BGSE"]),
    ("1) ACE B 2) ACE density 3) Dst, 2004-11-07", ["BGSEc", "Np", "DST"]),
    ("ACE MAG + SWEPAM, 7 Nov 2004", ["Np", "Vp", "Tpr", "BGSEc"]),
    ("|B| and its components, Wind, 2004-11-07", ["BGSE"]),
    # particles belong to what is measured of them
    ("entropy of protons at Wind, Jan 2007", ["Proton_Np_nonlin", "P_TEMP"]),
    ("density of electrons Wind 2004-11-07", ["N_elec"]),
    # the measured spiral angle beside that of Parker
    ("Parker spiral angle vs measured, ACE 2008", ["BRTN", "Vp"]),
    # a species that helio computes for
    ("electron plasma frequency at Wind, 1 Jan 2008", ["N_elec"]),
    ("helium gyrofrequency and electron gyroradius at Wind, 1 Jan 2008", ["BF1", "T_elec"]),
    # a day behind a flyby is no number of it
    ("Ulysses Jupiter flyby 8 Feb 1992 |B|", ["B_MAG"]),
    # a field is that of the spacecraft beside it
    ("Wind B plus Bz of ACE, 2004-11-07", ["BGSE", "BGSEc"]),
    ("ACE MAG |B| 2004-11-07", ["Magnitude"]),
    ("Cassini MAG near Jupiter: |B| on 2001-01-05", ["B_mag"]),
    ("ACE MAG and |B| 2004-11-07", ["BGSEc"]),
    ("Bz of ACE, but B of Wind, 2004-11-07", ["BGSEc", "BGSE"]),
    # words that only describe the time or the place
    ("Wind density of the quiet day 2004-11-17 if possible", ["Proton_Np_nonlin"]),
    ("ACE upstream density at L1, 2004-11-07", ["Np"]),
    ("daily overview of ACE 2004-11-07: density", ["Np"]),
)  # fmt: skip
REFUSED = (
    # a line that the sentence wants beside others, and that the figure would not draw
    ("ACE Bz and a histogram of it, July 2010", "only the histogram"),
    ("difference of Bz between ACE and Wind for July 2010, and a histogram of it", "only the histogram"),
    ("lag between ACE and Wind density, 3 h blocks, July 2004, plus both densities", "both densities"),
    ("ratio of ACE and Wind |B|, 1 Sep 2017, and both fields", "both fields"),
    ("cone angle from OMNI plus THEMIS-C field magnitude, 14 July 2008", "THEMIS-C field magnitude"),
    ("plasma beta from Wind plus the field of ACE, July 2010", "field of ACE"),
    ("Alfven speed from ACE plus DSCOVR density, July 2017", "DSCOVR density"),
    ("average the Wind field over 10 min, with |B|, 10 July 2010", "magnitude alone"),
    ("MMS1 FGM in GSE, 16 Oct 2015 12:30 to 13:30, and the total field", "magnitude alone"),
    # lines that may only be inputs, and averages of averages
    ("cross helicity over 1 h windows, Wind 3DP ion velocity and MFI field, 2008-02-12", "only to compute"),
    ("PSP beta with QTN density and SPAN-i temperature, 4 April 2021", "only to compute"),
    (
        "RBSP-B WFR BuBu spectrogram with fce on top of it, 14 January 2013",
        "over the spectrogram, or in a panel above",
    ),
    (
        "clock angle from DSCOVR 1 s mag averaged to 1 min, 20 Dec 2015",
        "data or the clock angle are averaged",
    ),
    (
        "ACE density hourly mean and standard deviation of each hour, Jan 2001",
        "averages of the same intervals",
    ),
    ("ACE Bz and its hourly mean, July 2010, save only the hourly mean as csv", "more than 'hourly mean'"),
    # a range of the data, or of the axis; windows that cannot show a frequency
    ("Wind V, July 2010, only between 300 and 700 km/s", "limits the data or the axis"),
    ("ACE V only from 300 to 700 km/s, July 2010", "limits the data or the axis"),
    (
        "MAVEN SWIA ion spectrogram and SWEA electron spectrogram, 2015-03-08, both spectra log",
        "two axes 'both' means",
    ),
    ("ACE B and E, A red, July 2010", "which line 'A' is"),
    ("ACE Bz power spectrogram 1-5 mHz, 2-min windows, 18 Feb 2011", "too short for 0.001 Hz"),
    ("Wind B and V in GSE and GSM 2004-11-07", "which vector"),
    ("ACE density in GSE 2004-11-07", "in GSE"),
    ("ACE B >10 MeV 2004-11-07", "10 MeV"),
    ("ratio of ACE and Wind density, and ACE B 2004-11-07", "ACE_B"),
    ("gyroradius of alpha particles at Wind, 1 Jan 2008", "such quantity of 'alpha'"),
    ("oxygen gyroradius for RBSP-A, 17 March 2015", "such quantity of 'oxygen'"),
    ("measured and predicted SYM-H, Nov 2004", "'predicted'"),
    ("compare ACE speed 2004-11-07", "'compare'"),
    ("MMS1 and MMS2 B and the distance between them 2015-10-16", "separation"),
    ("ACE B/n 2004-11-07", "'B/n'"),
    ("ACE density over speed 2004-11-07", "'over'"),
    ("-Bz of ACE, 2004-11-07", "'-Bz'"),
    ("SYM-H during storms in 2015", "'storms'"),
    ("ACE speed, all CIRs of 2008", "'CIRs'"),
    ("ACE speed in quiet times 2009", "'quiet'"),
    ("nightside THEMIS-A B 2008-02-26", "'nightside'"),
    ("MAVEN upstream density, Nov 2015", "'upstream'"),
    ("Wind density while Bz is low, 2004-11-07", "'while'"),
    ("forget the temperature: ACE density and speed 2004-11-07", "'forget'"),
    ("absolute value of ACE Bz 2004-11-07", "'absolute value'"),
    ("ACE B and coordinates 2004-11-07", "'coordinates'"),
    ("Wind B, only Bz of ACE, 2004-11-07", "'only'"),
    ("Wind position in R_E, 2010, X only", "'only'"),
    ("Bz and its absolute value, OMNI, 6 November 2018", "absolute value"),
    ("ACE speed in km/s and Wind's in m/s, 2004-11-07", "which data to draw in km/s"),
    ("Wind density 1-h running mean minus 10-min running mean, 2 Feb 2012", "two averages"),
    ("RBSP-A and B density, B on top, 17 March 2013", "'B' is a field or a spacecraft"),
    ("OMNI V and n 11 May 2024, n in the top panel, smoothed V (30 min) below", "which of its quantities"),
    ("ACE V and n, 2004-11-07, save the hourly means of n as csv", "not 'hourly means of n'"),
    # words that elsewhere only join others
    ("ACE over Wind |B|, 2004-11-07", "'over'"),
    ("|B| of ACE over that of Wind, 2004-11-07", "'over that of'"),
    ("THEMIS-A ESA ion spectrogram with the density over it, 2009-03-01", "'over it'"),
    ("Wind n and V in a single red panel, 2004-11-07", "'single'"),
    # a place that no line has
    ("Wind |B| and its power spectrum, spectrum on top, 2004-11-07", "'spectrum on top'"),
    ("Wind |B| with its running mean over 1 h at the top, 2004-11-07", "at the top'"),
    ("RBSP-A HOPE O+ and H+ spectrograms, H+ on top, 2013-06-01", "'H\\+ on top'"),
    ("hourly mean of Wind |B|, 2004-11-07, with the raw data below", "above what it computes"),
    ("STEREO-A and STEREO-B |B| in one panel, STEREO-B first, June 2010", "in all panels"),
    ("Dst, Kp and AE with SYM-H overlaid, March 2015", "which lines share"),
    # a spacecraft that is named again
    ("ACE and Wind n and 2 times the Wind n, 2004-11-07", "of which spacecraft"),
    # words that fit much of the catalogue
    ("time series of Wind |B| on top, spectrum below, 2004-11-07", "'spectrum'"),
    ("MMS1 electron bulk velocity and ion bulk velocity, z components, 2015-10-16", "'z'"),
    ("save ACE density only as csv but plot density and speed, 2 Feb 2012", "'plot'"),
    ("geomagnetic indices on 2015-03-17", "SYM-H, .*Dst, Kp"),
    ("ACE Bz and the geomagnetic indices, 2015-03-17", "'geomagnetic indices'"),
    ("running median of Wind density over 11 points, 2017-09-07", "'11 points'"),
    ("Wind density, 11-point median, 2017-09-07", "'11-point'"),
    ("Wind density, 11 points, 2017-09-07", "'11 points'"),
)


@in_one_test(("sentence", "parameters"), FETCHED)
def test_every_word_with_a_meaning_is_drawn(author, sentence, parameters):
    outcome = author.create(sentence)
    assert isinstance(outcome, TemplateDraft), outcome
    fetched = []
    for step in outcome.template["steps"]:
        args = step["tool_args"]
        if step["tool_name"] == "fetch_data":
            fetched.append(args.get("candidates", [args])[0]["parameter_id"])
    assert fetched == parameters


@in_one_test(("sentence", "named"), REFUSED)
def test_a_word_that_would_be_lost_is_refused(author, sentence, named):
    try:
        outcome = author.create(sentence)
    except NotUnderstood as error:
        assert re.search(named, str(error)), error
    else:
        raise AssertionError(outcome)
