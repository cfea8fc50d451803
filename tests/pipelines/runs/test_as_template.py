"""What a run did becomes a template: without what failed, and without what led nowhere."""

import json
import shutil
from pathlib import Path

import pytest

from helio import api
from helio.errors import RequestError
from helio.pipelines.runs.as_template import RunSelection, template_of
from helio.settings import read_settings
from helio.sources.samples import sample_folder
from helio.store.runs import RunRecord, Runs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

FETCH = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc"}


@pytest.fixture
def settings(tmp_path: Path):
    return read_settings({"HELIO_HOME": str(tmp_path), "HELIO_ARCHIVE": "sample", "HELIO_ENGINE": "direct"})


@pytest.fixture
def ran(settings):
    def ran(*steps, **how):
        outcome = api.run(template(*steps, **how), settings=settings, check=False)
        return Runs(settings.runs).load(outcome.id)

    return ran


def template(*steps, variables=None):
    return {"id": "tried", "variables": variables or {}, "steps": list(steps)}


def step(name, tool, critical=True, **args):
    return {"step_id": name, "tool_name": tool, "tool_args": args, "critical": critical}


def fetch(name=1, **args):
    return step(name, "fetch_data", **(FETCH | {"time_range": "2022-01-01"} | args))


SIZE = step(2, "magnitude", source_label="AC_K2_MFI.BGSEc", output_label="size")
FIGURE = step(3, "plot_data", labels=["size"])


def ids(made):
    return [made_step["step_id"] for made_step in made["steps"]]


def test_what_failed_and_what_led_nowhere_is_left_out(ran):
    smooth = step("tried", "running_average", source_label="size", window="2h", output_label="smooth")
    absent = fetch("absent", dataset_id="AC_H0_MFI") | {"critical": False}
    record = ran(fetch(), absent, SIZE, smooth, FIGURE)
    made, notes = template_of([RunSelection(record)], "kept")
    assert ids(made) == [1, 2, 3]
    assert sorted(note.split(": ", 1)[1] for note in notes) == [
        "step absent is left out: its state is 'failed'",
        "step tried is left out: no kept step uses it",
    ]


def test_a_saved_run_does_the_same_again(ran, settings):
    record = ran(fetch(), SIZE, FIGURE)
    saved = api.save_runs([(record.id, ())], "kept", settings=settings)
    assert "$TIME_RANGE" in saved.template["variables"]
    again = api.run("kept", settings=settings)
    assert again.status == "success"
    states = [result.state for result in again.result.steps]
    assert states == ["cached", "cached", "completed"]  # the figure's footer names its pipeline


def test_literal_ranges_become_the_variable_that_a_later_run_sets(ran, settings):
    record = ran(fetch(), SIZE, FIGURE)
    saved = api.save_runs([(record.id, ())], "kept", settings=settings)
    assert saved.template["variables"]["$TIME_RANGE"]["default"] == "2022-01-01 to 2022-01-02"
    assert saved.template["steps"][0]["tool_args"]["time_range"] == "$TIME_RANGE"


def test_variables_keep_the_values_of_the_run(settings):
    document = template(
        fetch(time_range="$TIME_RANGE"), SIZE, FIGURE, variables={"$TIME_RANGE": {"type": "time_range"}}
    )
    outcome = api.run(document, time_range="2022-01-01", settings=settings)
    made, _ = template_of([RunSelection(Runs(settings.runs).load(outcome.id))], "kept")
    assert made["variables"] == {"$TIME_RANGE": {"type": "time_range", "default": "2022-01-01 to 2022-01-02"}}


RELATIVE = {"$TIME_RANGE": {"type": "time_range", "default": "last 2 days"}}
NOW = "2022-01-02T12:00:00"


def test_a_relative_default_stays_a_phrase(settings):
    document = template(fetch(time_range="$TIME_RANGE"), SIZE, FIGURE, variables=RELATIVE)
    outcome = api.run(document, now=NOW, settings=settings)
    saved = api.save_runs([(outcome.id, ())], "kept", settings=settings)
    assert saved.template["variables"]["$TIME_RANGE"]["default"] == "last 2 days"
    assert api.plan("kept", now="2022-06-01", settings=settings).values == {
        "$TIME_RANGE": "2022-05-30 to 2022-06-01"
    }


