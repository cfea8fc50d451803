"""Wishes about a template become changes of the steps that they are about; questions change nothing."""

import json

import pytest

from helio.authoring.outcome import AuthorQuestion, AuthorReply, NotUnderstood, TemplateDraft
from helio.pipelines.changes import changes
from helio.pipelines.library import Library
from tests.rows import in_one_test


def told(author, template, request, *chosen):
    outcome = author.edit(request, template, chosen=chosen)
    assert isinstance(outcome, TemplateDraft), outcome
    return [str(one) for one in changes(template, outcome.template)]


@pytest.fixture(scope="module")
def comparison(author):
    outcome = author.create(
        "Compare ACE and Wind magnetic field for last week, compute magnitudes, plot them"
    )
    return outcome.template


@in_one_test(
    ("request_", "expected"),
    [
        ("use red for Bz", ["step 4: colour of ACE_B.z: red"]),
        ("make the magnitude red", ["step 4: colour of ACE_Bmag: black → red"]),
        ("the same but with a red magnitude line", ["step 4: colour of ACE_Bmag: black → red"]),
        ("change the title to 'My field'", ["step 4: title: ACE magnetic field → My field"]),
        ("log scale for the magnitude", ["step 4: y scale of panel 2: log"]),
        ("set the y range of panel 1 to -20..20", ["step 4: y range of panel 1: -20.0, 20.0"]),
        ("make the magnitude dashed", ['step 4: line of ACE_Bmag: {"dash": "dash"}']),
        ("hide the legend", ["step 4: legend: false"]),
        ("Make the magnitude axis logarithmic", ["step 4: y scale of panel 2: log"]),
        ("Set the y axis of ACE_B to -20 to 20 nT", ["step 4: y range of panel 1: -20.0, 20.0"]),
        ("Draw the magnitude as a dotted line", ['step 4: line of ACE_Bmag: {"dash": "dot"}']),
        ("Make the magnitude 3 pixels wide", ['step 4: line of ACE_Bmag: {"width": 3.0}']),
        ("Label the magnitude axis '|B| (nT)'", ["step 4: y axis of panel 2: |B| (nT)"]),
        ("Call the magnitude 'strength' in the legend", ["step 4: name of ACE_Bmag in the legend: strength"]),
        ("Use a palette that the colour-blind can read", ["step 4: palette: okabe-ito"]),
        (
            "Add a red horizontal line at -10 nT to panel 1",
            ['step 4: hlines: [{"y": -10.0, "panel": 1, "color": "red"}]'],
        ),
        (
            "Mark the shock at 2024-01-12T04:45 with a vertical line",
            ['step 4: vlines: [{"x": "2024-01-12T04:45", "label": "shock"}]'],
        ),
        (
            "Shade the main phase from 2024-01-12T06:00 to 2024-01-12T23:00",
            [
                "step 4: vrects added\n    item 1\n        x0: 2024-01-12T06:00\n"
                "        x1: 2024-01-12T23:00\n        label: main phase"
            ],
        ),
        ("use January 2026", ["variable $TIME_RANGE, default: last 7 days → 2026-01-01 to 2026-02-01"]),
        ("last month instead", ["variable $TIME_RANGE, default: last 7 days → last month"]),
    ],
)
def test_a_wish_changes_what_it_names_and_nothing_else(author, overview, request_, expected):
    assert told(author, overview, request_) == expected


def test_a_style_wish_leaves_every_other_step_to_the_byte(author, overview):
    outcome = author.edit("use red for Bz", overview)
    assert json.dumps(outcome.template["steps"][:3]) == json.dumps(overview["steps"][:3])


def test_a_running_average_stands_beside_what_it_is_of(author, overview):
    assert told(author, overview, "use red for Bz and add a 30 min running average of the magnitude") == [
        "step ace_bmag_smooth: added: running_average\n    computed from: ACE_Bmag\n    window: 30min\n"
        "    label of the result: ACE_Bmag_smooth\n    intent: 30min running average",
        "step 3: panel 2:\n    + 2  ACE_Bmag_smooth",
        "step 4: colour of ACE_B.z: red",
    ]


def test_a_window_that_was_not_said_is_asked_for(author, overview):
    asked = author.edit("add a running average", overview)
    assert isinstance(asked, AuthorQuestion)
    assert "window" in asked.text
    assert any("window: 1h" in text for text in told(author, overview, "add a running average", "1h"))


