"""Questions about a pipeline, about data and about tools: answered from what is known, or declined in words."""

from __future__ import annotations

import json

import pytest

from helio.authoring.named_lines import lines_named
from helio.authoring.outcome import AuthorQuestion, AuthorReply, NotUnderstood
from helio.authoring.recorded import Records
from helio.authoring.rules.questions.answers import answered
from helio.authoring.rules.questions.question_form import is_question
from helio.pipelines.library import Library
from helio.store.runs import Runs
from tests.authoring.rules.conftest import NOW
from tests.rows import in_one_test


@pytest.fixture
def shipped(tmp_path):
    library = Library(tmp_path)
    return lambda name: library.read(library.find(name))


def reply(outcome):
    assert isinstance(outcome, AuthorReply)
    return outcome.text


def drawn(author, **settings):
    """Return a pipeline of Bz and the density with further settings of its figure."""
    template = author.create("Wind Bz and density, 2003-11-20").template
    template["steps"][-1]["tool_args"]["spec"] |= settings
    return template


def missing(words, text):
    return [word for word in words if word not in text]


# ---- questions without a pipeline


@in_one_test(
    ("question", "words"),
    [
        ("cadence of AC_H0_MFI?", ["16 s (AC_H0_MFI)"]),
        ("ACE MFI since when", ["AC_H0_MFI; AC_H2_MFI: data from 1997-09-02"]),
        ("until when are there DSCOVR plasma data from DSCOVR_H1_FC?", ["data end on 2019-06-27"]),
        (
            "unit of T in SOLO_L2_SWA-PAS-GRND-MOM?",
            ["eV (SOLO_L2_SWA-PAS-GRND-MOM.TxTyTz_SRF, TxTyTz_RTN, T)"],
        ),
        ("until when are there ERNE LED 1-min data?", ["SOHO_ERNE-LED_L2-1MIN: ", "data end on 2023-07-19"]),
        ("unit of WI_H0_MFI.BGSE?", ["nT (WI_H0_MFI.BGSE)"]),
        ("how do I cite DSCOVR_H1_FC", ["the catalogue gives no DOI", "Justin C. Kasper"]),
        ("does Ulysses VHM exist at 1 s resolution, and under which dataset id?", ["yes: 1s (UY_1SEC_VHM)"]),
        ("what time resolutions does Ulysses VHM have?", ["1 s (UY_1SEC_VHM", "1 min (UY_1MIN_VHM"]),
        ("is the Ulysses VHM 1 s data available for 1995?", ["yes: UY_1SEC_VHM has data in 1995-01-01"]),
        ("is there a 1 s magnetic field dataset for ACE?", ["yes: 1s (AC_H3_MFI)"]),
        ("does DSCOVR magnetometer data exist at 10 ms?", ["no: ", "at 10ms", "1 s (DSCOVR_H0_MAG"]),
        ("are there 1 min Wind SWE data?", ["the catalogue states no such data at 1min", "92 s (WI_H1_SWE"]),
        (
            "with which tool do I compute plasma beta, and does it want the temperature in K or in eV?",
            ["plasma_beta: Compute", "temperature_label (label of one series in K; required)"],
        ),
        ("does plasma_beta want the temperature in K or eV?", ["Temperature of the protons, K"]),
        ("What solar rotation period does parker_angle assume?", ["sidereal rotation in 25.38 days"]),
        ("which decay time does burton_dst assume?", ["τ = 2.40 exp(9.74/(4.69 + VB_s)) h"]),
        ("what does alfven_mach give where the density is missing?", ["NaN where a quantity is missing"]),
        ("what does despike do?", ["despike: Set spikes to missing"]),
        ("what l0 does akasofu_epsilon use?", ["l₀ = 7 R_E (a constant of akasofu_epsilon)"]),
        ("how long is the window of running_average by default?", ["window has no default", "required"]),
        ("which statistic does resample use by default?", ["method = mean (default of resample)"]),
        ("what taper and overlap does power_spectrum use if I give none?", ["taper = hann", "overlap = 0.5"]),
        ("in which unit does alfven_speed return?", ["one series in km/s"]),
        ("who proposed the Akasofu epsilon?", ["Perreault & Akasofu", "(1978)"]),
        ("what does HO101 mean?", ["HO101 (edit safe)"]),
        ("which tool computes plasma beta?", ["plasma_beta: Compute the ratio"]),
        ("which dataset has electron pitch angles of Wind?", ["WI_M0_SWE", "9 sec solar wind electron p"]),
        ("band_average vs band_integral, difference?", ["band_average: Average", "band_integral: Integrate"]),
        ("until what year does Cassini's 1-min field go", ["CASSINI_MAG_1MIN_MAGNETIC_FIELD", "2004-06-26"]),
        ("AC_H0_MFI vs AC_H2_MFI: what's different?", ["16 s", "1 h", "only in AC_H0_MFI: dBrms"]),
    ],
)
def test_a_question_about_data_or_tools_is_answered(author, question, words):
    assert missing(words, reply(author.create(question))) == []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how deep is the Great Red Spot", ["cannot answer that", "'how deep'", "'Great', 'Spot'"]),
        ("what adiabatic index does plasma_beta use?", ["cannot answer that", "'adiabatic'"]),
        ("when was ACE launched?", ["cannot answer that", "'launched'"]),
        ("will there be a storm tomorrow?", ["cannot answer that", "'tomorrow'", "the future"]),
        ("is WI_H0_MFI better than AC_H0_MFI?", ["cannot answer that", "'better'", "opinions"]),
        ("can transform_frame do MSO?", ["cannot answer that", "does not understand 'MSO'"]),
    ],
)
def test_what_metadata_do_not_say_is_declined_with_the_word(author, question, words):
    assert missing(words, reply(author.create(question))) == []


def test_a_wish_with_a_question_mark_is_still_drawn(author):
    outcome = author.create("What did ACE measure for solar wind density and speed on 2003-10-29?")
    assert "AC_H0_SWE" in json.dumps(outcome.template)


# ---- questions about a pipeline


