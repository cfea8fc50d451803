"""A sentence changes what its words mean by their types, in any order of words; what is not understood is refused."""

import json
import re
from pathlib import Path

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.errors import TimeRangeError
from helio.pipelines.changes import changes
from helio.pipelines.library import Library
from tests.rows import in_one_test

HERE = Path(__file__).parents[3] / "benchmarks" / "authoring" / "templates"


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    shelf = Library(tmp_path_factory.mktemp("library"))

    def read(name):
        path = HERE / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else shelf.read(shelf.find(name))

    return read


def changed(author, template, request, *chosen):
    outcome = author.edit(request, template, chosen=chosen)
    assert isinstance(outcome, TemplateDraft), outcome
    return [" ".join(str(change).split()) for change in changes(template, outcome.template)]


@pytest.mark.parametrize(
    "request_",
    [
        "SYM-H red",
        "a red SYM-H",
        "draw SYM-H in red",
        "colour of SYM-H: red",
        "make the SYM-H line red please",
        "SYM-H should be red",
        "could SYM-H be drawn in red",
    ],
)
def test_the_order_of_the_words_does_not_matter(author, templates, request_):
    name = "step 40: colour of OMNI_HRO_1MIN.SYM_H: red"
    if request_.startswith("could"):  # a question in form
        request_ = request_.removeprefix("could ")
    assert changed(author, templates("omni-storm"), request_) == [name]


@in_one_test(
    ("name", "request_", "expected"),
    [
        ("omni-storm", "font 12", "step 40: font size: 12"),
        ("omni-storm", "figure height 1500", 'canvas size: {"height": 1500}'),
        ("l1-compare", "canvas 1400 by 2000", 'canvas size: {"width": 1400, "height": 2000}'),
        ("l1-compare", "make the figure 1200 pixels wide", 'canvas size: {"width": 1200}'),
        ("l1-compare", "make the second panel twice as tall", "heights of panels: 1, 2, 1"),
        ("omni-storm", "letters on the panels", "panel letters: true"),
        ("omni-storm", "hide the footer", "footer: false"),
        ("l1-compare", "use the dark theme", "theme: dark"),
        ("omni-storm", "use the colour-blind palette", "palette: okabe-ito"),
        ("tha-ions", "colour map inferno", "colorscale: turbo → inferno"),
        ("tha-ions", "linear colour scale", "log z: true → false"),
        ("omni-storm", 'x axis label "Time (UT)"', "x label: Time (UT)"),
        ("omni-storm", "y label of the density panel: 'n [cm-3]'", "y axis of panel 3: n_p [cm⁻³] → n [cm-3]"),
        ("omni-storm", 'add the subtitle "preliminary"', "subtitle: preliminary"),
        ("omni-storm", "file name 'storm.png'", "filename: storm.png"),
        ("l1-compare", "gap factor 3", "gap factor: 3.0"),
        ("omni-storm", "make SYM-H symlog", "y scale of panel 4: symlog"),
        ("l1-compare", "lines and markers for Wind", '{"mode": "lines+markers"}'),
        ("omni-storm", "density between 0 and 50", "y range of panel 3: 0.0, 50.0"),
        ("omni-storm", "speed dark green", "colour of speed: darkgreen"),
        ("omni-storm", "storm levels in the SYM-H panel", 'hlines: [{"levels": "storms", "panel": 4}]'),
        ("omni-storm", "horizontal lines at -50 and -100 in the SYM-H panel", '{"y": -100.0, "panel": 4}'),
        ("omni-storm", "vertical line at 2015-03-17 04:45, labelled 'SSC'", '"label": "SSC"'),
        ("omni-storm", "mark 2015-03-17 04:45 with a vertical line labelled onset", '"label": "onset"'),
        ("wind-plasma", "add |B|", "WI_H0_MFI"),  # no magnitude of the velocity
        ("wind-plasma", "show the temperature in Kelvin instead of eV", "panel 3 (temperature_K): T_p [eV] → T_p [K]"),
        ("wind-plasma", "temperature in KELVINS please", "convert_units"),
        ("hope-spectra", "add a helium panel and use viridis for all spectrograms", "viridis"),
        ("hope-spectra", "use viridis for every spectrogram", "viridis"),
        ("hope-spectra", "use turbo in both spectrograms", "turbo"),
        ("ace-strength", "replace GSE by GSM for B and the smoothed Bz", "BGSEc → BGSM"),
        ("wind-plasma", "show |V| instead of the three components", "magnitude"),
        ("wind-plasma", "show the proton bulk speed instead of the velocity components", "magnitude"),
        ("wind-plasma", "add the dynamic pressure at the bottom", "dynamic_pressure"),  # of the moments of 3DP
        ("l1-compare", "change to RTN coordinates for both", "parameter: BGSEc → BRTN"),
        ("omni-storm", "use the 5-minute OMNI data", "dataset: OMNI_HRO_1MIN → OMNI_HRO_5MIN"),
        ("omni-storm", "SYM-H should be the first panel", "panel 1: OMNI_HRO_1MIN.SYM_H"),
        ("l1-compare", "reverse the order of the panels", "panel 1: ACE_B → ACE_Bmag, Wind_Bmag"),
        ("l1-compare", "ACE B in GSM as well", "transform_frame"),
        ("omni-storm", "since May 2014", "+ 2014-05-01 to today"),
        ("wind-plasma", "use ACE", "title: Wind 3DP protons → ACE SWEPAM protons"),
        ("ace-strength", "DSCOVR, GSM", "B_GSM.z"),
        ("parker-spiral-angle", "make the markers of phi three times larger", "line of phi, width: 1 → 3.0"),
        ("mixed-units", "use BGSE instead of B3GSE", "parameter: B3GSE → BGSE"),
        ("mixed-units", "use GSM instead of GSE", "parameter: B3GSE → B3GSM"),  # of the same cadence
        ("parker-spiral-angle", "only the polarity", "histograms removed"),
        ("psp-bfield", "Change the time range of this pipeline to 20 April 2021 to 29 April 2021, and leave everything "
         "else exactly as it is.", "→ 2021-04-20 to 2021-04-30"),
        ("wind-plasma", "Replace the velocity components in the middle panel by the flow speed, that is, the magnitude "
         "of the velocity vector.", "magnitude"),
        ("wind-plasma", "Set the vertical axis of the density panel to a logarithmic scale and change nothing else.",
         "y scale of panel 1 (density): log"),
        ("omni-storm", "zoom to the last day", "+ 2015-03-18 to 2015-03-19"),
        ("omni-storm", "last day only", "+ 2015-03-18 to 2015-03-19"),
        ("wind-plasma", "extend to 3 days", "→ 2003-10-24 to 2003-10-27"),
        ("wind-plasma", "extend by 3 days", "→ 2003-10-24 to 2003-10-28"),
        ("wind-plasma", "extend to 2003-11-01", "→ 2003-10-24 to 2003-11-02"),
        ("wind-plasma", "extend back to 20 Oct 2003", "→ 2003-10-20 to 2003-10-25"),
        ("plasma-beta-mach", "cross helicity window 4h, drop residual energy", "$FLUCTUATIONS, default: 2h → 4h"),
        ("plasma-beta-mach", "window of cross helicity 4 h", "$FLUCTUATIONS, default: 2h → 4h"),
        ("storm-superposed-epoch", "3 days before, 6 after", "2d → 3d || variable $AFTER, default: 4d → 6d"),
        ("tha-ions", "THEMIS-D please, same day", "title: THEMIS-A → THEMIS-D"),
        ("hope-spectra", "probe B, same interval", "RBSP-B HOPE"),
        ("mms-field-spectrum", "compressive in orange", "colour of compressive: orange"),
        ("wind-plasma", "also smooth V with the same window", "window: $WINDOW"),
        ("ace-strength", "smooth By as well, same window", "By (window = 10min)"),
        ("wind-plasma", "swap the order of density and temperature", "panel 1: density → temperature"),
        ("storm-superposed-epoch", "3 days before and after", "2d → 3d || variable $AFTER, default: 4d → 3d"),
        ("omni-solar-wind", "add the dynamic pressure from N and V at the bottom", "panel 5: Pdyn"),
        ("parker-spiral-angle", "trace back to the source surface at 2.5 solar radii", "default: 1.0 → 2.5"),
        ("parker-spiral-angle", "source surface radius 1391400 km", "default: 1.0 → 2"),
    ],
)  # fmt: skip
def test_a_sentence_changes_what_it_means(author, templates, name, request_, expected):
    assert expected in " || ".join(changed(author, templates(name), request_))


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ("z range 1 to 10", "the figure"),
        ("make the colour bar log", "the figure"),
        ("linear colour scale", "the figure"),
        ("colour bar of the SYM-H panel from 1 to 10", "panel 4"),
    ],
)
def test_colours_of_a_figure_without_a_spectrogram_are_refused(author, templates, request_, where):
    with pytest.raises(NotUnderstood, match=f"{where} has no spectrogram, so it has no colour bar") as caught:
        author.edit(request_, templates("omni-storm"))
    assert "'y range'" in caught.value.advice


def test_colours_of_data_that_the_catalogue_lacks_are_set(author, templates):
    template = json.loads(json.dumps(templates("tha-ions")).replace("THA_L2_ESA", "MY_IONS"))
    assert "MY_IONS" in json.dumps(template)
    assert "z min: 1000.0" in " || ".join(changed(author, template, "z range 1e3 to 1e7"))


def test_a_clause_takes_what_it_lacks_from_the_clause_before_it(author, templates):
    assert changed(author, templates("l1-compare"), "make ACE green and dashed, Wind orange") == [
        "step figure: colour of ACE_Bmag: blue → green",
        "step figure: colour of Wind_Bmag: red → orange",
        'step figure: line of ACE_Bmag: {"dash": "dash"}',
    ]


def test_a_spacecraft_goes_with_its_data(author, templates):
    told = " || ".join(changed(author, templates("l1-compare"), "remove Wind everywhere"))
    assert "step wind: removed" in told


@pytest.mark.parametrize("request_", ["use GOES-18", "GOES-18 instead of GOES-16"])
def test_the_xrays_of_another_goes_satellite_take_its_dataset(author, templates, request_):
    written = json.dumps(author.edit(request_, templates("goes-xray-flares")).template)
    assert "SCI_XRSF-L2-AVG1M_G18.xrsb_flux" in written
    assert "_G16" not in written


@pytest.mark.parametrize(
    "request_", ["compute magnitude of each", "compute the magnitude", "add |B|", "add the magnitude of both"]
)
def test_a_magnitude_that_is_drawn_already_is_not_drawn_again(author, overview, request_):
    with pytest.raises(NotUnderstood, match="the figure already draws the magnitude of ACE_B"):
        author.edit(request_, overview)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("l1-compare", "thicken it with sugar"),
        ("omni-storm", "write 'main phase' at 2015-03-17T12:00"),
        ("wind-plasma", "distance 0.39 with MESSENGER"),
        ("l1-compare", "make Bz less red than Mars"),
        ("omni-storm", "labelled 'SSC'"),
        ("l1-compare", "ACE B in GSM as well, like Wind (replace the GSE one)"),
    ],
)
def test_a_word_that_no_rule_reads_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("request_", "choices"),
    [
        ("running median of 1 h for the density", ("beside the line", "instead of the line")),
        ("dashed line", ("OMNI_HRO_1MIN.F", "OMNI_HRO_1MIN.BZ_GSM", "speed")),
        ("can I use 2026 data?", ("change the pipeline", "only an answer")),
        ("should I use 5 min data?", ("change the pipeline", "only an answer")),
    ],
)
def test_two_honest_readings_are_asked_for(author, templates, request_, choices):
    asked = author.edit(request_, templates("omni-storm"))
    assert isinstance(asked, AuthorQuestion)
    assert asked.choices[: len(choices)] == choices


@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        (
            "gle73-particles",
            "log axes off for electrons",
            ["logarithmic y axis of panel 3 (Electron_Flux): true → false"],
        ),
        ("tha-ions", "z: 1e3 to 1e7", ["z min: 1000.0", "z max: 10000000.0"]),
        (
            "mms-burst",
            "name of the y axis for third should be 'n'",
            ["y axis of panel 3 (mms1_dis_numberdensity_brst): n_i [cm⁻³] → n"],
        ),
        ("omni-solar-wind", "add a horizontal line at 500 km/s", ['[{"y": 500.0, "panel": 2}]']),
        ("storm-overview", "May 2024: 9 – 15", ["2024-05-09 to 2024-05-16"]),
        ("ace-strength", "add a clock angle panel between B & Bmag", ["panel 2: ACE_B_clock"]),
    ],
)
def test_a_target_is_found_by_what_the_clause_says_of_it(author, templates, name, request_, expected):
    done = " ".join(changed(author, templates(name), request_))
    assert all(part in done for part in expected), done


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("plasma-beta-mach", "electrons: try 3DP first"),
        ("psp-encounter", "one density only, QTN"),
        ("solo-overview", "viridis for the EPT panels"),  # a figure has one scale
        ("storm-overview", "save everything in one csv"),
        ("omni-storm", "add Bz and By"),  # Bz is drawn
        ("parker-spiral-angle", "bin width 20 nT"),  # the histograms are of angles
        ("l1-compare", "use 1 hour data"),  # of Wind none
        ("b-power-spectrum", "B in RTN"),  # every minute only
        ("mixed-units", "use electrons instead of protons"),  # beta is drawn
        ("omni-solar-wind", "drop T, remove beta"),  # beta is not drawn
        ("omni-solar-wind-overview", "the same days in 2016"),
    ],
)
def test_a_wish_that_is_half_understood_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


def test_a_smoothed_line_leaves_the_cadence_of_its_input_to_other_steps(author, templates):
    done = author.edit("smooth Wind over 5 min", templates("l1-monitor-comparison")).template
    steps = {step["step_id"]: step for step in done["steps"]}
    before = {step["step_id"]: step for step in templates("l1-monitor-comparison")["steps"]}
    resampled = [name for name, step in before.items() if step["tool_name"] == "resample"]
    assert resampled
    assert [steps[name] for name in resampled] == [before[name] for name in resampled]
    new = [step for name, step in steps.items() if name not in before]
    assert {step["tool_args"]["window"] for step in new if step["tool_name"] == "running_average"} == {"5min"}


def test_a_line_goes_from_the_panel_that_is_named(author, templates):
    done = author.edit("remove the SPC density from the density panel", templates("psp-encounter")).template
    panels = done["steps"][-1]["tool_args"]["spec"]["panels"]
    assert [panel for panel in panels if "n_SPI" in panel]
    assert not any("n_SPC" in panel for panel in panels)


@pytest.mark.parametrize(
    ("name", "words", "label"),
    [
        ("omni-solar-wind-overview", "the Newell coupling function", "coupling"),
        ("omni-solar-wind-overview", "the magnetopause standoff distance", "r0"),
        ("storm-overview", "the predicted Dst", "Dst_model"),
        ("plasma-beta-mach", "the residual energy", "sigma_r"),
    ],
)
def test_a_line_is_known_by_the_quantity_that_its_step_computes(author, templates, name, words, label):
    done = author.edit(f"make {words} lime", templates(name)).template
    [spec] = [step["tool_args"]["spec"] for step in done["steps"] if step["tool_name"] == "render_spec"]
    assert spec["trace_colors"][label] == "lime"


def test_both_angles_of_the_field_are_computed_from_it(author, templates):
    done = author.edit("add azimuth and elevation of the field", templates("psp-bfield")).template
    given = [
        step["tool_args"].get("give") for step in done["steps"] if step["tool_name"] == "direction_angle"
    ]
    assert sorted(given) == ["azimuth", "elevation"]


@pytest.mark.parametrize(
    ("name", "request_", "label", "beside"),
    [
        (
            "omni-solar-wind-overview",
            "add Dst* to the panel with SYM-H and Dst",
            "Dststar",
            "OMNI2_H0_MRG1HR.DST",
        ),
        ("storm-overview", "add the Newell coupling function", "Newell", None),
        (
            "storm-overview",
            "average VBs over 15 minutes with a running mean before it is drawn",
            "VBs_smooth",
            "VBs_sum",
        ),
    ],
)
def test_a_computed_line_comes_where_the_sentence_says(author, templates, name, request_, label, beside):
    panels = author.edit(request_, templates(name)).template["steps"]
    [spec] = [step["tool_args"]["spec"] for step in panels if step["tool_name"] == "render_spec"]
    [panel] = [panel for panel in spec["panels"] if any(line.endswith(label) for line in panel)]
    assert (beside in panel) == (beside is not None)


@pytest.mark.parametrize("kept", ["just AE", "only AE", "keep only AE"])
def test_what_a_removal_keeps_stays_beside_the_other_panels(author, templates, kept):
    before = templates("omni-solar-wind-overview")
    done = author.edit(f"leave out AL and AU, {kept}", before).template
    spec, old = (template["steps"][-1]["tool_args"]["spec"]["panels"] for template in (done, before))
    assert spec == [
        ["OMNI_HRO_1MIN.AE_INDEX"] if "OMNI_HRO_1MIN.AE_INDEX" in panel else panel for panel in old
    ]


@pytest.mark.parametrize(("name", "panels"), [("PAS", 1), ("EPT", 2)])
def test_the_spectrograms_of_an_instrument_are_removed_alone(author, templates, name, panels):
    before = templates("solo-overview")
    done = author.edit(f"remove the {name} spectrograms", before).template
    drawn = [len(template["steps"][-1]["tool_args"]["spec"]["panels"]) for template in (before, done)]
    assert drawn[0] - drawn[1] == panels


def test_an_instrument_means_all_its_lines_and_other_names_stay(author, templates):
    done = changed(author, templates("solo-overview"), "no EPT")
    assert sum("no longer SOLO_L2_EPD-EPT" in change for change in done) == len(("ions", "electrons"))
    assert not any("SOLO_HELIO1HR_POSITION" in change for change in done)


@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        (
            "omni-solar-wind",
            "Temperature axis linear instead of log",
            "logarithmic y axis of panel 4 (T): true → false",
        ),
        ("omni-solar-wind", "log, not linear for the density", "y scale of panel 3 (N): log"),
        ("omni-solar-wind", "B_R black instead of blue", "MERGED_MAG_PLASMA.BR: blue → black"),
        ("ace-bfield-overview", "mark panels (a) and (b) for the paper", "panel letters: true"),
        ("ace-bfield-overview", "add letters a, b to panels", "panel letters: true"),
        ("ace-bfield-overview", "panel (b): log axis", "y scale of panel 2: log"),
        ("psp-bfield", "same for encounter 10: 18 - 24 Nov 2021", "2020-01-04 → 2021-11-18 to 2021-11-25"),
        ("psp-bfield", "encounter 10", "2020-01-04 → 2021-11-16 to 2021-11-27"),
        ("storm-overview", "count only intense storms, threshold -100 nT", "default: -50 → -100"),
        ("storm-overview", "only moderate storms, threshold -80 nT", "default: -50 → -80"),
        ("goes-xray-flares", "only flares from M1 upwards", "default: 1e-06 → 1e-05"),
        ("goes-xray-flares", "ignore flares below M2.5", "default: 1e-06 → 2.5e-05"),
        ("goes-xray-flares", "keep only X flares", "default: 1e-06 → 0.0001"),
        ("wind-plasma", "smooth with 30 min", "variable $WINDOW, default: 10min → 30min"),
    ],
)
def test_a_sentence_changes_one_value_and_nothing_else(author, templates, name, request_, expected):
    (done,) = changed(author, templates(name), request_)
    assert expected in done


@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        ("tha-ions", "total B in the same panel with the components", "panel 3: + 2 Bmag"),
        ("mms-burst", "overplot electron density on the ion density", "MMS1_FPI_BRST_L2_DES-MOMS"),
        ("mms-burst", "add SYM-H in a new panel", "OMNI_HRO_1MIN"),
        ("mixed-units", "show |B| in a panel on the top", "panel 1: Wind_Bmag"),
    ],
)
def test_new_lines_fit_the_figure(author, templates, name, request_, expected):
    assert expected in " ".join(changed(author, templates(name), request_))


def test_a_part_of_a_sentence_that_changes_nothing_is_noted(author, templates):
    draft = author.edit("density red, temperature on log axis", templates("swpc-now"))
    assert draft.notes == ("'temperature on log axis' changes nothing: the pipeline is already like this",)


@pytest.mark.parametrize("request_", ["the other panels taller", "density red and the other two panels log"])
def test_other_panels_are_those_that_the_sentence_leaves(author, templates, request_):
    with pytest.raises(NotUnderstood, match="which panels"):
        author.edit(request_, templates("swpc-now"))


@pytest.mark.parametrize("request_", ["only flares below M1", "only M flares", "only flares from C1 to M1"])
def test_classes_of_flares_that_are_no_least_flux_are_refused(author, templates, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates("goes-xray-flares"))


@pytest.mark.parametrize("request_", ["remove panels (a) and (b)", "move (a) and (b) to the bottom"])
def test_letters_that_name_panels_are_no_wish_for_letters(author, overview, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, overview)