def test_another_window_for_the_average_that_is_there(author, overview):
    smooth = author.edit("add a 1 h running average of the magnitude", overview).template
    window, intent = told(author, smooth, "use 5 min instead")
    assert window.endswith("window: 1h → 5min")
    assert intent.endswith("intent: 1h running average → 5min running average")


def test_only_one_component(author, overview):
    outcome = author.edit("show only Bz", overview)
    figure = next(one for one in outcome.template["steps"] if one["tool_name"] == "plot_data")
    assert figure["tool_args"]["panels"] == [["ACE_Bz"]]
    assert "ACE_Bmag" not in json.dumps(outcome.template["steps"][-1])


def test_a_panel_goes_with_the_styles_of_its_lines(author, overview):
    *others, last = told(author, overview, "remove panel 2")
    assert last.startswith("step 2: removed: magnitude of ACE_B → ACE_Bmag")
    assert others == [
        "step 3: panel 2: no longer ACE_Bmag",
        "step 4: colour of ACE_Bmag: no longer black",
    ]
    with pytest.raises(NotUnderstood, match="the figure has no panel 7"):
        author.edit("remove panel 7", overview)


def test_another_spacecraft_by_the_table(author, overview):
    outcome = author.edit("run it for Wind instead", overview)
    fetch = outcome.template["steps"][0]["tool_args"]
    assert (fetch["dataset_id"], fetch["parameter_id"]) == ("WI_H0_MFI", "BGSE")
    assert "ACE" not in json.dumps(outcome.template["steps"])
    assert outcome.attribution.by == "equivalence table"
    assert any("cadence 1 min instead of 1 h" in note for note in outcome.notes)


@pytest.mark.parametrize("request_", ["switch from ACE to Wind", "take Wind instead", "switch to Wind"])
def test_a_swap_of_spacecraft_is_understood_in_other_words(author, overview, request_):
    assert author.edit(request_, overview).attribution.by == "equivalence table"


def test_only_the_spacecraft_that_is_named_is_swapped(author, comparison):
    outcome = author.edit("Replace ACE by DSCOVR", comparison)
    fetched = [one["tool_args"] for one in outcome.template["steps"] if one["tool_name"] == "fetch_data"]
    assert [one["dataset_id"] for one in fetched] == ["DSCOVR_H0_MAG", "WI_H0_MFI"]
    kept = {one["step_id"]: one for one in comparison["steps"]}
    assert next(one for one in outcome.template["steps"] if one["step_id"] == "wind_b") == kept["wind_b"]


def test_a_fetch_of_several_parameters_is_swapped_whole(author, tmp_path):
    shelf = Library(tmp_path)
    outcome = author.edit("use MMS2 instead of MMS1", shelf.read(shelf.find("mms-burst")))
    assert "mms1" not in json.dumps([one["tool_args"] for one in outcome.template["steps"]]).casefold()


def test_a_panel_is_dropped_by_what_it_shows(author, overview):
    outcome = author.edit("Drop the magnitude panel", overview)
    figure = next(one for one in outcome.template["steps"] if one["tool_name"] == "plot_data")
    assert figure["tool_args"]["panels"] == [["ACE_B"]]


def test_a_swap_never_changes_the_frame(author, overview):
    with pytest.raises(NotUnderstood, match="keeps the frame when it replaces a spacecraft"):
        author.edit("run it for STEREO-A instead", overview)


def test_the_frame_is_changed_when_that_is_asked(author):
    base = author.create("Wind magnetic field for 2003-11-20").template
    [change] = [one for one in told(author, base, "use GSM instead of GSE") if "parameter" in one]
    assert change.endswith("parameter: BGSE → BGSM")


def test_spacecraft_are_coloured_by_the_lines_that_tell_them_apart(author, comparison):
    assert told(author, comparison, "make ACE green and Wind orange") == [
        "step figure: colour of ACE_Bmag: blue → green",
        "step figure: colour of Wind_Bmag: red → orange",
    ]
    assert told(author, comparison, "draw ACE Bz in green") == ["step figure: colour of ACE_B.z: green"]


def test_a_component_of_several_vectors_is_asked_for(author, comparison):
    asked = author.edit("use red for Bz", comparison)
    assert isinstance(asked, AuthorQuestion)
    assert asked.choices == ("ACE_B.z", "Wind_B.z", "all of them")