@in_one_test(
    ("pipeline", "question", "words"),
    [
        (
            "mms-burst",
            "B in GSE or GSM? and how many vectors per second?",
            ["GSE (MMS1_FGM_BRST_L2", "7.812 ms"],
        ),
        ("themis-esa-overview", "which frame has V", ["GSM (V)"]),
        ("swpc-now", "how far back can I go with this?", ["NOAA keeps the last seven days"]),
        ("gle73-particles", "energy range of the lowest proton band?", ["13.6 to 19.3 MeV: Step bands"]),
        ("gle73-particles", "highest proton band?", ["60 to 100 MeV: Step bands"]),
        (
            "rbsp-emfisis-waves",
            "which frequencies count as hiss here?",
            ["$HISS_LOW = 100", "$HISS_HIGH = 2000"],
        ),
        ("swpc-now", "give me an overview", ["Solar wind at L1 now", "4 panels"]),
        ("rbsp-emfisis-waves", "below what density is the hiss not drawn?", ["$PLASMASPHERE = 100"]),
        ("themis-esa-overview", "Full or reduced ESA mode?", ["reduced mode, otherwise full mode"]),
        ("mms-curlometer", "n of s/c", ["4 spacecraft", "MMS1", "MMS4"]),
        (
            "mms-magnetopause-mva-walen",
            "what interval did MVA take, and is it the same as for the HT frame?",
            ["2015-10-16T13:05:40 to 2015-10-16T13:06:09", "2015-10-16T13:05:50 to 2015-10-16T13:06:50"],
        ),
        (
            "omni-solar-wind-overview",
            "are the times at L1 or at the bow shock nose?",
            ["shifted to the bow-shock nose"],
        ),
        ("parker-spiral-angle", "convention for phi: which sign", ["φ = atan2(−B_T, B_R)"]),
        ("hope-spectra", "FPDU dims", ["11 × 72 bins"]),
        ("storm-superposed-epoch", "what does $BEFORE mean, and what is its value?", ["$BEFORE = 2d"]),
        ("swpc-now", "can I use these data in a publication?", ["preliminary", "not for publication"]),
        ("gle73-particles", "energies of the four bands pls", ["[13.6, 19.3]", "[60, 100]"]),
        (
            "storm-overview",
            "how low must SYM-H go to count as a storm here?",
            ["$THRESHOLD = -50 (threshold of"],
        ),
        ("goes-xray-flares", "how strong must a flare be to be listed?", ["$LEAST = 1e-06"]),
        ("goes-xray-flares", "which flare class does it mark?", ["$LEAST = 1e-06", "1e-6 for C1"]),
        ("goes-xray-flares", "what is the smallest flare it marks?", ["$LEAST = 1e-06"]),
        ("goes-xray-flares", "how many flares are marked?", ["cannot answer", "does not find how many"]),
        (
            "plasma-beta-mach",
            "why is the electron temperature constant?",
            ["the pipeline records: $ELECTRON_TEMPERATURE = 130000", "near 1 AU it varies little"],
        ),
        ("storm-superposed-epoch", "how long after the minimum does it go?", ["$AFTER = 4d"]),
        ("plasma-beta-mach", "which alpha fraction is assumed?", ["assumed_alpha = 0.04 (steps beta"]),
        (
            "b-power-spectrum",
            "over which frequencies is the inertial range fitted?",
            ["$LOW = 0.005", "$HIGH = 0.1"],
        ),
        ("storm-overview", "at what SYM-H does a storm count here?", ["$THRESHOLD = -50"]),
        ("solo-overview", "which PAS records are thrown out?", ["quality_factor, where is >, value is 0.2"]),
        ("storm-overview", "what does VB_s mean in panel 4?", ["Electric field of the southward field"]),
        (
            "psp-encounter",
            "how many switchbacks are in this interval?",
            ["cannot answer", "does not find how many"],
        ),
        ("psp-encounter", "how many energy channels are in the ion spectrogram?", ["32 bins"]),
        (
            "psp-encounter",
            "how long is the mean field that the deflection is measured from?",
            ["$BACKGROUND = 6h (window of step background)"],
        ),
        ("psp-encounter", "how long is the interval shown?", ["2021-04-28 to 2021-05-01, 3 days"]),
        ("solo-overview", "what quality factor is still accepted for PAS?", ["= 0.2"]),
        ("b-power-spectrum", "which overlap is used?", ["overlap = 0.5 (default of power_spectrum)"]),
        ("storm-overview", "how long must a storm last to count?", ["cannot answer that"]),
        ("storm-overview", "when did the sudden commencement occur?", ["cannot answer that"]),
        (
            "storm-overview",
            "why is the pressure in the third panel?",
            ["cannot answer that", "the reason of"],
        ),
        ("parker-spiral-angle", "what wind speed does it assume?", ["cannot answer that"]),
    ],
)
def test_a_question_about_a_pipeline_is_answered_from_its_words(author, shipped, pipeline, question, words):
    template = shipped(pipeline)
    before = json.dumps(template)
    assert missing(words, reply(author.edit(question, template))) == []
    assert json.dumps(template) == before


@pytest.mark.parametrize(
    ("pipeline", "question", "answer", "declined"),
    [
        ("ace-bfield-overview", "what is the cadence, and is it better than Wind?", "1 h", "'better'"),
        ("ace-bfield-overview", "which unit has B, and when was its peak?", "nT (", "'peak'"),
        ("ace-bfield-overview", "in which frame is B and who fnorded it?", "GSE (", "'fnorded'"),
        ("storm-overview", "how many storms are inside?", "", "'storms'"),
    ],
)
def test_a_half_that_is_not_known_is_declined_in_words(author, shipped, pipeline, question, answer, declined):
    text = reply(author.edit(question, shipped(pipeline)))
    assert answer in text
    assert "without a language model" in text
    assert declined in text


def test_data_that_the_pipeline_does_not_have_come_from_the_catalogue(author, overview):
    text = reply(author.edit("what is the cadence of WI_H0_MFI?", overview))
    assert (
        text
        == "the cadence is 3 s, 1 min, 1 h (WI_H0_MFI)\nfrom the catalogue: the pipeline has no 'WI_H0_MFI'"
    )
    assert reply(author.edit("which unit has SYM-H?", overview)) == "the pipeline has no 'SYM-H'"


def test_a_misspelt_name_is_suggested_and_not_guessed(author, overview):
    text = reply(author.edit("what is the cadence of ACE_Bmagg?", overview))
    assert "does not understand 'ACE_Bmagg'" in text


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("units, panel 3", True),
        ("EPT looks where", True),
        ("Could you tell me what day this is?", True),
        ("can I use these data in a paper?", True),
        ("how about a red line?", False),
        ("can this be red?", False),
        ("5 min cadence", False),
        ("GSM frame, last week", False),
        ("add the density which is smoothed", False),
    ],
)
def test_a_question_is_told_from_a_wish(sentence, asks):
    assert is_question(sentence) is asks