def test_a_range_given_for_the_run_replaces_a_relative_default(settings):
    document = template(fetch(time_range="$TIME_RANGE"), SIZE, FIGURE, variables=RELATIVE)
    outcome = api.run(document, time_range="2022-01-01", now=NOW, settings=settings)
    made, _ = template_of([RunSelection(Runs(settings.runs).load(outcome.id))], "kept")
    assert made["variables"]["$TIME_RANGE"]["default"] == "2022-01-01 to 2022-01-02"


def test_two_days_of_one_relative_default_stay_two_days(settings):
    def at(now, label):
        steps = fetch(time_range="$TIME_RANGE", output_label=label), step(2, "plot_data", labels=[label])
        outcome = api.run(template(*steps, variables=RELATIVE), now=now, settings=settings)
        return RunSelection(Runs(settings.runs).load(outcome.id))

    made, _ = template_of([at(NOW, "late"), at("2022-01-03T00:00:00", "early")], "both")
    defaults = [facts["default"] for facts in made["variables"].values()]
    assert len(defaults) == 2
    assert "last 2 days" not in defaults


def test_styles_come_with_their_figure(ran):
    style = step("look", "style_plot", title="the field") | {"depends_on": [3]}
    record = ran(fetch(), SIZE, FIGURE, style)
    made, _ = template_of([RunSelection(record, ("3",))], "kept")
    assert ids(made) == [1, 2, 3, "look"]


def test_selected_steps_come_with_what_they_rest_on(ran):
    other = step("line", "plot_data", labels=["AC_K2_MFI.BGSEc"])
    record = ran(fetch(), SIZE, FIGURE, other)
    made, _ = template_of([RunSelection(record, ("line",))], "kept")
    assert ids(made) == [1, "line"]


def test_steps_of_several_runs_are_put_together_and_equal_ones_once(ran):
    one = ran(fetch(), SIZE, FIGURE)
    other = ran(fetch(), step(2, "plot_data", labels=["AC_K2_MFI.BGSEc"]))
    made, _ = template_of([RunSelection(one), RunSelection(other)], "both")
    assert ids(made) == [1, 2, 3, "2-2"]


def test_variables_of_several_runs_with_other_values_stand_beside_each_other(settings):
    def at(day, label):
        outcome = api.run(
            template(
                fetch(time_range="$TIME_RANGE", output_label=label),
                step(2, "plot_data", labels=[label]),
                variables={"$TIME_RANGE": {"type": "time_range"}},
            ),
            time_range=day,
            settings=settings,
        )
        return RunSelection(Runs(settings.runs).load(outcome.id))

    made, _ = template_of(
        [at("2022-01-01", "quiet"), at("2022-01-01T06:00 to 2022-01-01T12:00", "storm")], "both"
    )
    assert made["variables"]["$TIME_RANGE_2"]["default"].startswith("2022-01-01T06")
    assert [made_step["tool_args"].get("time_range") for made_step in made["steps"]] == [
        "$TIME_RANGE",
        None,
        "$TIME_RANGE_2",
        None,
    ]


def test_two_runs_that_give_one_label_to_different_work_are_refused(ran):
    one = ran(fetch(output_label="B"), step(2, "plot_data", labels=["B"]))
    other = ran(
        fetch(output_label="B", time_range="2022-01-01T06:00 to 2022-01-01T12:00"),
        step(2, "plot_data", labels=["B"]),
    )
    with pytest.raises(RequestError, match="gives B, which another step already gives"):
        template_of([RunSelection(one), RunSelection(other)], "both")


def test_a_step_that_failed_cannot_be_named(ran):
    record = ran(fetch(), fetch("absent", dataset_id="AC_H0_MFI") | {"critical": False}, SIZE, FIGURE)
    with pytest.raises(RequestError, match=r"step absent of .* cannot be saved: its state is 'failed'"):
        template_of([RunSelection(record, ("absent",))], "kept")
    with pytest.raises(RequestError, match="has no step 77"):
        template_of([RunSelection(record, ("77",))], "kept")


def test_a_run_of_which_nothing_came_cannot_be_saved(ran):
    record = ran(fetch(dataset_id="AC_H0_MFI"), step(2, "plot_data", labels=["AC_H0_MFI.BGSEc"]))
    with pytest.raises(RequestError, match="the chosen runs have no step that can be saved"):
        template_of([RunSelection(record)], "kept")


# The archive of a run


@pytest.fixture
def without_archive(tmp_path: Path):
    """The same home, with no archive named by the environment."""
    return read_settings({"HELIO_HOME": str(tmp_path), "HELIO_ENGINE": "direct"})