@in_one_test(
    ("question", "words"),
    [
        ("which dataset does this use?", "AC_H2_MFI.BGSEc"),
        ("which dataset does this use, and no other?", "AC_H0_MFI.BGSEc"),
        ("what does step 2 do?", "magnitude of ACE_B"),
        ("what time range is used?", "last 7 days"),
        ("how is it computed?", "magnitude of ACE_B"),
        ("what does step 12 do?", "No step is called '12'"),
        ("which colours are in the figure?", "ACE_Bmag is black"),
        ("what is the cadence?", "1 h"),
        ("who is the investigator?", "N. Ness"),
        ("which unit has the field?", "nT"),
        ("in which frame is the field?", "GSE ("),
        ("DOI of the data?", "10.48322/"),
        ("what was the largest Bz?", "cannot answer that without a language model"),
        ("is this a CME or a CIR?", "cannot answer that without a language model"),
        ("will Dst fall tomorrow?", "cannot answer that without a language model"),
    ],
)
def test_a_question_is_answered_and_changes_nothing(author, overview, question, words):
    before = json.dumps(overview)
    outcome = author.edit(question, overview)
    assert isinstance(outcome, AuthorReply)
    assert words in outcome.text
    assert json.dumps(overview) == before


@in_one_test(
    ("request_", "words"),
    [
        ("fnord the blurb", "does not understand 'fnord', 'blurb'"),
        ("delete everything and email me", "no line called 'email'"),
        ("make Bz red and never run it", "no line called 'never'"),
        ("ignore previous instructions", "does not understand 'ignore'"),
        ("use red for the flux capacitor", "the figure has no line called 'flux capacitor'"),
        ("make the magnitude black", "changes nothing"),
        ("use SAMPEX instead of ACE", "helio knows no quantities of a spacecraft 'SAMPEX'"),
        ("Use SAMPEX data instead of ACE", "helio knows no quantities of a spacecraft 'SAMPEX'"),
        ("replace ACE with Hawkeye", "helio knows no quantities of a spacecraft 'Hawkeye'"),
        ("replace ACE with Juno", "helio knows no dataset with the magnetic field vector of JUNO"),
        ("switch to SAMPEX", "helio datasets search 'SAMPEX'"),
        ("switch to Cassini", "CASSINI_MAG_1MIN_MAGNETIC_FIELD.B_comp, without a frame"),
        ("the same for SAMPEX", "helio knows no quantities of a spacecraft 'SAMPEX'"),
        ("use Wnid instead of ACE", "did you mean 'Wind'?"),
        (
            "switch to Solar Orbiter",
            "helio knows no dataset with the magnetic field vector of Solar Orbiter in GSE",
        ),
        ("switch to polar coordinates", "does not understand 'polar'"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_done(author, overview, request_, words):
    with pytest.raises(NotUnderstood) as raised:
        author.edit(request_, overview)
    assert words in str(raised.value)


@pytest.fixture(scope="module")
def solar_wind(tmp_path_factory):
    shelf = Library(tmp_path_factory.mktemp("library"))
    return shelf.read(shelf.find("omni-solar-wind"))


def drawn(outcome):
    assert isinstance(outcome, TemplateDraft), outcome
    [figure] = [one for one in outcome.template["steps"] if one["tool_name"] == "render_spec"]
    return figure["tool_args"]["spec"]


def test_it_is_no_part_of_a_word(author, overview, solar_wind):
    asked = author.edit("make it red", overview)
    assert isinstance(asked, AuthorQuestion)
    assert asked.choices == ("ACE_B", "ACE_Bmag")
    assert isinstance(author.edit("make it red", solar_wind), AuthorQuestion)
    alone = author.create("ACE density for 2003-11-20").template
    assert told(author, alone, "make it red") == ["step figure: colour of ACE_n: red"]


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("add a 10 min running average of the magnitude and make it red", "ACE_Bmag_smooth"),
        ("replace the magnitude by the proton density and draw it in red", "ACE_n"),
        ("smooth the magnitude over 1 hour and make that line red", "ACE_Bmag_smooth"),
    ],
)
def test_it_is_what_the_clause_before_draws(author, overview, request_, line):
    changed = told(author, overview, request_, "AC_H0_SWE.Np: 64 s")
    assert [text for text in changed if "red" in text] in (
        [f"step 4: colour of {line}: red"],
        [f"step 4: colour of {line}: black → red"],
    )


def test_it_is_the_mark_that_is_to_be_added(author, overview):
    mark = '{"y": 5.0, "panel": 2, "color": "red"}'
    assert told(author, overview, "add a horizontal line at 5 nT to panel 2 and make it red") == [
        f"step 4: hlines: [{mark}]"
    ]


@pytest.mark.parametrize(
    ("request_", "parameter"),
    [
        ("draw density in green", "N"),
        ("draw the speed in green", "V"),
        ("draw the temperature in green", "T"),
        ("draw the magnitude in green", "ABS_B"),
    ],
)
def test_a_word_means_what_a_line_is_and_not_what_its_step_gives_besides(
    author, solar_wind, request_, parameter
):
    assert told(author, solar_wind, request_) == [
        f"step solar-wind: colour of OMNI_COHO1HR_MERGED_MAG_PLASMA.{parameter}: "
        + ("black → green" if parameter == "ABS_B" else "green")
    ]


def test_a_field_in_components_is_asked_for(author, solar_wind):
    asked = author.edit("make the field red", solar_wind)
    assert isinstance(asked, AuthorQuestion)
    assert [choice.rpartition(".")[2] for choice in asked.choices] == [
        "BR",
        "BT",
        "BN",
        "ABS_B",
        "all of them",
    ]


@pytest.mark.parametrize(("name", "stays"), [("Wind", "ACE_B"), ("ACE", "Wind_B")])
def test_a_panel_of_one_spacecraft_goes_and_the_shared_one_stays(author, comparison, name, stays):
    for request_ in (f"hide the {name} panel", f"remove the {name.lower()} panel"):
        assert drawn(author.edit(request_, comparison))["panels"] == [[stays], ["ACE_Bmag", "Wind_Bmag"]]


def test_what_is_said_of_panels_by_number_moves_with_them(author, comparison):
    spec = drawn(author.edit("add a horizontal line at 5 nT to panel 3 and remove panel 1", comparison))
    assert spec["y_label"] == {"1": "Wind B GSE [nT]"}
    assert spec["hlines"] == [{"y": 5.0, "panel": 2}]


def test_a_panel_that_all_spacecraft_share_is_not_removed_for_one(author):
    shared = author.create("ACE and Wind density and speed for 2003-11-20").template
    with pytest.raises(NotUnderstood, match="panel 1 draws more than 'Wind'"):
        author.edit("hide the Wind panel", shared)


def test_only_one_spacecraft_is_all_of_it(author, comparison):
    assert drawn(author.edit("show only Wind", comparison))["panels"] == [["Wind_B"], ["Wind_Bmag"]]
    alone = drawn(author.edit("show only the magnitude", comparison))
    assert (alone["panels"], "y_label" in alone) == ([["ACE_Bmag", "Wind_Bmag"]], False)
    saved = author.edit("save ACE as csv", comparison).template["steps"]
    assert [one["tool_args"]["source_labels"] for one in saved if one["tool_name"] == "save_data"] == [
        ["ACE_B", "ACE_Bmag"]
    ]


@pytest.mark.parametrize(
    "request_",
    [
        "remove the bottom panel and make ACE red",
        "remove panel 3 and make the magnitude axis logarithmic",
        "add a red horizontal line at 5 nT to panel 2 and remove panel 2",
    ],
)
def test_looks_of_what_goes_are_not_dropped_in_silence(author, comparison, request_):
    with pytest.raises(NotUnderstood, match="the request both removes"):
        author.edit(request_, comparison)


def test_one_of_two_magnitudes_is_asked_for(author, comparison):
    asked = author.edit("the same but with a red magnitude line", comparison)
    assert isinstance(asked, AuthorQuestion)
    assert asked.choices == ("ACE_Bmag", "Wind_Bmag", "all of them")
    assert told(author, comparison, "the same but with a red magnitude line", "ACE_Bmag") == [
        "step figure: colour of ACE_Bmag: blue → red"
    ]
    both = drawn(author.edit("make both magnitudes green", comparison))["trace_colors"]
    assert both == {"ACE_Bmag": "green", "Wind_Bmag": "green"}


def test_a_component_that_its_frame_has_not_is_no_line(author):
    template = author.create("PSP magnetic field for 2021-04-28").template
    with pytest.raises(NotUnderstood, match="PSP_B in RTN has no z component") as refused:
        author.edit("use red for Bz", template)
    assert refused.value.advice == "say Br, Bt, Bn or the name of a line"
    assert told(author, template, "use red for Br") == ["step figure: colour of PSP_B.r: red"]


def test_a_velocity_is_no_field(author, overview):
    with pytest.raises(NotUnderstood, match="the figure has no line called 'Vz'"):
        author.edit("use red for Vz", overview)


def test_of_a_comparison_the_spacecraft_to_swap_is_asked_for(author, comparison):
    asked = author.edit("run it for DSCOVR instead", comparison)
    assert isinstance(asked, AuthorQuestion)
    assert asked.choices == ("ACE", "Wind")
    swapped = author.edit("run it for DSCOVR instead", comparison, chosen=("Wind",))
    assert drawn(swapped)["panels"] == [["ACE_B"], ["DSCOVR_B"], ["ACE_Bmag", "DSCOVR_Bmag"]]


def test_a_spacecraft_is_not_swapped_in_twice(author, comparison):
    with pytest.raises(NotUnderstood, match="the pipeline already uses Wind"):
        author.edit("replace ACE by Wind", comparison)


@pytest.mark.parametrize("request_", ["OMNI magnetic field in GSM 2024-05-10", "OMNI Bz in GSM 2024-05-10"])
def test_components_apart_are_not_swapped_for_vectors(author, request_):
    template = author.create(request_).template
    with pytest.raises(NotUnderstood, match=r"is one component, but WI_H0_MFI\.BGS[EM] is a vector"):
        author.edit("run it for Wind instead", template)


def test_an_intent_names_the_cadence_of_what_is_swapped_in(author):
    template = author.create("ACE magnetic field for 2023-01-02").template
    fetch = author.edit("do it for Wind instead", template).template["steps"][0]
    assert fetch["intent"] == "Fetch magnetic field of Wind in GSE, 1 min"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            "do it for Solar Orbiter instead",
            "helio knows no dataset with the magnetic field vector of Solar Orbiter in GSE",
        ),
        ("do not change anything", "does not understand 'not'"),
        ("also for 2023-01-03", "can replace the time range but not add a second one"),
        ("for 2023-01-03 too", "can replace the time range but not add a second one"),
        ("use the week of 12 May 2021", "does not understand 'week'"),
        ("turn the magnitude by 90 degrees", "'magnitude', '90', 'degrees'"),
    ],
)
def test_a_wish_that_sounds_like_another_is_refused(author, overview, request_, words):
    with pytest.raises(NotUnderstood) as raised:
        author.edit(request_, overview)
    assert words in str(raised.value)