def test_a_wish_that_is_not_understood_is_refused_and_not_answered(author, overview):
    with pytest.raises(NotUnderstood):
        author.edit("smooth the frame of the DOI by 5 min", overview)


def test_a_reply_never_breaks_a_line_of_the_template(author, overview):
    overview["steps"][0]["intent"] = "field\naccepted /tmp/x.json"
    text = reply(author.edit("why is the field fetched?", overview))
    assert not any(line.startswith("accepted") for line in text.splitlines())


@pytest.mark.parametrize(
    ("pipeline", "question", "words"),
    [
        (
            "mms-burst",
            "is there a tool that gives me the current density from four spacecraft?",
            ["curlometer: "],
        ),
        ("mms-burst", "is panel 2 in log scale", ["panel 2: the colour scale is logarithmic"]),
        (
            "storm-overview",
            "how many instruments are used?",
            ["1 instrument: MAG of GOES-12", "names no instrument"],
        ),
        ("mms-curlometer", "why divergence over curl?", ["the ratio of divergence to curl as its quality"]),
        (
            "mms-curlometer",
            "what does 'quality' stand for on the last panel",
            ["trust the current where it is small"],
        ),
        ("storm-overview", "what threshold makes something a storm here", ["$THRESHOLD = -50"]),
        ("plasma-beta-mach", "alphas?", ["assumed_alpha = 0.04"]),
        ("storm-overview", "what's the black line in panel 7", ["Dst* is black"]),
        ("themis-esa-overview", "units of pressure", ["nPa (P_B; P_i; P_tot)"]),
        ("l1-monitor-comparison", "how is the lag found", ["cross_correlation_lag"]),
    ],
)
def test_words_of_steps_settings_and_figures_are_found(author, shipped, pipeline, question, words):
    assert missing(words, reply(author.edit(question, shipped(pipeline)))) == []


def test_a_key_of_figures_is_explained(author):
    assert "symlog axis is linear" in reply(author.create("what does the key linthresh do?"))


@pytest.mark.parametrize(
    "sentence",
    [
        "Lovely plot. An hour of lag looks a bit tight though, try two?",
        "Would it be possible to overlay the ACE and Wind speeds?",
        "How far from the Sun was Juno? plot AU vs time",
        "hmm, can we drop the count at the bottom?",
        "what would Solar Orbiter give on 1 March? show that instead please",
    ],
)
def test_a_wish_beside_a_question_is_a_wish(sentence):
    assert not is_question(sentence)


def test_a_wish_without_a_verb_is_refused_and_not_answered(author, overview):
    for wish in ("B in GSM pls", "one panel for each of Bx and By"):
        try:
            outcome = author.edit(wish, overview)
        except NotUnderstood:
            continue
        assert not isinstance(outcome, AuthorReply)


@pytest.mark.parametrize(
    ("pipeline", "sentence", "question"),
    [
        ("mms-burst", "MMS4?", "'MMS4?': what do you want?"),
        ("mms-curlometer", "MMS4?", "Which spacecraft should MMS4 replace?"),
        ("ace-bfield-overview", "in red?", "Which line do you mean?"),
    ],
)
def test_a_wish_that_may_be_a_question_is_asked_back(author, shipped, pipeline, sentence, question):
    outcome = author.edit(sentence, shipped(pipeline))
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.text == question


def test_the_answer_to_the_question_back_decides(author, shipped):
    template = shipped("mms-burst")
    changed = author.edit("MMS4?", template, chosen=("change the pipeline",))
    assert "MMS4_FGM_BRST_L2" in json.dumps(changed.template)
    assert "MMS4_FPI_FAST_L2" in reply(author.edit("MMS4?", template, chosen=("only an answer",)))


def test_a_wish_with_nothing_to_answer_is_done_or_refused(author, overview):
    assert "AC_K0_SWE" in json.dumps(author.edit("density too?", overview).template)
    with pytest.raises(NotUnderstood, match="'axis'"):
        author.edit("x axis in solar radii?", overview)
    with pytest.raises(NotUnderstood, match="'axis'"):
        author.create("x axis in solar radii?")


@pytest.mark.parametrize("question", ["last day of AC_H0_SWE?", "coverage of AC_H0_SWE please"])
def test_a_property_of_a_dataset_is_told_and_not_drawn(author, question):
    assert "data from 1998-02-04" in reply(author.create(question))


def test_a_distance_over_time_is_a_figure(author):
    outcome = author.create("How far was Juno from the Sun during 2014?")
    assert "JUNO_HELIO1HR_POSITION" in json.dumps(outcome.template)
    with pytest.raises(NotUnderstood, match="'far'"):
        author.create("how far from the Earth was Wind during May 2015?")


def test_a_name_with_a_question_mark_asks_for_a_quantity(author):
    outcome = author.create("MMS4?")
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.text == "Which quantity of MMS4 do you want?"


def test_an_answer_about_computations_gives_those_that_the_question_names(author, shipped):
    text = reply(author.edit("how do you calculate the difference", shipped("l1-monitor-comparison")))
    assert "Step wind-difference: arithmetic" in text
    assert all("differ" in line for line in text.splitlines()[:-1])


def test_a_long_answer_says_how_to_shorten_it(author, shipped):
    lines = reply(
        author.edit("how do you calculate the difference", shipped("l1-monitor-comparison"))
    ).splitlines()
    assert len(lines) == 7
    assert lines[-1] == "and 3 more; name a step, a panel or a quantity"