def test_a_saved_run_names_its_provider_and_runs_again_as_it_is(ran, settings, without_archive):
    record = ran(fetch(), SIZE, FIGURE)
    saved = api.save_runs([(record.id, ())], "kept", settings=settings)
    assert saved.template["steps"][0]["tool_args"]["provider"] == "sample"
    assert saved.notes == ()
    again = api.run("kept", settings=without_archive)
    assert again.status == "success"
    first, second = (
        {output["label"]: output["digest"] for step in steps for output in step["outputs"] if output["label"]}
        for steps in (record.steps, Runs(settings.runs).load(again.id).steps)
    )
    assert first == second


def test_a_saved_run_names_its_provider_for_every_candidate_and_spelling(ran, settings, without_archive):
    args = {
        "candidates": [
            {"dataset_id": "NOT_THERE", "parameter_id": "BGSEc", "provider": "swpc"},
            {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc"},
        ],
        "data_source": "cdaweb",
        "time_range": "2022-01-01",
        "output_label": "B",
    }
    record = ran(step(1, "fetch_data", **args), step(2, "plot_data", labels=["B"]))
    saved = api.save_runs([(record.id, ())], "kept", settings=settings)
    kept = saved.template["steps"][0]["tool_args"]
    assert kept["provider"] == "sample"
    assert all("provider" not in candidate for candidate in kept["candidates"])
    assert "data_source" not in kept
    assert api.run("kept", settings=without_archive).status == "success"


def test_a_saved_run_of_a_block_names_its_provider(ran, settings, without_archive):
    days = {
        "as": "$DAY",
        "over": ["2022-01-01T00:00 to 2022-01-01T06:00", "2022-01-01T06:00 to 2022-01-01T12:00"],
    }
    inner = fetch("b", time_range="$DAY", output_label="B_$DAY")
    drawn = step("draw", "plot_data", labels=["B_$DAY"])
    block = {"step_id": "each", "for_each": days, "block": [inner, drawn]}
    record = ran(block)
    saved = api.save_runs([(record.id, ())], "kept", settings=settings)
    assert saved.template["steps"][0]["block"][0]["tool_args"]["provider"] == "sample"
    assert api.run("kept", settings=without_archive).status == "success"


def test_a_run_on_a_folder_is_saved_with_what_to_pass(settings, without_archive, tmp_path: Path):
    folder = tmp_path / "my data"
    shutil.copytree(sample_folder(), folder)
    outcome = api.run(template(fetch(), SIZE, FIGURE), archive=folder, settings=without_archive)
    saved = api.save_runs([(outcome.id, ())], "kept", settings=without_archive)
    assert "provider" not in saved.template["steps"][0]["tool_args"]
    [note] = saved.notes
    assert f"helio run kept --archive '{folder}'" in note
    assert api.run("kept", archive=folder, settings=without_archive).status == "success"


@pytest.mark.parametrize(
    ("archive", "provider"),
    [
        ("cdaweb", "cdaweb"),
        ("swpc", "swpc"),
        ("hapi:CDAWeb", "hapi:CDAWeb"),
        ("https://cdaweb.gsfc.nasa.gov/hapi", "hapi:CDAWeb"),
        ("http://127.0.0.1:1/hapi", "hapi:mine"),
        ("", None),
    ],
)
def test_what_the_archive_of_a_run_is_called_in_a_template(ran, archive: str, provider: str | None):
    record = with_archive(ran(fetch(), SIZE, FIGURE), archive)
    made, notes = template_of([RunSelection(record)], "kept", {"hapi": {"mine": "http://127.0.0.1:1/hapi/"}})
    assert made["steps"][0]["tool_args"].get("provider") == provider
    assert notes == ()


def test_a_run_on_an_address_is_saved_with_what_to_pass(ran):
    record = with_archive(ran(fetch(), SIZE, FIGURE), "http://127.0.0.1:1/hapi")
    made, [note] = template_of([RunSelection(record)], "kept")
    assert "provider" not in made["steps"][0]["tool_args"]
    assert "helio run kept --archive http://127.0.0.1:1/hapi" in note
    assert "HELIO_HAPI_SERVERS=NAME=http://127.0.0.1:1/hapi" in note


def with_archive(record: RunRecord, archive: str) -> RunRecord:
    path = record.folder / "run.json"
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"archive": archive}), encoding="utf-8"
    )
    return record
