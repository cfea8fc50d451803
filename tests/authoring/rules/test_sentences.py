"""Sentences as physicists type them, read into pipelines: the labels that the figure draws, and the time."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.authoring.graph import read_graph
from benchmarks.authoring.tasks import base_text
from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.errors import HelioError
from tests.authoring.rules.conftest import NOW
from tests.rows import in_one_test

BASES = Path(__file__).parents[3] / "benchmarks" / "authoring" / "independent"

CREATED = (
    ("Solar Orbiter B radial and tangential components, 2022-03-01", [["SolO_Br"], ["SolO_Bt"]],
     "2022-03-01 to 2022-03-02"),
    ("Wind |B| from 2017-09-07 12 to 2017-09-08 12", [["Wind_Bmag"]], "2017-09-07T12:00:00 to 2017-09-08T12:00:00"),
    ("Mars MAVEN SWIA density and |B|, 2016-03-01", [["MAVEN_n"], ["MAVEN_Bmag"]], "2016-03-01 to 2016-03-02"),
    ("THEMIS C ion spectrogram lunar orbit 2013-02-01", [["THEMISC_ions"]], "2013-02-01 to 2013-02-02"),
    ("GOES-13 |B| at geostationary orbit, 2013-03-17", [["GOES13_Bmag"]], "2013-03-17 to 2013-03-18"),
    ("THEMIS C density and lunar orbit 2013-02-01", [["THEMISC_n"], ["THEMISC_position"]], "2013-02-01 to 2013-02-02"),
    ("plz plot wind B gse and proton density from 2012-03-08 till 2012-03-10", [["Wind_B"], ["Wind_n"]],
     "2012-03-08 to 2012-03-10"),
    ("What did IMP 8 see before the March 1989 storm? Plot its proton flow speed for 10-13 March 1989.", [["IMP8_V"]],
     "1989-03-10 to 1989-03-14"),
    ("How Alfvénic is the wind at ACE from 20 to 24 August 2008? cross helicity, running window 3 h", [["ACE_sigmac"]],
     "2008-08-20 to 2008-08-25"),
    ("Is the wind sub-Alfvénic? V/V_A of Parker Solar Probe, 28 April 2021", [["PSP_V_over_PSP_VA"]],
     "2021-04-28 to 2021-04-29"),
    ("where was the magnetopause? Shue98 standoff from OMNI 5 min, 17 Mar 2015", [["OMNI_r0"]],
     "2015-03-17 to 2015-03-18"),
    ("Te and Ni seen by the FPMU on the space station, 2015-03-17", [["ISS_T_e"], ["ISS_N_i"]],
     "2015-03-17 to 2015-03-18"),
    ("MAVEN magnetic field and SWIA ion density, 12-13 Sep 2017 (ICME + SEP at Mars)", [["MAVEN_B"], ["MAVEN_n"]],
     "2017-09-12 to 2017-09-14"),
    ("hourly EPHIN proton intensties, Sept 2017", [["SOHO_protons"]], "2017-09-01 to 2017-10-01"),
    ("pressure-corrected Dst next to plain Dst in one panel, hourly OMNI, Nov 2003", [["OMNI_Dststar", "OMNI_Dst"]],
     "2003-11-01 to 2003-12-01"),
    ("STEREO B magnetic field RTN 23/07/2012", [["STB_B"]], "2012-07-23 to 2012-07-24"),
    ("Wind B gse 03.02.2015", [["Wind_B"]], "2015-02-03 to 2015-02-04"),
    ("Wind B gse on 2015/02/03", [["Wind_B"]], "2015-02-03 to 2015-02-04"),
    ("cluster c3 magnetic field magnitude, jan 1st 2004", [["Cluster3_Bmag"]], "2004-01-01 to 2004-01-02"),
    ("MMS 1-4 |B| in one panel 2015-10-16T13:00/2015-10-16T13:10", [[f"MMS{n}_Bmag" for n in (1, 2, 3, 4)]],
     "2015-10-16T13:00:00 to 2015-10-16T13:10:00"),
    ("compute the dynamic pressure from Wind SWE density and speed and put the OMNI pressure in the same panel. "
     "Bastille day storm, 14-16 July 2000", [["OMNI_Pressure", "Wind_Pdyn"]], "2000-07-14 to 2000-07-17"),
    ("Ram pressure from the Wind plasma data, hourly means, June 21-24, 2015", [["Wind_Pdyn_binned"]],
     "2015-06-21 to 2015-06-25"),
    ("ACE SWEPAM He++/H+ ratio and proton density, 3 March 2001", [["ACE_alphas"], ["ACE_n"]],
     "2001-03-03 to 2001-03-04"),
    ("ACE He2+/H+ density ratio on 3 March 2001", [["ACE_alphas"]], "2001-03-03 to 2001-03-04"),
    ("SWICS O7/O6 from Ulysses, 1994", [["Ulysses_O7O6"]], "1994-01-01 to 1995-01-01"),
    ("MMS1 ion and electron spectrograms, 11 July 2017", [["MMS1_ions"], ["MMS1_electrons"]],
     "2017-07-11 to 2017-07-12"),
    ("MMS2 electron omni energy spectrogram on December 8, 2016", [["MMS2_electrons"]],
     "2016-12-08 to 2016-12-09"),
    ("Van Allen Probe A Bz in SM, 17 March 2015", [["RBSPA_Bz"]], "2015-03-17 to 2015-03-18"),
    ("Polar cap index (Thule, PCN) and AE for 8 March 2012", [["OMNI_PC"], ["OMNI_AE"]],
     "2012-03-08 to 2012-03-09"),
    ("SWIA proton moments density velocity, MAVEN 8 March 2015", [["MAVEN_n"], ["MAVEN_Vvec"]],
     "2015-03-08 to 2015-03-09"),
    ("wind 3dp electron moments (density, temperature) 2004-11-07", [["Wind_Ne"], ["Wind_Te"]],
     "2004-11-07 to 2004-11-08"),
    ("Cluster 1, 4 s |B|, 1 Feb 2002", [["Cluster1_Bmag"]], "2002-02-01 to 2002-02-02"),
    ("EMFISIS B in SM and |B|, RBSP-A, 4 s, Oct 8-9 2013", [["RBSPA_B"], ["RBSPA_Bmag"]],
     "2013-10-08 to 2013-10-10"),
    ("THEMIS A to C, Bz GSM, 26 Feb 2008, one panel", [["THEMISA_Bz", "THEMISB_Bz", "THEMISC_Bz"]],
     "2008-02-26 to 2008-02-27"),
    ("RBSP-A position and magnetic field on 17 March 2013", [["RBSPA_position"], ["RBSPA_B"]],
     "2013-03-17 to 2013-03-18"),
    ("wind speed from 1997 to 1998", [["Wind_V"]], "1997-01-01 to 1999-01-01"),
    ("ACE |B| from 10 to 12 May 2004", [["ACE_Bmag"]], "2004-05-10 to 2004-05-13"),
    ("Voyager 1 magnetic field strength 1979-03", [["Voyager1_Bmag"]], "1979-03-01 to 1979-04-01"),
    ("MAVEN solar wind density, Sept 2017", [["MAVEN_n"]], "2017-09-01 to 2017-10-01"),
    ("Dst index for 2003, November", [["OMNI_Dst"]], "2003-11-01 to 2003-12-01"),
    ("ap index during October and November 2003", [["OMNI_ap"]], "2003-10-01 to 2003-12-01"),
    ("Kp 2003-2005", [["OMNI_Kp"]], "2003-01-01 to 2006-01-01"),
    ("ACE |B| 10 and 11 May 2004", [["ACE_Bmag"]], "2004-05-10 to 2004-05-12"),
    ("ACE |B| for 3 days from 2004-05-10", [["ACE_Bmag"]], "2004-05-10 to 2004-05-13"),
    ("i need density (log) and velocity of wind for halloween storm 2003", [["Wind_n"], ["Wind_Vvec"]],
     "2003-10-28 to 2003-11-02"),
    ("fft of B magnitude ACE for 2004-11-08, 1 hour window", [["ACE_Bmag_power"]], "2004-11-08 to 2004-11-09"),
    ("wind magnetic field in nT and density in m^-3, 1998-05-04", [["Wind_B"], ["Wind_n_m3"]],
     "1998-05-04 to 1998-05-05"),
    ("proton temperature in eV at ACE, 2001 day 90 to 95", [["ACE_T_eV"]], "2001-03-31 to 2001-04-06"),
    ("Show electron energy spectrogram from THEMIS-C for 2009-03-15 0200-0400 UT", [["THEMISC_electrons"]],
     "2009-03-15T02:00:00 to 2009-03-15T04:00:00"),
    (">10 and >60 MeV proton flux from OMNI in one panel, sept 2017", [["OMNI_PR-FLX_10", "OMNI_PR-FLX_60"]],
     "2017-09-01 to 2017-10-01"),
    ("THEMIS-E |B|, with L, MLT and position under the time axis, 2010-01-01", [["THEMISE_Bmag"]],
     "2010-01-01 to 2010-01-02"),
    ("trace power spectrum of the Wind 11 Hz field on 1 Feb 2002 12-18 UT, 10 min windows", [["Wind_B_power"]],
     "2002-02-01T12:00:00 to 2002-02-01T18:00:00"),
    ("compare the solar wind speed at Wind and ACE with the difference underneath, 2003-10-29",
     [["Wind_V", "ACE_V"], ["Wind_V_minus_ACE_V"]], "2003-10-29 to 2003-10-30"),
    ("EFW density RBSPB 2014-02-19, with L and MLT written under the time axis", [["RBSPB_density"]],
     "2014-02-19 to 2014-02-20"),
    ("Mars: MAVEN B in MSO and |B|, 2014-12-04 10:00-14:00", [["MAVEN_B"], ["MAVEN_Bmag"]],
     "2014-12-04T10:00:00 to 2014-12-04T14:00:00"),
    ("V1 48-s B (R,T,N) in the VLISM, days 100-110 of 2020", [["Voyager1_B"]], "2020-04-09 to 2020-04-20"),
    ("ACE and Wind B in GSE, only Bz, 2003-10-29", [["ACE_Bz", "Wind_Bz"]], "2003-10-29 to 2003-10-30"),
    # a magnitude alone, or beside its vector; the field of a magnetometer is no other one
    ("Wind magnetometer |B|, 17 March 2015", [["Wind_Bmag"]], "2015-03-17 to 2015-03-18"),
    ("GOES 16 mag 2022-02-03 to 2022-02-04, total field", [["GOES16_Bmag"]], "2022-02-03 to 2022-02-04"),
    ("take the ACE magnetic field of 24 Dec 2001 and draw its magnitude", [["ACE_Bmag"]], "2001-12-24 to 2001-12-25"),
    ("plot the Wind 3DP velocity on 24 Dec 2001 and show its magnitude", [["Wind_Vvec"], ["Wind_V"]],
     "2001-12-24 to 2001-12-25"),
    ("Take the Wind 3DP velocity on 24 Dec 2001 and plot its magnitude, with a 5-minute running median below",
     [["Wind_V"], ["Wind_V_median"]], "2001-12-24 to 2001-12-25"),
    ("MMS3 ion velocity, 2015-09-08, only its magnitude", [["MMS3_V"]], "2015-09-08 to 2015-09-09"),
    ("ExB drift speed of MMS3, 2015-09-08", [["MMS3_EBdriftvelocitymagnitude"]], "2015-09-08 to 2015-09-09"),
    ("PSP radial proton velocity from SPC, 28 January 2020", [["PSP_Vvecr"]], "2020-01-28 to 2020-01-29"),
    ("ACE temp and dens, May 2012", [["ACE_T"], ["ACE_n"]], "2012-05-01 to 2012-06-01"),
    # the letter of a spacecraft is no boron
    ("STEREO-B, 7 November 2010: density", [["STB_n"]], "2010-11-07 to 2010-11-08"),
    # lines over the data, and a list of panels
    ("ACE speed, hourly means, June 2004, with its 6 h running mean in the same panel",
     [["ACE_V_binned", "ACE_V_binned_smooth"]], "2004-06-01 to 2004-07-01"),
    ("ACE Bz, and the density above 2010-05-01", [["ACE_n"], ["ACE_Bz"]], "2010-05-01 to 2010-05-02"),
    ("PSP B radial and tangential components 2021-04-28", [["PSP_Br"], ["PSP_Bt"]], "2021-04-28 to 2021-04-29"),
    ("Electron density and ion density of MMS3 in a single panel, electrons smoothed over 1 min, 2017-07-11",
     [["MMS3_Ne_smooth", "MMS3_n"]], "2017-07-11 to 2017-07-12"),
    ("Wind proton and alpha density, protons smoothed over 1 h, 2012-07-22",
     [["Wind_n_smooth"], ["Wind_nalpha"]], "2012-07-22 to 2012-07-23"),
    ("Wind |B| with its power spectrum below, speed hourly mean, 2012-07-22",
     [["Wind_Bmag"], ["Wind_Bmag_power"], ["Wind_V_binned"]], "2012-07-22 to 2012-07-23"),
    ("Wind hourly V, n in red, T, 2012-07-22",
     [["Wind_V_binned"], ["Wind_n_binned"], ["Wind_T_binned"]], "2012-07-22 to 2012-07-23"),
    ("ACE speed and its mean over 1 h, June 2004", [["ACE_V"], ["ACE_V_binned"]], "2004-06-01 to 2004-07-01"),
    ("ACE speed and its hourly mean and its 6 h running mean, same panel, June 2004",
     [["ACE_V", "ACE_V_binned", "ACE_V_smooth"]], "2004-06-01 to 2004-07-01"),
    ("Compute the Alfvén Mach number from Wind data for 24 April 2023, panels: |B|, proton density, Mach number.",
     [["Wind_Bmag"], ["Wind_n"], ["Wind_MA"]], "2023-04-24 to 2023-04-25"),
    ("MMS4 ion and electron density in the same panel, 2017-06-17. Electrons in red, ions in blue.",
     [["MMS4_n", "MMS4_Ne"]], "2017-06-17 to 2017-06-18"),
    ("Polar Hydra electron density, 24 Sep 1998, in logarithmic; below it the OMNI Pdyn (1 min)",
     [["Polar_DENSITY_ELE"], ["OMNI_Pdyn"]], "1998-09-24 to 1998-09-25"),
    # remarks about a person, and names of crossings
    ("I'm a PhD student writing my first chapter: OMNI solar wind speed in 2008", [["OMNI_V"]],
     "2008-01-01 to 2009-01-01"),
    ("for the ionosphere lot: Wind |B| 2010-04-05", [["Wind_Bmag"]], "2010-04-05 to 2010-04-06"),
    # hours beside a look, and pronouns
    ("omni speed 17 mar 2015 from 0300 to 0500, green", [["OMNI_V"]], "2015-03-17T03:00:00 to 2015-03-17T05:00:00"),
    ("ace density 17 march 2015 08-10 ut log", [["ACE_n"]], "2015-03-17T08:00:00 to 2015-03-17T10:00:00"),
    ("AE/AL 26 Feb 2008 03:00-07:00 UT, one minute", [["OMNI_AE"], ["OMNI_AL"]],
     "2008-02-26T03:00:00 to 2008-02-26T07:00:00"),
    ("ACE n 3 dec 2003 12 UT till 4 dec 2003 12 UT log", [["ACE_n"]], "2003-12-03T12:00:00 to 2003-12-04T12:00:00"),
    ("ACE B 2011-08-05, components in three separate panels", [["ACE_Bx"], ["ACE_By"], ["ACE_Bz"]],
     "2011-08-05 to 2011-08-06"),
    ("ACE velocity x component 2011-08-05", [["ACE_Vvecx"]], "2011-08-05 to 2011-08-06"),
    ("ACE |B| 2011-08-05 18:00 plus 8 hours", [["ACE_Bmag"]], "2011-08-05T18:00:00 to 2011-08-06T02:00:00"),
    ("MESSENGER field in RTN, radial tangential and normal, 10 Jan 2007", [["MESSENGER_B"]],
     "2007-01-10 to 2007-01-11"),
    ("DSCOVR mag in GSM (rotate it from GSE) for 8 Sep 2017", [["DSCOVR_B_gsm"]], "2017-09-08 to 2017-09-09"),
    ("SYM-H 2015-03-17 22:47 +-6h red", [["OMNI_SYMH"]], "2015-03-17T16:47:00 to 2015-03-18T04:47:00"),
    ("Wind V and |B|; average the former to 10 min, leave the latter; 24 Sep 1998", [["Wind_V_binned"], ["Wind_Bmag"]],
     "1998-09-24 to 1998-09-25"),
    ("Wind field, 6 May 1998. Magnitude on top.", [["Wind_Bmag"], ["Wind_B"]], "1998-05-06 to 1998-05-07"),
    ("newell coupling, 27 May 2017, hourly averages, and AE below it not averaged",
     [["OMNI_Newell_binned"], ["OMNI_AE"]],
     "2017-05-27 to 2017-05-28"),
    ("kp and the wind speed for 2003-10, speed daily mean. From omni", [["OMNI_Kp"], ["OMNI_V_binned"]],
     "2003-10-01 to 2003-11-01"),
    ("hourly Voyager 2 speed for 2007, compute its 25 day running mean, and overplot that on the hourly values",
     [["Voyager2_V", "Voyager2_V_smooth"]], "2007-01-01 to 2008-01-01"),
    ("ACE n, 10 min running median, and V, 3 May 2010; n axis 0 to 5", [["ACE_n_median"], ["ACE_V"]],
     "2010-05-03 to 2010-05-04"),
    ("Forbush decrease: ACE V, 12-15 May 2005", [["ACE_V"]], "2005-05-12 to 2005-05-16"),
    ("Kp for 1-7 December 2015, only Kp", [["OMNI_Kp"]], "2015-12-01 to 2015-12-08"),
    ("Wind |B| 2010-04-05, I need it for a class exercise", [["Wind_Bmag"]], "2010-04-05 to 2010-04-06"),
    ("Cluster-1 |B|, bow shock 31 Mar 2001 17:00-18:00", [["Cluster1_Bmag"]],
     "2001-03-31T17:00:00 to 2001-03-31T18:00:00"),
    ("OMNI Bz, SYM-H and AE, smooth Bz over 10 min, 2015-03-17",
     [["OMNI_Bz_smooth"], ["OMNI_SYMH"], ["OMNI_AE"]], "2015-03-17 to 2015-03-18"),
    ("ACE V and OMNI Dst; hourly means of V; 2015-03", [["ACE_V_binned"], ["OMNI_Dst"]],
     "2015-03-01 to 2015-04-01"),
    # a component between two others, and a moment after another of the same particles
    ("ACE bx by bz gsm, 6 April 2000", [["ACE_Bx"], ["ACE_By"], ["ACE_Bz"]], "2000-04-06 to 2000-04-07"),
    ("Voyager 1 BR, BT and BN in 1990", [["Voyager1_Br"], ["Voyager1_Bt"], ["Voyager1_Bn"]],
     "1990-01-01 to 1991-01-01"),
    ("Wind electron density and temperature 6 April 2005", [["Wind_Ne"], ["Wind_Te"]],
     "2005-04-06 to 2005-04-07"),
    ("I am interested in the magnetic field of Cluster 4 in GSM coordinates during 2005-08-24 08:00 UT to 14:00 UT",
     [["Cluster4_B_gsm"]], "2005-08-24T08:00:00 to 2005-08-24T14:00:00"),
    # remarks, and the places of panels
    ("Thanks for the last one! Now: ACE |B| on 2010-04-05", [["ACE_Bmag"]], "2010-04-05 to 2010-04-06"),
    ("ACE |B| on 2010-04-05 (maybe with gaps, this is ok)", [["ACE_Bmag"]], "2010-04-05 to 2010-04-06"),
    ("ACE |B| on 2010-04-05, gaps are fine", [["ACE_Bmag"]], "2010-04-05 to 2010-04-06"),
    ("(a) Cluster 3 |B| from FGM spin, (b) C3 ion bulk velocity in GSE from CIS-HIA; 2003-08-15 14:00 to 20:00; "
     "two panels, (a) above (b)", [["Cluster3_Bmag"], ["Cluster3_Vvec"]],
     "2003-08-15T14:00:00 to 2003-08-15T20:00:00"),
    ("MMS 4, 2 and 1 |B|, 2015-10-16", [["MMS4_Bmag", "MMS2_Bmag", "MMS1_Bmag"]], "2015-10-16 to 2015-10-17"),
    # numbers in words, and long sentences
    ("Give me the running median, over a window of ninety minutes, of the magnetic field magnitude recorded by STEREO "
     "Ahead for the days from 2012-07-22 through 2012-07-25 inclusive.", [["STA_Bmag_median"]],
     "2012-07-22 to 2012-07-26"),
    ("Calculate the power spectrum, with windows of two hours, of the three-second GSE magnetic field vector of Wind "
     "MFI on 15 January 2007.", [["Wind_B_power"]], "2007-01-15 to 2007-01-16"),
    ("Use the five-minute data of the SOHO CELIAS proton monitor to show the proton density in the first panel and the "
     'proton speed in the second panel, January 2003, and give the figure the title "SOHO PM".',
     [["SOHO_n"], ["SOHO_V"]], "2003-01-01 to 2003-02-01"),
    ("Wind MFI magnetic field at sixteen-second resolution, 2007-01-15", [["Wind_B_binned"]],
     "2007-01-15 to 2007-01-16"),
    ("Compare Wind and ACE magnetic field magnitude after both have been reduced to five-minute means, 2007-01-15",
     [["Wind_Bmag_binned", "ACE_Bmag_binned"]], "2007-01-15 to 2007-01-16"),
    ("the three GSM components of the magnetic field of Wind, 2007-01-15", [["Wind_B"]], "2007-01-15 to 2007-01-16"),
    ("i want the B of Ulysses in RTN and also the modulus, 1994", [["Ulysses_B"], ["Ulysses_Bmag"]],
     "1994-01-01 to 1995-01-01"),
    ("ACE |B| for the ten days from 20 April 2021 to 29 April 2021 inclusive", [["ACE_Bmag"]],
     "2021-04-20 to 2021-04-30"),
)  # fmt: skip
REFUSED = (
    ("ACE |B| on 5/6/2010", "5/6/2010"),  # June or May
    ("ACE |B| 10 and 15 May 2004", "10|15"),  # two days, not a range
    ("dscovr electron density and temperature on 2017-07-11", "electron density"),
    ("ACE |B| around 10 May 2004", "around"),
    ("ACE |B| 2010-01-01, I don't want gaps", "gaps"),
    ("V1 field strength in 2012 with a vertical line at the heliopause crossing (day 238)", "vertical"),
    ("(a) ACE Bz, (b) ACE density, March 2010, (b) above (a)", "'b'"),
    ("Wind RAD1, RAD2 and TNR dynamic spectra, 2003-10-28, RAD2 on top", "RAD2 on top"),
    ("ACE B and V under the time axis, 2010-01-01", "below the time axis"),
    ("ACE |B| for the ten days from 20 April 2021 to 25 April 2021 inclusive", "ten"),
)


@in_one_test(("sentence", "panels", "time"), CREATED)
def test_a_sentence_becomes_a_figure(author, sentence, panels, time):
    outcome = author.create(sentence)
    assert isinstance(outcome, TemplateDraft), outcome
    template = outcome.template
    drawn = next(
        step["tool_args"]["spec"]["panels"]
        for step in template["steps"]
        if step["tool_name"] == "render_spec"
    )
    assert drawn == panels
    assert template["variables"]["$TIME_RANGE"]["default"] == time


@in_one_test(
    ("words", "first"),
    [
        ("wind/waves RAD1 + RAD2 dynamic spectra, RAD2 on top", "RAD2"),
        ("Wind WAVES RAD1 and RAD2 dynamic spectra, RAD1 on top", "RAD1"),
        ("Wind WAVES RAD1 and RAD2 dynamic spectra, RAD1 below", "RAD2"),
        ("Wind WAVES RAD1 and RAD2 dynamic spectra, RAD2 above RAD1", "RAD2"),
    ],
)
def test_one_of_two_instruments_has_the_place_of_the_sentence(author, words, first):
    steps = author.create(f"{words}, 2003-10-28").template["steps"]
    label = steps[-1]["tool_args"]["spec"]["panels"][0][0]
    fetched = {step["tool_args"].get("output_label"): step["tool_args"].get("dataset_id") for step in steps}
    assert fetched[label] == f"WI_L2_WAV_{first}"
    assert len(steps[-1]["tool_args"]["spec"]["panels"]) == 2


@in_one_test(("sentence", "named"), REFUSED)
def test_what_has_two_meanings_is_refused(author, sentence, named):
    try:
        outcome = author.create(sentence)
    except NotUnderstood as error:
        assert re.search(named, str(error)), error
    else:
        raise AssertionError(outcome)


def window(template):
    return next(
        step["tool_args"]["window"] for step in template["steps"] if "window" in step.get("tool_args", {})
    )


def figure(template):
    """Return the settings of the figure, of all steps that draw or style it."""
    spec = {}
    for step in template["steps"]:
        if step["tool_name"] in ("render_spec", "plot_data", "style_plot"):
            args = step["tool_args"]
            spec |= args.get("spec", args)
    return spec


def time(template):
    return next(variable["default"] for variable in template["variables"].values())


def panels(template):
    return figure(template)["panels"]


def colours(template):
    return figure(template)["trace_colors"]


def arguments(name):
    """Return a function that collects the values that steps and variables have for a name."""

    def values(template):
        held = [step["tool_args"].get(name) for step in template["steps"]]
        variables = template["variables"]
        return {
            variables[value]["default"] if value in variables else value
            for value in held
            if value is not None
        }

    return values


STORM_B = ["OMNI_HRO_1MIN.F", "OMNI_HRO_1MIN.BZ_GSM"]
_COHO = "OMNI_COHO1HR_MERGED_MAG_PLASMA"
EDITED = (
    # `one` is a line or a panel; colours, frames and places name it
    ("ace-strength", "drop the smoothed one", panels, [["B"], ["Bmag"]]),
    ("ace-strength", "replace the GSE one (with GSM)",
     lambda t: t["steps"][0]["tool_args"]["parameter_id"], "BGSM"),
    ("l1-compare", "hide the red one", panels, [["ACE_B"], ["Wind_B"], ["ACE_Bmag"]]),
    ("l1-compare", "make the blue line green", colours, {"ACE_Bmag": "green", "Wind_Bmag": "red"}),
    ("l1-compare", "make the Wind one black", colours, {"ACE_Bmag": "blue", "Wind_Bmag": "black"}),
    ("l1-compare", "make the orange line black", None, "no line called 'orange line'"),
    # panels by letters and places
    ("l1-compare", "remove panels (a) and (b)", panels, [["ACE_Bmag", "Wind_Bmag"]]),
    ("l1-compare", "swap (b) and (c)", panels, [["ACE_B"], ["ACE_Bmag", "Wind_Bmag"], ["Wind_B"]]),
    ("l1-compare", "move (c) to the top", panels, [["ACE_Bmag", "Wind_Bmag"], ["ACE_B"], ["Wind_B"]]),
    ("wind-plasma", "drop panels a to b", panels, [["temperature"]]),
    ("l1-compare", "label the panels (a), (b), (c)", lambda t: figure(t)["panel_letters"], True),
    ("l1-compare", "remove the last two", panels, [["ACE_B"]]),
    ("l1-compare", "swap the top two", panels, [["Wind_B"], ["ACE_B"], ["ACE_Bmag", "Wind_Bmag"]]),
    ("l1-compare", "remove all but the first", panels, [["ACE_B"]]),
    ("l1-compare", "keep all but the last", panels, [["ACE_B"], ["Wind_B"]]),
    # what alone stays
    ("omni-storm", "just the density please", panels, [["OMNI_HRO_1MIN.proton_density"]]),
    ("omni-storm", "keep only Bz in the top panel", panels,
     [[STORM_B[1]], ["speed"], ["OMNI_HRO_1MIN.proton_density"], ["OMNI_HRO_1MIN.SYM_H"]]),
    ("omni-solar-wind", "remove BR BT BN, keep only |B|", panels,
     [[f"{_COHO}.ABS_B"], [f"{_COHO}.V"], [f"{_COHO}.N"], [f"{_COHO}.T"]]),
    ("omni-storm", "drop the speed but keep the density", panels,
     [STORM_B, ["OMNI_HRO_1MIN.proton_density"], ["OMNI_HRO_1MIN.SYM_H"]]),
    # rows below the time axis
    ("wind-plasma", "add the position under the time axis", lambda t: figure(t)["ephemeris"], ["Wind_position"]),
    ("wind-plasma", "add Dst and Kp under the time axis", lambda t: (len(panels(t)), figure(t)["ephemeris"]),
     (3, ["OMNI_Dst", "OMNI_Kp"])),
    ("ace-strength", "add the magnitude under the time axis", lambda t: figure(t)["ephemeris"], ["Bmag"]),
    ("wind-plasma", "put T under the axis", lambda t: (panels(t), figure(t)["ephemeris"]),
     ([["density"], ["WI_PM_3DP.P_VELS"]], ["temperature"])),
    # one panel of two lines
    ("omni-storm", "add AE and AL together", lambda t: panels(t)[-1], ["OMNI_AE", "OMNI_AL"]),
    ("omni-storm", "plot AU and AL in one panel", lambda t: panels(t)[-1], ["OMNI_AU", "OMNI_AL"]),
    ("omni-storm", "add the temperature and the dynamic pressure in one panel",
     lambda t: (panels(t)[-1], figure(t)["right"]), (["OMNI_T", "OMNI_Pdyn"], ["OMNI_Pdyn"])),
    ("omni-storm", "add T, Pdyn and AE in one panel", None, "different units"),
    # what is drawn already is not fetched again
    ("omni-storm", "SYM-H instead of density", lambda t: (len(t["steps"]), panels(t)),
     (4, [STORM_B, ["speed"], ["OMNI_HRO_1MIN.SYM_H"]])),
    ("omni-storm", "replace Bz and |B| by the clock angle", lambda t: panels(t)[0], ["OMNI_B_clock"]),
    # assumed values
    ("plasma-beta-mach", "assume Te = 1e5 K", arguments("electron_temperature"), {100000}),
    ("plasma-beta-mach", "use T_e = 12 eV", arguments("electron_temperature"), {139254}),
    ("plasma-beta-mach", "cross helicity and residual energy in 1 h windows",
     lambda t: t["variables"]["$FLUCTUATIONS"]["default"], "1h"),
    ("plasma-beta-mach", "make the residual energy blue", lambda t: figure(t)["trace_colors"]["sigma_r"], "blue"),
    ("plasma-beta-mach", "take 5 % alphas", arguments("assumed_alpha"), {0.05}),
    ("plasma-beta-mach", "neglect the alphas", arguments("assumed_alpha"), {0}),
    ("plasma-beta-mach", "use gamma = 1.4", None, "'gamma'"),
    ("parker-spiral-angle", "put the source surface at 2.5 Rs rather than the photosphere",
     arguments("source_radius"), {2.5}),
    # values and times
    ("tha-ions", "zoom 04:00-06:00", time, "2008-02-26T04:00 to 2008-02-26T06:00"),
    ("goes-xray-flares", "only M class and above", arguments("least"), {1e-5}),
    ("hope-spectra", "pitch angles of 10-30 keV protons instead of 1-10",
     lambda t: (t["steps"][1]["tool_args"]["bands"], figure(t)["y_label"]["2"]),
     ([[10000, 30000]], "H⁺ 10–30 keV pitch angle [deg]")),
    ("hope-spectra", "pitch angles for 100 eV - 1 keV protons instead of 1-10 keV",
     lambda t: (t["steps"][1]["tool_args"]["bands"], figure(t)["y_label"]["2"]),
     ([[100, 1000]], "H⁺ 0.1–1 keV pitch angle [deg]")),
    ("hope-spectra", "pitch angles for 100 eV - 1 keV protons instead of 1-10", None, "does not understand"),
    ("hope-spectra", "pitch angles from 10 to 30 keV", None, "panel 2 is in deg"),
    # titles without quotes keep their dates and names
    ("omni-storm", "title should read: OMNI, 17-18 March 2015", lambda t: (figure(t)["title"], time(t)),
     ("OMNI, 17-18 March 2015", "2015-03-17 to 2015-03-19")),
    ("omni-storm", "the title is: Storm, 17 March 2015. Bz in red",
     lambda t: figure(t)["title"], "Storm, 17 March 2015"),
    ("tha-ions", "set the title to ACE, Wind and DSCOVR", lambda t: figure(t)["title"], "ACE, Wind and DSCOVR"),
    ("omni-storm", 'titled "Storm" and Bz red', lambda t: figure(t)["title"], "Storm"),
    # lines at a value, without a verb
    ("swpc-now", "red dashed line at -10 nT in the top panel", lambda t: figure(t)["hlines"],
     [{"y": -10.0, "panel": 1, "color": "red", "dash": "dash"}]),
    ("omni-solar-wind-overview", "zero line in the Bz panel",
     lambda t: figure(t)["hlines"][-1], {"y": 0.0, "panel": 1}),
    ("plasma-beta-mach", "mark beta = 2", lambda t: figure(t)["hlines"][-1], {"y": 2.0, "panel": 6}),
    # lines that leave, and what they leave behind
    ("omni-solar-wind-overview", "plot |B| only", lambda t: (panels(t), "right" in figure(t)),
     ([["OMNI_HRO_1MIN.F"]], False)),
    ("omni-solar-wind-overview", "remove clock angle and put beta instead", lambda t: panels(t)[1], ["beta"]),
    ("gle73-particles", "no spectrogram please", panels, [["proton_bands_smooth"], ["STA_L1_HET.Electron_Flux"]]),
    ("tha-ions", "put the electron spectrogram right under the ion density",
     lambda t: panels(t)[2], ["THEMISA_electrons"]),
    ("omni-solar-wind-overview", "put the PC(N) index in a new panel at the very bottom", lambda t: panels(t)[-1],
     ["OMNI_PC"]),
    ("omni-solar-wind-overview", "add Kp as bars", None, "already draws Kp"),
    ("omni-solar-wind-overview", "hourly averages", lambda t: figure(t)["right"], ["coupling_binned"]),
    ("mms-survey", "swap in MMS2 for MMS1",
     lambda t: {step["tool_args"]["dataset_id"][:4].upper() for step in t["steps"][:4]},
     {"MMS2"}),
    ("ace-strength", "compare with Wind", None, "which quantity of Wind"),
    ("omni-solar-wind-overview", "make it A4 landscape", lambda t: figure(t)["canvas_size"],
     {"width": "297 mm", "height": "210 mm"}),
    ("omni-solar-wind-overview", "change the time to 10-12 May 2024", None, "2024-05-10 to 2024-05-13 already"),
    ("storm-superposed-epoch", "only intense storms over the years 2015 to 2017", None, "intense"),
    ("mms-survey", "use MMS2", lambda t: {step["tool_args"]["dataset_id"][:4].upper() for step in t["steps"][:4]},
     {"MMS2"}),
    ("wind-plasma", "show raw data", panels, [["WI_PM_3DP.P_DENS"], ["WI_PM_3DP.P_VELS"], ["WI_PM_3DP.P_TEMP"]]),
    ("tha-ions", "drop the spectrogram", panels, [["THA_L2_ESA.tha_peir_density"], ["B"]]),
    ("ace-strength", "please make the running mean 30 minutes", window, "30min"),
    ("ace-strength", "running mean over 30 min instead of 10 min", window, "30min"),
    ("ace-strength", "extend by two days", time, "2022-01-01 to 2022-01-04"),
    ("ace-strength", "make it longer, one day before and after", time, "2021-12-31 to 2022-01-03"),
    ("ace-strength", "shift the interval one day later", time, "2022-01-02 to 2022-01-03"),
    ("ace-strength", "start six hours earlier", time, "2021-12-31T18:00:00 to 2022-01-02T00:00:00"),
    ("ace-strength", "the last panel should be removed", lambda t: figure(t)["panels"], [["B"], ["Bmag"]]),
    ("ace-strength", "put everything in one panel", lambda t: figure(t)["panels"], [["B", "Bmag", "Bz_smooth"]]),
    ("ace-strength", "leave out the magnitude", lambda t: figure(t)["panels"], [["B"], ["Bz_smooth"]]),
    ("l1-compare", "without Wind", lambda t: figure(t)["panels"], [["ACE_B"], ["ACE_Bmag"]]),
    ("l1-compare", "wind line dashed pls", lambda t: figure(t)["line_styles"]["Wind_Bmag"], {"dash": "dash"}),
    ("wind-plasma", "y axis of density log", lambda t: figure(t)["log_scale"], {"1": "log"}),
    ("wind-plasma", "density in log scale", lambda t: figure(t)["log_scale"], {"1": "log"}),
    ("wind-plasma", "limit density to 0.1-20", lambda t: figure(t)["y_range"], {"1": [0.1, 20.0]}),
    ("wind-plasma", "density from 0 to 20 cm^-3", lambda t: figure(t)["y_range"], {"1": [0.0, 20.0]}),
    ("wind-plasma", "T panel first", lambda t: figure(t)["panels"],
     [["temperature"], ["density"], ["WI_PM_3DP.P_VELS"]]),
    ("wind-plasma", "swap the density and temperature panels", lambda t: figure(t)["panels"],
     [["temperature"], ["WI_PM_3DP.P_VELS"], ["density"]]),
    ("wind-plasma", "swap first and last panel", lambda t: figure(t)["panels"],
     [["temperature"], ["WI_PM_3DP.P_VELS"], ["density"]]),
    ("omni-storm", "shade 2015-03-17 06:00 to 12:00", lambda t: figure(t)["vrects"],
     [{"x0": "2015-03-17T06:00", "x1": "2015-03-17T12:00"}]),
    ("omni-storm", "mark 2015-03-17 04:45 with a vertical line", lambda t: figure(t)["vlines"],
     [{"x": "2015-03-17T04:45"}]),
    ("tha-ions", "use THEMIS D", lambda t: figure(t)["title"], "THEMIS-D"),
    ("wind-plasma", "same plot but for ACE from 10 to 12 May 2004", time, "2004-05-10 to 2004-05-13"),
    ("omni-storm", "put everything in one panel", None, "same unit"),
    ("wind-plasma", "remove everything", None, "does not understand 'remove'"),
    ("wind-plasma", "swap panels 1 and 7", None, "panel 7"),
    ("wind-plasma", "density from 1997 to 1998", None, "density"),
    ("wind-plasma", "panel from 10 to 12 May", None, "panel|May"),
    # nothing that a sentence names is lost, and nothing else changes
    ("storm-overview", "Kp > 5 line dashed", lambda t: (figure(t)["hlines"][-1], figure(t)["y_range"]["9"]),
     ({"y": 5.0, "panel": 9, "dash": "dash"}, [0, 9])),
    ("storm-overview", "dashed line for Kp > 5", lambda t: figure(t)["hlines"][-1]["y"], 5.0),
    ("omni-storm", "fix the SYM-H axis to -250 to 50", lambda t: figure(t)["y_range"], {"4": [-250.0, 50.0]}),
    ("plasma-beta-mach", "show beta with measured electrons only", lambda t: (len(panels(t)), panels(t)[5]),
     (9, ["beta_measured"])),
    ("plasma-beta-mach", "make beta with measured electrons red",
     lambda t: (figure(t)["trace_colors"]["beta_measured"], figure(t)["trace_colors"]["T_e"]), ("red", "blue")),
    ("mms-survey", "ion velocity in GSM too, to match B, not GSE",
     lambda t: (len(panels(t)), figure(t)["y_label"]["5"]), (6, "V_i GSM [km/s]")),
    ("mms-survey", "colour limits 1e4 to 1e8 for the ions", lambda t: figure(t)["z_min"], {"2": 10000.0}),
    ("gle73-particles", "add a panel with the ERNE HED protons from SOHO so we see the Earth side too",
     lambda t: panels(t)[3:], [["SOHO_protons"]]),
    ("solo-overview", "hide latitude and longitude below the axis", lambda t: figure(t)["ephemeris"],
     ["SOLO_HELIO1HR_POSITION.RAD_AU"]),
    ("psp-encounter", "only QTN density, no SPAN-I, no SPC", lambda t: (len(panels(t)), panels(t)[4]), (10, ["n_QTN"])),
    ("wind-plasma", "window 30 min for the density only", lambda t: (window(t), t["variables"]["$WINDOW"]["default"]),
     ("30min", "10min")),
    ("wind-plasma", "smooth the density over 1 h", lambda t: (window(t), t["variables"]["$WINDOW"]["default"]),
     ("1h", "10min")),
    ("wind-plasma", "average the density over 2 h instead of 10 min", window, "2h"),
    ("storm-overview", "remove VBs from panel 4", lambda t: panels(t)[3], ["VBs_sum"]),
    ("ace-strength", "replace B by the field strength", panels, [["Bmag"], ["Bz_smooth"]]),
    ("omni-storm", "same for 2024-05-10 but with AE", lambda t: (time(t), panels(t)[-1]),
     ("2024-05-10 to 2024-05-11", ["OMNI_AE"])),
    ("plasma-beta-mach", "rotate B to GSM and smooth it over 10 min", lambda t: (panels(t)[0], panels(t)[1]),
     (["B_GSM_smooth", "Bmag"], ["V"])),
    ("plasma-beta-mach", "density 0-40 and velocity 250-800, both linear",
     lambda t: (figure(t)["y_range"]["2"], figure(t)["log_scale"]), ([250.0, 800.0], {"2": "linear", "3": "linear"})),
    ("goes-xray-flares", "mark the X9.3 flare on 6 September 12:02", lambda t: figure(t)["vlines"],
     [{"x": "2017-09-06T12:02", "label": "X9.3 flare"}]),
    ("l1-monitor-comparison", "B z panel -20 to 20", lambda t: figure(t)["y_range"]["2"], [-20.0, 20.0]),
    ("solo-overview", "ions and electrons in one panel", None, "one spectrogram"),
    ("goes-xray-flares", "peaks in red, bigger", None, "bigger"),
    ("storm-overview", "remove the shading after 18 UT", None, "shading"),
    ("ace-strength", "png as well, 300 dpi", None, "dpi"),
)  # fmt: skip


@in_one_test(
    ("base", "sentence"),
    (
        ("l1-compare", "ACE in red instead of Wind"),
        ("omni-storm", "SYM-H in red instead of density"),
        ("tha-ions", "use electrons instead of ions"),
        ("plasma-beta-mach", "thermal speed instead of temperature"),
        ("parker-spiral-angle", "remove the towards spiral"),
        ("gle73-particles", "flux from 1e-5 to 10"),
    ),
)
def test_a_change_with_two_meanings_is_asked_for(author, base, sentence):
    assert isinstance(author.edit(sentence, json.loads(base_text(base, BASES))), AuthorQuestion)


@in_one_test(("base", "sentence", "part", "wanted"), EDITED)
def test_a_sentence_changes_a_figure(author, base, sentence, part, wanted):
    template = json.loads(base_text(base, BASES))
    if part is None:
        try:
            outcome = author.edit(sentence, template)
        except HelioError as error:
            assert re.search(wanted, str(error)), error
            return
        raise AssertionError(outcome)
    outcome = author.edit(sentence, template)
    assert isinstance(outcome, TemplateDraft), outcome
    assert part(outcome.template) == wanted


@pytest.mark.parametrize(
    ("sentence", "drawn", "time"),
    [
        ("Forecaster here: SYM-H for 10 May 2024", "OMNI_SYMH", "2024-05-10 to 2024-05-11"),
        ("An equipment engineer needs: SYM-H for 10 May 2024", "OMNI_SYMH", "2024-05-10 to 2024-05-11"),
        ("Sheath case: SYM-H for 10 May 2024", "OMNI_SYMH", "2024-05-10 to 2024-05-11"),
        ("GIC check: SYM-H and AL for 10 May 2024", "OMNI_SYMH OMNI_AL", "2024-05-10 to 2024-05-11"),
        ("SYM-H for 10 May 2024, it is for the storm-time plasma sheet", "OMNI_SYMH", "2024-05-10 to 2024-05-11"),
        ("MMS1 |B| 16 Oct 2015, so that the students see reconnection", "MMS1_Bmag", "2015-10-16 to 2015-10-17"),
        ("hourly ACE SIS oxygen intensity, 3 May 2010, so my students see the solar cycle in cosmic rays", "ACE_flux_O",
         "2010-05-03 to 2010-05-04"),
        ("The sheath hit ACE on 3 May 2010. Please plot Bz", "ACE_Bz", "2010-05-03 to 2010-05-04"),
        ("STEREO-A drifted past us in 2023. Please plot STEREO-A and ACE |B| 12 Aug 2023 in one panel",
         "STA_Bmag ACE_Bmag", "2023-08-12 to 2023-08-13"),
        ("Need to know if the magnetopause came inside GEO on 10 May 2024: Shue standoff distance from OMNI 1 min",
         "OMNI_r0", "2024-05-10 to 2024-05-11"),
        ("SYM-H, 17 March 2015, and AE on the same day", "OMNI_SYMH OMNI_AE", "2015-03-17 to 2015-03-18"),
    ],
)  # fmt: skip
def test_a_reason_changes_nothing_that_is_drawn(author, sentence, drawn, time):
    template = author.create(sentence).template
    panels = template["steps"][-1]["tool_args"]["spec"]["panels"]
    assert [label for panel in panels for label in panel] == drawn.split()
    assert template["variables"]["$TIME_RANGE"]["default"] == time


@pytest.mark.parametrize(
    "sentence",
    [
        "ACE speed 6 Nov 2018 so that one sees the density drop",
        "Need to know if Bz turned south on 10 May 2024: ACE speed",
        "MAVEN entered the tail in 2015. Show the speed of Wind for 3 May 2010",
        "The Kerguelen density was averaged over 1 h. Please plot ACE density for May 2010",
        "SuperMAG check: AL for 3 March 2008",
        "ACE Bz 10 Sep 2017, Wind Bz the same day of 2018",
    ],
)
def test_a_reason_that_names_other_data_is_refused(author, sentence):
    with pytest.raises(NotUnderstood):
        author.create(sentence)


@in_one_test(
    ("sentence", "plain"),
    [
        ("ACE B radial and tangential (RTN), Jan 2008", "ACE Br and Bt, Jan 2008"),
        ("ACE radial, tangential and normal field, Jan 2008", "ACE Br, Bt and Bn, Jan 2008"),
        ("ACE B radial, Jan 2008", "ACE Br, Jan 2008"),
        ("PSP Br, encounter 1 (4-8 Nov 2018), red line", "PSP Br, 4-8 Nov 2018, red line"),
        ("SolO PAS temperature is in eV, I would like it converted in kelvin, 2022-03-08",
         "SolO PAS temperature in kelvin, 2022-03-08"),
        ("Subtract Wind from ACE: difference of the 5-min mean field strengths, 2005-01-21",
         "ACE minus Wind: difference of the 5-min mean field strengths, 2005-01-21"),
        ("density difference ACE minus Wind, both first as 5 min means, 2018-08-26",
         "density difference ACE minus Wind, both as 5 min means, 2018-08-26"),
        ("Divide the alpha density by the proton density, both from Wind 3DP, 8 May 2001",
         "ratio of the alpha density to the proton density from Wind 3DP, 8 May 2001"),
        ("monthly mean of the sunspot number (OMNI hourly set), 1996 to 2019",
         "monthly mean of the sunspot number (OMNI hourly data), 1996 to 2019"),
        ("ACE SIS oxygen and iron fluxes in two separate panels, 4 Nov 2001",
         "ACE SIS oxygen and iron fluxes in 2 panels, 4 Nov 2001"),
        ("SOHO EPHIN proton intensities, all energy ranges, 6 Jan 2014",
         "SOHO EPHIN proton intensities, all energies, 6 Jan 2014"),
        ("OMNI V, n and T, 2017-09-08. log scale for the last two, nothing special for V",
         "OMNI V, n and T, 2017-09-08. log scale for n and T"),
        ("ACE V (y 250-800), 2010-04-05", "ACE V (y range 250-800), 2010-04-05"),
        ("Wind |B|, V in a second panel, and the density in a third, 20 Nov 2003",
         "Wind |B|, V in a second panel, and the density in a third panel, 20 Nov 2003"),
        ("Wind |B| and n for 2015-06-22: smooth the first over 10 min and the second over 1 h",
         "Wind |B| smoothed over 10 min, n smoothed over 1 h, 2015-06-22"),
        ("hourly means of ACE V and n, 20 Nov 2003, with the density on top",
         "hourly means of ACE V and n, 20 Nov 2003, the density on top"),
    ],
)  # fmt: skip
def test_two_sentences_draw_the_same(author, sentence, plain):
    drawn, same = (read_graph(author.create(words).template, now=NOW) for words in (sentence, plain))
    assert drawn == same


@in_one_test(
    ("words", "windows"),
    [
        ("V smoothed over 10 min and T smoothed over 1 h", {"ACE_V": "10min", "ACE_T": "1h"}),
        ("smooth V over 10 min and T over 1 h", {"ACE_V": "10min", "ACE_T": "1h"}),
        ("V and T smoothed over 1 h", {"ACE_V": "1h", "ACE_T": "1h"}),
    ],
)
def test_computations_of_a_clause_take_what_stands_beside_each(author, words, windows):
    steps = author.create(f"ACE V, n and T, 2015-06-22, {words}").template["steps"]
    smoothed = [step["tool_args"] for step in steps if step["tool_name"] == "running_average"]
    assert {args["source_label"]: args["window"] for args in smoothed} == windows


@pytest.mark.parametrize(
    ("sentence", "drawn"),
    [
        ("ACE B GSE components, in one panel with |B| in black, 2001-03-31", [["ACE_B", "ACE_Bmag"]]),
        ("ACE B components and |B|, 2001-03-31", [["ACE_B"], ["ACE_Bmag"]]),
        ("ACE B components, Bx and Bz, 2001-03-31", [["ACE_Bx"], ["ACE_Bz"]]),
    ],
)
def test_components_are_drawn_beside_their_magnitude(author, sentence, drawn):
    assert panels(author.create(sentence).template) == drawn


@pytest.mark.parametrize("sentence", [
    "OMNI V, n and T, 2017-09-08, hourly means, nothing special for V",
    "ACE V, n and T in 2 separate panels, 2017-09-08",
    "ACE radial and tangential velocity, Jan 2008",
    "1 h running mean of V with n, ACE, 20 Nov 2003",
])  # fmt: skip
def test_what_only_looks_like_an_everyday_form_is_not_drawn(author, sentence):
    with suppress(NotUnderstood):
        assert not isinstance(author.create(sentence), TemplateDraft)