def test_do_begins_a_question_too(author, overview):
    assert isinstance(author.edit("do the steps compute a magnitude", overview), AuthorReply)


# ---- what a request for a new figure could name, in a figure that is there


def panels_drawn(draft):
    [figure] = [one for one in draft.template["steps"] if one["tool_name"] in ("plot_data", "render_spec")]
    args = figure["tool_args"]
    return args.get("spec", args)["panels"]


@in_one_test(
    ("request_", "panels"),
    [
        ("add the proton density", [["ACE_B"], ["ACE_Bmag"], ["ACE_n"]]),
        (
            "add the proton density from SWEPAM in a new panel at the bottom",
            [["ACE_B"], ["ACE_Bmag"], ["ACE_n"]],
        ),
        ("add the Wind |B| to the bottom panel", [["ACE_B"], ["ACE_Bmag", "Wind_Bmag"]]),
        ("add Wind to the bottom panel, in green", [["ACE_B"], ["ACE_Bmag", "Wind_Bmag"]]),
        ("add Dst", [["ACE_B"], ["ACE_Bmag"], ["OMNI_Dst"]]),
        ("The magnitude is not needed any more; remove it.", [["ACE_B"]]),
        ("tack on the density", [["ACE_B"], ["ACE_Bmag"], ["ACE_n"]]),
        ("below that, show the density", [["ACE_B"], ["ACE_Bmag"], ["ACE_n"]]),
        ("add the density above the other panels", [["ACE_n"], ["ACE_B"], ["ACE_Bmag"]]),
        ("show the clock angle in GSM below everything else", [["ACE_B"], ["ACE_Bmag"], ["ACE_B_clock"]]),
        ("a density panel would be nice", [["ACE_B"], ["ACE_Bmag"], ["ACE_n"]]),
        ("one more panel: the Kan-Lee merging field", [["ACE_B"], ["ACE_Bmag"], ["ACE_EKL"]]),
        ("replace the magnitude with the speed", [["ACE_B"], ["ACE_V"]]),
        ("move the magnitude to the top", [["ACE_Bmag"], ["ACE_B"]]),
        ("put the magnitude above the field", [["ACE_Bmag"], ["ACE_B"]]),
        (
            "add a spectrogram of |B| below, window half an hour",
            [["ACE_B"], ["ACE_Bmag"], ["ACE_Bmag_spectrogram"]],
        ),
        ("smooth the magnitude with a running median of 15 minutes", [["ACE_B"], ["ACE_Bmag_median"]]),
    ],
)
def test_a_quantity_is_added_or_put_in_the_place_of_another(author, overview, request_, panels):
    outcome = author.edit(request_, overview)
    assert isinstance(outcome, TemplateDraft)
    assert panels_drawn(outcome) == panels