@in_one_test(
    ("name", "request_", "told"),
    [
        ("omni-storm", "SYM-H can go", "panel 4: no longer"),
        ("omni-storm", "ditch the speed", "panel 2: no longer speed"),
        ("wind-plasma", "I don't need the temperature, drop that panel", "panel 3: no longer temperature"),
        ("wind-plasma", "raw density, not the smoothed one", "density → WI_PM_3DP.P_DENS"),
        ("wind-plasma", "density without smoothing, temperature stays", "density → WI_PM_3DP.P_DENS"),
        ("ace-strength", "unsmoothed Bz please", "Bz_smooth → B.Bz"),
        ("psp-bfield", "radial component thicker", "line of B_RTN.r"),
        ("omni-storm", "plus AE", "AE_INDEX"),
        ("wind-plasma", "row heights 2, 1, 1", "heights of panels: 2, 1, 1"),
        ("wind-plasma", "density in m^-3", "n_p [cm⁻³] → n_p [m⁻³]"),
        ("wind-plasma", "order: T, V, n", "panel 1: density → temperature"),
        ("wind-plasma", "next day", "2003-10-24 → 2003-10-25 to 2003-10-26"),
        ("wind-plasma", "T on the right axis of the density panel", "panel 1: + 2 temperature"),
        (
            "omni-storm",
            "density on the right of the speed panel in green",
            "colour of OMNI_HRO_1MIN.proton_density: green",
        ),
        ("swpc-now", "colour Bz red", "colour of SWPC_RTSW_MAG.BGSM.z: red"),
        ("storm-overview", "Dst thick, others grey", "colour of OMNI_HRO_1MIN.SYM_H: black"),
        ("omni-solar-wind-overview", "line at 0 in all panels but Kp", '"y": 0.0, "panel": 9}'),
        ("omni-storm", "speed and density in one panel, density right", "y axis of panel 2 right: n_p"),
        (
            "omni-storm",
            "the range 25 Aug 2018 12:00 to 26 Aug 2018 12:00",
            "2018-08-25T12:00:00 to 2018-08-26T12:00:00",
        ),
        ("omni-storm", "6 Sep 2017 from 8 to 16 UT, vertical line at 12:02", "2017-09-06T08:00:00 to"),
        ("omni-solar-wind", "daily average of each quantity", "1 d mean"),
        ("wind-plasma", "panels side by side", "columns"),
        ("wind-plasma", "title Halloween storm", "→ Halloween storm"),
        ("wind-plasma", "rename density to N", "name of density in the legend: N"),
        ("omni-solar-wind-overview", "PCN in the AE panel, right axis", "panel 8: + 4 OMNI_PC"),
        ("omni-solar-wind-overview", "Kp as bars in grey", "colour of Kp: grey"),
        ("l1-compare", "leave Wind out", "panel 2: ACE_Bmag"),
        ("l1-compare", "swap the colors: ACE red, Wind blue", "colour of ACE_Bmag: blue → red"),
        ("l1-compare", "swap the colors", "colour of Wind_Bmag: red → blue"),
        ("l1-compare", "24 April only", "+ 2023-04-24 to 2023-04-25"),
        ("l1-compare", "Bz of ACE and Wind in one panel", "panel 3: ACE_Bz, Wind_Bz"),
        ("hope-spectra", "also the O+ omni spectrogram, at the bottom", "panel 4: RBSPA_FODO"),
        ("psp-bfield", "add the angle between B and the radial", "cone_angle of B_RTN"),
        ("tha-ions", "add ion velocity in GSM", "tha_peir_velocity_gsm"),
        ("storm-superposed-epoch", "proton density too, same windows", "panel 5: OMNI_n_superposed"),
        ("omni-storm", "not SYM-H but ASY-H", "OMNI_HRO_1MIN.SYM_H → OMNI_ASYH"),
        ("ace-strength", "no, not 10 min: 5 min", "window: 10min → 5min"),
        ("gle73-particles", "20 min smoothing instead of 10", "default: 10min → 20min"),
        ("swpc-now", "last 3 days instead of 24 h", "→ last 72 hours"),
        ("omni-storm", "go until 22 March", "+ 2015-03-17 to 2015-03-23"),
        ("omni-storm", "smooth the speed with a median instead", "running_average → running_median"),
        ("omni-storm", "Bz should go in a panel for itself", "panel 2: OMNI_HRO_1MIN.BZ_GSM"),
        ("omni-storm", "give Bz its own panel, below ¦B¦", "panel 2: OMNI_HRO_1MIN.BZ_GSM"),
        (
            "omni-storm",
            "vertical lines at 04:45 and 13:00 on 17 Mar",
            '"2015-03-17T04:45"}, {"x": "2015-03-17T13:00"',
        ),
        ("mixed-units", "count 4% alphas", "assumed alpha: 0.04"),
        ("mixed-units", "P_TEMP is in eV - convert it to K before computing beta", "→ WI_PM_3DP_P_TEMP_K"),
        ("mms-burst", "put the electron density in the density panel too", "panel 3: + 2 MMS1_Ne"),
        ("mms-burst", "add the electron temperature (parallel and perp)", "MMS1_Teperp"),
        ("l1-compare", "put DSCOVR ¦B¦ into the panel with the two strengths", "panel 3: + 3 DSCOVR_Bmag"),
        ("b-power-spectrum", "don't save the scales", "step scales: removed: save_data"),
        ("themis-esa-overview", "save n and T to ni_ti.csv", "ni_ti_T.csv"),
        ("themis-esa-overview", "export n to density.nc", "filename: density.nc"),
        ("hope-spectra", "Probe B", "dataset: RBSPA_REL04_ECT-HOPE-PA-L3 → RBSPB"),
        ("hope-spectra", "make the electron panel the first one", "panel 1: RBSPA_REL04_ECT-HOPE-PA-L3.FEDO"),
        ("psp-bfield", "one panel for each of BR, BT and BN", "panel 3: B_RTNn"),
        ("ace-bfield-overview", "can we have the field in RTN instead of GSE?", "parameter: BGSEc → BRTN"),
        ("ace-bfield-overview", "run it every time for yesterday", "→ yesterday"),
        ("ace-bfield-overview", "add the IMF cone angle below the magnitude", "cone_angle of ACE_B → cone"),
        ("ace-bfield-overview", "swap the panels", "panel 1: ACE_B → ACE_Bmag"),
        (
            "tha-ions",
            "viridis for the spectrogram, colour limits 1e4 to 1e8",
            "upper end of the colour scale",
        ),
        ("mixed-units", "use the magnetic field from WI_H2_MFI instead", "WI_H0_MFI → WI_H2_MFI"),
        ("omni-storm", "no, the temperature, not the density", "proton_density → OMNI_T"),
        ("wind-plasma", "$WINDOW = 20 min", "$WINDOW, default: 10min → 20min"),
        ("ace-strength", "plot the smoothed Bz on top of the field components", "panel 1: + 2 Bz_smooth"),
        ("ace-strength", "draw points instead of lines", 'line of Bz_smooth: {"mode": "markers"}'),
        ("omni-storm", "I'd rather see the temperature than the density", "proton_density → OMNI_T"),
        ("omni-storm", "AL and AU together in one more panel at the end", "panel 5: OMNI_AL, OMNI_AU"),
        ("omni-storm", "shade southward Bz", 'BZ_GSM: {"fill_below": 0.0}'),
        (
            "tha-ions",
            "the density in log scale with limits 0.1 and 10",
            "y range of panel 2 (tha_peir_density): 0.1, 10.0",
        ),
        ("wind-plasma", "save density and temperature as a csv table", "from: density, temperature"),
        ("b-power-spectrum", "half-hour windows instead of 1 hour", "$WINDOW, default: 1h → 30min"),
        ("gle73-particles", "replace 60-100 MeV by 40-60 MeV", "step bands: bands, item 4"),
        ("gle73-particles", "add a band 40.5 to 60 MeV to the proton lines", "40.5"),
        ("gle73-particles", "until 30 October 12 UT", "2021-10-28T00:00:00 to 2021-10-30T12:00:00"),
        ("mms-burst", "cut to 13:06:00-13:07:00", "13:06:00 to 2015-10-16T13:07:00"),
        ("omni-solar-wind", "use 6 hourly averages", "cadence: 6h"),
        ("omni-storm", "put AE as the last panel", "panel 5: OMNI_AE"),
        ("omni-storm", "make SYM-H the first panel", "panel 1: OMNI_HRO_1MIN.SYM_H"),
        ("ace-strength", "go back to hourly", "window: 10min → 1h"),
        ("ace-strength", "and the same for Wind?", "WI_H0_MFI"),
        ("omni-solar-wind", "take ¦B¦ out of the top panel", "- 4 OMNI_COHO1HR_MERGED_MAG_PLASMA.ABS_B"),
        ("omni-solar-wind", "replace the hourly speed by daily means", "V_binned"),
        ("omni-solar-wind", "density log and the other three panels linear", "y scale of panel 1"),
    ],
)
def test_short_wishes_are_read(author, templates, name, request_, told):
    text = json.dumps([changed(author, templates(name), request_.replace("¦", "|"))], ensure_ascii=False)
    assert told in text.replace('\\"', '"')


@in_one_test(
    ("name", "request_", "told", "untold"),
    [
        (
            "themis-esa-overview",
            "velocity in GSE",
            "y axis of panel 6 (V): V_i GSM [km/s] → V_i GSE [km/s]",
            "panel 8",
        ),
        (
            "b-power-spectrum",
            "slope between 0.01 and 1 Hz",
            "variable $LOW, default: 0.005 → 0.01",
            "y range",
        ),
        ("storm-superposed-epoch", "bins of 3 h", "bin: 1h → 3h", "resample"),
        ("storm-superposed-epoch", "add the density around the minima", "OMNI2_H0_MRG1HR", "OMNI_HRO_1MIN"),
        ("hope-spectra", "helium too", "RBSPA_REL04_ECT-HOPE-PA-L3", "RBSPICE"),
        ("themis-esa-overview", "hide MLT", "rows below the time axis: - 2 THA_OR_SSC.SM_LCT_T", "panel"),
        ("omni-solar-wind-overview", "Kp as a line instead of bars", "- 10 bars + 10 line", "no longer"),
        ("omni-solar-wind-overview", "AE only from that panel", "- 2 OMNI_HRO_1MIN.AL_INDEX", "SYM_H"),
        ("omni-solar-wind-overview", "B_z only in the first panel", "F → Bz", "panel 2"),
        ("omni-solar-wind-overview", "drop Bx and By", 'B_z.Bz: {"fill_below": 0}', "panel 2"),
        ("omni-solar-wind-overview", "netcdf of the indices", "6 Kp", "flow_speed"),
        ("wind-plasma", "two vertical lines at 15:00 and 18:00", "2003-10-24T18:00", "two"),
        ("wind-plasma", "shade 15:00-16:00 and 18:00-19:00", "2003-10-24T19:00", "TIME_RANGE"),
        ("wind-plasma", "mark the sheath 15:00-18:00", "x1: 2003-10-24T18:00", "vlines"),
        ("wind-plasma", "mark 14:49, label it 'shock'", '"label": "shock"', "title"),
        ("l1-compare", "only Bz from ACE and Wind", "panel 2: Wind_Bz", "intent: Take the x component"),
        ("l1-compare", "both lines thicker", "line of Wind_Bmag", "line of Wind_B:"),
        ("solo-overview", "EPT ions from the anti-sun telescope", "ASUN-RATES.Ion_Flux", "panel 8"),
        ("mms-curlometer", "mms2 in orange", "colour of B2.z: red → orange", "Jmag"),
        ("mms-survey", "vertical line at 22:34 labelled X-line", '"label": "X-line"', '"X"'),
        ("hope-spectra", "He and O too", "FHEDO", "pitch"),
        ("omni-storm", "add By", "BY_GSM", "BY_GSE"),  # the frame of the figure
        ("tha-ions", "use ion velocity instead of density", "velocity_gsm", "velocity_gse"),
        (
            "themis-esa-overview",
            "add plasma beta",
            "plasma_beta density label: n temperature",
            "n_all",
        ),  # the good records of the figure
        ("themis-esa-overview", "add Bz", "components of B (keep", "THA_L2_FGM"),
        ("mixed-units", "add density", "WI_PM_3DP.P_DENS", "WI_H1_SWE"),
        ("wind-plasma", "compute the dynamic pressure", "dynamic_pressure density label", "WI_K0_SWE"),
        ("ace-strength", "save everything in one csv", "from: B, Bmag, Bz_smooth", " B.csv"),
        (
            "ace-strength",
            "smooth Bz over 1 hour rather than 10 min and make that line dashed",
            "line of Bz_smooth",
            "B.z",
        ),
        ("omni-storm", "B total black, Bz blue, everything else grey", "BZ_GSM: blue", "BZ_GSM: grey"),
        (
            "omni-storm",
            "no smoothing of the speed, show the 1-min values",
            "→ OMNI_HRO_1MIN.flow_speed",
            "HRO2",
        ),
        ("mixed-units", "line at beta = 1 in red", "hlines, item 1, color: red", "item 2"),
        (
            "wind-plasma",
            "put T above n and colour it orange",
            "colour of temperature: orange",
            "density: orange",
        ),
        ("omni-storm", "replace SYM-H by Kp and Bz by By", "OMNI_HRO_1MIN.SYM_H → OMNI_Kp", "→ OMNI_Bz"),
        (
            "wind-plasma",
            "density red, temperature blue, both 2 px wide",
            'line of density: {"width": 2.0}',
            "P_VELS",
        ),
        ("wind-plasma", "1 min averages of everything", "P_VELS → WI_PM_3DP_P_VELS_binned", "density_binned"),
        ("b-power-spectrum", "break between 0.01 and 2 Hz", "$BREAK_HIGH, default: 4.0 → 2", "$HIGH,"),
        ("mms-field-spectrum", "spectrogram windows 2 s", "step dynamic: window: 4s → 2s", "$WINDOW"),
        ("b-power-spectrum", "use a 30 min window for the PSD", "$WINDOW, default: 1h → 30min", "DYNAMIC"),
        ("psp-encounter", "deflection mean window 3h", "$BACKGROUND, default: 6h → 3h", "resample"),
        (
            "ace-bfield-overview",
            "add a 6 h running mean of the magnitude, thick red",
            "ACE_Bmag_smooth: red",
            "black",
        ),
        (
            "omni-solar-wind",
            "put the temperature between B and V",
            "panel 2: OMNI_COHO1HR_MERGED_MAG_PLASMA.T",
            "OMNI2",
        ),
        (
            "mms-burst",
            "B magnitude on top of the components, in black",
            "colour of Bmag: black",
            "colour of B:",
        ),
        (
            "storm-overview",
            "Dst* and the model in different panels",
            "panel 8: Dst_model",
            "panel 5",
        ),
        (
            "mms-curlometer",
            "drop the quality panel",
            "panel 4: no longer quality",
            "B GSE",
        ),
        (
            "mms-burst",
            "spectrogram colours inferno and limit from 1e5 to 1e8",
            "z max: 100000000.0",
            "y range",
        ),
        ("omni-storm", "V and n on log axes, the others linear", "y scale of panel 3: log", "panel 2: linear"),
        ("omni-storm", "thick lines everywhere but in the last panel", "line of speed", "SYM_H"),
        ("omni-storm", "log axes everywhere except the last panel", "y scale of panel 3: log", "panel 4"),
        ("omni-solar-wind", "n on a log axis, T on a linear one", "y scale of panel 3 (N): log", "panel 4: log"),
        ("omni-solar-wind", "replace n by the dynamic pressure with y axis from 0 to 10",
         "y range of panel 3 (Pdyn): 0.0, 10.0", "panel 1"),
        ("omni-solar-wind", "add Dst below everything with y axis from -50 to 20",
         "y range of panel 5 (OMNI_Dst): -50.0, 20.0", "panel 4"),
        ("omni-storm", "Bz in red with the part below zero filled", "BZ_GSM added fill_below: 0.0", "speed"),
        ("goes-xray-flares", "list only flares of class M1 or more", "$LEAST, default: 1e-06 → 1e-05", "TIME"),
        ("ace-strength", "same figure but for Wind MFI on 3 March 2022", "WI_H0_MFI", "panel"),
        ("l1-compare", "replace Wind by DSCOVR and keep the colours", "colour of DSCOVR_Bmag: red", "blue"),
        ("wind-plasma", "smoothing 30 min instead of 10, only for the temperature", "30min", "panel"),
        ("omni-storm", "shade 2015-03-17 06:00 to 23:00 in grey (main phase)", "label: main phase", "panels"),
        ("omni-solar-wind", "drop the temperature and the T component", "BT", "BN:"),
        ("omni-storm", "smooth speed over 15 min, 5 is too noisy", "15min", "panel"),
        ("psp-bfield", "hourly means of the magnitude, instead of the 1 minute values", "B_magnitude_binned",
         "B_RTN_binned"),
        ("tha-ions", "zoom on 04:00 to 06:00 of this day", "2008-02-26T04:00 to 2008-02-26T06:00", "panel"),
        ("wind-plasma", "density blue, temperature red, thicker lines for both", 'density: {"width": 2.6}', "P_VELS"),
        ("wind-plasma", "density blue, temperature red, thicker lines", "P_VELS", "black"),
    ],
)  # fmt: skip
def test_a_wish_changes_nothing_beside_it(author, templates, name, request_, told, untold):
    text = " || ".join(changed(author, templates(name), request_))
    assert told in text
    assert untold not in text


@pytest.mark.parametrize(
    ("name", "request_", "panels"),
    [
        ("rbsp-emfisis-waves", "only WFR",
         "E_power f_ce f_ce_half f_ce_tenth | B_power f_ce f_ce_half f_ce_tenth | chorus_lower chorus_upper hiss"),
        ("rbsp-emfisis-waves", "EFW only", "RBSPA_EFW-L3.density"),
        ("solo-overview", "PAS only", "V_PAS | n_PAS | T_PAS | beta | eflux"),
        ("themis-esa-overview", "only ESA", "ions | electrons | n | V | T | P_i"),
        ("themis-esa-overview", "only electrons", "THA_L2_SST.tha_psef_en_eflux | electrons"),
        ("themis-esa-overview", "only the ion spectrograms", "THA_L2_SST.tha_psif_en_eflux | ions"),
        ("plasma-beta-mach", "only the measured beta", "beta_measured"),
        ("plasma-beta-mach", "only pressures", "P_B P_th P_tot P_dyn"),
        ("themis-esa-overview", "only ions", "THA_L2_SST.tha_psif_en_eflux | ions"),
        ("plasma-beta-mach", "only beta and Mach numbers", "beta beta_measured | MA Mms"),
        ("b-power-spectrum", "only the trace spectrum", "trace"),
        ("goes-xray-flares", "show only the long channel", "long"),
        ("l1-compare", "B only Wind", "Wind_B | ACE_Bmag Wind_Bmag"),
    ],
)  # fmt: skip
def test_what_stays_alone_is_all_that_the_words_name(author, templates, name, request_, panels):
    draft = author.edit(request_, templates(name))
    assert drawn_in(draft.template) == panels


@in_one_test(
    ("name", "request_", "gone"),
    [
        ("themis-esa-overview", "remove all electrons", {"THA_L2_SST.tha_psef_en_eflux", "electrons"}),
        ("themis-esa-overview", "remove the ESA electrons", {"electrons"}),
        ("ace-strength", "get rid of the Bz panel", {"Bz_smooth"}),
        ("omni-storm", "SYM-H first, then B, then speed, skip density", {"OMNI_HRO_1MIN.proton_density"}),
        ("solo-overview", "remove PAS", {"V_PAS", "n_PAS", "T_PAS", "beta", "eflux"}),
        ("mms-survey", "drop both spectrograms",
         {"MMS1_FPI_FAST_L2_DIS-MOMS.mms1_dis_energyspectr_omni_fast", "electrons"}),
        ("mms-survey", "T only perpendicular", {"MMS1_FPI_FAST_L2_DIS-MOMS.mms1_dis_temppara_fast"}),
        ("solo-overview", "V: only R", {"V_PAS"}),  # V_R instead
        ("psp-encounter", "V only the radial component", {"V_SPI"}),
        ("psp-encounter", "remove V", {"V_SPI"}),  # not flux vs energy
        ("psp-encounter", "use QTN density only", {"n_SPI", "n_SPC"}),
        ("storm-overview", "only OMNI", {"GOES"}),
        ("omni-solar-wind-overview", "only AE, no AL and AU",
         {"OMNI_HRO_1MIN.AL_INDEX", "OMNI_HRO_1MIN.AU_INDEX"}),
        ("psp-encounter", "use SPC only", {"n_QTN", "n_SPI"}),
        ("psp-encounter", "n from SPAN-I only", {"n_QTN", "n_SPC"}),
        ("storm-overview", "use GOES-13 only", set()),  # of five choices
        ("psp-encounter", "take the SPC density out, QTN and SPAN-I are enough", {"n_SPC"}),
        ("omni-solar-wind-overview", "AE only, without AL and AU",
         {"OMNI_HRO_1MIN.AL_INDEX", "OMNI_HRO_1MIN.AU_INDEX"}),
        ("l1-monitor-comparison", "drop the temperatures", {"T_ACE", "T_Wind", "T_DSCOVR"}),
        ("l1-monitor-comparison", "only ACE and Wind",
         {"DSCOVR_B", "DSCOVR_GSM.z", "difference_DSCOVR", "V_DSCOVR", "difference_V_DSCOVR", "n_DSCOVR",
          "difference_n_DSCOVR", "T_DSCOVR", "difference_T_DSCOVR", "lag_DSCOVR"}),
        ("l1-monitor-comparison", "only ACE Wind",
         {"DSCOVR_B", "DSCOVR_GSM.z", "difference_DSCOVR", "V_DSCOVR", "difference_V_DSCOVR", "n_DSCOVR",
          "difference_n_DSCOVR", "T_DSCOVR", "difference_T_DSCOVR", "lag_DSCOVR"}),
        ("l1-monitor-comparison", "leave out DSCOVR",
         {"DSCOVR_B", "DSCOVR_GSM.z", "difference_DSCOVR", "V_DSCOVR", "difference_V_DSCOVR", "n_DSCOVR",
          "difference_n_DSCOVR", "T_DSCOVR", "difference_T_DSCOVR", "lag_DSCOVR"}),
        ("plasma-beta-mach", "The last panel with cross helicity and residual energy is not needed",
         {"sigma_c", "sigma_r"}),
        ("themis-esa-overview", "Without SST please, both ions and electrons",
         {"THA_L2_SST.tha_psif_en_eflux", "THA_L2_SST.tha_psef_en_eflux"}),
        ("plasma-beta-mach", "I don't need the entropy and the cross helicity / residual energy panels, kick them out",
         {"S_p", "sigma_c", "sigma_r"}),
    ],
)  # fmt: skip
def test_what_is_removed_is_all_that_the_words_name(author, templates, name, request_, gone):
    template = templates(name)
    draft = author.edit(request_, template)
    assert set(drawn_in(template).split()) - set(drawn_in(draft.template).split()) == gone


@in_one_test(
    ("name", "request_", "panels"),
    [
        ("ace-strength", "hide Bx and By in the first panel", "B_z | Bmag | Bz_smooth"),
        ("ace-strength", "first panel without Bx and By", "B_z | Bmag | Bz_smooth"),
        ("ace-strength", "B without Bx", "B_yz | Bmag | Bz_smooth"),
        ("ace-strength", "only Bx and By in the first panel", "Bx By | Bmag | Bz_smooth"),
        ("omni-solar-wind", "only B_R and |B| in the top panel, take out B_T and B_N", "BR ABS_B | V | N | T"),
        ("omni-solar-wind", "remove B_T and B_N in the top panel", "BR ABS_B | V | N | T"),
        ("l1-compare", "bottom panel without Wind", "ACE_B | Wind_B | ACE_Bmag"),
        ("l1-compare", "remove ACE and Wind in the last panel", "ACE_B | Wind_B"),
        ("omni-storm", "in the last Bz too", "F BZ_GSM | speed | proton_density | SYM_H BZ_GSM"),
        ("omni-storm", "also show SYM-H in the first panel", "F BZ_GSM SYM_H | speed | proton_density | SYM_H"),
        ("omni-storm", "draw SYM-H in the first panel", "F BZ_GSM SYM_H | speed | proton_density"),
        ("omni-storm", "only SYM-H and Bz, nothing else", "BZ_GSM | SYM_H"),
        ("omni-storm", "just add AE, nothing else", "F BZ_GSM | speed | proton_density | SYM_H | OMNI_AE"),
        ("omni-storm", "drop the density, keep the rest", "F BZ_GSM | speed | SYM_H"),
        ("omni-storm", "hourly averages for everything but SYM-H",
         "OMNI_HRO_1MIN_F_binned OMNI_HRO_1MIN_BZ_GSM_binned | OMNI_HRO_1MIN_flow_speed_binned"
         " | OMNI_HRO_1MIN_proton_density_binned | SYM_H"),
        ("omni-storm", "30 min running mean of SYM-H on top of it in red",
         "F BZ_GSM | speed | proton_density | SYM_H OMNI_HRO_1MIN_SYM_H_smooth"),
        ("omni-storm", "add a 30 min running mean of SYM-H at the top",
         "OMNI_HRO_1MIN_SYM_H_smooth | F BZ_GSM | speed | proton_density | SYM_H"),
        ("omni-storm", "replace the speed by the temperature, log, and put it last",
         "F BZ_GSM | proton_density | SYM_H | OMNI_T_smooth"),
        ("wind-plasma", "also the raw temperature", "density | P_VELS | temperature | P_TEMP"),
        ("wind-plasma", "add the unsmoothed density in grey", "density | P_VELS | temperature | P_DENS"),
        ("wind-plasma", "raw density, and raw temperature too", "P_DENS | P_VELS | P_TEMP"),
        ("omni-solar-wind", "put n and V in the same panel with n on the right axis", "BR BT BN ABS_B | V N | T"),
        ("omni-solar-wind", "stereo-a's speed over omni's in panel 2", "BR BT BN ABS_B | V STA_V_binned | N | T"),
        ("themis-esa-overview", "ions and electrons of ESA only", "ions | electrons"),
        ("themis-esa-overview", "ions of SST and electrons of ESA only", "tha_psif_en_eflux | electrons"),
    ],
)  # fmt: skip
def test_a_panel_draws_what_the_words_say_of_it(author, templates, name, request_, panels):
    drawn = drawn_in(author.edit(request_, templates(name)).template)
    assert " ".join(label.rpartition(".")[2] for label in drawn.split()) == panels


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("omni-solar-wind", "only n and V in the top panel"),  # these have their own
        ("ace-strength", "hide Bx and |B| in the first panel"),
        ("omni-storm", "show Dst, nothing else"),
        ("omni-storm", "same days of March 2013"),
        ("omni-storm", "same week in April 2015"),
        ("ace-strength", "B in RTN"),  # a mean of Bz is drawn
        ("omni-solar-wind", "n and V without T"),
        ("l1-compare", "use DSCOVR MAG instead"),  # of ACE or of Wind
        ("omni-storm", "same plot for AE and AL"),
        ("omni-storm", "just Bz, leave the rest"),  # out, or as it is
        ("omni-storm", "linear axes everywhere but in the last two panels"),
        ("omni-storm", "add AE, log axis, and put it above V"),
    ],
)
def test_a_wish_for_what_the_panels_do_not_have_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


def figure_in(template):
    figures = [
        step["tool_args"] for step in template["steps"] if step["tool_name"] in ("render_spec", "plot_data")
    ]
    (figure,) = figures
    return figure.get("spec", figure)


def drawn_in(template):
    return " | ".join(" ".join(panel) for panel in figure_in(template)["panels"])


@pytest.mark.parametrize(
    "place",
    ["on top", "on top of |B|", "in the same panel", "in the panel of |B|"],
)
def test_an_average_of_a_line_is_drawn_over_it(author, templates, place):
    text = changed(author, templates("ace-strength"), f"add a 5 min running mean of |B| {place}")
    assert "step figure: panel 2: + 2 Bmag_smooth" in text