@pytest.mark.parametrize(
    ("pipeline", "question", "answer"),
    [
        ("mms-burst", "is B in GSM?", "no: the frame is GSE (MMS1_FGM_BRST_L2.mms1_fgm_b_gse_brst_l2)"),
        ("mms-burst", "are the data despiked?", "no: no step removes spikes from the data"),
        ("mms-burst", "does it use ACE?", "no: the pipeline has no 'ACE'"),
        (
            "solo-overview",
            "is it level 2?",
            "yes: the data are level 2, not marked as preliminary by its archive (SOLO_L2_MAG",
        ),
        ("solo-overview", "is the density filtered by quality?", "yes: Step good-density: mask_by_flag"),
        ("omni-solar-wind-overview", "is there a temperature panel?", "yes: panel 5: "),
        ("omni-solar-wind-overview", "are gaps interpolated?", "no: no step interpolates the data"),
        (
            "omni-solar-wind-overview",
            "is the data preliminary?",
            "partly: the data are definitive, not marked as preliminary",
        ),
        ("omni-solar-wind-overview", "is the temperature in K?", "yes: the unit is K (OMNI_HRO_1MIN.T)"),
        ("swpc-now", "is panel 1 logarithmic?", "no: panel 1"),
    ],
)
def test_a_question_for_yes_or_no_gets_it_first(author, shipped, pipeline, question, answer):
    assert reply(author.edit(question, shipped(pipeline))).startswith(answer)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what does this pipeline draw?", "Solar wind and geomagnetic activity, one minute: Field in GSM"),
        ("what is the time resolution?", "the cadence is 1 min (OMNI_HRO_1MIN, 12 parameters)"),
        (
            "how is the plasma beta computed?",
            "the pipeline has no plasma beta; `helio tools plasma_beta` explains",
        ),
        ("what formula is used for the pressure?", "no step computes 'pressure': drawn as fetched"),
        ("which instrument measures the density?", "the catalogue names no instrument (OMNI_HRO_1MIN"),
        (
            "what is the default time range?",
            "the time range is 2024-05-10 to 2024-05-13, 3 days ($TIME_RANGE",
        ),
    ],
)
def test_an_answer_says_the_fact_first_and_is_short(author, shipped, question, first):
    lines = reply(author.edit(question, shipped("omni-solar-wind-overview"))).splitlines()
    assert lines[0].startswith(first)
    assert len(lines) <= 7


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("does ACE have plasma data for 2025?", ["yes: AC_K0_SWE", "no: AC_H0_SWE; AC_H2_SWE: data from"]),
        ("is AC_K0_SWE preliminary?", ["yes: the data are preliminary (AC_K0_SWE)"]),
        ("when did the ACE mission start?", ["ACE: 33 datasets from 1997-08-25"]),
        (
            "which satellites measure alpha density?",
            [
                "the spacecraft is Wind (WI_H1_SWE; WI_PM_3DP)",
                "Parker Solar Probe (PSP_SWP_SPI_SF0A_L3_MOM)",
                "Ulysses (",
            ],
        ),
        ("what parameters does AC_H0_SWE have?", ["AC_H0_SWE: Np, Vp, Tpr"]),
        ("difference between AC_H0_MFI and AC_H1_MFI", ["AC_H0_MFI: H0", "AC_H1_MFI: H1"]),
        ("which Wind instrument measures electrons?", ["the instrument is 3DP of Wind", "SWE of Wind"]),
        ("time resolution of MMS FGM burst data?", ["the cadence is 7.812 ms (MMS1_FGM_BRST_L2"]),
        ("licence of AC_H0_MFI?", ["the catalogue gives no licence"]),
        ("who do I contact about WI_H0_MFI?", ["the investigator is A. Koval, UMBC, NASA/GSFC (WI_H0_MFI)"]),
    ],
)
def test_questions_about_data_are_answered_line_by_line(author, question, lines):
    answer = reply(author.create(question)).splitlines()
    assert all(line.startswith(begin) for line, begin in zip(answer, lines, strict=False))
    assert len(answer) >= len(lines)


# ---- what is not of the pipeline, and what is not understood


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "what is GSM?",
            "GSM: x from the Earth to the Sun, the Earth's magnetic dipole in the x–z plane, z towards north",
        ),
        ("what does resample do?", "resample: Reduce a series to one value per interval"),
        ("does it have data for 1990?", "no: AC_H2_MFI; AC_H0_MFI: data from 1997-09-02"),
        ("does it cover 2020?", "yes: AC_H2_MFI; AC_H0_MFI; AC_K2_MFI have data in 2020-01-01 to 2021-01-01"),
        ("is there a finer resolution?", "1 s (AC_H3_MFI.BGSEc"),
        ("is there a coarser cadence?", "4 min (AC_H1_MFI.Magnitude)\n5 min (AC_K0_MFI.Magnitude)\n"),
        ("does ACE have electron data?", "AC_H1_EPM: "),
        ("how do I detrend the data?", "no step detrends the data; tools that do: detrend"),
    ],
)
def test_the_answer_is_to_the_question_and_begins_with_the_fact(author, overview, question, text):
    assert reply(author.edit(question, overview)).startswith(text)


def test_a_step_is_meant_by_its_place_if_none_has_the_number_as_its_name(author, shipped):
    text = reply(author.edit("what does step 2 do?", shipped("gle73-particles")))
    assert text.startswith("Step electrons: fetch STA_L1_HET Electron_Flux over 2021-10-28")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what is the lowest energy band?", "13.6 to 19.3 MeV: Step bands"),
        (
            "what are the energy bands of the smoothed proton lines?",
            "bands = [[13.6, 19.3], [20.8, 29.7], [29.7, 40.5], [60, 100]] MeV (band_average, step bands)",
        ),
        (
            "what is the unit of the smoothed lines?",
            "the unit is cm^-2 s^-1 sr^-1 (MeV/n)^-1 (proton_bands_smooth)",
        ),
        ("what is the highest energy of the electrons?", "STA_L1_HET.Electron_Flux: 3 bins; 0.7 to 4 MeV"),
        ("which step makes proton_bands?", "Step bands: band_average of STA_L1_HET.Proton_Flux"),
        ("can I use it for a paper?", "the data are level 1, not marked as preliminary"),
    ],
)
def test_energies_are_those_of_what_the_question_names(author, shipped, question, text):
    assert reply(author.edit(question, shipped("gle73-particles"))).startswith(text)


def test_data_without_energies_have_no_highest_energy(author, overview):
    text = reply(author.edit("what is the highest energy band?", overview))
    assert (
        text
        == "helio cannot answer that without a language model: the catalogue gives no range of these data"
    )


def test_two_frames_are_explained_each(author):
    lines = reply(author.create("what is the difference between GSE and GSM?")).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["GSE", "GSM"]


@pytest.mark.parametrize(
    "question",
    [
        "what's new?", "which file was read?", "who are you?", "where is ACE?",
        "how often is it updated?", "what is the latency of the data?", "what happens at gaps?",
    ],
)  # fmt: skip
def test_a_question_about_something_else_gets_no_summary_of_the_pipeline(author, overview, question):
    assert reply(author.edit(question, overview)).startswith(
        "helio cannot answer that without a language model"
    )


@pytest.mark.parametrize(
    ("pipeline", "question", "text"),
    [
        ("storm-overview", "what does the khaki shading mean?", "to 2015-03-17T11:24 (khaki): 'sheath'"),
        ("storm-overview", "where does the magnetic cloud span end?", "2015-03-18T00:24: 'magnetic cloud'"),
        ("storm-overview", "what is the horizontal line in panel 5?", "the levels of storms in panel 5"),
        ("psp-encounter", "what's the grey line at 90?", "above 90° in a switchback"),
        ("psp-encounter", "what does the orange shading mean?", "filled in orange: where MA is below 1"),
        ("psp-encounter", "what is the vertical line?", "the pipeline sets no such line or shading"),
    ],
)
def test_a_mark_is_named_by_its_place_and_look(author, shipped, pipeline, question, text):
    answer = reply(author.edit(question, shipped(pipeline)))
    assert text in answer
    assert "language model" not in answer


