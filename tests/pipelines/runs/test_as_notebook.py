"""A run as a notebook: it loads tables and figures without helio, and no text of the run becomes code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from helio import api
from helio.cli import app
from helio.errors import DamagedObject, RequestError, UnknownRun
from helio.settings import read_settings
from helio.store.store import Store

pytestmark = pytest.mark.usefixtures("warm_processes")

FIELD = "AC_K2_MFI.BGSEc"
EVIL = "B'''\"; raise SystemExit #` <script>x</script>"
FETCH: dict[str, Any] = {
    "step_id": "b",
    "tool_name": "fetch_data",
    "tool_args": {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"},
}
SIZE = {
    "step_id": "size",
    "tool_name": "magnitude",
    "tool_args": {"source_label": FIELD, "output_label": "class"},
}
DRAW = {
    "step_id": "figure",
    "tool_name": "render_spec",
    "tool_args": {"spec": {"labels": [FIELD, "class"], "title": EVIL}},
}
SAVE = {"step_id": "file", "tool_name": "save_data", "tool_args": {"source_label": FIELD}}
TEMPLATE = {
    "id": "short",
    "variables": {
        "$TIME_RANGE": {"type": "time_range", "default": "2022-01-01"},
    },
    "steps": [FETCH, SIZE, DRAW, SAVE],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    return api.run(TEMPLATE, archive="sample")


def read(file: str) -> tuple[list[str], list[str]]:
    """The sources of the code cells and of the text cells of a notebook."""
    document = json.loads(Path(file).read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    by_kind: dict[str, list[str]] = {"code": [], "markdown": []}
    for cell in document["cells"]:
        more = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"id", "cell_type", "metadata", "source"} | more
        by_kind[cell["cell_type"]].append(cell["source"])
    return by_kind["code"], by_kind["markdown"]


def test_the_notebook_has_the_tables_and_the_figure_of_the_run_without_helio(run):
    folder = api.export_notebook(run.id, "field.ipynb")
    assert folder == Path("field_files")
    assert sorted(path.name for path in folder.iterdir()) == [
        "AC_K2_MFI_BGSEc.parquet",
        "class_2.parquet",
        "figure_figure.json",
    ]
    code, texts = read("field.ipynb")
    assert not any("import helio" in cell or "from helio" in cell for cell in code)
    assert run.id.replace("_", "\\_") in texts[0]
    assert "success" in texts[0]
    names: dict[str, Any] = {}
    for cell in code:
        exec(compile(cell, "cell", "exec"), names)
    table, frame = run.tables[FIELD], names["AC_K2_MFI_BGSEc"]
    np.testing.assert_array_equal(frame.to_numpy(), table.values)
    assert (frame.index.tz_localize(None).to_numpy() == table.epoch).all()
    assert isinstance(frame.index, pd.DatetimeIndex)
    assert (frame.attrs["unit"], frame.attrs["frame"]) == ("nT", "GSE")
    assert frame.attrs["sources"] == [table.sources[0].in_words()]
    np.testing.assert_array_equal(names["class_2"].to_numpy()[:, 0], run.tables["class"].values)
    figure = names["figure_figure"]
    assert len(figure.data) == len(run.figure.document["data"])
    assert figure.layout.title.text == run.figure.document["layout"]["title"]["text"]


def test_it_is_a_notebook_of_jupyter(run):
    nbformat = pytest.importorskip("nbformat")
    api.export_notebook(run.id, "field.ipynb")
    nbformat.validate(nbformat.read("field.ipynb", as_version=4))


def test_no_text_of_a_run_becomes_code_or_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    fetch = {**FETCH, "step_id": "b", "tool_args": FETCH["tool_args"] | {"output_label": EVIL}}
    made = api.run({**TEMPLATE, "steps": [fetch]}, archive="sample")
    api.export_notebook(made.id, f"{'x' * 20} ' \".ipynb")
    code, texts = read(f"{'x' * 20} ' \".ipynb")
    assert not any("<script" in text.replace("\\<script", "") for text in texts)
    names: dict[str, Any] = {}
    for cell in code:
        exec(compile(cell, "cell", "exec"), names)
    assert any(isinstance(value, pd.DataFrame) for value in names.values())


def test_what_exists_is_not_replaced(run):
    api.export_notebook("last", "field.ipynb")
    before = Path("field.ipynb").read_bytes()
    with pytest.raises(RequestError, match=r"field\.ipynb exists already"):
        api.export_notebook(run.id, "field.ipynb")
    Path("field.ipynb").unlink()
    with pytest.raises(RequestError, match="field_files exists already"):
        api.export_notebook(run.id, "field.ipynb")
    api.export_notebook(run.id, Path("other") / "field.ipynb")
    assert (Path("other") / "field.ipynb").read_bytes() == before


@pytest.mark.parametrize("file", ["field", "field.json", "ipynb"])
def test_a_file_of_another_kind_is_refused(run, file: str):
    with pytest.raises(RequestError, match="is not the name of a notebook") as refusal:
        api.export_notebook(run.id, file)
    assert ".ipynb" in refusal.value.advice
    assert not Path(file).exists()


def test_a_run_that_made_nothing_is_refused(run):
    failed = api.run({**TEMPLATE, "steps": [FETCH]}, time_range="2035-01-01", archive="sample", check=False)
    with pytest.raises(RequestError, match="made no table and no figure"):
        api.export_notebook(failed.id, "field.ipynb")


def test_a_table_that_the_store_lost_writes_nothing(run):
    settings = read_settings()
    store = Store(settings.store)
    output = run.result.steps[0].outputs[0]
    store.path(output.digest).unlink()
    with pytest.raises(DamagedObject):
        api.export_notebook(run.id, "field.ipynb")
    assert not list(Path().glob("field*"))


def test_the_command_takes_a_run_or_the_latest_run_of_a_pipeline(run):
    def export(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["export", "--notebook", *arguments], prog_name="helio")

    for number, name in enumerate(["short", run.id, "last"]):
        done = export(name, f"n{number}.ipynb")
        assert (done.exit_code, done.output.split()) == (0, [f"n{number}.ipynb", f"n{number}_files"])
    assert Path("n0.ipynb").read_bytes().replace(b"n0_", b"n1_") == Path("n1.ipynb").read_bytes()
    unnamed = export("short")
    assert unnamed.exit_code == 2
    assert "FILE.ipynb" in unnamed.output
    assert export("no-such", "x.ipynb").exit_code == 2
    with pytest.raises(UnknownRun):
        api.export_notebook("no-such", "x.ipynb")
