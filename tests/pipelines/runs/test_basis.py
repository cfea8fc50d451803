"""What a run rests on: from its record, and from the present template and archive."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.pipelines.runs.basis import Basis, differences, present_basis, steps_of, tools_of
from helio.pipelines.runs.intervals import IntervalRun, read_run
from helio.settings import Settings
from helio.sources.archives import archives_of
from helio.sources.cdf import CdfReader
from helio.steps.signature import signatures
from helio.store.runs import Runs
from tests.days import daily, day, write_day, write_days
from tests.pipelines.made_archive import Made, write_dataset

pytestmark = pytest.mark.usefixtures("warm_processes")
PARAMETERS = {"BGSEc": Made("nT", 5.0, "GSE", 3)}
Change = Callable[[dict[str, Any]], Any]


def made(home: Path, template: dict[str, Any], number: int = 0) -> IntervalRun:
    run = api.run(
        template, time_range=str(day(number)), archive=home / "data", check=False, settings=Settings(home)
    )
    return read_run(Runs(home / "runs").load(run.id))


def changes(home: Path, run: IntervalRun, template: dict[str, Any]) -> tuple[str, ...]:
    """What has changed since a run, for the present template and files."""
    normalised = api.plan(template, archive=home / "data", settings=Settings(home)).normalised
    assert run.basis is not None
    with CdfReader() as reader:
        archives = archives_of(Settings(home), reader, str(home / "data"))
        return differences(
            run.basis, present_basis(run.basis, steps_of(normalised), tools_of(normalised), archives)
        )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_days(tmp_path / "data", 2)
    return tmp_path


def test_nothing_has_changed_since_a_run(home: Path):
    run = made(home, daily())
    assert changes(home, run, daily()) == ()
    assert run.basis is not None
    versions = {name: signatures()[name].version for name in ("fetch_data", "magnitude", "render_spec")}
    assert run.basis.tools == versions
    assert list(run.basis.files) == [" AC_H2_MFI 2024-01-01T00:00:00/2024-01-02T00:00:00"]


def test_a_file_with_other_bytes_is_named(home: Path):
    run, other = made(home, daily()), made(home, daily(), 1)
    write_day(home / "data", 0, level=7.0)
    assert changes(home, run, daily()) == ("AC_H2_MFI: ac_h2_mfi_20240101000000_v01.cdf was republished",)
    assert changes(home, other, daily()) == ()


def test_the_time_and_the_folder_of_a_file_do_not_matter(home: Path):
    run = made(home, daily())
    name = "ac_h2_mfi_20240101000000_v01.cdf"
    content = (home / "data" / name).read_bytes()
    (home / "data" / name).unlink()
    (home / "data" / "2024").mkdir()
    (home / "data" / "2024" / name).write_bytes(content)
    assert changes(home, run, daily()) == ()


def test_a_neighbour_without_records_of_the_day_does_not_matter(home: Path):
    (home / "data" / "ac_h2_mfi_20240102000000_v01.cdf").unlink()
    run = made(home, daily())
    neighbour = write_day(home / "data", 1)
    assert changes(home, run, daily()) == ()
    again = made(home, daily())
    neighbour.unlink()
    assert changes(home, again, daily()) == ()


def test_a_neighbour_with_records_of_the_day_matters(home: Path):
    template = daily()
    span = "2024-01-01 to 2024-01-02T00:30"
    run = api.run(template, time_range=span, archive=home / "data", settings=Settings(home))
    read = read_run(Runs(home / "runs").load(run.id))
    write_day(home / "data", 1, level=7.0)
    assert changes(home, read, template) == ("AC_H2_MFI: ac_h2_mfi_20240102000000_v01.cdf was republished",)


def test_only_the_datasets_up_to_the_one_that_was_used_matter(home: Path):
    template = daily()
    candidates = ["AC_H1_MFI", "AC_H2_MFI", "AC_H3_MFI"]
    template["steps"][0]["tool_args"] = {
        "candidates": candidates,
        "parameter_id": "BGSEc",
        "time_range": "$TIME_RANGE",
        "output_label": "AC_H2_MFI.BGSEc",
    }
    for number in (0, 1):
        write_dataset(home / "data", "AC_H3_MFI", PARAMETERS, day(number), "1h")
    write_dataset(home / "data", "AC_H1_MFI", PARAMETERS, day(1), "1h")
    run = made(home, template)
    assert run.state == "done"
    write_dataset(home / "data", "AC_H3_MFI", {"BGSEc": Made("nT", 9.0, "GSE", 3)}, day(0), "1h")
    assert changes(home, run, template) == ()
    write_dataset(home / "data", "AC_H1_MFI", PARAMETERS, day(0), "1h")
    assert changes(home, run, template) == ("AC_H1_MFI: ac_h1_mfi_20240101000000_v01.cdf is new",)


def test_words_for_people_do_not_matter(home: Path):
    run = made(home, daily())
    described = daily(name="Another name", description="Words")
    described["steps"][1]["intent"] = "Length of the field"
    assert changes(home, run, described) == ()


def test_a_default_of_the_time_range_does_not_matter(home: Path):
    run = made(home, daily())
    later = daily(variables={"$TIME_RANGE": {"type": "time_range", "default": "yesterday"}})
    assert changes(home, run, later) == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda steps: steps[2]["tool_args"]["spec"].update(title="B"), "step draw differs"),
        (
            lambda steps: steps.insert(
                2,
                {
                    "step_id": "mean",
                    "tool_name": "running_average",
                    "tool_args": {"source_label": "B", "window": "2h", "output_label": "M"},
                },
            ),
            "step mean is new",
        ),
    ],
)
def test_a_step_that_differs_is_named(home: Path, change: Change, reason: str):
    run = made(home, daily())
    template = copy.deepcopy(daily())
    change(template["steps"])
    template["steps"][-1]["tool_args"]["spec"]["labels"] = ["M" if "mean" in reason else "B"]
    [found] = changes(home, run, template)
    assert found.startswith("the template has changed")
    assert reason in found


def test_a_day_without_data_knows_of_a_new_file(home: Path):
    run = made(home, daily(), 5)
    assert run.state == "no data"
    assert changes(home, run, daily()) == ()
    write_day(home / "data", 5)
    assert changes(home, run, daily()) == ("AC_H2_MFI: ac_h2_mfi_20240106000000_v01.cdf is new",)


def test_a_file_without_the_records_of_a_run_is_no_new_file(home: Path):
    """The archive lists a file whose records end before the interval."""
    span = "2024-01-02T23:30 to 2024-01-03"
    template = daily()
    run = api.run(template, time_range=span, archive=home / "data", check=False, settings=Settings(home))
    read = read_run(Runs(home / "runs").load(run.id))
    assert read.state == "no data"
    assert changes(home, read, template) == ()


def test_another_version_of_a_tool_is_named():
    before, now = (
        Basis(tools={"magnitude": 1, "fetch_data": 3}),
        Basis(tools={"magnitude": 2, "fetch_data": 3}),
    )
    assert differences(before, now) == ("the tool magnitude has changed: version 1 → 2",)


def test_a_dataset_whose_provider_cannot_be_reached_is_not_compared():
    assert differences(Basis(files={" A x/y": {"a.cdf": "1"}}), Basis()) == ()


def test_many_changed_files_are_counted():
    before = {" A x/y": {f"{number}.cdf": "1" for number in range(9)}}
    [reason] = differences(Basis(files=before), Basis(files={" A x/y": {}}))
    assert reason == "A: 0.cdf is gone, 1.cdf is gone, 2.cdf is gone, and 6 other changes"


def test_a_dataset_may_have_blanks_in_its_name():
    name = "hapi:x my data set 2024-01-01T00:00:00/2024-01-02T00:00:00"
    assert differences(Basis(files={name: {"a": "1"}}), Basis(files={name: {"a": "2"}})) == (
        "my data set: a was republished",
    )


def test_a_record_without_its_documents_does_not_say_what_the_run_rests_on(home: Path):
    run = made(home, daily())
    (home / "runs" / run.id / "normalised.json").unlink()
    assert read_run(Runs(home / "runs").load(run.id)).basis is None