def test_a_constant_of_a_tool_is_told_beside_a_pipeline(author, shipped):
    answer = reply(author.edit("what solar rotation period is assumed?", shipped("parker-spiral-angle")))
    assert "in 25.38 days" in answer


@pytest.mark.parametrize("question", ["which quality bits of SPAN-I are thrown away?", "are gaps filled?"])
def test_words_like_those_of_marks_ask_for_no_mark(author, shipped, question):
    assert "orange" not in reply(author.edit(question, shipped("psp-encounter")))


def test_a_line_with_the_colour_of_a_mark_is_still_meant(author, shipped):
    answer = reply(author.edit("what is the black line in panel 1?", shipped("storm-overview")))
    assert answer == "|B| is black"


@pytest.mark.parametrize(
    "question",
    [
        "was the wind really sub-Alfvenic in this interval?",
        "is the strahl bidirectional in this interval?",
        "were there many switchbacks during this encounter?",
        "is this interval dominated by slow wind?",
    ],
)
def test_what_happened_is_declined_because_only_a_run_has_it(author, shipped, question):
    answer = reply(author.edit(question, shipped("psp-encounter")))
    assert missing(["cannot answer that", "which only a run has"], answer) == []


@pytest.mark.parametrize("word", ["trailing", "biased"])
def test_a_word_that_is_not_understood_gets_no_yes(author, shipped, word):
    text = reply(author.edit(f"is the average {word}?", shipped("gle73-particles")))
    assert not text.startswith(("yes", "no"))
    assert f"helio does not understand '{word}'" in text


@pytest.mark.parametrize(
    ("pipeline", "question", "paper", "other"),
    [
        ("storm-overview", "Whose model predicts the Dst* curve?", "burton_dst: Burton", "resample"),
        (
            "storm-overview",
            "which paper is the predicted Dst* from?",
            "burton_dst: Burton",
            "pressure_corrected",
        ),
        ("storm-overview", "who came up with the Dst prediction?", "burton_dst: Burton", "OMNIWeb"),
        ("omni-solar-wind-overview", "Whose model is the magnetopause?", "Shue et al.", "Newell"),
        ("omni-solar-wind-overview", "who wrote the coupling function?", "Newell, Sotirelis", "Shue"),
        ("b-power-spectrum", "whose method is the break?", "spectral_break: Hudson", "Welch"),
        ("storm-overview", "Whose formula gives the coupling?", "names no paper for", "Burton"),
        ("ace-bfield-overview", "who proposed the magnitude?", "names no paper for", "|B|"),
        ("storm-overview", "which paper is SYM-H from?", "names no paper for", "Walach"),
        ("storm-overview", "whose SYM-H is that?", "the investigator is J.H. King", "Walach"),
        ("storm-overview", "Whose data is the SYM-H?", "the investigator is J.H. King", "storm_phases"),
        ("storm-overview", "who wrote this pipeline?", "cannot answer that", "Burton"),
    ],
)
def test_who_proposed_a_method_is_told_of_the_step_that_computes_it(
    author, shipped, pipeline, question, paper, other
):
    answer = reply(author.edit(question, shipped(pipeline)))
    assert paper in answer
    assert other not in answer


@pytest.mark.parametrize(
    ("pipeline", "question", "answer"),
    [
        ("swpc-now", "unit of the temperature?", "panel 4: the axis says 'T [K]'"),
        (
            "goes-xray-flares",
            "what is the unit of the ratio?",
            "does not find the units of 'ratio' in the pipeline and the catalogue",
        ),
        (
            "gle73-particles",
            "What's the unit of the flux?",
            "(MeV/n)^-1 (STA_L1_HET.Proton_Flux, Electron_Flux)",
        ),
        ("storm-superposed-epoch", "unit of the bottom panel?", "no unit (count)"),
    ],
)
def test_a_unit_is_that_of_what_is_asked_for(author, shipped, pipeline, question, answer):
    text = reply(author.edit(question, shipped(pipeline)))
    assert text.endswith(answer)
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize(
    ("pipeline", "question", "words"),
    [
        (
            "rbsp-emfisis-waves",
            "When is the hiss line not drawn?",
            ["where is <, value is 100", "below this, in cm"],
        ),
        ("rbsp-emfisis-waves", "when is there no hiss?", ["where is <, value is 100"]),
        (
            "solo-overview",
            "When is the PAS density not drawn?",
            ["where is >, value is 0.2", "good-density)"],
        ),
        (
            "b-power-spectrum",
            "When are the speeds not used?",
            ["fit_flag, where is <=, value is 1", "good-speed"],
        ),
        (
            "themis-esa-overview",
            "which flag is used for the field?",
            ["tha_fgm_fgs_quality, where is not, value is 0"],
        ),
    ],
)
def test_when_something_is_not_drawn_is_told_by_its_mask(author, shipped, pipeline, question, words):
    answer = reply(author.edit(question, shipped(pipeline)))
    assert missing(words, answer) == []
    assert "time_range" not in answer


@pytest.mark.parametrize(
    ("pipeline", "question"),
    [
        ("ace-bfield-overview", "when is the magnitude not drawn?"),
        ("storm-overview", "When is the GOES field not shown?"),
        ("rbsp-emfisis-waves", "when is the upper hybrid line not drawn?"),
        ("plasma-beta-mach", "when are the electrons not measured?"),
        ("mms-magnetopause-mva-walen", "which interval is used for the normal?"),
        ("mms-magnetopause-mva-walen", "what factor turns nV into current?"),
        ("storm-superposed-epoch", "which events are used?"),
        ("storm-superposed-epoch", "what does the shaded band show?"),
        ("omni-solar-wind-overview", "what's the range of the clock angle?"),
        ("l1-monitor-comparison", "how are the series shifted?"),
        ("mms-field-spectrum", "what do the dashed lines in the bottom panel show?"),
        ("ace-bfield-overview", "why is it black?"),
    ],
)
def test_texts_with_the_same_words_are_no_answer(author, shipped, pipeline, question):
    assert reply(author.edit(question, shipped(pipeline))).startswith("helio cannot answer that")