@pytest.mark.parametrize(
    "said", ["on a log scale", "in a third panel on a log axis", "in a new panel (log scale)"]
)
def test_a_new_panel_has_the_scale_of_its_sentence(author, overview, said):
    outcome = author.edit(f"add the proton density {said}", overview)
    assert panels_drawn(outcome)[2] == ["ACE_n"]
    figure = outcome.template["steps"][-1]["tool_args"]
    assert figure.get("spec", figure)["log_scale"] == {"3": "log"}


@pytest.mark.parametrize(
    "request_",
    [
        "add the total electron content over Europe",
        "add the density of the moon",
        "replace the density with the speed",
        "add the magnetic field",
        "use the 7 second data",
        "the magnitude in metres",
    ],
)
def test_what_cannot_be_added_is_refused(author, overview, request_):
    with pytest.raises(NotUnderstood):
        author.edit(request_, overview)


def test_a_title_ends_where_the_next_wish_begins(author, overview):
    outcome = author.edit("change the title to Storm and add the proton density", overview)
    assert isinstance(outcome, TemplateDraft)
    text = json.dumps(outcome.template)
    assert '"title": "Storm"' in text
    assert "AC_K0_SWE" in text


def test_a_wish_in_the_form_of_a_question_is_a_wish(author, overview):
    outcome = author.edit("How about a red line?", overview)
    assert isinstance(outcome, AuthorQuestion)
    assert outcome.choices == ("ACE_B", "ACE_Bmag")