@in_one_test(
    "request_",
    [
        "mark 06:30 in the velocity panel",
        "mark 06:30 in the speed panel",
        "mark the shock at 06:30 in panels 1 and 3",
        "mark 06:30 only in panel 1",
        "vertical line at 06:30 only in the velocity panel",
        "mark 06:30 on the density",
        "shade 06:30 to 08:00 in the density plot",
        "shade 06:30 to 08:00 in the top panel",
    ],
)
def test_a_time_in_some_of_the_panels_is_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match="in every panel"):
        author.edit(request_, templates("wind-plasma"))


@in_one_test(
    ("place", "notes"),
    [
        ("the jump in the density at 06:30", ("a time is marked in every panel",)),
        ("06:30 in all three panels", ()),
        ("06:30 in the density, velocity and temperature panels", ()),
        ("06:30 as 'panel 1'", ()),
    ],
)
def test_a_time_is_marked_in_every_panel(author, templates, place, notes):
    draft = author.edit(f"mark {place}", templates("wind-plasma"))
    (mark,) = draft.template["steps"][-1]["tool_args"]["spec"]["vlines"]
    assert mark["x"] == "2003-10-24T06:30"
    assert draft.notes == notes


@in_one_test(
    ("request_", "drawn"),
    [
        ("add the electron temperatures", " | MMS1_Tepar MMS1_Teperp"),
        ("add both electron temps in a new panel", " | MMS1_Tepar MMS1_Teperp"),
        (
            "overplot the electron temperatures on the ion temperatures",
            "tempperp_brst MMS1_Tepar MMS1_Teperp",
        ),
        ("add the electron density and temperatures", " | MMS1_Ne | MMS1_Tepar | MMS1_Teperp"),
        ("add the electron temperature", " | MMS1_Te"),
    ],
)
def test_temperatures_are_those_along_and_across_the_field(author, templates, request_, drawn):
    assert drawn_in(author.edit(request_, templates("mms-burst")).template).endswith(drawn)


def test_a_title_of_the_request_itself_is_not_doubted(author, templates):
    draft = author.edit('encounter 5, title "PSP encounter 5"', templates("psp-encounter"))
    assert not any("title still says" in note for note in draft.notes)


@in_one_test(
    "place", ["to the component panel", "to the panel of the components", "to the first panel, in GSM"]
)
def test_a_magnitude_that_is_drawn_is_not_added_again(author, templates, place):
    with pytest.raises(NotUnderstood, match="already draws the magnitude"):
        author.edit(f"add the magnitude {place}", templates("ace-bfield-overview"))


def test_a_line_that_stays_is_no_line_to_smooth(author, templates):
    text = changed(
        author, templates("wind-plasma"), "leave the density as it is and smooth the velocity over 30 min"
    )
    assert [line.split(": ")[0] for line in text] == ["step wi_pm_3dp_p_vels_smooth", "step plasma"]


def test_a_quantity_in_other_words_is_added_once(author, templates):
    wish = "add the bulk speed, i.e. the magnitude of the velocity vector"
    text = changed(author, templates("wind-plasma"), wish)
    assert [line for line in text if ": added: " in line] == text[:1]
    assert "added: magnitude computed from: WI_PM_3DP.P_VELS" in text[0]


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("omni-storm", "add a scatter plot of AE against the dynamic pressure", '"y": "OMNI_AE"'),
        ("psp-bfield", "add a wavelet spectrum of the field, periods in minutes", '"axis": "min"'),
        ("b-power-spectrum", "compute the spectra with 2 h windows", '"default": "2h"'),
        ("mms-field-spectrum", "add a fitted slope of the trace spectrum between 1 and 10 Hz",
         '["trace", "compressive", "trace_slope"]'),
        ("b-power-spectrum", "add a panel with the power integrated from 0.02 to 0.1 Hz",
         '["power", "f_ci"], ["power_band_power"]'),
        ("tha-ions", "add a line with the ion energy flux averaged from 5 to 20 keV", '"bands": [[5000.0, 20000.0]]'),
        ("psp-bfield", "add a panel with the deflection of the field from its 4 h running average", "angle_between"),
        ("mms-burst", "show the ion velocity in LMN (minimum variance of the field) instead of GSE",
         '"axes_label": "B_axes"'),
    ],
)  # fmt: skip
def test_what_is_added_is_computed(author, templates, name, request_, told):
    came = author.edit(request_, templates(name))
    assert told in json.dumps(came.template)


@pytest.mark.parametrize(
    ("name", "request_", "told", "untold"),
    [
        ("ace-bfield-overview", "overlay a 3-hour running mean of |B| on the magnitude panel, in red",
         "panel 2: + 2 ACE_Bmag_smooth", "fetch"),
        ("ace-bfield-overview", "add the hourly mean of |B| to the second panel", "computed from: ACE_Bmag ", "fetch"),
        ("ace-bfield-overview", "plot a 30 min running median of Bz over the components in black",
         "panel 1: + 2 ACE_Bz_median", "ACE_B_median"),
        ("omni-storm", "add the magnitude smoothed over 1 h to panel 1", "computed from: OMNI_HRO_1MIN.F ", "OMNI_B"),
        ("omni-storm", "add a 1 h running median of the density in red and of Bz in blue",
         "colour of OMNI_HRO_1MIN_BZ_GSM_median: blue", "colour of OMNI_HRO_1MIN.BZ_GSM:"),
        ("omni-storm", "add a 1 h running mean of the speed", "computed from: OMNI_HRO_1MIN.flow_speed", "5min"),
        ("omni-storm", "add the hourly mean of AE; then the temperature", "panel 6: OMNI_T ||", "OMNI_T_binned"),
        ("omni-storm", "add AE smoothed over 10 min and the AL index", "panel 6: OMNI_AL", "OMNI_AL_smooth"),
        ("omni-storm", "add a 10 min running mean to the top panel", "+ 3 OMNI_HRO_1MIN_F_smooth", "SYM_H_smooth"),
        ("psp-bfield", "add the hourly mean of BR in red and that of BT in blue", "B_RTNt_binned: blue", "B_RTN.t:"),
        ("wind-plasma", "add the speed, smoothed over 1 h", "P_VELSmag_smooth", "variable"),
        ("wind-plasma", "add the 1 h running mean of the density, and the speed", "P_DENS_smooth", "P_VELSmag_smooth"),
    ],
)  # fmt: skip
def test_a_computation_that_is_added_is_of_its_own_part(author, templates, name, request_, told, untold):
    text = " || ".join([*changed(author, templates(name), request_), ""])
    assert told in text
    assert untold not in text


@pytest.mark.parametrize(
    ("name", "request_", "panels"),
    [
        ("ace-strength", "add the density at the top; above it the speed", "ACE_V | ACE_n | B | Bmag | Bz_smooth"),
        ("ace-strength", "add the density smoothed over 1 h and below it the raw speed",
         "B | Bmag | Bz_smooth | ACE_n_smooth | ACE_V"),
        ("ace-strength", "add the density below |B|", "B | Bmag | ACE_n | Bz_smooth"),
        ("ace-strength", "add the density in a panel below the first", "B | ACE_n | Bmag | Bz_smooth"),
        ("ace-bfield-overview", "in GSM, magnitude in the same panel as the components", "ACE_B_GSM ACE_Bmag"),
        ("ace-bfield-overview", "magnitude in the panel of the components, in GSM", "ACE_B_GSM ACE_Bmag"),
        ("ace-strength", "add the density in a new panel above the third", "B | Bmag | ACE_n | Bz_smooth"),
        ("ace-strength", "add the density below the 1st with a log axis", "B | ACE_n | Bmag | Bz_smooth"),
        ("ace-strength", "add the density below the first and smooth it over 1 h",
         "B | ACE_n_smooth | Bmag | Bz_smooth"),
        ("ace-strength", "add the density between panels 1 and 2", "B | ACE_n | Bmag | Bz_smooth"),
        ("ace-strength", "add the density in a panel between the second and the third",
         "B | Bmag | ACE_n | Bz_smooth"),
        ("ace-strength", "add the density between the last two panels", "B | Bmag | ACE_n | Bz_smooth"),
        ("ace-strength", "move Bz between the first and the second panel", "B | Bz_smooth | Bmag"),
        ("wind-plasma", "add the dynamic pressure; below it the raw density",
         "density | WI_PM_3DP.P_VELS | temperature | Pdyn | WI_PM_3DP.P_DENS"),
    ],
)  # fmt: skip
def test_below_it_is_below_what_was_added(author, templates, name, request_, panels):
    assert drawn_in(author.edit(request_, templates(name)).template) == panels


def test_a_line_with_this_window_is_not_drawn_twice(author, templates):
    with pytest.raises(NotUnderstood, match="already draws density, which has a window of 10min"):
        author.edit("add the density smoothed over 10 min", templates("wind-plasma"))


DENSITY, SYMH = "OMNI_HRO_1MIN.proton_density", "OMNI_HRO_1MIN.SYM_H"


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("smooth everything over 1 h, the density stays", DENSITY),
        ("smooth everything over 1 h but leave the density alone", DENSITY),
        ("make all lines red, SYM-H stays as it is", SYMH),
        ("keep SYM-H as it is and make all the lines blue", SYMH),
        ("leave SYM-H alone, average everything else to 1 h", SYMH),
        ("average everything to 1 h but not SYM-H", SYMH),
        ("average everything except SYM-H to 1 h", SYMH),
        ("make all lines but the density blue", DENSITY),
        ("make Bz red and don't change the density", DENSITY),
        ("remove the speed, colour Bz red and the density stays", DENSITY),
        ("remove Bz, the density and SYM-H stay", SYMH),
    ],
)
def test_what_a_sentence_keeps_stays(author, templates, request_, line):
    text = changed(author, templates("omni-storm"), request_)
    if "average" in request_:
        draft = author.edit(request_, templates("omni-storm"), chosen=("instead of the line",))
        text = [" ".join(str(change).split()) for change in changes(templates("omni-storm"), draft.template)]
    assert text
    assert not [change for change in text if line in change or line.replace(".", "_") in change]


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("wind-plasma", "30 min window, but leave the temperature alone"),
        ("mms-survey", "all vectors in GSE, the field stays in GSM"),
    ],
)
def test_a_sentence_that_changes_what_it_keeps_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood, match="stays as it is, and changes it"):
        author.edit(request_, templates(name))


@in_one_test(
    ("name", "request_", "only"),
    [
        ("b-power-spectrum", "halve the window of the dynamic spectrum", "$DYNAMIC_WINDOW, default: 10min → 5min"),
        ("b-power-spectrum", "double the windows of the averaged spectra", "$WINDOW, default: 1h → 2h"),
        ("b-power-spectrum", "30 min windows for the averaged spectra, leave the dynamic one as it is",
         "$WINDOW, default: 1h → 30min"),
        ("b-power-spectrum", "20 min windows for the dynamic spectrum, keep the 1 h for the others",
         "$DYNAMIC_WINDOW, default: 10min → 20min"),
        ("mms-field-spectrum", "go down to 8 s windows for the two averaged spectra, leave the dynamic spectrum alone",
         "$WINDOW, default: 16s → 8s"),
        ("mms-field-spectrum", "halve the window of the dynamic spectrum", "step dynamic: window: 4s → 2s"),
        ("gle73-particles", "make the smoothing window twice as long", "$WINDOW, default: 10min → 20min"),
        ("gle73-particles", "longer smoothing: 20 min", "$WINDOW, default: 10min → 20min"),
        ("gle73-particles", "smooth the proton bands over half an hour but don't change the electrons",
         "$WINDOW, default: 10min → 30min"),
        ("omni-storm", "triple the smoothing window of the speed", "step 20: window: 5min → 15min"),
        ("wind-plasma", "a window of half that length", "$WINDOW, default: 10min → 5min"),
        ("wind-plasma", "halve the smoothing of the temperature", "step smooth-temperature: window: $WINDOW → 5min"),
        ("omni-storm", "make the line of Bz twice as thick", 'line of OMNI_HRO_1MIN.BZ_GSM: {"width": 2.6}'),
        ("storm-overview", "only count storms that get down to -100 nT", "$THRESHOLD, default: -50 → -100 (×2)"),
        ("storm-superposed-epoch", "count a storm only from -80 nT down", "$THRESHOLD, default: -50 → -80 (×1.6)"),
        ("solo-overview", "stricter PAS quality cut: 0.1", "$QUALITY, default: 0.2 → 0.1 (×0.5)"),
        ("l1-monitor-comparison", "allow lags of up to two hours", "$LONGEST_LAG, default: 1h → 2h"),
        ("plasma-beta-mach", "assume electrons at 100000 K", "default: 130000 → 100000 (×0.769231)"),
        ("psp-bfield", "use 25 January 2020 to 1 February 2020 inclusive, i.e. encounter 4",
         "default: 2020-01-04 → 2020-01-25 to 2020-02-02"),
        ("solo-overview", "show 20-25 March 2022 (all six days)",
         "default: - 2022-03-07 to 2022-03-12 + 2022-03-20 to 2022-03-26"),
    ],
)  # fmt: skip
def test_one_value_is_all_that_changes(author, templates, name, request_, only):
    (text,) = changed(author, templates(name), request_)
    assert text.endswith(only)


@pytest.mark.parametrize(
    ("name", "request_", "words"),
    [
        ("psp-bfield", "halve the window", "no average or other computation with a window"),
        ("solo-overview", "show 20-25 March 2022 (all five days)", "'five', 'days'"),
        ("mms-curlometer", "J in red green blue", "gives 3 colours, but not for as many lines"),
        ("plasma-beta-mach", "half the electron temperature", "does not understand 'half'"),
        (
            "psp-bfield",
            "add the hourly mean of BR to the |B| panel in red and that of BT in blue",
            "'BT', 'blue'",
        ),
    ],
)
def test_what_has_no_or_two_values_is_refused(author, templates, name, request_, words):
    with pytest.raises(NotUnderstood, match=words):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_", "gone"),
    [
        ("rbsp-emfisis-waves", "This is too tall. Throw out the EFW density panel and the MagEIS panel.",
         {"RBSPA_EFW-L3.density", "MagEIS"}),
        ("rbsp-emfisis-waves", "leave the EFW density out", {"RBSPA_EFW-L3.density"}),
        ("omni-solar-wind-overview", "we never look at the clock angle - remove that panel", {"clock"}),
        ("ace-strength", "remove all panels but the field and the magnitude", {"Bz_smooth"}),
        ("ace-strength", "only the field and magnitude panels", {"Bz_smooth"}),
        ("omni-solar-wind-overview", "nobody looks at the clock angle, so throw that panel out", {"clock"}),
        ("psp-encounter", "throw out the SPAN-I density, it is unreliable", {"n_SPI"}),
    ],
)  # fmt: skip
def test_a_reason_says_nothing_more(author, templates, name, request_, gone):
    template = templates(name)
    draft = author.edit(request_, template)
    assert set(drawn_in(template).split()) - set(drawn_in(draft.template).split()) == gone


@pytest.mark.parametrize(
    "request_",
    [
        "Put the components in with |B|, one panel is enough.",
        "merge the two panels into one",
        "|B| in the same panel as the components, red and thick",
    ],
)
def test_two_panels_become_one(author, templates, request_):
    draft = author.edit(request_, templates("psp-bfield"))
    assert drawn_in(draft.template) == "B_RTN B_magnitude"
    spec = draft.template["steps"][-1]["tool_args"]["spec"]
    assert "B_RTN" not in {**spec.get("trace_colors", {}), **spec.get("line_styles", {})}
    assert ("line_styles" in spec) is request_.endswith("thick")


def test_a_vector_that_stays_in_its_frame_is_not_turned(author, templates):
    request = "show the ion bulk velocity in GSM; the field may stay in GSE"
    text = changed(author, templates("mms-burst"), request)
    assert [change.split(": ")[0] for change in text if " to: GSM " in change] == [
        "step mms1_fpi_brst_l2_dis_moms_mms1_dis_bulkv_gse_brst_gsm"
    ]
    assert not [change for change in text if "panel 1" in change]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("this is too tall", 'canvas size: {"height": 368}'),
        ("fonts too big", "font size: 11"),
        ("the magnitude panel is too small", "heights of panels: 1, 1.25"),
        ("the magnitude line is too thick", 'line of ACE_Bmag: {"width": 0.65}'),
        ("the magnitude line is too thin", 'line of ACE_Bmag: {"width": 2.6}'),
    ],
)
def test_what_is_too_large_gets_smaller(author, overview, request_, told):
    assert told in " ".join(changed(author, overview, request_))


def test_a_look_of_all_lines_leaves_that_of_one(author, templates):
    text = changed(
        author, templates("omni-storm"), "all lines thin and red, SYM-H thick and black, Bz dashed"
    )
    assert f'step 40: line of {SYMH}: {{"width": 3.0}}' in text
    assert f"step 40: colour of {SYMH}: black" in text
    assert f'step 40: line of {DENSITY}: {{"width": 1.0}}' in text
    assert 'step 40: line of OMNI_HRO_1MIN.BZ_GSM: {"dash": "dash", "width": 1.0}' in text


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("wind-plasma", "smooth the density over 20 min, 10 min is too short for the temperature"),
        ("omni-storm", "smooth the speed over 1 h, 30 min is fine for density"),
        ("wind-plasma", "add the electron density with the same smoothing"),
        ("wind-plasma", "use the same smoothing; add the electron density, same colours"),
        ("omni-storm", "add Dst so one can see it in the SYM-H panel"),
        ("l1-compare", "merge both panels into one"),
        ("ace-bfield-overview", "put all three panels into one"),
        ("wind-plasma", "speed before the density"),
        ("solo-overview", "speed before the density"),
        ("themis-esa-overview", "SST below ESA for the ions"),
        ("solo-overview", "smooth the plasma parameters over 10 min"),
        ("omni-storm", "time range to 2015-03-17 12:00"),
        ("omni-solar-wind-overview", "remove the plasma parameters"),
        ("gle73-particles", "5min window, and only the two highest proton bands"),
        ("swpc-now", "Bz south shading please. last 6 hours"),
        ("l1-monitor-comparison", "drop all temperature panels"),
    ],
)
def test_words_that_a_change_would_ignore_are_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


@in_one_test(
    ("name", "request_", "told", "untold"),
    [
        ("omni-storm", "smooth the speed over 1 h, 30 min is too short", "window: 5min → 1h", "density"),
        ("omni-storm", "smooth the speed over 1 h, 5 min is enough for the density", "5min running", "1h running"),
        ("omni-storm", "smooth SYM-H over 1 h, density stays raw", "SYM_H_smooth", "density"),
        ("omni-storm", "smooth SYM-H over 1 h, speed stays raw",
         "panel 2: speed → OMNI_HRO_1MIN.flow_speed", "density"),
        ("wind-plasma", "remove the smoothing of the temperature only", "panel 3: temperature → WI_PM_3DP.P_TEMP",
         "step smooth-density"),
        ("wind-plasma", "no smoothing for the density any more", "smooth-density: removed", "smooth-temperature"),
        ("goes-xray-flares", "kick out the ratio panel, and the short channel too", "ratio: removed", "red"),
        ("omni-storm", "smooth SYM-H over 1 h, speed stays smoothed", "SYM_H_smooth", "panel 2"),
        ("omni-storm", "thicker lines so that people can read them", "line of speed", "colour"),
        ("omni-storm", "thicker lines so I can see the density in red", "proton_density: red", "line of speed"),
        ("ace-gone", "no data after January 2: use Wind", "AC_H0_SWE → WI_H1_SWE", "TIME_RANGE"),
        ("l1-compare", "ACE has no data in 2003, so use 2004", "2004-01-01 to 2005-01-01", "WI_H0_MFI"),
        ("ace-bfield-overview", "merge both panels into one", "panel 1: ACE_B, ACE_Bmag", "removed"),
        ("l1-compare", "put all three panels into one", "panel 1: ACE_B, Wind_B, ACE_Bmag, Wind_Bmag", "fetch"),
        ("l1-compare", "Wind dashed", "line of Wind_B:", "ACE"),
        ("l1-compare", "Wind in green", "colour of Wind_Bmag: red → green", "Wind_B:"),
        ("mms-curlometer", "show only Jy", "panel 1: Jy", "Jx"),
        ("omni-storm", "delete the density, add Dst instead of SYM-H", "panel 3: OMNI_Dst", "proton_density →"),
        ("omni-storm", "delete the density, add Dst instead", "proton_density → OMNI_Dst", "SYM"),
        ("mms-curlometer", "Jz in red", "colour of J.z: red", "Jmag"),
    ],
)  # fmt: skip
def test_a_reason_is_no_wish_and_a_wish_is_no_reason(author, templates, name, request_, told, untold):
    text = " || ".join(changed(author, templates(name), request_))
    assert told in text
    assert untold not in text


@pytest.mark.parametrize(
    ("name", "request_", "notes"),
    [
        ("l1-compare", "ACE strength in red", ("also red beside them: Wind_Bmag",)),
        ("l1-compare", "swap the colours: ACE red",
         ("ACE_B keeps its colours, so that its components differ", "also red beside them: Wind_Bmag")),
        ("l1-compare", "ACE in black and Wind in orange, everywhere",
         ("ACE_B keeps its colours, so that its components differ",
          "Wind_B keeps its colours, so that its components differ")),
        ("l1-compare", "ACE in black in the bottom panel", ()),
        ("l1-compare", "ACE strength in red, Wind strength in blue", ()),
        ("l1-compare", "ACE strength in green", ()),
        ("rbsp-emfisis-waves", "lower band chorus in red", ("also red beside them: chorus_upper",)),
    ],
)  # fmt: skip
def test_two_lines_of_one_colour_in_a_panel_are_noted(author, templates, name, request_, notes):
    assert author.edit(request_, templates(name)).notes == notes


@pytest.mark.parametrize(
    "request_", ["hourly averages of everything", "smooth V over 1 h", "add hourly averages of V"]
)
def test_averages_over_the_cadence_of_the_data_are_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match=r"V has a cadence of 1 ?h"):
        author.edit(request_, templates("omni-solar-wind"))


def test_averages_leave_data_of_this_cadence_as_they_are(author, templates):
    draft = author.edit("average everything over 1 min", templates("l1-compare"))
    assert "Wind_B has a cadence of 1min already" in draft.notes
    assert drawn_in(draft.template) == "ACE_B_binned | Wind_B | ACE_Bmag_binned Wind_Bmag"


REASONS = [
    ("omni-storm", "the density is too noisy: smooth over 10 min", "the density is too noisy",
     "smooth over 10 min for the density", "panel 3: - 1 OMNI_HRO_1MIN.proton_density"),
    ("l1-compare", "the strength of Wind is too noisy - smooth it over 5 min", "the strength of Wind is too noisy",
     "smooth the strength of Wind over 5 min", "wind_bmag_smooth: added"),
    ("ace-strength", "Bz still looks noisy: smooth it over half an hour rather than ten minutes",
     "Bz still looks noisy", "smooth Bz over half an hour rather than 10 minutes", "window: 10min → 30min"),
    ("wind-plasma", "The density is too noisy, use 30 min", "The density is too noisy",
     "window of 30 min for the density", "step smooth-density: window: $WINDOW → 30min"),
    ("wind-plasma", "The averaging is too short for me, use 30 minutes for density and temperature",
     "The averaging is too short for me", "window of 30 minutes for density and temperature", "10min → 30min"),
    ("wind-plasma", "10 minutes hides the ramp: average density and temperature over 2 min",
     "10 minutes hides the ramp", "", "10min → 2min"),
    ("tha-ions", "It is a substorm day: put the AL index from OMNI at the very bottom", "It is a substorm day", "",
     "panel 4: OMNI_AL"),
    ("tha-ions", "The spectrogram looks washed out: limit the colour scale to 1e3 - 1e7",
     "The spectrogram looks washed out", "limit the colour scale to 1e3 - 1e7 for the spectrogram", "1000"),
    ("l1-compare", "Wind is hard to see in the bottom panel: make it thicker",
     "Wind is hard to see in the bottom panel", "make Wind thicker in the bottom panel", "line of Wind_Bmag:"),
    ("l1-compare", "I can't tell the lines apart in the bottom panel, make Wind dashed",
     "I can't tell the lines apart in the bottom panel", "make Wind dashed in the bottom panel", "line of Wind_Bmag:"),
    ("l1-compare", "Nobody uses GSE here. Change both fields to GSM.", "Nobody uses GSE here", "", "BGSM"),
    ("omni-storm", "add the AE index at the bottom, I'm curious about the substorms",
     "I'm curious about the substorms", "", "OMNI_AE"),
    ("omni-storm", "the last two panels are empty, drop them", "the last two panels are empty",
     "drop the last two panels", "proton_density"),
    ("omni-storm", "red is hard to see, make Bz green", "red is hard to see", "", "BZ_GSM: green"),
    ("wind-plasma", "Reviewer 2 complained about the temperature axis, make it logarithmic",
     "Reviewer 2 complained about the temperature axis", "make the temperature axis logarithmic", "log"),
    ("solo-overview", "The referee doubts the PAS temperature; remove it", "The referee doubts the PAS temperature",
     "remove the PAS temperature", "T_PAS"),
    ("wind-plasma", "Make the density blue because red-green is bad for my colleague",
     "red-green is bad for my colleague", "", "density: blue"),
    ("omni-storm", "The storm was long: add the temperature and colour it red", "The storm was long", "",
     "OMNI_T: red"),
    ("tha-ions", "the density is in a linear scale, which hides the lobe: use log",
     "the density is in a linear scale, which hides the lobe", "use log for the density", "log"),
    ("l1-compare", "Wind is hard to see: dashed", "Wind is hard to see", "dashed for Wind", "line of Wind_B:"),
    ("omni-storm", "The third panel is hard to read: log", "The third panel is hard to read", "log in the third panel",
     "3"),
    ("omni-storm", "the density is noisy, drop it and add the temperature", "the density is noisy",
     "drop the density and add the temperature", "OMNI_T"),
    ("themis-esa-overview", "the electrons are saturated; drop them", "the electrons are saturated",
     "drop the electrons", "electrons_all"),
]  # fmt: skip