@pytest.mark.parametrize(
    ("pipeline", "question", "words"),
    [
        ("solo-overview", "what is the threshold of the quality factor?", ["$QUALITY = 0.2"]),
        ("plasma-beta-mach", "what is the fit flag threshold?", ["value = WI_H1_SWE.fit_flag <= 1"]),
        ("omni-solar-wind", "which datasets does this pipeline use?", ["OMNI_COHO1HR_MERGED_MAG_PLASMA"]),
        ("ace-bfield-overview", "what is the time range of the dataset AC_H0_MFI?", ["data from 1997-09-02"]),
        ("goes-xray-flares", "what flags are removed?", ["xrsb_flag, where is not, value is 0"]),
        ("solo-overview", "why are there gaps in the density?", ["cannot answer", "the values in the data"]),
        (
            "ace-bfield-overview",
            "which steps are critical?",
            ["critical, so that a run fails without them: "],
        ),
        ("psp-encounter", "which steps are not critical?", ["a run goes on without them: ions, "]),
        ("mms-survey", "which level are the FPI data?", ["the data are level 2"]),
        ("gle73-particles", "why four bands?", ["so that the onset at each energy can be read"]),
        ("mms-curlometer", "Which step does the averaging, with which window?", ["window = 100ms ($WINDOW)"]),
        ("swpc-now", "is it preliminary?", ["yes: SWPC_RTSW_MAG"]),
        ("mms-burst", "is the colour scale logarithmic?", ["yes: panel 1: the colour scale is logarithmic"]),
        (
            "mms-burst",
            "which colour map does the ion spectrogram use?",
            ["the colours are those of turbo", "their limits are those of the data"],
        ),
        ("ace-bfield-overview", "what are the limits of the colour scale?", ["draws no spectrogram"]),
        (
            "mms-curlometer",
            "which position is used for the current?",
            ["position_4", "mms4_fgm_r_gse_brst_l2"],
        ),
        (
            "storm-superposed-epoch",
            "how long before the storm minimum does the figure start?",
            ["$BEFORE = 2d"],
        ),
        ("storm-superposed-epoch", "how long after the minimum does it end?", ["$AFTER = 4d"]),
        ("storm-overview", "how long before the storm minimum does the figure start?", ["cannot answer"]),
    ],
)
def test_the_value_or_the_step_that_is_meant_is_told(author, shipped, pipeline, question, words):
    assert missing(words, reply(author.edit(question, shipped(pipeline)))) == []


def test_a_colour_scale_may_begin_at_zero(author, shipped):
    template = shipped("mms-burst")
    [figure] = [step for step in template["steps"] if step["tool_name"] == "render_spec"]
    figure["tool_args"]["spec"] |= {"z_min": 0, "z_max": 8}
    assert "their limits are from 0 to 8" in reply(
        author.edit("what are the limits of the colour scale?", template)
    )


@pytest.mark.parametrize(
    ("pipeline", "question", "answer"),
    [
        ("omni-solar-wind", "which panel shows the density?", "panel 3: "),
        (
            "psp-encounter",
            "what is the grey line in the Mach number panel?",
            "horizontal line at 1 in panel 7",
        ),
        ("gle73-particles", "how many proton channels are there?", "STA_L1_HET.Proton_Flux: 11 bins"),
        ("goes-xray-flares", "which minutes are left out?", "mask_by_flag: flag_label is SCI_XRSF"),
    ],
)
def test_nothing_else_is_told(author, shipped, pipeline, question, answer):
    text = reply(author.edit(question, shipped(pipeline)))
    assert text.startswith(answer)
    assert not any(wrong in text for wrong in ("panel 1:", "panel 2", "Electron", "time range"))


@in_one_test(
    ("pipeline", "question", "begins", "words"),
    [
        (
            "l1-monitor-comparison",
            "is the Wind density from the same instrument as the Wind field?",
            "no: ",
            ["3DP of Wind", "MFI of Wind"],
        ),
        (
            "themis-esa-overview",
            "do the velocity and the field come from different instruments?",
            "yes: ",
            ["ESA of", "FGM of"],
        ),
        (
            "psp-encounter",
            "do the density and the velocity come from the same instrument?",
            "partly: ",
            ["SPC of Parker"],
        ),
        ("storm-overview", "are Dst and SYM-H from the same data set?", "no: ", ["OMNI2_H0_MRG1HR"]),
        ("l1-monitor-comparison", "are all data from the same spacecraft?", "no: ", ["ACE", "DSCOVR"]),
        ("rbsp-emfisis-waves", "are all panels of the same spacecraft?", "yes: RBSP-A", []),
        # the alternatives of both are the same, and a run takes one for each
        # helio does not know which spacecraft measured data that are merged, or that the catalogue does not have
        (
            "omni-solar-wind-overview",
            "is the density from the same spacecraft as the field?",
            "helio cannot answer that",
            [],
        ),
        ("swpc-now", "are all data from the same spacecraft?", "helio cannot answer that", []),
        ("goes-xray-flares", "are both channels from the same spacecraft?", "helio cannot answer that", []),
        ("plasma-beta-mach", "is the density from 3DP?", "no: ", ["SWE of Wind"]),
        (
            "plasma-beta-mach",
            "is the density from SWE or from 3DP?",
            "the instrument is SWE of Wind (WI_H1_SWE)",
            [],
        ),
        (
            "psp-encounter",
            "does the density come from SPAN-I or SPC?",
            "the instrument is ",
            ["SPAN-I", "SPC of"],
        ),
        ("mms-survey", "are the data from FPI?", "partly: ", ["FGM of MMS1"]),
        ("rbsp-emfisis-waves", "is the density from EFW?", "yes: ", ["EFW of RBSP-A"]),
        # of some data the catalogue names no instrument
        ("rbsp-emfisis-waves", "is hiss from EMFISIS?", "the catalogue names no instrument", []),
        ("mms-burst", "is it MMS2?", "no: the pipeline has no 'MMS2'", []),
        ("mms-burst", "is it MMS1?", "yes: ", []),
        ("themis-esa-overview", "does it use THEMIS-B?", "no: ", []),
        (
            "swpc-now",
            "is it DSCOVR?",
            "the pipeline has no 'DSCOVR' by its name",
            ["Space Weather Prediction"],
        ),
    ],
)
def test_origins_are_compared(author, shipped, pipeline, question, begins, words):
    text = reply(author.edit(question, shipped(pipeline)))
    assert text.startswith(begins)
    assert missing(words, text) == []


