"""Changes of data as physicists type them: values by their meaning, times, files, new lines, other datasets."""

import json

import pytest

from benchmarks.authoring.tasks import base_text
from helio.authoring.outcome import NotUnderstood, TemplateDraft
from helio.authoring.rules.changes.siblings import GROUPS
from helio.errors import HelioError
from tests.rows import in_one_test


def changed(author, base, sentence):
    """Return the template before and after a sentence."""
    before = json.loads(base_text(base))
    outcome = author.edit(sentence, json.loads(base_text(base)))
    assert isinstance(outcome, TemplateDraft), outcome
    return before, outcome.template


def values(template):
    return {name: facts.get("default") for name, facts in template["variables"].items()}


def steps(template):
    return {str(step["step_id"]): step for step in template["steps"]}


def spec(template):
    found = {}
    for step in template["steps"]:
        if step["tool_name"] in ("render_spec", "plot_data"):
            found |= step["tool_args"].get("spec", step["tool_args"])
    return found


VALUES = (
    ("rbsp-emfisis-waves", "hiss band should go from 50 Hz to 1 kHz", {"$HISS_LOW": 50, "$HISS_HIGH": 1000}),
    ("rbsp-emfisis-waves", "take hiss up to 3 kHz", {"$HISS_HIGH": 3000}),
    ("storm-superposed-epoch", "only storms below -100 nT", {"$THRESHOLD": -100}),
    ("storm-superposed-epoch", "1 day before until 3 days after, and only storms below -100",
     {"$BEFORE": "1d", "$AFTER": "3d", "$THRESHOLD": -100}),
    ("storm-superposed-epoch", "threshold of -80 nT please", {"$THRESHOLD": -80}),
    ("storm-superposed-epoch", "start 3 days before and end 6 days after the minimum",
     {"$BEFORE": "3d", "$AFTER": "6d"}),
    ("storm-superposed-epoch", "window from -1 to +3 days", {"$BEFORE": "1d", "$AFTER": "3d"}),
    ("b-power-spectrum", "inertial range from 0.01 to 0.05 Hz", {"$LOW": 0.01, "$HIGH": 0.05}),
    ("b-power-spectrum", "20 min windows for the dynamic spectrum", {"$DYNAMIC_WINDOW": "20min"}),
    ("mms-field-spectrum", "8 s windows for the spectra at the bottom", {"$WINDOW": "8s"}),
    ("mms-curlometer", "average the field over 200 ms", {"$WINDOW": "200ms"}),
    ("goes-xray-flares", "only flares above 1e-5 W/m^2", {"$LEAST": 1e-5}),
    ("psp-encounter", "strahl at 500 eV", {"$STRAHL_ENERGY": 500}),
    ("parker-spiral-angle", "source surface at 2.5 solar radii", {"$SOURCE_RADIUS": 2.5}),
    ("parker-spiral-angle", "use the source surface instead of the photosphere", {"$SOURCE_RADIUS": 2.5}),
    ("rbsp-emfisis-waves", "start the hiss band at 200 Hz", {"$HISS_LOW": 200}),
    ("mms-burst", "zoom in on 13:06:30 - 13:07:20", {"$TIME_RANGE": "2015-10-16T13:06:30 to 2015-10-16T13:07:20"}),
    ("storm-overview", "zoom to 17-18 March", {"$TIME_RANGE": "2015-03-17 to 2015-03-19"}),
    ("storm-overview", "06:00-12:00 UT on the 17th", {"$TIME_RANGE": "2015-03-17T06:00:00 to 2015-03-17T12:00:00"}),
    ("gle73-particles", "begin at 15 UT", {"$TIME_RANGE": "2021-10-28T15:00:00 to 2021-10-29T00:00:00"}),
    ("psp-encounter", "take the deflection from a 1 h mean field rather than 6 h", {"$BACKGROUND": "1h"}),
    ("psp-encounter", "strahl at 500 eV instead of 314", {"$STRAHL_ENERGY": 500}),
    ("psp-encounter", "background 2 h", {"$BACKGROUND": "2h"}),
    ("l1-monitor-comparison", "maximal lag 2 hours", {"$LONGEST_LAG": "2h"}),
    ("l1-monitor-comparison", "propagate to x = 10 RE instead of 0", {"$TO_X": 63712}),
    ("rbsp-emfisis-waves", "density threshold 50 cm-3", {"$PLASMASPHERE": 50}),
    ("b-power-spectrum", "fit the slope between 0.01 and 0.2 Hz", {"$LOW": 0.01, "$HIGH": 0.2}),
    ("mms-magnetopause-mva-walen", "MVA over 13:05:35-13:06:05",
     {"$CROSSING": "2015-10-16T13:05:35 to 2015-10-16T13:06:05"}),
    ("gle73-particles", "same figure for the 7-8 March 2012 event", {"$TIME_RANGE": "2012-03-07 to 2012-03-09"}),
)  # fmt: skip