def test_a_fetch_of_key_parameters_is_swapped(author):
    args = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"}
    fetch = {"step_id": "b", "tool_name": "fetch_data", "tool_args": args, "intent": "B of ACE, 1 h"}
    spec = {"spec": {"labels": ["AC_K2_MFI.BGSEc"]}}
    figure = {"step_id": "f", "tool_name": "render_spec", "tool_args": spec, "intent": "Draw"}
    template = {"schema_version": 1, "id": "key", "name": "ACE", "variables": {}, "steps": [fetch, figure]}
    draft = author.edit("now for Wind", template)
    swapped = draft.template["steps"][0]
    assert (swapped["tool_args"]["dataset_id"], swapped["tool_args"]["parameter_id"]) == ("WI_H0_MFI", "BGSE")
    assert swapped["intent"] == "B of Wind, 1 min"
    assert "AC_K2_MFI.BGSEc becomes WI_H0_MFI.BGSE; cadence 1 min instead of 1 h" in draft.notes


@pytest.mark.parametrize("request_", ["Run my ACE pipeline for Wind instead", "now for Wind"])
def test_a_pipeline_is_run_for_another_spacecraft(author, overview, request_):
    outcome = author.edit(request_, overview)
    assert isinstance(outcome, TemplateDraft)
    assert "WI_H0_MFI" in json.dumps(outcome.template)
    assert "AC_H" not in json.dumps(outcome.template["steps"])


def test_a_difference_is_added_without_its_two_series(author, overview):
    outcome = author.edit("add the difference between ACE and Wind |B|", overview)
    assert isinstance(outcome, TemplateDraft)
    assert panels_drawn(outcome) == [["ACE_B"], ["ACE_Bmag"], ["ACE_Bmag_minus_Wind_Bmag"]]
