"""Steps with code: what their work is named by, and a whole run of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helio.pipelines.analyses.meaning import meaning
from helio.pipelines.analyses.work import canonical_args, canonical_code
from helio.pipelines.template.context import Context
from helio.pipelines.template.document import Document
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures
from helio.store.work_keys import difference
from tests.processes import descendants, is_running
from tests.waiting import wait_until

from .conftest import NOW, fetch, render, template

pytestmark = pytest.mark.process

BASE = "def f(one):\n    return one * 2\nresult = f(df)"


@pytest.mark.parametrize(
    "same",
    [
        "def f(one):\n\n    # twice\n    return (one * 2)\n\n\nresult = f(df)",
        "def f(one):\n    'Twice.'\n    return one*2\nresult=f(df)  # at the end",
        "def f(one): return one * 2\nresult = f((df))",
        "def f(one):\n    return one * 0x2\nresult = f(df)",
    ],
)
def test_layout_comments_and_docstrings_are_no_other_work(same: str):
    assert canonical_code(same) == canonical_code(BASE)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("2", "3"),
        BASE.replace("2", "2.0"),
        BASE.replace("2", "'2'"),
        BASE.replace("2", "None"),
        BASE.replace("*", "+"),
        BASE.replace("df", "df_B"),
        BASE + "\nresult = None",
    ],
)
def test_anything_that_may_change_the_result_is_other_work(other: str):
    assert canonical_code(other) != canonical_code(BASE)


def test_empty_lists_are_told_apart_from_nothing_at_all():
    assert canonical_code("x = []") != canonical_code("x = ()")
    assert canonical_code("f()") != canonical_code("f")
    assert canonical_code("x = a[:]") != canonical_code("x = a[None:None]") != canonical_code("x = a[0:None]")


def named(code: str, *labels: str, **others: Any) -> dict[str, Any]:
    args = {"source_labels": list(labels), "pandas_code": code, "output_label": "C", **others}
    return canonical_args(signatures()["custom_operation"], args)


def test_another_label_is_no_other_work():
    assert named("result = df_B", "X.B") == named("result = df_C", "Y.C") == named("result = df", "Y.C")


def test_two_labels_in_each_other_s_place_are_other_work():
    assert named("result = df_A - df_B", "X.A", "X.B") == named("result = df_P - df_Q", "X.P", "X.Q")
    assert named("result = df_A - df_B", "X.A", "X.B") != named("result = df_B - df_A", "X.A", "X.B")
    assert named("result = df_A - df_B", "X.A", "X.B") != named("result = df_A - df_B", "X.B", "X.A")


def test_a_unit_is_part_of_the_work_and_a_description_is_not():
    assert named("result = df", "B", units="nT") != named("result = df", "B", units="T")
    assert named("result = df", "B", description="this") == named("result = df", "B", description="that")


def test_the_label_of_bins_is_part_of_the_work():
    args = {"source_label": "B", "python_code": "result = df", "output_label": "S"}
    signature = signatures()["compute_spectrogram"]
    assert canonical_args(signature, args | {"bin_label": "f (Hz)"}) != canonical_args(signature, args)


def test_changed_code_is_said_in_two_words():
    old, new = ({"args": named(f"result = df * {factor}", "B")} for factor in (2, 3))
    assert difference(old, new) == ["the code changed"]


def custom(step_id: int, code: str, label: str, *sources: str) -> Document:
    args = {"source_labels": list(sources), "pandas_code": code, "output_label": label}
    return {"step_id": step_id, "tool_name": "custom_operation", "tool_args": args}


def test_equal_code_on_tables_in_another_order_means_something_else():
    plan = template(
        fetch(1, args={"output_label": "X.A"}),
        fetch(2, args={"dataset_id": "AC_H0_MFI", "output_label": "X.B"}),
        custom(3, "result = df_A - df_B", "one", "X.A", "X.B"),
        custom(4, "result = df_A - df_B", "two", "X.B", "X.A"),
        custom(5, "result = df_B - df_A", "three", "X.B", "X.A"),
    )
    found = meaning(Template.from_json(plan), Context(signatures(), NOW, {}))
    assert len({found["one"], found["two"], found["three"]}) == 3


# A whole run ---------------------------------------------------------------------------------------------------


def helio(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "helio", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env=dict(os.environ, HELIO_HOME=str(home), HELIO_ENGINE="direct") | environment,
    )


def written(folder: Path, code: str) -> str:
    document = template(
        fetch(1, args={"dataset_id": "AC_K2_MFI", "time_range": "2022-01-01"}),
        custom(2, code, "Bmag", "AC_K2_MFI.BGSEc"),
        render(3, ("Bmag",)),
    )
    document.pop("variables")
    path = folder / "short.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


MAGNITUDE = "result = np.sqrt((df ** 2).sum(axis=1)).to_frame('|B|')"


@pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
def test_a_template_with_code_runs_and_is_not_run_again_for_a_comment(tmp_path: Path):
    first = helio(tmp_path, "run", written(tmp_path, MAGNITUDE), "--archive", "sample", "--output", "out")
    assert first.returncode == 0, first.stderr
    assert "✓ 2  custom_operation  Bmag" in first.stdout + first.stderr
    again = helio(
        tmp_path, "run", written(tmp_path, f"# |B|\n\n{MAGNITUDE}"), "--archive", "sample", "--output", "out"
    )
    assert again.returncode == 0, again.stderr
    assert "✓ 2" not in again.stdout + again.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
def test_a_killed_run_leaves_no_code_running(tmp_path: Path):
    code = "for i in range(10**8):\n    x = i\nresult = df"
    arguments = ["run", written(tmp_path, code), "--archive", "sample", "--output", "out"]
    environment = dict(os.environ, HELIO_HOME=str(tmp_path), HELIO_ENGINE="direct")
    with subprocess.Popen(
        [sys.executable, "-m", "helio", *arguments],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as run:
        below: list[int] = []

        def works() -> bool:
            assert run.poll() is None
            below[:] = descendants(run.pid)
            # run, worker, the parent of the jail, process 1 of its world, the child
            return len(below) >= 4 and busy(below[-1])

        wait_until(works, "the beginning of the code")
        run.kill()
    wait_until(lambda: not any(map(is_running, below)), "the end of the code")


def busy(process: int) -> bool:
    """Whether it is shut in, as only the child of the jail is."""
    try:
        return "Seccomp:\t2" in Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize(
    "same",
    [
        '"""What it does."""\nx = df.abs()\nif len(x):\n    result = x',
        "x = df.abs()\npass\nif len(x):\n    result = x\nelse:\n    pass",
        "x = df.abs()\nif len(x):\n    'the usual'\n    'twice'\n    result = x\n...",
    ],
)
def test_what_does_nothing_re_runs_nothing(same: str):
    assert canonical_code(same) == canonical_code("x = df.abs()\nif len(x):\n    result = x")


def test_what_only_looks_like_nothing_is_part_of_the_key():
    assert canonical_code("if x:\n    pass\nelse:\n    y = 1") != canonical_code("if x:\n    y = 1")
    assert canonical_code("x = [1]") != canonical_code("x = []")
    assert canonical_code("f()") != canonical_code("")