@in_one_test(("name", "request_", "reason", "read", "told"), REASONS)
def test_a_clause_that_only_says_why_is_noted(author, templates, name, request_, reason, read, told):
    template = templates(name)
    draft = author.edit(request_, template)
    wanted = f"; the change is read as '{read}'" if read else ""
    assert draft.notes[0] == f"'{reason}' is taken as the reason, and changes nothing{wanted}"
    plain = author.edit(read or request_.replace(reason, "").strip(" ,.:;"), template)
    assert draft.template == plain.template
    assert told in " ".join(changed(author, template, request_))


def test_a_figure_that_is_too_tall_only_loses_what_goes(author, templates):
    draft = author.edit("This is too tall, remove the density", templates("omni-storm"))
    assert draft.template == author.edit("remove the density", templates("omni-storm")).template


def test_a_look_behind_a_reason_is_only_for_its_panel(author, templates):
    text = changed(author, templates("l1-compare"), "the bottom panel is hard to read, make Wind thicker")
    assert [line.partition(": {")[0] for line in text] == ["step figure: line of Wind_Bmag"]


@in_one_test(
    ("name", "request_"),
    [
        ("omni-storm", "The density is noisy, smooth the speed over 30 min"),
        ("omni-storm", "The speed is noisy: add the temperature and colour it red"),
        ("omni-storm", "add the temperature and colour it red, the speed is noisy"),
        ("omni-storm", "The density is noisy, use 30 min"),
        ("omni-storm", "remove the density, it is noisy, and the speed"),
        ("omni-storm", "remove everything, the density is what we look at"),
        ("omni-storm", "SYM-H is hard to read. Make the others smaller"),
        ("omni-storm", "The density is noisy, the speed too, smooth them over 30 min"),
        ("omni-storm", "The Faraday cup is noisy: smooth it over 1 h"),
        ("omni-storm", "The Faraday cup is noisy: use 1 h"),
        ("omni-storm", "the temperature is empty, remove the density"),
        ("omni-storm", "The alpha density is what I have in mind: make the speed red"),
        ("omni-storm", "red is hard to see, make Bz thicker"),
        ("omni-storm", "make Bz red, the legend is outside"),
        ("omni-storm", "make Bz red, Wind has the density"),
        ("omni-storm", "the last two panels are empty, drop one of them"),
        ("omni-storm", "there was a shock on 16 March: mark 04:45"),
        ("omni-storm", "it was a storm when Bz was below -10: shade it"),
        ("omni-storm", "all lines thicker, only the density is hard to read"),
        ("omni-storm", "the speed is noisy, use 1-hour data"),
        ("l1-compare", "Wind is closer: add the speed"),
        ("ace-strength", "The hourly cadence hides the discontinuities - use 16-s data"),
        ("rbsp-emfisis-waves", "Chorus is what we study. Drop the hiss"),
        ("l1-compare", "The two upper panels say the same thing; remove the Wind one"),
        ("wind-plasma", "the median is more robust: use 30 min for the density"),
    ],
)
def test_a_clause_that_may_change_something_is_no_reason(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        ("goes-xray-flares", "extend to the end of 10 September 2017", "2017-09-04 to 2017-09-11"),
        ("goes-xray-flares", "run it on to the end of 10 September 2017 (same start)", "2017-09-04 to 2017-09-11"),
        ("goes-xray-flares", "run it on to 10 September 2017", "2017-09-04 to 2017-09-11"),
        ("goes-xray-flares", "run it on 10 September 2017", "2017-09-10 to 2017-09-11"),
        ("goes-xray-flares", "same start, but end on 6 September 2017", "2017-09-04 to 2017-09-07"),
        ("goes-xray-flares", "keep the start, extend to 2017-09-10", "2017-09-04 to 2017-09-11"),
        ("goes-xray-flares", "extend until 2017-09-10", "2017-09-04 to 2017-09-11"),
        ("wind-plasma", "end on 26 October 2003", "2003-10-24 to 2003-10-27"),
        ("wind-plasma", "begin a day earlier and end at the end of 25 October 2003", "2003-10-23 to 2003-10-26"),
        ("mms-survey", "Zoom to 22:00 till 24:00 of the 11 July 2017", "2017-07-11T22:00:00 to 2017-07-12T00:00:00"),
    ],
)  # fmt: skip
def test_a_later_end_keeps_the_start(author, templates, name, request_, expected):
    draft = author.edit(request_, templates(name))
    assert draft.template["variables"]["$TIME_RANGE"]["default"] == expected


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("wind-plasma", "end on 20 October 2003"),
        ("ace-bfield-overview", "end on 25 October 2003"),
        ("goes-xray-flares", "same start, use 10 September 2017"),
    ],
)
def test_an_end_before_the_start_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


def test_a_quantity_of_an_instrument_is_no_line_that_is_computed_from_it(author, templates):
    template = templates("psp-encounter")
    draft = author.edit("plot the density of SPAN-I as dots", template)
    assert draft.template == author.edit("draw the SPAN-I density as dots", template).template
    assert changes(template, draft.template)


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("omni-storm", "smooth density and speed over 30 min", ("proton_density_smooth", "window: 5min → 30min")),
        ("omni-storm", "The density and the speed are noisy, smooth both over 30 min",
         ("proton_density_smooth", "window: 5min → 30min")),
        ("omni-storm", "smooth the density over 10 min and the speed over 30 min",
         ("10min running average", "window: 5min → 30min")),
        ("l1-compare", "make ACE and Wind thicker", ("line of ACE_B:", "line of Wind_B:")),
    ],
)  # fmt: skip
def test_two_names_before_a_value_both_get_it(author, templates, name, request_, told):
    text = " ".join(changed(author, templates(name), request_))
    assert all(words in text for words in told)


def test_a_length_behind_each_name_is_for_it_alone(author, templates):
    text = " ".join(changed(author, templates("omni-storm"), "density red and speed blue"))
    assert "proton_density: red" in text
    assert "speed: blue" in text


@pytest.mark.parametrize(
    ("name", "request_", "plain"),
    [
        ("omni-storm", "smooth the speed over 15 min and not 5", "smooth the speed over 15 min"),
        ("tha-ions", "instead of the three components I want only the magnitude of the field",
         "replace the components by the magnitude of the field"),
        ("tha-ions", "only the magnitude of the field instead of the three components",
         "replace the components by the magnitude of the field"),
        ("tha-ions", "only Bz of the field, not all three components", "replace B by Bz"),
        ("wind-plasma", "instead of the velocity vector show the bulk speed",
         "replace the velocity vector by the bulk speed"),
        ("omni-storm", "instead of the density we want to see the temperature",
         "replace the density by the temperature"),
        ("ace-bfield-overview", "instead of the raw magnitude plot its 3 h running median",
         "replace the magnitude by its 3 h running median"),
        ("ace-bfield-overview", "My magnetospheric friends would rather have the components in GSM, not GSE",
         "the components in GSM"),
        ("wind-plasma", "My supervisor prefers the density on a log axis", "density on a log axis"),
        ("wind-plasma", "the referee wants no temperature", "remove the temperature"),
        ("mms-survey", "only the perpendicular temperature, not the parallel one", "remove the parallel temperature"),
    ],
)  # fmt: skip
def test_one_thing_and_not_another(author, templates, name, request_, plain):
    template = templates(name)
    assert author.edit(request_, template).template == author.edit(plain, template).template


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("omni-storm", "only the speed, not the density"),
        ("tha-ions", "only Bz of the field"),
        ("omni-storm", "instead of the speed I want"),
    ],
)
def test_only_one_thing_that_may_mean_the_whole_figure_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


ALL_BANDS = [[13.6, 19.3], [20.8, 29.7], [29.7, 40.5], [60, 100]]


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        ("only two proton bands: 13.6-19.3 and 60-100 MeV", (0, 3)),
        ("only the bands 13.6-19.3 and 60-100 MeV", (0, 3)),
        ("In the top panel keep just the two highest proton bands, 29.7-40.5 and 60-100 MeV", (2, 3)),
        ("only the 20.8-29.7 and 60-100 MeV bands in the top panel", (1, 3)),
        ("keep only the band 60-100 MeV", (3,)),
        ("remove the 13.6-19.3 MeV band", (1, 2, 3)),
        ("remove the 13.6 to 19.3 MeV band", (1, 2, 3)),
        ("drop the bands 13.6-19.3 and 20.8-29.7 MeV", (2, 3)),
        ("The lowest energies are contaminated. Remove the 13.6-19.3 MeV band", (1, 2, 3)),
    ],
)
def test_some_bands_of_a_list_stay(author, templates, request_, kept):
    template = templates("gle73-particles")
    draft = author.edit(request_, template)
    (before,), (after,) = (
        [step for step in pipeline["steps"] if step["tool_name"] == "band_average"]
        for pipeline in (template, draft.template)
    )
    assert before["tool_args"]["bands"] == ALL_BANDS
    assert after["tool_args"]["bands"] == [ALL_BANDS[at] for at in kept]
    counted = {1: "One", 2: "Two", 3: "Three"}[len(kept)]
    assert after["intent"] == before["intent"].replace("Four", counted)
    assert draft.template["steps"][-1] == template["steps"][-1]


@pytest.mark.parametrize(
    "request_",
    [
        "only three proton bands: 13.6-19.3 and 60-100 MeV",
        "In the top panel keep just the two highest proton bands, 20.8-29.7 and 60-100 MeV",
        "In the bottom panel keep just the bands 29.7-40.5 and 60-100 MeV",
        "only the electron bands 29.7-40.5 and 60-100 MeV",
        "only the band 30-40 MeV",
        "show only the 60-100 MeV protons",
        "remove the bands 13.6-19.3, 20.8-29.7, 29.7-40.5 and 60-100 MeV",
    ],
)
def test_bands_that_the_list_lacks_are_refused(author, templates, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates("gle73-particles"))


@pytest.mark.parametrize(
    ("name", "request_", "plain"),
    [
        ("solo-overview", "I don't need the EPT spectrograms today, remove both", "remove the EPT spectrograms"),
        ("solo-overview", "we no longer need the beta; drop it", "remove the beta"),
        ("solo-overview", "add the protons of HET towards the Sun at the bottom",
         "add the sunward HET protons at the bottom"),
        ("solo-overview", "add the HET protons away from the Sun at the bottom",
         "add the anti-sunward HET protons at the bottom"),
        ("rbsp-emfisis-waves", "add the electrons of REPT (L2, same probe) under MagEIS",
         "add the electrons of REPT (L2) under MagEIS"),
        ("mms-survey", "put the O+ density of HPCA (survey moments) into the panel of the ion density",
         "add the O+ density of HPCA (survey moments) to the panel of the ion density"),
        ("l1-compare", "Other way round with the colours in the bottom panel please: ACE red, Wind blue",
         "swap the colours: ACE red, Wind blue"),
        ("l1-compare", "swap the colours in the bottom panel: ACE red, Wind blue",
         "swap the colours: ACE red, Wind blue"),
    ],
)  # fmt: skip
def test_the_same_change_in_other_words(author, templates, name, request_, plain):
    template = templates(name)
    draft, told = (author.edit(words, template).template for words in (request_, plain))
    assert draft["steps"][-1] == told["steps"][-1]
    assert [step.get("tool_args") for step in draft["steps"]] == [
        step.get("tool_args") for step in told["steps"]
    ]


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("solo-overview", "I don't need the EPT spectrograms today, remove the others"),
        ("solo-overview", "add the protons streaming towards the Sun"),
        ("mms-survey", "put the parallel temperature and the ion density into the panel of the velocity"),
        ("l1-compare", "the other way round: the bottom panel"),
    ],
)
def test_other_words_that_say_more_are_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


def test_of_two_y_axes_the_one_of_the_named_line_changes(author):
    template = author.create("Wind V and n in one panel, 2012-03-01").template
    left, right = "y range of panel 1 (Wind_V)", "y range of panel 1 right (Wind_n)"
    assert changed(author, template, "n from 0 to 20") == [f"step figure: {right}: 0.0, 20.0"]
    assert changed(author, template, "V from 300 to 800") == [f"step figure: {left}: 300.0, 800.0"]
    assert changed(author, template, "range 0 to 20 cm^-3") == [f"step figure: {right}: 0.0, 20.0"]
    with pytest.raises(NotUnderstood, match="panel 1 has two y axes"):
        author.edit("y range 0 to 20", template)
    with pytest.raises(NotUnderstood, match="panel 1 is in"):
        author.edit("n from 0 to 20 nT", template)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("move the line to 0.5", ["hlines, item 1, y: 1 → 0.5"]),
        ("line at 0.5 instead of 1", ["hlines, item 1, y: 1 → 0.5"]),
        ("put the line at 2 instead of at 1", ["hlines, item 1, y: 1 → 2.0"]),
        ("move the threshold line from 1 to 2", ["hlines, item 1, y: 1 → 2.0"]),
        ("no log axis and move the line to 0.5",
         ["hlines, item 1, y: 1 → 0.5", "y scale of panel 1 (beta): linear"]),
        ("a line at 0.5, dashed", ['hlines, item 2: {"y": 0.5, "dash": "dash"}']),
        ("draw a line at 0.5 and make it red", ['hlines, item 2: {"y": 0.5, "color": "red"}']),
        ("a red line at 0.5, dashed", ['hlines, item 2: {"y": 0.5, "color": "red", "dash": "dash"}']),
        ("a line at 0.5, the beta red", ['hlines, item 2: {"y": 0.5}', "colour of beta: red"]),
        ("mark 2005-09-11T12:00, red", ['vlines: [{"x": "2005-09-11T12:00", "color": "red"}]']),
        ("also show density above the beta",
         ["panel 1: WI_PM_3DP.P_DENS", 'log y: true → {"2": true}', "hlines, item 1, panel: 1 → 2"]),
        ("also show density on a log axis",
         ["panel 2: WI_PM_3DP.P_DENS", 'log y: true → {"1": true}', "y scale of panel 2 (P_DENS): log"]),
        ("also show beta on a log axis", ["y scale of panel 1 (beta): log"]),
    ],
)  # fmt: skip
def test_a_mark_moves_and_has_its_own_look_and_an_input_is_added(author, templates, request_, expected):
    told = changed(author, templates("mixed-units"), request_)
    assert told == [f"step figure: {change}" for change in expected]


@pytest.mark.parametrize("request_", ["line at 0.5 instead of 3", "move the line at 3 to 0.5"])
def test_a_line_that_the_figure_lacks_does_not_move(author, templates, request_):
    with pytest.raises(NotUnderstood, match="no such horizontal line"):
        author.edit(request_, templates("mixed-units"))


@in_one_test(
    ("name", "request_", "expected"),
    [
        ("l1-compare", "shade 2023-04-23T17:30 to 2023-04-24T01:00, 'Sheath'", "label: Sheath"),
        ("l1-compare", "mark 17:30 on the 23rd, title 'shock'", "title: Magnetic field at L1 → shock"),
        ("ace-gone", "add the speed from the same instrument in a panel below", "panel 2: ACE_V"),
        ("hope-spectra", "add the helium spectrogram from the same instrument", "panel 4: RBSPA_FHEDO"),
        ("tha-ions", "add the electron spectrogram below the ion one", "panel 2: THEMISA_electrons"),
        ("tha-ions", "ion velocity gsm as a new last panel", "panel 4: THEMISA_Vvec"),
        ("tha-ions", "add the ion temperature as a new first panel", "panel 1: THEMISA_T"),
        ("tha-ions", "ion temperature in the last panel", "panel 3: + 2 THEMISA_T"),
        ("l1-compare", "add DSCOVR field magnitude as third line in the bottom panel", "panel 3: + 3 DSCOVR_Bmag"),
        ("l1-compare", "one more panel underneath: Wind strength minus ACE strength",
         "panel 4: Wind_Bmag_minus_ACE_Bmag"),
        ("l1-compare", "one more panel at the bottom with Wind |B| - ACE |B|", "panel 4: Wind_Bmag_minus_ACE_Bmag"),
        ("omni-storm", "density as hourly medians",
         "panel 3: - 1 OMNI_HRO_1MIN.proton_density + 1 OMNI_HRO_1MIN_proton_density_median"),
        ("wind-plasma", "6 h medians for all lines", "panel 1: density → WI_PM_3DP_P_DENS_median"),
        ("wind-plasma", "filter out densities above 50 per cc before the averaging",
         "computed from: WI_PM_3DP.P_DENS → WI_PM_3DP_P_DENS_masked"),
        ("omni-storm", "remove speeds above 1000 km/s before smoothing",
         "computed from: - OMNI_HRO_1MIN.flow_speed + OMNI_HRO_1MIN_flow_speed_masked"),
        ("wind-plasma", "compute 6-hour medians of everything before drawing",
         "panel 2: WI_PM_3DP.P_VELS → WI_PM_3DP_P_VELS_median"),
        ("wind-plasma", "leave only temperature and density, in that order", "panel 1: temperature"),
        ("wind-plasma", "order: temperature first, then velocity, density last", "panel 1: density → temperature"),
        ("l1-compare", "remove the vectors, I only care about the magnitudes", "panel 2: no longer Wind_B"),
        ("psp-bfield", "with nT range -150 to 150 for the components", "y range of panel 1 (B_RTN): -150.0, 150.0"),
        ("gle73-particles", "23 to 26 july 2012, title accordingly: STEREO-A HET, 23 July 2012",
         "title: - STEREO-A HET: ground-level event 73 + STEREO-A HET, 23 July 2012"),
        ("ace-gone", "use october 2023 rather than january 2025, first three days",
         "default: - 2025-01-01 to 2025-01-03 + 2023-10-01 to 2023-10-04"),
        ("omni-storm", "june 2015, the first two weeks only, Bz red",
         "default: - 2015-03-17 to 2015-03-19 + 2015-06-01 to 2015-06-15"),
    ],
)  # fmt: skip
def test_turns_of_phrase_change_what_they_say(author, templates, name, request_, expected):
    told = changed(author, templates(name), request_)
    assert any(change.endswith(expected) for change in told), told


@pytest.mark.parametrize(
    ("name", "request_", "message"),
    [
        ("omni-storm", "october 2023, 2024-01-01", "two time ranges"),
        ("omni-storm", "also use a log axis for AE", "no panel called 'AE'"),
        (
            "wind-plasma",
            "leave out density where temperature is above 60 eV before averaging",
            "does not understand",
        ),
        (
            "omni-storm",
            "remove densities above 50 per cc before smoothing",
            "does not understand",
        ),  # not smoothed
        ("l1-compare", "add the density from the same spacecraft", "'same'"),
        ("tha-ions", "add the ion temperature from the same instrument", "'same'"),
        ("omni-storm", "add By as a third line", "'third'"),
    ],
)
def test_what_may_mean_two_things_is_refused(author, templates, name, request_, message):
    with pytest.raises(NotUnderstood, match=message):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_", "line"),
    [
        (
            "omni-storm",
            "hourly means of the speed in the speed panel, thick red line",
            "OMNI_HRO_1MIN_flow_speed_binned",
        ),
        (
            "omni-storm",
            "30 min running mean of the speed in the speed panel, thick red line",
            "OMNI_HRO_1MIN_flow_speed_smooth",
        ),
        ("omni-storm", "hourly means of the density above the density, thick red line", "OMNI_n_binned"),
        ("omni-storm", "add AE in a new panel, a thick red line", "OMNI_AE"),
        ("omni-storm", "replace the density by the temperature, thick red line", "OMNI_T"),
        ("omni-storm", "density, thick red line", "OMNI_HRO_1MIN.proton_density"),
    ],
)
def test_a_look_behind_a_change_is_that_of_the_new_line(author, templates, name, request_, line):
    told = changed(author, templates(name), request_)
    looks = [change for change in told if "colour of" in change or "line of" in change]
    assert looks == [f"step 40: colour of {line}: red", f'step 40: line of {line}: {{"width": 3.0}}']


def test_a_line_that_has_no_average_leaves_that_of_the_others(author, templates):
    draft = author.edit("replace the density by the clock angle and the speed", templates("ace-gone"))
    assert drawn_in(draft.template) == "ACE_B_clock | ACE_V_smooth"
    assert [note for note in draft.notes if "ACE_B_clock is an angle" in note and "drawn as it is" in note]


def test_a_colour_behind_a_window_is_that_of_the_average(author, templates):
    request = "12-hour means of phi rather than daily ones, in magenta"
    told = changed(author, templates("parker-spiral-angle"), request)
    colours = [change for change in told if "colour of" in change]
    assert colours == ["step figure: colour of phi_daily: black → magenta"]


@pytest.mark.parametrize(
    ("request_", "mode"),
    [
        ("beta from 0.01 to 10, black dots", '{"mode": "markers"}'),
        ("beta in dots", '{"mode": "markers"}'),
        ("dots for beta", '{"mode": "markers"}'),
        ("beta dotted", '{"dash": "dot"}'),
        ("beta from 0.01 to 10, black dotted", '{"dash": "dot"}'),
    ],
)
def test_dots_are_markers_and_a_dotted_line_is_a_line(author, templates, request_, mode):
    assert f"step figure: line of beta: {mode}" in changed(author, templates("solo-overview"), request_)


def test_a_line_that_the_legend_calls_by_a_spacecraft_has_its_colour(author, templates):
    template = templates("l1-monitor-comparison")
    assert "step figure: colour of lag_Wind: red → orange" in changed(
        author, template, "ACE black, Wind orange"
    )
    assert not [change for change in changed(author, template, "ACE black") if "lag_Wind" in change]
    assert changed(author, template, "Wind orange in the density panel") == [
        "step figure: colour of n_Wind: red → orange"
    ]


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("omni-storm", "hourly speed instead of the density"),
        ("omni-storm", "a line of red dots at -50 in the SYM-H panel"),
    ],
)
def test_a_value_beside_what_it_is_not_of_is_refused(author, templates, name, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("plasma-beta-mach", "field in GSM", "step b_gsm: added: transform_frame of B"),
        ("omni-solar-wind-overview", "B in GSE", "step b_gse: added: transform_frame of B"),
        ("l1-compare", "B in GSM", "step ace: parameter: BGSEc → BGSM"),
    ],
)
def test_a_vector_beside_another_in_a_computation_turns_where_it_is_drawn(
    author, templates, name, request_, told
):
    expected = [change for change in changed(author, templates(name), request_) if told in change]
    assert expected
    if "transform" in told:
        assert not [change for change in changed(author, templates(name), request_) if "parameter:" in change]


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("parker-spiral-angle", "6-hour means of phi instead of daily ones", "φ, daily mean → φ, 6h mean"),
        ("parker-spiral-angle", "phi as 2-day means", "φ, daily mean → φ, 2d mean"),
        (
            "plasma-beta-mach",
            "assume 8 % alphas",
            '+ "8 % alpha particles assumed; σ in windows of {FLUCTUATIONS}"',
        ),
        ("goes-xray-flares", "GOES-15", "title: GOES-16 X-rays → GOES-15 X-rays"),
        ("goes-xray-flares", "GOES-18 instead of GOES-16", "title: GOES-16 X-rays → GOES-18 X-rays"),
        ("storm-overview", "GOES-13 field components too", "kinds of panels: + 11 line"),
        ("storm-overview", "add the THEMIS-A electron spectrogram", "kinds of panels: + 11 spectrogram"),
    ],
)
def test_texts_and_kinds_of_panels_follow_a_change(author, templates, name, request_, told):
    assert told in "\n".join(changed(author, templates(name), request_))