@in_one_test(("base", "sentence", "new"), VALUES)
def test_a_value_is_set_by_its_meaning_and_nothing_else_changes(author, base, sentence, new):
    before, after = changed(author, base, sentence)
    assert values(after) == values(before) | new
    assert after["steps"] == before["steps"]


def test_a_range_without_a_unit_of_the_band_is_that_of_the_axis(author):
    _, after = changed(author, "rbsp-emfisis-waves", "hiss from 1e-6 to 1e-2")
    assert spec(after)["y_range"] == {"4": [1e-6, 1e-2]}
    assert values(after)["$HISS_LOW"] == 100


@pytest.mark.parametrize(
    ("base", "sentence", "windows"),
    [
        ("b-power-spectrum", "use 2 h windows", ("$WINDOW", "$DYNAMIC_WINDOW")),
        ("b-power-spectrum", "windows of 2 hours", ("$WINDOW", "$DYNAMIC_WINDOW")),
        ("mms-field-spectrum", "window 8 s", ("$WINDOW", "4s (dynamic)")),
        ("mms-field-spectrum", "change the windows to 8 s and 2 s", ("$WINDOW", "4s (dynamic)")),
    ],
)
def test_one_of_two_windows_is_asked_for(author, base, sentence, windows):
    outcome = author.edit(sentence, json.loads(base_text(base)))
    assert outcome.choices == windows


SAVED = (
    ("wind-plasma", "also write density and temperature to a csv file", [["density", "temperature"]]),
    ("l1-compare", "save the bottom panel as csv", [["ACE_Bmag"], ["Wind_Bmag"]]),  # their epochs differ
    ("l1-compare", "save the bottom panel as netcdf", [["ACE_Bmag", "Wind_Bmag"]]),
)


@in_one_test(("base", "sentence", "tables"), SAVED)
def test_named_tables_are_saved_as_one_file_if_it_can_hold_them(author, base, sentence, tables):
    _, after = changed(author, base, sentence)
    saved = [step for step in after["steps"] if step["tool_name"] == "save_data"]
    assert [step["tool_args"]["source_labels"] for step in saved] == tables


DRAWN = (
    ("ace-bfield-overview", "third panel with the clock angle", [["ACE_B"], ["ACE_Bmag"], ["ACE_B_clock"]]),
    ("l1-compare", "put |B| of DSCOVR into the bottom panel too",
     [["ACE_B"], ["Wind_B"], ["ACE_Bmag", "Wind_Bmag", "DSCOVR_Bmag"]]),
    ("tha-ions", "plot the electron density over the ion density",
     [["THA_L2_ESA.tha_peir_en_eflux"], ["THA_L2_ESA.tha_peir_density", "THEMISA_Ne"], ["B"]]),
    ("storm-superposed-epoch", "I don't need the panel with the number of storms", [["Dst"], ["Bz"], ["V"]]),
    ("gle73-particles", "protons only, drop the electrons", [["proton_bands_smooth"], ["STA_L1_HET.Proton_Flux"]]),
)  # fmt: skip


@in_one_test(("base", "sentence", "panels"), DRAWN)
def test_lines_come_and_go_where_the_sentence_says(author, base, sentence, panels):
    _, after = changed(author, base, sentence)
    assert spec(after)["panels"] == panels


def test_every_list_by_panel_grows_with_a_new_panel(author):
    _, after = changed(author, "storm-superposed-epoch", "add AE, superposed in the same way")
    made = spec(after)
    assert made["panels"][-1] == ["OMNI_AE_superposed"]
    assert (made["panel_types"], made["row_heights"]) == (["epochs"] * 5, [2, 1.5, 1.5, 1, 1.5])
    assert steps(after)["omni_ae_superposed"]["tool_args"]["before"] == "$BEFORE"
    _, after = changed(author, "gle73-particles", "add SOHO ERNE protons in a fourth panel")
    assert spec(after)["panel_types"] == ["line", "spectrogram", "line", "spectrogram"]