@in_one_test(
    ("pipeline", "question", "answer"),
    [
        (
            "parker-spiral-angle",
            "what is the y axis label of the second panel?",
            "panel 2: the y label is 'φ − ψ [deg]'",
        ),
        (
            "swpc-now",
            "what does the y label of panel 1 say?",
            "the pipeline sets no y label: helio chooses it (panel 1)",
        ),
        (
            "goes-xray-flares",
            "what is the x label?",
            "the pipeline sets no x label: helio chooses it (panel 1; panel 2)",
        ),
        (
            "plasma-beta-mach",
            "how many lines are in the beta panel?",
            "panel 6: 2 lines: T_e assumed; T_e measured",
        ),
        ("rbsp-emfisis-waves", "how many curves does panel 1 show?", "panel 1: 2 lines and a spectrogram"),
        ("storm-superposed-epoch", "how many lines are in the top panel?", "helio cannot answer that"),
        ("gle73-particles", "how many lines are in the first panel?", "helio cannot answer that"),
        ("plasma-beta-mach", "how many components are drawn?", "panel 1: 4 lines: B (3 components)"),
        ("psp-encounter", "what does the colour of the pitch angle panel mean?", "helio cannot answer that"),
        (
            "parker-spiral-angle",
            "what do the red and blue lines in the first panel mean?",
            "ψ, away is red\nψ + 180°, towards is blue\npsi (",
        ),
        (
            "parker-spiral-angle",
            "what does the red line in the bottom panel show?",
            "west of the Earth is red",
        ),
        (
            "l1-monitor-comparison",
            "which position is used to shift the Wind field?",
            "position: Wind_position (",
        ),
        ("psp-encounter", "which field is used to compute the Mach number?", "field: B ("),
        (
            "plasma-beta-mach",
            "which electron temperature is used for beta?",
            "$ELECTRON_TEMPERATURE = 130000",
        ),
        (
            "parker-spiral-angle",
            "how is the spiral angle calculated and which speed does it use?",
            "Step spiral: ",
        ),
        (
            "parker-spiral-angle",
            "what heliocentric distance is assumed?",
            "distance = 1.0 (parker_angle, step spiral)",
        ),
        ("parker-spiral-angle", "is the heliocentric distance plotted?", "no: the pipeline has no"),
        ("themis-esa-overview", "how is |B| computed?", "Step strength: magnitude of B"),
        ("swpc-now", "Is the AE index not plotted?", "the pipeline has no 'AE index'"),
        (
            "rbsp-emfisis-waves",
            "where is hiss not drawn?",
            "mask_by_flag: flag_label is n_WFR, where is <, value is 100",
        ),
        ("omni-solar-wind-overview", "Is the density not plotted?", "panel 4: "),
        ("storm-overview", "is SYM-H final?", "the catalogue gives no status: SYM/H"),
        ("storm-overview", "is Dst provisional?", "yes: provisional in part"),
        ("themis-esa-overview", "does it include electron moments?", "helio cannot answer that"),
        (
            "l1-monitor-comparison",
            "why is DSCOVR's field rotated to GSM and the others' not?",
            "the frame is GSE (DSCOVR_H0_MAG.B1GSE)\nStep dscovr-field: ",
        ),
        ("plasma-beta-mach", "are bad fits removed?", "yes: Step good-speed: mask_by_flag"),
        ("omni-solar-wind-overview", "are bad records removed?", "no: no step leaves out records"),
        ("plasma-beta-mach", "is the electron temperature included in beta?", "helio cannot answer that"),
        ("omni-solar-wind-overview", "does it have data in March 1994?", "yes: "),
        ("l1-monitor-comparison", "is the vertical axis of panel 2 logarithmic?", "no: panel 2"),
        ("omni-solar-wind", "has the density panel a log axis?", "no: panel 3"),
        ("gle73-particles", "what's the unit of the colour?", "panel 2: the colours of the spectrogram show"),
        (
            "l1-monitor-comparison",
            "where does the DSCOVR temperature come from?",
            "DSCOVR_H1_FC.THERMAL_TEMP, DQF",
        ),
        ("themis-esa-overview", "which instrument measures the ions?", "helio cannot answer that"),
    ],
)
def test_the_answer_is_about_what_is_asked(author, shipped, pipeline, question, answer):
    assert reply(author.edit(question, shipped(pipeline))).startswith(answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there 11 Hz magnetic field of Wind?", "yes: 11Hz, 92 ms (WI_H2_MFI)"),
        ("is there 100 Hz magnetic field of Wind?", "the catalogue states no such data at 100Hz"),
        ("what's the cadence of THEMIS FGM in fast survey?", "helio cannot answer that"),
        ("since when are there FAST data?", "FAST: 9 datasets from 1996-08-22"),
        ("which angle convention does clock_angle use?", "clock_angle: atan2(B_y, B_z) in degrees"),
        ("how do I mask by quality flag with bits?", "mask_by_flag: bits reads the flag as a whole number"),
        (
            "which window does power_spectrum use?",
            "taper = hann (default of power_spectrum): Window function.\nwindow has",
        ),
        ("how long is the window of power_spectrum?", "window has no default"),
        ("which instrument measures the electric field on THEMIS?", "the instrument is EFI of THEMIS-A"),
        ("In which frame is BGSEc of ACE?", "the frame is GSE (AC_H0_MFI.BGSEc; AC_H3_MFI.BGSEc;"),
        ("How many components does BGSE of WI_H0_MFI have?", "WI_H0_MFI.BGSE: 3 components"),
        ("Is there a solar wind temperature from DSCOVR in 2022?", "no: DSCOVR_H1_FC: data from 2016-06-03"),
        ("Does MMS have data before September 2015?", "helio cannot answer that"),
    ],
)
def test_the_answer_without_a_pipeline_is_about_what_is_asked(author, question, answer):
    assert reply(author.create(question)).startswith(answer)


def test_an_instrument_that_is_found_by_a_word_is_not_said_to_be_the_only_one(author):
    text = reply(author.create("which instrument measures ions on Solar Orbiter?"))
    assert text.endswith("these are the data whose descriptions have 'ions'; others may measure it too")


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("what should I cite?", "`helio cite RUN`"),
        ("what can helio do?", "`helio --help`"),
        ("what can you do?", "`helio --help`"),
        ("what pipelines do I have?", "`helio list`"),
        ("is it scheduled?", "`helio schedule list`"),
    ],
)
def test_a_question_that_a_command_answers_gets_the_command(author, overview, question, command):
    assert command in reply(author.edit(question, overview))