@pytest.mark.parametrize(
    ("request_", "panels"),
    [
        ("dotted line at 0 in the current panel", None),
        ("current panel log", None),
        ("dotted line at 0 in the current panels", {3, 4}),
        ("dotted line at 0 in panel 3", {3}),
    ],
)
def test_one_panel_of_several_is_asked_for(author, templates, request_, panels):
    outcome = author.edit(request_, templates("mms-curlometer"))
    if panels is None:
        assert isinstance(outcome, AuthorQuestion)
        assert outcome.choices == ("panel 3", "panel 4", "all of them")
    else:
        marks = outcome.template["steps"][-1]["tool_args"]["spec"]["hlines"]
        assert {mark["panel"] for mark in marks if mark["y"] == 0} == panels


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("psp-bfield", "only B_N, purple", ["panel 1: B_RTNn", "colour of B_RTNn: purple"]),
        ("omni-solar-wind-overview", "B_z only, blue", ["panel 1: Bz", "colour of Bz: blue"]),
        ("ace-bfield-overview", "only Bz, thick line", ["panel 1: ACE_Bz", 'line of ACE_Bz: {"width": 3.0}']),
        ("omni-storm", "only Bz and the speed, red", ["BZ_GSM: red", "colour of speed: red"]),
        ("omni-storm", "only SYM-H, smoothed over 10 min", ["panel 1: OMNI_HRO_1MIN_SYM_H_smooth"]),
        ("omni-storm", "only the speed, with 10 min means", ["window: 5min → 10min"]),
        (
            "themis-esa-overview",
            "only V_x in the velocity panel, red",
            ["panel 6: V → Vx", "colour of Vx: red"],
        ),
    ],
)
def test_a_look_or_an_average_behind_only_is_of_what_stays(author, templates, name, request_, told):
    text = "\n".join(changed(author, templates(name), request_))
    assert [words for words in told if words not in text] == []


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("psp-encounter", "only V_R, with 10 min means"),
        ("omni-storm", "only SYM-H, with 10 min means"),
        ("plasma-beta-mach", "only the density, 10 min means"),
    ],
)
def test_means_behind_only_are_beside_what_stays_or_instead_of_it(author, templates, name, request_):
    template = templates(name)
    outcome = author.edit(request_, template)
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.choices == ("beside the line", "instead of the line")
    for choice, lines in zip(outcome.choices, (2, 1), strict=True):
        made = author.edit(request_, template, chosen=(choice,)).template
        figure = next(step for step in made["steps"] if step["tool_name"] in ("plot_data", "render_spec"))
        (panel,) = figure["tool_args"].get("spec", figure["tool_args"])["panels"]
        assert len(panel) == lines
        assert made["variables"] == template["variables"]


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("no Mach numbers", "Wind: plasma beta, pressures and cross-helicity"),
        ("remove the pressures", "Wind: plasma beta, Mach numbers and cross-helicity"),
        ("remove the density", "Wind: plasma beta, Mach numbers, pressures and cross-helicity"),
        ("Mach numbers red", "Wind: plasma beta, Mach numbers, pressures and cross-helicity"),
    ],
)
def test_a_title_does_not_list_what_is_gone(author, templates, request_, title):
    figure = author.edit(request_, templates("plasma-beta-mach")).template["steps"][-1]
    assert figure["tool_args"]["spec"]["title"] == title


@pytest.mark.parametrize(
    ("name", "request_", "choices"),
    [
        ("plasma-beta-mach", "save beta and M_A as csv", ("beta", "beta_measured", "all of them")),
        ("hope-spectra", "proton z limits 1e3 to 1e7", ("panel 1", "panel 2", "all of them")),
        ("plasma-beta-mach", "save the density and M_A as csv", None),
        ("hope-spectra", "electron z limits 1e3 to 1e7", None),
    ],
)
def test_what_two_lines_or_panels_may_be_is_asked(author, templates, name, request_, choices):
    assert getattr(author.edit(request_, templates(name)), "choices", None) == choices


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        (
            "themis-esa-overview",
            "add 10-min running mean of the density in red, same panel",
            "panel 5: + 2 n_smooth",
        ),
        (
            "themis-esa-overview",
            "add 10-min running mean of the density in the same panel",
            "panel 5: + 2 n_smooth",
        ),
        (
            "omni-storm",
            "add the 1 h running mean of the speed, same panel",
            "panel 2: + 2 OMNI_HRO_1MIN_flow",
        ),
        ("omni-storm", "one more panel with the 1 h mean of the speed", "panel 5: OMNI_V_binned"),
        ("omni-storm", "1 h running mean of SYM-H, same panel", "panel 4: + 2 OMNI_HRO_1MIN_SYM_H_smooth"),
        (
            "omni-storm",
            "add 1 h running mean of SYM-H in the same panel as Bz",
            "panel 1: + 3 OMNI_HRO_1MIN_SYM_H",
        ),
        (
            "omni-storm",
            "add hourly means of Bz and SYM-H in the same panel",
            "panel 5: OMNI_Bz_binned, OMNI_SYMH",
        ),
        (
            "omni-storm",
            "add hourly means of Bz and SYM-H in the same panels",
            "panel 4: + 2 OMNI_HRO_1MIN_SYM_H_binned",
        ),
    ],
)
def test_an_average_in_the_same_panel_is_beside_its_line(author, templates, name, request_, told):
    assert told in "\n".join(changed(author, templates(name), request_))


@pytest.mark.parametrize("request_", ["add AE in the same panel", "add AE, same panel"])
def test_the_same_panel_as_nothing_is_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match="together with what"):
        author.edit(request_, templates("omni-storm"))


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        (
            "omni-storm",
            "move the density into the speed panel, red",
            ["colour of OMNI_HRO_1MIN.proton_density: red"],
        ),
        (
            "omni-storm",
            "put the density in the speed panel in red",
            ["colour of OMNI_HRO_1MIN.proton_density: red"],
        ),
        ("omni-storm", "density and speed panels log, red", ["density: red", "colour of speed: red"]),
        ("mms-burst", "put |B| in the field panel in black", ["colour of MMS1_Bmag: black"]),
        ("wind-plasma", "Vx of the velocity in red", ["colour of WI_PM_3DP.P_VELS.x: red"]),
    ],
)
def test_a_look_is_not_of_the_panel_that_says_where(author, templates, name, request_, told):
    colours = [change for change in changed(author, templates(name), request_) if "colour of" in change]
    assert [words for words in told if words not in "\n".join(colours)] == []
    assert len(colours) == len(told)


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("storm-overview", "from March 17 0h to March 19 0h", "2015-03-17T00:00 to 2015-03-19T00:00"),
        ("storm-overview", "from 17 March 6h to 18 March 12h", "2015-03-17T06:00 to 2015-03-18T12:00"),
        ("omni-storm", "Dynamic pressure [nPa] below the density", "panel 4: OMNI_Pdyn"),
        ("wind-plasma", "remove Vx of the velocity", "panel 2: WI_PM_3DP.P_VELS → WI_PM_3DP_P_VELS_yz"),
    ],
)
def test_hours_units_and_wholes_beside_names_are_read(author, templates, name, request_, told):
    assert told in "\n".join(changed(author, templates(name), request_))


@pytest.mark.parametrize("request_", ["March 17, 6h means", "temperature [eV] below the density"])
def test_a_window_is_no_hour_and_a_unit_no_quantity(author, templates, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, templates("storm-overview"))


def test_also_as_averages_may_be_beside_the_line(author, templates):
    assert isinstance(author.edit("density also as hourly means", templates("omni-storm")), AuthorQuestion)


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("mixed-units", "density red"),
        ("mixed-units", "log axis for the density"),
        ("mixed-units", "make the magnetic field blue"),
        ("mixed-units", "temperature dashed"),
        ("mixed-units", "smooth the density over 10 min"),
        ("mixed-units", "remove the density"),
    ],
)
def test_what_a_line_is_computed_from_is_no_name_for_it(author, templates, name, request_):
    with pytest.raises(NotUnderstood, match=r"has no (line|panel) called"):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_", "expected"),
    [
        ("ace-gone", "density red", "colour of smooth_density: red"),
        ("plasma-beta-mach", "also plot the Alfven speed above the beta", "panel 6: Wind_VA"),
        ("plasma-beta-mach", "smooth the field over 10 min", "panel 1: - 1 B + 1 B_smooth"),
        ("storm-superposed-epoch", "density instead of speed", "OMNI_n_superposed"),
    ],
)
def test_a_line_is_of_the_one_quantity_from_which_it_comes(author, templates, name, request_, expected):
    assert expected in " || ".join(changed(author, templates(name), request_))


@pytest.mark.parametrize(
    ("name", "request_", "panels"),
    [
        ("omni-storm", "only the magnetic field", "OMNI_HRO_1MIN.F OMNI_HRO_1MIN.BZ_GSM"),
        ("omni-storm", "keep only the IMF", "OMNI_HRO_1MIN.F OMNI_HRO_1MIN.BZ_GSM"),
        ("omni-storm", "only the field components", "OMNI_HRO_1MIN.BZ_GSM"),
        ("plasma-beta-mach", "only the field and the speed", "B Bmag | V"),
        ("plasma-beta-mach", "only the field vector", "B"),
        ("psp-bfield", "only the field", "B_RTN"),
        ("psp-encounter", "only the velocity and the density", "V_SPI | n_QTN n_SPI n_SPC"),
        ("psp-encounter", "only the spectrograms",
         "SPI_spectrum | PSP_SWP_SPE_SF0_L3_PAD.EFLUX_VS_ENERGY | PAD_normalised"),
    ],
)  # fmt: skip
def test_only_a_quantity_is_all_that_shows_it(author, templates, name, request_, panels):
    assert drawn_in(author.edit(request_, templates(name)).template) == panels


@in_one_test(
    ("name", "request_", "gone"),
    [
        ("plasma-beta-mach", "remove the magnetic field", {"B", "Bmag"}),
        ("plasma-beta-mach", "remove the field but keep |B|", {"B"}),
        ("themis-esa-overview", "drop the SST ions but not the SST electrons", {"THA_L2_SST.tha_psif_en_eflux"}),
        ("themis-esa-overview", "remove the spectrograms but keep the electron spectrogram",
         {"THA_L2_SST.tha_psif_en_eflux", "ions", "THA_L2_SST.tha_psef_en_eflux"}),
        ("themis-esa-overview", "remove the pressures, keep the total pressure", {"P_B", "P_i"}),
        ("mms-magnetopause-mva-walen", "drop the electrons",
         {"MMS1_FPI_BRST_L2_DES-MOMS.mms1_des_energyspectr_omni_brst",
          "MMS1_FPI_BRST_L2_DES-MOMS.mms1_des_numberdensity_brst",
          "MMS1_FPI_BRST_L2_DES-MOMS.mms1_des_temppara_brst", "MMS1_FPI_BRST_L2_DES-MOMS.mms1_des_tempperp_brst"}),
        ("psp-encounter", "remove electron spectrogram but keep the pitch angle one",
         {"PSP_SWP_SPE_SF0_L3_PAD.EFLUX_VS_ENERGY"}),
        ("psp-encounter", "remove the densities but keep the SPC one", {"n_QTN", "n_SPI"}),
        ("omni-solar-wind-overview", "AE only, no AL AU", {"OMNI_HRO_1MIN.AL_INDEX", "OMNI_HRO_1MIN.AU_INDEX"}),
        ("omni-solar-wind-overview", "drop AE AU", {"OMNI_HRO_1MIN.AE_INDEX", "OMNI_HRO_1MIN.AU_INDEX"}),
        ("plasma-beta-mach", "drop P_B P_th", {"P_B", "P_th"}),
        ("storm-overview", "remove AL in the AE panel", {"OMNI_HRO_1MIN.AL_INDEX"}),
        ("storm-overview", "remove AL, in the AE panel", {"OMNI_HRO_1MIN.AL_INDEX"}),
        ("storm-overview", "AE only, in the AE panel", {"OMNI_HRO_1MIN.AL_INDEX"}),
        ("storm-overview", "only AL in the AE panel; only SYM-H in the Dst panel",
         {"OMNI_HRO_1MIN.AE_INDEX", "OMNI2_H0_MRG1HR.DST"}),
        ("psp-encounter", "SPC only in the density panel", {"n_QTN", "n_SPI"}),
        ("wind-plasma", "Vx only in the velocity panel", {"WI_PM_3DP.P_VELS"}),
        ("omni-storm", "remove the density, SYM-H too", {"OMNI_HRO_1MIN.proton_density", "OMNI_HRO_1MIN.SYM_H"}),
    ],
)  # fmt: skip
def test_what_is_removed_is_all_of_it_and_nothing_that_stays(author, templates, name, request_, gone):
    template = templates(name)
    before, after = (
        set(drawn_in(figure).replace(" | ", " ").split())
        for figure in (template, author.edit(request_, template).template)
    )
    assert before - after == gone


@in_one_test(
    ("name", "request_", "told", "untold"),
    [
        ("omni-storm", "log axes for the density and the speed but not for B", "panel 2: log", "panel 1"),
        ("omni-storm", "log axes for the density and the speed, not for B", "panel 3: log", "panel 1"),
        ("omni-storm", "density black, SYM-H as it is", "proton_density: black", "SYM_H: black"),
        ("wind-plasma", "density and temperature black, the velocity as it is", "temperature: black", "VELS: black"),
        ("wind-plasma", "raw density, smoothed temperature", "density → WI_PM_3DP.P_DENS", "P_TEMP"),
        ("wind-plasma", "5 minute window for the density but not for the temperature", "5min", "$WINDOW, default"),
        ("l1-compare", "smooth Wind over 5 min but not ACE", "Wind_Bmag_smooth", "ACE_Bmag_smooth"),
        ("l1-compare", "zero line in all but the last", '{"y": 0.0, "panel": 2}', '"panel": 3'),
        ("l1-compare", "log axis in all but the first panel", "Wind_Bmag): log", "panel 1 "),
        ("plasma-beta-mach", "all axes from panel 6 on linear", "panel 8", "panel 4"),
        ("psp-bfield", "replace the 1-min field by the 4-samples-per-cycle RTN field", "4_SA_PER_CYC", "resample"),
        ("omni-storm", "density red, time range 2017-09-07 to 2017-09-09", "2017-09-07 to 2017-09-09", "range of"),
        ("psp-bfield", "add a 1h running_average of B_magnitude to panel 2", "B_magnitude_smooth", "B_RTN_"),
        ("plasma-beta-mach", "panels 6 and below on a linear axis", "panel 8", "panel 4"),
        ("plasma-beta-mach", "linear axes from the sixth panel to the bottom", "panel 8", "panel 4"),
        ("plasma-beta-mach", "linear axes starting with panel 6", "panel 8", "panel 4"),
        ("ace-strength", "add the density below panel 1, log axis", "ACE_n): log", "(B): log"),
        ("omni-solar-wind", "V and N in one panel, both axes log", "panel 2 right (N): log", "scale of panel 3"),
        ("omni-solar-wind", "density and temperature in one panel, both axes log", "panel 3", "scale of panel 2"),
        ("ace-strength", "add the density before the last panel, log axis", "ACE_n): log", "Bz_smooth): log"),
        ("solo-overview", "beta smoothed over 10 minutes", "beta_smooth", "clock"),
        ("solo-overview", "speed instead of V RTN", "V RTN [km/s] → V [km/s]", "- label of the y axis"),
        ("wind-plasma", "only Vx in the second panel, in blue", "colour of WI_PM_3DP.P_VELSx: blue", "P_VELSy"),
        ("wind-plasma", "Vx in panel 2 in blue", "colour of WI_PM_3DP.P_VELS.x: blue", "panel 2"),
        ("goes-xray-flares", "ratio panel gone", "step ratio: removed", "long: removed"),
        ("storm-overview", "title: 'Gannon storm', subtitle gone", "subtitle: no longer", "vrects"),
        ("l1-compare", "add DSCOVR to the strength panel", "name of DSCOVR_Bmag in the legend: DSCOVR", "- name"),
        ("l1-compare", "add the ACE density to the strength panel", "ACE_n", "name of ACE_n"),
        ("hope-spectra", "Probe B", "Van Allen Probe A HOPE → Van Allen Probe B HOPE", "RBSP-B HOPE "),
        ("solo-overview", "10 minute averages of beta", "beta_binned", "clock"),
        ("solo-overview", "10 minute median of beta", "beta_median", "density"),
        ("omni-storm", "lines at 0 in the first panel and at 500 in the speed panel",
         '{"y": 500.0, "panel": 2}', '{"y": 500.0, "panel": 1}'),
        ("storm-overview", "remove the sheath shading", "sheath", "- magnetic cloud"),
        ("omni-storm", "average all panels over 10 min", "SYM_H_binned", "speed_binned"),
        ("psp-encounter", "remove the SPAN-I density but not its velocity", "n_SPI", "- V_SPI"),
        ("plasma-beta-mach", "beta from 0.01 to 100, but not the temperatures", "panel 6", "panel 4"),
        ("ace-bfield-overview", "B in GSM but not in GSE", "ACE_B_GSM", "ACE_B_GSM_GSE"),
    ],
)  # fmt: skip
def test_what_is_left_out_stays(author, templates, name, request_, told, untold):
    text = " || ".join(changed(author, templates(name), request_))
    assert told in text
    assert untold not in text


@in_one_test(
    ("name", "request_", "message"),
    [
        ("omni-storm", "save everything that is plotted as CSV, but not SYM-H", "SYM_H stays as it is"),
        ("l1-monitor-comparison", "remove the difference panels but keep the one of Bz", "'one'"),
        ("solo-overview", "move the spectrogram to the top, keep the field second", "keep the field second"),
        ("psp-encounter", "only the density but not SPC", "but not"),
        ("omni-storm", "rename the speed axis to 'V [km/s]' and the B one to 'IMF [nT]'", "'B one'"),
        ("storm-overview", "title: 'Gannon storm', subtitle vanished", "which text is the title"),
        ("omni-solar-wind-overview", "split the field into three panels", "in three panels"),
        ("ace-gone", "also the speed, smoothed too", "'smoothed'"),
        ("storm-overview", "AE only with AL", "'AE only with AL' leaves out"),
        ("storm-overview", "AE solely with AL", "'AE solely with AL' leaves out"),
        ("storm-overview", "AE only along with AL", "'AE only along with AL' leaves out"),
        ("omni-solar-wind-overview", "speed only, and density at the top", "leaves out 'density'"),
        ("plasma-beta-mach", "only P_B and P_th without P_dyn", "'P_th without P_dyn' beside 'only'"),
        ("plasma-beta-mach", "only V, n and B without |B|", "'B without |B|' beside 'only'"),
        ("gle73-particles", "electrons on top, window of 5 min", "no average or other computation"),
        ("gle73-particles", "electrons on top with a window of 5 min", "'electrons', 'top'"),
        ("parker-spiral-angle", "daily averages", "already like this"),
        (
            "storm-overview",
            "density blue, and only AE and AL in the AE panel",
            "in the AE panel' changes nothing",
        ),
        (
            "omni-storm",
            "density red, and only the speed in the speed panel",
            "in the speed panel' changes nothing",
        ),
        ("storm-overview", "AE in red, the data in blue", "'the data "),
        ("omni-solar-wind-overview", "density above the speed, and only these two", "which lines to keep"),
        (
            "omni-solar-wind-overview",
            "speed only, and density in a panel of its own above",
            "leaves out 'density'",
        ),
        ("omni-storm", "shade 06 to 12 UT on 17 March, only in the first panel", "only in the first panel"),
        ("omni-storm", "density red and dashed, speed the same", "speed the same"),
        ("omni-storm", "smooth the density over 10 min but not the foo", "but not the foo"),
        ("wind-plasma", "density without smoothing, velocity smoothed", "'velocity smoothed'"),
        ("psp-encounter", "drop the electron spectrogram and keep the low-energy one", "'low-energy one'"),
        ("storm-overview", "only AE and AL in the index panel", "in which panel"),
        ("omni-storm", "remove Bz in the density panel", "cannot remove"),
        ("storm-overview", "remove AL in the AE panel and Dst in the SYM-H panel", "names two panels"),
        ("storm-overview", "only AL in the AE panel, and SYM-H in the Dst panel", "names two panels"),
        ("omni-storm", "remove the density, AE too", "no line called 'AE'"),
        ("tha-ions", "same day in 2016, THEMIS-D", "another month or year"),
        ("mms-field-spectrum", "power in orange", "is a spectrogram"),
        ("omni-storm", "add AE below SYM-H, both w/o smoothing", "is smoothed or averaged"),
        ("omni-storm", "log axis for the density alone", "'alone'"),
        ("omni-solar-wind", "add V", "already draws OMNI_COHO1HR_MERGED_MAG_PLASMA.V"),
        ("omni-solar-wind", "replace V by Pdyn, N too", "already draws OMNI_COHO1HR_MERGED_MAG_PLASMA.N"),
        ("swpc-now", "add the density", "already draws SWPC_RTSW_PLASMA.density"),
        ("psp-encounter", "add Bz", "has no z component"),
        ("omni-storm", "between speed and density", "what to draw: 'between speed and density'"),
        ("plasma-beta-mach", "residual energy window 4h", "texts of the figure name .FLUCTUATIONS"),
    ],
)
def test_what_is_only_partly_clear_is_refused(author, templates, name, request_, message):
    with pytest.raises(NotUnderstood, match=message):
        author.edit(request_, templates(name))


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("psp-encounter", "density green"),
        ("mms-magnetopause-mva-walen", "density red"),
        ("omni-storm", "make the magnetic field red"),
    ],
)
def test_one_of_several_lines_of_a_quantity_is_asked_for(author, templates, name, request_):
    assert isinstance(author.edit(request_, templates(name)), AuthorQuestion)


@pytest.mark.parametrize(
    ("request_", "panels"),
    [
        ("add AE, AL in one panel at the top", "OMNI_AE OMNI_AL | B | V | n | SYM"),
        ("add a panel with AE and AL below SYM-H", "B | V | n | SYM | OMNI_AE OMNI_AL"),
        ("one more panel with AE and AL below SYM-H", "B | V | n | SYM | OMNI_AE OMNI_AL"),
        (
            "add the temperature and the pressure below the density",
            "B | V | n | OMNI_T | OMNI_Pressure | SYM",
        ),
        ("add the temperature, and AE above SYM-H", "B | V | n | OMNI_AE | SYM | OMNI_T"),
        ("first panel: Bz only; last panel: add Dst", "OMNI_HRO_1MIN.BZ_GSM | V | n | SYM OMNI_Dst"),
        ("add AE as well, between the speed and the density", "B | V | OMNI_AE | n | SYM"),
        ("add AE in green, between the speed and the density", "B | V | OMNI_AE | n | SYM"),
        ("add AE and AL as well, between speed and density", "B | V | OMNI_AE | OMNI_AL | n | SYM"),
        ("also AE at the top, unsmoothed, too", "OMNI_AE | B | V | n | SYM"),
        ("add AE, unsmoothed", "B | V | n | SYM | OMNI_AE"),  # and the speed stays smoothed
    ],
)
def test_a_place_behind_a_list_is_that_of_all(author, templates, request_, panels):
    names = {
        "OMNI_HRO_1MIN.F OMNI_HRO_1MIN.BZ_GSM": "B",
        "speed": "V",
        "OMNI_HRO_1MIN.proton_density": "n",
        "OMNI_HRO_1MIN.SYM_H": "SYM",
    }
    drawn = drawn_in(author.edit(request_, templates("omni-storm")).template)
    for label, name in names.items():
        drawn = drawn.replace(label, name)
    assert drawn == panels


@pytest.mark.parametrize(
    ("request_", "colours"),
    [
        ("lower panel in black and red", ["black", "red"]),
        ("the two magnitudes green, black", ["green", "black"]),
        ("all lines black, ACE_Bmag red", ["red", "black"]),
    ],
)
def test_several_colours_are_those_of_the_lines_in_turn(author, templates, request_, colours):
    after = author.edit(request_, templates("l1-compare")).template
    figure = next(step for step in after["steps"] if step["tool_name"] == "render_spec")
    assert [*figure["tool_args"]["spec"]["trace_colors"].values()] == colours


@pytest.mark.parametrize("request_", ["make the magnitude red and blue", "use black, red, green and blue"])
def test_more_colours_than_lines_are_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match="colours, but not for as many lines"):
        author.edit(request_, templates("ace-strength"))


def test_of_a_time_range_and_a_part_of_it_the_part_counts(author, templates):
    template = templates("solo-overview")
    after = author.edit("run it for the 2022 Sept event, 5-8 September", template).template
    assert after["variables"]["$TIME_RANGE"]["default"] == "2022-09-05 to 2022-09-09"
    with pytest.raises(NotUnderstood, match="two time ranges"):
        author.edit("2022-09-01 and 2022-10-05", template)