def test_the_labels_of_panels_that_share_lines_stay_with_their_panels(author):
    _, after = changed(author, "rbsp-emfisis-waves", "remove panel 2")
    assert spec(after)["y_label"]["2"] == "WFR B [Hz]"
    _, after = changed(author, "rbsp-emfisis-waves", "without the HOPE panels")
    assert [spec(after)["y_label"][at] for at in ("2", "3", "7")] == ["WFR E [Hz]", "WFR B [Hz]", "|B| [nT]"]


def test_the_panel_at_the_end_is_that_of_all_looks_of_a_list(author):
    _, after = changed(author, "l1-compare", "ACE should be red and Wind black in the bottom panel")
    assert spec(after)["trace_colors"] == {"ACE_Bmag": "red", "Wind_Bmag": "black"}
    with pytest.raises(NotUnderstood, match="no line called 'Wind'"):
        author.edit("ACE red and Wind black in the top panel", json.loads(base_text("l1-compare")))


FETCHED = (
    ("solo-overview", "take the anti-sunward EPT telescope rather than the sunward one", "particles",
     "SOLO_L2_EPD-EPT-ASUN-RATES"),
    ("solo-overview", "switch EPT from sun to south please", "particles", "SOLO_L2_EPD-EPT-SOUTH-RATES"),
    ("ace-gone", "no data since summer 2024 there - use the K0 key parameters instead", "plasma", "AC_K0_SWE"),
    ("mms-survey", "burst mode instead of survey", "ions", "MMS1_FPI_BRST_L2_DIS-MOMS"),
    ("tha-ions", "do the same with THEMIS-D", "esa", "THD_L2_ESA"),
    ("themis-esa-overview", "make it probe D", "sst", "THD_L2_SST"),
)  # fmt: skip


@in_one_test(("base", "sentence", "step", "dataset"), FETCHED)
def test_the_same_data_come_from_another_dataset(author, base, sentence, step, dataset):
    _, after = changed(author, base, sentence)
    assert steps(after)[step]["tool_args"]["dataset_id"] == dataset


def test_one_drawn_line_over_another_is_refused(author):
    with pytest.raises(NotUnderstood, match="T over V"):
        author.edit("plot T over V", json.loads(base_text("omni-solar-wind")))


def test_no_sibling_means_no_change(author):
    for base, sentence in (("hope-spectra", "sun telescope instead"), ("psp-bfield", "burst mode please")):
        with pytest.raises(HelioError):
            author.edit(sentence, json.loads(base_text(base)))


def test_parts_of_datasets_are_parts_of_ids_in_the_catalogue(catalogue):
    ids = {part for name in catalogue.ids() for part in name.replace("-", "_").split("_")}
    assert {part for group in GROUPS for part in group} <= ids


@in_one_test(
    ("sentence",),
    (
        ("SWEPAM has no data in 2025, use Wind for the density",),
        ("ACE is dead there, take the density from Wind instead",),
        ("ACE is dead here, take the Wind density, same smoothing",),
    ),
)
def test_a_quantity_is_taken_from_another_spacecraft(author, sentence):
    before, after = changed(author, "ace-gone", sentence)
    assert steps(after)["plasma"]["tool_args"]["dataset_id"] == "WI_H1_SWE"
    assert steps(after)["smooth"] == steps(before)["smooth"]
    assert spec(after)["title"] == "Density at Wind"


def test_bare_limits_of_a_spectrogram_are_asked_for(author):
    outcome = author.edit("ion spectrogram 1e4 to 1e8", json.loads(base_text("mms-survey")))
    assert outcome.choices == ("those of the y axis", "those of the colours")


def test_averages_finer_than_the_data_are_refused(author):
    with pytest.raises(NotUnderstood, match="B_RTN has a cadence of 1 min, longer than 1s"):
        changed(author, "psp-bfield", "1 s averages")


def test_a_spacecraft_that_keeps_other_data_keeps_its_name(author):
    _, after = changed(author, "l1-compare", "take the field of Wind from DSCOVR instead")
    assert spec(after)["trace_names"] == {"ACE_Bmag": "ACE", "DSCOVR_Bmag": "DSCOVR"}
    with pytest.raises(NotUnderstood, match=r"its step fetches .*P_TEMP too"):
        changed(author, "wind-plasma", "density from ACE instead")