@in_one_test(
    ("question", "answer"),
    [
        ("is the density on the right axis?", "yes: panel 2"),
        ("is the density on the left axis?", "no: panel 2"),
        ("is the speed on the right axis?", "no: panel 2"),
        ("which axis is the density on?", "panel 2"),
    ],
)
def test_a_question_about_the_side_of_an_axis_is_answered(author, shipped, question, answer):
    told = reply(author.edit(question, shipped("storm-overview")))
    assert told.startswith(answer)
    assert told.endswith("left" if "speed" in question else "right")


@in_one_test(
    ("question", "answer"),
    [
        ("is panel 2 logarithmic?", "yes: panel 2: the y axis is logarithmic"),
        ("is the density on a log axis?", "yes: panel 2: the y axis is logarithmic"),
        ("is panel 2 linear?", "no: panel 2: the y axis is logarithmic"),
        ("is panel 1 on a log scale?", "no: panel 1: the pipeline sets no logarithmic axis"),
        ("is the y axis of panel 1 linear?", "yes: panel 1: the pipeline sets no logarithmic axis"),
        ("is the time axis logarithmic?", "no: panel 1"),
        ("which panels are logarithmic?", "panel 2: the y axis is logarithmic"),
    ],
)
def test_a_question_about_a_scale_is_answered_by_the_axis_that_it_names(author, question, answer):
    for scales in ({"log_scale": {"2": "log"}}, {"log_scale": 2}, {"log_y": {"2": True}}):
        assert reply(author.edit(question, drawn(author, **scales))).startswith(answer)


def test_the_range_of_an_axis_and_an_assumed_fraction_are_told(author):
    template = drawn(author, y_range={"1": [-60, 40]})
    assert reply(author.edit("what is the y range of panel 1?", template)) == (
        "panel 1: the y axis is from -60 to 40"
    )
    assert "the pipeline sets no y range" in reply(author.edit("what y limits has the density?", template))
    template = author.edit("add the dynamic pressure from the density and the speed", template).template
    told = reply(author.edit("what helium fraction is assumed?", template))
    assert told.startswith("assumed_alpha = 0.04 (dynamic_pressure, step ")


LEVEL = "horizontal line at 5 in panel 1 (red, dash): the pipeline gives no name"


@in_one_test(
    ("question", "answer"),
    [
        ("is Bz red?", "yes: Wind_Bz is red"),
        ("is Bz blue?", "no: Wind_Bz is red"),
        ("what colour is Bz?", "Wind_Bz is red"),
        (
            "what colour is the density?",
            "helio chooses the colour of Wind_n, which the pipeline does not set",
        ),
        ("is the density red?", "helio chooses the colour of Wind_n, which the pipeline does not set"),
        ("is Bz dashed?", "yes: Wind_Bz is dashed"),
        ("is Bz dotted?", "no: Wind_Bz is dashed"),
        ("is the density dashed?", "no: the pipeline sets no style of Wind_n"),
        ("what is the dashed line?", f"Wind_Bz is dashed\n{LEVEL}"),
        ("what is the red line?", f"Wind_Bz is red\n{LEVEL}"),
    ],
)
def test_the_look_of_a_line_is_that_of_the_line_that_is_named(author, question, answer):
    template = drawn(
        author,
        trace_colors={"Wind_Bz": "red"},
        line_styles={"Wind_Bz": {"dash": "dash"}},
        hlines=[{"y": 5, "panel": 1}],
    )
    assert reply(author.edit(question, template)) == answer


@in_one_test(
    ("question", "answer"),
    [
        ("what colour is By?", "Wind_B.y is green"),
        ("is By green?", "yes: Wind_B.y is green"),
        ("what colour is Bz?", "helio chooses the colour of Wind_B.z, which the pipeline does not set"),
        (
            "which colour has the field?",
            "Wind_B.y is green\n"
            "helio chooses the colour of the other components of Wind_B, which the pipeline does not set",
        ),
        ("is By dashed?", "yes: Wind_B.y is dashed"),
        ("is Bz dashed?", "no: the pipeline sets no style of Wind_B.z"),
    ],
)
def test_the_look_of_a_component_is_its_own(author, question, answer):
    template = author.create("Wind magnetic field in GSE and density on 2003-11-20").template
    for change in ("make By green", "make By dashed"):
        template = author.edit(change, template).template
    assert reply(author.edit(question, template)) == answer


class OneRun(Records):
    """Records of one run, which took a later dataset."""

    def datasets_taken(self, pipeline):
        return "run a", {"Wind_n": ["WI_K0_SWE"]}


def test_of_several_datasets_of_a_line_it_is_said_which_one_a_run_takes(author, catalogue, tmp_path):
    template = author.create("Wind density and speed on 2003-11-20").template
    told = reply(author.edit("which dataset is the density from?", template)).splitlines()
    assert [line.partition(".")[0] for line in told[:2]] == ["WI_H1_SWE", "WI_K0_SWE"]
    assert told[2:] == ["a run takes the first of these datasets that has data (Wind_n)"]
    told = reply(author.edit("which dataset is the speed from?", template)).splitlines()
    assert len(told) == 1
    records = OneRun(Runs(tmp_path), Library(tmp_path), tmp_path)
    told = answered("which dataset is the density from?", template, catalogue, NOW, records).splitlines()
    assert told[2:] == ["run a took WI_K0_SWE (Wind_n)"]


def test_a_question_about_a_side_is_none_about_a_tool(author):
    template = author.create(
        "Wind density and thermal speed in one panel, thermal speed on the right axis, 2003-11-20"
    )
    assert reply(author.edit("is the thermal speed on the right axis?", template.template)).startswith(
        "yes: panel 1"
    )


def test_a_constant_is_the_whole_number_of_its_sentence(author):
    told = reply(author.create("what decay time does the model burton of burton_dst use?"))
    assert told.startswith("τ = 7.7 h (a constant of burton_dst): burton: ")
    assert "Q = −5 " not in told


def test_the_density_is_each_density_also_if_one_is_averaged(author, catalogue):
    template = author.create("Wind density and speed, 2003-11-20, 10 min running averages").template
    template = author.edit("add the electron density from WI_H5_SWE", template).template
    assert lines_named("the density", template, catalogue) == ["Wind_n_smooth", "Wind_Ne"]


def test_computed_lines_are_named_by_their_quantity(author):
    template = author.create("Wind Bz, |B| and density smoothed over 10 min on 2003-11-20").template
    told = reply(author.edit("explain this pipeline", template))
    assert "1 magnetic field (Wind_Bz_smooth); 2 magnetic field magnitude (Wind_Bmag_smooth)" in told