@pytest.mark.parametrize(
    ("name", "request_", "panels"),
    [
        ("mms-burst", "B in GSM, and V in GSM as well", "B / bulkv_GSM"),
        ("mms-burst", "B in GSM, V too", "B / bulkv_GSM"),
        ("mms-burst", "B in GSM, also V in GSM", "B / bulkv_GSM"),
        ("mms-burst", "V in GSM as well", "B / bulkv / bulkv_GSM"),  # nothing before it is in GSM
        ("mms-burst", "density in red, V in GSM as well", "B / bulkv / bulkv_GSM"),
    ],
)
def test_too_behind_a_change_is_the_same_change(author, templates, name, request_, panels):
    drawn = drawn_in(author.edit(request_, templates(name)).template)
    vectors = [
        re.sub(r"MMS1_FPI_BRST_L2_DIS-MOMS[._]mms1_dis_bulkv_gse_brst", "bulkv", panel)
        for panel in drawn.split(" | ")
        if panel == "B" or "bulkv" in panel
    ]
    assert " / ".join(vectors) == panels


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("density log, speed too", ["y scale of panel 2: log", "y scale of panel 3: log"]),
        ("density in red, SYM-H as well", ["SYM_H: red", "proton_density: red"]),
        ("density in red, AE too", ["AE_INDEX", "proton_density: red"]),  # new
        ("density in red, add AE too", ["AE_INDEX", "proton_density: red"]),
    ],
)
def test_too_sets_drawn_lines_and_adds_new_ones(author, templates, request_, expected):
    told = " || ".join(changed(author, templates("omni-storm"), request_))
    assert all(words in told for words in expected)
    assert "flow_speed added" not in told


@pytest.mark.parametrize(
    ("request_", "logarithmic"),
    [
        ("add the density above beta", {"2": True}),
        ("add the density", {"1": True}),
        ("add the density, all panels linear", {"1": False}),
        ("draw the density instead of beta", True),
    ],
)
def test_a_new_panel_has_an_axis_of_its_own(author, templates, request_, logarithmic):
    figure = author.edit(request_, templates("mixed-units")).template["steps"][-1]
    assert figure["tool_args"]["spec"]["log_y"] == logarithmic


@pytest.mark.parametrize(
    ("request_", "subtitle"),
    [
        ("epsilon instead of Newell", "OMNI, times shifted to the bow shock nose"),
        ("remove the coupling", "OMNI, times shifted to the bow shock nose"),
        ("remove AE", "OMNI, times shifted to the bow shock nose; dΦ/dt in (km/s)^4/3 nT^2/3"),
    ],
)
def test_a_subtitle_names_no_line_that_is_gone(author, templates, request_, subtitle):
    after = author.edit(request_, templates("omni-solar-wind-overview")).template
    assert after["steps"][-1]["tool_args"]["spec"]["subtitle"] == subtitle
    assert [step["tool_name"] for step in after["steps"]].count("join_components") == 1


@pytest.mark.parametrize(
    ("request_", "answers", "panels"),
    [
        ("add AE on top of SYM-H, red", ("in the same panel",), "OMNI_HRO_1MIN.SYM_H OMNI_AE"),
        ("add AE on top of SYM-H", ("in a panel above it",), "OMNI_AE | OMNI_HRO_1MIN.SYM_H"),
        ("add AE on top of the SYM-H panel", (), "OMNI_AE | OMNI_HRO_1MIN.SYM_H"),
        ("add AE above SYM-H", (), "OMNI_AE | OMNI_HRO_1MIN.SYM_H"),
    ],
)
def test_a_new_line_on_top_of_another_may_be_over_it_or_above_it(
    author, templates, request_, answers, panels
):
    template = templates("omni-storm")
    if answers:
        assert isinstance(author.edit(request_, template), AuthorQuestion)
    after = author.edit(request_, template, chosen=answers).template
    assert drawn_in(after).endswith(f"proton_density | {panels}")


@pytest.mark.parametrize(
    ("name", "request_", "panels"),
    [
        ("omni-storm", "undo the averaging of speed", "F BZ_GSM | flow_speed | proton_density | SYM_H"),
        ("omni-storm", "density out, AE in", "F BZ_GSM | speed | SYM_H | OMNI_AE"),
        ("omni-storm", "density out, SYM-H in red", "F BZ_GSM | speed | SYM_H"),
        ("mms-burst", "temps out", "B | energyspectr_omni | numberdensity | bulkv_gse"),
        ("tha-ions", "ion velocity in GSM between density and B",
         "tha_peir_en_eflux | tha_peir_density | THEMISA_Vvec | B"),
        ("tha-ions", "velocity in GSE below the density", "tha_peir_en_eflux | tha_peir_density | THEMISA_Vvec | B"),
        ("omni-storm", "SYM-H alone", "SYM_H"),
        ("themis-esa-overview", "keep only the electrons, no SST", "electrons"),
        ("l1-compare", "swap ACE Wind", "Wind_B | ACE_B | ACE_Bmag Wind_Bmag"),
        ("omni-storm", "SYM-H between speed and density", "F BZ_GSM | speed | SYM_H | proton_density"),
        ("swpc-now", "temperature out, Pdyn in",
         "SWPC_RTSW_MAG.BGSM SWPC_RTSW_MAG.Bt | SWPC_RTSW_PLASMA.speed | SWPC_RTSW_PLASMA.density | Pdyn"),
        ("psp-bfield", "add a 1h running avg of |B| on top of |B|, in the same panel",
         "B_RTN | B_magnitude B_magnitude_smooth"),
    ],
)  # fmt: skip
def test_more_turns_of_phrase_draw_what_they_say(author, templates, name, request_, panels):
    drawn = drawn_in(author.edit(request_, templates(name)).template)
    assert re.sub(r"\b(?:OMNI_HRO_1MIN|THA_L2_ESA)\.|MMS1_\S+-MOMS\.mms1_dis_|_brst\b", "", drawn) == panels


def test_the_same_window_of_two_lengths_is_asked_for(author, templates):
    assert isinstance(
        author.edit("smooth n_QTN with the same window", templates("psp-encounter")), AuthorQuestion
    )


def test_a_component_that_the_frame_of_the_figure_lacks_is_fetched_in_another(author, templates):
    drawn = drawn_in(author.edit("add Bz", templates("omni-solar-wind")).template)
    assert drawn.endswith("PLASMA.T | OMNI_Bz")


@pytest.mark.parametrize(
    ("name", "request_", "says"),
    [
        ("swpc-now", "3 days, five-minute averages of everything", "not clear which window"),
        ("mms-curlometer", "plot also Bx of all four, above the Bz panel", "does not understand 'four'"),
    ],
)
def test_a_change_with_two_lengths_or_without_a_name_is_refused(author, templates, name, request_, says):
    with pytest.raises(NotUnderstood, match=says):
        author.edit(request_, templates(name))


def test_the_end_of_a_day_may_be_24_hours(author, templates):
    changed = author.edit("begin at 12 UT and end at 24 UT", templates("gle73-particles")).template
    assert changed["variables"]["$TIME_RANGE"]["default"].endswith(" to 2021-10-29T00:00:00")


def test_a_shaded_interval_has_no_name_from_the_clause_before(author, templates):
    changed = author.edit(
        "leave out electrons; shade 22:30-22:40 on 11 july in grey; mms4", templates("mms-survey")
    ).template
    (spec,) = (step["tool_args"]["spec"] for step in changed["steps"] if "spec" in step["tool_args"])
    assert spec["vrects"] == [{"x0": "2017-07-11T22:30", "x1": "2017-07-11T22:40", "color": "grey"}]


def test_its_panel_has_the_range(author, templates):
    changed = author.edit(
        "draw |B| in red and give its panel a range of 0 to 30", templates("ace-bfield-overview")
    )
    (style,) = (step["tool_args"] for step in changed.template["steps"] if step["tool_name"] == "style_plot")
    assert style["y_range"] == {"2": [0.0, 30.0]}


def test_a_clock_angle_computed_in_gsm_leaves_the_other_lines(author, templates):
    before = templates("ace-strength")
    changed = author.edit(
        "Add a panel at the bottom with the IMF clock angle, computed in GSM please", before
    ).template
    kept = [step for step in changed["steps"] if step["tool_name"] != "render_spec"]
    assert [step for step in before["steps"] if step["tool_name"] != "render_spec"] == kept[
        : len(before["steps"]) - 1
    ]


@in_one_test(
    ("name", "request_", "told", "untold"),
    [
        (
            "storm-superposed-epoch",
            "add AE, bins of 3 h for all of them and AE",
            "step bz: bin: 1h → 3h",
            "bin: 3h → 1h",
        ),
        (
            "storm-superposed-epoch",
            "bins of 3 h for all of them, and add AE",
            "step speed: bin: 1h → 3h",
            "bin: 3h → 1h",
        ),
        ("storm-superposed-epoch", "add AE and density, all of them with 3 h bins", "3h", "step speed"),
        (
            "plasma-beta-mach",
            "n red, T blue, linear axes for those",
            "y scale of panel 3 (n): linear",
            "panel 6",
        ),
        (
            "solo-overview",
            "PAS lines thicker, linear axes for those",
            "y scale of panel 3 (n_PAS): linear",
            "panel 6",
        ),
        ("plasma-beta-mach", "remove V, linear axes", "log scale: linear", "panel 8: linear"),
        (
            "l1-compare",
            "remove Wind from the bottom panel and make it log",
            "y scale of panel 3",
            "y scale of panel 2",
        ),
        ("omni-solar-wind", "all red lines thicker", "line of OMNI_COHO1HR_MERGED_MAG_PLASMA.BN", "colour"),
        (
            "l1-monitor-comparison",
            "30 min max lag and drop DSCOVR from the lag panel",
            "panel 10: - 2 lag_DSCOVR",
            "lag_Wind",
        ),
        ("l1-monitor-comparison", "get rid of DSCOVR completely", "- 4 correlation_DSCOVR", "- 1 lag_Wind"),
        ("ace-gone", "density from Wind SWE in place of ACE", "WI_H1_SWE", "running_average"),
        ("ace-gone", "use Wind for the density instead of ACE", "WI_H1_SWE", "running_average"),
        ("ace-gone", "replace the density by that of Wind", "WI_H1_SWE", "running_average"),
        ("ace-bfield-overview", "field from Wind instead of ACE", "Wind_Bmag", "ACE_Bmag stays"),
        ("omni-solar-wind", "speed from ACE instead of OMNI", "PLASMA.V → ACE_V", "ACE_n"),
        ("psp-encounter", "drop the SPI and SPC densities", "- 3 n_SPC", "V_SPI"),
        ("psp-encounter", "QTN density only; kill the SPI and SPC ones", "- 3 n_SPC", "V_SPI"),
        ("l1-monitor-comparison", "remove the ACE, Wind and DSCOVR densities", "no longer n_ACE", "V_ACE"),
        ("psp-encounter", "lose everything except B, V, n", "no longer deflection", "no longer n_SPC"),
        (
            "tha-ions",
            "limit the colours of the spectrogram to 1e3 ... 1e7",
            "upper end of the colour scale of panel 1",
            "y range",
        ),
        ("mms-burst", "colours from 1e4 to 1e8", "z max: 100000000.0", "y range"),
        ("omni-solar-wind", "remove T together with n", "panel 4: no longer", "PLASMA.V"),
        (
            "psp-encounter",
            "take the deflection panel out along with the Mach number",
            "no longer MA",
            "no longer BR2",
        ),
        (
            "omni-solar-wind",
            "the title shall be ACE in May",
            "title: Solar wind near Earth → ACE in May",
            "fetch",
        ),
        ("omni-solar-wind", "put also Kp, as last panel below V", "panel 5: OMNI_Kp", "panel 3"),
        ("swpc-now", "last 3 days pls, not the week", "last 24 hours → last 72 hours", "panel"),
        ("ace-strength", "put Bmag on top of the stack", "panel 1: B → Bmag", "magnitude"),
        ("storm-overview", "remove the shock and Dst", "shock", "no longer OMNI_HRO_1MIN.SYM_H"),
        ("storm-overview", "remove sheath, cloud and shock line", "sheath", "panel"),
        ("storm-overview", "don't shade the sheath anymore", "sheath", "cloud"),
        ("storm-overview", "remove the vertical line of the shock", "shock", "panel"),
        ("storm-overview", "remove the shading, keep the shock", "sheath", "panel"),
        ("storm-overview", "remove the shading, keep Dst", "sheath", "panel"),
        ("storm-overview", "drop the storm levels, Dst dashed", "hlines: no longer", "vlines"),
        ("goes-xray-flares", "no flare class lines", "hlines: no longer", "drawn"),
        ("l1-monitor-comparison", "drop DSCOVR from the speed and density panels", "- 3 n_DSCOVR", "n_ACE"),
        ("omni-solar-wind", "n red, same for T", "PLASMA.T: red", "PLASMA.V"),
        ("b-power-spectrum", "break up to 2 Hz, inertial 0.01-0.2", "$HIGH, default: 0.1 → 0.2", "y range"),
        (
            "psp-encounter",
            "remove the horizontal line in the deflection panel",
            "item 1 removed panel: 2",
            "panel: 7",
        ),
        ("ace-gone", "raw density in grey behind the smoothed one", "colour of density: grey", "fetch"),
        (
            "wind-plasma",
            "raw temperature as thin grey line under the smoothed one",
            "P_TEMP: grey",
            "density",
        ),
        (
            "ace-gone",
            "speed instead of density, same smoothing",
            "window: 30min label of the result: ACE_V_smooth",
            "raw",
        ),
        (
            "ace-gone",
            "replace the density by the temperature",
            "title: Density at ACE → Temperature at ACE",
            "hourly",
        ),
        ("ace-gone", "hourly speed instead of density", "cadence: 1h", "ACE_V_binned_smooth"),
        ("wind-plasma", "thermal speed instead of temperature", "window: $WINDOW", "density"),
        ("ace-gone", "Dst instead of the density", "OMNI_Dst", "Dst at ACE"),
        (
            "l1-monitor-comparison",
            "get rid of all the difference panels",
            "step figure: subtitle: - Δ: five-minute means",
            "title: Solar",
        ),
        (
            "l1-compare",
            "add the difference ACE minus Wind of the strengths",
            "right label: Wind_Bmag_aligned",
            "fetch",
        ),
        ("l1-compare", "ratio of Wind |B| to ACE |B| as a new panel", "ACE_Bmag_aligned", "fetch"),
        (
            "mms-survey",
            "add electron density to the ion density panel, blue",
            "numberdensity_fast): no longer n_i",
            "y axis of panel 5",
        ),
        (
            "omni-storm",
            "add AE to the SYM-H panel",
            "name of OMNI_HRO_1MIN.SYM_H in the legend: SYM-H",
            "n_p",
        ),
        ("omni-storm", "add By to the first panel", "panel 1: + 3 OMNI_By", "y axis"),
        ("omni-storm", "1h averages of everything", "OMNI_HRO_1MIN_flow_speed_binned", "window: 5min → 1h"),
        ("gle73-particles", "1 h averages of the proton bands", "$WINDOW, default: 10min → 1h", "binned"),
        (
            "omni-storm",
            "5 min averages for density as for speed",
            "OMNI_HRO_1MIN_proton_density_smooth",
            "binned",
        ),
        ("mms-survey", "velocity in GSM as well as B is", "to: GSM", "B → "),
        (
            "omni-storm",
            "the speed not smoothed anymore",
            "panel 2: speed → OMNI_HRO_1MIN.flow_speed",
            "binned",
        ),
        ("mms-burst", "velocity stays in GSE, field to GSM", "mms1_fgm_b_gsm_brst_l2", "bulkv"),
        ("mms-burst", "field in GSM, please; velocity stays GSE", "mms1_fgm_b_gsm_brst_l2", "bulkv"),
        (
            "omni-storm",
            "remove the 5 min average from the speed",
            "panel 2: speed → OMNI_HRO_1MIN.flow_speed",
            "density",
        ),
        (
            "ace-strength",
            "get rid of the smoothing of Bz, show raw Bz in the third panel",
            "panel 3: Bz_smooth → B.Bz",
            "panel 1",
        ),
        (
            "wind-plasma",
            "density window 30min, but leave the temperature at 10 min",
            "step smooth-density: window: $WINDOW → 30min",
            "smooth-temperature",
        ),
        (
            "ace-strength",
            "bmag panel: y range 0 to 20, others leave auto",
            "y range of panel 2 (Bmag): 0.0, 20.0",
            "panel 3",
        ),
        (
            "omni-storm",
            'storm of 7-9 september 2017, change the title accordingly to "September 2017 storm"',
            "title: St Patrick's Day 2015 → September 2017 storm",
            "accordingly",
        ),
        (
            "tha-ions",
            "B in GSE, please, and add |B| to that panel in black",
            "colour of THEMISA_Bmag: black",
            "panel 4",
        ),
        ("wind-plasma", "density red, and add ACE density to that panel", "panel 1: + 2 ACE_n", "panel 4"),
        (
            "ace-bfield-overview",
            "Add a third panel below with the ACE proton speed.",
            "panel 3: ACE_V",
            "panel 1",
        ),
        ("ace-bfield-overview", "swap ACE for Wind pls, everything else stays", "Wind_Bmag", "panel 3"),
        ("wind-plasma", "add Wind field magnitude, 1 min", "panel 4: Wind_Bmag", "WINDOW"),
        ("swpc-now", "last 3 days rather than 7", "last 24 hours → last 72 hours", "step"),
        ("mms-burst", "same event with mms3", "MMS3_FPI_BRST_L2_DIS-MOMS", "default"),
        ("psp-bfield", "mask |B| above 50 nT, components untouched", "B_magnitude_masked", "panel 1"),
        ("ace-gone", "clock angle instead of density", "ACE_B_clock", "ACE_B_clock_smooth"),
        (
            "ace-gone",
            "speed instead of density, no smoothing",
            "panel 1: smooth_density → ACE_V",
            "ACE_V_smooth",
        ),
        (
            "omni-storm",
            "average the density like the speed over 5 min",
            "OMNI_HRO_1MIN_proton_density_smooth",
            "binned",
        ),
        ("omni-storm", "average the density like the speed", "OMNI_HRO_1MIN_proton_density_smooth", "binned"),
        (
            "wind-plasma",
            "smooth the velocity as well as the density over 20 min",
            "window: $WINDOW → 20min",
            "temp",
        ),
        ("omni-storm", "average the speed and the density over 10 min", "proton_density_smooth", "resample"),
        ("ace-strength", "average Bz and |B| over 20 min", "Bmag_smooth", "resample"),
        (
            "omni-storm",
            "smooth the density over 5 min, just as for the speed",
            "proton_density_smooth",
            "SYM",
        ),
        ("wind-plasma", "remove the temperature panel but keep everything else", "panel 3", "density"),
        ("omni-storm", "smooth Bz just like the speed", "OMNI_HRO_1MIN_BZ_GSM_smooth", "proton"),
        (
            "wind-plasma",
            "average the velocity over the same window as the density",
            "panel 2: WI_PM_3DP.P_VELS → WI_PM_3DP_P_VELS_smooth",
            "resample",
        ),
        (
            "wind-plasma",
            "average the velocity over the same window as the other two",
            "panel 2: WI_PM_3DP.P_VELS → WI_PM_3DP_P_VELS_smooth",
            "resample",
        ),
        (
            "wind-plasma",
            "proton density no longer smoothed",
            "panel 1: density → WI_PM_3DP.P_DENS",
            "temperature",
        ),
        (
            "ace-strength",
            "I work in GSM, can you make the field and the smoothed Bz in GSM coordinates",
            "parameter: BGSEc → BGSM",
            "transform_frame",
        ),
        ("mms-burst", "I work in GSM, so make the field in GSM", "mms1_fgm_b_gsm_brst_l2", "bulkv"),
        (
            "ace-strength",
            "put |B| on a fixed axis from 0 to 15 nT",
            "y range of panel 2 (Bmag): 0.0, 15.0",
            "panel 1",
        ),
        (
            "l1-compare",
            "also DSCOVR's field strength, in the panel with the other two strengths, in green",
            "panel 3: + 3 DSCOVR_Bmag",
            "panel 4",
        ),
        (
            "l1-compare",
            "Add also the DSCOVR field strength in the last panel, together with the other strengths",
            "panel 3: + 3 DSCOVR_Bmag",
            "panel 4",
        ),
        (
            "l1-compare",
            "at the bottom one more panel with the hourly means of both field strengths",
            "panel 4: ACE_Bmag_binned, Wind_Bmag_binned",
            "panel 5",
        ),
        (
            "l1-compare",
            "add a panel on top with hourly means of the field strengths",
            "panel 1: ACE_Bmag_binned, Wind_Bmag_binned",
            "panel 5",
        ),
        ("wind-plasma", "one more panel on top: Wind field magnitude, 1 min", "panel 1: Wind_Bmag", "WINDOW"),
        (
            "wind-plasma",
            "save the smoothed density and the velocity together in a parquet file",
            "filename: density_P_VELS.parquet",
            "csv",
        ),
        ("tha-ions", "colour limits of spectrogram 1e3 to 1e7", "1000.0", "y range"),
        ("goes-xray-flares", "list and mark only flares of class M1 or bigger", "1e-06 → 1e-05", "panel"),
        ("goes-xray-flares", "flares above X1 only, linear axis", "1e-06 → 0.0001", "panel 'X1'"),
        ("ace-gone", "use wind rather than ace for 10 june 2024", "2024-06-10 to 2024-06-11", "step window"),
        (
            "psp-bfield",
            "mask |B| above 50 nT (magnitude only, components untouched)",
            "B_magnitude_masked",
            "panel 1",
        ),
        (
            "l1-compare",
            "smooth ACE's |B| over 5 min, leave Wind's as it is",
            "ACE_Bmag_smooth",
            "Wind_Bmag_smooth",
        ),
        (
            "l1-compare",
            "leave Wind's |B| as it is, smooth ACE's |B| over 5 min",
            "ACE_Bmag_smooth",
            "Wind_Bmag_smooth",
        ),
        ("omni-solar-wind-overview", "lose the coupling function and AU", "subtitle", "clock"),
        ("ace-strength", "B in GSM and the smoothed Bz in GSM", "parameter: BGSEc → BGSM", "transform_frame"),
    ],
)
def test_what_a_sentence_does_is_done_to_all_that_it_means(author, templates, name, request_, told, untold):
    text = " || ".join(changed(author, templates(name), request_))
    assert told in text
    assert untold not in text


@in_one_test(
    ("name", "request_", "message"),
    [
        ("plasma-beta-mach", "remove T_e, linear axis", "line that is removed"),
        ("plasma-beta-mach", "drop n and put a log scale on it", "line that is removed"),
        ("plasma-beta-mach", "remove V and show n", "does not understand 'n'"),
        ("l1-monitor-comparison", "remove ACE from the lag panel", "cannot remove"),
        ("l1-monitor-comparison", "SWE instead of 3DP for Wind's density", "cannot fetch"),
        ("l1-monitor-comparison", "use the Wind SWE density", "already draws n_Wind"),
        ("wind-plasma", "density from ACE in place of Wind", "cannot fetch"),
        ("l1-compare", "density from DSCOVR in place of ACE", "no such quantity of ACE"),
        ("psp-encounter", "Mach number with the SPC density instead of QTN", "does not understand"),
        ("solo-overview", "electrons in a line plot at 50 keV", "does not understand"),
        ("solo-overview", "electrons at 50 keV", "does not understand"),
        ("omni-storm", "colours from 1 to 10", "no spectrogram"),
        ("gle73-particles", "STEREO-A LET instead of HET", "which quantity"),
        ("ace-gone", "density from Wind and DSCOVR instead of ACE", "instead of one line"),
        ("storm-overview", "remove Dst from the SYM-H panel, and the storm levels", "no panel called"),
        ("plasma-beta-mach", "smooth n over 10 min; show it in red; same for T", "same for"),
        ("omni-solar-wind-overview", "Kp as a line, on the right axis of SYM-H", "axis at the right"),
        ("swpc-now", "last 3 days, not the velocity", "does not understand"),
        ("wind-plasma", "raw velocity in grey behind the smoothed one", "is no average"),
        ("psp-encounter", "remove the horizontal line of the density", "no such horizontal line"),
        ("goes-xray-flares", "label C-class limit too", "does not understand"),
        ("ace-gone", "Dst instead of the density, same smoothing", "cadence of 1 h"),
        ("ace-strength", "density instead of |B|, same averaging", "no average in common"),
        ("parker-spiral-angle", "only the away sector", "no line called 'away sector'"),
        ("wind-plasma", "3DP electrons instead of protons", "which quantities"),
        ("solo-overview", "replace the protons by electrons", "which quantities"),
        ("mms-burst", "field in GSE, velocity stays GSM", "."),
        ("omni-storm", "the speed is not smoothed", "does not understand"),
        ("omni-storm", "remove the 10 min average from the speed", "averaged over 10min"),
        ("ace-strength", "show raw Bz in the first panel", "no line of that panel"),
        ("ace-strength", "show raw By in the third panel", "no line of that panel"),
        ("ace-gone", "clock angle instead of density, same smoothing", "is an angle"),
        ("omni-storm", "5 min means of the speed without SYM-H", "does not understand"),
        ("omni-storm", "flow pressure should not be smoothed", "no line called 'flow pressure'"),
        (
            "l1-compare",
            "smooth both strengths over 5 min, leave Wind's as it is",
            "stays as it is, and changes it",
        ),
        (
            "l1-compare",
            "smooth both strengths over 5 min, leave Wind as it is",
            "stays as it is, and changes it",
        ),
        ("omni-solar-wind", "Show the speed as daily means, the rest leave Daily", "does not understand"),
        ("ace-strength", "B in GSE", "in GSE already"),
        ("omni-storm", "average Bz with a 10 min window like the speed", "no such average"),
        ("l1-compare", "add DSCOVR's vector in the panel with the other vectors", "no panel called"),
        ("omni-storm", "hourly means of the speed and the density", "only some of these lines"),
        ("omni-storm", "average the density like SYM-H", "no such average"),
        ("wind-plasma", "smooth the velocity as the other three", "no line called 'other three'"),
        ("mms-survey", "smooth B over 1 min, only z", "no line called 'z'"),
        ("solo-overview", "median instead of mean for beta", "none of the lines meant has an average"),
        ("wind-plasma", "smoothed density over the raw data, dashed", "does not understand 'smoothed'"),
        ("ace-strength", "add the density between the first and the third panel", "between first and third"),
        ("ace-strength", "move panel 3 below panel 1, log axis", "of a panel that moves"),
    ],
)
def test_what_would_change_something_else_is_refused(author, templates, name, request_, message):
    with pytest.raises(NotUnderstood, match=message):
        author.edit(request_, templates(name))


@in_one_test(
    ("name", "request_", "chosen", "panels"),
    [
        ("mms-curlometer", "smooth over 200 ms, only the y component of the current", "nothing else is drawn", "Jy"),
        ("ace-bfield-overview", "smooth over 10 min, only Bz", "nothing else is drawn", "ACE_B_smoothz"),
        ("ace-bfield-overview", "smooth over 10 min, only Bz", "nothing else changes",
         "ACE_B.x ACE_B.y ACE_Bz_smooth | ACE_Bmag"),
    ],
)  # fmt: skip
def test_what_only_a_component_means_beside_an_average_is_asked(
    author, templates, name, request_, chosen, panels
):
    assert isinstance(author.edit(request_, templates(name)), AuthorQuestion)
    assert drawn_in(author.edit(request_, templates(name), chosen=(chosen,)).template) == panels


def test_means_of_a_line_are_no_window_of_another(author, templates):
    question = author.edit("n 5 min means", templates("plasma-beta-mach"))
    assert isinstance(question, AuthorQuestion)
    told = changed(author, templates("plasma-beta-mach"), "n 5 min means", "beside the line")
    assert not any("FLUCTUATIONS" in change for change in told)


@in_one_test(
    ("name", "request_", "note"),
    [
        ("l1-monitor-comparison", "without DSCOVR", "lag_DSCOVR: still saved"),
        ("l1-monitor-comparison", "get rid of DSCOVR completely", ""),
        ("gle73-particles", "STEREO-B for 2012-03-07 instead", "title still says 'ground-level event 73'"),
        ("gle73-particles", '2012-03-07 instead, title "March 2012"', ""),
        ("omni-storm", "storm of 7-9 september 2017", "title still says '2015'"),
    ],
)
def test_a_note_says_what_stays_though_it_may_no_longer_be_true(author, templates, name, request_, note):
    notes = " ".join(author.edit(request_, templates(name)).notes)
    assert note in notes
    assert ("still" in notes) == bool(note)


@in_one_test(
    ("name", "request_", "label"),
    [
        ("storm-overview", "remove the speed", "n_p [cm⁻³]"),
        ("storm-overview", "remove the pressure", "r₀ [R_E]"),
        ("omni-solar-wind-overview", "remove the dynamic pressure", "dΦ/dt (Newell)"),
        ("parker-spiral-angle", "remove the footpoint", "W of Earth [deg]"),
    ],
)
def test_a_line_at_the_right_keeps_its_axis_when_it_is_alone(author, templates, name, request_, label):
    spec = figure_in(author.edit(request_, templates(name)).template)
    number = next(number for number, text in spec["y_label"].items() if text == label)
    assert number.isdecimal()
    assert (name != "parker-spiral-angle") or spec["y_range"][number] == [0, 120]


def test_a_line_at_the_right_that_moves_takes_its_label_along(author, templates):
    spec = figure_in(author.edit("move the density to the GOES panel", templates("storm-overview")).template)
    assert (spec["y_label"]["2"], spec["y_label"]["10 right"]) == ("V [km/s]", "n_p [cm⁻³]")


@in_one_test(
    ("name", "request_", "panels"),
    [
        ("omni-solar-wind", "drop the T and N components", "BR ABS_B | V | N | T"),
        ("omni-solar-wind", "only the normal component", "BN"),
        ("omni-solar-wind", "show just speed and density, density on top", "N | V"),
        ("omni-solar-wind", "just speed and density, log density", "V | N"),
        ("omni-solar-wind", "speed in red, only V and N", "V | N"),
        ("omni-solar-wind", "keep the density where it is, speed in red", "BR BT BN ABS_B | V | N | T"),
        ("omni-solar-wind", "make the density red, only the density", "BR BT BN ABS_B | V | N | T"),
        ("ace-bfield-overview", "smooth over 10 min, only the magnitude", "ACE_B | ACE_Bmag_smooth"),
        ("ace-bfield-overview", "mask |B| above 50 nT, only the magnitude", "ACE_B | ACE_Bmag_masked"),
        ("omni-solar-wind", "replace the density by the clock angle and the speed",
         "BR BT BN ABS_B | V | OMNI_B_clock | OMNI_V | T"),
        ("storm-overview", "only Dst, with SYM-H overplotted", "DST SYM_H"),
        ("l1-compare", "only the z components of both, in one panel", "ACE_Bz Wind_Bz"),
        ("l1-compare", "both vectors in one panel", "ACE_B Wind_B | ACE_Bmag Wind_Bmag"),
        ("l1-compare", "z components of both in one panel",
         "ACE_B | Wind_B | ACE_Bz Wind_Bz | ACE_Bmag Wind_Bmag"),
        ("wind-plasma", "plot the smoothed density over the raw density",
         "P_DENS density | P_VELS | temperature"),
        ("wind-plasma", "raw and smoothed density", "P_DENS density | P_VELS | temperature"),
        ("wind-plasma", "add the raw density behind the smoothed one",
         "P_DENS density | P_VELS | temperature"),
        ("wind-plasma", "temperature first, then the rest", "temperature | density | P_VELS"),
        ("wind-plasma", "temperature on top, the others below", "temperature | density | P_VELS"),
        ("ace-bfield-overview", "replace By by |B|", "ACE_B.x ACE_B.z | ACE_Bmag"),
        ("ace-bfield-overview", "replace By and Bz by the density", "ACE_B.x | ACE_n | ACE_Bmag"),
        ("omni-solar-wind-overview", "Kan-Lee electric field instead of the Newell coupling",
         "B F | clock | flow_speed | proton_density | T | Pressure EKL | r0 | AE_INDEX AL_INDEX AU_INDEX"
         " | SYM_H DST | Kp"),
        ("storm-overview", "GOES-13 only",
         "B F | flow_speed proton_density | Pressure r0 | VBs VBs_sum | SYM_H DST | phase | Dst_star Dst_model"
         " | AE_INDEX AL_INDEX | Kp | GOES"),
        ("storm-overview", "remove the shading and AL",
         "B F | flow_speed proton_density | Pressure r0 | VBs VBs_sum | SYM_H DST | phase | Dst_star Dst_model"
         " | AE_INDEX | Kp | GOES"),
        ("omni-solar-wind-overview", "remove the coupling while Bz is northward",
         "B F | clock | flow_speed | proton_density | T | Pressure coupling_masked | r0"
         " | AE_INDEX AL_INDEX AU_INDEX | SYM_H DST | Kp"),
        ("omni-solar-wind-overview", "only show coupling while Bz is southward",
         "B F | clock | flow_speed | proton_density | T | Pressure coupling_masked | r0"
         " | AE_INDEX AL_INDEX AU_INDEX | SYM_H DST | Kp"),
    ],
)  # fmt: skip
def test_a_change_draws_what_its_words_leave(author, templates, name, request_, panels):
    drawn = drawn_in(author.edit(request_, templates(name)).template)
    assert re.sub(r"\b[A-Z0-9_]{9,}\.", "", drawn) == panels


def test_of_a_choice_of_spacecraft_the_one_that_is_named_is_fetched(author, templates):
    template = author.edit("GOES-13 only", templates("storm-overview")).template
    (fetch,) = [step["tool_args"] for step in template["steps"] if step["step_id"] == "goes"]
    assert (fetch["dataset_id"], fetch.get("candidates")) == ("DN_MAGN-L2-HIRES_G13", None)


@in_one_test(
    ("request_", "window"),
    [
        ("no cross-helicity, keep residual energy with a 4 hour window", "4h"),
        ("drop cross-helicity, keep the residual energy", "2h"),
    ],
)
def test_a_window_of_a_line_that_stays_is_set(author, templates, request_, window):
    template = author.edit(request_, templates("plasma-beta-mach")).template
    assert template["variables"]["$FLUCTUATIONS"]["default"] == window


@in_one_test(
    ("name", "request_", "marks"),
    [
        ("omni-solar-wind-overview", 'lines at 5 and 7 in the Kp panel labelled "G1" and "G3"',
         {"G1": 5, "G3": 7}),
        ("goes-xray-flares", "drop the ratio, add lines at 1e-5 and 1e-4 labelled M and X", {"M": 1e-5, "X": 1e-4}),
        ("storm-overview", "mark 2015-03-17 04:45 and 2015-03-17 22:47 labelled SSC and minimum",
         {"SSC": "2015-03-17T04:45", "minimum": "2015-03-17T22:47"}),
    ],
)  # fmt: skip
def test_each_mark_has_its_own_label(author, templates, name, request_, marks):
    spec = figure_in(author.edit(request_, templates(name)).template)
    held = [mark for key in ("hlines", "vlines") for mark in spec.get(key, [])]
    labels = {mark.get("label"): mark.get("y", mark.get("x")) for mark in held}
    assert {label: value for label, value in labels.items() if label in marks} == marks
    assert spec["title"] == figure_in(templates(name))["title"]


@in_one_test(
    ("name", "request_", "right"),
    [
        ("ace-bfield-overview", "overplot the proton density on |B|", ["ACE_n"]),
        ("omni-solar-wind", "only the speed and overlay the dynamic pressure", ["OMNI_Pdyn"]),
        ("storm-overview", "only Dst, with SYM-H overplotted", None),
    ],
)
def test_what_is_overplotted_in_another_unit_has_its_axis_at_the_right(
    author, templates, name, request_, right
):
    assert figure_in(author.edit(request_, templates(name)).template).get("right") == right


def test_helio_asks_over_which_panel_a_line_is_drawn(author, templates):
    question = author.edit("overplot the proton density", templates("ace-bfield-overview"))
    assert question.choices == ("panel 1", "panel 2")


@in_one_test(
    ("name", "request_", "message"),
    [
        ("omni-solar-wind", "speed and density, density on top", "which panel to move"),
        ("l1-monitor-comparison", "the delays with windows of 6 hours", "would change too"),
        ("omni-solar-wind-overview", "a line at -100 in both panels", "which two panels"),
        ("omni-solar-wind-overview", "density as bars, a line at 5 in both", "what 'both' means"),
        ("omni-solar-wind-overview", 'lines at 5, 7 and 8 in the Kp panel labelled "G1" and "G3"',
         "which mark has which label"),
        ("storm-overview", "overplot AU on the density", "different units"),
        ("plasma-beta-mach", "no 5 % alphas, drop the entropy panel", "no 5 %"),
        ("gle73-particles", "shade 16:00 to 10:00", "ends before it starts"),
        ("storm-overview", "remove all marks but the shock", "all marks but"),
        ("storm-overview", "remove all the shadings except the sheath", "all the shadings except"),
    ],
)  # fmt: skip
def test_a_change_that_could_mean_something_else_is_refused(author, templates, name, request_, message):
    with pytest.raises(NotUnderstood, match=message):
        author.edit(request_, templates(name))


def test_a_quantity_from_a_dataset_is_added_from_it(author, templates):
    said = " ".join(changed(author, templates("wind-plasma"), "add the electron density from WI_H5_SWE"))
    assert "WI_H5_SWE parameter: N_elec" in said or "fetch WI_H5_SWE N_elec" in said
    template = author.create("Wind density and speed on 2003-11-20").template
    added = author.edit("add the temperature in a new panel from WI_H1_SWE", template).template["steps"]
    assert {step["tool_args"].get("dataset_id", "WI_H1_SWE") for step in added} == {"WI_H1_SWE"}


@pytest.mark.parametrize("words", ["always in GSM", "convert Bz to GSM", "show Bz in GSM"])
def test_an_intent_follows_the_frame_of_its_step(author, words):
    template = author.create("Wind Bz GSE and density on 2003-11-20").template
    intents = [step["intent"] for step in author.edit(words, template).template["steps"]]
    assert "Fetch magnetic field of Wind in GSM, 1 min" in intents
    assert "Take the z component in GSM" in intents


@pytest.mark.parametrize("words", ["compute the dynamic pressure", "add the dynamic pressure"])
@pytest.mark.parametrize("means", ["", ", hourly means of the density"])
def test_a_quantity_is_computed_from_the_speed_and_the_density_of_the_figure(author, words, means):
    template = author.create(f"Wind solar wind speed and density on 2003-11-20{means}").template
    steps = author.edit(words, template).template["steps"]
    assert {step["tool_args"].get("dataset_id", "WI_H1_SWE") for step in steps} == {"WI_H1_SWE"}
    [pressure] = [step["tool_args"] for step in steps if step["tool_name"] == "dynamic_pressure"]
    assert (pressure["density_label"], pressure["velocity_label"]) == ("Wind_n", "Wind_V_aligned")
    [step] = [step["tool_args"] for step in steps if step["tool_name"] == "align"]
    assert (step["method"], step["limit"]) == ("nearest", "92s")  # a missing speed takes no other one


def test_marks_outside_a_new_time_range_are_said(author, templates):
    draft = author.edit("use the storm of 10 May 2024", templates("storm-overview"))
    assert draft.template["variables"]["$TIME_RANGE"]["default"] == "2024-05-10 to 2024-05-13"
    assert "marked at times outside the new time range: shock, sheath, magnetic cloud" in draft.notes


def test_the_other_components_keep_their_looks_when_one_is_smoothed(author, templates):
    draft = author.edit("smooth Bz over 10 minutes", templates("omni-solar-wind-overview"))
    spec = figure_in(draft.template)
    assert spec["line_styles"]["Bz_smooth"] == {"fill_below": 0}
    names = {name: spec["trace_names"].get(name) for name in ("B.x", "B.y", "Bz_smooth")}
    assert names == {"B.x": "B_x", "B.y": "B_y", "Bz_smooth": "B_z, 10 min mean"}


def test_a_component_that_stays_alone_keeps_its_looks(author, templates):
    spec = figure_in(author.edit("only Bz and Dst", templates("omni-solar-wind-overview")).template)
    assert (spec["trace_names"]["Bz"], spec["line_styles"]["Bz"]) == ("B_z", {"fill_below": 0})


def test_their_differences_are_those_of_the_lines_before(author, templates):
    template = author.edit(
        "remove the temperatures and their differences", templates("l1-monitor-comparison")
    ).template
    assert "difference_n_Wind" in drawn_in(template)
    assert "difference_T_Wind" not in drawn_in(template)


@in_one_test(
    ("name", "request_", "panel", "right", "labels"),
    [
        ("storm-overview", "replace the speed by the OMNI temperature", "proton_density OMNI_T",
         "proton_density", (None, "n_p [cm⁻³]")),
        ("storm-overview", "replace the density by the OMNI temperature", "flow_speed OMNI_T",
         "OMNI_T", ("V [km/s]", None)),
    ],
)  # fmt: skip
def test_a_line_that_replaces_one_of_two_axes_takes_its_side(
    author, templates, name, request_, panel, right, labels
):
    spec = figure_in(author.edit(request_, templates(name)).template)
    assert " ".join(label.rpartition(".")[2] for label in spec["panels"][1]) == panel
    assert right in {label.rpartition(".")[2] for label in spec["right"]}
    assert tuple(spec["y_label"].get(key) for key in ("2", "2 right")) == labels


def test_a_mark_moves_by_its_label(author, templates):
    moved = author.edit("move the mark 'shock' to 2015-03-17 08:30", templates("storm-overview")).template
    assert [(mark["label"], mark["x"]) for mark in figure_in(moved)["vlines"]] == [
        ("shock", "2015-03-17T08:30")
    ]
    with pytest.raises(NotUnderstood, match="no such mark"):
        author.edit("move the mark 'peak' to 2015-03-17 08:30", templates("storm-overview"))


def test_lines_of_one_unit_share_the_left_axis_when_the_other_line_goes(author):
    template = author.create(
        "Wind density and speed in one panel, speed on the right axis, 2003-11-20"
    ).template
    spec = figure_in(author.edit("replace the density by the thermal speed", template).template)
    assert spec["panels"] == [["Wind_V", "Wind_W"]]
    assert not spec.get("right")


@in_one_test(
    ("request_", "title"),
    [
        ("remove the speed", "Wind: proton density and magnetic field"),
        (
            "replace the density by the electron density",
            "Wind: bulk speed, magnetic field and electron density",
        ),
        ("remove the speed and the field", "Wind: proton density"),
        ("smooth the density over 10 min", "Wind: proton density, bulk speed and magnetic field"),
        ("only Bz", "Wind: magnetic field"),
        ("overplot the thermal speed on the speed", "Wind: overview"),
        ("add Dst", "Wind: proton density, bulk speed and magnetic field"),  # of another spacecraft
        ('remove the speed, title "My wind"', "My wind"),
    ],
)
def test_a_title_that_lists_quantities_follows_a_change(author, request_, title):
    template = author.create("Wind density, speed and B in GSE, 2003-11-20").template
    assert figure_in(author.edit(request_, template).template)["title"] == title


@in_one_test(
    ("name", "request_", "gone"),
    [
        ("b-power-spectrum", "take out the dynamic spectrum and the slope panel, keep the field and the spectra",
         {"power", "f_ci", "slopes.exponent"}),
        ("b-power-spectrum", "keep the spectra, remove the dynamic spectrum", {"power", "f_ci"}),
        ("b-power-spectrum", "remove the spectra but keep the dynamic spectrum",
         {"trace", "compressive", "slope_line", "break_line"}),
        ("mms-magnetopause-mva-walen", "remove the spectrograms but keep that of the electrons",
         {"MMS1_FPI_BRST_L2_DIS-MOMS.mms1_dis_energyspectr_omni_brst"}),
        ("psp-encounter", "remove the QTN density, keep the densities", {"n_QTN"}),
    ],
)  # fmt: skip
def test_a_name_of_fewer_lines_says_whether_they_go(author, templates, name, request_, gone):
    template = templates(name)
    draft = author.edit(request_, template)
    assert set(drawn_in(template).split()) - set(drawn_in(draft.template).split()) == gone


@pytest.mark.parametrize("request_", ["remove the slope panel", "remove panel 3", "only the first panel"])
def test_the_uncertainty_of_a_line_goes_with_it(author, templates, request_):
    template = author.edit(request_, templates("b-power-spectrum")).template
    assert "bands" not in figure_in(template)
    assert "slopes" not in {step["step_id"] for step in template["steps"]}


@in_one_test(
    ("request_", "panels"),
    [
        ("only the field strength panel", {1}),
        ("only the field strength and the speed panels, nothing else", {1, 4}),
        ("only |B| and V", {1, 4}),
        ("only the magnitude panel", {1}),
    ],
)
def test_the_field_strength_is_no_speed(author, templates, request_, panels):
    template = templates("l1-monitor-comparison")
    kept = [panel for at, panel in enumerate(figure_in(template)["panels"], 1) if at in panels]
    assert figure_in(author.edit(request_, template).template)["panels"] == kept


_OF_ELECTRONS = {
    f"MMS1_FPI_BRST_L2_DES-MOMS.mms1_des_{name}_brst" for name in ("temppara", "tempperp", "numberdensity")
}


@in_one_test(
    ("name", "request_", "gone"),
    [
        *(
            ("mms-magnetopause-mva-walen", request_, {line for line in _OF_ELECTRONS if "temp" in line})
            for request_ in (
                "temperature panel: ions only",
                "temperature panel, ions only",
                "in the temperature panel, ions only",
                "temperature panel: just the ions",
                "the temperature panel should show ions only",
                "temperature panel: no electrons",
                "in the temperature panel, remove the electrons",
            )
        ),
        ("mms-magnetopause-mva-walen", "density panel: ions only",
         {line for line in _OF_ELECTRONS if "temp" not in line}),
        ("plasma-beta-mach", "temperature panel: protons only", {"T_e"}),
        ("plasma-beta-mach", "remove the proton temperature", {"T"}),
        ("storm-overview", "AE panel: AE only", {"OMNI_HRO_1MIN.AL_INDEX"}),
    ],
)  # fmt: skip
def test_what_is_said_behind_the_name_of_a_panel_is_of_this_panel(author, templates, name, request_, gone):
    template = templates(name)
    draft = author.edit(request_, template)
    assert set(drawn_in(template).split()) - set(drawn_in(draft.template).split()) == gone


@in_one_test(
    ("request_", "gone"),
    [
        ("no SPC density, no, I meant no SPAN-I density", "n_SPI"),
        ("remove the deflection, no, I meant the radial flux", "BR2"),
        ("remove the deflection - sorry, I meant to say the radial flux", "BR2"),
        ("remove the deflection, no wait, the radial flux", "BR2"),
    ],
)
def test_what_is_removed_is_corrected(author, templates, request_, gone):
    template = templates("psp-encounter")
    draft = author.edit(request_, template)
    assert set(drawn_in(template).split()) - set(drawn_in(draft.template).split()) == {gone}


@pytest.mark.parametrize(
    "request_",
    [
        "remove the deflection and the field, no, I meant the radial flux",
        "remove the deflection, I meant the radial flux too",
        "remove the deflection, actually the radial flux",
        "make the deflection red, no, I meant blue",
    ],
)
def test_a_correction_that_is_not_clear_is_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match=r"no'|I meant|actually"):
        author.edit(request_, templates("psp-encounter"))


@in_one_test(
    ("name", "request_", "panels", "looks"),
    [
        ("ace-gone", "show the unsmoothed density too, thin and grey", "density smooth_density",
         ({"density": "grey"}, {"density": {"width": 1.0}})),
        ("ace-gone", "unsmoothed density too", "density smooth_density", (None, None)),
        ("ace-gone", "show the raw density as well, dashed", "density smooth_density",
         (None, {"density": {"dash": "dash"}})),
        ("ace-gone", "show the raw density", "density", (None, None)),
        ("wind-plasma", "show the unsmoothed lines too",
         "WI_PM_3DP.P_DENS density | WI_PM_3DP.P_VELS | WI_PM_3DP.P_TEMP temperature", (None, None)),
    ],
)  # fmt: skip
def test_raw_data_are_drawn_behind_their_average_too(author, templates, name, request_, panels, looks):
    template = author.edit(request_, templates(name)).template
    assert drawn_in(template) == panels
    assert tuple(map(figure_in(template).get, ("trace_colors", "line_styles"))) == looks


@pytest.mark.parametrize(
    "request_",
    [
        "shade where Bz is below -10 nT, in all panels",
        "shade where Bz is below -10 nT in every panel",
        "shade where Bz is below -10 nT in the first two panels",
        "shade where Bz is below -10 nT over the whole figure",
        "shade the figure where Bz is below -10 nT",
        "shade where Bz is below -10 nT everywhere",
    ],
)
def test_a_level_of_one_line_is_not_shaded_in_other_panels(author, templates, request_):
    with pytest.raises(NotUnderstood, match="in its panel, and not in others"):
        author.edit(request_, templates("omni-storm"))


@pytest.mark.parametrize(
    "request_",
    [
        "shade Bz below 0, light blue",
        "shade Bz below 0 and make it light blue",
        "shade Bz below 0 in light blue",
    ],
)
def test_the_colour_behind_a_shaded_line_is_that_of_the_shade(author, templates, request_):
    (style,) = (step for step in author.edit(request_, templates("omni-storm")).template["steps"]
                if step["tool_name"] == "style_plot")  # fmt: skip
    looks = {"fill_below": 0.0, "fill_color": "lightblue"}
    assert style["tool_args"]["line_styles"] == {"OMNI_HRO_1MIN.BZ_GSM": looks}
    assert "trace_colors" not in style["tool_args"]


@in_one_test(
    ("request_", "chosen", "panels"),
    [
        ("remove Bz", ("all of them",), "B_xy | Bmag"),
        ("remove Bz", ("B.z",), "B_xy | Bmag | Bz_smooth"),
        ("hide the z component", ("Bz_smooth",), "B | Bmag"),
        ("remove Bz, keep the smoothed one", (), "B_xy | Bmag | Bz_smooth"),
        ("remove the smoothed Bz", (), "B | Bmag"),
    ],
)
def test_a_line_goes_with_its_average_if_that_is_meant(author, templates, request_, chosen, panels):
    assert drawn_in(author.edit(request_, templates("ace-strength"), chosen=chosen).template) == panels


@in_one_test(
    ("name", "request_", "told"),
    [
        ("goes-xray-flares", "swap the colours of the long and short channels",
         "step figure: colour of long: red → blue"),
        ("solo-overview", "split the velocity in three panels, one per component", "panel 3: V_PASt"),
        ("solo-overview", "split the velocity components in separate panels", "panel 4: V_PASn"),
        ("solo-overview", "magnetic field in one panel per component", "panel 3: Bt"),
        ("solo-overview", "each component of the magnetic field in its own panel", "panel 4: Bn"),
        ("rbsp-emfisis-waves", "hiss from 50 Hz to 1 kHz, chorus lines not shown", "$HISS_LOW, default: 100 → 50"),
        ("rbsp-emfisis-waves", "hiss from 50 Hz to 1 kHz, chorus lines not shown",
         "name of chorus_upper in the legend: no longer"),
        ("ace-bfield-overview", "last 3 days instead of last 7, but keep the title", "last 7 days → last 3 days"),
        ("gle73-particles", "shade 15:30 to 16:00 in all panels", "\"x0\": \"2021-10-28T15:30\""),
        ("plasma-beta-mach", "assumed beta in green, the measured in red", "colour of beta_measured: blue → red"),
        ("solo-overview", "hourly means of the density on top of the raw data", "n_PAS_binned"),
        ("solo-overview", "plot the density with 10-min means on top in red", "colour of n_PAS_binned: red"),
        ("psp-bfield", "merge the two panels", "panel 1: B_RTN, B_magnitude"),
        ("psp-bfield", "only Br with a zero line", "zero line"),
        ("mms-field-spectrum", "add the ion density as a panel below the field and use MMS2", "MMS2_FGM_BRST_L2"),
        ("psp-encounter", "five-minute means instead of one-minute means", "cadence: 1min → 5min"),
        (
            "omni-solar-wind",
            "put the density into the speed panel on the right-hand axis",
            "right: OMNI_COHO1HR_MERGED_MAG_PLASMA.N",
        ),
    ],
)  # fmt: skip
def test_channels_components_and_times_are_read(author, templates, name, request_, told):
    assert told in " || ".join(changed(author, templates(name), request_))


@in_one_test(
    ("name", "request_", "words"),
    [
        (
            "gle73-particles",
            "shade 15:30 to 16:00 in grey in the top panel only",
            "shades times in every panel",
        ),
        ("gle73-particles", "shade 15:30 to 16:00 in grey, only in the top panel", "only in the top panel"),
        ("goes-xray-flares", "swap the colours", "which two colours"),
        ("rbsp-emfisis-waves", "the hiss is not shown", "'hiss', 'not'"),
        ("storm-overview", "the minutes in red", "no line called 'minutes'"),
        (
            "l1-monitor-comparison",
            "density range 0 to 40, the delays in minutes",
            "no panel called 'minutes'",
        ),
        (
            "plasma-beta-mach",
            "no measured electrons in the beta panel, and assume 150000 K",
            "does not understand",
        ),
        (
            "plasma-beta-mach",
            "3-hour averages of T_p and T_e, on top of the originals",
            "which line 'originals' means",
        ),
        ("rbsp-emfisis-waves", "chorus only, no hiss, and Probe B", "no line called 'RBSP-B'"),
        ("plasma-beta-mach", "beta line width 3", "changes nothing"),
        (
            "storm-overview",
            "AE in red and AL in green, and the same colours for SYM-H and Dst",
            "'same colours for'",
        ),
        (
            "gle73-particles",
            "average both the protons and the electrons over five minutes, not ten",
            "only some",
        ),
        ("omni-storm", "smooth the speed and the density over ten minutes, not five", "only some"),
    ],
)
def test_what_is_of_one_panel_alone_or_not_clear_is_refused(author, templates, name, request_, words):
    with pytest.raises(NotUnderstood, match=words):
        author.edit(request_, templates(name))


def test_a_window_that_replaces_another_changes_the_averages_with_that_one_alone(author, templates):
    told = changed(author, templates("psp-encounter"), "five-minute means instead of one-minute means")
    assert told == [
        "step velocity-minutes: cadence: 1min → 5min",
        "step density-minutes: cadence: 1min → 5min",
    ]


def test_a_length_is_no_name_of_a_line(author, templates):
    asked = author.edit("average the field to one minute", templates("themis-esa-overview"))
    assert "beside the line or instead" in asked.text


_MARKED = ("shade 14:00 to 20:00 in yellow labelled 'cloud'", "shade 08:00 to 09:00 in lightblue labelled 'Bz south'",
           "mark 08:03 with a vertical line called 'shock'", "add a red horizontal line at -10 nT in the Bz panel",
           "add a horizontal line at 20 in the density panel")  # fmt: skip
_CLOUD = {"x0": "2003-11-20T14:00", "x1": "2003-11-20T20:00", "label": "cloud", "color": "yellow"}
_SOUTH = {"x0": "2003-11-20T08:00", "x1": "2003-11-20T09:00", "label": "Bz south", "color": "lightblue"}


@pytest.mark.parametrize(
    ("request_", "key", "expected"),
    [
        ("remove the yellow shading", "vrects", [_SOUTH]),
        ("remove the 'Bz south' shading", "vrects", [_CLOUD]),
        ("remove the shading from 14:00 to 20:00", "vrects", [_SOUTH]),
        ("remove the shading labelled 'Bz south'", "vrects", [_CLOUD]),
        ("make the yellow shading orange", "vrects", [_CLOUD | {"color": "orange"}, _SOUTH]),
        ("extend the yellow shading to 22:00", "vrects", [_CLOUD | {"x1": "2003-11-20T22:00"}, _SOUTH]),
        ("change the cloud shading to 15:00 to 19:00", "vrects",
         [_CLOUD | {"x0": "2003-11-20T15:00", "x1": "2003-11-20T19:00"}, _SOUTH]),
        ("shade 15:00 to 20:00 instead of 14:00 to 20:00", "vrects", [_CLOUD | {"x0": "2003-11-20T15:00"}, _SOUTH]),
        ("shade 21:00 to 24:00", "vrects", [_CLOUD, _SOUTH, {"x0": "2003-11-20T21:00", "x1": "2003-11-21T00:00"}]),
        ("shade 21:00 to midnight", "vrects", [_CLOUD, _SOUTH, {"x0": "2003-11-20T21:00", "x1": "2003-11-21T00:00"}]),
        ("move the 08:03 mark to 08:30", "vlines", [{"x": "2003-11-20T08:30", "label": "shock"}]),
        ("move the mark at 08:03 to 08:30", "vlines", [{"x": "2003-11-20T08:30", "label": "shock"}]),
        ("remove the shading from 14:00", "vrects", [_SOUTH]),
        ("remove the shock mark", "vlines", []),
        ("rename the shock line to 'IP shock'", "vlines", [{"x": "2003-11-20T08:03", "label": "IP shock"}]),
        ("make the shock line blue", "vlines", [{"x": "2003-11-20T08:03", "label": "shock", "color": "blue"}]),
        ("remove the red horizontal line", "hlines", [{"y": 20.0, "panel": 2}]),
        ("remove the red line", "hlines", [{"y": 20.0, "panel": 2}]),
    ],
)  # fmt: skip
def test_marks_are_changed_by_what_describes_them(author, request_, key, expected):
    template = author.create(
        "Wind Bz in GSM and proton density on 2003-11-20, each in its own panel"
    ).template
    for before in _MARKED:
        template = author.edit(before, template).template
    assert figure_in(author.edit(request_, template).template).get(key, []) == expected
    assert isinstance(author.edit("extend the shading to 21:00", template), AuthorQuestion)
    assert isinstance(author.edit("remove the marks", template), AuthorQuestion)
    with pytest.raises(TimeRangeError, match="there is no time '25:00'"):
        author.edit("shade 21:00 to 25:00", template)
    for unknown in (
        "remove the red shading",
        "remove the shading from 16:00",
        "change the 12:00-13:00 shading to red",
        "make the red shading orange",
        "remove the blue horizontal line",
    ):
        with pytest.raises(NotUnderstood, match="no such"):
            author.edit(unknown, template)


def test_a_text_for_a_panel_is_that_of_its_axis_and_two_y_axes_are_of_two_lines(author):
    template = author.create(
        "Wind proton density and bulk speed on 2003-11-20, each in its own panel"
    ).template
    spec = figure_in(author.edit("label the density panel 'n_p, 1 h mean'", template).template)
    assert spec["y_label"] == {"1": "n_p, 1 h mean"}
    spec = figure_in(author.edit("y label of the speed panel: V_p [km/s]; speed red", template).template)
    assert spec["y_label"] == {"2": "V_p [km/s]"}
    assert "red" in json.dumps(spec)
    spec = figure_in(
        author.edit("plot the density and the speed in the same panel with two y axes", template).template
    )
    assert (spec["panels"], spec["right"]) == ([["Wind_n", "Wind_V"]], ["Wind_V"])


def test_a_mark_that_is_named_by_its_label_gets_both_ends(author, templates):
    template = author.edit("change the sheath to 05:00 to 13:00", templates("storm-overview")).template
    sheath = figure_in(template)["vrects"][0]
    assert (sheath["label"], sheath["x0"], sheath["x1"]) == ("sheath", "2015-03-17T05:00", "2015-03-17T13:00")


def test_what_stays_of_several_panels_is_asked(author, templates):
    spiral = templates("parker-spiral-angle")
    question = author.edit("plot only the spiral angle and the speed", spiral)
    assert isinstance(question, AuthorQuestion)
    with pytest.raises(NotUnderstood, match="'spiral angle' may mean panel 2 or 3"):
        author.edit("keep only the spiral angle panel and the speed panel", spiral)


def test_a_field_is_put_in_another_frame(author, templates):
    template = author.edit("put the field in GSE", templates("mms-survey")).template
    assert "mms1_fgm_b_gse_srvy_l2" in {step["tool_args"].get("parameter_id") for step in template["steps"]}


def test_means_over_the_data_are_named_and_stand_in_the_middle(author, templates):
    template = author.edit("add hourly means of |B| in red", templates("ace-strength")).template
    [means] = [step["tool_args"] for step in template["steps"] if step["tool_name"] == "resample"]
    assert (means["cadence"], means["epoch"]) == ("1h", "middle")
    assert figure_in(template)["trace_names"] == {means["output_label"]: "1 h mean"}


def test_the_name_of_a_mean_follows_its_window(author):
    template = author.create("Wind Bz and its hourly mean in one panel, 2003-11-20").template
    changed = author.edit("2 h means instead of hourly", template).template
    assert figure_in(changed)["trace_names"] == {"Wind_Bz_binned": "2 h mean"}


@pytest.mark.parametrize(
    ("sentence", "label", "noted"),
    [
        ("rename the axis of panel 2 to n", "n [nT]", False),
        ("y label of panel 2: B_total", "B_total [nT]", False),
        ("y label of panel 2: B_total [nT]", "B_total [nT]", False),
        ("y label of panel 2: field in nT", "field in nT", False),
        ("rename the axis of panel 2 to 'n'", "n", True),
        ('label panel 2 "|B| (nT)"', "|B| (nT)", False),
    ],
)
def test_the_label_of_an_axis_keeps_its_unit(author, overview, sentence, label, noted):
    changed = author.edit(sentence, json.loads(json.dumps(overview)))
    [axes] = [
        args["y_label"] for step in changed.template["steps"] if "y_label" in (args := step["tool_args"])
    ]
    assert axes == {"2": label}
    assert ("the label 'n' has no unit; the axis is in nT" in changed.notes) is noted


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("gle73-particles", "electrons above the protons and in 5 min averages"),
        ("wind-plasma", "velocity on top and in 5 min averages"),
        ("omni-storm", "density in red and 15 min averages"),
    ],
)
def test_averages_behind_a_line_are_of_that_line(author, templates, name, request_):
    outcome = author.edit(request_, templates(name))
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.text == "Should the averages be drawn beside the line or instead of it?"


def test_a_line_in_the_panel_of_a_spectrogram_may_be_over_it_or_in_its_own(author, templates):
    template = templates("tha-ions")
    asked = author.edit("put the magnetic field into the top panel", template)
    assert asked.choices == (
        "in a panel of its own at this place",
        "over the spectrogram of panel 1",
    )


def _names_drawn(template):
    return [[label.split(".")[-1] for label in panel] for panel in figure_in(template)["panels"]]


@in_one_test(
    ("name", "request_", "panels"),
    [
        ("plasma-beta-mach", "P_dyn in a panel of its own below", [["P_B", "P_th", "P_tot"], ["P_dyn"]]),
        ("plasma-beta-mach", "move M_ms to its own panel below", [["MA"], ["Mms"]]),
        ("plasma-beta-mach", "M_ms in its own panel above", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "P_tot in its own panel above", [["P_tot"], ["P_B", "P_th", "P_dyn"]]),
        ("plasma-beta-mach", "T_e in its own panel above", [["T_e"], ["T"]]),
        ("storm-overview", "Dst in a panel of its own below", [["SYM_H"], ["DST"]]),
        ("swpc-now", "Bt in its own panel below", [["BGSM"], ["Bt"]]),
        ("plasma-beta-mach", "M_A and M_ms in separate panels, M_ms above", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "split M_A and M_ms into two panels, M_ms above", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "T and T_e in separate panels, T below", [["T_e"], ["T"]]),
        ("plasma-beta-mach", "P_B, P_th and P_tot in separate panels, P_B below",
         [["P_dyn"], ["P_th"], ["P_tot"], ["P_B"]]),
        ("storm-overview", "SYM-H and Dst in separate panels, Dst above", [["DST"], ["SYM_H"]]),
        ("plasma-beta-mach", "M_A and M_ms in separate panels with M_ms above", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "M_A and M_ms in separate panels, with M_ms above", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "split M_A and M_ms into two panels (M_ms above)", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "M_ms above and M_A below in separate panels", [["Mms"], ["MA"]]),
        ("plasma-beta-mach", "M_A and M_ms in separate panels, M_ms above and M_A below", [["Mms"], ["MA"]]),
    ],
)  # fmt: skip
def test_a_line_with_a_panel_of_its_own_stands_beside_the_panel_that_it_left(
    author, templates, name, request_, panels
):
    template = templates(name)
    before = _names_drawn(template)
    lines = {line for panel in panels for line in panel}
    (at,) = [at for at, panel in enumerate(before) if lines & {*panel}]
    assert _names_drawn(author.edit(request_, template).template) == [
        *before[:at],
        *panels,
        *before[at + 1 :],
    ]


@in_one_test(
    ("request_", "panels", "colour"),
    [
        ("P_dyn in its own panel below in red", [["P_B", "P_th", "P_tot"], ["P_dyn"]], "red"),
        ("P_dyn in red in its own panel above", [["P_dyn"], ["P_B", "P_th", "P_tot"]], "red"),
        ("P_dyn in its own panel in red", [["P_B", "P_th", "P_tot"], ["P_dyn"]], "red"),
        ("P_dyn in its own panel at the bottom in red", [["sigma_c", "sigma_r"], ["P_dyn"]], "red"),
        ("P_dyn in red in its own panel below the density", [["n"], ["P_dyn"], ["T", "T_e"]], "red"),
        ("P_dyn below in red", [["sigma_c", "sigma_r"], ["P_B", "P_th", "P_tot", "P_dyn"]], "red"),
    ],
)
def test_a_line_keeps_its_data_and_takes_a_colour_where_it_goes(author, templates, request_, panels, colour):
    template = author.edit(request_, templates("plasma-beta-mach")).template
    drawn = _names_drawn(template)
    at = drawn.index(panels[0])
    assert drawn[at : at + len(panels)] == panels
    assert figure_in(template)["trace_colors"]["P_dyn"] == colour


@in_one_test(
    ("request_", "words"),
    [
        ("B in its own panel in red", "components alike"),
        ("B above in red", "components alike"),
        ("P_dyn in green and P_B in red in their own panels", "which lines 'P_B in red in their own panels'"),
        ("V in its own panel below", "panels of their own already"),
        ("below the field, P_dyn in its own panel", "does not understand"),
        ("below the field, P_dyn in red", "does not say what to draw"),
    ],
)
def test_a_panel_of_several_lines_does_not_move_for_one(author, templates, request_, words):
    with pytest.raises(NotUnderstood, match=words):
        author.edit(request_, templates("plasma-beta-mach"))


@in_one_test(
    ("name", "request_", "left_out"),
    [
        ("omni-solar-wind-overview", "line at 0 in all panels but Kp", {10}),
        ("omni-solar-wind-overview", "line at 0 in every panel but Kp", {10}),
        ("omni-solar-wind-overview", "line at 0 in all panels, but not Kp", {10}),
        ("omni-solar-wind-overview", "line at 100 in all panels but the field panel", {1}),
        ("omni-solar-wind-overview", "dotted line at 0 in all panels except the temperature", {5}),
        ("omni-solar-wind-overview", "line at 0 in all panels but Kp and the temperature", {5, 10}),
        ("swpc-now", "line at 0 in all panels but the speed, the density and the temperature", {2, 3, 4}),
    ],
)  # fmt: skip
def test_a_line_at_a_value_is_not_drawn_in_a_panel_that_is_left_out(
    author, templates, name, request_, left_out
):
    figure = figure_in(author.edit(request_, templates(name)).template)
    drawn = {line["panel"] for line in figure["hlines"] if "y" in line}
    assert drawn == {*range(1, len(figure["panels"]) + 1)} - left_out


@in_one_test(
    ("request_", "words"),
    [
        ("shade 10 May 17:00 to 11 May 18:00 in all panels but Kp", "in every panel"),
        ("shade 10 May 17:00 to 11 May 18:00 in all panels but the last", "in every panel"),
        ("shade 10 May 17:00 to 11 May 18:00, but not in the Kp panel", "in every panel"),
        ("vertical line at 10 May 17:00 in all panels except Kp", "in every panel"),
        ("line at 0 in all panels, leave Kp as it is", "stays as it is"),
        ("line at 0 in all panels but the foo", "'all panels but'"),
    ],
)
def test_a_panel_that_cannot_be_left_out_is_refused(author, templates, request_, words):
    with pytest.raises(NotUnderstood, match=words):
        author.edit(request_, templates("omni-solar-wind-overview"))


@in_one_test(
    ("name", "request_", "others"),
    [
        ("themis-esa-overview", "B_z in red and thick, others thin, and no magnitude", {"B.x", "B.y"}),
        ("themis-esa-overview", "B_z in red, others thin and grey", {"B.x", "B.y", "Bmag"}),
        ("themis-esa-overview", "B_z thick, the other components thin", {"B.x", "B.y"}),
        ("themis-esa-overview", "B_z thick, all other components thin", {"B.x", "B.y"}),
        ("psp-bfield", "B_R red, everything else grey", {"B_RTN.t", "B_RTN.n", "B_magnitude"}),
        ("mms-magnetopause-mva-walen", "B_N red, others grey", {"B_LMN.B_L", "B_LMN.B_M"}),
        ("storm-overview", "Dst thick, others grey", {"OMNI_HRO_1MIN.SYM_H"}),
        ("storm-overview", "SYM-H blue, the others thin and dashed", {"OMNI2_H0_MRG1HR.DST"}),
        ("psp-bfield", "B_N red, others grey", {"B_RTN.r", "B_RTN.t"}),
    ],
)
def test_the_others_are_those_of_the_panel(author, templates, name, request_, others):
    template = templates(name)
    before, after = (figure_in(drawn) for drawn in (template, author.edit(request_, template).template))
    changed = {
        line
        for key in ("trace_colors", "line_styles")
        for line, look in (after.get(key) or {}).items()
        if (before.get(key) or {}).get(line) != look
        and look in ("grey", {"width": 1.0}, {"width": 1.0, "dash": "dash"})
    }
    assert changed == others


def test_a_drawn_component_keeps_its_looks_in_a_panel_of_its_own(author, templates):
    template = templates("l1-monitor-comparison")
    figure = figure_in(author.edit("Bz of Wind in its own panel below", template).template)
    assert figure["panels"][1:3] == [["ACE_GSM.z", "DSCOVR_GSM.z"], ["WIND_GSM.z"]]
    assert (figure["trace_colors"]["WIND_GSM.z"], figure["trace_names"]["WIND_GSM.z"]) == ("red", "Wind")


def test_the_lines_of_one_panel_get_panels_of_their_own(author, templates):
    template = templates("plasma-beta-mach")
    after = _names_drawn(author.edit("each line of panel 8 in its own panel", template).template)
    before = _names_drawn(template)
    assert after == [*before[:7], *([line] for line in before[7]), *before[8:]]


def test_others_of_a_panel_with_one_line_are_asked(author, templates):
    question = author.edit("Kp thick, others grey", templates("storm-overview"))
    assert isinstance(question, AuthorQuestion)
    with pytest.raises(NotUnderstood, match="which lines 'the other components' means"):
        author.edit("M_A thick, the other components thin", templates("plasma-beta-mach"))


def test_everything_else_is_of_the_whole_figure_but_no_spectrogram(author, templates):
    template = author.edit("B_z thick, everything else thin", templates("themis-esa-overview")).template
    thin = {line for line, style in figure_in(template)["line_styles"].items() if style["width"] == 1}
    assert {"n", "T", "P_tot"} <= thin
    assert "ions" not in thin


@in_one_test(
    ("request_", "label"),
    [
        ("mark the current sheet at 12:00", "current sheet"),
        ("mark 12:00 as a current sheet", "current sheet"),
        ("vertical line at 12:00 as a current sheet", "current sheet"),
        ("mark the shock at 12:00 please", "shock"),
        ("mark the shock as well at 12:00", "shock"),
    ],
)
def test_the_whole_name_of_a_mark_is_its_label(author, templates, request_, label):
    template = author.edit(request_, templates("psp-bfield")).template
    assert [line["label"] for line in figure_in(template)["vlines"]] == [label]


@in_one_test(
    ("request_",),
    [
        ("AE in red, the data in blue",),
        ("AE in red, data points in blue",),
        ("AE thick, the data thin",),
    ],
)
def test_a_second_look_of_a_line_that_is_not_named_is_refused(author, templates, request_):
    with pytest.raises(NotUnderstood, match="not clear which line"):
        author.edit(request_, templates("storm-overview"))


def test_panels_that_go_are_not_left_out_of_a_shading(author, templates):
    request = "shade 10 May 17:00 to 11 May 18:00 and hide all panels but Kp"
    figure = figure_in(author.edit(request, templates("omni-solar-wind-overview")).template)
    assert (figure["panels"], len(figure["vrects"])) == ([["Kp"]], 1)


@in_one_test(("request_",), [("all panels except the density in red",), ("panels 2 and 3 in red",)])
def test_a_vector_among_the_lines_of_panels_keeps_its_colours(author, templates, request_):
    draft = author.edit(request_, templates("wind-plasma"))
    assert figure_in(draft.template)["trace_colors"] == {"temperature": "red"}
    assert any("keeps its colours" in note for note in draft.notes)


def test_a_step_that_is_computed_from_one_that_is_not_critical_is_not_critical_either(author, templates):
    template = templates("solo-overview")
    draft = author.edit("smooth beta over 10 minutes", template)
    (added,) = (
        step
        for step in draft.template["steps"]
        if step not in template["steps"] and step["tool_name"] != "render_spec"
    )
    assert added["critical"] is False
